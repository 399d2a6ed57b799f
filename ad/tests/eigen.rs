//! Eigenvalues and eigenvectors of Hermitian matrices in 384-bit arithmetic: what they are, to 100 digits, and their first and second
//! derivatives in both modes against differences.

use crate::common;

use adc_ad::{jvp, vjp};
use adc_ir::interp::Val;
use adc_ir::testing::Rng;
use adc_ir::text::parse_module;
use adc_ir::{FuncId, Module};
use adc_precise::Big;
use common::*;
use num_complex::Complex;

/// A matrix function of a matrix.
fn of(elem: &str, n: usize, op: &str) -> Module {
    let result = if op == "eigh_values" { format!("f64[{n}]") } else { format!("{elem}[{n}, {n}]") };
    parse_module(&format!("fn f(a: {elem}[{n}, {n}]) -> {result} {{\n  v0 = {op} a\n  return v0\n}}"))
        .expect("it parses")
}

const F: FuncId = FuncId(0);

fn matrix(rng: &mut Rng, elem: &str, n: usize) -> V {
    let zero = Big::ZERO;
    let one = if elem == "f64" { Val::Real(zero) } else { Val::Complex(Complex::new(zero, zero)) };
    random_like(rng, &Val::array(&[n, n], vec![one; n * n]))
}

fn each(mut test: impl FnMut(&mut Rng, &str, usize)) {
    let mut rng = Rng::new(11);
    for elem in ["f64", "c128"] {
        for n in [1, 2, 3, 4] {
            test(&mut rng, elem, n);
        }
    }
}

fn numbers(v: &V) -> Vec<Complex<Big>> {
    parts(v).into_iter().map(|[re, im]| Complex::new(re, im)).collect()
}

fn size(z: Complex<Big>) -> f64 {
    z.re.hypot(z.im).to_f64()
}

#[test]
fn they_are_eigenvalues_and_eigenvectors_to_a_hundred_digits() {
    each(|rng, elem, n| {
        let a = matrix(rng, elem, n);
        let [w, v] = ["eigh_values", "eigh_vectors"]
            .map(|op| numbers(&call(&of(elem, n, op), F, std::slice::from_ref(&a))[0]));
        let mut h = numbers(&a);
        for i in 0..n {
            h[i * n + i].im = Big::ZERO;
            for j in i + 1..n {
                h[i * n + j] = h[j * n + i].conj();
            }
        }
        let zero = Complex::new(Big::ZERO, Big::ZERO);
        for j in 0..n {
            assert!(j == 0 || w[j - 1].re < w[j].re);
            for i in 0..n {
                let sum = (0..n).fold(-(w[j] * v[i * n + j]), |s, k| s + h[i * n + k] * v[k * n + j]);
                assert!(size(sum) < 1e-100, "{elem} {n}: {sum:?}");
                let dot = (0..n).fold(zero, |s, k| s + v[k * n + i].conj() * v[k * n + j]);
                let one = if i == j { Big::ONE } else { Big::ZERO };
                assert!(size(dot - Complex::new(one, Big::ZERO)) < 1e-100);
            }
            let column: Vec<Complex<Big>> = (0..n).map(|i| v[i * n + j]).collect();
            let largest = column.iter().map(|z| size(*z)).fold(0.0, f64::max);
            let leading = column.iter().find(|z| size(**z) >= 0.9 * largest).expect("one is the largest");
            assert!(leading.im == Big::ZERO && leading.re > Big::ZERO);
        }
    });
}

#[test]
fn doubles_agree_with_them() {
    each(|rng, elem, n| {
        let a = matrix(rng, elem, n);
        for op in ["eigh_values", "eigh_vectors"] {
            let m = of(elem, n, op);
            let low = match &a {
                Val::Array(a) => {
                    Val::array(a.shape(), a.data().iter().map(|x| x.map(&mut |x| x.to_f64())).collect())
                }
                _ => unreachable!("a matrix"),
            };
            let run = adc_ir::interp::Interp::new(&m, &adc_ir::testing::StdMath, &adc_ir::interp::NoExterns);
            let got = run.call(F, &[low]).expect("it does not fail");
            let d =
                distance(&call(&m, F, std::slice::from_ref(&a)), &got.iter().map(big).collect::<Vec<_>>());
            assert!(d < 1e-13, "{elem} {n} {op}: {d:e}");
        }
    });
}

