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
    // The terms above and those below zero, each series counted away from zero.
    let above = zeta_scaled(n, x - x.floor());
    let below = zeta_scaled(n, x.ceil() - x) - zeta_scaled(n, 1.0 - x);
    signed(if odd { above + below } else { above - below })
}

/// `n! Σ_{k≥0} (a + k)⁻ˢ`, s = n + 1, for `a > 0`: the first terms as they are, relative to the very first, and
/// the others from b = a + k on by the Euler–Maclaurin formula.
fn zeta_scaled(n: i64, a: f64) -> f64 {
    if a == f64::INFINITY {
        return 0.0;
    }
    if n > MAX_ORDER {
        // About (n / ea)ⁿ, which is in range for hardly any a.
        return if E * a > n as f64 { 0.0 } else { f64::INFINITY };
    }
    let s = n as f64 + 1.0;
    // Where eight terms of the asymptotic series, which fall by about (s / 2πb)² each, are enough.
    let asymptotic = 10.0 + 2.0 * s;
    if a >= asymptotic {
        return factorial_over_power(n - 1, a) * (1.0 + n as f64 * euler_maclaurin(s, a) / a);
    }
    let mut sum = 0.0;
    let mut b = a;
    while b < asymptotic {
        let term = (a / b).powf(s);
        sum += term;
        if term < 1e-18 {
            return sum * factorial_over_power(n, a);
        }
        b += 1.0;
    }
    (sum + (a / b).powf(s) * (b / n as f64 + euler_maclaurin(s, b))) * factorial_over_power(n, a)
}

/// Up to this order `a + 1` differs from every `a` that needs the sum.
const MAX_ORDER: i64 = 1 << 50;

/// `bˢ Σ_{k≥0} (b + k)⁻ˢ` less the integral's `b / (s − 1)`:
/// `1/2 + Σ_j B_2j / (2j)! s (s + 1) … (s + 2j − 2) b^(1 − 2j)`.
fn euler_maclaurin(s: f64, b: f64) -> f64 {
    // B_2j / (2j)!
    const SERIES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30240.0,
        -1.0 / 1209600.0,
        1.0 / 47900160.0,
        -691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        -3617.0 / 10670622842880000.0,
    ];
    let mut sum = 0.5;
    let mut factor = s / b;
    for (j, c) in SERIES.iter().enumerate() {
        sum += c * factor;
        let i = s + 2.0 * j as f64;
        factor *= ((i + 1.0) / b) * ((i + 2.0) / b);
    }
    sum
}

/// `n! / aⁿ⁺¹`
fn factorial_over_power(n: i64, a: f64) -> f64 {
    if n <= 150 {
        let factorial: f64 = (2..=n).map(|k| k as f64).product();
        // In two steps: the whole power may overflow where the quotient does not.
        let half = (n + 1) / 2;
        return factorial / a.powf(half as f64) / a.powf((n + 1 - half) as f64);
    }
    // Stirling's formula; its rounding error, about n ε, is within the condition number n + 1.
    let m = n as f64;
    let series = (1.0 / 12.0 - 1.0 / (360.0 * m * m)) / m;
    (2.0 * PI * m).sqrt() * crate::real::exp(series) * (m / (E * a)).powf(m) / a
}
