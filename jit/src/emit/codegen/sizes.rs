//! Sizes, addresses of elements, and the checks that indices need.

use super::{Emit, Val};
use adc_ir::{Const, Dim, RuntimeError, Span, Trap, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, MemFlagsData, types};
use smallvec::SmallVec;
use std::mem::offset_of;

/// A number of elements, bytes or iterations.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    Number(i64),
    Value(clif::Value),
}

impl Emit<'_, '_> {
    pub(super) fn int(&mut self, n: i64) -> clif::Value {
        self.b.ins().iconst(types::I64, n)
    }

    pub(super) fn value_of(&mut self, e: Extent) -> clif::Value {
        match e {
            Extent::Number(n) => self.int(n),
            Extent::Value(v) => v,
        }
    }

    /// A size that is known not to be out of range.
    pub(super) fn extent(&mut self, dim: &Dim) -> Extent {
        if let Some(n) = dim.as_const() {
            return Extent::Number(n);
        }
        let mut sum = Extent::Number(0);
        for (vars, c) in dim.terms() {
            let mut product = Extent::Number(c);
            for v in vars {
                let factor = Extent::Value(self.val(*v).one());
                product = self.times(product, factor);
            }
            sum = self.plus(sum, product);
        }
        sum
    }

    /// The number of elements of a shape.
    pub(super) fn count(&mut self, shape: &[Dim]) -> Extent {
        let mut count = Extent::Number(1);
        for d in shape {
            let d = self.extent(d);
            count = self.times(count, d);
        }
        count
    }

    pub(super) fn plus(&mut self, a: Extent, b: Extent) -> Extent {
        match (a, b) {
            (Extent::Number(a), Extent::Number(b)) => Extent::Number(a.wrapping_add(b)),
            (Extent::Number(0), x) | (x, Extent::Number(0)) => x,
            (Extent::Value(x), Extent::Number(n)) | (Extent::Number(n), Extent::Value(x)) => {
                Extent::Value(self.b.ins().iadd_imm_s(x, n))
            }
            (Extent::Value(a), Extent::Value(b)) => Extent::Value(self.b.ins().iadd(a, b)),
        }
    }

    pub(super) fn times(&mut self, a: Extent, b: Extent) -> Extent {
        match (a, b) {
            (Extent::Number(a), Extent::Number(b)) => Extent::Number(a.wrapping_mul(b)),
            (Extent::Number(1), x) | (x, Extent::Number(1)) => x,
            (Extent::Number(0), _) | (_, Extent::Number(0)) => Extent::Number(0),
            (Extent::Value(x), Extent::Number(n)) | (Extent::Number(n), Extent::Value(x)) => {
                Extent::Value(match n {
                    n if n > 0 && (n as u64).is_power_of_two() => {
                        self.b.ins().ishl_imm_u(x, n.trailing_zeros() as i64)
                    }
                    n => self.b.ins().imul_imm_s(x, n),
                })
            }
            (Extent::Value(a), Extent::Value(b)) => Extent::Value(self.b.ins().imul(a, b)),
        }
    }

    /// `address + offset`
    pub(super) fn offset(&mut self, address: clif::Value, offset: Extent) -> clif::Value {
        match self.plus(Extent::Value(address), offset) {
            Extent::Value(v) => v,
            Extent::Number(n) => self.int(n),
        }
    }

    /// The sizes of an array that an instruction is about to make, checked one after the other: a polynomial within `i64`,
    /// and not negative.
    pub(super) fn checked_sizes(&mut self, shape: &[Dim], span: Span) -> SmallVec<[Extent; 4]> {
        shape.iter().map(|d| self.checked_size(d, span)).collect()
    }

