//! What the reverse of a loop computes from stored numbers alone, and where cotangents need it.

use super::{Sizes, scan};
use crate::loops::total;
use adc_ir::{Dim, Func, Inst, Kind, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop inside the reverse one, from 0 in steps of 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub index: Value,
    pub n: Dim,
    /// Among how many others it is.
    pub depth: usize,
}

/// A number that depends on nothing else.
pub(super) struct Node<'a> {
    pub inst: &'a Inst,
    /// The loops around it, inside the reverse one, in which it differs.
    pub axes: Vec<Axis>,
    /// How often an iteration of the reverse loop computes it.
    pub times: u64,
    /// The array that the first loop collects, if it is read from that.
    pub array: Option<Value>,
    /// Whether it differs between the iterations.
    pub varies: bool,
}

impl Node<'_> {
    /// How many different ones an iteration of the reverse loop has.
    pub(super) fn turns(&self) -> u64 {
        all(&self.axes)
    }
}

/// How often what is in such loops runs.
fn all(axes: &[Axis]) -> u64 {
    axes.iter().fold(1, |n, a| n.saturating_mul(turns(std::slice::from_ref(&a.n))).min(MANY))
}

/// More iterations do not count.
const MANY: u64 = 1 << 16;
/// How many are assumed where that is not known.
const ASSUMED: i64 = 16;

/// The number of elements of such sizes.
pub(super) fn turns(shape: &[Dim]) -> u64 {
    let size = |d: &Dim| d.as_const().unwrap_or(ASSUMED).max(0) as u64;
    shape.iter().fold(1u64, |n, d| n.saturating_mul(size(d)).min(MANY))
}

/// Whether one loop reads what another one collects.
pub(super) fn reads(second: &Inst, first: &Inst) -> bool {
    let mut found = false;
    scan::each(second, &mut |i| {
        found |= i.kind == Kind::Index && collected(first).any(|(a, _)| a == i.args[0])
    });
    found
}

/// The arrays that a loop collects, each with what it yields for it.
fn collected(inst: &Inst) -> impl Iterator<Item = (Value, Value)> + '_ {
    let Kind::For(l) = inst.kind else { unreachable!("it is a loop") };
    let first = inst.results.len() - l.collects as usize;
    inst.results[first..].iter().copied().zip(inst.regions[0].yields[first..].iter().copied())
}

/// Numbers that depend on stored ones only.
pub(super) struct Survey<'a> {
    f: &'a Func,
    sizes: &'a Sizes<'a>,
    /// The iteration whose numbers are read, counted from 0.
    turn: Dim,
    /// By array that the first loop collects: what its iterations yield for it.
    pub kept: FxHashMap<Value, Value>,
    /// What is not there before the first loop.
    late: FxHashSet<Value>,
    pub nodes: FxHashMap<Value, Node<'a>>,
    /// In the order of execution.
    pub order: Vec<Value>,
    /// What is used otherwise.
    pub needed: Vec<Value>,
    /// Collected arrays that are read otherwise.
    pub pinned: FxHashSet<Value>,
    axes: Vec<Axis>,
}

impl<'a> Survey<'a> {
    /// Nothing if no collected array is read in reverse order.
    pub(super) fn of(
        r: &'a Region,
        [first, second]: [usize; 2],
        [forward, reverse]: [&'a Inst; 2],
        f: &'a Func,
        sizes: &'a Sizes<'a>,
    ) -> Option<Survey<'a>> {
        let body = &reverse.regions[0];
        let index = body.params[0];
        let last = sizes.known.dim(reverse.args[1]).sub(&1.into())?;
        let mut s = Survey {
            f,
            sizes,
            turn: last.sub(&Dim::var(index))?,
            kept: collected(forward).collect(),
            late: FxHashSet::default(),
            nodes: FxHashMap::default(),
            order: Vec::new(),
            needed: Vec::new(),
            pinned: FxHashSet::default(),
            axes: Vec::new(),
        };
        for inst in &r.insts[first..=second] {
            match inst.kind {
                Kind::Const(_) => s.note(inst, None, false),
                _ => s.late.extend(&inst.results),
            }
        }
        scan::each(reverse, &mut |i| {
            s.late.extend(&i.results);
            s.late.extend(i.regions.iter().flat_map(|r| &r.params));
        });
        s.region(body);
        let elsewhere = r.insts[first + 1..].iter().enumerate().filter(|(k, _)| first + 1 + k != second);
        let mut pin = |v: Value| {
            if s.kept.contains_key(&v) {
                s.pinned.insert(v);
            }
        };
        elsewhere.for_each(|(_, inst)| scan::uses(inst, f, &mut pin));
        r.yields.iter().for_each(|v| pin(*v));
        (!s.needed.is_empty() && s.nodes.values().any(|n| n.array.is_some())).then_some(s)
    }

