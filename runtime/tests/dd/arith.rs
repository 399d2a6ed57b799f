//! Sums, products, quotients and roots.

use crate::dd::points::Random;
use crate::dd::{big, error, ulps};
use adc_ir::testing::cases;
use adc_precise::Big;
use adc_runtime::dd::Dd;

/// The square of half an ulp of 1.
const UU: f64 = 1.232595164407831e-32;

#[test]
fn errors_are_within_the_bounds_of_the_algorithms() {
    let mut random = Random(1);
    type Operation = (&'static str, fn(Dd, Dd) -> Dd, fn(Big, Big) -> Big, f64);
    let operations: &[Operation] = &[
        ("add", |a, b| a + b, |a, b| a + b, 3.0),
        ("sub", |a, b| a - b, |a, b| a - b, 3.0),
        ("mul", |a, b| a * b, |a, b| a * b, 5.0),
        ("div", |a, b| a / b, |a, b| a / b, 10.0),
        ("plus", |a, b| a.plus(b.hi), |a, b| a + Big::from(b.to_f64()), 2.0),
        ("times", |a, b| a.times(b.hi), |a, b| a * Big::from(b.to_f64()), 3.0),
        ("over", |a, b| a.over(b.hi), |a, b| a / Big::from(b.to_f64()), 3.5),
        ("square", |a, _| a.square(), |a, _| a * a, 5.0),
        ("sqrt", |a, _| a.abs().sqrt(), |a, _| a.abs().sqrt(), 3.2),
    ];
    for (name, f, truth, bound) in operations {
        let mut worst = 0f64;
        for i in 0..cases(2000) {
            let hi = random.sign() * (random.unit() * 200.0 - 100.0).exp2();
            let a = random.below(hi);
            // Every other time a number that cancels the first one, nearly.
            let near = hi * (1.0 + random.sign() * (-56.0 * random.unit()).exp2());
            let far = random.sign() * (random.unit() * 200.0 - 100.0).exp2();
            let b = random.below(if i % 2 == 0 { near } else { far });
            let truth = truth(big(a), big(b));
            worst = worst.max(error(f(a, b), truth, truth.abs()) / UU);
        }
        println!("{name:8}{worst:.2} u²");
        assert!(worst <= *bound, "{name}: {worst:.2} u²");
    }
}

#[test]
fn extreme_roots() {
    let mut random = Random(2);
    for _ in 0..cases(500) {
        let hi = random.any().abs();
        let x = random.below(hi);
        let truth = big(x).sqrt();
        assert!(error(x.sqrt(), truth, truth) <= 4.0 * UU, "{x:?}");
    }
    for x in [0.0, -0.0, -1.0, f64::INFINITY, f64::NAN, 5e-324, f64::MAX] {
        let (y, double) = (Dd::of(x).sqrt(), x.sqrt());
        // Of the largest number it is half an ulp from both neighbours, but for 2⁻¹⁰⁹ of it.
        assert!(ulps(y.hi, double) <= 1.0, "{x:e}: {y:?}");
    }
}

/// Two doubles that are no double-double stand for their sum, whatever they are.
#[test]
fn normalisation() {
    assert_eq!(Dd::new(1.0, 1.0), Dd::of(2.0));
    assert_eq!(Dd::new(1e-20, 1.0), Dd { hi: 1.0, lo: 1e-20 });
    assert_eq!(Dd::new(f64::INFINITY, 1.0), Dd::of(f64::INFINITY));
    assert_eq!(Dd::new(1.0, f64::NEG_INFINITY), Dd::of(f64::NEG_INFINITY));
    assert_eq!(Dd::new(f64::MAX, f64::MAX), Dd::of(f64::INFINITY));
    assert!(Dd::new(1.0, f64::NAN).is_nan() && Dd::new(f64::NAN, 0.0).is_nan());
    assert!(Dd::new(-0.0, 0.0).is_negative() && !Dd::new(0.0, -0.0).is_negative());
    let mut random = Random(3);
    for _ in 0..cases(3000) {
        let (a, b) = (f64::from_bits(random.bits()), f64::from_bits(random.bits()));
        let x = Dd::new(a, b);
        assert!(x.hi + x.lo == x.hi || !x.hi.is_finite(), "{a:e} {b:e}: {x:?}");
        assert!(x.lo == 0.0 || x.hi.is_finite());
        if (a + b).is_finite() {
            assert_eq!(x.hi, a + b);
        }
    }
}
