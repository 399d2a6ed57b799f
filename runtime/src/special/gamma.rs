//! The logarithm of the gamma function and its first derivative.

use super::pi::sin_cos_pi;
use crate::system;
use std::f64::consts::PI;

/// `ln |Γ(x)|`; +∞ at the poles 0, −1, −2, … and at ±∞.
pub fn lgamma(x: f64) -> f64 {
    system::lgamma(x)
}

/// The derivative of [`lgamma`]; −∞ at +0, +∞ at −0, NaN at the other poles and at −∞.
pub fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -1.0 / x;
    }
    if x < 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // ψ(x) = ψ(1 − x) − π cot πx
        let (sin, cos) = sin_cos_pi(x);
        return digamma_positive(1.0 - x) - PI * cos / sin;
    }
    digamma_positive(x)
}

fn digamma_positive(x: f64) -> f64 {
    if x >= ASYMPTOTIC {
        return asymptotic(x);
    }
    let mut x = x;
    let mut sum = 0.0;
    while x < ASYMPTOTIC {
        sum += 1.0 / x;
        x += 1.0;
    }
    asymptotic(x) - sum
}

/// Where the asymptotic series reaches double precision.
const ASYMPTOTIC: f64 = 10.0;

/// `ln x - 1/(2x) - Σ B_2k / (2k x^2k)`
fn asymptotic(x: f64) -> f64 {
    const SERIES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32760.0,
        1.0 / 12.0,
        -3617.0 / 8160.0,
    ];
    let q = 1.0 / (x * x);
    let tail = SERIES.iter().rev().fold(0.0, |sum, c| (sum + c) * q);
    x.ln() - (0.5 / x + tail)
}
