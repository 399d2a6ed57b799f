//! The C wrappers pass operands in the order documented and write the result's parts in place.

use adc_runtime::abi;

/// What a wrapper writes.
fn written(call: impl FnOnce(*mut f64)) -> [f64; 2] {
    let mut out = [f64::NAN; 2];
    call(out.as_mut_ptr());
    out
}

#[test]
fn real_operands_keep_their_order() {
    assert_eq!(abi::real::atan2(1.0, -0.0), std::f64::consts::FRAC_PI_2);
    assert_eq!(abi::real::pow(2.0, 3.0), 8.0);
    assert_eq!(abi::real::floor_mod(-7.0, 3.0), 2.0);
    assert_eq!(abi::real::powi(3, 2.0), 8.0);
    assert_eq!(abi::real::polygamma(0, 3.5), abi::real::digamma(3.5));
    assert_eq!(abi::real::dsinc(0, 0.25), abi::real::sinc(0.25));
}

#[test]
fn complex_results_are_written_to_two_doubles() {
    // SAFETY: `written` gives a pointer to two live doubles.
    let (recip, div, pow, powi) = unsafe {
        (
            written(|out| abi::complex::recip(0.0, 2.0, out)),
            written(|out| abi::complex::div(3.0, 4.0, 0.0, 1.0, out)),
            written(|out| abi::complex::pow(2.0, 3.0, 2.0, 0.0, out)),
            written(|out| abi::complex::powi(2, 2.0, 3.0, out)),
        )
    };
    assert_eq!([recip, div, pow, powi], [[0.0, -0.5], [4.0, -3.0], [-5.0, 12.0], [-5.0, 12.0]]);
    assert_eq!(abi::complex::abs(3.0, -4.0), 5.0);
    assert_eq!(abi::complex::arg(0.0, -1.0), -std::f64::consts::FRAC_PI_2);
}

/// What nothing else asks for by name, when an op is added.
#[test]
fn every_elementary_op_is_in_the_list() {
    use adc_ir::{Class, Op};
    let has = |rows: &[abi::Row], op: &Op| rows.iter().any(|row| row.name == op.name());
    for op in Op::ALL.iter().filter(|op| matches!(op.info().class, Class::Elementary | Class::ElementaryInt))
    {
        assert!(has(abi::real::ROWS, op), "`{op}` is not in `functions!` of runtime/src/abi.rs");
        let complex = has(abi::complex::ROWS, op);
        assert_eq!(complex, op.info().sig.takes_complex(), "`{op}` of complex numbers in runtime/src/abi.rs");
    }
}

#[test]
fn direct_forms_have_the_bits_of_the_functions() {
    let points = crate::lanes::edges();
    let same = |a: f64, b: f64, what: &str, x: f64| {
        assert!(
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            "{what} of {x:e}: {a:e}, not {b:e}"
        );
    };
    let pair = |name, symbol, f| abi::Row { name, symbol, native: abi::Native::Both(f) };
    let pairs = [
        pair("sincos", "adc_sincos", abi::real::sincos),
        pair("tanh_sech2", "adc_tanh_sech2", abi::real::tanh_sech2),
        pair("sigmoid_dsigmoid", "adc_sigmoid_dsigmoid", abi::real::sigmoid_dsigmoid),
    ];
    let mut others = Vec::new();
    for row in abi::real::ROWS.iter().chain(&pairs) {
        let direct = row.direct();
        let other = match (row.native, direct.native) {
            (abi::Native::R1(f), abi::Native::R1(g)) => {
                points.iter().for_each(|x| same(g(*x), f(*x), row.name, *x));
                f as usize != g as usize
            }
            (abi::Native::R2(f), abi::Native::R2(g)) => {
                let exponents = [0.5, -3.0, 1.7];
                points
                    .iter()
                    .for_each(|x| exponents.iter().for_each(|b| same(g(*x, *b), f(*x, *b), row.name, *x)));
                f as usize != g as usize
            }
            (abi::Native::Both(f), abi::Native::Both(g)) => {
                for x in &points {
                    let (a, b) = (f(*x), g(*x));
                    same(b.first, a.first, row.name, *x);
                    same(b.second, a.second, row.name, *x);
                }
                f as usize != g as usize
            }
            _ => false,
        };
        if other {
            others.push(row.name);
        }
    }
    // Those written over lanes; the rest needs no other form.
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") {
        let all = crate::lanes::names().chain(["pow", "logaddexp"]).chain(pairs.iter().map(|p| p.name));
        for name in all {
            assert!(others.contains(&name), "{name} has no form for this machine");
        }
    }
}
