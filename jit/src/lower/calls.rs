//! Which functions code is needed for, and in which order.

use adc_ir::{Body, Code, Diagnostic, FuncId, Module};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Who calls whom, from some functions on.
#[derive(Default)]
pub(crate) struct Calls {
    /// Callees first.
    pub order: Vec<FuncId>,
    /// In order of first call.
    pub callees: FxHashMap<FuncId, Vec<FuncId>>,
}

impl Calls {
    pub fn from(module: &Module, entries: &[FuncId]) -> Result<Calls, Diagnostic> {
        let mut calls = Calls::default();
        for entry in entries {
            calls.visit(*entry, |f| module.func(f).callees(), |f| module.func(f).name.clone())?;
        }
        Ok(calls)
    }

    /// Refuses what no code can be generated for.
    pub fn check(&self, module: &Module) -> Result<(), Diagnostic> {
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
    pub fn under(&self, entry: FuncId) -> Vec<FuncId> {
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
