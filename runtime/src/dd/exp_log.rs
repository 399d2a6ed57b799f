//! Exponentials and logarithms by tables and short series (after P. T. P. Tang, *Table-driven implementation of the exponential
//! function*, ACM TOMS 15, 1989, and *… of the logarithm function*, TOMS 16, 1990), both with two tables each.

use super::arith::{Dd, power_of_two};
use super::constant::{self, LN_2, LOG2_E, LOG10_E, dd};
use super::total::total;
use super::wide::{Real, Whole, either};
use crate::real;

/// ln 2 / 1024 in three parts.
const STEP: [f64; 3] = [0.0006769015435155716, 2.264694154146777e-20, 5.573934021890832e-37];
/// `2^(i/32)` for i = −16, …, 16.
static POWERS: [[f64; 2]; 33] = {
    let (mut table, mut i) = ([[0.0; 2]; 33], 0);
    while i < 33 {
        let x = constant::mul(LN_2, Dd::of((i as f64 - 16.0) / 32.0));
        table[i] = parts(constant::add(constant::expm1(x), Dd::ONE));
        i += 1;
    }
    table
};
/// `2^(j/1024) - 1` for j = −31, …, 31.
static SMALL_POWERS: [[f64; 2]; 63] = {
    let (mut table, mut j) = ([[0.0; 2]; 63], 0);
    while j < 63 {
        table[j] = parts(constant::expm1(constant::mul(LN_2, Dd::of((j as f64 - 31.0) / 1024.0))));
        j += 1;
    }
    table
};

/// A number in a table.
const fn parts(x: Dd) -> [f64; 2] {
    [x.hi, x.lo]
}

/// `2^k (t + t e)`: `t` from the first table, `e` the power of the small rest, less 1.
struct Power<R: Real> {
    k: R::Int,
    t: Dd<R>,
    e: Dd<R>,
}

/// Beyond this the exponential of a number, or of its double, has long left the range of doubles.
const HUGE: f64 = 10_000.0;

/// `2^(n/1024) e^r`, for `|n| < 2²⁵` and `|r| < 0.00035`; with e relatively accurate.
#[inline(always)]
fn power<R: Real>(n: R, r: Dd<R>) -> Power<R> {
    let n = n.whole();
    let k = (n + n.num(512)).down::<10>();
    // From −512 to 511, in two steps of the same sign: nothing cancels in `expm1`.
    let f = n - k.up::<10>();
    let i = (f + f.down::<31>().and(f.num(31))).down::<5>();
    let j = f - i.up::<5>();
    let [hi, lo] = R::rows(&SMALL_POWERS, j + j.num(31));
    let small = Dd { hi, lo };
    let p = expm1_series(r);
    let [hi, lo] = R::rows(&POWERS, i + i.num(16));
    Power { k, t: Dd { hi, lo }, e: small + p + small * p }
}

/// `e^r - 1` for `|r| < 0.00035`
#[inline(always)]
fn expm1_series<R: Real>(r: Dd<R>) -> Dd<R> {
    const C: [Dd; 3] = [Dd::of(0.5), constant::inverse_factorial(3), constant::inverse_factorial(4)];
    let x = r.hi;
    let tail = x.num(1.0 / 5040.0) + x * x.num(1.0 / 40320.0);
    let tail = x * (x.num(1.0 / 120.0) + x * (x.num(1.0 / 720.0) + x * tail));
    let sum = C[2].like(x).quick_plus(tail);
    let sum = C[1].like(x).quick_add(sum * r);
    let sum = C[0].like(x).quick_add(sum * r);
    r.quick_add(sum * r * r)
}

/// `e^x` in parts; `x` is a number, and not huge.
#[inline(always)]
fn natural<R: Real>(x: Dd<R>) -> Power<R> {
    let n = (x.hi * x.hi.num(1024.0 * std::f64::consts::LOG2_E)).rounded();
    // The difference of the high parts is exact (Sterbenz), the rest is small.
    let (p, q) = (Dd::product(n, n.num(STEP[0])), Dd::product(n, n.num(STEP[1])));
    let high = Dd::sum(x.hi - p.hi, -p.lo);
    let low = Dd::sum(x.lo, -q.hi).plus(-q.lo - n * n.num(STEP[2]));
    power(n, high + low)
}

impl<R: Real> Power<R> {
    #[inline(always)]
    fn significand(&self) -> Dd<R> {
        self.t.quick_add(self.t * self.e)
    }
}

/// `(m, k)` with `e^x = m 2^k` and m near 1, so that factors that over- or underflow can meet others first. For `x` with
/// `|x| > 10000` it is that of ±10000, for NaN it is NaN.
pub(super) fn exp_parts(x: Dd) -> (Dd, i32) {
    let x = match x.hi {
        hi if hi > HUGE => Dd::of(HUGE),
        hi if hi < -HUGE => Dd::of(-HUGE),
        _ => x,
    };
    let power = natural(x);
    (power.significand(), power.k)
}

