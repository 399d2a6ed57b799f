//! Inverse circular and hyperbolic functions after W. Kahan, *Branch cuts for complex elementary functions* (1987): sums of
//! terms of one sign, where the signs of zeros choose the side of a cut.

use super::super::arith::Dd;
use super::super::circular::finite_atan2;
use super::super::constant::{HALF_PI, LN_2, dd};
use super::super::exp_log::{TINY, finite_log1p};
use super::super::hyperbolic::finite_asinh;
use super::arith::{finite_sqrt, recip};
use super::exp_log::log_modulus;
use super::{Cdd, total};
use crate::complex;

/// From here on the next terms, 1/z² times the first ones, do not count.
const LARGE: f64 = 1e30;
/// π/2
const QUARTER: Dd = dd(HALF_PI[0], HALF_PI[1]);

/// `arcsin z`, cuts (−∞, −1] and [1, ∞).
pub fn asin(z: Cdd) -> Cdd {
    total(z, complex::asin, finite_asin)
}

/// `arsinh z`, cuts i(−∞, −1] and i[1, ∞).
pub fn asinh(z: Cdd) -> Cdd {
    total(z, complex::asinh, |z| finite_asin(z.times_i()).over_i())
}

/// `1 + z`, the imaginary part kept with the sign of its zero.
fn one_plus(z: Cdd) -> Cdd {
    Cdd::new(z.re.plus(1.0), z.im)
}

fn finite_asin(z: Cdd) -> Cdd {
    let size = z.size();
    if size < TINY {
        return z;
    }
    if size > LARGE {
        return Cdd::new(finite_atan2(z.re, z.im.abs()), (log_modulus(z) + LN_2).copysign(z.im));
    }
    let (p, m) = (finite_sqrt(one_plus(z)), finite_sqrt(one_plus(-z)));
    Cdd::new(finite_atan2(z.re, (m * p).re), finite_asinh((m.conj() * p).im))
}

/// `arccos z`, cuts (−∞, −1] and [1, ∞).
pub fn acos(z: Cdd) -> Cdd {
    total(z, complex::acos, |z| {
        let size = z.size();
        if size < TINY {
            return Cdd::new(QUARTER - z.re, -z.im);
        }
        if size > LARGE {
            return Cdd::new(finite_atan2(z.im, z.re).abs(), -(log_modulus(z) + LN_2).copysign(z.im));
        }
        let (p, m) = (finite_sqrt(one_plus(z)), finite_sqrt(one_plus(-z)));
        Cdd::new(finite_atan2(m.re, p.re).twice(), finite_asinh((p.conj() * m).im))
    })
}

/// `arcosh z`, cut (−∞, 1].
pub fn acosh(z: Cdd) -> Cdd {
    total(z, complex::acosh, |z| {
        let size = z.size();
        if size > LARGE {
            return Cdd::new(log_modulus(z) + LN_2, finite_atan2(z.im, z.re));
        }
        let (p, q) = (finite_sqrt(one_plus(z)), finite_sqrt(Cdd::new(z.re.plus(-1.0), z.im)));
        Cdd::new(finite_asinh((q.conj() * p).re), finite_atan2(q.im, p.re).twice())
    })
}

/// `artanh z`, cuts (−∞, −1] and [1, ∞).
pub fn atanh(z: Cdd) -> Cdd {
    total(z, complex::atanh, finite_atanh)
}

/// `arctan z`, cuts i(−∞, −1] and i[1, ∞).
pub fn atan(z: Cdd) -> Cdd {
    total(z, complex::atan, |z| finite_atanh(z.times_i()).over_i())
}

/// `¼ ln(1 + 4x / ((1 - x)² + y²)) + ½ i arg((1 - x)(1 + x) - y² + 2iy)`, odd in z.
fn finite_atanh(z: Cdd) -> Cdd {
    let size = z.size();
    if size < TINY {
        return z;
    }
    if size > LARGE {
        let w = recip(z);
        return Cdd::new(w.re, QUARTER.copysign(z.im) + w.im);
    }
    if z.re.is_negative() {
        return -finite_atanh(-z);
    }
    let near = -z.re.plus(-1.0);
    let im = finite_atan2(z.im.twice(), near * z.re.plus(1.0) - z.im.square()).half();
    let re = if near.hi.abs().max(z.im.hi.abs()) < 1e-100 {
        (LN_2 - log_modulus(Cdd::new(near, z.im))).half()
    } else {
        let quotient = z.re.scaled(4.0) / (near.square() + z.im.square());
        finite_log1p(quotient).scaled(0.25)
    };
    Cdd::new(re, im)
}
