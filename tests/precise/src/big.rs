//! The number type: representation, rounding, arithmetic, conversions.

use crate::limbs::{self, LIMBS, Mantissa};
use crate::text::NotANumber;
use adc_ir::{Real, Scalar};
use num_traits::{Num, One, Zero};
use std::cmp::Ordering;
use std::ops;

/// Bits of the significand.
pub const BITS: i64 = 64 * LIMBS as i64;

/// Results with exponents beyond ± this are infinite or zero.
const EXP_LIMIT: i64 = 1 << 61;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Nan,
    Zero,
    Finite,
    Infinite,
}

/// A real number with a 384-bit significand, or ±0, ±∞, NaN. Results of `+ − × ÷` are rounded to
/// nearest (a tie may go either way), those of functions are good to all but the last few bits.
#[derive(Clone, Copy)]
pub struct Big {
    class: Class,
    negative: bool,
    /// A finite number has magnitude `m · 2^(exp − BITS)`, so it lies in `[2^(exp−1), 2^exp)`.
    exp: i64,
    m: Mantissa,
}

impl Big {
    /// Not a number.
    pub const NAN: Big = Big { class: Class::Nan, negative: false, exp: 0, m: [0; LIMBS] };
    /// +∞
    pub const INFINITY: Big = Big { class: Class::Infinite, negative: false, exp: 0, m: [0; LIMBS] };
    /// +0
    pub const ZERO: Big = Big { class: Class::Zero, negative: false, exp: 0, m: [0; LIMBS] };
    /// 1
    pub const ONE: Big = Big::exp2i(0);

    /// `2^k`
    pub const fn exp2i(k: i64) -> Big {
        let mut m = [0; LIMBS];
        m[LIMBS - 1] = 1 << 63;
        Big { class: Class::Finite, negative: false, exp: k + 1, m }
    }

    /// The number `± 0.l × 2^exp`, `l` the limbs read as a binary fraction, rounded.
    pub(crate) fn from_limbs(negative: bool, l: &[u64], exp: i64) -> Big {
        let Some(top) = l.iter().rposition(|&x| x != 0) else {
            return Big::ZERO.with_sign(negative);
        };
        let shift = l[top].leading_zeros() as usize;
        let mut exp = exp - 64 * (l.len() - 1 - top) as i64 - shift as i64;
        // One limb more than needed, for rounding.
        let mut w = [0u64; LIMBS + 1];
        for (k, x) in w.iter_mut().rev().enumerate() {
            let at = |j: usize| if top >= j { l[top - j] } else { 0 };
            *x = if shift == 0 { at(k) } else { at(k) << shift | at(k + 1) >> (64 - shift) };
        }
        let mut m = [0u64; LIMBS];
        m.copy_from_slice(&w[1..]);
        if w[0] >> 63 == 1 {
            let mut one = [0u64; LIMBS];
            one[0] = 1;
            if limbs::add(&mut m, &one) {
                m[LIMBS - 1] = 1 << 63;
                exp += 1;
            }
        }
        if exp > EXP_LIMIT {
            return Big::INFINITY.with_sign(negative);
        }
        if exp < -EXP_LIMIT {
            return Big::ZERO.with_sign(negative);
        }
        Big { class: Class::Finite, negative, exp, m }
    }

    /// The same magnitude with the sign given.
    pub fn with_sign(self, negative: bool) -> Big {
        Big { negative, ..self }
    }

    /// The magnitude of `self` with the sign of `o`.
    pub fn copysign(self, o: Big) -> Big {
        self.with_sign(o.negative)
    }

    /// `|self|`
    pub fn abs(self) -> Big {
        self.with_sign(false)
    }

