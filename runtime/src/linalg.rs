//! Matrix products and linear algebra on row-major matrices.
//!
//! Large products, and with them the bulk of every factorisation, go through the `gemm` crate; small ones and rows through
//! loops here. Results depend on sizes and on the machine's vector instructions, not on where the operands lie.
//!
//! LU takes the row with the largest |re| + |im| in the column as pivot, the first of several. Nothing allocates but `gemm`
//! itself: callers bring the memory.

mod vectors;

use crate::eigen::Field;
use num_complex::{Complex, Complex64};

/// Products of fewer multiplications are computed by loops here.
const SMALL: usize = 4096;
/// Products of a matrix and a vector of fewer multiplications are, too.
const TINY: usize = 64;
/// Columns that a factorisation does at a time.
const PANEL: usize = 32;

/// A matrix that is exactly singular, or for [`cholesky`] not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// Elements of matrices.
pub trait Element: Copy + PartialEq + Field + 'static {
    /// What the parts are made of.
    type Part: Copy;
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// `self + o`
    fn add(self, o: Self) -> Self;
    /// `self - o`
    fn sub(self, o: Self) -> Self;
    /// `self · o`
    fn mul(self, o: Self) -> Self;
    /// `self / o`
    fn div(self, o: Self) -> Self;
    /// `-self`
    fn neg(self) -> Self;
    /// The complex conjugate.
    fn conj(self) -> Self;
    /// |re| + |im|
    fn size(self) -> f64;
    /// |z|
    fn abs(self) -> f64;
    /// The real part.
    fn re(self) -> f64;
    /// A real number, rounded to the type.
    fn real(x: f64) -> Self;
    /// A real number as a part.
    fn part(x: f64) -> Self::Part;
    /// A part as a number.
    fn of_part(x: Self::Part) -> Self;
    /// Part by part times a real number.
    fn scale(self, x: Self::Part) -> Self;
    /// `out = y b` of k numbers and a k × m matrix, if there is a way of its own for such numbers.
    fn row(size: [usize; 2], out: &mut [Self], y: &[Self], b: &[Self]) -> bool;
    /// `out = a x` of an n × k matrix and k numbers, if there is a way of its own for such numbers.
    fn column(size: [usize; 2], out: &mut [Self], a: &[Self], x: &[Self]) -> bool;
    /// `column` and `row` of one matrix in one pass, with the bits of both, if there is a way of its own for such numbers.
    fn both(size: [usize; 2], out: [&mut [Self]; 2], a: &[Self], x: &[Self], y: &[Self]) -> bool;
}

macro_rules! real_element {
    ($($t:ty, $row:path, $column:path, $both:path);*) => {$(
        impl Element for $t {
            type Part = $t;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            fn add(self, o: $t) -> $t { self + o }
            fn sub(self, o: $t) -> $t { self - o }
            fn mul(self, o: $t) -> $t { self * o }
            fn div(self, o: $t) -> $t { self / o }
            fn neg(self) -> $t { -self }
            fn conj(self) -> $t { self }
            fn size(self) -> f64 { <$t>::abs(self) as f64 }
            fn abs(self) -> f64 { <$t>::abs(self) as f64 }
            fn re(self) -> f64 { self as f64 }
            fn real(x: f64) -> $t { x as $t }
            fn part(x: f64) -> $t { x as $t }
            fn of_part(x: $t) -> $t { x }
            fn scale(self, x: $t) -> $t { self * x }
            fn row(size: [usize; 2], out: &mut [$t], y: &[$t], b: &[$t]) -> bool { $row(size, out, y, b) }
            fn column(size: [usize; 2], out: &mut [$t], a: &[$t], x: &[$t]) -> bool { $column(size, out, a, x) }
            fn both(size: [usize; 2], out: [&mut [$t]; 2], a: &[$t], x: &[$t], y: &[$t]) -> bool { $both(size, out, a, x, y) }
        }
    )*};
}

