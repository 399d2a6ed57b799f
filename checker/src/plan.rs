//! What to check in a file.

use adc_ir::*;

/// What a file's check consists of.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The checks to carry out: the file's blocks, then functions without one that are checked anyway.
    pub checks: Vec<CheckBlock>,
    /// Functions no block reaches, in a file with blocks.
    pub not_checked: Vec<FuncId>,
    /// Functions whose rules are used, but not compared.
    pub trusted: Vec<FuncId>,
    /// Functions without anything to check, with the reason.
    pub skipped: Vec<(FuncId, String)>,
}

/// What to check: the blocks, or every one of `functions` if there is none; and in any case every function of the module
/// with hand-written rules or `#[linear]` parameters, native or of another file, reached by a block or not, unless all its rules
/// are trusted. If it has both, they are separate checks.
pub fn plan(module: &Module, functions: &[FuncId], blocks: &[CheckBlock]) -> Plan {
    let mut plan = Plan { checks: blocks.to_vec(), ..Plan::default() };
    let mut reached = vec![false; module.funcs.len()];
    for block in blocks {
        for g in module.reachable(block.func) {
            reached[g.0 as usize] = true;
        }
    }
    let told = |func: &Func| !func.rules.is_empty() || func.is_only_linear();
    let elsewhere = module.iter().filter(|(f, func)| told(func) && !functions.contains(f));
    for f in functions.iter().copied().chain(elsewhere.map(|(f, _)| f)) {
        let func = module.func(f);
        let (ruled, linear) = (!func.rules.is_empty(), func.linear_params());
        let own = blocks.iter().any(|b| b.func == f);
        if func.rules.iter().any(|r| r.check.is_trusted()) {
            plan.trusted.push(f);
        }
        let all_trusted = ruled && func.rules.iter().all(|r| r.check.is_trusted());
        if ruled && !linear.is_empty() {
            let block = blocks.iter().find(|b| b.func == f).cloned();
            let block = block.unwrap_or_else(|| CheckBlock::default_for(f, func.params.len(), func.span));
            let (wrt, modes) = (Some(linear), Some(vec![Mode::Forward]));
            plan.checks.push(CheckBlock { wrt, modes, expect: None, ..block });
        }
        if own || (all_trusted && !blocks.is_empty()) {
            continue;
        }
        if !blocks.is_empty() && !told(func) {
            if !reached[f.0 as usize] {
                plan.not_checked.push(f);
            }
            continue;
        }
        match nothing_to_check(func, all_trusted) {
            Some(reason) => plan.skipped.push((f, reason)),
            None => plan.checks.push(CheckBlock::default_for(f, func.params.len(), func.span)),
        }
    }
    plan
}

fn nothing_to_check(func: &Func, all_trusted: bool) -> Option<String> {
    if all_trusted {
        return Some("its rules are trusted".into());
    }
    if func.region().is_none() && func.rules.is_empty() && !func.is_only_linear() {
        return Some("native code without a rule".into());
    }
    if func.differentiable_params().is_empty() {
        return Some("no parameter to differentiate".into());
    }
    if func.differentiable_results().is_empty() {
        return Some("no result to differentiate".into());
    }
    None
}
