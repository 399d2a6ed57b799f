//! Logarithms: `x = 2^k (1 + f)` with 1 + f from ¾ to 3/2, and, as in fdlibm,
//! `ln(1 + f) = f - f²/2 + s (f²/2 + R(s²))` with `s = f / (2 + f)`.

use super::Lanes;
use super::exp::{LN2_HI, LN2_LO};

/// 1 / ln 2, in two doubles.
const LOG2_E: [f64; 2] = [std::f64::consts::LOG2_E, 2.0355273740931033e-17];
/// 1 / ln 10, in two doubles.
const LOG10_E: [f64; 2] = [std::f64::consts::LOG10_E, 1.098319650216765e-17];
/// ln 2 / ln 10, in two doubles.
const LOG10_2: [f64; 2] = [std::f64::consts::LOG10_2, -2.8037281277851704e-18];
/// Twice `(ln((1 + s) / (1 - s)) - 2s) / s³` in powers of s², s from −1/7 to 1/5, at Chebyshev nodes.
const R: [f64; 8] = [
    1.3333333333333333,
    0.800000000000156,
    0.5714285713467787,
    0.444444460756984,
    0.3636347690284483,
    0.30777669619909653,
    0.264207157599545,
    0.27208071521842864,
];
/// Half of that for s from 0 to ⅓.
const UNIT: [f64; 11] = [
    0.6666666666666666,
    0.39999999999999525,
    0.28571428571600116,
    0.22222222198234706,
    0.181818198980932,
    0.15384543960151018,
    0.13335178734434142,
    0.11734277673341459,
    0.10845189657302147,
    0.07492093365922074,
    0.1563067348855088,
];

/// A number and its logarithm in pieces: `ln x = k ln 2 + f - (square - s sum) / 2`.
struct Parts<V> {
    k: V,
    f: V,
    s: V,
    z: V,
    p: V,
}

/// The pieces of `2^k m`, m in [¾, 3/2).
#[inline(always)]
fn parts<L: Lanes>(l: &mut L, (m, k): (L::V, L::V)) -> Parts<L::V> {
    let one = l.num(1.0);
    let f = l.sub(m, one);
    let d = l.add(m, one);
    let s = l.div(f, d);
    let z = l.mul(s, s);
    // Pairs by Horner's scheme: one product less than Estrin's.
    let pairs = [poly!(l, z, R: 0 1), poly!(l, z, R: 2 3), poly!(l, z, R: 4 5), poly!(l, z, R: 6 7)];
    let zz = l.mul(z, z);
    let p = l.fma(zz, pairs[3], pairs[2]);
    let p = l.fma(zz, p, pairs[1]);
    let p = l.fma(zz, p, pairs[0]);
    Parts { k, f, s, z, p }
}

/// Mantissa and exponent of any number.
#[inline(always)]
fn split<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    (l.get_mant(x), l.get_exp(x))
}

/// NaN where `x < least`, else `y`.
#[inline(always)]
fn above<L: Lanes>(l: &mut L, x: L::V, least: f64, y: L::V) -> L::V {
    let (least, nan) = (l.num(least), l.num(f64::NAN));
    let outside = l.lt(x, least);
    l.select(outside, nan, y)
}

/// `k ln 2 + ln(1 + f) + more`
#[inline(always)]
fn natural<L: Lanes>(l: &mut L, p: &Parts<L::V>, more: Option<L::V>) -> L::V {
    let (hi, lo, half) = (l.num(LN2_HI), l.num(2.0 * LN2_LO), l.num(0.5));
    let square = l.mul(p.f, p.f);
    let sum = l.fma(p.z, p.p, square);
    let square = l.fnma(p.k, lo, square);
    let square = match more {
        Some(more) => {
            let two = l.num(2.0);
            l.fnma(two, more, square)
        }
        None => square,
    };
    let less = l.fnma(p.s, sum, square);
    let r = l.fnma(half, less, p.f);
    l.fma(p.k, hi, r)
}

/// `ln x`
#[inline(always)]
pub fn log<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    if l.is_usual(x) {
        let x = l.split(x);
        return log_of(l, x);
    }
    l.seldom::<Log>(x)
}

anywhere!(Log: log_anywhere);

#[inline(always)]
fn log_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let parts = split(l, x);
    let y = log_of(l, parts);
    above(l, x, 0.0, y)
}

#[inline(always)]
fn log_of<L: Lanes>(l: &mut L, x: (L::V, L::V)) -> L::V {
    let p = parts(l, x);
    natural(l, &p, None)
}

/// `ln(1 + x)`
#[inline(always)]
pub fn log1p<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let one = l.num(1.0);
    let u = l.add(one, x);
    // −0 is its own result, and so is ∞.
    let size = l.abs(x);
    if l.is_usual(u) && l.is_usual(size) {
        let parts = l.split(u);
        return log_of_sum(l, x, u, parts);
    }
    l.seldom::<Log1p>(x)
}

anywhere!(Log1p: log1p_anywhere);

