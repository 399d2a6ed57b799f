//! The normalised sinc function and its derivatives.

use super::pi::{PI_LOW, sin_cos_pi};
use std::f64::consts::PI;

/// `sin(πx) / (πx)`: 1 at 0, exactly 0 at the other integers and at ±∞.
pub fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x.is_infinite() {
        0.0
    } else {
        // A zero becomes positive.
        sin_cos_pi(x).0 / (PI * x) + 0.0
    }
}

/// The `n`-th derivative of [`sinc`] at `x`; NaN for negative `n`.
///
/// With t = πx and g = sin t / t, it is πⁿ g⁽ⁿ⁾(t). Differentiating t g = sin t gives
/// `t g⁽ⁿ⁾ + n g⁽ⁿ⁻¹⁾ = sin(t + nπ/2)`, which damps errors upwards where t > n and downwards where t < n.
pub fn dsinc(n: i64, x: f64) -> f64 {
    if n < 0 || x.is_nan() {
        return f64::NAN;
    }
    if n == 0 {
        return sinc(x);
    }
    if x.is_infinite() {
        return 0.0;
    }
    // πⁿ has overflowed long before this order: larger ones differ in the sign pattern only, of period 4.
    let n = if n > MAX_ORDER { MAX_ORDER + n % 4 } else { n };
    let t = PI * x;
    let (sin, cos) = sin_cos_pi(x);
    let g = if t.abs() >= n as f64 + 1.0 { upwards(n, t, sin, cos) } else { downwards(n, t, sin, cos) };
    if g == 0.0 {
        // No 0 · ∞ for huge n.
        return g;
    }
    // πⁿ, corrected for the part of π that `PI` lacks.
    let correction = 1.0 + n as f64 * (PI_LOW / PI);
    g * correction * PI.powf(n as f64)
}

/// A multiple of 4.
const MAX_ORDER: i64 = 1200;

/// `sin(t + nπ/2)`
fn shifted_sine(n: i64, sin: f64, cos: f64) -> f64 {
    match n % 4 {
        0 => sin,
        1 => cos,
        2 => -sin,
        _ => -cos,
    }
}

fn upwards(n: i64, t: f64, sin: f64, cos: f64) -> f64 {
    let mut g = sin / t;
    for k in 1..=n {
        g = (shifted_sine(k, sin, cos) - k as f64 * g) / t;
    }
    g
}

/// Starts from 0 at an order so high that the error there, at most 1/(order + 1), is damped away at `n`, also
/// beside a value of the size of t.
fn downwards(n: i64, t: f64, sin: f64, cos: f64) -> f64 {
    let negligible = 1e-18 * t.abs().min(1.0);
    let mut start = n;
    let mut damping = 1.0;
    while damping > negligible {
        start += 1;
        damping *= t.abs() / start as f64;
    }
    let mut g = 0.0;
    for k in (n + 1..=start).rev() {
        g = (shifted_sine(k, sin, cos) - t * g) / k as f64;
    }
    g
}
