//! Machine code: memory, labels, constants, and the instructions of general registers, as bytes. Those of vectors are in `vector.rs`.
//!
//! Sources of the encodings: Intel's Software Developer's Manual, volume 2, sections 2.2 (REX), 2.3 (VEX) and 2.7 (EVEX), and the
//! pages of the instructions.

use super::tier::X86;
use crate::lower::strips::{Column, ROWS};

/// A general register, by its number: rax is 0, rcx 1, rdx 2, rbx 3, rsp 4, rbp 5, rsi 6, rdi 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gpr(pub u8);

/// A vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vreg(pub u8);

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
    Lanes { base: Gpr, index: Vreg, disp: i32 },
    /// So many bytes into the constants.
    Pool(u32),
    /// The table that has this column first, behind them: one row of numbers after the other.
    Table(Column),
}

/// The numbers of a table, row after row, of which each takes a power of 2 of places.
fn rows(columns: &[Column]) -> impl Iterator<Item = f64> {
    let width = row_width(columns);
    let number = |row: u64, k: usize| columns.get(k).map_or(0.0, |c| c.entry(row));
    (0..ROWS).flat_map(move |row| (0..width).map(move |k| number(row, k)))
}

/// Numbers that a row of a table takes.
pub(super) fn row_width(columns: &[Column]) -> usize {
    columns.len().next_power_of_two()
}

impl Mem {
    pub fn at(base: Gpr, disp: i32) -> Mem {
        Mem::At { base, index: None, disp }
    }

    /// So many bytes behind it.
    pub fn behind(self, bytes: i32) -> Mem {
        match self {
            Mem::At { base, index, disp } => Mem::At { base, index, disp: disp + bytes },
            Mem::Lanes { base, index, disp } => Mem::Lanes { base, index, disp: disp + bytes },
            Mem::Pool(offset) => Mem::Pool(offset + bytes as u32),
            Mem::Table(_) => unreachable!("of a table, the beginning has an address"),
        }
    }
}

/// Conditions of jumps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Jump {
    Always,
    Below = 2,
    AboveOrEqual = 3,
    Equal = 4,
    NotEqual = 5,
    BelowOrEqual = 6,
    Above = 7,
}

/// A place in the code, to be jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

/// Code in the making.
pub(super) struct Assembler {
    pub tier: X86,
    /// Whether vectors have 256 bits only, of AVX-512.
    pub half: bool,
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
    /// The same of tables.
    tables: Vec<(usize, usize, Column)>,
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
    pub fn new(tier: X86) -> Assembler {
        let (code, pool, reserved, labels, jumps, constants, tables, starts) = Default::default();
        Assembler { tier, half: false, code, pool, reserved, labels, jumps, constants, tables, starts }
    }

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
    pub fn begin(&mut self) {
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
        if !self.tables.is_empty() {
            self.pool.resize(self.pool.len().next_multiple_of(64), 0);
        }
        for column in Column::ALL {
            let uses = self.tables.iter().filter(|(_, _, c)| *c == column);
            let before = self.constants.len();
            self.constants.extend(uses.map(|(at, from, _)| (*at, *from, self.pool.len() as u32)));
            if self.constants.len() > before {
                self.pool.extend(rows(column.table()).flat_map(f64::to_le_bytes));
            }
        }
        for (at, from, offset) in &self.constants {
            let distance = start as i32 + *offset as i32 - *from as i32;
            self.code[*at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.code.resize(start, 0xcc);
        self.code.extend(&self.pool);
        MachineCode { bytes: self.code, starts: self.starts, end, constants: start }
    }

    /// ModRM, SIB and displacement; `unit`: what displacements of one byte count in, `behind`: bytes that follow.
    pub fn operand(&mut self, reg: u8, mem: Mem, unit: i32, behind: usize) {
        let reg = (reg & 7) << 3;
        let (base, index, disp) = match mem {
            Mem::Pool(offset) => {
                self.code.push(reg | 5);
                let at = self.code.len();
                self.code.extend([0; 4]);
                self.constants.push((at, at + 4 + behind, offset));
                return;
            }
            Mem::Table(column) => {
                self.code.push(reg | 5);
                let at = self.code.len();
                self.code.extend([0; 4]);
                self.tables.push((at, at + 4 + behind, column));
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

    /// The same with a place in memory; `behind`: bytes that follow.
    fn plain_mem(&mut self, opcode: u8, reg: u8, mem: Mem, behind: usize) {
        let (base, index) = match mem {
            Mem::At { base, index, .. } => (base.0 >> 3, index.map_or(0, |i| i.0 >> 3)),
            Mem::Pool(_) | Mem::Table(_) => (0, 0),
            Mem::Lanes { .. } => unreachable!("gathers are vector instructions"),
        };
        self.begin();
        self.code.extend([0x48 | (reg >> 3) << 2 | index << 1 | base, opcode]);
        self.operand(reg, mem, 1, behind);
    }

    pub fn load(&mut self, dst: Gpr, mem: Mem) {
        self.plain_mem(0x8b, dst.0, mem, 0);
    }

    pub fn store(&mut self, mem: Mem, src: Gpr) {
        self.plain_mem(0x89, src.0, mem, 0);
    }

    /// The address itself.
    pub fn address(&mut self, dst: Gpr, mem: Mem) {
        self.plain_mem(0x8d, dst.0, mem, 0);
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

    /// Compares eight bytes in memory with 0.
    pub fn cmp_zero(&mut self, mem: Mem) {
        self.plain_mem(0x83, 7, mem, 1);
        self.code.push(0);
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

    pub fn ret(&mut self) {
        self.begin();
        self.code.push(0xc3);
    }
}
