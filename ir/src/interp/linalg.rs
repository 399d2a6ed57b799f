//! Linear algebra, as plain as it gets. Where [`Elementary`](crate::Elementary) brings kernels, those of compiled code, they
//! are what is computed, so that both agree to the bit.
//!
//! Sums run over the inner index upwards, from 0. LU takes the row with the largest |re| + |im| in the column as
//! pivot, the first of several.

use super::Val;
use super::array::{Args, Maker};
use super::eigen::Eigen;
use super::svd::Svd;
use super::val::ArrayVal;
use crate::module::LinalgOp;
use crate::num::Real;
use crate::ops::Op;
use crate::trap::Trap;
use num_complex::Complex;
use std::cmp::Ordering;

/// A product of matrices or vectors.
pub(super) fn matmul<R: Real>(m: &Maker<'_, R>, a: &ArrayVal<R>, b: &ArrayVal<R>) -> Result<Val<R>, Trap> {
    let (rows, inner) = match a.shape() {
        [k] => (1, *k),
        [n, k] => (*n, *k),
        _ => unreachable!("the verifier lets matrices and vectors through"),
    };
    let columns = b.shape().get(1).copied().unwrap_or(1);
    let entry = |i: usize, j: usize| -> Result<Val<R>, Trap> {
        let mut sum = m.literal(0.0);
        for k in 0..inner {
            let product = m.op(Op::Mul, &[&a.data()[i * inner + k], &b.data()[k * columns + j]])?;
            sum = m.op(Op::Add, &[&sum, &product])?;
        }
        Ok(sum)
    };
    let shape = [&a.shape()[..a.shape().len() - 1], &b.shape()[1..]].concat();
    if let Some(mut made) = m.math.matmul(m.elem, [rows, inner, columns], a.data(), b.data()) {
        m.meter.note(|c| c.products((rows * inner * columns) as u64, m.elem.is_complex()));
        if shape.is_empty() {
            return Ok(made.remove(0));
        }
        return m.array(shape[..].into(), |data, _| {
            data.append(&mut made);
            Ok(())
        });
    }
    if shape.is_empty() {
        return entry(0, 0);
    }
    m.array(shape[..].into(), |data, _| {
        for i in 0..rows {
            for j in 0..columns {
                data.push(entry(i, j)?);
            }
        }
        Ok(())
    })
}

/// The other operations; the first operand is the matrix.
pub(super) fn apply<R: Real>(m: &Maker<'_, R>, op: LinalgOp, args: &Args<R>) -> Result<Val<R>, Trap> {
    let a = args[0].as_array();
    // The array of factors has a row more.
    let n = a.shape()[1];
    let rhs = args.get(1).map(|b| b.as_array());
    let columns = rhs.map_or(a.shape()[0], |b| b.shape().get(1).copied().unwrap_or(1));
    let made = m.math.linalg(op, m.elem, [n, columns], a.data(), rhs.map_or(&[], |b| b.data()));
    if let Some(made) = made {
        let mut made = made?;
        let products = op.products([n as u64, columns as u64]);
        m.meter.note(|c| c.products(products, m.elem.is_complex()));
        let shape = match op {
            LinalgOp::Det | LinalgOp::LogDet => return Ok(made.remove(0)),
            LinalgOp::Lu => [n + 1, n][..].into(),
            LinalgOp::EighValues | LinalgOp::SvdValues => [n][..].into(),
            LinalgOp::SvdVectors => [n + columns, n][..].into(),
            LinalgOp::Solve
            | LinalgOp::SolveAdjoint
            | LinalgOp::LuSolve
            | LinalgOp::LuSolveAdjoint
            | LinalgOp::Cholesky
            | LinalgOp::Inv
            | LinalgOp::EighVectors
            | LinalgOp::QrQ => rhs.unwrap_or(a).shape().into(),
        };
        return m.array(shape, |data, _| {
            data.append(&mut made);
            Ok(())
        });
    }
    let solution = |lu: Lu<R>| {
        let b = args[1].as_array();
        let x = match op {
            LinalgOp::SolveAdjoint | LinalgOp::LuSolveAdjoint => lu.solve_adjoint(m, b.data(), columns)?,
            _ => lu.solve(m, b.data().to_vec(), columns)?,
        };
        m.array(b.shape().into(), |data, _| {
            data.extend(x);
            Ok(())
        })
    };
    match op {
        LinalgOp::Solve | LinalgOp::SolveAdjoint => solution(Lu::of(m, a)?),
        LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => solution(Lu::unpacked(a)),
        LinalgOp::Lu => {
            let lu = Lu::of(m, a)?;
            if lu.singular {
                return Err(Trap::Singular);
            }
            m.array([n + 1, n][..].into(), |data, _| {
                data.extend(lu.a);
                data.extend(lu.rows.iter().map(|r| m.literal(*r as f64)));
                Ok(())
            })
        }
        LinalgOp::Inv => {
            let unit = |i: usize| m.literal((i / n == i % n) as u8 as f64);
            let x = Lu::of(m, a)?.solve(m, (0..n * n).map(unit).collect(), n)?;
            m.array(a.shape().into(), |data, _| {
                data.extend(x);
                Ok(())
            })
        }
        LinalgOp::Det => {
            let lu = Lu::of(m, a)?;
            let mut det = m.literal(1.0);
            for k in 0..n {
                det = m.op(Op::Mul, &[&det, &lu.a[k * n + k]])?;
            }
            if lu.odd { m.op(Op::Neg, &[&det]) } else { Ok(det) }
        }
        LinalgOp::LogDet => {
            let lu = Lu::of(m, a)?;
            let mut sum = m.literal(0.0);
            for k in 0..n {
                let size = m.op(Op::Abs, &[&lu.a[k * n + k]])?;
                let log = m.op(Op::Log, &[&size])?;
                sum = m.op(Op::Add, &[&sum, &log])?;
            }
            Ok(sum)
        }
        LinalgOp::EighValues => reals(m, Eigen::of(a.data(), n).values()),
        LinalgOp::EighVectors => numbers(m, [n, n], Eigen::of(a.data(), n).vectors()),
        LinalgOp::QrQ => numbers(m, [columns, n], Svd::orthonormal(a.data(), [columns, n])),
        LinalgOp::SvdValues => reals(m, Svd::of(a.data(), [columns, n]).values().iter()),
        LinalgOp::SvdVectors => numbers(m, [n + columns, n], Svd::of(a.data(), [columns, n]).vectors()),
        LinalgOp::Cholesky => {
            let l = cholesky(m, a.data(), n)?;
            m.array(a.shape().into(), |data, _| {
                data.extend(l);
                Ok(())
            })
        }
    }
}

