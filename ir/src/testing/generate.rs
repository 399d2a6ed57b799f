//! Random well-typed modules for property tests.
//!
//! Values stay of moderate size: operands are squashed by `sin`, `tanh` or z/(1 + |z|²) before they grow, and moved
//! into an op's domain before it is applied. With [`Knobs::smooth`] the programs can be compared with finite
//! differences; without, ops also meet raw operands, kinks, NaN and ∞, which is what tests that compare a
//! program with a transformed one want. Assertions always hold. The same seed and knobs give the same module.

mod array;
mod edges;
mod float;
mod int;

use super::Rng;
use crate::builder::Builder;
use crate::derived::{Derived, Operator};
use crate::diag::{FileId, Span};
use crate::interp::Val;
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use array::Arrays;
use num_complex::Complex64;

/// What a generated module may contain.
#[derive(Clone, Debug)]
pub struct Knobs {
    /// Functions; each may call those before it. The last one is the entry, and the only one with domains.
    pub funcs: usize,
    /// Steps of a function's body, each of which emits a handful of instructions.
    pub steps: usize,
    /// Depth of nested `if`s; 0 for none.
    pub depth: usize,
    /// Only ops that are smooth, applied inside their domains, and no NaN or infinity.
    pub smooth: bool,
    /// Integer parameters and arithmetic (small constants remain, as exponents).
    pub integers: bool,
    /// Complex values.
    pub complex: bool,
    /// Single precision.
    pub single: bool,
    /// Assertions (which hold).
    pub asserts: bool,
    /// Integer ops that may end in a run-time error.
    pub traps: bool,
    /// `stop_gradient`.
    pub stop_gradient: bool,
    /// Dimensions, arrays, and loops, nested as deep as [`Self::depth`].
    pub arrays: bool,
    /// With arrays: ranges that may be empty, and indices of any size where nothing reads by them.
    pub edges: bool,
    /// Derivatives of functions that others call, which [`Body::Derived`] declares.
    pub derived: bool,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs {
            funcs: 3,
            steps: 12,
            depth: 4,
            smooth: false,
            integers: true,
            complex: true,
            single: true,
            asserts: true,
            traps: false,
            stop_gradient: true,
            arrays: false,
            edges: false,
            derived: false,
        }
    }
}

impl Knobs {
    /// Programs in double precision whose derivatives finite differences can tell.
    pub fn smooth() -> Knobs {
        Knobs { smooth: true, single: false, ..Knobs::default() }
    }

    /// Programs with arrays and loops.
    pub fn arrays() -> Knobs {
        Knobs { steps: 24, arrays: true, ..Knobs::default() }
    }

    fn scalars(&self) -> Vec<Scalar> {
        let wanted = |s: &Scalar| match s {
            Scalar::Bool | Scalar::F64 => true,
            Scalar::I64 => self.integers,
            Scalar::F32 => self.single,
            Scalar::C64 => self.single && self.complex,
            Scalar::C128 => self.complex,
        };
        Scalar::all().filter(wanted).collect()
    }
}

/// A module; its last function is the entry.
pub fn module(seed: u64, knobs: &Knobs) -> Module {
    let mut m = Module::default();
    let mut rng = Rng::new(seed);
    let mut costs = Vec::new();
    for i in 0..knobs.funcs.max(1) {
        let entry = i + 1 == knobs.funcs.max(1);
        let (func, cost) = Generator::new(&mut rng, knobs, &m, &costs, i).function(entry);
        let id = m.add(func);
        costs.push(cost);
        if knobs.derived
            && !entry
            && let Some(func) = derivative(&mut rng, &m, id)
        {
            m.add(func);
            costs.push(10 * cost + 10);
        }
    }
    m
}

