//! What is the same for all bodies of a strip: uses, the frame, pointers, and calls of native functions, whose code comes last.

use super::encode::*;
use super::rows::{COLUMNS, ROOM, ROW, Rows, columns, rows};
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;
use rustc_hash::FxHashMap;

/// Where the table of bases is, the table of slots, the number of the first lane's element, and the end.
pub(super) const BASES: Gpr = RBX;
pub(super) const SLOTS: Gpr = R12;
pub(super) const ELEMENT: Gpr = R13;
pub(super) const END: Gpr = R14;
/// Vectors that operations take beside what is kept, at least.
const SPARE: usize = 4;
/// Registers for base pointers.
const POINTERS: [Gpr; 8] = [Gpr(7), Gpr(6), Gpr(2), Gpr(1), Gpr(8), Gpr(9), Gpr(10), Gpr(11)];
/// The turns of loops inside, the outer one first: in strips that have any, these hold no pointers.
pub(super) const TURNS: [Gpr; LEVELS] = [Gpr(11), Gpr(10)];
/// With AVX-512, the lanes of a tail that are elements, and what one instruction needs.
pub(super) const ACTIVE: Mask = Mask(1);
pub(super) const SCRATCH: Mask = Mask(7);

/// Bytes of the frame, from its beginning, in which a call of a native function keeps all registers; operands come behind.
fn registers(tier: X86) -> i32 {
    tier.bytes() * tier.registers() as i32
}

/// The same of masks, and of turns, behind the operands.
fn masks(tier: X86) -> i32 {
    registers(tier) + 2 * tier.bytes()
}

fn turns(tier: X86) -> i32 {
    masks(tier) + 64
}

/// Of all of these.
fn saved(tier: X86) -> i32 {
    turns(tier) + 64
}

/// What is the same for all bodies of a strip.
pub(super) struct Shared<'s> {
    pub strip: &'s Strip,
    pub tier: X86,
    pub asm: Assembler,
    /// By value: the operations that use it. Reductions come behind all operations. What a loop uses from outside is used by its end, too.
    pub uses: Vec<Vec<u32>>,
    /// What is taken from the element before in the main loop, and by such a value its register for the vector before.
    pub before: Option<&'s Before>,
    pub carries: FxHashMap<V, (V, Vreg)>,
    /// Numbers that are the same for all elements and have a register throughout.
    pub constants: Vec<(V, Vreg)>,
    /// The uses of values there.
    pub main_uses: Vec<Vec<u32>>,
    /// By value: whether it is the same in all lanes, and in memory.
    pub uniform: Vec<bool>,
    /// Stores of rows.
    pub rows: Rows,
    /// Loads of elements side by side.
    pub columns: Vec<[V; COLUMNS]>,
    /// By operation that begins a loop: its end.
    pub ends: FxHashMap<u32, u32>,
    /// By value that a loop carries into its next turn: what it becomes there, if nothing uses that any more once the value is computed.
    /// Both can be in one register.
    pub successors: FxHashMap<V, V>,
    /// By base: the register of its pointer, if it has one.
    pointers: Vec<Option<Gpr>>,
    /// Registers that are given out.
    pub free: std::ops::Range<u8>,
    /// Vectors of the frame in use, and the most that were.
    pub spills: Vec<bool>,
    /// Where the frame has, with AVX2, the mask of a tail and behind it a vector to take apart; arrays of the elements' own; spilled values.
    tail: i32,
    own: i32,
    spilled: i32,
    /// Times that a value inside a loop is put into the frame.
    pub spilled_inside: u32,
    /// Where the addresses of native functions are.
    pub natives: FxHashMap<Callee, Mem>,
    /// Where the distances to native functions belong that are called directly.
    pub direct: Vec<(usize, Callee)>,
    /// Code that is seldom run, for the end: where it begins, and where it goes on.
    pub rare: Vec<RareCall>,
}

/// Whether a value is the same for all elements, and a number.
fn is_fixed(op: SOp) -> bool {
    matches!(op, SOp::Const(_) | SOp::Scal(_))
}

