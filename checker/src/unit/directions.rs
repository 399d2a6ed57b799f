//! Fast mode under automatic tolerances (CHECKER B §2.6): J·u as a whole vector along directions of ±1.

use super::automatic::{At, Automatic, PERTURBED, rungs};
use super::narrow::Miss;
use super::resolve::{self, Branch, Ladder, Noise, Source};
use super::{ProbeData, Unit};
use crate::cells::{clear, load, read, write};
use crate::compare::Comparison;
use crate::coordinates::{Coordinate, Part};
use crate::judge::{Case, Precision};
use crate::oracle::{self, Estimate, Rung, Shape, Shop};
use crate::random::{Purpose, Stream};
use crate::runner::Engine;
use crate::underflow;
use crate::verdict::{Severity, Verdict};
use adc_ir::*;

/// Inputs whose scales are further apart than this are not moved by the same step: it would be nothing for one of them, or
/// everything for the other.
const SAME_STEP: f64 = (1u64 << 20) as f64;
/// The largest component of a direction.
const LONGEST: f64 = 1e300;

/// A direction by column, each component a power of two or 0; the scale of its steps; and whether the declared domains
/// leave only one side of it.
pub(super) struct Direction {
    pub u: Vec<f64>,
    pub scale: f64,
    pub aside: bool,
}

impl Unit {
    /// Fills [`Self::probes`]: the JVP against the oracle along `count` directions. A single wrong entry is seen at its
    /// full size in one of them, any wrong row with probability ½ in each.
    pub(crate) fn judge_directions(
        &mut self,
        at: At,
        count: u64,
        shop: &mut Shop,
    ) -> Result<(), RuntimeError> {
        self.probes.clear();
        self.missed = None;
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        let mut done = Ok(());
        for probe in 0..count {
            // A miss is one, however many directions see it.
            if self.missed.is_some() {
                break;
            }
            let signs = self.rademacher(at, probe);
            let usual = self.direction(at, &signs, oracle::scale);
            let own = self.direction(at, &signs, oracle::own_scale);
            match self.probe(&mut auto, at, (usual, own), shop) {
                Ok(results) => self.keep_worst(probe, &results),
                Err(error) => {
                    done = Err(error);
                    break;
                }
            }
        }
        self.automatic = Some(auto);
        done
    }

    /// By column ±1; of a complex number either the real or the imaginary part.
    pub(super) fn rademacher(&self, at: At, probe: u64) -> Vec<f64> {
        let mut s = Stream::new(at.seed, Purpose::Probe, [at.number, probe, self.order as u64]);
        let mut u = vec![0.0; self.columns.len()];
        let mut column = 0;
        while column < u.len() {
            let draw = s.below(4);
            let sign = if draw.is_multiple_of(2) { 1.0 } else { -1.0 };
            let complex = self.columns[column].part == Part::Re;
            u[column + (complex && draw >= 2) as usize] = sign;
            column += if complex { 2 } else { 1 };
        }
        u
    }

    /// A direction with these signs, pointing into the declared domains.
    pub(super) fn direction(&self, at: At, signs: &[f64], scale_of: fn(f64) -> f64) -> Direction {
        let number = |column: usize| {
            let c = self.columns[column];
            at.inputs[c.index].get(c.entry).to_c128()
        };
        let moved: Vec<usize> = (0..signs.len()).filter(|k| signs[*k] != 0.0).collect();
        let scales = moved.iter().map(|k| scale_of(number(*k).norm()));
        let scale = scales.clone().fold(f64::INFINITY, f64::min);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let mut d = Direction { u: signs.to_vec(), scale, aside: false };
        for (k, own) in moved.iter().copied().zip(scales) {
            let c = self.columns[k];
            let length = (own / scale / SAME_STEP).clamp(1.0, LONGEST);
            d.u[k] *= length;
            let room = |sign: f64| {
                let t = 2.0 * sign * length * scale * oracle::STEP;
                self.inside(c.index, c.part, number(k), t) != 0.0
            };
            let (up, down) = (room(1.0), room(-1.0));
            if !(up && down) {
                d.aside = true;
                d.u[k] = length * (up as i8 as f64 - down as i8 as f64);
            }
        }
        d
    }

