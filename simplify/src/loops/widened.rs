//! A sum over a range that is a little shorter than that of a loop nearby, whose arrays it reads: over the range of that loop, with
//! terms that are 0 beyond its own. Then they can be merged: the value of `sum((x[i + 1] - x[i])^2 for i in 0..N - 1)` and its derivative,
//! which has N components, become one traversal.
//!
//! Partial sums begin with +0, so a further 0 changes nothing, not even a sign.

use super::scan;
use adc_ir::{Const, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Type, Value};
use rustc_hash::FxHashSet;

/// Iterations that are added, at most.
pub(super) const MOST: i64 = 4;
/// Iterations, at least, of loops that are not written out.
pub(super) const FEWEST: i64 = 32;

/// Whether a loop does nothing but add up doubles, and reads an array that another one reads.
pub(super) fn is_near(sum: &Inst, other: &Inst, f: &Func) -> bool {
    let adds = match sum.kind {
        Kind::Reduce(ReduceOp::Sum) => true,
        Kind::For(Loop { collects: 0, checkpoint: None, .. }) => sum.args.len() == 3,
        _ => false,
    };
    let body = &sum.regions[0];
    let reads = |inst: &Inst| {
        let mut found = FxHashSet::default();
        scan::each(inst, &mut |i| {
            if i.kind == Kind::Index {
                found.insert(i.args[0]);
            }
        });
        found
    };
    adds && !scan::has_loop(body)
        && sum.results.iter().all(|v| f.ty(*v) == Type::F64)
        && !reads(sum).is_disjoint(&reads(other))
}

/// The sum up to `hi`, which is larger than where it ended.
pub(super) fn up_to(sum: &Inst, hi: Value, f: &mut Func) -> Inst {
    let Inst { mut args, mut regions, .. } = sum.clone();
    let span = sum.span;
    let body = regions.pop().expect("a loop has a body");
    let end = std::mem::replace(&mut args[1], hi);
    let mut insts = Vec::new();
    let inside =
        scan::emit(f, Kind::Op(Op::Lt), &[body.params[0], end], Scalar::Bool.into(), span, &mut insts);
    let mut zeros = Region::default();
    let zero = scan::constant(f, Const::F64(0.0), span, &mut zeros.insts);
    zeros.yields = vec![zero; body.yields.len()];
    let results: Vec<Value> = body.yields.iter().map(|_| f.fresh(Scalar::F64.into())).collect();
    let terms = Region { params: Vec::new(), insts: body.insts, yields: body.yields };
    insts.push(Inst {
        kind: Kind::If,
        args: [inside].as_slice().into(),
        results: results.as_slice().into(),
        regions: vec![terms, zeros],
        span,
    });
    regions.push(Region { params: body.params, insts, yields: results });
    Inst { args, regions, ..sum.clone() }
}
