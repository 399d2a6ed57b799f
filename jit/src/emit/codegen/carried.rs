//! Loops with carries: scalar ones and integer sums are in registers, arrays in place, what is gathered is in memory.
//!
//! An iteration writes sums and collected rows before it moves array carries, whose old contents those may be. Two kinds of carries are
//! not copied: one that is collected goes from row to row, and to its own place at the end; one that is read while the next is made has
//! two places, which take turns.

use super::reduce::Sum;
use super::sizes::Extent;
use super::strips::{Innermost, Places};
use super::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::kernels::Kernel;
use crate::lower::memory::BufferId;
use crate::lower::plan::Plan;
use crate::lower::strips::RedOp;
use adc_ir::{Const, Inst, Loop, Region, Scalar, Trap, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, BlockArg, types};

/// A loop with carries whose iterations are being generated.
struct Iterations<'i> {
    inst: &'i Inst,
    /// The body and its number.
    body: &'i Region,
    region: usize,
    /// By array carry: position, and where it is.
    places: Vec<(usize, clif::Value)>,
    /// Number of carries.
    carries: usize,
}

/// A carry that has two places.
struct Turns {
    /// By position in [`Iterations::places`].
    place: usize,
    param: Value,
    /// What the next one is made in.
    next: BufferId,
}

impl Iterations<'_> {
    fn params(&self) -> &[Value] {
        &self.body.params[self.body.params.len() - self.carries..]
    }

    /// Carries of which the next one is not made in the place of the old one: those that have two places, or those that are in the rows
    /// they are collected in. By position in [`Self::places`], with what the next one is made in.
    fn moving(&self, plan: &Plan, two_places: bool) -> impl Iterator<Item = (usize, BufferId)> {
        self.places.iter().enumerate().filter_map(move |(place, (k, _))| {
            let next = plan.memory.row(self.inst, self.region, *k)?;
            (plan.memory.made(self.params()[*k]).is_some() == two_places).then_some((place, next))
        })
    }

    fn turns(&self, plan: &Plan) -> Vec<Turns> {
        let turn = |(place, next)| Turns { place, param: self.params()[self.places[place].0], next };
        self.moving(plan, true).map(turn).collect()
    }
}

/// A carry that is in the rows it is collected in.
struct InRows {
    param: Value,
    /// What the next one is made in.
    next: BufferId,
    /// The rows, and the size of one.
    rows: (clif::Value, Extent),
    /// Where the last one goes.
    last: clif::Value,
}

/// Memory of arrays that a `while` collects.
struct Room {
    /// Number of rows there is memory for.
    rows: clif::Value,
    places: Vec<clif::Value>,
}

