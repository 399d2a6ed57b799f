//! Entries under automatic tolerances: derivatives against the difference oracle.

use super::Unit;
use super::entries::Entries;
use super::resolve;
use crate::cells::round_otherwise;
use crate::coordinates::Part;
use crate::exact::{Exact, Exacts};
use crate::judge::{self, Case, Precision};
use crate::oracle::{self, Estimate, Oracle, Rung, Shop};
use crate::random::{Purpose, Stream};
use crate::runner::Engine;
use crate::verdict::Verdict;
use crate::{constants, oracle::STEP};
use adc_ir::*;
use num_complex::Complex64;

/// Runs at inputs changed by rounding, from which the rounding of a derivative program is judged.
pub(super) const PERTURBED: u64 = 3;

/// What automatic tolerances keep for a unit.
#[derive(Clone)]
pub(crate) struct Automatic {
    pub oracle: Oracle,
    pub precision: Precision,
    pub exact: Exacts,
    /// With constants changed by rounding.
    rounded: Exacts,
    /// By entry, row by row: the difference, if the primary steps gave one.
    estimates: Vec<Option<Estimate>>,
    /// By column: the scale of its input, the offsets, and whether they are to one side.
    pub(super) scales: Vec<f64>,
    offsets: Vec<[f64; 4]>,
    aside: Vec<bool>,
    /// By entry: how far derivatives at rounded inputs are apart.
    spread: Vec<f64>,
}

/// A point: its inputs, and the names of its random numbers.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub inputs: &'a [Datum],
    pub seed: u64,
    pub number: u64,
}

impl Automatic {
    pub(crate) fn new(oracle: Oracle, single: bool) -> Automatic {
        Automatic {
            oracle,
            precision: Precision::of(single),
            exact: Exacts::default(),
            rounded: Exacts::default(),
            estimates: Vec::new(),
            scales: Vec::new(),
            offsets: Vec::new(),
            aside: Vec::new(),
            spread: Vec::new(),
        }
    }

    /// A program in double-double, as it is or with its constants changed by rounding.
    pub(super) fn exactly(
        &mut self,
        mode: usize,
        program: Option<FuncId>,
        rounded: bool,
        shop: &mut Shop,
    ) -> Option<&mut Exact> {
        match rounded {
            false => self.exact.get(mode, || Exact::new(shop, program?)),
            true => self.rounded.get(mode, || {
                let other = constants::run(shop.module, program?)?;
                Exact::new(shop, other)
            }),
        }
    }

    /// Below this a derivative of a row counts as zero.
    pub(super) fn small(&self, row: usize, scale: f64) -> f64 {
        match self.oracle.holes.is_empty() {
            true => judge::small(self.oracle.table.size(row).max(self.oracle.table.gap(row)), scale),
            false => 0.0,
        }
    }
}

impl Unit {
    /// Fills [`Self::entries`]: the whole Jacobian by VJP, by JVP where that program is there, and by the oracle.
    pub(crate) fn judge_entries(&mut self, at: At, shop: &mut Shop) -> Result<(), RuntimeError> {
        self.make_entries();
        self.run_vjp(at.inputs, shop.engine)?;
        self.run_jvp(at.inputs, shop.engine)?;
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        self.place_offsets(&mut auto, at.inputs);
        auto.oracle.run_coordinates(shop, at.inputs, true, &self.columns, &auto.offsets);
        self.estimate(&mut auto);
        for (e, estimate) in self.entries.iter_mut().zip(&auto.estimates) {
            e.fd = estimate.map_or(f64::NAN, |e| e.value);
        }
        let mut open: Vec<usize> = (0..self.size()).collect();
        auto.spread.clear();
        open.retain(|index| !self.settle(&auto, *index));
        if !open.is_empty() {
            self.spreads(&mut auto, at, shop);
            open.retain(|index| !self.settle(&auto, *index));
        }
        if !open.is_empty() {
            let mut cases: Vec<Case> = open.iter().map(|index| self.case(&auto, *index)).collect();
            self.compare_rows(&auto, &open, &mut cases);
            let precision = auto.precision;
            let mut source = Entries { unit: self, auto: &mut auto, at, indices: &open, shop };
            let rulings = resolve::resolve(&mut source, &mut cases, precision);
            for ((index, case), ruling) in open.iter().zip(cases).zip(rulings) {
                let e = &mut self.entries[*index];
                (e.fd, e.slopes) = (ruling.value, ruling.slopes);
                (e.exact, e.comparison) = (case.formula(), Some(ruling.comparison));
            }
        }
        self.automatic = Some(auto);
        Ok(())
    }

    /// What is known about an entry.
    fn case(&self, auto: &Automatic, index: usize) -> Case {
        let e = &self.entries[index];
        Case {
            derivatives: [self.vjp.is_some().then_some(e.vjp), self.jvp.is_some().then_some(e.jvp)],
            exact: [None, None],
            primary: auto.estimates[index],
            modulus: self.modulus(index),
            spread: auto.spread.get(index).copied().unwrap_or(0.0),
            largest: 0.0,
            small: auto.small(index / self.columns.len(), auto.scales[index % self.columns.len()]),
        }
    }

    /// Says in the cases of entries, which are in order, how large the others of their rows are.
    fn compare_rows(&self, auto: &Automatic, entries: &[usize], cases: &mut [Case]) {
        let n = self.columns.len();
        let size = |index: usize| {
            // What is known vaguely could be anything.
            let known = auto.estimates[index].filter(judge::is_sharp);
            known.map_or(0.0, |e| e.value.abs() * auto.scales[index % n])
        };
        let mut last = (usize::MAX, 0.0);
        for (index, case) in entries.iter().zip(cases) {
            let row = index / n;
            if row != last.0 {
                last = (row, (row * n..row * n + n).map(size).fold(0.0, f64::max));
            }
            case.largest = last.1 / auto.scales[index % n];
        }
    }

