//! Products of matrices and linear algebra: what the results are multiplied back with, in 384 bits.

use crate::dd::points::Random;
use crate::dd::{BOUND, big};
use adc_precise::{Big, CBig};
use adc_runtime::abi::dd as native;
use adc_runtime::dd::linalg::{self, Element, Singular};
use adc_runtime::dd::{Cdd, Dd};
use num_complex::Complex;

/// An element that the tests can make and look at.
trait Sample: Element {
    fn sample(random: &mut Random) -> Self;
    fn big(self) -> CBig;
}

impl Sample for Dd {
    fn sample(random: &mut Random) -> Dd {
        let hi = random.sign() * (random.unit() * 6.0 - 3.0).exp2();
        random.below(hi)
    }
    fn big(self) -> CBig {
        Complex::new(big(self), Big::ZERO)
    }
}

impl Sample for Cdd {
    fn sample(random: &mut Random) -> Cdd {
        Cdd::new(Dd::sample(random), Dd::sample(random))
    }
    fn big(self) -> CBig {
        Complex::new(big(self.re), big(self.im))
    }
}

const ZERO: CBig = Complex::new(Big::ZERO, Big::ZERO);

fn bigs<T: Sample>(a: &[T]) -> Vec<CBig> {
    a.iter().map(|x| x.big()).collect()
}

fn modulus(z: CBig) -> f64 {
    z.re.hypot(z.im).to_f64()
}

fn largest(a: &[CBig]) -> f64 {
    a.iter().map(|z| modulus(*z)).fold(0.0, f64::max)
}

fn product([n, k, m]: [usize; 3], a: &[CBig], b: &[CBig]) -> Vec<CBig> {
    let entry = |at: usize| (0..k).fold(ZERO, |sum, l| sum + a[at / m * k + l] * b[l * m + at % m]);
    (0..n * m).map(entry).collect()
}

/// The largest difference of two matrices.
fn difference(a: &[CBig], b: &[CBig]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| modulus(*a - *b)).fold(0.0, f64::max)
}

fn unit(n: usize) -> Vec<CBig> {
    (0..n * n).map(|i| if i / n == i % n { Complex::new(Big::ONE, Big::ZERO) } else { ZERO }).collect()
}

fn adjoint(n: usize, a: &[CBig]) -> Vec<CBig> {
    (0..n * n).map(|i| a[i % n * n + i / n].conj()).collect()
}

/// The determinant by elimination.
fn determinant(n: usize, mut a: Vec<CBig>) -> CBig {
    let mut det = Complex::new(Big::ONE, Big::ZERO);
    for k in 0..n {
        let size = |i: usize| a[i * n + k].re.hypot(a[i * n + k].im);
        let pivot = (k..n).reduce(|p, i| if size(i) > size(p) { i } else { p }).unwrap();
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
        }
        det = if pivot == k { det } else { -det } * a[k * n + k];
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                let y = factor * a[k * n + j];
                a[i * n + j] = a[i * n + j] - y;
            }
        }
    }
    det
}

