//! Large and hostile programs: each ends with a program or a coded error, soon, and without a panic.

use adc_frontend::{Failure, Loader, NoFiles, Program, compile};
use adc_ir::Code;
use adc_ir::testing::{Rng, StdMath};

fn build(text: &str) -> Result<Program, Failure> {
    compile("main.dsl", text, &mut NoFiles, &StdMath)
}

fn code(text: &str) -> Option<Code> {
    build(text).err().map(|f| f.diagnostics.0[0].code)
}

#[test]
fn calls_of_calls_multiply() {
    let mut text = String::from("fn g0(x: f64) -> f64 { x*x }\n");
    for i in 1..60 {
        text += &format!("fn g{i}(x: f64) -> f64 {{ g{}(x) + g{}(x) }}\n", i - 1, i - 1);
    }
    let failure = build(&text).expect_err("2^60 operations");
    let d = &failure.diagnostics.0[0];
    assert_eq!((d.code, failure.diagnostics.0.len()), (Code::TooMuchCode, 1));
    assert!(d.message.contains("`g2"), "{}", d.message);
}

#[test]
fn specialisations_multiply() {
    let mut text = String::from("fn a(x: f64) -> f64 { x }\nfn b(x: f64) -> f64 { 2*x }\n");
    text += "fn c(f: fn(f64) -> f64, g: fn(f64) -> f64, x: f64) -> f64 { f(g(x)) }\n";
    let mut last = "ap0(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }".to_string();
    for i in 1..40 {
        text += &format!("fn {last}\n");
        let before = i - 1;
        last = format!(
            "ap{i}(f: fn(f64) -> f64, x: f64) -> f64 {{ ap{before}(c(f, a, _), x) + ap{before}(c(f, b, _), x) }}"
        );
    }
    text += &format!("fn {last}\nfn main(x: f64) -> f64 {{ ap39(a, x) }}\n");
    assert_eq!(code(&text), Some(Code::TooMuchCode));
}

#[test]
fn long_programs_compile() {
    // A call chain of 20 000 functions, and a body of 50 000 statements.
    let mut text = String::from("fn f0(x: f64) -> f64 { x }\n");
    for i in 1..20_000 {
        text += &format!("fn f{i}(x: f64) -> f64 {{ f{}(x) + 1 }}\n", i - 1);
    }
    assert!(build(&text).is_ok());
    let mut text = String::from("fn f(x: f64) -> f64 { var s = 0;\n");
    for i in 0..50_000 {
        text += &format!("let v{i} = {i}*x; if x > {i} {{ s += v{i}; }}\n");
    }
    assert!(build(&(text + "s }")).is_ok());
}

#[test]
fn chains_of_operators_and_branches() {
    let chain = |n: usize| format!("fn f(x: f64, b: bool) -> f64 {{ x{} }}", " + x".repeat(n));
    assert!(build(&chain(450)).is_ok());
    assert_eq!(code(&chain(5000)), Some(Code::TooDeep));
    let lazy = format!("fn f(b: bool) -> bool {{ b{} }}", " && b".repeat(450));
    assert!(build(&lazy).is_ok());
    let powers = format!("fn f(x: f64) -> f64 {{ x{} }}", "^x".repeat(450));
    assert!(build(&powers).is_ok());
    let branches = |n: usize| {
        format!("fn f(x: f64) -> f64 {{ if x > 0 {{ 1 }} {}else {{ x }} }}", "else if x > 1 { 2 } ".repeat(n))
    };
    assert!(build(&branches(100)).is_ok());
    assert_eq!(code(&branches(1000)), Some(Code::TooDeep));
    let nested =
        |n: usize| format!("fn f(x: f64) -> f64 {{ {}x{} }}", "{ let y = x; ".repeat(n), " }".repeat(n));
    assert!(build(&nested(100)).is_ok());
    assert_eq!(code(&nested(300)), Some(Code::TooDeep));
}