    /// The comparison with the primary difference, if it settles the entry.
    fn settle(&mut self, auto: &Automatic, index: usize) -> bool {
        let case = self.case(auto, index);
        let e = &mut self.entries[index];
        if case.is_broken() {
            e.comparison = Some(case.ruled(e.fd, Verdict::NonFinite));
            return true;
        }
        let Some(estimate) = case.primary else { return false };
        let c = case.agrees(&estimate, auto.precision);
        e.comparison = c.filter(|c| case.is_settled(&estimate, c, auto.precision));
        e.comparison.is_some()
    }

    /// The magnitude of an entry for rounding: of the complex numbers it is a part of, if it is.
    fn modulus(&self, index: usize) -> f64 {
        let n = self.columns.len();
        let (row, column) = (index / n, index % n);
        let pair = |at: usize, part: Part| match part {
            Part::Whole => at..at + 1,
            Part::Re => at..at + 2,
            Part::Im => at - 1..at + 1,
        };
        let rows = pair(row, self.rows[row].part);
        let columns = pair(column, self.columns[column].part);
        let entries = rows.flat_map(|r| columns.clone().map(move |c| r * n + c));
        let sizes = entries.flat_map(|i| [self.entries[i].fd, self.entries[i].vjp, self.entries[i].jvp]);
        sizes.map(f64::abs).filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// Scales and primary offsets of every column.
    pub(super) fn place_offsets(&self, auto: &mut Automatic, inputs: &[Datum]) {
        auto.scales.clear();
        auto.offsets.clear();
        auto.aside.clear();
        for c in &self.columns {
            let z = inputs[c.index].get(c.entry).to_c128();
            let scale = oracle::scale(z.norm());
            // Where the oracle is as coarse as a double, steps have to be wide.
            let placed = match auto.oracle.holes.is_empty() {
                true => oracle::offsets(self.domains[c.index], c.part, z, scale * STEP),
                false => None,
            };
            auto.scales.push(scale);
            auto.offsets.push(placed.map_or([0.0; 4], |o| o.at));
            auto.aside.push(placed.is_some_and(|o| o.aside));
        }
    }

    /// The primary differences.
    fn estimate(&self, auto: &mut Automatic) {
        auto.estimates.clear();
        let n = self.columns.len();
        for row in 0..self.rows.len() {
            let noise = 2.0 * auto.oracle.noise(row);
            for column in 0..n {
                let (t, s) = (auto.offsets[column], auto.oracle.table.slopes(column, row));
                let e = match auto.aside[column] {
                    true => oracle::two_steps_aside([s[0], s[1]], [s[2], s[3]], t[2].abs(), noise),
                    false => {
                        let [wide, close] = rungs([t[0], t[2]], s, noise);
                        oracle::two_steps(&wide, &close)
                    }
                };
                auto.estimates.push(e);
            }
        }
    }

    /// How far derivatives at inputs changed by rounding are from those at the inputs.
    fn spreads(&mut self, auto: &mut Automatic, at: At, shop: &mut Shop) {
        auto.spread.resize(self.size(), 0.0);
        let kept: Vec<(f64, f64)> = self.entries.iter().map(|e| (e.vjp, e.jvp)).collect();
        for turn in 0..PERTURBED {
            let moved = self.perturbed(at, turn);
            let run = |e: &mut Engine| self.run_vjp(&moved, e).and_then(|_| self.run_jvp(&moved, e));
            if shop.engine.aside(run).is_err() {
                continue;
            }
            for ((spread, (v, j)), e) in auto.spread.iter_mut().zip(&kept).zip(&self.entries) {
                for d in [(e.vjp - v).abs(), (e.jvp - j).abs()] {
                    *spread = if d.is_finite() { spread.max(d) } else { *spread };
                }
            }
        }
        for (e, (vjp, jvp)) in self.entries.iter_mut().zip(kept) {
            (e.vjp, e.jvp) = (vjp, jvp);
        }
    }

    /// The inputs, each real and imaginary part off by a few units in its last place, within the declared domains.
    pub(super) fn perturbed(&self, at: At, turn: u64) -> Vec<Datum> {
        let mut moved = at.inputs.to_vec();
        let mut s = Stream::new(at.seed, Purpose::Rounding, [at.number, turn, self.order as u64]);
        for (x, domain) in moved.iter_mut().zip(&self.domains) {
            for entry in 0..x.len() {
                let kept = x.get(entry);
                round_otherwise(x, entry, &mut s);
                if domain.is_some_and(|d| !d.contains(x.get(entry).to_c128())) {
                    x.set(entry, kept);
                }
            }
        }
        moved
    }

    /// The offset along a part of an input if it stays in the declared domain with some room, else 0.
    pub(super) fn inside(&self, index: usize, part: Part, z: Complex64, t: f64) -> f64 {
        let moved = match part {
            Part::Whole | Part::Re => Complex64::new(z.re + 2.0 * t, z.im),
            Part::Im => Complex64::new(z.re, z.im + 2.0 * t),
        };
        if self.domains[index].is_none_or(|d| d.contains(moved)) { t } else { 0.0 }
    }
}

/// Two rungs from the slopes at +h, −h, +h/4, −h/4.
pub(super) fn rungs(steps: [f64; 2], slopes: [f64; 4], noise: f64) -> [Rung; 2] {
    let rung = |k: usize| Rung { h: steps[k].abs(), right: slopes[2 * k], left: slopes[2 * k + 1], noise };
    [rung(0), rung(1)]
}
