//! Source text to tokens. White space is dropped; comments are kept aside, and the text of `///` lines for the items
//! they document. Contextual words (`rule`, `wrt`, `slow`, …) and the derivative operators are plain names here.

use super::errors::Errors;
use super::lookalike;
use adc_ir::{Code, Diagnostic, FileId, Span};
use logos::{Lexer, Logos};

/// A token: what it is and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is; numbers, names and strings are read from the text.
    pub kind: Tok,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Whether it is the first token of its line.
    pub first_on_line: bool,
    /// Whether what stood right before it is no token and has been reported.
    pub after_error: bool,
}

/// Tokens of a file.
pub struct Tokens {
    /// In order; the last one is [`Tok::Eof`].
    pub tokens: Vec<Token>,
    /// `///` lines: the index of the token that follows, and the text of the line.
    pub docs: Vec<(usize, String)>,
    /// Every comment, in order.
    pub comments: Vec<Comment>,
}

/// A comment of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// First byte.
    pub start: u32,
    /// One past the last byte; of a line comment the line end, which is not part of it.
    pub end: u32,
    /// The index of the token that follows.
    pub next: usize,
}

/// The kinds of tokens, with those of other languages that can start nothing here: the parser says how
/// they are written in adc.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[\p{White_Space}\u{FEFF}]+")]
#[allow(missing_docs)]
pub enum Tok {
    #[token("fn")]
    Fn,
    #[token("let")]
    Let,
    #[token("var")]
    Var,
    #[token("const")]
    Const,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("for")]
    For,
    #[token("while")]
    While,
    #[token("in")]
    In,
    #[token("use")]
    Use,
    #[token("extern")]
    Extern,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("assert")]
    Assert,
    /// Letters, digits, marks on letters, `_`, and subscript digits.
    #[regex(r"[\p{L}_][\p{L}\p{M}\p{Nd}_\u{2080}-\u{2089}]*")]
    Name,
    /// A number that starts with a digit.
    #[regex("[0-9]", number)]
    Number(Number),
    /// A string; `false` if it is not closed on its line.
    #[token("\"", string)]
    Str(bool),
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token(":")]
    Colon,
    #[token("..")]
    DotDot,
    #[token("->")]
    Arrow,
    #[token("~")]
    Tilde,
    #[token("#")]
    Hash,
    #[token("'")]
    Quote,
    #[token("!")]
    Not,
    #[token("=")]
    Assign,
    #[token("+=")]
    AddAssign,
    #[token("-=")]
    SubAssign,
    #[token("*=")]
    MulAssign,
    #[token("/=")]
    DivAssign,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("@")]
    At,
    #[token("^")]
    Caret,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    // Tokens of other languages.
    #[token(".")]
    Dot,
    #[token("..=")]
    #[token("...")]
    DotDotEq,
    #[token("**")]
    StarStar,
    #[token("%")]
    Percent,
    #[token("&")]
    Amp,
    #[token("|")]
    Pipe,
    #[token("?")]
    Question,
    #[token("=>")]
    FatArrow,
    #[token(":=")]
    ColonEq,
    #[token("::")]
    ColonColon,
    #[token("===")]
    #[token("!==")]
    EqEqEq,
    #[token("^=")]
    #[token("%=")]
    #[token("**=")]
    #[token("&=")]
    #[token("|=")]
    OtherAssign,
    /// Dropped: a comment to the end of the line.
    #[token("//", line_comment)]
    LineComment,
    /// Dropped: a block comment; `false` if it is not closed.
    #[token("/*", block_comment)]
    BlockComment(bool),
    /// The end of the text.
    Eof,
}

/// The words with a token of their own.
pub const KEYWORDS: [&str; 14] = [
    "fn", "let", "var", "const", "if", "else", "for", "while", "in", "use", "extern", "true", "false",
    "assert",
];

/// The form of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `12`
    Int,
    /// `1.5`
    Real,
    /// `1.5i`
    Imag,
    /// Letters or digits stick to it that belong to no number.
    Bad,
}

