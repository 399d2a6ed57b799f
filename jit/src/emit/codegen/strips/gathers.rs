//! Elements at places that only the data say: scalar code gathers them ahead of a strip, for a block of iterations at a time, and adds
//! or writes what the strip made for such places behind it, in the order of iterations.
//!
//! So the strip reads and writes nothing but numbers side by side. Of an iteration whose numbers cannot be had, because an index is
//! outside its array or an integer overflows, nothing is done: the block ends before it, and scalar code runs it as if there were no
//! strip. Then an iteration that does not need the number fails no more than it did.

use super::former::Former;
use super::{Base, Body};
use crate::emit::codegen::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::lower::strips::{Access, Bin, Cc, Lane, M, SOp, Step, Stream, Strip, Un, V};
use adc_ir::{Class, Inst, Kind, Op, Scalar, Span, Type, Value, kinds};
use adc_runtime::lanes::Lanes as _;
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, MemFlagsData, types};
use rustc_hash::FxHashSet;

/// Iterations of a block, a multiple of the number of partial sums.
pub(super) const BLOCK: i64 = 128;
/// Numbers gathered and scattered for each iteration, at most: those of a block lie on the native stack.
const MOST: usize = 12;
/// Instructions that give indices, at most: they run once more for an iteration left to scalar code.
const STEPS: usize = 64;
/// What it costs to gather a number, and to scatter one, in halves of an instruction of scalar code: measured where strips with four or
/// six of either begin to be faster.
const GATHER: usize = 4;
const SCATTER: usize = 10;
/// Bytes of a number.
const BYTES: i64 = size_of::<f64>() as i64;

/// What scalar code does for a strip.
#[derive(Default)]
pub(super) struct Gathers {
    /// What gives the indices, operands first.
    steps: Vec<Value>,
    known: FxHashSet<Value>,
    /// Values that are gathered, and the column of the first of their numbers.
    gathered: Vec<(Value, usize)>,
    /// What is done behind the strip, in order.
    scattered: Vec<Scatter>,
    /// Columns: one number for each iteration of a block.
    columns: usize,
}

/// Numbers added or written to an element of a carried array.
struct Scatter {
    array: Value,
    index: Vec<Value>,
    add: bool,
    span: Span,
    /// The column of its addresses, and those of its numbers.
    places: usize,
    numbers: Vec<usize>,
}

impl Gathers {
    /// Whether there is nothing to do, nor anything that may fail.
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.gathered.is_empty() && self.scattered.is_empty()
    }

    /// Whether lanes save a strip more than it costs to gather and scatter, in halves of an instruction. What is not an integer is
    /// computed once more.
    pub(super) fn are_worth_it(&self, strip: &Strip, is_integer: impl Fn(Value) -> bool) -> bool {
        let is_gathered = |v: &Value| self.gathered.iter().any(|(g, _)| g == v);
        let again = self.steps.iter().filter(|v| !is_integer(**v) && !is_gathered(v)).count();
        let scattered: usize = self.scattered.iter().map(|s| s.numbers.len()).sum();
        let gathered = self.columns - scattered - self.scattered.len();
        let saved: usize = strip.ops.iter().map(|op| cost(*op)).sum();
        self.is_empty() || saved > GATHER * gathered + SCATTER * scattered + 2 * again
    }

    /// Whether scalar code writes to an array behind the strip.
    pub(super) fn scatters_to(&self, array: Value) -> bool {
        self.scattered.iter().any(|s| s.array == array)
    }

    /// What is scattered so far, for [`Self::forget`].
    pub(super) fn mark(&self) -> usize {
        self.scattered.len()
    }

    /// Forgets what a branch that has no strip scatters.
    pub(super) fn forget(&mut self, mark: usize) {
        self.scattered.truncate(mark);
    }

    /// New columns.
    fn room(&mut self, columns: usize) -> Option<usize> {
        let first = self.columns;
        self.columns += columns;
        (self.columns <= MOST).then_some(first)
    }
}

