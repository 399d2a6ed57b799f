//! Operators: prefix, `^`, infix. Precedence is that of [`BinaryOp::precedence`]; a prefix operator stands between
//! `^` and `*`, so that `-x^2` is `-(x^2)` and `x^-2` needs no parentheses.
//!
//! Operators wait on a stack of their own until their right operand is complete, so the depth of the call stack
//! depends on brackets alone.

use super::*;

/// How tightly a prefix operator binds.
const PREFIX: u8 = 6;

/// What an `i64` cannot hold but its negative can.
const MIN_MAGNITUDE: &str = "9223372036854775808";

/// An operator that waits for its right operand.
enum Waiting {
    Prefix(UnaryOp, Span),
    Infix {
        op: BinaryOp,
        op_span: Span,
        lhs: Expr,
        chained: bool,
    },
    /// An operator from another language, of this precedence; it has been reported.
    Foreign(u8, Span),
}

impl Waiting {
    fn precedence(&self) -> u8 {
        match self {
            Waiting::Prefix(..) => PREFIX,
            Waiting::Infix { op, .. } => op.precedence(),
            Waiting::Foreign(precedence, _) => *precedence,
        }
    }

    fn is_comparison(&self) -> bool {
        matches!(self, Waiting::Infix { op, .. } if op.is_comparison())
    }
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Read<Expr> {
        let mut waiting = Vec::new();
        loop {
            while let Some(prefix) = self.prefix()? {
                waiting.push(prefix);
            }
            let operand = self.postfix()?;
            match self.operator(&mut waiting, operand)? {
                Some(whole) => return Ok(whole),
                None => continue,
            }
        }
    }

    /// Takes the operator behind `operand`; without one, that is the whole expression.
    fn operator(&mut self, waiting: &mut Vec<Waiting>, operand: Expr) -> Read<Option<Expr>> {
        let op = self.infix();
        let foreign = if op.is_none() { self.foreign_infix() } else { None };
        let precedence = op.map(BinaryOp::precedence).or(foreign).unwrap_or(0);
        let mut lhs = operand;
        let mut compared = false;
        while let Some(before) = waiting.pop_if(|w| {
            w.precedence() > precedence || (w.precedence() == precedence && op != Some(BinaryOp::Pow))
        }) {
            compared = before.is_comparison();
            lhs = self.apply(before, lhs)?;
        }
        match (op, foreign) {
            (Some(op), _) => {
                let op_span = self.bump();
                waiting.push(Waiting::Infix { op, op_span, lhs, chained: compared && op.is_comparison() });
            }
            (None, Some(precedence)) => {
                self.bump();
                waiting.push(Waiting::Foreign(precedence, lhs.span));
            }
            (None, None) => return Ok(Some(lhs)),
        }
        Ok(None)
    }

    /// The node of an operator whose right operand is complete.
    fn apply(&mut self, waiting: Waiting, rhs: Expr) -> Read<Expr> {
        match waiting {
            Waiting::Prefix(op, op_span) => {
                let span = op_span.to(rhs.span);
                self.node(ExprKind::Unary { op, op_span, operand: Box::new(rhs) }, span)
            }
            Waiting::Infix { op, op_span, lhs, chained } => {
                if chained {
                    self.chained(&lhs, op, op_span, &rhs);
                }
                let span = lhs.span.to(rhs.span);
                self.node(ExprKind::Binary { op, op_span, lhs: Box::new(lhs), rhs: Box::new(rhs) }, span)
            }
            Waiting::Foreign(_, start) => Ok(Expr::error(start.to(rhs.span))),
        }
    }

    /// Takes a prefix operator.
    fn prefix(&mut self) -> Read<Option<Waiting>> {
        if self.first_operand.is_some() {
            return Ok(None);
        }
        let op = match self.peek() {
            Tok::Minus if !self.at_min_int() => UnaryOp::Neg,
            Tok::Not => UnaryOp::Not,
            Tok::Plus => return self.prefix_plus(),
            Tok::Name if self.at_foreign_not() => {
                self.say(
                    Code::NotInLanguage,
                    "`not` is not an operator",
                    self.span(),
                    "from another language",
                    "write `!`: `!(a < b)`",
                );
                UnaryOp::Not
            }
            _ => return Ok(None),
        };
        Ok(Some(Waiting::Prefix(op, self.bump())))
    }

    fn prefix_plus(&mut self) -> Read<Option<Waiting>> {
        let ends = matches!(self.peek_at(1), Tok::Semi | Tok::RBrace) || self.token_at(1).first_on_line;
        if self.prev_span().end == self.span().start && ends {
            let d = self.no_increment("+");
            return Err(self.report(d));
        }
        self.say(
            Code::NotInLanguage,
            "`+` in front of an expression",
            self.span(),
            "there is no prefix `+`",
            "leave it out",
        );
        Ok(Some(Waiting::Foreign(PREFIX, self.bump())))
    }

    /// The infix operator that is next.
    fn infix(&mut self) -> Option<BinaryOp> {
        if self.at(Tok::StarStar) {
            self.say(
                Code::NotInLanguage,
                "`**` is not an operator",
                self.span(),
                "a power in other languages",
                "write `^`: `x^2`",
            );
        }
        infix(self.peek())
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

    /// An expression that decides: of `if`, `while`, `assert`.
    pub(super) fn condition(&mut self, whole: &str) -> Read<Expr> {
        self.enter()?;
        let cond = self.expr();
        self.depth -= 1;
        if cond.is_ok() && matches!(self.peek(), Tok::Assign | Tok::ColonEq) {
            return self.assigning_condition(cond?.span, whole);
        }
        cond
    }

    fn assigning_condition(&mut self, start: Span, whole: &str) -> Read<Expr> {
        self.say(
            Code::NotInLanguage,
            format!("`=` in the condition of {whole}"),
            self.span(),
            "this assigns, it does not compare",
            "compare with `==`",
        );
        self.bump();
        let rhs = self.nest(Self::expr)?;
        Ok(Expr::error(start.to(rhs.span)))
    }

    /// `x++`, `x--`
    pub(super) fn no_increment(&self, sign: &str) -> Diagnostic {
        Diagnostic::error(Code::NotInLanguage, format!("`{sign}{sign}` is not an operator"))
            .label(self.span(), "not part of the language")
            .help(format!("write `x {sign}= 1;`"))
    }

    /// Whether `-9223372036854775808` stands here, as an operand of nothing that binds tighter.
    pub(super) fn at_min_int(&self) -> bool {
        self.peek_at(1) == Tok::Number(super::super::lexer::Number::Int)
            && self.text_of(self.span_at(1)).replace('_', "") == MIN_MAGNITUDE
            && !matches!(
                self.peek_at(2),
                Tok::Caret | Tok::StarStar | Tok::Quote | Tok::LBracket | Tok::LParen
            )
    }
}

/// The infix operator of a token.
pub(super) fn infix(kind: Tok) -> Option<BinaryOp> {
    Some(match kind {
        Tok::Plus => BinaryOp::Add,
        Tok::Minus => BinaryOp::Sub,
        Tok::Star => BinaryOp::Mul,
        Tok::Slash => BinaryOp::Div,
        Tok::At => BinaryOp::MatMul,
        Tok::Caret | Tok::StarStar => BinaryOp::Pow,
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
