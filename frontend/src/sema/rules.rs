//! Derivatives written by hand: do they fit their functions, and what do their bodies compute.

use super::ctx::Ctx;
use super::decl::plural;
use super::hir::{CheckedRule, FnIx, RuleResult};
use super::infer::Infer;
use super::items::{FnItem, RuleItem, tuple_or_plain};
use super::types::{Ty, Types};
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, RuleCheck, RuleKind, Scalar, Span};

/// Checks every rule and infers its body; one that does not fit is reported and left out.
pub fn check<'a>(ctx: &Ctx<'a>) -> Vec<CheckedRule<'a>> {
    ctx.items.rules.iter().filter_map(|r| check_one(ctx, r)).collect()
}

fn check_one<'a>(ctx: &Ctx<'a>, item: &RuleItem<'a>) -> Option<CheckedRule<'a>> {
    let f = ctx.items.func(item.target);
    if f.broken || ctx.damaged(item.item.span) {
        return None;
    }
    let rule = item.rule;
    if let Err(d) = header(rule, f) {
        ctx.report(d);
        return None;
    }
    duplicate_names(ctx, rule);
    if let Some(attr) = item.item.attrs.iter().find(|a| a.kind == ast::AttrKind::Nonlinear) {
        nonlinear(ctx, rule, f, item.target, attr.span);
    }
    let params = f.differentiable();
    let outputs: Vec<usize> = (0..f.results.len())
        .filter(|&i| f.results[i].1.declared_elem().is_some_and(Scalar::is_float))
        .collect();
    let param_types = || params.iter().map(|&i| f.params[i].ty.clone()).collect::<Vec<_>>();
    let output_types = || outputs.iter().map(|&i| f.results[i].1.clone()).collect::<Vec<_>>();
    let (results, holomorphic, body) = match (&rule.body, rule.kind) {
        (ast::RuleBody::Block(block), RuleKind::Jvp) => {
            let result = tuple_or_plain(output_types());
            let body = Infer::rule(ctx, rule, item.target, block, param_types(), result);
            (in_order(outputs.iter().map(|&i| format!("{}_dot", f.results[i].0))), Vec::new(), body)
        }
        (ast::RuleBody::Block(block), _) => {
            let linear = vec![tuple_or_plain(output_types())];
            let result = tuple_or_plain(param_types());
            let body = Infer::rule(ctx, rule, item.target, block, linear, result);
            (in_order(params.iter().map(|&i| format!("{}_bar", f.params[i].name))), Vec::new(), body)
        }
        (ast::RuleBody::Partials(partials), _) => {
            let slots = slots(ctx, rule, f, &params, partials)?;
            let body = Infer::partials(ctx, rule, item.target, &slots.entries);
            (slots.results, slots.holomorphic, body)
        }
    };
    // Of several attributes the one that leaves out most.
    let checks = item.item.attrs.iter().filter_map(|a| match a.kind {
        ast::AttrKind::Check(check) => Some(check),
        ast::AttrKind::Nonlinear => Some(RuleCheck::Nonlinear),
        _ => None,
    });
    let check = checks.max().unwrap_or_default();
    Some(CheckedRule { target: item.target, rule, span: item.item.span, check, results, holomorphic, body })
}

fn in_order(names: impl Iterator<Item = String>) -> Vec<RuleResult> {
    names.enumerate().map(|(value, name)| RuleResult { name, value, conj: false }).collect()
}

