//! Entries of a Jacobian that the primary differences do not settle: what [`super::resolve`] asks about them.

use super::automatic::{At, Automatic, rungs};
use super::resolve::{Branch, Ladder, Noise, Source};
use super::{TRACED, Unit};
use crate::coordinates::Part;
use crate::margins::{self, EventKind};
use crate::oracle::{self, Rung, Shape, Shop};
use crate::underflow;
use adc_ir::*;
use num_complex::Complex64;

/// Noise of a value is never taken over less than this.
const NARROWEST: f64 = 1.0 / (1u64 << 30) as f64;

/// Some entries at a point, by their numbers in [`Unit::entries`].
pub(super) struct Entries<'a, 'b> {
    pub unit: &'a Unit,
    pub auto: &'a mut Automatic,
    pub at: At<'a>,
    pub indices: &'a [usize],
    pub shop: &'a mut Shop<'b>,
}

impl Entries<'_, '_> {
    fn place(&self, case: usize) -> (usize, usize) {
        let n = self.unit.columns.len();
        (self.indices[case] / n, self.indices[case] % n)
    }

    /// The number that a column moves.
    fn number(&self, column: usize) -> Complex64 {
        let c = self.unit.columns[column];
        self.at.inputs[c.index].get(c.entry).to_c128()
    }

    /// Every column with such offsets, in units of what `scale` says of the column; no offset where they leave the domain.
    fn run(&mut self, live: bool, scale: impl Fn(&Self, usize) -> f64, offsets: [f64; 4]) {
        let offset = |column: usize| {
            let (c, z, scale) = (self.unit.columns[column], self.number(column), scale(self, column));
            offsets.map(|t| self.unit.inside(c.index, c.part, z, t * scale))
        };
        let mut wanted = vec![false; self.unit.columns.len()];
        (0..self.indices.len()).for_each(|k| wanted[self.place(k).1] = true);
        let all: Vec<[f64; 4]> =
            (0..wanted.len()).map(|column| if wanted[column] { offset(column) } else { [0.0; 4] }).collect();
        self.auto.oracle.run_coordinates(self.shop, self.at.inputs, live, &self.unit.columns, &all);
    }

    /// The values of the formulas at some inputs: a run for each row, and one for each column.
    fn formulas(&mut self, inputs: &[Datum], rounded: bool) -> Vec<[Option<f64>; 2]> {
        let mut out = vec![[None, None]; self.indices.len()];
        let unit = self.unit;
        for (mode, program) in [unit.programs.vjp, unit.programs.jvp].into_iter().enumerate() {
            let lines: Vec<usize> = (0..out.len())
                .map(|k| self.place(k))
                .map(|(row, column)| if mode == 0 { row } else { column })
                .collect();
            let mut each = lines.clone();
            each.sort_unstable();
            each.dedup();
            let places: Vec<(usize, usize)> = (0..out.len()).map(|k| self.place(k)).collect();
            let Some(exact) = self.auto.exactly(mode, program, rounded, self.shop) else { continue };
            for line in each {
                let seed = if mode == 0 { unit.cotangents[line] } else { unit.tangents[line] };
                if !exact.run(self.shop, inputs, &[(seed, 1.0)]) {
                    continue;
                }
                for (k, (row, column)) in places.iter().enumerate().filter(|(k, _)| lines[*k] == line) {
                    let place = if mode == 0 { &unit.gradients[*column] } else { &unit.dots[*row] };
                    out[k][mode] = Some(exact.read(place)).filter(|x| x.is_finite());
                }
            }
        }
        out
    }
}

impl Source for Entries<'_, '_> {
    fn exact(&mut self, turn: Option<u64>) -> Vec<[Option<f64>; 2]> {
        match turn {
            None => self.formulas(self.at.inputs, false),
            Some(turn) => self.formulas(&self.unit.perturbed(self.at, turn), false),
        }
    }

    fn exact_with_other_constants(&mut self) -> Vec<[Option<f64>; 2]> {
        self.formulas(self.at.inputs, true)
    }

