//! The table: for every op the points where it is not smooth, for given operands.

use super::EventKind::{Choice, Edge, Jump, Kink};
use super::{EventKind, Side};
use adc_ir::interp::Val;
use adc_ir::{Cut, Domain, Elementary, Op, ReduceOp, ops};
use adc_jit::RuntimeMath;
use num_complex::Complex64;
use smallvec::{SmallVec, smallvec};
use std::f64::consts::{FRAC_PI_2, PI};

/// The side of NaN.
const NO_NUMBER: i32 = i32::MIN;

/// The difference of π/2 and π from their doubles.
const FRAC_PI_2_REST: f64 = 6.123233995736766e-17;
const PI_REST: f64 = 2.0 * FRAC_PI_2_REST;

type Sides = SmallVec<[Side; 2]>;

impl Side {
    /// A point at distance 0, whose sides are distinguished by the sign.
    pub(super) fn at(kind: EventKind, margin: f64) -> Side {
        Side { kind, branch: sign(margin), margin }
    }
}

/// The sides an op is on; none if it is smooth wherever it is defined, or has no real or complex operands.
pub(super) fn sides(op: Op, x: &[&Val<f64>], result: &Val<f64>) -> Sides {
    use Val::{Complex, Real};
    let one = |side: Side| -> Sides { smallvec![side] };
    match op {
        Op::Div => zero(Edge, x[1]),
        Op::Recip => zero(Edge, x[0]),
        Op::Powi => match x[1] {
            Val::I64(n) if *n < 0 => zero(Edge, x[0]),
            _ => Sides::new(),
        },
        Op::Pow => one(power(x[0], x[1])),
        Op::Mod => match (x[0], x[1], result) {
            (Real(a), Real(b), Real(r)) => {
                let margin = if r.abs() <= (r - b).abs() { *r } else { r - b };
                smallvec![
                    Side { kind: Jump, branch: whole(((a - r) / b).round_ties_even()), margin },
                    Side::at(Edge, *b)
                ]
            }
            _ => Sides::new(),
        },

        Op::Tan => match x[0] {
            Real(x) => {
                let (k, d) = off_period(*x, FRAC_PI_2, FRAC_PI_2_REST, PI, PI_REST);
                // Strip k ends at pole k.
                one(Side { kind: Edge, branch: whole(if d < 0.0 { k } else { k + 1.0 }), margin: d })
            }
            Complex(z) => one(pole(off_period(z.re, FRAC_PI_2, FRAC_PI_2_REST, PI, PI_REST).1, z.im)),
            _ => Sides::new(),
        },
        Op::Tanh | Op::Sech2 => match x[0] {
            Complex(z) => one(pole(off_period(z.im, FRAC_PI_2, FRAC_PI_2_REST, PI, PI_REST).1, z.re)),
            _ => Sides::new(),
        },
        Op::Sigmoid | Op::DSigmoid => match x[0] {
            Complex(z) => one(pole(off_period(z.im, PI, PI_REST, 2.0 * PI, 2.0 * PI_REST).1, z.re)),
            _ => Sides::new(),
        },

        Op::Logaddexp => match (x[0], x[1]) {
            (Real(_), Real(_)) => Sides::new(),
            (a, b) => one(beside(op, sum_of_exponentials(widened(a), widened(b)))),
        },
        Op::Hypot => match (x[0], x[1]) {
            (Real(a), Real(b)) => one(point(Kink, Complex64::new(*a, *b))),
            _ => Sides::new(),
        },
        // arg(b + i a)
        Op::Atan2 => match (x[0], x[1]) {
            (Real(a), Real(b)) => one(beside(op, Complex64::new(*b, *a))),
            _ => Sides::new(),
        },
        Op::Copysign => match (x[0], x[1]) {
            (Real(a), Real(b)) => {
                let side = if b.is_sign_negative() { -1 } else { 1 };
                smallvec![Side::at(Kink, *a), Side { kind: Jump, branch: side, margin: *b }]
            }
            _ => Sides::new(),
        },
        Op::Min | Op::Max => match (x[0], x[1]) {
            (Real(a), Real(b)) => one(Side::at(Kink, difference(*a, *b))),
            _ => Sides::new(),
        },
        Op::Clamp => match (x[0], x[1], x[2]) {
            (Real(x), Real(lo), Real(hi)) => one(clamped(*x, *lo, *hi)),
            _ => Sides::new(),
        },
        Op::Floor | Op::Ceil => match x[0] {
            Real(x) => one(steps(result, x - x.round_ties_even())),
            _ => Sides::new(),
        },
        Op::Round => match x[0] {
            Real(x) => one(steps(result, x - x.floor() - 0.5)),
            _ => Sides::new(),
        },
        Op::Trunc | Op::ToI64 => match x[0] {
            // There is no jump between −1 and 1.
            Real(x) if x.abs() < 1.0 => one(steps(result, x - 1f64.copysign(*x))),
            Real(x) => one(steps(result, x - x.round_ties_even())),
            _ => Sides::new(),
        },
        Op::Abs => zero(Kink, x[0]),
        Op::Sign => zero(Jump, x[0]),
        Op::Arg => match x[0] {
            Complex(z) => one(beside(op, *z)),
            x => zero(Jump, x),
        },

        // Infinity is far away.
        Op::IsNan | Op::IsFinite | Op::IsInf => one(choice(result, f64::INFINITY)),
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => match (x[0], x[1]) {
            (Real(a), Real(b)) => one(choice(result, difference(*a, *b))),
            (Complex(a), Complex(b)) => one(choice(result, modulus(a - b))),
            _ => Sides::new(),
        },

        ops!(Elementary) | ops!(ElementaryInt) | Op::Sqrt => of_domain(op, x[x.len() - 1]),
        // Smooth everywhere, or of integers and truth values.
        ops!(Arith) | ops!(Part) | ops!(Logic) | ops!(Convert) | ops!(Barrier) => Sides::new(),
    }
}

