//! Products of matrices and dense linear algebra over double-doubles, with the meaning of [`crate::linalg`]: row-major,
//! elimination with partial pivoting, Cholesky's decomposition from the lower triangle. Plain loops: the matrices are those of
//! programs that are being checked. What is infinite or NaN is what doubles give.

pub(crate) mod products;

use self::products::{Halves, HalvesMut};
use super::arith::Dd;
use super::complex::{Cdd, div};
use super::exp_log::positive_log;
use crate::eigen::{self, Field};
use crate::linalg as doubles;
use crate::svd;
use num_complex::Complex64;
use std::ops::{Add, Mul, Neg, Sub};

/// An element of a matrix.
pub trait Element:
    Field + Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// What the parts are in double precision.
    type Double: doubles::Element;
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// The high part.
    fn high(self) -> Self::Double;
    /// A number of double precision.
    fn of(x: Self::Double) -> Self;
    /// `self / other`
    fn over(self, other: Self) -> Self;
    /// The conjugate.
    fn conj(self) -> Self;
    /// The real part.
    fn re(self) -> Dd;
    /// The number of a real one.
    fn real(x: Dd) -> Self;
    /// What pivots are compared by, 0 for 0 only.
    fn size(self) -> f64;
    /// `ln |self|`
    fn log_abs(self) -> Dd;
    /// Whether no part is infinite or NaN.
    fn is_finite(self) -> bool;
    /// Its parts, one or two.
    fn parts(self) -> impl Iterator<Item = Dd>;
    /// The number of these parts.
    fn of_parts(parts: impl Fn(usize) -> Dd) -> Self;
    /// Adds a product of matrices to `out`, the parts of each element one after the other.
    fn add_product(size: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>);
    /// `x − factor y` in the place of every x of a row, y being those of another row.
    fn subtract(row: &mut [Self], factor: Self, other: &[Self]) {
        for (x, y) in row.iter_mut().zip(other) {
            *x = *x - factor * *y;
        }
    }
}

impl Element for Dd {
    type Double = f64;
    const ZERO: Dd = Dd::ZERO;
    const ONE: Dd = Dd::ONE;
    fn high(self) -> f64 {
        self.hi
    }
    fn of(x: f64) -> Dd {
        Dd::of(x)
    }
    fn over(self, other: Dd) -> Dd {
        self / other
    }
    fn conj(self) -> Dd {
        self
    }
    fn re(self) -> Dd {
        self
    }
    fn real(x: Dd) -> Dd {
        x
    }
    fn size(self) -> f64 {
        self.hi.abs()
    }
    fn log_abs(self) -> Dd {
        positive_log(self.abs())
    }
    fn is_finite(self) -> bool {
        Dd::is_finite(self)
    }
    fn parts(self) -> impl Iterator<Item = Dd> {
        [self].into_iter()
    }
    fn of_parts(parts: impl Fn(usize) -> Dd) -> Dd {
        parts(0)
    }
    fn add_product(size: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>) {
        products::add_product(size, a, b, out);
    }
    fn subtract(row: &mut [Dd], factor: Dd, other: &[Dd]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the machine has the features that the function was compiled for.
            return unsafe { subtract_wide(row, factor, other) };
        }
        row.iter_mut().zip(other).for_each(|(x, y)| *x = *x - factor * *y);
    }
}

/// [`Element::subtract`] of several elements at once, which takes a fused multiply-add that the compiler knows: the same
/// operations, and so the same bits, as one after the other. Inverses of matrices spend their time here.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn subtract_wide(row: &mut [Dd], factor: Dd, other: &[Dd]) {
    for (x, y) in row.iter_mut().zip(other) {
        let p = factor.hi * y.hi;
        let e = factor.hi.mul_add(y.hi, -p);
        *x = *x - Dd::quick(p, e + (factor.hi * y.lo + factor.lo * y.hi));
    }
}

