//! The logistic function, its derivative, its integral, and the logarithm of a sum of exponentials.

use super::hyperbolic::quotient;
use super::log::log1p_unit;
use super::{Lanes, exp};
use std::f64::consts::LN_2;

/// `1 / (1 + e^-x)` and its derivative `e^-x / (1 + e^-x)²`.
#[inline(always)]
pub fn sigmoid_dsigmoid<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    // e^-|x| never overflows; 1 - 1/(1 + e^x) would lose the left tail.
    let t = decay(l, x);
    let (one, zero) = (l.num(1.0), l.num(0.0));
    let d = l.add(one, t);
    // s = sigmoid(-|x|) is at most ½, so that 1 - s and s (1 - s) keep its digits.
    let low = l.sub(d, one);
    let low = l.sub(t, low);
    let s = quotient(l, (t, zero), (d, low));
    let negative = l.lt(x, zero);
    let rest = l.sub(one, s);
    let y = l.select(negative, s, rest);
    (y, l.fnma(s, s, s))
}

/// `e^-|x|`
#[inline(always)]
fn decay<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let size = l.abs(x);
    let minus = l.neg(size);
    exp(l, minus)
}

/// `ln(1 + e^x)`
#[inline(always)]
pub fn softplus<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let t = decay(l, x);
    let rest = log1p_unit(l, t);
    let zero = l.num(0.0);
    let positive = l.max_x(x, zero);
    l.add(positive, rest)
}

/// `-ln(1 + e^-x)`
#[inline(always)]
pub fn log_sigmoid<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let x = l.neg(x);
    let y = softplus(l, x);
    l.neg(y)
}

/// `ln(e^a + e^b)`
#[inline(always)]
pub fn logaddexp<L: Lanes>(l: &mut L, a: L::V, b: L::V) -> L::V {
    let d = l.sub(a, b);
    let t = decay(l, d);
    let rest = log1p_unit(l, t);
    let larger = l.max_x(a, b);
    let y = l.add(larger, rest);
    // Infinities of one sign, too, whose difference is NaN.
    let ln2 = l.num(LN_2);
    let twice = l.add(a, ln2);
    let equal = l.eq(a, b);
    l.select(equal, twice, y)
}
