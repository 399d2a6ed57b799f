//! Ownership of executable memory, and the target it is generated for.
//!
//! `JITModule` leaks its memory when dropped; [`CodeMemory`] frees it, with the last handle that could run it.

use crate::closures::Bound;
use crate::externs::Externs;
use crate::math;
use crate::options::Effort;
use adc_ir::{Code, Diagnostic, Func};
use cranelift_codegen::isa::{self, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use std::sync::{Arc, Mutex, OnceLock};

/// Prefix of the names under which functions of `extern fn` declarations are imported. No name of the IR or of
/// the runtime holds a colon.
pub(crate) const EXTERN: &str = "extern:";

/// Executable memory, the module that describes it, and the libraries it calls into.
pub(crate) struct CodeMemory {
    /// `None` only while it is dropped. The lock is never contended: nobody touches the module once its code runs.
    module: Mutex<Option<JITModule>>,
    /// Keeps the native functions alive that the code calls.
    externs: Externs,
    /// What calls of closures have the addresses of. Never taken out while the code lives.
    closures: Vec<Arc<Bound>>,
}

impl CodeMemory {
    /// An empty module for this machine. Only symbols of the runtime's table and of `externs` resolve.
    pub fn new(externs: &Externs, verify: bool, effort: Effort) -> Result<CodeMemory, Diagnostic> {
        Ok(CodeMemory::of(host(verify, effort)?, externs))
    }

    fn of(isa: Arc<dyn TargetIsa>, externs: &Externs) -> CodeMemory {
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        let bound = externs.clone();
        builder.symbol_lookup_fn(Box::new(move |name| match name.strip_prefix(EXTERN) {
            Some(symbol) => bound.address(symbol),
            None => math::address_of(name),
        }));
        let module = Mutex::new(Some(JITModule::new(builder)));
        CodeMemory { module, externs: externs.clone(), closures: Vec::new() }
    }

    /// The module, while code is being generated.
    pub fn module(&mut self) -> &mut JITModule {
        let module = self.module.get_mut().unwrap_or_else(|e| e.into_inner());
        module.as_mut().expect("the module is taken in `drop` only")
    }
}

impl CodeMemory {
    /// The address of the closure behind a symbol, for calls of this declaration; `None` if it is no closure. The address is valid
    /// as long as the code.
    pub fn closure(&mut self, symbol: &str, func: &Func) -> Option<*const Bound> {
        let closure = self.externs.closure(symbol)?;
        self.closures.push(Arc::new(Bound::new(closure, func)));
        self.closures.last().map(Arc::as_ptr)
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(|e| e.into_inner());
        if let Some(module) = module.take() {
            // SAFETY: whoever can call into this memory holds an `Arc` of this value (`Compiled` does not give
            // its function pointer away), so nothing runs in it now or later.
            unsafe { module.free_memory() }
        }
    }
}

/// The machine this process runs on, with and without Cranelift's verifier.
fn host(verify: bool, effort: Effort) -> Result<Arc<dyn TargetIsa>, Diagnostic> {
    static TARGETS: [OnceLock<Result<Arc<dyn TargetIsa>, String>>; 4] = [const { OnceLock::new() }; 4];
    let isa = TARGETS[usize::from(verify) + 2 * effort as usize].get_or_init(|| detect(verify, effort));
    isa.clone().map_err(|why| {
        Diagnostic::error(Code::Unsupported, format!("no code can be generated for this machine: {why}"))
    })
}

fn detect(verify: bool, effort: Effort) -> Result<Arc<dyn TargetIsa>, String> {
    let machine = cranelift_native::builder().map_err(str::to_string)?;
    target(machine, verify, effort, false)
}

/// The machine that code of an object file is for, without Cranelift's verifier or with it.
#[cfg(feature = "object")]
pub(crate) fn file_target(cpu: crate::Cpu, verify: bool) -> Result<Arc<dyn TargetIsa>, String> {
    let mut machine = cranelift_native::builder_with_options(cpu == crate::Cpu::Host)?;
    if cpu == crate::Cpu::Baseline && cfg!(target_arch = "x86_64") {
        machine.enable("x86-64-v3").map_err(|e| e.to_string())?;
    }
    target(machine, verify, Effort::Full, true)
}

/// A machine, for code that can be anywhere (`pic`) or that is where its calls can reach.
fn target(
    builder: isa::Builder,
    verify: bool,
    effort: Effort,
    pic: bool,
) -> Result<Arc<dyn TargetIsa>, String> {
    // Without it `floor` and the like would become calls of functions nobody registered.
    #[cfg(target_arch = "x86_64")]
    if !std::is_x86_feature_detected!("sse4.1") {
        return Err("it lacks SSE 4.1".to_string());
    }
    let mut flags = settings::builder();
    let verifier = if verify { "true" } else { "false" };
    let (opt_level, registers) = match effort {
        Effort::Full => ("speed", "backtracking"),
        Effort::Quick => ("none", "single_pass"),
    };
    for (name, value) in [
        ("opt_level", opt_level),
        ("regalloc_algorithm", registers),
        ("enable_verifier", verifier),
        ("is_pic", if pic { "true" } else { "false" }),
        ("use_colocated_libcalls", "false"),
        ("unwind_info", "false"),
        // A frame larger than a page must not step over the stack's guard page.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    builder.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use cranelift::prelude::{AbiParam, FunctionBuilder, FunctionBuilderContext, InstBuilder, types};
    use cranelift_module::{Linkage, Module};

    /// `fma` of three numbers of a type, for this machine without the instruction.
    fn without_instruction(ty: types::Type) -> (CodeMemory, *const u8) {
        let mut machine = cranelift_native::builder().expect("this is one");
        machine.set("has_fma", "false").expect("it is a setting");
        let isa = target(machine, true, Effort::Full, false).expect("it is a target");
        let mut code = CodeMemory::of(isa, &Externs::new());
        let module = code.module();
        let mut context = module.make_context();
        context.func.signature.params = vec![AbiParam::new(ty); 3];
        context.func.signature.returns = vec![AbiParam::new(ty)];
        let mut builder = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut context.func, &mut builder);
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        let [x, y, z] = b.block_params(block)[..] else { unreachable!("it has three parameters") };
        let r = b.ins().fma(x, y, z);
        b.ins().return_(&[r]);
        b.seal_all_blocks();
        b.finalize(module.target_config());
        let id = module.declare_function("f", Linkage::Local, &context.func.signature).expect("it is new");
        module.define_function(id, &mut context).expect("it compiles");
        module.finalize_definitions().expect("everything it calls is known");
        let address = module.get_finalized_function(id);
        (code, address)
    }

    #[test]
    fn fma_without_the_instruction() {
        let (code, f) = without_instruction(types::F64);
        // SAFETY: the code has this signature and lives in `code`.
        let f: extern "C" fn(f64, f64, f64) -> f64 = unsafe { std::mem::transmute(f) };
        let eps = f64::EPSILON;
        assert_eq!(f(1.0 + eps, 1.0 - eps, -1.0), -eps * eps);
        drop(code);
        let (code, f) = without_instruction(types::F32);
        // SAFETY: as above.
        let f: extern "C" fn(f32, f32, f32) -> f32 = unsafe { std::mem::transmute(f) };
        let eps = f32::EPSILON;
        assert_eq!(f(1.0 + eps, (1.0 - eps) * (eps / 2.0), 1.0 + eps), 1.0 + eps);
        drop(code);
    }
}
