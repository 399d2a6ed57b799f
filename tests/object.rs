//! `adc build`: object files and headers, compiled, linked and called from C and C++. What they give is compared with compiled code in
//! this process, bit by bit.

use crate::common;
use crate::pages;

use adc::build::{Build, Built, Cpu, runtime_archive};
use adc::{Function, Model, Options, Value};
use adc_ir::Const;
use common::{adc, adc_with_stdin};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty directory of its own.
fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("object").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory for temporary files");
    dir
}

/// Runs a program, which has to succeed.
fn run(command: &mut Command, input: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program is there");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    let _ = writer.join();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{err}", output.status);
    output
}

/// Compiles and links; warnings are errors.
fn compile(dir: &Path, compiler: &str, flags: &[&str]) {
    let mut command = Command::new(compiler);
    command.current_dir(dir).args([
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wl,--fatal-warnings",
        "-o",
        "main",
    ]);
    run(command.args(flags), &[]);
}

/// The bytes of a value, as C has them.
fn bytes(v: &Value, out: &mut Vec<u8>) {
    for c in v.consts() {
        match c {
            Const::Bool(b) => out.push(b.into()),
            Const::I64(n) => out.extend(n.to_le_bytes()),
            Const::F32(x) => out.extend(x.to_le_bytes()),
            Const::F64(x) => out.extend(x.to_le_bytes()),
            Const::C64(z) => [z.re, z.im].iter().for_each(|x| out.extend(x.to_le_bytes())),
            Const::C128(z) => [z.re, z.im].iter().for_each(|x| out.extend(x.to_le_bytes())),
        }
    }
}

/// Values that every model here can take: between ¼ and 2, integers 1 and 2.
fn values(f: &Function) -> Vec<Value<'static>> {
    let mut state = 1u64;
    let mut draw = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        0.25 + 1.75 * (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let value = |port: &adc::Port| {
        let shape: Vec<usize> = port.shape.iter().map(|n| n.parse().expect("a number")).collect();
        let count = shape.iter().product::<usize>();
        let numbers: Vec<f64> = (0..2 * count).map(|_| draw()).collect();
        let array = |s: adc::Scalar| -> Value<'static> {
            let complex = |k: usize| adc::C128::new(numbers[2 * k], numbers[2 * k + 1] - 1.0);
            let all = 0..count;
            match s {
                adc::Scalar::Bool => Value::array(&shape, all.map(|k| numbers[k] > 1.0).collect()),
                adc::Scalar::I64 => Value::array(&shape, all.map(|k| numbers[k] as i64 + 1).collect()),
                adc::Scalar::F32 => Value::array(&shape, all.map(|k| numbers[k] as f32).collect()),
                adc::Scalar::F64 => Value::array(&shape, all.map(|k| numbers[k]).collect()),
                adc::Scalar::C64 => Value::array(
                    &shape,
                    all.map(|k| adc::C64::new(complex(k).re as f32, complex(k).im as f32)).collect(),
                ),
                adc::Scalar::C128 => Value::array(&shape, all.map(complex).collect()),
            }
            .expect("as many numbers as the shape says")
        };
        let made = array(port.ty.scalar());
        let first = made.consts().next();
        if port.ty.is_array() { made } else { first.expect("one number").into() }
    };
    f.inputs().iter().map(value).collect()
}

/// A program that reads all arguments, calls the function, and writes all results.
fn driver(header: &str, symbol: &str, sizes: &[usize], results: &[usize]) -> String {
    let all: Vec<usize> = sizes.iter().chain(results).copied().collect();
    let places: Vec<String> = (0..all.len()).map(|i| format!("p[{i}]")).collect();
    let list: Vec<String> = all.iter().map(usize::to_string).collect();
    format!(
        "#include \"{header}\"\n#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) {{\n  size_t n[] = {{{list}, 0}};\n  void *p[{count} + 1];\n  void *w = malloc({symbol}_workspace_size());\n\
         for (int i = 0; i < {count}; i++) p[i] = malloc(n[i] + 1);\n\
         for (int i = 0; i < {inputs}; i++) if (fread(p[i], 1, n[i], stdin) != n[i]) return 3;\n\
         for (int twice = 0; twice < 2; twice++) {{\n    int32_t s = {symbol}({places}{comma}w);\n\
         if (s) {{ fputs({error}(w, s), stderr); return 2; }}\n  }}\n\
         for (int i = {inputs}; i < {count}; i++) fwrite(p[i], 1, n[i], stdout);\n  return 0;\n}}\n",
        list = if list.is_empty() { "0".to_string() } else { list.join(", ") },
        count = all.len(),
        inputs = sizes.len(),
        places = places.join(", "),
        comma = if places.is_empty() { "" } else { ", " },
        error = symbol.trim_end_matches("_vjp").trim_end_matches("_jvp").to_string() + "_error",
    )
}

