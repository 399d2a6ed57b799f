//! A maximum or minimum that is differentiated in one branch of an `if` only is computed once more in that branch, so that the work of
//! its derivative is done there: which iterations attain it is not counted where nobody asks. So the shift of `logsumexp` costs
//! nothing but its value: the maximum itself is the result only if it is infinite.
//!
//! This comes last before differentiation: in canonical form the second one is the first again, as it is where nothing was
//! differentiated.

use super::scan;
use adc_ir::dce::Asserting;
use adc_ir::{Func, Inst, Kind, Op, ReduceOp, Region, Value};
use rustc_hash::FxHashMap;

/// How many instructions may stand between an extremum and its branch.
const NEAR: usize = 400;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    scan::edit(f, |body, f| region(body, f, asserting));
}

fn region(r: &mut Region, f: &mut Func, asserting: &Asserting) {
    for (at, to, side) in alone(r, f, asserting) {
        let Inst { kind, args, results, regions, span } = r.insts[at].clone();
        let param = f.fresh(f.data(regions[0].params[0]).clone());
        let again = f.fresh(f.data(results[0]).clone());
        let (insts, yields) = scan::copy(&regions[0], f, &[param]);
        let body = Region { params: vec![param], insts, yields };
        let arm = &mut r.insts[to].regions[side];
        scan::rename(arm, f, &FxHashMap::from_iter([(results[0], again)]));
        let results = [again].as_slice().into();
        arm.insts.insert(0, Inst { kind, args, results, regions: vec![body], span });
    }
    r.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| region(r, f, asserting));
}

/// The extrema that one branch alone uses in a way that has a derivative: where they are, where its `if` is, and which it is.
fn alone(r: &Region, f: &Func, asserting: &Asserting) -> Vec<(usize, usize, usize)> {
    let mut found: FxHashMap<Value, (usize, Option<(usize, usize)>)> = FxHashMap::default();
    for (k, inst) in r.insts.iter().enumerate() {
        if !found.is_empty() {
            if !is_still(inst, f) {
                for v in &inst.args {
                    found.remove(v);
                }
            }
            for (side, nested) in inst.regions.iter().enumerate() {
                differentiated(nested, f, &mut |v| {
                    let Some((_, branch)) = found.get_mut(&v) else { return };
                    match branch {
                        None if inst.kind == Kind::If => *branch = Some((k, side)),
                        Some(known) if *known == (k, side) => {}
                        _ => {
                            found.remove(&v);
                        }
                    }
                });
            }
        }
        let extremum = matches!(inst.kind, Kind::Reduce(ReduceOp::Max | ReduceOp::Min));
        if extremum && !asserting.inst(inst) {
            let (x, ty) = (inst.results[0], f.ty(inst.results[0]));
            if !ty.is_array() && ty.is_differentiable() {
                found.insert(x, (k, None));
            }
        }
    }
    for v in &r.yields {
        found.remove(v);
    }
    let mut all: Vec<(usize, usize, usize)> =
        found.into_values().filter_map(|(at, branch)| branch.map(|(to, side)| (at, to, side))).collect();
    all.retain(|(at, to, _)| {
        let mut arrays = Vec::new();
        scan::uses(&r.insts[*at], f, &mut |v| {
            if f.ty(v).is_array() {
                arrays.push(v);
            }
        });
        to - at <= NEAR && !r.insts[at + 1..=*to].iter().any(|i| scan::consumed(i, &arrays))
    });
    all.sort_unstable();
    all
}

/// Whether no derivative goes through an instruction to its operands.
fn is_still(inst: &Inst, f: &Func) -> bool {
    match inst.kind {
        Kind::Op(Op::StopGradient) => true,
        Kind::Op(_) => !f.ty(inst.results[0]).is_differentiable(),
        _ => false,
    }
}

/// Calls `see` with the values that a region uses in a way that may have a derivative.
fn differentiated(r: &Region, f: &Func, see: &mut impl FnMut(Value)) {
    for inst in &r.insts {
        if !is_still(inst, f) {
            inst.args.iter().for_each(|v| see(*v));
        }
        inst.regions.iter().for_each(|r| differentiated(r, f, see));
    }
    r.yields.iter().for_each(|v| see(*v));
}
