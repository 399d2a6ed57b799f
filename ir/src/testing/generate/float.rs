//! Steps on real and complex values.

use super::{Generator, LARGE};
use crate::module::*;
use crate::ops::{Class, Domain, Op};
use crate::types::Scalar;
use std::sync::LazyLock;

/// What happens to an operand before an op is applied to it.
#[derive(Clone, Copy)]
pub(super) enum Prep {
    /// Nothing, unless it is large.
    Raw,
    /// Into [−1, 1] (complex: into the disk of radius ½).
    Unit,
    /// Into [−0.8, 0.8] (complex: as above).
    Inner,
    /// Into [½, 3/2] (complex: into the disk of radius ½ around 2).
    Positive,
    /// Into [3/2, 5/2] (complex: as above).
    AboveOne,
}

use Prep::*;

/// Smooth real functions of one real operand: op, what the operand needs, bound of the result.
const REAL: &[(Op, Prep, f64)] = &[
    (Op::Neg, Raw, LARGE),
    (Op::Recip, Positive, 2.0),
    (Op::Square, Unit, 1.0),
    (Op::Exp, Unit, 2.8),
    (Op::Expm1, Unit, 1.8),
    (Op::Exp2, Unit, 2.0),
    (Op::Log, Positive, 0.7),
    (Op::Log2, Positive, 1.0),
    (Op::Log10, Positive, 0.4),
    (Op::Log1p, Inner, 1.7),
    (Op::Sqrt, Positive, 1.3),
    (Op::Cbrt, Positive, 1.2),
    (Op::Sin, Raw, 1.0),
    (Op::Cos, Raw, 1.0),
    (Op::Tan, Unit, 1.6),
    (Op::Asin, Inner, 1.0),
    (Op::Acos, Inner, 2.5),
    (Op::Atan, Raw, 1.6),
    (Op::Sinh, Unit, 1.2),
    (Op::Cosh, Unit, 1.6),
    (Op::Tanh, Raw, 1.0),
    (Op::Asinh, Raw, 3.0),
    (Op::Acosh, AboveOne, 1.6),
    (Op::Atanh, Inner, 1.1),
    (Op::Sinc, Raw, 1.0),
    (Op::Sigmoid, Raw, 1.0),
    (Op::Softplus, Raw, LARGE + 1.0),
    (Op::LogSigmoid, Raw, LARGE + 1.0),
    (Op::Erf, Raw, 1.0),
    (Op::Erfc, Raw, 2.0),
    (Op::Lgamma, Positive, 0.6),
    (Op::Gamma, Positive, 1.8),
    (Op::Digamma, Positive, 2.0),
    (Op::J0, Raw, 1.0),
    (Op::J1, Raw, 1.0),
    (Op::Y0, Positive, 1.0),
    (Op::Y1, Positive, 1.5),
    (Op::Sech2, Raw, 1.0),
    (Op::DSigmoid, Raw, 0.3),
    (Op::Abs2, Unit, 1.0),
    (Op::Conj, Raw, LARGE),
    (Op::Re, Raw, LARGE),
    (Op::Im, Raw, 0.0),
    (Op::Arg, Positive, 3.2),
];

/// [`REAL`], and every elementary function that it does not name, at moderate operands.
static SMOOTH: LazyLock<Vec<(Op, Prep, f64)>> = LazyLock::new(|| {
    let elementary = |op: &Op| op.info().class == Class::Elementary && op.arity() == 1;
    let others = Op::ALL.iter().filter(|op| elementary(op) && REAL.iter().all(|(o, ..)| o != *op));
    let row = |op: &Op| match op.info().domain {
        Domain::All => (*op, Unit, LARGE),
        Domain::Open(_, hi) if hi.is_finite() => (*op, Inner, LARGE),
        Domain::Open(lo, _) if lo > 0.0 => (*op, AboveOne, LARGE),
        Domain::Open(..) | Domain::NonZero | Domain::NotPole | Domain::Special => (*op, Positive, LARGE),
    };
    REAL.iter().copied().chain(others.map(row)).collect()
});

/// Functions of one real operand that are not smooth everywhere.
const KINKED: &[(Op, Prep, f64)] = &[
    (Op::Abs, Raw, LARGE),
    (Op::Sign, Raw, 1.0),
    (Op::Floor, Raw, LARGE + 1.0),
    (Op::Ceil, Raw, LARGE + 1.0),
    (Op::Round, Raw, LARGE + 1.0),
    (Op::Trunc, Raw, LARGE),
    (Op::Cbrt, Raw, 2.0),
];

/// Smooth functions of an order, 0 to 2, and a real operand.
const OF_ORDER: &[(Op, Prep, f64)] =
    &[(Op::Polygamma, AboveOne, 40.0), (Op::DSinc, Raw, LARGE), (Op::Jn, Raw, 1.0), (Op::Yn, AboveOne, 2.0)];

