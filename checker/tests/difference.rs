//! Difference programs, run by the interpreter, and numerical gradients.

use adc_checker::{Context, Fd, fd_program, numerical_gradient};
use adc_ir::interp::{Interp, Limits, NoExterns, Val};
use adc_ir::text::parse_module;
use adc_ir::verify::verify;
use adc_ir::*;
use adc_jit::{Externs, RuntimeMath};
use adc_simplify::OptLevel;
use num_complex::Complex64;

fn module(text: &str) -> Module {
    let m = parse_module(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    verify(&m).unwrap_or_else(|e| panic!("{e:?}"));
    m
}

struct Program {
    m: Module,
    f: FuncId,
}

impl Program {
    fn new(text: &str, mode: Mode, wrt: &[usize], outputs: &[usize]) -> Program {
        let mut m = module(text);
        let f = m.find("f").expect("tests call their function f");
        let f = fd_program(&mut m, f, mode, wrt, outputs).unwrap_or_else(|d| panic!("{d:?}"));
        if let Err(errors) = verify(&m) {
            panic!("{errors:?}\n{m}");
        }
        Program { m, f }
    }

    fn names(&self) -> Vec<&str> {
        self.m.func(self.f).results.iter().map(|r| r.name.as_str()).collect()
    }

    fn run(&self, args: &[Const]) -> Result<Vec<f64>, RuntimeError> {
        self.run_data(&args.iter().map(|c| Datum::Scalar(*c)).collect::<Vec<_>>())
    }

    /// All numbers of all results. The last argument is the step, for the offsets of all quotients.
    fn run_data(&self, args: &[Datum]) -> Result<Vec<f64>, RuntimeError> {
        let (eps, args) = args.split_last().expect("a step");
        let eps = eps.get(0).to_c128().re;
        let params = &self.m.func(self.f).params;
        let entries = |input: &str| {
            let name = input.trim_end_matches(".re").trim_end_matches(".im");
            args[params.iter().position(|p| p.name == name).expect("a parameter")].len()
        };
        let offsets = params[args.len()..].iter().map(|p| match p.name.strip_prefix("t_") {
            Some(input) => array(&[2 * entries(input)], &[eps, -eps].repeat(entries(input))),
            None => array(&[2], &[eps, -eps]),
        });
        let args: Vec<Datum> = args.iter().cloned().chain(offsets).collect();
        let args: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
        let interp = Interp::new(&self.m, &RuntimeMath, &NoExterns);
        let values = interp.call(self.f, &args)?;
        Ok(values.iter().flat_map(|v| v.to_consts(Scalar::F64)).map(|c| c.to_c128().re).collect())
    }
}

/// The numerical gradient of the first result of `f` with respect to its first parameter.
fn gradient(text: &str, inputs: &[Datum], delta: f64) -> Vec<Datum> {
    let (m, externs) = (module(text), Externs::new());
    let ctx = Context::new(&m, &externs, OptLevel::O1);
    let f = m.find("f").expect("tests call their function f");
    let step = Fd::Central { delta };
    numerical_gradient(&ctx, (f, &[]), inputs, (0, 0), step, Limits::default())
        .unwrap_or_else(|d| panic!("{d:?}"))
}

fn r(x: f64) -> Const {
    Const::F64(x)
}

fn c(re: f64, im: f64) -> Const {
    Const::C128(Complex64::new(re, im))
}

#[track_caller]
fn close(got: &[f64], want: &[f64], tol: f64) {
    assert_eq!(got.len(), want.len(), "{got:?}");
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= tol, "{got:?} instead of {want:?}");
    }
}

const EPS: f64 = 1e-6;

#[test]
fn slow_programs_hold_every_entry() {
    let text = "
fn f(x: f64, z: c128, n: i64) -> (a: f64, b: c128) {
  v0 = mul x, z
  v1 = abs2 v0
  v2 = mul v0, z
  return v1, v2
}";
    let p = Program::new(text, Mode::Slow, &[0, 1], &[0, 1]);
    let columns = ["x", "z.re", "z.im"];
    let rows = ["a", "b.re", "b.im"];
    let names: Vec<String> =
        columns.iter().flat_map(|c| rows.iter().map(move |r| format!("d_{r}_d_{c}"))).collect();
    assert_eq!(p.names(), names);
    // a = x²|z|², b = x z²; x = 2, z = 1 + 3i: z² = -8 + 6i
    let got = p.run(&[r(2.0), c(1.0, 3.0), Const::I64(0), r(EPS)]).unwrap();
    close(&got, &[40.0, -8.0, 6.0, 8.0, 4.0, 12.0, 24.0, -12.0, 4.0], 1e-7);
    // Some inputs, some outputs.
    let p = Program::new(text, Mode::Slow, &[1], &[1]);
    assert_eq!(p.names(), ["d_b.re_d_z.re", "d_b.im_d_z.re", "d_b.re_d_z.im", "d_b.im_d_z.im"]);
}

