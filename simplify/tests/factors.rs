//! How often matrices are factorised in values, gradients and Hessian-vector products: as written, and simplified, with the same
//! bits.

use adc_frontend::{Loader, compile};
use adc_ir::datum::Datum;
use adc_ir::interp::{ArrayVal, Interp, Location, NoExterns, Val, Watch};
use adc_ir::specialise::specialise;
use adc_ir::testing::Rng;
use adc_ir::{FpMode, FuncId, LinalgOp, Module, Op, ReduceOp, Scalar};
use adc_jit::{Externs, Options, RuntimeMath, Workspace};
use adc_simplify::{OptLevel, prepare, run};
use num_complex::Complex;
use std::cell::Cell;

/// Rows and columns, and iterations of loops.
const N: i64 = 6;

/// A function, and how often value, gradient and Hessian-vector product factorise as written and simplified.
const CASES: [(&str, [(usize, usize); 3]); 10] = [
    ("fn f[N](A: f64[N, N], b: f64[N]) -> f64 { sum(solve(A, b)) }", [(1, 1), (2, 1), (4, 1)]),
    (
        "fn f[N](A: f64[N, N], b: f64[N], c: f64[N]) -> f64 { sum(solve(A, b)) + sum(solve(A, c)^2) }",
        [(2, 1), (4, 1), (8, 1)],
    ),
    ("fn f[N](A: f64[N, N], B: f64[N, N]) -> f64 { sum(solve(A, solve(A, B))^2) }", [(2, 1), (4, 1), (8, 1)]),
    (
        "fn f[N](A: f64[N, N], b: f64[N]) -> f64 { var x = b; for t in 0..N { x = solve(A, sin(x)); } sum(x) }",
        [(6, 1), (12, 1), (24, 1)],
    ),
    // The reverse loop counts backwards, which may overflow before the matrix turns out to be singular: there it stays inside.
    (
        "fn f[N](A: f64[N, N], b: f64[N], n: i64) -> f64 { var x = b; for t in 0..n { x = solve(A, sin(x)); } sum(x) }",
        [(6, 1), (12, 7), (24, 7)],
    ),
    ("fn f[N](A: c128[N, N], b: c128[N]) -> f64 { re(sum(solve(A, b)^2)) }", [(1, 1), (2, 1), (4, 1)]),
    // A real matrix is made complex once.
    ("fn f[N](A: f64[N, N], b: c128[N]) -> f64 { re(sum(solve(A, b)^2)) }", [(1, 1), (2, 1), (4, 1)]),
    (
        "fn f[N](A: f64[N, N], b: c128[N], c: f64[N]) -> f64 { abs2(sum(solve(A, b)) + sum(solve(A, 2i*b))) + sum(solve(A, c)) }",
        [(3, 2), (6, 2), (12, 2)],
    ),
    // The same matrix is another one in each iteration.
    (
        "fn f[N](A: f64[N, N], b: f64[N]) -> f64 { var x = b; for t in 0..N { x = solve(A + f64(t)*eye(N), sin(x)); } sum(x) }",
        [(6, 6), (12, 6), (24, 6)],
    ),
    // A Cholesky factor is a value like any other.
    (
        "fn f[N](L: f64[N, N], b: f64[N]) -> f64 { let C = cholesky(L @ L' + eye(N)); sum(solve(C', solve(C, b))) }",
        [(3, 3), (7, 3), (15, 3)],
    ),
];

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

/// Counts factorisations.
#[derive(Default)]
struct Count(Cell<usize>);

