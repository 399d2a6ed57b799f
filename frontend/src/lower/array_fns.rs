//! Built-in functions of arrays.

use super::{Lower, arrays};
use crate::sema::builtins::ArrayFn;
use crate::sema::hir::*;
use adc_ir::{Diagnostic, LinalgOp, Value, ValueData, Values};

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn array_fn(
        &mut self,
        f: ArrayFn,
        args: &'l [Expr<'a>],
        e: &'l Expr<'a>,
    ) -> Result<Values, Diagnostic> {
        let args: Vec<Value> =
            args.iter().map(|a| Ok(self.expr(a)?[0])).collect::<Result<_, Diagnostic>>()?;
        self.builder.set_span(e.span);
        let results = self.data(&e.ty);
        Ok(self.array_values(f, &args, &results))
    }

    /// What a function gives for operands; `results` are its types.
    pub(super) fn array_values(&mut self, f: ArrayFn, args: &[Value], results: &[ValueData]) -> Values {
        let result = &results[0];
        let (elem, shape) = (result.ty.scalar(), &result.shape);
        let joined: Vec<Value> = match f {
            ArrayFn::Concat | ArrayFn::Stack => args.iter().map(|v| self.coerce(*v, elem)).collect(),
            _ => Vec::new(),
        };
        let b = &mut self.builder;
        let one = match f {
            ArrayFn::Zeros => arrays::filled(b, 0.0, elem, shape),
            ArrayFn::Ones => arrays::filled(b, 1.0, elem, shape),
            ArrayFn::Fill => {
                let own = b.data(args[0]).shape.len();
                b.fill(args[0], &shape[..shape.len() - own])
            }
            ArrayFn::Eye => arrays::eye(b, elem, &shape[0]),
            ArrayFn::Iota => arrays::iota(b, &shape[0]),
            ArrayFn::Slice => b.slice(args[0], args[1], shape[0].clone()),
            ArrayFn::Norm => arrays::norm(b, args[0]),
            ArrayFn::Logsumexp => arrays::logsumexp(b, args[0]),
            ArrayFn::Softmax => arrays::softmax(b, args[0]),
            ArrayFn::Cumsum => arrays::cumsum(b, args[0]),
            ArrayFn::Cumprod => arrays::cumprod(b, args[0]),
            ArrayFn::Sort => arrays::sort(b, args[0]),
            ArrayFn::Argsort => arrays::argsort(b, args[0]),
            ArrayFn::Transpose => b.transpose(args[0]),
            ArrayFn::Reshape => arrays::reshape(b, args[0], shape),
            ArrayFn::Concat => arrays::concat(b, &joined, &shape[0]),
            ArrayFn::Stack => b.pack(&joined),
            ArrayFn::Flip => arrays::flip(b, args[0]),
            ArrayFn::Gather => arrays::gather(b, args[0], args[1]),
            ArrayFn::Diag => arrays::diag(b, args[0]),
            ArrayFn::Trace => arrays::trace(b, args[0]),
            ArrayFn::Outer => arrays::outer(b, args[0], args[1]),
            ArrayFn::Dot => arrays::dot(b, args[0], args[1]),
            ArrayFn::Solve => b.linalg(LinalgOp::Solve, args),
            ArrayFn::Cholesky => b.linalg(LinalgOp::Cholesky, args),
            ArrayFn::Inv => b.linalg(LinalgOp::Inv, args),
            ArrayFn::Det => b.linalg(LinalgOp::Det, args),
            ArrayFn::Logdet => b.linalg(LinalgOp::LogDet, args),
            ArrayFn::Eigvalsh => b.linalg(LinalgOp::EighValues, args),
            ArrayFn::Svdvals => arrays::svdvals(b, args[0]),
            ArrayFn::Qr => return Values::from_slice(&arrays::qr(b, args[0])),
            ArrayFn::Svd => return Values::from_slice(&arrays::svd(b, args[0])),
            ArrayFn::Eigh => {
                return [LinalgOp::EighValues, LinalgOp::EighVectors]
                    .iter()
                    .map(|op| b.linalg(*op, args))
                    .collect();
            }
        };
        Values::from_slice(&[one])
    }
}
