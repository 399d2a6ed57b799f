//! Declared types, signatures and domains.

use super::consts;
use super::ctx::Ctx;
use super::hir::FnIx;
use super::items::ParamItem;
use super::later;
use super::suggest;
use super::types::{FnTy, Ty, Types};
use crate::syntax::ast;
use adc_ir::{Code, Const, Diagnostic, ParamDomain, Scalar, Span};
use std::rc::Rc;

/// Resolves the types of all constants and functions. Domains come after the constants have values:
/// [`domains`].
pub fn signatures(ctx: &mut Ctx) {
    for i in 0..ctx.items.consts.len() {
        let decl = ctx.items.consts[i].decl;
        let ty = resolve(ctx, &decl.ty);
        ctx.items.consts[i].ty = match ty {
            Ty::Tuple(_) | Ty::Fn(_) => {
                ctx.report(
                    Diagnostic::error(Code::TypeMismatch, "a constant is a scalar")
                        .label(decl.ty.span, "not a scalar type"),
                );
                Ty::Error
            }
            ty => ty,
        };
    }
    for i in 0..ctx.items.fns.len() {
        signature(ctx, FnIx(i));
    }
}

fn signature(ctx: &mut Ctx, ix: FnIx) {
    let sig = ctx.items.func(ix).sig;
    let is_extern = ctx.items.func(ix).body.is_none();
    let before = ctx.errors();
    if let Some(what) = later::in_signature(sig) {
        ctx.report(what);
        ctx.items.fns[ix.0].broken = true;
    }
    let broken = ctx.items.fns[ix.0].broken;
    let mut params: Vec<ParamItem> = Vec::new();
    for p in &sig.params {
        let ty = if broken { Ty::Error } else { param_type(ctx, &p.ty, is_extern) };
        if p.name.text != "_"
            && let Some(first) = params.iter().find(|q| q.name == p.name.text)
        {
            let d = Diagnostic::error(
                Code::DuplicateName,
                format!("`{}` has two parameters called `{}`", sig.name.text, p.name.text),
            );
            ctx.report(d.label(p.name.span, "the second one").also(first.span, "the first one"));
        }
        let nodiff = p.attrs.iter().any(|a| a.kind == ast::AttrKind::Nodiff);
        params.push(ParamItem {
            name: &p.name.text,
            ty,
            span: p.span,
            ty_span: p.ty.span,
            domain: None,
            nodiff,
        });
    }
    let many = sig.results.items.len() > 1;
    let mut results: Vec<(String, Ty)> = Vec::new();
    for (i, r) in sig.results.items.iter().enumerate() {
        let ty = if broken { Ty::Error } else { result_type(ctx, &r.ty) };
        let name = match &r.name {
            Some(n) => n.text.clone(),
            None if many => format!("out.{i}"),
            None => "out".into(),
        };
        if results.iter().any(|(n, _)| *n == name) {
            let d = Diagnostic::error(
                Code::DuplicateName,
                format!("`{}` has two results called `{name}`", sig.name.text),
            );
            ctx.report(d.label(r.span, "the second one"));
        }
        results.push((name, ty));
    }
    let broken = broken || ctx.errors() > before;
    let item = &mut ctx.items.fns[ix.0];
    (item.params, item.results, item.broken) = (params, results, broken);
}

fn param_type(ctx: &Ctx, t: &ast::Type, is_extern: bool) -> Ty {
    let refuse = |what: &str, help: &str| {
        ctx.report(Diagnostic::error(Code::TypeMismatch, what).label(t.span, "here").help(help));
        Ty::Error
    };
    match resolve(ctx, t) {
        Ty::Tuple(_) => refuse("a parameter cannot be a tuple", "make each part a parameter of its own"),
        Ty::Fn(_) if is_extern => {
            refuse("an extern function cannot take a function", "pass numbers to native code")
        }
        ty => ty,
    }
}

fn result_type(ctx: &Ctx, t: &ast::Type) -> Ty {
    let refuse = |what: &str, help: &str| {
        ctx.report(Diagnostic::error(Code::TypeMismatch, what).label(t.span, "here").help(help));
        Ty::Error
    };
    match resolve(ctx, t) {
        Ty::Tuple(_) => refuse("a result cannot be a tuple itself", "list its parts as results"),
        Ty::Fn(_) => {
            refuse("a result cannot be a function", "take the function as a parameter where it is used")
        }
        ty => ty,
    }
}

/// The type a source type stands for; reports what it cannot be.
pub fn resolve(ctx: &Ctx, t: &ast::Type) -> Ty {
    match &t.kind {
        ast::TypeKind::Scalar(name) => match Scalar::from_name(&name.text) {
            Some(s) => Types::fixed(s),
            None => {
                ctx.report(unknown_type(&name.text, name.span));
                Ty::Error
            }
        },
        ast::TypeKind::Array { .. } => {
            ctx.report(later::not_yet("array types are", t.span));
            Ty::Error
        }
        ast::TypeKind::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| value_type(ctx, t)).collect()),
        ast::TypeKind::Fn { params, result } => {
            let params = params.iter().map(|t| param_type(ctx, t, false)).collect();
            Ty::Fn(Rc::new(FnTy { params, result: value_type(ctx, result) }))
        }
        ast::TypeKind::Error => Ty::Error,
    }
}

/// A type of values: anything but a function.
fn value_type(ctx: &Ctx, t: &ast::Type) -> Ty {
    match resolve(ctx, t) {
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

/// What other languages call the types.
const TYPE_ALIASES: [(&str, Scalar); 17] = [
    ("double", Scalar::F64),
    ("float", Scalar::F64),
    ("float64", Scalar::F64),
    ("real", Scalar::F64),
    ("single", Scalar::F32),
    ("float32", Scalar::F32),
    ("complex", Scalar::C128),
    ("complex128", Scalar::C128),
    ("complex64", Scalar::C64),
    ("int", Scalar::I64),
    ("int64", Scalar::I64),
    ("integer", Scalar::I64),
    ("usize", Scalar::I64),
    ("i32", Scalar::I64),
    ("u64", Scalar::I64),
    ("boolean", Scalar::Bool),
    ("logical", Scalar::Bool),
];

/// The adc name of what another language calls `name`, in any case of letters.
pub fn type_alias(name: &str) -> Option<Scalar> {
    TYPE_ALIASES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, s)| *s)
}

/// The error about a type that does not exist.
pub fn unknown_type(name: &str, span: Span) -> Diagnostic {
    let near =
        type_alias(name).map(Scalar::name).or_else(|| suggest::nearest(name, Scalar::ALL.map(Scalar::name)));
    let d = Diagnostic::error(Code::UnknownType, format!("no type called `{name}`"));
    let d = match near {
        Some(near) => d.label(span, format!("write `{near}`")),
        None => d.label(span, "not a type"),
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
    let of = ty.declared()?;
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
            let as_ty = if of == Scalar::I64 { Types::fixed(Scalar::F64) } else { ty.clone() };
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
