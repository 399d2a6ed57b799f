//! Products that one call computes.

use adc_ir::{Func, Inst, Kind, Scalar, Type};

/// Whether two instructions, one right behind the other, multiply one matrix of doubles by a vector behind it and by one before it. One
/// call does both and reads the matrix once. It writes the second result while it reads the operands of the first.
pub(crate) fn are_beside(first: &Inst, second: &Inst, func: &Func) -> bool {
    let [(Kind::MatMul, &[a, x]), (Kind::MatMul, &[y, b])] =
        [(&first.kind, &first.args[..]), (&second.kind, &second.args[..])]
    else {
        return false;
    };
    let vectors = [x, y].iter().all(|v| func.ty(*v) == Type::of_rank(Scalar::F64, 1));
    a == b && vectors && func.ty(a) == Type::of_rank(Scalar::F64, 2) && y != first.results[0]
}
