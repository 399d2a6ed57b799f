//! Functions of real operands.

mod arith;
mod circular;
pub(crate) mod dispatch;
mod exp_log;
mod logistic;

pub use crate::special::*;
pub use arith::*;
pub use circular::*;
pub use exp_log::*;
pub use logistic::*;

/// The C function of a name that computes the same to the bit with a fused multiply-add as an instruction, where the machine has it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn direct(name: &str) -> Option<*const ()> {
    if !dispatch::detect() {
        return None;
    }
    arith::direct(name)
        .or_else(|| circular::direct(name))
        .or_else(|| exp_log::direct(name))
        .or_else(|| logistic::direct(name))
        .or_else(|| crate::special::direct(name))
}

/// As above: there, functions need no other form.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn direct(_: &str) -> Option<*const ()> {
    None
}

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
