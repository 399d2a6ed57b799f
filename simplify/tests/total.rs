//! A derivative fails only where its function does, at every level, in both modes, twice: what is not evaluated in the function
//! has no index to be outside, no number to overflow, no matrix to be singular in its derivatives. Fuel and memory aside: a
//! derivative may take more of both.

use adc_ad::{Policy, jvp, vjp_with};
use adc_frontend::{Loader, compile};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, StdMath, cases, edge_inputs, module};
use adc_ir::{FuncId, Module, Trap};
use adc_simplify::{OptLevel, prepare, run};
use num_complex::Complex64;

const SEEDS: usize = 400;
const LEVELS: [OptLevel; 4] = [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3];

/// Ones like a value, for a direction; `None` if it has no derivative.
fn ones(v: &Val<f64>) -> Val<f64> {
    match v {
        Val::Array(a) => Val::array(a.shape(), a.data().iter().map(ones).collect()),
        Val::Complex(_) => Val::Complex(Complex64::new(1.0, -1.0)),
        _ => Val::Real(1.0),
    }
}

/// Calls a program made of one that ended without an error.
fn call(m: &Module, f: FuncId, args: &[Val<f64>], what: &str) -> Vec<Val<f64>> {
    match Interp::new(m, &StdMath, &NoExterns).call_with_dims(f, &[], args) {
        Ok(results) => results,
        Err(e) if matches!(e.trap, Trap::OutOfFuel | Trap::OutOfMemory) => Vec::new(),
        Err(e) => panic!("{what}, `{}` at {args:?}: {e}\n{m}", m.func(f).name),
    }
}

/// Derivatives of a function that gave `results`.
fn derivatives(m: &Module, f: FuncId, args: &[Val<f64>], results: &[Val<f64>], level: OptLevel, what: &str) {
    let mut m = m.clone();
    if level.prepares() {
        prepare(&mut m, &[f]);
    }
    let func = m.func(f);
    let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
    if wrt.is_empty() || outputs.is_empty() {
        return;
    }
    let what = format!("{what}, {level:?}");
    let along: Vec<Val<f64>> = wrt.iter().map(|i| ones(&args[*i])).collect();
    let seeds: Vec<Val<f64>> = outputs.iter().map(|o| ones(&results[*o])).collect();
    let (pushed, pulled) = ([args, &along].concat(), [args, &seeds].concat());
    let ok = "differentiable";
    let j = jvp(&mut m, f, &wrt).expect(ok);
    let v = vjp_with(&mut m, f, &wrt, &outputs, false, Policy::default()).expect(ok);
    let small = vjp_with(&mut m, f, &wrt, &outputs, true, Policy::SMALL).expect(ok);
    let tangent_of_gradient = jvp(&mut m, v, &wrt).expect(ok);
    let all: Vec<usize> = (0..wrt.len()).collect();
    let gradient_of_gradient = vjp_with(&mut m, v, &wrt, &all, false, Policy::default()).expect(ok);
    let twice = [&pulled[..], &along].concat();
    let programs = [
        (j, &pushed),
        (v, &pulled),
        (small, &pulled),
        (tangent_of_gradient, &twice),
        (gradient_of_gradient, &twice),
    ];
    if level > OptLevel::O0 {
        run(&mut m, &programs.map(|(f, _)| f), level);
    }
    for (f, args) in programs {
        call(&m, f, args, &what);
    }
}

#[test]
fn derivatives_fail_only_where_functions_do() {
    let (mut compared, mut empty) = (0, 0);
    for seed in 0..cases(SEEDS) as u64 {
        let knobs = Knobs {
            edges: true,
            traps: seed % 4 == 0,
            smooth: seed % 2 == 0,
            steps: 16,
            funcs: 2,
            ..Knobs::arrays()
        };
        let m = module(seed, &knobs);
        let f = FuncId(m.funcs.len() as u32 - 1);
        let mut rng = Rng::new(seed);
        for _ in 0..2 {
            let Some((dims, args)) = edge_inputs(&mut rng, m.func(f)) else { continue };
            let mut m = m.clone();
            let f = specialise(&mut m, f, &dims).expect("small");
            let Ok(results) = Interp::new(&m, &StdMath, &NoExterns).call_with_dims(f, &[], &args) else {
                continue;
            };
            compared += 1;
            empty += u32::from(dims.contains(&0));
            for level in LEVELS {
                if level < OptLevel::O3 || seed % 8 == 0 {
                    derivatives(&m, f, &args, &results, level, &format!("seed {seed}"));
                }
            }
        }
    }
    assert!(compared > 300 && empty > 30, "{compared}, {empty} of them with a dimension of 0");
}

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(path.into())
    }
}

fn reals(shape: &[usize]) -> Val<f64> {
    let n: usize = shape.iter().product();
    Val::array(shape, (0..n).map(|k| Val::Real(1.0 + k as f64 / 4.0)).collect())
}

