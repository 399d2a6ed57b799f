//! Special functions of a real operand: error function, gamma family, sinc and its derivatives.

mod erf;
mod gamma;
mod pi;
mod polygamma;
mod sinc;

pub use erf::{erf, erfc};
pub use gamma::{digamma, lgamma};
pub use polygamma::polygamma;
pub use sinc::{dsinc, sinc};
