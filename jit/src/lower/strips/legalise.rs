//! From ops of the IR to operations of a strip: the one place where elementary functions are expanded. What has no
//! expansion is called lane by lane.

use super::build::{M, StripBuilder};
use super::strip::*;
use crate::math::{self, Native};
use adc_ir::{Op, ops};
use adc_runtime::lanes::{self, Lanes};

/// An operand or result of an op in a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A double.
    Number(V),
    /// A complex number: the real and the imaginary part.
    Complex([V; 2]),
    /// A truth value.
    Mask(M),
}

/// Largest exponent of a power that is multiplied out.
const MAX_POWER: u64 = 64;

impl StripBuilder {
    /// An op of doubles, complex numbers and truth values; `None` if it is none, or has other results.
    pub fn apply(&mut self, op: Op, x: &[Lane]) -> Option<Lane> {
        match *x {
            [Lane::Number(a)] if op != Op::Cis => self.number_1(op, a),
            [Lane::Number(a), Lane::Number(b)] if op != Op::Complex => self.number_2(op, a, b),
            [Lane::Number(a), Lane::Number(b), Lane::Number(c)] if op == Op::Fma => {
                Some(Lane::Number(self.fma_of_signs(a, b, c)))
            }
            [Lane::Number(a), Lane::Number(b), Lane::Number(c)] if op == Op::Clamp => {
                let y = self.op(SOp::Bin(Bin::Max, a, b));
                Some(Lane::Number(self.op(SOp::Bin(Bin::Min, y, c))))
            }
            [Lane::Mask(m)] => match op {
                Op::Not => Some(Lane::Mask(self.not(m))),
                Op::ToF64 => {
                    let (one, zero) = (self.num(1.0), self.num(0.0));
                    Some(Lane::Number(self.select(m, one, zero)))
                }
                Op::StopGradient => Some(Lane::Mask(m)),
                _ => None,
            },
            [Lane::Mask(a), Lane::Mask(b)] => {
                let mask = |op| SOp::Mask(op, a.0, b.0);
                let y = match op {
                    Op::And => self.op(mask(MaskOp::And)),
                    Op::Or => self.op(mask(MaskOp::Or)),
                    Op::Ne => self.op(mask(MaskOp::Xor)),
                    Op::Eq => {
                        let differ = self.op(mask(MaskOp::Xor));
                        self.op(SOp::Not(differ))
                    }
                    _ => return None,
                };
                Some(Lane::Mask(M(y)))
            }
            [Lane::Mask(c), Lane::Number(a), Lane::Number(b)] if op == Op::Select => {
                Some(Lane::Number(self.select(c, a, b)))
            }
            [Lane::Mask(c), Lane::Mask(a), Lane::Mask(b)] if op == Op::Select => {
                let not = self.not(c);
                let a = self.op(SOp::Mask(MaskOp::And, c.0, a.0));
                let b = self.op(SOp::Mask(MaskOp::And, not.0, b.0));
                Some(Lane::Mask(M(self.op(SOp::Mask(MaskOp::Or, a, b)))))
            }
            _ => self.complex(op, x),
        }
    }

    /// `a^n`, multiplied as [`adc_runtime::real::powi`] does; `None` if that takes too long.
    pub fn power(&mut self, a: V, n: i64) -> Option<V> {
        let mut exponent = n.unsigned_abs();
        if exponent > MAX_POWER {
            return None;
        }
        let one = self.num(1.0);
        let (mut base, mut result) = (a, None);
        while exponent > 0 {
            if exponent & 1 == 1 {
                // The first product is by 1.
                result = Some(result.map_or(base, |r| self.mul(r, base)));
            }
            exponent >>= 1;
            if exponent > 0 {
                base = self.mul(base, base);
            }
        }
        let result = result.unwrap_or(one);
        Some(if n < 0 { self.div(one, result) } else { result })
    }

