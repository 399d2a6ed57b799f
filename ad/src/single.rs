//! One hand-written rule as a derivative program, whatever other rules the function has: for checking rules in
//! isolation and against each other.

use crate::request::{jvp, vjp};
use adc_ir::{Diagnostic, FuncId, Module};

/// The JVP program of `f` (as [`jvp`], with respect to every differentiable parameter) that uses exactly the rule
/// at that position of its rules; a `vjp` rule is transposed.
///
/// # Errors
/// As [`jvp`].
pub fn rule_jvp(m: &mut Module, f: FuncId, rule: usize) -> Result<FuncId, Diagnostic> {
    let alone = with_one_rule(m, f, rule);
    let wrt = m.func(alone).differentiable_params();
    jvp(m, alone, &wrt)
}

/// The VJP program of `f` (as [`vjp`] with primal results, for every differentiable parameter and result) that
/// uses exactly that rule; a `jvp` rule is transposed.
///
/// # Errors
/// As [`vjp`].
pub fn rule_vjp(m: &mut Module, f: FuncId, rule: usize) -> Result<FuncId, Diagnostic> {
    let alone = with_one_rule(m, f, rule);
    let func = m.func(alone);
    let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
    vjp(m, alone, &wrt, &outputs, true)
}

/// A copy of `f` that has no other rule.
fn with_one_rule(m: &mut Module, f: FuncId, rule: usize) -> FuncId {
    let mut func = m.func(f).clone();
    func.name = format!("{}.only{rule}", func.name);
    if let Some(done) = m.find(&func.name) {
        return done;
    }
    func.rules = vec![func.rules[rule].clone()];
    m.add(func)
}
