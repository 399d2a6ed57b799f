//! A module of its own for experiments: a function with everything it reaches under new names, so that no derivative that
//! was made before is taken for the derivative of a changed copy.

use adc_ir::*;
use rustc_hash::FxHashMap;

/// What is differentiated in experiments.
#[derive(Clone)]
pub(super) struct Subject {
    pub module: Module,
    pub func: FuncId,
}

/// A copy of `f` and of everything that it calls. A function with rules of its own becomes one that calls it.
pub(super) fn subject(m: &Module, f: FuncId) -> Subject {
    let mut module = m.clone();
    let mut needed = vec![false; m.funcs.len()];
    let mut open = vec![f];
    while let Some(g) = open.pop() {
        if !std::mem::replace(&mut needed[g.0 as usize], true) {
            open.extend(m.func(g).callees());
            open.extend(m.func(g).rules.iter().map(|r| r.func));
        }
    }
    // Ids stay the same; functions that are not needed cost nothing.
    for (k, func) in module.funcs.iter_mut().enumerate().filter(|(k, _)| !needed[*k]) {
        *func = Builder::new(format!("unused {k}"), Span::NONE).finish(Vec::new());
    }
    let f = if m.func(f).rules.is_empty() { f } else { caller(&mut module, f) };
    // Of functions with rules only these count.
    let mut reached = Vec::new();
    let mut open = vec![f];
    while let Some(g) = open.pop() {
        let func = module.func(g);
        if func.rules.is_empty() && func.region().is_some() && !reached.contains(&g) {
            reached.push(g);
            open.extend(func.callees());
        }
    }
    let mut copies = FxHashMap::default();
    for &g in &reached {
        let mut func = module.func(g).clone();
        func.name = module.fresh_name(&format!("on trial {}", func.name));
        copies.insert(g, module.add(func));
    }
    for g in &reached {
        if let Body::Region(body) = &mut module.funcs[copies[g].0 as usize].body {
            redirect(body, &copies);
        }
    }
    Subject { func: copies.get(&f).copied().unwrap_or(f), module }
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

/// Calls of what was copied become calls of the copies.
fn redirect(region: &mut Region, copies: &FxHashMap<FuncId, FuncId>) {
    for inst in &mut region.insts {
        if let Kind::Call(g) = &mut inst.kind {
            *g = copies.get(g).copied().unwrap_or(*g);
        }
        inst.regions.iter_mut().for_each(|r| redirect(r, copies));
    }
}
