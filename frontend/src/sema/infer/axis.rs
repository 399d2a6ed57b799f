//! `sum(x, axis = 0)`: built-in functions along one axis.

use super::Infer;
use crate::sema::builtins::{ArrayFn, Builtin, Means};
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::{Class, Ty};
use crate::syntax::ast::{self, ReduceOp};
use adc_ir::{Code, Diagnostic, Span};

impl<'a> Infer<'_, 'a> {
    /// A call with an axis.
    #[inline(never)]
    pub(super) fn along(&mut self, call: &'a ast::Expr, axis: &'a ast::Expr, span: Span) -> Expr<'a> {
        let ast::ExprKind::Call { callee, dims, args, .. } = &call.kind else { return Expr::error(span) };
        let name = match &callee.kind {
            ast::ExprKind::Name(n) => n.text.as_str(),
            _ => "",
        };
        let own = self.find_local(name).is_some() || self.ctx.items.find(name).is_some();
        let found = Builtin::find(name).filter(|_| !own && dims.is_empty());
        let Some((f, name)) = found.and_then(|b| Some((along(b)?, b.name))) else {
            if found.is_none() && !own && !name.is_empty() {
                self.unknown_function(name, callee.span);
            } else {
                let shown = self.ctx.quote(callee.span, "this");
                let d = Diagnostic::error(Code::WrongArity, format!("`{shown}` takes no axis"));
                self.ctx.report(d.label(axis.span, "given here").help(format!(
                    "reductions such as `sum` and `max`, `softmax`, `cumsum` and `cumprod` do; \
                     others are applied row by row: `[{shown}(x[i]) for i]`"
                )));
            }
            return self.failed(args, span);
        };
        let one = args.len() == 1;
        if !one {
            let message =
                format!("`{name}` along an axis takes 1 array, but {} given", super::call::are(args.len()));
            let d = Diagnostic::error(Code::WrongArity, message).label(span, "one array, and the axis");
            self.ctx.report(d.help(format!("write `{name}(x, axis = 0)`")));
            return self.failed(args, span);
        }
        let x = self.expr(&args[0]);
        let Some(k) = self.axis(name, &x, axis) else { return Expr::error(span) };
        let elem = match f {
            Along::Reduce(op) => self.reduced(op, &x, span),
            Along::Softmax => {
                let n = self.number_of(&x, Class::Float, name, "real numbers");
                n.map(|n| {
                    self.real_only(n, &x, name, "real numbers");
                    x.ty.clone()
                })
            }
            Along::Cumsum | Along::Cumprod => self.number(&x, name, "numbers").map(|_| x.ty.clone()),
        };
        let Some(ty) = elem else { return Expr::error(span) };
        let mut shape = x.ty.shape().to_vec();
        if let Along::Reduce(_) = f {
            shape.remove(k);
        }
        Expr { kind: ExprKind::Along(f, Box::new(x), k), ty: Ty::array(ty.elem().clone(), shape), span }
    }

    /// The number of an axis of `x`.
    fn axis(&mut self, name: &str, x: &Expr<'a>, axis: &'a ast::Expr) -> Option<usize> {
        if x.ty.is_error() {
            return None;
        }
        let (rank, v) = (x.ty.shape().len(), self.operand(x));
        let array = self.ctx.quote(x.span, "x");
        if rank == 0 {
            let message = format!("`{name}` along an axis takes an array, but {}", self.describe(&v));
            let d = Diagnostic::error(Code::BadRank, message).label(v.span, self.types.show(&v.ty));
            self.ctx.report(d.help("a number has no axes"));
            return None;
        }
        let number = self.read_dim(axis).ok().filter(|d| !dims::is_unknown(d)).and_then(|d| d.as_const());
        let Some(k) = number else {
            let d = Diagnostic::error(Code::BadRank, "the axis is not a number")
                .label(axis.span, "not known here");
            self.ctx.report(d.help(format!("write its number: `{name}({array}, axis = 0)`")));
            return None;
        };
        if (0..rank as i64).contains(&k) {
            return Some(k as usize);
        }
        let message = format!("axis {k}, but {}", self.describe(&v));
        let d = Diagnostic::error(Code::BadRank, message)
            .label(axis.span, format!("it has {rank} ax{}", if rank == 1 { "is" } else { "es" }));
        let from_end = k + rank as i64;
        self.ctx.report(match k {
            ..0 if from_end >= 0 => {
                d.help(format!("axes do not count from the end: write `axis = {from_end}`"))
            }
            _ => d.help(format!("axes are counted from 0: the last one is `axis = {}`", rank - 1)),
        });
        None
    }
}

/// What a built-in does along an axis.
fn along(b: &Builtin) -> Option<Along> {
    match b.means {
        Means::Reduction(op) | Means::OpOrReduction(_, op) => Some(Along::Reduce(op)),
        Means::Array(ArrayFn::Norm) => Some(Along::Reduce(ReduceOp::Norm)),
        Means::Array(ArrayFn::Logsumexp) => Some(Along::Reduce(ReduceOp::Logsumexp)),
        Means::Array(ArrayFn::Softmax) => Some(Along::Softmax),
        Means::Array(ArrayFn::Cumsum) => Some(Along::Cumsum),
        Means::Array(ArrayFn::Cumprod) => Some(Along::Cumprod),
        Means::Op(_) | Means::Power | Means::Array(_) => None,
    }
}
