use super::*;
use adc_ir::testing::Rng;
use adc_ir::text::parse_module;
use adc_ir::{Builder, Const, Scalar, Sig};
use num_complex::Complex64;

const TURNS: u64 = 10_000;

fn module(text: &str) -> Module {
    let m = parse_module(text).unwrap_or_else(|d| panic!("{}\n{text}", d.message));
    adc_ir::verify::assert_valid(&m, "test input");
    m
}

/// Events of the last function of a module.
fn events(m: &Module, inputs: &[Const]) -> Vec<Event> {
    let inputs: Vec<Datum> = inputs.iter().map(|c| Datum::Scalar(*c)).collect();
    let f = FuncId(m.funcs.len() as u32 - 1);
    trace(m, &Externs::new(), f, &inputs, TURNS).unwrap_or_else(|e| panic!("{e}"))
}

fn of_text(text: &str, inputs: &[Const]) -> Vec<Event> {
    events(&module(text), inputs)
}

/// One op on literals.
fn of_op(op: Op, inputs: &[Const]) -> Vec<Event> {
    let mut b = Builder::new("f", Span::NONE);
    let params: Vec<_> =
        inputs.iter().enumerate().map(|(i, c)| b.param(format!("x{i}"), c.scalar())).collect();
    let y = b.op(op, &params);
    let mut m = Module::default();
    m.add(b.finish(vec![("y".into(), y)]));
    events(&m, inputs)
}

/// Kind, side and distance of the only event of an op.
fn side(op: Op, inputs: &[Const]) -> (EventKind, i32, f64) {
    match &of_op(op, inputs)[..] {
        [e] => (e.kind, e.branch, e.margin),
        other => panic!("{op} {inputs:?}: {other:?}"),
    }
}

fn f(x: f64) -> Const {
    Const::F64(x)
}

fn c(re: f64, im: f64) -> Const {
    Const::C128(Complex64::new(re, im))
}

use EventKind::{Choice, Cut, Edge, Jump, Kink};

