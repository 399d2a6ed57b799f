//! Bessel functions of integer order: up to 40 by recurrence from large orders downwards (J. C. P. Miller's algorithm; Olver,
//! *Numerical solution of second-order linear difference equations*, 1967) and Neumann's series of such functions, beyond by
//! Hankel's asymptotic series, whose smallest term at 40 is 10⁻³⁵ (Abramowitz & Stegun 9.1.27, 9.1.46, 9.1.88, 9.2.5).
//!
//! Errors are relative to the amplitude √(2/πx): near zeros digits are lost.

use super::arith::Dd;
use super::circular::finite_sin_cos;
use super::constant::{EULER, LN_2, PI};
use super::exp_log::positive_log;
use super::total::total;
use crate::real;
use crate::special::MAX_ORDER;

/// `J₀(x)`
pub fn j0(x: Dd) -> Dd {
    total(x, real::j0, |x| first_kind(0, x))
}

/// `J₁(x)`
pub fn j1(x: Dd) -> Dd {
    total(x, real::j1, |x| first_kind(1, x))
}

/// `Y₀(x)`
pub fn y0(x: Dd) -> Dd {
    total(x, real::y0, |x| second_kind(0, x))
}

/// `Y₁(x)`
pub fn y1(x: Dd) -> Dd {
    total(x, real::y1, |x| second_kind(1, x))
}

/// `Jₙ(x)` for |n| ≤ 1000, else NaN.
pub fn jn(n: i64, x: Dd) -> Dd {
    total(x, |x| real::jn(n, x), |x| of_order(n, x, first_kind))
}

/// `Yₙ(x)` for |n| ≤ 1000, else NaN.
pub fn yn(n: i64, x: Dd) -> Dd {
    total(x, |x| real::yn(n, x), |x| of_order(n, x, second_kind))
}

/// The function for negative orders too: `f₋ₙ = (−1)ⁿ fₙ`.
fn of_order(n: i64, x: Dd, f: fn(u64, Dd) -> Dd) -> Dd {
    let order = n.unsigned_abs();
    if order > MAX_ORDER {
        return Dd::NAN;
    }
    let y = f(order, x);
    if n < 0 && n % 2 != 0 { -y } else { y }
}

/// From here on Hankel's series is used.
const ASYMPTOTIC: f64 = 40.0;
/// Below this the first term of the power series is all.
const TINY: f64 = 1e-17;

fn first_kind(n: u64, x: Dd) -> Dd {
    if x.hi < 0.0 {
        let y = first_kind(n, -x);
        return if n % 2 == 1 { -y } else { y };
    }
    if x.hi < TINY {
        // (x/2)ⁿ/n!
        return (1..=n).fold(Dd::ONE, |y, k| (y * x.half()).over(k as f64));
    }
    if x.hi <= ASYMPTOTIC || n as f64 >= x.hi {
        return downwards(n, x).jn;
    }
    upwards(n, x, hankel(0, x).0, hankel(1, x).0)
}

fn second_kind(n: u64, x: Dd) -> Dd {
    if x.hi <= 0.0 {
        return Dd::NAN;
    }
    let two_over_pi = Dd::of(2.0) / PI;
    // Half of the smallest number is 0.
    let log = || positive_log(x) - LN_2 + EULER;
    if x.hi < TINY {
        return upwards(n, x, two_over_pi * log(), -(two_over_pi / x));
    }
    if x.hi > ASYMPTOTIC {
        return upwards(n, x, hankel(0, x).1, hankel(1, x).1);
    }
    let f = downwards(0, x);
    let zeroth = log() * f.j0 - f.even.twice();
    let y0 = two_over_pi * zeroth;
    if n == 0 {
        return y0;
    }
    let first = log().plus(-1.0) * f.j1 - f.j0 / x - f.odd;
    upwards(n, x, y0, two_over_pi * first)
}

/// The function of order `n` from those of the orders 0 and 1, by `fₖ₊₁ = 2k/x fₖ − fₖ₋₁`.
fn upwards(n: u64, x: Dd, mut f0: Dd, mut f1: Dd) -> Dd {
    if n == 0 {
        return f0;
    }
    let inverse = x.half().recip();
    for k in 1..n {
        (f0, f1) = (f1, f1 * inverse.times(k as f64) - f0);
    }
    f1
}

