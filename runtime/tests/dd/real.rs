//! Functions of real operands.

use crate::dd::points::{Random, SPECIAL, reals};
use crate::dd::{BOUND, big, error, lgamma, ulps};
use adc_ir::testing::cases;
use adc_precise::Big;
use adc_runtime::dd::{self, Dd};
use adc_runtime::real;

/// A function of one operand, over double-doubles, doubles and big numbers.
struct Row {
    name: &'static str,
    f: fn(Dd) -> Dd,
    double: fn(f64) -> f64,
    truth: fn(Big) -> Big,
    /// Where it is defined and in range, and the big function has a value.
    range: [f64; 2],
}

const fn row(
    name: &'static str,
    f: fn(Dd) -> Dd,
    double: fn(f64) -> f64,
    truth: fn(Big) -> Big,
    range: [f64; 2],
) -> Row {
    Row { name, f, double, truth, range }
}

const ALL: [f64; 2] = [-f64::MAX, f64::MAX];
const POSITIVE: [f64; 2] = [5e-324, f64::MAX];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("exp",         dd::exp,         real::exp,         |x| x.exp(),          [-800.0, 800.0]),
    row("expm1",       dd::expm1,       real::expm1,       |x| x.exp_m1(),       [-800.0, 800.0]),
    row("exp2",        dd::exp2,        real::exp2,        |x| x.exp2(),         [-1100.0, 1100.0]),
    row("log",         dd::log,         real::log,         |x| x.ln(),           POSITIVE),
    row("log2",        dd::log2,        real::log2,        |x| x.log2(),         POSITIVE),
    row("log10",       dd::log10,       real::log10,       |x| x.log10(),        POSITIVE),
    row("log1p",       dd::log1p,       real::log1p,       |x| x.ln_1p(),        [-1.0, f64::MAX]),
    row("cbrt",        dd::cbrt,        real::cbrt,        |x| x.cbrt(),         ALL),
    row("sin",         dd::sin,         real::sin,         |x| x.sin(),          ALL),
    row("cos",         dd::cos,         real::cos,         |x| x.cos(),          ALL),
    row("tan",         dd::tan,         real::tan,         |x| x.tan(),          ALL),
    row("asin",        dd::asin,        real::asin,        |x| x.asin(),         [-1.0, 1.0]),
    row("acos",        dd::acos,        real::acos,        |x| x.acos(),         [-1.0, 1.0]),
    row("atan",        dd::atan,        real::atan,        |x| x.atan(),         ALL),
    row("sinh",        dd::sinh,        real::sinh,        |x| x.sinh(),         [-800.0, 800.0]),
    row("cosh",        dd::cosh,        real::cosh,        |x| x.cosh(),         [-800.0, 800.0]),
    row("tanh",        dd::tanh,        real::tanh,        |x| x.tanh(),         ALL),
    row("asinh",       dd::asinh,       real::asinh,       |x| x.asinh(),        ALL),
    row("acosh",       dd::acosh,       real::acosh,       |x| x.acosh(),        [1.0, f64::MAX]),
    row("atanh",       dd::atanh,       real::atanh,       |x| x.atanh(),        [-1.0, 1.0]),
    row("sinc",        dd::sinc,        real::sinc,        |x| x.sinc_derivative(0), ALL),
    row("erf",         dd::erf,         real::erf,         |x| x.erf(),          [-60.0, 60.0]),
    row("erfc",        dd::erfc,        real::erfc,        |x| x.erfc(),         [-60.0, 28.0]),
    row("lgamma",      dd::lgamma,      real::lgamma,      lgamma,               POSITIVE),
    row("sigmoid",     dd::sigmoid,     real::sigmoid,     |x| x.sigmoid(),      ALL),
    row("dsigmoid",    dd::dsigmoid,    real::dsigmoid,    |x| x.dsigmoid(),     ALL),
    row("sech2",       dd::sech2,       real::sech2,       |x| x.sech2(),        ALL),
    row("softplus",    dd::softplus,    real::softplus,    |x| x.softplus(),     ALL),
    row("log_sigmoid", dd::log_sigmoid, real::log_sigmoid, |x| -(-x).softplus(), ALL),
];

