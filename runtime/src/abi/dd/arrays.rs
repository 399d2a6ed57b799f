//! Products of matrices and linear algebra of double-doubles as C functions: sizes, the high and the low elements of every
//! operand, row-major, then where to write those of the result. A singular matrix gives NaN. They return 0, or
//! [`FAILED`] where a size is negative.

use crate::dd::linalg::products::{self, Halves, HalvesMut};
use crate::dd::linalg::{self, Element, Singular};
use crate::dd::{Cdd, Dd};
use num_complex::Complex64;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The status of a call that did nothing.
pub const FAILED: i32 = 2;

/// Elements of a left operand that are put together at a time: few enough to stay in the cache.
const BLOCK: usize = 4096;

/// An element of an array as the caller has it: high and low parts apart.
trait Stored: Element {
    type Half: Copy;
    fn join(hi: Self::Half, lo: Self::Half) -> Self;
    fn split(self) -> (Self::Half, Self::Half);
    const NAN: Self;
}

/// The numbers behind a pointer.
///
/// # Safety
/// There are `len` aligned numbers, unless `len` is 0, and nothing changes them meanwhile.
unsafe fn slice<'a>(x: *const f64, len: usize) -> &'a [f64] {
    // SAFETY: the caller's promise.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(x, len) } }
}

/// The numbers behind a pointer, which become zeros.
///
/// # Safety
/// There are `len` aligned, writable numbers, unless `len` is 0, and nothing else uses them meanwhile.
unsafe fn zeros<'a>(x: *mut f64, len: usize) -> &'a mut [f64] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise; all bits of 0 are none.
    unsafe {
        x.write_bytes(0, len);
        std::slice::from_raw_parts_mut(x, len)
    }
}

impl Stored for Dd {
    type Half = f64;
    const NAN: Dd = Dd::NAN;
    fn join(hi: f64, lo: f64) -> Dd {
        Dd::new(hi, lo)
    }
    fn split(self) -> (f64, f64) {
        // No NaN beside an infinite element.
        (self.hi, if self.hi.is_finite() { self.lo } else { 0.0 })
    }
}

impl Stored for Cdd {
    type Half = Complex64;
    const NAN: Cdd = Cdd::NAN;
    fn join(hi: Complex64, lo: Complex64) -> Cdd {
        Cdd::new(Dd::new(hi.re, lo.re), Dd::new(hi.im, lo.im))
    }
    fn split(self) -> (Complex64, Complex64) {
        let ((re, re_lo), (im, im_lo)) = (self.re.split(), self.im.split());
        (Complex64::new(re, im), Complex64::new(re_lo, im_lo))
    }
}

/// An operand.
///
/// # Safety
/// Behind both pointers there are `len` aligned elements, unless `len` is 0.
unsafe fn read<T: Stored>(hi: *const T::Half, lo: *const T::Half, len: usize) -> Vec<T> {
    // SAFETY: by the caller's promise element `i` is there.
    (0..len).map(|i| unsafe { T::join(hi.add(i).read(), lo.add(i).read()) }).collect()
}

/// Writes a result.
///
/// # Safety
/// Behind both pointers there are as many aligned, writable elements as `x` has.
unsafe fn write<T: Stored>(x: &[T], hi: *mut T::Half, lo: *mut T::Half) {
    for (i, x) in x.iter().enumerate() {
        let (h, l) = x.split();
        // SAFETY: by the caller's promise element `i` is there.
        unsafe {
            hi.add(i).write(h);
            lo.add(i).write(l);
        }
    }
}

fn or_nan<T: Stored>(x: Result<Vec<T>, Singular>, len: usize) -> Vec<T> {
    x.unwrap_or_else(|Singular| vec![T::NAN; len])
}

/// Sizes as the caller passes them, and the result of `run` as a status.
fn guarded<const N: usize>(sizes: [i64; N], run: impl FnOnce([usize; N])) -> i32 {
    let mut checked = [0; N];
    for (c, s) in checked.iter_mut().zip(sizes) {
        match usize::try_from(s) {
            Ok(s) => *c = s,
            Err(_) => return FAILED,
        }
    }
    catch_unwind(AssertUnwindSafe(|| run(checked))).map_or(FAILED, |()| 0)
}

/// Pointers to the high and the low elements of an operand, and of a result.
type From<T> = (*const <T as Stored>::Half, *const <T as Stored>::Half);
type To<T> = (*mut <T as Stored>::Half, *mut <T as Stored>::Half);

/// A solver of systems: the sizes n and m, the matrix and the right sides.
type Solve<T> = fn([usize; 2], &[T], &[T]) -> Result<Vec<T>, Singular>;

/// Writes what `f` makes of an n × n matrix.
///
/// # Safety
/// Behind the pointers there are the elements of the matrix and those of the result, as [`read`] and [`write`] need them.
unsafe fn of_square<T: Stored, R: Stored>(
    n: i64,
    a: From<T>,
    to: To<R>,
    f: impl FnOnce(usize, &[T]) -> Vec<R>,
) -> i32 {
    // SAFETY: the caller's promise is that of `read` and `write`.
    guarded([n], |[n]| unsafe { write(&f(n, &read(a.0, a.1, n * n)), to.0, to.1) })
}

