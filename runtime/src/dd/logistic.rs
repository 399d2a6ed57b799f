//! The logistic function, its integral and its derivative, from `e^-|x|`.

use super::arith::Dd;
use super::exp_log::{finite_exp, finite_log1p};
use super::total::{total, total2};
use super::wide::Real;
use crate::real;

/// `1 / (1 + e^-x)`
pub fn sigmoid(x: Dd) -> Dd {
    total(x, real::sigmoid, |x| sigmoid_of(x, finite_exp(-x.abs())))
}

/// `1 / (1 + e^-x)` from `e^-|x|`.
#[inline(always)]
pub(super) fn sigmoid_of<R: Real>(x: Dd<R>, e: Dd<R>) -> Dd<R> {
    let one = Dd::ONE.like(x.hi);
    Dd::pick(x.hi.below(x.hi.num(0.0)), e, one) / (one + e)
}

/// `e^-x / (1 + e^-x)²`, the derivative of [`sigmoid`].
pub fn dsigmoid(x: Dd) -> Dd {
    total(x, real::dsigmoid, |x| dsigmoid_of(finite_exp(-x.abs())))
}

/// `e^-x / (1 + e^-x)²` from `e^-|x|`.
#[inline(always)]
pub(super) fn dsigmoid_of<R: Real>(e: Dd<R>) -> Dd<R> {
    e / (Dd::ONE.like(e.hi) + e).square()
}

/// `ln(1 + e^x)`
pub fn softplus(x: Dd) -> Dd {
    total(x, real::softplus, finite_softplus)
}

/// `-ln(1 + e^-x)`, the logarithm of [`sigmoid`].
pub fn log_sigmoid(x: Dd) -> Dd {
    total(x, real::log_sigmoid, |x| -finite_softplus(-x))
}

fn finite_softplus(x: Dd) -> Dd {
    let log = finite_log1p(finite_exp(-x.abs()));
    if x.hi > 0.0 { x + log } else { log }
}

/// The exponential of so much is not even subnormal.
const NOTHING: f64 = -800.0;

/// `ln(e^a + e^b)`. Accurate to 10⁻²⁸ of the larger operand where the result is smaller than that; the other operand where one
/// is −∞.
pub fn logaddexp(a: Dd, b: Dd) -> Dd {
    if a.hi == f64::NEG_INFINITY || b.hi == f64::NEG_INFINITY {
        let other = if a.hi == f64::NEG_INFINITY { b } else { a };
        // −0 becomes 0.
        return Dd::new(other.hi + 0.0, other.lo);
    }
    total2(a, b, real::logaddexp, |a, b| {
        let (small, large) = if a.below(b) { (a, b) } else { (b, a) };
        let below = small - large;
        // Also where the difference overflows.
        if below.hi > NOTHING { large + finite_log1p(finite_exp(below)) } else { large }
    })
}
