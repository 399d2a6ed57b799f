//! Arithmetic of complex numbers in a strip, by their parts: the operations of scalar code, in its order.

use super::build::{M, StripBuilder};
use super::legalise::Lane;
use super::strip::*;
use adc_ir::Op;
use adc_runtime::lanes::{self, Lanes};

/// The real and the imaginary part.
type Parts = [V; 2];

impl StripBuilder {
    /// An op with a complex operand or result; `None` if it is none, or is computed by a native function.
    pub(super) fn complex(&mut self, op: Op, x: &[Lane]) -> Option<Lane> {
        let number = |x: &Lane| match *x {
            Lane::Number(a) => Some(a),
            Lane::Complex(_) | Lane::Mask(_) => None,
        };
        Some(match (op, x) {
            (Op::Complex, [re, im]) => Lane::Complex([number(re)?, number(im)?]),
            (Op::StopGradient, [Lane::Complex(a)]) => Lane::Complex(*a),
            (Op::Neg, [Lane::Complex(a)]) => Lane::Complex(a.map(|p| self.neg(p))),
            (Op::Conj, [Lane::Complex([re, im])]) => Lane::Complex([*re, self.neg(*im)]),
            (Op::Re, [Lane::Complex([re, _])]) => Lane::Number(*re),
            (Op::Im, [Lane::Complex([_, im])]) => Lane::Number(*im),
            (Op::Abs2, [Lane::Complex(a)]) => {
                let [re, im] = a.map(|p| self.mul(p, p));
                Lane::Number(self.add(re, im))
            }
            (Op::Exp, [Lane::Complex([re, im])]) => Lane::Complex(lanes::cexp(self, *re, *im).into()),
            (Op::Cis, [Lane::Complex([re, im])]) => {
                let size = self.neg(*im);
                Lane::Complex(lanes::cexp(self, size, *re).into())
            }
            // The same bits: e^0 is 1.
            (Op::Cis, [Lane::Number(x)]) => {
                let (sin, cos) = lanes::sincos(self, *x);
                Lane::Complex([cos, sin])
            }
            (Op::Square, [Lane::Complex(a)]) => Lane::Complex(self.product(*a, *a)),
            (Op::Add, [Lane::Complex([ar, ai]), Lane::Complex([br, bi])]) => {
                let re = self.add(*ar, *br);
                Lane::Complex([re, self.add(*ai, *bi)])
            }
            (Op::Add, [Lane::Number(a), Lane::Complex([re, im])]) => Lane::Complex([self.add(*a, *re), *im]),
            (Op::Add, [Lane::Complex([re, im]), Lane::Number(b)]) => Lane::Complex([self.add(*re, *b), *im]),
            (Op::Sub, [Lane::Complex([ar, ai]), Lane::Complex([br, bi])]) => {
                let re = self.sub(*ar, *br);
                Lane::Complex([re, self.sub(*ai, *bi)])
            }
            (Op::Sub, [Lane::Number(a), Lane::Complex([re, im])]) => {
                let re = self.sub(*a, *re);
                Lane::Complex([re, self.neg(*im)])
            }
            (Op::Sub, [Lane::Complex([re, im]), Lane::Number(b)]) => Lane::Complex([self.sub(*re, *b), *im]),
            (Op::Mul, [Lane::Complex(a), Lane::Complex(b)]) => Lane::Complex(self.product(*a, *b)),
            (Op::Mul, [Lane::Number(a), Lane::Complex(b)] | [Lane::Complex(b), Lane::Number(a)]) => {
                Lane::Complex(b.map(|p| self.mul(*a, p)))
            }
            (Op::Div, [Lane::Complex(a), Lane::Number(b)]) => Lane::Complex(a.map(|p| self.div(p, *b))),
            (Op::Eq | Op::Ne, [Lane::Complex(a), Lane::Complex(b)]) => {
                let (cc, both) = if op == Op::Eq { (Cc::Eq, MaskOp::And) } else { (Cc::Ne, MaskOp::Or) };
                let [re, im] = [0, 1].map(|k| self.op(SOp::Cmp(cc, a[k], b[k])));
                Lane::Mask(M(self.op(SOp::Mask(both, re, im))))
            }
            (Op::Select, [Lane::Mask(c), Lane::Complex(a), Lane::Complex(b)]) => {
                Lane::Complex([0, 1].map(|k| self.select(*c, a[k], b[k])))
            }
            _ => return None,
        })
    }

    /// The plain formula, without fma.
    fn product(&mut self, [ar, ai]: Parts, [br, bi]: Parts) -> Parts {
        let (rr, ii) = (self.mul(ar, br), self.mul(ai, bi));
        let (ri, ir) = (self.mul(ar, bi), self.mul(ai, br));
        let re = self.sub(rr, ii);
        [re, self.add(ri, ir)]
    }
}
