//! Expressions that start with their own token: literals, names, brackets, blocks.

use super::super::lexer::Number;
use super::*;

impl Parser<'_> {
    /// A literal, name, or something in brackets.
    pub(super) fn atom(&mut self) -> Read<Expr> {
        if let Some(e) = self.first_operand.take() {
            return Ok(e);
        }
        let span = self.span();
        match self.peek() {
            Tok::Number(form) => self.number(form),
            Tok::True | Tok::False => {
                let value = self.at(Tok::True);
                self.bump();
                self.node(ExprKind::Bool(value), span)
            }
            Tok::Name => self.name_atom(),
            Tok::LParen => self.nest(Self::parens),
            Tok::LBracket => self.nest(Self::array),
            Tok::LBrace => {
                let block = self.block("a block")?;
                let span = block.span;
                self.node(ExprKind::Block(Box::new(block)), span)
            }
            Tok::If => {
                let i = self.if_chain()?;
                let span = i.span;
                self.node(ExprKind::If(Box::new(i)), span)
            }
            _ => {
                let d = self.no_atom();
                Err(self.report(d))
            }
        }
    }

    fn number(&mut self, form: Number) -> Read<Expr> {
        let span = self.bump();
        let text = self.text_of(span).replace('_', "");
        let kind = match form {
            Number::Bad => ExprKind::Error,
            Number::Int => match text.parse() {
                Ok(n) => ExprKind::Int(n),
                Err(_) => {
                    let d = Diagnostic::error(
                        Code::BadNumber,
                        format!("`{}` does not fit 64 bits", shown(&text)),
                    )
                    .label(span, "an integer")
                    .help(format!("the largest integer is {}; a real is written with a point", i64::MAX));
                    self.errors.push(d);
                    ExprKind::Error
                }
            },
            Number::Real | Number::Imag => match text.trim_end_matches('i').parse::<f64>() {
                Ok(x) if x.is_finite() && form == Number::Real => ExprKind::Real(x),
                Ok(x) if x.is_finite() => ExprKind::Imag(x),
                _ => {
                    let d = Diagnostic::error(Code::BadNumber, format!("`{}` is too large", shown(&text)))
                        .label(span, "no `f64` is as large")
                        .help("infinity is written `INF`");
                    self.errors.push(d);
                    ExprKind::Error
                }
            },
        };
        self.node(kind, span)
    }

    fn name_atom(&mut self) -> Read<Expr> {
        let span = self.span();
        if let Some(op) = DerivOp::from_text(self.word()) {
            return self.nest(|p| p.derivative(op));
        }
        if self.word() == "_" {
            let d = Diagnostic::error(Code::Misplaced, "`_` is no value")
                .label(span, "here a value is needed")
                .help("`_` leaves out an argument, `f(_, p)`, or a name, `let (a, _) = e;`");
            self.report(d);
            self.bump();
            return Ok(Expr::error(span));
        }
        if self.word() == "lambda" && matches!(self.peek_at(1), Tok::Name | Tok::Colon) {
            let d = self.no_closures();
            return Err(self.report(d));
        }
        let name = self.any_name();
        self.node(ExprKind::Name(name), span)
    }

    /// `(e)` or `(a, b)`.
    fn parens(&mut self) -> Read<Expr> {
        let open = self.open(Tok::RParen);
        if self.at(Tok::RParen) {
            let span = open.span.to(self.bump());
            let d = Diagnostic::error(Code::EmptyList, "a tuple without parts")
                .label(span, "nothing inside")
                .help("every value is something; a tuple has at least two parts");
            self.report(d);
            return Ok(Expr::error(span));
        }
        let mut first = self.expr()?;
        if self.at(Tok::RParen) {
            first.span = open.span.to(self.bump());
            return Ok(first);
        }
        if self.at(Tok::For) {
            return Err(self.bare_generator(open));
        }
        if !self.at(Tok::Comma) {
            return Err(self.unclosed(open, "an operator, `,` or `)`", "the parenthesis"));
        }
        self.bump();
        let mut parts = vec![first];
        let (rest, close) = self.list(open, "the tuple", Self::expr)?;
        parts.extend(rest);
        let span = open.span.to(close);
        if parts.len() == 1 {
            let d = Diagnostic::error(Code::EmptyList, "a tuple of one part")
                .label(span, "one part")
                .help("leave out the comma: one part is a plain value");
            self.report(d);
            return Ok(Expr::error(span));
        }
        self.node(ExprKind::Tuple(parts), span)
    }

    fn bare_generator(&mut self, open: Open) -> Reported {
        let d = Diagnostic::error(Code::Misplaced, "a generator in parentheses")
            .label(open.span.to(self.span()), "makes no value")
            .help("an array is `[e for i in 0..n]`, a sum is `sum(e for i in 0..n)`");
        self.report(d)
    }

    /// `[a, b]` or `[e for i in a..b]`.
    fn array(&mut self) -> Read<Expr> {
        let open = self.open(Tok::RBracket);
        if self.at(Tok::RBracket) {
            let span = open.span.to(self.bump());
            let d = Diagnostic::error(Code::EmptyList, "an array literal without elements")
                .label(span, "no element gives it a type")
                .help("write `zeros(0)`");
            self.report(d);
            return Ok(Expr::error(span));
        }
        let first = self.expr()?;
        if self.at(Tok::For) {
            let generators = self.generators(open, "the comprehension")?;
            let span = open.span.to(self.bump());
            return self.node(ExprKind::Comprehension { body: Box::new(first), generators }, span);
        }
        if self.at(Tok::Semi) {
            let d = Diagnostic::error(Code::NotInLanguage, "`;` in an array literal")
                .label(self.span(), "separates rows or gives a length in other languages")
                .also(open.span, "opened here")
                .help("rows are nested, `[[1.0, 2.0], [3.0, 4.0]]`; one value repeated is `fill(v, n)`");
            return Err(self.report(d));
        }
        let mut elements = vec![first];
        if !self.at(Tok::RBracket) {
            if !self.eat(Tok::Comma) {
                return Err(self.unclosed(open, "an operator, `,`, `for` or `]`", "the array"));
            }
            elements.extend(self.list(open, "the array", Self::expr)?.0);
            let span = self.since(open.span);
            return self.node(ExprKind::Array(elements), span);
        }
        let span = open.span.to(self.bump());
        self.node(ExprKind::Array(elements), span)
    }

    /// Why no expression starts here.
    fn no_atom(&mut self) -> Diagnostic {
        let span = self.span();
        let not = |message: &str, label: &str, help: &str| {
            Diagnostic::error(Code::NotInLanguage, message).label(span, label).help(help)
        };
        match self.peek() {
            Tok::Str(_) => Diagnostic::error(Code::Misplaced, "a string is no value")
                .label(span, "a string")
                .help("strings stand in `assert c, \"text\";`, `use \"file.dsl\";` and `x = load(\"x.npy\");` of a `check` block"),
            Tok::Quote => not("`'` starts no expression", "strings are not written so", "strings are written with `\"`; the transpose `A'` has its `'` behind"),
            Tok::Pipe | Tok::OrOr | Tok::Fn => self.no_closures(),
            Tok::Amp => not("there are no references", "a reference", "leave out the `&`: arrays are values, and copied only where it matters"),
            Tok::Star | Tok::StarStar => not("there are no pointers", "nothing stands left of it", "a product needs two factors"),
            Tok::Dot => not("a real starts with a digit", "starts with a point", "write `0.5`"),
            Tok::Let | Tok::Var => Diagnostic::error(Code::Misplaced, "a declaration inside an expression")
                .label(span, "a statement")
                .help("put it before the expression, or write a block: `{ let a = …; a + 1 }`"),
            Tok::For | Tok::While => Diagnostic::error(Code::Misplaced, "a loop inside an expression")
                .label(span, "has no value")
                .help("an array is `[e for i in 0..n]`, a sum is `sum(e for i in 0..n)`"),
            Tok::Colon | Tok::ColonColon => not("`:` starts no expression", "a slice of nothing", "slices stand inside an index: `x[:, j]`"),
            _ => Diagnostic::error(Code::Expected, format!("expected an expression, found {}", self.found()))
                .label(span, "no expression starts with this")
                .help("write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`"),
        }
    }

    fn no_closures(&self) -> Diagnostic {
        Diagnostic::error(Code::NotInLanguage, "there are no closures")
            .label(self.span(), "a function without a name")
            .help("declare it with `fn` and give its name; known arguments are given by partial application, `f(_, p)`")
    }
}
