//! What cannot fail at run time, whatever its operands are.

use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, LinalgOp, Op, Region, Scalar, Value, kinds};

/// Whether the instruction gives something for all values of its operands. Memory may run out nevertheless.
pub(crate) fn inst(inst: &Inst, f: &Func, ranges: &Ranges) -> bool {
    let sizes = || inst.results.iter().flat_map(|v| f.shape(*v)).all(|d| ranges.dim(d).0 >= 0 || entry(d, f));
    let nested = || inst.regions.iter().all(|r| region(r, f, ranges));
    match &inst.kind {
        Kind::Const(_) => true,
        Kind::Op(op) => f.ty(inst.results[0]).scalar() != Scalar::I64 || in_range(*op, &inst.args, ranges),
        Kind::Index => ranges.inside(f.shape(inst.args[0]), &inst.args[1..]),
        Kind::Pack | Kind::Transpose | Kind::MatMul => true,
        Kind::Fill | Kind::Reshape => sizes(),
        Kind::Build { .. } => sizes() && nested(),
        Kind::Reduce(op) => !op.needs_element() && nested(),
        Kind::For(_) => ranges.get(inst.args[2]).0 >= 1 && sizes() && nested(),
        Kind::If => nested(),
        Kind::Linalg(op) => match op {
            LinalgOp::Det
            | LinalgOp::LogDet
            | LinalgOp::EighValues
            | LinalgOp::EighVectors
            | LinalgOp::QrQ
            | LinalgOp::SvdValues
            | LinalgOp::SvdVectors
            | LinalgOp::LuSolve
            | LinalgOp::LuSolveAdjoint => true,
            LinalgOp::Solve | LinalgOp::SolveAdjoint | LinalgOp::Cholesky | LinalgOp::Inv | LinalgOp::Lu => {
                false
            }
        },
        Kind::Size(size) => fits(size, ranges),
        // A part may be outside; a loop may not end.
        Kind::Slice | Kind::Call(_) | Kind::Assert(_) | Kind::While(_) | kinds!(Write) => false,
    }
}

/// Whether the result of an operation on integers fits: others overflow, and what is converted to one may be out of range.
fn in_range(op: Op, args: &[Value], ranges: &Ranges) -> bool {
    let ends = |v: Value| {
        let (lo, hi) = ranges.get(v);
        [lo, hi]
    };
    // One of their operands.
    if matches!(op, Op::Min | Op::Max | Op::Select) {
        return true;
    }
    let (fits, args) = match (op, args) {
        (Op::Add, [a, b]) => (i64::checked_add as fn(i64, i64) -> Option<i64>, [*a, *b]),
        (Op::Sub, [a, b]) => (i64::checked_sub as _, [*a, *b]),
        (Op::Mul, [a, b]) => (i64::checked_mul as _, [*a, *b]),
        _ => return false,
    };
    // Each is monotonous in both operands.
    let [a, b] = args.map(ends);
    a.iter().all(|a| b.iter().all(|b| fits(*a, *b).is_some()))
}

/// Whether no term of a size overflows, nor a sum of some of them.
fn fits(size: &Dim, ranges: &Ranges) -> bool {
    let most = |v: &Value| {
        let (lo, hi) = ranges.get(*v);
        lo.unsigned_abs().max(hi.unsigned_abs()) as u128
    };
    let term =
        |vars: &[Value], c: i64| vars.iter().map(most).fold(c.unsigned_abs() as u128, u128::saturating_mul);
    size.terms().map(|(vars, c)| term(vars, c)).fold(0, u128::saturating_add) <= i64::MAX as u128
}

fn region(r: &Region, f: &Func, ranges: &Ranges) -> bool {
    r.insts.iter().all(|i| inst(i, f, ranges))
}

/// Whether a size is a sum of products of the function's own dimensions, which are not negative.
fn entry(d: &Dim, f: &Func) -> bool {
    let own = |v: &Value| f.dims.iter().any(|d| d.value == *v);
    d.terms().all(|(vars, c)| c >= 0 && vars.iter().all(own))
}
