//! Machine code: the instructions that strips are made of, as bytes.
//!
//! Sources of the encodings: Intel's Software Developer's Manual, volume 2, sections 2.2 (REX), 2.3 (VEX) and 2.7 (EVEX), and the
//! pages of the instructions.

/// A general register, by its number: rax is 0, rcx 1, rdx 2, rbx 3, rsp 4, rbp 5, rsi 6, rdi 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gpr(pub u8);

/// A vector register of 512 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zmm(pub u8);

/// A mask register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kreg(pub u8);

pub(super) const RAX: Gpr = Gpr(0);
pub(super) const RBX: Gpr = Gpr(3);
pub(super) const RSP: Gpr = Gpr(4);
pub(super) const RBP: Gpr = Gpr(5);
pub(super) const R12: Gpr = Gpr(12);
pub(super) const R13: Gpr = Gpr(13);
pub(super) const R14: Gpr = Gpr(14);
pub(super) const R15: Gpr = Gpr(15);

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mem {
    /// `base + 8 index + disp`
    At { base: Gpr, index: Option<Gpr>, disp: i32 },
    /// For gathers: `base + 8 index + disp` of each lane.
    Lanes { base: Gpr, index: Zmm, disp: i32 },
    /// So many bytes into the constants.
    Pool(u32),
}

impl Mem {
    pub fn at(base: Gpr, disp: i32) -> Mem {
        Mem::At { base, index: None, disp }
    }
}

/// The last operand of a vector instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rm {
    Reg(Zmm),
    /// Eight doubles.
    Full(Mem),
    /// One double for all lanes.
    Broadcast(Mem),
}

/// Lanes that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Under {
    All,
    /// Those of the mask; others keep what they hold.
    Merge(Kreg),
    /// Those of the mask; others become 0.
    Zero(Kreg),
}

/// A vector instruction: map, mandatory prefix, opcode, and bytes of memory that displacements of one byte count in (0: as the operand
/// says). All have W = 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evex(u8, u8, u8, i32);

const P66: u8 = 1;
const F2: u8 = 3;

pub(super) const LOAD: Evex = Evex(1, P66, 0x10, 0);
pub(super) const STORE: Evex = Evex(1, P66, 0x11, 0);
pub(super) const MOVE: Evex = Evex(1, P66, 0x28, 0);
pub(super) const BROADCAST: Evex = Evex(2, P66, 0x19, 8);
pub(super) const ADD: Evex = Evex(1, P66, 0x58, 0);
pub(super) const MUL: Evex = Evex(1, P66, 0x59, 0);
pub(super) const SUB: Evex = Evex(1, P66, 0x5c, 0);
pub(super) const MIN: Evex = Evex(1, P66, 0x5d, 0);
pub(super) const DIV: Evex = Evex(1, P66, 0x5e, 0);
pub(super) const MAX: Evex = Evex(1, P66, 0x5f, 0);
pub(super) const SQRT: Evex = Evex(1, P66, 0x51, 0);
pub(super) const AND: Evex = Evex(1, P66, 0x54, 0);
pub(super) const OR: Evex = Evex(1, P66, 0x56, 0);
pub(super) const XOR: Evex = Evex(1, P66, 0x57, 0);
pub(super) const ROUND: Evex = Evex(3, P66, 0x09, 0);
pub(super) const GET_MANT: Evex = Evex(3, P66, 0x26, 0);
pub(super) const GET_EXP: Evex = Evex(2, P66, 0x42, 0);
pub(super) const COMPARE: Evex = Evex(1, P66, 0xc2, 0);
pub(super) const BLEND: Evex = Evex(2, P66, 0x65, 0);
pub(super) const TERNARY: Evex = Evex(3, P66, 0x25, 0);
pub(super) const ALIGN: Evex = Evex(3, P66, 0x03, 0);
pub(super) const GATHER: Evex = Evex(2, P66, 0x93, 8);
pub(super) const SCATTER: Evex = Evex(2, P66, 0xa3, 8);
pub(super) const MUL_INT: Evex = Evex(2, P66, 0x40, 0);
/// One double into the low lane of a register that is 0 otherwise, or out of it.
pub(super) const LOAD_LOW: Evex = Evex(1, F2, 0x10, 8);
pub(super) const STORE_LOW: Evex = Evex(1, F2, 0x11, 8);
/// One double into the second lane, or out of it.
pub(super) const LOAD_HIGH: Evex = Evex(1, P66, 0x16, 8);
pub(super) const STORE_HIGH: Evex = Evex(1, P66, 0x17, 8);
/// Two lanes, or four, into a place of a register, or out of it.
pub(super) const INSERT_TWO: Evex = Evex(3, P66, 0x18, 16);
pub(super) const INSERT_FOUR: Evex = Evex(3, P66, 0x1a, 32);
pub(super) const EXTRACT_TWO: Evex = Evex(3, P66, 0x19, 0);
const SHIFT: Evex = Evex(1, P66, 0x73, 0);
const FROM_INT: Evex = Evex(1, F2, 0x2a, 0);

