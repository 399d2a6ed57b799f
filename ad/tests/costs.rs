//! What gradients cost, counted by the interpreter: linear where the primal is, and at most five times as much.

use adc_ad::{Policy, vjp, vjp_with};
use adc_ir::interp::{Cost, Interp, NoExterns, Val};
use adc_ir::testing::StdMath;
use adc_ir::{FuncId, Module, Trap, Type};

struct Case {
    name: &'static str,
    source: &'static str,
    /// What the work of value and gradient is of that of the value, at most.
    ratio: f64,
}

const CASES: &[Case] = &[
    Case {
        name: "rosenbrock",
        source: "fn f[N](x: f64[N], n: i64) -> f64 { sum(100*(x[i+1] - x[i]^2)^2 + (1 - x[i])^2 for i in 0..N-1) }",
        ratio: 3.5,
    },
    Case {
        name: "reads by an index",
        source: "fn f[N](x: f64[N], n: i64) -> f64 { sum(sin(x[mod(7*i, n)])*x[i] for i in 0..n) }",
        ratio: 3.5,
    },
    Case {
        name: "a stencil",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 var u = x;\n\
                 for t in 0..3 {\n\
                   u = [if i > 0 && i < N - 1 { u[i]*(u[i-1] + u[i+1]) } else { u[i] } for i in 0..N];\n\
                 }\n\
                 sum(u)\n}",
        ratio: 5.0,
    },
    Case {
        name: "a sweep in place",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 var u = x;\n\
                 for t in 0..3 { for i in 1..n-1 { u[i] = sin(u[i-1]*u[i+1]); } }\n\
                 sum(u)\n}",
        ratio: 3.0,
    },
    Case {
        name: "branches in a sweep",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 var u = x;\n\
                 var s = 0.0;\n\
                 for i in 1..n { if u[i-1] > 0.5 { u[i] = u[i]*u[i-1]; } else { s += x[mod(3*i, n)]*u[i]; } }\n\
                 s + sum(u)\n}",
        ratio: 5.0,
    },
    Case {
        name: "additions by an index",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 var h = zeros(N);\n\
                 for i in 0..n { h[mod(5*i, n)] += x[i]*x[mod(3*i, n)]; }\n\
                 sum(h[i]^2 for i in 0..n)\n}",
        ratio: 5.0,
    },
    Case {
        name: "a recurrence until it stops",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 var s = 0.5;\n\
                 var i = 0;\n\
                 while i < n { s = sin(s + x[i]); i = i + 1; }\n\
                 s\n}",
        ratio: 3.0,
    },
    Case {
        name: "an array among whose elements few matter",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 sum(max(x[mod(i*j, n)]*x[i] for j in 0..4) for i in 0..n)\n}",
        // One multiplication per term, and three comparisons to find the largest.
        ratio: 5.5,
    },
    Case {
        name: "kmeans",
        source: "fn f[N](x: f64[N], n: i64) -> f64 { sum(min((x[i] - x[j])^2 for j in 0..5) for i in 5..n) }",
        // A few small terms are all computed again, to compare them and to reverse them: that is three times as much as the value, and
        // takes a quarter of the time of code that finds out which term attains the minimum, because it has no branches.
        ratio: 10.0,
    },
    Case {
        name: "kmeans with many centroids",
        source: "fn f[N](x: f64[N], n: i64) -> f64 { sum(min((x[i] - x[j])^2 for j in 0..40) for i in 0..n) }",
        // Only the term that attains it is reversed.
        ratio: 4.0,
    },
    Case {
        name: "products of neighbours, short loops of different lengths",
        source: "fn f[N](x: f64[N], n: i64) -> f64 {\n\
                 var s = 0.0;\n\
                 for i in 4..n {\n\
                   var p = 1.0;\n\
                   for j in i - mod(i, 4)..i { p = p*x[j]; }\n\
                   s += sin(p);\n\
                 }\n\
                 s\n}",
        ratio: 5.0,
    },
];

/// Long recurrences of few numbers, known and unknown how long.
const RECURRENCES: &[&str] = &[
    "fn f(x: f64, n: i64) -> f64 { var s = x; for i in 0..n { s = sin(s)*1.5 + x/(1 + f64(i)); } s }",
    "fn f(x: f64, n: i64) -> f64 {\n\
     var s = x;\n\
     var i = 0;\n\
     while i < n { s = sin(s)*1.5 + x/(1 + f64(i)); i = i + 1; }\n\
     s\n}",
    "fn step(y: f64[3], a: f64) -> f64[3] { [sin(y[1])*a, cos(y[2]), y[0]*y[1] - y[2]] }\n\
     fn f(x: f64, n: i64) -> f64 { var y = [x, 0.5, 0.25]; for i in 0..n { y = step(y, x); } sum(y) }",
];

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

