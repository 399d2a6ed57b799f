//! Powers, roots, remainder, and the polar coordinates of real numbers.

use super::dispatch::scalar;
#[cfg(target_arch = "x86_64")]
use super::dispatch::{FUSED, Ordering, detect};
use crate::lanes::{self, Lanes as _, RareOfTwo, Scalar};

scalar! {
    /// `a^b`, with the special cases of C99 (`pow(x, 0) = pow(1, y) = 1` even for NaN).
    pow(a, b) -> f64 = usual_pow(a, b);
    /// `arg(b + i a)` in [−π, π].
    atan2(a, b) -> f64 = lanes::atan2(&mut Scalar, a, b);
    /// `√(a² + b²)` without overflow or underflow on the way; infinite if an operand is, even beside a NaN.
    hypot(a, b) -> f64 = lanes::hypot(&mut Scalar, a, b);
}

#[inline(always)]
fn usual_pow(a: f64, b: f64) -> f64 {
    if lanes::is_normal(a) {
        let (y, x) = lanes::pow::pow(&mut Scalar, a, b);
        if x.abs() < lanes::pow::REACH {
            return y;
        }
    }
    seldom_pow(a, b)
}

/// Does not unwind, so that the way past it needs no frame.
#[cold]
#[inline(never)]
extern "C" fn seldom_pow(a: f64, b: f64) -> f64 {
    if a > 0.0 && a < f64::MIN_POSITIVE {
        let (y, x) = lanes::pow::pow(&mut Scalar, a, b);
        if x.abs() < lanes::pow::REACH {
            return y;
        }
    }
    Scalar.rare_of_two(true, RareOfTwo::Pow, [a, b], 0.0)
}

/// `x^n` by repeated squaring in a fixed order, the reciprocal of `x^|n|` for negative `n`. Hence `x^2 = x x`
/// and `x^3 = x (x x)` to the bit.
pub fn powi(x: f64, n: i64) -> f64 {
    let mut base = x;
    let mut exponent = n.unsigned_abs();
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        exponent >>= 1;
        if exponent > 0 {
            base *= base;
        }
    }
    if n < 0 { 1.0 / result } else { result }
}

/// The real cube root, odd. (Correctly rounded; that of glibc before 2.41 is off by up to 4 ulp.)
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// `a - b floor(a / b)`: the remainder with the sign of `b`, rounded once. NaN for `b = 0` or infinite `a`;
/// for infinite `b` it is `a` if the signs agree and `b` otherwise.
pub fn floor_mod(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r == 0.0 {
        r.abs().copysign(b)
    } else if (r < 0.0) != (b < 0.0) {
        r + b
    } else {
        r
    }
}

/// The argument of a real number, as of a complex one with imaginary part +0: π for negative `x` and −0, else 0.
pub fn arg(x: f64) -> f64 {
    0f64.atan2(x)
}