    fn region(&mut self, r: &'a Region) {
        for inst in &r.insts {
            if let Some((array, varies)) = self.stored(inst) {
                self.note(inst, array, varies);
                continue;
            }
            let Some(turns) = self.turns_of(inst) else {
                let f = self.f;
                scan::uses(inst, f, &mut |v| self.need(v));
                continue;
            };
            inst.uses(self.f).collect::<Vec<_>>().into_iter().for_each(|v| self.need(v));
            let depth = self.axes.len();
            let body = &inst.regions[0];
            let axes = body.params.iter().zip(turns).zip(depth..);
            self.axes.extend(axes.map(|((index, n), depth)| Axis { index: *index, n, depth }));
            self.region(body);
            self.axes.truncate(depth);
        }
        r.yields.iter().for_each(|v| self.need(*v));
    }

    fn note(&mut self, inst: &'a Inst, array: Option<Value>, varies: bool) {
        let v = inst.results[0];
        let enters = |a: &Axis| {
            let inside = |n: &Node| n.axes.iter().any(|b| b.index == a.index);
            !self.is_turn(v)
                && inst.args.iter().any(|v| *v == a.index || self.nodes.get(v).is_some_and(inside))
        };
        let axes = self.axes.iter().filter(|a| enters(a)).cloned().collect();
        self.nodes.insert(v, Node { inst, axes, times: all(&self.axes), array, varies });
        self.order.push(v);
    }

    fn need(&mut self, v: Value) {
        if self.nodes.contains_key(&v) {
            self.needed.push(v);
        } else if self.kept.contains_key(&v) {
            self.pinned.insert(v);
        }
    }

    /// How often a loop runs, by index, if that is known before the first loop.
    fn turns_of(&self, inst: &Inst) -> Option<Vec<Dim>> {
        let early = |n: &Dim| n.vars().all(|v| !self.late.contains(&v));
        super::turns_of(inst, self.f, &self.sizes.known).filter(|all| all.iter().all(early))
    }

    /// Whether a value is the iteration whose numbers are read.
    pub(super) fn is_turn(&self, v: Value) -> bool {
        self.sizes.known.dim(v) == self.turn
    }

    /// Whether an instruction gives a number that depends on nothing else: the array that it is read from, and whether it differs between
    /// the iterations.
    fn stored(&self, inst: &Inst) -> Option<(Option<Value>, bool)> {
        let [v] = inst.results[..] else { return None };
        if self.f.ty(v).is_array() {
            return None;
        }
        if self.is_turn(v) {
            return Some((None, true));
        }
        // Whether it varies, if it depends on nothing else.
        let given = |v: &Value| match self.nodes.get(v) {
            Some(node) => Some(node.varies),
            None => (self.axes.iter().any(|a| a.index == *v) || !self.late.contains(v)).then_some(false),
        };
        let all = |args: &[Value]| args.iter().try_fold(false, |any, v| Some(given(v)? | any));
        match inst.kind {
            Kind::Const(_) => Some((None, false)),
            Kind::Op(_) => {
                total::inst(inst, self.f, &self.sizes.ranges).then(|| Some((None, all(&inst.args)?)))?
            }
            Kind::Index if self.kept.contains_key(&inst.args[0]) => {
                let read = self.is_turn(inst.args[1]) && all(&inst.args[1..]).is_some();
                read.then_some((Some(inst.args[0]), true))
            }
            Kind::Index => {
                let may = !self.late.contains(&inst.args[0]) && total::inst(inst, self.f, &self.sizes.ranges);
                may.then(|| Some((None, all(&inst.args[1..])?)))?
            }
            _ => None,
        }
    }

    /// What a number is computed from.
    pub(super) fn operands(&self, v: Value) -> impl Iterator<Item = Value> + '_ {
        let node = &self.nodes[&v];
        let none = node.array.is_some() || self.is_turn(v);
        node.inst.args.iter().copied().filter(move |v| !none && self.nodes.contains_key(v))
    }

    /// All numbers that some depend on, and these.
    pub(super) fn reach(&self, of: &[Value]) -> FxHashSet<Value> {
        let mut seen: FxHashSet<Value> = of.iter().copied().collect();
        let mut work: Vec<Value> = seen.iter().copied().collect();
        while let Some(v) = work.pop() {
            work.extend(self.operands(v).filter(|v| seen.insert(*v)));
        }
        seen
    }

    /// The same in order.
    pub(super) fn cone(&self, of: &[Value]) -> Vec<Value> {
        let reached = self.reach(of);
        self.order.iter().copied().filter(|v| reached.contains(v)).collect()
    }

    /// The collected arrays that are read for nothing else.
    pub(super) fn free_arrays(&self) -> Vec<Value> {
        let mut arrays: Vec<Value> = self.nodes.values().filter_map(|n| n.array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays.retain(|a| !self.pinned.contains(a));
        arrays
    }
}