#[test]
fn ops() {
    let inf = f64::INFINITY;
    let (half_pi, pi) = (std::f64::consts::FRAC_PI_2, std::f64::consts::PI);
    type Case<'a> = (Op, &'a [Const], (EventKind, i32, f64));
    let cases: &[Case] = &[
        (Op::Abs, &[f(-0.25)], (Kink, -1, -0.25)),
        (Op::Abs, &[f(0.0)], (Kink, 0, 0.0)),
        (Op::Abs, &[c(3.0, 4.0)], (Kink, 1, 5.0)),
        (Op::Abs, &[c(0.0, 0.0)], (Kink, 0, 0.0)),
        (Op::Max, &[f(2.0), f(0.5)], (Kink, 1, 1.5)),
        (Op::Min, &[f(0.5), f(2.0)], (Kink, -1, -1.5)),
        (Op::Max, &[f(2.0), f(2.0)], (Kink, 0, 0.0)),
        (Op::Max, &[f(inf), f(inf)], (Kink, 0, 0.0)),
        (Op::Clamp, &[f(0.75), f(0.0), f(1.0)], (Kink, 0, 0.25)),
        (Op::Clamp, &[f(-2.0), f(0.0), f(1.0)], (Kink, -2, -1.0)),
        (Op::Clamp, &[f(1.0), f(0.0), f(1.0)], (Kink, 1, 0.0)),
        (Op::Clamp, &[f(-2.0), f(0.0), f(0.25)], (Kink, -2, -0.25)),
        (Op::Clamp, &[f(7.0), f(1.0), f(0.5)], (Kink, 2, -6.5)),
        (Op::Floor, &[f(2.25)], (Jump, 2, 0.25)),
        (Op::Floor, &[f(2.75)], (Jump, 2, -0.25)),
        (Op::Floor, &[f(3.0)], (Jump, 3, 0.0)),
        (Op::Ceil, &[f(-0.25)], (Jump, 0, -0.25)),
        (Op::Round, &[f(2.5)], (Jump, 2, 0.0)),
        (Op::Round, &[f(2.25)], (Jump, 2, -0.25)),
        (Op::Round, &[f((1u64 << 53) as f64)], (Jump, i32::MAX, -0.5)),
        (Op::Trunc, &[f(0.0)], (Jump, 0, -1.0)),
        (Op::Trunc, &[f(-0.75)], (Jump, 0, 0.25)),
        (Op::Trunc, &[f(1.25)], (Jump, 1, 0.25)),
        (Op::ToI64, &[f(1.75)], (Jump, 1, -0.25)),
        (Op::Sign, &[f(-0.0)], (Jump, 0, -0.0)),
        (Op::Sign, &[c(0.0, -2.0)], (Jump, 1, 2.0)),
        (Op::Arg, &[f(-2.0)], (Jump, -1, -2.0)),
        (Op::Lt, &[f(1.0), f(1.5)], (Choice, 1, -0.5)),
        (Op::Ge, &[f(1.0), f(1.5)], (Choice, 0, -0.5)),
        (Op::Le, &[f(1.0), f(1.0)], (Choice, 1, 0.0)),
        (Op::Eq, &[f(1.0), f(1.0)], (Choice, 1, 0.0)),
        (Op::Ne, &[c(3.0, 4.0), c(0.0, 0.0)], (Choice, 1, 5.0)),
        (Op::IsFinite, &[f(1.0)], (Choice, 1, inf)),
        (Op::Div, &[f(1.0), f(0.0)], (Edge, 0, 0.0)),
        (Op::Div, &[f(1.0), f(-0.5)], (Edge, -1, -0.5)),
        (Op::Div, &[f(1.0), c(0.0, -2.0)], (Edge, 1, 2.0)),
        (Op::Recip, &[c(0.0, 0.0)], (Edge, 0, 0.0)),
        (Op::Powi, &[f(-2.0), Const::I64(-3)], (Edge, -1, -2.0)),
        (Op::Log, &[f(1e-9)], (Edge, 1, 1e-9)),
        (Op::Log1p, &[f(-1.0)], (Edge, 0, 0.0)),
        (Op::Sqrt, &[f(0.0)], (Edge, 0, 0.0)),
        (Op::Cbrt, &[f(-8.0)], (Edge, -1, -8.0)),
        (Op::Asin, &[f(0.75)], (Edge, 0, 0.25)),
        (Op::Acos, &[f(-1.0)], (Edge, -1, 0.0)),
        (Op::Atanh, &[f(-0.75)], (Edge, 0, 0.25)),
        (Op::Asin, &[f(1.5)], (Edge, 2, -0.5)),
        (Op::Acosh, &[f(1.25)], (Edge, 1, 0.25)),
        (Op::Tan, &[f(0.0)], (Edge, 0, -half_pi)),
        (Op::Tan, &[c(half_pi, 2.0)], (Edge, 1, 2.0)),
        (Op::Tanh, &[c(0.5, -half_pi)], (Edge, 1, 0.5)),
        (Op::Sigmoid, &[c(0.25, 3.0 * pi)], (Edge, 1, 0.25)),
        (Op::Lgamma, &[f(0.25)], (Edge, 1, 0.25)),
        (Op::Lgamma, &[f(-1.75)], (Edge, -3, 0.25)),
        (Op::Digamma, &[f(-2.0)], (Edge, -4, 0.0)),
        (Op::Gamma, &[f(-1.75)], (Edge, -3, 0.25)),
        (Op::Y0, &[f(0.25)], (Edge, 1, 0.25)),
        (Op::Polygamma, &[Const::I64(2), f(7.5)], (Edge, 1, 7.5)),
        (Op::Hypot, &[f(3.0), f(-4.0)], (Kink, 1, 5.0)),
        (Op::Pow, &[f(0.0), f(0.5)], (Edge, 0, 0.0)),
        (Op::Pow, &[f(0.0), f(2.0)], (Edge, 1, inf)),
        (Op::Pow, &[f(0.0), f(0.0)], (Edge, 0, 0.0)),
        (Op::Pow, &[c(-1.0, 0.0), f(3.0)], (Cut, 0, inf)),
        (Op::Pow, &[c(-1.0, 0.25), c(0.5, 0.0)], (Cut, 1, 0.25)),
        (Op::Pow, &[f(-2.0), c(0.0, 1.0)], (Edge, -1, -2.0)),
        // The sign of a zero is the side of a cut.
        (Op::Log, &[c(-2.0, 0.0)], (Cut, 1, 0.0)),
        (Op::Log, &[c(-2.0, -0.0)], (Cut, -1, -0.0)),
        (Op::Sqrt, &[c(-2.0, -1e-9)], (Cut, -1, -1e-9)),
        (Op::Log10, &[c(3.0, -4.0)], (Cut, -1, -5.0)),
        (Op::Arg, &[c(-1.0, 0.5)], (Cut, 1, 0.5)),
        (Op::Log1p, &[c(-0.5, 0.0)], (Cut, 1, 0.5)),
        // e^a + e^b is 1 − 2 over the larger modulus, and so on the cut of the logarithm.
        (Op::Logaddexp, &[c(0.0, 0.0), c(0.0, 0.0)], (Cut, 1, 2.0)),
        (Op::Acosh, &[c(0.5, 0.125)], (Cut, 1, 0.125)),
        (Op::Asin, &[c(-2.0, 0.125)], (Cut, 1, 0.125)),
        (Op::Atan, &[c(0.125, 2.0)], (Cut, -1, -0.125)),
        (Op::Asinh, &[c(-0.0, -1.5)], (Cut, 1, 0.0)),
        (Op::Atan, &[c(0.0, 0.25)], (Cut, -1, -0.75)),
        (Op::Atan2, &[f(0.0), f(-1.0)], (Cut, 1, 0.0)),
        (Op::Atan2, &[f(-0.5), f(-1.0)], (Cut, -1, -0.5)),
    ];
    for (op, inputs, (kind, branch, margin)) in cases {
        let got = side(*op, inputs);
        assert_eq!((got.0, got.1), (*kind, *branch), "{op} {inputs:?}");
        assert_eq!(got.2.to_bits(), margin.to_bits(), "{op} {inputs:?}: {:e}, not {margin:e}", got.2);
    }
    // π/2 is no double.
    assert!(matches!(side(Op::Tan, &[f(half_pi)]), (Edge, 0, d) if d < 0.0 && d > -1e-16));
    assert!(matches!(side(Op::Abs, &[f(f64::NAN)]), (Kink, i32::MIN, d) if d.is_nan()));
    assert!(matches!(side(Op::Asin, &[f(f64::NAN)]), (Edge, i32::MIN, d) if d.is_nan()));
    let r#mod = of_op(Op::Mod, &[f(-7.25), f(2.0)]);
    assert_eq!((r#mod[0].kind, r#mod[0].branch, r#mod[0].margin), (Jump, -4, 0.75));
    assert_eq!((r#mod[1].kind, r#mod[1].margin), (Edge, 2.0));
    let copysign = of_op(Op::Copysign, &[f(3.0), f(-0.0)]);
    assert_eq!((copysign[0].kind, copysign[0].margin), (Kink, 3.0));
    assert_eq!((copysign[1].kind, copysign[1].branch, copysign[1].margin), (Jump, -1, 0.0));
}

/// Real and complex operands of an op, and operands a small distance away along a random line.
fn two_places(
    op: Op,
    complex: bool,
    rng: &mut Rng,
    step: impl Fn(&[Event]) -> f64,
) -> Option<(Vec<Event>, Vec<Event>)> {
    let ty = if complex { Scalar::C128 } else { Scalar::F64 };
    let types: Vec<Scalar> = match op.info().sig {
        Sig::IntReal | Sig::IntFloat => vec![Scalar::I64, ty],
        Sig::IntPower => vec![ty, Scalar::I64],
        _ => vec![ty; op.arity()],
    };
    let tys: Vec<adc_ir::Type> = types.iter().map(|t| (*t).into()).collect();
    op.result_type(&tys)?;
    let at: Vec<Complex64> =
        types.iter().map(|_| Complex64::new(rng.real(-4.0, 4.0), rng.real(-3.0, 3.0))).collect();
    let way: Vec<Complex64> =
        types.iter().map(|_| Complex64::new(rng.real(-1.0, 1.0), rng.real(-1.0, 1.0))).collect();
    let length: f64 = way.iter().map(|z| if complex { z.norm() } else { z.re.abs() }).sum();
    let inputs = |t: f64| -> Vec<Const> {
        let point = at.iter().zip(&way).map(|(z, d)| z + d * (t / length));
        point
            .zip(&types)
            .map(|(z, t)| if *t == Scalar::I64 { Const::I64(-2) } else { Const::from_c128(z, *t) })
            .collect()
    };
    let here = of_op(op, &inputs(0.0));
    let there = of_op(op, &inputs(step(&here)));
    Some((here, there))
}

/// Within its margin an op stays on its side.
#[test]
fn margins_are_distances() {
    let mut rng = Rng::new(11);
    let mut compared = 0;
    for &op in Op::ALL {
        for complex in [false, true] {
            for _ in 0..300 {
                let share = |here: &[Event]| match op {
                    // The margin is the distance of the dividend; the multiple of the divisor approaches it.
                    Op::Mod => 0.9 / (2.0 + f64::from(here[0].branch.abs())),
                    // Both sides are displaced.
                    Op::Clamp | Op::Min | Op::Max => 0.45,
                    Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => 0.45,
                    _ => 0.9,
                };
                let step = |here: &[Event]| {
                    let far = here.iter().map(|e| e.margin.abs()).fold(2.0, f64::min);
                    share(here) * far
                };
                let Some((here, there)) = two_places(op, complex, &mut rng, step) else { break };
                assert_eq!(diverging(&here, &there), None, "{op}: {here:?} {there:?}");
                compared += here.len();
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Beyond the margin there is another side, if there are two.
#[test]
fn margins_are_not_less_than_distances() {
    let mut rng = Rng::new(12);
    for op in [
        Op::Abs,
        Op::Sign,
        Op::Floor,
        Op::Ceil,
        Op::Round,
        Op::Trunc,
        Op::ToI64,
        Op::Recip,
        Op::Log,
        Op::Log1p,
        Op::Sqrt,
        Op::Cbrt,
        Op::Asin,
        Op::Acos,
        Op::Atanh,
        Op::Acosh,
        Op::Tan,
        Op::Lgamma,
        Op::Arg,
    ] {
        for _ in 0..200 {
            let x = rng.real(-6.0, 6.0);
            let here = of_op(op, &[f(x)]);
            let far = here[0].margin.abs() * 1.01 + 1e-9;
            let parted = |x: f64| diverging(&here, &of_op(op, &[f(x)])) == Some(0);
            assert!(parted(x - far) || parted(x + far), "{op} {x}: {here:?}");
        }
    }
}

#[test]
fn cuts_are_crossed_where_they_are() {
    let parted = |op: Op, a: Const, b: Const| diverging(&of_op(op, &[a]), &of_op(op, &[b])).is_some();
    let cases = [
        // Across, and around the end.
        (Op::Log, c(-1.0, 1e-3), c(-1.0, -1e-3), true),
        (Op::Log, c(1.0, 1e-3), c(1.0, -1e-3), false),
        (Op::Log, c(-1.0, 1e-3), c(1.5, -1e-3), false),
        (Op::Log, c(-1.5, 1e-3), c(1.0, -1e-3), true),
        // From the cut to its own side and to the other one.
        (Op::Sqrt, c(-1.0, 0.0), c(-1.0, 1e-3), false),
        (Op::Sqrt, c(-1.0, 0.0), c(-1.0, -1e-3), true),
        (Op::Sqrt, c(-1.0, -0.0), c(-1.0, -1e-3), false),
        (Op::Sqrt, c(-1.0, -0.0), c(-1.0, 0.0), true),
        (Op::Asin, c(2.0, 1e-3), c(2.0, -1e-3), true),
        (Op::Asin, c(0.5, 1e-3), c(0.5, -1e-3), false),
        (Op::Atan, c(1e-3, -2.0), c(-1e-3, -2.0), true),
        (Op::Atan, c(1e-3, -0.5), c(-1e-3, -0.5), false),
        (Op::Acosh, c(0.5, 1e-3), c(0.5, -1e-3), true),
        (Op::Acosh, c(f64::NAN, 1e-3), c(0.5, -1e-3), true),
    ];
    for (op, a, b, want) in cases {
        assert_eq!(parted(op, a, b), want, "{op} from {a:?} to {b:?}");
    }
    // With an integer exponent there is no cut.
    let power = |z: Const, w: f64| of_op(Op::Pow, &[z, f(w)]);
    let (above, below) = (c(-1.0, 1e-3), c(-1.0, -1e-3));
    assert_eq!(diverging(&power(above, 2.0), &power(below, 2.0)), None);
    assert_eq!(diverging(&power(above, 2.0), &power(above, 2.001)), None);
    assert_eq!(diverging(&power(above, 2.5), &power(below, 2.5)), Some(0));
}

const RELU: &str = "fn f(x: f64) -> f64 {
  v0 = f64 0.0
  v1 = gt x, v0
  v2 = if v1 {
    v3 = square x
    yield v3
  } else {
    v4 = abs x
    yield v4
  }
  return v2
}";

#[test]
fn branches_have_the_margin_of_their_comparison() {
    let m = module(RELU);
    let [right, zero, left] = [0.5, 0.0, -0.25].map(|x| events(&m, &[f(x)]));
    assert_eq!((right.len(), right[0].kind, right[0].branch, right[0].margin), (1, Choice, 1, 0.5));
    assert_eq!((left.len(), left[0].branch, left[1].what), (2, 0, What::Op(Op::Abs)));
    assert_eq!(left[0].operands[..], [Complex64::new(-0.25, 0.0), Complex64::ZERO]);
    assert_eq!(diverging(&right, &zero), Some(0));
    // The comparison has the same result, the kink after it has not.
    assert_eq!(diverging(&zero, &left), Some(1));
    assert_eq!(diverging(&right, &right), None);
    assert_eq!(diverging(&left, &left[..1]), Some(1));
    assert_eq!(nearest(&zero).map(|e| (e.what.name(), e.margin)), Some(("gt", 0.0)));
    assert_eq!(nearest(&[]), None);
}

#[test]
fn nearest_is_not_what_has_no_distance() {
    let text = "fn f(x: f64, y: f64) -> f64 {
  v0 = abs x
  v1 = floor y
  v2 = div v0, v1
  v3 = div v0, v2
  return v3
}";
    let seen = of_text(text, &[f(f64::NAN), f(-1.25)]);
    assert_eq!(nearest(&seen).map(|e| (e.what, e.margin)), Some((What::Op(Op::Floor), -0.25)));
}

/// x, x², … while below 10: comparisons decide the number of iterations.
const WHILE: &str = "fn f(x: f64) -> f64 {
  v0 = f64 10.0
  v1 = while x (v2) {
    v3 = lt v2, v0
    yield v3
  } do (v4) {
    v5 = square v4
    yield v5
  }
  return v1
}";

#[test]
fn loops() {
    let m = module(WHILE);
    let three = events(&m, &[f(2.0)]);
    assert_eq!(three.iter().map(|e| e.margin).collect::<Vec<_>>(), [-8.0, -6.0, 6.0]);
    assert_eq!(diverging(&three, &events(&m, &[f(4.0)])), Some(1));
    assert_eq!(diverging(&three, &events(&m, &[f(2.5)])), None);
    // It never ends.
    let endless = trace(&m, &Externs::new(), FuncId(0), &[Datum::Scalar(f(0.5))], 100);
    assert_eq!(endless.map_err(|e| e.trap), Err(adc_ir::Trap::OutOfFuel));
    // The list of events does.
    let forever = trace(&m, &Externs::new(), FuncId(0), &[Datum::Scalar(f(1.0))], 1 << 17);
    assert!(forever.is_err());
    let long = "fn f(x: f64, n: i64) -> f64 {
  v0 = i64 0
  v1 = i64 1
  v2 = reduce sum v0, n, v1 (v3) {
    v4 = abs x
    yield v4
  }
  return v2
}";
    let long = module(long);
    let inputs = [f(2.0), Const::I64(1 << 17)].map(Datum::Scalar);
    let seen = trace(&long, &Externs::new(), FuncId(0), &inputs, 1 << 17).expect("it ends");
    assert_eq!(seen.len(), MAX_EVENTS);
}

fn array(shape: &[usize], x: &[f64]) -> Datum {
    Datum::Array(adc_ir::datum::Array::new(shape.to_vec(), x.to_vec()))
}

#[test]
fn extrema() {
    let text = |op: &str| {
        let result = if op.starts_with("arg") { "i64" } else { "f64" };
        format!(
            "fn f(x: f64[4]) -> {result} {{
  v0 = i64 0
  v1 = i64 4
  v2 = i64 1
  v3 = reduce {op} v0, v1, v2 (v4) {{
    v5 = index x, v4
    yield v5
  }}
  return v3
}}"
        )
    };
    let run = |op: &str, x: &[f64]| {
        let seen = trace(&module(&text(op)), &Externs::new(), FuncId(0), &[array(&[4], x)], TURNS);
        let seen = seen.expect("it runs");
        assert_eq!((seen.len(), seen[0].what.name()), (1, op));
        (seen[0].kind, seen[0].branch, seen[0].margin, [seen[0].operands[0].re, seen[0].operands[1].re])
    };
    // Ties among the losers do not count.
    assert_eq!(run("max", &[1.0, 1.0, 5.0, 3.0]), (Kink, 2, 2.0, [5.0, 3.0]));
    assert_eq!(run("min", &[1.0, 4.0, 5.0, -3.0]), (Kink, 3, -4.0, [-3.0, 1.0]));
    assert_eq!(run("max", &[1.0, 5.0, 5.0, 3.0]), (Kink, -1, 0.0, [5.0, 5.0]));
    assert_eq!(run("argmax", &[1.0, 5.0, 5.0, 3.0]), (Jump, 1, 0.0, [5.0, 5.0]));
    assert_eq!(run("argmin", &[1.0, 5.0, 5.0, 0.5]), (Jump, 3, -0.5, [0.5, 1.0]));
    // Of an array of them, every element has an event.
    let rows = module(
        "fn f(x: f64[2, 3]) -> f64[3] {
  v0 = i64 0
  v1 = i64 2
  v2 = i64 1
  v3: f64[3] = build (v4) {
    v5 = reduce max v0, v1, v2 (v6) {
      v7 = index x, v6, v4
      yield v7
    }
    yield v5
  }
  return v3
}",
    );
    let x = array(&[2, 3], &[1.0, 2.0, 3.0, 1.5, 2.0, -1.0]);
    let seen = trace(&rows, &Externs::new(), FuncId(0), &[x], TURNS).expect("it runs");
    let sides: Vec<_> = seen.iter().map(|e| (e.branch, e.margin)).collect();
    assert_eq!(sides, [(1, 0.5), (-1, 0.0), (0, 4.0)]);
}

