//! The classic tolerances with their published meaning: the same numbers and blind spots as `torch.autograd.gradcheck`.

use crate::common;

use adc_checker::*;
use adc_ir::*;
use common::{c, describe, fails_with, passes, real};
use num_complex::Complex64;

/// `f` with a rule that multiplies its right derivative by a factor.
fn scaled(value: &str, derivative: &str, factor: &str) -> String {
    format!(
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 {{ {value} }}
         fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) {{
           {derivative} v100 = f64 {factor} v101 = mul v99, v100 v102 = mul v101, g return v102 }}"
    )
}

/// As in the other tests, with classic tolerances.
fn run(
    text: &str,
    block: impl FnOnce(&mut CheckBlock, &Func),
    settings: impl FnOnce(&mut Settings),
) -> Report {
    common::run(text, block, |s| {
        s.tolerance = Tolerance::Classic;
        settings(s);
    })
}

fn slow(text: &str, at: &[Vec<Datum>]) -> Report {
    run(
        text,
        |_, _| {},
        |s| {
            s.modes = Some(vec![Mode::Slow]);
            s.at = at.to_vec();
        },
    )
}

#[test]
fn relative_errors_up_to_rtol_pass() {
    let sin = |factor| scaled("v0 = sin x return v0", "v99 = cos x", factor);
    passes(&slow(&sin("1.0005"), &[vec![real(0.5)]]));
    fails_with(&slow(&sin("1.0015"), &[vec![real(0.5)]]), Code::WrongDerivative);
    // The caller gives rtol and atol.
    let strict = |s: &mut Settings| {
        s.rtol = Some(1e-6);
        s.atol = Some(1e-8);
    };
    fails_with(&run(&sin("1.0005"), |_, _| {}, strict), Code::WrongDerivative);
    passes(&run(&sin("1.0"), |_, _| {}, strict));
}

#[test]
fn small_derivatives_are_not_tested_and_counted() {
    let text = scaled("v0 = sin x v1 = f64 1e-6 v2 = mul v0, v1 return v2", "v99 = cos x", "0.0");
    let r = slow(&text, &[vec![real(0.5)]]);
    passes(&r);
    assert_eq!(r.counts.total.untestable, 1);
}

#[test]
fn fixed_steps_raise_false_alarms_where_gradcheck_does() {
    let cases: [(&str, f64); 3] = [
        // Noise: 1e12 + sin x.
        ("fn f(x: f64) -> f64 { v0 = f64 1e12 v1 = sin x v2 = add v0, v1 return v2 }", 0.5),
        // Curvature: sin(1e5 x).
        ("fn f(x: f64) -> f64 { v0 = f64 1e5 v1 = mul x, v0 v2 = sin v1 return v2 }", 0.5),
        // A kink within a step.
        ("fn f(x: f64) -> f64 { v0 = abs x return v0 }", 5e-7),
    ];
    for (text, x) in cases {
        fails_with(&slow(text, &[vec![real(x)]]), Code::WrongDerivative);
    }
    // If a displaced value does not exist, there is nothing to compare; gradcheck fails there, too.
    for text in
        ["fn f(x: f64) -> f64 { v0 = sqrt x return v0 }", "fn f(x: f64) -> f64 { v0 = log x return v0 }"]
    {
        fails_with(&slow(text, &[vec![real(1e-8)]]), Code::NothingChecked);
    }
}

#[test]
fn complex_entries_are_twice_cw() {
    // z² at 0.3 + 0.4i: conj(2z) for re(f), i·conj(2z) for im(f).
    let r = slow("fn f(z: c128) -> c128 { v0 = square z return v0 }", &[vec![c(0.3, 0.4)]]);
    passes(&r);
    let entries = &r.worst.as_ref().unwrap().entries;
    let names: Vec<String> = entries.iter().map(|e| e.name(true)).collect();
    assert_eq!(names, ["∂out.re/∂z.re", "∂out.re/∂z.im", "∂out.im/∂z.re", "∂out.im/∂z.im"]);
    for (e, want) in entries.iter().zip([0.6, -0.8, 0.8, 0.6]) {
        assert!((e.vjp.unwrap() - want).abs() < 1e-15 && (e.fd.unwrap() - want).abs() < 1e-9, "{e:?}");
        assert!((e.tol - (1e-5 + 1e-3)).abs() < 1e-12, "the modulus of 0.6 - 0.8i is 1: {e:?}");
    }
}

