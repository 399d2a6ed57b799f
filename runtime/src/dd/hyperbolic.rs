//! Hyperbolic functions and their inverses, from `e^x - 1` and `ln(1 + x)`.

use super::arith::Dd;
use super::constant::LN_2;
use super::exp_log::{TINY, exp_parts, finite_exp, finite_expm1, finite_log1p, positive_log};
use super::total::total;
use crate::real;

/// From here on `e^-x` does not count beside `e^x`.
const ONE_SIDED: f64 = 40.0;

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
    if size.hi < 0.5 {
        // e^x − e^-x from e = e^x − 1, and cosh x = 1 + e²/(2 + 2e).
        let e = finite_expm1(size);
        let q = e / (e + Dd::ONE);
        return ((e + q).half().copysign(x), Dd::ONE.quick_add((e * q).half()), 0);
    }
    let e = finite_exp(size);
    let q = e.recip();
    ((e - q).half().copysign(x), (e + q).half(), 0)
}

/// `tanh x`
pub fn tanh(x: Dd) -> Dd {
    total(x, real::tanh, |x| {
        if x.hi.abs() < TINY {
            return x;
        }
        let e = finite_expm1(-x.abs().twice());
        (e / (e + Dd::of(2.0))).abs().copysign(x)
    })
}

/// `1 / cosh² x`, the derivative of `tanh`.
pub fn sech2(x: Dd) -> Dd {
    total(x, real::sech2, |x| {
        let e = finite_exp(-x.abs());
        (e.twice() / (Dd::ONE + e.square())).square()
    })
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
