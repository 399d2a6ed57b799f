//! The self-test, in part: `cargo run --release -- selftest` is the whole.

use adc_ir::testing::effort;
use adc_selftest::{Fate, Options, Order};
use std::collections::BTreeMap;
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
    // The sample has few of `lanes`, which have a test of their own.
    for (_, family, _) in adc_selftest::list(&Options::default()).into_iter().filter(|m| m.1 != "lanes") {
        let killed = |r: &adc_selftest::Row| r.family == family && matches!(r.fate, Fate::Killed { .. });
        assert!(outcome.rows.iter().any(killed), "nothing of `{family}` is killed");
    }
}

/// Of each kind one of the first few is found.
#[test]
fn mistakes_in_lanes_are_found() {
    const FIRST: usize = 2;
    let all = Options { filter: vec!["lanes".into()], ..Options::default() };
    let kind = |name: &str| name.split('/').next().unwrap_or_default().to_string();
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Small programs first.
    let mut list = adc_selftest::list(&all);
    list.sort_by_key(|(name, ..)| name.contains(".dsl:"));
    for (name, ..) in list {
        let names = kinds.entry(kind(&name)).or_default();
        if !names.contains(&name) && names.len() < FIRST {
            names.push(name);
        }
    }
    assert_eq!(kinds.len(), adc_jit::strips::Fault::ALL.len(), "{kinds:?}");
    let filter = kinds.values().flatten().cloned().collect();
    let outcome = adc_selftest::run(&Options { filter, orders: vec![Order::First], ..Options::default() });
    for k in kinds.keys() {
        let killed = |r: &adc_selftest::Row| kind(&r.name) == *k && matches!(r.fate, Fate::Killed { .. });
        assert!(outcome.rows.iter().any(killed), "{k}: {:#?}", outcome.rows);
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
