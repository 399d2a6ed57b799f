//! Shapes of operands.

use super::Infer;
use super::errors::Operand;
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::Ty;
use adc_ir::{Code, Diagnostic, Shape, Span};

impl<'a> Infer<'_, 'a> {
    /// The shape that all arrays among the operands have, none if all are scalars; reports what differs.
    pub(super) fn common_shape(&mut self, what: &str, args: &[Expr<'a>], span: Span) -> Option<Shape> {
        let mut first: Option<&Expr> = None;
        for a in args.iter().filter(|a| !a.ty.shape().is_empty()) {
            match first {
                Some(f) if !dims::same_shape(f.ty.shape(), a.ty.shape()) => {
                    let (f, a) = (self.operand(f), self.operand(a));
                    self.shapes_differ(what, &f, &a, span);
                    return None;
                }
                // What is known of a size is worth more than what is not.
                Some(f) if !f.ty.shape().iter().any(dims::is_unknown) => {}
                _ => first = Some(a),
            }
        }
        Some(first.map_or(Vec::new(), |f| f.ty.shape().to_vec()))
    }

    /// Two arrays of one elementwise operation that are of different shape.
    pub(super) fn shapes_differ(&mut self, what: &str, a: &Operand<'a>, b: &Operand<'a>, span: Span) {
        let (ta, tb) = (self.types.show(&a.ty), self.types.show(&b.ty));
        let message = format!("`{what}` cannot take {ta} and {tb}");
        let d = Diagnostic::error(Code::ShapeMismatch, message)
            .label(span, "elementwise, so both sides need one shape")
            .also(a.span, &*ta)
            .also(b.span, &*tb);
        let matrix = || match a.ty.shape().len() {
            2 => self.matrix_help(b, Some(a.ty.shape())),
            _ => None,
        };
        let help = self.product_help(what, a, b).or_else(matrix).unwrap_or_else(|| self.shape_help(a, &b.ty));
        self.ctx.report(d.help(help));
    }

    /// `A*x` whose sizes fit a product of matrices.
    fn product_help(&self, what: &str, a: &Operand<'a>, b: &Operand<'a>) -> Option<String> {
        let (s, t) = (a.ty.shape(), b.ty.shape());
        let fits = (1..=2).contains(&s.len()) && (1..=2).contains(&t.len()) && dims::same(s.last()?, &t[0]);
        (what == "*" && fits).then(|| {
            let (x, y) = (self.ctx.quote(a.span, "A"), self.ctx.quote(b.span, "x"));
            format!("the product of matrices and vectors is `{x} @ {y}`; `*` multiplies entry by entry, `[a[i, j]*b[j] for i, j]`")
        })
    }

    /// What to do about an array of another shape.
    pub(super) fn shape_help(&self, v: &Operand<'a>, to: &Ty) -> String {
        let (from, want) = (v.ty.shape(), to.shape());
        if want.len() == 2
            && let Some(help) = self.matrix_help(v, Some(want))
        {
            return help;
        }
        if from.len() != want.len() {
            let (small, large) = if from.len() < want.len() { (from, want) } else { (want, from) };
            if small.is_empty() && v.ty.shape().is_empty() {
                let sizes = self.types.show_shape(want);
                return format!("`fill({}, {sizes})` is an array of it", self.ctx.quote(v.span, "x"));
            }
            if want.is_empty() && matches!(v.ty.elem(), Ty::Bool) {
                let x = self.ctx.quote(v.span, "x");
                return format!("write `all({x})` or `any({x})`");
            }
            if want.is_empty() {
                return "index it, or reduce it: `sum(x)`".into();
            }
            let column = large.len() == small.len() + 1
                && large[small.len()].as_const() == Some(1)
                && dims::same_shape(&large[..small.len()], small);
            if column {
                let vector = self.types.show_shape(small);
                return format!("a vector has one size: write `[{vector}]` in place of `[{vector}, 1]`");
            }
            let names = ["i", "j", "k", "l", "m", "n", "p", "q"];
            let index = names[..large.len().min(8)].join(", ");
            let last = &names[large.len().min(8) - small.len()..large.len().min(8)];
            return format!(
                "shapes never broadcast; write a comprehension, such as `[a[{index}] … b[{}] for {index}]`",
                last.join(", ")
            );
        }
        let pair = from.iter().zip(want).find(|(a, b)| !dims::same(a, b));
        let Some((a, b)) = pair else { return "give both the same shape".into() };
        if let Some(help) = self.missing_fact(a, b) {
            return help;
        }
        let (a, b) = (self.types.syms.show(a), self.types.syms.show(b));
        match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(_), Ok(_)) => format!("{a} and {b} differ: give both the same size"),
            _ => format!("`{a}` and `{b}` may differ: give both the same dimension"),
        }
    }
}
