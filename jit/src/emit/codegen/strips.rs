//! Innermost loops as strips: straight-line bodies of doubles over elements at constant distances. A strip gives the
//! bits of the loop it stands for, so nobody but the clock can tell.
//!
//! A loop stays one where it is if anything in it is not total (an index that has to be checked, integer arithmetic that may
//! overflow), is no double or truth value, or changes from iteration to iteration in another way than by a fixed distance.

use super::Emit;
use super::sizes::Extent;
use crate::emit::linker::Refusal;
use crate::emit::x2::CraneliftX2;
use crate::lower::strips::{
    Access, Cc, Elem, Lane, M, RedOp, SOp, Step, Stream, Strip, StripBackend as _, StripBuilder,
};
use adc_ir::{Const, Inst, Kind, Op, Region, Type, Value, kinds};
use adc_runtime::lanes::Lanes as _;
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::{self as clif, StackSlotData, StackSlotKind, types};
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest strip, in operations; what is longer is bound by its arithmetic and compiles slowly.
const LONGEST: usize = 1500;

/// A loop: a region run for i = lo, lo + step, …
pub(super) struct Innermost<'a> {
    pub region: &'a Region,
    /// The region's parameter that is i.
    pub index: Value,
    pub iterations: Extent,
    pub lo: Extent,
    pub step: Extent,
    /// What is stored, one element after the other, and where the first one goes.
    pub stores: &'a [(Value, clif::Value)],
    /// What is reduced.
    pub reds: &'a [(RedOp, Value)],
}

/// Where a stream begins.
enum Base {
    /// An element of an array, at the indices of the first iteration.
    Element(Value, Vec<Value>),
    /// A place for results.
    Store(clif::Value),
}

/// What a scalar slot holds.
enum Slot {
    /// A double or truth value from outside.
    Outside(Value),
    /// An integer that does not change, as a double.
    Integer(Value),
    /// The distance between elements of an array, if each index grows by so much.
    Stride(Value, Vec<i64>),
    /// Where a reduction begins.
    Initial(f64),
}

struct Former<'a, 'e, 'b> {
    emit: &'a Emit<'e, 'b>,
    of: &'a Innermost<'a>,
    inside: FxHashSet<Value>,
    integers: FxHashMap<Value, &'a Inst>,
    b: StripBuilder,
    lanes: FxHashMap<Value, Lane>,
    bases: Vec<Base>,
    slots: Vec<Slot>,
}

/// An integer of the body: its growth per iteration, and its value in the first one if that is a number.
#[derive(Clone, Copy)]
struct Affine {
    growth: i64,
    start: Option<i64>,
}

impl<'a> Former<'a, '_, '_> {
    fn form(mut self) -> Option<(Strip, Vec<Base>, Vec<Slot>)> {
        fn inside(r: &Region, set: &mut FxHashSet<Value>) {
            for inst in &r.insts {
                set.extend(&inst.results);
                inst.regions.iter().for_each(|r| inside(r, set));
            }
        }
        inside(self.of.region, &mut self.inside);
        self.inside.insert(self.of.index);
        self.region(self.of.region)?;
        for (k, (v, _)) in self.of.stores.iter().enumerate() {
            let Lane::Number(x) = self.lane(*v)? else { return None };
            let s = self.stream(Base::Store(self.of.stores[k].1), Step::Unit, Access::W)?;
            self.b.op(SOp::Store(s, x));
        }
        for (op, v) in self.of.reds {
            let Lane::Number(x) = self.lane(*v)? else { return None };
            let initial = match op {
                RedOp::Sum => 0.0,
                RedOp::Max => f64::NEG_INFINITY,
                RedOp::Min => f64::INFINITY,
            };
            let slot = self.slot(Slot::Initial(initial));
            self.b.reduce(*op, x, slot);
        }
        let strip = self.b.finish().ok()?;
        (strip.ops.len() <= LONGEST).then_some((strip, self.bases, self.slots))
    }

    fn ty(&self, v: Value) -> Type {
        self.emit.plan.func.ty(v)
    }

    fn region(&mut self, r: &'a Region) -> Option<()> {
        for inst in &r.insts {
            if self.b.len() > 4 * LONGEST {
                return None;
            }
            self.inst(inst)?;
        }
        Some(())
    }

