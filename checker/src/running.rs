//! Running error analysis: a bound of the rounding error of every number that a program computes.
//!
//! A run over [`Bounded`] numbers computes what the double-precision program does and carries beside each value a
//! first-order bound of its rounding error (Wilkinson; Higham, *Accuracy and Stability of Numerical Algorithms*, §3.3). An
//! operation passes on the bounds of its operands, each times the magnitude of the partial derivative along it, and adds
//! its own rounding. So a number that is 0 because terms cancel has the rounding of these terms, whatever the size of
//! anything else.
//!
//! The same bound, scaled by [`PAIR`], holds for the program's shadow: it executes the same operations, each with a
//! relative error of some 2⁻¹⁰⁰ instead of a double's 2⁻⁵³.
//!
//! A bound has two parts. *Inherited* is the rounding of the operations of the function itself, which its derivative
//! repeats, on values or on tangents. The rest is *own*: rounding of operations that only the derivative's formula has.
//! Source expression and op tell which is which. A hand-written rule is a formula of its own: all rounding in it is its
//! own, too.

use crate::coordinates::Part;
use crate::slots::Slot;
use adc_ad::sensitivities;
use adc_ir::interp::{ArrayVal, ExternCalls, Interp, Limits, Location as At, ResultType, Val, Watch};
use adc_ir::*;
use adc_jit::{Externs, RuntimeMath};
use num_complex::{Complex, Complex64};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::Cell;
use std::cmp::Ordering;
use std::mem::Discriminant;

/// The relative rounding of one operation: half a unit in the last place.
const UNIT: f64 = f64::EPSILON / 2.0;
/// The rounding of an elementary function: `adc-runtime` aims at 8 ε (1 + κ).
const FUNCTION: f64 = 16.0;
/// The rounding of an operation on pairs relative to that on doubles. Arithmetic has less than 2⁻¹⁰², functions about 2⁻⁹⁸,
/// where those on doubles have 2⁻⁴⁹.
pub(crate) const PAIR: f64 = 1.0 / (1u64 << 48) as f64;
/// Number of iterations of loops within which a program is analysed.
const ITERATIONS: u64 = 1 << 18;

/// A double with a bound of its rounding error, in two parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    pub x: f64,
    pub own: f64,
    pub inherited: f64,
    /// The error by underflow, which is as large in a shadow.
    pub underflow: f64,
}

/// The rounding of one number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rounding {
    pub own: f64,
    pub inherited: f64,
    /// The error by underflow.
    pub underflow: f64,
    /// The largest magnitude of a number that the program computes.
    pub beside: f64,
}

impl Rounding {
    pub(crate) fn total(self) -> f64 {
        self.own + self.inherited + self.underflow
    }

    /// Whether nothing is known of the number.
    pub(crate) fn is_unknown(&self) -> bool {
        self.total() == f64::INFINITY
    }

    /// The rounding of the same number in the shadow of the program.
    pub(crate) fn of_pair(self) -> f64 {
        PAIR * (self.own + self.inherited) + self.underflow
    }
}

/// The instructions by which a function computes its results, as a derivative program repeats them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    own: FxHashSet<(Span, Step)>,
    /// The names of hand-written rules.
    rules: FxHashSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Op(Op),
    Kind(Discriminant<Kind>),
}

impl Step {
    fn of(kind: &Kind) -> Step {
        match kind {
            Kind::Op(op) => Step::Op(*op),
            other => Step::Kind(std::mem::discriminant(other)),
        }
    }
}

impl Steps {
    /// The steps of a function and of all that it calls.
    pub(crate) fn of(m: &Module, f: FuncId) -> Steps {
        let mut steps = Steps::default();
        for g in m.reachable(f) {
            if let Some(region) = m.func(g).region() {
                steps.add(region);
            }
            steps.rules.extend(m.func(g).rules.iter().map(|r| m.func(r.func).name.clone()));
        }
        steps
    }

    fn add(&mut self, region: &Region) {
        for inst in &region.insts {
            self.own.insert((inst.span, Step::of(&inst.kind)));
            inst.regions.iter().for_each(|r| self.add(r));
        }
    }
}

