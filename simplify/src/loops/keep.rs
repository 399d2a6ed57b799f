//! What two loops over one range both compute is computed in the first one only, which keeps it for the second.
//!
//! Such loops cannot be one if the second needs a result of the first, as the derivative of a sum needs the sum. They have the same
//! values nevertheless: what the primal computes in its iterations, the derivative would compute again. A loop keeps no more numbers
//! in an iteration than it reads of arrays, so that memory stays a multiple of that of the data, however long the loop is.

use super::merge::{NEAR, number, operands, range};
use super::scan;
use crate::cost;
use adc_ir::dims::Known;
use adc_ir::{Dim, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Value, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value is kept if computing it again takes this many cycles or more: those of eight multiplications.
const WORTH: u64 = 32;
/// Instructions that are looked at to find out; reads and literals take no cycles.
const LOOKED_AT: usize = 32;
/// Among how many loops before it one is looked for that computes the same.
const CANDIDATES: usize = 4;

pub(crate) fn function(f: &mut Func) {
    let known = Known::of(f);
    scan::edit(f, |body, f| region(body, f, &known));
}

fn region(r: &mut Region, f: &mut Func, known: &Known) {
    // Numbers that loops begin and end with.
    let mut head = Vec::new();
    for at in 0..r.insts.len() {
        let mut found = None;
        if let Some(key) = readable(&r.insts[at], f, known) {
            let nearest = (at.saturating_sub(NEAR)..at).rev();
            let mut same = nearest.filter(|q| range(&r.insts[*q], f, known).as_ref() == Some(&key));
            found = same.by_ref().take(CANDIDATES).find_map(|first| {
                let kept = common(&r.insts[first], &r.insts[at], f);
                (!kept.is_empty()).then_some((first, kept))
            });
        }
        if let Some((first, kept)) = found {
            keep(r, first, at, kept, f, known, &mut head);
        }
    }
    r.insts.splice(..0, head);
    r.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| region(r, f, known));
}

/// The range of a loop that could read what another one kept, if the number of iterations is known.
fn readable(inst: &Inst, f: &Func, known: &Known) -> Option<[Dim; 3]> {
    let key = match inst.kind {
        Kind::Reduce(ReduceOp::Max | ReduceOp::Min | ReduceOp::Prod) => {
            [0, 1, 2].map(|k| known.dim(inst.args[k]))
        }
        _ => range(inst, f, known)?,
    };
    let [lo, hi, step] = [0, 1, 2].map(|k| key[k].as_const());
    // Arrays are read at 0, 1, …
    (lo? == 0 && step? == 1 && hi? > 0).then_some(key)
}

/// What the second loop computes as the first one does and should not, with what the first one calls it.
fn common(first: &Inst, second: &Inst, f: &Func) -> Vec<(Value, Value)> {
    let (a, b) = (&first.regions[0], &second.regions[0]);
    let table: FxHashMap<_, Value> =
        a.insts.iter().filter_map(|i| Some((key(i, &|v| v)?, i.results[0]))).collect();
    let mut same = FxHashMap::from_iter([(b.params[0], a.params[0])]);
    let mut made: FxHashMap<Value, &Inst> = FxHashMap::default();
    let mut used: Vec<Value> = Vec::new();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    for inst in &b.insts {
        let key = key(inst, &|v| same.get(&v).copied().unwrap_or(v));
        match key.and_then(|key| table.get(&key)) {
            Some(v) => {
                same.insert(inst.results[0], *v);
                made.insert(inst.results[0], inst);
            }
            None => scan::uses(inst, f, &mut |v| {
                if made.contains_key(&v) && seen.insert(v) {
                    used.push(v);
                }
            }),
        }
    }
    for v in &b.yields {
        if made.contains_key(v) && seen.insert(*v) {
            used.push(*v);
        }
    }
    let mut kept: FxHashSet<Value> = FxHashSet::default();
    let float = |v: &Value| !f.ty(*v).is_array() && f.ty(*v).scalar().is_float();
    let mut out = Vec::new();
    let mut most = 0;
    scan::each(first, &mut |i| most += usize::from(i.kind == Kind::Index));
    used.sort_unstable();
    for v in used.into_iter().filter(float) {
        if out.len() < most && work(v, f, &made, &kept, WORTH) >= WORTH {
            kept.insert(v);
            out.push((v, same[&v]));
        }
    }
    out
}

