//! What does not change in a loop is computed before it: ops, reads inside their arrays, and arrays: products,
//! factorisations, whole loops.
//!
//! Only what every iteration computes anyway leaves, never what stands in a branch. What may fail leaves only if nothing
//! that may fail stays before it: then the first iteration would fail there. What takes more than a scalar op, or may fail, is not
//! computed for a loop without iterations: unless there are some for certain, it is guarded by the condition of the loop.

use super::{scan, total};
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Value, Values, kinds};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) fn function(f: &mut Func) {
    everywhere(f, true);
}

/// Arrays and loops, with the numbers that they need. Others stay in a loop that is to be differentiated: there they cost little, and it is
/// the derivative that says where they are wanted.
pub(crate) fn arrays(f: &mut Func) {
    everywhere(f, false);
}

fn everywhere(f: &mut Func, numbers: bool) {
    let ranges = Ranges::of(f);
    let mut level = vec![0; f.values.len()];
    scan::edit(f, |body, f| Hoist { f, ranges: &ranges, level: &mut level, numbers }.region(body, 0));
}

struct Hoist<'a> {
    f: &'a mut Func,
    ranges: &'a Ranges,
    /// By value: the nesting of the region that defines it.
    level: &'a mut Vec<u32>,
    /// Whether numbers leave loops for their own sake.
    numbers: bool,
}

/// How often a region runs.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    /// Once or more.
    Some,
    /// Perhaps not at all; of a `for` or `reduce`, if its bounds say so.
    Maybe,
    /// Perhaps not at all, and nobody knows before.
    Unknown,
}

