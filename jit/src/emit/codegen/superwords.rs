//! Two neighbours at once, as [`crate::lower::superwords`] says.

use super::Emit;
use crate::lower::superwords::{Elements, Role, Two};
use adc_ir::{Inst, Kind, Op, Span, kinds};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, MemFlagsData, types};

impl Emit<'_, '_> {
    /// An instruction that has a role in a pair.
    pub(super) fn superword(&mut self, inst: &Inst, role: &Role) {
        let index = match &inst.kind {
            Kind::Index => Some(&inst.args[1..]),
            kinds!(Write) => Some(&inst.args[2..]),
            _ => None,
        };
        if let Some(index) = index {
            self.locate(inst.args[0], index, inst.span);
        }
        if let Role::Both { to, value } = role {
            let x = self.two(value, inst.span);
            let at = self.neighbours(to, inst.span);
            self.b.ins().store(unaligned(), x, at, 0);
        }
        if matches!(inst.kind, kinds!(Write)) {
            let array = self.val(inst.args[0]);
            self.define(inst.results[0], array);
        }
    }

    fn two(&mut self, of: &Two, span: Span) -> clif::Value {
        match of {
            Two::Same(v) => {
                let x = self.val(*v).one();
                self.b.ins().splat(types::F64X2, x)
            }
            Two::Apart(a, b) => {
                let [a, b] = [a, b].map(|v| self.val(*v).one());
                let y = self.b.ins().scalar_to_vector(types::F64X2, a);
                self.b.ins().insertlane(y, b, 1)
            }
            Two::Elements(elements) => {
                let at = self.neighbours(elements, span);
                self.b.ins().load(types::F64X2, unaligned(), at, 0)
            }
            Two::Op(op, args) => {
                let x: Vec<clif::Value> = args.iter().map(|of| self.two(of, span)).collect();
                let ins = self.b.ins();
                match (op, &x[..]) {
                    (Op::Neg, [x]) => ins.fneg(*x),
                    (Op::Abs, [x]) => ins.fabs(*x),
                    (Op::Sqrt, [x]) => ins.sqrt(*x),
                    (Op::Square, [x]) => ins.fmul(*x, *x),
                    (Op::Add, [x, y]) => ins.fadd(*x, *y),
                    (Op::Sub, [x, y]) => ins.fsub(*x, *y),
                    (Op::Mul, [x, y]) => ins.fmul(*x, *y),
                    (Op::Div, [x, y]) => ins.fdiv(*x, *y),
                    (Op::Fma, [x, y, z]) => ins.fma(*x, *y, *z),
                    _ => unreachable!("`{op}` of {} operands is in no pair", x.len()),
                }
            }
        }
    }

    fn neighbours(&mut self, of: &Elements, span: Span) -> clif::Value {
        self.locate(of.array, of.index, span)
    }
}

/// Rows begin anywhere.
fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
