//! Gamma function and error function.

use crate::big::{BITS, Big};
use crate::consts::*;

/// Stirling's series is used from here on (and from `+ 2n` on for the `n`-th derivative).
const STIRLING_FROM: i64 = 80;

impl Big {
    /// `Γ(self)`; NaN at the poles but ±0.
    pub fn gamma(self) -> Big {
        if self.is_zero() {
            return self.recip();
        }
        if self.is_nan() || self.is_infinite() {
            return if self.is_negative() { Big::NAN } else { self };
        }
        if self < Big::exp2i(-1) {
            // Γ(x) Γ(1−x) = π / sin πx
            let s = self.sin_cos_pi().0;
            return if s.is_zero() { Big::NAN } else { *PI / (s * (Big::ONE - self).gamma()) };
        }
        let (log, product) = stirling(self);
        log.exp() / product
    }

    /// `ln |Γ(self)|`; +∞ at the poles.
    pub fn lgamma(self) -> Big {
        if self.is_infinite() {
            return Big::INFINITY;
        }
        if self.is_nan() {
            return self;
        }
        if self.is_zero() || self.is_negative() {
            // Reflection; `Γ(x) Γ(1−x) = π / sin πx`.
            let s = self.sin_cos_pi().0.abs();
            return if s.is_zero() { Big::INFINITY } else { (*PI / s).ln() - (Big::ONE - self).lgamma() };
        }
        let (log, product) = stirling(self);
        log - product.ln()
    }

    /// `Γ'/Γ`; NaN at the negative poles, ∓∞ at ±0.
    pub fn digamma(self) -> Big {
        if self.is_zero() {
            return -Big::INFINITY.copysign(self);
        }
        if self.is_nan() || (self.is_negative() && self.is_integer()) {
            return Big::NAN;
        }
        if self.is_infinite() {
            return if self.is_negative() { Big::NAN } else { self };
        }
        if self.is_negative() {
            let (s, c) = self.sin_cos_pi();
            return (Big::ONE - self).digamma() - *PI * c / s;
        }
        // Σ 1/(x+k), as one fraction.
        let (mut p, mut q) = (Big::ZERO, Big::ONE);
        let mut x = self;
        while x < Big::from(STIRLING_FROM) {
            p = p * x + q;
            q = q * x;
            x = x + Big::ONE;
        }
        let tail = stirling_sum(x, |k| Big::from(2 * k).recip());
        x.ln() - x.recip().scale2(-1) - tail - p / q
    }

    /// The `n`-th derivative of `digamma`.
    pub fn polygamma(self, n: u64) -> Big {
        if n == 0 {
            return self.digamma();
        }
        if self.is_zero() || (self.is_negative() && self.is_integer()) {
            return if n % 2 == 1 { Big::INFINITY } else { Big::NAN };
        }
        if !self.is_finite() {
            return if self.is_nan() || self.is_negative() { Big::NAN } else { Big::ZERO };
        }
        if self.is_negative() {
            // (−1)^n ψₙ(1−x) − ψₙ(x) = π dⁿ/dxⁿ cot πx
            let mirrored = (Big::ONE - self).polygamma(n);
            return if n.is_multiple_of(2) { mirrored } else { -mirrored } - cot_derivative(self, n);
        }
        let power = n as i64 + 1;
        let mut sum = Big::ZERO;
        let mut x = self;
        while x < Big::from(STIRLING_FROM + 2 * n as i64) {
            sum = sum + x.powi(-power);
            x = x + Big::ONE;
        }
        let factorial = |k: u64| (1..=k).fold(Big::ONE, |f, j| f.mul_int(j as i64));
        let inverse = x.powi(-(n as i64));
        // Σ B₂ₖ (2k+n−1)!/(2k)! x^(−2k−n)
        let rising = |k: i64| (2 * k + 1..2 * k + n as i64).fold(Big::ONE, |f, j| f.mul_int(j));
        let tail = stirling_sum(x, rising);
        let main = factorial(n - 1) + (factorial(n) / x).scale2(-1) + tail;
        let magnitude = main * inverse + sum * factorial(n);
        if n % 2 == 1 { magnitude } else { -magnitude }
    }

