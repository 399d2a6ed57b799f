//! How errors are said.

use super::*;

impl Parser<'_> {
    /// Reports `d` at the next token, unless there is an error there already.
    pub(super) fn report(&mut self, d: Diagnostic) -> Reported {
        let place = if self.at(Tok::Eof) { self.tokens.len() - 1 } else { self.pos };
        let repeated = self.last_error == Some(place) || self.token_at(0).after_error;
        if !repeated && !self.stopped {
            self.last_error = Some(place);
            self.errors.push(d);
            self.stopped = self.errors.is_full();
        }
        Reported
    }

    /// Reports an error with one label and one help line.
    pub(super) fn say(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.report(Diagnostic::error(code, message).label(span, label).help(help))
    }

    /// Reports a misspelt word, with the one that was meant.
    pub(super) fn misspelt(&mut self, message: String, span: Span, meant: &str) -> Reported {
        let d = Diagnostic::error(Code::Expected, message).meant(span, meant);
        self.report(d.help(format!("write `{meant}`")))
    }

    /// Reports that `what` was expected while reading `whole`.
    pub(super) fn expected(&mut self, what: &str, whole: &str) -> Reported {
        let d = self.expected_error(what, whole);
        let d = if d.help.is_empty() { d.help(format!("write {what} here")) } else { d };
        self.report(d)
    }

    /// That `what` was expected while reading `whole`, without a help line.
    pub(super) fn expected_error(&mut self, what: &str, whole: &str) -> Diagnostic {
        if let Some(d) = self.foreign_operator() {
            return d;
        }
        let found = self.found();
        let d = Diagnostic::error(Code::Expected, format!("expected {what}, found {found}"));
        d.label(self.span(), format!("in {whole}"))
    }

    pub(super) fn unclosed(&mut self, open: Open, what: &str, whole: &str) -> Reported {
        if let Some(d) = self.foreign_operator() {
            return self.report(d);
        }
        let d = Diagnostic::error(Code::Expected, format!("expected {what}, found {}", self.found()))
            .label(self.span(), format!("{whole} should go on or end here"))
            .also(open.span, "opened here")
            .help(format!("close it with `{}`", tok_text(open.close)));
        self.report(d)
    }

    /// The next token as it stands in messages.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            Tok::Eof => "the end of the file".to_string(),
            _ => format!("`{}`", shown(self.text_of(self.span()))),
        }
    }

    /// The `;` that ends `whole`. If it is missing at the end of a line, the rest of the file is read
    /// as if it were there.
    pub(super) fn semi(&mut self, whole: &str) -> Read<()> {
        if self.eat(Tok::Semi) {
            return Ok(());
        }
        if self.depth > 0 && (self.at(Tok::Eof) || (self.first_on_line() && self.starts_item())) {
            // The block has no end: that is said, and enough.
            return Ok(());
        }
        let stmt = self.starts_stmt() && !matches!(self.peek(), Tok::If | Tok::For);
        let ended = self.first_on_line() || stmt || self.at(Tok::RBrace);
        if ended && self.operator_word().is_none() {
            let end = self.prev_span().end as usize;
            let d = Diagnostic::error(Code::Expected, format!("expected `;`, found {}", self.found()))
                .label(self.last_char(end), format!("`;` is missing behind {whole}"))
                .help("end it with `;`")
                .replace(Span::new(self.file, end, end), ";", Certainty::Certain);
            self.report(d);
            return Ok(());
        }
        if matches!(self.peek(), Tok::RParen | Tok::RBracket) {
            let found = self.found();
            return Err(self.say(
                Code::Unclosed,
                format!("a {found} that closes nothing"),
                self.span(),
                "no bracket is open here",
                "remove it, or look for one that is missing before it",
            ));
        }
        if self.at(Tok::Comma) {
            let (label, help) = match whole {
                "a `let`" | "a `var`" => {
                    ("one name for each", "write a statement for each name: `let a = x; let b = 2*x;`")
                }
                _ => (
                    "nothing is listed here",
                    "an array is `[a, b]`, several results are `(a, b)`, several names `let (a, b) = e;`",
                ),
            };
            return Err(self.say(
                Code::Expected,
                "expected an operator or `;`, found `,`",
                self.span(),
                label,
                help,
            ));
        }
        Err(self.expected("an operator or `;`", whole))
    }

    /// An expression node is higher than [`MAX_HEIGHT`].
    pub(super) fn too_high(&mut self) -> Reported {
        self.too_deep(self.prev_span(), format!("an expression of more than {MAX_HEIGHT} operators in a row"))
    }

    pub(super) fn too_deep(&mut self, span: Span, message: String) -> Reported {
        self.say(
            Code::TooDeep,
            message,
            span,
            "the limit is reached here",
            "give parts of the expression names with `let`, or move them to functions of their own",
        );
        self.stopped = true;
        Reported
    }
}