    fn inst(&mut self, inst: &'a Inst) -> Option<()> {
        match &inst.kind {
            Kind::Const(_) => Some(()),
            Kind::Op(op) => {
                let y = inst.results[0];
                match self.ty(y) {
                    Type::F64 | Type::BOOL => {
                        let lane = self.op(*op, inst)?;
                        self.lanes.insert(y, lane);
                    }
                    // Asked for when it is an index.
                    Type::I64 => {
                        self.integers.insert(y, inst);
                        self.affine(y)?;
                    }
                    _ => return None,
                }
                Some(())
            }
            Kind::Index => {
                let y = inst.results[0];
                let array = inst.args[0];
                if self.ty(y) != Type::F64 || self.inside.contains(&array) {
                    return None;
                }
                let lane = self.element(array, &inst.args[1..])?;
                self.lanes.insert(y, lane);
                Some(())
            }
            Kind::If => {
                let Lane::Mask(cond) = self.lane(inst.args[0])? else { return None };
                for r in &inst.regions {
                    self.region(r)?;
                }
                for (k, y) in inst.results.iter().enumerate() {
                    let a = self.lane(inst.regions[0].yields[k])?;
                    let b = self.lane(inst.regions[1].yields[k])?;
                    let lane = self.b.apply(Op::Select, &[Lane::Mask(cond), a, b])?;
                    self.lanes.insert(*y, lane);
                }
                Some(())
            }
            Kind::Call(_)
            | Kind::Assert(_)
            | Kind::Size(_)
            | Kind::Slice
            | kinds!(Write | Form | Matrix | Loop) => None,
        }
    }

    fn op(&mut self, op: Op, inst: &Inst) -> Option<Lane> {
        if op == Op::ToF64 && self.ty(inst.args[0]) == Type::I64 {
            return self.double(inst.args[0]);
        }
        if op == Op::Powi {
            let Lane::Number(x) = self.lane(inst.args[0])? else { return None };
            let Some(Const::I64(n)) = self.emit.plan.consts[inst.args[1].0 as usize] else { return None };
            return self.b.power(x, n).map(Lane::Number);
        }
        let operands = inst.args.iter().map(|v| self.lane(*v)).collect::<Option<Vec<Lane>>>()?;
        self.b.apply(op, &operands)
    }

    /// A double or truth value.
    fn lane(&mut self, v: Value) -> Option<Lane> {
        if let Some(lane) = self.lanes.get(&v) {
            return Some(*lane);
        }
        let lane = match (self.emit.plan.consts[v.0 as usize], self.ty(v)) {
            (Some(Const::F64(x)), _) => Lane::Number(self.b.num(x)),
            (Some(Const::Bool(yes)), _) => {
                let (a, b) = (self.b.num(0.0), self.b.num(if yes { 0.0 } else { 1.0 }));
                Lane::Mask(self.b.eq(a, b))
            }
            (None, Type::F64) if !self.inside.contains(&v) => {
                let slot = self.slot(Slot::Outside(v));
                Lane::Number(self.b.op(SOp::Scal(slot)))
            }
            (None, Type::BOOL) if !self.inside.contains(&v) => {
                let slot = self.slot(Slot::Outside(v));
                let (x, zero) = (self.b.op(SOp::Scal(slot)), self.b.num(0.0));
                Lane::Mask(M(self.b.op(SOp::Cmp(Cc::Ne, x, zero))))
            }
            _ => return None,
        };
        self.lanes.insert(v, lane);
        Some(lane)
    }

    /// An integer as a double, where that is exact.
    fn double(&mut self, v: Value) -> Option<Lane> {
        let a = self.affine(v)?;
        if a.growth == 0 {
            let slot = self.slot(Slot::Integer(v));
            return Some(Lane::Number(self.b.op(SOp::Scal(slot))));
        }
        let start = a.start?;
        if start.unsigned_abs() > 1 << 40 || a.growth.unsigned_abs() > 1 << 20 {
            return None;
        }
        let mut x = self.b.op(SOp::Index);
        if a.growth != 1 {
            let growth = self.b.num(a.growth as f64);
            x = self.b.mul(x, growth);
        }
        if start != 0 {
            let start = self.b.num(start as f64);
            x = self.b.add(x, start);
        }
        Some(Lane::Number(x))
    }