/// Numbers of parameters, tangents, cotangents.
fn header(rule: &ast::Rule, f: &FnItem) -> Result<(), Diagnostic> {
    let kind = rule.kind.name();
    let bad = |message: String, label: String, help: String| {
        let d = Diagnostic::error(Code::BadRule, message).label(rule.target.span, label);
        Err(d.also(f.sig.span, "the function").help(help))
    };
    if f.is_generic() {
        return bad(
            format!("`{}` takes a function, so it has no {kind} rule", f.name),
            "compiled separately for each function it takes".into(),
            "write the rule for a function that calls it with a function by name".into(),
        );
    }
    if rule.params.len() != f.params.len() {
        let (want, got) = (f.params.len(), rule.params.len());
        let names: Vec<&str> = f.params.iter().map(|p| p.name).collect();
        return bad(
            format!("`{}` has {want} parameter{}, but its {kind} rule names {got}", f.name, plural(want)),
            format!("{got} name{}", plural(got)),
            format!("name each of them: `({})`; the names are the rule's own", names.join(", ")),
        );
    }
    let params = f.differentiable();
    if params.is_empty() || !f.results.iter().any(|r| r.1.declared_elem().is_some_and(Scalar::is_float)) {
        return bad(
            format!("`{}` has nothing to differentiate", f.name),
            "no real or complex parameter, or no such result".into(),
            "remove the rule".into(),
        );
    }
    let (want, what) = match rule.kind {
        RuleKind::Jvp => (params.len(), "tangent"),
        RuleKind::Vjp => (1, "cotangent"),
        RuleKind::Partial if f.results.len() > 1 => {
            return bad(
                format!("`{}` has several results, which `rule partial` cannot describe", f.name),
                "here".into(),
                "write `rule jvp` or `rule vjp`".into(),
            );
        }
        RuleKind::Partial if !is_map(f) => {
            return bad(
                format!("`{}` does not map arrays element by element, which `rule partial` needs", f.name),
                "here".into(),
                "write `rule jvp` or `rule vjp`".into(),
            );
        }
        RuleKind::Partial => (0, "tangent"),
    };
    let got = rule.linear.len();
    if got != want {
        let of: Vec<&str> = params.iter().map(|&i| f.params[i].name).collect();
        let help = match rule.kind {
            RuleKind::Jvp => format!("one tangent for each differentiable parameter: {}", of.join(", ")),
            RuleKind::Vjp => format!(
                "write `rule vjp {}({}; g) {{ … }}`: one cotangent (a tuple if there are several results), and one value for each differentiable parameter, `({})`",
                f.name,
                rule.params.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join(", "),
                of.iter().map(|_| "…").collect::<Vec<_>>().join(", "),
            ),
            RuleKind::Partial => "`rule partial f(x) { d x: …; }`".into(),
        };
        return bad(
            format!("the {kind} rule of `{}` needs {want} {what}{}, but names {got}", f.name, plural(want)),
            format!("{got} behind the `;`"),
            help,
        );
    }
    Ok(())
}

/// Reports what `#[nonlinear]` cannot say: forward mode and partial derivatives are linear, and checks need a derivative in the
/// place of the rule.
fn nonlinear(ctx: &Ctx, rule: &ast::Rule, f: &FnItem, target: FnIx, attr: Span) {
    let (name, kind) = (&f.name, rule.kind.name());
    if rule.kind != RuleKind::Vjp {
        let message = format!("`#[nonlinear]` is for `vjp` rules, and this is a `{kind}` rule");
        let d = Diagnostic::error(Code::BadAttribute, message).label(attr, "does not belong here");
        let help =
            format!("a derivative in forward mode is linear: remove it, or write `rule vjp {name}(…)`");
        ctx.report(d.also(rule.target.span, "of this rule").help(help));
        return;
    }
    let other = |r: &RuleItem| r.target == target && r.rule.kind != RuleKind::Vjp;
    if f.body.is_none() && !ctx.items.rules.iter().any(other) {
        let message = format!("the only rule of the extern function `{name}` is `#[nonlinear]`");
        let help = format!(
            "give `{name}` its derivative by a rule, and write this one for a function that calls it: `fn clipped(x: f64) -> f64 {{ {name}(x) }}`"
        );
        let d = Diagnostic::error(Code::BadAttribute, message)
            .label(attr, "checks use the derivative of the body in its place, and there is none");
        ctx.report(d.also(f.sig.span, "native code").help(help));
    }
}

/// Whether a function with one result can be a map: every differentiable parameter is a scalar or of the result's shape.
fn is_map(f: &FnItem) -> bool {
    let shape = f.results[0].1.shape();
    f.differentiable().into_iter().map(|i| f.params[i].ty.shape()).all(|s| s.is_empty() || s == shape)
}