#[test]
fn the_quotient_is_the_published_one() {
    let p = Program::new("fn f(x: f64) -> f64 { v0 = sin x v1 = exp v0 return v1 }", Mode::Slow, &[0], &[0]);
    let f = |x: f64| {
        let math = &RuntimeMath;
        math.real(Op::Exp, &[math.real(Op::Sin, &[x])])
    };
    for (x, eps) in [(0.3, 1e-6), (-2.1, 1e-6), (5.0, 0.005)] {
        let got = p.run(&[r(x), r(eps)]).unwrap();
        assert_eq!(got, [(f(x + eps) - f(x - eps)) / (2.0 * eps)], "to the last bit");
        assert_eq!(got, [(f(x + eps) - f(x - eps)) / eps / 2.0], "also in the other published form");
    }
}

#[test]
fn fast_programs_go_along_a_direction() {
    let text =
        "fn f(z: c128, x: f64) -> c128 { v0 = exp z v1 = conj z v2 = mul v0, v1 v3 = mul v2, x return v3 }";
    let slow = Program::new(text, Mode::Slow, &[0, 1], &[0]);
    let fast = Program::new(text, Mode::Fast, &[0, 1], &[0]);
    assert_eq!(fast.names(), ["d_out.re_d_u", "d_out.im_d_u"]);
    let params: Vec<&str> = fast.m.func(fast.f).params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(params, ["z", "x", "u_z.re", "u_z.im", "u_x", "t"]);
    let s = slow.run(&[c(0.3, -0.4), r(1.5), r(EPS)]).unwrap();
    let g = fast.run(&[c(0.3, -0.4), r(1.5), r(0.6), r(0.5), r(0.8), r(EPS)]).unwrap();
    let along = [0, 1].map(|k| 0.6 * s[k] + 0.5 * s[2 + k] + 0.8 * s[4 + k]);
    close(&g, &along, 1e-8);
}

#[test]
fn frozen_values_stay_at_the_centre() {
    let cases = [
        // x · stop(x): derivative x.
        ("fn f(x: f64) -> f64 { v0 = stop_gradient x v1 = mul x, v0 return v1 }", 3.0, 3.0),
        // stop(x²)·x, the square needed at the centre only.
        ("fn f(x: f64) -> f64 { v0 = square x v1 = stop_gradient v0 v2 = mul x, v1 return v2 }", 3.0, 9.0),
        // stop of something used on both sides.
        ("fn f(x: f64) -> f64 { v0 = square x v1 = stop_gradient v0 v2 = mul v0, v1 return v2 }", 2.0, 16.0),
        // Inside a callee, and inside its callee.
        (
            "fn f(x: f64) -> f64 { v0 = square x v1 = call g(v0) return v1 }
             fn g(x: f64) -> f64 { v0 = call h(x, x) return v0 }
             fn h(x: f64, y: f64) -> f64 { v0 = stop_gradient y v1 = mul x, v0 return v1 }",
            2.0,
            16.0,
        ),
        // `#[nodiff]` arguments.
        (
            "fn f(x: f64) -> f64 { v0 = call g(x, x) return v0 }
             fn g(x: f64, #[nodiff] y: f64) -> f64 { v0 = square y v1 = mul x, v0 return v1 }",
            2.0,
            4.0,
        ),
        // The branch of the displaced point, with its fixed values computed at the centre.
        (
            "fn f(x: f64) -> f64 {
               v0 = f64 0.0
               v1 = lt v0, x
               v2 = if v1 {
                 v3 = square x
                 v4 = stop_gradient v3
                 v5 = mul x, v4
                 yield v5
               } else {
                 yield v0
               }
               return v2
             }",
            2.0,
            4.0,
        ),
        // A result of an `if` that is needed at the centre.
        (
            "fn f(x: f64) -> f64 {
               v0 = f64 0.0
               v1 = lt v0, x
               v2 = if v1 {
                 v3 = square x
                 v4 = f64 2.0
                 v5 = lt v4, v3
                 v6 = if v5 { v7 = mul v3, x yield v7 } else { yield x }
                 assert v5, \"big\"
                 yield v6
               } else {
                 yield v0
               }
               v8 = stop_gradient v2
               v9 = mul v8, x
               v10 = add v9, v2
               return v10
             }",
            2.0,
            20.0,
        ),
        // A fixed condition passes nothing on.
        (
            "fn f(x: f64) -> f64 {
               v0 = stop_gradient x
               v1 = f64 2.0
               v2 = lt v0, v1
               v3 = if v2 { yield x } else { v4 = mul x, x yield v4 }
               return v3
             }",
            2.0,
            4.0,
        ),
    ];
    for (text, x, want) in cases {
        let p = Program::new(text, Mode::Slow, &[0], &[0]);
        let got = p.run(&[r(x), r(EPS)]).unwrap();
        assert!((got[0] - want).abs() < 1e-7, "{got:?} instead of {want}:\n{}", p.m);
    }
}

