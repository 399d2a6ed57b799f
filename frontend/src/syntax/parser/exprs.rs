//! Operators: prefix, `^`, infix. Precedence is that of [`BinaryOp::precedence`]; `^` binds tighter than a
//! prefix operator on its left and takes one on its right.

use super::*;

/// What an `i64` cannot hold but its negative can.
const MIN_MAGNITUDE: &str = "9223372036854775808";

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Read<Expr> {
        self.binary(1)
    }

    /// An expression that decides: of `if`, `while`, `assert`.
    pub(super) fn condition(&mut self, whole: &str) -> Read<Expr> {
        let cond = self.expr()?;
        if !matches!(self.peek(), Tok::Assign | Tok::ColonEq) {
            return Ok(cond);
        }
        let d = Diagnostic::error(Code::NotInLanguage, format!("`=` in the condition of {whole}"))
            .label(self.span(), "this assigns, it does not compare")
            .help("compare with `==`");
        self.report(d);
        self.bump();
        let rhs = self.expr()?;
        Ok(Expr::error(cond.span.to(rhs.span)))
    }

    /// Operators that bind at least as tightly as `min`.
    fn binary(&mut self, min: u8) -> Read<Expr> {
        let mut lhs = self.unary()?;
        let mut compared = false;
        loop {
            let Some(op) = infix(self.peek()) else {
                match self.foreign_infix(min) {
                    Some(precedence) => {
                        let rhs = self.binary(precedence + 1)?;
                        lhs = Expr::error(lhs.span.to(rhs.span));
                        continue;
                    }
                    None => return Ok(lhs),
                }
            };
            if op.precedence() < min {
                return Ok(lhs);
            }
            let op_span = self.bump();
            let rhs = self.binary(op.precedence() + 1)?;
            let span = lhs.span.to(rhs.span);
            if compared && op.is_comparison() {
                self.chained(&lhs, op, op_span, &rhs);
            }
            compared = op.is_comparison();
            lhs =
                self.node(ExprKind::Binary { op, op_span, lhs: Box::new(lhs), rhs: Box::new(rhs) }, span)?;
        }
    }

    fn chained(&mut self, lhs: &Expr, op: BinaryOp, op_span: Span, rhs: &Expr) {
        let d = Diagnostic::error(Code::ChainedComparison, "comparisons do not chain")
            .label(
                lhs.span.to(rhs.span),
                format!("`{}` compares the result of another comparison", op.text()),
            )
            .also(op_span, "second comparison");
        let d = match &lhs.kind {
            ExprKind::Binary { rhs: middle, .. } => d.help(format!(
                "write `{} && {} {} {}`",
                shown(self.text_of(lhs.span)),
                shown(self.text_of(middle.span)),
                op.text(),
                shown(self.text_of(rhs.span))
            )),
            _ => d.help("join two comparisons with `&&`"),
        };
        self.report(d);
    }

    /// A prefix operator, or what binds tighter.
    fn unary(&mut self) -> Read<Expr> {
        let op = match self.peek() {
            _ if self.first_operand.is_some() => return self.power(),
            Tok::Minus if self.at_min_int() => {
                let start = self.bump();
                let span = start.to(self.bump());
                return self.node(ExprKind::Int(i64::MIN), span);
            }
            Tok::Minus => UnaryOp::Neg,
            Tok::Not => UnaryOp::Not,
            Tok::Plus => {
                let d = Diagnostic::error(Code::NotInLanguage, "`+` in front of an expression")
                    .label(self.span(), "there is no prefix `+`")
                    .help("leave it out");
                self.report(d);
                return self.nest(|p| {
                    p.bump();
                    p.unary()
                });
            }
            Tok::Name if self.at_foreign_not() => {
                let d = Diagnostic::error(Code::NotInLanguage, "`not` is not an operator")
                    .label(self.span(), "of another language")
                    .help("write `!`: `!(a < b)`");
                self.report(d);
                UnaryOp::Not
            }
            _ => return self.power(),
        };
        self.nest(|p| {
            let op_span = p.bump();
            let operand = Box::new(p.unary()?);
            let span = op_span.to(operand.span);
            p.node(ExprKind::Unary { op, op_span, operand }, span)
        })
    }

    /// `x^y`, right-associative.
    fn power(&mut self) -> Read<Expr> {
        let base = self.postfix()?;
        if !matches!(self.peek(), Tok::Caret | Tok::StarStar) {
            return Ok(base);
        }
        if self.at(Tok::StarStar) {
            let d = Diagnostic::error(Code::NotInLanguage, "`**` is not an operator")
                .label(self.span(), "a power in other languages")
                .help("write `^`: `x^2`");
            self.report(d);
        }
        let op_span = self.bump();
        let rhs = Box::new(self.nest(|p| p.unary())?);
        let span = base.span.to(rhs.span);
        self.node(ExprKind::Binary { op: BinaryOp::Pow, op_span, lhs: Box::new(base), rhs }, span)
    }

    /// Whether `-9223372036854775808` stands here, as an operand of nothing that binds tighter.
    fn at_min_int(&self) -> bool {
        self.peek_at(1) == Tok::Number(super::super::lexer::Number::Int)
            && self.text_of(self.span_at(1)).replace('_', "") == MIN_MAGNITUDE
            && !matches!(
                self.peek_at(2),
                Tok::Caret | Tok::StarStar | Tok::Quote | Tok::LBracket | Tok::LParen
            )
    }
}

/// The infix operator of a token; `^` is read by [`Parser::power`].
pub(super) fn infix(kind: Tok) -> Option<BinaryOp> {
    Some(match kind {
        Tok::Plus => BinaryOp::Add,
        Tok::Minus => BinaryOp::Sub,
        Tok::Star => BinaryOp::Mul,
        Tok::Slash => BinaryOp::Div,
        Tok::At => BinaryOp::MatMul,
        Tok::EqEq => BinaryOp::Eq,
        Tok::NotEq => BinaryOp::Ne,
        Tok::Lt => BinaryOp::Lt,
        Tok::Le => BinaryOp::Le,
        Tok::Gt => BinaryOp::Gt,
        Tok::Ge => BinaryOp::Ge,
        Tok::AndAnd => BinaryOp::And,
        Tok::OrOr => BinaryOp::Or,
        _ => return None,
    })
}