/// Complex functions of one complex operand.
const COMPLEX: &[(Op, Prep, f64)] = &[
    (Op::Neg, Raw, LARGE),
    (Op::Conj, Raw, LARGE),
    (Op::Recip, Positive, 0.7),
    (Op::Square, Unit, 0.3),
    (Op::Exp, Unit, 1.7),
    (Op::Expm1, Unit, 0.7),
    (Op::Exp2, Unit, 1.5),
    (Op::Sinc, Unit, 1.5),
    (Op::Log, Positive, 1.0),
    (Op::Log2, Positive, 1.5),
    (Op::Log10, Positive, 0.5),
    (Op::Log1p, Unit, 1.0),
    (Op::Sqrt, Positive, 1.6),
    (Op::Sin, Unit, 0.6),
    (Op::Cos, Unit, 1.2),
    (Op::Tan, Unit, 0.6),
    (Op::Asin, Unit, 0.6),
    (Op::Acos, Unit, 2.2),
    (Op::Atan, Unit, 0.6),
    (Op::Sinh, Unit, 0.6),
    (Op::Cosh, Unit, 1.2),
    (Op::Tanh, Unit, 0.6),
    (Op::Asinh, Unit, 0.6),
    (Op::Acosh, Positive, 1.6),
    (Op::Atanh, Unit, 0.6),
    (Op::Sigmoid, Unit, 0.7),
    (Op::Sech2, Unit, 1.4),
    (Op::DSigmoid, Unit, 0.3),
    (Op::Cis, Unit, 1.7),
    (Op::Sign, Positive, 1.0),
];

/// Smooth real functions of a complex operand.
const TO_REAL: &[(Op, Prep, f64)] = &[
    (Op::Re, Raw, LARGE),
    (Op::Im, Raw, LARGE),
    (Op::Abs2, Unit, 0.3),
    (Op::Abs, Positive, 2.5),
    (Op::Arg, Positive, 0.3),
];

