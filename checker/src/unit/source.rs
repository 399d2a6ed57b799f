//! The numbers about some derivatives at one point: differences along displacements, the derivatives' formulas in
//! double-double, and bounds of their rounding.

use super::automatic::{At, Automatic, ValueBounds, sequence_slopes};
use super::displacement::Displacement;
use super::{TRACED, Unit};
use crate::coordinates::Coordinate;
use crate::judge::is_sane;
use crate::margins::{self, EventKind};
use crate::oracle::{self, Estimate, Moved, Shape, StepSlopes, Toolchain};
use crate::random::{Purpose, Stream};
use crate::running::{Rounding, Running, Steps};
use crate::slots::Slot;
use crate::underflow;
use adc_ir::*;
use adc_jit::Externs;

/// The maximum number of derivative programs whose rounding is analysed at a point.
const ANALYSED: usize = 128;

/// A value with more rounding than this loses digits; in units of its last place.
const FEW_ULPS: f64 = 64.0;

/// The seeded numbers of a derivative program, with their seeds.
type Seeds = Vec<(Slot, f64)>;

/// A sequence of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepSequence {
    /// Whether decisions are made at the displaced point, else at the centre.
    pub live: bool,
    /// The scale of the displacement that the steps are parts of: the usual one, or one of the others.
    pub other: Option<usize>,
    /// The steps are this part of the usual ones.
    pub part: f64,
}

impl StepSequence {
    pub(super) const LIVE: StepSequence = StepSequence { live: true, other: None, part: 1.0 };
    pub(super) const REPLAYED: StepSequence = StepSequence { live: false, ..StepSequence::LIVE };
    /// Its widest step, as a part of the scale.
    const WIDEST: f64 = 0.125;
    /// How many pairs of steps have to agree before a sequence is enough: extrapolated five times, down to 2⁻¹⁷ of the
    /// scale.
    const SHORTEST: i32 = 4;

    /// The two steps of a pair, as parts of the scale.
    fn steps(&self, pair: i32) -> [f64; 2] {
        let h = self.part * StepSequence::WIDEST * 16f64.powi(-pair);
        [h, h / 4.0]
    }

    /// With live decisions steps go down to 2⁻⁴⁹ of the scale: smaller ones would not change the double-precision program,
    /// which decides. With those of the centre, down to 2⁻⁹³.
    fn pairs(&self) -> i32 {
        if self.live { 12 } else { 23 }
    }

    fn scale(&self, d: &Displacement) -> f64 {
        self.other.map_or(d.scale, |k| d.others.get(k).copied().unwrap_or(0.0))
    }
}

/// Whether decisions are exactly at their threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Branch {
    No,
    /// Only decisions on the sign of a zero, on a branch cut: the value belongs to one side.
    Cut,
    Here,
}

/// Some derivatives at a point: each of a row along a displacement.
pub(super) struct Source<'a, 'b> {
    pub unit: &'a Unit,
    pub auto: &'a mut Automatic,
    pub at: At<'a>,
    pub displacements: &'a [Displacement],
    /// Displacement and row of every case.
    pub cases: &'a [(usize, usize)],
    pub tools: &'a mut Toolchain<'b>,
}

impl Source<'_, '_> {
    pub(super) fn displacement(&self, case: usize) -> &Displacement {
        &self.displacements[self.cases[case].0]
    }

    /// Differences at offsets of every displacement of a case, in units of `scale`; none where they leave the domain. Only
    /// for the cases that are `open`. By displacement, its number in the table.
    fn run(
        &mut self,
        live: bool,
        open: &[bool],
        scale: impl Fn(&Displacement) -> f64,
        offsets: [f64; 4],
    ) -> Vec<usize> {
        let mut number = vec![usize::MAX; self.displacements.len()];
        let mut list: Vec<(&Moved, [f64; 4])> = Vec::new();
        for ((d, _), _) in self.cases.iter().zip(open).filter(|(_, open)| **open) {
            if number[*d] == usize::MAX {
                number[*d] = list.len();
                let displacement = &self.displacements[*d];
                let scale = scale(displacement);
                let within = |t: f64| self.unit.within(self.at.inputs, &displacement.moved, t * scale);
                list.push((&displacement.moved, offsets.map(within)));
            }
        }
        self.auto.oracle.run(self.tools, self.at.inputs, live, &self.unit.columns, &list);
        number
    }

