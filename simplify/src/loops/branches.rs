//! Two `if`s of one region on the same condition become one.
//!
//! What one of them makes for the other stays in the branch, where the canonicaliser sees through it: what derivatives do to an
//! array, contribution by contribution, becomes the array of the sums.

use super::scan;
use adc_ir::dce::Asserting;
use adc_ir::{Func, Inst, Kind, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Branches are not merged beyond this many instructions.
const MOST: usize = 2000;
/// How many instructions may stand between two `if`s.
const NEAR: usize = 400;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    scan::edit(f, |body, f| region(body, f, asserting));
}

fn region(r: &mut Region, f: &mut Func, asserting: &Asserting) {
    let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
    // The last `if` on each condition.
    let mut last: FxHashMap<Value, usize> = FxHashMap::default();
    for inst in std::mem::take(&mut r.insts) {
        let cond = (inst.kind == Kind::If).then(|| inst.args[0]);
        let first = cond.and_then(|cond| last.get(&cond).copied()).filter(|first| out.len() - first < NEAR);
        out.push(inst);
        let Some(cond) = cond else { continue };
        let mut now = out.len() - 1;
        if let Some(first) = first.filter(|first| joins(&out[*first..], f, asserting)) {
            let insts = out.split_off(first);
            now = join(insts, &mut out, f);
            // What stood between them has moved.
            for (k, inst) in out.iter().enumerate().skip(first) {
                if inst.kind == Kind::If {
                    last.insert(inst.args[0], k);
                }
            }
        }
        last.insert(cond, now);
    }
    out.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| region(r, f, asserting));
    r.insts = out;
}

/// Whether the first of these instructions can run right before the last one, and those between that need it behind both.
fn joins(insts: &[Inst], f: &Func, asserting: &Asserting) -> bool {
    let Some((first, rest)) = insts.split_first() else { return false };
    let Some((last, between)) = rest.split_last() else { return false };
    let size: usize = first.regions.iter().chain(&last.regions).map(scan::size).sum();
    if size > MOST || asserting.inst(first) || asserting.inst(last) {
        return false;
    }
    let arrays = |inst: &Inst| {
        let mut found = Vec::new();
        scan::uses(inst, f, &mut |v| {
            if f.ty(v).is_array() {
                found.push(v);
            }
        });
        found
    };
    let mut wanted: FxHashSet<Value> = FxHashSet::default();
    scan::uses(last, f, &mut |v| {
        wanted.insert(v);
    });
    let (reads, others) = (arrays(first), arrays(last));
    let mut late: FxHashSet<Value> = first.results.iter().copied().collect();
    between.iter().all(|inst| {
        let mut needs = false;
        scan::uses(inst, f, &mut |v| needs |= late.contains(&v));
        if !needs {
            return !scan::consumed(inst, &reads);
        }
        late.extend(inst.results.iter().copied());
        // The last one comes before it.
        !inst.results.iter().any(|v| wanted.contains(v))
            && !scan::consumed(last, &arrays(inst))
            && !scan::consumed(inst, &others)
    })
}

/// Joins the first and the last of these instructions, two `if`s; the place of the one that they become.
fn join(mut insts: Vec<Inst>, out: &mut Vec<Inst>, f: &mut Func) -> usize {
    let mut b = insts.pop().expect("two of them");
    let mut insts = insts.into_iter();
    let mut a = insts.next().expect("two of them");
    let [mut before, mut behind] = scan::apart(insts, f, &a.results);
    out.append(&mut before);
    for (arm, other) in a.regions.iter_mut().zip(&mut b.regions) {
        let to = a.results.iter().copied().zip(arm.yields.iter().copied()).collect();
        scan::rename(other, f, &to);
        arm.insts.append(&mut other.insts);
        arm.yields.append(&mut other.yields);
    }
    a.results.extend(b.results);
    let now = out.len();
    out.push(a);
    out.append(&mut behind);
    now
}
