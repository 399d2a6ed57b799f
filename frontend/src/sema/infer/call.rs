//! Calls: of functions, function parameters, built-ins, conversions; functions as arguments.

use super::Infer;
use super::errors::Demand;
use crate::sema::builtins::{Builtin, Means};
use crate::sema::decl::{self, plural};
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::suggest::nearest;
use crate::sema::types::{FnTy, Ty};
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, Op, Scalar, Span, Type};
use std::rc::Rc;

impl<'a> Infer<'_, 'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a ast::Expr,
        dims: &'a [ast::DimArg],
        args: &'a [ast::Expr],
        seeds: &'a [ast::Expr],
        span: Span,
    ) -> Expr<'a> {
        let name = match &callee.kind {
            ast::ExprKind::Name(name) => name,
            ast::ExprKind::Derivative { .. } => return self.later("derivatives inside a model are", span),
            ast::ExprKind::Error => return self.failed(args, span),
            _ => {
                self.ctx.report(
                    Diagnostic::error(Code::NotAFunction, "this cannot be called")
                        .label(callee.span, "not the name of a function"),
                );
                return self.failed(args, span);
            }
        };
        if !dims.is_empty() {
            return self.later("dimensions are", span);
        }
        if !seeds.is_empty() {
            self.ctx.report(
                Diagnostic::error(Code::WrongArity, format!("`{}` takes no tangents", name.text))
                    .label(seeds[0].span, "behind the `;`")
                    .help("only `jvp(f)(x; dx)`, `vjp(f)(x; g)` and `hvp(f)(x; v)` do"),
            );
            return self.failed(args, span);
        }
        let text = name.text.as_str();
        if let Some(id) = self.find_local(text) {
            return self.call_local(id, text, args, span);
        }
        match self.ctx.items.find(text) {
            Some(ItemRef::Fn(ix)) => return self.call_item(ix, args, span),
            Some(ItemRef::Const(_)) => {
                self.not_a_function(text, "a constant", name.span);
                return self.failed(args, span);
            }
            None => {}
        }
        if let Some(to) = Scalar::from_name(text) {
            return self.convert(to, args, span);
        }
        match Builtin::find(text) {
            Some(b) => self.call_builtin(b, args, span),
            None => {
                self.unknown_function(text, name.span);
                self.failed(args, span)
            }
        }
    }

    /// A call that cannot be made sense of: its arguments are still looked at.
    fn failed(&mut self, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        for a in args {
            // A hole or the name of a function makes sense for a function that is not there.
            let silent = match &a.kind {
                ast::ExprKind::Hole => true,
                ast::ExprKind::Name(n) => {
                    self.find_local(&n.text).is_none()
                        && (matches!(self.ctx.items.find(&n.text), Some(ItemRef::Fn(_)))
                            || Builtin::find(&n.text).is_some())
                }
                _ => false,
            };
            if !silent {
                self.expr(a);
            }
        }
        Expr::error(span)
    }

    fn not_a_function(&mut self, text: &str, what: &str, span: Span) {
        let mut d = Diagnostic::error(Code::NotAFunction, format!("`{text}` is {what}, not a function"))
            .label(span, "called here");
        if Builtin::find(text).is_some() {
            d = d.help(format!("it hides the built-in `{text}`: rename it"));
        }
        self.ctx.report(d);
    }

    fn unknown_function(&mut self, text: &str, span: Span) {
        if let Some(to) = decl::type_alias(text) {
            let mut d = decl::unknown_type(text, span);
            d.help = vec![format!("write `{to}(…)` to convert")];
            return self.ctx.report(d);
        }
        let d = Diagnostic::error(Code::UnknownName, format!("no function or op called `{text}`"));
        let is_fn = |n: &&str| self.find_local(n).is_some_and(|id| matches!(self.locals[id.0].ty, Ty::Fn(_)));
        let all = (self.scope.names().filter(is_fn))
            .chain(self.ctx.items.fn_names())
            .chain(crate::sema::builtins::BUILTINS.iter().map(|b| b.name))
            .chain(Scalar::ALL.map(Scalar::name));
        self.ctx.report(match Builtin::alias(text).or_else(|| nearest(text, all)) {
            Some(near) => d.label(span, format!("did you mean `{near}`?")),
            None => d.label(span, "not defined in this file or the files it uses"),
        });
    }

    fn arity(
        &mut self,
        name: &str,
        want: usize,
        args: &[ast::Expr],
        span: Span,
        place: Option<Span>,
    ) -> bool {
        if want == args.len() {
            return true;
        }
        let mut d = Diagnostic::error(
            Code::WrongArity,
            format!("`{name}` takes {want} argument{}, but {} given", plural(want), are(args.len())),
        )
        .label(span, format!("{} argument{}", args.len(), plural(args.len())));
        if let Some(place) = place {
            d = d.also(place, "declared here");
        }
        self.ctx.report(d);
        false
    }

    fn call_item(&mut self, ix: FnIx, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let ctx = self.ctx;
        let item = ctx.items.func(ix);
        self.mention(ix, span);
        if !self.calls_allowed(item.name, span) {
            return self.failed(args, span);
        }
        if item.broken {
            return self.failed(args, span);
        }
        if !self.arity(item.name, item.params.len(), args, span, Some(item.sig.span)) {
            self.failed(args, span);
            return Expr { kind: ExprKind::Error, ty: item.result_ty(), span };
        }
        let args = item
            .params
            .iter()
            .enumerate()
            .zip(args)
            .map(|((i, p), a)| self.argument(a, &p.ty, Demand::Argument(ix, i)))
            .collect();
        Expr { kind: ExprKind::Call(ix, item.name, args), ty: item.result_ty(), span }
    }

    fn call_local(&mut self, id: LocalId, text: &'a str, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let fn_ty: Rc<FnTy> = match &self.locals[id.0].ty {
            Ty::Fn(f) => f.clone(),
            Ty::Error => return self.failed(args, span),
            _ => {
                self.not_a_function(text, "a variable", span);
                return self.failed(args, span);
            }
        };
        let place = self.locals[id.0].declared;
        if !self.arity(text, fn_ty.params.len(), args, span, place) {
            self.failed(args, span);
            return Expr { kind: ExprKind::Error, ty: fn_ty.result.clone(), span };
        }
        let args = fn_ty
            .params
            .iter()
            .zip(args)
            .map(|(t, a)| self.argument(a, t, Demand::ArgumentOf(text)))
            .collect();
        Expr { kind: ExprKind::CallLocal(id, text, args), ty: fn_ty.result.clone(), span }
    }

    fn argument(&mut self, a: &'a ast::Expr, to: &Ty, demand: Demand<'a>) -> Arg<'a> {
        if let Ty::Fn(want) = to {
            return Arg::Fn(self.fn_argument(a, want));
        }
        let value = self.expr(a);
        self.flow(&value, to, demand);
        Arg::Value(value)
    }

    fn call_builtin(&mut self, b: &'static Builtin, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let op = match b.means {
            Means::Array => return self.later(&format!("`{}` is", b.name), span),
            Means::OpOrReduction(_) if args.len() == 1 => return self.later("reductions are", span),
            Means::Op(op) | Means::OpOrReduction(op) => Some(op),
            Means::Power => None,
        };
        if !self.arity(b.name, b.arity().unwrap_or(0), args, span, None) {
            return self.failed(args, span);
        }
        let Some(op) = op else { return self.power(b.name, &args[0], &args[1], span) };
        let args = args.iter().map(|a| self.expr(a)).collect();
        self.prim(op, b.name, b.name, args, span)
    }

    /// An argument for a parameter of function type.
    fn fn_argument(&mut self, a: &'a ast::Expr, want: &FnTy) -> FnRef<'a> {
        match &a.kind {
            ast::ExprKind::Name(name) => {
                let f = self.fn_name(name, want);
                if let Some(got) = self.fn_type(&f)
                    && !same_fn(&got, want)
                {
                    self.fn_mismatch(&name.text, &got, want, a.span);
                    return FnRef::Error;
                }
                f
            }
            ast::ExprKind::Call { callee, dims, args, seeds } if dims.is_empty() && seeds.is_empty() => {
                self.partial(callee, args, want, a.span)
            }
            ast::ExprKind::Error => FnRef::Error,
            ast::ExprKind::Derivative { .. } => {
                self.later("derivatives inside a model are", a.span);
                FnRef::Error
            }
            ast::ExprKind::Call { .. } | ast::ExprKind::Index { .. } | ast::ExprKind::WithDims { .. } => {
                self.later("dimensions are", a.span);
                FnRef::Error
            }
            _ => {
                self.want_function(a.span, want);
                FnRef::Error
            }
        }
    }

    fn want_function(&mut self, span: Span, want: &FnTy) {
        let want = self.types.show_fn(want);
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, format!("a {want} is wanted here"))
                .label(span, "not a function")
                .help("give the name of a function, or one with arguments left open: `f(_, p)`"),
        );
    }

    fn fn_name(&mut self, name: &'a ast::Name, want: &FnTy) -> FnRef<'a> {
        let text = name.text.as_str();
        if let Some(id) = self.find_local(text) {
            return match self.locals[id.0].ty {
                Ty::Fn(_) => FnRef::Local(id),
                Ty::Error => FnRef::Error,
                _ => {
                    self.want_function(name.span, want);
                    FnRef::Error
                }
            };
        }
        match self.ctx.items.find(text) {
            Some(ItemRef::Fn(ix)) => {
                self.mention(ix, name.span);
                return if self.ctx.items.func(ix).broken { FnRef::Error } else { FnRef::Item(ix) };
            }
            Some(ItemRef::Const(_)) => {
                self.want_function(name.span, want);
                return FnRef::Error;
            }
            None => {}
        }
        match Builtin::find(text) {
            Some(b) => match b.means {
                Means::Op(op) | Means::OpOrReduction(op) => self.builtin(b, op, want, name.span),
                Means::Power => self.builtin(b, Op::Pow, want, name.span),
                Means::Array => {
                    self.later(&format!("`{text}` is"), name.span);
                    FnRef::Error
                }
            },
            None => {
                self.unknown_function(text, name.span);
                FnRef::Error
            }
        }
    }

    /// A built-in with operands of the types wanted.
    fn builtin(&mut self, b: &Builtin, op: Op, want: &FnTy, span: Span) -> FnRef<'a> {
        let unknown = |t: &Ty| matches!(t, Ty::Error);
        if want.params.iter().any(unknown) || unknown(&want.result) {
            return FnRef::Error;
        }
        let params: Option<Vec<Scalar>> = want.params.iter().map(Ty::declared).collect();
        let params = params.unwrap_or_default();
        let types: Vec<Type> = params.iter().copied().map(Type::Scalar).collect();
        match op.result_type(&types) {
            Some(ty) if want.result.declared() == Some(ty.scalar()) => FnRef::Builtin(op, params),
            _ => {
                let want = self.types.show_fn(want);
                self.ctx.report(
                    Diagnostic::error(Code::TypeMismatch, format!("`{}` is not a {want}", b.name))
                        .label(span, "does not fit")
                        .help(format!("write a function of that type that calls `{}`", b.name)),
                );
                FnRef::Error
            }
        }
    }

    /// The type of a function. `None`: reported, or nothing to compare.
    fn fn_type(&self, f: &FnRef<'a>) -> Option<FnTy> {
        match f {
            FnRef::Error | FnRef::Partial(..) => None,
            FnRef::Item(ix) => {
                let item = self.ctx.items.func(*ix);
                let params = item.params.iter().map(|p| p.ty.clone()).collect();
                Some(FnTy { params, result: item.result_ty() })
            }
            FnRef::Local(id) => match &self.locals[id.0].ty {
                Ty::Fn(f) => Some(FnTy { params: f.params.clone(), result: f.result.clone() }),
                _ => None,
            },
            // Fits, or was reported.
            FnRef::Builtin(..) => None,
        }
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
        want: &FnTy,
        span: Span,
    ) -> FnRef<'a> {
        let ast::ExprKind::Name(name) = &callee.kind else {
            self.later("derivatives inside a model are", span);
            return FnRef::Error;
        };
        if !args.iter().any(|a| matches!(a.kind, ast::ExprKind::Hole)) {
            self.want_function(span, want);
            return FnRef::Error;
        }
        let own = self.find_local(&name.text).is_some() || self.ctx.items.find(&name.text).is_some();
        if !own && Builtin::find(&name.text).is_some() {
            self.ctx.report(
                Diagnostic::error(Code::TypeMismatch, "a built-in cannot be applied partially")
                    .label(span, "here")
                    .help(format!("write a function that calls `{}`", name.text)),
            );
            return FnRef::Error;
        }
        let f = self.fn_name(name, want);
        let Some(FnTy { params, result }) = self.fn_type(&f) else { return FnRef::Error };
        if !self.arity(&name.text, params.len(), args, span, None) {
            return FnRef::Error;
        }
        let mut open = Vec::new();
        let mut given = Vec::new();
        for (i, (a, p)) in args.iter().zip(&params).enumerate() {
            if matches!(a.kind, ast::ExprKind::Hole) {
                open.push(p.clone());
                given.push(None);
            } else {
                let demand = match f {
                    FnRef::Item(ix) => Demand::Argument(ix, i),
                    _ => Demand::ArgumentOf(&name.text),
                };
                given.push(Some(self.argument(a, p, demand)));
            }
        }
        let got = FnTy { params: open, result };
        if !same_fn(&got, want) {
            self.fn_mismatch(&self.ctx.quote(span, &name.text), &got, want, span);
            return FnRef::Error;
        }
        FnRef::Partial(Box::new(f), given)
    }
}

/// Whether two declared function types are the same.
fn same_fn(a: &FnTy, b: &FnTy) -> bool {
    a.params.len() == b.params.len()
        && a.params.iter().zip(&b.params).all(|(a, b)| same(a, b))
        && same(&a.result, &b.result)
}

fn same(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Error, _) | (_, Ty::Error) => true,
        (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Ty::Fn(a), Ty::Fn(b)) => same_fn(a, b),
        _ => a.declared().is_some() && a.declared() == b.declared(),
    }
}

fn are(n: usize) -> String {
    match n {
        0 => "none is".into(),
        1 => "1 is".into(),
        _ => format!("{n} are"),
    }
}
