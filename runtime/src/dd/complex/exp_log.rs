//! Exponentials, logarithms and powers.

use super::super::arith::{Dd, power_of_two};
use super::super::circular::{finite_atan2, finite_sin_cos, normalised};
use super::super::constant::{LN_2, LN_2_REST, LOG2_E, LOG10_E, PI};
use super::super::exact::two_prod;
use super::super::exp_log::{exp_parts, finite_expm1, finite_log1p, positive_log};
use super::super::power::finite_hypot;
use super::arith::powi;
use super::{Cdd, total, total2};
use crate::complex::{self, NEGLIGIBLE};
use num_complex::Complex64;

/// `e^z`
pub fn exp(z: Cdd) -> Cdd {
    total(z, complex::exp, finite_exp)
}

/// `e^z` of a number that is neither infinite nor NaN.
pub(super) fn finite_exp(z: Cdd) -> Cdd {
    let (m, k) = exp_parts(z.re);
    let (sin, cos) = finite_sin_cos(z.im);
    Cdd::new(product(cos, m, k), product(sin, m, k))
}

/// `a b 2^k` for a `b` near 1, also where `a` is subnormal and 2^k huge.
pub(super) fn product(a: Dd, b: Dd, k: i32) -> Dd {
    if a.hi.abs() < 1e-200 { (a.scaled(power_of_two(600)) * b).ldexp(k - 600) } else { (a * b).ldexp(k) }
}

/// `e^z - 1`, accurate near all its zeros 2πik: its real part is `(e^x - 1) cos y - 2 sin² (y/2)`.
pub fn expm1(z: Cdd) -> Cdd {
    total(z, complex::expm1, |z| {
        if z.re.hi.abs() > 1.0 {
            let w = finite_exp(z);
            return Cdd::new(w.re - Dd::ONE, w.im);
        }
        let (sin, cos) = finite_sin_cos(z.im);
        let (half, _) = finite_sin_cos(z.im.half());
        let e = finite_expm1(z.re);
        Cdd::new(e * cos - half.square().twice(), sin + sin * e)
    })
}

/// `2^z`. Its error grows with the angle.
pub fn exp2(z: Cdd) -> Cdd {
    total(z, complex::exp2, |z| {
        let y = z.im;
        if y.hi.abs() >= UNKNOWN {
            return Cdd::of(complex::exp2(z.high()));
        }
        // The angle in two parts, the larger of them exact.
        let (large, low) = two_prod(y.hi, LN_2.hi);
        let small = Dd::of(y.hi) * Dd::of(LN_2.lo) + Dd::of(y.lo) * LN_2;
        let small = small.plus(y.hi * LN_2_REST);
        let ((s, c), (s2, c2)) = (finite_sin_cos(Dd::new(large, low)), finite_sin_cos(small));
        let (m, k) = exp_parts(z.re * LN_2);
        Cdd::new(product(c * c2 - s * s2, m, k), product(s * c2 + c * s2, m, k))
    })
}

/// `ln(e^a + e^b)`, the principal logarithm. Near its zeros and logarithmic singularities the error is that of the terms that
/// cancel there.
pub fn logaddexp(a: Cdd, b: Cdd) -> Cdd {
    let [a, b] = [a, b].map(|z| Cdd::new(z.re, principal(z.im)));
    let (small, large) = if a.re.below(b.re) { (a, b) } else { (b, a) };
    if large.re.hi - small.re.hi > NEGLIGIBLE {
        return large;
    }
    total2(a, b, complex::logaddexp, |_, _| {
        let sum = large + log1p(exp(small + -large));
        let angle = principal(sum.im);
        // On the cut the side is that of doubles.
        let side = complex::logaddexp(a.high(), b.high()).im;
        let other = (side - angle.hi).abs() > 3.0;
        Cdd::new(sum.re, if other { angle + PI.twice().copysign(Dd::of(side)) } else { angle })
    })
}

/// The angle as one of [−π, π].
fn principal(angle: Dd) -> Dd {
    if angle.hi.abs() <= 3.0 {
        return angle;
    }
    if !angle.hi.is_finite() {
        return Dd::NAN;
    }
    let (sin, cos) = finite_sin_cos(angle);
    finite_atan2(sin, cos)
}

