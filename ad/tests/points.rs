//! Derivatives of programs with arrays and loops at points where derivative compilers fail: ties, zeros in products, aliased
//! arrays, loops without iterations.

use adc_ad::{jvp, vjp};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::StdMath;
use adc_ir::text::parse_module;
use adc_ir::{FuncId, Module};

/// The functions of [`StdMath`] that these cases use are good to this.
const TOLERANCE: f64 = 1e-11;
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const E: f64 = std::f64::consts::E;

/// A function `f` of one vector with one real result, and points with the gradient.
struct Case {
    name: &'static str,
    source: &'static str,
    at: &'static [(&'static [f64], &'static [f64])],
}

const CASES: &[Case] = &[
    Case {
        name: "B5: a singular branch that is not taken, elementwise",
        source: "fn f[N](x: f64[N]) -> f64 { sum([if x[i] > 0 { sqrt(x[i]) } else { 0.0 } for i in 0..N]) }",
        at: &[(&[-1.0, 0.0, 4.0], &[0.0, 0.0, 0.25])],
    },
    Case {
        name: "an array that is selected as a whole",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 let y = if x[0] > 0 { x } else { [0.0 for i in 0..N] };\n\
                 sum(sqrt(y[i]) for i in 0..N)\n}",
        at: &[(&[4.0, 1.0], &[0.25, 0.5]), (&[-4.0, 1.0], &[0.0, 0.0])],
    },
    Case {
        name: "B12: masked inside a loop with a carried value",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 var s = 0.0;\n\
                 for i in 0..N { s = if x[i] > 0 { s + sqrt(x[i]) } else { s }; }\n\
                 s\n}",
        at: &[(&[-3.0, 0.0, 4.0], &[0.0, 0.0, 0.25])],
    },
    Case {
        name: "K3: ties of a maximum",
        source: "fn f[N](x: f64[N]) -> f64 { max(x[i] for i in 0..N) }",
        at: &[(&[2.0, 2.0, 1.0], &[0.5, 0.5, 0.0]), (&[1.0], &[1.0]), (&[-INF, 0.0], &[0.0, 1.0])],
    },
    Case {
        name: "ties of a maximum of long terms",
        source: "fn f[N](x: f64[N]) -> f64 { max(exp(sin(x[i])) for i in 0..N) }",
        at: &[
            (&[1.0, 1.0, 0.5], &[0.6266903837467235, 0.6266903837467235, 0.0]),
            (&[0.0, -1.0], &[1.0, 0.0]),
        ],
    },
    Case {
        name: "ties of a few terms, in a loop",
        source: "fn f[N](x: f64[N]) -> f64 { sum(max(x[i + k] for k in 0..2) for i in 0..N - 1) }",
        at: &[(&[1.0, 1.0, 0.0], &[0.5, 1.5, 0.0]), (&[-INF, -INF, 2.0], &[0.5, 0.5, 1.0])],
    },
    Case {
        name: "a few terms, of which those that do not attain the maximum are singular",
        source: "fn f[N](x: f64[N]) -> f64 { sum(max(sqrt(x[i + k]) for k in 0..2) for i in 0..N - 1) }",
        at: &[(&[0.0, 4.0, 1.0], &[0.0, 0.5, 0.0])],
    },
    Case {
        name: "ties of a maximum of minima",
        source: "fn f[N](x: f64[N]) -> f64 { max(min(exp(x[i] + x[j]) for j in 0..N) for i in 0..N) }",
        at: &[(&[0.0, 1.0, 1.0], &[E, E / 2.0, E / 2.0])],
    },
    Case {
        name: "a constant attains the minimum, too",
        source: "fn f[N](x: f64[N]) -> f64 { min(if i == 0 { 1.0 } else { x[i] } for i in 0..N) }",
        at: &[(&[5.0, 1.0, 2.0], &[0.0, 0.5, 0.0])],
    },
    Case {
        name: "K4: one input twice",
        source: "fn f[N](x: f64[N]) -> f64 { max(x[0] for i in 0..2) }",
        at: &[(&[3.0], &[1.0])],
    },
    Case {
        name: "R1: products with zeros",
        source: "fn f[N](x: f64[N]) -> f64 { prod(x[i] for i in 0..N) }",
        at: &[
            (&[2.0, 0.0, 3.0], &[0.0, 6.0, 0.0]),
            (&[0.0, 0.0, 3.0], &[0.0, 0.0, 0.0]),
            (&[-1e-320, 2.0], &[2.0, -1e-320]),
            (&[], &[]),
        ],
    },
    Case {
        name: "R2: the logarithm of a sum of exponentials",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 let m = max(x[i] for i in 0..N);\n\
                 m + log(sum(exp(x[i] - m) for i in 0..N))\n}",
        at: &[(&[-INF, 0.0], &[0.0, 1.0]), (&[1.0, 1.0], &[0.5, 0.5]), (&[800.0, 0.0], &[1.0, 0.0])],
    },
    Case {
        name: "R4: an element read twice",
        source: "fn f[N](x: f64[N]) -> f64 { let p = [0, 0, 2]; sum(f64(i + 1)*x[p[i]] for i in 0..3) }",
        at: &[(&[1.0, 1.0, 1.0], &[3.0, 0.0, 3.0])],
    },
    Case {
        name: "R5: an overwritten element, and the old array",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 var y = x;\n\
                 y[0] = 5.0*x[1];\n\
                 for i in 0..N { y[i] = y[i]*y[i]; }\n\
                 sum(y) + x[0]\n}",
        at: &[(&[7.0, 2.0], &[1.0, 100.0 + 4.0])],
    },
    Case {
        name: "R7: pairs from both ends, strides, halves",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 sum(x[i]*x[N - 1 - i] for i in 0..N) + sum(x[2*i] for i in 0..2) + sum(x[div(i, 2)] for i in 0..N)\n}",
        at: &[(&[1.0, 2.0, 3.0], &[2.0 * 3.0 + 1.0 + 2.0, 4.0 + 1.0, 2.0 + 1.0])],
    },
    Case {
        name: "R8: one array in two carried places",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 var a = x;\n\
                 var b = x;\n\
                 for k in 0..3 {\n\
                   let c = [a[i] + b[i] for i in 0..N];\n\
                   b = a;\n\
                   a = c;\n\
                 }\n\
                 a[0]\n}",
        at: &[(&[1.0, 1.0], &[5.0, 0.0])],
    },
    Case {
        name: "R12: triangular loops",
        source: "fn f[N](x: f64[N]) -> f64 { sum(x[i]*x[j] for i in 0..N, j in 0..i) }",
        at: &[(&[1.0, 2.0, 4.0], &[6.0, 5.0, 3.0])],
    },
    Case {
        name: "L1: loops that do not turn",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 var s = x[0];\n\
                 for i in 1..N { s = s*x[i]; }\n\
                 var k = 0;\n\
                 while k > 0 { s = s*s; k = k - 1; }\n\
                 s\n}",
        at: &[(&[3.0], &[1.0]), (&[3.0, 2.0], &[2.0, 3.0])],
    },
    Case {
        name: "L2: a square root by Newton's iteration",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 var r = x[0];\n\
                 var e = 1.0;\n\
                 while abs(e) > 1e-12 { e = 0.5*(r - x[0]/r); r = r - e; }\n\
                 r\n}",
        at: &[(&[9.0], &[1.0 / 6.0])],
    },
    Case {
        name: "L3: carries that nobody reads, never change, change places",
        source: "fn f[N](x: f64[N]) -> f64 {\n\
                 var a = x[0];\n\
                 var b = x[1];\n\
                 var c = x[0];\n\
                 var d = 3.0;\n\
                 for i in 0..3 {\n\
                   let e = a;\n\
                   a = b;\n\
                   b = e*d;\n\
                   c = c*c;\n\
                 }\n\
                 a\n}",
        at: &[(&[2.0, 5.0], &[0.0, 3.0])],
    },
    Case {
        name: "elements that lose a comparison of arrays, with an infinite derivative",
        source: "fn f[N](x: f64[N]) -> f64 { sum(max([sqrt(x[k + 2*i]) for i in 0..2] for k in 0..2)) }",
        at: &[
            (&[0.0, 4.0, 1.0, 0.0], &[0.0, 0.25, 0.5, 0.0]),
            (&[4.0, 4.0, 0.0, 1.0], &[0.125, 0.125, 0.0, 0.5]),
        ],
    },
    Case {
        name: "the determinant of a singular matrix",
        source: "fn f(x: f64[4]) -> f64 {\n  v0: f64[2, 2] = reshape x\n  v1 = det v0\n  return v1\n}\n",
        at: &[
            (&[1.0, 2.0, 2.0, 4.0], &[4.0, -2.0, -2.0, 1.0]),
            (&[1.0, 2.0, 3.0, 5.0], &[5.0, -3.0, -2.0, 1.0]),
            (&[0.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0]),
        ],
    },
    Case {
        name: "a factor of a symmetric matrix, whose upper triangle is not read",
        source: "fn f(x: f64[4]) -> f64 {\n  v0: f64[2, 2] = reshape x\n  v1 = cholesky v0\n  v2: f64[4] = reshape v1\n  \
                 v3 = i64 0\n  v4 = i64 4\n  v5 = i64 1\n  v6 = reduce sum v3, v4, v5 (v7) { v8 = index v2, v7 yield v8 }\n  \
                 return v6\n}\n",
        at: &[(&[4.0, 100.0, 2.0, 10.0], &[0.25 - 0.125 + 1.0 / 24.0, 0.0, 0.5 - 1.0 / 6.0, 1.0 / 6.0])],
    },
];

