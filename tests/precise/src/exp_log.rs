//! Exponentials, logarithms, hyperbolic functions, powers.

use crate::big::{BITS, Big};
use crate::consts::*;

/// Beyond this exponent `e^x` is infinite or zero for any purpose.
const HUGE: i64 = 60;

impl Big {
    /// Whether the magnitude is so large that its exponential leaves the exponent range.
    fn is_huge(self) -> bool {
        self.is_infinite() || self.exponent().is_some_and(|e| e > HUGE)
    }

    /// Whether the magnitude is below `2^k`.
    pub(crate) fn below(self, k: i64) -> bool {
        self.is_zero() || self.exponent().is_some_and(|e| e <= k)
    }

    /// `e^self`
    pub fn exp(self) -> Big {
        if self.is_nan() {
            return self;
        }
        if self.is_huge() {
            return if self.is_negative() { Big::ZERO } else { Big::INFINITY };
        }
        let k = (self * *LOG2_E).round_even();
        let r = self - k * *LN2_HIGH - k * *LN2_LOW;
        (Big::ONE + r.exp_m1_series()).scale2(k.to_i64())
    }

    /// `e^self − 1`
    pub fn exp_m1(self) -> Big {
        if self.below(-1) { self.exp_m1_series() } else { self.exp() - Big::ONE }
    }

    /// `e^self − 1` for `|self| < 1`: the series at `self/2¹⁰`, then ten doublings
    /// `e^2t − 1 = p (2 + p)`, which keep the relative error.
    fn exp_m1_series(self) -> Big {
        let t = self.scale2(-10);
        let mut p = Big::ZERO;
        for c in INVERSE_FACTORIALS[1..28].iter().rev() {
            p = (p + *c) * t;
        }
        for _ in 0..10 {
            p = p * (p + Big::from(2.0));
        }
        p.copysign(self)
    }

    /// `2^self`
    pub fn exp2(self) -> Big {
        if self.is_nan() || self.is_huge() {
            return self.exp();
        }
        let k = self.round_even();
        ((self - k) * *LN2).exp().scale2(k.to_i64())
    }

    /// `ln self`; −∞ of ±0, NaN of negative numbers.
    pub fn ln(self) -> Big {
        match self.split() {
            Ok((k, m)) => LN2.mul_int(k) + m,
            Err(special) => special,
        }
    }

    /// `log₂ self`, exact for powers of two.
    pub fn log2(self) -> Big {
        match self.split() {
            Ok((k, m)) => Big::from(k) + m * *LOG2_E,
            Err(special) => special,
        }
    }

    /// `log₁₀ self`
    pub fn log10(self) -> Big {
        self.ln() / *LN10
    }

    /// `self = 2^k m` with `√½ ≤ m < √2`: gives `k` and `ln m`; or else the logarithm of a special value.
    fn split(self) -> Result<(i64, Big), Big> {
        if self.is_zero() {
            return Err(-Big::INFINITY);
        }
        if self.is_nan() || self.is_negative() {
            return Err(Big::NAN);
        }
        let Some(mut k) = self.exponent() else { return Err(Big::INFINITY) };
        let mut m = self.scale2(-k);
        if m.to_f64() < std::f64::consts::FRAC_1_SQRT_2 {
            m = m.scale2(1);
            k -= 1;
        }
        let d = m - Big::ONE;
        if d.below(-7) {
            return Ok((k, d.ln_1p_series()));
        }
        // Two steps of a third-order iteration for e^y = m: 53, 159, 477 bits.
        let mut y = Big::from(m.to_f64().ln());
        for _ in 0..2 {
            let e = y.exp();
            y = y + ((m - e) / (m + e)).scale2(1);
        }
        Ok((k, y))
    }

    /// `ln(1 + self)`
    pub fn ln_1p(self) -> Big {
        if self.below(-7) { self.ln_1p_series() } else { (self + Big::ONE).ln() }
    }

    /// `ln(1 + self) = 2 artanh(self / (2 + self))` for small `self`.
    fn ln_1p_series(self) -> Big {
        let t = self / (self + Big::from(2.0));
        t.scale2(1) * odd_series(t * t, |_| false)
    }

