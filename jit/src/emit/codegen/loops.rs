//! Comprehensions, and what all loops are made of: iterations with values in registers.

use super::sizes::Extent;
use super::strips::{Innermost, Places};
use super::{Emit, Val, part_type};
use crate::emit::linker::Refusal;
use crate::lower::memory::BufferId;
use adc_ir::{Inst, Region, Scalar, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, BlockArg, MemFlagsData, types};
use rustc_hash::FxHashSet;

impl Emit<'_, '_> {
    /// Runs a region's instructions; what they define is in registers until [`Self::leave`].
    pub(super) fn run(&mut self, region: &Region) -> Result<(), Refusal> {
        if let Some(steps) = self.bodies.get(&std::ptr::from_ref(region)).copied() {
            return self.steps(steps);
        }
        self.straight(region.insts.iter())
    }

    /// Brings into registers what a loop's regions use from outside, so that it is not loaded in every iteration.
    pub(super) fn preload(&mut self, inst: &Inst) {
        if inst.regions.iter().any(|r| self.bodies.contains_key(&std::ptr::from_ref(r))) {
            return;
        }
        fn visit(r: &Region, inside: &mut FxHashSet<Value>, used: &mut Vec<Value>) {
            inside.extend(&r.params);
            for inst in &r.insts {
                used.extend(&inst.args);
                inst.regions.iter().for_each(|r| visit(r, inside, used));
                inside.extend(&inst.results);
            }
            used.extend(&r.yields);
        }
        let (mut inside, mut used) = (FxHashSet::default(), Vec::new());
        inst.regions.iter().for_each(|r| visit(r, &mut inside, &mut used));
        for v in used {
            let i = v.0 as usize;
            if !inside.contains(&v) && self.plan.consts[i].is_none() && self.slots.vals[i].is_none() {
                self.val(v);
            }
        }
    }

    /// A comprehension.
    pub(super) fn build(&mut self, inst: &Inst, rank: usize) -> Result<(), Refusal> {
        let plan = self.plan;
        let result = inst.results[0];
        let sizes = self.checked_sizes(plan.memory.shape(result), inst.span);
        let to = self.place_for(result, inst.span)?;
        let iterations = self.product(&sizes[..rank]);
        self.burn(iterations, inst.span);
        self.preload(inst);
        let row = self.row_of(result, rank);
        self.axis(inst, &sizes[..rank], 0, Extent::Number(0), (to, row))?;
        self.define(result, Val::One(to));
        Ok(())
    }

    /// Whether it is a double, real or complex, or an array of such.
    pub(super) fn is_of_doubles(&self, v: Value) -> bool {
        matches!(self.ty(v), Scalar::F64 | Scalar::C128)
    }

    /// Says where a row is made.
    pub(super) fn open_row(&mut self, b: BufferId, at: clif::Value) {
        self.rows.insert(b, at);
        if let Some(home) = self.plan.rows.get(&b) {
            self.b.ins().store(MemFlagsData::trusted(), at, self.areas.frame, *home as i32);
        }
    }

    /// A number of iterations; as many as there can be if that is too large.
    fn product(&mut self, sizes: &[Extent]) -> Extent {
        if sizes.iter().any(|s| matches!(s, Extent::Number(0))) {
            return Extent::Number(0);
        }
        sizes.iter().fold(Extent::Number(1), |n, s| match (n, *s) {
            (Extent::Number(a), Extent::Number(b)) => Extent::Number(a.saturating_mul(b)),
            (a, b) => self.times(a, b),
        })
    }

