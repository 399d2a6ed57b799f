//! Formulas that lose digits, overflow or lack a derivative where a built-in function does not.
//!
//! A pattern holds for the mathematical function on its whole domain. Where the other form is not quite the same function, it
//! is only proposed.

use super::{bare, key};
use crate::sema::builtins::ArrayFn;
use crate::sema::ctx::Ctx;
use crate::sema::hir::{Body, Expr, ExprKind, LocalId, Pat, Stmt};
use crate::sema::types::Ty;
use crate::sema::visit::{self, Node};
use crate::syntax::ast::ReduceOp;
use adc_ir::{Certainty, Code, Diagnostic, Op, Scalar, Span};
use rustc_hash::FxHashMap;

const SMALL: &str = "loses digits where it is close to 0";
const LARGE: &str = "overflows where `exp` does, and its derivative is NaN then";
const LENGTH: &str = "overflows for large numbers, and has no derivative at 0";
const UNDERFLOW: &str = "is -inf where the argument of `log` underflows";
const DETERMINANT: &str = "overflows or underflows where the determinant does";
const INVERSE: &str = "computes an inverse, which costs time and digits";

/// Warnings about one body. With `strict` its bits are to stay as they are written; with `ruled` its derivative is another
/// formula, written by hand.
pub fn lints(ctx: &Ctx, body: &Body, (strict, ruled): (bool, bool)) -> Vec<Diagnostic> {
    let mut values = FxHashMap::default();
    for (e, _) in &body.values {
        visit::expr(e, &mut |n| {
            if let Node::Stmt(Stmt::Bind(Pat::Local(id), value)) = n {
                values.insert(*id, value);
            }
        });
    }
    let f = Formulas { ctx, body, values };
    let mut found = Vec::new();
    let mut done: Vec<Span> = Vec::new();
    for (e, _) in &body.values {
        visit::expr(e, &mut |n| {
            // Inside a formula that is reported nothing more is: `log(1 + exp(x))`.
            if let Node::Expr(e) = n
                && !done.iter().any(|d| super::within(e.span, *d))
                && let Some(better) = f.better(e)
                && !(ruled && better.only_derivative())
            {
                done.push(e.span);
                found.push(f.warning(e.span, better, strict));
            }
        });
    }
    found
}

/// A better form.
struct Better {
    text: String,
    why: &'static str,
    certainty: Certainty,
}

impl Better {
    /// Whether the values of the formula it replaces are right, extremely large ones aside.
    fn only_derivative(&self) -> bool {
        self.why == LENGTH || self.text.starts_with("sigmoid(")
    }
}

struct Formulas<'c, 'a> {
    ctx: &'c Ctx<'a>,
    body: &'c Body<'a>,
    /// What variables are bound to.
    values: FxHashMap<LocalId, &'c Expr<'a>>,
}

