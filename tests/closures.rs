//! Extern functions that are Rust closures: run, differentiated and checked, from the library.

use adc::{C128, CheckOptions, Externs, FileReport, Model, Options, Scalar, Slice, SliceMut, Type};
use adc_ir::{Code, Diagnostic};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const VECTOR: Type = Type::Array(Scalar::F64, 1);

/// What is reported of a model.
fn check(source: &str, externs: Externs) -> FileReport {
    let model = Model::parse("m.dsl", source).unwrap_or_else(|e| panic!("{e}"));
    adc::check(&model, &CheckOptions::default().with_externs(externs))
}

/// The first error that a check reports.
fn error(report: &FileReport) -> &Diagnostic {
    let mut diagnostics = report.reports.iter().flat_map(|r| &r.diagnostics);
    diagnostics.next().unwrap_or_else(|| panic!("nothing is reported: {report:?}"))
}

/// x·e^(−kx), its kernel a closure.
fn decay() -> Externs {
    let mut externs = Externs::new();
    externs.define_real("decay", |[x, k]| x * (-k * x).exp());
    externs
}

const DECAY: &str = "extern fn decay(x: f64, k: f64) -> f64;
fn twice(x: f64, k: f64) -> f64 { decay(x, k) + decay(x*x, sin(k)) }
check twice { x in [0.5, 2]; k in [0.1, 1]; }\n";

#[test]
fn a_right_rule_passes_alone_and_in_place() {
    let rule = "rule vjp decay(x, k; g) { (g*exp(-k*x)*(1 - k*x), -g*x^2*exp(-k*x)) }";
    let report = check(&format!("{DECAY}{rule}"), decay());
    assert!(report.passed(), "{report:?}");
    let names: Vec<&str> = report.reports.iter().map(|r| r.name.as_str()).collect();
    assert!(names.contains(&"twice") && names.contains(&"decay"), "{names:?}");
}

#[test]
fn a_wrong_rule_is_found_alone_and_in_place() {
    let rule = "rule vjp decay(x, k; g) { (g*exp(-k*x)*(1 + k*x), -g*x^2*exp(-k*x)) }";
    let report = check(&format!("{DECAY}{rule}"), decay());
    for name in ["twice", "decay"] {
        let r = report.reports.iter().find(|r| r.name == name).expect("it is checked");
        assert!(!r.status.passes(false), "{name}: {r:?}");
        assert!(r.diagnostics.iter().any(|d| d.code == Code::WrongDerivative), "{name}: {r:?}");
    }
}

#[test]
fn one_that_is_not_deterministic_is_said_to_be_so() {
    let mut externs = Externs::new();
    let calls = AtomicU64::new(0);
    externs.define_real("count", move |[x]| x * calls.fetch_add(1, Ordering::Relaxed) as f64);
    let source = "extern fn count(x: f64) -> f64;
rule vjp count(x; g) { g }
fn f(x: f64) -> f64 { x + count(x) }
check f { x = 2; }";
    let report = check(source, externs);
    assert_eq!(error(&report).code, Code::Nondeterministic, "{report:?}");
}

#[test]
fn rows_are_shared_out_to_so_many_threads_and_the_one_that_calls_is_one() {
    let source = "extern fn seen(x: f64) -> f64;
fn f(x: f64) -> f64 { 2*seen(x) }";
    // One share, two, and one that is not whole blocks of rows.
    for (rows, threads) in [(640, 1), (200, 1), (640, 2), (200, 2)] {
        let seen = Arc::new(Mutex::new(HashSet::new()));
        let (noted, mut externs) = (seen.clone(), Externs::new());
        externs.define_real("seen", move |[x]| {
            noted.lock().expect("no thread panicked").insert(std::thread::current().id());
            x
        });
        let options = Options::default().with_externs(externs).with_threads(threads);
        let model = Model::parse("m.dsl", source).expect("it is right");
        let f = model.function("f").expect("it is there").compile(&options).expect("it compiles");
        let x: Vec<f64> = (0..rows).map(f64::from).collect();
        let mut y = vec![0.0; x.len()];
        f.batch_reals(&x, &mut y).expect("no row fails");
        assert!(x.iter().zip(&y).all(|(x, y)| *y == 2.0 * x), "{y:?}");
        let seen = seen.lock().expect("no thread panicked");
        assert_eq!(seen.len(), threads, "{rows} rows");
        assert!(seen.contains(&std::thread::current().id()), "{rows} rows on {threads} threads");
    }
}

