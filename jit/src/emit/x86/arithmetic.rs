//! Arithmetic of numbers.

use super::body::*;
use super::registers::Body;
use super::shared::*;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// `|a|` has all bits but this one.
const SIGN: u64 = 1 << 63;
/// 2⁵² + 1023: added to an integer, the low bits are those of its exponent.
const BIASED: f64 = 4_503_599_627_370_496.0 + 1023.0;

/// What a number is split into where there is no instruction for it.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Exponent,
    Mantissa,
}

impl Body<'_, '_> {
    /// One instruction of a value.
    fn one(&mut self, v: V, op: Instr, a: V, imm: Option<u8>) {
        let a_rm = self.rm(a);
        let y = self.result(v, &[a]);
        self.asm().vector(op, y, None, a_rm, Under::All, imm);
    }

    /// One instruction of a value and something else.
    fn with(&mut self, v: V, op: Instr, a: V, b: Rm) {
        let a_reg = self.reg(a);
        let y = self.result(v, &[a]);
        self.asm().all(op, y, Some(a_reg), b);
    }

    pub fn unary(&mut self, v: V, op: Un, a: V) {
        match op {
            Un::Neg | Un::Abs => {
                let b = self.with.bits(if op == Un::Neg { SIGN } else { !SIGN });
                self.with(v, if op == Un::Neg { XOR } else { AND }, a, b);
            }
            Un::Sqrt => self.one(v, SQRT, a, None),
            Un::Rint => self.one(v, ROUND, a, Some(0x08)),
            Un::Floor => self.one(v, ROUND, a, Some(0x09)),
            Un::Ceil => self.one(v, ROUND, a, Some(0x0a)),
            Un::Trunc => self.one(v, ROUND, a, Some(0x0b)),
            Un::Pow2 => {
                let bias = self.with.number(BIASED);
                let a_reg = self.reg(a);
                let y = self.result(v, &[a]);
                self.asm().all(ADD, y, Some(a_reg), bias);
                self.asm().shift(y, y, 52);
            }
            Un::GetMant if self.tier() == X86::Avx2 => self.split(v, Part::Mantissa, a),
            Un::GetExp if self.tier() == X86::Avx2 => self.split(v, Part::Exponent, a),
            // From 3/4 to 3/2, without sign.
            Un::GetMant => self.one(v, GET_MANT, a, Some(0x07)),
            Un::GetExp => {
                let a = self.reg(a);
                let (mantissa, y) = (self.temporary(), self.temporary());
                let (half, one) = (self.with.number(1.5), self.with.number(1.0));
                let asm = self.asm();
                asm.all(GET_EXP, y, None, Rm::Reg(a));
                // From 1 to 2, without sign.
                asm.vector(GET_MANT, mantissa, None, Rm::Reg(a), Under::All, Some(0x04));
                asm.compare(SCRATCH, mantissa, half, CMP_GE);
                asm.vector(ADD, y, Some(y), one, Under::Merge(SCRATCH), None);
                self.hold(v, y);
            }
            Un::Place => {
                let least = self.with.number(0.75);
                let a_reg = self.reg(a);
                let y = self.result(v, &[a]);
                self.asm().all(SUB_INT, y, Some(a_reg), least);
                self.asm().shift_right(y, y, 45);
            }
        }
    }

    /// The exponent, or the mantissa, from the bits: those of subnormal numbers are of 2⁵⁴ times as much.
    fn split(&mut self, v: V, part: Part, a: V) {
        let a = self.reg(a);
        let [size, field, y] = [(); 3].map(|()| self.temporary());
        let m = self.temporary();
        let mask = Mask(m.0);
        let with = &mut *self.with;
        let (rest, least, scale) =
            (with.bits(!SIGN), with.number(f64::MIN_POSITIVE), with.number(2f64.powi(54)));
        // What the field of the exponent is more than 1024 if the mantissa is between 3/4 and 3/2.
        let shift = with.bits((1024u64 << 52).wrapping_sub(0.75f64.to_bits()));
        let (bias, unit) = (with.number(2f64.powi(52) + 1024.0), with.number(2f64.powi(52)));
        let (scaled, one, infinity) = (with.number(54.0), with.bits(1024 << 52), with.number(f64::INFINITY));
        let (zero, minus) = (with.number(0.0), with.number(f64::NEG_INFINITY));
        let asm = self.asm();
        asm.all(AND, size, Some(a), rest);
        asm.compare(mask, size, least, CMP_LT);
        asm.all(MUL, y, Some(size), scale);
        asm.blend(y, size, Rm::Reg(y), mask);
        asm.all(ADD_INT, field, Some(y), shift);
        asm.shift_right(field, field, 52);
        match part {
            Part::Exponent => {
                // An integer below 2⁵² in the low bits of 2⁵².
                asm.all(OR, y, Some(field), unit);
                asm.all(SUB, y, Some(y), bias);
                asm.all(AND, m, Some(m), scaled);
                asm.all(SUB, y, Some(y), Rm::Reg(m));
                asm.compare(mask, size, infinity, CMP_LT);
                asm.blend(y, size, Rm::Reg(y), mask);
                asm.compare(mask, size, zero, CMP_EQ);
                asm.blend(y, y, minus, mask);
            }
            Part::Mantissa => {
                asm.shift(field, field, 52);
                asm.all(SUB_INT, y, Some(y), Rm::Reg(field));
                asm.all(ADD_INT, y, Some(y), one);
                asm.compare(mask, size, Rm::Reg(size), CMP_EQ);
                asm.blend(y, size, Rm::Reg(y), mask);
            }
        }
        self.hold(v, y);
    }