fn compiled(name: &str, source: &str) -> (Module, FuncId) {
    let compiled = adc_frontend::compile("case.dsl", source, &mut NoFiles, &StdMath);
    let m = compiled.unwrap_or_else(|e| panic!("{name}: {:?}", e.diagnostics)).module;
    let f = m.find("f").expect("a case has a function `f`");
    (m, f)
}

fn cost(m: &Module, f: FuncId, args: &[Val<f64>]) -> Cost {
    {
        let dims = adc_ir::bind_dims(m.func(f), args).expect("sizes fit");
        Interp::new(m, &StdMath, &NoExterns).count(f, &dims, args).expect("no error").1
    }
}

#[test]
fn gradients_are_linear_and_cheap() {
    let mut wrong = Vec::new();
    for case in CASES {
        let (mut m, f) = compiled(case.name, case.source);
        let p = vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
        assert_eq!(m.func(f).param_ty(0), Type::Array(adc_ir::Scalar::F64, 1));
        let run = |f: FuncId, n: usize, extra: &[Val<f64>]| {
            let x = (0..n).map(|i| Val::Real(0.3 + 0.4 * ((i * 37 % 101) as f64 / 101.0))).collect();
            let args = [&[Val::array(&[n], x), Val::I64(n as i64)], extra].concat();
            cost(&m, f, &args)
        };
        let one = [Val::Real(1.0)];
        let (small, large, primal) = (run(p, 500, &one), run(p, 4000, &one), run(f, 4000, &[]));
        let growth = [large.work() as f64 / small.work() as f64, large.bytes as f64 / small.bytes as f64];
        let ratio = large.work() as f64 / primal.work() as f64;
        println!(
            "{}: {growth:.2?} work {ratio:.2} bytes {:.2}",
            case.name,
            large.bytes as f64 / primal.bytes as f64
        );
        if growth.iter().any(|g| *g > 8.2) || ratio > case.ratio {
            wrong.push(format!(
                "{}: {growth:.2?} for 8 times as much, {ratio:.2} times the value\n{}",
                case.name, m
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reductions whose range ends at `END`, and what the work of value and gradient is of that of the value, at most.
const TRIANGLES: &[(&str, f64)] = &[
    ("sum(sin(x[j])*x[i] for j in 0..END + 1)", 4.0),
    ("sum(x[:END + 1])", 4.0),
    ("mean(x[:END + 1])*x[i]", 4.0),
    ("max(x[:END + 1])", 7.5),
    ("prod(x[:END + 1])", 8.0),
    ("norm(x[:END + 1])", 4.0),
    ("logsumexp(x[:END + 1])", 4.0),
    ("logsumexp(x[j]*x[i] for j in 0..END + 1)", 4.0),
    ("logsumexp(sin(x[j])*x[i] for j in 0..END + 1)", 4.0),
];

/// A range that ends at the variable of a loop costs half as much as one over everything, forwards and backwards, and
/// nothing is stored for each pair.
#[test]
fn triangles_cost_half_a_square() {
    const N: usize = 120;
    let x = (0..N).map(|i| Val::Real(0.9 + 0.2 * ((i * 37 % 101) as f64 / 101.0))).collect();
    let args = [Val::array(&[N], x), Val::I64(N as i64), Val::Real(1.0)];
    let mut wrong = Vec::new();
    for (term, most) in TRIANGLES {
        let run = |end: &str| {
            let term = term.replace("END", end);
            let source = format!("fn f[N](x: f64[N], n: i64) -> f64 {{ sum([{term} for i in 0..N]) }}");
            let (mut m, f) = compiled(&term, &source);
            let p = vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
            let mut interp = Interp::new(&m, &StdMath, &NoExterns);
            interp.limits.bytes = (N * N) as u64;
            let fits = interp.call_with_dims(p, &[N as i64], &args).is_ok();
            (cost(&m, f, &args[..2]).work() as f64, cost(&m, p, &args).work() as f64, fits)
        };
        let ((primal, triangle, fits), (_, square, _)) = (run("i"), run("n - 1"));
        let found = format!(
            "{term}: {:.2} times the value, {:.2} of the square",
            triangle / primal,
            triangle / square
        );
        println!("{found}");
        if triangle / primal > *most || triangle / square > 0.6 || !fits {
            wrong.push(found);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `logsumexp` needs its terms for the largest one, too, and computes them once, as of an array.
#[test]
fn terms_of_a_range_are_computed_once() {
    const N: usize = 60;
    let x = (0..N).map(|i| Val::Real(0.9 + 0.2 * ((i * 37 % 101) as f64 / 101.0))).collect();
    let args = [Val::array(&[N], x), Val::I64(N as i64), Val::Real(1.0)];
    let count = |of: &str| {
        let (mut m, f) = compiled(of, &format!("fn f[N](x: f64[N], n: i64) -> f64 {{ {of} }}"));
        let p = vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
        [cost(&m, f, &args[..2]).transcendentals, cost(&m, p, &args).transcendentals]
    };
    let term = "sin(x[i])*exp(x[j])";
    for (range, bare) in [("i in 0..n, j in 0..n", "i, j"), ("i in 0..n step 1, j", "i, j")] {
        let [by_range, by_array] = [range, bare].map(|gens| count(&format!("logsumexp({term} for {gens})")));
        assert_eq!(by_range, by_array, "{range}");
        // Two for a term, one for its exponential, and the logarithm of the sum.
        assert_eq!(by_range[0], 3 * (N * N) as u64 + 1, "{range}");
    }
    // A triangle is no array.
    let ragged = count(&format!("logsumexp({term} for i in 0..n, j in 0..i + 1)"));
    let pairs = (N * (N + 1) / 2) as u64;
    assert_eq!(ragged[0], 5 * pairs + 1);
}

/// Where sizes are numbers, a few terms that are cut off at the ends are still a few: no iteration goes by the whole array.
#[test]
fn filters_over_a_border() {
    let source = "fn f(x: f64[400], h: f64[8]) -> f64 {\n\
                  sum(sin(sum(if i + k >= 2 && i + k - 2 < 400 { h[k]*x[i + k - 2] } else { 0 } for k in 0..8)) for i in 0..400)\n}";
    let (mut m, f) = compiled("a filter", source);
    let p = vjp(&mut m, f, &[0, 1], &[0], true).expect("differentiable");
    let array = |n: usize| Val::array(&[n], (0..n).map(|i| Val::Real(i as f64 / 400.0)).collect());
    let args = [array(400), array(8)];
    let work = |f: FuncId, args: &[Val<f64>]| {
        let (_, cost) = Interp::new(&m, &StdMath, &NoExterns).count(f, &[], args).expect("no error");
        cost.work()
    };
    let [value, both] = [work(f, &args), work(p, &[&args[..], &[Val::Real(1.0)]].concat())];
    assert!(both < 5 * value, "{both} and {value}");
}

/// Snapshots do with a fraction of the memory, and give the same bits.
#[test]
fn long_recurrences_in_little_memory() {
    for source in RECURRENCES {
        let (mut m, f) = compiled("a recurrence", source);
        let large = vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
        let small = vjp_with(&mut m, f, &[0], &[0], true, Policy::SMALL).expect("differentiable");
        let args = [Val::Real(0.7), Val::I64(40_000), Val::Real(1.0)];
        let mut interp = Interp::new(&m, &StdMath, &NoExterns);
        let unlimited = interp.call(large, &args).expect("no error");
        interp.limits.bytes = 200_000;
        let error = interp.call(large, &args).expect_err("it stores every iteration");
        assert_eq!(error.trap, Trap::OutOfMemory, "{source}");
        let limited = interp.call(small, &args).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(format!("{limited:?}"), format!("{unlimited:?}"), "{source}");
    }
}

/// Numbers that each iteration of the first loop of a gradient collects for its reverse, in the order of the text.
fn collected(source: &str) -> u32 {
    let (mut m, f) = compiled("stored", source);
    let p = vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
    let body = m.func(p).region().expect("it has a body");
    let loops = body.insts.iter().filter_map(|i| i.kind.as_loop());
    loops.map(|l| l.collects).next().expect("it has a loop")
}

#[test]
fn loops_store_what_the_rest_is_computed_from() {
    // Two steps of the midpoint rule for a predator and its prey: everything follows from the two numbers that it carries.
    let step = "fn f(p: f64[2], n: i64) -> f64 {\n\
                var x = p[0];\n\
                var y = p[1];\n\
                for i in 0..n {\n\
                  let (k, l) = (x*(1.1 - 0.4*y), y*(0.1*x - 0.4));\n\
                  let (u, v) = (x + 0.05*k, y + 0.05*l);\n\
                  let (k, l) = (u*(1.1 - 0.4*v), v*(0.1*u - 0.4));\n\
                  let (u, v) = (x + 0.1*k, y + 0.1*l);\n\
                  let (k, l) = (u*(1.1 - 0.4*v), v*(0.1*u - 0.4));\n\
                  x += 0.1*k;\n\
                  y += 0.1*l;\n\
                }\n\
                x*y\n}";
    assert_eq!(collected(step), 2);
    // An exponential is stored: computing it again takes longer. What is computed from it is not, and it is all that is needed.
    let waves = "fn f(p: f64[2], n: i64) -> f64 {\n\
                 var x = p[0];\n\
                 for i in 0..n {\n\
                   let e = exp(-x);\n\
                   let (a, b) = (e + 1, e - p[1]);\n\
                   x = sin(a*b) + a*a + b*b;\n\
                 }\n\
                 x\n}";
    assert_eq!(collected(waves), 1);
}
