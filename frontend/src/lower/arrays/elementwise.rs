//! Elementwise functions, and what the functions of arrays are made of.

use adc_ir::dims::{Dim, Shape, elements};
use adc_ir::{Builder, Const, Op, Value};

/// `f` of the elements, for every index of the arrays among `args`, which are of one shape; scalars are the same
/// everywhere. Of scalars alone it is `f` of them.
pub(in crate::lower) fn map(
    b: &mut Builder,
    args: &[Value],
    f: impl FnOnce(&mut Builder, &[Value]) -> Value,
) -> Value {
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
pub(in crate::lower) fn map_op(b: &mut Builder, op: Op, args: &[Value]) -> Value {
    map(b, args, |b, parts| b.op(op, parts))
}

/// The number of elements as a value.
pub(in crate::lower) fn count(b: &mut Builder, x: Value) -> Value {
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
pub(super) fn flat(b: &mut Builder, x: Value) -> Option<(Value, Dim)> {
    let shape: Shape = b.data(x).shape.clone();
    let n = elements(&shape)?;
    let row = if shape.len() == 1 { x } else { b.reshape(x, vec![n.clone()]) };
    Some((row, n))
}

/// The size of the first axis.
pub(super) fn first(b: &Builder, x: Value) -> Dim {
    b.data(x).shape[0].clone()
}

pub(super) fn int(b: &mut Builder, n: i64) -> Value {
    b.constant(Const::I64(n))
}
