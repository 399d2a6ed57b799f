//! Entries under automatic tolerances: derivatives against the difference oracle.

use super::Unit;
use crate::cells::{Place, get};
use crate::compare::Comparison;
use crate::coordinates::Part;
use crate::exact::Exact;
use crate::judge::{self, Precision};
use crate::oracle::{self, Estimate, Oracle, Rung, Shape, Shop};
use crate::random::{Purpose, Stream};
use crate::verdict::Verdict;
use adc_ir::*;
use num_complex::Complex64;

/// Runs at inputs changed by rounding, from which the rounding of a derivative program is judged.
const PERTURBED: u64 = 3;
/// Pairs of rungs of a ladder with live decisions: steps from an eighth of the scale down to 2⁻⁴⁹ of it. Smaller ones would
/// not move the double-precision program, which decides.
const LIVE: i32 = 12;
/// Pairs of rungs of a ladder with the decisions of the centre: down to 2⁻⁹³.
const REPLAYED: i32 = 23;
/// The second ladder's steps are these parts of the first one's.
const SECOND: f64 = 0.618;

/// What automatic tolerances keep for a unit.
#[derive(Clone)]
pub(crate) struct Automatic {
    pub oracle: Oracle,
    pub precision: Precision,
    /// VJP and JVP programs in double-double, once they were needed; `None` inside: cannot be made.
    pub exact: [Option<Option<Exact>>; 2],
    /// By entry, row by row: the difference, if the primary steps gave one.
    estimates: Vec<Option<Estimate>>,
    /// By column: the scale of its input, the offsets, and whether they are to one side.
    scales: Vec<f64>,
    offsets: Vec<[f64; 4]>,
    aside: Vec<bool>,
    /// By entry: how far derivatives at rounded inputs are apart.
    spread: Vec<f64>,
}

impl Automatic {
    pub(crate) fn new(oracle: Oracle, single: bool) -> Automatic {
        Automatic {
            oracle,
            precision: Precision::of(single),
            exact: [None, None],
            estimates: Vec::new(),
            scales: Vec::new(),
            offsets: Vec::new(),
            aside: Vec::new(),
            spread: Vec::new(),
        }
    }
}

/// An entry that the primary comparison did not settle.
struct Open {
    index: usize,
    /// The derivatives in double-double by VJP and JVP, where they are known.
    exact: [Option<f64>; 2],
}

impl Unit {
    /// Fills [`Self::entries`]: the whole Jacobian by VJP, by JVP where that program is there, and by the oracle.
    pub(crate) fn judge_entries(
        &mut self,
        inputs: &[Datum],
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) -> Result<(), RuntimeError> {
        self.make_entries();
        self.run_vjp(inputs, shop.engine)?;
        self.run_jvp(inputs, shop.engine)?;
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        self.place_offsets(&mut auto, inputs);
        auto.oracle.run_coordinates(shop, inputs, true, &self.columns, &auto.offsets);
        self.estimate(&mut auto);
        let mut open = Vec::new();
        for index in 0..self.size() {
            self.entries[index].fd = auto.estimates[index].map_or(f64::NAN, |e| e.value);
        }
        for index in 0..self.size() {
            let rounding = judge::ULPS * auto.precision.epsilon * self.modulus(index);
            if !self.settle(&auto, index, rounding) {
                open.push(index);
            }
        }
        if !open.is_empty() {
            self.spreads(&mut auto, inputs, (seed, number), shop);
            open.retain(|&index| {
                let least = judge::ULPS * auto.precision.epsilon * self.modulus(index);
                !self.settle(&auto, index, least.max(10.0 * auto.spread[index]))
            });
        }
        if !open.is_empty() {
            self.resolve(&mut auto, inputs, open, (seed, number), shop);
        }
        self.automatic = Some(auto);
        Ok(())
    }

    /// The derivatives that an entry is known by.
    pub(super) fn derivatives(&self, index: usize) -> impl Iterator<Item = f64> + Clone {
        let e = &self.entries[index];
        let vjp = self.vjp.is_some().then_some(e.vjp);
        vjp.into_iter().chain(self.jvp.is_some().then_some(e.jvp))
    }

