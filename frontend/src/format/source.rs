//! The comments of a source, and what of a source must survive.

use crate::syntax::{self, Tok, Tokens};
use adc_ir::FileId;

#[derive(Clone, Copy)]
struct Comment {
    start: u32,
    end: u32,
    /// The token it is printed before.
    next: usize,
    after_newline: bool,
    before_newline: bool,
}

/// Comments that follow each other on one line.
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) count: usize,
    /// Whether it starts its line.
    pub(super) after_newline: bool,
    /// Whether a line ends behind it.
    pub(super) before_newline: bool,
    /// Whether no other comment is before it at its token.
    pub(super) first: bool,
}

/// The comments not yet printed.
pub(super) struct Comments {
    all: Vec<Comment>,
    done: usize,
}

impl Comments {
    pub(super) fn new(text: &str, tokens: &Tokens) -> Comments {
        let newline = |from: u32, to: u32| text[from as usize..to as usize].contains('\n');
        let mut all: Vec<Comment> = Vec::with_capacity(tokens.comments.len());
        for (i, c) in tokens.comments.iter().enumerate() {
            let before = all.last().map_or(0, |c| c.end);
            let before = c.next.checked_sub(1).map_or(0, |t| tokens.tokens[t].end).max(before);
            let after = tokens.comments.get(i + 1).map_or(u32::MAX, |c| c.start);
            let after = tokens.tokens[c.next].start.min(after);
            all.push(Comment {
                start: c.start,
                end: c.end,
                next: c.next,
                after_newline: before == 0 || newline(before, c.start),
                before_newline: newline(c.end, after) || after as usize == text.len(),
            });
        }
        // What stands before a separator goes behind it. Documentation stays: its item is the one of the next token.
        let doc = |c: &Comment| text[c.start as usize..].starts_with("///");
        for at in 0..all.len() {
            loop {
                let next = all[at].next;
                let separator = matches!(tokens.tokens[next].kind, Tok::Comma | Tok::Semi);
                if !separator || all[at..].iter().take_while(|c| c.next == next).any(doc) {
                    break;
                }
                all[at..].iter_mut().take_while(|c| c.next == next).for_each(|c| c.next += 1);
            }
        }
        Comments { all, done: 0 }
    }

    /// The next run before token `next`.
    pub(super) fn run(&self, next: usize) -> Option<Run> {
        let rest = &self.all[self.done..];
        let here = rest.iter().take_while(|c| c.next == next).count();
        let first = rest[..here].first()?;
        let line = rest[..here].iter().position(|c| c.before_newline).map_or(here, |i| i + 1);
        Some(Run {
            start: first.start,
            count: line,
            after_newline: first.after_newline,
            before_newline: rest[line - 1].before_newline,
            first: self.done == 0 || self.all[self.done - 1].next != next,
        })
    }

    /// The run behind the token before `next`, on the same line, if it ends that line.
    pub(super) fn run_behind(&self, next: usize) -> Option<Run> {
        self.run(next).filter(|run| !run.after_newline && run.before_newline)
    }

    /// Whether there are any before token `next`.
    pub(super) fn any(&self, next: usize) -> bool {
        self.run(next).is_some()
    }

    pub(super) fn take(&mut self) -> (u32, u32) {
        let c = self.all[self.done];
        self.done += 1;
        (c.start, c.end)
    }

    /// Where the last one printed ends.
    pub(super) fn end(&self) -> u32 {
        self.done.checked_sub(1).map_or(0, |i| self.all[i].end)
    }
}

/// Whether `out` has the tokens and comments of `text`, but for commas and semicolons before closing brackets.
pub(super) fn same(text: &str, tokens: &Tokens, out: &str) -> bool {
    let (_, after, errors) = syntax::read(FileId(0), out);
    !errors.has_errors()
        && significant(text, tokens).eq(significant(out, &after))
        && comments(text, tokens).eq(comments(out, &after))
}

fn significant<'a>(text: &'a str, tokens: &'a Tokens) -> impl Iterator<Item = &'a str> {
    let optional = |w: &[syntax::Token]| match w[0].kind {
        Tok::Comma => matches!(w[1].kind, Tok::RParen | Tok::RBracket),
        Tok::Semi => w[1].kind == Tok::RBrace,
        _ => false,
    };
    let kept = tokens.tokens.windows(2).filter(move |w| !optional(w));
    kept.map(|w| &text[w[0].start as usize..w[0].end as usize])
}

fn comments<'a>(text: &'a str, tokens: &'a Tokens) -> impl Iterator<Item = String> {
    let text_of = |c: &syntax::Comment| text[c.start as usize..c.end as usize].trim_end().replace('\r', "");
    tokens.comments.iter().map(text_of)
}
