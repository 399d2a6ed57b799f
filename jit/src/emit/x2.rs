//! Strips two lanes at a time, through Cranelift's 128-bit vectors.
//!
//! The main loop computes several pairs of elements an iteration, as many as keep the machine busy, together in loops inside; the remaining
//! elements run pair by pair, element by element in memory, and an odd last one stands in both lanes. No
//! element outside the streams is touched. The main loop keeps the 16 partials of a sum in eight registers where the body is small and
//! cannot exit.

mod arithmetic;
mod body;
mod loops;

use super::owner::CodeMemory;
use crate::externs::Externs;
use crate::lower::strips::*;
use crate::math::{self, Native};
use crate::options::Effort;
use adc_ir::{Code, Diagnostic};
use cranelift::prelude::{FunctionBuilder, FunctionBuilderContext, InstBuilder};
use cranelift_codegen::Context;
use cranelift_codegen::ir::{self as clif, AbiParam, MemFlagsData, Signature, types};
use cranelift_codegen::isa::CallConv;
use cranelift_module::{DataDescription, FuncId as NativeId, Linkage, Module as _, ModuleError};
use rustc_hash::FxHashMap;

/// Compiles strips to code for two lanes.
#[derive(Clone, Copy, Debug)]
pub struct CraneliftX2 {
    /// Runs Cranelift's verifier.
    pub verify: bool,
}

/// Whether this machine has what strips are made of: a fused multiply-add of vectors.
pub(crate) fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

/// The native functions a strip calls, each once, with the number of operands; `None` if there is one that cannot be called lane by lane.
pub(super) fn callees(strip: &Strip) -> Option<Vec<(Callee, usize)>> {
    let mut list = Vec::new();
    for op in &strip.ops {
        let call = match *op {
            SOp::Call(f, _, None) | SOp::Rare { f, z: None, .. } => (f, 1),
            SOp::Call(f, _, Some(_)) | SOp::Rare { f, z: Some(_), .. } => (f, 2),
            _ => continue,
        };
        match (math::real_row(call.0.0)?.native, call.1) {
            (Native::R1(_), 1) | (Native::R2(_), 2) => {}
            _ => return None,
        }
        if !list.contains(&call) {
            list.push(call);
        }
    }
    Some(list)
}

impl StripBackend for CraneliftX2 {
    fn supports(&self, strip: &Strip) -> bool {
        available() && strip.check().is_ok() && callees(strip).is_some()
    }

    fn begins_anywhere(&self, _: &Strip) -> bool {
        false
    }

    fn compile(&mut self, strip: &Strip) -> Result<Box<dyn StripCode>, Diagnostic> {
        let supported = self.supports(strip);
        alone(supported, self.verify, |memory, id| {
            let (mut context, mut builder) = (Context::new(), FunctionBuilderContext::new());
            define(memory.module(), id, strip, &mut context, &mut builder, false).map(drop)
        })
    }
}

/// Code of one strip, in memory of its own.
pub(super) fn alone(
    supported: bool,
    verify: bool,
    define: impl FnOnce(&mut CodeMemory, NativeId) -> Result<(), Box<ModuleError>>,
) -> Result<Box<dyn StripCode>, Diagnostic> {
    let refused =
        |e: &dyn std::fmt::Display| Diagnostic::error(Code::Unsupported, format!("a strip was refused: {e}"));
    if !supported {
        return Err(refused(&"the machine or an operation does not allow it"));
    }
    let mut memory = CodeMemory::new(&Externs::new(), verify, Effort::Full)?;
    let id =
        memory.module().declare_function("strip", Linkage::Local, &signature()).map_err(|e| refused(&e))?;
    define(&mut memory, id).map_err(|e| refused(&e))?;
    memory.module().finalize_definitions().map_err(|e| refused(&e))?;
    let code = memory.module().get_finalized_function(id);
    // SAFETY: the function was generated with the signature of `StripFn`.
    let code = unsafe { std::mem::transmute::<*const u8, StripFn>(code) };
    Ok(Box::new(Compiled { code, _memory: memory }))
}

/// The one signature of all strips: tables of bases and scalar slots, the first element and the end; gives the first element not done.
#[cfg(target_arch = "x86_64")]
type StripFn = unsafe extern "sysv64" fn(*const *mut u8, *mut f64, usize, usize) -> usize;
#[cfg(not(target_arch = "x86_64"))]
type StripFn = unsafe extern "C" fn(*const *mut u8, *mut f64, usize, usize) -> usize;

struct Compiled {
    code: StripFn,
    _memory: CodeMemory,
}