impl<'a> Formulas<'_, 'a> {
    fn warning(&self, span: Span, better: Better, strict: bool) -> Diagnostic {
        let own = bare(self.ctx, span);
        let what = self.ctx.quote(own, "this formula");
        let what = if what == "this formula" { what } else { format!("`{what}`") };
        let shown = if better.text.len() > 60 || better.text.contains('\n') {
            format!("{}…)", better.text.split_inclusive('(').next().unwrap_or_default())
        } else {
            better.text.clone()
        };
        let certainty = if strict { Certainty::Likely } else { better.certainty };
        Diagnostic::warning(Code::UnstableFormula, format!("{what} {}", better.why))
            .label(own, format!("write `{shown}`"))
            .replace(own, better.text, certainty)
    }

    /// The better form of an expression, if there is one and its names mean the built-in functions.
    fn better(&self, e: &Expr<'a>) -> Option<Better> {
        let (text, why, certain) = self.form(e)?;
        let taken = |name: &str| {
            self.ctx.items.find(name).is_some() || self.body.locals.iter().any(|l| l.name == name)
        };
        let own = self.ctx.text(e.span);
        const USED: [&str; 20] = [
            "log1p",
            "expm1",
            "sigmoid",
            "softplus",
            "log_sigmoid",
            "logaddexp",
            "logsumexp",
            "softmax",
            "hypot",
            "norm",
            "abs",
            "sin",
            "erfc",
            "erf",
            "logdet",
            "solve",
            "sinh",
            "tanh",
            "sqrt",
            "log",
        ];
        let new = |name: &str| text.contains(&format!("{name}(")) && !own.contains(&format!("{name}("));
        let clash = USED.iter().any(|name| new(name) && taken(name));
        let certainty = if certain { Certainty::Certain } else { Certainty::Likely };
        (!clash && !text.contains("//") && !text.contains("/*")).then_some(Better { text, why, certainty })
    }

    /// The text of the better form, what is wrong with this one, and whether it is the same function.
    fn form(&self, e: &Expr<'a>) -> Option<(String, &'static str, bool)> {
        match &e.kind {
            ExprKind::Prim { op: Op::Log, args, .. } => self.log(&args[0]),
            ExprKind::Prim { op: Op::Sqrt, args, .. } => self.root(&args[0]),
            ExprKind::Power(args) if matches!(args.1.kind, ExprKind::Real(0.5)) => self.root(&args.0),
            ExprKind::Prim { op: Op::Sub, args, .. } if is(&args[1], 1.0) => self.minus_one(&args[0]),
            ExprKind::Prim { op: Op::Sub, args, .. } if is(&args[0], 1.0) => self.one_minus(&args[1]),
            ExprKind::Prim { op: Op::Div, args, .. } => self.quotient(&args[0], &args[1]),
            ExprKind::MatMul(args) => match &args.0.kind {
                ExprKind::ArrayFn(ArrayFn::Inv, a) => {
                    Some((format!("solve({}, {})", self.text(&a[0]), self.text(&args.1)), INVERSE, true))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn log(&self, x: &Expr<'a>) -> Option<(String, &'static str, bool)> {
        let real = self.is_real(x);
        let call = |f: &str, e: &Expr<'a>| format!("{f}({})", self.text(e));
        match &x.kind {
            ExprKind::ReduceAll(ReduceOp::Sum, of) if real && of.ty.shape().len() == 1 => {
                let u = exp(of).filter(|u| !self.is_shifted(u))?;
                Some((call("logsumexp", u), LARGE, true))
            }
            ExprKind::Reduce { op: ReduceOp::Sum, body, gens } if real && gens.len() == 1 && is_scalar(x) => {
                let u = exp(body).filter(|u| !self.is_shifted(u))?;
                Some((format!("logsumexp({}{}", self.text(u), self.behind(body, x)?), LARGE, true))
            }
            ExprKind::Prim { op: Op::Add, args, .. } => {
                let (a, b) = (&args[0], &args[1]);
                match (exp(a), exp(b)) {
                    (_, Some(u)) if real && is(a, 1.0) => Some((call("softplus", u), LARGE, true)),
                    (Some(u), _) if real && is(b, 1.0) => Some((call("softplus", u), LARGE, true)),
                    (Some(u), Some(v)) if real && !self.is_shifted(u) => {
                        Some((format!("logaddexp({}, {})", self.text(u), self.text(v)), LARGE, true))
                    }
                    _ => Some((format!("log1p({})", self.without_one(x)?), SMALL, true)),
                }
            }
            ExprKind::Prim { op: Op::Sub, .. } => {
                Some((format!("log1p({})", self.without_one(x)?), SMALL, true))
            }
            ExprKind::Prim { op: Op::Sigmoid, args, .. } if real => {
                Some((call("log_sigmoid", &args[0]), UNDERFLOW, true))
            }
            ExprKind::Prim { op: Op::Cosh, args, .. } if real => {
                let u = &args[0];
                let text = format!("(logaddexp({}, {}) - log(2))", self.text(u), self.negative(u));
                Some((text, LARGE, true))
            }
            ExprKind::ArrayFn(ArrayFn::Softmax, args) => {
                let text = format!("({} - logsumexp({}))", self.factor(&args[0]), self.text(&args[0]));
                Some((text, UNDERFLOW, true))
            }
            ExprKind::ArrayFn(ArrayFn::Det, args) => Some((call("logdet", &args[0]), DETERMINANT, false)),
            ExprKind::Prim { op: Op::Abs, args, .. } => match &args[0].kind {
                ExprKind::ArrayFn(ArrayFn::Det, args) => Some((call("logdet", &args[0]), DETERMINANT, true)),
                _ => None,
            },
            _ => None,
        }
    }

    fn root(&self, x: &Expr<'a>) -> Option<(String, &'static str, bool)> {
        let real = self.is_real(x);
        match &x.kind {
            ExprKind::Prim { op: Op::Add, args, .. } if real => {
                let (a, b) = (self.squared(&args[0])?, self.squared(&args[1])?);
                Some((format!("hypot({}, {})", self.text(a), self.text(b)), LENGTH, true))
            }
            ExprKind::Prim { op: Op::Abs2, args, .. } => {
                Some((format!("abs({})", self.text(&args[0])), LENGTH, true))
            }
            ExprKind::Reduce { op: ReduceOp::Sum, body, gens } if real && gens.len() == 1 && is_scalar(x) => {
                let of = self.squared(body)?;
                Some((format!("norm({}{}", self.text(of), self.behind(body, x)?), LENGTH, true))
            }
            ExprKind::ReduceAll(ReduceOp::Sum, of) if real => {
                Some((format!("norm({})", self.text(self.squared(of)?)), LENGTH, true))
            }
            ExprKind::MatMul(args) if real && self.same(&args.0, &args.1) && args.0.ty.shape().len() == 1 => {
                Some((format!("norm({})", self.text(&args.0)), LENGTH, true))
            }
            ExprKind::ArrayFn(ArrayFn::Dot, args) if real && self.same(&args[0], &args[1]) => {
                Some((format!("norm({})", self.text(&args[0])), LENGTH, true))
            }
            _ => None,
        }
    }

    /// `a - 1`
    fn minus_one(&self, a: &Expr<'a>) -> Option<(String, &'static str, bool)> {
        match &a.kind {
            ExprKind::Prim { op: Op::Exp, args, .. } if !is_literal(&args[0]) => {
                Some((format!("expm1({})", self.text(&args[0])), SMALL, true))
            }
            ExprKind::Prim { op: Op::Cos, args, .. } if !is_literal(&args[0]) => {
                Some((format!("-2*sin({}/2)^2", self.factor(&args[0])), SMALL, true))
            }
            _ => None,
        }
    }

    /// `1 - a`
    fn one_minus(&self, a: &Expr<'a>) -> Option<(String, &'static str, bool)> {
        let ExprKind::Prim { op, args, .. } = &a.kind else { return None };
        let u = args.first().filter(|u| !is_literal(u))?;
        let text = match op {
            Op::Exp => format!("-expm1({})", self.text(u)),
            Op::Cos => format!("2*sin({}/2)^2", self.factor(u)),
            Op::Sigmoid => format!("sigmoid({})", self.negative(u)),
            Op::Erf => format!("erfc({})", self.text(u)),
            Op::Erfc => format!("erf({})", self.text(u)),
            _ => return None,
        };
        Some((text, SMALL, true))
    }

    fn quotient(&self, n: &Expr<'a>, d: &Expr<'a>) -> Option<(String, &'static str, bool)> {
        if let ExprKind::ReduceAll(ReduceOp::Sum, of) = &d.kind {
            let (u, v) = (exp(n)?, exp(of)?);
            let fits = self.is_real(n) && n.ty.shape().len() == 1 && self.same(u, v) && !self.is_shifted(u);
            return fits.then(|| (format!("softmax({})", self.text(u)), LARGE, true));
        }
        if let ExprKind::Prim { op: Op::Sub, args, .. } = &n.kind {
            // (exp(x) - exp(-x)) over 2 or over their sum
            let (u, v) = (exp(&args[0])?, exp(&args[1])?);
            let opposite = self.negative(u) == self.text(v) || self.text(u) == self.negative(v);
            if !opposite {
                return None;
            }
            if is(d, 2.0) {
                return Some((format!("sinh({})", self.text(u)), SMALL, true));
            }
            let ExprKind::Prim { op: Op::Add, args: sum, .. } = &d.kind else { return None };
            let (a, b) = (exp(&sum[0])?, exp(&sum[1])?);
            let fits = self.same(a, u) && self.same(b, v) || self.same(a, v) && self.same(b, u);
            return fits.then(|| (format!("tanh({})", self.text(u)), LARGE, true));
        }
        let ExprKind::Prim { op: Op::Add, args, .. } = &d.kind else { return None };
        let u = match (exp(&args[0]), exp(&args[1])) {
            (_, Some(u)) if is(&args[0], 1.0) => u,
            (Some(u), _) if is(&args[1], 1.0) => u,
            _ => return None,
        };
        if is(n, 1.0) {
            return Some((format!("sigmoid({})", self.negative(u)), LARGE, true));
        }
        if exp(n).is_some_and(|v| self.same(u, v)) {
            return Some((format!("sigmoid({})", self.text(u)), LARGE, true));
        }
        Some((format!("{}*sigmoid({})", self.ctx.text(n.span), self.negative(u)), LARGE, true))
    }

    /// The text of `1 + a - b`, `a + 1` without the 1.
    fn without_one(&self, sum: &Expr<'a>) -> Option<String> {
        let ExprKind::Prim { op, args, .. } = &sum.kind else { return None };
        if *op == Op::Add && is(&args[1], 1.0) && !is_literal(&args[0]) {
            return Some(self.text(&args[0]));
        }
        let (mut first, mut rest_is_literal) = (&args[0], is_literal(&args[1]));
        while let ExprKind::Prim { op: Op::Add | Op::Sub, args, name: "" } = &first.kind
            && bare(self.ctx, first.span) == first.span
        {
            first = &args[0];
            rest_is_literal &= is_literal(&args[1]);
        }
        if !is(first, 1.0) || rest_is_literal {
            return None;
        }
        let whole = bare(self.ctx, sum.span);
        let rest = self.ctx.text(Span { start: first.span.end, ..whole }).trim_start();
        match rest.strip_prefix('-') {
            Some(rest) => Some(format!("-{}", rest.trim_start())),
            None => rest.strip_prefix('+').map(|rest| rest.trim_start().to_string()),
        }
    }

    /// What is squared.
    fn squared<'e>(&self, e: &'e Expr<'a>) -> Option<&'e Expr<'a>> {
        match &e.kind {
            ExprKind::PowerInt(x, 2) => Some(x.as_ref()),
            ExprKind::Prim { op: Op::Square, args, .. } => Some(&args[0]),
            ExprKind::Prim { op: Op::Mul, args, .. } if self.same(&args[0], &args[1]) => Some(&args[0]),
            ExprKind::Prim { op: Op::Abs2, args, .. } if self.is_real(&args[0]) => Some(&args[0]),
            _ => None,
        }
        .filter(|x| !is_literal(x))
    }

    /// Whether a maximum is subtracted: then `exp` does not overflow.
    fn is_shifted(&self, e: &Expr<'a>) -> bool {
        match &e.kind {
            ExprKind::Prim { op: Op::Sub, args, .. } => self.has_maximum(&args[1], 3),
            _ => false,
        }
    }

    fn has_maximum(&self, e: &Expr<'a>, depth: usize) -> bool {
        let mut any = false;
        visit::expr(e, &mut |n| {
            let Node::Expr(e) = n else { return };
            any |= match &e.kind {
                ExprKind::Prim { op: Op::Max, .. }
                | ExprKind::ReduceAll(ReduceOp::Max, _)
                | ExprKind::Reduce { op: ReduceOp::Max, .. }
                | ExprKind::Along(crate::sema::hir::Along::Reduce(ReduceOp::Max), ..) => true,
                ExprKind::Local(id) => {
                    depth > 0 && self.values.get(id).is_some_and(|v| self.has_maximum(v, depth - 1))
                }
                _ => false,
            };
        });
        any
    }

    fn is_real(&self, e: &Expr<'a>) -> bool {
        match e.ty.elem() {
            Ty::Num(n) => matches!(self.body.types.scalar(*n), Scalar::F64 | Scalar::F32),
            _ => false,
        }
    }

    fn same(&self, a: &Expr<'a>, b: &Expr<'a>) -> bool {
        key(self.ctx, a.span) == key(self.ctx, b.span)
    }

    /// As an argument.
    fn text(&self, e: &Expr<'a>) -> String {
        self.ctx.text(bare(self.ctx, e.span)).to_string()
    }

    /// In front of `/`.
    fn factor(&self, e: &Expr<'a>) -> String {
        match &e.kind {
            ExprKind::Prim { op: Op::Add | Op::Sub, name: "", .. } | ExprKind::If { .. } => {
                format!("({})", self.text(e))
            }
            _ => self.ctx.text(e.span).to_string(),
        }
    }

    /// The negative, as an argument.
    fn negative(&self, e: &Expr<'a>) -> String {
        fn starts_negative(e: &Expr) -> bool {
            match &e.kind {
                ExprKind::Prim { op: Op::Neg, name: "", .. } => true,
                ExprKind::Prim { op: Op::Mul | Op::Div, name: "", args } => starts_negative(&args[0]),
                _ => false,
            }
        }
        let text = self.text(e);
        match text.strip_prefix('-').filter(|_| starts_negative(e)) {
            Some(rest) => {
                let rest = rest.trim_start();
                let plain = matches!(&e.kind, ExprKind::Prim { op: Op::Neg, .. });
                let inside = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
                match inside.filter(|i| plain && !i.contains(['(', ')'])) {
                    Some(inside) => inside.to_string(),
                    None => rest.to_string(),
                }
            }
            None => format!("-{}", self.factor(e)),
        }
    }

    /// What stands behind the body of a reduction, up to its end: ` for i in 0..n)`.
    fn behind(&self, body: &Expr<'a>, reduction: &Expr<'a>) -> Option<String> {
        let end = bare(self.ctx, reduction.span).end;
        let text = self.ctx.text(Span { start: body.span.end, end, ..body.span });
        text.ends_with(')').then(|| text.to_string())
    }
}

fn is_scalar(e: &Expr) -> bool {
    e.ty.shape().is_empty()
}

/// The argument of an exponential.
fn exp<'e, 'a>(e: &'e Expr<'a>) -> Option<&'e Expr<'a>> {
    match &e.kind {
        ExprKind::Prim { op: Op::Exp, args, .. } => args.first(),
        _ => None,
    }
}

/// Whether it is this literal.
fn is(e: &Expr, x: f64) -> bool {
    match e.kind {
        ExprKind::Int(n) => n as f64 == x,
        ExprKind::Real(y) => y == x,
        _ => false,
    }
}

/// Whether it is made of literals alone: then it is a constant.
fn is_literal(e: &Expr) -> bool {
    let mut all = true;
    visit::expr(e, &mut |n| {
        all &= match n {
            Node::Expr(e) => matches!(
                &e.kind,
                ExprKind::Int(_)
                    | ExprKind::Real(_)
                    | ExprKind::Imag(_)
                    | ExprKind::Named(_)
                    | ExprKind::Prim { .. }
                    | ExprKind::PowerInt(..)
                    | ExprKind::Power(_)
            ),
            Node::Stmt(_) => false,
        };
    });
    all
}
