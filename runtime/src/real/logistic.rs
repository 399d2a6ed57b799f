//! The logistic function, its integral and its derivative, in forms whose tails keep their relative accuracy.

use super::dispatch::scalar;
#[cfg(target_arch = "x86_64")]
use super::dispatch::{FUSED, Ordering, detect};
use crate::lanes::{self, Scalar};
use crate::real::Pair;

scalar! {
    /// `1 / (1 + e^-x)`
    sigmoid(x) -> f64 = lanes::sigmoid_dsigmoid(&mut Scalar, x).0;
    /// `e^-x / (1 + e^-x)²`, the derivative of [`sigmoid`].
    dsigmoid(x) -> f64 = lanes::sigmoid_dsigmoid(&mut Scalar, x).1;
    /// [`sigmoid`] and [`dsigmoid`] from one exponential.
    sigmoid_dsigmoid(x) -> Pair = lanes::sigmoid_dsigmoid(&mut Scalar, x).into();
    /// `ln(1 + e^x)`
    softplus(x) -> f64 = lanes::softplus(&mut Scalar, x);
    /// `-ln(1 + e^-x)`, the logarithm of [`sigmoid`].
    log_sigmoid(x) -> f64 = lanes::log_sigmoid(&mut Scalar, x);
    /// `ln(e^a + e^b)`. An operand −∞ gives the other, +∞ gives +∞; NaN if an operand is.
    logaddexp(a, b) -> f64 = lanes::logaddexp(&mut Scalar, a, b);
}