/// A vector.
fn reals<'r, R: Real + 'r>(
    m: &Maker<'_, R>,
    x: impl ExactSizeIterator<Item = &'r R>,
) -> Result<Val<R>, Trap> {
    m.array([x.len()][..].into(), |data, _| {
        data.extend(x.map(|x| Val::Real(x.stored(m.elem))));
        Ok(())
    })
}

/// A matrix.
fn numbers<R: Real>(m: &Maker<'_, R>, shape: [usize; 2], z: Vec<Complex<R>>) -> Result<Val<R>, Trap> {
    let part = |x: &R| x.stored(m.elem);
    let number = |z: Complex<R>| match m.elem.is_complex() {
        true => Val::Complex(Complex::new(part(&z.re), part(&z.im))),
        false => Val::Real(part(&z.re)),
    };
    m.array(shape[..].into(), |data, _| {
        data.extend(z.into_iter().map(number));
        Ok(())
    })
}

/// P A = L U, in one matrix; L has ones on its diagonal, which are not stored.
struct Lu<R> {
    n: usize,
    a: Vec<Val<R>>,
    /// Row i of P A is this row of A.
    rows: Vec<usize>,
    /// Whether P is an odd permutation.
    odd: bool,
    singular: bool,
}

impl<R: Real> Lu<R> {
    fn of(m: &Maker<'_, R>, a: &ArrayVal<R>) -> Result<Lu<R>, Trap> {
        let n = a.shape()[0];
        let mut lu = Lu { n, a: a.data().to_vec(), rows: (0..n).collect(), odd: false, singular: false };
        let a = &mut lu.a;
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if size(&a[i * n + k]).compare(&size(&a[pivot * n + k])) == Some(Ordering::Greater) {
                    pivot = i;
                }
            }
            if pivot != k {
                lu.odd = !lu.odd;
                lu.rows.swap(k, pivot);
                (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            }
            if size(&a[k * n + k]).compare(&R::from_f64(0.0)) == Some(Ordering::Equal) {
                // The column is 0 from here down: nothing to eliminate.
                lu.singular = true;
                continue;
            }
            for i in k + 1..n {
                let factor = divide(m, &a[i * n + k], &a[k * n + k])?;
                for j in k + 1..n {
                    a[i * n + j] = minus(m, &a[i * n + j], &factor, &a[k * n + j])?;
                }
                a[i * n + k] = factor;
            }
        }
        Ok(lu)
    }

    /// From an array of factors.
    fn unpacked(f: &ArrayVal<R>) -> Lu<R> {
        let n = f.shape()[1];
        let (a, rows) = f.data().split_at(n * n);
        let rows = rows.iter().map(|r| match real(r) {
            // Some row, where these are no factors.
            Val::Real(r) => (r.to_f64() as usize).min(n - 1),
            v => panic!("{v:?} is no row's number"),
        });
        // Nobody asks for a determinant.
        Lu { n, a: a.to_vec(), rows: rows.collect(), odd: false, singular: false }
    }

    /// A⁻ᴴ B for a B with so many columns: Aᴴ = Uᴴ Lᴴ P.
    fn solve_adjoint(&self, m: &Maker<'_, R>, b: &[Val<R>], columns: usize) -> Result<Vec<Val<R>>, Trap> {
        if self.singular {
            return Err(Trap::Singular);
        }
        let n = self.n;
        let conj = |i: usize, j: usize| m.op(Op::Conj, &[&self.a[i * n + j]]);
        let mut x = b.to_vec();
        let mut out = x.clone();
        for c in 0..columns {
            for i in 0..n {
                x[i * columns + c] = divide(m, &x[i * columns + c], &conj(i, i)?)?;
                for k in i + 1..n {
                    x[k * columns + c] = minus(m, &x[k * columns + c], &conj(i, k)?, &x[i * columns + c])?;
                }
            }
            for i in (0..n).rev() {
                for k in 0..i {
                    x[k * columns + c] = minus(m, &x[k * columns + c], &conj(i, k)?, &x[i * columns + c])?;
                }
                out[self.rows[i] * columns + c] = x[i * columns + c].clone();
            }
        }
        Ok(out)
    }

    /// A⁻¹ B for a B with so many columns.
    fn solve(&self, m: &Maker<'_, R>, b: Vec<Val<R>>, columns: usize) -> Result<Vec<Val<R>>, Trap> {
        if self.singular {
            return Err(Trap::Singular);
        }
        let n = self.n;
        let mut x: Vec<Val<R>> =
            self.rows.iter().flat_map(|r| b[r * columns..(r + 1) * columns].iter().cloned()).collect();
        for c in 0..columns {
            for i in 0..n {
                for j in 0..i {
                    x[i * columns + c] =
                        minus(m, &x[i * columns + c], &self.a[i * n + j], &x[j * columns + c])?;
                }
            }
            for i in (0..n).rev() {
                for j in i + 1..n {
                    x[i * columns + c] =
                        minus(m, &x[i * columns + c], &self.a[i * n + j], &x[j * columns + c])?;
                }
                x[i * columns + c] = divide(m, &x[i * columns + c], &self.a[i * n + i])?;
            }
        }
        Ok(x)
    }
}

