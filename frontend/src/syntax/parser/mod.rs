//! The grammar: recursive descent for items, types and statements, precedence climbing for expressions.
//!
//! A function that cannot read its part reports an error once and gives [`Reported`] up to the next
//! place that can go on: a parameter, a line of a block, a statement, an item. Recovery looks at
//! `;`, braces and words that start something; it never counts `(` and `[`, for the ends of a half-open interval
//! `(0, 1]` do not match.

mod atoms;
mod attrs;
mod calls;
mod checks;
mod exprs;
mod foreign;
mod items;
mod loops;
mod rules;
mod signature;
mod stmts;
mod types;

use super::ast::*;
use super::errors::Errors;
use super::lexer::{Tok, Token, Tokens, shown};
use adc_ir::{Code, Diagnostic, Diagnostics, FileId, Span};

/// A part could not be read, and that has been said.
pub(super) struct Reported;

/// What reading a part gives.
type Read<T> = Result<T, Reported>;

/// Reads the tokens of a file.
pub fn parse(file: FileId, text: &str, tokens: &Tokens, errors: Errors) -> (File, Diagnostics) {
    let mut p = Parser {
        text,
        file,
        tokens: &tokens.tokens,
        docs: &tokens.docs,
        pos: 0,
        depth: 0,
        stopped: false,
        last_error: None,
        errors,
        nested_items: Vec::new(),
        first_operand: None,
        own_words: Default::default(),
    };
    let items = p.items();
    (File { file, items }, p.errors.finish())
}

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    tokens: &'a [Token],
    docs: &'a [(usize, String)],
    /// Index of the next token.
    pos: usize,
    /// Nesting of blocks, brackets, types and prefix operators at this point.
    depth: usize,
    /// Whether a limit was hit: everything else is the end of the file.
    stopped: bool,
    /// The token the last error was reported at; there is at most one error per token.
    last_error: Option<usize>,
    errors: Errors,
    /// Functions found inside functions: an error, but known to the rest of the file.
    nested_items: Vec<Item>,
    /// An operand read already, where a statement turned out to be an expression.
    first_operand: Option<Expr>,
    /// Words of other languages, and whether this file declares them as names of its own.
    own_words: std::collections::BTreeMap<&'static str, bool>,
}

/// An opening bracket that waits for its partner.
#[derive(Clone, Copy)]
struct Open {
    span: Span,
    close: Tok,
}

impl<'a> Parser<'a> {
    // Looking at tokens.

    fn peek(&self) -> Tok {
        self.peek_at(0)
    }

    /// The kind of the `n`-th token from here.
    fn peek_at(&self, n: usize) -> Tok {
        self.token_at(n).kind
    }

    fn token_at(&self, n: usize) -> Token {
        let last = self.tokens.len() - 1;
        if self.stopped { self.tokens[last] } else { self.tokens[(self.pos + n).min(last)] }
    }

    fn at(&self, kind: Tok) -> bool {
        self.peek() == kind
    }