/// A source of `f`, its dimensions and arguments.
type Case = (&'static str, Vec<i64>, Vec<Val<f64>>);

/// Functions and points where something that does not run would fail.
#[test]
fn what_does_not_run_does_not_fail() {
    const MAX: i64 = i64::MAX;
    let (x, v, int) = (Val::Real(0.5), reals(&[3]), Val::I64);
    let matrix =
        |rows: [[f64; 2]; 2]| Val::array(&[2, 2], rows.concat().into_iter().map(Val::Real).collect());
    let singular = matrix([[1.0, 2.0], [2.0, 4.0]]);
    let cases: Vec<Case> = vec![
        // A loop without iterations, around an index that is the same in all of them.
        (
            "fn f[N](x: f64, v: f64[N], k: i64, n: i64) -> f64 { var s = x; for i in 0..n { s = s*v[k] + sin(s); } s }",
            vec![3],
            vec![x.clone(), v.clone(), int(7), int(0)],
        ),
        (
            "fn f(v: f64[3], k: i64, n: i64) -> f64 { sum(v[k]^2*f64(i) for i in 0..n) }",
            vec![],
            vec![v.clone(), int(-1), int(0)],
        ),
        (
            "fn f[N](v: f64[N], k: i64, n: i64) -> f64 { sum(v[k]^2*f64(i) for i in 0..n) }",
            vec![0],
            vec![reals(&[0]), int(0), int(-5)],
        ),
        // Two loops; the inner one has none.
        (
            "fn f(x: f64, v: f64[3], k: i64, n: i64, m: i64) -> f64 { var s = x; for i in 0..n { for j in 0..m { s = s + v[i+k]*x; } } s }",
            vec![],
            vec![x.clone(), v.clone(), int(7), int(2), int(0)],
        ),
        (
            "fn f(v: f64[3], k: i64, n: i64, m: i64) -> f64 { sum(sum(v[k]*v[j] for j in 0..m) for i in 0..n) }",
            vec![],
            vec![v.clone(), int(9), int(2), int(0)],
        ),
        (
            "fn f(m: f64[2, 4], k: i64, n: i64) -> f64 { sum(m[k, j]^2 for j in 0..n) }",
            vec![],
            vec![reals(&[2, 4]), int(5), int(0)],
        ),
        (
            "fn f[M](m: f64[2, M], k: i64) -> f64 { sum(m[k, j]^2 for j in 0..M) }",
            vec![0],
            vec![reals(&[2, 0]), int(5)],
        ),
        (
            "fn f[N](m: f64[N, 4], n: i64, k: i64) -> f64 { sum(sum(m[i+k, j+1]^2 for j in 0..n) for i in 0..3) }",
            vec![0],
            vec![reals(&[0, 4]), int(0), int(MAX - 5)],
        ),
        // A range whose ends are far apart, the wrong way round, and short ones at the end of the integers.
        (
            "fn f(v: f64[3], a: i64, b: i64) -> f64 { sum(v[i]^2 for i in a..b) }",
            vec![],
            vec![v.clone(), int(MAX), int(-MAX)],
        ),
        (
            "fn f(x: f64, a: i64, b: i64) -> f64 { var s = x; for i in a..b step 4 { s = sin(s); } s }",
            vec![],
            vec![x.clone(), int(MAX - 1), int(MAX)],
        ),
        (
            "fn f(x: f64, a: i64) -> f64 { var s = x; for i in 0..a step 9223372036854775807 { s = sin(s)*s; } s }",
            vec![],
            vec![x.clone(), int(MAX)],
        ),
        (
            "fn f(v: f64[3], a: i64) -> f64 { max(v[i - 9223372036854775806] for i in a..9223372036854775807 step 5) }",
            vec![],
            vec![v.clone(), int(MAX - 1)],
        ),
        // Branches.
        (
            "fn f(v: f64[3], k: i64) -> f64 { sum(if k > -100 && k < 100 && k+i < 3 && k+i >= 0 { v[k+i] } else { 0.0 } for i in 0..3) }",
            vec![],
            vec![v.clone(), int(-MAX)],
        ),
        (
            "fn f(v: f64[3], k: i64) -> f64 { if k < 2 { v[k+1] } else { 0.0 } }",
            vec![],
            vec![v.clone(), int(MAX)],
        ),
        (
            "fn f(v: f64[3], k: i64) -> f64 { if k < 2 { v[k+1]*v[0] } else { v[k-9223372036854775806]^2 } }",
            vec![],
            vec![v.clone(), int(MAX)],
        ),
        (
            "fn f(x: f64, k: i64) -> f64 { var s = x; for t in 0..2 { if k < 100 { for i in 0..k*k*k { s = sin(s)*s; } } for i in 0..3 { s = s*cos(s); } } s }",
            vec![],
            vec![x.clone(), int(MAX)],
        ),
        (
            "fn f(x: f64, k: i64) -> f64 { var s = x; for t in 0..2 { if k < 5 { for i in -2..k+1 { s = sin(s)*s; } } } s }",
            vec![],
            vec![x.clone(), int(MAX)],
        ),
        // Matrices without an inverse.
        ("fn f(A: f64[2, 2]) -> f64 { logdet(A) }", vec![], vec![singular.clone()]),
        ("fn f(A: f64[2, 2]) -> f64 { det(A) }", vec![], vec![singular]),
        (
            "fn f(A: f64[2, 2]) -> f64 { det(A)*logdet(A) }",
            vec![],
            vec![matrix([[f64::INFINITY, 0.0], [0.0, 0.0]])],
        ),
        ("fn f[N](A: f64[N, N]) -> f64 { logdet(A) + det(A) }", vec![0], vec![reals(&[0, 0])]),
        // Orders and exponents at the end of the integers.
        ("fn f(x: f64, n: i64) -> f64 { x^n }", vec![], vec![Val::Real(1.0), int(i64::MIN)]),
    ];
    for (source, dims, args) in cases {
        let program = compile("f", source, &mut NoFiles, &StdMath);
        let mut m = program.unwrap_or_else(|f| panic!("{source}: {:?}", f.diagnostics)).module;
        let f = m.find("f").expect("it is declared");
        let f = specialise(&mut m, f, &dims).expect("small");
        let results = call(&m, f, &args, source);
        assert!(!results.is_empty(), "{source}");
        for level in LEVELS {
            derivatives(&m, f, &args, &results, level, source);
        }
    }
}
