//! Circular and hyperbolic functions and their inverses: the C library's. The standard library has formulas of
//! its own for `asinh`, `acosh` and `atanh`, less accurate, so those three are called directly.

use crate::system;

/// `sin x`
pub fn sin(x: f64) -> f64 {
    x.sin()
}

/// `cos x`
pub fn cos(x: f64) -> f64 {
    x.cos()
}

/// `tan x`
pub fn tan(x: f64) -> f64 {
    x.tan()
}

/// `arcsin x`, NaN outside [−1, 1].
pub fn asin(x: f64) -> f64 {
    x.asin()
}

/// `arccos x`, NaN outside [−1, 1].
pub fn acos(x: f64) -> f64 {
    x.acos()
}

/// `arctan x`
pub fn atan(x: f64) -> f64 {
    x.atan()
}

/// `sinh x`
pub fn sinh(x: f64) -> f64 {
    x.sinh()
}

/// `cosh x`
pub fn cosh(x: f64) -> f64 {
    x.cosh()
}

/// `tanh x`
pub fn tanh(x: f64) -> f64 {
    x.tanh()
}

/// `arsinh x`
pub fn asinh(x: f64) -> f64 {
    system::asinh(x)
}

/// `arcosh x`, NaN below 1.
pub fn acosh(x: f64) -> f64 {
    system::acosh(x)
}

/// `artanh x`, NaN outside [−1, 1].
pub fn atanh(x: f64) -> f64 {
    system::atanh(x)
}
