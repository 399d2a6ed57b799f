//! Array kinds without regions.

use super::scalar::{At, X};
use super::sizes::Extent;
use super::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::kernels::{self, Kernel};
use adc_ir::{Inst, Kind, LinalgOp, Op, Scalar, Trap, Value, kinds};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, types};

impl Emit<'_, '_> {
    /// An instruction on arrays, or one that makes one.
    pub(super) fn array(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let plan = self.plan;
        let result = inst.results[0];
        let elem = self.ty(result);
        let val = match &inst.kind {
            Kind::Fill => {
                self.checked_sizes(plan.memory.shape(result), inst.span);
                let to = self.place_for(result, inst.span)?;
                self.fill(inst.args[0], result, to)?;
                Val::One(to)
            }
            Kind::Pack => {
                let to = self.place_for(result, inst.span)?;
                let row = self.row_of(result, 1);
                let mut at = Extent::Number(0);
                for v in &inst.args {
                    let place = self.offset(to, at);
                    self.write(*v, place)?;
                    at = self.plus(at, row);
                }
                Val::One(to)
            }
            Kind::Index => {
                let at = self.locate(inst.args[0], &inst.args[1..], inst.span);
                if plan.func.ty(result).is_array() { Val::One(at) } else { self.load_element(elem, at) }
            }
            Kind::Slice => {
                let sizes = self.checked_sizes(plan.memory.shape(result), inst.span);
                Val::One(self.locate_part(inst.args[0], inst.args[1], sizes[0], inst.span))
            }
            Kind::Reshape => {
                self.checked_sizes(plan.memory.shape(result), inst.span);
                self.val(inst.args[0])
            }
            kinds!(Write) => Val::One(self.update(inst)?),
            Kind::Transpose => {
                let to = self.place_for(result, inst.span)?;
                let from = self.val(inst.args[0]).one();
                let shape = plan.memory.shape(inst.args[0]);
                let (n, m) = (self.extent(&shape[0]), self.extent(&shape[1]));
                let (n, m) = (self.value_of(n), self.value_of(m));
                let bytes = self.int(elem.bytes() as i64);
                self.kernel(Kernel::Transpose, &[to, from, n, m, bytes])?;
                Val::One(to)
            }
            Kind::MatMul => self.matmul(inst)?,
            Kind::Linalg(op) => self.linalg(*op, inst)?,
            Kind::Const(_)
            | Kind::Op(_)
            | Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Size(_)
            | kinds!(Loop) => unreachable!("{:?} is no array kind", inst.kind),
        };
        self.define(result, val);
        Ok(())
    }

    /// The bytes behind `depth` indices of an array.
    pub(super) fn row_of(&mut self, v: Value, depth: usize) -> Extent {
        let plan = self.plan;
        let count = self.count(&plan.memory.shape(v)[depth..]);
        self.times(count, Extent::Number(plan.func.ty(v).scalar().bytes() as i64))
    }

    fn fill(&mut self, with: Value, result: Value, to: clif::Value) -> Result<(), Refusal> {
        let plan = self.plan;
        let elem = self.ty(result);
        if plan.consts[with.0 as usize].is_some_and(|c| c.bits().1 == 0 && c.bits().2 == 0) {
            let bytes = self.size_of(result);
            return self.clear(to, bytes);
        }
        let inner = plan.memory.shape(with).len();
        let shape = plan.memory.shape(result);
        let count = self.count(&shape[..shape.len() - inner]);
        let row = self.row_of(result, shape.len() - inner);
        let val = self.val(with);
        self.repeat(count, |e, k| {
            let at = e.times(Extent::Value(k), row);
            let at = e.offset(to, at);
            if inner == 0 {
                e.store_element(elem, val, at);
                return Ok(());
            }
            e.copy_array(at, with)
        })
    }

