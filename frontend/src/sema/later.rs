//! What the grammar has and this version does not compile: one error for each construct.

use adc_ir::{Code, Diagnostic, Span};

/// "`what` not compiled yet", `what` ending in its verb.
pub fn not_yet(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::ArraysLater, format!("{what} not compiled yet"))
        .label(span, "reads well, but has no meaning in this version")
        .help("this version compiles arrays and loops; the other parts of the language come next")
}
