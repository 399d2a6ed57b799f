//! Pairs of real and complex numbers: arithmetic by parts.

use super::Pair;
use super::pair::Arith;
use adc_ir::*;

impl Arith {
    fn is_complex(&self, x: Pair) -> bool {
        self.b.ty(x.hi).scalar().is_complex()
    }

    /// Real and imaginary part of a complex value.
    fn split(&mut self, z: Value) -> (Value, Value) {
        match self.parts.get(&z) {
            Some(parts) => *parts,
            None => (self.one(Op::Re, z), self.one(Op::Im, z)),
        }
    }

    /// Real and imaginary part of a complex pair.
    pub(super) fn parts(&mut self, x: Pair) -> (Pair, Pair) {
        let (re, im) = self.split(x.hi);
        let lo = x.lo.map(|lo| self.split(lo));
        (Pair { hi: re, lo: lo.map(|l| l.0) }, Pair { hi: im, lo: lo.map(|l| l.1) })
    }

    /// A complex value of its parts.
    fn join(&mut self, re: Value, im: Value) -> Value {
        let z = self.two(Op::Complex, re, im);
        self.parts.insert(z, (re, im));
        z
    }

    /// A complex pair of its parts.
    pub(super) fn complex(&mut self, re: Pair, im: Pair) -> Pair {
        let hi = self.join(re.hi, im.hi);
        let lo = (re.lo.is_some() || im.lo.is_some()).then(|| {
            let (re, im) = (self.lo(re), self.lo(im));
            self.join(re, im)
        });
        Pair { hi, lo }
    }

    /// A pair as a complex one, with imaginary part +0 if it is real.
    pub(super) fn widened(&mut self, x: Pair) -> Pair {
        if self.is_complex(x) {
            return x;
        }
        let zero = Pair { hi: self.zero, lo: None };
        self.complex(x, zero)
    }

    /// Sum or difference; mixed ones are componentwise.
    pub(super) fn sum(&mut self, op: Op, a: Pair, c: Pair) -> Pair {
        match (self.is_complex(a), self.is_complex(c)) {
            (false, false) => self.real_sum(op, a, c),
            (true, true) => {
                let ((ar, ai), (cr, ci)) = (self.parts(a), self.parts(c));
                let (re, im) = (self.real_sum(op, ar, cr), self.real_sum(op, ai, ci));
                self.complex(re, im)
            }
            (true, false) => {
                let (ar, ai) = self.parts(a);
                let re = self.real_sum(op, ar, c);
                self.complex(re, ai)
            }
            (false, true) => {
                let (cr, ci) = self.parts(c);
                let re = self.real_sum(op, a, cr);
                let im = if op == Op::Add { ci } else { self.neg(ci) };
                self.complex(re, im)
            }
        }
    }

    pub(super) fn neg(&mut self, x: Pair) -> Pair {
        self.each(x, |b, v| b.op(Op::Neg, &[v]))
    }

    pub(super) fn mul(&mut self, a: Pair, c: Pair) -> Pair {
        match (self.is_complex(a), self.is_complex(c)) {
            (false, false) => self.real_mul(a, c),
            (true, true) => {
                let ((ar, ai), (cr, ci)) = (self.parts(a), self.parts(c));
                let (rr, ii) = (self.real_mul(ar, cr), self.real_mul(ai, ci));
                let (ri, ir) = (self.real_mul(ar, ci), self.real_mul(ai, cr));
                let (re, im) = (self.real_sum(Op::Sub, rr, ii), self.real_sum(Op::Add, ri, ir));
                self.complex(re, im)
            }
            (true, false) => self.mul(c, a),
            (false, true) => {
                let (cr, ci) = self.parts(c);
                let (re, im) = (self.real_mul(a, cr), self.real_mul(a, ci));
                self.complex(re, im)
            }
        }
    }

    pub(super) fn square(&mut self, x: Pair) -> Pair {
        if !self.is_complex(x) {
            return self.real_square(x);
        }
        let (re, im) = self.parts(x);
        let (rr, ii, ri) = (self.real_square(re), self.real_square(im), self.real_mul(re, im));
        let re = self.real_sum(Op::Sub, rr, ii);
        let im = self.scaled(ri, true, |b, v| b.op(Op::Add, &[v, v]));
        self.complex(re, im)
    }

    /// By a real divisor.
    pub(super) fn div(&mut self, a: Pair, c: Pair) -> Pair {
        if !self.is_complex(a) {
            return self.real_div(a, c);
        }
        let (ar, ai) = self.parts(a);
        let (re, im) = (self.real_div(ar, c), self.real_div(ai, c));
        self.complex(re, im)
    }

    pub(super) fn abs2(&mut self, x: Pair) -> Pair {
        if !self.is_complex(x) {
            return self.real_square(x);
        }
        let (re, im) = self.parts(x);
        let (rr, ii) = (self.real_square(re), self.real_square(im));
        self.real_sum(Op::Add, rr, ii)
    }

    /// `op`, the real or imaginary part of a complex pair.
    pub(super) fn part(&mut self, op: Op, x: Pair) -> Pair {
        if !self.is_complex(x) {
            return x;
        }
        let (re, im) = self.parts(x);
        if op == Op::Re { re } else { im }
    }

    /// i x.
    pub(super) fn times_i(&mut self, x: Pair) -> Pair {
        let (re, im) = self.parts(x);
        let minus = self.neg(im);
        self.complex(minus, re)
    }
}
