//! Circular and hyperbolic functions, from those of the parts.

use super::super::arith::Dd;
use super::super::circular::finite_sin_cos;
use super::super::exp_log::{TINY, exp_parts};
use super::super::hyperbolic::sinh_cosh_parts;
use super::exp_log::product;
use super::{Cdd, total};
use crate::complex;

/// `sin z`
pub fn sin(z: Cdd) -> Cdd {
    total(z, complex::sin, |z| finite_sinh(z.times_i()).over_i())
}

/// `cos z`
pub fn cos(z: Cdd) -> Cdd {
    total(z, complex::cos, |z| finite_cosh(z.times_i()))
}

/// `tan z`
pub fn tan(z: Cdd) -> Cdd {
    total(z, complex::tan, |z| finite_tanh(z.times_i()).over_i())
}

/// `sinh z`
pub fn sinh(z: Cdd) -> Cdd {
    total(z, complex::sinh, finite_sinh)
}

/// `cosh z`
pub fn cosh(z: Cdd) -> Cdd {
    total(z, complex::cosh, finite_cosh)
}

/// `tanh z`
pub fn tanh(z: Cdd) -> Cdd {
    total(z, complex::tanh, finite_tanh)
}

/// `sinh x cos y + i cosh x sin y`
fn finite_sinh(z: Cdd) -> Cdd {
    let (sinh, cosh, k) = sinh_cosh_parts(z.re);
    let (sin, cos) = finite_sin_cos(z.im);
    Cdd::new(product(sinh, cos, k), product(sin, cosh, k))
}

/// `cosh x cos y + i sinh x sin y`
fn finite_cosh(z: Cdd) -> Cdd {
    let (sinh, cosh, k) = sinh_cosh_parts(z.re);
    let (sin, cos) = finite_sin_cos(z.im);
    Cdd::new(product(cos, cosh, k), product(sin, sinh, k))
}

/// `(sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)`, a sum of positive terms. For large `|x|` it is ±1 but for
/// `-2 e^-2|x| cos 2y` and `i 4 e^-2|x| sin y cos y`.
fn finite_tanh(z: Cdd) -> Cdd {
    if z.size() < TINY {
        return z;
    }
    let (sin, cos) = finite_sin_cos(z.im);
    if z.re.hi.abs() > 60.0 {
        let (m, k) = exp_parts(-z.re.abs().twice());
        return Cdd::new(Dd::ONE.copysign(z.re), (m * sin * cos).ldexp(k + 2));
    }
    let (sinh, cosh, k) = sinh_cosh_parts(z.re);
    let (sinh, cosh) = (sinh.ldexp(k), cosh.ldexp(k));
    let norm = (sinh.square() + cos.square()).recip();
    Cdd::new(sinh * cosh * norm, sin * cos * norm)
}
