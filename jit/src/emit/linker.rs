//! What generated functions refer to: each other, native functions, strips, errors.

use super::owner::CodeMemory;
use super::x2::{self, CraneliftX2};
use crate::externs::Externs;
use crate::lower::strips::{Strip, StripBackend as _};
use crate::options::Options;
use adc_ir::{Diagnostic, FuncId, RuntimeError};
use cranelift_codegen::ir::Signature;
use cranelift_module::{FuncId as NativeId, Linkage, Module as _, ModuleError};
use rustc_hash::FxHashMap;

/// What generated functions refer to outside themselves.
pub(crate) struct Linker {
    pub code: CodeMemory,
    /// By function: its units, the entry last. An extern function has one, which calls the native function.
    pub units: FxHashMap<FuncId, Vec<NativeId>>,
    imports: FxHashMap<String, NativeId>,
    /// What a status other than 0 means, by status − 1.
    pub errors: Vec<RuntimeError>,
    /// The fewest iterations of a loop that becomes a strip, if any does.
    pub strips: Option<u32>,
    /// The strips so far.
    known_strips: FxHashMap<Strip, NativeId>,
    /// Those without code yet.
    pub new_strips: Vec<(Strip, NativeId)>,
}

/// Why Cranelift did not take what it was given.
pub(crate) type Refusal = Box<ModuleError>;

impl Linker {
    /// Nothing yet.
    pub fn new(externs: &Externs, options: &Options) -> Result<Linker, Diagnostic> {
        Ok(Linker {
            code: CodeMemory::new(externs, options.verify, options.effort)?,
            units: FxHashMap::default(),
            imports: FxHashMap::default(),
            errors: Vec::new(),
            strips: options.strips.filter(|_| x2::available()),
            known_strips: FxHashMap::default(),
            new_strips: Vec::new(),
        })
    }

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
