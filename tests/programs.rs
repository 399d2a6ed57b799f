//! Whole programs, generated: every type, regions nested to depth 4, reads and writes of arrays.
//!
//! For each program: it means the same with open dimensions, for numbers, and compiled, with strips and without, bit for bit: the
//! program of each level of optimisation, which has the bits of the raw one up to level 1, or if it is strict, and else is within the
//! bound of rounding. So does its pullback, under each policy of what is stored. Over numbers so precise that
//! rounding plays no part, its pullback is the adjoint of its JVP, which is the limit of difference quotients, and both
//! ways to the second derivative agree. Half of them are simplified before they are differentiated.

#[path = "../ad/tests/common/mod.rs"]
mod common;

use adc_ad::{Policy, jvp, vjp, vjp_with};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, array_inputs, effort, module};
use adc_ir::verify::assert_valid;
use adc_ir::{Datum, FpMode, Func, FuncId, Module, Region, RuntimeError};
use adc_jit::{Externs, RuntimeMath, Workspace};
use adc_precise::Big;
use adc_simplify::OptLevel;
use common::sample::Sample;
use common::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const PROGRAMS: u64 = 1000;
/// Rounding of constants like 2/√π to double precision is all that separates a derivative from a difference quotient.
const DIFFERENCE: f64 = 1e-14;
/// Two programs for the same number lose a few bits of conditioning.
const EXACT: f64 = 1e-80;
/// Two one-sided difference quotients at a distance of 2⁻¹⁰⁰ further apart than this are of two branches.
const KINK: f64 = 1e-20;

/// What was compared, over all programs.
#[derive(Default)]
struct Counts {
    programs: u64,
    /// By depth of nested regions.
    depth: [u64; 8],
    with_error: u64,
    adjoint: u64,
    differences: u64,
    skipped: u64,
    second: u64,
    /// By property.
    time: [Duration; 5],
}

/// Kinds of programs, by seed.
fn knobs(seed: u64) -> Knobs {
    let size = if seed % 16 < 8 { (14, 2) } else { (30, 3) };
    let small = Knobs { steps: size.0, funcs: size.1, ..Knobs::arrays() };
    match seed % 8 {
        0..4 => Knobs { single: false, smooth: true, stop_gradient: false, ..small },
        4..6 => small,
        // Constants in derivatives are rounded to single precision where the program is.
        6 => Knobs { stop_gradient: false, single: false, ..small },
        _ => Knobs { traps: true, ..small },
    }
}

fn depth(region: &Region) -> usize {
    region.insts.iter().flat_map(|i| &i.regions).map(|r| 1 + depth(r)).max().unwrap_or(0)
}

fn func_depth(f: &Func) -> usize {
    if let adc_ir::Body::Region(body) = &f.body { depth(body) } else { 0 }
}

type Outcome = Result<Vec<Datum>, RuntimeError>;

fn interpret(m: &Module, f: FuncId, dims: &[i64], args: &[Val<f64>]) -> Outcome {
    let results = Interp::new(m, &RuntimeMath, &NoExterns).call_with_dims(f, dims, args)?;
    Ok(results.iter().zip(&m.func(f).results).map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect())
}

/// In units of many operations, or of few.
fn compiled(m: &Module, f: FuncId, strips: Option<u32>, args: &[Val<f64>]) -> Outcome {
    let mut options = adc_jit::Options::default();
    options.strips = strips;
    if strips.is_some() && m.funcs.len().is_multiple_of(2) {
        options.unit_ops = 20;
    }
    let compiled = adc_jit::compile(m, &[f], &Externs::new(), &options).expect("it compiles").remove(0);
    let args: Vec<Datum> = (args.iter().zip(&m.func(f).params))
        .map(|(v, p)| Datum::from_val(v, m.func(f).ty(p.value).scalar()))
        .collect();
    compiled.call_data(&mut Workspace::new(), &args)
}

