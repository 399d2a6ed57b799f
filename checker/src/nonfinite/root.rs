//! What is found: the operation a NaN or an infinity comes from.

use adc_ir::interp::Turn;
use adc_ir::{Op, Span};
use num_complex::Complex64;

/// What an operation on numbers was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A sum.
    Add,
    /// A difference.
    Sub,
    /// A product.
    Mul,
    /// A quotient.
    Div,
    /// A product and a sum with one rounding.
    Fma,
    /// A function.
    Function(Op),
    /// A native function.
    Native,
    /// Rounding to single precision.
    Stored,
    /// A literal.
    Literal,
    /// An argument.
    Input,
}

impl How {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            How::Add => "add",
            How::Sub => "sub",
            How::Mul => "mul",
            How::Div => "div",
            How::Fma => "fma",
            How::Function(op) => op.name(),
            How::Native => "native",
            How::Stored => "to_f32",
            How::Literal => "literal",
            How::Input => "input",
        }
    }
}

/// Where a number became zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// In this expression.
    At(Span),
    /// It is one of the arguments, by position.
    Input(usize),
}

/// An operation that gave a NaN or an infinity.
#[derive(Clone, Debug)]
pub struct Birth {
    /// The expression whose value or derivative is computed.
    pub span: Span,
    /// What the operation is,
    pub how: How,
    /// on these numbers, parts of complex ones apart,
    pub operands: Vec<f64>,
    /// and what it gave.
    pub result: f64,
    /// The op of the function there whose derivative is computed; `None` if it is the function's value itself that is, or more
    /// than one op.
    pub derivative_of: Option<Op>,
    /// The operands of that op, where they are known.
    pub at: Vec<Complex64>,
    /// The loops that are running, outermost first.
    pub turns: Vec<Turn>,
    /// Of a product, where its zero comes from.
    pub zero: Option<Zero>,
}

/// Where a derivative that is not finite comes from.
#[derive(Clone, Debug)]
pub struct Root {
    /// Whether it was found in the program of reverse mode, whose loops may run backwards.
    pub reverse: bool,
    /// The first operation that gave something that is not finite, of numbers that are.
    pub born: Birth,
    /// Where a NaN was made of that: 0 · ∞, ∞ − ∞, ∞/∞.
    pub met: Option<Birth>,
    /// Another way to write it, where one is known.
    pub rewrite: Option<String>,
}
