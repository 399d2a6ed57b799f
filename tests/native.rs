//! Extern functions: a shared library built from C, called by compiled code and interpreter, and checked.

use crate::common;
use crate::pages;

use common::{adc, adc_with_stdin};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The shared library of `tests/extern/kernel.c`, built once.
fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libkernel.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/extern/kernel.c");
        let built = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .arg(&out)
            .args([source, "-lm"])
            .status();
        assert!(built.expect("a C compiler is needed").success());
        out
    })
}

fn file(name: &str) -> String {
    format!("{}/tests/extern/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn right_rules_pass() {
    let run = adc(["check", &file("model.dsl"), "--lib", library().to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    for name in ["tank", "cascade", "aligned", "powers"] {
        assert!(run.out.contains(name), "{}", run.out);
    }
}

#[test]
fn a_wrong_rule_is_found_and_named() {
    let run = adc(["check", &file("wrong.dsl"), "--lib", library().to_str().unwrap()]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    for part in ["ADC0301", "volume", "wrong.dsl:3"] {
        assert!(run.out.contains(part), "`{part}` is missing in\n{}", run.out);
    }
}

#[test]
fn a_rule_that_nothing_reaches_is_checked() {
    let source = "extern fn tank(a: f64, b: f64, c: f64) -> f64;
rule vjp tank(a, b, c; g) { (g, g, g) }
fn f(v: f64) -> f64 { v*v }
check f { v in [1, 2]; }";
    let lib = library().to_str().unwrap();
    for args in [&["check", "-", "--lib", lib][..], &["check", "-", "--lib", lib, "--fn", "tank"]] {
        let run = adc_with_stdin(args.iter().copied(), source);
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("FAIL   tank"), "{}", run.out);
    }
    let run = adc_with_stdin(["run", "-", "--fn", "tank", "--at", "a=6,b=1,c=2", "--lib", lib], source);
    assert_eq!((run.code, run.out.as_str()), (0, "tank = 2\n"), "{}", run.err);
}

#[test]
fn interpreter_and_compiled_code_call_the_same_function() {
    let at = "inflow=2,rate=0.5,volume=1.5";
    let lib = library().to_str().unwrap();
    let args = ["run", &file("model.dsl"), "--fn", "cascade", "--at", at, "--lib", lib, "--hex"];
    let (jit, interp) = (adc(args), adc(args.into_iter().chain(["--interp"])));
    assert_eq!((jit.code, &jit.out), (0, &interp.out));
}

#[test]
fn a_failing_kernel_is_an_error_with_its_status_and_the_call() {
    let source = "extern fn tank(inflow: f64, rate: f64, volume: f64) -> f64;\nfn f(v: f64) -> f64 { 1 + tank(1, 1, v) }\n";
    let run = adc_with_stdin(["run", "-", "--at", "v=-1", "--lib", library().to_str().unwrap()], source);
    assert_eq!(run.code, 2, "{}", run.out);
    for part in ["ADC0506", "status 7", "2:27"] {
        assert!(run.err.contains(part), "`{part}` is missing in\n{}", run.err);
    }
}

#[test]
fn a_missing_library_symbol_or_rule_is_a_coded_error() {
    let tank = "extern fn tank(a: f64, b: f64, c: f64) -> f64;\nfn f(v: f64) -> f64 { tank(1, 1, v) }";
    let missing = "extern fn no_such(a: f64) -> f64;\nfn f(v: f64) -> f64 { no_such(v) }";
    let lib = library().to_str().unwrap();
    let cases = [
        // No library at all, a file that is none, a function the library lacks, a derivative nobody wrote.
        ("run", tank, None, "ADC0803"),
        ("run", tank, Some("/nonexistent.so"), "ADC0803"),
        ("run", missing, Some(lib), "ADC0803"),
        ("grad", tank, Some(lib), "ADC0702"),
    ];
    for (command, source, lib, code) in cases {
        let mut args = vec![command, "-", "--fn", "f", "--at", "v=1"];
        if let Some(lib) = lib {
            args.extend(["--lib", lib]);
        }
        let run = adc_with_stdin(args, source);
        assert_eq!(run.code, 2, "{source}\n{}{}", run.out, run.err);
        assert!(run.err.contains(code), "{code} is missing in\n{}", run.err);
    }
}

/// What the page of the example shows are the files beside it.
#[test]
fn the_examples_are_what_their_pages_show() {
    for (folder, count) in [("examples/native_kernel", 3), ("examples/native_adjoint", 4)] {
        let folder = Path::new(folder);
        let page = pages::read(&folder.join("README.md"));
        let files: Vec<_> =
            pages::blocks(&page).into_iter().filter_map(|b| Some((b.file()?.to_string(), b.text))).collect();
        assert_eq!(files.len(), count);
        for (name, text) in files {
            assert_eq!(pages::read(&folder.join(&name)), text, "{name}");
        }
    }
}

/// The mistake of the example is found in the function that calls the kernel, and in the kernel by itself.
#[test]
fn the_wrong_kernel_of_the_example_is_found() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libmorse.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/native_kernel/morse.c");
    let built =
        Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&out).args([source, "-lm"]).status();
    assert!(built.expect("a C compiler is needed").success());
    for (name, code) in [("right", 0), ("wrong", 1)] {
        let model = format!("{}/examples/native_kernel/{name}.dsl", env!("CARGO_MANIFEST_DIR"));
        let run = adc(["check", &model, "--lib", out.to_str().expect("a UTF-8 path")]);
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        let failing = run.out.lines().filter(|l| l.trim_start().starts_with("FAIL")).count();
        assert_eq!(failing, 2 * code as usize, "{}", run.out);
    }
}

/// A rule that is right where its function is checked by itself, and wrong at the values a program calls it with.
#[test]
fn a_rule_is_checked_at_the_values_the_program_reaches() {
    let source = "extern fn tank(inflow: f64, rate: f64, volume: f64) -> f64;
rule vjp tank(inflow, rate, volume; g) {
    let d = 1 + rate*volume;
    if inflow > 20 { (2*g/d, -g*out*volume/d, -g*out*rate/d) } else { (g/d, -g*out*volume/d, -g*out*rate/d) }
}
fn far(inflow: f64) -> f64 { tank(30 + inflow, 1, 1) }
check tank { inflow in [1, 5]; rate in [0.5, 1]; volume in [0.5, 2]; }
check far { inflow in [0, 1]; }";
    let run = adc_with_stdin(["check", "-", "--lib", library().to_str().unwrap()], source);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("FAIL   far") && run.out.contains("ok     tank"), "{}", run.out);
    assert!(run.out.contains("`tank` is called with (3"), "{}", run.out);
}

