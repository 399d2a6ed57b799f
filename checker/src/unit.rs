//! The compiled programs for one function that is checked, and their results at one point.
//!
//! First order: the function itself. Second order: F(x, v) = vᵀJ, its VJP program. Both are checked by the same code.
//! Nothing here allocates per point after the first one, unless something fails.

mod automatic;
mod differentiable;
mod directions;
mod displacement;
mod fixed;
mod identities;
mod narrow;
mod resolve;
mod source;

pub(crate) use automatic::{At, Automatic};
pub(crate) use identities::{IdentityData, Nested};
pub(crate) use narrow::{Miss, WHOLE};

use crate::compare::Comparison;
use crate::coordinates::{Coordinate, Part, Stretch, coordinates, sizes, stretches};
use crate::fixed_steps::FixedSteps;
use crate::points::Range;
use crate::random::{Purpose, Stream};
use crate::report::Order;
use crate::runner::{Engine, Runner};
use crate::slots::{Slot, clear, get, load, places, read, write};
use crate::verdict::Verdict;
use adc_ir::*;
use num_complex::Complex64;

/// Derivative and difference programs of one function, as functions of the unoptimised module.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub func: FuncId,
    /// What was differentiated: the function, or a simplified copy of it.
    pub source: FuncId,
    pub vjp: Option<FuncId>,
    pub jvp: Option<FuncId>,
    /// The VJP and JVP programs for all rows and columns at once, where entries are checked.
    pub rows: Option<FuncId>,
    pub columns: Option<FuncId>,
    /// The programs that compute differences.
    pub secants: crate::oracle::Programs,
    /// For the second order with forward mode: the VJP of the JVP program.
    pub nested: Option<FuncId>,
}

impl Programs {
    /// Derivatives and function: the programs on which all backends must agree.
    pub(crate) fn compared(&self) -> impl Iterator<Item = FuncId> {
        [Some(self.func), self.vjp, self.jvp].into_iter().flatten()
    }

    /// The programs that compute differences, in the order in which they are compiled.
    pub(crate) fn differences(&self) -> impl Iterator<Item = FuncId> {
        [self.secants.coordinates, self.secants.along].into_iter().flatten()
    }
}

/// One entry of the Jacobian at the current point; numbers that were not computed are NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryData {
    pub vjp: f64,
    pub jvp: f64,
    pub fd: f64,
    /// The slopes to the left and to the right, where they differ.
    pub slopes: Option<(f64, f64)>,
    /// The value of the derivative's formula in double-double, if it was computed.
    pub exact: Option<f64>,
    pub comparison: Option<Comparison>,
}

/// One directional comparison at the current point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeData {
    /// Position of the parameter that the direction belongs to; `None`: all of them together.
    pub input: Option<usize>,
    /// Position of the result.
    pub output: usize,
    /// The entry of it that is compared; `None`: all of them together, or a scalar.
    pub entry: Option<usize>,
    pub part: Part,
    pub mode: Mode,
    pub derivative: Complex64,
    pub fd: Complex64,
    pub comparison: Comparison,
}