/// What attains a maximum that is NaN is NaN. In forward mode the derivative is NaN then.
const UNDEFINED: &[Case] = &[
    Case {
        name: "terms that are NaN share a maximum",
        source: "fn f[N](x: f64[N]) -> f64 { max(x[i] for i in 0..N) }",
        at: &[(&[NAN, 1.0, NAN], &[0.5, 0.0, 0.5]), (&[1.0, 1.0, NAN], &[0.0, 0.0, 1.0])],
    },
    Case {
        name: "long terms that are NaN share a maximum",
        source: "fn f[N](x: f64[N]) -> f64 { max(x[i] + x[i] - x[i] + x[i] - x[i] + x[i] - x[i] for i in 0..N) }",
        at: &[(&[NAN, 1.0, NAN], &[0.5, 0.0, 0.5]), (&[1.0, NAN], &[0.0, 1.0]), (&[1.0, 2.0], &[0.0, 1.0])],
    },
];

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

fn compiled(case: &Case) -> (Module, FuncId) {
    // A model, or what it is compiled to.
    let m = match case.source.contains("\n  return ") {
        true => parse_module(case.source).unwrap_or_else(|d| panic!("{}: {d:?}", case.name)),
        false => {
            let compiled = adc_frontend::compile("case.dsl", case.source, &mut NoFiles, &StdMath);
            compiled.unwrap_or_else(|e| panic!("{}: {:?}", case.name, e.diagnostics)).module
        }
    };
    let f = m.find("f").expect("a case has a function `f`");
    (m, f)
}