/// Builds all programs of a function, calls them from C, and compares with compiled code.
fn same_bits(dir: &Path, f: &Function, build: Build, libraries: &[&str]) {
    let built = build.run().unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(dir.join("model.o"), &built.object).expect("the directory is there");
    std::fs::write(dir.join("model.h"), built.header()).expect("the directory is there");
    for symbol in built.symbols() {
        let program = match symbol {
            s if s.ends_with("_vjp") => f.vjp(adc::Wrt::All).expect("it has a derivative"),
            s if s.ends_with("_jvp") => f.jvp(adc::Wrt::All).expect("it has a derivative"),
            _ => f.clone(),
        };
        let inputs = values(&program);
        let expected = program.compile(&Options::default()).and_then(|f| f.call(&inputs));
        let expected = expected.unwrap_or_else(|e| panic!("{symbol}: {e}"));
        let sized = |v: &[Value]| -> (Vec<usize>, Vec<u8>) {
            let mut all = Vec::new();
            let sizes = v.iter().map(|v| {
                let before = all.len();
                bytes(v, &mut all);
                all.len() - before
            });
            (sizes.collect(), all)
        };
        let ((sizes, given), (results, wanted)) = (sized(&inputs), sized(&expected));
        std::fs::write(dir.join("main.c"), driver("model.h", symbol, &sizes, &results)).expect("as above");
        let mut flags = vec!["main.c", "model.o"];
        flags.extend(libraries);
        flags.push("-lm");
        compile(dir, "cc", &flags);
        let got = run(&mut Command::new(dir.join("main")), &given).stdout;
        let real = |b: &[u8]| -> Vec<f64> {
            b.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
        };
        let same = got.len() == wanted.len()
            && (got == wanted
                || real(&got)
                    .iter()
                    .zip(real(&wanted))
                    .all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())));
        assert!(same, "{symbol}: {:?} instead of {:?}", real(&got), real(&wanted));
    }
}

/// Dimensions by name.
type Dims = &'static [(&'static str, i64)];

