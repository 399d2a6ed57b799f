//! The operations of a strip for eight elements, or for several times eight together, and which registers they use.
//!
//! Registers are given out along the straight line; where there are none left, the value goes whose next use is furthest away (Belady's
//! rule). What can be had again from memory is not kept: constants and slots are operands in memory for all lanes at once, elements of streams
//! that are only read are loaded where they are used.
//!
//! Through a loop inside, what it carries and what it uses most is *fixed* in registers; all else that lives on is in memory before it
//! begins, so that every turn finds registers as the first one did.

use super::encode::*;
use crate::lower::strips::*;
use rustc_hash::FxHashMap;

/// Lanes of a vector.
pub(super) const LANES: i64 = 8;
/// Where the table of bases is, the table of slots, the number of the first lane's element, and the end.
pub(super) const BASES: Gpr = RBX;
pub(super) const SLOTS: Gpr = R12;
pub(super) const ELEMENT: Gpr = R13;
pub(super) const END: Gpr = R14;
/// Base pointers that are in registers.
const POINTERS: [Gpr; 8] = [Gpr(7), Gpr(6), Gpr(2), Gpr(1), Gpr(8), Gpr(9), Gpr(10), Gpr(11)];
/// The turns of loops inside, the outer one first: in strips that have any, these hold no pointers.
const TURNS: [Gpr; LEVELS] = [Gpr(11), Gpr(10)];
/// The lanes of a tail that are elements.
pub(super) const ACTIVE: Kreg = Kreg(1);
/// For what one instruction needs.
const SCRATCH: Kreg = Kreg(7);
const MASKS: std::ops::Range<u8> = 2..7;
/// Bytes of the frame in which a call of a native function keeps all registers, operands and results.
pub(super) const SAVED: i32 = 64 * 36;
const OPERANDS: i32 = 64 * 32;
const SAVED_MASKS: i32 = 64 * 34;
const SAVED_TURNS: i32 = 64 * 35;
/// Registers that a loop inside leaves to what it computes, at least.
pub(super) const COMPUTING: u32 = 12;

/// `|a|` has all bits but this one.
const SIGN: u64 = 1 << 63;
/// 2⁵² + 1023: added to an integer, the low bits are those of its exponent.
const BIASED: f64 = 4_503_599_627_370_496.0 + 1023.0;

/// Ordered, quiet comparisons.
const CMP_EQ: u8 = 0x00;
const CMP_UNORDERED: u8 = 0x03;
const CMP_NE: u8 = 0x04;
const CMP_LT: u8 = 0x11;
const CMP_LE: u8 = 0x12;
const CMP_GE: u8 = 0x1d;

/// Where a vector of elements is in the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// Elements from [`ELEMENT`] to the first lane's.
    pub ahead: i64,
    /// Whether only [`ACTIVE`] lanes are elements.
    pub tail: bool,
}

/// What is kept of a value.
#[derive(Clone, Copy, Default)]
struct Kept {
    reg: Option<u8>,
    /// A place in the frame, in vectors.
    spill: Option<u32>,
}

/// What is the same for all bodies of a strip.
pub(super) struct Shared<'s> {
    pub strip: &'s Strip,
    pub asm: Assembler,
    /// By value: the operations that use it. Reductions come behind all operations. What a loop uses from outside is used by its end, too.
    uses: Vec<Vec<u32>>,
    /// By value: whether it is the same in all lanes, and in memory.
    uniform: Vec<bool>,
    /// By operation that begins a loop: its end.
    ends: FxHashMap<u32, u32>,
    /// Registers that are given out.
    pub free: std::ops::Range<u8>,
    /// Vectors of the frame in use, and the most that were.
    spills: Vec<bool>,
    /// Bytes of the frame before spilled values, and before arrays of the elements' own.
    saved: i32,
    own: i32,
    /// Times that a value inside a loop is put into the frame.
    pub spilled_inside: u32,
    /// Where the addresses of native functions are.
    pub natives: FxHashMap<Callee, Mem>,
    /// Where the distances to native functions belong that are called directly.
    pub direct: Vec<(usize, Callee)>,
    /// Code that is seldom run, for the end: where it begins, and where it goes on.
    rare: Vec<RareCall>,
}

/// A call of a native function for lanes of a mask.
struct RareCall {
    from: Label,
    back: Label,
    mask: Kreg,
    f: Callee,
    x: Zmm,
    y: Option<Zmm>,
    result: Zmm,
}