    pub fn binary(&mut self, v: V, op: Bin, mut a: V, mut b: V) {
        let op = match op {
            Bin::Add => ADD,
            Bin::Sub => SUB,
            Bin::Mul => MUL,
            Bin::Div => DIV,
            Bin::MinX => MIN,
            Bin::MaxX => MAX,
            Bin::Min => return self.extreme_of(v, RedOp::Min, a, b),
            Bin::Max => return self.extreme_of(v, RedOp::Max, a, b),
            Bin::Copysign => return self.copysign(v, a, b),
            Bin::Ldexp if self.tier() == X86::Avx512 => SCALE,
            Bin::Ldexp => return self.ldexp(v, a, b),
            Bin::Raise => return self.raise(v, a, b),
        };
        if matches!(op, ADD | MUL) && self.is_last(a) && !self.is_last(b) {
            (a, b) = (b, a);
        }
        let a_reg = self.reg(a);
        let b_rm = self.rm(b);
        let y = self.result(v, &[a, b]);
        self.asm().all(op, y, Some(a_reg), b_rm);
    }

    /// The smaller or larger of two numbers.
    fn extreme_of(&mut self, v: V, op: RedOp, a: V, b: V) {
        let (a, b) = (self.reg(a), self.reg(b));
        let y = self.temporary();
        let free = match self.tier() {
            X86::Avx512 => [y; 2],
            X86::Avx2 => [(); 2].map(|()| self.temporary()),
        };
        extreme(self.asm(), op, y, [a, b], free);
        self.hold(v, y);
    }

    /// The bits of `a` but for the sign, which is that of `b`.
    fn copysign(&mut self, v: V, a: V, b: V) {
        let (a_reg, b_reg) = (self.reg(a), self.reg(b));
        let y = self.temporary();
        let sign = self.with.bits(SIGN);
        match self.tier() {
            X86::Avx512 => {
                let asm = self.asm();
                asm.all(MOVE, y, None, Rm::Reg(a_reg));
                asm.vector(TERNARY, y, Some(b_reg), sign, Under::All, Some(0xd8));
            }
            X86::Avx2 => {
                let (t, rest) = (self.temporary(), self.with.bits(!SIGN));
                let asm = self.asm();
                asm.all(AND, t, Some(b_reg), sign);
                asm.all(AND, y, Some(a_reg), rest);
                asm.all(OR, y, Some(y), Rm::Reg(t));
            }
        }
        self.hold(v, y);
    }

    /// `a` with an exponent that is as much larger as `n` says but for its last seven bits.
    fn raise(&mut self, v: V, a: V, n: V) {
        let (n, a_rm) = (self.reg(n), self.rm(a));
        let (more, rest) = (self.temporary(), self.with.bits(!127));
        self.asm().all(AND, more, Some(n), rest);
        self.asm().shift(more, more, 45);
        let y = self.result(v, &[a]);
        self.asm().all(ADD_INT, y, Some(more), a_rm);
    }

    /// `a 2^n`, in two factors that are both in range.
    fn ldexp(&mut self, v: V, a: V, n: V) {
        let a_reg = self.reg(a);
        let n_rm = self.rm(n);
        let (m, k) = (self.temporary(), self.temporary());
        let with = &mut *self.with;
        let (least, most) = (with.number(-2044.0), with.number(2044.0));
        let (half, bias) = (with.number(0.5), with.number(BIASED));
        with.bring(m, least);
        let asm = self.asm();
        asm.all(MAX, m, Some(m), n_rm);
        asm.all(MIN, m, Some(m), most);
        asm.all(MUL, k, Some(m), half);
        asm.vector(ROUND, k, None, Rm::Reg(k), Under::All, Some(0x08));
        asm.all(SUB, m, Some(m), Rm::Reg(k));
        for x in [k, m] {
            asm.all(ADD, x, Some(x), bias);
            asm.shift(x, x, 52);
        }
        let y = self.result(v, &[a]);
        self.asm().all(MUL, y, Some(a_reg), Rm::Reg(k));
        self.asm().all(MUL, y, Some(y), Rm::Reg(m));
    }

    /// `±a b ± c`, into the register of an operand that is not used again if there is one.
    pub fn fma(&mut self, v: V, signs: (bool, bool), [mut a, mut b, c]: [V; 3]) {
        // Of the factors, the one in memory is the last operand.
        if self.is_last(a) && !self.is_last(b) {
            (a, b) = (b, a);
        }
        let op = |form| fma(form, signs.0, signs.1);
        let carried = self.successor_of(v);
        if self.gives_way(c, v) && c != a && c != b && carried.is_none_or(|x| x != a && x != b) {
            let a_reg = self.reg(a);
            let (c_reg, b_rm) = (self.reg(c), self.rm(b));
            let y = self.result(v, &[c]);
            debug_assert_eq!(y, c_reg);
            self.asm().all(op(Form::F231), y, Some(a_reg), b_rm);
            return;
        }
        for (x, other) in [(a, b), (b, a)] {
            let other_is_better = carried == Some(other);
            if !self.gives_way(x, v) || x == other || x == c || other_is_better {
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
            self.asm().all(op(form), y, Some(second), last);
            return;
        }
        let a_reg = self.reg(a);
        let y = self.temporary();
        match self.with.strip.ops[c as usize] {
            SOp::Const(_) | SOp::Scal(_) => self.copy_to(y, c),
            _ => {
                let c = self.rm(c);
                self.with.bring(y, c);
            }
        }
        let b_rm = self.rm(b);
        self.asm().all(op(Form::F231), y, Some(a_reg), b_rm);
        self.hold(v, y);
    }
}
