//! Calls: native functions of the runtime, other IR functions, extern functions.

use super::scalar::{At, X};
use super::sizes::Extent;
use super::{Areas, Emit, Target, Val, part_type};
use crate::closures::{self, Bound};
use crate::emit::linker::{Linker, Refusal};
use crate::emit::owner::EXTERN;
use crate::lower::memory::Store;
use crate::lower::plan::{Home, Plan};
use crate::math::{self, Native, Row};
use adc_ir::{Body, Func, FuncId, Inst, Module, RuntimeError, Scalar, Span, Trap, Type};
use cranelift::prelude::{FunctionBuilder, InstBuilder};
use cranelift_codegen::ir::{
    self as clif, AbiParam, MemFlagsData, Signature, StackSlotData, StackSlotKind, types,
};
use cranelift_module::{Linkage, Module as _};
use smallvec::SmallVec;
use std::mem::offset_of;

/// The function of an extern declaration as an entry: cells in, native call, cells out.
pub(crate) fn extern_entry(
    target: Target,
    linker: &mut Linker,
    plan: &Plan,
    of: FuncId,
) -> Result<(), Refusal> {
    let (func, context, slots) = target;
    let config = linker.code.module().target_config();
    let mut b = FunctionBuilder::new(func, context);
    let (areas, _) = Areas::open(&mut b);
    let module = &Module::default();
    let mut emit = Emit::new((b, slots), module, linker, plan, of, 0, areas);
    let callee = plan.func;
    let dims = callee.dims.iter().map(|_| Type::I64);
    let mut args = Vec::with_capacity(callee.params.len());
    let mut at = 0;
    for ty in dims.chain((0..callee.params.len()).map(|i| callee.param_ty(i))) {
        args.push(emit.load(ty, MemFlagsData::trusted(), areas.input, at));
        at += 8 * crate::cells::cells_of(ty) as u32;
    }
    let mut outs = Vec::with_capacity(callee.results.len());
    let mut at = 0;
    for r in &callee.results {
        if r.ty.is_array() {
            outs.push(emit.b.ins().load(types::I64, MemFlagsData::trusted(), areas.output, at));
        } else {
            // The native function writes a part of the cell only, where the type is small.
            let zero = emit.b.ins().iconst(types::I64, 0);
            emit.b.ins().store(MemFlagsData::trusted(), zero, areas.output, at);
            outs.push(emit.b.ins().iadd_imm_s(areas.output, at as i64));
        }
        at += 8 * crate::cells::cells_of(r.ty) as i32;
    }
    emit.native_call(callee, &args, &outs, callee.span)?;
    for (r, at) in callee.results.iter().zip(&outs) {
        // Sizes that depend on dimensions are the business of `Compiled::call_extern`.
        let count = crate::lower::memory::bytes(&r.shape, 1);
        if let (true, Some(n)) = (r.ty.is_array() && r.ty.scalar() == Scalar::Bool, count) {
            emit.truth(*at, Extent::Number(n as i64))?;
        }
    }
    emit.end(config);
    Ok(())
}

impl Emit<'_, '_> {
    /// A call of an IR function or, directly, of an extern one.
    pub(super) fn call(&mut self, callee: FuncId, inst: &Inst) -> Result<(), Refusal> {
        let func = self.module.func(callee);
        let frame = self.areas.frame;
        // Results stay where the callee writes them, and are loaded where they are used.
        let home = |v: &adc_ir::Value| match self.plan.homes[v.0 as usize] {
            Some(Home::Frame(at)) => at as i64,
            Some(Home::Input(_)) | None => unreachable!("results of calls live in the frame"),
        };
        let outs: SmallVec<[i64; 4]> = inst.results.iter().map(home).collect();
        // The caller has memory for arrays but those whose size only the callee knows.
        let is_array = |v: &adc_ir::Value| self.plan.func.ty(*v).is_array();
        let arrays: SmallVec<[usize; 4]> =
            (0..inst.results.len()).filter(|k| is_array(&inst.results[*k])).collect();
        let native = func.region().is_none();
        let mut places: SmallVec<[(usize, clif::Value); 4]> = SmallVec::new();
        for k in arrays {
            let v = inst.results[k];
            let given =
                self.plan.memory.made(v).map(|b| self.plan.memory.buffer(b).store) == Some(Store::Given);
            if !given {
                places.push((k, self.place_for(v, inst.span)?));
            }
        }
        if native {
            let args: Vec<Val> = inst.args.iter().map(|v| self.val(*v)).collect();
            let mut natives: Vec<clif::Value> =
                outs.iter().map(|at| self.b.ins().iadd_imm_s(frame, *at)).collect();
            places.iter().for_each(|(k, at)| natives[*k] = *at);
            self.native_call(func, &args, &natives, inst.span)?;
            for (k, at) in places {
                let v = inst.results[k];
                if self.ty(v) == Scalar::Bool {
                    let count = self.count(self.plan.memory.shape(v));
                    self.truth(at, count)?;
                }
                self.define(v, Val::One(at));
            }
            return Ok(());
        }
        let mut at = self.plan.arguments;
        for v in &inst.args {
            let ty = self.plan.func.ty(*v);
            let val = self.val(*v);
            self.store(ty, val, frame, at);
            at += 8 * crate::cells::cells_of(ty) as u32;
        }
        // Stored where the callee finds them, which is where they stay.
        for (k, at) in places {
            self.define(inst.results[k], Val::One(at));
        }
        self.linker.heavy |= !self.linker.light.contains(&callee);
        let entry = *self.linker.units[&callee].last().expect("a function has an entry");
        let f = self.function(entry);
        let input = self.b.ins().iadd_imm_s(frame, self.plan.arguments as i64);
        let output = self.b.ins().iadd_imm_s(frame, outs.first().copied().unwrap_or(0));
        let below = self.b.ins().iadd_imm_s(frame, self.plan.frame as i64);
        let call = self.b.ins().call(f, &[self.areas.context, input, output, below]);
        let status = self.b.inst_results(call)[0];
        self.propagate(status);
        Ok(())
    }

