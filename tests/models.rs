//! The model library: every model is checked at every optimisation level, and no entry is so small that the
//! tolerances could not test it.

use crate::common;

use common::{adc, adc_with_stdin};

#[test]
fn every_model_passes() {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let [none, some, summary, all] = ["0", "1", "2", "3"].map(|opt| {
        let run = adc(["check", models, "-v", "--format", "json", "--opt", opt]);
        let json: serde_json::Value = serde_json::from_str(&run.out).expect("the report is JSON");
        assert_eq!(run.code, 0, "--opt {opt}: {:#}", json["diagnostics"]);
        json["summary"].clone()
    });
    assert!([none, some, all].iter().all(|r| *r == summary), "the level changes a verdict: {summary:#?}");
    assert_eq!(summary["untestable_entries"], 0, "an entry is smaller than 100 atol: scale its model");
    assert!(summary["functions"].as_u64() >= Some(30), "{summary}");
}

/// The reports, with everything they print of models, are the same bytes.
#[test]
fn two_runs_print_the_same() {
    let bench = concat!(env!("CARGO_MANIFEST_DIR"), "/models/bench");
    let [once, again] = [(); 2].map(|()| adc(["check", bench, "-v", "--format", "json"]).out);
    assert!(once == again, "two runs differ");
}

/// Terms that cancel exactly in the raw program, whatever its arguments, and only nearly where products are fused into sums: that is
/// rounding, and no mistake of the optimiser.
#[test]
fn rounding_of_terms_that_cancel_is_no_disagreement() {
    let model = "fn drawdown[N](r: f64[N]) -> f64 {
    max(prod(1 + r[j] for j in 0..i + 1)/max(prod(1 + r[j] for j in 0..k + 1) for k in 0..i + 1) for i in 0..N)
}
check drawdown[N = 5] { r in [-0.2, 0.3]; }";
    let run = adc_with_stdin(["check", "-", "--opt", "3"], model);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}
