//! What ops give is what is known of it, for operands that are as is known of them: special, tiny and huge ones too.

use adc_ir::interp::{Val, eval};
use adc_ir::testing::Rng;
use adc_ir::{Const, Op, Scalar, Type};
use adc_jit::RuntimeMath;
use adc_simplify::facts::Facts;
use num_complex::Complex64;

const REALS: [f64; 30] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -3.0,
    0.3,
    -0.9999,
    7.25,
    25.0,
    -40.0,
    710.0,
    -746.0,
    1e9,
    -1e12,
    5e-324,
    -5e-324,
    3e-308,
    1e-200,
    -1e-160,
    1e200,
    -1e300,
    f64::MAX,
    -f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-9,
];
const INTS: [i64; 9] = [0, 1, -1, 2, 3, -2, 7, 1000, -31];

/// A literal of a type.
fn literal(rng: &mut Rng, ty: Scalar) -> Const {
    let mut real = || if rng.one_in(2) { rng.pick(&REALS) } else { rng.real(-4.0, 4.0) };
    match ty {
        Scalar::Bool => Const::Bool(real() > 0.0),
        Scalar::I64 => Const::I64(rng.pick(&INTS)),
        Scalar::F32 | Scalar::F64 => Const::real(real(), ty),
        Scalar::C64 | Scalar::C128 => Const::from_c128(Complex64::new(real(), real()), ty),
    }
}

/// Some literals, and what is known of one of them.
fn operand(rng: &mut Rng, ty: Scalar) -> (Vec<Const>, Facts) {
    let some: Vec<Const> = (0..1 + rng.below(3)).map(|_| literal(rng, ty)).collect();
    let facts = some.iter().map(|c| Facts::literal(*c)).reduce(|a, b| a.join(&b)).expect("there is one");
    (some, facts)
}

fn check(op: Op, tys: &[Scalar], rng: &mut Rng) -> usize {
    let types: Vec<Type> = tys.iter().map(|t| Type::Scalar(*t)).collect();
    let Some(ty) = op.result_type(&types).map(|t| t.scalar()).filter(|t| *t != Scalar::Bool) else {
        return 0;
    };
    let mut checked = 0;
    for _ in 0..400 {
        let operands: Vec<(Vec<Const>, Facts)> = tys.iter().map(|t| operand(rng, *t)).collect();
        let facts: Vec<Facts> = operands.iter().map(|o| o.1).collect();
        let known = Facts::of(op, &facts, ty);
        let chosen: Vec<Const> = operands.iter().map(|o| rng.pick(&o.0)).collect();
        let vals: Vec<Val<f64>> = chosen.iter().map(|c| Val::from_const(*c)).collect();
        let Ok(value) = eval(&RuntimeMath, op, &vals.iter().collect::<Vec<_>>(), ty) else { continue };
        let z = value.to_const(ty).to_c128();
        let holds = known.re.contains(z.re) && (!ty.is_complex() || known.im.contains(z.im));
        assert!(holds, "{op} of {chosen:?} is {z:?}, known is {known:?} of {facts:?}");
        checked += 1;
    }
    checked
}

#[test]
fn ops() {
    use Scalar::*;
    let mut rng = Rng::new(3);
    let mut checked = 0;
    for op in Op::ALL {
        let lists: Vec<Vec<Scalar>> = match op.arity() {
            1 => Scalar::all().map(|t| vec![t]).collect(),
            2 => [
                (F64, F64),
                (F32, F32),
                (I64, I64),
                (I64, F64),
                (F64, I64),
                (C128, C128),
                (F64, C128),
                (C128, F64),
            ]
            .map(|(a, b)| vec![a, b])
            .to_vec(),
            _ => vec![vec![F64; 3], vec![F32; 3], vec![Bool, F64, F64], vec![Bool, C128, C128], vec![I64; 3]],
        };
        checked += lists.iter().map(|tys| check(*op, tys, &mut rng)).sum::<usize>();
    }
    assert!(checked > 50_000, "{checked}");
}

#[test]
fn comparisons() {
    let mut rng = Rng::new(5);
    for op in [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq] {
        for _ in 0..20_000 {
            let [(xs, fx), (ys, fy)] = [0, 1].map(|_| operand(&mut rng, Scalar::F64));
            let (x, y) = (rng.pick(&xs).to_c128().re, rng.pick(&ys).to_c128().re);
            let truth = match op {
                Op::Lt => x < y,
                Op::Le => x <= y,
                Op::Gt => x > y,
                Op::Ge => x >= y,
                _ => x == y,
            };
            let known = fx.where_compared(op, &fy, truth);
            assert!(known.re.contains(x), "{x} {op} {y} is {truth}: {known:?} from {fx:?}, {fy:?}");
        }
    }
}

#[test]
fn widening_is_a_bound() {
    let mut rng = Rng::new(9);
    for _ in 0..20_000 {
        let [(xs, fx), (ys, fy)] = [0, 1].map(|_| operand(&mut rng, Scalar::F64));
        let mut wide = fx.widen(&fy);
        for c in xs.iter().chain(&ys) {
            assert!(wide.re.contains(c.to_c128().re), "{c:?} is not in {wide:?}");
        }
        // It ends.
        for _ in 0..50 {
            wide = wide.widen(&Facts::of(Op::Expm1, &[wide], Scalar::F64));
        }
        assert_eq!(wide, wide.widen(&Facts::of(Op::Expm1, &[wide], Scalar::F64)));
    }
}
