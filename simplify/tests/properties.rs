//! A simplified strict program gives the bits of the original, on generated programs and on ±0, ±∞, NaN.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Knobs, Rng, StdMath, inputs, module};
use adc_ir::verify::assert_valid;
use adc_ir::{Builder, Const, FpMode, Func, FuncId, Module, Op, RuntimeError, Scalar, Span, Type};
use adc_simplify::{OptLevel, canonicalise, inline, run};

const SEEDS: std::ops::Range<u64> = 0..600;

type Pass = (&'static str, fn(&mut Module));

const PASSES: [Pass; 3] = [
    ("canonicalise", canonicalise),
    ("inline", |m| inline(m, 40)),
    ("run", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        m.limit_fp(FpMode::Strict);
        run(m, &roots, OptLevel::O3)
    }),
];

fn call(m: &Module, args: &[Const]) -> Result<Vec<Const>, RuntimeError> {
    let args: Vec<Val<f64>> = args.iter().map(|c| Val::from_const(*c)).collect();
    let entry = FuncId(m.funcs.len() as u32 - 1);
    let out = Interp::new(m, &StdMath, &NoExterns).call(entry, &args)?;
    Ok(out.iter().zip(&m.func(entry).results).map(|(v, r)| v.to_const(r.ty.scalar())).collect())
}

fn size(m: &Module) -> usize {
    m.funcs.iter().map(Func::inst_count).sum()
}

fn agree(knobs: &Knobs) {
    for seed in SEEDS {
        let m = module(seed, knobs);
        for (name, pass) in PASSES {
            let mut simple = m.clone();
            pass(&mut simple);
            assert_valid(&simple, name);
            let mut rng = Rng::new(seed);
            for i in 0..8 {
                let args = inputs(&mut rng, m.funcs.last().unwrap(), i % 2 == 1);
                let place = || format!("{name}, seed {seed}, at {args:?}\n{m}\nbecame\n{simple}");
                match (call(&m, &args), call(&simple, &args)) {
                    (Ok(a), Ok(b)) => {
                        let same = a.iter().zip(&b).all(|(a, b)| a.same(*b));
                        assert!(same, "{a:?} became {b:?}: {}", place());
                    }
                    // A failing operation whose value is not needed may go unreported.
                    (Err(_), _) if knobs.traps => {}
                    (a, b) => panic!("{a:?} became {b:?}: {}", place()),
                }
            }
        }
    }
}

#[test]
fn results_keep_their_bits() {
    agree(&Knobs::default());
    agree(&Knobs { steps: 40, funcs: 1, ..Knobs::default() });
}

#[test]
fn no_new_errors() {
    agree(&Knobs { traps: true, ..Knobs::default() });
}

#[test]
fn canonical_form_is_smaller_and_stays() {
    let mut total = (0, 0);
    for seed in SEEDS {
        let m = module(seed, &Knobs::default());
        let mut once = m.clone();
        canonicalise(&mut once);
        assert!(size(&once) <= size(&m), "seed {seed}\n{m}\n{once}");
        total = (total.0 + size(&m), total.1 + size(&once));
        let mut twice = once.clone();
        canonicalise(&mut twice);
        assert_eq!(once.to_string(), twice.to_string(), "seed {seed}");
    }
    assert!(total.1 * 10 < total.0 * 9, "{total:?}");
}

/// f(x) = (((x + 1)·x + 1)·x + 1)…, each step computed twice.
fn horner(steps: usize) -> Module {
    let mut b = Builder::new("f", Span::NONE);
    let x = b.param("x", Type::F64);
    let mut y = x;
    for _ in 0..steps {
        let mut step = |_| {
            let one = b.num(1.0, Scalar::F64);
            let sum = b.op(Op::Add, &[y, one]);
            b.op(Op::Mul, &[x, sum])
        };
        let (a, c) = (step(0), step(1));
        y = b.op(Op::Min, &[a, c]);
    }
    let mut m = Module::default();
    m.add(b.finish(vec![("out".into(), y)]));
    m
}

#[test]
fn large_functions_are_no_problem() {
    const STEPS: usize = 15_000;
    let mut m = horner(STEPS);
    assert_eq!(size(&m), STEPS * 7);
    canonicalise(&mut m);
    // min(a, a) = a, and one literal serves all.
    assert_eq!(size(&m), STEPS * 2 + 1);
}

/// Each function calls the one before it twice: 2ⁿ copies if nothing stops it.
#[test]
fn inlining_is_bounded() {
    let mut m = Module::default();
    let mut callee: Option<FuncId> = None;
    for n in 0..60 {
        let mut b = Builder::new(format!("f{n}"), Span::NONE);
        let x = b.param("x", Type::F64);
        let mut y = b.op(Op::Sin, &[x]);
        for _ in 0..2 {
            y = match callee {
                Some(f) => b.call(f, &[y], &[Type::F64])[0],
                None => b.op(Op::Cos, &[y]),
            };
        }
        let mut f = b.finish(vec![("out".into(), y)]);
        f.inline = true;
        callee = Some(m.add(f));
    }
    inline(&mut m, 40);
    assert_valid(&m, "inline");
    assert!(m.funcs.iter().all(|f| f.inst_count() <= 100_000));
    assert!(size(&m) < 1_000_000, "{}", size(&m));
}
