//! Innermost loops as strips: straight-line bodies of doubles and complex numbers over elements at constant distances. A strip gives the
//! bits of the loop it stands for, so nobody but the clock can tell.
//!
//! What a strip cannot do is left to the scalar code of the loop: iterations at the ends, where conditions on the index say otherwise than
//! in the middle, or an index wraps around an axis, and those for which the strip exits, since they take a branch that it has not, or fail an
//! assertion. A strip may assume what is the same in all iterations ([`Guard`]): where it does not hold, scalar code runs all of them.
//! What changes from iteration to iteration in another way than by a fixed distance, as an index that is data, scalar code computes ahead
//! of the strip ([`gathers`]). A loop has no strip if an index that moves has to be checked and nobody looks at both ends before, or
//! something is no number or truth value.

mod arrays;
mod former;
mod gathers;
mod inner;
mod serial;
mod writes;

use super::sizes::Extent;
use super::{Emit, Val};
use crate::emit::linker::{LaneLoop, Linked, Refusal};
use crate::emit::x2::CraneliftX2;
use crate::emit::x86::X86;
use crate::lower::strips::{
    Access, Elem, LEVELS, PARTIALS, RedOp, Room, SOp, Step, Stream, Strip, StripBackend as _, StripBuilder,
    Turns,
};
use adc_ir::{Const, Dim, Inst, Kind, Op, Region, Scalar, Span, Type, Value};
use adc_runtime::lanes::Lanes as _;
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::{CondCode as _, IntCC};
use cranelift_codegen::ir::{self as clif, StackSlotData, StackSlotKind, types};
use former::Former;
pub(super) use former::SMALL;
use gathers::{BLOCK, Columns, Gathers};
use rustc_hash::FxHashMap;

/// Iterations that scalar code does where a strip exited, a multiple of [`PARTIALS`] away: calling the strip costs as much as a few.
const ASIDE: i64 = PARTIALS as i64;
/// Elements of the widest vectors.
const VECTOR: usize = 8;
/// Doubles of a line of cache.
const LINE: i64 = 8;
/// Iterations, at least, of a strip that turns loops or has so many operations: these are worth half a vector.
const FEW: i64 = 4;
const LONG: usize = 64;
/// Iterations, at most, of a strip whose last vector takes much of its time.
const SHORT: i64 = 64;
/// Iterations, at least, of a strip that begins with a line.
const ALIGNED: i64 = 128;

/// A loop: a region run for i = lo, lo + step, …
pub(super) struct Innermost<'a> {
    pub region: &'a Region,
    /// The region's parameter that is i.
    pub index: Value,
    pub span: Span,
    pub iterations: Extent,
    /// The most there can be, if that is known.
    pub most: Option<i64>,
    pub lo: Extent,
    pub step: Extent,
    /// What is stored, one element or row after the other.
    pub stores: &'a [Value],
    /// The arrays that become of that.
    pub stored: &'a [Value],
    /// What is reduced.
    pub reds: &'a [(RedOp, Value)],
    /// Arrays that are carried: the region's parameter, and what it yields.
    pub carried: &'a [(Value, Value)],
}

/// A strip that stands for a loop, or a part of it.
pub(super) struct Formed {
    strip: Strip,
    bases: Vec<Base>,
    slots: Vec<Slot>,
    /// By integer or array of the body: what it is the same as.
    same: FxHashMap<Value, Value>,
    /// By index of a loop inside: where it begins.
    begins: FxHashMap<Value, i64>,
    /// What is the same in all iterations and has to hold, or it stands for none.
    guards: Vec<Guard>,
    /// For each loop inside: its turns, and those of loops around.
    nests: Vec<Vec<Turns>>,
    /// The iterations it stands for: from the first to before the second, or to the end.
    main: (i64, Option<i64>),
    /// What scalar code does for it.
    gathers: Gathers,
}

/// What a strip assumes.
enum Guard {
    /// The result of an op of two integers is one.
    Fits(Op, Value, Value),
    /// How two integers compare.
    Compares(Op, Value, Value, bool),
    /// A truth value from outside.
    Holds(Value),
    /// An index, which grows by so much, lies within an axis in all iterations.
    Inside(Value, i64, Dim),
}