/// `e^x`
pub fn exp(x: Dd) -> Dd {
    total(x, real::exp, finite_exp)
}

/// `e^x` of a number that is neither infinite nor NaN.
pub(super) fn finite_exp(x: Dd) -> Dd {
    if x.hi.abs() < MODERATE {
        return moderate_exp(x);
    }
    let (m, k) = exp_parts(x);
    m.ldexp(k)
}

/// Below this an exponential is a normal number.
pub(super) const MODERATE: f64 = 700.0;

/// `e^x` for `|x| <` [`MODERATE`].
#[inline(always)]
pub(super) fn moderate_exp<R: Real>(x: Dd<R>) -> Dd<R> {
    let power = natural(x);
    power.significand().scaled(R::power_of_two(power.k))
}

/// `2^x`
pub fn exp2(x: Dd) -> Dd {
    total(x, real::exp2, |x| {
        let n = (x.hi.clamp(-HUGE, HUGE) * 1024.0).round_ties_even();
        let r = Dd::sum(x.hi - n / 1024.0, x.lo);
        if r.hi.abs() > 1.0 {
            return Dd::of(if n < 0.0 { 0.0 } else { f64::INFINITY });
        }
        let power = power(n, r * LN_2);
        power.significand().ldexp(power.k)
    })
}

/// `e^x - 1`
pub fn expm1(x: Dd) -> Dd {
    total(x, real::expm1, finite_expm1)
}

/// `e^x - 1` of a number that is neither infinite nor NaN.
pub(super) fn finite_expm1(x: Dd) -> Dd {
    if x.hi.abs() < TINY {
        return x;
    }
    if x.hi > COUNTS {
        // Where 1 does not count; an infinite sum would be NaN.
        return finite_exp(x);
    }
    if x.hi < -COUNTS {
        return Dd::of(-1.0);
    }
    moderate_expm1(x)
}

/// Up to this size of `x`, both terms of `e^x - 1` count.
pub(super) const COUNTS: f64 = 100.0;

/// `e^x - 1` for `|x|` from [`TINY`] to [`COUNTS`].
#[inline(always)]
pub(super) fn moderate_expm1<R: Real>(x: Dd<R>) -> Dd<R> {
    let Power { k, t, e } = natural(x);
    let minus = x.hi.num(-1.0);
    either!(R, R::none(k), t.plus(minus) + t * e, t.quick_add(t * e).scaled(R::power_of_two(k)).plus(minus))
}

/// Smaller than this, x and x + x² are the same double-double.
pub(super) const TINY: f64 = 1e-34;

/// A row of a table of logarithms: a factor that brings a number near 1, for the second table less 1; −ln of the factor.
type Row = [f64; 3];

/// `i/128` for i = 90, …, 182, with its inverse to 12 bits; 1 has the inverse 1.
static LOGS: [Row; 93] = {
    let (mut table, mut i) = ([[1.0, 0.0, 0.0]; 93], 0);
    while i < 93 {
        let n = (128.0 * 4096.0 / (i + 90) as f64 + 0.5) as u32;
        let factor = n as f64 / 4096.0;
        table[i] = row(factor, constant::neg(constant::log1p(factor - 1.0)));
        i += 1;
    }
    table
};

const fn row(factor: f64, log: Dd) -> Row {
    [factor, log.hi, log.lo]
}

/// Step of the second table.
const FINE: f64 = 8192.0;
/// `1 + i/8192` for i = −54, …, 54, with its inverse less 1, to 30 bits.
static FINE_LOGS: [Row; 109] = {
    let (mut table, mut i) = ([[0.0; 3]; 109], 0);
    while i < 109 {
        let x = (i as f64 - 54.0) / FINE;
        let n = (-x / (1.0 + x) * 1073741824.0) as i64;
        let factor = n as f64 / 1073741824.0;
        table[i] = row(factor, constant::neg(constant::log1p(factor)));
        i += 1;
    }
    table
};

/// `ln x`
pub fn log(x: Dd) -> Dd {
    total(x, real::log, positive_log)
}

/// `ln x`, NaN where `x` is not positive and finite.
pub(super) fn positive_log(x: Dd) -> Dd {
    let Some((k, m)) = split(x) else { return Dd::NAN };
    LN_2.times(k as f64).quick_add(m)
}

/// `ln x / ln 2`, exact for powers of two.
pub fn log2(x: Dd) -> Dd {
    total(x, real::log2, |x| {
        let Some((k, m)) = split(x) else { return Dd::NAN };
        Dd::of(k as f64).quick_add(m * LOG2_E)
    })
}

/// `ln x / ln 10`
pub fn log10(x: Dd) -> Dd {
    total(x, real::log10, |x| positive_log(x) * LOG10_E)
}

