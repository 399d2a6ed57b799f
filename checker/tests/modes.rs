//! Every mode on correct models of every kind, and on wrong ones.

use crate::common;

use adc_checker::*;
use adc_ir::*;
use common::*;
use num_complex::Complex64;

/// Correct functions of every kind: a description of `f`, and its text.
const CORRECT: &[(&str, &str)] = &[
    ("R→R", "fn f(x: f64) -> f64 { v0 = sin x v1 = exp v0 v2 = mul v1, x return v2 }"),
    ("R³→R", "fn f(x: f64, y: f64, k: f64) -> f64 { v0 = mul x, y v1 = tanh v0 v2 = sin k v3 = mul v1, v2 v4 = add v3, x return v4 }"),
    (
        "R²→R³",
        "fn f(x: f64, y: f64) -> (a: f64, b: f64, c: f64) { v0 = mul x, y v1 = cos x v2 = exp y return v0, v1, v2 }",
    ),
    ("C→R", "fn f(z: c128) -> f64 { v0 = abs2 z v1 = exp z v2 = re v1 v3 = mul v0, v2 return v3 }"),
    (
        "C²→R²",
        "fn f(z: c128, w: c128) -> (a: f64, b: f64) { v0 = conj z v1 = mul v0, w v2 = im v1 v3 = abs w return v2, v3 }",
    ),
    ("R→C", "fn f(x: f64) -> c128 { v0 = cis x v1 = mul v0, x return v1 }"),
    ("R²→C²", "fn f(x: f64, y: f64) -> (a: c128, b: c128) { v0 = complex x, y v1 = exp v0 v2 = square v0 return v1, v2 }"),
    ("C→C holomorphic", "fn f(z: c128) -> c128 { v0 = exp z v1 = mul v0, z return v1 }"),
    ("C→C", "fn f(z: c128) -> c128 { v0 = conj z v1 = square v0 v2 = mul v1, z return v2 }"),
    (
        "C², R → C, R",
        "fn f(z: c128, a: f64, w: c128) -> (u: c128, r: f64) {
           v0 = mul z, a v1 = conj w v2 = mul v0, v1 v3 = abs2 v2 v4 = add v3, a return v2, v4 }",
    ),
    ("with integers and booleans", "fn f(x: f64, n: i64, b: bool) -> (y: f64, m: i64) { v0 = to_f64 n v1 = mul x, v0 v2 = select b, v1, x v3 = sin v2 return v3, n }"),
    ("branches", "fn f(x: f64) -> f64 { v0 = f64 0.0 v1 = lt v0, x v2 = if v1 { v3 = exp x yield v3 } else { v4 = sin x yield v4 } return v2 }"),
    ("constant", "fn f(x: f64) -> f64 { v0 = f64 3.0 return v0 }"),
    ("output = input, twice", "fn f(x: f64) -> (a: f64, b: f64) { return x, x }"),
    ("f32", "fn f(x: f32, y: f32) -> f32 { v0 = mul x, y v1 = sin v0 v2 = exp x v3 = mul v1, v2 return v3 }"),
    ("c64", "fn f(z: c64, x: f32) -> c64 { v0 = exp z v1 = conj v0 v2 = mul v1, x return v2 }"),
    ("x stop(x)", "fn f(x: f64) -> f64 { v0 = stop_gradient x v1 = mul x, v0 return v1 }"),
    (
        "calls",
        "fn f(x: f64, z: c128) -> c128 { v0 = call g(x) v1 = mul z, v0 v2 = call h(v1, x) return v2 }
         fn g(x: f64) -> f64 { v0 = square x v1 = sin v0 return v1 }
         fn h(z: c128, #[nodiff] x: f64) -> c128 { v0 = exp z v1 = mul v0, x return v1 }",
    ),
    ("a domain", "fn f(x: f64 in (0, 1], z: c128 in disk(0.5)) -> f64 { v0 = log x v1 = sqrt x v2 = abs2 z v3 = mul v0, v1 v4 = mul v3, v2 return v4 }"),
    (
        "a right rule",
        "fn f(x: f64, z: c128) -> f64 { v0 = call g(x, z) v1 = sin v0 return v1 }
         #[rule(vjp, g.rule.vjp)]
         fn g(x: f64, z: c128) -> f64 { v0 = abs2 z v1 = mul x, v0 return v1 }
         fn g.rule.vjp(x: f64, z: c128, out: f64, g: f64) -> (x_bar: f64, z_bar: c128) {
           v0 = abs2 z v1 = mul g, v0 v2 = mul g, x v3 = f64 2.0 v4 = mul v2, v3 v5 = mul v4, z return v1, v5 }",
    ),
];

