//! Double-double arithmetic as IR: sums, products, quotients and roots of pairs, and decisions between pairs.
//!
//! Algorithms and bounds (u = 2⁻⁵³, relative): Joldes, Muller, Popescu, *Tight and rigorous error bounds for basic building
//! blocks of double-word arithmetic*, ACM TOMS 44 (2017). Sum of two pairs 3u² (their algorithm 6), of a pair and a double
//! 2u² (4), product 5u² (11) and 2u² (9), quotient about 10u² (18), root about 4u².
//!
//! Error terms are computed with the opposite sign and subtracted: an exact result has the error term +0, and −0 − (+0) is
//! −0 where −0 + (+0) would be +0. So hi has the zeros of IEEE arithmetic, and the same side of a branch cut as p.

use super::{Pair, Shadowed};
use adc_ir::*;
use rustc_hash::FxHashMap;

/// A builder with arithmetic on pairs.
pub(super) struct Arith {
    pub b: Builder,
    /// 0 of type `f64`, visible everywhere.
    pub zero: Value,
    /// Literals, by the value that they define.
    pub literals: FxHashMap<Value, Const>,
    /// Real and imaginary part of complex values that were built from them.
    pub parts: FxHashMap<Value, (Value, Value)>,
}

/// Far below the last place of the root of the smallest double; makes 0 / (2·0 + TINY) a 0.
const TINY: f64 = 1e-300;
/// Products with powers of two up to this neither overflow nor underflow for an operand of ordinary size.
const MODERATE: u64 = 64;

impl Arith {
    /// For a builder whose parameters are declared.
    pub(super) fn new(mut b: Builder) -> Arith {
        let zero = b.num(0.0, Scalar::F64);
        Arith { b, zero, literals: FxHashMap::default(), parts: FxHashMap::default() }
    }

    pub(super) fn one(&mut self, op: Op, x: Value) -> Value {
        self.b.op(op, &[x])
    }

    pub(super) fn two(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op(op, &[x, y])
    }

    pub(super) fn three(&mut self, op: Op, x: Value, y: Value, z: Value) -> Value {
        self.b.op(op, &[x, y, z])
    }

    pub(super) fn num(&mut self, x: f64) -> Value {
        self.b.num(x, Scalar::F64)
    }

    /// The lo of a scalar.
    pub(super) fn lo(&mut self, x: Pair) -> Value {
        match (x.lo, self.b.ty(x.hi).scalar()) {
            (Some(lo), _) => lo,
            (None, Scalar::F64) => self.zero,
            (None, elem) => self.b.constant(Const::zero(elem)),
        }
    }

    /// The exact literal, if it is one.
    fn literal(&self, x: Pair) -> Option<f64> {
        match (x.lo, self.literals.get(&x.hi)) {
            (None, Some(Const::F64(c))) => Some(*c),
            _ => None,
        }
    }

    /// If the high part is not finite, the pair is the result of IEEE arithmetic on the high parts.
    pub(super) fn settled(&mut self, plain: Value, x: Pair) -> Pair {
        let finite = self.one(Op::IsFinite, x.hi);
        let hi = if x.hi == plain { plain } else { self.three(Op::Select, finite, x.hi, plain) };
        let lo = x.lo.map(|lo| self.three(Op::Select, finite, lo, self.zero));
        Pair { hi, lo }
    }

    /// As [`Self::settled`]; a zero has the sign of IEEE arithmetic.
    pub(super) fn beside(&mut self, plain: Value, x: Pair) -> Pair {
        let Pair { hi, lo } = self.settled(plain, x);
        let zero = self.two(Op::Eq, hi, self.zero);
        let signed = self.two(Op::Copysign, hi, plain);
        Pair { hi: self.three(Op::Select, zero, signed, hi), lo }
    }

    /// s − n as a pair; |n| is small compared with |s|.
    fn less(&mut self, s: Value, n: Value) -> Pair {
        let hi = self.two(Op::Sub, s, n);
        let rest = self.two(Op::Sub, s, hi);
        let lo = self.two(Op::Sub, rest, n);
        self.settled(s, Pair { hi, lo: Some(lo) })
    }