/// Writes what `f` makes of an m × n matrix.
///
/// # Safety
/// As of [`of_square`].
unsafe fn of_tall<T: Stored, R: Stored>(
    size: [i64; 2],
    a: From<T>,
    to: To<R>,
    f: impl FnOnce([usize; 2], &[T]) -> Vec<R>,
) -> i32 {
    // SAFETY: the caller's promise is that of `read` and `write`.
    guarded(size, |[m, n]| unsafe { write(&f([m, n], &read(a.0, a.1, m * n)), to.0, to.1) })
}

/// Writes the solution of a system of n equations with m right sides.
///
/// # Safety
/// As of [`of_square`].
unsafe fn system<T: Stored>(size: [i64; 2], a: From<T>, b: From<T>, to: To<T>, solve: Solve<T>) -> i32 {
    guarded(size, |size @ [n, m]| {
        // SAFETY: the caller's promise is that of `read` and `write`.
        unsafe {
            let (a, b) = (read(a.0, a.1, n * n), read(b.0, b.1, n * m));
            write(&or_nan(solve(size, &a, &b), n * m), to.0, to.1);
        }
    })
}

/// Writes the product if the operands are finite double-doubles and it is finite; else returns `false`.
///
/// # Safety
/// As of [`of_square`].
unsafe fn plain_product<T: Stored>(size @ [n, k, m]: [usize; 3], a: From<T>, b: From<T>, to: To<T>) -> bool {
    let parts = size_of::<T::Half>() / size_of::<f64>();
    // SAFETY: by the caller's promise there are so many elements, each so many doubles.
    let (a, b, mut out) = unsafe {
        let halves = |x: From<T>, len: usize| Halves {
            hi: slice(x.0.cast(), len * parts),
            lo: slice(x.1.cast(), len * parts),
        };
        let out = HalvesMut { hi: zeros(to.0.cast(), n * m * parts), lo: zeros(to.1.cast(), n * m * parts) };
        (halves(a, n * k), halves(b, k * m), out)
    };
    // Infinite doubles show in the product.
    let doubles = products::is_of_doubles(a) && k > 0 && m > 0;
    if !((doubles || products::is_normal(a)) && products::is_normal(b)) {
        return false;
    }
    T::add_product(size, a, b, &mut out);
    products::is_normal(Halves { hi: out.hi, lo: out.lo })
}

/// Writes the product of an n × k and a k × m matrix (`size` is n, k, m).
///
/// # Safety
/// As of [`of_square`].
unsafe fn product<T: Stored>(size @ [n, k, m]: [usize; 3], a: From<T>, b: From<T>, to: To<T>) {
    // SAFETY: the caller's promise is that of `plain_product`, `read` and `write`; the rows of a block lie within `n`.
    unsafe {
        if plain_product::<T>(size, a, b, to) {
            return;
        }
        let b = read::<T>(b.0, b.1, k * m);
        let rows = (BLOCK / k.max(1)).max(1);
        for first in (0..n).step_by(rows) {
            let rows = rows.min(n - first);
            let a = read::<T>(a.0.add(first * k), a.1.add(first * k), rows * k);
            write(&linalg::matmul([rows, k, m], &a, &b), to.0.add(first * m), to.1.add(first * m));
        }
    }
}

