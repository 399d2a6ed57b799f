//! What is known of a number: between which bounds it lies, whether it may be NaN, infinite, zero or −0, whether it is an
//! integer. Facts are proofs: of what is not known, everything is possible.
//!
//! They come from literals, from what ops can give ([`Facts::of`]), from declared domains, from conditions that hold here
//! ([`Facts::where_compared`]), and from the bounds of loops ([`known`]). Bounds are of the value as computed, in its precision: rounding is
//! monotone, so `+ − × ÷ √` of bounds are bounds; bounds of other functions are widened by a relative 10⁻¹³. Facts settle comparisons
//! ([`Facts::decided`]).

mod known;
mod ops;
mod range;

pub(crate) use known::Known;
pub use range::Range;

use adc_ir::{Const, Op, ParamDomain, Scalar};
use ops::transfer;

/// What is known of a value: of a real or integer one in the first part, of a complex one in both. Of booleans nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The number or its real part.
    pub re: Range,
    /// The imaginary part; +0 of what is real.
    pub im: Range,
}

impl Facts {
    /// Nothing is known of a value of this type but the type.
    pub fn any(ty: Scalar) -> Facts {
        match ty {
            Scalar::Bool => Facts::real(Range::ANY),
            Scalar::I64 => Facts::real(Range {
                nan: false,
                minus_zero: false,
                integer: true,
                ..Range::between(-9.3e18, 9.3e18, false)
            }),
            Scalar::F32 | Scalar::F64 => Facts::real(Range::ANY),
            Scalar::C64 | Scalar::C128 => Facts { re: Range::ANY, im: Range::ANY },
        }
    }

    /// A real number.
    pub fn real(re: Range) -> Facts {
        Facts { re, im: Range::ZERO }
    }

    /// A literal.
    pub fn literal(c: Const) -> Facts {
        let z = c.to_c128();
        match c {
            Const::Bool(_) => Facts::any(Scalar::Bool),
            // Rounded to a double.
            Const::I64(n) if n.unsigned_abs() > 1 << 53 => Facts::any(Scalar::I64),
            Const::I64(_) | Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => {
                Facts { re: Range::exactly(z.re), im: Range::exactly(z.im) }
            }
        }
    }

    /// An integer between these bounds.
    pub fn integer(lo: i64, hi: i64) -> Facts {
        // Large ones are rounded, outwards or not.
        let out = |n: i64, up: f64| n as f64 + if n.unsigned_abs() > 1 << 53 { up * 4096.0 } else { 0.0 };
        let range = Range::between(out(lo, -1.0), out(hi, 1.0), false);
        Facts::real(Range { minus_zero: false, integer: true, ..range })
    }

    /// A parameter with a declared domain.
    pub fn declared(domain: ParamDomain, ty: Scalar) -> Facts {
        match domain {
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => {
                let mut range = Range::between(lo, hi, false);
                let open_at_0 = (lo == 0.0 && !lo_closed) || (hi == 0.0 && !hi_closed);
                range.zero &= !open_at_0;
                range.integer = ty == Scalar::I64;
                range.minus_zero &= ty != Scalar::I64;
                // An open end at infinity leaves it out.
                let most = if ty.is_single() { f32::MAX as f64 } else { f64::MAX };
                if hi == f64::INFINITY && !hi_closed {
                    range.hi = most;
                }
                if lo == f64::NEG_INFINITY && !lo_closed {
                    range.lo = -most;
                }
                Facts::real(range)
            }
            ParamDomain::Annulus { r1, .. } => {
                let part = Range::between(-r1, r1, false).widened();
                Facts { re: part, im: part }
            }
        }
    }

    /// Whether there is an imaginary part.
    fn is_complex(&self) -> bool {
        self.im != Range::ZERO
    }

    /// What is known of a value that is one of the two.
    pub fn join(&self, o: &Facts) -> Facts {
        Facts { re: self.re.join(&o.re), im: self.im.join(&o.im) }
    }

