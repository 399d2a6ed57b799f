//! Which elementary functions of straight-line code share a call: the two halves of a pair (sine and cosine of one number), and
//! functions of one family of up to [`LANES`] numbers, which one native function computes at once. Operations that can be moved are
//! brought ahead of the calls that need them; everything else keeps its order.
//!
//! How calls are grouped: an operation's *level* is the number of calls that have to be made before it, one after the other. Calls of one
//! family on one level do not depend on each other. What nothing needs early joins later calls that have room.
//!
//! Calls come in the order of how long the rest takes that needs them: a processor that runs ahead of what it waits for reads only so many
//! instructions ahead, and a call is many.

use adc_ir::{Func, Inst, Kind, Region, Scalar, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Numbers that one call takes.
pub(crate) const LANES: usize = 4;

/// How far what members of a group wait for is followed from group to group.
const ROUNDS: usize = 8;

/// Cycles within which chains are as long as each other, since nobody knows better how long functions take: then the call that computes more
/// comes first.
const MARGIN: u32 = 16;

/// What is known of an op that has company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The number of its family: ops of one family share calls.
    pub family: usize,
    /// Which of the family's functions it is.
    pub half: usize,
    /// Whether several numbers share a call, beside the halves of a pair.
    pub wide: bool,
    /// How many there have to be.
    pub least: usize,
}

/// The functions of one operand, or of two.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    pub operands: SmallVec<[Value; 2]>,
    /// What the family's functions of it define, where somebody wants it.
    pub results: [Option<Value>; 2],
}

/// What straight-line code does next.
pub(crate) enum Step<'i> {
    /// An instruction.
    One(&'i Inst),
    /// One call: of both halves of a pair, or of several numbers, or both.
    Together { family: usize, lanes: Vec<Lane> },
}

/// The order of straight-line code. `member` tells of the ops that have company where there are native functions for that; all of
/// them are of real numbers.
pub(crate) fn schedule<'i>(
    func: &Func,
    insts: impl Iterator<Item = &'i Inst>,
    member: impl Fn(&Inst) -> Option<Member>,
) -> Vec<Step<'i>> {
    let insts: Vec<&Inst> = insts.collect();
    let mut halves: FxHashMap<(usize, SmallVec<[Value; 2]>), usize> = FxHashMap::default();
    let mut calls = Calls { lanes: Vec::new(), first: Vec::new(), of: vec![None; insts.len()] };
    for (i, inst) in insts.iter().enumerate() {
        let Some(m) = member(inst) else { continue };
        let key = (m.family, SmallVec::from_slice(&inst.args));
        let known = halves.get(&key).copied().filter(|k| calls.lanes[*k].0.results[m.half].is_none());
        let k = known.unwrap_or_else(|| {
            calls.lanes.push((Lane { operands: key.1.clone(), ..Lane::default() }, m));
            calls.first.push(i);
            calls.lanes.len() - 1
        });
        halves.insert(key, k);
        calls.lanes[k].0.results[m.half] = Some(inst.results[0]);
        calls.of[i] = Some(k);
    }
    // Nothing has company.
    let wide = calls.lanes.iter().filter(|(_, m)| m.wide).count() > 1;
    if !wide && calls.lanes.iter().all(|(lane, _)| lane.results.contains(&None)) {
        return insts.into_iter().map(Step::One).collect();
    }
    let before = predecessors(func, &insts);
    let groups = calls.groups(&before);
    Order { insts, before, calls, groups }.steps()
}

/// By instruction, those that have to come before it.
fn predecessors(func: &Func, insts: &[&Inst]) -> Vec<Vec<usize>> {
    let mut defined: FxHashMap<Value, usize> = FxHashMap::default();
    let mut fixed = None;
    let mut before = Vec::with_capacity(insts.len());
    for (i, inst) in insts.iter().enumerate() {
        let mut found = Vec::new();
        uses(func, inst, &mut |v| found.extend(defined.get(&v).copied()));
        if !is_movable(func, inst) {
            found.extend(fixed.replace(i));
        }
        found.sort_unstable();
        found.dedup();
        before.push(found);
        defined.extend(inst.results.iter().map(|v| (*v, i)));
    }
    before
}