/// The form of a fused multiply-add: which operands are multiplied, of destination (1), second and last.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    F132,
    F213,
    F231,
}

/// `±a b ± c`
pub(super) const fn fma(form: Form, neg_a: bool, neg_c: bool) -> Evex {
    let base = match form {
        Form::F132 => 0x98,
        Form::F213 => 0xa8,
        Form::F231 => 0xb8,
    };
    Evex(2, P66, base + 4 * neg_a as u8 + 2 * neg_c as u8, 0)
}

/// Instructions of masks of eight lanes: opcode, and whether there are three operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kop(u8, bool);

pub(super) const KAND: Kop = Kop(0x41, true);
pub(super) const KOR: Kop = Kop(0x45, true);
pub(super) const KXNOR: Kop = Kop(0x46, true);
pub(super) const KXOR: Kop = Kop(0x47, true);
pub(super) const KNOT: Kop = Kop(0x44, false);
pub(super) const KMOVE: Kop = Kop(0x90, false);
/// Sets the zero flag if no lane of both holds.
pub(super) const KORTEST: Kop = Kop(0x98, false);

/// Conditions of jumps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Jump {
    Always,
    Below = 2,
    AboveOrEqual = 3,
    NotEqual = 5,
    BelowOrEqual = 6,
    Above = 7,
}

/// A place in the code, to be jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

/// Code in the making.
#[derive(Default)]
pub(super) struct Assembler {
    pub code: Vec<u8>,
    /// Constants, of which the first lies on a cache line behind the code.
    pub pool: Vec<u8>,
    /// Bytes of the pool that are no constants.
    reserved: usize,
    /// By label: where it is.
    labels: Vec<Option<usize>>,
    /// Distances of 32 bits to labels.
    jumps: Vec<(usize, Label)>,
    /// Distances of 32 bits to constants: where, from where, offset of the constant.
    constants: Vec<(usize, usize, u32)>,
    /// Where instructions begin.
    starts: Vec<usize>,
}

/// Machine code of a strip.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// The instructions, and on a cache line behind them the constants.
    pub bytes: Vec<u8>,
    /// Where each instruction begins.
    pub starts: Vec<usize>,
    /// Where the last one ends.
    pub end: usize,
    /// Where the constants begin.
    pub constants: usize,
}

