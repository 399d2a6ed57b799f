//! What an inner loop computes in the same way in every iteration of the loop around it is computed before that one, and kept in
//! tables.
//!
//! `hoist` takes whole instructions out of a loop. Where a loop inside does some things that change with the outer loop and some that do
//! not, it stays. So it is with the columns of a Jacobian or a Hessian, which are derivatives along one direction after the other: all of
//! them need what the primal computes. The part that is always the same becomes a loop of its own in front of the outer
//! one; the rest reads its values where computing them again would take longer. All bits are kept.

use super::keep::{cycles, work};
use super::merge::number;
use super::{scan, total};
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Copier, Dim, Func, Inst, Kind, Loop, MAX_RANK, ReduceOp, Region, Value, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value goes into a table if computing it takes this many cycles or more: those of a division.
const WORTH: u64 = 10;
/// Elements of one table at most: half a megabyte of doubles.
const LARGEST: i64 = 1 << 16;
/// Inner loops of more instructions are left alone.
const MOST: usize = 2000;

pub(crate) fn function(f: &mut Func) {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    scan::edit(f, |body, f| Tables { f, known: &known, ranges: &ranges }.region(body));
}

struct Tables<'a> {
    f: &'a mut Func,
    known: &'a Known,
    ranges: &'a Ranges,
}