impl Watch<f64> for Count {
    fn op(&self, _: Location<'_>, _: Op, _: &[&Val<f64>], _: &Val<f64>) {}
    fn extremum(&self, _: Location<'_>, _: ReduceOp, _: &[Val<f64>]) {}
    fn linalg(&self, _: Location<'_>, op: LinalgOp, _: &ArrayVal<f64>) {
        self.0.set(self.0.get() + !op.is_of_factors() as usize);
    }
}

/// Value, gradient and Hessian-vector product.
fn programs(source: &str) -> (Module, Vec<FuncId>) {
    let mut m = compile("case.dsl", source, &mut NoFiles, &RuntimeMath)
        .unwrap_or_else(|d| panic!("{source}: {d:?}"))
        .module;
    let f = m.find("f").expect("a case has an f");
    // So that bits can be compared.
    m.limit_fp(FpMode::Strict);
    let f = specialise(&mut m, f, &[N]).expect("small");
    let primal = specialise(&mut m, f, &[]).expect("small");
    prepare(&mut m, &[f]);
    let func = m.func(f);
    let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
    let both = adc_ad::vjp(&mut m, f, &wrt, &outputs, true).expect("differentiable");
    let gradient = adc_ad::vjp(&mut m, f, &wrt, &outputs, false).expect("differentiable");
    let second = adc_ad::jvp(&mut m, gradient, &wrt).expect("differentiable");
    (m, vec![primal, both, second])
}

fn arguments(m: &Module, f: FuncId) -> Vec<Val<f64>> {
    let func = m.func(f);
    let mut rng = Rng::new(1);
    let mut number = |elem: Scalar| match elem {
        Scalar::C128 => Val::Complex(Complex::new(rng.real(-1.0, 1.0), rng.real(-1.0, 1.0))),
        _ => Val::Real(rng.real(-1.0, 1.0)),
    };
    let one = |p: &adc_ir::Param| {
        let sizes: Vec<usize> =
            func.shape(p.value).iter().map(|d| d.as_const().expect("a number") as usize).collect();
        match func.ty(p.value).scalar() {
            Scalar::I64 => Val::I64(N),
            elem if sizes.is_empty() => number(elem),
            elem => Val::array(&sizes, (0..sizes.iter().product()).map(|_| number(elem)).collect()),
        }
    };
    func.params.iter().map(one).collect()
}

fn data(m: &Module, f: FuncId, values: &[Val<f64>]) -> Vec<Datum> {
    let results = &m.func(f).results;
    values.iter().zip(results).map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect()
}

fn compiled(m: &Module, f: FuncId, args: &[Val<f64>]) -> Vec<Datum> {
    let code =
        adc_jit::compile(m, &[f], &Externs::new(), &Options::default()).expect("it compiles").remove(0);
    let func = m.func(f);
    let params = args.iter().zip(&func.params);
    let args: Vec<Datum> = params.map(|(v, p)| Datum::from_val(v, func.ty(p.value).scalar())).collect();
    code.call_data(&mut Workspace::new(), &args).expect("nothing fails")
}

#[test]
fn one_factorisation_of_one_matrix() {
    let mut wrong = String::new();
    for (source, expected) in CASES {
        let (raw, programs) = programs(source);
        for (k, (f, expected)) in programs.into_iter().zip(expected).enumerate() {
            let mut simple = raw.clone();
            run(&mut simple, &[f], OptLevel::O2);
            let [(a, before), (b, after)] = [&raw, &simple].map(|m| {
                let count = Count::default();
                let mut interp = Interp::new(m, &RuntimeMath, &NoExterns);
                interp.watch = Some(&count);
                let out = interp.call(f, &arguments(m, f)).unwrap_or_else(|e| panic!("{source}: {e:?}"));
                (data(m, f, &out), count.0.get())
            });
            let code = compiled(&simple, f, &arguments(&simple, f));
            for (how, other) in [("simplified", &b), ("compiled", &code)] {
                assert!(
                    a.iter().zip(other).all(|(a, b)| a.same(b)),
                    "{source} [{k}], {how}: {other:?}, not {a:?}"
                );
            }
            if (before, after) != expected {
                wrong += &format!("{source} [{k}]: {before}, {after}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Factors that nobody shares leave nothing behind, neither their instruction nor a complex copy of a real matrix.
#[test]
fn alone_it_is_a_solution_as_written() {
    for elem in ["f64", "c128"] {
        let source = format!("fn f[N](A: f64[N, N], b: {elem}[N]) -> {elem}[N] {{ solve(A, b) }}");
        let (mut m, programs) = programs(&source);
        run(&mut m, &programs[..1], OptLevel::O2);
        let text = m.func(programs[0]).region().expect("it has a body").insts.len();
        assert_eq!(text, 1, "{m}");
    }
}