    fn number_1(&mut self, op: Op, a: V) -> Option<Lane> {
        let y = match op {
            Op::Neg => self.neg(a),
            Op::Recip => {
                let one = self.num(1.0);
                self.div(one, a)
            }
            Op::Square | Op::Abs2 => self.mul(a, a),
            Op::Sqrt => self.op(SOp::Un(Un::Sqrt, a)),
            Op::Floor => self.op(SOp::Un(Un::Floor, a)),
            Op::Ceil => self.op(SOp::Un(Un::Ceil, a)),
            Op::Round => self.rint(a),
            Op::Trunc => self.op(SOp::Un(Un::Trunc, a)),
            Op::Abs => self.abs(a),
            Op::Sign => {
                let (zero, one) = (self.num(0.0), self.num(1.0));
                let size = self.abs(a);
                let nonzero = self.lt(zero, size);
                let unit = self.copysign(one, a);
                self.select(nonzero, unit, a)
            }
            Op::Conj | Op::Re | Op::StopGradient | Op::ToF64 => a,
            Op::Im => self.num(0.0),
            Op::IsNan => return Some(self.compare(Cc::Ne, a, a)),
            Op::IsFinite | Op::IsInf => {
                let (size, infinity) = (self.abs(a), self.num(f64::INFINITY));
                return Some(self.compare(if op == Op::IsInf { Cc::Eq } else { Cc::Lt }, size, infinity));
            }
            Op::Exp => lanes::exp(self, a),
            Op::Expm1 => lanes::expm1(self, a),
            Op::Exp2 => lanes::exp2(self, a),
            Op::Log => lanes::log(self, a),
            Op::Log2 => lanes::log2(self, a),
            Op::Log10 => lanes::log10(self, a),
            Op::Log1p => lanes::log1p(self, a),
            Op::Sin => lanes::sin(self, a),
            Op::Cos => lanes::cos(self, a),
            Op::Tan => lanes::tan(self, a),
            Op::Asin => lanes::asin(self, a),
            Op::Acos => lanes::acos(self, a),
            Op::Atan => lanes::atan(self, a),
            Op::Sinh => lanes::sinh(self, a),
            Op::Cosh => lanes::cosh(self, a),
            Op::Tanh => lanes::tanh_sech2(self, a).0,
            Op::Sech2 => lanes::tanh_sech2(self, a).1,
            Op::Sigmoid => lanes::sigmoid_dsigmoid(self, a).0,
            Op::DSigmoid => lanes::sigmoid_dsigmoid(self, a).1,
            Op::Softplus => lanes::softplus(self, a),
            Op::LogSigmoid => lanes::log_sigmoid(self, a),
            ops!(Elementary) | Op::Arg => match math::real_row(op)?.native {
                Native::R1(_) => self.op(SOp::Call(Callee(op), a, None)),
                _ => return None,
            },
            // Of several operands, or not of one double.
            ops!(Arith)
            | ops!(ElementaryInt)
            | ops!(Order)
            | ops!(Part)
            | ops!(Test)
            | ops!(Logic)
            | ops!(Convert) => return None,
        };
        Some(Lane::Number(y))
    }

    fn number_2(&mut self, op: Op, a: V, b: V) -> Option<Lane> {
        let y = match op {
            Op::Add => self.add(a, b),
            Op::Sub => self.sub(a, b),
            Op::Mul => self.mul(a, b),
            Op::Div => self.div(a, b),
            Op::Copysign => self.copysign(a, b),
            Op::Min => self.op(SOp::Bin(Bin::Min, a, b)),
            Op::Max => self.op(SOp::Bin(Bin::Max, a, b)),
            Op::Logaddexp => lanes::logaddexp(self, a, b),
            Op::Pow => lanes::pow(self, a, b),
            Op::Atan2 => lanes::atan2(self, a, b),
            Op::Hypot => lanes::hypot(self, a, b),
            Op::Lt => return Some(self.compare(Cc::Lt, a, b)),
            Op::Le => return Some(self.compare(Cc::Le, a, b)),
            Op::Gt => return Some(self.compare(Cc::Lt, b, a)),
            Op::Ge => return Some(self.compare(Cc::Le, b, a)),
            Op::Eq => return Some(self.compare(Cc::Eq, a, b)),
            Op::Ne => return Some(self.compare(Cc::Ne, a, b)),
            ops!(Elementary) | Op::Mod => match math::real_row(op)?.native {
                Native::R2(_) => self.op(SOp::Call(Callee(op), a, Some(b))),
                _ => return None,
            },
            // Of one operand or three, or not of doubles.
            ops!(Arith) | ops!(ElementaryInt) | ops!(Order) | ops!(Part) | ops!(Test) => return None,
            ops!(Logic) | ops!(Convert) | ops!(Barrier) => return None,
        };
        Some(Lane::Number(y))
    }

    fn compare(&mut self, cc: Cc, a: V, b: V) -> Lane {
        Lane::Mask(M(self.op(SOp::Cmp(cc, a, b))))
    }
}
