//! Conditions that are always true or always false, and exact comparisons of real or complex numbers.

use super::{key, within};
use crate::sema::builtins::Named;
use crate::sema::ctx::Ctx;
use crate::sema::hir::{Block, Body, Expr, ExprKind, FnIx, Stmt};
use crate::sema::items::ParamItem;
use crate::sema::types::Ty;
use crate::sema::visit::{self, Node};
use crate::syntax::ast::ReduceOp;
use adc_ir::{Certainty, Code, Diagnostic, Op, Span};

/// Warnings about one body, of function `f` or a rule of it.
pub fn lints(ctx: &Ctx, body: &Body, f: FnIx) -> Vec<Diagnostic> {
    let mut c = Conditions { ctx, body, f, found: Vec::new() };
    for (e, _) in &body.values {
        visit::expr(e, &mut |node| match node {
            Node::Expr(e) => c.expr(e),
            Node::Stmt(Stmt::While(l)) => c.condition(&l.cond, None),
            Node::Stmt(Stmt::Assert(cond, _)) => c.condition(cond, None),
            Node::Stmt(
                Stmt::Bind(..) | Stmt::Assign(..) | Stmt::AssignAt(_) | Stmt::For(_) | Stmt::Expr(_),
            ) => {}
        });
    }
    c.found
}

struct Conditions<'c, 'a> {
    ctx: &'c Ctx<'a>,
    body: &'c Body<'a>,
    f: FnIx,
    found: Vec<Diagnostic>,
}

