//! Carries that a loop only adds to: their cotangent is the same in every iteration, so a loop of nothing else is reversed as a
//! sum is.

use crate::activity::{body_of, carried, carries};
use adc_ir::{Inst, Kind, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each carry of a loop whether the next one is the one before plus something that does not depend on it, and nothing
/// else of the body uses it.
pub(crate) fn added_to(inst: &Inst) -> Vec<bool> {
    let mut uses = FxHashMap::default();
    let body = body_of(inst);
    count(body, &mut uses);
    if inst.regions.len() == 2 {
        count(&inst.regions[0], &mut uses);
    }
    let params = carried(body, inst);
    (0..carries(inst))
        .map(|k| {
            let asked = inst.regions.len() == 2 && uses.contains_key(&inst.regions[0].params[k]);
            !asked && Chain::of(body, params[k], &uses).is_some_and(|c| c.0.contains(&body.yields[k]))
        })
        .collect()
}

/// How often each value is used in a region.
fn count(region: &Region, uses: &mut FxHashMap<Value, usize>) {
    for inst in &region.insts {
        inst.args.iter().for_each(|v| *uses.entry(*v).or_default() += 1);
        inst.regions.iter().for_each(|r| count(r, uses));
    }
    region.yields.iter().for_each(|v| *uses.entry(*v).or_default() += 1);
}

/// The values that are a carry plus something.
struct Chain(FxHashSet<Value>);

impl Chain {
    /// `None` if one of them is used otherwise.
    fn of(body: &Region, param: Value, uses: &FxHashMap<Value, usize>) -> Option<Chain> {
        let mut chain = Chain(FxHashSet::from_iter([param]));
        let mut found = FxHashMap::default();
        chain.region(body, &mut found)?;
        // The loop's own yield is the one use that is not of the chain.
        let end = body.yields.iter().filter(|y| chain.0.contains(y)).count();
        let known: usize = found.values().sum::<usize>() + end;
        let total: usize = chain.0.iter().filter_map(|v| uses.get(v)).sum();
        (known == total && end == 1).then_some(chain)
    }

    /// Follows the chain through a region; counts its uses of it.
    fn region(&mut self, region: &Region, found: &mut FxHashMap<Value, usize>) -> Option<()> {
        for inst in &region.insts {
            let on = |v: &Value| self.0.contains(v);
            let operands: Vec<usize> = (0..inst.args.len()).filter(|k| on(&inst.args[*k])).collect();
            let adds = match (&inst.kind, operands.as_slice()) {
                (_, []) => false,
                (Kind::Op(Op::Add), [_]) => true,
                (Kind::Op(Op::Sub) | Kind::AddAt | Kind::AddSlice, [0]) => true,
                _ => return None,
            };
            if adds {
                *found.entry(inst.args[operands[0]]).or_default() += 1;
                self.0.insert(inst.results[0]);
                continue;
            }
            if inst.kind != Kind::If {
                continue;
            }
            for r in &inst.regions {
                self.region(r, found)?;
            }
            for (k, result) in inst.results.iter().enumerate() {
                let sides = inst.regions.iter().filter(|r| self.0.contains(&r.yields[k])).count();
                if sides == inst.regions.len() {
                    for r in &inst.regions {
                        *found.entry(r.yields[k]).or_default() += 1;
                    }
                    self.0.insert(*result);
                } else if sides > 0 {
                    return None;
                }
            }
        }
        Some(())
    }
}
