//! Sizes as the front end knows them: polynomials over the dimensions of one function and over quotients of such
//! polynomials, in normal form. A [`Dim`] here is one over *symbols*, the numbers of a [`Syms`] table.

use super::ctx::Ctx;
use super::hir::LocalId;
use super::items::ItemRef;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};
use adc_ir::{Code, Const, Diagnostic, Dim, Span, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How deep constants in sizes may name each other.
const MAX_CHAIN: usize = 64;

/// What a variable of a [`Dim`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sym {
    /// A dimension of the function.
    Name(Rc<str>),
    /// `div(a, b)` that is no polynomial.
    Div(Dim, Dim),
    /// An integer variable that does not change; in differences only, never in the size of an array.
    Local(LocalId, Rc<str>),
}

/// The symbols of one function; its dimensions come first.
#[derive(Clone, Debug, Default)]
pub struct Syms {
    list: Vec<Sym>,
    ids: FxHashMap<Sym, u32>,
    /// Those in the size of an array, which have to be computed.
    used: FxHashSet<u32>,
    /// Whether a size of a callee left the bounds, or divided by 0, with the caller's sizes in it.
    failed: bool,
}

/// The size that nothing is known of, because something was reported; equal to every other.
pub fn unknown() -> Dim {
    Dim::var(Value(u32::MAX))
}

/// Whether nothing is known of a size.
pub fn is_unknown(d: &Dim) -> bool {
    d.vars().any(|v| v == Value(u32::MAX))
}

/// Whether two sizes are equal, as far as they are known.
pub fn same(a: &Dim, b: &Dim) -> bool {
    a == b || is_unknown(a) || is_unknown(b)
}

