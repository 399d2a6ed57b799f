//! Elementary functions without a math library behind them. Only the ops that [`Elementary`] lists come here, so
//! the matches have a last arm that says so.

use crate::num::Elementary;
use crate::ops::{Class, Op};
use num_complex::{Complex, Complex64};
use std::f64::consts::{LN_2, LN_10, PI};

/// Elementary functions over `f64` from the standard library and textbook formulas: deterministic, right to
/// several digits on moderate operands; one that is not here is a smooth function of its own. For tests that compare a program with itself; the functions that
/// results are judged by are the runtime's.
#[derive(Clone, Copy, Debug, Default)]
pub struct StdMath;

impl Elementary<f64> for StdMath {
    fn real(&self, op: Op, x: &[f64]) -> f64 {
        let a = x[0];
        let b = x.get(1).copied().unwrap_or(f64::NAN);
        match op {
            Op::Pow => a.powf(b),
            Op::Exp => a.exp(),
            Op::Expm1 => a.exp_m1(),
            Op::Exp2 => a.exp2(),
            Op::Log => a.ln(),
            Op::Log2 => a.log2(),
            Op::Log10 => a.log10(),
            Op::Log1p => a.ln_1p(),
            Op::Cbrt => a.cbrt(),
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Tan => a.tan(),
            Op::Asin => a.asin(),
            Op::Acos => a.acos(),
            Op::Atan => a.atan(),
            Op::Sinh => a.sinh(),
            Op::Cosh => a.cosh(),
            Op::Tanh => a.tanh(),
            Op::Asinh => a.asinh(),
            Op::Acosh => a.acosh(),
            Op::Atanh => a.atanh(),
            Op::Sinc => sinc(a),
            Op::Sigmoid => 1.0 / (1.0 + (-a).exp()),
            Op::Softplus => softplus(a),
            Op::LogSigmoid => -softplus(-a),
            Op::Logaddexp => {
                if a == b {
                    a + LN_2
                } else {
                    a.max(b) + (-(a - b).abs()).exp().ln_1p()
                }
            }
            Op::Erf => erf(a),
            Op::Erfc => 1.0 - erf(a),
            Op::Gamma => lgamma(a).exp(),
            Op::Lgamma => lgamma(a),
            Op::Digamma => polygamma(0, a),
            Op::J0 => bessel_j(0, a),
            Op::J1 => bessel_j(1, a),
            Op::Y0 => bessel_y(0, a),
            Op::Y1 => bessel_y(1, a),
            Op::Hypot => a.hypot(b),
            Op::Atan2 => a.atan2(b),
            Op::Sech2 => a.cosh().powi(-2),
            Op::DSigmoid => {
                let e = (-a.abs()).exp();
                e / ((1.0 + e) * (1.0 + e))
            }
            Op::Mod => {
                let r = a % b;
                if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r.abs().copysign(b) }
            }
            Op::Arg => 0f64.atan2(a),
            // Programs that are compared with themselves do not mind.
            _ if op.info().class == Class::Elementary => (a + x.len() as f64).sin(),
            _ => panic!("`{op}` is no elementary function of reals"),
        }
    }

    fn real_int(&self, op: Op, n: i64, x: &f64) -> f64 {
        match op {
            Op::Powi => {
                let p = power(n.unsigned_abs(), *x, 1.0, |a, b| a * b);
                if n < 0 { 1.0 / p } else { p }
            }
            Op::Polygamma => polygamma(n, *x),
            Op::DSinc => dsinc(n, (*x).into()).re,
            Op::Jn => bessel_j(n, *x),
            Op::Yn => bessel_y(n, *x),
            _ if op.info().class == Class::ElementaryInt => (x + n as f64).sin(),
            _ => panic!("`{op}` is no function of an integer and a real"),
        }
    }

    fn complex(&self, op: Op, z: &[Complex64]) -> Complex64 {
        let a = z[0];
        let one = Complex::new(1.0, 0.0);
        match op {
            Op::Div => a / z[1],
            Op::Pow => a.powc(z[1]),
            Op::Recip => one / a,
            Op::Exp => a.exp(),
            Op::Expm1 => a.exp() - one,
            Op::Exp2 => (a * LN_2).exp(),
            Op::Log => a.ln(),
            Op::Log2 => a.ln() / LN_2,
            Op::Log10 => a.ln() / LN_10,
            Op::Log1p => (one + a).ln(),
            Op::Sqrt => a.sqrt(),
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Tan => a.tan(),
            Op::Asin => a.asin(),
            Op::Acos => a.acos(),
            Op::Atan => a.atan(),
            Op::Sinh => a.sinh(),
            Op::Cosh => a.cosh(),
            Op::Tanh => a.tanh(),
            Op::Asinh => a.asinh(),
            Op::Acosh => a.acosh(),
            Op::Atanh => a.atanh(),
            Op::Sinc => dsinc(0, a),
            Op::Sigmoid => one / (one + (-a).exp()),
            Op::Logaddexp => (a.exp() + z[1].exp()).ln(),
            Op::Sign => {
                if a == Complex::ZERO {
                    a
                } else {
                    a / a.norm()
                }
            }
            Op::Sech2 => (a.cosh() * a.cosh()).inv(),
            Op::DSigmoid => {
                let e = (-a).exp();
                e / ((one + e) * (one + e))
            }
            Op::Cis => (Complex64::I * a).exp(),
            _ if op.info().class == Class::Elementary => (a + one).sin(),
            _ => panic!("`{op}` is no elementary function of complex numbers"),
        }
    }

    fn complex_int(&self, op: Op, n: i64, z: &Complex64) -> Complex64 {
        match op {
            Op::Powi => {}
            Op::DSinc => return dsinc(n, *z),
            _ => return (z + n as f64).sin(),
        }
        let p = power(n.unsigned_abs(), *z, Complex::new(1.0, 0.0), |a, b| a * b);
        if n < 0 { Complex::new(1.0, 0.0) / p } else { p }
    }

    fn complex_to_real(&self, op: Op, z: &Complex64) -> f64 {
        match op {
            Op::Abs => z.re.hypot(z.im),
            Op::Arg => z.im.atan2(z.re),
            _ => panic!("`{op}` is no real function of a complex number"),
        }
    }
}

