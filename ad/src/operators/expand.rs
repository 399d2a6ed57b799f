//! Writing the bodies of functions that are declared as derivatives of others.

use super::{grad, hess_diag, hessian, hvp, jacobian};
use crate::activity::recursive;
use crate::calls::entry;
use crate::request::{jvp, vjp};
use adc_ir::specialise::specialise;
use adc_ir::{
    Body, Builder, Code, Derivation, Derived, Diagnostic, Func, FuncId, Module, Operator, Origin, Value,
};

/// Replaces every [`Body::Derived`] of a module by a body that computes the derivative, those that others are made of first. So
/// derivatives of functions that use derivatives are derivatives of ordinary functions: nothing can be confused between them.
///
/// # Errors
/// As the operators, [`crate::jvp`] and [`crate::vjp`]. The module has been expanded in part then.
pub fn expand(m: &mut Module) -> Result<(), Diagnostic> {
    for f in m.callees_first() {
        one(m, f)?;
    }
    Ok(())
}

/// [`expand`] for what a function calls, directly or not, and the function itself. If it has no dimensions, what it calls
/// gets the numbers for its own where functions call themselves.
///
/// # Errors
/// As [`expand`].
pub fn expand_for(m: &mut Module, f: FuncId) -> Result<(), Diagnostic> {
    numbered(m, f)?;
    if !m.funcs.iter().any(|f| matches!(f.body, Body::Derived(_))) {
        return Ok(());
    }
    let reached = m.needed(f);
    for f in m.callees_first() {
        if reached[f.0 as usize] {
            one(m, f)?;
        }
    }
    Ok(())
}

/// Makes instances of the functions that a function without dimensions calls, if one of them calls itself: a derivative
/// needs its numbers.
fn numbered(m: &mut Module, f: FuncId) -> Result<(), Diagnostic> {
    if !m.func(f).dims.is_empty() || m.func(f).region().is_none() {
        return Ok(());
    }
    let reached = m.needed(f);
    let calls_itself = |(g, func): (FuncId, &Func)| {
        reached[g.0 as usize]
            && !func.dims.is_empty()
            && func.callees().into_iter().any(|c| m.reachable(c).contains(&g))
    };
    if m.iter().any(calls_itself) {
        let instance = specialise(m, f, &[])?;
        let name = m.func(f).name.clone();
        m.funcs[f.0 as usize] = Func { name, ..m.func(instance).clone() };
    }
    Ok(())
}

fn one(m: &mut Module, f: FuncId) -> Result<(), Diagnostic> {
    let Body::Derived(derived) = m.func(f).body.clone() else { return Ok(()) };
    let (program, skipped) = program(m, f, &derived)?;
    let declared = m.func(f).clone();
    let (mut b, _) = Builder::like(&declared, declared.name.clone());
    b.set_span(declared.span);
    let args = entry(b.func());
    let values: Vec<Value> = b.call_of(m, program, &args).into_iter().skip(skipped).collect();
    let names = declared.results.iter().map(|r| r.name.clone());
    assert_eq!(values.len(), declared.results.len(), "`{}` is declared with other results", declared.name);
    let mut func = b.finish(names.zip(values).collect());
    func.rules = declared.rules;
    func.origin = Some(Origin { of: derived.of, program: Derivation::Operator(derived.operator) });
    (func.inline, func.fp) = (true, m.func(derived.of).fp);
    m.funcs[f.0 as usize] = func;
    Ok(())
}

/// The program that computes a derivative, and how many of its results come before it.
fn program(m: &mut Module, f: FuncId, derived: &Derived) -> Result<(FuncId, usize), Diagnostic> {
    let Derived { operator, of, wrt } = derived;
    let (of, primal) = (*of, m.func(*of));
    let (outputs, results) = (primal.differentiable_results(), primal.results.len());
    let span = m.func(f).span;
    if m.needed(of)[f.0 as usize] {
        return Err(recursive(primal).also(span, "differentiated here"));
    }
    let scalar = || {
        outputs.first().copied().ok_or_else(|| {
            Diagnostic::error(
                Code::NoOutput,
                format!("`{}` has no result that could carry a derivative", m.func(of).name),
            )
            .label(span, "differentiated here")
            .help("convert a result with `f64(…)`, or differentiate another function")
        })
    };
    Ok(match operator {
        Operator::Grad => {
            let output = scalar()?;
            (grad(m, of, wrt, output, false)?, 0)
        }
        Operator::ValueAndGrad => {
            let output = scalar()?;
            (grad(m, of, wrt, output, true)?, 0)
        }
        Operator::Jvp => (jvp(m, of, wrt)?, results),
        Operator::ValueAndJvp => (jvp(m, of, wrt)?, 0),
        Operator::Vjp => (vjp(m, of, wrt, &outputs, false)?, 0),
        Operator::ValueAndVjp => (vjp(m, of, wrt, &outputs, true)?, 0),
        Operator::Hvp => {
            let output = scalar()?;
            (hvp(m, of, wrt, output)?, 0)
        }
        Operator::Jacobian => (jacobian(m, of, wrt, &outputs)?, results),
        Operator::Hessian => {
            let output = scalar()?;
            (hessian(m, of, wrt, output)?, results)
        }
        Operator::HessDiag => {
            let output = scalar()?;
            (hess_diag(m, of, wrt, output)?, results)
        }
    })
}
