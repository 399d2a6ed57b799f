//! Reports of `adc check` for other tools, read back by libraries of those formats, and its page, looked at in a browser.

pub mod browser;
mod forms;
mod page;

use std::path::PathBuf;

/// Two functions: one whose hand-written rule is twice what it should be, one that is right.
const LOGISTIC: &str = "\
fn logistic(t: f64) -> f64 { 1/(1 + exp(-t)) }
rule vjp logistic(t; g) { 2*g*out*(1 - out) }
fn energy(x: f64, y: f64) -> f64 { logistic(x)^2 + y^3 }
fn spring(k: f64, x: f64) -> f64 { k*x^2/2 }
check energy { x in [0.5, 2]; y in [0.5, 2]; points 4; }
check spring { k in [1, 2]; x in [-1, 1]; points 4; }
";

/// A directory of this test's own with the model in it, and the model's path.
fn model(name: &str, text: &str) -> (PathBuf, String) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reports").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory for the model");
    let path = dir.join("model, 1.dsl");
    std::fs::write(&path, text).expect("the model is written");
    (dir, path.to_str().expect("UTF-8").to_string())
}
