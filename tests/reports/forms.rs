//! SARIF, JUnit and GitHub.

use crate::common::adc;
use crate::reports::{LOGISTIC, model};
use quick_junit::{Report, TestCaseStatus};
use serde_sarif::sarif::{ResultLevel, Sarif};

#[test]
fn sarif() {
    let (_, path) = model("sarif", LOGISTIC);
    let run = adc(["check", &path, "--format", "sarif"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let sarif: Sarif = serde_json::from_str(&run.out).expect("it is SARIF");
    let run = &sarif.runs[0];
    let rules = run.tool.driver.rules.as_ref().expect("rules");
    let results = run.results.as_ref().expect("results");
    assert!(!results.is_empty());
    let mut fingerprints = Vec::new();
    for r in results {
        let rule = &rules[r.rule_index.expect("a rule") as usize];
        assert_eq!(Some(&rule.id), r.rule_id.as_ref());
        fingerprints.push(r.partial_fingerprints.clone().expect("a fingerprint"));
    }
    let mut distinct = fingerprints.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), fingerprints.len());
    let first = &results[0];
    assert_eq!((first.rule_id.as_deref(), &first.level), (Some("ADC0301"), &Some(ResultLevel::Error)));
    let place = first.locations.as_ref().expect("a place")[0].physical_location.clone().expect("in a file");
    let uri = place.artifact_location.and_then(|a| a.uri).expect("a file");
    assert!(uri.ends_with("/model%2C%201.dsl") && !uri.contains(' '), "{uri}");
    let region = place.region.expect("a region");
    // The blamed rule, as an editor marks it.
    let line =
        LOGISTIC.lines().nth(region.start_line.expect("a line") as usize - 1).expect("a line of the model");
    let (from, to) = (region.start_column.expect("a column"), region.end_column.expect("a column"));
    assert_eq!(&line[from as usize - 1..to as usize - 1], "rule vjp logistic(t; g) { 2*g*out*(1 - out) }");
    // The small point is that of `--format json`.
    let json: serde_json::Value =
        serde_json::from_str(&adc(["check", &path, "--format", "json"]).out).expect("it is JSON");
    let small = |function: &str| {
        let checks = json["results"].as_array().expect("results");
        checks.iter().find(|c| c["function"] == function).map(|c| c["small"].clone()).expect("its check")
    };
    for r in results {
        let place = &r.locations.as_ref().expect("a place")[0];
        let function =
            place.logical_locations.as_ref().expect("a function")[0].name.clone().expect("its name");
        let properties = &r.properties.as_ref().expect("properties").additional_properties;
        let command = small(&function)["reproduce"].as_str().expect("a command").to_string();
        assert!(command.contains("--at "), "{command}");
        assert_eq!(properties["small"], small(&function));
    }
    // Lines above change no fingerprint.
    let (_, path) = model("sarif", &format!("// A comment.\n\n{LOGISTIC}"));
    let moved: Sarif = serde_json::from_str(&adc(["check", &path, "--format", "sarif"]).out).expect("SARIF");
    let again: Vec<_> =
        moved.runs[0].results.iter().flatten().filter_map(|r| r.partial_fingerprints.clone()).collect();
    assert_eq!(again, fingerprints);
}

/// A model that is refused has results, too, and no execution that was successful.
#[test]
fn sarif_of_a_refused_model() {
    let (_, path) = model("refused", "fn f(x: f64) -> f64 { tahn(x) }");
    let run = adc(["check", &path, "--format", "sarif"]);
    assert_eq!(run.code, 2);
    let sarif: Sarif = serde_json::from_str(&run.out).expect("it is SARIF");
    let results = sarif.runs[0].results.as_ref().expect("results");
    assert_eq!(results[0].rule_id.as_deref(), Some("ADC0201"));
    assert!(!sarif.runs[0].invocations.as_ref().expect("an invocation")[0].execution_successful);
}

#[test]
fn junit() {
    let (_, path) = model("junit", LOGISTIC);
    let run = adc(["check", &path, "--format", "junit"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let report = Report::deserialize_from_str(&run.out).expect("it is JUnit");
    let suite = &report.test_suites[0];
    assert_eq!((suite.tests, suite.failures, suite.name.as_str()), (3, 2, path.as_str()));
    for case in &suite.test_cases {
        match (case.name.as_str(), &case.status) {
            ("spring", TestCaseStatus::Success { .. }) => {}
            ("energy" | "logistic", TestCaseStatus::NonSuccess { ty, description, .. }) => {
                assert_eq!(ty.as_ref().map(|t| t.as_str()), Some("ADC0301"));
                let text = description.as_ref().expect("the text report").as_str();
                assert!(
                    text.contains("rule vjp logistic") && text.contains("= reproduce: adc check"),
                    "{text}"
                );
            }
            (name, status) => panic!("{name}: {status:?}"),
        }
    }
}

/// What is unsure is skipped; with `--strict` it is a failure.
#[test]
fn junit_of_what_is_unsure() {
    let source = "fn wild(x: f64) -> f64 { if x == 0 { 0 } else { x*sin(1/x) } }
        check wild { x = 0; modes slow; }";
    let (_, path) = model("unsure", source);
    let of = |args: &[&str]| {
        let run = adc(["check", &path, "--format", "junit"].iter().chain(args));
        Report::deserialize_from_str(&run.out).expect("it is JUnit").test_suites[0].clone()
    };
    let strict = of(&["--strict"]);
    if let TestCaseStatus::Skipped { .. } = &of(&[]).test_cases[0].status {
        assert_eq!(strict.failures, 1);
    } else {
        panic!("{:?}", of(&[]));
    }
}

#[test]
fn github() {
    let (_, path) = model("github", LOGISTIC);
    let run = adc(["check", &path, "--format", "github"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(run.out.lines().count() >= 2, "{}", run.out);
    for line in run.out.lines() {
        assert!(
            line.starts_with("::error file=") && line.contains("model%2C 1.dsl,line=2,endLine=2,col=1,"),
            "{line}"
        );
        let (_, message) = line[2..].split_once("::").expect("a message");
        assert!(message.contains("is wrong%0A"), "{message}");
    }
}

/// Forms that only `check` has.
#[test]
fn other_commands_refuse() {
    let (_, path) = model("others", LOGISTIC);
    for form in ["sarif", "junit", "github"] {
        let run = adc(["run", &path, "--fn", "spring", "--at", "k=1,x=2", "--format", form]);
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.contains(form) && run.err.contains("adc check"), "{}", run.err);
    }
}