    /// `None` if it does not grow by the same in every iteration, or may overflow.
    fn affine(&self, v: Value) -> Option<Affine> {
        let number = |e: Extent| match e {
            Extent::Number(n) => Some(n),
            Extent::Value(_) => None,
        };
        if v == self.of.index {
            return Some(Affine { growth: number(self.of.step)?, start: number(self.of.lo) });
        }
        if let Some(Const::I64(n)) = self.emit.plan.consts[v.0 as usize] {
            return Some(Affine { growth: 0, start: Some(n) });
        }
        if !self.inside.contains(&v) {
            return Some(Affine { growth: 0, start: None });
        }
        let inst = self.integers.get(&v)?;
        let Kind::Op(op @ (Op::Add | Op::Sub | Op::Mul)) = inst.kind else { return None };
        if !self.emit.plan.bounds.is_exact(op, inst) {
            return None;
        }
        let (a, b) = (self.affine(inst.args[0])?, self.affine(inst.args[1])?);
        let both = |f: fn(i64, i64) -> Option<i64>| f(a.start?, b.start?);
        Some(match op {
            Op::Add => Affine { growth: a.growth.checked_add(b.growth)?, start: both(i64::checked_add) },
            Op::Sub => Affine { growth: a.growth.checked_sub(b.growth)?, start: both(i64::checked_sub) },
            _ => {
                let growth = match (a, b) {
                    (Affine { growth: 0, .. }, Affine { growth: 0, .. }) => 0,
                    (Affine { growth: 0, start: Some(k) }, x) | (x, Affine { growth: 0, start: Some(k) }) => {
                        k.checked_mul(x.growth)?
                    }
                    _ => return None,
                };
                Affine { growth, start: both(i64::checked_mul) }
            }
        })
    }

    /// An element of an array from outside.
    fn element(&mut self, array: Value, index: &[Value]) -> Option<Lane> {
        let plan = self.emit.plan;
        let shape = plan.memory.shape(array);
        let mut growth = Vec::with_capacity(index.len());
        for (v, size) in index.iter().zip(shape) {
            let number = match plan.consts[v.0 as usize] {
                Some(Const::I64(n)) => Some(n),
                _ => plan.bounds.number(*v),
            };
            let inside = match (number, size.as_const()) {
                (Some(i), Some(n)) => (0..n).contains(&i),
                _ => plan.bounds.is_index(*v, size),
            };
            if !inside {
                return None;
            }
            growth.push(self.affine(*v)?.growth);
        }
        let mut distance = Some(0i64);
        let mut row = Some(1i64);
        for (g, size) in growth.iter().zip(shape).rev() {
            distance = match (distance, row) {
                (Some(d), _) if *g == 0 => Some(d),
                (Some(d), Some(row)) => Some(d.checked_add(g.checked_mul(row)?)?),
                _ => None,
            };
            row = row.zip(size.as_const()).and_then(|(r, n)| r.checked_mul(n));
        }
        let step = match distance {
            Some(1) => Step::Unit,
            Some(d) => Step::Const(i32::try_from(d).ok()?),
            None => Step::Scal(self.slot(Slot::Stride(array, growth))),
        };
        let s = self.stream(Base::Element(array, index.to_vec()), step, Access::R)?;
        Some(Lane::Number(self.b.op(SOp::Load(s))))
    }

    fn slot(&mut self, slot: Slot) -> u16 {
        self.slots.push(slot);
        self.b.slot()
    }

    /// A stream with a base of its own.
    fn stream(&mut self, base: Base, step: Step, access: Access) -> Option<u16> {
        let number = u8::try_from(self.bases.len()).ok()?;
        self.bases.push(base);
        Some(self.b.stream(Stream { base: number, off: 0, step, elem: Elem::F64, access, padded: false }))
    }
}

impl Emit<'_, '_> {
    /// Whether a loop can be a strip.
    pub(super) fn is_strip(&self, of: &Innermost) -> bool {
        self.form(of).is_some_and(|(strip, ..)| (CraneliftX2 { verify: false }).supports(&strip))
    }

    fn form(&self, of: &Innermost) -> Option<(Strip, Vec<Base>, Vec<Slot>)> {
        let fewest = self.linker.strips?;
        if matches!(of.iterations, Extent::Number(n) if n < fewest as i64) {
            return None;
        }
        let former = Former {
            emit: self,
            of,
            inside: FxHashSet::default(),
            integers: FxHashMap::default(),
            b: StripBuilder::new(),
            lanes: FxHashMap::default(),
            bases: Vec::new(),
            slots: Vec::new(),
        };
        former.form()
    }

