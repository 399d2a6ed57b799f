//! Checks of hand-written rules that need no numbers: their signatures, and linearity.

use crate::linearity::{self, Linearity};
use adc_ir::{Code, Diagnostic, Diagnostics, Func, Module, Rule, RuleCheck, RuleKind, Scalar, Type};

/// Checks every rule of a module: [`Code::BadRule`] for a rule whose signature does not fit its function,
/// [`Code::NonLinearRule`] for one that is not linear over the reals in its tangents or cotangents, unless it says so.
pub fn check_rules(m: &Module) -> Diagnostics {
    let mut found = Diagnostics::default();
    let mut linearity = Linearity::default();
    for (_, func) in m.iter() {
        for rule in &func.rules {
            let (params, results) = expected(func, rule);
            let body = m.func(rule.func);
            let given: Vec<Type> = body.params.iter().map(|p| body.ty(p.value)).collect();
            let returned: Vec<Type> = body.results.iter().map(|r| r.ty).collect();
            if given != params || returned != results {
                found.push(bad_rule(func, rule, &params, &results));
                continue;
            }
            if rule.kind == RuleKind::Partial || rule.check == RuleCheck::Nonlinear {
                continue;
            }
            let fixed = func.params.len() + func.results.len();
            if let Err(violation) = linearity.check(m, rule.func, fixed) {
                found.push(linearity::diagnostic(m, rule.func, &violation, false));
            }
        }
    }
    found
}

/// Parameter and result types of a rule of that kind.
fn expected(func: &Func, rule: &Rule) -> (Vec<Type>, Vec<Type>) {
    let of_params = || func.differentiable_params().into_iter().map(|i| func.param_ty(i));
    let of_results = || func.differentiable_results().into_iter().map(|i| func.results[i].ty);
    let mut params: Vec<Type> = (0..func.params.len()).map(|i| func.param_ty(i)).collect();
    params.extend(func.results.iter().map(|r| r.ty));
    match rule.kind {
        RuleKind::Jvp => {
            params.extend(of_params());
            (params, of_results().collect())
        }
        RuleKind::Vjp => {
            params.extend(of_results());
            (params, of_params().collect())
        }
        RuleKind::Partial => {
            let (result, rank) =
                func.results.first().map_or((Scalar::F64, 0), |r| (r.ty.scalar(), r.ty.rank()));
            let partials = of_params().enumerate().flat_map(|(k, ty)| {
                let ty = ty.scalar();
                let holomorphic = rule.holomorphic.get(k).copied().unwrap_or(false) && result.is_complex();
                let partial = if ty.is_complex() { ty } else { result };
                let count = if ty.is_complex() && !holomorphic { 2 } else { 1 };
                std::iter::repeat_n(Type::of_rank(partial, rank), count)
            });
            (params, partials.collect())
        }
    }
}

fn bad_rule(func: &Func, rule: &Rule, params: &[Type], results: &[Type]) -> Diagnostic {
    let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    Diagnostic::error(Code::BadRule, format!("a rule does not fit `{}`", func.name))
        .label(rule.span, format!("should take ({}) and give ({})", list(params), list(results)))
        .also(func.span, "the function")
        .help("a rule takes the parameters, the results, and one tangent or cotangent per differentiable one")
}