/// A derivative of a function along some of its parameters, if it has one.
fn derivative(rng: &mut Rng, m: &Module, of: FuncId) -> Option<Func> {
    let func = m.func(of);
    let mut wrt = func.differentiable_params();
    if wrt.is_empty() || func.differentiable_results().is_empty() {
        return None;
    }
    if wrt.len() > 1 && rng.one_in(2) {
        wrt.remove(rng.below(wrt.len()));
    }
    let operators = [Operator::Jvp, Operator::ValueAndJvp, Operator::Vjp, Operator::ValueAndVjp];
    let derived = Derived { operator: rng.pick(&operators), of, wrt };
    derived.declare(m, format!("{}_derivative", func.name), Span::NONE)
}

/// Arguments for a function of scalars: inside declared domains, else at most 2 in each part; `special` mixes in ±0, ±∞,
/// NaN and extreme numbers.
pub fn inputs(rng: &mut Rng, func: &Func, special: bool) -> Vec<Const> {
    func.params.iter().map(|p| input(rng, func, p, special)).collect()
}

/// Dimensions from 1 to 4 for a function, and arguments of the sizes they say, with elements as [`inputs`] chooses them.
pub fn array_inputs(rng: &mut Rng, func: &Func, special: bool) -> (Vec<i64>, Vec<Val<f64>>) {
    let dims: Vec<i64> = func.dims.iter().map(|_| 1 + rng.below(4) as i64).collect();
    arguments(rng, func, &dims, special).map(|args| (dims, args)).expect("sizes are not negative")
}

/// The same for dimensions from 0 to 2; `None` if a size is negative then.
pub fn edge_inputs(rng: &mut Rng, func: &Func) -> Option<(Vec<i64>, Vec<Val<f64>>)> {
    let dims: Vec<i64> = func.dims.iter().map(|_| rng.below(3) as i64).collect();
    let special = rng.one_in(2);
    Some((dims.clone(), arguments(rng, func, &dims, special)?))
}

fn arguments(rng: &mut Rng, func: &Func, dims: &[i64], special: bool) -> Option<Vec<Val<f64>>> {
    let mut ints = dims.to_vec();
    let mut args = Vec::new();
    for p in &func.params {
        let number = |v: Value| ints[func.entry_position(v).expect("sizes are made of entry values")];
        let sizes: Vec<usize> = (func.shape(p.value).iter())
            .map(|d| usize::try_from(d.eval(number)?).ok())
            .collect::<Option<_>>()?;
        let mut one = || input(rng, func, p, special);
        let arg = match func.ty(p.value).is_array() {
            true => {
                let elements = (0..sizes.iter().product()).map(|_| Val::from_const(one())).collect();
                Val::array(&sizes, elements)
            }
            false => Val::from_const(one()),
        };
        ints.push(if let Val::I64(n) = arg { n } else { 0 });
        args.push(arg);
    }
    Some(args)
}

/// An argument, or an element of one.
fn input(rng: &mut Rng, func: &Func, p: &Param, special: bool) -> Const {
    const REALS: [f64; 10] =
        [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, 1e300, f64::MIN_POSITIVE];
    const INTS: [i64; 5] = [0, 1, -1, i64::MIN, i64::MAX];
    let ty = func.ty(p.value).scalar();
    let special = special && p.domain.is_none();
    let mut real = || if special && rng.one_in(3) { rng.pick(&REALS) } else { rng.real(-2.0, 2.0) };
    match ty {
        Scalar::F32 | Scalar::F64 => Const::real(real(), ty),
        Scalar::C64 | Scalar::C128 => Const::from_c128(Complex64::new(real(), real()), ty),
        Scalar::Bool => Const::Bool(rng.one_in(2)),
        Scalar::I64 if special && rng.one_in(4) => Const::I64(rng.pick(&INTS)),
        Scalar::I64 => Const::I64(rng.below(11) as i64 - 5),
    }
}

