//! Special functions of a real operand: Bessel functions, error function, gamma family, sinc and its derivatives.

mod bessel;
mod erf;
mod gamma;
mod pi;
mod polygamma;
mod sinc;

pub use bessel::*;
pub use erf::*;
pub use gamma::*;
pub(crate) use pi::sin_cos_pi;
pub use polygamma::*;
pub use sinc::*;
