//! Circular functions and their inverses, `sinc`.

use crate::big::{BITS, Big};
use crate::consts::*;
use crate::exp_log::odd_series;
use crate::limbs::{self, LIMBS};

/// Largest exponent that the table of 2/π serves.
const MAX_EXPONENT: i64 = 1100;

impl Big {
    /// `(sin self, cos self)`
    pub fn sin_cos(self) -> (Big, Big) {
        if self.is_zero() {
            return (self, Big::ONE);
        }
        match self.exponent() {
            Some(e) if e <= -1 => sin_cos_small(self),
            Some(e) if e <= MAX_EXPONENT => {
                let (quadrant, r) = self.quarter_turns();
                rotate(sin_cos_small(r), quadrant)
            }
            Some(_) | None => (Big::NAN, Big::NAN),
        }
    }

    /// `self = quadrant · π/2 + r` with `|r| ≤ π/4` and the quadrant modulo 4, after Payne and Hanek: the
    /// product with 2/π is formed as an integer, so nothing is lost however close `self` is to a multiple.
    fn quarter_turns(self) -> (i64, Big) {
        const N: usize = LIMBS + TWO_OVER_PI.len();
        let mut p = [0u64; N];
        limbs::mul(self.mantissa(), &TWO_OVER_PI, &mut p);
        // The product is `0.p · 2^exp`. Move the two lowest bits of its integer part to the top.
        let exp = self.exponent().expect("finite and nonzero");
        if exp >= 2 {
            limbs::shift_left(&mut p, exp as usize - 2);
        } else {
            limbs::shift_right(&mut p, (2 - exp) as usize);
        }
        let mut quadrant = (p[N - 1] >> 62) as i64;
        limbs::shift_left(&mut p, 2);
        let mut r = Big::from_limbs(false, &p, 0);
        if r > Big::exp2i(-1) {
            // 1 − r without cancellation: the negated integer.
            p.iter_mut().for_each(|x| *x = !*x);
            r = Big::from_limbs(true, &p, 0);
            quadrant += 1;
        }
        let r = r * PI.scale2(-1);
        if self.is_negative() { (-quadrant & 3, -r) } else { (quadrant & 3, r) }
    }

    /// `(sin πself, cos πself)`, zeros exact.
    pub fn sin_cos_pi(self) -> (Big, Big) {
        if !self.is_finite() {
            return (Big::NAN, Big::NAN);
        }
        let f = self - self.scale2(-1).round_even().scale2(1);
        let quadrant = f.scale2(1).round_even();
        let r = (f - quadrant.scale2(-1)) * *PI;
        let small = if r.is_zero() { (r, Big::ONE) } else { sin_cos_small(r) };
        rotate(small, quadrant.to_i64() & 3)
    }

    /// `sin self`
    pub fn sin(self) -> Big {
        self.sin_cos().0
    }

    /// `cos self`
    pub fn cos(self) -> Big {
        self.sin_cos().1
    }

    /// `tan self`
    pub fn tan(self) -> Big {
        let (s, c) = self.sin_cos();
        s / c
    }

    /// The argument of `x + i self`, signs of zeros respected.
    pub fn atan2(self, x: Big) -> Big {
        let y = self;
        if x.is_nan() || y.is_nan() {
            return Big::NAN;
        }
        let (ax, ay) = (x.abs(), y.abs());
        let half_pi = PI.scale2(-1);
        let first = if ay.is_zero() {
            Big::ZERO
        } else if ax.is_infinite() && ay.is_infinite() {
            PI.scale2(-2)
        } else if ay > ax {
            half_pi - atan_ratio(ax, ay)
        } else {
            atan_ratio(ay, ax)
        };
        if x.is_negative() { *PI - first } else { first }.copysign(y)
    }

    /// `arctan self`
    pub fn atan(self) -> Big {
        self.atan2(Big::ONE)
    }