    /// Whether it is ±0.
    pub fn is_zero(self) -> bool {
        self.class == Class::Zero
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> bool {
        self.class == Class::Nan
    }

    /// Whether it is ±∞.
    pub fn is_infinite(self) -> bool {
        self.class == Class::Infinite
    }

    /// Whether it is neither NaN nor infinite.
    pub fn is_finite(self) -> bool {
        matches!(self.class, Class::Zero | Class::Finite)
    }

    /// Whether the sign bit is set, also of −0.
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// The `e` with `2^(e−1) ≤ |self| < 2^e`; `None` for zero, ∞ and NaN.
    pub fn exponent(self) -> Option<i64> {
        (self.class == Class::Finite).then_some(self.exp)
    }

    /// Distance to the next number away from zero: the unit in the last of the 384 places.
    pub fn ulp(self) -> Big {
        self.exponent().map_or(Big::ZERO, |e| Big::exp2i(e - BITS))
    }

    /// The significand, for a finite nonzero number.
    pub(crate) fn mantissa(&self) -> &Mantissa {
        &self.m
    }

    /// `self · 2^k`
    pub fn scale2(self, k: i64) -> Big {
        match self.class {
            Class::Finite => Big::from_limbs(self.negative, &self.m, self.exp.saturating_add(k)),
            Class::Nan | Class::Zero | Class::Infinite => self,
        }
    }

    /// `1 / self`
    pub fn recip(self) -> Big {
        Big::ONE / self
    }

    /// `self · self`
    pub fn square(self) -> Big {
        self * self
    }

    /// `self^n` by repeated squaring; the reciprocal of that for negative `n`.
    pub fn powi(self, n: i64) -> Big {
        let (mut result, mut base, mut k) = (Big::ONE, self, n.unsigned_abs());
        while k > 0 {
            if k & 1 == 1 {
                result = result * base;
            }
            k >>= 1;
            if k > 0 {
                base = base * base;
            }
        }
        if n < 0 { result.recip() } else { result }
    }

    /// `√self`; −0 of −0, NaN of negative numbers.
    pub fn sqrt(self) -> Big {
        match self.class {
            Class::Nan | Class::Zero => return self,
            Class::Infinite | Class::Finite if self.negative => return Big::NAN,
            Class::Infinite => return self,
            Class::Finite => {}
        }
        // Scaled to [1/2, 2) by an even power of two, then 1/√x by Newton's iteration.
        let half = self.exp.div_euclid(2);
        let x = Big { exp: self.exp - 2 * half, ..self };
        let mut r = Big::from(1.0 / x.to_f64().sqrt());
        for _ in 0..3 {
            r = r + (r * (Big::ONE - x * r * r)).scale2(-1);
        }
        let s = x * r;
        let s = s + ((x - s * s) * r).scale2(-1);
        // Squares of shorter numbers have exact roots.
        let mut short = s.m;
        short[0] = 0;
        let short = Big::from_limbs(false, &short, s.exp);
        for c in [short, short + s.ulp().scale2(64)] {
            if c * c == x {
                return c.scale2(half);
            }
        }
        s.scale2(half)
    }

    /// Largest integer ≤ self.
    pub fn floor(self) -> Big {
        let t = self.trunc();
        if self.negative && t != self { t - Big::ONE } else { t }
    }

    /// Integer part, with the sign kept on zero.
    pub fn trunc(self) -> Big {
        if self.class != Class::Finite || self.exp >= BITS {
            return self;
        }
        if self.exp <= 0 {
            return Big::ZERO.with_sign(self.negative);
        }
        let drop = (BITS - self.exp) as usize;
        let mut m = self.m;
        m[..drop / 64].fill(0);
        m[drop / 64] &= u64::MAX << (drop % 64);
        Big { m, ..self }
    }

    /// Nearest integer, ties to even, with the sign kept on zero.
    pub fn round_even(self) -> Big {
        let t = self.trunc();
        let rest = (self - t).abs();
        let half = Big::exp2i(-1);
        let away = rest > half || (rest == half && !t.is_even());
        if away { (t.abs() + Big::ONE).with_sign(self.negative) } else { t }
    }

    /// Whether it is an integer (±∞ and NaN are not).
    pub fn is_integer(self) -> bool {
        self.is_finite() && self.trunc() == self
    }

    /// Whether it is an even integer.
    pub fn is_even(self) -> bool {
        self.is_integer() && self.scale2(-1).is_integer()
    }

    /// The nearest `i64`, saturating; 0 of NaN.
    pub fn to_i64(self) -> i64 {
        let t = self.round_even();
        match t.class {
            Class::Nan | Class::Zero => 0,
            Class::Finite if t.exp <= 63 => {
                let n = (t.m[LIMBS - 1] >> (64 - t.exp)) as i64;
                if t.negative { -n } else { n }
            }
            Class::Finite | Class::Infinite if t.negative => i64::MIN,
            Class::Finite | Class::Infinite => i64::MAX,
        }
    }

    /// The nearest `f64`, ties to even, subnormals included.
    pub fn to_f64(self) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        let magnitude = match self.class {
            Class::Nan => f64::NAN,
            Class::Zero => 0.0,
            Class::Infinite => f64::INFINITY,
            Class::Finite if self.exp > 1024 => f64::INFINITY,
            Class::Finite if self.exp < -1074 => 0.0,
            Class::Finite => {
                // The unit of the last place is 2^(exp − keep), never below 2^-1074.
                let keep = 53.min(self.exp + 1074);
                let top = self.m[LIMBS - 1];
                let (q, rest) = if keep == 0 { (0, top) } else { (top >> (64 - keep), top << keep) };
                let sticky = self.m[..LIMBS - 1].iter().any(|&x| x != 0);
                let half = 1 << 63;
                let up = rest > half || (rest == half && (sticky || q & 1 == 1));
                // In two factors, as 2^-1074 itself cannot be reached by a single power of a normal number.
                let n = (q + up as u64) as f64;
                let k = self.exp - keep;
                n * pow2(k / 2) * pow2(k - k / 2)
            }
        };
        sign * magnitude
    }

