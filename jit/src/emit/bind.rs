//! Extern functions for the interpreter, which calls them through compiled code.

use super::compile::compile;
use crate::externs::Externs;
use crate::options::Options;
use adc_ir::{Body, Diagnostic, FuncId, Module};

impl Externs {
    /// Checks that every `extern fn` that `roots` reach is there, and returns the same functions ready for the
    /// interpreter, that is with the signatures the module declares.
    pub fn bind(&self, module: &Module, roots: &[FuncId]) -> Result<Externs, Diagnostic> {
        let mut externs = module.reachable_from(roots);
        externs.retain(|f| module.func(*f).region().is_none());
        if externs.is_empty() {
            return Ok(self.clone());
        }
        self.check(module, &externs)?;
        let compiled = compile(module, &externs, self, &Options::default())?;
        let mut bound = self.clone();
        for (id, trampoline) in externs.into_iter().zip(compiled) {
            if let Body::Extern(symbol) = &module.func(id).body {
                bound.trampolines.insert(symbol.clone(), trampoline);
            }
        }
        Ok(bound)
    }
}
