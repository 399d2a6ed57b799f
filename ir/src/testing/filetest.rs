//! File tests: input and expected output in one file.
//!
//! A file holds cases, separated by lines that start with the comment mark and `---`, whatever follows being the
//! case's name. The lines of a case that start with the comment mark and `>` are its expected output; all others are its
//! input. A first line `; test: words` gives options to every case of the file.
//!
//! ```text
//! ; test: verify
//! ; --- operand types
//! fn f(x: f64) -> f64 {
//!   v0: f64 = not x
//!   return v0
//! }
//!
//! ;> in `f`, `v0: f64 = not x`: `not` does not take (f64)
//! ```
//!
//! `ADC_BLESS=1 cargo test` rewrites the expected output. Blessed differences are to be read, not waved through.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The file's name without its folder.
    pub file: &'a str,
    /// What follows `---`; empty for the only case of a file.
    pub name: &'a str,
    /// The words behind `test:` on the file's first line.
    pub options: &'a str,
    /// Everything but the expected output.
    pub input: &'a str,
}

/// Runs every file of a folder, by name. `comment` is the mark that starts a comment (`;`, `//`); `test` gives the output.
///
/// # Panics
/// If an output is not the expected one, or the folder has no files: after running all, with every difference.
pub fn run(folder: impl AsRef<Path>, comment: &str, test: impl Fn(&Case) -> String) {
    let folder = folder.as_ref();
    let bless = std::env::var_os("ADC_BLESS").is_some();
    let mut failures = String::new();
    let files = files(folder);
    assert!(!files.is_empty(), "{} holds no file tests", folder.display());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let now = run_text(file, &text, comment, &test, &mut failures);
        if bless && now != text {
            std::fs::write(&path, now).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
    }
    assert!(bless || failures.is_empty(), "{failures}\nADC_BLESS=1 rewrites the expected output");
}

/// The folder's files in order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> =
        entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

/// The file with the output it has now; differences are added to `failures`.
fn run_text(
    file: &str,
    text: &str,
    comment: &str,
    test: impl Fn(&Case) -> String,
    failures: &mut String,
) -> String {
    let separator = format!("{comment} ---");
    let mark = format!("{comment}>");
    let first = text.lines().next().unwrap_or_default();
    let options =
        first.strip_prefix(comment).and_then(|l| l.trim().strip_prefix("test:")).unwrap_or_default().trim();
    let mut cases: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.starts_with(&separator) {
            cases.push(Vec::new());
        }
        cases.last_mut().expect("one case is there").push(line);
    }
    let mut out = String::new();
    let count = cases.len();
    for (i, lines) in cases.into_iter().enumerate() {
        let (expected, input): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(|l| l.starts_with(&mark));
        let input = input.join("\n").trim_end().to_string();
        writeln!(out, "{}{input}", if i > 0 { "\n" } else { "" }).expect("writing to a string");
        // Before the first separator stands the header only.
        if i == 0 && count > 1 {
            continue;
        }
        let name = input.lines().next().and_then(|l| l.strip_prefix(&separator)).unwrap_or_default().trim();
        let found = test(&Case { file, name, options, input: &input });
        let expected: Vec<&str> =
            expected.into_iter().map(|l| l[mark.len()..].strip_prefix(' ').unwrap_or_default()).collect();
        if expected != found.lines().map(str::trim_end).collect::<Vec<_>>() {
            write!(failures, "\n{file} {name}: expected\n{}\nfound\n{found}\n", expected.join("\n"))
                .expect("writing to a string");
        }
        out.push('\n');
        for line in found.lines() {
            writeln!(out, "{}", format!("{mark} {line}").trim_end()).expect("writing to a string");
        }
    }
    out
}
