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
                self.deeper()?;
            } else if self.eat(Tok::Else) {
                if self.eat(Tok::If) {
                    self.deeper()?;
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

    /// One more level that is left with the whole chain.
    fn deeper(&mut self) -> Read<()> {
        self.nest(|_| Ok(()))?;
        self.depth += 1;
        Ok(())
    }

    /// A block behind a condition or `else`.
    fn branch(&mut self, whole: &str) -> Read<Block> {
        if self.at(Tok::LBrace) {
            return self.block(whole);
        }
        let colon = self.at(Tok::Colon);
        if colon || matches!(self.word(), "then" | "do") {
            let word = self.text_of(self.span());
            let d = Diagnostic::error(Code::NotInLanguage, format!("`{word}` starts no block"))
                .label(self.span(), format!("{whole} is a block in braces"))
                .help("write `if c { a } else { b }`");
            return Err(self.report(d));
        }
        let d = self.expected_error("`{`", whole).help("blocks always have braces: `if c { a } else { b }`");
        Err(self.report(d))
    }

    /// `for i in a..b step s { … }`
    pub(super) fn for_stmt(&mut self) -> Read<StmtKind> {
        let start = self.bump();
        if self.at(Tok::LParen) {
            let help = "write `for i in 0..n { … }`, with one variable and no parentheses";
            let d = Diagnostic::error(Code::NotInLanguage, "a `for` with parentheses")
                .label(start.to(self.span()), "a loop of another language")
                .help(help);
            self.report(d);
            return self.rest_of_loop();
        }
        let var = self.name("a loop variable", "a `for` loop")?;
        if self.at(Tok::Comma) {
            let d = Diagnostic::error(Code::NotInLanguage, "a `for` with several variables")
                .label(self.span(), "a loop has one variable")
                .help("nest the loops: `for i in 0..n { for j in 0..m { … } }`");
            self.report(d);
            return self.rest_of_loop();
        }
        if self.at(Tok::Assign) {
            let d = Diagnostic::error(Code::NotInLanguage, "`=` in a `for`")
                .label(self.span(), "`in` belongs here")
                .help(format!("write `for {} in a..b {{ … }}`; the range ends before `b`", var.text));
            self.report(d);
            return self.rest_of_loop();
        }
        self.expect(Tok::In, "`in`", "a `for` loop")?;
        let range = self.range("a `for` loop")?;
        if self.at(Tok::Comma) {
            let d = Diagnostic::error(Code::NotInLanguage, "a `for` with several ranges")
                .label(self.span(), "a loop has one variable")
                .help("nest the loops: `for i in 0..n { for j in 0..m { … } }`");
            self.report(d);
            return self.rest_of_loop();
        }
        let body = self.branch("the body of a `for` loop")?;
        Ok(StmtKind::For { var, range, body })
    }

    /// Reads the body of a loop whose head is of another language; the loop itself is lost.
    fn rest_of_loop(&mut self) -> Read<StmtKind> {
        while !matches!(self.peek(), Tok::LBrace | Tok::RBrace | Tok::Eof) && !self.starts_stmt() {
            self.bump();
        }
        Ok(StmtKind::Block(self.branch("the body of a `for` loop")?))
    }

    /// `while c { … }`
    pub(super) fn while_stmt(&mut self) -> Read<StmtKind> {
        self.bump();
        let cond = self.condition("a `while`")?;
        let body = self.branch("the body of a `while` loop")?;
        Ok(StmtKind::While { cond, body })
    }

    /// `lo..hi step s`
    fn range(&mut self, whole: &str) -> Read<Range> {
        let lo = self.expr()?;
        let start = lo.span;
        if !self.at(Tok::DotDot) {
            if let Some(d) = self.no_range(&lo) {
                self.report(d);
            } else {
                return Err(self.expected("`..`", &format!("the range of {whole}")));
            }
            if matches!(self.peek(), Tok::DotDotEq | Tok::Colon) {
                self.bump();
                let hi = self.expr()?;
                return Ok(Range { span: start.to(hi.span), lo, hi: Expr::error(hi.span), step: None });
            }
            return Ok(Range { span: start, lo: Expr::error(start), hi: Expr::error(start), step: None });
        }
        self.bump();
        if matches!(self.peek(), Tok::RParen | Tok::RBracket | Tok::LBrace | Tok::Comma) {
            return Err(self.expected("the end of the range", whole));
        }
        let hi = self.expr()?;
        let step = if self.eat_word("step") { Some(self.expr()?) } else { None };
        Ok(Range { span: self.since(start), lo, hi, step })
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
                    .help("write `a..b`, which ends before `b`"),
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
                let d = Diagnostic::error(Code::NotInLanguage, "a generator with parentheses")
                    .label(start, "each variable has a range of its own")
                    .help("write `e for i in 0..n, j in 0..m`");
                return Err(self.report(d));
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
