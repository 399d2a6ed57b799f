//! Both sides of a rule, evaluated in doubles and in [`Big`], with the first-order error bound of the left one.

use adc_ir::interp::{Val, eval};
use adc_ir::{Elementary, Op, Real, Scalar, Type};
use adc_jit::RuntimeMath;
use adc_precise::{Big, BigMath};
use adc_simplify::rules::{Rule, Sort, Term};
use num_complex::Complex;

/// An operand or result.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Real(f64),
    Complex(f64, f64),
    Int(i64),
}

impl Number {
    /// Real and imaginary part.
    pub fn parts(&self) -> (f64, f64) {
        match *self {
            Number::Real(x) => (x, 0.0),
            Number::Complex(re, im) => (re, im),
            Number::Int(n) => (n as f64, 0.0),
        }
    }
}

/// Unit roundoff.
const UNIT: f64 = f64::EPSILON / 2.0;
/// What an operation loses at most where its result is subnormal.
const TINY: f64 = 5e-324;

/// A rule to be evaluated.
pub struct Sides {
    left: Term,
    right: Term,
    vars: Vec<char>,
    ty: Scalar,
}

/// A value in high precision with a bound of the error that doubles make of it.
#[derive(Clone)]
struct Bounded {
    value: Val<Big>,
    error: Big,
    /// An intermediate value is too large or too small even for high precision.
    beyond: bool,
}

impl Sides {
    pub fn of(rule: &Rule, ty: Scalar) -> Sides {
        let (left, right) = rule.terms();
        Sides { vars: left.vars(), left, right, ty }
    }

    /// The position of a letter's operand.
    pub fn place(&self, letter: char) -> usize {
        self.vars.iter().position(|v| *v == letter).expect("it is an operand")
    }

    /// Why the promise is not kept at these operands, if it is not.
    pub fn broken(&self, at: &[Number], exact: bool) -> Option<String> {
        let [old, new] = [&self.left, &self.right].map(|t| self.run::<f64>(&RuntimeMath, t, at).0);
        let (o, n) = (parts(&old), parts(&new));
        let report = |why: &str| Some(format!("{o:?} became {n:?}, {why}"));
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        if same(o.0, n.0) && same(o.1, n.1) {
            return None;
        }
        if exact {
            return report("which are other bits");
        }
        let nan = |p: (f64, f64)| p.0.is_nan() || p.1.is_nan();
        let given_nan = at.iter().any(|x| nan(x.parts()));
        let lost =
            |o: f64, n: f64| !n.is_finite() && (o.is_finite() || (n.is_nan() && !o.is_nan() && !given_nan));
        if lost(o.0, n.0) || lost(o.1, n.1) {
            return report("which is worse");
        }
        if given_nan && nan(o) && !nan(n) {
            return report("though an operand is NaN");
        }
        if self.zero_from_zero(at) && self.real_result(&old) && o.0 == 0.0 && n.0 == 0.0 {
            return report("a zero of the other sign");
        }
        // Within rounding of each other: nothing to look at more closely.
        let close = |a: f64, b: f64| (a - b).abs() <= 2.0 * ulp(b);
        if close(o.0, n.0) && close(o.1, n.1) {
            return None;
        }
        let truth = self.bounded(&self.left, at);
        if truth.beyond {
            return None;
        }
        let e = big_parts(&truth.value);
        let bad = !o.0.is_finite() || !o.1.is_finite();
        // Where that is no number the left side's bound may be none.
        let bound =
            if bad && !truth.error.is_finite() { self.bounded(&self.right, at).error } else { truth.error };
        let bound = bound.add(&Big::from_f64(2.0 * (ulp(n.0) + ulp(n.1))));
        let largest = Big::from_f64(f64::MAX);
        for (o, n, e) in [(o.0, n.0, e.0), (o.1, n.1, e.1)] {
            if !n.is_finite() {
                // Neither was it before.
                continue;
            }
            if e.is_nan() {
                return report("where nothing is defined");
            }
            if e.abs() > largest {
                if !o.is_finite() {
                    return report("where the value is too large");
                }
                continue;
            }
            let off = Big::from_f64(n).sub(&e).abs();
            let within = off.is_zero() || off <= bound;
            if !within {
                return report(&format!("off by {:e}, the bound is {:e}", off.to_f64(), bound.to_f64()));
            }
        }
        None
    }

