//! Circular functions and their inverses.

use super::arith::{Dd, exponent, power_of_two};
use super::constant::{self, HALF_PI, PI, dd};
use super::exp_log::TINY;
use super::reduction::quarter_turns;
use super::total::{total, total2};
use super::wide::{Real, Whole};
use crate::real;

/// `sin (i/128)` and `cos (i/128)` for i = 0, …, 102.
static ANGLES: [[f64; 4]; 103] = {
    let (mut table, mut i) = ([[0.0, 0.0, 1.0, 0.0]; 103], 1);
    while i < 103 {
        let (s, c) = constant::sin_cos(Dd::of(i as f64 / 128.0));
        table[i] = [s.hi, s.lo, c.hi, c.lo];
        i += 1;
    }
    table
};

/// `sin r` and `cos r` for `|r| <= 0.79`: the sum of a tabulated angle and a small one.
#[inline(always)]
pub(super) fn small_sin_cos<R: Real>(r: Dd<R>) -> (Dd<R>, Dd<R>) {
    const S3: Dd = constant::neg(constant::inverse_factorial(3));
    const S5: Dd = constant::inverse_factorial(5);
    const C4: Dd = constant::inverse_factorial(4);
    let x = r.hi;
    let i = (x.magnitude() * x.num(128.0) + x.num(0.5)).whole();
    let angle = (R::of(i) * x.num(1.0 / 128.0)).flip(x);
    // Exact (Sterbenz), and normalised.
    let t = Dd::sum(r.hi - angle, r.lo);
    let u = t.square();
    let x = u.hi;
    let tail = x * (x.num(-1.0 / 5040.0) + x * (x.num(1.0 / 362880.0) - x * x.num(1.0 / 39916800.0)));
    let sin = S3.like(x).quick_add(S5.like(x).quick_plus(tail) * u);
    let sin = t.quick_add(sin * u * t);
    let tail = x * (x.num(-1.0 / 720.0) + x * (x.num(1.0 / 40320.0) - x * x.num(1.0 / 3628800.0)));
    // cos t − 1
    let cos = dd(-0.5, 0.0).like(x).quick_add(C4.like(x).quick_plus(tail) * u) * u;
    let near = (sin, Dd::ONE.like(x).quick_add(cos));
    let none = R::none(i);
    if R::all(none) {
        return near;
    }
    let [s, s_lo, c, c_lo] = R::rows(&ANGLES, i.least(i.num(102)));
    let (s, c) = (Dd { hi: s, lo: s_lo }.flip(r.hi), Dd { hi: c, lo: c_lo });
    let (s, c) = (s.quick_add(c * sin + s * cos), c.quick_add(c * cos - s * sin));
    if R::any(none) { (Dd::pick(none, near.0, s), Dd::pick(none, near.1, c)) } else { (s, c) }
}

/// `sin x` and `cos x` of a number that is neither infinite nor NaN.
pub(super) fn finite_sin_cos(x: Dd) -> (Dd, Dd) {
    if x.hi.abs() < TINY {
        return (x, Dd::ONE);
    }
    let (quarters, r) = quarter_turns(x);
    rotated(quarters, small_sin_cos(r))
}

