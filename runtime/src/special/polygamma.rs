//! Derivatives of the digamma function, from the Hurwitz zeta function:
//! `ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹ n! Σ_{k≥0} (x + k)⁻ⁿ⁻¹`.

use super::gamma::digamma;
use std::f64::consts::{E, PI};

/// The `n`-th derivative of [`digamma`]; NaN for negative `n`. At the poles 0, −1, −2, … it is +∞ for odd
/// `n`; for even `n` it is −∞ at +0, +∞ at −0, and NaN at the others.
pub fn polygamma(n: i64, x: f64) -> f64 {
    if n < 0 || x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if n == 0 {
        return digamma(x);
    }
    let odd = n % 2 == 1;
    let signed = |sum: f64| if odd { sum } else { -sum };
    if x > 0.0 {
        return signed(zeta_scaled(n, x));
    }
    if x == x.floor() {
        return match (odd, x == 0.0) {
            (true, _) => f64::INFINITY,
            (false, true) => f64::NEG_INFINITY.copysign(-1.0 / x),
            (false, false) => f64::NAN,
        };
    }
    // The terms of both signs of x + k: those above x count upwards from 1 − d, those below downwards from d.
    let d = x.ceil() - x;
    let below = zeta_scaled(n, d_below(x)) - zeta_scaled(n, 1.0 - x);
    signed(zeta_scaled(n, d) + if odd { below } else { -below })
}

/// Distance from `x` down to the next integer.
fn d_below(x: f64) -> f64 {
    x - x.floor()
}

/// `n! Σ_{k≥0} (a + k)⁻ˢ`, s = n + 1, for `a > 0`, by Euler–Maclaurin summation.
fn zeta_scaled(n: i64, a: f64) -> f64 {
    if a == f64::INFINITY {
        return 0.0;
    }
    let s = n as f64 + 1.0;
    // Everything relative to the first term n! a⁻ˢ.
    let mut sum = 0.0;
    let mut k = 0.0;
    let from = 10.0 + s / 3.0;
    while a + k < from {
        let term = (a / (a + k)).powf(s);
        sum += term;
        if term < 1e-18 * sum {
            return sum * first_term(n, a);
        }
        k += 1.0;
    }
    let b = a + k;
    let scale = (a / b).powf(s);
    // B_2j / (2j)!
    const BERNOULLI: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30240.0,
        -1.0 / 1209600.0,
        1.0 / 47900160.0,
        -691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        -3617.0 / 10670622842880000.0,
    ];
    let mut tail = 0.0;
    let mut factor = s / b;
    for (j, c) in BERNOULLI.iter().enumerate() {
        tail += c * factor;
        let i = 2.0 * j as f64;
        factor *= (s + i + 1.0) * (s + i + 2.0) / (b * b);
    }
    (sum + scale * (b / n as f64 + 0.5 + tail)) * first_term(n, a)
}

/// `n! a^(-n-1)`
fn first_term(n: i64, a: f64) -> f64 {
    let s = n as f64 + 1.0;
    if n <= 150 {
        let factorial: f64 = (2..=n).map(|k| k as f64).product();
        let power = a.powf(s);
        if power.is_normal() {
            return factorial / power;
        }
    }
    // Stirling's formula; its rounding error n ε is within the condition number n + 1.
    let m = n as f64;
    let series = (1.0 / 12.0 - 1.0 / (360.0 * m * m)) / m;
    (2.0 * PI * m).sqrt() * series.exp() * (m / (E * a)).powf(m) / a
}