impl Assembler {
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub fn here(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// Room for an address in front of all constants.
    pub fn reserve_address(&mut self) -> u32 {
        self.pool.extend([0; 8]);
        self.reserved = self.pool.len();
        (self.reserved - 8) as u32
    }

    /// Bytes among the constants, at a multiple of their number.
    pub fn constant(&mut self, bytes: &[u8]) -> Mem {
        let len = bytes.len();
        let mut places = self.pool.chunks_exact(len).enumerate().map(|(k, c)| (k * len, c));
        let found = places.find(|(at, c)| *at >= self.reserved && *c == bytes).map(|(at, _)| at);
        let at = found.unwrap_or_else(|| {
            self.pool.resize(self.pool.len().next_multiple_of(bytes.len()), 0);
            self.pool.extend(bytes);
            self.pool.len() - bytes.len()
        });
        Mem::Pool(at as u32)
    }

    /// An instruction begins here.
    fn begin(&mut self) {
        self.starts.push(self.code.len());
    }

    /// The code with its constants.
    pub fn finish(mut self) -> MachineCode {
        let end = self.code.len();
        for (at, label) in &self.jumps {
            let to = self.labels[label.0].expect("every label is somewhere");
            self.code[*at..at + 4].copy_from_slice(&(to as i32 - (*at as i32 + 4)).to_le_bytes());
        }
        let start = self.code.len().next_multiple_of(64);
        for (at, from, offset) in &self.constants {
            let distance = start as i32 + *offset as i32 - *from as i32;
            self.code[*at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.code.resize(start, 0xcc);
        self.code.extend(&self.pool);
        MachineCode { bytes: self.code, starts: self.starts, end, constants: start }
    }

    /// ModRM, SIB and displacement; `unit`: what displacements of one byte count in, `behind`: bytes that follow.
    fn operand(&mut self, reg: u8, mem: Mem, unit: i32, behind: usize) {
        let reg = (reg & 7) << 3;
        let (base, index, disp) = match mem {
            Mem::Pool(offset) => {
                self.code.push(reg | 5);
                let at = self.code.len();
                self.code.extend([0; 4]);
                self.constants.push((at, at + 4 + behind, offset));
                return;
            }
            Mem::At { base, index, disp } => (base, index.map(|r| r.0), disp),
            Mem::Lanes { base, index, disp } => (base, Some(index.0), disp),
        };
        let short = i8::try_from(disp / unit).ok().filter(|_| disp % unit == 0);
        let (mode, disp) = match short {
            Some(0) if base.0 & 7 != 5 => (0x00, None),
            Some(d) => (0x40, Some(vec![d as u8])),
            None => (0x80, Some(disp.to_le_bytes().to_vec())),
        };
        match index {
            None if base.0 & 7 != 4 => self.code.push(mode | reg | (base.0 & 7)),
            _ => {
                let sib = match index {
                    Some(i) => 0xc0 | (i & 7) << 3 | (base.0 & 7),
                    None => 0x20 | (base.0 & 7),
                };
                self.code.extend([mode | reg | 4, sib]);
            }
        }
        self.code.extend(disp.unwrap_or_default());
    }

    /// A vector instruction. `dst`: what ModRM's `reg` says; `src`: the second operand, if there is one.
    pub fn vector(&mut self, op: Evex, dst: Zmm, src: Option<Zmm>, rm: Rm, under: Under, imm: Option<u8>) {
        self.evex(op, dst.0, src.map(|z| z.0), rm, under, imm);
    }

    /// A comparison into a mask.
    pub fn compare(&mut self, dst: Kreg, a: Zmm, b: Rm, predicate: u8) {
        self.evex(COMPARE, dst.0, Some(a.0), b, Under::All, Some(predicate));
    }

    /// All lanes, as integers, to the left.
    pub fn shift(&mut self, dst: Zmm, src: Zmm, by: u8) {
        self.evex(SHIFT, 6, Some(dst.0), Rm::Reg(src), Under::All, Some(by));
    }

    /// The integer as a double, in the first lane.
    pub fn int_to_double(&mut self, dst: Zmm, n: Gpr) {
        self.evex(FROM_INT, dst.0, Some(dst.0), Rm::Reg(Zmm(n.0)), Under::All, None);
    }

    fn evex(&mut self, op: Evex, reg: u8, src: Option<u8>, rm: Rm, under: Under, imm: Option<u8>) {
        let Evex(map, prefix, opcode, counts) = op;
        let (mask, zero) = match under {
            Under::All => (0, false),
            Under::Merge(k) => (k.0, false),
            Under::Zero(k) => (k.0, true),
        };
        // Inverted, as they are stored.
        let no = |n: u8, bit: u8| (n >> bit & 1) ^ 1;
        let (mut x, mut b, mut v4) = (1, 1, src.map_or(1, |v| no(v, 4)));
        let (broadcast, unit) = match rm {
            Rm::Reg(z) => {
                (x, b) = (no(z.0, 4), no(z.0, 3));
                (false, 0)
            }
            Rm::Full(_) => (false, 64),
            Rm::Broadcast(_) => (true, 8),
        };
        if let Rm::Full(mem) | Rm::Broadcast(mem) = rm {
            match mem {
                Mem::At { base, index, .. } => {
                    b = no(base.0, 3);
                    x = index.map_or(1, |i| no(i.0, 3));
                }
                Mem::Lanes { base, index, .. } => {
                    b = no(base.0, 3);
                    x = no(index.0, 3);
                    v4 = no(index.0, 4);
                }
                Mem::Pool(_) => {}
            }
        }
        let unit = if counts > 0 { counts } else { unit };
        // Those of two lanes are instructions of 128 bits.
        let length = if matches!(op, LOAD_LOW | STORE_LOW | LOAD_HIGH | STORE_HIGH) { 0 } else { 2 };
        let v = !src.unwrap_or(0) & 15;
        self.begin();
        self.code.extend([
            0x62,
            no(reg, 3) << 7 | x << 6 | b << 5 | no(reg, 4) << 4 | map,
            0x80 | v << 3 | 4 | prefix,
            (zero as u8) << 7 | length << 5 | (broadcast as u8) << 4 | v4 << 3 | mask,
            opcode,
        ]);
        match rm {
            Rm::Reg(z) => self.code.push(0xc0 | (reg & 7) << 3 | (z.0 & 7)),
            Rm::Full(mem) | Rm::Broadcast(mem) => self.operand(reg, mem, unit, imm.is_some() as usize),
        }
        self.code.extend(imm);
    }

    /// An instruction of masks. `dst`, and two operands or one.
    pub fn mask(&mut self, op: Kop, dst: Kreg, a: Kreg, b: Kreg) {
        let (v, l) = if op.1 { (!a.0 & 15, 4) } else { (15, 0) };
        self.begin();
        self.code.extend([0xc5, 0x80 | v << 3 | l | P66, op.0, 0xc0 | dst.0 << 3 | b.0]);
    }

    /// A mask from the low bits of a register.
    pub fn mask_from(&mut self, dst: Kreg, src: Gpr) {
        self.begin();
        self.code.extend([0xc4, 0xc1 | (!src.0 >> 3 & 1) << 5, 0x79, 0x92, 0xc0 | dst.0 << 3 | (src.0 & 7)]);
    }

    /// A mask into a register, of which the rest is 0.
    pub fn mask_to(&mut self, dst: Gpr, src: Kreg) {
        self.begin();
        self.code.extend([0xc5, (!dst.0 >> 3 & 1) << 7 | 0x79, 0x93, 0xc0 | (dst.0 & 7) << 3 | src.0]);
    }

    /// An instruction of general registers of 64 bits: opcode, `reg`, and a register.
    fn plain(&mut self, opcode: &[u8], reg: u8, rm: Gpr) {
        self.begin();
        self.rest(opcode, reg, rm);
    }

    /// The same behind a prefix.
    fn rest(&mut self, opcode: &[u8], reg: u8, rm: Gpr) {
        self.code.push(0x48 | (reg >> 3) << 2 | rm.0 >> 3);
        self.code.extend(opcode);
        self.code.push(0xc0 | (reg & 7) << 3 | (rm.0 & 7));
    }

    /// The same with a place in memory.
    fn plain_mem(&mut self, opcode: u8, reg: u8, mem: Mem) {
        let (base, index) = match mem {
            Mem::At { base, index, .. } => (base.0 >> 3, index.map_or(0, |i| i.0 >> 3)),
            Mem::Pool(_) => (0, 0),
            Mem::Lanes { .. } => unreachable!("gathers are vector instructions"),
        };
        self.begin();
        self.code.extend([0x48 | (reg >> 3) << 2 | index << 1 | base, opcode]);
        self.operand(reg, mem, 1, 0);
    }

    pub fn load(&mut self, dst: Gpr, mem: Mem) {
        self.plain_mem(0x8b, dst.0, mem);
    }

    pub fn store(&mut self, mem: Mem, src: Gpr) {
        self.plain_mem(0x89, src.0, mem);
    }

    /// The address itself.
    pub fn address(&mut self, dst: Gpr, mem: Mem) {
        self.plain_mem(0x8d, dst.0, mem);
    }

    pub fn copy(&mut self, dst: Gpr, src: Gpr) {
        self.plain(&[0x89], src.0, dst);
    }

    pub fn add(&mut self, dst: Gpr, src: Gpr) {
        self.plain(&[0x01], src.0, dst);
    }

    pub fn sub(&mut self, dst: Gpr, src: Gpr) {
        self.plain(&[0x29], src.0, dst);
    }

    /// Compares two unsigned numbers.
    pub fn cmp(&mut self, a: Gpr, b: Gpr) {
        self.plain(&[0x39], b.0, a);
    }

    pub fn add_imm(&mut self, dst: Gpr, n: i32) {
        self.plain(&[0x81], 0, dst);
        self.code.extend(n.to_le_bytes());
    }

    pub fn sub_imm(&mut self, dst: Gpr, n: i32) {
        self.plain(&[0x81], 5, dst);
        self.code.extend(n.to_le_bytes());
    }

    pub fn and_imm(&mut self, dst: Gpr, n: i8) {
        self.plain(&[0x83], 4, dst);
        self.code.push(n as u8);
    }

    pub fn cmp_imm(&mut self, a: Gpr, n: i32) {
        self.plain(&[0x81], 7, a);
        self.code.extend(n.to_le_bytes());
    }

    pub fn mul_imm(&mut self, dst: Gpr, src: Gpr, n: i32) {
        self.plain(&[0x69], dst.0, src);
        self.code.extend(n.to_le_bytes());
    }

    pub fn mul(&mut self, dst: Gpr, src: Gpr) {
        self.plain(&[0x0f, 0xaf], dst.0, src);
    }

    pub fn shift_left(&mut self, dst: Gpr, by: u8) {
        self.plain(&[0xc1], 4, dst);
        self.code.push(by);
    }

    pub fn set(&mut self, dst: Gpr, n: i32) {
        self.plain(&[0xc7], 0, dst);
        self.code.extend(n.to_le_bytes());
    }

    /// The place of the lowest bit that is set.
    pub fn lowest_bit(&mut self, dst: Gpr, src: Gpr) {
        self.begin();
        self.code.push(0xf3);
        self.rest(&[0x0f, 0xbc], dst.0, src);
    }

    /// The low bits, as many as `n` says.
    pub fn low_bits(&mut self, dst: Gpr, src: Gpr, n: Gpr) {
        self.begin();
        self.code.extend([
            0xc4,
            (!dst.0 >> 3 & 1) << 7 | 0x40 | (!src.0 >> 3 & 1) << 5 | 2,
            0x80 | (!n.0 & 15) << 3,
            0xf5,
            0xc0 | (dst.0 & 7) << 3 | (src.0 & 7),
        ]);
    }

    /// The carry flag: whether a bit is set.
    pub fn bit(&mut self, of: Gpr, n: Gpr) {
        self.plain(&[0x0f, 0xa3], n.0, of);
    }

    pub fn push(&mut self, r: Gpr) {
        self.begin();
        self.code.extend([0x40 | r.0 >> 3, 0x50 | (r.0 & 7)]);
    }

    pub fn pop(&mut self, r: Gpr) {
        self.begin();
        self.code.extend([0x40 | r.0 >> 3, 0x58 | (r.0 & 7)]);
    }

    pub fn jump(&mut self, when: Jump, to: Label) {
        self.begin();
        match when {
            Jump::Always => self.code.push(0xe9),
            cc => self.code.extend([0x0f, 0x80 | cc as u8]),
        }
        self.jumps.push((self.code.len(), to));
        self.code.extend([0; 4]);
    }

    /// Calls the function whose address is there.
    pub fn call(&mut self, at: Mem) {
        self.begin();
        self.code.push(0xff);
        self.operand(2, at, 1, 0);
    }

    /// A call over a distance that is filled in later, four bytes at the place that comes back.
    pub fn call_near(&mut self) -> usize {
        self.begin();
        self.code.extend([0xe8, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// A double of the low lane, from or to memory. Registers 0 to 7.
    pub fn load_one(&mut self, dst: Zmm, mem: Mem) {
        self.one(0x10, dst, mem);
    }

    pub fn store_one(&mut self, mem: Mem, src: Zmm) {
        self.one(0x11, src, mem);
    }

    fn one(&mut self, opcode: u8, reg: Zmm, mem: Mem) {
        let Mem::At { base, index, .. } = mem else {
            unreachable!("single numbers are on the stack or in slots")
        };
        let (x, b) = (index.map_or(1, |i| !i.0 >> 3 & 1), !base.0 >> 3 & 1);
        self.begin();
        self.code.extend([0xc4, 0x81 | x << 6 | b << 5, 0x7b, opcode]);
        self.operand(reg.0, mem, 1, 0);
    }

    /// Zeroes the upper parts of vector registers, as code with 128-bit vectors likes it.
    pub fn zero_upper(&mut self) {
        self.begin();
        self.code.extend([0xc5, 0xf8, 0x77]);
    }

    pub fn ret(&mut self) {
        self.begin();
        self.code.push(0xc3);
    }
}

#[cfg(test)]
mod tests;
