//! Expressions.

use super::gens::ir_op;
use super::{Lower, Slot, arrays};
use crate::sema::hir::*;
use crate::sema::types::Ty;
use crate::syntax::ast::ReduceOp;
use adc_ir::{Const, Diagnostic, Op, Scalar, Sig, Span, Type, Value, ValueData, Values};

impl<'l, 'a> Lower<'l, 'a> {
    /// The values of an expression, of its own type.
    pub(super) fn expr(&mut self, e: &'l Expr<'a>) -> Result<Values, Diagnostic> {
        let values = self.unsized_expr(e)?;
        Ok(self.sized(values, &e.ty, e.span))
    }

    /// The values of an expression; their sizes may be written in another way than those of its type.
    fn unsized_expr(&mut self, e: &'l Expr<'a>) -> Result<Values, Diagnostic> {
        let one = match &e.kind {
            ExprKind::Local(id) => match &self.env[id.0].slot {
                Slot::Values(vs) => return Ok(vs.clone()),
                Slot::Unset | Slot::Fn(_) => {
                    unreachable!("a variable is bound to values before it is used")
                }
            },
            ExprKind::Tuple(es) => {
                let mut out = Values::new();
                for e in es {
                    out.extend(self.expr(e)?);
                }
                return Ok(out);
            }
            ExprKind::Block(b) => return self.block_as(b, &e.ty),
            ExprKind::If { branches, otherwise } => {
                return self.if_chain(branches, otherwise.as_ref(), &e.ty, e.span);
            }
            ExprKind::Lazy { and, args } => return self.lazy(*and, &args.0, &args.1, e.span),
            ExprKind::Call(c) => return self.call_item(c, &e.ty, e.span),
            ExprKind::CallFn(f, _, args) => return self.call_fn(f, args, &e.ty, e.span),
            ExprKind::CallLocal(id, _, args) => {
                return self.call_local(*id, args, &e.ty, e.span);
            }
            ExprKind::Const(ix, _) if !e.ty.shape().is_empty() => self.tables[ix],
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Imag(_)
            | ExprKind::Bool(_)
            | ExprKind::Named(_)
            | ExprKind::Const(..) => {
                let ty = self.scalar(&e.ty);
                let c = self.literal(e, ty).expect("literals and evaluated constants have a value");
                self.builder.set_span(e.span);
                self.constant(c)
            }
            ExprKind::Prim { op, args, .. } => self.prim(*op, args, e)?,
            ExprKind::BoolOrder { op, args } => {
                let (a, b) = (self.expr(&args.0)?[0], self.expr(&args.1)?[0]);
                self.builder.set_span(e.span);
                self.map(&[a, b], |l, x| l.bool_order(*op, x[0], x[1]))
            }
            ExprKind::PowerInt(x, n) => {
                let x = self.expr(x)?[0];
                self.builder.set_span(e.span);
                self.map(&[x], |l, x| l.integer_power(x[0], *n))
            }
            ExprKind::Power(args) => {
                let (x, y) = (self.expr(&args.0)?[0], self.expr(&args.1)?[0]);
                self.builder.set_span(e.span);
                self.map(&[x, y], |l, p| match (l.builder.ty(p[1]).scalar(), l.consts.get(&p[1])) {
                    (Scalar::I64, Some(Const::I64(n))) => {
                        let n = *n;
                        l.integer_power(p[0], n)
                    }
                    (Scalar::I64, _) => l.builder.op(Op::Powi, p),
                    _ => l.builder.op(Op::Pow, p),
                })
            }
            ExprKind::Convert(to, args) => {
                let parts: Vec<Value> =
                    args.iter().map(|a| Ok(self.expr(a)?[0])).collect::<Result<_, Diagnostic>>()?;
                self.builder.set_span(e.span);
                self.map(&parts, |l, p| l.conversion(*to, p, e.span))
            }
            ExprKind::Array(es) => {
                let elem = self.scalar(e.ty.elem());
                let parts: Vec<Value> =
                    es.iter().map(|x| self.expr_elem(x, elem)).collect::<Result<_, Diagnostic>>()?;
                self.builder.set_span(e.span);
                self.builder.pack(&parts)
            }
            ExprKind::Index(x, at) => {
                let x = self.expr(x)?[0];
                self.part(x, at, e.span)?
            }
            ExprKind::Build { gens, body } => self.comprehension(gens, body, e.span)?,
            ExprKind::Reduce { op, gens, body } => self.reduction(*op, gens, body, e.span)?,
            ExprKind::ReduceAll(op, x) => {
                let x = self.expr(x)?[0];
                self.builder.set_span(e.span);
                self.reduce_value(*op, x)
            }
            ExprKind::MatMul(args) => {
                let (a, b) = (self.expr(&args.0)?[0], self.expr(&args.1)?[0]);
                self.builder.set_span(e.span);
                self.builder.matmul(a, b)
            }
            ExprKind::Adjoint(x) => {
                let x = self.expr(x)?[0];
                self.builder.set_span(e.span);
                match self.builder.ty(x) {
                    Type::Scalar(s) if s.is_complex() => self.builder.op(Op::Conj, &[x]),
                    Type::Scalar(_) => x,
                    Type::Array(..) => arrays::adjoint(&mut self.builder, x),
                }
            }
            ExprKind::ArrayFn(f, args) => return self.array_fn(*f, args, e),
            ExprKind::Size(d) => {
                self.builder.set_span(e.span);
                let d = self.dim(d);
                self.builder.size(&d)
            }
            ExprKind::Along(f, x, axis) => {
                let x = self.expr(x)?[0];
                self.builder.set_span(e.span);
                self.along(*f, x, *axis)
            }
            ExprKind::Error => unreachable!("a program with errors is not lowered"),
        };
        Ok(Values::from_slice(&[one]))
    }

