//! The distance of matrices from those that have no inverse, no Cholesky factor, two equal eigenvalues or singular values, or a vector
//! whose phase another element takes over.

use super::{EventKind, Side};
use adc_ir::interp::{ArrayVal, Val};
use adc_ir::{Elementary, LinalgOp, Scalar};
use adc_jit::RuntimeMath;
use num_complex::Complex64;

/// Where the operation is not smooth: which side the matrix is on, and what its distance is to be compared with.
pub(super) fn sides(op: LinalgOp, a: &ArrayVal<f64>) -> impl Iterator<Item = (Side, Complex64)> {
    let phases = match op {
        LinalgOp::EighVectors | LinalgOp::SvdVectors => phases(op, a),
        _ => None,
    };
    side(op, a).into_iter().chain(phases)
}

/// The smallest pivot, or the smallest gap between eigenvalues, and which side it is on; `None` if the op is never singular.
fn side(op: LinalgOp, a: &ArrayVal<f64>) -> Option<(Side, Complex64)> {
    let n = a.shape()[0];
    let complex = a.data().iter().any(|v| matches!(v, Val::Complex(_)));
    let entries: Vec<Complex64> = a.data().iter().map(super::number).collect();
    let pivots = match op {
        LinalgOp::EighValues
        | LinalgOp::EighVectors
        | LinalgOp::QrQ
        | LinalgOp::SvdValues
        | LinalgOp::SvdVectors => return gap(op, a),
        // The determinant is a polynomial.
        LinalgOp::Det => return None,
        // The matrix was examined when it was factorised.
        LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => return None,
        LinalgOp::Solve | LinalgOp::SolveAdjoint | LinalgOp::Inv | LinalgOp::LogDet | LinalgOp::Lu => {
            Pivots::of(entries, n)
        }
        LinalgOp::Cholesky => Pivots::of_hermitian(entries, n),
    };
    let pivot = pivots.smallest?;
    let margin = match op {
        LinalgOp::Cholesky => pivot.re,
        // The singular matrices do not separate the other complex ones.
        _ if complex => size(pivot),
        _ => pivot.re * pivots.sign,
    };
    Some((Side::at(EventKind::Edge, margin), pivot))
}

/// Equal eigenvalues or singular values are a kink of both, and their vectors jump. So do a singular value of 0, which is a modulus,
/// its vectors, and a basis whose matrix has one.
fn gap(op: LinalgOp, a: &ArrayVal<f64>) -> Option<(Side, Complex64)> {
    let [m, n] = [0, 1].map(|k| a.shape()[k]);
    let values = if op.is_rectangular() { LinalgOp::SvdValues } else { LinalgOp::EighValues };
    let values = RuntimeMath.linalg(values, Scalar::F64, [n, m], a.data(), &[])?.ok()?;
    let values: Vec<f64> = values.iter().map(|w| super::number(w).re).collect();
    let gaps = values.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|_| op != LinalgOp::QrQ);
    let margin = gaps.chain(values.last().copied().filter(|_| op.is_rectangular())).min_by(f64::total_cmp)?;
    let kind = match op {
        LinalgOp::EighValues | LinalgOp::SvdValues => EventKind::Kink,
        _ => EventKind::Jump,
    };
    let largest = values.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    // Between real matrices with determinants of two signs there is a singular one.
    let mut branch = 0;
    if op.is_rectangular() && m == n && !a.data().iter().any(|v| matches!(v, Val::Complex(_))) {
        let pivots = Pivots::of(a.data().iter().map(super::number).collect(), n);
        branch = (pivots.smallest?.re * pivots.sign).signum() as i32;
    }
    Some((Side { kind, branch, margin }, Complex64::from(largest)))
}