impl Element for Cdd {
    type Double = Complex64;
    const ZERO: Cdd = Cdd::ZERO;
    const ONE: Cdd = Cdd::ONE;
    fn high(self) -> Complex64 {
        Cdd::high(self)
    }
    fn of(x: Complex64) -> Cdd {
        Cdd::of(x)
    }
    fn over(self, other: Cdd) -> Cdd {
        div(self, other)
    }
    fn conj(self) -> Cdd {
        Cdd::conj(self)
    }
    fn re(self) -> Dd {
        self.re
    }
    fn real(x: Dd) -> Cdd {
        Cdd::new(x, Dd::ZERO)
    }
    fn size(self) -> f64 {
        self.re.hi.abs() + self.im.hi.abs()
    }
    fn log_abs(self) -> Dd {
        super::complex::log(self).re
    }
    fn is_finite(self) -> bool {
        Cdd::is_finite(self)
    }
    fn parts(self) -> impl Iterator<Item = Dd> {
        [self.re, self.im].into_iter()
    }
    fn of_parts(parts: impl Fn(usize) -> Dd) -> Cdd {
        Cdd::new(parts(0), parts(1))
    }
    fn add_product(size: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>) {
        products::add_complex_product(size, a, b, out);
    }
}

/// A matrix that has no inverse, or no decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// `a b` of an n × k and a k × m matrix (`size` is n, k, m).
///
/// # Panics
/// If there are not as many elements.
pub fn matmul<T: Element>([n, k, m]: [usize; 3], a: &[T], b: &[T]) -> Vec<T> {
    assert!(a.len() == n * k && b.len() == k * m, "sizes {n}, {k}, {m} of a product");
    let halves = |x: &[T]| -> (Vec<f64>, Vec<f64>) {
        x.iter().flat_map(|x| x.parts()).map(|part| (part.hi, part.lo)).unzip()
    };
    let ((a_hi, a_lo), (b_hi, b_lo)) = (halves(a), halves(b));
    let parts = T::ZERO.parts().count();
    let [mut hi, mut lo] = [(); 2].map(|()| vec![0.0; n * m * parts]);
    T::add_product(
        [n, k, m],
        Halves { hi: &a_hi, lo: &a_lo },
        Halves { hi: &b_hi, lo: &b_lo },
        &mut HalvesMut { hi: &mut hi, lo: &mut lo },
    );
    let mut out: Vec<T> =
        (0..n * m).map(|i| T::of_parts(|p| Dd { hi: hi[i * parts + p], lo: lo[i * parts + p] })).collect();
    settle(&mut out, |out| {
        doubles::matmul([n, k, m], out, &highs(a), &highs(b));
        true
    });
    out
}

/// The high parts.
fn highs<T: Element>(a: &[T]) -> Vec<T::Double> {
    a.iter().map(|x| x.high()).collect()
}

/// Where a result is infinite or NaN, by itself or on the way, it is that of doubles, which `run` writes if they have one.
fn settle<T: Element>(out: &mut [T], run: impl FnOnce(&mut [T::Double]) -> bool) {
    if out.iter().all(|y| y.is_finite()) {
        return;
    }
    let mut plain = highs(out);
    if run(&mut plain) {
        let open = out.iter_mut().zip(plain).filter(|(y, _)| !y.is_finite());
        open.for_each(|(y, x)| *y = T::of(x));
    }
}

/// P A = L U in the place of A; L has ones on its diagonal, which are not stored.
struct Lu {
    /// Row i of P A is this row of A.
    rows: Vec<usize>,
    /// Whether P is an odd permutation.
    odd: bool,
    singular: bool,
}

