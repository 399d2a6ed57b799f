//! Eigenvalues and eigenvectors of Hermitian matrices in any precision, by cyclic Jacobi rotations.

use super::Val;
use crate::kind::LinalgOp;
use crate::num::Real;
use num_complex::Complex;
use std::cmp::Ordering;

/// More sweeps than any matrix takes.
pub(super) const SWEEPS: usize = 64;
/// Rotations by a smaller angle do not count as one. They are done nevertheless.
const NEGLIGIBLE: f64 = 8.7e-19;
/// Sweeps behind the last one with rotations that count. Each doubles the digits at least: enough for 500 bits.
pub(super) const MORE: usize = 4;

/// Matrices row by row: one that is diagonal, and the unitary one with whose columns it became that; and in which order the
/// diagonal ascends.
pub(super) struct Eigen<R> {
    n: usize,
    a: Vec<Complex<R>>,
    v: Vec<Complex<R>>,
    order: Vec<usize>,
}

impl<R: Real> Eigen<R> {
    /// Of the Hermitian matrix with this lower triangle.
    pub(super) fn of(lower: &[Val<R>], n: usize) -> Eigen<R> {
        let [zero, one] = [0.0, 1.0].map(R::from_f64);
        let number = |i: usize, j: usize| match complex(&lower[i * n + j]) {
            z if i == j => Complex::new(z.re, zero.clone()),
            z => z,
        };
        let hermitian = |at: usize| match (at / n, at % n) {
            (i, j) if i >= j => number(i, j),
            (i, j) => conj(&number(j, i)),
        };
        let mut a: Vec<Complex<R>> = (0..n * n).map(hermitian).collect();
        let unit = |at: usize| if at / n == at % n { one.clone() } else { zero.clone() };
        let mut v: Vec<Complex<R>> = (0..n * n).map(|at| Complex::new(unit(at), zero.clone())).collect();
        if a.iter().any(|z| !z.re.is_finite() || !z.im.is_finite()) {
            let nan = R::from_f64(f64::NAN);
            a.fill(Complex::new(nan.clone(), nan));
            v.clone_from(&a);
        }
        let mut eigen = Eigen { n, a, v, order: (0..n).collect() };
        let mut more = MORE;
        for _ in 0..SWEEPS {
            let mut counted = false;
            for p in 0..n {
                for q in p + 1..n {
                    counted |= eigen.annihilate(p, q);
                }
            }
            if !counted {
                more -= 1;
            }
            if more == 0 {
                break;
            }
        }
        let mut order = std::mem::take(&mut eigen.order);
        order.sort_by(|i, j| eigen.diagonal(*i).compare(eigen.diagonal(*j)).unwrap_or(Ordering::Equal));
        Eigen { order, ..eigen }
    }

    fn diagonal(&self, k: usize) -> &R {
        &self.a[k * self.n + k].re
    }

    /// In ascending order.
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = &R> {
        self.order.iter().map(|k| self.diagonal(*k))
    }

    /// As columns; of each the first element that has [`LinalgOp::LEADING`] of the largest modulus is positive.
    pub(super) fn vectors(&self) -> Vec<Complex<R>> {
        let n = self.n;
        let mut out = self.v.clone();
        for (j, k) in self.order.iter().enumerate() {
            let mut column: Vec<Complex<R>> = (0..n).map(|r| self.v[r * n + k].clone()).collect();
            lead(&mut column, n);
            column.into_iter().enumerate().for_each(|(r, z)| out[r * n + j] = z);
        }
        out
    }

    /// The rotation of axes p and q that makes element p, q zero; whether its angle counts.
    fn annihilate(&mut self, p: usize, q: usize) -> bool {
        let n = self.n;
        let off = self.a[p * n + q].clone();
        let size = modulus(&off);
        let apart = self.diagonal(q).sub(self.diagonal(p));
        // Also of NaN.
        if size.compare(&R::from_f64(0.0)) != Some(Ordering::Greater) {
            return false;
        }
        let counts = size.to_f64() > NEGLIGIBLE * apart.to_f64().abs();
        let turn = Turn::of(&off, &size, apart);
        for r in (0..n).filter(|r| *r != p && *r != q) {
            let (x, y) = turn.apply(&self.a[r * n + p], &self.a[r * n + q]);
            (self.a[p * n + r], self.a[q * n + r]) = (conj(&x), conj(&y));
            (self.a[r * n + p], self.a[r * n + q]) = (x, y);
        }
        let shift = turn.tangent.mul(&size);
        self.a[p * n + p].re = self.a[p * n + p].re.sub(&shift);
        self.a[q * n + q].re = self.a[q * n + q].re.add(&shift);
        let zero = Complex::new(R::from_f64(0.0), R::from_f64(0.0));
        (self.a[p * n + q], self.a[q * n + p]) = (zero.clone(), zero);
        for r in 0..n {
            let (x, y) = turn.apply(&self.v[r * n + p], &self.v[r * n + q]);
            (self.v[r * n + p], self.v[r * n + q]) = (x, y);
        }
        counts
    }
}

