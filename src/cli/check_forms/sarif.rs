//! SARIF 2.1.0, for code scanning: a result for each message, at the span it blames.

use super::{Message, messages};
use crate::SourceFile;
use crate::cli::Exit;
use crate::cli::args::CheckArgs;
use crate::cli::check_command::reproduce;
use crate::cli::check_files::Checked;
use crate::cli::check_json;
use crate::render::line_column;
use adc_ir::{Code, Severity, Span, Suggestion};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The characters of a path that are not escaped in a URI: RFC 3986's unreserved characters, and the slash.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) fn document(checked: &[Checked], args: &CheckArgs, exit: Exit) -> String {
    // The same finding has the same fingerprint in each run; two of one kind in one place are distinguished by number.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let results: Vec<Json> = messages(checked)
        .iter()
        .map(|m| {
            let fingerprint = fingerprint(m);
            let n = seen.entry(fingerprint.clone()).and_modify(|n| *n += 1).or_insert(1);
            result(m, args, format!("{fingerprint} {n}"))
        })
        .collect();
    let rules: Vec<Json> = Code::ALL
        .iter()
        .map(|code| {
            json!({
                "id": code.to_string(), "name": format!("{code:?}"), "shortDescription": {"text": code.title()},
                "fullDescription": {"text": code.explain()}, "help": {"text": format!("adc explain {code}")},
            })
        })
        .collect();
    let driver = json!({"name": "adc", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let interrupted = exit == Exit::Interrupted;
    let mut invocation = json!({
        "executionSuccessful": exit != Exit::Request && !interrupted, "exitCode": exit as u8,
    });
    if interrupted {
        invocation["properties"] = json!({"interrupted": true});
    }
    let doc = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver}, "columnKind": "unicodeCodePoints",
            "invocations": [invocation], "results": results,
        }],
    });
    format!("{doc:#}\n")
}

fn result(m: &Message, args: &CheckArgs, fingerprint: String) -> Json {
    let d = m.diagnostic;
    let level = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let rule = Code::ALL.iter().position(|c| *c == d.code);
    let mut out = json!({
        "ruleId": d.code.to_string(), "ruleIndex": rule, "level": level, "message": {"text": m.text()},
        "partialFingerprints": {"adcFinding/v1": fingerprint},
    });
    let mut place = match (m.primary(), m.file()) {
        (Some(l), _) => json!({"physicalLocation": physical(m.files, l.span)}),
        (None, Some(file)) => json!({"physicalLocation": {"artifactLocation": {"uri": uri(&file.name)}}}),
        (None, None) => json!({}),
    };
    if let Some(r) = m.report {
        place["logicalLocations"] = json!([{"name": r.name, "kind": "function"}]);
        if let Some(p) = &r.worst {
            out["properties"] = json!({"reproduce": reproduce(m.files, r, &p.inputs, args)});
            if let Some(small) = check_json::small(m.files, r, args) {
                out["properties"]["small"] = small;
            }
        }
    }
    out["locations"] = json!([place]);
    let others = d.labels.iter().filter(|l| !l.primary && (l.span.file.0 as usize) < m.files.len());
    let related: Vec<Json> = others
        .enumerate()
        .map(|(id, l)| json!({"id": id, "physicalLocation": physical(m.files, l.span), "message": {"text": l.text}}))
        .collect();
    if !related.is_empty() {
        out["relatedLocations"] = related.into();
    }
    let fixes: Vec<Json> = d.suggestions.iter().map(|s| fix(m.files, s)).collect();
    if !fixes.is_empty() {
        out["fixes"] = fixes.into();
    }
    out
}

/// A suggestion, with the edits of each file together.
fn fix(files: &[SourceFile], s: &Suggestion) -> Json {
    let mut changes: BTreeMap<u32, Vec<Json>> = BTreeMap::new();
    for e in s.edits.iter().filter(|e| (e.span.file.0 as usize) < files.len()) {
        let region = physical(files, e.span)["region"].take();
        let replacement = json!({"deletedRegion": region, "insertedContent": {"text": e.text}});
        changes.entry(e.span.file.0).or_default().push(replacement);
    }
    let changes: Vec<Json> = changes
        .into_iter()
        .map(|(file, replacements)| {
            let uri = uri(&files[file as usize].name);
            json!({"artifactLocation": {"uri": uri}, "replacements": replacements})
        })
        .collect();
    json!({"description": {"text": s.title}, "artifactChanges": changes})
}

fn physical(files: &[SourceFile], span: Span) -> Json {
    let file = &files[span.file.0 as usize];
    let (line, column) = line_column(&file.text, span.start);
    let (end_line, end_column) = line_column(&file.text, span.end);
    json!({
        "artifactLocation": {"uri": uri(&file.name)},
        "region": {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column},
    })
}

fn uri(path: &str) -> String {
    utf8_percent_encode(&path.replace('\\', "/"), PATH).to_string()
}

/// Code, file, function and the text at the place: these do not change when lines above are edited.
fn fingerprint(m: &Message) -> String {
    let file = m.file().map_or("", |f| f.name.as_str());
    let function = m.report.map_or("", |r| r.name.as_str());
    let at = m.primary().and_then(|l| {
        let text = &m.files[l.span.file.0 as usize].text;
        text.get(l.span.start as usize..l.span.end as usize)
    });
    let at: String = at.unwrap_or("").split_whitespace().collect();
    format!("{} {file} {function} {at}", m.diagnostic.code)
}