impl<'a> Conditions<'_, 'a> {
    fn expr(&mut self, e: &Expr<'a>) {
        match &e.kind {
            ExprKind::If { branches, otherwise } => {
                let first = branches.first().map(|(c, _)| c.span);
                for (c, taken) in branches {
                    let rest = match (branches.len(), otherwise) {
                        (1, Some(rest)) => Some(rest),
                        _ => None,
                    };
                    let whole = (Some(c.span) == first).then_some((e.span, taken, rest));
                    self.condition(c, whole);
                }
            }
            ExprKind::Lazy { and, args } => self.side(*and, &args.0, &args.1, e.span),
            ExprKind::Prim { op: Op::Select, args, .. } => self.condition(&args[0], None),
            ExprKind::Prim { op, args, .. } if matches!(op, Op::Eq | Op::Ne) => {
                self.equality(*op == Op::Eq, &args[0], &args[1], e.span);
            }
            _ => {}
        }
    }

    /// A condition; `whole` is its `if` with the block it guards and that of `else`, if that is all there is.
    fn condition(&mut self, c: &Expr<'a>, whole: Option<(Span, &Block<'a>, Option<&Block<'a>>)>) {
        let Some(value) = self.truth(c) else { return };
        let d = Diagnostic::warning(Code::ConstantCondition, format!("this condition is always {value}"))
            .label(c.span, format!("always {value}"))
            .help("remove it with the side that never runs, or write the condition that is meant");
        let kept = whole.and_then(|(span, taken, rest)| {
            let block = if value { taken } else { rest? };
            Some((span, self.ctx.text(block.span)))
        });
        self.found.push(match kept {
            Some((span, text)) if !text.is_empty() => d.suggest(
                "keep the side that runs",
                vec![adc_ir::Edit { span, text: text.to_string() }],
                Certainty::Certain,
            ),
            _ => d,
        });
    }

    /// `c && true` and the like.
    fn side(&mut self, and: bool, a: &Expr<'a>, b: &Expr<'a>, span: Span) {
        let said = |d: &Diagnostic| d.code == Code::ConstantCondition && within(span, d.span());
        if self.found.iter().any(said) {
            return;
        }
        for (side, other) in [(a, b), (b, a)] {
            let Some(value) = self.truth(side) else { continue };
            let word = if and { "&&" } else { "||" };
            let d = Diagnostic::warning(
                Code::ConstantCondition,
                format!("this side of `{word}` is always {value}"),
            )
            .label(side.span, format!("always {value}"));
            // The other side alone is the value, or it does not matter.
            let text = self.ctx.text(if value == and { other.span } else { side.span });
            self.found.push(d.help("leave it out").replace(span, text, Certainty::Certain));
        }
    }

    /// The value of a condition without names.
    fn truth(&self, e: &Expr<'a>) -> Option<bool> {
        match &e.kind {
            ExprKind::Bool(b) => Some(*b),
            ExprKind::Prim { op: Op::Not, args, .. } => self.truth(&args[0]).map(|b| !b),
            ExprKind::Lazy { and, args } => match (self.truth(&args.0), self.truth(&args.1)) {
                (Some(a), _) | (_, Some(a)) if a != *and => Some(a),
                (Some(a), Some(_)) => Some(a),
                _ => None,
            },
            ExprKind::Prim { op, args, .. } => {
                let numbers = || Some((number(&args[0])?, number(args.get(1)?)?));
                let same = || key(self.ctx, args[0].span) == key(self.ctx, args[1].span);
                let integer = || self.is(&args[0], |s| !s.is_float());
                match op {
                    Op::Lt => numbers().map(|(a, b)| a < b).or_else(|| same().then_some(false)),
                    Op::Gt => numbers().map(|(a, b)| a > b).or_else(|| same().then_some(false)),
                    Op::Le => {
                        numbers().map(|(a, b)| a <= b).or_else(|| (integer() && same()).then_some(true))
                    }
                    Op::Ge => {
                        numbers().map(|(a, b)| a >= b).or_else(|| (integer() && same()).then_some(true))
                    }
                    Op::Eq => {
                        numbers().map(|(a, b)| a == b).or_else(|| (integer() && same()).then_some(true))
                    }
                    Op::Ne => {
                        numbers().map(|(a, b)| a != b).or_else(|| (integer() && same()).then_some(false))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the elements of a value have such a type.
    fn is(&self, e: &Expr, test: impl Fn(adc_ir::Scalar) -> bool) -> bool {
        match e.ty.elem() {
            Ty::Num(n) => test(self.body.types.scalar(*n)),
            _ => false,
        }
    }

    /// Whether a parameter without a derivative is compared with a literal: it is set to that number, not computed.
    fn is_setting(&self, a: &Expr<'a>, b: &Expr<'a>) -> bool {
        let of = match &a.kind {
            ExprKind::Index(of, _) => of,
            _ => a,
        };
        let ExprKind::Local(id) = of.kind else { return false };
        let name = self.body.locals[id.0].name;
        let set = |p: &ParamItem| p.name == name && p.nodiff;
        number(b).is_some() && self.ctx.items.func(self.f).params.iter().any(set)
    }

    fn equality(&mut self, equal: bool, a: &Expr<'a>, b: &Expr<'a>, span: Span) {
        let float = self.is(a, |s| s.is_float()) || self.is(b, |s| s.is_float());
        if !float
            || self.is_setting(a, b)
            || self.is_setting(b, a)
            || is_exact(a)
            || is_exact(b)
            || (number(a).is_some() && number(b).is_some())
        {
            return;
        }
        let (x, y) = (self.ctx.quote(a.span, "a"), self.ctx.quote(b.span, "b"));
        let not = if equal { "" } else { "!" };
        let nan = |e: &Expr| matches!(e.kind, ExprKind::Named(Named::Nan));
        if let Some((nan_side, other)) = [(a, b), (b, a)].into_iter().find(|(s, _)| nan(s)) {
            let (value, test) = (!equal, format!("{not}isnan({})", self.ctx.text(other.span)));
            let d =
                Diagnostic::warning(Code::FloatEquality, format!("a comparison with NaN is always {value}"))
                    .label(nan_side.span, "NaN equals nothing, not even itself")
                    .help(format!("write `{}`", if test.len() > 60 { "isnan(x)" } else { &test }));
            return self.found.push(d.replace(span, test, Certainty::Likely));
        }
        if key(self.ctx, a.span) == key(self.ctx, b.span) {
            let not = if equal { "!" } else { "" };
            let test = format!("{not}isnan({})", self.ctx.text(super::bare(self.ctx, a.span)));
            let d = Diagnostic::warning(Code::FloatEquality, "a number compared with itself")
                .label(span, format!("{} if it is NaN", if equal { "false only" } else { "true only" }))
                .help(format!("`{not}isnan({x})` says so"));
            return self.found.push(d.replace(span, test, Certainty::Certain));
        }
        let op = if equal { "<=" } else { ">" };
        let minus = if matches!(&b.kind, ExprKind::Prim { name: "", .. }) && !y.starts_with('(') {
            format!("({})", self.ctx.text(b.span))
        } else {
            self.ctx.text(b.span).to_string()
        };
        let test = format!("abs({} - {minus}) {op} 1e-9", self.ctx.text(a.span));
        let word = if equal { "==" } else { "!=" };
        let d = Diagnostic::warning(Code::FloatEquality, format!("`{word}` of numbers that are rounded"))
            .label(span, "exact; where it holds, the derivative is that of one branch at one point")
            .help(format!(
                "compare with a tolerance, `abs({x} - {y}) {op} 1e-9`; labels and counts are better `i64`"
            ));
        self.found.push(d.replace(span, test, Certainty::Likely));
    }
}

/// A number that is written down, its sign included.
fn number(e: &Expr) -> Option<f64> {
    match &e.kind {
        ExprKind::Int(n) => Some(*n as f64),
        ExprKind::Real(x) => Some(*x),
        ExprKind::Named(Named::Inf) => Some(f64::INFINITY),
        ExprKind::Prim { op: Op::Neg, args, .. } => number(&args[0]).map(|x| -x),
        _ => None,
    }
}

/// Whether a value may be compared exactly: zero and infinities are what they are, and some functions give whole numbers or one
/// of their operands.
fn is_exact(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Prim { op: Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Sign, .. } => true,
        ExprKind::Prim { op: Op::Max | Op::Min, .. } => true,
        ExprKind::ReduceAll(op, _) | ExprKind::Reduce { op, .. } => {
            matches!(op, ReduceOp::Max | ReduceOp::Min)
        }
        _ => number(e).is_some_and(|x| x == 0.0 || x.is_infinite()),
    }
}
