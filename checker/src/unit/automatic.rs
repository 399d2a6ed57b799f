//! Derivatives under automatic tolerances against the difference oracle. An entry of the Jacobian is a derivative along one
//! coordinate, a probe one along a direction; both are judged alike.
//!
//! The cheapest conclusive evidence decides: slopes at two steps of 2⁻⁴⁰ of the input's scale; then how far the derivative
//! changes if inputs are rounded differently; then [`resolve`], which evaluates its formula in double-double and takes
//! sequences of steps.

use super::Unit;
use super::displacement::Displacement;
use super::resolve::{self, Ruling};
use super::source::Source;
use crate::compare::Comparison;
use crate::constants;
use crate::coordinates::Part;
use crate::exact::{Exact, Exacts};
use crate::judge::{self, Case, Precision};
use crate::oracle::{self, Estimate, Moved, Oracle, StepSlopes, Toolchain};
use crate::random::{Purpose, Stream};
use crate::runner::Engine;
use crate::running::Steps;
use crate::slots::{round_all_otherwise, round_otherwise};
use crate::verdict::Verdict;
use adc_ir::*;

/// Number of runs at inputs changed by rounding, at most, from which the rounding of a derivative program is estimated.
const PERTURBED: usize = 3;

/// The state of a unit under automatic tolerances.
#[derive(Clone)]
pub(crate) struct Automatic {
    pub oracle: Oracle,
    pub precision: Precision,
    pub exact: Exacts,
    /// With constants changed by rounding.
    rounded: [Exacts; constants::PATTERNS],
    /// The instructions of the function, for running error analysis.
    steps: Option<Steps>,
    /// The rounding of the function's values at the current point, by row, once it was asked for; `None` if unknown.
    pub(super) value_bounds: Option<Option<ValueBounds>>,
    /// Scratch: what was judged last. It is large where there are many entries, and allocated once.
    pub(super) judged: Vec<Judged>,
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
            rounded: Default::default(),
            steps: None,
            value_bounds: None,
            judged: Vec::new(),
        }
    }

    /// A program in double-double, unchanged or with its constants changed by rounding in some pattern.
    pub(super) fn exactly(
        &mut self,
        mode: usize,
        program: Option<FuncId>,
        rounded: Option<usize>,
        tools: &mut Toolchain,
    ) -> Option<&mut Exact> {
        match rounded {
            None => self.exact.get(mode, || Exact::new(tools, program?)),
            Some(pattern) => self.rounded[pattern].get(mode, || {
                let other = constants::run(tools.module, program?, pattern)?;
                Exact::new(tools, other)
            }),
        }
    }

    /// The steps of the function that was differentiated.
    pub(super) fn steps(&mut self, m: &Module, source: FuncId) -> &Steps {
        self.steps.get_or_insert_with(|| Steps::of(m, source))
    }

    /// Below this a derivative of a row counts as zero: it is negligible compared with the terms of the function's value divided
    /// by the input's scale.
    pub(super) fn small(&self, row: usize, scale: f64) -> f64 {
        if self.oracle.is_coarse() {
            return 0.0;
        }
        // Bounds that have grown too large say nothing about the terms.
        let terms = (self.oracle.bound(row) / f64::EPSILON).min(self.oracle.largest);
        judge::small(self.oracle.table.size(row).max(self.oracle.table.gap(row)).max(terms), scale)
    }
}

/// The rounding of the function's values.
#[derive(Clone)]
pub(super) struct ValueBounds {
    pub rows: Vec<f64>,
    /// Its part by underflow, which is as large in double-double.
    pub underflow: Vec<f64>,
    /// The largest number that the function computes.
    pub largest: f64,
}

/// The verdict on one derivative: by the primary differences, or after all further evidence.
#[derive(Clone)]
pub(super) struct Judged {
    /// Row and displacement.
    pub row: usize,
    pub displacement: usize,
    /// `None` as long as it is open.
    ruling: Option<Ruling>,
    /// The value of the derivative's formula in double-double, if it was computed.
    pub exact: Option<f64>,
    /// The derivative by VJP and by JVP.
    pub by: [Option<f64>; 2],
}

impl Judged {
    pub fn is_open(&self) -> bool {
        self.ruling.is_none()
    }

    pub fn ruling(&self) -> &Ruling {
        self.ruling.as_ref().expect("all of them are judged")
    }
}

/// A derivative by VJP and by JVP, and the magnitude that its rounding is relative to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Derivative {
    pub by: [Option<f64>; 2],
    pub modulus: f64,
}

/// Computes the derivatives along some displacements at some inputs, by displacement and row. It may leave out displacements for
/// which `false` is passed.
pub(super) type Derivatives<'a> =
    &'a mut dyn FnMut(&mut Unit, &[Datum], &[bool], &mut Engine) -> Result<Vec<Derivative>, RuntimeError>;

