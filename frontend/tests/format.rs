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

/// What is in the style. The others are tests of layout, or tests and tools that find places in them by lines.
const FORMATTED: [&str; 6] =
    ["models", "examples", "benches", "tests/field", "tests/contact", "tests/extern"];

/// `adc fmt` has been run; `ADC_BLESS=1` runs it.
#[test]
fn models_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let bless = std::env::var_os("ADC_BLESS").is_some();
    let mut stale = Vec::new();
    let formatted = |path: &Path| FORMATTED.iter().any(|f| path.starts_with(root.join(f)));
    for (path, text) in sources().into_iter().filter(|(path, _)| formatted(path)) {
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
    for folder in ["ad", "benches", "examples", "frontend", "fuzz", "models", "selftest", "tests"] {
        below(&root.join(folder), &mut paths);
    }
    paths.sort();
    let text = |p: PathBuf| std::fs::read_to_string(&p).ok().map(|text| (p, text));
    paths.into_iter().filter_map(text).collect()
}

fn below(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            below(&path, paths);
        } else if path.extension().is_some_and(|e| e == "dsl") {
            paths.push(path);
        }
    }
}