macro_rules! complex_element {
    ($($part:ty, $row:path, $column:path);*) => {$(
        impl Element for Complex<$part> {
            type Part = $part;
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            fn add(self, o: Self) -> Self { self + o }
            fn sub(self, o: Self) -> Self { self - o }
            fn mul(self, o: Self) -> Self { self * o }
            fn div(self, o: Self) -> Self {
                let wide = |z: Self| Complex64::new(z.re as f64, z.im as f64);
                let q = crate::complex::div(wide(self), wide(o));
                Complex::new(q.re as $part, q.im as $part)
            }
            fn neg(self) -> Self { -self }
            fn conj(self) -> Self { Complex::new(self.re, -self.im) }
            fn size(self) -> f64 { (self.re.abs() + self.im.abs()) as f64 }
            fn abs(self) -> f64 { crate::real::hypot(self.re as f64, self.im as f64) }
            fn re(self) -> f64 { self.re as f64 }
            fn real(x: f64) -> Self { Complex::new(x as $part, 0.0) }
            fn part(x: f64) -> $part { x as $part }
            fn of_part(x: $part) -> Self { Complex::new(x, 0.0) }
            fn scale(self, x: $part) -> Self { Complex::new(self.re * x, self.im * x) }
            fn row(size: [usize; 2], out: &mut [Self], y: &[Self], b: &[Self]) -> bool { $row(size, out, y, b) }
            fn column(size: [usize; 2], out: &mut [Self], a: &[Self], x: &[Self]) -> bool { $column(size, out, a, x) }
            fn both(_: [usize; 2], _: [&mut [Self]; 2], _: &[Self], _: &[Self], _: &[Self]) -> bool { false }
        }
    )*};
}

real_element! {
    f32, vectors::none, vectors::none, vectors::neither;
    f64, vectors::real_row, vectors::real_column, vectors::real_both
}
complex_element!(f32, vectors::none, vectors::none; f64, vectors::complex_row, vectors::complex_column);

/// A part of a matrix: where it begins, and how far its rows are apart.
#[derive(Clone, Copy)]
struct Part {
    at: usize,
    stride: usize,
}

/// `out = a b` of an n × k and a k × m matrix (`size` is n, k, m).
///
/// # Panics
/// If there are not as many elements.
pub fn matmul<T: Element>(size: [usize; 3], out: &mut [T], a: &[T], b: &[T]) {
    let [n, k, m] = size;
    check(size, out, a, b);
    if n * k * m >= TINY && (m == 1 && T::column([n, k], out, a, b) || n == 1 && T::row([k, m], out, a, b)) {
        return;
    }
    if n * k * m < SMALL {
        return small(size, out, a, b, |x: T, y: T| x.mul(y));
    }
    // SAFETY: the three are different slices, of the sizes just checked.
    unsafe {
        let parts = [Part { at: 0, stride: m }, Part { at: 0, stride: k }, Part { at: 0, stride: m }];
        product(size, out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), parts, None);
    }
}

/// `a x` and `y a` of an n × k matrix, k numbers and n numbers (`size` is n, k), with the bits that [`matmul`] gives of each.
///
/// # Panics
/// If there are not as many elements.
pub fn matmul_both<T: Element>([n, k]: [usize; 2], [ax, ya]: [&mut [T]; 2], a: &[T], x: &[T], y: &[T]) {
    check([n, k, 1], ax, a, x);
    check([1, n, k], ya, y, a);
    // Both products have their own ways from there on.
    let large = n * k >= SMALL && n > 1 && k > 1;
    if !(large && T::both([n, k], [&mut *ax, &mut *ya], a, x, y)) {
        matmul([n, k, 1], ax, a, x);
        matmul([1, n, k], ya, y, a);
    }
}

/// `out = a b` with a real `a`.
///
/// # Panics
/// If there are not as many elements.
pub fn real_matmul<T: Element>(size: [usize; 3], out: &mut [T], a: &[T::Part], b: &[T]) {
    check(size, out, a, b);
    small(size, out, a, b, |x: T::Part, y: T| y.scale(x));
}

/// `out = a b` with a real `b`.
///
/// # Panics
/// If there are not as many elements.
pub fn matmul_real<T: Element>(size: [usize; 3], out: &mut [T], a: &[T], b: &[T::Part]) {
    check(size, out, a, b);
    small(size, out, a, b, |x: T, y: T::Part| x.scale(y));
}

fn check<A, B, C>([n, k, m]: [usize; 3], out: &[C], a: &[A], b: &[B]) {
    assert!(out.len() == n * m && a.len() == n * k && b.len() == k * m, "sizes {n}, {k}, {m} of a product");
}