    fn update(&mut self, inst: &Inst) -> Result<clif::Value, Refusal> {
        let plan = self.plan;
        let (result, array, value) = (inst.results[0], inst.args[0], inst.args[1]);
        let from = self.val(array).one();
        // Checked before anything is copied, as the offset is the same in the copy.
        let at = match inst.kind {
            Kind::Update | Kind::AddAt => self.locate(array, &inst.args[2..], inst.span),
            _ => {
                let len = self.extent(&plan.memory.shape(value)[0]);
                self.locate_part(array, inst.args[2], len, inst.span)
            }
        };
        let to = self.writable(result, array, inst.span)?;
        let at = if to == from {
            at
        } else {
            let offset = self.b.ins().isub(at, from);
            self.b.ins().iadd(to, offset)
        };
        match inst.kind {
            Kind::Update | Kind::UpdateSlice => self.write(value, at)?,
            _ => self.accumulate(Op::Add, inst, value, at)?,
        }
        Ok(to)
    }

    /// What lies at an address, a scalar or an array, combined with a value: `a = op(a, value)`.
    pub(super) fn accumulate(
        &mut self,
        op: Op,
        inst: &Inst,
        value: Value,
        at: clif::Value,
    ) -> Result<(), Refusal> {
        let elem = self.ty(value);
        if !self.plan.func.ty(value).is_array() {
            let (a, b) = (self.load_element(elem, at), self.val(value));
            let sum = self.combine(op, elem, inst, a, b);
            self.store_element(elem, sum, at);
            return Ok(());
        }
        let count = self.count(self.plan.memory.shape(value));
        let from = self.val(value).one();
        if op == Op::Add && matches!(elem, Scalar::F64 | Scalar::C128) {
            let doubles = self.times(count, Extent::Number(elem.bytes() as i64 / 8));
            if self.add_array(at, from, doubles)? {
                return Ok(());
            }
        }
        self.repeat(count, |e, k| {
            let offset = e.times(Extent::Value(k), Extent::Number(elem.bytes() as i64));
            let (to, from) = (e.offset(at, offset), e.offset(from, offset));
            let (a, b) = (e.load_element(elem, to), e.load_element(elem, from));
            let sum = e.combine(op, elem, inst, a, b);
            e.store_element(elem, sum, to);
            Ok(())
        })
    }

    /// `op(a, b)` of elements of one type, for the ops that reductions are made of.
    pub(super) fn combine(&mut self, op: Op, elem: Scalar, inst: &Inst, a: Val, b: Val) -> Val {
        let at = At { op, inst, single: elem.is_single(), out: elem, checked: true };
        let operand = |v: Val| match (elem, v) {
            (Scalar::Bool, Val::One(v)) => X::Bool(v),
            (Scalar::I64, Val::One(v)) => X::Int(v),
            (_, Val::One(v)) => X::Real(v),
            (_, Val::Two(re, im)) => X::Complex(re, im),
        };
        match (op, operand(a), operand(b)) {
            (Op::Add, X::Int(a), X::Int(b)) => self.int_add(at, a, b),
            (Op::Mul, X::Int(a), X::Int(b)) => self.int_mul(at, a, b),
            (Op::Or, X::Bool(a), X::Bool(b)) => Val::One(self.b.ins().bor(a, b)),
            (Op::And, X::Bool(a), X::Bool(b)) => Val::One(self.b.ins().band(a, b)),
            (Op::Add, a, b) => self.add(a, b),
            (Op::Mul, a, b) => self.mul(a, b),
            (Op::Max, a, b) => self.max(a, b),
            (Op::Min, a, b) => self.min(a, b),
            (op, a, b) => panic!("`{op}` of {a:?} and {b:?} is no reduction"),
        }
    }