    /// One probe along the usual direction, or where nothing comes of it because inputs are much smaller than the scale they
    /// are taken to have, along one with their own.
    fn probe(
        &mut self,
        auto: &mut Automatic,
        at: At,
        (usual, own): (Direction, Direction),
        shop: &mut Shop,
    ) -> Result<Vec<(f64, Comparison)>, RuntimeError> {
        let mut results = self.judge_along(auto, at, &usual, shop)?;
        let open = results.iter().any(|(_, c)| c.status.info().severity >= Severity::Unsure);
        if open && own.scale < usual.scale {
            let along = self.along.clone();
            let other = self.judge_along(auto, at, &own, shop)?;
            let count = |r: &[(f64, Comparison)]| r.iter().filter(|(_, c)| c.status != Verdict::Ok).count();
            match count(&other) < count(&results) {
                true => results = other,
                false => self.along = along,
            }
        }
        Ok(results)
    }

    /// J·u by JVP, into [`Self::along`].
    pub(super) fn run_along(
        &mut self,
        inputs: &[Datum],
        u: &[f64],
        engine: &mut Engine,
    ) -> Result<(), RuntimeError> {
        let jvp = self.jvp.as_mut().expect("probes have the JVP program");
        load(&mut jvp.inputs, inputs);
        jvp.inputs[inputs.len()..].iter_mut().for_each(clear);
        for (place, u) in self.tangents.iter().zip(u) {
            write(&mut jvp.inputs, place, *u);
        }
        jvp.run(engine)?;
        for (x, place) in self.along.iter_mut().zip(&self.dots) {
            *x = read(&jvp.outputs, place);
        }
        Ok(())
    }

    /// By row: the difference along a direction, and the comparison of the JVP with it.
    fn judge_along(
        &mut self,
        auto: &mut Automatic,
        at: At,
        d: &Direction,
        shop: &mut Shop,
    ) -> Result<Vec<(f64, Comparison)>, RuntimeError> {
        self.run_along(at.inputs, &d.u, shop.engine)?;
        let estimates = self.differences(auto, at, d, shop);
        let p = auto.precision;
        let mut cases: Vec<Case> =
            (0..self.rows.len()).map(|row| self.case_along(auto, row, d, estimates[row])).collect();
        let mut results: Vec<Option<(f64, Comparison)>> = cases.iter().map(|c| settle(c, p)).collect();
        if results.iter().any(Option::is_none) {
            for (case, spread) in cases.iter_mut().zip(self.spread_along(at, d, shop)) {
                case.spread = spread;
            }
            for (result, case) in results.iter_mut().zip(&cases) {
                *result = result.take().or_else(|| settle(case, p));
            }
        }
        let open: Vec<usize> = (0..cases.len()).filter(|row| results[*row].is_none()).collect();
        if !open.is_empty() {
            let mut cases: Vec<Case> = open.iter().map(|row| cases[*row]).collect();
            let mut source = Rows { unit: self, auto, at, d, rows: &open, shop };
            let rulings = resolve::resolve(&mut source, &mut cases, p);
            for (row, ruling) in open.iter().zip(rulings) {
                results[*row] = Some((ruling.value, ruling.comparison));
            }
        }
        Ok(results.into_iter().flatten().collect())
    }

    pub(super) fn case_along(
        &self,
        auto: &Automatic,
        row: usize,
        d: &Direction,
        primary: Option<Estimate>,
    ) -> Case {
        let modulus = match self.rows[row].part {
            Part::Whole => self.along[row].abs(),
            Part::Re => self.along[row].hypot(self.along[row + 1]),
            Part::Im => self.along[row].hypot(self.along[row - 1]),
        };
        Case {
            derivatives: [None, Some(self.along[row])],
            exact: [None, None],
            primary,
            modulus,
            spread: 0.0,
            largest: 0.0,
            small: auto.small(row, d.scale),
        }
    }

