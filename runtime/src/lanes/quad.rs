//! Four numbers at a time in the vectors of AVX2, for functions that straight-line code calls of several numbers. Bit for bit what
//! [`super::Scalar`] gives (NaN = NaN).
//!
//! The methods are inlined into functions that are compiled for these instructions; nothing else may call them.

use super::pow::{Lookup, POWERS, TABLE};
use super::scalar::{BIASED, rare, rare_of_two};
use super::{Lanes, Rare, RareOfTwo, Scalar};
use std::arch::x86_64::*;

/// Evaluates lane programs on four numbers.
#[derive(Clone, Copy, Debug)]
pub struct Quad(());

impl Quad {
    /// # Safety
    /// The machine has AVX2 and a fused multiply-add, and whoever uses it is compiled for them.
    #[inline(always)]
    pub unsafe fn new() -> Quad {
        Quad(())
    }
}

/// The bits of a number in every lane.
#[inline(always)]
fn bits(x: u64) -> __m256i {
    // SAFETY: by `Quad::new`'s promise the machine has the instruction.
    unsafe { _mm256_set1_epi64x(x as i64) }
}

/// Whether no lane is 0, subnormal, infinite or NaN.
#[inline(always)]
fn ordinary(l: &mut Quad, size: __m256d) -> bool {
    let (least, infinity) = (l.num(f64::MIN_POSITIVE), l.num(f64::INFINITY));
    let (below, finite) = (l.lt(size, least), l.lt(size, infinity));
    // SAFETY: as in `bits`.
    unsafe { _mm256_movemask_pd(_mm256_andnot_pd(below, finite)) == 15 }
}

/// The exponents of ordinary numbers plus 1024, as integers.
#[inline(always)]
fn field(size: __m256d) -> __m256i {
    // SAFETY: as in `bits`.
    unsafe {
        let shift = bits((1024u64 << 52).wrapping_sub(0.75f64.to_bits()));
        _mm256_srli_epi64::<52>(_mm256_add_epi64(_mm256_castpd_si256(size), shift))
    }
}

/// The exponents of ordinary numbers, as [`Lanes::get_exp`] gives them.
#[inline(always)]
fn exponent(l: &mut Quad, size: __m256d) -> __m256d {
    // An integer below 2⁵² in the low bits of 2⁵².
    // SAFETY: as in `bits`.
    let field = unsafe { _mm256_castsi256_pd(_mm256_or_si256(field(size), bits(2f64.powi(52).to_bits()))) };
    let bias = l.num(2f64.powi(52) + 1024.0);
    l.sub(field, bias)
}

/// The mantissas of ordinary numbers, as [`Lanes::get_mant`] gives them.
#[inline(always)]
fn mantissa(size: __m256d) -> __m256d {
    // SAFETY: as in `bits`.
    unsafe {
        let exponent = _mm256_slli_epi64::<52>(field(size));
        let y = _mm256_sub_epi64(_mm256_castpd_si256(size), exponent);
        _mm256_castsi256_pd(_mm256_add_epi64(y, bits(1024 << 52)))
    }
}

macro_rules! operations {
    ($($name:ident($($x:ident),*) = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name(&mut self, $($x: __m256d),*) -> __m256d {
            // SAFETY: by `Quad::new`'s promise the machine has the instructions.
            unsafe { $body }
        })*
    };
}

impl Lanes for Quad {
    type V = __m256d;
    /// All bits of a lane or none.
    type M = __m256d;

    #[inline(always)]
    fn num(&mut self, x: f64) -> __m256d {
        // SAFETY: as in `bits`.
        unsafe { _mm256_set1_pd(x) }
    }