/// Of a function that is smooth where it is defined: the ends of its domain, its cut if the operand is complex.
fn of_domain(op: Op, x: &Val<f64>) -> Sides {
    let info = op.info();
    match (x, info.domain) {
        (Val::Complex(z), _) if info.cut != Cut::Uncut => smallvec![beside(op, *z)],
        (x, Domain::NonZero) => zero(Edge, x),
        (Val::Real(x), Domain::NotPole) => smallvec![gamma_pole(*x)],
        (Val::Real(x), Domain::Open(lo, hi)) => smallvec![between(*x, lo, hi)],
        (_, Domain::All | Domain::Special | Domain::Open(..) | Domain::NotPole) => Sides::new(),
    }
}

/// A maximum or minimum of terms, or its index: the winner and the best of the others. `None` if there are no others.
pub(super) fn extremum(op: ReduceOp, x: &[f64]) -> Option<(Side, [f64; 2])> {
    let (kind, larger) = match op {
        ReduceOp::Max => (Kink, true),
        ReduceOp::Min => (Kink, false),
        ReduceOp::ArgMax => (Jump, true),
        ReduceOp::ArgMin => (Jump, false),
        ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Any | ReduceOp::All => return None,
    };
    let beats = |a: f64, b: f64| !b.is_nan() && (a.is_nan() || if larger { a > b } else { a < b });
    let best = |but: Option<usize>| {
        let at = (0..x.len()).filter(|i| Some(*i) != but);
        at.reduce(|best, i| if beats(x[i], x[best]) { i } else { best })
    };
    let winner = best(None)?;
    let other = best(Some(winner))?;
    let margin = difference(x[winner], x[other]);
    // The terms share a tied extremum, but not its index.
    let branch = if margin == 0.0 && kind == Kink { -1 } else { winner as i32 };
    Some((Side { kind, branch, margin }, [x[winner], x[other]]))
}

