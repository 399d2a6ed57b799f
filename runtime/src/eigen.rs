//! Eigenvalues and eigenvectors of real symmetric and complex Hermitian matrices, by cyclic Jacobi rotations (Golub & Van Loan,
//! *Matrix Computations*, §8.5), once for every type of elements, double-doubles included.
//!
//! Jacobi's method, and no library: it converges quadratically at every precision, so a double-double form of the same lines has all
//! its digits; it needs no memory but the matrix, and its order of operations, and with it every bit, is fixed. The price is a factor
//! of about three in time over tridiagonalisation.

use crate::dd::{Cdd, Dd};
use num_complex::Complex;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What real parts are made of.
pub trait Part:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Rotations by less than this angle are left out: far below the rounding of the type.
    const NEGLIGIBLE: f64;
    /// Matrices with a larger element are scaled down, so that nothing overflows on the way.
    const LARGE: f64;
    /// The rounding of the type.
    const UNIT: f64;
    /// The exponent of a number that is so large that squares of far smaller ones do not underflow, and sums of its own squares do
    /// not overflow.
    const EXPONENT: i32;
    /// A double, rounded.
    fn of(x: f64) -> Self;
    /// In double precision.
    fn high(self) -> f64;
    /// `√self`
    fn root(self) -> Self;
    /// `self x` for a power of two `x`; infinite where that overflows.
    fn scaled(self, x: f64) -> Self;
}

/// Elements of matrices, real or complex.
pub trait Field: Copy {
    /// What the parts are.
    type Real: Part;
    /// A real number.
    fn of_real(x: Self::Real) -> Self;
    /// The real part.
    fn real_part(self) -> Self::Real;
    /// The imaginary part, 0 of a real number.
    fn imaginary_part(self) -> Self::Real;
    /// `self + o`
    fn plus(self, o: Self) -> Self;
    /// `self · o`
    fn times(self, o: Self) -> Self;
    /// Both parts times a real number.
    fn times_real(self, x: Self::Real) -> Self;
    /// Both parts over a real number.
    fn over_real(self, x: Self::Real) -> Self;
    /// The conjugate.
    fn conjugate(self) -> Self;

    /// |z|
    fn modulus(self) -> Self::Real {
        hypot(self.real_part(), self.imaginary_part())
    }
}

macro_rules! part {
    ($($t:ident $negligible:literal $exponent:literal;)*) => {$(
        impl Part for $t {
            const NEGLIGIBLE: f64 = $negligible;
            const LARGE: f64 = $t::MAX as f64 / 16.0;
            const UNIT: f64 = $t::EPSILON as f64;
            const EXPONENT: i32 = $exponent;
            fn of(x: f64) -> $t { x as $t }
            fn high(self) -> f64 { self as f64 }
            fn root(self) -> $t { self.sqrt() }
            fn scaled(self, x: f64) -> $t { self * x as $t }
        }
    )*};
}

macro_rules! field {
    ($($t:ty, $complex:ty, $new:path;)*) => {$(
        impl Field for $t {
            type Real = $t;
            fn of_real(x: $t) -> $t { x }
            fn real_part(self) -> $t { self }
            fn imaginary_part(self) -> $t { <$t as Part>::of(0.0) }
            fn plus(self, o: $t) -> $t { self + o }
            fn times(self, o: $t) -> $t { self * o }
            fn times_real(self, x: $t) -> $t { self * x }
            fn over_real(self, x: $t) -> $t { self / x }
            fn conjugate(self) -> $t { self }
            fn modulus(self) -> $t { if self.high() < 0.0 { -self } else { self } }
        }
        impl Field for $complex {
            type Real = $t;
            fn of_real(x: $t) -> Self { $new(x, <$t as Part>::of(0.0)) }
            fn real_part(self) -> $t { self.re }
            fn imaginary_part(self) -> $t { self.im }
            fn plus(self, o: Self) -> Self { $new(self.re + o.re, self.im + o.im) }
            fn times(self, o: Self) -> Self {
                $new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
            }
            fn times_real(self, x: $t) -> Self { $new(self.re * x, self.im * x) }
            fn over_real(self, x: $t) -> Self { $new(self.re / x, self.im / x) }
            fn conjugate(self) -> Self { $new(self.re, -self.im) }
        }
    )*};
}