#[test]
fn fast_mode_is_one_number_per_output_and_input() {
    let probe = |text: &str, point: Vec<Datum>| {
        let r = run(
            text,
            |_, _| {},
            |s| {
                s.modes = Some(vec![Mode::Fast]);
                s.at = vec![point];
            },
        );
        passes(&r);
        let worst = r.worst.unwrap();
        assert!(worst.entries.is_empty(), "no details without a miss");
        worst.probes
    };
    // One complex input: u_r = u_i = 1, s is the gradient 2z itself; atol counts for both directions.
    let p = probe("fn f(z: c128) -> f64 { v0 = abs2 z return v0 }", vec![c(0.3, 0.4)]);
    assert_eq!(p.len(), 1);
    assert!((p[0].derivative - Complex64::new(0.6, 0.8)).norm() < 1e-15);
    assert!((p[0].fd - Complex64::new(0.6, 0.8)).norm() < 1e-9);
    assert!((p[0].tol - (2e-5 + 1e-3)).abs() < 1e-12, "{p:?}");
    // Each input has its own direction; that of a number is 1.
    let p = probe("fn f(x: f64, y: f64) -> f64 { v0 = mul x, y return v0 }", vec![real(3.0), real(4.0)]);
    let numbers: Vec<(&str, f64)> =
        p.iter().map(|p| (p.input.as_deref().unwrap(), p.derivative.re)).collect();
    assert_eq!(numbers, [("x", 4.0), ("y", 3.0)]);
    assert!(p.iter().all(|p| (p.tol - (1e-5 + 1e-3 * p.fd.re)).abs() < 1e-12), "{p:?}");
    // An array: s = g·u with u ≥ 0 of unit length, atol·Σu.
    let text = "fn f(x: f64[2]) -> f64 { v0 = i64 0 v1 = i64 1 v2 = index x, v0 v3 = index x, v1 v4 = mul v2, v3 return v4 }";
    let p = probe(text, vec![Array::new(vec![2], vec![3.0, 4.0]).into()]);
    let s = p[0].derivative.re;
    assert!(p.len() == 1 && p[0].derivative.im == 0.0 && (3.0..=5.0).contains(&s), "4 u_0 + 3 u_1: {s}");
    let sum = (p[0].tol - 1e-3 * p[0].fd.re) / 1e-5;
    assert!((1.0 - 1e-9..=2f64.sqrt() + 1e-9).contains(&sum), "{sum}");
    // A complex output counts as re(f) and im(f).
    let p = probe("fn f(x: f64) -> c128 { v0 = cis x return v0 }", vec![real(0.5)]);
    let parts: Vec<(Part, f64)> = p.iter().map(|p| (p.part, p.derivative.re)).collect();
    assert_eq!(parts, [(Part::Re, -(0.5f64.sin())), (Part::Im, 0.5f64.cos())]);
}

#[test]
fn second_order_is_the_check_of_the_vjp_program() {
    // F(x, v) = v·3x²: ∂F/∂x = 6xv, ∂F/∂v = 3x².
    let r = run(
        "fn f(x: f64) -> f64 { v0 = square x v1 = mul v0, x return v1 }",
        |_, _| {},
        |s| {
            s.modes = Some(vec![Mode::Slow, Mode::Forward, Mode::Gradgrad]);
            s.at = vec![vec![real(2.0)]];
        },
    );
    passes(&r);
    let worst = r.worst.unwrap();
    let v = worst.cotangents[0].get(0).to_c128().re;
    let second: Vec<(String, f64, f64)> = worst
        .entries
        .iter()
        .filter(|e| e.order == Order::Second)
        .map(|e| (e.name(true), e.vjp.unwrap(), e.jvp.unwrap()))
        .collect();
    assert_eq!(second.len(), 2);
    assert_eq!(second[0].0, "∂x_bar/∂x");
    assert_eq!(second[1].0, "∂x_bar/∂out_bar");
    for ((_, vjp, jvp), want) in second.iter().zip([12.0 * v, 12.0]) {
        assert!((vjp - want).abs() < 1e-12 && (jvp - want).abs() < 1e-12, "{second:?}");
    }
}