#[test]
fn arrays_nest_and_grow() {
    let nested =
        |n: usize| format!("fn f(x: f64) -> f64 {{ {}x{} }}", "sum(".repeat(n), " for i in 0..2)".repeat(n));
    assert!(build(&nested(100)).is_ok());
    assert_eq!(code(&nested(300)), Some(Code::TooDeep));
    let ragged = |n: usize| {
        let (open, close) = ("norm(x*".repeat(n), " for i in 0..2)".repeat(n));
        format!("fn f(x: f64) -> f64 {{ {open}x{close} }}")
    };
    assert!(build(&ragged(5)).is_ok());
    assert_eq!(code(&ragged(6)), Some(Code::TooDeep));
    assert_eq!(code(&ragged(60)), Some(Code::TooDeep));
    // Terms that are collected are in one place.
    let collected = |n: usize| ragged(n).replace("norm", "logsumexp");
    assert!(build(&collected(60)).is_ok());
    assert_eq!(code(&collected(300)), Some(Code::TooDeep));
    let built = |n: usize| {
        format!("fn f(x: f64) -> f64 {{ sum({}x{}) }}", "[".repeat(n), " for i in 0..2]".repeat(n))
    };
    assert!(build(&built(8)).is_ok());
    assert_eq!(code(&built(9)), Some(Code::BadRank));
    assert_eq!(code(&built(120)), Some(Code::BadRank));
    let literal = |n: usize| format!("fn f() -> f64 {{ sum({}1.0{}) }}", "[".repeat(n), "]".repeat(n));
    assert_eq!(code(&literal(100)), Some(Code::BadRank));
    let generators = |n: usize| {
        let all: Vec<String> = (0..n).map(|i| format!("i{i} in 0..2")).collect();
        format!("fn f(x: f64) -> f64 {{ sum(x for {}) }}", all.join(", "))
    };
    assert!(build(&generators(200)).is_ok());
    assert_eq!(code(&generators(1000)), Some(Code::TooDeep));
    let loops = |n: usize| {
        format!(
            "fn f(x: f64) -> f64 {{ var s = x; {}s += 1;{} s }}",
            "for i in 0..2 { ".repeat(n),
            " }".repeat(n)
        )
    };
    assert!(build(&loops(100)).is_ok());
    assert_eq!(code(&loops(300)), Some(Code::TooDeep));
    let indices = |n: usize| format!("fn f(x: i64[9]) -> i64 {{ {}0{} }}", "x[".repeat(n), "]".repeat(n));
    assert!(build(&indices(100)).is_ok());
    let sums = |n: usize| format!("fn f[N](x: f64[N]) -> f64[N] {{ x{} }}", " + x".repeat(n));
    assert!(build(&sums(450)).is_ok());
    let sizes = |n: usize| format!("fn f[N](x: f64[N{}]) -> f64 {{ sum(x) }}", "*N".repeat(n));
    assert!(build(&sizes(15)).is_ok());
    assert_eq!(code(&sizes(16)), Some(Code::NotADimension));
    let cubes =
        "fn g[K](x: f64[K*K*K]) -> f64 { sum(x) }\nfn f[N](x: f64[N*N*N*N*N*N]) -> f64 { g[N*N*N*N*N*N](x) }";
    assert_eq!(code(cubes), Some(Code::NotADimension));
    let cubes =
        "fn g[K](s: f64) -> f64[K*K*K] { fill(s, K*K*K) }\nfn f[N](s: f64) -> f64 { sum(g[N*N*N*N*N*N](s)) }";
    assert_eq!(code(cubes), Some(Code::NotADimension));
    let zero = "fn g[N, K](x: f64[N]) -> f64[div(N, K)] { x[:div(N, K)] }\nfn f(x: f64[4]) -> f64 { sum(g[K = 0](x)) }";
    assert_eq!(code(zero), Some(Code::NotADimension));
    let far = "fn f[N](x: f64[N]) -> f64 { sum(x[-9223372036854775808:9223372036854775807]) }";
    assert_eq!(code(far), Some(Code::NotADimension));
    let far =
        "fn f[N](x: f64[N]) -> f64 { x[N + 9223372036854775807] + x[N*N*N*N*N*N*N*N*N*N*N*N*N*N*N*N*N] }";
    assert!(build(far).is_err());
    let table: Vec<String> = (0..50_000).map(|i| format!("{i}.5")).collect();
    let table = table.join(", ");
    assert!(build(&format!("const T: f64[50000] = [{table}];\nfn f(i: i64) -> f64 {{ T[i] }}")).is_ok());
    assert!(build(&format!("fn f(i: i64) -> f64 {{ [{table}][i] }}")).is_ok());
    let chain: String = (1..200).map(|i| format!("const N{i}: i64 = N{} + 1;\n", i - 1)).collect();
    assert!(build(&format!("const N0: i64 = 1;\n{chain}fn f(x: f64[N199]) -> f64 {{ sum(x) }}")).is_ok());
    let endless = "const A: f64 = sum(1.0 for i in 0..4000000000);";
    assert_eq!(code(endless), Some(Code::OutOfFuel));
    assert_eq!(code("const A: f64 = sum(zeros(4000000000));"), Some(Code::OutOfMemory));
    assert_eq!(code("const A: i64[A] = [1];"), Some(Code::NotADimension));
    assert_eq!(
        code("const A: i64 = B; const B: i64 = A; fn f(x: f64[A]) -> f64 { 1 }"),
        Some(Code::ConstNotConstant)
    );
}

#[test]
fn many_errors_stop_soon() {
    let mut text = String::new();
    for i in 0..5_000 {
        text += &format!("fn f{i}(x: f64) -> f64 {{ g{i}(x) + y{i} + f{i}(x, x) }}\n");
    }
    let failure = build(&text).expect_err("nothing is defined");
    assert!(failure.diagnostics.0.len() <= 200);
}

/// Every file uses the next.
struct Endless;

