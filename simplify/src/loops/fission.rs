//! A loop that holds loops of other lengths in every iteration cannot run in lanes. What its body computes before them goes to a loop
//! of its own, which can, and which stores the few numbers that the other one needs (loop fission).
//!
//! The reverse of a sum of minima has such a loop: of each minimum the terms that attain it are reversed, and how many these are and
//! which is the first is found out before, in a loop that runs equally often for each. Nothing is computed otherwise, so results keep
//! their bits.

use super::{numbers, scan};
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Type, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations, at least, if they are known.
const FEWEST: i64 = 32;
/// Operations that leave the loop, at least: fewer do not pay for what is stored.
const WORTH: usize = 24;
/// Numbers that are stored in an iteration, at most.
const STORED: usize = 6;
/// Integers up to here are stored as doubles.
const EXACT: i64 = 1 << 53;

pub(crate) fn function(f: &mut Func) {
    let known = Known::of(f);
    let ranges = Ranges::of(f);
    scan::edit(f, |body, f| Fission { f, known: &known, ranges: &ranges }.region(body));
}

struct Fission<'a> {
    f: &'a mut Func,
    known: &'a Known,
    ranges: &'a Ranges,
}

/// What becomes of a loop.
struct Parts {
    /// By instruction of the body: whether it stays with the loops of other lengths.
    stays: Vec<bool>,
    /// By gathered value, sums first: the same.
    gathered: Vec<bool>,
    /// What is stored, and instructions that are cheaper done again.
    stored: Vec<Value>,
    again: Vec<usize>,
}

