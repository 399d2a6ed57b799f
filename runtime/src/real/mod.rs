//! Functions of real operands.

mod arith;
mod circular;
mod exp_log;
mod logistic;

pub use crate::special::{digamma, dsinc, erf, erfc, lgamma, polygamma, sinc};
pub use arith::{arg, atan2, cbrt, floor_mod, hypot, pow, powi};
pub use circular::{acos, acosh, asin, asinh, atan, atanh, cos, cosh, sin, sinh, tan, tanh};
pub use exp_log::{exp, exp2, expm1, log, log1p, log2, log10};
pub use logistic::{dsigmoid, log_sigmoid, logaddexp, sech2, sigmoid, softplus};
