//! The self-test, in part: `cargo run --release -- selftest` is the whole.

use adc_selftest::{Fate, Options};
use std::path::Path;

/// A few mutants of each family.
const SOME: [&str; 20] = [
    "sin/r/x/1e-8",
    "mul/cc/a/conj",
    "abs/c/x/half",
    "conj/c/x/exchanged",
    "pow/rr/b/factor",
    "factor/negated",
    "complex-sqrt-square/unguarded",
    "m28_forward_only",
    "conj-dropped/",
    "offset/",
    "addend-dropped/",
    "sides-exchanged/",
    "index-first/",
    "array-zeroed/",
    "transpose-dropped/",
    "product-exchanged/",
    "loop-forwards/",
    "carry-reset/",
    "branches-exchanged/",
    "argument-zeroed/",
];

#[test]
fn mistakes_of_every_family_are_found() {
    let options = Options { filter: SOME.map(String::from).to_vec(), points: 3, ..Options::default() };
    let outcome = adc_selftest::run(&options);
    assert!(outcome.baseline.is_empty(), "{:#?}", outcome.baseline);
    for name in SOME {
        assert!(outcome.rows.iter().any(|r| r.name.contains(name)), "{name} is no mutant");
    }
    for r in &outcome.rows {
        assert!(!r.fate.fails(), "{r:#?}");
    }
    let families: std::collections::BTreeSet<&str> = outcome.rows.iter().map(|r| r.family).collect();
    let all: std::collections::BTreeSet<&str> =
        adc_selftest::list(&Options::default()).iter().map(|(_, family, _)| *family).collect();
    assert_eq!(families, all);
    for family in all {
        let killed = |r: &&adc_selftest::Row| r.family == family && matches!(r.fate, Fate::Killed { .. });
        assert!(outcome.rows.iter().find(killed).is_some(), "nothing of `{family}` is killed");
    }
}

/// Every rule, operator and rewrite is reached.
#[test]
fn the_corpus_reaches_every_place() {
    assert_eq!(adc_selftest::nowhere(), [""; 0]);
}

#[test]
fn the_model_library_is_in_it() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    for entry in std::fs::read_dir(models).expect("it is there") {
        let name = entry.expect("it can be read").file_name().into_string().expect("names are UTF-8");
        assert!(!name.ends_with(".dsl") || adc_selftest::models().any(|m| m == name), "{name} is missing");
    }
}
