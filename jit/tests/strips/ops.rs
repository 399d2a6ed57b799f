//! Every op of doubles gives in a strip, however many lanes at a time, the bits it gives alone.

use crate::strips::fuzz::{back_ends, number, same};
use adc_ir::testing::Rng;
use adc_ir::{Elementary, Op};

use adc_jit::RuntimeMath;
use adc_jit::strips::*;

/// Where an op is interesting.
fn points(rng: &mut Rng) -> Vec<f64> {
    let mut points =
        vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, -5e-324, f64::MAX, f64::MIN];
    for base in
        [1.0, 0.5, 0.75, 1.5, 36.7, 88.0, 354.9, 372.5, 708.4, 709.78, 710.5, 745.13, 746.0, 1024.0, 1075.0]
    {
        points.extend([base, -base, 1.0 + base * f64::EPSILON]);
    }
    for n in 1..200 {
        points.extend([n as f64 * std::f64::consts::FRAC_PI_4, -(n as f64) * std::f64::consts::FRAC_PI_2]);
    }
    points.extend([1_073_741_823.5, 1_073_741_824.0, -1_073_741_825.0, 1e22, -1e300]);
    points.extend((0..1500).map(|_| number(rng)));
    points.extend((0..500).map(|_| rng.real(-800.0, 800.0)));
    points.extend((0..500).map(|_| rng.real(-40.0, 40.0)));
    points.extend((0..300).map(|_| f64::from_bits(rng.bits())));
    points
}

/// `y[i] = op(a[i], …)` of so many operands.
pub fn strip_of(op: Op, operands: usize) -> Option<Strip> {
    let mut b = StripBuilder::new();
    let stream = |base, access| Stream::new(base, 0, Step::Unit, access);
    let x: Vec<Lane> = (0..operands)
        .map(|k| {
            let s = b.stream(stream(k as u8, Access::R));
            Lane::Number(b.op(SOp::Load(s)))
        })
        .collect();
    let y = match b.apply(op, &x)? {
        Lane::Number(y) => y,
        Lane::Mask(m) => match b.apply(Op::ToF64, &[Lane::Mask(m)])? {
            Lane::Number(y) => y,
            Lane::Complex(_) | Lane::Mask(_) => unreachable!("it was made a number"),
        },
        // Complex numbers are compared by programs with them.
        Lane::Complex(_) => return None,
    };
    let out = b.stream(stream(operands as u8, Access::W));
    b.op(SOp::Store(out, y));
    Some(b.finish().expect("it is well formed"))
}

/// The op over all points.
fn run(back_end: &mut dyn StripBackend, op: Op, operands: &[Vec<f64>]) -> Option<Vec<f64>> {
    let strip = strip_of(op, operands.len())?;
    let code = back_end.compile(&strip).expect("it compiles");
    let n = operands[0].len();
    let mut y = vec![0.0; n];
    let mut bases: Vec<*mut u8> = operands.iter().map(|x| x.as_ptr().cast_mut().cast()).collect();
    bases.push(y.as_mut_ptr().cast());
    // SAFETY: all bases have n elements, and the strip reads the operands only.
    unsafe { code.run(bases.as_ptr(), [].as_mut_ptr(), 0, n) };
    Some(y)
}

#[test]
fn ops_in_lanes_are_ops_alone() {
    for mut back_end in back_ends() {
        agrees(&mut *back_end);
    }
}

fn agrees(back_end: &mut dyn StripBackend) {
    let mut rng = Rng::new(7);
    let x = points(&mut rng);
    let mut shuffled = || {
        let mut other = x.clone();
        for k in (1..other.len()).rev() {
            other.swap(k, rng.below(k + 1));
        }
        other
    };
    let (second, third) = (shuffled(), shuffled());
    let operands = [vec![x.clone()], vec![x.clone(), second.clone()], vec![x.clone(), second, third]];
    let mut count = 0;
    for op in Op::ALL {
        for operands in &operands {
            let Some(got) = run(back_end, *op, operands) else { continue };
            let alone = |i: usize| {
                let x: Vec<f64> = operands.iter().map(|x| x[i]).collect();
                alone(*op, &x)
            };
            let Some(want) = (0..x.len()).map(alone).collect::<Option<Vec<f64>>>() else { continue };
            count += 1;
            for i in 0..x.len() {
                assert!(
                    same(&got[i..=i], &want[i..=i]),
                    "{op}{:?}: {:e}, not {:e}",
                    operands.iter().map(|x| x[i]).collect::<Vec<f64>>(),
                    got[i],
                    want[i]
                );
            }
        }
    }
    assert!(count > 60, "{count} ops compared");
}

/// The op on single numbers; `None` if nothing says.
fn alone(op: Op, x: &[f64]) -> Option<f64> {
    let a = x[0];
    let truth = |m: bool| Some(m as u8 as f64);
    match (op, x) {
        (Op::Neg, [_]) => Some(-a),
        (Op::Recip, [_]) => Some(1.0 / a),
        (Op::Square | Op::Abs2, [_]) => Some(a * a),
        (Op::Sqrt, [_]) => Some(a.sqrt()),
        (Op::Floor, [_]) => Some(a.floor()),
        (Op::Ceil, [_]) => Some(a.ceil()),
        (Op::Round, [_]) => Some(a.round_ties_even()),
        (Op::Trunc, [_]) => Some(a.trunc()),
        (Op::Abs, [_]) => Some(a.abs()),
        (Op::Sign, [_]) => Some(if a == 0.0 || a.is_nan() { a } else { 1f64.copysign(a) }),
        (Op::Conj | Op::Re | Op::StopGradient | Op::ToF64, [_]) => Some(a),
        (Op::Im, [_]) => Some(0.0),
        (Op::IsNan, [_]) => truth(a.is_nan()),
        (Op::IsFinite, [_]) => truth(a.is_finite()),
        (Op::IsInf, [_]) => truth(a.is_infinite()),
        (Op::Add, [a, b]) => Some(a + b),
        (Op::Sub, [a, b]) => Some(a - b),
        (Op::Mul, [a, b]) => Some(a * b),
        (Op::Div, [a, b]) => Some(a / b),
        // The sign of a NaN is nobody's.
        (Op::Copysign, [_, b]) if b.is_nan() => None,
        (Op::Copysign, [a, b]) => Some(a.copysign(*b)),
        (Op::Min | Op::Max, [a, b]) => Some(if a.is_nan() || b.is_nan() {
            f64::NAN
        } else if (op == Op::Min) == (a < b || (a == b && a.is_sign_negative())) {
            *a
        } else {
            *b
        }),
        (Op::Fma, [a, b, c]) => Some(a.mul_add(*b, *c)),
        (Op::Clamp, [_, lo, hi]) => alone(Op::Min, &[alone(Op::Max, &[a, *lo])?, *hi]),
        (Op::Lt, [a, b]) => truth(a < b),
        (Op::Le, [a, b]) => truth(a <= b),
        (Op::Gt, [a, b]) => truth(a > b),
        (Op::Ge, [a, b]) => truth(a >= b),
        (Op::Eq, [a, b]) => truth(a == b),
        (Op::Ne, [a, b]) => truth(a != b),
        _ => Some(RuntimeMath.real(op, x)),
    }
}
