//! The e-graph pass on generated programs: results within rounding of the original's, what is known holds, the same output every
//! time, nothing dearer.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Knobs, Rng, inputs, module};
use adc_ir::verify::assert_valid;
use adc_ir::{Builder, Const, Func, FuncId, Kind, Module, Op, Region, Scalar, Span, Type, Value};
use adc_jit::RuntimeMath;
use adc_precise::{Big, BigMath};
use adc_simplify::egraph::{Effort, explained, functions};
use adc_simplify::rules::{Sort, Term, all};
use adc_simplify::{OptLevel, canonicalise, cost, run_explained};

const SEEDS: std::ops::Range<u64> = 0..300;

fn optimised(m: &Module, effort: Effort) -> (Module, Module) {
    let mut before = m.clone();
    canonicalise(&mut before);
    let mut after = before.clone();
    let all = vec![true; m.funcs.len()];
    functions(&mut after, &all, effort);
    assert_valid(&after, "egraph");
    canonicalise(&mut after);
    assert_valid(&after, "canonicalise");
    (before, after)
}

fn entry(m: &Module) -> FuncId {
    FuncId(m.funcs.len() as u32 - 1)
}

fn doubles(m: &Module, args: &[Const]) -> Option<Vec<Const>> {
    let args: Vec<Val<f64>> = args.iter().map(|c| Val::from_const(*c)).collect();
    let f = entry(m);
    let out = Interp::new(m, &RuntimeMath, &NoExterns).call(f, &args).ok()?;
    Some(out.iter().zip(&m.func(f).results).map(|(v, r)| v.to_const(r.ty.scalar())).collect())
}

fn precise(m: &Module, args: &[Const]) -> Option<Vec<(Big, Big)>> {
    let args: Vec<Val<Big>> = args.iter().map(|c| Val::from_const(*c)).collect();
    let out = Interp::new(m, &BigMath, &NoExterns).call(entry(m), &args).ok()?;
    let parts = |v: &Val<Big>| match v {
        Val::Real(x) => (*x, Big::ZERO),
        Val::Complex(z) => (z.re, z.im),
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => (Big::ZERO, Big::ZERO),
    };
    Some(out.iter().map(parts).collect())
}

/// A program made of left sides of rules, applied to parameters and to each other.
fn program(seed: u64, steps: usize) -> Module {
    let mut rng = Rng::new(seed);
    let mut b = Builder::new("f", Span::NONE);
    let mut reals: Vec<Value> = ["x", "y", "z"].iter().map(|n| b.param(*n, Type::F64)).collect();
    let mut complex: Vec<Value> =
        ["u", "v"].iter().map(|n| b.param(*n, Type::Scalar(Scalar::C128))).collect();
    for _ in 0..steps {
        let rule = &all()[rng.below(all().len())];
        let (left, _) = rule.terms();
        let mut places: Vec<(char, Value)> = Vec::new();
        for v in left.vars() {
            let value = match Sort::of(v) {
                Sort::Real => rng.pick(&reals),
                Sort::Literal => b.num(rng.pick(&[2.0, -3.0, 0.5, 1.5]), Scalar::F64),
                Sort::Complex => rng.pick(&complex),
                Sort::Integer => b.constant(Const::I64(rng.pick(&[1, 2, 3]))),
            };
            places.push((v, value));
        }
        let value = build(&mut b, &left, &places);
        // Of moderate size, and used as it is or not at all.
        if b.ty(value).scalar().is_complex() {
            let half = b.num(0.5, Scalar::F64);
            let re = b.op(Op::Re, &[value]);
            reals.push(b.op(Op::Sin, &[re]));
            complex.push(b.op(Op::Mul, &[half, complex[0]]));
        } else {
            reals.push(b.op(if rng.one_in(2) { Op::Tanh } else { Op::Sin }, &[value]));
        }
    }
    let results = reals.iter().rev().take(3).chain(complex.iter().rev().take(1)).enumerate();
    let results = results.map(|(i, v)| (format!("out.{i}"), *v)).collect();
    let mut m = Module::default();
    m.add(b.finish(results));
    m
}

fn build(b: &mut Builder, t: &Term, places: &[(char, Value)]) -> Value {
    match t {
        Term::Var(v) => places.iter().find(|(w, _)| w == v).expect("it has a place").1,
        Term::Num(x) => b.num(*x, Scalar::F64),
        Term::Int(n) => b.constant(Const::I64(*n)),
        Term::Op(op, args) => {
            let args: Vec<Value> = args.iter().map(|a| build(b, a, places)).collect();
            b.op(*op, &args)
        }
    }
}

/// Errors of both programs against the high-precision interpreter: the new one is at most that much worse.
const FACTOR: f64 = 8.0;

