//! Functions that nothing uses.

use crate::sema::ctx::Ctx;
use crate::sema::hir::{Body, CheckedRule, FnIx};
use crate::sema::items::ItemRef;
use crate::syntax::ast::{CheckLineKind, ExprKind};
use adc_ir::{Certainty, Code, Diagnostic, Edit, Scalar, Span};

/// Warnings about the main file's functions that neither a block nor a model reaches. A model is a function that can be
/// checked by itself: other programs may use it. A file without blocks may be a library, of which nothing is said.
pub fn lints(ctx: &Ctx, bodies: &[Option<Body>], rules: &[CheckedRule]) -> Vec<Diagnostic> {
    let items = &ctx.items;
    let blocks = || items.checks.iter().chain(&items.benches).map(|(block, _)| *block);
    if blocks().next().is_none() {
        return Vec::new();
    }
    let mut reached = vec![false; items.fns.len()];
    let mut todo: Vec<FnIx> = (0..items.fns.len()).map(FnIx).filter(|f| is_model(ctx, *f)).collect();
    for block in blocks() {
        let values = block.lines.iter().filter_map(|l| match &l.kind {
            CheckLineKind::Fixed { value, .. } => match &value.kind {
                ExprKind::Name(n) => Some(n),
                _ => None,
            },
            _ => None,
        });
        for name in values.chain([&block.target]) {
            if let Some(ItemRef::Fn(f)) = items.find(&name.text) {
                todo.push(f);
            }
        }
    }
    while let Some(f) = todo.pop() {
        if std::mem::replace(&mut reached[f.0], true) {
            continue;
        }
        let own = bodies.get(f.0).and_then(Option::as_ref).into_iter();
        let of_rules = rules.iter().filter(|r| r.target == f).map(|r| &r.body);
        todo.extend(own.chain(of_rules).flat_map(|b| b.mentions.iter().map(|m| m.f)));
    }
    (0..items.fns.len())
        .map(FnIx)
        .filter(|f| items.in_main(*f) && !reached[f.0])
        .filter(|f| !items.func(*f).name.contains('.') && !items.func(*f).name.starts_with('_'))
        // One that is only made for given functions is reached through those.
        .filter(|f| {
            let made = format!("{}.", items.func(*f).name);
            !items.fns.iter().any(|g| g.name.starts_with(&made))
        })
        .map(|f| {
            let others = bodies.iter().enumerate().filter(|(i, _)| *i != f.0).filter_map(|(_, b)| b.as_ref());
            let mut mentions = others.flat_map(|b| &b.mentions);
            unused(ctx, f, mentions.any(|m| m.f == f))
        })
        .collect()
}

/// Whether a function has something to differentiate and can be called from outside.
fn is_model(ctx: &Ctx, f: FnIx) -> bool {
    let item = ctx.items.func(f);
    let result = item.results.iter().any(|(_, ty)| ty.declared_elem().is_some_and(Scalar::is_float));
    !item.is_generic() && item.body.is_some() && result && !item.differentiable().is_empty()
}

/// `called`: by another one that is not used.
fn unused(ctx: &Ctx, f: FnIx, called: bool) -> Diagnostic {
    let item = ctx.items.func(f);
    let d = Diagnostic::warning(Code::UnusedFunction, format!("nothing uses the function `{}`", item.name))
        .label(item.sig.name.span, "no block and no model of the file reaches it")
        .help("remove it, or call it from a model");
    // Its callers and rules would be left alone.
    match called || ctx.items.rules.iter().any(|r| r.target == f) {
        true => d,
        false => {
            let span = whole_lines(ctx, item.item.span);
            d.suggest("remove it", vec![Edit { span, text: String::new() }], Certainty::Likely)
        }
    }
}

/// A span with the rest of its first and last line, if there is nothing else on them.
pub fn whole_lines(ctx: &Ctx, span: Span) -> Span {
    let Some(file) = ctx.sources.get(span.file.0 as usize) else { return span };
    let (before, after) = (&file.text[..span.start as usize], &file.text[span.end as usize..]);
    let indent = before.len() - before.trim_end_matches([' ', '\t']).len();
    let blank = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
    let starts = before.len() == indent || before[..before.len() - indent].ends_with('\n');
    if starts && after[blank..].starts_with('\n') {
        Span { start: span.start - indent as u32, end: span.end + blank as u32 + 1, ..span }
    } else {
        span
    }
}
