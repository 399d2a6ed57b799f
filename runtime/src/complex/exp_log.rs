//! Exponentials, logarithms and powers.

use super::{Complex64, abs, powi};
use crate::dd::{sum_of_products, two_prod, two_sum};
use crate::{real, system};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E, PI};

/// `e^z`
pub fn exp(z: Complex64) -> Complex64 {
    let real::Pair { first, second } = real::cexp(z.re, z.im);
    Complex64::new(first, second)
}

/// `e^(i z)`
pub fn cis(z: Complex64) -> Complex64 {
    exp(Complex64::new(-z.im, z.re))
}

/// `e^z - 1`, accurate near all its zeros 2πik.
pub fn expm1(z: Complex64) -> Complex64 {
    let w = exp(z);
    let re = if z.im == 0.0 {
        z.re.exp_m1()
    } else if (0.5..2.0).contains(&w.re) {
        // e^x cos y − 1 = (e^x − 1) cos y − 2 sin²(y/2)
        let half = (0.5 * z.im).sin();
        sum_of_products(z.re.exp_m1(), z.im.cos(), -2.0 * half, half)
    } else {
        w.re - 1.0
    };
    Complex64::new(re, w.im)
}

/// `2^z`
pub fn exp2(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return Complex64::new(real::exp2(z.re), z.im);
    }
    // The angle with the rounding error of the product, since it may be large.
    let (angle, low) = two_prod(z.im, LN_2);
    let low = if angle.is_finite() { low + z.im * LN_2_LOW } else { 0.0 };
    let ((sin, cos), (sin_low, cos_low)) = (angle.sin_cos(), low.sin_cos());
    let (sin, cos) = (sin * cos_low + cos * sin_low, cos * cos_low - sin * sin_low);
    if (-1000.0..1000.0).contains(&z.re) {
        let size = real::exp2(z.re);
        return Complex64::new(size * cos, size * sin);
    }
    if (-2000.0..2000.0).contains(&z.re) {
        // In two steps: 2^x may overflow where its product with the sine or cosine does not.
        let half = real::exp2(0.5 * z.re);
        return Complex64::new(half * cos * half, half * sin * half);
    }
    exp(Complex64::new(z.re * LN_2, angle))
}

/// ln 2 less `LN_2`.
const LN_2_LOW: f64 = 2.3190468138462996e-17;

/// `ln(e^a + e^b)`, the principal logarithm, without overflow or underflow on the way. An operand with real part −∞ gives the
/// other.
pub fn logaddexp(a: Complex64, b: Complex64) -> Complex64 {
    let [a, b] = [a, b].map(|z| Complex64::new(z.re, principal(z.im)));
    let (small, large) = if a.re < b.re { (a, b) } else { (b, a) };
    if large.re - small.re > NEGLIGIBLE {
        return large;
    }
    let rest = log1p(exp(small - large));
    Complex64::new(large.re + rest.re, principal(large.im + rest.im))
}

/// Beyond, the exponential of the difference is 0.
pub(crate) const NEGLIGIBLE: f64 = 2000.0;

/// The angle as one of [−π, π].
fn principal(angle: f64) -> f64 {
    if angle.abs() <= PI {
        return angle;
    }
    let (sin, cos) = angle.sin_cos();
    sin.atan2(cos)
}

/// `ln z`, cut (−∞, 0].
pub fn log(z: Complex64) -> Complex64 {
    system::clog(z)
}

/// `ln z / ln 2`, cut (−∞, 0]. Exact for powers of two.
pub fn log2(z: Complex64) -> Complex64 {
    let w = system::clog(z);
    let re = if z.im == 0.0 { z.re.abs().log2() } else { w.re * LOG2_E };
    Complex64::new(re, w.im * LOG2_E)
}

/// `ln z / ln 10`, cut (−∞, 0]. Exact for powers of ten.
pub fn log10(z: Complex64) -> Complex64 {
    let w = system::clog(z);
    let re = if z.im == 0.0 { z.re.abs().log10() } else { w.re * LOG10_E };
    Complex64::new(re, w.im * LOG10_E)
}

/// `ln(1 + z)`, cut (−∞, −1].
pub fn log1p(z: Complex64) -> Complex64 {
    let shifted = 1.0 + z.re;
    if !(z.re.is_finite() && z.im.is_finite()) {
        return system::clog(Complex64::new(shifted, z.im));
    }
    // |1 + z|² − 1 = x(2 + x) + y², whose terms cancel near the circle |1 + z| = 1: summed exactly.
    let norm = shifted * shifted + z.im * z.im;
    let re = if z.im == 0.0 && z.re > -1.0 {
        z.re.ln_1p()
    } else if (0.25..4.0).contains(&norm) {
        let (xx, xx_low) = two_prod(z.re, z.re);
        let (yy, yy_low) = two_prod(z.im, z.im);
        let (s, s_low) = two_sum(2.0 * z.re, yy);
        let (s, t_low) = two_sum(s, xx);
        0.5 * (s + (s_low + t_low + xx_low + yy_low)).ln_1p()
    } else {
        // Far from the circle; 1 + x is exact near the pole.
        system::clog(Complex64::new(shifted, z.im)).re
    };
    Complex64::new(re, z.im.atan2(shifted))
}

/// `√z` with non-negative real part, cut (−∞, 0].
pub fn sqrt(z: Complex64) -> Complex64 {
    system::csqrt(z)
}

/// `z^w = e^(w ln z)`, cut (−∞, 0] of `z`. `z^0 = 1` for every `z`; `0^w` is 0 for `re w > 0`, infinite for
/// `re w < 0` and NaN on the imaginary axis but 0. Small integer exponents multiply, as `powi` does.
pub fn pow(z: Complex64, w: Complex64) -> Complex64 {
    if w.re == 0.0 && w.im == 0.0 {
        return Complex64::new(1.0, 0.0);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return power_of_zero(w);
    }
    if w.im == 0.0 {
        return real_power(z, w.re);
    }
    let l = system::clog(z);
    let re = sum_of_products(w.re, l.re, -w.im, l.im);
    let im = sum_of_products(w.re, l.im, w.im, l.re);
    exp(Complex64::new(re, im))
}

/// Largest integer exponent taken by multiplication.
const MAX_MULTIPLIED: f64 = 64.0;

fn real_power(z: Complex64, w: f64) -> Complex64 {
    if w.abs() <= MAX_MULTIPLIED && w == w.floor() {
        let result = powi(z, w as i64);
        if abs(result).is_normal() || !abs(z).is_finite() {
            return result;
        }
    }
    let l = system::clog(z);
    let angle = w * l.im;
    let size = abs(z);
    let radius = size.powf(w);
    if size.is_normal() && radius.is_normal() {
        let (sin, cos) = angle.sin_cos();
        return Complex64::new(radius * cos, radius * sin);
    }
    exp(Complex64::new(w * l.re, angle))
}

fn power_of_zero(w: Complex64) -> Complex64 {
    if w.re > 0.0 {
        Complex64::new(0.0, 0.0)
    } else if w.re < 0.0 {
        // The value of 1/0: infinite, in no direction.
        Complex64::new(f64::INFINITY, f64::NAN)
    } else {
        Complex64::new(f64::NAN, f64::NAN)
    }
}
