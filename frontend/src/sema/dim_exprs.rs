//! Expressions of the source as sizes.

use super::ctx::Ctx;
use super::dims::{Sym, Syms, is_unknown, unknown};
use super::hir::LocalId;
use super::items::ItemRef;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};
use adc_ir::{Code, Const, Diagnostic, Dim, Span};

/// How deep constants in sizes may name each other.
const MAX_CHAIN: usize = 64;

/// What a name stands for in a size.
pub enum Found {
    /// Nothing here: maybe a constant.
    Nothing,
    /// Something reported.
    Error,
    /// A dimension, or a `let` of one.
    Dim(Dim),
    /// An integer that does not change, but is no dimension.
    Local(LocalId),
    /// A `var`.
    Var,
    /// Something that is no integer.
    Other,
}

/// Why an expression is no size.
pub enum Bad<'a> {
    /// It was reported.
    Silent,
    /// A name that nothing is known of.
    Unknown(&'a ast::Name),
    /// A name that is no dimension.
    NotDim(&'a ast::Name),
    /// An operation other than `+ - *` and `div`.
    Form(Span),
    /// `div(a, 0)`
    DivZero(Span),
    /// Numbers that are too large, or too many terms.
    Large(Span),
}

/// An expression as a size; reports nothing.
pub fn read<'a>(
    ctx: &Ctx<'a>,
    syms: &mut Syms,
    e: &'a ast::Expr,
    find: &dyn Fn(&str) -> Found,
) -> Result<Dim, Bad<'a>> {
    let size = Reader { ctx, syms, find, chain: 0 }.read(e)?;
    Ok(syms.normal(&size))
}

struct Reader<'r, 'c, 'a> {
    ctx: &'c Ctx<'a>,
    syms: &'r mut Syms,
    find: &'r dyn Fn(&str) -> Found,
    chain: usize,
}

impl<'a> Reader<'_, '_, 'a> {
    fn read(&mut self, e: &'a ast::Expr) -> Result<Dim, Bad<'a>> {
        let large = Bad::Large(e.span);
        match &e.kind {
            ast::ExprKind::Int(n) => Ok(Dim::constant(*n)),
            ast::ExprKind::Name(name) => self.name(name),
            ast::ExprKind::Unary { op: UnaryOp::Neg, operand, .. } => self.read(operand)?.neg().ok_or(large),
            ast::ExprKind::Binary { op, lhs, rhs, .. } => {
                let combine = match op {
                    BinaryOp::Add => Dim::add,
                    BinaryOp::Sub => Dim::sub,
                    BinaryOp::Mul => Dim::mul,
                    _ => return Err(Bad::Form(e.span)),
                };
                let (a, b) = (self.read(lhs)?, self.read(rhs)?);
                if is_unknown(&a) || is_unknown(&b) {
                    return Ok(unknown());
                }
                combine(&a, &b).ok_or(large)
            }
            ast::ExprKind::Call { callee, dims, args, seeds } if dims.is_empty() && seeds.is_empty() => {
                let (ast::ExprKind::Name(f), [a, b]) = (&callee.kind, args.as_slice()) else {
                    return Err(Bad::Form(e.span));
                };
                let own =
                    self.ctx.items.find("div").is_some() || !matches!((self.find)("div"), Found::Nothing);
                if f.text != "div" || own {
                    return Err(Bad::Form(e.span));
                }
                let (a, b) = (self.read(a)?, self.read(b)?);
                if b.as_const() == Some(0) {
                    return Err(Bad::DivZero(e.span));
                }
                self.syms.div(&a, &b).ok_or(large)
            }
            ast::ExprKind::Error => Err(Bad::Silent),
            _ => Err(Bad::Form(e.span)),
        }
    }

    fn name(&mut self, name: &'a ast::Name) -> Result<Dim, Bad<'a>> {
        // Inside a constant nothing but constants is visible.
        let found = if self.chain == 0 { (self.find)(&name.text) } else { Found::Nothing };
        match found {
            Found::Dim(d) => Ok(d),
            Found::Error => Err(Bad::Silent),
            Found::Local(id) => Ok(self.syms.intern(Sym::Local(id, name.text.as_str().into()))),
            Found::Var | Found::Other => Err(Bad::NotDim(name)),
            Found::Nothing => match self.ctx.items.find(&name.text) {
                Some(ItemRef::Const(ix)) => {
                    let item = &self.ctx.items.consts[ix.0];
                    if let Some(Const::I64(n)) = item.value.as_ref().and_then(|v| v.scalar()) {
                        return Ok(Dim::constant(n));
                    }
                    let integer = matches!(&item.decl.ty.kind, ast::TypeKind::Scalar(t) if t.text == "i64");
                    if !integer || self.chain >= MAX_CHAIN {
                        return Err(Bad::NotDim(name));
                    }
                    self.chain += 1;
                    let value = self.read(&item.decl.value);
                    self.chain -= 1;
                    // What is wrong inside the constant is said there, or has no meaning as a size.
                    value.map_err(|_| Bad::NotDim(name))
                }
                Some(ItemRef::Fn(_)) => Err(Bad::NotDim(name)),
                None => Err(Bad::Unknown(name)),
            },
        }
    }
}

/// What an assertion says of sizes, if it says something: `mod(a, b) == r` and `a == b`, joined by `&&`, as sizes that
/// are 0.
pub fn facts<'a>(
    ctx: &Ctx<'a>,
    syms: &mut Syms,
    cond: &'a ast::Expr,
    find: &dyn Fn(&str) -> Found,
) -> Vec<Dim> {
    let mut out = Vec::new();
    let mut todo = vec![cond];
    while let Some(e) = todo.pop() {
        let ast::ExprKind::Binary { op, lhs, rhs, .. } = &e.kind else { continue };
        match op {
            BinaryOp::And => todo.extend([&**rhs, lhs]),
            BinaryOp::Eq => out.extend(difference(ctx, syms, lhs, rhs, find)),
            _ => {}
        }
    }
    out
}

/// `a - b` of two sizes, one of which may be `mod(c, d)`; `None` if one is no size.
fn difference<'a>(
    ctx: &Ctx<'a>,
    syms: &mut Syms,
    a: &'a ast::Expr,
    b: &'a ast::Expr,
    find: &dyn Fn(&str) -> Found,
) -> Option<Dim> {
    let mut side = |e: &'a ast::Expr| -> Option<Dim> {
        let mut size = |e| {
            let d = read(ctx, syms, e, find).ok()?;
            (!is_unknown(&d) && syms.run_time(&d).is_none()).then_some(d)
        };
        let ast::ExprKind::Call { callee, dims, args, seeds } = &e.kind else { return size(e) };
        let own = ctx.items.find("mod").is_some() || !matches!(find("mod"), Found::Nothing);
        match (&callee.kind, args.as_slice()) {
            (ast::ExprKind::Name(f), [a, b])
                if f.text == "mod" && !own && dims.is_empty() && seeds.is_empty() =>
            {
                let (a, b) = (size(a)?, size(b)?);
                let quotient = syms.div(&a, &b)?;
                a.sub(&b.mul(&quotient)?)
            }
            _ => size(e),
        }
    };
    side(a)?.sub(&side(b)?)
}

