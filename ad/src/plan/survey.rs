//! One walk over a function, from its end to its beginning: what the reverse sweep needs, and how it gets it.

use super::{BODY, Blocked, Exits, Plan, Scope, Slot};
use crate::activity::{body_of, carried, carries};
use crate::session::{Prepared, Session};
use crate::storage::{self, Blocks, Keep, Question, Site};
use adc_ir::dims::elements;
use adc_ir::{Dim, Func, Inst, Kind, MAX_RANK, ReduceOp, Region, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// How a value is defined.
#[derive(Clone, Copy)]
pub(super) enum Def<'a> {
    /// At entry.
    Entry,
    /// By an instruction: as a result, a value kept by a call, or an exit.
    By(&'a Inst),
    /// As the index of a loop.
    Index,
    /// As a parameter of a loop's region that holds the carry of a position.
    Carry(&'a Inst, usize),
}

/// A region.
struct Place<'a> {
    parent: usize,
    /// The last of the regions inside.
    last: usize,
    of: Option<&'a Inst>,
}

pub(super) struct Survey<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) prepared: &'a Prepared,
    pub(super) plan: Plan,
    scope: Scope,
    regions: Vec<Place<'a>>,
    pub(super) defs: Vec<Def<'a>>,
    needed: Vec<bool>,
    /// By region: the needed values that leave it, the last one first.
    stores: Vec<Vec<Value>>,
    /// By region of a loop with carries: what depends on them.
    carried: FxHashMap<usize, FxHashSet<Value>>,
    /// Numbers that cost less computed again than stored.
    pub(super) again: FxHashSet<Value>,
}

pub(super) fn run(session: &Session, prepared: &Prepared, scope: Scope) -> Plan {
    let func = &prepared.func;
    let body = func.region().expect("a function with a body");
    let n = func.values.len();
    let mut survey = Survey {
        session,
        prepared,
        plan: Plan::empty(func, session.policy),
        scope,
        regions: vec![Place { parent: BODY, last: BODY, of: None }],
        defs: vec![Def::Entry; n],
        needed: vec![false; n],
        stores: Vec::new(),
        carried: FxHashMap::default(),
        again: FxHashSet::default(),
    };
    survey.places(body, BODY);
    survey.regions[BODY].last = survey.regions.len() - 1;
    survey.stores = vec![Vec::new(); survey.regions.len()];
    survey.plan.live = vec![FxHashSet::default(); survey.regions.len()];
    for &i in &prepared.wrt {
        survey.need_sizes(func.params[i].value);
    }
    survey.walk(body, BODY);
    for p in func.params.iter().rev() {
        if survey.needed[p.value.0 as usize] {
            survey.stores[BODY].push(p.value);
        }
    }
    survey.plan.stored = std::mem::take(&mut survey.stores[BODY]);
    survey.plan.stored.reverse();
    survey.plan
}