    operations! {
        neg(a) = _mm256_xor_pd(a, _mm256_set1_pd(-0.0));
        abs(a) = _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
        sqrt(a) = _mm256_sqrt_pd(a);
        rint(a) = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a);
        add(a, b) = _mm256_add_pd(a, b);
        sub(a, b) = _mm256_sub_pd(a, b);
        mul(a, b) = _mm256_mul_pd(a, b);
        div(a, b) = _mm256_div_pd(a, b);
        min_x(a, b) = _mm256_min_pd(a, b);
        max_x(a, b) = _mm256_max_pd(a, b);
        copysign(a, b) = {
            let sign = _mm256_set1_pd(-0.0);
            _mm256_or_pd(_mm256_andnot_pd(sign, a), _mm256_and_pd(sign, b))
        };
        fma(a, b, c) = _mm256_fmadd_pd(a, b, c);
        fms(a, b, c) = _mm256_fmsub_pd(a, b, c);
        fnma(a, b, c) = _mm256_fnmadd_pd(a, b, c);
        lt(a, b) = _mm256_cmp_pd::<_CMP_LT_OQ>(a, b);
        eq(a, b) = _mm256_cmp_pd::<_CMP_EQ_OQ>(a, b);
        or(a, b) = _mm256_or_pd(a, b);
        not(a) = _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
        select(m, a, b) = _mm256_blendv_pd(b, a, m);
        pow2(n) = {
            let y = _mm256_add_pd(n, _mm256_set1_pd(BIASED));
            _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(y)))
        };
        pow2_of(_n, shifted) = _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(shifted)));
    }

    #[inline(always)]
    fn ldexp(&mut self, a: __m256d, n: __m256d) -> __m256d {
        let m = self.clamp_order(n);
        let half = self.num(0.5);
        let k = self.mul(half, m);
        let k = self.rint(k);
        let rest = self.sub(m, k);
        let (first, second) = (self.pow2(k), self.pow2(rest));
        let y = self.mul(a, first);
        self.mul(y, second)
    }

    #[inline(always)]
    fn get_exp(&mut self, a: __m256d) -> __m256d {
        let size = self.abs(a);
        if !ordinary(self, size) {
            return each(size, |l, x| l.get_exp(x));
        }
        exponent(self, size)
    }

    #[inline(always)]
    fn get_mant(&mut self, a: __m256d) -> __m256d {
        let size = self.abs(a);
        if !ordinary(self, size) {
            return each(size, |l, x| l.get_mant(x));
        }
        mantissa(size)
    }

    #[inline(always)]
    fn within(&self, x: __m256d, bound: f64) -> bool {
        let mut l = *self;
        let (size, bound) = (l.abs(x), l.num(bound));
        let inside = l.lt(size, bound);
        // SAFETY: as in `bits`.
        unsafe { _mm256_movemask_pd(inside) == 15 }
    }

    #[inline(always)]
    fn is_usual(&self, x: __m256d) -> bool {
        ordinary(&mut self.clone(), x)
    }

    #[inline(always)]
    fn split(&mut self, a: __m256d) -> (__m256d, __m256d) {
        (mantissa(a), exponent(self, a))
    }

    #[inline(always)]
    fn odd(&mut self, shifted: __m256d) -> __m256d {
        // SAFETY: as in `bits`.
        unsafe {
            let last = _mm256_and_si256(_mm256_castpd_si256(shifted), bits(1));
            _mm256_castsi256_pd(_mm256_cmpeq_epi64(last, bits(1)))
        }
    }

    #[inline(always)]
    fn flip(&mut self, a: __m256d, shifted: __m256d, next: bool) -> __m256d {
        // SAFETY: as in `bits`.
        unsafe {
            let n = _mm256_castpd_si256(shifted);
            let n = if next { _mm256_add_epi64(n, bits(1)) } else { n };
            let sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64::<62>(n)), _mm256_set1_pd(-0.0));
            _mm256_xor_pd(a, sign)
        }
    }

    #[inline(always)]
    fn rare(&mut self, m: __m256d, f: Rare, x: __m256d, y: __m256d) -> __m256d {
        // SAFETY: as in `bits`.
        let mask = unsafe { _mm256_movemask_pd(m) };
        if mask == 0 {
            return y;
        }
        let called = each(x, |_, x| rare(f, x));
        self.select(m, called, y)
    }

    #[inline(always)]
    fn rare_of_two(&mut self, m: __m256d, f: RareOfTwo, x: [__m256d; 2], y: __m256d) -> __m256d {
        // SAFETY: as in `bits`.
        let mask = unsafe { _mm256_movemask_pd(m) };
        if mask == 0 { y } else { some(mask, f, x, y) }
    }
}