    /// [`Facts::join`] of facts that may depend on each other: repeated, it comes to an end.
    pub fn widen(&self, o: &Facts) -> Facts {
        Facts { re: self.re.widen(&o.re), im: self.im.widen(&o.im) }
    }

    /// Whether what decides about domains and guards is known of the other value, too, if it is of this one.
    pub fn implied_by(&self, o: &Facts) -> bool {
        self.re.implied_by(&o.re) && self.im.implied_by(&o.im)
    }

    /// The value of a real or integer literal, if it is one and not 0.
    pub fn point(&self) -> Option<f64> {
        (self.re.lo == self.re.hi && !self.re.nan && self.re.lo != 0.0).then_some(self.re.lo)
    }

    /// What is known of a real number x of which `x < y`, `x ≤ y`, `x > y`, `x ≥ y` or `x = y` is known to be `truth`, besides
    /// what was known before. `op` is the comparison.
    pub fn where_compared(&self, op: Op, y: &Facts, truth: bool) -> Facts {
        let mut x = self.re;
        let y = y.re;
        let holds = match op {
            _ if truth => op,
            // Of what compares false with something that may be NaN nothing follows. An x that may be NaN has bounds
            // nevertheless: NaN is left out of them.
            _ if y.nan => return *self,
            Op::Lt => Op::Ge,
            Op::Le => Op::Gt,
            Op::Gt => Op::Le,
            Op::Ge => Op::Lt,
            _ => return *self,
        };
        match holds {
            Op::Lt | Op::Le => {
                x.hi = x.hi.min(y.hi);
                if holds == Op::Lt && y.hi <= 0.0 {
                    x.zero = false;
                }
                if holds == Op::Lt && x.hi == f64::INFINITY {
                    x.hi = f64::MAX;
                }
            }
            Op::Gt | Op::Ge => {
                x.lo = x.lo.max(y.lo);
                if holds == Op::Gt && y.lo >= 0.0 {
                    x.zero = false;
                }
                if holds == Op::Gt && x.lo == f64::NEG_INFINITY {
                    x.lo = -f64::MAX;
                }
            }
            Op::Eq => {
                (x.lo, x.hi) = (x.lo.max(y.lo), x.hi.min(y.hi));
                x.zero &= y.may_be_zero();
            }
            _ => return *self,
        }
        x.nan &= !truth;
        // No run comes by.
        if x.lo > x.hi { *self } else { Facts { re: x, im: self.im } }
    }

    /// What a comparison or classification of real numbers gives, if it is the same for all numbers of which this is known. Comparisons with
    /// NaN are false, but `x ≠ y`.
    pub fn decided(op: Op, args: &[Facts]) -> Option<bool> {
        let (x, y) = (args[0].re, args.last()?.re);
        let ordered = !x.nan && !y.nan;
        let zero = |r: Range| r.lo == 0.0 && r.hi == 0.0;
        let apart =
            x.hi < y.lo || y.hi < x.lo || (zero(y) && !x.may_be_zero()) || (zero(x) && !y.may_be_zero());
        let below = |x: Range, y: Range| x.hi <= y.lo;
        let less = |x: Range, y: Range| match () {
            () if below(y, x) => Some(false),
            () => (below(x, y) && apart && ordered).then_some(true),
        };
        let at_most = |x: Range, y: Range| match () {
            () if below(y, x) && apart => Some(false),
            () => (below(x, y) && ordered).then_some(true),
        };
        let finite = x.lo.is_finite() && x.hi.is_finite() && !x.nan;
        match op {
            Op::Lt => less(x, y),
            Op::Gt => less(y, x),
            Op::Le => at_most(x, y),
            Op::Ge => at_most(y, x),
            Op::Eq => apart.then_some(false),
            Op::Ne => apart.then_some(true),
            Op::IsNan => (!x.nan).then_some(false),
            Op::IsInf => finite.then_some(false),
            Op::IsFinite => finite.then_some(true),
            _ => None,
        }
    }

