//! What a loop's iterations get from what it carries.

use super::survey::Survey;
use crate::activity::{body_of, carried, carries};
use adc_ir::{Inst, Kind, Region, Value};
use rustc_hash::FxHashSet;

impl<'a> Survey<'a> {
    /// What depends on the carries of a loop.
    pub(super) fn dependent(&self, inst: &'a Inst) -> FxHashSet<Value> {
        let mut found = FxHashSet::default();
        for r in &inst.regions {
            found.extend(carried(r, inst).iter().copied());
        }
        self.spread(body_of(inst), &mut found);
        found
    }

    fn spread(&self, region: &'a Region, found: &mut FxHashSet<Value>) {
        for inst in &region.insts {
            let mut control = match inst.kind.first_carry() {
                Some(first) => inst.args[..first].iter().any(|v| found.contains(v)),
                None => inst.uses(self.func()).any(|v| found.contains(&v)),
            };
            let count = carries(inst);
            loop {
                let before = found.len();
                for r in &inst.regions {
                    for (k, p) in r.params.iter().enumerate() {
                        let carry = (k + count).checked_sub(r.params.len());
                        let init = carry.is_some_and(|k| {
                            let init = inst.args[inst.args.len() - count + k];
                            found.contains(&init) || found.contains(&body_of(inst).yields[k])
                        });
                        if init || (carry.is_none() && control) {
                            found.insert(*p);
                        }
                    }
                    self.spread(r, found);
                }
                if let Kind::While(_) = inst.kind {
                    control |= found.contains(&inst.regions[0].yields[0]);
                }
                if count == 0 || found.len() == before {
                    break;
                }
            }
            let number = usize::from(matches!(inst.kind, Kind::While(l) if l.collects > 0));
            for (k, r) in inst.results.iter().enumerate() {
                let from_regions = inst.regions.iter().any(|region| match inst.kind {
                    Kind::If | Kind::Build { .. } | Kind::Reduce(_) => found.contains(&region.yields[k]),
                    _ if k < count => {
                        found.contains(&inst.args[inst.args.len() - count + k])
                            || found.contains(&body_of(inst).yields[k])
                    }
                    _ if number == 1 && k == count => false,
                    _ => found.contains(&body_of(inst).yields[k - number]),
                });
                if control || from_regions {
                    found.insert(*r);
                }
            }
            if control && let Some(kept) = inst.results.first().and_then(|v| self.plan.kept.get(v)) {
                found.extend(kept.iter().copied());
            }
        }
    }
}