/// Functions that have between them every kind of argument and result, loop, and call of the runtime.
const FUNCTIONS: &[(&str, &str, Dims)] = &[
    ("scalars", "fn f(x: f64, n: i64, b: bool, s: f32) -> (y: f64, m: i64, c: bool, t: f32) {
        (if b { x^n } else { exp(x) }, n*n + 1, x > 1, s*s + 1) }", &[]),
    ("complex", "fn f[N](z: c128[N], w: c64, a: c128) -> (c128, c128[N], c64) {
        (sum(exp(a*z[i]) for i), [z[i]*conj(a)/sqrt(z[i] + 3) for i], w*w) }", &[("N", 5)]),
    ("elementary", "fn f[N](x: f64[N]) -> f64[N] { [
        exp(x[i]) + expm1(x[i]) + exp2(x[i]) + log(x[i]) + log2(x[i]) + log10(x[i]) + log1p(x[i]) + cbrt(x[i]) + sin(x[i])
        + cos(1e9*x[i]) + tan(x[i]) + asin(0.4*x[i]) + acos(0.4*x[i]) + atan(x[i]) + sinh(x[i]) + cosh(x[i]) + tanh(x[i])
        + asinh(x[i]) + acosh(1 + x[i]) + atanh(0.4*x[i]) + sinc(x[i]) + sigmoid(x[i]) + softplus(x[i])
        + log_sigmoid(x[i]) + erf(x[i]) + erfc(x[i]) + lgamma(x[i]) + digamma(x[i]) + polygamma(2, x[i])
        + x[i]^1.7 + hypot(x[i], 2.0) + atan2(x[i], 2.0) + logaddexp(x[i], 2.0) + mod(x[i], 0.3) for i] }", &[("N", 37)]),
    ("analytic", "fn f(z: c128) -> c128 {
        exp(z) + log(z) + sqrt(z) + sin(z) + cos(z) + tan(z) + asin(z) + acos(z) + atan(z) + sinh(z) + cosh(z) + tanh(z)
        + asinh(z) + acosh(z) + atanh(z) + sigmoid(z) + z^1.5 + z^3 + 1/z + log1p(z) + expm1(z) + abs(z) + arg(z) + cis(z) }", &[]),
    ("loops", "fn f[N, M](A: f64[N, M], x: f64[M], n: i64) -> f64 {
        var s = 0.0;
        var y = x;
        for t in 0..10*n { y = [tanh(y[j] + A[mod(t, N), j]) for j]; s += sum(y[j]^2 for j); }
        while s > 3 { s = 0.5*s; }
        s + sum(prod(1 + A[i, j]*y[j] for j in 0..i) for i in 0..N) }", &[("N", 6), ("M", 7)]),
    ("products", "fn f[N](A: f64[N, N], b: f64[N]) -> f64 {
        let S = A @ A' + 40*eye(N);
        sum(solve(S, b)) + logdet(S) + sum(cholesky(S)) + norm(A @ b) }", &[("N", 40)]),
    ("powers", "fn f[N](x: f64[N]) -> f64 { sum(x[i]^1.7 * (1 + x[i])^x[i] for i) }", &[("N", 37)]),
    ("nothing", "fn f() -> f64 { 42.0 }", &[]),
    ("late", "fn f[N](x: f64[N], n: i64) -> f64 {
        sum({ let y = [x[mod(i + k, N)]*f64(k) for i in 0..N]; sum(sort_of(y)) } for k in 0..n) }
     fn sort_of[N](y: f64[N]) -> f64[N] { cumsum([sin(y[i]) for i]) }", &[("N", 9)]),
    ("large", "fn f[N](x: f64[N]) -> f64 {
        let y = [x[i]*x[i] for i in 0..N];
        var s = y;
        for t in 0..3 { s = [s[i] + sin(s[N - 1 - i]) for i in 0..N]; }
        sum(s) }", &[("N", 3_000_000)]),
];

#[test]
fn built_functions_give_the_bits_of_compiled_ones() {
    for (name, source, dims) in FUNCTIONS {
        let model = Model::parse("model.dsl", source).unwrap_or_else(|e| panic!("{name}: {e}"));
        let f = model.function("f").unwrap().with_dims(dims.iter().copied()).unwrap();
        let dir = directory(name);
        for cpu in [Cpu::Baseline, Cpu::Host] {
            same_bits(&dir, &f, Build::new(&f, "model").with_cpu(cpu), &[]);
        }
    }
}

#[test]
fn linear_algebra_from_the_library_has_the_same_bits() {
    let (_, source, dims) = FUNCTIONS.iter().find(|(name, ..)| *name == "products").expect("it is there");
    let model = Model::parse("model.dsl", source).unwrap();
    let f = model.function("f").unwrap().with_dims(dims.iter().copied()).unwrap();
    let dir = directory("library");
    std::fs::write(dir.join("libadc_runtime.a"), runtime_archive().unwrap()).unwrap();
    let build = Build::new(&f, "model").with_shared_runtime(true);
    assert!(build.run().unwrap().object.len() < Build::new(&f, "model").run().unwrap().object.len() / 2);
    same_bits(&dir, &f, build, &["-L.", "-ladc_runtime"]);
}

fn build(dir: &Path, model: &str, args: &[&str]) -> common::Run {
    let path = dir.join("model.dsl");
    std::fs::write(&path, model).expect("the directory is there");
    let (path, out) = (path.display().to_string(), dir.join("model.o").display().to_string());
    let run = adc(["build", &path, "-o", &out].into_iter().chain(args.iter().copied()));
    assert_eq!(run.code, 0, "{}", run.err);
    run
}

