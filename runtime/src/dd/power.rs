//! Powers, the cube root, and the modulus.

use super::arith::{Dd, exponent, power_of_two};
use super::circular::normalised;
use super::exp_log::{finite_exp, positive_log};
use super::total::{total, total2};
use crate::real;

/// Up to this integer exponent powers are products, whose errors add up.
const MAX_MULTIPLIED: u64 = 64;

/// `x^n`, the reciprocal of `x^|n|` for negative `n`.
pub fn powi(x: Dd, n: i64) -> Dd {
    if n == 0 {
        return Dd::ONE;
    }
    total(x, |x| real::powi(x, n), |x| integer_power(x, n))
}

/// `x^n` for an `n` that is not 0.
pub(super) fn integer_power(x: Dd, n: i64) -> Dd {
    let count = n.unsigned_abs();
    if count > MAX_MULTIPLIED {
        let power = large_power(x.abs(), Dd::sum((n >> 32) as f64 * 4294967296.0, (n & 0xffff_ffff) as f64));
        return if x.is_negative() && n & 1 == 1 { -power } else { power };
    }
    if n >= 0 {
        multiplied(x, count)
    } else if x.hi.abs() < 1.0 {
        // The inverse first: the power might be subnormal.
        multiplied(x.recip(), count)
    } else {
        multiplied(x, count).recip()
    }
}

/// `x^n` by repeated squaring, for `n > 0`.
pub(super) fn multiplied(x: Dd, n: u64) -> Dd {
    let (mut base, mut rest) = (x, n);
    while rest & 1 == 0 && rest > 0 {
        base = base.square();
        rest >>= 1;
    }
    let mut result = base;
    rest >>= 1;
    while rest > 0 {
        base = base.square();
        if rest & 1 == 1 {
            result = result * base;
        }
        rest >>= 1;
    }
    result
}

/// `x^b = e^(b ln x)` for positive `x`. The exponent is below 750, so its error is that of 750 units.
fn large_power(x: Dd, b: Dd) -> Dd {
    finite_exp(b * positive_log(x))
}

/// `a^b`, with the special cases of C99: NaN for negative `a` unless `b` is an integer.
pub fn pow(a: Dd, b: Dd) -> Dd {
    let integer = b.hi == b.hi.trunc() && b.lo == b.lo.trunc();
    if a.hi < 0.0 && !integer && a.hi.is_finite() && b.hi.is_finite() {
        return Dd::NAN;
    }
    total2(a, b, real::pow, |a, b| {
        if a == Dd::ONE || b.hi == 0.0 || a.hi == 0.0 {
            return Dd::of(real::pow(a.hi, b.hi));
        }
        if integer && b.lo == 0.0 && b.hi.abs() <= MAX_MULTIPLIED as f64 {
            return integer_power(a, b.hi as i64);
        }
        if a.hi > 0.0 {
            return large_power(a, b);
        }
        let power = large_power(-a, b);
        let odd = |x: f64| x % 2.0 != 0.0;
        if odd(b.hi) != odd(b.lo) { -power } else { power }
    })
}

/// The real cube root: one step of Newton's method from that of the double.
pub fn cbrt(x: Dd) -> Dd {
    total(x, real::cbrt, |x| {
        if x.hi == 0.0 {
            return x;
        }
        let (m, e) = normalised(x);
        let third = e.div_euclid(3);
        let m = m.scaled(power_of_two(e - 3 * third));
        let y = real::cbrt(m.hi);
        let square = Dd::product(y, y);
        let rest = m - square.times(y);
        Dd::quick(y, rest.hi / (3.0 * square.hi)).ldexp(third)
    })
}

/// `√(a² + b²)` without overflow or underflow on the way.
pub fn hypot(a: Dd, b: Dd) -> Dd {
    total2(a, b, real::hypot, finite_hypot)
}

/// [`hypot`] of numbers that are neither infinite nor NaN.
pub(super) fn finite_hypot(a: Dd, b: Dd) -> Dd {
    let ordinary = |x: f64| (1e-100..1e100).contains(&x);
    if ordinary(a.hi.abs()) && ordinary(b.hi.abs()) {
        return (a.square() + b.square()).sqrt();
    }
    let (small, large) = if a.hi.abs() < b.hi.abs() { (a, b) } else { (b, a) };
    if small.hi == 0.0 {
        return large.abs();
    }
    let (large, e) = normalised(large);
    if e - exponent(small.hi) > 130 {
        return large.abs().ldexp(e);
    }
    let small = small.ldexp(-e);
    (large.square() + small.square()).sqrt().ldexp(e)
}
