//! Comprehensions become `build`s, reductions `reduce`s, nested where there are several generators.

use super::{Lower, MAX_REGIONS, Slot, arrays};
use crate::sema::hir::*;
use crate::sema::visit;
use crate::syntax::ast::ReduceOp;
use adc_ir::{
    Builder, Code, Const, Diagnostic, Guard, Kind, Op, ReduceOp as IrReduce, Scalar, Span, Value, ValueData,
    Values,
};

/// The instruction of a reduction; means, norms and logarithms of sums are sums first.
pub(super) fn ir_op(op: ReduceOp) -> IrReduce {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Logsumexp | ReduceOp::Norm => IrReduce::Sum,
        ReduceOp::Prod => IrReduce::Prod,
        ReduceOp::Max => IrReduce::Max,
        ReduceOp::Min => IrReduce::Min,
        ReduceOp::Argmax => IrReduce::ArgMax,
        ReduceOp::Argmin => IrReduce::ArgMin,
        ReduceOp::Any => IrReduce::Any,
        ReduceOp::All => IrReduce::All,
    }
}

/// Most copies of one term that reductions inside each other make.
pub const MAX_COPIES: usize = 1024;

/// The terms of a reduction.
#[derive(Clone, Copy)]
enum Terms<'l, 'a> {
    /// Computed wherever they are needed.
    Of(&'l Expr<'a>),
    /// Elements of an array with one axis for each generator.
    Collected(Value),
}

/// What is reduced: terms, and what is made of each.
type Term<'t, 'l, 'a> = (Terms<'l, 'a>, &'t dyn Fn(&mut Builder, Value) -> Value);

fn same(_: &mut Builder, v: Value) -> Value {
    v
}

/// A generator's range: `lo, hi, step` of an instruction, and how its variable follows from the instruction's index.
struct Iterations {
    range: [Value; 3],
    /// `i = lo + t step` where the step is no literal.
    scaled: Option<(Value, Value)>,
}