/// Whether it computes numbers of numbers and cannot fail: integers may leave their range.
fn is_movable(func: &Func, inst: &Inst) -> bool {
    let number = |v: &Value| func.ty(*v).scalar() != Scalar::I64 && !func.ty(*v).is_array();
    match inst.kind {
        Kind::Const(_) => true,
        Kind::Op(_) => inst.args.iter().chain(&inst.results).all(number),
        _ => false,
    }
}

/// What an instruction and its regions use.
fn uses(func: &Func, inst: &Inst, found: &mut impl FnMut(Value)) {
    fn region(func: &Func, r: &Region, found: &mut impl FnMut(Value)) {
        r.insts.iter().for_each(|i| uses(func, i, &mut *found));
        r.yields.iter().for_each(|v| found(*v));
    }
    inst.uses(func).for_each(&mut *found);
    inst.regions.iter().for_each(|r| region(func, r, &mut *found));
}

/// The calls that have company.
struct Calls {
    lanes: Vec<(Lane, Member)>,
    /// The first instruction of each.
    first: Vec<usize>,
    /// By instruction: its lane.
    of: Vec<Option<usize>>,
}

impl Calls {
    /// Lanes that share a call; each lane is in one group.
    fn groups(&self, before: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let n = before.len();
        let mut level = vec![0usize; n];
        let mut of_lane = vec![0usize; self.lanes.len()];
        for (i, needs) in before.iter().enumerate() {
            let call = |p: usize| usize::from(self.of[p].is_some());
            level[i] = needs.iter().map(|p| level[*p] + call(*p)).max().unwrap_or(0);
            if let Some(k) = self.of[i] {
                // Both halves have the same operands.
                level[i] = level[i].max(of_lane[k]);
                of_lane[k] = level[i];
            }
        }
        let most = level.iter().max().copied().unwrap_or(0);
        let mut company: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for ((_, m), level) in self.lanes.iter().zip(&of_lane) {
            *company.entry((m.family, *level)).or_default() += 1;
        }
        // From the end: the last level on which each instruction may be, what comes after it being where it is.
        let mut last = vec![most; n];
        let mut pending: Vec<usize> =
            self.lanes.iter().map(|(l, _)| l.results.iter().flatten().count()).collect();
        let mut latest = vec![most; self.lanes.len()];
        for i in (0..n).rev() {
            if let Some(k) = self.of[i] {
                latest[k] = latest[k].min(last[i]);
                pending[k] -= 1;
                if pending[k] == 0 {
                    self.settle(k, latest[k], &mut of_lane, &mut company);
                }
                last[i] = of_lane[k];
            }
            let bound = last[i];
            for p in &before[i] {
                let bound = if self.of[*p].is_some() { bound.saturating_sub(1) } else { bound };
                last[*p] = last[*p].min(bound);
            }
        }
        let mut places: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (k, (_, m)) in self.lanes.iter().enumerate() {
            let open = places.get(&(m.family, of_lane[k])).copied();
            match open.filter(|g| m.wide && groups[*g].len() < LANES) {
                Some(g) => groups[g].push(k),
                None => {
                    places.insert((m.family, of_lane[k]), groups.len());
                    groups.push(vec![k]);
                }
            }
        }
        // Too few for a call are made one by one.
        let few = |g: &[usize]| g.len() < self.lanes[g[0]].1.least;
        let alone = |g: Vec<usize>| g.into_iter().map(|k| vec![k]).collect();
        groups.into_iter().flat_map(|g| if few(&g) { alone(g) } else { vec![g] }).collect()
    }

