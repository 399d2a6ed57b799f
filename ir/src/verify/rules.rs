//! Checks the signatures of hand-written derivatives.

use crate::dims::{Dim, Shape};
use crate::module::*;
use crate::types::Scalar;

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
                if f.of_rule != Some(rule.check) {
                    errors.push(format!("the function of its `{kind}` rule does not say that it is one"));
                }
                let found = signature_of(f);
                let wanted = signature(func, rule);
                if found != wanted {
                    let text = |s: &Option<Signature>| s.as_ref().map_or("nothing".into(), |s| s.text(func));
                    errors.push(format!("its `{kind}` rule is {}, not {}", text(&found), text(&wanted)));
                }
            }
        }
    }
    errors
}

/// Parameter and result types. Dimensions, then parameters, are numbered, so that two functions can be compared; of
/// dimensions there are as many as `dims` says.
#[derive(PartialEq)]
struct Signature {
    dims: usize,
    params: Vec<ValueData>,
    results: Vec<ValueData>,
}

impl Signature {
    /// As text; names are those of the function that has the rule.
    fn text(&self, func: &Func) -> String {
        let name = |v: Value| match func.dims.get(v.0 as usize) {
            Some(d) => d.name.clone(),
            None => format!("#{}", v.0),
        };
        let show = |d: &ValueData| match d.shape.as_slice() {
            [] => d.ty.to_string(),
            s => {
                let sizes: Vec<String> = s.iter().map(|d| d.display(name)).collect();
                format!("{}[{}]", d.ty.scalar(), sizes.join(", "))
            }
        };
        let list = |data: &[ValueData]| data.iter().map(show).collect::<Vec<_>>().join(", ");
        let dims: Vec<String> = (0..self.dims as u32).map(|i| name(Value(i))).collect();
        let dims = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
        format!("{dims}({}) -> ({})", list(&self.params), list(&self.results))
    }
}

fn signature_of(f: &Func) -> Option<Signature> {
    // What is no entry value (a size that is returned) keeps apart from those that are.
    let number = |v: Value| Value(f.entry_position(v).unwrap_or(u32::MAX as usize) as u32);
    let canonical = |d: &ValueData| {
        let shape: Option<Shape> = d.shape.iter().map(|d| d.substitute(|v| Dim::var(number(v)))).collect();
        Some(ValueData { ty: d.ty, shape: shape? })
    };
    let params = f.params.iter().map(|p| canonical(f.values.get(p.value.0 as usize)?));
    let results = f.results.iter().map(|r| canonical(&r.data()));
    Some(Signature {
        dims: f.dims.len(),
        params: params.collect::<Option<_>>()?,
        results: results.collect::<Option<_>>()?,
    })
}

/// What the signature of a rule must be, as [`RuleKind`] says; `None` if there is no such rule of the function.
fn signature(func: &Func, rule: &Rule) -> Option<Signature> {
    let Signature { dims, mut params, results } = signature_of(func)?;
    let active: Vec<ValueData> =
        func.differentiable_params().into_iter().map(|i| params[i].clone()).collect();
    let outputs: Vec<ValueData> =
        func.differentiable_results().into_iter().map(|i| results[i].clone()).collect();
    params.extend(results.iter().cloned());
    let results = match rule.kind {
        RuleKind::Jvp => {
            params.extend(active);
            outputs
        }
        RuleKind::Vjp => {
            params.extend(outputs);
            active
        }
        RuleKind::Partial => {
            let ([_], [out]) = (results.as_slice(), outputs.as_slice()) else { return None };
            // A map: every element of the result depends on that element of the arrays only.
            if active.iter().any(|x| x.ty.is_array() && x.shape != out.shape) {
                return None;
            }
            let mut partials = Vec::new();
            for (i, x) in active.iter().enumerate() {
                let complex = ValueData::array(out.ty.scalar().complex()?, out.shape.clone());
                let holomorphic = rule.holomorphic.get(i).copied().unwrap_or(false);
                match (x.ty.scalar(), holomorphic) {
                    (Scalar::C64 | Scalar::C128, true) => partials.push(complex),
                    (Scalar::C64 | Scalar::C128, false) => partials.extend([complex.clone(), complex]),
                    (Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64, _) => partials.push(out.clone()),
                }
            }
            partials
        }
    };
    Some(Signature { dims, params, results })
}
