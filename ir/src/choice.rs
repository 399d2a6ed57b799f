//! Which numbers are stored and which are computed again from those: the choice of least cost, as a minimum cut.
//!
//! A number that is needed can be stored, or be computed again if its operands are there, which can be stored or computed again
//! likewise. The choice of least cost is a minimum cut (a closure of greatest weight: J.-C. Picard, Management Science 22, 1976): a
//! number that is computed again has to have its operands there.

use crate::Value;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What is needed, and what storing and computing cost, in any unit. Of a value of which no cost of storing was said, that is 0.
#[derive(Debug, Default)]
pub struct Choice {
    network: Network,
    /// By value: the nodes that it is there, and that it is computed again.
    by: FxHashMap<Value, [usize; 2]>,
    order: Vec<Value>,
}

/// What storing a byte and loading it costs, in cycles: one number takes as long as four additions after each other, which is what
/// memory that is out of the caches gives.
pub const BYTE: u64 = 2;

/// A cost beyond all others: of storing what cannot be stored.
pub const NEVER: u64 = 1 << 40;

impl Choice {
    /// One in which nothing is needed.
    pub fn new() -> Choice {
        Choice::default()
    }

    /// The value has to be there.
    pub fn need(&mut self, v: Value) {
        let [have, _] = self.nodes(v);
        self.network.edge(SOURCE, have, FOREVER);
    }

    /// What storing it costs: said once of a value.
    pub fn store(&mut self, v: Value, cost: u64) {
        let [have, _] = self.nodes(v);
        self.network.edge(have, SINK, cost);
    }

    /// What computing it again from these operands costs, which is less than storing it.
    pub fn compute(&mut self, v: Value, cost: u64, store: u64, operands: impl IntoIterator<Item = Value>) {
        let [have, again] = self.nodes(v);
        self.network.edge(SOURCE, again, store - cost);
        self.network.edge(again, have, FOREVER);
        for u in operands {
            let [operand, _] = self.nodes(u);
            self.network.edge(again, operand, FOREVER);
        }
    }

    /// The values that are needed and computed again, and those that are needed and stored. Both are sorted.
    pub fn least(mut self) -> [Vec<Value>; 2] {
        let reached = self.network.cut();
        let mut lists = [Vec::new(), Vec::new()];
        self.order.sort_unstable();
        for v in self.order {
            let [have, again] = self.by[&v];
            if reached[have] {
                lists[usize::from(!reached[again])].push(v);
            }
        }
        lists
    }

    fn nodes(&mut self, v: Value) -> [usize; 2] {
        *self.by.entry(v).or_insert_with(|| {
            self.order.push(v);
            [self.network.node(), self.network.node()]
        })
    }
}

const SOURCE: usize = 0;
const SINK: usize = 1;
const FOREVER: u64 = 1 << 60;

/// A network of flows; its minimum cut by the algorithm of Dinitz.
#[derive(Debug)]
struct Network {
    /// By node: its edges, by number. An edge's reverse has the number beside it.
    from: Vec<Vec<usize>>,
    /// By edge: where it leads, and what it can still take.
    edges: Vec<(usize, u64)>,
}

impl Default for Network {
    fn default() -> Network {
        Network { from: vec![Vec::new(); 2], edges: Vec::new() }
    }
}

impl Network {
    fn node(&mut self) -> usize {
        self.from.push(Vec::new());
        self.from.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, most: u64) {
        for (from, to, most) in [(from, to, most), (to, from, 0)] {
            self.from[from].push(self.edges.len());
            self.edges.push((to, most));
        }
    }

    /// By node: whether it is on the source's side of the cut of least capacity, the one with the fewest such nodes.
    fn cut(&mut self) -> Vec<bool> {
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
        let mut n = Network::default();
        let [a, b, c] = [n.node(), n.node(), n.node()];
        n.edge(SOURCE, a, 3);
        n.edge(SOURCE, b, 2);
        n.edge(a, c, FOREVER);
        n.edge(b, c, FOREVER);
        n.edge(c, SINK, 4);
        assert_eq!(n.cut(), [true, false, true, true, true]);
    }
}