/// Bounds of the rounding of a program's results: of each, by element, those of the real and of the imaginary part; 0 of what is no
/// float, infinite where nothing is known. `None` if the run exceeds its limits, or ends in an error.
pub fn rounding_bounds(
    m: &Module,
    externs: &Externs,
    program: FuncId,
    args: &[Datum],
) -> Option<Vec<Vec<[f64; 2]>>> {
    let running = Running::of((m, externs), program, &Steps::default(), args)?;
    let total = |x: &Bounded| {
        let sum = x.own + x.inherited + x.underflow;
        if sum.is_nan() { f64::INFINITY } else { sum }
    };
    let element = |v: &Val<Bounded>| match v {
        Val::Real(x) => [total(x), 0.0],
        Val::Complex(z) => [total(&z.re), total(&z.im)],
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => [0.0; 2],
    };
    let result = |v: &Val<Bounded>| match v {
        Val::Array(a) => a.data().iter().map(element).collect(),
        other => vec![element(other)],
    };
    Some(running.results.iter().map(result).collect())
}

/// The rounding of the results of a program.
pub(crate) struct Running {
    results: Vec<Val<Bounded>>,
    /// The largest magnitude of a number that it computed.
    pub largest: f64,
}

impl Running {
    /// Analyses a run of `program`, derived from the function with these steps, at these arguments. `None` if the run
    /// exceeds its limits.
    pub(crate) fn of(
        (m, externs): (&Module, &Externs),
        program: FuncId,
        steps: &Steps,
        args: &[Datum],
    ) -> Option<Running> {
        let argument = |x: &Datum| x.to_val::<f64>().map(&mut |x| Bounded::exactly(*x));
        let args: Vec<Val<Bounded>> = args.iter().map(argument).collect();
        let (natives, watch) = (Natives(externs), Looking { steps });
        let limits = Limits { fuel: ITERATIONS, ..Limits::default() };
        let interp = Interp { limits, watch: Some(&watch), ..Interp::new(m, &Math, &natives) };
        LARGEST.set(0.0);
        let results = interp.call(program, &args).ok()?;
        Some(Running { results, largest: LARGEST.get() })
    }

    /// The rounding of a coordinate of the results; infinite if unknown.
    pub(crate) fn at(&self, place: &Slot) -> Rounding {
        let number = match &self.results[place.at] {
            Val::Array(a) => &a.data()[place.entry],
            other => other,
        };
        let x = match (number, place.part) {
            (Val::Real(x), _) => *x,
            (Val::Complex(z), Part::Im) => z.im,
            (Val::Complex(z), Part::Whole | Part::Re) => z.re,
            (Val::Bool(_) | Val::I64(_) | Val::Array(_), _) => unreachable!("a coordinate is a number"),
        };
        let known = |b: f64| if b.is_nan() { f64::INFINITY } else { b };
        Rounding {
            own: known(x.own),
            inherited: known(x.inherited),
            underflow: known(x.underflow),
            beside: self.largest,
        }
    }
}

thread_local! {
    /// What the running instruction belongs to. The operations of a number type have no other way to know it.
    static WHOSE: Cell<Whose> = const { Cell::new(Whose::Derivative) };
    /// The largest magnitude so far.
    static LARGEST: Cell<f64> = const { Cell::new(0.0) };
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Whose {
    Function,
    Derivative,
    Rule,
}

struct Looking<'a> {
    steps: &'a Steps,
}

impl Watch<Bounded> for Looking<'_> {
    fn op(&self, _: At<'_>, _: Op, _: &[&Val<Bounded>], _: &Val<Bounded>) {}
    fn extremum(&self, _: At<'_>, _: ReduceOp, _: &[Val<Bounded>]) {}
    fn linalg(&self, _: At<'_>, _: LinalgOp, _: &ArrayVal<Bounded>) {}

    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&self, at: At<'_>) {
        WHOSE.set(if self.steps.rules.contains(&at.func.name) {
            Whose::Rule
        } else if self.steps.own.contains(&(at.inst.span, Step::of(&at.inst.kind))) {
            Whose::Function
        } else {
            Whose::Derivative
        });
    }
}

/// A sensitivity times a bound: 0 for an exact operand, however steep the function is there.
fn passed(sensitivity: f64, bound: f64) -> f64 {
    if bound == 0.0 { 0.0 } else { sensitivity * bound }
}

/// A result with the bounds that its operands pass on and its own rounding.
fn made<'a>(x: f64, operands: impl Iterator<Item = (f64, &'a Bounded)>, rounding: f64) -> Bounded {
    let mut out = Bounded::exactly(x);
    if x.is_infinite() {
        // An infinity stays one: everything else is negligible.
        return out;
    }
    if x.is_finite() {
        LARGEST.set(LARGEST.get().max(x.abs()));
    }
    for (sensitivity, a) in operands {
        out.own += passed(sensitivity, a.own);
        out.inherited += passed(sensitivity, a.inherited);
        out.underflow += passed(sensitivity, a.underflow);
    }
    if rounding > 0.0 {
        out.underflow += f64::from_bits(1);
    }
    match WHOSE.get() {
        Whose::Function => out.inherited += rounding,
        Whose::Derivative => out.own += rounding,
        Whose::Rule => out = Bounded { own: out.own + out.inherited + rounding, inherited: 0.0, ..out },
    }
    out
}

