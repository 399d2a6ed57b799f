//! Circular functions: `x = n π/2 + r` with π/2 in three doubles, then polynomials on |r| <= π/4 after fdlibm.

use super::{Lanes, Rare};

/// π/2, in three doubles.
const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];
const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// Up to here `n` times the first part of π/2 leaves an exact remainder, and the error of the three parts stays far
/// below the smallest remainder there is.
const REACH: f64 = 1_073_741_824.0;
/// Smaller numbers are their own sine and tangent.
const TINY: f64 = 7.450580596923828e-9;
/// `(sin r - r) / r³` and `(cos r - 1 + r²/2) / r⁴` in powers of r², at Chebyshev nodes.
const SIN: [f64; 6] = [
    -0.16666666666666666,
    0.008333333333330946,
    -0.0001984126983675497,
    2.755731610068303e-06,
    -2.5051131455427946e-08,
    1.591810123027412e-10,
];
const COS: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887395,
    2.4801587298763433e-05,
    -2.7557317270560326e-07,
    2.0876146024689747e-09,
    -1.1382614868556325e-11,
];

/// The quadrant, from −2 to 2 (the two being the same), and sine and cosine of what is beyond it.
struct Reduced<L: Lanes> {
    quadrant: L::V,
    odd: L::M,
    sin: L::V,
    cos: L::V,
}

#[inline(always)]
fn reduced<L: Lanes>(l: &mut L, x: L::V) -> Reduced<L> {
    let [p1, p2, p3] = HALF_PI.map(|p| l.num(p));
    let (one, four, quarter, half, scale) =
        (l.num(1.0), l.num(4.0), l.num(0.25), l.num(0.5), l.num(TWO_OVER_PI));
    let n = l.mul(x, scale);
    let n = l.rint(n);
    let iterations = l.mul(n, quarter);
    let iterations = l.rint(iterations);
    let quadrant = l.fnma(iterations, four, n);
    let size = l.abs(quadrant);
    let odd = l.eq(size, one);
    // Exact: both terms are multiples of 2⁻⁵³, and the difference is below 1.
    let r = l.fnma(n, p1, x);
    let p = l.mul(n, p2);
    let p_low = l.fms(n, p2, p);
    let hi = l.sub(r, p);
    let t = l.sub(hi, r);
    let u = l.sub(hi, t);
    let (e1, e2) = (l.sub(r, u), l.add(p, t));
    let e = l.sub(e1, e2);
    let lo = l.sub(e, p_low);
    let lo = l.fnma(n, p3, lo);

    let z = l.mul(hi, hi);
    let hz = l.mul(half, z);
    let w = l.sub(one, hz);
    // sin(hi + lo) = hi + (hi³ S(z) + lo (1 - z/2))
    let cube = l.mul(z, hi);
    let s = poly!(l, z, SIN: 0 1 2 3 4 5);
    let low = l.mul(lo, w);
    let low = l.fma(cube, s, low);
    let sin = l.add(hi, low);
    // cos(hi + lo) = (1 - z/2) + (z² C(z) - hi lo), with what 1 - z/2 lost
    let c = poly!(l, z, COS: 0 1 2 3 4 5);
    let square = l.mul(z, z);
    let lost = l.sub(one, w);
    let lost = l.sub(lost, hz);
    let lost = l.fnma(hi, lo, lost);
    let low = l.fma(square, c, lost);
    let cos = l.add(w, low);
    Reduced { quadrant, odd, sin, cos }
}

/// Whether `x` is beyond [`REACH`], or NaN.
#[inline(always)]
fn far<L: Lanes>(l: &mut L, x: L::V) -> L::M {
    let reach = l.num(REACH);
    let size = l.abs(x);
    let near = l.lt(size, reach);
    l.not(near)
}

#[inline(always)]
fn tiny<L: Lanes>(l: &mut L, x: L::V) -> L::M {
    let bound = l.num(TINY);
    let size = l.abs(x);
    l.lt(size, bound)
}

/// `sin x` and `cos x`
#[inline(always)]
pub fn sincos<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    let r = reduced(l, x);
    let zero = l.num(0.0);
    let (above, below) = (l.num(1.5), l.num(-1.5));
    let sin = l.select(r.odd, r.cos, r.sin);
    let cos = l.select(r.odd, r.sin, r.cos);
    // sin, cos, -sin, -cos; cos, -sin, -cos, sin
    let (negative, second) = (l.lt(r.quadrant, zero), l.lt(above, r.quadrant));
    let flip_sin = l.or(negative, second);
    let (positive, second) = (l.lt(zero, r.quadrant), l.lt(r.quadrant, below));
    let flip_cos = l.or(positive, second);
    let (minus_sin, minus_cos) = (l.neg(sin), l.neg(cos));
    let sin = l.select(flip_sin, minus_sin, sin);
    let cos = l.select(flip_cos, minus_cos, cos);
    let small = tiny(l, x);
    let sin = l.select(small, x, sin);
    let far = far(l, x);
    (l.rare(far, Rare::Sin, x, sin), l.rare(far, Rare::Cos, x, cos))
}

/// `sin x`
#[inline(always)]
pub fn sin<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    sincos(l, x).0
}

/// `cos x`
#[inline(always)]
pub fn cos<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    sincos(l, x).1
}

/// `tan x`
#[inline(always)]
pub fn tan<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let r = reduced(l, x);
    let minus = l.neg(r.cos);
    let a = l.select(r.odd, minus, r.sin);
    let b = l.select(r.odd, r.sin, r.cos);
    let y = l.div(a, b);
    let small = tiny(l, x);
    let y = l.select(small, x, y);
    let far = far(l, x);
    l.rare(far, Rare::Tan, x, y)
}