    /// A sum, without regard to the operands' class.
    fn add_finite(self, o: Big) -> Big {
        let (a, b) = if self.exp >= o.exp { (self, o) } else { (o, self) };
        let d = a.exp - b.exp;
        if d > BITS + 64 {
            return a;
        }
        // Two guard limbs below, a limb for the carry above.
        const N: usize = LIMBS + 3;
        let (mut x, mut y) = ([0u64; N], [0u64; N]);
        x[2..N - 1].copy_from_slice(&a.m);
        y[2..N - 1].copy_from_slice(&b.m);
        limbs::shift_right(&mut y, d as usize);
        let mut negative = a.negative;
        if a.negative == b.negative {
            limbs::add(&mut x, &y);
        } else if limbs::sub(&mut x, &y) {
            negative = !negative;
            x.iter_mut().for_each(|l| *l = !*l);
            let mut one = [0u64; N];
            one[0] = 1;
            limbs::add(&mut x, &one);
        }
        if x.iter().all(|&l| l == 0) {
            return Big::ZERO;
        }
        Big::from_limbs(negative, &x, a.exp + 64)
    }

    /// `self · n`
    pub fn mul_int(self, n: i64) -> Big {
        self * Big::from(n)
    }

    /// `self / n` for `n > 0`, faster than the general division.
    pub fn div_int(self, n: u64) -> Big {
        if self.class != Class::Finite || n == 0 {
            return self / Big::from(n as f64);
        }
        // Two more limbs of quotient than kept.
        let mut q = [0u64; LIMBS + 2];
        let mut rest = 0u128;
        for (i, out) in q.iter_mut().enumerate().rev() {
            let head = rest << 64 | if i >= 2 { self.m[i - 2] as u128 } else { 0 };
            *out = (head / n as u128) as u64;
            rest = head % n as u128;
        }
        Big::from_limbs(self.negative, &q, self.exp)
    }

    /// `self − o ⌊self/o⌋`, with the sign of `o`; NaN for `o = 0`.
    pub fn modulo(self, o: Big) -> Big {
        if o.is_infinite() && self.is_finite() {
            return if self.is_zero() || self.negative == o.negative { self } else { o };
        }
        // The quotient is rounded, so the remainder may be off by one `o`.
        let r = self - o * (self / o).floor();
        let r = if r.abs() >= o.abs() { r - o } else { r };
        let r = if r.negative != o.negative && !r.is_zero() { r + o } else { r };
        if r.is_zero() { r.copysign(o) } else { r }
    }

    /// IEEE comparison.
    fn order(self, o: Big) -> Option<Ordering> {
        if self.is_nan() || o.is_nan() {
            return None;
        }
        // Rank by sign first; −0 = 0.
        let sign = |x: Big| if x.is_zero() { 0 } else { 1 - 2 * x.negative as i32 };
        let (s, t) = (sign(self), sign(o));
        if s != t || s == 0 {
            return Some(s.cmp(&t));
        }
        let size = |x: &Big| if x.is_infinite() { i64::MAX } else { x.exp };
        let by_magnitude = size(&self).cmp(&size(&o)).then_with(|| self.m.iter().rev().cmp(o.m.iter().rev()));
        Some(if s > 0 { by_magnitude } else { by_magnitude.reverse() })
    }
}

/// `2^k` for exponents of normal doubles.
fn pow2(k: i64) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

impl From<f64> for Big {
    fn from(x: f64) -> Big {
        let negative = x.is_sign_negative();
        if x.is_nan() {
            return Big::NAN;
        }
        if x.is_infinite() {
            return Big::INFINITY.with_sign(negative);
        }
        let bits = x.to_bits();
        let (e, f) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (n, e) = if e == 0 { (f, -1074) } else { (f | 1 << 52, e - 1075) };
        Big::from_limbs(negative, &[n], e + 64)
    }
}

impl From<i64> for Big {
    fn from(n: i64) -> Big {
        Big::from_limbs(n < 0, &[n.unsigned_abs()], 64).with_sign(n < 0)
    }
}