impl Loader for Endless {
    fn load(&mut self, from: &str, _: &str) -> Result<(String, String), String> {
        let n: usize = from.trim_end_matches(".dsl").parse().unwrap_or(0);
        Ok((format!("{}.dsl", n + 1), "use \"next.dsl\";\n".into()))
    }
}

#[test]
fn endless_use_is_cut() {
    let failure = compile("0.dsl", "use \"next.dsl\";", &mut Endless, &StdMath).expect_err("it never ends");
    assert_eq!(failure.diagnostics.0[0].code, Code::TooLarge);
}

/// Programs of the file tests with pieces exchanged, removed and doubled: whatever comes out, no panic, and
/// every diagnostic points into its file.
#[test]
fn broken_programs_are_refused() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut corpus = Vec::new();
    for dir in ["lower", "errors", "run"] {
        let mut paths: Vec<_> = std::fs::read_dir(folder.join(dir))
            .expect("test files")
            .map(|e| e.expect("entry").path())
            .collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(path).expect("readable test file");
            corpus.extend(text.split("// --- ").map(|case| {
                let lines = case.lines().skip(1).filter(|l| !l.starts_with("//"));
                lines.collect::<Vec<_>>().join("\n")
            }));
        }
    }
    let words = [
        "x",
        "z",
        "n",
        "f",
        "g",
        "f64",
        "i64",
        "c128",
        "f32",
        "bool",
        "+",
        "*",
        "/",
        "^",
        "<",
        "==",
        "&&",
        "(",
        ")",
        "{",
        "}",
        ",",
        ";",
        "1",
        "2.5",
        "1i",
        "-1",
        "true",
        "if x > 0 { 1 } else { z }",
        "let a = 1;",
        "var s = 0;",
        "s += z;",
        "(x, n)",
        "f(x)",
        "max(x, 1)",
        "_",
        "in (0, 1]",
        "out",
        "PI",
        "c128(x, n)",
        "assert b;",
        "fn(f64) -> f64",
        "!",
        "fn(fn(f64) -> f64, f64) -> (f64, f64)",
        "(f64, f64)",
        "f(_, x)",
        "sin",
        "pow",
        "apply(f, x)",
        "[N]",
        "[N, M]",
        "f64[N]",
        "c128[M, 2*N - 1]",
        "i64[div(N, 2)]",
        "x[i]",
        "x[i, j]",
        "x[1:]",
        "[:, 0]",
        "[0:N]",
        "[1.0, 2]",
        "[[1, 2], [3, 4]]",
        "zeros(N)",
        "fill(x, 2, N)",
        "eye(N)",
        "iota(3)",
        "sum(x)",
        "max(x[i] for i)",
        "sum(x[i]*y[j] for i, j in 0..i)",
        "[x[i] for i]",
        "[i for i in 1..N step 2]",
        "argmin(x[k] for k)",
        "norm(x)",
        "solve(A, x)",
        "concat(x, y)",
        "reshape(x, 2, N)",
        "grad(f)(x)",
        "jacobian(f)(x)",
        "hvp(f)(x; x)",
        "vjp(f)(x; 1)",
        "gather(x, iota(N))",
        "slice(x, 1, 2)",
        "cumsum(x)",
        "diag(x)",
        "f(_, x)",
        "apply(f[3], x)",
        "dot(x, y)",
        "const K: i64 = 3;",
        "f64[K, K]",
        "rule partial f(x) { d x: x; }",
        "mean(x)",
        "for i in 0..N { s += x[i]; }",
        "while s < 3 { s += 1; }",
        "y[i] = 1;",
        "y[0:2] += x;",
        "var y = x;",
        "let n = N - 1;",
        "@",
        "'",
        "f[N = 3](x)",
        "f[2](x)",
        "N",
        "step 0",
        "x[N]",
    ];
    let mut rng = Rng::new(7);
    for round in 0..6000 {
        let mut text = corpus[rng.below(corpus.len())].clone();
        for _ in 0..1 + round % 4 {
            let mut cut = || {
                let at = rng.below(text.len() + 1);
                (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
            };
            let (a, b) = (cut(), cut());
            let (a, b) = (a.min(b), a.max(b));
            let b = (a + (b - a) % 12..=b).find(|i| text.is_char_boundary(*i)).unwrap_or(b);
            let piece = match rng.below(3) {
                0 => String::new(),
                1 => format!(" {} ", words[rng.below(words.len())]),
                _ => text[a..b].repeat(2),
            };
            text.replace_range(a..b, &piece);
        }
        match build(&text) {
            Ok(p) => adc_ir::verify::verify(&p.module).expect("the module verifies"),
            Err(f) => {
                assert!(f.diagnostics.has_errors(), "failed without an error:\n{text}");
                for l in f.diagnostics.0.iter().flat_map(|d| &d.labels) {
                    let file = &f.files[l.span.file.0 as usize];
                    assert!(file.text.get(l.span.start as usize..l.span.end as usize).is_some(), "{text}");
                }
            }
        }
    }
}
