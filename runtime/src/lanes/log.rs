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
/// `(ln((1 + s) / (1 - s)) - 2s) / s³` in powers of s², s from −1/7 to 1/5, at Chebyshev nodes.
const R: [f64; 8] = [
    0.6666666666666666,
    0.400000000000078,
    0.28571428567338936,
    0.222222230378492,
    0.18181738451422416,
    0.15388834809954827,
    0.1321035787997725,
    0.13604035760921432,
];
/// The same for s from 0 to ⅓.
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

/// A number and its logarithm in pieces. `rest = s (f²/2 + R)`, so that `ln x = k ln 2 + f - (half - rest)`.
struct Parts<V> {
    k: V,
    f: V,
    half: V,
    s: V,
    sum: V,
}

#[inline(always)]
fn parts<L: Lanes>(l: &mut L, x: L::V) -> Parts<L::V> {
    let (m, k) = (l.get_mant(x), l.get_exp(x));
    let (one, one_half) = (l.num(1.0), l.num(0.5));
    let f = l.sub(m, one);
    let d = l.add(m, one);
    let s = l.div(f, d);
    let z = l.mul(s, s);
    let p = poly!(l, z, R: 0 1 2 3 4 5 6 7);
    let hf = l.mul(f, one_half);
    let half = l.mul(hf, f);
    let sum = l.fma(z, p, half);
    Parts { k, f, half, s, sum }
}

/// NaN where `x < least`, else `y`.
#[inline(always)]
fn above<L: Lanes>(l: &mut L, x: L::V, least: f64, y: L::V) -> L::V {
    let (least, nan) = (l.num(least), l.num(f64::NAN));
    let outside = l.lt(x, least);
    l.select(outside, nan, y)
}

/// `ln x`
#[inline(always)]
pub fn log<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let p = parts(l, x);
    let (hi, lo) = (l.num(LN2_HI), l.num(LN2_LO));
    let low = l.mul(p.k, lo);
    let rest = l.fma(p.s, p.sum, low);
    let less = l.sub(p.half, rest);
    let r = l.sub(p.f, less);
    let y = l.fma(p.k, hi, r);
    above(l, x, 0.0, y)
}

/// `ln(1 + x)`
#[inline(always)]
pub fn log1p<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let (one, hi, lo) = (l.num(1.0), l.num(LN2_HI), l.num(LN2_LO));
    // 1 + x = u + c exactly.
    let u = l.add(one, x);
    let t = l.sub(u, one);
    let v = l.sub(u, t);
    let (c1, c2) = (l.sub(one, v), l.sub(x, t));
    let c = l.add(c1, c2);
    let p = parts(l, u);
    // c / (2^k (1 + f)), of which a few digits matter; none where k is large.
    let least = l.num(-1000.0);
    let minus = l.neg(p.k);
    let minus = l.max_x(least, minus);
    let scale = l.pow2(minus);
    let c = l.mul(c, scale);
    let g = l.fnma(p.f, c, c);
    let c = l.fnma(p.f, g, c);
    let low = l.fma(p.k, lo, c);
    let rest = l.fma(p.s, p.sum, low);
    let less = l.sub(p.half, rest);
    let r = l.sub(p.f, less);
    let y = l.fma(p.k, hi, r);
    // Tiny numbers are their own result, and so is ∞, of which c is no number.
    let (tiny, infinity) = (l.num(TINY), l.num(f64::INFINITY));
    let a = l.abs(x);
    let (small, infinite) = (l.lt(a, tiny), l.eq(x, infinity));
    let itself = l.or(small, infinite);
    let y = l.select(itself, x, y);
    above(l, x, -1.0, y)
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

/// `k` and `ln(1 + f) b` as the sum of two doubles, `b` being one.
#[inline(always)]
fn in_base<L: Lanes>(l: &mut L, x: L::V, base: [f64; 2]) -> (L::V, L::V, L::V) {
    let p = parts(l, x);
    let one_half = l.num(0.5);
    let hf = l.mul(p.f, one_half);
    let error = l.fms(hf, p.f, p.half);
    let hi = l.sub(p.f, p.half);
    let lo = l.sub(p.f, hi);
    let lo = l.sub(lo, p.half);
    let lo = l.sub(lo, error);
    let lo = l.fma(p.s, p.sum, lo);
    let (b, b_low) = (l.num(base[0]), l.num(base[1]));
    let v = l.mul(hi, b);
    let e = l.fms(hi, b, v);
    let e = l.fma(lo, b, e);
    let e = l.fma(hi, b_low, e);
    (p.k, v, e)
}

/// `a + v + e`, |a| being 0 or more than |v|, which is more than |e|; `a` where that is infinite.
#[inline(always)]
fn sum<L: Lanes>(l: &mut L, a: L::V, v: L::V, e: L::V) -> L::V {
    let w = l.add(a, v);
    let t = l.sub(w, a);
    let low = l.sub(v, t);
    let low = l.add(low, e);
    let y = l.add(w, low);
    let infinity = l.num(f64::INFINITY);
    let size = l.abs(a);
    let finite = l.lt(size, infinity);
    l.select(finite, y, w)
}

/// `ln x / ln 2`
#[inline(always)]
pub fn log2<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let (k, v, e) = in_base(l, x, LOG2_E);
    let y = sum(l, k, v, e);
    above(l, x, 0.0, y)
}

/// `ln x / ln 10`
#[inline(always)]
pub fn log10<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let (k, v, e) = in_base(l, x, LOG10_E);
    let (b, b_low) = (l.num(LOG10_2[0]), l.num(LOG10_2[1]));
    let a = l.mul(k, b);
    let low = l.fms(k, b, a);
    let low = l.fma(k, b_low, low);
    let e = l.add(e, low);
    let y = sum(l, a, v, e);
    above(l, x, 0.0, y)
}
