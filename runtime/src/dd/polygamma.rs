//! Derivatives of the digamma function, from the Hurwitz zeta function:
//! `ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹ n! Σ_{k≥0} (x + k)⁻ⁿ⁻¹`, as in the functions of doubles.

use super::arith::Dd;
use super::circular::normalised;
use super::constant;
use super::exp_log::{exp_parts, positive_log};
use super::gamma::{TERMS, bernoulli, digamma, lgamma};
use super::power::{integer_power, multiplied};
use super::total::total;
use crate::real;

/// The `n`-th derivative of [`digamma`]; NaN for negative `n`. Its error is that of `n + 1` units, and for even `n` and negative
/// `x` relative to the terms that cancel where it is near 0.
pub fn polygamma(n: i64, x: Dd) -> Dd {
    if n == 0 {
        return digamma(x);
    }
    total(
        x,
        |x| real::polygamma(n, x),
        |x| {
            if !(1..=MAX_ORDER).contains(&n) {
                // Out of range for hardly any x, and of no relative accuracy for those.
                return Dd::of(real::polygamma(n, x.hi));
            }
            let signed = |sum: Dd| if n % 2 == 1 { sum } else { -sum };
            if x.hi > 0.0 {
                return signed(zeta_scaled(n, x));
            }
            // The terms above and those below zero, each series counted away from zero.
            // Of a large number it is the low part that has a fraction.
            let [first, second] = if x.hi.abs() < 2f64.powi(53) { [x.hi, x.lo] } else { [x.lo, 0.0] };
            let above_pole = Dd::sum(first, -first.floor()).plus(second);
            let below_pole = Dd::sum(first.ceil(), -first).plus(-second);
            if above_pole.hi == 0.0 {
                return Dd::of(real::polygamma(n, x.hi));
            }
            // A low part may be on the other side of a whole high one.
            let inside = |x: Dd| if x.hi < 0.0 { x.plus(1.0) } else { x };
            let (fraction, beside) = (inside(above_pole), inside(below_pole));
            let above = zeta_scaled(n, fraction);
            let below = zeta_scaled(n, beside);
            let below = if below.is_finite() { below - zeta_scaled(n, -x.plus(-1.0)) } else { below };
            let below = if n % 2 == 1 { below } else { -below };
            // One of them may have overflowed, which the sum would make NaN.
            signed(match (above.is_finite(), below.is_finite()) {
                (false, true) => above,
                (true, false) => below,
                // Infinite, or NaN if they have different signs.
                (false, false) => Dd::of(above.hi + below.hi),
                (true, true) => above + below,
            })
        },
    )
}

/// Up to this order `a + 1` differs from every `a` that needs the sum.
const MAX_ORDER: i64 = 1 << 50;

/// `n! Σ_{k≥0} (a + k)⁻ˢ`, s = n + 1, for `a > 0`: the first terms as they are, relative to the very first, and
/// the others from b = a + k on by the Euler–Maclaurin formula.
fn zeta_scaled(n: i64, a: Dd) -> Dd {
    let s = n as f64 + 1.0;
    // Where the terms of the asymptotic series, which fall by about (s / 2πb)² each, are enough.
    let asymptotic = 20.0 + 2.0 * s;
    if a.hi >= asymptotic {
        // What the integral gives has one factor a less.
        let rest = Dd::ONE + euler_maclaurin(s, a) / a.over(n as f64);
        return factorial_over_power(n - 1, n, a, rest);
    }
    let (mut sum, mut b) = (Dd::ONE, a.plus(1.0));
    while b.hi < asymptotic {
        let term = integer_power(a / b, n + 1);
        sum = sum + term;
        if term.hi < 1e-35 {
            return factorial_over_power(n, n + 1, a, sum);
        }
        b = b.plus(1.0);
    }
    let rest = integer_power(a / b, n + 1) * (b.over(n as f64) + euler_maclaurin(s, b));
    factorial_over_power(n, n + 1, a, sum + rest)
}

/// `B_2j / (2j)!`
static SERIES: [Dd; TERMS] = {
    let (mut table, mut j) = ([Dd::ZERO; TERMS], 1);
    while j <= TERMS {
        table[j - 1] = constant::mul(bernoulli(j), constant::inverse_factorial(2 * j as u32));
        j += 1;
    }
    table
};

/// `bˢ Σ_{k≥0} (b + k)⁻ˢ` less the integral's `b / (s − 1)`:
/// `1/2 + Σ_j B_2j / (2j)! s (s + 1) … (s + 2j − 2) b^(1 − 2j)`.
fn euler_maclaurin(s: f64, b: Dd) -> Dd {
    let inverse = b.recip();
    let mut sum = Dd::of(0.5);
    let mut factor = inverse.times(s);
    for (j, c) in SERIES.iter().enumerate() {
        let term = *c * factor;
        sum = sum + term;
        if term.hi.abs() < 1e-34 {
            break;
        }
        let i = s + 2.0 * j as f64;
        factor = factor * inverse.times(i + 1.0) * inverse.times(i + 2.0);
    }
    sum
}

/// `m! y / a^p` for a `y` near 1, in range wherever the result is.
fn factorial_over_power(m: i64, p: i64, a: Dd, y: Dd) -> Dd {
    if p <= 170 {
        let factorial = (2..=m).fold(y, |f, k| f.times(k as f64));
        let (a, e) = normalised(a);
        return (factorial / multiplied(a, p as u64)).ldexp(-e * p as i32);
    }
    // Both logarithms are about p ln p, so the error is that of as many units.
    let log = lgamma(Dd::of(m as f64 + 1.0)) - positive_log(a) * Dd::of(p as f64);
    let (power, k) = exp_parts(log);
    (power * y).ldexp(k)
}