    /// `sinh self`
    pub fn sinh(self) -> Big {
        let e = self.abs().exp_m1();
        if !e.is_finite() {
            return e.copysign(self);
        }
        (e + e / (e + Big::ONE)).scale2(-1).copysign(self)
    }

    /// `cosh self`
    pub fn cosh(self) -> Big {
        let e = self.abs().exp();
        (e + e.recip()).scale2(-1)
    }

    /// `tanh self`
    pub fn tanh(self) -> Big {
        let e = self.abs().scale2(1).mul_int(-1).exp_m1();
        (-e / (e + Big::from(2.0))).copysign(self)
    }

    /// `1/cosh² self`
    pub fn sech2(self) -> Big {
        let e = (-self.abs().scale2(1)).exp();
        e.scale2(2) / (Big::ONE + e).square()
    }

    /// `arsinh self`
    pub fn asinh(self) -> Big {
        if self.is_infinite() {
            return self;
        }
        let x = self.abs();
        let root = (x.square() + Big::ONE).sqrt();
        (x + x.square() / (Big::ONE + root)).ln_1p().copysign(self)
    }

    /// `arcosh self`
    pub fn acosh(self) -> Big {
        let d = self - Big::ONE;
        (d + (d * (self + Big::ONE)).sqrt()).ln_1p()
    }

    /// `artanh self`
    pub fn atanh(self) -> Big {
        let x = self.abs();
        (x.scale2(1) / (Big::ONE - x)).ln_1p().scale2(-1).copysign(self)
    }

    /// `1/(1 + e^−self)`
    pub fn sigmoid(self) -> Big {
        Big::ONE / (Big::ONE + (-self).exp())
    }

    /// The derivative of [`Self::sigmoid`].
    pub fn dsigmoid(self) -> Big {
        self.scale2(-1).sech2().scale2(-2)
    }

    /// `ln(1 + e^self)`
    pub fn softplus(self) -> Big {
        (-self.abs()).exp().ln_1p() + if self.is_negative() { Big::ZERO } else { self }
    }

    /// `ln(e^self + e^o)`
    pub fn logaddexp(self, o: Big) -> Big {
        if self == o {
            return self + *LN2;
        }
        let (hi, lo) = if self > o { (self, o) } else { (o, self) };
        if self.is_nan() || o.is_nan() {
            return Big::NAN;
        }
        hi + (lo - hi).exp().ln_1p()
    }

    /// The real cube root.
    pub fn cbrt(self) -> Big {
        if self.is_zero() || !self.is_finite() {
            return self;
        }
        let x = self.abs();
        let y = (x.ln().div_int(3)).exp();
        (y - (y * y * y - x) / (y * y).mul_int(3)).copysign(self)
    }

    /// `self^y` with C's conventions.
    pub fn pow(self, y: Big) -> Big {
        if y.is_zero() || self == Big::ONE {
            return Big::ONE;
        }
        if self.is_nan() || y.is_nan() {
            return Big::NAN;
        }
        let x = self.abs();
        let odd = y.is_integer() && !y.is_even();
        let negative = self.is_negative() && odd;
        if x.is_zero() || x.is_infinite() || y.is_infinite() {
            let grows = match x.partial_cmp(&Big::ONE) {
                Some(std::cmp::Ordering::Equal) => return Big::ONE,
                order => (order == Some(std::cmp::Ordering::Greater)) != y.is_negative(),
            };
            return if grows { Big::INFINITY } else { Big::ZERO }.with_sign(negative);
        }
        if self.is_negative() && !y.is_integer() {
            return Big::NAN;
        }
        let magnitude = if y.is_integer() && y.below(20) { x.powi(y.to_i64()) } else { (y * x.ln()).exp() };
        magnitude.with_sign(negative)
    }
}

/// `Σ ± u^k / (2k + 1)` for `u < 2^-13`, until the terms vanish; `negative(k)` gives the signs.
pub(crate) fn odd_series(u: Big, negative: impl Fn(u64) -> bool) -> Big {
    let (mut sum, mut power) = (Big::ONE, Big::ONE);
    for k in 1.. {
        power = power * u;
        if power.below(-BITS - 2) {
            break;
        }
        let term = power.div_int(2 * k + 1);
        sum = if negative(k) { sum - term } else { sum + term };
    }
    sum
}
