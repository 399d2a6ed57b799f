//! The instructions of vectors and masks, as bytes: EVEX with AVX-512, VEX with AVX2.

use super::encode::*;
use super::tier::X86;

/// The last operand of a vector instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rm {
    Reg(Vreg),
    /// A vector of doubles.
    Full(Mem),
    /// One double for all lanes. Of the arithmetic of AVX-512 only.
    Broadcast(Mem),
}

/// A mask: a mask register; with AVX2 a vector register whose lanes have all bits set or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask(pub u8);

/// Lanes that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Under {
    All,
    /// Those of the mask register; others keep what they hold.
    Merge(Mask),
    /// Those of the mask register; others become 0.
    Zero(Mask),
}

/// Where an instruction is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum In {
    /// With AVX-512 (W = 1), and with AVX2 with this W.
    Both(u8),
    Avx512,
    /// With this W.
    Avx2(u8),
}

/// A vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instr {
    map: u8,
    prefix: u8,
    opcode: u8,
    within: In,
    /// Whether vectors have 128 bits, whatever the tier.
    narrow: bool,
    /// Bytes of memory that displacements of one byte count in with AVX-512 (0: as the operand says).
    counts: i32,
}

impl Instr {
    const fn new(map: u8, prefix: u8, opcode: u8, within: In) -> Instr {
        Instr { map, prefix, opcode, within, narrow: false, counts: 0 }
    }

    /// That has so many doubles in memory.
    const fn doubles(self, n: i32) -> Instr {
        Instr { counts: 8 * n, ..self }
    }

    const fn narrow(self) -> Instr {
        Instr { narrow: true, ..self }
    }
}

const P66: u8 = 1;
const F2: u8 = 3;

pub(super) const LOAD: Instr = Instr::new(1, P66, 0x10, In::Both(0));
pub(super) const STORE: Instr = Instr::new(1, P66, 0x11, In::Both(0));
pub(super) const MOVE: Instr = Instr::new(1, P66, 0x28, In::Both(0));
pub(super) const BROADCAST: Instr = Instr::new(2, P66, 0x19, In::Both(0)).doubles(1);
pub(super) const ADD: Instr = Instr::new(1, P66, 0x58, In::Both(0));
pub(super) const MUL: Instr = Instr::new(1, P66, 0x59, In::Both(0));
pub(super) const SUB: Instr = Instr::new(1, P66, 0x5c, In::Both(0));
pub(super) const MIN: Instr = Instr::new(1, P66, 0x5d, In::Both(0));
pub(super) const DIV: Instr = Instr::new(1, P66, 0x5e, In::Both(0));
pub(super) const MAX: Instr = Instr::new(1, P66, 0x5f, In::Both(0));
pub(super) const SQRT: Instr = Instr::new(1, P66, 0x51, In::Both(0));
pub(super) const AND: Instr = Instr::new(1, P66, 0x54, In::Both(0));
pub(super) const OR: Instr = Instr::new(1, P66, 0x56, In::Both(0));
pub(super) const XOR: Instr = Instr::new(1, P66, 0x57, In::Both(0));
pub(super) const ROUND: Instr = Instr::new(3, P66, 0x09, In::Both(0));
const COMPARE: Instr = Instr::new(1, P66, 0xc2, In::Both(0));
/// One double into the low lane of a register that is 0 otherwise, or out of it.
pub(super) const LOAD_LOW: Instr = Instr::new(1, F2, 0x10, In::Both(0)).doubles(1).narrow();
pub(super) const STORE_LOW: Instr = Instr::new(1, F2, 0x11, In::Both(0)).doubles(1).narrow();
/// One double into the second lane, or out of it.
pub(super) const LOAD_HIGH: Instr = Instr::new(1, P66, 0x16, In::Both(0)).doubles(1).narrow();
pub(super) const STORE_HIGH: Instr = Instr::new(1, P66, 0x17, In::Both(0)).doubles(1).narrow();
/// Two doubles into the low lanes of a register that is 0 otherwise.
pub(super) const LOAD_TWO: Instr = LOAD.doubles(2).narrow();
/// Two lanes into a place of a register, or out of it.
pub(super) const INSERT_TWO: Instr = Instr::new(3, P66, 0x18, In::Both(0)).doubles(2);
pub(super) const EXTRACT_TWO: Instr = Instr::new(3, P66, 0x19, In::Both(0));
const SHIFT: Instr = Instr::new(1, P66, 0x73, In::Both(0));
const FROM_INT: Instr = Instr::new(1, F2, 0x2a, In::Both(1));