#[test]
fn nothing_is_duplicated_where_nothing_is_frozen() {
    let p = Program::new(
        "fn f(x: f64) -> f64 { v0 = call g(x) return v0 } fn g(x: f64) -> f64 { v0 = exp x return v0 }",
        Mode::Slow,
        &[0],
        &[0],
    );
    let names: Vec<&str> = p.m.funcs.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f", "g", "f.fd"]);
    // Values at the centre are only computed where something fixed needs them.
    let p = Program::new(
        "fn f(x: f64) -> f64 { v0 = exp x v1 = stop_gradient x v2 = mul v0, v1 return v2 }",
        Mode::Slow,
        &[0],
        &[0],
    );
    let frozen = p.m.func(p.m.find("f.frozen").unwrap());
    assert_eq!(frozen.inst_count(), 2, "{}", p.m);
}

#[test]
fn declared_domains_are_kept() {
    // An assertion, as a function that fails outside.
    let interval = "
fn f(x: f64 in [0, 1]) -> f64 {
  v0 = f64 0.0
  v1 = le v0, x
  assert v1, \"x >= 0\"
  v2 = f64 1.0
  v3 = le x, v2
  assert v3, \"x <= 1\"
  v4 = square x
  return v4
}";
    let slope = |x: f64, delta: f64| gradient(interval, &[r(x).into()], delta)[0].get(0).to_c128().re;
    for x in [0.0, 1.0, 0.5, 1e-7, 1.0 - 1e-7, 1e-9, f64::EPSILON] {
        close(&[slope(x, EPS)], &[2.0 * x], 2e-6);
    }
    // A wide step at the edges, where the central one would leave.
    close(&[slope(0.0, 0.005)], &[0.005], 1e-12);
    let disk = "
fn f(z: c128 in disk(1)) -> f64 {
  v0 = abs z
  v1 = f64 1.0
  v2 = le v0, v1
  assert v2, \"|z| <= 1\"
  v3 = abs2 z
  return v3
}";
    let slope = |z: Const, delta: f64| {
        let g = gradient(disk, &[z.into()], delta)[0].get(0).to_c128();
        [g.re, g.im]
    };
    close(&slope(c(0.3, 0.4), EPS), &[0.6, 0.8], 1e-8);
    close(&slope(c(0.6, 0.8), EPS), &[1.2, 1.6], 2e-6);
    // At 1 every step along i leaves the disk.
    let rim = slope(c(1.0, 0.0), 1e-3);
    assert!((rim[0] - 2.0).abs() < 2e-3 && rim[1].is_nan(), "{rim:?}");
}

