//! Circular and hyperbolic functions and their inverses: mostly the C library's. The standard library has formulas
//! of its own for `asinh`, `acosh` and `atanh`, less accurate, so those three are called directly.
//!
//! `sin` and `cos` are those of the `libm` crate: its `sincos` runs the same reduction and the same kernels, so that
//! [`sincos`] has the bits of both. The C library promises no such thing.

use crate::real::Pair;
use crate::system;

/// `sin x`
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// `cos x`
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// `sin x` and `cos x`, bit for bit those of [`sin`] and [`cos`].
pub fn sincos(x: f64) -> Pair {
    let (first, second) = libm::sincos(x);
    Pair { first, second }
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
    tanh_sech2(x).first
}

/// `1 / cosh² x`, the derivative of `tanh`.
pub fn sech2(x: f64) -> f64 {
    tanh_sech2(x).second
}

/// [`tanh`] and [`sech2`] from one exponential.
#[inline(always)]
pub fn tanh_sech2(x: f64) -> Pair {
    let a = x.abs();
    // With e = e^-2|x|: tanh = (1 - e)/(1 + e), sech = 2 √e/(1 + e). Near 0 the difference 1 - e would cancel, and
    // far out the sum 1 + expm1; further out e underflows before sech² does.
    let (less, e, second) = if a < 0.5 {
        let t = (-2.0 * a).exp_m1();
        let e = 1.0 + t;
        let more = 1.0 + e;
        (-t, e, 4.0 * e / (more * more))
    } else {
        let root = (-a).exp();
        let e = root * root;
        let sech = 2.0 * root / (1.0 + e);
        (1.0 - e, e, sech * sech)
    };
    Pair { first: (less / (1.0 + e)).copysign(x), second }
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