fn same(a: &[Datum], b: &[Datum]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

/// The same bits or the same error; simplified, an operation that fails and is not needed may be gone.
fn agree(expected: &Outcome, found: &Outcome, simplified: bool, what: impl Fn() -> String) {
    let fine = match (expected, found) {
        (Ok(a), Ok(b)) => same(a, b),
        (Err(a), Err(b)) => simplified || a == b,
        (Err(_), Ok(_)) => simplified,
        (Ok(_), Err(_)) => false,
    };
    assert!(fine, "{}: {expected:?} became {found:?}", what());
}

const LEVELS: [(OptLevel, Option<u32>); 8] = [
    (OptLevel::O0, None),
    (OptLevel::O1, Some(0)),
    (OptLevel::O2, None),
    (OptLevel::O3, Some(0)),
    (OptLevel::O0, Some(0)),
    (OptLevel::O1, None),
    (OptLevel::O2, Some(0)),
    (OptLevel::O3, None),
];

/// An instance without dimensions, at some levels of optimisation, interpreted and compiled.
fn executions(m: &Module, f: FuncId, args: &[Val<f64>], levels: &[(OptLevel, Option<u32>)]) {
    let raw = interpret(m, f, &[], args);
    for &(level, strips) in levels {
        let mut strict = m.clone();
        strict.limit_fp(FpMode::Strict);
        adc_simplify::run(&mut strict, &[f], level);
        let what = || format!("{}, strict, simplified at {level:?}\n{strict}\n", m.func(f).name);
        agree(&raw, &interpret(&strict, f, &[], args), level != OptLevel::O0, what);
        let mut simple = m.clone();
        adc_simplify::run(&mut simple, &[f], level);
        let own = interpret(&simple, f, &[], args);
        let what = || format!("{} simplified at {level:?}\n{m}\nbecame\n{simple}\n", m.func(f).name);
        match level.is_exact() {
            true => agree(&raw, &own, level != OptLevel::O0, what),
            false => within_bounds(m, f, args, &raw, &own, what),
        }
        let what = || format!("{} compiled at {level:?}, strips {strips:?}\n{simple}\n", m.func(f).name);
        agree(&own, &compiled(&simple, f, strips, args), false, what);
    }
}

/// Each of two programs is within the running bound of rounding of what both mean; the bound is of first order.
const BOUNDS: f64 = 2.0 * 1.1;

/// What is finite stays finite and close; what is no float keeps its bits.
fn within_bounds(
    m: &Module,
    f: FuncId,
    args: &[Val<f64>],
    raw: &Outcome,
    own: &Outcome,
    what: impl Fn() -> String,
) {
    let (Ok(a), Ok(b)) = (raw, own) else {
        return agree(raw, own, true, what);
    };
    let params = args.iter().zip(&m.func(f).params);
    let data: Vec<Datum> = params.map(|(v, p)| Datum::from_val(v, m.func(f).ty(p.value).scalar())).collect();
    // Exceeds its limits where the program has very many iterations.
    let Some(bounds) = adc_checker::rounding_bounds(m, &Externs::new(), f, &data) else { return };
    for ((a, b), bounds) in a.iter().zip(b).zip(&bounds) {
        assert_eq!(a.shape(), b.shape(), "{}", what());
        for ((x, y), bound) in a.elements().zip(b.elements()).zip(bounds) {
            let (p, q) = (x.to_c128(), y.to_c128());
            let near = |p: f64, q: f64, bound: f64| !p.is_finite() || (p - q).abs() <= BOUNDS * bound;
            let close = near(p.re, q.re, bound[0]) && near(p.im, q.im, bound[1]);
            assert!(
                x.same(y) || (x.scalar().is_float() && close),
                "{}: {x:?} became {y:?}, {bound:?}",
                what()
            );
        }
    }
}

/// Symbolic = specialised = compiled. Whether it runs without error.
fn means_the_same(seed: u64, m: &Module) -> bool {
    let f = FuncId(m.funcs.len() as u32 - 1);
    let mut rng = Rng::new(seed ^ 0x5eed);
    let (dims, args) = array_inputs(&mut rng, m.func(f), seed % 3 == 1);
    let symbolic = interpret(m, f, &dims, &args);
    let mut simple = m.clone();
    simple.limit_fp(FpMode::Strict);
    adc_simplify::run(&mut simple, &[f], OptLevel::O2);
    let what = || format!("open dimensions, simplified\n{simple}\n");
    agree(&symbolic, &interpret(&simple, f, &dims, &args), true, what);
    let mut m = m.clone();
    let instance = specialise(&mut m, f, &dims).expect("small");
    assert_valid(&m, "specialise");
    agree(&symbolic, &interpret(&m, instance, &[], &args), false, || "specialised".into());
    let half = if seed.is_multiple_of(2) { &LEVELS[..4] } else { &LEVELS[4..] };
    executions(&m, instance, &args, half);
    symbolic.is_ok()
}

/// The pullback stores what a policy says and gives the same bits, compiled, too.
fn policies(seed: u64, s: &mut Sample) {
    let dims = adc_ir::bind_dims(s.m.func(s.f), &s.args).expect("the sample's sizes fit");
    let mut m = s.m.clone();
    let f = if dims.is_empty() { s.f } else { specialise(&mut m, s.f, &dims).expect("small") };
    let seeds = s.cotangents();
    let args: Vec<Val<f64>> = s.args.iter().chain(&seeds).map(round).collect();
    let p = vjp_with(&mut m, f, &s.wrt, &s.outputs, true, Policy::default()).expect("differentiable");
    let small = vjp_with(&mut m, f, &s.wrt, &s.outputs, true, Policy::SMALL).expect("differentiable");
    let expected = interpret(&m, p, &[], &args);
    agree(&expected, &interpret(&m, small, &[], &args), false, || "everything stored, and little".into());
    let at = |n: u64| &LEVELS[n as usize % LEVELS.len()..][..1];
    executions(&m, if seed.is_multiple_of(3) { small } else { p }, &args, at(seed / 8));
    // And a second derivative.
    let primals = m.func(f).results.len();
    let gradients: Vec<usize> = (primals..m.func(p).results.len()).collect();
    let derivative = match seed / 8 % 3 {
        0 => jvp(&mut m, p, &s.wrt).expect("differentiable"),
        1 => vjp(&mut m, p, &s.wrt, &gradients, false).expect("differentiable"),
        _ => vjp(&mut m, small, &s.wrt, &gradients, false).expect("differentiable"),
    };
    let directions: Vec<Val<f64>> =
        s.wrt.iter().map(|&i| round(&random_like(&mut s.rng, &s.args[i]))).collect();
    executions(&m, derivative, &[args, directions].concat(), at(seed / 24));
}

fn round(v: &V) -> Val<f64> {
    match v {
        Val::Array(a) => Val::array(a.shape(), a.data().iter().map(round).collect()),
        Val::Bool(b) => Val::Bool(*b),
        Val::I64(n) => Val::I64(*n),
        Val::Real(x) => Val::Real(x.to_f64()),
        Val::Complex(z) => Val::Complex(num_complex::Complex::new(z.re.to_f64(), z.im.to_f64())),
    }
}

/// How far two numbers are apart.
fn apart(a: Big, b: Big) -> f64 {
    (a - b).to_f64().abs() / (1.0 + a.to_f64().abs())
}

/// ⟨v, J u⟩ = ⟨Jᵀ v, u⟩. Whether all is finite.
fn adjoint(s: &mut Sample, u: &[V], v: &[V], pushed: &[V]) -> bool {
    let all = s.m.func(s.f).differentiable_results();
    let place = |o: &usize| all.iter().position(|a| a == o).expect("differentiable");
    let pushed: Vec<V> = s.outputs.iter().map(|o| pushed[place(o)].clone()).collect();
    let pulled = s.pull(v);
    if !is_finite(&pushed) || !is_finite(&pulled) {
        return false;
    }
    let (a, b) = (inner(v, &pushed), inner(&pulled, u));
    assert!(apart(a, b) < EXACT, "adjoint: {:e}: {} and {}", apart(a, b), a.to_f64(), b.to_f64());
    true
}

/// The JVP is the limit of difference quotients; `None` if those from the left and from the right are not the same.
fn differences(s: &Sample, u: &[V], pushed: &[V]) -> Option<()> {
    let outputs = s.m.func(s.f).differentiable_results();
    let h = Big::exp2i(-100);
    let at = |s_: Big| {
        let mut moved = s.args.clone();
        for (&i, d) in s.wrt.iter().zip(u) {
            moved[i] = plus(&moved[i], s_, d);
        }
        let results = call(&s.m, s.f, &moved);
        outputs.iter().map(|&o| results[o].clone()).collect::<Vec<V>>()
    };
    let quotient = |right: &[V], left: &[V], k: i64| -> Vec<V> {
        let slope = |(r, l): (&V, &V)| {
            let d = plus(r, -Big::from(1.0), l);
            plus(&d, Big::exp2i(k) - Big::from(1.0), &d)
        };
        right.iter().zip(left).map(slope).collect()
    };
    let (right, here, left) = (at(h), at(Big::ZERO), at(-h));
    let (from_right, from_left) = (quotient(&right, &here, 100), quotient(&here, &left, 100));
    if !is_finite(&from_right) || !is_finite(&from_left) || distance(&from_right, &from_left) > KINK {
        return None;
    }
    let d = distance(&quotient(&right, &left, 99), pushed);
    assert!(d < DIFFERENCE, "difference: {d:e}\n{from_right:?}\n{pushed:?}");
    Some(())
}

/// The derivative of the pullback, both ways round. Whether all is finite.
fn second(s: &mut Sample, u: &[V], v: &[V]) -> bool {
    let p = vjp(&mut s.m, s.f, &s.wrt, &s.outputs, false).expect("differentiable");
    let outputs: Vec<usize> = (0..s.m.func(p).results.len()).collect();
    let forward = jvp(&mut s.m, p, &s.wrt).expect("differentiable");
    let reverse = vjp(&mut s.m, p, &s.wrt, &outputs, false).expect("differentiable");
    let args = [&s.args[..], v].concat();
    let w: Vec<V> = s.wrt.iter().map(|&i| random_like(&mut s.rng, &s.args[i])).collect();
    let pushed = call(&s.m, forward, &[&args[..], u].concat()).split_off(outputs.len());
    let pulled = call(&s.m, reverse, &[&args[..], &w].concat());
    if !is_finite(&pushed) || !is_finite(&pulled) {
        return false;
    }
    let (a, b) = (inner(&w, &pushed), inner(&pulled, u));
    assert!(apart(a, b) < EXACT, "second: {:e}: {} and {}", apart(a, b), a.to_f64(), b.to_f64());
    true
}

/// Everything about one program.
fn check(seed: u64, counts: &Mutex<Counts>) {
    let knobs = knobs(seed);
    let mut m = module(seed, &knobs);
    let mut times = [Duration::ZERO; 5];
    let mut watch = Instant::now();
    let mut lap = |i: usize| times[i] += std::mem::replace(&mut watch, Instant::now()).elapsed();
    let nested = m.funcs.iter().map(func_depth).max().unwrap_or(0);
    let runs = means_the_same(seed, &m);
    lap(0);
    let (mut adjoint_, mut differences_, mut skipped, mut second_) = (0, 0, 0, 0);
    if !knobs.traps {
        m.funcs.iter_mut().flat_map(|f| &mut f.params).for_each(|p| p.nodiff &= knobs.stop_gradient);
        if seed % 4 > 1 {
            let f = FuncId(m.funcs.len() as u32 - 1);
            adc_simplify::prepare(&mut m, &[f]);
        }
        let mut s = Sample::new(seed, m);
        policies(seed, &mut s);
        lap(1);
        let (u, v) = (s.tangents(), s.cotangents());
        let pushed = s.push(&u);
        adjoint_ = adjoint(&mut s, &u, &v, &pushed) as u64;
        lap(2);
        if knobs.smooth {
            let compared = differences(&s, &u, &pushed).is_some();
            (differences_, skipped) = (compared as u64, !compared as u64);
        } else if !knobs.stop_gradient && is_finite(&pushed) {
            // Kinks and singular points are what these are about: those that can be compared are.
            differences_ = differences(&s, &u, &pushed).is_some() as u64;
        }
        lap(3);
        second_ = second(&mut s, &u, &v) as u64;
        lap(4);
    }
    let mut c = counts.lock().expect("nobody panics with it");
    c.programs += 1;
    c.depth[nested.min(7)] += 1;
    c.with_error += !runs as u64;
    c.adjoint += adjoint_;
    c.differences += differences_;
    c.skipped += skipped;
    c.second += second_;
    c.time.iter_mut().zip(times).for_each(|(sum, t)| *sum += t);
}

/// Programs that once were worth a fix, and those of the seeds that `ADC_SEEDS` lists.
#[test]
fn programs_that_failed() {
    let counts = Mutex::new(Counts::default());
    let seeds = std::env::var("ADC_SEEDS").unwrap_or_default();
    let seeds = seeds.split(',').filter_map(|seed| seed.parse().ok());
    [757, 1291, 3636, 3996, 5162, 7112, 7422, 53784, 55257, 55420, 55650]
        .into_iter()
        .chain(seeds)
        .for_each(|seed| check(seed, &counts));
}

#[test]
fn generated_programs() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let programs = PROGRAMS * effort() as u64;
    let first = number("ADC_SEED").unwrap_or(0);
    let (next, counts, failed) =
        (AtomicU64::new(first), Mutex::new(Counts::default()), Mutex::new(Vec::new()));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + programs {
                        return;
                    }
                    if catch_unwind(AssertUnwindSafe(|| check(seed, &counts))).is_err() {
                        println!("seed {seed} fails\n{}", module(seed, &knobs(seed)));
                        failed.lock().expect("nobody panics with it").push(seed);
                    }
                }
            });
        }
    });
    let (c, failed) = (counts.into_inner().expect("no panic"), failed.into_inner().expect("no panic"));
    let share = c.skipped as f64 / ((c.skipped + c.differences).max(1)) as f64;
    println!(
        "{} programs in {:.1?}: by depth of regions {:?}, {} end with an error; compared: {} adjoints, {} differences \
         ({:.1} % skipped), {} second derivatives; time {:.1?}",
        c.programs,
        start.elapsed(),
        c.depth,
        c.with_error,
        c.adjoint,
        c.differences,
        100.0 * share,
        c.second,
        c.time
    );
    assert!(failed.is_empty(), "{} programs fail: seeds {failed:?}", failed.len());
    assert!(share < 0.1, "{share}");
    assert!(c.depth[4..].iter().sum::<u64>() > 20, "{:?}", c.depth);
    assert!(c.adjoint > programs / 2 && c.second > programs / 3);
}
