//! Run-time errors of models, the same from interpreter and compiled code.

use crate::codes::Code;
use crate::diag::{Diagnostic, Span};
use std::fmt;

/// Why a run ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trap {
    /// An `i64` operation overflowed.
    IntegerOverflow,
    /// `div` or `mod` of integers by zero.
    DivisionByZero,
    /// `i64(x)` of NaN or out of range.
    BadConversion,
    /// An argument outside its declared domain; the text names it.
    Domain(String),
    /// An `assert` that failed, with its text.
    Assert(String),
    /// Native code returned a status other than 0.
    Extern {
        /// The extern function.
        name: String,
        /// What it returned; [`Trap::PANICKED`] of a Rust function that panicked.
        status: i32,
    },
    /// An index outside its axis.
    IndexOutOfRange {
        /// The index (of a slice: the first or the last one that is outside).
        index: i64,
        /// The size of the axis.
        size: i64,
    },
    /// `max`, `min`, `argmax`, `argmin` of nothing.
    EmptyReduction,
    /// The step of a `for` that is not positive.
    BadStep(i64),
    /// A matrix that is exactly singular, or for `cholesky` not positive definite.
    Singular,
    /// The run limit is used up.
    OutOfFuel,
    /// The memory limit is used up.
    OutOfMemory,
    /// A size that is negative.
    NegativeSize(i64),
}

impl Trap {
    /// The status of an extern function, written in Rust, that panicked.
    pub const PANICKED: i32 = i32::MIN;
    /// The status of an extern function that failed without saying how.
    pub const UNNAMED: i32 = -1;
}

/// A [`Trap`] with the source expression that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeError {
    /// What happened.
    pub trap: Trap,
    /// Where.
    pub span: Span,
}

impl RuntimeError {
    /// The error as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, label, help) = match &self.trap {
            Trap::IntegerOverflow => (
                Code::IntegerOverflow,
                "leaves the range of `i64`",
                "compute in `f64`, or bound the operands",
            ),
            Trap::DivisionByZero => (Code::DivisionByZero, "the divisor is 0 here", "guard it with an `if`"),
            Trap::BadConversion => {
                (Code::BadConversion, "is NaN or out of range here", "guard it with `isfinite`, or clamp it")
            }
            Trap::Domain(_) => {
                (Code::DomainError, "outside the domain", "widen the domain, or clamp the argument")
            }
            Trap::Assert(_) => {
                (Code::AssertFailed, "is false here", "the inputs of the run violate the assertion")
            }
            Trap::Extern { status: Trap::PANICKED, .. } => {
                (Code::ExternFailed, "this call failed", "the message of the panic is on standard error")
            }
            Trap::Extern { .. } => {
                (Code::ExternFailed, "this call failed", "the status is the extern function's own")
            }
            Trap::IndexOutOfRange { .. } => (
                Code::IndexOutOfRange,
                "outside the array",
                "indices are 0-based and end before the size; clamp the index, or guard it with an `if`",
            ),
            Trap::EmptyReduction => {
                (Code::EmptyReduction, "the range is empty here", "guard it with an `if` on the size")
            }
            Trap::BadStep(_) => (Code::BadStep, "this step", "make the step at least 1"),
            Trap::Singular => {
                (Code::Singular, "singular here", "add a small multiple of the identity, or check the inputs")
            }
            Trap::OutOfFuel => (
                Code::OutOfFuel,
                "still running here",
                "the loop may never end; if it does end, raise the limit on iterations",
            ),
            Trap::OutOfMemory => (Code::OutOfMemory, "this array does not fit", "raise the memory limit"),
            Trap::NegativeSize(_) => {
                (Code::NegativeSize, "the size of this array", "guard it with an `if` on the dimensions")
            }
        };
        Diagnostic::error(code, self.trap.to_string()).label(self.span, label).help(help)
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trap::IntegerOverflow => write!(f, "integer overflow"),
            Trap::DivisionByZero => write!(f, "integer division by zero"),
            Trap::BadConversion => write!(f, "a real number has no `i64` value"),
            Trap::Domain(what) => write!(f, "an argument is outside its domain: {what}"),
            Trap::Assert(text) => write!(f, "assertion failed: {text}"),
            Trap::Extern { name, status: Trap::PANICKED } => write!(f, "extern function `{name}` panicked"),
            Trap::Extern { name, status } => write!(f, "extern function `{name}` returned status {status}"),
            Trap::IndexOutOfRange { index, size } => {
                write!(f, "index {index} is outside an axis of size {size}")
            }
            Trap::EmptyReduction => write!(f, "a maximum or minimum over an empty range"),
            Trap::BadStep(step) => write!(f, "the step of a loop is {step}, not positive"),
            Trap::Singular => write!(f, "the matrix is singular"),
            Trap::OutOfFuel => write!(f, "the limit on loop iterations is exceeded"),
            Trap::OutOfMemory => write!(f, "the memory limit is exceeded"),
            Trap::NegativeSize(size) => write!(f, "an array of negative size {size}"),
        }
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trap.fmt(f)
    }
}

impl std::error::Error for RuntimeError {}
