//! Inverse circular functions. Angles are a multiple of π/4 and the angle of a small tangent or sine; what a quotient, a root, the cube and the
//! multiple lose is carried along, so that errors are those of the last addition, and hardly more.

use super::{Lanes, RareOfTwo};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// What the doubles lack of π/4 and π/2.
const QUARTER_LOW: f64 = 3.061616997868383e-17;
const HALF_LOW: f64 = 2.0 * QUARTER_LOW;

/// −1/3, and what the double lacks of it.
const THIRD: [f64; 2] = [-1.0 / 3.0, -1.850371707708594e-17];
/// `((arctan t / t - 1) / t² + 1/3) / t²` in powers of t², |t| up to [`NEAR`] and what is left of quotients beyond, at Chebyshev nodes: error
/// below 2⁻⁵⁹ of the arctangent.
const ATAN: [f64; 11] = [
    0.19999999999999998,
    -0.14285714285710127,
    0.11111111110139359,
    -0.0909090900206986,
    0.0769230351268904,
    -0.06666551432544264,
    0.05880359367003776,
    -0.05240781304226159,
    0.0459768239841172,
    -0.03572876142441459,
    0.01753886764425973,
];
/// Tangents up to here are taken as they are: near tan π/8, and of few digits.
const NEAR: f64 = 0.4140625;

/// 1/6, and what the double lacks of it.
const SIXTH: [f64; 2] = [1.0 / 6.0, 9.25185853854297e-18];
/// `((arcsin s / s - 1) / s² - 1/6) / s²` in powers of s², |s| up to ½, at Chebyshev nodes: error below 2⁻⁵⁹ of the arcsine.
const ASIN: [f64; 13] = [
    0.07500000000000001,
    0.04464285714284283,
    0.03038194444764035,
    0.0223721588114475,
    0.017352777075993704,
    0.013964504229200397,
    0.011557618123240675,
    0.009695288643599377,
    0.008902746139072899,
    0.0046353597820873145,
    0.01565273375319006,
    -0.013683363704747823,
    0.026117673032989692,
];

/// An angle: `turn + cube + rest`, each much smaller than the one before.
struct Angle<V> {
    turn: V,
    cube: V,
    rest: V,
}

impl<V: Copy> Angle<V> {
    /// `x + x³ third + x³ x² q + low`, where `z` is `x²` rounded and `q` of it.
    #[inline(always)]
    fn of<L: Lanes<V = V>>(l: &mut L, x: V, z: V, low: V, third: [f64; 2], q: V) -> Angle<V> {
        let [third, third_low] = third.map(|c| l.num(c));
        let z_low = l.fms(x, x, z);
        let x3 = l.mul(x, z);
        let x3_low = l.fms(x, z, x3);
        let x3_low = l.fma(x, z_low, x3_low);
        let cube = l.mul(x3, third);
        let lost = l.fms(x3, third, cube);
        let lost = l.fma(x3, third_low, lost);
        let lost = l.fma(x3_low, third, lost);
        let low = l.add(low, lost);
        let x5 = l.mul(x3, z);
        Angle { turn: x, cube, rest: l.fma(x5, q, low) }
    }

    /// So many times as much, rounded nowhere.
    #[inline(always)]
    fn times<L: Lanes<V = V>>(self, l: &mut L, n: V) -> Angle<V> {
        Angle { turn: l.mul(self.turn, n), cube: l.mul(self.cube, n), rest: l.mul(self.rest, n) }
    }

    /// `base + low` and the angle; the base is 0, or larger.
    #[inline(always)]
    fn from<L: Lanes<V = V>>(self, l: &mut L, base: V, low: V) -> V {
        let x = l.add(base, self.turn);
        let lost = l.sub(base, x);
        let lost = l.add(lost, self.turn);
        let y = l.add(x, self.cube);
        let more = l.sub(x, y);
        let more = l.add(more, self.cube);
        let lost = l.add(lost, more);
        let rest = l.add(low, self.rest);
        let rest = l.add(lost, rest);
        l.add(y, rest)
    }
}

