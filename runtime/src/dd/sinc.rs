//! The normalised sinc function and its derivatives.

use super::arith::Dd;
use super::circular::sin_cos_pi;
use super::constant::PI;
use super::power::multiplied;
use super::total::total;
use crate::real;

/// `sin πx / πx`, 1 at 0.
pub fn sinc(x: Dd) -> Dd {
    total(x, real::sinc, |x| {
        // The next term is x² times something near the first one.
        if x.hi.abs() < 1e-17 { Dd::ONE } else { sin_cos_pi(x).0 / (x * PI) }
    })
}

/// The `n`-th derivative of [`sinc`] at `x`; NaN for negative `n`. By the recurrences of the function of doubles: with t = πx
/// and g = sin t / t it is πⁿ g⁽ⁿ⁾(t), and `t g⁽ⁿ⁾ + n g⁽ⁿ⁻¹⁾ = sin(t + nπ/2)`.
pub fn dsinc(n: i64, x: Dd) -> Dd {
    if n == 0 {
        return sinc(x);
    }
    total(
        x,
        |x| real::dsinc(n, x),
        |x| {
            if !(1..=MAX_ORDER).contains(&n) {
                return Dd::of(real::dsinc(n, x.hi));
            }
            let t = x * PI;
            let (sin, cos) = sin_cos_pi(x);
            let waves = [sin, cos, -sin, -cos];
            let g = if t.hi.abs() >= n as f64 + 1.0 { upwards(n, t, waves) } else { downwards(n, t, waves) };
            g * multiplied(PI, n as u64)
        },
    )
}

/// πⁿ has overflowed before this order.
const MAX_ORDER: i64 = 1200;

/// `sin(t + kπ/2)` is `waves[k mod 4]`.
fn upwards(n: i64, t: Dd, waves: [Dd; 4]) -> Dd {
    let mut g = waves[0] / t;
    for k in 1..=n {
        g = (waves[(k % 4) as usize] - g.times(k as f64)) / t;
    }
    g
}

/// Starts from 0 at an order so high that the error there, at most 1/(order + 1), is damped away at `n`, also
/// beside a value of the size of t.
fn downwards(n: i64, t: Dd, waves: [Dd; 4]) -> Dd {
    let negligible = 1e-34 * t.hi.abs().min(1.0);
    let mut start = n;
    let mut damping = 1.0;
    while damping > negligible {
        start += 1;
        damping *= t.hi.abs() / start as f64;
    }
    let mut g = Dd::ZERO;
    for k in (n + 1..=start).rev() {
        g = (waves[(k % 4) as usize] - t * g).over(k as f64);
    }
    g
}
