//! From IR functions to [`Compiled`] ones: what is reachable, in which order, linked how.

use super::codegen::{self, Convention, Slots};
#[cfg(feature = "object")]
use super::linker::LaneLoop;
use super::linker::{Code, Linker, Refusal};
use super::owner::EXTERN;
use super::x2;
use super::x86::{self, X86};
use crate::call::{self, Compiled, MOST_REGISTERS, Stats};
use crate::context::Entry;
use crate::externs::Externs;
use crate::lower::calls::Calls;
use crate::lower::plan::{self, Plan, Step, Unit};
use crate::lower::strips::Strip;
use crate::options::{Options, Simd};
use adc_ir::verify;
use adc_ir::{Diagnostic, FuncId, Module, Type};
use cranelift::prelude::FunctionBuilderContext;
use cranelift_codegen::ir::{AbiParam, Signature, UserExternalName, types};
use cranelift_codegen::{CodegenError, Context};
use cranelift_module::{FuncId as NativeId, Linkage, ModuleError};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bytes of workspace one call may need. Frames hold the values that live across the cuts of a function.
const MAX_FRAME: u64 = 1 << 30;

/// Bytes of native stack one call may need: one unit's registers per active call. Threads have 2 MiB or more.
const MAX_STACK: u64 = 1 << 19;

/// Compiles functions of a module, with everything they call, to native code. All of them share one piece of
/// executable memory.
///
/// The module must pass the IR's verifier.
pub fn compile(
    module: &Module,
    entries: &[FuncId],
    externs: &Externs,
    options: &Options,
) -> Result<Vec<Compiled>, Diagnostic> {
    if cfg!(debug_assertions) {
        verify::assert_valid(module, "code generation");
    }
    let calls = Calls::from(module, entries)?;
    calls.check(module)?;
    externs.check(module, &calls.order)?;
    let mut program = Program::new(module, Linker::new(externs, options)?, options);
    program.define_all(entries, &calls)?;
    program.finish(entries, &calls)
}

/// A function in an object file.
#[cfg(feature = "object")]
pub(crate) struct Defined {
    /// Its entry.
    pub entry: NativeId,
    /// Bytes of frame one call needs.
    pub frame_bytes: usize,
}

/// Generates a function, with everything it calls, into an object file; `prefix` keeps the names of its parts apart from those of
/// other functions there. The module must pass the IR's verifier.
#[cfg(feature = "object")]
pub(crate) fn define(
    module: &Module,
    f: FuncId,
    mut linker: Linker,
    options: &Options,
    prefix: &str,
) -> Result<(Linker, Defined), Diagnostic> {
    if cfg!(debug_assertions) {
        verify::assert_valid(module, "code generation");
    }
    let calls = Calls::from(module, &[f])?;
    calls.check(module)?;
    linker.units.clear();
    linker.light.clear();
    let mut program = Program { prefix: prefix.to_string(), ..Program::new(module, linker, options) };
    program.define_all(&[f], &calls)?;
    let entry = *program.linker.units[&f].last().expect("a function has an entry");
    let defined = Defined { entry, frame_bytes: program.built[&f].frame_bytes };
    Ok((program.linker, defined))
}

/// What a function's code is made of, with everything it calls, in vectors of 128 bits and, on x86-64, for its third level. So the numbers
/// are the same on every machine of an architecture.
#[cfg(feature = "object")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Measure {
    /// Bytes of machine code and constants.
    pub code_bytes: usize,
    /// Bytes of workspace that one call needs.
    pub frame_bytes: usize,
    /// Cranelift instructions outside loops in lanes.
    pub scalar_insts: usize,
    /// The loops in lanes, or the parts of loops.
    pub lanes: Vec<LaneLoop>,
}