#[test]
fn one_that_gives_nan_does_not_pass() {
    let mut externs = Externs::new();
    externs.define_real("broken", |[x]| if x > 1.0 { f64::NAN } else { x * x });
    let source = "extern fn broken(x: f64) -> f64;
rule vjp broken(x; g) { 2*g*x }
fn f(x: f64) -> f64 { 3*broken(x) }
check f { x in [1.5, 2]; }";
    let report = check(source, externs);
    assert!(!report.passed(), "{report:?}");
}

#[test]
fn one_that_panics_ends_the_run_with_a_coded_error() {
    let mut externs = Externs::new();
    externs.define_real("fragile", |[x]| if x < 0.0 { panic!("negative") } else { x.sqrt() });
    let source = "extern fn fragile(x: f64) -> f64;\nfn f(x: f64) -> f64 { 1 + fragile(x) }";
    let model = Model::parse("m.dsl", source).expect("it is a model");
    let f = model.function("f").expect("it is there");
    let f = f.compile(&Options::default().with_externs(externs)).expect("it compiles");
    assert_eq!(f.call(&[4.0.into()]).expect("it runs"), [3.0.into()]);
    let error = f.call(&[(-4.0).into()]).expect_err("it panics").to_string();
    assert!(error.contains("ADC0506") && error.contains("`fragile` panicked"), "{error}");
    // Nothing is left behind.
    assert_eq!(f.call(&[4.0.into()]).expect("it runs"), [3.0.into()]);
}

#[test]
fn complex_ones() {
    let mut externs = Externs::new();
    externs.define_complex("kernel", |[z, w]: [C128; 2]| z * z.conj() + w * w);
    let source = |factor: &str| {
        format!(
            "extern fn kernel(z: c128, w: c128) -> c128;
rule jvp kernel(z, w; dz, dw) {{ dz*conj(z) + z*conj(dz) + {factor}*w*dw }}
fn f(z: c128, w: c128) -> f64 {{ abs2(kernel(z, w*z)) }}
check f {{ }}"
        )
    };
    let report = check(&source("2"), externs.clone());
    assert!(report.passed(), "{report:?}");
    let report = check(&source("1"), externs);
    assert!(!report.passed(), "{report:?}");
}

/// Weighted differences of neighbours, and their sum of squares.
fn differences() -> Externs {
    let mut externs = Externs::new();
    externs.define("differences", &[VECTOR, Type::F64], &[VECTOR, Type::F64], |dims, args, results| {
        let ([n], [Slice::F64(x), Slice::F64(k)]) = (dims, args) else { unreachable!("as declared") };
        let [SliceMut::F64(y), SliceMut::F64(sum)] = results else { unreachable!("as declared") };
        for i in 0..*n as usize {
            y[i] = k[0] * (x[i] - x[(i + 1) % x.len()]);
            sum[0] += y[i] * y[i];
        }
        Ok(())
    });
    externs
}

const DIFFERENCES: &str = "extern fn differences[N](x: f64[N], k: f64) -> (f64[N], f64);
fn f(x: f64[5], k: f64) -> f64 { let (y, s) = differences(x, k); s + sum(y*x) }
check f { x in [-1, 1]; k in [0.5, 2]; }\n";

#[test]
fn ones_of_arrays() {
    let rule = |sign: &str| {
        format!(
            "{DIFFERENCES}rule jvp differences(x, k; dx, dk) {{
    let d = [x[i] - x[mod(i + 1, N)] for i];
    let dd = [dx[i] - dx[mod(i + 1, N)] for i];
    (k*dd {sign} dk*d, 2*k*dk*sum(d*d) + 2*k*k*sum(d*dd))
}}"
        )
    };
    let report = check(&rule("+"), differences());
    assert!(report.passed(), "{report:?}");
    let report = check(&rule("-"), differences());
    assert!(!report.passed(), "{report:?}");
}

#[test]
fn other_types_than_declared_are_a_coded_error() {
    let mut externs = Externs::new();
    externs.define_complex("differences", |[z]| z);
    let model = Model::parse("m.dsl", DIFFERENCES).expect("it is a model");
    let f = model.function("f").expect("it is there");
    let refused = f.compile(&Options::default().with_externs(externs.clone())).expect_err("it does not fit");
    let refused = refused.to_string();
    for part in ["ADC0803", "`differences`", "(c128) -> c128", "m.dsl:1"] {
        assert!(refused.contains(part), "`{part}` is missing in\n{refused}");
    }
    let rule = "rule jvp differences(x, k; dx, dk) { (dx, dk) }";
    let report = check(&format!("{DIFFERENCES}{rule}"), externs);
    assert_eq!(error(&report).code, Code::Library, "{report:?}");
}