    /// Makes 1 of every truth value that native code wrote as another number.
    fn truth(&mut self, at: clif::Value, count: Extent) -> Result<(), Refusal> {
        self.repeat(count, |e, k| {
            let at = e.offset(at, Extent::Value(k));
            let val = e.load_element(Scalar::Bool, at);
            e.store_element(Scalar::Bool, val, at);
            Ok(())
        })
    }

    /// Calls the native function of an extern declaration, which writes its results to `outs`.
    fn native_call(
        &mut self,
        callee: &Func,
        args: &[Val],
        outs: &[clif::Value],
        span: Span,
    ) -> Result<(), Refusal> {
        let Body::Extern(symbol) = &callee.body else { unreachable!("`{}` is not extern", callee.name) };
        self.linker.heavy = true;
        let status = match self.linker.code.closure(symbol, callee) {
            Some(closure) => self.closure_call(closure, callee, args, outs),
            None => self.symbol_call(symbol, callee, args, outs)?,
        };
        let (next, fail) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(status, fail, &[], next, &[]);
        self.b.set_cold_block(fail);
        self.b.switch_to_block(fail);
        let at = offset_of!(crate::context::Context, extern_status) as i32;
        self.b.ins().store(MemFlagsData::trusted(), status, self.areas.context, at);
        // The status is filled in when the error is reported.
        let trap = Trap::Extern { name: symbol.clone(), status: 0 };
        let index = self.linker.status(RuntimeError { trap, span });
        let index = self.b.ins().iconst(types::I32, index);
        self.b.ins().return_(&[index]);
        self.b.switch_to_block(next);
        Ok(())
    }

