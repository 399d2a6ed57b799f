//! Which registers values are in.
//!
//! Registers are given out along the straight line; where there are none left, the value goes whose next use is furthest away (Belady's
//! rule). What can be had again from memory is not kept: constants and slots are operands in memory for all lanes at once, elements of streams
//! that are only read are loaded where they are used.
//!
//! Through a loop inside, what it carries and what it uses most is *fixed* in registers; all else that lives on is in memory before it
//! begins, so that every turn finds registers as the first one did.

use super::encode::*;
use super::shared::*;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// Registers that what is computed next takes, about.
const SPARE_REGISTERS: usize = 3;

/// Mask registers that are given out.
pub(super) const MASKS: std::ops::Range<u8> = 2..7;

/// Where a vector of elements is in the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// Elements from [`ELEMENT`] to the first lane's.
    pub ahead: i64,
    /// Whether only some lanes are elements.
    pub tail: bool,
    /// Whether it is in the main loop: the first element is the first of partial sums and of cycles, and sums may be in registers.
    pub main: bool,
}

/// What is kept of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Kept {
    /// The register: of vectors, or of masks.
    pub reg: Option<u8>,
    /// A place in the frame, in vectors.
    pub spill: Option<u32>,
}

/// A value of one of the vectors: the value times the number of vectors, plus the number of the vector.
pub(super) type Key = u32;

/// What r15 holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The place of a vector among partial sums.
    Partial(usize),
    /// A pointer, or that of the frame, moved by so many bytes for each turn of the loops inside.
    Moved { base: Option<u16>, by: [i32; 2] },
}

/// A loop inside, while its code is made.
pub(super) struct Turning {
    pub turns: Turns,
    pub head: Label,
    pub end: Label,
    /// Registers that were fixed outside.
    pub fixed: u32,
    /// Whether the body has begun.
    pub begun: bool,
}

/// The code for some vectors of elements, while it is made.
pub(super) struct Body<'b, 's> {
    pub with: &'b mut Shared<'s>,
    /// Where each vector is, and which is the one at hand.
    pub ats: &'b [At],
    pub vector: usize,
    /// By key.
    pub kept: Vec<Kept>,
    regs: [Option<Key>; 32],
    masks: [Option<Key>; 8],
    /// Registers that keep what they hold through a loop.
    pub fixed: u32,
    pub open: Vec<Turning>,
    /// Registers that the operation at hand uses.
    locked: u32,
    locked_masks: u8,
    /// The operation at hand.
    now: u32,
    /// What r15 holds, if that is known.
    pub held: Option<Held>,
    /// Where lanes exit: the place, and the mask of those that do.
    pub exits: Vec<(Label, Mask)>,
}

impl<'b, 's> Body<'b, 's> {
    pub fn new(with: &'b mut Shared<'s>, ats: &'b [At]) -> Body<'b, 's> {
        let kept = vec![Kept::default(); with.strip.ops.len() * ats.len()];
        with.spills.iter_mut().for_each(|s| *s = false);
        let mut kept = kept;
        for (v, r) in &with.constants {
            kept[*v as usize * ats.len()].reg = Some(r.0);
        }
        Body {
            with,
            ats,
            vector: 0,
            kept,
            regs: [None; 32],
            masks: [None; 8],
            fixed: 0,
            open: Vec::new(),
            locked: 0,
            locked_masks: 0,
            now: 0,
            held: None,
            exits: Vec::new(),
        }
    }

    /// Begins an operation for a vector: no register is in use for it yet.
    pub fn begin(&mut self, at: usize, vector: usize) {
        self.vector = vector;
        self.now = (at * self.ats.len() + vector) as u32;
        (self.locked, self.locked_masks) = (0, 0);
    }

    pub fn at(&self) -> At {
        self.ats[self.vector]
    }

    pub fn tier(&self) -> X86 {
        self.with.tier
    }

    pub fn asm(&mut self) -> &mut Assembler {
        &mut self.with.asm
    }

    /// The value of the vector at hand; what is the same in all lanes is that of the first one.
    pub fn key(&self, v: V) -> Key {
        let vector = if self.with.uniform[v as usize] { 0 } else { self.vector };
        v * self.ats.len() as u32 + vector as u32
    }

    pub fn value_of(&self, key: Key) -> V {
        key / self.ats.len() as u32
    }

    pub fn kept(&self, v: V) -> Kept {
        self.kept[self.key(v) as usize]
    }

    /// Whether it is there already, in a register or spilled.
    pub fn is_kept(&self, v: V) -> bool {
        let kept = self.kept(v);
        kept.reg.is_some() || kept.spill.is_some()
    }