/// Under a mask, which is 0 behind it.
pub(super) const GATHER: Instr = Instr::new(2, P66, 0x93, In::Avx512).doubles(1);
/// Of integers.
pub(super) const ADD_INT: Instr = Instr::new(1, P66, 0xd4, In::Both(0));
pub(super) const SUB_INT: Instr = Instr::new(1, P66, 0xfb, In::Both(0));

pub(super) const GET_MANT: Instr = Instr::new(3, P66, 0x26, In::Avx512);
pub(super) const GET_EXP: Instr = Instr::new(2, P66, 0x42, In::Avx512);
pub(super) const TERNARY: Instr = Instr::new(3, P66, 0x25, In::Avx512);
/// The smaller (4) or larger (5), −0 being below +0, or the one that is a number.
pub(super) const RANGE: Instr = Instr::new(3, P66, 0x50, In::Avx512);
/// As many times as the power of 2 of the last operand's integer part, rounded once.
pub(super) const SCALE: Instr = Instr::new(2, P66, 0x2c, In::Avx512);
pub(super) const ALIGN: Instr = Instr::new(3, P66, 0x03, In::Avx512);
pub(super) const SCATTER: Instr = Instr::new(2, P66, 0xa3, In::Avx512).doubles(1);
pub(super) const MUL_INT: Instr = Instr::new(2, P66, 0x40, In::Avx512);
/// Four doubles in memory into both halves of a register.
pub(super) const BROADCAST_FOUR: Instr = Instr::new(2, P66, 0x1b, In::Avx512).doubles(4);
pub(super) const INSERT_FOUR: Instr = Instr::new(3, P66, 0x1a, In::Avx512).doubles(4);
/// Lanes of two vectors, the first of them overwritten: which, the second operand says.
pub(super) const PERMUTE_TWO: Instr = Instr::new(2, P66, 0x7f, In::Avx512);
/// The even lanes of two vectors in turn, and the odd ones.
pub(super) const EVEN: Instr = Instr::new(1, P66, 0x14, In::Both(0));
pub(super) const ODD: Instr = Instr::new(1, P66, 0x15, In::Both(0));
/// Two pairs of lanes of one vector, then two of another: which, four numbers of two bits say.
pub(super) const PAIRS: Instr = Instr::new(3, P66, 0x23, In::Avx512);
const BLEND: Instr = Instr::new(2, P66, 0x65, In::Avx512);

/// Lanes of the mask from memory, the others 0; or into memory. The mask is the second operand.
pub(super) const MASK_LOAD: Instr = Instr::new(2, P66, 0x2d, In::Avx2(0));
pub(super) const MASK_STORE: Instr = Instr::new(2, P66, 0x2f, In::Avx2(0));
/// Lanes in another order, two bits for each.
pub(super) const PERMUTE: Instr = Instr::new(3, P66, 0x01, In::Avx2(1));
/// Lanes of the last operand where the number has a bit, else of the second one.
pub(super) const BLEND_LANES: Instr = Instr::new(3, P66, 0x0d, In::Avx2(0));
const BLEND_BY_VECTOR: Instr = Instr::new(3, P66, 0x4b, In::Avx2(0));
const TEST: Instr = Instr::new(2, P66, 0x0f, In::Avx2(0));
const SIGNS: Instr = Instr::new(1, P66, 0x50, In::Avx2(0));

/// The form of a fused multiply-add: which operands are multiplied, of destination (1), second and last.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    F132,
    F213,
    F231,
}

/// `±a b ± c`
pub(super) const fn fma(form: Form, neg_a: bool, neg_c: bool) -> Instr {
    let base = match form {
        Form::F132 => 0x98,
        Form::F213 => 0xa8,
        Form::F231 => 0xb8,
    };
    Instr::new(2, P66, base + 4 * neg_a as u8 + 2 * neg_c as u8, In::Both(1))
}

/// An instruction of two masks: of eight lanes in mask registers, and of vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both(u8, Instr);

pub(super) const MASK_AND: Both = Both(0x41, AND);
pub(super) const MASK_OR: Both = Both(0x45, OR);
pub(super) const MASK_XOR: Both = Both(0x47, XOR);

/// Opcodes of mask registers: three operands or two.
const KNOT: u8 = 0x44;
const KMOVE: u8 = 0x90;
const KORTEST: u8 = 0x98;

impl Assembler {
    /// A vector instruction. `dst`: what ModRM's `reg` says; `src`: the second operand, if there is one.
    pub fn vector(&mut self, op: Instr, dst: Vreg, src: Option<Vreg>, rm: Rm, under: Under, imm: Option<u8>) {
        self.any(op, dst.0, src.map(|r| r.0), rm, under, imm);
    }

