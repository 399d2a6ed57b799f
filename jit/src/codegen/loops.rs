//! Loops: scalar carries and integer sums in registers, array carries in place, everything that is gathered in memory.
//!
//! A turn writes sums and collected rows before it moves carries, whose old contents those may be.

use super::sizes::Extent;
use super::strips::Innermost;
use super::{Emit, Val, part_type};
use crate::compile::Refusal;
use crate::kernels::Kernel;
use crate::strips::RedOp;
use adc_ir::{Const, Inst, Loop, Op, ReduceOp, Region, Scalar, Span, Trap, Type, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, BlockArg, StackSlotData, StackSlotKind, types};
use rustc_hash::FxHashSet;

/// Partial sums of a sum of real or complex scalars.
const PARTIALS: i64 = 16;

/// How a scalar or array that a loop gathers is kept meanwhile.
#[derive(Clone, Copy)]
enum Sum {
    /// An integer: the last value in a register.
    Running(Val),
    /// Partial sums on the stack.
    Partial(clif::Value),
    /// An array in its place.
    Array(clif::Value),
}

/// A loop with carries whose turns are being generated.
struct Turns<'i> {
    inst: &'i Inst,
    /// The body and its number.
    body: &'i Region,
    region: usize,
    /// By array carry: position, and where it is.
    places: Vec<(usize, clif::Value)>,
    /// Number of carries.
    carries: usize,
}

impl Emit<'_, '_> {
    /// Runs a region's instructions; what they define is in registers until [`Self::leave`].
    fn run(&mut self, region: &Region) -> Result<(), Refusal> {
        self.find_pairs(region.insts.iter());
        for inst in &region.insts {
            self.inst(inst)?;
        }
        Ok(())
    }

    /// Brings into registers what a loop's regions use from outside, so that it is not loaded in every turn.
    fn preload(&mut self, inst: &Inst) {
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
        let turns = self.product(&sizes[..rank]);
        self.burn(turns, inst.span);
        self.preload(inst);
        let row = self.row_of(result, rank);
        self.axis(inst, &sizes[..rank], 0, Extent::Number(0), (to, row))?;
        self.define(result, Val::One(to));
        Ok(())
    }

    fn is_double(&self, v: Value) -> bool {
        self.plan.func.ty(v) == Type::F64
    }