/// The angle in [0, π/4] whose tangent is `small / big`, beyond π/4 or 0, and whether it is the former; `0 <= small <= big`, and neither is tiny
/// or huge.
#[inline(always)]
fn octant<L: Lanes>(l: &mut L, small: L::V, big: L::V) -> (L::M, Angle<L::V>) {
    let (zero, one, near) = (l.num(0.0), l.num(1.0), l.num(NEAR));
    let bound = l.mul(near, big);
    let middle = l.lt(bound, small);
    // Differences and sums, with what they lose.
    let minus = l.sub(small, big);
    let back = l.add(minus, big);
    let minus_low = l.sub(small, back);
    let plus = l.add(small, big);
    let back = l.sub(plus, big);
    let plus_low = l.sub(small, back);
    let (above, above_low) = (l.select(middle, minus, small), l.select(middle, minus_low, zero));
    let (below, below_low) = (l.select(middle, plus, big), l.select(middle, plus_low, zero));
    // The tangent is t + low.
    let inverse = l.div(one, below);
    let t = l.mul(above, inverse);
    let left = l.fnma(t, below, above);
    let left = l.fnma(t, below_low, left);
    let left = l.add(left, above_low);
    let low = l.mul(left, inverse);
    let z = l.mul(t, t);
    let low = l.fnma(low, z, low);
    let q = poly!(l, z, ATAN: 0 1 2 3 4 5 6 7 8 9 10);
    (middle, Angle::of(l, t, z, low, THIRD, q))
}

/// `arctan x`
#[inline(always)]
pub fn atan<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let (zero, one, minus) = (l.num(0.0), l.num(1.0), l.num(-1.0));
    let size = l.abs(x);
    if l.within(size, NEAR) {
        let z = l.mul(size, size);
        let q = poly!(l, z, ATAN: 0 1 2 3 4 5 6 7 8 9 10);
        let y = Angle::of(l, size, z, zero, THIRD, q).from(l, zero, zero);
        return l.copysign(y, x);
    }
    // Beyond, the result is π/2. NaN stays what it is.
    let most = l.num(2f64.powi(60));
    let size = l.min_x(most, size);
    let (small, big) = (l.min_x(one, size), l.max_x(one, size));
    let (middle, angle) = octant(l, small, big);
    let beyond = l.lt(one, size);
    let (quarter, quarter_low) = (l.num(FRAC_PI_4), l.num(QUARTER_LOW));
    let (half, half_low) = (l.num(FRAC_PI_2), l.num(HALF_LOW));
    let (base, low) = (l.select(beyond, half, zero), l.select(beyond, half_low, zero));
    let (base, low) = (l.select(middle, quarter, base), l.select(middle, quarter_low, low));
    let sign = l.select(beyond, minus, one);
    let y = angle.times(l, sign).from(l, base, low);
    l.copysign(y, x)
}

