//! Small sources that ask for very much: each ends soon, in a coded error.

use crate::common;

use common::{adc, adc_with_stdin};

/// Sources with the code of what `adc check` says.
fn sources() -> Vec<(String, &'static str)> {
    let tuples: String = (1..23).map(|i| format!("let t{i} = (t{}, t{}); ", i - 1, i - 1)).collect();
    vec![
        ("fn f(x: f64) -> f64 { let z = zeros(4294967296, 4294967296); x + z[0, 0] }".into(), "ADC0604"),
        (
            "fn f(x: f64) -> f64 { let z = fill(x, 65536, 65536, 65536, 65536); z[1, 2, 3, 4] }".into(),
            "ADC0604",
        ),
        ("fn f(x: f64[9223372036854775807]) -> f64 { x[0] }".into(), "ADC0604"),
        ("fn f(x: f64[4294967296]) -> f64 { x[0] }".into(), "ADC0512"),
        ("fn f(x: f64[8000000000]) -> f64 { x[0] }".into(), "ADC0512"),
        ("fn f[N](x: f64[N]) -> f64 { sum(x) } check f[N = 1000000] { }".into(), "ADC0512"),
        (format!("fn f(x: f64) -> f64 {{ let t0 = (x, x); {tuples} x }}"), "ADC0603"),
    ]
}

#[test]
fn sizes_that_are_too_large_are_told() {
    for (source, code) in sources() {
        let run = adc_with_stdin(["check", "-"], &source);
        assert_eq!(run.code, 2, "{source}\n{}{}", run.out, run.err);
        assert!(run.out.contains(code), "{source}\n{}", run.out);
    }
}

#[test]
fn infinite_points_are_no_points() {
    for lines in ["x = INF;", "x ~ near(INF, 1);", "x ~ choice(INF, 1.0);"] {
        let run =
            adc_with_stdin(["check", "-"], &format!("fn f(x: f64) -> f64 {{ x^2 }} check f {{ {lines} }}"));
        assert!(
            run.code <= 1 && run.out.contains("without a finite value"),
            "{lines}\n{}{}",
            run.out,
            run.err
        );
    }
}

#[test]
fn many_errors_are_not_all_printed() {
    let source: String = (0..20_000).map(|k| format!("use \"missing{k}.dsl\";\n")).collect();
    let run = adc_with_stdin(["check", "-"], &source);
    assert!(run.code == 2 && run.out.len() < 100_000, "{} bytes", run.out.len());
    assert!(run.out.contains("more messages are not shown"), "{}", run.out);
}

#[test]
fn a_dimension_is_given_once() {
    let run = adc(["check", "models/heat.dsl", "--dims", "N=3,N=4"]);
    assert!(run.code == 2 && run.err.contains("ADC0802"), "{}{}", run.out, run.err);
}
