//! Which entry is wrong in a Jacobian that is too large to be compared whole: bisection of a direction that found something.

use super::automatic::{At, Automatic};
use super::directions::{Direction, Rows};
use super::resolve;
use super::{EntryData, Unit};
use crate::cells::{clear, load, read, write};
use crate::oracle::{self, Shop};
use adc_ir::*;

/// Jacobians with more entries are not compared whole after a miss.
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
    /// Fills [`Self::found`] with the entry of the missed row that is off by most, if halves of the direction lead to one.
    /// The cost grows with the logarithm of the number of inputs.
    pub(crate) fn narrow(&mut self, at: At, miss: Miss, shop: &mut Shop) -> Result<(), RuntimeError> {
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        let done = self.search(&mut auto, at, miss, shop);
        self.automatic = Some(auto);
        self.found = done?;
        Ok(())
    }

    fn search(
        &mut self,
        auto: &mut Automatic,
        at: At,
        miss: Miss,
        shop: &mut Shop,
    ) -> Result<Option<(usize, EntryData)>, RuntimeError> {
        let signs = self.rademacher(at, miss.probe);
        let mut columns: Vec<usize> = (0..signs.len()).filter(|c| signs[*c] != 0.0).collect();
        let mut within = |unit: &mut Unit, auto: &mut Automatic, columns: &[usize]| {
            let mut some = vec![0.0; signs.len()];
            columns.iter().for_each(|c| some[*c] = signs[*c]);
            let d = unit.direction(at, &some, oracle::scale);
            unit.run_along(at.inputs, &d.u, shop.engine)?;
            let e = unit.differences(auto, at, &d, shop)[miss.row];
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
        let (index, e) = self.entry_along(auto, at, (miss.row, column), &d, shop)?;
        Ok(Some((index, e)).filter(|(_, e)| e.comparison.is_some_and(|c| c.status.failing())))
    }

    /// One entry, along the direction that moves its column alone.
    fn entry_along(
        &mut self,
        auto: &mut Automatic,
        at: At,
        (row, column): (usize, usize),
        d: &Direction,
        shop: &mut Shop,
    ) -> Result<(usize, EntryData), RuntimeError> {
        let sign = d.u[column];
        self.run_along(at.inputs, &d.u, shop.engine)?;
        let jvp = self.along[row] / sign;
        let vjp = match &mut self.vjp {
            Some(vjp) => {
                load(&mut vjp.inputs, at.inputs);
                vjp.inputs[at.inputs.len()..].iter_mut().for_each(clear);
                write(&mut vjp.inputs, &self.cotangents[row], 1.0);
                vjp.run(shop.engine)?;
                Some(read(&vjp.outputs, &self.gradients[column]))
            }
            None => None,
        };
        let primary = self.differences(auto, at, d, shop)[row];
        let mut case = self.case_along(auto, row, d, primary);
        case.derivatives[0] = vjp.map(|g| g * sign);
        let precision = auto.precision;
        let mut source = Rows { unit: self, auto, at, d, rows: &[row], shop };
        let ruling = resolve::resolve(&mut source, std::slice::from_mut(&mut case), precision)[0];
        let data = EntryData {
            vjp: vjp.unwrap_or(f64::NAN),
            jvp,
            fd: ruling.value / sign,
            slopes: ruling.slopes.map(|(left, right)| match sign > 0.0 {
                true => (left / sign, right / sign),
                false => (right / sign, left / sign),
            }),
            exact: case.formula().map(|x| x / sign),
            comparison: Some(ruling.comparison),
        };
        Ok((row * self.columns.len() + column, data))
    }
}
