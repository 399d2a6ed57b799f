//! The normalised sinc function and its derivatives, by the recurrences of the functions of complex doubles.

use super::super::arith::Dd;
use super::super::circular::sin_cos_pi;
use super::super::constant::PI;
use super::super::exp_log::{exp_parts, finite_expm1};
use super::super::power::multiplied;
use super::arith::quotient;
use super::{Cdd, total};
use crate::complex::{self, HUGE};

/// `sin πz / πz`, 1 at 0.
pub fn sinc(z: Cdd) -> Cdd {
    dsinc(0, z)
}

/// The `n`-th derivative of [`sinc`] at `z`; NaN for negative `n`.
pub fn dsinc(n: i64, z: Cdd) -> Cdd {
    total(
        z,
        |z| complex::dsinc(n, z),
        |z| {
            if z.im.hi == 0.0 {
                let slope = super::super::dsinc(n.saturating_add(1), z.re);
                return Cdd::new(
                    super::super::dsinc(n, z.re),
                    if slope.is_finite() { z.im * slope } else { z.im },
                );
            }
            if !(0..=MAX_ORDER).contains(&n) {
                return Cdd::of(complex::dsinc(n, z.high()));
            }
            let t = z.by(PI);
            if t.im.hi.abs() > OVERFLOWN {
                return Cdd::of(complex::dsinc(n, z.high()));
            }
            let [sin, cos] = scaled_sin_cos_pi(z);
            let waves = [sin, cos, -sin, -cos];
            let size = t.size();
            let (g, e) =
                if size >= n as f64 + 1.0 { upwards(n, t, waves) } else { (downwards(n, t, size, waves), 0) };
            let (m, k) = exp_parts(t.im.abs());
            let m = if n == 0 { m } else { m * multiplied(PI, n as u64) };
            g.by(m).ldexp(k + e)
        },
    )
}

/// The exponential of that has overflowed, whatever it is divided by.
const OVERFLOWN: f64 = 1500.0;
/// πⁿ has overflowed before this order.
const MAX_ORDER: i64 = 1200;

/// `sin πz` and `cos πz` without the factor `e^|π Im z|`.
fn scaled_sin_cos_pi(z: Cdd) -> [Cdd; 2] {
    let (sin, cos) = sin_cos_pi(z.re);
    let decay = -(PI * z.im.abs()).twice();
    // e^(−2|t|) − 1, which is −1 long before its argument leaves the range.
    let rest = if decay.hi < -100.0 { -Dd::ONE } else { finite_expm1(decay) };
    let cosh = rest.plus(2.0).half();
    let sinh = (-rest.half()).copysign(z.im);
    [Cdd::new(sin * cosh, cos * sinh), Cdd::new(cos * cosh, -(sin * sinh))]
}

/// A number and the power of two that it is yet to be multiplied by: that of [huge](HUGE) operands, since the exponential may
/// still make up for it.
fn upwards(n: i64, t: Cdd, waves: [Cdd; 4]) -> (Cdd, i32) {
    // Parts near 1, since a large operand has no square.
    let (_, e) = super::super::circular::normalised(Dd::of(t.size()));
    let inverse = quotient(Cdd::ONE, t.ldexp(-e));
    let (e, inverse) = if t.size() > HUGE { (e, inverse) } else { (0, inverse.ldexp(-e)) };
    let mut g = waves[0] * inverse;
    for k in 1..=n {
        g = (waves[(k % 4) as usize] - g.ldexp(-e).by(Dd::of(k as f64))) * inverse;
    }
    (g, -e)
}

/// Starts from 0 at an order so high that the error there is damped away at `n`.
fn downwards(n: i64, t: Cdd, size: f64, waves: [Cdd; 4]) -> Cdd {
    let negligible = 1e-34 * size.min(1.0);
    // Three steps have the leading terms of both parts of a small operand.
    let (mut start, mut damping) = (n + 2, 1.0);
    while damping > negligible {
        start += 1;
        damping *= 1.5 * size / start as f64;
    }
    let mut g = Cdd::ZERO;
    for k in (n + 1..=start).rev() {
        let rest = waves[(k % 4) as usize] - t * g;
        g = Cdd::new(rest.re.over(k as f64), rest.im.over(k as f64));
    }
    g
}
