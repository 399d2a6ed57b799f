//! How far difference quotients of an entry are from its derivative, step by step: what a report draws to show that
//! differences converge, and whereto.

use super::Prepared;
use crate::cells::get;
use crate::coordinates::{Block, Part, blocks};
use crate::difference::Along;
use crate::fallback::Fallback;
use crate::oracle::{Shop, scale};
use crate::report::{Entry, Order, PointReport, Quotients, StepCurve};

/// Steps from the input's scale down to its last place, by factors of 2.
const STEPS: i32 = 53;

impl Prepared {
    /// The central quotients of entries at a point of the check, in double precision and, under automatic tolerances, in
    /// double-double.
    pub(crate) fn curves(&mut self, point: &PointReport, entries: &[Entry]) -> Vec<StepCurve> {
        entries.iter().filter_map(|e| self.curve(point, e)).collect()
    }

    fn curve(&mut self, point: &PointReport, e: &Entry) -> Option<StepCurve> {
        let k = self.units.iter().position(|u| u.order == e.order)?;
        let unit = &mut self.units[k];
        let (f, outputs) = (unit.programs.func, unit.outputs.clone());
        let (row, column) = (*unit.rows.get(e.place.0)?, *unit.columns.get(e.place.1)?);
        let mut inputs = point.inputs.clone();
        if e.order == Order::Second {
            inputs.extend(point.cotangents.iter().cloned());
        }
        let ty = |k: usize| self.module.func(f).results[k].ty;
        let of = Block { index: row.index, part: row.part };
        let which = blocks(&outputs, ty).iter().position(|b| *b == of)?;
        let size = scale(get(&inputs[column.index], column.entry, column.part).abs());
        let steps = (0..STEPS).map(|k| {
            let step = size * 2f64.powi(-k);
            let mut fallback = Fallback {
                module: &mut self.module,
                freezer: &mut self.makers.freezer,
                engine: &mut self.engine,
                columns: &mut self.columns,
            };
            let plain = fallback.column(f, column, Along::Entry, &outputs, (&inputs, step));
            let plain = plain.map_or(f64::NAN, |v| get(&v[which], row.entry, Part::Whole));
            let precise = unit.automatic.as_mut().map_or(f64::NAN, |auto| {
                let mut shop =
                    Shop { module: &mut self.module, makers: &mut self.makers, engine: &mut self.engine };
                let mut slope = |t: f64| auto.oracle.slope(&mut shop, &inputs, (e.place.0, column), t);
                (slope(step) + slope(-step)) / 2.0
            });
            Quotients { step, plain, precise }
        });
        Some(StepCurve { entry: e.clone(), steps: steps.collect() })
    }
}
