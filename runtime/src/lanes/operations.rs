//! The operations that programs over lanes are made of.

/// What is added to a number has its nearest integer in the low bits: 1.5 · 2⁵². Ties to even.
pub const SHIFT: f64 = 6_755_399_441_055_744.0;
/// The same, and the bias of exponents: 52 places to the left, the bits are those of a power of two. Ties to odd.
pub const SHIFT_BIASED: f64 = SHIFT + 1023.0;

/// The functions [`Lanes::rare`] can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rare {
    /// [`crate::real::sin`]
    Sin,
    /// [`crate::real::cos`]
    Cos,
    /// [`crate::real::tan`]
    Tan,
}

/// The functions [`Lanes::rare_of_two`] can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RareOfTwo {
    /// [`crate::real::pow`]
    Pow,
    /// [`crate::real::atan2`]
    Atan2,
}

/// A program for numbers of every kind, of a function that has a shorter one for most. (A type rather than a closure: a closure is not
/// always inlined, and then not compiled for the instructions of the lanes.)
pub trait Anywhere {
    /// The function's value.
    fn of<L: Lanes>(l: &mut L, x: L::V) -> L::V;
}

/// The operations of a lane. Numbers are doubles, and every operation is rounded once, to nearest even.
///
/// What is not IEEE arithmetic is defined by [`super::Scalar`], which other implementations equal to the bit (NaN = NaN).
pub trait Lanes: Sized {
    /// A number per lane.
    type V: Copy;
    /// A truth value per lane.
    type M: Copy;