/// The rounding of an operation that is not exact; for subnormal results it is not relative. Functions are exact where they
/// are 0.
fn inexact(unit: f64, x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { product(unit, x) }
}

/// The same for an operation whose result of 0 may have underflowed.
fn product(unit: f64, x: f64) -> f64 {
    (unit * x.abs()).max(f64::from_bits(1))
}

/// Whether products with it are exact, except for subnormal ones.
fn power_of_two(x: f64) -> bool {
    x.to_bits() << 12 == 0
}

impl Bounded {
    fn exactly(x: f64) -> Bounded {
        Bounded { x, own: 0.0, inherited: 0.0, underflow: 0.0 }
    }

    /// Whether it is nothing but rounding: without, it may be 0.
    fn is_lost(&self) -> bool {
        let bound = self.own + self.inherited;
        bound > 0.0 && self.x.abs() <= bound
    }
}

impl Real for Bounded {
    fn from_f64(x: f64) -> Bounded {
        Bounded::exactly(x)
    }
    fn to_f64(&self) -> f64 {
        self.x
    }
    fn from_i64(n: i64) -> Bounded {
        Bounded::exactly(n as f64)
    }
    fn add(&self, o: &Bounded) -> Bounded {
        let x = self.x + o.x;
        let exact = self.x == 0.0 || o.x == 0.0;
        made(x, [(1.0, self), (1.0, o)].into_iter(), if exact { 0.0 } else { UNIT * x.abs() })
    }
    fn sub(&self, o: &Bounded) -> Bounded {
        self.add(&o.neg())
    }
    fn mul(&self, o: &Bounded) -> Bounded {
        let x = self.x * o.x;
        let zero = self.x == 0.0 || o.x == 0.0;
        let exact = zero || ((power_of_two(self.x) || power_of_two(o.x)) && x.is_normal());
        let rounding = if exact { 0.0 } else { product(UNIT, x) };
        let mut out = made(x, [(o.x.abs(), self), (self.x.abs(), o)].into_iter(), rounding);
        // A term of second order, but the only one if both factors are lost.
        if zero {
            out.inherited += self.inherited * o.inherited;
            out.own += self.own * (o.own + o.inherited) + self.inherited * o.own;
        }
        out
    }
    fn div(&self, o: &Bounded) -> Bounded {
        let x = self.x / o.x;
        let exact = self.x == 0.0 || (power_of_two(o.x) && x.is_normal());
        let rounding = if exact { 0.0 } else { product(UNIT, x) };
        let out = made(x, [(1.0 / o.x.abs(), self), ((x / o.x).abs(), o)].into_iter(), rounding);
        // The divisor may as well be 0, or have the other sign: nothing is known of the quotient, here and in the shadow.
        if o.is_lost() && x.is_finite() { Bounded { own: f64::INFINITY, ..out } } else { out }
    }
    fn mul_add(&self, a: &Bounded, b: &Bounded, to: Scalar) -> Bounded {
        let x = Real::mul_add(&self.x, &a.x, &b.x, to);
        let unit = if to.is_single() { f64::from(f32::EPSILON) / 2.0 } else { UNIT };
        made(x, [(a.x.abs(), self), (self.x.abs(), a), (1.0, b)].into_iter(), inexact(unit, x))
    }
    fn neg(&self) -> Bounded {
        Bounded { x: -self.x, ..*self }
    }
    fn sqrt(&self) -> Bounded {
        let x = self.x.sqrt();
        made(x, [(0.5 / x, self)].into_iter(), inexact(UNIT, x))
    }
    fn compare(&self, o: &Bounded) -> Option<Ordering> {
        self.x.partial_cmp(&o.x)
    }
    fn is_nan(&self) -> bool {
        self.x.is_nan()
    }
    fn is_finite(&self) -> bool {
        self.x.is_finite()
    }
    fn is_sign_negative(&self) -> bool {
        self.x.is_sign_negative()
    }
    fn floor(&self) -> Bounded {
        Bounded::exactly(self.x.floor())
    }
    fn round_even(&self) -> Bounded {
        Bounded::exactly(self.x.round_ties_even())
    }
    fn stored(&self, to: Scalar) -> Bounded {
        let x = Real::stored(&self.x, to);
        match x.to_bits() == self.x.to_bits() {
            true => *self,
            false => made(x, [(1.0, self)].into_iter(), inexact(f64::from(f32::EPSILON), x)),
        }
    }
}

