//! Circular functions: `x = n π/2 + r` with π/2 in three doubles, then polynomials on |r| <= π/4 after fdlibm.

use super::{Lanes, Rare, SHIFT, Scalar};

/// π/2, in three doubles.
const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];
const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// Up to here `n` times the first part of π/2 leaves an exact remainder, and the error of the three parts stays far
/// below the smallest remainder there is.
const REACH: f64 = 1_073_741_824.0;
/// `(r - sin r) / r³` and `(1 - r²/2 - cos r) / r⁴` in powers of r², at Chebyshev nodes.
const SIN: [f64; 6] = [
    0.16666666666666666,
    -0.008333333333330946,
    0.0001984126983675497,
    -2.755731610068303e-06,
    2.5051131455427946e-08,
    -1.591810123027412e-10,
];
const COS: [f64; 6] = [
    -0.041666666666666664,
    0.0013888888888887395,
    -2.4801587298763433e-05,
    2.7557317270560326e-07,
    -2.0876146024689747e-09,
    1.1382614868556325e-11,
];

/// `x = n π/2 + r`.
struct Reduced<V> {
    /// n, shifted.
    n: V,
    /// r, the nearest number.
    hi: V,
    /// What r lacks of that: the sign makes the sine of −0 be −0.
    less: V,
    /// r²
    z: V,
}

#[inline(always)]
fn reduced<L: Lanes>(l: &mut L, x: L::V) -> Reduced<L::V> {
    let (scale, shift) = (l.num(TWO_OVER_PI), l.num(SHIFT));
    let shifted = l.fma(x, scale, shift);
    let n = l.sub(shifted, shift);
    beyond(l, x, shifted, n, HALF_PI)
}

/// What `x` is beyond `n p`.
#[inline(always)]
fn beyond<L: Lanes>(l: &mut L, x: L::V, shifted: L::V, n: L::V, p: [f64; 3]) -> Reduced<L::V> {
    let [p1, p2, p3] = p.map(|p| l.num(p));
    // Exact: both terms are multiples of 2⁻⁵³, and the difference is below 1.
    let r = l.fnma(n, p1, x);
    let p = l.mul(n, p2);
    let hi = l.sub(r, p);
    // Exact: where |r| < |p|, which is below 2⁻²⁴, r has few digits and those of hi end where those of p do or one before.
    let less = l.sub(hi, r);
    let less = l.fma(n, p2, less);
    let less = l.fma(n, p3, less);
    let z = l.mul(hi, hi);
    Reduced { n: shifted, hi, less, z }
}

/// `sin(x - π/4)` and `cos(x - π/4)` for x from 1 to half of [`REACH`].
#[inline(always)]
pub(crate) fn sincos_less_eighth(l: &mut Scalar, x: f64) -> (f64, f64) {
    // x - π/4 = n π/2 + r, and π/4 by odd numbers is exact as well.
    let shifted = x.mul_add(TWO_OVER_PI, -0.5) + SHIFT;
    let n = 2.0 * (shifted - SHIFT) + 1.0;
    let r = beyond(l, x, shifted, n, HALF_PI.map(|p| 0.5 * p));
    let (s, c) = (sine(l, &r), cosine(l, &r));
    let (sin, cos) = if l.odd(shifted) { (c, s) } else { (s, c) };
    (l.flip(sin, shifted, false), l.flip(cos, shifted, true))
}

/// `1 - r²/2`, rounded.
#[inline(always)]
fn versed<L: Lanes>(l: &mut L, z: L::V) -> L::V {
    let (one, half) = (l.num(1.0), l.num(0.5));
    l.fnma(half, z, one)
}

/// `sin r = hi - (hi³ S(z) + less (1 - z/2))`
#[inline(always)]
fn sine<L: Lanes>(l: &mut L, r: &Reduced<L::V>) -> L::V {
    let w = versed(l, r.z);
    let low = l.mul(r.less, w);
    let cube = l.mul(r.z, r.hi);
    let s = poly!(l, r.z, SIN: 0 1 2 3 4 5);
    let low = l.fma(cube, s, low);
    l.sub(r.hi, low)
}

/// `cos r = w - (z² C(z) + (w - (1 - z/2)) - hi less)`
#[inline(always)]
fn cosine<L: Lanes>(l: &mut L, r: &Reduced<L::V>) -> L::V {
    let (one, half) = (l.num(1.0), l.num(0.5));
    let w = versed(l, r.z);
    let rest = l.sub(one, w);
    let more = l.fms(half, r.z, rest);
    let low = l.fnma(r.hi, r.less, more);
    let square = l.mul(r.z, r.z);
    let c = poly!(l, r.z, COS: 0 1 2 3 4 5);
    let low = l.fma(square, c, low);
    l.sub(w, low)
}

/// The sine of what is beyond the quadrant if that is even, else its cosine; `swap`: the other way round.
#[inline(always)]
fn either<L: Lanes>(l: &mut L, r: &Reduced<L::V>, swap: bool) -> L::V {
    match l.known_odd(r.n) {
        Some(odd) if odd == swap => sine(l, r),
        Some(_) => cosine(l, r),
        None => {
            let (s, c, odd) = (sine(l, r), cosine(l, r), l.odd(r.n));
            if swap { l.select(odd, s, c) } else { l.select(odd, c, s) }
        }
    }
}

/// Whether `x` is beyond [`REACH`], or NaN.
#[inline(always)]
fn far<L: Lanes>(l: &mut L, x: L::V) -> L::M {
    let reach = l.num(REACH);
    let size = l.abs(x);
    let near = l.lt(size, reach);
    l.not(near)
}

/// `sin x` and `cos x`
#[inline(always)]
pub fn sincos<L: Lanes>(l: &mut L, x: L::V) -> (L::V, L::V) {
    let r = reduced(l, x);
    let (s, c) = (sine(l, &r), cosine(l, &r));
    let odd = l.odd(r.n);
    // sin, cos, -sin, -cos; cos, -sin, -cos, sin
    let sin = l.select(odd, c, s);
    let cos = l.select(odd, s, c);
    let (sin, cos) = (l.flip(sin, r.n, false), l.flip(cos, r.n, true));
    let far = far(l, x);
    (l.rare(far, Rare::Sin, x, sin), l.rare(far, Rare::Cos, x, cos))
}

/// `sin x`
#[inline(always)]
pub fn sin<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let far = far(l, x);
    let r = reduced(l, x);
    let y = either(l, &r, false);
    let y = l.flip(y, r.n, false);
    l.rare(far, Rare::Sin, x, y)
}

/// `cos x`
#[inline(always)]
pub fn cos<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let far = far(l, x);
    let r = reduced(l, x);
    let y = either(l, &r, true);
    let y = l.flip(y, r.n, true);
    l.rare(far, Rare::Cos, x, y)
}

/// `tan x`
#[inline(always)]
pub fn tan<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let far = far(l, x);
    let r = reduced(l, x);
    let (s, c) = (sine(l, &r), cosine(l, &r));
    let minus = l.neg(c);
    let (a, b) = match l.known_odd(r.n) {
        Some(true) => (minus, s),
        Some(false) => (s, c),
        None => {
            let odd = l.odd(r.n);
            (l.select(odd, minus, s), l.select(odd, s, c))
        }
    };
    let y = l.div(a, b);
    l.rare(far, Rare::Tan, x, y)
}