/// A function with everything that runs at a point.
#[derive(Clone)]
pub(crate) struct Unit {
    pub order: Order,
    pub programs: Programs,
    /// Positions of the parameters and results that are checked.
    pub wrt: Vec<usize>,
    pub outputs: Vec<usize>,
    /// Their real coordinates: columns and rows of the Jacobian.
    pub columns: Vec<Coordinate>,
    pub rows: Vec<Coordinate>,
    pub vjp: Option<Runner>,
    pub jvp: Option<Runner>,
    /// See [`Programs`].
    pub all_rows: Option<Runner>,
    pub all_columns: Option<Runner>,
    /// Whether entries, and directions, are compared at every point.
    pub by_entry: bool,
    pub by_direction: bool,
    /// What computes differences: under automatic tolerances, or with fixed steps.
    pub automatic: Option<Automatic>,
    pub fixed: Option<FixedSteps>,
    /// For the second order: whether there is a Hessian, which is symmetric, and the other nesting.
    pub has_hessian: bool,
    pub nested: Option<Nested>,
    /// Whether a direction was inconclusive: its entries may not be.
    pub vague: bool,
    /// The declared domains of the parameters.
    domains: Vec<Option<ParamDomain>>,
    /// The range of each parameter, as far as the check states it.
    ranges: Vec<Range>,
    /// Entry (row, column) at `row * columns.len() + column`; empty until entries are needed.
    pub entries: Vec<EntryData>,
    /// For a Jacobian too large to be compared completely, the entry that a failing direction was narrowed down to.
    pub found: Option<(usize, EntryData)>,
    /// Under automatic tolerances: the direction and the row that fail by most.
    pub missed: Option<Miss>,
    pub probes: Vec<ProbeData>,
    /// Comparisons without differences.
    pub identities: Vec<IdentityData>,
    param_types: Vec<Scalar>,
    result_types: Vec<Scalar>,
    /// Sizes of parameters and results; empty for a scalar.
    pub param_shapes: Vec<Vec<usize>>,
    pub result_shapes: Vec<Vec<usize>>,
    /// Parts of inputs and outputs, in the order of difference programs.
    column_blocks: Vec<Stretch>,
    row_blocks: Vec<Stretch>,
    /// Results that carry tangents.
    tangent_results: Vec<usize>,
    cotangents: Vec<Slot>,
    gradients: Vec<Slot>,
    tangents: Vec<Slot>,
    dots: Vec<Slot>,
    /// Where the JVP program returns the function's results; the VJP program of the first order does, too.
    values: Vec<Slot>,
    /// How many parameters of F are the function's own: all of them, or those before the cotangents.
    own: usize,
    /// The number of the point, which selects the row that the VJP computes besides the program for all rows.
    pub number: usize,
    /// Scratch: J·u by JVP, one row after the other.
    along: Vec<f64>,
    /// The inputs of the current point changed by rounding, by draw; empty until they are needed.
    pub nearby: Vec<Vec<Datum>>,
}

impl Unit {
    pub(crate) fn new(
        m: &Module,
        order: Order,
        programs: Programs,
        wrt: &[usize],
        outputs: &[usize],
        ranges: &[Range],
    ) -> Unit {
        let func = m.func(programs.func);
        let shape = |d: &ValueData| sizes(d).expect("checked by the request");
        let param_shapes: Vec<Vec<usize>> = func.params.iter().map(|p| shape(func.data(p.value))).collect();
        let result_shapes: Vec<Vec<usize>> = func.results.iter().map(|r| shape(&r.data())).collect();
        let len = |shapes: &[Vec<usize>], i: usize| shapes[i].iter().product::<usize>();
        let (inputs, results) = (|i: usize| func.param_ty(i), |k: usize| func.results[k].ty);
        let columns = coordinates(wrt, inputs, |i| len(&param_shapes, i));
        let rows = coordinates(outputs, results, |k| len(&result_shapes, k));
        let (params, count) = (func.params.len(), func.results.len());
        // A VJP program returns the function's results first only if asked to: see `prepare`.
        let before = if order == Order::First { count } else { 0 };
        Unit {
            order,
            programs,
            wrt: wrt.to_vec(),
            outputs: outputs.to_vec(),
            vjp: None,
            jvp: None,
            all_rows: None,
            all_columns: None,
            by_entry: false,
            by_direction: false,
            automatic: None,
            fixed: None,
            has_hessian: false,
            nested: None,
            vague: false,
            domains: func.params.iter().map(|p| p.domain).collect(),
            // Cotangents are normal numbers.
            ranges: (0..func.params.len()).map(|i| ranges.get(i).copied().unwrap_or_default()).collect(),
            entries: Vec::new(),
            found: None,
            missed: None,
            probes: Vec::new(),
            identities: Vec::new(),
            column_blocks: stretches(wrt, inputs, |i| len(&param_shapes, i)),
            row_blocks: stretches(outputs, results, |k| len(&result_shapes, k)),
            tangent_results: func.differentiable_results(),
            cotangents: places(&rows, outputs, params),
            gradients: places(&columns, wrt, before),
            tangents: places(&columns, wrt, params),
            dots: places(&rows, &func.differentiable_results(), count),
            values: places(&rows, &(0..count).collect::<Vec<_>>(), 0),
            own: func.origin.filter(|_| order == Order::Second).map_or(params, |o| m.func(o.of).params.len()),
            number: 0,
            along: vec![0.0; rows.len()],
            nearby: Vec::new(),
            columns,
            rows,
            param_types: (0..params).map(|i| func.param_ty(i).scalar()).collect(),
            result_types: func.results.iter().map(|r| r.ty.scalar()).collect(),
            param_shapes,
            result_shapes,
        }
    }