/// Whether the cut of an op lies between two points on different sides of it.
pub(super) fn crosses(op: Op, a: &[Complex64], b: &[Complex64]) -> bool {
    let place = |x: &[Complex64]| match op {
        Op::Atan2 => Complex64::new(x[1].re, x[0].re),
        Op::Logaddexp => sum_of_exponentials(x[0], x[1]),
        _ => x[0],
    };
    let cut = cut_of(op);
    let (a, b) = (turned(cut, place(a)), turned(cut, place(b)));
    // Two zeros of different signs are the same point.
    let t = if a.im == b.im { 0.0 } else { a.im / (a.im - b.im) };
    inside(cut, a.re + t * (b.re - a.re)) <= 0.0
}

/// −1, 0 or 1.
pub(super) fn sign(x: f64) -> i32 {
    match x.partial_cmp(&0.0) {
        Some(order) => order as i32,
        None => NO_NUMBER,
    }
}

/// `a − b`, which is 0 for equal infinities, too.
fn difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { a - b }
}

fn modulus(z: Complex64) -> f64 {
    RuntimeMath.complex_to_real(Op::Abs, &z)
}

/// An integer that fits, as the number of a side.
fn whole(x: f64) -> i32 {
    if x.is_nan() { NO_NUMBER } else { x as i32 }
}

/// A point at 0.
fn zero(kind: EventKind, x: &Val<f64>) -> Sides {
    match x {
        Val::Real(x) => smallvec![Side::at(kind, *x)],
        Val::Complex(z) => smallvec![point(kind, *z)],
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => Sides::new(),
    }
}

/// A point at 0 in the plane, which has one side only.
fn point(kind: EventKind, z: Complex64) -> Side {
    Side::at(kind, modulus(z))
}

fn pole(a: f64, b: f64) -> Side {
    point(Edge, Complex64::new(a, b))
}

fn choice(result: &Val<f64>, margin: f64) -> Side {
    Side { kind: Choice, branch: i32::from(result.bool()), margin }
}

/// The ends of an interval: the distance to the nearer one, positive inside.
fn between(x: f64, lo: f64, hi: f64) -> Side {
    match (lo.is_finite(), hi.is_finite()) {
        (true, false) => Side::at(Edge, x - lo),
        (false, true) => Side::at(Edge, hi - x),
        _ => {
            let x = x - 0.5 * (lo + hi);
            let margin = 0.5 * (hi - lo) - x.abs();
            let branch = if x.is_nan() { NO_NUMBER } else { (1 - sign(margin)) * sign(x) };
            Side { kind: Edge, branch, margin }
        }
    }
}

/// `min(max(x, lo), hi)`: the distance to the nearest tie that affects the result, positive if the result is x alone.
fn clamped(x: f64, lo: f64, hi: f64) -> Side {
    let (low, high) = (difference(x, lo), difference(hi, x.max(lo)));
    let number = !x.is_nan() && !lo.is_nan() && !hi.is_nan();
    let (branch, margin) = match (sign(low), sign(high)) {
        _ if !number => (NO_NUMBER, f64::NAN),
        (_, -1) => (2, high),
        (0, 0) => (4, 0.0),
        (_, 0) => (1, 0.0),
        (0, _) => (-1, 0.0),
        // The bounds may be equal, too.
        (-1, _) => (-2, low.max(-high)),
        _ => (0, low.min(high)),
    };
    Side { kind: Kink, branch, margin }
}

/// A step function that jumps at this distance.
fn steps(result: &Val<f64>, margin: f64) -> Side {
    let branch = match result {
        Val::Real(y) => whole(*y),
        Val::I64(n) => whole(*n as f64),
        Val::Bool(_) | Val::Complex(_) | Val::Array(_) => unreachable!("step functions give numbers"),
    };
    // Infinity is no step, but equal infinities have nothing between them.
    Side { kind: Jump, branch, margin }
}