/// `k` and `ln m` with `x = 2^k m` and m from √½ to √2, roughly; `None` where `x` is not positive and finite.
#[inline(always)]
fn split(x: Dd) -> Option<(i32, Dd)> {
    if !(x.hi > 0.0 && x.hi < f64::INFINITY) {
        return None;
    }
    let (x, shift) = match x.hi {
        hi if hi < LEAST => (x.scaled(power_of_two(128)), -128),
        hi if hi > MOST => (x.scaled(power_of_two(-128)), 128),
        _ => (x, 0),
    };
    let (k, m, rest) = near_one(x);
    Some((k + shift, log_near_one(m, rest)))
}

/// Between these, numbers and their inverses are normal, with their low halves.
pub(super) const LEAST: f64 = 1e-290;
pub(super) const MOST: f64 = 1e290;

/// `k`, `m` as a double and `m - 1` with `x = 2^k m` and m from √½ to √2, roughly; `x` is from [`LEAST`] to [`MOST`].
#[inline(always)]
fn near_one<R: Real>(x: Dd<R>) -> (R::Int, R, Dd<R>) {
    let k = x.hi.exponent();
    let scale = R::power_of_two(k.num(0) - k);
    let small = (x.hi * scale).below(x.hi.num(1.421875));
    let scale = R::pick(small, scale, scale * x.hi.num(0.5));
    let m = x.scaled(scale);
    (R::choose(small, k, k + k.num(1)), m.hi, Dd::sum(m.hi - x.hi.num(1.0), m.lo))
}

/// `ln x` for `x` from [`LEAST`] to [`MOST`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn moderate_log<R: Real>(x: Dd<R>) -> Dd<R> {
    let (k, m, rest) = near_one(x);
    LN_2.like(x.hi).times(R::of(k)).quick_add(log_near_one(m, rest))
}

/// `ln(1 + x)` for `x` from [`TINY`] to [`MOST`] in size, and above −1.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn moderate_log1p<R: Real>(x: Dd<R>) -> Dd<R> {
    let one = x.hi.num(1.0);
    let near = x.hi.magnitude().below(x.hi.num(NEAR));
    let (k, m, rest) = near_one(x.plus(one));
    let (m, rest) = (R::pick(near, one + x.hi, m), Dd::pick(near, x, rest));
    let k = R::choose(near, k.num(0), k);
    LN_2.like(x.hi).times(R::of(k)).quick_add(log_near_one(m, rest))
}

/// Up to this size of `x`, `1 + x` is near 1.
const NEAR: f64 = 0.28;

/// `ln(1 + x)` for 1 + x from 0.71 to 1.42, that being `m` as a double: relatively accurate at 0, for what is rounded is small
/// as `x` is.
#[inline(always)]
fn log_near_one<R: Real>(m: R, x: Dd<R>) -> Dd<R> {
    let one = m.num(1.0);
    let at = (m * m.num(128.0) + m.num(0.5)).whole();
    let [factor, hi, lo] = R::rows(&LOGS, at.least(at.num(182)).most(at.num(90)) - at.num(90));
    // A factor of 1 changes nothing, but the sign of 0.
    if R::all(factor.same(one)) {
        return log1p_small(x);
    }
    // factor (1 + x) − 1
    let z = x.times(factor) + Dd { hi: factor - one, lo: m.num(0.0) };
    Dd { hi, lo }.quick_add(log1p_small(z))
}

/// `ln(1 + z)` for `|z| < 0.0065`
#[inline(always)]
fn log1p_small<R: Real>(z: Dd<R>) -> Dd<R> {
    let at = (z.hi * z.hi.num(FINE) + z.hi.num(54.5)).whole();
    let [factor, hi, lo] = R::rows(&FINE_LOGS, at.least(at.num(108)).most(at.num(0)));
    // As above.
    if R::all(factor.same(z.hi.num(0.0))) {
        return log1p_series(z);
    }
    let rest = z.plus(factor) + z.times(factor);
    Dd { hi, lo }.quick_add(log1p_series(rest))
}

/// `ln(1 + z)` for `|z| < 0.0001`
#[inline(always)]
fn log1p_series<R: Real>(z: Dd<R>) -> Dd<R> {
    const THIRD: Dd = constant::inverse(3.0);
    let x = z.hi;
    let tail = x.num(-0.125) + x * x.num(1.0 / 9.0);
    let tail = x * (x.num(-1.0 / 6.0) + x * (x.num(1.0 / 7.0) + x * tail));
    let tail = x * (x.num(0.2) + tail);
    let sum = THIRD.like(x).quick_add(Dd::quick(x.num(-0.25), tail) * z);
    let sum = dd(-0.5, 0.0).like(x).quick_add(sum * z);
    z.quick_add(sum * z * z)
}

/// `ln(1 + x)`
pub fn log1p(x: Dd) -> Dd {
    total(x, real::log1p, finite_log1p)
}

/// `ln(1 + x)`, NaN where 1 + x is not positive and finite.
pub(super) fn finite_log1p(x: Dd) -> Dd {
    let size = x.hi.abs();
    if size < TINY {
        x
    } else if size < NEAR {
        log_near_one(1.0 + x.hi, x)
    } else {
        positive_log(x.plus(1.0))
    }
}