/// `ln z`, cut (−∞, 0].
pub fn log(z: Cdd) -> Cdd {
    total(z, complex::log, |z| Cdd::new(log_modulus(z), finite_atan2(z.im, z.re)))
}

/// `ln |z|`, for `|z|` near 1 from `|z|² - 1 = (a - 1)(a + 1) + b²`; NaN at 0.
pub(super) fn log_modulus(z: Cdd) -> Dd {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (a, b) = if x.hi < y.hi { (y, x) } else { (x, y) };
    if b.hi == 0.0 {
        return positive_log(a);
    }
    if (0.5..1.5).contains(&a.hi) {
        return finite_log1p(a.plus(-1.0) * a.plus(1.0) + b.square()).half();
    }
    if (1e-100..1e100).contains(&a.hi) {
        return positive_log(finite_hypot(a, b));
    }
    let (_, e) = normalised(a);
    positive_log(finite_hypot(a.ldexp(-e), b.ldexp(-e))) + LN_2.times(e as f64)
}

/// `ln z / ln 2`, cut (−∞, 0].
pub fn log2(z: Cdd) -> Cdd {
    total_log(z, complex::log2, LOG2_E, |z| {
        let re = if z.im.hi == 0.0 { super::super::log2(z.re.abs()) } else { log_modulus(z) * LOG2_E };
        Cdd::new(re, finite_atan2(z.im, z.re) * LOG2_E)
    })
}

/// `ln z / ln 10`, cut (−∞, 0].
pub fn log10(z: Cdd) -> Cdd {
    total_log(z, complex::log10, LOG10_E, |z| {
        Cdd::new(log_modulus(z) * LOG10_E, finite_atan2(z.im, z.re) * LOG10_E)
    })
}

/// As [`total`], of a logarithm whose angles are those of the natural one times `unit`.
fn total_log(z: Cdd, f: impl FnOnce(Complex64) -> Complex64, unit: Dd, g: impl FnOnce(Cdd) -> Cdd) -> Cdd {
    if z.re.hi.is_finite() && z.im.hi.is_finite() {
        return total(z, f, g);
    }
    let double = f(z.high());
    let angle = log(z).im * unit;
    let known = double.im.is_finite() && double.im != 0.0;
    Cdd::new(Dd::of(double.re), if known { angle } else { Dd::of(double.im) })
}

/// `ln(1 + z)`, cut (−∞, −1], with `|1 + z|² - 1 = x (2 + x) + y²`.
pub fn log1p(z: Cdd) -> Cdd {
    total(z, complex::log1p, |z| {
        let shifted = z.re.plus(1.0);
        let near = shifted.hi.abs() < 1.5 && z.im.hi.abs() < 1.5;
        let square = z.re * z.re.plus(2.0) + z.im.square();
        let re = if near && square.hi > -0.75 {
            finite_log1p(square).half()
        } else {
            log_modulus(Cdd::new(shifted, z.im))
        };
        Cdd::new(re, finite_atan2(z.im, shifted))
    })
}

/// `z^w = e^(w ln z)`, cut (−∞, 0] of `z`, with the special values of [`complex::pow`]. Its error grows with `|w ln z|`, as
/// its condition number does.
pub fn pow(z: Cdd, w: Cdd) -> Cdd {
    total2(z, w, complex::pow, |z, w| {
        let zero = |z: Cdd| z.re.hi == 0.0 && z.im.hi == 0.0;
        if zero(w) || zero(z) {
            return Cdd::of(complex::pow(z.high(), w.high()));
        }
        let real = w.im.hi == 0.0;
        if real && w.re.lo == 0.0 && w.re.hi == w.re.hi.trunc() && w.re.hi.abs() <= MAX_MULTIPLIED {
            let power = powi(z, w.re.hi as i64);
            let size = power.size();
            if size.is_normal() {
                return power;
            }
        }
        let l = Cdd::new(log_modulus(z), finite_atan2(z.im, z.re));
        let exponent = if real { l.by(w.re) } else { w * l };
        if exponent.im.hi.abs() < UNKNOWN {
            return finite_exp(exponent);
        }
        Cdd::of(complex::pow(z.high(), w.high()))
    })
}

/// From here on an angle has no digits behind the point.
const UNKNOWN: f64 = 1e30;

/// Largest integer exponent taken by multiplication.
const MAX_MULTIPLIED: f64 = 64.0;
