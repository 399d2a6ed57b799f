//! Calls: of functions, function parameters, built-ins, conversions; functions as arguments.

use super::Infer;
use super::errors::Demand;
use crate::sema::builtins::{Builtin, Means};
use crate::sema::decl::{self, plural};
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::types::{FnTy, Ty};
use crate::syntax::ast;
use crate::syntax::suggest::nearest;
use crate::words::{self, Instead};
use adc_ir::{Certainty, Code, Diagnostic, Scalar, Span};
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
            ast::ExprKind::Derivative { op, .. } => {
                return self.call_derivative(callee, *op, args, seeds, span);
            }
            ast::ExprKind::Error => return self.failed(args, span),
            _ => {
                self.uncallable(callee, args, span);
                return self.failed(args, span);
            }
        };
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
            if !dims.is_empty() {
                self.no_dims(text, dims[0].value.span.to(dims[dims.len() - 1].value.span));
                return self.failed(args, span);
            }
            return self.call_local(id, text, args, span);
        }
        match self.ctx.items.find(text) {
            Some(ItemRef::Fn(ix)) => return self.call_item(ix, dims, args, span),
            Some(ItemRef::Const(_)) => {
                self.not_a_function(text, "a constant", name.span);
                return self.failed(args, span);
            }
            None => {}
        }
        if !dims.is_empty() && (Scalar::from_name(text).is_some() || Builtin::find(text).is_some()) {
            self.no_dims(text, dims[0].value.span.to(dims[dims.len() - 1].value.span));
            return self.failed(args, span);
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

    /// The call of something that is not a name.
    fn uncallable(&mut self, callee: &'a ast::Expr, args: &'a [ast::Expr], span: Span) {
        let text = self.ctx.quote(callee.span, "…");
        let inside = match args {
            [a] => self.ctx.quote(a.span, "…"),
            _ => "…".into(),
        };
        let d = Diagnostic::error(Code::NotAFunction, "this cannot be called")
            .label(callee.span, "not the name of a function");
        self.ctx.report(match &callee.kind {
            ast::ExprKind::Int(_) | ast::ExprKind::Real(_) | ast::ExprKind::Imag(_) => {
                Diagnostic::error(Code::NotAFunction, "a number cannot be called")
                    .label(span, "a product needs its `*`")
                    .help(format!("write `{text}*({inside})`"))
            }
            ast::ExprKind::Transpose(f) if self.is_function(f) => {
                d.help(format!("a derivative is written `grad({})({inside})`", self.ctx.quote(f.span, "f")))
            }
            ast::ExprKind::Call { callee: f, .. } => match &f.kind {
                ast::ExprKind::Name(n) if self.is_unknown(&n.text) => {
                    return self.unknown_function(&n.text, n.span);
                }
                _ => d.help(
                    "a call gives a value; functions are passed by name, with known arguments as `f(_, p)`",
                ),
            },
            _ => d.help("a function is called by its name, `f(x)`; a product needs its `*`"),
        });
    }

    /// Whether nothing has this name.
    fn is_unknown(&self, name: &str) -> bool {
        self.find_local(name).is_none()
            && self.ctx.items.find(name).is_none()
            && Builtin::find(name).is_none()
            && Scalar::from_name(name).is_none()
    }

    /// A call that cannot be made sense of: its arguments are still looked at.
    pub(super) fn failed(&mut self, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
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
        let array = self.find_local(text).is_some_and(|id| !self.locals[id.0].ty.shape().is_empty());
        if Builtin::find(text).is_some() {
            d = d.help(format!("it hides the built-in `{text}`: rename it"));
        } else if array {
            let inside = self.ctx.text(span).strip_prefix(text).unwrap_or_default().trim();
            let inside = inside.strip_prefix('(').and_then(|s| s.strip_suffix(')')).unwrap_or("i");
            d = d.help(format!("entries are in square brackets, and start at 0: `{text}[{inside}]`"));
        } else {
            d = d.help(format!("a product needs its `*`: `{text}*(…)`"));
        }
        self.ctx.report(d);
    }

    pub(super) fn unknown_function(&mut self, text: &str, span: Span) {
        if let Some(to) = words::scalar(text) {
            let mut d = decl::unknown_type(text, span);
            d.help = vec![match text {
                "real" => "the real part of `z` is `re(z)`; an integer `n` becomes real with `f64(n)`".into(),
                _ => format!("write `{to}(…)` to convert"),
            }];
            return self.ctx.report(d);
        }
        let d = Diagnostic::error(Code::UnknownName, format!("no function or op called `{text}`"));
        let is_fn = |n: &&str| self.find_local(n).is_some_and(|id| matches!(self.locals[id.0].ty, Ty::Fn(_)));
        let all = (self.scope.names().filter(is_fn))
            .chain(self.ctx.items.fn_names())
            .chain(crate::sema::builtins::BUILTINS.iter().map(|b| b.name))
            .chain(Scalar::all().map(|s| s.name()));
        let near = match words::function(text) {
            // Another language's name of the same function.
            Some(Instead::Name(ours)) => {
                let d = d.label(span, format!("did you mean `{ours}`?"));
                return self.ctx.report(d.replace(span, ours, Certainty::Certain));
            }
            Some(Instead::Write(help)) => {
                return self.ctx.report(d.label(span, "not part of the language").help(help));
            }
            None => nearest(text, all),
        };
        self.ctx.report(match near {
            Some(near) => d.meant(span, near),
            None => d
                .label(span, "not defined in this file or the files it uses")
                .help("`adc explain --list` shows the built-in functions; others are declared with `fn`"),
        });
    }

    pub(super) fn arity(
        &mut self,
        name: &str,
        want: usize,
        args: &[ast::Expr],
        span: Span,
        place: Option<Span>,
    ) -> bool {
        if want != args.len() {
            self.wrong_count(name, want, args.len(), span, place);
        }
        want == args.len()
    }

    pub(super) fn wrong_count(
        &mut self,
        name: &str,
        want: usize,
        got: usize,
        span: Span,
        place: Option<Span>,
    ) {
        let mut d = Diagnostic::error(
            Code::WrongArity,
            format!("`{name}` takes {want} argument{}, but {} given", plural(want), are(got)),
        )
        .label(span, format!("{got} argument{}", plural(got)));
        if let Some(place) = place {
            d = d.also(place, "declared here");
        }
        let reduction = ast::ReduceOp::from_text(name);
        let help = match (name, got) {
            ("max" | "min", 3..) => Some(format!("write `{name}([a, b, c])`")),
            _ if reduction.is_some() && got == 2 => Some(format!(
                "along an axis it is `{name}(x, axis = 1)`; terms are written `{name}(f(x[i]) for i)`"
            )),
            ("log", 2) => {
                Some("the logarithm to another base is `log(x)/log(b)`; there are `log2` and `log10`".into())
            }
            _ => None,
        };
        self.ctx.report(match help {
            Some(help) => d.help(help),
            None => d,
        });
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

    pub(super) fn argument(&mut self, a: &'a ast::Expr, to: &Ty, demand: Demand<'a>) -> Arg<'a> {
        if let Ty::Fn(want) = to {
            return Arg::Fn(self.fn_argument(a, want));
        }
        let value = self.expr(a);
        self.flow(&value, to, demand);
        Arg::Value(value)
    }

    fn call_builtin(&mut self, b: &'static Builtin, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let op = match b.means {
            Means::Array(f) => return self.array_fn(f, b.name, args, span),
            Means::OpOrReduction(_, op) if args.len() == 1 => return self.reduce_all(op, &args[0], span),
            Means::Reduction(op) => {
                if !self.arity(b.name, 1, args, span, None) {
                    return self.failed(args, span);
                }
                return self.reduce_all(op, &args[0], span);
            }
            Means::Op(op) | Means::OpOrReduction(op, _) => Some(op),
            Means::Power => None,
        };
        if !self.arity(b.name, b.arity().unwrap_or(0), args, span, None) {
            return self.failed(args, span);
        }
        let Some(op) = op else { return self.power(b.name, &args[0], &args[1], span) };
        let args = args.iter().map(|a| self.expr(a)).collect();
        self.prim(op, b.name, b.name, args, span)
    }
}

pub(super) fn are(n: usize) -> String {
    match n {
        0 => "none is".into(),
        1 => "1 is".into(),
        _ => format!("{n} are"),
    }
}