impl<'s> Shared<'s> {
    /// `vectors`: how many are computed together, at most.
    pub fn new(strip: &'s Strip, free: std::ops::Range<u8>, saved: i32, vectors: usize) -> Shared<'s> {
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
        let uniform = |op: &SOp| match op {
            SOp::Const(_) | SOp::Scal(_) => true,
            SOp::Load(s) => {
                let s = &strip.streams[*s as usize];
                s.access == Access::R && s.step == Step::Const(0)
            }
            _ => false,
        };
        let uniform = strip.ops.iter().map(uniform).collect();
        let own = saved;
        let saved = saved + 64 * vectors as i32 * strip.own.iter().sum::<u32>() as i32;
        let (asm, spills, natives, direct, rare) = Default::default();
        let spilled_inside = 0;
        Shared {
            strip,
            asm,
            uses,
            uniform,
            ends,
            free,
            spills,
            saved,
            own,
            spilled_inside,
            natives,
            direct,
            rare,
        }
    }

    /// How many base pointers are in registers.
    fn pointers(&self) -> usize {
        POINTERS.len() - if self.ends.is_empty() { 0 } else { LEVELS }
    }

    /// Bytes of the frame.
    pub fn frame(&self) -> i32 {
        self.saved + 64 * self.spills.len() as i32
    }

    /// A pointer: in its register, or loaded into rax.
    pub fn base(&mut self, k: u16) -> Gpr {
        match POINTERS[..self.pointers()].get(k as usize) {
            Some(r) => *r,
            None => {
                self.asm.load(RAX, Mem::at(BASES, 8 * k as i32));
                RAX
            }
        }
    }

    /// Loads the base pointers that are kept in registers.
    pub fn load_bases(&mut self, count: usize) {
        for (k, r) in POINTERS[..self.pointers()].iter().enumerate().take(count) {
            self.asm.load(*r, Mem::at(BASES, 8 * k as i32));
        }
    }

    /// Emits the calls that were put off. All registers are kept: whoever calls knows nothing of it.
    pub fn emit_rare(&mut self, bases: usize) {
        for call in std::mem::take(&mut self.rare) {
            let asm = &mut self.asm;
            asm.here(call.from);
            asm.mask_to(R15, call.mask);
            for k in 1..8 {
                asm.mask_to(RAX, Kreg(k));
                asm.store(Mem::at(RSP, SAVED_MASKS + 8 * k as i32), RAX);
            }
            for (k, r) in TURNS.iter().enumerate() {
                asm.store(Mem::at(RSP, SAVED_TURNS + 8 * k as i32), *r);
            }
            let put = |asm: &mut Assembler, r: Zmm, at: i32| {
                asm.vector(STORE, r, None, Rm::Full(Mem::at(RSP, at)), Under::All, None);
            };
            (0..32).for_each(|r| put(asm, Zmm(r), 64 * r as i32));
            put(asm, call.x, OPERANDS);
            if let Some(y) = call.y {
                put(asm, y, OPERANDS + 64);
            }
            asm.zero_upper();
            asm.store(Mem::at(RSP, SAVED_MASKS), R15);
            asm.set(R15, 0);
            let (next, over) = (asm.label(), asm.label());
            asm.here(next);
            asm.load(RAX, Mem::at(RSP, SAVED_MASKS));
            asm.bit(RAX, R15);
            // The carry flag, as after a comparison that is below.
            asm.jump(Jump::AboveOrEqual, over);
            let lane = |at: i32| Mem::At { base: RSP, index: Some(R15), disp: at };
            asm.load_one(Zmm(0), lane(OPERANDS));
            if call.y.is_some() {
                asm.load_one(Zmm(1), lane(OPERANDS + 64));
            }
            match self.natives.get(&call.f) {
                Some(address) => asm.call(*address),
                None => self.direct.push((asm.call_near(), call.f)),
            }
            asm.store_one(lane(64 * call.result.0 as i32), Zmm(0));
            asm.here(over);
            asm.add_imm(R15, 1);
            asm.cmp_imm(R15, LANES as i32);
            asm.jump(Jump::Below, next);
            for r in 0..32 {
                let at = Mem::at(RSP, 64 * r as i32);
                asm.vector(LOAD, Zmm(r), None, Rm::Full(at), Under::All, None);
            }
            for k in 1..8 {
                asm.load(RAX, Mem::at(RSP, SAVED_MASKS + 8 * k as i32));
                asm.mask_from(Kreg(k), RAX);
            }
            for (k, r) in TURNS.iter().enumerate() {
                asm.load(*r, Mem::at(RSP, SAVED_TURNS + 8 * k as i32));
            }
            self.load_bases(bases);
            self.asm.jump(Jump::Always, call.back);
        }
    }
}

/// A value of one of the vectors: the value times the number of vectors, plus the number of the vector.
type Key = u32;

/// A loop inside, while its code is made.
struct Turning {
    turns: Turns,
    head: Label,
    end: Label,
    /// Registers that were fixed outside.
    fixed: u32,
    /// Whether the body has begun.
    begun: bool,
}

/// The code for some vectors of elements, while it is made.
pub(super) struct Body<'b, 's> {
    with: &'b mut Shared<'s>,
    /// Where each vector is, and which is the one at hand.
    ats: &'b [At],
    vector: usize,
    /// By key.
    kept: Vec<Kept>,
    regs: [Option<Key>; 32],
    masks: [Option<Key>; 8],
    /// Registers that keep what they hold through a loop.
    fixed: u32,
    open: Vec<Turning>,
    /// Registers that the operation at hand uses.
    locked: u32,
    locked_masks: u8,
    /// The operation at hand.
    now: u32,
    /// Where lanes exit: the place, and the mask of those that do.
    pub exits: Vec<(Label, Kreg)>,
}

impl<'b, 's> Body<'b, 's> {
    pub fn new(with: &'b mut Shared<'s>, ats: &'b [At]) -> Body<'b, 's> {
        let kept = vec![Kept::default(); with.strip.ops.len() * ats.len()];
        with.spills.iter_mut().for_each(|s| *s = false);
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
            exits: Vec::new(),
        }
    }

