//! A loop that reads neighbours of what a loop before it makes can become one with that if it computes these elements again.
//!
//! The stages of a Runge-Kutta step on a grid are such loops, and so are their reverses: each does little with an element, and all pass
//! arrays on through memory. Where an element is cheap, computing it once more for each neighbour that is read takes less time. All bits
//! are kept.

use super::scan;
use adc_ir::dims::Known;
use adc_ir::{Dim, Func, Inst, Kind, Loop, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations, at least, if they are known.
const FEWEST: i64 = 32;
/// How far away neighbours are, at most.
const FAR: i64 = 4;
/// What all elements that are computed again take at most, in cycles of latency.
const ALL: u32 = 160;

/// The second loop without reads of neighbours of what the first makes, if it has some; both run from 0 to `length`. And the arrays
/// that it reads for them.
pub(super) fn computed_again(
    first: &Inst,
    second: &Inst,
    length: &Dim,
    f: &mut Func,
    known: &Known,
) -> Option<(Inst, Vec<Value>)> {
    let loops = [first, second].into_iter().any(|i| scan::has_loop(&i.regions[0]));
    if loops || length.as_const().is_some_and(|n| n < FEWEST) {
        return None;
    }
    let made = elements(first, f);
    if second.args.iter().any(|v| made.contains_key(v)) {
        return None;
    }
    let body = &second.regions[0];
    let mut reads = Reads {
        made: &made,
        index: body.params[0],
        length,
        known,
        conditions: FxHashMap::default(),
        found: Vec::new(),
    };
    reads.region(body, &mut Vec::new())?;
    let found = reads.found;
    if found.is_empty() {
        return None;
    }
    let (mut copies, mut arrays, mut all) = (FxHashMap::default(), Vec::new(), 0);
    for (read, array) in found {
        let (slice, cost) = slice(&first.regions[0], made[&array], f)?;
        all += cost;
        if all > ALL {
            return None;
        }
        slice.insts.iter().for_each(|i| {
            scan::uses(i, f, &mut |v| arrays.extend(f.ty(v).is_array().then_some(v)));
        });
        copies.insert(read, slice);
    }
    let mut new = second.clone();
    let mut to = FxHashMap::default();
    place(&mut new.regions[0], &copies, f, &mut to);
    scan::rename(&mut new.regions[0], f, &to);
    Some((new, arrays))
}

/// The arrays of numbers that a loop makes, and by what their elements are in its body.
fn elements(inst: &Inst, f: &Func) -> FxHashMap<Value, Value> {
    let count = match inst.kind {
        Kind::Build { rank: 1 } => 1,
        Kind::For(Loop { collects, .. }) => collects as usize,
        _ => 0,
    };
    let pairs = inst.results.iter().zip(&inst.regions[0].yields).rev().take(count);
    pairs.filter(|(_, y)| !f.ty(**y).is_array()).map(|(v, y)| (*v, *y)).collect()
}

/// The reads of a loop's body.
struct Reads<'a> {
    made: &'a FxHashMap<Value, Value>,
    index: Value,
    length: &'a Dim,
    known: &'a Known,
    conditions: FxHashMap<Value, &'a Inst>,
    /// What is read, and of which array.
    found: Vec<(Value, Value)>,
}

/// Between 0 and the length, an index is so far away from both ends at least.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Inside {
    front: i64,
    back: i64,
}

impl<'a> Reads<'a> {
    /// `None` if something else is done with what is made. `path`: what holds there, and what does not.
    fn region(&mut self, r: &'a Region, path: &mut Vec<(Value, bool)>) -> Option<()> {
        for inst in &r.insts {
            if let Kind::Op(_) = inst.kind {
                self.conditions.insert(inst.results[0], inst);
            }
            if inst.args.iter().any(|v| self.made.contains_key(v)) {
                self.read(inst, path)?;
            }
            for (k, r) in inst.regions.iter().enumerate() {
                path.push((inst.args[0], k == 0));
                self.region(r, path)?;
                path.pop();
            }
        }
        (!r.yields.iter().any(|v| self.made.contains_key(v))).then_some(())
    }

    fn read(&mut self, inst: &Inst, path: &[(Value, bool)]) -> Option<()> {
        let &[array, index] = &inst.args[..] else { return None };
        let away = self.known.dim(index).sub(&Dim::var(self.index))?.as_const()?;
        if inst.kind != Kind::Index || away.abs() > FAR {
            return None;
        }
        if away != 0 {
            let inside = self.inside(path)?;
            (inside.front + away >= 0 && inside.back >= away).then_some(())?;
            self.found.push((inst.results[0], array));
        }
        Some(())
    }

    /// Where the loop's index lies on a path.
    fn inside(&self, path: &[(Value, bool)]) -> Option<Inside> {
        let mut inside = Inside { front: 0, back: 0 };
        // One condition may say more behind another.
        for _ in path {
            path.iter().for_each(|(cond, holds)| self.learn(*cond, *holds, &mut inside));
        }
        Some(inside)
    }