/// The registers of base pointers: those that are used most have one.
fn pointers(strip: &Strip, uses: &[Vec<u32>]) -> Vec<Option<Gpr>> {
    let mut counts: Vec<(usize, usize)> = (0..strip.bases()).map(|k| (0, k)).collect();
    let mut weight = 1;
    for (v, op) in strip.ops.iter().enumerate() {
        match *op {
            SOp::Loop(_) => weight *= 8,
            SOp::End => weight /= 8,
            SOp::Load(s) | SOp::Store(s, _) | SOp::AddTo(s, _) => {
                let s = &strip.streams[s as usize];
                if s.step != Step::Own {
                    // Some are loaded at every use.
                    counts[s.base as usize].0 += weight * uses[v].len().max(1);
                }
            }
            _ => {}
        }
    }
    for red in strip.reds.iter().filter(|r| r.op == RedOp::Sum) {
        counts[red.out as usize].0 += 1;
    }
    counts.sort_by_key(|(n, k)| (std::cmp::Reverse(*n), *k));
    let registers = POINTERS.len() - if strip.loops() { LEVELS } else { 0 };
    let mut pointers = vec![None; counts.len()];
    for ((_, k), r) in counts.into_iter().zip(&POINTERS[..registers]) {
        pointers[k] = Some(*r);
    }
    pointers
}

/// By value: the operations of the main loop that use it.
fn main_uses(before: &Before, carries: &FxHashMap<V, (V, Vreg)>) -> Vec<Vec<u32>> {
    let strip = &before.strip;
    let mut uses = vec![Vec::new(); strip.ops.len()];
    for (at, op) in strip.ops.iter().enumerate().filter(|(at, _)| before.needed[*at]) {
        match carries.get(&(at as V)) {
            Some((u, _)) => uses[*u as usize].push(at as u32),
            None => op.operands().for_each(|(v, _)| uses[v as usize].push(at as u32)),
        }
    }
    for (r, red) in strip.reds.iter().enumerate() {
        uses[red.val as usize].push((strip.ops.len() + r) as u32);
    }
    uses
}

/// Numbers that loops inside one another carry, at most; those that become one another take registers, too. Of the loops that are whole
/// among these operations.
pub(super) fn carried(strip: &Strip, ops: std::ops::Range<usize>) -> usize {
    let (mut open, mut most): (Vec<usize>, usize) = (Vec::new(), 0);
    for op in &strip.ops[ops] {
        match *op {
            SOp::Loop(_) => open.push(0),
            SOp::Carried(_) => open.last_mut().into_iter().for_each(|n| *n += 1),
            SOp::Next(_, x) if matches!(strip.ops[x as usize], SOp::Carried(_)) => {
                open.last_mut().into_iter().for_each(|n| *n += 1);
            }
            SOp::End => {
                most = most.max(open.iter().sum::<usize>());
                open.pop();
            }
            _ => {}
        }
    }
    most
}

/// A call of a native function for lanes of a mask, or for all.
pub(super) struct RareCall {
    pub from: Label,
    pub back: Label,
    pub mask: Option<Mask>,
    pub f: Callee,
    pub x: Vreg,
    pub y: Option<Vreg>,
    pub result: Vreg,
    /// Registers that are in use, with that of the result.
    pub live: u32,
}