    /// Moves a lane to the first later level where it finds room in a call: it may then do without one of its own, and at any rate it does
    /// not make others wait that are needed early.
    fn settle(
        &self,
        k: usize,
        latest: usize,
        of_lane: &mut [usize],
        company: &mut FxHashMap<(usize, usize), usize>,
    ) {
        let m = self.lanes[k].1;
        let here = of_lane[k];
        let count = |level: usize| company.get(&(m.family, level)).copied().unwrap_or(0);
        if !m.wide {
            return;
        }
        let room = |level: &usize| !matches!(count(*level) % LANES, 0);
        if let Some(level) = (here + 1..=latest).find(room) {
            *company.entry((m.family, here)).or_default() -= 1;
            *company.entry((m.family, level)).or_default() += 1;
            of_lane[k] = level;
        }
    }
}

/// Straight-line code that is being brought into order. Its nodes are instructions, by their numbers, and behind them groups.
struct Order<'i> {
    insts: Vec<&'i Inst>,
    before: Vec<Vec<usize>>,
    calls: Calls,
    groups: Vec<Vec<usize>>,
}

impl<'i> Order<'i> {
    fn steps(self) -> Vec<Step<'i>> {
        let n = self.insts.len();
        let mut group_of = vec![0; self.calls.lanes.len()];
        for (g, lanes) in self.groups.iter().enumerate() {
            lanes.iter().for_each(|k| group_of[*k] = g);
        }
        let node = |i: usize| self.calls.of[i].map_or(i, |k| n + group_of[k]);
        let mut needs: Vec<Vec<usize>> = vec![Vec::new(); n + self.groups.len()];
        for (i, before) in self.before.iter().enumerate() {
            needs[node(i)].extend(before.iter().map(|p| node(*p)));
        }
        let urgent = self.urgent(&group_of);
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|g| std::cmp::Reverse((urgent[*g] / MARGIN, self.groups[*g].len())));
        let order = order.into_iter().map(|g| n + g);
        let (mut done, mut steps) = (vec![false; needs.len()], Vec::with_capacity(n));
        let mut stack = Vec::new();
        for first in order.chain((0..n).map(node)) {
            stack.push(first);
            while let Some(&top) = stack.last() {
                if done[top] {
                    stack.pop();
                    continue;
                }
                match needs[top].pop() {
                    Some(next) if !done[next] => stack.push(next),
                    Some(_) => {}
                    None => {
                        done[top] = true;
                        steps.push(self.step(top));
                    }
                }
            }
        }
        steps
    }

    /// By group: the cycles of the longest chain that begins with it. What one member waits for, all wait for.
    fn urgent(&self, group_of: &[usize]) -> Vec<u32> {
        let mut urgent = vec![0; self.groups.len()];
        for _ in 0..ROUNDS {
            let mut rest = vec![0; self.insts.len()];
            let mut new = urgent.clone();
            for (i, inst) in self.insts.iter().enumerate().rev() {
                if let Kind::Op(op) = inst.kind {
                    rest[i] += op.info().cycles;
                }
                if let Some(k) = self.calls.of[i] {
                    let g = group_of[k];
                    rest[i] = rest[i].max(urgent[g]);
                    new[g] = new[g].max(rest[i]);
                }
                for p in &self.before[i] {
                    rest[*p] = rest[*p].max(rest[i]);
                }
            }
            if std::mem::replace(&mut urgent, new) == urgent {
                break;
            }
        }
        urgent
    }

    fn step(&self, node: usize) -> Step<'i> {
        let Some(g) = node.checked_sub(self.insts.len()) else { return Step::One(self.insts[node]) };
        let lanes = &self.groups[g];
        if let [k] = lanes[..]
            && self.calls.lanes[k].0.results.contains(&None)
        {
            return Step::One(self.insts[self.calls.first[k]]);
        }
        let family = self.calls.lanes[lanes[0]].1.family;
        Step::Together { family, lanes: lanes.iter().map(|k| self.calls.lanes[*k].0.clone()).collect() }
    }
}
