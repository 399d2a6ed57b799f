//! Numbers that double-doubles are made of: one double, or eight at once in a register. Both do the same operations, each rounded
//! once, and so give the same bits.
//!
//! A value of eight numbers says that the machine has the instructions for them. The methods are inlined into functions that are
//! compiled for these.

use super::arith::exponent;
use super::exact;
use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// A double, or several.
pub trait Real:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Integers, as many.
    type Int: Whole;
    /// Truth values, as many.
    type Mask: Copy + Not<Output = Self::Mask> + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;
    /// `x` for each.
    fn num(self, x: f64) -> Self;
    /// `self b − c`, rounded once.
    fn fused_minus(self, b: Self, c: Self) -> Self;
    /// The same with the other sign where that of `other` is set.
    fn flip(self, other: Self) -> Self;
    /// Without its sign.
    fn magnitude(self) -> Self;
    /// The nearest integer, ties to even.
    fn rounded(self) -> Self;
    /// Itself, being an integer below 2³⁰; else that without its fraction, if it is positive.
    fn whole(self) -> Self::Int;
    /// An integer as a double.
    fn of(n: Self::Int) -> Self;
    /// The integer e with `2^e <= |self| < 2^(e+1)`, if it is a normal number.
    fn exponent(self) -> Self::Int;
    /// `a` where `m` holds, else `b`.
    fn choose(m: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `2^n` for −1022 <= n <= 1023.
    fn power_of_two(n: Self::Int) -> Self;
    /// −0 where bit number `bit` of `n` is set, else 0.
    fn sign(n: Self::Int, bit: u32) -> Self;
    /// Where it is below.
    fn below(self, other: Self) -> Self::Mask;
    /// Where both are equal.
    fn same(self, other: Self) -> Self::Mask;
    /// Where `n` is odd.
    fn odd(n: Self::Int) -> Self::Mask;
    /// Where `n` is 0.
    fn none(n: Self::Int) -> Self::Mask;
    /// `a` where `m` holds, else `b`.
    fn pick(m: Self::Mask, a: Self, b: Self) -> Self;
    /// Whether it holds everywhere.
    fn all(m: Self::Mask) -> bool;
    /// Whether it holds somewhere.
    fn any(m: Self::Mask) -> bool;
    /// The rows of a table.
    fn rows<const N: usize>(table: &'static [[f64; N]], at: Self::Int) -> [Self; N];
}

/// Integers below 2³⁰.
pub trait Whole: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// `x` for each.
    fn num(self, x: i32) -> Self;
    /// Half of it, so many times, rounded down.
    fn down<const N: u32>(self) -> Self;
    /// Twice it, so many times.
    fn up<const N: u32>(self) -> Self;
    /// The bits that both have.
    fn and(self, other: Self) -> Self;
    /// The smaller one.
    fn least(self, other: Self) -> Self;
    /// The larger one.
    fn most(self, other: Self) -> Self;
}

/// `$a` where `$m` holds, else `$b`: numbers of type [`super::Dd`], computed where needed.
macro_rules! either {
    ($r:ident, $m:expr, $a:expr, $b:expr) => {{
        let m = $m;
        if $r::all(m) {
            $a
        } else if !$r::any(m) {
            $b
        } else {
            $crate::dd::arith::Dd::pick(m, $a, $b)
        }
    }};
}
pub(super) use either;