#[test]
fn results_stay_within_rounding() {
    let (mut worst, mut compared) = (0f64, 0);
    for seed in SEEDS {
        let m = program(seed, 6);
        let (before, after) = optimised(&m, Effort::Large);
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            let args = inputs(&mut rng, m.funcs.last().unwrap(), false);
            let (Some(a), Some(b)) = (doubles(&before, &args), doubles(&after, &args)) else { continue };
            // Slow where functions are evaluated at huge numbers.
            if a.iter().any(|c| !c.to_c128().is_finite()) {
                continue;
            }
            let Some(e) = precise(&m, &args) else { continue };
            for ((a, b), e) in a.iter().zip(&b).zip(&e) {
                if !a.scalar().is_float() {
                    assert!(a.same(*b), "seed {seed}: {a:?} became {b:?}\n{before}\n{after}");
                    continue;
                }
                let exact = num_complex::Complex::new(e.0.to_f64(), e.1.to_f64());
                if !exact.is_finite() || !a.to_c128().is_finite() {
                    continue;
                }
                compared += 1;
                let size = exact.norm().max(1.0) * f64::EPSILON;
                let [x, y] = [a, b].map(|c| (c.to_c128() - exact).norm() / size);
                assert!(
                    y <= FACTOR * (x + 8.0),
                    "seed {seed}: {x} ulp became {y}\n{before}\nbecame\n{after}"
                );
                worst = worst.max(y / (x + 1.0));
            }
        }
    }
    assert!(compared > 500, "{compared}");
    println!("{compared} results, errors grew by {worst:.1} at most");
}

