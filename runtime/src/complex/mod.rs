//! Functions of complex operands. Branch cuts, signed zeros and special values follow C99 Annex G where C has
//! the function; the others are written so that they agree with it.

mod arith;
mod circular;
mod exp_log;
mod logistic;
mod sinc;

pub use arith::*;
pub use circular::*;
pub use exp_log::*;
pub use logistic::*;
pub use num_complex::Complex64;
pub use sinc::*;
