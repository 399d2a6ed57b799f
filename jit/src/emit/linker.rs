//! What generated functions refer to: each other, native functions, strips, errors.

use super::owner::CodeMemory;
use super::x2;
use super::x86::X86;
use crate::closures::Bound;
use crate::externs::Externs;
use crate::lower::strips::{Fault, Strip, StripBackend as _};
use crate::options::{Options, Simd};
use adc_ir::{Diagnostic, Func, FuncId, RuntimeError, Span, Value};
use cranelift_codegen::ir::Signature;
use cranelift_module::{FuncId as NativeId, Linkage, Module, ModuleError};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where code goes.
pub(crate) enum Code {
    /// Into memory of this process.
    Memory(Box<CodeMemory>),
    /// Into an object file.
    #[cfg(feature = "object")]
    Object(Box<cranelift_object::ObjectModule>),
}

impl Code {
    /// The module, while code is being generated.
    pub fn module(&mut self) -> &mut dyn Module {
        match self {
            Code::Memory(memory) => memory.module(),
            #[cfg(feature = "object")]
            Code::Object(module) => &mut **module,
        }
    }

    /// The address of the closure behind a symbol, for calls of this declaration; `None` if it is no closure. The address is valid
    /// as long as the code.
    pub fn closure(&mut self, symbol: &str, func: &Func) -> Option<*const Bound> {
        match self {
            Code::Memory(memory) => memory.closure(symbol, func),
            // Nothing of this process is in a file.
            #[cfg(feature = "object")]
            Code::Object(_) => None,
        }
    }
}

/// What generated functions refer to outside themselves.
pub(crate) struct Linker {
    pub code: Code,
    /// By function: its units, the entry last. An extern function has one, which calls the native function.
    pub units: FxHashMap<FuncId, Vec<NativeId>>,
    imports: FxHashMap<String, NativeId>,
    /// What a status other than 0 means, by status − 1.
    pub errors: Vec<RuntimeError>,
    /// The fewest iterations of a loop that becomes a strip, if any does.
    pub strips: Option<u32>,
    /// The widest vectors they may use.
    simd: Simd,
    /// Whether elements that do not fill a vector are computed in half of one.
    pub halves: bool,
    /// A mistake in strips.
    fault: Option<(Fault, usize)>,
    /// The strips so far.
    known_strips: FxHashMap<(Strip, Simd), NativeId>,
    /// Those without code yet, and the vectors they use.
    pub new_strips: Vec<((Strip, Simd), NativeId)>,
    /// The loops in lanes so far.
    pub lanes: Vec<LaneLoop>,
    /// Whether the function that is being generated counts iterations, takes memory, or calls what may.
    pub heavy: bool,
    /// Functions of which that is known not to be so.
    pub light: FxHashSet<FuncId>,
}

/// A strip's functions.
pub struct Linked {
    pub id: NativeId,
    /// Of the last few elements, if that is another one.
    pub rest: Option<NativeId>,
    /// Whether a run may begin with any element, also of a strip that adds up: vectors begin at multiples of their length all the same.
    pub anywhere: bool,
}

/// A loop, or a part of one, that runs in lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneLoop {
    /// The function it is in.
    pub func: String,
    /// Its index, a parameter of its region.
    pub index: Value,
    /// Where it is.
    pub span: Span,
    /// Operations of its strip: of numbers in lanes, loads and stores.
    pub ops: usize,
}

/// Why Cranelift did not take what it was given.
pub(crate) type Refusal = Box<ModuleError>;

impl Linker {
    /// Nothing yet, for memory of this process.
    pub fn new(externs: &Externs, options: &Options) -> Result<Linker, Diagnostic> {
        let memory = CodeMemory::new(externs, options.verify, options.effort)?;
        Ok(Linker::of(Code::Memory(Box::new(memory)), options))
    }

    /// Nothing yet.
    pub fn of(code: Code, options: &Options) -> Linker {
        Linker {
            code,
            units: FxHashMap::default(),
            imports: FxHashMap::default(),
            errors: Vec::new(),
            strips: options.strips.filter(|_| x2::available()),
            simd: options.simd,
            halves: options.halves,
            fault: options.fault,
            known_strips: FxHashMap::default(),
            new_strips: Vec::new(),
            lanes: Vec::new(),
            heavy: false,
            light: FxHashSet::default(),
        }
    }

    /// Whether the widest vectors have registers for a strip.
    pub fn has_registers_for(&self, strip: &Strip) -> bool {
        X86::of(self.simd).is_none_or(|tier| tier.supports(strip))
    }

    /// The native functions of a strip of at most so many elements, the same for equal ones: the one for most elements, and another one
    /// for the rest that is no multiple of 16 elements, if the first is slow for these.
    pub fn strip(&mut self, strip: Strip, most: Option<i64>) -> Result<Linked, Refusal> {
        let strip = self.planted(strip);
        // Tests ask for every loop they can have.
        let all = self.strips == Some(0);
        let wide = X86::of(self.simd)
            .is_some_and(|tier| if all { tier.supports(&strip) } else { tier.is_worth_it(&strip, most) });
        if !wide {
            return Ok(Linked { id: self.native(strip, Simd::Baseline)?, rest: None, anywhere: false });
        }
        let rest = match X86::is_slow_under_masks(&strip) {
            true => Some(self.native(strip.clone(), Simd::Baseline)?),
            false => None,
        };
        let anywhere = rest.is_none() && X86::begins_anywhere(&strip);
        Ok(Linked { id: self.native(strip, self.simd)?, rest, anywhere })
    }

    /// The fewest iterations of a loop that becomes a strip of one element, if any does: where our own code has more registers than
    /// Cranelift's.
    pub fn serial_strips(&self) -> Option<u32> {
        self.strips.filter(|_| self.simd == Simd::Avx512)
    }

    /// The native function of a strip of one element.
    pub fn serial_strip(&mut self, strip: Strip) -> Result<NativeId, Refusal> {
        let strip = self.planted(strip);
        self.native(strip, self.simd)
    }

    /// The strip, with the mistake that is asked for.
    fn planted(&self, strip: Strip) -> Strip {
        match self.fault {
            Some((fault, number)) => fault.plant(strip, number),
            None => strip,
        }
    }

    /// The strips so far, in the order in which they were made.
    pub fn strips(self) -> Vec<Strip> {
        let mut all: Vec<_> = self.known_strips.into_iter().collect();
        all.sort_unstable_by_key(|(_, id)| id.as_u32());
        all.into_iter().map(|((strip, _), _)| strip).collect()
    }

    fn native(&mut self, strip: Strip, simd: Simd) -> Result<NativeId, Refusal> {
        let key = (strip, simd);
        if let Some(id) = self.known_strips.get(&key) {
            return Ok(*id);
        }
        let name = format!("adc-strip:{}", self.known_strips.len());
        let id = self.code.module().declare_function(&name, Linkage::Local, &x2::signature())?;
        self.known_strips.insert(key.clone(), id);
        self.new_strips.push((key, id));
        Ok(id)
    }

    /// Whether functions of several numbers may be called, which this machine has: an object file is for others, too.
    pub fn calls_four(&self) -> bool {
        matches!(self.code, Code::Memory(_))
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

    /// Whether a native function is called by its symbol.
    #[cfg(feature = "object")]
    pub fn is_imported(&self, symbol: &str) -> bool {
        self.imports.contains_key(symbol)
    }

    /// The status that reports `error`.
    pub fn status(&mut self, error: RuntimeError) -> i64 {
        self.errors.push(error);
        self.errors.len() as i64
    }
}