impl StripCode for Compiled {
    unsafe fn run(&self, bases: *const *mut u8, scalars: *mut f64, from: usize, to: usize) -> usize {
        // SAFETY: the caller's promises are those the code was generated for; its memory lives as long as `self`.
        unsafe { (self.code)(bases, scalars, from, to) }
    }
}

/// The signature of a strip's function.
pub(crate) fn signature() -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = vec![AbiParam::new(types::I64); 4];
    signature.returns = vec![AbiParam::new(types::I64)];
    signature
}

/// Generates the function of a strip, which [`StripBackend::supports`] took. If it is to be shown, gives its Cranelift IR, and leaves its
/// assembly in the context.
pub(crate) fn define(
    module: &mut dyn cranelift_module::Module,
    id: NativeId,
    strip: &Strip,
    context: &mut Context,
    builder: &mut FunctionBuilderContext,
    shown: bool,
) -> Result<Option<String>, Box<ModuleError>> {
    module.clear_context(context);
    context.set_disasm(shown);
    context.func.signature = signature();
    context.func.name = clif::UserFuncName::user(0, id.as_u32());
    let mut natives = FxHashMap::default();
    for (f, operands) in callees(strip).unwrap_or_default() {
        let row = math::real_row(f.0).expect("the strip is supported");
        let mut signature = Signature::new(module.isa().default_call_conv());
        signature.params = vec![AbiParam::new(types::F64); operands];
        signature.returns = vec![AbiParam::new(types::F64)];
        let id = module.declare_function(row.symbol, Linkage::Import, &signature)?;
        natives.insert(f, module.declare_func_in_func(id, &mut context.func));
    }
    let mut tables = FxHashMap::default();
    for op in &strip.ops {
        if let SOp::Entry(column, _) = *op
            && !tables.contains_key(&column)
        {
            tables.insert(column, table(module, column, &mut context.func)?);
        }
    }
    let config = module.target_config();
    let mut b = FunctionBuilder::new(&mut context.func, builder);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let [table, slots, from, to] = *b.block_params(entry) else {
        unreachable!("a strip has four parameters")
    };
    let trusted = MemFlagsData::trusted();
    let bases: Vec<_> =
        (0..strip.bases() as i32).map(|k| b.ins().load(types::I64, trusted, table, 8 * k)).collect();
    let scalars: Vec<_> = (0..strip.scalars)
        .map(|k| {
            let ty = if strip.is_integer(k) { types::I64 } else { types::F64 };
            b.ins().load(ty, trusted, slots, 8 * k as i32)
        })
        .collect();
    let operands = Operands { bases: &bases, scalars: &scalars, slots, from, to };
    loops::emit(&mut b, strip, &operands, &Natives { functions: natives, tables });
    b.seal_all_blocks();
    b.finalize(config);
    let clif = shown.then(|| context.func.display().to_string());
    module.define_function(id, context)?;
    Ok(clif)
}

/// What a strip is run on: a pointer per base, a number or (for strides) an integer per slot, the table of slots, the first element and the
/// end.
pub(super) struct Operands<'a> {
    pub bases: &'a [clif::Value],
    pub scalars: &'a [clif::Value],
    pub slots: clif::Value,
    pub from: clif::Value,
    pub to: clif::Value,
}

/// What is outside, declared in the function that is generated.
pub(super) struct Natives {
    pub functions: FxHashMap<Callee, clif::FuncRef>,
    pub tables: FxHashMap<Column, clif::GlobalValue>,
}

/// A column of a table, which the module has once.
fn table(
    module: &mut dyn cranelift_module::Module,
    column: Column,
    func: &mut clif::Function,
) -> Result<clif::GlobalValue, Box<ModuleError>> {
    let id = module.declare_data(&format!("adc-table:{column:?}"), Linkage::Local, false, false)?;
    let mut data = DataDescription::new();
    data.define(column.numbers().flat_map(f64::to_le_bytes).collect());
    data.set_align(64);
    match module.define_data(id, &data) {
        Ok(()) | Err(ModuleError::DuplicateDefinition(_)) => {}
        Err(e) => return Err(e.into()),
    }
    // In memory of this process it may be out of reach.
    let near = module.isa().flags().is_pic();
    let name = clif::UserExternalName::new(1, id.as_u32());
    let name = clif::ExternalName::user(func.declare_imported_user_function(name));
    let (offset, tls) = (0.into(), false);
    Ok(func.create_global_value(clif::GlobalValueData::Symbol { name, offset, colocated: near, tls }))
}