/// Row by row; a single column by eight sums.
fn small<A: Copy, B: Copy, T: Element>(
    [n, k, m]: [usize; 3],
    out: &mut [T],
    a: &[A],
    b: &[B],
    times: impl Fn(A, B) -> T + Copy,
) {
    if m == 1 {
        for i in 0..n {
            out[i] = dot(&a[i * k..(i + 1) * k], b, times);
        }
        return;
    }
    out.fill(T::ZERO);
    for i in 0..n {
        let row = &mut out[i * m..(i + 1) * m];
        for l in 0..k {
            let x = a[i * k + l];
            for (y, z) in row.iter_mut().zip(&b[l * m..(l + 1) * m]) {
                *y = y.add(times(x, *z));
            }
        }
    }
}

fn dot<A: Copy, B: Copy, T: Element>(a: &[A], b: &[B], times: impl Fn(A, B) -> T) -> T {
    const LANES: usize = 8;
    let mut sums = [T::ZERO; LANES];
    let (chunks, others) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let (rest, rest_b) = (chunks.remainder(), others.remainder());
    for (x, y) in chunks.zip(others) {
        for j in 0..LANES {
            sums[j] = sums[j].add(times(x[j], y[j]));
        }
    }
    for (j, (x, y)) in rest.iter().zip(rest_b).enumerate() {
        sums[j] = sums[j].add(times(*x, *y));
    }
    let mut half = LANES / 2;
    while half > 0 {
        for j in 0..half {
            sums[j] = sums[j].add(sums[j + half]);
        }
        half /= 2;
    }
    sums[0]
}