    /// `op` of two doubles, a sum or a difference, and its error with the opposite sign (TwoSum).
    fn two_sum(&mut self, op: Op, a: Value, c: Value) -> (Value, Value) {
        let back = if op == Op::Add { Op::Sub } else { Op::Add };
        let s = self.two(op, a, c);
        let a1 = self.two(back, s, c);
        let c1 = self.two(Op::Sub, s, a1);
        let a2 = self.two(Op::Sub, a1, a);
        let c2 = self.two(back, c1, c);
        (s, self.two(Op::Add, a2, c2))
    }

    pub(super) fn real_sum(&mut self, op: Op, a: Pair, c: Pair) -> Pair {
        let (s, n) = self.two_sum(op, a.hi, c.hi);
        match (a.lo, c.lo) {
            (None, None) => {
                let lo = self.one(Op::Neg, n);
                self.settled(s, Pair { hi: s, lo: Some(lo) })
            }
            (Some(lo), None) => {
                let n = self.two(Op::Sub, n, lo);
                self.less(s, n)
            }
            (None, Some(lo)) => {
                let back = if op == Op::Add { Op::Sub } else { Op::Add };
                let n = self.two(back, n, lo);
                self.less(s, n)
            }
            (Some(a), Some(c)) => {
                let (t, tn) = self.two_sum(op, a, c);
                let n = self.two(Op::Sub, n, t);
                let v = self.two(Op::Sub, s, n);
                let rest = self.two(Op::Sub, v, s);
                let rest = self.two(Op::Add, rest, n);
                let n = self.two(Op::Add, tn, rest);
                let hi = self.two(Op::Sub, v, n);
                let rest = self.two(Op::Sub, v, hi);
                let lo = self.two(Op::Sub, rest, n);
                self.settled(s, Pair { hi, lo: Some(lo) })
            }
        }
    }

    pub(super) fn real_mul(&mut self, a: Pair, c: Pair) -> Pair {
        let (a, c) = if a.lo.is_none() { (c, a) } else { (a, c) };
        if let Some(x) = self.literal(c).filter(|x| power_of_two(*x)) {
            return self.scaled(a, x.abs() > 1.0, |b, v| b.op(Op::Mul, &[v, c.hi]));
        }
        let p = self.two(Op::Mul, a.hi, c.hi);
        let (Some(al), cl) = (a.lo, c.lo) else {
            let minus = self.one(Op::Neg, p);
            let lo = self.three(Op::Fma, a.hi, c.hi, minus);
            return self.settled(p, Pair { hi: p, lo: Some(lo) });
        };
        let minus = self.one(Op::Neg, c.hi);
        let n = self.three(Op::Fma, a.hi, minus, p);
        let n = match cl {
            None => self.three(Op::Fma, al, minus, n),
            Some(cl) => {
                let cross = self.two(Op::Mul, a.hi, cl);
                let cross = self.three(Op::Fma, al, c.hi, cross);
                self.two(Op::Sub, n, cross)
            }
        };
        self.less(p, n)
    }

    pub(super) fn real_square(&mut self, x: Pair) -> Pair {
        let Some(lo) = x.lo else { return self.real_mul(x, x) };
        let p = self.two(Op::Mul, x.hi, x.hi);
        let minus = self.one(Op::Neg, x.hi);
        let n = self.three(Op::Fma, x.hi, minus, p);
        let twice = self.two(Op::Add, lo, lo);
        let n = self.three(Op::Fma, minus, twice, n);
        self.less(p, n)
    }

    pub(super) fn real_div(&mut self, a: Pair, c: Pair) -> Pair {
        if let Some(x) = self.literal(c).filter(|x| power_of_two(*x)) {
            return self.scaled(a, x.abs() < 1.0, |b, v| b.op(Op::Div, &[v, c.hi]));
        }
        let q = self.two(Op::Div, a.hi, c.hi);
        let minus = self.one(Op::Neg, a.hi);
        // The remainder of the high parts is a double.
        let mut n = self.three(Op::Fma, q, c.hi, minus);
        if let Some(lo) = a.lo {
            n = self.two(Op::Sub, n, lo);
        }
        if let Some(lo) = c.lo {
            n = self.three(Op::Fma, q, lo, n);
        }
        let n = self.two(Op::Div, n, c.hi);
        // +0 / −1 is −0, and its difference from −0 would be +0.
        let n = self.two(Op::Add, n, self.zero);
        self.less(q, n)
    }

