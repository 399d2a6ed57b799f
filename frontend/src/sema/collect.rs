//! From the trees of all files to the items of a program.

use super::builtins::{self, Builtin};
use super::ctx::Ctx;
use super::dims::Syms;
use super::hir::{ConstIx, FnIx};
use super::items::{ConstItem, FnItem, ItemRef, RuleItem};
use super::types::Ty;
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, FileId, Scalar};

/// Enters every item of every file; signatures and values come later ([`super::decl`], [`super::consts`]).
pub fn collect<'a>(ctx: &mut Ctx<'a>, trees: &'a [ast::File]) {
    let mut rules = Vec::new();
    for item in trees.iter().flat_map(|t| &t.items) {
        match &item.kind {
            ast::ItemKind::Fn(sig, body) => add_fn(ctx, item, sig, Some(body)),
            ast::ItemKind::ExternFn(sig) => add_fn(ctx, item, sig, None),
            ast::ItemKind::Const(decl) => {
                let ix = ConstIx(ctx.items.consts.len());
                if enter(ctx, &decl.name, ItemRef::Const(ix)) {
                    ctx.items.consts.push(ConstItem { decl, ty: Ty::Error, value: None });
                }
            }
            ast::ItemKind::Rule(rule) => rules.push((rule, item)),
            ast::ItemKind::Check(check) if item.span.file == FileId(0) => {
                ctx.items.checks.push((check, item.span));
            }
            ast::ItemKind::Bench(bench) if item.span.file == FileId(0) => {
                ctx.items.benches.push((bench, item.span));
            }
            ast::ItemKind::Check(_) | ast::ItemKind::Bench(_) | ast::ItemKind::Use(_) => {}
        }
    }
    for (rule, item) in rules {
        add_rule(ctx, rule, item);
    }
}

fn add_fn<'a>(ctx: &mut Ctx<'a>, item: &'a ast::Item, sig: &'a ast::Signature, body: Option<&'a ast::Block>) {
    let ix = FnIx(ctx.items.fns.len());
    if !enter(ctx, &sig.name, ItemRef::Fn(ix)) {
        return;
    }
    let (params, results) = (Vec::new(), Vec::new());
    let (dims, syms) = (sig.dims.iter().collect(), Syms::default());
    let name = &sig.name.text;
    ctx.items.fns.push(FnItem { name, sig, body, item, dims, syms, params, results, broken: false });
}

/// Takes a name; reports one that is taken, and says so if it is a built-in's.
fn enter<'a>(ctx: &mut Ctx<'a>, name: &'a ast::Name, item: ItemRef) -> bool {
    let text = name.text.as_str();
    if let Some((_, first)) = ctx.items.names.get(text) {
        ctx.report(
            Diagnostic::error(Code::DuplicateName, format!("`{text}` is defined twice"))
                .label(name.span, "the second definition")
                .also(*first, "the first one")
                .help("rename one of them; files joined by `use` share their names"),
        );
        return false;
    }
    let builtin =
        Builtin::find(text).is_some() || builtins::named(text).is_some() || Scalar::from_name(text).is_some();
    if builtin {
        ctx.report(
            Diagnostic::note_only(Code::Shadows, format!("`{text}` shadows the built-in of that name"))
                .label(name.span, "this one is used from here on"),
        );
    }
    ctx.items.names.insert(text, (item, name.span));
    true
}

fn add_rule<'a>(ctx: &mut Ctx<'a>, rule: &'a ast::Rule, item: &'a ast::Item) {
    let name = &rule.target;
    let target = match ctx.items.find(&name.text) {
        Some(ItemRef::Fn(ix)) => ix,
        Some(ItemRef::Const(_)) => {
            let d = Diagnostic::error(Code::NotAFunction, format!("`{}` is a constant", name.text));
            return ctx.report(d.label(name.span, "a rule belongs to a function"));
        }
        None => return ctx.report(unknown_function(ctx, name)),
    };
    let same = |r: &&RuleItem| r.target == target && r.rule.kind == rule.kind;
    if let Some(first) = ctx.items.rules.iter().find(same) {
        let d = Diagnostic::error(
            Code::DuplicateName,
            format!("`{}` has two `{}` rules", name.text, rule.kind.name()),
        )
        .label(name.span, "the second one")
        .also(first.rule.target.span, "the first one")
        .help("keep one of each kind");
        return ctx.report(d);
    }
    ctx.items.rules.push(RuleItem { rule, item, target });
}

/// The error about a function no file has, for blocks and rules, which take no built-ins.
pub fn unknown_function(ctx: &Ctx, name: &ast::Name) -> Diagnostic {
    let text = &name.text;
    let d = Diagnostic::error(Code::UnknownName, format!("no function called `{text}`"));
    if Builtin::find(text).is_some() {
        return d
            .label(name.span, "this is a built-in")
            .help(format!("define a function that calls it: `fn my_{text}(x: f64) -> f64 {{ {text}(x) }}`"));
    }
    match crate::syntax::suggest::nearest(text, ctx.items.fn_names()) {
        Some(near) => d.meant(name.span, near),
        None => {
            let names: Vec<String> = ctx.items.fn_names().map(|n| format!("`{n}`")).collect();
            let d = d.label(name.span, "not defined in this file or the files it uses");
            match &names[..] {
                [] => d.help("declare it first: `fn f(x: f64) -> f64 { … }`"),
                _ if names.len() > 8 => d.help("give the name of a function of this file or of one it uses"),
                _ => d.help(format!("the functions are {}", names.join(", "))),
            }
        }
    }
}
