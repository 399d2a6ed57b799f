//! Functions of four numbers have the bits of those of one, whatever the other numbers are.

use crate::lanes::Random;
use adc_runtime::abi::{Native, quad, real};

/// Numbers of every kind: usual ones, tiny and huge ones, any bits, and the special ones.
fn number(random: &mut Random) -> f64 {
    const SPECIAL: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        5e-324,
        -1e-310,
        f64::MIN_POSITIVE,
        f64::MAX,
        709.9,
        -745.2,
        1e22,
    ];
    match random.bits() % 8 {
        0 => SPECIAL[(random.bits() % 14) as usize],
        1 => f64::from_bits(random.bits()),
        2 => (random.unit() - 0.5) * 1600.0,
        3 => (random.unit() * 80.0 - 60.0).exp2(),
        4 => (random.bits() % 9) as f64 - 4.0,
        _ => (random.unit() - 0.4) * 10.0,
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn four_numbers_have_the_bits_of_one() {
    if !quad::is_there() {
        return;
    }
    for row in quad::rows() {
        let mut random = Random(row.symbol.len() as u64);
        for _ in 0..adc_ir::testing::cases(20_000) {
            let x: [f64; 8] = std::array::from_fn(|_| number(&mut random));
            let mut out = [0.0; 8];
            let at = std::ptr::with_exposed_provenance::<()>(row.address);
            // SAFETY: the row says that the function has this signature, and there is room for both results.
            unsafe {
                if row.operands == 1 {
                    type One = unsafe extern "C" fn(f64, f64, f64, f64, *mut f64);
                    std::mem::transmute::<*const (), One>(at)(x[0], x[1], x[2], x[3], out.as_mut_ptr());
                } else {
                    type Two = unsafe extern "C" fn(f64, f64, f64, f64, f64, f64, f64, f64, *mut f64);
                    let f = std::mem::transmute::<*const (), Two>(at);
                    f(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], out.as_mut_ptr());
                }
            }
            for (half, name) in row.ops.iter().enumerate() {
                let single = real::ROWS.iter().find(|r| r.name == *name).expect("it is an op's function");
                for (i, a) in x[..4].iter().enumerate() {
                    let expected = match single.native {
                        Native::R1(f) => f(*a),
                        Native::R2(f) => f(*a, x[4 + i]),
                        _ => panic!("{name} is of another form"),
                    };
                    let got = out[4 * half + i];
                    assert!(
                        same(got, expected),
                        "{name} of {a:e} (and {:e}): {got:e}, not {expected:e}",
                        x[4 + i]
                    );
                }
            }
        }
    }
}
