//! Orthonormal bases, singular values and singular vectors of real and complex m × n matrices with m ≥ n, once for every type of
//! elements, double-doubles included.
//!
//! The basis is Householder's. The singular values are found by one-sided Jacobi rotations (Hestenes; Demmel & Veselić, SIAM J. Matrix
//! Anal. Appl. 13, 1992): columns are turned until each is orthogonal to each, and their lengths are the singular values, with
//! relative accuracy where that of the matrix's columns allows it. No Gram matrix is formed, whose small eigenvalues would have lost
//! half of their digits. As for [`eigen`](crate::eigen), the order of operations is fixed.
//!
//! Matrices are row by row, but are copied into columns one after the other to work on.

use crate::eigen::{Field, Part, SWEEPS, Turn, lead};

/// Q with orthonormal columns and A = Q R, R being upper triangular with a real diagonal that is not negative. The columns of a matrix
/// without full rank still make an orthonormal Q. NaN if an element is not finite, or if m < n. `memory` is for 2 m n numbers.
///
/// # Panics
/// If there are not as many elements.
pub fn orthonormal<T: Field>([m, n]: [usize; 2], q: &mut [T], a: &[T], memory: &mut [T]) {
    let (v, out) = memory.split_at_mut(m * n);
    if n == 0 {
        return;
    }
    if m < n || load([m, n], a, v, 0).is_none() {
        return q.fill(nan());
    }
    for k in 0..n {
        let (done, rest) = v.split_at_mut((k + 1) * m);
        let x = &mut done[k * m + k..];
        let norm = square(x).root();
        if norm.high() == 0.0 {
            continue;
        }
        // v ∝ x + phase(x₁) |x| e₁, of length √2, so that the reflection is 1 − v vᴴ.
        let size = x[0].modulus();
        let longer = T::of_real(size + norm);
        x[0] = if size.high() == 0.0 { longer } else { x[0].over_real(size).times(longer) };
        let length = (norm * (norm + size)).root();
        x.iter_mut().for_each(|z| *z = z.over_real(length));
        rest.chunks_exact_mut(m).for_each(|y| reflect(x, &mut y[k..]));
    }
    out.fill(T::of_real(T::Real::of(0.0)));
    for k in (0..n).rev() {
        let x = &v[k * m + k..(k + 1) * m];
        let size = x[0].modulus();
        // The reflection makes −phase(x₁) of the diagonal.
        let one = T::Real::of(1.0);
        out[k * m + k] = if size.high() == 0.0 { T::of_real(one) } else { x[0].over_real(-size) };
        out[k * m..n * m].chunks_exact_mut(m).for_each(|y| reflect(x, &mut y[k..]));
    }
    store([m, n], out, m, q);
}

/// The singular values in descending order, in the place of the first n numbers of `memory`, which is for (m + 1) n.
///
/// # Panics
/// If there are not as many elements.
pub fn singular_values<T: Field>([m, n]: [usize; 2], a: &[T], memory: &mut [T]) {
    let (values, columns) = memory.split_at_mut(n);
    let Some(shift) = load([m, n], a, columns, 0).filter(|_| m >= n) else { return values.fill(nan()) };
    rotate(n, columns, m, 0);
    for (value, x) in values.iter_mut().zip(columns.chunks_exact(m.max(1))) {
        *value = shifted(T::of_real(square(x).root()), -shift);
    }
}