    /// The result of a step sequence, by case. It ends for the cases for which its wide steps are `enough`.
    pub(super) fn sequence(
        &mut self,
        sequence: StepSequence,
        enough: impl Fn(usize, &Estimate) -> bool,
    ) -> Vec<Shape> {
        let mut rungs_of: Vec<Vec<StepSlopes>> = vec![Vec::new(); self.cases.len()];
        let mut open = vec![true; self.cases.len()];
        for pair in 0..sequence.pairs() {
            let [h, quarter] = sequence.steps(pair);
            if pair >= StepSequence::SHORTEST && !self.auto.oracle.is_coarse() {
                for (k, (sequence_slopes, open)) in
                    rungs_of.iter().zip(&mut open).enumerate().filter(|(_, (_, open))| **open)
                {
                    *open = !matches!(oracle::shape(sequence_slopes), Shape::Smooth(e) if enough(k, &e));
                }
                if !open.contains(&true) {
                    break;
                }
            }
            let number = self.run(sequence.live, &open, |d| sequence.scale(d), [h, -h, quarter, -quarter]);
            let cases = self.cases.iter().zip(&mut rungs_of).zip(&open).filter(|(_, open)| **open);
            for (((d, row), list), _) in cases {
                let scale = sequence.scale(&self.displacements[*d]);
                let slopes = self.auto.oracle.table.slopes(number[*d], *row);
                let noise = 2.0 * self.auto.oracle.noise(*row);
                list.extend(sequence_slopes([h * scale, quarter * scale], slopes, noise));
            }
        }
        if self.auto.oracle.is_coarse() {
            rungs_of.iter_mut().for_each(|l| oracle::measure_noise(l));
        }
        rungs_of.iter().map(|l| oracle::shape(l)).collect()
    }

    /// The formulas in double-double by VJP and by JVP, by case.
    pub(super) fn exact(&mut self) -> Vec<[Option<f64>; 2]> {
        self.formulas(&self.all(), self.at.inputs, 0.0, None)
    }

    fn all(&self) -> Vec<usize> {
        (0..self.cases.len()).collect()
    }

    /// The same at inputs, and along a direction, that are changed by rounding: columns that cancel in J·u do so by chance.
    /// For the `wanted` cases.
    pub(super) fn exact_nearby(&mut self, draw: u64, wanted: &[usize]) -> Vec<[Option<f64>; 2]> {
        let inputs = self.unit.perturbed(self.at, draw);
        let name = [self.at.number, draw, 2 + self.unit.order as u64];
        let mut s = Stream::new(self.at.seed, Purpose::Rounding, name);
        let by = s.ulps() * self.auto.precision.epsilon;
        self.formulas(wanted, &inputs, by, None)
    }

    /// The same with constants changed by rounding in a pattern.
    pub(super) fn exact_with_other_constants(&mut self, pattern: usize) -> Vec<[Option<f64>; 2]> {
        self.formulas(&self.all(), self.at.inputs, 0.0, Some(pattern))
    }

    /// A run for each row by VJP, and one for each displacement by JVP. Components of a direction are `tilted` by this part
    /// of themselves, in either direction.
    fn formulas(
        &mut self,
        wanted: &[usize],
        inputs: &[Datum],
        tilted: f64,
        rounded: Option<usize>,
    ) -> Vec<[Option<f64>; 2]> {
        let mut out = vec![[None, None]; self.cases.len()];
        let unit = self.unit;
        for mode in [0, 1] {
            let runs = self.runs(wanted, mode, tilted);
            let program = [unit.programs.vjp, unit.programs.jvp][mode];
            let Some(exact) = self.auto.exactly(mode, program, rounded, self.tools) else { continue };
            for (seeds, cases) in runs {
                if !exact.run(self.tools, inputs, &seeds) {
                    continue;
                }
                for k in cases {
                    let x = exact.read(unit.result_of(mode, self.displacements, self.cases[k]));
                    out[k][mode] = Some(x).filter(|x| x.is_finite());
                }
            }
        }
        out
    }

    /// The rounding of the derivative program of a mode, by case, for the `wanted` ones; unknown if there are too many of
    /// them.
    pub(super) fn rounding(&mut self, wanted: &[usize], mode: usize) -> Vec<Option<Rounding>> {
        let mut out = vec![None; self.cases.len()];
        let unit = self.unit;
        let Some(program) = [unit.programs.vjp, unit.programs.jvp][mode] else { return out };
        for (seeds, cases) in self.runs(wanted, mode, 0.0).into_iter().take(ANALYSED) {
            let args = unit.seeded_arguments(mode, self.at.inputs, &seeds);
            let steps = self.auto.steps(self.tools.module, unit.programs.source);
            let context = (&*self.tools.module, &self.tools.engine.externs);
            let Some(running) = Running::of(context, program, steps, &args) else { break };
            for k in cases {
                let place = unit.result_of(mode, self.displacements, self.cases[k]);
                out[k] = Some(running.at(place));
            }
        }
        out
    }