/// Splits `text` into tokens. What is no token is reported and left out.
pub fn lex(file: FileId, text: &str, errors: &mut Errors) -> Tokens {
    let mut out = Tokens { tokens: Vec::new(), docs: Vec::new(), comments: Vec::new() };
    let mut lexer = Tok::lexer(text);
    let (mut last_end, mut after_error) = (0, false);
    while let Some(result) = lexer.next() {
        let (mut range, mut kind) = (lexer.span(), result);
        if kind.is_err() {
            (range, kind) = stray(file, &mut lexer, errors);
        }
        let Ok(kind) = kind else {
            after_error = true;
            continue;
        };
        let span = Span::new(file, range.start, range.end);
        if matches!(kind, Tok::LineComment | Tok::BlockComment(_)) {
            let next = out.tokens.len();
            out.comments.push(Comment { start: span.start, end: span.end, next });
        }
        match kind {
            Tok::LineComment => {
                if let Some(doc) = doc_text(&text[range]) {
                    out.docs.push((out.tokens.len(), doc.to_string()));
                }
                continue;
            }
            Tok::BlockComment(closed) => {
                if !closed {
                    after_error = true;
                    errors.push(unclosed_comment(Span::new(file, range.start, range.start + 2)));
                }
                continue;
            }
            Tok::Str(false) => errors.push(
                Diagnostic::error(Code::UnterminatedString, "this string has no end")
                    .label(span, "no `\"` on the rest of the line")
                    .help("close it with `\"`; a line end inside is written `\\n`"),
            ),
            Tok::Number(Number::Bad) => errors.push(bad_number(&text[range.clone()], span)),
            _ => {}
        }
        let first_on_line = out.tokens.is_empty() || text[last_end..range.start].contains('\n');
        last_end = range.end;
        out.tokens.push(Token {
            kind,
            start: range.start as u32,
            end: range.end as u32,
            first_on_line,
            after_error,
        });
        after_error = kind == Tok::Str(false);
        if errors.is_full() {
            break;
        }
    }
    let end = text.len() as u32;
    out.tokens.push(Token { kind: Tok::Eof, start: end, end, first_on_line: true, after_error });
    out
}

/// Reports what starts no token. A character that looks like a token counts as that token, so that
/// one foreign minus sign gives one message.
fn stray(
    file: FileId,
    lexer: &mut Lexer<'_, Tok>,
    errors: &mut Errors,
) -> (std::ops::Range<usize>, Result<Tok, ()>) {
    let text = lexer.source();
    let start = lexer.span().start;
    let first = text[start..].chars().next().unwrap_or(' ');
    let mut end = start + first.len_utf8();
    let found = lookalike::find(first);
    if found.is_none() {
        // A run of characters of the same sort is one mistake.
        let same = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace();
        let rest = text[end..].chars().take_while(|&c| same(c) && lookalike::find(c).is_none());
        end += rest.map(char::len_utf8).sum::<usize>();
    }
    lexer.bump(end.saturating_sub(lexer.span().end));
    let what = &text[start..end];
    let unknown =
        Diagnostic::error(Code::UnknownToken, format!("`{}` is not part of the language", shown(what)));
    let unknown = unknown.label(Span::new(file, start, end), "no token starts with this");
    errors.push(match found {
        Some(look) => look.suggest(unknown.help(look.help()), Span::new(file, start, end)),
        None => unknown.help("remove it; names consist of letters, digits and `_`"),
    });
    (start..end, found.and_then(|look| look.token).ok_or(()))
}

