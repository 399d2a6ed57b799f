//! The number types the reference interpreter works over.

use crate::interp::Val;
use crate::module::LinalgOp;
use crate::ops::Op;
use crate::trap::Trap;
use crate::types::Scalar;
use num_complex::Complex;
use std::fmt::Debug;

/// A real number type: `f64`, or something more precise for the tests of the derivative rules.
/// All operations are total; invalid ones give NaN as in IEEE arithmetic.
pub trait Real: Clone + Debug {
    /// The nearest number to `x` (exact for types at least as precise as `f64`; NaN, ∞ and −0 kept).
    fn from_f64(x: f64) -> Self;
    /// The nearest `f64`.
    fn to_f64(&self) -> f64;
    /// Conversion of an integer, rounded to nearest.
    fn from_i64(n: i64) -> Self;
    /// `self + o`
    fn add(&self, o: &Self) -> Self;
    /// `self - o`
    fn sub(&self, o: &Self) -> Self;
    /// `self · o`
    fn mul(&self, o: &Self) -> Self;
    /// `self / o`
    fn div(&self, o: &Self) -> Self;
    /// `self · a + b`, rounded once, to what a value of type `to` keeps ([`Self::stored`]).
    fn mul_add(&self, a: &Self, b: &Self, to: Scalar) -> Self;
    /// `-self`, also of zero and NaN.
    fn neg(&self) -> Self;
    /// `√self`
    fn sqrt(&self) -> Self;
    /// IEEE comparison: `None` if one is NaN; `-0 = 0`.
    fn compare(&self, o: &Self) -> Option<std::cmp::Ordering>;
    /// Whether it is NaN.
    fn is_nan(&self) -> bool;
    /// Whether it is neither NaN nor infinite.
    fn is_finite(&self) -> bool;
    /// Whether the sign bit is set (also of −0).
    fn is_sign_negative(&self) -> bool;
    /// Largest integer ≤ self.
    fn floor(&self) -> Self;
    /// Nearest integer, ties to even.
    fn round_even(&self) -> Self;
    /// What storing the number in a value of type `to` (`f32`, `f64` or a complex type: its parts) keeps of it.
    /// Types more precise than `f64` stay unrounded, so that their results are the exact ones.
    fn stored(&self, to: Scalar) -> Self;
}

/// The elementary functions of a number type. The interpreter does everything exact itself
/// (arithmetic, comparisons, selection, integers) and asks this trait for the rest, in the operand's
/// own precision; rounding to single precision is the interpreter's.
pub trait Elementary<R: Real> {
    /// A function of real operands: an op of class [`Elementary`](crate::Class::Elementary), `mod`, or `arg` of a real.
    fn real(&self, op: Op, x: &[R]) -> R;
    /// An op of an integer and a real operand: of class [`ElementaryInt`](crate::Class::ElementaryInt), or `powi`.
    fn real_int(&self, op: Op, n: i64, x: &R) -> R;
    /// A complex function of complex operands: an op of class [`Elementary`](crate::Class::Elementary) that takes them, `div recip
    /// sqrt sign cis`. A real operand beside a complex one is given as a complex number with imaginary part +0, but a complex
    /// number divided by a real one is componentwise and never comes here.
    fn complex(&self, op: Op, z: &[Complex<R>]) -> Complex<R>;
    /// Complex `powi dsinc`.
    fn complex_int(&self, op: Op, n: i64, z: &Complex<R>) -> Complex<R>;
    /// Complex `abs` and `arg`.
    fn complex_to_real(&self, op: Op, z: &Complex<R>) -> R;

    /// The product of an n × k and a k × m matrix (`size` is n, k, m) in type `elem`, row-major, by the kernel that
    /// compiled code calls. `None`: there is none, and the interpreter adds the products up one after the other.
    fn matmul(&self, _elem: Scalar, _size: [usize; 3], _a: &[Val<R>], _b: &[Val<R>]) -> Option<Vec<Val<R>>> {
        None
    }

    /// [`Kind::Linalg`](crate::Kind::Linalg) on the n × n matrix `a`, or the array of its factors, and for those that
    /// [have](LinalgOp::has_rhs) one a right-hand side `b` with m columns (`size` is n, m), in type `elem`, which is `a`'s or,
    /// with a right-hand side, the result's; by the kernel that compiled code calls. The result's elements. `None`: there is none, and the interpreter does it itself.
    fn linalg(
        &self,
        _op: LinalgOp,
        _elem: Scalar,
        _size: [usize; 2],
        _a: &[Val<R>],
        _b: &[Val<R>],
    ) -> Option<Result<Vec<Val<R>>, Trap>> {
        None
    }
}