impl<'s> Shared<'s> {
    /// `together`: how many vectors are computed at a time, at most. `calls`: whether it calls native functions.
    pub fn new(
        strip: &'s Strip,
        tier: X86,
        free: std::ops::Range<u8>,
        calls: bool,
        together: usize,
        before: Option<&'s Before>,
    ) -> Shared<'s> {
        let mut uses = vec![Vec::new(); strip.ops.len()];
        let mut ends = FxHashMap::default();
        // Loops that are open: where they begin.
        let mut open: Vec<u32> = Vec::new();
        let mut begins = Vec::new();
        for (at, op) in strip.ops.iter().enumerate() {
            let at = at as u32;
            match op {
                SOp::Loop(_) => open.push(at),
                SOp::End => {
                    let begin = open.pop().expect("checked strips are well formed");
                    ends.insert(begin, at);
                    // What it carries, and what it uses from outside.
                    for v in 0..at {
                        let carried = v > begin && matches!(strip.ops[v as usize], SOp::Carried(_));
                        let used = |u: &u32| *u > begin && *u < at;
                        let own = carried && begins[v as usize] == Some(begin);
                        if own || (v < begin && uses[v as usize].iter().any(used)) {
                            uses[v as usize].push(at);
                        }
                    }
                }
                _ => {}
            }
            begins.push(open.last().copied());
            op.operands().for_each(|(v, _)| uses[v as usize].push(at));
        }
        for (r, red) in strip.reds.iter().enumerate() {
            uses[red.val as usize].push((strip.ops.len() + r) as u32);
        }
        let rows = if strip.serial { Vec::new() } else { rows(tier, strip, free.len()) };
        for row in &rows {
            let last = row.iter().copied().max().expect("a row has elements");
            for v in row {
                strip.ops[*v as usize].operands().for_each(|(x, _)| {
                    uses[x as usize].push(last);
                    uses[x as usize].sort_unstable();
                });
            }
        }
        let uniform = |op: &SOp| match op {
            SOp::Const(_) | SOp::Scal(_) => true,
            SOp::Load(s) => {
                let s = &strip.streams[*s as usize];
                s.access == Access::R && s.step == Step::Const(0)
            }
            _ => false,
        };
        let uniform: Vec<bool> = strip.ops.iter().map(uniform).collect();
        let mut successors = FxHashMap::default();
        for (at, op) in strip.ops.iter().enumerate() {
            let SOp::Next(c, x) = *op else { continue };
            let (at, begin) = (at as u32, begins[at]);
            let end = begin.map_or(at, |begin| ends[&begin]);
            let over = uses[c as usize].iter().all(|u| *u <= x || *u == at || *u >= end);
            let of = strip.ops[x as usize];
            let own = begins[x as usize] == begin && !matches!(of, SOp::Carried(_)) && !uniform[x as usize];
            if own && over && of.class() == Class::Number {
                successors.entry(x).or_insert(c);
            }
        }
        let tail = if calls { saved(tier) } else { 0 };
        let own = tail + if tier == X86::Avx2 { 64 } else { 0 };
        let spilled = own + tier.bytes() * together as i32 * strip.own.iter().sum::<u32>() as i32;
        let (spills, natives, direct, rare) = Default::default();
        let (asm, spilled_inside) = (Assembler::new(tier), 0);
        let pointers = pointers(strip, &uses);
        let carries: FxHashMap<V, (V, Vreg)> = before
            .iter()
            .flat_map(|b| b.of.iter().zip(free.end..))
            .map(|((v, u), r)| (*v, (*u, Vreg(r))))
            .collect();
        let main_uses = before.map(|b| main_uses(b, &carries)).unwrap_or_default();
        Shared {
            strip,
            tier,
            asm,
            uses,
            before,
            carries,
            constants: Vec::new(),
            main_uses,
            uniform,
            rows,
            columns: if strip.serial { Vec::new() } else { columns(tier, strip) },
            ends,
            successors,
            pointers,
            free,
            spills,
            tail,
            own,
            spilled,
            spilled_inside,
            natives,
            direct,
            rare,
        }
    }

    /// Bytes of the frame.
    pub fn frame(&self) -> i32 {
        self.spilled + self.tier.bytes() * self.spills.len() as i32
    }

    /// Where a spilled value is.
    pub fn spilled(&self, at: u32) -> Mem {
        Mem::at(RSP, self.spilled + self.tier.bytes() * at as i32)
    }

    /// Where an array of the elements' own is, of the first of so many vectors.
    pub fn own(&self, array: u8, vectors: usize) -> i32 {
        let before: u32 = self.strip.own[..array as usize].iter().sum();
        self.own + self.tier.bytes() * vectors as i32 * before as i32
    }

    /// With AVX2: where the mask of a tail is, or a lane of it.
    pub fn active(&self, lane: usize) -> Mem {
        Mem::at(RSP, self.tail + 8 * lane as i32)
    }

    /// With AVX2: where a vector is taken apart, or put together, from a lane on.
    pub fn apart(&self, lane: usize) -> Mem {
        Mem::at(RSP, self.tail + 32 + 8 * lane as i32)
    }

    /// A pointer: in its register, or loaded into rax.
    pub fn base(&mut self, k: u16) -> Gpr {
        match self.pointers[k as usize] {
            Some(r) => r,
            None => {
                self.asm.load(RAX, Mem::at(BASES, 8 * k as i32));
                RAX
            }
        }
    }

    /// Gives numbers that are the same for all elements registers throughout, as far as these are not needed.
    pub fn keep_constants(&mut self) {
        if self.strip.loops() {
            return;
        }
        let strip = self.strip;
        let mut counts: Vec<(usize, V)> = (0..strip.ops.len())
            .filter(|v| is_fixed(strip.ops[*v]))
            .map(|v| (self.uses[v].len(), v as V))
            .collect();
        counts.sort_by_key(|(n, v)| (std::cmp::Reverse(*n), *v));
        // What an operation takes for itself, or a row.
        let whole = self.rows.iter().any(|row| row.len() == ROW);
        let least = if whole { ROOM } else { self.tier.computing() as usize };
        let room = self.free.len().saturating_sub(least.max(strip.live() + SPARE));
        for (_, v) in counts.into_iter().take(room) {
            self.free.end -= 1;
            let r = Vreg(self.free.end);
            match strip.ops[v as usize] {
                SOp::Const(bits) => {
                    let bits = self.bits(bits);
                    self.bring(r, bits);
                }
                SOp::Scal(k) => self.asm.all(BROADCAST, r, None, Rm::Full(Mem::at(SLOTS, 8 * k as i32))),
                _ => unreachable!("it is the same for all elements"),
            }
            self.constants.push((v, r));
        }
    }

    /// Loads the base pointers that are kept in registers.
    pub fn load_bases(&mut self) {
        for (k, r) in self.pointers.iter().enumerate() {
            if let Some(r) = *r {
                self.asm.load(r, Mem::at(BASES, 8 * k as i32));
            }
        }
    }

    /// A number of all lanes as the last operand of an instruction.
    pub fn number(&mut self, x: f64) -> Rm {
        self.bits(x.to_bits())
    }

    pub fn bits(&mut self, bits: u64) -> Rm {
        match self.tier {
            X86::Avx512 => Rm::Broadcast(self.asm.constant(&bits.to_le_bytes())),
            X86::Avx2 => Rm::Full(self.asm.constant(&[bits.to_le_bytes(); 4].concat())),
        }
    }

    /// An operand in memory, or a register, into a register.
    pub fn bring(&mut self, to: Vreg, from: Rm) {
        match from {
            Rm::Reg(from) => self.asm.all(MOVE, to, None, Rm::Reg(from)),
            Rm::Full(mem) => self.asm.all(LOAD, to, None, Rm::Full(mem)),
            Rm::Broadcast(mem) => self.asm.all(BROADCAST, to, None, Rm::Full(mem)),
        }
    }

    /// Emits the calls that were put off. All registers in use are kept: whoever calls knows nothing of it.
    pub fn emit_rare(&mut self) {
        let (tier, bytes) = (self.tier, self.tier.bytes());
        let operands = registers(tier);
        // With AVX2, masks are among the other registers.
        let kept = if tier == X86::Avx512 { 1..8 } else { 0..0 };
        for call in std::mem::take(&mut self.rare) {
            let asm = &mut self.asm;
            asm.here(call.from);
            match call.mask {
                Some(mask) => asm.mask_to(R15, mask),
                None => asm.set(R15, (1 << tier.lanes()) - 1),
            }
            for k in kept.clone() {
                asm.mask_to(RAX, Mask(k));
                asm.store(Mem::at(RSP, masks(tier) + 8 * k as i32), RAX);
            }
            for (k, r) in TURNS.iter().enumerate() {
                asm.store(Mem::at(RSP, turns(tier) + 8 * k as i32), *r);
            }
            let put = |asm: &mut Assembler, r: Vreg, at: i32| {
                asm.all(STORE, r, None, Rm::Full(Mem::at(RSP, at)));
            };
            let live = (0..tier.registers()).filter(|r| call.live >> r & 1 != 0);
            live.clone().for_each(|r| put(asm, Vreg(r), bytes * r as i32));
            put(asm, call.x, operands);
            if let Some(y) = call.y {
                put(asm, y, operands + bytes);
            }
            asm.zero_upper();
            asm.store(Mem::at(RSP, masks(tier)), R15);
            asm.set(R15, 0);
            let (next, over) = (asm.label(), asm.label());
            asm.here(next);
            asm.load(RAX, Mem::at(RSP, masks(tier)));
            asm.bit(RAX, R15);
            // The carry flag, as after a comparison that is below.
            asm.jump(Jump::AboveOrEqual, over);
            let lane = |at: i32| Mem::At { base: RSP, index: Some(R15), disp: at };
            asm.load_one(Vreg(0), lane(operands));
            if call.y.is_some() {
                asm.load_one(Vreg(1), lane(operands + bytes));
            }
            match self.natives.get(&call.f) {
                Some(address) => asm.call(*address),
                None => self.direct.push((asm.call_near(), call.f)),
            }
            asm.store_one(lane(bytes * call.result.0 as i32), Vreg(0));
            asm.here(over);
            asm.add_imm(R15, 1);
            asm.cmp_imm(R15, tier.lanes() as i32);
            asm.jump(Jump::Below, next);
            for r in live {
                asm.all(LOAD, Vreg(r), None, Rm::Full(Mem::at(RSP, bytes * r as i32)));
            }
            for k in kept.clone() {
                asm.load(RAX, Mem::at(RSP, masks(tier) + 8 * k as i32));
                asm.mask_from(Mask(k), RAX);
            }
            for (k, r) in TURNS.iter().enumerate() {
                asm.load(*r, Mem::at(RSP, turns(tier) + 8 * k as i32));
            }
            self.load_bases();
            self.asm.jump(Jump::Always, call.back);
        }
    }
}
