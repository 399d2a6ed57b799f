//! Circular and hyperbolic functions and their inverses: the C library's.

use super::Complex64;
use crate::system;

/// `sin z`
pub fn sin(z: Complex64) -> Complex64 {
    system::csin(z)
}

/// `cos z`
pub fn cos(z: Complex64) -> Complex64 {
    system::ccos(z)
}

/// `tan z`
pub fn tan(z: Complex64) -> Complex64 {
    system::ctan(z)
}

/// `arcsin z`, cuts (−∞, −1] and [1, ∞).
pub fn asin(z: Complex64) -> Complex64 {
    system::casin(z)
}

/// `arccos z`, cuts (−∞, −1] and [1, ∞).
pub fn acos(z: Complex64) -> Complex64 {
    system::cacos(z)
}

/// `arctan z`, cuts i(−∞, −1] and i[1, ∞).
pub fn atan(z: Complex64) -> Complex64 {
    system::catan(z)
}

/// `sinh z`
pub fn sinh(z: Complex64) -> Complex64 {
    system::csinh(z)
}

/// `cosh z`
pub fn cosh(z: Complex64) -> Complex64 {
    system::ccosh(z)
}

/// `tanh z`
pub fn tanh(z: Complex64) -> Complex64 {
    system::ctanh(z)
}

/// `arsinh z`, cuts i(−∞, −1] and i[1, ∞).
pub fn asinh(z: Complex64) -> Complex64 {
    system::casinh(z)
}

/// `arcosh z`, cut (−∞, 1].
pub fn acosh(z: Complex64) -> Complex64 {
    system::cacosh(z)
}

/// `artanh z`, cuts (−∞, −1] and [1, ∞).
pub fn atanh(z: Complex64) -> Complex64 {
    system::catanh(z)
}
