//! Functions of complex operands.

use crate::dd::points::{Random, SPECIAL};
use crate::dd::{BOUND, big, error, ulps};
use adc_ir::testing::cases;
use adc_ir::{Elementary, Op};
use adc_precise::{Big, BigMath, CBig};
use adc_runtime::complex;
use adc_runtime::dd::complex as dd;
use adc_runtime::dd::{Cdd, Dd};
use num_complex::{Complex, Complex64};

/// A function of one operand, over double-doubles and doubles; its op, over big numbers.
struct Row {
    op: Op,
    f: fn(Cdd) -> Cdd,
    double: fn(Complex64) -> Complex64,
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { op: Op::Exp,      f: dd::exp,      double: complex::exp },
    Row { op: Op::Expm1,    f: dd::expm1,    double: complex::expm1 },
    Row { op: Op::Log,      f: dd::log,      double: complex::log },
    Row { op: Op::Log2,     f: dd::log2,     double: complex::log2 },
    Row { op: Op::Log10,    f: dd::log10,    double: complex::log10 },
    Row { op: Op::Log1p,    f: dd::log1p,    double: complex::log1p },
    Row { op: Op::Sqrt,     f: dd::sqrt,     double: complex::sqrt },
    Row { op: Op::Recip,    f: dd::recip,    double: complex::recip },
    Row { op: Op::Sign,     f: dd::sign,     double: complex::sign },
    Row { op: Op::Sin,      f: dd::sin,      double: complex::sin },
    Row { op: Op::Cos,      f: dd::cos,      double: complex::cos },
    Row { op: Op::Tan,      f: dd::tan,      double: complex::tan },
    Row { op: Op::Sinh,     f: dd::sinh,     double: complex::sinh },
    Row { op: Op::Cosh,     f: dd::cosh,     double: complex::cosh },
    Row { op: Op::Tanh,     f: dd::tanh,     double: complex::tanh },
    Row { op: Op::Asin,     f: dd::asin,     double: complex::asin },
    Row { op: Op::Acos,     f: dd::acos,     double: complex::acos },
    Row { op: Op::Atan,     f: dd::atan,     double: complex::atan },
    Row { op: Op::Asinh,    f: dd::asinh,    double: complex::asinh },
    Row { op: Op::Acosh,    f: dd::acosh,    double: complex::acosh },
    Row { op: Op::Atanh,    f: dd::atanh,    double: complex::atanh },
    Row { op: Op::Sigmoid,  f: dd::sigmoid,  double: complex::sigmoid },
    Row { op: Op::Sech2,    f: dd::sech2,    double: complex::sech2 },
    Row { op: Op::DSigmoid, f: dd::dsigmoid, double: complex::dsigmoid },
];

pub fn cbig(z: Cdd) -> CBig {
    Complex::new(big(z.re), big(z.im))
}

pub fn modulus(z: CBig) -> Big {
    z.re.hypot(z.im)
}

/// The larger error of the parts, relative to the modulus.
pub fn complex_error(got: Cdd, truth: CBig) -> f64 {
    let size = modulus(truth);
    error(got.re, truth.re, size).max(error(got.im, truth.im, size))
}

/// Points of every kind: any size; everyday; near the unit circle, the units, the axes, multiples of π/2, and cuts.
pub fn points(random: &mut Random, count: usize) -> Vec<Cdd> {
    let mut points = Vec::new();
    for _ in 0..count {
        let mut push = |re: f64, im: f64, random: &mut Random| {
            points.push(Cdd::new(random.below(re), random.below(im)));
        };
        let everyday = |random: &mut Random| random.sign() * (random.unit() * 14.0 - 10.0).exp2();
        let small = |random: &mut Random| random.sign() * (-100.0 * random.unit()).exp2();
        let (x, y) = (random.any(), random.any());
        push(x, y, random);
        let (x, y) = (everyday(random), everyday(random));
        push(x, y, random);
        let x = random.unit() * 1500.0 - 750.0;
        push(x, y, random);
        push(y, x, random);
        let n = (random.bits() >> (34 + random.bits() % 30)) as f64 * std::f64::consts::FRAC_PI_2;
        let (x, y) = (small(random), small(random));
        push(x, n, random);
        push(n, x, random);
        let (sin, cos) = (random.unit() * 7.0).sin_cos();
        push(sin * (1.0 + y), cos * (1.0 + y), random);
        let s = random.sign();
        push(s + x, y, random);
        push(x, s + y, random);
        let big = random.sign() * (random.unit() * 1000.0).exp2();
        push(big, y, random);
        push(y, big, random);
        push(big * sin, big * cos, random);
        push(sin - 1.0, cos, random);
        // On the axes, on both sides of cuts.
        for zero in [0.0, -0.0] {
            let x = everyday(random);
            push(x, zero, random);
            push(zero, x, random);
        }
    }
    points
}