/// `a^b`: smooth at a = 0 if it is a polynomial of a, no cut if the exponent is an integer. An exponent of 0 may move away from 0, as
/// that of `x^x` does.
fn power(a: &Val<f64>, b: &Val<f64>) -> Side {
    let n = match b {
        Val::Real(b) => Some(*b),
        Val::Complex(w) => Some(w.re).filter(|_| w.im == 0.0),
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => unreachable!("`pow` takes floats"),
    };
    let n = n.filter(|n| n.fract() == 0.0);
    match (a, n) {
        (Val::Real(_), Some(n)) if n > 0.0 && matches!(b, Val::Real(_)) => {
            Side { kind: Edge, branch: 1, margin: f64::INFINITY }
        }
        // A real base cannot reach the other side of the cut.
        (Val::Real(a), _) => Side::at(Edge, *a),
        (Val::Complex(_), Some(n)) if n >= 0.0 => {
            Side { kind: EventKind::Cut, branch: 0, margin: f64::INFINITY }
        }
        (Val::Complex(z), Some(_)) => Side { kind: EventKind::Cut, branch: 0, margin: modulus(*z) },
        (Val::Complex(z), None) => beside(Op::Pow, *z),
        (Val::Bool(_) | Val::I64(_) | Val::Array(_), _) => unreachable!("`pow` takes floats"),
    }
}

/// `e^a + e^b` over the larger modulus of both.
fn sum_of_exponentials(a: Complex64, b: Complex64) -> Complex64 {
    let shift = if a.re > b.re { a.re } else { b.re };
    let exp = |z: Complex64| RuntimeMath.complex(Op::Exp, &[z - shift]);
    exp(a) + exp(b)
}

fn widened(x: &Val<f64>) -> Complex64 {
    match x {
        Val::Real(x) => (*x).into(),
        Val::Complex(z) => *z,
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => unreachable!("an op of real and complex numbers"),
    }
}

/// The number of the nearest of the points `first + k period`, and the distance from it. Each of both numbers comes with
/// the error of its double.
fn off_period(x: f64, first: f64, first_rest: f64, period: f64, period_rest: f64) -> (f64, f64) {
    let k = ((x - first) / period).round_ties_even();
    (k, (-k).mul_add(period, x - first) - k.mul_add(period_rest, first_rest))
}

/// 0, −1, −2, …
fn gamma_pole(x: f64) -> Side {
    let nearest = x.round_ties_even().min(0.0);
    let margin = x - nearest;
    // Odd between poles, even at one.
    let branch = whole(2.0 * x.floor().min(0.0) + if margin == 0.0 { 0.0 } else { 1.0 });
    Side { kind: Edge, branch: if x.is_nan() { NO_NUMBER } else { branch }, margin }
}

/// The cut of an op that has one; that of `atan2` is the cut of `arg(b + i a)`.
fn cut_of(op: Op) -> Cut {
    if op == Op::Atan2 { Cut::Below(0.0) } else { op.info().cut }
}

/// The plane turned so that the cut is on the real axis, its sides being the signs of the imaginary part.
fn turned(cut: Cut, z: Complex64) -> Complex64 {
    match cut {
        Cut::Uncut | Cut::Below(_) | Cut::Outside => z,
        Cut::OutsideImaginary => Complex64::new(z.im, -z.re),
    }
}

/// How far a place on the real axis is from the cut; at most 0 on it.
fn inside(cut: Cut, re: f64) -> f64 {
    match cut {
        Cut::Uncut => f64::INFINITY,
        Cut::Below(end) => re - end,
        Cut::Outside | Cut::OutsideImaginary => 1.0 - re.abs(),
    }
}

/// The distance from an op's cut, and the side of it. On the cut itself the sign of the zero is the side.
fn beside(op: Op, z: Complex64) -> Side {
    let cut = cut_of(op);
    let z = turned(cut, z);
    let along = inside(cut, z.re).max(0.0);
    let distance = RuntimeMath.real(Op::Hypot, &[along, z.im]);
    let branch = if z.im.is_sign_negative() { -1 } else { 1 };
    let number = !z.re.is_nan() && !z.im.is_nan();
    Side {
        kind: EventKind::Cut,
        branch: if number { branch } else { NO_NUMBER },
        margin: if number { distance.copysign(z.im) } else { f64::NAN },
    }
}