    /// Allocates the entries.
    pub(crate) fn make_entries(&mut self) {
        let (nan, slopes) = (f64::NAN, None);
        let empty = EntryData { vjp: nan, jvp: nan, fd: nan, slopes, exact: None, comparison: None };
        self.entries.clear();
        self.entries.resize(self.size(), empty);
    }

    /// How many entries the Jacobian has.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// Removes the comparisons of the previous point.
    pub(crate) fn clear(&mut self) {
        self.entries.iter_mut().for_each(|e| e.comparison = None);
        (self.found, self.missed, self.vague) = (None, None, false);
        self.probes.clear();
    }

    /// The entries that were compared, by number.
    pub(crate) fn compared(&self) -> impl Iterator<Item = (usize, Comparison)> {
        let found = self.found.iter().map(|(index, e)| (*index, e));
        self.entries.iter().enumerate().chain(found).filter_map(|(index, e)| Some((index, e.comparison?)))
    }

    /// An entry by its number.
    pub(crate) fn entry(&self, index: usize) -> EntryData {
        match self.found {
            Some((at, e)) if at == index => e,
            _ => self.entries[index],
        }
    }

    /// Every row by VJP.
    fn run_vjp(&mut self, inputs: &[Datum], engine: &mut Engine) -> Result<(), RuntimeError> {
        let n = self.columns.len();
        if let Some(all) = &mut self.all_rows {
            load(&mut all.inputs, inputs);
            all.run(engine)?;
            for (k, rows) in self.row_blocks.iter().enumerate() {
                for columns in &self.column_blocks {
                    let input =
                        self.wrt.iter().position(|i| *i == columns.block.index).expect("one of `wrt`");
                    let gradients = &all.outputs[k * self.wrt.len() + input];
                    for j in 0..rows.len {
                        let entries = &mut self.entries[rows.at(j) * n..];
                        for i in 0..columns.len {
                            entries[columns.at(i)].vjp =
                                get(gradients, j * columns.len + i, columns.block.part);
                        }
                    }
                }
            }
        }
        if let Some(vjp) = &mut self.vjp {
            load(&mut vjp.inputs, inputs);
            vjp.inputs[inputs.len()..].iter_mut().for_each(clear);
            // Besides the program for all rows, the VJP computes one of them, a different one at every point.
            let chosen = self.number % self.rows.len().max(1);
            let all = self.all_rows.is_none();
            for (row, seed) in self.cotangents.iter().enumerate().filter(|(row, _)| all || *row == chosen) {
                write(&mut vjp.inputs, seed, 1.0);
                vjp.run(engine)?;
                write(&mut vjp.inputs, seed, 0.0);
                for (entry, place) in self.entries[row * n..].iter_mut().zip(&self.gradients) {
                    entry.vjp = read(&vjp.outputs, place);
                }
            }
        }
        Ok(())
    }

    /// Every column by JVP.
    fn run_jvp(&mut self, inputs: &[Datum], engine: &mut Engine) -> Result<(), RuntimeError> {
        let n = self.columns.len();
        if let Some(all) = &mut self.all_columns {
            load(&mut all.inputs, inputs);
            all.run(engine)?;
            for (k, columns) in self.column_blocks.iter().enumerate() {
                for rows in &self.row_blocks {
                    let output = self.tangent_results.iter().position(|r| *r == rows.block.index);
                    let at = k * self.tangent_results.len() + output.expect("it is differentiable");
                    let dots = &all.outputs[at];
                    for i in 0..columns.len {
                        for j in 0..rows.len {
                            let x = get(dots, i * rows.len + j, rows.block.part);
                            self.entries[rows.at(j) * n + columns.at(i)].jvp = x;
                        }
                    }
                }
            }
        } else if let Some(jvp) = &mut self.jvp {
            load(&mut jvp.inputs, inputs);
            jvp.inputs[inputs.len()..].iter_mut().for_each(clear);
            for (column, seed) in self.tangents.iter().enumerate() {
                write(&mut jvp.inputs, seed, 1.0);
                jvp.run(engine)?;
                write(&mut jvp.inputs, seed, 0.0);
                for (row, place) in self.dots.iter().enumerate() {
                    self.entries[row * n + column].jvp = read(&jvp.outputs, place);
                }
            }
        }
        Ok(())
    }