impl Tables<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            if self.repeats(&inst) {
                self.loops_in(&mut inst.regions[0], &mut out);
            }
            out.push(inst);
        }
        r.insts = out;
    }

    /// Whether a loop certainly has two iterations or more.
    fn repeats(&self, inst: &Inst) -> bool {
        match &inst.kind {
            Kind::Build { rank } => {
                let sizes =
                    self.f.shape(inst.results[0])[..*rank as usize].iter().map(|d| self.ranges.dim(d).0);
                sizes.fold(1, i64::saturating_mul) >= 2
            }
            Kind::Reduce(_) | Kind::For(_) => {
                let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
                matches!((lo, hi, step), (Some(lo), Some(hi), Some(1)) if hi.saturating_sub(lo) >= 2)
            }
            _ => false,
        }
    }

    /// The number of iterations of a loop that can be taken apart, which are 0, 1, …
    fn turns(&self, inst: &Inst) -> Option<i64> {
        let n = match &inst.kind {
            Kind::Build { rank: 1 } => self.known.resolve(&self.f.shape(inst.results[0])[0]).as_const()?,
            Kind::Reduce(_) | Kind::For(_) => {
                let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
                hi.filter(|_| (lo, step) == (Some(0), Some(1)))?
            }
            _ => return None,
        };
        (1..=LARGEST).contains(&n).then_some(n)
    }

    /// Takes the loops apart that are in the body of another one.
    fn loops_in(&mut self, body: &mut Region, before: &mut Vec<Inst>) {
        let mut stays: FxHashSet<Value> = body.params.iter().copied().collect();
        for inst in &mut body.insts {
            if self.turns(inst).is_some() && scan::size(&inst.regions[0]) <= MOST {
                self.changing(inst, &mut stays);
                if let Some(always) = self.split(inst, &stays, 1) {
                    before.extend(always);
                }
            }
            // What does not change in the outer loop has left it, if that is worth something.
            stays.extend(inst.results.iter().copied());
        }
    }

    /// Notes what a loop computes that changes with the outer one, or may fail.
    fn changing(&self, inst: &Inst, stays: &mut FxHashSet<Value>) {
        let body = &inst.regions[0];
        let carries = body.params.len() - 1;
        for k in 0..carries {
            if stays.contains(&inst.args[3 + k]) {
                stays.insert(body.params[1 + k]);
            }
        }
        loop {
            body.insts.iter().for_each(|i| self.instruction(i, stays));
            let mut again = false;
            for k in 0..carries {
                again |= stays.contains(&body.yields[k]) && stays.insert(body.params[1 + k]);
            }
            if !again {
                break;
            }
        }
        let pure = body.insts.iter().all(|i| is_always(i, stays));
        let some = (0..inst.results.len()).any(|k| !always(body, carries, k, stays));
        for (k, v) in inst.results.iter().enumerate() {
            // What may fail stays with something.
            if !always(body, carries, k, stays) || (!pure && !some) {
                stays.insert(*v);
            }
        }
    }

    fn instruction(&self, inst: &Inst, stays: &mut FxHashSet<Value>) {
        if self.turns(inst).is_some() {
            return self.changing(inst, stays);
        }
        let mut stay = !total::inst(inst, self.f, self.ranges);
        scan::uses(inst, self.f, &mut |v| stay |= stays.contains(&v));
        if stay {
            scan::each(inst, &mut |i| {
                stays.extend(i.results.iter().chain(i.regions.iter().flat_map(|r| &r.params)));
            });
        }
    }

    /// Takes what never changes out of a loop: a loop with that, and what it needs. Loops inside come first. `times`: how often the loop
    /// runs for one iteration of the outer one.
    fn split(&mut self, inst: &mut Inst, stays: &FxHashSet<Value>, times: i64) -> Option<Vec<Inst>> {
        let n = self.turns(inst)?;
        let elements = times.saturating_mul(n);
        if elements > LARGEST || !inst.results.iter().any(|v| stays.contains(v)) {
            return None;
        }
        let mut insts: Vec<Inst> = Vec::new();
        for mut inner in std::mem::take(&mut inst.regions[0].insts) {
            insts.extend(self.split(&mut inner, stays, elements).unwrap_or_default());
            insts.push(inner);
        }
        inst.regions[0].insts = insts;
        let body = &inst.regions[0];
        // A loop inside that was not worth it.
        let whole = |i: &Inst| is_always(i, stays) || i.results.iter().all(|v| stays.contains(v));
        if !body.insts.iter().all(whole) {
            return None;
        }
        let carries = body.params.len() - 1;
        // What may fail stays with a result that could go; a carry goes as a whole or not at all.
        let held = |k: usize| always(body, carries, k, stays) && stays.contains(&inst.results[k]);
        if (0..carries).any(held) {
            return None;
        }
        let moved: Vec<bool> =
            (0..inst.results.len()).map(|k| always(body, carries, k, stays) && !held(k)).collect();
        let wanted = self.wanted(body, carries, &moved, stays);
        let collects = match inst.kind {
            Kind::For(l) => inst.results.len() - l.collects as usize,
            _ => inst.results.len(),
        };
        let fits = |v: &Value| self.fits(*v, elements);
        let worth = !wanted.kept.is_empty() || moved[..collects].contains(&true);
        (worth && wanted.kept.iter().all(fits)).then(|| self.apart(inst, &moved, &wanted, stays, n))
    }

    /// Whether a table of so many values is small enough.
    fn fits(&self, v: Value, elements: i64) -> bool {
        let mut sizes = self.f.shape(v).iter().map(|d| self.known.resolve(d).as_const());
        let all = sizes.try_fold(elements, |n, size| Some(n.saturating_mul(size?)));
        self.f.ty(v).rank() < MAX_RANK && all.is_some_and(|n| n <= LARGEST)
    }

    /// Of what never changes: what the rest of the loop reads.
    fn wanted(&self, body: &Region, carries: usize, moved: &[bool], stays: &FxHashSet<Value>) -> Wanted {
        let mut made: FxHashMap<Value, &Inst> = FxHashMap::default();
        for inst in body.insts.iter().filter(|i| is_always(i, stays)) {
            made.extend(inst.results.iter().map(|v| (*v, inst)));
        }
        let carried: FxHashSet<Value> =
            (0..carries).filter(|k| moved[*k]).map(|k| body.params[1 + k]).collect();
        let mut read: Vec<Value> = Vec::new();
        for inst in body.insts.iter().filter(|i| !is_always(i, stays)) {
            scan::uses(inst, self.f, &mut |v| read.push(v));
        }
        read.extend(body.yields.iter().zip(moved).filter(|(_, moved)| !**moved).map(|(y, _)| *y));
        let order: FxHashMap<Value, usize> = body
            .insts
            .iter()
            .enumerate()
            .flat_map(|(at, i)| i.results.iter().map(move |v| (*v, at)))
            .collect();
        read.sort_unstable_by_key(|v| (order.get(v).copied(), *v));
        let mut wanted = Wanted::default();
        let mut kept: FxHashSet<Value> = FxHashSet::default();
        while let Some(next) = read.iter().position(|v| wanted.seen.insert(*v)) {
            let v = read[next];
            read.drain(..=next);
            let keep = match made.get(&v) {
                Some(inst) => self.within(inst) >= WORTH || work(v, self.f, &made, &kept, WORTH) >= WORTH,
                None => carried.contains(&v),
            };
            if keep {
                kept.insert(v);
                wanted.kept.push(v);
            } else if let Some(inst) = made.get(&v) {
                scan::uses(inst, self.f, &mut |v| read.push(v));
            }
        }
        wanted
    }

    /// Cycles of what an instruction has inside; without end if that has loops or calls.
    fn within(&self, inst: &Inst) -> u64 {
        let mut sum = 0u64;
        inst.regions.iter().flat_map(|r| &r.insts).for_each(|i| {
            scan::each(i, &mut |i| {
                sum = sum.saturating_add(match i.kind {
                    Kind::Op(op) => cycles(i, op, self.f),
                    Kind::If | Kind::Const(_) | Kind::Index => 0,
                    _ => u64::MAX,
                });
            });
        });
        if inst.kind.is_loop() { u64::MAX } else { sum }
    }

    /// Two loops of one.
    fn apart(
        &mut self,
        inst: &mut Inst,
        moved: &[bool],
        wanted: &Wanted,
        stays: &FxHashSet<Value>,
        n: i64,
    ) -> Vec<Inst> {
        let body = &inst.regions[0];
        let carries = body.params.len() - 1;
        let (l, span) = (gathering(&inst.kind), inst.span);
        let sums = carries..carries + l.sums as usize;

        let mut out = Vec::new();
        let size = Dim::constant(n);
        let range = [Dim::constant(0), size.clone(), Dim::constant(1)];
        let range = range.map(|d| number(&d, self.f, &mut out, span));
        let taken = |part: std::ops::Range<usize>| part.filter(|k| moved[*k]).collect::<Vec<usize>>();
        let (own, own_sums, own_collects) =
            (taken(0..carries), taken(sums.clone()), taken(sums.end..inst.results.len()));
        let mut copier = Copier::new(&|v| v);
        let mut params = Vec::new();
        for p in std::iter::once(0).chain(own.iter().map(|k| 1 + k)).map(|k| body.params[k]) {
            let data = copier.data(self.f.data(p));
            let fresh = self.f.fresh(data);
            copier.name(p, fresh);
            params.push(fresh);
        }
        let copied: Vec<Inst> = (body.insts.iter().filter(|i| is_always(i, stays)))
            .map(|i| copier.inst(i, &mut |names, v| self.f.fresh(names.data(self.f.data(v)))))
            .collect();
        let yielded = || own.iter().chain(&own_sums).chain(&own_collects);
        let yields = yielded().map(|k| body.yields[*k]).chain(wanted.kept.iter().copied());
        let yields: Vec<Value> = yields.map(|v| copier.get(v)).collect();
        let tables: Vec<Value> = (wanted.kept.iter())
            .map(|v| self.f.fresh(self.f.data(*v).outer(std::slice::from_ref(&size))))
            .collect();
        let results = yielded().map(|k| inst.results[*k]).chain(tables.iter().copied()).collect();
        let args = range.into_iter().chain(own.iter().map(|k| inst.args[3 + k])).collect();
        let l = Loop {
            sums: own_sums.len() as u32,
            collects: (own_collects.len() + tables.len()) as u32,
            checkpoint: None,
        };
        let kind = loop_of(l, own.len());
        out.push(Inst { kind, args, results, regions: vec![Region { params, insts: copied, yields }], span });

        self.rest(inst, moved, wanted, stays, &tables);
        out
    }

    /// Leaves what changes in a loop, which reads the rest.
    fn rest(
        &mut self,
        inst: &mut Inst,
        moved: &[bool],
        wanted: &Wanted,
        stays: &FxHashSet<Value>,
        tables: &[Value],
    ) {
        let body = &mut inst.regions[0];
        let carries = body.params.len() - 1;
        let index = body.params[0];
        let read = |v: Value| {
            let at = wanted.kept.iter().position(|k| *k == v)?;
            Some(Inst::simple(Kind::Index, &[tables[at], index], v, inst.span))
        };
        let params = body.params.iter().filter_map(|v| read(*v));
        let mut insts: Vec<Inst> = params.collect();
        for i in std::mem::take(&mut body.insts) {
            if !is_always(&i, stays) {
                insts.push(i);
            } else if i.results.iter().any(|v| wanted.kept.contains(v)) {
                insts.extend(i.results.iter().filter_map(|v| read(*v)));
            } else if i.results.iter().any(|v| wanted.seen.contains(v)) {
                insts.push(i);
            }
        }
        body.insts = insts;
        if let Kind::For(l) = inst.kind {
            let gone = |part: std::ops::Range<usize>| moved[part].iter().filter(|m| **m).count() as u32;
            let sums = carries + l.sums as usize;
            let (sums, collects) = (l.sums - gone(carries..sums), l.collects - gone(sums..moved.len()));
            let stay = |k: usize| !moved[k];
            let args = |k: &usize| *k < 3 || stay(k - 3);
            let all = |values: &[Value], of: &dyn Fn(&usize) -> bool| -> Vec<Value> {
                values.iter().enumerate().filter(|(k, _)| of(k)).map(|(_, v)| *v).collect()
            };
            body.params = all(&body.params, &|k| *k == 0 || stay(k - 1));
            body.yields = all(&body.yields, &|k| stay(*k));
            inst.args = Values::from_slice(&all(&inst.args, &args));
            inst.results = Values::from_slice(&all(&inst.results, &|k| stay(*k)));
            inst.kind = loop_of(Loop { sums, collects, ..l }, inst.args.len() - 3);
        }
    }
}

