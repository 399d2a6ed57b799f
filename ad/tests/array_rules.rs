//! Hand-written rules of functions of arrays: each alone against the derivative of the body, transposed where it is of the
//! other mode.

use crate::common;

use adc_ad::{check_rules, jvp, rule_jvp, rule_vjp, vjp};
use adc_ir::interp::Val;
use adc_ir::testing::{Rng, StdMath, array_inputs};
use adc_ir::{Code, Diagnostic, FuncId, Module};
use common::*;

/// Constants of rules are double precision.
const TOLERANCE: f64 = 1e-14;

/// A function, as a body that reads `x…`, and rules that say its derivative.
struct Pair {
    name: &'static str,
    signature: &'static str,
    body: &'static str,
    rules: &'static [&'static str],
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "sums and comprehensions",
        signature: "[N](x: f64[N], y: f64[N]) -> f64",
        body: "sum(x[i]*sin(y[i]) for i in 0..N)",
        rules: &[
            "jvp f(x, y; dx, dy) { sum(dx[i]*sin(y[i]) + x[i]*cos(y[i])*dy[i] for i in 0..N) }",
            "vjp f(x, y; g) { ([g*sin(y[i]) for i in 0..N], [g*x[i]*cos(y[i]) for i in 0..N]) }",
        ],
    },
    Pair {
        name: "a map",
        signature: "[N](x: f64[N], a: f64) -> f64[N]",
        body: "[exp(a*x[i]) for i in 0..N]",
        rules: &[
            "partial f(x, a) { d x: [a*out[i] for i in 0..N]; d a: [x[i]*out[i] for i in 0..N]; }",
            "jvp f(x, a; dx, da) { [out[i]*(a*dx[i] + x[i]*da) for i in 0..N] }",
            "vjp f(x, a; g) { ([a*out[i]*g[i] for i in 0..N], sum(x[i]*out[i]*g[i] for i in 0..N)) }",
        ],
    },
    Pair {
        name: "U5: a complex map, not holomorphic, with an integer",
        signature: "[N](z: c128[N], n: i64) -> c128[N]",
        body: "[z[i]^n*conj(z[i]) for i in 0..N]",
        rules: &[
            "partial f(z, n) { d z: [f64(n)*z[i]^(n - 1)*conj(z[i]) for i in 0..N]; dconj z: [z[i]^n for i in 0..N]; }",
            "jvp f(z, n; dz) { [f64(n)*z[i]^(n - 1)*conj(z[i])*dz[i] + z[i]^n*conj(dz[i]) for i in 0..N] }",
        ],
    },
    Pair {
        name: "a loop with a carried value",
        signature: "[N](x: f64[N]) -> f64",
        body: "var s = 0.0; for i in 0..N { s = 0.5*s + x[i]*x[i]; } s",
        rules: &[
            "jvp f(x; dx) { var t = 0.0; for i in 0..N { t = 0.5*t + 2*x[i]*dx[i]; } t }",
            "vjp f(x; g) {\n\
               var t = g; var b = [0.0 for i in 0..N];\n\
               for k in 0..N { b[N - 1 - k] = 2*x[N - 1 - k]*t; t = 0.5*t; }\n\
               b }",
        ],
    },
    Pair {
        name: "branches and writing",
        signature: "[N](x: f64[N], k: i64) -> f64[N]",
        body: "var y = x; if k > 0 { y[0] = x[0]*x[N - 1]; } else { y[0] = sin(x[0]); } y",
        rules: &["jvp f(x, k; dx) {\n\
               var y = dx;\n\
               if k > 0 { y[0] = x[0]*dx[N - 1] + dx[0]*x[N - 1]; } else { y[0] = cos(x[0])*dx[0]; }\n\
               y }"],
    },
];

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

fn compile_text(name: &str, text: &str) -> Module {
    match adc_frontend::compile("test.dsl", text, &mut NoFiles, &StdMath) {
        Ok(program) => program.module,
        Err(failure) => panic!("{name}: {:?}\n{text}", failure.diagnostics),
    }
}

fn compile(pair: &Pair) -> (Module, FuncId, FuncId) {
    let Pair { name, signature, body, rules } = pair;
    let mut text = format!("fn plain{signature} {{ {body} }}\nfn f{signature} {{ {body} }}\n");
    rules.iter().for_each(|r| text += &format!("rule {r}\n"));
    let m = compile_text(name, &text);
    assert_eq!(check_rules(&m).0, [], "{name}");
    let find = |f: &str| m.find(f).expect("it is in the text");
    let (f, plain) = (find("f"), find("plain"));
    (m, f, plain)
}

