//! Expressions that start with their own token: literals, names, brackets, blocks.

use super::super::lexer::Number;
use super::*;
use crate::words;

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
            Tok::LParen | Tok::LBracket => self.bracketed_atom(),
            Tok::LBrace => self.block_atom(),
            Tok::If => self.if_atom(),
            Tok::Minus => {
                // The one negative number that is a literal: its magnitude is none.
                self.bump();
                let span = span.to(self.bump());
                self.node(ExprKind::Int(i64::MIN), span)
            }
            _ => {
                let d = self.no_atom();
                Err(self.report(d))
            }
        }
    }

    fn bracketed_atom(&mut self) -> Read<Expr> {
        self.enter()?;
        let e = if self.at(Tok::LParen) { self.parens() } else { self.array() };
        self.depth -= 1;
        e
    }

    fn block_atom(&mut self) -> Read<Expr> {
        let block = Box::new(self.block("a block")?);
        let span = block.span;
        self.node(ExprKind::Block(block), span)
    }

    fn if_atom(&mut self) -> Read<Expr> {
        let chain = Box::new(self.if_chain()?);
        let span = chain.span;
        self.node(ExprKind::If(chain), span)
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
                        format!("`{}` does not fit in 64 bits", shown(&text)),
                    )
                    .label(span, "an integer")
                    .help(format!("the largest integer is {}; a real number has a decimal point", i64::MAX));
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
            self.enter()?;
            let e = self.derivative(op);
            self.depth -= 1;
            return e;
        }
        if self.word() == "_" {
            return Ok(self.no_hole());
        }
        if self.word() == "lambda" && self.peek_at(1) == Tok::Name {
            let d = self.no_closures();
            return Err(self.report(d));
        }
        if self.peek_at(1) == Tok::LParen
            && matches!(self.peek_at(2), Tok::Str(_))
            && let Some(instead) = words::function(self.word())
        {
            // Its string would be the error.
            let word = self.word();
            let help = match instead {
                words::Instead::Name(ours) => format!("write `{ours}(…)`"),
                words::Instead::Write(help) => help.to_string(),
            };
            return Err(self.say(
                Code::UnknownName,
                format!("no function or op called `{word}`"),
                span,
                "not part of the language",
                help,
            ));
        }
        let name = self.any_name();
        self.node(ExprKind::Name(name), span)
    }

    /// `_` where a value belongs.
    fn no_hole(&mut self) -> Expr {
        self.say(
            Code::Misplaced,
            "`_` is not a value",
            self.span(),
            "here a value is needed",
            "`_` leaves out an argument, `f(_, p)`, or a name, `let (a, _) = e;`",
        );
        Expr::error(self.bump())
    }

    /// A pair of brackets with nothing or too little inside, `open` to the last token.
    fn too_few(&mut self, open: Open, message: &str, label: &str, help: &str) -> Expr {
        let span = self.since(open.span);
        self.say(Code::EmptyList, message, span, label, help);
        Expr::error(span)
    }

    /// `(e)` or `(a, b)`.
    fn parens(&mut self) -> Read<Expr> {
        let open = self.open(Tok::RParen);
        if self.eat(Tok::RParen) {
            let help = "there is no empty tuple; a tuple has at least two parts";
            return Ok(self.too_few(open, "a tuple without parts", "nothing inside", help));
        }
        let mut first = self.expr()?;
        if self.at(Tok::RParen) {
            first.span = open.span.to(self.bump());
            return Ok(first);
        }
        if self.at(Tok::For) {
            return Err(self.bare_generator(open));
        }
        if !self.eat(Tok::Comma) {
            return Err(self.unclosed(open, "an operator, `,` or `)`", "the parenthesis"));
        }
        self.tuple(open, first)
    }

    /// The rest of a tuple, behind its first comma.
    fn tuple(&mut self, open: Open, first: Expr) -> Read<Expr> {
        let mut parts = vec![first];
        let (rest, close) = self.list(open, "the tuple", Self::expr)?;
        parts.extend(rest);
        let span = open.span.to(close);
        if parts.len() == 1 {
            let help = "leave out the comma: one part is a plain value";
            return Ok(self.too_few(open, "a tuple of one part", "one part", help));
        }
        self.node(ExprKind::Tuple(parts), span)
    }

    fn bare_generator(&mut self, open: Open) -> Reported {
        self.say(
            Code::Misplaced,
            "a generator in parentheses",
            open.span.to(self.span()),
            "makes no value",
            "an array is `[e for i in 0..n]`, a sum is `sum(e for i in 0..n)`",
        )
    }

    /// `[a, b]` or `[e for i in a..b]`.
    fn array(&mut self) -> Read<Expr> {
        let open = self.open(Tok::RBracket);
        if self.eat(Tok::RBracket) {
            let message = "an array literal without elements";
            return Ok(self.too_few(open, message, "no element gives it a type", "write `zeros(0)`"));
        }
        let first = self.expr()?;
        if self.at(Tok::For) { self.comprehension(open, first) } else { self.elements(open, first) }
    }

    fn comprehension(&mut self, open: Open, body: Expr) -> Read<Expr> {
        let generators = self.generators(open, "the comprehension")?;
        let span = open.span.to(self.bump());
        self.node(ExprKind::Comprehension { body: Box::new(body), generators }, span)
    }

    /// The rest of an array literal, behind its first element.
    fn elements(&mut self, open: Open, first: Expr) -> Read<Expr> {
        if let Some(at) = self.row_ahead() {
            let d = Diagnostic::error(Code::NotInLanguage, "`;` in an array literal")
                .label(at, "separates rows or gives a length in other languages")
                .also(open.span, "opened here")
                .help("rows are nested, `[[1.0, 2.0], [3.0, 4.0]]`; one value repeated is `fill(v, n)`");
            return Err(self.report(d));
        }
        let mut elements = vec![first];
        if !self.at(Tok::RBracket) {
            if !self.eat(Tok::Comma) {
                if matches!(self.peek(), Tok::Name | Tok::Number(_)) && !self.first_on_line() {
                    return Err(self.say(
                        Code::Expected,
                        format!("expected `,`, found {}", self.found()),
                        self.span(),
                        "blanks separate nothing",
                        "elements are separated by commas: `[1.0, 2.0]`, rows are nested: `[[1.0, 2.0], [3.0, 4.0]]`",
                    ));
                }
                return Err(self.unclosed(open, "an operator, `,`, `for` or `]`", "the array"));
            }
            elements.extend(self.list(open, "the array", Self::expr)?.0);
            let span = self.since(open.span);
            return self.node(ExprKind::Array(elements), span);
        }
        let span = open.span.to(self.bump());
        self.node(ExprKind::Array(elements), span)
    }

    /// The `;` of this array literal, if one is ahead without brackets between.
    fn row_ahead(&self) -> Option<Span> {
        let flat = |t: &Token| {
            let closes =
                matches!(t.kind, Tok::RBracket | Tok::LBracket | Tok::LBrace | Tok::RBrace | Tok::Eof);
            !closes && (!t.first_on_line || t.kind == Tok::Semi)
        };
        let n = (0..64).take_while(|&n| flat(&self.token_at(n))).count();
        let at = (0..n).find(|&k| self.peek_at(k) == Tok::Semi)?;
        (at == 0 || self.peek_at(n) == Tok::RBracket).then(|| self.span_at(at))
    }

    /// Why no expression starts here.
    fn no_atom(&mut self) -> Diagnostic {
        let span = self.span();
        let not = |message: &str, label: &str, help: &str| {
            Diagnostic::error(Code::NotInLanguage, message).label(span, label).help(help)
        };
        match self.peek() {
            Tok::Str(_) if matches!(self.peek_at(1), Tok::Str(_)) => {
                not("a string is not a value", "a string", "comments start with `//`, the documentation of a function in front of it with `///`")
            }
            Tok::At => not("`@` starts no expression", "nothing stands left of it", "a function is given by its name, `f`; there are no macros and no closures: declare `fn g(t: f64) -> f64 { … }`"),
            Tok::Tilde => not("`~` is not an operator", "not part of the language", "write `!`"),
            Tok::DotDotEq => not("`...` starts no expression", "not part of the language", "an expression goes on in the next line by itself; all entries of an axis are `x[:, j]`"),
            Tok::Lt if self.prev_span().end == span.start => not("`<<` is not an operator", "not part of the language", "integers have no bit operations: write `n*2`, `div(n, 2)`"),
            Tok::Gt if self.prev_span().end == span.start => not("`>>` is not an operator", "not part of the language", "integers have no bit operations: write `n*2`, `div(n, 2)`"),
            Tok::Str(_) => Diagnostic::error(Code::Misplaced, "a string is not a value")
                .label(span, "a string")
                .help("strings belong in `assert c, \"text\";`, `use \"file.dsl\";` and `x = load(\"x.npy\");` of a `check` block"),
            Tok::Quote => not("`'` starts no expression", "strings are not written with `'`", "strings are written with `\"`; the transpose `A'` has its `'` behind"),
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
            Tok::Semi | Tok::RBrace if self.text[..self.prev_span().end as usize].ends_with("--") => {
                self.no_increment("-")
            }
            Tok::Colon | Tok::ColonColon => not("`:` starts no expression", "a slice of nothing", "slices belong inside an index: `x[:, j]`"),
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
