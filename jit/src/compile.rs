//! From IR functions to [`Compiled`] ones: what is reachable, in which order, linked how.

use crate::call::{self, Compiled, Stats};
use crate::codegen::{self, Slots};
use crate::externs::Externs;
use crate::owner::CodeMemory;
use crate::plan::{self, Plan, Step, Unit};
use crate::strips::{CraneliftX2, Strip, StripBackend as _, x2};
use adc_ir::verify;
use adc_ir::{Body, Code, Diagnostic, FuncId, Module, RuntimeError};
use cranelift::prelude::FunctionBuilderContext;
use cranelift_codegen::ir::{AbiParam, Signature, UserExternalName, types};
use cranelift_codegen::{CodegenError, Context};
use cranelift_module::{FuncId as NativeId, Linkage, Module as _, ModuleError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// How code is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Runs Cranelift's verifier on everything generated. On in debug builds.
    pub verify: bool,
    /// About how many operations a native function gets before an IR function is cut into several. Compile time
    /// grows with its square where many values are live, the cost of the cuts with its inverse.
    pub unit_ops: usize,
    /// How many turns an innermost loop has at least that runs over several elements at once, where it can; a loop whose turns
    /// are not known runs so, too. `None`: no loop does. The bits are the same.
    pub strips: Option<u32>,
    /// What code generation may cost. The bits are the same.
    pub effort: Effort,
}

/// How much work goes into code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// As much as makes it run fast.
    #[default]
    Full,
    /// For code that runs a few times only: no optimisation, registers in a single pass. Compiles in less than half the time,
    /// and its time stays linear in the number of operations of a unit, however many values are live.
    Quick,
}

impl Default for Options {
    fn default() -> Options {
        Options { verify: cfg!(debug_assertions), unit_ops: 500, strips: Some(8), effort: Effort::Full }
    }
}

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
    let mut program = Program::new(module, externs, options)?;
    // Extern functions are called directly; one has code of its own only as an entry.
    let defined = |f: &FuncId| module.func(*f).region().is_some() || entries.contains(f);
    let order: Vec<FuncId> = calls.order.iter().copied().filter(defined).collect();
    let plans = order.iter().map(|f| program.declare(*f)).collect::<Result<Vec<_>, _>>()?;
    for (f, plan) in order.into_iter().zip(&plans) {
        program.define(f, plan, &calls.callees[&f], None)?;
    }
    program.finish(entries, &calls)
}

/// The text of one function's units. Callees and native functions are named, not compiled.
pub(crate) fn listing(module: &Module, f: FuncId, options: &Options) -> Result<Vec<Listing>, Diagnostic> {
    Calls::from(module, &[f])?.check(module)?;
    let mut program = Program::new(module, &Externs::new(), options)?;
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
    unit_ops: usize,
    /// Of functions that are defined. Code is the function's own, memory includes its callees'.
    built: FxHashMap<FuncId, Stats>,
    signature: Signature,
    context: Context,
    builder: FunctionBuilderContext,
    slots: Slots,
}

/// What generated functions refer to outside themselves.
pub(crate) struct Linker {
    pub code: CodeMemory,
    /// By function: its units, the entry last. An extern function has one, which calls the native function.
    pub units: FxHashMap<FuncId, Vec<NativeId>>,
    imports: FxHashMap<String, NativeId>,
    /// What a status other than 0 means, by status − 1.
    pub errors: Vec<RuntimeError>,
    /// The fewest turns of a loop that becomes a strip, if any does.
    pub strips: Option<u32>,
    /// The strips so far.
    known_strips: FxHashMap<Strip, NativeId>,
    /// Those without code yet.
    new_strips: Vec<(Strip, NativeId)>,
}

/// Why Cranelift did not take what it was given.
pub(crate) type Refusal = Box<ModuleError>;

/// One unit as text.
pub(crate) struct Listing {
    pub unit: u32,
    pub clif: String,
    pub assembly: String,
    /// What the external names in the texts stand for: the module's number, and the symbol.
    pub names: Vec<(u32, String)>,
}

