//! How much the result of an op moves with each of its operands: the magnitudes of its partial derivatives, in numbers.

use super::{Partial, Shape, row_of};
use crate::formula::Formula;
use adc_ir::interp::{Val, eval};
use adc_ir::{Elementary, Op, Scalar, Type};
use num_complex::Complex64;
use smallvec::SmallVec;

/// |∂y/∂xᵢ| of an op for every operand: the norm of the real-linear map dx ↦ W dx + CW conj(dx), which is |W| + |CW|. 0 of
/// operands that carry no derivative, NaN or infinite where the derivative is.
///
/// These are the rows of the table itself: a mistake that the self-test plants does not show here.
pub fn sensitivities(
    op: Op,
    math: &dyn Elementary<f64>,
    x: &[&Val<f64>],
    y: &Val<f64>,
) -> SmallVec<[f64; 3]> {
    let shape = Shape::of(x.iter().map(|v| matches!(v, Val::Complex(_))));
    let row = row_of(op, shape);
    let on = Numbers { math, x, y };
    (0..x.len()).map(|i| on.magnitude(row.partial(i))).collect()
}

/// The operands and the result of an op.
struct Numbers<'a> {
    math: &'a dyn Elementary<f64>,
    x: &'a [&'a Val<f64>],
    y: &'a Val<f64>,
}

impl Numbers<'_> {
    fn magnitude(&self, partial: &Partial) -> f64 {
        let size = |f: &Formula| self.value(f).map_or(f64::NAN, |v| norm(&v));
        match partial {
            Partial::Zero => 0.0,
            Partial::Convert => 1.0,
            Partial::D(f) | Partial::Holo(f) | Partial::Grad(f) => size(f),
            Partial::Pair { w, cw } => size(w) + size(cw),
            Partial::Rank1 { u, v } => size(u) * size(v),
            Partial::Mask(cond, p, q) => match self.value(cond) {
                Some(Val::Bool(true)) => self.magnitude(p),
                Some(_) => self.magnitude(q),
                None => f64::NAN,
            },
        }
    }

    /// The value of a formula; `None` where an integer in it overflows.
    fn value(&self, f: &Formula) -> Option<Val<f64>> {
        Some(match f {
            Formula::X(i) => self.x[*i].clone(),
            Formula::Y => self.y.clone(),
            Formula::Num(x) => Val::Real(*x),
            Formula::Int(n) => Val::I64(*n),
            Formula::I => Val::Complex(Complex64::i()),
            Formula::Smallest => Val::Real(f64::MIN_POSITIVE),
            Formula::Real(f) => match self.value(f)? {
                Val::I64(n) => Val::Real(n as f64),
                other => other,
            },
            Formula::If(parts) => {
                let [cond, then, other] = &**parts;
                match self.value(cond)? {
                    Val::Bool(true) => self.value(then)?,
                    _ => self.value(other)?,
                }
            }
            Formula::Op(op, args) => {
                let args: SmallVec<[Val<f64>; 3]> =
                    args.iter().map(|f| self.value(f)).collect::<Option<_>>()?;
                let types: SmallVec<[Type; 3]> = args.iter().map(type_of).collect();
                let ty = op.result_type(&types)?.scalar();
                let args: SmallVec<[&Val<f64>; 3]> = args.iter().collect();
                eval(self.math, *op, &args, ty).ok()?
            }
        })
    }
}

fn type_of(v: &Val<f64>) -> Type {
    match v {
        Val::Bool(_) => Scalar::Bool,
        Val::I64(_) => Scalar::I64,
        Val::Real(_) => Scalar::F64,
        Val::Complex(_) => Scalar::C128,
        Val::Array(_) => unreachable!("ops are of scalars"),
    }
    .into()
}

fn norm(v: &Val<f64>) -> f64 {
    match v {
        Val::Real(x) => x.abs(),
        Val::Complex(z) => z.norm(),
        Val::I64(n) => (*n as f64).abs(),
        Val::Bool(_) | Val::Array(_) => unreachable!("a partial derivative is a number"),
    }
}
