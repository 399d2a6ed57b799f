//! Results of one loop that are the same: sums of one term, arrays of one element, carries that begin and go on alike. Merged loops
//! have them where a derivative computes once more what its primal does.

use super::Canon;
use crate::loops::scan;
use adc_ir::{Inst, Kind, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What gives a result: where a carry begins, of what is summed up or collected which of the two, and what each iteration yields.
#[derive(PartialEq, Eq, Hash)]
enum Given {
    Carry(Value, Value),
    Sum(Value),
    Collect(Value),
}

impl Canon<'_> {
    /// Leaves out results that are the same as others of the loop. Of arrays only if nobody writes into them: with one name for
    /// both it would be a copy. What was left out, with what it is the same as.
    pub(super) fn twins(&mut self, inst: &mut Inst) -> Vec<(Value, Value)> {
        let mut twins = Vec::new();
        let Kind::For(mut l) = inst.kind else { return twins };
        if !self.choice.duplicates || inst.results.len() < 2 {
            return twins;
        }
        let (carries, sums) = (inst.args.len() - 3, l.sums as usize);
        let body = &mut inst.regions[0];
        let mut first: FxHashMap<Given, usize> = FxHashMap::default();
        let mut params: FxHashMap<Value, Value> = FxHashMap::default();
        let mut dropped = vec![false; inst.results.len()];
        for (k, dropped) in dropped.iter_mut().enumerate() {
            let (y, r) = (body.yields[k], inst.results[k]);
            let array = self.values[r.0 as usize].ty.is_array();
            if array && (k < carries || self.written.contains(&r)) {
                continue;
            }
            let given = match k {
                // An integer may be a size inside.
                _ if k < carries && !self.values[r.0 as usize].ty.scalar().is_float() => continue,
                _ if k < carries => Given::Carry(inst.args[3 + k], y),
                _ if k < carries + sums => Given::Sum(y),
                _ => Given::Collect(y),
            };
            let same = *first.entry(given).or_insert(k);
            if same == k {
                continue;
            }
            *dropped = true;
            twins.push((r, inst.results[same]));
            self.uses[inst.results[same].0 as usize] += self.uses[r.0 as usize];
            match k {
                _ if k < carries => drop(params.insert(body.params[1 + k], body.params[1 + same])),
                _ if k < carries + sums => l.sums -= 1,
                _ => l.collects -= 1,
            }
        }
        if twins.is_empty() {
            return twins;
        }
        let kept = |k: &usize| !dropped[*k];
        let all = 0..inst.results.len();
        inst.kind = Kind::For(l);
        inst.args = (0..3).chain((0..carries).filter(kept).map(|k| 3 + k)).map(|k| inst.args[k]).collect();
        body.params =
            (0..1).chain((0..carries).filter(kept).map(|k| 1 + k)).map(|k| body.params[k]).collect();
        body.yields = all.clone().filter(kept).map(|k| body.yields[k]).collect();
        inst.results = all.filter(kept).map(|k| inst.results[k]).collect();
        if !params.is_empty() {
            body.rename_uses(&|v| params.get(&v).copied().unwrap_or(v));
        }
        twins
    }
}

/// The values that something may write into in place.
pub(super) fn written(body: &Region) -> FxHashSet<Value> {
    fn carried(r: &Region, out: &mut FxHashSet<Value>) {
        for inst in &r.insts {
            if inst.kind.first_carry().is_some() {
                out.extend(inst.regions.iter().flat_map(|r| r.yields.iter().copied()));
            }
            inst.regions.iter().for_each(|r| carried(r, out));
        }
    }
    let mut found = FxHashSet::default();
    for inst in &body.insts {
        scan::each_consumed(inst, &mut |v| {
            found.insert(v);
        });
    }
    carried(body, &mut found);
    found
}
