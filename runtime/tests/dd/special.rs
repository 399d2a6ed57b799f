//! Gamma family, Bessel functions and derivatives of sinc, whose errors are relative to what their condition leaves.

use crate::dd::points::Random;
use crate::dd::{BOUND, big, error, lgamma, ulps};
use adc_ir::testing::cases;
use adc_precise::Big;
use adc_runtime::dd::{self, Dd};
use adc_runtime::real;

/// Operands of every size, near the poles and the zeros, and whole ones.
fn points(random: &mut Random, count: usize) -> Vec<Dd> {
    let mut points = Vec::new();
    for _ in 0..count {
        let mut push = |x: f64, random: &mut Random| points.push(random.below(x));
        let x = random.sign() * (random.unit() * 200.0 - 100.0).exp2();
        push(x, random);
        let x = random.unit() * 60.0 - 30.0;
        push(x, random);
        let x = random.unit() * 4.0 - 1.0;
        push(x, random);
        let whole = (random.unit() * 40.0 - 20.0).round();
        push(whole + random.sign() * (-60.0 * random.unit()).exp2(), random);
        push(1.0 + random.sign() * (-60.0 * random.unit()).exp2(), random);
        push(1.4616321449683622 + random.sign() * (-60.0 * random.unit()).exp2(), random);
        push(whole, random);
    }
    points.retain(|x| x.hi != 0.0);
    points
}

/// The largest error over the points, relative to the value and what is given beside it.
fn check(
    name: &str,
    points: Vec<Dd>,
    f: impl Fn(Dd) -> Dd,
    double: impl Fn(f64) -> f64,
    truth: impl Fn(Big) -> Big,
    beside: impl Fn(Big) -> Big,
) {
    let mut worst = (0.0, Dd::ZERO);
    let count = points.len();
    for x in points {
        let (y, truth) = (f(x), truth(big(x)));
        if !truth.to_f64().is_finite() {
            assert!(!y.hi.is_finite(), "{name}({x:?}) = {y:?} at a pole, or beside one");
            continue;
        }
        let scale = truth.abs() + beside(big(x)).abs();
        let e = error(y, truth, scale);
        if e > worst.0 {
            worst = (e, x);
        }
        let (high, double) = (f(Dd::of(x.hi)), double(x.hi));
        let near = (high.hi - double).abs() <= 8.0 * f64::EPSILON * scale.to_f64();
        assert!(near || ulps(high.hi, double) <= 8.0, "{name}({:e}) = {high:?}, and not {double:e}", x.hi);
    }
    println!("{name:12}{count:>8} points, {:.1e} at {:?}", worst.0, worst.1);
    assert!(worst.0 <= BOUND, "{name}: {:.1e} at {:?}", worst.0, worst.1);
}

#[test]
fn gamma() {
    let mut random = Random(1);
    let mut all = points(&mut random, cases(40));
    // What the reflection subtracts.
    let mirrored = |x: Big| if x.is_negative() { (Big::ONE - x).lgamma() } else { Big::ZERO };
    check("lgamma", all.clone(), dd::lgamma, real::lgamma, lgamma, mirrored);
    // Beside its zeros ψ has the error of its terms, of which the logarithm is at most 3.
    let terms = |x: Big| if x.is_negative() { (Big::ONE - x).digamma() } else { Big::from(3.0) };
    check("digamma", all.clone(), dd::digamma, real::digamma, |x| x.digamma(), terms);
    let mut few = all.clone();
    few.retain(|x| x.hi.abs() < 160.0);
    check("gamma", few, dd::gamma, real::gamma, |x| x.gamma(), |_| Big::ZERO);
    for n in [1, 2, 3, 5, 10, 40] {
        let f = |x| dd::polygamma(n, x);
        let truth = |x: Big| x.polygamma(n as u64);
        // Halfway between two poles the terms of both sides cancel, for even n.
        let halfway = Big::exp2i(-1).polygamma(n as u64);
        let terms = |x: Big| if x.is_negative() { halfway } else { Big::ZERO };
        let few = points(&mut random, cases(8));
        check(&format!("polygamma {n}"), few, f, |x| real::polygamma(n, x), truth, terms);
    }
    all.retain(|x| x.hi > 0.0);
    for n in [160, 175, 300] {
        let (f, double) = (|x| dd::polygamma(n, x), |x| real::polygamma(n, x));
        let few = all.iter().copied().filter(|x| (20.0..200.0).contains(&x.hi)).take(12).collect();
        // The condition number is n + 1.
        let truth = |x: Big| x.polygamma(n as u64);
        check(&format!("polygamma {n}"), few, f, double, truth, |x| truth(x).mul_int(n));
    }
    check(
        "polygamma 0",
        all.split_off(all.len() - 20),
        |x| dd::polygamma(0, x),
        real::digamma,
        |x| x.digamma(),
        |_| Big::from(3.0),
    );
}

