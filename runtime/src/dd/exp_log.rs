//! Exponentials and logarithms by tables and short series (after P. T. P. Tang, *Table-driven implementation of the exponential
//! function*, ACM TOMS 15, 1989, and *… of the logarithm function*, TOMS 16, 1990), both with two tables each.

use super::arith::{Dd, exponent, power_of_two};
use super::constant::{self, LN_2, LOG2_E, LOG10_E, dd};
use super::exact::two_prod;
use super::total::total;
use crate::real;

/// ln 2 / 1024 in three parts.
const STEP: [f64; 3] = [0.0006769015435155716, 2.264694154146777e-20, 5.573934021890832e-37];
/// `2^(i/32)` for i = −16, …, 16.
static POWERS: [Dd; 33] = {
    let (mut table, mut i) = ([Dd::ONE; 33], 0);
    while i < 33 {
        let x = constant::mul(LN_2, Dd::of((i as f64 - 16.0) / 32.0));
        table[i] = constant::add(constant::expm1(x), Dd::ONE);
        i += 1;
    }
    table
};
/// `2^(j/1024) - 1` for j = −31, …, 31.
static SMALL_POWERS: [Dd; 63] = {
    let (mut table, mut j) = ([Dd::ZERO; 63], 0);
    while j < 63 {
        table[j] = constant::expm1(constant::mul(LN_2, Dd::of((j as f64 - 31.0) / 1024.0)));
        j += 1;
    }
    table
};

/// `2^k (t + t e)`: `t` from the first table, `e` the power of the small rest, less 1.
struct Power {
    k: i32,
    t: Dd,
    e: Dd,
}

/// Beyond this the exponential of a number, or of its double, has long left the range of doubles.
const HUGE: f64 = 10_000.0;

/// `2^(n/1024) e^r`, for `|n| < 2²⁵` and `|r| < 0.00035`; with e relatively accurate.
#[inline(always)]
fn power(n: f64, r: Dd) -> Power {
    let n = n as i32;
    let k = (n + 512) >> 10;
    // From −512 to 511, in two steps of the same sign: nothing cancels in `expm1`.
    let f = n - (k << 10);
    let (i, j) = (f / 32, f % 32);
    let small = SMALL_POWERS[(j + 31) as usize];
    let p = expm1_series(r);
    Power { k, t: POWERS[(i + 16) as usize], e: small + p + small * p }
}

/// `e^r - 1` for `|r| < 0.00035`
#[inline(always)]
fn expm1_series(r: Dd) -> Dd {
    const C: [Dd; 3] = [Dd::of(0.5), constant::inverse_factorial(3), constant::inverse_factorial(4)];
    let x = r.hi;
    let tail = x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0 + x * (1.0 / 40320.0))));
    let sum = C[2].quick_plus(tail);
    let sum = C[1].quick_add(sum * r);
    let sum = C[0].quick_add(sum * r);
    r.quick_add(sum * r * r)
}

/// `e^x` in parts; `x` is a number, and not huge.
#[inline(always)]
fn natural(x: Dd) -> Power {
    let n = (x.hi * (1024.0 * std::f64::consts::LOG2_E)).round_ties_even();
    // The difference of the high parts is exact (Sterbenz), the rest is small.
    let (p, e) = two_prod(n, STEP[0]);
    let (q, f) = two_prod(n, STEP[1]);
    let high = Dd::sum(x.hi - p, -e);
    let low = Dd::sum(x.lo, -q).plus(-f - n * STEP[2]);
    power(n, high + low)
}

