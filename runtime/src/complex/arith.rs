//! Division, powers with integer exponent, and polar coordinates.

use super::Complex64;
use crate::dd::sum_of_products;
use crate::real;
use std::ops::Range;

/// Sizes of numbers whose products, and quotients of these, neither overflow nor underflow.
pub const ORDINARY: Range<f64> = 1e-70..1e70;

/// `a / b`, each component within a few ulp, without overflow or underflow on the way. A zero divisor and
/// infinite operands give what C99 Annex G.5.1 gives.
pub fn div(a: Complex64, b: Complex64) -> Complex64 {
    let (size_a, size_b) = (largest(a), largest(b));
    if ORDINARY.contains(&size_a) && ORDINARY.contains(&size_b) {
        return quotient(a, b);
    }
    if !(size_a.is_finite() && size_b.is_finite()) || size_b == 0.0 {
        return special_quotient(a, b);
    }
    if size_a == 0.0 {
        return quotient(a, scaled(b, -exponent(size_b)));
    }
    let (ea, eb) = (exponent(size_a), exponent(size_b));
    scaled(quotient(scaled(a, -ea), scaled(b, -eb)), ea - eb)
}

/// `1 / z`, as `(1 + 0i) / z`.
pub fn recip(z: Complex64) -> Complex64 {
    div(Complex64::new(1.0, 0.0), z)
}

/// `z^n` by repeated squaring in a fixed order with the plain product, the reciprocal of `z^|n|` for negative
/// `n`, or the power of `1/z` where `z^|n|` over- or underflows. Hence `z^1 = z`, `z^2 = z z` and `z^3 = z (z z)` to the bit.
pub fn powi(z: Complex64, n: i64) -> Complex64 {
    let count = n.unsigned_abs();
    if n >= 0 {
        return power(z, count);
    }
    let result = power(z, count);
    let size = largest(z);
    if largest(result).is_normal() || size == 0.0 || !size.is_finite() {
        return recip(result);
    }
    power(recip(z), count)
}

fn power(z: Complex64, count: u64) -> Complex64 {
    let mut base = z;
    let mut exponent = count;
    // No multiplication by 1 + 0i: it would change signed zeros and infinities.
    let mut result: Option<Complex64> = None;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = Some(result.map_or(base, |r| product(r, base)));
        }
        exponent >>= 1;
        if exponent > 0 {
            base = product(base, base);
        }
    }
    result.unwrap_or(Complex64::new(1.0, 0.0))
}

/// `|z|`, infinite if a part is, even beside a NaN.
pub fn abs(z: Complex64) -> f64 {
    real::hypot(z.re, z.im)
}

/// The argument in [−π, π]: ±π on the two sides of the negative axis, to which −0 belongs.
pub fn arg(z: Complex64) -> f64 {
    z.im.atan2(z.re)
}

/// `z / |z|`, the number itself at 0; the direction of an infinite `z`.
pub fn sign(z: Complex64) -> Complex64 {
    if z.re.is_nan() || z.im.is_nan() {
        return Complex64::new(f64::NAN, f64::NAN);
    }
    let size = largest(z);
    if size == 0.0 {
        return z;
    }
    let z = if size == f64::INFINITY { boxed(z) } else { scaled(z, -exponent(size)) };
    let r = real::hypot(z.re, z.im);
    Complex64::new(z.re / r, z.im / r)
}

/// The plain product, as generated code computes it.
fn product(a: Complex64, b: Complex64) -> Complex64 {
    Complex64::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

fn largest(z: Complex64) -> f64 {
    // `max` ignores a NaN: it must not, here.
    let (x, y) = (z.re.abs(), z.im.abs());
    if x > y || x.is_nan() { x } else { y }
}

/// Quotient of operands whose products neither overflow nor underflow.
fn quotient(a: Complex64, b: Complex64) -> Complex64 {
    let norm = b.re * b.re + b.im * b.im;
    let re = sum_of_products(a.re, b.re, a.im, b.im);
    let im = sum_of_products(a.im, b.re, -a.re, b.im);
    Complex64::new(re / norm, im / norm)
}

/// The exponent e with 2^e <= x < 2^(e+1), `x` positive and finite.
fn exponent(x: f64) -> i32 {
    let field = |x: f64| (x.to_bits() >> 52) as i32;
    match field(x) {
        0 => field(x * 2f64.powi(64)) - 64 - 1023,
        e => e - 1023,
    }
}

/// `z 2^e`, rounded once.
fn scaled(z: Complex64, e: i32) -> Complex64 {
    Complex64::new(libm::scalbn(z.re, e), libm::scalbn(z.im, e))
}

/// ±1 for infinities, ±0 for all else.
fn boxed(z: Complex64) -> Complex64 {
    let part = |x: f64| if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) };
    Complex64::new(part(z.re), part(z.im))
}

/// Zero divisors, infinities and NaN, after the example code of C99 Annex G.5.1.
fn special_quotient(a: Complex64, b: Complex64) -> Complex64 {
    let nan = |z: Complex64| z.re.is_nan() || z.im.is_nan();
    let infinite = |z: Complex64| z.re.is_infinite() || z.im.is_infinite();
    let finite = |z: Complex64| z.re.is_finite() && z.im.is_finite();
    if b.re == 0.0 && b.im == 0.0 && !(a.re.is_nan() && a.im.is_nan()) {
        let inf = f64::INFINITY.copysign(b.re);
        Complex64::new(inf * a.re, inf * a.im)
    } else if infinite(a) && finite(b) {
        let a = boxed(a);
        let re = a.re * b.re + a.im * b.im;
        let im = a.im * b.re - a.re * b.im;
        Complex64::new(f64::INFINITY * re, f64::INFINITY * im)
    } else if infinite(b) && finite(a) {
        let b = boxed(b);
        let re = a.re * b.re + a.im * b.im;
        let im = a.im * b.re - a.re * b.im;
        Complex64::new(0.0 * re, 0.0 * im)
    } else if nan(a) || nan(b) || infinite(a) {
        Complex64::new(f64::NAN, f64::NAN)
    } else {
        quotient(a, b)
    }
}
