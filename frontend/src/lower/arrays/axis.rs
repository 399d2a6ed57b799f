//! Along one axis of an array.

use super::fold::mean_of;
use adc_ir::dims::{Dim, Shape};
use adc_ir::{Builder, ReduceOp, Value};

/// The shape without an axis, and the size of that.
fn split(b: &Builder, x: Value, axis: usize) -> (Shape, Dim) {
    let mut rest = b.data(x).shape.clone();
    let n = rest.remove(axis);
    (rest, n)
}

/// An index with `j` at the axis.
fn full(index: &[Value], axis: usize, j: Value) -> Vec<Value> {
    [&index[..axis], &[j], &index[axis..]].concat()
}

/// `f` of each vector along the axis. What it gives comes last.
pub(in crate::lower) fn each(
    b: &mut Builder,
    x: Value,
    axis: usize,
    f: &mut dyn FnMut(&mut Builder, Value) -> Value,
) -> Value {
    let (rest, n) = split(b, x, axis);
    if rest.is_empty() {
        return f(b, x);
    }
    b.build(&rest, |b, i| {
        let row = match axis == i.len() {
            true => b.index(x, i),
            false => b.build(&[n], |b, j| b.index(x, &full(i, axis, j[0]))),
        };
        f(b, row)
    })
}

/// `f`, which gives a vector, of each vector along the axis, in the place of that.
pub(in crate::lower) fn map_along(
    b: &mut Builder,
    x: Value,
    axis: usize,
    f: &mut dyn FnMut(&mut Builder, Value) -> Value,
) -> Value {
    let rows = each(b, x, axis, f);
    from_last(b, rows, axis)
}

/// An array with its last axis brought to `axis`.
fn from_last(b: &mut Builder, x: Value, axis: usize) -> Value {
    let mut shape = b.data(x).shape.clone();
    if axis + 1 == shape.len() {
        return x;
    }
    let last = shape.pop().expect("an array");
    shape.insert(axis, last);
    b.build(&shape, |b, i| {
        let mut from = i.to_vec();
        let j = from.remove(axis);
        from.push(j);
        b.index(x, &from)
    })
}

/// A reduction of each vector along the axis; of a sum the mean, if that is wanted.
pub(in crate::lower) fn reduce_along(
    b: &mut Builder,
    op: ReduceOp,
    mean: bool,
    x: Value,
    axis: usize,
) -> Value {
    let (rest, n) = split(b, x, axis);
    let one = |b: &mut Builder, i: &[Value]| {
        let range = b.range(&n);
        let v = b.reduce(op, range, |b, j| b.index(x, &full(i, axis, j)));
        if mean {
            let n = b.size(&n);
            return mean_of(b, v, n);
        }
        v
    };
    if rest.is_empty() { one(b, &[]) } else { b.build(&rest, one) }
}