/// A piece of source text in a message: control characters as escapes, and not too long.
pub fn shown(text: &str) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == 24 {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

fn doc_text(comment: &str) -> Option<&str> {
    let doc = comment.strip_prefix("///")?;
    if doc.starts_with('/') { None } else { Some(doc.strip_prefix(' ').unwrap_or(doc).trim_end()) }
}

fn unclosed_comment(span: Span) -> Diagnostic {
    Diagnostic::error(Code::UnterminatedComment, "this comment has no end")
        .label(span, "opened here")
        .help("each `/*` needs its own `*/`, also inside another comment")
}

fn bad_number(text: &str, span: Span) -> Diagnostic {
    let d = Diagnostic::error(Code::BadNumber, format!("`{}` is not a number", shown(text)));
    let lower = text.to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.');
    let tail = &text[digits.len()..];
    let (label, help) = if ["0x", "0b", "0o"].iter().any(|p| lower.starts_with(p)) {
        ("only decimal numbers exist", "write the number in decimal".to_string())
    } else if lower.ends_with('e') || lower.ends_with("e-") || lower.ends_with("e+") {
        ("the exponent has no digits", "write it like `1e-3`".to_string())
    } else if tail == "j" || tail == "I" || tail == "im" || tail == "J" {
        ("an imaginary number ends in `i`", format!("write `{digits}i`"))
    } else if ["f64", "f32", "i64", "f", "u", "l", "d"].iter().any(|s| lower.ends_with(s)) {
        (
            "a number has no suffix",
            "the type comes from where the number is used; convert with `f32(…)`".into(),
        )
    } else if let Some((mantissa, exponent)) = text.split_once(['d', 'D'])
        && [mantissa, exponent].iter().all(|p| p.parse::<f64>().is_ok())
    {
        ("an exponent follows `e`", format!("write `{mantissa}e{exponent}`"))
    } else if text.matches('.').count() > 1 {
        ("two points in one number", "write it like `1.5`; a range is written `a..b`".to_string())
    } else if !digits.is_empty() && !tail.is_empty() && tail.chars().all(|c| c == '_' || c.is_alphanumeric())
    {
        ("letters right after a number", format!("a product needs its `*`: `{digits}*{tail}`"))
    } else {
        (
            "cannot be read as a number",
            "numbers are written `12`, `1_000`, `1.5`, `2.`, `1e-3`, `2.5i`".to_string(),
        )
    };
    d.label(span, label).help(help)
}

fn line_comment(lexer: &mut Lexer<'_, Tok>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
}

fn block_comment(lexer: &mut Lexer<'_, Tok>) -> bool {
    let rest = lexer.remainder().as_bytes();
    let (mut depth, mut i) = (1, 0);
    while i < rest.len() && depth > 0 {
        match (rest[i], rest.get(i + 1)) {
            (b'*', Some(b'/')) => (depth, i) = (depth - 1, i + 2),
            (b'/', Some(b'*')) => (depth, i) = (depth + 1, i + 2),
            _ => i += 1,
        }
    }
    lexer.bump(i);
    depth == 0
}

fn string(lexer: &mut Lexer<'_, Tok>) -> bool {
    let mut escaped = false;
    for (i, c) in lexer.remainder().char_indices() {
        match c {
            '\n' => {
                lexer.bump(i);
                return false;
            }
            '"' if !escaped => {
                lexer.bump(i + 1);
                return true;
            }
            _ => escaped = c == '\\' && !escaped,
        }
    }
    lexer.bump(lexer.remainder().len());
    false
}

/// Scans the rest of a number. The point belongs to it only if no point, letter or `_` follows, so that
/// `0..n` is a range; an `i` that ends the word makes it imaginary.
fn number(lexer: &mut Lexer<'_, Tok>) -> Number {
    let rest = lexer.remainder();
    let bytes = rest.as_bytes();
    let digits = |mut i: usize| {
        while bytes.get(i).is_some_and(|b| b.is_ascii_digit() || *b == b'_') {
            i += 1;
        }
        i
    };
    let word = |i: usize| rest[i..].chars().next().is_some_and(|c| c == '_' || c.is_alphanumeric());
    let mut form = Number::Int;
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        let digit = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if digit || !word(end + 1) {
            form = Number::Real;
            end = digits(end + 1);
        }
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = matches!(bytes.get(end + 1), Some(b'+' | b'-')) as usize;
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            form = Number::Real;
            end = digits(end + 1 + sign);
        }
    }
    if bytes.get(end) == Some(&b'i') && !word(end + 1) {
        form = Number::Imag;
        end += 1;
    }
    let mut bad = false;
    while let Some(c) = rest[end..].chars().next() {
        let point = c == '.' && form == Number::Real && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(c == '_' || c.is_alphanumeric() || point) {
            break;
        }
        bad = true;
        end += c.len_utf8();
    }
    lexer.bump(end);
    if bad { Number::Bad } else { form }
}