/// `arg(b + i a)` in [−π, π].
#[inline(always)]
pub fn atan2<L: Lanes>(l: &mut L, a: L::V, b: L::V) -> L::V {
    let (zero, one, minus) = (l.num(0.0), l.num(1.0), l.num(-1.0));
    let (n, d) = (l.abs(a), l.abs(b));
    let (small, big) = (l.min_x(n, d), l.max_x(n, d));
    let (middle, angle) = octant(l, small, big);
    let beyond = l.lt(d, n);
    let side = l.copysign(one, b);
    let left = l.lt(side, zero);
    let select = |l: &mut L, straight: [f64; 2], ahead: f64, behind: f64| {
        let [quarter, three] = straight.map(|x| l.num(x));
        let (half, all) = (l.num(ahead), l.num(behind));
        let near = l.select(left, all, zero);
        let near = l.select(beyond, half, near);
        let mid = l.select(left, three, quarter);
        l.select(middle, mid, near)
    };
    let base = select(l, [FRAC_PI_4, 3.0 * FRAC_PI_4], FRAC_PI_2, PI);
    let low = select(l, [QUARTER_LOW, 3.0 * QUARTER_LOW], HALF_LOW, 2.0 * HALF_LOW);
    let (up, down) = (l.select(beyond, one, minus), l.select(beyond, minus, one));
    let sign = l.select(left, up, down);
    let y = angle.times(l, sign).from(l, base, low);
    let y = l.copysign(y, a);
    // Both of ordinary size, or one of them 0.
    let (least, most) = (l.num(2f64.powi(-500)), l.num(2f64.powi(500)));
    let all = l.add(n, d);
    let (below, above, there) = (l.lt(all, most), l.lt(least, big), l.lt(least, small));
    let none = l.eq(small, zero);
    let there = l.or(there, none);
    let (huge, tiny, lost) = (l.not(below), l.not(above), l.not(there));
    let unusual = l.or(huge, tiny);
    let unusual = l.or(unusual, lost);
    l.rare_of_two(unusual, RareOfTwo::Atan2, [a, b], y)
}

/// The arcsine of a number between 0 and 1 if that is at most ½; else half of what it lacks to π/2, and that this is so.
#[inline(always)]
fn arc<L: Lanes>(l: &mut L, size: L::V) -> (L::M, Angle<L::V>) {
    let (zero, one, half) = (l.num(0.0), l.num(1.0), l.num(0.5));
    let large = l.lt(half, size);
    let (s, low) = if l.within(size, 0.5) {
        (size, zero)
    } else {
        // Both exact: sin² of half the angle to π/2.
        let rest = l.sub(one, size);
        let rest = l.mul(rest, half);
        let root = l.sqrt(rest);
        let left = l.fnma(root, root, rest);
        // What the root loses; it is 0 for 1.
        let least = l.num(f64::MIN_POSITIVE);
        let of = l.max_x(least, root);
        let over = l.div(half, of);
        let lost = l.mul(left, over);
        (l.select(large, root, size), l.select(large, lost, zero))
    };
    let z = l.mul(s, s);
    let slope = l.mul(half, z);
    let low = l.fma(low, slope, low);
    let q = poly!(l, z, ASIN: 0 1 2 3 4 5 6 7 8 9 10 11 12);
    (large, Angle::of(l, s, z, low, SIXTH, q))
}

/// `arcsin x`, NaN outside [−1, 1].
#[inline(always)]
pub fn asin<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let (zero, one, minus_two) = (l.num(0.0), l.num(1.0), l.num(-2.0));
    let size = l.abs(x);
    let (large, angle) = arc(l, size);
    let (half, half_low) = (l.num(FRAC_PI_2), l.num(HALF_LOW));
    let (base, base_low) = (l.select(large, half, zero), l.select(large, half_low, zero));
    let times = l.select(large, minus_two, one);
    let y = angle.times(l, times).from(l, base, base_low);
    l.copysign(y, x)
}

/// `arccos x`, NaN outside [−1, 1].
#[inline(always)]
pub fn acos<L: Lanes>(l: &mut L, x: L::V) -> L::V {
    let (zero, one, two) = (l.num(0.0), l.num(1.0), l.num(2.0));
    let size = l.abs(x);
    let (large, angle) = arc(l, size);
    let negative = l.lt(x, zero);
    let (half, half_low) = (l.num(FRAC_PI_2), l.num(HALF_LOW));
    let (all, all_low) = (l.num(PI), l.num(2.0 * HALF_LOW));
    let (base, base_low) = (l.select(negative, all, zero), l.select(negative, all_low, zero));
    let (base, base_low) = (l.select(large, base, half), l.select(large, base_low, half_low));
    // Less than π/2 by s, of the sign of x; 0 and twice s, or π less twice s.
    let times = l.select(large, two, one);
    let back = l.neg(x);
    let towards = l.select(large, x, back);
    let times = l.copysign(times, towards);
    angle.times(l, times).from(l, base, base_low)
}
