//! An array that a loop collects only to be added to a part of another array is added to it element by element, and there is no array of
//! terms. Each element gets what it got: results keep their bits.
//!
//! The reverse of a loop over a part of an array ends so: `for j in i + 1..n`.

use super::gathered::{carried, carry, gathers};
use super::{merge, scan, total};
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Func, Inst, Kind, Region, Type, Value};
use rustc_hash::FxHashMap;

/// Iterations, at least, if they are known.
const FEWEST: i64 = 8;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| any = region(body, f, &known, &ranges));
    any
}

/// Does so everywhere in a region; returns whether there was any.
pub(super) fn region(r: &mut Region, f: &mut Func, known: &Known, ranges: &Ranges) -> bool {
    let mut any = false;
    for inst in &mut r.insts {
        inst.regions.iter_mut().for_each(|r| any |= region(r, f, known, ranges));
    }
    let mut at = 0;
    while at < r.insts.len() {
        match part(r, at, f, known, ranges) {
            Some(found) => {
                add(r, found, f, known);
                any = true;
            }
            None => at += 1,
        }
    }
    any
}

/// A part of an array that what a loop collects is added to.
struct Part {
    /// The addition, and the loop.
    sum: usize,
    at: usize,
    /// Its place among what the loop makes.
    collected: usize,
    /// What computes where the part begins, and comes before the loop then.
    before: Vec<usize>,
}

/// The part that instruction `sum` adds to, if a loop before it can.
fn part(r: &Region, sum: usize, f: &Func, known: &Known, ranges: &Ranges) -> Option<Part> {
    let inst = &r.insts[sum];
    let (Kind::AddSlice, &[array, terms, start]) = (&inst.kind, &inst.args[..]) else { return None };
    let made: FxHashMap<Value, usize> =
        r.insts[..sum].iter().enumerate().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
    let at = *made.get(&terms)?;
    let inner = &r.insts[at];
    let of = gathers(inner)?;
    let collected = inner.results.iter().position(|v| *v == terms)?;
    let [lo, hi, step] = merge::range(inner, f, known)?;
    let counts = collected >= carried(inner) + of.sums as usize
        && f.ty(inner.regions[0].yields[collected]) == Type::F64
        && (lo.as_const(), step.as_const()) == (Some(0), Some(1))
        && hi.as_const().is_none_or(|n| n >= FEWEST);
    // Nothing else may need the terms, or the array as it was.
    let mut uses = 0;
    let mut count = |v: Value| uses += usize::from(v == terms || v == array);
    r.yields.iter().copied().for_each(&mut count);
    r.insts.iter().for_each(|i| scan::uses(i, f, &mut count));
    let there = made.get(&array).is_none_or(|k| *k < at);
    // Of no terms, a part outside the array is an error that nothing else reports.
    let (from, to) = ranges.get(start);
    let inside = from >= 0 && to <= ranges.dim(&f.shape(array)[0]).0;
    (counts && uses == 2 && there && inside).then_some(())?;

    let mut before = Vec::new();
    let mut wanted = vec![start];
    while let Some(v) = wanted.pop() {
        let Some(&k) = made.get(&v).filter(|k| **k >= at) else { continue };
        let inst = &r.insts[k];
        let simple = matches!(inst.kind, Kind::Const(_) | Kind::Op(_) | Kind::Size(_) | Kind::If);
        (k > at && simple && total::inst(inst, f, ranges)).then_some(())?;
        scan::uses(inst, f, &mut |v| wanted.push(v));
        before.push(k);
    }
    before.sort_unstable();
    before.dedup();
    Some(Part { sum, at, collected, before })
}

/// Lets the loop add to the part.
fn add(r: &mut Region, Part { sum, at, collected, before }: Part, f: &mut Func, known: &Known) {
    let Inst { args, results, .. } = r.insts.remove(sum);
    let (array, start, result) = (args[0], args[2], results[0]);
    let mut first: Vec<Inst> = before.iter().rev().map(|k| r.insts.remove(*k)).collect();
    first.reverse();
    let start = (known.number(start) != Some(0)).then_some(start);
    carry(&mut r.insts[at], collected, start, [array, result], f, known, &mut first);
    r.insts.splice(at..at, first);
}
