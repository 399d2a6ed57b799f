//! Last uses of arrays, so that an array nobody else needs is updated in place.
//!
//! An operand is *moved* if it is an array whose value is not used afterwards: not by later operands or instructions, not
//! in nested regions, and, in the body of a loop, only if it is defined in that body, since the next iteration needs what is
//! defined outside.

use crate::module::*;

/// What a region moves.
#[derive(Debug, Default)]
pub(super) struct Moves {
    pub(super) insts: Vec<InstMoves>,
    yields: u64,
}

/// What an instruction moves.
#[derive(Debug, Default)]
pub(super) struct InstMoves {
    /// One bit for each of the first operands.
    args: u64,
    pub(super) regions: Vec<Moves>,
}

impl Moves {
    /// Of a function's body; `None` if it has no arrays.
    pub(super) fn of(func: &Func) -> Option<Moves> {
        let body = func.region().filter(|_| func.has_arrays())?;
        let n = func.values.len();
        let mut walk = Walk { func, used: vec![false; n], level: vec![0; n], marked: Vec::new(), depth: 0 };
        Some(walk.region(body))
    }

    pub(super) fn yields(&self, i: usize) -> bool {
        bit(self.yields, i)
    }
}

impl InstMoves {
    pub(super) fn arg(&self, i: usize) -> bool {
        bit(self.args, i)
    }
}

fn bit(set: u64, i: usize) -> bool {
    i < 64 && set >> i & 1 == 1
}

/// A walk against the order of execution.
struct Walk<'a> {
    func: &'a Func,
    /// By value: whether it is used after the place the walk is at.
    used: Vec<bool>,
    /// By value: in how many loops it is defined.
    level: Vec<u32>,
    /// Values in the order they were marked as used.
    marked: Vec<Value>,
    depth: u32,
}

impl Walk<'_> {
    fn region(&mut self, r: &Region) -> Moves {
        for v in r.params.iter().chain(r.insts.iter().flat_map(|i| &i.results)) {
            self.level[v.0 as usize] = self.depth;
        }
        let yields = self.operands(&r.yields);
        let mut insts: Vec<InstMoves> = r.insts.iter().rev().map(|i| self.inst(i)).collect();
        insts.reverse();
        Moves { insts, yields }
    }

    fn inst(&mut self, inst: &Inst) -> InstMoves {
        let mut regions = Vec::with_capacity(inst.regions.len());
        self.depth += inst.kind.is_loop() as u32;
        // Of the branches of an `if` only one runs: what one uses is not used after the other.
        let before = self.marked.len();
        let mut others = Vec::new();
        for r in &inst.regions {
            regions.push(self.region(r));
            if inst.kind == Kind::If {
                let new = self.marked.split_off(before);
                new.iter().for_each(|v| self.used[v.0 as usize] = false);
                others.extend(new);
            }
        }
        for v in others {
            self.mark(v);
        }
        self.depth -= inst.kind.is_loop() as u32;
        InstMoves { args: self.operands(&inst.args), regions }
    }

    fn operands(&mut self, values: &[Value]) -> u64 {
        let mut set = 0;
        for (i, v) in values.iter().enumerate().rev() {
            let last = self.mark(*v);
            if last && i < 64 && self.func.ty(*v).is_array() && self.level[v.0 as usize] == self.depth {
                set |= 1 << i;
            }
        }
        set
    }

    /// Whether it was not used yet.
    fn mark(&mut self, v: Value) -> bool {
        let first = !std::mem::replace(&mut self.used[v.0 as usize], true);
        if first {
            self.marked.push(v);
        }
        first
    }
}
