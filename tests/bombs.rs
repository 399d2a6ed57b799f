//! Small sources that ask for very much: each ends soon, in a coded error.

use crate::common;

use adc::cli::{Streams, run};
use common::{adc, adc_with_stdin};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

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
        ("fn f(x: f64, y: f64[1099511627776, 1099511627776, 0]) -> f64 { x^2 }".into(), "ADC0604"),
        (
            "fn f(x: f64) -> f64 { let z = fill(x, 1099511627776, 1099511627776, 0); sum(z[:, :, k][0, 0] for k in 0..0) }".into(),
            "ADC0604",
        ),
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

/// The `grad` of `grad` of … `f`.
fn nested(depth: usize) -> String {
    let (open, close) = ("grad(".repeat(depth), ")".repeat(depth));
    format!("fn f(x: f64) -> f64 {{ sin(x)*exp(x) }} fn g(x: f64) -> f64 {{ {open}f{close}(x) }}")
}

#[test]
fn derivatives_of_derivatives_are_counted() {
    let run = adc_with_stdin(["run", "-", "--fn", "g", "--at", "x=0"], &nested(4));
    assert_eq!((run.code, run.out.as_str()), (0, "g = 0\n"), "{}", run.err);
    for args in [&["run", "-", "--fn", "g", "--at", "x=0"][..], &["check", "-"]] {
        let run = adc_with_stdin(args, &nested(14));
        assert!(run.code == 2 && (run.out.clone() + &run.err).contains("ADC0603"), "{}{}", run.out, run.err);
    }
}

/// A variable of the environment asks for more threads than a process can have.
#[test]
fn threads_have_a_bound() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/models/rlc.dsl");
    let run = Command::new(env!("CARGO_BIN_EXE_adc"))
        .args(["check", model])
        .env("RAYON_NUM_THREADS", "60000")
        .output()
        .expect("the binary runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// The same verdicts with any vectors, and an error for those that nobody has.
#[test]
fn vectors_are_chosen_by_a_variable() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/models/bench/rosenbrock.dsl");
    let run = |simd: &str| {
        let mut adc = Command::new(env!("CARGO_BIN_EXE_adc"));
        adc.args(["check", model]).env("ADC_SIMD", simd).output().expect("the binary runs")
    };
    let any = run("");
    assert!(any.status.success());
    for simd in adc_jit::Simd::ALL {
        let one = run(simd.name());
        let error = String::from_utf8_lossy(&one.stderr);
        match simd.is_there() {
            true => assert_eq!((one.status.code(), &one.stdout), (Some(0), &any.stdout), "{error}"),
            false => {
                assert!(one.status.code() == Some(2) && error.contains("this machine has no"), "{error}")
            }
        }
    }
    let unknown = run("sse9");
    assert_eq!(unknown.status.code(), Some(2));
    let error = String::from_utf8_lossy(&unknown.stderr);
    assert_eq!(error, "error: `ADC_SIMD`: `sse9` is none of `baseline`, `avx2` and `avx512`\n");
}

const RECURSION: &str =
    "fn r[N](x: f64[N]) -> f64 { if N <= 1 { sum(x) } else { sin(x[0]) + r[N - 1](x[1:]) } } ";

#[test]
fn instances_are_counted() {
    let long: String = (1..1000).map(|k| format!("let a{k} = a{} + {k}*x[0]; ", k - 1)).collect();
    let long = format!(
        "fn r[N](x: f64[N]) -> f64 {{ let a0 = x[0]; {long} if N <= 1 {{ a999 }} else {{ a999 + r[N - 1](x[1:]) }} }}"
    );
    for (source, check) in [(RECURSION, "check r[N = 2000] { }"), (&long, "check r[N = 600] { }")] {
        let run = adc_with_stdin(["check", "-"], &format!("{source}{check}"));
        assert!(run.code == 2 && run.out.contains("ADC0603"), "{}{}", run.out, run.err);
    }
}

