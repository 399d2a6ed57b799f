//! Constants in parts, and arithmetic that the compiler can do, for tables.

use super::arith::Dd;
use super::exact::{quick_two_sum, two_sum};
use std::f64::consts;

/// The double-double of two parts.
pub(super) const fn dd(hi: f64, lo: f64) -> Dd {
    Dd { hi, lo }
}

/// π
pub(super) const PI: Dd = dd(consts::PI, 1.2246467991473532e-16);
/// π/2 in four parts.
pub(super) const HALF_PI: [f64; 4] =
    [consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50];
/// ln 2
pub(super) const LN_2: Dd = dd(consts::LN_2, 2.3190468138462996e-17);
/// ln 2 less `LN_2`
pub(super) const LN_2_REST: f64 = 5.707708438416212e-34;
/// 1 / ln 2
pub(super) const LOG2_E: Dd = dd(consts::LOG2_E, 2.0355273740931033e-17);
/// 1 / ln 10
pub(super) const LOG10_E: Dd = dd(consts::LOG10_E, 1.098319650216765e-17);

/// 2/√π
pub(super) const TWO_OVER_SQRT_PI: Dd = dd(consts::FRAC_2_SQRT_PI, 1.533545961316588e-17);
/// ½ ln 2π
pub(super) const HALF_LN_2PI: Dd = dd(0.9189385332046728, -3.8782941580672414e-17);
/// ln π
pub(super) const LN_PI: Dd = dd(1.1447298858494002, 1.0265951162707826e-17);

/// Euler's constant γ
pub(super) const EULER: Dd = dd(0.5772156649015329, -4.942915152430645e-18);

/// Half an ulp of 1.
#[cfg(test)]
const U: f64 = f64::EPSILON / 2.0;

