//! Functions that are referred to: as arguments, and under derivative operators. Names, built-ins, functions with some
//! arguments given; derivatives are in [`derive`](super::derive).

use super::Infer;
use super::errors::Demand;
use crate::sema::builtins::{Builtin, Means};
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::types::{Class, FnTy, Ty};
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, Op, Sig, Span, Type};

/// A function that is referred to, with what it shows to callers.
pub(super) struct FnSig<'a> {
    /// Which one.
    pub f: FnRef<'a>,
    /// As messages call it.
    pub name: String,
    /// What is open, in order.
    pub params: Vec<FnParam<'a>>,
    /// How many of the last parameters stand behind the `;` of a call.
    pub seeds: usize,
    /// A value or a tuple.
    pub result: Ty,
    /// Where it is declared.
    pub place: Option<Span>,
}

/// A parameter of such a function.
#[derive(Clone)]
pub(super) struct FnParam<'a> {
    /// Its name; parameters of function parameters have none.
    pub name: Option<&'a str>,
    /// Its type.
    pub ty: Ty,
    /// `#[nodiff]`
    pub nodiff: bool,
    /// Which parameter of which function it is, if it is one.
    pub of: Option<(FnIx, usize)>,
}

impl FnParam<'_> {
    /// One without a name.
    pub fn plain(ty: Ty) -> Self {
        FnParam { name: None, ty, nodiff: false, of: None }
    }
}

/// The types of the operands, for built-ins, which take many.
#[derive(Clone, Copy)]
pub(super) enum Hint<'h> {
    /// A function type somebody wants.
    Wanted(&'h FnTy),
    /// The types of the arguments it is called with, and where they are.
    Given(&'h [(Ty, Span)]),
}

impl Hint<'_> {
    /// The first `n` types; an operand nobody shows is at `span`.
    fn operands<'a>(&self, n: usize, span: Span) -> Vec<Expr<'a>> {
        let operand = |ty: &Ty, span| Expr { kind: ExprKind::Error, ty: ty.clone(), span };
        match self {
            Hint::Wanted(f) => f.params.iter().take(n).map(|ty| operand(ty, span)).collect(),
            Hint::Given(all) => all.iter().take(n).map(|(ty, span)| operand(ty, *span)).collect(),
        }
    }
}