impl Power {
    #[inline(always)]
    fn significand(&self) -> Dd {
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
    if x.hi.abs() < 700.0 {
        let power = natural(x);
        return power.significand().scaled(power_of_two(power.k));
    }
    let (m, k) = exp_parts(x);
    m.ldexp(k)
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
    if x.hi > 100.0 {
        // Where 1 does not count; an infinite sum would be NaN.
        return finite_exp(x);
    }
    if x.hi < -100.0 {
        return Dd::of(-1.0);
    }
    let Power { k, t, e } = natural(x);
    if k == 0 { t.plus(-1.0) + t * e } else { t.quick_add(t * e).scaled(power_of_two(k)).plus(-1.0) }
}

/// Smaller than this, x and x + x² are the same double-double.
pub(super) const TINY: f64 = 1e-34;

/// A row of a table of logarithms.
#[derive(Clone, Copy)]
struct Row {
    /// A factor that brings a number near 1, for the second table less 1.
    factor: f64,
    /// −ln of the factor.
    log: Dd,
}

/// `i/128` for i = 90, …, 182, with its inverse to 12 bits; 1 has the inverse 1.
static LOGS: [Row; 93] = {
    let (mut table, mut i) = ([Row { factor: 1.0, log: Dd::ZERO }; 93], 0);
    while i < 93 {
        let n = (128.0 * 4096.0 / (i + 90) as f64 + 0.5) as u32;
        let factor = n as f64 / 4096.0;
        table[i] = Row { factor, log: constant::neg(constant::log1p(factor - 1.0)) };
        i += 1;
    }
    table
};

/// Step of the second table.
const FINE: f64 = 8192.0;
/// `1 + i/8192` for i = −54, …, 54, with its inverse less 1, to 30 bits.
static FINE_LOGS: [Row; 109] = {
    let (mut table, mut i) = ([Row { factor: 0.0, log: Dd::ZERO }; 109], 0);
    while i < 109 {
        let x = (i as f64 - 54.0) / FINE;
        let n = (-x / (1.0 + x) * 1073741824.0) as i64;
        let factor = n as f64 / 1073741824.0;
        table[i] = Row { factor, log: constant::neg(constant::log1p(factor)) };
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
        hi if hi < 1e-290 => (x.scaled(power_of_two(128)), -128),
        hi if hi > 1e290 => (x.scaled(power_of_two(-128)), 128),
        _ => (x, 0),
    };
    let mut k = exponent(x.hi);
    let mut scale = power_of_two(-k);
    if x.hi * scale >= 1.421875 {
        k += 1;
        scale *= 0.5;
    }
    let m = x.scaled(scale);
    Some((k + shift, log_near_one(m.hi, Dd::sum(m.hi - 1.0, m.lo))))
}

/// `ln(1 + x)` for 1 + x from 0.71 to 1.42, that being `m` as a double: relatively accurate at 0, for what is rounded is small
/// as `x` is.
#[inline(always)]
fn log_near_one(m: f64, x: Dd) -> Dd {
    let row = LOGS[((m * 128.0 + 0.5) as usize).clamp(90, 182) - 90];
    if row.factor == 1.0 {
        return log1p_small(x);
    }
    // factor (1 + x) − 1
    row.log.quick_add(log1p_small(x.times(row.factor) + Dd::of(row.factor - 1.0)))
}

/// `ln(1 + z)` for `|z| < 0.0065`
#[inline(always)]
fn log1p_small(z: Dd) -> Dd {
    let row = FINE_LOGS[((z.hi * FINE + 54.5) as usize).min(108)];
    if row.factor == 0.0 {
        return log1p_series(z);
    }
    let rest = z.plus(row.factor) + z.times(row.factor);
    row.log.quick_add(log1p_series(rest))
}

/// `ln(1 + z)` for `|z| < 0.0001`
#[inline(always)]
fn log1p_series(z: Dd) -> Dd {
    const THIRD: Dd = constant::inverse(3.0);
    let x = z.hi;
    let tail = x * (0.2 + x * (-1.0 / 6.0 + x * (1.0 / 7.0 + x * (-0.125 + x * (1.0 / 9.0)))));
    let sum = THIRD.quick_add(Dd::quick(-0.25, tail) * z);
    let sum = dd(-0.5, 0.0).quick_add(sum * z);
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
    } else if size < 0.28 {
        log_near_one(1.0 + x.hi, x)
    } else {
        positive_log(x.plus(1.0))
    }
}