    fn learn(&self, cond: Value, holds: bool, inside: &mut Inside) {
        let Some(inst) = self.conditions.get(&cond) else { return };
        let Kind::Op(op) = inst.kind else { return };
        match (op, holds) {
            (Op::Not, _) => return self.learn(inst.args[0], !holds, inside),
            (Op::And, true) | (Op::Or, false) => {
                return inst.args.iter().for_each(|v| self.learn(*v, holds, inside));
            }
            _ => {}
        }
        let &[a, b] = &inst.args[..] else { return };
        let [a, b] = [a, b].map(|v| self.known.dim(v));
        let index = Dim::var(self.index);
        let rest = |a: &Dim, b: &Dim| {
            let rest = a.sub(b)?.sub(&index)?;
            let has_index = rest.vars().any(|v| v == self.index);
            (!has_index).then_some(rest)
        };
        // Of index + rest and 0.
        let (rest, turned) = match (rest(&a, &b), rest(&b, &a)) {
            (Some(r), _) => (r, false),
            (None, Some(r)) => (r, true),
            (None, None) => return,
        };
        let op = match (op, turned) {
            (Op::Lt, false) | (Op::Gt, true) => Op::Lt,
            (Op::Le, false) | (Op::Ge, true) => Op::Le,
            (Op::Gt, false) | (Op::Lt, true) => Op::Gt,
            (Op::Ge, false) | (Op::Le, true) => Op::Ge,
            (Op::Eq | Op::Ne, _) => op,
            _ => return,
        };
        let op = match (op, holds) {
            (_, true) => op,
            (Op::Lt, _) => Op::Ge,
            (Op::Le, _) => Op::Gt,
            (Op::Gt, _) => Op::Le,
            (Op::Ge, _) => Op::Lt,
            (Op::Eq, _) => Op::Ne,
            _ => Op::Eq,
        };
        if let Some(k) = rest.as_const() {
            match op {
                Op::Ge | Op::Eq => inside.front = inside.front.max(k.saturating_neg()),
                Op::Gt => inside.front = inside.front.max(1i64.saturating_sub(k)),
                Op::Ne if inside.front == k.saturating_neg() => inside.front += 1,
                _ => {}
            }
        }
        if let Some(k) = rest.add(self.length).and_then(|r| r.as_const()) {
            match op {
                Op::Lt => inside.back = inside.back.max(k),
                Op::Le | Op::Eq => inside.back = inside.back.max(k.saturating_sub(1)),
                Op::Ne if inside.back == k.saturating_sub(1) => inside.back += 1,
                _ => {}
            }
        }
    }
}

/// The part of a loop's body that computes a number, if it needs nothing that is carried, and what it takes.
pub(super) fn slice(body: &Region, y: Value, f: &Func) -> Option<(Region, u32)> {
    let (mut wanted, mut cost) = (FxHashSet::from_iter([y]), 0);
    let insts = needed(body, &mut wanted, &mut cost, f)?;
    let carried = body.params[1..].iter().any(|p| wanted.contains(p));
    (!carried).then(|| (Region { params: vec![body.params[0]], insts, yields: vec![y] }, cost))
}

/// The instructions of a region that give what is wanted.
fn needed(r: &Region, wanted: &mut FxHashSet<Value>, cost: &mut u32, f: &Func) -> Option<Vec<Inst>> {
    let mut out = Vec::new();
    for inst in r.insts.iter().rev() {
        let Some(first) = inst.results.first().filter(|_| inst.results.iter().any(|v| wanted.contains(v)))
        else {
            continue;
        };
        match inst.kind {
            Kind::Const(_) | Kind::Index if !f.ty(*first).is_array() => {
                wanted.extend(&inst.args);
                out.push(inst.clone());
            }
            Kind::Op(op) if scan::is_cheap(op) => {
                if f.ty(*first).scalar().is_float() {
                    *cost += op.info().cycles;
                }
                wanted.extend(&inst.args);
                out.push(inst.clone());
            }
            Kind::If => {
                let kept: Vec<usize> =
                    (0..inst.results.len()).filter(|k| wanted.contains(&inst.results[*k])).collect();
                let mut regions = Vec::with_capacity(2);
                for r in &inst.regions {
                    let yields: Vec<Value> = kept.iter().map(|k| r.yields[*k]).collect();
                    wanted.extend(&yields);
                    regions.push(Region { params: Vec::new(), insts: needed(r, wanted, cost, f)?, yields });
                }
                wanted.insert(inst.args[0]);
                let results = kept.iter().map(|k| inst.results[*k]).collect();
                out.push(Inst { regions, results, ..inst.clone() });
            }
            _ => return None,
        }
    }
    out.reverse();
    Some(out)
}

/// Puts copies in the place of reads.
fn place(r: &mut Region, copies: &FxHashMap<Value, Region>, f: &mut Func, to: &mut FxHashMap<Value, Value>) {
    let mut out = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts) {
        if let Some(copy) = inst.results.first().and_then(|v| copies.get(v)) {
            let (insts, yields) = scan::copy(copy, f, &inst.args[1..]);
            out.extend(insts);
            to.insert(inst.results[0], yields[0]);
            continue;
        }
        inst.regions.iter_mut().for_each(|r| place(r, copies, f, to));
        out.push(inst);
    }
    r.insts = out;
}
