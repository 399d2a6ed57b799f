//! Characters that look like, or are used in print for, something the language writes otherwise.

use super::lexer::Tok;
use adc_ir::{Certainty, Diagnostic, Span};

/// A row of the table.
pub struct Lookalike {
    character: char,
    /// What it means in words.
    name: &'static str,
    /// How it is written in adc.
    written: &'static str,
    /// The token it is read as; `None` if one token cannot stand for it.
    pub token: Option<Tok>,
}

impl Lookalike {
    /// The help line.
    pub fn help(&self) -> String {
        format!("{} is written {}", self.name, self.written)
    }

    /// Adds the suggestion to write the token, if one text stands for it.
    pub fn suggest(&self, d: Diagnostic, span: Span) -> Diagnostic {
        let text = self.written.strip_prefix('`').and_then(|w| w.strip_suffix('`'));
        match text.filter(|t| self.token.is_some() && !t.contains(char::is_alphanumeric)) {
            Some(text) => d.replace(span, text, Certainty::Certain),
            None => d,
        }
    }
}

/// The row of a character.
pub fn find(c: char) -> Option<&'static Lookalike> {
    TABLE.iter().find(|row| row.character == c)
}

const fn row(character: char, name: &'static str, written: &'static str, token: Tok) -> Lookalike {
    Lookalike { character, name, written, token: Some(token) }
}

const fn text(character: char, name: &'static str, written: &'static str) -> Lookalike {
    Lookalike { character, name, written, token: None }
}

#[rustfmt::skip]
const TABLE: &[Lookalike] = &[
    row('−', "minus", "`-`", Tok::Minus),
    row('–', "minus", "`-`", Tok::Minus),
    row('—', "minus", "`-`", Tok::Minus),
    row('×', "a product", "`*`", Tok::Star),
    row('·', "a product", "`*`", Tok::Star),
    row('⋅', "a product", "`*`, of vectors `dot(x, y)`", Tok::Star),
    row('≈', "\"about equal\"", "`abs(a - b) < 1e-9`", Tok::EqEq),
    row('∗', "a product", "`*`", Tok::Star),
    row('÷', "a quotient", "`/`, of integers `div(a, b)`", Tok::Slash),
    row('∕', "a quotient", "`/`", Tok::Slash),
    row('≤', "\"at most\"", "`<=`", Tok::Le),
    row('≥', "\"at least\"", "`>=`", Tok::Ge),
    row('≠', "\"not equal\"", "`!=`", Tok::NotEq),
    row('≡', "\"equal\"", "`==`", Tok::EqEq),
    row('∧', "\"and\"", "`&&`", Tok::AndAnd),
    row('∨', "\"or\"", "`||`", Tok::OrOr),
    row('¬', "\"not\"", "`!`", Tok::Not),
    row('→', "the arrow", "`->`", Tok::Arrow),
    row('∈', "\"in\"", "`in`", Tok::In),
    row('∼', "\"distributed as\"", "`~`", Tok::Tilde),
    row('…', "a range", "`a..b`", Tok::DotDot),
    row('′', "the conjugate transpose", "`'`", Tok::Quote),
    row('’', "the conjugate transpose", "`'`", Tok::Quote),
    row('，', "the comma", "`,`", Tok::Comma),
    row('；', "the semicolon", "`;`", Tok::Semi),
    row('：', "the colon", "`:`", Tok::Colon),
    row('（', "the parenthesis", "`(`", Tok::LParen),
    row('）', "the parenthesis", "`)`", Tok::RParen),
    text('⁻', "a negative power", "`x^-1`"),
    text('¹', "a power", "`x^1`"),
    text('²', "a square", "`x^2`"),
    text('³', "a cube", "`x^3`"),
    text('⁴', "a power", "`x^4`"),
    text('√', "the square root", "`sqrt(x)`"),
    text('∛', "the cube root", "`cbrt(x)`"),
    text('∑', "a sum", "`sum(x[i] for i)`"),
    text('∏', "a product over a range", "`prod(x[i] for i)`"),
    text('∞', "infinity", "`INF`"),
    text('∂', "a derivative", "`grad(f)(x)`"),
    text('∇', "a gradient", "`grad(f)(x)`"),
    text('½', "one half", "`0.5`"),
    text('°', "an angle in degrees", "in radians: `x*PI/180`"),
    text('“', "a string", "with `\"`"),
    text('”', "a string", "with `\"`"),
    text('‘', "a string", "with `\"`"),
    text('`', "a string", "with `\"`"),
    text('$', "a name", "with letters, digits and `_`"),
    text('\\', "a quotient", "`/`, a linear system `solve(A, b)`"),
];
