//! The page of `adc check --report DIR`.

use crate::common::adc;
use crate::reports::browser::{Seen, browser, look};
use crate::reports::{LOGISTIC, model};
use serde_json::Value;
use std::path::PathBuf;

const RED: [u8; 3] = [178, 24, 43];
const GREEN: [u8; 3] = [26, 127, 55];

/// The page of a check, and the check's exit code.
fn page(name: &str, source: &str) -> (PathBuf, u8) {
    let (dir, path) = model(name, source);
    let out = dir.join("report");
    let run = adc(["check", &path, "--report", out.to_str().expect("UTF-8")]);
    (out.join("index.html"), run.code)
}

/// What every page has to be: nothing beyond its sides, nothing loaded, no text of a drawing cut off or on another.
fn readable(seen: &Seen) {
    let parts = &seen.parts;
    assert_eq!(parts["loaded"], 0, "the page loads something");
    assert!(parts["width"].as_u64() <= parts["window"].as_u64(), "{} > {}", parts["width"], parts["window"]);
    let drawings = list(&parts["steps"]).iter().chain(list(&parts["heat"]));
    for drawing in drawings {
        let texts = list(&drawing["texts"]);
        assert!(!texts.is_empty());
        for (k, t) in texts.iter().enumerate() {
            assert!(inside(t, &drawing["svg"]), "{t} is cut off by {}", drawing["svg"]);
            for other in &texts[k + 1..] {
                assert!(!overlap(t, other), "{t} and {other} overlap");
            }
        }
    }
}

fn list(v: &Value) -> &Vec<Value> {
    v.as_array().expect("a list")
}

fn sides(v: &Value) -> [f64; 4] {
    let n = |name: &str| v[name].as_f64().expect("a number");
    [n("x"), n("y"), n("x") + n("w"), n("y") + n("h")]
}

fn inside(a: &Value, b: &Value) -> bool {
    let (a, b) = (sides(a), sides(b));
    a[0] >= b[0] - 1.0 && a[1] >= b[1] - 1.0 && a[2] <= b[2] + 1.0 && a[3] <= b[3] + 1.0
}

fn overlap(a: &Value, b: &Value) -> bool {
    // Boxes of letters are taller than the letters.
    let (a, b) = (sides(a), sides(b));
    let (w, h) = (a[2].min(b[2]) - a[0].max(b[0]), a[3].min(b[3]) - a[1].max(b[1]));
    w > 1.0 && h > 4.0
}

#[test]
fn failing() {
    let (path, code) = page("failing", LOGISTIC);
    assert_eq!(code, 1);
    let Some(browser) = browser() else { return };
    for width in [1280, 700] {
        let seen = look(&browser, &path, width);
        readable(&seen);
        let parts = &seen.parts["parts"];
        // First the answer, in red, then the rule to blame, on the first screen.
        let h1 = &parts["h1"][0];
        assert!(h1["text"].as_str().is_some_and(|t| t.contains("2 of 3 functions FAILED")), "{h1}");
        assert!(seen.count(h1, RED) > 100);
        let message = &parts[".message"][0];
        assert!(sides(message)[1] < 700.0, "{message}");
        let text = message["text"].as_str().expect("text");
        assert!(
            text.contains("error[ADC0301]") && text.contains("rule vjp logistic(t; g) { 2*g*out*(1 - out) }")
        );
        // One cell is wrong and looks it, the other is right.
        let heat = &seen.parts["heat"][0];
        let cells: Vec<[u8; 3]> = list(&heat["cells"])[..2]
            .iter()
            .map(|c| {
                let [x, y, ..] = sides(c);
                seen.pixel(x + 3.0, y + 3.0)
            })
            .collect();
        let [red, green] = cells[..] else { panic!("{cells:?}") };
        assert!(red[0] > 150 && red[1] < 60, "{red:?}");
        assert!(green[1] > green[0] && green[1] > green[2], "{green:?}");
        // The derivative's distance is a red line high above where both differences go.
        let steps = &seen.parts["steps"][0];
        assert!(seen.count(&steps["svg"], RED) > 500);
        for colour in [[9, 105, 218], [217, 119, 6]] {
            assert!(seen.count(&steps["svg"], colour) > 100);
        }
        assert!(steps["said"].as_str().is_some_and(|t| t.contains("The derivative is wrong")), "{steps}");
        let again = parts[".again"][0]["text"].as_str().expect("a command");
        assert!(again.starts_with("adc check ") && again.contains("--fn energy --at "), "{again}");
    }
}

#[test]
fn passing() {
    let source = "fn lens(n: f64, z: c128, w: f64[3]) -> (f: c128, g: f64) { (n*z^2, sum(w*w)*n) }
        check lens { n in [1, 2]; z ~ near(1 + 1i, 0.5); w in [-1, 1]; points 3; }";
    let (path, code) = page("passing", source);
    assert_eq!(code, 0);
    let Some(browser) = browser() else { return };
    let seen = look(&browser, &path, 1280);
    readable(&seen);
    let parts = &seen.parts["parts"];
    assert!(seen.count(&parts["h1"][0], GREEN) > 100);
    assert!(list(&parts[".message"]).is_empty() && list(&parts["tr.bad"]).is_empty());
    let steps = &seen.parts["steps"][0];
    assert!(seen.count(&steps["svg"], RED) == 0 && seen.count(&steps["svg"], GREEN) > 300);
    // Three rows (two parts of f, and g) and six columns (n, two parts of z, w).
    assert_eq!(list(&seen.parts["heat"][0]["cells"]).len(), 18 + 6);
}

/// What is not wrong and not certain either is neither green nor red; and the axes of its plot have marks from end to end.
#[test]
fn doubtful() {
    let (path, code) = page("doubtful", include_str!("../../book/gallery/rounding.dsl"));
    assert_eq!(code, 0);
    let html = std::fs::read_to_string(&path).expect("the page");
    assert!(html.contains(r#"<h1 class="warn">nothing is wrong, but 1 of 2 functions not certain</h1>"#));
    for mark in ["1e-24", "1e-16", "1e-8", "1e-14", "1e0"] {
        assert!(html.lines().any(|line| line.trim() == mark), "no mark at {mark}");
    }
}

/// Names and messages of a model are text on the page, whatever they look like.
#[test]
fn nothing_of_a_model_is_markup() {
    let source = "// <script>alert(1)</script> & <b>\nfn f(x: f64) -> f64 { x < 1 && <img src=x> }";
    let (path, code) = page("markup", source);
    assert_eq!(code, 2);
    let text = std::fs::read_to_string(path).expect("the page");
    assert!(!text.contains("<img") && !text.contains("<script"), "{text}");
}