    fn ladder(&mut self, ladder: Ladder) -> Vec<Shape> {
        let scale = |s: &Self, column: usize| match ladder.own {
            true => oracle::own_scale(s.number(column).norm()),
            false => s.auto.scales[column],
        };
        let mut rungs_of: Vec<Vec<Rung>> = vec![Vec::new(); self.indices.len()];
        for pair in 0..ladder.pairs() {
            let [h, quarter] = ladder.steps(pair);
            self.run(ladder.live, scale, [h, -h, quarter, -quarter]);
            for (k, list) in rungs_of.iter_mut().enumerate() {
                let (row, column) = self.place(k);
                let slopes = self.auto.oracle.table.slopes(column, row);
                let scale = scale(self, column);
                let noise = 2.0 * self.auto.oracle.noise(row);
                list.extend(rungs([h * scale, quarter * scale], slopes, noise));
            }
        }
        rungs_of.iter().map(|l| oracle::shape(l)).collect()
    }

    fn has_own_scale(&self, case: usize) -> bool {
        let column = self.place(case).1;
        oracle::own_scale(self.number(column).norm()) < self.auto.scales[column]
    }

    fn has_no_steps(&self, case: usize) -> bool {
        underflow::is_lossy(self.number(self.place(case).1).norm())
    }

    fn is_bounded(&self, case: usize) -> bool {
        let column = self.place(case).1;
        self.unit.domains[self.unit.columns[column].index].is_some()
    }

    fn noise(&mut self) -> Vec<Noise> {
        let mut noises = vec![Noise::default(); self.indices.len()];
        for offsets in oracle::NOISE_PROBES {
            self.run(true, |s, column| oracle::own_scale(s.number(column).norm()), offsets);
            for (k, noise) in noises.iter_mut().enumerate() {
                let (row, column) = self.place(k);
                let (size, scale) = (self.number(column).norm(), self.auto.scales[column]);
                noise.raise(self.unit.noise(self.auto, row, size, scale));
            }
        }
        noises
    }

    fn branch(&mut self) -> Branch {
        self.unit.branch(self.at.inputs, self.shop)
    }

    fn underflows(&mut self) -> bool {
        self.unit.underflows(self.at.inputs, self.shop)
    }

    fn coarsen(&mut self, coarse: bool) {
        self.auto.oracle.coarse = coarse;
    }
}

impl Unit {
    /// Noise of a row, as the last run of the oracle showed it, over the magnitude of what moves and over its scale.
    pub(super) fn noise(&self, auto: &Automatic, row: usize, magnitude: f64, scale: f64) -> Noise {
        let table = &auto.oracle.table;
        // The parts of a complex number have the noise of each other.
        let parts = match self.rows[row].part {
            Part::Whole => row..row + 1,
            Part::Re => row..row + 2,
            Part::Im => row - 1..row + 1,
        };
        let size = parts.clone().map(|r| table.size(r)).fold(0.0, f64::max);
        let gap = parts.map(|r| table.gap(r)).fold(0.0, f64::max);
        let part = auto.precision.epsilon / f64::EPSILON;
        let excess = (gap - 8.0 * f64::EPSILON * size).max(0.0);
        // Arrays as a whole: entries of a result that cancel exactly have the noise of the others.
        let same = |r: &usize| self.rows[*r].index == self.rows[row].index;
        let rounding = |r: usize| table.gap(r).max(2.0 * f64::EPSILON * table.size(r));
        let all = (0..self.rows.len()).filter(same).map(rounding).fold(0.0, f64::max);
        let near = oracle::own_scale(magnitude).max(NARROWEST);
        Noise { excess: part * excess / near, all: part * all / scale }
    }

    /// Whether a run of the function or of its derivatives meets numbers whose double-doubles lose digits.
    pub(super) fn underflows(&self, inputs: &[Datum], shop: &Shop) -> bool {
        let programs = [Some(self.programs.func), self.programs.vjp, self.programs.jvp];
        programs.into_iter().flatten().any(|f| {
            let args = self.arguments(f, inputs, None);
            underflow::meets(shop.module, &shop.engine.externs, f, &args, TRACED)
        })
    }

    /// Whether a decision of the function stands exactly where it changes.
    pub(super) fn branch(&self, inputs: &[Datum], shop: &mut Shop) -> Branch {
        let traced = margins::trace(shop.module, &shop.engine.externs, self.programs.func, inputs, TRACED);
        // Where nothing is known, it is taken to.
        let Ok(events) = traced else { return Branch::Here };
        let here = events.iter().filter(|e| e.kind != EventKind::Edge && e.margin == 0.0);
        here.fold(Branch::No, |found, e| match (found, e.kind) {
            (Branch::No | Branch::Cut, EventKind::Cut) => Branch::Cut,
            _ => Branch::Here,
        })
    }
}