impl Hoist<'_> {
    /// Goes over a region at a nesting; what leaves it is left in front of the instruction it leaves.
    fn region(&mut self, r: &mut Region, level: u32) {
        self.define(&r.params, level);
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            for k in 0..inst.regions.len() {
                let mut nested = std::mem::take(&mut inst.regions[k]);
                self.region(&mut nested, level + 1);
                if inst.kind.is_loop() {
                    let runs = self.runs(&inst, k);
                    out.extend(self.leaving(&mut nested, level, &inst, runs));
                }
                inst.regions[k] = nested;
            }
            self.define(&inst.results, level);
            out.push(inst);
        }
        r.insts = out;
    }

    fn define(&mut self, values: &[Value], level: u32) {
        self.level.resize(self.f.values.len(), level);
        values.iter().for_each(|v| self.level[v.0 as usize] = level);
    }

    fn runs(&self, inst: &Inst, region: usize) -> Runs {
        match &inst.kind {
            Kind::Build { rank } => {
                let sizes = &self.f.shape(inst.results[0])[..*rank as usize];
                let some = sizes.iter().all(|d| self.ranges.dim(d).0 > 0);
                if some { Runs::Some } else { Runs::Unknown }
            }
            Kind::Reduce(_) | Kind::For(_) => {
                let [lo, hi] = [0, 1].map(|k| self.ranges.get(inst.args[k]));
                if lo.1 < hi.0 { Runs::Some } else { Runs::Maybe }
            }
            // Whether to go on is asked at least once.
            _ if region == 0 => Runs::Some,
            _ => Runs::Unknown,
        }
    }

    /// Takes what can be computed at a lower nesting out of the region of a loop.
    fn leaving(&mut self, r: &mut Region, level: u32, of: &Inst, runs: Runs) -> Vec<Inst> {
        // Values that may be written into in place, or leave the region.
        let mut consumed: FxHashSet<Value> = r.yields.iter().copied().collect();
        r.insts.iter().for_each(|i| {
            scan::each_consumed(i, &mut |v| {
                consumed.insert(v);
            })
        });
        let (mut left, mut guarded) = (Vec::new(), Vec::new());
        let mut behind_guard: FxHashSet<Value> = FxHashSet::default();
        // Whether nothing that stays may fail so far.
        let mut safe = true;
        for inst in std::mem::take(&mut r.insts) {
            let total = total::inst(&inst, self.f, self.ranges);
            let scalar = self.is_number(&inst);
            let leaves = match scalar {
                true => total,
                false => runs != Runs::Unknown && (total || safe) && self.worth(&inst, &consumed),
            };
            if !leaves || !self.outside(&inst, level) {
                safe &= total;
                r.insts.push(inst);
                continue;
            }
            self.define(&inst.results, level);
            // A part of an array, or the same under another shape, costs nothing.
            let free = scalar || (total && matches!(inst.kind, Kind::Index | Kind::Slice | Kind::Reshape));
            let follows = !behind_guard.is_empty() && inst.args.iter().any(|v| behind_guard.contains(v));
            if runs == Runs::Maybe && (!free || follows) {
                behind_guard.extend(inst.results.iter().copied());
                guarded.push(inst);
            } else {
                left.push(inst);
            }
        }
        if !self.numbers {
            left = self.needed(left, &guarded, r);
        }
        if !guarded.is_empty() {
            left.extend(self.guard(guarded, of, level, r));
        }
        left
    }

    /// Whether all that it uses is there at a lower nesting.
    fn outside(&self, inst: &Inst, level: u32) -> bool {
        let outer = |v: Value| self.level[v.0 as usize] <= level;
        if inst.regions.is_empty() {
            return inst.uses(self.f).all(outer);
        }
        let mut own: FxHashSet<Value> = FxHashSet::default();
        scan::each(inst, &mut |i| {
            own.extend(i.results.iter().chain(i.regions.iter().flat_map(|r| &r.params)));
        });
        let mut all = true;
        scan::uses(inst, self.f, &mut |v| all &= outer(v) || own.contains(&v));
        all
    }

    /// Whether it is work that is better done once, and nothing is written into what it gives.
    fn worth(&self, inst: &Inst, consumed: &FxHashSet<Value>) -> bool {
        let kept = !inst.results.iter().any(|v| consumed.contains(v));
        let worth = match &inst.kind {
            Kind::Reduce(_) | Kind::For(_) | kinds!(Matrix) => true,
            // Of these a copy for every iteration would cost as much.
            Kind::Build { .. } => kept || scan::has_loop(&inst.regions[0]),
            kinds!(Read | Form) => kept,
            Kind::If => {
                let arrays = inst.results.iter().any(|v| self.f.ty(*v).is_array());
                kept && (arrays || inst.regions.iter().any(scan::has_loop))
            }
            // Of one that collects, the sizes of the results are results.
            Kind::While(_)
            | Kind::Const(_)
            | Kind::Op(_)
            | Kind::Call(_)
            | Kind::Assert(_)
            | Kind::Size(_)
            | kinds!(Write) => false,
        };
        if !worth || scan::asserts(inst) {
            return false;
        }
        let mut own: FxHashSet<Value> = FxHashSet::default();
        scan::each(inst, &mut |i| {
            own.extend(i.results.iter().chain(i.regions.iter().flat_map(|r| &r.params)));
        });
        let mut updates = false;
        scan::each_consumed(inst, &mut |v| updates |= self.f.ty(v).is_array() && !own.contains(&v));
        !updates || matches!(inst.kind, Kind::Reshape)
    }

    /// Instructions that are computed if a loop has iterations; if not, nobody looks at what they give. `r` is what is left of
    /// the loop.
    fn guard(&mut self, insts: Vec<Inst>, of: &Inst, level: u32, r: &mut Region) -> Vec<Inst> {
        let one = |kind, args: &[Value], r| Inst::simple(kind, args, r, of.span);
        let mut other = Region::default();
        let mut zeros: Vec<(Scalar, Value)> = Vec::new();
        let yields: Vec<Value> = insts.iter().flat_map(|i| i.results.iter().copied()).collect();
        for v in &yields {
            let data = self.f.data(*v).clone();
            let elem = data.ty.scalar();
            let zero = match zeros.iter().find(|(s, _)| *s == elem) {
                Some((_, zero)) => *zero,
                None => {
                    let zero = self.f.fresh(elem.into());
                    other.insts.push(one(Kind::Const(Const::zero(elem)), &[], zero));
                    zeros.push((elem, zero));
                    zero
                }
            };
            let y = if data.shape.is_empty() { zero } else { self.f.fresh(data) };
            if y != zero {
                other.insts.push(one(Kind::Fill, &[zero], y));
            }
            other.yields.push(y);
        }
        let cond = self.f.fresh(Scalar::Bool.into());
        let results: Values = yields.iter().map(|v| self.f.fresh(self.f.data(*v).clone())).collect();
        let to: FxHashMap<Value, Value> = yields.iter().copied().zip(results.iter().copied()).collect();
        scan::rename(r, self.f, &to);
        self.define(&[cond], level);
        self.define(&results, level);
        let then = Region { params: Vec::new(), insts, yields };
        vec![
            one(Kind::Op(Op::Lt), &[of.args[0], of.args[1]], cond),
            Inst {
                kind: Kind::If,
                args: Values::from_slice(&[cond]),
                results,
                regions: vec![then, other],
                span: of.span,
            },
        ]
    }

    /// Of what could leave a region, arrays and loops, and the numbers that they need; the others go back.
    fn needed(&self, left: Vec<Inst>, guarded: &[Inst], r: &mut Region) -> Vec<Inst> {
        let mut wanted = FxHashSet::default();
        let want = |i: &Inst, wanted: &mut FxHashSet<Value>| {
            scan::uses(i, self.f, &mut |v| {
                wanted.insert(v);
            })
        };
        guarded.iter().for_each(|i| want(i, &mut wanted));
        let (mut stay, mut go) = (Vec::new(), Vec::new());
        for inst in left.into_iter().rev() {
            if self.is_number(&inst) && !wanted.contains(&inst.results[0]) {
                stay.push(inst);
            } else {
                want(&inst, &mut wanted);
                go.push(inst);
            }
        }
        r.insts.splice(0..0, stay.into_iter().rev());
        go.reverse();
        go
    }

    fn is_number(&self, inst: &Inst) -> bool {
        match &inst.kind {
            Kind::Const(_) | Kind::Op(_) => true,
            Kind::Index => !self.f.ty(inst.results[0]).is_array(),
            _ => false,
        }
    }
}
