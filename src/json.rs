//! Values and diagnostics as JSON: floats print so that reading them back gives the same bits,
//! non-finite ones are strings, complex numbers are `{"re": …, "im": …}`.

use crate::SourceFile;
use crate::render::line_column;
use crate::value::{Value, element};
use adc_ir::{Certainty, Const, Diagnostic, Severity, Span, Suggestion};
use adc_jit::Slice;
use serde_json::{Value as Json, json};

/// A real number; `"NaN"`, `"inf"`, `"-inf"` as strings.
pub fn number(x: f64) -> Json {
    match serde_json::Number::from_f64(x) {
        Some(n) => Json::Number(n),
        None if x.is_nan() => "NaN".into(),
        None if x > 0.0 => "inf".into(),
        None => "-inf".into(),
    }
}

/// A single-precision number with the shortest digits that read back to it.
fn single(x: f32) -> Json {
    match x.to_string().parse::<f64>() {
        Ok(shortest) => number(shortest),
        Err(_) => number(x as f64),
    }
}

/// A value of the language; an array as nested lists, row by row.
pub fn value(v: &Value) -> Json {
    fn level(e: Slice, shape: &[usize], at: usize) -> Json {
        match shape {
            [] => constant(element(e, at)),
            [n, rest @ ..] => {
                let stride: usize = rest.iter().product();
                (0..*n).map(|i| level(e, rest, at + i * stride)).collect()
            }
        }
    }
    match v.elements() {
        Some(e) => level(e, v.shape(), 0),
        None => constant(v.scalar().expect("it is no array")),
    }
}

/// A number of the language.
pub fn constant(c: Const) -> Json {
    match c {
        Const::Bool(b) => b.into(),
        Const::I64(n) => n.into(),
        Const::F32(x) => single(x),
        Const::F64(x) => number(x),
        Const::C64(z) => json!({"re": single(z.re), "im": single(z.im)}),
        Const::C128(z) => json!({"re": number(z.re), "im": number(z.im)}),
    }
}

/// A span with byte offsets and 1-based lines and columns; `null` if it is empty.
pub fn span(files: &[SourceFile], s: Span) -> Json {
    let Some(file) = files.get(s.file.0 as usize) else { return Json::Null };
    let ((line, column), (end_line, end_column)) =
        (line_column(&file.text, s.start), line_column(&file.text, s.end));
    json!({
        "file": file.name, "start": s.start, "end": s.end,
        "line": line, "column": column, "end_line": end_line, "end_column": end_column,
    })
}

/// A diagnostic.
pub fn diagnostic(files: &[SourceFile], d: &Diagnostic) -> Json {
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let labels: Vec<Json> = d
        .labels
        .iter()
        .map(|l| json!({"span": span(files, l.span), "text": l.text, "primary": l.primary}))
        .collect();
    json!({
        "code": d.code.to_string(), "severity": severity, "message": d.message,
        "labels": labels, "notes": d.notes, "help": d.help,
        "suggestions": d.suggestions.iter().map(|s| suggestion(files, s)).collect::<Vec<_>>(),
    })
}

fn suggestion(files: &[SourceFile], s: &Suggestion) -> Json {
    let certainty = match s.certainty {
        Certainty::Certain => "certain",
        Certainty::Likely => "likely",
    };
    let edits: Vec<Json> =
        s.edits.iter().map(|e| json!({"span": span(files, e.span), "text": e.text})).collect();
    json!({"title": s.title, "certainty": certainty, "edits": edits})
}
