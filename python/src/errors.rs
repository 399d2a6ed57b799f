//! adc's errors as exceptions of `adc._errors`.

use adc::{Diagnostics, Error, UsageError};
use pyo3::prelude::*;

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, e: Error) -> PyErr {
    match e {
        Error::Diagnostics(d) => diagnostics(py, "DiagnosticError", &d),
        Error::Runtime { diagnostics: d, .. } => diagnostics(py, "RunError", &d),
        Error::Usage(u) => usage(py, &u),
        Error::Library(e) => diagnostics(py, "DiagnosticError", &Diagnostics::new(&[], e.diagnostic())),
        e => made(py, "DiagnosticError", (e.to_string(), "[]".to_string())),
    }
}

/// The exception for a call that does not fit.
pub(crate) fn usage(py: Python<'_>, u: &UsageError) -> PyErr {
    let help = u.help().map_or(String::new(), |h| format!("\n  = help: {h}"));
    misuse(py, format!("{u}{help}"))
}

/// The exception for a call that does not fit, in these words.
pub(crate) fn misuse(py: Python<'_>, text: impl Into<String>) -> PyErr {
    made(py, "UsageError", (text.into(), "[]".to_string()))
}

/// The exception of this name for messages with source lines.
pub(crate) fn diagnostics(py: Python<'_>, class: &str, d: &Diagnostics) -> PyErr {
    made(py, class, (d.to_string().trim_end().to_string(), d.to_json().to_string()))
}

fn made(py: Python<'_>, class: &str, arguments: (String, String)) -> PyErr {
    let class = py.import("adc._errors").and_then(|m| m.getattr(class));
    class.and_then(|class| class.call1(arguments)).map_or_else(|e| e, PyErr::from_value)
}
