//! Orthonormal bases, singular values and singular vectors in 384-bit arithmetic: what they are, to 100 digits, and their first and
//! second derivatives in both modes against differences.

use crate::common;

use adc_ad::{jvp, vjp};
use adc_ir::interp::Val;
use adc_ir::testing::Rng;
use adc_ir::text::parse_module;
use adc_ir::{FuncId, Module};
use adc_precise::Big;
use common::*;
use num_complex::Complex;

const OPS: [&str; 3] = ["qr_q", "svd_values", "svd_vectors"];
const F: FuncId = FuncId(0);

/// A matrix function of an m × n matrix. Where the sizes are not known, it is one of any.
fn of(elem: &str, size: Option<[usize; 2]>, op: &str) -> Module {
    let [m, n] = size.map_or(["M".into(), "N".into()], |s| s.map(|s| s.to_string()));
    let sum = size.map_or("N+M".into(), |[m, n]| (m + n).to_string());
    let result = match op {
        "svd_values" => format!("f64[{n}]"),
        "svd_vectors" => format!("{elem}[{sum}, {n}]"),
        _ => format!("{elem}[{m}, {n}]"),
    };
    let dims = if size.is_some() { "" } else { "[M, N]" };
    parse_module(&format!("fn f{dims}(a: {elem}[{m}, {n}]) -> {result} {{\n  v0 = {op} a\n  return v0\n}}"))
        .expect("it parses")
}

fn matrix(rng: &mut Rng, elem: &str, [m, n]: [usize; 2]) -> V {
    let zero = Big::ZERO;
    let one = if elem == "f64" { Val::Real(zero) } else { Val::Complex(Complex::new(zero, zero)) };
    random_like(rng, &Val::array(&[m, n], vec![one; m * n]))
}

fn each(mut test: impl FnMut(&mut Rng, &str, [usize; 2])) {
    let mut rng = Rng::new(12);
    for elem in ["f64", "c128"] {
        for size in [[1, 1], [2, 2], [3, 3], [2, 1], [3, 2], [5, 3]] {
            test(&mut rng, elem, size);
        }
    }
}

fn numbers(v: &V) -> Vec<Complex<Big>> {
    parts(v).into_iter().map(|[re, im]| Complex::new(re, im)).collect()
}

fn size(z: Complex<Big>) -> f64 {
    z.re.hypot(z.im).to_f64()
}

const ZERO: Complex<Big> = Complex::new(Big::ZERO, Big::ZERO);

/// xᴴ y of matrices of n columns.
fn product(x: &[Complex<Big>], y: &[Complex<Big>], n: usize, [i, j]: [usize; 2]) -> Complex<Big> {
    (0..x.len() / n).fold(ZERO, |s, r| s + x[r * n + i].conj() * y[r * n + j])
}

#[test]
fn they_are_factors_to_a_hundred_digits() {
    each(|rng, elem, [m, n]| {
        let a = matrix(rng, elem, [m, n]);
        let [q, s, vu] =
            OPS.map(|op| numbers(&call(&of(elem, Some([m, n]), op), F, std::slice::from_ref(&a))[0]));
        let a = numbers(&a);
        let (v, u) = vu.split_at(n * n);
        for i in 0..n {
            for j in 0..n {
                let one = Complex::new(if i == j { Big::ONE } else { Big::ZERO }, Big::ZERO);
                for x in [&q[..], v, u] {
                    assert!(size(product(x, x, n, [i, j]) - one) < 1e-100, "{elem} {m} {n}");
                }
                let r = product(&q, &a, n, [i, j]);
                assert!(i < j || size(r) < 1e-100 || i == j && r.re > Big::ZERO && size(r - r.re) < 1e-100);
            }
            assert!(i == 0 || s[i - 1].re > s[i].re);
            let largest = (0..n).map(|r| size(v[r * n + i])).fold(0.0, f64::max);
            let leading =
                (0..n).map(|r| v[r * n + i]).find(|z| size(*z) >= 0.9 * largest).expect("one is the largest");
            assert!(leading.im == Big::ZERO && leading.re > Big::ZERO);
        }
        for at in 0..m * n {
            let (i, j) = (at / n, at % n);
            let sum = (0..n).fold(ZERO, |sum, k| sum + u[i * n + k] * s[k] * v[j * n + k].conj());
            assert!(size(sum - a[at]) < 1e-100);
            let sum = (0..n).fold(ZERO, |sum, k| sum + q[i * n + k] * product(&q, &a, n, [k, j]));
            assert!(size(sum - a[at]) < 1e-100);
        }
    });
}

