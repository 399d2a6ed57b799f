//! The function that derivatives are made from: a simplified copy, so that difference programs, which call the function
//! itself, do not depend on simplification.

use adc_ir::*;
use rustc_hash::FxHashMap;

/// A copy of `f` and of everything it reaches, simplified for differentiation as the library does it.
pub(crate) fn copy(m: &mut Module, f: FuncId) -> FuncId {
    let reached: Vec<FuncId> = m.reachable(f).into_iter().filter(|g| m.func(*g).region().is_some()).collect();
    // Names first, bodies second: a call only needs the number of its callee's copy.
    let mut copies = FxHashMap::default();
    for &g in &reached {
        let mut func = m.func(g).clone();
        func.name = m.fresh_name(&format!("{}.simplified", func.name));
        copies.insert(g, m.add(func));
    }
    for copy in copies.values() {
        if let Body::Region(body) = &mut m.funcs[copy.0 as usize].body {
            redirect(body, &copies);
        }
    }
    // Not in the order of the table: there is one root.
    let copy = copies.get(&f).copied().unwrap_or(f);
    adc_simplify::prepare(m, &[copy]);
    copy
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