    /// A number of turns; as many as there can be if that is too large.
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
        if axis + 1 == sizes.len() && self.is_double(region.yields[0]) {
            let first = self.times(before, sizes[axis]);
            let first = self.times(first, place.1);
            let first = self.offset(place.0, first);
            let (lo, step) = (Extent::Number(0), Extent::Number(1));
            let stores = [(region.yields[0], first)];
            let index = region.params[axis];
            let of = Innermost { region, index, turns: sizes[axis], lo, step, stores: &stores, reds: &[] };
            if self.strip(&of)?.is_some() {
                return Ok(());
            }
        }
        if axis < sizes.len() {
            return self.repeat(sizes[axis], |e, k| {
                e.slots.enter(region.params[axis], Val::One(k));
                let at = e.times(before, sizes[axis]);
                let at = e.plus(at, Extent::Value(k));
                e.axis(inst, sizes, axis + 1, at, place)
            });
        }
        let (to, row) = place;
        let at = self.times(before, row);
        let at = self.offset(to, at);
        if let Some(b) = self.plan.memory.row(inst, 0, 0) {
            self.rows.insert(b, at);
        }
        self.run(region)?;
        if !self.plan.memory.is_direct(inst, 0, 0) {
            self.write(region.yields[0], at)?;
        }
        let plan = self.plan;
        self.give(plan.memory.frees_in(inst, 0))
    }

    /// A reduction.
    pub(super) fn reduce(&mut self, inst: &Inst, op: ReduceOp) -> Result<(), Refusal> {
        let plan = self.plan;
        let (result, region) = (inst.results[0], &inst.regions[0]);
        let term = region.yields[0];
        let elem = self.ty(term);
        let [lo, hi, step] = [0, 1, 2].map(|k| self.operand(inst.args[k]));
        let turns = self.turns(lo, hi, step);
        self.burn(turns, inst.span);
        if op.needs_element() {
            match turns {
                Extent::Number(0) => self.fail_here(Trap::EmptyReduction, inst.span),
                Extent::Number(_) => {}
                Extent::Value(n) => {
                    let none = self.b.ins().icmp_imm_s(IntCC::Equal, n, 0);
                    self.refuse(none, Trap::EmptyReduction, inst.span);
                }
            }
        }
        self.preload(inst);
        let red = match op {
            ReduceOp::Sum => Some(RedOp::Sum),
            ReduceOp::Max => Some(RedOp::Max),
            ReduceOp::Min => Some(RedOp::Min),
            ReduceOp::Prod | ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => None,
        };
        if let Some(red) = red.filter(|_| self.is_double(term)) {
            let reds = [(red, term)];
            let of = Innermost { region, index: region.params[0], turns, lo, step, stores: &[], reds: &reds };
            if let Some(y) = self.strip(&of)? {
                self.define(result, Val::One(y[0]));
                return Ok(());
            }
        }
        if op == ReduceOp::Sum {
            let sum = self.open_sum(result, inst.span)?;
            let running = match sum {
                Sum::Running(v) => vec![(Scalar::I64, v)],
                Sum::Partial(_) | Sum::Array(_) => Vec::new(),
            };
            let last = self.counted(turns, lo, step, &running, |e, t, i, vals| {
                e.slots.enter(region.params[0], Val::One(i));
                e.run(region)?;
                let next = e.add_term(inst, term, sum, vals.first().copied(), t)?;
                e.give(plan.memory.frees_in(inst, 0))?;
                Ok(next.into_iter().collect())
            })?;
            return self.close_sum(result, sum, last.first().copied());
        }
        if plan.func.ty(result).is_array() {
            let to = self.place_for(result, inst.span)?;
            let count = self.count(plan.memory.shape(result));
            let identity = self.identity(op, elem);
            self.repeat(count, |e, k| {
                let at = e.times(Extent::Value(k), Extent::Number(elem.bytes() as i64));
                let at = e.offset(to, at);
                e.store_element(elem, identity, at);
                Ok(())
            })?;
            self.counted(turns, lo, step, &[], |e, _, i, _| {
                e.slots.enter(region.params[0], Val::One(i));
                e.run(region)?;
                e.accumulate(op_of(op), inst, term, to)?;
                e.give(plan.memory.frees_in(inst, 0))?;
                Ok(Vec::new())
            })?;
            self.define(result, Val::One(to));
            return Ok(());
        }
        let mut start = vec![(elem, self.identity(op, elem))];
        let seeks = matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin);
        if seeks {
            start.push((Scalar::I64, self.one_i64(lo)));
        }
        let last = self.counted(turns, lo, step, &start, |e, _, i, vals| {
            e.slots.enter(region.params[0], Val::One(i));
            e.run(region)?;
            let y = e.val(term);
            let next = match seeks {
                true => e.better(op, elem, vals[0], (y, i), vals[1]),
                false => vec![e.combine(op_of(op), elem, inst, vals[0], y)],
            };
            e.give(plan.memory.frees_in(inst, 0))?;
            Ok(next)
        })?;
        self.define(result, last[seeks as usize]);
        Ok(())
    }

    /// The extremum so far and where it was, after one more term: the first of several equal ones, the first NaN.
    fn better(
        &mut self,
        op: ReduceOp,
        elem: Scalar,
        best: Val,
        (y, i): (Val, clif::Value),
        at: Val,
    ) -> Vec<Val> {
        let (a, b) = (best.one(), y.one());
        let greater = op == ReduceOp::ArgMax;
        let take = if elem == Scalar::I64 {
            let cc = if greater { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
            self.b.ins().icmp(cc, b, a)
        } else {
            let cc = if greater { FloatCC::GreaterThan } else { FloatCC::LessThan };
            let better = self.b.ins().fcmp(cc, b, a);
            let nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
            let settled = self.b.ins().fcmp(FloatCC::Ordered, a, a);
            let take = self.b.ins().bor(better, nan);
            self.b.ins().band(take, settled)
        };
        let best = self.b.ins().select(take, b, a);
        vec![Val::One(best), Val::One(self.b.ins().select(take, i, at.one()))]
    }

    /// What leaves every term as it is.
    fn identity(&mut self, op: ReduceOp, elem: Scalar) -> Val {
        let least = matches!(op, ReduceOp::Max | ReduceOp::ArgMax);
        let number = match op {
            ReduceOp::Sum | ReduceOp::Any => Const::real(0.0, elem),
            ReduceOp::Prod | ReduceOp::All => Const::real(1.0, elem),
            _ if elem == Scalar::I64 => Const::I64(if least { i64::MIN } else { i64::MAX }),
            _ => Const::real(if least { f64::NEG_INFINITY } else { f64::INFINITY }, elem),
        };
        self.literal(number)
    }

    fn open_sum(&mut self, result: Value, span: Span) -> Result<Sum, Refusal> {
        let ty = self.plan.func.ty(result);
        if ty.is_array() {
            let to = self.place_for(result, span)?;
            let bytes = self.size_of(result);
            self.clear(to, bytes)?;
            return Ok(Sum::Array(to));
        }
        if ty.scalar() == Scalar::I64 {
            return Ok(Sum::Running(Val::One(self.int(0))));
        }
        let bytes = PARTIALS * ty.scalar().bytes() as i64;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4);
        let slot = self.b.create_sized_stack_slot(slot);
        let at = self.b.ins().stack_addr(types::I64, slot, 0);
        self.clear(at, Extent::Number(bytes))?;
        Ok(Sum::Partial(at))
    }

    /// Takes in the term of turn `t`; a sum in a register is given anew.
    fn add_term(
        &mut self,
        inst: &Inst,
        term: Value,
        sum: Sum,
        running: Option<Val>,
        t: clif::Value,
    ) -> Result<Option<Val>, Refusal> {
        let elem = self.ty(term);
        match sum {
            Sum::Array(to) => self.accumulate(Op::Add, inst, term, to)?,
            Sum::Partial(at) => {
                let k = self.b.ins().band_imm_u(t, PARTIALS - 1);
                let offset = self.times(Extent::Value(k), Extent::Number(elem.bytes() as i64));
                let at = self.offset(at, offset);
                self.accumulate(Op::Add, inst, term, at)?;
            }
            Sum::Running(start) => {
                let y = self.val(term);
                return Ok(Some(self.combine(Op::Add, elem, inst, running.unwrap_or(start), y)));
            }
        }
        Ok(None)
    }

    /// Defines a sum: the fixed tree over its partial sums.
    fn close_sum(&mut self, result: Value, sum: Sum, running: Option<Val>) -> Result<(), Refusal> {
        let val = match sum {
            Sum::Array(to) => Val::One(to),
            Sum::Running(start) => running.unwrap_or(start),
            Sum::Partial(at) => {
                let elem = self.ty(result);
                let mut parts: Vec<Val> = (0..PARTIALS)
                    .map(|k| {
                        let at = self.offset(at, Extent::Number(k * elem.bytes() as i64));
                        self.load_element(elem, at)
                    })
                    .collect();
                while parts.len() > 1 {
                    let half = parts.len() / 2;
                    for j in 0..half {
                        parts[j] = self.add_vals(parts[j], parts[j + half]);
                    }
                    parts.truncate(half);
                }
                parts[0]
            }
        };
        self.define(result, val);
        Ok(())
    }

    fn add_vals(&mut self, a: Val, b: Val) -> Val {
        match (a, b) {
            (Val::Two(ar, ai), Val::Two(br, bi)) => {
                let re = self.b.ins().fadd(ar, br);
                Val::Two(re, self.b.ins().fadd(ai, bi))
            }
            (a, b) => Val::One(self.b.ins().fadd(a.one(), b.one())),
        }
    }

    /// A loop of `turns` turns t = 0, 1, … with i = lo, lo + step, … and values in registers, which the body gives anew.
    /// The last ones come back.
    fn counted(
        &mut self,
        turns: Extent,
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
        let n = self.value_of(turns);
        let mut ins = vec![BlockArg::from(self.int(0))];
        if !plain {
            ins.push(self.value_of(lo).into());
        }
        ins.extend(outs.iter().copied());
        match turns {
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

    fn block_param(&mut self, block: clif::Block, s: Scalar) -> Val {
        let first = self.b.append_block_param(block, part_type(s));
        match s {
            Scalar::C64 | Scalar::C128 => Val::Two(first, self.b.append_block_param(block, part_type(s))),
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 => Val::One(first),
        }
    }

    /// Where array carries are, with their initial contents.
    fn open_carries<'i>(&mut self, inst: &'i Inst, first: usize) -> Result<Turns<'i>, Refusal> {
        let region = inst.regions.len() - 1;
        let carries = inst.args.len() - first;
        let mut places = Vec::new();
        for k in 0..carries {
            let (init, result) = (inst.args[first + k], inst.results[k]);
            if self.plan.func.ty(init).is_array() {
                places.push((k, self.writable(result, init, inst.span)?));
            }
        }
        Ok(Turns { inst, body: &inst.regions[region], region, places, carries })
    }

    /// The scalar carries: position, type, initial value.
    fn scalar_carries(&mut self, inst: &Inst, first: usize) -> Vec<(usize, Scalar, Val)> {
        let args = inst.args[first..].iter().enumerate();
        let scalar = args.filter(|(_, v)| !self.plan.func.ty(**v).is_array()).map(|(k, v)| (k, *v));
        let scalar: Vec<(usize, Value)> = scalar.collect();
        scalar.into_iter().map(|(k, v)| (k, self.ty(v), self.val(v))).collect()
    }

    /// Enters a region's carries.
    fn enter_carries(
        &mut self,
        turns: &Turns,
        params: &[Value],
        scalars: &[(usize, Scalar, Val)],
        vals: &[Val],
    ) {
        let params = &params[params.len() - turns.carries..];
        for (k, place) in &turns.places {
            self.slots.enter(params[*k], Val::One(*place));
        }
        for ((k, ..), val) in scalars.iter().zip(vals) {
            self.slots.enter(params[*k], *val);
        }
    }

    /// Moves the array carries of the next turn to their places.
    fn move_carries(&mut self, turns: &Turns) -> Result<(), Refusal> {
        let plan = self.plan;
        let params = &turns.body.params[turns.body.params.len() - turns.carries..];
        let moved: Vec<&(usize, clif::Value)> = (turns.places.iter())
            .filter(|(k, _)| !plan.memory.is_direct(turns.inst, turns.region, *k))
            .collect();
        // What would be written over before it is read is put aside first.
        let mut from = Vec::with_capacity(moved.len());
        for (k, place) in &moved {
            let y = turns.body.yields[*k];
            let at = self.val(y).one();
            match self.aside.get(&params[*k]).copied() {
                Some(spare) if at != *place => {
                    self.copy_array(spare, y)?;
                    from.push(spare);
                }
                _ => from.push(at),
            }
        }
        for ((k, place), from) in moved.into_iter().zip(from) {
            let bytes = self.size_of(turns.body.yields[*k]);
            self.copy(*place, from, bytes)?;
        }
        Ok(())
    }

    /// Spare places for carries that cannot be moved one after the other.
    fn open_aside(&mut self, turns: &Turns) -> Result<(), Refusal> {
        let params = &turns.body.params[turns.body.params.len() - turns.carries..];
        for (k, _) in &turns.places {
            if let Some(b) = self.plan.memory.made(params[*k]) {
                let at = self.buffer(b, turns.inst.span)?;
                self.aside.insert(params[*k], at);
            }
        }
        Ok(())
    }

    /// A `for`.
    pub(super) fn for_loop(&mut self, inst: &Inst, l: Loop) -> Result<(), Refusal> {
        let plan = self.plan;
        let [lo, hi, step] = [0, 1, 2].map(|k| self.operand(inst.args[k]));
        match step {
            Extent::Number(1..) => {}
            Extent::Number(n) => {
                self.fail_here(Trap::BadStep(n), inst.span);
                // Not reached; the rest only has to be code.
                return self.unreached(inst);
            }
            Extent::Value(s) => {
                let bad = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, s, 1);
                self.refuse_with(bad, Trap::BadStep(0), inst.span, [s, s]);
            }
        }
        let turns = self.turns(lo, hi, step);
        self.burn(turns, inst.span);
        let (sums, collects) = (l.sums as usize, l.collects as usize);
        if collects > 0 {
            match hi {
                Extent::Number(0..) => {}
                Extent::Number(n) => {
                    self.fail_here(Trap::NegativeSize(n), inst.span);
                    return self.unreached(inst);
                }
                Extent::Value(n) => {
                    let bad = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, n, 0);
                    self.refuse_with(bad, Trap::NegativeSize(0), inst.span, [n, n]);
                }
            }
        }
        let carries = inst.args.len() - 3;
        if carries == 0 && inst.regions[0].yields.iter().all(|v| self.is_double(*v)) {
            self.preload(inst);
            let region = &inst.regions[0];
            let reds: Vec<_> = region.yields[..sums].iter().map(|v| (RedOp::Sum, *v)).collect();
            // Memory for the results is taken once it is sure that they are made here.
            let nowhere: Vec<_> = region.yields[sums..].iter().map(|v| (*v, self.areas.frame)).collect();
            let index = region.params[0];
            let of = Innermost { region, index, turns, lo, step, stores: &nowhere, reds: &reds };
            if self.is_strip(&of) {
                let mut stores = Vec::with_capacity(collects);
                for (v, to) in region.yields[sums..].iter().zip(&inst.results[sums..]) {
                    stores.push((*v, self.place_for(*to, inst.span)?));
                }
                if let Some(y) = self.strip(&Innermost { stores: &stores, ..of })? {
                    for (v, y) in inst.results.iter().zip(y) {
                        self.define(*v, Val::One(y));
                    }
                    for (v, (_, at)) in inst.results[sums..].iter().zip(stores) {
                        self.define(*v, Val::One(at));
                    }
                    return Ok(());
                }
            }
        }
        let mut open = Vec::with_capacity(sums);
        for v in &inst.results[carries..carries + sums] {
            open.push(self.open_sum(*v, inst.span)?);
        }
        let mut arrays = Vec::with_capacity(collects);
        for v in &inst.results[carries + sums..] {
            let at = self.place_for(*v, inst.span)?;
            let row = self.row_of(*v, 1);
            arrays.push((at, row));
        }
        let frame = self.open_carries(inst, 3)?;
        self.open_aside(&frame)?;
        let scalars = self.scalar_carries(inst, 3);
        let mut start: Vec<(Scalar, Val)> = scalars.iter().map(|(_, s, v)| (*s, *v)).collect();
        for sum in &open {
            if let Sum::Running(v) = sum {
                start.push((Scalar::I64, *v));
            }
        }
        self.preload(inst);
        let region = &inst.regions[0];
        let last = self.counted(turns, lo, step, &start, |e, t, i, vals| {
            e.slots.enter(region.params[0], Val::One(i));
            e.enter_carries(&frame, &region.params, &scalars, vals);
            let rows = e.open_rows(inst, 0, carries + sums, &arrays, t);
            e.run(region)?;
            let mut next: Vec<Val> = scalars.iter().map(|(k, ..)| e.val(region.yields[*k])).collect();
            let mut running = vals[scalars.len()..].iter().copied();
            for (sum, term) in open.iter().zip(&region.yields[carries..]) {
                let old = if matches!(sum, Sum::Running(_)) { running.next() } else { None };
                next.extend(e.add_term(inst, *term, *sum, old, t)?);
            }
            e.close_rows(inst, 0, carries + sums, &rows)?;
            e.move_carries(&frame)?;
            e.give(plan.memory.frees_in(inst, 0))?;
            Ok(next)
        })?;
        for (k, place) in &frame.places {
            self.define(inst.results[*k], Val::One(*place));
        }
        for ((k, ..), val) in scalars.iter().zip(&last) {
            self.define(inst.results[*k], *val);
        }
        let mut running = last[scalars.len()..].iter().copied();
        for (sum, v) in open.iter().zip(&inst.results[carries..]) {
            let last = if matches!(sum, Sum::Running(_)) { running.next() } else { None };
            self.close_sum(*v, *sum, last)?;
        }
        for ((at, _), v) in arrays.iter().zip(&inst.results[carries + sums..]) {
            self.define(*v, Val::One(*at));
        }
        Ok(())
    }

    /// Where the rows of turn `t` go.
    fn open_rows(
        &mut self,
        inst: &Inst,
        region: usize,
        first: usize,
        arrays: &[(clif::Value, Extent)],
        t: clif::Value,
    ) -> Vec<clif::Value> {
        let mut rows = Vec::with_capacity(arrays.len());
        for (k, (at, row)) in arrays.iter().enumerate() {
            let offset = self.times(Extent::Value(t), *row);
            let at = self.offset(*at, offset);
            if let Some(b) = self.plan.memory.row(inst, region, first + k) {
                self.rows.insert(b, at);
            }
            rows.push(at);
        }
        rows
    }

    fn close_rows(
        &mut self,
        inst: &Inst,
        region: usize,
        first: usize,
        rows: &[clif::Value],
    ) -> Result<(), Refusal> {
        for (k, at) in rows.iter().enumerate() {
            if !self.plan.memory.is_direct(inst, region, first + k) {
                self.write(inst.regions[region].yields[first + k], *at)?;
            }
        }
        Ok(())
    }

    /// Results of an instruction that code before it made unreachable.
    fn unreached(&mut self, inst: &Inst) -> Result<(), Refusal> {
        for v in &inst.results {
            let ty = self.plan.func.ty(*v);
            let val = match ty.is_array() {
                true => Val::One(self.int(0)),
                false => self.literal(Const::zero(ty.scalar())),
            };
            self.define(*v, val);
        }
        Ok(())
    }

    /// A `while`.
    pub(super) fn while_loop(&mut self, inst: &Inst, l: Loop) -> Result<(), Refusal> {
        /// Rows there is memory for at first.
        const ROWS: i64 = 16;
        let plan = self.plan;
        let carries = inst.args.len();
        let arrays: &[Value] = if l.collects > 0 { &inst.results[carries + 1..] } else { &[] };
        let mut rows = Vec::with_capacity(arrays.len());
        let mut blocks = Vec::with_capacity(arrays.len());
        for v in arrays {
            let row = self.row_of(*v, 1);
            rows.push(row);
            let bytes = self.times(row, Extent::Number(ROWS));
            blocks.push(self.take(bytes, inst.span)?);
        }
        let frame = self.open_carries(inst, 0)?;
        self.open_aside(&frame)?;
        let scalars = self.scalar_carries(inst, 0);
        self.preload(inst);
        let mark = self.slots.log.len();
        let (head, body, end) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let turns = self.b.append_block_param(head, types::I64);
        let vals: Vec<Val> = scalars.iter().map(|(_, s, _)| self.block_param(head, *s)).collect();
        let room = self.b.append_block_param(head, types::I64);
        let places: Vec<clif::Value> =
            arrays.iter().map(|_| self.b.append_block_param(head, types::I64)).collect();
        let mut ins: Vec<BlockArg> = vec![self.int(0).into()];
        ins.extend(scalars.iter().flat_map(|(_, _, v)| v.parts()).map(BlockArg::from));
        ins.push(self.int(ROWS).into());
        ins.extend(blocks.into_iter().map(BlockArg::from));
        self.b.ins().jump(head, &ins);
        self.b.switch_to_block(head);
        self.enter_carries(&frame, &inst.regions[0].params, &scalars, &vals);
        self.run(&inst.regions[0])?;
        let go = self.val(inst.regions[0].yields[0]).one();
        self.give(plan.memory.frees_in(inst, 0))?;
        self.b.ins().brif(go, body, &[], end, &[]);
        self.slots.forget(mark);
        self.b.switch_to_block(body);
        self.burn(Extent::Number(1), inst.span);
        let (room, places) = self.make_room(inst, turns, room, &places, &rows)?;
        let region = &inst.regions[1];
        self.enter_carries(&frame, &region.params, &scalars, &vals);
        let here: Vec<(clif::Value, Extent)> = places.1.iter().copied().zip(rows).collect();
        let opened = self.open_rows(inst, 1, carries, &here, turns);
        self.run(region)?;
        let next: Vec<Val> = scalars.iter().map(|(k, ..)| self.val(region.yields[*k])).collect();
        self.close_rows(inst, 1, carries, &opened)?;
        self.move_carries(&frame)?;
        self.give(plan.memory.frees_in(inst, 1))?;
        let mut ins: Vec<BlockArg> = vec![self.b.ins().iadd_imm_s(turns, 1).into()];
        ins.extend(next.iter().flat_map(|v| v.parts()).map(BlockArg::from));
        ins.push(room.into());
        ins.extend(here.iter().map(|(at, _)| BlockArg::from(*at)));
        self.b.ins().jump(head, &ins);
        self.slots.forget(mark);
        self.b.switch_to_block(end);
        for (k, place) in &frame.places {
            self.define(inst.results[*k], Val::One(*place));
        }
        for ((k, ..), val) in scalars.iter().zip(&vals) {
            self.define(inst.results[*k], *val);
        }
        if l.collects > 0 {
            self.define(inst.results[carries], Val::One(turns));
        }
        for (v, at) in arrays.iter().zip(places.0) {
            self.define(*v, Val::One(at));
        }
        Ok(())
    }

    /// Doubles the memory of collected arrays if the row of this turn does not fit. Gives the number of rows there is memory
    /// for, and the arrays as they were and as they are.
    #[allow(clippy::type_complexity)]
    fn make_room(
        &mut self,
        inst: &Inst,
        turns: clif::Value,
        room: clif::Value,
        places: &[clif::Value],
        rows: &[Extent],
    ) -> Result<(clif::Value, (Vec<clif::Value>, Vec<clif::Value>)), Refusal> {
        if places.is_empty() {
            return Ok((room, (Vec::new(), Vec::new())));
        }
        let (full, next) = (self.b.create_block(), self.b.create_block());
        let now = self.b.append_block_param(next, types::I64);
        let there: Vec<clif::Value> =
            places.iter().map(|_| self.b.append_block_param(next, types::I64)).collect();
        let args = |room: clif::Value, at: &[clif::Value]| -> Vec<BlockArg> {
            [room].iter().chain(at).map(|v| BlockArg::from(*v)).collect()
        };
        let is_full = self.b.ins().icmp(IntCC::Equal, turns, room);
        self.b.ins().brif(is_full, full, &[], next, &args(room, places));
        self.b.set_cold_block(full);
        self.b.switch_to_block(full);
        let twice = self.b.ins().ishl_imm_u(room, 1);
        let mut grown = Vec::with_capacity(places.len());
        for (at, row) in places.iter().zip(rows) {
            let used = self.times(Extent::Value(turns), *row);
            let used = self.value_of(used);
            let row = self.value_of(*row);
            let (wanted, overflow) = self.b.ins().umul_overflow(twice, row);
            self.refuse(overflow, Trap::OutOfMemory, inst.span);
            let new = self.kernel(Kernel::Grow, &[self.areas.context, *at, used, wanted])?;
            let new = new.expect("it returns an address");
            let none = self.b.ins().icmp_imm_s(IntCC::Equal, new, 0);
            self.refuse(none, Trap::OutOfMemory, inst.span);
            grown.push(new);
        }
        self.b.ins().jump(next, &args(twice, &grown));
        self.b.switch_to_block(next);
        Ok((now, (places.to_vec(), there)))
    }
}

/// The op that combines two terms.
fn op_of(op: ReduceOp) -> Op {
    match op {
        ReduceOp::Sum => Op::Add,
        ReduceOp::Prod => Op::Mul,
        ReduceOp::Max | ReduceOp::ArgMax => Op::Max,
        ReduceOp::Min | ReduceOp::ArgMin => Op::Min,
        ReduceOp::Any => Op::Or,
        ReduceOp::All => Op::And,
    }
}
