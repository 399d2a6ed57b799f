//! Loops inside: all lanes make the same turns.

use super::encode::*;
use super::registers::{Body, Key, MASKS, Turning};
use super::shared::*;
use super::vector::*;
use crate::lower::strips::*;

impl Body<'_, '_> {
    /// Begins a loop: what lives on goes into memory.
    pub fn begin_loop(&mut self, v: usize, turns: Turns) {
        self.begin(v, 0);
        let fixed = self.fixed;
        for r in self.with.free.clone().filter(|r| fixed >> r & 1 == 0) {
            self.put_into_memory(r);
        }
        MASKS.for_each(|k| self.put_mask_into_memory(k));
        let (head, end) = (self.asm().label(), self.asm().label());
        self.open.push(Turning { turns, head, end, fixed: self.fixed, begun: false });
    }

    /// The first operation of a loop's body: fixes what it uses most, as far as there is room, and begins to count.
    pub fn begin_turns(&mut self, v: usize) {
        let vectors = self.ats.len() as u32;
        let begin =
            (0..v).rev().find(|b| matches!(self.with.strip.ops[*b], SOp::Loop(_))).expect("it is open");
        let end = self.with.ends[&(begin as u32)];
        // How often the loop uses what comes from outside.
        let mut counts: Vec<(usize, Key)> = Vec::new();
        for x in 0..begin as u32 {
            let times = self.with.uses[x as usize].iter().filter(|u| **u > begin as u32 && **u < end).count();
            let number = self.with.strip.ops[x as usize].class() == Class::Number;
            if times > 0 && number {
                let (same, copies) = if self.with.uniform[x as usize] { (vectors, 1) } else { (1, vectors) };
                counts.extend((0..copies).map(|k| (times * same as usize, x * vectors + k)));
            }
        }
        counts.sort_by_key(|(n, key)| (std::cmp::Reverse(*n), *key));
        // Loops in it need registers for what they carry, too.
        let inner = carried(self.with.strip, begin + 1..end as usize) as u32 * vectors;
        let computing = self.tier().computing() as usize;
        // A loop that runs by itself is as fast as what it computes is in registers.
        let computing =
            if self.with.strip.serial { computing.max(self.with.strip.live()) } else { computing };
        let all = (self.with.free.len() as u32).saturating_sub(computing as u32 + inner);
        for (_, key) in counts {
            if self.fixed.count_ones() >= all {
                break;
            }
            self.begin(v - 1, (key % vectors) as usize);
            let r = self.reg(self.value_of(key));
            self.fixed |= 1 << r.0;
        }
        self.forget_all_but_fixed();
        self.held = None;
        let level = self.open.len() - 1;
        let Turning { turns, head, end, .. } = self.open[level];
        let asm = self.asm();
        asm.set(TURNS[level], 0);
        match turns {
            Turns::Const(0) => asm.jump(Jump::Always, end),
            Turns::Const(_) => {}
            Turns::Scal(slot) => {
                asm.load(RAX, Mem::at(SLOTS, 8 * slot as i32));
                asm.cmp(TURNS[level], RAX);
                asm.jump(Jump::AboveOrEqual, end);
            }
        }
        asm.here(head);
        self.open[level].begun = true;
    }

    /// What is carried into the next turn, all of it at the first one of these operations.
    pub fn next(&mut self, v: usize) {
        let strip = self.with.strip;
        if matches!(strip.ops[v - 1], SOp::Next(..)) {
            return;
        }
        let all = strip.ops[v..].iter().map_while(|op| match op {
            SOp::Next(c, x) => Some((*c, *x)),
            _ => None,
        });
        let all: Vec<(V, V)> = all.filter(|(c, x)| c != x).collect();
        let carried = |x: V| all.iter().any(|(c, _)| *c == x);
        self.begin(v, 0);
        // Those that others will have written over.
        let mut aside = Vec::new();
        for k in 0..self.ats.len() {
            self.vector = k;
            for (c, x) in all.iter().filter(|(_, x)| carried(*x)) {
                let from = self.reg(*x);
                let t = self.temporary();
                self.asm().all(MOVE, t, None, Rm::Reg(from));
                aside.push((self.kept(*c).reg.expect("what is carried is fixed"), t));
            }
        }
        for k in 0..self.ats.len() {
            self.vector = k;
            for (c, x) in all.iter().filter(|(_, x)| !carried(*x)) {
                let to = Vreg(self.kept(*c).reg.expect("what is carried is fixed"));
                self.copy_to(to, *x);
            }
        }
        for (to, from) in aside {
            self.asm().all(MOVE, Vreg(to), None, Rm::Reg(from));
        }
        for k in 0..self.ats.len() {
            self.vector = k;
            all.iter().for_each(|(c, x)| self.begin_next(*c, *x));
        }
    }

    /// Ends a loop.
    pub fn end_loop(&mut self, v: usize) {
        let Turning { turns, head, end, fixed, .. } =
            self.open.pop().expect("checked strips are well formed");
        let turn = TURNS[self.open.len()];
        let asm = self.asm();
        asm.add_imm(turn, 1);
        match turns {
            Turns::Const(n) => asm.cmp_imm(turn, n as i32),
            Turns::Scal(slot) => {
                asm.load(RAX, Mem::at(SLOTS, 8 * slot as i32));
                asm.cmp(turn, RAX);
            }
        }
        asm.jump(Jump::Below, head);
        asm.here(end);
        self.held = None;
        self.forget_all_but_fixed();
        self.fixed = fixed;
        // What was used by the loop only is used no more.
        for k in 0..self.ats.len() {
            self.begin(v, k);
            for x in 0..v {
                if self.kept[self.key(x as V) as usize].reg.is_some()
                    || self.kept[self.key(x as V) as usize].spill.is_some()
                {
                    self.release(x as V);
                }
            }
        }
    }
}