#[test]
fn without_modes_it_is_what_gradcheck_does() {
    // A wrong derivative of the derivative is not detected unless it is asked for, nor is the JVP.
    let text = "
#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = sin x return v0 }
fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = call c(x) v1 = mul v0, g return v1 }
#[rule(vjp, c.rule.vjp)] fn c(x: f64) -> f64 { v0 = cos x return v0 }
fn c.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = sin x v1 = mul v0, g return v1 }";
    let at = |modes: Option<&[Mode]>| {
        run(
            text,
            |_, _| {},
            |s| {
                s.at = vec![vec![real(0.5)]];
                s.modes = modes.map(<[Mode]>::to_vec);
            },
        )
    };
    let r = at(None);
    passes(&r);
    assert_eq!(r.modes, [Mode::Slow]);
    let worst = r.worst.as_ref().unwrap();
    let kinds: Vec<IdentityKind> = worst.identities.iter().map(|i| i.kind).collect();
    assert!(worst.probes.is_empty() && worst.entries.iter().all(|e| e.jvp.is_none()));
    assert_eq!(kinds, [IdentityKind::ZeroVjp]);
    fails_with(&at(Some(&[Mode::Slow, Mode::Gradgrad])), Code::WrongSecondDerivative);
    // Numbers in a block select the same.
    let r = common::run(text, |b, _| b.atol = Some(1e-5), |s| s.at = vec![vec![real(0.5)]]);
    assert_eq!((r.modes, r.limits.form, r.limits.eps), (vec![Mode::Slow], Tolerance::Classic, 1e-6));
}

#[test]
fn a_zero_cotangent_gives_zero() {
    // An error below any tolerance, where the cotangent is absent.
    let text = "
#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = sin x return v0 }
fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = cos x v1 = mul v0, g v2 = f64 1e-9 v3 = add v1, v2 return v3 }";
    let r = slow(text, &[vec![real(0.5)]]);
    assert_eq!(r.status, Status::Failed, "{}", describe(&r));
    let zero = &r.worst.as_ref().unwrap().identities[0];
    assert_eq!((zero.kind, zero.status), (IdentityKind::ZeroVjp, Verdict::Inconsistent));
    assert_eq!(zero.sides, (1e-9, 0.0));
}

#[test]
fn a_kink_is_said_to_be_one() {
    let relu = "fn f(x: f64) -> f64 { v0 = f64 0.0 v1 = lt v0, x v2 = if v1 { yield x } else { yield v0 } return v2 }";
    let at_zero = |b: &mut CheckBlock, _: &Func| b.params[0] = Some(Distribution::Fixed(Const::F64(0.0)));
    let r = run(relu, at_zero, |_| {});
    fails_with(&r, Code::WrongDerivative);
    assert!(r.diagnostics[0].notes.iter().any(|n| n.contains("left 0, right 1")), "{}", describe(&r));
    let kink = |text: &str| {
        run(
            text,
            |b, f| {
                at_zero(b, f);
                b.expect = Some(Expect::Kink);
            },
            |s| s.modes = Some(vec![Mode::Slow, Mode::Gradgrad]),
        )
    };
    assert_eq!(kink(relu).status, Status::Ok);
    fails_with(&kink("fn f(x: f64) -> f64 { v0 = sin x return v0 }"), Code::ExpectationFailed);
    // A symmetric subgradient agrees with the central difference; the second derivative shows the kink.
    assert_eq!(kink("fn f(x: f64) -> f64 { v0 = f64 0.0 v1 = max x, v0 return v1 }").status, Status::Ok);
    // A jump is no kink, nor is a wrong derivative of a smooth function.
    let step = "fn f(x: f64) -> f64 { v0 = f64 0.0 v1 = f64 1.0 v2 = lt v0, x v3 = if v2 { yield v1 } else { yield x } return v3 }";
    fails_with(&kink(step), Code::ExpectationFailed);
    fails_with(&kink(&scaled("v0 = sin x return v0", "v99 = cos x", "2.0")), Code::ExpectationFailed);
}
