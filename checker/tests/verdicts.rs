//! Every verdict on a function that has it: the message, the deciding op, and the effect of expectations.

use crate::common;

use adc_checker::*;
use adc_ir::*;
use common::*;

/// Verdict, text of `f`, its argument, the deciding op.
const CASES: &[(Verdict, &str, f64, Option<&str>)] = &[
    (Verdict::Ok, "fn f(x: f64) -> f64 { v0 = sin x return v0 }", 0.5, None),
    (Verdict::Kink, "fn f(x: f64) -> f64 { v0 = f64 2.0 v1 = max x, v0 return v1 }", 2.0, Some("max")),
    (Verdict::Kink, "fn f(x: f64) -> f64 { v0 = abs x return v0 }", 0.0, Some("abs")),
    (
        Verdict::Kink,
        "fn f(x: f64) -> f64 { v0 = f64 0.0 v1 = lt v0, x v2 = if v1 { yield x } else { yield v0 } return v2 }",
        0.0,
        Some("<"),
    ),
    (
        // A jump after a kink that is not to blame.
        Verdict::Discontinuous,
        "fn f(x: f64) -> f64 { v0 = f64 1.0 v1 = sub x, v0 v2 = abs v1 v3 = floor x v4 = add v2, v3 return v4 }",
        1.0,
        Some("floor"),
    ),
    (
        Verdict::BadKink,
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = abs x return v0 }
         fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 3.0 v1 = mul v0, g return v1 }",
        0.0,
        Some("abs"),
    ),
    (
        Verdict::Wrong,
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = square x return v0 }
         fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 2.00000002 v1 = mul v0, x v2 = mul v1, g return v2 }",
        0.5,
        None,
    ),
    (
        Verdict::Inconsistent,
        "fn f(x: f64) -> f64 { v0 = call r(x) v1 = sin v0 return v1 }
         #[rule(jvp, r.rule.jvp)] #[rule(vjp, r.rule.vjp)] fn r(x: f64) -> f64 { v0 = square x return v0 }
         fn r.rule.jvp(x: f64, out: f64, d: f64) -> (out_dot: f64) { v0 = mul x, d return v0 }
         fn r.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 2.0 v1 = mul v0, x v2 = mul v1, g return v2 }",
        0.5,
        None,
    ),
    (Verdict::NonFinite, "fn f(x: f64) -> f64 { v0 = sqrt x v1 = mul v0, x return v1 }", 0.0, None),
];

fn at(text: &str, x: f64, expect: Option<Expect>) -> Report {
    run(
        text,
        |b, _| b.expect = expect,
        |s| {
            s.at = vec![vec![real(x)]];
            s.modes = Some(vec![Mode::Slow, Mode::Fast, Mode::Forward]);
        },
    )
}

#[test]
fn each_is_found_counted_and_told() {
    for (verdict, text, x, op) in CASES {
        let r = at(text, *x, None);
        let describe = describe(&r);
        assert_eq!(r.counts.points_by.of(*verdict), 1, "{verdict:?}: {describe}");
        let e = &r.worst.as_ref().unwrap().entries[0];
        assert_eq!(e.status, *verdict, "{describe}");
        // The numbers shown imply the verdict.
        let passes = matches!(verdict, Verdict::Ok | Verdict::Kink);
        assert_eq!(e.ratio <= 1.0, passes, "{describe}");
        if e.tol.is_finite() && e.abs_err > 0.0 {
            assert_eq!(e.ratio, e.abs_err / e.tol, "{describe}");
        }
        let severities = r.diagnostics.iter().map(|d| d.severity);
        assert_eq!(severities.min(), expected_severity(*verdict), "{describe}");
        if let Some(code) = verdict.info().code {
            assert_eq!(r.diagnostics[0].code, code, "{describe}");
        }
        assert_eq!(r.sites.first().map(|s| (s.verdict, s.op)), op.map(|op| (*verdict, op)), "{describe}");
        assert!(op.is_none() || r.sites[0].margin == 0.0, "{describe}");
    }
}

fn expected_severity(v: Verdict) -> Option<adc_ir::Severity> {
    match v.info().severity {
        _ if v == Verdict::Ok => None,
        adc_checker::Severity::Pass => Some(adc_ir::Severity::Note),
        adc_checker::Severity::Warning | adc_checker::Severity::Unsure => Some(adc_ir::Severity::Warning),
        adc_checker::Severity::Failure => Some(adc_ir::Severity::Error),
    }
}

/// An expectation is met only by its verdict, `fail` by any failure.
#[test]
fn expectations_are_met_by_what_they_name() {
    for (verdict, text, x, _) in CASES {
        for (expect, word) in Expect::ALL {
            let met = match expect {
                Expect::Fail => verdict.failing(),
                Expect::Error => false,
                expect => verdict.info().expect == *expect,
            };
            let r = at(text, *x, Some(*expect));
            assert_eq!(r.status == Status::Ok, met, "{verdict:?} under `expect {word}`: {}", describe(&r));
            let failed = r.diagnostics.first().is_some_and(|d| d.code == Code::ExpectationFailed);
            assert_eq!(failed, !met, "{verdict:?} under `expect {word}`: {}", describe(&r));
        }
    }
}

/// Another failure is not hidden by the expected one.
#[test]
fn an_expectation_hides_nothing_else() {
    let text = "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = sqrt x v1 = mul v0, x return v1 }
         fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = sqrt x v1 = div x, v0 v2 = mul v1, g return v2 }";
    let both =
        |expect| run(text, |b, _| b.expect = Some(expect), |s| s.at = vec![vec![real(0.0)], vec![real(1.0)]]);
    fails_with(&both(Expect::Nan), Code::ExpectationFailed);
    fails_with(&both(Expect::Wrong), Code::ExpectationFailed);
    assert_eq!(both(Expect::Fail).status, Status::Ok);
}

#[test]
fn one_wrong_mode_is_named_and_a_wrong_rule_told_from_a_wrong_transposition() {
    let inconsistent = CASES.iter().find(|c| c.0 == Verdict::Inconsistent).expect("a case");
    let r = at(inconsistent.1, inconsistent.2, None);
    let d = &r.diagnostics[0];
    assert!(d.message.ends_with("is wrong in forward mode"), "{}", describe(&r));
    assert!(d.notes.iter().any(|n| n == "reverse mode agrees with finite differences"), "{}", describe(&r));
    assert!(d.notes.iter().any(|n| n.starts_with("the adjoint identity fails: ")), "{}", describe(&r));
}

/// The resolution of a check: of 16 points and two entries each, the median is between least and worst.
#[test]
fn resolutions_are_summed_up() {
    let text = "fn f(x: f64, y: f64) -> f64 { v0 = mul x, y v1 = exp v0 return v1 }";
    let r = in_modes(text, &[Mode::Slow]);
    passes(&r);
    let (median, worst) =
        (r.counts.total.resolution.median().unwrap(), r.counts.total.resolution.worst().unwrap());
    assert_eq!(r.counts.total.resolution.count(), 32);
    assert!(1e-16 < median && median <= worst && worst < 1e-12, "{median:e} {worst:e}");
    assert_eq!(r.means, [Means::Vjp, Means::Jit]);
    let all = run(text, |_, _| {}, |_| {});
    assert_eq!(all.means, [Means::Jvp, Means::Vjp, Means::Adjoint, Means::Jit]);
    let classic = run(text, |_, _| {}, |s| s.tolerance = Tolerance::Classic);
    assert_eq!(classic.counts.total.resolution.count(), 0);
}
