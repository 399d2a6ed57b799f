//! Every op by itself.

use super::{Case, Point};
use adc_ir::interp::Val;
use adc_ir::testing::Rng;
use adc_ir::*;
use adc_precise::Big;
use num_complex::Complex;

/// The operand types of double precision that an op takes.
pub(super) fn operands(op: Op) -> Vec<Vec<Scalar>> {
    const TYPES: [Scalar; 4] = [Scalar::Bool, Scalar::I64, Scalar::F64, Scalar::C128];
    let mut lists = vec![Vec::new()];
    for _ in 0..op.arity() {
        lists = lists
            .iter()
            .flat_map(|l: &Vec<Scalar>| TYPES.iter().map(move |t| [&l[..], &[*t]].concat()))
            .collect();
    }
    let gives = |l: &Vec<Scalar>| {
        let types: Vec<Type> = l.iter().map(|s| (*s).into()).collect();
        op.result_type(&types).is_some_and(|t| matches!(t.scalar(), Scalar::F64 | Scalar::C128))
    };
    lists.retain(gives);
    lists
}

fn number(rng: &mut Rng, k: usize) -> f64 {
    const SPECIAL: [f64; 14] =
        [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 1e-8, -1e-150, 5e-324, 1e17, -1e160, f64::INFINITY];
    match k % 4 {
        0 => rng.real(0.0, 1.0),
        1 => rng.real(-10.0, 10.0),
        2 => rng.real(-1.0, 1.0) * 2f64.powi(rng.below(120) as i32 - 60),
        _ => rng.pick(&SPECIAL),
    }
}

fn operand(rng: &mut Rng, ty: Scalar, k: usize) -> Val<f64> {
    match ty {
        Scalar::Bool => Val::Bool(rng.one_in(2)),
        Scalar::I64 => Val::I64(rng.below(5) as i64),
        Scalar::C128 => Val::Complex(Complex::new(number(rng, k), number(rng, k))),
        Scalar::F32 | Scalar::F64 | Scalar::C64 => Val::Real(number(rng, k)),
    }
}

#[test]
fn every_op_has_a_form() {
    for op in Op::ALL {
        for types in operands(*op) {
            let mut b = Builder::new("f", Span::NONE);
            let x: Vec<Value> = types.iter().enumerate().map(|(i, t)| b.param(format!("x{i}"), *t)).collect();
            let y = b.op(*op, &x);
            let mut m = Module::default();
            m.add(b.finish(vec![("y".into(), y)]));
            let case = Case::last(m);
            assert!(case.shadow.holes.is_empty(), "{op}: {types:?}");
            let rng = &mut Rng::new(7);
            let (mut compared, mut points) = (0, 0);
            for k in 0..120 {
                let args: Vec<Val<f64>> = types.iter().map(|t| operand(rng, *t, k)).collect();
                // Only the pair tells which of equal operands is an extremum: see `decisions`.
                let order = matches!(op, Op::Min | Op::Max | Op::Clamp);
                if order && (1..args.len()).any(|i| args[..i].contains(&args[i])) {
                    continue;
                }
                let point = Point::near(rng, Vec::new(), &args);
                points += 1;
                compared += case.check(&point, true, &format!("{op} {types:?} {args:?}")).unwrap_or(0);
            }
            assert!(compared > points / 4, "{op} {types:?}: {compared} of {points}");
        }
    }
}

/// Inline arithmetic has the accuracy of the algorithms.
#[test]
fn inline_arithmetic_is_accurate() {
    let text = "
fn f(a: f64, b: f64) -> (f64, f64, f64, f64, f64, f64) {
  v0 = add a, b
  v1 = mul a, b
  v2 = div a, b
  v3 = abs a
  v4 = sqrt v3
  v5 = square b
  v6 = sub a, b
  return v0, v1, v2, v4, v5, v6
}";
    let m = text::parse_module(text).expect("it parses");
    let mut case = Case::last(m);
    (case.accuracy, case.better) = (2e-31, 0.0);
    let rng = &mut Rng::new(3);
    let mut compared = 0;
    for k in 0..3000 {
        let args: Vec<Val<f64>> = (0..2).map(|_| Val::Real(number(rng, k % 3))).collect();
        // Operands of one size cancel.
        let args = if k % 5 == 0 { vec![args[0].clone(), args[0].clone()] } else { args };
        let point = Point::new(Vec::new(), &args, 1.0, &mut |p| {
            Big::from(p) + Big::from(p * rng.real(-1.1e-16, 1.1e-16))
        });
        compared += case.check(&point, false, "arithmetic").expect("nothing fails");
    }
    // Six results, interpreted and compiled.
    assert!(compared == 3000 * 12, "{compared}");
}
