//! `if` inside a unit, and the drivers that run units.

use super::{Emit, Val, part_type};
use crate::compile::Refusal;
use crate::plan::Step;
use adc_ir::{Inst, Scalar};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, BlockArg};

impl Emit<'_, '_> {
    /// An `if` of this unit: two blocks that meet in one with the results as parameters.
    pub(super) fn branch(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let cond = self.val(inst.args[0]).one();
        let arms = [self.b.create_block(), self.b.create_block()];
        let join = self.b.create_block();
        let results: Vec<Val> = inst.results.iter().map(|v| self.join_param(join, self.ty(*v))).collect();
        self.b.ins().brif(cond, arms[0], &[], arms[1], &[]);
        for (block, region) in arms.into_iter().zip(&inst.regions) {
            self.b.switch_to_block(block);
            let mark = self.slots.log.len();
            self.find_pairs(region.insts.iter());
            for inst in &region.insts {
                self.inst(inst)?;
            }
            let mut args: Vec<BlockArg> = Vec::new();
            for v in &region.yields {
                args.extend(self.val(*v).parts().map(BlockArg::from));
            }
            self.b.ins().jump(join, &args);
            self.slots.forget(mark);
        }
        self.b.switch_to_block(join);
        for (v, val) in inst.results.iter().zip(results) {
            self.define(*v, val);
        }
        Ok(())
    }

    fn join_param(&mut self, join: clif::Block, ty: Scalar) -> Val {
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
    pub(super) fn steps(&mut self, steps: &[Step]) {
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
                Step::Branch { cond, arms } => {
                    // What a driver holds in registers must not depend on the arm that loaded it.
                    let mark = self.slots.log.len();
                    let cond = self.val(*cond).one();
                    let blocks: [clif::Block; 2] = [self.b.create_block(), self.b.create_block()];
                    let join = self.b.create_block();
                    self.b.ins().brif(cond, blocks[0], &[], blocks[1], &[]);
                    for (block, arm) in blocks.into_iter().zip(arms) {
                        self.b.switch_to_block(block);
                        self.steps(arm);
                        self.b.ins().jump(join, &[]);
                    }
                    self.b.switch_to_block(join);
                    self.slots.forget(mark);
                }
            }
        }
    }
}
