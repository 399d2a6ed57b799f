//! Operations of numbers that are more than one instruction, and the rest.

use super::body::Body;
use crate::lower::strips::*;
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{self as clif, MemFlagsData};

const SIGN: u64 = 1 << 63;
/// 2⁵² + 1023; adding it puts an integer, with the bias of exponents, into the low bits.
const BIASED: f64 = 4_503_599_627_370_496.0 + 1023.0;

impl Body<'_, '_> {
    pub fn unary(&mut self, op: Un, a: clif::Value) -> clif::Value {
        match op {
            Un::Neg => {
                let (bits, sign) = (self.integers(a), self.bits(SIGN));
                let y = self.b.ins().bxor(bits, sign);
                self.numbers(y)
            }
            Un::Abs => {
                let (bits, rest) = (self.integers(a), self.bits(!SIGN));
                let y = self.b.ins().band(bits, rest);
                self.numbers(y)
            }
            Un::Sqrt => self.b.ins().sqrt(a),
            Un::Rint => self.b.ins().nearest(a),
            Un::Floor => self.b.ins().floor(a),
            Un::Ceil => self.b.ins().ceil(a),
            Un::Trunc => self.b.ins().trunc(a),
            Un::Pow2 => self.pow2(a),
            Un::GetExp => {
                let (size, tiny, field, _) = self.split(a);
                // An integer below 2^52 in the low bits of 2^52.
                let (two_52, bias) =
                    (self.bits(2f64.powi(52).to_bits()), self.constant((2f64.powi(52) + 1024.0).to_bits()));
                let field = self.b.ins().bor(field, two_52);
                let field = self.numbers(field);
                let exponent = self.b.ins().fsub(field, bias);
                let scaled = self.bits(54f64.to_bits());
                let shift = self.b.ins().band(tiny, scaled);
                let shift = self.numbers(shift);
                let exponent = self.b.ins().fsub(exponent, shift);
                let infinity = self.constant(f64::INFINITY.to_bits());
                let finite = self.b.ins().fcmp(FloatCC::LessThan, size, infinity);
                let y = self.select(finite, exponent, size);
                let zero = self.constant(0);
                let none = self.b.ins().fcmp(FloatCC::Equal, size, zero);
                let minus = self.constant(f64::NEG_INFINITY.to_bits());
                self.select(none, minus, y)
            }
            Un::GetMant => {
                let (size, _, field, bits) = self.split(a);
                let exponent = self.b.ins().ishl_imm_u(field, 52);
                let y = self.b.ins().isub(bits, exponent);
                let bias = self.bits(1024 << 52);
                let y = self.b.ins().iadd(y, bias);
                let y = self.numbers(y);
                let number = self.b.ins().fcmp(FloatCC::Equal, size, size);
                self.select(number, y, size)
            }
            Un::Place => {
                let (bits, least) = (self.integers(a), self.bits(0.75f64.to_bits()));
                let y = self.b.ins().isub(bits, least);
                let y = self.b.ins().ushr_imm_u(y, 45);
                self.numbers(y)
            }
        }
    }

    /// The numbers of a table, one by one.
    pub fn entry(&mut self, column: Column, a: clif::Value) -> clif::Value {
        let table = self.b.ins().symbol_value(I64, self.natives.tables[&column]);
        let places = self.integers(a);
        let flags = MemFlagsData::new().with_notrap().with_readonly().with_can_move();
        let [first, second] = [0, 1].map(|lane| {
            let place = self.lane(places, lane);
            let place = self.b.ins().band_imm_s(place, ROWS as i64 - 1);
            let place = self.b.ins().ishl_imm_u(place, 3);
            let place = self.b.ins().iadd(table, place);
            self.b.ins().load(F64, flags, place, 0)
        });
        self.both(first, second)
    }

    /// Of `a`: |a|, where it is subnormal or 0, its exponent (that of |a| 2⁵⁴ there) plus 1024, and the bits the
    /// exponent was taken from.
    fn split(&mut self, a: clif::Value) -> (clif::Value, clif::Value, clif::Value, clif::Value) {
        let size = self.unary(Un::Abs, a);
        let (least, scale) =
            (self.constant(f64::MIN_POSITIVE.to_bits()), self.constant(2f64.powi(54).to_bits()));
        let tiny = self.b.ins().fcmp(FloatCC::LessThan, size, least);
        let scaled = self.b.ins().fmul(size, scale);
        let x = self.select(tiny, scaled, size);
        let bits = self.integers(x);
        let shift = self.bits((1024u64 << 52).wrapping_sub(0.75f64.to_bits()));
        let field = self.b.ins().iadd(bits, shift);
        let field = self.b.ins().ushr_imm_u(field, 52);
        (size, tiny, field, bits)
    }

    fn pow2(&mut self, n: clif::Value) -> clif::Value {
        let bias = self.constant(BIASED.to_bits());
        let y = self.b.ins().fadd(n, bias);
        let y = self.integers(y);
        let y = self.b.ins().ishl_imm_u(y, 52);
        self.numbers(y)
    }

    pub fn binary(&mut self, op: Bin, a: clif::Value, b: clif::Value) -> clif::Value {
        match op {
            Bin::Add => self.b.ins().fadd(a, b),
            Bin::Sub => self.b.ins().fsub(a, b),
            Bin::Mul => self.b.ins().fmul(a, b),
            Bin::Div => self.b.ins().fdiv(a, b),
            Bin::MinX => {
                let m = self.b.ins().fcmp(FloatCC::LessThan, a, b);
                self.select(m, a, b)
            }
            Bin::MaxX => {
                let m = self.b.ins().fcmp(FloatCC::GreaterThan, a, b);
                self.select(m, a, b)
            }
            Bin::Min => self.b.ins().fmin(a, b),
            Bin::Max => self.b.ins().fmax(a, b),
            Bin::Copysign => {
                let (sign, rest) = (self.bits(SIGN), self.bits(!SIGN));
                let (a, b) = (self.integers(a), self.integers(b));
                let (a, b) = (self.b.ins().band(a, rest), self.b.ins().band(b, sign));
                let y = self.b.ins().bor(a, b);
                self.numbers(y)
            }
            Bin::Ldexp => {
                let (least, most) = (self.constant((-2044f64).to_bits()), self.constant(2044f64.to_bits()));
                let n = self.binary(Bin::MaxX, least, b);
                let n = self.binary(Bin::MinX, n, most);
                let half = self.constant(0.5f64.to_bits());
                let k = self.b.ins().fmul(n, half);
                let k = self.b.ins().nearest(k);
                let rest = self.b.ins().fsub(n, k);
                let (first, second) = (self.pow2(k), self.pow2(rest));
                let y = self.b.ins().fmul(a, first);
                self.b.ins().fmul(y, second)
            }
            Bin::Raise => {
                let (a, b, rest) = (self.integers(a), self.integers(b), self.bits(!127));
                let more = self.b.ins().band(b, rest);
                let more = self.b.ins().ishl_imm_u(more, 45);
                let y = self.b.ins().iadd(a, more);
                self.numbers(y)
            }
        }
    }
}
