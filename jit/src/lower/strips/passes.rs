//! What is needed of a strip, and strips in several passes.

use super::strip::*;

/// Operations of a pass beside the first, at most: it computes again what it adds.
const MOST: usize = 24;

impl Strip {
    /// Leaves out what nothing needs. Operations that give no value are kept if `root` says so.
    pub(super) fn keep(&mut self, root: impl Fn(V) -> bool) {
        let mut needed = vec![false; self.ops.len()];
        for red in &self.reds {
            needed[red.val as usize] = true;
        }
        // What a loop carries may be needed by what comes before, in the next turn.
        loop {
            let before = needed.clone();
            for (v, op) in self.ops.iter().enumerate().rev() {
                let keeps = match op {
                    SOp::Next(c, _) => needed[*c as usize],
                    _ => op.class() == Class::Nothing && root(v as V),
                };
                if needed[v] || keeps {
                    needed[v] = true;
                    op.operands().for_each(|(x, _)| needed[x as usize] = true);
                }
            }
            if needed == before || !self.loops() {
                break;
            }
        }
        let mut names = vec![0; self.ops.len()];
        let mut kept = Vec::new();
        for (v, op) in self.ops.iter().enumerate() {
            if needed[v] {
                names[v] = kept.len() as V;
                kept.push(op.map(|x| names[x as usize]));
            }
        }
        self.ops = kept;
        for red in &mut self.reds {
            red.val = names[red.val as usize];
        }
    }

    /// The same in passes over all elements, of which each adds to one of several streams that meet: in one pass, what was just written
    /// is read again from another place before it has reached the cache. A pass adds to an element in the order of iterations, and the
    /// passes are in the order of streams, so results keep their bits.
    pub fn in_passes(self) -> Vec<Strip> {
        let mut bases: Vec<u8> = Vec::new();
        // By addition, in which pass it is.
        let mut pass = vec![0; self.ops.len()];
        for (v, op) in self.ops.iter().enumerate() {
            let SOp::Store(s, _) = *op else { continue };
            let s = &self.streams[s as usize];
            if s.added {
                pass[v] = bases.iter().filter(|b| **b == s.base).count();
                bases.push(s.base);
            }
        }
        let passes = pass.iter().max().map_or(1, |last| last + 1);
        let mut all = vec![self];
        for k in 1..passes {
            let mut strip = Strip { reds: Vec::new(), ..all[0].clone() };
            let adds = |v: V| matches!(all[0].ops[v as usize], SOp::Store(..)) && pass[v as usize] == k;
            strip.keep(adds);
            let changes = |op: &SOp| match *op {
                SOp::Load(s) => {
                    let s = &strip.streams[s as usize];
                    s.access == Access::RW && !s.added
                }
                _ => false,
            };
            if strip.loops() || strip.work() > MOST || strip.ops.iter().any(changes) {
                all.truncate(1);
                return all;
            }
            all.push(strip);
        }
        all[0].keep(|v| pass[v as usize] == 0);
        all.iter_mut().filter(|_| passes > 1).for_each(Strip::put_in_order);
        all
    }
}
