//! The logistic function, its derivative, and that of `tanh`, from sums of positive terms, so that poles,
//! tails and the neighbourhood of the real axis keep their accuracy in each component.

use super::Complex64;

/// `1 / (1 + e^-z)`
///
/// With t = e^-|x| and D = 1 + t e^∓iy: `Re D = (1 − t) + 2t cos²(y/2)`, `|D|² = (1 − t)² + 4t cos²(y/2)`, all
/// terms positive, so that nothing cancels near the poles i(2k+1)π. For x < 0 it is `t e^iy / D`.
pub fn sigmoid(z: Complex64) -> Complex64 {
    let t = (-z.re.abs()).exp();
    let complement = -(-z.re.abs()).exp_m1();
    if t == 0.0 && !z.im.is_finite() {
        // The direction of e^-z does not matter any more.
        return Complex64::new(if z.re < 0.0 { 0.0 } else { 1.0 }, 0.0);
    }
    let (sin, cos) = z.im.sin_cos();
    let half = (0.5 * z.im).cos();
    let twice_square = 2.0 * half * half;
    let norm = complement * complement + 2.0 * t * twice_square;
    if z.re < 0.0 {
        // t + cos y, the cancellation of 1 against cos y near the poles taken out
        let re = if cos < 0.0 { twice_square - complement } else { t + cos };
        Complex64::new(t * re / norm, t * sin / norm)
    } else {
        Complex64::new((complement + t * twice_square) / norm, t * sin / norm)
    }
}

/// `e^-z / (1 + e^-z)²`, the derivative of [`sigmoid`]: `1 / (2 cosh(z/2))²`.
pub fn dsigmoid(z: Complex64) -> Complex64 {
    inverse_square_cosh(Complex64::new(0.5 * z.re, 0.5 * z.im), 1.0)
}

/// `1 / cosh² z`, the derivative of `tanh`.
pub fn sech2(z: Complex64) -> Complex64 {
    inverse_square_cosh(z, 2.0)
}

/// `(c / (2 cosh z))²`
///
/// For x >= 0 and t = e^-2x: `2 cosh z = e^x u` with `u = (1 + t) cos y + i (1 − t) sin y`, so that it is
/// `(c e^-x)² conj(u)² / |u|⁴`, where only the first factor leaves the range of normal numbers.
fn inverse_square_cosh(z: Complex64, c: f64) -> Complex64 {
    // Even in z.
    let (x, y) = if z.re < 0.0 { (-z.re, -z.im) } else { (z.re, z.im) };
    let root = (-x).exp();
    if root == 0.0 && !y.is_finite() {
        return Complex64::new(0.0, 0.0);
    }
    let (sin, cos) = y.sin_cos();
    let p = (1.0 + root * root) * cos;
    let q = -(-2.0 * x).exp_m1() * sin;
    let norm = p * p + q * q;
    let factor = (c * root) / norm;
    let part = |numerator: f64| factor * (numerator / norm * (c * root));
    Complex64::new(part((p - q) * (p + q)), part(-2.0 * p * q))
}