#[test]
fn what_only_assertions_look_at_is_an_edge() {
    let text = "fn f(x: f64) -> f64 {
  v0 = f64 0.0
  v1 = f64 1.0
  v2 = ge x, v0
  v3 = le x, v1
  v4 = and v2, v3
  assert v4, \"inside\"
  v5 = lt x, v1
  assert v5, \"below\"
  v6 = select v5, x, v0
  return v6
}";
    let kinds: Vec<_> = of_text(text, &[f(0.25)]).iter().map(|e| (e.kind, e.margin)).collect();
    assert_eq!(kinds, [(Edge, 0.25), (Edge, -0.75), (Choice, -0.75)]);
}

#[test]
fn matrices() {
    let run = |op: &str, a: &[f64]| {
        let result = match op {
            "det" | "logdet" => "f64",
            "eigh_values" | "svd_values" => "f64[2]",
            "svd_vectors" => "f64[4, 2]",
            _ => "f64[2, 2]",
        };
        let text = format!("fn f(a: f64[2, 2]) -> {result} {{\n  v0 = {op} a\n  return v0\n}}");
        let seen = trace(&module(&text), &Externs::new(), FuncId(0), &[array(&[2, 2], a)], TURNS);
        seen.expect("it runs").iter().map(|e| (e.kind, e.branch, e.margin)).collect::<Vec<_>>()
    };
    assert_eq!(run("det", &[1.0, 0.0, 0.0, 1.0]), []);
    // Pivots 4 and -1/2 after a swap of rows: the determinant is 2.
    assert_eq!(run("inv", &[1.0, 0.5, 4.0, 4.0]), [(Edge, 1, 0.5)]);
    assert_eq!(run("logdet", &[4.0, 4.0, 1.0, 0.5]), [(Edge, -1, -0.5)]);
    assert_eq!(run("cholesky", &[4.0, 9.0, 2.0, 1.25]), [(Edge, 1, 0.25)]);
    assert_eq!(run("eigh_values", &[1.0, 9.0, 0.0, 3.0]), [(Kink, 0, 2.0)]);
    assert_eq!(run("eigh_vectors", &[1.0, 9.0, 0.0, 3.0]), [(Jump, 0, 2.0)]);
    assert_eq!(run("svd_values", &[3.0, 0.0, 0.0, 1.0]), [(Kink, 1, 1.0)]);
    assert_eq!(run("qr_q", &[3.0, 0.0, 0.0, -1.0]), [(Jump, -1, 1.0)]);
    assert_eq!(run("svd_vectors", &[3.0, 0.0, 0.0, 1.0]), [(Jump, 1, 1.0)]);
    // The first eigenvector is (0.707, -0.707): with another first element the second would set the sign.
    let [gap, phase] = run("eigh_vectors", &[2.0, 0.0, 1.0, 2.0])[..] else { panic!("two events") };
    assert!(
        gap.0 == Jump
            && (gap.2 - 2.0).abs() < 1e-12
            && phase.0 == Cut
            && (phase.2 - 0.1 * 0.5f64.sqrt()).abs() < 1e-12,
        "{gap:?} {phase:?}"
    );
    let complex = module("fn f(a: c128[1, 1]) -> c128[1, 1] {\n  v0 = inv a\n  return v0\n}");
    let a = adc_ir::datum::Array::new(vec![1, 1], vec![Complex64::new(3.0, -4.0)]);
    let seen = trace(&complex, &Externs::new(), FuncId(0), &[Datum::Array(a)], TURNS).expect("it runs");
    assert_eq!((seen[0].branch, seen[0].margin), (1, 7.0));
}

#[test]
fn every_op_that_is_not_smooth_has_a_place() {
    use adc_ir::{Domain, Smoothness};
    let real = |op: Op| {
        let types: Vec<Const> = match op.info().sig {
            Sig::IntReal | Sig::IntFloat => vec![Const::I64(1), f(0.25)],
            Sig::IntPower => vec![f(0.25), Const::I64(-1)],
            Sig::Int2 | Sig::Bool2 | Sig::Bool1 | Sig::Select => return None,
            Sig::ToC => return None,
            _ => vec![f(0.25); op.arity()],
        };
        Some(of_op(op, &types))
    };
    for &op in Op::ALL {
        let Some(seen) = real(op) else { continue };
        let info = op.info();
        let compares =
            matches!(info.sig, Sig::Compare | Sig::Equal | Sig::FloatTest | Sig::RealTest | Sig::ToI64);
        let rough =
            matches!(info.smooth, Smoothness::Kink(_) | Smoothness::Jump(_)) || info.domain != Domain::All;
        // It has poles, but is defined between them.
        let poles = op == Op::Tan;
        assert_eq!(!seen.is_empty(), rough || compares || poles, "{op}");
    }
}
