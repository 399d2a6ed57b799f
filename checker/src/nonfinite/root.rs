//! What is found: the operation a NaN or an infinity comes from.

use adc_ir::interp::Iteration;
use adc_ir::{Op, Span};
use num_complex::Complex64;

/// Where a number became zero.
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
    /// In the argument at this position.
    Input(usize),
}

/// The origin of a derivative that is not finite.
#[derive(Clone, Debug)]
pub struct Birth {
    /// The expression whose value or derivative is computed.
    pub span: Span,
    /// What the operation is.
    pub how: How,
    /// Its operands; the parts of complex ones separately.
    pub operands: Vec<f64>,
    /// Its result.
    pub result: f64,
    /// The op of the function whose derivative is computed there; `None` if it is the function's value itself, or if there
    /// is more than one op.
    pub derivative_of: Option<Op>,
    /// The operands of that op, where known.
    pub at: Vec<Complex64>,
    /// The loops around it, outermost first.
    pub iterations: Vec<Iteration>,
    /// For a product, where its zero comes from.
    pub zero: Option<Zero>,
}

/// The origin of a derivative that is not finite.
#[derive(Clone, Debug)]
pub struct Root {
    /// Whether it was found in the program of reverse mode, whose loops may run backwards.
    pub reverse: bool,
    /// The first operation whose result is not finite although its operands are.
    pub born: Birth,
    /// Where that became a NaN: 0 · ∞, ∞ − ∞, ∞/∞.
    pub met: Option<Birth>,
    /// Another way to write the expression, if one is known.
    pub rewrite: Option<String>,
}