/// How far the vectors are from a change of the element whose phase is chosen, if they turn with it.
fn phases(op: LinalgOp, a: &ArrayVal<f64>) -> Option<(Side, Complex64)> {
    let [m, n] = [0, 1].map(|k| a.shape()[k]);
    let vectors = RuntimeMath.linalg(op, Scalar::F64, [n, m], a.data(), &[])?.ok()?;
    let of_column = |j: usize| {
        let z: Vec<Complex64> = (0..n).map(|r| super::number(&vectors[r * n + j])).collect();
        let enough = LinalgOp::LEADING * z.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let mut leads = (0..n).filter(|r| z[*r].norm() >= enough);
        let leading = leads.next()?;
        let next = leads.next().map(|r| (r, z[leading].norm() - enough));
        let before = (0..leading).map(|r| (r, enough - z[r].norm()));
        // Rounding is no phase.
        let turns = |r: usize| z[r].re < 0.0 || z[r].im.abs() > 1e-14 * z[r].re;
        before.chain(next).filter(|(r, _)| turns(*r)).map(|(_, margin)| margin).min_by(f64::total_cmp)
    };
    let margin = (0..n).filter_map(of_column).min_by(f64::total_cmp)?;
    Some((Side { kind: EventKind::Cut, branch: 0, margin }, Complex64::ONE))
}

struct Pivots {
    /// `None` if the matrix has no rows.
    smallest: Option<Complex64>,
    /// The sign of the determinant without that of the smallest pivot; meaningless for complex matrices.
    sign: f64,
}

impl Pivots {
    /// Gauss elimination with the largest entry of a column as pivot.
    fn of(mut a: Vec<Complex64>, n: usize) -> Pivots {
        let mut pivots = Vec::new();
        let mut odd = false;
        for k in 0..n {
            let size = |i: usize| size(a[i * n + k]);
            let row = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            odd ^= row != k;
            (0..n).for_each(|j| a.swap(k * n + j, row * n + j));
            eliminate(&mut a, n, k, k + 1..n);
            pivots.push(a[k * n + k]);
        }
        Pivots::new(pivots, odd, size)
    }

    /// The squares of the diagonal of the Cholesky factor, continued where there is none. Only the lower triangle is read.
    fn of_hermitian(mut a: Vec<Complex64>, n: usize) -> Pivots {
        for i in 0..n {
            for j in i + 1..n {
                a[i * n + j] = a[j * n + i].conj();
            }
        }
        let mut pivots = Vec::new();
        for k in 0..n {
            pivots.push(a[k * n + k]);
            eliminate(&mut a, n, k, k + 1..n);
        }
        // A negative pivot is further away than a small one.
        Pivots::new(pivots, false, |p| p.re)
    }

    fn new(pivots: Vec<Complex64>, odd: bool, size: impl Fn(Complex64) -> f64) -> Pivots {
        // NaN counts more than any number.
        let key = |i: &usize| Some(size(pivots[*i])).filter(|x| !x.is_nan()).unwrap_or(f64::NEG_INFINITY);
        let at = (0..pivots.len()).min_by(|a, b| key(a).total_cmp(&key(b)));
        let others = pivots.iter().enumerate().filter(|(i, p)| Some(*i) != at && p.re < 0.0).count();
        let sign = if odd ^ (others % 2 == 1) { -1.0 } else { 1.0 };
        Pivots { smallest: at.map(|i| pivots[i]), sign }
    }
}

/// |re| + |im|
fn size(z: Complex64) -> f64 {
    z.re.abs() + z.im.abs()
}

/// Subtracts multiples of row k from other rows, so that column k becomes 0 there; rows where it is 0 already are not
/// changed.
fn eliminate(a: &mut [Complex64], n: usize, k: usize, rows: std::ops::Range<usize>) {
    let pivot = a[k * n + k];
    if size(pivot) == 0.0 {
        return;
    }
    for i in rows {
        let factor = a[i * n + k] / pivot;
        for j in k..n {
            let term = factor * a[k * n + j];
            a[i * n + j] -= term;
        }
    }
}