/// `out = a b`, or `out += factor a b`.
///
/// # Safety
/// The parts lie inside the memory behind the pointers, and `out` overlaps neither `a` nor `b`.
unsafe fn product<T: Element>(
    [n, k, m]: [usize; 3],
    out: *mut T,
    a: *const T,
    b: *const T,
    [po, pa, pb]: [Part; 3],
    factor: Option<T>,
) {
    // SAFETY: the caller's promise; strides are those of row-major matrices.
    unsafe {
        gemm::gemm(
            n,
            m,
            k,
            out.add(po.at),
            1,
            po.stride as isize,
            factor.is_some(),
            a.add(pa.at),
            1,
            pa.stride as isize,
            b.add(pb.at),
            1,
            pb.stride as isize,
            T::ONE,
            factor.unwrap_or(T::ONE),
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// `out -= a b` where all three are parts of one matrix that do not overlap.
fn subtract<T: Element>(size: [usize; 3], matrix: &mut [T], parts: [Part; 3]) {
    let [n, k, m] = size;
    if n * k * m == 0 {
        return;
    }
    let last = |p: Part, rows: usize, columns: usize| p.at + (rows - 1) * p.stride + columns;
    let [po, pa, pb] = parts;
    let len = matrix.len();
    assert!(last(po, n, m) <= len && last(pa, n, k) <= len && last(pb, k, m) <= len, "parts of a matrix");
    if n * k * m < SMALL {
        for i in 0..n {
            for l in 0..k {
                let x = matrix[pa.at + i * pa.stride + l];
                for j in 0..m {
                    let y = x.mul(matrix[pb.at + l * pb.stride + j]);
                    let at = po.at + i * po.stride + j;
                    matrix[at] = matrix[at].sub(y);
                }
            }
        }
        return;
    }
    let p = matrix.as_mut_ptr();
    // SAFETY: the parts are inside, and by contract do not overlap.
    unsafe { product(size, p, p, p, parts, Some(T::ONE.neg())) }
}

/// P A = L U in the place of A; L has ones on its diagonal, which are not stored.
struct Lu {
    /// Whether P is an odd permutation.
    odd: bool,
    singular: bool,
}

/// Factorises the n × n matrix `a`; row i of P A is row `rows[i]` of A.
fn factorise<T: Element>(n: usize, a: &mut [T], rows: &mut [usize]) -> Lu {
    let mut lu = Lu { odd: false, singular: false };
    rows.iter_mut().enumerate().for_each(|(i, r)| *r = i);
    let mut first = 0;
    while first < n {
        let end = n.min(first + PANEL);
        for k in first..end {
            let mut pivot = k;
            for i in k + 1..n {
                if a[i * n + k].size() > a[pivot * n + k].size() {
                    pivot = i;
                }
            }
            if pivot != k {
                lu.odd = !lu.odd;
                rows.swap(k, pivot);
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
            let u = &upper[k * n + k + 1..k * n + end];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k].div(d);
                row[k] = factor;
                for (x, y) in row[k + 1..end].iter_mut().zip(u) {
                    *x = x.sub(factor.mul(*y));
                }
            }
        }
        // The rows of U right of the panel, then what is left.
        for i in first..end {
            let (upper, lower) = a.split_at_mut(i * n);
            for l in first..i {
                let factor = lower[l];
                for (x, y) in lower[end..n].iter_mut().zip(&upper[l * n + end..(l + 1) * n]) {
                    *x = x.sub(factor.mul(*y));
                }
            }
        }
        let part = |i: usize, j: usize| Part { at: i * n + j, stride: n };
        subtract([n - end, end - first, n - end], a, [part(end, end), part(end, first), part(first, end)]);
        first = end;
    }
    lu
}

/// Solves L U x = b in place for a right-hand side with m columns, from the factorised matrix.
fn substitute<T: Element>(n: usize, m: usize, lu: &[T], x: &mut [T]) {
    for i in 0..n {
        let (done, rest) = x.split_at_mut(i * m);
        for j in 0..i {
            let factor = lu[i * n + j];
            for (x, y) in rest[..m].iter_mut().zip(&done[j * m..(j + 1) * m]) {
                *x = x.sub(factor.mul(*y));
            }
        }
    }
    for i in (0..n).rev() {
        let (rest, done) = x.split_at_mut((i + 1) * m);
        let row = &mut rest[i * m..];
        for j in i + 1..n {
            let factor = lu[i * n + j];
            for (x, y) in row.iter_mut().zip(&done[(j - i - 1) * m..(j - i) * m]) {
                *x = x.sub(factor.mul(*y));
            }
        }
        let d = lu[i * n + i];
        row.iter_mut().for_each(|x| *x = x.div(d));
    }
}

/// x with A x = b, for an n × n matrix and a b with m columns (`size` is n, m). `a` is destroyed, `rows` is memory for n numbers.
///
/// # Panics
/// If there are not as many elements.
pub fn solve<T: Element>(
    [n, m]: [usize; 2],
    x: &mut [T],
    a: &mut [T],
    b: &[T],
    rows: &mut [usize],
) -> Result<(), Singular> {
    if factorise(n, a, rows).singular {
        return Err(Singular);
    }
    for (i, r) in rows.iter().enumerate() {
        x[i * m..(i + 1) * m].copy_from_slice(&b[r * m..(r + 1) * m]);
    }
    substitute(n, m, a, x);
    Ok(())
}

/// x with Aᴴ x = b by the factors of A, as [`solve`].
///
/// # Panics
/// If there are not as many elements.
pub fn solve_adjoint<T: Element>(
    [n, m]: [usize; 2],
    x: &mut [T],
    a: &mut [T],
    b: &[T],
    rows: &mut [usize],
) -> Result<(), Singular> {
    if factorise(n, a, rows).singular {
        return Err(Singular);
    }
    x.copy_from_slice(b);
    substitute_adjoint(n, m, a, x, rows);
    Ok(())
}

/// The factors of an n × n matrix for [`lu_solve`]: L and U in one, and a further row with the numbers of the rows of `a` that
/// P A is made of. `rows` is memory for n numbers.
///
/// # Panics
/// If there are not as many elements.
pub fn lu<T: Element>(n: usize, f: &mut [T], a: &[T], rows: &mut [usize]) -> Result<(), Singular> {
    let (factors, order) = f.split_at_mut(n * n);
    factors.copy_from_slice(a);
    if factorise(n, factors, rows).singular {
        return Err(Singular);
    }
    // Exact in single precision, too: no matrix has 2²⁴ rows.
    order.iter_mut().zip(rows).for_each(|(x, r)| *x = T::real(*r as f64));
    Ok(())
}

/// The number of a row as [`lu`] stores it; some row, if it did not.
fn row<T: Element>(x: T, n: usize) -> usize {
    (x.re() as usize).min(n - 1)
}

/// To the bit what [`solve`] gives, from the factors of [`lu`].
///
/// # Panics
/// If there are not as many elements.
pub fn lu_solve<T: Element>([n, m]: [usize; 2], x: &mut [T], f: &[T], b: &[T]) {
    let (factors, order) = f.split_at(n * n);
    for (i, r) in order.iter().enumerate() {
        let r = row(*r, n);
        x[i * m..(i + 1) * m].copy_from_slice(&b[r * m..(r + 1) * m]);
    }
    substitute(n, m, factors, x);
}

/// To the bit what [`solve_adjoint`] gives, from the factors of [`lu`]. `rows` is memory for n numbers.
///
/// # Panics
/// If there are not as many elements.
pub fn lu_solve_adjoint<T: Element>([n, m]: [usize; 2], x: &mut [T], f: &[T], b: &[T], rows: &mut [usize]) {
    let (factors, order) = f.split_at(n * n);
    rows.iter_mut().zip(order).for_each(|(r, x)| *r = row(*x, n));
    x.copy_from_slice(b);
    substitute_adjoint(n, m, factors, x, rows);
}

/// Solves Uᴴ Lᴴ P x = b in place, as [`substitute`]; `rows` is destroyed.
fn substitute_adjoint<T: Element>(n: usize, m: usize, lu: &[T], x: &mut [T], rows: &mut [usize]) {
    // Both factors row by row, as they lie.
    for i in 0..n {
        let (done, rest) = x.split_at_mut((i + 1) * m);
        let row = &mut done[i * m..];
        let d = lu[i * n + i].conj();
        row.iter_mut().for_each(|x| *x = x.div(d));
        for (k, below) in (i + 1..n).zip(rest.chunks_exact_mut(m.max(1))) {
            let factor = lu[i * n + k].conj();
            below.iter_mut().zip(&*row).for_each(|(x, y)| *x = x.sub(factor.mul(*y)));
        }
    }
    for i in (0..n).rev() {
        let (above, rest) = x.split_at_mut(i * m);
        for (k, above) in above.chunks_exact_mut(m.max(1)).enumerate() {
            let factor = lu[i * n + k].conj();
            above.iter_mut().zip(&rest[..m]).for_each(|(x, y)| *x = x.sub(factor.mul(*y)));
        }
    }
    // Row i is that of number rows[i]: one more is in its place with each exchange, unless these are no factors.
    let mut left = n;
    for i in 0..n {
        while rows[i] != i && left > 0 {
            left -= 1;
            let to = rows[i];
            for c in 0..m {
                x.swap(i * m + c, to * m + c);
            }
            rows.swap(i, to);
        }
    }
}

/// The inverse, as [`solve`].
///
/// # Panics
/// If there are not as many elements.
pub fn inv<T: Element>(n: usize, x: &mut [T], a: &mut [T], rows: &mut [usize]) -> Result<(), Singular> {
    if factorise(n, a, rows).singular {
        return Err(Singular);
    }
    x.fill(T::ZERO);
    for (i, r) in rows.iter().enumerate() {
        x[i * n + r] = T::ONE;
    }
    substitute(n, n, a, x);
    Ok(())
}

/// The determinant. `a` is destroyed.
///
/// # Panics
/// If there are not as many elements.
pub fn det<T: Element>(n: usize, a: &mut [T], rows: &mut [usize]) -> T {
    let lu = factorise(n, a, rows);
    let det = (0..n).fold(T::ONE, |det, k| det.mul(a[k * n + k]));
    if lu.odd { det.neg() } else { det }
}

/// log |det A|. `a` is destroyed.
///
/// # Panics
/// If there are not as many elements.
pub fn logdet<T: Element>(n: usize, a: &mut [T], rows: &mut [usize]) -> f64 {
    factorise(n, a, rows);
    (0..n).fold(0.0, |sum, k| sum + crate::real::log(a[k * n + k].abs()))
}

/// Lower L with L Lᴴ = A, zeros above the diagonal; only A's lower triangle is read. Fails at a pivot that is not positive.
///
/// # Panics
/// If there are not as many elements.
pub fn cholesky<T: Element>(n: usize, l: &mut [T], a: &[T]) -> Result<(), Singular> {
    l.fill(T::ZERO);
    for i in 0..n {
        let (done, rest) = l.split_at_mut(i * n);
        let row = &mut rest[..n];
        for j in 0..i {
            let above = &done[j * n..j * n + j];
            let sum = dot(&row[..j], above, |x: T, y: T| x.mul(y.conj()));
            row[j] = a[i * n + j].sub(sum).div(T::real(done[j * n + j].re()));
        }
        let sum = dot(&row[..i], &row[..i], |x: T, y: T| x.mul(y.conj()));
        let d = a[i * n + i].sub(sum).re();
        if d <= 0.0 {
            return Err(Singular);
        }
        row[i] = T::real(d.sqrt());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from −1 to 1 that are not random at all.
    fn numbers(len: usize, seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        (0..len).map(|_| next()).collect()
    }

    fn complex(len: usize, seed: u64) -> Vec<Complex64> {
        let parts = numbers(2 * len, seed);
        parts.chunks(2).map(|p| Complex64::new(p[0], p[1])).collect()
    }

    fn near(a: &[Complex64], b: &[Complex64], tolerance: f64) {
        assert_eq!(a.len(), b.len());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).norm() <= tolerance, "{x} and {y}");
        }
    }

    fn plain(n: usize, k: usize, m: usize, a: &[Complex64], b: &[Complex64]) -> Vec<Complex64> {
        let entry = |at: usize| (0..k).map(|l| a[at / m * k + l] * b[l * m + at % m]).sum();
        (0..n * m).map(entry).collect()
    }

    #[test]
    fn products_and_solutions() {
        for n in [1, 2, 3, 7, 16, 33, 70] {
            let (a, b) = (complex(n * n, n as u64), complex(n * 3, 7));
            let mut c = vec![Complex64::ZERO; n * 3];
            matmul([n, n, 3], &mut c, &a, &b);
            near(&c, &plain(n, n, 3, &a, &b), 1e-12 * n as f64);
            let (mut x, mut rows) = (vec![Complex64::ZERO; n * 3], vec![0; n]);
            solve([n, 3], &mut x, &mut a.clone(), &c, &mut rows).unwrap();
            near(&x, &b, 1e-9);
            let mut factors = vec![Complex64::ZERO; n * n + n];
            lu(n, &mut factors, &a, &mut rows).unwrap();
            let mut shared = vec![Complex64::ZERO; n * 3];
            lu_solve([n, 3], &mut shared, &factors, &c);
            assert_eq!(x, shared, "the same bits");
            let adjoint: Vec<Complex64> = (0..n * n).map(|i| a[i % n * n + i / n].conj()).collect();
            let c = plain(n, n, 3, &adjoint, &b);
            solve_adjoint([n, 3], &mut x, &mut a.clone(), &c, &mut rows).unwrap();
            near(&x, &b, 1e-9);
            lu_solve_adjoint([n, 3], &mut shared, &factors, &c, &mut rows);
            assert_eq!(x, shared, "the same bits");
            let mut inverse = vec![Complex64::ZERO; n * n];
            inv(n, &mut inverse, &mut a.clone(), &mut rows).unwrap();
            let unit: Vec<Complex64> = (0..n * n).map(|i| ((i / n == i % n) as u8 as f64).into()).collect();
            near(&plain(n, n, n, &a, &inverse), &unit, 1e-9);
            let det = det(n, &mut a.clone(), &mut rows);
            assert!((det.norm().ln() - logdet(n, &mut a.clone(), &mut rows)).abs() < 1e-9);
            let mut gram = plain(n, n, n, &a, &adjoint);
            (0..n).for_each(|i| gram[i * n + i] += 0.5);
            let mut l = vec![Complex64::ZERO; n * n];
            cholesky(n, &mut l, &gram).unwrap();
            let lh: Vec<Complex64> = (0..n * n).map(|i| l[i % n * n + i / n].conj()).collect();
            near(&plain(n, n, n, &l, &lh), &gram, 1e-11 * n as f64);
        }
    }

    #[test]
    fn singular_matrices() {
        let a = [1.0, 2.0, 2.0, 4.0];
        let (mut x, mut rows) = ([0.0; 2], [0; 2]);
        assert_eq!(solve([2, 1], &mut x, &mut a.clone(), &[1.0, 1.0], &mut rows), Err(Singular));
        assert_eq!(det(2, &mut a.clone(), &mut rows), 0.0);
        assert_eq!(logdet(2, &mut a.clone(), &mut rows), f64::NEG_INFINITY);
        assert_eq!(cholesky(2, &mut [0.0; 4], &[-1.0, 0.0, 0.0, 1.0]), Err(Singular));
        assert_eq!(solve([0, 1], &mut [], &mut [], &[] as &[f64], &mut []), Ok(()));
    }
}
