//! The logistic function, its derivative, and that of `tanh`, by the formulas of [`crate::complex`]: sums of positive terms.

use super::super::arith::Dd;
use super::super::circular::finite_sin_cos;
use super::super::exp_log::{finite_exp, finite_expm1};
use super::{Cdd, total};
use crate::complex;

/// `1 / (1 + e^-z)`
pub fn sigmoid(z: Cdd) -> Cdd {
    total(z, complex::sigmoid, |z| {
        let size = z.re.abs();
        let t = finite_exp(-size);
        let complement = -finite_expm1(-size);
        let (sin, cos) = finite_sin_cos(z.im);
        let (_, half) = finite_sin_cos(z.im.half());
        let twice_square = half.square().twice();
        let norm = complement.square() + (t * twice_square).twice();
        let im = t * sin / norm;
        if z.re.hi >= 0.0 {
            return Cdd::new((complement + t * twice_square) / norm, im);
        }
        // t + cos y, the cancellation of 1 against cos y near the poles taken out.
        let re = if cos.hi < 0.0 { twice_square - complement } else { t + cos };
        Cdd::new(t * re / norm, im)
    })
}

/// `e^-z / (1 + e^-z)²`, the derivative of [`sigmoid`]: `1 / (2 cosh(z/2))²`.
pub fn dsigmoid(z: Cdd) -> Cdd {
    total(z, complex::dsigmoid, |z| inverse_square_cosh(z.scaled(0.5), 1.0))
}

/// `1 / cosh² z`, the derivative of `tanh`.
pub fn sech2(z: Cdd) -> Cdd {
    total(z, complex::sech2, |z| inverse_square_cosh(z, 2.0))
}

/// `(c / (2 cosh z))²` for a power of two `c`
fn inverse_square_cosh(z: Cdd, c: f64) -> Cdd {
    let (x, y) = if z.re.hi < 0.0 { (-z.re, -z.im) } else { (z.re, z.im) };
    let root = finite_exp(-x);
    let (sin, cos) = finite_sin_cos(y);
    let p = (Dd::ONE + root.square()) * cos;
    let q = -finite_expm1(-x.twice()) * sin;
    let norm = p.square() + q.square();
    let root = root.scaled(c);
    let factor = root / norm;
    let part = |numerator: Dd| factor * (numerator / norm * root);
    Cdd::new(part((p - q) * (p + q)), part(-(p * q).twice()))
}