impl Fission<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match self.size(&inst).and_then(|size| Some((size, self.parts(&inst)?))) {
                Some((size, parts)) => self.split(inst, size, &parts, &mut out),
                None => out.push(inst),
            }
        }
        r.insts = out;
    }

    /// How long arrays are that a loop collects.
    fn size(&self, inst: &Inst) -> Option<Dim> {
        if !matches!(inst.kind, Kind::For(Loop { checkpoint: None, .. })) {
            return None;
        }
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.dim(inst.args[k]));
        let natural =
            self.ranges.get(inst.args[1]).0 >= 0 || self.f.dims.iter().any(|d| d.value == inst.args[1]);
        let many = hi.as_const().is_none_or(|n| n >= FEWEST);
        ((lo.as_const(), step.as_const()) == (Some(0), Some(1)) && natural && many).then_some(hi)
    }

    fn parts(&self, inst: &Inst) -> Option<Parts> {
        let body = &inst.regions[0];
        let carried = &body.params[1..];
        // What depends on the iteration, and what is computed in the loops that stay, or from it.
        let mut late: FxHashSet<Value> = body.params.iter().copied().collect();
        let mut staying: FxHashSet<Value> = carried.iter().copied().collect();
        let (mut stays, mut found) = (Vec::with_capacity(body.insts.len()), false);
        for inst in &body.insts {
            let (mut is_late, mut stay) = (false, !self.is_simple(inst));
            scan::uses(inst, self.f, &mut |v| {
                is_late |= late.contains(&v);
                stay |= staying.contains(&v);
            });
            scan::each(inst, &mut |i| {
                found |= matches!(i.kind, Kind::For(_)) && i.args[..2].iter().any(|v| late.contains(v));
            });
            if is_late {
                late.extend(&inst.results);
            }
            // Integers that loops carry are numbers when they leave.
            let kept = |v: &&Value| stay || (inst.kind.is_loop() && self.f.ty(**v) == Type::I64);
            staying.extend(inst.results.iter().filter(kept));
            stays.push(stay);
        }
        if !found {
            return None;
        }
        let gathered: Vec<bool> = body.yields[carried.len()..].iter().map(|v| staying.contains(v)).collect();
        let by: FxHashMap<Value, usize> = (body.insts.iter().enumerate())
            .filter(|(at, _)| !stays[*at])
            .flat_map(|(at, i)| i.results.iter().map(move |v| (*v, at)))
            .collect();
        let mut wanted = Vec::new();
        let mut want = |v: Value| wanted.push(v);
        body.insts
            .iter()
            .zip(&stays)
            .filter(|(_, s)| **s)
            .for_each(|(i, _)| scan::uses(i, self.f, &mut want));
        let carries = body.yields[..carried.len()].iter().map(|v| (v, &true));
        let yields = carries.chain(body.yields[carried.len()..].iter().zip(&gathered));
        yields.filter(|(_, s)| **s).for_each(|(v, _)| want(*v));
        let (mut stored, mut again, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        while let Some(v) = wanted.pop() {
            let Some(&at) = by.get(&v).filter(|_| seen.insert(v)) else { continue };
            let inst = &body.insts[at];
            let outside = |v: &Value| !late.contains(v) || *v == body.params[0];
            let read = inst.kind == Kind::Index && inst.args.iter().all(outside);
            if matches!(inst.kind, Kind::Const(_)) || read || self.f.ty(v) == Type::BOOL {
                again.push(at);
                wanted.extend(&inst.args);
            } else {
                stored.push(v);
            }
        }
        again.sort_unstable();
        stored.sort_unstable();
        let leaves = |at: &usize| !stays[*at] && !again.contains(at);
        let leave: usize = (0..stays.len()).filter(leaves).map(|at| self.ops(&body.insts[at])).sum();
        (stored.len() <= STORED && leave >= WORTH).then_some(Parts { stays, gathered, stored, again })
    }

    /// Operations on scalars, those of loops as often as they run.
    fn ops(&self, inst: &Inst) -> usize {
        match inst.kind {
            Kind::Op(_) => 1,
            Kind::Reduce(_) | Kind::For(_) => {
                let number = |k: usize| self.known.number(inst.args[k]).unwrap_or(0);
                let turns = number(1).saturating_sub(number(0)).max(0) as usize;
                let ops: usize = inst.regions[0].insts.iter().map(|i| self.ops(i)).sum();
                turns.saturating_mul(ops)
            }
            _ => 0,
        }
    }

    /// Whether lanes can do it.
    fn is_simple(&self, inst: &Inst) -> bool {
        match inst.kind {
            Kind::Const(_) => true,
            // Of a number that is stored: so it needs no more than a number.
            Kind::Op(Op::ToI64) => false,
            Kind::Op(_) => match self.f.ty(inst.results[0]) {
                Type::F64 | Type::BOOL => true,
                Type::I64 => {
                    let (lo, hi) = self.ranges.get(inst.results[0]);
                    -EXACT <= lo && hi <= EXACT
                }
                _ => false,
            },
            Kind::Index => self.f.ty(inst.results[0]) == Type::F64,
            Kind::Reduce(ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Min | ReduceOp::Max) => {
                self.is_same(inst)
            }
            Kind::For(Loop { collects: 0, .. }) => self.is_same(inst),
            _ => false,
        }
    }

    /// Whether a loop inside runs equally often in all iterations, and lanes can do what it does.
    fn is_same(&self, inst: &Inst) -> bool {
        let integers = match inst.kind {
            Kind::For(_) => numbers::found(inst, self.f, self.known),
            _ => (self.f.ty(inst.results[0]) == Type::F64).then(FxHashSet::default),
        };
        let known = |v: &Value| self.known.number(*v).is_some();
        integers.is_some_and(|integers| {
            let simple =
                |i: &Inst| i.results.first().is_some_and(|v| integers.contains(v)) || self.is_simple(i);
            inst.args[..3].iter().all(known) && inst.regions[0].insts.iter().all(simple)
        })
    }

    fn split(&mut self, inst: Inst, size: Dim, parts: &Parts, out: &mut Vec<Inst>) {
        let Inst { kind, args, results, mut regions, span } = inst;
        let Kind::For(l) = kind else { unreachable!("only such loops are looked at") };
        let mut body = regions.pop().expect("a loop has a body");
        let carries = body.params.len() - 1;
        let (mut first, mut numbers) = (Vec::new(), FxHashMap::default());
        for (inst, stays) in body.insts.iter_mut().zip(&parts.stays) {
            if !*stays && matches!(inst.kind, Kind::For(_)) {
                numbers.extend(numbers::make(inst, self.f, self.known, &mut first));
            }
        }

        // What is gathered: sums, then arrays, in each of the two.
        let mut loops = [Loop::default(), Loop::default()];
        let (mut yields, mut ys) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        yields[1].extend(&body.yields[..carries]);
        ys[1].extend(&results[..carries]);
        for (k, second) in parts.gathered.iter().enumerate() {
            let to = usize::from(*second);
            match k < l.sums as usize {
                true => loops[to].sums += 1,
                false => loops[to].collects += 1,
            }
            yields[to].push(body.yields[carries + k]);
            ys[to].push(results[carries + k]);
        }

        let index = self.f.fresh(Scalar::I64.into());
        let mut to: FxHashMap<Value, Value> = [(body.params[0], index)].into_iter().collect();
        let [mut converted, mut reads] = [Vec::new(), Vec::new()];
        for v in &parts.stored {
            let whole = self.f.fresh(ValueData::array(Scalar::F64, vec![size.clone()]));
            let read = self.f.fresh(Scalar::F64.into());
            reads.push(Inst::simple(Kind::Index, &[whole, index], read, span));
            let (mut stored, mut again) = (*v, read);
            if self.f.ty(*v) == Type::I64 {
                stored = numbers.get(v).copied().unwrap_or_else(|| {
                    let number = self.f.fresh(Scalar::F64.into());
                    converted.push(Inst::simple(Kind::Op(Op::ToF64), &[*v], number, span));
                    number
                });
                again = self.f.fresh(Scalar::I64.into());
                reads.push(Inst::simple(Kind::Op(Op::ToI64), &[read], again, span));
            }
            loops[0].collects += 1;
            yields[0].push(stored);
            ys[0].push(whole);
            to.insert(*v, again);
        }
        for at in &parts.again {
            let mut inst = body.insts[*at].clone();
            for v in inst.results.iter_mut() {
                let new = self.f.fresh(self.f.data(*v).clone());
                to.insert(*v, new);
                *v = new;
            }
            reads.push(inst);
        }
        let mut second = Vec::new();
        for (inst, stays) in body.insts.into_iter().zip(&parts.stays) {
            if *stays { second.push(inst) } else { first.push(inst) }
        }
        first.append(&mut converted);
        reads.append(&mut second);
        let [first_yields, second_yields] = yields;
        let region = Region { params: vec![body.params[0]], insts: first, yields: first_yields };
        let mut params = body.params;
        params[0] = index;
        let mut other = Region { params, insts: reads, yields: second_yields };
        scan::rename(&mut other, self.f, &to);
        let bounds = Values::from_slice(&args[..3]);
        for (k, (args, region)) in [(bounds, region), (args, other)].into_iter().enumerate() {
            let results = Values::from_slice(&ys[k]);
            out.push(Inst { kind: Kind::For(loops[k]), args, results, regions: vec![region], span });
        }
    }
}
