//! Source text to syntax tree: tokens, grammar, tree, dump. Nothing here knows types or resolves names.

pub mod ast;
pub mod dump;
mod errors;
mod lexer;
mod lookalike;
mod ops;
mod parser;
pub mod position;
pub mod suggest;
pub mod walk;

pub use lexer::KEYWORDS;
pub(crate) use lexer::{Comment, Tok, Token, Tokens};
pub use parser::{LINE_WORDS, attributes};

use adc_ir::{Code, Diagnostic, Diagnostics, FileId, Span};

/// Longest source file, in bytes.
pub const MAX_FILE: usize = 4 << 20;

/// Reads a file. The tree holds what could be read; what could not is in the diagnostics, each an error.
pub fn parse(file: FileId, text: &str) -> (ast::File, Diagnostics) {
    let (tree, _, diagnostics) = read(file, text);
    (tree, diagnostics)
}

/// As [`parse`], with the tokens.
pub(crate) fn read(file: FileId, text: &str) -> (ast::File, Tokens, Diagnostics) {
    let mut errors = errors::Errors::default();
    if text.len() > MAX_FILE {
        let tokens = lexer::lex(file, "", &mut errors);
        return (ast::File { file, language: None, items: Vec::new() }, tokens, too_large(file, text).into());
    }
    let tokens = lexer::lex(file, text, &mut errors);
    let (tree, diagnostics) = parser::parse(file, text, &tokens, errors);
    (tree, tokens, diagnostics)
}

fn too_large(file: FileId, text: &str) -> Diagnostic {
    let start = text.floor_char_boundary(MAX_FILE);
    let end = text.ceil_char_boundary(start + 1);
    Diagnostic::error(Code::TooLarge, format!("the file has {} bytes, more than {MAX_FILE}", text.len()))
        .label(Span::new(file, start, end), "the limit is here")
        .help("split it with `use`, or give data as `x = load(\"x.npy\");`")
}
