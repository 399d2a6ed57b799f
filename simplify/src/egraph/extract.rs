//! Choosing a node for each class: what is computed once counts once.
//!
//! Two choices to begin with: the input's own, and the cheapest trees. Each is improved class by class: another node is
//! taken if the sum over everything that is then computed goes down, which reference counts tell, and if no value comes to depend on
//! itself. The first strict improvement in the order of classes and nodes counts, so there are no ties; of two results equal in cost the
//! input's wins.

use super::language::{Graph, Head, Node};
use crate::cost;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A chosen node per class that is computed.
pub(super) struct Choice {
    /// Node by class, by dense number.
    pub node: Vec<u32>,
    /// Latency of everything that is computed.
    pub cost: u64,
}

/// The classes of a graph under dense numbers.
pub(super) struct Classes {
    pub nodes: Vec<Vec<Node>>,
    /// Operands of each node, dense.
    pub args: Vec<Vec<SmallVec<[u32; 3]>>>,
    costs: Vec<Vec<u64>>,
    /// Of each node: the pair of functions it is half of.
    halves: Vec<Vec<Option<(u8, u8)>>>,
    pub index: FxHashMap<Id, u32>,
    pub ids: Vec<Id>,
    parents: Vec<Vec<u32>>,
}

impl Classes {
    /// The classes of a rebuilt graph.
    pub fn of(graph: &Graph) -> Classes {
        let mut ids: Vec<Id> = graph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        let index: FxHashMap<Id, u32> = ids.iter().enumerate().map(|(i, id)| (*id, i as u32)).collect();
        let mut c = Classes {
            nodes: Vec::with_capacity(ids.len()),
            args: Vec::with_capacity(ids.len()),
            costs: Vec::with_capacity(ids.len()),
            halves: Vec::with_capacity(ids.len()),
            parents: vec![Vec::new(); ids.len()],
            index,
            ids,
        };
        for (class, id) in c.ids.iter().enumerate() {
            let nodes = graph[*id].nodes.clone();
            let args: Vec<SmallVec<[u32; 3]>> =
                nodes.iter().map(|n| n.args.iter().map(|a| c.index[&graph.find(*a)]).collect()).collect();
            for arg in args.iter().flatten() {
                c.parents[*arg as usize].push(class as u32);
            }
            let price = |n: &Node| match n.head {
                Head::Leaf(_) | Head::Const(..) => 0,
                Head::Op(op) => {
                    let complex = |a: &Id| graph[*a].data.ty.is_complex();
                    let args = n.args.iter().filter(|a| complex(a)).count();
                    cost::of(op, args, graph[*id].data.ty)
                }
            };
            c.costs.push(nodes.iter().map(price).collect());
            c.halves.push(
                nodes
                    .iter()
                    .map(|n| match n.head {
                        Head::Op(op) if graph[n.args[0]].data.ty.is_real() => cost::half(op),
                        Head::Op(_) | Head::Leaf(_) | Head::Const(..) => None,
                    })
                    .collect(),
            );
            c.nodes.push(nodes);
            c.args.push(args);
        }
        c
    }

    /// For every class the node of the cheapest tree; `seed` where it is given, because that is what must be, or `u32::MAX`.
    fn trees(&self, fixed: &[u32]) -> Vec<u32> {
        let count = self.nodes.len();
        let mut best = vec![u64::MAX; count];
        let mut choice = vec![u32::MAX; count];
        // Cheapest first: a class is settled when it leaves the heap, as all costs of ops are positive.
        let mut heap = BinaryHeap::new();
        let mut settled = vec![false; count];
        let try_class = |class: usize, best: &[u64], settled: &[bool]| -> Option<(u64, u32)> {
            let candidates = self.args[class].iter().enumerate().filter_map(|(k, args)| {
                if fixed[class] != u32::MAX && fixed[class] != k as u32 {
                    return None;
                }
                let mut sum = self.costs[class][k];
                for a in args {
                    if !settled[*a as usize] {
                        return None;
                    }
                    sum = sum.saturating_add(best[*a as usize]);
                }
                Some((sum, k as u32))
            });
            candidates.min()
        };
        for class in 0..count {
            if let Some((cost, node)) = try_class(class, &best, &settled) {
                (best[class], choice[class]) = (cost, node);
                heap.push(Reverse((cost, class as u32)));
            }
        }
        while let Some(Reverse((cost, class))) = heap.pop() {
            if settled[class as usize] || cost != best[class as usize] {
                continue;
            }
            settled[class as usize] = true;
            for p in &self.parents[class as usize] {
                let p = *p as usize;
                if settled[p] {
                    continue;
                }
                if let Some((cost, node)) = try_class(p, &best, &settled)
                    && cost < best[p]
                {
                    (best[p], choice[p]) = (cost, node);
                    heap.push(Reverse((cost, p as u32)));
                }
            }
        }
        choice
    }
}