/// Measures a function. The module must pass the IR's verifier.
///
/// # Errors
/// What [`compile`] refuses; a machine for which no object files can be written.
#[cfg(feature = "object")]
pub fn measure(module: &Module, f: FuncId) -> Result<Measure, Diagnostic> {
    use super::owner::file_target;
    use crate::options::Cpu;
    let options = Options { simd: Simd::Baseline, ..Options::default() };
    let unsupported = |why: String| Diagnostic::error(adc_ir::Code::Unsupported, why);
    let target = file_target(Cpu::Baseline, options.verify).map_err(unsupported)?;
    let names = cranelift_module::default_libcall_names();
    let builder = cranelift_object::ObjectBuilder::new(target, "adc", names);
    let object = cranelift_object::ObjectModule::new(builder.map_err(|e| refused("the file", e))?);
    let calls = Calls::from(module, &[f])?;
    calls.check(module)?;
    let mut program = Program::new(module, Linker::of(Code::Object(Box::new(object)), &options), &options);
    program.define_all(&[f], &calls)?;
    let frame_bytes = program.built[&f].frame_bytes;
    let code_bytes = program.built.values().map(|s| s.code_bytes).sum();
    let lanes = std::mem::take(&mut program.linker.lanes);
    Ok(Measure { code_bytes, frame_bytes, scalar_insts: program.scalar_insts, lanes })
}

/// The strips that loops of these functions become, with those of everything they call, on a machine with vectors of 128 bits.
///
/// # Errors
/// What [`compile`] refuses.
pub fn strips_of(module: &Module, entries: &[FuncId]) -> Result<Vec<Strip>, Diagnostic> {
    let options = Options { simd: Simd::Baseline, effort: crate::Effort::Quick, ..Options::default() };
    let calls = Calls::from(module, entries)?;
    let mut program = Program::new(module, Linker::new(&Externs::new(), &options)?, &options);
    program.define_all(entries, &calls)?;
    Ok(program.linker.strips())
}

/// The text of one function's units. Callees and native functions are named, not compiled.
pub(crate) fn listing(module: &Module, f: FuncId, options: &Options) -> Result<Vec<Listing>, Diagnostic> {
    Calls::from(module, &[f])?.check(module)?;
    let mut program = Program::new(module, Linker::new(&Externs::new(), options)?, options);
    let callees = module.func(f).callees();
    for callee in &callees {
        if module.func(*callee).region().is_some() {
            program.declare(*callee)?;
        }
    }
    let plan = program.declare(f)?;
    let mut listings = Vec::new();
    program.define(f, &plan, &callees, Some(&mut listings))?;
    Ok(listings)
}

/// Code being generated for one module.
struct Program<'a> {
    module: &'a Module,
    linker: Linker,
    /// What the names of native functions begin with.
    prefix: String,
    unit_ops: usize,
    /// Whether entries are to take arguments in registers, too.
    with_registers: bool,
    /// Of functions that are defined. Code is the function's own, memory includes its callees'.
    built: FxHashMap<FuncId, Stats>,
    /// Cranelift instructions of everything so far but strips.
    #[cfg_attr(not(feature = "object"), allow(dead_code))]
    scalar_insts: usize,
    /// Functions that take their arguments in registers, too.
    registers: FxHashMap<FuncId, NativeId>,
    signature: Signature,
    context: Context,
    builder: FunctionBuilderContext,
    slots: Slots,
}

/// One unit or strip as text.
pub(crate) struct Listing {
    pub title: String,
    pub clif: String,
    pub assembly: String,
    /// What the external names in the texts stand for: the module's number, and the symbol.
    pub names: Vec<(u32, String)>,
}

impl<'a> Program<'a> {
    fn new(module: &'a Module, mut linker: Linker, options: &Options) -> Program<'a> {
        let native = linker.code.module();
        let mut signature = native.make_signature();
        signature.params = vec![AbiParam::new(native.target_config().pointer_type()); 4];
        signature.returns = vec![AbiParam::new(types::I32)];
        Program {
            module,
            linker,
            prefix: "adc".to_string(),
            unit_ops: options.unit_ops,
            with_registers: options.registers,
            built: FxHashMap::default(),
            scalar_insts: 0,
            registers: FxHashMap::default(),
            signature,
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
            slots: Slots::default(),
        }
    }

    /// Generates functions with everything they call.
    fn define_all(&mut self, entries: &[FuncId], calls: &Calls) -> Result<(), Diagnostic> {
        let module = self.module;
        // Extern functions are called directly; one has code of its own only as an entry.
        let defined = |f: &FuncId| module.func(*f).region().is_some() || entries.contains(f);
        let order: Vec<FuncId> = calls.order.iter().copied().filter(defined).collect();
        let plans = order.iter().map(|f| self.declare(*f)).collect::<Result<Vec<_>, _>>()?;
        for (f, plan) in order.into_iter().zip(&plans) {
            self.define(f, plan, &calls.callees[&f], None)?;
            if self.with_registers && entries.contains(&f) {
                self.define_registers(f, plan)?;
            }
        }
        Ok(())
    }

    /// Plans a function and makes its units known to callers.
    fn declare(&mut self, f: FuncId) -> Result<Plan<'a>, Diagnostic> {
        let func = self.module.func(f);
        let plan = plan::plan(self.module, func, self.unit_ops);
        if plan.frame > MAX_FRAME {
            return Err(Diagnostic::error(
                adc_ir::Code::TooMuchCode,
                format!("`{}` keeps {} MiB of values alive", func.name, plan.frame >> 20),
            )
            .label(func.span, format!("the limit is {} MiB", MAX_FRAME >> 20)));
        }
        let entry = plan.units.len().saturating_sub(1);
        let mut units = Vec::with_capacity(entry + 1);
        for i in 0..=entry {
            // The prefixes keep functions of the IR apart from the runtime's and from extern ones.
            let prefix = &self.prefix;
            let name = match i == entry {
                true => format!("{prefix}:{}", func.name),
                false => format!("{prefix}/{i}:{}", func.name),
            };
            let id = self.linker.code.module().declare_function(&name, Linkage::Local, &self.signature);
            units.push(id.map_err(|e| refused(&func.name, e))?);
        }
        self.linker.units.insert(f, units);
        Ok(plan)
    }