    /// The mode that needs fewer runs for all cases.
    pub(super) fn cheaper_mode(&self) -> usize {
        usize::from(self.unit.rows.len() > self.displacements.len())
    }

    /// Runs of a derivative program: its seeds, with those of the `wanted` cases that each run answers.
    fn runs(&self, wanted: &[usize], mode: usize, tilted: f64) -> Vec<(Seeds, Vec<usize>)> {
        let unit = self.unit;
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for (k, (d, row)) in wanted.iter().map(|k| (*k, self.cases[*k])) {
            // For a direction, forward mode gives the derivative in one run.
            let column = matches!(self.displacements[d].moved, Moved::Column(_));
            if mode == 1 || column {
                lines.push((if mode == 0 { row } else { d }, k));
            }
        }
        lines.sort_unstable();
        let seeds = |line: usize| match mode {
            0 => vec![(unit.cotangents[line], 1.0)],
            _ => {
                let component = |(n, (column, u)): (usize, (usize, f64))| {
                    let by = if n % 2 == 0 { tilted } else { -tilted };
                    (unit.tangents[column], u * (1.0 + by))
                };
                let list = unit.components(&self.displacements[line].moved);
                let tilts = list.len() > 1;
                list.into_iter()
                    .enumerate()
                    .map(|(n, c)| if tilts { component((n, c)) } else { (unit.tangents[c.0], c.1) })
                    .collect()
            }
        };
        lines
            .chunk_by(|a, b| a.0 == b.0)
            .map(|l| (seeds(l[0].0), l.iter().map(|(_, k)| *k).collect()))
            .collect()
    }

    /// The rounding of the function's values, by row; `None` if unknown.
    fn value_bounds(&mut self) -> Option<&ValueBounds> {
        let unit = self.unit;
        if self.auto.value_bounds.is_none() {
            let steps = self.auto.steps(self.tools.module, unit.programs.source);
            let context = (&*self.tools.module, &self.tools.engine.externs);
            let running = Running::of(context, unit.programs.func, steps, self.at.inputs);
            let bounds = running.map(|running| {
                let place = |row: &Coordinate| Slot { at: row.index, entry: row.entry, part: row.part };
                let rows: Vec<Rounding> = unit.rows.iter().map(|row| running.at(&place(row))).collect();
                ValueBounds {
                    rows: rows.iter().map(|r| r.total()).collect(),
                    underflow: rows.iter().map(|r| r.underflow).collect(),
                    largest: running.largest,
                }
            });
            self.auto.value_bounds = Some(bounds);
        }
        self.auto.value_bounds.as_ref().and_then(Option::as_ref)
    }

    /// Gives the oracle bounds of the rounding of the function's values, which replace what it observed at its points.
    /// Whether they are known.
    pub(super) fn bound_values(&mut self) -> bool {
        let Some(bounds) = self.value_bounds() else { return false };
        let rows = bounds.rows.iter().map(|b| if b.is_finite() { *b } else { 0.0 }).collect();
        (self.auto.oracle.largest, self.auto.oracle.bounds) = (bounds.largest, rows);
        true
    }

    /// Whether the bound of the rounding of the value of a case's row is small enough to mean something beside that value.
    pub(super) fn bound_is_sane(&mut self, case: usize) -> bool {
        let row = self.cases[case].1;
        self.value_bounds().is_some_and(|bounds| is_sane(bounds.rows[row], bounds.largest))
    }

    /// Lets the oracle use its own observations again.
    pub(super) fn forget_bounds(&mut self) {
        self.auto.oracle.bounds.clear();
    }

    /// Whether the value of a case's row loses digits by itself, or so many that a derivative of this size does not show in
    /// it.
    pub(super) fn value_is_lossy(&mut self, case: usize, derivative: f64) -> bool {
        let row = self.cases[case].1;
        let ulp = self.auto.precision.epsilon * self.auto.oracle.table.size(row);
        let hidden = derivative.abs() * self.displacement(case).scale < ulp;
        hidden || self.value_bounds().is_none_or(|bounds| bounds.rows[row] > FEW_ULPS * ulp)
    }