part! {
    f32 4.7e-10 50;
    f64 8.7e-19 490;
}
field! {
    f32, Complex<f32>, Complex::new;
    f64, Complex<f64>, Complex::new;
    Dd, Cdd, Cdd::new;
}

impl Part for Dd {
    const NEGLIGIBLE: f64 = 1e-35;
    const LARGE: f64 = f64::MAX / 16.0;
    const UNIT: f64 = 1e-31;
    const EXPONENT: i32 = 490;
    fn of(x: f64) -> Dd {
        Dd::of(x)
    }
    fn high(self) -> f64 {
        self.hi
    }
    fn root(self) -> Dd {
        self.sqrt()
    }
    fn scaled(self, x: f64) -> Dd {
        let hi = self.hi * x;
        if hi.is_finite() { Dd::scaled(self, x) } else { Dd::of(hi) }
    }
}

/// √(a² + b²), without overflow or underflow on the way.
fn hypot<R: Part>(a: R, b: R) -> R {
    let size = |x: R| if x.high() < 0.0 { -x } else { x };
    let (a, b) = (size(a), size(b));
    let (large, small) = if a.high() < b.high() { (b, a) } else { (a, b) };
    if small.high() == 0.0 {
        return large;
    }
    let ratio = small / large;
    large * (R::of(1.0) + ratio * ratio).root()
}

/// More sweeps than any matrix takes.
pub(crate) const SWEEPS: usize = 64;
/// What an element must have of the largest modulus of its eigenvector for its phase to count; the first one that has it does.
/// Less than 1, so that the rounding of equal moduli does not decide.
pub const LEADING: f64 = 0.9;

/// The eigenvalues of the n × n matrix, in ascending order, in the place of its first n elements; only the lower triangle is read,
/// and the diagonal is taken for real. All are NaN if an element is not finite.
///
/// # Panics
/// If there are not as many elements.
pub fn eigenvalues<T: Field>(n: usize, a: &mut [T]) {
    let scale = rotate(n, a, None);
    for k in 0..n {
        // Behind it nothing is needed but the diagonal, which comes later.
        a[k] = a[k * n + k];
    }
    ascending(n, |k| k, a, |_, _| ());
    a[..n].iter_mut().for_each(|w| *w = T::of_real(w.real_part().scaled(1.0 / scale)));
}

/// The eigenvectors in the columns of `v`, in the order of their eigenvalues, as [`eigenvalues`]. Of each, the first element
/// that has [`LEADING`] of the largest modulus is positive. `a` is destroyed.
///
/// # Panics
/// If there are not as many elements.
pub fn eigenvectors<T: Field>(n: usize, v: &mut [T], a: &mut [T]) {
    let [zero, one] = [0.0, 1.0].map(|x| T::of_real(T::Real::of(x)));
    v.iter_mut().enumerate().for_each(|(i, x)| *x = if i / n == i % n { one } else { zero });
    rotate(n, a, Some(v));
    ascending(n, |k| k * n + k, a, |i, j| (0..n).for_each(|r| v.swap(r * n + i, r * n + j)));
    for j in 0..n {
        lead(v, n, (0..n).map(|r| r * n + j));
    }
}

/// Turns the elements of `v` at these places so that the first one of the leading `n` that has [`LEADING`] of their largest modulus is
/// positive.
pub(crate) fn lead<T: Field>(v: &mut [T], n: usize, at: impl Iterator<Item = usize> + Clone) {
    let largest = at.clone().take(n).fold(0.0f64, |m, k| m.max(v[k].modulus().high()));
    let leads = |k: &usize| v[*k].modulus().high() >= LEADING * largest;
    let Some(leading) = at.clone().take(n).find(leads) else { return };
    let modulus = v[leading].modulus();
    let phase = v[leading].over_real(modulus).conjugate();
    at.for_each(|k| v[k] = v[k].times(phase));
    v[leading] = T::of_real(modulus);
}