/// Residuals relative to the sizes of the factors.
fn check<T: Sample>(seed: u64) -> [f64; 7] {
    let mut worst = [0f64; 7];
    for n in [1, 2, 3, 5, 12, 20] {
        let mut random = Random(seed + n as u64);
        let mut matrix = |rows: usize, columns: usize| -> Vec<T> {
            (0..rows * columns).map(|_| T::sample(&mut random)).collect()
        };
        let (a, b) = (matrix(n, n), matrix(n, 3));
        let (big_a, big_b) = (bigs(&a), bigs(&b));
        let mut note = |i: usize, error: f64, size: f64| worst[i] = worst[i].max(error / size);

        let c = bigs(&linalg::matmul([n, n, 3], &a, &b));
        note(
            0,
            difference(&c, &product([n, n, 3], &big_a, &big_b)),
            n as f64 * largest(&big_a) * largest(&big_b),
        );

        let x = bigs(&linalg::solve([n, 3], &a, &b).unwrap());
        let residual = difference(&product([n, n, 3], &big_a, &x), &big_b);
        note(1, residual, n as f64 * largest(&big_a) * largest(&x));

        let x = bigs(&linalg::solve_adjoint([n, 3], &a, &b).unwrap());
        let residual = difference(&product([n, n, 3], &adjoint(n, &big_a), &x), &big_b);
        note(1, residual, n as f64 * largest(&big_a) * largest(&x));

        let x = bigs(&linalg::inv(n, &a).unwrap());
        let residual = difference(&product([n, n, n], &big_a, &x), &unit(n));
        note(2, residual, n as f64 * largest(&big_a) * largest(&x));

        let truth = determinant(n, big_a.clone());
        let det = linalg::det(n, &a).big();
        // A random matrix is far from singular: its condition number, about n², is in the error.
        note(3, modulus(det - truth), modulus(truth) * (n * n) as f64);
        let log = truth.re.hypot(truth.im).ln();
        note(3, (big(linalg::logdet(n, &a)) - log).abs().to_f64(), (n * n) as f64);

        // A Aᴴ + 1, rounded, with nothing above its diagonal.
        let gram = linalg::matmul(
            [n, n, n],
            &a,
            &(0..n * n).map(|i| a[i % n * n + i / n].conj()).collect::<Vec<T>>(),
        );
        let gram: Vec<T> = (0..n * n)
            .map(|i| match (i / n).cmp(&(i % n)) {
                std::cmp::Ordering::Less => T::real(Dd::NAN),
                std::cmp::Ordering::Equal => gram[i] + T::ONE,
                std::cmp::Ordering::Greater => gram[i],
            })
            .collect();
        let l = linalg::cholesky(n, &gram).unwrap();
        let l = bigs(&l);
        let back = product([n, n, n], &l, &adjoint(n, &l));
        for i in 0..n {
            for j in 0..=i {
                note(4, modulus(back[i * n + j] - gram[i * n + j].big()), n as f64 * largest(&back));
                assert!(i == j || modulus(l[j * n + i]) == 0.0, "zeros above the diagonal");
            }
        }

        // The lower triangle of a random matrix.
        let hermitian: Vec<CBig> = (0..n * n)
            .map(|at| match (at / n, at % n) {
                (i, j) if i == j => Complex::new(big_a[at].re, Big::ZERO),
                (i, j) if i > j => big_a[at],
                (i, j) => big_a[j * n + i].conj(),
            })
            .collect();
        let v = bigs(&linalg::eigh_vectors(n, &a));
        let w: Vec<Big> = linalg::eigh_values(n, &a).into_iter().map(big).collect();
        let scaled: Vec<CBig> = (0..n * n).map(|at| v[at] * Complex::new(w[at % n], Big::ZERO)).collect();
        note(5, difference(&product([n, n, n], &hermitian, &v), &scaled), n as f64 * largest(&hermitian));
        note(5, difference(&product([n, n, n], &adjoint(n, &v), &v), &unit(n)), n as f64);

        // A matrix with two rows more.
        let m = n + 2;
        let tall = matrix(m, n);
        let big_tall = bigs(&tall);
        let turned = |x: &[CBig]| -> Vec<CBig> { (0..n * m).map(|i| x[i % m * n + i / m].conj()).collect() };
        let vu = bigs(&linalg::svd_vectors([m, n], &tall));
        let s: Vec<Big> = linalg::svd_values([m, n], &tall).into_iter().map(big).collect();
        let (v, u) = vu.split_at(n * n);
        let scaled: Vec<CBig> = (0..m * n).map(|at| u[at] * Complex::new(s[at % n], Big::ZERO)).collect();
        note(6, difference(&product([m, n, n], &big_tall, v), &scaled), m as f64 * largest(&big_tall));
        note(6, difference(&product([n, n, n], &adjoint(n, v), v), &unit(n)), m as f64);
        note(6, difference(&product([n, m, n], &turned(u), u), &unit(n)), m as f64);
        let q = bigs(&linalg::qr_q([m, n], &tall));
        note(6, difference(&product([n, m, n], &turned(&q), &q), &unit(n)), m as f64);
        let r = product([n, m, n], &turned(&q), &big_tall);
        for at in (0..n * n).filter(|at| at / n >= at % n) {
            let wrong = if at / n == at % n { r[at].im.abs().to_f64() } else { modulus(r[at]) };
            assert!(at / n > at % n || r[at].re > Big::ZERO);
            note(6, wrong, m as f64 * largest(&big_tall));
        }
    }
    worst
}

#[test]
fn residuals() {
    for (name, worst) in [("real", check::<Dd>(1)), ("complex", check::<Cdd>(2))] {
        println!(
            "{name:8} matmul, solve, inv, det, cholesky, eigh, svd and qr: {}",
            worst.map(|w| format!("{w:.1e}")).join(", ")
        );
        assert!(worst.iter().all(|w| *w < BOUND), "{worst:?}");
    }
}