    /// The same in all lanes, without a number behind it.
    pub fn all(&mut self, op: Instr, dst: Vreg, src: Option<Vreg>, rm: Rm) {
        self.vector(op, dst, src, rm, Under::All, None);
    }

    fn any(&mut self, op: Instr, reg: u8, src: Option<u8>, rm: Rm, under: Under, imm: Option<u8>) {
        match self.tier {
            X86::Avx512 => self.evex(op, reg, src, rm, under, imm),
            X86::Avx2 => {
                assert_eq!(under, Under::All, "AVX2 has no mask registers");
                self.vex(op, reg, src, rm, imm);
            }
        }
    }

    /// A comparison.
    pub fn compare(&mut self, dst: Mask, a: Vreg, b: Rm, predicate: u8) {
        self.any(COMPARE, dst.0, Some(a.0), b, Under::All, Some(predicate));
    }

    /// `rm` in lanes of the mask, `otherwise` in the others.
    pub fn blend(&mut self, dst: Vreg, otherwise: Vreg, rm: Rm, mask: Mask) {
        match self.tier {
            X86::Avx512 => self.vector(BLEND, dst, Some(otherwise), rm, Under::Merge(mask), None),
            X86::Avx2 => {
                self.vector(BLEND_BY_VECTOR, dst, Some(otherwise), rm, Under::All, Some(mask.0 << 4));
            }
        }
    }

    /// All lanes, as integers, to the left.
    pub fn shift(&mut self, dst: Vreg, src: Vreg, by: u8) {
        self.any(SHIFT, 6, Some(dst.0), Rm::Reg(src), Under::All, Some(by));
    }

    /// All lanes, as integers without sign, to the right.
    pub fn shift_right(&mut self, dst: Vreg, src: Vreg, by: u8) {
        self.any(SHIFT, 2, Some(dst.0), Rm::Reg(src), Under::All, Some(by));
    }

    /// The integer as a double, in the first lane.
    pub fn int_to_double(&mut self, dst: Vreg, n: Gpr) {
        self.any(FROM_INT, dst.0, Some(dst.0), Rm::Reg(Vreg(n.0)), Under::All, None);
    }

    /// Of two masks.
    pub fn mask(&mut self, op: Both, dst: Mask, a: Mask, b: Mask) {
        match self.tier {
            X86::Avx512 => self.mask_registers(op.0, dst, Some(a), b),
            X86::Avx2 => self.all(op.1, Vreg(dst.0), Some(Vreg(a.0)), Rm::Reg(Vreg(b.0))),
        }
    }

    /// The other lanes.
    pub fn mask_not(&mut self, dst: Mask, a: Mask) {
        match self.tier {
            X86::Avx512 => self.mask_registers(KNOT, dst, None, a),
            X86::Avx2 => {
                let ones = Rm::Full(self.constant(&[0xff; 32]));
                self.all(XOR, Vreg(dst.0), Some(Vreg(a.0)), ones);
            }
        }
    }

    /// Clears the zero flag if a lane of the mask holds.
    pub fn any_lane(&mut self, mask: Mask) {
        match self.tier {
            X86::Avx512 => self.mask_registers(KORTEST, mask, None, mask),
            X86::Avx2 => self.all(TEST, Vreg(mask.0), None, Rm::Reg(Vreg(mask.0))),
        }
    }

    /// A mask into a general register, a bit for each lane, of which the rest is 0.
    pub fn mask_to(&mut self, dst: Gpr, src: Mask) {
        match self.tier {
            X86::Avx512 => {
                self.begin();
                let r = (!dst.0 >> 3 & 1) << 7;
                self.code.extend([0xc5, r | 0x79, 0x93, 0xc0 | (dst.0 & 7) << 3 | src.0]);
            }
            X86::Avx2 => self.any(SIGNS, dst.0, None, Rm::Reg(Vreg(src.0)), Under::All, None),
        }
    }

    /// A mask register from the low bits of a register.
    pub fn mask_from(&mut self, dst: Mask, src: Gpr) {
        self.begin();
        self.code.extend([0xc4, 0xc1 | (!src.0 >> 3 & 1) << 5, 0x79, 0x92, 0xc0 | dst.0 << 3 | (src.0 & 7)]);
    }

    /// A mask register into another one.
    pub fn mask_move(&mut self, dst: Mask, src: Mask) {
        self.mask_registers(KMOVE, dst, None, src);
    }

