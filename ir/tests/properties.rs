//! Properties of the text form, the verifier and the interpreter on generated programs.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Knobs, Rng, StdMath, inputs, module};
use adc_ir::text::{PrintOptions, parse_module, print_module_with};
use adc_ir::verify::assert_valid;
use adc_ir::*;

const SEEDS: std::ops::Range<u64> = 0..300;

fn each(knobs: &Knobs, test: impl Fn(u64, Module)) {
    for seed in SEEDS {
        test(seed, module(seed, knobs));
    }
}

fn run(m: &Module, args: &[Const]) -> Result<Vec<Val<f64>>, RuntimeError> {
    let args: Vec<Val<f64>> = args.iter().map(|c| Val::from_const(*c)).collect();
    let entry = FuncId(m.funcs.len() as u32 - 1);
    Interp::new(m, &StdMath, &NoExterns).call(entry, &args)
}

#[test]
fn generated_programs_are_valid_and_deterministic() {
    each(&Knobs::default(), |seed, m| {
        assert_valid(&m, "the generator");
        assert_eq!(m, module(seed, &Knobs::default()));
    });
}

#[test]
fn every_op_is_generated() {
    let mut missing: Vec<Op> = Op::ALL.to_vec();
    fn remove(r: &Region, missing: &mut Vec<Op>) {
        for inst in &r.insts {
            if let Kind::Op(op) = inst.kind {
                missing.retain(|o| *o != op);
            }
            inst.regions.iter().for_each(|r| remove(r, missing));
        }
    }
    for seed in SEEDS {
        for f in &module(seed, &Knobs::default()).funcs {
            remove(f.region().unwrap(), &mut missing);
        }
    }
    assert_eq!(missing, []);
}

#[test]
fn text_reads_back() {
    for opts in [PrintOptions::default(), PrintOptions { spans: true, ..PrintOptions::default() }] {
        each(&Knobs { traps: true, ..Knobs::default() }, |seed, m| {
            let text = print_module_with(&m, &opts);
            let again = parse_module(&text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
            assert_eq!(print_module_with(&again, &opts), text, "seed {seed}");
            let mut m = m;
            m.funcs.iter_mut().for_each(Func::renumber);
            if opts.spans {
                assert_eq!(again, m, "seed {seed}");
            }
        });
    }
}

#[test]
fn dead_code_does_not_count() {
    let knobs = Knobs { traps: true, ..Knobs::default() };
    each(&knobs, |seed, m| {
        let mut small = m.clone();
        dce::run_module(&mut small);
        assert_valid(&small, "dce");
        let count = |m: &Module| m.funcs.iter().map(Func::inst_count).sum::<usize>();
        assert!(count(&small) <= count(&m));
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            let args = inputs(&mut rng, m.funcs.last().unwrap(), true);
            // A failing op whose value is not needed may go unreported.
            if let Ok(before) = run(&m, &args) {
                let after = run(&small, &args).expect("no new error");
                let entry = m.funcs.last().unwrap();
                for ((a, b), r) in before.iter().zip(&after).zip(&entry.results) {
                    let ty = r.ty.scalar();
                    assert!(a.to_const(ty).same(b.to_const(ty)), "seed {seed}\n{m}\n{small}");
                }
            }
        }
    });
}

fn magnitude(v: &Val<f64>) -> f64 {
    match v {
        Val::Bool(_) | Val::I64(_) => 0.0,
        Val::Real(x) => x.abs(),
        Val::Complex(z) => z.norm(),
        Val::Array(a) => a.data().iter().map(magnitude).fold(0.0, f64::max),
    }
}

#[test]
fn smooth_programs_have_moderate_values() {
    each(&Knobs::smooth(), |seed, m| {
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            let args = inputs(&mut rng, m.funcs.last().unwrap(), false);
            let out = run(&m, &args).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{m}"));
            for v in out {
                let size = magnitude(&v);
                assert!(size < 100.0, "seed {seed}: {size} at {args:?}\n{m}");
            }
        }
    });
}

#[test]
fn wild_programs_end_without_panic() {
    each(&Knobs { traps: true, ..Knobs::default() }, |seed, m| {
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            let args = inputs(&mut rng, m.funcs.last().unwrap(), true);
            match run(&m, &args) {
                Ok(_) => {}
                Err(e) => assert!(
                    !matches!(e.trap, Trap::Assert(_) | Trap::Domain(_)),
                    "seed {seed}: an assertion that holds failed\n{m}"
                ),
            }
        }
    });
}
