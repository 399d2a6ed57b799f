//! Ten models as mathematics: reviewed output in `tests/latex/`, LaTeX and plain text. `ADC_BLESS=1` rewrites it; read the
//! diff.

use crate::common;

use common::adc;
use std::path::Path;

const MODELS: [&str; 10] = [
    "black_scholes",
    "damped_oscillator",
    "fresnel",
    "lennard_jones",
    "michaelis_menten",
    "moebius",
    "normal",
    "planck",
    "relativistic_energy",
    "van_der_waals",
];

#[test]
fn models_as_reviewed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for model in MODELS {
        for (stage, extension) in [("latex", "tex"), ("math", "txt")] {
            let out = adc(["emit", &format!("models/{model}.dsl"), &format!("--emit={stage}")]);
            assert_eq!(out.code, 0, "{model}: {}", out.err);
            let path = root.join("tests/latex").join(model).with_extension(extension);
            if std::env::var_os("ADC_BLESS").is_some() {
                std::fs::write(&path, &out.out).expect("the expected output can be written");
            }
            let expected = std::fs::read_to_string(&path).expect("the expected output");
            assert_eq!(out.out, expected, "{model}");
        }
    }
}

/// What the book shows; transcripts take every backslash for a separator of paths.
#[test]
fn book() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/commands.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let model = std::env::temp_dir().join(format!("adc-book-{}.dsl", std::process::id()));
    std::fs::write(&model, "fn f(x: f64, y: f64) -> f64 { x*sin(y) }\n").expect("a file");
    let out = adc(["emit".as_ref(), model.as_os_str(), "--emit=latex".as_ref()]);
    std::fs::remove_file(&model).expect("the file is there");
    let (head, rest) = page.split_once("```latex\n").expect("a block");
    let (block, tail) = rest.split_once("```").expect("its end");
    if std::env::var_os("ADC_BLESS").is_some() {
        std::fs::write(&path, format!("{head}```latex\n{}```{tail}", out.out)).expect("it can be written");
    } else {
        assert_eq!(block, out.out);
    }
}