    /// Values in a place of type `to`: sizes that a fact makes the same may have been written in other ways.
    #[inline(never)]
    fn sized(&mut self, values: Values, to: &Ty, span: Span) -> Values {
        if !self.body.types.syms.learned() || matches!(to, Ty::Unit | Ty::Fn(_)) {
            return values;
        }
        self.builder.set_span(span);
        let shapes = self.data(to).into_iter().map(|d| d.shape);
        values.into_iter().zip(shapes).map(|(v, shape)| arrays::sized(&mut self.builder, v, &shape)).collect()
    }

    /// The values of an expression in a place of type `to`.
    pub(super) fn expr_as(&mut self, e: &'l Expr<'a>, to: &Ty) -> Result<Values, Diagnostic> {
        // Tuples and literals take the place's type part by part, so that nothing is converted at run time.
        if let (ExprKind::Tuple(es), Ty::Tuple(ts)) = (&e.kind, to) {
            let mut out = Values::new();
            for (e, t) in es.iter().zip(ts) {
                out.extend(self.expr_as(e, t)?);
            }
            return Ok(out);
        }
        let wanted = self.body.types.flatten(to);
        if let [one] = &wanted[..]
            && let Some(c) = self.literal(e, one.elem)
        {
            self.builder.set_span(e.span);
            return Ok(Values::from_slice(&[self.constant(c)]));
        }
        let values = self.expr(e)?;
        let values = self.sized(values, to, e.span);
        self.builder.set_span(e.span);
        Ok(values.into_iter().zip(wanted).map(|(v, t)| self.coerce(v, t.elem)).collect())
    }

    /// A scalar or array with elements of this type.
    pub(super) fn expr_elem(&mut self, e: &'l Expr<'a>, elem: Scalar) -> Result<Value, Diagnostic> {
        if e.ty.shape().is_empty()
            && let Some(c) = self.literal(e, elem)
        {
            self.builder.set_span(e.span);
            return Ok(self.constant(c));
        }
        let v = self.expr(e)?[0];
        self.builder.set_span(e.span);
        Ok(self.coerce(v, elem))
    }

    /// A reduction of a whole array.
    pub(super) fn reduce_value(&mut self, op: ReduceOp, x: Value) -> Value {
        match op {
            ReduceOp::Mean => arrays::mean(&mut self.builder, x),
            ReduceOp::Logsumexp => arrays::logsumexp(&mut self.builder, x),
            ReduceOp::Norm => arrays::norm(&mut self.builder, x),
            _ => arrays::reduce(&mut self.builder, ir_op(op), x),
        }
    }

    /// Something of each vector along an axis of an array.
    #[inline(never)]
    fn along(&mut self, f: Along, x: Value, axis: usize) -> Value {
        let b = &mut self.builder;
        match f {
            Along::Reduce(ReduceOp::Logsumexp) => arrays::each(b, x, axis, &mut arrays::logsumexp),
            Along::Reduce(ReduceOp::Norm) => arrays::each(b, x, axis, &mut arrays::norm),
            Along::Reduce(op) => arrays::reduce_along(b, ir_op(op), op == ReduceOp::Mean, x, axis),
            Along::Softmax => arrays::map_along(b, x, axis, &mut arrays::softmax),
            Along::Cumsum => arrays::map_along(b, x, axis, &mut arrays::cumsum),
            Along::Cumprod => arrays::map_along(b, x, axis, &mut arrays::cumprod),
        }
    }

