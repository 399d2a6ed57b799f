//! Functions as arguments: names, built-ins, functions with some arguments given.

use super::Infer;
use super::errors::Demand;
use crate::sema::builtins::{Builtin, Means};
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::types::{FnTy, Ty};
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, Op, Scalar, Span, Type};

impl<'a> Infer<'_, 'a> {
    /// An argument for a parameter of function type.
    pub(super) fn fn_argument(&mut self, a: &'a ast::Expr, want: &FnTy) -> FnRef<'a> {
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
