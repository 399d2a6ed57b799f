//! The operations of a strip for a vector of elements, or for several together, one after the other.

use super::encode::*;
use super::registers::{At, Body, Held};
use super::shared::*;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// Ordered, quiet comparisons.
pub(super) const CMP_EQ: u8 = 0x00;
pub(super) const CMP_UNORDERED: u8 = 0x03;
const CMP_NE: u8 = 0x04;
pub(super) const CMP_LT: u8 = 0x11;
pub(super) const CMP_LE: u8 = 0x12;
pub(super) const CMP_GE: u8 = 0x1d;
pub(super) const CMP_GT: u8 = 0x1e;

impl<'s> Body<'_, 's> {
    /// All operations. `reduce` takes in what is reduced: which, the vector, and the value.
    pub fn emit(mut self, mut reduce: impl FnMut(&mut Self, usize, usize, V)) -> Vec<(Label, Mask)> {
        let strip = self.with.strip;
        for (v, op) in strip.ops.iter().enumerate() {
            if self.before().is_some_and(|b| !b.needed[v]) {
                continue;
            }
            if !matches!(op, SOp::Carried(_)) && self.open.last().is_some_and(|l| !l.begun) {
                self.begin_turns(v);
            }
            match *op {
                SOp::Loop(turns) => self.begin_loop(v, turns),
                SOp::End => self.end_loop(v),
                SOp::Next(..) => self.next(v),
                SOp::AddTo(s, x) => self.add_to_cycle(v, s, x),
                op => {
                    for k in 0..self.ats.len() {
                        self.begin(v, k);
                        self.compute(v as V, op);
                    }
                }
            }
        }
        for (r, red) in strip.reds.iter().enumerate() {
            for k in 0..self.ats.len() {
                self.begin(strip.ops.len() + r, k);
                reduce(&mut self, r, k, red.val);
                self.release(red.val);
            }
        }
        self.exits
    }

    /// What the elements before the first ones of the main loop had, into the registers for it.
    pub fn begin_carries(mut self) {
        let Some(before) = self.with.before else { return };
        for (v, op) in before.strip.ops.iter().enumerate().filter(|(v, _)| before.first[*v]) {
            self.begin(v, 0);
            self.op(v as V, *op);
            if let Some((_, carry)) = self.with.carries.get(&(v as V)).copied() {
                let x = self.reg(v as V);
                self.asm().all(BROADCAST, carry, None, Rm::Reg(x));
            }
            op.operands().for_each(|(x, _)| self.release(x));
            self.release(v as V);
        }
    }

    /// What is taken from the element before here.
    fn before(&self) -> Option<&'s Before> {
        self.with.before.filter(|_| self.ats[0].main)
    }

    /// An operation for a vector, and what nothing uses any more is forgotten.
    fn compute(&mut self, v: V, op: SOp) {
        let carried = self.before().and_then(|_| self.with.carries.get(&v).copied());
        match carried {
            Some((u, carry)) => {
                self.take_before(v, u, carry);
                self.release(u);
            }
            None => {
                self.op(v, op);
                op.operands().for_each(|(x, _)| self.release(x));
            }
        }
        self.release(v);
    }

    /// A value that is another one's for the element before: lanes of this vector, behind the last one of the vector before.
    fn take_before(&mut self, v: V, u: V, carry: Vreg) {
        let x = self.reg(u);
        match self.tier() {
            X86::Avx512 => {
                let y = self.result(v, &[]);
                let asm = self.asm();
                asm.vector(ALIGN, y, Some(x), Rm::Reg(carry), Under::All, Some(7));
                asm.all(MOVE, carry, None, Rm::Reg(x));
            }
            X86::Avx2 => {
                let turned = self.temporary();
                let y = self.result(v, &[]);
                let asm = self.asm();
                asm.vector(PERMUTE, turned, None, Rm::Reg(x), Under::All, Some(0b_10_01_00_11));
                asm.vector(BLEND_LANES, y, Some(turned), Rm::Reg(carry), Under::All, Some(1));
                asm.all(MOVE, carry, None, Rm::Reg(turned));
            }
        }
    }

    fn op(&mut self, v: V, op: SOp) {
        match op {
            // In memory until they are used.
            SOp::Const(_) | SOp::Scal(_) => {}
            SOp::Load(s) => {
                // It may have come with its neighbours.
                if !self.is_in_memory(v) && !self.is_kept(v) && !self.load_columns(v) {
                    let to = self.temporary();
                    self.load(s, to);
                    self.hold(v, to);
                }
            }
            SOp::Index => {
                let lanes = (0..self.tier().lanes())
                    .flat_map(|l| ((self.at().ahead + l) as f64).to_le_bytes())
                    .collect::<Vec<u8>>();
                let y = self.integer(v, ELEMENT);
                let lanes = Rm::Full(self.asm().constant(&lanes));
                self.asm().all(ADD, y, Some(y), lanes);
            }
            SOp::Turn(level) => {
                self.integer(v, TURNS[level as usize]);
            }
            SOp::Carried(init) => {
                let y = self.same_as(v, init);
                self.fixed |= 1 << y.0;
            }
            SOp::Last(c) => {
                debug_assert!(self.is_held(c), "what a loop carried is in its register still");
                self.same_as(v, c);
            }
            SOp::Loop(_) | SOp::Next(..) | SOp::End | SOp::AddTo(..) => {
                unreachable!("they are for all vectors")
            }
            SOp::Store(s, x) => match self.row_of(v) {
                None => self.store(s, x),
                Some(row) if row.iter().all(|w| *w <= v) => self.store_row(&row),
                // With the last one of the row.
                Some(_) => {}
            },
            SOp::Exit(m) => {
                let mut mask = self.mask(m);
                if self.at().tail {
                    mask = self.among_active(mask);
                }
                let out = self.asm().label();
                self.asm().any_lane(mask);
                self.asm().jump(Jump::NotEqual, out);
                self.exits.push((out, mask));
            }
            SOp::Un(op, a) => self.unary(v, op, a),
            SOp::Bin(op, a, b) => self.binary(v, op, a, b),
            SOp::Fma { neg_a, neg_c, a, b, c } => self.fma(v, (neg_a, neg_c), [a, b, c]),
            SOp::Cmp(cc, x, y) => {
                let predicate = match cc {
                    Cc::Lt => CMP_LT,
                    Cc::Le => CMP_LE,
                    Cc::Eq => CMP_EQ,
                    Cc::Ne => CMP_NE,
                };
                let a = self.reg(x);
                let b = self.rm(y);
                let m = self.new_mask(v, &[x, y]);
                self.asm().compare(m, a, b, predicate);
            }
            SOp::Mask(op, x, y) => {
                let (a, b) = (self.mask(x), self.mask(y));
                let m = self.new_mask(v, &[x, y]);
                let op = match op {
                    MaskOp::And => MASK_AND,
                    MaskOp::Or => MASK_OR,
                    MaskOp::Xor => MASK_XOR,
                };
                self.asm().mask(op, m, a, b);
            }
            SOp::Not(x) => {
                let a = self.mask(x);
                let m = self.new_mask(v, &[x]);
                self.asm().mask_not(m, a);
            }
            SOp::Select(m, a, b) => {
                let m = self.mask(m);
                let b_reg = self.reg(b);
                let a_rm = self.rm(a);
                let y = self.result(v, &[b, a]);
                self.asm().blend(y, b_reg, a_rm, m);
            }
            SOp::Call(f, a, b) => {
                let x = self.reg(a);
                let y = b.map(|b| self.reg(b));
                let result = self.temporary();
                let mask = self.at().tail.then(|| self.active());
                let (from, back) = (self.asm().label(), self.asm().label());
                self.asm().jump(Jump::Always, from);
                self.asm().here(back);
                let live = self.live() | 1 << result.0;
                self.held = None;
                self.with.rare.push(RareCall { from, back, mask, f, x, y, result, live });
                self.hold(v, result);
            }
            SOp::Entry(column, a) => self.entry(v, column, a),
            SOp::Rare { mask, f, x, z, y } => {
                let mut mask = self.mask(mask);
                let x = self.reg(x);
                let z = z.map(|z| self.reg(z));
                let y = self.reg(y);
                let result = self.temporary();
                if self.at().tail {
                    mask = self.among_active(mask);
                }
                let (from, back) = (self.asm().label(), self.asm().label());
                let asm = self.asm();
                asm.all(MOVE, result, None, Rm::Reg(y));
                asm.any_lane(mask);
                asm.jump(Jump::NotEqual, from);
                asm.here(back);
                let (mask, live) = (Some(mask), self.live() | 1 << result.0);
                self.held = None;
                self.with.rare.push(RareCall { from, back, mask, f, x, y: z, result, live });
                self.hold(v, result);
            }
        }
    }

    /// An integer of a general register in all lanes.
    fn integer(&mut self, v: V, n: Gpr) -> Vreg {
        let y = self.result(v, &[]);
        let asm = self.asm();
        asm.int_to_double(y, n);
        asm.all(BROADCAST, y, None, Rm::Reg(y));
        y
    }

    /// Adds a value to its partial sums: in a register, or in memory.
    pub fn add_to(&mut self, sum: Option<Vreg>, base: u16, x: V) {
        let (At { ahead, tail, main }, x_reg) = (self.at(), self.reg(x));
        if let (Some(sum), true) = (sum, main) {
            return self.asm().all(ADD, sum, Some(sum), Rm::Reg(x_reg));
        }
        let t = self.temporary();
        let active = tail.then(|| self.active());
        let base = self.with.base(base);
        let place = Held::Partial(self.vector);
        let known = self.held.replace(place) == Some(place);
        let asm = &mut self.with.asm;
        if !known {
            asm.address(R15, Mem::at(ELEMENT, ahead as i32));
            asm.and_imm(R15, PARTIALS as i8 - 1);
        }
        let mem = Mem::At { base, index: Some(R15), disp: 0 };
        asm.all(ADD, t, Some(x_reg), Rm::Full(mem));
        self.write_under(mem, t, active);
    }

    /// Takes a value into an extreme.
    pub fn extreme(&mut self, op: RedOp, best: Vreg, x: V) {
        let (x, tail, t) = (self.reg(x), self.at().tail, self.temporary());
        let free = match self.tier() {
            X86::Avx512 => [t; 2],
            X86::Avx2 => [(); 2].map(|()| self.temporary()),
        };
        let active = tail.then(|| self.active());
        let asm = self.asm();
        extreme(asm, op, t, [best, x], free);
        match (active, asm.tier) {
            (None, _) => asm.all(MOVE, best, None, Rm::Reg(t)),
            (Some(active), X86::Avx512) => {
                asm.vector(MOVE, best, None, Rm::Reg(t), Under::Merge(active), None)
            }
            (Some(active), X86::Avx2) => asm.blend(best, best, Rm::Reg(t), active),
        }
    }
}