#[test]
fn derivatives_are_difference_quotients_to_second_order() {
    each(|rng, elem, n| {
        for op in ["eigh_values", "eigh_vectors"] {
            let mut m = of(elem, n, op);
            let (forward, back) =
                (jvp(&mut m, F, &[0]).expect("forward"), vjp(&mut m, F, &[0], &[0], false).expect("reverse"));
            let (a, u) = (matrix(rng, elem, n), matrix(rng, elem, n));
            let y = call(&m, F, std::slice::from_ref(&a));
            let dot = &call(&m, forward, &[a.clone(), u.clone()])[1..];
            let quotient = difference(&m, F, std::slice::from_ref(&a), &[0], std::slice::from_ref(&u), &[0]);
            let d = distance(dot, &quotient);
            assert!(d < 1e-50, "{elem} {n} {op}: {d:e}");
            let bar = random_like(rng, &y[0]);
            let pulled = call(&m, back, &[a.clone(), bar.clone()]);
            let sides = inner(std::slice::from_ref(&bar), dot) - inner(&pulled, std::slice::from_ref(&u));
            assert!(sides.abs().to_f64() < 1e-80, "{elem} {n} {op}: {sides:?}");
            // Both programs along directions of the matrix and of the seed.
            for (program, seed) in [(forward, u.clone()), (back, bar)] {
                let last = m.func(program).results.len() - 1;
                let (args, along) =
                    ([a.clone(), seed.clone()], [matrix(rng, elem, n), random_like(rng, &seed)]);
                let second = jvp(&mut m, program, &[0, 1]).expect("forward");
                let dots = call(&m, second, &[&args[..], &along].concat());
                let quotient = difference(&m, program, &args, &[0, 1], &along, &[last]);
                let d = distance(&dots[dots.len() - 1..], &quotient);
                assert!(d < 1e-50, "{elem} {n} {op}, second: {d:e}");
                let second = vjp(&mut m, program, &[0, 1], &[last], false).expect("reverse");
                let bar = random_like(rng, &quotient[0]);
                let pulled = call(&m, second, &[&args[..], std::slice::from_ref(&bar)].concat());
                let sides = inner(&[bar], &dots[dots.len() - 1..]) - inner(&pulled, &along);
                assert!(sides.abs().to_f64() < 1e-80, "{elem} {n} {op}, second: {sides:?}");
            }
        }
    });
}

/// The lowest eigenvector has a derivative where higher eigenvalues are equal, and the highest has none.
#[test]
fn equal_eigenvalues() {
    let mut m = of("f64", 3, "eigh_vectors");
    let (forward, back) =
        (jvp(&mut m, F, &[0]).expect("forward"), vjp(&mut m, F, &[0], &[0], false).expect("reverse"));
    let real = |x: [f64; 9]| Val::array(&[3, 3], x.iter().map(|x| Val::Real(Big::from(*x))).collect());
    let a = real([1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]);
    let of_first = call(&m, back, &[a.clone(), real([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.0])]);
    assert_eq!(of_first, [real([0.0, 0.0, 0.0, -1.0, 0.0, 0.0, -3.0, 0.0, 0.0])]);
    let of_last = call(&m, back, &[a.clone(), real([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])]);
    assert!(!is_finite(&of_last));
    // Also along itself, since the least disturbance turns it into the other one.
    let along = call(&m, back, &[a.clone(), real([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])]);
    assert!(!is_finite(&along));
    let dot = call(&m, forward, &[a, real([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 1.0, 0.0])]).remove(1);
    let columns = parts(&dot);
    assert!(
        (0..3).all(|i| columns[3 * i][0].is_finite() && !columns[3 * i + 2][0].is_finite() || i < 1),
        "{dot:?}"
    );
}
