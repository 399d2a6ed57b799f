//! Array literals, indices, slices, products of matrices, reductions of whole arrays.

use super::errors::Demand;
use super::ragged::{Ragged, Read};
use super::{Infer, Operand};
use crate::sema::decl::too_many_axes;
use crate::sema::dim_exprs::{self, Bad};
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::{Class, Num, Ty, Types};
use crate::syntax::ast::{self, ReduceOp};
use adc_ir::{Code, Diagnostic, Dim, MAX_RANK, Op, Scalar, Shape, Span};

impl<'a> Infer<'_, 'a> {
    /// `[a, b]`
    pub(super) fn array(&mut self, es: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let es: Vec<Expr> = es.iter().map(|e| self.expr(e)).collect();
        let mut ty = self.element(&es[0]);
        for e in &es[1..] {
            let next = self.element(e);
            match self.join((&ty, es[0].span), (&next, e.span)) {
                Some(joined) => ty = joined,
                None => {
                    let (a, b) = (self.operand(&es[0]), self.operand(e));
                    if dims::same_shape(a.ty.shape(), b.ty.shape()) {
                        self.clash("[…]", &a, &b, span);
                    } else {
                        self.elements_differ(&a, &b, span);
                    }
                    ty = Ty::Error;
                }
            }
        }
        let shape =
            std::iter::once(Dim::constant(es.len() as i64)).chain(ty.shape().iter().cloned()).collect();
        let ty = self.array_of(ty.elem().clone(), shape, span);
        Expr { kind: ExprKind::Array(es), ty, span }
    }

    /// An array type; too many axes are reported.
    pub(super) fn array_of(&mut self, elem: Ty, shape: Shape, span: Span) -> Ty {
        if shape.len() > MAX_RANK {
            self.ctx.report(too_many_axes(span, shape.len()));
            return Ty::Error;
        }
        if matches!(elem, Ty::Error) { Ty::Error } else { Ty::array(elem, shape) }
    }

    /// The type of something that an array is made of; reports what cannot be in one.
    pub(super) fn element(&mut self, e: &Expr<'a>) -> Ty {
        match e.ty.elem() {
            Ty::Bool | Ty::Num(_) | Ty::Error => e.ty.clone(),
            Ty::Unit | Ty::Array(..) | Ty::Tuple(_) | Ty::Fn(_) => {
                let v = self.operand(e);
                self.not_taken(&v, "[…]", "scalars and arrays");
                Ty::Error
            }
        }
    }

    fn elements_differ(&mut self, a: &Operand<'a>, b: &Operand<'a>, span: Span) {
        let (ta, tb) = (self.types.show(&a.ty), self.types.show(&b.ty));
        self.ctx.report(
            Diagnostic::error(Code::ShapeMismatch, format!("an array cannot hold {ta} and {tb}"))
                .label(span, "its elements need one shape")
                .also(a.span, ta)
                .also(b.span, tb)
                .help("give all of them the same size; `concat` joins arrays of different size"),
        );
    }

    /// `x[i, a:b]` as a value.
    pub(super) fn index(&mut self, base: &'a ast::Expr, indices: &'a [ast::Index], span: Span) -> Expr<'a> {
        let mut ragged = self.ragged.take();
        let x = self.expr(base);
        let inside = match x.kind {
            ExprKind::Local(id) => Some(id),
            _ => None,
        };
        let name = self.operand(&x);
        let found = self.positions(&name, inside, indices, ragged.as_mut(), span);
        self.ragged = ragged;
        let Some((at, ty)) = found else { return Expr::error(span) };
        Expr { kind: ExprKind::Index(Box::new(x), at), ty, span }
    }

    /// The positions inside `x[…]` and the type of that part. `local` is what is indexed, if it is a variable. `ragged`
    /// gets slices whose size is known at run time only; without it they are refused.
    pub(super) fn positions(
        &mut self,
        x: &Operand<'a>,
        local: Option<LocalId>,
        indices: &'a [ast::Index],
        mut ragged: Option<&mut Vec<Ragged<'a>>>,
        span: Span,
    ) -> Option<(Vec<At<'a>>, Ty)> {
        let rank = x.ty.shape().len();
        let problem = match x.ty.elem() {
            Ty::Error => Some(None),
            _ if rank == 0 => {
                let d =
                    Diagnostic::error(Code::BadIndex, format!("{}, which has no entries", self.describe(x)));
                let d = d.label(span, "only arrays can be indexed");
                Some(Some(match x.ty.elem() {
                    Ty::Tuple(_) => d.help("take the tuple apart: `let (a, b) = …;`"),
                    _ => d,
                }))
            }
            _ if indices.len() > rank => {
                let (ty, n) = (self.types.show(&x.ty), indices.len());
                let d = Diagnostic::error(Code::BadIndex, format!("{n} indices for {ty}"))
                    .label(span, format!("it has {rank} ax{}", if rank == 1 { "is" } else { "es" }));
                let added = indices.iter().any(|i| {
                    matches!(i, ast::Index::At(e) if matches!(&e.kind, ast::ExprKind::Name(n) if n.text == "None"))
                });
                if added {
                    // The name is part of the same mistake.
                    let d = d.help("axes are not added: write `[x[i] - y[j] for i, j]`");
                    self.ctx.report(d);
                    return None;
                }
                let matrix = (rank, n) == (1, 2);
                let help = matrix.then(|| self.matrix_help(x, None)).flatten();
                Some(Some(d.help(help.unwrap_or_else(|| "give at most one index for each axis".into()))))
            }
            _ => None,
        };
        if let Some(report) = problem {
            report.into_iter().for_each(|d| self.ctx.report(d));
            for i in indices {
                self.poisoned(i);
            }
            return None;
        }
        let mut at = Vec::new();
        let mut shape: Shape = Vec::new();
        for (axis, index) in indices.iter().enumerate() {
            let size = x.ty.shape()[axis].clone();
            match index {
                ast::Index::At(e) => {
                    self.note_bare(e, local, &size);
                    let i = self.expr(e);
                    if self.array_as_index(&i, x) {
                        return None;
                    }
                    if self.flow(&i, &Types::fixed(Scalar::I64), Demand::Integer("an index")) {
                        self.constant_index(e, &size, x);
                    }
                    at.push(At::At(i));
                }
                ast::Index::Slice { lo, hi, span } => {
                    let ragged = ragged.as_deref_mut().map(|r| (axis, r));
                    let (lo, len) = self.slice(lo.as_ref(), hi.as_ref(), &size, x, ragged, *span);
                    shape.push(len.clone());
                    at.push(At::Slice { lo, len });
                }
            }
        }
        shape.extend(x.ty.shape()[indices.len()..].iter().cloned());
        Some((at, Ty::array(x.ty.elem().clone(), shape)))
    }

    /// Reports an array in place of an index: a mask, or many indices.
    fn array_as_index(&mut self, i: &Expr<'a>, x: &Operand<'a>) -> bool {
        if i.ty.shape().is_empty() {
            return false;
        }
        let (name, inside) = (self.ctx.quote(x.span, "x"), self.ctx.quote(i.span, "i"));
        let v = self.operand(i);
        let message = format!("{}, but an index is an i64", self.describe(&v));
        let d = Diagnostic::error(Code::ShapeMismatch, message).label(i.span, self.types.show(&i.ty));
        self.ctx.report(d.help(match i.ty.elem() {
            Ty::Bool => format!(
                "arrays have fixed sizes, so nothing is filtered: write `select({inside}, {name}, 0)`, \
                 or `sum(if c {{ {name}[i] }} else {{ 0 }} for i)`"
            ),
            _ => format!("write `gather({name}, {inside})`"),
        }));
        true
    }

    /// An index of something that was reported: a bare generator takes any size from it.
    fn poisoned(&mut self, index: &'a ast::Index) {
        match index {
            ast::Index::At(e) => {
                self.note_bare(e, None, &dims::unknown());
                self.expr(e);
            }
            ast::Index::Slice { lo, hi, .. } => lo.iter().chain(hi).for_each(|e| {
                self.expr(e);
            }),
        }
    }

    /// A generator without a range takes the size of what it indexes.
    fn note_bare(&mut self, e: &'a ast::Expr, array: Option<LocalId>, size: &Dim) {
        let ast::ExprKind::Name(name) = &e.kind else { return };
        let Some(id) = self.find_local(&name.text) else { return };
        let Some(k) = self.bare.iter().position(|b| b.var == id) else { return };
        if array.is_some_and(|a| a.0 >= self.bare[k].inside) {
            return;
        }
        match &self.bare[k].size {
            None => self.bare[k].size = Some((size.clone(), e.span)),
            Some((first, _)) if dims::is_unknown(first) => self.bare[k].size = Some((size.clone(), e.span)),
            Some((first, _)) if dims::same(first, size) => {}
            Some((first, at)) => {
                let (a, b) = (self.types.syms.show(first), self.types.syms.show(size));
                let d = Diagnostic::error(
                    Code::ShapeMismatch,
                    format!("`{}` runs over an axis of size {a} and one of size {b}", name.text),
                );
                self.ctx.report(
                    d.label(e.span, format!("size {b}"))
                        .also(*at, format!("size {a}"))
                        .help(format!("say which: `for {} in 0..{a}`", name.text)),
                );
                self.bare[k].size = Some((dims::unknown(), e.span));
            }
        }
    }

    /// Refuses an index that is outside for certain.
    fn constant_index(&mut self, e: &'a ast::Expr, size: &Dim, x: &Operand<'a>) {
        let Ok(i) = self.read_dim(e) else { return };
        if dims::is_unknown(&i) || dims::is_unknown(size) {
            return;
        }
        let over = i.sub(size).and_then(|d| self.types.syms.normal(&d).as_const()).filter(|n| *n >= 0);
        let below = i.as_const().filter(|n| *n < 0);
        if over.is_none() && below.is_none() {
            return;
        }
        let (shown, size) = (self.types.syms.show(&i), self.types.syms.show(size));
        let name = self.ctx.quote(x.span, "the array");
        let d = Diagnostic::error(Code::BadIndex, format!("index {shown} is outside an axis of size {size}"))
            .label(e.span, "outside")
            .also(x.span, self.types.show(&x.ty));
        self.ctx.report(match below {
            Some(n) => d.help(format!(
                "indices do not count from the end: write `{name}[{size} - {}]`",
                n.unsigned_abs()
            )),
            None => d.help("indices are 0-based: the last one is the size minus 1"),
        });
    }

    /// `a:b`: its first index and length.
    fn slice(
        &mut self,
        lo: Option<&'a ast::Expr>,
        hi: Option<&'a ast::Expr>,
        size: &Dim,
        x: &Operand<'a>,
        ragged: Option<(usize, &mut Vec<Ragged<'a>>)>,
        span: Span,
    ) -> (Option<Expr<'a>>, Dim) {
        let before = self.ctx.errors();
        let mut end = |e: &'a ast::Expr| {
            let typed = self.expr(e);
            self.flow(&typed, &Types::fixed(Scalar::I64), Demand::Integer("an end of a slice"));
            (typed, self.read_dim(e))
        };
        let (lo, from) = match lo {
            Some(e) => {
                let (e, d) = end(e);
                (Some(e), d)
            }
            None => (None, Ok(Dim::constant(0))),
        };
        let (hi, to) = match hi {
            Some(e) => {
                let (e, d) = end(e);
                (Some(e), d)
            }
            None => (None, Ok(size.clone())),
        };
        if self.ctx.errors() > before {
            return (lo, dims::unknown());
        }
        let fixed = match (&from, &to) {
            (Ok(a), Ok(b)) => b.sub(a).is_none_or(|len| self.types.syms.run_time(&len).is_none()),
            (Err(Bad::NotDim(_) | Bad::Form(_)), _) | (_, Err(Bad::NotDim(_) | Bad::Form(_))) => false,
            _ => true,
        };
        if let Some((axis, ragged)) = ragged.filter(|_| !fixed) {
            ragged.push(Ragged { axis, hi, size: size.clone() });
            return (lo, dims::unknown());
        }
        let help = "as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, \
                    `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`";
        let bad = |d: Diagnostic| {
            self.ctx.report(d.help(help));
            dims::unknown()
        };
        let (from, to) = match (from, to) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(b), _) | (_, Err(b)) => {
                let silent = matches!(b, Bad::Silent);
                let d = dim_exprs::report(self.ctx, b, span, "an end of a slice");
                return (lo, d.filter(|_| !silent).map_or(dims::unknown(), bad));
            }
        };
        if dims::is_unknown(&from) || dims::is_unknown(&to) {
            return (lo, dims::unknown());
        }
        let Some(len) = to.sub(&from).map(|len| self.types.syms.normal(&len)) else {
            let d = dim_exprs::report(self.ctx, Bad::Large(span), span, "the size of a slice");
            return (lo, d.map_or(dims::unknown(), bad));
        };
        if let Some(name) = self.types.syms.run_time(&len) {
            let message = format!("the size of this slice depends on `{name}`, which is not a dimension");
            let d = Diagnostic::error(Code::NotADimension, message).label(span, "known at run time only");
            return (lo, bad(d));
        }
        let outside =
            |d: Option<Dim>, fine: fn(i64) -> bool| d.and_then(|d| d.as_const()).is_some_and(|n| !fine(n));
        let (a, b) = (self.types.syms.show(&from), self.types.syms.show(&to));
        let why = if outside(Some(from.clone()), |n| n >= 0) {
            Some("slices do not count from the end".to_string())
        } else if outside(to.sub(size), |n| n <= 0) {
            Some(format!("the axis has size {}", self.types.syms.show(size)))
        } else if outside(Some(len.clone()), |n| n >= 0) {
            match to.as_const() {
                Some(n) if n < 0 => Some("slices do not count from the end".to_string()),
                _ => Some("it ends before it starts".to_string()),
            }
        } else {
            None
        };
        if let Some(why) = why {
            self.ctx.report(
                Diagnostic::error(Code::BadIndex, format!("the slice {a}:{b} is outside its axis"))
                    .label(span, why)
                    .also(x.span, self.types.show(&x.ty))
                    .help(match to.as_const() {
                        Some(n) if n < 0 => format!(
                            "`a:b` are the indices from `a` up to `b`, without `b`: write `{}` for `{n}`",
                            self.types.syms.show(&size.add(&to).unwrap_or_else(dims::unknown))
                        ),
                        _ => "`a:b` are the indices from `a` up to `b`, without `b`".to_string(),
                    }),
            );
            return (lo, dims::unknown());
        }
        self.types.syms.mark(&len);
        (lo, len)
    }

    /// `x[i] = e`, `x[i] += e`
    pub(super) fn assign_at(
        &mut self,
        id: Option<LocalId>,
        target: &'a ast::Place,
        combine: Option<(Op, &'static str)>,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<Stmt<'a>> {
        let ty = id.map_or(Ty::Error, |id| self.normal(&self.locals[id.0].ty));
        let whole = Expr {
            kind: id.map_or(ExprKind::Error, ExprKind::Local),
            ty,
            span: Span { end: target.name.span.end, ..target.span },
        };
        let x = self.operand(&whole);
        let found = self.positions(&x, id, &target.indices, None, target.span);
        let value = self.expr(value);
        let ((at, part), var) = (found?, id?);
        // One number may be written over a slice, or combined with every entry.
        let slice = combine.is_some() || at.iter().any(|a| matches!(a, At::Slice { .. }));
        let to = if slice && value.ty.shape().is_empty() { part.elem().clone() } else { part.clone() };
        if !self.flow(&value, &to, Demand::AssignedAt(var)) {
            return None;
        }
        let op = match combine {
            Some((op, what)) => {
                let left = Expr { kind: ExprKind::Local(var), ty: part.clone(), span: target.span };
                let pair = [left, value];
                self.prim_type(op, what, &pair, span)?;
                let [_, right] = pair;
                let assign = AssignAt { var, at, op: Some(op), value: right, part, span };
                return Some(Stmt::AssignAt(Box::new(assign)));
            }
            None => None,
        };
        Some(Stmt::AssignAt(Box::new(AssignAt { var, at, op, value, part, span })))
    }

    /// `A'`
    pub(super) fn adjoint(&mut self, e: &'a ast::Expr, span: Span) -> Expr<'a> {
        let x = self.expr(e);
        let Some(_) = self.number(&x, "'", "numbers") else { return Expr::error(span) };
        let shape: Shape = x.ty.shape().iter().rev().cloned().collect();
        if shape.len() > 2 {
            let v = self.operand(&x);
            self.bad_rank(
                "'",
                &v,
                "`transpose` and a comprehension reorder axes: `[x[k, j, i] for i, j, k]`",
            );
            return Expr::error(span);
        }
        let ty = Ty::array(x.ty.elem().clone(), shape);
        Expr { kind: ExprKind::Adjoint(Box::new(x)), ty, span }
    }

    pub(super) fn bad_rank(&mut self, what: &str, v: &Operand<'a>, help: &str) {
        let message = format!("`{what}` is for vectors and matrices, but {}", self.describe(v));
        let d = Diagnostic::error(Code::BadRank, message).label(v.span, self.types.show(&v.ty));
        self.ctx.report(d.help(help));
    }

    /// `a @ b`
    pub(super) fn matmul(&mut self, lhs: &'a ast::Expr, rhs: &'a ast::Expr, span: Span) -> Expr<'a> {
        let (a, b) = (self.expr(lhs), self.expr(rhs));
        let takes = "arrays of real or complex numbers";
        let found =
            vec![self.number_of(&a, Class::Float, "@", takes), self.number_of(&b, Class::Float, "@", takes)];
        let pair = [a, b];
        let Some(nums) = self.all_or_taint(&pair, found) else { return Expr::error(span) };
        for e in &pair {
            if !(1..=2).contains(&e.ty.shape().len()) {
                let v = self.operand(e);
                self.bad_rank("@", &v, "the product with a number is `*`");
                return Expr::error(span);
            }
        }
        if !self.agree("@", (&pair[0], nums[0]), (&pair[1], nums[1]), span) {
            return Expr::error(span);
        }
        let (s, t) = (pair[0].ty.shape(), pair[1].ty.shape());
        if !dims::same(&s[s.len() - 1], &t[0]) {
            let (v, w) = (self.operand(&pair[0]), self.operand(&pair[1]));
            self.inner_sizes(&v, &w, span);
            return Expr::error(span);
        }
        let shape: Shape = s[..s.len() - 1].iter().chain(&t[1..]).cloned().collect();
        let num = Num { class: nums[0].class, cx: self.types.either(nums[0].cx, nums[1].cx) };
        let [a, b] = pair;
        Expr { kind: ExprKind::MatMul(Box::new((a, b))), ty: Ty::array(Ty::Num(num), shape), span }
    }

    fn inner_sizes(&mut self, a: &Operand<'a>, b: &Operand<'a>, span: Span) {
        let (ta, tb) = (self.types.show(&a.ty), self.types.show(&b.ty));
        let (s, t) = (a.ty.shape(), b.ty.shape());
        let (k, l) = (self.types.syms.show(&s[s.len() - 1]), self.types.syms.show(&t[0]));
        let transposed = s.len() == 2 && dims::same(&s[0], &t[0]);
        let help = if transposed {
            format!("`{}' @ {}` fits", self.ctx.quote(a.span, "A"), self.ctx.quote(b.span, "b"))
        } else {
            "the last axis on the left and the first one on the right need one size".into()
        };
        self.ctx.report(
            Diagnostic::error(Code::ShapeMismatch, format!("`@` cannot take {ta} and {tb}"))
                .label(span, format!("sums over {k} on the left, over {l} on the right"))
                .also(a.span, ta)
                .also(b.span, tb)
                .help(help),
        );
    }

    /// `sum(x)`: everything in an array.
    pub(super) fn reduce_all(&mut self, op: ReduceOp, e: &'a ast::Expr, span: Span) -> Expr<'a> {
        let x = match self.ragged_reduction(op, e, span) {
            Read::Reduction(reduction) => return reduction,
            Read::Argument(x) => x,
        };
        match self.reduce_all_type(op, &x, span) {
            Some(ty) => Expr { ty, kind: ExprKind::ReduceAll(op, Box::new(x)), span },
            None => Expr::error(span),
        }
    }

    /// What a reduction of a whole array gives. `None`: reported.
    pub(super) fn reduce_all_type(&mut self, op: ReduceOp, x: &Expr<'a>, span: Span) -> Option<Ty> {
        if x.ty.is_error() {
            return None;
        }
        let rank = x.ty.shape().len();
        let vector = matches!(op, ReduceOp::Argmax | ReduceOp::Argmin);
        if rank == 0 || (vector && rank > 1) {
            let v = self.operand(x);
            let what = if vector { "a vector" } else { "an array" };
            let message =
                format!("`{}` of one argument reduces {what}, but {}", op.text(), self.describe(&v));
            let d = Diagnostic::error(Code::BadRank, message).label(v.span, self.types.show(&v.ty));
            self.ctx.report(d.help(format!("or reduce over a generator: `{}(… for i in a..b)`", op.text())));
            return None;
        }
        self.reduced(op, x, span).map(|ty| ty.elem().clone())
    }

    /// What a reduction gives for terms of the type of `x`.
    pub(super) fn reduced(&mut self, op: ReduceOp, x: &Expr<'a>, span: Span) -> Option<Ty> {
        let what = op.text();
        let shape = x.ty.shape().to_vec();
        let elem = match op {
            ReduceOp::Sum | ReduceOp::Prod => Ty::Num(self.number(x, what, "numbers")?),
            ReduceOp::Mean => Ty::Num(self.number_of(x, Class::Float, what, "real or complex numbers")?),
            ReduceOp::Max | ReduceOp::Min => {
                let n = self.number(x, what, "integers or real numbers")?;
                self.real_only(n, x, what, "integers or real numbers");
                self.real_of(n)
            }
            ReduceOp::Argmax | ReduceOp::Argmin => {
                let n = self.number(x, what, "integers or real numbers")?;
                self.real_only(n, x, what, "integers or real numbers");
                Types::fixed(Scalar::I64)
            }
            ReduceOp::Logsumexp => {
                let n = self.number_of(x, Class::Float, what, "real numbers")?;
                self.real_only(n, x, what, "real numbers");
                self.real_of(n)
            }
            ReduceOp::Norm => {
                let n = self.number_of(x, Class::Float, what, "real or complex numbers")?;
                self.real_of(n)
            }
            ReduceOp::Any | ReduceOp::All => {
                if !matches!(x.ty.elem(), Ty::Bool) {
                    let v = self.operand(x);
                    self.not_taken(&v, what, "booleans");
                    return None;
                }
                Ty::Bool
            }
        };
        let _ = span;
        Some(Ty::array(elem, shape))
    }
}