impl<'a> Program<'a> {
    fn new(module: &'a Module, externs: &Externs, options: &Options) -> Result<Program<'a>, Diagnostic> {
        let mut code = CodeMemory::new(externs, options.verify, options.effort)?;
        let native = code.module();
        let mut signature = native.make_signature();
        signature.params = vec![AbiParam::new(native.target_config().pointer_type()); 4];
        signature.returns = vec![AbiParam::new(types::I32)];
        Ok(Program {
            module,
            linker: Linker {
                code,
                units: FxHashMap::default(),
                imports: FxHashMap::default(),
                errors: Vec::new(),
                strips: options.strips.filter(|_| x2::available()),
                known_strips: FxHashMap::default(),
                new_strips: Vec::new(),
            },
            unit_ops: options.unit_ops,
            built: FxHashMap::default(),
            signature,
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
            slots: Slots::default(),
        })
    }

    /// Plans a function and makes its units known to callers.
    fn declare(&mut self, f: FuncId) -> Result<Plan<'a>, Diagnostic> {
        let func = self.module.func(f);
        let plan = plan::plan(self.module, func, self.unit_ops);
        if plan.frame > MAX_FRAME {
            return Err(Diagnostic::error(
                Code::TooMuchCode,
                format!("`{}` keeps {} MiB of values alive", func.name, plan.frame >> 20),
            )
            .label(func.span, format!("the limit is {} MiB", MAX_FRAME >> 20)));
        }
        let entry = plan.units.len().saturating_sub(1);
        let mut units = Vec::with_capacity(entry + 1);
        for i in 0..=entry {
            // The prefixes keep functions of the IR apart from the runtime's and from extern ones.
            let name =
                if i == entry { format!("adc:{}", func.name) } else { format!("adc/{i}:{}", func.name) };
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
        for (i, id) in units.iter().enumerate() {
            self.context.clear();
            self.context.func.signature = self.signature.clone();
            self.context.set_disasm(listings.is_some());
            let cx = (&mut self.context.func, &mut self.builder, &mut self.slots);
            match plan.units.get(i) {
                Some(_) => codegen::unit(cx, self.module, &mut self.linker, plan, f, i as u32),
                None => codegen::extern_entry(cx, &mut self.linker, plan, f),
            }
            .map_err(|e| refused(name, e))?;
            stats.clif_insts += self.context.func.dfg.num_insts();
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
                out.push(Listing { unit: i as u32, clif, assembly, names });
            }
            for (strip, id) in std::mem::take(&mut self.linker.new_strips) {
                let native = self.linker.code.module();
                x2::define(native, id, &strip, &mut self.context, &mut self.builder)
                    .map_err(|e| refused(name, *e))?;
                let code = self.context.compiled_code().expect("the strip was just compiled");
                stats.clif_insts += self.context.func.dfg.num_insts();
                stats.code_bytes += code.code_info().total_size as usize;
                stats.native_functions += 1;
            }
        }
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
                return Err(Diagnostic::error(Code::TooMuchCode, message)
                    .label(plan.func.span, format!("the limit is {} KiB", limit >> 10))
                    .help("calls nest too deep here: make the chain of functions shorter"));
            }
        }
        self.built.insert(f, stats);
        Ok(())
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
        let name = |u: &UserExternalName| {
            let id = NativeId::from_u32(u.index);
            let name = module.declarations().get_function_decl(id).linkage_name(id);
            (u.index, name.into_owned())
        };
        self.context.func.params.user_named_funcs().values().map(name).collect()
    }

    fn finish(mut self, entries: &[FuncId], calls: &Calls) -> Result<Vec<Compiled>, Diagnostic> {
        let finalized = self.linker.code.module().finalize_definitions();
        finalized.map_err(|e| refused("the module", e))?;
        let addresses: Vec<*const u8> = entries
            .iter()
            .map(|f| {
                let entry = *self.linker.units[f].last().expect("a function has an entry");
                self.linker.code.module().get_finalized_function(entry)
            })
            .collect();
        let errors = Arc::new(std::mem::take(&mut self.linker.errors));
        let code = Arc::new(self.linker.code);
        let mut compiled = Vec::with_capacity(entries.len());
        for (&f, address) in entries.iter().zip(addresses) {
            let func = self.module.func(f);
            let own = self.built[&f];
            let mut stats =
                Stats { frame_bytes: own.frame_bytes, stack_bytes: own.stack_bytes, ..Stats::default() };
            for part in calls.under(f).iter().filter_map(|g| self.built.get(g)) {
                stats.ir_ops += part.ir_ops;
                stats.clif_insts += part.clif_insts;
                stats.native_functions += part.native_functions;
                stats.code_bytes += part.code_bytes;
            }
            let (inputs, outputs) = call::ports(func);
            // SAFETY: `address` is the entry of `f` in `code`, generated with `Program::signature`, which is
            // `Entry` in Cranelift's terms; plan and code generation read the parameters' and write the results'
            // cells, use the frame `stats` counts, and return 0 or `errors` indices plus one.
            compiled.push(unsafe {
                let entry = std::mem::transmute::<*const u8, call::Entry>(address);
                let signature = call::Signature { name: func.name.clone(), span: func.span, inputs, outputs };
                Compiled::new(entry, signature, errors.clone(), stats, code.clone())
            });
        }
        Ok(compiled)
    }
}