impl Unit {
    /// Judges derivatives: of every row along every displacement, or of the one row. Those along directions after one that
    /// fails may stay open.
    pub(super) fn judge(
        &mut self,
        auto: &mut Automatic,
        at: At,
        displacements: &[Displacement],
        only: Option<usize>,
        tools: &mut Toolchain,
        derivatives: Derivatives,
    ) -> Result<Vec<Judged>, RuntimeError> {
        auto.oracle.bounds.clear();
        auto.value_bounds = None;
        let found = derivatives(self, at.inputs, &vec![true; displacements.len()], tools.engine)?;
        let estimates = self.primary(auto, at, displacements, tools);
        let rows = self.rows.len();
        let places: Vec<(usize, usize)> = (0..displacements.len() * rows)
            .map(|k| (k / rows, k % rows))
            .filter(|(_, row)| only.is_none_or(|r| r == *row))
            .collect();
        let p = auto.precision;
        let moduli: Vec<f64> = (0..found.len())
            .map(|k| found[k].modulus.max(self.modulus_of(&estimates, k / rows, k % rows)))
            .collect();
        let case = |auto: &Automatic, (d, row): (usize, usize), spread: &[f64]| {
            let k = d * rows + row;
            Case {
                derivatives: found[k].by,
                exact: [None, None],
                primary: estimates[k],
                modulus: moduli[k],
                spread: spread.get(k).copied().unwrap_or(0.0),
                small: auto.small(row, displacements[d].scale),
            }
        };
        let settle = |case: &Case| -> Option<Ruling> {
            let ruling = |value: f64, comparison: Comparison| Ruling { value, slopes: None, comparison };
            if case.is_broken() {
                let value = case.primary.map_or(f64::NAN, |e| e.value);
                return Some(ruling(value, case.ruled(value, Verdict::NonFinite)));
            }
            let e = case.primary?;
            case.agrees(&e, p).filter(|c| case.is_settled(&e, c, p)).map(|c| ruling(e.value, c))
        };
        let mut judged = std::mem::take(&mut auto.judged);
        judged.clear();
        judged.extend(places.iter().map(|&(displacement, row)| Judged {
            row,
            displacement,
            ruling: settle(&case(auto, (displacement, row), &[])),
            exact: None,
            by: found[displacement * rows + row].by,
        }));
        if judged.iter().any(Judged::is_open) {
            let mut spread = vec![0.0; found.len()];
            for draw in 0..PERTURBED {
                // Where a few changes explain what is seen, no more are made.
                let mut open = vec![false; displacements.len()];
                judged.iter().filter(|j| j.is_open()).for_each(|j| open[j.displacement] = true);
                if !open.contains(&true) {
                    break;
                }
                self.widen(&mut spread, (at, draw, &open), &found, tools.engine, derivatives);
                for (j, place) in judged.iter_mut().zip(&places).filter(|(j, _)| j.is_open()) {
                    j.ruling = settle(&case(auto, *place, &spread));
                }
            }
            let open: Vec<usize> = (0..places.len()).filter(|k| judged[*k].is_open()).collect();
            // Entries all at once; of directions, those after a failure stay open.
            let entries = displacements.iter().all(|d| matches!(d.moved, Moved::Column(_)));
            let mut cases: Vec<Case> = open.iter().map(|k| case(auto, places[*k], &spread)).collect();
            let mut rest = &mut cases[..];
            for open in open.chunk_by(|a, b| entries || places[*a].0 == places[*b].0) {
                let cases = rest.split_off_mut(..open.len()).expect("a case for each");
                let wanted: Vec<(usize, usize)> = open.iter().map(|k| places[*k]).collect();
                auto.oracle.bounds.clear();
                let mut source = Source { unit: self, auto, at, displacements, cases: &wanted, tools };
                let made = resolve::resolve(&mut source, cases, p);
                let fails = made.iter().any(|r| r.comparison.status.failing());
                for ((k, ruling), case) in open.iter().zip(made).zip(cases) {
                    (judged[*k].ruling, judged[*k].exact) = (Some(ruling), case.formula());
                }
                if fails {
                    break;
                }
            }
        }
        Ok(judged)
    }

    /// The primary differences, by displacement and row.
    pub(super) fn primary(
        &self,
        auto: &mut Automatic,
        at: At,
        displacements: &[Displacement],
        tools: &mut Toolchain,
    ) -> Vec<Option<Estimate>> {
        let list: Vec<(&Moved, [f64; 4])> = displacements.iter().map(|d| (&d.moved, d.offsets)).collect();
        auto.oracle.run(tools, at.inputs, true, &self.columns, &list);
        let mut out = Vec::new();
        for (k, d) in displacements.iter().enumerate() {
            for row in 0..self.rows.len() {
                let noise = 2.0 * auto.oracle.noise(row);
                let (t, s) = (d.offsets, auto.oracle.table.slopes(k, row));
                out.push(match d.aside {
                    true => oracle::two_steps_aside([s[0], s[1]], [s[2], s[3]], t[2].abs(), noise),
                    false => {
                        let [wide, close] = sequence_slopes([t[0], t[2]], s, noise);
                        oracle::two_steps(&wide, &close)
                    }
                });
            }
        }
        out
    }

