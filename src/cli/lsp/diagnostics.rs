//! Diagnostics as a client shows them, and quick fixes from their suggestions.

use super::world::{Known, uri};
use adc_ir::{Certainty, Code, Diagnostic, Edit, FileId, Severity, Span, Suggestion};
use lsp_types::{DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString, Range};
use serde_json::{Value as Json, json};

/// The messages about a program, at places of its main file.
pub(super) fn of(known: &Known) -> Vec<lsp_types::Diagnostic> {
    known.diagnostics().iter().map(|d| one(known, d)).collect()
}

/// One message. What is said of another file stands at the `use` that leads there.
pub(super) fn one(known: &Known, d: &Diagnostic) -> lsp_types::Diagnostic {
    let span = d.span();
    let mut message = d.message.clone();
    let range = match span.file {
        FileId(0) => known.range(span),
        file => {
            if !span.is_none() {
                message = format!("in `{}`: {message}", known.name(file));
            }
            known.range(place_of_use(known, file))
        }
    };
    let primary = d.labels.iter().find(|l| l.primary && !l.text.is_empty());
    for text in primary.iter().map(|l| &l.text) {
        message += &format!("\n{text}");
    }
    let lines = d.notes.iter().map(|n| ("note", n)).chain(d.help.iter().map(|h| ("help", h)));
    for (what, text) in lines {
        message += &format!("\n{what}: {text}");
    }
    let others = d.labels.iter().filter(|l| !l.primary || l.span.file != FileId(0));
    let related = others.filter_map(|l| {
        let text = if l.text.is_empty() { d.message.clone() } else { l.text.clone() };
        Some(DiagnosticRelatedInformation { location: known.location(l.span)?, message: text })
    });
    lsp_types::Diagnostic {
        range,
        severity: Some(match d.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(d.code.to_string())),
        source: Some("adc".to_string()),
        message,
        related_information: Some(related.collect()),
        tags: is_unused(d.code).then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..lsp_types::Diagnostic::default()
    }
}

/// What editors show in grey.
fn is_unused(code: Code) -> bool {
    matches!(code, Code::UnusedVariable | Code::UnusedParameter | Code::UnusedFunction)
}

/// The path in the main file that leads to another file; the start of the file if another one leads there.
fn place_of_use(known: &Known, file: FileId) -> Span {
    let direct = known.analysis.uses.iter().find(|(span, to)| *to == file && span.file == FileId(0));
    let any = known.analysis.uses.iter().find(|(span, _)| span.file == FileId(0));
    direct.or(any).map_or(Span::new(FileId(0), 0, 0), |(span, _)| *span)
}

/// The quick fixes at a range of the main file, and one for everything that is certain.
pub(super) fn fixes(known: &Known, range: Range) -> Vec<Json> {
    let touches = |d: &&Diagnostic| {
        let at = known.range(d.span());
        d.span().file == FileId(0) && at.start <= range.end && range.start <= at.end
    };
    let mut actions = Vec::new();
    for d in known.diagnostics().iter().filter(touches) {
        for s in &d.suggestions {
            actions.push(json!({
                "title": s.title,
                "kind": "quickfix",
                "isPreferred": s.certainty == Certainty::Certain,
                "diagnostics": [one(known, d)],
                "edit": changes(known, &s.edits),
            }));
        }
    }
    let certain: Vec<&Suggestion> = known
        .diagnostics()
        .iter()
        .filter_map(|d| d.suggestions.iter().find(|s| s.certainty == Certainty::Certain))
        .filter(|s| s.edits.iter().all(|e| e.span.file == FileId(0)))
        .collect();
    let edits: Vec<Edit> = certain.iter().flat_map(|s| s.edits.clone()).collect();
    let edits = disjoint(edits);
    if !edits.is_empty() {
        actions.push(json!({
            "title": "apply every fix that is certain",
            "kind": "source.fixAll",
            "edit": changes(known, &edits),
        }));
    }
    actions
}

/// Edits by place, without those that touch an earlier one.
fn disjoint(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|e| (e.span, e.text.clone()));
    edits.dedup();
    let mut end = None;
    edits.retain(|e| {
        let apart = end.is_none_or(|end| end < e.span.start);
        if apart {
            end = Some(e.span.end);
        }
        apart
    });
    edits
}

/// Edits as a change of the workspace.
pub(super) fn changes(known: &Known, edits: &[Edit]) -> Json {
    let mut files = serde_json::Map::new();
    for e in edits {
        let Some(uri) = uri(known.name(e.span.file)) else { continue };
        let list = files.entry(uri.as_str()).or_insert_with(|| json!([]));
        if let Json::Array(list) = list {
            list.push(json!({"range": known.range(e.span), "newText": e.text}));
        }
    }
    json!({"changes": files})
}
