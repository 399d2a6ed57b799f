//! Jacobians and Hessians of generated programs against derivatives along random directions.

use crate::common;

use adc_ad::{Block, grad, hess_diag, hessian, hvp, jacobian};
use adc_ir::interp::Val;
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, StdMath, module};
use adc_ir::{FuncId, Module};
use adc_precise::Big;
use common::sample::Sample;
use common::*;
use num_complex::Complex;

const SEEDS: std::ops::Range<u64> = 0..200;
/// Two programs for the same number lose a few bits of conditioning.
const EXACT: f64 = 1e-80;

fn complex(v: &V) -> Vec<Complex<Big>> {
    parts(v).into_iter().map(|[re, im]| Complex::new(re, im)).collect()
}

fn times(a: Complex<Big>, b: Complex<Big>) -> Complex<Big> {
    Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// Adds `block · u` to `sum`; `block` has the axes of the sum, then those of `u`.
fn contract(sum: &mut [Complex<Big>], block: &V, u: &[Complex<Big>]) {
    let block = complex(block);
    let count = u.len();
    assert_eq!(block.len(), sum.len() * count);
    for (o, s) in sum.iter_mut().enumerate() {
        for (i, u) in u.iter().enumerate() {
            let term = times(block[o * count + i], *u);
            *s = Complex::new(s.re + term.re, s.im + term.im);
        }
    }
}

fn far(a: &[Complex<Big>], b: &[Complex<Big>]) -> f64 {
    let one = |(a, b): (&Complex<Big>, &Complex<Big>)| {
        let d = (a.re - b.re).to_f64().abs().max((a.im - b.im).to_f64().abs());
        d / (1.0 + a.re.to_f64().abs().max(a.im.to_f64().abs()))
    };
    a.iter().zip(b).map(one).fold(0.0, f64::max)
}

#[test]
fn jacobians_times_directions_are_tangents() {
    for seed in SEEDS {
        for arrays in [false, true] {
            let knobs = Knobs { smooth: true, single: false, arrays, ..Knobs::default() };
            let mut s = Sample::new(seed, module(seed, &knobs));
            let j = jacobian(&mut s.m, s.f, &s.wrt, &s.outputs).expect("differentiable");
            let u = s.tangents();
            let results = s.m.func(s.f).results.len();
            let differentiable = s.m.func(s.f).differentiable_results();
            let found = call(&s.m, j, &s.args);
            assert_eq!(shown(&found[..results]), shown(&call(&s.m, s.f, &s.args)));
            let mut blocks = found[results..].iter();
            let pushed = s.push(&u);
            for o in &s.outputs {
                let place = differentiable.iter().position(|d| d == o).expect("a differentiable result");
                let expected = complex(&pushed[place]);
                let mut sum = vec![Complex::new(Big::ZERO, Big::ZERO); expected.len()];
                for (&p, u) in s.wrt.iter().zip(&u) {
                    let u = complex(u);
                    contract(&mut sum, blocks.next().expect("a block"), &u);
                    if Block::of(s.m.func(s.f).param_ty(p)) == Block::Wirtinger {
                        let conj: Vec<_> = u.iter().map(|u| Complex::new(u.re, -u.im)).collect();
                        contract(&mut sum, blocks.next().expect("a block"), &conj);
                    }
                }
                // Of a real result the imaginary parts cancel.
                let d = far(&expected, &sum);
                assert!(d < EXACT, "seed {seed}, result {o}: {d:e}\n{}", s.m);
            }
            assert!(blocks.next().is_none());
        }
    }
}

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

const SCALARS: &[&str] = &[
    "fn f[N](x: f64[N], a: f64) -> f64 { a^2*sum(exp(x[i])*x[N - 1 - i] for i in 0..N) }",
    "fn f[N](x: f64[N], a: f64[N, 2]) -> f64 { sum(sin(x[i]*a[i, j])*a[0, j] for i in 0..N, j in 0..2) }",
    "fn f[N](x: f64[N], a: f64) -> f64 { var s = a; for i in 0..N { s = s*x[i] + s^2*0.1; } s }",
    "fn f[N](x: f64[N], a: f64) -> f64 { var s = a; var k = N; while k > 0 { k = k - 1; s = sin(s)*x[k]; } s }",
    "fn f[N](x: f64[N], a: f64) -> f64 { prod(a + x[i] for i in 0..N) }",
];

#[test]
fn hessians_times_directions_are_derivatives_of_the_gradient() {
    for source in SCALARS {
        let compiled = adc_frontend::compile("case.dsl", source, &mut NoFiles, &StdMath);
        let m = compiled.unwrap_or_else(|e| panic!("{:?}", e.diagnostics)).module;
        let f = m.find("f").expect("a case has a function `f`");
        // Where sizes are numbers, one loop goes over the coordinates of both parameters.
        for number in [None, Some(3)] {
            let mut m = m.clone();
            let f = number.map_or(f, |n| specialise(&mut m, f, &[n]).expect("small"));
            let wrt = [0, 1];
            let h = hessian(&mut m, f, &wrt, 0).expect("differentiable");
            let product = hvp(&mut m, f, &wrt, 0).expect("it was made");
            let diagonal = hess_diag(&mut m, f, &wrt, 0).expect("it was made");
            let gradient = grad(&mut m, f, &wrt, 0, false).expect("it was made");
            check_hessian(&m, f, [h, product, diagonal, gradient]);
        }
    }
}

/// Zeros like `x`, with a 1 at an entry.
fn unit(x: &V, at: Option<usize>) -> V {
    let number = |k: usize| Val::Real(Big::from(if at == Some(k) { 1.0 } else { 0.0 }));
    match x {
        Val::Array(a) => Val::array(a.shape(), (0..a.data().len()).map(number).collect()),
        _ => number(0),
    }
}

fn check_hessian(m: &Module, f: FuncId, [hessian, product, diagonal, gradient]: [FuncId; 4]) {
    let mut rng = adc_ir::testing::Rng::new(5);
    let args: Vec<V> = adc_ir::testing::array_inputs(&mut rng, m.func(f), false).1.iter().map(big).collect();
    let u: Vec<V> = args.iter().map(|x| random_like(&mut rng, x)).collect();
    let blocks = call(m, hessian, &args).split_off(1);
    let expected = call(m, product, &[&args[..], &u].concat());
    for i in 0..2 {
        let expected = complex(&expected[i]);
        let mut sum = vec![Complex::new(Big::ZERO, Big::ZERO); expected.len()];
        for j in 0..2 {
            contract(&mut sum, &blocks[2 * i + j], &complex(&u[j]));
        }
        assert!(far(&expected, &sum) < EXACT, "row {i}\n{m}");
    }
    // Columns have the bits of single products.
    for j in 0..2 {
        let count = complex(&args[j]).len();
        for at in 0..count {
            let units: Vec<V> = (0..2).map(|k| unit(&args[k], Some(at).filter(|_| k == j))).collect();
            let column = call(m, product, &[&args[..], &units].concat());
            for (i, column) in column.iter().enumerate() {
                let block = complex(&blocks[2 * i + j]);
                let found: Vec<_> = block.into_iter().skip(at).step_by(count).collect();
                assert_eq!(far(&complex(column), &found), 0.0, "row {i}, column {at} of {j}\n{m}");
            }
        }
    }
    let found = call(m, diagonal, &args).split_off(1);
    for (i, d) in found.iter().enumerate() {
        let (d, block) = (complex(d), complex(&blocks[3 * i]));
        let expected: Vec<_> = (0..d.len()).map(|k| block[k * d.len() + k]).collect();
        assert!(far(&expected, &d) < EXACT, "diagonal {i}\n{m}");
    }
    let quotient = difference(m, gradient, &args, &[0, 1], &u, &[0, 1]);
    assert!(distance(&quotient, &expected) < 1e-14, "the difference quotient of the gradient\n{m}");
}
