//! The items of a program: one name space of functions and constants over all files, rules by function,
//! the main file's blocks.

use super::builtins::{self, Builtin};
use super::ctx::Ctx;
use super::dims::{Sym, Syms};
use super::hir::{ConstIx, FnIx};
use super::types::Ty;
use crate::syntax::ast;
use adc_ir::{Code, Const, Diagnostic, FileId, ParamDomain, Scalar, Span, Value};
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum ItemRef {
    /// A function.
    Fn(FnIx),
    /// A constant.
    Const(ConstIx),
}

/// A function.
pub struct FnItem<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it shows to callers.
    pub sig: &'a ast::Signature,
    /// `None` for extern functions.
    pub body: Option<&'a ast::Block>,
    /// The whole item.
    pub item: &'a ast::Item,
    /// Its dimensions.
    pub dims: Vec<&'a ast::Name>,
    /// What the sizes of its parameters and results are made of: its dimensions first.
    pub syms: Syms,
    /// Parameters with their types.
    pub params: Vec<ParamItem<'a>>,
    /// Result names and types, at least one.
    pub results: Vec<(String, Ty)>,
    /// Its signature has been reported: calls of it say nothing more, its body is not looked at.
    pub broken: bool,
}

/// A parameter.
pub struct ParamItem<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its declared type.
    pub ty: Ty,
    /// Name, type and domain in the source.
    pub span: Span,
    /// Its type in the source.
    pub ty_span: Span,
    /// Its declared domain.
    pub domain: Option<ParamDomain>,
    /// `#[nodiff]`
    pub nodiff: bool,
}

/// A constant.
pub struct ConstItem<'a> {
    /// Its source.
    pub decl: &'a ast::Const,
    /// Its type.
    pub ty: Ty,
    /// Its value, once known.
    pub value: Option<Constant>,
}

/// The value of a constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The sizes of an array.
    pub shape: Vec<usize>,
    /// Its elements in row-major order; of a scalar the one.
    pub data: Vec<Const>,
}

impl Constant {
    /// The value of a scalar.
    pub fn scalar(&self) -> Option<Const> {
        if self.shape.is_empty() { self.data.first().copied() } else { None }
    }
}

/// A hand-written derivative.
pub struct RuleItem<'a> {
    /// Its source.
    pub rule: &'a ast::Rule,
    /// The whole item.
    pub item: &'a ast::Item,
    /// The function it belongs to.
    pub target: FnIx,
}

/// All items.
#[derive(Default)]
pub struct Items<'a> {
    /// Functions, the main file's first, in source order.
    pub fns: Vec<FnItem<'a>>,
    /// Constants.
    pub consts: Vec<ConstItem<'a>>,
    /// Rules, at most one of a kind per function.
    pub rules: Vec<RuleItem<'a>>,
    /// `check` blocks of the main file.
    pub checks: Vec<(&'a ast::Check, Span)>,
    /// `bench` blocks of the main file.
    pub benches: Vec<(&'a ast::Check, Span)>,
    names: FxHashMap<&'a str, (ItemRef, Span)>,
}

impl<'a> Items<'a> {
    /// What a name stands for in every file.
    pub fn find(&self, name: &str) -> Option<ItemRef> {
        self.names.get(name).map(|(r, _)| *r)
    }

    /// A function.
    pub fn func(&self, ix: FnIx) -> &FnItem<'a> {
        &self.fns[ix.0]
    }

    /// Names of functions, for suggestions.
    pub fn fn_names(&self) -> impl Iterator<Item = &'a str> {
        self.fns.iter().map(|f| f.name)
    }

    /// Names of constants, for suggestions.
    pub fn const_names(&self) -> impl Iterator<Item = &'a str> {
        self.consts.iter().map(|c| c.decl.name.text.as_str())
    }

    /// Whether the function is one of the main file's.
    pub fn in_main(&self, ix: FnIx) -> bool {
        self.func(ix).item.span.file == FileId(0)
    }
}

impl FnItem<'_> {
    /// The type of a call: the result's, or a tuple.
    pub fn result_ty(&self) -> Ty {
        tuple_or_plain(self.results.iter().map(|(_, t)| t.clone()).collect())
    }

    /// Positions of the parameters that carry derivatives.
    pub fn differentiable(&self) -> Vec<usize> {
        let carries = |p: &ParamItem| !p.nodiff && p.ty.declared_elem().is_some_and(Scalar::is_float);
        (0..self.params.len()).filter(|&i| carries(&self.params[i])).collect()
    }

    /// The quotients in the sizes of its parameters and results, and in those: further dimensions of the function in the
    /// IR, in order.
    pub fn quotients(&self) -> Vec<Value> {
        let used = self.syms.iter().zip(0..).filter(|((s, used), _)| *used && matches!(s, Sym::Div(..)));
        used.map(|(_, i)| Value(i)).collect()
    }

    /// Whether one of its parameters is a function, so that it is compiled once per use.
    pub fn is_generic(&self) -> bool {
        self.params.iter().any(|p| matches!(p.ty, Ty::Fn(_)))
    }
}

/// One value plainly, several as a tuple.
pub fn tuple_or_plain(mut tys: Vec<Ty>) -> Ty {
    if tys.len() == 1 { tys.remove(0) } else { Ty::Tuple(tys) }
}

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
    match crate::sema::suggest::nearest(text, ctx.items.fn_names()) {
        Some(near) => d.label(name.span, format!("did you mean `{near}`?")),
        None => d.label(name.span, "not defined in this file or the files it uses"),
    }
}