/// What one recurrence gives.
#[derive(Default)]
struct Downwards {
    j0: Dd,
    j1: Dd,
    jn: Dd,
    /// `Σ (−1)ᵏ J₂ₖ/k` over k ≥ 1.
    even: Dd,
    /// `Σ (−1)ᵏ (1 + 2k)/(k (k + 1)) J₁₊₂ₖ` over k ≥ 1.
    odd: Dd,
}

/// Starts from 0 at an order so high that the function there is below 10⁻³⁶ of the one of order `n`; the sum
/// `J₀ + 2 Σ J₂ₖ = 1` gives the scale. `x` is positive.
fn downwards(n: u64, x: Dd) -> Downwards {
    let mut start = n.max(x.hi as u64) + 1;
    let mut damping = 1.0;
    while damping > 1e-36 {
        start += 1;
        damping *= x.hi / start as f64;
    }
    let inverse = x.half().recip();
    let (mut above, mut f) = (Dd::ZERO, Dd::of(1e-100));
    let (mut sums, mut norm) = (Downwards::default(), Dd::ZERO);
    for k in (0..=start).rev() {
        // f is the multiple of Jₖ.
        if f.hi.abs() > LARGE {
            let Downwards { j0: _, j1, jn, even, odd } = &mut sums;
            for number in [&mut above, &mut f, &mut norm, j1, jn, even, odd] {
                *number = number.scaled(SMALL);
            }
        }
        let half = k / 2;
        let signed = if half % 2 == 1 { -f } else { f };
        match (k, k % 2) {
            (0, _) => norm = norm + f,
            (1, _) => sums.j1 = f,
            (_, 0) => {
                norm = norm + f.twice();
                sums.even = sums.even + signed.over(half as f64);
            }
            _ => sums.odd = sums.odd + signed.times(k as f64).over((half * (half + 1)) as f64),
        }
        if k == n {
            sums.jn = f;
        }
        if k == 0 {
            sums.j0 = f;
        } else {
            (above, f) = (f, f * inverse.times(k as f64) - above);
        }
    }
    let scale = norm.recip();
    Downwards {
        j0: sums.j0 * scale,
        j1: sums.j1 * scale,
        jn: sums.jn * scale,
        even: sums.even * scale,
        odd: sums.odd * scale,
    }
}

/// Above this the recurrence is scaled down, by a power of two.
const LARGE: f64 = 1e200;
const SMALL: f64 = 1.0 / (1u128 << 120) as f64 / (1u128 << 120) as f64 / (1u128 << 120) as f64;

/// `(Jₙ, Yₙ)` for n = 0 or 1, as `√(2/πx) (P cos χ − Q sin χ)` and `√(2/πx) (P sin χ + Q cos χ)` with `χ = x − (n/2 + ¼) π`,
/// whose sine and cosine times √2 are sums of those of x.
fn hankel(n: u64, x: Dd) -> (Dd, Dd) {
    let four_squares = 4.0 * (n * n) as f64;
    // Not of 8x, which may overflow.
    let inverse = x.recip().scaled(0.125);
    let (mut p, mut q, mut term) = (Dd::ONE, Dd::ZERO, Dd::ONE);
    for k in 1..100 {
        let odd = (2 * k - 1) as f64;
        term = (term * inverse).times(four_squares - odd * odd).over(k as f64);
        match k % 4 {
            1 => q = q + term,
            2 => p = p - term,
            3 => q = q - term,
            _ => p = p + term,
        }
        if term.hi.abs() < 1e-35 {
            break;
        }
    }
    let (sin, cos) = finite_sin_cos(x);
    let (cos, sin) = if n == 0 { (cos + sin, sin - cos) } else { (sin - cos, -(sin + cos)) };
    let amplitude = x.sqrt() * PI.sqrt();
    ((p * cos - q * sin) / amplitude, (p * sin + q * cos) / amplitude)
}