#[inline(always)]
fn log1p_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let one = l.num(1.0);
    let u = l.add(one, x);
    let parts = split(l, u);
    let y = log_of_sum(l, x, u, parts);
    let (tiny, infinity) = (l.num(TINY), l.num(f64::INFINITY));
    let a = l.abs(x);
    let (small, infinite) = (l.lt(a, tiny), l.eq(x, infinity));
    let itself = l.or(small, infinite);
    let y = l.select(itself, x, y);
    above(l, x, -1.0, y)
}

/// `ln(1 + x)` by the mantissa and exponent of `u`, the nearest number to 1 + x.
#[inline(always)]
fn log_of_sum<L: Lanes>(l: &mut L, x: L::V, u: L::V, of_u: (L::V, L::V)) -> L::V {
    let one = l.num(1.0);
    // 1 + x = u + c exactly.
    let t = l.sub(u, one);
    let v = l.sub(u, t);
    let (c1, c2) = (l.sub(one, v), l.sub(x, t));
    let c = l.add(c1, c2);
    let p = parts(l, of_u);
    // c / (2^k (1 + f)), of which a few digits matter; none where k is large.
    let least = l.num(-1000.0);
    let minus = l.neg(p.k);
    let minus = l.max_x(least, minus);
    let scale = l.pow2(minus);
    let c = l.mul(c, scale);
    let g = l.fnma(p.f, c, c);
    let c = l.fnma(p.f, g, c);
    natural(l, &p, Some(c))
}

/// `ln(1 + t)` for t from 0 to 1: `t - s (t - R(s²))` with `s = t / (2 + t)`.
#[inline(always)]
pub(super) fn log1p_unit<L: Lanes>(l: &mut L, t: L::V) -> L::V {
    let two = l.num(2.0);
    let d = l.add(t, two);
    let s = l.div(t, d);
    let z = l.mul(s, s);
    let p = poly!(l, z, UNIT: 0 1 2 3 4 5 6 7 8 9 10);
    let less = l.fnma(z, p, t);
    l.fnma(s, less, t)
}

/// 2⁻⁵⁴
const TINY: f64 = 5.551115123125783e-17;

/// `a + ln(1 + f) b + low`, `b` being a number of twice the digits and |a| 0 or more than |ln(1 + f) b|; `a` where that is infinite,
/// which it is not where that is known.
#[inline(always)]
fn in_base<L: Lanes>(
    l: &mut L,
    p: &Parts<L::V>,
    base: [f64; 2],
    a: L::V,
    low: Option<L::V>,
    finite: bool,
) -> L::V {
    let (b, b_low, half) = (l.num(base[0]), l.num(base[1]), l.num(0.5 * base[0]));
    let v = l.mul(p.f, b);
    let w = l.add(a, v);
    // What f b has beyond the part of it that is in w.
    let t = l.sub(w, a);
    let e = l.fms(p.f, b, t);
    let e = l.fma(p.f, b_low, e);
    let twice = l.add(p.f, p.f);
    let less = l.fnma(p.z, p.p, twice);
    let less = l.mul(p.s, less);
    let e = l.fnma(less, half, e);
    let e = low.map_or(e, |low| l.add(e, low));
    let y = l.add(w, e);
    if finite {
        return y;
    }
    let infinity = l.num(f64::INFINITY);
    let size = l.abs(a);
    let finite = l.lt(size, infinity);
    l.select(finite, y, w)
}

/// `ln x / ln 2`
#[inline(always)]
pub fn log2<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    if l.is_usual(x) {
        let x = l.split(x);
        return log2_of(l, x, true);
    }
    l.seldom::<Log2>(x)
}

anywhere!(Log2: log2_anywhere);

#[inline(always)]
fn log2_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let parts = split(l, x);
    let y = log2_of(l, parts, false);
    above(l, x, 0.0, y)
}

#[inline(always)]
fn log2_of<L: Lanes>(l: &mut L, x: (L::V, L::V), finite: bool) -> L::V {
    let p = parts(l, x);
    in_base(l, &p, LOG2_E, p.k, None, finite)
}

/// `ln x / ln 10`
#[inline(always)]
pub fn log10<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    if l.is_usual(x) {
        let x = l.split(x);
        return log10_of(l, x, true);
    }
    l.seldom::<Log10>(x)
}

anywhere!(Log10: log10_anywhere);

#[inline(always)]
fn log10_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let parts = split(l, x);
    let y = log10_of(l, parts, false);
    above(l, x, 0.0, y)
}

#[inline(always)]
fn log10_of<L: Lanes>(l: &mut L, x: (L::V, L::V), finite: bool) -> L::V {
    let p = parts(l, x);
    let (b, b_low) = (l.num(LOG10_2[0]), l.num(LOG10_2[1]));
    let a = l.mul(p.k, b);
    let low = l.fms(p.k, b, a);
    let low = l.fma(p.k, b_low, low);
    in_base(l, &p, LOG10_E, a, Some(low), finite)
}