#[test]
fn single_precision_is_differenced_in_double() {
    let text = "
fn f(x: f32, z: c64, y: f64) -> (a: f32, b: c64) {
  v0 = f32 0.1
  v1 = mul x, v0
  v2 = mul v1, z
  v3 = to_f32 y
  v4 = call g(v2, v3)
  v5 = to_c v4
  v6 = to_c v5
  v7 = re v6
  return v7, v6
}
fn g(z: c64, y: f32) -> c64 { v0 = exp z v1 = mul y, v0 return v1 }";
    let p = Program::new(text, Mode::Slow, &[0, 1, 2], &[1]);
    let params: Vec<Type> = (0..3).map(|i| p.m.func(p.f).param_ty(i)).collect();
    assert_eq!(params, [Type::F64, Type::C128, Type::F64]);
    let (x, z, y) = (2.0, Complex64::new(0.5, -0.25), 3.0);
    let got = p.run(&[r(x), Const::C128(z), r(y), r(EPS)]).unwrap();
    let k = 0.1f32 as f64;
    let e = (z * (k * x)).exp();
    let (dx, dz, dy) = (e * z * (k * y), e * (k * x * y), e);
    close(&got, &[dx.re, dx.im, dz.re, dz.im, -dz.im, dz.re, dy.re, dy.im], 1e-8);
}

fn array(shape: &[usize], x: &[f64]) -> Datum {
    Array::new(shape.to_vec(), x.to_vec()).into()
}

#[test]
fn arrays_are_displaced_entry_by_entry_in_a_loop() {
    // y = w x, s = Σ w
    let text = "
fn f[N, M](w: f64[N, M], x: f64[M]) -> (y: f64[N], s: f64) {
  v0 = matmul w, x
  v1 = i64 0
  v2 = i64 1
  v7 = reduce sum v1, N, v2 (v3) { v6 = reduce sum v1, M, v2 (v4) { v5 = index w, v3, v4 yield v5 } yield v6 }
  return v0, v7
}";
    let (w, x) = (array(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), array(&[3], &[0.5, 1.5, 2.5]));
    let slow = Program::new(text, Mode::Slow, &[0, 1], &[0, 1]);
    assert_eq!(slow.names(), ["d_y_d_w", "d_s_d_w", "d_y_d_x", "d_s_d_x"]);
    let got = slow.run_data(&[w.clone(), x.clone(), r(EPS).into()]).unwrap();
    let mut want = vec![0.5, 0.0, 1.5, 0.0, 2.5, 0.0, 0.0, 0.5, 0.0, 1.5, 0.0, 2.5];
    want.extend([1.0; 6]);
    want.extend([1.0, 4.0, 2.0, 5.0, 3.0, 6.0, 0.0, 0.0, 0.0]);
    close(&got, &want, 1e-8);
    // The number of instructions does not depend on the number of entries.
    let count = slow.m.func(slow.f).inst_count();
    assert!(count < 80, "{count}");
    let fast = Program::new(text, Mode::Fast, &[0, 1], &[0, 1]);
    assert_eq!(fast.names(), ["d_y_d_u", "d_s_d_u"]);
    let (u, v) = (array(&[2, 3], &[1.0, 0.0, 0.5, 0.0, 2.0, 0.0]), array(&[3], &[0.0, 1.0, 0.0]));
    let got = fast.run_data(&[w, x, u, v, r(EPS).into()]).unwrap();
    close(&got, &[0.5 + 1.25 + 2.0, 3.0 + 5.0, 3.5], 1e-8);
}

#[test]
fn domains_of_arrays_are_kept_entry_by_entry() {
    let text = "
fn f[N](x: f64[N] in [0, 1]) -> f64[N] {
  v10: f64[N] = build (v0) {
    v1 = index x, v0
    v2 = f64 0.0
    v3 = le v2, v1
    assert v3, \"x >= 0\"
    v4 = f64 1.0
    v5 = le v1, v4
    assert v5, \"x <= 1\"
    v6 = square v1
    yield v6
  }
  return v10
}";
    let x = [0.0, 1.0, 0.5];
    let got: Vec<f64> = gradient(text, &[array(&[3], &x)], EPS)
        .iter()
        .flat_map(|row| (0..3).map(|i| row.get(i).to_c128().re))
        .collect();
    close(&got, &[0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0], 2e-6);
    let fast = Program::new(text, Mode::Fast, &[0], &[0]);
    let got = fast.run_data(&[array(&[0], &[]), array(&[0], &[]), r(EPS).into()]).unwrap();
    assert_eq!(got, [0.0; 0]);
}