fn made(what: &str, program: Result<FuncId, Diagnostic>) -> FuncId {
    program.unwrap_or_else(|d| panic!("{what}: {d:?}"))
}

#[test]
fn every_rule_alone_is_the_derivative_of_the_body() {
    for pair in PAIRS {
        let (mut m, f, plain) = compile(pair);
        let name = pair.name;
        let (wrt, outputs) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
        let plain_jvp = made(name, jvp(&mut m, plain, &wrt));
        let plain_vjp = made(name, vjp(&mut m, plain, &wrt, &outputs, true));
        let mut rng = Rng::new(7);
        for k in 0..m.func(f).rules.len() {
            let programs = [
                (made(name, rule_jvp(&mut m, f, k)), plain_jvp),
                (made(name, rule_vjp(&mut m, f, k)), plain_vjp),
            ];
            for _ in 0..4 {
                let x: Vec<V> = array_inputs(&mut rng, m.func(f), false).1.iter().map(big).collect();
                let results = call(&m, f, &x);
                let u: Vec<V> = wrt.iter().map(|&i| random_like(&mut rng, &x[i])).collect();
                let v: Vec<V> = outputs.iter().map(|&o| random_like(&mut rng, &results[o])).collect();
                for ((program, reference), seeds) in programs.into_iter().zip([&u, &v]) {
                    let args = [&x[..], seeds].concat();
                    let (a, b) = (call(&m, reference, &args), call(&m, program, &args));
                    let d = distance(&a, &b);
                    assert!(
                        d < TOLERANCE,
                        "{name}, rule {k}, `{}`: {d:e}\n{a:?}\n{b:?}",
                        m.func(program).name
                    );
                }
            }
        }
    }
}

/// What is not linear in a tangent, with a word of the complaint.
#[test]
fn what_is_not_linear_is_refused() {
    let cases = [
        ("[dx[i]*dx[0] for i in 0..N]", "multiplied by another"),
        ("[x[i] + dx[i] for i in 0..N]", "added to something"),
        ("var y = x; y[0] = dx[0]; y", "put into one array"),
        ("let p = prod(dx[i] for i in 0..N); [p for i in 0..N]", "reduced by `prod`"),
        ("let p = max(dx[i] for i in 0..N); [p for i in 0..N]", "reduced by `max`"),
        ("var s = 1.0; for i in 0..N { s = s + dx[i]; } [s for i in 0..N]", "added to something"),
        ("var s = 0.0; for i in 0..N { s = dx[i] + s*s; } [s for i in 0..N]", "multiplied by another"),
        (
            "var s = 0.0; for i in 0..N { s = if i > 1 { dx[i] } else { 1.0 }; } [s for i in 0..N]",
            "used in one branch",
        ),
    ];
    for (body, complaint) in cases {
        let text = format!("fn f[N](x: f64[N]) -> f64[N] {{ x }}\nrule jvp f(x; dx) {{ {body} }}\n");
        let m = adc_frontend::compile("test.dsl", &text, &mut NoFiles, &StdMath);
        let m = m.unwrap_or_else(|e| panic!("{:?}\n{text}", e.diagnostics)).module;
        let found = check_rules(&m).0;
        let said = found
            .iter()
            .any(|d| d.code == Code::NonLinearRule && d.labels.iter().any(|l| l.text.contains(complaint)));
        assert!(said, "{body}: {found:?}");
    }
}

/// U9: what comes out is the rule, which is wrong on purpose.
#[test]
fn rules_hold_in_loops_and_comprehensions() {
    let text = "fn g(x: f64) -> f64 { x }\nrule jvp g(x; dx) { 7.0*dx }\n\
                fn f[N](x: f64[N]) -> f64 {\n\
                  var s = sum([g(x[i]) for i in 0..N]);\n\
                  for i in 0..N { s = g(s) + sum(g(x[j]) for j in 0..i); }\n\
                  s\n}\n";
    let mut m = compile_text("rules in loops", text);
    let f = m.find("f").expect("it is in the text");
    let (j, p) = (jvp(&mut m, f, &[0]).expect("linear"), vjp(&mut m, f, &[0], &[0], false).expect("linear"));
    let vector = |x: [f64; 2]| Val::array(&[2], x.iter().map(|x| Val::Real((*x).into())).collect());
    let x = vector([1.0, 2.0]);
    // 7³ for both by the first sum; 7 more for x[0], which enters in the last iteration.
    let expected = vector([350.0, 343.0]);
    assert_eq!(call(&m, p, &[x.clone(), Val::Real(1.0.into())]), [expected]);
    let found = call(&m, j, &[x, vector([1.0, 10.0])]);
    assert_eq!(found[1], Val::Real((350.0 + 3430.0).into()));
}