/// A rotation of two axes.
pub(super) struct Turn<R> {
    tangent: R,
    cosine: R,
    sine: R,
    phase: Complex<R>,
}

impl<R: Real> Turn<R> {
    /// What makes the element `off` of modulus `size` of a Hermitian matrix zero, where the diagonal elements are `apart`:
    /// tan 2θ = 2 |a_pq|/(a_qq - a_pp), |θ| ≤ π/4, after the phase of a_pq has gone into axis q.
    pub(super) fn of(off: &Complex<R>, size: &R, apart: R) -> Turn<R> {
        let (one, twice) = (R::from_f64(1.0), size.add(size));
        let negative = apart.compare(&R::from_f64(0.0)) == Some(Ordering::Less);
        let apart = if negative { apart.neg() } else { apart };
        let tangent = twice.div(&apart.add(&hypot(&apart, &twice)));
        let tangent = if negative { tangent.neg() } else { tangent };
        let cosine = one.div(&hypot(&one, &tangent));
        let sine = tangent.mul(&cosine);
        Turn { tangent, cosine, sine, phase: phase(off, size) }
    }

    pub(super) fn apply(&self, x: &Complex<R>, y: &Complex<R>) -> (Complex<R>, Complex<R>) {
        let y = times(y, &self.phase);
        let sum = |a: &R, b: &R, s: &R| a.mul(&self.cosine).add(&b.mul(s));
        let (minus, plus) = (self.sine.neg(), &self.sine);
        (
            Complex::new(sum(&x.re, &y.re, &minus), sum(&x.im, &y.im, &minus)),
            Complex::new(sum(&y.re, &x.re, plus), sum(&y.im, &x.im, plus)),
        )
    }
}

/// Turns the column so that the first of the leading n elements that has [`LinalgOp::LEADING`] of their largest modulus is positive.
pub(super) fn lead<R: Real>(column: &mut [Complex<R>], n: usize) {
    let sizes: Vec<R> = column[..n].iter().map(modulus).collect();
    let largest = sizes.iter().fold(0.0f64, |m, x| m.max(x.to_f64()));
    let Some(l) = (0..n).find(|r| sizes[*r].to_f64() >= LinalgOp::LEADING * largest) else {
        column.fill(Complex::new(R::from_f64(f64::NAN), R::from_f64(f64::NAN)));
        return;
    };
    let turned = phase(&column[l], &sizes[l]);
    column.iter_mut().for_each(|z| *z = times(z, &turned));
    column[l] = Complex::new(sizes[l].clone(), R::from_f64(0.0));
}

/// A number as a complex one.
pub(super) fn complex<R: Real>(v: &Val<R>) -> Complex<R> {
    match v {
        Val::Real(x) => Complex::new(x.clone(), R::from_f64(0.0)),
        Val::Complex(z) => z.clone(),
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => unreachable!("the verifier wants floats"),
    }
}

pub(super) fn conj<R: Real>(z: &Complex<R>) -> Complex<R> {
    Complex::new(z.re.clone(), z.im.neg())
}

pub(super) fn times<R: Real>(a: &Complex<R>, b: &Complex<R>) -> Complex<R> {
    let re = a.re.mul(&b.re).sub(&a.im.mul(&b.im));
    let im = a.re.mul(&b.im).add(&a.im.mul(&b.re));
    Complex::new(re, im)
}

/// conj(z)/|z|
pub(super) fn phase<R: Real>(z: &Complex<R>, modulus: &R) -> Complex<R> {
    Complex::new(z.re.div(modulus), z.im.div(modulus).neg())
}

pub(super) fn modulus<R: Real>(z: &Complex<R>) -> R {
    hypot(&z.re, &z.im)
}

/// √(a² + b²), without overflow or underflow on the way.
fn hypot<R: Real>(a: &R, b: &R) -> R {
    let size = |x: &R| if x.is_sign_negative() { x.neg() } else { x.clone() };
    let (a, b) = (size(a), size(b));
    let (large, small) = if a.compare(&b) == Some(Ordering::Less) { (b, a) } else { (a, b) };
    if small.compare(&R::from_f64(0.0)) == Some(Ordering::Equal) {
        return large;
    }
    let ratio = small.div(&large);
    large.mul(&R::from_f64(1.0).add(&ratio.mul(&ratio)).sqrt())
}
