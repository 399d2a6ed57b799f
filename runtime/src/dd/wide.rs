//! Eight numbers at once, in the registers that a machine has: the same operations, each rounded once, and so the same bits in
//! each kind.
//!
//! A value of eight numbers says that the machine has the instructions for them. The methods are inlined into functions that are
//! compiled for these.

use std::ops::{Add, Mul, Neg, Sub};

/// Numbers at once.
pub const LANES: usize = 8;
/// In memory.
pub type Lanes = [f64; LANES];

/// Eight numbers with a fused multiply-add, in registers of any kind.
pub trait Wide:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Numbers from memory.
    ///
    /// # Safety
    /// The machine has the type's instructions.
    unsafe fn load(x: &Lanes) -> Self;
    /// The first numbers of a list, and zeros if there are not so many.
    ///
    /// # Safety
    /// As of [`Wide::load`].
    #[inline(always)]
    unsafe fn load_some(x: &[f64]) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::load(&std::array::from_fn(|l| x.get(l).copied().unwrap_or(0.0))) }
    }
    /// Into memory.
    fn store(self) -> Lanes;
    /// As many as there is room for.
    #[inline(always)]
    fn store_some(self, to: &mut [f64]) {
        to.iter_mut().zip(self.store()).for_each(|(to, x)| *to = x);
    }
    /// Without its sign.
    fn size(self) -> Self;
    /// `self b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
}

/// Methods and operators by their bodies.
macro_rules! operators {
    ($type:ident: $($trait:ident $name:ident($a:ident $(, $b:ident)?) = $body:expr;)*) => {
        $(impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $name(self $(, $b: $type)?) -> $type {
                let $a = self;
                // SAFETY: a value of the type says that the machine has the instructions.
                #[allow(unused_unsafe)]
                unsafe { $body }
            }
        })*
    };
}

/// Doubles one by one, on any machine.
#[derive(Clone, Copy, Debug)]
pub struct Plain(Lanes);

operators! { Plain:
    Add add(a, b) = Plain(std::array::from_fn(|l| a.0[l] + b.0[l]));
    Sub sub(a, b) = Plain(std::array::from_fn(|l| a.0[l] - b.0[l]));
    Mul mul(a, b) = Plain(std::array::from_fn(|l| a.0[l] * b.0[l]));
    Neg neg(a) = Plain(a.0.map(|a| -a));
}

impl Wide for Plain {
    #[inline(always)]
    unsafe fn load(x: &Lanes) -> Plain {
        Plain(*x)
    }
    #[inline(always)]
    fn store(self) -> Lanes {
        self.0
    }
    #[inline(always)]
    fn size(self) -> Plain {
        Plain(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn mul_add(self, b: Plain, c: Plain) -> Plain {
        Plain(std::array::from_fn(|l| self.0[l].mul_add(b.0[l], c.0[l])))
    }
}

#[cfg(target_arch = "x86_64")]
pub use registers::{One512, Two256};

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::{LANES, Lanes, Wide};
    use std::arch::x86_64::*;
    use std::ops::{Add, Mul, Neg, Sub};

    /// Two registers of 256 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Two256([__m256d; 2]);

    /// A register of 512 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct One512(__m512d);

    operators! { Two256:
        Add add(a, b) = Two256([_mm256_add_pd(a.0[0], b.0[0]), _mm256_add_pd(a.0[1], b.0[1])]);
        Sub sub(a, b) = Two256([_mm256_sub_pd(a.0[0], b.0[0]), _mm256_sub_pd(a.0[1], b.0[1])]);
        Mul mul(a, b) = Two256([_mm256_mul_pd(a.0[0], b.0[0]), _mm256_mul_pd(a.0[1], b.0[1])]);
        Neg neg(a) = {
            let sign = _mm256_set1_pd(-0.0);
            Two256([_mm256_xor_pd(a.0[0], sign), _mm256_xor_pd(a.0[1], sign)])
        };
    }

    impl Wide for Two256 {
        #[inline(always)]
        unsafe fn load(x: &Lanes) -> Two256 {
            // SAFETY: the caller's promise; there are eight numbers.
            unsafe { Two256([_mm256_loadu_pd(x.as_ptr()), _mm256_loadu_pd(x.as_ptr().add(4))]) }
        }
        #[inline(always)]
        fn store(self) -> Lanes {
            let mut x = [0.0; LANES];
            // SAFETY: as of the operators; there is room for eight numbers.
            unsafe {
                _mm256_storeu_pd(x.as_mut_ptr(), self.0[0]);
                _mm256_storeu_pd(x.as_mut_ptr().add(4), self.0[1]);
            }
            x
        }
        #[inline(always)]
        fn size(self) -> Two256 {
            // SAFETY: as of the operators.
            unsafe {
                let sign = _mm256_set1_pd(-0.0);
                Two256([_mm256_andnot_pd(sign, self.0[0]), _mm256_andnot_pd(sign, self.0[1])])
            }
        }
        #[inline(always)]
        fn mul_add(self, b: Two256, c: Two256) -> Two256 {
            // SAFETY: as of the operators.
            unsafe {
                let half =
                    [_mm256_fmadd_pd(self.0[0], b.0[0], c.0[0]), _mm256_fmadd_pd(self.0[1], b.0[1], c.0[1])];
                Two256(half)
            }
        }
    }

    operators! { One512:
        Add add(a, b) = One512(_mm512_add_pd(a.0, b.0));
        Sub sub(a, b) = One512(_mm512_sub_pd(a.0, b.0));
        Mul mul(a, b) = One512(_mm512_mul_pd(a.0, b.0));
        Neg neg(a) = {
            let sign = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            One512(_mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(a.0), sign)))
        };
    }

    impl Wide for One512 {
        #[inline(always)]
        unsafe fn load(x: &Lanes) -> One512 {
            // SAFETY: the caller's promise; there are eight numbers.
            unsafe { One512(_mm512_loadu_pd(x.as_ptr())) }
        }
        #[inline(always)]
        fn store(self) -> Lanes {
            let mut x = [0.0; LANES];
            // SAFETY: as of the operators; there is room for eight numbers.
            unsafe { _mm512_storeu_pd(x.as_mut_ptr(), self.0) };
            x
        }
        #[inline(always)]
        unsafe fn load_some(x: &[f64]) -> One512 {
            // SAFETY: the caller's promise; only numbers of the list are read.
            unsafe { One512(_mm512_maskz_loadu_pd(first(x.len()), x.as_ptr())) }
        }
        #[inline(always)]
        fn store_some(self, to: &mut [f64]) {
            // SAFETY: as of the operators; only numbers of the list are written.
            unsafe { _mm512_mask_storeu_pd(to.as_mut_ptr(), first(to.len()), self.0) }
        }
        #[inline(always)]
        fn size(self) -> One512 {
            // SAFETY: as of the operators.
            unsafe { One512(_mm512_abs_pd(self.0)) }
        }
        #[inline(always)]
        fn mul_add(self, b: One512, c: One512) -> One512 {
            // SAFETY: as of the operators.
            unsafe { One512(_mm512_fmadd_pd(self.0, b.0, c.0)) }
        }
    }

    /// So many lanes.
    #[inline(always)]
    fn first(count: usize) -> __mmask8 {
        if count >= LANES { 0xff } else { (1u8 << count) - 1 }
    }
}