/// Fast programs compute the same function of real numbers, wherever the original is one.
#[test]
fn fast_programs_are_true() {
    let mut compared = 0;
    for seed in SEEDS {
        let mut m = program(seed, 8);
        m.funcs[0].fp = Some(adc_ir::FpMode::Fast);
        let (before, after) = optimised(&m, Effort::Bounded);
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let args = inputs(&mut rng, &m.funcs[0], false);
            let finite = |v: &[Const]| v.iter().all(|c| c.to_c128().is_finite());
            if !doubles(&before, &args).is_some_and(|v| finite(&v)) {
                continue;
            }
            let (Some(a), Some(b)) = (precise(&before, &args), precise(&after, &args)) else { continue };
            for (a, b) in a.iter().zip(&b).map(|(a, b)| (a.0.to_f64(), b.0.to_f64())) {
                compared += 1;
                // Literals are computed in doubles.
                let close = (a - b).abs() <= 1e-6 * a.abs().max(1.0);
                assert!(close, "seed {seed} at {args:?}: {a} became {b}\n{before}\nbecame\n{after}");
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Strict programs keep their bits, on special operands too; integers and booleans do in every mode.
#[test]
fn strict_is_exact() {
    for seed in SEEDS {
        let odd = seed % 2 == 1;
        let mut m = if odd { program(seed, 20) } else { module(seed, &Knobs::default()) };
        m.limit_fp(adc_ir::FpMode::Strict);
        let (before, after) = optimised(&m, Effort::Large);
        let mut rng = Rng::new(seed);
        for i in 0..8 {
            let args = inputs(&mut rng, m.funcs.last().unwrap(), i % 2 == 1);
            let (Some(a), Some(b)) = (doubles(&before, &args), doubles(&after, &args)) else { continue };
            let same = a.iter().zip(&b).all(|(a, b)| a.same(*b));
            assert!(same, "seed {seed} at {args:?}: {a:?} became {b:?}\n{before}\nbecame\n{after}");
        }
    }
}

/// What decides keeps its bits: comparisons of default programs give the same answers on all operands.
#[test]
fn decisions_stay() {
    for seed in SEEDS {
        let m = module(seed, &Knobs { funcs: 1, steps: 30, ..Knobs::default() });
        let (before, after) = optimised(&m, Effort::Large);
        let mut rng = Rng::new(seed);
        for i in 0..8 {
            let args = inputs(&mut rng, m.funcs.last().unwrap(), i % 2 == 1);
            let (Some(a), Some(b)) = (doubles(&before, &args), doubles(&after, &args)) else { continue };
            for (a, b) in a.iter().zip(&b).filter(|(a, _)| !a.scalar().is_float()) {
                assert!(a.same(*b), "seed {seed} at {args:?}: {a:?} became {b:?}\n{before}\nbecame\n{after}");
            }
        }
    }
}

#[test]
fn rewrites_are_explained() {
    let text = "fn f(x: f64 in (0, 9)) -> (f64, f64) {
       v0 = sqrt x  v1 = square v0  v2 = exp v1  v3 = log v2  v4 = sin v3  v5 = mul v4, x  v6 = add v5, v1
       return v6, v2
     }";
    let mut m = adc_ir::text::parse_module(text).unwrap();
    let found: Vec<String> = (explained(&mut m, &[true], Effort::Bounded).iter())
        .map(|e| format!("{} x{} {}", e.rule, e.count, e.facts.join(", ")))
        .collect();
    assert_eq!(
        found,
        ["square-sqrt x1 a is not negative, a is not -0", "log-exp x1 ", "contract-fma x1 "],
        "what only says that two values are one"
    );
    let text = "fn f(x: f64 in (0, 9), y: f64 in (0, 9), a: f64) -> f64 {
       v0 = mul a, x  v1 = mul a, y  v2 = add v0, v1  return v2
     }";
    let mut m = adc_ir::text::parse_module(text).unwrap();
    let found = run_explained(&mut m, &[FuncId(0)], OptLevel::O3);
    let facts = ["|b| is at most half of the largest number", "|c| is at most half of the largest number"];
    assert!(found.iter().any(|e| e.rule == "factor" && e.facts == facts), "{found:?}");
}

/// Every rewrite on the way, each before those that needed what it made; not those that led elsewhere.
#[test]
fn chains_of_rewrites_are_explained() {
    let rules = |body: &str, effort| -> Vec<String> {
        let text = format!("fn f(a: f64 in (1, 2), b: f64 in (1, 2), z: c128) -> f64 {{ {body} }}");
        let names = || {
            let mut m = adc_ir::text::parse_module(&text).expect("it is a program");
            explained(&mut m, &[true], effort).iter().map(|e| e.rule.to_string()).collect::<Vec<_>>()
        };
        let found = names();
        (0..9).for_each(|_| assert_eq!(found, names()));
        found
    };
    // The sign comes out of the quotient, out of the product, and meets the other one.
    let signs = "v0 = neg a  v1 = div v0, b  v2 = mul a, v1  v3 = neg v2  return v3";
    assert_eq!(rules(signs, Effort::Bounded)[..3], ["div-neg-left", "mul-neg", "neg-neg"]);
    // b·(−a/b) is −a, and that is why there is a sign to cancel.
    let quotient = "v0 = neg a  v1 = div v0, b  v2 = mul b, v1  v3 = neg v2  return v3";
    let found = rules(quotient, Effort::Bounded);
    let place = |rule: &str| found.iter().position(|r| r == rule);
    assert!(place("div-mul-cancel").is_some() && place("div-mul-cancel") < place("neg-neg"), "{found:?}");
    // Nothing is rewritten.
    assert!(rules("v0 = div a, b  v1 = sin v0  return v1", Effort::Large).is_empty());
}

#[test]
fn the_same_on_every_thread() {
    let texts = || -> Vec<String> {
        (0..8).map(|seed| optimised(&program(seed, 60), Effort::Bounded).1.to_string()).collect()
    };
    let first = texts();
    let threads: Vec<_> = (0..9).map(|_| std::thread::spawn(texts)).collect();
    for t in threads {
        assert_eq!(t.join().expect("no panic"), first);
    }
}

/// Latency of everything in a function.
fn latency(f: &Func, r: &Region) -> u64 {
    let one = |i: &adc_ir::Inst| {
        let own = match i.kind {
            Kind::Op(op) => {
                let complex = i.args.iter().filter(|v| f.ty(**v).scalar().is_complex()).count();
                cost::of(op, complex, f.ty(i.results[0]).scalar())
            }
            _ => 0,
        };
        own + i.regions.iter().map(|r| latency(f, r)).sum::<u64>()
    };
    r.insts.iter().map(one).sum()
}

#[test]
fn never_dearer() {
    let mut total = (0, 0);
    for seed in SEEDS {
        let (before, after) = optimised(&program(seed, 30), Effort::Bounded);
        for (a, b) in before.funcs.iter().zip(&after.funcs) {
            let [x, y] = [a, b].map(|f| latency(f, f.region().expect("generated functions have bodies")));
            assert!(y <= x, "seed {seed}, {}: {x} became {y}\n{before}\nbecame\n{after}", a.name);
            total = (total.0 + x, total.1 + y);
        }
    }
    println!("latency {} became {}", total.0, total.1);
    assert!(total.1 < total.0);
}

/// A sum of very many terms is a long chain, not a deep one.
#[test]
fn long_sums_of_fast_functions() {
    let mut b = Builder::new("f", Span::NONE);
    let (x, y) = (b.param("x", Type::F64), b.param("y", Type::F64));
    let mut sum = x;
    for _ in 0..50_000 {
        let more = b.op(Op::Add, &[sum, y]);
        sum = b.op(Op::Sub, &[more, x]);
    }
    let mut m = Module::default();
    m.add(b.finish(vec![("out".into(), sum)]));
    m.funcs[0].fp = Some(adc_ir::FpMode::Fast);
    let (_, after) = optimised(&m, Effort::Bounded);
    // 50 000 y − 49 999 x
    assert!(after.funcs[0].inst_count() <= 6, "{after}");
}

/// One window after the other: large functions are no problem, and their size does not change what is done.
#[test]
fn large_functions_are_linear() {
    let text = |n: usize| {
        let mut body = String::from("  v0 = mul x, y\n");
        for i in 0..n {
            let (a, b) = (3 * i, 3 * i + 1);
            body +=
                &format!("  v{b} = sin v{a}\n  v{} = mul v{b}, x\n  v{} = add v{}, y\n", b + 1, b + 2, b + 1);
        }
        format!("fn f(x: f64, y: f64) -> f64 {{\n{body}  return v{}\n}}", 3 * n)
    };
    let m = adc_ir::text::parse_module(&text(5_000)).unwrap();
    let (before, after) = optimised(&m, Effort::Bounded);
    let count = |m: &Module| m.funcs[0].inst_count();
    assert!(count(&after) * 10 < count(&before) * 8, "{} {}", count(&before), count(&after));
}
