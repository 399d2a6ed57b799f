//! Running sums and products.

use super::first;
use adc_ir::{Builder, Const, Op, Value};

/// `cumsum` of a vector.
pub(in crate::lower) fn cumsum(b: &mut Builder, x: Value) -> Value {
    scan(b, Op::Add, 0.0, x)
}

/// `cumprod` of a vector.
pub(in crate::lower) fn cumprod(b: &mut Builder, x: Value) -> Value {
    scan(b, Op::Mul, 1.0, x)
}

fn scan(b: &mut Builder, op: Op, start: f64, x: Value) -> Value {
    let n = first(b, x);
    let elem = b.ty(x).scalar();
    let start = b.constant(Const::real(start, elem));
    let range = b.range(&n);
    let out = b.fill(start, &[n]);
    b.for_(range, &[start, out], |b, i, carries| {
        let e = b.index(x, &[i]);
        let acc = b.op(op, &[carries[0], e]);
        vec![acc, b.update(carries[1], acc, &[i])]
    })[1]
}
