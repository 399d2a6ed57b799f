//! Arrays from sizes, and arrays in another form.

use super::elementwise::{first, int, map_op};
use adc_ir::dims::{Dim, Shape, elements};
use adc_ir::{Builder, Const, Op, Scalar, Value, ValueData};

/// `zeros`, `ones` with `x` 0, 1: the number everywhere.
pub(in crate::lower) fn filled(b: &mut Builder, x: f64, elem: Scalar, sizes: &[Dim]) -> Value {
    let v = b.constant(Const::real(x, elem));
    b.fill(v, sizes)
}

/// The identity matrix.
pub(in crate::lower) fn eye(b: &mut Builder, elem: Scalar, n: &Dim) -> Value {
    let (one, zero) = (b.constant(Const::real(1.0, elem)), b.constant(Const::zero(elem)));
    b.build(&[n.clone(), n.clone()], |b, i| {
        let on = b.op(Op::Eq, i);
        b.op(Op::Select, &[on, one, zero])
    })
}

/// An array in another shape of as many axes. Where the sizes differ after all, an assertion before it has failed.
pub(in crate::lower) fn sized(b: &mut Builder, x: Value, shape: &[Dim]) -> Value {
    if b.data(x).shape == shape {
        return x;
    }
    b.build(shape, |b, i| b.index(x, i))
}

/// An array in another shape with as many entries.
pub(in crate::lower) fn reshape(b: &mut Builder, x: Value, shape: &[Dim]) -> Value {
    let from = elements(&b.data(x).shape);
    match (from, elements(shape)) {
        // Facts make the numbers the same.
        (Some(from), Some(to)) if from != to => {
            let row = b.reshape(x, vec![from]);
            let row = sized(b, row, &[to]);
            b.reshape(row, shape.to_vec())
        }
        _ => b.reshape(x, shape.to_vec()),
    }
}

/// 0, 1, …, n - 1
pub(in crate::lower) fn iota(b: &mut Builder, n: &Dim) -> Value {
    b.build(std::slice::from_ref(n), |_, i| i[0])
}

/// A matrix with its axes swapped and conjugate; the conjugate of a vector.
pub(in crate::lower) fn adjoint(b: &mut Builder, x: Value) -> Value {
    let x = if b.ty(x).rank() == 2 { b.transpose(x) } else { x };
    if b.ty(x).scalar().is_complex() { map_op(b, Op::Conj, &[x]) } else { x }
}

/// Arrays of one element type and one shape but for the first axis, one behind the other.
pub(in crate::lower) fn concat(b: &mut Builder, parts: &[Value], total: &Dim) -> Value {
    if let [one] = parts {
        return *one;
    }
    let like: ValueData = b.data(parts[0]).clone();
    let shape: Shape = std::iter::once(total.clone()).chain(like.shape[1..].iter().cloned()).collect();
    let mut out = filled(b, 0.0, like.ty.scalar(), &shape);
    let mut at = int(b, 0);
    for (i, p) in parts.iter().enumerate() {
        out = b.update_slice(out, *p, at);
        if i + 1 < parts.len() {
            let n = first(b, *p);
            let n = b.size(&n);
            at = b.op(Op::Add, &[at, n]);
        }
    }
    out
}

/// The array with its first axis reversed.
pub(in crate::lower) fn flip(b: &mut Builder, x: Value) -> Value {
    let n = first(b, x);
    let (size, one) = (b.size(&n), int(b, 1));
    let last = b.op(Op::Sub, &[size, one]);
    b.build(&[n], |b, i| {
        let i = b.op(Op::Sub, &[last, i[0]]);
        b.index(x, &[i])
    })
}

/// `x[idx[i, …]]` for every index of `idx`; an index outside the first axis of `x` is a run-time error.
pub(in crate::lower) fn gather(b: &mut Builder, x: Value, idx: Value) -> Value {
    let shape = b.data(idx).shape.clone();
    b.build(&shape, |b, i| {
        let at = b.index(idx, i);
        b.index(x, &[at])
    })
}

/// The diagonal matrix of a vector, the diagonal of a square matrix.
pub(in crate::lower) fn diag(b: &mut Builder, x: Value) -> Value {
    let n = first(b, x);
    if b.ty(x).rank() == 2 {
        return b.build(&[n], |b, i| b.index(x, &[i[0], i[0]]));
    }
    let zero = b.constant(Const::zero(b.ty(x).scalar()));
    b.build(&[n.clone(), n], |b, i| {
        let on = b.op(Op::Eq, i);
        let v = b.index(x, &i[..1]);
        b.op(Op::Select, &[on, v, zero])
    })
}

/// The matrix x_i y_j of two vectors.
pub(in crate::lower) fn outer(b: &mut Builder, x: Value, y: Value) -> Value {
    let sizes = [first(b, x), first(b, y)];
    b.build(&sizes, |b, i| {
        let (p, q) = (b.index(x, &i[..1]), b.index(y, &i[1..]));
        b.op(Op::Mul, &[p, q])
    })
}
