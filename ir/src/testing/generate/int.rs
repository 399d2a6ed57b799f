//! Steps on integers and booleans.

use super::Generator;
use crate::module::*;
use crate::ops::Op;
use crate::types::Scalar;

/// Integers beyond are reduced before use, so that arithmetic on them does not overflow.
const LARGE: f64 = 1e6;

impl Generator<'_> {
    /// A step whose result is an integer (or a float made of one).
    pub(super) fn integer(&mut self) {
        if self.knobs.traps && self.rng.one_in(4) {
            let op =
                self.rng.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Idiv, Op::Mod, Op::Powi, Op::Neg, Op::Abs]);
            let args: Vec<Value> = (0..op.arity()).map(|_| self.value(Scalar::I64)).collect();
            self.op(op, &args, f64::INFINITY);
            return;
        }
        let (a, b) = (self.small(), self.small());
        let (p, q) = (self.bound_of(a), self.bound_of(b));
        match self.rng.below(16) {
            0 => self.op(Op::Add, &[a, b], p + q),
            1 => self.op(Op::Sub, &[a, b], p + q),
            2 => self.op(Op::Mul, &[a, b], p * q),
            3 => self.op(Op::Neg, &[a], p),
            4 => self.op(Op::Abs, &[a], p),
            5 => self.op(Op::Sign, &[a], 1.0),
            6 => self.op(Op::Min, &[a, b], p.max(q)),
            7 => self.op(Op::Max, &[a, b], p.max(q)),
            8 => {
                let c = self.small();
                let bound = p.max(q).max(self.bound_of(c));
                self.op(Op::Clamp, &[a, b, c], bound)
            }
            9 => {
                let (op, divisor) = (self.rng.pick(&[Op::Idiv, Op::Mod]), self.divisor());
                self.op(op, &[a, divisor], p.max(7.0))
            }
            10 => {
                let n = self.rng.below(3) as i64;
                let n = self.constant(Const::I64(n));
                self.op(Op::Powi, &[a, n], (p * p).max(1.0))
            }
            11 => {
                // Rounding a squashed number always has a value in `i64`, unless it is NaN.
                let x = self.finite();
                self.op(Op::ToI64, &[x], 10.0)
            }
            12 => {
                let c = self.value(Scalar::Bool);
                self.op(Op::ToI64, &[c], 1.0)
            }
            13 => self.op(Op::ToF64, &[a], p),
            14 if self.knobs.single => self.op(Op::ToF32, &[a], p),
            _ => {
                let c = self.value(Scalar::Bool);
                self.op(Op::ToF64, &[c], 1.0)
            }
        };
    }

    /// A step whose result is a boolean.
    pub(super) fn boolean(&mut self) {
        let ty = self.scalar();
        let (a, b) = (self.value(ty), self.value(ty));
        let (p, q) = (self.value(Scalar::Bool), self.value(Scalar::Bool));
        match self.rng.below(8) {
            0 => self.op(Op::Not, &[p], 1.0),
            1 => self.op(Op::And, &[p, q], 1.0),
            2 => self.op(Op::Or, &[p, q], 1.0),
            3 if ty.is_float() => {
                let op = self.rng.pick(&[Op::IsNan, Op::IsFinite]);
                self.op(op, &[a], 1.0)
            }
            4 if ty.is_real() => self.op(Op::IsInf, &[a], 1.0),
            5..=6 if ty.is_real() || ty == Scalar::I64 => {
                let op = self.rng.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                self.op(op, &[a, b], 1.0)
            }
            _ => {
                let op = self.rng.pick(&[Op::Eq, Op::Ne]);
                self.op(op, &[a, b], 1.0)
            }
        };
    }

    /// An integer that products of two do not overflow with.
    fn small(&mut self) -> Value {
        let n = self.value(Scalar::I64);
        if self.bound_of(n) <= LARGE {
            return n;
        }
        let divisor = self.divisor();
        self.op(Op::Mod, &[n, divisor], 7.0)
    }

    /// A literal that is neither 0 nor −1.
    fn divisor(&mut self) -> Value {
        let n = self.rng.pick(&[-7, -3, 2, 3, 5]);
        self.constant(Const::I64(n))
    }

    /// A real that is not NaN, in [−1, 1].
    fn finite(&mut self) -> Value {
        let x = self.value(Scalar::F64);
        let ok = self.op(Op::IsFinite, &[x], 1.0);
        let zero = self.constant(Const::F64(0.0));
        let x = self.op(Op::Select, &[ok, x, zero], f64::MAX);
        self.op(Op::Tanh, &[x], 1.0)
    }
}