    /// What is known of a number that is known to be finite.
    pub fn where_finite(&self, ty: Scalar) -> Facts {
        let most = if ty.is_single() { f32::MAX as f64 } else { f64::MAX };
        let part = |r: Range| Range { lo: r.lo.max(-most), hi: r.hi.min(most), nan: false, ..r };
        Facts { re: part(self.re), im: part(self.im) }
    }

    /// What is known of a real number that is known not to be 0.
    pub fn where_nonzero(&self) -> Facts {
        Facts { re: Range { zero: false, ..self.re }, im: self.im }
    }

    /// What an op gives, from what is known of its operands; `ty` is the type of the result.
    pub fn of(op: Op, args: &[Facts], ty: Scalar) -> Facts {
        if matches!(ty, Scalar::Bool) {
            return Facts::any(ty);
        }
        let out = transfer(op, args, ty);
        if ty.is_single() { Facts { re: out.re.single(), im: out.im.single() } } else { out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a comparison of two numbers, and a question about one, says.
    type OfTwo = fn(&f64, &f64) -> bool;
    type OfOne = fn(f64) -> bool;

    fn facts(points: &[f64]) -> Facts {
        let literals = points.iter().filter(|x| !x.is_nan()).map(|x| Facts::literal(Const::F64(*x)));
        let numbers = literals.reduce(|a, b| a.join(&b)).unwrap_or(Facts::any(Scalar::F64));
        Facts::real(Range { nan: points.iter().any(|x| x.is_nan()), ..numbers.re })
    }

    /// Every comparison of every two sets of one or two numbers gives what all their numbers give, if it is settled.
    #[test]
    fn comparisons() {
        const POINTS: [f64; 9] =
            [f64::NEG_INFINITY, -2.0, -f64::MIN_POSITIVE, -0.0, 0.0, 1.0, 3.0, f64::INFINITY, f64::NAN];
        let sets: Vec<[f64; 2]> = POINTS.iter().flat_map(|x| POINTS.map(|y| [*x, y])).collect();
        let of_two: [(Op, OfTwo); 6] = [
            (Op::Lt, f64::lt),
            (Op::Le, f64::le),
            (Op::Gt, f64::gt),
            (Op::Ge, f64::ge),
            (Op::Eq, f64::eq),
            (Op::Ne, f64::ne),
        ];
        let of_one: [(Op, OfOne); 3] =
            [(Op::IsNan, f64::is_nan), (Op::IsInf, f64::is_infinite), (Op::IsFinite, f64::is_finite)];
        for xs in &sets {
            for (op, holds) in of_one {
                if let Some(truth) = Facts::decided(op, &[facts(xs)]) {
                    assert!(xs.iter().all(|x| holds(*x) == truth), "{op:?} {xs:?}");
                }
            }
            for ys in &sets {
                for (op, holds) in of_two {
                    if let Some(truth) = Facts::decided(op, &[facts(xs), facts(ys)]) {
                        assert!(
                            xs.iter().all(|x| ys.iter().all(|y| holds(x, y) == truth)),
                            "{op:?} {xs:?} {ys:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn settled() {
        let [low, high, any] = [&[-2.0, 1.0][..], &[3.0, 4.0], &[-2.0, f64::NAN]].map(facts);
        let decided = |op, x, y| Facts::decided(op, &[x, y]);
        assert_eq!(decided(Op::Lt, low, high), Some(true));
        assert_eq!(decided(Op::Ge, low, high), Some(false));
        assert_eq!(decided(Op::Eq, low, high), Some(false));
        assert_eq!(decided(Op::Ne, high, low), Some(true));
        // Whatever is compared with NaN is false, so this is not known to be true.
        assert_eq!(decided(Op::Lt, any, high), None);
        assert_eq!(decided(Op::Gt, any, high), Some(false));
        assert_eq!(decided(Op::Eq, Facts::any(Scalar::F64).where_nonzero(), facts(&[0.0])), Some(false));
        assert_eq!(Facts::decided(Op::IsFinite, &[low]), Some(true));
        assert_eq!(Facts::decided(Op::IsNan, &[any]), None);
    }
}
