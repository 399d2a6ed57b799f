//! Which strip a loop has.

use super::{Base, Formed, Innermost, Slot};
use crate::emit::codegen::Emit;
use crate::emit::codegen::sizes::Extent;
use crate::lower::strips::{Access, Cc, Elem, Lane, M, MaskOp, RedOp, SOp, Step, Stream, StripBuilder, V};
use adc_ir::{Const, Inst, Kind, Op, Region, Type, Value, kinds};
use adc_runtime::lanes::Lanes as _;
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest strip, in operations; what is longer is bound by its arithmetic and compiles slowly.
const LONGEST: usize = 1500;

/// What is known of a loop while its strip is formed.
pub(super) struct Former<'a, 'e, 'b> {
    emit: &'a Emit<'e, 'b>,
    of: &'a Innermost<'a>,
    inside: FxHashSet<Value>,
    integers: FxHashMap<Value, &'a Inst>,
    b: StripBuilder,
    lanes: FxHashMap<Value, Lane>,
    bases: Vec<Base>,
    slots: Vec<Slot>,
    same: FxHashMap<Value, Value>,
    /// Conditions on the index, as they are in the iterations of `main`.
    known: FxHashMap<Value, bool>,
    main: (i64, Option<i64>),
    /// Small arrays made in the body.
    packs: FxHashMap<Value, &'a [Value]>,
    /// Where the instruction that is formed is run.
    path: Option<M>,
    exits: Vec<M>,
    writes: Vec<Write>,
    /// Bases of arrays from outside that are read.
    read: FxHashMap<Value, u8>,
    /// Elements of carried arrays that are written.
    written: Vec<Written>,
}

/// A write to a carried array, where the mask holds.
struct Write {
    stream: u16,
    add: bool,
    value: V,
    path: Option<M>,
}

/// An element of a carried array that is written, and its stream.
struct Written {
    array: Value,
    index: Vec<Value>,
    place: Place,
    indices: Vec<Affine>,
    stream: u16,
}

/// Whether iterations write to elements that others write to somewhere else.
enum Meets {
    Never,
    /// Each to its own, the same in both places.
    Always,
    Perhaps,
}

impl Written {
    fn meets(&self, other: &Written) -> Meets {
        let fixed = |a: &Affine| a.start.filter(|_| a.growth == 0);
        let differ = |(a, b): (&Affine, &Affine)| fixed(a).zip(fixed(b)).is_some_and(|(a, b)| a != b);
        if self.array != other.array || self.indices.iter().zip(&other.indices).any(differ) {
            return Meets::Never;
        }
        let Some(step) = self.place.step.filter(|_| self.place.step == other.place.step) else {
            return Meets::Perhaps;
        };
        match (self.place.first, other.place.first) {
            _ if self.index == other.index => Meets::Always,
            (Some(a), Some(b)) if a == b => Meets::Always,
            (Some(a), Some(b)) if a.abs_diff(b) < step.unsigned_abs() => Meets::Never,
            _ => Meets::Perhaps,
        }
    }
}

/// An integer of the body: its growth per iteration, and its value in the first one if that is a number.
#[derive(Clone, Copy)]
struct Affine {
    growth: i64,
    start: Option<i64>,
}

/// Where elements of an array are: the distance from one iteration to the next, and that of the first from the array's, if they are
/// numbers.
#[derive(Clone, Copy)]
struct Place {
    step: Option<i64>,
    first: Option<i64>,
}