/// The functions of compiled code.
struct Math;

/// Eigenvalues or eigenvectors of the n × n matrix `a`, or singular ones or the basis of an m × n matrix. The bounds of single rotations would add up to far more than what happens:
/// a disturbance moves an eigenvalue by no more than its norm (Weyl), and an eigenvector by no more than that over the gap to
/// the next eigenvalue, to first order, twice if its phase is kept. A singular vector can also turn away from the others over its own singular value, and a
/// basis over the smallest one. Rounding is one of some n units of the norm.
fn eigen(
    op: LinalgOp,
    elem: Scalar,
    [n, m]: [usize; 2],
    a: &[Val<Bounded>],
) -> Option<Result<Vec<Val<Bounded>>, Trap>> {
    let plain: Vec<Val<f64>> = a.iter().map(|v| v.map(&mut |x| x.x)).collect();
    let run = |op| RuntimeMath.linalg(op, elem, [n, m], &plain, &[]);
    let values = if op.is_rectangular() { LinalgOp::SvdValues } else { LinalgOp::EighValues };
    let (Ok(values), Ok(made)) = (run(values)?, run(op)?) else { return None };
    let values: Vec<f64> = values.iter().map(real_of).collect();
    let mut squares = [0.0; 4];
    for v in a {
        v.each(&mut |x| {
            let parts = [x.x, x.own, x.inherited, x.underflow];
            squares.iter_mut().zip(parts).for_each(|(s, x)| *s += x * x);
        });
    }
    let [size, own, inherited, underflow] = squares.map(f64::sqrt);
    let disturbed = Bounded { x: 0.0, own, inherited, underflow };
    let unit = if elem.is_single() { f64::from(f32::EPSILON) } else { UNIT };
    let rounding = 8.0 * n as f64 * unit * size;
    let gap = |j: usize| {
        let gaps = values.iter().enumerate().filter(|(i, _)| *i != j).map(|(_, w)| (w - values[j]).abs());
        let gap = gaps.fold(f64::INFINITY, f64::min);
        match op {
            LinalgOp::QrQ => values.last().copied().unwrap_or(gap),
            LinalgOp::SvdVectors => gap.min(values[j]),
            _ => gap,
        }
    };
    let bounded = |(at, v): (usize, &Val<f64>)| {
        let of_values = matches!(op, LinalgOp::EighValues | LinalgOp::SvdValues);
        let steep = if of_values { 1.0 } else { 2.0 / gap(at % n) };
        v.map(&mut |x| self::made(*x, [(steep, &disturbed)].into_iter(), steep * rounding))
    };
    Some(Ok(made.iter().enumerate().map(bounded).collect()))
}

fn real_of(v: &Val<f64>) -> f64 {
    match v {
        Val::Real(x) => *x,
        Val::Bool(_) | Val::I64(_) | Val::Complex(_) | Val::Array(_) => unreachable!("eigenvalues are real"),
    }
}

fn plain(z: &Complex<Bounded>) -> Complex64 {
    Complex64::new(z.re.x, z.im.x)
}

/// The result of a function of real operands.
fn of_reals(op: Op, x: f64, operands: &[Val<f64>], bounded: &[Bounded]) -> Bounded {
    let refs: SmallVec<[&Val<f64>; 3]> = operands.iter().collect();
    let along = sensitivities(op, &RuntimeMath, &refs, &Val::Real(x));
    // Integers come first and are exact.
    let along = along[operands.len() - bounded.len()..].iter().copied();
    let rounding = if op == Op::Mod { 0.0 } else { inexact(FUNCTION * UNIT, x) };
    made(x, along.zip(bounded), rounding)
}

/// The result of a function of complex operands; both parts have the bound of the whole.
fn of_complex(op: Op, y: Complex64, integer: Option<i64>, z: &[Complex<Bounded>]) -> Complex<Bounded> {
    let whole = size_of_complex(op, &Val::Complex(y), y.norm(), integer, z);
    Complex::new(Bounded { x: y.re, ..whole }, Bounded { x: y.im, ..whole })
}