impl ops::Neg for Big {
    type Output = Big;
    fn neg(self) -> Big {
        self.with_sign(!self.negative)
    }
}

impl ops::Add for Big {
    type Output = Big;
    fn add(self, o: Big) -> Big {
        use Class::*;
        match (self.class, o.class) {
            (Finite, Finite) => self.add_finite(o),
            (Nan, _) | (_, Nan) => Big::NAN,
            (Infinite, Infinite) if self.negative != o.negative => Big::NAN,
            (Infinite, _) => self,
            (_, Infinite) => o,
            (Zero, Zero) => self.with_sign(self.negative && o.negative),
            (Zero, Finite) => o,
            (Finite, Zero) => self,
        }
    }
}

impl ops::Sub for Big {
    type Output = Big;
    fn sub(self, o: Big) -> Big {
        self + -o
    }
}

impl ops::Mul for Big {
    type Output = Big;
    fn mul(self, o: Big) -> Big {
        use Class::*;
        let negative = self.negative != o.negative;
        match (self.class, o.class) {
            (Finite, Finite) => {
                let mut p = [0u64; 2 * LIMBS];
                limbs::mul(&self.m, &o.m, &mut p);
                Big::from_limbs(negative, &p, self.exp + o.exp)
            }
            (Nan, _) | (_, Nan) | (Zero, Infinite) | (Infinite, Zero) => Big::NAN,
            (Zero, _) | (_, Zero) => Big::ZERO.with_sign(negative),
            (Infinite, _) | (_, Infinite) => Big::INFINITY.with_sign(negative),
        }
    }
}

impl ops::Div for Big {
    type Output = Big;
    fn div(self, o: Big) -> Big {
        use Class::*;
        let negative = self.negative != o.negative;
        match (self.class, o.class) {
            (Finite, Finite) => {
                Big::from_limbs(negative, &limbs::divide(&self.m, &o.m), self.exp - o.exp + 64)
            }
            (Nan, _) | (_, Nan) | (Zero, Zero) | (Infinite, Infinite) => Big::NAN,
            (Zero, _) | (_, Infinite) => Big::ZERO.with_sign(negative),
            (Infinite, _) | (_, Zero) => Big::INFINITY.with_sign(negative),
        }
    }
}

impl ops::Rem for Big {
    type Output = Big;
    /// The remainder with the sign of `self`.
    fn rem(self, o: Big) -> Big {
        self - o * (self / o).trunc()
    }
}

// So that `Complex<Big>` has its operators.
impl Zero for Big {
    fn zero() -> Big {
        Big::ZERO
    }
    fn is_zero(&self) -> bool {
        Big::is_zero(*self)
    }
}

impl One for Big {
    fn one() -> Big {
        Big::ONE
    }
}

impl Num for Big {
    type FromStrRadixErr = NotANumber;
    fn from_str_radix(s: &str, radix: u32) -> Result<Big, NotANumber> {
        if radix == 10 { s.parse() } else { Err(NotANumber) }
    }
}

impl PartialEq for Big {
    fn eq(&self, o: &Big) -> bool {
        self.order(*o) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, o: &Big) -> Option<Ordering> {
        self.order(*o)
    }
}

impl Real for Big {
    fn from_f64(x: f64) -> Big {
        Big::from(x)
    }
    fn to_f64(&self) -> f64 {
        Big::to_f64(*self)
    }
    fn from_i64(n: i64) -> Big {
        Big::from(n)
    }
    fn add(&self, o: &Big) -> Big {
        *self + *o
    }
    fn sub(&self, o: &Big) -> Big {
        *self - *o
    }
    fn mul(&self, o: &Big) -> Big {
        *self * *o
    }
    fn div(&self, o: &Big) -> Big {
        *self / *o
    }
    fn mul_add(&self, a: &Big, b: &Big, _to: Scalar) -> Big {
        *self * *a + *b
    }
    fn neg(&self) -> Big {
        -*self
    }
    fn sqrt(&self) -> Big {
        Big::sqrt(*self)
    }
    fn compare(&self, o: &Big) -> Option<Ordering> {
        self.order(*o)
    }
    fn is_nan(&self) -> bool {
        Big::is_nan(*self)
    }
    fn is_finite(&self) -> bool {
        Big::is_finite(*self)
    }
    fn is_sign_negative(&self) -> bool {
        self.negative
    }
    fn floor(&self) -> Big {
        Big::floor(*self)
    }
    fn round_even(&self) -> Big {
        Big::round_even(*self)
    }
    fn stored(&self, _to: Scalar) -> Big {
        *self
    }
}