fn c_program(dir: &Path, compiler: &str, file: &str, text: &str, libraries: &[&str]) -> String {
    std::fs::write(dir.join(file), text).expect("the directory is there");
    let mut flags = vec![file, "model.o"];
    flags.extend(libraries);
    flags.push("-lm");
    compile(dir, compiler, &flags);
    String::from_utf8(run(&mut Command::new(dir.join("main")), &[]).stdout).expect("text")
}

#[test]
fn run_time_errors_come_back_as_status_and_text() {
    let dir = directory("errors");
    let model = "fn f(x: f64[3] in (0, 9), i: i64, n: i64) -> f64 {
    assert n < 100, \"n is small\";
    var s = x[i];
    for k in 0..n { s += f64(n*n); }
    s
}
";
    build(&dir, model, &["--fuel", "50"]);
    let main = r#"
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static void *w;
static void call(double first, int64_t i, int64_t n) {
    double x[3] = {first, 2, 3}, y = 0, bar[3];
    int32_t s = model_f(x, &i, &n, &y, w);
    int32_t t = model_f_vjp(x, &i, &n, NULL, &y, bar, w);
    printf("%g %s\n", s ? 0 : y, model_f_error(w, t));
    if ((s == 0) != (t == 0)) abort();
}
int main(void) {
    size_t a = model_f_workspace_size(), b = model_f_vjp_workspace_size();
    w = malloc(a > b ? a : b);
    call(1, 1, 2);
    call(1, 3, 2);
    call(1, -1, 2);
    call(-1, 1, 2);
    call(1, 1, 60);
    call(1, 1, 100);
    call(1, 2, 0);
    printf("%s|", model_f_error(w, 0));
    printf("%s\n", model_f_error(w, 1000));
    return 0;
}
"#;
    let out = c_program(&dir, "cc", "main.c", main, &[]);
    let place = format!("{}:", dir.join("model.dsl").display());
    let out = out.replace(&place, "model.dsl:");
    let expected = "10 \n\
        0 model.dsl:3:13: index 3 is outside an axis of size 3 [ADC0507]\n\
        0 model.dsl:3:13: index -1 is outside an axis of size 3 [ADC0507]\n\
        0 model.dsl:1:6: an argument is outside its domain: `x[0]` must lie in (0, 9) [ADC0504]\n\
        0 model.dsl:4:5: the limit on loop iterations is exceeded [ADC0511]\n\
        0 model.dsl:2:12: assertion failed: n is small [ADC0505]\n\
        3 \n\
        |not a status of this file\n";
    assert_eq!(out, expected);
}

#[test]
fn threads_call_at_the_same_time() {
    let dir = directory("threads");
    build(&dir, "fn f[N](x: f64[N]) -> f64 { sum(exp(x[i])*sin(x[N - 1 - i]) for i) }", &["--dims", "N=50"]);
    let main = r#"
#include "model.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = MODEL_F_N, THREADS = 4 };
static double gradient[THREADS][N];
static void *thread(void *p) {
    int k = *(int *)p;
    double x[N], y;
    void *w = malloc(model_f_vjp_workspace_size());
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < N; i++) x[i] = 0.01 * i * (round % 7 + 1) / 7;
        if (model_f_vjp(x, NULL, &y, gradient[k], w)) abort();
    }
    free(w);
    return NULL;
}
int main(void) {
    pthread_t t[THREADS];
    int k[THREADS];
    for (int i = 0; i < THREADS; i++) { k[i] = i; pthread_create(&t[i], NULL, thread, &k[i]); }
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 1; i < THREADS; i++) if (memcmp(gradient[0], gradient[i], sizeof gradient[0])) abort();
    printf("%d\n", gradient[0][N - 1] != 0);
    return 0;
}
"#;
    assert_eq!(c_program(&dir, "cc", "main.c", main, &["-pthread"]), "1\n");
}

