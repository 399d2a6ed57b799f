//! `if` inside a unit, and the drivers that run units.

use super::{Emit, Val, part_type};
use crate::emit::linker::Refusal;
use crate::lower::plan::Step;
use adc_ir::{Inst, Scalar, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, BlockArg, types};

impl<'e> Emit<'e, '_> {
    /// An `if` of this unit: two blocks that meet in one with the results as parameters.
    pub(super) fn branch(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let cond = self.val(inst.args[0]).one();
        let arms = [self.b.create_block(), self.b.create_block()];
        let join = self.b.create_block();
        // Memory of results that do not stay where they are yielded.
        let mut places: Vec<Option<clif::Value>> = Vec::with_capacity(inst.results.len());
        for v in &inst.results {
            let own = self.plan.memory.made(*v).is_some();
            places.push(if own { Some(self.place_for(*v, inst.span)?) } else { None });
        }
        let results: Vec<Val> = inst.results.iter().map(|v| self.join_param(join, *v)).collect();
        self.b.ins().brif(cond, arms[0], &[], arms[1], &[]);
        for (i, (block, region)) in arms.into_iter().zip(&inst.regions).enumerate() {
            self.b.switch_to_block(block);
            let mark = self.slots.log.len();
            self.open_branch(inst, i, &places);
            self.straight(region.insts.iter())?;
            let mut args: Vec<BlockArg> = Vec::new();
            for (k, v) in region.yields.iter().enumerate() {
                match places[k] {
                    Some(at) => {
                        if !self.plan.memory.is_direct(inst, i, k) {
                            self.copy_array(at, *v)?;
                        }
                        args.push(at.into());
                    }
                    None => args.extend(self.val(*v).parts().map(BlockArg::from)),
                }
            }
            let plan = self.plan;
            self.give(plan.memory.frees_in(inst, i))?;
            self.b.ins().jump(join, &args);
            self.slots.forget(mark);
        }
        self.b.switch_to_block(join);
        for (v, val) in inst.results.iter().zip(results) {
            self.define(*v, val);
        }
        Ok(())
    }

    /// Where the branch makes results that have memory of their own.
    fn open_branch(&mut self, inst: &Inst, branch: usize, places: &[Option<clif::Value>]) {
        for (k, at) in places.iter().enumerate() {
            if let (Some(at), Some(b)) = (at, self.plan.memory.row(inst, branch, k)) {
                self.rows.insert(b, *at);
            }
        }
    }

    fn join_param(&mut self, join: clif::Block, v: Value) -> Val {
        if self.plan.func.ty(v).is_array() {
            return Val::One(self.b.append_block_param(join, types::I64));
        }
        let ty = self.ty(v);
        let mut part = || self.b.append_block_param(join, part_type(ty));
        match ty {
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 => Val::One(part()),
            Scalar::C64 | Scalar::C128 => {
                let re = part();
                Val::Two(re, part())
            }
        }
    }

    /// Runs units in order. They get the areas of this one.
    pub(super) fn steps(&mut self, steps: &'e [Step<'e>]) -> Result<(), Refusal> {
        for step in steps {
            match step {
                Step::Run(unit) => {
                    let id = self.linker.units[&self.of][*unit as usize];
                    let f = self.function(id);
                    let areas = self.areas;
                    let args = [areas.context, areas.input, areas.output, areas.frame];
                    let call = self.b.ins().call(f, &args);
                    let status = self.b.inst_results(call)[0];
                    self.propagate(status);
                }
                Step::Branch { inst, arms } => {
                    // What a driver holds in registers must not depend on the arm that loaded it.
                    let mark = self.slots.log.len();
                    for v in &inst.results {
                        if self.plan.memory.made(*v).is_some() {
                            let at = self.place_for(*v, inst.span)?;
                            self.define(*v, Val::One(at));
                        }
                    }
                    let cond = self.val(inst.args[0]).one();
                    let blocks: [clif::Block; 2] = [self.b.create_block(), self.b.create_block()];
                    let join = self.b.create_block();
                    self.b.ins().brif(cond, blocks[0], &[], blocks[1], &[]);
                    for (block, arm) in blocks.into_iter().zip(arms) {
                        self.b.switch_to_block(block);
                        let mark = self.slots.log.len();
                        self.steps(arm)?;
                        self.slots.forget(mark);
                        self.b.ins().jump(join, &[]);
                    }
                    self.b.switch_to_block(join);
                    self.slots.forget(mark);
                    self.give_after(inst)?;
                }
                Step::Loop { inst, bodies } => {
                    for (r, steps) in inst.regions.iter().zip(bodies) {
                        self.bodies.insert(std::ptr::from_ref(r), steps);
                    }
                    self.inst(inst)?;
                }
            }
        }
        Ok(())
    }
}
