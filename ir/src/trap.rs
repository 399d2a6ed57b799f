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
        /// What it returned.
        status: i32,
    },
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
            Trap::Domain(_) => (Code::DomainError, "is outside", "widen the domain, or clamp the argument"),
            Trap::Assert(_) => {
                (Code::AssertFailed, "is false here", "the inputs of the run violate the assertion")
            }
            Trap::Extern { .. } => {
                (Code::ExternFailed, "this call failed", "the number is the extern function's own status")
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
            Trap::Extern { name, status } => write!(f, "extern function `{name}` returned status {status}"),
        }
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trap.fmt(f)
    }
}

impl std::error::Error for RuntimeError {}
