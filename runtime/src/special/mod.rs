//! Special functions of a real operand: error function, gamma family, sinc and its derivatives.

mod erf;
mod gamma;
mod pi;
mod polygamma;
mod sinc;

pub use erf::*;
pub use gamma::*;
pub use polygamma::*;
pub use sinc::*;
