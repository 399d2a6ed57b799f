//! Sums, products, quotients, roots and powers of two of double-doubles.
//!
//! Algorithms and bounds are those of Joldes, Muller & Popescu, *Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic* (ACM TOMS 44, 2017), with u = 2⁻⁵³. They hold where no part of an operand or of a product
//! overflows or underflows; a sum or product that overflows has parts that are infinite or NaN.

use super::exact::two_prod;
use super::wide::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The number `hi + lo`, where `hi` is the double next to it. The sign of a zero is that of `hi`. With another type than `f64`,
/// several such numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dd<R = f64> {
    /// The number, rounded.
    pub hi: R,
    /// What `hi` leaves out.
    pub lo: R,
}

impl Dd {
    /// 0
    pub const ZERO: Dd = Dd::of(0.0);
    /// 1
    pub const ONE: Dd = Dd::of(1.0);
    /// Not a number.
    pub const NAN: Dd = Dd::of(f64::NAN);

    /// A double.
    #[inline(always)]
    pub const fn of(x: f64) -> Dd {
        Dd { hi: x, lo: 0.0 }
    }

    /// The sum of any two doubles, normalised; `lo` is 0 beside an infinite or NaN `hi`.
    #[inline(always)]
    pub fn new(hi: f64, lo: f64) -> Dd {
        let sum = hi + lo;
        if sum == hi && sum.is_finite() {
            // Also −0 + 0, whose sign stays.
            return Dd { hi, lo };
        }
        renormalised(hi, lo)
    }

    /// The number for each of several.
    #[inline(always)]
    pub(crate) fn like<R: Real>(self, several: R) -> Dd<R> {
        Dd { hi: several.num(self.hi), lo: several.num(self.lo) }
    }

    /// Whether neither part is infinite or NaN.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        (self.hi + self.lo).is_finite()
    }

    /// Whether it is NaN.
    #[inline(always)]
    pub fn is_nan(self) -> bool {
        self.hi.is_nan()
    }

    /// Whether the sign bit is set, also of −0.
    #[inline(always)]
    pub fn is_negative(self) -> bool {
        self.hi.is_sign_negative()
    }

    /// `self / x`, within 3.5u² (algorithm 15).
    #[inline(always)]
    pub fn over(self, x: f64) -> Dd {
        let q = self.hi / x;
        let (p, e) = two_prod(q, x);
        Dd::quick(q, ((self.hi - p) + (self.lo - e)) / x)
    }

    /// `self 2^n`, rounded once where it becomes subnormal; ±∞ with `lo` 0 where it overflows.
    pub(crate) fn ldexp(self, n: i32) -> Dd {
        if (-900..=900).contains(&n) && self.hi.abs() < 2f64.powi(100) && self.hi.abs() > 2f64.powi(-60) {
            return self.scaled(power_of_two(n));
        }
        let hi = libm::scalbn(self.hi, n);
        if !hi.is_finite() || hi.abs() < f64::MIN_POSITIVE {
            // Neither part rounds the other's error away: the sum is what is rounded.
            return Dd::of(if hi.is_finite() { libm::scalbn(rounded_odd(self), n) } else { hi });
        }
        // The low part may have become half a unit of the high one.
        Dd::quick(hi, libm::scalbn(self.lo, n))
    }

    /// `√self`: NaN of negative numbers, ±0 of ±0. Within 25/8 u² (Lefèvre, Louvet, Muller, Picot & Rideau, *Accurate
    /// calculation of Euclidean norms using double-word arithmetic*, ACM TOMS 49, 2023).
    pub fn sqrt(self) -> Dd {
        if !(1e-200..1e200).contains(&self.hi) {
            return self.sqrt_of_extreme();
        }
        let root = self.hi.sqrt();
        let (p, e) = two_prod(root, root);
        Dd::quick(root, ((self.hi - p) + (self.lo - e)) / (2.0 * root))
    }

    #[cold]
    fn sqrt_of_extreme(self) -> Dd {
        if !(self.hi > 0.0 && self.hi < f64::INFINITY) {
            return Dd::of(self.hi.sqrt());
        }
        let up = self.hi < 1.0;
        let x = self.scaled(if up { 2f64.powi(540) } else { 2f64.powi(-540) });
        x.sqrt().scaled(if up { 2f64.powi(-270) } else { 2f64.powi(270) })
    }

    /// Whether it is smaller than `other`; false beside NaN.
    #[inline(always)]
    pub fn below(self, other: Dd) -> bool {
        self.hi < other.hi || (self.hi == other.hi && self.lo < other.lo)
    }
}

impl<R: Real> Dd<R> {
    /// A sum of two doubles, the first being 0 or not smaller (Dekker's fast two-sum).
    #[inline(always)]
    pub(crate) fn quick(a: R, b: R) -> Dd<R> {
        let hi = a + b;
        Dd { hi, lo: b - (hi - a) }
    }

    /// The sum of two doubles (Knuth's two-sum).
    #[inline(always)]
    pub(crate) fn sum(a: R, b: R) -> Dd<R> {
        let hi = a + b;
        let t = hi - a;
        Dd { hi, lo: (a - (hi - t)) + (b - t) }
    }

    /// The product of two doubles.
    #[inline(always)]
    pub(crate) fn product(a: R, b: R) -> Dd<R> {
        let hi = a * b;
        Dd { hi, lo: a.fused_minus(b, hi) }
    }

    /// `a` where `m` holds, else `b`.
    #[inline(always)]
    pub(crate) fn pick(m: R::Mask, a: Dd<R>, b: Dd<R>) -> Dd<R> {
        Dd { hi: R::pick(m, a.hi, b.hi), lo: R::pick(m, a.lo, b.lo) }
    }

