//! Products of matrices and linear algebra: what the results are multiplied back with, in 384 bits.

use crate::dd::points::Random;
use crate::dd::{BOUND, big};
use adc_precise::{Big, CBig};
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