/// A row exchange, a product of whole numbers, matrices of no rows.
#[test]
fn determinants_that_are_known() {
    let (n, mut random) = (6, Random(3));
    let small = |random: &mut Random| (random.bits() % 9) as f64 - 4.0;
    let mut lower = vec![Dd::ZERO; n * n];
    let mut upper = lower.clone();
    let mut det = 1.0;
    for i in 0..n {
        for j in 0..i {
            lower[i * n + j] = Dd::of(small(&mut random));
            upper[j * n + i] = Dd::of(small(&mut random));
        }
        lower[i * n + i] = Dd::ONE;
        upper[i * n + i] = Dd::of(i as f64 + 2.0);
        det *= i as f64 + 2.0;
    }
    let a = linalg::matmul([n, n, n], &lower, &upper);
    let got = linalg::det(n, &a);
    assert!((big(got) - Big::from(det)).abs().to_f64() < BOUND * det, "{got:?} and {det}");
    let mut swapped = a;
    (0..n).for_each(|j| swapped.swap(j, 3 * n + j));
    let got = linalg::det(n, &swapped);
    assert!((big(got) + Big::from(det)).abs().to_f64() < BOUND * det, "{got:?} and -{det}");
    assert_eq!(linalg::det::<Dd>(0, &[]), Dd::ONE);
    assert_eq!(linalg::logdet::<Cdd>(0, &[]), Dd::ZERO);
    assert_eq!(linalg::inv::<Dd>(0, &[]), Ok(Vec::new()));
}

#[test]
fn singular_matrices_and_overflow() {
    let a: Vec<Dd> = [1.0, 2.0, 2.0, 4.0].map(Dd::of).to_vec();
    assert_eq!(linalg::solve([2, 1], &a, &[Dd::ONE, Dd::ONE]), Err(Singular));
    assert_eq!(linalg::inv(2, &a), Err(Singular));
    assert_eq!(linalg::det(2, &a), Dd::ZERO);
    assert_eq!(linalg::logdet(2, &a), Dd::of(f64::NEG_INFINITY));
    let indefinite = [-1.0, 0.0, 0.0, 1.0].map(Dd::of);
    assert_eq!(linalg::cholesky(2, &indefinite), Err(Singular));
    // As doubles would.
    let huge = Dd::of(1e200);
    assert_eq!(linalg::matmul([1, 1, 1], &[huge], &[-huge]), [Dd::of(f64::NEG_INFINITY)]);
    let diagonal = vec![huge, Dd::ZERO, Dd::ZERO, -huge];
    assert_eq!(linalg::det(2, &diagonal).hi, f64::NEG_INFINITY);
    let log = linalg::logdet(2, &diagonal);
    assert!((log.hi - 400.0 * std::f64::consts::LN_10).abs() < 1e-12, "{log:?}");
}

/// A number as two doubles that stand for their sum: those of a double-double, or others.
fn halves(x: Dd, apart: bool) -> [f64; 2] {
    let more = if apart { x.hi * 0.3 } else { 0.0 };
    [x.hi - more, x.lo + more]
}

/// The product by the native function, of matrices whose halves are apart.
fn native_product(complex: bool, size: [usize; 3], a: &[Vec<f64>; 2], b: &[Vec<f64>; 2]) -> Vec<Dd> {
    let [n, k, m] = size.map(|s| s as i64);
    let parts = if complex { 2 } else { 1 };
    // What it writes does not depend on what was there.
    let [mut hi, mut lo] = [(); 2].map(|()| vec![f64::NAN; size[0] * size[2] * parts]);
    let [a, a_lo] = [&a[0], &a[1]].map(|x| x.as_ptr());
    let [b, b_lo] = [&b[0], &b[1]].map(|x| x.as_ptr());
    let (to, to_lo) = (hi.as_mut_ptr(), lo.as_mut_ptr());
    // SAFETY: there are as many elements as the sizes say.
    let status = unsafe {
        if complex {
            let ((a, a_lo), (b, b_lo)) = ((a.cast(), a_lo.cast()), (b.cast(), b_lo.cast()));
            native::cmatmul(n, k, m, a, a_lo, b, b_lo, to.cast(), to_lo.cast())
        } else {
            native::matmul(n, k, m, a, a_lo, b, b_lo, to, to_lo)
        }
    };
    assert_eq!(status, 0);
    hi.into_iter().zip(lo).map(|(hi, lo)| Dd { hi, lo }).collect()
}