/// The smaller or larger of `a` and `b` lane by lane, in a register that is neither's: NaN if one is, and −0 is below +0. Two more registers
/// are free for it with AVX2.
pub(super) fn extreme(asm: &mut Assembler, op: RedOp, y: Vreg, [a, b]: [Vreg; 2], [equal, m]: [Vreg; 2]) {
    let larger = op == RedOp::Max;
    match asm.tier {
        X86::Avx512 => {
            asm.vector(RANGE, y, Some(a), Rm::Reg(b), Under::All, Some(if larger { 5 } else { 4 }));
            asm.compare(SCRATCH, a, Rm::Reg(b), CMP_UNORDERED);
            asm.vector(ADD, y, Some(a), Rm::Reg(b), Under::Merge(SCRATCH), None);
        }
        X86::Avx2 => {
            let m = Mask(m.0);
            // The second operand where one is NaN.
            asm.all(if larger { MAX } else { MIN }, y, Some(a), Rm::Reg(b));
            asm.compare(m, a, Rm::Reg(b), CMP_EQ);
            asm.all(if larger { AND } else { OR }, equal, Some(a), Rm::Reg(b));
            asm.blend(y, y, Rm::Reg(equal), m);
            asm.compare(m, a, Rm::Reg(a), CMP_UNORDERED);
            asm.blend(y, y, Rm::Reg(a), m);
        }
    }
}