impl Former<'_, '_, '_> {
    /// Whether an index is known by the data only.
    pub(super) fn is_data(&self, index: &[Value]) -> bool {
        index.iter().any(|v| self.affine(*v).is_none())
    }

    /// An array that scalar code may read ahead of the strip: one from outside that the loop does not change.
    fn is_outside(&self, array: Value) -> bool {
        !self.inside.contains(&array) && !self.of.carried.iter().any(|(param, _)| *param == array)
    }

    /// Takes down what gives a value, if that is little and cheap: integers and conditions, and what they are computed from.
    pub(super) fn computed_ahead(&mut self, v: Value) -> Option<()> {
        let before = self.gathers.steps.len();
        let done = self.step(v);
        if done.is_none() {
            for v in self.gathers.steps.drain(before..) {
                self.gathers.known.remove(&v);
            }
        }
        done
    }

    fn step(&mut self, v: Value) -> Option<()> {
        let is_const = self.emit.plan.consts[v.0 as usize].is_some();
        if is_const || v == self.of.index || !self.inside.contains(&v) || self.gathers.known.contains(&v) {
            return Some(());
        }
        let same = self.resolved(v);
        if same != v {
            self.step(same)?;
        } else {
            let inst = *self.made.get(&v)?;
            let operands = match &inst.kind {
                Kind::Op(op) if is_cheap(*op) => &inst.args[..],
                Kind::Index if !self.ty(v).is_array() && self.is_outside(inst.args[0]) => &inst.args[1..],
                Kind::Size(size) => {
                    for v in size.terms().flat_map(|(factors, _)| factors) {
                        self.step(*v)?;
                    }
                    &[]
                }
                Kind::Op(_) | Kind::Const(_) | Kind::Call(_) | Kind::If | Kind::Assert(_) => return None,
                kinds!(Array) | kinds!(Loop) => return None,
            };
            for operand in operands {
                self.step(*operand)?;
            }
        }
        self.gathers.steps.push(v);
        self.gathers.known.insert(v);
        (self.gathers.steps.len() <= STEPS).then_some(())
    }

    /// A value that scalar code computes ahead.
    pub(super) fn gathered(&mut self, v: Value) -> Option<Lane> {
        let parts = match self.ty(v) {
            Type::F64 | Type::I64 | Type::BOOL => 1,
            Type::C128 => 2,
            _ => return None,
        };
        // Loops inside have turns of their own.
        if self.b.level() > 0 || self.copies {
            return None;
        }
        self.computed_ahead(v)?;
        let first = self.gathers.room(parts)?;
        self.gathers.gathered.push((v, first));
        let x = self.of_column(first)?;
        Some(match self.ty(v) {
            Type::BOOL => {
                let zero = self.b.num(0.0);
                Lane::Mask(M(self.b.op(SOp::Cmp(Cc::Ne, x, zero))))
            }
            Type::C128 => Lane::Complex([x, self.of_column(first + 1)?]),
            _ => Lane::Number(x),
        })
    }

    fn of_column(&mut self, column: usize) -> Option<V> {
        let base = self.base(Base::Column(column))?;
        let s = self.b.stream(Stream::new(base, 0, Step::Unit, Access::R));
        Some(self.b.op(SOp::Load(s)))
    }

    /// An addition or a write to an element of a carried array that scalar code does behind the strip. Gives the streams that its
    /// numbers go to, and these.
    pub(super) fn scattered(
        &mut self,
        array: Value,
        index: Vec<Value>,
        numbers: Vec<V>,
        inst: &Inst,
    ) -> Option<Vec<(u16, V)>> {
        let add = inst.kind == Kind::AddAt;
        // What is added behind the strip is not there for its own reads and writes.
        let is_alone = self.is_only_scattered(array);
        if !is_alone || self.b.level() > 0 || self.copies || (self.path.is_some() && !add) {
            return None;
        }
        index.iter().try_for_each(|v| self.computed_ahead(*v))?;
        let places = self.gathers.room(1 + numbers.len())?;
        let nothing = self.b.num(-0.0);
        let mut writes = Vec::with_capacity(numbers.len());
        for (k, x) in numbers.into_iter().enumerate() {
            let base = self.base(Base::Column(places + 1 + k))?;
            let s = self.b.stream(Stream::new(base, 0, Step::Unit, Access::W));
            // Adding −0 changes nothing.
            let x = self.path.map_or(x, |m| self.b.select(m, x, nothing));
            writes.push((s, x));
        }
        let numbers = (1..=writes.len()).map(|k| places + k).collect();
        self.gathers.scattered.push(Scatter { array, index, add, span: inst.span, places, numbers });
        Some(writes)
    }
}

/// Whether an op has a few instructions of its own.
fn is_cheap(op: Op) -> bool {
    match op.info().class {
        Class::Arith | Class::Order | Class::Part | Class::Test | Class::Logic | Class::Convert => true,
        Class::Elementary | Class::ElementaryInt | Class::Barrier => false,
    }
}

/// What an operation of a strip costs in scalar code, in halves of an instruction.
fn cost(op: SOp) -> usize {
    match op {
        SOp::Const(_) | SOp::Scal(_) | SOp::Index | SOp::Turn(_) => 0,
        SOp::Loop(_) | SOp::Carried(_) | SOp::Next(..) | SOp::End | SOp::Last(_) => 0,
        // Lanes save nothing of a call for each, or of loads and stores of what is not side by side.
        SOp::Load(_) | SOp::Store(..) | SOp::AddTo(..) | SOp::Call(..) => 0,
        SOp::Bin(Bin::Div, ..) | SOp::Un(Un::Sqrt, _) => 8,
        SOp::Un(..)
        | SOp::Bin(..)
        | SOp::Fma { .. }
        | SOp::Cmp(..)
        | SOp::Mask(..)
        | SOp::Not(_)
        | SOp::Select(..)
        | SOp::Entry(..)
        | SOp::Rare { .. }
        | SOp::Exit(_) => 2,
    }
}

/// Where the columns of a strip are, and the first iteration of the block.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub at: clif::Value,
    pub from: clif::Value,
}

