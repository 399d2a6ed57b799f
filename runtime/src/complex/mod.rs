//! Functions of complex operands. Branch cuts, signed zeros and special values follow C99 Annex G where C has
//! the function; the others are written so that they agree with it.

mod arith;
mod circular;
mod exp_log;
mod logistic;

pub use arith::{abs, arg, div, powi, recip, sign};
pub use circular::{acos, acosh, asin, asinh, atan, atanh, cos, cosh, sin, sinh, tan, tanh};
pub use exp_log::{cis, exp, expm1, log, log1p, log2, log10, pow, sqrt};
pub use logistic::{dsigmoid, sech2, sigmoid};
pub use num_complex::Complex64;