/// `a b` and its rounding error, without a fused multiply-add (Dekker).
const fn product(a: f64, b: f64) -> (f64, f64) {
    const fn split(x: f64) -> (f64, f64) {
        let t = 134_217_729.0 * x;
        let high = t - (t - x);
        (high, x - high)
    }
    let p = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

/// `a + b`, the first being 0 or not smaller.
const fn quick(a: f64, b: f64) -> Dd {
    let (hi, lo) = quick_two_sum(a, b);
    dd(hi, lo)
}

/// `a + b`
pub(super) const fn add(a: Dd, b: Dd) -> Dd {
    let (s, e) = two_sum(a.hi, b.hi);
    let (t, f) = two_sum(a.lo, b.lo);
    let (v, w) = quick_two_sum(s, e + t);
    quick(v, f + w)
}

/// `a b`
pub(super) const fn mul(a: Dd, b: Dd) -> Dd {
    let (p, e) = product(a.hi, b.hi);
    quick(p, e + (a.hi * b.lo + a.lo * b.hi))
}

/// `-a`
pub(super) const fn neg(a: Dd) -> Dd {
    dd(-a.hi, -a.lo)
}

/// `a / x`
pub(super) const fn div(a: Dd, x: f64) -> Dd {
    let q = a.hi / x;
    let (p, e) = product(q, x);
    quick(q, ((a.hi - p) + (a.lo - e)) / x)
}

/// `1 / n`
pub(super) const fn inverse(n: f64) -> Dd {
    div(Dd::ONE, n)
}

/// `1 / n!`
pub(super) const fn inverse_factorial(n: u32) -> Dd {
    let (mut x, mut k) = (Dd::ONE, 2);
    while k <= n {
        x = div(x, k as f64);
        k += 1;
    }
    x
}

/// `e^x - 1` for `|x| < 0.35`, by its series.
pub(super) const fn expm1(x: Dd) -> Dd {
    let (mut sum, mut k) = (Dd::ZERO, 28);
    while k > 0 {
        // x/k (1 + what follows)
        sum = div(mul(add(sum, Dd::ONE), x), k as f64);
        k -= 1;
    }
    sum
}

/// `e^x` of a double, not a large one.
pub(super) const fn exp(x: f64) -> Dd {
    // (e^(x/2^k))^(2^k), by way of e^y − 1, which keeps its digits.
    let (mut y, mut k) = (x, 0);
    while y > 0.35 || y < -0.35 {
        y *= 0.5;
        k += 1;
    }
    let mut e = expm1(Dd::of(y));
    while k > 0 {
        e = mul(e, add(e, Dd::of(2.0)));
        k -= 1;
    }
    add(e, Dd::ONE)
}

/// `ln(1 + x)` for `|x| < 0.45` of few bits, such that 2 + x is a double: `2 artanh(x / (2 + x))`.
pub(super) const fn log1p(x: f64) -> Dd {
    let t = div(Dd::of(x), 2.0 + x);
    let square = mul(t, t);
    let (mut sum, mut k) = (Dd::ZERO, 24);
    while k > 0 {
        sum = mul(add(sum, inverse((2 * k + 1) as f64)), square);
        k -= 1;
    }
    let t = dd(2.0 * t.hi, 2.0 * t.lo);
    add(mul(sum, t), t)
}

/// `sin x` and `cos x` for `|x| < 1`, by their series.
pub(super) const fn sin_cos(x: Dd) -> (Dd, Dd) {
    let square = neg(mul(x, x));
    let (mut sin, mut cos, mut k) = (Dd::ZERO, Dd::ZERO, 30);
    while k > 0 {
        if k % 2 == 0 {
            cos = div(mul(add(cos, Dd::ONE), square), (k * (k - 1)) as f64);
        } else if k > 1 {
            sin = div(mul(add(sin, Dd::ONE), square), (k * (k - 1)) as f64);
        }
        k -= 1;
    }
    (add(mul(sin, x), x), add(cos, Dd::ONE))
}

/// Bits that a const table may lack, for its tests: the tables' entries are sums of a few dozen terms.
#[cfg(test)]
pub(super) const TABLE_ERROR: f64 = 16.0 * U * U;

#[cfg(test)]
mod tests {
    use super::*;
    use adc_precise::Big;

    fn close(got: Dd, truth: Big, bound: f64) {
        let error = ((Big::from(got.hi) + Big::from(got.lo) - truth) / truth).abs();
        assert!(error.to_f64() <= bound, "{got:?} is off by {error}");
    }

    #[test]
    fn constants() {
        let pi = Big::ZERO.atan2(-Big::ONE);
        close(PI, pi, U * U);
        let half = HALF_PI.iter().fold(Big::ZERO, |sum, p| sum + Big::from(*p));
        assert!((half - pi.scale2(-1)).abs() < Big::exp2i(-213));
        let (ln2, ln10) = (Big::from(2.0).ln(), Big::from(10.0).ln());
        close(LN_2, ln2, U * U);
        close(LOG2_E, ln2.recip(), U * U);
        close(LOG10_E, ln10.recip(), U * U);
        close(TWO_OVER_SQRT_PI, Big::from(2.0) / pi.sqrt(), U * U);
        close(HALF_LN_2PI, pi.scale2(1).ln().scale2(-1), U * U);
        close(LN_PI, pi.ln(), U * U);
        close(EULER, -Big::ONE.digamma(), U * U);
    }

    #[test]
    fn functions_for_tables() {
        for i in 1..40 {
            for sign in [-1.0, 1.0] {
                let x = div(Dd::of(sign * i as f64), 128.3);
                let big = Big::from(x.hi) + Big::from(x.lo);
                close(expm1(x), big.exp_m1(), TABLE_ERROR);
                let short = (x.hi * 8192.0).round() / 8192.0;
                close(log1p(short), Big::from(short).ln_1p(), TABLE_ERROR);
                let x = add(x, Dd::of(sign * 0.5));
                let (sin, cos) = sin_cos(x);
                let (s, c) = (Big::from(x.hi) + Big::from(x.lo)).sin_cos();
                close(sin, s, TABLE_ERROR);
                close(cos, c, TABLE_ERROR);
            }
        }
        close(inverse_factorial(17), (2..18).fold(Big::ONE, |f, k| f.div_int(k)), TABLE_ERROR);
    }
}
