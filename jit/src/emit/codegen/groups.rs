//! Straight-line code in the order of [`crate::lower::groups`], and the calls that several operations share.

use super::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::lower::groups::{self, LANES, Lane, Member, Step};
use crate::lower::products::are_beside;
use crate::math::{self, FAMILIES};
use adc_ir::{Inst, Kind, Scalar, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{
    self as clif, AbiParam, MemFlagsData, Signature, StackSlotData, StackSlotKind, types,
};
use cranelift_module::Module as _;

impl Emit<'_, '_> {
    /// Instructions that run one after the other. Those nested in them are for themselves: a function would be computed there
    /// that nobody may need.
    pub(super) fn straight<'i>(&mut self, insts: impl Iterator<Item = &'i Inst>) -> Result<(), Refusal> {
        let (func, wide) = (self.plan.func, self.linker.calls_four());
        let member = |inst: &Inst| {
            let Kind::Op(op) = inst.kind else { return None };
            let (family, half) = math::family(op)?;
            let real = inst.args.iter().all(|v| func.ty(*v).scalar().is_real());
            let wide = wide && FAMILIES[family].four.is_some();
            real.then(|| Member { family, half, wide, least: FAMILIES[family].least })
        };
        let mut steps = groups::schedule(func, insts, member).into_iter().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::One(first) => {
                    let second = steps.next_if(|s| match s {
                        Step::One(second) => are_beside(first, second, func),
                        Step::Together { .. } => false,
                    });
                    match second {
                        Some(Step::One(second)) => self.products(first, second)?,
                        _ => self.inst(first)?,
                    }
                }
                Step::Together { family, lanes } => self.together(family, &lanes)?,
            }
        }
        Ok(())
    }

    /// One call for several operations.
    fn together(&mut self, family: usize, lanes: &[Lane]) -> Result<(), Refusal> {
        match lanes {
            [lane] => self.both(family, lane),
            _ => self.several(family, lanes),
        }
    }

    /// An operand in double precision.
    fn double(&mut self, v: Value) -> clif::Value {
        let single = self.ty(v).is_single();
        let x = self.val(v).one();
        self.convert(x, single, Scalar::F64)
    }

    /// Computes both functions of a pair.
    fn both(&mut self, family: usize, lane: &Lane) -> Result<(), Refusal> {
        let x = self.double(lane.operands[0]);
        let row = FAMILIES[family].pair.expect("only pairs have two functions");
        let f = self.native(row)?;
        let call = self.b.ins().call(f, &[x]);
        let [first, second] = *self.b.inst_results(call) else { unreachable!("the row has two results") };
        for (v, y) in lane.results.into_iter().zip([first, second]) {
            let v = v.expect("a lane that is alone has both");
            let y = self.convert(y, false, self.ty(v));
            self.define(v, Val::One(y));
        }
        Ok(())
    }

    /// Computes functions of several numbers. Results stay on the stack until they are used.
    fn several(&mut self, family: usize, lanes: &[Lane]) -> Result<(), Refusal> {
        let row = FAMILIES[family].four.expect("it is wide");
        let mut args = Vec::with_capacity(LANES * row.operands + 1);
        for k in 0..row.operands {
            for lane in 0..LANES {
                // The last number fills up.
                args.push(self.double(lanes[lane.min(lanes.len() - 1)].operands[k]));
            }
        }
        let size = (8 * LANES * row.ops.len()) as u32;
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3));
        args.push(self.b.ins().stack_addr(types::I64, slot, 0));
        let call_conv = self.linker.code.module().isa().default_call_conv();
        let id = self.linker.import(row.symbol, || {
            let mut signature = Signature::new(call_conv);
            signature.params = vec![AbiParam::new(types::F64); LANES * row.operands];
            signature.params.push(AbiParam::new(types::I64));
            signature
        })?;
        let f = self.function(id);
        self.b.ins().call(f, &args);
        for (k, lane) in lanes.iter().enumerate() {
            for (half, v) in lane.results.iter().enumerate() {
                let Some(v) = *v else { continue };
                self.refs.left.insert(v, (slot, (8 * (LANES * half + k)) as i32));
                if self.plan.homes[v.0 as usize].is_some() {
                    let val = self.left(v).expect("it was just left there");
                    self.define(v, val);
                }
            }
        }
        Ok(())
    }

    /// What the call of a group computed, if it was one.
    pub(super) fn left(&mut self, v: Value) -> Option<Val> {
        let (slot, at) = *self.refs.left.get(&v)?;
        let address = self.b.ins().stack_addr(types::I64, slot, 0);
        let y = self.b.ins().load(types::F64, MemFlagsData::trusted(), address, at);
        Some(Val::One(self.convert(y, false, self.ty(v))))
    }
}
