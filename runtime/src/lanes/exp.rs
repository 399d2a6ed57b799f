//! Exponentials: `x = n ln 2 + r` with |r| <= ½ ln 2, a polynomial, and a product with 2^n.

use super::Lanes;

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
    let usual = l.within(x, 708.0);
    let x = if usual { x } else { l.clamp(x, LEAST, MOST) };
    let (scale, hi, lo, one) = (l.num(LOG2_E), l.num(LN2_HI), l.num(LN2_LO), l.num(1.0));
    let n = l.mul(x, scale);
    let n = l.rint(n);
    let r = l.fnma(n, hi, x);
    let r = l.fnma(n, lo, r);
    let q = poly!(l, r, EXP: 0 1 2 3 4 5 6 7 8 9);
    let square = l.mul(r, r);
    // 1 + r + r² q; what 1 + r loses goes to the small term.
    let h = l.add(one, r);
    let t = l.sub(h, one);
    let e = l.sub(r, t);
    let p = l.fma(square, q, e);
    if usual {
        // The sum times 2^n, rounded once.
        let power = l.pow2(n);
        let scaled = l.mul(h, power);
        return l.fma(p, power, scaled);
    }
    let y = l.add(h, p);
    l.ldexp(y, n)
}

/// `2^x`, exact for integers.
#[inline(always)]
pub fn exp2<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let usual = l.within(x, 1021.0);
    let x = if usual { x } else { l.clamp(x, -1080.0, 1025.0) };
    let (ln2, one) = (l.num(LN2_HI), l.num(1.0));
    let n = l.rint(x);
    let r = l.sub(x, n);
    let q = poly!(l, r, EXP2: 0 1 2 3 4 5 6 7 8 9);
    let c = l.fma(r, q, ln2);
    if usual {
        let power = l.pow2(n);
        let scaled = l.mul(r, power);
        return l.fma(scaled, c, power);
    }
    let y = l.fma(r, c, one);
    l.ldexp(y, n)
}

/// `x` as `n ln 2 + r`: `n`, `r`, and `u` such that `e^x = 2^n (1 + r + u)`. Keeps what `r` lost.
#[inline(always)]
pub(super) fn parts<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V, L::V) {
    let (scale, hi, lo) = (l.num(LOG2_E), l.num(LN2_HI), l.num(LN2_LO));
    let n = l.mul(x, scale);
    let n = l.rint(n);
    let high = l.fnma(n, hi, x);
    let r = l.fnma(n, lo, high);
    let lost = l.sub(high, r);
    let low = l.fnma(n, lo, lost);
    let q = poly!(l, r, EXPM1: 0 1 2 3 4 5 6 7 8 9 10);
    let square = l.mul(r, r);
    let u = l.fma(square, q, low);
    (n, r, u)
}

/// `e^x - 1`
#[inline(always)]
pub fn expm1<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let y = if l.within(x, 40.0) { x } else { l.clamp(x, -40.0, MOST) };
    let (n, r, u) = parts(l, y);
    // Half of 2^n (1 + r + u) - 1, so that 2^n stays finite. The large part of the sum keeps its rounding error.
    let (one, half) = (l.num(1.0), l.num(0.5));
    let before = l.sub(n, one);
    let s = l.pow2(before);
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
