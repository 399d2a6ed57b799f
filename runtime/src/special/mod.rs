//! Special functions of a real operand: Bessel functions, error function, gamma family, sinc and its derivatives.

mod bessel;
mod erf;
mod gamma;
mod pi;
mod polygamma;
mod sinc;

pub(crate) use bessel::MAX_ORDER;
pub use bessel::{j0, j1, jn, y0, y1, yn};
pub use erf::*;
pub use gamma::{digamma, gamma, lgamma};
pub(crate) use pi::sin_cos_pi;
pub use polygamma::*;
pub use sinc::*;

/// As [`crate::real::direct`].
#[cfg(target_arch = "x86_64")]
pub(crate) fn direct(name: &str) -> Option<*const ()> {
    bessel::direct(name).or_else(|| gamma::direct(name))
}