const SETS: &[&[Mode]] = &[
    &[Mode::Slow],
    &[Mode::Fast],
    &[Mode::Forward],
    &[Mode::Gradgrad],
    &[Mode::Fast, Mode::Forward],
    &[Mode::Slow, Mode::Gradgrad],
    &[Mode::Slow, Mode::Fast, Mode::Forward, Mode::Gradgrad],
];

#[test]
fn correct_models_pass_in_every_mode() {
    for (kind, text) in CORRECT {
        for modes in SETS {
            let report = in_modes(text, modes);
            assert_eq!(report.status, Status::Ok, "{kind} {modes:?}: {}", describe(&report));
            assert!(report.counts.total.compared() > 0, "{kind} {modes:?}");
            assert_eq!(report.modes.len(), modes.len());
        }
        let report = run(text, |_, _| {}, |_| {});
        assert_eq!(report.status, Status::Ok, "{kind} by default: {}", describe(&report));
        assert_eq!(report.modes.len(), 4, "small functions are checked slowly too");
        assert!(report.gradgrad_skipped.is_none(), "{kind}: {:?}", report.gradgrad_skipped);
    }
}

/// Functions with a rule that is wrong: text of the rule's function `g` and the rule, the input and output
/// named in the message, the wrong and the right number at x = 0.5, z = 0.3 + 0.4i.
const WRONG: &[(&str, &str, &str, f64, f64)] = &[
    (
        "factor of 2",
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = square x return v0 }
         fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 4.0 v1 = mul v0, x v2 = mul v1, g return v2 }",
        "∂/∂x",
        2.0,
        1.0,
    ),
    (
        "sign in a jvp",
        "#[rule(jvp, f.rule.jvp)] fn f(x: f64) -> f64 { v0 = cos x return v0 }
         fn f.rule.jvp(x: f64, out: f64, d: f64) -> (out_dot: f64) { v0 = sin x v1 = mul v0, d return v1 }",
        "∂/∂x",
        0.479425538604203,
        -0.479425538604203,
    ),
    (
        "missing conj",
        "#[rule(vjp, f.rule.vjp)] fn f(z: c128) -> c128 { v0 = square z return v0 }
         fn f.rule.vjp(z: c128, out: c128, g: c128) -> (z_bar: c128) { v0 = f64 2.0 v1 = mul v0, z v2 = mul v1, g return v2 }",
        "∂out.re/∂z.im",
        0.8,
        -0.8,
    ),
    (
        "partial with a wrong CW",
        "#[rule(partial, f.rule.partial, holomorphic(false))] fn f(z: c128) -> c128 { v0 = conj z v1 = mul v0, z v2 = mul v1, z return v2 }
         fn f.rule.partial(z: c128, out: c128) -> (w: c128, cw: c128) {
           v0 = abs2 z v1 = f64 2.0 v2 = mul v0, v1 v3 = f64 0.0 v4 = complex v2, v3 v5 = conj z v6 = square v5 return v4, v6 }",
        "∂out.re/∂z.im",
        -0.24,
        0.24,
    ),
    (
        "R→C without the real part's conj",
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> c128 { v0 = cis x return v0 }
         fn f.rule.vjp(x: f64, out: c128, g: c128) -> (x_bar: f64) { v0 = im out v1 = re g v2 = mul v0, v1 return v2 }",
        "∂out.re/∂x",
        0.479425538604203,
        -0.479425538604203,
    ),
    (
        "missing operand",
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64, y: f64) -> f64 { v0 = mul x, y return v0 }
         fn f.rule.vjp(x: f64, y: f64, out: f64, g: f64) -> (x_bar: f64, y_bar: f64) { v0 = mul g, y v1 = f64 0.0 return v0, v1 }",
        "∂/∂y",
        0.0,
        0.5,
    ),
];

fn point(text: &str) -> Vec<Datum> {
    let m = module(text);
    let f = m.func(m.find("f").unwrap());
    (0..f.params.len())
        .map(|i| match f.param_ty(i) {
            Type::F64 => real(if f.params[i].name == "x" { 0.5 } else { 2.0 }),
            _ => c(0.3, 0.4),
        })
        .collect()
}

