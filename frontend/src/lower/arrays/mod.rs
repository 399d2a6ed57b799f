//! Array built-ins and whole-array forms as IR.
//!
//! Functions on a [`Builder`]: values in, a value out, at the span the builder has. Ranks, sizes and element types are
//! right when they are called; what does not fit is a bug of the caller. Derivatives come out of the instructions by
//! themselves, so shifts and scales that cancel are behind `stop_gradient`, and points without a derivative
//! are branches of their own.

mod axis;
mod fold;
mod form;
mod scan;
mod sort;

pub(super) use axis::*;
pub(super) use fold::*;
pub(super) use form::*;
pub(super) use scan::*;
pub(super) use sort::*;

use adc_ir::dims::{Dim, Shape, elements};
use adc_ir::{Builder, Const, Op, Value};

/// `f` of the elements, for every index of the arrays among `args`, which are of one shape; scalars are the same
/// everywhere. Of scalars alone it is `f` of them.
pub(super) fn map(b: &mut Builder, args: &[Value], f: impl FnOnce(&mut Builder, &[Value]) -> Value) -> Value {
    let Some(shape) = args.iter().map(|v| b.data(*v).shape.clone()).find(|s| !s.is_empty()) else {
        return f(b, args);
    };
    b.build(&shape, |b, index| {
        let parts: Vec<Value> =
            args.iter().map(|v| if b.ty(*v).is_array() { b.index(*v, index) } else { *v }).collect();
        f(b, &parts)
    })
}

/// [`map`] of an op of the table.
pub(super) fn map_op(b: &mut Builder, op: Op, args: &[Value]) -> Value {
    map(b, args, |b, parts| b.op(op, parts))
}

/// The number of elements as a value.
pub(super) fn count(b: &mut Builder, x: Value) -> Value {
    let shape = b.data(x).shape.clone();
    match elements(&shape) {
        Some(n) => b.size(&n),
        None => {
            let sizes: Vec<Value> = shape.iter().map(|d| b.size(d)).collect();
            sizes[1..].iter().fold(sizes[0], |n, d| b.op(Op::Mul, &[n, *d]))
        }
    }
}

/// The elements of an array in one row; `None` if their number is too long a polynomial.
fn flat(b: &mut Builder, x: Value) -> Option<(Value, Dim)> {
    let shape: Shape = b.data(x).shape.clone();
    let n = elements(&shape)?;
    let row = if shape.len() == 1 { x } else { b.reshape(x, vec![n.clone()]) };
    Some((row, n))
}

/// The size of the first axis.
fn first(b: &Builder, x: Value) -> Dim {
    b.data(x).shape[0].clone()
}

fn int(b: &mut Builder, n: i64) -> Value {
    b.constant(Const::I64(n))
}

#[cfg(test)]
mod tests;
