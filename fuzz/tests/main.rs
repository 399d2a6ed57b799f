//! A bounded number of inputs for every way into adc, and every input that was ever received in a wrong way.

use adc_ir::testing::cases;
use std::path::Path;
use std::process::Command;

/// What the binary prints, if it found nothing.
fn fuzz(args: &[&str]) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    // Other tests run beside it: what takes ten seconds alone may take a minute.
    let run = Command::new(env!("CARGO_BIN_EXE_fuzz"))
        .args(["--seconds", "60"])
        .args(args)
        .current_dir(root)
        .output();
    let run = run.expect("the binary runs");
    let out = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{out}{}", String::from_utf8_lossy(&run.stderr));
    out
}

/// How many inputs a line counts under this word.
fn count(out: &str, word: &str) -> usize {
    let number = |line: &str| {
        line.split(", ")
            .find_map(|part| part.rsplit(": ").next()?.strip_suffix(word)?.trim().parse::<usize>().ok())
    };
    out.lines().filter_map(number).sum()
}

#[test]
fn sources_by_grammar() {
    let runs = cases(1500);
    let out = fuzz(&["grammar", "--runs", &runs.to_string(), "--check-every", "4"]);
    // What is refused, or accepted, altogether would test little.
    assert!(count(&out, "checked") > runs / 20 && count(&out, "refused") > runs / 20, "{out}");
}

#[test]
fn sources_with_native_functions() {
    let runs = cases(300);
    let out = fuzz(&["native", "--runs", &runs.to_string(), "--check-every", "2"]);
    assert!(count(&out, "checked") > runs / 10, "{out}");
}

#[test]
fn damaged_models() {
    let runs = cases(2000);
    let out = fuzz(&["damage", "--runs", &runs.to_string(), "--check-every", "2"]);
    assert!(count(&out, "checked") > runs / 50 && count(&out, "refused") > runs / 5, "{out}");
}

#[test]
fn formatted_sources() {
    let runs = cases(2000);
    let out = fuzz(&["format", "--runs", &runs.to_string(), "--check-every", "50"]);
    assert!(count(&out, "accepted") > runs / 2 && count(&out, "checked") > 0, "{out}");
}

#[test]
fn damaged_ir() {
    let runs = cases(2000);
    let out = fuzz(&["ir", "--runs", &runs.to_string()]);
    assert!(count(&out, "accepted") > runs / 50 && count(&out, "refused") > runs / 5, "{out}");
}

#[test]
fn damaged_values() {
    let runs = cases(1000);
    for target in ["points", "json", "npy"] {
        let out = fuzz(&[target, "--runs", &runs.to_string()]);
        assert!(count(&out, "accepted") > runs / 100 && count(&out, "refused") > runs / 5, "{out}");
    }
}

#[test]
fn what_was_found_before() {
    fuzz(&["--replay", "fuzz/corpus"]);
}