impl<'a, 'e, 'b> Former<'a, 'e, 'b> {
    /// `all`: the number of iterations, if it is known.
    pub fn new(emit: &'a Emit<'e, 'b>, of: &'a Innermost<'a>, all: Option<i64>) -> Former<'a, 'e, 'b> {
        Former {
            emit,
            of,
            inside: FxHashSet::default(),
            integers: FxHashMap::default(),
            b: StripBuilder::new(),
            lanes: FxHashMap::default(),
            bases: Vec::new(),
            slots: Vec::new(),
            same: FxHashMap::default(),
            known: FxHashMap::default(),
            main: (0, all),
            packs: FxHashMap::default(),
            path: None,
            exits: Vec::new(),
            writes: Vec::new(),
            read: FxHashMap::default(),
            written: Vec::new(),
        }
    }

    /// The strip, if the loop has one.
    pub fn form(mut self) -> Option<Formed> {
        fn inside(r: &Region, set: &mut FxHashSet<Value>) {
            for inst in &r.insts {
                set.extend(&inst.results);
                inst.regions.iter().for_each(|r| inside(r, set));
            }
        }
        inside(self.of.region, &mut self.inside);
        self.inside.insert(self.of.index);
        self.region(self.of.region)?;
        for (param, y) in self.of.carried {
            if self.resolved(*y) != *param {
                return None;
            }
        }
        if let Some(any) = self.exits.clone().into_iter().reduce(|a, b| self.b.or(a, b)) {
            self.b.op(SOp::Exit(any.0));
        }
        for (k, v) in self.of.stores.iter().enumerate() {
            let mut elements = Vec::new();
            self.elements(*v, &mut elements)?;
            let step = match elements.len() {
                1 => Step::Unit,
                n => Step::Const(i32::try_from(n).ok()?),
            };
            for (at, x) in elements.into_iter().enumerate() {
                let s = self.stream(Base::Store(k, at as i64), step, Access::W)?;
                self.b.op(SOp::Store(s, x));
            }
        }
        for Write { stream, add, value, path } in std::mem::take(&mut self.writes) {
            let old = (add || path.is_some()).then(|| self.b.op(SOp::Load(stream)));
            let mut new = value;
            if let Some(old) = old {
                new = if add { self.b.add(old, value) } else { value };
                new = path.map_or(new, |m| self.b.select(m, new, old));
            }
            self.b.op(SOp::Store(stream, new));
        }
        for (k, (op, v)) in self.of.reds.iter().enumerate() {
            let Lane::Number(x) = self.lane(*v)? else { return None };
            let out = match op {
                RedOp::Sum => self.base(Base::Partials(k))? as u16,
                RedOp::Max => self.slot(Slot::Initial(f64::NEG_INFINITY)),
                RedOp::Min => self.slot(Slot::Initial(f64::INFINITY)),
            };
            self.b.reduce(*op, x, out);
        }
        let strip = self.b.finish().ok()?;
        let formed = Formed { strip, bases: self.bases, slots: self.slots, same: self.same, main: self.main };
        let extremes = self.of.reds.iter().any(|(op, _)| *op != RedOp::Sum);
        let fits = formed.strip.ops.len() <= LONGEST && (formed.is_whole() || !extremes);
        fits.then_some(formed)
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
                        if let Some(known) = self.truth_of(*op, inst) {
                            self.known.insert(y, known);
                            return Some(());
                        }
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
                let array = self.resolved(inst.args[0]);
                if let Some(element) = self.element_of_pack(array, &inst.args[1..]) {
                    return self.is_same(y, element);
                }
                let carried = self.of.carried.iter().any(|(param, _)| *param == array);
                if self.ty(y) != Type::F64 || self.inside.contains(&array) || carried {
                    return None;
                }
                let (place, indices) = self.place(array, &inst.args[1..])?;
                let step = match place.step {
                    Some(1) => Step::Unit,
                    Some(d) => Step::Const(i32::try_from(d).ok()?),
                    None => {
                        let growth = indices.iter().map(|a| a.growth).collect();
                        Step::Scal(self.slot(Slot::Stride(array, growth)))
                    }
                };
                let s = match place.first.and_then(|first| i32::try_from(first).ok()) {
                    Some(off) => {
                        let base = match self.read.get(&array) {
                            Some(base) => *base,
                            None => self.base(Base::Array(array))?,
                        };
                        self.read.insert(array, base);
                        self.b.stream(Stream {
                            base,
                            off,
                            step,
                            elem: Elem::F64,
                            access: Access::R,
                            padded: false,
                        })
                    }
                    None => {
                        let base = Base::Element(array, inst.args[1..].to_vec());
                        self.stream(base, step, Access::R)?
                    }
                };
                let lane = Lane::Number(self.b.op(SOp::Load(s)));
                self.lanes.insert(y, lane);
                Some(())
            }
            Kind::Pack => {
                self.packs.insert(inst.results[0], &inst.args);
                Some(())
            }
            Kind::AddAt | Kind::Update => self.write(inst),
            Kind::If => self.branch(inst),
            Kind::Assert(_) => {
                if self.truth(inst.args[0]) != Some(true) {
                    let Lane::Mask(ok) = self.lane(inst.args[0])? else { return None };
                    let bad = self.b.not(ok);
                    self.exit(bad);
                }
                Some(())
            }
            Kind::Call(_)
            | Kind::Size(_)
            | Kind::Slice
            | Kind::UpdateSlice
            | Kind::AddSlice
            | kinds!(Form | Matrix | Loop) => None,
        }
    }

    /// A condition on the index, if it holds in all iterations of the strip, or in none; which these are is decided here.
    fn truth_of(&mut self, op: Op, inst: &Inst) -> Option<bool> {
        let a = *inst.args.first()?;
        let b = inst.args.get(1).copied();
        match (op, b) {
            (Op::Not, None) => self.truth(a).map(|a| !a),
            (Op::And, Some(b)) => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            (Op::Or, Some(b)) => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            (Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne, Some(b)) if self.ty(a) == Type::I64 => {
                let (a, b) = (self.affine(a)?, self.affine(b)?);
                let start = a.start? as i128 - b.start? as i128;
                let growth = a.growth as i128 - b.growth as i128;
                Some(self.decide(op, start, growth))
            }
            _ => None,
        }
    }

    /// How `start + growth t` compares to 0 in most iterations; the others are left out.
    fn decide(&mut self, op: Op, start: i128, growth: i128) -> bool {
        let (from, to) = (self.main.0 as i128, self.main.1.map_or(i64::MAX as i128, i128::from));
        let holds = |t: i128| {
            let order = (start + growth * t).cmp(&0);
            match op {
                Op::Lt => order.is_lt(),
                Op::Le => order.is_le(),
                Op::Gt => order.is_gt(),
                Op::Ge => order.is_ge(),
                Op::Eq => order.is_eq(),
                _ => order.is_ne(),
            }
        };
        // It changes its sign, or is 0, between these two.
        let (below, above) = match growth {
            0 => (from, from),
            g => {
                let root = (-start).div_euclid(g);
                let exact = start + g * root == 0;
                if exact { (root, root + 1) } else { (root + 1, root + 1) }
            }
        };
        let (below, above) = (below.clamp(from, to), above.clamp(from, to));
        let mut parts: Vec<(i128, i128)> = Vec::with_capacity(3);
        for (start, end) in [(from, below), (below, above), (above, to)] {
            match parts.last_mut() {
                Some(last) if start < end && holds(last.0) == holds(start) => last.1 = end,
                _ if start < end => parts.push((start, end)),
                _ => {}
            }
        }
        let (from, to) = parts.into_iter().max_by_key(|(from, to)| to - from).unwrap_or((from, to));
        let open = self.main.1.is_none() && to == i64::MAX as i128;
        self.main = (from as i64, (!open).then_some(to as i64));
        holds(from)
    }

    /// A truth value that is the same in all iterations of the strip.
    fn truth(&self, v: Value) -> Option<bool> {
        match self.emit.plan.consts[v.0 as usize] {
            Some(Const::Bool(yes)) => Some(yes),
            _ => self.known.get(&v).copied(),
        }
    }

    /// Leaves iterations to scalar code where a mask holds.
    fn exit(&mut self, bad: M) {
        let bad = self.on_path(bad);
        self.exits.push(bad);
    }

    /// Where a mask holds and the instruction is run.
    fn on_path(&mut self, mask: M) -> M {
        match self.path {
            Some(path) => M(self.b.op(SOp::Mask(MaskOp::And, path.0, mask.0))),
            None => mask,
        }
    }

    /// An `if`: one branch where the condition is known, else both, and an exit in place of one that is no straight line of doubles.
    fn branch(&mut self, inst: &'a Inst) -> Option<()> {
        if let Some(yes) = self.truth(inst.args[0]) {
            let r = &inst.regions[!yes as usize];
            self.region(r)?;
            return inst.results.iter().zip(&r.yields).try_for_each(|(y, v)| self.is_same(*y, *v));
        }
        let Lane::Mask(cond) = self.lane(inst.args[0])? else { return None };
        let outside = self.path;
        let conds = [cond, self.b.not(cond)];
        let mut formed = [false; 2];
        for (k, r) in inst.regions.iter().enumerate() {
            let before = (self.exits.len(), self.writes.len(), self.main);
            self.path = Some(self.on_path(conds[k]));
            formed[k] = self.region(r).is_some();
            self.path = outside;
            if !formed[k] {
                self.exits.truncate(before.0);
                self.writes.truncate(before.1);
                self.main = before.2;
            }
        }
        let [a, b] = [0, 1].map(|k| &inst.regions[k].yields);
        match formed {
            [false, false] => None,
            [true, true] => {
                for (k, y) in inst.results.iter().enumerate() {
                    if self.ty(*y).is_array() || self.ty(*y) == Type::I64 {
                        if self.resolved(a[k]) != self.resolved(b[k]) {
                            return None;
                        }
                        self.is_same(*y, a[k])?;
                        continue;
                    }
                    let (a, b) = (self.lane(a[k])?, self.lane(b[k])?);
                    let lane = self.b.apply(Op::Select, &[Lane::Mask(cond), a, b])?;
                    self.lanes.insert(*y, lane);
                }
                Some(())
            }
            [first, _] => {
                self.exit(conds[first as usize]);
                let yields = if first { a } else { b };
                inst.results.iter().zip(yields).try_for_each(|(y, v)| self.is_same(*y, *v))
            }
        }
    }

    /// Takes note that a value of the body is another one.
    fn is_same(&mut self, y: Value, v: Value) -> Option<()> {
        if self.ty(y).is_array() || self.ty(y) == Type::I64 {
            let v = self.resolved(v);
            self.same.insert(y, v);
        } else if let Some(known) = self.truth(v) {
            self.known.insert(y, known);
        } else {
            let lane = self.lane(v)?;
            self.lanes.insert(y, lane);
        }
        Some(())
    }

    /// An integer or array, or the one it is the same as.
    fn resolved(&self, v: Value) -> Value {
        self.same.get(&v).copied().unwrap_or(v)
    }

    /// The numbers a value consists of.
    fn elements(&mut self, v: Value, list: &mut Vec<V>) -> Option<()> {
        if !self.ty(v).is_array() {
            let Lane::Number(x) = self.lane(v)? else { return None };
            list.push(x);
            return Some(());
        }
        let parts = *self.packs.get(&self.resolved(v))?;
        parts.iter().try_for_each(|v| self.elements(*v, list))
    }

    /// The element of a small array made in the body.
    fn element_of_pack(&self, array: Value, index: &[Value]) -> Option<Value> {
        let mut v = array;
        for i in index {
            let Some(Const::I64(i)) = self.emit.plan.consts[i.0 as usize] else { return None };
            v = self.resolved(*self.packs.get(&v)?.get(usize::try_from(i).ok()?)?);
        }
        Some(v)
    }

    /// A write to an element of a carried array that no other iteration writes.
    fn write(&mut self, inst: &Inst) -> Option<()> {
        let (array, index) = (self.resolved(inst.args[0]), &inst.args[2..]);
        if !self.of.carried.iter().any(|(param, _)| *param == array) || self.ty(inst.args[1]) != Type::F64 {
            return None;
        }
        let Lane::Number(value) = self.lane(inst.args[1])? else { return None };
        let index: Vec<Value> = index.iter().map(|v| self.resolved(*v)).collect();
        let (place, indices) = self.place(array, &index)?;
        let step = place.step.filter(|d| *d != 0)?;
        let new = Written { array, index, place, indices, stream: 0 };
        let mut stream = None;
        for other in &self.written {
            match new.meets(other) {
                Meets::Never => {}
                Meets::Always => stream = Some(other.stream),
                Meets::Perhaps => return None,
            }
        }
        let stream = match stream {
            Some(s) => s,
            None => {
                let step = if step == 1 { Step::Unit } else { Step::Const(i32::try_from(step).ok()?) };
                let s = self.stream(Base::Element(array, new.index.clone()), step, Access::RW)?;
                self.written.push(Written { stream: s, ..new });
                s
            }
        };
        self.writes.push(Write { stream, add: inst.kind == Kind::AddAt, value, path: self.path });
        self.same.insert(inst.results[0], array);
        Some(())
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
        if op == Op::Select
            && let Some(yes) = self.truth(inst.args[0])
        {
            return self.lane(inst.args[if yes { 1 } else { 2 }]);
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
            (None, Type::F64) if !self.inside.contains(&v) => {
                let slot = self.slot(Slot::Outside(v));
                Lane::Number(self.b.op(SOp::Scal(slot)))
            }
            (None, Type::BOOL) if !self.inside.contains(&v) => {
                let slot = self.slot(Slot::Outside(v));
                let (x, zero) = (self.b.op(SOp::Scal(slot)), self.b.num(0.0));
                Lane::Mask(M(self.b.op(SOp::Cmp(Cc::Ne, x, zero))))
            }
            (_, Type::BOOL) => {
                let yes = self.truth(v)?;
                let (a, b) = (self.b.num(0.0), self.b.num(if yes { 0.0 } else { 1.0 }));
                Lane::Mask(self.b.eq(a, b))
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
        let v = self.resolved(v);
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
            return Some(Affine { growth: 0, start: self.emit.plan.bounds.number(v) });
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

    /// Whether an index is within an axis in all iterations of the strip.
    fn is_index(&self, v: Value, size: &adc_ir::Dim) -> bool {
        let bounds = &self.emit.plan.bounds;
        if bounds.is_index(v, size) {
            return true;
        }
        let ends = self.affine(v).and_then(|a| {
            let at = |t: i64| (a.start? as i128).checked_add(a.growth as i128 * t as i128);
            let last = match (a.growth, self.main.1) {
                (0, _) => Some(at(0)?),
                (_, Some(to)) => Some(at(to - 1)?),
                (_, None) => None,
            };
            Some((a.growth, at(self.main.0)?, last))
        });
        let Some((growth, first, last)) = ends else { return false };
        let least = if growth >= 0 { Some(first) } else { last };
        let most = if growth <= 0 { Some(first) } else { last };
        let below = size.as_const().is_some_and(|n| most.is_some_and(|most| most < n as i128));
        least.is_some_and(|n| n >= 0) && (below || bounds.is_below(v, size))
    }

    /// Where the elements of an array from outside are, and how each index grows.
    fn place(&self, array: Value, index: &[Value]) -> Option<(Place, Vec<Affine>)> {
        let plan = self.emit.plan;
        let shape = plan.memory.shape(array);
        if index.len() != shape.len() {
            return None;
        }
        let mut indices = Vec::with_capacity(index.len());
        for (v, size) in index.iter().zip(shape) {
            let v = self.resolved(*v);
            let number = match plan.consts[v.0 as usize] {
                Some(Const::I64(n)) => Some(n),
                _ => plan.bounds.number(v),
            };
            let inside = match (number, size.as_const()) {
                (Some(i), Some(n)) => (0..n).contains(&i),
                _ => self.is_index(v, size),
            };
            if !inside {
                return None;
            }
            indices.push(self.affine(v)?);
        }
        let (mut step, mut first, mut row) = (Some(0i64), Some(0i64), Some(1i64));
        for (a, size) in indices.iter().zip(shape).rev() {
            let part = |x: i64| x.checked_mul(row?);
            step = match a.growth {
                0 => step,
                g => step.and_then(|s| s.checked_add(part(g)?)),
            };
            first = match a.start {
                Some(0) => first,
                start => first.and_then(|f| f.checked_add(part(start?)?)),
            };
            row = row.zip(size.as_const()).and_then(|(r, n)| r.checked_mul(n));
        }
        Some((Place { step, first }, indices))
    }

    fn slot(&mut self, slot: Slot) -> u16 {
        self.slots.push(slot);
        self.b.slot()
    }

    fn base(&mut self, base: Base) -> Option<u8> {
        let number = u8::try_from(self.bases.len()).ok()?;
        self.bases.push(base);
        Some(number)
    }

    /// A stream with a base of its own.
    fn stream(&mut self, base: Base, step: Step, access: Access) -> Option<u16> {
        let base = self.base(base)?;
        Some(self.b.stream(Stream { base, off: 0, step, elem: Elem::F64, access, padded: false }))
    }
}