    /// By part of each input (of each output), by entry: its column (its row).
    pub(crate) fn columns_and_rows(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let of = |list: &[Stretch]| list.iter().map(|s| (0..s.len).map(|i| s.at(i)).collect()).collect();
        (of(&self.column_blocks), of(&self.row_blocks))
    }

    /// Adds the other nesting, compiled; `f` is the function whose VJP program is F.
    pub(crate) fn nest(&mut self, m: &Module, f: FuncId, program: FuncId, code: Runner) {
        let (params, func) = (m.func(f).params.len(), m.func(program));
        let own: Vec<Coordinate> = self.columns.iter().copied().filter(|c| c.index < params).collect();
        let wrt: Vec<usize> = self.wrt.iter().copied().filter(|i| *i < params).collect();
        let zeros = (params..params + wrt.len()).map(|i| code.inputs[i].clone()).collect();
        debug_assert_eq!(func.results.len(), wrt.len());
        let (tangents, results) = (places(&own, &wrt, params), places(&own, &wrt, 0));
        self.nested = Some(Nested { program, code, params, tangents, zeros, results });
    }

    /// Whether the oracle can difference entries.
    pub(crate) fn has_coordinates(&self) -> bool {
        self.automatic.as_ref().is_some_and(|a| a.oracle.has_coordinates())
    }

    /// Gives the oracle the program that differences entries.
    pub(crate) fn add_coordinates(&mut self, code: Option<Runner>) {
        if let Some(a) = &mut self.automatic {
            a.oracle.add_coordinates(code);
        }
    }

    /// Whether it computes in single precision.
    pub(crate) fn single(&self) -> bool {
        self.param_types.iter().chain(&self.result_types).any(|t| t.is_single())
    }

    /// The arguments of the VJP (mode 0) or the JVP program (1) with these seeds, the others being 0.
    fn seeded_arguments(&self, mode: usize, inputs: &[Datum], seeds: &[(Slot, f64)]) -> Vec<Datum> {
        let zero = |types: &[Scalar], shapes: &[Vec<usize>], k: usize| Datum::zeros(types[k], &shapes[k]);
        let mut args = inputs.to_vec();
        match mode {
            0 => args.extend(self.outputs.iter().map(|k| zero(&self.result_types, &self.result_shapes, *k))),
            _ => args.extend(self.wrt.iter().map(|k| zero(&self.param_types, &self.param_shapes, *k))),
        }
        seeds.iter().for_each(|(place, x)| write(&mut args, place, *x));
        args
    }

    /// The arguments of a program at the current point: the function's own, and cotangents or tangents. With a seed these
    /// are random, for programs that are compared: with ones, some exchanged operands would not show. Without one they are
    /// 1 (complex: 1 + i).
    pub(crate) fn arguments(&self, program: FuncId, inputs: &[Datum], seed: Option<u64>) -> Vec<Datum> {
        let mut args = inputs.to_vec();
        let mut seeds = |positions: &[usize], types: &[Scalar], shapes: &[Vec<usize>]| {
            for &k in positions {
                let name = [self.number as u64, k as u64, 2 + self.order as u64];
                let mut stream = seed.map(|seed| Stream::new(seed, Purpose::Cotangent, name));
                let mut part = || stream.as_mut().map_or(1.0, Stream::short);
                let mut x = Datum::zeros(types[k], &shapes[k]);
                for i in 0..x.len() {
                    let z = Complex64::new(part(), part());
                    x.set(i, Const::from_c128(z, types[k]));
                }
                args.push(x);
            }
        };
        if self.programs.vjp == Some(program) {
            seeds(&self.outputs, &self.result_types, &self.result_shapes);
        } else if self.programs.jvp == Some(program) {
            seeds(&self.wrt, &self.param_types, &self.param_shapes);
        }
        args
    }
}

/// Iterations of loops within which decisions are traced.
pub(crate) const TRACED: u64 = 1 << 18;

/// Whether a verdict counts as a disagreement.
pub(crate) fn failing(status: Verdict) -> bool {
    status.failing()
}
