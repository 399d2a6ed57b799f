//! The error function and its complement: the C library's.

use crate::system;

/// `2/√π ∫_0^x e^(-t²) dt`
pub fn erf(x: f64) -> f64 {
    system::erf(x)
}

/// `1 - erf x`, without cancellation for large `x`.
pub fn erfc(x: f64) -> f64 {
    system::erfc(x)
}
