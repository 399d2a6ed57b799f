//! The modulus of a complex number, and its exponential.

use super::exp::significand;
use super::{Lanes, sincos};

/// Between these, squares of numbers, and sums of two, are ordinary numbers.
const SMALL: f64 = 1e-135;
const LARGE: f64 = 1e150;
/// 2⁶⁰⁰
const UP: f64 = 4.149515568880993e180;

/// `√(a² + b²)`, infinite if one is, even beside a NaN.
#[inline(always)]
pub fn hypot<L: Lanes>(l: &mut L, a: L::V, b: L::V) -> L::V {
    let (x, y) = (l.abs(a), l.abs(b));
    let (most, least) = (l.max_x(x, y), l.min_x(x, y));
    // Powers of 2 bring squares back into range.
    let [small, large, one, up, down] = [SMALL, LARGE, 1.0, UP, 1.0 / UP].map(|x| l.num(x));
    let (below, above) = (l.lt(most, small), l.lt(large, most));
    let scale = l.select(below, up, one);
    let scale = l.select(above, down, scale);
    let back = l.select(below, down, one);
    let back = l.select(above, up, back);
    let (most, least) = (l.mul(most, scale), l.mul(least, scale));
    let square = l.mul(least, least);
    let square = l.fma(most, most, square);
    let root = l.sqrt(square);
    let root = l.mul(root, back);
    // The larger of NaN and a number is the second one.
    let number = l.eq(x, x);
    let root = l.select(number, root, x);
    let infinity = l.num(f64::INFINITY);
    let (first, second) = (l.eq(x, infinity), l.eq(y, infinity));
    let either = l.or(first, second);
    l.select(either, infinity, root)
}

/// Beyond this an exponential has left the range of doubles, whatever double it is multiplied with.
const FAR: f64 = 1500.0;
/// Powers of 2 up to here are ordinary numbers, and three of them make up e to [`FAR`].
const PART: f64 = 1000.0;

/// `e^(x + iy) = e^x (cos y + i sin y)`, with the values of C at infinities, NaN and zeros.
#[inline(always)]
pub fn cexp<L: Lanes>(l: &mut L, x: L::V, y: L::V) -> (L::V, L::V) {
    let (s, c) = sincos(l, y);
    // e^x in factors, so that a sine or cosine meets it before it over- or underflows.
    let near = l.clamp(x, -FAR, FAR);
    let (n, e) = significand(l, near);
    let first = l.clamp(n, -PART, PART);
    let rest = l.sub(n, first);
    let second = l.clamp(rest, -PART, PART);
    let third = l.sub(rest, second);
    let [first, second, third] = [first, second, third].map(|n| l.pow2(n));
    let e = l.mul(e, first);
    let (zero, infinity, far) = (l.num(0.0), l.num(f64::INFINITY), l.num(FAR));
    let minus = l.neg(infinity);
    let (over, under) = (l.lt(far, x), l.eq(x, minus));
    let part = |l: &mut L, of: L::V| {
        let y = l.mul(e, of);
        let y = l.mul(y, second);
        let y = l.mul(y, third);
        // Of an infinite size, whatever the sine; of none, even at an infinite angle.
        let most = l.copysign(infinity, of);
        let nan = l.eq(of, of);
        let most = l.select(nan, most, of);
        let least = l.select(nan, y, zero);
        let y = l.select(over, most, y);
        l.select(under, least, y)
    };
    let (re, im) = (part(l, c), part(l, s));
    // An infinite angle has no sign, but the size is known.
    let known = l.eq(c, c);
    let size = l.select(known, re, infinity);
    let re = l.select(over, size, re);
    let real = l.eq(y, zero);
    (re, l.select(real, y, im))
}