#[test]
fn native_products_of_all_sizes() {
    let sizes = [0, 1, 2, 7, 8, 9, 64, 65, 520];
    let few = [1, 2, 3, 8, 9];
    let all = sizes.into_iter().flat_map(|k| few.into_iter().flat_map(move |n| few.map(|m| [n, k, m])));
    let other = [[0, 3, 2], [2, 3, 0], [65, 7, 1], [1, 7, 65], [20, 20, 20]];
    let mut worst = 0f64;
    for (seed, size @ [n, k, m]) in all.chain(other).enumerate() {
        for complex in [false, true] {
            for apart in [false, true] {
                let mut random = Random(seed as u64);
                let parts = if complex { 2 } else { 1 };
                let mut matrix =
                    |len: usize| -> Vec<Dd> { (0..len * parts).map(|_| Dd::sample(&mut random)).collect() };
                let (a, b) = (matrix(n * k), matrix(k * m));
                let stored = |x: &[Dd]| -> [Vec<f64>; 2] {
                    let (hi, lo) = x
                        .iter()
                        .enumerate()
                        .map(|(i, x)| halves(*x, apart && i % 3 == 0))
                        .map(|[hi, lo]| (hi, lo))
                        .unzip();
                    [hi, lo]
                };
                let got = native_product(complex, size, &stored(&a), &stored(&b));
                let number = |x: &[Vec<f64>; 2], i: usize| -> CBig {
                    let part = |i: usize| Big::from(x[0][i]) + Big::from(x[1][i]);
                    let im = if complex { part(i * parts + 1) } else { Big::ZERO };
                    Complex::new(part(i * parts), im)
                };
                let numbers =
                    |x: &[Vec<f64>; 2], len: usize| -> Vec<CBig> { (0..len).map(|i| number(x, i)).collect() };
                let want = product(size, &numbers(&stored(&a), n * k), &numbers(&stored(&b), k * m));
                for (i, want) in want.iter().enumerate() {
                    let part = |p: usize| big(got[i * parts + p]);
                    let im = if complex { part(1) } else { Big::ZERO };
                    let error = modulus(Complex::new(part(0), im) - *want);
                    // Of random signs: the largest of the products are up to 64.
                    worst = worst.max(error / (64.0 * (k as f64).max(1.0)));
                }
                assert!(got.iter().all(|x| x.hi + x.lo == x.hi), "{size:?} is not normalised");
            }
        }
    }
    println!("native products: {worst:.1e}");
    assert!(worst < BOUND, "{worst:e}");
}

/// What is infinite or NaN is what doubles give; the other elements stay double-doubles.
#[test]
fn native_products_that_are_not_finite() {
    let (n, k, m) = (9, 10, 5);
    for special in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300] {
        let mut random = Random(7);
        let mut matrix = |len: usize| -> Vec<Dd> { (0..len).map(|_| Dd::sample(&mut random)).collect() };
        let (mut a, mut b) = (matrix(n * k), matrix(k * m));
        let plain = linalg::matmul([n, k, m], &a, &b);
        (a[3 * k + 4], b[4 * m + 1]) = (Dd::of(special), Dd::of(-1e300));
        let split = |x: &[Dd]| -> [Vec<f64>; 2] {
            let (hi, lo) = x.iter().map(|x| (x.hi, x.lo)).unzip();
            [hi, lo]
        };
        let got = native_product(false, [n, k, m], &split(&a), &split(&b));
        for (at, (got, plain)) in got.iter().zip(&plain).enumerate() {
            let (i, j) = (at / m, at % m);
            let mut doubles = [0.0; 1];
            let column: Vec<f64> = (0..k).map(|l| b[l * m + j].hi).collect();
            let row: Vec<f64> = a[i * k..(i + 1) * k].iter().map(|x| x.hi).collect();
            adc_runtime::linalg::matmul([1, k, 1], &mut doubles, &row, &column);
            if !doubles[0].is_finite() {
                assert!(got.hi == doubles[0] || (got.hi.is_nan() && doubles[0].is_nan()), "{at}: {got:?}");
                assert_eq!(got.lo, 0.0);
            } else if i != 3 && j != 1 {
                assert_eq!(got, plain, "{at}");
            } else {
                assert!((got.hi - doubles[0]).abs() <= 1e-14 * doubles[0].abs(), "{at}: {got:?}");
            }
        }
    }
}
