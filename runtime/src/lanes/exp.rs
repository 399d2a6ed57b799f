//! Exponentials: `x = n ln 2 + r` with |r| <= ½ ln 2, a polynomial, and a product with 2^n.

use super::{Lanes, SHIFT_BIASED};

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2, in two doubles.
pub(super) const LN2_HI: f64 = std::f64::consts::LN_2;
pub(super) const LN2_LO: f64 = 2.3190468138462996e-17;
/// Between these, results are neither 0 nor ∞.
const LEAST: f64 = -746.0;
const MOST: f64 = 710.0;
/// `(e^r - 1 - r) / r²` in powers of r, at Chebyshev nodes: error below 2⁻⁵⁶ of e^r, and below 2⁻⁶⁰ of e^r - 1.
const EXP: [f64; 10] = [
    0.5000000000000001,
    0.16666666666666669,
    0.04166666666662348,
    0.008333333333330011,
    0.0013888888917538296,
    0.00019841269863303223,
    2.4801520792572694e-05,
    2.75572680728901e-06,
    2.762032742826824e-07,
    2.5100569275813683e-08,
];
const EXPM1: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326025,
    0.001388888888888367,
    0.00019841269875205077,
    2.4801587325822283e-05,
    2.75572549134867e-06,
    2.7557273295539724e-07,
    2.5105419192016337e-08,
    2.091483135138041e-09,
];
/// `(2^r - 1 - r ln 2) / r²` in powers of r, |r| <= ½, at Chebyshev nodes.
const EXP2: [f64; 10] = [
    0.24022650695910075,
    0.05550410866482158,
    0.009618129107618665,
    0.0013333558146423213,
    0.00015403530424776529,
    1.5252733820795803e-05,
    1.3215451633221434e-06,
    1.0178067267449427e-07,
    7.070977866508138e-09,
    4.45410341058704e-10,
];

/// `e^x`
#[inline(always)]
pub fn exp<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    // Results there are normal numbers, which one product with 2^n gives.
    if l.within(x, 708.0) {
        let (n, shifted, h, p) = exp_parts(l, x);
        // The sum times 2^n, rounded once.
        let power = l.pow2_of(n, shifted);
        let scaled = l.mul(h, power);
        return l.fma(p, power, scaled);
    }
    l.seldom::<Exp>(x)
}

anywhere!(Exp: exp_anywhere);

#[inline(always)]
fn exp_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let x = l.clamp(x, LEAST, MOST);
    let (n, _, h, p) = exp_parts(l, x);
    let y = l.add(h, p);
    l.ldexp(y, n)
}

/// n and e^r of a number `n ln 2 + r`, which is NaN or not large.
#[inline(always)]
pub(super) fn significand<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    let (n, _, h, p) = exp_parts(l, x);
    (n, l.add(h, p))
}

/// `x` as `n ln 2 + r`: `n`, the same shifted, and e^r in two parts.
#[inline(always)]
fn exp_parts<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V, L::V, L::V) {
    let (hi, lo, one) = (l.num(LN2_HI), l.num(LN2_LO), l.num(1.0));
    let (n, shifted) = nearest(l, x);
    let r = l.fnma(n, hi, x);
    let r = l.fnma(n, lo, r);
    // 1 + r + r² q; what 1 + r loses goes to the small term.
    let h = l.add(one, r);
    let t = l.sub(h, one);
    let e = l.sub(r, t);
    let square = l.mul(r, r);
    let low = poly!(l, r, EXP: 0 1 2 3);
    let low = l.fma(square, low, e);
    let fourth = l.mul(square, square);
    let high = poly!(l, r, EXP: 4 5 6 7 8 9);
    let sixth = l.mul(fourth, square);
    (n, shifted, h, l.fma(sixth, high, low))
}

/// The integer nearest to `x / ln 2`, and the same plus [`SHIFT_BIASED`].
#[inline(always)]
pub(super) fn nearest<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    let (scale, shift) = (l.num(LOG2_E), l.num(SHIFT_BIASED));
    let shifted = l.fma(x, scale, shift);
    (l.sub(shifted, shift), shifted)
}

/// `2^x`, exact for integers.
#[inline(always)]
pub fn exp2<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    if l.within(x, 1021.0) {
        let (n, shifted, r, c) = exp2_parts(l, x);
        let power = l.pow2_of(n, shifted);
        let scaled = l.mul(r, power);
        return l.fma(scaled, c, power);
    }
    l.seldom::<Exp2>(x)
}

anywhere!(Exp2: exp2_anywhere);

#[inline(always)]
fn exp2_anywhere<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let x = l.clamp(x, -1080.0, 1025.0);
    let (n, _, r, c) = exp2_parts(l, x);
    let one = l.num(1.0);
    let y = l.fma(r, c, one);
    l.ldexp(y, n)
}

/// `x` as `n + r`: `n`, the same shifted, `r`, and `c` with 2^r = 1 + r c.
#[inline(always)]
fn exp2_parts<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V, L::V, L::V) {
    let (ln2, shift) = (l.num(LN2_HI), l.num(SHIFT_BIASED));
    let shifted = l.add(x, shift);
    let n = l.sub(shifted, shift);
    let r = l.sub(x, n);
    let q = poly!(l, r, EXP2: 0 1 2 3 4 5 6 7 8 9);
    (n, shifted, r, l.fma(r, q, ln2))
}

/// `x` as `n ln 2 + r`: `n`, the same shifted, `r`, and `u` such that `e^x = 2^n (1 + r + u)`. Keeps what `r` lost.
#[inline(always)]
pub(super) fn parts<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V, L::V, L::V) {
    let (hi, lo) = (l.num(LN2_HI), l.num(LN2_LO));
    let (n, shifted) = nearest(l, x);
    let high = l.fnma(n, hi, x);
    let r = l.fnma(n, lo, high);
    let lost = l.sub(high, r);
    let low = l.fnma(n, lo, lost);
    let q = poly!(l, r, EXPM1: 0 1 2 3 4 5 6 7 8 9 10);
    let square = l.mul(r, r);
    let u = l.fma(square, q, low);
    (n, shifted, r, u)
}

/// `e^x - 1`
#[inline(always)]
pub fn expm1<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let y = if l.within(x, 40.0) { x } else { l.clamp(x, -40.0, MOST) };
    let (n, shifted, r, u) = parts(l, y);
    // Half of 2^n (1 + r + u) - 1, so that 2^n stays finite. The large part of the sum keeps its rounding error.
    let (one, half) = (l.num(1.0), l.num(0.5));
    let (before, shifted) = (l.sub(n, one), l.sub(shifted, one));
    let s = l.pow2_of(before, shifted);
    let base = l.sub(s, half);
    let v = l.fma(s, r, base);
    let e = l.sub(base, v);
    let e = l.fma(s, r, e);
    let e = l.fma(s, u, e);
    let y = l.add(v, e);
    let y = l.add(y, y);
    // Subnormal numbers do not survive being halved, nor does the sign of 0.
    let (bound, size) = (l.num(TINY), l.abs(x));
    let tiny = l.lt(size, bound);
    l.select(tiny, x, y)
}

/// 2⁻⁵⁴
const TINY: f64 = 5.551115123125783e-17;
