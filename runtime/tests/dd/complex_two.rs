//! Complex functions of two operands, of an integer, and to real numbers.

use crate::dd::complex::{agrees, cbig, complex_error, modulus, points};
use crate::dd::points::Random;
use crate::dd::{BOUND, error, ulps};
use adc_ir::testing::cases;
use adc_ir::{Elementary, Op};
use adc_precise::{Big, BigMath};
use adc_runtime::complex;
use adc_runtime::dd::complex as dd;
use adc_runtime::dd::{Cdd, Dd};
use num_complex::Complex64;

/// Pairs of points, each of any kind.
fn pairs(seed: u64, count: usize) -> Vec<(Cdd, Cdd)> {
    let mut random = Random(seed);
    let (mut a, b) = (points(&mut random, count), points(&mut random, count));
    let by = random.bits() as usize % a.len();
    a.rotate_left(by);
    a.into_iter().zip(b).collect()
}

#[test]
fn quotients() {
    let mut worst = (0.0, Cdd::ZERO, Cdd::ZERO);
    for (a, b) in pairs(1, cases(40)) {
        let truth = BigMath.complex(Op::Div, &[cbig(a), cbig(b)]);
        let got = dd::div(a, b);
        if modulus(truth) < Big::from(f64::MAX) {
            let e = complex_error(got, truth);
            if e > worst.0 {
                worst = (e, a, b);
            }
        }
        let double = complex::div(a.high(), b.high());
        let (high, size) = (dd::div(Cdd::of(a.high()), Cdd::of(b.high())), double.norm());
        let fits = agrees(high.re.hi, double.re, size) && agrees(high.im.hi, double.im, size);
        assert!(fits, "{a:?} / {b:?} = {high:?}, and not {double:e}");
    }
    println!("div         {:.1e} at {:?} {:?}", worst.0, worst.1, worst.2);
    assert!(worst.0 <= BOUND, "{worst:?}");
}

/// The error of a power is that of as many units as its logarithm has.
#[test]
fn powers() {
    let mut worst = (0.0, Cdd::ZERO, Cdd::ZERO);
    let mut tested = 0;
    for (z, w) in pairs(2, cases(60)) {
        let product = cbig(w) * BigMath.complex(Op::Log, &[cbig(z)]);
        let size = modulus(product);
        if size.is_nan() || size > Big::from(1e4) || product.re.abs() > Big::from(690.0) {
            continue;
        }
        tested += 1;
        let truth = BigMath.complex(Op::Pow, &[cbig(z), cbig(w)]);
        let e = complex_error(dd::pow(z, w), truth) / (1.0 + size.to_f64());
        if e > worst.0 {
            worst = (e, z, w);
        }
        let (high, double) =
            (dd::pow(Cdd::of(z.high()), Cdd::of(w.high())), complex::pow(z.high(), w.high()));
        let scale = double.norm() * (1.0 + size.to_f64());
        let fits = agrees(high.re.hi, double.re, scale) && agrees(high.im.hi, double.im, scale);
        assert!(fits, "{z:?}^{w:?} = {high:?}, and not {double:e}");
    }
    println!("pow         {tested} points, {:.1e} at {:?} {:?}", worst.0, worst.1, worst.2);
    assert!(worst.0 <= BOUND && tested > 200, "{tested} points, {worst:?}");
}

#[test]
fn integer_powers() {
    let mut random = Random(3);
    let mut worst = (0.0, Cdd::ZERO, 0);
    for z in points(&mut random, cases(60)) {
        let n = random.bits() as i64 >> (40 + random.bits() % 24);
        let log = modulus(cbig(z)).ln().mul_int(n);
        if n == 0 || log.is_infinite() || log.abs() > Big::from(690.0) {
            continue;
        }
        let truth = BigMath.complex_int(Op::Powi, n, &cbig(z));
        let e = complex_error(dd::powi(z, n), truth) / (n as f64).abs();
        if e > worst.0 {
            worst = (e, z, n);
        }
    }
    println!("powi        {:.1e} of each factor at {:?} {}", worst.0, worst.1, worst.2);
    assert!(worst.0 <= BOUND, "{worst:?}");
}

/// Errors of sums that cancel, at the zeros, are those of their terms.
#[test]
fn logarithms_of_sums() {
    let mut worst = (0.0, Cdd::ZERO, Cdd::ZERO);
    for (a, b) in pairs(6, cases(40)) {
        if ![a.re, a.im, b.re, b.im].iter().all(|x| x.hi.abs() < 700.0) {
            continue;
        }
        let truth = BigMath.complex(Op::Logaddexp, &[cbig(a), cbig(b)]);
        let got = dd::logaddexp(a, b);
        let size = modulus(truth) + modulus(cbig(a)) + modulus(cbig(b));
        let e = error(got.re, truth.re, size).max(error(got.im, truth.im, size));
        if e > worst.0 {
            worst = (e, a, b);
        }
    }
    println!("logaddexp   {:.1e} at {:?} {:?}", worst.0, worst.1, worst.2);
    assert!(worst.0 <= BOUND, "{worst:?}");
}