impl Real for f64 {
    type Int = i32;
    type Mask = bool;
    #[inline(always)]
    fn num(self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn fused_minus(self, b: f64, c: f64) -> f64 {
        exact::fused_minus(self, b, c)
    }
    #[inline(always)]
    fn flip(self, other: f64) -> f64 {
        f64::from_bits(self.to_bits() ^ (other.to_bits() & (1 << 63)))
    }
    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn rounded(self) -> f64 {
        self.round_ties_even()
    }
    #[inline(always)]
    fn whole(self) -> i32 {
        self as i32
    }
    #[inline(always)]
    fn of(n: i32) -> f64 {
        n.into()
    }
    #[inline(always)]
    fn exponent(self) -> i32 {
        exponent(self)
    }
    #[inline(always)]
    fn choose(m: bool, a: i32, b: i32) -> i32 {
        if m { a } else { b }
    }
    #[inline(always)]
    fn power_of_two(n: i32) -> f64 {
        f64::from_bits(((n + 1023) as u64) << 52)
    }
    #[inline(always)]
    fn sign(n: i32, bit: u32) -> f64 {
        f64::from_bits((n as u64 >> bit) << 63)
    }
    #[inline(always)]
    fn below(self, other: f64) -> bool {
        self < other
    }
    #[inline(always)]
    fn same(self, other: f64) -> bool {
        self == other
    }
    #[inline(always)]
    fn odd(n: i32) -> bool {
        n & 1 != 0
    }
    #[inline(always)]
    fn none(n: i32) -> bool {
        n == 0
    }
    #[inline(always)]
    fn pick(m: bool, a: f64, b: f64) -> f64 {
        if m { a } else { b }
    }
    #[inline(always)]
    fn all(m: bool) -> bool {
        m
    }
    #[inline(always)]
    fn any(m: bool) -> bool {
        m
    }
    #[inline(always)]
    fn rows<const N: usize>(table: &'static [[f64; N]], at: i32) -> [f64; N] {
        table[at as usize]
    }
}

impl Whole for i32 {
    #[inline(always)]
    fn num(self, x: i32) -> i32 {
        x
    }
    #[inline(always)]
    fn down<const N: u32>(self) -> i32 {
        self >> N
    }
    #[inline(always)]
    fn up<const N: u32>(self) -> i32 {
        self << N
    }
    #[inline(always)]
    fn and(self, other: i32) -> i32 {
        self & other
    }
    #[inline(always)]
    fn least(self, other: i32) -> i32 {
        self.min(other)
    }
    #[inline(always)]
    fn most(self, other: i32) -> i32 {
        self.max(other)
    }
}

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
    /// Columns of a matrix with these rows.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
}

/// Lanes by the bits of a number, the first one by the lowest bit.
pub type Active = u8;
/// All of them.
pub const ALL: Active = 0xff;

