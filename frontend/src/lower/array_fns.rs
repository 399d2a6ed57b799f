//! Built-in functions of arrays.

use super::{Lower, arrays};
use crate::sema::builtins::ArrayFn;
use crate::sema::hir::*;
use adc_ir::{Diagnostic, Value};

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn array_fn(
        &mut self,
        f: ArrayFn,
        args: &'l [Expr<'a>],
        e: &'l Expr<'a>,
    ) -> Result<Value, Diagnostic> {
        let args: Vec<Value> =
            args.iter().map(|a| Ok(self.expr(a)?[0])).collect::<Result<_, Diagnostic>>()?;
        self.builder.set_span(e.span);
        let data = self.data(&e.ty).remove(0);
        let (elem, shape) = (data.ty.scalar(), data.shape);
        let b = &mut self.builder;
        Ok(match f {
            ArrayFn::Zeros => arrays::filled(b, 0.0, elem, &shape),
            ArrayFn::Ones => arrays::filled(b, 1.0, elem, &shape),
            ArrayFn::Fill => {
                let own = b.data(args[0]).shape.len();
                b.fill(args[0], &shape[..shape.len() - own])
            }
            ArrayFn::Eye => arrays::eye(b, elem, &shape[0]),
            ArrayFn::Iota => arrays::iota(b, &shape[0]),
            _ => unreachable!("refused before"),
        })
    }
}