#[test]
fn cpp_calls_with_its_own_complex_numbers() {
    let dir = directory("cpp");
    build(&dir, "fn f(z: c128, a: f64) -> f64 { a*abs2(z) }", &["--modes", "vjp"]);
    let main = r#"
#include "model.h"
#include <cstdio>
#include <vector>
int main() {
    std::complex<double> z(3, 4), z_bar;
    double a = 2, y, a_bar;
    std::vector<char> w(model_f_vjp_workspace_size());
    if (model_f_vjp(&z, &a, nullptr, &y, &z_bar, &a_bar, w.data())) return 1;
    std::printf("%g %g%+gi %g\n", y, z_bar.real(), z_bar.imag(), a_bar);
}
"#;
    assert_eq!(c_program(&dir, "c++", "main.cpp", main, &[]), "50 12+16i 25\n");
}

#[test]
fn extern_functions_are_left_to_the_linker() {
    let dir = directory("extern");
    let model = "extern fn tank[N](level: f64[N], open: bool, z: c128) -> f64;
fn f(x: f64) -> f64 { 2*tank([x, 1.0, x], x > 0, c128(x, 1)) }
";
    let run = build(&dir, model, &["--modes", "primal"]);
    assert!(run.out.contains("to be defined: `tank`"), "{}", run.out);
    let main = r#"
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
int32_t tank(int64_t N, const double *level, uint8_t open, double z_re, double z_im, double *out) {
    double s = 0;
    for (int64_t i = 0; i < N; i++) s += level[i];
    *out = s + 10 * open + z_re * z_im;
    return s < 0 ? 7 : 0;
}
int main(void) {
    void *w = malloc(model_f_workspace_size());
    double x = 2, y = 0;
    int32_t s = model_f(&x, &y, w);
    printf("%d %g\n", s, y);
    x = -3;
    s = model_f(&x, &y, w);
    puts(model_f_error(w, s));
    return 0;
}
"#;
    let out = c_program(&dir, "cc", "main.c", main, &[]);
    assert!(out.starts_with("0 34\n"), "{out}");
    assert!(out.contains("extern function `tank` returned status 7 [ADC0506]"), "{out}");
}

#[test]
fn two_files_are_linked_into_one_program() {
    let dir = directory("two");
    build(&dir, "fn f(x: f64) -> f64 { sin(x) + lgamma(x) }", &[]);
    let other = dir.join("other.o").display().to_string();
    let model = dir.join("model.dsl").display().to_string();
    assert_eq!(adc(["build", &model, "-o", &other]).code, 0);
    let main = r#"
#include "model.h"
#include "other.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    void *w = malloc(model_f_workspace_size() + other_f_workspace_size());
    double x = 2.5, a, b;
    if (model_f(&x, &a, w) || other_f(&x, &b, w)) return 1;
    printf("%d\n", a == b);
    return 0;
}
"#;
    assert_eq!(c_program(&dir, "cc", "main.c", main, &["other.o"]), "1\n");
}