    pub(super) fn real_sqrt(&mut self, x: Pair) -> Pair {
        let s = self.one(Op::Sqrt, x.hi);
        let minus = self.one(Op::Neg, x.hi);
        let mut n = self.three(Op::Fma, s, s, minus);
        if let Some(lo) = x.lo {
            n = self.two(Op::Sub, n, lo);
        }
        let twice = self.two(Op::Add, s, s);
        let tiny = self.num(TINY);
        let twice = self.two(Op::Add, twice, tiny);
        let n = self.two(Op::Div, n, twice);
        self.less(s, n)
    }

    /// hi + lo of any size as a normalised pair.
    pub(super) fn normalised(&mut self, hi: Value, lo: Value) -> Pair {
        let (s, n) = self.two_sum(Op::Add, hi, lo);
        let lo = self.one(Op::Neg, n);
        self.settled(s, Pair { hi: s, lo: Some(lo) })
    }

    /// `f` of hi and of lo; it must be exact and map 0 to 0.
    pub(super) fn each(&mut self, x: Pair, mut f: impl FnMut(&mut Builder, Value) -> Value) -> Pair {
        let hi = f(&mut self.b, x.hi);
        Pair { hi, lo: x.lo.map(|lo| f(&mut self.b, lo)) }
    }

    /// As [`Self::each`], where `f` multiplies by a power of two. `grows` tells whether hi may overflow.
    pub(super) fn scaled(
        &mut self,
        x: Pair,
        grows: bool,
        f: impl FnMut(&mut Builder, Value) -> Value,
    ) -> Pair {
        let scaled = self.each(x, f);
        if grows { self.settled(scaled.hi, scaled) } else { scaled }
    }

    /// `a` if `cond`, else `c`.
    pub(super) fn choose(&mut self, cond: Value, a: Pair, c: Pair) -> Pair {
        let hi = self.three(Op::Select, cond, a.hi, c.hi);
        let lo = (a.lo.is_some() || c.lo.is_some()).then(|| {
            let (a, c) = (self.lo(a), self.lo(c));
            self.three(Op::Select, cond, a, c)
        });
        Pair { hi, lo }
    }

    /// ±1 with the sign of x: of p, or of the pair where p is 0.
    pub(super) fn sign(&mut self, x: Shadowed) -> Value {
        let by = match x.pair {
            None => x.p,
            Some(pair) => {
                let tie = self.two(Op::Eq, x.p, self.zero);
                self.three(Op::Select, tie, pair.hi, x.p)
            }
        };
        let one = self.num(1.0);
        self.two(Op::Copysign, one, by)
    }

    /// `max` or `min`: the operand that is it by p, or, if these are equal, by the pairs.
    pub(super) fn extremum(&mut self, op: Op, a: Shadowed, c: Shadowed) -> Pair {
        let (x, y) = (a.pair(), c.pair());
        let tie = self.two(Op::Eq, a.p, c.p);
        let left = self.three(Op::Select, tie, x.hi, a.p);
        let right = self.three(Op::Select, tie, y.hi, c.p);
        let (left, right) = match (x.lo, y.lo) {
            (None, None) => (left, right),
            _ => {
                let (xl, yl) = (self.lo(x), self.lo(y));
                let tie = self.two(Op::Eq, left, right);
                (self.three(Op::Select, tie, xl, left), self.three(Op::Select, tie, yl, right))
            }
        };
        let better = if op == Op::Max { Op::Gt } else { Op::Lt };
        let first = self.two(better, left, right);
        let nan = self.one(Op::IsNan, a.p);
        let first = self.two(Op::Or, first, nan);
        let Pair { hi, lo } = self.choose(first, x, y);
        // Equal pairs may be zeros of both signs.
        let both = self.two(op, x.hi, y.hi);
        Pair { hi: self.three(Op::Select, tie, both, hi), lo }
    }
}

/// Whether products with it are exact unless they leave the range of doubles.
fn power_of_two(c: f64) -> bool {
    let exponent = (c.to_bits() >> 52) & 0x7ff;
    c.to_bits() << 12 == 0 && exponent.abs_diff(1023) <= MODERATE
}
