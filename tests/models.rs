//! The model library: every model is checked at every optimisation level, and no entry is so small that the
//! tolerances could not test it.

use crate::common;

use common::adc;

#[test]
fn every_model_passes() {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let summaries = ["0", "1", "2", "3"].map(|opt| {
        let run = adc(["check", models, "--format", "json", "--opt", opt]);
        let json: serde_json::Value = serde_json::from_str(&run.out).expect("the report is JSON");
        assert_eq!(run.code, 0, "--opt {opt}: {:#}", json["diagnostics"]);
        json["summary"].clone()
    });
    let [summary, ..] = &summaries;
    assert!(summaries.iter().all(|s| s == summary), "the level changes a verdict: {summaries:#?}");
    assert_eq!(summary["untestable_entries"], 0, "an entry is smaller than 100 atol: scale its model");
    assert!(summary["functions"].as_u64() >= Some(30), "{summary}");
}

#[test]
fn runs_print_the_same_bytes() {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let (first, second) = (adc(["check", models, "-v"]), adc(["check", models, "-v"]));
    assert!(first.out == second.out, "two runs differ");
}
