//! Properties of text form, verifier, dead code elimination, specialisation and interpreter on generated programs with
//! arrays and loops.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, StdMath, array_inputs, module};
use adc_ir::text::{PrintOptions, parse_module, print_module_with};
use adc_ir::verify::{assert_valid, verify};
use adc_ir::*;

const SEEDS: std::ops::Range<u64> = 0..200;

fn each(knobs: &Knobs, test: impl Fn(u64, Module)) {
    for seed in SEEDS {
        test(seed, module(seed, knobs));
    }
}

fn wild() -> Knobs {
    Knobs { traps: true, ..Knobs::arrays() }
}

fn smooth() -> Knobs {
    Knobs { steps: 24, arrays: true, ..Knobs::smooth() }
}

fn run(m: &Module, f: FuncId, dims: &[i64], args: &[Val<f64>]) -> Result<Vec<Val<f64>>, RuntimeError> {
    Interp::new(m, &StdMath, &NoExterns).call_with_dims(f, dims, args)
}

fn entry(m: &Module) -> FuncId {
    FuncId(m.funcs.len() as u32 - 1)
}

/// Bit for bit, any NaN being any NaN.
fn same(a: &[Val<f64>], b: &[Val<f64>], results: &[ResultDecl]) -> bool {
    let one = |((a, b), r): ((&Val<f64>, &Val<f64>), &ResultDecl)| {
        let sizes = |v: &Val<f64>| if let Val::Array(a) = v { a.shape().to_vec() } else { Vec::new() };
        let (x, y) = (a.to_consts(r.ty.scalar()), b.to_consts(r.ty.scalar()));
        sizes(a) == sizes(b) && x.iter().zip(&y).all(|(x, y)| x.same(*y))
    };
    a.len() == b.len() && a.iter().zip(b).zip(results).all(one)
}

#[test]
fn generated_programs_are_valid_and_deterministic() {
    for knobs in [Knobs::arrays(), wild(), smooth()] {
        each(&knobs, |seed, m| {
            assert_valid(&m, &format!("the generator with seed {seed}"));
            assert_eq!(m, module(seed, &knobs));
        });
    }
}

#[test]
fn every_kind_is_generated_as_deep_as_asked() {
    fn look(r: &Region, depth: usize, kinds: &mut Vec<String>, deepest: &mut usize) {
        *deepest = depth.max(*deepest);
        for inst in &r.insts {
            let name = format!("{:?}", inst.kind);
            let name = match inst.kind {
                Kind::Linalg(_) | Kind::Reduce(_) => name,
                _ => name.split([' ', '(']).next().unwrap_or_default().to_string(),
            };
            kinds.retain(|k| *k != name);
            inst.regions.iter().for_each(|r| look(r, depth + 1, kinds, deepest));
        }
    }
    let reductions = ReduceOp::ALL.iter().map(|(op, _)| format!("{:?}", Kind::Reduce(*op)));
    let linalg = LinalgOp::ALL.iter().map(|(op, _)| format!("{:?}", Kind::Linalg(*op)));
    let plain = Kind::PLAIN.iter().map(|(_, k)| format!("{k:?}"));
    let others = ["Build", "For", "While", "If", "Size", "Call", "Assert", "Const", "Op"].map(String::from);
    let mut missing: Vec<String> = reductions.chain(linalg).chain(plain).chain(others).collect();
    // Made by the simplifier only, because it has no derivative.
    missing.retain(|k| !k.starts_with("Linalg(Lu"));
    let mut deepest = 0;
    for seed in SEEDS {
        for f in &module(seed, &Knobs::arrays()).funcs {
            look(f.region().unwrap(), 0, &mut missing, &mut deepest);
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert_eq!(deepest, Knobs::arrays().depth);
}

#[test]
fn text_reads_back() {
    for spans in [false, true] {
        let opts = PrintOptions { spans, ..PrintOptions::default() };
        each(&wild(), |seed, mut m| {
            let text = print_module_with(&m, &opts);
            let again = parse_module(&text).unwrap_or_else(|d| panic!("seed {seed}: {d:?}\n{text}"));
            assert_eq!(print_module_with(&again, &opts), text, "seed {seed}");
            m.funcs.iter_mut().for_each(Func::renumber);
            assert_valid(&m, "renumbering");
            if spans {
                assert_eq!(again, m, "seed {seed}");
            }
        });
    }
}

#[test]
fn dead_code_does_not_count() {
    each(&wild(), |seed, m| {
        let mut small = m.clone();
        dce::run_module(&mut small);
        assert_valid(&small, "dce");
        let count = |m: &Module| m.funcs.iter().map(Func::inst_count).sum::<usize>();
        assert!(count(&small) <= count(&m));
        let mut again = small.clone();
        dce::run_module(&mut again);
        assert_eq!(again, small, "seed {seed}: nothing is left to remove");
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let (dims, args) = array_inputs(&mut rng, m.func(entry(&m)), true);
            // A failing op whose value is not needed may go unreported.
            if let Ok(before) = run(&m, entry(&m), &dims, &args) {
                let after = run(&small, entry(&m), &dims, &args).expect("no new error");
                assert!(same(&before, &after, &m.func(entry(&m)).results), "seed {seed}\n{m}\n{small}");
            }
        }
    });
}

#[test]
fn an_instance_does_what_the_function_does() {
    each(&wild(), |seed, m| {
        let mut rng = Rng::new(seed);
        let f = entry(&m);
        for _ in 0..3 {
            let (dims, args) = array_inputs(&mut rng, m.func(f), true);
            let mut with = m.clone();
            let instance = specialise(&mut with, f, &dims).expect("small dimensions");
            assert_valid(&with, "specialise");
            assert_eq!(parse_module(&with.to_string()).unwrap().to_string(), with.to_string());
            assert!(with.func(instance).dims.is_empty());
            let (before, after) = (run(&m, f, &dims, &args), run(&with, instance, &[], &args));
            match (&before, &after) {
                (Ok(a), Ok(b)) => assert!(same(a, b, &m.func(f).results), "seed {seed}\n{with}"),
                _ => assert_eq!(before, after, "seed {seed}"),
            }
        }
    });
}

#[test]
fn programs_without_traps_run() {
    each(&Knobs::arrays(), |seed, m| {
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let (dims, args) = array_inputs(&mut rng, m.func(entry(&m)), true);
            let result = run(&m, entry(&m), &dims, &args);
            let error = result.err().map(|e| e.to_string());
            assert_eq!(error, None, "seed {seed}\n{m}");
        }
    });
}