    /// The primary differences along a direction, by row.
    pub(super) fn differences(
        &self,
        auto: &mut Automatic,
        at: At,
        d: &Direction,
        shop: &mut Shop,
    ) -> Vec<Option<Estimate>> {
        // Where the oracle is as coarse as a double, steps have to be wide.
        if !auto.oracle.holes.is_empty() {
            return vec![None; self.rows.len()];
        }
        let h = d.scale * oracle::STEP;
        let offsets = match d.aside {
            true => [h, 2.0 * h, h / 4.0, h / 2.0],
            false => [h, -h, h / 4.0, -h / 4.0],
        };
        auto.oracle.run_along(shop, at.inputs, true, &d.u, &offsets);
        let difference = |row: usize| {
            let (s, noise) = (auto.oracle.table.slopes(0, row), 2.0 * auto.oracle.noise(row));
            if d.aside {
                return oracle::two_steps_aside([s[0], s[1]], [s[2], s[3]], h / 4.0, noise);
            }
            let [wide, close] = rungs([h, h / 4.0], s, noise);
            oracle::two_steps(&wide, &close)
        };
        (0..self.rows.len()).map(difference).collect()
    }

    /// By row: how far J·u at inputs changed by rounding is from that at the inputs.
    fn spread_along(&mut self, at: At, d: &Direction, shop: &mut Shop) -> Vec<f64> {
        let derivative = self.along.clone();
        let mut spread = vec![0.0f64; derivative.len()];
        for turn in 0..PERTURBED {
            let moved = self.perturbed(at, turn);
            if shop.engine.aside(|e| self.run_along(&moved, &d.u, e)).is_ok() {
                for ((s, d), x) in spread.iter_mut().zip(&derivative).zip(&self.along) {
                    let apart = (x - d).abs();
                    *s = if apart.is_finite() { s.max(apart) } else { *s };
                }
            }
        }
        self.along = derivative;
        spread
    }

    /// Of an array output the entry that says most; and the row that misses by most.
    fn keep_worst(&mut self, probe: u64, results: &[(f64, Comparison)]) {
        for (row, (_, c)) in results.iter().enumerate().filter(|(_, (_, c))| c.status.failing()) {
            if self.missed.is_none_or(|m| c.ratio > m.ratio) {
                self.missed = Some(Miss { probe, row, ratio: c.ratio });
            }
        }
        for rows in self.row_blocks.clone() {
            let mut worst: Option<ProbeData> = None;
            for j in 0..rows.len {
                let row = rows.at(j);
                let (fd, comparison) = results[row];
                let array = !self.result_shapes[rows.block.index].is_empty();
                let probe = ProbeData {
                    input: None,
                    output: rows.block.index,
                    entry: array.then_some(j),
                    part: rows.block.part,
                    mode: Mode::Forward,
                    derivative: self.along[row].into(),
                    fd: fd.into(),
                    comparison,
                };
                if worst.is_none_or(|w| super::fixed::worse(&comparison, &w.comparison)) {
                    worst = Some(probe);
                }
            }
            self.probes.extend(worst);
        }
    }
}

/// The comparison with the primary difference, if it settles the case.
fn settle(case: &Case, p: Precision) -> Option<(f64, Comparison)> {
    if case.is_broken() {
        let value = case.primary.map_or(f64::NAN, |e| e.value);
        return Some((value, case.ruled(value, Verdict::NonFinite)));
    }
    let e = case.primary?;
    case.agrees(&e, p).filter(|c| case.is_settled(&e, c, p)).map(|c| (e.value, c))
}

/// Some rows of J·u at a point.
pub(super) struct Rows<'a, 'b> {
    pub unit: &'a Unit,
    pub auto: &'a mut Automatic,
    pub at: At<'a>,
    pub d: &'a Direction,
    pub rows: &'a [usize],
    pub shop: &'a mut Shop<'b>,
}

impl Rows<'_, '_> {
    fn run(&mut self, live: bool, offsets: [f64; 4]) {
        self.auto.oracle.run_along(self.shop, self.at.inputs, live, &self.d.u, &offsets);
    }

