//! Built-in functions that make arrays of arrays, or numbers of them: what each takes and gives.

use super::Infer;
use super::errors::{Demand, Operand};
use super::ragged::Read;
use crate::sema::builtins::ArrayFn;
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::{Class, Num, Ty, Types};
use crate::syntax::ast::{self, ReduceOp};
use adc_ir::dims::elements;
use adc_ir::{Code, Diagnostic, Dim, Scalar, Shape, Span};

impl<'a> Infer<'_, 'a> {
    /// A call of one of them.
    pub(super) fn array_row(
        &mut self,
        f: ArrayFn,
        name: &'static str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Expr<'a> {
        match f {
            ArrayFn::Reshape => return self.reshape(f, name, args, span),
            ArrayFn::Slice => return self.slice_fn(f, name, args, span),
            _ => {}
        }
        let fits = match f.arity() {
            Some(n) => self.arity(name, n, args, span, None),
            None => !args.is_empty() || self.arity(name, 2, args, span, None),
        };
        if !fits {
            return self.failed(args, span);
        }
        if let (ArrayFn::Concat | ArrayFn::Stack, [one]) = (f, args)
            && let ast::ExprKind::Array(parts) = &one.kind
        {
            let parts: Vec<String> = parts.iter().map(|p| self.ctx.quote(p.span, "…")).collect();
            self.ctx.report(
                Diagnostic::error(Code::WrongArity, format!("`{name}` takes the arrays themselves"))
                    .label(one.span, "one array of arrays")
                    .help(format!("write `{name}({})`", parts.join(", "))),
            );
            return self.failed(args, span);
        }
        let reduction = match f {
            ArrayFn::Norm => Some(ReduceOp::Norm),
            ArrayFn::Logsumexp => Some(ReduceOp::Logsumexp),
            _ => None,
        };
        let values: Vec<Expr> = match (reduction, args) {
            (Some(op), [x]) => match self.ragged_reduction(op, x, span) {
                Read::Reduction(reduction) => return reduction,
                Read::Argument(x) => vec![x],
            },
            _ => args.iter().map(|a| self.expr(a)).collect(),
        };
        match self.array_row_type(f, name, &values, span) {
            Some(ty) => Expr { kind: ExprKind::ArrayFn(f, values), ty, span },
            None => {
                values.iter().for_each(|v| self.types.taint(&v.ty));
                Expr::error(span)
            }
        }
    }

    /// What a function gives for as many operands as it takes; `None`: reported. Not for those that take sizes.
    pub(super) fn array_row_type(
        &mut self,
        f: ArrayFn,
        name: &'static str,
        args: &[Expr<'a>],
        span: Span,
    ) -> Option<Ty> {
        let field = "real or complex numbers";
        let x = &args[0];
        Some(match f {
            ArrayFn::Norm => {
                let n = self.number_of(x, Class::Float, name, field)?;
                self.rank(name, x, 1..=8, "an array", "`abs` takes one number")?;
                self.real_of(n)
            }
            ArrayFn::Logsumexp | ArrayFn::Softmax => {
                let n = self.number_of(x, Class::Float, name, "real numbers")?;
                self.real_only(n, x, name, "real numbers");
                self.vector(name, x)?;
                if f == ArrayFn::Softmax { x.ty.clone() } else { self.real_of(n) }
            }
            ArrayFn::Cumsum | ArrayFn::Cumprod => {
                self.number(x, name, "numbers")?;
                self.vector(name, x)?;
                x.ty.clone()
            }
            ArrayFn::Sort | ArrayFn::Argsort => {
                let n = self.number(x, name, "integers or real numbers")?;
                self.real_only(n, x, name, "integers or real numbers");
                self.vector(name, x)?;
                match f {
                    ArrayFn::Sort => x.ty.clone(),
                    _ => Ty::array(Types::fixed(Scalar::I64), x.ty.shape().to_vec()),
                }
            }
            ArrayFn::Transpose => {
                self.entries(name, x)?;
                self.rank(
                    name,
                    x,
                    2..=2,
                    "a matrix",
                    "a comprehension reorders axes: `[x[k, j, i] for i, j, k]`",
                )?;
                let s = x.ty.shape();
                Ty::array(x.ty.elem().clone(), vec![s[1].clone(), s[0].clone()])
            }
            ArrayFn::Flip => {
                self.entries(name, x)?;
                self.rank(name, x, 1..=8, "an array", "it reverses the first axis")?;
                x.ty.clone()
            }
            ArrayFn::Concat => self.concat(name, args, span)?,
            ArrayFn::Stack => self.stack(name, args, span)?,
            ArrayFn::Gather => {
                self.entries(name, x)?;
                self.rank(name, x, 1..=8, "an array", "it takes parts along the first axis")?;
                let idx = &args[1];
                let n = self.number_of(idx, Class::Int, name, "integers as indices")?;
                self.real_only(n, idx, name, "integers as indices");
                let help = format!("one part is `{}[i]`", self.ctx.quote(x.span, "x"));
                self.rank(name, idx, 1..=8, "an array of indices", &help)?;
                let shape: Shape = idx.ty.shape().iter().chain(&x.ty.shape()[1..]).cloned().collect();
                self.array_of(x.ty.elem().clone(), shape, span)
            }
            ArrayFn::Diag => {
                self.entries(name, x)?;
                self.rank(name, x, 1..=2, "a vector or a matrix", "use a comprehension for other diagonals")?;
                let s = x.ty.shape().to_vec();
                if s.len() == 2 {
                    self.square(name, x)?;
                    Ty::array(x.ty.elem().clone(), vec![s[0].clone()])
                } else {
                    self.number(x, name, "numbers")?;
                    Ty::array(x.ty.elem().clone(), vec![s[0].clone(), s[0].clone()])
                }
            }
            ArrayFn::Trace => {
                let n = self.number(x, name, "numbers")?;
                self.square(name, x)?;
                Ty::Num(n)
            }
            ArrayFn::Outer | ArrayFn::Dot => {
                let num = self.pair(name, args, Class::Any, "numbers", span)?;
                self.vector(name, x)?;
                self.vector(name, &args[1])?;
                let (n, m) = (x.ty.shape()[0].clone(), args[1].ty.shape()[0].clone());
                if f == ArrayFn::Outer {
                    Ty::array(Ty::Num(num), vec![n, m])
                } else {
                    if !dims::same(&n, &m) {
                        let (a, b) = (self.operand(x), self.operand(&args[1]));
                        self.row_sizes(name, &a, &b, span, "sums over both, so they need one size");
                        return None;
                    }
                    Ty::Num(num)
                }
            }
            ArrayFn::Solve => {
                let num = self.pair(name, args, Class::Float, field, span)?;
                self.square(name, x)?;
                let b = &args[1];
                self.rank(name, b, 1..=2, "a vector or a matrix on the right", "solve for one at a time")?;
                if !dims::same(&x.ty.shape()[0], &b.ty.shape()[0]) {
                    let (a, b) = (self.operand(x), self.operand(b));
                    self.row_sizes(name, &a, &b, span, "the right side has a row for each row of the matrix");
                    return None;
                }
                Ty::array(Ty::Num(num), b.ty.shape().to_vec())
            }
            ArrayFn::Cholesky | ArrayFn::Inv | ArrayFn::Det | ArrayFn::Logdet => {
                let n = self.number_of(x, Class::Float, name, field)?;
                self.square(name, x)?;
                match f {
                    ArrayFn::Det => Ty::Num(n),
                    ArrayFn::Logdet => self.real_of(n),
                    _ => x.ty.clone(),
                }
            }
            ArrayFn::Eigh | ArrayFn::Eigvalsh => {
                let n = self.number_of(x, Class::Float, name, field)?;
                self.square(name, x)?;
                let values = Ty::array(self.real_of(n), x.ty.shape()[..1].to_vec());
                match f {
                    ArrayFn::Eigvalsh => values,
                    _ => Ty::Tuple(vec![values, x.ty.clone()]),
                }
            }
            ArrayFn::Qr | ArrayFn::Svd | ArrayFn::Svdvals => {
                let n = self.number_of(x, Class::Float, name, field)?;
                self.rank(name, x, 2..=2, "a matrix", "declare it with two dimensions: `f64[N, M]`")?;
                let [rows, columns] = [0, 1].map(|k| x.ty.shape()[k].clone());
                let fewer = if dims::is_wide(&rows, &columns) { rows.clone() } else { columns.clone() };
                let matrix = |rows: &Dim, columns: &Dim| {
                    Ty::array(x.ty.elem().clone(), vec![rows.clone(), columns.clone()])
                };
                let values = Ty::array(self.real_of(n), vec![fewer.clone()]);
                match f {
                    ArrayFn::Qr => Ty::Tuple(vec![matrix(&rows, &fewer), matrix(&fewer, &columns)]),
                    ArrayFn::Svd => Ty::Tuple(vec![matrix(&rows, &fewer), values, matrix(&columns, &fewer)]),
                    _ => values,
                }
            }
            ArrayFn::Zeros
            | ArrayFn::Ones
            | ArrayFn::Fill
            | ArrayFn::Eye
            | ArrayFn::Iota
            | ArrayFn::Slice
            | ArrayFn::Reshape => Ty::Error,
        })
    }

    /// Two operands of numbers of one class.
    fn pair(
        &mut self,
        name: &'static str,
        args: &[Expr<'a>],
        class: Class,
        takes: &str,
        span: Span,
    ) -> Option<Num> {
        let found = args
            .iter()
            .map(|a| match class {
                Class::Any => self.number(a, name, takes),
                _ => self.number_of(a, class, name, takes),
            })
            .collect();
        let found = self.all_or_taint(args, found)?;
        if !self.agree(name, (&args[0], found[0]), (&args[1], found[1]), span) {
            return None;
        }
        Some(Num { class: found[0].class, cx: self.types.either(found[0].cx, found[1].cx) })
    }

    /// An array of booleans or numbers, or a number.
    fn entries(&mut self, name: &'static str, e: &Expr<'a>) -> Option<()> {
        if matches!(e.ty.elem(), Ty::Bool) {
            return Some(());
        }
        self.number(e, name, "arrays").map(|_| ())
    }

    pub(super) fn vector(&mut self, name: &'static str, e: &Expr<'a>) -> Option<()> {
        let x = self.ctx.quote(e.span, "x");
        let help = match e.ty.shape().len() {
            0 => "an array of one number is `[x]`".to_string(),
            _ if matches!(name, "logsumexp" | "softmax" | "cumsum" | "cumprod") => {
                format!("along an axis it is `{name}({x}, axis = 0)`")
            }
            _ => format!("take it row by row: `[{name}({x}[i]) for i]`"),
        };
        self.rank(name, e, 1..=1, "a vector", &help)
    }

    fn square(&mut self, name: &'static str, e: &Expr<'a>) -> Option<()> {
        let x = self.ctx.quote(e.span, "x");
        let help = match (name, e.ty.shape().len()) {
            ("inv", 0) => format!("of a number write `1/{x}`"),
            _ => "declare it with one dimension twice: `f64[N, N]`".to_string(),
        };
        self.rank(name, e, 2..=2, "a square matrix", &help)?;
        let s = e.ty.shape();
        if dims::same(&s[0], &s[1]) {
            return Some(());
        }
        let v = self.operand(e);
        let message = format!("`{name}` takes a square matrix, but {}", self.describe(&v));
        let d = Diagnostic::error(Code::ShapeMismatch, message).label(v.span, self.types.show(&v.ty));
        self.ctx.report(d.help("give both axes the same dimension"));
        None
    }

    fn rank(
        &mut self,
        name: &'static str,
        e: &Expr<'a>,
        ranks: std::ops::RangeInclusive<usize>,
        takes: &str,
        help: &str,
    ) -> Option<()> {
        if e.ty.is_error() {
            return None;
        }
        if ranks.contains(&e.ty.shape().len()) {
            return Some(());
        }
        let v = self.operand(e);
        let message = format!("`{name}` takes {takes}, but {}", self.describe(&v));
        let d = Diagnostic::error(Code::BadRank, message).label(v.span, self.types.show(&v.ty));
        let matrix = (*ranks.start() == 2).then(|| self.matrix_help(&v, None)).flatten();
        self.ctx.report(d.help(matrix.unwrap_or_else(|| help.to_string())));
        None
    }

    /// Two operands whose first axes differ.
    fn row_sizes(&mut self, name: &'static str, a: &Operand<'a>, b: &Operand<'a>, span: Span, why: &str) {
        let (ta, tb) = (self.types.show(&a.ty), self.types.show(&b.ty));
        let message = format!("`{name}` cannot take {ta} and {tb}");
        let d = Diagnostic::error(Code::ShapeMismatch, message)
            .label(span, why)
            .also(a.span, ta)
            .also(b.span, tb);
        self.ctx.report(d.help("give both the same dimension"));
    }

    /// The element type of all, and that all but `free` leading axes are the same.
    fn joined(&mut self, name: &'static str, args: &[Expr<'a>], free: usize, span: Span) -> Option<Ty> {
        let first = &args[0];
        let mut elem = first.ty.elem().clone();
        for a in args {
            self.entries(name, a)?;
        }
        for a in &args[1..] {
            let (s, t) = (first.ty.shape(), a.ty.shape());
            let same = s.len() == t.len() && dims::same_shape(&s[free..], &t[free..]);
            if !same {
                let (x, y) = (self.operand(first), self.operand(a));
                let why = if free == 0 {
                    "what is stacked needs one shape"
                } else {
                    "axes behind the first need one size"
                };
                self.row_sizes(name, &x, &y, span, why);
                return None;
            }
            match self.join((&elem, first.span), (a.ty.elem(), a.span)) {
                Some(joined) => elem = joined,
                None => {
                    let (x, y) = (self.operand(first), self.operand(a));
                    self.clash(name, &x, &y, span);
                    return None;
                }
            }
        }
        Some(elem)
    }

    fn concat(&mut self, name: &'static str, args: &[Expr<'a>], span: Span) -> Option<Ty> {
        for a in args {
            let x = self.ctx.quote(a.span, "x");
            self.rank(name, a, 1..=8, "arrays", &format!("an array of one number is `[{x}]`"))?;
        }
        let elem = self.joined(name, args, 1, span)?;
        let mut total = Dim::constant(0);
        for a in args {
            let n = &a.ty.shape()[0];
            if dims::is_unknown(n) {
                total = dims::unknown();
                break;
            }
            match total.add(n) {
                Some(sum) => total = sum,
                None => {
                    self.ctx.report(
                        Diagnostic::error(Code::TooLarge, format!("the size of this `{name}` is too large"))
                            .label(span, "too many terms, or too large numbers")
                            .help("join fewer arrays at a time"),
                    );
                    return None;
                }
            }
        }
        let shape = std::iter::once(total).chain(args[0].ty.shape()[1..].iter().cloned()).collect();
        Some(Ty::array(elem, shape))
    }

    fn stack(&mut self, name: &'static str, args: &[Expr<'a>], span: Span) -> Option<Ty> {
        let elem = self.joined(name, args, 0, span)?;
        let first = Dim::constant(args.len() as i64);
        let shape = std::iter::once(first).chain(args[0].ty.shape().iter().cloned()).collect();
        Some(self.array_of(elem, shape, span))
    }

    /// `reshape(x, N, M)`
    fn reshape(&mut self, f: ArrayFn, name: &'static str, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let Some((x, sizes)) = args.split_first() else {
            self.arity(name, 2, args, span, None);
            return Expr::error(span);
        };
        let x = self.expr(x);
        let Some(shape) = self.sizes(name, sizes, span) else { return Expr::error(span) };
        let help = "`fill(x, N)` is an array of one number";
        if self.entries(name, &x).and_then(|()| self.rank(name, &x, 1..=8, "an array", help)).is_none() {
            return Expr::error(span);
        }
        let unknown = |s: &[Dim]| s.iter().any(dims::is_unknown);
        if !unknown(&shape) && !unknown(x.ty.shape()) {
            let count = |shape: &[Dim]| elements(shape).map(|n| self.types.syms.normal(&n));
            let (from, to) = (count(x.ty.shape()), count(&shape));
            if from.is_none() || from != to {
                let count =
                    |n: &Option<Dim>| n.as_ref().map_or("too many".into(), |n| self.types.syms.show(n));
                let (from, to) = (count(&from), count(&to));
                let sizes = self.types.show_shape(&shape);
                let v = self.operand(&x);
                let message = format!("`reshape` to [{sizes}] needs {to} entries, but {}", self.describe(&v));
                let d =
                    Diagnostic::error(Code::ShapeMismatch, message).label(span, format!("{from} entries"));
                self.ctx.report(d.help("the product of the sizes must stay the same"));
                return Expr::error(span);
            }
        }
        let ty = self.array_of(x.ty.elem().clone(), shape, span);
        Expr { kind: ExprKind::ArrayFn(f, vec![x]), ty, span }
    }

    /// `slice(x, start, len)`
    fn slice_fn(&mut self, f: ArrayFn, name: &'static str, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        if !self.arity(name, 3, args, span, None) {
            return self.failed(args, span);
        }
        let (x, start) = (self.expr(&args[0]), self.expr(&args[1]));
        let len = self.size(&args[2], "the length of a slice");
        let fits = self.flow(&start, &Types::fixed(Scalar::I64), Demand::ArgumentOf(name));
        let help = "it takes a part along the first axis";
        if self.entries(name, &x).and_then(|()| self.rank(name, &x, 1..=8, "an array", help)).is_none()
            || !fits
        {
            return Expr::error(span);
        }
        let shape = std::iter::once(len).chain(x.ty.shape()[1..].iter().cloned()).collect();
        let ty = Ty::array(x.ty.elem().clone(), shape);
        Expr { kind: ExprKind::ArrayFn(f, vec![x, start]), ty, span }
    }
}