    /// The comparison with the primary difference, if it settles the entry: with agreement, and sharply.
    fn settle(&mut self, auto: &Automatic, index: usize, rounding: f64) -> bool {
        let (mut list, mut count) = ([0.0; 2], 0);
        for g in self.derivatives(index) {
            list[count] = g;
            count += 1;
        }
        let g = &list[..count];
        if g.iter().any(|g| !g.is_finite()) {
            let value = self.entries[index].fd;
            self.entries[index].comparison = Some(judge::ruled(g, value, Verdict::NonFinite));
            return true;
        }
        let Some(e) = auto.estimates[index] else { return false };
        let c = judge::compare(g, &e, rounding, self.small(auto, index));
        let done =
            c.status == Verdict::Ok && c.resolution <= judge::SHARP * auto.precision.epsilon / f64::EPSILON;
        self.entries[index].comparison = Some(c);
        done
    }

    /// Below this a derivative counts as zero: nothing beside the function's value over the input's scale.
    fn small(&self, auto: &Automatic, index: usize) -> f64 {
        let (row, column) = (index / self.columns.len(), index % self.columns.len());
        match auto.oracle.holes.is_empty() {
            true => judge::SHARP * auto.oracle.table.size(row) / auto.scales[column],
            false => 0.0,
        }
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
        entries.map(|i| self.entries[i].fd.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// Scales and primary offsets of every column.
    fn place_offsets(&self, auto: &mut Automatic, inputs: &[Datum]) {
        for list in [&mut auto.scales] {
            list.clear();
        }
        auto.offsets.clear();
        auto.aside.clear();
        for c in &self.columns {
            let z = inputs[c.index].get(c.entry).to_c128();
            let scale = oracle::scale(z.norm());
            // Where the oracle is as coarse as a double, steps have to be wide.
            let placed = match auto.oracle.holes.is_empty() {
                true => oracle::offsets(self.domains[c.index], c.part, z, scale * oracle::STEP),
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
                        let [wide, close] = rungs(t, s, noise);
                        oracle::two_steps(&wide, &close)
                    }
                };
                auto.estimates.push(e);
            }
        }
    }