/// Sorts the n real elements of `a` at the places `at`, and whatever `swap` exchanges with them.
fn ascending<T: Field>(
    n: usize,
    at: impl Fn(usize) -> usize,
    a: &mut [T],
    mut swap: impl FnMut(usize, usize),
) {
    for i in 0..n {
        let less = |a: &[T], j: usize, k: usize| (a[at(j)].real_part() - a[at(k)].real_part()).high() < 0.0;
        let least = (i + 1..n).fold(i, |least, j| if less(a, j, least) { j } else { least });
        if least != i {
            a.swap(at(i), at(least));
            swap(i, least);
        }
    }
}

/// Rotates the matrix until it is diagonal, and the columns of `v` with it. The diagonal is that by the power of two that is returned.
fn rotate<T: Field>(n: usize, a: &mut [T], mut v: Option<&mut [T]>) -> f64 {
    assert!(a.len() == n * n && v.as_ref().is_none_or(|v| v.len() == n * n), "a matrix of {n} rows");
    let mut largest = 0.0f64;
    for i in 0..n {
        a[i * n + i] = T::of_real(a[i * n + i].real_part());
        for j in 0..=i {
            let z = a[i * n + j];
            let parts = [z.real_part(), z.imaginary_part()].map(|x| x.high().abs());
            // No comparison with NaN is true.
            if !parts.iter().all(|x| x.is_finite()) {
                let nan = T::of_real(T::Real::of(f64::NAN));
                a.fill(nan);
                v.into_iter().for_each(|v| v.fill(nan));
                return 1.0;
            }
            largest = largest.max(parts[0]).max(parts[1]);
        }
    }
    let scale = if largest > T::Real::LARGE { 0.5f64.powi(10) } else { 1.0 };
    for i in 0..n {
        for j in 0..=i {
            let z = if scale < 1.0 { a[i * n + j].times_real(T::Real::of(scale)) } else { a[i * n + j] };
            a[i * n + j] = z;
            a[j * n + i] = z.conjugate();
        }
    }
    for _ in 0..SWEEPS {
        let mut done = true;
        for p in 0..n {
            for q in p + 1..n {
                done &= !annihilate(n, a, v.as_deref_mut(), [p, q]);
            }
        }
        if done {
            break;
        }
    }
    scale
}

/// The rotation of axes p and q that makes element p, q zero; whether there was anything to do.
fn annihilate<T: Field>(n: usize, a: &mut [T], v: Option<&mut [T]>, [p, q]: [usize; 2]) -> bool {
    let off = a[p * n + q];
    let size = off.modulus();
    let apart = a[q * n + q].real_part() - a[p * n + p].real_part();
    if size.high() == 0.0 || size.high() <= T::Real::NEGLIGIBLE * apart.high().abs() {
        return false;
    }
    let turn = Turn::of(off, size, apart);
    for r in (0..n).filter(|r| *r != p && *r != q) {
        let (x, y) = turn.apply(a[r * n + p], a[r * n + q]);
        (a[r * n + p], a[r * n + q]) = (x, y);
        (a[p * n + r], a[q * n + r]) = (x.conjugate(), y.conjugate());
    }
    let shift = turn.tangent * size;
    a[p * n + p] = T::of_real(a[p * n + p].real_part() - shift);
    a[q * n + q] = T::of_real(a[q * n + q].real_part() + shift);
    let zero = T::of_real(T::Real::of(0.0));
    (a[p * n + q], a[q * n + p]) = (zero, zero);
    if let Some(v) = v {
        for r in 0..n {
            (v[r * n + p], v[r * n + q]) = turn.apply(v[r * n + p], v[r * n + q]);
        }
    }
    true
}

/// A rotation of two axes.
pub(crate) struct Turn<T: Field> {
    tangent: T::Real,
    cosine: T::Real,
    sine: T::Real,
    phase: T,
}

