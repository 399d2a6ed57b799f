//! Exponentials and logarithms.

use super::dispatch::scalar;
#[cfg(target_arch = "x86_64")]
use super::dispatch::{FUSED, Ordering, detect};
use crate::lanes::{self, Scalar};
use crate::real::Pair;

scalar! {
    /// `e^x cos y` and `e^x sin y`: the exponential of a complex number.
    cexp(x, y) -> Pair = lanes::cexp(&mut Scalar, x, y).into();
    /// `e^x`
    exp(x) -> f64 = lanes::exp(&mut Scalar, x);
    /// `e^x - 1`
    expm1(x) -> f64 = lanes::expm1(&mut Scalar, x);
    /// `2^x`
    exp2(x) -> f64 = lanes::exp2(&mut Scalar, x);
    /// `ln x`
    log(x) -> f64 = lanes::log(&mut Scalar, x);
    /// `ln x / ln 2`
    log2(x) -> f64 = lanes::log2(&mut Scalar, x);
    /// `ln x / ln 10`
    log10(x) -> f64 = lanes::log10(&mut Scalar, x);
    /// `ln(1 + x)`
    log1p(x) -> f64 = lanes::log1p(&mut Scalar, x);
}
