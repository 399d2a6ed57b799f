//! Declared types, signatures and domains.

use super::consts;
use super::ctx::Ctx;
use super::dim_exprs::{self, Found};
use super::dims::{self, Sym, Syms};
use super::hir::FnIx;
use super::items::ParamItem;
use super::types::{FnTy, Ty, Types};
use crate::syntax::ast;
use crate::syntax::suggest;
use crate::words;
use adc_ir::{Certainty, Code, Const, Diagnostic, Dim, MAX_RANK, ParamDomain, Scalar, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where the names in the sizes of a type come from.
pub struct TypeScope<'s> {
    /// What sizes are made of.
    pub syms: &'s mut Syms,
    /// The names that are visible.
    pub find: &'s dyn Fn(&str) -> Found,
}

/// Resolves the types of all constants.
pub fn constants(ctx: &mut Ctx) {
    for i in 0..ctx.items.consts.len() {
        let decl = ctx.items.consts[i].decl;
        let ty =
            resolve(ctx, &decl.ty, &mut TypeScope { syms: &mut Syms::default(), find: &|_| Found::Nothing });
        ctx.items.consts[i].ty = match ty {
            Ty::Tuple(_) | Ty::Fn(_) => {
                ctx.report(
                    Diagnostic::error(Code::TypeMismatch, "a constant is a scalar or an array")
                        .label(decl.ty.span, "wrong type"),
                );
                Ty::Error
            }
            // Its size was reported.
            ty if ty.shape().iter().any(dims::is_unknown) => Ty::Error,
            ty => ty,
        };
    }
}

/// Resolves the signatures of all functions. Domains come later: [`domains`].
pub fn signatures(ctx: &mut Ctx) {
    for i in 0..ctx.items.fns.len() {
        signature(ctx, FnIx(i));
    }
}

fn signature(ctx: &mut Ctx, ix: FnIx) {
    let sig = ctx.items.func(ix).sig;
    let is_extern = ctx.items.func(ix).body.is_none();
    let before = ctx.errors();
    let mut params: Vec<ParamItem> = Vec::new();
    let mut names: FxHashMap<&str, (Span, &str)> = FxHashMap::default();
    let mut syms = Syms::default();
    let mut dims: FxHashMap<&str, Dim> = FxHashMap::default();
    for d in &sig.dims {
        let twice = names.insert(&d.text, (d.span, "dimension")).map(|first| (first, "dimension"));
        if let Some(((first, _), what)) = twice {
            ctx.report(twice_error(&sig.name.text, what, d, first));
        }
        dims.insert(&d.text, syms.intern(Sym::Name(d.text.as_str().into())));
    }
    let find = |name: &str| dims.get(name).map_or(Found::Nothing, |d| Found::Dim(d.clone()));
    let mut scope = TypeScope { syms: &mut syms, find: &find };
    for p in &sig.params {
        let ty = param_type(ctx, &p.ty, is_extern, &mut scope);
        if p.name.text != "_"
            && let Some((first, what)) = names.get(&*p.name.text)
        {
            ctx.report(twice_error(&sig.name.text, what, &p.name, *first));
        }
        names.entry(&p.name.text).or_insert((p.span, "parameter"));
        let attr = |kind| p.attrs.iter().find(|a| a.kind == kind);
        let nodiff = attr(ast::AttrKind::Nodiff).is_some();
        let linear = attr(ast::AttrKind::Linear);
        params.push(ParamItem {
            name: &p.name.text,
            ty,
            // With the claim, so that messages about it show it.
            span: linear.map_or(p.span, |a| a.span.to(p.span)),
            ty_span: p.ty.span,
            domain: None,
            nodiff,
            linear: linear.is_some(),
        });
    }
    let many = sig.results.items.len() > 1;
    let mut results: Vec<(String, Ty)> = Vec::new();
    let mut names: FxHashSet<String> = FxHashSet::default();
    for (i, r) in sig.results.items.iter().enumerate() {
        let ty = result_type(ctx, &r.ty, &mut scope);
        let name = match &r.name {
            Some(n) => n.text.clone(),
            None if many => format!("out.{i}"),
            None => "out".into(),
        };
        if !names.insert(name.clone()) {
            let d = Diagnostic::error(
                Code::DuplicateName,
                format!("`{}` has two results called `{name}`", sig.name.text),
            );
            ctx.report(d.label(r.span, "the second one"));
        }
        results.push((name, ty));
    }
    linear_params(ctx, sig, is_extern, &params, &results);
    let broken = ctx.items.fns[ix.0].broken || ctx.errors() > before;
    let item = &mut ctx.items.fns[ix.0];
    (item.params, item.results, item.broken, item.syms) = (params, results, broken, syms);
}

