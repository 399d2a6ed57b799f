//! Two neighbours at once, as [`crate::lower::superwords`] says.

use super::Emit;
use super::scalar::{At, X};
use crate::emit::linker::Refusal;
use crate::lower::superwords::{Elements, Role, Two};
use adc_ir::{Inst, Kind, Scalar, Span, kinds};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, MemFlagsData, types};

impl Emit<'_, '_> {
    /// An instruction that has a role in a pair.
    pub(super) fn superword(&mut self, inst: &Inst, role: &Role) -> Result<(), Refusal> {
        let index = match &inst.kind {
            Kind::Index => Some(&inst.args[1..]),
            kinds!(Write) => Some(&inst.args[2..]),
            _ => None,
        };
        if let Some(index) = index {
            self.locate(inst.args[0], index, inst.span);
        }
        if let Role::Both { to, value } = role {
            let x = self.two(value, inst.span)?;
            let at = self.neighbours(to, inst.span);
            let x = match inst.kind {
                Kind::AddAt => {
                    let old = self.b.ins().load(types::F64X2, unaligned(), at, 0);
                    self.b.ins().fadd(old, x)
                }
                _ => x,
            };
            self.b.ins().store(unaligned(), x, at, 0);
        }
        if matches!(inst.kind, kinds!(Write)) {
            let array = self.val(inst.args[0]);
            self.define(inst.results[0], array);
        }
        Ok(())
    }

    fn two(&mut self, of: &Two, span: Span) -> Result<clif::Value, Refusal> {
        Ok(match of {
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
            Two::Op(op, inst, args) => {
                let mut operands = Vec::with_capacity(args.len());
                for of in args {
                    operands.push(X::Real(self.two(of, span)?));
                }
                let at = At { op: *op, inst, single: false, out: Scalar::F64, checked: false };
                self.apply(at, &operands)?.one()
            }
        })
    }

    fn neighbours(&mut self, of: &Elements, span: Span) -> clif::Value {
        self.locate(of.array, of.index, span)
    }
}

/// Rows begin anywhere.
fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