    /// Whether the first-order error bound grows at these operands, which are ordinary, by more than a roundoff: a function counts
    /// two, where a sum or product counts one.
    pub fn worse(&self, at: &[Number]) -> bool {
        let [left, right] = [&self.left, &self.right].map(|t| self.bounded(t, at));
        let (re, im) = big_parts(&left.value);
        if left.beyond || !re.is_finite() || !im.is_finite() || !left.error.is_finite() {
            return false;
        }
        let size = re.abs().add(&im.abs()).mul(&Big::from_f64(UNIT));
        let slack = left.error.mul(&Big::from_f64(1.0 + 1e-6)).add(&size).add(&Big::from_f64(1e-290));
        right.error > slack
    }

    /// Whether a zero result follows from a zero operand or literal, nothing else being added to it.
    fn zero_from_zero(&self, at: &[Number]) -> bool {
        let mut zeros = at.iter().any(|x| x.parts() == (0.0, 0.0));
        // A logarithm is 0 at 1.
        let mut cancels = matches!(self.left, Term::Op(Op::Log, _));
        self.left.each(&mut |t| match t {
            Term::Num(x) => zeros |= *x == 0.0,
            Term::Op(Op::Add | Op::Sub, args) => {
                cancels |= args.iter().all(|a| !matches!(a, Term::Num(x) if *x == 0.0));
            }
            Term::Op(..) | Term::Var(_) | Term::Int(_) => {}
        });
        zeros && !cancels
    }

    fn real_result(&self, v: &Val<f64>) -> bool {
        matches!(v, Val::Real(_))
    }

    /// Why the sides differ at ordinary operands, if they do.
    pub fn untrue(&self) -> Option<String> {
        const ORDINARY: [[f64; 4]; 4] =
            [[0.37, 0.81, 1.43, 0.59], [2.1, 1.3, 0.7, 0.9], [1.7, 0.3, 2.9, 0.2], [0.5, 1.9, 1.1, 3.0]];
        for row in ORDINARY {
            let at: Vec<Number> = (self.vars.iter().zip(row))
                .map(|(v, x)| match Sort::of(*v) {
                    Sort::Real | Sort::Literal => Number::Real(x),
                    Sort::Complex => Number::Complex(x, x - 0.8),
                    Sort::Integer => Number::Int(1 + (x * 2.0) as i64),
                })
                .collect();
            let [a, b] = [&self.left, &self.right].map(|t| big_parts(&self.bounded(t, &at).value));
            let off = a.0.sub(&b.0).abs().add(&a.1.sub(&b.1).abs());
            let size = a.0.abs().add(&a.1.abs()).add(&Big::ONE);
            let equal = off <= size.mul(&Big::exp2i(-300));
            if !equal {
                return Some(format!("{at:?}: {:?} and {:?}", a.0.to_f64(), b.0.to_f64()));
            }
        }
        None
    }

    /// Value and type of a term.
    fn run<R: Real>(&self, math: &dyn Elementary<R>, t: &Term, at: &[Number]) -> (Val<R>, Scalar) {
        match t {
            Term::Var(v) => operand(at[self.place(*v)], self.ty),
            Term::Num(x) => (Val::Real(R::from_f64(Real::stored(x, self.ty))), self.ty),
            Term::Int(n) => (Val::I64(*n), Scalar::I64),
            Term::Op(op, args) => {
                let args: Vec<(Val<R>, Scalar)> = args.iter().map(|a| self.run(math, a, at)).collect();
                apply(math, *op, &args)
            }
        }
    }

    /// The value in high precision, and how far doubles may be off to first order: what the operands' errors become, and the error of
    /// the operation itself.
    fn bounded(&self, t: &Term, at: &[Number]) -> Bounded {
        let Term::Op(op, args) = t else {
            return Bounded { value: self.run::<Big>(&BigMath, t, at).0, error: Big::ZERO, beyond: false };
        };
        let parts: Vec<Bounded> = args.iter().map(|a| self.bounded(a, at)).collect();
        let tys: Vec<Scalar> = args.iter().map(|a| self.run::<f64>(&RuntimeMath, a, at).1).collect();
        let with = |values: Vec<Val<Big>>| {
            let args: Vec<(Val<Big>, Scalar)> = values.into_iter().zip(tys.iter().copied()).collect();
            apply(&BigMath, *op, &args).0
        };
        let values: Vec<Val<Big>> = parts.iter().map(|p| p.value.clone()).collect();
        let value = with(values.clone());
        let (re, im) = big_parts(&value);
        let size = re.abs().add(&im.abs());
        let grows = matches!(op, Op::Exp | Op::Expm1 | Op::Sinh | Op::Cosh | Op::Sigmoid);
        let finite = |v: &Val<Big>| big_parts(v).0.is_finite() && big_parts(v).1.is_finite();
        let beyond = parts.iter().any(|p| p.beyond)
            || (grows
                && values.iter().all(finite)
                && (!size.is_finite() || size.is_zero())
                && !zero(&values[0]));
        let units = if exact_scaling(*op, args) { 0.0 } else { units(*op, &values, &value) };
        let mut error = size.mul(&Big::from_f64(UNIT * units)).add(&Big::from_f64(TINY));
        for (k, p) in parts.iter().enumerate() {
            if p.error.is_zero() {
                continue;
            }
            let mut worst = Big::ZERO;
            for moved in displaced(&p.value, &p.error) {
                let mut values = values.clone();
                values[k] = moved;
                let (a, b) = big_parts(&with(values));
                let off = a.sub(&re).abs().add(&b.sub(&im).abs());
                if !off.is_nan() && off > worst {
                    worst = off;
                }
            }
            error = error.add(&worst);
        }
        Bounded { value, error, beyond }
    }
}

