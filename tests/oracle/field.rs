//! Models from practice, `tests/field/*/*.dsl`, written from the book alone before any of them was checked.
//!
//! Each is checked as its author left it, with its `check` blocks, and as a file that has none yet. A test takes a
//! part of them; from `ADC_EFFORT=40` on it takes all, and prints the result of each.

use adc::{CheckOptions, FileReport, Model};
use adc_checker::{Severity, Status};
use adc_ir::testing::effort;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Of so many models a test checks one.
const PART: usize = 40;

#[test]
fn models_from_practice() {
    let every = PART.div_ceil(effort());
    let all = every == 1;
    let models = models();
    assert_eq!(models.len(), 200);
    let mut figures = Figures::default();
    for path in models.iter().step_by(every) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        for (how, text) in [("with blocks", source.clone()), ("without", without_blocks(&source))] {
            let start = Instant::now();
            let report = checked(path, &text);
            figures.add(path, how, &report);
            if all {
                let seconds = start.elapsed().as_secs_f64();
                println!("{:6.2} s  {} {how}: {}", seconds, name(path), verdicts(&report));
            }
        }
    }
    println!(
        "{} checks of models, {} points, {} unsure, {} failed",
        figures.checks,
        figures.points,
        figures.unsure,
        figures.failed.len()
    );
    assert!(figures.failed.is_empty(), "{:#?}", figures.failed);
    assert!(
        // A few models are no measure of that.
        !all || 100 * figures.unsure < figures.points.max(1),
        "{} of {} points are unsure",
        figures.unsure,
        figures.points
    );
}

#[derive(Default)]
struct Figures {
    checks: usize,
    points: usize,
    unsure: usize,
    failed: Vec<String>,
}

impl Figures {
    fn add(&mut self, path: &Path, how: &str, report: &FileReport) {
        self.checks += 1;
        assert!(!report.reports.is_empty(), "{} {how}: nothing is checked", name(path));
        for r in &report.reports {
            self.points += r.counts.points;
            let of = r.counts.points_by.iter().filter(|(v, _)| v.info().severity == Severity::Unsure);
            self.unsure += of.map(|(_, n)| n).sum::<usize>();
            if matches!(r.status, Status::Failed | Status::Error | Status::Warned) {
                let why: Vec<&str> = r.diagnostics.iter().map(|d| d.message.as_str()).collect();
                self.failed.push(format!("{} {how}: {}: {}", name(path), r.name, why.join("; ")));
            }
        }
    }
}

/// Every model, by name.
fn models() -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).expect("it is there").map(|e| e.expect("it can be read").path()).collect()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field");
    let mut models: Vec<PathBuf> = list(&folder).iter().flat_map(|subject| list(subject)).collect();
    models.sort();
    models
}

fn name(path: &Path) -> String {
    path.components().rev().take(2).map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join(" of ")
}

fn checked(path: &Path, text: &str) -> FileReport {
    let model = Model::parse(path.to_str().expect("names are UTF-8"), text).unwrap_or_else(|d| panic!("{d}"));
    adc::check(&model, &CheckOptions::default())
}

fn verdicts(report: &FileReport) -> String {
    let list: Vec<String> = report.rows().iter().map(|r| format!("{} {:?}", r.name, r.status)).collect();
    list.join(", ")
}

/// The source without its `check` blocks, which begin lines.
fn without_blocks(source: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for line in source.lines() {
        if depth > 0 || line.starts_with("check ") {
            depth += line.matches('{').count();
            depth -= line.matches('}').count();
        } else {
            out += line;
            out.push('\n');
        }
    }
    out
}