    /// `f` of the elements of arrays of one shape and of scalars; of scalars alone, `f` of them.
    pub(super) fn map(&mut self, args: &[Value], f: impl FnOnce(&mut Self, &[Value]) -> Value) -> Value {
        let shapes = args.iter().map(|v| self.builder.data(*v).shape.clone());
        let Some(shape) = shapes.into_iter().find(|s| !s.is_empty()) else { return f(self, args) };
        let index = self.builder.open_with(vec![ValueData::scalar(Scalar::I64); shape.len()]);
        let parts: Vec<Value> = args
            .iter()
            .map(|v| if self.builder.ty(*v).is_array() { self.builder.index(*v, &index) } else { *v })
            .collect();
        let v = f(self, &parts);
        let region = self.builder.close(vec![v]);
        self.builder.build_of(&shape, region)
    }

    /// The type of a scalar, or of the elements of an array.
    pub(super) fn scalar(&self, ty: &Ty) -> Scalar {
        match ty {
            Ty::Bool => Scalar::Bool,
            Ty::Num(n) => self.body.types.scalar(*n),
            Ty::Array(elem, _) => self.scalar(elem),
            Ty::Error | Ty::Unit | Ty::Tuple(_) | Ty::Fn(_) => unreachable!("{ty:?} is not a scalar"),
        }
    }

    fn prim(&mut self, op: Op, args: &'l [Expr<'a>], e: &'l Expr<'a>) -> Result<Value, Diagnostic> {
        if op == Op::Neg
            && e.ty.shape().is_empty()
            && let Some(c) = self.literal(e, self.scalar(&e.ty))
        {
            self.builder.set_span(e.span);
            return Ok(self.constant(c));
        }
        // Arithmetic mixes real and complex itself; these want one type.
        let common = match op.info().sig {
            Sig::Select => Some(self.scalar(&e.ty)),
            Sig::Equal => {
                let sides = [self.scalar(&args[0].ty), self.scalar(&args[1].ty)];
                sides.into_iter().find(|s| s.is_complex())
            }
            _ => None,
        };
        let mut values = Values::new();
        for a in args {
            let v = match (self.scalar(&a.ty), common) {
                (own, Some(ty)) if own != Scalar::Bool || ty == Scalar::Bool => match self.literal(a, ty) {
                    Some(c) => {
                        self.builder.set_span(a.span);
                        self.constant(c)
                    }
                    None => {
                        let v = self.expr(a)?[0];
                        self.builder.set_span(a.span);
                        // Entries are brought to one type where they are combined.
                        if self.builder.ty(v).is_array() { v } else { self.coerce(v, ty) }
                    }
                },
                _ => self.expr(a)?[0],
            };
            values.push(v);
        }
        self.builder.set_span(e.span);
        Ok(self.map(&values, |l, parts| {
            let of_one = |l: &mut Self, v: &Value| match common {
                Some(ty) if l.builder.ty(*v).scalar() != Scalar::Bool => l.coerce(*v, ty),
                _ => *v,
            };
            let parts: Values = parts.iter().map(|v| of_one(l, v)).collect();
            l.builder.op(op, &parts)
        }))
    }

    /// `false < true`
    fn bool_order(&mut self, op: Op, a: Value, b: Value) -> Value {
        let (less, or_equal) = match op {
            Op::Gt | Op::Ge => ((b, a), op == Op::Ge),
            _ => ((a, b), op == Op::Le),
        };
        let not = self.builder.op(Op::Not, &[less.0]);
        self.builder.op(if or_equal { Op::Or } else { Op::And }, &[not, less.1])
    }

    /// `x^n` with `n` known.
    fn integer_power(&mut self, x: Value, n: i64) -> Value {
        match n {
            2 if self.builder.ty(x).scalar().is_float() => self.builder.op(Op::Square, &[x]),
            -1 if self.builder.ty(x).scalar().is_float() => self.builder.op(Op::Recip, &[x]),
            _ => {
                let n = self.constant(Const::I64(n));
                self.builder.op(Op::Powi, &[x, n])
            }
        }
    }

    fn conversion(&mut self, to: Scalar, parts: &[Value], span: Span) -> Value {
        self.builder.set_span(span);
        match *parts {
            [re, im] => {
                let (re, im) = (self.convert(re, to.real()), self.convert(im, to.real()));
                match (self.consts.get(&re), self.consts.get(&im)) {
                    (Some(re), Some(im)) => {
                        let z = num_complex::Complex64::new(re.to_c128().re, im.to_c128().re);
                        self.constant(Const::from_c128(z, to))
                    }
                    _ => self.builder.op(Op::Complex, &[re, im]),
                }
            }
            _ => self.convert(parts[0], to),
        }
    }
}
