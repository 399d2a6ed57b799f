//! The formatter: file tests of the style, and properties over every source of the repository with other layouts.

use crate::scatter::{formatted, scattered};
use adc_frontend::format::{WIDTH, format};
use adc_ir::FileId;
use adc_ir::testing::{Rng, cases, filetest};
use std::path::{Path, PathBuf};

#[test]
fn style() {
    filetest::run(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/format"), "//>", |case| {
        format(FileId(0), case.input).unwrap_or_else(|d| d.to_string())
    });
}

#[test]
fn layout_is_all_that_changes() {
    let mut rng = Rng::new(1);
    let (mut read, mut failed) = (0, String::new());
    for (path, text) in sources() {
        for round in 0..1 + cases(6) {
            let source = if round == 0 { text.clone() } else { scattered(&text, &mut rng) };
            match std::panic::catch_unwind(|| formatted(&source)) {
                Ok(Ok(out)) => read += usize::from(out.is_some()),
                Ok(Err(why)) => failed += &format!("{}: {why}\n", path.display()),
                Err(_) => failed += &format!("{}: panics\n{source}\n", path.display()),
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
    assert!(read > 300, "{read} sources were read");
}

/// The models have no line that could be shorter.
#[test]
fn lines_are_short() {
    for (path, text) in
        sources().into_iter().filter(|(p, _)| p.components().any(|c| c.as_os_str() == "models"))
    {
        let Ok(out) = format(FileId(0), &text) else { continue };
        for line in out.lines().filter(|l| !l.contains("//")) {
            assert!(line.chars().count() <= WIDTH, "{}: {line}", path.display());
        }
    }
}

/// What is not in the style, and why. Every other model source of the repository is.
const UNFORMATTED: [(&str, &str); 2] = [
    (
        "frontend/tests/files",
        "layout is what the parser and the formatter are tested with, and expected output names lines",
    ),
    ("ad/tests/files", "expected output names lines and columns"),
];

/// `adc fmt` has been run; `ADC_BLESS=1` runs it.
#[test]
fn sources_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let bless = std::env::var_os("ADC_BLESS").is_some();
    let mut stale = Vec::new();
    let left = |path: &Path| UNFORMATTED.iter().any(|(f, _)| path.starts_with(root.join(f)));
    for (path, text) in sources().into_iter().filter(|(path, _)| !left(path)) {
        let out = format(FileId(0), &text).unwrap_or_else(|d| panic!("{}: {d}", path.display()));
        if out != text && bless {
            std::fs::write(&path, &out).expect("it can be written");
        } else if out != text {
            stale.push(path.display().to_string());
        }
    }
    assert!(stale.is_empty(), "run `adc fmt` on these:\n{}", stale.join("\n"));
}

/// Every model source of the repository.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    below(&root, &mut paths);
    paths.sort();
    let text = |p: PathBuf| std::fs::read_to_string(&p).ok().map(|text| (p, text));
    paths.into_iter().filter_map(text).collect()
}

fn below(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
        if path.is_dir() && !matches!(name.as_str(), "target" | "node_modules") && !name.starts_with('.') {
            below(&path, paths);
        } else if path.extension().is_some_and(|e| e == "dsl") {
            paths.push(path);
        }
    }
}
