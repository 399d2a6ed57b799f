//! The gamma function, its logarithm, and the first derivative of that.

use super::pi::sin_cos_pi;
use crate::system;
use std::f64::consts::PI;

/// `Γ(x)`; ±∞ at ±0, NaN at the other poles and at −∞. That of musl, by way of `libm`.
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

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
    if x < 1.0 {
        return around_root(x + 1.0) - 1.0 / x;
    }
    // Down to [1, 2] by ψ(x) = ψ(x − 1) + 1/(x − 1), where x − 1 is exact.
    let mut x = x;
    let mut sum = 0.0;
    while x > 2.0 {
        x -= 1.0;
        sum += 1.0 / x;
    }
    around_root(x) + sum
}

/// ψ on [1, 2] as (x − x₀) times a polynomial in x − 3/2, with the root x₀ in two doubles, so that the relative
/// error stays small at the root. The polynomial interpolates at the Chebyshev nodes, within 2e-17.
fn around_root(x: f64) -> f64 {
    const ROOT: f64 = 1.4616321449683622;
    const ROOT_LOW: f64 = 9.549995429965697e-17;
    const QUOTIENT: [f64; 22] = [
        0.951055876031833,
        -0.4236274212814605,
        0.2405424842407742,
        -0.14840492305390884,
        0.09498872445494122,
        -0.061922133273064534,
        0.04076083381242074,
        -0.02697579675613825,
        0.0179072524394512,
        -0.011908218001568644,
        0.007926944646403797,
        -0.005279964873257405,
        0.003519006401502276,
        -0.002345267632540769,
        0.0015566317474486838,
        -0.0010376374098418604,
        0.0007233266279287554,
        -0.0004821990530566789,
        0.0002272331660987376,
        -0.00015148586836773365,
        0.00025968482126430747,
        -0.00017312261802727394,
    ];
    let s = x - 1.5;
    ((x - ROOT) - ROOT_LOW) * QUOTIENT.iter().rev().fold(0.0, |sum, c| sum * s + c)
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
    crate::real::log(x) - (0.5 / x + tail)
}
