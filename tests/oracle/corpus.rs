//! Correct derivatives: the 108 functions, the model library, generated programs.

use crate::oracle::survey::{Survey, check, check_program, every_mode, generated, model};
use adc::{CheckOptions, Model};
use adc_checker::Backends;
use adc_ir::testing::cases;
use std::path::PathBuf;

const CORPUS: &str = include_str!("../rules/corpus.dsl");

#[test]
fn the_108_functions() {
    let corpus = model("corpus.dsl", CORPUS);
    let names: Vec<String> = corpus.functions().map(|f| f.name().to_string()).collect();
    assert_eq!(names.len(), 108);
    let mut survey = Survey::default();
    let mut options = every_mode();
    options.settings.points = Some(cases(2000).div_ceil(names.len()));
    for name in &names {
        check(&corpus, name, &options).iter().for_each(|r| survey.add(r));
    }
    survey.conclude("108 functions");
}

/// The vector forms.
#[test]
fn functions_of_arrays() {
    let arrays = model("arrays.dsl", include_str!("arrays.dsl"));
    let mut survey = Survey::default();
    let mut options = every_mode();
    options.settings.points = Some(cases(300).div_ceil(10));
    adc::check(&arrays, &options).reports.iter().for_each(|r| survey.add(r));
    survey.conclude("functions of arrays");
}

#[test]
fn the_model_library() {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&models)
        .expect("the models are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "dsl"))
        .collect();
    files.sort();
    let mut survey = Survey::default();
    let mut options = CheckOptions::default();
    options.settings.points = Some(cases(300).div_ceil(files.len()));
    options.settings.backends = Backends::None;
    options.settings.every_point = true;
    for path in &files {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let name = path.to_str().expect("names are UTF-8");
        let model = Model::parse_with(name, &source, &mut adc::FileLoader).unwrap_or_else(|d| panic!("{d}"));
        adc::check(&model, &options).reports.iter().for_each(|r| survey.add(r));
    }
    survey.conclude("models");
}

/// Programs that nobody looked at when the oracle was made.
#[test]
fn generated_programs() {
    let mut survey = Survey::default();
    let mut options = every_mode();
    options.settings.points = Some(4);
    for seed in 0..cases(200).div_ceil(4) as u64 {
        let (steps, funcs) = if seed % 4 < 2 { (14, 2) } else { (24, 3) };
        let Some((m, f)) = generated(seed, steps, funcs) else { continue };
        let report = check_program(&m, f, &options);
        let before = survey.alarms.len();
        survey.add(&report);
        if survey.alarms.len() > before && std::env::var("ADC_SHOW").is_ok() {
            println!("seed {seed}\n{m}");
        }
        survey.alarms[before..].iter_mut().for_each(|a| *a = format!("seed {seed}: {a}"));
    }
    survey.conclude("generated programs");
}