    /// Generates a function's code; callees come first. `listings` gets the text of every unit.
    fn define(
        &mut self,
        f: FuncId,
        plan: &Plan<'a>,
        callees: &[FuncId],
        mut listings: Option<&mut Vec<Listing>>,
    ) -> Result<(), Diagnostic> {
        let name = &plan.func.name;
        let units = self.linker.units[&f].clone();
        let mut stats =
            Stats { ir_ops: plan.func.inst_count(), native_functions: units.len(), ..Stats::default() };
        // Stack of each unit, what it runs included; drivers come after their units.
        let mut stacks: Vec<u64> = Vec::with_capacity(units.len());
        self.linker.heavy = false;
        let lanes = self.linker.lanes.len();
        for (i, id) in units.iter().enumerate() {
            self.context.clear();
            self.context.func.signature = self.signature.clone();
            self.context.set_disasm(listings.is_some());
            let cx = (&mut self.context.func, &mut self.builder, &mut self.slots);
            match plan.units.get(i) {
                Some(_) => {
                    let how = (i as u32, Convention::Cells);
                    codegen::unit(cx, self.module, &mut self.linker, plan, f, how)
                }
                None => codegen::extern_entry(cx, &mut self.linker, plan, f),
            }
            .map_err(|e| refused(name, e))?;
            stats.clif_insts += self.context.func.dfg.num_insts();
            self.scalar_insts += self.context.func.dfg.num_insts();
            let clif = listings.is_some().then(|| self.context.func.display().to_string());
            let defined = self.linker.code.module().define_function(*id, &mut self.context);
            defined.map_err(|e| refused(name, e))?;
            let code = self.context.compiled_code().expect("the unit was just compiled");
            stats.code_bytes += code.code_info().total_size as usize;
            // Return address and saved registers come on top of the frame proper.
            let own = code.buffer.frame_layout().map_or(0, |l| l.frame_to_fp_offset) as u64 + 64;
            stacks.push(own + self.deepest(plan, i, &stacks));
            if let (Some(out), Some(clif)) = (&mut listings, clif) {
                let assembly = code.vcode.clone().unwrap_or_default();
                let names = self.names();
                let entry = if i + 1 == units.len() { ", the entry" } else { "" };
                let title = format!("`{name}`, unit {} of {}{entry}", i + 1, units.len());
                out.push(Listing { title, clif, assembly, names });
            }
            for ((strip, simd), id) in std::mem::take(&mut self.linker.new_strips) {
                let shown = listings.is_some();
                let listing =
                    self.strip((&strip, simd), id, shown, &mut stats).map_err(|e| refused(name, *e))?;
                if let (Some(out), Some(listing)) = (&mut listings, listing) {
                    let symbol = native_name(self.linker.code.module(), id);
                    let title = format!("`{name}`, unit {} of {}: {symbol}", i + 1, units.len());
                    out.push(Listing { title, ..listing });
                }
            }
        }
        stats.lane_loops = self.linker.lanes.len() - lanes;
        let below = |size: fn(&Stats) -> usize| {
            callees.iter().filter_map(|c| self.built.get(c)).map(size).max().unwrap_or(0)
        };
        stats.frame_bytes = plan.frame as usize + below(|s| s.frame_bytes);
        stats.stack_bytes = stacks.last().copied().unwrap_or(0) as usize + below(|s| s.stack_bytes);
        for (bytes, limit, what) in
            [(stats.frame_bytes, MAX_FRAME, "workspace"), (stats.stack_bytes, MAX_STACK, "stack")]
        {
            if bytes as u64 > limit {
                let message = format!("a call of `{name}` needs {} KiB of {what}", bytes >> 10);
                return Err(Diagnostic::error(adc_ir::Code::TooMuchCode, message)
                    .label(plan.func.span, format!("the limit is {} KiB", limit >> 10))
                    .help("calls nest too deep here: make the chain of functions shorter"));
            }
        }
        self.built.insert(f, stats);
        if !self.linker.heavy {
            self.linker.light.insert(f);
        }
        Ok(())
    }