impl Emit<'_, '_> {
    /// Memory for the columns of a block, if there are any. The strips of a unit run one after the other, and share it.
    pub(super) fn columns(&mut self, gathers: &Gathers) -> Option<clif::Value> {
        if gathers.is_empty() {
            return None;
        }
        let memory = match self.refs.columns {
            Some(memory) => memory,
            None => self.table(MOST * BLOCK as usize),
        };
        self.refs.columns = Some(memory);
        Some(self.b.ins().stack_addr(types::I64, memory, 0))
    }

    /// The place that iteration 0 would have in a column.
    pub(super) fn column(&mut self, columns: Columns, k: usize) -> clif::Value {
        let before = self.b.ins().imul_imm_s(columns.from, BYTES);
        let at = self.b.ins().iadd_imm_s(columns.at, k as i64 * BLOCK * BYTES);
        self.b.ins().isub(at, before)
    }

    /// Fills the columns for iterations up to `to`. Says how far that went.
    pub(super) fn gather(
        &mut self,
        gathers: &Gathers,
        body: &Body,
        columns: Columns,
        to: clif::Value,
    ) -> Result<clif::Value, Refusal> {
        let mark = self.slots.log.len();
        let zero = self.column(columns, 0);
        let [each, end] = [(); 2].map(|()| self.b.create_block());
        let [t, reached] = [each, end].map(|b| self.b.append_block_param(b, types::I64));
        self.b.ins().jump(each, &[columns.from.into()]);
        self.b.switch_to_block(each);
        let outer = self.instead.replace((end, t));
        let i = self.nth(t, body.of.lo, body.of.step);
        self.define(body.of.index, Val::One(i));
        for v in &gathers.steps {
            match body.same.get(v) {
                Some(same) => {
                    let val = self.val(*same);
                    self.define(*v, val);
                }
                None => self.one_inst(body.integers[v])?,
            }
        }
        let before = self.b.ins().imul_imm_s(t, BYTES);
        let at = self.b.ins().iadd(zero, before);
        let offset = |k: usize| (k as i64 * BLOCK * BYTES) as i32;
        for (v, first) in &gathers.gathered {
            let val = self.val(*v);
            let numbers = match self.ty(*v) {
                Scalar::I64 => vec![self.exact(val.one(), (end, t))],
                Scalar::Bool => {
                    let n = self.b.ins().uextend(types::I64, val.one());
                    vec![self.b.ins().fcvt_from_sint(types::F64, n)]
                }
                Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 => val.parts().collect(),
            };
            for (k, x) in numbers.into_iter().enumerate() {
                self.b.ins().store(MemFlagsData::trusted(), x, at, offset(first + k));
            }
        }
        for s in &gathers.scattered {
            let place = self.locate(s.array, &s.index, s.span);
            self.b.ins().store(MemFlagsData::trusted(), place, at, offset(s.places));
        }
        self.instead = outer;
        let after = self.b.ins().iadd_imm_s(t, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, after, to);
        self.b.ins().brif(more, each, &[after.into()], end, &[after.into()]);
        self.b.switch_to_block(end);
        self.slots.forget(mark);
        Ok(reached)
    }

    /// An integer as a double; where that is not exact, it goes where it is told.
    fn exact(&mut self, n: clif::Value, (end, t): (clif::Block, clif::Value)) -> clif::Value {
        let next = self.b.create_block();
        let above = self.b.ins().iadd_imm_s(n, super::former::SMALL);
        let exact = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, above, 2 * super::former::SMALL);
        self.b.ins().brif(exact, next, &[], end, &[t.into()]);
        self.b.switch_to_block(next);
        self.b.ins().fcvt_from_sint(types::F64, n)
    }

    /// Adds and writes what a strip made for iterations up to `to`.
    pub(super) fn scatter(&mut self, gathers: &Gathers, columns: Columns, to: clif::Value) {
        if gathers.scattered.is_empty() {
            return;
        }
        let zero = self.column(columns, 0);
        let [each, end] = [(); 2].map(|()| self.b.create_block());
        let t = self.b.append_block_param(each, types::I64);
        let some = self.b.ins().icmp(IntCC::UnsignedLessThan, columns.from, to);
        self.b.ins().brif(some, each, &[columns.from.into()], end, &[]);
        self.b.switch_to_block(each);
        let before = self.b.ins().imul_imm_s(t, BYTES);
        let at = self.b.ins().iadd(zero, before);
        let flags = MemFlagsData::trusted();
        let offset = |k: usize| (k as i64 * BLOCK * BYTES) as i32;
        for s in &gathers.scattered {
            let place = self.b.ins().load(types::I64, flags, at, offset(s.places));
            for (part, k) in s.numbers.iter().enumerate() {
                let part = part as i32 * BYTES as i32;
                let mut x = self.b.ins().load(types::F64, flags, at, offset(*k));
                if s.add {
                    let old = self.b.ins().load(types::F64, flags, place, part);
                    x = self.b.ins().fadd(old, x);
                }
                self.b.ins().store(flags, x, place, part);
            }
        }
        let after = self.b.ins().iadd_imm_s(t, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, after, to);
        self.b.ins().brif(more, each, &[after.into()], end, &[]);
        self.b.switch_to_block(end);
    }
}
