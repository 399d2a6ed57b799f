//! Verdicts where a function has no derivative, or the derivative no digits: each by its name.

use crate::oracle::survey::{check, every_mode, model};
use adc_checker::{Entry, Order, Verdict};

/// A function, its first parameter's value, and what its first entry is to be called.
const CASES: &[(&str, &str, &[Verdict])] = &[
    // Kinks: between the slopes, and not.
    ("fn f(x: f64) -> f64 { abs(x) }", "x = 0;", &[Verdict::Kink]),
    ("fn f(x: f64) -> f64 { max(x, 0) }", "x = 0;", &[Verdict::Kink]),
    ("fn f(x: f64) -> f64 { max(sin(x), x^2) + 1e8 }", "x = 0;", &[Verdict::Kink]),
    ("fn f(x: f64) -> f64 { if x > 1 { 2*x } else { x + 1 } }", "x = 1;", &[Verdict::Kink]),
    (
        "fn f(x: f64) -> f64 { abs(x) } rule partial f(x) { d x: if x > 0 { 1 } else { -1 }; }",
        "x = 0;",
        &[Verdict::Kink],
    ),
    (
        "fn f(x: f64) -> f64 { abs(x) } rule partial f(x) { d x: if x > 0 { 1 } else { -1.00000001 }; }",
        "x = 0;",
        &[Verdict::BadKink],
    ),
    (
        "fn f(x: f64) -> f64 { abs(x) } rule partial f(x) { d x: if x == 0 { 3 } else { sign(x) }; }",
        "x = 0;",
        &[Verdict::BadKink],
    ),
    (
        "fn relu(x: f64) -> f64 { if x > 0 { x } else { 0 } } fn f(x: f64) -> f64 { relu(x) - relu(-x) }",
        "x = 0;",
        &[Verdict::BadKink],
    ),
    // The same without a kink.
    (
        "fn relu(x: f64) -> f64 { max(x, 0) } fn f(x: f64) -> f64 { relu(x) - relu(-x) }",
        "x = 0;",
        &[Verdict::Ok],
    ),
    ("fn f(x: f64) -> f64 { x*abs(x) }", "x = 0;", &[Verdict::Ok]),
    // Beside a kink, at any distance.
    ("fn f(x: f64) -> f64 { abs(x) }", "x = 1e-14;", &[Verdict::Ok]),
    ("fn f(x: f64) -> f64 { abs(x - 1) }", "x = 0.9999999999999999;", &[Verdict::Ok]),
    (
        "fn f(x: f64) -> f64 { if x > 0 { x } else { 0 } } rule partial f(x) { d x: 1; }",
        "x = -1e-14;",
        &[Verdict::Wrong],
    ),
    // Jumps.
    ("fn f(x: f64) -> f64 { if x > 0 { x + 1 } else { x } }", "x = 0;", &[Verdict::Discontinuous]),
    ("fn f(x: f64) -> f64 { if x >= 1 { x^2 + 1e-9 } else { x^2 } }", "x = 1;", &[Verdict::Discontinuous]),
    ("fn f(x: f64) -> f64 { floor(x)*x }", "x = 2;", &[Verdict::Discontinuous]),
    ("fn f(x: f64) -> f64 { sign(x) }", "x = 0;", &[Verdict::Discontinuous]),
    // Edges.
    (
        "fn f(x: f64) -> f64 { x*sqrt(x) + x }",
        "x = 1e-300;",
        &[Verdict::Ok, Verdict::OutOfDomain, Verdict::Unsure],
    ),
    ("fn f(x: f64) -> f64 { acos(x)^2 }", "x = 1;", &[Verdict::NonFinite]),
    ("fn f(x: f64) -> f64 { assert x >= 0; x^2 + 3*x }", "x = 0;", &[Verdict::OutOfDomain]),
    ("fn f(x: f64) -> f64 { x^2*log(x^2 - 1 + 1) + asin(x)*0 + x }", "x = 1;", &[Verdict::NonFinite]),
    // Wrong, by one of the modes or both.
    (
        "fn f(x: f64) -> f64 { sin(x) } rule partial f(x) { d x: 1.00000001*cos(x); }",
        "x = 1;",
        &[Verdict::Wrong],
    ),
    (
        "fn f(x: f64) -> f64 { sin(x) } rule vjp f(x; g) { g*cos(x) } rule jvp f(x; dx) { 1.00000001*dx*cos(x) }",
        "x = 1;",
        &[Verdict::Inconsistent],
    ),
    // Subnormal numbers: as a factor, and as a result whose derivative is none.
    (
        "fn f(x: f64) -> f64 { (1e-310*x)*(1e5*x) }",
        "x = 0.2;",
        &[Verdict::Ok, Verdict::Kink, Verdict::Unsure],
    ),
    ("fn f(x: f64) -> f64 { 1e-312*exp(-1e10*x) }", "x = 5e-11;", &[Verdict::Ok]),
    (
        "fn f(x: f64) -> f64 { 1e-312*exp(-1e10*x) } rule partial f(x) { d x: -1.01e-302*exp(-1e10*x); }",
        "x = 5e-11;",
        &[Verdict::Wrong],
    ),
    // Formulas without digits.
    (
        "fn f(x: f64) -> f64 { tanh(x) } rule partial f(x) { d x: 1 - tanh(x)^2; }",
        "x = 18;",
        &[Verdict::Unstable],
    ),
    (
        "fn f(x: f64) -> f64 { tanh(x) } rule partial f(x) { d x: 1 - tanh(x)^2; }",
        "x = 11;",
        &[Verdict::Imprecise],
    ),
    ("fn f(x: f64) -> f64 { tanh(x) } rule partial f(x) { d x: 1 - tanh(x)^2; }", "x = 1;", &[Verdict::Ok]),
    (
        "fn f(x: f64) -> f64 { sigmoid(x) } rule partial f(x) { d x: out*(1 - out); }",
        "x = 40;",
        &[Verdict::Unstable],
    ),
    (
        "fn f(x: f64) -> f64 { sigmoid(x) } rule partial f(x) { d x: out*(1 - out); }",
        "x = 12;",
        &[Verdict::Ok, Verdict::Imprecise],
    ),
    (
        "fn f(x: f64) -> f64 { expm1(x) } rule partial f(x) { d x: out + 1; }",
        "x = -40;",
        &[Verdict::Unstable],
    ),
    (
        "fn f(x: f64) -> f64 { atanh(x) } rule partial f(x) { d x: 1/(1 - x^2); }",
        "x = 0.999999999;",
        &[Verdict::Ok, Verdict::Imprecise],
    ),
    (
        "fn f(x: f64) -> f64 { sin(x) } rule partial f(x) { d x: (1e17 + cos(x)) - 1e17; }",
        "x = 1;",
        &[Verdict::Unstable],
    ),
    // Not numbers.
    ("fn f(x: f64) -> f64 { sqrt(x) }", "x = 0;", &[Verdict::NonFinite]),
    ("fn f(x: f64) -> f64 { x*log(x^2) } rule partial f(x) { d x: 0/0*x; }", "x = 1;", &[Verdict::NonFinite]),
];

#[test]
fn each_verdict_by_its_name() {
    let mut wrong = Vec::new();
    for (source, at, expected) in CASES {
        let model = model("case.dsl", &format!("{source}\ncheck f {{ {at} }}"));
        let mut options = every_mode();
        options.settings.points = Some(1);
        for r in check(&model, "f", &options) {
            let first = r.points.iter().flat_map(|p| &p.entries).find(|e: &&Entry| e.order == Order::First);
            let found = first.map(|e| e.status);
            if !found.is_some_and(|v| expected.contains(&v)) {
                wrong.push(format!(
                    "{source} at {at}: {found:?}, not {expected:?}: {first:?}, {:?}",
                    r.diagnostics.first().map(|d| &d.message)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), CASES.len());
}
