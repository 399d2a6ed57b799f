//! Functions of real operands.

mod arith;
mod circular;
mod dispatch;
mod exp_log;
mod logistic;

pub use crate::special::{digamma, dsinc, erf, erfc, lgamma, polygamma, sinc};
pub use arith::{arg, atan2, cbrt, floor_mod, hypot, pow, powi};
pub use circular::{
    acos, acosh, asin, asinh, atan, atanh, cos, cosh, sech2, sin, sincos, sinh, tan, tanh, tanh_sech2,
};
pub use exp_log::{exp, exp2, expm1, log, log1p, log2, log10};
pub use logistic::{dsigmoid, log_sigmoid, logaddexp, sigmoid, sigmoid_dsigmoid, softplus};

/// What a function that computes two at once returns, in two registers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The value of the function named first.
    pub first: f64,
    /// The value of the other.
    pub second: f64,
}

impl From<(f64, f64)> for Pair {
    #[inline(always)]
    fn from((first, second): (f64, f64)) -> Pair {
        Pair { first, second }
    }
}