    /// The loops of a comprehension from one axis on; `before`: the position along the axes before.
    fn axis(
        &mut self,
        inst: &Inst,
        sizes: &[Extent],
        axis: usize,
        before: Extent,
        place: (clif::Value, Extent),
    ) -> Result<(), Refusal> {
        let region = &inst.regions[0];
        if axis < sizes.len() {
            let each = |e: &mut Self, k| {
                e.define(region.params[axis], Val::One(k));
                let at = e.times(before, sizes[axis]);
                let at = e.plus(at, Extent::Value(k));
                e.axis(inst, sizes, axis + 1, at, place)
            };
            let (iterations, lo, step) = (sizes[axis], Extent::Number(0), Extent::Number(1));
            let stores = &region.yields[..];
            let index = region.params[axis];
            let most = match iterations {
                Extent::Number(n) => Some(n),
                Extent::Value(_) => None,
            };
            let span = inst.span;
            let of = Innermost {
                region,
                index,
                span,
                iterations,
                most,
                lo,
                step,
                stores,
                stored: if axis == 0 { &inst.results } else { &[] },
                reds: &[],
                carried: &[],
            };
            let innermost = axis + 1 == sizes.len() && self.is_of_doubles(region.yields[0]);
            let Some(formed) = innermost.then(|| self.form(&of)).flatten() else {
                return self.repeat(iterations, each);
            };
            let first = self.times(before, iterations);
            let first = self.times(first, place.1);
            let first = self.offset(place.0, first);
            self.strip(formed, &of, &Places { stores: &[first], sums: &[] }, each)?;
            return Ok(());
        }
        let (to, row) = place;
        let at = self.times(before, row);
        let at = self.offset(to, at);
        if let Some(b) = self.plan.memory.row(inst, 0, 0) {
            self.open_row(b, at);
        }
        self.run(region)?;
        if !self.plan.memory.is_direct(inst, 0, 0) {
            self.write(region.yields[0], at)?;
        }
        let plan = self.plan;
        self.give(plan.memory.frees_in(inst, 0))
    }

    /// i of iteration `t`: lo + step t.
    pub(super) fn nth(&mut self, t: clif::Value, lo: Extent, step: Extent) -> clif::Value {
        let distance = self.times(Extent::Value(t), step);
        let i = self.plus(lo, distance);
        self.value_of(i)
    }

    /// A loop of `iterations` iterations t = 0, 1, … with i = lo, lo + step, … and values in registers, which the body gives anew.
    /// The last ones come back.
    pub(super) fn counted(
        &mut self,
        iterations: Extent,
        lo: Extent,
        step: Extent,
        start: &[(Scalar, Val)],
        body: impl FnOnce(&mut Self, clif::Value, clif::Value, &[Val]) -> Result<Vec<Val>, Refusal>,
    ) -> Result<Vec<Val>, Refusal> {
        let mark = self.slots.log.len();
        let (head, end) = (self.b.create_block(), self.b.create_block());
        let t = self.b.append_block_param(head, types::I64);
        let plain = matches!((lo, step), (Extent::Number(0), Extent::Number(1)));
        let i = if plain { t } else { self.b.append_block_param(head, types::I64) };
        let vals: Vec<Val> = start.iter().map(|(s, _)| self.block_param(head, *s)).collect();
        let last: Vec<Val> = start.iter().map(|(s, _)| self.block_param(end, *s)).collect();
        let args = |vals: &mut dyn Iterator<Item = Val>| -> Vec<BlockArg> {
            vals.flat_map(|v| v.parts().map(BlockArg::from).collect::<Vec<_>>()).collect()
        };
        let outs = args(&mut start.iter().map(|(_, v)| *v));
        let n = self.value_of(iterations);
        let mut ins = vec![BlockArg::from(self.int(0))];
        if !plain {
            ins.push(self.value_of(lo).into());
        }
        ins.extend(outs.iter().copied());
        match iterations {
            Extent::Number(1..) => self.b.ins().jump(head, &ins),
            _ => {
                let none = self.b.ins().icmp_imm_s(IntCC::Equal, n, 0);
                self.b.ins().brif(none, end, &outs, head, &ins)
            }
        };
        self.b.switch_to_block(head);
        let next = body(self, t, i, &vals)?;
        let outs = args(&mut next.into_iter());
        let after = self.b.ins().iadd_imm_s(t, 1);
        let mut ins = vec![BlockArg::from(after)];
        if !plain {
            let next = match step {
                Extent::Number(n) => self.b.ins().iadd_imm_s(i, n),
                Extent::Value(s) => self.b.ins().iadd(i, s),
            };
            ins.push(next.into());
        }
        ins.extend(outs.iter().copied());
        let more = self.b.ins().icmp(IntCC::NotEqual, after, n);
        self.b.ins().brif(more, head, &ins, end, &outs);
        self.b.switch_to_block(end);
        self.slots.forget(mark);
        Ok(last)
    }

    pub(super) fn block_param(&mut self, block: clif::Block, s: Scalar) -> Val {
        let first = self.b.append_block_param(block, part_type(s));
        match s {
            Scalar::C64 | Scalar::C128 => Val::Two(first, self.b.append_block_param(block, part_type(s))),
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 => Val::One(first),
        }
    }
}
