//! The gamma function, its logarithm, and the first derivative of that.
//!
//! Of msun, for the logarithm: Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems,
//! Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
//! preserved.

use super::pi::sin_cos_pi;
use crate::lanes::{self, Lanes, Scalar, poly};
use crate::real::dispatch::scalar;
#[cfg(target_arch = "x86_64")]
use crate::real::dispatch::{FUSED, Ordering, detect};
use crate::system;
use std::f64::consts::PI;

scalar! {
    /// `Γ(x)`; ±∞ at ±0, NaN at the other poles and at −∞.
    gamma(x) -> f64 = usual_gamma(x);
    /// `ln |Γ(x)|`; +∞ at the poles 0, −1, −2, … and at ±∞.
    lgamma(x) -> f64 = usual_lgamma(x);
}

/// Lanczos's approximation as in musl: `(x + g - ½)^(x - ½) S(x) / e^(x + g - ½)`. The rest is musl's own function, by way of `libm`.
#[inline(always)]
fn usual_gamma(x: f64) -> f64 {
    // 1e-16: where it is 1/x. 171: the largest factorial is not far.
    if !(x > 1e-16 && x < 171.0) {
        return unusual_gamma(x);
    }
    let n = x as usize;
    if n as f64 == x && n <= FACTORIALS.len() {
        return FACTORIALS[n - 1];
    }
    let l = &mut Scalar;
    let y = x + G_LESS_HALF;
    // What the sum lost.
    let dy = if x > G_LESS_HALF { (y - x) - G_LESS_HALF } else { (y - G_LESS_HALF) - x };
    // By powers of x, or of 1/x, so that nothing overflows.
    let (above, below) = if x < 8.0 {
        (poly!(l, x, ABOVE: 0 1 2 3 4 5 6 7 8 9 10 11 12), poly!(l, x, BELOW: 0 1 2 3 4 5 6 7 8 9 10 11 12))
    } else {
        let x = 1.0 / x;
        (poly!(l, x, ABOVE: 12 11 10 9 8 7 6 5 4 3 2 1 0), poly!(l, x, BELOW: 12 11 10 9 8 7 6 5 4 3 2 1 0))
    };
    let r = above / below * lanes::exp(l, -y);
    let r = (dy * (G_LESS_HALF + 0.5) / y).mul_add(r, r);
    // Where the power overflows, half of it, twice.
    if x < 140.0 {
        return r * lanes::pow::pow(l, y, x - 0.5).0;
    }
    let (power, _) = lanes::pow::pow(l, y, 0.5 * (x - 0.5));
    r * power * power
}

#[cold]
extern "C" fn unusual_gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// g - ½
const G_LESS_HALF: f64 = 5.52468004077673;
const ABOVE: [f64; 13] = [
    23531376880.41076,
    42919803642.6491,
    35711959237.35567,
    17921034426.03721,
    6039542586.352028,
    1439720407.3117216,
    248874557.86205417,
    31426415.585400194,
    2876370.6289353725,
    186056.26539522348,
    8071.672002365816,
    210.82427775157936,
    2.5066282746310002,
];
/// The coefficients of x (x + 1) … (x + 11).
const BELOW: [f64; 13] = [
    0.0,
    39916800.0,
    120543840.0,
    150917976.0,
    105258076.0,
    45995730.0,
    13339535.0,
    2637558.0,
    357423.0,
    32670.0,
    1925.0,
    66.0,
    1.0,
];
/// n!, exact.
static FACTORIALS: [f64; 23] = {
    let mut f = [1.0; 23];
    let mut n = 1;
    while n < 23 {
        f[n] = f[n - 1] * n as f64;
        n += 1;
    }
    f
};

/// That of msun from 2 on: up to 8, the logarithm of a product beside a quotient of polynomials; then Stirling's series.
#[inline(always)]
fn usual_lgamma(x: f64) -> f64 {
    if !(2.0..2.8e17).contains(&x) {
        return unusual_lgamma(x);
    }
    let l = &mut Scalar;
    if x < 8.0 {
        let n = x as usize;
        let y = x - n as f64;
        let (above, below) = (poly!(l, y, S: 0 1 2 3 4 5 6), poly!(l, y, R: 0 1 2 3 4 5 6));
        let rest = y.mul_add(0.5, y * above / below);
        if n < 3 {
            return rest;
        }
        let product = (2..n).fold(1.0, |z, k| z * (y + k as f64));
        return rest + lanes::log(l, product);
    }
    let t = lanes::log(l, x);
    let z = 1.0 / x;
    let y = z * z;
    let series = poly!(l, y, W: 1 2 3 4 5 6).mul_add(z, W[0]);
    (x - 0.5).mul_add(t - 1.0, series)
}

#[cold]
extern "C" fn unusual_lgamma(x: f64) -> f64 {
    system::lgamma(x)
}

const S: [f64; 7] = [
    -0.07721566490153287,
    0.21498241596060885,
    0.325778796408931,
    0.14635047265246445,
    0.02664227030336386,
    0.0018402845140733772,
    3.194753265841009e-05,
];
const R: [f64; 7] = [
    1.0,
    1.3920053346762105,
    0.7219355475671381,
    0.17193386563280308,
    0.01864591917156529,
    0.0007779424963818936,
    7.326684307446256e-06,
];
const W: [f64; 7] = [
    0.4189385332046727,
    0.08333333333333297,
    -0.0027777777772877554,
    0.0007936505586430196,
    -0.00059518755745034,
    0.0008363399189962821,
    -0.0016309293409657527,
];

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