impl<'l, 'a> Lower<'l, 'a> {
    /// `[e for i in a..b]`
    pub(super) fn comprehension(
        &mut self,
        gens: &'l [Gen<'a>],
        body: &'l Expr<'a>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let sizes: Vec<_> = gens.iter().map(|g| self.dim(g.len.as_ref().expect("sizes are known"))).collect();
        let index = vec![ValueData::scalar(Scalar::I64); gens.len()];
        let region = self.region(index, span, |l, index| {
            for (g, t) in gens.iter().zip(index) {
                let i = l.offset(g, *t)?;
                l.set(g.var, Slot::Values(Values::from_slice(&[i])));
            }
            let v = l.expr(body)?;
            l.builder.set_span(span);
            Ok(v)
        })?;
        self.builder.set_span(span);
        Ok(self.builder.build_of(&sizes, region.region))
    }

    /// A generator's variable at iteration `t` of a comprehension.
    fn offset(&mut self, g: &'l Gen<'a>, t: Value) -> Result<Value, Diagnostic> {
        let Some(r) = &g.range else { return Ok(t) };
        let from_zero = matches!(r.lo.kind, ExprKind::Int(0));
        if from_zero && r.step.is_none() {
            return Ok(t);
        }
        let mut i = t;
        if let Some(s) = &r.step {
            let s = self.expr(s)?[0];
            self.builder.set_span(g.span);
            self.positive(s);
            i = self.builder.op(Op::Mul, &[i, s]);
        }
        if !from_zero {
            let lo = self.expr(&r.lo)?[0];
            self.builder.set_span(g.span);
            i = self.builder.op(Op::Add, &[lo, i]);
        }
        Ok(i)
    }

    /// Refuses a step that is not positive at run time.
    fn positive(&mut self, step: Value) {
        if self.builder.dim_of(step).as_const().is_none_or(|n| n < 1) {
            let one = self.constant(Const::I64(1));
            let fine = self.builder.op(Op::Ge, &[step, one]);
            self.builder.assert(Guard::Assert("a step is at least 1".into()), fine);
        }
    }

    /// `sum(e for i in a..b)`
    pub(super) fn reduction(
        &mut self,
        op: ReduceOp,
        gens: &'l [Gen<'a>],
        body: &'l Expr<'a>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        if self.level + gens.len() >= MAX_REGIONS {
            return Err(Self::too_deep(span));
        }
        let ir = ir_op(op);
        match op {
            ReduceOp::Mean => {
                let sum = self.nest(ir, gens, (Terms::Of(body), &same), None, span)?;
                let n = self.count(gens, span)?;
                self.builder.set_span(span);
                Ok(arrays::mean_of(&mut self.builder, sum, n))
            }
            ReduceOp::Max | ReduceOp::Min => {
                self.extremum(op == ReduceOp::Max, gens, (Terms::Of(body), &same), span)
            }
            ReduceOp::Logsumexp | ReduceOp::Norm if gens.iter().all(|g| g.range.is_none()) => {
                // Each term once.
                let terms = self.comprehension(gens, body, span)?;
                Ok(self.reduce_value(op, terms))
            }
            ReduceOp::Logsumexp => match self.collected(gens, body, span)? {
                Some(terms) => self.logsumexp(gens, Terms::Collected(terms), span),
                None => self.copied(4, span, |l| l.logsumexp(gens, Terms::Of(body), span)),
            },
            ReduceOp::Norm => self.copied(4, span, |l| l.norm(gens, body, span)),
            ReduceOp::Sum
            | ReduceOp::Prod
            | ReduceOp::Argmax
            | ReduceOp::Argmin
            | ReduceOp::Any
            | ReduceOp::All => self.nest(ir, gens, (Terms::Of(body), &same), None, span),
        }
    }

    /// The terms of a reduction that needs them several times, as an array with an axis for each generator, so that each is
    /// computed once. `None` if computing them again is as cheap, or if an inner range depends on an outer one, which makes no array.
    fn collected(
        &mut self,
        gens: &'l [Gen<'a>],
        body: &'l Expr<'a>,
        span: Span,
    ) -> Result<Option<Value>, Diagnostic> {
        // The ends of an inner range are not computed if an outer one is empty, unless that cannot fail.
        let certain = gens[1..].iter().filter_map(|g| g.range.as_ref()).all(|r| is_certain(r));
        if ragged(gens) || !certain || is_cheap(body) {
            return Ok(None);
        }
        let (mut iterations, mut sizes) = (Vec::new(), Vec::new());
        for g in gens {
            let of = self.iterations(g)?;
            let n = self.trips(g, &of);
            sizes.push(self.builder.dim_of(n));
            iterations.push(of);
        }
        let index = vec![ValueData::scalar(Scalar::I64); gens.len()];
        let region = self.region(index, span, |l, index| {
            for ((g, of), t) in gens.iter().zip(&iterations).zip(index) {
                l.builder.set_span(g.span);
                let i = l.at_trip(of, *t);
                l.set(g.var, Slot::Values(Values::from_slice(&[i])));
            }
            let v = l.expr(body)?;
            l.builder.set_span(span);
            Ok(v)
        })?;
        self.builder.set_span(span);
        Ok(Some(self.builder.build_of(&sizes, region.region)))
    }

    /// The largest or smallest term.
    fn extremum(
        &mut self,
        max: bool,
        gens: &'l [Gen<'a>],
        term: Term<'_, 'l, 'a>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let op = if max { IrReduce::Max } else { IrReduce::Min };
        if !ragged(gens) {
            return self.nest(op, gens, term, None, span);
        }
        // An inner range may be empty without all being so: it gives what no other term is beyond.
        let some = self.some(gens, span)?;
        self.copied(2, span, |l| {
            l.either(
                some,
                span,
                |l| l.nest(op, gens, term, Some(max), span),
                |l| l.nest(op, gens, term, None, span),
            )
        })
    }

    /// An `if` of two branches with one value each.
    fn either(
        &mut self,
        cond: Value,
        span: Span,
        then: impl FnOnce(&mut Self) -> Result<Value, Diagnostic>,
        other: impl FnOnce(&mut Self) -> Result<Value, Diagnostic>,
    ) -> Result<Value, Diagnostic> {
        let one = |v| Ok(Values::from_slice(&[v]));
        Ok(self.branches(cond, span, |l| then(l).and_then(one), |l| other(l).and_then(one))?[0])
    }

    /// Whether generators give a value at all.
    fn some(&mut self, gens: &'l [Gen<'a>], span: Span) -> Result<Value, Diagnostic> {
        let n = self.count(gens, span)?;
        self.builder.set_span(span);
        let zero = self.constant(Const::I64(0));
        Ok(self.builder.op(Op::Gt, &[n, zero]))
    }

    /// What lowers a part of the source several times, which multiplies where such parts nest.
    fn copied<T>(
        &mut self,
        times: usize,
        span: Span,
        f: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let outside = self.copies;
        self.copies *= times;
        if self.copies > MAX_COPIES {
            return Err(Diagnostic::error(Code::TooDeep, "reductions nest too deep")
                .label(span, format!("this term would be computed in more than {MAX_COPIES} places"))
                .help("bind the reduction inside it to an array: `let y = [… for i in 0..N];`"));
        }
        let found = f(self);
        self.copies = outside;
        found
    }

    /// `log(sum(exp(e) for …))`, shifted by the largest term, which is the value where it is infinite. Of no terms it is
    /// a run-time error.
    fn logsumexp(
        &mut self,
        gens: &'l [Gen<'a>],
        terms: Terms<'l, 'a>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let max = self.extremum(true, gens, (terms, &same), span)?;
        self.builder.set_span(span);
        let shift = self.builder.op(Op::StopGradient, &[max]);
        let infinite = self.builder.op(Op::IsInf, &[shift]);
        let exponential = |b: &mut Builder, e| {
            let e = b.op(Op::Sub, &[e, shift]);
            b.op(Op::Exp, &[e])
        };
        let one = |b: &mut Builder, e| arrays::if_largest(b, e, shift, true);
        let term = |b: &mut Builder, e| arrays::if_largest(b, e, shift, false);
        self.either(
            infinite,
            span,
            |l| {
                let count = l.nest(IrReduce::Sum, gens, (terms, &one), None, span)?;
                let sum = l.nest(IrReduce::Sum, gens, (terms, &term), None, span)?;
                l.builder.set_span(span);
                Ok(l.builder.op(Op::Div, &[sum, count]))
            },
            |l| {
                let sum = l.nest(IrReduce::Sum, gens, (terms, &exponential), None, span)?;
                l.builder.set_span(span);
                let log = l.builder.op(Op::Log, &[sum]);
                Ok(l.builder.op(Op::Add, &[shift, log]))
            },
        )
    }

    /// Root of the sum of squared absolute values, as [`arrays::norm`] has it.
    /// Terms are computed again only where the sum of squares has overflowed or vanished, so they are not collected.
    fn norm(&mut self, gens: &'l [Gen<'a>], body: &'l Expr<'a>, span: Span) -> Result<Value, Diagnostic> {
        let (terms, real) = (Terms::Of(body), self.scalar(&body.ty).real());
        let square = |b: &mut Builder, e| b.op(Op::Abs2, &[e]);
        let squares = self.nest(IrReduce::Sum, gens, (terms, &square), None, span)?;
        self.builder.set_span(span);
        let ordinary = arrays::is_ordinary(&mut self.builder, squares, real);
        let some = self.some(gens, span)?;
        let size = |b: &mut Builder, e| {
            let e = b.op(Op::StopGradient, &[e]);
            b.op(Op::Abs, &[e])
        };
        let scaled = |l: &mut Self| {
            let zero = |l: &mut Self| Ok(l.constant(Const::zero(real)));
            let m = l.either(some, span, |l| l.extremum(true, gens, (terms, &size), span), zero)?;
            l.builder.set_span(span);
            let (scale, is_norm) = arrays::scale(&mut l.builder, m, real);
            let part = |b: &mut Builder, e| {
                let part = b.op(Op::Div, &[e, scale]);
                b.op(Op::Abs2, &[part])
            };
            l.either(
                is_norm,
                span,
                |_| Ok(scale),
                |l| {
                    let squares = l.nest(IrReduce::Sum, gens, (terms, &part), None, span)?;
                    l.builder.set_span(span);
                    let root = l.builder.op(Op::Sqrt, &[squares]);
                    Ok(l.builder.op(Op::Mul, &[scale, root]))
                },
            )
        };
        self.either(ordinary, span, |l| Ok(l.builder.op(Op::Sqrt, &[squares])), scaled)
    }

    /// Reductions inside each other. `neutral`: an inner one that is empty gives the least value (for a maximum).
    fn nest(
        &mut self,
        op: IrReduce,
        gens: &'l [Gen<'a>],
        term: Term<'_, 'l, 'a>,
        neutral: Option<bool>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let body = match term.0 {
            Terms::Collected(x) => {
                let b = &mut self.builder;
                return Ok(arrays::fold_axes(b, op, x, &mut |b, e| (term.1)(b, e)));
            }
            Terms::Of(body) => body,
        };
        let Some((g, rest)) = gens.split_first() else {
            let v = self.expr(body)?[0];
            self.builder.set_span(span);
            return Ok((term.1)(&mut self.builder, v));
        };
        let iterations = self.iterations(g)?;
        let of_arrays = !body.ty.shape().is_empty() && matches!(op, IrReduce::Max | IrReduce::Min);
        let n = of_arrays.then(|| self.trips(g, &iterations));
        let region = self.region(vec![ValueData::scalar(Scalar::I64)], span, |l, t| {
            let i = match n {
                Some(_) => l.at_trip(&iterations, t[0]),
                None => l.at_iteration(&iterations, t[0]),
            };
            l.set(g.var, Slot::Values(Values::from_slice(&[i])));
            let v = match neutral {
                Some(max) if !rest.is_empty() => l.nest_or_neutral(op, rest, term, max, span)?,
                _ => l.nest(op, rest, term, neutral, span)?,
            };
            l.builder.set_span(span);
            Ok(Values::from_slice(&[v]))
        })?;
        self.builder.set_span(span);
        if let Some(n) = n {
            let n = self.builder.dim_of(n);
            return Ok(self.builder.extremum(op, &n, region.region));
        }
        let v = self.builder.infer(Kind::Reduce(op), &iterations.range, vec![region.region])[0];
        Ok(match op {
            IrReduce::ArgMax | IrReduce::ArgMin => self.at_iteration(&iterations, v),
            _ => v,
        })
    }

    fn nest_or_neutral(
        &mut self,
        op: IrReduce,
        gens: &'l [Gen<'a>],
        term: Term<'_, 'l, 'a>,
        max: bool,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let some = self.some(gens, span)?;
        let data = match term.0 {
            Terms::Of(body) => self.data(&body.ty).remove(0),
            Terms::Collected(x) => ValueData::scalar(self.builder.ty(x).scalar()),
        };
        self.either(
            some,
            span,
            |l| l.nest(op, gens, term, Some(max), span),
            |l| {
                // Of complex terms it is the absolute values that are compared.
                let elem = data.ty.scalar();
                let elem = if elem.is_complex() { elem.real() } else { elem };
                let least = match (elem, max) {
                    (Scalar::I64, true) => Const::I64(i64::MIN),
                    (Scalar::I64, false) => Const::I64(i64::MAX),
                    (_, true) => Const::real(f64::NEG_INFINITY, elem),
                    (_, false) => Const::real(f64::INFINITY, elem),
                };
                let v = l.constant(least);
                Ok(if data.shape.is_empty() { v } else { l.builder.fill(v, &data.shape) })
            },
        )
    }

    /// The number of values that generators give together.
    fn count(&mut self, gens: &'l [Gen<'a>], span: Span) -> Result<Value, Diagnostic> {
        let (g, rest) = gens.split_first().expect("there is a generator");
        if rest.is_empty() {
            return self.trip_count(g);
        }
        if !ragged(gens) {
            let (a, b) = (self.trip_count(g)?, self.count(rest, span)?);
            self.builder.set_span(span);
            return Ok(self.builder.op(Op::Mul, &[a, b]));
        }
        let iterations = self.iterations(g)?;
        let region = self.region(vec![ValueData::scalar(Scalar::I64)], span, |l, t| {
            let i = l.at_iteration(&iterations, t[0]);
            l.set(g.var, Slot::Values(Values::from_slice(&[i])));
            Ok(Values::from_slice(&[l.count(rest, span)?]))
        })?;
        self.builder.set_span(span);
        Ok(self.builder.infer(Kind::Reduce(IrReduce::Sum), &iterations.range, vec![region.region])[0])
    }

    /// The number of values of one generator: `max(0, ceil((hi - lo)/step))`.
    fn trip_count(&mut self, g: &'l Gen<'a>) -> Result<Value, Diagnostic> {
        let iterations = self.iterations(g)?;
        Ok(self.trips(g, &iterations))
    }

    fn trips(&mut self, g: &'l Gen<'a>, iterations: &Iterations) -> Value {
        let [lo, hi, step] = iterations.range;
        self.builder.set_span(g.span);
        if g.range.is_none() {
            return hi;
        }
        let one = self.constant(Const::I64(1));
        let mut n = self.builder.op(Op::Sub, &[hi, lo]);
        if self.builder.dim_of(step).as_const() != Some(1) {
            let up = self.builder.op(Op::Sub, &[step, one]);
            n = self.builder.op(Op::Add, &[n, up]);
            n = self.builder.op(Op::Idiv, &[n, step]);
        }
        let zero = self.constant(Const::I64(0));
        self.builder.op(Op::Max, &[n, zero])
    }

    fn iterations(&mut self, g: &'l Gen<'a>) -> Result<Iterations, Diagnostic> {
        let Some(r) = &g.range else {
            let n = self.dim(g.len.as_ref().expect("bare generators have a size"));
            self.builder.set_span(g.span);
            return Ok(Iterations { range: self.builder.range(&n), scaled: None });
        };
        let [lo, hi, step] = self.ends(r, g.span)?;
        self.builder.set_span(g.span);
        if self.builder.dim_of(step).as_const().is_some() {
            return Ok(Iterations { range: [lo, hi, step], scaled: None });
        }
        self.positive(step);
        let (zero, one) = (self.constant(Const::I64(0)), self.constant(Const::I64(1)));
        let n = self.builder.op(Op::Sub, &[hi, lo]);
        let up = self.builder.op(Op::Sub, &[step, one]);
        let n = self.builder.op(Op::Add, &[n, up]);
        let n = self.builder.op(Op::Idiv, &[n, step]);
        Ok(Iterations { range: [zero, n, one], scaled: Some((lo, step)) })
    }

    fn at_iteration(&mut self, iterations: &Iterations, t: Value) -> Value {
        match iterations.scaled {
            None => t,
            Some((lo, step)) => {
                let far = self.builder.op(Op::Mul, &[t, step]);
                self.builder.op(Op::Add, &[lo, far])
            }
        }
    }

    /// A generator's variable at trip `t`, counted from 0.
    fn at_trip(&mut self, iterations: &Iterations, t: Value) -> Value {
        let [lo, _, step] = iterations.range;
        let known = |l: &Self, v: Value| l.builder.dim_of(v).as_const();
        let far = match known(self, step) {
            Some(1) => t,
            _ => self.builder.op(Op::Mul, &[t, step]),
        };
        let i = match known(self, lo) {
            Some(0) => far,
            _ => self.builder.op(Op::Add, &[lo, far]),
        };
        self.at_iteration(iterations, i)
    }

    /// `lo`, `hi`, `step` of a range.
    pub(super) fn ends(&mut self, r: &'l Range<'a>, span: Span) -> Result<[Value; 3], Diagnostic> {
        let (lo, hi) = (self.expr(&r.lo)?[0], self.expr(&r.hi)?[0]);
        let step = match &r.step {
            Some(s) => self.expr(s)?[0],
            None => {
                self.builder.set_span(span);
                self.constant(Const::I64(1))
            }
        };
        Ok([lo, hi, step])
    }

    pub(super) fn too_deep(span: Span) -> Diagnostic {
        Diagnostic::error(Code::TooDeep, "blocks nest too deep")
            .label(span, format!("more than {MAX_REGIONS} deep; each `else if` and each generator counts"))
            .help("move a part to a function of its own")
    }
}