#[test]
fn loops_carry_what_is_frozen_beside_what_moves() {
    let cases = [
        // Σ_i stop(x_i)·x_i: 2·Σ counts once.
        (
            "fn f[N](x: f64[N]) -> f64 {
               v0 = i64 0 v1 = i64 1
               v6 = reduce sum v0, N, v1 (v2) { v3 = index x, v2 v4 = stop_gradient v3 v5 = mul v3, v4 yield v5 }
               return v6 }",
            [2.0, 3.0, 5.0],
        ),
        // c ← x_i·stop(c) from 1: only the last factor is displaced.
        (
            "fn f[N](x: f64[N]) -> f64 {
               v0 = i64 0 v1 = i64 1 v2 = f64 1.0
               v8 = for v0, N, v1, v2 (v3, v4) { v5 = index x, v3 v6 = stop_gradient v4 v7 = mul v5, v6 yield v7 }
               return v8 }",
            [0.0, 0.0, 6.0],
        ),
        // c ← x_i·c, s += stop(c)·x_i: a carry needed at the centre in every iteration. c: 1 2 6.
        (
            "fn f[N](x: f64[N]) -> f64 {
               v0 = i64 0 v1 = i64 1 v2 = f64 1.0 v3 = f64 0.0
               v20, v21 = for v0, N, v1, v2, v3 (v4, v5, v6) {
                 v7 = index x, v4 v8 = stop_gradient v5 v9 = mul v8, v7 v10 = add v6, v9 v11 = mul v5, v7 yield v11, v10 }
               return v21 }",
            [1.0, 2.0, 6.0],
        ),
        // The loop's result fixed: stop(Π x)·x_0.
        (
            "fn f[N](x: f64[N]) -> f64 {
               v0 = i64 0 v1 = i64 1 v2 = f64 1.0
               v8 = for v0, N, v1, v2 (v3, v4) { v5 = index x, v3 v7 = mul v5, v4 yield v7 }
               v9 = stop_gradient v8 v10 = index x, v0 v11 = mul v9, v10
               return v11 }",
            [30.0, 0.0, 0.0],
        ),
        // In a `while`: c ← x_1·stop(c) while i < 3, x_0·c at the end; c = 25, times 1.
        (
            "fn f[N](x: f64[N]) -> f64 {
               v0 = i64 0 v1 = i64 1 v2 = f64 1.0 v3 = i64 2
               v4 = index x, v0
               v5 = index x, v3
               v20, v21 = while v0, v2 (v6, v7) { v8 = lt v6, v3 yield v8 } do (v9, v10) {
                 v11 = add v9, v1 v12 = stop_gradient v10 v13 = mul v12, v5 yield v11, v13 }
               v22 = mul v4, v21
               return v22 }",
            [25.0, 0.0, 10.0],
        ),
        // A matrix product with a fixed array.
        (
            "fn f[N](x: f64[N]) -> f64 {
               v3: f64[N] = build (v0) { v1 = index x, v0 v2 = stop_gradient v1 yield v2 }
               v4 = matmul v3, x
               return v4 }",
            [2.0, 3.0, 5.0],
        ),
    ];
    for (text, want) in cases {
        let p = Program::new(text, Mode::Slow, &[0], &[0]);
        let got = p.run_data(&[array(&[3], &[2.0, 3.0, 5.0]), r(EPS).into()]).unwrap();
        close(&got, &want, 1e-7);
    }
}

#[test]
fn arrays_of_single_precision_are_differenced_in_double() {
    let text = "
extern \"h\" fn h[N](x: f32[N]) -> f32[N]
fn f[N](x: f32[N], z: c64) -> f32[N] {
  v0 = re z
  v5: f32[N] = build (v1) { v2 = index x, v1 v3 = exp v2 v4 = mul v3, v0 yield v4 }
  return v5
}
fn g[N](x: f32[N]) -> f32[N] { v0 = call h[N](x) return v0 }";
    let p = Program::new(text, Mode::Slow, &[0], &[0]);
    let z = Const::C128(Complex64::new(2.0, 1.0));
    let got = p.run_data(&[array(&[2], &[0.0, 1.0]), z.into(), r(EPS).into()]).unwrap();
    close(&got, &[2.0, 0.0, 0.0, 2.0 * 1f64.exp()], 1e-8);
    // Arrays are converted to a native function's type and back.
    let mut m = module(text);
    let g = m.find("g").unwrap();
    fd_program(&mut m, g, Mode::Slow, &[0], &[0]).unwrap();
    verify(&m).unwrap_or_else(|e| panic!("{e:?}\n{m}"));
}
