//! Sorting.

use super::elementwise::{first, int};
use super::form::{gather, iota};
use adc_ir::{Builder, Loop, Op, Scalar, Value, ValueData};

/// The vector in ascending order, NaN last. The derivative is the permutation.
pub(in crate::lower) fn sort(b: &mut Builder, x: Value) -> Value {
    let order = argsort(b, x);
    gather(b, x, order)
}

/// The indices that sort a vector of integers or real numbers: of equal elements the first one first, NaN last.
///
/// Merges of sorted runs of 1, 2, 4, … elements. Neighbours of the result have been compared with each other, so every tie is seen
/// by who watches comparisons.
pub(in crate::lower) fn argsort(b: &mut Builder, x: Value) -> Value {
    let size = first(b, x);
    let range = b.range(&size);
    let n = range[1];
    let start = iota(b, &size);
    let one = int(b, 1);
    let sorted = b.while_(
        &[start, one],
        |b, c| b.op(Op::Lt, &[c[1], n]),
        |b, c| {
            let (order, run) = (c[0], c[1]);
            let twice = b.op(Op::Add, &[run, run]);
            let [zero, one] = [0, 1].map(|n| int(b, n));
            // At `at` of the result; the next of the left run, the next of the right one.
            let entry = b.open_with(vec![ValueData::scalar(Scalar::I64); 3]);
            let at = entry[0];
            let within = b.op(Op::Mod, &[at, twice]);
            let begin = b.op(Op::Sub, &[at, within]);
            let ends = [run, twice].map(|len| {
                let end = b.op(Op::Add, &[begin, len]);
                b.op(Op::Min, &[end, n])
            });
            let is_first = b.op(Op::Eq, &[within, zero]);
            let left = b.op(Op::Select, &[is_first, begin, entry[1]]);
            let right = b.op(Op::Select, &[is_first, ends[0], entry[2]]);
            let [some_left, some_right] =
                [(left, ends[0]), (right, ends[1])].map(|(i, end)| b.op(Op::Lt, &[i, end]));
            let both = b.op(Op::And, &[some_left, some_right]);
            let takes_right = b.if_else(
                both,
                |b| {
                    let [l, r] = [left, right].map(|i| {
                        let i = b.index(order, &[i]);
                        b.index(x, &[i])
                    });
                    vec![before(b, r, l)]
                },
                |_| vec![some_right],
            )[0];
            let from = b.op(Op::Select, &[takes_right, right, left]);
            let taken = b.index(order, &[from]);
            let [next_left, next_right] = [left, right].map(|i| b.op(Op::Add, &[i, one]));
            let left = b.op(Op::Select, &[takes_right, left, next_left]);
            let right = b.op(Op::Select, &[takes_right, next_right, right]);
            let body = b.close(vec![left, right, taken]);
            let merged = b.for_of(Loop::collecting(1), range, &[zero, zero], body)[2];
            vec![merged, twice]
        },
    );
    sorted[0]
}

/// Whether `x` has to stand before `y`, wherever they come from.
fn before(b: &mut Builder, x: Value, y: Value) -> Value {
    let less = b.op(Op::Lt, &[x, y]);
    if b.ty(x).scalar() == Scalar::I64 {
        return less;
    }
    let [x, y] = [x, y].map(|v| b.op(Op::IsNan, &[v]));
    let number = b.op(Op::Not, &[x]);
    let last = b.op(Op::And, &[number, y]);
    b.op(Op::Or, &[less, last])
}