    /// Calls a closure by way of [`closures::enter`]; its status.
    fn closure_call(
        &mut self,
        closure: *const Bound,
        callee: &Func,
        args: &[Val],
        outs: &[clif::Value],
    ) -> clif::Value {
        let types = callee.dims.iter().map(|_| Type::I64);
        let types: SmallVec<[Type; 8]> =
            types.chain((0..callee.params.len()).map(|i| callee.param_ty(i))).collect();
        let cells = types.iter().map(|ty| crate::cells::cells_of(*ty)).sum::<usize>() + outs.len();
        let size = 8 * cells.max(1) as u32;
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3));
        let base = self.b.ins().stack_addr(types::I64, slot, 0);
        let mut at = 0;
        for (ty, val) in types.into_iter().zip(args) {
            self.store(ty, *val, base, at);
            at += 8 * crate::cells::cells_of(ty) as u32;
        }
        for out in outs {
            self.b.ins().store(MemFlagsData::trusted(), *out, base, at as i32);
            at += 8;
        }
        let mut signature = self.linker.code.module().make_signature();
        signature.params.extend([AbiParam::new(types::I64); 2]);
        signature.returns.push(AbiParam::new(types::I32));
        let signature = self.b.import_signature(signature);
        let enter = self.b.ins().iconst(types::I64, closures::enter as *const () as i64);
        let closure = self.b.ins().iconst(types::I64, closure.expose_provenance() as i64);
        let call = self.b.ins().call_indirect(signature, enter, &[closure, base]);
        self.b.inst_results(call)[0]
    }

    /// Calls a native function by its symbol; its status.
    fn symbol_call(
        &mut self,
        symbol: &str,
        callee: &Func,
        args: &[Val],
        outs: &[clif::Value],
    ) -> Result<clif::Value, Refusal> {
        let mut signature = self.linker.code.module().make_signature();
        signature.params.extend(callee.dims.iter().map(|_| AbiParam::new(types::I64)));
        for i in 0..callee.params.len() {
            let s = callee.param_ty(i).scalar();
            if callee.param_ty(i).is_array() {
                signature.params.push(AbiParam::new(types::I64));
                continue;
            }
            let param = AbiParam::new(part_type(s));
            match s {
                Scalar::Bool => signature.params.push(param.uext()),
                Scalar::I64 | Scalar::F32 | Scalar::F64 => signature.params.push(param),
                Scalar::C64 | Scalar::C128 => signature.params.extend([param, param]),
            }
        }
        signature.params.extend(outs.iter().map(|_| AbiParam::new(types::I64)));
        signature.returns.push(AbiParam::new(types::I32));
        // Declared at each call, so that two declarations of different types are found out.
        let name = format!("{EXTERN}{symbol}");
        let id = self.linker.code.module().declare_function(&name, Linkage::Import, &signature)?;
        let f = self.function(id);
        let args: Vec<clif::Value> =
            args.iter().flat_map(|a| a.parts()).chain(outs.iter().copied()).collect();
        let call = self.b.ins().call(f, &args);
        Ok(self.b.inst_results(call)[0])
    }

    /// The op's native function: the real one of real operands, else the complex one. Always in double
    /// precision, the result rounded once.
    pub(super) fn elementary(&mut self, at: At, x: &[X]) -> Result<Val, Refusal> {
        let mut args: SmallVec<[clif::Value; 5]> = SmallVec::new();
        let real = x.iter().all(|x| matches!(x, X::Real(_)));
        for x in x {
            let x = if real { *x } else { self.widen(*x) };
            match x {
                X::Real(a) => args.push(self.convert(a, at.single, Scalar::F64)),
                X::Complex(re, im) => {
                    args.push(self.convert(re, at.single, Scalar::F64));
                    args.push(self.convert(im, at.single, Scalar::F64));
                }
                X::Bool(_) | X::Int(_) => panic!("`{}` does not take {x:?}", at.op),
            }
        }
        let row = if real { math::real_row(at.op) } else { math::complex_row(at.op) };
        self.native_op(at, row, args)
    }

    /// As [`Self::elementary`], with an integer operand.
    pub(super) fn elementary_int(&mut self, at: At, n: clif::Value, x: X) -> Result<Val, Refusal> {
        let (row, parts): (_, SmallVec<[clif::Value; 2]>) = match x {
            X::Real(a) => (math::real_row(at.op), [a].into_iter().collect()),
            X::Complex(re, im) => (math::complex_row(at.op), [re, im].into_iter().collect()),
            X::Bool(_) | X::Int(_) => panic!("`{}` does not take {x:?}", at.op),
        };
        let mut args: SmallVec<[clif::Value; 5]> = [n].into_iter().collect();
        args.extend(parts.into_iter().map(|p| self.convert(p, at.single, Scalar::F64)));
        self.native_op(at, row, args)
    }

    fn native_op(
        &mut self,
        at: At,
        row: Option<Row>,
        mut args: SmallVec<[clif::Value; 5]>,
    ) -> Result<Val, Refusal> {
        let row = row.unwrap_or_else(|| panic!("`{}` of such operands is no native function", at.op));
        let f = self.native(row)?;
        match row.native {
            Native::R1(_) | Native::R2(_) | Native::Int(_) | Native::ToReal(_) => {
                let call = self.b.ins().call(f, &args);
                let y = self.b.inst_results(call)[0];
                Ok(Val::One(self.convert(y, false, at.out)))
            }
            Native::C1(_) | Native::C2(_) | Native::IntC(_) => {
                let out = self.scratch();
                args.push(out);
                self.b.ins().call(f, &args);
                let re = self.b.ins().load(types::F64, MemFlagsData::trusted(), out, 0);
                let im = self.b.ins().load(types::F64, MemFlagsData::trusted(), out, 8);
                let re = self.convert(re, false, at.out);
                Ok(Val::Two(re, self.convert(im, false, at.out)))
            }
            Native::Both(_) | Native::IntPower(_) => panic!("`{}` has no row of that form", at.op),
        }
    }

    /// A function of the runtime.
    pub(super) fn native(&mut self, row: Row) -> Result<clif::FuncRef, Refusal> {
        use types::{F64, I32, I64};
        let (params, results): (&[clif::Type], &[clif::Type]) = match row.native {
            Native::R1(_) => (&[F64], &[F64]),
            Native::R2(_) | Native::ToReal(_) => (&[F64, F64], &[F64]),
            // A C structure of two doubles is returned as two doubles are.
            Native::Both(_) => (&[F64], &[F64, F64]),
            Native::Int(_) => (&[I64, F64], &[F64]),
            Native::C1(_) => (&[F64, F64, I64], &[]),
            Native::C2(_) => (&[F64, F64, F64, F64, I64], &[]),
            Native::IntC(_) => (&[I64, F64, F64, I64], &[]),
            Native::IntPower(_) => (&[I64, I64, I64], &[I32]),
        };
        let call_conv = self.linker.code.module().isa().default_call_conv();
        let id = self.linker.import(row.symbol, || {
            let mut signature = Signature::new(call_conv);
            signature.params = params.iter().map(|t| AbiParam::new(*t)).collect();
            signature.returns = results.iter().map(|t| AbiParam::new(*t)).collect();
            signature
        })?;
        Ok(self.function(id))
    }

    /// The address of two words on the native stack.
    pub(super) fn scratch(&mut self) -> clif::Value {
        let slot = *self.refs.scratch.get_or_insert_with(|| {
            self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 3))
        });
        self.b.ins().stack_addr(types::I64, slot, 0)
    }
}
