//! A loop that carries something from one iteration to the next cannot run in lanes. What its body computes from that, and the next
//! iteration does not wait for, goes to a loop behind it, which can, and what it computes without it to one before it (loop distribution).
//! If a sum over an array that is collected waits for it in turn, that goes to a last loop.
//!
//! The likelihood of a time series is such a loop: a state goes from step to step, and each step adds the logarithm of something. The
//! numbers that one loop needs from another are stored; in derivatives, so are short rows. Carried sums that nothing waits for
//! become sums of terms ([`super::sums`]): not in strict functions, and not what decides something.

use super::sums::{self, Sums};
use super::{scan, total};
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, Loop, ReduceOp, Region, Scalar, Type, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Iterations, at least, if they are known, and at most: a model that needs no memory for each iteration goes on without it. The reverse
/// of a loop has such memory in any case.
const FEWEST: i64 = 32;
const MOST: i64 = 1 << 20;
/// Cycles of an iteration that leave the loop, at least, and those that a number costs that is stored for it.
const WORTH: u64 = 40;
const STORE: u64 = 8;
/// Numbers and rows that are stored in an iteration, at most.
const STORED: usize = 6;
/// Numbers of a row, at most, and how many of them cost what a number by itself does.
const ROW: i64 = 32;
const BESIDE: u64 = 8;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        let sums = Sums { f, deciding, ranges, uses, consts: FxHashMap::default(), any: false };
        let mut r = Recurrences { sums, known: &known, any: false };
        r.region(body);
        any = r.any;
    });
    any
}

struct Recurrences<'a> {
    sums: Sums<'a>,
    known: &'a Known,
    any: bool,
}

/// Which of the four loops something goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Before,
    Core,
    Behind,
    /// Loops that wait for what comes behind, and what waits for them.
    Last,
}

const PARTS: [Part; 4] = [Part::Before, Part::Core, Part::Behind, Part::Last];

/// What becomes of a loop.
struct Plan {
    /// By instruction of the body, by carry, and by what is gathered.
    insts: Vec<Part>,
    carries: Vec<Part>,
    gathered: Vec<Part>,
    /// What one part stores for later ones.
    stored: Vec<Value>,
    /// What later parts read from where it is collected in any case, by its place among what is gathered.
    kept: BTreeMap<Value, usize>,
    /// By part: instructions of earlier ones that it does again, in order.
    again: [Vec<usize>; 4],
}

