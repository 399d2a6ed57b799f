//! Sine and cosine of πx, the argument reduced exactly.

use crate::dd::two_prod;
use std::f64::consts::PI;

/// π − `PI`: the part of π that a double leaves out.
pub const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;

/// `(sin πx, cos πx)`; exact zeros at integers and half-integers, NaN for infinite `x`.
pub fn sin_cos_pi(x: f64) -> (f64, f64) {
    // x mod 2 is exact, and so is the distance r to the nearest multiple q/2 of a half: |r| <= 1/4.
    let m = x % 2.0;
    let q = (2.0 * m).round_ties_even();
    let r = m - 0.5 * q;
    let (p, e) = two_prod(r, PI);
    let low = r.mul_add(PI_LOW, e);
    let (s, c) = p.sin_cos();
    let (s, c) = (low.mul_add(c, s), (-low).mul_add(s, c));
    match (q as i64).rem_euclid(4) {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}
