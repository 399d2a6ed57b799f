//! A sum of terms that vanish in all iterations but one is the term of that one.
//!
//! Such are derivatives along one coordinate: of Σᵢ aᵢ eᵢ, where e is 1 at j and 0 elsewhere, only aⱼ is left. The columns of Jacobians
//! and Hessians are made so. What vanishes is known from its form: an array of zeros with one element set, a product with
//! its elements, sums of such products, arrays of those.
//!
//! A term that vanishes is a factor 0 to be multiplied by a number. It is left out as differentiation leaves out what is structurally
//! zero: for numbers that are finite, the sum is the same, but for the sign of a zero; others no longer make it NaN. So strict functions
//! and what decides are left alone.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Copier, Func, Inst, Kind, Op, ReduceOp, Region, Smoothness, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A term of more instructions is not copied out of its loop.
const MOST: usize = 64;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let ranges = Ranges::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut u = Units { f, ranges: &ranges, deciding, maps: Maps::default(), any: false };
        u.region(body);
        any = u.any;
    });
    any
}

/// What is known of values.
#[derive(Default)]
struct Maps {
    zeros: FxHashSet<Value>,
    /// Arrays of zeros.
    fills: FxHashSet<Value>,
    /// Arrays that are 0 but where their leading indices are these, with what they are there, if that is a value.
    units: FxHashMap<Value, (Vec<Value>, Option<Value>)>,
}

struct Units<'a> {
    f: &'a mut Func,
    ranges: &'a Ranges,
    deciding: &'a Deciding,
    maps: Maps,
    any: bool,
}

