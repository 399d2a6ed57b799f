//! What generated functions refer to: each other, native functions, strips, errors.

use super::avx512::Avx512;
use super::owner::CodeMemory;
use super::x2;
use crate::externs::Externs;
use crate::lower::strips::{Strip, StripBackend as _};
use crate::options::{Options, Simd};
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
    /// The widest vectors they may use.
    simd: Simd,
    /// The strips so far.
    known_strips: FxHashMap<(Strip, Simd), NativeId>,
    /// Those without code yet, and the vectors they use.
    pub new_strips: Vec<((Strip, Simd), NativeId)>,
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
            simd: options.simd,
            known_strips: FxHashMap::default(),
            new_strips: Vec::new(),
        })
    }

    /// The native functions of a strip of at most so many elements, the same for equal ones: the one for most elements, and another one
    /// for the rest that is no multiple of 16 elements, if the first is slow for these.
    pub fn strip(
        &mut self,
        strip: Strip,
        most: Option<i64>,
    ) -> Result<(NativeId, Option<NativeId>), Refusal> {
        // Tests ask for every loop they can have.
        let wide =
            if self.strips == Some(0) { Avx512.supports(&strip) } else { Avx512::is_worth_it(&strip, most) };
        if self.simd == Simd::Baseline || !wide {
            return Ok((self.native(strip, Simd::Baseline)?, None));
        }
        let rest = match Avx512::is_slow_under_masks(&strip) {
            true => Some(self.native(strip.clone(), Simd::Baseline)?),
            false => None,
        };
        Ok((self.native(strip, self.simd)?, rest))
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
