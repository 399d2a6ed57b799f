//! Decisions are those of p, and at a tie of p those of the pair.

use super::Shadows;
use super::natives::BigNatives;
use adc_ir::interp::{ExternCalls, Interp, ResultType, Val};
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_jit::RuntimeMath;

/// The pair of the one result of `f` for p and pairs (hi, lo) of its real parameters.
fn run(text: &str, p: &[f64], pairs: &[(f64, f64)]) -> (f64, f64) {
    let mut m = parse_module(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    assert_valid(&m, "test");
    let f = m.find("f").expect("tests call their function f");
    let shadow = Shadows::default().run(&mut m, f).expect("it has one");
    assert_valid(&m, "shadow");
    let halves = pairs.iter().flat_map(|(hi, lo)| [*hi, *lo]);
    let args: Vec<Val<f64>> = p.iter().copied().chain(halves).map(Val::Real).collect();
    let got = Interp::new(&m, &RuntimeMath, &BigNatives).call(shadow.func, &args).expect("it runs");
    let [_, Val::Real(hi), Val::Real(lo)] = got.as_slice() else { panic!("{got:?}") };
    (*hi, *lo)
}

/// A function of one op.
fn op(op: &str, p: &[f64], pairs: &[(f64, f64)]) -> (f64, f64) {
    let names = ["a", "b", "c"];
    let params: Vec<String> = names[..p.len()].iter().map(|n| format!("{n}: f64")).collect();
    let text = format!(
        "fn f({}) -> f64 {{ v0 = {op} {} return v0 }}",
        params.join(", "),
        names[..p.len()].join(", ")
    );
    run(&text, p, pairs)
}

const L: f64 = 1e-17;

#[test]
fn sides_are_those_of_p() {
    assert_eq!(op("abs", &[1.0], &[(-0.5, L)]), (-0.5, L));
    assert_eq!(op("abs", &[-1.0], &[(0.5, L)]), (-0.5, -L));
    assert_eq!(op("abs", &[0.0], &[(-0.5, L)]), (0.5, -L));
    assert_eq!(op("abs", &[-0.0], &[(0.5, L)]), (0.5, L));
    assert_eq!(op("max", &[1.0, 2.0], &[(5.0, L), (4.0, -L)]), (4.0, -L));
    assert_eq!(op("max", &[2.0, 1.0], &[(4.0, L), (5.0, -L)]), (4.0, L));
    assert_eq!(op("min", &[2.0, 1.0], &[(4.0, L), (5.0, -L)]), (5.0, -L));
    assert_eq!(op("clamp", &[0.5, 0.0, 1.0], &[(2.0, L), (0.0, 0.0), (1.0, 0.0)]), (2.0, L));
    assert_eq!(op("clamp", &[3.0, 0.0, 1.0], &[(0.5, L), (0.0, 0.0), (1.0, -L)]), (1.0, -L));
    assert_eq!(op("copysign", &[1.0, -2.0], &[(3.0, L), (4.0, L)]), (-3.0, -L));
    assert_eq!(op("copysign", &[-1.0, 0.0], &[(-3.0, L), (-4.0, L)]), (-3.0, L));
    assert_eq!(op("sign", &[2.0], &[(-1.0, L)]), (1.0, 0.0));
    assert_eq!(op("floor", &[2.5], &[(3.5, L)]), (2.0, 0.0));
    assert_eq!(op("round", &[2.4], &[(2.6, L)]), (2.0, 0.0));
    assert_eq!(op("mod", &[7.5, 2.0], &[(8.5, 0.0), (2.0, 0.0)]), (2.5, 0.0));
}

#[test]
fn ties_are_decided_by_the_pair() {
    assert_eq!(op("max", &[1.0, 1.0], &[(1.0, L), (1.0, -L)]), (1.0, L));
    assert_eq!(op("max", &[1.0, 1.0], &[(1.0, -L), (1.0, L)]), (1.0, L));
    assert_eq!(op("min", &[1.0, 1.0], &[(1.5, L), (1.0, 2.0 * L)]), (1.0, 2.0 * L));
    let zeros = |x: (f64, f64)| (x.0.to_bits(), x.1);
    assert_eq!(zeros(op("max", &[0.0, -0.0], &[(0.0, 0.0), (-0.0, 0.0)])), zeros((0.0, 0.0)));
    assert_eq!(zeros(op("max", &[-0.0, 0.0], &[(-0.0, 0.0), (0.0, 0.0)])), zeros((0.0, 0.0)));
}

#[test]
fn zeros_have_the_signs_of_f64() {
    let sign = |x: (f64, f64)| (x.0, x.0.is_sign_negative());
    let (zero, minus) = ((0.0, 0.0), (-0.0, 0.0));
    assert_eq!(sign(op("mul", &[-0.0, 3.0], &[minus, (3.0, L)])), (0.0, true));
    assert_eq!(sign(op("mul", &[0.0, -3.0], &[zero, (-3.0, L)])), (0.0, true));
    assert_eq!(sign(op("add", &[-0.0, -0.0], &[minus, minus])), (0.0, true));
    assert_eq!(sign(op("add", &[-0.0, 0.0], &[minus, zero])), (0.0, false));
    assert_eq!(sign(op("sub", &[-0.0, 0.0], &[minus, zero])), (0.0, true));
    assert_eq!(sign(op("div", &[0.0, -3.0], &[zero, (-3.0, L)])), (0.0, true));
    assert_eq!(sign(op("div", &[-0.0, 3.0], &[minus, (3.0, L)])), (0.0, true));
    assert_eq!(sign(op("sqrt", &[-0.0], &[minus])), (0.0, true));
    assert_eq!(sign(op("square", &[-0.0], &[minus])), (0.0, false));
    assert_eq!(sign(op("neg", &[0.0], &[zero])), (0.0, true));
}

#[test]
fn regions_follow_p() {
    let text = "
fn f(x: f64) -> f64 {
  v0 = f64 1.0
  v1 = gt x, v0
  v2 = if v1 { v3 = mul x, x yield v3 } else { v4 = neg x yield v4 }
  return v2
}";
    assert_eq!(run(text, &[2.0], &[(0.5, 0.0)]), (0.25, 0.0));
    assert_eq!(run(text, &[0.5], &[(2.0, 0.0)]), (-2.0, 0.0));
    // Halved until it is small: p takes three iterations.
    let text = "
fn f(x: f64) -> f64 {
  v0 = while x (v1) { v2 = f64 1.0 v3 = gt v1, v2 yield v3 } do (v4) { v5 = f64 0.5 v6 = mul v4, v5 yield v6 }
  return v0
}";
    assert_eq!(run(text, &[8.0], &[(9.0, 0.0)]), (1.125, 0.0));
    assert_eq!(run(text, &[0.5], &[(9.0, 0.0)]), (9.0, 0.0));
}

/// The extremum of x, y and z.
#[test]
fn extrema_follow_the_winner_of_p() {
    let text = |op: &str| {
        format!(
            "
fn f(x: f64, y: f64, z: f64) -> f64 {{
  v0 = pack x, y, z
  v1 = i64 0
  v2 = i64 3
  v3 = i64 1
  v4 = reduce {op} v1, v2, v3 (v5) {{ v6 = index v0, v5 yield v6 }}
  return v4
}}"
        )
    };
    let pairs = [(4.0, L), (3.0, -L), (5.0, L)];
    assert_eq!(run(&text("max"), &[1.0, 2.0, 0.0], &pairs), (3.0, -L));
    assert_eq!(run(&text("min"), &[1.0, 2.0, 0.0], &pairs), (5.0, L));
    assert_eq!(run(&text("max"), &[2.0, 2.0, 0.0], &pairs), (4.0, L));
    assert_eq!(run(&text("min"), &[2.0, 2.0, 2.0], &pairs), (3.0, -L));
    assert_eq!(run(&text("prod"), &[1.0, 1.0, 1.0], &[(2.0, 0.0), (3.0, 0.0), (5.0, 0.0)]), (30.0, 0.0));
}

#[test]
fn sums_are_those_of_pairs() {
    let text = "
fn f(x: f64, y: f64) -> f64 {
  v0 = i64 0
  v1 = i64 3
  v2 = i64 1
  v3 = reduce sum v0, v1, v2 (v4) { v5 = to_f64 v4 v6 = mul v5, x yield v6 }
  v7 = sub v3, y
  return v7
}";
    // 0 + 1 + 2 times (1 + 2⁻⁶⁰), minus 3.
    let small = 2f64.powi(-60);
    assert_eq!(run(text, &[1.0, 3.0], &[(1.0, small), (3.0, 0.0)]), (3.0 * small, 0.0));
}

#[test]
fn infinities_pass_through() {
    let text = "
fn f(x: f64) -> f64 {
  v0 = exp x
  v1 = f64 1.0
  v2 = add v1, v0
  v3 = div v1, v2
  return v3
}";
    let mut m = parse_module(text).expect("it parses");
    let f = m.find("f").expect("it is there");
    let shadow = Shadows::default().run(&mut m, f).expect("it has one");
    let args = [1e3, 1e3, L].map(Val::Real);
    let got = Interp::new(&m, &RuntimeMath, &BigNatives).call(shadow.func, &args).expect("it runs");
    assert_eq!(got, [0.0, 0.0, 0.0].map(Val::Real));
}

/// A native function of the model, which the shadow calls at rounded arguments.
struct Mystery;

impl ExternCalls<f64> for Mystery {
    fn call(&self, name: &str, args: &[Val<f64>], results: &[ResultType]) -> Result<Vec<Val<f64>>, i32> {
        match (name, args) {
            ("mystery", [Val::Real(x), Val::I64(n)]) => Ok(vec![Val::Real(x.sin()), Val::I64(n + 1)]),
            _ => BigNatives.call(name, args, results),
        }
    }
}

#[test]
fn natives_of_the_model_are_holes() {
    let text = "
extern \"mystery\" fn g(x: f64, n: i64) -> (y: f64, k: i64)
fn f(x: f64) -> (f64, i64) {
  v0 = i64 2
  v1, v2 = call g(x, v0)
  v3, v4 = call g(x, v2)
  v5 = mul v1, v3
  return v5, v4
}";
    let mut m = parse_module(text).unwrap_or_else(|d| panic!("{d:?}"));
    let (f, g) = (m.find("f").expect("it is there"), m.find("g").expect("it is there"));
    for f in [f, g] {
        let shadow = Shadows::default().run(&mut m, f).expect("it has one");
        assert_valid(&m, "shadow");
        let names: Vec<&str> = shadow.holes.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["g"], "calls at one place of the source are one hole");
        let interp = Interp::new(&m, &RuntimeMath, &Mystery);
        let mut signs = [0; 2];
        for k in 1..40 {
            let x = k as f64 / 16.0;
            let dims: Vec<Val<f64>> = if f == g { vec![Val::I64(2)] } else { Vec::new() };
            let pair = [Val::Real(x), Val::Real(1e-18)];
            let args = [&[Val::Real(x)], &dims[..], &pair].concat();
            let got = interp.call(shadow.func, &args).expect("it runs");
            let [Val::Real(p), Val::I64(n), Val::Real(hi), Val::Real(lo)] = got[..] else {
                panic!("{got:?}")
            };
            assert_eq!(n, if f == g { 3 } else { 4 });
            assert_eq!(p, if f == g { x.sin() } else { x.sin() * x.sin() });
            let off = ((hi - p) + lo) / (p * f64::EPSILON);
            assert!((7.0..34.0).contains(&off.abs()), "{off} units");
            signs[(off > 0.0) as usize] += 1;
        }
        assert!(signs[0] > 5 && signs[1] > 5, "{signs:?}");
    }
}
