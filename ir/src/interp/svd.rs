//! Orthonormal bases, singular values and vectors of matrices with no fewer rows than columns, in any precision, by one-sided Jacobi
//! rotations and by Gram & Schmidt.

use super::Val;
use super::eigen::{MORE, SWEEPS, Turn, complex, conj, lead, modulus, times};
use crate::num::Real;
use num_complex::Complex;
use std::cmp::Ordering;

/// Pairs of columns with a smaller cosine are turned, but do not count.
const NEGLIGIBLE: f64 = 1e-14;

/// Columns of V and, below them, of U, and how long the latter were; in descending order.
pub(super) struct Svd<R> {
    rows: [usize; 2],
    columns: Vec<Vec<Complex<R>>>,
    values: Vec<R>,
}

impl<R: Real> Svd<R> {
    /// Of the m × n matrix.
    pub(super) fn of(a: &[Val<R>], [m, n]: [usize; 2]) -> Svd<R> {
        let unit = |on: bool| Complex::new(R::from_f64(f64::from(u8::from(on))), R::from_f64(0.0));
        let mut columns = columns(a, [m, n]);
        for (j, column) in columns.iter_mut().enumerate() {
            column.splice(0..0, (0..n).map(|r| unit(r == j)));
        }
        if !is_finite(&columns) || m < n {
            let nan = R::from_f64(f64::NAN);
            columns.iter_mut().for_each(|c| c.fill(Complex::new(nan.clone(), nan.clone())));
            return Svd { rows: [m, n], columns, values: vec![nan; n] };
        }
        let mut more = MORE;
        for _ in 0..SWEEPS {
            let mut counted = false;
            for p in 0..n {
                for q in p + 1..n {
                    counted |= orthogonalise(&mut columns, n, [p, q]);
                }
            }
            more -= usize::from(!counted);
            if more == 0 {
                break;
            }
        }
        let size = |column: &Vec<Complex<R>>| dot(&column[n..], &column[n..]).re;
        columns.sort_by(|p, q| size(q).compare(&size(p)).unwrap_or(Ordering::Equal));
        let mut left: Vec<Vec<Complex<R>>> = columns.iter().map(|c| c[n..].to_vec()).collect();
        let values = gram_schmidt(&mut left, m);
        for (column, left) in columns.iter_mut().zip(left) {
            column.splice(n.., left);
            lead(column, n);
        }
        Svd { rows: [m, n], columns, values }
    }

    /// In descending order.
    pub(super) fn values(&self) -> &[R] {
        &self.values
    }

    /// V above U, row by row.
    pub(super) fn vectors(&self) -> Vec<Complex<R>> {
        let [m, n] = self.rows;
        by_rows(&self.columns, n + m)
    }

    /// Q of the m × n matrix Q R, row by row.
    pub(super) fn orthonormal(a: &[Val<R>], [m, n]: [usize; 2]) -> Vec<Complex<R>> {
        let mut columns = columns(a, [m, n]);
        gram_schmidt(&mut columns, m);
        by_rows(&columns, m)
    }
}

fn columns<R: Real>(a: &[Val<R>], [m, n]: [usize; 2]) -> Vec<Vec<Complex<R>>> {
    (0..n).map(|j| (0..m).map(|i| complex(&a[i * n + j])).collect()).collect()
}

fn by_rows<R: Real>(columns: &[Vec<Complex<R>>], rows: usize) -> Vec<Complex<R>> {
    (0..rows).flat_map(|r| columns.iter().map(move |c| c[r].clone())).collect()
}

fn is_finite<R: Real>(columns: &[Vec<Complex<R>>]) -> bool {
    columns.iter().flatten().all(|z| z.re.is_finite() && z.im.is_finite())
}

/// xᴴ y
fn dot<R: Real>(x: &[Complex<R>], y: &[Complex<R>]) -> Complex<R> {
    let zero = Complex::new(R::from_f64(0.0), R::from_f64(0.0));
    x.iter().zip(y).fold(zero, |sum, (x, y)| plus(&sum, &times(&conj(x), y)))
}

fn plus<R: Real>(x: &Complex<R>, y: &Complex<R>) -> Complex<R> {
    Complex::new(x.re.add(&y.re), x.im.add(&y.im))
}

/// Turns two columns so that their parts from row `n` on are orthogonal; whether their cosine counted.
fn orthogonalise<R: Real>(columns: &mut [Vec<Complex<R>>], n: usize, [p, q]: [usize; 2]) -> bool {
    let product = |p: usize, q: usize| dot(&columns[p][n..], &columns[q][n..]);
    let (off, one, other) = (product(p, q), product(p, p).re, product(q, q).re);
    let size = modulus(&off);
    if size.compare(&R::from_f64(0.0)) != Some(Ordering::Greater) {
        return false;
    }
    let counts = size.to_f64() > NEGLIGIBLE * (one.to_f64() * other.to_f64()).sqrt();
    let turn = Turn::of(&off, &size, other.sub(&one));
    for r in 0..columns[p].len() {
        (columns[p][r], columns[q][r]) = turn.apply(&columns[p][r], &columns[q][r]);
    }
    counts
}

/// Makes the columns of `m` numbers orthonormal, one after the other, and gives what was left of each. Where nothing is, the axis
/// that is the furthest from those before takes its place.
fn gram_schmidt<R: Real>(columns: &mut [Vec<Complex<R>>], m: usize) -> Vec<R> {
    let finite = is_finite(columns) && columns.len() <= m;
    let (zero, nan) = (R::from_f64(0.0), R::from_f64(f64::NAN));
    if !finite {
        columns.iter_mut().for_each(|c| c.fill(Complex::new(nan.clone(), nan.clone())));
        return vec![nan; columns.len()];
    }
    let mut left = Vec::new();
    for j in 0..columns.len() {
        let (done, rest) = columns.split_at_mut(j);
        let column = &mut rest[0];
        let mut length = reduced(done, column);
        left.push(length.clone());
        if length.compare(&zero) != Some(Ordering::Greater) {
            let covered = |r: usize| done.iter().map(|c| modulus(&c[r]).to_f64().powi(2)).sum::<f64>();
            let furthest = (0..m).fold(0, |best, r| if covered(r) < covered(best) { r } else { best });
            column.fill(Complex::new(zero.clone(), zero.clone()));
            column[furthest].re = R::from_f64(1.0);
            length = reduced(done, column);
        }
        column.iter_mut().for_each(|z| *z = Complex::new(z.re.div(&length), z.im.div(&length)));
    }
    left
}

/// Takes the orthonormal columns out of another, twice, and gives the length of the rest.
fn reduced<R: Real>(done: &[Vec<Complex<R>>], column: &mut [Complex<R>]) -> R {
    for other in done.iter().chain(done) {
        let along = dot(other, column);
        let along = Complex::new(along.re.neg(), along.im.neg());
        column.iter_mut().zip(other).for_each(|(z, x)| *z = plus(z, &times(x, &along)));
    }
    dot(column, column).re.sqrt()
}