    /// All operations. `reduce` takes in what is reduced: which, the vector, and the value.
    pub fn emit(mut self, mut reduce: impl FnMut(&mut Self, usize, usize, V)) -> Vec<(Label, Kreg)> {
        let strip = self.with.strip;
        for (v, op) in strip.ops.iter().enumerate() {
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
                        self.op(v as V, op);
                        op.operands().for_each(|(x, _)| self.release(x));
                        self.release(v as V);
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

    fn begin(&mut self, at: usize, vector: usize) {
        self.vector = vector;
        self.now = (at * self.ats.len() + vector) as u32;
        (self.locked, self.locked_masks) = (0, 0);
    }

    fn at(&self) -> At {
        self.ats[self.vector]
    }

    fn asm(&mut self) -> &mut Assembler {
        &mut self.with.asm
    }

    /// The value of the vector at hand; what is the same in all lanes is that of the first one.
    fn key(&self, v: V) -> Key {
        let vector = if self.with.uniform[v as usize] { 0 } else { self.vector };
        v * self.ats.len() as u32 + vector as u32
    }

    fn value_of(&self, key: Key) -> V {
        key / self.ats.len() as u32
    }

    fn kept(&self, v: V) -> Kept {
        self.kept[self.key(v) as usize]
    }

    /// The next operation after this one that uses a value, and for which vector.
    fn next_use_of(&self, key: Key) -> Option<u32> {
        let vectors = self.ats.len() as u32;
        let v = key / vectors;
        let last = if self.with.uniform[v as usize] { vectors - 1 } else { key % vectors };
        let uses = &self.with.uses[v as usize];
        let when = |u: &u32| u * vectors + last;
        uses.get(uses.partition_point(|u| when(u) <= self.now)).map(when)
    }

    fn next_use(&self, v: V) -> Option<u32> {
        self.next_use_of(self.key(v))
    }

    /// Forgets a value that nothing uses any more.
    fn release(&mut self, v: V) {
        self.release_key(self.key(v));
    }

    fn release_key(&mut self, key: Key) {
        if self.next_use_of(key).is_some() {
            return;
        }
        let class = self.with.strip.ops[self.value_of(key) as usize].class();
        let kept = std::mem::take(&mut self.kept[key as usize]);
        if let Some(r) = kept.reg {
            match class {
                Class::Mask => self.masks[r as usize] = None,
                _ => self.regs[r as usize] = None,
            }
        }
        if let Some(s) = kept.spill {
            self.with.spills[s as usize] = false;
        }
    }

    /// Whether a value can be had again without having been kept.
    fn is_in_memory(&self, v: V) -> bool {
        match self.with.strip.ops[v as usize] {
            SOp::Const(_) | SOp::Scal(_) => true,
            SOp::Load(s) => {
                let s = &self.with.strip.streams[s as usize];
                s.access == Access::R && matches!(s.step, Step::Unit | Step::Const(0))
            }
            _ => false,
        }
    }

    fn new_spill(&mut self) -> u32 {
        let spills = &mut self.with.spills;
        let at = spills.iter().position(|used| !used).unwrap_or_else(|| {
            spills.push(false);
            spills.len() - 1
        });
        spills[at] = true;
        at as u32
    }

    fn spilled(&self, at: u32) -> Mem {
        Mem::at(RSP, self.with.saved + 64 * at as i32)
    }

    /// A register for anything, until the end of this operation.
    pub fn temporary(&mut self) -> Zmm {
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
        Zmm(r)
    }

    /// Sees to it that the value of a register is in memory, too.
    fn put_into_memory(&mut self, r: u8) {
        let Some(key) = self.regs[r as usize] else { return };
        if self.is_in_memory(self.value_of(key)) || self.kept[key as usize].spill.is_some() {
            return;
        }
        let at = self.new_spill();
        self.with.spilled_inside += self.open.last().is_some_and(|l| l.begun) as u32;
        self.kept[key as usize].spill = Some(at);
        let mem = self.spilled(at);
        self.asm().vector(STORE, Zmm(r), None, Rm::Full(mem), Under::All, None);
    }

    /// Begins a loop: what lives on goes into memory.
    fn begin_loop(&mut self, v: usize, turns: Turns) {
        self.begin(v, 0);
        let fixed = self.fixed;
        for r in self.with.free.clone().filter(|r| fixed >> r & 1 == 0) {
            self.put_into_memory(r);
        }
        for k in MASKS {
            self.put_mask_into_memory(k);
            if let Some(key) = self.masks[k as usize].take() {
                self.kept[key as usize].reg = None;
            }
        }
        let (head, end) = (self.asm().label(), self.asm().label());
        self.open.push(Turning { turns, head, end, fixed: self.fixed, begun: false });
    }

    /// The first operation of a loop's body: fixes what it uses most, as far as there is room, and begins to count.
    fn begin_turns(&mut self, v: usize) {
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
        let all = self.with.free.len() as u32;
        for (_, key) in counts {
            if self.fixed.count_ones() + COMPUTING >= all {
                break;
            }
            self.begin(v - 1, (key % vectors) as usize);
            let r = self.reg(self.value_of(key));
            self.fixed |= 1 << r.0;
        }
        self.forget_all_but_fixed();
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

    fn forget_all_but_fixed(&mut self) {
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

    /// What is carried into the next turn, all of it at the first one of these operations.
    fn next(&mut self, v: usize) {
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
                self.asm().vector(MOVE, t, None, Rm::Reg(from), Under::All, None);
                aside.push((self.kept(*c).reg.expect("what is carried is fixed"), t));
            }
        }
        for k in 0..self.ats.len() {
            self.vector = k;
            for (c, x) in all.iter().filter(|(_, x)| !carried(*x)) {
                let to = Zmm(self.kept(*c).reg.expect("what is carried is fixed"));
                self.copy_to(to, *x);
            }
        }
        for (to, from) in aside {
            self.asm().vector(MOVE, Zmm(to), None, Rm::Reg(from), Under::All, None);
        }
    }

    /// A value into a register that holds something else.
    fn copy_to(&mut self, to: Zmm, x: V) {
        if self.kept(x).reg.is_none()
            && self.kept(x).spill.is_none()
            && let SOp::Load(s) = self.with.strip.ops[x as usize]
        {
            return self.load(s, to);
        }
        match self.rm(x) {
            Rm::Reg(from) if from == to => {}
            Rm::Broadcast(mem) => self.asm().vector(BROADCAST, to, None, Rm::Full(mem), Under::All, None),
            Rm::Reg(from) => self.asm().vector(MOVE, to, None, Rm::Reg(from), Under::All, None),
            full => self.asm().vector(LOAD, to, None, full, Under::All, None),
        }
    }

    fn end_loop(&mut self, v: usize) {
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

    /// Adds all vectors to the elements of a cycle.
    fn add_to_cycle(&mut self, v: usize, s: u16, x: V) {
        let stream = self.with.strip.streams[s as usize];
        self.begin(v, self.ats.len() - 1);
        let t = self.temporary();
        let (base, disp) = self.turned(&stream, false);
        let place = Rm::Full(Mem::at(base, disp));
        // Operands may need the register of the place.
        self.asm().vector(LOAD, t, None, place, Under::All, None);
        for k in 0..self.ats.len() {
            self.vector = k;
            let rm = self.rm(x);
            let under = if self.at().tail { Under::Merge(ACTIVE) } else { Under::All };
            self.asm().vector(ADD, t, Some(t), rm, under, None);
        }
        let (base, disp) = self.turned(&stream, false);
        self.asm().vector(STORE, t, None, Rm::Full(Mem::at(base, disp)), Under::All, None);
        for k in 0..self.ats.len() {
            self.vector = k;
            self.release(x);
        }
    }

    /// The place of a stream's element in the turn at hand, so many bytes from a pointer; of an array of the elements' own, that of the
    /// vector at hand. `moved`: r15 holds a distance in bytes already.
    fn turned(&mut self, s: &Stream, moved: bool) -> (Gpr, i32) {
        let (base, unit, first) = match s.step {
            Step::Own => {
                let before: u32 = self.with.strip.own[..s.base as usize].iter().sum();
                let vectors = self.ats.len() as i32;
                let first = self.with.own + 64 * vectors * before as i32 + 64 * self.vector as i32;
                (RSP, 64 * vectors, first)
            }
            _ => (self.with.base(s.base as u16), 8, 0),
        };
        let disp = first + unit * s.off;
        let asm = &mut self.with.asm;
        match s.turns {
            [0, 0] if !moved => return (base, disp),
            [outer, inner] if !moved && inner != 0 && outer % inner == 0 => {
                if outer != 0 {
                    asm.mul_imm(R15, TURNS[0], outer / inner);
                    asm.add(R15, TURNS[1]);
                    asm.mul_imm(R15, R15, unit * inner);
                } else {
                    asm.mul_imm(R15, TURNS[1], unit * inner);
                }
            }
            turns => {
                let mut moved = moved;
                for (level, by) in turns.iter().enumerate().filter(|(_, by)| **by != 0) {
                    if moved {
                        // All other registers are in use.
                        asm.push(TURNS[level]);
                        asm.mul_imm(TURNS[level], TURNS[level], unit * by);
                        asm.add(R15, TURNS[level]);
                        asm.pop(TURNS[level]);
                    } else {
                        asm.mul_imm(R15, TURNS[level], unit * by);
                    }
                    moved = true;
                }
            }
        }
        asm.add(R15, base);
        (R15, disp)
    }

    /// The register of a result: that of an operand that is not used again, or another one. Operands are not to be read after it is written.
    fn result(&mut self, v: V, operands: &[V]) -> Zmm {
        for x in operands {
            let class = self.with.strip.ops[*x as usize].class();
            if let (Some(r), None, Class::Number) = (self.kept(*x).reg, self.next_use(*x), class) {
                let key = self.key(*x);
                self.kept[key as usize].reg = None;
                return self.hold(v, Zmm(r));
            }
        }
        let r = self.temporary();
        self.hold(v, r)
    }

    fn hold(&mut self, v: V, r: Zmm) -> Zmm {
        let key = self.key(v);
        self.regs[r.0 as usize] = Some(key);
        self.kept[key as usize].reg = Some(r.0);
        r
    }

    /// A value in a register.
    pub fn reg(&mut self, v: V) -> Zmm {
        if let Some(r) = self.kept(v).reg {
            self.locked |= 1 << r;
            return Zmm(r);
        }
        let spill = self.kept(v).spill;
        let r = self.temporary();
        match (spill, self.with.strip.ops[v as usize]) {
            (Some(at), _) => {
                let mem = self.spilled(at);
                self.asm().vector(LOAD, r, None, Rm::Full(mem), Under::All, None);
            }
            (None, SOp::Load(s)) => self.load(s, r),
            (None, SOp::Const(_) | SOp::Scal(_)) => {
                let mem = self.one_number(v);
                self.asm().vector(BROADCAST, r, None, Rm::Full(mem), Under::All, None);
            }
            (None, op) => unreachable!("{op:?} is in a register or spilled"),
        }
        self.hold(v, r)
    }

    /// Where a constant or a slot is.
    fn one_number(&mut self, v: V) -> Mem {
        match self.with.strip.ops[v as usize] {
            SOp::Const(bits) => self.asm().constant(&bits.to_le_bytes()),
            SOp::Scal(k) => Mem::at(SLOTS, 8 * k as i32),
            op => unreachable!("{op:?} is no number of all lanes"),
        }
    }

    /// A value as the last operand of an instruction.
    pub fn rm(&mut self, v: V) -> Rm {
        if self.kept(v).reg.is_some() {
            return Rm::Reg(self.reg(v));
        }
        match (self.kept(v).spill, self.with.strip.ops[v as usize]) {
            (Some(at), _) => Rm::Full(self.spilled(at)),
            (None, SOp::Const(_) | SOp::Scal(_)) => Rm::Broadcast(self.one_number(v)),
            (None, SOp::Load(s)) if self.next_use(v).is_none() && !self.at().tail => {
                let stream = self.with.strip.streams[s as usize];
                match stream.step {
                    Step::Unit => Rm::Full(self.unit(&stream)),
                    _ => Rm::Broadcast(self.fixed(&stream)),
                }
            }
            _ => Rm::Reg(self.reg(v)),
        }
    }

    /// Whether a value is better the last operand than another one.
    fn is_last(&self, v: V) -> bool {
        self.kept(v).reg.is_none()
    }

    /// Elements one after the other.
    fn unit(&mut self, s: &Stream) -> Mem {
        let ahead = self.at().ahead as i32;
        let (base, disp) = self.turned(s, false);
        Mem::At { base, index: Some(ELEMENT), disp: disp + 8 * ahead }
    }

    /// The same element for all lanes, or those of the lanes' own arrays.
    fn fixed(&mut self, s: &Stream) -> Mem {
        let (base, disp) = self.turned(s, false);
        Mem::at(base, disp)
    }

    /// Elements at a distance, for a gather or scatter under [`SCRATCH`]: their places. The index is in a temporary register.
    fn places(&mut self, s: &Stream) -> Mem {
        let index = self.temporary();
        let (base, disp) = self.first(s);
        let lanes = |step: i64| (0..LANES).flat_map(|l| (l * step).to_le_bytes()).collect::<Vec<u8>>();
        let asm = self.asm();
        let places = asm.constant(&lanes(if let Step::Const(step) = s.step { step as i64 } else { 1 }));
        asm.vector(LOAD, index, None, Rm::Full(places), Under::All, None);
        if let Step::Scal(slot) = s.step {
            let stride = Rm::Broadcast(Mem::at(SLOTS, 8 * slot as i32));
            asm.vector(MUL_INT, index, Some(index), stride, Under::All, None);
        }
        asm.mask(KMOVE, SCRATCH, SCRATCH, ACTIVE);
        Mem::Lanes { base, index, disp }
    }

    /// The first of elements at a distance.
    fn first(&mut self, s: &Stream) -> (Gpr, i32) {
        let ahead = self.at().ahead as i32;
        let asm = self.asm();
        let disp = match s.step {
            Step::Scal(slot) => {
                asm.address(R15, Mem::at(ELEMENT, ahead));
                asm.load(RAX, Mem::at(SLOTS, 8 * slot as i32));
                asm.mul(R15, RAX);
                asm.shift_left(R15, 3);
                0
            }
            Step::Unit | Step::Const(_) | Step::Cycle | Step::Own => {
                let step = if let Step::Const(step) = s.step { step } else { 1 };
                asm.mul_imm(R15, ELEMENT, 8 * step);
                8 * ahead * step
            }
        };
        let (base, first) = self.turned(s, true);
        (base, disp + first)
    }

    /// The places of all lanes of elements at a distance, one after the other: gathers and scatters take several times as long.
    fn each(&mut self, s: &Stream, mut visit: impl FnMut(&mut Assembler, usize, Mem)) {
        let (base, first) = self.first(s);
        let asm = self.asm();
        if let Step::Scal(slot) = s.step {
            asm.load(RAX, Mem::at(SLOTS, 8 * slot as i32));
            asm.shift_left(RAX, 3);
        }
        for lane in 0..LANES as usize {
            match s.step {
                Step::Scal(_) => {
                    visit(asm, lane, Mem::at(base, first));
                    asm.add(base, RAX);
                }
                Step::Const(step) => visit(asm, lane, Mem::at(base, first + 8 * lane as i32 * step)),
                Step::Unit | Step::Cycle | Step::Own => {
                    visit(asm, lane, Mem::at(base, first + 8 * lane as i32));
                }
            }
        }
    }

    fn load(&mut self, s: u16, to: Zmm) {
        let s = self.with.strip.streams[s as usize];
        match s.step {
            Step::Unit => {
                let mem = self.unit(&s);
                let under = if self.at().tail { Under::Zero(ACTIVE) } else { Under::All };
                self.asm().vector(LOAD, to, None, Rm::Full(mem), under, None);
            }
            Step::Cycle | Step::Own => {
                let mem = self.fixed(&s);
                self.asm().vector(LOAD, to, None, Rm::Full(mem), Under::All, None);
            }
            Step::Const(0) => {
                let mem = self.fixed(&s);
                self.asm().vector(BROADCAST, to, None, Rm::Full(mem), Under::All, None);
            }
            Step::Const(_) | Step::Scal(_) if self.at().tail => {
                let mem = self.places(&s);
                self.asm().vector(GATHER, to, None, Rm::Full(mem), Under::Merge(SCRATCH), None);
            }
            Step::Const(_) | Step::Scal(_) => {
                let two = [to, self.temporary(), self.temporary(), self.temporary()];
                self.each(&s, |asm, lane, mem| {
                    let to = two[lane / 2];
                    match lane % 2 {
                        0 => asm.vector(LOAD_LOW, to, None, Rm::Full(mem), Under::All, None),
                        _ => asm.vector(LOAD_HIGH, to, Some(to), Rm::Full(mem), Under::All, None),
                    }
                });
                for (op, to, from) in [(INSERT_TWO, 0, 1), (INSERT_TWO, 2, 3), (INSERT_FOUR, 0, 2)] {
                    self.asm().vector(op, two[to], Some(two[to]), Rm::Reg(two[from]), Under::All, Some(1));
                }
            }
        }
    }

    fn store(&mut self, s: u16, x: V) {
        let s = self.with.strip.streams[s as usize];
        let from = self.reg(x);
        if s.step == Step::Unit {
            let mem = self.unit(&s);
            let under = if self.at().tail { Under::Merge(ACTIVE) } else { Under::All };
            self.asm().vector(STORE, from, None, Rm::Full(mem), under, None);
        } else if s.step == Step::Own {
            let mem = self.fixed(&s);
            self.asm().vector(STORE, from, None, Rm::Full(mem), Under::All, None);
        } else if self.at().tail {
            let mem = self.places(&s);
            self.asm().vector(SCATTER, from, None, Rm::Full(mem), Under::Merge(SCRATCH), None);
        } else {
            let part = self.temporary();
            self.each(&s, |asm, lane, mem| {
                let two = if lane < 2 { from } else { part };
                if lane % 2 == 0 && lane > 0 {
                    let lanes = Some(lane as u8 / 2);
                    asm.vector(EXTRACT_TWO, from, None, Rm::Reg(part), Under::All, lanes);
                }
                let op = if lane % 2 == 0 { STORE_LOW } else { STORE_HIGH };
                asm.vector(op, two, None, Rm::Full(mem), Under::All, None);
            });
        }
    }

    fn number(&mut self, x: f64) -> Rm {
        self.bits(x.to_bits())
    }

    fn bits(&mut self, bits: u64) -> Rm {
        Rm::Broadcast(self.asm().constant(&bits.to_le_bytes()))
    }

    /// One instruction of a value.
    fn one(&mut self, v: V, op: Evex, a: V, imm: Option<u8>) {
        let a_rm = self.rm(a);
        let y = self.result(v, &[a]);
        self.asm().vector(op, y, None, a_rm, Under::All, imm);
    }

    /// One instruction of a value and something else.
    fn with(&mut self, v: V, op: Evex, a: V, b: Rm) {
        let a_reg = self.reg(a);
        let y = self.result(v, &[a]);
        self.asm().vector(op, y, Some(a_reg), b, Under::All, None);
    }

    fn op(&mut self, v: V, op: SOp) {
        match op {
            // In memory until they are used.
            SOp::Const(_) | SOp::Scal(_) => {}
            SOp::Load(s) => {
                if !self.is_in_memory(v) {
                    let to = self.temporary();
                    self.load(s, to);
                    self.hold(v, to);
                }
            }
            SOp::Index => {
                let y = self.result(v, &[]);
                let lanes = (0..LANES)
                    .flat_map(|l| ((self.at().ahead + l) as f64).to_le_bytes())
                    .collect::<Vec<u8>>();
                let asm = self.asm();
                asm.int_to_double(y, ELEMENT);
                asm.vector(BROADCAST, y, None, Rm::Reg(y), Under::All, None);
                let lanes = Rm::Full(asm.constant(&lanes));
                asm.vector(ADD, y, Some(y), lanes, Under::All, None);
            }
            SOp::Turn(level) => {
                let y = self.result(v, &[]);
                let asm = self.asm();
                asm.int_to_double(y, TURNS[level as usize]);
                asm.vector(BROADCAST, y, None, Rm::Reg(y), Under::All, None);
            }
            SOp::Carried(init) => {
                let y = self.same_as(v, init);
                self.fixed |= 1 << y.0;
            }
            SOp::Last(c) => {
                self.same_as(v, c);
            }
            SOp::Loop(_) | SOp::Next(..) | SOp::End | SOp::AddTo(..) => {
                unreachable!("they are for all vectors")
            }
            SOp::Store(s, x) => self.store(s, x),
            SOp::Exit(m) => self.exit(m),
            SOp::Un(op, a) => self.unary(v, op, a),
            SOp::Bin(op, a, b) => self.binary(v, op, a, b),
            SOp::Fma { neg_a, neg_c, a, b, c } => self.fma(v, (neg_a, neg_c), [a, b, c]),
            SOp::Cmp(cc, a, b) => {
                let predicate = match cc {
                    Cc::Lt => CMP_LT,
                    Cc::Le => CMP_LE,
                    Cc::Eq => CMP_EQ,
                    Cc::Ne => CMP_NE,
                };
                let k = self.new_mask(v);
                let a = self.reg(a);
                let b = self.rm(b);
                self.asm().compare(k, a, b, predicate);
            }
            SOp::Mask(op, a, b) => {
                let (a, b) = (self.mask(a), self.mask(b));
                let k = self.new_mask(v);
                let op = match op {
                    MaskOp::And => KAND,
                    MaskOp::Or => KOR,
                    MaskOp::Xor => KXOR,
                };
                self.asm().mask(op, k, a, b);
            }
            SOp::Not(a) => {
                let a = self.mask(a);
                let k = self.new_mask(v);
                self.asm().mask(KNOT, k, k, a);
            }
            SOp::Select(m, a, b) => {
                let m = self.mask(m);
                let b_reg = self.reg(b);
                let a_rm = self.rm(a);
                let y = self.result(v, &[b, a]);
                self.asm().vector(BLEND, y, Some(b_reg), a_rm, Under::Merge(m), None);
            }
            SOp::Call(f, a, b) => {
                let x = self.reg(a);
                let y = b.map(|b| self.reg(b));
                let result = self.temporary();
                let mask = if self.at().tail { ACTIVE } else { SCRATCH };
                if !self.at().tail {
                    self.asm().mask(KXNOR, SCRATCH, SCRATCH, SCRATCH);
                }
                let (from, back) = (self.asm().label(), self.asm().label());
                self.asm().jump(Jump::Always, from);
                self.asm().here(back);
                self.with.rare.push(RareCall { from, back, mask, f, x, y, result });
                self.hold(v, result);
            }
            SOp::Rare { mask, f, x, y } => {
                let mask = self.mask(mask);
                let x = self.reg(x);
                let y = self.reg(y);
                let result = self.temporary();
                let (from, back) = (self.asm().label(), self.asm().label());
                let tail = self.at().tail;
                let asm = self.asm();
                asm.vector(MOVE, result, None, Rm::Reg(y), Under::All, None);
                let mask = match tail {
                    true => {
                        asm.mask(KAND, SCRATCH, ACTIVE, mask);
                        SCRATCH
                    }
                    false => mask,
                };
                asm.mask(KORTEST, mask, mask, mask);
                asm.jump(Jump::NotEqual, from);
                asm.here(back);
                self.with.rare.push(RareCall { from, back, mask, f, x, y: None, result });
                self.hold(v, result);
            }
        }
    }

    /// A value in a register of its own that is another one.
    fn same_as(&mut self, v: V, x: V) -> Zmm {
        if self.kept(x).reg.is_some() && self.next_use(x).is_none() {
            return self.result(v, &[x]);
        }
        let y = self.temporary();
        self.copy_to(y, x);
        self.hold(v, y)
    }

    fn exit(&mut self, m: V) {
        let mut k = self.mask(m);
        if self.at().tail {
            self.asm().mask(KAND, SCRATCH, ACTIVE, k);
            k = SCRATCH;
        }
        let out = self.asm().label();
        self.asm().mask(KORTEST, k, k, k);
        self.asm().jump(Jump::NotEqual, out);
        self.exits.push((out, k));
    }

    fn unary(&mut self, v: V, op: Un, a: V) {
        match op {
            Un::Neg | Un::Abs => {
                let b = self.bits(if op == Un::Neg { SIGN } else { !SIGN });
                self.with(v, if op == Un::Neg { XOR } else { AND }, a, b);
            }
            Un::Sqrt => self.one(v, SQRT, a, None),
            Un::Rint => self.one(v, ROUND, a, Some(0x08)),
            Un::Floor => self.one(v, ROUND, a, Some(0x09)),
            Un::Ceil => self.one(v, ROUND, a, Some(0x0a)),
            Un::Trunc => self.one(v, ROUND, a, Some(0x0b)),
            // From 3/4 to 3/2, without sign.
            Un::GetMant => self.one(v, GET_MANT, a, Some(0x07)),
            Un::Pow2 => {
                let bias = self.number(BIASED);
                let a_reg = self.reg(a);
                let y = self.result(v, &[a]);
                self.asm().vector(ADD, y, Some(a_reg), bias, Under::All, None);
                self.asm().shift(y, y, 52);
            }
            Un::GetExp => {
                let a = self.reg(a);
                let (mantissa, y) = (self.temporary(), self.temporary());
                let (half, one) = (self.number(1.5), self.number(1.0));
                let asm = self.asm();
                asm.vector(GET_EXP, y, None, Rm::Reg(a), Under::All, None);
                // From 1 to 2, without sign.
                asm.vector(GET_MANT, mantissa, None, Rm::Reg(a), Under::All, Some(0x04));
                asm.compare(SCRATCH, mantissa, half, CMP_GE);
                asm.vector(ADD, y, Some(y), one, Under::Merge(SCRATCH), None);
                self.hold(v, y);
            }
        }
    }

    fn binary(&mut self, v: V, op: Bin, mut a: V, mut b: V) {
        let op = match op {
            Bin::Add => ADD,
            Bin::Sub => SUB,
            Bin::Mul => MUL,
            Bin::Div => DIV,
            Bin::MinX => MIN,
            Bin::MaxX => MAX,
            Bin::Copysign => {
                // The bits of `a` but for the sign, which is that of `b`.
                let (a_reg, b_reg) = (self.reg(a), self.reg(b));
                let y = self.temporary();
                let sign = self.bits(SIGN);
                let asm = self.asm();
                asm.vector(MOVE, y, None, Rm::Reg(a_reg), Under::All, None);
                asm.vector(TERNARY, y, Some(b_reg), sign, Under::All, Some(0xd8));
                self.hold(v, y);
                return;
            }
            Bin::Ldexp => return self.ldexp(v, a, b),
        };
        if matches!(op, ADD | MUL) && self.is_last(a) && !self.is_last(b) {
            (a, b) = (b, a);
        }
        let a_reg = self.reg(a);
        let b_rm = self.rm(b);
        let y = self.result(v, &[a, b]);
        self.asm().vector(op, y, Some(a_reg), b_rm, Under::All, None);
    }

    /// `a 2^n`, in two factors that are both in range.
    fn ldexp(&mut self, v: V, a: V, n: V) {
        let a_reg = self.reg(a);
        let n_rm = self.rm(n);
        let (m, k) = (self.temporary(), self.temporary());
        let (least, most) = (self.asm().constant(&(-2044f64).to_le_bytes()), self.number(2044.0));
        let (half, bias) = (self.number(0.5), self.number(BIASED));
        let asm = self.asm();
        asm.vector(BROADCAST, m, None, Rm::Full(least), Under::All, None);
        asm.vector(MAX, m, Some(m), n_rm, Under::All, None);
        asm.vector(MIN, m, Some(m), most, Under::All, None);
        asm.vector(MUL, k, Some(m), half, Under::All, None);
        asm.vector(ROUND, k, None, Rm::Reg(k), Under::All, Some(0x08));
        asm.vector(SUB, m, Some(m), Rm::Reg(k), Under::All, None);
        for x in [k, m] {
            asm.vector(ADD, x, Some(x), bias, Under::All, None);
            asm.shift(x, x, 52);
        }
        let y = self.result(v, &[a]);
        self.asm().vector(MUL, y, Some(a_reg), Rm::Reg(k), Under::All, None);
        self.asm().vector(MUL, y, Some(y), Rm::Reg(m), Under::All, None);
    }

    /// `±a b ± c`, into the register of an operand that is not used again if there is one.
    fn fma(&mut self, v: V, signs: (bool, bool), [mut a, mut b, c]: [V; 3]) {
        // Of the factors, the one in memory is the last operand.
        if self.is_last(a) && !self.is_last(b) {
            (a, b) = (b, a);
        }
        let ends = |body: &Self, x: V| body.kept(x).reg.is_some() && body.next_use(x).is_none();
        let op = |form| fma(form, signs.0, signs.1);
        if ends(self, c) && c != a && c != b {
            let a_reg = self.reg(a);
            let (c_reg, b_rm) = (self.reg(c), self.rm(b));
            let y = self.result(v, &[c]);
            debug_assert_eq!(y, c_reg);
            self.asm().vector(op(Form::F231), y, Some(a_reg), b_rm, Under::All, None);
            return;
        }
        for (x, other) in [(a, b), (b, a)] {
            if !ends(self, x) || x == other || x == c {
                continue;
            }
            let x_reg = self.reg(x);
            let in_memory = self.is_last(c);
            let (form, second, last) = match in_memory {
                // x = x other + c
                true => (Form::F213, self.reg(other), self.rm(c)),
                false => (Form::F132, self.reg(c), self.rm(other)),
            };
            let y = self.result(v, &[x]);
            debug_assert_eq!(y, x_reg);
            self.asm().vector(op(form), y, Some(second), last, Under::All, None);
            return;
        }
        let a_reg = self.reg(a);
        let y = self.temporary();
        match self.rm(c) {
            Rm::Broadcast(mem) => self.asm().vector(BROADCAST, y, None, Rm::Full(mem), Under::All, None),
            Rm::Reg(c) => self.asm().vector(MOVE, y, None, Rm::Reg(c), Under::All, None),
            full => self.asm().vector(LOAD, y, None, full, Under::All, None),
        }
        let b_rm = self.rm(b);
        self.asm().vector(op(Form::F231), y, Some(a_reg), b_rm, Under::All, None);
        self.hold(v, y);
    }

    /// A mask in a register.
    fn mask(&mut self, v: V) -> Kreg {
        if let Some(k) = self.kept(v).reg {
            self.locked_masks |= 1 << k;
            return Kreg(k);
        }
        let at = self.kept(v).spill.expect("masks are in registers or spilled");
        let k = self.new_mask(v);
        let mem = self.spilled(at);
        self.asm().load(RAX, mem);
        self.asm().mask_from(k, RAX);
        k
    }

    fn new_mask(&mut self, v: V) -> Kreg {
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
        Kreg(k)
    }

    /// Sees to it that a mask is in memory, too.
    fn put_mask_into_memory(&mut self, k: u8) {
        let Some(key) = self.masks[k as usize] else { return };
        if self.kept[key as usize].spill.is_none() {
            let at = self.new_spill();
            self.kept[key as usize].spill = Some(at);
            let mem = self.spilled(at);
            self.asm().mask_to(RAX, Kreg(k));
            self.asm().store(mem, RAX);
        }
    }

    /// Adds a value to its partial sums: in a register, or in memory.
    pub fn add_to(&mut self, sum: Option<Zmm>, base: u16, x: V) {
        let (At { ahead, tail }, x_reg) = (self.at(), self.reg(x));
        if let (Some(sum), false) = (sum, tail) {
            return self.asm().vector(ADD, sum, Some(sum), Rm::Reg(x_reg), Under::All, None);
        }
        let t = self.temporary();
        let base = self.with.base(base);
        let asm = self.asm();
        asm.address(R15, Mem::at(ELEMENT, ahead as i32));
        asm.and_imm(R15, PARTIALS as i8 - 1);
        let mem = Mem::At { base, index: Some(R15), disp: 0 };
        asm.vector(ADD, t, Some(x_reg), Rm::Full(mem), Under::All, None);
        let under = if tail { Under::Merge(ACTIVE) } else { Under::All };
        asm.vector(STORE, t, None, Rm::Full(mem), under, None);
    }

    /// Takes a value into an extreme.
    pub fn extreme(&mut self, op: RedOp, best: Zmm, x: V) {
        let (x, t, tail) = (self.reg(x), self.temporary(), self.at().tail);
        let under = if tail { Under::Merge(ACTIVE) } else { Under::All };
        extreme(self.asm(), op, best, x, t, under);
    }
}

/// `best` and `x` compared lane by lane: NaN if one is, and −0 is below +0.
pub(super) fn extreme(asm: &mut Assembler, op: RedOp, best: Zmm, x: Zmm, t: Zmm, under: Under) {
    let (better, of_equal) = if op == RedOp::Max { (MAX, AND) } else { (MIN, OR) };
    // The second operand where one is NaN.
    asm.vector(better, t, Some(best), Rm::Reg(x), Under::All, None);
    asm.compare(SCRATCH, best, Rm::Reg(x), CMP_EQ);
    asm.vector(of_equal, t, Some(best), Rm::Reg(x), Under::Merge(SCRATCH), None);
    asm.compare(SCRATCH, best, Rm::Reg(best), CMP_UNORDERED);
    asm.vector(MOVE, t, None, Rm::Reg(best), Under::Merge(SCRATCH), None);
    asm.vector(MOVE, best, None, Rm::Reg(t), under, None);
}
