//! Hand-written derivatives as functions; see [`adc_ir::RuleKind`] for parameters and results.

use super::calls::Instances;
use super::sizes::Symbols;
use super::{Lower, Slot, arrays};
use crate::sema::ctx::Ctx;
use crate::sema::hir::{CheckedRule, LocalId};
use adc_ir::{Builder, Diagnostic, Func, FuncId, Op, Values};

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
    lower.symbols = Symbols::declare(&mut lower.builder, f);
    let base = f.dims.len();
    // The body's variables are the dimensions, `out`, the function's parameters, tangents or cotangents; the IR function has
    // `out` after the parameters.
    for (i, (name, p)) in r.rule.params.iter().zip(&f.params).enumerate() {
        let name = if name.text == "_" { p.name } else { &name.text };
        let data = lower.symbols.declared(&p.ty).expect("rules are for functions of values");
        let v = lower.param(name, data, p.span);
        let last = lower.builder.last_param();
        (last.nodiff, last.domain) = (p.nodiff, p.domain);
        lower.set(LocalId(base + i + 1), Slot::Values(Values::from_slice(&[v])));
    }
    let mut out = Values::new();
    for (i, (_, ty)) in f.results.iter().enumerate() {
        let name = if f.results.len() == 1 { "out".to_string() } else { format!("out.{i}") };
        let data = lower.symbols.declared(ty).expect("results are values");
        out.push(lower.param(&name, data, f.sig.results.items[i].span));
    }
    lower.set(LocalId(base), Slot::Values(out));
    let first = base + f.params.len() + 1;
    for (i, name) in r.rule.linear.iter().enumerate() {
        let local = LocalId(first + i);
        let parts = lower.data(&r.body.locals[local.0].ty);
        let many = parts.len() > 1;
        let mut values = Values::new();
        for (k, data) in parts.into_iter().enumerate() {
            let name = if many { format!("{}.{k}", name.text) } else { name.text.clone() };
            values.push(lower.param(&name, data, name_span(r, i)));
        }
        lower.set(local, Slot::Values(values));
    }
    lower.prologue(r.span);
    let values = lower.values()?;
    lower.builder.set_span(r.span);
    let results = r
        .results
        .iter()
        .map(|result| {
            let v = values[result.value];
            let v = if result.conj { arrays::map_op(&mut lower.builder, Op::Conj, &[v]) } else { v };
            (result.name.clone(), v)
        })
        .collect();
    let mut func = lower.builder.finish(results);
    func.fp = super::fp_mode(f);
    Ok(func)
}

fn name_span(r: &CheckedRule, i: usize) -> adc_ir::Span {
    r.rule.linear[i].span
}
