//! What products of matrices in the cheapest order save in values and gradients, counted, with the same results up to rounding.

use adc::Model;
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::Rng;
use adc_ir::{FuncId, Module};
use adc_jit::RuntimeMath;
use adc_simplify::OptLevel::{O0, O2, O3};
use adc_simplify::{OptLevel, prepare, run};

/// Rows and columns.
const N: i64 = 24;

/// A model, and the work of value and gradient together: as written, at level 2, at level 3.
const CASES: [(&str, &str, [u64; 3]); 5] = [
    (
        "the trace of a product",
        "fn f[N](A: f64[N, N], B: f64[N, N], C: f64[N, N]) -> f64 { trace(A @ B @ C) }",
        [165951, 86223, 86223],
    ),
    (
        "two matrices and a vector",
        "fn f[N](A: f64[N, N], B: f64[N, N], x: f64[N]) -> f64 { sum(sin((A @ B) @ x)) }",
        [86367, 6303, 6303],
    ),
    (
        "a bilinear form",
        "fn f[N](x: f64[N], A: f64[N, N], y: f64[N]) -> f64 { dot(x, A'' @ A' @ y) }",
        [86511, 6447, 6447],
    ),
    (
        "an inverse and a vector",
        "fn f[N](A: f64[N, N], b: f64[N]) -> f64 { sum((inv(A) @ b)^2) }",
        [95727, 40408, 40408],
    ),
    (
        "a chain of rectangles",
        "fn f[N](A: f64[2, N], B: f64[N, N], C: f64[N, 2]) -> f64 { sum((A @ (B @ B) @ C)^2) }",
        [91039, 14995, 14995],
    ),
];

/// Value and gradients of `f` for numbers in place of dimensions, as the library makes them.
fn gradient(source: &str, level: OptLevel) -> (Module, FuncId) {
    let model = Model::parse("case.dsl", source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let mut m = model.module().clone();
    let f = m.find("f").expect("a case has an f");
    let f = specialise(&mut m, f, &[N]).expect("small");
    if level >= O2 {
        prepare(&mut m, &[f]);
    }
    let func = m.func(f);
    let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
    let both = adc_ad::vjp(&mut m, f, &wrt, &outputs, true).expect("differentiable");
    run(&mut m, &[both], level);
    (m, both)
}

fn numbers(m: &Module, f: FuncId) -> Vec<Val<f64>> {
    let func = m.func(f);
    let mut rng = Rng::new(1);
    let one = |p: &adc_ir::Param| {
        let sizes: Vec<usize> =
            func.shape(p.value).iter().map(|d| d.as_const().expect("a number") as usize).collect();
        match sizes.is_empty() {
            true => Val::Real(1.0),
            false => Val::array(
                &sizes,
                (0..sizes.iter().product()).map(|_| Val::Real(rng.real(-1.0, 1.0))).collect(),
            ),
        }
    };
    func.params.iter().map(one).collect()
}

fn flat(v: &Val<f64>) -> Vec<f64> {
    match v {
        Val::Array(a) => a.data().iter().flat_map(flat).collect(),
        Val::Real(x) => vec![*x],
        Val::Bool(_) | Val::I64(_) | Val::Complex(_) => unreachable!("the cases are real"),
    }
}

#[test]
fn gradients_cost_less() {
    let mut wrong = String::new();
    for (name, source, expected) in CASES {
        let [(a, before), (b, at_two), (c, at_three)] = [O0, O2, O3].map(|level| {
            let (m, f) = gradient(source, level);
            let interp = Interp::new(&m, &RuntimeMath, &NoExterns);
            let (out, cost) =
                interp.count(f, &[], &numbers(&m, f)).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            (out.iter().flat_map(flat).collect::<Vec<f64>>(), cost.work())
        });
        println!("{name:28} {before:8} → {at_two} → {at_three}");
        let size = a.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        for (k, x) in a.iter().enumerate() {
            for y in [b[k], c[k]] {
                assert!((x - y).abs() <= 1e-10 * size, "{name}: {x} and {y}");
            }
        }
        if [before, at_two, at_three] != expected {
            wrong += &format!("{name}: {before}, {at_two}, {at_three}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
