//! The compiled programs for one function that is checked, and what they give at one point.
//!
//! First order: the function itself. Second order: F(x, v) = vᵀJ, its VJP program. Both are checked by the
//! same code. Nothing here allocates per point after the first one, unless something fails.

use crate::cells::{Place, clear, load, load_doubles, places, read, to_double, write};
use crate::compare::{Comparison, EntryStatus};
use crate::coordinates::{Coordinate, Part};
use crate::difference::Along;
use crate::fallback::Fallback;
use crate::random::{Purpose, Stream};
use crate::report::Order;
use crate::settings::Limits;
use adc_ir::interp::Val;
use adc_ir::*;
use adc_jit::{Compiled, Workspace, cells_of};
use num_complex::Complex64;

/// Derivative and difference programs of one function, as functions of the unoptimised module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Programs {
    pub func: FuncId,
    pub vjp: Option<FuncId>,
    pub jvp: Option<FuncId>,
    pub slow: Option<FuncId>,
    pub fast: Option<FuncId>,
}

impl Programs {
    /// Derivatives and function: what every backend must agree on.
    pub(crate) fn compared(&self) -> impl Iterator<Item = FuncId> {
        [Some(self.func), self.vjp, self.jvp].into_iter().flatten()
    }
}

/// A program with its argument and result cells.
#[derive(Clone)]
pub(crate) struct Runner {
    pub code: Compiled,
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
}

impl Runner {
    pub(crate) fn new(code: Compiled) -> Runner {
        Runner { inputs: vec![0; code.input_cells()], outputs: vec![0; code.output_cells()], code }
    }

    pub(crate) fn run(&mut self, ws: &mut Workspace) -> Result<(), RuntimeError> {
        self.code.call_cells(ws, &self.inputs, &mut self.outputs)
    }
}

/// One entry of the Jacobian at the current point; numbers that were not computed are NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryData {
    pub vjp: f64,
    pub jvp: f64,
    pub fd: f64,
    pub comparison: Option<Comparison>,
}

/// One directional comparison at the current point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeData {
    /// Position among the checked outputs.
    pub output: usize,
    pub part: Part,
    pub mode: Mode,
    pub derivative: Complex64,
    pub fd: Complex64,
    pub comparison: Comparison,
}

/// A function with everything that is run at a point.
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
    pub slow: Option<Runner>,
    pub fast: Option<Runner>,
    /// A slow difference program made for the details of a miss, while no entry is to be checked.
    pub detail: Option<Runner>,
    /// Entry (row, column) at `row * columns.len() + column`; empty until entries are wanted.
    pub entries: Vec<EntryData>,
    pub probes: Vec<ProbeData>,
    param_types: Vec<Scalar>,
    result_types: Vec<Scalar>,
    cotangents: Vec<Place>,
    gradients: Vec<Place>,
    tangents: Vec<Place>,
    dots: Vec<Place>,
    directions: Vec<f64>,
    /// Scratch: J·u by JVP, one row after the other.
    along: Vec<f64>,
}

