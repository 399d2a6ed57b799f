//! File tests of the parser: `files/parse` shows the tree of each source, or the errors of broken ones (both if the
//! first line is `// test: tree`); `files/samples` are sources that use the whole language and have no errors.

use adc_frontend::syntax::{self, position::Positions};
use adc_ir::testing::filetest;
use adc_ir::{Diagnostic, FileId};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[test]
fn parse() {
    filetest::run(folder("parse"), "//", |case| {
        let (file, diagnostics) = syntax::parse(FileId(0), case.input);
        let positions = Positions::new(case.input);
        let mut out = String::new();
        diagnostics.0.iter().for_each(|d| show(d, &positions, &mut out));
        if diagnostics.0.is_empty() || case.options == "tree" {
            out += &syntax::dump::dump(&file, case.input);
        }
        out
    });
}

#[test]
fn samples() {
    let entries = std::fs::read_dir(folder("samples")).expect("samples");
    for entry in entries {
        let path = entry.expect("entry").path();
        let text = std::fs::read_to_string(&path).expect("readable sample");
        let (_, diagnostics) = syntax::parse(FileId(0), &text);
        assert!(diagnostics.0.is_empty(), "{}: {diagnostics}", path.display());
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
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