#[test]
fn names_that_c_does_not_take_are_changed() {
    let dir = directory("names");
    let model = "fn f(int: f64, σ: f64, out: f64, workspace: f64) -> f64 { int*σ + out*workspace }";
    let out = dir.join("my-model.o").display().to_string();
    let path = dir.join("model.dsl");
    std::fs::write(&path, model).unwrap();
    let run = adc(["build", &path.display().to_string(), "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let main = r#"
#include "my-model.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    void *w = malloc(my_model_f_workspace_size());
    double x[4] = {2, 3, 4, 5}, y;
    if (my_model_f(&x[0], &x[1], &x[2], &x[3], &y, w)) return 1;
    printf("%g\n", y);
    return 0;
}
"#;
    std::fs::copy(dir.join("my-model.o"), dir.join("model.o")).unwrap();
    assert_eq!(c_program(&dir, "cc", "main.c", main, &[]), "26\n");
}

#[test]
fn what_cannot_be_built_is_a_coded_error() {
    for (model, args, part) in [
        ("fn f[N](x: f64[N]) -> f64 { sum(x) }", &[][..], "--dims N=3"),
        ("fn f[N](x: f64[N]) -> f64 { sum(x) }", &["--dims", "M=3"], "M"),
        ("fn f(n: i64) -> i64 { n }", &["--modes", "vjp"], "error"),
        ("fn f(x: f64) -> f64 { x }", &["--wrt", "y"], "`y`"),
        ("fn f(x: f64) -> f64 { x }\nfn g(x: f64) -> f64 { x }", &[], "--fn"),
        ("fn f(x: f64) -> f64 { x }", &["-o", "a.h"], "same name"),
    ] {
        let run = adc_with_stdin(["build", "-"].into_iter().chain(args.iter().copied()), model);
        assert_eq!(run.code, 2, "{model}: {}", run.out);
        assert!(run.err.contains(part), "{model}: {}", run.err);
    }
}

/// Every file is the same for the same model.
#[test]
fn files_are_reproducible() {
    let model = Model::parse("model.dsl", FUNCTIONS[2].1).unwrap();
    let f = model.function("f").unwrap().with_dims([("N", 37)]).unwrap();
    let once = || -> Built { Build::new(&f, "model").run().unwrap() };
    let (a, b) = (once(), once());
    assert!(a.object == b.object && a.header() == b.header() && a.archive() == b.archive());
}

#[path = "../examples/build_script/build.rs"]
#[allow(dead_code)]
mod build_script;

/// What a build script makes of a model is a Rust module that compiles without a warning, and is linked.
#[test]
fn a_build_script_makes_a_rust_module() {
    let dir = directory("build_script");
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/build_script");
    let lines = build_script::script().write(Path::new(package), &dir).unwrap_or_else(|e| panic!("{e}"));
    assert!(lines.iter().any(|l| l.starts_with("rerun-if-changed=") && l.ends_with("loss.dsl")), "{lines:?}");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc.env("OUT_DIR", &dir).args(["--edition", "2024", "-Dwarnings", "-O", "-o"]).arg(dir.join("main"));
    for line in &lines {
        if let Some(at) = line.strip_prefix("rustc-link-search=") {
            rustc.args(["-L", at]);
        } else if let Some(library) = line.strip_prefix("rustc-link-lib=") {
            rustc.args(["-l", library]);
        }
    }
    run(rustc.arg(format!("{package}/src/main.rs")), &[]);
    let out = run(&mut Command::new(dir.join("main")), &[]).stdout;
    let out = String::from_utf8(out).expect("text");
    assert!(out.starts_with("y = 1.000 + 2.000 x\n"), "{out}");
    assert!(out.trim_end().ends_with("loss.dsl:4:12: assertion failed: the line rises [ADC0505]"), "{out}");
}

/// A module for every kind of argument and result.
#[test]
fn rust_modules_compile_for_every_type() {
    for (name, source, dims) in FUNCTIONS {
        let dir = directory(&format!("rust_{name}"));
        let model = Model::parse("model.dsl", source).unwrap();
        let f = model.function("f").unwrap().with_dims(dims.iter().copied()).unwrap();
        let build = Build::new(&f, "model").with_dims(dims.iter().copied());
        std::fs::write(dir.join("f.rs"), build.run().unwrap().rust().unwrap()).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc.args([
            "--edition",
            "2024",
            "-Dwarnings",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--out-dir",
        ]);
        run(rustc.arg(&dir).arg(dir.join("f.rs")), &[]);
    }
}

/// The program in the book prints what the book says.
#[test]
fn the_program_of_the_book_runs() {
    let page = pages::read("book/src/build.md".as_ref());
    let blocks = pages::blocks(&page);
    let file = |name: &str| &blocks.iter().find(|b| b.file() == Some(name)).expect("the page has it").text;
    let dims = || [("N", 4)];
    let f = Model::parse("decay.dsl", file("decay.dsl")).unwrap().function("misfit").unwrap();
    let f = f.with_dims(dims()).unwrap();
    let built = Build::new(&f, "decay").with_dims(dims()).with_wrt("p").run().unwrap();
    let dir = directory("book");
    std::fs::write(dir.join("model.o"), &built.object).unwrap();
    std::fs::write(dir.join("decay.h"), built.header()).unwrap();
    let shown = &blocks.iter().find(|b| b.lang == "text").expect("what it prints").text;
    assert_eq!(&c_program(&dir, "cc", "main.c", file("main.c"), &[]), shown);
}
