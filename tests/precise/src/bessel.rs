//! Bessel functions of integer order.

use crate::big::{BITS, Big};
use crate::consts::*;
use std::sync::LazyLock;

/// Hankel's series is used from here on: its smallest term is about e^−2x.
const ASYMPTOTIC: i64 = 300;

/// Euler's constant γ.
static EULER: LazyLock<Big> = LazyLock::new(|| -Big::ONE.digamma());

impl Big {
    /// `Jₙ(self)`
    pub fn jn(self, n: i64) -> Big {
        let order = n.unsigned_abs() as i64;
        if self.is_nan() || self.is_infinite() {
            return if self.is_nan() { self } else { Big::ZERO };
        }
        let x = self.abs();
        let y = if x.is_zero() {
            if n == 0 { Big::ONE } else { Big::ZERO }
        } else if x < Big::from(ASYMPTOTIC) || x < Big::from(order) {
            downwards(order, x).jn
        } else {
            upwards(order, x, hankel(0, x).0, hankel(1, x).0)
        };
        // Odd orders are odd, in the order as in the operand.
        if order % 2 == 1 && (n < 0) != self.is_negative() { -y } else { y }
    }

    /// `Yₙ(self)`; infinite at 0, NaN below.
    pub fn yn(self, n: i64) -> Big {
        let order = n.unsigned_abs() as i64;
        let y = if self.is_zero() {
            -Big::INFINITY
        } else if self.is_nan() || self.is_negative() {
            Big::NAN
        } else if self.is_infinite() {
            Big::ZERO
        } else if self < Big::from(ASYMPTOTIC) {
            let f = downwards(0, self);
            let log = self.scale2(-1).ln() + *EULER;
            let y0 = log * f.j0 - f.even.scale2(1);
            let y1 = (log - Big::ONE) * f.j1 - f.j0 / self - f.odd;
            upwards(order, self, y0, y1).scale2(1) / *PI
        } else {
            upwards(order, self, hankel(0, self).1, hankel(1, self).1)
        };
        if n < 0 && order % 2 == 1 { -y } else { y }
    }
}

/// `fₖ₊₁ = 2k/x fₖ − fₖ₋₁`
fn upwards(n: i64, x: Big, mut f0: Big, mut f1: Big) -> Big {
    if n == 0 {
        return f0;
    }
    let inverse = x.scale2(-1).recip();
    for k in 1..n {
        (f0, f1) = (f1, (f1 * inverse).mul_int(k) - f0);
    }
    f1
}

/// What one recurrence gives: `even` is `Σ (−1)ᵏ J₂ₖ/k`, `odd` is `Σ (−1)ᵏ (1 + 2k)/(k (k + 1)) J₁₊₂ₖ`.
struct Downwards {
    j0: Big,
    j1: Big,
    jn: Big,
    even: Big,
    odd: Big,
}

/// `fₖ₋₁ = 2k/x fₖ − fₖ₊₁` from an order on where the function vanishes beside `Jₙ`; `J₀ + 2 Σ J₂ₖ = 1`.
fn downwards(n: i64, x: Big) -> Downwards {
    let mut start = n.max(x.floor().to_i64()) + 1;
    let mut damping = Big::ONE;
    while !damping.below(-BITS - 20) {
        start += 1;
        damping = (damping * x).div_int(start as u64);
    }
    let inverse = x.scale2(-1).recip();
    let (mut above, mut f, mut norm) = (Big::ZERO, Big::ONE, Big::ZERO);
    let mut y = Downwards { j0: Big::ZERO, j1: Big::ZERO, jn: Big::ZERO, even: Big::ZERO, odd: Big::ZERO };
    for k in (0..=start).rev() {
        let half = k / 2;
        let signed = if half % 2 == 1 { -f } else { f };
        match (k, k % 2) {
            (0, _) => (norm, y.j0) = (norm + f, f),
            (1, _) => y.j1 = f,
            (_, 0) => {
                norm = norm + f.scale2(1);
                y.even = y.even + signed.div_int(half as u64);
            }
            _ => y.odd = y.odd + signed.mul_int(k).div_int((half * (half + 1)) as u64),
        }
        if k == n {
            y.jn = f;
        }
        (above, f) = (f, (f * inverse).mul_int(k) - above);
    }
    let scale = norm.recip();
    let [j0, j1, jn, even, odd] = [y.j0, y.j1, y.jn, y.even, y.odd].map(|f| f * scale);
    Downwards { j0, j1, jn, even, odd }
}

/// `(Jₙ, Yₙ)` for n = 0 or 1 and a large x.
fn hankel(n: i64, x: Big) -> (Big, Big) {
    let inverse = x.scale2(3).recip();
    let (mut p, mut q, mut term) = (Big::ONE, Big::ZERO, Big::ONE);
    for k in 1.. {
        term = (term * inverse).mul_int(4 * n * n - (2 * k - 1) * (2 * k - 1)).div_int(k as u64);
        match k % 4 {
            1 => q = q + term,
            2 => p = p - term,
            3 => q = q - term,
            _ => p = p + term,
        }
        if term.below(-BITS - 4) {
            break;
        }
    }
    // χ = x − (n/2 + ¼) π
    let (s, c) = x.sin_cos();
    let (cos, sin) = if n == 0 { (c + s, s - c) } else { (s - c, -(s + c)) };
    let amplitude = (x * *PI).sqrt();
    ((p * cos - q * sin) / amplitude, (p * sin + q * cos) / amplitude)
}
