//! The same in other words: a loop that writes elements, or adds to them, costs what the array or the sum by its elements costs.

use adc_frontend::{Loader, compile};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::StdMath;
use adc_jit::RuntimeMath;
use adc_simplify::{OptLevel, prepare, run};

/// How many elements there are.
const N: i64 = 200;

/// Statements, and an expression.
const PAIRS: &[(&str, &str)] = &[
    (
        "var y = zeros(N); for i in 0..N { y[i] = sin(x[i])*x[i]; } sum(y[i]^2 for i)",
        "let y = [sin(x[i])*x[i] for i]; sum(y[i]^2 for i)",
    ),
    (
        "var y = x; for i in 1..N - 1 { y[i] = x[i - 1]*x[i + 1]; } sum(y[i]^2 for i)",
        "let y = [if i >= 1 && i < N - 1 { x[i - 1]*x[i + 1] } else { x[i] } for i in 0..N];\
         sum(y[i]^2 for i)",
    ),
    (
        "var y = x; for i in 0..N { if x[i] > 0.5 { y[i] = sin(x[i]); } } sum(y[i]^2 for i)",
        "let y = [if x[i] > 0.5 { sin(x[i]) } else { x[i] } for i]; sum(y[i]^2 for i)",
    ),
    (
        "var s = 0.0; for i in 0..N { if x[i] > 0.5 { s += sin(x[i]); } } s",
        "sum(if x[i] > 0.5 { sin(x[i]) } else { 0 } for i)",
    ),
    (
        "var s = 0.0; var n = 0; for i in 0..N { if x[i] > 0.5 { s += sin(x[i]); n += 1; } } s/f64(n + 1)",
        "let n = sum(if x[i] > 0.5 { 1 } else { 0 } for i);\
         sum(if x[i] > 0.5 { sin(x[i]) } else { 0 } for i)/f64(n + 1)",
    ),
    (
        "var y = zeros(40);\
         for k in 0..40 { for i in 0..N { y[k] += sin(x[i]*f64(k)); } }\
         sum(y[k]^2 for k)",
        "let y = [sum(sin(x[i]*f64(k)) for i) for k in 0..40]; sum(y[k]^2 for k)",
    ),
    (
        "var f = zeros(N);\
         for i in 0..N - 1 { let d = x[i + 1] - x[i]; f[i] += d^2; f[i + 1] -= d^2; }\
         sum(f[i]^3 for i)",
        "let d = [(x[i + 1] - x[i])^2 for i in 0..N - 1];\
         let f = [(if i < N - 1 { d[i] } else { 0 }) - (if i > 0 { d[i - 1] } else { 0 }) for i in 0..N];\
         sum(f[i]^3 for i)",
    ),
];

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

/// The operations of value and gradient.
fn work(body: &str) -> u64 {
    let source = format!("fn f[N](x: f64[N]) -> f64 {{ {body} }}");
    let compiled = compile("words.dsl", &source, &mut NoFiles, &RuntimeMath);
    let mut m = compiled.unwrap_or_else(|e| panic!("{body}: {:?}", e.diagnostics)).module;
    let f = m.find("f").expect("it is there");
    let f = specialise(&mut m, f, &[N]).expect("a size");
    prepare(&mut m, &[f]);
    let p = adc_ad::vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
    run(&mut m, &[p], OptLevel::O2);
    let x = (0..N).map(|i| Val::Real(0.3 + 0.4 * ((i * 37 % 101) as f64 / 101.0))).collect();
    let args = [Val::array(&[N as usize], x), Val::Real(1.0)];
    Interp::new(&m, &StdMath, &NoExterns).count(p, &[], &args).expect("no error").1.work()
}

#[test]
fn gradients_cost_the_same_in_other_words() {
    let mut wrong = Vec::new();
    for (statements, expression) in PAIRS {
        let [a, b] = [statements, expression].map(|body| work(body));
        println!("{a} {b}  {statements}");
        if a as f64 > 1.1 * b as f64 {
            wrong.push(format!("{statements}: {a} operations, not {b}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
