//! Reductions of slices whose size is known at run time only: as reductions over a generator.

use super::Infer;
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::{Ty, Types};
use crate::syntax::ast::{self, ReduceOp};
use adc_ir::{Dim, Op, Scalar, Span};

/// A slice `a:b` of any size.
pub(super) struct Ragged<'a> {
    /// Its position among the indices.
    pub axis: usize,
    /// `b`; without it the slice goes to the end.
    pub hi: Option<Expr<'a>>,
    /// The size of the axis.
    pub size: Dim,
}

/// What was read as the argument of a reduction.
pub(super) enum Read<'a> {
    /// The argument.
    Argument(Expr<'a>),
    /// The whole reduction.
    Reduction(Expr<'a>),
}

impl<'a> Infer<'_, 'a> {
    /// The argument of a reduction, or the whole reduction if that is a slice whose size is known at run time only.
    pub(super) fn ragged_reduction(&mut self, op: ReduceOp, e: &'a ast::Expr, span: Span) -> Read<'a> {
        let one = matches!(op, ReduceOp::Argmax | ReduceOp::Argmin);
        if one || !matches!(e.kind, ast::ExprKind::Index { .. }) {
            return Read::Argument(self.expr(e));
        }
        let outside = self.ragged.replace(Vec::new());
        let x = self.expr(e);
        let ragged = std::mem::replace(&mut self.ragged, outside).unwrap_or_default();
        if ragged.is_empty() || x.ty.is_error() {
            return Read::Argument(x);
        }
        if op == ReduceOp::Logsumexp && self.vector(op.text(), &x).is_none() {
            return Read::Reduction(Expr::error(span));
        }
        let elem = x.ty.elem().clone();
        let ExprKind::Index(base, at) = x.kind else { return Read::Reduction(Expr::error(span)) };
        let text = self.ctx.quote(e.span, "the slice");
        let (stmts, gens, term) = self.over_slices(*base, at, ragged, elem, (&text, e.span));
        let Some(ty) = self.reduced(op, &term, span) else { return Read::Reduction(Expr::error(span)) };
        let value = Expr { kind: ExprKind::Reduce { op, gens, body: Box::new(term) }, ty: ty.clone(), span };
        let block = Block { stmts, value: Some(Box::new(value)), ty: ty.clone(), span, dropped: Vec::new() };
        Read::Reduction(Expr { kind: ExprKind::Block(Box::new(block)), ty, span })
    }

    /// What is done before the reduction, its generators, and its term of type `elem`. `text` and `at` are the slice in the source.
    fn over_slices(
        &mut self,
        base: Expr<'a>,
        at: Vec<At<'a>>,
        mut ragged: Vec<Ragged<'a>>,
        elem: Ty,
        (text, span): (&str, Span),
    ) -> (Vec<Stmt<'a>>, Vec<Gen<'a>>, Expr<'a>) {
        let (mut stmts, mut gens, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let shape = base.ty.shape().to_vec();
        let sliced = at.len();
        let base = self.bound(base, &mut stmts);
        for (axis, a) in at.into_iter().enumerate() {
            let (lo, len) = match a {
                At::At(e) => {
                    let id = self.bound(e, &mut stmts);
                    places.push(At::At(self.read_local(id, span)));
                    continue;
                }
                At::Slice { lo, len } => (lo, len),
            };
            let ends = ragged.iter().position(|r| r.axis == axis).map(|k| ragged.swap_remove(k));
            let lo = lo.map(|e| self.bound(e, &mut stmts));
            let (var, i) = self.index_local(span);
            let Some(Ragged { hi, size, .. }) = ends else {
                let at = match lo {
                    Some(lo) => integer(Op::Add, [self.read_local(lo, span), i]),
                    None => i,
                };
                gens.push(Gen { var, range: None, len: Some(len), span });
                places.push(At::At(at));
                continue;
            };
            let hi = hi.map(|e| self.bound(e, &mut stmts));
            let last = |infer: &mut Self| match hi {
                Some(id) => infer.read_local(id, span),
                None => infer.size_of(size.clone(), span),
            };
            let mut fine = compare(self.read_or_zero(lo, span), last(self));
            if hi.is_some() {
                fine = both(fine, compare(last(self), self.size_of(size.clone(), span)));
            }
            if lo.is_some() {
                fine = both(fine, compare(self.read_or_zero(None, span), self.read_or_zero(lo, span)));
            }
            let (first, hi) = (self.read_or_zero(lo, span), last(self));
            let text = format!("the ends of `{text}` are in order and within the axis");
            stmts.push(Stmt::Assert(fine, text));
            gens.push(Gen { var, range: Some(Range { lo: first, hi, step: None }), len: None, span });
            places.push(At::At(i));
        }
        for size in &shape[sliced..] {
            let (var, i) = self.index_local(span);
            gens.push(Gen { var, range: None, len: Some(size.clone()), span });
            places.push(At::At(i));
        }
        let x = self.read_local(base, span);
        (stmts, gens, Expr { kind: ExprKind::Index(Box::new(x), places), ty: elem, span })
    }

    /// A variable of no name that holds a value.
    fn bound(&mut self, e: Expr<'a>, stmts: &mut Vec<Stmt<'a>>) -> LocalId {
        if let ExprKind::Local(id) = e.kind {
            return id;
        }
        let id = self.local("_", e.ty.clone(), LocalKind::Let, e.span, None);
        stmts.push(Stmt::Bind(Pat::Local(id), e));
        id
    }

    fn read_local(&self, id: LocalId, span: Span) -> Expr<'a> {
        Expr { kind: ExprKind::Local(id), ty: self.normal(&self.locals[id.0].ty), span }
    }

    fn read_or_zero(&self, id: Option<LocalId>, span: Span) -> Expr<'a> {
        match id {
            Some(id) => self.read_local(id, span),
            None => Expr { kind: ExprKind::Int(0), ty: Types::fixed(Scalar::I64), span },
        }
    }

    fn index_local(&mut self, span: Span) -> (LocalId, Expr<'a>) {
        let id = self.local("_", Types::fixed(Scalar::I64), LocalKind::Index, span, None);
        (id, self.read_local(id, span))
    }

    fn size_of(&mut self, size: Dim, span: Span) -> Expr<'a> {
        if !dims::is_unknown(&size) {
            self.types.syms.mark(&size);
        }
        Expr { kind: ExprKind::Size(size), ty: Types::fixed(Scalar::I64), span }
    }
}

fn integer<'a>(op: Op, [a, b]: [Expr<'a>; 2]) -> Expr<'a> {
    let span = a.span;
    Expr { kind: ExprKind::Prim { op, name: "", args: vec![a, b] }, ty: Types::fixed(Scalar::I64), span }
}

/// `a <= b`
fn compare<'a>(a: Expr<'a>, b: Expr<'a>) -> Expr<'a> {
    Expr { ty: Ty::Bool, ..integer(Op::Le, [a, b]) }
}

fn both<'a>(a: Expr<'a>, b: Expr<'a>) -> Expr<'a> {
    Expr { ty: Ty::Bool, ..integer(Op::And, [a, b]) }
}
