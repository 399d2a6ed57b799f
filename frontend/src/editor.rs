//! What editors ask of a text that may be incomplete: its tokens, and what is being written at a place.

use crate::syntax::ast::DerivOp;
use crate::syntax::{self, Tok, Token, Tokens};
use adc_ir::FileId;

/// The classes of tokens, for colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A word with a meaning of its own everywhere.
    Keyword,
    /// Any other word.
    Name,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A comment.
    Comment,
    /// An operator.
    Operator,
    /// Brackets, separators, and what is not part of the language.
    Mark,
}

/// A token or comment.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Its class.
    pub class: Class,
}

/// The keywords, as they are written.
pub use crate::syntax::KEYWORDS;

/// All tokens and comments, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let (_, tokens, _) = syntax::read(FileId(0), text);
    let token = |t: &Token| Piece {
        start: t.start,
        end: t.end,
        class: class(t.kind, &text[t.start as usize..t.end as usize]),
    };
    let mut all: Vec<Piece> = tokens.tokens.iter().filter(|t| t.kind != Tok::Eof).map(token).collect();
    all.extend(tokens.comments.iter().map(|c| Piece { start: c.start, end: c.end, class: Class::Comment }));
    all.sort_by_key(|p| p.start);
    all
}

fn class(kind: Tok, text: &str) -> Class {
    match kind {
        Tok::Name => Class::Name,
        Tok::Number(_) => Class::Number,
        Tok::Str(_) => Class::Text,
        _ if text.starts_with(|c: char| c.is_ascii_lowercase()) => Class::Keyword,
        _ if text.starts_with(['(', ')', '[', ']', '{', '}', ',', ';', '#']) => Class::Mark,
        _ => Class::Operator,
    }
}

/// What may be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expecting {
    /// Nothing that is known: a comment, a number, a new name.
    Nothing,
    /// `fn`, `check`, …
    Item,
    /// A statement or an expression.
    Expression,
    /// A type.
    Type,
    /// The name of an attribute.
    Attribute,
    /// The path of a `use`.
    Path,
    /// `jvp`, `vjp` or `partial`.
    RuleKind,
    /// The name of a function of the program.
    Function,
    /// A line of a block of this function.
    Line(String),
    /// A parameter of this function.
    Parameter(String),
    /// A result of this function.
    Result(String),
    /// A distribution.
    Distribution,
    /// A mode of checks.
    Mode,
    /// A verdict.
    Verdict,
}

/// A call whose arguments are being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calling {
    /// The function, of a derivative the one that is differentiated.
    pub function: String,
    /// `grad(f)(…)`
    pub derivative: Option<DerivOp>,
    /// The number of arguments before this one, of seeds if it is one.
    pub argument: usize,
    /// Whether it stands behind the `;`.
    pub seed: bool,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the word that is being written starts.
    pub start: usize,
    /// What may be written.
    pub expecting: Expecting,
    /// The innermost call.
    pub calling: Option<Calling>,
}

/// What is being written at byte `at`.
pub fn place(text: &str, at: usize) -> Place {
    let (_, tokens, _) = syntax::read(FileId(0), text);
    Scan { text, all: &tokens }.place(at)
}

struct Scan<'a> {
    text: &'a str,
    all: &'a Tokens,
}

/// The tokens before a place.
struct Before<'a> {
    tokens: &'a [Token],
    /// Brackets that are open, by index.
    open: Vec<usize>,
    /// Where the item starts.
    item: usize,
}

