//! Whether the tangents of a loop's body read what its primal computes.

use crate::rules::Rules;
use crate::session::Prepared;
use adc_ir::{Inst, Kind, Op, ReduceOp, Region, Type, Value, kinds};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Whether the tangent of what a loop's body yields reads values that take more than a look into an array: then both belong
/// into one loop.
pub(super) fn needs_primal(prepared: &Prepared, rules: &Rules, body: &Region) -> bool {
    let mut walk = Walk { prepared, rules, expensive: FxHashSet::default() };
    walk.region(body)
}

struct Walk<'a> {
    prepared: &'a Prepared,
    rules: &'a Rules,
    /// The values that are computed in the body at some cost.
    expensive: FxHashSet<Value>,
}

impl Walk<'_> {
    fn region(&mut self, region: &Region) -> bool {
        region.insts.iter().any(|inst| {
            let needs = self.inst(inst);
            if !self.is_cheap(inst) {
                self.expensive.extend(&inst.results);
            }
            needs
        })
    }

    fn reads(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.expensive.contains(v))
    }

    fn is_cheap(&self, inst: &Inst) -> bool {
        let looks = match &inst.kind {
            Kind::Const(_) | Kind::Size(_) | Kind::Index => true,
            Kind::Op(op) => {
                let discrete = !self.prepared.func.ty(inst.results[0]).is_differentiable();
                discrete || matches!(op, Op::ToF64 | Op::ToF32 | Op::Neg | Op::Conj | Op::Re | Op::Im)
            }
            Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Slice
            | kinds!(Write | Form | Matrix | Loop) => false,
        };
        looks && !self.reads(&inst.args)
    }

    /// Whether the tangents of an instruction read expensive values; its regions are looked through.
    fn inst(&mut self, inst: &Inst) -> bool {
        let activity = &self.prepared.activity;
        if !inst.results.iter().any(|r| activity.is_active(*r)) {
            for region in &inst.regions {
                self.region(region);
            }
            return false;
        }
        match &inst.kind {
            Kind::Const(_) | Kind::Assert(_) | Kind::Size(_) => false,
            Kind::Op(op) => {
                let types: SmallVec<[Type; 3]> =
                    inst.args.iter().map(|a| self.prepared.func.ty(*a)).collect();
                let row = self.rules.row(*op, &types);
                (0..inst.args.len()).filter(|i| activity.is_active(inst.args[*i])).any(|i| {
                    let reads = row.partial(i).reads();
                    // The result of an active op is expensive.
                    let operands = inst.args.iter().zip(reads.operands);
                    reads.result
                        || operands.filter(|(_, read)| *read).any(|(a, _)| self.expensive.contains(a))
                })
            }
            kinds!(Read | Write | Form) => {
                let discrete = |v: &&Value| !self.prepared.func.ty(**v).is_differentiable();
                inst.args.iter().filter(discrete).any(|v| self.expensive.contains(v))
            }
            Kind::If | Kind::Build { .. } | Kind::Reduce(ReduceOp::Sum) => {
                let outside = self.reads(&inst.args);
                inst.regions.iter().any(|r| self.region(r)) || outside
            }
            Kind::MatMul => self.reads(&inst.args),
            Kind::Call(_) | Kind::Reduce(_) | Kind::For(_) | Kind::While(_) | Kind::Linalg(_) => true,
        }
    }
}
