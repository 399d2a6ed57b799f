//! Looking at tokens and taking them, brackets, lists, nesting.

use super::*;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Tok {
        self.peek_at(0)
    }

    /// The kind of the `n`-th token from here.
    pub(super) fn peek_at(&self, n: usize) -> Tok {
        self.token_at(n).kind
    }

    pub(super) fn token_at(&self, n: usize) -> Token {
        let last = self.tokens.len() - 1;
        if self.stopped { self.tokens[last] } else { self.tokens[(self.pos + n).min(last)] }
    }

    pub(super) fn at(&self, kind: Tok) -> bool {
        self.peek() == kind
    }

    /// The text of the `n`-th token from here if it is a name, else "".
    pub(super) fn word_at(&self, n: usize) -> &'a str {
        let t = self.token_at(n);
        if t.kind == Tok::Name { self.slice(t.start as usize, t.end as usize) } else { "" }
    }

    pub(super) fn word(&self) -> &'a str {
        self.word_at(0)
    }

    pub(super) fn first_on_line(&self) -> bool {
        self.token_at(0).first_on_line
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    pub(super) fn text_of(&self, span: Span) -> &'a str {
        self.slice(span.start as usize, span.end as usize)
    }

    pub(super) fn span_at(&self, n: usize) -> Span {
        let t = self.token_at(n);
        Span { file: self.file, start: t.start, end: t.end }
    }

    /// The next token; at the end of the file the last character of the text, for no label is empty.
    pub(super) fn span(&self) -> Span {
        if self.at(Tok::Eof) { self.last_char(self.text.trim_end().len()) } else { self.span_at(0) }
    }

    /// The character that ends at byte `end`.
    pub(super) fn last_char(&self, end: usize) -> Span {
        let width = self.text[..end].chars().next_back().map_or(0, char::len_utf8);
        Span::new(self.file, end - width, end)
    }

    /// The last token read.
    pub(super) fn prev_span(&self) -> Span {
        let t = self.tokens[self.pos.saturating_sub(1)];
        Span { file: self.file, start: t.start, end: t.end }
    }

    /// From `start` to the last token read.
    pub(super) fn since(&self, start: Span) -> Span {
        let prev = self.prev_span();
        if prev.end > start.start { start.to(prev) } else { start }
    }

    pub(super) fn bump(&mut self) -> Span {
        let span = self.span_at(0);
        if !self.at(Tok::Eof) {
            self.pos += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, kind: Tok) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the word `text`, if it is next.
    pub(super) fn eat_word(&mut self, text: &str) -> bool {
        let found = self.word() == text;
        if found {
            self.bump();
        }
        found
    }

    /// Takes `kind` or reports that `what` was expected, as part of `whole`.
    pub(super) fn expect(&mut self, kind: Tok, what: &str, whole: &str) -> Read<Span> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(what, whole)) }
    }

    /// Takes an opening bracket.
    pub(super) fn open(&mut self, close: Tok) -> Open {
        Open { span: self.bump(), close }
    }

    /// Takes the bracket that closes `open`.
    pub(super) fn close(&mut self, open: Open, what: &str, whole: &str) -> Read<Span> {
        if self.at(open.close) { Ok(self.bump()) } else { Err(self.unclosed(open, what, whole)) }
    }

    /// Reads a comma-separated list up to the bracket that closes `open`; a comma may end it.
    pub(super) fn list<T>(
        &mut self,
        open: Open,
        whole: &str,
        mut part: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<(Vec<T>, Span)> {
        let mut parts = Vec::new();
        loop {
            if self.at(open.close) {
                return Ok((parts, self.bump()));
            }
            parts.push(part(self)?);
            if !self.eat(Tok::Comma) && !self.at(open.close) {
                return Err(self.unclosed(open, &format!("`,` or `{}`", tok_text(open.close)), whole));
            }
        }
    }

    /// Reads a part one level deeper, unless that is too deep.
    pub(super) fn nest<T>(&mut self, part: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.enter()?;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Goes one level deeper, unless that is too deep. Who enters takes the level off `depth` again.
    pub(super) fn enter(&mut self) -> Read<()> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep(self.span(), format!("nesting is deeper than {MAX_NESTING} levels")));
        }
        self.depth += 1;
        Ok(())
    }

    /// An expression node, unless it is too high.
    pub(super) fn node(&mut self, kind: ExprKind, span: Span) -> Read<Expr> {
        let e = Expr::new(kind, span);
        if e.height as usize > MAX_HEIGHT {
            return Err(self.too_high());
        }
        Ok(e)
    }
}
