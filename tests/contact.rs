//! First contact: models without `check` blocks, as their authors write them. Every function of `tests/contact/*.dsl` passes its
//! check at sizes and inputs that adc finds by itself; which they are stands in the `.expected` file beside the model
//! (`ADC_BLESS=1` rewrites it).

use adc::{CheckOptions, Model, Selection};
use std::path::PathBuf;

/// The models, with their texts.
fn models() -> Vec<(PathBuf, String)> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/contact");
    let entries = std::fs::read_dir(&dir).expect("the models are there").map(|e| e.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "dsl")).collect();
    files.sort();
    files.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).expect("a model"))).collect()
}

fn parsed(text: &str) -> Model {
    Model::parse("model.dsl", text).unwrap_or_else(|d| panic!("{d}"))
}

/// Few points, and of two sizes each; verdicts are for other tests.
fn options(points: usize) -> CheckOptions {
    let mut options = CheckOptions::default();
    options.settings.points = Some(points);
    options.settings.special = Some(0);
    options.settings.every_point = true;
    options
}

/// What a report says of sizes and assumptions: `N = 3, 4; assumed x > 0`.
fn found(r: &adc_checker::Report) -> String {
    let mut list: Vec<String> = Vec::new();
    for (k, (name, _)) in r.dims.iter().enumerate() {
        let mut numbers: Vec<String> = r.sets.iter().map(|set| set[k].1.to_string()).collect();
        numbers.dedup();
        list.push(format!("{name} = {}", numbers.join(", ")));
    }
    list.extend(r.assumed.as_ref().map(|a| format!("assumed {}", a.words)));
    list.join("; ")
}

#[test]
fn functions_are_checked_where_they_have_values() {
    let mut functions = 0;
    for (path, text) in models() {
        let report = adc::check(&parsed(&text), &options(4));
        let mut lines = String::new();
        for r in report.rows() {
            functions += 1;
            assert!(r.passes(false), "{}: {}: {:?}", path.display(), r.name, r.diagnostics);
            assert!(
                r.assumed.is_none() || !r.passes(true),
                "an assumption is not for the strict: {}",
                r.name
            );
            // With an assumption there are values everywhere.
            assert!(r.assumed.is_none() || r.counts.rejected == 0, "{}: {:?}", r.name, r.counts);
            lines += format!("{}: {}", r.name, found(&r)).trim_end();
            lines += "\n";
        }
        let expected = path.with_extension("expected");
        match std::env::var_os("ADC_BLESS") {
            Some(_) => std::fs::write(&expected, lines).expect("the file can be written"),
            None => {
                let want = std::fs::read_to_string(&expected).expect("ADC_BLESS=1 writes the file");
                assert_eq!(lines, want, "{}: ADC_BLESS=1 accepts this", expected.display());
            }
        }
    }
    assert!(functions >= 70, "{functions}");
}

/// A suggested block parses, and a check of it takes the points of a check without one, with nothing left to assume.
#[test]
fn suggested_blocks_say_the_same() {
    for (path, text) in models() {
        let model = parsed(&text);
        let without = adc::check(&model, &options(2));
        let blocks =
            adc::suggest(&model, &options(2), &Selection::default()).unwrap_or_else(|d| panic!("{d}"));
        let mut pasted = text.clone();
        for s in &blocks {
            assert!(s.works, "{}: {}", path.display(), s.function);
            pasted += &s.block;
        }
        let with = adc::check(&parsed(&pasted), &options(2));
        assert_eq!(without.reports.len(), with.reports.len(), "{}", path.display());
        for (a, b) in without.reports.iter().zip(&with.reports) {
            assert_eq!(a.name, b.name);
            assert!(b.assumed.is_none(), "{}: {:?}", b.name, b.assumed);
            let points = |r: &adc_checker::Report| -> Vec<Vec<adc_ir::Datum>> {
                r.points.iter().map(|p| p.inputs.clone()).collect()
            };
            assert_eq!(points(a), points(b), "{}: {}", path.display(), a.name);
        }
        // The block of an assumption, too: what it leaves out is what is drawn anyway.
        for r in without.reports.iter().filter(|r| r.assumed.is_some()) {
            let block = &r.assumed.as_ref().expect("it has one").block;
            let report = adc::check(&parsed(&format!("{text}\n{block}")), &options(2));
            let own = report.reports.iter().find(|o| o.name == r.name).expect("it is checked");
            assert!(own.assumed.is_none(), "{block}: {:?}", own.assumed);
            let inputs = |r: &adc_checker::Report| r.points[0].inputs.clone();
            assert_eq!(inputs(r), inputs(own), "{block}");
        }
    }
}

/// What is found depends neither on the seed of the check nor on the order of parameters.
#[test]
fn assumptions_are_those_of_the_function() {
    let words = |text: &str, seed: u64| {
        let mut options = options(2);
        options.settings.seed = Some(seed);
        let report = adc::check(&parsed(text), &options);
        let assumed = report.reports[0].assumed.as_ref().expect("a domain is needed");
        let mut domains = assumed.domains.clone();
        domains.sort();
        domains
    };
    let body = "{ (log(S/K) + (r + 0.5*v^2)*T)/(v*sqrt(T)) }";
    let first = words(&format!("fn d1(S: f64, K: f64, r: f64, v: f64, T: f64) -> f64 {body}"), 1);
    assert_eq!(first.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(), ["K", "S", "T"]);
    for seed in [2, 3, 77] {
        assert_eq!(
            first,
            words(&format!("fn d1(S: f64, K: f64, r: f64, v: f64, T: f64) -> f64 {body}"), seed)
        );
    }
    assert_eq!(first, words(&format!("fn d1(T: f64, v: f64, r: f64, K: f64, S: f64) -> f64 {body}"), 1));
}

/// What is said stays: lines of a block, declared domains, sizes, points; what is meant to fail is not mended.
#[test]
fn nothing_that_is_said_is_changed() {
    let assumed = |text: &str| {
        let report = adc::check(&parsed(text), &options(4));
        report.rows().iter().map(found).collect::<Vec<_>>()
    };
    let f = "fn f(x: f64, y: f64) -> f64 { log(x)*log(y) }";
    assert_eq!(assumed(&format!("{f} check f {{ x in [2, 3]; }}")), ["assumed y > 0"]);
    assert_eq!(assumed(&format!("{f} check f {{ x in [2, 3]; y in [-3, -2]; }}")), [""]);
    assert_eq!(assumed(&format!("{f} check f {{ expect error; }}")), [""]);
    assert_eq!(assumed("fn f(x: f64 in (0, INF), y: f64) -> f64 { log(x)*sqrt(y) }"), ["assumed y > 0"]);
    let g = "fn g[N](x: f64[N], k: i64) -> f64 { assert mod(N, 2) == 0, \"even\"; x[k]^2 }";
    assert_eq!(assumed(g), ["N = 4, 6"]);
    assert_eq!(assumed(&format!("{g} check g[N = 2] {{ }}")), ["N = 2; assumed k in [0, 1]"]);
    assert_eq!(assumed(&format!("{g} check g {{ x = [1.0, 2.0]; }}")), ["N = 2; assumed k in [0, 1]"]);
}