impl<'a> Survey<'a> {
    pub(super) fn func(&self) -> &'a Func {
        &self.prepared.func
    }

    /// Numbers the regions, and notes where and how values are defined.
    fn places(&mut self, region: &'a Region, place: usize) {
        for inst in &region.insts {
            if let Some(&first) = inst.results.first() {
                for (side, nested) in inst.regions.iter().enumerate() {
                    let number = self.regions.len();
                    self.regions.push(Place { parent: place, last: number, of: Some(inst) });
                    self.plan.places.insert((first, side), number);
                    let indices = nested.params.len() - carries(inst);
                    for (k, p) in nested.params.iter().enumerate() {
                        let def = k.checked_sub(indices).map_or(Def::Index, |k| Def::Carry(inst, k));
                        self.define(*p, number, def);
                    }
                    self.places(nested, number);
                    self.regions[number].last = self.regions.len() - 1;
                }
            }
            inst.results.iter().for_each(|r| self.define(*r, place, Def::By(inst)));
            if let Kind::Const(c) = inst.kind {
                self.plan.literal[inst.results[0].0 as usize] = Some(c);
            }
            if let Kind::Call(_) = inst.kind {
                self.kept(inst, place);
            }
        }
    }

    fn define(&mut self, v: Value, place: usize, def: Def<'a>) {
        self.plan.place[v.0 as usize] = place;
        self.defs[v.0 as usize] = def;
    }

    /// A value beside the function's own.
    pub(super) fn further(&mut self, ty: Type, sizes: Vec<Value>, place: usize, def: Def<'a>) -> Value {
        let v = Value(self.plan.count() as u32);
        self.plan.further.push((ty, sizes));
        self.plan.place.push(place);
        self.defs.push(def);
        self.needed.push(false);
        v
    }

    /// Notes that the reverse sweep of the region a value is defined in needs it.
    pub(super) fn need(&mut self, v: Value) {
        if self.plan.literal(v).is_none() {
            self.needed[v.0 as usize] = true;
        }
    }

    pub(super) fn need_sizes(&mut self, v: Value) {
        for size in self.plan.sizes(self.func(), v) {
            self.need(size);
        }
    }

    /// Whether region `p` is `outer` or inside of it.
    pub(super) fn within(&self, p: usize, outer: usize) -> bool {
        (outer..=self.regions[outer].last).contains(&p)
    }

    pub(super) fn parent(&self, p: usize) -> usize {
        self.regions[p].parent
    }

    pub(super) fn owner(&self, p: usize) -> Option<&'a Inst> {
        self.regions[p].of
    }

    /// The innermost loop around the code of a region, or the function's body.
    pub(super) fn loop_of(&self, mut p: usize) -> usize {
        while self.owner(p).is_some_and(|inst| inst.kind == Kind::If) {
            p = self.parent(p);
        }
        p
    }

    fn walk(&mut self, region: &'a Region, place: usize) {
        if let Some(inst) = self.owner(place)
            && carries(inst) > 0
        {
            let found = self.dependent(inst);
            self.carried.insert(place, found);
        }
        for inst in region.insts.iter().rev() {
            if inst.results.iter().any(|r| self.prepared.activity.is_active(*r)) {
                self.reads(inst);
                let first = inst.regions.len().saturating_sub(if inst.kind == Kind::If { 2 } else { 1 });
                for (side, nested) in inst.regions.iter().enumerate().skip(first) {
                    let nested_place = self.plan.region(inst, side);
                    self.walk(nested, nested_place);
                }
                self.exits(inst, place);
            }
            self.decide_all(inst, place);
        }
        self.store_carries(region, place);
        if self.carried.contains_key(&place) {
            self.cut(region, place);
        }
    }

    fn store_carries(&mut self, region: &Region, place: usize) {
        for p in &region.params {
            if self.needed[p.0 as usize] && matches!(self.defs[p.0 as usize], Def::Carry(..)) {
                self.stores[place].push(*p);
            }
        }
    }

    /// The values that leave a region, the last one first.
    pub(super) fn stored(&self, place: usize) -> &[Value] {
        &self.stores[place]
    }

    /// Decides once more on everything that a region defines.
    pub(super) fn decide_region(&mut self, region: &'a Region, place: usize) {
        self.stores[place].clear();
        region.insts.iter().rev().for_each(|inst| self.decide_all(inst, place));
        self.store_carries(region, place);
    }

    /// Decides on what an instruction defines, what comes from it last first.
    fn decide_all(&mut self, inst: &'a Inst, place: usize) {
        if let Some(exits) = self.plan.exits(inst) {
            let slots = exits.slots.iter().map(|s| s.value);
            let arrays = exits.collected.iter().chain(&exits.given).map(|(_, e)| *e);
            let snapshots = exits.blocks.iter().flat_map(|b| &b.snapshots).map(|(_, e)| *e);
            let numbers = exits.count.into_iter().chain(exits.attaining.into_iter().flatten());
            let all: SmallVec<[Value; 8]> = numbers
                .chain(slots)
                .chain(arrays)
                .chain(snapshots)
                .filter(|v| !inst.results.contains(v))
                .collect();
            all.into_iter().rev().for_each(|v| self.decide(v, inst, place));
        }
        if let Some(kept) = inst.results.first().and_then(|v| self.plan.kept.get(v)) {
            let kept = kept.clone();
            kept.into_iter().rev().for_each(|v| self.decide(v, inst, place));
        }
        inst.results.iter().rev().for_each(|v| self.decide(*v, inst, place));
    }

    fn decide(&mut self, v: Value, inst: &'a Inst, place: usize) {
        if !self.needed[v.0 as usize] || (place == BODY && self.scope == Scope::Joint) {
            return;
        }
        match self.keep(v, inst, place) {
            Keep::Store => self.stores[place].push(v),
            Keep::Recompute => self.rerun(place, v),
        }
    }

    pub(super) fn keep(&self, v: Value, inst: &'a Inst, place: usize) -> Keep {
        if self.again.contains(&v) {
            return Keep::Recompute;
        }
        let array = self.plan.ty(self.func(), v).is_array();
        let question =
            Question { site: Site::Body, inst, array, given: false, at_hand: false, storable: true };
        let Some(owner) = self.owner(place) else { return storage::keep(&question) };
        let sizes = self.plan.sizes(self.func(), v);
        let visible = sizes.iter().all(|s| !self.within(self.plan.place(*s), place));
        let body = self.loop_of(place);
        if owner.kind == Kind::If {
            let side = if self.plan.region(owner, 0) == place { 0 } else { 1 };
            let result = owner.regions[side].yields.iter().position(|y| *y == v);
            let result = result.map(|k| owner.results[k]);
            let (site, given) = match body {
                BODY => (Site::Branch, result.is_some()),
                _ if self.depends(body, v) => (Site::Carried, result.is_some()),
                // Nothing is stored: it may as well be computed where it is needed.
                _ => (Site::Free, result.is_some_and(|r| self.needed[r.0 as usize])),
            };
            let storable = visible && (given || site != Site::Free);
            let at_hand = self.at_hand(inst, body);
            return storage::keep(&Question { site, given, storable, at_hand, ..question });
        }
        let given = storage::is_expensive(inst) && self.given(owner, v).is_some();
        let fits = self.plan.ty(self.func(), v).rank() < MAX_RANK;
        // The arrays of a block are made before what they hold is: their sizes have to be told.
        let told = !array || self.plan.is_own(v) || self.plan.blocks(owner) == Blocks::Single;
        let stores = self.carried.contains_key(&place) && fits && told;
        let site = if self.depends(place, v) { Site::Carried } else { Site::Free };
        let at_hand = self.at_hand(inst, place);
        storage::keep(&Question { site, given, at_hand, storable: visible && (stores || given), ..question })
    }

    /// The array of what a value of a loop's body is in every iteration, if the loop gives it anyway.
    pub(super) fn given(&self, owner: &Inst, v: Value) -> Option<Value> {
        let yields = &body_of(owner).yields;
        match &owner.kind {
            Kind::Build { .. } => (yields[0] == v).then(|| owner.results[0]),
            Kind::For(l) | Kind::While(l) => {
                let first = carries(owner) + l.sums as usize;
                let k = yields.iter().skip(first).position(|y| *y == v)?;
                // The number of iterations of a `while` stands before its arrays.
                let number = usize::from(matches!(owner.kind, Kind::While(_)));
                Some(owner.results[first + number + k])
            }
            _ => None,
        }
    }

    /// Whether all operands of an instruction are in the reverse sweep of an iteration anyway, or can be computed there.
    fn at_hand(&self, inst: &Inst, body: usize) -> bool {
        // What is expensive is not computed again for that.
        if storage::is_expensive(inst) {
            return false;
        }
        let mut used = FxHashSet::default();
        captured(inst, self.func(), &mut used);
        let inner = |v: Value| {
            let place = self.plan.place(v);
            // Defined by the instruction's own regions.
            self.within(place, body)
                && inst
                    .regions
                    .iter()
                    .enumerate()
                    .any(|(side, _)| self.within(place, self.plan.region(inst, side)))
        };
        used.into_iter().all(|v| {
            self.plan.literal(v).is_some()
                || self.needed[v.0 as usize]
                || inner(v)
                || (body != BODY && !self.depends(body, v))
        })
    }

    /// Whether a value depends on what a loop carries.
    pub(super) fn depends(&self, body: usize, v: Value) -> bool {
        self.carried.get(&body).is_some_and(|found| found.contains(&v))
    }

    /// Makes the exits of an instruction with regions, whose reverse sweep needs them.
    fn exits(&mut self, inst: &'a Inst, place: usize) {
        let exits = match &inst.kind {
            Kind::If => {
                let sides = [0, 1].map(|side| self.leaving(inst, side));
                self.slots(inst, sides, place)
            }
            Kind::Build { .. } | Kind::For(_) | Kind::While(_) => self.collected(inst, place),
            Kind::Reduce(ReduceOp::Max | ReduceOp::Min) if !self.reverses_all_terms(inst, place) => {
                let [m, k] = [0, 1].map(|_| self.further(Type::I64, Vec::new(), place, Def::By(inst)));
                Exits { attaining: Some([m, k]), ..Exits::default() }
            }
            _ => return,
        };
        let slots = exits.slots.iter().map(|s| s.value);
        let arrays = exits.collected.iter().chain(&exits.given).chain(&exits.yielded).map(|(_, e)| *e);
        let numbers = exits.count.into_iter().chain(exits.attaining.into_iter().flatten());
        let snapshots = exits.blocks.iter().flat_map(|b| &b.snapshots).map(|(_, e)| *e);
        let all: Vec<Value> = slots.chain(arrays).chain(numbers).chain(snapshots).collect();
        all.into_iter().for_each(|v| self.need(v));
        self.plan.exits.insert(inst.results[0], exits);
    }

    fn leaving(&mut self, inst: &Inst, side: usize) -> Vec<Value> {
        let place = self.plan.region(inst, side);
        let mut values = std::mem::take(&mut self.stores[place]);
        values.reverse();
        values
    }

    /// Notes that an exit depends on what the loop around carries if what leaves by it, or whether it does, does.
    fn inherit(&mut self, exit: Value, from: &[Value], place: usize) {
        let body = self.loop_of(place);
        if from.iter().any(|v| self.depends(body, *v)) {
            self.carried.get_mut(&body).expect("something depends on its carries").insert(exit);
        }
    }

    /// Slots for the values of both branches. Only one branch runs, so a slot serves one scalar of each of a type.
    fn slots(&mut self, inst: &'a Inst, sides: [Vec<Value>; 2], place: usize) -> Exits {
        let mut exits = Exits::default();
        let mut free: FxHashMap<Type, VecDeque<usize>> = FxHashMap::default();
        for (side, values) in sides.into_iter().enumerate() {
            let yields: FxHashMap<Value, usize> =
                inst.regions[side].yields.iter().enumerate().rev().map(|(k, v)| (*v, k)).collect();
            for v in values {
                if let Some(k) = yields.get(&v) {
                    exits.yielded.push((v, inst.results[*k]));
                    continue;
                }
                let ty = self.plan.ty(self.func(), v);
                if side == 1
                    && !ty.is_array()
                    && let Some(i) = free.entry(ty).or_default().pop_front()
                {
                    exits.slots[i].sides[1] = Some(v);
                    continue;
                }
                let sizes = self.plan.sizes(self.func(), v);
                let value = self.further(ty, sizes, place, Def::By(inst));
                let mut sides = [None; 2];
                sides[side] = Some(v);
                if side == 0 {
                    free.entry(ty).or_default().push_back(exits.slots.len());
                }
                exits.slots.push(Slot { value, sides });
            }
        }
        for slot in &exits.slots {
            let inner: Vec<Value> = slot.sides.into_iter().flatten().chain([inst.args[0]]).collect();
            self.inherit(slot.value, &inner, place);
        }
        exits
    }

    fn collected(&mut self, inst: &'a Inst, place: usize) -> Exits {
        let mut exits = Exits::default();
        let body = inst.regions.len() - 1;
        let leaving = self.leaving(inst, body);
        let control: Vec<Value> = match inst.kind {
            Kind::While(_) => vec![inst.regions[0].yields[0]],
            _ => inst.args.iter().take(3).copied().collect(),
        };
        if let Kind::While(l) = inst.kind {
            exits.count = Some(if l.collects > 0 {
                inst.results[carries(inst)]
            } else {
                let n = self.further(Type::I64, Vec::new(), place, Def::By(inst));
                self.inherit(n, &control, place);
                n
            });
        }
        let mut stored = Vec::new();
        for v in leaving {
            match self.given(inst, v) {
                Some(array) => exits.given.push((v, array)),
                None => stored.push(v),
            }
        }
        let blocks = self.plan.blocks(inst);
        let fits = body_of(inst).params.iter().all(|p| self.func().ty(*p).rank() < MAX_RANK);
        if blocks != Blocks::Single && fits && !stored.is_empty() && self.snapshots_pay(inst, &stored) {
            exits.blocks = Some(self.blocked(inst, blocks, stored, &control, place));
            return exits;
        }
        for v in stored {
            let ty = self.plan.ty(self.func(), v);
            let ty = Type::of_rank(ty.scalar(), ty.rank() + 1);
            let mut sizes = self.plan.sizes(self.func(), v);
            let extent = match exits.count {
                Some(n) => Some(vec![n]),
                None => self.extent(inst),
            };
            let local = extent.is_none();
            sizes.extend(extent.into_iter().flatten());
            let array = self.further(ty, sizes, place, Def::By(inst));
            if local {
                // Its size exists only where it does.
                self.plan.further.last_mut().expect("just made").1.push(array);
            }
            self.inherit(array, &[&control[..], &[v]].concat(), place);
            exits.collected.push((v, array));
        }
        exits
    }
}