    /// How far derivatives at inputs changed by rounding are from those at the inputs.
    fn spreads(
        &mut self,
        auto: &mut Automatic,
        inputs: &[Datum],
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) {
        auto.spread.clear();
        auto.spread.resize(self.size(), 0.0);
        let kept: Vec<(f64, f64)> = self.entries.iter().map(|e| (e.vjp, e.jvp)).collect();
        for turn in 0..PERTURBED {
            let moved = self.perturbed(inputs, (seed, number, turn));
            if self.run_vjp(&moved, shop.engine).is_err() || self.run_jvp(&moved, shop.engine).is_err() {
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

    /// The inputs, each real coordinate off by two units in its last place, within the declared domains.
    pub(super) fn perturbed(&self, inputs: &[Datum], (seed, number, turn): (u64, u64, u64)) -> Vec<Datum> {
        let mut moved = inputs.to_vec();
        let mut s = Stream::new(seed, Purpose::Rounding, [number, turn, self.order as u64]);
        let epsilon = if self.single() { f32::EPSILON as f64 } else { f64::EPSILON };
        for c in &self.columns {
            let x = get(&inputs[c.index], c.entry, c.part);
            let sign = if s.below(2) == 0 { 1.0 } else { -1.0 };
            crate::cells::set(&mut moved[c.index], c.entry, c.part, x * (1.0 + 2.0 * sign * epsilon));
            let z = moved[c.index].get(c.entry).to_c128();
            if self.domains[c.index].is_some_and(|d| !d.contains(z)) {
                crate::cells::set(&mut moved[c.index], c.entry, c.part, x);
            }
        }
        moved
    }

    /// The entries that are left, by every means.
    #[cold]
    fn resolve(
        &mut self,
        auto: &mut Automatic,
        inputs: &[Datum],
        open: Vec<usize>,
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) {
        let mut open: Vec<Open> = open.into_iter().map(|index| Open { index, exact: [None, None] }).collect();
        self.find_exact(auto, inputs, &mut open, shop);
        // What the formulas say may differ from what was computed by rounding alone.
        let conditioned = self.conditioning(auto, inputs, &open, (seed, number), shop);
        let mut left = Vec::new();
        for (k, o) in open.into_iter().enumerate() {
            // A vague difference agrees with everything: the ladder may know better.
            let sharp =
                |e: &Estimate| e.bound() <= judge::SHARP * e.value.abs().max(self.small(auto, o.index));
            match auto.estimates[o.index].filter(|e| sharp(e) && self.formula_holds(&o, e)) {
                Some(e) => self.rounded(auto, &o, &e, conditioned[k]),
                None => left.push((o, conditioned[k])),
            }
        }
        if left.is_empty() {
            return;
        }
        let indices: Vec<usize> = left.iter().map(|(o, _)| o.index).collect();
        let live = self.ladders(auto, inputs, &indices, 1.0, true, shop);
        let mut second = None;
        let (mut replayed, mut branch) = (None, None);
        for (k, (o, conditioned)) in left.into_iter().enumerate() {
            let declared = self.domains[self.columns[o.index % self.columns.len()].index].is_some();
            let mut found = live[k];
            if matches!(found, Shape::Kink { .. } | Shape::Jump { .. } | Shape::Unresolved) {
                // Near, but not at a branch: the piece that the point lies on is smooth.
                let at_branch = *branch.get_or_insert_with(|| self.at_branch(inputs, shop));
                let shapes =
                    replayed.get_or_insert_with(|| self.ladders(auto, inputs, &indices, 1.0, false, shop));
                if let (Shape::Smooth(e), false) = (shapes[k], at_branch) {
                    found = Shape::Smooth(e);
                }
            }
            if let (Shape::Edge(Some(e)), true) = (found, declared) {
                found = Shape::Smooth(e);
            }
            let g: Vec<f64> = self.derivatives(o.index).collect();
            match found {
                Shape::Smooth(e) if self.formula_holds(&o, &e) => self.rounded(auto, &o, &e, conditioned),
                Shape::Smooth(e) => {
                    let second = second
                        .get_or_insert_with(|| self.ladders(auto, inputs, &indices, SECOND, true, shop));
                    self.disagrees(auto, &o, &e, second[k]);
                    let i = o.index;
                    let wrong = |c: &Comparison| matches!(c.status, Verdict::Wrong | Verdict::Inconsistent);
                    // relu(x) − relu(−x): the subgradients of kinks do not add up to the derivative.
                    if self.entries[i].comparison.is_some_and(|c| wrong(&c)) {
                        let at_branch = *branch.get_or_insert_with(|| self.at_branch(inputs, shop));
                        if let (true, Some(c)) = (at_branch, &mut self.entries[i].comparison) {
                            c.status = Verdict::BadKink;
                        }
                    }
                }
                Shape::Kink { left, right } => {
                    let e = &mut self.entries[o.index];
                    e.fd = 0.5 * left.value + 0.5 * right.value;
                    e.slopes = Some((left.value + 0.0, right.value + 0.0));
                    e.comparison = Some(judge::at_kink(&g, (&left, &right), auto.precision));
                }
                Shape::Jump { .. } => {
                    let e = &mut self.entries[o.index];
                    e.fd = f64::NAN;
                    e.comparison = Some(judge::ruled(&g, f64::NAN, Verdict::Discontinuous));
                }
                Shape::Edge(e) => {
                    self.entries[o.index].fd = e.map_or(f64::NAN, |e| e.value);
                    let value = self.entries[o.index].fd;
                    self.entries[o.index].comparison = Some(judge::ruled(&g, value, Verdict::OutOfDomain));
                }
                Shape::Unresolved => {
                    let value = self.entries[o.index].fd;
                    let status = if value.is_nan() { Verdict::Unchecked } else { Verdict::Unsure };
                    self.entries[o.index].comparison = Some(judge::ruled(&g, value, status));
                }
            }
        }
    }

    /// The derivatives in double-double of every row and column with an open entry.
    fn find_exact(&mut self, auto: &mut Automatic, inputs: &[Datum], open: &mut [Open], shop: &mut Shop) {
        let n = self.columns.len();
        let programs = [self.programs.vjp, self.programs.jvp];
        for (mode, program) in programs.into_iter().enumerate() {
            let Some(program) = program else { continue };
            let made = auto.exact[mode].get_or_insert_with(|| Exact::new(shop, program));
            let Some(exact) = made else { continue };
            let line = |o: &Open| if mode == 0 { o.index / n } else { o.index % n };
            let mut lines: Vec<usize> = open.iter().map(line).collect();
            lines.sort_unstable();
            lines.dedup();
            for at in lines {
                let seed: Place = if mode == 0 { self.cotangents[at] } else { self.tangents[at] };
                if !exact.run(shop, inputs, &[(seed, 1.0)]) {
                    continue;
                }
                for o in open.iter_mut().filter(|o| line(o) == at) {
                    let place =
                        if mode == 0 { &self.gradients[o.index % n] } else { &self.dots[o.index / n] };
                    let x = exact.read(place);
                    o.exact[mode] = x.is_finite().then_some(x);
                }
            }
        }
    }

    /// By open entry: how much its exact derivative changes with rounding of the inputs.
    fn conditioning(
        &mut self,
        auto: &mut Automatic,
        inputs: &[Datum],
        open: &[Open],
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) -> Vec<f64> {
        let mut out = vec![0.0f64; open.len()];
        let p = auto.precision;
        // Only where it is asked for.
        let asked = |unit: &Unit, o: &Open| {
            let g = unit.derivatives(o.index);
            g.zip(o.exact.into_iter().flatten()).any(|(g, x)| (g - x).abs() > p.imprecise * x.abs())
        };
        if !open.iter().any(|o| asked(self, o)) {
            return out;
        }
        for turn in 0..PERTURBED - 1 {
            let moved = self.perturbed(inputs, (seed, number, turn));
            let mut there: Vec<Open> =
                open.iter().map(|o| Open { index: o.index, exact: [None, None] }).collect();
            self.find_exact(auto, &moved, &mut there, shop);
            for ((worst, a), b) in out.iter_mut().zip(open).zip(&there) {
                for (x, y) in a.exact.iter().zip(&b.exact) {
                    if let (Some(x), Some(y)) = (x, y) {
                        *worst = worst.max((x - y).abs());
                    }
                }
            }
        }
        out
    }

    /// Whether the formulas of the derivative, rounding aside, give the difference.
    fn formula_holds(&self, o: &Open, e: &Estimate) -> bool {
        let mut known = o.exact.into_iter().flatten().peekable();
        known.peek().is_some()
            && known.all(|x| (x - e.value).abs() <= e.bound() + 2.0 * f64::EPSILON * x.abs())
    }

    /// An entry whose formula is right: what its rounding amounts to.
    fn rounded(&mut self, auto: &Automatic, o: &Open, e: &Estimate, conditioned: f64) {
        let p = auto.precision;
        let g: Vec<f64> = self.derivatives(o.index).collect();
        let exact = o.exact.into_iter().flatten().next().expect("the formula was evaluated");
        let error = g.iter().map(|g| (g - exact).abs()).fold(0.0, f64::max);
        self.entries[o.index].fd = e.value;
        self.entries[o.index].exact = Some(exact);
        let least = judge::ULPS * p.epsilon * self.modulus(o.index).max(exact.abs());
        let mut c = judge::compare(&g, e, least.max(2.0 * error), f64::INFINITY);
        if c.status == Verdict::Ok {
            let excuse = || 32.0 * conditioned + self.noise_of(auto, o.index);
            c.status = judge::rounding(error, exact, excuse, p);
        }
        self.entries[o.index].comparison = Some(c);
    }

    /// What noise of the function's value over the input's scale amounts to in an entry: no derivative has to be better.
    fn noise_of(&self, auto: &Automatic, index: usize) -> f64 {
        let n = self.columns.len();
        let (row, column) = (index / n, index % n);
        // Arrays as a whole: entries of a result that cancel exactly have the noise of the others.
        let same = |r: &usize| self.rows[*r].index == self.rows[row].index;
        let gap = (0..self.rows.len()).filter(same).map(|r| auto.oracle.table.gap(r)).fold(0.0, f64::max);
        let part = auto.precision.epsilon / f64::EPSILON;
        16.0 * part * gap / auto.scales[column]
    }

    /// Derivatives that disagree with a difference: an error only if a second ladder says so, too.
    fn disagrees(&mut self, auto: &Automatic, o: &Open, e: &Estimate, second: Shape) {
        let g: Vec<f64> = self.derivatives(o.index).collect();
        self.entries[o.index].fd = e.value;
        let least = judge::ULPS * auto.precision.epsilon * self.modulus(o.index);
        let spread = if auto.spread.is_empty() { 0.0 } else { 10.0 * auto.spread[o.index] };
        // Where the formula could be evaluated without rounding, rounding is no excuse for it.
        let wrong = |x: Option<f64>| {
            x.is_some_and(|x| (x - e.value).abs() > e.bound() + 2.0 * f64::EPSILON * x.abs())
        };
        let formula = o.exact.iter().any(|x| wrong(*x));
        let mut c = judge::compare(&g, e, if formula { least } else { least.max(spread) }, 0.0);
        if c.status.failing() {
            let confirmed = match second {
                Shape::Smooth(other) => {
                    let apart = 2.0 * (e.value - other.value).abs();
                    let tol = c.tol.max(other.bound() + least) + apart;
                    g.iter().any(|g| (g - e.value).abs() > tol && (g - other.value).abs() > tol)
                }
                _ => false,
            };
            if !confirmed {
                c.status = Verdict::Unsure;
            }
        }
        self.entries[o.index].comparison = Some(c);
    }

    /// What ladders of steps say about the entries.
    fn ladders(
        &mut self,
        auto: &mut Automatic,
        inputs: &[Datum],
        indices: &[usize],
        part: f64,
        live: bool,
        shop: &mut Shop,
    ) -> Vec<Shape> {
        let n = self.columns.len();
        let mut ladders: Vec<Vec<Rung>> = vec![Vec::new(); indices.len()];
        let wanted: Vec<bool> = {
            let mut wanted = vec![false; n];
            indices.iter().for_each(|i| wanted[i % n] = true);
            wanted
        };
        for pair in 0..if live { LIVE } else { REPLAYED } {
            let offsets: Vec<[f64; 4]> = (self.columns.iter().enumerate())
                .map(|(k, c)| {
                    let h = auto.scales[k] * part * 0.125 * 16f64.powi(-pair);
                    let z = inputs[c.index].get(c.entry).to_c128();
                    let inside = |t: f64| {
                        let moved = match c.part {
                            Part::Whole | Part::Re => Complex64::new(z.re + 2.0 * t, z.im),
                            Part::Im => Complex64::new(z.re, z.im + 2.0 * t),
                        };
                        // An offset of 0 has the slope 0/0.
                        if self.domains[c.index].is_none_or(|d| d.contains(moved)) { t } else { 0.0 }
                    };
                    if wanted[k] {
                        [inside(h), inside(-h), inside(h / 4.0), inside(-h / 4.0)]
                    } else {
                        [0.0; 4]
                    }
                })
                .collect();
            auto.oracle.run_coordinates(shop, inputs, live, &self.columns, &offsets);
            for (ladder, index) in ladders.iter_mut().zip(indices) {
                let (row, column) = (index / n, index % n);
                let s = auto.oracle.table.slopes(column, row);
                let h = auto.scales[column] * part * 0.125 * 16f64.powi(-pair);
                ladder.extend(rungs([h, -h, h / 4.0, -h / 4.0], s, 2.0 * auto.oracle.noise(row)));
            }
        }
        ladders.iter().map(|l| oracle::shape(l)).collect()
    }
}

/// Two rungs from the slopes at +h, −h, +h/4, −h/4.
fn rungs(t: [f64; 4], s: [f64; 4], noise: f64) -> [Rung; 2] {
    let rung = |k: usize| Rung { h: t[k].abs(), right: s[k], left: s[k + 1], noise };
    [rung(0), rung(2)]
}
