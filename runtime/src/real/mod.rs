//! Functions of real operands.

mod arith;
mod circular;
mod dispatch;
mod exp_log;
mod logistic;

pub use crate::special::*;
pub use arith::*;
pub use circular::*;
pub use exp_log::*;
pub use logistic::*;

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
