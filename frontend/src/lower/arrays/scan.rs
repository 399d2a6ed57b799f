//! Running sums and products.

use super::elementwise::first;
use adc_ir::{Builder, Const, Loop, Op, Scalar, Value, ValueData};

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
    let entry = b.open_with(vec![ValueData::scalar(Scalar::I64), ValueData::scalar(elem)]);
    let e = b.index(x, &entry[..1]);
    let acc = b.op(op, &[entry[1], e]);
    let body = b.close(vec![acc, acc]);
    b.for_of(Loop::collecting(1), range, &[start], body)[1]
}