/// Reports what `#[linear]` cannot say.
fn linear_params(
    ctx: &Ctx,
    sig: &ast::Signature,
    is_extern: bool,
    params: &[ParamItem],
    results: &[(String, Ty)],
) {
    let is_float = |ty: &Ty| ty.declared_elem().is_none_or(Scalar::is_float);
    for (p, item) in sig.params.iter().zip(params) {
        let Some(attr) = p.attrs.iter().find(|a| a.kind == ast::AttrKind::Linear) else { continue };
        let (f, name) = (&sig.name.text, &p.name.text);
        let bad = |message: String, (span, label): (Span, &str), help: &str| {
            ctx.report(Diagnostic::error(Code::BadAttribute, message).label(span, label).help(help));
        };
        let remove = "remove the attribute";
        if !is_extern {
            let message = format!("`#[linear]` is for extern functions, and `{f}` has a body");
            let help = "remove it: the compiler sees whether a body is linear";
            bad(message, (attr.span, "not needed here"), help);
        } else if !is_float(&item.ty) {
            let message = format!("`{name}` is neither real nor complex, so `{f}` cannot be linear in it");
            bad(message, (item.span, "carries no derivative"), remove);
        } else if item.nodiff {
            let message = format!("`{name}` cannot be `#[linear]` and `#[nodiff]`");
            let help = "keep one of them: `#[nodiff]` parameters have no tangents";
            bad(message, (item.span, "both"), help);
        } else if let Some(domain) = &p.domain {
            let message = format!("`{name}` is `#[linear]` and has a domain");
            let help = "leave the domain out: every tangent and cotangent may be passed";
            bad(message, (domain.span, "here"), help);
        } else if let Some((result, _)) = results.iter().find(|(_, ty)| !is_float(ty)) {
            let message =
                format!("`{f}` cannot be linear: its result `{result}` is neither real nor complex");
            bad(message, (attr.span, "in all results"), remove);
        }
    }
}

/// Two dimensions or parameters of one name.
fn twice_error(f: &str, first_is: &str, name: &ast::Name, first: Span) -> Diagnostic {
    let message = match first_is {
        "parameter" => format!("`{f}` has two parameters called `{}`", name.text),
        _ => format!("`{f}` has a dimension `{}` and something else of that name", name.text),
    };
    Diagnostic::error(Code::DuplicateName, message)
        .label(name.span, "the second one")
        .also(first, "the first one")
}

fn param_type<'a>(ctx: &Ctx<'a>, t: &'a ast::Type, is_extern: bool, scope: &mut TypeScope) -> Ty {
    let refuse = |what: &str, help: &str| {
        ctx.report(Diagnostic::error(Code::TypeMismatch, what).label(t.span, "here").help(help));
        Ty::Error
    };
    match resolve(ctx, t, scope) {
        Ty::Tuple(_) => refuse("a parameter cannot be a tuple", "make each part a parameter of its own"),
        Ty::Fn(_) if is_extern => {
            refuse("an extern function cannot take a function", "pass numbers to native code")
        }
        ty => ty,
    }
}

fn result_type<'a>(ctx: &Ctx<'a>, t: &'a ast::Type, scope: &mut TypeScope) -> Ty {
    let refuse = |what: &str, help: &str| {
        ctx.report(Diagnostic::error(Code::TypeMismatch, what).label(t.span, "here").help(help));
        Ty::Error
    };
    match resolve(ctx, t, scope) {
        Ty::Tuple(_) => refuse("a result cannot be a tuple itself", "list its parts as results"),
        Ty::Fn(_) => {
            refuse("a result cannot be a function", "take the function as a parameter where it is used")
        }
        ty => ty,
    }
}

/// The type a source type stands for; reports what it cannot be.
pub fn resolve<'a>(ctx: &Ctx<'a>, t: &'a ast::Type, scope: &mut TypeScope) -> Ty {
    match &t.kind {
        ast::TypeKind::Scalar(name) => element(ctx, name),
        ast::TypeKind::Array { elem, dims } => {
            let elem = element(ctx, elem);
            if dims.len() > MAX_RANK {
                ctx.report(too_many_axes(t.span, dims.len()));
                return Ty::Error;
            }
            let size = |d| dim_exprs::size(ctx, scope.syms, d, scope.find, "the size of an array");
            Ty::array(elem, dims.iter().map(size).collect())
        }
        ast::TypeKind::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| value_type(ctx, t, scope)).collect()),
        ast::TypeKind::Fn { params, result } => {
            let params = params.iter().map(|t| param_type(ctx, t, false, scope)).collect();
            Ty::Fn(Rc::new(FnTy { params, result: value_type(ctx, result, scope) }))
        }
        ast::TypeKind::Error => Ty::Error,
    }
}

fn element(ctx: &Ctx, name: &ast::Name) -> Ty {
    match Scalar::from_name(&name.text) {
        Some(s) => Types::fixed(s),
        None => {
            ctx.report(unknown_type(&name.text, name.span));
            Ty::Error
        }
    }
}

/// The error about an array of too many axes.
pub fn too_many_axes(span: Span, axes: usize) -> Diagnostic {
    Diagnostic::error(Code::BadRank, format!("arrays have at most {MAX_RANK} axes"))
        .label(span, format!("{axes} axes"))
        .help("use several arrays")
}

