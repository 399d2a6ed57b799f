//! Which numbers a loop stores: a minimum cut between what its iterations begin with and what their reverse needs.
//!
//! The reverse of an iteration needs some numbers that depend on what is carried. Each can be stored, or be computed again from
//! numbers that are there then; those can be stored or computed again likewise. Storing costs by bytes, computing by cycles.

use super::survey::{Def, Survey};
use crate::storage::{self, Blocks, Keep};
use adc_ir::choice::{self, Choice};
use adc_ir::{Inst, Kind, Region, Value};
use rustc_hash::FxHashSet;

/// More numbers than this are stored as they are: finding a cut may take longer than linear time.
const MOST: usize = 2048;

impl<'a> Survey<'a> {
    /// Takes the decisions on a loop's body once more, which are taken one by one before, if others cost less together.
    pub(super) fn cut(&mut self, region: &'a Region, place: usize) {
        let Some(owner) = self.owner(place) else { return };
        if self.plan.blocks(owner) != Blocks::Single {
            return;
        }
        let again = self.cheaper(place, owner);
        if again.is_empty() {
            return;
        }
        self.again.extend(again);
        self.decide_region(region, place);
    }

    /// The numbers to be computed again that are stored by now.
    fn cheaper(&self, place: usize, owner: &'a Inst) -> Vec<Value> {
        let stored: FxHashSet<Value> = self.stored(place).iter().copied().collect();
        let mut choice = Choice::new();
        let computable = |v: &Value| self.is_computable(*v, place, owner);
        let mut work: Vec<Value> = self.stored(place).iter().copied().filter(computable).collect();
        work.iter().for_each(|v| choice.need(*v));
        let mut known: FxHashSet<Value> = work.iter().copied().collect();
        while let Some(v) = work.pop() {
            let store = self.storing(v, owner);
            choice.store(v, store);
            if !self.is_computable(v, place, owner) {
                continue;
            }
            let Def::By(inst) = self.defs[v.0 as usize] else { continue };
            let computing = storage::cycles(inst).into();
            if computing >= store {
                continue;
            }
            let operands = inst.args.iter().copied().filter(|u| !self.is_there(*u, place, &stored));
            let operands: Vec<Value> = operands.collect();
            choice.compute(v, computing, store, operands.iter().copied());
            work.extend(operands.into_iter().filter(|u| known.insert(*u)));
            if known.len() > MOST {
                return Vec::new();
            }
        }
        let [again, _] = choice.least();
        again
    }

    /// Whether a number of an iteration is there in its reverse, whatever is decided on others.
    fn is_there(&self, v: Value, place: usize, stored: &FxHashSet<Value>) -> bool {
        let at = self.plan.place(v);
        if self.plan.literal(v).is_some() || at != place || self.plan.is_live(place, v) {
            return true;
        }
        let Some(owner) = self.owner(place) else { return true };
        if stored.contains(&v) && !self.is_computable(v, place, owner) {
            return true;
        }
        match self.defs[v.0 as usize] {
            Def::Index | Def::Entry => true,
            Def::By(inst) => !self.depends(place, v) && self.keep(v, inst, place) == Keep::Recompute,
            Def::Carry(..) => false,
        }
    }

    /// Whether a value of a loop's body is a number that may be computed again: by an operation that takes not much longer than a
    /// load, and decides nothing.
    fn is_computable(&self, v: Value, place: usize, owner: &'a Inst) -> bool {
        let Def::By(inst) = self.defs[v.0 as usize] else { return false };
        let number = self.plan.is_own(v) && !self.func().ty(v).is_array() && self.plan.place(v) == place;
        number
            && matches!(inst.kind, Kind::Op(_))
            && !storage::is_expensive(inst)
            && self.given(owner, v).is_none()
    }

    /// What storing a value of a loop's body costs.
    fn storing(&self, v: Value, owner: &'a Inst) -> u64 {
        match self.plan.is_own(v) && self.given(owner, v).is_some() {
            true => 0,
            false => choice::BYTE * self.plan.ty(self.func(), v).scalar().bytes() as u64,
        }
    }
}