/// Beside zeros the errors are relative to the amplitude, √(2/πx), of which a large x has no more.
#[test]
fn bessel() {
    let mut random = Random(4);
    let mut all = points(&mut random, cases(20));
    all.retain(|x| x.hi.abs() < 1e15);
    let amplitude = |x: Big| if x.abs() < Big::ONE { Big::ZERO } else { x.abs().sqrt().recip() };
    check("j0", all.clone(), dd::j0, real::j0, |x| x.jn(0), amplitude);
    check("j1", all.clone(), dd::j1, real::j1, |x| x.jn(1), amplitude);
    // Up to their orders they have no amplitude, but are large or small.
    for n in [2, 3, -3, 7] {
        let terms = |x: Big| if x.abs() < Big::from(10) { Big::ZERO } else { amplitude(x) };
        let mut few = all.clone();
        few.retain(|x| x.hi.abs() > 1e-20);
        check(&format!("jn {n}"), few, |x| dd::jn(n, x), |x| real::jn(n, x), |x| x.jn(n), terms);
    }
    all.retain(|x| x.hi > 0.0);
    // The logarithm is what cancels near the zeros below 1.
    check("y0", all.clone(), dd::y0, real::y0, |x| x.yn(0), |_| Big::ONE);
    check("y1", all.clone(), dd::y1, real::y1, |x| x.yn(1), amplitude);
    for n in [2, 3, -3, 7] {
        let mut few = all.clone();
        few.retain(|x| x.hi > 1e-20);
        let terms = |x: Big| if x < Big::from(10) { Big::exp2i(-3) } else { amplitude(x) };
        check(&format!("yn {n}"), few, |x| dd::yn(n, x), |x| real::yn(n, x), |x| x.yn(n), terms);
    }
    for n in [0, 1, 2] {
        for x in [0.0, -0.0, -1.0, 5e-324, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            for (y, double) in
                [(dd::jn(n, Dd::of(x)), real::jn(n, x)), (dd::yn(n, Dd::of(x)), real::yn(n, x))]
            {
                let near =
                    ulps(y.hi, double) <= 8.0 || (y.hi - double).abs() <= 1e-15 * (1.0 / x.abs().sqrt());
                assert!(near, "order {n} at {x:e}: {y:?}, and not {double:e}");
            }
        }
    }
}

#[test]
fn derivatives_of_sinc() {
    let mut random = Random(2);
    for n in [1, 2, 3, 6, 20, 60] {
        let f = |x| dd::dsinc(n, x);
        let truth = |x: Big| x.sinc_derivative(n as u64);
        // Its zeros are those of a sum with terms like πⁿ / (n + 1) and πⁿ / |πx|.
        let pi = Big::ZERO.atan2(-Big::ONE);
        let terms = |x: Big| {
            let size = (x * pi).abs() + Big::from(n + 1);
            pi.powi(n) / size
        };
        let mut few = points(&mut random, cases(12));
        few.retain(|x| x.hi.abs() < 1e5);
        check(&format!("dsinc {n}"), few, f, |x| real::dsinc(n, x), truth, terms);
    }
}

#[test]
fn special_values() {
    let values = [0.0, 1.0, 2.0, 3.0, 0.5, 1e-310, 5e-324, 171.0, 1e17, 1e305, f64::MAX, f64::INFINITY];
    let all: Vec<f64> = values.iter().flat_map(|x| [*x, -x]).chain([f64::NAN]).collect();
    let near = |y: Dd, double: f64| {
        // Polygamma of doubles has a unit for each order.
        let close = (y.hi - double).abs() <= 1e-12 * double.abs();
        (close || ulps(y.hi, double) <= 2.0) && (y.lo == 0.0 || y.hi.is_finite())
    };
    for x in all {
        let y = dd::digamma(Dd::of(x));
        assert!(near(y, real::digamma(x)), "digamma({x:e}) = {y:?}, and not {:e}", real::digamma(x));
        let y = dd::lgamma(Dd::of(x));
        assert!(near(y, real::lgamma(x)), "lgamma({x:e}) = {y:?}, and not {:e}", real::lgamma(x));
        for n in [i64::MIN, -1, 0, 1, 2, 3, 170, 171, 2000, 1 << 40, (1 << 51) + 1, i64::MAX - 1, i64::MAX] {
            let (y, double) = (dd::polygamma(n, Dd::of(x)), real::polygamma(n, x));
            // Between poles that of doubles subtracts an overflow from another.
            let overflows = n > 0 && double.is_nan() && x < 0.0 && x != x.floor();
            assert!(overflows || near(y, double), "polygamma({n}, {x:e}) = {y:?}, and not {double:e}");
            let (y, double) = (dd::dsinc(n, Dd::of(x)), real::dsinc(n, x));
            assert!(near(y, double), "dsinc({n}, {x:e}) = {y:?}, and not {double:e}");
        }
    }
    let mut random = Random(3);
    for _ in 0..cases(2000) {
        let (n, x) = (random.bits() as i64 >> (random.bits() % 64), f64::from_bits(random.bits()));
        dd::dsinc(n, Dd::new(x, f64::from_bits(random.bits())));
        dd::polygamma(n, Dd::new(x, f64::from_bits(random.bits())));
    }
}
