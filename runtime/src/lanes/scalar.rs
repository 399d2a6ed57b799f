//! One number at a time: the definition of every lane operation.

use super::{Anywhere, Lanes, Rare, RareOfTwo};

/// Evaluates lane programs on one number. Its methods inline into the caller, which decides by its target
/// features whether a fused multiply-add is an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

/// Adding it puts an integer, plus the bias of exponents, into the low bits.
pub(super) const BIASED: f64 = 4_503_599_627_370_496.0 + 1023.0;
const SIGNLESS: u64 = u64::MAX >> 1;
const LEAST_NORMAL: u64 = 1 << 52;
const INFINITE: u64 = 0x7ff << 52;

impl Lanes for Scalar {
    type V = f64;
    type M = bool;

    #[inline(always)]
    fn num(&mut self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn neg(&mut self, a: f64) -> f64 {
        -a
    }
    #[inline(always)]
    fn abs(&mut self, a: f64) -> f64 {
        a.abs()
    }
    #[inline(always)]
    fn sqrt(&mut self, a: f64) -> f64 {
        a.sqrt()
    }
    #[inline(always)]
    fn rint(&mut self, a: f64) -> f64 {
        a.round_ties_even()
    }
    #[inline(always)]
    fn add(&mut self, a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn sub(&mut self, a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn mul(&mut self, a: f64, b: f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn div(&mut self, a: f64, b: f64) -> f64 {
        a / b
    }
    #[inline(always)]
    fn min_x(&mut self, a: f64, b: f64) -> f64 {
        if a < b { a } else { b }
    }
    #[inline(always)]
    fn max_x(&mut self, a: f64, b: f64) -> f64 {
        if a > b { a } else { b }
    }
    #[inline(always)]
    fn copysign(&mut self, a: f64, b: f64) -> f64 {
        a.copysign(b)
    }
    #[inline(always)]
    fn fma(&mut self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn fms(&mut self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, -c)
    }
    #[inline(always)]
    fn fnma(&mut self, a: f64, b: f64, c: f64) -> f64 {
        (-a).mul_add(b, c)
    }
    #[inline(always)]
    fn lt(&mut self, a: f64, b: f64) -> bool {
        a < b
    }
    #[inline(always)]
    fn eq(&mut self, a: f64, b: f64) -> bool {
        a == b
    }
    #[inline(always)]
    fn or(&mut self, a: bool, b: bool) -> bool {
        a | b
    }
    #[inline(always)]
    fn not(&mut self, a: bool) -> bool {
        !a
    }
    #[inline(always)]
    fn select(&mut self, m: bool, a: f64, b: f64) -> f64 {
        if m { a } else { b }
    }
    #[inline(always)]
    fn pow2(&mut self, n: f64) -> f64 {
        f64::from_bits((n + BIASED).to_bits() << 52)
    }
    #[inline(always)]
    fn ldexp(&mut self, a: f64, n: f64) -> f64 {
        // One product is the two where nothing is rounded.
        let y = a * self.pow2(n);
        let whole = n.abs() <= 1000.0 && n == n.round_ties_even();
        if whole && y.abs() >= f64::MIN_POSITIVE && y.abs() < f64::INFINITY {
            return y;
        }
        let m = self.max_x(-2044.0, n);
        let m = self.min_x(m, 2044.0);
        let k = self.rint(0.5 * m);
        a * self.pow2(k) * self.pow2(m - k)
    }
    #[inline(always)]
    fn get_exp(&mut self, a: f64) -> f64 {
        let bits = a.to_bits() & SIGNLESS;
        if !ordinary(bits) {
            return unusual_exp(a.abs());
        }
        exponent(bits) as f64
    }
    #[inline(always)]
    fn get_mant(&mut self, a: f64) -> f64 {
        let bits = a.to_bits() & SIGNLESS;
        if !ordinary(bits) {
            return unusual_mant(a.abs());
        }
        f64::from_bits(bits.wrapping_sub((exponent(bits) << 52) as u64))
    }
    #[inline(always)]
    fn within(&self, x: f64, bound: f64) -> bool {
        x.to_bits() & SIGNLESS < bound.to_bits()
    }
    #[inline(always)]
    fn is_usual(&self, x: f64) -> bool {
        // By what `split` needs anyway; that it is no number for some that are usual costs nothing.
        (exponent(x.to_bits()) + 1021) as u64 <= 1021 + 1023
    }
    #[inline(always)]
    fn seldom<F: Anywhere>(&mut self, x: f64) -> f64 {
        /// Does not unwind, so that the way past it needs no frame.
        #[cold]
        #[inline(never)]
        extern "C" fn cold<F: Anywhere>(x: f64) -> f64 {
            F::of(&mut Scalar, x)
        }
        cold::<F>(x)
    }
    #[inline(always)]
    fn split(&mut self, a: f64) -> (f64, f64) {
        let k = exponent(a.to_bits());
        (f64::from_bits(a.to_bits().wrapping_sub((k << 52) as u64)), k as f64)
    }
    #[inline(always)]
    fn pow2_of(&mut self, _n: f64, shifted: f64) -> f64 {
        f64::from_bits(shifted.to_bits() << 52)
    }
    #[inline(always)]
    fn odd(&mut self, shifted: f64) -> bool {
        shifted.to_bits() & 1 != 0
    }
    #[inline(always)]
    fn known_odd(&self, shifted: f64) -> Option<bool> {
        Some(shifted.to_bits() & 1 != 0)
    }
    #[inline(always)]
    fn flip(&mut self, a: f64, shifted: f64, next: bool) -> f64 {
        f64::from_bits(a.to_bits() ^ (shifted.to_bits().wrapping_add(u64::from(next)) & 2) << 62)
    }
    #[inline(always)]
    fn rare(&mut self, m: bool, f: Rare, x: f64, y: f64) -> f64 {
        if m { rare(f, x) } else { y }
    }
    #[inline(always)]
    fn rare_of_two(&mut self, m: bool, f: RareOfTwo, [a, b]: [f64; 2], y: f64) -> f64 {
        if m { rare_of_two(f, a, b) } else { y }
    }
}

/// Neither 0 nor subnormal, infinite or NaN.
#[inline(always)]
fn ordinary(signless: u64) -> bool {
    signless.wrapping_sub(LEAST_NORMAL) < INFINITE - LEAST_NORMAL
}

/// Whether a number is positive, and neither 0 nor subnormal, infinite or NaN.
#[inline(always)]
pub(crate) fn is_normal(a: f64) -> bool {
    ordinary(a.to_bits())
}

/// The exponent that leaves a mantissa in [¾, 3/2).
#[inline(always)]
fn exponent(signless: u64) -> i64 {
    (signless.wrapping_sub(0.75f64.to_bits()) as i64) >> 52
}

#[cold]
fn unusual_exp(a: f64) -> f64 {
    if a == 0.0 {
        f64::NEG_INFINITY
    } else if a < f64::MIN_POSITIVE {
        Scalar.get_exp(a * 2f64.powi(54)) - 54.0
    } else {
        a
    }
}

#[cold]
fn unusual_mant(a: f64) -> f64 {
    if a == 0.0 || a == f64::INFINITY {
        1.0
    } else if a < f64::MIN_POSITIVE {
        Scalar.get_mant(a * 2f64.powi(54))
    } else {
        a
    }
}

/// The circular functions of numbers beyond the reach of [`super::sincos`], and of no number.
#[cold]
pub(super) extern "C" fn rare(f: Rare, x: f64) -> f64 {
    match f {
        Rare::Sin => libm::sin(x),
        Rare::Cos => libm::cos(x),
        Rare::Tan => libm::tan(x),
    }
}

/// Powers of 0, of negative numbers, and those that are hardly normal numbers; angles of numbers that are hardly normal, infinite, or both 0.
/// The C library has every case.
#[cold]
pub(super) extern "C" fn rare_of_two(f: RareOfTwo, a: f64, b: f64) -> f64 {
    match f {
        RareOfTwo::Pow => a.powf(b),
        RareOfTwo::Atan2 => a.atan2(b),
    }
}