/// L with L Lᴴ = A, row-major, zeros above.
fn cholesky<R: Real>(m: &Maker<'_, R>, a: &[Val<R>], n: usize) -> Result<Vec<Val<R>>, Trap> {
    let zero = R::from_f64(0.0);
    let mut l = vec![m.literal(0.0); n * n];
    for j in 0..n {
        for i in j..n {
            let mut sum = a[i * n + j].clone();
            for k in 0..j {
                let conj = m.op(Op::Conj, &[&l[j * n + k]])?;
                sum = minus(m, &sum, &l[i * n + k], &conj)?;
            }
            l[i * n + j] = match (i == j, sum) {
                (true, Val::Real(d)) => Val::Real(root(&d)?.stored(m.elem)),
                // The diagonal of a Hermitian matrix is real.
                (true, Val::Complex(z)) => {
                    Val::Complex(Complex::new(root(&z.re)?.stored(m.elem), zero.clone()))
                }
                (_, sum) => divide(m, &sum, &real(&l[j * n + j]))?,
            };
        }
    }
    Ok(l)
}

fn root<R: Real>(d: &R) -> Result<R, Trap> {
    match d.compare(&R::from_f64(0.0)) {
        Some(Ordering::Less | Ordering::Equal) => Err(Trap::Singular),
        Some(Ordering::Greater) | None => Ok(d.sqrt()),
    }
}

fn real<R: Real>(v: &Val<R>) -> Val<R> {
    match v {
        Val::Complex(z) => Val::Real(z.re.clone()),
        v => v.clone(),
    }
}

fn divide<R: Real>(m: &Maker<'_, R>, a: &Val<R>, b: &Val<R>) -> Result<Val<R>, Trap> {
    m.op(Op::Div, &[a, b])
}

/// a − b c
fn minus<R: Real>(m: &Maker<'_, R>, a: &Val<R>, b: &Val<R>, c: &Val<R>) -> Result<Val<R>, Trap> {
    let product = m.op(Op::Mul, &[b, c])?;
    m.op(Op::Sub, &[a, &product])
}

/// |re| + |im|
fn size<R: Real>(v: &Val<R>) -> R {
    let abs = |x: &R| if x.is_sign_negative() { x.neg() } else { x.clone() };
    match v {
        Val::Real(x) => abs(x),
        Val::Complex(z) => abs(&z.re).add(&abs(&z.im)),
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => unreachable!("the verifier wants floats"),
    }
}
