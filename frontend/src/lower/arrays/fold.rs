//! From arrays to scalars, and what is made of such.

use super::elementwise::{count, first, flat, int, map};
use adc_ir::dims::Dim;
use adc_ir::{Builder, Const, Guard, Op, ReduceOp, Scalar, Value};

/// `op` over `term` of every element, the last index running fastest. `argmax` and `argmin` are of vectors.
fn fold(
    b: &mut Builder,
    op: ReduceOp,
    x: Value,
    term: &mut dyn FnMut(&mut Builder, Value) -> Value,
) -> Value {
    if let Some((row, n)) = flat(b, x) {
        let range = b.range(&n);
        return b.reduce(op, range, |b, i| {
            let e = b.index(row, &[i]);
            term(b, e)
        });
    }
    fold_axes(b, op, x, term)
}

/// The same axis by axis, the innermost first, as reductions over several generators are.
pub(in crate::lower) fn fold_axes(
    b: &mut Builder,
    op: ReduceOp,
    x: Value,
    term: &mut dyn FnMut(&mut Builder, Value) -> Value,
) -> Value {
    let range = b.range(&first(b, x));
    b.reduce(op, range, |b, i| {
        let part = b.index(x, &[i]);
        if b.ty(part).is_array() { fold_axes(b, op, part, term) } else { term(b, part) }
    })
}

/// `sum prod max min any all` of all elements, `argmax argmin` of a vector.
pub(in crate::lower) fn reduce(b: &mut Builder, op: ReduceOp, x: Value) -> Value {
    fold(b, op, x, &mut |_, e| e)
}

/// The mean of all real or complex elements; of none it is a run-time error.
pub(in crate::lower) fn mean(b: &mut Builder, x: Value) -> Value {
    let sum = reduce(b, ReduceOp::Sum, x);
    let n = count(b, x);
    mean_of(b, sum, n)
}

/// A sum of `n` terms over `n`, which must not be 0.
pub(in crate::lower) fn mean_of(b: &mut Builder, sum: Value, n: Value) -> Value {
    if b.dim_of(n).as_const().is_none_or(|n| n <= 0) {
        let zero = int(b, 0);
        let some = b.op(Op::Gt, &[n, zero]);
        b.assert(Guard::Assert("`mean` needs at least one element".into()), some);
    }
    let to = if b.ty(sum).scalar().is_single() { Op::ToF32 } else { Op::ToF64 };
    let n = b.op(to, &[n]);
    if b.ty(sum).is_array() { map(b, &[sum, n], |b, p| b.op(Op::Div, p)) } else { b.op(Op::Div, &[sum, n]) }
}

/// Root of the sum of squared absolute values of all elements. 0 where they all are, with derivative 0. Sums that
/// overflow or vanish are done again with a scale.
pub(in crate::lower) fn norm(b: &mut Builder, x: Value) -> Value {
    let real = b.ty(x).scalar().real();
    let squares = fold(b, ReduceOp::Sum, x, &mut |b, e| b.op(Op::Abs2, &[e]));
    let ordinary = is_ordinary(b, squares, real);
    let plain = |b: &mut Builder| vec![b.op(Op::Sqrt, &[squares])];
    b.if_else(ordinary, plain, |b| vec![scaled_norm(b, x, real)])[0]
}

/// Whether a sum of squares has neither overflowed nor lost its digits.
pub(in crate::lower) fn is_ordinary(b: &mut Builder, squares: Value, real: Scalar) -> Value {
    let low = b.num(if real.is_single() { 1e-30 } else { 1e-290 }, real);
    let high = b.num(f64::INFINITY, real);
    let above = b.op(Op::Gt, &[squares, low]);
    let below = b.op(Op::Lt, &[squares, high]);
    b.op(Op::And, &[above, below])
}

/// The scale of a norm, from the largest absolute value, and whether it is the norm itself: where it is 0 or infinite.
pub(in crate::lower) fn scale(b: &mut Builder, largest: Value, real: Scalar) -> (Value, Value) {
    let scale = b.op(Op::StopGradient, &[largest]);
    let (zero, infinite) = (b.constant(Const::zero(real)), b.num(f64::INFINITY, real));
    let is_zero = b.op(Op::Eq, &[scale, zero]);
    let is_infinite = b.op(Op::Eq, &[scale, infinite]);
    (scale, b.op(Op::Or, &[is_zero, is_infinite]))
}

