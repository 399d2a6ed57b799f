//! Interpreter = compiled code, bit for bit.

use crate::jit::{compile_with, interpret, same};
use adc_ir::interp::NoExterns;
use adc_ir::testing::{Knobs, Rng, inputs, module};
use adc_ir::text::print_module;
use adc_ir::{Builder, Const, FuncId, Module, Op, Scalar, Span, Type};
use adc_jit::Effort::{self, Full, Quick};
use num_complex::Complex64;

/// A generated program, whole and cut into units of a few operations, on ordinary and on special arguments.
fn check_program(seed: u64, knobs: &Knobs) {
    let m = module(seed, knobs);
    let f = FuncId(m.funcs.len() as u32 - 1);
    let ways = [(500, Full), (25, Full), (3, Full), (1, Full), (500, Quick), (3, Quick)];
    let variants = ways.map(|(ops, effort)| ((ops, effort), compile_with(&m, f, ops, effort)));
    let mut rng = Rng::new(seed ^ 0x5eed);
    for i in 0..6 {
        let args = inputs(&mut rng, m.func(f), i % 2 == 1);
        let expected = interpret(&m, f, &args, &NoExterns);
        for (how, compiled) in &variants {
            let got = compiled.call(&args);
            assert!(
                same(&expected, &got),
                "seed {seed}, {how:?}: {args:?}\ninterpreter {expected:?}\ncompiled {got:?}\n{}",
                print_module(&m)
            );
        }
    }
}

#[test]
fn generated_programs() {
    for seed in 0..200 {
        check_program(seed, &Knobs { traps: seed % 3 == 0, ..Knobs::default() });
    }
}

#[test]
fn long_generated_programs() {
    for seed in 0..12 {
        check_program(seed, &Knobs { steps: 200, depth: 6, funcs: 5, ..Knobs::default() });
    }
}

const REALS: [f64; 26] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    -5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::MIN,
    1e-40,
    3e38,
    1e30,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.3,
    -0.7,
    3.7,
    9.223372036854775e18,
    -9.223372036854776e18,
];

const INTS: [i64; 12] = [0, 1, -1, 2, -2, 3, 7, -7, 63, 1 << 53, i64::MAX, i64::MIN];

fn specials(ty: Scalar) -> Vec<Const> {
    match ty {
        Scalar::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Scalar::I64 => INTS.iter().map(|n| Const::I64(*n)).collect(),
        Scalar::F32 | Scalar::F64 => REALS.iter().map(|x| Const::real(*x, ty)).collect(),
        Scalar::C64 | Scalar::C128 => {
            let few = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-310, 1e300, 1.0, -0.5, -3.7];
            let pair = |re: &f64| few.map(|im| Const::from_c128(Complex64::new(*re, im), ty));
            few.iter().flat_map(pair).collect()
        }
    }
}

/// Every op on every combination of operand types it takes, on special operands.
#[test]
fn every_op_on_special_operands() {
    let mut m = Module::default();
    let mut cases: Vec<(FuncId, Op, Vec<Scalar>)> = Vec::new();
    for &op in Op::ALL {
        for types in combinations(&Scalar::all().collect::<Vec<_>>(), op.arity()) {
            let tys: Vec<Type> = types.iter().map(|s| Type::Scalar(*s)).collect();
            if op.result_type(&tys).is_none() {
                continue;
            }
            let mut b = Builder::new(format!("{op}.{}", cases.len()), Span::NONE);
            let params: Vec<_> =
                types.iter().enumerate().map(|(i, t)| b.param(format!("x{i}"), *t)).collect();
            let y = b.op(op, &params);
            let f = m.add(b.finish(vec![("out".to_string(), y)]));
            cases.push((f, op, types));
        }
    }
    assert!(cases.len() > 250, "{} cases", cases.len());
    let funcs: Vec<FuncId> = cases.iter().map(|(f, ..)| *f).collect();
    let with = |effort: Effort| {
        let mut options = adc_jit::Options::default();
        options.effort = effort;
        adc_jit::compile(&m, &funcs, &adc_jit::Externs::new(), &options).expect("it compiles")
    };
    let (full, quick) = (with(Full), with(Quick));
    let mut rng = Rng::new(7);
    for ((f, op, types), compiled) in cases.iter().zip(full.iter().zip(&quick)) {
        let mut values: Vec<Vec<Const>> = types.iter().map(|t| specials(*t)).collect();
        if matches!(op, Op::Polygamma | Op::DSinc) {
            // The order of a derivative: each one costs time.
            values[0].retain(|n| matches!(n, Const::I64(-2..=63)));
        }
        let all: usize = values.iter().map(Vec::len).product();
        let samples = all.min(2500);
        for i in 0..samples {
            // All combinations if they are few, else a sample of them.
            let mut at = if samples == all { i } else { rng.below(all) };
            let mut args = Vec::new();
            for v in &values {
                args.push(v[at % v.len()]);
                at /= v.len();
            }
            let expected = interpret(&m, *f, &args, &NoExterns);
            for (effort, compiled) in [(Full, compiled.0), (Quick, compiled.1)] {
                let got = compiled.call(&args);
                assert!(
                    same(&expected, &got),
                    "{} of {args:?}: interpreter {expected:?}, compiled ({effort:?}) {got:?}",
                    m.func(*f).name
                );
            }
        }
    }
}

fn combinations(types: &[Scalar], n: usize) -> Vec<Vec<Scalar>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let longer = |rest: Vec<Scalar>| types.iter().map(move |t| [&rest[..], &[*t]].concat());
    combinations(types, n - 1).into_iter().flat_map(longer).collect()
}