    /// `2/√π ∫₀^self e^−t² dt`
    pub fn erf(self) -> Big {
        let x = self.abs();
        if x >= Big::from(SERIES_BELOW) {
            return (Big::ONE - erfc_fraction(x)).copysign(self);
        }
        // x e^−x² Σ (2x²)^k / (1·3·5…(2k+1)): all terms positive.
        let u = x.square().scale2(1);
        let (mut sum, mut term) = (Big::ONE, Big::ONE);
        for k in 1.. {
            term = (term * u).div_int(2 * k + 1);
            if term.below(sum.exponent().unwrap_or(0) - BITS - 4) || term.is_nan() {
                break;
            }
            sum = sum + term;
        }
        (*TWO_OVER_SQRT_PI * (-x.square()).exp() * x * sum).copysign(self)
    }

    /// `1 − erf self`
    pub fn erfc(self) -> Big {
        if self >= Big::from(SERIES_BELOW) { erfc_fraction(self) } else { Big::ONE - self.erf() }
    }
}

/// `ln Γ(x + n)` by Stirling's series, and `x (x + 1) … (x + n − 1)`, for an n that makes the first one large. `x` is positive.
fn stirling(x: Big) -> (Big, Big) {
    let (mut x, mut product) = (x, Big::ONE);
    while x < Big::from(STIRLING_FROM) {
        product = product * x;
        x = x + Big::ONE;
    }
    let half = Big::exp2i(-1);
    let main = (x - half) * x.ln() - x + *HALF_LN_2PI;
    // Σ B₂ₖ / (2k (2k−1) x^(2k−1))
    let tail = stirling_sum(x, |k| Big::from(2 * k * (2 * k - 1)).recip()) * x;
    (main + tail, product)
}

/// From here on `erfc` is a continued fraction; below, `1 − erf` loses no more than 70 bits.
const SERIES_BELOW: f64 = 7.0;

/// `e^−x²/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …))))`
fn erfc_fraction(x: Big) -> Big {
    let e = (-x.square()).exp();
    if e.is_zero() {
        return e;
    }
    // K levels leave a relative error near e^(−2x√(2K)); 384 bits are 266 e-folds.
    let k = (266.0 / (2.83 * x.to_f64())).powi(2) * 1.3 + 20.0;
    let mut f = x;
    for j in (1..=k as i64).rev() {
        f = x + Big::from(j).scale2(-1) / f;
    }
    e * TWO_OVER_SQRT_PI.scale2(-1) / f
}

/// `Σ B₂ₖ coefficient(k) x^−2k` over k ≥ 1, until the terms vanish.
fn stirling_sum(x: Big, coefficient: impl Fn(i64) -> Big) -> Big {
    let inverse = x.square().recip();
    let (mut sum, mut power) = (Big::ZERO, Big::ONE);
    for (k, b) in BERNOULLI.iter().enumerate().skip(1) {
        power = power * inverse;
        let term = *b * power * coefficient(k as i64);
        sum = sum + term;
        if term.below(sum.exponent().unwrap_or(0) - BITS - 4) {
            break;
        }
    }
    sum
}

/// `π dⁿ/dxⁿ cot πx`: a polynomial in `c = cot πx`, with `dc/dx = −π (1 + c²)`.
fn cot_derivative(x: Big, n: u64) -> Big {
    let (sin, cos) = x.sin_cos_pi();
    let c = cos / sin;
    let mut p = vec![Big::ZERO, Big::ONE];
    for _ in 0..n {
        let d: Vec<Big> = (1..p.len()).map(|k| p[k].mul_int(-(k as i64))).collect();
        p = vec![Big::ZERO; d.len() + 2];
        for (k, a) in d.into_iter().enumerate() {
            p[k] = p[k] + a;
            p[k + 2] = p[k + 2] + a;
        }
    }
    let value = p.iter().rev().fold(Big::ZERO, |v, a| v * c + *a);
    value * PI.powi(n as i64 + 1)
}
