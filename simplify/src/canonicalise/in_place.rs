//! A region's instructions while they are rewritten, in the memory that they are in: a large program is not copied, which
//! would cost more than what is done to it.

use adc_ir::{Inst, Kind, Span, Values};
use std::collections::VecDeque;

/// What is written goes to the places of what was read before, and waits while there are none.
#[derive(Default)]
pub(super) struct InPlace {
    /// Written up to `written`, not yet read from `read` on, nothing between.
    insts: Vec<Inst>,
    written: usize,
    read: usize,
    /// Comes after what is written.
    waiting: VecDeque<Inst>,
}

impl InPlace {
    pub(super) fn of(insts: Vec<Inst>) -> InPlace {
        InPlace { insts, ..InPlace::default() }
    }

    /// The next instruction that is still to be rewritten.
    pub(super) fn next(&mut self) -> Option<Inst> {
        let inst = std::mem::replace(self.insts.get_mut(self.read)?, nothing());
        self.read += 1;
        if let Some(first) = self.waiting.pop_front() {
            self.put(first);
        }
        Some(inst)
    }

    pub(super) fn write(&mut self, inst: Inst) {
        match self.waiting.is_empty() && self.written < self.read {
            true => self.put(inst),
            false => self.waiting.push_back(inst),
        }
    }

    fn put(&mut self, inst: Inst) {
        self.insts[self.written] = inst;
        self.written += 1;
    }

    /// What was written; to be called when everything was read.
    pub(super) fn finish(mut self) -> Vec<Inst> {
        self.insts.truncate(self.written);
        self.insts.extend(self.waiting);
        self.insts
    }
}

/// What stands at a place that was read.
fn nothing() -> Inst {
    Inst {
        kind: Kind::Fill,
        args: Values::new(),
        results: Values::new(),
        regions: Vec::new(),
        span: Span::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::Const;

    fn number(n: i64) -> Inst {
        Inst { kind: Kind::Const(Const::I64(n)), ..nothing() }
    }

    /// Instructions become none or up to three; what comes out is what a copy would be.
    #[test]
    fn what_is_written_comes_out_in_order() {
        let becomes = |n: i64| match n % 7 {
            0 | 3 => vec![number(n)],
            1 => vec![],
            2 | 6 => vec![number(100 + n), number(200 + n), number(n)],
            _ => vec![number(100 + n), number(n)],
        };
        for count in [0, 1, 2, 3, 8, 50] {
            for from in 0..7 {
                let insts: Vec<Inst> = (from..from + count).map(number).collect();
                let expected: Vec<Inst> = (from..from + count).flat_map(becomes).collect();
                let mut in_place = InPlace::of(insts);
                while let Some(inst) = in_place.next() {
                    let Kind::Const(Const::I64(n)) = inst.kind else { panic!("{inst:?}") };
                    becomes(n).into_iter().for_each(|inst| in_place.write(inst));
                }
                assert_eq!(in_place.finish(), expected);
            }
        }
    }
}
