//! The commands of lenses: a check, which runs beside everything else and can be cancelled, and the derivative of a function.

use super::diagnostics;
use super::world::{Buffers, Known};
use crate::report::{CheckOptions, Checks, Selection};
use adc_checker::{Observer, Progress, Report};
use adc_ir::Diagnostic;
use adc_jit::Cancel;
use serde_json::{Value as Json, json};

/// Checks a function: document, function.
pub(super) const CHECK: &str = "adc.check";
/// Shows the derivative of a function: document, function, and `formula` or `program`.
pub(super) const DERIVATIVE: &str = "adc.showDerivative";

/// What a check found.
pub(super) struct Finding {
    /// The answer to the command.
    pub(super) answer: Json,
    /// The messages of the checks that did not pass.
    pub(super) messages: Vec<lsp_types::Diagnostic>,
    /// A line for the user.
    pub(super) line: String,
    pub(super) passed: bool,
}

struct Watcher<'a>(&'a Cancel);

impl Observer for Watcher<'_> {
    fn progress(&self, _: Progress) {}

    fn cancel(&self) -> Option<&Cancel> {
        Some(self.0)
    }
}

/// Checks one function of a text, or all.
///
/// # Errors
/// The text has errors, or there is nothing to check.
pub(super) fn check(
    name: &str,
    text: &str,
    buffers: &Buffers,
    function: Option<&str>,
    cancel: &Cancel,
) -> Result<Finding, String> {
    let known = Known::of(name, text, buffers);
    let model = known.model.as_ref().ok_or("the file has errors: nothing was checked")?;
    let options = CheckOptions::default();
    let selection = function.map_or(Selection::default(), |f| Selection::default().with_function(f));
    let checks = Checks::of(model, &options, &selection).map_err(|d| d.to_string())?;
    let mut reports = Vec::new();
    for k in 0..checks.len() {
        reports.extend(checks.run(&options, k, &Watcher(cancel)));
        if cancel.is_cancelled() {
            return Err("cancelled".to_string());
        }
    }
    if reports.is_empty() {
        let what = function.map_or("this file".to_string(), |f| format!("`{f}`"));
        return Err(format!("there is nothing to check in {what}"));
    }
    let file = checks.finish(reports);
    let rows = file.rows();
    let passes = |r: &Report| r.passes(false);
    let failed: Vec<&str> = rows.iter().filter(|r| !passes(r)).map(|r| r.name.as_str()).collect();
    let points: usize = rows.iter().map(|r| r.counts.points).max().unwrap_or(0);
    let line = match (&failed[..], function) {
        ([], Some(f)) => {
            format!("ok: the derivatives of `{f}` agree with finite differences at {points} points")
        }
        ([], None) => format!("ok: {} functions agree with finite differences", rows.len()),
        (failed, _) => format!("FAIL: {}", failed.join(", ")),
    };
    let told: Vec<&Diagnostic> =
        file.reports.iter().filter(|r| !passes(r)).flat_map(|r| &r.diagnostics).collect();
    let answer = json!({
        "passed": failed.is_empty(),
        "message": line,
        "functions": rows.iter().map(|r| json!({
            "name": r.name, "passed": passes(r), "points": r.counts.points, "worst_ratio": crate::json::number(r.worst_ratio),
        })).collect::<Vec<_>>(),
        "diagnostics": told.iter().map(|d| crate::json::diagnostic(super::world::sources(&known), d)).collect::<Vec<_>>(),
    });
    let messages = told.into_iter().map(|d| diagnostics::one(&known, d)).collect();
    Ok(Finding { answer, messages, line, passed: failed.is_empty() })
}

/// The derivative of a function: as mathematics if that can be, else as a program.
///
/// # Errors
/// The text has errors, or the function has no derivative.
pub(super) fn derivative(known: &Known, function: &str, form: Option<&str>) -> Result<Json, String> {
    let model = known.model.as_ref().ok_or("the file has errors: there is no derivative to show")?;
    let f = model.function(function).map_err(|e| e.to_string())?;
    let formula = if form == Some("program") { None } else { crate::cli::emit::formula(&f) };
    let (language, text) = match (formula, form) {
        (Some(text), _) => ("plaintext", text),
        (None, Some("formula")) => return Err(format!("`{function}` has no formula that could be printed")),
        (None, _) => ("adc-ir", crate::cli::emit::reverse_program(&f).map_err(|d| d.to_string())?),
    };
    Ok(json!({"title": format!("derivative of {function}"), "language": language, "text": text}))
}
