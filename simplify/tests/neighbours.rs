//! Chains of loops that read neighbours keep their bits and their failures, whichever of them become one.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Rng, StdMath};
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_ir::{FpMode, FuncId, Kind, Module, Region};
use adc_simplify::{OptLevel, run};
use std::fmt::Write as _;

const LENGTH: usize = 40;

/// A function of loops over 40 elements, each of which reads `x` and the loop before, near its index, and adds to a carried array.
/// A neighbour may be outside where nothing is asked for.
fn chain(rng: &mut Rng) -> String {
    let mut text = String::from(
        "fn f(x: f64[40]) -> (f64[40], f64[40]) {
  v0 = i64 0 v1 = i64 1 v2 = i64 40 v3 = f64 0.0
  v100: f64[40] = fill v3
  v101: f64[40] = build (v10) { v11 = index x, v10 yield v11 }
",
    );
    let loops = 2 + rng.below(3);
    for k in 1..=loops {
        let away = 1 + rng.below(3);
        let op = rng.pick(&["add", "sub"]);
        let asked = !rng.one_in(8);
        // Another iteration's element may be written.
        let at = if rng.one_in(6) { "v0".to_string() } else { format!("v{k}11") };
        let made = format!("v{}01", k);
        let there = format!(
            "v{k}20 = index {made}, v{k}13 v{k}21 = index x, v{k}11 v{k}22 = mul v{k}20, v{k}21 yield v{k}22"
        );
        let test = match asked {
            true => format!("v{k}14 = ge v{k}13, v0 v{k}15 = lt v{k}13, v2 v{k}16 = and v{k}14, v{k}15"),
            false => format!("v{k}16 = lt v{k}11, v2"),
        };
        let next = k + 1;
        let _ = write!(
            text,
            "  v{k}10 = i64 {away}
  v{next}00, v{next}01 = for v0, v2, v1, v{k}00 collects 1 (v{k}11, v{k}12) {{
    v{k}13 = {op} v{k}11, v{k}10
    {test}
    v{k}17 = if v{k}16 {{ {there} }} else {{ v{k}23 = index x, v{k}11 yield v{k}23 }}
    v{k}18 = add_at v{k}12, v{k}17, {at}
    yield v{k}18, v{k}17
  }}
"
        );
    }
    let _ = write!(text, "  return v{0}00, v{0}01\n}}\n", loops + 1);
    text
}

fn loops(m: &Module) -> usize {
    fn count(r: &Region) -> usize {
        let own = |k: &Kind| usize::from(matches!(k, Kind::For(_) | Kind::Build { .. }));
        r.insts.iter().map(|i| own(&i.kind) + i.regions.iter().map(count).sum::<usize>()).sum()
    }
    m.funcs.iter().filter_map(|f| f.region()).map(count).sum()
}

#[test]
fn chains_keep_their_bits() {
    let (mut before, mut after, mut failed) = (0, 0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let text = chain(&mut rng);
        let m = parse_module(&text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        assert_valid(&m, "the test");
        let mut simple = m.clone();
        simple.limit_fp(FpMode::Strict);
        run(&mut simple, &[FuncId(0)], OptLevel::O2);
        assert_valid(&simple, "run");
        let x = (0..LENGTH).map(|_| Val::Real(rng.real(-2.0, 2.0))).collect();
        let args = [Val::array(&[LENGTH], x)];
        let call = |m: &Module| {
            let out = Interp::new(m, &StdMath, &NoExterns).call(FuncId(0), &args);
            out.map(|v| format!("{v:?}"))
        };
        match (call(&m), call(&simple)) {
            (Ok(a), Ok(b)) => assert_eq!(a, b, "seed {seed}\n{m}\n{simple}"),
            (Err(_), Err(_)) => failed += 1,
            (a, b) => panic!("seed {seed}: {a:?} became {b:?}\n{m}\n{simple}"),
        }
        before += loops(&m);
        after += loops(&simple);
    }
    // Most become one, and some do fail.
    assert!(3 * after < 2 * before && failed > 30, "{before} loops became {after}, {failed} failed");
}

/// A function of a sum and a loop over as many elements or a few more, both of `x`.
fn pair(rng: &mut Rng) -> String {
    let a = 32 + rng.below(5);
    let b = a + rng.below(5);
    let sum = format!(
        "v10 = i64 {a} v15 = reduce sum v0, v10, v1 (v11) {{ v12 = index x, v11 v13 = neg v12 v14 = {} v13 yield v14 }}",
        rng.pick(&["neg", "abs", "sin"])
    );
    let long = format!(
        "v20 = i64 {b} v25 = for v0, v20, v1 collects 1 (v21) {{ v22 = index x, v21 v23 = exp v22 yield v23 }}"
    );
    let both = if rng.one_in(2) { [sum, long] } else { [long, sum] };
    format!(
        "fn f(x: f64[40]) -> (f64, f64[{b}]) {{ v0 = i64 0 v1 = i64 1 {} return v15, v25 }}",
        both.join(" ")
    )
}

#[test]
fn sums_over_less_keep_their_bits() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let text = pair(&mut rng);
        let m = parse_module(&text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        let mut simple = m.clone();
        simple.limit_fp(FpMode::Strict);
        run(&mut simple, &[FuncId(0)], OptLevel::O2);
        assert_valid(&simple, "run");
        let x = (0..LENGTH).map(|_| Val::Real(rng.pick(&[0.0, -0.0, 1.5, f64::NAN]))).collect();
        let args = [Val::array(&[LENGTH], x)];
        let call = |m: &Module| {
            Interp::new(m, &StdMath, &NoExterns).call(FuncId(0), &args).map(|v| format!("{v:?}"))
        };
        assert_eq!(call(&m), call(&simple), "seed {seed}\n{m}\n{simple}");
        let count = |m: &Module| {
            m.to_string().matches(" = for ").count() + m.to_string().matches(" = reduce ").count()
        };
        before += count(&m);
        after += count(&simple);
    }
    // All become one.
    assert_eq!((before, after), (400, 200));
}