#[test]
fn wrong_rules_are_caught_in_every_first_order_mode() {
    for (what, text, name, wrong, right) in WRONG {
        for modes in &SETS[..3] {
            let report = run(
                text,
                |_, _| {},
                |s| {
                    s.modes = Some(modes.to_vec());
                    s.at = vec![point(text)];
                },
            );
            fails_with(&report, Code::WrongDerivative);
            let worst = report.worst.as_ref().unwrap();
            let entry = worst
                .entries
                .iter()
                .find(|e| e.name(false) == *name)
                .unwrap_or_else(|| panic!("{what}: no {name} in {}", describe(&report)));
            assert_eq!(entry.status, Verdict::Wrong, "{what} {modes:?}: {}", describe(&report));
            let derivative = if modes.contains(&Mode::Forward) { entry.jvp } else { entry.vjp }.unwrap();
            assert!((derivative - wrong).abs() < 1e-12, "{what}: {derivative}");
            assert!((entry.fd.unwrap() - right).abs() < 1e-8, "{what}: {:?}", entry.fd);
            let d = &report.diagnostics[0];
            let input = name.rsplit('∂').next().unwrap().trim_end_matches(".re").trim_end_matches(".im");
            assert!(d.message.contains(&format!("`{input}`")), "{what}: {}", d.message);
        }
        // At sampled points, and at every `opt`.
        fails_with(&run(text, |_, _| {}, |_| {}), Code::WrongDerivative);
    }
}

#[test]
fn the_notes_say_both_numbers_and_guess_the_mistake() {
    let report = run(WRONG[0].1, |_, _| {}, |s| s.at = vec![vec![real(0.5)]]);
    let d = &report.diagnostics[0];
    assert_eq!(d.message, "the derivative of `f` with respect to `x` is wrong");
    assert!(d.notes.iter().any(|n| n == "at: x = 0.5"), "{d:?}");
    assert!(d.notes.iter().any(|n| n.contains("vjp 2, jvp 2, fd 1 ± ")), "{d:?}");
    assert!(d.notes.iter().any(|n| n.contains("extra factor of 2")), "{d:?}");
}

#[test]
fn a_wrong_second_derivative_is_one_of_second_order() {
    // The rule of f is right, the rule of what its rule calls is wrong: only the second derivative has an error.
    let text = "
#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = sin x return v0 }
fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = call c(x) v1 = mul v0, g return v1 }
#[rule(vjp, c.rule.vjp)] fn c(x: f64) -> f64 { v0 = cos x return v0 }
fn c.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = sin x v1 = mul v0, g return v1 }";
    passes(&in_modes(text, &[Mode::Slow, Mode::Fast, Mode::Forward]));
    for modes in [vec![Mode::Gradgrad], vec![Mode::Slow, Mode::Gradgrad], vec![Mode::Fast, Mode::Gradgrad]] {
        let report = in_modes(text, &modes);
        fails_with(&report, Code::WrongSecondDerivative);
        assert!(!report.diagnostics.iter().any(|d| d.code == Code::WrongDerivative));
        let worst = report.worst.as_ref().unwrap();
        let e = worst.entries.iter().find(|e| e.status == Verdict::Wrong).expect("details of the miss");
        assert_eq!((e.order, e.output.as_str(), e.input.as_str()), (Order::Second, "x_bar", "x"));
        assert!(!worst.cotangents.is_empty());
    }
}

#[test]
fn jvp_and_vjp_are_checked_each() {
    // Only the rule for one direction is wrong.
    let text = "
#[rule(jvp, f.rule.jvp)] #[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = square x return v0 }
fn f.rule.jvp(x: f64, out: f64, d: f64) -> (out_dot: f64) { v0 = mul x, d return v0 }
fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 2.0 v1 = mul v0, x v2 = mul v1, g return v2 }";
    let report = run(text, |_, _| {}, |_| {});
    fails_with(&report, Code::WrongDerivative);
    fails_with(&report, Code::RulesDisagree);
    assert!(report.diagnostics.iter().any(|d| d.message.contains("`rule jvp`")), "{}", describe(&report));
    assert!(!report.diagnostics.iter().any(|d| d.message.contains("`rule vjp`")), "{}", describe(&report));
    passes(&in_modes(&text.replace("#[rule(jvp, f.rule.jvp)]", ""), &[Mode::Slow, Mode::Forward]));
}

#[test]
fn wirtinger_derivatives_of_complex_pairs() {
    let at = |text: &str| {
        let report = run(text, |_, _| {}, |s| s.at = vec![vec![c(0.3, 0.4)]]);
        passes(&report);
        report.worst.unwrap().wirtinger.remove(0)
    };
    let z = Complex64::new(0.3, 0.4);
    let w = at("fn f(z: c128) -> c128 { v0 = square z return v0 }");
    assert!((w.w - 2.0 * z).norm() < 1e-15 && w.cw.norm() < 1e-15 && w.holomorphic);
    let w = at("fn f(z: c128) -> c128 { v0 = conj z v1 = square v0 return v1 }");
    assert!(w.w.norm() < 1e-15 && (w.cw - 2.0 * z.conj()).norm() < 1e-15 && !w.holomorphic);
}