    /// The text of the `n`-th token from here if it is a name, else "".
    fn word_at(&self, n: usize) -> &'a str {
        let t = self.token_at(n);
        if t.kind == Tok::Name { self.slice(t.start as usize, t.end as usize) } else { "" }
    }

    fn word(&self) -> &'a str {
        self.word_at(0)
    }

    fn first_on_line(&self) -> bool {
        self.token_at(0).first_on_line
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    fn text_of(&self, span: Span) -> &'a str {
        self.slice(span.start as usize, span.end as usize)
    }

    fn span_at(&self, n: usize) -> Span {
        let t = self.token_at(n);
        Span { file: self.file, start: t.start, end: t.end }
    }

    /// The next token; at the end of the file the last character of the text, for no label is empty.
    fn span(&self) -> Span {
        if self.at(Tok::Eof) { self.last_char(self.text.trim_end().len()) } else { self.span_at(0) }
    }

    /// The character that ends at byte `end`.
    fn last_char(&self, end: usize) -> Span {
        let width = self.text[..end].chars().next_back().map_or(0, char::len_utf8);
        Span::new(self.file, end - width, end)
    }

    /// The last token read.
    fn prev_span(&self) -> Span {
        let t = self.tokens[self.pos.saturating_sub(1)];
        Span { file: self.file, start: t.start, end: t.end }
    }

    /// From `start` to the last token read.
    fn since(&self, start: Span) -> Span {
        let prev = self.prev_span();
        if prev.end > start.start { start.to(prev) } else { start }
    }

    // Taking tokens.

    fn bump(&mut self) -> Span {
        let span = self.span_at(0);
        if !self.at(Tok::Eof) {
            self.pos += 1;
        }
        span
    }

    fn eat(&mut self, kind: Tok) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the word `text`, if it is next.
    fn eat_word(&mut self, text: &str) -> bool {
        let found = self.word() == text;
        if found {
            self.bump();
        }
        found
    }

    /// Takes `kind` or reports that `what` was expected, as part of `whole`.
    fn expect(&mut self, kind: Tok, what: &str, whole: &str) -> Read<Span> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(what, whole)) }
    }

    /// The `;` that ends `whole`. If it is missing at the end of a line, the rest of the file is read
    /// as if it were there.
    fn semi(&mut self, whole: &str) -> Read<()> {
        if self.eat(Tok::Semi) {
            return Ok(());
        }
        let words = self.operator_word().is_some();
        if (self.first_on_line() || self.starts_stmt() || self.at(Tok::RBrace)) && !words {
            let end = self.prev_span().end as usize;
            let d = Diagnostic::error(Code::Expected, format!("expected `;`, found {}", self.found()))
                .label(self.last_char(end), format!("`;` is missing behind {whole}"))
                .help("end it with `;`");
            self.report(d);
            return Ok(());
        }
        Err(self.expected("an operator or `;`", whole))
    }

    /// Takes an opening bracket.
    fn open(&mut self, close: Tok) -> Open {
        Open { span: self.bump(), close }
    }

    /// Takes the bracket that closes `open`.
    fn close(&mut self, open: Open, what: &str, whole: &str) -> Read<Span> {
        if self.at(open.close) { Ok(self.bump()) } else { Err(self.unclosed(open, what, whole)) }
    }

    /// Reads a comma-separated list up to the bracket that closes `open`; a comma may end it.
    fn list<T>(
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

    // Nesting.

    /// Reads a part one level deeper, unless that is too deep.
    fn nest<T>(&mut self, part: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep(self.span(), format!("nesting is deeper than {MAX_NESTING} levels")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// An expression node, unless it is too high.
    fn node(&mut self, kind: ExprKind, span: Span) -> Read<Expr> {
        let e = Expr::new(kind, span);
        if e.height as usize > MAX_HEIGHT {
            let message = format!("an expression of more than {MAX_HEIGHT} operators in a row");
            return Err(self.too_deep(self.prev_span(), message));
        }
        Ok(e)
    }

    fn too_deep(&mut self, span: Span, message: String) -> Reported {
        let d = Diagnostic::error(Code::TooDeep, message)
            .label(span, "the limit is reached here")
            .help("give parts of the expression names with `let`, or move them to functions of their own");
        self.report(d);
        self.stopped = true;
        Reported
    }

    // Errors.

    /// Reports `d` at the next token, unless there is an error there already.
    fn report(&mut self, d: Diagnostic) -> Reported {
        let place = if self.at(Tok::Eof) { self.tokens.len() - 1 } else { self.pos };
        if self.last_error != Some(place) && !self.stopped {
            self.last_error = Some(place);
            self.errors.push(d);
            self.stopped = self.errors.is_full();
        }
        Reported
    }

    /// Reports that `what` was expected while reading `whole`.
    fn expected(&mut self, what: &str, whole: &str) -> Reported {
        let d = self.expected_error(what, whole);
        self.report(d)
    }

    fn expected_error(&mut self, what: &str, whole: &str) -> Diagnostic {
        if let Some(d) = self.foreign_operator() {
            return d;
        }
        let found = self.found();
        let d = Diagnostic::error(Code::Expected, format!("expected {what}, found {found}"));
        d.label(self.span(), format!("in {whole}")).help(format!("write {what} here"))
    }

    fn unclosed(&mut self, open: Open, what: &str, whole: &str) -> Reported {
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
    fn found(&self) -> String {
        match self.peek() {
            Tok::Eof => "the end of the file".to_string(),
            _ => format!("`{}`", shown(self.text_of(self.span()))),
        }
    }

    // Names and strings.

    /// A name that something is declared with or referred to by; `what` says what it names.
    fn name(&mut self, what: &str, whole: &str) -> Read<Name> {
        if !self.at(Tok::Name) {
            if let Some(d) = self.keyword_as_name(what) {
                let text = self.text_of(self.span()).to_string();
                self.report(d);
                return Ok(Name { text, span: self.bump() });
            }
            return Err(self.expected(what, whole));
        }
        let text = self.word();
        if DerivOp::from_text(text).is_some() {
            let d = Diagnostic::error(Code::ReservedName, format!("`{text}` is a derivative operator"))
                .label(self.span(), format!("cannot be {what}"))
                .help(format!("choose another name, `{text}_` for one"));
            self.report(d);
        }
        Ok(self.any_name())
    }

    /// As [`Self::name`], where `_` stands for no name at all and is refused.
    fn real_name(&mut self, what: &str, whole: &str) -> Read<Name> {
        if self.word() == "_" {
            return Err(self.expected(what, whole));
        }
        self.name(what, whole)
    }

    /// The next token, a name.
    fn any_name(&mut self) -> Name {
        let text = self.word().to_string();
        Name { text, span: self.bump() }
    }

    /// A keyword that stands where a name belongs, as in `let in = 3;`.
    fn keyword_as_name(&self, what: &str) -> Option<Diagnostic> {
        let text = self.text_of(self.span());
        let named = matches!(self.peek_at(1), Tok::Assign | Tok::Colon | Tok::Comma | Tok::LParen | Tok::In);
        let word = text.starts_with(|c: char| c.is_alphabetic()) && !self.at(Tok::Name);
        (word && named).then(|| {
            Diagnostic::error(Code::ReservedName, format!("`{text}` is a keyword"))
                .label(self.span(), format!("cannot be {what}"))
                .help(format!("choose another name, `{text}_` for one"))
        })
    }

    /// A string.
    fn string(&mut self, what: &str, whole: &str) -> Read<Str> {
        if !matches!(self.peek(), Tok::Str(_)) {
            return Err(self.expected(what, whole));
        }
        let Tok::Str(closed) = self.peek() else { unreachable!("checked above") };
        let span = self.bump();
        let inner = &self.text_of(span)[1..];
        let inner = if closed { &inner[..inner.len() - 1] } else { inner };
        let mut text = String::new();
        let mut chars = inner.char_indices();
        while let Some((_, c)) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                Some((i, c)) => {
                    let at = span.start as usize + 1 + i;
                    let d = Diagnostic::error(Code::BadEscape, format!("`\\{c}` is no escape"))
                        .label(Span::new(self.file, at - 1, at + c.len_utf8()), "in this string")
                        .help("the escapes are `\\\"`, `\\\\`, `\\n`, `\\t`; a backslash itself is `\\\\`");
                    self.errors.push(d);
                }
                None => {}
            }
        }
        Ok(Str { text, span })
    }

    // Going on after an error.

    /// Skips to the start of the next statement or the end of the block: behind a `;`, before a `}`, a
    /// word that starts a statement on a new line, or an item.
    fn skip_to_stmt(&mut self, start: usize) {
        let mut braces = 0;
        loop {
            let moved = self.pos > start;
            match self.peek() {
                Tok::Eof => return,
                Tok::Semi if braces == 0 => {
                    self.bump();
                    return;
                }
                Tok::RBrace if braces == 0 => return,
                Tok::LBrace => braces += 1,
                Tok::RBrace => braces -= 1,
                _ if moved && self.first_on_line() && self.starts_item() => return,
                _ if moved && braces == 0 && self.first_on_line() && self.starts_stmt() => return,
                _ => {}
            }
            let closed = self.at(Tok::RBrace) && braces == 0;
            self.bump();
            if closed && self.first_on_line() && !self.at(Tok::Else) {
                return;
            }
        }
    }

    /// Skips a part in braces.
    fn skip_braces(&mut self) {
        let mut braces = 0;
        while !self.at(Tok::Eof) {
            match self.peek() {
                Tok::LBrace => braces += 1,
                Tok::RBrace => braces -= 1,
                _ => {}
            }
            self.bump();
            if braces <= 0 {
                return;
            }
        }
    }

    fn starts_stmt(&self) -> bool {
        matches!(self.peek(), Tok::Let | Tok::Var | Tok::For | Tok::While | Tok::If | Tok::Assert)
    }

    /// Whether an item starts here, seen from inside a block.
    fn starts_item(&self) -> bool {
        match self.peek() {
            Tok::Fn => self.peek_at(1) == Tok::Name,
            Tok::Extern => self.peek_at(1) == Tok::Fn,
            Tok::Use => matches!(self.peek_at(1), Tok::Str(_)),
            Tok::Const => {
                let start = self.token_at(0).start as usize;
                start == 0 || self.text.as_bytes()[start - 1] == b'\n'
            }
            Tok::Name => match self.word() {
                "rule" => matches!(self.word_at(1), "jvp" | "vjp" | "partial"),
                "check" | "bench" => self.peek_at(1) == Tok::Name,
                _ => false,
            },
            _ => false,
        }
    }
}

/// A closing bracket as text.
fn tok_text(kind: Tok) -> &'static str {
    match kind {
        Tok::RParen => ")",
        Tok::RBracket => "]",
        _ => "}",
    }
}