impl<'a> Scan<'a> {
    fn word(&self, t: &Token) -> &'a str {
        &self.text[t.start as usize..t.end as usize]
    }

    fn place(&self, at: usize) -> Place {
        let tokens = &self.all.tokens[..self.all.tokens.len() - 1];
        let n = tokens.partition_point(|t| (t.end as usize) < at);
        let touched = tokens.get(n).filter(|t| (t.start as usize) < at);
        let nothing = |start| Place { start, expecting: Expecting::Nothing, calling: None };
        let comment = self.all.comments.iter().find(|c| {
            let line = self.text[c.start as usize..].starts_with("//");
            (c.start as usize) < at && (at < c.end as usize || (line && at == c.end as usize))
        });
        if comment.is_some() {
            return nothing(at);
        }
        let start = touched.map_or(at, |t| t.start as usize);
        let word = touched.is_some_and(|t| {
            class(t.kind, self.word(t)) != Class::Mark && class(t.kind, self.word(t)) != Class::Operator
        });
        let before = self.before(&tokens[..if touched.is_some() && !word { n + 1 } else { n }]);
        match touched.map(|t| t.kind) {
            Some(Tok::Str(_)) => {
                let path = before.last(0).is_some_and(|t| t.kind == Tok::Use);
                let inside = Expecting::Path;
                return Place {
                    start: start + 1,
                    expecting: if path { inside } else { Expecting::Nothing },
                    calling: None,
                };
            }
            Some(Tok::Number(_)) => return Place { calling: self.calling(&before), ..nothing(start) },
            _ => {}
        }
        let start = if word { start } else { at };
        Place { start, expecting: self.expecting(&before), calling: self.calling(&before) }
    }

    fn before(&self, tokens: &'a [Token]) -> Before<'a> {
        let mut b = Before { tokens, open: Vec::new(), item: 0 };
        for (i, t) in tokens.iter().enumerate() {
            let next = |k: Tok| tokens.get(i + 1).is_none_or(|n| n.kind == k);
            let starts = match t.kind {
                Tok::Fn => next(Tok::Name),
                Tok::Extern => true,
                Tok::Name => matches!(self.word(t), "rule" | "check" | "bench") && next(Tok::Name),
                _ => false,
            };
            if starts && t.first_on_line && !(t.kind == Tok::Fn && i > 0 && tokens[i - 1].kind == Tok::Extern)
            {
                // An item that is not closed ends where the next one starts.
                let column = self.text[..t.start as usize].rfind('\n').map_or(0, |n| n + 1);
                if column == t.start as usize || b.open.is_empty() {
                    b.open.clear();
                }
            }
            if b.open.is_empty()
                && (i == 0 || matches!(tokens[i - 1].kind, Tok::RBrace | Tok::Semi) || starts)
            {
                b.item = i;
            }
            match t.kind {
                Tok::LParen | Tok::LBracket | Tok::LBrace => b.open.push(i),
                Tok::RParen | Tok::RBracket | Tok::RBrace => {
                    b.open.pop();
                }
                _ => {}
            }
        }
        b
    }

    fn expecting(&self, b: &Before<'a>) -> Expecting {
        let Some(last) = b.last(0) else { return Expecting::Item };
        let word = |n: usize| b.last(n).map_or("", |t| self.word(t));
        let open = b.open.last().map(|i| b.tokens[*i].kind);
        if b.open.is_empty() && matches!(last.kind, Tok::RBrace | Tok::Semi) {
            return Expecting::Item;
        }
        let head = b.tokens.get(b.item).map_or("", |t| self.word(t));
        match (last.kind, word(0)) {
            (Tok::LBracket, _) if b.last(1).is_some_and(|t| t.kind == Tok::Hash) => {
                return Expecting::Attribute;
            }
            (Tok::Arrow, _) => return Expecting::Type,
            (Tok::Colon, _) if open != Some(Tok::LBracket) && head != "rule" => return Expecting::Type,
            (Tok::Fn | Tok::Let | Tok::Var | Tok::For | Tok::Const, _) => return Expecting::Nothing,
            (Tok::Assign, _) if word(1) == "wrt" => return Expecting::Parameter(self.differentiated(b)),
            (Tok::Name, "rule") if b.open.is_empty() => return Expecting::RuleKind,
            (Tok::Name, "check" | "bench") if b.open.is_empty() => return Expecting::Function,
            (Tok::Name, "jvp" | "vjp" | "partial") if word(1) == "rule" => return Expecting::Function,
            (Tok::RBracket, _) if b.open.is_empty() && head == "#" => return Expecting::Item,
            _ => {}
        }
        if matches!(head, "check" | "bench") && b.open.len() == 1 && open == Some(Tok::LBrace) {
            return self.line(b);
        }
        Expecting::Expression
    }

    /// What a line of a block expects.
    fn line(&self, b: &Before<'a>) -> Expecting {
        let function = b.tokens.get(b.item + 1).map_or("", |t| self.word(t)).to_string();
        let from = b.open.first().map_or(0, |i| i + 1);
        let start = b.tokens[from..].iter().rposition(|t| t.kind == Tok::Semi).map_or(from, |i| from + i + 1);
        let line = &b.tokens[start..];
        match line.first().map(|t| self.word(t)) {
            None => Expecting::Line(function),
            Some("wrt" | "nodiff") => Expecting::Parameter(function),
            Some("outputs") => Expecting::Result(function),
            Some("modes") => Expecting::Mode,
            Some("expect") => Expecting::Verdict,
            Some(_) if line.last().is_some_and(|t| t.kind == Tok::Tilde) => Expecting::Distribution,
            Some(_) => Expecting::Expression,
        }
    }

    /// The function in the brackets of a derivative.
    fn differentiated(&self, b: &Before<'a>) -> String {
        let first = b.open.last().and_then(|i| b.tokens.get(i + 1));
        first.map_or("", |t| self.word(t)).to_string()
    }

    fn calling(&self, b: &Before<'a>) -> Option<Calling> {
        let open = *b.open.iter().rev().find(|i| b.tokens[**i].kind != Tok::LBracket)?;
        if b.tokens[open].kind != Tok::LParen {
            return None;
        }
        let mut callee = open.checked_sub(1)?;
        if b.tokens[callee].kind == Tok::RBracket {
            callee = matching(b.tokens, callee)?.checked_sub(1)?;
        }
        let (mut argument, mut seed, mut depth) = (0, false, 0);
        for t in &b.tokens[open + 1..] {
            match t.kind {
                Tok::LParen | Tok::LBracket | Tok::LBrace => depth += 1,
                Tok::RParen | Tok::RBracket | Tok::RBrace => depth -= 1,
                Tok::Comma if depth == 0 => argument += 1,
                Tok::Semi if depth == 0 => (argument, seed) = (0, true),
                _ => {}
            }
        }
        let of = |derivative, function: &Token| {
            Some(Calling { function: self.word(function).to_string(), derivative, argument, seed })
        };
        match b.tokens[callee].kind {
            // The head of a declaration is no call.
            Tok::Name if callee > 0 && b.tokens[callee - 1].kind == Tok::Fn => None,
            Tok::Name => of(None, &b.tokens[callee]),
            Tok::RParen => {
                let inner = matching(b.tokens, callee)?;
                let op = DerivOp::from_text(self.word(&b.tokens[inner.checked_sub(1)?]))?;
                of(Some(op), b.tokens.get(inner + 1)?)
            }
            _ => None,
        }
    }
}