impl<'a> Survey<'a> {
    /// Whether snapshots take less than what they stand for, in a loop that does not ask for them itself: not where an
    /// array is carried of which each iteration changes an element.
    fn snapshots_pay(&self, inst: &Inst, stored: &[Value]) -> bool {
        let func = self.func();
        if inst.kind.as_loop().is_some_and(|l| l.checkpoint.is_some()) {
            return true;
        }
        let elements = |v: Value| elements(&self.plan.known.resolve_shape(func.shape(v)));
        let params = carried(body_of(inst), inst);
        let arrays: Vec<Value> = params.iter().copied().filter(|p| func.ty(*p).is_array()).collect();
        if arrays.is_empty() || stored.iter().any(|v| self.plan.ty(func, *v).is_array()) {
            return true;
        }
        let sizes: Option<Vec<Dim>> = arrays.iter().map(|p| elements(*p)).collect();
        let numbers: Option<i64> = sizes.iter().flatten().map(Dim::as_const).sum();
        if let Some(total) = numbers {
            return total < SHORT_OF.saturating_mul(stored.len() as i64);
        }
        let bounds: Vec<Value> = match inst.kind {
            Kind::While(_) => return true,
            _ => self.plan.bounds(func, inst).hi.vars().collect(),
        };
        !sizes.into_iter().flatten().any(|size| size.vars().any(|v| bounds.contains(&v)))
    }

