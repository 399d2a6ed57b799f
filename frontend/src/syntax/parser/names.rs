//! Names and strings.

use super::*;

impl Parser<'_> {
    /// A name that something is declared with or referred to by; `what` says what it names.
    pub(super) fn name(&mut self, what: &str, whole: &str) -> Read<Name> {
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
            self.say(
                Code::ReservedName,
                format!("`{text}` is a derivative operator"),
                self.span(),
                format!("cannot be {what}"),
                format!("choose another name, `{text}_` for one"),
            );
        }
        Ok(self.any_name())
    }

    /// As [`Self::name`], where `_` stands for no name at all and is refused.
    pub(super) fn real_name(&mut self, what: &str, whole: &str) -> Read<Name> {
        if self.word() == "_" {
            return Err(self.expected(what, whole));
        }
        self.name(what, whole)
    }

    /// The next token, a name.
    pub(super) fn any_name(&mut self) -> Name {
        let text = self.word().to_string();
        Name { text, span: self.bump() }
    }

    /// A keyword that stands where a name belongs, as in `let in = 3;`.
    pub(super) fn keyword_as_name(&self, what: &str) -> Option<Diagnostic> {
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
    pub(super) fn string(&mut self, what: &str, whole: &str) -> Read<Str> {
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
                    let d = Diagnostic::error(Code::BadEscape, format!("`\\{c}` is not an escape"))
                        .label(Span::new(self.file, at - 1, at + c.len_utf8()), "in this string")
                        .help("the escapes are `\\\"`, `\\\\`, `\\n`, `\\t`; a backslash itself is `\\\\`");
                    self.errors.push(d);
                }
                None => {}
            }
        }
        Ok(Str { text, span })
    }
}