    /// The next operation after this one that uses a value, and for which vector.
    fn next_use_of(&self, key: Key) -> Option<u32> {
        let vectors = self.ats.len() as u32;
        let v = key / vectors;
        let last = if self.with.uniform[v as usize] { vectors - 1 } else { key % vectors };
        let shared = self.with.before.is_some() && self.at().main;
        let uses = if shared { &self.with.main_uses[v as usize] } else { &self.with.uses[v as usize] };
        let when = |u: &u32| u * vectors + last;
        uses.get(uses.partition_point(|u| when(u) <= self.now)).map(when)
    }

    pub fn next_use(&self, v: V) -> Option<u32> {
        self.next_use_of(self.key(v))
    }

    /// Whether a value is kept in registers of masks.
    fn in_masks(&self, v: V) -> bool {
        self.tier() == X86::Avx512 && self.with.strip.ops[v as usize].class() == Class::Mask
    }

    /// Registers that hold what is needed later.
    pub fn live(&self) -> u32 {
        let held = (0..32).filter(|r| self.regs[*r].is_some()).map(|r| 1 << r).sum::<u32>();
        // What is not given out holds reductions.
        held | (self.with.free.end..self.tier().registers()).map(|r| 1 << r).sum::<u32>()
    }

    /// Forgets a value that nothing uses any more.
    pub fn release(&mut self, v: V) {
        let key = self.key(v);
        if self.next_use_of(key).is_some() {
            return;
        }
        let kept = std::mem::take(&mut self.kept[key as usize]);
        if let Some(r) = kept.reg {
            match self.in_masks(v) {
                true => self.masks[r as usize] = None,
                false => self.regs[r as usize] = None,
            }
        }
        if let Some(s) = kept.spill {
            self.with.spills[s as usize] = false;
        }
    }

    /// Whether a value can be had again without having been kept.
    pub fn is_in_memory(&self, v: V) -> bool {
        match self.with.strip.ops[v as usize] {
            SOp::Const(_) | SOp::Scal(_) => true,
            SOp::Load(s) => {
                let s = &self.with.strip.streams[s as usize];
                s.access == Access::R && matches!(s.step, Step::Unit | Step::Const(0))
            }
            _ => false,
        }
    }

    pub fn new_spill(&mut self) -> u32 {
        let spills = &mut self.with.spills;
        let at = spills.iter().position(|used| !used).unwrap_or_else(|| {
            spills.push(false);
            spills.len() - 1
        });
        spills[at] = true;
        at as u32
    }

    /// A register for anything, until the end of this operation.
    pub fn temporary(&mut self) -> Vreg {
        let open = |r: &u8| (self.locked | self.fixed) >> r & 1 == 0;
        let free = self.with.free.clone();
        let r = free.clone().filter(open).find(|r| self.regs[*r as usize].is_none()).unwrap_or_else(|| {
            let far = |r: &u8| self.regs[*r as usize].and_then(|v| self.next_use_of(v)).unwrap_or(u32::MAX);
            free.filter(open).max_by_key(far).expect("no operation locks all registers")
        });
        self.put_into_memory(r);
        if let Some(key) = self.regs[r as usize].take() {
            self.kept[key as usize].reg = None;
        }
        self.locked |= 1 << r;
        Vreg(r)
    }

    /// Sees to it that the value of a register is in memory, too.
    pub fn put_into_memory(&mut self, r: u8) {
        let Some(key) = self.regs[r as usize] else { return };
        if self.is_in_memory(self.value_of(key)) || self.kept[key as usize].spill.is_some() {
            return;
        }
        let at = self.new_spill();
        self.with.spilled_inside += self.open.last().is_some_and(|l| l.begun) as u32;
        self.kept[key as usize].spill = Some(at);
        let mem = self.with.spilled(at);
        self.asm().all(STORE, Vreg(r), None, Rm::Full(mem));
    }

    /// Sees to it that nothing is in registers but what is fixed.
    pub fn forget_all_but_fixed(&mut self) {
        let fixed = self.fixed;
        for r in self.with.free.clone().filter(|r| fixed >> r & 1 == 0) {
            if let Some(key) = self.regs[r as usize].take() {
                self.kept[key as usize].reg = None;
            }
        }
        for k in MASKS {
            if let Some(key) = self.masks[k as usize].take() {
                self.kept[key as usize].reg = None;
            }
        }
    }

    /// Whether a value is in a register that nothing needs any more.
    pub fn ends(&self, v: V) -> bool {
        let free = self.kept(v).reg.is_some_and(|r| r < self.with.free.end);
        free && self.next_use(v).is_none()
    }

