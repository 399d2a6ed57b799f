//! Which entry is wrong in a Jacobian that is too large to be compared completely: bisection of a direction that failed.

use super::automatic::{At, Automatic, Derivative};
use super::displacement::Displacement;
use super::{EntryData, Unit};
use crate::oracle::{Moved, Toolchain};
use crate::slots::{clear, load, read, write};
use adc_ir::*;

/// Jacobians with more entries are not compared completely after a failure.
pub(crate) const WHOLE: usize = 1 << 14;

/// A direction along which a row is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Miss {
    pub probe: u64,
    pub row: usize,
    /// As for the verdict: the larger, the worse.
    pub ratio: f64,
}

impl Unit {
    /// Fills [`Self::found`] with the entry of the wrong row that has the largest error, if halves of the direction lead to
    /// one. The cost grows with the logarithm of the number of inputs.
    pub(crate) fn narrow(&mut self, at: At, miss: Miss, tools: &mut Toolchain) -> Result<(), RuntimeError> {
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        let done = self.search(&mut auto, at, miss, tools);
        self.automatic = Some(auto);
        self.found = done?;
        Ok(())
    }

    fn search(
        &mut self,
        auto: &mut Automatic,
        at: At,
        miss: Miss,
        tools: &mut Toolchain,
    ) -> Result<Option<(usize, EntryData)>, RuntimeError> {
        let signs = self.rademacher(at, miss.probe);
        let mut columns: Vec<usize> = (0..signs.len()).filter(|c| signs[*c] != 0.0).collect();
        let scales = self.scales(at, false);
        let mut within = |unit: &mut Unit, auto: &mut Automatic, columns: &[usize]| {
            let mut some = vec![0.0; signs.len()];
            columns.iter().for_each(|c| some[*c] = signs[*c]);
            let d = unit.along(at, &some, &scales, auto.oracle.is_coarse());
            unit.run_along(at.inputs, &unit.components(&d.moved), tools.engine)?;
            let e = unit.primary(auto, at, std::slice::from_ref(&d), tools)[miss.row];
            Ok(e.map(|e| (unit.along[miss.row] - e.value, d)))
        };
        let Some((mut off, mut d)) = within(self, auto, &columns)? else { return Ok(None) };
        while columns.len() > 1 {
            let other = columns.split_off(columns.len() / 2);
            let Some((first, half)) = within(self, auto, &columns)? else { return Ok(None) };
            let Some((second, rest)) = within(self, auto, &other)? else { return Ok(None) };
            (off, d) = (first, half);
            if second.abs() > first.abs() {
                (columns, off, d) = (other, second, rest);
            }
        }
        let Some(column) = columns.pop().filter(|_| off != 0.0) else { return Ok(None) };
        let (index, e) = self.entry_along(auto, at, (miss.row, column), &d, tools)?;
        Ok(Some((index, e)).filter(|(_, e)| e.comparison.is_some_and(|c| c.status.failing())))
    }

    /// One entry, along the displacement of its column alone.
    fn entry_along(
        &mut self,
        auto: &mut Automatic,
        at: At,
        (row, column): (usize, usize),
        d: &Displacement,
        tools: &mut Toolchain,
    ) -> Result<(usize, EntryData), RuntimeError> {
        // The direction's sign tells which side of the column is inside the domain.
        let sign = self.components(&d.moved).first().map_or(1.0, |(_, u)| u.signum());
        let offsets = d.offsets.map(|t| t * sign);
        let own = Displacement { moved: Moved::Column(column), offsets, ..d.clone() };
        let mut numbers = (f64::NAN, f64::NAN);
        let judged = self.judge(
            auto,
            at,
            std::slice::from_ref(&own),
            Some(row),
            tools,
            &mut |unit, inputs, _, engine| {
                unit.run_along(inputs, &[(column, 1.0)], engine)?;
                let jvp = unit.along[row];
                let vjp = match &mut unit.vjp {
                    Some(vjp) => {
                        load(&mut vjp.inputs, inputs);
                        vjp.inputs[inputs.len()..].iter_mut().for_each(clear);
                        write(&mut vjp.inputs, &unit.cotangents[row], 1.0);
                        vjp.run(engine)?;
                        Some(read(&vjp.outputs, &unit.gradients[column]))
                    }
                    None => None,
                };
                if numbers.1.is_nan() {
                    numbers = (vjp.unwrap_or(f64::NAN), jvp);
                }
                let mut out = vec![Derivative::default(); unit.rows.len()];
                out[row] = Derivative { by: [vjp, Some(jvp)], modulus: jvp.abs() };
                Ok(out)
            },
        )?;
        let ruling = judged[0].ruling();
        let data = EntryData {
            vjp: numbers.0,
            jvp: numbers.1,
            fd: ruling.value,
            slopes: ruling.slopes,
            exact: judged[0].exact,
            comparison: Some(ruling.comparison),
        };
        Ok((row * self.columns.len() + column, data))
    }
}