/// The norm by the largest absolute value, which cancels in all derivatives.
fn scaled_norm(b: &mut Builder, x: Value, real: Scalar) -> Value {
    // The norm of nothing is 0, so the scale begins with 0.
    let zero = b.constant(Const::zero(real));
    let n = count(b, x);
    let none = int(b, 0);
    let empty = b.op(Op::Eq, &[n, none]);
    let largest = move |b: &mut Builder| {
        let m = fold(b, ReduceOp::Max, x, &mut |b, e| {
            let e = b.op(Op::StopGradient, &[e]);
            b.op(Op::Abs, &[e])
        });
        vec![m]
    };
    let m = match b.dim_of(n).as_const() {
        Some(1..) => largest(b)[0],
        _ => b.if_else(empty, |_| vec![zero], largest)[0],
    };
    let (scale, is_norm) = scale(b, m, real);
    let scaled = |b: &mut Builder| {
        let squares = fold(b, ReduceOp::Sum, x, &mut |b, e| {
            let part = b.op(Op::Div, &[e, scale]);
            b.op(Op::Abs2, &[part])
        });
        let root = b.op(Op::Sqrt, &[squares]);
        vec![b.op(Op::Mul, &[scale, root])]
    };
    b.if_else(is_norm, |_| vec![scale], scaled)[0]
}

/// `log(sum(exp(x_i)))` of a real vector, shifted by its maximum, which is the value where it is infinite (so it is
/// -inf where all elements are). Of none it is a run-time error.
pub(in crate::lower) fn logsumexp(b: &mut Builder, x: Value) -> Value {
    let max = reduce(b, ReduceOp::Max, x);
    let shift = b.op(Op::StopGradient, &[max]);
    let infinite = b.op(Op::IsInf, &[shift]);
    let largest = |b: &mut Builder| {
        let count = fold(b, ReduceOp::Sum, x, &mut |b, e| if_largest(b, e, shift, true));
        let sum = fold(b, ReduceOp::Sum, x, &mut |b, e| if_largest(b, e, shift, false));
        vec![b.op(Op::Div, &[sum, count])]
    };
    let shifted = |b: &mut Builder| {
        let sum = fold(b, ReduceOp::Sum, x, &mut |b, e| {
            let e = b.op(Op::Sub, &[e, shift]);
            b.op(Op::Exp, &[e])
        });
        let log = b.op(Op::Log, &[sum]);
        vec![b.op(Op::Add, &[shift, log])]
    };
    b.if_else(infinite, largest, shifted)[0]
}

/// A term that is as large as the largest, if that is infinite, or 1 for it; else 0. The mean of such terms is the largest, and has the
/// derivative of a maximum. (Nothing is compared but with ∞: how terms are rounded decides nothing.)
pub(in crate::lower) fn if_largest(b: &mut Builder, term: Value, largest: Value, count: bool) -> Value {
    let real = b.ty(term).scalar();
    let infinity = b.num(f64::INFINITY, real);
    let finite_or_less = b.op(Op::Lt, &[largest, infinity]);
    let infinite = b.op(Op::Eq, &[term, infinity]);
    let is = b.op(Op::Or, &[finite_or_less, infinite]);
    let value = if count { b.num(1.0, real) } else { term };
    let zero = b.constant(Const::zero(real));
    b.op(Op::Select, &[is, value, zero])
}

/// `exp(x_i)/sum(exp(x_j))` of a real vector, shifted by its maximum. Of none it is a run-time error.
pub(in crate::lower) fn softmax(b: &mut Builder, x: Value) -> Value {
    let max = reduce(b, ReduceOp::Max, x);
    let shift = b.op(Op::StopGradient, &[max]);
    let exps = map(b, &[x], |b, e| {
        let e = b.op(Op::Sub, &[e[0], shift]);
        b.op(Op::Exp, &[e])
    });
    let sum = reduce(b, ReduceOp::Sum, exps);
    map(b, &[exps, sum], |b, e| b.op(Op::Div, e))
}

/// Σ conj(aᵢ) bᵢ of two vectors of one size.
pub(in crate::lower) fn dot(b: &mut Builder, x: Value, y: Value) -> Value {
    let range = b.range(&first(b, x));
    b.reduce(ReduceOp::Sum, range, |b, i| {
        let (mut p, q) = (b.index(x, &[i]), b.index(y, &[i]));
        if b.ty(p).scalar().is_complex() {
            p = b.op(Op::Conj, &[p]);
        }
        b.op(Op::Mul, &[p, q])
    })
}

/// The sum of the diagonal of a square matrix.
pub(in crate::lower) fn trace(b: &mut Builder, a: Value) -> Value {
    let n: Dim = first(b, a);
    let range = b.range(&n);
    b.reduce(ReduceOp::Sum, range, |b, i| b.index(a, &[i, i]))
}
