//! Which numbers a loop stores: a minimum cut between what its iterations begin with and what their reverse needs.
//!
//! The reverse of an iteration needs some numbers that depend on what is carried. Each can be stored, or be computed again from
//! numbers that are there then; those can be stored or computed again likewise. Storing costs by bytes, computing by cycles, and the
//! choice of least cost is a minimum cut (a closure of greatest weight: J.-C. Picard, Management Science 22, 1976): a number that is
//! computed again has to have its operands there.

use super::survey::{Def, Survey};
use crate::storage::{self, Blocks, Keep};
use adc_ir::{Inst, Kind, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What storing a byte and loading it costs, in cycles: one number takes as long as four additions after each other, which is what
/// memory that is out of the caches gives.
const BYTE: u32 = 2;

/// More numbers than this are stored as they are: finding a cut may take longer than linear time.
const MOST: usize = 2048;

impl<'a> Survey<'a> {
    /// Takes the decisions on a loop's body once more, which are taken one by one before, if others cost less together.
    pub(super) fn cut(&mut self, region: &'a Region, place: usize) {
        let Some(owner) = self.owner(place) else { return };
        if self.plan.blocks(owner) != Blocks::Single {
            return;
        }
        let again = self.cheaper(place, owner);
        if again.is_empty() {
            return;
        }
        self.again.extend(again);
        self.decide_region(region, place);
    }

    /// The numbers to be computed again that are stored by now.
    fn cheaper(&self, place: usize, owner: &'a Inst) -> Vec<Value> {
        let stored: FxHashSet<Value> = self.stored(place).iter().copied().collect();
        let mut network = Network::new();
        let mut nodes = Nodes::default();
        let computable = |v: &Value| self.is_computable(*v, place, owner);
        let mut work: Vec<Value> = self.stored(place).iter().copied().filter(computable).collect();
        for v in &work {
            let [have, _] = nodes.of(*v, &mut network);
            network.edge(SOURCE, have, FOREVER);
        }
        let mut known: FxHashSet<Value> = work.iter().copied().collect();
        while let Some(v) = work.pop() {
            let [have, again] = nodes.of(v, &mut network);
            let store = self.storing(v, owner);
            network.edge(have, SINK, store);
            if !self.is_computable(v, place, owner) {
                continue;
            }
            let Def::By(inst) = self.defs[v.0 as usize] else { continue };
            let computing = storage::cycles(inst);
            if computing >= store {
                continue;
            }
            network.edge(SOURCE, again, store - computing);
            network.edge(again, have, FOREVER);
            for u in &inst.args {
                if self.is_there(*u, place, &stored) {
                    continue;
                }
                let [operand, _] = nodes.of(*u, &mut network);
                network.edge(again, operand, FOREVER);
                if known.insert(*u) {
                    work.push(*u);
                }
            }
            if known.len() > MOST {
                return Vec::new();
            }
        }
        let reached = network.cut();
        let mut again: Vec<Value> =
            nodes.order.into_iter().filter(|(_, [_, again])| reached[*again]).map(|(v, _)| v).collect();
        again.sort_unstable();
        again
    }

    /// Whether a number of an iteration is there in its reverse, whatever is decided on others.
    fn is_there(&self, v: Value, place: usize, stored: &FxHashSet<Value>) -> bool {
        let at = self.plan.place(v);
        if self.plan.literal(v).is_some() || at != place || self.plan.is_live(place, v) {
            return true;
        }
        let Some(owner) = self.owner(place) else { return true };
        if stored.contains(&v) && !self.is_computable(v, place, owner) {
            return true;
        }
        match self.defs[v.0 as usize] {
            Def::Index | Def::Entry => true,
            Def::By(inst) => !self.depends(place, v) && self.keep(v, inst, place) == Keep::Recompute,
            Def::Carry(..) => false,
        }
    }

    /// Whether a value of a loop's body is a number that may be computed again: by an operation that takes not much longer than a
    /// load, and decides nothing.
    fn is_computable(&self, v: Value, place: usize, owner: &'a Inst) -> bool {
        let Def::By(inst) = self.defs[v.0 as usize] else { return false };
        let number = self.plan.is_own(v) && !self.func().ty(v).is_array() && self.plan.place(v) == place;
        number
            && matches!(inst.kind, Kind::Op(_))
            && !storage::is_expensive(inst)
            && self.given(owner, v).is_none()
    }

    /// What storing a value of a loop's body costs.
    fn storing(&self, v: Value, owner: &'a Inst) -> u32 {
        match self.plan.is_own(v) && self.given(owner, v).is_some() {
            true => 0,
            false => BYTE * self.plan.ty(self.func(), v).scalar().bytes() as u32,
        }
    }
}

/// The nodes of values: that it is there, and that it is computed again.
#[derive(Default)]
struct Nodes {
    by: FxHashMap<Value, [usize; 2]>,
    order: Vec<(Value, [usize; 2])>,
}

impl Nodes {
    fn of(&mut self, v: Value, network: &mut Network) -> [usize; 2] {
        *self.by.entry(v).or_insert_with(|| {
            let nodes = [network.node(), network.node()];
            self.order.push((v, nodes));
            nodes
        })
    }
}

const SOURCE: usize = 0;
const SINK: usize = 1;
const FOREVER: u32 = u32::MAX / 2;

/// A network of flows; its minimum cut by the algorithm of Dinitz.
struct Network {
    /// By node: its edges, by number. An edge's reverse has the number beside it.
    from: Vec<Vec<usize>>,
    /// By edge: where it leads, and what it can still take.
    edges: Vec<(usize, u32)>,
}

impl Network {
    fn new() -> Network {
        Network { from: vec![Vec::new(); 2], edges: Vec::new() }
    }

    fn node(&mut self) -> usize {
        self.from.push(Vec::new());
        self.from.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, most: u32) {
        for (from, to, most) in [(from, to, most), (to, from, 0)] {
            self.from[from].push(self.edges.len());
            self.edges.push((to, most));
        }
    }

    /// By node: whether it is on the source's side of the cut of least capacity, the one with the fewest such nodes.
    fn cut(mut self) -> Vec<bool> {
        loop {
            let distance = self.distances();
            if distance[SINK].is_none() {
                return distance.into_iter().map(|d| d.is_some()).collect();
            }
            let mut next = vec![0; self.from.len()];
            while self.augment(&distance, &mut next) {}
        }
    }

    /// How far each node is from the source by edges that can take more.
    fn distances(&self) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.from.len()];
        distance[SOURCE] = Some(0);
        let mut queue = VecDeque::from([SOURCE]);
        while let Some(node) = queue.pop_front() {
            for edge in &self.from[node] {
                let (to, left) = self.edges[*edge];
                if left > 0 && distance[to].is_none() {
                    distance[to] = distance[node].map(|d| d + 1);
                    queue.push_back(to);
                }
            }
        }
        distance
    }

    /// Sends as much as possible along one shortest path; whether there is one. `next`: by node, the first edge that may still lead on.
    fn augment(&mut self, distance: &[Option<u32>], next: &mut [usize]) -> bool {
        let mut path: Vec<usize> = Vec::new();
        let mut node = SOURCE;
        while node != SINK {
            let onward = self.from[node][next[node]..].iter().position(|e| {
                let (to, left) = self.edges[*e];
                left > 0 && distance[to] == distance[node].map(|d| d + 1)
            });
            match onward {
                Some(skipped) => {
                    next[node] += skipped;
                    let edge = self.from[node][next[node]];
                    path.push(edge);
                    node = self.edges[edge].0;
                }
                None => {
                    next[node] = self.from[node].len();
                    // Back; this edge leads nowhere.
                    let Some(edge) = path.pop() else { return false };
                    node = self.edges[edge ^ 1].0;
                    next[node] += 1;
                }
            }
        }
        let flow = path.iter().map(|e| self.edges[*e].1).min().unwrap_or(0);
        for edge in path {
            self.edges[edge].1 -= flow;
            self.edges[edge ^ 1].1 += flow;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_is_least() {
        // Two ways of 3 and 2, of which 4 fit through the middle.
        let mut n = Network::new();
        let [a, b, c] = [n.node(), n.node(), n.node()];
        n.edge(SOURCE, a, 3);
        n.edge(SOURCE, b, 2);
        n.edge(a, c, FOREVER);
        n.edge(b, c, FOREVER);
        n.edge(c, SINK, 4);
        assert_eq!(n.cut(), [true, false, true, true, true]);
    }
}