#[test]
fn arguments_are_left_alone() {
    each(&wild(), |seed, m| {
        let mut rng = Rng::new(seed);
        let (dims, args) = array_inputs(&mut rng, m.func(entry(&m)), false);
        let before = format!("{args:?}");
        let first = run(&m, entry(&m), &dims, &args);
        assert_eq!(format!("{args:?}"), before, "seed {seed}");
        let second = run(&m, entry(&m), &dims, &args);
        match (first, second) {
            (Ok(a), Ok(b)) => assert!(same(&a, &b, &m.func(entry(&m)).results), "seed {seed}"),
            (a, b) => assert_eq!(a, b, "seed {seed}"),
        }
    });
}

#[test]
fn smooth_programs_have_moderate_values() {
    fn magnitude(v: &Val<f64>) -> f64 {
        match v {
            Val::Bool(_) | Val::I64(_) => 0.0,
            Val::Real(x) => x.abs(),
            Val::Complex(z) => z.norm(),
            Val::Array(a) => a.data().iter().map(magnitude).fold(0.0, |a, b| if a >= b { a } else { b }),
        }
    }
    each(&smooth(), |seed, m| {
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let (dims, args) = array_inputs(&mut rng, m.func(entry(&m)), false);
            let out = run(&m, entry(&m), &dims, &args).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{m}"));
            for v in &out {
                assert!(magnitude(v) < 1e6, "seed {seed}: {v:?}\n{m}");
            }
        }
    });
}

/// Changes one thing somewhere in a region.
fn mutate(rng: &mut Rng, r: &mut Region, values: usize) {
    let value = |rng: &mut Rng| Value(rng.below(values + 1) as u32);
    if r.insts.is_empty() || rng.one_in(8) {
        let list = if rng.one_in(2) { &mut r.yields } else { &mut r.params };
        if let Some(v) = list.first_mut() {
            *v = value(rng);
        }
        return;
    }
    let i = rng.below(r.insts.len());
    let inst = &mut r.insts[i];
    if let Some(nested) = inst.regions.last_mut().filter(|_| rng.one_in(2)) {
        return mutate(rng, nested, values);
    }
    match rng.below(8) {
        0 => drop(r.insts.remove(i)),
        1 => inst.kind = kind(rng),
        2 => inst.args.push(value(rng)),
        3 if !inst.args.is_empty() => drop(inst.args.remove(inst.args.len() - 1)),
        4 => drop(inst.regions.pop()),
        5 => inst.kind = Kind::Size(Box::new(Dim::var(value(rng)))),
        6 => inst.results.reverse(),
        _ => match inst.args.first_mut() {
            Some(v) => *v = value(rng),
            None => r.insts.swap(0, i),
        },
    }
}

fn kind(rng: &mut Rng) -> Kind {
    match rng.below(4) {
        0 => Kind::PLAIN[rng.below(Kind::PLAIN.len())].1.clone(),
        1 => Kind::Reduce(ReduceOp::ALL[rng.below(ReduceOp::ALL.len())].0),
        2 => Kind::Build { rank: rng.below(4) as u8 },
        _ => [Kind::For(Loop::default()), Kind::While(Loop::default()), Kind::If, Kind::Call(FuncId(0))]
            [rng.below(4)]
        .clone(),
    }
}

#[test]
fn mutated_programs_are_refused_or_run() {
    let mut accepted = 0;
    for seed in 0..1500 {
        let mut m = module(seed, &Knobs { steps: 10, ..wild() });
        let mut rng = Rng::new(seed);
        let which = rng.below(m.funcs.len());
        let f = &mut m.funcs[which];
        let values = f.values.len();
        if rng.one_in(4) {
            let v = rng.below(values);
            let var = Value(rng.below(values) as u32);
            if let Some(size) = f.values[v].shape.first_mut() {
                *size = Dim::var(var);
            }
        } else if let Body::Region(r) = &mut f.body {
            mutate(&mut rng, r, values);
        }
        let text = m.to_string();
        if verify(&m).is_ok() {
            accepted += 1;
            let (dims, args) = array_inputs(&mut rng, m.func(entry(&m)), true);
            let limits = interp::Limits { fuel: 1 << 16, bytes: 1 << 24 };
            let interp = Interp { limits, ..Interp::new(&m, &StdMath, &NoExterns) };
            let _ = interp.call_with_dims(entry(&m), &dims, &args);
            assert_eq!(parse_module(&text).expect("valid programs read back").to_string(), text);
        }
    }
    assert!((100..1400).contains(&accepted), "{accepted}");
}
