//! Models with one planted mistake each: in hand-written rules, in derivatives of extern functions, in differentiation, in
//! simplification. Blame has to name the line that `// <-` marks, and the mistake in the header; and none is told without its
//! counterfactual.
//!
//! A model begins with `//# name: mistake, planted`: the kind of mistake (`*`: none is expected), then what is planted, if it is not in
//! the model: `by MUTANT`, a mutant or operator of `adc selftest`, in all programs; `PASS by OPERATOR` if a part of simplification
//! makes it; `O3` if that is to be simplified at level 3.

use adc::Model;
use adc_checker::{Blame, Context, Report, Settings, Status};
use adc_ir::{Diagnostic, Span};
use adc_jit::Externs;
use adc_simplify::OptLevel;
use std::path::Path;
use std::process::Command;

const FILES: [(&str, &str); 5] = [
    ("rules", include_str!("blame/rules.dsl")),
    ("externs", include_str!("blame/externs.dsl")),
    ("ops", include_str!("blame/ops.dsl")),
    ("rewrites", include_str!("blame/rewrites.dsl")),
    ("second", include_str!("blame/second.dsl")),
];

struct Case {
    file: &'static str,
    name: String,
    mistake: String,
    planted: Option<(Option<String>, String)>,
    level: OptLevel,
    text: String,
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for (file, text) in FILES {
        for block in text.split("//# ").skip(1) {
            let (header, _) = block.split_once('\n').expect("a header is a line");
            let (name, rest) = header.split_once(": ").expect("a name, then a mistake");
            let mut rest = rest.split(", ");
            let mistake = rest.next().expect("there is one").to_string();
            let mut level = OptLevel::O2;
            let mut planted = None;
            for part in rest {
                match part
                    .strip_prefix("by ")
                    .map(|name| (None, name))
                    .or_else(|| part.split_once(" by ").map(|(pass, name)| (Some(pass.to_string()), name)))
                {
                    Some((pass, name)) => planted = Some((pass, name.to_string())),
                    None => level = OptLevel::O3,
                }
            }
            let text = format!("//# {block}");
            out.push(Case { file, name: name.into(), mistake, planted, level, text });
        }
    }
    out
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The check of the function that the last block is about.
fn run(case: &Case, externs: &Externs) -> Report {
    let model = Model::parse(&case.name, &case.text).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let ctx = Context::new(model.module(), externs, case.level);
    let block = model.program().checks.last().expect("there is a block");
    let Some((pass, name)) = &case.planted else {
        return adc_checker::check(&ctx, block, &Settings::default());
    };
    let passes = adc_selftest::mistaken(name, pass.as_deref()).unwrap_or_else(|| panic!("no mutant {name}"));
    adc_checker::check(&Context { passes: &passes, ..ctx }, block, &Settings::default())
}

fn span(b: &Blame) -> Option<Span> {
    b.op.as_ref().map(|op| op.span).or(b.rewrite.as_ref().map(|r| r.span))
}

/// What is said about some of them: blame of an op, in a loop, of an accumulation, of a pass.
#[test]
fn blame_is_told() {
    let externs = externs();
    let mut text = String::new();
    for name in ["neuron", "relaxation", "spin", "orbit", "cubic_stress"] {
        let case = cases().into_iter().find(|c| c.text.contains(&format!("fn {name}(")) || c.name == name);
        let case = case.expect("it is one of them");
        let report = run(&case, &externs);
        let blames = |d: &&Diagnostic| d.notes.iter().any(|n| n.starts_with("blame:"));
        assert!(report.diagnostics.iter().any(|d| blames(&d)), "{}", case.name);
        for d in report.diagnostics.iter().filter(blames) {
            text += &format!("{}: {}\n", case.name, d.message);
            for label in &d.labels {
                let source = &case.text[label.span.start as usize..label.span.end as usize];
                let first = source.lines().next().unwrap_or_default();
                text += &format!("  {first}: {}\n", label.text);
            }
            d.notes.iter().for_each(|n| text += &format!("  = {n}\n"));
        }
        text.push('\n');
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blame/messages.txt");
    if std::env::var_os("ADC_BLESS").is_some() {
        std::fs::write(path, &text).expect("the tree can be written to");
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(text, expected, "ADC_BLESS=1 rewrites it");
}

#[test]
fn blame_names_line_and_mistake() {
    let (cases, externs) = (cases(), externs());
    let (mut lines, mut mistakes, mut expected) = (0, 0, 0);
    let mut misses = Vec::new();
    for case in &cases {
        let report = run(case, &externs);
        let wanted = case.text.lines().position(|l| l.contains("// <-")).expect("a line is marked") + 1;
        let told: Vec<String> = report.diagnostics.iter().map(|d| format!("{d:?}")).collect();
        if report.status != Status::Failed {
            misses.push(format!("{}/{} passes", case.file, case.name));
            continue;
        }
        let blame = report.blame.as_ref();
        for b in blame.iter().filter(|b| b.op.is_some() || b.rewrite.is_some()) {
            assert!(b.counterfactual.is_some_and(|c| c.passes), "{}: no counterfactual", case.name);
        }
        assert!(!told.iter().any(|t| t.contains("blame:")) || blame.is_some(), "{}", case.name);
        let line =
            blame.and_then(span).filter(|s| !s.is_none()).map(|s| line_of(&case.text, s.start as usize));
        let mistake = blame.and_then(|b| b.mistake.as_ref());
        lines += usize::from(line == Some(wanted));
        let word = mistake.map_or("*", |m| m.kind.word());
        if case.mistake != "*" {
            expected += 1;
            mistakes += usize::from(word == case.mistake);
        }
        if line != Some(wanted) || (case.mistake != "*" && word != case.mistake) {
            let op = blame.map(|b| {
                (b.stage, b.op.as_ref().map(|o| (o.kind, &o.name)), b.rewrite.as_ref().map(|r| &r.name))
            });
            misses.push(format!(
                "{}/{}: line {line:?} of {wanted}, mistake {word} of {} ({}), {op:?}",
                case.file,
                case.name,
                case.mistake,
                mistake.map_or("", |m| &m.text)
            ));
        }
    }
    println!("{} models: {lines} right lines, {mistakes} of {expected} mistakes", cases.len());
    println!("{}", misses.join("\n"));
    assert_eq!(lines, cases.len(), "{}", misses.join("\n"));
    assert!(cases.len() >= 60 && mistakes >= 50, "{}", misses.join("\n"));
}

/// The shared library of `tests/blame/kernels.c`, built once: the tests run side by side.
fn externs() -> Externs {
    static BUILT: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    let out = BUILT.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libblame.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blame/kernels.c");
        let cc = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .arg(&out)
            .args([source, "-lm"])
            .status();
        assert!(cc.expect("a C compiler is needed").success());
        out
    });
    Externs::load(out).expect("it was just built")
}

/// A value that the optimiser makes another one, where no derivative shows it.
#[test]
fn the_optimiser_is_blamed_for_values() {
    let text = "fn loss(x: f64, w: f64) -> f64 {
  let margin = 0.5*x;
  w*log(1 + exp(margin))
}
check loss { x in [0.5, 2]; w in [0.5, 2]; points 3; }";
    let case = |planted: &str, text: &str| Case {
        file: "",
        name: "loss".into(),
        mistake: "*".into(),
        planted: Some((None, planted.into())),
        level: OptLevel::O3,
        text: text.into(),
    };
    let report = run(&case("softplus-by-log/function", text), &Externs::new());
    let d = report.diagnostics.first().expect("the values differ");
    assert_eq!((report.status, d.code.to_string().as_str()), (Status::Failed, "ADC0307"));
    let blame = d.notes.iter().find(|n| n.starts_with("blame:")).unwrap_or_else(|| panic!("{d:?}"));
    assert!(blame.starts_with("blame: `softplus-by-log`: "), "{blame}");
    assert!(d.notes.iter().any(|n| n == "evidence: without this rewrite, they agree"), "{d:?}");
    let span = d.labels.iter().find(|l| l.text.contains("is applied here")).expect("a place").span;
    assert_eq!(line_of(text, span.start as usize), 3);
}
