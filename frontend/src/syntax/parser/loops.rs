//! `if`, `for`, `while`, ranges and generators.

use super::*;

impl Parser<'_> {
    /// `if c { … } else if d { … } else { … }`. Each further `else if` counts as one level of nesting, for
    /// so it is for all who read the tree.
    pub(super) fn if_chain(&mut self) -> Read<If> {
        let start = self.bump();
        let depth = self.depth;
        let chain = self.if_branches(start);
        self.depth = depth;
        chain
    }

    fn if_branches(&mut self, start: Span) -> Read<If> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let cond = self.condition("an `if`")?;
            branches.push((cond, self.branch("a branch of an `if`")?));
            if self.eat_else_if() {
                self.enter()?;
            } else if self.eat(Tok::Else) {
                if self.eat(Tok::If) {
                    self.enter()?;
                    continue;
                }
                otherwise = Some(self.branch("the `else` branch")?);
                break;
            } else {
                break;
            }
        }
        Ok(If { branches, otherwise, span: self.since(start) })
    }

    /// A block behind a condition or `else`.
    fn branch(&mut self, whole: &str) -> Read<Block> {
        if self.at(Tok::LBrace) {
            return self.block(whole);
        }
        Err(self.no_branch(whole))
    }

    fn no_branch(&mut self, whole: &str) -> Reported {
        let form = match whole {
            "the body of a `for` loop" => "for i in 0..n { … }",
            "the body of a `while` loop" => "while c { … }",
            _ => "if c { a } else { b }",
        };
        if self.at(Tok::Colon) || matches!(self.word(), "then" | "do") {
            let message = format!("`{}` starts no block", self.text_of(self.span()));
            let label = format!("{whole} is a block in braces");
            self.once.insert("braces");
            return self.say(Code::NotInLanguage, message, self.span(), label, format!("write `{form}`"));
        }
        let d = self.expected_error("`{`", whole);
        self.once.insert("braces");
        let d = if d.help.is_empty() { d.help(format!("blocks always have braces: `{form}`")) } else { d };
        self.report(d)
    }

    /// `for i in a..b step s { … }`
    pub(super) fn for_stmt(&mut self) -> Read<Box<StmtKind>> {
        let head = self.for_head()?;
        if head.is_none() {
            // The head of another language's loop has been reported: what is in the body can still be read.
            while !matches!(self.peek(), Tok::LBrace | Tok::RBrace | Tok::Eof) && !self.starts_stmt() {
                self.bump();
            }
        }
        if head.is_none() && !self.at(Tok::LBrace) {
            self.once.insert("braces");
            return Err(Reported);
        }
        let body = self.branch("the body of a `for` loop")?;
        Ok(Box::new(match head {
            Some((var, range)) => StmtKind::For { var, range: *range, body },
            None => StmtKind::Block(body),
        }))
    }

    /// A loop's variable and range; nothing if they are written as elsewhere.
    fn for_head(&mut self) -> Read<Option<(Name, Box<Range>)>> {
        let start = self.bump();
        let nested = "nest the loops: `for i in 0..n { for j in 0..m { … } }`";
        if self.at(Tok::LParen) {
            let span = start.to(self.span());
            let help =
                "write `for i in 0..n { … }`: one variable, no parentheses, and the range ends before `n`";
            self.say(
                Code::NotInLanguage,
                "a `for` with parentheses",
                span,
                "a loop from another language",
                help,
            );
            return Ok(None);
        }
        let var = self.name("a loop variable", "a `for` loop")?;
        if self.at(Tok::Comma) {
            let message = "a `for` with several variables";
            let words: Vec<&str> = (1..4).map(|n| self.word_at(n)).collect();
            let help = match words.iter().any(|w| matches!(*w, "enumerate" | "zip")) {
                true => "loop over the indices: `for i in 0..n { … }`, with `x[i]` inside",
                false => nested,
            };
            self.say(Code::NotInLanguage, message, self.span(), "a loop has one variable", help);
            return Ok(None);
        }
        if self.at(Tok::Assign) {
            let help = format!(
                "write `for {} in 0..n {{ … }}`: indices start at 0, and the range ends before `n`",
                var.text
            );
            self.say(Code::NotInLanguage, "`=` in a `for`", self.span(), "`in` belongs here", help);
            return Ok(None);
        }
        self.expect(Tok::In, "`in`", "a `for` loop")?;
        let range = Box::new(self.range("a `for` loop")?);
        if self.at(Tok::Comma) {
            let message = "a `for` with several ranges";
            self.say(Code::NotInLanguage, message, self.span(), "a loop has one variable", nested);
            return Ok(None);
        }
        Ok(Some((var, range)))
    }

    /// `while c { … }`
    pub(super) fn while_stmt(&mut self) -> Read<Box<StmtKind>> {
        self.bump();
        let cond = self.condition("a `while`")?;
        let body = self.branch("the body of a `while` loop")?;
        Ok(Box::new(StmtKind::While { cond, body }))
    }

    /// `lo..hi step s`
    fn range(&mut self, whole: &str) -> Read<Range> {
        let lo = self.expr()?;
        let start = lo.span;
        if !self.at(Tok::DotDot) {
            return self.other_range(lo, whole);
        }
        self.bump();
        if matches!(self.peek(), Tok::RParen | Tok::RBracket | Tok::LBrace | Tok::Comma) {
            return Err(self.expected("the end of the range", whole));
        }
        let hi = self.expr()?;
        let step = if self.eat_word("step") { Some(self.expr()?) } else { None };
        Ok(Range { span: self.since(start), lo, hi, step })
    }

    /// What is written like a range elsewhere; `lo` has been read.
    fn other_range(&mut self, lo: Expr, whole: &str) -> Read<Range> {
        let Some(d) = self.no_range(&lo) else {
            return Err(self.expected("`..`", &format!("the range of {whole}")));
        };
        self.report(d);
        let mut span = lo.span;
        let colon = self.at(Tok::Colon) && !self.token_at(1).first_on_line;
        if colon || self.at(Tok::DotDotEq) {
            self.bump();
            span = span.to(self.expr()?.span);
        }
        Ok(Range { span, lo: Expr::error(lo.span), hi: Expr::error(span), step: None })
    }

    /// What stands in place of a range.
    fn no_range(&mut self, lo: &Expr) -> Option<Diagnostic> {
        let d = |message: &str| Diagnostic::error(Code::NotInLanguage, message);
        let text = |e: &Expr| shown(self.text_of(e.span));
        match self.peek() {
            Tok::DotDotEq => Some(
                d("a range with its end included")
                    .label(self.span(), "ranges are half-open")
                    .help("write `a..b + 1`"),
            ),
            Tok::Colon if !matches!(self.peek_at(1), Tok::LBrace) && !self.token_at(1).first_on_line => Some(
                d("`:` in a range")
                    .label(self.span(), "a range has `..`")
                    .help("write `0..n`: indices start at 0, and the range ends before `n`"),
            ),
            Tok::LBrace | Tok::RParen | Tok::RBracket | Tok::Comma | Tok::Colon => {
                let d =
                    d("a loop over something that is not a range").label(lo.span, "loops run over `a..b`");
                Some(match &lo.kind {
                    ExprKind::Call { callee, args, .. } if text(callee) == "range" => {
                        d.help(match &args[..] {
                            [n] => format!("write `0..{}`", text(n)),
                            [a, b] => format!("write `{}..{}`", text(a), text(b)),
                            [a, b, s] => format!("write `{}..{} step {}`", text(a), text(b), text(s)),
                            _ => "write `0..n`".to_string(),
                        })
                    }
                    ExprKind::Name(x) => d.help(format!("write `for i in 0..n` and use `{}[i]`", x.text)),
                    _ => d.help("write `for i in 0..n` and use `x[i]`"),
                })
            }
            _ => None,
        }
    }

    /// `for i in a..b, j` up to the bracket that closes `open`, which is left.
    pub(super) fn generators(&mut self, open: Open, whole: &str) -> Read<Vec<Generator>> {
        self.bump();
        let mut generators = Vec::new();
        loop {
            let start = self.span();
            if self.at(Tok::LParen) {
                return Err(self.say(
                    Code::NotInLanguage,
                    "a generator with parentheses",
                    start,
                    "each variable has a range of its own",
                    "write `e for i in 0..n, j in 0..m`",
                ));
            }
            let var = self.name("a loop variable", whole)?;
            let range = if self.eat(Tok::In) { Some(self.range(whole)?) } else { None };
            generators.push(Generator { var, range, span: self.since(start) });
            if self.eat(Tok::Comma) && !self.at(open.close) {
                continue;
            }
            if self.at(open.close) {
                return Ok(generators);
            }
            return Err(self.generator_end(open, whole));
        }
    }

    /// Why a generator does not end where it should.
    fn generator_end(&mut self, open: Open, whole: &str) -> Reported {
        let d = match self.peek() {
            Tok::If => Diagnostic::error(Code::NotInLanguage, "a condition in a generator")
                .label(self.span(), "generators filter nothing")
                .help("choose inside: `sum(if c { e } else { 0 } for i in 0..n)`"),
            Tok::For => Diagnostic::error(Code::NotInLanguage, "a second `for` in a generator")
                .label(self.span(), "one `for` has all variables")
                .help("write `e for i in 0..n, j in 0..m`"),
            _ => return self.unclosed(open, &format!("`in`, `,` or `{}`", tok_text(open.close)), whole),
        };
        self.report(d)
    }
}
