//! Built-in functions of arrays.

use super::Infer;
use crate::sema::builtins::ArrayFn;
use crate::sema::hir::*;
use crate::sema::types::{Class, CxId, Num, Ty, Types};
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, Dim, Scalar, Shape, Span};

impl<'a> Infer<'_, 'a> {
    pub(super) fn array_fn(
        &mut self,
        f: ArrayFn,
        name: &'static str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Expr<'a> {
        match f {
            ArrayFn::Zeros | ArrayFn::Ones => {
                let Some(shape) = self.sizes(name, args, span) else { return Expr::error(span) };
                let elem = Ty::Num(Num { class: self.types.class(Class::Any), cx: CxId::OPEN });
                let ty = self.array_of(elem, shape, span);
                Expr { kind: ExprKind::ArrayFn(f, Vec::new()), ty, span }
            }
            ArrayFn::Fill => {
                let Some((value, sizes)) = args.split_first() else {
                    self.arity(name, 2, args, span, None);
                    return Expr::error(span);
                };
                let value = self.expr(value);
                let elem = self.element(&value);
                let Some(mut shape) = self.sizes(name, sizes, span) else { return Expr::error(span) };
                shape.extend(elem.shape().iter().cloned());
                let ty = self.array_of(elem.elem().clone(), shape, span);
                Expr { kind: ExprKind::ArrayFn(f, vec![value]), ty, span }
            }
            ArrayFn::Eye | ArrayFn::Iota => {
                if !self.arity(name, 1, args, span, None) {
                    return self.failed(args, span);
                }
                let n = self.size(&args[0], "the size of an array");
                let ty = if f == ArrayFn::Iota {
                    Ty::array(Types::fixed(Scalar::I64), vec![n])
                } else {
                    let elem = Ty::Num(Num { class: self.types.class(Class::Any), cx: CxId::OPEN });
                    Ty::array(elem, vec![n.clone(), n])
                };
                Expr { kind: ExprKind::ArrayFn(f, Vec::new()), ty, span }
            }
            ArrayFn::Slice
            | ArrayFn::Norm
            | ArrayFn::Logsumexp
            | ArrayFn::Softmax
            | ArrayFn::Cumsum
            | ArrayFn::Cumprod
            | ArrayFn::Sort
            | ArrayFn::Argsort
            | ArrayFn::Transpose
            | ArrayFn::Reshape
            | ArrayFn::Concat
            | ArrayFn::Stack
            | ArrayFn::Flip
            | ArrayFn::Gather
            | ArrayFn::Diag
            | ArrayFn::Trace
            | ArrayFn::Outer
            | ArrayFn::Dot
            | ArrayFn::Solve
            | ArrayFn::Cholesky
            | ArrayFn::Inv
            | ArrayFn::Det
            | ArrayFn::Logdet
            | ArrayFn::Eigh
            | ArrayFn::Eigvalsh
            | ArrayFn::Qr
            | ArrayFn::Svd
            | ArrayFn::Svdvals => self.array_row(f, name, args, span),
        }
    }

    /// Arguments that are sizes, at least one.
    pub(super) fn sizes(&mut self, name: &str, args: &'a [ast::Expr], span: Span) -> Option<Shape> {
        if args.is_empty() {
            self.ctx.report(
                Diagnostic::error(Code::WrongArity, format!("`{name}` needs a size"))
                    .label(span, "no size")
                    .help(if name == "fill" {
                        "write `fill(v, N)`".into()
                    } else {
                        format!("write `{name}(N)`")
                    }),
            );
            return None;
        }
        let fixed = |n: &ast::Name| {
            let known = Scalar::from_name(&n.text).is_some() || crate::words::scalar(&n.text).is_some();
            known && self.find_local(&n.text).is_none()
        };
        let wrong = args.iter().find_map(|a| match &a.kind {
            ast::ExprKind::Tuple(parts) => {
                let sizes: Vec<String> = parts.iter().map(|p| self.ctx.quote(p.span, "N")).collect();
                let help = format!("write each size by itself: `{name}({})`", sizes.join(", "));
                Some((a.span, "a tuple", help))
            }
            ast::ExprKind::Name(n) if fixed(n) => {
                let help = format!(
                    "write the sizes only, `{name}(N)`: the type follows from where the array is used"
                );
                Some((a.span, "a type", help))
            }
            ast::ExprKind::Real(_) if name == "fill" => {
                Some((a.span, "a real number", "the value comes first: `fill(v, N)`".to_string()))
            }
            _ => None,
        });
        if let Some((at, what, help)) = wrong {
            let message = format!("`{name}` takes sizes, but this is {what}");
            self.ctx
                .report(Diagnostic::error(Code::NotADimension, message).label(at, "not a size").help(help));
            return None;
        }
        let sizes: Vec<Dim> = args.iter().map(|a| self.size(a, "the size of an array")).collect();
        Some(sizes)
    }
}
