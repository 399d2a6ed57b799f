//! The formatter: text in, text in the one style of the language out. The style is described in the book.
//!
//! The tree says where lines may end, the tokens what is written: every token and every comment of the source is
//! printed in order, so nothing of it can be lost. Only commas behind the last entry of a list and the `;` of the last
//! line of a block of lines come and go. Absent on purpose: options.

mod exprs;
mod items;
mod layout;
mod source;
mod stmts;

pub use layout::WIDTH;

use crate::syntax::{self, Tok, Token};
use adc_ir::{Diagnostics, FileId};
use layout::Layout;
use source::Comments;

/// The text in the one style, ends of lines as in the source.
///
/// # Errors
/// The text is no program: what the parser says of it.
pub fn format(file: FileId, text: &str) -> Result<String, Diagnostics> {
    let (tree, tokens, errors) = syntax::read(file, text);
    if errors.has_errors() {
        return Err(errors);
    }
    if text.contains("\r\n") {
        let out = format(file, &text.replace("\r\n", "\n"))?;
        let windows = text.find('\n').is_some_and(|i| text[..i].ends_with('\r'));
        return Ok(if windows { out.replace('\n', "\r\n") } else { out });
    }
    let mut printer = Printer {
        text,
        tokens: &tokens.tokens,
        comments: Comments::new(text, &tokens),
        pos: 0,
        blank: false,
        out: Layout::default(),
    };
    printer.file(&tree);
    let out = printer.out.print();
    assert!(source::same(text, &tokens, &out), "the formatter changed more than the layout");
    Ok(out)
}

/// Walks over the tree and the tokens side by side.
struct Printer<'a> {
    text: &'a str,
    tokens: &'a [Token],
    comments: Comments,
    /// The next token.
    pos: usize,
    /// Whether an empty line of the source before the next token is kept.
    blank: bool,
    out: Layout<'a>,
}

impl<'a> Printer<'a> {
    fn peek(&self) -> Tok {
        self.peek_at(0)
    }

    fn peek_at(&self, n: usize) -> Tok {
        self.tokens[(self.pos + n).min(self.tokens.len() - 1)].kind
    }

    fn at(&self, kind: Tok) -> bool {
        self.peek() == kind
    }

    /// Where the next token starts.
    fn start(&self) -> u32 {
        self.tokens[self.pos.min(self.tokens.len() - 1)].start
    }

    fn slice(&self, start: u32, end: u32) -> &'a str {
        &self.text[start as usize..end as usize]
    }

    /// Prints the next token, with the comments before it and those behind it on its line.
    fn tok(&mut self) {
        self.leading();
        let t = self.tokens[self.pos];
        if std::mem::take(&mut self.blank) && self.gap(t.start) {
            self.out.blank();
        }
        self.out.text(self.slice(t.start, t.end));
        self.pos = (self.pos + 1).min(self.tokens.len() - 1);
        self.trailing();
    }

    /// The token and a blank.
    fn word(&mut self) {
        self.tok();
        self.out.space();
    }

    /// Tokens up to `end` of what has no structure of interest.
    fn raw(&mut self, end: u32) {
        while self.start() < end && !self.at(Tok::Eof) {
            match self.peek() {
                Tok::Assign => {
                    self.out.space();
                    self.word();
                }
                Tok::Comma => self.word(),
                _ => self.tok(),
            }
        }
    }

    /// Whether there is an empty line right before byte `start`.
    fn gap(&self, start: u32) -> bool {
        let token = self.pos.checked_sub(1).map_or(0, |i| self.tokens[i].end);
        let end = token.max(self.comments.end());
        self.slice(end.min(start), start).bytes().filter(|b| *b == b'\n').count() > 1
    }

    /// The comments before the next token.
    fn leading(&mut self) {
        while let Some(run) = self.comments.run(self.pos) {
            let own_line = run.after_newline && run.before_newline;
            if own_line {
                let opener = self.pos.checked_sub(1).map(|i| self.tokens[i].kind);
                let first =
                    run.first && matches!(opener, None | Some(Tok::LBrace | Tok::LParen | Tok::LBracket));
                self.out.fresh();
                if !first && self.gap(run.start) {
                    self.out.blank();
                }
            }
            self.print_run(&run);
        }
    }

    /// The comments behind the token just printed, on its line.
    fn trailing(&mut self) {
        let Some(run) = self.comments.run_behind(self.pos) else { return };
        for _ in 0..run.count {
            let (start, end) = self.comments.take();
            self.out.behind(self.slice(start, end).trim_end());
        }
    }

    fn print_run(&mut self, run: &source::Run) {
        for _ in 0..run.count {
            let (start, end) = self.comments.take();
            self.out.comment(self.slice(start, end).trim_end());
            self.out.gap();
        }
        if run.before_newline {
            self.out.fresh();
        }
    }

    /// Entries between brackets, separated by commas: on one line, or one a line with a comma behind each.
    fn list(&mut self, mut entry: impl FnMut(&mut Self)) {
        self.out.begin();
        self.open();
        while !self.closes() {
            entry(self);
            if !self.comma() {
                break;
            }
            self.out.line();
        }
        self.close(true);
        self.out.end();
    }

    /// The opening bracket of a list.
    fn open(&mut self) {
        self.tok();
        self.out.indent();
        if !self.closes() {
            self.out.soft();
        }
    }

    fn closes(&self) -> bool {
        matches!(self.peek(), Tok::RParen | Tok::RBracket | Tok::Eof)
    }

    /// The comma between two entries; one behind the last entry is left out.
    fn comma(&mut self) -> bool {
        if !self.at(Tok::Comma) {
            return false;
        }
        if matches!(self.peek_at(1), Tok::RParen | Tok::RBracket) {
            self.leading();
            self.pos += 1;
            return false;
        }
        self.tok();
        true
    }

    /// The closing bracket of a list; `comma`: with a comma before it if the list is broken.
    fn close(&mut self, comma: bool) {
        let empty = matches!(self.tokens[self.pos - 1].kind, Tok::LParen | Tok::LBracket);
        if comma && !empty {
            self.out.if_broken(",");
        }
        self.leading();
        self.out.dedent();
        self.out.soft();
        self.tok();
    }
}
