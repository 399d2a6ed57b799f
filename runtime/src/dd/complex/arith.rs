//! Division, roots, powers with integer exponent, and polar coordinates.

use super::super::arith::{Dd, exponent};
use super::super::circular::finite_atan2;
use super::super::power::finite_hypot;
use super::super::total::total2 as real_total2;
use super::{Cdd, total, total2};
use crate::complex;
use crate::real;

/// Where squares and products of quotients neither overflow nor lose bits below the smallest numbers.
fn ordinary(size: f64) -> bool {
    (1e-70..1e70).contains(&size)
}

/// `a / b`
pub fn div(a: Cdd, b: Cdd) -> Cdd {
    total2(a, b, complex::div, |a, b| {
        let (size_a, size_b) = (a.size(), b.size());
        if (ordinary(size_a) || size_a == 0.0) && ordinary(size_b) {
            return quotient(a, b);
        }
        if size_b == 0.0 || size_a == 0.0 {
            return Cdd::of(complex::div(a.high(), b.high()));
        }
        let (ea, eb) = (magnitude(size_a), magnitude(size_b));
        quotient(a.ldexp(-ea), b.ldexp(-eb)).ldexp(ea - eb)
    })
}

/// An exponent that brings a size near 1.
fn magnitude(size: f64) -> i32 {
    if size < f64::MIN_POSITIVE { exponent(size * 2f64.powi(64)) - 64 } else { exponent(size) }
}

/// The quotient by the conjugate's product, of operands whose products neither overflow nor underflow.
pub(super) fn quotient(a: Cdd, b: Cdd) -> Cdd {
    let norm = (b.re.square() + b.im.square()).recip();
    (a * b.conj()).by(norm)
}

/// `1 / z`
pub fn recip(z: Cdd) -> Cdd {
    total(z, complex::recip, |z| div(Cdd::ONE, z))
}

/// `z^n` by repeated squaring, the reciprocal of `z^|n|` for negative `n`. Its error grows with `|n|`, as its condition number does.
pub fn powi(z: Cdd, n: i64) -> Cdd {
    match n {
        0 => return Cdd::ONE,
        // Also of an infinite part beside a finite one.
        1 => return z,
        _ => {}
    }
    total(
        z,
        |z| complex::powi(z, n),
        |z| {
            let inverse_first = n < 0 && z.size() < 0.5;
            let power = multiplied(if inverse_first { recip(z) } else { z }, n.unsigned_abs());
            if n < 0 && !inverse_first { recip(power) } else { power }
        },
    )
}

fn multiplied(z: Cdd, n: u64) -> Cdd {
    let (mut base, mut rest, mut result) = (z, n, None);
    while rest > 0 {
        if rest & 1 == 1 {
            result = Some(result.map_or(base, |r: Cdd| r * base));
        }
        rest >>= 1;
        if rest > 0 {
            base = base * base;
        }
    }
    result.unwrap_or(Cdd::ONE)
}

/// `√z` with non-negative real part, cut (−∞, 0].
pub fn sqrt(z: Cdd) -> Cdd {
    total(z, complex::sqrt, finite_sqrt)
}

/// [`sqrt`] of a number that is neither infinite nor NaN, signs of zeros respected: the larger part is
/// `√((|x| + |z|) / 2)`, the other `|y|` over twice that.
pub(super) fn finite_sqrt(z: Cdd) -> Cdd {
    let size = z.size();
    if size == 0.0 {
        return Cdd::new(Dd::ZERO, z.im);
    }
    if !ordinary(size) {
        let e = magnitude(size) & !1;
        return finite_sqrt(z.ldexp(-e)).ldexp(e / 2);
    }
    let t = (z.re.abs() + finite_hypot(z.re, z.im)).half().sqrt();
    let other = z.im.abs() / t.twice();
    if z.re.is_negative() { Cdd::new(other, t.copysign(z.im)) } else { Cdd::new(t, other.copysign(z.im)) }
}

/// `|z|`
pub fn abs(z: Cdd) -> Dd {
    real_total2(z.re, z.im, real::hypot, finite_hypot)
}

/// The argument in [−π, π], at zeros by their signs.
pub fn arg(z: Cdd) -> Dd {
    real_total2(z.im, z.re, real::atan2, finite_atan2)
}

/// `z / |z|`, the number itself at 0.
pub fn sign(z: Cdd) -> Cdd {
    total(z, complex::sign, |z| {
        let size = z.size();
        if size == 0.0 {
            return z;
        }
        let z = if ordinary(size) { z } else { z.ldexp(-magnitude(size)) };
        let r = finite_hypot(z.re, z.im);
        Cdd::new(z.re / r, z.im / r)
    })
}
