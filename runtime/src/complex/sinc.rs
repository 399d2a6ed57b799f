//! The normalised sinc function and its derivatives, by the recurrences of the functions of real operands.

use super::{Complex64, div};
use crate::real;
use crate::special::sin_cos_pi;
use std::f64::consts::PI;

/// `sin πz / πz`, 1 at 0.
pub fn sinc(z: Complex64) -> Complex64 {
    dsinc(0, z)
}

/// The `n`-th derivative of [`sinc`] at `z`; NaN for negative `n`.
///
/// With t = πz and g = sin t / t, it is πⁿ g⁽ⁿ⁾(t), and `t g⁽ⁿ⁾ + n g⁽ⁿ⁻¹⁾ = sin(t + nπ/2)`. Both g and the sines are e^|Im t| times
/// something moderate, and the recurrence is of that.
pub fn dsinc(n: i64, z: Complex64) -> Complex64 {
    if n < 0 || z.re.is_nan() || z.im.is_nan() {
        return Complex64::new(f64::NAN, f64::NAN);
    }
    if z.im == 0.0 {
        // The slope tells the sign of the zero.
        let slope = real::dsinc(n.saturating_add(1), z.re);
        return Complex64::new(real::dsinc(n, z.re), if slope.is_finite() { z.im * slope } else { z.im });
    }
    // Of larger orders πⁿ has overflowed, and they differ in the sign pattern only, of period 4.
    let n = if n > MAX_ORDER { MAX_ORDER + n % 4 } else { n };
    let t = Complex64::new(PI * z.re, PI * z.im);
    let [sin, cos] = scaled_sin_cos_pi(z);
    let waves = [sin, cos, -sin, -cos];
    let size = t.re.abs().max(t.im.abs());
    // Beside a huge operand the exponential may make up for what the quotient loses.
    let scale = if size > HUGE { 1.0 / HUGE } else { 1.0 };
    let g = if size >= n as f64 + 1.0 { upwards(n, t, scale, waves) } else { downwards(n, t, size, waves) };
    // In halves: the exponential may overflow where the result does not.
    let half = real::exp(0.5 * t.im.abs());
    let power = PI.powf(n as f64);
    let part = |x: f64| if x == 0.0 { x } else { x * power * half * scale * half };
    Complex64::new(part(g.re), part(g.im))
}

/// Operands beyond have quotients that may be subnormal: 2⁶⁶⁴.
pub(crate) const HUGE: f64 = f64::from_bits((1023 + 664) << 52);
/// A multiple of 4.
const MAX_ORDER: i64 = 1200;

/// `sin πz` and `cos πz` without the factor `e^|π Im z|`.
fn scaled_sin_cos_pi(z: Complex64) -> [Complex64; 2] {
    let (sin, cos) = sin_cos_pi(z.re);
    let decay = -2.0 * PI * z.im.abs();
    let cosh = 0.5 * (1.0 + real::exp(decay));
    let sinh = (-0.5 * real::expm1(decay)).copysign(z.im);
    [Complex64::new(sin * cosh, cos * sinh), Complex64::new(cos * cosh, -(sin * sinh))]
}

/// The function by `scale`, a power of two.
fn upwards(n: i64, t: Complex64, scale: f64, waves: [Complex64; 4]) -> Complex64 {
    let t = t * scale;
    let mut g = div(waves[0], t);
    for k in 1..=n {
        g = div(waves[(k % 4) as usize] - g * scale * k as f64, t);
    }
    g
}

/// Starts from 0 at an order so high that the error there is damped away at `n`.
fn downwards(n: i64, t: Complex64, size: f64, waves: [Complex64; 4]) -> Complex64 {
    let negligible = 1e-18 * size.min(1.0);
    // Three steps have the leading terms of both parts of a small operand.
    let (mut start, mut damping) = (n + 2, 1.0);
    while damping > negligible {
        start += 1;
        // The modulus may be √2 times the larger part.
        damping *= 1.5 * size / start as f64;
    }
    let mut g = Complex64::new(0.0, 0.0);
    for k in (n + 1..=start).rev() {
        g = (waves[(k % 4) as usize] - t * g) / k as f64;
    }
    g
}