impl Linker {
    /// The native function of a strip, the same for equal ones; `None` if it cannot be compiled.
    pub fn strip(&mut self, strip: Strip) -> Result<Option<NativeId>, Refusal> {
        if let Some(id) = self.known_strips.get(&strip) {
            return Ok(Some(*id));
        }
        if !(CraneliftX2 { verify: false }).supports(&strip) {
            return Ok(None);
        }
        let name = format!("adc-strip:{}", self.known_strips.len());
        let id = self.code.module().declare_function(&name, Linkage::Local, &x2::signature())?;
        self.known_strips.insert(strip.clone(), id);
        self.new_strips.push((strip, id));
        Ok(Some(id))
    }

    /// The native function of a symbol, declared on first use.
    pub fn import(
        &mut self,
        symbol: &str,
        signature: impl FnOnce() -> Signature,
    ) -> Result<NativeId, Refusal> {
        if let Some(id) = self.imports.get(symbol) {
            return Ok(*id);
        }
        let id = self.code.module().declare_function(symbol, Linkage::Import, &signature())?;
        self.imports.insert(symbol.to_string(), id);
        Ok(id)
    }

    /// The status that reports `error`.
    pub fn status(&mut self, error: RuntimeError) -> i64 {
        self.errors.push(error);
        self.errors.len() as i64
    }
}

/// What Cranelift refused, in our terms.
fn refused(name: &str, error: impl Into<Refusal>) -> Diagnostic {
    let unsupported = |why: String| {
        Diagnostic::error(Code::Unsupported, format!("no code can be generated for `{name}`: {why}"))
    };
    match *error.into() {
        ModuleError::Compilation(CodegenError::Unsupported(what)) => unsupported(what),
        ModuleError::Compilation(CodegenError::ImplLimitExceeded | CodegenError::CodeTooLarge) => {
            unsupported("a native function is too large".to_string())
        }
        ModuleError::IncompatibleSignature(symbol, _, _) => {
            let symbol = symbol.trim_start_matches(crate::owner::EXTERN);
            unsupported(format!("two `extern fn`s give `{symbol}` different types"))
        }
        ModuleError::Allocation { err } => unsupported(format!("no executable memory: {err}")),
        other => Diagnostic::error(Code::Internal, format!("code generation for `{name}` failed: {other:?}")),
    }
}

/// Who calls whom, from some functions on.
#[derive(Default)]
struct Calls {
    /// Callees first.
    order: Vec<FuncId>,
    /// In order of first call.
    callees: FxHashMap<FuncId, Vec<FuncId>>,
}

impl Calls {
    fn from(module: &Module, entries: &[FuncId]) -> Result<Calls, Diagnostic> {
        let mut calls = Calls::default();
        for entry in entries {
            calls.visit(*entry, |f| module.func(f).callees(), |f| module.func(f).name.clone())?;
        }
        Ok(calls)
    }

    /// Refuses what no code can be generated for.
    fn check(&self, module: &Module) -> Result<(), Diagnostic> {
        for f in &self.order {
            let func = module.func(*f);
            let why = match &func.body {
                Body::Derived(_) => "it is a derivative that was not written yet",
                Body::Region(_) if !func.dims.is_empty() => "it has dimensions without numbers",
                Body::Region(_) | Body::Extern(_) => continue,
            };
            return Err(Diagnostic::error(
                Code::Internal,
                format!("`{}` cannot be compiled: {why}", func.name),
            )
            .label(func.span, "here"));
        }
        Ok(())
    }

    /// Everything an entry needs, itself included.
    fn under(&self, entry: FuncId) -> Vec<FuncId> {
        let mut part = Calls::default();
        let known = |f| self.callees[&f].clone();
        part.visit(entry, known, |_| String::new()).expect("the whole graph has no cycle");
        part.order
    }

    fn visit(
        &mut self,
        entry: FuncId,
        callees: impl Fn(FuncId) -> Vec<FuncId>,
        name: impl Fn(FuncId) -> String,
    ) -> Result<(), Diagnostic> {
        let mut open = FxHashSet::default();
        let mut stack = vec![(entry, false)];
        while let Some((f, leave)) = stack.pop() {
            if leave {
                open.remove(&f);
                self.order.push(f);
            } else if open.contains(&f) {
                return Err(Diagnostic::error(Code::Internal, format!("`{}` calls itself", name(f))));
            } else if let Entry::Vacant(fresh) = self.callees.entry(f) {
                open.insert(f);
                stack.push((f, true));
                let below = fresh.insert(callees(f));
                stack.extend(below.iter().rev().map(|c| (*c, false)));
            }
        }
        Ok(())
    }
}