impl Quad {
    /// Between −2044 and 2044; 2044 for NaN.
    #[inline(always)]
    fn clamp_order(&mut self, n: __m256d) -> __m256d {
        let (least, most) = (self.num(-2044.0), self.num(2044.0));
        let m = self.max_x(least, n);
        self.min_x(m, most)
    }
}

impl Lookup for Quad {
    #[inline(always)]
    fn entry(&mut self, mantissa: __m256d) -> [__m256d; 3] {
        // SAFETY: as in `bits`; each row is a vector.
        unsafe {
            let place = _mm256_sub_epi64(_mm256_castpd_si256(mantissa), bits(0.75f64.to_bits()));
            let place = places(_mm256_srli_epi64::<45>(place));
            // Loads and shuffles: gathering takes longer.
            let (a, b) =
                (_mm256_loadu_pd(TABLE[place[0]].as_ptr()), _mm256_loadu_pd(TABLE[place[1]].as_ptr()));
            let (c, d) =
                (_mm256_loadu_pd(TABLE[place[2]].as_ptr()), _mm256_loadu_pd(TABLE[place[3]].as_ptr()));
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (second_ab, second_cd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(second_ab, second_cd),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
            ]
        }
    }

    #[inline(always)]
    fn power(&mut self, shifted: __m256d) -> [__m256d; 2] {
        // SAFETY: as above; each row is half a vector.
        unsafe {
            let n = _mm256_castpd_si256(shifted);
            let more = _mm256_slli_epi64::<45>(_mm256_andnot_si256(bits(127), n));
            let place = places(n);
            let (a, b) = (_mm_loadu_pd(POWERS[place[0]].as_ptr()), _mm_loadu_pd(POWERS[place[1]].as_ptr()));
            let (c, d) = (_mm_loadu_pd(POWERS[place[2]].as_ptr()), _mm_loadu_pd(POWERS[place[3]].as_ptr()));
            let (ac, bd) = (_mm256_set_m128d(c, a), _mm256_set_m128d(d, b));
            let power = _mm256_castpd_si256(_mm256_unpacklo_pd(ac, bd));
            [_mm256_castsi256_pd(_mm256_add_epi64(power, more)), _mm256_unpackhi_pd(ac, bd)]
        }
    }
}

/// A function of two numbers one by one of the lanes of a mask.
#[cold]
fn some(mask: i32, f: RareOfTwo, [a, b]: [__m256d; 2], y: __m256d) -> __m256d {
    let mut all = [[0.0; 4]; 3];
    // SAFETY: there is room for four numbers in each.
    all.iter_mut().zip([a, b, y]).for_each(|(to, x)| unsafe { _mm256_storeu_pd(to.as_mut_ptr(), x) });
    let [a, b, mut y] = all;
    for i in (0..4).filter(|i| mask >> i & 1 != 0) {
        y[i] = rare_of_two(f, a[i], b[i]);
    }
    // SAFETY: there are four numbers.
    unsafe { _mm256_loadu_pd(y.as_ptr()) }
}

/// The last seven bits of every lane.
#[inline(always)]
fn places(x: __m256i) -> [usize; 4] {
    let mut y = [0u64; 4];
    // SAFETY: there is room for four numbers.
    unsafe { _mm256_storeu_si256(y.as_mut_ptr().cast(), x) };
    [(y[0] & 127) as usize, (y[1] & 127) as usize, (y[2] & 127) as usize, (y[3] & 127) as usize]
}

/// A function of numbers one by one, where lanes are hardly ever met for which that is needed.
#[cold]
fn each(x: __m256d, f: impl Fn(&mut Scalar, f64) -> f64) -> __m256d {
    let mut y = [0.0; 4];
    // SAFETY: there is room for four numbers.
    unsafe { _mm256_storeu_pd(y.as_mut_ptr(), x) };
    let y = y.map(|x| f(&mut Scalar, x));
    // SAFETY: there are four numbers.
    unsafe { _mm256_loadu_pd(y.as_ptr()) }
}
