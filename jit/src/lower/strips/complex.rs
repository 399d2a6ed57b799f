//! Arithmetic of complex numbers in a strip, by their parts: the operations of scalar code, in its order.

use super::build::{M, StripBuilder};
use super::legalise::Lane;
use super::strip::*;
use adc_ir::{Op, ops};
use adc_runtime::complex::ORDINARY;
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
            (Op::Abs, [Lane::Complex([re, im])]) => Lane::Number(lanes::hypot(self, *re, *im)),
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
            // Of other operands, or by a native function.
            (ops!(Arith) | ops!(Elementary) | ops!(ElementaryInt) | ops!(Order) | ops!(Part), _) => {
                return None;
            }
            (ops!(Test) | ops!(Logic) | ops!(Convert) | ops!(Barrier), _) => return None,
        })
    }

    /// A quotient of ordinary numbers, as [`adc_runtime::complex::div`] computes it, and where both are such, or the dividend is 0.
    pub fn quotient(&mut self, a: Parts, b: Parts) -> (Parts, M) {
        let [least, most, zero] = [ORDINARY.start, ORDINARY.end, 0.0].map(|x| self.num(x));
        let ordinary = |l: &mut Self, z: Parts, may_vanish: bool| {
            let [x, y] = z.map(|p| l.abs(p));
            let below = [x, y].map(|p| l.op(SOp::Cmp(Cc::Lt, p, most)));
            let above = [x, y].map(|p| l.op(SOp::Cmp(Cc::Le, least, p)));
            let below = l.op(SOp::Mask(MaskOp::And, below[0], below[1]));
            let mut above = l.op(SOp::Mask(MaskOp::Or, above[0], above[1]));
            if may_vanish {
                let none = [x, y].map(|p| l.op(SOp::Cmp(Cc::Eq, p, zero)));
                let none = l.op(SOp::Mask(MaskOp::And, none[0], none[1]));
                above = l.op(SOp::Mask(MaskOp::Or, above, none));
            }
            l.op(SOp::Mask(MaskOp::And, below, above))
        };
        let usual = [ordinary(self, a, true), ordinary(self, b, false)];
        let usual = M(self.op(SOp::Mask(MaskOp::And, usual[0], usual[1])));
        let ([ar, ai], [br, bi]) = (a, b);
        let (rr, ii) = (self.mul(br, br), self.mul(bi, bi));
        let norm = self.add(rr, ii);
        let re = self.sum_of_products([ar, br], [ai, bi]);
        let minus = self.neg(ar);
        let im = self.sum_of_products([ai, br], [minus, bi]);
        ([self.div(re, norm), self.div(im, norm)], usual)
    }

    /// `z / |z|` of an ordinary number, as [`adc_runtime::complex::sign`] computes it, and where it is one.
    pub fn direction(&mut self, z: Parts) -> (Parts, M) {
        let [least, most, zero] = [ORDINARY.start, ORDINARY.end, 0.0].map(|x| self.num(x));
        let parts = z.map(|p| {
            let size = self.abs(p);
            let [below, above] = [(size, most), (least, size)].map(|(a, b)| self.op(SOp::Cmp(Cc::Lt, a, b)));
            let (inside, none) = (SOp::Mask(MaskOp::And, below, above), SOp::Cmp(Cc::Eq, size, zero));
            let inside = self.op(inside);
            let none = self.op(none);
            (inside, self.op(SOp::Mask(MaskOp::Or, inside, none)))
        });
        let both = self.op(SOp::Mask(MaskOp::And, parts[0].1, parts[1].1));
        let some = self.op(SOp::Mask(MaskOp::Or, parts[0].0, parts[1].0));
        let usual = M(self.op(SOp::Mask(MaskOp::And, both, some)));
        let r = lanes::hypot(self, z[0], z[1]);
        (z.map(|p| self.div(p, r)), usual)
    }

    /// `a b + c d` with the rounding error of the second product (Kahan).
    fn sum_of_products(&mut self, [a, b]: [V; 2], [c, d]: [V; 2]) -> V {
        let p = self.mul(c, d);
        let e = self.fms(c, d, p);
        let (sum, zero) = (self.fma(a, b, p), self.num(0.0));
        let exact = self.eq(e, zero);
        let more = self.add(sum, e);
        self.select(exact, sum, more)
    }

    /// The plain formula, without fma.
    fn product(&mut self, [ar, ai]: Parts, [br, bi]: Parts) -> Parts {
        let (rr, ii) = (self.mul(ar, br), self.mul(ai, bi));
        let (ri, ir) = (self.mul(ar, bi), self.mul(ai, br));
        let re = self.sub(rr, ii);
        [re, self.add(ri, ir)]
    }
}
