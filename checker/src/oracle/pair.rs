//! Double-double arithmetic on the builder, as far as displacements and differences need it.

use adc_ir::{Builder, Op, Scalar, Value};

/// a + b and its rounding error (Knuth's TwoSum).
fn two_sum(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let s = b.op(Op::Add, &[x, y]);
    let yy = b.op(Op::Sub, &[s, x]);
    let xx = b.op(Op::Sub, &[s, yy]);
    let (dx, dy) = (b.op(Op::Sub, &[x, xx]), b.op(Op::Sub, &[y, yy]));
    (s, b.op(Op::Add, &[dx, dy]))
}

/// A pair plus a number, as a pair. An infinite number stays the same.
pub(super) fn sum(b: &mut Builder, (hi, lo): (Value, Value), x: Value) -> (Value, Value) {
    let (s, e) = two_sum(b, hi, x);
    let e = b.op(Op::Add, &[e, lo]);
    let hi = b.op(Op::Add, &[s, e]);
    let part = b.op(Op::Sub, &[hi, s]);
    let lo = b.op(Op::Sub, &[e, part]);
    let finite = b.op(Op::IsFinite, &[hi]);
    let zero = b.num(0.0, Scalar::F64);
    (b.op(Op::Select, &[finite, hi, s]), b.op(Op::Select, &[finite, lo, zero]))
}

/// The difference of two pairs, rounded to a number; NaN where one of them is not finite.
pub(super) fn difference(b: &mut Builder, x: (Value, Value), y: (Value, Value)) -> Value {
    let minus = b.op(Op::Neg, &[y.0]);
    let (s, e) = two_sum(b, x.0, minus);
    let lows = b.op(Op::Sub, &[x.1, y.1]);
    let e = b.op(Op::Add, &[e, lows]);
    b.op(Op::Add, &[s, e])
}