/// Errors of an op in units of roundoff: correctly rounded arithmetic, functions within an ulp, complex arithmetic by parts.
fn units(op: Op, args: &[Val<Big>], value: &Val<Big>) -> f64 {
    let complex = matches!(value, Val::Complex(_));
    match op {
        // As many products.
        Op::Powi => big_parts(&args[1]).0.to_f64().abs() * if complex { 4.0 } else { 1.0 },
        Op::Neg | Op::Abs | Op::Re | Op::Im | Op::Conj | Op::Complex => 0.0,
        Op::Add | Op::Sub => 1.0,
        Op::Mul | Op::Div | Op::Recip | Op::Square | Op::Sqrt | Op::Abs2 if !complex => 1.0,
        _ if complex => 4.0,
        _ => 2.0,
    }
}

fn zero(v: &Val<Big>) -> bool {
    let (re, im) = big_parts(v);
    re.is_zero() && im.is_zero()
}

/// Whether the op only multiplies by a power of two.
fn exact_scaling(op: Op, args: &[Term]) -> bool {
    let power = |t: &Term| matches!(t, Term::Num(x) if x.abs().log2().fract() == 0.0);
    op == Op::Mul && args.iter().any(power)
}

fn displaced(v: &Val<Big>, by: &Big) -> Vec<Val<Big>> {
    match v {
        Val::Real(x) => vec![Val::Real(x.add(by)), Val::Real(x.sub(by))],
        Val::Complex(z) => {
            let moved = |re: Big, im: Big| Val::Complex(Complex::new(re, im));
            vec![
                moved(z.re.add(by), z.im),
                moved(z.re.sub(by), z.im),
                moved(z.re, z.im.add(by)),
                moved(z.re, z.im.sub(by)),
            ]
        }
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => Vec::new(),
    }
}

fn operand<R: Real>(x: Number, ty: Scalar) -> (Val<R>, Scalar) {
    match x {
        Number::Real(x) => (Val::Real(R::from_f64(x)), ty),
        Number::Complex(re, im) => {
            let z = Complex::new(R::from_f64(re), R::from_f64(im));
            (Val::Complex(z), ty.complex().expect("a real type has a complex one"))
        }
        Number::Int(n) => (Val::I64(n), Scalar::I64),
    }
}

fn apply<R: Real>(math: &dyn Elementary<R>, op: Op, args: &[(Val<R>, Scalar)]) -> (Val<R>, Scalar) {
    let tys: Vec<Type> = args.iter().map(|(_, ty)| Type::Scalar(*ty)).collect();
    let ty = op.result_type(&tys).unwrap_or_else(|| panic!("`{op}` does not take {tys:?}")).scalar();
    let vals: Vec<&Val<R>> = args.iter().map(|(v, _)| v).collect();
    let value = eval(math, op, &vals, ty).unwrap_or_else(|e| panic!("`{op}`: {e:?}"));
    (value, ty)
}

fn parts(v: &Val<f64>) -> (f64, f64) {
    match v {
        Val::Real(x) => (*x, 0.0),
        Val::Complex(z) => (z.re, z.im),
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => panic!("rules are about floats"),
    }
}

fn big_parts(v: &Val<Big>) -> (Big, Big) {
    match v {
        Val::Real(x) => (*x, Big::ZERO),
        Val::Complex(z) => (z.re, z.im),
        Val::I64(n) => (Big::from_i64(*n), Big::ZERO),
        Val::Bool(_) | Val::Array(_) => panic!("rules are about numbers"),
    }
}

/// Distance to the next double.
fn ulp(x: f64) -> f64 {
    let x = x.abs();
    if x.is_finite() { x.next_up().min(f64::MAX) - x } else { 0.0 }.max(TINY)
}