macro_rules! arrays {
    ($element:ty, $half:ty: $matmul:ident $solve:ident $solve_adjoint:ident $inv:ident $cholesky:ident $det:ident $logdet:ident $values:ident $vectors:ident $basis:ident $singular:ident $both:ident) => {
        /// `a b` of an m × k and a k × n matrix.
        ///
        /// # Safety
        /// The arrays have the elements the sizes say, aligned, those of the result writable and apart from the others.
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $matmul(
            m: i64,
            k: i64,
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            b_hi: *const $half,
            b_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            guarded([m, k, n], |[m, k, n]| {
                // SAFETY: the caller's promise is the same.
                unsafe { product::<$element>([m, k, n], (a_hi, a_lo), (b_hi, b_lo), (hi, lo)) }
            })
        }

        /// x with A x = b, for an n × n matrix and a b with m columns.
        ///
        /// # Safety
        /// As of the product.
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $solve(
            n: i64,
            m: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            b_hi: *const $half,
            b_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { system([n, m], (a_hi, a_lo), (b_hi, b_lo), (hi, lo), linalg::solve::<$element>) }
        }

        /// x with Aᴴ x = b, for an n × n matrix and a b with m columns.
        ///
        /// # Safety
        /// As of the product.
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $solve_adjoint(
            n: i64,
            m: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            b_hi: *const $half,
            b_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { system([n, m], (a_hi, a_lo), (b_hi, b_lo), (hi, lo), linalg::solve_adjoint::<$element>) }
        }

        /// The inverse of an n × n matrix.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $inv(
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe {
                of_square(n, (a_hi, a_lo), (hi, lo), |n, a| or_nan(linalg::inv::<$element>(n, a), n * n))
            }
        }

        /// Cholesky's factor of an n × n matrix.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $cholesky(
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            let factor = |n, a: &[$element]| or_nan(linalg::cholesky(n, a), n * n);
            // SAFETY: the caller's promise is the same.
            unsafe { of_square(n, (a_hi, a_lo), (hi, lo), factor) }
        }

        /// The determinant of an n × n matrix, 0 if it is singular.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $det(
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { of_square(n, (a_hi, a_lo), (hi, lo), |n, a: &[$element]| vec![linalg::det(n, a)]) }
        }

        /// The logarithm of the determinant's modulus, −∞ if the n × n matrix is singular.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $logdet(
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut f64,
            lo: *mut f64,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { of_square(n, (a_hi, a_lo), (hi, lo), |n, a: &[$element]| vec![linalg::logdet(n, a)]) }
        }

        /// The eigenvalues of a Hermitian n × n matrix.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $values(
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut f64,
            lo: *mut f64,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { of_square(n, (a_hi, a_lo), (hi, lo), linalg::eigh_values::<$element>) }
        }

        /// The eigenvectors of a Hermitian n × n matrix.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $vectors(
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { of_square(n, (a_hi, a_lo), (hi, lo), linalg::eigh_vectors::<$element>) }
        }

        /// The orthonormal factor Q of an m × n matrix.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $basis(
            m: i64,
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { of_tall([m, n], (a_hi, a_lo), (hi, lo), linalg::qr_q::<$element>) }
        }

        /// The singular values of an m × n matrix.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $singular(
            m: i64,
            n: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut f64,
            lo: *mut f64,
        ) -> i32 {
            // SAFETY: the caller's promise is the same.
            unsafe { of_tall([m, n], (a_hi, a_lo), (hi, lo), linalg::svd_values::<$element>) }
        }

        /// The singular vectors of an m × n matrix, n + m rows of them, whose number comes behind the sizes.
        ///
        /// # Safety
        /// As of the product.
        pub unsafe extern "C" fn $both(
            m: i64,
            n: i64,
            rows: i64,
            a_hi: *const $half,
            a_lo: *const $half,
            hi: *mut $half,
            lo: *mut $half,
        ) -> i32 {
            if m.checked_add(n) != Some(rows) {
                return FAILED;
            }
            // SAFETY: the caller's promise is the same.
            unsafe { of_tall([m, n], (a_hi, a_lo), (hi, lo), linalg::svd_vectors::<$element>) }
        }
    };
}

arrays! { Dd, f64: matmul solve solve_adjoint inv cholesky det logdet eigh_values eigh_vectors qr_q svd_values svd_vectors }
arrays! { Cdd, Complex64: cmatmul csolve csolve_adjoint cinv ccholesky cdet clogdet ceigh_values ceigh_vectors cqr_q csvd_values csvd_vectors }

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of doubles is multiplied without a look at its numbers first: what is infinite, NaN or too large has to show.
    #[test]
    fn products_of_special_doubles() {
        let (n, k) = (9, 17);
        for special in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 5e-324] {
            for m in [1, 2, 5] {
                let mut a: Vec<f64> = (0..n * k).map(|i| (i as f64 * 0.7).sin()).collect();
                (a[3], a[5 * k + 16]) = (special, special);
                let mut b: Vec<f64> = (0..k * m).map(|i| (i as f64 * 0.3).cos() * 4.0).collect();
                b[16 * m] = 0.0;
                let b_lo: Vec<f64> = b.iter().map(|b| 1e-20 * b).collect();
                let a_lo = vec![0.0; n * k];
                let [mut hi, mut lo] = [(); 2].map(|()| vec![0.5; n * m]);
                // SAFETY: the arrays have these sizes.
                let status = unsafe {
                    let [size_n, size_k, size_m] = [n, k, m].map(|x| x as i64);
                    let [a, a_lo, b, b_lo] = [&a, &a_lo, &b, &b_lo].map(|x| x.as_ptr());
                    matmul(size_n, size_k, size_m, a, a_lo, b, b_lo, hi.as_mut_ptr(), lo.as_mut_ptr())
                };
                assert_eq!(status, 0);
                let numbers = |hi: &[f64], lo: &[f64]| -> Vec<Dd> {
                    hi.iter().zip(lo).map(|(hi, lo)| Dd::new(*hi, *lo)).collect()
                };
                let want = linalg::matmul([n, k, m], &numbers(&a, &a_lo), &numbers(&b, &b_lo));
                let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
                for ((hi, lo), want) in hi.iter().zip(&lo).zip(want) {
                    let want = want.split();
                    assert_eq!(
                        [*hi, *lo].map(bits),
                        [want.0, want.1].map(bits),
                        "{special} among {n} × {k}, {m}"
                    );
                }
            }
        }
    }
}
