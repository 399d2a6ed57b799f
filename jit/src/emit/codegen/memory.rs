//! Memory for arrays: where an instruction makes its result, copying, the heap.

use super::sizes::Extent;
use super::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::kernels::Kernel;
use crate::lower::memory::{BufferId, INLINE, Store};
use adc_ir::{Inst, RuntimeError, Scalar, Span, Trap, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, AbiParam, MemFlagsData, Signature, types};
use cranelift_module::Module as _;

impl Emit<'_, '_> {
    /// A function of the table of kernels.
    pub(super) fn kernel(
        &mut self,
        kernel: Kernel,
        args: &[clif::Value],
    ) -> Result<Option<clif::Value>, Refusal> {
        self.linker.heavy = true;
        let (symbol, params, bits) = kernel.signature();
        let call_conv = self.linker.code.module().isa().default_call_conv();
        let id = self.linker.import(symbol, || {
            let mut signature = Signature::new(call_conv);
            signature.params = vec![AbiParam::new(types::I64); params];
            let result = match bits {
                64 => Some(types::I64),
                32 => Some(types::I32),
                _ => None,
            };
            signature.returns = result.into_iter().map(AbiParam::new).collect();
            signature
        })?;
        let f = self.function(id);
        let call = self.b.ins().call(f, args);
        Ok(self.b.inst_results(call).first().copied())
    }

    /// Where an instruction is to make an array; heap memory is taken.
    pub(super) fn place_for(&mut self, v: Value, span: Span) -> Result<clif::Value, Refusal> {
        let b = self.plan.memory.made(v).expect("the plan has memory for it");
        self.buffer(b, span)
    }

    /// The address of a buffer that comes into use.
    pub(super) fn buffer(&mut self, id: BufferId, span: Span) -> Result<clif::Value, Refusal> {
        let plan = self.plan;
        let buffer = plan.memory.buffer(id);
        Ok(match buffer.store {
            Store::Frame(at) => self.b.ins().iadd_imm_s(self.areas.frame, (plan.arrays + at) as i64),
            Store::Output(at) => {
                let flags = MemFlagsData::trusted().with_readonly().with_can_move();
                self.b.ins().load(types::I64, flags, self.areas.output, at as i32)
            }
            Store::Row | Store::Turn => match (self.rows.get(&id), plan.memory.row_results.get(&id)) {
                (Some(at), _) => *at,
                // Of a loop that a driver counts.
                (None, _) if plan.rows.contains_key(&id) => {
                    let at = plan.rows[&id] as i32;
                    self.b.ins().load(types::I64, MemFlagsData::trusted(), self.areas.frame, at)
                }
                // Of an `if` that a driver decides.
                (None, Some(result)) => self.val(*result).one(),
                (None, None) => unreachable!("a row is made where its loop is"),
            },
            Store::Carry(p) => self.val(p).one(),
            Store::Heap => {
                let bytes = self.bytes(buffer.value, span);
                self.take(bytes, span)?
            }
            Store::Given => unreachable!("who makes it takes the memory"),
        })
    }

    /// The number of bytes of an array about to be made.
    pub(super) fn bytes(&mut self, v: Value, span: Span) -> Extent {
        let shape = self.plan.memory.shape(v);
        let elem = self.plan.func.ty(v).scalar().bytes() as i64;
        let mut bytes = Extent::Number(elem);
        for d in shape {
            let d = self.extent(d);
            bytes = match (bytes, d) {
                (Extent::Number(a), Extent::Number(b)) => Extent::Number(a.saturating_mul(b.max(0))),
                (a, b) => {
                    let (a, b) = (self.value_of(a), self.value_of(b));
                    let (product, overflow) = self.b.ins().umul_overflow(a, b);
                    self.refuse(overflow, Trap::OutOfMemory, span);
                    Extent::Value(product)
                }
            };
        }
        bytes
    }

    /// Memory from the heap.
    pub(super) fn take(&mut self, bytes: Extent, span: Span) -> Result<clif::Value, Refusal> {
        let bytes = self.value_of(bytes);
        let got = self.kernel(Kernel::Take, &[self.areas.context, bytes])?.expect("it returns an address");
        let none = self.b.ins().icmp_imm_s(IntCC::Equal, got, 0);
        self.refuse(none, Trap::OutOfMemory, span);
        Ok(got)
    }

    /// Gives heap memory back.
    pub(super) fn give(&mut self, buffers: &[BufferId]) -> Result<(), Refusal> {
        for b in buffers {
            let v = self.plan.memory.buffer(*b).value;
            let spare = self.plan.memory.made(v) == Some(*b);
            let at = match self.aside.get(&v) {
                Some(at) if spare => *at,
                _ => self.val(v).one(),
            };
            self.kernel(Kernel::Give, &[self.areas.context, at])?;
        }
        Ok(())
    }

    /// Gives back what is not needed after an instruction.
    pub(super) fn give_after(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let plan = self.plan;
        self.give(plan.memory.frees_after(inst))
    }