    fn mask_registers(&mut self, opcode: u8, dst: Mask, a: Option<Mask>, b: Mask) {
        assert_eq!(self.tier, X86::Avx512, "AVX2 has no mask registers");
        let (v, l) = a.map_or((15, 0), |a| (!a.0 & 15, 4));
        self.begin();
        self.code.extend([0xc5, 0x80 | v << 3 | l | P66, opcode, 0xc0 | dst.0 << 3 | b.0]);
    }

    /// A double of the low lane, from or to memory. Registers 0 to 7.
    pub fn load_one(&mut self, dst: Vreg, mem: Mem) {
        self.vex(LOAD_LOW, dst.0, None, Rm::Full(mem), None);
    }

    pub fn store_one(&mut self, mem: Mem, src: Vreg) {
        self.vex(STORE_LOW, src.0, None, Rm::Full(mem), None);
    }

    fn evex(&mut self, op: Instr, reg: u8, src: Option<u8>, rm: Rm, under: Under, imm: Option<u8>) {
        assert!(!matches!(op.within, In::Avx2(_)), "{op:?} is none of AVX-512");
        let (mask, zero) = match under {
            Under::All => (0, false),
            Under::Merge(k) => (k.0, false),
            Under::Zero(k) => (k.0, true),
        };
        let (mut x, b) = extension(rm);
        let mut v4 = src.map_or(1, |v| no(v, 4));
        let (broadcast, unit) = match rm {
            Rm::Reg(r) => {
                x = no(r.0, 4);
                (false, 0)
            }
            Rm::Full(mem) => {
                if let Mem::Lanes { index, .. } = mem {
                    v4 = no(index.0, 4);
                }
                (false, if self.half { 32 } else { 64 })
            }
            Rm::Broadcast(_) => (true, 8),
        };
        let unit = if op.counts > 0 { op.counts } else { unit };
        let length = match op.narrow {
            true => 0,
            false => 2 - self.half as u8,
        };
        let v = !src.unwrap_or(0) & 15;
        self.begin();
        self.code.extend([
            0x62,
            no(reg, 3) << 7 | x << 6 | b << 5 | no(reg, 4) << 4 | op.map,
            0x80 | v << 3 | 4 | op.prefix,
            (zero as u8) << 7 | length << 5 | (broadcast as u8) << 4 | v4 << 3 | mask,
            op.opcode,
        ]);
        self.last(reg, rm, unit, imm);
    }

    fn vex(&mut self, op: Instr, reg: u8, src: Option<u8>, rm: Rm, imm: Option<u8>) {
        let (In::Both(w) | In::Avx2(w)) = op.within else { unreachable!("{op:?} is none of AVX2") };
        assert!(!matches!(rm, Rm::Broadcast(_)), "AVX2 has no operands for all lanes");
        let (x, b) = extension(rm);
        let rest = (!src.unwrap_or(0) & 15) << 3 | (!op.narrow as u8) << 2 | op.prefix;
        self.begin();
        if op.map == 1 && w == 0 && x == 1 && b == 1 {
            self.code.extend([0xc5, no(reg, 3) << 7 | rest, op.opcode]);
        } else {
            let first = no(reg, 3) << 7 | x << 6 | b << 5 | op.map;
            self.code.extend([0xc4, first, w << 7 | rest, op.opcode]);
        }
        self.last(reg, rm, 1, imm);
    }

    /// The last operand and a number behind it.
    fn last(&mut self, reg: u8, rm: Rm, unit: i32, imm: Option<u8>) {
        match rm {
            Rm::Reg(r) => self.code.push(0xc0 | (reg & 7) << 3 | (r.0 & 7)),
            Rm::Full(mem) | Rm::Broadcast(mem) => self.operand(reg, mem, unit, imm.is_some() as usize),
        }
        self.code.extend(imm);
    }

    /// Zeroes the upper parts of vector registers, as code with 128-bit vectors likes it.
    pub fn zero_upper(&mut self) {
        self.begin();
        self.code.extend([0xc5, 0xf8, 0x77]);
    }
}

/// A bit of the number of a register, inverted as prefixes have it.
fn no(n: u8, bit: u8) -> u8 {
    (n >> bit & 1) ^ 1
}

/// What prefixes say of the last operand: X and B.
fn extension(rm: Rm) -> (u8, u8) {
    match rm {
        Rm::Reg(r) => (1, no(r.0, 3)),
        Rm::Full(mem) | Rm::Broadcast(mem) => match mem {
            Mem::At { base, index, .. } => (index.map_or(1, |i| no(i.0, 3)), no(base.0, 3)),
            Mem::Lanes { base, index, .. } => (no(index.0, 3), no(base.0, 3)),
            Mem::Pool(_) | Mem::Table(_) => (1, 1),
        },
    }
}

#[cfg(test)]
mod tests;
