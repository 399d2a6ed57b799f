//! Hyperbolic functions, from `e^a = 2^n e^r` with the part of `e^r` that is not 1 kept apart.

use super::exp::{LN2_HI, LN2_LO, nearest, parts};
use super::{Lanes, SHIFT_BIASED};

/// `(sinh r - r) / r³` and `(cosh r - 1 - r²/2) / r⁴` in powers of r², |r| <= ½ ln 2, at Chebyshev nodes.
const SINH: [f64; 5] = [
    0.16666666666666669,
    0.008333333333330011,
    0.00019841269863303223,
    2.75572680728901e-06,
    2.5100569275813683e-08,
];
const COSH: [f64; 4] =
    [0.041666666666663216, 0.0013888888898054232, 2.4801549305068667e-05, 2.760771743704742e-07];

/// `tanh x` and its derivative `1 / cosh² x`.
#[inline(always)]
pub fn tanh_sech2<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    let (one, minus_two, least) = (l.num(1.0), l.num(-2.0), l.num(-760.0));
    let (few, shifted_few) = (l.num(-60.0), l.num(SHIFT_BIASED - 60.0));
    // E = e^-2|x| = 2^n (1 + p), tanh |x| = (1 - E) / (1 + E), 1 / cosh² x = 4 E / (1 + E)².
    let a = l.abs(x);
    let y = l.mul(a, minus_two);
    let y = l.max_x(least, y);
    let (n, shifted, r, u) = parts(l, y);
    let p = l.add(r, u);
    let (m, shifted) = (l.max_x(few, n), l.max_x(shifted_few, shifted));
    let s = l.pow2_of(m, shifted);
    let base = l.sub(one, s);
    let v = l.fnma(s, r, base);
    let e = l.sub(base, v);
    let e = l.fnma(s, r, e);
    let e = l.fnma(s, u, e);
    let numerator = l.add(v, e);
    let less = l.add(one, s);
    let denominator = l.fma(s, p, less);
    let tanh = l.div(numerator, denominator);
    let tanh = l.copysign(tanh, x);
    // 4 E / (1 + E)² = 4 q (1 - q) with q = E / (1 + E), which is at most ½; the large power last. The quotient keeps what
    // numerator and denominator lost.
    let h = l.add(one, r);
    let t = l.sub(h, one);
    let t = l.sub(r, t);
    let t = l.add(t, u);
    let whole = l.add(h, t);
    let lost = l.sub(whole, h);
    let lost = l.sub(t, lost);
    let low = l.sub(less, denominator);
    let low = l.fma(s, p, low);
    let f = quotient(l, (whole, lost), (denominator, low));
    let q = l.mul(f, s);
    let q = l.fnma(f, q, f);
    let four = l.num(4.0);
    let q = l.mul(q, four);
    (tanh, l.ldexp(q, n))
}

/// A quotient of numbers given with what they lost, rounded about once.
#[inline(always)]
pub(super) fn quotient<L: Lanes>(l: &mut L, (a, a_low): (L::V, L::V), (b, b_low): (L::V, L::V)) -> L::V {
    let one = l.num(1.0);
    let reciprocal = l.div(one, b);
    let q = l.mul(a, reciprocal);
    let rest = l.fnma(q, b, a);
    let rest = l.add(rest, a_low);
    let rest = l.fnma(q, b_low, rest);
    l.fma(rest, reciprocal, q)
}

/// `e^±a` in pieces, `a = |x|`: `n` with e^a = 2^n e^r, the same shifted, w = 2^-2n, `sinh r` and `cosh r - 1`.
struct Pieces<V> {
    n: V,
    shifted: V,
    w: V,
    sinh: V,
    cosh_less: V,
}

#[inline(always)]
fn pieces<L: Lanes>(l: &mut L, x: L::V) -> Pieces<L::V> {
    let (hi, lo) = (l.num(LN2_HI), l.num(LN2_LO));
    let (most, half, minus_two, least) = (l.num(712.0), l.num(0.5), l.num(-2.0), l.num(-120.0));
    let a = l.abs(x);
    let a = l.min_x(most, a);
    let (n, shifted) = nearest(l, a);
    let high = l.fnma(n, hi, a);
    let r = l.fnma(n, lo, high);
    let lost = l.sub(high, r);
    let low = l.fnma(n, lo, lost);
    let m = l.mul(n, minus_two);
    let m = l.max_x(least, m);
    let w = l.pow2(m);
    let z = l.mul(r, r);
    let s = poly!(l, z, SINH: 0 1 2 3 4);
    let cube = l.mul(z, r);
    let s = l.fma(cube, s, low);
    let sinh = l.add(r, s);
    let c = poly!(l, z, COSH: 0 1 2 3);
    let square = l.mul(z, z);
    let c = l.mul(square, c);
    let cosh_less = l.fma(half, z, c);
    Pieces { n, shifted, w, sinh, cosh_less }
}

/// Half of `y 2^n`, where that is a normal number by far.
#[inline(always)]
fn half<L: Lanes>(l: &mut L, p: &Pieces<L::V>, y: L::V) -> L::V {
    let one = l.num(1.0);
    let (n, shifted) = (l.sub(p.n, one), l.sub(p.shifted, one));
    let power = l.pow2_of(n, shifted);
    l.mul(y, power)
}

/// The same anywhere.
#[inline(always)]
fn half_anywhere<L: Lanes>(l: &mut L, p: &Pieces<L::V>, y: L::V) -> L::V {
    let one = l.num(1.0);
    let n = l.sub(p.n, one);
    l.ldexp(y, n)
}

/// Up to here 2^n is far from overflow.
const USUAL: f64 = 700.0;

/// `sinh x`
#[inline(always)]
pub fn sinh<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    if l.within(x, USUAL) {
        let p = pieces(l, x);
        let y = sinh_of(l, &p);
        let y = half(l, &p, y);
        return l.copysign(y, x);
    }
    l.seldom::<Sinh>(x)
}

anywhere!(Sinh: sinh_anywhere);

#[inline(always)]
fn sinh_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let p = pieces(l, x);
    let y = sinh_of(l, &p);
    let y = half_anywhere(l, &p, y);
    l.copysign(y, x)
}

/// 2 sinh a = 2^n ((1 - w) cosh r + (1 + w) sinh r)
#[inline(always)]
fn sinh_of<L: Lanes>(l: &mut L, p: &Pieces<L::V>) -> L::V {
    let one = l.num(1.0);
    let (d, g) = (l.sub(one, p.w), l.add(one, p.w));
    let t = l.mul(d, p.cosh_less);
    let t = l.fma(g, p.sinh, t);
    l.add(d, t)
}

/// `cosh x`
#[inline(always)]
pub fn cosh<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    if l.within(x, USUAL) {
        let p = pieces(l, x);
        let y = cosh_of(l, &p);
        return half(l, &p, y);
    }
    l.seldom::<Cosh>(x)
}

anywhere!(Cosh: cosh_anywhere);

#[inline(always)]
fn cosh_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let p = pieces(l, x);
    let y = cosh_of(l, &p);
    half_anywhere(l, &p, y)
}

/// 2 cosh a = 2^n ((1 + w) cosh r + (1 - w) sinh r)
#[inline(always)]
fn cosh_of<L: Lanes>(l: &mut L, p: &Pieces<L::V>) -> L::V {
    let one = l.num(1.0);
    let (d, g) = (l.sub(one, p.w), l.add(one, p.w));
    let t = l.mul(g, p.cosh_less);
    let t = l.fma(d, p.sinh, t);
    l.add(g, t)
}
