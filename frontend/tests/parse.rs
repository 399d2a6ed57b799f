//! File tests of the parser: each `files/parse/*.dsl` ends with what it must give, as comments behind a line
//! `//---`: the diagnostics, and the tree if there are none or the first line is `// test: parse tree`.
//! `ADC_BLESS=1 cargo test -p adc-frontend` rewrites them.

use adc_frontend::syntax::{self, position::Positions};
use adc_ir::{Diagnostic, FileId};
use std::fmt::Write;
use std::path::Path;

const MARK: &str = "\n//---\n";

#[test]
fn files() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/parse");
    let mut paths: Vec<_> =
        std::fs::read_dir(&dir).expect("test files").map(|e| e.expect("entry").path()).collect();
    paths.sort();
    let mut wrong = Vec::new();
    for path in paths {
        let whole = std::fs::read_to_string(&path).expect("readable test file");
        let (source, expected) = whole.split_once(MARK).unwrap_or((whole.trim_end_matches('\n'), ""));
        let actual = as_comments(&read(source));
        if actual == expected {
            continue;
        }
        if std::env::var_os("ADC_BLESS").is_some() {
            std::fs::write(&path, format!("{source}{MARK}{actual}")).expect("writable test file");
        } else {
            let line = actual.lines().zip(expected.lines()).position(|(a, b)| a != b);
            let line = line.unwrap_or(actual.lines().count().min(expected.lines().count()));
            let at = |s: &str| s.lines().nth(line).unwrap_or("(nothing)").to_string();
            wrong.push(format!("{}:\n  want {}\n  have {}", path.display(), at(expected), at(&actual)));
        }
    }
    assert!(wrong.is_empty(), "{}\nADC_BLESS=1 rewrites the expectations", wrong.join("\n"));
}

/// What a source gives.
fn read(source: &str) -> String {
    let (file, diagnostics) = syntax::parse(FileId(0), source);
    let positions = Positions::new(source);
    let mut out = String::new();
    diagnostics.0.iter().for_each(|d| show(d, &positions, &mut out));
    if diagnostics.0.is_empty() || source.starts_with("// test: parse tree") {
        out += &syntax::dump::dump(&file, source);
    }
    out
}

/// `error[ADC0105] 3:7-3:9 message | label | also 3:1-3:2 label | help: …`
fn show(d: &Diagnostic, positions: &Positions, out: &mut String) {
    let _ = write!(out, "error[{}] {} {}", d.code, positions.range(d.span()), d.message);
    for l in &d.labels {
        let at = if l.primary { String::new() } else { format!("also {} ", positions.range(l.span)) };
        let _ = write!(out, " | {at}{}", l.text);
    }
    for note in &d.notes {
        let _ = write!(out, " | note: {note}");
    }
    for help in &d.help {
        let _ = write!(out, " | help: {help}");
    }
    out.push('\n');
}

fn as_comments(text: &str) -> String {
    text.lines().map(|l| if l.is_empty() { "//\n".to_string() } else { format!("// {l}\n") }).collect()
}