/// Repeated squaring in the order every implementation of `powi` uses.
fn power<T: Copy>(mut n: u64, mut base: T, one: T, mul: impl Fn(T, T) -> T) -> T {
    let mut result = one;
    while n > 0 {
        if n & 1 == 1 {
            result = mul(result, base);
        }
        n >>= 1;
        if n > 0 {
            base = mul(base, base);
        }
    }
    result
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

/// n-th derivative of sinc: ∫₀¹ (πt)ⁿ cos(πzt + nπ/2) dt by the midpoint rule.
fn dsinc(n: i64, z: Complex64) -> Complex64 {
    const STEPS: usize = 512;
    let f = |t: f64| (PI * t * z + n as f64 * PI / 2.0).cos() * (PI * t).powi(n as i32);
    (0..STEPS).map(|i| f((i as f64 + 0.5) / STEPS as f64)).sum::<Complex64>() / STEPS as f64
}

/// `1/π ∫₀^π cos(nt − x sin t) dt` by the midpoint rule, which is exact of periodic functions.
fn bessel_j(n: i64, x: f64) -> f64 {
    const STEPS: usize = 64;
    let angles = (0..STEPS).map(|i| (i as f64 + 0.5) / STEPS as f64 * PI);
    angles.map(|t| (n as f64 * t - x * t.sin()).cos()).sum::<f64>() / STEPS as f64
}

/// `1/π ∫₀^π sin(x sin t − nt) dt − 1/π ∫₀^∞ (e^nt + (−1)ⁿ e^−nt) e^(−x sinh t) dt`, by midpoints.
fn bessel_y(n: i64, x: f64) -> f64 {
    const STEPS: usize = 4000;
    const END: f64 = 12.0;
    if x.is_nan() || x <= 0.0 {
        return if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    let middles = || (0..STEPS).map(|i| (i as f64 + 0.5) / STEPS as f64);
    let (m, sign) = (n as f64, if n % 2 == 0 { 1.0 } else { -1.0 });
    let wave: f64 = middles().map(|t| (x * (PI * t).sin() - m * PI * t).sin()).sum::<f64>() / STEPS as f64;
    let decay = |t: f64| ((m * t).exp() + sign * (-m * t).exp()) * (-x * t.sinh()).exp();
    wave - middles().map(|t| decay(END * t)).sum::<f64>() * END / STEPS as f64 / PI
}

/// Abramowitz and Stegun 7.1.26, 1.5e-7.
fn erf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.3275911 * x.abs());
    let p = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
        .iter()
        .fold(0.0, |sum, c| (sum + c) * t);
    (1.0 - p * (-x * x).exp()).copysign(x)
}

/// Stirling's series after shifting the argument beyond 10.
fn lgamma(x: f64) -> f64 {
    if x <= 0.0 {
        return (PI / (PI * x).sin().abs()).ln() - lgamma(1.0 - x);
    }
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) - shift
}

/// Central part of the defining series with an integral tail; `n = 0` is digamma.
fn polygamma(n: i64, x: f64) -> f64 {
    const TERMS: usize = 200;
    if x.is_nan() || n < 0 {
        return f64::NAN;
    }
    let end = x + TERMS as f64;
    if n == 0 {
        return end.ln() - 0.5 / end - (0..TERMS).map(|k| 1.0 / (x + k as f64)).sum::<f64>();
    }
    let m = n as i32;
    let factorial: f64 = (1..=n).map(|k| k as f64).product();
    let sum: f64 = (0..TERMS).map(|k| (x + k as f64).powi(-m - 1)).sum();
    let tail = end.powi(-m) / n as f64 + 0.5 * end.powi(-m - 1);
    let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
    sign * factorial * (sum + tail)
}
