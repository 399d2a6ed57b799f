//! Checks the signatures of hand-written derivatives.

use crate::module::*;
use crate::types::{Scalar, Type};
use std::fmt;

/// What is wrong with the rules of a function.
pub(super) fn check(module: &Module, func: &Func) -> Vec<String> {
    let mut errors = Vec::new();
    for (i, rule) in func.rules.iter().enumerate() {
        let kind = rule.kind.name();
        if func.rules[..i].iter().any(|r| r.kind == rule.kind) {
            errors.push(format!("has two `{kind}` rules"));
        }
        match module.funcs.get(rule.func.0 as usize) {
            None => errors.push(format!("the function of its `{kind}` rule does not exist")),
            Some(f) => {
                let found = signature_of(f);
                let wanted = signature(func, rule);
                if found != wanted {
                    let text =
                        |s: &Option<Signature>| s.as_ref().map_or("nothing".into(), Signature::to_string);
                    errors.push(format!("its `{kind}` rule is {}, not {}", text(&found), text(&wanted)));
                }
            }
        }
    }
    errors
}

/// Parameter and result types.
#[derive(PartialEq)]
struct Signature(Vec<Type>, Vec<Type>);

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |tys: &[Type]| tys.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "({}) -> ({})", list(&self.0), list(&self.1))
    }
}

fn signature_of(f: &Func) -> Option<Signature> {
    let params: Option<Vec<Type>> =
        f.params.iter().map(|p| Some(f.values.get(p.value.0 as usize)?.ty)).collect();
    Some(Signature(params?, f.results.iter().map(|r| r.ty).collect()))
}

/// What the signature of a rule must be, as [`RuleKind`] says; `None` if there is no such rule of the function.
fn signature(func: &Func, rule: &Rule) -> Option<Signature> {
    let Signature(mut params, results) = signature_of(func)?;
    let active: Vec<Type> = func.differentiable_params().into_iter().map(|i| params[i]).collect();
    let outputs: Vec<Type> = func.differentiable_results().into_iter().map(|i| results[i]).collect();
    params.extend(&results);
    match rule.kind {
        RuleKind::Jvp => {
            params.extend(&active);
            Some(Signature(params, outputs))
        }
        RuleKind::Vjp => {
            params.extend(&outputs);
            Some(Signature(params, active))
        }
        RuleKind::Partial => {
            let ([_], [out]) = (results.as_slice(), outputs.as_slice()) else { return None };
            let mut partials = Vec::new();
            for (i, x) in active.iter().enumerate() {
                let complex = Type::Scalar(out.scalar().complex()?);
                let holomorphic = rule.holomorphic.get(i).copied().unwrap_or(false);
                match (x.scalar(), holomorphic) {
                    (Scalar::C64 | Scalar::C128, true) => partials.push(complex),
                    (Scalar::C64 | Scalar::C128, false) => partials.extend([complex, complex]),
                    (Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64, _) => partials.push(*out),
                }
            }
            Some(Signature(params, partials))
        }
    }
}
