//! Hyperbolic functions and their inverses, from `e^x - 1` and `ln(1 + x)`.

use super::arith::Dd;
use super::constant::LN_2;
use super::exp_log::{
    TINY, exp_parts, finite_exp, finite_expm1, finite_log1p, moderate_exp, moderate_expm1, positive_log,
};
use super::total::total;
use super::wide::Real;
use crate::real;

/// From here on `e^-x` does not count beside `e^x`.
pub(super) const ONE_SIDED: f64 = 40.0;

/// `sinh x`
pub fn sinh(x: Dd) -> Dd {
    total(x, real::sinh, |x| finite_sinh_cosh(x).0)
}

/// `cosh x`
pub fn cosh(x: Dd) -> Dd {
    total(x, real::cosh, |x| finite_sinh_cosh(x).1)
}

/// `sinh x` and `cosh x` of a number that is neither infinite nor NaN.
pub(super) fn finite_sinh_cosh(x: Dd) -> (Dd, Dd) {
    let (s, c, k) = sinh_cosh_parts(x);
    if k == 0 { (s, c) } else { (s.ldexp(k), c.ldexp(k)) }
}

/// `(s, c, k)` with `sinh x = s 2^k`, `cosh x = c 2^k`, where k is not 0 for large `x` only.
pub(super) fn sinh_cosh_parts(x: Dd) -> (Dd, Dd, i32) {
    let size = x.abs();
    if size.hi < TINY {
        return (x, Dd::ONE, 0);
    }
    if size.hi >= ONE_SIDED {
        let (m, k) = exp_parts(size);
        return (m.copysign(x), m, k - 1);
    }
    let (s, c) = moderate_sinh_cosh(x);
    (s, c, 0)
}

/// `sinh x` and `cosh x` for `|x|` from [`TINY`] to [`ONE_SIDED`].
#[inline(always)]
pub(super) fn moderate_sinh_cosh<R: Real>(x: Dd<R>) -> (Dd<R>, Dd<R>) {
    let size = x.abs();
    let small = size.hi.below(size.hi.num(0.5));
    let mut near = (x, x);
    if R::any(small) {
        // e^x − e^-x from e = e^x − 1, and cosh x = 1 + e²/(2 + 2e).
        let one = Dd::ONE.like(x.hi);
        let e = moderate_expm1(size);
        let q = e / (e + one);
        near = ((e + q).half().copysign(x), one.quick_add((e * q).half()));
        if R::all(small) {
            return near;
        }
    }
    let e = moderate_exp(size);
    let q = e.recip();
    let (s, c) = ((e - q).half().copysign(x), (e + q).half());
    if R::any(small) { (Dd::pick(small, near.0, s), Dd::pick(small, near.1, c)) } else { (s, c) }
}

/// `tanh x`
pub fn tanh(x: Dd) -> Dd {
    total(x, real::tanh, |x| {
        if x.hi.abs() < TINY {
            return x;
        }
        tanh_of(x, finite_expm1(-x.abs().twice()))
    })
}

/// `tanh x` from `e^-2|x| - 1`.
#[inline(always)]
pub(super) fn tanh_of<R: Real>(x: Dd<R>, e: Dd<R>) -> Dd<R> {
    (e / (e + Dd::of(2.0).like(x.hi))).abs().copysign(x)
}

/// `1 / cosh² x`, the derivative of `tanh`.
pub fn sech2(x: Dd) -> Dd {
    total(x, real::sech2, |x| sech2_of(finite_exp(-x.abs())))
}

/// `1 / cosh² x` from `e^-|x|`.
#[inline(always)]
pub(super) fn sech2_of<R: Real>(e: Dd<R>) -> Dd<R> {
    (e.twice() / (Dd::ONE.like(e.hi) + e.square())).square()
}

/// From here on the 1 below the root of `asinh` and `acosh` does not count, and squares may overflow.
const LARGE: f64 = 1e40;

/// `arsinh x`
pub fn asinh(x: Dd) -> Dd {
    total(x, real::asinh, finite_asinh)
}

/// `arsinh x` of a number that is neither infinite nor NaN: `ln(1 + |x| + x² / (1 + √(1 + x²)))`.
pub(super) fn finite_asinh(x: Dd) -> Dd {
    let size = x.abs();
    if size.hi < TINY {
        return x;
    }
    if size.hi > LARGE {
        return (positive_log(size) + LN_2).copysign(x);
    }
    let square = size.square();
    let root = (Dd::ONE + square).sqrt();
    finite_log1p(size + square / (Dd::ONE + root)).copysign(x)
}

/// `arcosh x`, NaN below 1.
pub fn acosh(x: Dd) -> Dd {
    total(x, real::acosh, |x| {
        if x.hi > LARGE {
            return positive_log(x) + LN_2;
        }
        let t = x.plus(-1.0);
        finite_log1p(t + (t * t.plus(2.0)).sqrt())
    })
}

/// `artanh x`, NaN outside [−1, 1].
pub fn atanh(x: Dd) -> Dd {
    total(x, real::atanh, |x| {
        let size = x.abs();
        if size.hi < TINY {
            return x;
        }
        finite_log1p(size.twice() / (Dd::ONE - size)).half().copysign(x)
    })
}
