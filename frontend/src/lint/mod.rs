//! Lints: warnings about what the language accepts and the author may not have meant. They are about the main file of a
//! program without errors, and `#[allow(…)]` turns them off for the item, parameter or statement that it stands on.

mod conditions;
mod formulas;
mod functions;
mod names;

use crate::sema::ctx::Ctx;
use crate::sema::hir::{Body, CheckedRule, FnIx};
use crate::syntax::ast::{self, Attr, AttrKind, Lint};
use adc_ir::{Diagnostic, FileId, Span};

/// The warnings about the main file, by position.
pub fn lints(
    ctx: &Ctx,
    trees: &[ast::File],
    bodies: &[Option<Body>],
    rules: &[CheckedRule],
) -> Vec<Diagnostic> {
    let Some(main) = trees.first() else { return Vec::new() };
    let mut found = names::lints(ctx, main);
    found.extend(functions::lints(ctx, bodies, rules));
    // A function made for given functions repeats the one in the source.
    let own =
        |i: &usize| ctx.items.fns[*i].item.span.file == FileId(0) && !ctx.items.fns[*i].name.contains('.');
    let strict = |f: FnIx| {
        let strict = |a: &Attr| a.kind == AttrKind::Fp(ast::FpMode::Strict);
        ctx.items.func(f).item.attrs.iter().any(strict)
    };
    let ruled = |f: FnIx| ctx.items.rules.iter().any(|r| r.target == f);
    let of_fns = (0..bodies.len()).filter(own).filter_map(|i| Some((bodies[i].as_ref()?, FnIx(i))));
    let of_rules = rules.iter().filter(|r| r.span.file == FileId(0)).map(|r| (&r.body, r.target));
    for (body, f) in of_fns.chain(of_rules) {
        found.extend(conditions::lints(ctx, body, f));
        found.extend(formulas::lints(ctx, body, (strict(f), ruled(f))));
    }
    let allowed = allowed(main);
    found.retain(|d| !allowed.iter().any(|(span, lint)| d.code == lint.code() && within(d.span(), *span)));
    found.sort_by_key(|d| (d.span(), d.code as u16));
    found.dedup();
    found
}

/// What `#[allow(…)]` says, with the text it is about.
fn allowed(main: &ast::File) -> Vec<(Span, Lint)> {
    let mut all = Vec::new();
    let mut add = |attrs: &[Attr], span: Span| {
        for a in attrs {
            if let AttrKind::Allow(lints) = &a.kind {
                all.extend(lints.iter().map(|l| (span, *l)));
            }
        }
    };
    for item in &main.items {
        add(&item.attrs, item.span);
        let body = match &item.kind {
            ast::ItemKind::Fn(sig, body) => {
                sig.params.iter().for_each(|p| add(&p.attrs, p.span));
                body
            }
            ast::ItemKind::Rule(ast::Rule { body: ast::RuleBody::Block(body), .. }) => body,
            ast::ItemKind::Rule(_)
            | ast::ItemKind::ExternFn(_)
            | ast::ItemKind::Const(_)
            | ast::ItemKind::Check(_)
            | ast::ItemKind::Bench(_)
            | ast::ItemKind::Use(_) => continue,
        };
        crate::syntax::walk::statements(body, &mut |s| add(&s.attrs, s.span));
    }
    all
}

fn within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// The place without the parentheses around it.
fn bare(ctx: &Ctx, span: Span) -> Span {
    let mut span = span;
    loop {
        let text = ctx.text(span);
        let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return span };
        // `(a) + (b)` only looks like one in parentheses. Comments are not in expressions that are quoted.
        let mut depth = 0;
        for c in inside.chars() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth < 0 {
                return span;
            }
        }
        let (lead, trail) =
            (inside.len() - inside.trim_start().len(), inside.len() - inside.trim_end().len());
        span.start += 1 + lead as u32;
        span.end -= 1 + trail as u32;
    }
}

/// Its text, the blanks left out: the same for what is the same.
fn key(ctx: &Ctx, span: Span) -> String {
    ctx.text(bare(ctx, span)).split_whitespace().collect()
}