/// Where a stream begins, or partial sums are.
enum Base {
    /// The first element of an array.
    Array(Value),
    /// An element of an array, at the indices of the first iteration.
    Element(Value, Vec<Value>),
    /// The first of the elements or rows that are stored.
    Store(usize),
    /// The partial sums of a reduction; of a complex one, those of a part.
    Partials(usize, usize),
    /// Where the first iteration's number would be in a column of those that scalar code gathers or scatters.
    Column(usize),
}

/// What a scalar slot holds.
enum Slot {
    /// A double or truth value from outside.
    Outside(Value),
    /// A part of a complex number from outside.
    Part(Value, usize),
    /// An integer that does not change, as a double.
    Integer(Value),
    /// The distance between elements of an array, if each index grows by so much.
    Stride(Value, Vec<i64>),
    /// Where a reduction begins.
    Initial(f64),
    /// How often a loop inside turns: lo, hi and step.
    Turns(i64, Value, i64),
}

impl Formed {
    /// Whether the strip does all iterations.
    fn is_whole(&self) -> bool {
        let in_one = self.guards.is_empty() && self.gathers.is_empty();
        self.main == (0, None) && !self.strip.exits() && in_one
    }
}

/// What is known of the body of a loop: its instructions by what they define, and which integers are the same.
struct Body<'a> {
    of: &'a Innermost<'a>,
    integers: &'a FxHashMap<Value, &'a Inst>,
    same: &'a FxHashMap<Value, Value>,
    begins: &'a FxHashMap<Value, i64>,
}

/// What a strip is run on, beside what it reads.
pub(super) struct Places<'p> {
    /// Where each store begins.
    pub stores: &'p [clif::Value],
    /// By reduction that is a sum: its partials.
    pub sums: &'p [clif::Value],
}

impl Emit<'_, '_> {
    /// The most iterations of a loop from `lo` to `hi`.
    pub(super) fn most(&self, lo: Value, hi: Value) -> Option<i64> {
        let end = |v: Value| match self.plan.consts[v.0 as usize] {
            Some(Const::I64(n)) => (n, n),
            _ => self.plan.bounds.range(v),
        };
        end(hi).1.checked_sub(end(lo).0)
    }

    /// The strip of a loop; `None` if it has none.
    pub(super) fn form(&self, of: &Innermost) -> Option<Formed> {
        let fewest = self.linker.strips? as i64;
        let all = match of.iterations {
            Extent::Number(n) if n < fewest.min(FEW) => return None,
            Extent::Number(n) => Some(n),
            Extent::Value(_) => None,
        };
        let former = || Former::new(self, of, all);
        let exits = |formed: &Formed| formed.strip.exits();
        let has_left = || {
            let mut branches = of.region.insts.iter().filter(|i| i.kind == Kind::If).flat_map(|i| &i.regions);
            branches.any(former::has_loops)
        };
        let plain = former().form().map(|formed| {
            // Partial sums are in registers, of which there may be too few.
            let fits = |f: &Formed| !f.strip.loops() || self.linker.has_registers_for(&f.strip);
            let in_memory = (!fits(&formed)).then(|| former().summing_in_memory().form().filter(fits));
            in_memory.flatten().unwrap_or(formed)
        });
        // Without assumptions, a strip may leave most iterations. Of a few, or of a range found out at run time, it is not worth while to
        // see whether they hold.
        let few = all.is_none() && of.most.is_none_or(|n| n < 2 * VECTOR as i64);
        let guarded = match !few && plain.as_ref().is_none_or(exits) {
            true => former().guarding().form().filter(|g| !g.guards.is_empty() && !exits(g)),
            false => None,
        };
        let formed = guarded.or(plain).or_else(|| has_left().then(|| former().leaving_loops().form())?);
        let is_integer = |v: Value| self.ty(v) == Scalar::I64;
        let is_cheaper = |f: &Formed| fewest == 0 || f.gathers.are_worth_it(&f.strip, is_integer);
        let mut formed = formed.filter(is_cheaper)?;
        let long = formed.strip.work() >= LONG || formed.strip.loops();
        let fewest = if long { fewest.min(FEW) } else { fewest };
        let few = all.is_some_and(|n| n < fewest);
        if few || formed.main.1.is_some_and(|end| end - formed.main.0 < fewest) {
            return None;
        }
        if let (Some(n @ 0..=SHORT), Extent::Number(0), Extent::Number(1)) = (all, of.lo, of.step)
            && formed.is_whole()
        {
            self.pad(&mut formed, of, n);
        }
        (CraneliftX2 { verify: false }).supports(&formed.strip).then_some(formed)
    }

