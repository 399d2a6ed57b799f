//! The programs in `examples/` run, and find what they are to find.
#![allow(dead_code)]

#[path = "../examples/adjoint.rs"]
mod adjoint;
#[path = "../examples/checked.rs"]
mod checked;
#[path = "../examples/closure.rs"]
mod closure;
#[path = "../examples/gradient.rs"]
mod gradient;
#[path = "../examples/hmc.rs"]
mod hmc;
#[path = "../examples/lbfgs.rs"]
mod lbfgs;
#[path = "../examples/least_squares.rs"]
mod least_squares;
#[path = "../examples/phase_retrieval.rs"]
mod phase_retrieval;

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn a_gradient() {
    let found = gradient::rosenbrock().unwrap();
    assert_eq!(found, [101.0, -2.0, 200.0].map(adc::Value::F64));
    let lines = include_str!("../examples/gradient.rs").lines();
    assert!(lines.filter(|l| !l.is_empty() && !l.starts_with("//")).count() <= 15);
}

#[test]
fn least_squares_find_the_parameters() {
    let p = least_squares::fit().unwrap();
    near(p[0], 2.5, 1e-12);
    near(p[1], 0.8, 1e-12);
}

#[test]
fn lbfgs_finds_the_minimum() {
    let (x, value) = lbfgs::minimum().unwrap();
    assert!(value < 1e-12, "{value}");
    x.iter().for_each(|x| near(*x, 1.0, 1e-6));
}

#[test]
fn the_rule_of_a_closure_is_right() {
    assert_eq!(closure::misfit().unwrap(), (true, 1.0, -4.0));
}

#[test]
fn the_adjoint_of_a_closure_is_right_or_found_to_be_wrong() {
    assert_eq!(adjoint::messages(false).unwrap(), [""; 0]);
    let wrong = adjoint::messages(true).unwrap();
    for f in ["roughness", "smooth"] {
        assert!(wrong.iter().any(|m| m.contains(&format!("`{f}`")) && m.contains("wrong")), "{wrong:?}");
    }
    let (reverse, forward) = adjoint::slopes().unwrap();
    near(reverse, forward, 1e-12);
}

#[test]
fn phases_are_retrieved() {
    let (loss, error) = phase_retrieval::retrieve().unwrap();
    near(loss, 0.0, 1e-20);
    near(error, 0.0, 1e-9);
}

#[test]
fn samples_have_the_moments_of_the_density() {
    let (mean, variance) = hmc::moments().unwrap();
    for (found, expected) in [(mean, [1.0, -1.0]), (variance, [1.0, 0.36])] {
        (0..2).for_each(|k| near(found[k], expected[k], 0.05));
    }
}

#[test]
fn a_checked_slope() {
    assert_eq!(checked::slope(0.0).unwrap(), 0.5);
}

/// What a test reads when a derivative is wrong.
#[test]
fn a_wrong_derivative_is_reported() {
    let wrong = checked::MODEL.replace("g/(1", "g/(2");
    let panic = std::panic::catch_unwind(|| adc::assert_gradients!(source: &wrong)).unwrap_err();
    let report = panic.downcast_ref::<String>().unwrap();
    for part in ["FAIL  softplus", "error[ADC0301]", "examples.rs", "this rule of `softplus` gives"] {
        assert!(report.contains(part), "`{part}` is missing in\n{report}");
    }
    let panic = std::panic::catch_unwind(|| adc::assert_gradients!("no/such.dsl")).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("error[ADC0801]"), "{panic:?}");
}
