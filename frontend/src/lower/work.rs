//! The work of one call, counted before anything runs: calls of calls multiply.

use adc_ir::{Code, Diagnostic, FuncId, Kind, Module, Region};

/// Most instructions one call of a function may run.
pub const MAX_WORK: u64 = 100_000_000;

/// Refuses the first function whose call would run more than [`MAX_WORK`] instructions.
pub(super) fn check(module: &Module) -> Result<(), Diagnostic> {
    let work = count(module);
    match (0..module.funcs.len()).find(|&i| work[i] > MAX_WORK && is_first(module, &work, i)) {
        None => Ok(()),
        Some(i) => {
            let f = &module.funcs[i];
            let message = format!("one call of `{}` runs more than {MAX_WORK} operations", f.name);
            Err(Diagnostic::error(Code::TooMuchCode, message)
                .label(f.span, "calls of calls multiply here")
                .help("keep results in variables instead of calling again"))
        }
    }
}

/// Whether all callees of function `i` are below the limit: it is the one to blame.
fn is_first(module: &Module, work: &[u64], i: usize) -> bool {
    let mut calls = Vec::new();
    module.funcs[i].region().iter().for_each(|r| callees(r, &mut calls));
    calls.iter().all(|c| work[c.0 as usize] <= MAX_WORK)
}

/// Instructions run by one call of each function; both branches of an `if` count. Saturates.
fn count(module: &Module) -> Vec<u64> {
    let calls: Vec<Vec<FuncId>> = module
        .funcs
        .iter()
        .map(|f| {
            let mut out = Vec::new();
            f.region().iter().for_each(|r| callees(r, &mut out));
            out
        })
        .collect();
    let mut work: Vec<Option<u64>> = vec![None; module.funcs.len()];
    // Recursion is over dimensions, which nobody knows here: a call against the order counts nothing.
    let mut entered = vec![false; module.funcs.len()];
    for start in 0..work.len() {
        entered[start] = true;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if work[at].is_some() {
                path.pop();
            } else if let Some(callee) = calls[at].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut entered[callee.0 as usize], true) {
                    path.push((callee.0 as usize, 0));
                }
            } else {
                let own = module.funcs[at].inst_count() as u64;
                let sum = calls[at].iter().map(|c| work[c.0 as usize].unwrap_or(0));
                work[at] = Some(sum.fold(own, u64::saturating_add));
                path.pop();
            }
        }
    }
    work.into_iter().map(|w| w.unwrap_or(0)).collect()
}

fn callees(r: &Region, out: &mut Vec<FuncId>) {
    for inst in &r.insts {
        if let Kind::Call(f) = inst.kind {
            out.push(f);
        }
        inst.regions.iter().for_each(|r| callees(r, out));
    }
}