impl<'a> Infer<'_, 'a> {
    /// An argument for a parameter of function type.
    pub(super) fn fn_argument(&mut self, a: &'a ast::Expr, want: &FnTy) -> FnRef<'a> {
        let Some(sig) = self.fn_sig(a, Hint::Wanted(want)) else { return FnRef::Error };
        let got = FnTy { params: sig.params.into_iter().map(|p| p.ty).collect(), result: sig.result };
        if !self.same_fn(&got, want) {
            self.fn_mismatch(&self.ctx.quote(a.span, &sig.name), &got, want, a.span);
            return FnRef::Error;
        }
        sig.f
    }

    /// The function an expression is. `None`: reported.
    pub(super) fn fn_sig(&mut self, e: &'a ast::Expr, hint: Hint) -> Option<FnSig<'a>> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.fn_name(name, hint),
            ast::ExprKind::Call { callee, dims, args, seeds } if dims.is_empty() => {
                self.partial(callee, args, seeds, hint, e.span)
            }
            ast::ExprKind::Derivative { op, op_span, func, wrt } => {
                self.derivative(*op, *op_span, func, wrt, hint, e.span)
            }
            ast::ExprKind::Error => None,
            ast::ExprKind::Call { .. } | ast::ExprKind::Index { .. } | ast::ExprKind::WithDims { .. } => {
                self.later("dimensions are", e.span);
                None
            }
            _ => {
                self.want_function(e.span, hint);
                None
            }
        }
    }

    fn want_function(&mut self, span: Span, hint: Hint) {
        let want = match hint {
            Hint::Wanted(f) => format!("a {}", self.types.show_fn(f)),
            Hint::Given(_) => "a function".into(),
        };
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, format!("{want} is wanted here"))
                .label(span, "not a function")
                .help("give the name of a function, or one with arguments left open: `f(_, p)`"),
        );
    }

    fn fn_name(&mut self, name: &'a ast::Name, hint: Hint) -> Option<FnSig<'a>> {
        let text = name.text.as_str();
        if let Some(id) = self.find_local(text) {
            let local = &self.locals[id.0];
            return match &local.ty {
                Ty::Fn(f) => Some(FnSig {
                    f: FnRef::Local(id),
                    name: text.into(),
                    params: f.params.iter().cloned().map(FnParam::plain).collect(),
                    seeds: 0,
                    result: f.result.clone(),
                    place: local.declared,
                }),
                Ty::Error => None,
                _ => {
                    self.want_function(name.span, hint);
                    None
                }
            };
        }
        match self.ctx.items.find(text) {
            Some(ItemRef::Fn(ix)) => {
                self.mention(ix, name.span);
                return self.item_sig(ix);
            }
            Some(ItemRef::Const(_)) => {
                self.want_function(name.span, hint);
                return None;
            }
            None => {}
        }
        match Builtin::find(text) {
            Some(b) => match b.means {
                Means::Op(op) | Means::OpOrReduction(op, _) => self.builtin(b, op, hint, name.span),
                Means::Power => self.builtin(b, Op::Pow, hint, name.span),
                Means::Array(_) | Means::Reduction(_) => {
                    self.later(&format!("`{text}` is"), name.span);
                    None
                }
            },
            None => {
                self.unknown_function(text, name.span);
                None
            }
        }
    }

    fn item_sig(&self, ix: FnIx) -> Option<FnSig<'a>> {
        let item = self.ctx.items.func(ix);
        if item.broken {
            return None;
        }
        let param = |(i, p): (usize, &crate::sema::items::ParamItem<'a>)| FnParam {
            name: Some(p.name),
            ty: p.ty.clone(),
            nodiff: p.nodiff,
            of: Some((ix, i)),
        };
        Some(FnSig {
            f: FnRef::Item(ix),
            name: item.name.into(),
            params: item.params.iter().enumerate().map(param).collect(),
            seeds: 0,
            result: item.result_ty(),
            place: Some(item.sig.span),
        })
    }

    /// A built-in with operands of the types hinted at.
    fn builtin(&mut self, b: &'static Builtin, op: Op, hint: Hint, span: Span) -> Option<FnSig<'a>> {
        let arity = op.arity();
        let operands = hint.operands(arity, span);
        let params: Vec<Ty> = operands.iter().map(|o| o.ty.clone()).collect();
        if params.iter().any(|t| matches!(t, Ty::Error)) {
            return None;
        }
        let result = match hint {
            Hint::Wanted(want) => {
                let declared: Option<Vec<Type>> =
                    params.iter().map(|t| t.declared().map(Type::Scalar)).collect();
                match declared.and_then(|d| op.result_type(&d)) {
                    Some(ty) => crate::sema::types::Types::fixed(ty.scalar()),
                    None => {
                        let want = self.types.show_fn(want);
                        self.ctx.report(
                            Diagnostic::error(Code::TypeMismatch, format!("`{}` is not a {want}", b.name))
                                .label(span, "does not fit")
                                .help(format!("write a function of that type that calls `{}`", b.name)),
                        );
                        return None;
                    }
                }
            }
            Hint::Given(_) => {
                if params.len() < arity {
                    let d = Diagnostic::error(
                        Code::WrongArity,
                        format!(
                            "`{}` takes {arity} arguments, but {} given",
                            b.name,
                            super::call::are(params.len())
                        ),
                    );
                    self.ctx.report(d.label(span, "this function"));
                    return None;
                }
                // What is open is differentiated, so it is real.
                for o in operands.iter().skip(usize::from(op.info().sig == Sig::IntReal)) {
                    if let Ty::Num(n) = &o.ty
                        && self.types.class_of(n.class) == Class::Open
                    {
                        let _ = self.types.narrow(n.class, Class::Float, span);
                    }
                }
                self.prim_type(op, b.name, &operands, span)?
            }
        };
        Some(FnSig {
            f: FnRef::Builtin(op, params.clone()),
            name: b.name.into(),
            params: params.into_iter().map(FnParam::plain).collect(),
            seeds: 0,
            result,
            place: None,
        })
    }

    fn fn_mismatch(&mut self, name: &str, got: &FnTy, want: &FnTy, span: Span) {
        let want = self.types.show_fn(want);
        let message = format!("`{name}` is {}, but a {want} is wanted here", self.types.show_fn(got));
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, message)
                .label(span, "does not fit")
                .help("parameters and result must be of exactly these types"),
        );
    }

    /// `f(_, p)`
    fn partial(
        &mut self,
        callee: &'a ast::Expr,
        args: &'a [ast::Expr],
        seeds: &'a [ast::Expr],
        hint: Hint,
        span: Span,
    ) -> Option<FnSig<'a>> {
        let args: Vec<&'a ast::Expr> = args.iter().chain(seeds).collect();
        if !args.iter().any(|a| matches!(a.kind, ast::ExprKind::Hole)) {
            self.want_function(span, hint);
            return None;
        }
        if let ast::ExprKind::Name(name) = &callee.kind {
            let own = self.find_local(&name.text).is_some() || self.ctx.items.find(&name.text).is_some();
            if !own && Builtin::find(&name.text).is_some() {
                self.ctx.report(
                    Diagnostic::error(Code::TypeMismatch, "a built-in cannot be applied partially")
                        .label(span, "here")
                        .help(format!("write a function that calls `{}`", name.text)),
                );
                return None;
            }
        }
        let sig = self.fn_sig(callee, hint)?;
        if sig.params.len() != args.len() {
            self.wrong_count(&sig.name, sig.params.len(), args.len(), span, sig.place);
            return None;
        }
        let mut open = Vec::new();
        let mut given = Vec::new();
        for (a, p) in args.into_iter().zip(&sig.params) {
            if matches!(a.kind, ast::ExprKind::Hole) {
                open.push(p.clone());
                given.push(None);
            } else {
                let demand = self.param_demand(p, callee);
                given.push(Some(self.argument(a, &p.ty, demand)));
            }
        }
        let f = FnRef::Partial(Box::new(sig.f), given);
        Some(FnSig { f, params: open, seeds: 0, ..sig })
    }

    /// Who wants an argument for a parameter.
    pub(super) fn param_demand(&self, p: &FnParam<'a>, callee: &'a ast::Expr) -> Demand<'a> {
        match (p.of, &callee.kind) {
            (Some((ix, i)), _) => Demand::Argument(ix, i),
            (None, ast::ExprKind::Name(n)) => Demand::ArgumentOf(&n.text),
            (None, ast::ExprKind::Derivative { op, .. }) => Demand::ArgumentOf(op.text()),
            (None, _) => Demand::ArgumentOf("this function"),
        }
    }

    /// Whether two function types are the same.
    fn same_fn(&self, a: &FnTy, b: &FnTy) -> bool {
        a.params.len() == b.params.len()
            && a.params.iter().zip(&b.params).all(|(a, b)| self.same(a, b))
            && self.same(&a.result, &b.result)
    }

    fn same(&self, a: &Ty, b: &Ty) -> bool {
        match (a, b) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Tuple(a), Ty::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
            }
            (Ty::Fn(a), Ty::Fn(b)) => self.same_fn(a, b),
            _ => a.declared().is_some() && a.declared() == b.declared(),
        }
    }
}