/// What is read of what never changes.
#[derive(Default)]
struct Wanted {
    /// What goes into tables.
    kept: Vec<Value>,
    /// That, and what is computed again.
    seen: FxHashSet<Value>,
}

/// Whether a result never changes: a carry as a whole, or what is summed up or collected.
fn always(body: &Region, carries: usize, k: usize, stays: &FxHashSet<Value>) -> bool {
    !stays.contains(&body.yields[k]) && (k >= carries || !stays.contains(&body.params[1 + k]))
}

/// Whether all that an instruction gives never changes.
fn is_always(inst: &Inst, stays: &FxHashSet<Value>) -> bool {
    !inst.results.is_empty() && !inst.results.iter().any(|v| stays.contains(v))
}

/// A loop with a step of 1.
fn loop_of(l: Loop, carries: usize) -> Kind {
    match (carries, l.sums, l.collects) {
        (0, 1, 0) => Kind::Reduce(ReduceOp::Sum),
        _ => Kind::For(l),
    }
}

/// What a loop adds up and collects.
fn gathering(kind: &Kind) -> Loop {
    match kind {
        Kind::For(l) => *l,
        Kind::Reduce(ReduceOp::Sum) => Loop { sums: 1, ..Loop::default() },
        _ => Loop::collecting(1),
    }
}
