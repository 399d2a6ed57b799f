//! Comprehensions become `build`s, reductions `reduce`s, nested where there are several generators.

use super::{Lower, MAX_REGIONS, Slot, arrays};
use crate::sema::hir::*;
use crate::sema::visit;
use crate::syntax::ast::ReduceOp;
use adc_ir::{
    Code, Const, Diagnostic, Guard, Kind, Op, ReduceOp as IrReduce, Scalar, Span, Value, ValueData, Values,
};

/// The instruction of a reduction; a mean is a sum first.
pub(super) fn ir_op(op: ReduceOp) -> IrReduce {
    match op {
        ReduceOp::Sum | ReduceOp::Mean => IrReduce::Sum,
        ReduceOp::Prod => IrReduce::Prod,
        ReduceOp::Max => IrReduce::Max,
        ReduceOp::Min => IrReduce::Min,
        ReduceOp::Argmax => IrReduce::ArgMax,
        ReduceOp::Argmin => IrReduce::ArgMin,
        ReduceOp::Any => IrReduce::Any,
        ReduceOp::All => IrReduce::All,
    }
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
                let sum = self.nest(ir, gens, body, None, span)?;
                let n = self.count(gens, span)?;
                self.builder.set_span(span);
                Ok(arrays::mean_of(&mut self.builder, sum, n))
            }
            ReduceOp::Max | ReduceOp::Min if ragged(gens) => {
                // An inner range may be empty without all being so: it gives what no other term is beyond.
                let n = self.count(gens, span)?;
                let zero = self.constant(Const::I64(0));
                let some = self.builder.op(Op::Gt, &[n, zero]);
                let found = self.branches(
                    some,
                    span,
                    |l| Ok(Values::from_slice(&[l.nest(ir, gens, body, Some(op == ReduceOp::Max), span)?])),
                    |l| Ok(Values::from_slice(&[l.nest(ir, gens, body, None, span)?])),
                )?;
                Ok(found[0])
            }
            _ => self.nest(ir, gens, body, None, span),
        }
    }

    /// Reductions inside each other. `neutral`: an inner one that is empty gives the least value (for a maximum).
    fn nest(
        &mut self,
        op: IrReduce,
        gens: &'l [Gen<'a>],
        body: &'l Expr<'a>,
        neutral: Option<bool>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let Some((g, rest)) = gens.split_first() else { return Ok(self.expr(body)?[0]) };
        let iterations = self.iterations(g)?;
        let region = self.region(vec![ValueData::scalar(Scalar::I64)], span, |l, t| {
            let i = l.at_iteration(&iterations, t[0]);
            l.set(g.var, Slot::Values(Values::from_slice(&[i])));
            let v = match neutral {
                Some(max) if !rest.is_empty() => l.nest_or_neutral(op, rest, body, max, span)?,
                _ => l.nest(op, rest, body, neutral, span)?,
            };
            l.builder.set_span(span);
            Ok(Values::from_slice(&[v]))
        })?;
        self.builder.set_span(span);
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
        body: &'l Expr<'a>,
        max: bool,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let n = self.count(gens, span)?;
        let zero = self.constant(Const::I64(0));
        let some = self.builder.op(Op::Gt, &[n, zero]);
        let data = self.data(&body.ty).remove(0);
        let found = self.branches(
            some,
            span,
            |l| Ok(Values::from_slice(&[l.nest(op, gens, body, Some(max), span)?])),
            |l| {
                let elem = data.ty.scalar();
                let least = match (elem, max) {
                    (Scalar::I64, true) => Const::I64(i64::MIN),
                    (Scalar::I64, false) => Const::I64(i64::MAX),
                    (_, true) => Const::real(f64::NEG_INFINITY, elem),
                    (_, false) => Const::real(f64::INFINITY, elem),
                };
                let v = l.constant(least);
                let v = if data.shape.is_empty() { v } else { l.builder.fill(v, &data.shape) };
                Ok(Values::from_slice(&[v]))
            },
        )?;
        Ok(found[0])
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
        let [lo, hi, step] = iterations.range;
        self.builder.set_span(g.span);
        if g.range.is_none() {
            return Ok(hi);
        }
        let one = self.constant(Const::I64(1));
        let mut n = self.builder.op(Op::Sub, &[hi, lo]);
        if self.builder.dim_of(step).as_const() != Some(1) {
            let up = self.builder.op(Op::Sub, &[step, one]);
            n = self.builder.op(Op::Add, &[n, up]);
            n = self.builder.op(Op::Idiv, &[n, step]);
        }
        let zero = self.constant(Const::I64(0));
        Ok(self.builder.op(Op::Max, &[n, zero]))
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