impl Units<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        // What sums became.
        let mut to: FxHashMap<Value, Value> = FxHashMap::default();
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            self.note(&inst);
            if self.sums(&mut inst, &mut out, &mut to) {
                out.push(inst);
            }
        }
        r.insts = out;
        if !to.is_empty() {
            self.any = true;
            scan::rename(r, self.f, &to);
        }
    }

    fn note(&mut self, inst: &Inst) {
        let maps = &mut self.maps;
        match &inst.kind {
            Kind::Const(c) if c.scalar().is_float() && c.bits() == Const::zero(c.scalar()).bits() => {
                maps.zeros.insert(inst.results[0]);
            }
            Kind::Fill | Kind::Pack if inst.args.iter().all(|v| maps.zeros.contains(v)) => {
                maps.fills.insert(inst.results[0]);
            }
            Kind::Update if maps.fills.contains(&inst.args[0]) => {
                maps.units.insert(inst.results[0], (inst.args[2..].to_vec(), Some(inst.args[1])));
            }
            Kind::Build { rank: 1 } => {
                if let Some(j) = self.point(&inst.regions[0], inst.regions[0].yields[0]) {
                    self.maps.units.insert(inst.results[0], (vec![j], None));
                }
            }
            Kind::For(l) => {
                let body = &inst.regions[0];
                let collected = inst.results.len() - l.collects as usize;
                for k in collected..inst.results.len() {
                    if self.begins_at_zero(inst)
                        && let Some(j) = self.point(body, body.yields[k])
                    {
                        self.maps.units.insert(inst.results[k], (vec![j], None));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the iterations of a loop are 0, 1, …
    fn begins_at_zero(&self, inst: &Inst) -> bool {
        self.ranges.get(inst.args[0]) == (0, 0) && self.ranges.get(inst.args[2]) == (1, 1)
    }

    /// The only iteration of a loop in which a value of its body may be another number than 0: an index from outside.
    fn point(&self, body: &Region, v: Value) -> Option<Value> {
        let made: FxHashMap<Value, &Inst> =
            body.insts.iter().flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        let mut left = MOST;
        let at = self.vanishing(v, body.params[0], &made, &mut left)?;
        // One that is the same in all iterations.
        at.filter(|j| !made.contains_key(j) && !body.params.contains(j))
    }

    /// `Some(None)`: always 0.
    fn vanishing(
        &self,
        v: Value,
        index: Value,
        made: &FxHashMap<Value, &Inst>,
        left: &mut usize,
    ) -> Option<Option<Value>> {
        if self.maps.zeros.contains(&v) {
            return Some(None);
        }
        *left = left.checked_sub(1)?;
        let inst = made.get(&v)?;
        let mut of = |v: Value| self.vanishing(v, index, made, left);
        let both = |a: Option<Value>, b: Option<Value>| match (a, b) {
            (Some(a), Some(b)) if a != b => None,
            (a, b) => Some(a.or(b)),
        };
        match (&inst.kind, &inst.args[..]) {
            (Kind::Index, [array, at @ ..]) => {
                let (known, _) = self.maps.units.get(array)?;
                at.iter().zip(known).find(|(i, _)| **i == index).map(|(_, j)| Some(*j))
            }
            (Kind::Op(Op::Mul), [a, b]) => of(*a).or_else(|| of(*b)),
            (Kind::Op(Op::Div), [a, _]) => of(*a),
            (Kind::Op(Op::Select), [_, a, b]) => both(of(*a)?, of(*b)?),
            (Kind::Op(Op::Fma), [a, b, c]) => both(of(*a).or_else(|| of(*b))?, of(*c)?),
            (Kind::Op(op), args) if op.info().smooth == Smoothness::Linear => {
                args.iter().try_fold(None, |at, v| both(at, of(*v)?))
            }
            _ => None,
        }
    }

    /// Takes sums of one term out of a loop; the terms go in front of it. Whether something is left of the loop.
    fn sums(&mut self, inst: &mut Inst, out: &mut Vec<Inst>, to: &mut FxHashMap<Value, Value>) -> bool {
        let (first, count) = match inst.kind {
            Kind::Reduce(ReduceOp::Sum) if !scan::asserts(inst) => (0, 1),
            Kind::For(l) => (inst.results.len() - (l.sums + l.collects) as usize, l.sums as usize),
            _ => return true,
        };
        if self.ranges.get(inst.args[2]) != (1, 1) {
            return true;
        }
        let [lo, hi] = [0, 1].map(|k| self.ranges.get(inst.args[k]));
        for k in (first..first + count).rev() {
            let body = &inst.regions[0];
            let (y, result) = (body.yields[k], inst.results[k]);
            if self.f.ty(result).is_array() || self.deciding.get(result) {
                continue;
            }
            let Some(j) = self.point(body, y) else { continue };
            let at = self.ranges.get(j);
            if at.0 < lo.1 || at.1 >= hi.0 {
                continue;
            }
            let Some(term) = self.term(body, y, j, out) else { continue };
            to.insert(result, term);
            let Kind::For(l) = &mut inst.kind else { return false };
            l.sums -= 1;
            inst.results.remove(k);
            inst.regions[0].yields.remove(k);
        }
        true
    }

    /// What the body yields in iteration `j`.
    fn term(&mut self, body: &Region, y: Value, j: Value, out: &mut Vec<Inst>) -> Option<Value> {
        let mut needed = FxHashSet::from_iter([y]);
        let mut copied: Vec<&Inst> = Vec::new();
        for inst in body.insts.iter().rev() {
            if inst.results.iter().any(|v| needed.contains(v)) {
                scan::uses(inst, self.f, &mut |v| {
                    needed.insert(v);
                });
                copied.push(inst);
            }
        }
        let carried = body.params[1..].iter().any(|p| needed.contains(p));
        let size: usize = copied.iter().map(|i| 1 + i.regions.iter().map(scan::size).sum::<usize>()).sum();
        if carried || size > MOST {
            return None;
        }
        let mut copier = Copier::new(&|v| v);
        copier.name(body.params[0], j);
        for inst in copied.into_iter().rev() {
            let element = match &inst.kind {
                Kind::Index => self.maps.units.get(&inst.args[0]),
                _ => None,
            };
            let there = |at: &[Value]| inst.args[1..].iter().map(|v| copier.get(*v)).eq(at.iter().copied());
            if let Some((at, Some(x))) = element
                && there(at)
            {
                copier.name(inst.results[0], *x);
                continue;
            }
            out.push(copier.inst(inst, &mut |names, v| self.f.fresh(names.data(self.f.data(v)))));
        }
        Some(copier.get(y))
    }
}