/// Programs of a function of slices make them in loops, which its fuel allows.
#[test]
fn a_deep_recursion_is_checked() {
    let run = adc_with_stdin(["check", "-"], &format!("{RECURSION} check r[N = 200] {{ points 2; }}"));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
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

#[test]
fn numbers_of_points_have_bounds() {
    let points = |n: &str| format!("fn f(x: f64) -> f64 {{ x^2 }} check f {{ points {n}; }}");
    for n in ["1000001", "9007199254740993", "9223372036854775807"] {
        let run = adc_with_stdin(["check", "-"], &points(n));
        assert!(
            run.code == 2 && run.out.contains("`points` may be at most 1000000"),
            "{}{}",
            run.out,
            run.err
        );
    }
    for flag in ["--points", "--special", "--search", "--shrink"] {
        let run = adc(["check", "models/heat.dsl", flag, "18446744073709551615"]);
        assert!(run.code == 2 && run.err.contains(flag), "{}{}", run.out, run.err);
    }
}

#[test]
fn names_are_given_once() {
    let model = "fn f(x: f64, z: c128) -> f64 { x^2 + re(z) }";
    for point in [
        r#"{"x": 1, "z": 2, "x": 2}"#,
        r#"{"x": 1, "z": 2, "\u0078": 2}"#,
        r#"{"x": 1, "z": {"re": 1, "im": 2, "re": 3}}"#,
        "x=1,z=2,x=2",
    ] {
        let run = adc_with_stdin(["run", "-", "--at", point], model);
        assert!(run.code == 2 && run.err.contains("is given twice"), "{point}\n{}{}", run.out, run.err);
    }
    let run = adc_with_stdin(["run", "-", "--at", r#"{"x": 1, "z": "2"}"#], model);
    assert_eq!((run.code, run.out.as_str()), (0, "f = 3\n"), "{}", run.err);
}

/// An empty directory for a test.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// A path as an argument.
fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_used_and_loaded() {
    let dir = folder("irregular");
    // Without an end, or without an end until somebody writes.
    let pipe = dir.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|s| s.success());
    let mut paths = vec!["/dev/zero".to_string(), text(&dir).to_string()];
    paths.extend(made.then(|| text(&pipe).to_string()));
    for path in paths {
        let uses = format!("use \"{path}\"; fn f(x: f64) -> f64 {{ x }}");
        let run = adc_with_stdin(["check", "-"], &uses);
        assert!(run.code == 2 && run.out.contains("ADC0214"), "{path}\n{}{}", run.out, run.err);
        let loads = format!("fn f(x: f64[3]) -> f64 {{ sum(x) }} check f {{ x = load(\"{path}\"); }}");
        let run = adc_with_stdin(["check", "-"], &loads);
        assert!(run.code == 2 && run.out.contains("ADC0801"), "{path}\n{}{}", run.out, run.err);
    }
}

#[cfg(unix)]
#[test]
fn no_more_is_read_than_the_limit() {
    for args in [vec!["check", "/dev/zero"], vec!["run", "/dev/zero"], vec!["emit", "/dev/zero", "--emit=ir"]]
    {
        let run = adc(args);
        assert!(run.code == 2 && (run.out + &run.err).contains("ADC0602"), "{}", run.code);
    }
    let run = adc_with_stdin(["run", "-", "--at", "@/dev/zero"], "fn f(x: f64) -> f64 { x }");
    assert!(run.code == 2 && run.err.contains("ADC0602"), "{}{}", run.out, run.err);
}

#[test]
fn headers_of_arrays_promise_no_more_than_the_file_has() {
    let dir = folder("headers");
    let header = |shape: &str| {
        let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00".as_slice(), &(dict.len() as u16).to_le_bytes(), dict.as_bytes()].concat()
    };
    let long = [b"\x93NUMPY\x02\x00".as_slice(), &u32::MAX.to_le_bytes(), b"{}"].concat();
    let (open, close) = ("(".repeat(4000), ")".repeat(4000));
    let deep = format!("{open}1{close}");
    let shapes = [
        &deep,
        "(4294967296, 4294967296, 0)",
        "(1000000000000,)",
        "(4294967296, 4294967296)",
        "(18446744073709551615,)",
        "(3,)",
    ];
    for (k, bytes) in shapes.map(header).into_iter().chain([long]).enumerate() {
        let path = dir.join(format!("{k}.npy"));
        std::fs::write(&path, bytes).expect("it can be written");
        let at = format!("x=@{}", path.display());
        let run = adc_with_stdin(["run", "-", "--at", &at], "fn f[N](x: f64[N]) -> f64 { sum(x) }");
        assert!(run.code == 2 && run.err.contains("ADC0801"), "{k}: {}{}", run.out, run.err);
    }
}

/// A pipe whose reader has gone.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> Result<usize, Error> {
        Err(ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_verdict_does_not_depend_on_its_reader() {
    let wrong = "fn sq(x: f64) -> f64 { x^2 } rule jvp sq(x; dx) { dx } check sq { }";
    let right = "fn sq(x: f64) -> f64 { x^2 } check sq { }";
    for format in ["text", "json", "json-lines", "sarif", "junit", "github"] {
        for (model, code) in [(wrong, 1), (right, 0), ("fn", 2)] {
            let streams = &mut Streams {
                stdin: &mut model.as_bytes(),
                out: &mut Gone,
                err: &mut Gone,
                out_tty: false,
                err_tty: false,
                cache: None,
                on_interrupt: &mut |_| {},
            };
            let args = ["adc", "check", "-", "--format", format].map(Into::into);
            assert_eq!(run(args, streams), code, "{format}: {model}");
        }
    }
}

#[test]
fn results_replace_files_whole() {
    let dir = folder("whole");
    let path = dir.join("out.npy");
    std::fs::write(&path, "before").expect("it can be written");
    let model = "fn f(x: f64) -> f64 { x^2 }";
    let run = adc_with_stdin(["run", "-", "--at", "x=3", "--out", text(&path)], model);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(adc::npy::read(&path), Ok(9.0.into()));
    let page = dir.join("page");
    let run = adc_with_stdin(["check", "-", "--report", text(&page)], model);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    for (dir, files) in [(&page, vec!["index.html"]), (&dir, vec!["out.npy", "page"])] {
        let found = std::fs::read_dir(dir).expect("a directory");
        let mut names: Vec<_> = found.map(|e| e.expect("an entry").file_name()).collect();
        names.sort();
        assert_eq!(names, files, "nothing is left beside them");
    }
}