impl Recurrences<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            if let Kind::Const(c) = inst.kind {
                self.sums.consts.insert(inst.results[0], c);
            }
            let Some(size) = self.size(&inst) else {
                out.push(inst);
                continue;
            };
            let (with_sums, mut behind) = self.with_sums(&inst);
            match self.plan(&with_sums, true).or_else(|| self.plan(&with_sums, false)) {
                Some(plan) => {
                    self.split(with_sums, size, &plan, &mut out);
                    out.append(&mut behind);
                    self.any = true;
                }
                None => out.push(inst),
            }
        }
        r.insts = out;
    }

    /// A loop whose carried sums are sums of terms, and what adds these to what they began with.
    fn with_sums(&mut self, inst: &Inst) -> (Inst, Vec<Inst>) {
        let mut inst = inst.clone();
        let found = self.sums.found(&inst);
        let behind = self.sums.taken(&mut inst, &found);
        if let Kind::For(l) = &mut inst.kind {
            l.sums += found.len() as u32;
        }
        (inst, behind)
    }

    /// How long arrays are that a loop over 0, 1, … collects.
    fn size(&self, inst: &Inst) -> Option<Dim> {
        if !matches!(inst.kind, Kind::For(Loop { checkpoint: None, .. })) {
            return None;
        }
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.dim(inst.args[k]));
        let own = self.sums.f.dims.iter().any(|d| d.value == inst.args[1]);
        let natural = self.sums.ranges.get(inst.args[1]).0 >= 0 || own;
        let stores = self.sums.f.origin.is_some();
        let many = hi.as_const().map_or(stores, |n| n >= FEWEST && (stores || n <= MOST));
        ((lo.as_const(), step.as_const()) == (Some(0), Some(1)) && natural && many).then_some(hi)
    }

    /// `loops`: whether sums leave the loop, too.
    fn plan(&self, inst: &Inst, loops: bool) -> Option<Plan> {
        let Kind::For(l) = inst.kind else { return None };
        let body = &inst.regions[0];
        let params = &body.params[1..];
        let (carried, gathered) = body.yields.split_at(params.len());
        let collected = &gathered[l.sums as usize..];
        let made: FxHashMap<Value, usize> =
            body.insts.iter().enumerate().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
        // The core: what carried numbers need, and what lanes do not do.
        let mut core = vec![false; body.insts.len()];
        let mut core_carry = vec![false; params.len()];
        let mut open: Vec<Value> = Vec::new();
        for (k, p) in params.iter().enumerate() {
            if !self.sums.f.ty(*p).is_array() || self.is_new(carried[k], *p, body, &made) {
                core_carry[k] = true;
                open.extend([*p, carried[k]]);
            }
        }
        if open.is_empty() {
            return None;
        }
        let chains = self.chains(body);
        let leaves = |k: usize, i: &Inst| {
            chains.contains(&k) || self.is_simple(i) || (loops && self.is_sum(i, &made, params, collected))
        };
        let staying = body.insts.iter().enumerate().filter(|(k, i)| !leaves(*k, i));
        open.extend(staying.flat_map(|(_, i)| &i.results));
        while let Some(v) = open.pop() {
            if let Some(k) = params.iter().position(|p| *p == v).filter(|k| !core_carry[*k]) {
                core_carry[k] = true;
                open.push(carried[k]);
            }
            if let Some(k) = made.get(&v).filter(|k| !std::mem::replace(&mut core[**k], true)) {
                scan::uses(&body.insts[*k], self.sums.f, &mut |v| open.push(v));
            }
        }
        // What depends on what the core carries.
        let mut late: FxHashSet<Value> =
            params.iter().zip(&core_carry).filter(|(_, core)| **core).map(|(p, _)| *p).collect();
        let mut insts = Vec::with_capacity(body.insts.len());
        // What waits for a loop that leaves this one.
        let mut last: FxHashSet<Value> = FxHashSet::default();
        for (inst, core) in body.insts.iter().zip(&core) {
            let mut is_late = *core && !self.is_simple(inst);
            let mut is_last = !core && inst.kind.is_loop();
            scan::uses(inst, self.sums.f, &mut |v| {
                is_late |= late.contains(&v);
                is_last |= last.contains(&v);
            });
            if is_late {
                late.extend(&inst.results);
            }
            if is_last {
                last.extend(&inst.results);
            }
            insts.push(match (core, is_late, is_last) {
                (true, true, _) => Part::Core,
                (true, false, _) => Part::Before,
                (false, _, false) => Part::Behind,
                (false, _, true) => Part::Last,
            });
        }
        // Too little is left where it is.
        let work = |part: Part, insts: &[Part]| -> u64 {
            body.insts.iter().zip(insts).filter(|(_, p)| **p == part).map(|(i, _)| self.cycles(i)).sum()
        };
        for part in [Part::Before, Part::Behind] {
            let core = |parts: &mut Vec<Part>| {
                parts.iter_mut().filter(|p| **p == part).for_each(|p| *p = Part::Core);
            };
            if work(part, &insts) < WORTH {
                core(&mut insts);
            }
        }
        if loops && !self.is_worth_a_loop(body, &insts, &made) {
            return None;
        }
        if insts.iter().all(|p| *p == Part::Core) {
            return None;
        }
        let behind = insts.contains(&Part::Behind);
        let mut carries = Vec::with_capacity(params.len());
        for (core, next) in core_carry.iter().zip(carried) {
            // What is written to one after the other is written in one place.
            let write = |v: &Value| made.get(v).copied().filter(|k| !core && chains.contains(k));
            let before = |k: &usize| write(&body.insts[*k].args[0]);
            let chain: Vec<usize> = std::iter::successors(write(next), before).collect();
            let part = chain.iter().map(|k| insts[*k]).max().unwrap_or(Part::Behind);
            chain.iter().for_each(|k| insts[*k] = part);
            carries.push(if *core || !behind { Part::Core } else { part });
        }
        let of = |v: &Value| made.get(v).map_or(Part::Core, |k| insts[*k]);
        // What is made of nothing but numbers from outside is gathered where there are lanes.
        let sides = if behind { Part::Behind } else { Part::Core };
        let gathered: Vec<Part> = gathered
            .iter()
            .map(|v| match of(v) {
                Part::Before => Part::Before,
                Part::Core if late.contains(v) => Part::Core,
                Part::Core | Part::Behind => sides,
                Part::Last => Part::Last,
            })
            .collect();
        let mut plan = Plan {
            insts,
            carries,
            gathered,
            stored: Vec::new(),
            kept: BTreeMap::new(),
            again: Default::default(),
        };
        self.crossings(body, l.sums as usize, &made, &mut plan)?;
        let moved: u64 = [Part::Before, Part::Behind, Part::Last].map(|p| work(p, &plan.insts)).iter().sum();
        let stored: u64 = plan.stored.iter().filter_map(|v| self.cost(*v)).sum();
        (plan.stored.len() <= STORED && moved >= WORTH + STORE * stored).then_some(plan)
    }

    /// How many numbers it costs to store it. `None` if it is neither a number nor a short row of a program that stores
    /// much in any case.
    fn cost(&self, v: Value) -> Option<u64> {
        let f = &*self.sums.f;
        if f.ty(v) == Type::F64 {
            return Some(1);
        }
        let [n] = &f.shape(v)[..] else { return None };
        let n = self.known.resolve(n).as_const().filter(|n| (1..=ROW).contains(n))?;
        let row = f.origin.is_some() && f.ty(v).scalar() == Scalar::F64;
        row.then_some((n as u64).div_ceil(BESIDE))
    }

    /// Whether an iteration makes the array that it carries anew, and does not write to the one before.
    fn is_new(&self, next: Value, carried: Value, body: &Region, made: &FxHashMap<Value, usize>) -> bool {
        let Some(inst) = made.get(&next).map(|k| &body.insts[*k]) else { return next != carried };
        match inst.kind {
            Kind::Build { .. } => true,
            Kind::For(l) => inst.results[inst.results.len() - l.collects as usize..].contains(&next),
            _ => false,
        }
    }

    /// Whether it is a sum that a later loop can take as well: of arrays that are collected, or short rows, and cannot fail.
    fn is_sum(
        &self,
        inst: &Inst,
        made: &FxHashMap<Value, usize>,
        params: &[Value],
        collected: &[Value],
    ) -> bool {
        let f = &*self.sums.f;
        let mut there = true;
        scan::uses(inst, f, &mut |v| {
            let inside = f.ty(v).is_array() && (made.contains_key(&v) || params.contains(&v));
            there &= !inside || collected.contains(&v) || (made.contains_key(&v) && self.cost(v).is_some());
        });
        let sum = inst.kind == Kind::Reduce(ReduceOp::Sum) && f.ty(inst.results[0]) == Type::F64;
        sum && there && total::inst(inst, f, &self.sums.ranges)
    }

    /// Whether what is done last waits for what comes behind.
    fn is_worth_a_loop(&self, body: &Region, insts: &[Part], made: &FxHashMap<Value, usize>) -> bool {
        let mut waits = false;
        for (inst, _) in body.insts.iter().zip(insts).filter(|(_, p)| **p == Part::Last) {
            scan::uses(inst, self.sums.f, &mut |v| {
                waits |= made.get(&v).is_some_and(|k| insts[*k] == Part::Behind);
            });
        }
        waits
    }

    /// Finds what each part needs from those before it.
    fn crossings(
        &self,
        body: &Region,
        sums: usize,
        made: &FxHashMap<Value, usize>,
        plan: &mut Plan,
    ) -> Option<()> {
        let params = &body.params[1..];
        let gathered = &body.yields[params.len()..];
        for part in PARTS {
            let mut wanted = Vec::new();
            let mut want = |v: Value| wanted.push(v);
            for (inst, _) in body.insts.iter().zip(&plan.insts).filter(|(_, p)| **p == part) {
                scan::uses(inst, self.sums.f, &mut want);
            }
            let yields = plan.carries.iter().chain(&plan.gathered).zip(&body.yields);
            yields.filter(|(p, _)| **p == part).for_each(|(_, v)| want(*v));
            let mut seen = FxHashSet::default();
            while let Some(v) = wanted.pop() {
                if !seen.insert(v) {
                    continue;
                }
                let home = match params.iter().position(|p| *p == v) {
                    // As it is at the beginning of the iteration.
                    Some(k) => plan.carries[k],
                    None => made.get(&v).map_or(part, |k| plan.insts[*k]),
                };
                if home == part {
                    continue;
                }
                (home < part).then_some(())?;
                let again = made.get(&v).map(|at| (*at, &body.insts[*at]));
                let again = again.filter(|(_, i)| self.is_done_again(i, &body.params, made, body));
                let kept = (sums..gathered.len()).find(|k| gathered[*k] == v && plan.gathered[*k] < part);
                if let Some((at, inst)) = again {
                    plan.again[part as usize].push(at);
                    scan::uses(inst, self.sums.f, &mut |v| wanted.push(v));
                } else if let Some(k) = kept {
                    plan.kept.insert(v, k);
                } else {
                    self.store(v, plan)?;
                }
            }
            plan.again[part as usize].sort_unstable();
        }
        Some(())
    }

    fn store(&self, v: Value, plan: &mut Plan) -> Option<()> {
        self.cost(v)?;
        if !plan.stored.contains(&v) {
            plan.stored.push(v);
        }
        Some(())
    }

    /// Whether an instruction costs no more than to read what it gave: a literal, an element of an array from outside, an index.
    fn is_done_again(
        &self,
        inst: &Inst,
        params: &[Value],
        made: &FxHashMap<Value, usize>,
        body: &Region,
    ) -> bool {
        let small = match inst.kind {
            Kind::Const(_) => true,
            Kind::Index => !inst.args.iter().any(|v| params[1..].contains(v)),
            Kind::Op(_) => self.sums.f.ty(inst.results[0]) == Type::I64,
            _ => false,
        };
        let again = |v: &Value| {
            made.get(v).is_none_or(|k| self.is_done_again(&body.insts[*k], params, made, body))
                && !params[1..].contains(v)
        };
        small && self.is_simple(inst) && inst.args.iter().all(again)
    }

    /// Instructions that write to elements of a carried array that nothing reads: they can come behind.
    fn chains(&self, body: &Region) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
        let mut count = |v: Value| *uses.entry(v).or_default() += 1;
        body.insts.iter().for_each(|i| scan::uses(i, self.sums.f, &mut count));
        body.yields.iter().copied().for_each(&mut count);
        for (k, p) in body.params[1..].iter().enumerate().filter(|(_, p)| self.sums.f.ty(**p).is_array()) {
            let (mut array, mut chain) = (*p, Vec::new());
            for (at, inst) in body.insts.iter().enumerate() {
                let writes = matches!(inst.kind, Kind::AddAt | Kind::Update) && inst.args[0] == array;
                let scalar = writes && self.sums.f.ty(inst.args[1]) == Type::F64;
                if scalar
                    && self.sums.ranges.inside(self.sums.f.shape(array), &inst.args[2..])
                    && uses[&array] == 1
                {
                    chain.push(at);
                    array = inst.results[0];
                }
            }
            if array == body.yields[k] && uses.get(&array) == Some(&1) {
                found.extend(chain);
            }
        }
        found
    }

    /// Whether lanes can do it, and it cannot fail.
    fn is_simple(&self, inst: &Inst) -> bool {
        let there = match inst.kind {
            Kind::Const(_) => true,
            Kind::Op(_) | Kind::Index => {
                matches!(self.sums.f.ty(inst.results[0]), Type::F64 | Type::BOOL | Type::I64)
            }
            Kind::If => {
                let scalar = |v: &Value| matches!(self.sums.f.ty(*v), Type::F64 | Type::BOOL);
                let nested = inst.regions.iter().flat_map(|r| &r.insts).all(|i| self.is_simple(i));
                nested && inst.results.iter().all(scalar)
            }
            _ => false,
        };
        there && total::inst(inst, self.sums.f, &self.sums.ranges)
    }

    fn cycles(&self, inst: &Inst) -> u64 {
        let mut sum = 0;
        scan::each(inst, &mut |i| {
            if let Kind::Op(op) = i.kind
                && self.sums.f.ty(i.results[0]) == Type::F64
            {
                sum += u64::from(op.info().cycles);
            }
        });
        sum
    }

    fn split(&mut self, inst: Inst, size: Dim, plan: &Plan, out: &mut Vec<Inst>) {
        let Inst { kind, args, results, mut regions, span } = inst;
        let Kind::For(l) = kind else { unreachable!("only such loops are looked at") };
        let body = regions.pop().expect("a loop has a body");
        let carries = plan.carries.len();
        let made: FxHashMap<Value, usize> =
            body.insts.iter().enumerate().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
        let home = |v: &Value| match body.params[1..].iter().position(|p| p == v) {
            Some(k) => plan.carries[k],
            None => made.get(v).map_or(Part::Core, |k| plan.insts[*k]),
        };
        let mut arrays: FxHashMap<Value, Value> = FxHashMap::default();
        for v in &plan.stored {
            let shape = [std::slice::from_ref(&size), &self.sums.f.shape(*v)[..]].concat();
            arrays.insert(*v, self.sums.f.fresh(ValueData::array(Scalar::F64, shape)));
        }
        for part in PARTS {
            let index = self.sums.f.fresh(Scalar::I64.into());
            let mut to: FxHashMap<Value, Value> = [(body.params[0], index)].into_iter().collect();
            let (mut insts, mut params) = (Vec::new(), vec![index]);
            let (mut ins, mut yields, mut ys) = (args[..3].to_vec(), Vec::new(), Vec::new());
            for k in (0..carries).filter(|k| plan.carries[*k] == part) {
                ins.push(args[3 + k]);
                params.push(body.params[1 + k]);
                yields.push(body.yields[k]);
                ys.push(results[k]);
            }
            let mut own = Loop::default();
            for (k, _) in plan.gathered.iter().enumerate().filter(|(_, p)| **p == part) {
                match k < l.sums as usize {
                    true => own.sums += 1,
                    false => own.collects += 1,
                }
                yields.push(body.yields[carries + k]);
                ys.push(results[carries + k]);
            }
            for v in plan.stored.iter().filter(|v| home(v) == part) {
                own.collects += 1;
                yields.push(*v);
                ys.push(arrays[v]);
            }
            for v in plan.stored.iter().filter(|v| home(v) < part) {
                let (data, args) = (self.sums.f.data(*v).clone(), [arrays[v], index]);
                to.insert(*v, scan::emit(self.sums.f, Kind::Index, &args, data, span, &mut insts));
            }
            let earlier = |v: &Value, k: usize| home(v) < part && plan.gathered[k] < part;
            for (v, k) in plan.kept.iter().filter(|(v, k)| earlier(v, **k)) {
                let (data, args) = (self.sums.f.data(*v).clone(), [results[carries + k], index]);
                to.insert(*v, scan::emit(self.sums.f, Kind::Index, &args, data, span, &mut insts));
            }
            let mut region = Region { params, insts: Vec::new(), yields };
            for at in &plan.again[part as usize] {
                let mut inst = body.insts[*at].clone();
                for v in inst.results.iter_mut() {
                    let new = self.sums.f.fresh(self.sums.f.data(*v).clone());
                    to.insert(*v, new);
                    *v = new;
                }
                insts.push(inst);
            }
            let of_part = body.insts.iter().zip(&plan.insts).filter(|(_, p)| **p == part);
            insts.extend(of_part.map(|(i, _)| i.clone()));
            if ys.is_empty() {
                continue;
            }
            region.insts = insts;
            scan::rename(&mut region, self.sums.f, &to);
            let kind = sums::kind(own, ins.len() - 3, true);
            let (args, results) = (Values::from_slice(&ins), Values::from_slice(&ys));
            out.push(Inst { kind, args, results, regions: vec![region], span });
        }
    }
}