fn factorise<T: Element>(n: usize, a: &mut [T]) -> Lu {
    assert_eq!(a.len(), n * n, "a matrix of {n} rows");
    let mut lu = Lu { rows: (0..n).collect(), odd: false, singular: false };
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * n + k].size() > a[pivot * n + k].size() {
                pivot = i;
            }
        }
        if pivot != k {
            lu.odd = !lu.odd;
            lu.rows.swap(k, pivot);
            let (upper, lower) = a.split_at_mut(pivot * n);
            upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
        }
        let d = a[k * n + k];
        if d.size() == 0.0 {
            // The column is 0 from here down: nothing to eliminate.
            lu.singular = true;
            continue;
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let u = &upper[k * n + k + 1..];
        for row in lower.chunks_exact_mut(n) {
            let factor = row[k].over(d);
            row[k] = factor;
            T::subtract(&mut row[k + 1..], factor, u);
        }
    }
    lu
}

/// Solves L U x = b in place for a right-hand side with m columns, from the factorised matrix.
fn substitute<T: Element>(n: usize, m: usize, lu: &[T], x: &mut [T]) {
    for i in 0..n {
        let (done, rest) = x.split_at_mut(i * m);
        for j in 0..i {
            let factor = lu[i * n + j];
            T::subtract(&mut rest[..m], factor, &done[j * m..(j + 1) * m]);
        }
    }
    for i in (0..n).rev() {
        let (rest, done) = x.split_at_mut((i + 1) * m);
        let row = &mut rest[i * m..];
        for j in i + 1..n {
            let factor = lu[i * n + j];
            T::subtract(row, factor, &done[(j - i - 1) * m..(j - i) * m]);
        }
        let d = lu[i * n + i];
        row.iter_mut().for_each(|x| *x = x.over(d));
    }
}

/// Solves Uᴴ Lᴴ P x = b in place, the permutation not yet undone: row i is that of number `rows[i]`.
fn substitute_adjoint<T: Element>(n: usize, m: usize, lu: &[T], x: &mut [T]) {
    for i in 0..n {
        let (done, rest) = x.split_at_mut((i + 1) * m);
        let row = &mut done[i * m..];
        let d = lu[i * n + i].conj();
        row.iter_mut().for_each(|x| *x = x.over(d));
        for (k, below) in (i + 1..n).zip(rest.chunks_exact_mut(m.max(1))) {
            let factor = lu[i * n + k].conj();
            T::subtract(below, factor, row);
        }
    }
    for i in (0..n).rev() {
        let (above, rest) = x.split_at_mut(i * m);
        for (k, above) in above.chunks_exact_mut(m.max(1)).enumerate() {
            let factor = lu[i * n + k].conj();
            T::subtract(above, factor, &rest[..m]);
        }
    }
}

/// x with A x = b, for an n × n matrix and a b with m columns (`size` is n, m).
///
/// # Panics
/// If there are not as many elements.
pub fn solve<T: Element>([n, m]: [usize; 2], matrix: &[T], b: &[T]) -> Result<Vec<T>, Singular> {
    let doubles = |x: &mut [T::Double]| {
        doubles::solve([n, m], x, &mut highs(matrix), &highs(b), &mut vec![0; n]).is_ok()
    };
    solved([n, m], matrix, b, doubles, |a, rows| {
        let mut x = Vec::with_capacity(n * m);
        rows.iter().for_each(|r| x.extend_from_slice(&b[r * m..(r + 1) * m]));
        substitute(n, m, a, &mut x);
        x
    })
}

/// x with Aᴴ x = b by the factors of A, as [`solve`].
///
/// # Panics
/// If there are not as many elements.
pub fn solve_adjoint<T: Element>([n, m]: [usize; 2], matrix: &[T], b: &[T]) -> Result<Vec<T>, Singular> {
    let doubles = |x: &mut [T::Double]| {
        doubles::solve_adjoint([n, m], x, &mut highs(matrix), &highs(b), &mut vec![0; n]).is_ok()
    };
    solved([n, m], matrix, b, doubles, |a, rows| {
        let mut y = b.to_vec();
        substitute_adjoint(n, m, a, &mut y);
        let mut x = y.clone();
        for (i, r) in rows.iter().enumerate() {
            x[r * m..(r + 1) * m].copy_from_slice(&y[i * m..(i + 1) * m]);
        }
        x
    })
}