    /// With the other sign where that of `x` is set.
    #[inline(always)]
    pub(crate) fn flip(self, x: R) -> Dd<R> {
        Dd { hi: self.hi.flip(x), lo: self.lo.flip(x) }
    }

    /// `|self|`
    #[inline(always)]
    pub fn abs(self) -> Dd<R> {
        self.flip(self.hi)
    }

    /// `|self|` with the sign of `other`.
    #[inline(always)]
    pub fn copysign(self, other: Dd<R>) -> Dd<R> {
        self.flip(self.hi).flip(other.hi)
    }

    /// `self + x`, within 2u² (algorithm 4).
    #[inline(always)]
    pub fn plus(self, x: R) -> Dd<R> {
        let Dd { hi, lo } = Dd::sum(self.hi, x);
        Dd::quick(hi, self.lo + lo)
    }

    /// `self + other` where `self` is 0 or not smaller: within 3u² of `self`.
    #[inline(always)]
    pub(crate) fn quick_add(self, other: Dd<R>) -> Dd<R> {
        let Dd { hi, lo } = Dd::quick(self.hi, other.hi);
        Dd::quick(hi, lo + (self.lo + other.lo))
    }

    /// `self + x` where `self` is 0 or not smaller: within 2u² of `self`.
    #[inline(always)]
    pub(crate) fn quick_plus(self, x: R) -> Dd<R> {
        let Dd { hi, lo } = Dd::quick(self.hi, x);
        Dd::quick(hi, lo + self.lo)
    }

    /// `self x`, within 3u² (algorithm 8).
    #[inline(always)]
    pub fn times(self, x: R) -> Dd<R> {
        let Dd { hi, lo } = Dd::product(self.hi, x);
        Dd::quick(hi, self.lo * x + lo)
    }

    /// `self²`
    #[inline(always)]
    pub fn square(self) -> Dd<R> {
        let Dd { hi, lo } = Dd::product(self.hi, self.hi);
        Dd::quick(hi, lo + self.hi.num(2.0) * (self.hi * self.lo))
    }

    /// `1 / self`
    #[inline(always)]
    pub fn recip(self) -> Dd<R> {
        Dd::ONE.like(self.hi) / self
    }

    /// Half of it.
    #[inline(always)]
    pub fn half(self) -> Dd<R> {
        self.scaled(self.hi.num(0.5))
    }

    /// Twice it.
    #[inline(always)]
    pub fn twice(self) -> Dd<R> {
        self.scaled(self.hi.num(2.0))
    }

    /// `self x` for a power of two `x`: exact where nothing over- or underflows.
    #[inline(always)]
    pub(crate) fn scaled(self, x: R) -> Dd<R> {
        Dd { hi: self.hi * x, lo: self.lo * x }
    }
}

/// The sum of parts that are not the ones of a double-double.
#[cold]
fn renormalised(hi: f64, lo: f64) -> Dd {
    let sum = hi + lo;
    if !hi.is_finite() || !sum.is_finite() {
        return Dd::of(if hi.is_finite() { sum } else { hi });
    }
    Dd::sum(hi, lo)
}

/// `hi`, or if that is short of `lo` and even, its neighbour on the side of `lo`: so that rounding it to fewer bits is
/// rounding the sum (Boldo & Melquiond, *Emulation of FMA and correctly rounded sums*, IEEE TC 57, 2008).
fn rounded_odd(x: Dd) -> f64 {
    if x.lo == 0.0 || x.hi.to_bits() & 1 == 1 {
        return x.hi;
    }
    let away = (x.lo > 0.0) == (x.hi > 0.0);
    f64::from_bits(if away { x.hi.to_bits() + 1 } else { x.hi.to_bits() - 1 })
}

/// `2^n` for −1022 <= n <= 1023.
#[inline(always)]
pub(crate) fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The exponent e with `2^e <= |x| < 2^(e+1)`, for `x` neither 0 nor subnormal nor infinite nor NaN.
#[inline(always)]
pub(crate) fn exponent(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

impl<R: Real> Neg for Dd<R> {
    type Output = Dd<R>;
    #[inline(always)]
    fn neg(self) -> Dd<R> {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

/// Within 3u² (algorithm 6), whatever the signs.
impl<R: Real> Add for Dd<R> {
    type Output = Dd<R>;
    #[inline(always)]
    fn add(self, other: Dd<R>) -> Dd<R> {
        let (s, t) = (Dd::sum(self.hi, other.hi), Dd::sum(self.lo, other.lo));
        let v = Dd::quick(s.hi, s.lo + t.hi);
        Dd::quick(v.hi, t.lo + v.lo)
    }
}

impl<R: Real> Sub for Dd<R> {
    type Output = Dd<R>;
    #[inline(always)]
    fn sub(self, other: Dd<R>) -> Dd<R> {
        self + -other
    }
}

/// Within 5u² (algorithm 10 with one term less).
impl<R: Real> Mul for Dd<R> {
    type Output = Dd<R>;
    #[inline(always)]
    fn mul(self, other: Dd<R>) -> Dd<R> {
        let Dd { hi, lo } = Dd::product(self.hi, other.hi);
        Dd::quick(hi, lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

/// Within 10u² (algorithm 17).
impl<R: Real> Div for Dd<R> {
    type Output = Dd<R>;
    #[inline(always)]
    fn div(self, other: Dd<R>) -> Dd<R> {
        let q = self.hi / other.hi;
        let r = other.times(q);
        Dd::quick(q, ((self.hi - r.hi) + (self.lo - r.lo)) / other.hi)
    }
}

impl From<f64> for Dd {
    fn from(x: f64) -> Dd {
        Dd::of(x)
    }
}
