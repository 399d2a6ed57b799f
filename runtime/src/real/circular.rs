//! Circular and hyperbolic functions, and their inverses: those of hyperbolic functions are the C library's. The standard library has formulas
//! of its own for `asinh`, `acosh` and `atanh`, less accurate, so those three are called directly.

use super::dispatch::scalar;
#[cfg(target_arch = "x86_64")]
use super::dispatch::{FUSED, Ordering, detect};
use crate::lanes::{self, Scalar};
use crate::real::Pair;
use crate::system;

scalar! {
    /// `sin x`
    sin(x) -> f64 = lanes::sin(&mut Scalar, x);
    /// `cos x`
    cos(x) -> f64 = lanes::cos(&mut Scalar, x);
    /// `sin x` and `cos x`, bit for bit those of [`sin`] and [`cos`].
    sincos(x) -> Pair = lanes::sincos(&mut Scalar, x).into();
    /// `tan x`
    tan(x) -> f64 = lanes::tan(&mut Scalar, x);
    /// `arcsin x`, NaN outside [−1, 1].
    asin(x) -> f64 = lanes::asin(&mut Scalar, x);
    /// `arccos x`, NaN outside [−1, 1].
    acos(x) -> f64 = lanes::acos(&mut Scalar, x);
    /// `arctan x`
    atan(x) -> f64 = lanes::atan(&mut Scalar, x);
    /// `sinh x`
    sinh(x) -> f64 = lanes::sinh(&mut Scalar, x);
    /// `cosh x`
    cosh(x) -> f64 = lanes::cosh(&mut Scalar, x);
    /// `tanh x`
    tanh(x) -> f64 = lanes::tanh_sech2(&mut Scalar, x).0;
    /// `1 / cosh² x`, the derivative of `tanh`.
    sech2(x) -> f64 = lanes::tanh_sech2(&mut Scalar, x).1;
    /// [`tanh`] and [`sech2`] from one exponential.
    tanh_sech2(x) -> Pair = lanes::tanh_sech2(&mut Scalar, x).into();
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