/// V above U, n + m rows of n columns, with A = U diag(σ) Vᴴ. In each column of V the first element that has
/// [`LEADING`](crate::eigen::LEADING) of the largest modulus is positive. Where a singular value is 0, the column of U is any that is
/// orthonormal to those before. NaN if an element is not finite, or if m < n. `memory` is for (n + m) n numbers.
///
/// # Panics
/// If there are not as many elements.
pub fn singular_vectors<T: Field>([m, n]: [usize; 2], vu: &mut [T], a: &[T], memory: &mut [T]) {
    let rows = n + m;
    if m < n || load([m, n], a, memory, n).is_none() {
        return vu.fill(nan());
    }
    rotate(n, memory, rows, n);
    for j in 0..n {
        let (done, rest) = memory.split_at_mut(j * rows);
        let column = &mut rest[..rows];
        let size = square(&column[n..]).root();
        if size.high() == 0.0 {
            complete(done, &mut column[n..], n);
        } else {
            column[n..].iter_mut().for_each(|z| *z = z.over_real(size));
        }
        lead(column, n, 0..rows);
    }
    store([rows, n], memory, rows, vu);
}

fn nan<T: Field>() -> T {
    T::of_real(T::Real::of(f64::NAN))
}

/// Copies the matrix into columns, of which each begins with `top` numbers of the identity, and multiplies it by the power of two with
/// the returned exponent: the largest part is of the size [`Part::EXPONENT`] then. `None` if an element is not finite.
fn load<T: Field>([m, n]: [usize; 2], a: &[T], columns: &mut [T], top: usize) -> Option<i32> {
    assert!(a.len() == m * n && columns.len() == (top + m) * n, "a matrix of {m} rows and {n} columns");
    let mut largest = 0.0f64;
    for z in a {
        let parts = [z.real_part(), z.imaginary_part()].map(|x| x.high().abs());
        if !parts.iter().all(|x| x.is_finite()) {
            return None;
        }
        largest = largest.max(parts[0]).max(parts[1]);
    }
    let shift = if largest == 0.0 { 0 } else { T::Real::EXPONENT - exponent(largest) };
    for j in 0..n {
        let column = &mut columns[j * (top + m)..(j + 1) * (top + m)];
        for (r, z) in column.iter_mut().enumerate() {
            *z = match r.checked_sub(top) {
                Some(r) => shifted(a[r * n + j], shift),
                None => T::of_real(T::Real::of(if r == j { 1.0 } else { 0.0 })),
            };
        }
    }
    Some(shift)
}

/// The columns of so many rows as a matrix.
fn store<T: Field>([m, n]: [usize; 2], columns: &[T], rows: usize, to: &mut [T]) {
    for i in 0..m {
        (0..n).for_each(|j| to[i * n + j] = columns[j * rows + i]);
    }
}

/// The exponent of a positive number.
fn exponent(x: f64) -> i32 {
    let of = |x: f64| (x.to_bits() >> 52) as i32 - 1023;
    if x < f64::MIN_POSITIVE { of(x * 2f64.powi(54)) - 54 } else { of(x) }
}

/// z · 2^by, in two steps, as a single factor may be out of range.
fn shifted<T: Field>(z: T, by: i32) -> T {
    let half = by / 2;
    [half, by - half].iter().fold(z, |z, by| z.times_real(T::Real::of(2f64.powi(*by))))
}

/// |x|²
fn square<T: Field>(x: &[T]) -> T::Real {
    x.iter().fold(T::Real::of(0.0), |sum, z| {
        let (re, im) = (z.real_part(), z.imaginary_part());
        sum + (re * re + im * im)
    })
}

/// xᴴ y
fn dot<T: Field>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).fold(T::of_real(T::Real::of(0.0)), |sum, (x, y)| sum.plus(x.conjugate().times(*y)))
}

/// y + x s
fn add<T: Field>(y: &mut [T], x: &[T], s: T) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = y.plus(x.times(s)));
}

/// y − v vᴴ y
fn reflect<T: Field>(v: &[T], y: &mut [T]) {
    let along = dot(v, y);
    add(y, v, along.times_real(T::Real::of(-1.0)));
}