fn vector(x: &[f64]) -> Val<f64> {
    Val::array(&[x.len()], x.iter().map(|x| Val::Real(*x)).collect())
}

fn run(case: &Case, m: &Module, f: FuncId, args: &[Val<f64>]) -> Vec<Val<f64>> {
    let found = Interp::new(m, &StdMath, &NoExterns).call(f, args);
    found.unwrap_or_else(|e| panic!("{}: {e}\n{m}", case.name))
}

fn compare(case: &Case, mode: &str, at: &[f64], found: &[f64], expected: &[f64]) {
    let close = |a: &f64, b: &f64| (a - b).abs() <= TOLERANCE * (1.0 + b.abs());
    let same = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| close(a, b));
    assert!(same, "{}, {mode} at {at:?}: {found:?} instead of {expected:?}", case.name);
}

/// Runs each case and says which failed.
fn each(cases: &[Case], test: impl Fn(&Case) + std::panic::RefUnwindSafe) {
    let failed = |case: &&Case| std::panic::catch_unwind(|| test(case)).is_err();
    let failed: Vec<&str> = cases.iter().filter(failed).map(|case| case.name).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn forward() {
    each(CASES, |case| {
        let (mut m, f) = compiled(case);
        let program = jvp(&mut m, f, &[0]).unwrap_or_else(|d| panic!("{}: {d:?}", case.name));
        for (x, expected) in case.at {
            let along = |i: usize| {
                let unit: Vec<f64> = (0..x.len()).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
                match run(case, &m, program, &[vector(x), vector(&unit)])[1] {
                    Val::Real(dot) => dot,
                    _ => panic!("{}: the result is real", case.name),
                }
            };
            let found: Vec<f64> = (0..x.len()).map(along).collect();
            compare(case, "forward", x, &found, expected);
        }
    });
}

#[test]
fn reverse() {
    each(CASES, reversed);
    each(UNDEFINED, reversed);
}

fn reversed(case: &Case) {
    let (mut m, f) = compiled(case);
    let program = vjp(&mut m, f, &[0], &[0], false);
    let program = program.unwrap_or_else(|d| panic!("{}: {d:?}", case.name));
    for (x, expected) in case.at {
        let found = run(case, &m, program, &[vector(x), Val::Real(1.0)]);
        let found: Vec<f64> = (found[0].as_array().data().iter())
            .map(|v| match v {
                Val::Real(x) => *x,
                _ => panic!("{}: the gradient is real", case.name),
            })
            .collect();
        compare(case, "reverse", x, &found, expected);
    }
}