    /// Runs code for k = 0, 1, … below `count`.
    pub(super) fn repeat(
        &mut self,
        count: Extent,
        body: impl FnOnce(&mut Self, clif::Value) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if let Extent::Number(n) = count
            && n <= 1
        {
            if n == 1 {
                let zero = self.int(0);
                body(self, zero)?;
            }
            return Ok(());
        }
        let mark = self.slots.log.len();
        let (head, end) = (self.b.create_block(), self.b.create_block());
        let k = self.b.append_block_param(head, types::I64);
        let zero = self.int(0);
        let n = self.value_of(count);
        match count {
            Extent::Number(_) => {
                self.b.ins().jump(head, &[zero.into()]);
            }
            Extent::Value(n) => {
                let some = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, n, 0);
                self.b.ins().brif(some, head, &[zero.into()], end, &[]);
            }
        }
        self.b.switch_to_block(head);
        body(self, k)?;
        let next = self.b.ins().iadd_imm_s(k, 1);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, n);
        self.b.ins().brif(more, head, &[next.into()], end, &[]);
        self.b.switch_to_block(end);
        self.slots.forget(mark);
        Ok(())
    }

    fn matmul(&mut self, inst: &Inst) -> Result<Val, Refusal> {
        let plan = self.plan;
        let (result, a, b) = (inst.results[0], inst.args[0], inst.args[1]);
        let (rows, columns) = (plan.memory.shape(a), plan.memory.shape(b));
        let n = if rows.len() == 1 { Extent::Number(1) } else { self.extent(&rows[0]) };
        let k = self.extent(&columns[0]);
        let m = columns.get(1).map_or(Extent::Number(1), |d| self.extent(d));
        let is_array = plan.func.ty(result).is_array();
        let out = if is_array { self.place_for(result, inst.span)? } else { self.scratch() };
        let codes = self.int(kernels::codes_of(self.ty(a), self.ty(b)));
        let (a, b) = (self.val(a).one(), self.val(b).one());
        let [n, k, m] = [n, k, m].map(|e| self.value_of(e));
        let status = self.kernel(Kernel::MatMul, &[codes, out, a, b, n, k, m])?.expect("it returns a status");
        self.kernel_status(status, inst);
        Ok(if is_array { Val::One(out) } else { self.load_element(self.ty(result), out) })
    }

    /// Two products that one call computes ([`are_beside`](crate::lower::products::are_beside)).
    pub(super) fn products(&mut self, first: &Inst, second: &Inst) -> Result<(), Refusal> {
        let shape = self.plan.memory.shape(first.args[0]);
        let [n, k] = [0, 1].map(|axis| self.extent(&shape[axis]));
        let ax = self.place_for(first.results[0], first.span)?;
        let ya = self.place_for(second.results[0], second.span)?;
        let [a, x, y] = [first.args[0], first.args[1], second.args[0]].map(|v| self.val(v).one());
        let [n, k] = [n, k].map(|e| self.value_of(e));
        let status = self.kernel(Kernel::MatMulBoth, &[ax, ya, a, x, y, n, k])?.expect("it returns a status");
        self.kernel_status(status, first);
        self.define(first.results[0], Val::One(ax));
        self.define(second.results[0], Val::One(ya));
        self.give_after(first)?;
        self.give_after(second)
    }

    fn linalg(&mut self, op: LinalgOp, inst: &Inst) -> Result<Val, Refusal> {
        let plan = self.plan;
        let (result, a) = (inst.results[0], inst.args[0]);
        let rhs = inst.args.get(1).copied();
        // The array of factors has a row more.
        let n = self.extent(&plan.memory.shape(a)[1]);
        let m = match rhs {
            Some(b) => plan.memory.shape(b).get(1).map_or(Extent::Number(1), |d| self.extent(d)),
            None => self.extent(&plan.memory.shape(a)[0]),
        };
        let elem = if op.has_rhs() { self.ty(result) } else { self.ty(a) };
        let code = kernels::linalg_code(op, elem, self.ty(a), rhs.map(|b| self.ty(b)));
        let is_array = plan.func.ty(result).is_array();
        let out = if is_array { self.place_for(result, inst.span)? } else { self.scratch() };
        let code = self.int(code);
        let a = self.val(a).one();
        let b = rhs.map_or(a, |b| self.val(b).one());
        let [n, m] = [n, m].map(|e| self.value_of(e));
        let args = [self.areas.context, code, out, a, b, n, m];
        let status = self.kernel(Kernel::Linalg, &args)?.expect("it returns a status");
        self.kernel_status(status, inst);
        Ok(if is_array { Val::One(out) } else { self.load_element(self.ty(result), out) })
    }

    /// What a kernel failed of, if it did.
    fn kernel_status(&mut self, status: clif::Value, inst: &Inst) {
        let (next, fail) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(status, fail, &[], next, &[]);
        self.b.set_cold_block(fail);
        self.b.switch_to_block(fail);
        let singular = self.b.ins().icmp_imm_s(IntCC::Equal, status, kernels::SINGULAR as i64);
        self.refuse(singular, Trap::Singular, inst.span);
        self.fail_here(Trap::OutOfMemory, inst.span);
        // Nobody comes here; a block needs an end.
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }
}