impl Unit {
    pub(crate) fn new(
        m: &Module,
        order: Order,
        programs: Programs,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Unit {
        let func = m.func(programs.func);
        let columns = crate::coordinates::coordinates(wrt, |i| func.param_ty(i));
        let rows = crate::coordinates::coordinates(outputs, |k| func.results[k].ty);
        let param_types: Vec<Scalar> = (0..func.params.len()).map(|i| func.param_ty(i).scalar()).collect();
        let result_types: Vec<Scalar> = func.results.iter().map(|r| r.ty.scalar()).collect();
        let cells = |types: &[Scalar]| types.iter().map(|t| cells_of(Type::Scalar(*t))).sum::<usize>();
        let (params, results) = (cells(&param_types), cells(&result_types));
        // A VJP program returns the function's results first only where it was asked to: see `prepare`.
        let before = if order == Order::First { results } else { 0 };
        let mut unit = Unit {
            order,
            programs,
            wrt: wrt.to_vec(),
            outputs: outputs.to_vec(),
            vjp: None,
            jvp: None,
            slow: None,
            fast: None,
            detail: None,
            entries: Vec::new(),
            probes: Vec::new(),
            cotangents: places(&rows, outputs, &result_types, params),
            gradients: places(&columns, wrt, &param_types, before),
            tangents: places(&columns, wrt, &param_types, params),
            dots: places(&rows, &func.differentiable_results(), &result_types, results),
            directions: vec![0.0; columns.len()],
            along: vec![0.0; rows.len()],
            columns,
            rows,
            param_types,
            result_types,
        };
        if unit.programs.slow.is_some() {
            unit.make_entries();
        }
        unit
    }

    /// Makes room for the entries.
    fn make_entries(&mut self) {
        let empty = EntryData { vjp: f64::NAN, jvp: f64::NAN, fd: f64::NAN, comparison: None };
        self.entries.resize(self.size(), empty);
    }

    /// How many entries the Jacobian has.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// Fills [`Self::entries`]: the whole Jacobian by VJP, by JVP where that program is there, and by
    /// differences, compared.
    pub(crate) fn run_entries(
        &mut self,
        ws: &mut Workspace,
        inputs: &[Const],
        limits: &Limits,
        fallback: &mut Fallback,
    ) -> Result<(), RuntimeError> {
        self.make_entries();
        let n = self.columns.len();
        if let Some(vjp) = &mut self.vjp {
            load(&mut vjp.inputs, inputs);
            for (row, seed) in self.cotangents.iter().enumerate() {
                clear(&mut vjp.inputs, &self.cotangents);
                write(&mut vjp.inputs, seed, 1.0);
                vjp.run(ws)?;
                for (column, place) in self.gradients.iter().enumerate() {
                    self.entries[row * n + column].vjp = read(&vjp.outputs, place);
                }
            }
        }
        if let Some(jvp) = &mut self.jvp {
            load(&mut jvp.inputs, inputs);
            for (column, seed) in self.tangents.iter().enumerate() {
                clear(&mut jvp.inputs, &self.tangents);
                write(&mut jvp.inputs, seed, 1.0);
                jvp.run(ws)?;
                for (row, place) in self.dots.iter().enumerate() {
                    self.entries[row * n + column].jvp = read(&jvp.outputs, place);
                }
            }
        }
        let slow = self.slow.as_mut().expect("prepared with the slow difference program");
        let end = load_doubles(&mut slow.inputs, inputs);
        slow.inputs[end] = limits.eps.to_bits();
        match slow.run(ws) {
            Ok(()) => {
                for (i, cell) in slow.outputs.iter().enumerate() {
                    // The program goes column by column.
                    let (column, row) = (i / self.rows.len(), i % self.rows.len());
                    self.entries[row * n + column].fd = f64::from_bits(*cell);
                }
            }
            Err(_) => self.one_by_one(inputs, limits, fallback),
        }
        for (column, c) in self.columns.iter().enumerate() {
            if !moves(coordinate_of(inputs[c.index], c.part), limits.eps) {
                (0..self.rows.len()).for_each(|row| self.entries[row * n + column].fd = f64::NAN);
            }
        }
        self.compare_entries(limits);
        Ok(())
    }

    /// A run-time error at one displaced point ended the whole program: each column by itself, interpreted.
    #[cold]
    fn one_by_one(&mut self, inputs: &[Const], limits: &Limits, fallback: &mut Fallback) {
        let n = self.columns.len();
        let args: Vec<Val<f64>> = inputs
            .iter()
            .map(|c| Val::from_const(to_double(*c)))
            .chain([Val::from_const(Const::F64(limits.eps))])
            .collect();
        for column in 0..n {
            let what = (self.programs.func, self.columns[column], Along::Coordinates);
            let values = fallback.column(what, &self.outputs, &args);
            for row in 0..self.rows.len() {
                let value = values.as_ref().map_or(f64::NAN, |v| v[row]);
                self.entries[row * n + column].fd = value;
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

    /// Fills [`Self::probes`]: the VJP, and where `forward` the JVP, against differences along the directions
    /// that seed and point number give.
    pub(crate) fn run_probes(
        &mut self,
        ws: &mut Workspace,
        inputs: &[Const],
        limits: &Limits,
        stream: (u64, u64),
        forward: bool,
    ) -> Result<(), RuntimeError> {
        self.draw_directions(stream);
        let sum = |unit: &Unit, imaginary: bool| -> f64 {
            let parts = unit.columns.iter().zip(&unit.directions);
            parts.filter(|(c, _)| (c.part == Part::Im) == imaginary).map(|(_, u)| u).sum()
        };
        let (sum_r, sum_i) = (sum(self, false), sum(self, true));
        let complex = self.columns.iter().any(|c| c.part == Part::Im);
        let movable = self
            .columns
            .iter()
            .zip(&self.directions)
            .all(|(c, u)| *u == 0.0 || moves(coordinate_of(inputs[c.index], c.part), limits.eps * u));
        let rows = self.rows.len();
        let fast = self.fast.as_mut().expect("prepared with the fast difference program");
        let mut end = load_doubles(&mut fast.inputs, inputs);
        for u in &self.directions {
            fast.inputs[end] = u.to_bits();
            end += 1;
        }
        fast.inputs[end] = limits.eps.to_bits();
        let evaluated = movable && fast.run(ws).is_ok();
        let fd = |fast: &Runner, row: usize, imaginary: bool| match (evaluated, imaginary && !complex) {
            (false, _) => f64::NAN,
            (true, true) => 0.0,
            (true, false) => f64::from_bits(fast.outputs[row + if imaginary { rows } else { 0 }]),
        };
        self.probes.clear();
        let fast = self.fast.as_ref().expect("as above");
        if let Some(vjp) = &mut self.vjp {
            load(&mut vjp.inputs, inputs);
            for (row, seed) in self.cotangents.iter().enumerate() {
                clear(&mut vjp.inputs, &self.cotangents);
                write(&mut vjp.inputs, seed, 1.0);
                vjp.run(ws)?;
                let mut s = Complex64::new(0.0, 0.0);
                for ((place, c), u) in self.gradients.iter().zip(&self.columns).zip(&self.directions) {
                    let g = read(&vjp.outputs, place) * u;
                    if c.part == Part::Im { s.im += g } else { s.re += g }
                }
                let n = Complex64::new(fd(fast, row, false), fd(fast, row, true));
                let comparison = limits.compare(s, n, sum_r + sum_i);
                let Coordinate { index, part } = self.rows[row];
                let probe =
                    ProbeData { output: index, part, mode: Mode::Fast, derivative: s, fd: n, comparison };
                self.probes.push(probe);
            }
        }
        if let (true, Some(jvp)) = (forward, &mut self.jvp) {
            load(&mut jvp.inputs, inputs);
            for (imaginary, sum) in [(false, sum_r), (true, sum_i)] {
                if imaginary && !complex {
                    continue;
                }
                clear(&mut jvp.inputs, &self.tangents);
                for (place, u) in self.tangents.iter().zip(&self.directions) {
                    if (place.coordinate.part == Part::Im) == imaginary {
                        write(&mut jvp.inputs, place, *u);
                    }
                }
                jvp.run(ws)?;
                for (row, place) in self.dots.iter().enumerate() {
                    self.along[row] = read(&jvp.outputs, place);
                }
                let mut row = 0;
                while row < rows {
                    let Coordinate { index, part } = self.rows[row];
                    let pair = part == Part::Re;
                    let number = |f: &dyn Fn(usize) -> f64| {
                        Complex64::new(f(row), if pair { f(row + 1) } else { 0.0 })
                    };
                    let derivative = number(&|r| self.along[r]);
                    let n = number(&|r| fd(fast, r, imaginary));
                    let comparison = limits.compare(derivative, n, sum);
                    let part = if imaginary { Part::Im } else { Part::Re };
                    let mode = Mode::Forward;
                    self.probes.push(ProbeData { output: index, part, mode, derivative, fd: n, comparison });
                    row += if pair { 2 } else { 1 };
                }
            }
        }
        Ok(())
    }

    /// Whether it computes in single precision.
    pub(crate) fn single(&self) -> bool {
        self.param_types.iter().chain(&self.result_types).any(|t| t.is_single())
    }

    /// u_r over real inputs and real parts, u_i over imaginary parts, each of unit length.
    fn draw_directions(&mut self, (seed, point): (u64, u64)) {
        for (which, imaginary) in [(0, false), (1, true)] {
            let count = self.columns.iter().filter(|c| (c.part == Part::Im) == imaginary).count();
            if count == 0 {
                continue;
            }
            let mut u = [0.0; 64];
            let mut long;
            let u: &mut [f64] = match count <= u.len() {
                true => &mut u[..count],
                false => {
                    long = vec![0.0; count];
                    &mut long
                }
            };
            Stream::new(seed, Purpose::Direction, [point, which, self.order as u64]).unit_vector(u);
            let mut next = u.iter();
            for (c, d) in self.columns.iter().zip(&mut self.directions) {
                if (c.part == Part::Im) == imaginary {
                    *d = *next.next().expect("as many as counted");
                }
            }
        }
    }

    /// The arguments of the programs that every backend runs at the current point: the function, its VJP with
    /// every cotangent 1 (complex: 1 + i), its JVP likewise.
    pub(crate) fn arguments(&self, program: FuncId, inputs: &[Const]) -> Vec<Const> {
        let one = |ty: Scalar| Const::from_c128(Complex64::new(1.0, 1.0), ty);
        let mut args = inputs.to_vec();
        if self.programs.vjp == Some(program) {
            args.extend(self.outputs.iter().map(|&k| one(self.result_types[k])));
        } else if self.programs.jvp == Some(program) {
            args.extend(self.wrt.iter().map(|&i| one(self.param_types[i])));
        }
        args
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

/// Whether a verdict counts as a disagreement.
pub(crate) fn failing(status: EntryStatus) -> bool {
    matches!(status, EntryStatus::Failed | EntryStatus::NonFinite)
}

/// Whether a step of `h` moves `x` at all.
fn moves(x: f64, h: f64) -> bool {
    x + h != x || x - h != x
}

fn coordinate_of(c: Const, part: Part) -> f64 {
    let z = c.to_c128();
    if part == Part::Im { z.im } else { z.re }
}