/// Turns the columns of so many rows until they are orthogonal from row `top` on, and sorts them by their lengths there.
fn rotate<T: Field>(n: usize, columns: &mut [T], rows: usize, top: usize) {
    // What the sum of m products is rounded by is no angle.
    let negligible = T::Real::UNIT * ((rows - top) as f64).sqrt();
    for _ in 0..SWEEPS {
        let mut done = true;
        for p in 0..n {
            for q in p + 1..n {
                let (front, back) = columns.split_at_mut(q * rows);
                let (x, y) = (&mut front[p * rows..(p + 1) * rows], &mut back[..rows]);
                done &= !orthogonalise(x, y, top, negligible);
            }
        }
        if done {
            break;
        }
    }
    // Rounding may have left equal ones in any order.
    for i in 0..n {
        let size = |j: usize| square(&columns[j * rows + top..(j + 1) * rows]);
        let largest = (i + 1..n).fold(i, |l, j| if (size(l) - size(j)).high() < 0.0 { j } else { l });
        (0..rows).for_each(|r| columns.swap(i * rows + r, largest * rows + r));
    }
}

/// Turns two columns so that they are orthogonal from row `top` on, the longer one first; whether there was anything to do.
fn orthogonalise<T: Field>(x: &mut [T], y: &mut [T], top: usize, negligible: f64) -> bool {
    let mut squares = [&*x, &*y].map(|c| square(&c[top..]));
    if squares[0].high() < squares[1].high() {
        x.swap_with_slice(y);
        squares.swap(0, 1);
    }
    let off = dot(&x[top..], &y[top..]);
    let size = off.modulus();
    let lengths = squares.map(|s| s.high().sqrt());
    if size.high() == 0.0 || size.high() <= negligible * lengths[0] * lengths[1] {
        return false;
    }
    let turn = Turn::of(off, size, squares[1] - squares[0]);
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = turn.apply(*x, *y);
    }
    true
}