    /// Says which streams have room for a whole vector behind their elements: those of arrays of so many elements with nothing behind them,
    /// and, to be read, those of which that is in the array. Then they are not masked: a masked load is two operations, and a load of what
    /// a masked store wrote waits until that is in the cache. And whether half a vector is enough for the last ones.
    fn pad(&self, formed: &mut Formed, of: &Innermost, n: i64) {
        let bases: Vec<Option<Value>> = (formed.bases.iter())
            .map(|b| match b {
                Base::Array(v) => Some(*v),
                Base::Store(k) => of.stored.get(*k).copied(),
                Base::Element(..) | Base::Partials(..) | Base::Column(_) => None,
            })
            .collect();
        for s in &mut formed.strip.streams {
            // Of arrays that lanes have for themselves, the base is another number.
            let plain = s.step == Step::Unit && s.off >= 0 && s.turns == [0; LEVELS] && s.elem == Elem::F64;
            let Some(v) = plain.then(|| bases[s.base as usize]).flatten() else { continue };
            let size = adc_ir::dims::elements(self.plan.memory.shape(v)).and_then(|d| d.as_const());
            let Some(size) = size else { continue };
            let vector = |n: i64| (n + VECTOR as i64 - 1) / VECTOR as i64 * VECTOR as i64;
            let framed = self.plan.memory.is_framed(v);
            s.room = match i64::from(s.off) {
                0 if size == n && framed => Room::Write,
                first if first + vector(n) <= if framed { vector(size) } else { size } => Room::Read,
                _ => Room::None,
            };
        }
        let left = n % VECTOR as i64;
        let few = (1..=VECTOR as i64 / 2).contains(&left);
        formed.strip.few_left = few && self.linker.halves && X86::has_halves(&formed.strip);
    }