    /// What a loop carries, of which the register is for this value of the next turn.
    pub fn successor_of(&self, v: V) -> Option<V> {
        self.with.successors.get(&v).copied()
    }

    /// Whether an operand's register may hold a result.
    pub fn gives_way(&self, x: V, v: V) -> bool {
        self.ends(x) || self.successor_of(v) == Some(x)
    }

    /// The register of a result: that of an operand that is not used again, or another one. Operands are not to be read after it is written.
    pub fn result(&mut self, v: V, operands: &[V]) -> Vreg {
        let carried = self.successor_of(v);
        if let Some(c) = carried.filter(|c| operands.contains(c)) {
            return self.succeed(v, c);
        }
        for x in operands {
            if let (Some(r), true, false) = (self.kept(*x).reg, self.ends(*x), self.in_masks(*x)) {
                let key = self.key(*x);
                self.kept[key as usize].reg = None;
                return self.hold(v, Vreg(r));
            }
        }
        let read = |c: &V| self.with.strip.ops[v as usize].operands().any(|(x, _)| x == *c);
        if let Some(c) = carried.filter(|c| !read(c)) {
            return self.succeed(v, c);
        }
        let r = self.temporary();
        self.hold(v, r)
    }

    /// A result in the register of what the loop carries: it is what that becomes.
    fn succeed(&mut self, v: V, c: V) -> Vreg {
        let r = self.kept(c).reg.expect("what is carried is fixed");
        self.locked |= 1 << r;
        self.hold(v, Vreg(r))
    }

    /// The registers of what a loop carries hold it again, for the next turn, and not values of this one.
    pub fn begin_next(&mut self, c: V, x: V) {
        let (c, x) = (self.key(c), self.key(x));
        let r = self.kept[c as usize].reg.expect("what is carried is fixed");
        if self.kept[x as usize].reg == Some(r) && c != x {
            self.kept[x as usize].reg = None;
        }
        self.regs[r as usize] = Some(c);
    }

    /// Whether the register of a value holds it, if it has one.
    pub fn is_held(&self, v: V) -> bool {
        self.kept(v).reg.is_none_or(|r| self.regs[r as usize] == Some(self.key(v)))
    }

    pub fn hold(&mut self, v: V, r: Vreg) -> Vreg {
        let key = self.key(v);
        self.regs[r.0 as usize] = Some(key);
        self.kept[key as usize].reg = Some(r.0);
        r
    }

    /// A value in a register.
    pub fn reg(&mut self, v: V) -> Vreg {
        if let Some(r) = self.kept(v).reg {
            self.locked |= 1 << r;
            return Vreg(r);
        }
        let r = self.temporary();
        self.fetch(r, v);
        self.hold(v, r)
    }

    /// A value that is in no register into one.
    fn fetch(&mut self, r: Vreg, v: V) {
        match (self.kept(v).spill, self.with.strip.ops[v as usize]) {
            (Some(at), _) => {
                let mem = self.with.spilled(at);
                self.asm().all(LOAD, r, None, Rm::Full(mem));
            }
            (None, SOp::Load(s)) => self.load(s, r),
            (None, SOp::Const(bits)) => {
                let bits = self.with.bits(bits);
                self.with.bring(r, bits);
            }
            (None, SOp::Scal(k)) => {
                self.asm().all(BROADCAST, r, None, Rm::Full(Mem::at(SLOTS, 8 * k as i32)));
            }
            (None, op) => unreachable!("{op:?} is in a register or spilled"),
        }
    }

    /// Whether a register that a value is loaded into has something else in it before the value is used again.
    fn would_go(&self, v: V) -> bool {
        let Some(next) = self.next_use(v) else { return true };
        let free = self.with.free.clone().filter(|r| self.fixed >> r & 1 == 0);
        let sooner = |key: &Key| self.next_use_of(*key).is_some_and(|when| when < next);
        let needed = free.clone().filter(|r| self.regs[*r as usize].as_ref().is_some_and(sooner));
        needed.count() + SPARE_REGISTERS >= free.count()
    }