/// Two wrong rules in one program, neither of them reached by a block: each is found by itself.
#[test]
fn two_wrong_rules_are_two_failures() {
    let source = "extern fn tank(inflow: f64, rate: f64, volume: f64) -> f64;
rule vjp tank(inflow, rate, volume; g) { (g, g, g) }
fn cube(x: f64) -> f64 { x^3 }
rule vjp cube(x; g) { 2*g*x^2 }
fn both(v: f64) -> f64 { cube(tank(1, 1, v)) }
check both { v in [1, 2]; }";
    let run = adc_with_stdin(["check", "-", "--lib", library().to_str().unwrap()], source);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    for part in ["FAIL   both", "FAIL   tank", "FAIL   cube"] {
        assert!(run.out.contains(part), "`{part}` is missing in\n{}", run.out);
    }
}

/// A trusted rule is used and named, not compared, wrong as it is.
#[test]
fn a_trusted_rule_is_told_and_not_compared() {
    let source = "extern fn tank(inflow: f64, rate: f64, volume: f64) -> f64;
#[check(trust)] rule vjp tank(inflow, rate, volume; g) { (g, g, g) }
fn f(v: f64) -> f64 { v*tank(1, 1, v) }
check f { v in [1, 2]; }";
    let run = adc_with_stdin(["check", "-", "--lib", library().to_str().unwrap()], source);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("trusted, not compared: tank"), "{}", run.out);
}

/// C under the address and undefined-behaviour sanitizers: what they say about a check of this model, `None` where the compiler has
/// no such libraries.
#[cfg(target_os = "linux")]
fn sanitized(source: &Path, model: &Path) -> Option<String> {
    let library = |name: &str| {
        let found =
            Command::new("cc").arg(format!("-print-file-name={name}")).output().expect("a C compiler");
        // What is not found is printed as it was given.
        Some(String::from_utf8_lossy(&found.stdout).trim().to_string()).filter(|path| path.contains('/'))
    };
    let preload = [library("libasan.so")?, library("libubsan.so")?].join(" ");
    let name = source.file_stem().expect("a file").to_string_lossy().into_owned();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lib{name}_sanitized.so"));
    let flags =
        ["-g", "-O1", "-shared", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o"];
    let built = Command::new("cc").args(flags).arg(&out).arg(source).arg("-lm").status();
    assert!(built.expect("a C compiler is needed").success());
    let run = Command::new(env!("CARGO_BIN_EXE_adc"))
        .args(["check", "--points", "4", "--special", "4", "--no-blame", "--shrink", "0", "--lib"])
        .args([&out, model])
        .env("LD_PRELOAD", preload)
        // What Rust keeps for the whole run is no leak.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .expect("adc runs");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let stopped = said.contains("Sanitizer") || said.contains("runtime error:");
    assert!(stopped || matches!(run.status.code(), Some(0 | 1)), "{:?}: {said}", run.status);
    Some(said)
}

#[cfg(target_os = "linux")]
#[test]
fn sanitizers_find_nothing_in_the_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kernels = [
        ("tests/extern/kernel.c", &["model", "wrong"][..]),
        ("examples/native_kernel/morse.c", &["right", "wrong"]),
        ("examples/native_adjoint/flow.c", &["right", "wrong", "limited"]),
    ];
    for (source, models) in kernels {
        let source = root.join(source);
        for model in models {
            let Some(said) = sanitized(&source, &source.with_file_name(format!("{model}.dsl"))) else {
                return eprintln!("skipped: the C compiler has no sanitizers");
            };
            let clean = !said.contains("Sanitizer") && !said.contains("runtime error:");
            assert!(clean, "{}: {said}", source.display());
        }
    }
}

/// They would find something.
#[cfg(target_os = "linux")]
#[test]
fn sanitizers_find_a_write_outside() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [source, model] = ["outside.c", "outside.dsl"].map(|name| folder.join(name));
    let c = "#include <stdint.h>\n#include <stdlib.h>\n\
        int32_t outside(double x, double *out) { double *a = malloc(8); a[1 + (x > 1e300)] = x; *out = a[1]; free(a); return 0; }\n";
    std::fs::write(&source, c).expect("it can be written");
    let text = "extern fn outside(x: f64) -> f64;\nrule vjp outside(x; g) { g }\nfn f(x: f64) -> f64 { outside(x) }\n";
    std::fs::write(&model, text).expect("it can be written");
    match sanitized(&source, &model) {
        Some(said) => assert!(said.contains("Sanitizer") || said.contains("runtime error:"), "{said}"),
        None => eprintln!("skipped: the C compiler has no sanitizers"),
    }
}