/// Whether two shapes are equal, as far as they are known.
pub fn same_shape(a: &[Dim], b: &[Dim]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

impl Syms {
    /// A symbol as a size; the same symbol gives the same size.
    pub fn intern(&mut self, sym: Sym) -> Dim {
        let next = self.list.len() as u32;
        let id = *self.ids.entry(sym.clone()).or_insert(next);
        if id == next {
            self.list.push(sym);
        }
        Dim::var(Value(id))
    }

    /// Every symbol in order, and whether the size of an array is made of it.
    pub fn iter(&self) -> impl Iterator<Item = (&Sym, bool)> {
        self.list.iter().zip(0..).map(|(s, i)| (s, self.used.contains(&i)))
    }

    /// Notes that a size is that of an array.
    pub fn mark(&mut self, d: &Dim) {
        for v in d.vars() {
            if self.used.insert(v.0)
                && let Some(Sym::Div(a, b)) = self.get(v).cloned()
            {
                self.mark(&a);
                self.mark(&b);
            }
        }
    }

    /// The symbol of a variable.
    pub fn get(&self, v: Value) -> Option<&Sym> {
        self.list.get(v.0 as usize)
    }

    /// `div(a, b)`; `None` if `b` is 0 or the quotient leaves `i64`.
    pub fn div(&mut self, a: &Dim, b: &Dim) -> Option<Dim> {
        if is_unknown(a) || is_unknown(b) {
            return Some(unknown());
        }
        match (a.as_const(), b.as_const()) {
            (_, Some(0)) => None,
            (Some(a), Some(b)) => {
                let q = a.checked_div(b)?;
                Some(Dim::constant(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }))
            }
            (_, Some(1)) => Some(a.clone()),
            (_, Some(n)) if a.terms().all(|(_, c)| c % n == 0) => {
                let mut sum = Dim::constant(0);
                for (vars, c) in a.terms() {
                    let start = Dim::constant(c.checked_div(n)?);
                    let term = vars.iter().try_fold(start, |p, v| p.mul(&Dim::var(*v)))?;
                    sum = sum.add(&term)?;
                }
                Some(sum)
            }
            _ => Some(self.intern(Sym::Div(a.clone(), b.clone()))),
        }
    }

    /// The name of a variable in it that is known at run time only; the size of an array has none.
    pub fn run_time(&self, d: &Dim) -> Option<Rc<str>> {
        d.vars().find_map(|v| match self.get(v) {
            Some(Sym::Local(_, name)) => Some(name.clone()),
            Some(Sym::Div(a, b)) => self.run_time(a).or_else(|| self.run_time(b)),
            Some(Sym::Name(_)) | None => None,
        })
    }

    /// In the words of the source.
    pub fn show(&self, d: &Dim) -> String {
        d.display(|v| match self.get(v) {
            Some(Sym::Name(n) | Sym::Local(_, n)) => n.to_string(),
            Some(Sym::Div(a, b)) => format!("div({}, {})", self.show(a), self.show(b)),
            None => "?".into(),
        })
    }

    /// A size of a callee with `dims` for its dimensions; `None` if one of those in it has none, or beyond the bounds.
    pub fn import(&mut self, from: &Syms, d: &Dim, dims: &[Option<Dim>]) -> Option<Dim> {
        let known = |d: &Option<Dim>| d.as_ref().is_some_and(|d| !is_unknown(d));
        let found = self.place(from, d, dims);
        self.failed |= found.is_none() && dims.iter().all(known);
        found
    }

    /// Whether [`Self::import`] failed for numbers since the last time.
    pub fn take_failed(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }

    fn place(&mut self, from: &Syms, d: &Dim, dims: &[Option<Dim>]) -> Option<Dim> {
        let mut parts: FxHashMap<Value, Dim> = FxHashMap::default();
        for v in d.vars() {
            let part = match from.get(v) {
                Some(Sym::Name(_)) => dims.get(v.0 as usize)?.clone()?,
                Some(Sym::Div(a, b)) => {
                    let (a, b) = (self.place(from, a, dims)?, self.place(from, b, dims)?);
                    self.div(&a, &b)?
                }
                Some(Sym::Local(..)) | None => unknown(),
            };
            parts.insert(v, part);
        }
        let d = d.substitute(|v| parts[&v].clone())?;
        self.mark(&d);
        Some(d)
    }
}

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
    Reader { ctx, syms, find, chain: 0 }.read(e)
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
        let message = format!("`{name}` is no dimension, so it cannot be in {what}");
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
            Diagnostic::error(Code::NegativeSize, format!("{what} is {n}"))
                .label(e.span, "negative")
                .help("sizes are at least 0"),
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
                .help(format!("declare it at the function: `fn f[{}](…)`", name.text))
        }
        Bad::NotDim(name) => new(format!("`{}` is no dimension, so it cannot be {what}", name.text))
            .label(name.span, "known at run time only")
            .help(dimension_help(&name.text)),
        Bad::Form(span) => {
            let d = new(format!("this cannot be {what}")).label(span, "no dimension expression");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_floors_and_equal_ones_are_one() {
        let mut s = Syms::default();
        let n = s.intern(Sym::Name("N".into()));
        let two = Dim::constant(2);
        let (a, b) = (s.div(&n, &two).unwrap(), s.div(&n, &two).unwrap());
        assert_eq!(a, b);
        assert_eq!(s.show(&a.add(&n).unwrap()), "N+div(N, 2)");
        assert_eq!(s.div(&n.mul(&two).unwrap(), &two), Some(n.clone()));
        assert_eq!(s.div(&Dim::constant(-7), &two), Some(Dim::constant(-4)));
        assert_eq!(s.div(&n, &Dim::constant(0)), None);
    }

    #[test]
    fn a_callees_sizes_in_the_callers_words() {
        let (mut caller, mut callee) = (Syms::default(), Syms::default());
        let m = caller.intern(Sym::Name("M".into()));
        let n = callee.intern(Sym::Name("N".into()));
        let half = callee.div(&n, &Dim::constant(2)).unwrap().add(&Dim::constant(1)).unwrap();
        let got = caller.import(&callee, &half, &[m.mul(&Dim::constant(2))]).unwrap();
        assert_eq!(caller.show(&got), "M+1");
        assert_eq!(caller.import(&callee, &half, &[None]), None);
    }
}