    /// The offset if it leaves no declared domain, else 0.
    fn inside(&self, t: f64) -> f64 {
        let unit = self.unit;
        let stays = |(c, u): (&Coordinate, &f64)| {
            let z = self.at.inputs[c.index].get(c.entry).to_c128();
            unit.inside(c.index, c.part, z, t * u) != 0.0
        };
        let mut moved = unit.columns.iter().zip(&self.d.u).filter(|(_, u)| **u != 0.0);
        if moved.all(stays) { t } else { 0.0 }
    }

    fn formulas(&mut self, inputs: &[Datum], u: &[f64], rounded: bool) -> Vec<[Option<f64>; 2]> {
        let (unit, mode) = (self.unit, 1);
        let seeds: Vec<_> = unit.tangents.iter().copied().zip(u.iter().copied()).collect();
        let exact = self.auto.exactly(mode, unit.programs.jvp, rounded, self.shop);
        let Some(exact) = exact else { return vec![[None, None]; self.rows.len()] };
        let known = exact.run(self.shop, inputs, &seeds);
        let value = |row: &usize| Some(exact.read(&unit.dots[*row])).filter(|x| known && x.is_finite());
        self.rows.iter().map(|row| [None, value(row)]).collect()
    }
}

impl Source for Rows<'_, '_> {
    /// With a turn, the direction is rounded otherwise, too: columns that cancel in J·u do so by chance.
    fn exact(&mut self, turn: Option<u64>) -> Vec<[Option<f64>; 2]> {
        let Some(turn) = turn else { return self.formulas(self.at.inputs, &self.d.u, false) };
        let name = [self.at.number, turn, 2 + self.unit.order as u64];
        let mut s = Stream::new(self.at.seed, Purpose::Rounding, name);
        let epsilon = self.auto.precision.epsilon;
        let u: Vec<f64> = self.d.u.iter().map(|u| u * (1.0 + s.ulps() * epsilon)).collect();
        self.formulas(&self.unit.perturbed(self.at, turn), &u, false)
    }

    fn exact_with_other_constants(&mut self) -> Vec<[Option<f64>; 2]> {
        self.formulas(self.at.inputs, &self.d.u, true)
    }

    fn ladder(&mut self, ladder: Ladder) -> Vec<Shape> {
        let mut rungs_of: Vec<Vec<Rung>> = vec![Vec::new(); self.rows.len()];
        for pair in 0..ladder.pairs() {
            let steps = ladder.steps(pair).map(|h| h * self.d.scale);
            let offsets = [steps[0], -steps[0], steps[1], -steps[1]].map(|t| self.inside(t));
            self.run(ladder.live, offsets);
            for (row, list) in self.rows.iter().zip(&mut rungs_of) {
                let slopes = self.auto.oracle.table.slopes(0, *row);
                list.extend(rungs(steps, slopes, 2.0 * self.auto.oracle.noise(*row)));
            }
        }
        rungs_of.iter().map(|r| oracle::shape(r)).collect()
    }

    /// That is a direction of its own.
    fn has_own_scale(&self, _: usize) -> bool {
        false
    }

    fn has_no_steps(&self, _: usize) -> bool {
        let number = |c: &Coordinate| self.at.inputs[c.index].get(c.entry).to_c128().norm();
        let moved = self.unit.columns.iter().zip(&self.d.u).filter(|(_, u)| **u != 0.0);
        moved.map(|(c, _)| number(c)).any(underflow::is_lossy)
    }

    fn is_bounded(&self, _: usize) -> bool {
        self.d.aside
    }

    fn noise(&mut self) -> Vec<Noise> {
        let mut noises = vec![Noise::default(); self.rows.len()];
        for offsets in oracle::NOISE_PROBES {
            self.run(true, offsets.map(|t| self.inside(t * self.d.scale)));
            for (noise, row) in noises.iter_mut().zip(self.rows) {
                noise.raise(self.unit.noise(self.auto, *row, self.d.scale, self.d.scale));
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