/// Whether the big functions, which keep to the principal formulas, can be asked there.
fn in_reach(op: Op, z: Cdd) -> bool {
    let (x, y) = (z.re.hi.abs(), z.im.hi.abs());
    match op {
        // Exponentials far out of range, and cancellation beyond 384 bits.
        Op::Exp | Op::Expm1 | Op::Sinh | Op::Cosh | Op::Tanh | Op::Sech2 | Op::Sigmoid | Op::DSigmoid => {
            x < 800.0 && (x == 0.0 || x > 1e-40) && (y == 0.0 || y > 1e-40)
        }
        Op::Sin | Op::Cos | Op::Tan => y < 800.0 && (y == 0.0 || y > 1e-40) && (x == 0.0 || x > 1e-40),
        _ => true,
    }
}

#[test]
fn errors_of_complex_functions() {
    let mut failures = Vec::new();
    for row in ROWS {
        let mut worst = (0.0, Cdd::ZERO);
        let mut tested = 0;
        for z in points(&mut Random(row.op as u64), cases(12)) {
            if !in_reach(row.op, z) {
                continue;
            }
            let truth = BigMath.complex(row.op, &[cbig(z)]);
            if truth.re.is_nan() || truth.im.is_nan() || !modulus(truth).is_finite() {
                continue;
            }
            tested += 1;
            let e = complex_error((row.f)(z), truth);
            if e > worst.0 {
                worst = (e, z);
            }
        }
        println!("{:12}{tested:>8} points, {:.1e} at {:?}", row.op.name(), worst.0, worst.1);
        if worst.0 > BOUND {
            failures.push(format!("{}: {:.1e} at {:?}", row.op.name(), worst.0, worst.1));
        }
        assert!(tested > 80, "{}: {tested} points", row.op.name());
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

/// Whether a part is that of a double function, within a few of its units or of the modulus's.
pub fn agrees(got: f64, double: f64, size: f64) -> bool {
    ulps(got, double) <= 4.0 || (got - double).abs() <= 6.0 * f64::EPSILON * size
}

#[test]
fn high_parts_are_those_of_the_complex_functions_of_doubles() {
    let mut failures = Vec::new();
    for row in ROWS {
        let mut random = Random(row.op as u64 + 1000);
        let mut all: Vec<Complex64> = points(&mut random, cases(40)).into_iter().map(Cdd::high).collect();
        all.extend(
            (0..cases(500))
                .map(|_| Complex64::new(f64::from_bits(random.bits()), f64::from_bits(random.bits()))),
        );
        let values = [0.0, 5e-324, 1e-300, 0.5, 1.0, 2.0, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
        let values: Vec<f64> = values.iter().flat_map(|x| [*x, -x]).collect();
        all.extend(values.iter().flat_map(|x| values.iter().map(|y| Complex64::new(*x, *y))));
        all.extend(SPECIAL.iter().flat_map(|x| SPECIAL.iter().step_by(5).map(|y| Complex64::new(*x, -y))));
        for z in all {
            let (w, double) = ((row.f)(Cdd::of(z)), (row.double)(z));
            let size = double.norm();
            let size = if size.is_finite() { size } else { 0.0 };
            let fits = agrees(w.re.hi, double.re, size) && agrees(w.im.hi, double.im, size);
            if !fits && failures.len() < 40 {
                failures.push(format!("{}({z:e}) = {:e}, and not {double:e}", row.op.name(), w.high()));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

/// Operands that are no double-doubles must do no harm.
#[test]
fn any_bits_are_taken() {
    let mut random = Random(9);
    for row in ROWS {
        for _ in 0..cases(300) {
            let mut x = || Dd::new(f64::from_bits(random.bits()), f64::from_bits(random.bits()));
            (row.f)(Cdd::new(x(), x()));
        }
        let w = (row.f)(Cdd::new(Dd::new(0.5, f64::NAN), Dd::ONE));
        assert!(w.re.is_nan() || w.im.is_nan(), "{} of NaN is {w:?}", row.op.name());
    }
}
