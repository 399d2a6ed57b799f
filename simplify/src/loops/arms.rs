//! What both branches of an `if` compute from values in front of it is computed in front of it.
//!
//! It is computed in either case, so nothing is done in vain and nothing fails that did not. It stays where something
//! else may fail first, unless it cannot fail itself; so does an update in place, which is not brought before a read.

use super::{scan, total};
use crate::duplicates::{Around, Key};
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) fn function(f: &mut Func) {
    let ranges = Ranges::of(f);
    scan::edit(f, |body, f| region(body, f, &ranges));
}

fn region(r: &mut Region, f: &mut Func, ranges: &Ranges) {
    let mut out = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts) {
        inst.regions.iter_mut().for_each(|r| region(r, f, ranges));
        if inst.kind == Kind::If {
            out.extend(common(&mut inst.regions, f, ranges));
        }
        out.push(inst);
    }
    r.insts = out;
}

/// Takes what both regions compute out of them.
fn common(arms: &mut [Region], f: &mut Func, ranges: &Ranges) -> Vec<Inst> {
    let [then, other] = arms else { return Vec::new() };
    let total = |r: &Region| -> Vec<bool> { r.insts.iter().map(|i| total::inst(i, f, ranges)).collect() };
    let [then_total, other_total] = [total(then), total(other)];
    let mut first: FxHashMap<Key, usize> = FxHashMap::default();
    for (k, inst) in then.insts.iter().enumerate() {
        if movable(inst, f)
            && let Some(key) = Key::of(inst, &f.values, &Renamed(&FxHashMap::default()))
        {
            first.entry(key).or_insert(k);
        }
    }
    // Which of the first are computed in front, for which of the second, and what the second's values are called then.
    let mut taken = vec![false; then.insts.len()];
    let mut duplicates: Vec<Option<usize>> = vec![None; other.insts.len()];
    let mut to: FxHashMap<Value, Value> = FxHashMap::default();
    // Up to here nothing fails in the arms that is not taken.
    let (mut then_safe, mut other_safe) = (0, true);
    for (k, inst) in other.insts.iter().enumerate() {
        let duplicate = movable(inst, f).then(|| Key::of(inst, &f.values, &Renamed(&to))).flatten();
        let duplicate = duplicate.and_then(|key| first.get(&key)).copied();
        while then_total.get(then_safe).is_some_and(|total| *total || taken[then_safe]) {
            then_safe += 1;
        }
        match duplicate.filter(|at| other_total[k] || (other_safe && *at <= then_safe)) {
            Some(at) => {
                (taken[at], duplicates[k]) = (true, Some(at));
                to.extend(inst.results.iter().copied().zip(then.insts[at].results.iter().copied()));
            }
            None => other_safe &= other_total[k],
        }
    }
    // Literals come along only with what needs them.
    let literal = |inst: &Inst| matches!(inst.kind, Kind::Const(_));
    let mut needed: FxHashSet<Value> = FxHashSet::default();
    for (inst, _) in then.insts.iter().zip(&taken).filter(|(i, taken)| **taken && !literal(i)) {
        scan::uses(inst, f, &mut |v| {
            needed.insert(v);
        });
    }
    let stays = |inst: &Inst| literal(inst) && !needed.contains(&inst.results[0]);
    for (inst, duplicate) in other.insts.iter().zip(&mut duplicates) {
        if duplicate.is_some_and(|at| stays(&then.insts[at])) {
            *duplicate = None;
            to.remove(&inst.results[0]);
        }
    }
    let mut duplicates = duplicates.into_iter();
    other.insts.retain(|_| duplicates.next().flatten().is_none());
    scan::rename(other, f, &to);
    let (mut out, mut rest) = (Vec::new(), Vec::new());
    for (inst, taken) in std::mem::take(&mut then.insts).into_iter().zip(taken) {
        if taken && !stays(&inst) { out.push(inst) } else { rest.push(inst) }
    }
    then.insts = rest;
    out
}

/// Names that the second arm has for what the first one computes, too. What else that one computes has no name here.
struct Renamed<'a>(&'a FxHashMap<Value, Value>);

impl Around for Renamed<'_> {
    fn resolve(&self, v: Value) -> Value {
        self.0.get(&v).copied().unwrap_or(v)
    }

    // Literals of the arms are moved as the instructions that they are.
    fn literal(&self, _: Value) -> Option<Const> {
        None
    }
}

/// Whether it may be computed earlier: it is no assertion, and updates nothing in place.
fn movable(inst: &Inst, f: &Func) -> bool {
    let mut used = Vec::new();
    scan::uses(inst, f, &mut |v| {
        if f.ty(v).is_array() {
            used.push(v);
        }
    });
    !scan::asserts(inst) && !scan::consumed(inst, &used)
}
