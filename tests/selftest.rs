//! The self-test, in part: `cargo run --release -- selftest` is the whole.

use adc_ir::testing::effort;
use adc_selftest::{Fate, Options};
use std::path::Path;

/// One of so many mutants is planted, or more with `ADC_EFFORT`.
const SAMPLE: u64 = 32;

#[test]
fn mistakes_of_every_family_are_found() {
    let options = Options { sample: SAMPLE.div_ceil(effort() as u64), ..Options::default() };
    let outcome = adc_selftest::run(&options);
    assert!(outcome.baseline.is_empty(), "{:#?}", outcome.baseline);
    assert!(outcome.traps.1.is_empty(), "{:#?}", outcome.traps.1);
    for r in &outcome.rows {
        assert!(!r.fate.fails(), "{r:#?}");
    }
    for (_, family, _) in adc_selftest::list(&Options::default()) {
        let killed = |r: &adc_selftest::Row| r.family == family && matches!(r.fate, Fate::Killed { .. });
        assert!(outcome.rows.iter().any(killed), "nothing of `{family}` is killed");
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