    /// Below this the derivative of a case counts as zero.
    pub(super) fn small(&self, case: usize) -> f64 {
        self.auto.small(self.cases[case].1, self.displacement(case).scale)
    }

    /// Whether a displaced input of a case is so near 0 that there are no smaller steps.
    pub(super) fn has_no_steps(&self, case: usize) -> bool {
        let list = self.unit.components(&self.displacement(case).moved);
        list.iter().any(|(column, _)| underflow::is_lossy(self.unit.number(self.at.inputs, *column).norm()))
    }

    /// Whether the displaced inputs of a case have declared domains.
    pub(super) fn is_bounded(&self, case: usize) -> bool {
        match &self.displacement(case).moved {
            Moved::Column(column) => self.unit.domains[self.unit.columns[*column].index].is_some(),
            Moved::Along(_) => self.displacement(case).aside,
        }
    }

    pub(super) fn branch(&mut self) -> Branch {
        self.unit.branch(self.at.inputs, self.tools)
    }

    /// Whether the run meets numbers whose double-doubles lose digits.
    pub(super) fn underflows(&mut self) -> bool {
        self.unit.underflows(self.at.inputs, self.tools)
    }

    /// Runs `f` with differences that are assumed no better than doubles, and than the value after underflow.
    pub(super) fn coarsely<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let underflow = self.value_bounds().map(|bounds| bounds.underflow.clone());
        self.auto.oracle.underflow = underflow.unwrap_or_default();
        self.auto.oracle.coarse = true;
        let result = f(self);
        self.auto.oracle.coarse = false;
        self.auto.oracle.underflow.clear();
        result
    }

    /// The same derivatives at inputs changed by rounding, by a step sequence.
    pub(super) fn sequence_nearby(&mut self, sequence: StepSequence, draw: u64) -> Vec<Shape> {
        let inputs = self.unit.perturbed(self.at, draw);
        let at = At { inputs: &inputs, ..self.at };
        let (unit, displacements, cases) = (self.unit, self.displacements, self.cases);
        let mut nearby =
            Source { unit, auto: &mut *self.auto, at, displacements, cases, tools: &mut *self.tools };
        nearby.sequence(sequence, |_, _| false)
    }
}

impl Unit {
    /// The rounding of an entry by one of its modes; `None` if unknown.
    pub(crate) fn entry_rounding(
        &self,
        (m, externs): (&Module, &Externs),
        inputs: &[Datum],
        (row, column): (usize, usize),
        mode: usize,
    ) -> Option<f64> {
        let (seed, place) = match mode {
            0 => (&self.cotangents[row], &self.gradients[column]),
            _ => (&self.tangents[column], &self.dots[row]),
        };
        let program = [self.programs.vjp, self.programs.jvp][mode]?;
        let args = self.seeded_arguments(mode, inputs, &[(*seed, 1.0)]);
        let running = Running::of((m, externs), program, &Steps::default(), &args)?;
        Some(running.at(place).total())
    }

    /// The location of the derivative of a case in the results of a mode's program.
    fn result_of(&self, mode: usize, displacements: &[Displacement], (d, row): (usize, usize)) -> &Slot {
        match (&displacements[d].moved, mode) {
            (Moved::Column(column), 0) => &self.gradients[*column],
            _ => &self.dots[row],
        }
    }

    /// Whether a run of the function or of its derivatives meets numbers whose double-doubles lose digits.
    pub(super) fn underflows(&self, inputs: &[Datum], tools: &Toolchain) -> bool {
        let programs = [Some(self.programs.func), self.programs.vjp, self.programs.jvp];
        programs.into_iter().flatten().any(|f| {
            let args = self.arguments(f, inputs, None);
            underflow::meets(tools.module, &tools.engine.externs, f, &args, TRACED)
        })
    }

    /// Whether a decision of the function is exactly at its threshold.
    pub(super) fn branch(&self, inputs: &[Datum], tools: &mut Toolchain) -> Branch {
        let traced = margins::trace(tools.module, &tools.engine.externs, self.programs.func, inputs, TRACED);
        // If nothing is known, it is assumed to be.
        let Ok(events) = traced else { return Branch::Here };
        let here = events.iter().filter(|e| e.kind != EventKind::Edge && e.margin == 0.0);
        here.fold(Branch::No, |found, e| match (found, e.kind) {
            (Branch::No | Branch::Cut, EventKind::Cut) => Branch::Cut,
            _ => Branch::Here,
        })
    }
}
