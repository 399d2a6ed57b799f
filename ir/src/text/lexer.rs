//! Tokens of IR text.

use crate::codes::Code;
use crate::diag::{Diagnostic, FileId, Span};

/// A token; `Name` and `Number` stand for themselves, `Str` holds what its escapes mean.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok<'a> {
    Name(&'a str),
    /// Digits with maybe a fraction, an exponent, or `0x`; a sign is a token of its own.
    Number(&'a str),
    Str(String),
    /// One of `( ) { } [ ] , : = # @ - + *`, `->` or `..`.
    Punct(&'static str),
    End,
}

const PUNCT: [&str; 16] = ["->", "..", "(", ")", "{", "}", "[", "]", ",", ":", "=", "#", "@", "-", "+", "*"];

/// Whether a name may hold the character behind its first.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Whether a name is one of a numbered value, `v12`.
pub(super) fn is_value(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The place `start..end` of the text.
pub(super) fn place(start: usize, end: usize) -> Span {
    Span::new(FileId(0), start, end)
}

/// Every token with its place, [`Tok::End`] last.
pub(super) fn lex(text: &str) -> Result<Vec<(Tok<'_>, Span)>, Diagnostic> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let len = match c {
            c if c.is_whitespace() => c.len_utf8(),
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let (s, len) = string(rest, at)?;
                out.push((Tok::Str(s), place(at, at + len)));
                len
            }
            '0'..='9' => {
                let len = number(rest);
                out.push((Tok::Number(&rest[..len]), place(at, at + len)));
                len
            }
            c if c.is_alphabetic() || c == '_' => {
                let len = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
                out.push((Tok::Name(&rest[..len]), place(at, at + len)));
                len
            }
            _ => match PUNCT.into_iter().find(|p| rest.starts_with(p)) {
                Some(p) => {
                    out.push((Tok::Punct(p), place(at, at + p.len())));
                    p.len()
                }
                None => {
                    let span = place(at, at + c.len_utf8());
                    return Err(Diagnostic::error(Code::IrSyntax, "a character that starts no token")
                        .label(span, format!("`{}`", c.escape_default())));
                }
            },
        };
        at += len;
    }
    out.push((Tok::End, place(at, at)));
    Ok(out)
}

/// The length of the number `s` starts with.
fn number(s: &str) -> usize {
    let b = s.as_bytes();
    let digits = |from: usize| from + b[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    if s.starts_with("0x") {
        return 2 + b[2..].iter().take_while(|c| c.is_ascii_hexdigit()).count();
    }
    let mut end = digits(0);
    if b.get(end) == Some(&b'.') && b.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if b.get(end) == Some(&b'e') {
        let sign = matches!(b.get(end + 1), Some(b'+' | b'-')) as usize;
        let exponent = digits(end + 1 + sign);
        end = if exponent > end + 1 + sign { exponent } else { end };
    }
    end
}

/// What the string literal `s` starts with means, and its length.
fn string(s: &str, at: usize) -> Result<(String, usize), Diagnostic> {
    let bad = |message: &str, end: usize| {
        Err(Diagnostic::error(Code::IrSyntax, message).label(place(at, at + end), "in this string"))
    };
    let mut out = String::new();
    let mut chars = s.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Ok((out, i + 1)),
            '\n' => return bad("a string that never ends", i),
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => out.push(c),
                Some((_, 'n')) => out.push('\n'),
                Some((_, 'u')) => {
                    let code: String =
                        chars.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                    match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                        Some(c) => out.push(c),
                        None => return bad("an unknown character code", i + 2),
                    }
                }
                _ => return bad("an unknown escape", i + 1),
            },
            c => out.push(c),
        }
    }
    bad("a string that never ends", s.len())
}
