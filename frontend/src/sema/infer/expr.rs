//! Expressions.

use super::errors::{Demand, words_of};
use super::{Infer, Owner};
use crate::sema::builtins::{self, Builtin};
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::types::{Class, CxId, MAX_PARTS, Num, Ty};
use crate::syntax::ast::{self, BinaryOp, UnaryOp};
use crate::syntax::suggest::nearest;
use crate::words::{self, Instead};
use adc_ir::{Certainty, Code, Diagnostic, Op, Scalar, Span};

impl<'a> Infer<'_, 'a> {
    /// The typed form of an expression, with its sizes as the facts make them.
    pub(super) fn expr(&mut self, e: &'a ast::Expr) -> Expr<'a> {
        let span = e.span;
        let mut typed = match &e.kind {
            ast::ExprKind::Int(n) => self.literal(ExprKind::Int(*n), Class::Open, false, span),
            ast::ExprKind::Real(x) => self.literal(ExprKind::Real(*x), Class::Float, false, span),
            ast::ExprKind::Imag(x) => self.literal(ExprKind::Imag(*x), Class::Float, true, span),
            ast::ExprKind::Bool(b) => Expr { kind: ExprKind::Bool(*b), ty: Ty::Bool, span },
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Unary { op, operand, .. } => self.unary(*op, operand, span),
            ast::ExprKind::Binary { op, lhs, rhs, .. } => self.binary(*op, lhs, rhs, span),
            ast::ExprKind::Call { callee, dims, args, seeds } => self.call(callee, dims, args, seeds, span),
            ast::ExprKind::Along { call, axis } => self.along(call, axis, span),
            ast::ExprKind::Tuple(es) => {
                let es: Vec<Expr> = es.iter().map(|e| self.expr(e)).collect();
                let parts: Vec<Ty> = es.iter().map(|e| self.valued(e)).collect();
                let ty = match parts.iter().map(Ty::parts).sum::<usize>() {
                    0..=MAX_PARTS => Ty::Tuple(parts),
                    _ => {
                        let what = format!("a tuple of more than {MAX_PARTS} values");
                        let d = Diagnostic::error(Code::TooMuchCode, what)
                            .label(span, "counting those of tuples in it");
                        self.ctx.report(d.help("put numbers of one kind into an array"));
                        Ty::Error
                    }
                };
                Expr { kind: ExprKind::Tuple(es), ty, span }
            }
            ast::ExprKind::If(i) => self.if_expr(i),
            ast::ExprKind::Block(b) => {
                let mut block = self.block_expr(b);
                block.span = span;
                block
            }
            ast::ExprKind::Transpose(e) => self.adjoint(e, span),
            ast::ExprKind::Index { base, indices } => self.index(base, indices, span),
            ast::ExprKind::WithDims { func, .. } => self.function_as_value(&func.text, span),
            ast::ExprKind::Derivative { op, func, .. } => {
                let named = matches!(
                    func.kind,
                    ast::ExprKind::Name(_)
                        | ast::ExprKind::WithDims { .. }
                        | ast::ExprKind::Derivative { .. }
                );
                let f = self.ctx.quote(func.span, "f");
                let seeds = if op.takes_seeds() { "x; v" } else { "x" };
                let d = Diagnostic::error(
                    Code::TypeMismatch,
                    format!("`{}` is a function, not a value", self.ctx.quote(span, op.text())),
                );
                self.ctx.report(d.label(span, "a function").help(match named {
                    true => format!("call it at a point: `{}({f})({seeds})`", op.text()),
                    false => format!(
                        "`{0}` takes the name of a function: put the expression into one, `fn g(x: f64) -> f64 {{ {f} }}`, and write `{0}(g)({seeds})`",
                        op.text()
                    ),
                }));
                Expr::error(span)
            }
            ast::ExprKind::Reduction { op, body, generators, .. } => {
                self.reduction(*op, body, generators, span)
            }
            ast::ExprKind::Comprehension { body, generators } => self.comprehension(body, generators, span),
            ast::ExprKind::Array(es) => self.array(es, span),
            ast::ExprKind::Hole => {
                let d = Diagnostic::error(Code::TypeMismatch, "`_` stands for an argument that is left open");
                self.ctx.report(
                    d.label(span, "nothing is left open here")
                        .help("`f(_, p)` is a function, to be passed as an argument"),
                );
                Expr::error(span)
            }
            ast::ExprKind::Error => Expr::error(span),
        };
        if self.types.syms.facts() > 0 {
            typed.ty = self.normal(&typed.ty);
        }
        typed
    }

    fn literal(&mut self, kind: ExprKind<'a>, class: Class, complex: bool, span: Span) -> Expr<'a> {
        Expr { kind, ty: self.types.literal(class, complex), span }
    }

    /// A name used as a value.
    fn name(&mut self, name: &'a ast::Name, span: Span) -> Expr<'a> {
        let text = name.text.as_str();
        if let Some(id) = self.find_local(text) {
            let ty = self.locals[id.0].ty.clone();
            if matches!(ty, Ty::Fn(_)) {
                return self.function_as_value(text, span);
            }
            return Expr { kind: ExprKind::Local(id), ty, span };
        }
        match self.ctx.items.find(text) {
            Some(ItemRef::Const(ix)) => {
                let ty = self.ctx.items.consts[ix.0].ty.clone();
                return Expr { kind: ExprKind::Const(ix, text), ty, span };
            }
            Some(ItemRef::Fn(_)) => return self.function_as_value(text, span),
            None => {}
        }
        if let Some(named) = builtins::named(text) {
            return self.literal(ExprKind::Named(named), Class::Float, false, span);
        }
        if Builtin::find(text).is_some() || Scalar::from_name(text).is_some() {
            return self.function_as_value(text, span);
        }
        let d = Diagnostic::error(Code::UnknownName, format!("no variable or constant called `{text}`"));
        let all =
            (self.scope.names()).chain(self.ctx.items.const_names()).chain(builtins::NAMED.map(|(n, _)| n));
        let d = match (words::value(text), nearest(text, all)) {
            (Some(Instead::Name(ours)), _) => {
                let d = d.label(span, format!("did you mean `{ours}`?"));
                d.replace(span, ours, Certainty::Certain)
            }
            (Some(Instead::Write(help)), _) => d.label(span, "not defined here").help(help),
            (None, Some(near)) => d.meant(span, near),
            (None, None) => d.label(span, "not defined here").help(format!(
                "declare it before: `let {text} = …;` here, as a parameter of the function, or `const {text}: f64 = …;`"
            )),
        };
        self.ctx.report(d);
        Expr::error(span)
    }

    fn function_as_value(&mut self, text: &str, span: Span) -> Expr<'a> {
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, format!("`{text}` is a function, not a value"))
                .label(span, "a function")
                .help(format!(
                    "call it, `{text}(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function"
                )),
        );
        Expr::error(span)
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a ast::Expr, span: Span) -> Expr<'a> {
        let x = self.expr(operand);
        match op {
            UnaryOp::Neg => self.prim(Op::Neg, "", "-", vec![x], span),
            UnaryOp::Not => self.prim(Op::Not, "", "!", vec![x], span),
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: &'a ast::Expr, rhs: &'a ast::Expr, span: Span) -> Expr<'a> {
        let prim = match op {
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Sub,
            BinaryOp::Mul => Op::Mul,
            BinaryOp::Div => Op::Div,
            BinaryOp::Eq => Op::Eq,
            BinaryOp::Ne => Op::Ne,
            BinaryOp::Lt => Op::Lt,
            BinaryOp::Le => Op::Le,
            BinaryOp::Gt => Op::Gt,
            BinaryOp::Ge => Op::Ge,
            BinaryOp::Pow => return self.power("^", lhs, rhs, span),
            BinaryOp::MatMul => return self.matmul(lhs, rhs, span),
            BinaryOp::And | BinaryOp::Or => return self.lazy(op == BinaryOp::And, lhs, rhs, span),
        };
        let args = vec![self.expr(lhs), self.expr(rhs)];
        self.prim(prim, "", op.text(), args, span)
    }

    fn lazy(&mut self, and: bool, lhs: &'a ast::Expr, rhs: &'a ast::Expr, span: Span) -> Expr<'a> {
        let (a, b) = (self.expr(lhs), self.expr(rhs));
        let demand = Demand::Condition(if and { "`&&`" } else { "`||`" });
        self.flow(&a, &Ty::Bool, demand);
        self.flow(&b, &Ty::Bool, demand);
        Expr { kind: ExprKind::Lazy { and, args: Box::new((a, b)) }, ty: Ty::Bool, span }
    }

    /// The type of something that must have a value; reports a block without one.
    pub(super) fn valued(&mut self, e: &Expr<'a>) -> Ty {
        match e.ty {
            Ty::Unit => {
                let value = self.operand(e);
                self.not_taken(&value, "(…)", "values");
                Ty::Error
            }
            _ => e.ty.clone(),
        }
    }

    /// `if` as a value.
    fn if_expr(&mut self, i: &'a ast::If) -> Expr<'a> {
        let mut branches = Vec::new();
        for (cond, block) in &i.branches {
            branches.push((self.condition(cond, "`if`"), self.block(block)));
        }
        let Some(last) = &i.otherwise else {
            self.ctx.report(
                Diagnostic::error(Code::MissingElse, "an `if` used as a value needs an `else`")
                    .label(i.span, "has no value if the condition is false")
                    .help("add `else { … }`, or end the value with `;` if it is not wanted"),
            );
            return Expr::error(i.span);
        };
        let last = self.block(last);
        let mut ty = branches[0].1.ty.clone();
        let mut from = branches[0].1.end();
        let rest: Vec<(Ty, Span)> = branches[1..].iter().map(|(_, b)| (b.ty.clone(), b.end())).collect();
        for (next, at) in rest.into_iter().chain([(last.ty.clone(), last.end())]) {
            match self.join((&ty, from), (&next, at)) {
                Some(joined) => ty = joined,
                None => {
                    if branches.iter().all(|(c, _)| !c.ty.is_error()) {
                        self.branches_differ((&ty, from), (&next, at));
                    }
                    return Expr::error(i.span);
                }
            }
            from = at;
        }
        Expr { kind: ExprKind::If { branches, otherwise: Some(last) }, ty, span: i.span }
    }

    fn branches_differ(&mut self, a: (&Ty, Span), b: (&Ty, Span)) {
        let one_is_empty = matches!(a.0, Ty::Unit) || matches!(b.0, Ty::Unit);
        let (ta, tb) = (self.types.show(a.0), self.types.show(b.0));
        let message = if one_is_empty {
            "a branch of this `if` has no value".to_string()
        } else {
            format!("the branches of this `if` are {ta} and {tb}")
        };
        let shapes = !one_is_empty && !dims::same_shape(a.0.shape(), b.0.shape());
        let code = if shapes { Code::ShapeMismatch } else { Code::TypeMismatch };
        let d = Diagnostic::error(code, message).label(b.1, tb).also(a.1, ta);
        let help = if shapes {
            "give both branches one shape: a number in every entry is `fill(v, N)`".to_string()
        } else if one_is_empty {
            "end each branch with its value, without `;`".to_string()
        } else {
            "convert one of them, with `f64(…)` for example".to_string()
        };
        self.ctx.report(d.help(help));
    }

    /// A condition of `if`, `assert`.
    pub(super) fn condition(&mut self, e: &'a ast::Expr, of: &'static str) -> Expr<'a> {
        let cond = self.expr(e);
        if of == "`if`" && !cond.ty.shape().is_empty() && matches!(cond.ty.elem(), Ty::Bool) {
            let (ty, c) = (self.types.show(&cond.ty), self.ctx.quote(e.span, "c"));
            let d = Diagnostic::error(Code::ShapeMismatch, format!("this is {ty}, but `if` needs a bool"));
            self.ctx.report(d.label(e.span, ty).help(format!(
                "write `select({c}, a, b)` to choose entry by entry, `if all({c})` or `if any({c})` for one decision"
            )));
            return Expr::error(e.span);
        }
        self.flow(&cond, &Ty::Bool, Demand::Condition(of));
        cond
    }

    /// A block as an expression.
    pub(super) fn block_expr(&mut self, b: &'a ast::Block) -> Expr<'a> {
        let block = self.block(b);
        Expr { ty: block.ty.clone(), span: b.span, kind: ExprKind::Block(Box::new(block)) }
    }

    /// The type of a number that is certainly real, as open as what it is computed from.
    pub(super) fn real_of(&self, n: Num) -> Ty {
        Ty::Num(Num { class: n.class, cx: self.types.real_like(n.cx) })
    }

    /// A complex number of the same precision.
    pub(super) fn complex_of(&self, n: Num) -> Ty {
        Ty::Num(Num { class: n.class, cx: CxId::COMPLEX })
    }

    /// Whether functions may be called here; in constants only built-ins may.
    pub(super) fn calls_allowed(&mut self, name: &str, span: Span) -> bool {
        let Owner::Constant(words) = self.owner else { return true };
        self.ctx.report(
            Diagnostic::error(Code::ConstNotConstant, format!("{} cannot call `{name}`", words_of(words)))
                .label(span, "known at run time only")
                .help("use literals, constants and built-in functions of them"),
        );
        false
    }
}

impl Block<'_> {
    /// What stands for the block in messages: its value, else its end.
    fn end(&self) -> Span {
        self.value.as_ref().map(|v| v.span).or(self.dropped.first().copied()).unwrap_or(self.span)
    }
}
