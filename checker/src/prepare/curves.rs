//! The distance of an entry's difference quotients from its derivative, step by step: a report plots it to show whether
//! differences converge, and to what.

use super::Prepared;
use crate::fixed_steps::FixedSteps;
use crate::oracle::{Toolchain, scale};
use crate::report::{Entry, Order, PointReport, Quotients, StepCurve};
use crate::slots::get;

/// Steps from the input's scale down to its last place, by factors of 2.
const STEPS: i32 = 53;

impl Prepared {
    /// The central quotients of entries at a point of the check, in double precision and, under automatic tolerances, in
    /// double-double.
    pub(crate) fn curves(&mut self, point: &PointReport, entries: &[Entry]) -> Vec<StepCurve> {
        let mut plain: Vec<(Order, Option<FixedSteps>)> = Vec::new();
        for e in entries {
            if plain.iter().all(|(order, _)| *order != e.order) {
                plain.push((e.order, self.plain(e.order)));
            }
        }
        let of = |e: &Entry| plain.iter().find(|(order, _)| *order == e.order)?.1.clone();
        entries.iter().filter_map(|e| self.curve(point, e, of(e))).collect()
    }

    /// The quotients of one order in double precision; `None` if they cannot be computed.
    fn plain(&mut self, order: Order) -> Option<FixedSteps> {
        let unit = self.units.iter().find(|u| u.order == order)?;
        let builders = (&mut self.module, &mut self.builders, &self.engine);
        FixedSteps::along_directions(builders, unit.programs.func, (&unit.wrt, &unit.outputs)).ok()
    }

    fn curve(&mut self, point: &PointReport, e: &Entry, mut plain: Option<FixedSteps>) -> Option<StepCurve> {
        let k = self.units.iter().position(|u| u.order == e.order)?;
        let unit = &mut self.units[k];
        let column = *unit.columns.get(e.place.1)?;
        let mut inputs = point.inputs.clone();
        if e.order == Order::Second {
            inputs.extend(point.cotangents.iter().cloned());
        }
        let size = scale(get(&inputs[column.index], column.entry, column.part).abs());
        let steps = (0..STEPS).map(|k| {
            let step = size * 2f64.powi(-k);
            let plain = plain.as_mut().and_then(|fixed| {
                let moves = [(e.place.1, 1.0)];
                let offsets = fixed.offsets(&inputs, &moves, step);
                fixed.run_along(&mut self.engine, &inputs, &moves, offsets).ok()?;
                fixed.slopes.get(e.place.0).copied()
            });
            let plain = plain.unwrap_or(f64::NAN);
            let precise = unit.automatic.as_mut().map_or(f64::NAN, |auto| {
                let mut tools = Toolchain {
                    module: &mut self.module,
                    builders: &mut self.builders,
                    engine: &mut self.engine,
                };
                let mut slope = |t: f64| auto.oracle.slope(&mut tools, &inputs, (e.place.0, column), t);
                (slope(step) + slope(-step)) / 2.0
            });
            Quotients { step, plain, precise }
        });
        Some(StepCurve { entry: e.clone(), steps: steps.collect() })
    }
}
