//! Inputs wider than any page: long names, thousands of parameters and results.

use crate::common;

use common::adc_with_stdin;
use std::fmt::Write;

fn run(args: &[&str], model: &str) -> String {
    let run = adc_with_stdin(args.iter().copied(), model);
    assert_eq!(run.code, 0, "{}", run.err);
    run.out
}

#[test]
fn names_of_seventy_thousand_letters() {
    let [f, x, y] = ["f", "x", "y"].map(|n| n.repeat(70_000));
    let model = format!("fn {f}({x}: f64) -> ({y}: f64, z: f64) {{ ({x}^2, {x}) }}");
    let at = format!("{{\"{x}\": 3}}");
    assert!(run(&["run", "-", "--at", &at], &model).contains(" = 9\n"));
    assert!(run(&["grad", "-", "--jacobian", "--at", &at], &model).contains(" = 6\n"));
    assert!(run(&["check", "-", "--points", "1"], &model).contains("all agree"));
}

#[test]
fn a_hundred_parameters_and_results() {
    let mut model = String::from("fn f(");
    (0..100).for_each(|i| write!(model, "x{i}: f64, ").unwrap());
    model += ") -> (";
    (0..100).for_each(|_| model += "f64, ");
    model += ") { (";
    (0..100).for_each(|i| write!(model, "sin(x{i})*x{}, ", 99 - i).unwrap());
    model += ") }";
    let report = run(&["check", "-", "--points", "1"], &model);
    let types = "f64, f64, f64, f64, f64, f64, f64, f64, 92 more";
    assert!(report.contains(&format!("ok     f   ({types}) -> ({types})")), "{report}");
}

/// Memory grows with the inputs, not with their square, unless every entry is asked for; and then it is bounded.
#[test]
fn five_thousand_parameters() {
    let mut model = String::from("fn f(");
    (0..5000).for_each(|i| write!(model, "x{i}: f64, ").unwrap());
    model += ") -> f64 { var s = 0; ";
    (0..5000).for_each(|i| write!(model, "s += x{i}^2; ").unwrap());
    model += "s }";
    assert!(run(&["check", "-", "--points", "1"], &model).contains("all agree"));
    let refused = adc_with_stdin(["check", "-", "--points", "1", "--mode", "slow"], &model);
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(refused.out.contains("ADC0603"), "{}", refused.out);
}