/// The error of an angle is relative to the angle.
#[test]
fn powers_of_two_and_derivatives_of_sinc() {
    let check = |op: Op, n: i64, f: &dyn Fn(Cdd) -> Cdd, double: &dyn Fn(Complex64) -> Complex64| {
        let mut worst = (0.0, Cdd::ZERO);
        for z in points(&mut Random(7), cases(20)) {
            let size = z.re.hi.abs().max(z.im.hi.abs());
            if !(1e-30..200.0).contains(&size) {
                continue;
            }
            let truth = match op {
                Op::DSinc => BigMath.complex_int(op, n, &cbig(z)),
                _ => BigMath.complex(op, &[cbig(z)]),
            };
            // The zeros are those of sums with terms like these.
            let terms = match op {
                Op::DSinc => {
                    3.2f64.powi(n as i32) * (3.15 * z.im.hi.abs()).exp() / (n as f64 + 1.0 + 3.2 * size)
                }
                _ => size * modulus(truth).to_f64(),
            };
            let scale = modulus(truth) + Big::from(terms);
            let got = f(z);
            let e = error(got.re, truth.re, scale).max(error(got.im, truth.im, scale));
            if e > worst.0 {
                worst = (e, z);
            }
            let (high, double) = (f(Cdd::of(z.high())), double(z.high()));
            let apart = (high.high() - double).norm();
            assert!(
                apart <= 1e-14 * (1.0 + size) * scale.to_f64(),
                "{op} {n} {z:?}: {high:?}, and not {double:e}"
            );
        }
        println!("{op:8}{n:4}{:.1e} at {:?}", worst.0, worst.1);
        assert!(worst.0 <= BOUND, "{op} {n}: {worst:?}");
    };
    check(Op::Exp2, 0, &dd::exp2, &complex::exp2);
    for n in [0, 1, 2, 3, 6, 20] {
        check(Op::DSinc, n, &move |z| dd::dsinc(n, z), &move |z| complex::dsinc(n, z));
    }
}

#[test]
fn polar_coordinates() {
    let check = |op: Op, f: fn(Cdd) -> Dd, double: fn(Complex64) -> f64| {
        let mut worst = 0f64;
        for z in points(&mut Random(4), cases(40)) {
            let truth = BigMath.complex_to_real(op, &cbig(z));
            worst = worst.max(error(f(z), truth, truth.abs()));
            let (high, double) = (f(Cdd::of(z.high())), double(z.high()));
            assert!(ulps(high.hi, double) <= 2.0, "{op}({z:?}) = {high:?}, and not {double:e}");
        }
        println!("{op:12}{worst:.1e}");
        assert!(worst <= BOUND, "{op}: {worst:.1e}");
    };
    check(Op::Abs, dd::abs, complex::abs);
    check(Op::Arg, dd::arg, complex::arg);
}

/// Zeros, infinities and NaN, of which the function of doubles decides.
#[test]
fn special_values() {
    let values = [0.0, 1.0, -2.0, 1e300, 5e-324, f64::INFINITY, f64::NAN];
    let values: Vec<f64> = values.iter().flat_map(|x| [*x, -x]).collect();
    let all: Vec<Complex64> =
        values.iter().flat_map(|x| values.iter().map(|y| Complex64::new(*x, *y))).collect();
    let same = |got: Cdd, double: Complex64| {
        let size = if double.norm().is_finite() { double.norm() } else { 0.0 };
        // A power of 1e300, an angle of thousands of iterations, has the condition of its logarithm.
        let part = |x: f64, d: f64| agrees(x, d, size) || (x - d).abs() < 1e-12 * size;
        // The direction of an overflow is that of a rounded angle: infinite is what it has to be.
        let overflow = double.norm() == f64::INFINITY && got.high().norm() == f64::INFINITY;
        (part(got.re.hi, double.re) && part(got.im.hi, double.im)) || overflow
    };
    for a in &all {
        for b in &all {
            let (got, double) = (dd::div(Cdd::of(*a), Cdd::of(*b)), complex::div(*a, *b));
            assert!(same(got, double), "{a:e} / {b:e} = {got:?}, and not {double:e}");
            if b.norm() < 10.0 || !b.norm().is_finite() {
                let (got, double) = (dd::pow(Cdd::of(*a), Cdd::of(*b)), complex::pow(*a, *b));
                assert!(same(got, double), "{a:e} ^ {b:e} = {got:?}, and not {double:e}");
            }
        }
        for n in [0, 1, 2, 3, -1, -2, 70, i64::MIN, i64::MAX] {
            let (got, double) = (dd::powi(Cdd::of(*a), n), complex::powi(*a, n));
            assert!(same(got, double), "{a:e} ^ {n} = {got:?}, and not {double:e}");
        }
    }
}

/// Operands that are no double-doubles must do no harm, and NaN stays NaN.
#[test]
fn any_bits_are_taken() {
    let mut random = Random(5);
    for _ in 0..cases(2000) {
        let mut x = || Dd::new(f64::from_bits(random.bits()), f64::from_bits(random.bits()));
        let (a, b) = (Cdd::new(x(), x()), Cdd::new(x(), x()));
        dd::div(a, b);
        dd::pow(a, b);
        dd::powi(a, random.bits() as i64);
        dd::abs(a);
        dd::arg(a);
    }
    let nan = Cdd::new(Dd::new(1.0, f64::NAN), Dd::ONE);
    assert!(dd::abs(nan).is_nan() && dd::arg(nan).is_nan() && dd::div(nan, Cdd::ONE).re.is_nan());
}
