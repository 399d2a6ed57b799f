//! Arithmetic of real and complex numbers in any mixture. Products use the plain formula without fma; a real
//! operand is not promoted but acts on the parts.

use super::scalar::X;
use super::{Emit, Val};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, Opcode};

impl Emit<'_, '_> {
    /// Operands whose order does not matter, a literal last: there it is an operand in memory, elsewhere it goes through two registers.
    fn literal_last(&self, a: clif::Value, b: clif::Value) -> [clif::Value; 2] {
        let dfg = &self.b.func.dfg;
        let opcode = dfg.value_def(a).inst().map(|inst| dfg.insts[inst].opcode());
        if matches!(opcode, Some(Opcode::F64const | Opcode::F32const)) { [b, a] } else { [a, b] }
    }

    pub(super) fn add(&mut self, a: X, b: X) -> Val {
        match (a, b) {
            (X::Real(a), X::Real(b)) => {
                let [a, b] = self.literal_last(a, b);
                Val::One(self.b.ins().fadd(a, b))
            }
            (X::Complex(ar, ai), X::Complex(br, bi)) => {
                let re = self.b.ins().fadd(ar, br);
                Val::Two(re, self.b.ins().fadd(ai, bi))
            }
            (X::Real(a), X::Complex(re, im)) => Val::Two(self.b.ins().fadd(a, re), im),
            (X::Complex(re, im), X::Real(b)) => Val::Two(self.b.ins().fadd(re, b), im),
            _ => panic!("{a:?} and {b:?} are not added"),
        }
    }

    pub(super) fn sub(&mut self, a: X, b: X) -> Val {
        match (a, b) {
            (X::Real(a), X::Real(b)) => Val::One(self.b.ins().fsub(a, b)),
            (X::Complex(ar, ai), X::Complex(br, bi)) => {
                let re = self.b.ins().fsub(ar, br);
                Val::Two(re, self.b.ins().fsub(ai, bi))
            }
            (X::Real(a), X::Complex(re, im)) => {
                let re = self.b.ins().fsub(a, re);
                Val::Two(re, self.b.ins().fneg(im))
            }
            (X::Complex(re, im), X::Real(b)) => Val::Two(self.b.ins().fsub(re, b), im),
            _ => panic!("{a:?} and {b:?} are not subtracted"),
        }
    }

    pub(super) fn mul(&mut self, a: X, b: X) -> Val {
        match (a, b) {
            (X::Real(a), X::Real(b)) => {
                let [a, b] = self.literal_last(a, b);
                Val::One(self.b.ins().fmul(a, b))
            }
            (X::Complex(ar, ai), X::Complex(br, bi)) => {
                let rr = self.b.ins().fmul(ar, br);
                let ii = self.b.ins().fmul(ai, bi);
                let ri = self.b.ins().fmul(ar, bi);
                let ir = self.b.ins().fmul(ai, br);
                let re = self.b.ins().fsub(rr, ii);
                Val::Two(re, self.b.ins().fadd(ri, ir))
            }
            (X::Real(a), X::Complex(re, im)) | (X::Complex(re, im), X::Real(a)) => {
                let re = self.b.ins().fmul(a, re);
                Val::Two(re, self.b.ins().fmul(a, im))
            }
            _ => panic!("{a:?} and {b:?} are not multiplied"),
        }
    }

    /// A real operand as a complex number with imaginary part +0.
    pub(super) fn widen(&mut self, x: X) -> X {
        match x {
            X::Real(a) => {
                let ty = self.b.func.dfg.value_type(a);
                let single = ty == super::part_type(adc_ir::Scalar::F32);
                let ty = if single { adc_ir::Scalar::F32 } else { adc_ir::Scalar::F64 };
                X::Complex(a, self.number(0.0, ty))
            }
            X::Complex(..) => x,
            X::Bool(_) | X::Int(_) => panic!("{x:?} is not a number with a complex one beside it"),
        }
    }
}