    /// Snapshots of the carries that computing `stored` once more begins with.
    fn blocked(
        &mut self,
        inst: &'a Inst,
        blocks: Blocks,
        stored: Vec<Value>,
        control: &[Value],
        place: usize,
    ) -> Blocked {
        let body = self.plan.region(inst, inst.regions.len() - 1);
        let (live, carried) = self.rerun_iterations(body, inst, &stored);
        stored.iter().for_each(|v| self.need_sizes(*v));
        let mut snapshots = Vec::new();
        let params = &body_of(inst).params;
        let first = params.len() - carries(inst);
        for k in carried {
            let param = params[first + k];
            let ty = self.func().ty(param);
            let ty = Type::of_rank(ty.scalar(), ty.rank() + 1);
            let mut sizes = self.plan.sizes(self.func(), param);
            // The number of blocks exists only where the loop does.
            sizes.push(Value(self.plan.count() as u32));
            let array = self.further(ty, sizes, place, Def::By(inst));
            self.inherit(
                array,
                &[control, &[inst.args[inst.args.len() - carries(inst) + k]]].concat(),
                place,
            );
            self.inherit(array, &[param], place);
            snapshots.push((k, array));
        }
        Blocked { blocks, snapshots, stored, live }
    }
}

/// √n of the shortest loops for which snapshots are made of arrays.
const SHORT_OF: i64 = 64;

/// What an instruction uses, itself and in its regions.
pub(super) fn captured(inst: &Inst, func: &Func, used: &mut FxHashSet<Value>) {
    used.extend(inst.uses(func));
    for r in &inst.regions {
        used.extend(r.yields.iter().copied());
        r.insts.iter().for_each(|i| captured(i, func, used));
    }
}
