//! Four numbers in a register of 256 bits, with AVX2 and fused multiply-adds.

use super::{Real, Whole};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// A register of 256 bits.
#[derive(Clone, Copy, Debug)]
pub struct One256(__m256d);

/// Integers in such a register: of 64 bits, below 2³⁰.
#[derive(Clone, Copy, Debug)]
pub struct Integers(__m256i);

/// Truth values in such a register: all bits of a number, or none.
#[derive(Clone, Copy, Debug)]
pub struct Truths(__m256d);

operators! { One256:
    Add add(a, b) = One256(_mm256_add_pd(a.0, b.0));
    Sub sub(a, b) = One256(_mm256_sub_pd(a.0, b.0));
    Mul mul(a, b) = One256(_mm256_mul_pd(a.0, b.0));
    Div div(a, b) = One256(_mm256_div_pd(a.0, b.0));
    Neg neg(a) = One256(_mm256_xor_pd(a.0, _mm256_set1_pd(-0.0)));
}
operators! { Integers:
    Add add(a, b) = Integers(_mm256_add_epi64(a.0, b.0));
    Sub sub(a, b) = Integers(_mm256_sub_epi64(a.0, b.0));
}
operators! { Truths:
    Not not(a) = Truths(_mm256_xor_pd(a.0, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))));
    BitAnd bitand(a, b) = Truths(_mm256_and_pd(a.0, b.0));
    BitOr bitor(a, b) = Truths(_mm256_or_pd(a.0, b.0));
}

impl One256 {
    /// The first numbers of a list, and zeros if there are not so many.
    ///
    /// # Safety
    /// The machine has the instructions.
    #[inline(always)]
    pub unsafe fn load(x: &[f64]) -> One256 {
        let mut four = [0.0; 4];
        let len = x.len().min(4);
        four[..len].copy_from_slice(&x[..len]);
        // SAFETY: the caller's promise; there are four numbers.
        unsafe { One256(_mm256_loadu_pd(if x.len() < 4 { four.as_ptr() } else { x.as_ptr() })) }
    }

    /// As many as there is room for.
    #[inline(always)]
    pub fn store(self, to: &mut [f64]) {
        let mut four = [0.0; 4];
        // SAFETY: as above; there is room for four numbers.
        unsafe { _mm256_storeu_pd(four.as_mut_ptr(), self.0) };
        let len = to.len().min(4);
        to[..len].copy_from_slice(&four[..len]);
    }
}

impl Truths {
    /// A bit for each number.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        // SAFETY: a value of the type says that the machine has the instructions.
        unsafe { _mm256_movemask_pd(self.0) as u32 }
    }

    #[inline(always)]
    fn of(m: __m256i) -> Truths {
        // SAFETY: as above.
        unsafe { Truths(_mm256_castsi256_pd(m)) }
    }
}

impl Integers {
    /// `a` where `m` holds, else `b`.
    #[inline(always)]
    fn blend(m: __m256i, a: Integers, b: Integers) -> Integers {
        // SAFETY: as above.
        unsafe { Integers(_mm256_blendv_epi8(b.0, a.0, m)) }
    }
}

impl Real for One256 {
    type Int = Integers;
    type Mask = Truths;
    of_self! {
        num(self, x: f64) -> One256 = One256(_mm256_set1_pd(x));
        fused_minus(self, b: One256, c: One256) -> One256 = One256(_mm256_fmsub_pd(self.0, b.0, c.0));
        flip(self, other: One256) -> One256 =
            One256(_mm256_xor_pd(self.0, _mm256_and_pd(other.0, _mm256_set1_pd(-0.0))));
        magnitude(self) -> One256 = One256(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0));
        rounded(self) -> One256 =
            One256(_mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0));
        exponent(self) -> Integers = {
            let bits = _mm256_srli_epi64::<52>(_mm256_castpd_si256(self.0));
            let biased = _mm256_and_si256(bits, _mm256_set1_epi64x(0x7ff));
            Integers(_mm256_sub_epi64(biased, _mm256_set1_epi64x(1023)))
        };
        whole(self) -> Integers = Integers(_mm256_cvtepi32_epi64(_mm256_cvttpd_epi32(self.0)));
        below(self, other: One256) -> Truths = Truths(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0));
        same(self, other: One256) -> Truths = Truths(_mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0));
    }
    methods! {
        of(n: Integers) -> One256 = {
            // The low halves of integers that fit into them.
            let low = _mm256_permutevar8x32_epi32(n.0, _mm256_set_epi32(0, 0, 0, 0, 6, 4, 2, 0));
            One256(_mm256_cvtepi32_pd(_mm256_castsi256_si128(low)))
        };
        choose(m: Truths, a: Integers, b: Integers) -> Integers = Integers::blend(_mm256_castpd_si256(m.0), a, b);
        power_of_two(n: Integers) -> One256 =
            One256(_mm256_castsi256_pd(_mm256_slli_epi64::<52>((n + n.num(1023)).0)));
        sign(n: Integers, bit: u32) -> One256 = {
            let bit = _mm256_srlv_epi64(n.0, _mm256_set1_epi64x(bit.into()));
            One256(_mm256_castsi256_pd(_mm256_slli_epi64::<63>(bit)))
        };
        odd(n: Integers) -> Truths = {
            let one = _mm256_set1_epi64x(1);
            Truths::of(_mm256_cmpeq_epi64(_mm256_and_si256(n.0, one), one))
        };
        none(n: Integers) -> Truths = Truths::of(_mm256_cmpeq_epi64(n.0, _mm256_setzero_si256()));
        pick(m: Truths, a: One256, b: One256) -> One256 = One256(_mm256_blendv_pd(b.0, a.0, m.0));
        all(m: Truths) -> bool = m.bits() == 15;
        any(m: Truths) -> bool = m.bits() != 0;
    }
    #[inline(always)]
    fn rows<const N: usize>(table: &'static [[f64; N]], at: Integers) -> [One256; N] {
        let at = at.least(at.num(table.len() as i32 - 1)).most(at.num(0));
        // SAFETY: as of the operators; no row is behind the last one, or before the first.
        unsafe {
            let at = _mm256_mul_epu32(at.0, _mm256_set1_epi64x(N as i64));
            let start = table.as_ptr().cast::<f64>();
            let mut row = [One256(_mm256_setzero_pd()); N];
            let mut k = 0;
            while k < N {
                row[k] = One256(_mm256_i64gather_pd::<8>(start.add(k), at));
                k += 1;
            }
            row
        }
    }
}

impl Whole for Integers {
    of_self! {
        num(self, x: i32) -> Integers = Integers(_mm256_set1_epi64x(x.into()));
        and(self, other: Integers) -> Integers = Integers(_mm256_and_si256(self.0, other.0));
        least(self, other: Integers) -> Integers = Integers::blend(_mm256_cmpgt_epi64(self.0, other.0), other, self);
        most(self, other: Integers) -> Integers = Integers::blend(_mm256_cmpgt_epi64(self.0, other.0), self, other);
    }
    #[inline(always)]
    fn down<const N: u32>(self) -> Integers {
        // Both halves of an integer that fits into one: the other one is its sign.
        // SAFETY: as of the operators.
        unsafe { Integers(_mm256_sra_epi32(self.0, _mm_cvtsi32_si128(N as i32))) }
    }
    #[inline(always)]
    fn up<const N: u32>(self) -> Integers {
        // SAFETY: as of the operators.
        unsafe { Integers(_mm256_sll_epi64(self.0, _mm_cvtsi32_si128(N as i32))) }
    }
}