    /// Generates a function once more that takes its arguments in registers, if it is one of few doubles that is one unit and light.
    fn define_registers(&mut self, f: FuncId, plan: &Plan<'a>) -> Result<(), Diagnostic> {
        let func = plan.func;
        let arguments = func.params.len();
        let doubles = (0..arguments).all(|i| func.param_ty(i) == Type::F64)
            && func.results.iter().all(|r| r.ty == Type::F64)
            && func.dims.is_empty();
        let one = matches!(plan.units[..], [Unit::Straight(_)]);
        if !doubles || arguments > MOST_REGISTERS || !one || !self.linker.light.contains(&f) {
            return Ok(());
        }
        let mut signature = self.signature.clone();
        signature.params.extend(std::iter::repeat_n(AbiParam::new(types::F64), arguments));
        let name = format!("adc*:{}", func.name);
        let id = self.linker.code.module().declare_function(&name, Linkage::Local, &signature);
        let id = id.map_err(|e| refused(&func.name, e))?;
        self.context.clear();
        self.context.func.signature = signature;
        let cx = (&mut self.context.func, &mut self.builder, &mut self.slots);
        codegen::unit(cx, self.module, &mut self.linker, plan, f, (0, Convention::Registers))
            .map_err(|e| refused(&func.name, e))?;
        let defined = self.linker.code.module().define_function(id, &mut self.context);
        defined.map_err(|e| refused(&func.name, e))?;
        let code = self.context.compiled_code().expect("the unit was just compiled");
        let stats = self.built.get_mut(&f).expect("it was just defined");
        stats.code_bytes += code.code_info().total_size as usize;
        stats.native_functions += 1;
        self.registers.insert(f, id);
        Ok(())
    }

    /// Generates the code of a strip; as text, too, if it is to be shown.
    fn strip(
        &mut self,
        (strip, simd): (&Strip, Simd),
        id: NativeId,
        shown: bool,
        stats: &mut Stats,
    ) -> Result<Option<Listing>, Refusal> {
        stats.native_functions += 1;
        let module = self.linker.code.module();
        if let Some(tier) = X86::of(simd) {
            let code = x86::define(tier, module, id, strip)?;
            stats.code_bytes += code.len();
            let line = |bytes: &[u8]| {
                let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:#04x}")).collect();
                format!("  .byte {}\n", bytes.join(", "))
            };
            let assembly = code.chunks(16).map(line).collect();
            let (title, names) = Default::default();
            return Ok(shown.then(|| Listing { title, clif: strip.to_string(), assembly, names }));
        }
        let clif = x2::define(module, id, strip, &mut self.context, &mut self.builder, shown)?;
        let code = self.context.compiled_code().expect("the strip was just compiled");
        stats.clif_insts += self.context.func.dfg.num_insts();
        stats.code_bytes += code.code_info().total_size as usize;
        let assembly = code.vcode.clone().unwrap_or_default();
        let listing = clif.map(|clif| Listing { title: String::new(), clif, assembly, names: self.names() });
        Ok(listing)
    }

    /// Stack of the deepest unit that unit `i` runs.
    fn deepest(&self, plan: &Plan, i: usize, stacks: &[u64]) -> u64 {
        fn of(steps: &[Step], stacks: &[u64]) -> u64 {
            let step = |s: &Step| match s {
                Step::Run(u) => stacks[*u as usize],
                Step::Branch { arms, .. } => arms.iter().map(|a| of(a, stacks)).max().unwrap_or(0),
                Step::Loop { bodies, .. } => bodies.iter().map(|b| of(b, stacks)).max().unwrap_or(0),
            };
            steps.iter().map(step).max().unwrap_or(0)
        }
        match plan.units.get(i) {
            Some(Unit::Driver(steps)) => of(steps, stacks),
            Some(Unit::Straight(_)) | None => 0,
        }
    }

