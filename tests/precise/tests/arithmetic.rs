//! [`Big`]'s arithmetic against the machine's: results rounded to double are IEEE's.

use adc_precise::{BITS, Big};

/// Doubles of all sizes and signs, special ones among them (splitmix64).
fn doubles(seed: u64) -> Vec<f64> {
    let special = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, -4e-320];
    let limits = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0 + f64::EPSILON, 1e16, -7.5];
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let wide = (0..60).map(|_| f64::from_bits(next())).collect::<Vec<_>>();
    let near = (0..60).map(|_| (next() >> 11) as f64 / (1u64 << 50) as f64 - 4.0).collect::<Vec<_>>();
    special.into_iter().chain(limits).chain(wide).chain(near).collect()
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn operations_round_to_ieee_results() {
    for &x in &doubles(1) {
        let a = Big::from(x);
        assert!(same(a.to_f64(), x), "{x}");
        let one = [
            ("sqrt", a.sqrt(), x.sqrt()),
            ("floor", a.floor(), x.floor()),
            ("trunc", a.trunc(), x.trunc()),
            ("round", a.round_even(), x.round_ties_even()),
            ("neg", -a, -x),
            ("abs", a.abs(), x.abs()),
        ];
        for (name, got, want) in one {
            assert!(same(got.to_f64(), want), "{name} {x}: {got} for {want}");
        }
        for &y in &doubles(2) {
            let b = Big::from(y);
            let two = [
                ("add", a + b, x + y),
                ("sub", a - b, x - y),
                ("mul", a * b, x * y),
                ("div", a / b, x / y),
                ("rem", a % b, x % y),
            ];
            for (name, got, want) in two {
                // Remainders with quotients of more than 384 bits mean nothing.
                let skip = name == "rem" && ((x / y).abs() > 1e100 || !y.is_finite() || want == 0.0);
                assert!(skip || same(got.to_f64(), want), "{x} {name} {y}: {got} for {want}");
            }
            assert_eq!(a.partial_cmp(&b), x.partial_cmp(&y), "{x} {y}");
        }
    }
}

#[test]
fn long_numbers_keep_their_digits() {
    let third = Big::ONE / Big::from(3.0);
    let two = Big::from(2.0);
    let ulps = |error: Big, of: Big| error.abs() <= of.ulp().scale2(1);
    assert!(ulps(third.mul_int(3) - Big::ONE, Big::ONE));
    assert!(ulps(two.sqrt().square() - two, two));
    assert_eq!(Big::ONE.div_int(7), Big::ONE / Big::from(7.0));
    // Squares of numbers of up to 320 bits have exact roots.
    for k in [3i64, 1 << 40, i64::MAX] {
        let n = Big::from(k).square().mul_int(k);
        assert_eq!((n * n).sqrt(), n);
    }
    assert_eq!((Big::ONE + Big::exp2i(1 - BITS)) - Big::ONE, Big::exp2i(1 - BITS));
    assert_eq!(Big::from(i64::MIN).to_i64(), i64::MIN);
    assert_eq!(Big::from(1e300).to_i64(), i64::MAX);
    assert_eq!(Big::exp2i(-1).exponent(), Some(0));
}

#[test]
fn decimal_strings_round_trip() {
    let cases = [
        ("1", "1e0"),
        ("-0.1", "-1e-1"),
        ("9.9999999999999999999999999999999", "1e1"),
        ("123456789.125e10", "1.23456789125e18"),
        ("1e-300", "1e-300"),
        ("0", "0"),
        ("-0", "-0"),
        ("inf", "inf"),
        ("nan", "NaN"),
    ];
    for (text, shown) in cases {
        let x: Big = text.parse().expect(text);
        assert_eq!(x.to_string(), shown, "{text}");
    }
    assert_eq!(
        format!("{:.50}", Big::from(2.0).sqrt()),
        "1.4142135623730950488016887242096980785696718753769e0"
    );
    for bad in ["", "-", "1x", "e5", "1e"] {
        assert!(bad.parse::<Big>().is_err(), "{bad}");
    }
}

#[test]
fn special_values() {
    let (inf, nan, zero) = (Big::INFINITY, Big::NAN, Big::ZERO);
    let cases = [
        (inf.exp(), f64::INFINITY),
        ((-inf).exp(), 0.0),
        (zero.ln(), f64::NEG_INFINITY),
        ((-Big::ONE).ln(), f64::NAN),
        (nan.sin(), f64::NAN),
        (inf.atan(), std::f64::consts::FRAC_PI_2),
        ((-zero).atan2(-Big::ONE), -std::f64::consts::PI),
        ((-inf).tanh(), -1.0),
        (inf.sinh(), f64::INFINITY),
        (zero.pow(-Big::ONE), f64::INFINITY),
        (zero.pow(zero), 1.0),
        ((-Big::from(2.0)).pow(Big::exp2i(-1)), f64::NAN),
        (inf.erf(), 1.0),
        (inf.erfc(), 0.0),
        (zero.lgamma(), f64::INFINITY),
        (Big::from(-3.0).digamma(), f64::NAN),
        (Big::from(5.5).modulo(Big::from(-2.0)), -0.5),
        (Big::from(2.0).sinc_derivative(0), 0.0),
        (Big::from(8.0).log2(), 3.0),
        ((-zero).sinh(), -0.0),
        ((-zero).asin(), -0.0),
    ];
    for (i, (got, want)) in cases.into_iter().enumerate() {
        assert!(same(got.to_f64(), want), "case {i}: {got} for {want}");
    }
}