/// Eight numbers of which some count.
pub trait Masked: Wide {
    /// How many values there are registers for.
    const REGISTERS: usize;
    /// The lanes of each register.
    const PARTS: &'static [Active];
    /// `x` in each lane.
    ///
    /// # Safety
    /// As of [`Wide::load`].
    unsafe fn splat(x: f64) -> Self;
    /// Numbers from memory, and zeros in the other lanes.
    ///
    /// # Safety
    /// As of [`Wide::load`]; memory of active lanes is readable.
    unsafe fn load_lanes(from: *const f64, active: Active) -> Self;
    /// Into memory.
    ///
    /// # Safety
    /// Memory of active lanes is writable.
    unsafe fn store_lanes(self, to: *mut f64, active: Active);
    /// Itself in active lanes, `other` in the others.
    fn where_active(self, active: Active, other: Self) -> Self;
    /// Neighbours exchanged: 1 and 0, 3 and 2, and so on.
    fn swapped(self) -> Self;
    /// The sum of each one's lanes: of l and l + 4, then of those of l and l + 2, then of the two. They are the same bits if all lanes are
    /// moved around by as many.
    fn sums(v: [Self; LANES]) -> Lanes;
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

/// Functions by their bodies.
#[cfg(target_arch = "x86_64")]
macro_rules! methods {
    ($($name:ident($($x:ident: $t:ty),*) -> $r:ty = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name($($x: $t),*) -> $r {
            // SAFETY: as of the operators.
            #[allow(unused_unsafe)]
            unsafe { $body }
        })*
    };
}

/// The same of methods.
#[cfg(target_arch = "x86_64")]
macro_rules! of_self {
    ($($name:ident($self:ident $(, $x:ident: $t:ty)*) -> $r:ty = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name($self $(, $x: $t)*) -> $r {
            // SAFETY: as of the operators.
            #[allow(unused_unsafe)]
            unsafe { $body }
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
    #[inline(always)]
    fn transposed(rows: [Plain; LANES]) -> [Plain; LANES] {
        std::array::from_fn(|l| Plain(rows.map(|row| row.0[l])))
    }
}

impl Masked for Plain {
    // As of 16 registers of 128 bits.
    const REGISTERS: usize = 4;
    const PARTS: &'static [Active] = &[3, 12, 48, 192];
    #[inline(always)]
    unsafe fn splat(x: f64) -> Plain {
        Plain([x; LANES])
    }
    #[inline(always)]
    unsafe fn load_lanes(from: *const f64, active: Active) -> Plain {
        // SAFETY: the caller's promise.
        let lane = |l: usize| if active >> l & 1 == 1 { unsafe { *from.wrapping_add(l) } } else { 0.0 };
        Plain(std::array::from_fn(lane))
    }
    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut f64, active: Active) {
        let lanes = self.0.iter().enumerate().filter(|(l, _)| active >> l & 1 == 1);
        // SAFETY: the caller's promise.
        lanes.for_each(|(l, x)| unsafe { to.wrapping_add(l).write(*x) });
    }
    #[inline(always)]
    fn where_active(self, active: Active, other: Plain) -> Plain {
        Plain(std::array::from_fn(|l| if active >> l & 1 == 1 { self.0[l] } else { other.0[l] }))
    }
    #[inline(always)]
    fn swapped(self) -> Plain {
        Plain(std::array::from_fn(|l| self.0[l ^ 1]))
    }
    #[inline(always)]
    fn sums(v: [Plain; LANES]) -> Lanes {
        v.map(|Plain(x)| {
            let four = |l: usize| x[l] + x[l + 4];
            (four(0) + four(2)) + (four(1) + four(3))
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod four;
#[cfg(target_arch = "x86_64")]
pub use four::One256;
#[cfg(target_arch = "x86_64")]
pub use registers::{One512, Two256, Two512};

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::*;
    use std::arch::x86_64::*;
    use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

    /// Two registers of 256 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Two256([__m256d; 2]);

    /// A register of 512 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct One512(__m512d);

    /// Integers in a register of 512 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Integers(__m512i);

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
        #[inline(always)]
        fn transposed(rows: [Two256; LANES]) -> [Two256; LANES] {
            // SAFETY: as of the operators.
            unsafe {
                let mut columns = rows;
                let mut half = 0;
                // Both halves of four columns, from eight rows.
                while half < 2 {
                    let mut part = 0;
                    while part < 2 {
                        let at = 4 * part;
                        let [a, b] = [rows[at].0[half], rows[at + 1].0[half]];
                        let [c, d] = [rows[at + 2].0[half], rows[at + 3].0[half]];
                        let [low, high] = [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)];
                        let [low2, high2] = [_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)];
                        columns[4 * half].0[part] = _mm256_permute2f128_pd::<0x20>(low, low2);
                        columns[4 * half + 1].0[part] = _mm256_permute2f128_pd::<0x20>(high, high2);
                        columns[4 * half + 2].0[part] = _mm256_permute2f128_pd::<0x31>(low, low2);
                        columns[4 * half + 3].0[part] = _mm256_permute2f128_pd::<0x31>(high, high2);
                        part += 1;
                    }
                    half += 1;
                }
                columns
            }
        }
    }

    /// The halves of a mask.
    #[inline(always)]
    fn of_halves(active: Active) -> [Active; 2] {
        [active & 15, active >> 4]
    }

    /// All bits of the active ones of four lanes.
    ///
    /// # Safety
    /// As of [`Wide::load`].
    #[inline(always)]
    unsafe fn bits(active: Active) -> __m256i {
        // SAFETY: the caller's promise.
        unsafe {
            let lanes = _mm256_set_epi64x(8, 4, 2, 1);
            _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(active.into()), lanes), lanes)
        }
    }

    /// Active ones of four lanes. With a mask some processors wait for what was stored just before.
    ///
    /// # Safety
    /// As of [`Masked::load_lanes`].
    #[inline(always)]
    unsafe fn load_half(from: *const f64, active: Active) -> __m256d {
        // SAFETY: the caller's promise; only active lanes are read.
        unsafe { if active == 15 { _mm256_loadu_pd(from) } else { _mm256_maskload_pd(from, bits(active)) } }
    }

    impl Masked for Two256 {
        const REGISTERS: usize = 8;
        const PARTS: &'static [Active] = &[15, 240];
        #[inline(always)]
        unsafe fn splat(x: f64) -> Two256 {
            // SAFETY: the caller's promise.
            unsafe { Two256([_mm256_set1_pd(x); 2]) }
        }
        #[inline(always)]
        unsafe fn load_lanes(from: *const f64, active: Active) -> Two256 {
            let [low, high] = of_halves(active);
            // SAFETY: the caller's promise.
            unsafe { Two256([load_half(from, low), load_half(from.wrapping_add(4), high)]) }
        }
        #[inline(always)]
        unsafe fn store_lanes(self, to: *mut f64, active: Active) {
            let mut half = 0;
            while half < 2 {
                let (to, active) = (to.wrapping_add(4 * half), of_halves(active)[half]);
                // SAFETY: the caller's promise; only active lanes are written. Some processors take much longer with a mask.
                unsafe {
                    match active {
                        0 => {}
                        15 => _mm256_storeu_pd(to, self.0[half]),
                        _ => _mm256_maskstore_pd(to, bits(active), self.0[half]),
                    }
                }
                half += 1;
            }
        }
        #[inline(always)]
        fn where_active(self, active: Active, other: Two256) -> Two256 {
            if active == ALL {
                return self;
            }
            let [low, high] = of_halves(active);
            // SAFETY: as of the operators.
            unsafe {
                let low = _mm256_blendv_pd(other.0[0], self.0[0], _mm256_castsi256_pd(bits(low)));
                Two256([low, _mm256_blendv_pd(other.0[1], self.0[1], _mm256_castsi256_pd(bits(high)))])
            }
        }
        #[inline(always)]
        fn swapped(self) -> Two256 {
            // SAFETY: as of the operators.
            unsafe { Two256([_mm256_permute_pd::<5>(self.0[0]), _mm256_permute_pd::<5>(self.0[1])]) }
        }
        #[inline(always)]
        fn sums(v: [Two256; LANES]) -> Lanes {
            // SAFETY: as of the operators.
            unsafe {
                let mut four = [_mm256_setzero_pd(); 2];
                let mut k = 0;
                while k < 2 {
                    // Two sums of each of two: of the first and the third, of the second and the fourth.
                    let mut two = [_mm256_setzero_pd(); 2];
                    let mut j = 0;
                    while j < 2 {
                        let (a, b) = (v[4 * k + j].0, v[4 * k + 2 + j].0);
                        let (a, b) = (_mm256_add_pd(a[0], a[1]), _mm256_add_pd(b[0], b[1]));
                        let low = _mm256_permute2f128_pd::<0x20>(a, b);
                        two[j] = _mm256_add_pd(low, _mm256_permute2f128_pd::<0x31>(a, b));
                        j += 1;
                    }
                    let low = _mm256_unpacklo_pd(two[0], two[1]);
                    four[k] = _mm256_add_pd(low, _mm256_unpackhi_pd(two[0], two[1]));
                    k += 1;
                }
                Two256(four).store()
            }
        }
    }

    operators! { One512:
        Add add(a, b) = One512(_mm512_add_pd(a.0, b.0));
        Sub sub(a, b) = One512(_mm512_sub_pd(a.0, b.0));
        Mul mul(a, b) = One512(_mm512_mul_pd(a.0, b.0));
        Div div(a, b) = One512(_mm512_div_pd(a.0, b.0));
        Neg neg(a) = One512(xor(a.0, _mm512_set1_pd(-0.0)));
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
        #[inline(always)]
        fn transposed(rows: [One512; LANES]) -> [One512; LANES] {
            // SAFETY: as of the operators.
            unsafe {
                // Pairs of two rows, then quarters of four, then all eight.
                let mut pairs = rows;
                let mut k = 0;
                while k < LANES {
                    let (a, b) = (rows[k].0, rows[k + 1].0);
                    (pairs[k], pairs[k + 1]) =
                        (One512(_mm512_unpacklo_pd(a, b)), One512(_mm512_unpackhi_pd(a, b)));
                    k += 2;
                }
                let mut columns = pairs;
                let mut odd = 0;
                while odd < 2 {
                    let [a, b, c, d] = [0, 2, 4, 6].map(|k| pairs[k + odd].0);
                    let (even, even2) =
                        (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
                    let (other, other2) =
                        (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
                    columns[odd] = One512(_mm512_shuffle_f64x2::<0x88>(even, even2));
                    columns[odd + 4] = One512(_mm512_shuffle_f64x2::<0xdd>(even, even2));
                    columns[odd + 2] = One512(_mm512_shuffle_f64x2::<0x88>(other, other2));
                    columns[odd + 6] = One512(_mm512_shuffle_f64x2::<0xdd>(other, other2));
                    odd += 1;
                }
                columns
            }
        }
    }

    impl Masked for One512 {
        const REGISTERS: usize = 32;
        const PARTS: &'static [Active] = &[ALL];
        #[inline(always)]
        unsafe fn splat(x: f64) -> One512 {
            // SAFETY: the caller's promise.
            unsafe { One512(_mm512_set1_pd(x)) }
        }
        #[inline(always)]
        unsafe fn load_lanes(from: *const f64, active: Active) -> One512 {
            // SAFETY: the caller's promise; only active lanes are read.
            unsafe { One512(_mm512_maskz_loadu_pd(active, from)) }
        }
        #[inline(always)]
        unsafe fn store_lanes(self, to: *mut f64, active: Active) {
            // SAFETY: the caller's promise; only active lanes are written.
            unsafe { _mm512_mask_storeu_pd(to, active, self.0) }
        }
        #[inline(always)]
        fn where_active(self, active: Active, other: One512) -> One512 {
            // SAFETY: as of the operators.
            unsafe { One512(_mm512_mask_mov_pd(other.0, active, self.0)) }
        }
        #[inline(always)]
        fn swapped(self) -> One512 {
            // SAFETY: as of the operators.
            unsafe { One512(_mm512_permute_pd::<0x55>(self.0)) }
        }
        #[inline(always)]
        fn sums(v: [One512; LANES]) -> Lanes {
            // SAFETY: as of the operators.
            unsafe {
                let mut four = [_mm512_setzero_pd(); 2];
                let mut k = 0;
                while k < 2 {
                    // Four sums of each of two, then two of each of four.
                    let mut two = [_mm512_setzero_pd(); 2];
                    let mut j = 0;
                    while j < 2 {
                        let (a, b) = (v[4 * j + k].0, v[4 * j + 2 + k].0);
                        let low = _mm512_shuffle_f64x2::<0x44>(a, b);
                        two[j] = _mm512_add_pd(low, _mm512_shuffle_f64x2::<0xee>(a, b));
                        j += 1;
                    }
                    let even = _mm512_shuffle_f64x2::<0x88>(two[0], two[1]);
                    four[k] = _mm512_add_pd(even, _mm512_shuffle_f64x2::<0xdd>(two[0], two[1]));
                    k += 1;
                }
                let low = _mm512_unpacklo_pd(four[0], four[1]);
                One512(_mm512_add_pd(low, _mm512_unpackhi_pd(four[0], four[1]))).store()
            }
        }
    }

    /// So many lanes.
    #[inline(always)]
    fn first(count: usize) -> __mmask8 {
        if count >= LANES { 0xff } else { (1u8 << count) - 1 }
    }

    #[inline(always)]
    fn xor(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as of the operators.
        unsafe { _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(a), _mm512_castpd_si512(b))) }
    }

    #[inline(always)]
    fn and(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as of the operators.
        unsafe { _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(a), _mm512_castpd_si512(b))) }
    }

    impl Real for One512 {
        type Int = Integers;
        type Mask = __mmask8;
        of_self! {
            num(self, x: f64) -> One512 = One512(_mm512_set1_pd(x));
            fused_minus(self, b: One512, c: One512) -> One512 = One512(_mm512_fmsub_pd(self.0, b.0, c.0));
            flip(self, other: One512) -> One512 = One512(xor(self.0, and(other.0, _mm512_set1_pd(-0.0))));
            magnitude(self) -> One512 = One512(_mm512_abs_pd(self.0));
            rounded(self) -> One512 =
                One512(_mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0));
            exponent(self) -> Integers = {
                let bits = _mm512_srli_epi64::<52>(_mm512_castpd_si512(self.0));
                let biased = _mm512_and_si512(bits, _mm512_set1_epi64(0x7ff));
                Integers(_mm512_sub_epi64(biased, _mm512_set1_epi64(1023)))
            };
            whole(self) -> Integers = Integers(_mm512_cvttpd_epi64(self.0));
            below(self, other: One512) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0);
            same(self, other: One512) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, other.0);
        }
        methods! {
            of(n: Integers) -> One512 = One512(_mm512_cvtepi64_pd(n.0));
            choose(m: __mmask8, a: Integers, b: Integers) -> Integers = Integers(_mm512_mask_blend_epi64(m, b.0, a.0));
            power_of_two(n: Integers) -> One512 =
                One512(_mm512_castsi512_pd(_mm512_slli_epi64::<52>((n + n.num(1023)).0)));
            sign(n: Integers, bit: u32) -> One512 =
                One512(_mm512_castsi512_pd(_mm512_slli_epi64::<63>(_mm512_srlv_epi64(n.0, _mm512_set1_epi64(bit.into())))));
            odd(n: Integers) -> __mmask8 = _mm512_test_epi64_mask(n.0, _mm512_set1_epi64(1));
            none(n: Integers) -> __mmask8 = _mm512_testn_epi64_mask(n.0, n.0);
            pick(m: __mmask8, a: One512, b: One512) -> One512 = One512(_mm512_mask_blend_pd(m, b.0, a.0));
            all(m: __mmask8) -> bool = m == 0xff;
            any(m: __mmask8) -> bool = m != 0;
        }
        #[inline(always)]
        fn rows<const N: usize>(table: &'static [[f64; N]], at: Integers) -> [One512; N] {
            // SAFETY: as of the operators; no row is behind the last one, or before the first.
            unsafe {
                let last = _mm512_set1_epi64(table.len() as i64 - 1);
                let at = _mm512_max_epi64(_mm512_min_epi64(at.0, last), _mm512_setzero_si512());
                let at = _mm512_mullox_epi64(at, _mm512_set1_epi64(N as i64));
                let start = table.as_ptr().cast::<f64>();
                let mut row = [One512(_mm512_setzero_pd()); N];
                let mut k = 0;
                while k < N {
                    row[k] = One512(_mm512_i64gather_pd::<8>(at, start.add(k)));
                    k += 1;
                }
                row
            }
        }
    }

    operators! { Integers:
        Add add(a, b) = Integers(_mm512_add_epi64(a.0, b.0));
        Sub sub(a, b) = Integers(_mm512_sub_epi64(a.0, b.0));
    }

    impl Whole for Integers {
        of_self! {
            num(self, x: i32) -> Integers = Integers(_mm512_set1_epi64(x.into()));
            and(self, other: Integers) -> Integers = Integers(_mm512_and_si512(self.0, other.0));
            least(self, other: Integers) -> Integers = Integers(_mm512_min_epi64(self.0, other.0));
            most(self, other: Integers) -> Integers = Integers(_mm512_max_epi64(self.0, other.0));
        }
        #[inline(always)]
        fn down<const N: u32>(self) -> Integers {
            // SAFETY: as of the operators.
            unsafe { Integers(_mm512_srai_epi64::<N>(self.0)) }
        }
        #[inline(always)]
        fn up<const N: u32>(self) -> Integers {
            // SAFETY: as of the operators.
            unsafe { Integers(_mm512_slli_epi64::<N>(self.0)) }
        }
    }

    /// Two registers of 512 bits: while one waits for a result, the other computes.
    #[derive(Clone, Copy, Debug)]
    pub struct Two512(pub [One512; 2]);

    /// Integers of both.
    #[derive(Clone, Copy, Debug)]
    pub struct TwoIntegers([Integers; 2]);

    /// Truth values of both.
    #[derive(Clone, Copy, Debug)]
    pub struct TwoMasks(pub [__mmask8; 2]);

    /// What `$body` is for the first of two values, and for the second. No closure, which would not be compiled for the registers.
    macro_rules! of_each {
        ($r:ident [$($x:ident = $own:expr),*] $body:expr) => {
            $r([{ $(let $x = $own.0[0];)* $body }, { $(let $x = $own.0[1];)* $body }])
        };
    }

    /// Operators of two by those of one.
    macro_rules! operators_of_each {
        ($type:ident: $($trait:ident $name:ident($a:ident $(, $b:ident)?) = $body:expr;)*) => {
            $(impl $trait for $type {
                type Output = $type;
                #[inline(always)]
                fn $name(self $(, $b: $type)?) -> $type {
                    of_each!($type [$a = self $(, $b = $b)?] $body)
                }
            })*
        };
    }

    operators_of_each! { Two512:
        Add add(a, b) = a + b;
        Sub sub(a, b) = a - b;
        Mul mul(a, b) = a * b;
        Div div(a, b) = a / b;
        Neg neg(a) = -a;
    }
    operators_of_each! { TwoIntegers:
        Add add(a, b) = a + b;
        Sub sub(a, b) = a - b;
    }
    operators_of_each! { TwoMasks:
        Not not(a) = !a;
        BitAnd bitand(a, b) = a & b;
        BitOr bitor(a, b) = a | b;
    }

    /// Methods of two by those of one, which the name before the body stands for. Operands behind a semicolon are the same for both.
    macro_rules! methods_of_each {
        ($($name:ident($self:ident $(, $x:ident: $two:ident)* $(; $y:ident: $t:ty)?) -> $r:ident = $a:ident $body:expr;)*) => {
            $(#[inline(always)]
            fn $name($self $(, $x: $two)* $(, $y: $t)?) -> $r {
                of_each!($r [$a = $self $(, $x = $x)*] $body)
            })*
        };
    }

    /// The same without `self`.
    macro_rules! functions_of_each {
        ($($name:ident($($x:ident: $two:ident),* $(; $y:ident: $t:ty)?) -> $r:ident = $body:expr;)*) => {
            $(#[inline(always)]
            fn $name($($x: $two,)* $($y: $t)?) -> $r {
                of_each!($r [$($x = $x),*] $body)
            })*
        };
    }

    impl Real for Two512 {
        type Int = TwoIntegers;
        type Mask = TwoMasks;
        methods_of_each! {
            num(self; x: f64) -> Two512 = a a.num(x);
            fused_minus(self, b: Two512, c: Two512) -> Two512 = a a.fused_minus(b, c);
            flip(self, other: Two512) -> Two512 = a a.flip(other);
            magnitude(self) -> Two512 = a a.magnitude();
            rounded(self) -> Two512 = a a.rounded();
            exponent(self) -> TwoIntegers = a a.exponent();
            whole(self) -> TwoIntegers = a a.whole();
            below(self, other: Two512) -> TwoMasks = a a.below(other);
            same(self, other: Two512) -> TwoMasks = a a.same(other);
        }
        functions_of_each! {
            of(n: TwoIntegers) -> Two512 = One512::of(n);
            choose(m: TwoMasks, a: TwoIntegers, b: TwoIntegers) -> TwoIntegers = One512::choose(m, a, b);
            power_of_two(n: TwoIntegers) -> Two512 = One512::power_of_two(n);
            sign(n: TwoIntegers; bit: u32) -> Two512 = One512::sign(n, bit);
            odd(n: TwoIntegers) -> TwoMasks = One512::odd(n);
            none(n: TwoIntegers) -> TwoMasks = One512::none(n);
            pick(m: TwoMasks, a: Two512, b: Two512) -> Two512 = One512::pick(m, a, b);
        }
        #[inline(always)]
        fn all(m: TwoMasks) -> bool {
            m.0 == [0xff; 2]
        }
        #[inline(always)]
        fn any(m: TwoMasks) -> bool {
            m.0 != [0; 2]
        }
        #[inline(always)]
        fn rows<const N: usize>(table: &'static [[f64; N]], at: TwoIntegers) -> [Two512; N] {
            let (first, second) = (One512::rows(table, at.0[0]), One512::rows(table, at.0[1]));
            let mut row = [Two512([first[0]; 2]); N];
            let mut k = 0;
            while k < N {
                row[k] = Two512([first[k], second[k]]);
                k += 1;
            }
            row
        }
    }

    impl Whole for TwoIntegers {
        methods_of_each! {
            num(self; x: i32) -> TwoIntegers = a a.num(x);
            and(self, other: TwoIntegers) -> TwoIntegers = a a.and(other);
            least(self, other: TwoIntegers) -> TwoIntegers = a a.least(other);
            most(self, other: TwoIntegers) -> TwoIntegers = a a.most(other);
        }
        #[inline(always)]
        fn down<const N: u32>(self) -> TwoIntegers {
            of_each!(TwoIntegers [a = self] a.down::<N>())
        }
        #[inline(always)]
        fn up<const N: u32>(self) -> TwoIntegers {
            of_each!(TwoIntegers [a = self] a.up::<N>())
        }
    }
}
