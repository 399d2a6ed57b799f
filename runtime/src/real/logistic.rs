//! The logistic function, its integral and its derivative, in forms whose tails keep their relative accuracy.

use crate::real::Pair;
use std::f64::consts::LN_2;

/// `1 / (1 + e^-x)`
pub fn sigmoid(x: f64) -> f64 {
    sigmoid_dsigmoid(x).first
}

/// `e^-x / (1 + e^-x)²`, the derivative of [`sigmoid`].
pub fn dsigmoid(x: f64) -> f64 {
    sigmoid_dsigmoid(x).second
}

/// [`sigmoid`] and [`dsigmoid`] from one exponential.
#[inline(always)]
pub fn sigmoid_dsigmoid(x: f64) -> Pair {
    // e^-|x| never overflows; 1 - 1/(1 + e^x) would lose the left tail.
    let t = (-x.abs()).exp();
    let d = 1.0 + t;
    Pair { first: if x < 0.0 { t / d } else { 1.0 / d }, second: t / (d * d) }
}

/// `ln(1 + e^x)`
pub fn softplus(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// `-ln(1 + e^-x)`, the logarithm of [`sigmoid`].
pub fn log_sigmoid(x: f64) -> f64 {
    -softplus(-x)
}

/// `ln(e^a + e^b)`. An operand −∞ gives the other, +∞ gives +∞; NaN if an operand is.
pub fn logaddexp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        // Infinities of one sign among them, whose difference is NaN.
        return a + LN_2;
    }
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}
