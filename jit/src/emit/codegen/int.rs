//! Integers: every operation checks for what has no result and leaves the function before computing it, so
//! that no instruction traps.

use super::scalar::At;
use super::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::math;
use adc_ir::Trap;
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, MemFlagsData, types};

/// 2⁶³, one past the largest integer.
const END: f64 = 9_223_372_036_854_775_808.0;

impl Emit<'_, '_> {
    pub(super) fn int_add(&mut self, at: At, a: clif::Value, b: clif::Value) -> Val {
        if !at.checked {
            return Val::One(self.b.ins().iadd(a, b));
        }
        let checked = self.b.ins().sadd_overflow(a, b);
        self.in_range(at, checked)
    }

    pub(super) fn int_sub(&mut self, at: At, a: clif::Value, b: clif::Value) -> Val {
        if !at.checked {
            return Val::One(self.b.ins().isub(a, b));
        }
        let checked = self.b.ins().ssub_overflow(a, b);
        self.in_range(at, checked)
    }

    pub(super) fn int_mul(&mut self, at: At, a: clif::Value, b: clif::Value) -> Val {
        if !at.checked {
            return Val::One(self.b.ins().imul(a, b));
        }
        let checked = self.b.ins().smul_overflow(a, b);
        self.in_range(at, checked)
    }

    pub(super) fn int_neg(&mut self, at: At, n: clif::Value) -> Val {
        let zero = self.b.ins().iconst(types::I64, 0);
        self.int_sub(at, zero, n)
    }

    pub(super) fn int_abs(&mut self, at: At, n: clif::Value) -> Val {
        let bad = self.b.ins().icmp_imm_s(IntCC::Equal, n, i64::MIN);
        self.refuse(bad, Trap::IntegerOverflow, at.inst.span);
        Val::One(self.b.ins().iabs(n))
    }

    pub(super) fn int_sign(&mut self, n: clif::Value) -> Val {
        let above = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, n, 0);
        let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, n, 0);
        let sign = self.b.ins().isub(above, below);
        Val::One(self.b.ins().sextend(types::I64, sign))
    }

    /// ⌊a/b⌋
    pub(super) fn int_div(&mut self, at: At, a: clif::Value, b: clif::Value) -> Val {
        self.nonzero(at, b);
        let least = self.b.ins().icmp_imm_s(IntCC::Equal, a, i64::MIN);
        let minus = self.b.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let bad = self.b.ins().band(least, minus);
        self.refuse(bad, Trap::IntegerOverflow, at.inst.span);
        let q = self.b.ins().sdiv(a, b);
        let back = self.b.ins().imul(q, b);
        let r = self.b.ins().isub(a, back);
        let down = self.off_side(r, b);
        let down = self.b.ins().uextend(types::I64, down);
        Val::One(self.b.ins().isub(q, down))
    }

    /// a − b⌊a/b⌋, which always exists: the remainder of a division by −1, whose quotient may overflow, is 0 as
    /// that of a division by 1.
    pub(super) fn int_mod(&mut self, at: At, a: clif::Value, b: clif::Value) -> Val {
        self.nonzero(at, b);
        let minus = self.b.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let one = self.b.ins().iconst(types::I64, 1);
        let b = self.b.ins().select(minus, one, b);
        let r = self.b.ins().srem(a, b);
        let off = self.off_side(r, b);
        let zero = self.b.ins().iconst(types::I64, 0);
        let shift = self.b.ins().select(off, b, zero);
        Val::One(self.b.ins().iadd(r, shift))
    }

    pub(super) fn int_power(&mut self, at: At, a: clif::Value, n: clif::Value) -> Result<Val, Refusal> {
        let out = self.scratch();
        let native = self.native(math::INT_POWER)?;
        let call = self.b.ins().call(native, &[a, n, out]);
        let bad = self.b.inst_results(call)[0];
        self.refuse(bad, Trap::IntegerOverflow, at.inst.span);
        Ok(Val::One(self.b.ins().load(types::I64, MemFlagsData::trusted(), out, 0)))
    }

    /// The integer part of a real number in range.
    pub(super) fn int_from_real(&mut self, at: At, x: clif::Value) -> Val {
        let x = self.convert(x, at.single, adc_ir::Scalar::F64);
        if self.plan.bounds.is_whole(at.inst.args[0]) {
            return Val::One(self.b.ins().fcvt_to_sint_sat(types::I64, x));
        }
        let (low, high) = (self.b.ins().f64const(-END), self.b.ins().f64const(END));
        let above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, x, low);
        let below = self.b.ins().fcmp(FloatCC::LessThan, x, high);
        let ok = self.b.ins().band(above, below);
        self.require(ok, Trap::BadConversion, at.inst.span);
        Val::One(self.b.ins().fcvt_to_sint_sat(types::I64, x))
    }

    fn in_range(&mut self, at: At, (y, overflow): (clif::Value, clif::Value)) -> Val {
        self.refuse(overflow, Trap::IntegerOverflow, at.inst.span);
        Val::One(y)
    }

    fn nonzero(&mut self, at: At, b: clif::Value) {
        let bad = self.b.ins().icmp_imm_s(IntCC::Equal, b, 0);
        self.refuse(bad, Trap::DivisionByZero, at.inst.span);
    }

    /// Whether a remainder is not 0 and has not the sign of the divisor: truncation went up then, not down.
    fn off_side(&mut self, r: clif::Value, b: clif::Value) -> clif::Value {
        let nonzero = self.b.ins().icmp_imm_s(IntCC::NotEqual, r, 0);
        let signs = self.b.ins().bxor(r, b);
        let differ = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        self.b.ins().band(nonzero, differ)
    }
}