    /// The magnitude of the primary difference, with the other part of the result if it is complex.
    fn modulus_of(&self, estimates: &[Option<Estimate>], d: usize, row: usize) -> f64 {
        let rows = match self.rows[row].part {
            Part::Whole => row..row + 1,
            Part::Re => row..row + 2,
            Part::Im => row - 1..row + 1,
        };
        let sizes = rows.filter_map(|r| estimates[d * self.rows.len() + r]).map(|e| e.value.abs());
        sizes.filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// Raises `spread` to how far the derivatives along open displacements are, at inputs changed by rounding, from those at
    /// the inputs.
    fn widen(
        &mut self,
        spread: &mut [f64],
        (at, draw, open): (At, usize, &[bool]),
        found: &[Derivative],
        engine: &mut Engine,
        derivatives: Derivatives,
    ) {
        while self.nearby.len() <= draw {
            self.nearby.push(self.perturbed(at, self.nearby.len() as u64));
        }
        let nearby = std::mem::take(&mut self.nearby);
        if let Ok(others) = engine.aside(|engine| derivatives(self, &nearby[draw], open, engine)) {
            for ((spread, here), other) in spread.iter_mut().zip(found).zip(others) {
                for (a, b) in here.by.iter().zip(other.by) {
                    let apart = a.zip(b).map_or(0.0, |(a, b)| (a - b).abs());
                    *spread = if apart.is_finite() { spread.max(apart) } else { *spread };
                }
            }
        }
        self.nearby = nearby;
    }

    /// The inputs, each real and imaginary part changed by a few units in its last place, within the declared domains.
    pub(super) fn perturbed(&self, at: At, draw: u64) -> Vec<Datum> {
        let mut moved = at.inputs.to_vec();
        let mut s = Stream::new(at.seed, Purpose::Rounding, [at.number, draw, self.order as u64]);
        for (x, domain) in moved.iter_mut().zip(&self.domains) {
            if let (Datum::Array(Array { data: Buffer::F64(x), .. }), None) = (&mut *x, domain) {
                round_all_otherwise(x, &mut s);
                continue;
            }
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

    /// Fills [`Self::entries`]: the whole Jacobian by VJP, by JVP if there is that program, and by the oracle.
    pub(crate) fn judge_entries(&mut self, at: At, tools: &mut Toolchain) -> Result<(), RuntimeError> {
        self.make_entries();
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        let displacements = self.each_column(at, auto.oracle.is_coarse());
        let judged =
            self.judge(&mut auto, at, &displacements, None, tools, &mut |unit, inputs, _, engine| {
                unit.run_vjp(inputs, engine)?;
                unit.run_jvp(inputs, engine)?;
                Ok(unit.derivatives_by_entry())
            });
        self.automatic = Some(auto);
        let judged = judged?;
        let n = self.columns.len();
        for j in &judged {
            let (e, ruling) = (&mut self.entries[j.row * n + j.displacement], j.ruling());
            // Runs at other inputs have overwritten them.
            (e.vjp, e.jvp) = (j.by[0].unwrap_or(e.vjp), j.by[1].unwrap_or(e.jvp));
            (e.fd, e.slopes) = (ruling.value, ruling.slopes);
            (e.exact, e.comparison) = (j.exact, Some(ruling.comparison));
        }
        self.automatic.as_mut().expect("it was put back").judged = judged;
        Ok(())
    }

    /// The entries as derivatives, by column and row.
    fn derivatives_by_entry(&self) -> Vec<Derivative> {
        let (n, rows) = (self.columns.len(), self.rows.len());
        let derivative = |k: usize| {
            let (column, row) = (k / rows, k % rows);
            let e = &self.entries[row * n + column];
            let by = [self.vjp.is_some().then_some(e.vjp), self.jvp.is_some().then_some(e.jvp)];
            Derivative { by, modulus: self.modulus(row, column) }
        };
        (0..n * rows).map(derivative).collect()
    }

    /// The magnitude of an entry for rounding: that of the complex numbers it is a part of, if it is.
    fn modulus(&self, row: usize, column: usize) -> f64 {
        let pair = |at: usize, part: Part| match part {
            Part::Whole => at..at + 1,
            Part::Re => at..at + 2,
            Part::Im => at - 1..at + 1,
        };
        let n = self.columns.len();
        let rows = pair(row, self.rows[row].part);
        let columns = pair(column, self.columns[column].part);
        let entries = rows.flat_map(|r| columns.clone().map(move |c| r * n + c));
        let sizes = entries.flat_map(|i| [self.entries[i].vjp, self.entries[i].jvp]);
        sizes.map(f64::abs).filter(|x| x.is_finite()).fold(0.0, f64::max)
    }
}

/// Two steps with their slopes, from those at +h, −h, +h/4, −h/4.
pub(super) fn sequence_slopes(steps: [f64; 2], slopes: [f64; 4], noise: f64) -> [StepSlopes; 2] {
    let step_slopes =
        |k: usize| StepSlopes { h: steps[k].abs(), right: slopes[2 * k], left: slopes[2 * k + 1], noise };
    [step_slopes(0), step_slopes(1)]
}
