//! Real numbers: literals, conversions, and the ops that are neither one instruction nor a native function.

use super::scalar::At;
use super::{Emit, Val, part_type};
use adc_ir::Scalar;
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self as clif, types};

impl Emit<'_, '_> {
    /// The literal `x` in the precision of `ty`.
    pub(super) fn number(&mut self, x: f64, ty: Scalar) -> clif::Value {
        if ty.is_single() { self.b.ins().f32const(x as f32) } else { self.b.ins().f64const(x) }
    }

    /// A real number, of single precision or not, in the precision of `to`.
    pub(super) fn convert(&mut self, x: clif::Value, single: bool, to: Scalar) -> clif::Value {
        match (single, to.is_single()) {
            (true, false) => self.b.ins().fpromote(types::F64, x),
            (false, true) => self.b.ins().fdemote(types::F32, x),
            (true, true) | (false, false) => x,
        }
    }

    /// ±1, and the operand itself if it is ±0 or NaN.
    pub(super) fn real_sign(&mut self, at: At, x: clif::Value) -> Val {
        let (zero, one) = (self.number(0.0, at.out), self.number(1.0, at.out));
        let nonzero = self.b.ins().fcmp(FloatCC::OrderedNotEqual, x, zero);
        let unit = self.b.ins().fcopysign(one, x);
        Val::One(self.b.ins().select(nonzero, unit, x))
    }

    /// Whether |x| compares to ∞ as `cc` says; false for NaN.
    pub(super) fn magnitude_is(&mut self, cc: FloatCC, x: clif::Value) -> clif::Value {
        let ty =
            if self.b.func.dfg.value_type(x) == part_type(Scalar::F32) { Scalar::F32 } else { Scalar::F64 };
        let infinity = self.number(f64::INFINITY, ty);
        let magnitude = self.b.ins().fabs(x);
        self.b.ins().fcmp(cc, magnitude, infinity)
    }
}