/// A column orthonormal to those before, which are from row `top` on: the axis furthest from them, without what it has of them.
fn complete<T: Field>(done: &[T], column: &mut [T], top: usize) {
    let others = done.chunks_exact(top + column.len()).map(|c| &c[top..]);
    let covered = |r: usize| others.clone().map(|c| square(&c[r..=r]).high()).sum::<f64>();
    let furthest = (0..column.len()).fold(0, |best, r| if covered(r) < covered(best) { r } else { best });
    column.fill(T::of_real(T::Real::of(0.0)));
    column[furthest] = T::of_real(T::Real::of(1.0));
    // Twice: the first time leaves the rounding of what it takes away.
    for other in others.clone().chain(others) {
        let along = dot(other, column);
        add(column, other, along.times_real(T::Real::of(-1.0)));
    }
    let size = square(column).root();
    column.iter_mut().for_each(|z| *z = z.over_real(size));
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    /// Numbers from −1 to 1 that are not random at all.
    fn matrix([m, n]: [usize; 2]) -> Vec<Complex64> {
        let number = |k: usize| Complex64::new((k as f64 * 1.77 + 0.3).sin(), (k as f64 * 2.31).cos());
        (0..m * n).map(|k| number(k * k + k)).collect()
    }

    fn product(x: &[Complex64], y: &[Complex64], n: usize, [i, j]: [usize; 2]) -> Complex64 {
        (0..x.len() / n).map(|r| x[r * n + i].conj() * y[r * n + j]).sum()
    }

    fn factors(size: [usize; 2], a: &[Complex64]) -> (Vec<f64>, Vec<Complex64>) {
        let [m, n] = size;
        let mut s = vec![Complex64::ZERO; (m + 1) * n];
        singular_values(size, a, &mut s);
        let mut vu = vec![Complex64::ZERO; (n + m) * n];
        singular_vectors(size, &mut vu, a, &mut vec![Complex64::ZERO; (n + m) * n]);
        (s[..n].iter().map(|s| s.re).collect(), vu)
    }

    fn basis(size: [usize; 2], a: &[Complex64]) -> Vec<Complex64> {
        let mut q = vec![Complex64::ZERO; a.len()];
        orthonormal(size, &mut q, a, &mut vec![Complex64::ZERO; 2 * a.len()]);
        q
    }

    fn is_orthonormal(q: &[Complex64], n: usize) {
        for i in 0..n {
            for j in 0..n {
                let distance = (product(q, q, n, [i, j]) - f64::from(i == j)).norm();
                assert!(distance < 1e-14 * (n as f64), "{distance:e}");
            }
        }
    }

    #[test]
    fn factors_are_orthonormal_and_make_the_matrix() {
        for size in [[0, 0], [3, 0], [1, 1], [2, 2], [5, 3], [8, 8], [40, 20]] {
            let [m, n] = size;
            let mut a = matrix(size);
            for rank in [n, n.saturating_sub(2)] {
                for (k, z) in a.iter_mut().enumerate().filter(|(k, _)| k % n.max(1) >= rank) {
                    *z = Complex64::new(0.0, (k / n) as f64 * f64::from(k % n == n - 1));
                }
                let (s, vu) = factors(size, &a);
                let (v, u) = vu.split_at(n * n);
                is_orthonormal(v, n);
                is_orthonormal(u, n);
                assert!(s.is_sorted_by(|x, y| x >= y));
                for i in 0..m {
                    for j in 0..n {
                        let sum: Complex64 = (0..n).map(|k| u[i * n + k] * s[k] * v[j * n + k].conj()).sum();
                        assert!((sum - a[i * n + j]).norm() < 1e-14 * (m * n) as f64 * s[0].max(1.0));
                    }
                }
                let q = basis(size, &a);
                is_orthonormal(&q, n);
                for i in 0..n {
                    for j in 0..=i {
                        let r = product(&q, &a, n, [i, j]);
                        let below = if i == j { r.im.abs() + (-r.re).max(0.0) } else { r.norm() };
                        assert!(below < 1e-14 * m as f64 * s[0].max(1.0), "{r}");
                    }
                }
            }
        }
    }

    #[test]
    fn small_singular_values_have_their_digits() {
        // A Gram matrix would lose those below 1e-8.
        let mut a = matrix([6, 3]);
        let scale = [1.0, 1e-9, 1e-150];
        a.iter_mut().enumerate().for_each(|(k, z)| *z *= scale[k % 3]);
        let (s, vu) = factors([6, 3], &a);
        is_orthonormal(&vu[9..], 3);
        // Their product is that of the diagonal of R.
        let q = basis([6, 3], &a);
        let ratio: f64 = (0..3).map(|k| product(&q, &a, 3, [k, k]).re / s[k]).product();
        assert!((ratio - 1.0).abs() < 1e-14, "{s:?}");
        for by in [1e300, 1e-300] {
            let scaled: Vec<Complex64> = a.iter().map(|z| z * by).collect();
            let got = factors([6, 3], &scaled).0;
            assert!((got[0] / by / s[0] - 1.0).abs() < 1e-14 && (got[1] / by / s[1] - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn special_matrices() {
        let mut s = [0.0; 6];
        singular_values([2, 2], &[f64::MAX, 0.0, 0.0, 1.0], &mut s);
        assert_eq!(s[..2], [f64::MAX, 1.0]);
        singular_values([1, 1], &[-5e-324], &mut s[..2]);
        assert_eq!(s[0], 5e-324);
        singular_values([2, 2], &[0.0, 0.0, -2.0, 0.0], &mut s);
        assert_eq!(s[..2], [2.0, 0.0]);
        singular_values([2, 2], &[1.0, f64::INFINITY, 0.0, 0.0], &mut s);
        assert!(s[0].is_nan() && s[1].is_nan());
        let mut vu = [0.0; 8];
        singular_vectors([2, 2], &mut vu, &[0.0, 0.0, -2.0, 0.0], &mut [0.0; 8]);
        assert_eq!(vu, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, -1.0, 0.0]);
        let mut q = [0.0; 4];
        orthonormal([2, 2], &mut q, &[0.0, 0.0, -2.0, 0.0], &mut [0.0; 8]);
        assert_eq!(q, [0.0, 1.0, -1.0, 0.0]);
    }
}
