//! Comprehensions and reductions: generators and what they range over.

use super::errors::Demand;
use super::{Bare, Fence, Infer};
use crate::sema::hir::*;
use crate::sema::types::{Ty, Types};
use crate::sema::{dim_exprs, dims};
use crate::syntax::ast::{self, ReduceOp};
use adc_ir::{Code, Diagnostic, Dim, Scalar, Shape, Span};

impl<'a> Infer<'_, 'a> {
    /// `[e for i in a..b]`
    pub(super) fn comprehension(
        &mut self,
        body: &'a ast::Expr,
        generators: &'a [ast::Generator],
        span: Span,
    ) -> Expr<'a> {
        let (gens, body) = self.generated(body, generators, "this comprehension", true);
        let elem = self.element(&body);
        if matches!(elem, Ty::Error) {
            return Expr::error(span);
        }
        let sizes = gens.iter().map(|g| g.len.clone().unwrap_or_else(dims::unknown));
        let shape: Shape = sizes.chain(elem.shape().iter().cloned()).collect();
        let ty = self.array_of(elem.elem().clone(), shape, span);
        Expr { kind: ExprKind::Build { gens, body: Box::new(body) }, ty, span }
    }

    /// `sum(e for i in a..b)`
    pub(super) fn reduction(
        &mut self,
        op: ReduceOp,
        body: &'a ast::Expr,
        generators: &'a [ast::Generator],
        span: Span,
    ) -> Expr<'a> {
        let (gens, body) = self.generated(body, generators, "this reduction", false);
        let one = matches!(op, ReduceOp::Argmax | ReduceOp::Argmin);
        let scalar =
            one || matches!(op, ReduceOp::Any | ReduceOp::All | ReduceOp::Logsumexp | ReduceOp::Norm);
        if one && gens.len() > 1 {
            let second = generators[1].span;
            self.ctx.report(
                Diagnostic::error(Code::BadRank, format!("`{}` takes one variable", op.text()))
                    .label(second, "the second one")
                    .help("number the entries: one index over all of them, taken apart with `div` and `mod`"),
            );
            return Expr::error(span);
        }
        if scalar && !body.ty.shape().is_empty() {
            let v = self.operand(&body);
            let message = format!("`{}` reduces scalars, but {}", op.text(), self.describe(&v));
            let d = Diagnostic::error(Code::BadRank, message).label(v.span, self.types.show(&v.ty));
            self.ctx.report(d.help(format!("reduce its entries, too: `{}(x[i, j] for i, j)`", op.text())));
            return Expr::error(span);
        }
        match self.reduced(op, &body, span) {
            Some(ty) => Expr { kind: ExprKind::Reduce { op, gens, body: Box::new(body) }, ty, span },
            None => Expr::error(span),
        }
    }

    /// Generators and the expression they are for; `build`: the array of all values is wanted, so that its sizes must
    /// be dimension expressions.
    fn generated(
        &mut self,
        body: &'a ast::Expr,
        generators: &'a [ast::Generator],
        what: &'static str,
        build: bool,
    ) -> (Vec<Gen<'a>>, Expr<'a>) {
        let visible = self.scope.len();
        let bare = self.bare.len();
        let outside = self.fence.replace(Fence { inside: self.locals.len(), what });
        let mut gens = Vec::new();
        for g in generators {
            let (range, len) = match &g.range {
                None => (None, None),
                Some(r) => {
                    let before = self.ctx.errors();
                    let range = self.range(r);
                    let fine = self.ctx.errors() == before;
                    let len = build.then(|| if fine { self.range_len(r) } else { dims::unknown() });
                    (Some(range), len)
                }
            };
            let var = self.declare(&g.var, Types::fixed(Scalar::I64), LocalKind::Index, None);
            if g.range.is_none() {
                self.bare.push(Bare { var, inside: usize::MAX, size: None });
            }
            gens.push(Gen { var, range, len, span: g.span });
        }
        let inside = self.locals.len();
        self.bare[bare..].iter_mut().for_each(|b| b.inside = inside);
        let body = self.expr(body);
        for b in self.bare.split_off(bare) {
            let gen_ = gens.iter_mut().find(|g| g.var == b.var).expect("bare generators are among them");
            let size = match b.size {
                Some((size, _)) => size,
                None => {
                    if !body.ty.is_error() {
                        self.no_range(b.var, gen_.span);
                    }
                    dims::unknown()
                }
            };
            gen_.len = Some(size);
        }
        self.scope.truncate(visible);
        self.fence = outside;
        (gens, body)
    }

    fn no_range(&mut self, var: LocalId, span: Span) {
        let name = self.locals[var.0].name;
        self.ctx.report(
            Diagnostic::error(Code::NoRange, format!("the range of `{name}` cannot be inferred"))
                .label(span, format!("no array outside has exactly `{name}` as an index"))
                .help(format!("write one: `for {name} in 0..n`")),
        );
    }

    /// `lo..hi step s` of integers.
    pub(super) fn range(&mut self, r: &'a ast::Range) -> Range<'a> {
        let mut end = |e: &'a ast::Expr, what: &'static str| {
            let typed = self.expr(e);
            self.flow(&typed, &Types::fixed(Scalar::I64), Demand::Integer(what));
            typed
        };
        let (lo, hi) = (end(&r.lo, "an end of a range"), end(&r.hi, "an end of a range"));
        let step = r.step.as_ref().map(|s| end(s, "a step"));
        if let Some(s) = &r.step
            && let Ok(d) = self.read_dim(s)
            && let Some(n) = d.as_const()
            && n < 1
        {
            let d = Diagnostic::error(Code::BadStep, format!("a step of {n}")).label(s.span, "not positive");
            self.ctx.report(d.help("loops count upwards; reverse the index: `n - 1 - i`"));
        }
        Range { lo, hi, step }
    }

    /// The number of values of a range, which the size of an array depends on.
    fn range_len(&mut self, r: &'a ast::Range) -> Dim {
        let what = "the range of a comprehension";
        let (mut ends, one) = (Vec::new(), Dim::constant(1));
        for e in [&r.lo, &r.hi].into_iter().chain(&r.step) {
            match self.read_dim(e) {
                Ok(d) => ends.push(d),
                Err(bad) => {
                    dim_exprs::report(self.ctx, bad, e.span, what)
                        .into_iter()
                        .for_each(|d| self.ctx.report(d));
                    return dims::unknown();
                }
            }
        }
        if ends.iter().any(dims::is_unknown) {
            return dims::unknown();
        }
        let step = ends.get(2).unwrap_or(&one).clone();
        let len = ends[1].sub(&ends[0]).and_then(|n| {
            if step == one {
                return Some(n);
            }
            let up = n.add(&step)?.sub(&one)?;
            self.types.syms.div(&up, &step)
        });
        let Some(len) = len else {
            let d = dim_exprs::report(self.ctx, dim_exprs::Bad::Large(r.span), r.span, what);
            d.into_iter().for_each(|d| self.ctx.report(d));
            return dims::unknown();
        };
        if let Some(name) = self.types.syms.run_time(&len) {
            let message = format!("`{name}` is not a dimension, so it cannot be in {what}");
            self.ctx.report(
                Diagnostic::error(Code::NotADimension, message)
                    .label(r.span, "known at run time only")
                    .help(dim_exprs::dimension_help(&name)),
            );
            return dims::unknown();
        }
        if let Some(n) = len.as_const()
            && n < 0
        {
            let d = Diagnostic::error(Code::NegativeSize, format!("an array of negative size {n}"));
            self.ctx.report(
                d.label(r.span, "ends before it starts").help("the range ends before its second number"),
            );
            return dims::unknown();
        }
        let len = self.types.syms.normal(&len);
        self.types.syms.mark(&len);
        len
    }
}
