//! Entries under fixed tolerances: derivatives against difference quotients of one step.

use super::{EntryData, Unit};
use crate::cells::{get, load_doubles};
use crate::compare::Comparison;
use crate::coordinates::Part;
use crate::difference::Along;
use crate::fallback::Fallback;
use crate::settings::Limits;
use adc_ir::*;
use num_complex::Complex64;

impl Unit {
    /// Fills [`Self::entries`]: the whole Jacobian by VJP, by JVP where that program is there, and by
    /// differences, compared.
    pub(crate) fn run_entries(
        &mut self,
        inputs: &[Datum],
        limits: &Limits,
        fallback: &mut Fallback,
    ) -> Result<(), RuntimeError> {
        self.make_entries();
        let n = self.columns.len();
        self.run_vjp(inputs, fallback.engine)?;
        self.run_jvp(inputs, fallback.engine)?;
        let slow = self.slow.as_mut().expect("prepared with the slow difference program");
        load_doubles(&mut slow.inputs, inputs);
        slow.inputs[inputs.len()] = Datum::Scalar(Const::F64(limits.eps));
        match slow.run(fallback.engine) {
            Ok(()) => {
                let mut results = slow.outputs.iter();
                for columns in &self.column_blocks {
                    for rows in &self.row_blocks {
                        let quotients = results.next().expect("a result for every pair of blocks");
                        for i in 0..columns.len {
                            for j in 0..rows.len {
                                let x = get(quotients, i * rows.len + j, Part::Whole);
                                self.entries[rows.at(j) * n + columns.at(i)].fd = x;
                            }
                        }
                    }
                }
            }
            Err(_) => self.one_by_one(inputs, limits, fallback),
        }
        for (column, c) in self.columns.iter().enumerate() {
            if !moves(get(&inputs[c.index], c.entry, c.part), limits.eps) {
                (0..self.rows.len()).for_each(|row| self.entries[row * n + column].fd = f64::NAN);
            }
        }
        self.compare_entries(limits);
        Ok(())
    }

    /// A run-time error at one displaced point ended the whole program: each column by itself.
    #[cold]
    fn one_by_one(&mut self, inputs: &[Datum], limits: &Limits, fallback: &mut Fallback) {
        let n = self.columns.len();
        for column in 0..n {
            let (f, c) = (self.programs.func, self.columns[column]);
            let values = fallback.column(f, c, Along::Entry, &self.outputs, (inputs, limits.eps));
            for (k, rows) in self.row_blocks.iter().enumerate() {
                for j in 0..rows.len {
                    let x = values.as_ref().map_or(f64::NAN, |v| get(&v[k], j, Part::Whole));
                    self.entries[rows.at(j) * n + column].fd = x;
                }
            }
        }
    }

    /// By VJP, the two parts of a complex input belong to one number; by JVP, those of a complex output.
    fn compare_entries(&mut self, limits: &Limits) {
        let n = self.columns.len();
        self.entries.iter_mut().for_each(|e| e.comparison = None);
        if self.vjp.is_some() {
            for row in 0..self.rows.len() {
                let mut column = 0;
                while column < n {
                    let first = row * n + column;
                    let second = (self.columns[column].part == Part::Re).then_some(first + 1);
                    compare_pair(&mut self.entries, first, second, limits, |e| e.vjp);
                    column += if second.is_some() { 2 } else { 1 };
                }
            }
        }
        if self.jvp.is_some() {
            for column in 0..n {
                let mut row = 0;
                while row < self.rows.len() {
                    let first = row * n + column;
                    let second = (self.rows[row].part == Part::Re).then_some(first + n);
                    compare_pair(&mut self.entries, first, second, limits, |e| e.jvp);
                    row += if second.is_some() { 2 } else { 1 };
                }
            }
        }
    }
}

fn compare_pair(
    entries: &mut [EntryData],
    first: usize,
    second: Option<usize>,
    limits: &Limits,
    derivative: fn(&EntryData) -> f64,
) {
    let number = |f: &dyn Fn(&EntryData) -> f64| {
        Complex64::new(f(&entries[first]), second.map_or(0.0, |s| f(&entries[s])))
    };
    let a = number(&|e| derivative(e));
    let n = number(&|e| e.fd);
    let new = limits.compare(a, n, 1.0);
    for i in [Some(first), second].into_iter().flatten() {
        let entry = &mut entries[i];
        entry.comparison = Some(match entry.comparison {
            Some(old) if (old.status, old.ratio) > (new.status, new.ratio) => {
                Comparison { testable: old.testable && new.testable, ..old }
            }
            Some(old) => Comparison { testable: old.testable && new.testable, ..new },
            None => new,
        });
    }
}

/// Whether a step of `h` moves `x` at all.
pub(super) fn moves(x: f64, h: f64) -> bool {
    x + h != x || x - h != x
}