    /// Emits a loop as a call of a strip, and gives the results of its reductions; `None` (and no code) if it is none.
    pub(super) fn strip(&mut self, of: &Innermost) -> Result<Option<Vec<clif::Value>>, Refusal> {
        let Some((strip, bases, slots)) = self.form(of) else { return Ok(None) };
        let Some(id) = self.linker.strip(strip.clone())? else { return Ok(None) };
        let integers: FxHashMap<Value, &Inst> =
            all_insts(of.region).into_iter().flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        let table = self.table(bases.len());
        for (k, base) in bases.iter().enumerate() {
            let at = match base {
                Base::Store(at) => *at,
                Base::Element(array, index) => {
                    let start: Vec<Extent> = index.iter().map(|v| self.first(*v, of, &integers)).collect();
                    self.element_at(*array, &start)
                }
            };
            self.b.ins().stack_store(types::I64, at, table, 8 * k as i32);
        }
        let places = self.table(slots.len());
        for (k, slot) in slots.iter().enumerate() {
            let x = match slot {
                Slot::Outside(v) => {
                    let x = self.val(*v).one();
                    match self.plan.func.ty(*v) {
                        Type::BOOL => {
                            let x = self.b.ins().uextend(types::I64, x);
                            self.b.ins().fcvt_from_sint(types::F64, x)
                        }
                        _ => x,
                    }
                }
                Slot::Integer(v) => {
                    let x = self.first(*v, of, &integers);
                    let x = self.value_of(x);
                    self.b.ins().fcvt_from_sint(types::F64, x)
                }
                Slot::Stride(array, growth) => {
                    let plan = self.plan;
                    let mut sum = Extent::Number(0);
                    let mut row = Extent::Number(1);
                    for (g, size) in growth.iter().zip(plan.memory.shape(*array)).rev() {
                        let part = self.times(row, Extent::Number(*g));
                        sum = self.plus(sum, part);
                        let size = self.extent(size);
                        row = self.times(row, size);
                    }
                    self.value_of(sum)
                }
                Slot::Initial(x) => self.b.ins().f64const(*x),
            };
            self.b.ins().stack_store(types::I64, x, places, 8 * k as i32);
        }
        let (table, places_at) =
            (self.b.ins().stack_addr(types::I64, table, 0), self.b.ins().stack_addr(types::I64, places, 0));
        let n = self.value_of(of.iterations);
        let f = self.function(id);
        self.b.ins().call(f, &[table, places_at, n]);
        let mut results = Vec::new();
        for (k, slot) in slots.iter().enumerate() {
            if matches!(slot, Slot::Initial(_)) {
                results.push(self.b.ins().stack_load(types::I64, types::F64, places, 8 * k as i32));
            }
        }
        Ok(Some(results))
    }

    fn table(&mut self, entries: usize) -> clif::StackSlot {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * entries.max(1) as u32, 3);
        self.b.create_sized_stack_slot(data)
    }

    /// An integer in the first iteration.
    fn first(&mut self, v: Value, of: &Innermost, integers: &FxHashMap<Value, &Inst>) -> Extent {
        if v == of.index {
            return of.lo;
        }
        let inside = integers.get(&v).filter(|_| self.plan.consts[v.0 as usize].is_none());
        let Some(inst) = inside else { return self.operand(v) };
        let (a, b) = (self.first(inst.args[0], of, integers), self.first(inst.args[1], of, integers));
        match inst.kind {
            Kind::Op(Op::Add) => self.plus(a, b),
            Kind::Op(Op::Mul) => self.times(a, b),
            _ => {
                let minus = self.times(b, Extent::Number(-1));
                self.plus(a, minus)
            }
        }
    }

    /// The address of an element.
    fn element_at(&mut self, array: Value, index: &[Extent]) -> clif::Value {
        let plan = self.plan;
        let base = self.val(array).one();
        let mut at = Extent::Number(0);
        for (i, size) in index.iter().zip(plan.memory.shape(array)) {
            let size = self.extent(size);
            at = self.times(at, size);
            at = self.plus(at, *i);
        }
        let bytes = self.times(at, Extent::Number(8));
        self.offset(base, bytes)
    }
}

/// The instructions of a region and of those in it.
fn all_insts(r: &Region) -> Vec<&Inst> {
    let mut list = Vec::new();
    for inst in &r.insts {
        list.push(inst);
        inst.regions.iter().for_each(|r| list.extend(all_insts(r)));
    }
    list
}
