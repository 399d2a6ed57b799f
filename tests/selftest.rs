//! The self-test, in part: `cargo run --release -- selftest` is the whole.

use adc::selftest::{self, Fate, Options};
use std::path::Path;

/// A few mutants of each family.
const SOME: [&str; 24] = [
    "sin/r/x/1e-8",
    "mul/cc/a/conj",
    "abs/c/x/half",
    "conj/c/x/exchanged",
    "pow/rr/b/factor",
    "holo-conj",
    "dot-real-only",
    "affine",
    "sum-overwrites",
    "mask-sides",
    "update-kept",
    "slice-start",
    "matmul-vector",
    "solve-sign",
    "cholesky-diagonal",
    "loop-forwards",
    "loop-residual",
    "branch-swapped",
    "extremum-mask",
    "rule-swapped",
    "factor/negated",
    "complex-sqrt-square/unguarded",
    "term-sign",
    "m28_forward_only",
];

#[test]
fn mistakes_of_every_family_are_found() {
    let options = Options { filter: SOME.map(String::from).to_vec(), points: 3, ..Options::default() };
    let outcome = selftest::run(&options);
    assert!(outcome.baseline.is_empty(), "{:#?}", outcome.baseline);
    for name in SOME {
        assert!(outcome.rows.iter().any(|r| r.name == name), "{name} is no mutant");
    }
    for r in &outcome.rows {
        assert!(!r.fate.fails(), "{r:#?}");
    }
    let families: std::collections::BTreeSet<&str> = outcome.rows.iter().map(|r| r.family).collect();
    let all: std::collections::BTreeSet<&str> =
        selftest::list(&Options::default()).iter().map(|(_, family, _)| *family).collect();
    assert_eq!(families, all);
    for family in all {
        let killed = |r: &&selftest::Row| r.family == family && matches!(r.fate, Fate::Killed { .. });
        assert!(outcome.rows.iter().find(killed).is_some(), "nothing of `{family}` is killed");
    }
}

/// Every rule, fault and rewrite is come by.
#[test]
fn the_corpus_comes_by_every_place() {
    assert_eq!(selftest::nowhere(), [""; 0]);
}

#[test]
fn the_model_library_is_in_it() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/selftest/corpus.rs"))
        .expect("it can be read");
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("models")).expect("it is there")
    {
        let name = entry.expect("it can be read").file_name().into_string().expect("names are UTF-8");
        assert!(!name.ends_with(".dsl") || text.contains(&format!("\"{name}\"")), "{name} is missing");
    }
}
