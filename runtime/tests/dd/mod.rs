//! Double-double functions against 384-bit arithmetic, and against the functions of doubles. Run with `--nocapture` for the
//! largest errors.

mod arith;
mod complex;
mod complex_two;
mod linalg;
mod points;
mod real;
mod special;

use adc_precise::Big;
use adc_runtime::dd::Dd;

/// What the functions promise: relative to the value, or to the modulus.
const BOUND: f64 = 1e-28;

fn big(x: Dd) -> Big {
    // A sum would change the sign of −0.
    if x.lo == 0.0 {
        return Big::from(x.hi);
    }
    Big::from(x.hi) + Big::from(x.lo)
}

/// `|got - truth|` relative to `scale`, the units of the smallest numbers being allowed for; infinite where one is a number
/// and the other is not, unless it is so near the largest.
fn error(got: Dd, truth: Big, scale: Big) -> f64 {
    let largest = Big::from(f64::MAX);
    if truth.abs() > largest {
        let fits = got.hi == truth.to_f64() || got.hi.abs() == f64::MAX;
        let overflow = got.hi.is_infinite() && (got.hi < 0.0) == truth.is_negative();
        return if fits || overflow { 0.0 } else { f64::INFINITY };
    }
    if !got.hi.is_finite() || !got.lo.is_finite() || truth.is_nan() {
        // The last half ulp before the overflow.
        let near = truth.abs() > largest - Big::exp2i(970) && got.hi.is_infinite();
        return if near || (got.hi.is_nan() && truth.is_nan()) { 0.0 } else { f64::INFINITY };
    }
    if got.hi + got.lo != got.hi && got.hi.abs() > 1e-290 {
        return f64::INFINITY;
    }
    let difference = (big(got) - truth).abs() - Big::exp2i(-1072);
    if difference.is_negative() || difference.is_zero() { 0.0 } else { (difference / scale).to_f64() }
}

/// `ln |Γ|`, which big numbers miss at its zeros by a little.
fn lgamma(x: Big) -> Big {
    if x == Big::ONE || x == Big::from(2.0) { Big::ZERO } else { x.lgamma() }
}

/// How far two doubles are apart, in units in the last place of the second; 0 for two NaN.
fn ulps(a: f64, b: f64) -> f64 {
    if a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    if a.is_nan() || b.is_nan() || (a == 0.0 && b == 0.0) {
        return f64::INFINITY;
    }
    // Infinity counts as what follows the largest number.
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
    };
    (key(a) as i128 - key(b) as i128).unsigned_abs() as f64
}
