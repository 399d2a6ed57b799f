//! A module of its own for experiments: a function with everything it reaches under new names, so that no derivative that
//! was made before is taken for the derivative of a changed copy.

use adc_ir::*;

/// What is differentiated in experiments.
#[derive(Clone)]
pub(super) struct Subject {
    pub module: Module,
    pub func: FuncId,
}

/// A copy of `f` and of everything that it calls; of functions with rules only these count. A function with rules of its own
/// becomes one that calls it.
pub(super) fn subject(m: &Module, f: FuncId) -> Subject {
    let mut module = m.emptied_but(f);
    let f = if m.func(f).rules.is_empty() { f } else { caller(&mut module, f) };
    let copies = module.copy_reachable(f, ".trial", |g| g.rules.is_empty() && g.region().is_some());
    Subject { func: copies.first().copied().unwrap_or(f), module }
}

/// A function that calls `f`.
fn caller(m: &mut Module, f: FuncId) -> FuncId {
    let func = m.func(f);
    let (mut b, params) = Builder::like(func, m.fresh_name(&format!("calling {}", func.name)));
    let results = b.call_of(m, f, &params);
    let names = func.results.iter().map(|r| r.name.clone());
    let caller = b.finish(names.zip(results).collect());
    m.add(caller)
}