    fn checked_size(&mut self, dim: &Dim, span: Span) -> Extent {
        let size = self.checked_dim(dim, span);
        let size = match size {
            Extent::Number(n @ 0..) => return Extent::Number(n),
            Extent::Number(n) => self.int(n),
            Extent::Value(v) => v,
        };
        if !dim.as_var().is_some_and(|v| self.plan.bounds.is_natural(v)) {
            let bad = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, size, 0);
            self.refuse_with(bad, Trap::NegativeSize(0), span, [size, size]);
        }
        Extent::Value(size)
    }

    /// A polynomial; one that leaves `i64` ends the run.
    pub(super) fn checked_dim(&mut self, dim: &Dim, span: Span) -> Extent {
        if let Some(n) = dim.as_const() {
            return Extent::Number(n);
        }
        let mut sum: Option<clif::Value> = None;
        for (vars, c) in dim.terms() {
            let mut product = if c == 1 && !vars.is_empty() { None } else { Some(self.int(c)) };
            for v in vars {
                let v = self.val(*v).one();
                product = Some(match product {
                    None => v,
                    Some(p) => {
                        let (p, overflow) = self.b.ins().smul_overflow(p, v);
                        self.refuse(overflow, Trap::IntegerOverflow, span);
                        p
                    }
                });
            }
            let product = product.expect("a term is a number or has variables");
            sum = Some(match sum {
                None => product,
                Some(s) => {
                    let (s, overflow) = self.b.ins().sadd_overflow(s, product);
                    self.refuse(overflow, Trap::IntegerOverflow, span);
                    s
                }
            });
        }
        sum.map_or(Extent::Number(0), Extent::Value)
    }

    /// An index: a number if that is known.
    fn index(&mut self, v: Value) -> Extent {
        match self.plan.consts[v.0 as usize] {
            Some(Const::I64(n)) => Extent::Number(n),
            _ => match self.plan.bounds.number(v) {
                Some(n) => Extent::Number(n),
                None => Extent::Value(self.val(v).one()),
            },
        }
    }

    /// The address of the element or the part behind indices of an array, which are checked one after the other.
    pub(super) fn locate(&mut self, array: Value, index: &[Value], span: Span) -> clif::Value {
        let plan = self.plan;
        let shape = plan.memory.shape(array);
        let base = self.val(array).one();
        // What is a number comes last: instructions that load and store add it themselves.
        let (mut at, mut fixed) = (Extent::Number(0), Extent::Number(0));
        for (v, size) in index.iter().zip(shape) {
            let i = self.index(*v);
            let inside = match (i, size.as_const()) {
                (Extent::Number(i), Some(n)) => (0..n).contains(&i),
                _ => self.plan.bounds.is_index(*v, size) || self.slots.is_checked(*v, size),
            };
            let size = self.extent(size);
            if !inside {
                let (i, size) = (self.value_of(i), self.value_of(size));
                let bad = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, i, size);
                self.refuse_with(bad, Trap::IndexOutOfRange { index: 0, size: 0 }, span, [i, size]);
            }
            [at, fixed] = [at, fixed].map(|part| self.times(part, size));
            match i {
                Extent::Number(_) => fixed = self.plus(fixed, i),
                Extent::Value(_) => at = self.plus(at, i),
            }
        }
        let inner = self.count(&shape[index.len()..]);
        let bytes = Extent::Number(plan.func.ty(array).scalar().bytes() as i64);
        let row = self.times(inner, bytes);
        let [at, fixed] = [at, fixed].map(|part| self.times(part, row));
        let place = self.offset(base, at);
        self.offset(place, fixed)
    }

    /// The address of a part along the first axis of an array; `len`: its size, which is checked.
    pub(super) fn locate_part(&mut self, array: Value, start: Value, len: Extent, span: Span) -> clif::Value {
        let plan = self.plan;
        let shape = plan.memory.shape(array);
        let base = self.val(array).one();
        let first = self.index(start);
        let size = self.extent(&shape[0]);
        let inside = match (first, len, size) {
            (Extent::Number(i), Extent::Number(len), Extent::Number(n)) => {
                i >= 0 && len <= n.saturating_sub(i)
            }
            _ => false,
        };
        if !inside {
            let (i, len, n) = (self.value_of(first), self.value_of(len), self.value_of(size));
            // 0 ≤ i ≤ n and len ≤ n − i; what is told is the last index if the first one is inside.
            let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThan, i, n);
            let left = self.b.ins().isub(n, i);
            let long = self.b.ins().icmp(IntCC::UnsignedGreaterThan, len, left);
            let bad = self.b.ins().bor(beyond, long);
            let (next, fail) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(bad, fail, &[], next, &[]);
            self.b.set_cold_block(fail);
            self.b.switch_to_block(fail);
            let end = self.b.ins().iadd(i, len);
            let last = self.b.ins().iadd_imm_s(end, -1);
            let within = self.b.ins().icmp(IntCC::UnsignedLessThan, i, n);
            let told = self.b.ins().select(within, last, i);
            self.report(Trap::IndexOutOfRange { index: 0, size: 0 }, span, [told, n]);
            self.b.switch_to_block(next);
        }
        let inner = self.count(&shape[1..]);
        let bytes = Extent::Number(plan.func.ty(array).scalar().bytes() as i64);
        let row = self.times(inner, bytes);
        let at = self.times(first, row);
        self.offset(base, at)
    }

    /// Leaves the function with an error that tells two numbers if `bad` holds.
    pub(super) fn refuse_with(
        &mut self,
        bad: clif::Value,
        trap: Trap,
        span: Span,
        numbers: [clif::Value; 2],
    ) {
        let (next, fail) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(bad, fail, &[], next, &[]);
        self.b.set_cold_block(fail);
        self.b.switch_to_block(fail);
        self.report(trap, span, numbers);
        self.b.switch_to_block(next);
    }

    /// Returns an error that tells two numbers.
    fn report(&mut self, trap: Trap, span: Span, numbers: [clif::Value; 2]) {
        if let Some((instead, with)) = self.instead {
            self.b.ins().jump(instead, &[with.into()]);
            return;
        }
        let at = offset_of!(crate::context::Context, numbers) as i32;
        for (k, n) in numbers.into_iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), n, self.areas.context, at + 8 * k as i32);
        }
        let status = self.linker.status(RuntimeError { trap, span });
        let status = self.b.ins().iconst(types::I32, status);
        self.b.ins().return_(&[status]);
    }

    /// Takes fuel for a number of iterations.
    pub(super) fn burn(&mut self, iterations: Extent, span: Span) {
        if let Extent::Number(0) = iterations {
            return;
        }
        self.linker.heavy = true;
        let at = offset_of!(crate::context::Context, fuel) as i32;
        let flags = MemFlagsData::trusted();
        let fuel = self.b.ins().load(types::I64, flags, self.areas.context, at);
        let iterations = self.value_of(iterations);
        let (left, short) = self.b.ins().usub_overflow(fuel, iterations);
        self.refuse(short, Trap::OutOfFuel, span);
        self.b.ins().store(flags, left, self.areas.context, at);
    }

    /// A number of iterations of each of so many; more than there may be ends the run.
    pub(super) fn many(&mut self, n: Extent, each: Extent, span: Span) -> Extent {
        if let (Extent::Number(a), Extent::Number(b)) = (n, each) {
            return Extent::Number(a.saturating_mul(b));
        }
        let (n, each) = (self.value_of(n), self.value_of(each));
        let (all, overflow) = self.b.ins().umul_overflow(n, each);
        self.refuse(overflow, Trap::OutOfFuel, span);
        Extent::Value(all)
    }

    /// How many i there are in lo, lo + step, … below hi; step is at least 1.
    pub(super) fn iterations(&mut self, lo: Extent, hi: Extent, step: Extent) -> Extent {
        if let (Extent::Number(lo), Extent::Number(hi), Extent::Number(step)) = (lo, hi, step) {
            let distance = if lo >= hi { 0 } else { hi.wrapping_sub(lo) as u64 };
            return Extent::Number(distance.div_ceil(step as u64) as i64);
        }
        let (lo, hi) = (self.value_of(lo), self.value_of(hi));
        let some = self.b.ins().icmp(IntCC::SignedLessThan, lo, hi);
        let distance = self.b.ins().isub(hi, lo);
        let iterations = match step {
            Extent::Number(1) => distance,
            _ => {
                let less = self.b.ins().iadd_imm_s(distance, -1);
                let step = self.value_of(step);
                let whole = self.b.ins().udiv(less, step);
                self.b.ins().iadd_imm_s(whole, 1)
            }
        };
        let zero = self.int(0);
        Extent::Value(self.b.ins().select(some, iterations, zero))
    }

    /// An operand that is an integer: a number if that is known.
    pub(super) fn operand(&mut self, v: Value) -> Extent {
        self.index(v)
    }

    pub(super) fn one_i64(&mut self, e: Extent) -> Val {
        Val::One(self.value_of(e))
    }
}