impl Emit<'_, '_> {
    /// Where array carries are, with their initial contents.
    fn open_carries<'i>(&mut self, inst: &'i Inst, first: usize) -> Result<Iterations<'i>, Refusal> {
        let region = inst.regions.len() - 1;
        let carries = inst.args.len() - first;
        let mut places = Vec::new();
        for k in 0..carries {
            let (init, result) = (inst.args[first + k], inst.results[k]);
            if self.plan.func.ty(init).is_array() {
                places.push((k, self.writable(result, init, inst.span)?));
            }
        }
        Ok(Iterations { inst, body: &inst.regions[region], region, places, carries })
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
        iterations: &Iterations,
        params: &[Value],
        scalars: &[(usize, Scalar, Val)],
        vals: &[Val],
    ) {
        let params = &params[params.len() - iterations.carries..];
        for (k, place) in &iterations.places {
            self.define(params[*k], Val::One(*place));
        }
        for ((k, ..), val) in scalars.iter().zip(vals) {
            self.define(params[*k], *val);
        }
    }

    /// Moves the array carries of the next iteration to their places.
    fn move_carries(&mut self, iterations: &Iterations) -> Result<(), Refusal> {
        let plan = self.plan;
        let params = iterations.params();
        let moved: Vec<&(usize, clif::Value)> = (iterations.places.iter())
            .filter(|(k, _)| !plan.memory.is_direct(iterations.inst, iterations.region, *k))
            .collect();
        // What would be written over before it is read is put aside first.
        let mut from = Vec::with_capacity(moved.len());
        for (k, place) in &moved {
            let y = iterations.body.yields[*k];
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
            let bytes = self.size_of(iterations.body.yields[*k]);
            self.copy(*place, from, bytes)?;
        }
        Ok(())
    }

    /// Spare places for carries that cannot be moved one after the other.
    fn open_aside(&mut self, iterations: &Iterations) -> Result<(), Refusal> {
        let params = iterations.params();
        for (k, _) in &iterations.places {
            if let Some(b) = self.plan.memory.made(params[*k]) {
                let at = self.buffer(b, iterations.inst.span)?;
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
        let iterations = self.iterations(lo, hi, step);
        self.burn(iterations, inst.span);
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
        let region = &inst.regions[0];
        let carried: Vec<_> = region.params[1..].iter().copied().zip(region.yields.iter().copied()).collect();
        let reds: Vec<_> = region.yields[carries..][..sums].iter().map(|v| (RedOp::Sum, *v)).collect();
        let stores = &region.yields[carries + sums..];
        let index = region.params[0];
        let most = self.most(inst.args[0], inst.args[1]);
        let of = Innermost {
            region,
            index,
            span: inst.span,
            iterations,
            most,
            lo,
            step,
            stores,
            stored: &inst.results[carries + sums..],
            reds: &reds,
            carried: &carried,
        };
        self.preload(inst);
        let (terms, others) = (&region.yields[carries..][..sums], [&region.yields[..carries], stores]);
        let of_doubles = others.iter().flat_map(|o| *o).all(|v| self.is_of_doubles(*v))
            && terms.iter().all(|v| self.is_of_doubles(*v) || self.counts(*v, most))
            && carried.iter().all(|(_, v)| plan.func.ty(*v).is_array())
            && reds.iter().all(|(_, v)| !plan.func.ty(*v).is_array());
        let moves = (0..carries).any(|k| plan.memory.row(inst, 0, k).is_some());
        let formed = (of_doubles && !moves).then(|| self.form(&of)).flatten();
        let serial = if formed.is_none() { self.form_serial(inst, sums, &of) } else { None };
        let mut open = Vec::with_capacity(sums);
        for v in &inst.results[carries..carries + sums] {
            open.push(self.open_sum(*v, formed.is_some(), inst.span)?);
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
        let in_rows = self.carries_in_rows(&frame, &arrays, iterations)?;
        // Of each carry in turns, where the old one is and where the next one will be.
        let turns = frame.turns(plan);
        let first = start.len();
        for t in &turns {
            let places = [frame.places[t.place].1, self.aside[&t.param]];
            start.extend(places.map(|at| (Scalar::I64, Val::One(at))));
        }
        let iteration = |e: &mut Self, t: clif::Value, i: clif::Value, vals: &[Val]| {
            e.define(index, Val::One(i));
            e.enter_carries(&frame, &region.params, &scalars, vals);
            e.enter_rows(&in_rows, iterations, t);
            let places = vals.get(first..).unwrap_or_default();
            for (t, at) in turns.iter().zip(places.chunks_exact(2)) {
                e.define(t.param, at[0]);
                e.open_row(t.next, at[1].one());
            }
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
            next.extend(places.chunks_exact(2).flat_map(|at| [at[1], at[0]]));
            e.give(plan.memory.frees_in(inst, 0))?;
            Ok(next)
        };
        let last = match (formed, serial) {
            (Some(formed), _) => {
                self.enter_carries(&frame, &region.params, &[], &[]);
                let sums: Vec<_> = open.iter().map(Sum::partials).collect();
                let rows: Vec<_> = arrays.iter().map(|(at, _)| *at).collect();
                self.strip(formed, &of, &Places { stores: &rows, sums: &sums }, |e, t| {
                    let i = e.nth(t, lo, step);
                    iteration(e, t, i, &[]).map(drop)
                })?
            }
            (None, Some(serial)) => {
                let rows: Vec<_> = arrays.iter().map(|(at, _)| *at).collect();
                self.serial(serial, &of, &rows, carries)?
            }
            (None, None) => self.counted(iterations, lo, step, &start, iteration)?,
        };
        for (k, place) in &frame.places {
            self.define(inst.results[*k], Val::One(*place));
        }
        for (t, at) in turns.iter().zip(last.get(first..).unwrap_or_default().chunks_exact(2)) {
            self.define(inst.results[frame.places[t.place].0], at[0]);
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

    /// Carries that are in the rows they are collected in, of which the first one is written.
    fn carries_in_rows(
        &mut self,
        frame: &Iterations,
        arrays: &[(clif::Value, Extent)],
        iterations: Extent,
    ) -> Result<Vec<InRows>, Refusal> {
        let first = frame.body.yields.len() - arrays.len();
        let mut out = Vec::new();
        for (place, next) in frame.moving(self.plan, false) {
            let (k, last) = frame.places[place];
            let param = frame.params()[k];
            let collected = frame.body.yields[first..].iter().position(|v| *v == param);
            let rows = arrays[collected.expect("it is in the rows it is collected in")];
            // There may be none.
            let some = match iterations {
                Extent::Number(n) => Extent::Number((n > 0).into()),
                Extent::Value(n) => {
                    let some = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, n, 0);
                    Extent::Value(self.b.ins().uextend(types::I64, some))
                }
            };
            let bytes = self.size_of(param);
            let bytes = self.times(bytes, some);
            self.copy(rows.0, last, bytes)?;
            out.push(InRows { param, next, rows, last });
        }
        Ok(out)
    }

    /// Where such carries are in iteration `t`, and where the next ones go.
    fn enter_rows(&mut self, carries: &[InRows], iterations: Extent, t: clif::Value) {
        for c in carries {
            let (rows, row) = c.rows;
            let offset = self.times(Extent::Value(t), row);
            let at = self.offset(rows, offset);
            self.define(c.param, Val::One(at));
            let behind = self.offset(at, row);
            let next = self.plus(Extent::Value(t), Extent::Number(1));
            let (next, all) = (self.value_of(next), self.value_of(iterations));
            let more = self.b.ins().icmp(IntCC::SignedLessThan, next, all);
            let to = self.b.ins().select(more, behind, c.last);
            self.open_row(c.next, to);
        }
    }

    /// Where the rows of iteration `t` go.
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
                self.open_row(b, at);
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
        let iterations = self.b.append_block_param(head, types::I64);
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
        let now = self.make_room(inst, iterations, Room { rows: room, places: places.clone() }, &rows)?;
        let region = &inst.regions[1];
        self.enter_carries(&frame, &region.params, &scalars, &vals);
        let here: Vec<(clif::Value, Extent)> = now.places.iter().copied().zip(rows).collect();
        let opened = self.open_rows(inst, 1, carries, &here, iterations);
        self.run(region)?;
        let next: Vec<Val> = scalars.iter().map(|(k, ..)| self.val(region.yields[*k])).collect();
        self.close_rows(inst, 1, carries, &opened)?;
        self.move_carries(&frame)?;
        self.give(plan.memory.frees_in(inst, 1))?;
        let mut ins: Vec<BlockArg> = vec![self.b.ins().iadd_imm_s(iterations, 1).into()];
        ins.extend(next.iter().flat_map(|v| v.parts()).map(BlockArg::from));
        ins.push(now.rows.into());
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
            self.define(inst.results[carries], Val::One(iterations));
        }
        for (v, at) in arrays.iter().zip(places) {
            self.define(*v, Val::One(at));
        }
        Ok(())
    }

    /// Doubles the memory of collected arrays if the row of this iteration does not fit. Gives what is there afterwards.
    fn make_room(
        &mut self,
        inst: &Inst,
        iterations: clif::Value,
        before: Room,
        rows: &[Extent],
    ) -> Result<Room, Refusal> {
        if before.places.is_empty() {
            return Ok(before);
        }
        let Room { rows: room, places } = before;
        let (full, next) = (self.b.create_block(), self.b.create_block());
        let now = self.b.append_block_param(next, types::I64);
        let there: Vec<clif::Value> =
            places.iter().map(|_| self.b.append_block_param(next, types::I64)).collect();
        let args = |room: clif::Value, at: &[clif::Value]| -> Vec<BlockArg> {
            [room].iter().chain(at).map(|v| BlockArg::from(*v)).collect()
        };
        let is_full = self.b.ins().icmp(IntCC::Equal, iterations, room);
        self.b.ins().brif(is_full, full, &[], next, &args(room, &places));
        self.b.set_cold_block(full);
        self.b.switch_to_block(full);
        let twice = self.b.ins().ishl_imm_u(room, 1);
        let mut grown = Vec::with_capacity(places.len());
        for (at, row) in places.iter().zip(rows) {
            let used = self.times(Extent::Value(iterations), *row);
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
        Ok(Room { rows: now, places: there })
    }
}