    /// The number of bytes of an array that is there.
    pub(super) fn size_of(&mut self, v: Value) -> Extent {
        let plan = self.plan;
        let count = self.count(plan.memory.shape(v));
        self.times(count, Extent::Number(plan.func.ty(v).scalar().bytes() as i64))
    }

    /// Copies bytes between places that are the same, or do not overlap unless `bytes` are more than a call is worth.
    pub(super) fn copy(&mut self, to: clif::Value, from: clif::Value, bytes: Extent) -> Result<(), Refusal> {
        if to == from {
            return Ok(());
        }
        match bytes {
            Extent::Number(n) if n <= INLINE as i64 => {
                // All loads come first: what overlaps is copied rightly, too.
                let parts = pieces(n);
                let loaded: Vec<clif::Value> = parts
                    .iter()
                    .map(|(at, ty)| self.b.ins().load(*ty, MemFlagsData::new().with_notrap(), from, *at))
                    .collect();
                for ((at, _), x) in parts.iter().zip(loaded) {
                    self.b.ins().store(MemFlagsData::new().with_notrap(), x, to, *at);
                }
            }
            _ => {
                let bytes = self.value_of(bytes);
                self.kernel(Kernel::Copy, &[to, from, bytes])?;
            }
        }
        Ok(())
    }

    /// Sets bytes to 0.
    pub(super) fn clear(&mut self, to: clif::Value, bytes: Extent) -> Result<(), Refusal> {
        match bytes {
            Extent::Number(n) if n <= INLINE as i64 => {
                for (at, ty) in pieces(n) {
                    let zero = match ty {
                        types::I8X16 => {
                            let zero = self.b.ins().iconst(types::I64, 0);
                            let two = self.b.ins().splat(types::I64X2, zero);
                            let flags = MemFlagsData::new()
                                .with_endianness(cranelift_codegen::ir::Endianness::Little);
                            self.b.ins().bitcast(types::I8X16, flags, two)
                        }
                        ty => self.b.ins().iconst(ty, 0),
                    };
                    self.b.ins().store(MemFlagsData::new().with_notrap(), zero, to, at);
                }
            }
            _ => {
                let bytes = self.value_of(bytes);
                self.kernel(Kernel::Zero, &[to, bytes])?;
            }
        }
        Ok(())
    }

    /// Copies an array.
    pub(super) fn copy_array(&mut self, to: clif::Value, v: Value) -> Result<(), Refusal> {
        let bytes = self.size_of(v);
        let from = self.val(v).one();
        self.copy(to, from, bytes)
    }

    /// The array to write into: its operand where the plan says so, else a copy.
    pub(super) fn writable(
        &mut self,
        result: Value,
        from: Value,
        span: Span,
    ) -> Result<clif::Value, Refusal> {
        match self.plan.memory.made(result) {
            None => Ok(self.val(from).one()),
            Some(b) => {
                let to = self.buffer(b, span)?;
                self.copy_array(to, from)?;
                Ok(to)
            }
        }
    }

    /// An element, as it lies in arrays.
    pub(super) fn load_element(&mut self, elem: Scalar, at: clif::Value) -> Val {
        self.load(elem.into(), MemFlagsData::trusted(), at, 0)
    }

    pub(super) fn store_element(&mut self, elem: Scalar, val: Val, at: clif::Value) {
        let size = elem.real().bytes() as i32;
        for (k, x) in val.parts().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), x, at, k as i32 * size);
        }
    }

    /// Stores a scalar, or copies an array, that the region yields.
    pub(super) fn write(&mut self, v: Value, at: clif::Value) -> Result<(), Refusal> {
        if self.plan.func.ty(v).is_array() {
            return self.copy_array(at, v);
        }
        let val = self.val(v);
        self.store_element(self.ty(v), val, at);
        Ok(())
    }

    /// A result of the function that the caller has no memory for: its own memory, or a copy on the heap.
    pub(super) fn hand_over(&mut self, k: usize, v: Value) -> Result<clif::Value, Refusal> {
        if self.plan.memory.handed_over[k] {
            return Ok(self.val(v).one());
        }
        let bytes = self.size_of(v);
        let to = self.take(bytes, self.plan.func.span)?;
        self.copy_array(to, v)?;
        Ok(to)
    }

    /// Leaves the function with an error, whatever comes.
    pub(super) fn fail_here(&mut self, trap: Trap, span: Span) {
        let status = self.linker.status(RuntimeError { trap, span });
        let status = self.b.ins().iconst(types::I32, status);
        self.b.ins().return_(&[status]);
        let next = self.b.create_block();
        self.b.switch_to_block(next);
    }
}

/// Loads and stores that make up so many bytes.
fn pieces(bytes: i64) -> Vec<(i32, clif::Type)> {
    let mut parts = Vec::new();
    let mut at = 0;
    for (size, ty) in [(16, types::I8X16), (8, types::I64), (4, types::I32), (1, types::I8)] {
        while bytes - at >= size {
            parts.push((at as i32, ty));
            at += size;
        }
    }
    parts
}