/// An expression as the size of an array; what is none is reported, and its size unknown. `what` says whose size it
/// is: "the size of an array".
pub fn size<'a>(
    ctx: &Ctx<'a>,
    syms: &mut Syms,
    e: &'a ast::Expr,
    find: &dyn Fn(&str) -> Found,
    what: &str,
) -> Dim {
    let d = match read(ctx, syms, e, find) {
        Ok(d) => d,
        Err(bad) => {
            report(ctx, bad, e.span, what).into_iter().for_each(|d| ctx.report(d));
            return unknown();
        }
    };
    if let Some(name) = syms.run_time(&d) {
        let message = format!("`{name}` is not a dimension, so it cannot be in {what}");
        ctx.report(
            Diagnostic::error(Code::NotADimension, message)
                .label(e.span, "known at run time only")
                .help(dimension_help(&name)),
        );
        return unknown();
    }
    if let Some(n) = d.as_const()
        && n < 0
    {
        ctx.report(
            Diagnostic::error(Code::NegativeSize, format!("{what} is {n}")).label(e.span, "negative").help(
                if n == -1 {
                    "sizes are at least 0; none follows from the others: write it out, `N*M`"
                } else {
                    "sizes are at least 0"
                },
            ),
        );
        return unknown();
    }
    syms.mark(&d);
    d
}

/// The error about an expression that is no size; `None` if it was reported. `whole` is the expression, `what` what
/// has that size: "the size of an array".
pub fn report(ctx: &Ctx, bad: Bad, whole: Span, what: &str) -> Option<Diagnostic> {
    let new = |message: String| Diagnostic::error(Code::NotADimension, message);
    let form = "sizes are made of dimensions, integers, `+ - *` and `div(a, b)`";
    Some(match bad {
        Bad::Silent => return None,
        Bad::Unknown(name) => {
            Diagnostic::error(Code::UnknownName, format!("no dimension called `{}`", name.text))
                .label(name.span, "not defined here")
                .help(format!(
                    "declare it at the function: `fn f[{}](…)`; in a block sizes are numbers",
                    name.text
                ))
        }
        Bad::NotDim(name) => new(format!("`{}` is not a dimension, so it cannot be {what}", name.text))
            .label(name.span, "known at run time only")
            .help(dimension_help(&name.text)),
        Bad::Form(span) => {
            let d = new(format!("this cannot be {what}")).label(span, "not a dimension expression");
            let d = if span == whole { d } else { d.also(whole, "in this size") };
            d.help(format!(
                "{form}; make the value a dimension of the function: `fn f[n](…)`, called `f[n = …](…)`"
            ))
        }
        Bad::DivZero(span) => new("a size that divides by 0".into())
            .label(span, format!("in `{}`", ctx.quote(whole, "this size")))
            .help("divide by something else"),
        Bad::Large(span) => new("a size that is too large".into())
            .label(span, "its normal form has too many terms, or too large numbers")
            .help("make a part of it a dimension of its own: `fn f[n](…)`, called `f[n = …](…)`"),
    })
}

/// How to make a dimension of an integer.
pub fn dimension_help(name: &str) -> String {
    format!(
        "make `{name}` a dimension: `fn f[{name}](…)`, called `f[{name} = …](…)` or bound by the size of an argument"
    )
}