    /// `arcsin self`
    pub fn asin(self) -> Big {
        self.atan2(((Big::ONE - self) * (Big::ONE + self)).sqrt())
    }

    /// `arccos self`
    pub fn acos(self) -> Big {
        ((Big::ONE - self) * (Big::ONE + self)).sqrt().atan2(self)
    }

    /// `√(self² + o²)`
    pub fn hypot(self, o: Big) -> Big {
        if self.is_infinite() || o.is_infinite() {
            return Big::INFINITY;
        }
        (self.square() + o.square()).sqrt()
    }

    /// The `n`-th derivative of `sin πx / πx` at `self`.
    pub fn sinc_derivative(self, n: u64) -> Big {
        let t = self * *PI;
        let scale = PI.powi(n as i64);
        if n == 0 && !t.below(0) {
            return self.sin_cos_pi().0 / t;
        }
        if t.below(4) || t.abs() < Big::from(2 * n as i64) {
            return scale * sinc_series(t, n);
        }
        // Leibniz: Σ C(n,k) sin^(n−k)(t) (−1)^k k!/t^(k+1), where C(n,k) k! is a falling factorial.
        let small = self.sin_cos_pi();
        let inverse = t.recip();
        let (mut sum, mut factor) = (Big::ZERO, inverse);
        for k in 0..=n {
            sum = sum + factor * rotate(small, (n - k) as i64 & 3).0;
            factor = -(factor * inverse).mul_int((n - k) as i64);
        }
        scale * sum
    }
}

/// `sin` and `cos` advanced by quarter iterations.
fn rotate((s, c): (Big, Big), quadrant: i64) -> (Big, Big) {
    match quadrant {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// `(sin r, cos r)` for `0 < |r| ≤ π/4`, by way of `v = 1 − cos r`, which keeps its relative precision
/// in doublings `v(2t) = 2 v (2 − v)`.
fn sin_cos_small(r: Big) -> (Big, Big) {
    const DOUBLINGS: usize = 8;
    let u = r.scale2(-(DOUBLINGS as i64)).square();
    let mut v = Big::ZERO;
    for k in (1..=17).rev() {
        v = (INVERSE_FACTORIALS[2 * k] - v) * u;
    }
    for _ in 0..DOUBLINGS {
        v = (v * (Big::from(2.0) - v)).scale2(1);
    }
    let sin = (v * (Big::from(2.0) - v)).sqrt().copysign(r);
    (sin, Big::ONE - v)
}

/// `arctan(y/x)` for `0 ≤ y ≤ x`: the rest of an estimate `θ` is the angle between `(x, y)` and
/// `(cos θ, sin θ)`.
fn atan_ratio(y: Big, x: Big) -> Big {
    let t = y / x;
    if t.below(-7) {
        return t * odd_series(t * t, |k| k % 2 == 1);
    }
    let estimate = Big::from(t.to_f64().atan());
    let (s, c) = sin_cos_small(estimate);
    let u = (t * c - s) / (c + t * s);
    estimate + u * odd_series(u * u, |k| k % 2 == 1)
}

/// The `n`-th derivative of `sin t / t = Σ (−1)^k t^2k / (2k+1)!`, term by term:
/// `Σ (−1)^k t^(2k−n) / ((2k−n)! (2k+1))`.
fn sinc_series(t: Big, n: u64) -> Big {
    let first = n.div_ceil(2);
    // The power of t over its factorial.
    let mut factor = if n.is_multiple_of(2) { Big::ONE } else { t };
    let (square, mut sum) = (t * t, Big::ZERO);
    for k in first.. {
        let term = factor.div_int(2 * k + 1);
        sum = if k % 2 == 0 { sum + term } else { sum - term };
        let m = 2 * k - n;
        factor = (factor * square).div_int((m + 1) * (m + 2));
        if factor.below(sum.exponent().unwrap_or(0) - BITS - 8) {
            return sum;
        }
    }
    unreachable!("the loop is endless")
}