    /// A value as the last operand of an instruction.
    pub fn rm(&mut self, v: V) -> Rm {
        if self.kept(v).reg.is_some() {
            return Rm::Reg(self.reg(v));
        }
        let one_for_all = self.tier() == X86::Avx512;
        match (self.kept(v).spill, self.with.strip.ops[v as usize]) {
            (Some(at), _) => Rm::Full(self.with.spilled(at)),
            (None, SOp::Const(bits)) => self.with.bits(bits),
            (None, SOp::Scal(k)) if one_for_all => Rm::Broadcast(Mem::at(SLOTS, 8 * k as i32)),
            (None, SOp::Load(s)) if self.is_read_whole(s) && self.would_go(v) => {
                let stream = self.with.strip.streams[s as usize];
                match stream.step {
                    Step::Unit if !self.with.strip.serial => Rm::Full(self.unit(&stream)),
                    Step::Unit => Rm::Reg(self.reg(v)),
                    _ if one_for_all => Rm::Broadcast(self.fixed(&stream)),
                    _ => Rm::Reg(self.reg(v)),
                }
            }
            _ => Rm::Reg(self.reg(v)),
        }
    }

    /// Whether a vector of a stream is loaded as a whole.
    pub fn is_read_whole(&self, s: u16) -> bool {
        !self.at().tail || self.with.strip.streams[s as usize].room != Room::None
    }

    /// Whether a vector of a stream is stored as a whole.
    pub fn is_written_whole(&self, s: u16) -> bool {
        !self.at().tail || self.with.strip.streams[s as usize].room == Room::Write
    }

    /// Whether a value is better the last operand than another one.
    pub fn is_last(&self, v: V) -> bool {
        self.kept(v).reg.is_none()
    }

    /// A value into a register that holds something else.
    pub fn copy_to(&mut self, to: Vreg, x: V) {
        if self.kept(x).reg.is_none() {
            return self.fetch(to, x);
        }
        let from = self.reg(x);
        if from != to {
            self.asm().all(MOVE, to, None, Rm::Reg(from));
        }
    }

    /// A value in a register of its own that is another one.
    pub fn same_as(&mut self, v: V, x: V) -> Vreg {
        if self.ends(x) {
            return self.result(v, &[x]);
        }
        let y = self.temporary();
        self.copy_to(y, x);
        self.hold(v, y)
    }

    /// A mask in a register.
    pub fn mask(&mut self, v: V) -> Mask {
        if !self.in_masks(v) {
            return Mask(self.reg(v).0);
        }
        if let Some(k) = self.kept(v).reg {
            self.locked_masks |= 1 << k;
            return Mask(k);
        }
        let at = self.kept(v).spill.expect("masks are in registers or spilled");
        let k = self.new_mask(v, &[]);
        let mem = self.with.spilled(at);
        self.asm().load(RAX, mem);
        self.asm().mask_from(k, RAX);
        k
    }

    /// A register for a mask, as [`Body::result`] for other values.
    pub fn new_mask(&mut self, v: V, operands: &[V]) -> Mask {
        if !self.in_masks(v) {
            return Mask(self.result(v, operands).0);
        }
        let open = |k: &u8| self.locked_masks >> k & 1 == 0;
        let k = MASKS.filter(open).find(|k| self.masks[*k as usize].is_none()).unwrap_or_else(|| {
            let far = |k: &u8| self.masks[*k as usize].and_then(|v| self.next_use_of(v)).unwrap_or(u32::MAX);
            MASKS.filter(open).max_by_key(far).expect("no operation locks all masks")
        });
        self.put_mask_into_memory(k);
        if let Some(old) = self.masks[k as usize].take() {
            self.kept[old as usize].reg = None;
        }
        let key = self.key(v);
        self.masks[k as usize] = Some(key);
        self.kept[key as usize].reg = Some(k);
        self.locked_masks |= 1 << k;
        Mask(k)
    }

    /// Sees to it that a mask is in memory, too.
    pub fn put_mask_into_memory(&mut self, k: u8) {
        let Some(key) = self.masks[k as usize] else { return };
        if self.kept[key as usize].spill.is_none() {
            let at = self.new_spill();
            self.kept[key as usize].spill = Some(at);
            let mem = self.with.spilled(at);
            self.asm().mask_to(RAX, Mask(k));
            self.asm().store(mem, RAX);
        }
    }

    /// The lanes of a tail that are elements, for this operation.
    pub fn active(&mut self) -> Mask {
        match self.tier() {
            X86::Avx512 => ACTIVE,
            X86::Avx2 => {
                let r = self.temporary();
                let mem = self.with.active(0);
                self.asm().all(LOAD, r, None, Rm::Full(mem));
                Mask(r.0)
            }
        }
    }

    /// Those of a mask that are elements, in a register that is nobody's.
    pub fn among_active(&mut self, mask: Mask) -> Mask {
        let active = self.active();
        let to = if self.tier() == X86::Avx512 { SCRATCH } else { active };
        self.asm().mask(MASK_AND, to, active, mask);
        to
    }
}
