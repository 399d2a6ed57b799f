//! The grammar: recursive descent for items, types and statements, precedence climbing for expressions.
//!
//! A function that cannot read its part reports an error once and gives [`Reported`] up to the next
//! place that can go on: a parameter, a line of a block, a statement, an item. Recovery looks at
//! `;`, braces and words that start something; it never counts `(` and `[`, for the ends of a half-open interval
//! `(0, 1]` do not match.

mod atoms;
mod attrs;
mod blocks;
mod calls;
mod checks;
mod cursor;
mod exprs;
mod foreign;
mod items;
mod loops;
mod names;
mod recover;
mod report;
mod rules;
mod signature;
mod stmts;
mod types;

pub use attrs::attributes;
pub use checks::WORDS as LINE_WORDS;

use super::ast::*;
use super::errors::Errors;
use super::lexer::{Tok, Token, Tokens, shown};
use adc_ir::{Certainty, Code, Diagnostic, Diagnostics, FileId, RuleCheck, Span};

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
        once: Default::default(),
    };
    let language = p.language();
    let items = p.items();
    (File { file, language, items }, p.errors.finish())
}

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    tokens: &'a [Token],
    docs: &'a [(usize, String)],
    /// Index of the next token.
    pos: usize,
    /// Nesting of blocks, brackets and types at this point.
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
    /// Habits that are explained once in a file, at their first place.
    once: std::collections::BTreeSet<&'static str>,
}

/// An opening bracket that waits for its partner.
#[derive(Clone, Copy)]
struct Open {
    span: Span,
    close: Tok,
}

/// A closing bracket as text.
fn tok_text(kind: Tok) -> &'static str {
    match kind {
        Tok::RParen => ")",
        Tok::RBracket => "]",
        _ => "}",
    }
}