/// The choices found, the cheapest first. `input` is the input's node by class (`u32::MAX` for classes it has not), `fixed` the
/// classes that must be computed by that node.
pub(super) fn extract(c: &Classes, roots: &[u32], input: &[u32], fixed: &[u32], moves: usize) -> Vec<Choice> {
    let trees = c.trees(fixed);
    let seed: Vec<u32> =
        input.iter().zip(&trees).map(|(i, t)| if *i == u32::MAX { *t } else { *i }).collect();
    let improve = |seed: Vec<u32>| {
        let mut s = Selection::new(c, roots, seed);
        s.improve(fixed, moves);
        Choice { cost: s.cost, node: s.choice }
    };
    let mut found = vec![improve(seed)];
    // Without cycles the trees compute everything.
    if roots.iter().all(|r| trees[*r as usize] != u32::MAX) {
        found.push(improve(trees));
    }
    // The input's first among equals.
    found.sort_by_key(|f| f.cost);
    found
}

/// A choice with the number of uses of each class.
struct Selection<'a> {
    c: &'a Classes,
    choice: Vec<u32>,
    uses: Vec<u32>,
    /// By pair and operand: which halves are computed.
    pairs: FxHashMap<(u8, u32), u8>,
    cost: u64,
    /// For searches: when a class was last seen.
    seen: Vec<u32>,
    search: u32,
}

impl<'a> Selection<'a> {
    fn new(c: &'a Classes, roots: &[u32], choice: Vec<u32>) -> Selection<'a> {
        let count = c.nodes.len();
        let mut s = Selection {
            c,
            choice,
            uses: vec![0; count],
            pairs: FxHashMap::default(),
            cost: 0,
            seen: vec![0; count],
            search: 0,
        };
        roots.iter().for_each(|r| s.acquire(*r));
        s
    }

    /// One use more of a class.
    fn acquire(&mut self, class: u32) {
        let mut todo: SmallVec<[u32; 16]> = SmallVec::from_slice(&[class]);
        while let Some(class) = todo.pop() {
            self.uses[class as usize] += 1;
            if self.uses[class as usize] == 1 {
                self.count(class, true);
                todo.extend_from_slice(self.operands(class));
            }
        }
    }

    /// One use less.
    fn release(&mut self, class: u32) {
        let mut todo: SmallVec<[u32; 16]> = SmallVec::from_slice(&[class]);
        while let Some(class) = todo.pop() {
            self.uses[class as usize] -= 1;
            if self.uses[class as usize] == 0 {
                self.count(class, false);
                todo.extend_from_slice(self.operands(class));
            }
        }
    }

    fn operands(&self, class: u32) -> &'a [u32] {
        &self.c.args[class as usize][self.choice[class as usize] as usize]
    }

    /// Adds or removes the cost of a class's node.
    fn count(&mut self, class: u32, add: bool) {
        let (k, node) = (class as usize, self.choice[class as usize] as usize);
        match self.c.halves[k][node] {
            None if add => self.cost += self.c.costs[k][node],
            None => self.cost -= self.c.costs[k][node],
            Some((pair, half)) => {
                let operand = self.c.args[k][node][0];
                let halves = self.pairs.entry((pair, operand)).or_default();
                let before = cost::of_halves(pair, *halves);
                if add {
                    *halves |= half;
                } else {
                    *halves &= !half;
                }
                self.cost = self.cost - before + cost::of_halves(pair, *halves);
            }
        }
    }

    /// Takes other nodes while that makes it cheaper.
    fn improve(&mut self, fixed: &[u32], moves: usize) {
        let mut left = moves;
        loop {
            let before = self.cost;
            for class in 0..self.c.nodes.len() as u32 {
                let k = class as usize;
                if self.uses[k] == 0 || fixed[k] != u32::MAX {
                    continue;
                }
                for node in 0..self.c.nodes[k].len() as u32 {
                    if left == 0 {
                        return;
                    }
                    if node != self.choice[k] && self.uses[k] > 0 {
                        left -= 1;
                        self.try_node(class, node);
                    }
                }
            }
            if self.cost == before {
                return;
            }
        }
    }

    /// Takes a node for a class if that is cheaper and no value depends on itself then.
    fn try_node(&mut self, class: u32, node: u32) {
        let k = class as usize;
        let (before, old) = (self.cost, self.choice[k]);
        if self.c.args[k][node as usize].iter().any(|a| self.choice[*a as usize] == u32::MAX) {
            return;
        }
        self.switch(class, node);
        if self.cost >= before || self.reaches(class) {
            self.switch(class, old);
        }
    }

    fn switch(&mut self, class: u32, node: u32) {
        let k = class as usize;
        let old: SmallVec<[u32; 3]> = SmallVec::from_slice(self.operands(class));
        self.count(class, false);
        self.choice[k] = node;
        self.count(class, true);
        let new: SmallVec<[u32; 3]> = SmallVec::from_slice(self.operands(class));
        new.iter().for_each(|a| self.acquire(*a));
        old.iter().for_each(|a| self.release(*a));
    }

    /// Whether a class is among what it is computed from.
    fn reaches(&mut self, class: u32) -> bool {
        self.search += 1;
        let mut todo: SmallVec<[u32; 16]> = SmallVec::from_slice(self.operands(class));
        while let Some(c) = todo.pop() {
            if c == class {
                return true;
            }
            if self.seen[c as usize] != self.search {
                self.seen[c as usize] = self.search;
                todo.extend_from_slice(self.operands(c));
            }
        }
        false
    }
}
