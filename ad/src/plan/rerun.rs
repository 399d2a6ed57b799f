//! What has to run for a value to be computed again at the beginning of a region's reverse sweep.

use super::survey::{Def, Survey};
use crate::activity::{body_of, carries};
use adc_ir::{Inst, Kind, Value};

impl<'a> Survey<'a> {
    /// Makes a value that region `p` defines live in its reverse sweep, with everything that computing it takes. What is
    /// defined in `p` or outside is needed; it is decided on later, being defined earlier.
    pub(super) fn rerun(&mut self, p: usize, v: Value) {
        let mut work = Vec::new();
        self.enliven(p, v, &mut work);
        while let Some(v) = work.pop() {
            match self.defs[v.0 as usize] {
                Def::Entry | Def::Index => {}
                Def::By(inst) => self.by(p, inst, v, &mut work),
                Def::Carry(inst, k) => self.carry(p, inst, k, &mut work),
            }
        }
    }

    fn enliven(&mut self, p: usize, v: Value, work: &mut Vec<Value>) {
        if self.plan.literal(v).is_some() || !self.plan.live[p].insert(v) {
            return;
        }
        work.push(v);
        // The instructions around it run, too.
        let mut at = self.plan.place(v);
        while at != p {
            let Some(inst) = self.owner(at) else { return };
            self.control(p, inst, work);
            at = self.parent(at);
        }
    }

    /// Something that computing a live value takes.
    fn require(&mut self, p: usize, v: Value, work: &mut Vec<Value>) {
        let place = self.plan.place(v);
        if place == p || !self.within(place, p) {
            self.need(v);
        } else {
            self.enliven(p, v, work);
        }
    }

    fn by(&mut self, p: usize, inst: &'a Inst, v: Value, work: &mut Vec<Value>) {
        let func = self.func();
        for size in self.plan.sizes(func, v) {
            if size != v {
                self.require(p, size, work);
            }
        }
        if inst.regions.is_empty() {
            let uses: Vec<Value> = inst.uses(func).collect();
            return uses.into_iter().for_each(|u| self.require(p, u, work));
        }
        self.control(p, inst, work);
        let inner = match inst.results.iter().position(|r| *r == v) {
            Some(k) => self.result(p, inst, k, work),
            None => self.exit(p, inst, v, work),
        };
        inner.into_iter().for_each(|u| self.require(p, u, work));
    }

    /// What decides whether and how often the regions of an instruction run.
    fn control(&mut self, p: usize, inst: &'a Inst, work: &mut Vec<Value>) {
        let args = match &inst.kind {
            Kind::For(_) => &inst.args[..3],
            Kind::While(_) => &inst.regions[0].yields[..],
            _ => &inst.args[..],
        };
        args.iter().for_each(|v| self.require(p, *v, work));
        if let Kind::Build { .. } = inst.kind {
            for size in self.plan.sizes(self.func(), inst.results[0]) {
                self.require(p, size, work);
            }
        }
    }

    /// The carry at a position: where it starts and how it goes on.
    fn carry(&mut self, p: usize, inst: &'a Inst, k: usize, work: &mut Vec<Value>) {
        let first = inst.args.len() - carries(inst);
        let result = inst.results[k];
        // Whoever runs the loop again finds the carry by its result.
        self.plan.live[p].insert(result);
        self.control(p, inst, work);
        self.require(p, inst.args[first + k], work);
        self.require(p, body_of(inst).yields[k], work);
        for size in self.plan.sizes(self.func(), result) {
            self.require(p, size, work);
        }
    }

    /// What result `k` of an instruction with regions takes inside of them.
    fn result(&mut self, p: usize, inst: &'a Inst, k: usize, work: &mut Vec<Value>) -> Vec<Value> {
        let count = carries(inst);
        match &inst.kind {
            Kind::For(_) | Kind::While(_) if k < count => {
                self.carry(p, inst, k, work);
                Vec::new()
            }
            // The number of turns, which is there with the arrays.
            Kind::While(_) if k == count => vec![body_of(inst).yields[count]],
            Kind::While(_) => vec![body_of(inst).yields[k - 1]],
            _ => inst.regions.iter().map(|r| r.yields[k]).collect(),
        }
    }

    /// What an exit takes.
    fn exit(&mut self, p: usize, inst: &'a Inst, v: Value, work: &mut Vec<Value>) -> Vec<Value> {
        let Some(exits) = self.plan.exits(inst) else { return Vec::new() };
        let slots = exits.slots.iter().filter(|s| s.value == v).flat_map(|s| s.sides);
        let collected = exits.collected.iter().filter(|(_, e)| *e == v).map(|(inner, _)| *inner);
        let mut inner: Vec<Value> = slots.flatten().chain(collected).collect();
        if exits.attaining.is_some_and(|found| found.contains(&v)) {
            inner.push(body_of(inst).yields[0]);
        }
        let snapshots: Vec<usize> =
            exits.snapshots.iter().filter(|(_, e)| *e == v).map(|(k, _)| *k).collect();
        snapshots.into_iter().for_each(|k| self.carry(p, inst, k, work));
        inner
    }
}