    /// Emits a loop as calls of its strip, and as scalar code (`each`, of iteration t) what the strip leaves. Gives the results of reductions
    /// other than sums.
    pub(super) fn strip(
        &mut self,
        formed: Formed,
        of: &Innermost,
        places: &Places,
        each: impl FnOnce(&mut Self, clif::Value) -> Result<(), Refusal>,
    ) -> Result<Vec<Val>, Refusal> {
        let whole = formed.is_whole();
        let sums = formed.strip.adds_up();
        let Formed { strip, bases, slots, same, main, begins, guards, nests, gathers } = formed;
        let exits = strip.exits() || !gathers.is_empty();
        let (func, span) = (self.plan.func.name.clone(), of.span);
        self.linker.lanes.push(LaneLoop { func, index: of.index, span, ops: strip.work() });
        let mut passes = strip.in_passes().into_iter().map(|pass| self.linker.strip(pass, of.most));
        let first = passes.next().expect("a strip has a pass")?;
        let later: Vec<Linked> = passes.collect::<Result<_, _>>()?;
        let anywhere = first.anywhere;
        let integers: FxHashMap<Value, &Inst> =
            all_insts(of.region).into_iter().flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        let body = Body { of, integers: &integers, same: &same, begins: &begins };
        let tables = [self.table(bases.len()), self.table(slots.len())];
        let n = self.value_of(of.iterations);
        // Of a few iterations it costs more than they do to find out what the strip is run on.
        let skips = matches!(of.iterations, Extent::Value(_)) && !whole && nests.is_empty();
        let mut turns = FxHashMap::default();
        for (k, slot) in slots.iter().enumerate() {
            if let Slot::Initial(x) = slot {
                let x = self.b.ins().f64const(*x);
                self.b.ins().stack_store(types::I64, x, tables[1], 8 * k as i32);
            }
        }
        let end;
        if !skips {
            turns = self.operands(&bases, &slots, places, &body, tables);
            end = self.end_of_strip(main, n, &guards, &body);
        } else {
            let [enough, on] = [(); 2].map(|()| self.b.create_block());
            let at_on = self.b.append_block_param(on, types::I64);
            let (zero, mark) = (self.int(0), self.slots.log.len());
            let many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, n, FEW);
            self.b.ins().brif(many, enough, &[], on, &[zero.into()]);
            self.b.switch_to_block(enough);
            self.operands(&bases, &slots, places, &body, tables);
            let all = self.end_of_strip(main, n, &guards, &body);
            self.b.ins().jump(on, &[all.into()]);
            self.slots.forget(mark);
            self.b.switch_to_block(on);
            end = at_on;
        }
        let [table, numbers_at] = tables.map(|t| self.b.ins().stack_addr(types::I64, t, 0));
        // Of so many elements, known and all of them, nothing is left for the other one.
        let unit = if sums { PARTIALS } else { VECTOR } as i64;
        let even = matches!(of.iterations, Extent::Number(n) if whole && n % unit == 0);
        let mut function = |l: &Linked| {
            let rest = l.rest.filter(|_| !even);
            (self.function(l.id), rest.map(|id| self.function(id)))
        };
        let first = function(&first);
        let later: Vec<_> = later.iter().map(function).collect();
        let span = of.span;
        let run = |e: &mut Self, from: clif::Value, to: clif::Value| {
            for nest in &nests {
                let mut n = Extent::Value(e.b.ins().isub(to, from));
                for of in nest {
                    let of = match of {
                        Turns::Const(n) => Extent::Number(*n as i64),
                        Turns::Scal(slot) => turns[&(*slot as usize)],
                    };
                    n = e.many(n, of, span);
                }
                e.burn(n, span);
            }
            let part = |e: &mut Self, f, from, to| {
                let call = e.b.ins().call(f, &[table, numbers_at, from, to]);
                e.b.inst_results(call)[0]
            };
            let pass = |e: &mut Self, (f, rest), to| match rest {
                Some(rest) => e.in_two(from, to, unit, |e, from, to, last| {
                    part(e, if last { rest } else { f }, from, to)
                }),
                None => part(e, f, from, to),
            };
            let reached = pass(e, first, to);
            for later in &later {
                pass(e, *later, reached);
            }
            reached
        };
        let columns = self.columns(&gathers);
        // How far it came, of what it was to do.
        let call = |e: &mut Self, from: clif::Value, to: clif::Value| {
            let Some(at) = columns else { return Ok((run(e, from, to), to)) };
            let columns = Columns { at, from };
            let most = e.b.ins().iadd_imm_s(from, BLOCK);
            let to = e.b.ins().umin(most, to);
            let ready = e.gather(&gathers, &body, columns, to)?;
            for (k, base) in bases.iter().enumerate() {
                if let Base::Column(column) = base {
                    let at = e.column(columns, *column);
                    e.b.ins().stack_store(types::I64, at, tables[0], 8 * k as i32);
                }
            }
            let reached = run(e, from, ready);
            e.scatter(&gathers, columns, reached);
            Ok((reached, to))
        };
        if whole {
            let from = self.int(0);
            call(self, from, n)?;
        } else {
            let unit = if sums { PARTIALS as i64 } else { 1 };
            let from = match anywhere {
                true => self.int(main.0),
                false => self.begin_of_strip((main.0 + unit - 1) / unit * unit, n, of),
            };
            self.parts(from, end, n, exits, call, each)?;
        }
        let mut results = Vec::new();
        for (k, slot) in slots.iter().enumerate() {
            if matches!(slot, Slot::Initial(_)) {
                let y = self.b.ins().stack_load(types::I64, types::F64, tables[1], 8 * k as i32);
                results.push(Val::One(y));
            }
        }
        Ok(results)
    }

    /// Puts what a strip is run on into its tables: where streams begin, and numbers. By number of the latter: how often a loop inside turns.
    fn operands(
        &mut self,
        bases: &[Base],
        slots: &[Slot],
        places: &Places,
        body: &Body,
        [table, numbers]: [clif::StackSlot; 2],
    ) -> FxHashMap<usize, Extent> {
        for (k, base) in bases.iter().enumerate() {
            let at = match base {
                // It differs from block to block.
                Base::Column(_) => continue,
                Base::Store(k) => places.stores[*k],
                Base::Partials(k, part) => {
                    let bytes = PARTIALS * size_of::<f64>() * part;
                    self.offset(places.sums[*k], Extent::Number(bytes as i64))
                }
                Base::Array(array) => self.val(*array).one(),
                Base::Element(array, index) => {
                    let start: Vec<Extent> = index.iter().map(|v| self.first(*v, body)).collect();
                    self.element_at(*array, &start)
                }
            };
            self.b.ins().stack_store(types::I64, at, table, 8 * k as i32);
        }
        let mut turns = FxHashMap::default();
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
                Slot::Part(v, part) => self.val(*v).parts().nth(*part).expect("complex numbers have two"),
                Slot::Integer(v) => {
                    let x = self.first(*v, body);
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
                    let parts = self.ty(*array).bytes() / size_of::<f64>();
                    let sum = self.times(sum, Extent::Number(parts as i64));
                    self.value_of(sum)
                }
                // What the strip leaves adds to it, too.
                Slot::Initial(_) => continue,
                Slot::Turns(lo, hi, step) => {
                    let hi = self.operand(*hi);
                    let n = self.iterations(Extent::Number(*lo), hi, Extent::Number(*step));
                    turns.insert(k, n);
                    self.value_of(n)
                }
            };
            self.b.ins().stack_store(types::I64, x, numbers, 8 * k as i32);
        }
        turns
    }

    /// The end of the iterations that a strip does, if what it assumes holds.
    fn end_of_strip(
        &mut self,
        main: (i64, Option<i64>),
        n: clif::Value,
        guards: &[Guard],
        body: &Body,
    ) -> clif::Value {
        let all = main.1.map_or(n, |end| self.int(end));
        guards.iter().fold(all, |end, guard| {
            let fails = self.fails(guard, body, (main.0, all));
            let none = self.int(0);
            self.b.ins().select(fails, none, end)
        })
    }

    /// Whether an assumption about iterations `from` to before `to` does not hold.
    fn fails(&mut self, guard: &Guard, body: &Body, (from, to): (i64, clif::Value)) -> clif::Value {
        let integer = |e: &mut Self, v: Value| {
            let x = e.first(v, body);
            e.value_of(x)
        };
        match *guard {
            Guard::Fits(op, a, b) => {
                let (a, b) = (integer(self, a), integer(self, b));
                match op {
                    Op::Add => self.b.ins().sadd_overflow(a, b).1,
                    Op::Sub => self.b.ins().ssub_overflow(a, b).1,
                    _ => self.b.ins().smul_overflow(a, b).1,
                }
            }
            Guard::Compares(op, a, b, holds) => {
                let (a, b) = (integer(self, a), integer(self, b));
                let cc = match op {
                    Op::Lt => IntCC::SignedLessThan,
                    Op::Le => IntCC::SignedLessThanOrEqual,
                    Op::Gt => IntCC::SignedGreaterThan,
                    Op::Ge => IntCC::SignedGreaterThanOrEqual,
                    Op::Eq => IntCC::Equal,
                    _ => IntCC::NotEqual,
                };
                self.b.ins().icmp(if holds { cc.complement() } else { cc }, a, b)
            }
            Guard::Holds(v) => {
                let yes = self.val(v).one();
                self.b.ins().icmp_imm_s(IntCC::Equal, yes, 0)
            }
            Guard::Inside(v, growth, ref size) => {
                let zero = integer(self, v);
                let size = self.extent(size);
                let size = self.value_of(size);
                let outside = |e: &mut Self, at| e.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, at, size);
                if growth == 0 {
                    return outside(self, zero);
                }
                let last = self.b.ins().iadd_imm_s(to, -1);
                let [first, last] = [self.int(from), last].map(|t| {
                    let by = self.b.ins().imul_imm_s(t, growth);
                    self.b.ins().iadd(zero, by)
                });
                let [first, last] = [first, last].map(|at| outside(self, at));
                self.b.ins().bor(first, last)
            }
        }
    }

    /// The first iteration of a strip that leaves some before `first` to scalar code. If there are many iterations, it leaves a few more,
    /// up to one that begins a line of cache: vectors that lie in two lines take twice as long, at every array and in every iteration.
    fn begin_of_strip(&mut self, first: i64, n: clif::Value, of: &Innermost) -> clif::Value {
        let lo = match (of.lo, of.step) {
            (Extent::Number(lo), Extent::Number(1)) => lo.rem_euclid(LINE),
            _ => 0,
        };
        let aligned = first + (LINE - (first + lo) % LINE) % LINE;
        match of.iterations {
            Extent::Value(_) if first != aligned => {
                let many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, n, ALIGNED);
                let [first, aligned] = [first, aligned].map(|t| self.int(t));
                self.b.ins().select(many, aligned, first)
            }
            Extent::Number(n) if n >= ALIGNED => self.int(aligned),
            Extent::Number(_) | Extent::Value(_) => self.int(first),
        }
    }

    /// Adds so many doubles to others, as a strip; `false` (and no code) if they are too few for one.
    pub(super) fn add_array(
        &mut self,
        to: clif::Value,
        from: clif::Value,
        doubles: Extent,
    ) -> Result<bool, Refusal> {
        let Some(fewest) = self.linker.strips else { return Ok(false) };
        let most = match doubles {
            Extent::Number(n) if n < fewest as i64 => return Ok(false),
            Extent::Number(n) => Some(n),
            Extent::Value(_) => None,
        };
        let mut b = StripBuilder::new();
        let [to_stream, from_stream] = [(0, Access::RW), (1, Access::R)]
            .map(|(base, access)| b.stream(Stream::new(base, 0, Step::Unit, access)));
        let (x, y) = (b.op(SOp::Load(to_stream)), b.op(SOp::Load(from_stream)));
        let sum = b.add(x, y);
        b.op(SOp::Store(to_stream, sum));
        let strip = b.finish().expect("a sum of two streams is well formed");
        let id = self.linker.strip(strip, most)?.id;
        let table = self.table(2);
        for (k, base) in [to, from].into_iter().enumerate() {
            self.b.ins().stack_store(types::I64, base, table, 8 * k as i32);
        }
        let table = self.b.ins().stack_addr(types::I64, table, 0);
        let (zero, n) = (self.int(0), self.value_of(doubles));
        let f = self.function(id);
        self.b.ins().call(f, &[table, table, zero, n]);
        Ok(true)
    }

    /// Elements `from` to `to`, all but those that make no `unit` by one strip, which may exit, and these by another. Says how far they
    /// came.
    fn in_two(
        &mut self,
        from: clif::Value,
        to: clif::Value,
        unit: i64,
        mut strip: impl FnMut(&mut Self, clif::Value, clif::Value, bool) -> clif::Value,
    ) -> clif::Value {
        let n = self.b.ins().isub(to, from);
        let most = self.b.ins().band_imm_s(n, -unit);
        let middle = self.b.ins().iadd(from, most);
        let [last, end] = [(); 2].map(|()| self.b.create_block());
        let reached = self.b.append_block_param(end, types::I64);
        let first = strip(self, from, middle, false);
        let on = self.b.ins().icmp(IntCC::Equal, first, middle);
        self.b.ins().brif(on, last, &[], end, &[first.into()]);
        self.b.switch_to_block(last);
        let second = strip(self, middle, to, true);
        self.b.ins().jump(end, &[second.into()]);
        self.b.switch_to_block(end);
        reached
    }

    /// Iterations 0 to `n`: those from `from` to `end` by a strip, which says how far it came, and how far it could have come, and the
    /// others by `each`.
    fn parts(
        &mut self,
        from: clif::Value,
        end: clif::Value,
        n: clif::Value,
        exits: bool,
        strip: impl FnOnce(&mut Self, clif::Value, clif::Value) -> Result<(clif::Value, clif::Value), Refusal>,
        each: impl FnOnce(&mut Self, clif::Value) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let [next, some, wide, aside, scalar, done] = [(); 6].map(|()| self.b.create_block());
        let at_next = self.b.append_block_param(next, types::I64);
        let at_aside = self.b.append_block_param(aside, types::I64);
        let (t, stop) =
            (self.b.append_block_param(scalar, types::I64), self.b.append_block_param(scalar, types::I64));
        let zero = self.int(0);
        self.b.ins().jump(next, &[zero.into()]);

        // All before `at_next` are done.
        self.b.switch_to_block(next);
        let all = self.b.ins().icmp(IntCC::Equal, at_next, n);
        self.b.ins().brif(all, done, &[], some, &[]);
        self.b.switch_to_block(some);
        let before = self.b.ins().icmp(IntCC::UnsignedLessThan, at_next, from);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, at_next, end);
        let early = self.b.ins().umin(from, n);
        let stop_here = self.b.ins().select(before, early, n);
        let not_before = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, at_next, from);
        let in_strip = self.b.ins().band(not_before, inside);
        self.b.ins().brif(in_strip, wide, &[], scalar, &[at_next.into(), stop_here.into()]);

        self.b.switch_to_block(wide);
        let (reached, end) = strip(self, at_next, end)?;
        if exits {
            let left = self.b.ins().icmp(IntCC::UnsignedLessThan, reached, end);
            self.b.ins().brif(left, aside, &[reached.into()], next, &[reached.into()]);
        } else {
            self.b.ins().jump(next, &[reached.into()]);
        }

        // Up to a multiple of the number of partial sums.
        self.b.switch_to_block(aside);
        let beyond = self.b.ins().iadd_imm_s(at_aside, ASIDE);
        let beyond = self.b.ins().band_imm_s(beyond, -ASIDE);
        let stop_aside = self.b.ins().umin(beyond, n);
        self.b.ins().jump(scalar, &[at_aside.into(), stop_aside.into()]);

        self.b.switch_to_block(scalar);
        let mark = self.slots.log.len();
        each(self, t)?;
        self.slots.forget(mark);
        let after = self.b.ins().iadd_imm_s(t, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, after, stop);
        self.b.ins().brif(more, scalar, &[after.into(), stop.into()], next, &[after.into()]);
        self.b.switch_to_block(done);
        Ok(())
    }

    fn table(&mut self, entries: usize) -> clif::StackSlot {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * entries.max(1) as u32, 3);
        self.b.create_sized_stack_slot(data)
    }

    /// An integer in the first iteration.
    fn first(&mut self, v: Value, body: &Body) -> Extent {
        let v = body.same.get(&v).copied().unwrap_or(v);
        if v == body.of.index {
            return body.of.lo;
        }
        if let Some(lo) = body.begins.get(&v) {
            return Extent::Number(*lo);
        }
        let inside = body.integers.get(&v).filter(|_| self.plan.consts[v.0 as usize].is_none());
        let Some(inst) = inside else { return self.operand(v) };
        if let Kind::Size(size) = &inst.kind {
            let term = |e: &mut Self, (factors, times): (&[Value], i64)| {
                factors.iter().fold(Extent::Number(times), |product, v| {
                    let factor = e.first(*v, body);
                    e.times(product, factor)
                })
            };
            return size.terms().fold(Extent::Number(0), |sum, t| {
                let next = term(self, t);
                self.plus(sum, next)
            });
        }
        let (a, b) = (self.first(inst.args[0], body), self.first(inst.args[1], body));
        match inst.kind {
            Kind::Op(Op::Add) => self.plus(a, b),
            Kind::Op(Op::Mul) => self.times(a, b),
            Kind::Op(op @ (Op::Min | Op::Max)) => {
                let [a, b] = [a, b].map(|x| self.value_of(x));
                let least = op == Op::Min;
                Extent::Value(if least { self.b.ins().smin(a, b) } else { self.b.ins().smax(a, b) })
            }
            Kind::Op(Op::Mod) => {
                let [a, b] = [a, b].map(|x| self.value_of(x));
                let rest = self.b.ins().srem(a, b);
                let next = self.b.ins().iadd(rest, b);
                let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, rest, 0);
                Extent::Value(self.b.ins().select(negative, next, rest))
            }
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
        let bytes = self.times(at, Extent::Number(self.ty(array).bytes() as i64));
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