/// Makes one function.
struct Generator<'a> {
    rng: &'a mut Rng,
    knobs: &'a Knobs,
    module: &'a Module,
    /// What running each function of the module takes.
    costs: &'a [u64],
    scalars: Vec<Scalar>,
    b: Builder,
    /// The first parameter.
    x: Value,
    arrays: Arrays,
    /// Values that may be used here, in order of definition.
    visible: Vec<Value>,
    /// Bound of the absolute value, by [`Value`]; infinite if nothing is known.
    bound: Vec<f64>,
    /// Ops on visible values, some of which are emitted again.
    history: Vec<(Op, Values)>,
    /// Steps left.
    fuel: usize,
    line: usize,
}

/// How large parameters are taken to be.
const PARAM: f64 = 3.0;
/// Values beyond are squashed before use.
const LARGE: f64 = 8.0;

impl<'a> Generator<'a> {
    fn new(
        rng: &'a mut Rng,
        knobs: &'a Knobs,
        module: &'a Module,
        costs: &'a [u64],
        index: usize,
    ) -> Generator<'a> {
        Generator {
            rng,
            knobs,
            module,
            costs,
            scalars: knobs.scalars(),
            b: Builder::new(format!("f{index}"), Span::NONE),
            x: Value(0),
            arrays: Arrays::default(),
            visible: Vec::new(),
            bound: Vec::new(),
            history: Vec::new(),
            fuel: knobs.steps,
            line: 0,
        }
    }

    /// The function, and what running it takes.
    fn function(mut self, entry: bool) -> (Func, u64) {
        if self.knobs.arrays {
            self.array_params();
            self.x = Value(self.b.func().values.len() as u32);
        }
        let count = 1 + self.rng.below(4);
        for i in 0..count {
            let ty = if i == 0 { Scalar::F64 } else { self.scalar() };
            self.param(i, ty, entry);
        }
        if self.knobs.arrays {
            let count = 1 + self.rng.below(3);
            (0..count).for_each(|i| self.array_param(i));
        }
        self.steps(0);
        let count = if self.rng.one_in(3) { 1 + self.rng.below(3) } else { 1 };
        let mut results = Vec::new();
        for i in 0..count {
            let ty = self.scalar();
            let ty = if i == 0 && !ty.is_float() { Scalar::F64 } else { ty };
            let v = self.last(ty);
            let v = if ty.is_float() { self.tame(v) } else { v };
            results.push((if count == 1 { "out".into() } else { format!("out.{i}") }, v));
        }
        if self.knobs.arrays
            && let Some(v) = self.last_array()
        {
            results.push(("array".into(), v));
        }
        let inline = !entry && self.rng.one_in(3);
        (Func { inline, ..self.b.finish(results) }, self.arrays.cost)
    }

    fn param(&mut self, i: usize, ty: Scalar, entry: bool) {
        self.step_span();
        let name = ["x", "y", "a.b", "p q"][i];
        let v = self.b.param(name, ty);
        let nodiff = i > 0 && self.rng.one_in(6);
        let domain = match ty {
            _ if !entry || !self.rng.one_in(4) => None,
            Scalar::Bool => None,
            Scalar::C64 | Scalar::C128 => Some(ParamDomain::Annulus { r0: 0.0, r1: PARAM }),
            Scalar::I64 => {
                Some(ParamDomain::Interval { lo: -5.0, hi: 5.0, lo_closed: true, hi_closed: true })
            }
            Scalar::F32 | Scalar::F64 => {
                Some(ParamDomain::Interval { lo: -2.0, hi: PARAM, lo_closed: true, hi_closed: false })
            }
        };
        let p = self.b.last_param();
        (p.nodiff, p.domain) = (nodiff, domain);
        self.note(v, if self.knobs.smooth { 6.0 } else { f64::INFINITY });
    }

    /// Steps until the fuel of this region is used up.
    fn steps(&mut self, depth: usize) {
        let here = if depth == 0 { self.fuel } else { 1 + self.rng.below(4) };
        for _ in 0..here {
            if self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            self.step_span();
            self.step(depth);
        }
    }

    fn step(&mut self, depth: usize) {
        if self.knobs.arrays && self.rng.one_in(2) {
            return self.array_step(depth);
        }
        match self.rng.below(20) {
            0..=1 if depth < self.knobs.depth => self.branch(depth),
            2..=3 if !self.module.funcs.is_empty() && self.knobs.arrays => self.call_arrays(),
            2..=3 if !self.module.funcs.is_empty() => self.call(),
            4 if self.knobs.asserts => self.assert(),
            5 => self.repeat(),
            6 => {
                let ty = self.scalar();
                let (c, a, b) = (self.value(Scalar::Bool), self.value(ty), self.value(ty));
                let bound = self.bound_of(a).max(self.bound_of(b));
                self.op(Op::Select, &[c, a, b], bound);
            }
            7 if self.knobs.stop_gradient => {
                let ty = self.scalar();
                let v = self.value(ty);
                self.op(Op::StopGradient, &[v], self.bound_of(v));
            }
            8..=10 if self.knobs.integers => self.integer(),
            11 => self.boolean(),
            _ => {
                let ty = self.scalar();
                match ty {
                    Scalar::Bool | Scalar::I64 => self.real(Scalar::F64),
                    Scalar::F32 | Scalar::F64 => self.real(ty),
                    Scalar::C64 | Scalar::C128 => self.complex(ty),
                }
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.value(Scalar::Bool);
        let tys: Vec<Scalar> = (0..1 + self.rng.below(2)).map(|_| self.scalar()).collect();
        let mut bounds = vec![0f64; tys.len()];
        let mut regions = Vec::new();
        for _ in 0..2 {
            let scope = self.scope();
            self.b.open();
            self.steps(depth + 1);
            let yields: Vec<Value> = tys.iter().map(|ty| self.last(*ty)).collect();
            for (bound, v) in bounds.iter_mut().zip(&yields) {
                *bound = bound.max(self.bound_of(*v));
            }
            regions.push(self.b.close(yields));
            self.leave(scope);
        }
        let other = regions.pop().expect("two were pushed");
        let results = self.b.if_(cond, regions.pop().expect("two were pushed"), other);
        for (v, bound) in results.into_iter().zip(bounds) {
            self.note(v, bound);
        }
    }

    /// What is visible here.
    fn scope(&self) -> (usize, usize, array::Scope) {
        (self.visible.len(), self.history.len(), self.arrays.scope())
    }

    /// Takes what came since out of sight.
    fn leave(&mut self, (visible, history, arrays): (usize, usize, array::Scope)) {
        self.visible.truncate(visible);
        self.history.truncate(history);
        self.arrays.leave(arrays);
    }

    fn call(&mut self) {
        let callee = FuncId(self.rng.below(self.module.funcs.len()) as u32);
        let f = self.module.func(callee);
        let args: Vec<Value> = (0..f.params.len())
            .map(|i| {
                let v = self.value(f.param_ty(i).scalar());
                if f.param_ty(i).is_differentiable() { self.tame(v) } else { v }
            })
            .collect();
        let tys: Vec<Type> = f.results.iter().map(|r| r.ty).collect();
        let bound = self.bound_of_results(f);
        for v in self.b.call(callee, &args, &tys) {
            self.note(v, bound);
        }
    }

    /// Of a derivative nothing is known.
    fn bound_of_results(&self, callee: &Func) -> f64 {
        let known = self.knobs.smooth && callee.region().is_some();
        if known { LARGE } else { f64::INFINITY }
    }

    /// ¬(|x| < −1): true, also for NaN.
    fn assert(&mut self) {
        let x = self.value(Scalar::F64);
        let size = self.op(Op::Abs, &[x], self.bound_of(x));
        let bound = self.constant(Const::F64(-1.0));
        let small = self.op(Op::Lt, &[size, bound], 1.0);
        let holds = self.op(Op::Not, &[small], 1.0);
        let guard = if self.rng.one_in(2) { Guard::Assert } else { Guard::Domain };
        self.b.assert(guard(format!("|x| >= -1 \"{}\"", self.line)), holds);
    }

    /// An op that was emitted before, once more.
    fn repeat(&mut self) {
        if self.history.is_empty() {
            return;
        }
        let (op, args) = self.history[self.rng.below(self.history.len())].clone();
        let bound = if self.knobs.smooth { LARGE } else { f64::INFINITY };
        self.op(op, &args, bound);
    }

    /// A value of a type, from anywhere visible; made if there is none.
    fn value(&mut self, ty: Scalar) -> Value {
        let of_type = |v: &&Value| self.b.ty(**v) == Type::Scalar(ty);
        let known: Vec<Value> = self.visible.iter().filter(of_type).copied().collect();
        if known.is_empty() || self.rng.one_in(12) {
            return self.fresh(ty);
        }
        // Recent values twice as likely, so that programs get deep as well as wide.
        let recent = known.len() / 2;
        let from = if self.rng.one_in(2) { recent } else { 0 };
        known[from + self.rng.below(known.len() - from)]
    }

    /// The latest value of a type, so that what was computed is used.
    fn last(&mut self, ty: Scalar) -> Value {
        let latest = self.visible.iter().rev().find(|v| self.b.ty(**v) == Type::Scalar(ty)).copied();
        latest.unwrap_or_else(|| self.fresh(ty))
    }

    /// A new value of a type: a literal, a test, or a conversion of the first parameter.
    fn fresh(&mut self, ty: Scalar) -> Value {
        let x = self.x;
        match ty {
            Scalar::Bool => {
                let c = self.rng.real(-1.5, 1.5);
                let c = self.constant(Const::F64(c));
                let op = self.rng.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                self.op(op, &[x, c], 1.0)
            }
            Scalar::I64 => {
                let n = self.rng.below(9) as i64 - 4;
                self.constant(Const::I64(n))
            }
            Scalar::F32 if self.rng.one_in(2) => self.op(Op::ToF32, &[x], self.bound_of(x)),
            Scalar::C128 if self.rng.one_in(2) => {
                let y = self.literal(Scalar::F64);
                self.op(Op::Complex, &[x, y], self.bound_of(x) + self.bound_of(y))
            }
            Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 => self.literal(ty),
        }
    }

    fn literal(&mut self, ty: Scalar) -> Value {
        const PLAIN: [f64; 8] = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -0.25];
        const WILD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let mut part = || match self.rng.below(8) {
            0 if !self.knobs.smooth => self.rng.pick(&WILD),
            0..=4 => self.rng.pick(&PLAIN),
            _ => self.rng.real(-2.0, 2.0),
        };
        let z = Complex64::new(part(), part());
        self.constant(Const::from_c128(z, ty))
    }

    fn constant(&mut self, c: Const) -> Value {
        let v = self.b.constant(c);
        let z = c.to_c128();
        let size = z.re.hypot(z.im);
        self.note(v, if size.is_nan() { f64::INFINITY } else { size });
        v
    }

    /// Emits an op; its result is at most `bound`.
    fn op(&mut self, op: Op, args: &[Value], bound: f64) -> Value {
        let v = self.b.op(op, args);
        self.note(v, bound);
        self.history.push((op, args.into()));
        v
    }

    fn note(&mut self, v: Value, bound: f64) {
        self.visible.push(v);
        self.bound.resize(self.b.func().values.len(), f64::INFINITY);
        self.bound[v.0 as usize] = bound;
    }

    fn bound_of(&self, v: Value) -> f64 {
        self.bound[v.0 as usize]
    }

    fn scalar(&mut self) -> Scalar {
        self.rng.pick(&self.scalars)
    }

    /// Every step has a span of its own.
    fn step_span(&mut self) {
        self.line += 1;
        self.b.set_span(Span::new(FileId(0), self.line * 10, self.line * 10 + 5));
    }
}