/// Sine and cosine of an angle that is so many quarter iterations larger.
#[inline(always)]
pub(super) fn rotated(quarters: u32, (s, c): (Dd, Dd)) -> (Dd, Dd) {
    match quarters {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// `sin x`
pub fn sin(x: Dd) -> Dd {
    total(x, real::sin, |x| finite_sin_cos(x).0)
}

/// `cos x`
pub fn cos(x: Dd) -> Dd {
    total(x, real::cos, |x| finite_sin_cos(x).1)
}

/// `tan x`
pub fn tan(x: Dd) -> Dd {
    total(x, real::tan, |x| {
        if x.hi.abs() < TINY {
            return x;
        }
        let (s, c) = finite_sin_cos(x);
        s / c
    })
}

/// `sin x` and `cos x`, NaN where `x` is infinite or NaN.
pub fn sin_cos(x: Dd) -> (Dd, Dd) {
    if !x.hi.is_finite() {
        return (Dd::NAN, Dd::NAN);
    }
    let (s, c) = finite_sin_cos(x);
    // A sine of −0 is −0.
    (if x.hi == 0.0 { Dd::of(x.hi) } else { s }, c)
}

/// `sin πx` and `cos πx`, the argument reduced exactly; zeros are +0. `x` is neither infinite nor NaN.
pub(super) fn sin_cos_pi(x: Dd) -> (Dd, Dd) {
    // Both parts modulo 2 are exact, and so is the distance to the nearest multiple of a half, but for bits far below.
    let m = Dd::sum(x.hi % 2.0, x.lo % 2.0);
    let q = (2.0 * m.hi).round_ties_even();
    let r = Dd::sum(m.hi - 0.5 * q, m.lo);
    rotated(q as i32 as u32 & 3, small_sin_cos(r * PI))
}

/// `arg(x + i y)` in [−π, π], signs of zeros respected, where C's function has it.
pub fn atan2(y: Dd, x: Dd) -> Dd {
    total2(y, x, real::atan2, finite_atan2)
}

/// [`atan2`] of numbers that are neither infinite nor NaN.
pub(super) fn finite_atan2(y: Dd, x: Dd) -> Dd {
    if y.hi == 0.0 || x.hi == 0.0 {
        return on_axis(y, x);
    }
    let (ey, ex) = (exponent(y.hi), exponent(x.hi));
    if ey.min(ex) < -400 || ey.max(ex) > 400 || ey - ex < -110 || ey - ex > 110 {
        return unequal(y, x);
    }
    near_angle(y, x, real::atan2(y.hi, x.hi))
}

/// The argument from an approximation: the angle between `x + iy` and its direction is what is missing.
#[inline(always)]
fn near_angle(y: Dd, x: Dd, angle: f64) -> Dd {
    let (s, c) = finite_sin_cos(Dd::of(angle));
    let sine = y * c - x * s;
    let cosine = x.hi * c.hi + y.hi * s.hi;
    // The missing angle is so small that it is its tangent, and a double.
    Dd::quick(angle, sine.hi / cosine)
}

/// Where an operand is 0.
#[cold]
fn on_axis(y: Dd, x: Dd) -> Dd {
    let first = if y.hi != 0.0 {
        dd(HALF_PI[0], HALF_PI[1])
    } else if x.is_negative() {
        PI
    } else {
        Dd::ZERO
    };
    first.copysign(y)
}

/// Where scaling is needed: one part is tiny beside the other, or both are near the ends of the range.
#[cold]
fn unequal(y: Dd, x: Dd) -> Dd {
    let (y, ey) = normalised(y);
    let (x, ex) = normalised(x);
    let e = ey - ex;
    if e < -110 {
        // tan⁻¹ of so small a quotient is the quotient.
        let q = (y / x.abs()).ldexp(e).abs();
        return if x.is_negative() { PI - q } else { q }.copysign(y);
    }
    if e > 110 {
        let q = (x / y.abs()).ldexp(-e);
        return (dd(HALF_PI[0], HALF_PI[1]) - q).copysign(y);
    }
    let half = power_of_two(e / 2);
    let (y, x) = (y.scaled(half).scaled(power_of_two(e - e / 2)), x);
    near_angle(y, x, real::atan2(y.hi, x.hi))
}

/// `(m, e)` with `x = m 2^e` and `1 <= |m| < 2` or hardly more; 0 is `0 2^0`. `x` is finite.
pub(super) fn normalised(x: Dd) -> (Dd, i32) {
    if x.hi == 0.0 {
        return (x, 0);
    }
    if x.hi.abs() < 1e-290 {
        let (m, e) = normalised(x.scaled(2f64.powi(128)));
        return (m, e - 128);
    }
    let e = exponent(x.hi);
    // In two steps: 2^−1023 is no normal number.
    let half = power_of_two(-e / 2);
    (x.scaled(half).scaled(power_of_two(-e - -e / 2)), e)
}

/// `arctan x`
pub fn atan(x: Dd) -> Dd {
    total(x, real::atan, finite_atan)
}

/// `arctan x` of a number that is neither infinite nor NaN.
pub(super) fn finite_atan(x: Dd) -> Dd {
    if x.hi.abs() < TINY { x } else { finite_atan2(x, Dd::ONE) }
}

/// `arcsin x`, NaN outside [−1, 1].
pub fn asin(x: Dd) -> Dd {
    total(x, real::asin, |x| if x.hi.abs() < TINY { x } else { finite_atan2(x, complement(x)) })
}

/// `arccos x`, NaN outside [−1, 1].
pub fn acos(x: Dd) -> Dd {
    total(x, real::acos, |x| finite_atan2(complement(x), x))
}

/// `√(1 - x²)`, relatively accurate at ±1 too.
fn complement(x: Dd) -> Dd {
    ((Dd::ONE - x) * (Dd::ONE + x)).sqrt()
}
