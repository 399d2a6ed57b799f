//! What has to run for a value to be computed again at the beginning of a region's reverse sweep.

use super::survey::{Def, Survey};
use crate::activity::{body_of, carries};
use adc_ir::{Inst, Kind, Value};
use rustc_hash::FxHashSet;

/// Where values are computed again.
#[derive(Clone, Copy)]
struct Run {
    /// The number of the set of what is live.
    live: usize,
    /// In the reverse sweep of this region,
    place: usize,
    /// or, for a block of iterations of the loop with this body, all of it.
    whole: bool,
}

impl<'a> Survey<'a> {
    /// Makes a value that region `p` defines live in its reverse sweep, with everything that computing it takes. What is
    /// defined in `p` or outside is needed; it is decided on later, being defined earlier.
    pub(super) fn rerun(&mut self, place: usize, v: Value) {
        self.run(Run { live: place, place, whole: false }, &[v]);
    }

    /// Makes values of a loop's body live when its iterations run again from a snapshot. The number of the set of what is
    /// live, and the positions of the carries that the snapshot has.
    pub(super) fn rerun_iterations(
        &mut self,
        place: usize,
        inst: &'a Inst,
        values: &[Value],
    ) -> (usize, Vec<usize>) {
        let live = self.plan.live.len();
        self.plan.live.push(FxHashSet::default());
        self.run(Run { live, place, whole: true }, values);
        let found = &self.plan.live[live];
        let params = &body_of(inst).params;
        let first = params.len() - carries(inst);
        let carried = (0..carries(inst)).filter(|k| found.contains(&params[first + k])).collect();
        (live, carried)
    }

    fn run(&mut self, p: Run, values: &[Value]) {
        let mut work = Vec::new();
        values.iter().for_each(|v| self.enliven(p, *v, &mut work));
        while let Some(v) = work.pop() {
            match self.defs[v.0 as usize] {
                Def::Entry | Def::Index => {}
                Def::By(inst) => self.by(p, inst, v, &mut work),
                Def::Carry(inst, k) => self.carry(p, inst, k, &mut work),
            }
        }
    }

    fn enliven(&mut self, p: Run, v: Value, work: &mut Vec<Value>) {
        if self.plan.literal(v).is_some() || !self.plan.live[p.live].insert(v) {
            return;
        }
        work.push(v);
        // The instructions around it run, too.
        let mut at = self.plan.place(v);
        while at != p.place {
            let Some(inst) = self.owner(at) else { return };
            self.control(p, inst, work);
            at = self.parent(at);
        }
    }

    /// Something that computing a live value takes.
    fn require(&mut self, p: Run, v: Value, work: &mut Vec<Value>) {
        let place = self.plan.place(v);
        if (place == p.place && !p.whole) || !self.within(place, p.place) {
            self.need(v);
        } else {
            self.enliven(p, v, work);
        }
    }

    fn by(&mut self, p: Run, inst: &'a Inst, v: Value, work: &mut Vec<Value>) {
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
    fn control(&mut self, p: Run, inst: &'a Inst, work: &mut Vec<Value>) {
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
    fn carry(&mut self, p: Run, inst: &'a Inst, k: usize, work: &mut Vec<Value>) {
        let first = inst.args.len() - carries(inst);
        if p.whole && self.owner(p.place).is_some_and(|owner| std::ptr::eq(owner, inst)) {
            // It begins with the snapshot.
            let param = body_of(inst).params[body_of(inst).params.len() - carries(inst) + k];
            self.plan.live[p.live].insert(param);
            return self.require(p, body_of(inst).yields[k], work);
        }
        let result = inst.results[k];
        // Whoever runs the loop again finds the carry by its result.
        self.plan.live[p.live].insert(result);
        self.control(p, inst, work);
        self.require(p, inst.args[first + k], work);
        self.require(p, body_of(inst).yields[k], work);
        for size in self.plan.sizes(self.func(), result) {
            self.require(p, size, work);
        }
    }

    /// What result `k` of an instruction with regions takes inside of them.
    fn result(&mut self, p: Run, inst: &'a Inst, k: usize, work: &mut Vec<Value>) -> Vec<Value> {
        let count = carries(inst);
        match &inst.kind {
            Kind::For(_) | Kind::While(_) if k < count => {
                self.carry(p, inst, k, work);
                Vec::new()
            }
            // The number of iterations, which is there with the arrays.
            Kind::While(_) if k == count => vec![body_of(inst).yields[count]],
            Kind::While(_) => vec![body_of(inst).yields[k - 1]],
            _ => inst.regions.iter().map(|r| r.yields[k]).collect(),
        }
    }

    /// What an exit takes.
    fn exit(&mut self, p: Run, inst: &'a Inst, v: Value, work: &mut Vec<Value>) -> Vec<Value> {
        let Some(exits) = self.plan.exits(inst) else { return Vec::new() };
        let slots = exits.slots.iter().filter(|s| s.value == v).flat_map(|s| s.sides);
        let collected = exits.collected.iter().filter(|(_, e)| *e == v).map(|(inner, _)| *inner);
        let mut inner: Vec<Value> = slots.flatten().chain(collected).collect();
        if exits.attaining.is_some_and(|found| found.contains(&v)) {
            inner.push(body_of(inst).yields[0]);
        }
        let blocked = exits.blocks.iter().flat_map(|b| &b.snapshots);
        let snapshots: Vec<usize> = blocked.filter(|(_, e)| *e == v).map(|(k, _)| *k).collect();
        snapshots.into_iter().for_each(|k| self.carry(p, inst, k, work));
        inner
    }
}
