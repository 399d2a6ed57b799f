//! Functions made total: what the formulas do not give is what the functions of doubles give.

use super::arith::Dd;
use super::constant::PI;

/// `g(x)` for a number; the double function's value where `x.hi` is none, and where the result is infinite, NaN or 0 there.
#[inline(always)]
pub(super) fn total(x: Dd, f: impl FnOnce(f64) -> f64, g: impl FnOnce(Dd) -> Dd) -> Dd {
    if !x.hi.is_finite() {
        return limit(f(x.hi));
    }
    let y = g(x);
    if y.is_finite() && y.hi != 0.0 { y } else { settled(y, f(x.hi)) }
}

/// As [`total`], of two operands.
#[inline(always)]
pub(super) fn total2(a: Dd, b: Dd, f: impl FnOnce(f64, f64) -> f64, g: impl FnOnce(Dd, Dd) -> Dd) -> Dd {
    if !(a.hi.is_finite() && b.hi.is_finite()) {
        return limit(f(a.hi, b.hi));
    }
    let y = g(a, b);
    if y.is_finite() && y.hi != 0.0 { y } else { settled(y, f(a.hi, b.hi)) }
}

/// What a function of doubles gives where an operand is infinite or NaN, as the number it stands for: where that is finite, it is a
/// multiple of π/4, √½, or a number that doubles have.
#[cold]
pub(super) fn limit(double: f64) -> Dd {
    let angles = (1..=4).map(|k| PI.times(k as f64).scaled(0.25));
    let mut numbers = angles.chain([Dd::of(0.5).sqrt()]);
    let number = numbers.find(|x| (x.hi - double.abs()).abs() <= f64::EPSILON * x.hi);
    number.map_or(Dd::of(double), |x| x.copysign(Dd::of(double)))
}

/// Results that are 0, infinite or NaN, beside the value of the function of doubles.
#[cold]
pub(super) fn settled(y: Dd, double: f64) -> Dd {
    /// Below this a result may have underflowed on the way, from its inverse on overflowed.
    const EXTREME: f64 = 1e-290;
    let size = double.abs();
    if y.hi != 0.0 && (y.is_finite() || (y.hi.is_infinite() && y.lo == 0.0 && size.is_finite())) {
        // Also an overflow that the rounded operand misses.
        return y;
    }
    if !size.is_finite() || size < EXTREME {
        // Also an exact zero, for its sign; and a pole, a logarithm of 0, an overflow.
        return Dd::of(double);
    }
    if y.is_finite() {
        // Exactly 0, which the rounded operand misses.
        return Dd::of(0f64.copysign(double));
    }
    // An overflow on the way, or a point outside the domain by less than an ulp.
    if size > 1.0 / EXTREME { Dd::of(double) } else { Dd::NAN }
}