impl<T: Field> Turn<T> {
    /// What makes the element `off` of modulus `size` of a Hermitian matrix zero, where the diagonal elements are `apart`:
    /// tan 2θ = 2 |a_pq|/(a_qq - a_pp), |θ| ≤ π/4, after the phase of a_pq has gone into axis q.
    pub(crate) fn of(off: T, size: T::Real, apart: T::Real) -> Turn<T> {
        let (one, twice) = (T::Real::of(1.0), size + size);
        let negative = apart.high() < 0.0;
        let apart = if negative { -apart } else { apart };
        let tangent = twice / (apart + hypot(apart, twice));
        let tangent = if negative { -tangent } else { tangent };
        let cosine = one / hypot(one, tangent);
        Turn { tangent, cosine, sine: tangent * cosine, phase: off.over_real(size).conjugate() }
    }

    #[inline]
    pub(crate) fn apply(&self, x: T, y: T) -> (T, T) {
        let y = y.times(self.phase);
        let [minus, plus] = [-self.sine, self.sine];
        let [x_part, y_part] = [x.times_real(self.cosine), y.times_real(self.cosine)];
        (x_part.plus(y.times_real(minus)), x.times_real(plus).plus(y_part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    /// Numbers from −1 to 1 that are not random at all.
    fn hermitian(n: usize) -> Vec<Complex64> {
        let mut a = vec![Complex64::ZERO; n * n];
        for i in 0..n {
            for j in 0..=i {
                let x = ((i * 7 + j * 13 + 1) as f64 * 0.77).sin();
                let y = if i == j { 0.0 } else { ((i * 5 + j * 3) as f64 * 1.31).cos() };
                (a[i * n + j], a[j * n + i]) = (Complex64::new(x, y), Complex64::new(x, -y));
            }
        }
        a
    }

    #[test]
    fn vectors_diagonalise() {
        for n in [0, 1, 2, 3, 5, 8, 20] {
            let a = hermitian(n);
            let mut w = a.clone();
            eigenvalues(n, &mut w);
            let mut v = vec![Complex64::ZERO; n * n];
            eigenvectors(n, &mut v, &mut a.clone());
            for i in 0..n {
                assert!(i == 0 || w[i - 1].re <= w[i].re);
                for j in 0..n {
                    let dot: Complex64 = (0..n).map(|r| v[r * n + i].conj() * v[r * n + j]).sum();
                    assert!((dot - f64::from(i == j)).norm() < 1e-14 * n as f64);
                    let product: Complex64 = (0..n).map(|r| a[i * n + r] * v[r * n + j]).sum();
                    assert!((product - v[i * n + j] * w[j].re).norm() < 1e-14 * n as f64, "{n}");
                }
            }
        }
    }

    #[test]
    fn special_matrices() {
        // The upper triangle and the imaginary diagonal are not read.
        let mut a = [Complex64::new(1.0, f64::NAN), Complex64::new(7.0, 7.0), Complex64::I, Complex64::ONE];
        a[0].im = 3.0;
        let mut v = [Complex64::ZERO; 4];
        eigenvectors(2, &mut v, &mut a.clone());
        eigenvalues(2, &mut a);
        assert!((a[0].re.abs() < 1e-15) && (a[1].re - 2.0).abs() < 1e-15);
        // The first of two equal moduli is positive.
        assert!(v[0].im == 0.0 && v[0].re > 0.0 && v[1].im == 0.0 && v[1].re > 0.0, "{v:?}");
        let mut large = [f64::MAX / 2.0, 0.0, f64::MAX / 4.0, f64::MAX / 2.0];
        eigenvalues(2, &mut large);
        assert_eq!(large[..2], [f64::MAX / 4.0, f64::MAX / 4.0 * 3.0]);
        let mut apart: [f64; 9] = [1e300, 0.0, 0.0, 0.0, 1e-300, 0.0, 0.0, 1e-300, 1e-300];
        eigenvalues(3, &mut apart);
        assert!((apart[1] - 2e-300).abs() < 1e-314 && apart[0].abs() < 1e-314, "{apart:?}");
        let mut nan = [1.0, 0.0, f64::INFINITY, 1.0];
        eigenvalues(2, &mut nan);
        assert!(nan[0].is_nan() && nan[1].is_nan());
    }
}