fn duplicate_names(ctx: &Ctx, rule: &ast::Rule) {
    let all: Vec<&ast::Name> = rule.params.iter().chain(&rule.linear).collect();
    for (i, n) in all.iter().enumerate() {
        if n.text != "_"
            && let Some(first) = all[..i].iter().find(|m| m.text == n.text)
        {
            ctx.report(
                Diagnostic::error(Code::DuplicateName, format!("this rule names `{}` twice", n.text))
                    .label(n.span, "the second one")
                    .also(first.span, "the first one"),
            );
        }
    }
}

/// The results of a `rule partial`, in the order of [`RuleKind::Partial`].
struct Slots<'a> {
    entries: Vec<(&'a ast::Partial, Ty)>,
    results: Vec<RuleResult>,
    holomorphic: Vec<bool>,
}

fn slots<'a>(
    ctx: &Ctx<'a>,
    rule: &'a ast::Rule,
    f: &FnItem<'a>,
    params: &[usize],
    partials: &'a [ast::Partial],
) -> Option<Slots<'a>> {
    let mut fine = true;
    let mut bad = |message: String, span: Span, label: &str, help: String| {
        ctx.report(Diagnostic::error(Code::BadRule, message).label(span, label).help(help));
        fine = false;
    };
    let result = f.results[0].1.declared_elem()?;
    let shape = f.results[0].1.shape();
    let mut found: Vec<[Option<&ast::Partial>; 2]> = vec![[None; 2]; f.params.len()];
    for p in partials {
        let name = &p.param.text;
        let Some(i) = rule.params.iter().position(|q| q.text == *name) else {
            let names: Vec<&str> = rule.params.iter().map(|n| n.text.as_str()).collect();
            let help = format!("the rule's parameters are {}", names.join(", "));
            bad(format!("this rule has no parameter `{name}`"), p.param.span, "unknown", help);
            continue;
        };
        if !params.contains(&i) {
            let help = "remove the line".to_string();
            bad(
                format!("`{name}` is not differentiated"),
                p.span,
                "not real or complex, or `#[nodiff]`",
                help,
            );
        } else if p.conj && !f.params[i].ty.declared_elem().is_some_and(Scalar::is_complex) {
            let help = format!("give `d {name}` only");
            bad(format!("`{name}` is real and has no `dconj`"), p.span, "for complex parameters", help);
        } else if found[i][usize::from(p.conj)].replace(p).is_some() {
            let word = if p.conj { "dconj" } else { "d" };
            let help = "keep one of them".to_string();
            bad(format!("`{word} {name}` is given twice"), p.span, "the second one", help);
        }
    }
    // A line of another name may be the one that is missing.
    let unknown = partials.iter().any(|p| rule.params.iter().all(|q| q.text != p.param.text));
    let mut out = Slots { entries: Vec::new(), results: Vec::new(), holomorphic: Vec::new() };
    for &i in params {
        let name = &rule.params[i].text;
        let ty = f.params[i].ty.declared_elem()?;
        let complex = if ty.is_complex() || result.is_complex() { result.complex()? } else { result };
        let [d, dconj] = found[i];
        let wanted = match (d, dconj) {
            (None, None) => Some(format!("add `d {name}: …;`")),
            (None, Some(_)) if result.is_complex() => {
                Some(format!("add `d {name}: …;` (0 if it does not depend on `{name}` itself)"))
            }
            _ => None,
        };
        if let Some(help) = wanted {
            if unknown {
                continue;
            }
            bad(
                format!("the derivative with respect to `{name}` is missing"),
                rule.target.span,
                "here",
                help,
            );
            continue;
        }
        let own = f.params[i].name;
        let holomorphic = ty.is_complex() && result.is_complex() && dconj.is_none();
        let mut pair = Vec::new();
        for p in [d, dconj].into_iter().flatten() {
            pair.push((p.conj, out.entries.len()));
            out.entries.push((p, Ty::array(Types::fixed(complex), shape.to_vec())));
        }
        // Of a real function either half gives the other.
        let mut result = |conj: bool| {
            let given = pair.iter().find(|(c, _)| *c == conj).or(pair.first());
            if let Some(&(c, value)) = given {
                let name = if conj { format!("dconj_{own}") } else { format!("d_{own}") };
                out.results.push(RuleResult { name, value, conj: c != conj });
            }
        };
        result(false);
        if ty.is_complex() && !holomorphic {
            result(true);
        }
        out.holomorphic.push(holomorphic);
    }
    fine.then_some(out)
}