/// What substitution makes of the factors and the rows they stand for, beside what doubles give.
fn solved<T: Element>(
    [n, m]: [usize; 2],
    matrix: &[T],
    b: &[T],
    doubles: impl FnOnce(&mut [T::Double]) -> bool,
    substituted: impl FnOnce(&[T], &[usize]) -> Vec<T>,
) -> Result<Vec<T>, Singular> {
    assert_eq!(b.len(), n * m, "a right-hand side of {n} rows and {m} columns");
    let mut a = matrix.to_vec();
    let lu = factorise(n, &mut a);
    if lu.singular {
        // Not so after rounding, perhaps.
        let mut x = highs(b);
        return if doubles(&mut x) { Ok(x.into_iter().map(T::of).collect()) } else { Err(Singular) };
    }
    let mut x = substituted(&a, &lu.rows);
    settle(&mut x, doubles);
    Ok(x)
}

/// The inverse, as [`solve`].
///
/// # Panics
/// If there are not as many elements.
pub fn inv<T: Element>(n: usize, a: &[T]) -> Result<Vec<T>, Singular> {
    let unit: Vec<T> = (0..n * n).map(|i| if i / n == i % n { T::ONE } else { T::ZERO }).collect();
    solve([n, n], a, &unit)
}

/// The determinant.
///
/// # Panics
/// If there are not as many elements.
pub fn det<T: Element>(n: usize, matrix: &[T]) -> T {
    let mut a = matrix.to_vec();
    let lu = factorise(n, &mut a);
    let det = (0..n).fold(T::ONE, |det, k| det * a[k * n + k]);
    let mut out = [if lu.odd { -det } else { det }];
    settle(&mut out, |out| {
        out[0] = doubles::det(n, &mut highs(matrix), &mut vec![0; n]);
        true
    });
    out[0]
}

/// ln |det A|, −∞ for a singular A.
///
/// # Panics
/// If there are not as many elements.
pub fn logdet<T: Element>(n: usize, matrix: &[T]) -> Dd {
    let mut a = matrix.to_vec();
    let singular = factorise(n, &mut a).singular;
    let sum = (0..n).fold(Dd::ZERO, |sum, k| sum + a[k * n + k].log_abs());
    if sum.is_finite() && !singular {
        return sum;
    }
    let double = doubles::logdet(n, &mut highs(matrix), &mut vec![0; n]);
    Dd::of(if singular && !double.is_nan() { f64::NEG_INFINITY } else { double })
}

/// Lower L with L Lᴴ = A, zeros above the diagonal; only A's lower triangle is read. Fails at a pivot that is not positive.
///
/// # Panics
/// If there are not as many elements.
pub fn cholesky<T: Element>(n: usize, a: &[T]) -> Result<Vec<T>, Singular> {
    assert_eq!(a.len(), n * n, "a matrix of {n} rows");
    let mut l = vec![T::ZERO; n * n];
    for i in 0..n {
        let (done, rest) = l.split_at_mut(i * n);
        let row = &mut rest[..n];
        // What is left of an element of A without the columns before.
        let left =
            |row: &[T], j: usize, above: &[T]| (0..j).fold(a[i * n + j], |x, k| x - row[k] * above[k].conj());
        for j in 0..i {
            let above = &done[j * n..(j + 1) * n];
            row[j] = left(row, j, above).over(T::real(above[j].re()));
        }
        let d = left(row, i, row).re();
        if d.hi <= 0.0 {
            return Err(Singular);
        }
        row[i] = T::real(d.sqrt());
    }
    settle(&mut l, |l| doubles::cholesky(n, l, &highs(a)).is_ok());
    Ok(l)
}