/// Whether a range depends on the variable of another generator.
fn ragged(gens: &[Gen]) -> bool {
    let mut found = false;
    for (k, g) in gens.iter().enumerate() {
        if let Some(r) = &g.range {
            visit::range(r, &mut |n| {
                if let visit::Node::Expr(Expr { kind: ExprKind::Local(id), .. }) = n {
                    found |= gens[..k].iter().any(|g| g.var == *id);
                }
            });
        }
    }
    found
}

/// Arithmetic operations of a term that is computed again: an array of terms costs more.
const CHEAP: usize = 3;

/// Whether to compute a term again costs about what reading it from an array does.
fn is_cheap(e: &Expr) -> bool {
    let (mut cheap, mut operations) = (true, 0);
    visit::expr(e, &mut |n| {
        let visit::Node::Expr(e) = n else { return };
        match &e.kind {
            ExprKind::Real(_) | ExprKind::Index(..) => {}
            ExprKind::PowerInt(_, 2) => operations += 1,
            ExprKind::Prim { op: Op::Add | Op::Sub | Op::Mul | Op::Neg, .. } => operations += 1,
            kind => cheap &= is_plain(kind),
        }
    });
    cheap && operations <= CHEAP
}

/// Whether the ends of a range are known without computing anything that may fail.
fn is_certain(r: &Range) -> bool {
    is_plain(&r.lo.kind) && is_plain(&r.hi.kind) && r.step.is_none()
}

fn is_plain(e: &ExprKind) -> bool {
    matches!(e, ExprKind::Local(_) | ExprKind::Const(..) | ExprKind::Int(_) | ExprKind::Size(_))
}