/// A type of values: anything but a function.
fn value_type<'a>(ctx: &Ctx<'a>, t: &'a ast::Type, scope: &mut TypeScope) -> Ty {
    match resolve(ctx, t, scope) {
        Ty::Fn(_) => {
            ctx.report(
                Diagnostic::error(Code::TypeMismatch, "a function is not a value")
                    .label(t.span, "here")
                    .help("functions are named items, or parameters of type `fn(…) -> …`"),
            );
            Ty::Error
        }
        ty => ty,
    }
}

/// The error about a type that does not exist.
pub fn unknown_type(name: &str, span: Span) -> Diagnostic {
    let near = words::scalar(name)
        .map(Scalar::name)
        .or_else(|| suggest::nearest(name, Scalar::all().map(Scalar::name)));
    let d = Diagnostic::error(Code::UnknownType, format!("no type called `{name}`"));
    if words::is_array_type(name) {
        return d.label(span, "write `f64[N]`").help(
            "an array type has its sizes behind the type of its entries: `fn f[N, M](x: f64[N], A: f64[N, M]) -> …`",
        );
    }
    let d = match near {
        Some(near) => {
            let same = words::scalar(name).is_some();
            let certainty = if same { Certainty::Certain } else { Certainty::Likely };
            d.label(span, format!("write `{near}`")).replace(span, near, certainty)
        }
        None => d.label(span, super::ctx::NOT_A_TYPE),
    };
    d.help("the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)")
}

/// Computes the declared domains of all parameters.
pub fn domains(ctx: &mut Ctx) {
    for f in 0..ctx.items.fns.len() {
        let sig = ctx.items.fns[f].sig;
        for (p, param) in sig.params.iter().enumerate() {
            if let (Some(d), false) = (&param.domain, ctx.items.fns[f].broken) {
                let ty = ctx.items.fns[f].params[p].ty.clone();
                ctx.items.fns[f].params[p].domain = domain(ctx, d, &ty, &param.name.text);
            }
        }
    }
}

/// A domain of a parameter of type `ty`; bounds are rounded to its precision.
pub fn domain(ctx: &Ctx, d: &ast::Domain, ty: &Ty, param: &str) -> Option<ParamDomain> {
    let bad = |span: Span, message: String, label: &str, help: &str| {
        ctx.report(Diagnostic::error(Code::BadDomain, message).label(span, label).help(help));
        None
    };
    let of = ty.declared_elem()?;
    match &d.kind {
        ast::DomainKind::Interval { lo, hi, lo_closed, hi_closed } => {
            if !(of == Scalar::I64 || of.is_real()) {
                let help = match of {
                    Scalar::Bool => "leave it out",
                    _ => "write `in disk(r)` or `in annulus(r0, r1)`",
                };
                return bad(d.span, format!("`{param}` is {of} and has no interval"), "an interval", help);
            }
            // Bounds of integers may be infinite, so they are read as reals.
            let as_ty = if of == Scalar::I64 { Types::fixed(Scalar::F64) } else { ty.elem().clone() };
            let (from, to) = (bound(ctx, lo, &as_ty)?, bound(ctx, hi, &as_ty)?);
            let empty = from > to || (from == to && !(*lo_closed && *hi_closed));
            if from.is_nan() || to.is_nan() || empty {
                let help = "write the smaller bound first";
                return bad(d.span, format!("the domain of `{param}` is empty"), "nothing lies in it", help);
            }
            Some(ParamDomain::Interval { lo: from, hi: to, lo_closed: *lo_closed, hi_closed: *hi_closed })
        }
        ast::DomainKind::Call { name, args } => {
            let arity = match name.text.as_str() {
                "disk" => 1,
                "annulus" => 2,
                other => {
                    let help = "domains are intervals `[a, b]`, `disk(r)` and `annulus(r0, r1)`";
                    return bad(name.span, format!("no domain called `{other}`"), "unknown", help);
                }
            };
            if !of.is_complex() {
                let message = format!("`{param}` is {of}, and `{}` is for complex parameters", name.text);
                return bad(d.span, message, "a set of complex numbers", "write an interval: `in [a, b]`");
            }
            if args.len() != arity {
                let message = format!("`{}` takes {arity} number{}", name.text, plural(arity));
                return bad(d.span, message, "here", "write `disk(r)` or `annulus(r0, r1)`");
            }
            let radii: Vec<f64> =
                args.iter().map(|a| bound(ctx, a, &Types::fixed(of.real()))).collect::<Option<_>>()?;
            let (r0, r1) = if arity == 1 { (0.0, radii[0]) } else { (radii[0], radii[1]) };
            if !(0.0 <= r0 && r0 <= r1) {
                let help = "radii are not negative, the smaller one first";
                return bad(d.span, format!("the domain of `{param}` is empty"), "nothing lies in it", help);
            }
            Some(ParamDomain::Annulus { r0, r1 })
        }
    }
}

fn bound(ctx: &Ctx, e: &ast::Expr, ty: &Ty) -> Option<f64> {
    consts::number(ctx, e, ty, "a bound of a domain").map(|c: Const| c.to_c128().re)
}

/// The plural ending for a count.
pub fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
