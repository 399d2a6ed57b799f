//! Reduction of an angle modulo π/2.

use super::arith::{Dd, power_of_two};
use super::constant::{HALF_PI, dd};
use super::wide::Real;

/// Where multiples of the parts of π/2 serve: up to so many quarter turns, and so far from a multiple.
pub(super) const QUARTERS: f64 = 1_048_576.0;
pub(super) const NEAR: f64 = 1e-12;

/// `(q, r)` with `x = (q + 4n) π/2 + r` and `|r| <= π/4` (or hardly more), q from 0 to 3. `x` is finite.
///
/// Both ways keep the relative accuracy of r, however close `x` is to a multiple.
#[inline(always)]
pub(super) fn quarter_turns(x: Dd) -> (u32, Dd) {
    if x.hi.abs() <= std::f64::consts::FRAC_PI_4 {
        return (0, x);
    }
    let n = turns(x);
    if n.abs() < QUARTERS {
        let r = without(n, x);
        if r.hi.abs() > NEAR {
            return (n as i32 as u32 & 3, r);
        }
    }
    by_integers(x)
}

/// The nearest number of quarter turns.
#[inline(always)]
pub(super) fn turns<R: Real>(x: Dd<R>) -> R {
    (x.hi * x.hi.num(std::f64::consts::FRAC_2_PI)).rounded()
}

/// What is left without so many quarter turns (after Cody and Waite).
#[inline(always)]
pub(super) fn without<R: Real>(n: R, x: Dd<R>) -> Dd<R> {
    // The first difference is exact (Sterbenz).
    let (p, q) = (Dd::product(n, n.num(HALF_PI[0])), Dd::product(n, n.num(HALF_PI[1])));
    let low = Dd::sum(x.lo, -q.hi).plus(-q.lo - n * n.num(HALF_PI[2]));
    Dd::sum(x.hi - p.hi, -p.lo) + low
}

/// 2/π as a binary fraction, the leading limb first: enough for any double.
#[rustfmt::skip]
const TWO_OVER_PI: [u64; 24] = [
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
    0xa9e391615ee61b08, 0x6599855f14a06840, 0x8dffd8804d732731, 0x06061556ca73a8c9,
];

/// Limbs of a turn: two bits of whole quarters and 446 behind them, the lowest limb first. What an operand's 106 bits leave of
/// relative accuracy, at worst, is above 100 bits.
const LIMBS: usize = 7;

/// After Payne and Hanek: the product with 2/π as an integer modulo 4 and so many bits behind the point.
#[cold]
fn by_integers(x: Dd) -> (u32, Dd) {
    let mut turn = [0u64; LIMBS];
    accumulate(&mut turn, x.hi);
    accumulate(&mut turn, x.lo);
    let mut quarters = (turn[LIMBS - 1] >> 62) as u32;
    // The rest as a signed fraction of a quarter: its bits from the top.
    for i in (0..LIMBS).rev() {
        turn[i] = turn[i] << 2 | if i > 0 { turn[i - 1] >> 62 } else { 0 };
    }
    let negative = turn[LIMBS - 1] >> 63 == 1;
    if negative {
        quarters += 1;
        negate(&mut turn);
    }
    let fraction = leading(&turn);
    // π/2 to a third part is not needed: the fraction is relatively accurate, and so is the product.
    let r = fraction * dd(HALF_PI[0], HALF_PI[1]);
    (quarters & 3, if negative { -r } else { r })
}

/// Adds `x 2/π` modulo 4.
fn accumulate(turn: &mut [u64; LIMBS], x: f64) {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    // |x| = m 2^e
    let (m, e) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    // The bits of 2/π that count stand from this place on, the first one behind the point being 0; those before it contribute
    // multiples of 4.
    let first = e - 2;
    let mut product = [0u64; LIMBS];
    let mut carry = 0u128;
    for (i, limb) in product.iter_mut().enumerate() {
        let sum = m as u128 * window(first + 64 * (LIMBS - 1 - i) as i32) as u128 + carry;
        *limb = sum as u64;
        carry = sum >> 64;
    }
    if x < 0.0 {
        negate(&mut product);
    }
    let mut carry = false;
    for (t, p) in turn.iter_mut().zip(product) {
        let (s, c1) = t.overflowing_add(p);
        let (s, c2) = s.overflowing_add(carry as u64);
        *t = s;
        carry = c1 || c2;
    }
}

/// 64 bits of 2/π from a place on; zeros before its first one.
fn window(place: i32) -> u64 {
    let limb = |i: i32| usize::try_from(i).ok().and_then(|i| TWO_OVER_PI.get(i)).copied().unwrap_or(0);
    let (i, shift) = (place.div_euclid(64), place.rem_euclid(64));
    if shift == 0 { limb(i) } else { limb(i) << shift | limb(i + 1) >> (64 - shift) }
}

/// The two's complement.
fn negate(limbs: &mut [u64; LIMBS]) {
    let mut carry = true;
    for l in limbs {
        let (s, c) = (!*l).overflowing_add(carry as u64);
        *l = s;
        carry = c;
    }
}

/// The limbs as a fraction below 1, to 106 bits from its first one.
fn leading(limbs: &[u64; LIMBS]) -> Dd {
    let Some(top) = limbs.iter().rposition(|l| *l != 0) else { return Dd::ZERO };
    let shift = limbs[top].leading_zeros();
    let limb = |k: usize| if top >= k { limbs[top - k] } else { 0 };
    let shifted = |k: usize| {
        if shift == 0 { limb(k) } else { limb(k) << shift | limb(k + 1) >> (64 - shift) }
    };
    let m = (shifted(0) as u128) << 64 | shifted(1) as u128;
    let part = |from: u32| (m >> from & ((1 << 53) - 1)) as f64;
    let places = 64 * (LIMBS - 1 - top) as i32 + shift as i32;
    let value = Dd::quick(part(75) * power_of_two(-53), part(22) * power_of_two(-106));
    value.scaled(power_of_two(-places))
}