impl Generator<'_> {
    /// A step whose result is real.
    pub(super) fn real(&mut self, ty: Scalar) {
        match self.rng.below(12) {
            0..=3 => self.unary(&SMOOTH, ty),
            4 if !self.knobs.smooth => self.unary(KINKED, ty),
            4..=6 => self.arithmetic(ty, ty),
            7 => self.real_pair(ty),
            8 => self.int_argument(ty),
            9 if !self.knobs.smooth => {
                let (a, b) = (self.operand(ty), self.operand(ty));
                let bound = self.bound_of(a).max(self.bound_of(b));
                match self.rng.below(4) {
                    0 => self.op(Op::Min, &[a, b], bound),
                    1 => self.op(Op::Max, &[a, b], bound),
                    2 => self.op(Op::Copysign, &[a, b], bound),
                    _ => {
                        let c = self.operand(ty);
                        let bound = bound.max(self.bound_of(c));
                        self.op(Op::Clamp, &[a, b, c], bound)
                    }
                };
            }
            10 if self.complex_of(ty).is_some() => {
                let complex = self.complex_of(ty).expect("checked");
                self.unary(TO_REAL, complex);
            }
            _ if self.knobs.single => {
                let other = if ty == Scalar::F64 { Scalar::F32 } else { Scalar::F64 };
                let v = self.operand(other);
                self.op(if ty == Scalar::F64 { Op::ToF64 } else { Op::ToF32 }, &[v], self.bound_of(v));
            }
            _ => self.unary(&SMOOTH, ty),
        }
    }

    /// A step whose result is complex.
    pub(super) fn complex(&mut self, ty: Scalar) {
        let real = ty.real();
        match self.rng.below(10) {
            0..=3 => self.unary(COMPLEX, ty),
            4 => self.arithmetic(ty, ty),
            5 => self.arithmetic(ty, real),
            6 => self.arithmetic(real, ty),
            7 => {
                let (a, b) = (self.operand(real), self.operand(real));
                self.op(Op::Complex, &[a, b], self.bound_of(a) + self.bound_of(b));
            }
            8 if self.knobs.single => {
                let v = self.operand(if ty == Scalar::C128 { Scalar::C64 } else { Scalar::C128 });
                self.op(Op::ToC, &[v], self.bound_of(v));
            }
            _ => match self.rng.below(3) {
                0 => {
                    let x = self.operand(real);
                    self.op(Op::Cis, &[x], 1.0);
                }
                1 => {
                    let z = self.value(ty);
                    let (z, n) = (self.prepare(z, Positive), self.exponent());
                    self.op(Op::Powi, &[z, n], 40.0);
                }
                _ => {
                    let exponent = self.rng.pick(&[ty, real]);
                    let (z, w) = (self.value(ty), self.value(exponent));
                    let (z, w) = (self.prepare(z, Positive), self.prepare(w, Unit));
                    self.op(Op::Pow, &[z, w], 5.0);
                }
            },
        }
    }

    /// A row of a table, applied to a value of type `ty`.
    fn unary(&mut self, table: &[(Op, Prep, f64)], ty: Scalar) {
        let (op, prep, bound) = self.rng.pick(table);
        let v = self.value(ty);
        if !self.knobs.smooth && self.rng.one_in(4) {
            self.op(op, &[v], f64::INFINITY);
        } else {
            let v = self.prepare(v, prep);
            self.op(op, &[v], bound);
        }
    }

    /// `+ − × ÷` of two floats, and `fma` with a third.
    fn arithmetic(&mut self, a: Scalar, b: Scalar) {
        let (a, b) = (self.operand(a), self.operand(b));
        let (p, q) = (self.bound_of(a), self.bound_of(b));
        match self.rng.below(7) {
            0..=1 => self.op(Op::Add, &[a, b], p + q),
            2..=3 => self.op(Op::Sub, &[a, b], p + q),
            4 if self.b.ty(a) == self.b.ty(b) && self.b.ty(a).scalar().is_real() => {
                let c = self.operand(self.b.ty(a).scalar());
                self.op(Op::Fma, &[a, b, c], p * q + self.bound_of(c))
            }
            4..=5 => self.op(Op::Mul, &[a, b], p * q),
            _ if !self.knobs.smooth && self.rng.one_in(2) => self.op(Op::Div, &[a, b], f64::INFINITY),
            _ => {
                let b = self.prepare(b, Positive);
                self.op(Op::Div, &[a, b], 2.0 * p)
            }
        };
    }

    /// `pow hypot atan2 logaddexp mod` of reals.
    fn real_pair(&mut self, ty: Scalar) {
        let (a, b) = (self.operand(ty), self.operand(ty));
        if !self.knobs.smooth && self.rng.one_in(3) {
            let op = self.rng.pick(&[Op::Pow, Op::Hypot, Op::Atan2, Op::Logaddexp, Op::Mod]);
            self.op(op, &[a, b], f64::INFINITY);
            return;
        }
        let largest = self.bound_of(a).max(self.bound_of(b));
        match self.rng.below(4) {
            0 => {
                let (a, b) = (self.prepare(a, Positive), self.prepare(b, Unit));
                self.op(Op::Pow, &[a, b], 2.0)
            }
            1 => {
                let b = self.prepare(b, Positive);
                self.op(Op::Hypot, &[a, b], largest + 2.0)
            }
            2 => {
                let b = self.prepare(b, Positive);
                self.op(Op::Atan2, &[a, b], 1.6)
            }
            _ => self.op(Op::Logaddexp, &[a, b], largest + 1.0),
        };
    }

    /// `powi` of a real, and functions of an order and a real.
    fn int_argument(&mut self, ty: Scalar) {
        let x = self.value(ty);
        if self.rng.one_in(4) {
            let (x, n) = (self.prepare(x, Positive), self.exponent());
            self.op(Op::Powi, &[x, n], 8.0);
            return;
        }
        let (op, prep, bound) = self.rng.pick(OF_ORDER);
        let order = self.rng.below(3) as i64;
        let n = self.constant(Const::I64(order));
        let x = self.prepare(x, prep);
        self.op(op, &[n, x], bound);
    }

    fn exponent(&mut self) -> Value {
        let n = self.rng.below(7) as i64 - 3;
        self.constant(Const::I64(n))
    }

    /// A value of a float type, not large.
    fn operand(&mut self, ty: Scalar) -> Value {
        let v = self.value(ty);
        if self.knobs.smooth || !self.rng.one_in(3) { self.tame(v) } else { v }
    }

    /// The value itself, or squashed if it is large.
    pub(super) fn tame(&mut self, v: Value) -> Value {
        if self.bound_of(v) > LARGE { self.squash(v) } else { v }
    }

    /// Into [−1, 1] by `tanh` or `sin`; complex: z/(1 + |z|²).
    fn squash(&mut self, v: Value) -> Value {
        let ty = self.b.ty(v).scalar();
        if ty.is_complex() {
            let size = self.op(Op::Abs2, &[v], f64::INFINITY);
            let one = self.constant(Const::real(1.0, ty.real()));
            let size = self.op(Op::Add, &[size, one], f64::INFINITY);
            return self.op(Op::Div, &[v, size], 0.5);
        }
        let op = self.rng.pick(&[Op::Tanh, Op::Sin]);
        self.op(op, &[v], 1.0)
    }

    pub(super) fn prepare(&mut self, v: Value, prep: Prep) -> Value {
        let ty = self.b.ty(v).scalar();
        let (scale, square, shift) = match (prep, ty.is_complex()) {
            (Raw, _) => return self.tame(v),
            (Unit, _) | (Inner, true) => return self.squash(v),
            (Inner, false) => (0.8, false, 0.0),
            (Positive | AboveOne, true) => (1.0, false, 2.0),
            (Positive, false) => (1.0, true, 0.5),
            (AboveOne, false) => (1.0, true, 1.5),
        };
        let mut v = self.squash(v);
        if scale != 1.0 {
            let c = self.constant(Const::real(scale, ty));
            v = self.op(Op::Mul, &[v, c], 0.8);
        }
        if square {
            v = self.op(Op::Square, &[v], 1.0);
        }
        if shift != 0.0 {
            let c = self.constant(Const::real(shift, ty.real()));
            v = self.op(Op::Add, &[c, v], 2.5);
        }
        v
    }

    fn complex_of(&self, ty: Scalar) -> Option<Scalar> {
        ty.complex().filter(|c| self.scalars.contains(c))
    }
}
