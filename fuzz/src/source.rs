//! Sources: compiled, and checked.

use crate::{Outcome, adc};
use adc::ir::Severity;
use adc::{CheckOptions, Externs, Model, Settings};
use serde_json::Value as Json;

/// Codes that are wrong whatever the source: programs for the same value differ.
pub(crate) const WRONG_OF_ANY: &[&str] = &["ADC0307", "ADC0311", "ADC0312"];
/// Codes that are wrong if every rule of the source is right.
pub(crate) const WRONG_OF_RIGHT: &[&str] =
    &["ADC0301", "ADC0303", "ADC0306", "ADC0307", "ADC0310", "ADC0311", "ADC0312"];

/// Compiles a source and, if asked to, checks what it has; no error may have a code that is `wrong`.
pub(crate) fn run(source: &str, check: bool, wrong: &[&str]) -> Result<Outcome, String> {
    match Model::parse("-", source) {
        Err(errors) => {
            if errors.items.is_empty() {
                return Err("refused without an error".to_string());
            }
            let Json::Array(errors) = errors.to_json() else { return Err("errors are a list".to_string()) };
            errors.iter().try_for_each(|e| well_formed(e, source))?;
            Ok(Outcome::Refused)
        }
        Ok(_) if !check => Ok(Outcome::Accepted),
        Ok(_) => checked(source, wrong),
    }
}

/// The same of a source that calls native functions, which a program that embeds adc binds.
pub(crate) fn run_with(
    source: &str,
    check: bool,
    externs: Externs,
    wrong: &[&str],
) -> Result<Outcome, String> {
    let outcome = run(source, false, wrong)?;
    if outcome == Outcome::Refused || !check {
        return Ok(outcome);
    }
    let model = Model::parse("-", source).map_err(|e| e.to_string())?;
    let mut settings = Settings::default();
    (settings.points, settings.special) = (Some(2), Some(2));
    let report = adc::check(&model, &CheckOptions::default().with_settings(settings).with_externs(externs));
    let errors = report.reports.iter().flat_map(|r| &r.diagnostics).filter(|d| d.severity == Severity::Error);
    match errors.map(|d| (d.code.to_string(), &d.message)).find(|(code, _)| wrong.contains(&code.as_str())) {
        Some((code, message)) => Err(format!("{code} {message}")),
        None => Ok(Outcome::Checked),
    }
}

fn checked(source: &str, wrong: &[&str]) -> Result<Outcome, String> {
    // A file without blocks is checked as a whole; no sampled point takes long.
    let ended =
        adc(&["check", "-", "--points", "2", "--special", "2", "--format", "json"], source.as_bytes());
    let json: Json =
        serde_json::from_str(&ended.out).map_err(|e| format!("{e} in {}{}", ended.out, ended.err))?;
    let said = json["diagnostics"].as_array().ok_or("no diagnostics")?;
    let errors: Vec<_> = said.iter().filter(|d| d["severity"] == "error").collect();
    if let Some(e) = errors.iter().find(|e| wrong.iter().any(|w| e["code"] == *w)) {
        return Err(format!("{} {}", e["code"], e["message"]));
    }
    match ended.code {
        0 | 1 => Ok(Outcome::Checked),
        2 if errors.is_empty() => Err(format!("exit 2 without an error: {}", ended.out)),
        2 => {
            errors.into_iter().try_for_each(|e| well_formed(e, source))?;
            Ok(Outcome::Accepted)
        }
        code => Err(format!("exit {code}: {}", ended.err)),
    }
}

/// An error has a code, and a span inside of the source.
fn well_formed(error: &Json, source: &str) -> Result<(), String> {
    let code = error["code"].as_str().unwrap_or_default();
    let span = &error["labels"][0]["span"];
    let inside = match (span["start"].as_u64(), span["end"].as_u64()) {
        (Some(start), Some(end)) => start <= end && end as usize <= source.len(),
        _ => false,
    };
    if code.starts_with("ADC0") && inside {
        Ok(())
    } else {
        Err(format!("an error without a code or a span: {error}"))
    }
}