#[test]
fn errors_of_functions_of_one_operand() {
    let mut failures = Vec::new();
    for row in ROWS {
        let mut worst = (0.0, Dd::ZERO);
        let mut tested = 0;
        for x in reals(&mut Random(row.name.len() as u64), cases(40)) {
            // Beyond an end by less than an ulp is beyond.
            let inside = row.range[0] <= x.hi && x.hi <= row.range[1] && x.hi != 0.0;
            let truth = (row.truth)(big(x));
            if !inside || truth.is_nan() || !truth.is_finite() {
                continue;
            }
            tested += 1;
            let e = error((row.f)(x), truth, truth.abs());
            if e > worst.0 {
                worst = (e, x);
            }
        }
        println!("{:12}{tested:>8} points, {:.1e} at {:?}", row.name, worst.0, worst.1);
        if worst.0 > BOUND {
            failures.push(format!("{}: {:.1e} at {:?}", row.name, worst.0, worst.1));
        }
        assert!(tested > 300, "{}", row.name);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

/// A wrong branch, a wrong sign of zero, a wrong special value.
#[test]
fn high_parts_are_those_of_the_functions_of_doubles() {
    for row in ROWS {
        let mut random = Random(row.name.len() as u64 + 100);
        let mut points: Vec<f64> = (0..cases(3000)).map(|_| f64::from_bits(random.bits())).collect();
        points.extend((0..cases(1000)).map(|_| random.sign() * (random.unit() * 40.0 - 20.0).exp2()));
        points.extend(SPECIAL.iter().flat_map(|x| [*x, -x]));
        points.extend([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        for x in points {
            let (y, double) = ((row.f)(Dd::of(x)), (row.double)(x));
            // The bound of the functions of doubles, which may be 4 ulp.
            let close = (y.hi - double).abs() <= 2.0 * f64::EPSILON * double.abs();
            assert!(close || ulps(y.hi, double) <= 2.0, "{}({x:e}) = {y:?}, and not {double:e}", row.name);
            assert!(y.lo == 0.0 || y.hi.is_finite(), "{}({x:e}) = {y:?}", row.name);
        }
    }
}

/// Functions of two operands.
struct Binary {
    name: &'static str,
    f: fn(Dd, Dd) -> Dd,
    double: fn(f64, f64) -> f64,
    truth: fn(Big, Big) -> Big,
    /// What the error is relative to, beside the value.
    scale: fn(Big, Big) -> Big,
}

#[rustfmt::skip]
const BINARY: &[Binary] = &[
    Binary { name: "pow",       f: dd::pow,       double: real::pow,       truth: |a, b| a.pow(b),       scale: |_, _| Big::ZERO },
    Binary { name: "hypot",     f: dd::hypot,     double: real::hypot,     truth: |a, b| a.hypot(b),     scale: |_, _| Big::ZERO },
    Binary { name: "atan2",     f: dd::atan2,     double: real::atan2,     truth: |a, b| a.atan2(b),     scale: |_, _| Big::ZERO },
    Binary { name: "logaddexp", f: dd::logaddexp, double: real::logaddexp, truth: |a, b| a.logaddexp(b), scale: |a, b| if a.abs() > b.abs() { a.abs() } else { b.abs() } },
];

/// Pairs of operands of all kinds: independent ones, near ones, with one everyday, and for powers such that they are in range.
fn pairs(random: &mut Random, count: usize) -> Vec<(Dd, Dd)> {
    let mut points = Vec::new();
    for _ in 0..count {
        let everyday = |random: &mut Random| random.sign() * (random.unit() * 20.0 - 10.0).exp2();
        let (a, b) = (random.any(), random.any());
        points.push((random.below(a), random.below(b)));
        let (a, b) = (everyday(random), everyday(random));
        points.push((random.below(a), random.below(b)));
        let near = a * (1.0 + random.sign() * (-50.0 * random.unit()).exp2());
        points.push((random.below(a), random.below(near)));
        let b = a * (random.unit() * 400.0 - 200.0).exp2();
        points.push((random.below(a), random.below(b)));
        let whole = (random.unit() * 200.0 - 100.0).round();
        points.push((random.below(a), random.below(whole)));
        points.push((random.below(a), Dd::of(whole)));
        let large = random.any().abs();
        let fits = random.sign() * random.unit() * 745.0 / large.ln().abs();
        points.push((random.below(large), random.below(fits)));
        let close = 1.0 + random.sign() * (-40.0 * random.unit()).exp2();
        let fits = random.sign() * random.unit() * 740.0 / close.ln();
        points.push((random.below(close), random.below(fits)));
        points.push((random.below(a), Dd::of(0.5)));
    }
    points
}

#[test]
fn errors_of_functions_of_two_operands() {
    let mut failures = Vec::new();
    for row in BINARY {
        let mut worst = (0.0, Dd::ZERO, Dd::ZERO);
        for (a, b) in pairs(&mut Random(row.name.len() as u64), cases(80)) {
            let (y, truth) = ((row.f)(a, b), (row.truth)(big(a), big(b)));
            let scale = (row.scale)(big(a), big(b));
            let scale = if truth.abs() > scale { truth.abs() } else { scale };
            let e = error(y, truth, scale);
            if e > worst.0 {
                worst = (e, a, b);
            }
            let (high, double) = ((row.f)(Dd::of(a.hi), Dd::of(b.hi)), (row.double)(a.hi, b.hi));
            let slack = scale.to_f64() * f64::EPSILON;
            if ulps(high.hi, double) > 2.0 && (high.hi - double).abs() > slack {
                failures.push(format!("{}({:e}, {:e}) = {high:?}, and not {double:e}", row.name, a.hi, b.hi));
            }
        }
        println!("{:12}{:.1e} at {:?} {:?}", row.name, worst.0, worst.1, worst.2);
        if worst.0 > BOUND {
            failures.push(format!("{}: {:.1e} at {:?} {:?}", row.name, worst.0, worst.1, worst.2));
        }
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn special_values_of_functions_of_two_operands() {
    let values =
        [0.0, 1.0, 0.5, 2.0, 3.0, 1e300, 1e-300, 5e-324, f64::MAX, f64::INFINITY, 9007199254740993.0, 1e16];
    let all: Vec<f64> = values.iter().flat_map(|x| [*x, -x]).chain([f64::NAN]).collect();
    for row in BINARY {
        for a in &all {
            for b in &all {
                let (y, double) = ((row.f)(Dd::of(*a), Dd::of(*b)), (row.double)(*a, *b));
                assert!(ulps(y.hi, double) <= 2.0, "{}({a:e}, {b:e}) = {y:?}, and not {double:e}", row.name);
                assert!(y.lo == 0.0 || y.hi.is_finite());
            }
        }
    }
    // What only the low part of an exponent says.
    assert!(dd::pow(Dd::of(-2.0), Dd::new(3.0, 1e-20)).is_nan());
    let even = Dd::new(9007199254740992.0, 1.0);
    assert!(dd::pow(Dd::of(-1.0), even).hi == -1.0);
    assert!(dd::asin(Dd::new(1.0, 1e-20)).is_nan());
    assert!(dd::log(Dd::new(1.0, 1e-20)) == Dd::new(1e-20, -5e-41));
}

#[test]
fn integer_powers() {
    let mut random = Random(5);
    let mut worst = (0.0, Dd::ZERO, 0);
    for _ in 0..cases(600) {
        let n = random.bits() as i64 >> (random.bits() % 64);
        let size = (random.unit() * 700.0 / (n as f64).abs().max(1.0)).min(700.0);
        let hi = random.sign() * (random.sign() * size).exp();
        let x = random.below(hi);
        let truth = big(x).powi(n);
        // The big power's own error grows with the exponent, which has 63 bits.
        let e = error(dd::powi(x, n), truth, truth.abs());
        if e > worst.0 {
            worst = (e, x, n);
        }
    }
    println!("powi {:.1e} at {:?} {}", worst.0, worst.1, worst.2);
    assert!(worst.0 < BOUND, "{worst:?}");
    for x in [0.0, -0.0, 1.0, -1.0, 2.0, 1e-200, -1e200, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for n in [0, 1, 2, 3, 64, 65, -1, -2, -3, -65, i64::MAX, i64::MIN] {
            let (y, double) = (dd::powi(Dd::of(x), n), real::powi(x, n));
            assert!(ulps(y.hi, double) <= 2.0, "{x:e}^{n} = {y:?}, and not {double:e}");
        }
    }
    assert_eq!(dd::powi(Dd::of(3.0), 20), Dd::of(3486784401.0));
}

/// Bits that are no double-double must do no harm.
#[test]
fn any_bits_are_taken() {
    let mut random = Random(9);
    for row in ROWS {
        for _ in 0..cases(300) {
            let x = Dd::new(f64::from_bits(random.bits()), f64::from_bits(random.bits()));
            (row.f)(x);
            let raw = Dd { hi: f64::from_bits(random.bits()), lo: f64::from_bits(random.bits()) };
            (row.f)(raw);
        }
        assert!((row.f)(Dd::new(1.0, f64::NAN)).is_nan(), "{}", row.name);
    }
    for row in BINARY {
        for _ in 0..cases(300) {
            let mut x = || Dd::new(f64::from_bits(random.bits()), f64::from_bits(random.bits()));
            (row.f)(x(), x());
        }
    }
}