    /// `x` in every lane.
    fn num(&mut self, x: f64) -> Self::V;
    /// `-a`, of NaN and zeros too.
    fn neg(&mut self, a: Self::V) -> Self::V;
    /// `|a|`
    fn abs(&mut self, a: Self::V) -> Self::V;
    /// The square root.
    fn sqrt(&mut self, a: Self::V) -> Self::V;
    /// The nearest integer, ties to even, with the sign of `a`.
    fn rint(&mut self, a: Self::V) -> Self::V;
    /// `a + b`
    fn add(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `a - b`
    fn sub(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `a b`
    fn mul(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `a / b`
    fn div(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `a` if `a < b`, else `b`: so `b` for NaN.
    fn min_x(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `a` if `a > b`, else `b`: so `b` for NaN.
    fn max_x(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `|a|` with the sign of `b`.
    fn copysign(&mut self, a: Self::V, b: Self::V) -> Self::V;
    /// `a b + c`, rounded once.
    fn fma(&mut self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `a b - c`, rounded once.
    fn fms(&mut self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `c - a b`, rounded once.
    fn fnma(&mut self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `a < b`
    fn lt(&mut self, a: Self::V, b: Self::V) -> Self::M;
    /// `a = b`
    fn eq(&mut self, a: Self::V, b: Self::V) -> Self::M;
    /// Whether one of two holds.
    fn or(&mut self, a: Self::M, b: Self::M) -> Self::M;
    /// Whether `a` does not hold.
    fn not(&mut self, a: Self::M) -> Self::M;
    /// `a` where `m` holds, else `b`.
    fn select(&mut self, m: Self::M, a: Self::V, b: Self::V) -> Self::V;
    /// `2^n` for an integer `n` from −1022 to 1023; elsewhere the double whose bits are those of
    /// `n + (2^52 + 1023)`, 52 places to the left.
    fn pow2(&mut self, n: Self::V) -> Self::V;
    /// `a 2^n` for an integer `n`: `a pow2(k) pow2(m - k)`, `m` being `n` between −2044 and 2044 (2044 for NaN), `k = rint(m / 2)`. To be used
    /// only where the first product is exact, so that it is rounded once, which some machines do by one instruction.
    fn ldexp(&mut self, a: Self::V, n: Self::V) -> Self::V;
    /// The integer `e` with `¾ 2^e <= |a| < 3/2 2^e`; −∞ of 0, ∞ of infinities, NaN of NaN.
    fn get_exp(&mut self, a: Self::V) -> Self::V;
    /// `|a| / 2^get_exp(a)`, in [¾, 3/2); 1 of 0 and of infinities, NaN of NaN.
    fn get_mant(&mut self, a: Self::V) -> Self::V;
    /// `f(x)` where `m` holds, else `y`. For lanes that hardly ever occur.
    fn rare(&mut self, m: Self::M, f: Rare, x: Self::V, y: Self::V) -> Self::V;
    /// The same of two numbers.
    fn rare_of_two(&mut self, m: Self::M, f: RareOfTwo, x: [Self::V; 2], y: Self::V) -> Self::V;

    /// Whether `|x| < bound` is known here and now, which opens a shorter way to the same bits. A program
    /// over many lanes knows nothing.
    #[inline(always)]
    fn within(&self, _x: Self::V, _bound: f64) -> bool {
        false
    }

    /// Whether `x` is known to be positive, finite and not subnormal.
    #[inline(always)]
    fn is_usual(&self, _x: Self::V) -> bool {
        false
    }

    /// `F` of `x`, which is hardly ever needed where something is known about lanes.
    #[inline(always)]
    fn seldom<F: Anywhere>(&mut self, x: Self::V) -> Self::V {
        F::of(self, x)
    }

    /// [`Lanes::get_mant`] and [`Lanes::get_exp`] of numbers that are positive, finite and not subnormal.
    #[inline(always)]
    fn split(&mut self, a: Self::V) -> (Self::V, Self::V) {
        (self.get_mant(a), self.get_exp(a))
    }

    /// `2^n` for an integer `n` from −1022 to 1023; `shifted` is `n +` [`SHIFT_BIASED`].
    #[inline(always)]
    fn pow2_of(&mut self, n: Self::V, _shifted: Self::V) -> Self::V {
        self.pow2(n)
    }

    /// Whether an integer that was added to [`SHIFT`] is odd.
    #[inline(always)]
    fn odd(&mut self, shifted: Self::V) -> Self::M {
        let quadrant = self.quadrant(shifted);
        let (one, size) = (self.num(1.0), self.abs(quadrant));
        self.eq(size, one)
    }

    /// Whether it is, if that is known here and now.
    #[inline(always)]
    fn known_odd(&self, _shifted: Self::V) -> Option<bool> {
        None
    }

    /// `a` with the other sign where an integer that was added to [`SHIFT`], or with `next` the one after it, is 2 or 3 modulo 4.
    #[inline(always)]
    fn flip(&mut self, a: Self::V, shifted: Self::V, next: bool) -> Self::V {
        let quadrant = self.quadrant(shifted);
        let (zero, bound) = (self.num(0.0), self.num(if next { -1.5 } else { 1.5 }));
        let flip = if next {
            let (one, two) = (self.lt(zero, quadrant), self.lt(quadrant, bound));
            self.or(one, two)
        } else {
            let (three, two) = (self.lt(quadrant, zero), self.lt(bound, quadrant));
            self.or(three, two)
        };
        let minus = self.neg(a);
        self.select(flip, minus, a)
    }

    /// An integer that was added to [`SHIFT`] modulo 4, from −2 to 2 (the two being the same).
    #[inline(always)]
    fn quadrant(&mut self, shifted: Self::V) -> Self::V {
        let (shift, quarter, four) = (self.num(SHIFT), self.num(0.25), self.num(4.0));
        let n = self.sub(shifted, shift);
        let turns = self.mul(n, quarter);
        let turns = self.rint(turns);
        self.fnma(turns, four, n)
    }

    /// `x` between two bounds; NaN if it is.
    #[inline(always)]
    fn clamp(&mut self, x: Self::V, least: f64, most: f64) -> Self::V {
        let (least, most) = (self.num(least), self.num(most));
        let x = self.max_x(least, x);
        self.min_x(most, x)
    }
}