impl Before<'_> {
    /// The `n`-th token from the end.
    fn last(&self, n: usize) -> Option<&Token> {
        self.tokens.len().checked_sub(n + 1).map(|i| &self.tokens[i])
    }
}

/// The bracket that token `close` closes.
fn matching(tokens: &[Token], close: usize) -> Option<usize> {
    let mut depth = 0;
    for i in (0..=close).rev() {
        match tokens[i].kind {
            Tok::RParen | Tok::RBracket | Tok::RBrace => depth += 1,
            Tok::LParen | Tok::LBracket | Tok::LBrace => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of `|` in a text.
    fn at(text: &str) -> Place {
        let i = text.find('|').expect("a place");
        place(&text.replacen('|', "", 1), i)
    }

    #[test]
    fn what_is_expected() {
        let f = || "f".to_string();
        for (text, expected) in [
            ("|", Expecting::Item),
            ("fn f(x: f64) -> f64 { x }\nch|", Expecting::Item),
            ("fn f(x: |", Expecting::Type),
            ("fn f(x: f64) -> |", Expecting::Type),
            ("fn f(x: f64) -> f64 { let y: | = x; y }", Expecting::Type),
            ("fn f(x: f64) -> f64 { si| }", Expecting::Expression),
            ("fn f[N](x: f64[N]) -> f64 { x[1:|] }", Expecting::Expression),
            ("fn f(x: f64) -> f64 { let | }", Expecting::Nothing),
            ("// comment |", Expecting::Nothing),
            ("#[|", Expecting::Attribute),
            ("rule |", Expecting::RuleKind),
            ("rule vjp |", Expecting::Function),
            ("check |", Expecting::Function),
            ("check f { | }", Expecting::Line(f())),
            ("check f { points 3; x|", Expecting::Line(f())),
            ("check f { x ~ |", Expecting::Distribution),
            ("check f { wrt |", Expecting::Parameter(f())),
            ("check f { outputs |", Expecting::Result(f())),
            ("check f { modes slow, |", Expecting::Mode),
            ("check f { expect |", Expecting::Verdict),
            ("check f { x = |", Expecting::Expression),
            ("use \"|\";", Expecting::Path),
            ("fn g(x: f64) -> f64 { grad(f, wrt = |)(x) }", Expecting::Parameter(f())),
            ("fn g(x: f64) -> f64 { (1 +\ncheck f { wrt |", Expecting::Parameter(f())),
        ] {
            assert_eq!(at(text).expecting, expected, "{text}");
        }
    }

    #[test]
    fn calls() {
        let call = |text: &str| at(text).calling.map(|c| (c.function, c.derivative, c.argument, c.seed));
        let in_f = |body: &str| call(&format!("fn g(x: f64) -> f64 {{ {body} }}"));
        assert_eq!(in_f("pow(x, |)"), Some(("pow".into(), None, 1, false)));
        assert_eq!(in_f("f[N = 3](x, (1, 2), |"), Some(("f".into(), None, 2, false)));
        assert_eq!(in_f("jvp(f)(x; |"), Some(("f".into(), Some(DerivOp::Jvp), 0, true)));
        assert_eq!(in_f("f(x[1, |"), Some(("f".into(), None, 0, false)));
        assert_eq!(in_f("(x + |)"), None);
        assert_eq!(call("fn g(x|"), None);
    }

    #[test]
    fn keywords_are_the_words_of_the_lexer() {
        for word in KEYWORDS {
            let pieces = pieces(word);
            assert!(pieces.len() == 1 && pieces[0].class == Class::Keyword, "{word}");
        }
    }
}