/// The eigenvalues of a Hermitian matrix in ascending order; only its lower triangle is read.
///
/// # Panics
/// If there are not as many elements.
pub fn eigh_values<T: Element>(n: usize, matrix: &[T]) -> Vec<Dd> {
    let mut a = matrix.to_vec();
    eigen::eigenvalues(n, &mut a);
    let mut w: Vec<Dd> = a[..n].iter().map(|x| x.re()).collect();
    settle(&mut w, |w| {
        let mut a = highs(matrix);
        eigen::eigenvalues(n, &mut a);
        w.iter_mut().zip(&a).for_each(|(w, x)| *w = doubles::Element::re(*x));
        true
    });
    w
}

/// The eigenvectors of a Hermitian matrix as columns, as [`eigen::eigenvectors`] has them.
///
/// # Panics
/// If there are not as many elements.
pub fn eigh_vectors<T: Element>(n: usize, matrix: &[T]) -> Vec<T> {
    let mut v = vec![T::ZERO; n * n];
    eigen::eigenvectors(n, &mut v, &mut matrix.to_vec());
    v
}

/// Q of A = Q R of an m × n matrix, as [`svd::orthonormal`] has it.
///
/// # Panics
/// If there are not as many elements.
pub fn qr_q<T: Element>(size: [usize; 2], matrix: &[T]) -> Vec<T> {
    let mut q = vec![T::ZERO; matrix.len()];
    svd::orthonormal(size, &mut q, matrix, &mut vec![T::ZERO; 2 * matrix.len()]);
    q
}

/// The singular values of an m × n matrix in descending order.
///
/// # Panics
/// If there are not as many elements.
pub fn svd_values<T: Element>([m, n]: [usize; 2], matrix: &[T]) -> Vec<Dd> {
    let mut memory = vec![T::ZERO; (m + 1) * n];
    svd::singular_values([m, n], matrix, &mut memory);
    let mut s: Vec<Dd> = memory[..n].iter().map(|x| x.re()).collect();
    settle(&mut s, |s| {
        let mut memory = vec![doubles::Element::ZERO; (m + 1) * n];
        svd::singular_values::<T::Double>([m, n], &highs(matrix), &mut memory);
        s.iter_mut().zip(&memory).for_each(|(s, x)| *s = doubles::Element::re(*x));
        true
    });
    s
}

/// V above U of an m × n matrix, as [`svd::singular_vectors`] has them.
///
/// # Panics
/// If there are not as many elements.
pub fn svd_vectors<T: Element>([m, n]: [usize; 2], matrix: &[T]) -> Vec<T> {
    let [mut vu, mut memory] = [(); 2].map(|()| vec![T::ZERO; (n + m) * n]);
    svd::singular_vectors([m, n], &mut vu, matrix, &mut memory);
    vu
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_subtracted_with_the_bits_of_single_elements() {
        let special = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e300, 1e-310];
        let number = |k: usize| match k % 17 {
            at if at < special.len() => Dd::of(special[at]),
            _ => Dd::sum((k as f64 * 0.7).sin() * 2f64.powi(k as i32 % 40 - 20), 1e-17 * (k as f64).cos()),
        };
        for n in 0..20 {
            for first in 0..40 {
                let (row, other): (Vec<Dd>, Vec<Dd>) =
                    (0..n).map(|k| (number(first + k), number(first * 3 + 5 * k + 1))).unzip();
                let factor = number(first + 7);
                let mut wide = row.clone();
                Dd::subtract(&mut wide, factor, &other);
                for ((got, x), y) in wide.iter().zip(&row).zip(&other) {
                    let want = *x - factor * *y;
                    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
                    assert_eq!(
                        [got.hi, got.lo].map(bits),
                        [want.hi, want.lo].map(bits),
                        "{x:?} {factor:?} {y:?}"
                    );
                }
            }
        }
    }
}
