//! Hand-written derivatives as functions; see [`adc_ir::RuleKind`] for parameters and results.

use super::calls::Instances;
use super::{Lower, Slot};
use crate::sema::ctx::Ctx;
use crate::sema::hir::LocalId;
use crate::sema::rules::CheckedRule;
use adc_ir::{Builder, Diagnostic, Func, FuncId, Op, Type, Values};

/// The function of a rule.
pub(super) fn lower<'a>(
    ctx: &Ctx<'a>,
    instances: &mut Instances<'a>,
    id: FuncId,
    r: &CheckedRule<'a>,
) -> Result<Func, Diagnostic> {
    let f = ctx.items.func(r.target);
    let builder = Builder::new(instances.name(id), r.span);
    let mut lower = Lower::new(ctx, instances, &r.body, builder);
    // The body's variables are `out`, the function's parameters, tangents or cotangents; the IR function has
    // `out` after the parameters.
    for (i, (name, p)) in r.rule.params.iter().zip(&f.params).enumerate() {
        let name = if name.text == "_" { p.name } else { &name.text };
        let ty = Type::Scalar(p.ty.declared().expect("rules are for functions of scalars"));
        let v = lower.param(name, ty, p.span);
        let last = lower.builder.last_param();
        (last.nodiff, last.domain) = (p.nodiff, p.domain);
        lower.set(LocalId(i + 1), Slot::Values(Values::from_slice(&[v])));
    }
    let mut out = Values::new();
    for (i, (_, ty)) in f.results.iter().enumerate() {
        let name = if f.results.len() == 1 { "out".to_string() } else { format!("out.{i}") };
        let ty = Type::Scalar(ty.declared().expect("results are scalars"));
        out.push(lower.param(&name, ty, f.sig.results.items[i].span));
    }
    lower.set(LocalId(0), Slot::Values(out));
    let first = f.params.len() + 1;
    for (i, name) in r.rule.linear.iter().enumerate() {
        let local = LocalId(first + i);
        let parts = r.body.types.flatten(&r.body.locals[local.0].ty);
        let many = parts.len() > 1;
        let mut values = Values::new();
        for (k, ty) in parts.into_iter().enumerate() {
            let name = if many { format!("{}.{k}", name.text) } else { name.text.clone() };
            values.push(lower.param(&name, Type::Scalar(ty), name_span(r, i)));
        }
        lower.set(local, Slot::Values(values));
    }
    let values = lower.values()?;
    lower.builder.set_span(r.span);
    let results = r
        .results
        .iter()
        .map(|result| {
            let v = values[result.value];
            let v = if result.conj { lower.builder.op(Op::Conj, &[v]) } else { v };
            (result.name.clone(), v)
        })
        .collect();
    Ok(lower.builder.finish(results))
}

fn name_span(r: &CheckedRule, i: usize) -> adc_ir::Span {
    r.rule.linear[i].span
}
