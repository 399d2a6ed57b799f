//! Going on after an error.

use super::*;

impl Parser<'_> {
    /// Skips to the start of the next statement or the end of the block: behind a `;`, before a `}`, a
    /// word that starts a statement on a new line, or an item.
    pub(super) fn skip_to_stmt(&mut self, start: usize) {
        let mut braces = 0;
        loop {
            let moved = self.pos > start;
            match self.peek() {
                Tok::Eof => return,
                Tok::Semi if braces == 0 && !self.inside_brackets() => {
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

    /// Whether a `;` stands between brackets of its line, as in `[0.0; 3]`.
    pub(super) fn inside_brackets(&self) -> bool {
        let mut open = 0;
        for t in self.tokens[self.pos.min(self.tokens.len() - 1)..].iter().skip(1) {
            match t.kind {
                _ if t.first_on_line => return false,
                Tok::LParen | Tok::LBracket => open += 1,
                Tok::RParen | Tok::RBracket if open == 0 => return true,
                Tok::RParen | Tok::RBracket => open -= 1,
                Tok::Semi | Tok::LBrace | Tok::RBrace | Tok::Eof => return false,
                _ => {}
            }
        }
        false
    }

    /// Skips what is left of an item that cannot be read: to the `;` or `}` that ends it, or to what starts
    /// another one on a new line.
    pub(super) fn skip_to_item(&mut self, start: usize) {
        let mut braces = 0;
        loop {
            let fresh = self.pos > start && self.first_on_line();
            let end = match self.peek() {
                Tok::Eof => return,
                _ if fresh && (self.starts_item() || matches!(self.peek(), Tok::Const | Tok::Hash)) => return,
                Tok::Name if fresh && braces == 0 && self.at_column_one() => return,
                Tok::Semi => braces == 0 && !self.inside_brackets(),
                Tok::LBrace => {
                    braces += 1;
                    false
                }
                Tok::RBrace => {
                    braces -= 1;
                    braces <= 0
                }
                _ => false,
            };
            self.bump();
            if end {
                return;
            }
        }
    }

    /// Whether nothing, not even a blank, stands before the next token on its line.
    pub(super) fn at_column_one(&self) -> bool {
        let start = self.token_at(0).start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// Skips a part in braces.
    pub(super) fn skip_braces(&mut self) {
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

    pub(super) fn starts_stmt(&self) -> bool {
        matches!(self.peek(), Tok::Let | Tok::Var | Tok::For | Tok::While | Tok::If | Tok::Assert)
    }

    /// Whether an item starts here, seen from inside a block.
    pub(super) fn starts_item(&self) -> bool {
        match self.peek() {
            Tok::Fn => self.peek_at(1) == Tok::Name,
            Tok::Extern => self.peek_at(1) == Tok::Fn,
            Tok::Use => matches!(self.peek_at(1), Tok::Str(_)),
            Tok::Const => self.at_column_one(),
            Tok::Name => match self.word() {
                "rule" => matches!(self.word_at(1), "jvp" | "vjp" | "partial"),
                "check" | "bench" => self.peek_at(1) == Tok::Name,
                _ => false,
            },
            _ => false,
        }
    }
}