#[test]
fn doubles_agree_with_them() {
    each(|rng, elem, size| {
        let a = matrix(rng, elem, size);
        for op in OPS {
            let m = of(elem, Some(size), op);
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
            assert!(d < 1e-13, "{elem} {size:?} {op}: {d:e}");
        }
    });
}

#[test]
fn derivatives_are_difference_quotients_to_second_order() {
    each(|rng, elem, size| {
        for (op, known) in OPS.into_iter().flat_map(|op| [(op, true), (op, false)]) {
            let mut m = of(elem, Some(size).filter(|_| known), op);
            let (forward, back) =
                (jvp(&mut m, F, &[0]).expect("forward"), vjp(&mut m, F, &[0], &[0], false).expect("reverse"));
            let (a, u) = (matrix(rng, elem, size), matrix(rng, elem, size));
            let y = call(&m, F, std::slice::from_ref(&a));
            let dot = &call(&m, forward, &[a.clone(), u.clone()])[1..];
            let quotient = difference(&m, F, std::slice::from_ref(&a), &[0], std::slice::from_ref(&u), &[0]);
            let d = distance(dot, &quotient);
            assert!(d < 1e-50, "{elem} {size:?} {op}: {d:e}");
            let bar = random_like(rng, &y[0]);
            let pulled = call(&m, back, &[a.clone(), bar.clone()]);
            let sides = inner(std::slice::from_ref(&bar), dot) - inner(&pulled, std::slice::from_ref(&u));
            assert!(sides.abs().to_f64() < 1e-80, "{elem} {size:?} {op}: {sides:?}");
            // Both programs along directions of the matrix and of the seed.
            for (program, seed) in [(forward, u.clone()), (back, bar)] {
                let last = m.func(program).results.len() - 1;
                let (args, along) =
                    ([a.clone(), seed.clone()], [matrix(rng, elem, size), random_like(rng, &seed)]);
                let second = jvp(&mut m, program, &[0, 1]).expect("forward");
                let dots = call(&m, second, &[&args[..], &along].concat());
                let quotient = difference(&m, program, &args, &[0, 1], &along, &[last]);
                let d = distance(&dots[dots.len() - 1..], &quotient);
                assert!(d < 1e-50, "{elem} {size:?} {op}, second: {d:e}");
                let second = vjp(&mut m, program, &[0, 1], &[last], false).expect("reverse");
                let bar = random_like(rng, &quotient[0]);
                let pulled = call(&m, second, &[&args[..], std::slice::from_ref(&bar)].concat());
                let sides = inner(&[bar], &dots[dots.len() - 1..]) - inner(&pulled, &along);
                assert!(sides.abs().to_f64() < 1e-80, "{elem} {size:?} {op}, second: {sides:?}");
            }
        }
    });
}

fn real(shape: [usize; 2], x: &[f64]) -> V {
    Val::array(&shape, x.iter().map(|x| Val::Real(Big::from(*x))).collect())
}

/// The first vectors have a derivative where other singular values are equal or 0, and those have none.
#[test]
fn equal_singular_values() {
    let mut m = of("f64", None, "svd_vectors");
    let back = vjp(&mut m, F, &[0], &[0], false).expect("reverse");
    let a = real([3, 3], &[3.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]);
    let of_first = |column: usize, a: &V| {
        let mut bar = [0.0; 18];
        bar[3 + column] = 1.0;
        call(&m, back, &[a.clone(), real([6, 3], &bar)])
    };
    // v̇₂₁ = (3 Ȧ₁₂ + 2 Ȧ₂₁)/(9 − 4)
    let want = real([3, 3], &[0.0, 0.6, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(distance(&of_first(0, &a), &[want]) < 1e-15);
    assert!(is_finite(&of_first(0, &a)) && !is_finite(&of_first(2, &a)));
    let flat = real([3, 3], &[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(is_finite(&of_first(0, &flat)) && !is_finite(&of_first(2, &flat)));
    let mut m = of("f64", None, "svd_values");
    let back = vjp(&mut m, F, &[0], &[0], false).expect("reverse");
    for a in [a, flat] {
        let sum = call(&m, back, &[a, Val::array(&[3], vec![Val::Real(Big::ONE); 3])]);
        assert!(is_finite(&sum));
    }
}