    /// What the external names of the current unit stand for.
    fn names(&mut self) -> Vec<(u32, String)> {
        let module = self.linker.code.module();
        let name = |u: &UserExternalName| (u.index, native_name(module, NativeId::from_u32(u.index)));
        self.context.func.params.user_named_funcs().values().map(name).collect()
    }

    fn finish(mut self, entries: &[FuncId], calls: &Calls) -> Result<Vec<Compiled>, Diagnostic> {
        let mut code = match self.linker.code {
            Code::Memory(memory) => *memory,
            #[cfg(feature = "object")]
            Code::Object(_) => unreachable!("object files are written, not called"),
        };
        let finalized = code.module().finalize_definitions();
        finalized.map_err(|e| refused("the module", e))?;
        let addresses: Vec<*const u8> = entries
            .iter()
            .map(|f| {
                let entry = *self.linker.units[f].last().expect("a function has an entry");
                code.module().get_finalized_function(entry)
            })
            .collect();
        let registers: Vec<Option<*const u8>> = entries
            .iter()
            .map(|f| Some(code.module().get_finalized_function(*self.registers.get(f)?)))
            .collect();
        let errors = Arc::new(std::mem::take(&mut self.linker.errors));
        let code = Arc::new(code);
        let mut compiled = Vec::with_capacity(entries.len());
        for ((&f, address), registers) in entries.iter().zip(addresses).zip(registers) {
            let func = self.module.func(f);
            let own = self.built[&f];
            let mut stats =
                Stats { frame_bytes: own.frame_bytes, stack_bytes: own.stack_bytes, ..Stats::default() };
            for part in calls.under(f).iter().filter_map(|g| self.built.get(g)) {
                stats.ir_ops += part.ir_ops;
                stats.clif_insts += part.clif_insts;
                stats.native_functions += part.native_functions;
                stats.code_bytes += part.code_bytes;
                stats.lane_loops += part.lane_loops;
            }
            let (inputs, outputs) = call::ports(func);
            // SAFETY: `address` is the entry of `f` in `code`, generated with `Program::signature`, which is
            // `Entry` in Cranelift's terms; plan and code generation read the parameters' and write the results'
            // cells, use the frame `stats` counts, and return 0 or `errors` indices plus one. What `registers` has was
            // generated by the same plan with the arguments, doubles, behind these parameters. Nothing light uses fuel or heap.
            compiled.push(unsafe {
                let entry = std::mem::transmute::<*const u8, Entry>(address);
                let light = self.linker.light.contains(&f);
                let signature = call::Signature { name: func.name.clone(), span: func.span, inputs, outputs };
                let entries = call::Entries { cells: entry, registers, light };
                Compiled::new(entries, signature, errors.clone(), stats, code.clone())
            });
        }
        Ok(compiled)
    }
}

fn native_name(module: &dyn cranelift_module::Module, id: NativeId) -> String {
    module.declarations().get_function_decl(id).linkage_name(id).into_owned()
}

/// What Cranelift refused, in our terms.
pub(super) fn refused(name: &str, error: impl Into<Refusal>) -> Diagnostic {
    let unsupported = |why: String| {
        Diagnostic::error(adc_ir::Code::Unsupported, format!("no code can be generated for `{name}`: {why}"))
    };
    match *error.into() {
        ModuleError::Compilation(CodegenError::Unsupported(what)) => unsupported(what),
        ModuleError::Compilation(CodegenError::ImplLimitExceeded | CodegenError::CodeTooLarge) => {
            unsupported("a native function is too large".to_string())
        }
        ModuleError::IncompatibleSignature(symbol, _, _) => {
            let symbol = symbol.trim_start_matches(EXTERN);
            unsupported(format!("two `extern fn`s give `{symbol}` different types"))
        }
        ModuleError::Allocation { err } => unsupported(format!("no executable memory: {err}")),
        other => Diagnostic::error(
            adc_ir::Code::Internal,
            format!("code generation for `{name}` failed: {other:?}"),
        ),
    }
}
