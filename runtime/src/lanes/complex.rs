//! The exponential of a complex number.

use super::exp::significand;
use super::{Lanes, sincos};

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
