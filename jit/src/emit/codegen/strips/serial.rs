//! Loops whose iterations need each other, as strips of one element: the loop inside takes the turns. Nothing runs in lanes, but our own
//! code has 32 registers where Cranelift's has 16, and takes numbers that do not change from memory in the instruction that uses them.

use super::former::Former;
use super::inner::along;
use super::{Base, Body, Formed, Innermost, Places, all_insts};
use crate::emit::codegen::sizes::Extent;
use crate::emit::codegen::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::lower::strips::{Access, Lane, SOp, Step, Stream, V};
use adc_ir::{Inst, Kind, Op, Scalar, Type, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, types};
use rustc_hash::FxHashMap;

/// Numbers that are needed at the same time, at least: fewer have registers in Cranelift's code as well.
const LIVE: usize = 14;

impl<'a> Former<'a, '_, '_> {
    /// The strip of a `for` that carries doubles, if it has one: straight-line code of doubles, of operations that are about one
    /// instruction. What is carried at the end is written behind the rows that are collected.
    pub(super) fn serial(mut self, inst: &'a Inst) -> Option<Formed> {
        let region = &inst.regions[0];
        let plain = |i: &Inst| match i.kind {
            Kind::Const(_) | Kind::Index => true,
            Kind::Op(op) => op.info().cycles <= Op::Sqrt.info().cycles,
            _ => false,
        };
        if !region.insts.iter().all(plain) {
            return None;
        }
        for i in &region.insts {
            self.made.extend(i.results.iter().map(|v| (*v, i)));
            self.inside.extend(&i.results);
        }
        self.inside.extend(&region.params);
        self.at_once = true;
        let (turns, lo, step) = self.range(inst)?;
        let mut start = Vec::new();
        for v in &inst.args[3..] {
            let Lane::Number(x) = self.lane(*v)? else { return None };
            start.push(x);
        }
        let carried = self.b.begin(turns, &start);
        self.begins.insert(region.params[0], (lo, along(0, step)));
        for (param, x) in region.params[1..].iter().zip(&carried) {
            self.lanes.insert(*param, Lane::Number(*x));
        }
        self.region(region)?;
        let (next, rows) = region.yields.split_at(carried.len());
        let mut changed = Vec::new();
        for (c, y) in carried.iter().zip(next) {
            let Lane::Number(x) = self.lane(*y)? else { return None };
            changed.push((*c, x));
        }
        for (k, row) in rows.iter().enumerate() {
            let mut elements = Vec::new();
            self.elements(*row, &mut elements)?;
            let base = self.base(Base::Store(k))?;
            self.store_all(base, &elements, along(0, i32::try_from(elements.len()).ok()?))?;
        }
        let last = self.b.end(&changed);
        let base = self.base(Base::Store(rows.len()))?;
        self.store_all(base, &last, along(0, 0))?;
        self.b.run_one_by_one();
        let strip = self.b.finish().ok()?;
        let begins = self.begins.iter().map(|(v, (lo, _))| (*v, *lo)).collect();
        // A call would be made for every lane.
        let calls = strip.ops.iter().any(|op| matches!(op, SOp::Call(..) | SOp::Rare { .. }));
        let clean = !calls && self.guards.is_empty() && self.gathers.is_empty() && self.writes.is_empty();
        let Former { bases, slots, same, guards, nests, gathers, .. } = self;
        clean.then_some(Formed { strip, bases, slots, same, begins, guards, nests, main: (0, None), gathers })
    }

    /// Writes numbers side by side.
    fn store_all(&mut self, base: u8, numbers: &[V], turns: [i32; 2]) -> Option<()> {
        for (at, x) in numbers.iter().enumerate() {
            let at = i32::try_from(at).ok()?;
            let stream = Stream::new(base, at, Step::Unit, Access::W);
            let s = self.b.stream(Stream { turns, apart: true, ..stream });
            self.b.op(SOp::Store(s, *x));
        }
        Some(())
    }
}

impl Emit<'_, '_> {
    /// The strip of a `for` whose iterations need each other, and which makes so many sums; `None` if it has none, or is as fast without.
    pub(in crate::emit::codegen) fn form_serial(
        &self,
        inst: &Inst,
        sums: usize,
        of: &Innermost,
    ) -> Option<Formed> {
        let fewest = self.linker.serial_strips()? as i64;
        let few = matches!(of.iterations, Extent::Number(n) if n < fewest);
        if few || sums > 0 || !self.carries_doubles(inst) {
            return None;
        }
        let formed = Former::new(self, of, None).serial(inst)?;
        let many = fewest == 0 || formed.strip.live() >= LIVE;
        (many && self.linker.has_registers_for(&formed.strip)).then_some(formed)
    }

    /// Whether all that a `for` carries is doubles, and all that it collects is made of such.
    fn carries_doubles(&self, inst: &Inst) -> bool {
        let ty = |v: &Value| self.plan.func.ty(*v);
        let (carried, region) = (&inst.args[3..], &inst.regions[0]);
        !carried.is_empty()
            && carried.iter().all(|v| ty(v) == Type::F64)
            && region.yields[carried.len()..].iter().all(|v| ty(v).scalar() == Scalar::F64)
            && !self.bodies.contains_key(&std::ptr::from_ref(region))
    }

    /// Calls the strip of such a loop. Gives what the loop carries at the end.
    pub(in crate::emit::codegen) fn serial(
        &mut self,
        formed: Formed,
        of: &Innermost,
        rows: &[clif::Value],
        carried: usize,
    ) -> Result<Vec<Val>, Refusal> {
        let Formed { strip, bases, slots, same, begins, .. } = formed;
        let id = self.linker.serial_strip(strip)?;
        let integers: FxHashMap<_, &Inst> =
            all_insts(of.region).into_iter().flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        let body = Body { of, integers: &integers, same: &same, begins: &begins };
        let tables = [self.table(bases.len()), self.table(slots.len())];
        let last = self.table(carried);
        let last_at = self.b.ins().stack_addr(types::I64, last, 0);
        let stores = [rows, &[last_at]].concat();
        let places = Places { stores: &stores, sums: &[] };
        self.operands(&bases, &slots, &places, &body, tables);
        let [table, numbers] = tables.map(|t| self.b.ins().stack_addr(types::I64, t, 0));
        let [from, to] = [0, 1].map(|n| self.int(n));
        let f = self.function(id);
        self.b.ins().call(f, &[table, numbers, from, to]);
        let double = |e: &mut Self, k: usize| {
            Val::One(e.b.ins().stack_load(types::I64, types::F64, last, 8 * k as i32))
        };
        Ok((0..carried).map(|k| double(self, k)).collect())
    }
}