fn size_of_complex(op: Op, y: &Val<f64>, size: f64, integer: Option<i64>, z: &[Complex<Bounded>]) -> Bounded {
    let mut operands: SmallVec<[Val<f64>; 3]> = z.iter().map(|z| Val::Complex(plain(z))).collect();
    // A power has its integer last.
    let first = integer.filter(|_| op != Op::Powi).map(Val::I64);
    let skipped = usize::from(first.is_some());
    operands.extend(integer.filter(|_| op == Op::Powi).map(Val::I64));
    let refs: SmallVec<[&Val<f64>; 3]> = first.iter().chain(&operands).collect();
    let along = sensitivities(op, &RuntimeMath, &refs, y);
    let along = &along[skipped..];
    let parts = along.iter().zip(z).flat_map(|(s, z)| [(*s, &z.re), (*s, &z.im)]);
    made(0.0, parts, inexact(FUNCTION * UNIT, size))
}

impl Elementary<Bounded> for Math {
    fn real(&self, op: Op, x: &[Bounded]) -> Bounded {
        let numbers: SmallVec<[f64; 3]> = x.iter().map(|x| x.x).collect();
        let operands: SmallVec<[Val<f64>; 3]> = numbers.iter().map(|x| Val::Real(*x)).collect();
        of_reals(op, RuntimeMath.real(op, &numbers), &operands, x)
    }
    fn real_int(&self, op: Op, n: i64, x: &Bounded) -> Bounded {
        let y = RuntimeMath.real_int(op, n, &x.x);
        // A power has its integer last, and the integer carries no derivative.
        let operands: [Val<f64>; 2] = match op == Op::Powi {
            true => [Val::Real(x.x), Val::I64(n)],
            false => [Val::I64(n), Val::Real(x.x)],
        };
        let refs: [&Val<f64>; 2] = [&operands[0], &operands[1]];
        let along = sensitivities(op, &RuntimeMath, &refs, &Val::Real(y));
        let along = along[usize::from(op != Op::Powi)];
        made(y, [(along, x)].into_iter(), inexact(FUNCTION * UNIT, y))
    }
    fn complex(&self, op: Op, z: &[Complex<Bounded>]) -> Complex<Bounded> {
        let args: SmallVec<[Complex64; 2]> = z.iter().map(plain).collect();
        of_complex(op, RuntimeMath.complex(op, &args), None, z)
    }
    fn complex_int(&self, op: Op, n: i64, z: &Complex<Bounded>) -> Complex<Bounded> {
        let y = RuntimeMath.complex_int(op, n, &plain(z));
        of_complex(op, y, Some(n), std::slice::from_ref(z))
    }
    fn linalg(
        &self,
        op: LinalgOp,
        elem: Scalar,
        [n, m]: [usize; 2],
        a: &[Val<Bounded>],
        _: &[Val<Bounded>],
    ) -> Option<Result<Vec<Val<Bounded>>, Trap>> {
        let spectral = op.is_rectangular() || matches!(op, LinalgOp::EighValues | LinalgOp::EighVectors);
        spectral.then(|| eigen(op, elem, [n, m], a)).flatten()
    }
    fn complex_to_real(&self, op: Op, z: &Complex<Bounded>) -> Bounded {
        let y = RuntimeMath.complex_to_real(op, &plain(z));
        let whole = size_of_complex(op, &Val::Real(y), y.abs(), None, std::slice::from_ref(z));
        Bounded { x: y, ..whole }
    }
}

/// Native functions, whose inside is unknown.
struct Natives<'a>(&'a Externs);

impl ExternCalls<Bounded> for Natives<'_> {
    /// The effect of the arguments' bounds is measured by a call with arguments that differ by them.
    fn call(
        &self,
        name: &str,
        args: &[Val<Bounded>],
        results: &[ResultType],
    ) -> Result<Vec<Val<Bounded>>, i32> {
        let at = |by: f64| {
            let moved: Vec<Val<f64>> =
                args.iter().map(|v| v.map(&mut |x| x.x + by * (x.own + x.inherited + x.underflow))).collect();
            self.0.call(name, &moved, results)
        };
        let (here, aside) = (at(0.0)?, at(1.0).ok());
        let bounded = |x: f64, other: f64| {
            let operand = Bounded { own: (x - other).abs(), ..Bounded::exactly(0.0) };
            made(x, [(1.0, &operand)].into_iter(), inexact(FUNCTION * UNIT, x))
        };
        let pair = |k: usize, v: &Val<f64>| {
            let mut others = Vec::new();
            if let Some(aside) = &aside {
                aside[k].each(&mut |x| others.push(*x));
            }
            let mut next = others.into_iter();
            v.map(&mut |x| bounded(*x, next.next().unwrap_or(*x)))
        };
        Ok(here.iter().enumerate().map(|(k, v)| pair(k, v)).collect())
    }
}