/// An instruction without regions that gives the same for the same operands.
fn key(inst: &Inst, name: &dyn Fn(Value) -> Value) -> Option<(Kind, Values)> {
    if !matches!(inst.kind, Kind::Op(_) | Kind::Index | Kind::Const(_)) {
        return None;
    }
    let mut args: Values = inst.args.iter().map(|v| name(*v)).collect();
    if matches!(inst.kind, Kind::Op(op) if op.commutes()) {
        args[..2].sort_unstable();
    }
    Some((inst.kind.clone(), args))
}

/// Cycles that computing a value again takes, where `kept` is there; no more than `enough` are counted.
pub(super) fn work(
    v: Value,
    f: &Func,
    made: &FxHashMap<Value, &Inst>,
    kept: &FxHashSet<Value>,
    enough: u64,
) -> u64 {
    let mut seen = FxHashSet::from_iter([v]);
    let mut work = vec![v];
    let mut sum = 0;
    while let Some(v) = work.pop() {
        let Some(inst) = made.get(&v) else { continue };
        if let Kind::Op(op) = inst.kind {
            sum += cycles(inst, op, f);
        }
        if sum >= enough || seen.len() > LOOKED_AT {
            break;
        }
        work.extend(inst.args.iter().filter(|v| !kept.contains(v)).filter(|v| seen.insert(**v)));
    }
    sum
}

/// Cycles that an op takes. Integers and truth values are computed beside numbers; where they depend on the index alone, lanes know them
/// without computing them.
pub(super) fn cycles(inst: &Inst, op: Op, f: &Func) -> u64 {
    let whole = !inst.args.iter().any(|v| f.ty(*v).scalar().is_float());
    if whole && !matches!(op, Op::Mod | Op::Idiv | Op::Powi) {
        return 1;
    }
    let complex = inst.args.iter().filter(|v| f.ty(**v).scalar().is_complex()).count();
    cost::of(op, complex, f.ty(inst.results[0]).scalar())
}

/// Lets the first loop keep values for the second. The range is one of numbers.
fn keep(
    r: &mut Region,
    first: usize,
    second: usize,
    kept: Vec<(Value, Value)>,
    f: &mut Func,
    known: &Known,
    head: &mut Vec<Inst>,
) {
    let range = range(&r.insts[first], f, known).expect("it is a loop");
    let n = range[1].clone();
    let a = &mut r.insts[first];
    let (l, args) = match a.kind {
        Kind::For(l) => (l, a.args.clone()),
        _ => {
            let span = a.span;
            let args = operands(a).unwrap_or_else(|| range.map(|d| number(&d, f, head, span)));
            let l = if let Kind::Build { .. } = a.kind {
                Loop::collecting(1)
            } else {
                Loop { sums: 1, ..Loop::default() }
            };
            (l, args.as_slice().into())
        }
    };
    (a.kind, a.args) = (Kind::For(Loop { collects: l.collects + kept.len() as u32, ..l }), args);
    let mut arrays = Vec::new();
    for (_, v) in &kept {
        let array = f.fresh(f.data(*v).outer(std::slice::from_ref(&n)));
        a.regions[0].yields.push(*v);
        a.results.push(array);
        arrays.push(array);
    }
    let b = &mut r.insts[second];
    let body = &mut b.regions[0];
    let index = body.params[0];
    let reads: FxHashMap<Value, Value> = kept.iter().map(|(v, _)| *v).zip(arrays).collect();
    for inst in &mut body.insts {
        if let Some(array) = inst.results.first().and_then(|v| reads.get(v)) {
            (inst.kind, inst.args) = (Kind::Index, Values::from_slice(&[*array, index]));
        }
    }
}
