//! Functions with array parameters, array results, dimensions and loops.

use crate::common;

use adc_checker::*;
use adc_ir::*;
use common::*;

/// Correct functions: a description of `f`, and its text.
const CORRECT: &[(&str, &str)] = &[
    (
        "Rⁿ→R, a sum",
        "fn f[N](x: f64[N]) -> f64 {
           v0 = i64 0
           v1 = i64 1
           v5 = reduce sum v0, N, v1 (v2) { v3 = index x, v2 v4 = square v3 yield v4 }
           return v5
         }",
    ),
    (
        "Rⁿ→Rⁿ, entry by entry",
        "fn f[N](x: f64[N], a: f64) -> f64[N] {
           v5: f64[N] = build (v2) { v3 = index x, v2 v4 = mul v3, a v50 = sin v4 yield v50 }
           return v5
         }",
    ),
    (
        "a matrix times a vector, two results",
        "fn f[N, M](w: f64[N, M], x: f64[M]) -> (y: f64[N], s: f64) {
           v0 = matmul w, x
           v1 = i64 0
           v2 = i64 1
           v6 = reduce prod v1, M, v2 (v3) { v4 = index x, v3 v5 = cos v4 yield v5 }
           return v0, v6
         }",
    ),
    (
        "Cⁿ→Cⁿ, not holomorphic",
        "fn f[N](z: c128[N], r: f64[N]) -> c128[N] {
           v9: c128[N] = build (v0) {
             v1 = index z, v0
             v2 = index r, v0
             v3 = conj v1
             v4 = mul v3, v2
             v5 = exp v1
             v6 = mul v4, v5
             yield v6
           }
           return v9
         }",
    ),
    (
        "Cⁿˣᵐ→R",
        "fn f[N, M](z: c128[N, M]) -> f64 {
           v0 = i64 0
           v1 = i64 1
           v7 = reduce sum v0, N, v1 (v2) {
             v6 = reduce sum v0, M, v1 (v3) { v4 = index z, v2, v3 v5 = abs2 v4 yield v5 }
             v60 = sin v6
             yield v60
           }
           return v7
         }",
    ),
    (
        "a loop with a carry",
        "fn f[N](x: f64[N], y0: f64) -> f64 {
           v0 = i64 0
           v1 = i64 1
           v7 = for v0, N, v1, y0 (v2, v3) { v4 = index x, v2 v5 = mul v3, v4 v6 = sin v5 v60 = add v6, v3 yield v60 }
           return v7
         }",
    ),
    (
        "single precision",
        "fn f[N](x: f32[N], z: c64[N]) -> (a: f32, b: c64[N]) {
           v0 = i64 0
           v1 = i64 1
           v5 = reduce sum v0, N, v1 (v2) { v3 = index x, v2 v4 = square v3 yield v4 }
           v9: c64[N] = build (v6) { v7 = index z, v6 v70 = exp v7 v8 = mul v70, v5 yield v8 }
           return v5, v9
         }",
    ),
    (
        "x stop(x) entry by entry, a domain",
        "fn f[N](x: f64[N] in (0, 2]) -> f64[N] {
           v9: f64[N] = build (v0) { v1 = index x, v0 v2 = stop_gradient v1 v3 = log v1 v4 = mul v2, v3 yield v4 }
           return v9
         }",
    ),
    (
        "a loop that freezes what it carries",
        "fn f[N](x: f64[N]) -> f64 {
           v0 = i64 0
           v1 = i64 1
           v10 = f64 0.5
           v7 = for v0, N, v1, v10 (v2, v3) {
             v4 = index x, v2 v5 = stop_gradient v3 v6 = mul v5, v4 v60 = sin v6 v61 = add v60, v3 yield v61
           }
           return v7
         }",
    ),
];

const SETS: &[&[Mode]] = &[
    &[Mode::Slow],
    &[Mode::Fast],
    &[Mode::Forward],
    &[Mode::Gradgrad],
    &[Mode::Slow, Mode::Gradgrad],
    &[Mode::Fast, Mode::Forward],
    &[Mode::Slow, Mode::Fast, Mode::Forward, Mode::Gradgrad],
];

#[test]
fn correct_models_pass() {
    for (kind, text) in CORRECT {
        for modes in SETS {
            let report = in_modes(text, modes);
            assert_eq!(report.status, Status::Ok, "{kind} {modes:?}: {}", describe(&report));
            assert!(report.counts.total.compared() > 0, "{kind} {modes:?}");
        }
    }
}

/// A rule of a function with arrays that is wrong in one entry: the text, the entry, the wrong and the right number at
/// W[i, j] = i + j/10 + 0.5, x[i] = i + 1.
const WRONG: &[(&str, &str, f64, f64)] = &[
    (
        "#[rule(vjp, f.vjp)] fn f(a: f64[3, 3], y: f64[3]) -> f64[3] { v0 = matmul a, y return v0 }
         fn f.vjp(a: f64[3, 3], y: f64[3], out: f64[3], g: f64[3]) -> (a_bar: f64[3, 3], y_bar: f64[3]) {
           v5: f64[3, 3] = build (v0, v1) { v2 = index g, v0 v3 = index y, v1 v4 = mul v2, v3 yield v4 }
           v6 = matmul a, g
           return v5, v6 }",
        "∂out[0]/∂y[2]",
        6.0,
        2.0,
    ),
    (
        "#[rule(jvp, f.jvp)] fn f[N, M](w: f64[N, M], x: f64[M]) -> f64[N] { v0 = matmul w, x return v0 }
         fn f.jvp[N, M](w: f64[N, M], x: f64[M], out: f64[N], dw: f64[N, M], dx: f64[M]) -> f64[N] {
           v0 = matmul dw, x
           v1 = matmul w, dx
           v8: f64[N] = build (v2) {
             v3 = index v0, v2
             v4 = index v1, v2
             v5 = add v3, v4
             v6 = i64 2
             v61 = i64 1
             v62 = index dw, v6, v61
             v63 = eq v2, v6
             v64 = f64 0.25
             v65 = mul v64, v62
             v66 = add v5, v65
             v67 = select v63, v66, v5
             yield v67
           }
           return v8
         }",
        "∂out[2]/∂w[2, 1]",
        2.25,
        2.0,
    ),
    (
        "#[rule(jvp, f.jvp)] fn f[N](z: c128[N]) -> f64[N] {
           v5: f64[N] = build (v0) { v1 = index z, v0 v2 = abs2 v1 yield v2 } return v5 }
         fn f.jvp[N](z: c128[N], out: f64[N], dz: c128[N]) -> f64[N] {
           v9: f64[N] = build (v0) {
             v1 = index z, v0 v2 = index dz, v0 v3 = conj v1 v4 = mul v3, v2 v5 = re v4 yield v5 } return v9 }",
        "∂out[2]/∂z[2].im",
        1.0,
        2.0,
    ),
];

fn point(text: &str) -> Vec<Datum> {
    let m = module(text);
    let f = m.func(m.find("f").unwrap());
    let value = |p: &Param| match (&*p.name, f.ty(p.value).scalar()) {
        ("w", _) => Array::new(vec![3, 2], vec![0.5, 0.6, 1.5, 1.6, 2.5, 2.6]).into(),
        ("x", _) => Array::new(vec![2], vec![1.0, 2.0]).into(),
        ("a", _) => Array::new(vec![3, 3], (0..9).map(f64::from).collect::<Vec<_>>()).into(),
        ("y", _) => Array::new(vec![3], vec![1.0, -1.0, 0.5]).into(),
        _ => Array::new(vec![3], [0.0, 1.0, 2.0].map(|x| num_complex::Complex64::new(x, x / 2.0)).to_vec())
            .into(),
    };
    f.params.iter().map(value).collect()
}

#[test]
fn wrong_entries_are_found() {
    for (text, name, wrong, right) in WRONG {
        // A rule of one form is used in both modes, transposed in one of them.
        for modes in [&[Mode::Slow][..], &[Mode::Fast], &[Mode::Forward], &[Mode::Slow, Mode::Forward]] {
            let r = run(
                text,
                |_, _| {},
                |s| {
                    s.modes = Some(modes.to_vec());
                    s.at = vec![point(text)];
                },
            );
            fails_with(&r, Code::WrongDerivative);
            let worst = r.worst.as_ref().unwrap();
            let e = worst.entries.iter().find(|e| e.name(true) == *name);
            let e = e.unwrap_or_else(|| panic!("{}", describe(&r)));
            assert_eq!(e.status, Verdict::Wrong, "{}", describe(&r));
            let derivative = e.vjp.or(e.jvp).unwrap();
            assert!((derivative - wrong).abs() < 1e-12 && (e.fd.unwrap() - right).abs() < 1e-6, "{e:?}");
            assert!(r.blame.is_some(), "{}", describe(&r));
        }
    }
}

#[test]
fn a_rule_reached_in_a_loop_is_blamed() {
    let text = "
fn f[N](x: f64[N]) -> f64 {
  v0 = i64 0
  v1 = i64 1
  v6 = reduce sum v0, N, v1 (v2) { v4 = index x, v2 v5 = call g(v4) yield v5 }
  return v6
}
#[rule(vjp, g.vjp)] fn g(x: f64) -> f64 { v0 = sin x return v0 }
fn g.vjp(x: f64, out: f64, d: f64) -> (x_bar: f64) { v0 = cos x v1 = mul v0, d v2 = f64 1.5 v3 = lt v2, x v4 = neg v1 v5 = select v3, v4, v1 return v5 }";
    let at: Datum = Array::new(vec![4], vec![0.5, 1.0, 2.0, 0.25]).into();
    let r = run(text, |_, _| {}, |s| s.at = vec![vec![at]]);
    fails_with(&r, Code::WrongDerivative);
    assert_eq!(r.worst_entry, "∂/∂x[2]");
    let blame = r.blame.unwrap().op.unwrap();
    assert_eq!((&*blame.name, blame.inputs[0].get(0)), ("g", Const::F64(2.0)));
}

const SUM: &str = "fn f[N](x: f64[N] in [-1, 1], k: i64[N], b: bool[N]) -> f64 {
  v0 = i64 0
  v1 = i64 1
  v5 = reduce sum v0, N, v1 (v2) { v3 = index x, v2 v4 = square v3 yield v4 }
  return v5
}";

fn forward(s: &mut Settings) {
    s.modes = Some(vec![Mode::Forward]);
}

#[test]
fn dimensions_and_points_of_arrays() {
    let at = |r: &Report| r.worst.as_ref().map(|p| p.inputs.clone()).unwrap_or_default();
    // Small sizes by default; every entry separately, inside its domain.
    let r = run(SUM, |_, _| {}, forward);
    passes(&r);
    assert_eq!((&*r.dims, r.inputs[0].to_string()), (&[("N".to_string(), 3)][..], "f64[3]".to_string()));
    let x = &at(&r)[0];
    assert!(x.get(0) != x.get(1) && x.elements().all(|c| c.to_c128().re.abs() <= 1.0), "{x:?}");
    assert!(at(&r)[1].elements().all(|c| matches!(c, Const::I64(0..=3))));
    // Sizes of the block, of the caller, of a fixed array.
    let r = run(SUM, |b, _| b.dims = vec![Some(7)], forward);
    assert_eq!(at(&r)[0].shape(), [7]);
    let r = run(
        SUM,
        |b, _| b.dims = vec![Some(7)],
        |s| {
            forward(s);
            s.dims = vec![Some(4)];
        },
    );
    assert_eq!(at(&r)[2].shape(), [4]);
    let fixed: Datum = Array::new(vec![2], vec![0.25, -0.5]).into();
    let r = run(SUM, |b, _| b.params[0] = Some(Distribution::Array(fixed.clone())), forward);
    passes(&r);
    assert_eq!(at(&r)[0], fixed);
    let r = run(
        SUM,
        |b, _| {
            b.params[0] = Some(Distribution::Array(fixed.clone()));
            b.dims = vec![Some(3)];
        },
        forward,
    );
    assert_eq!((r.status, r.diagnostics[0].code), (Status::Error, Code::BadUsage));
    // Lines of the block are per entry.
    let lines = |b: &mut CheckBlock| {
        b.params[0] = Some(Distribution::Near(Const::F64(0.5), 0.25));
        b.params[1] = Some(Distribution::Choice(vec![Const::I64(5), Const::I64(6)]));
        b.params[2] = Some(Distribution::Fixed(Const::Bool(true)));
    };
    let r = run(SUM, |b, _| lines(b), forward);
    let p = at(&r);
    assert!(p[0].elements().all(|c| (0.25..=0.75).contains(&c.to_c128().re)));
    assert!(p[1].elements().all(|c| matches!(c, Const::I64(5 | 6))));
    assert!(p[2].elements().all(|c| c == Const::Bool(true)));
}

#[test]
fn edge_points_of_arrays() {
    // The largest of all entries: at ties of two entries or of all, they share the derivative.
    let max = "fn f[N](x: f64[N]) -> f64 {
      v0 = i64 0
      v1 = i64 1
      v4 = reduce max v0, N, v1 (v2) { v3 = index x, v2 yield v3 }
      return v4
    }";
    passes(&run(max, |_, _| {}, forward));
    let classic = |s: &mut Settings| {
        forward(s);
        s.tolerance = Tolerance::Classic;
    };
    let kink = |b: &mut CheckBlock| {
        b.edge = true;
        b.expect = Some(Expect::Kink);
    };
    let r = run(max, |b, _| b.edge = true, classic);
    fails_with(&r, Code::WrongDerivative);
    assert_eq!(run(max, |b, _| kink(b), classic).status, Status::Ok, "{}", describe(&r));
    // Automatic tolerances accept them, and report how many there are.
    let r = run(max, |b, _| b.edge = true, forward);
    assert_eq!((r.status, r.counts.kink_points), (Status::Kink, 5), "{}", describe(&r));
    let slopes =
        "slopes: left 0, right 1; adc returns 0.33333333333 (ties share equally), which lies between them";
    assert!(r.diagnostics[0].notes.iter().any(|n| n == slopes), "{}", describe(&r));
    assert_eq!(r.sites.iter().map(|s| (s.verdict, s.op)).collect::<Vec<_>>(), [(Verdict::Kink, "max")]);
    assert_eq!(run(max, |b, _| kink(b), forward).status, Status::Ok, "{}", describe(&r));
    // Bounds of a domain.
    let r = run(SUM, |b, _| b.edge = true, forward);
    passes(&r);
    // Outside it.
    let out: Datum = Array::new(vec![1], vec![2.0]).into();
    let rest: [Datum; 2] = [Array::new(vec![1], vec![0i64]).into(), Array::new(vec![1], vec![true]).into()];
    let r = run(
        SUM,
        |_, _| {},
        |s| {
            forward(s);
            s.at = vec![[vec![out], rest.to_vec()].concat()];
        },
    );
    fails_with(&r, Code::NothingChecked);
    assert!(r.rejected_by.unwrap().to_string().contains("`x[0]` is 2"));
}

#[test]
fn entries_of_large_jacobians_are_listed_in_part() {
    let text = "fn f[N](x: f64[N]) -> f64[N] {
      v3: f64[N] = build (v0) { v1 = index x, v0 v2 = sin v1 yield v2 }
      return v3
    }";
    let r = run(
        text,
        |b, _| b.dims = vec![Some(100)],
        |s| {
            forward(s);
            s.points = Some(1);
        },
    );
    passes(&r);
    let point = r.worst.unwrap();
    assert_eq!((point.entries.len(), point.entries_omitted), (MAX_LISTED, 10_000 - MAX_LISTED));
    assert_eq!(r.counts.total.compared(), 10_000);
    // By default only small ones are compared entry by entry.
    let by_default = |n| run(text, |b, _| b.dims = vec![Some(n)], |s| s.points = Some(1));
    assert!(by_default(64).modes.contains(&Mode::Slow));
    let r = by_default(65);
    passes(&r);
    assert!(!r.modes.contains(&Mode::Slow));
    // For each direction and result the worst entry.
    let list = |r: Report| r.worst.unwrap().probes.into_iter().map(|p| (p.order, p.mode)).collect::<Vec<_>>();
    let fast = |order| vec![(order, Mode::Fast); 4];
    assert_eq!(list(r), [fast(Order::First), fast(Order::Second)].concat());
    // With classic tolerances, the whole of each result at once, and the worst entry in forward mode.
    let r = run(
        text,
        |b, _| b.dims = vec![Some(65)],
        |s| {
            s.points = Some(1);
            s.tolerance = Tolerance::Classic;
            s.modes = Some(vec![Mode::Fast, Mode::Forward, Mode::Gradgrad]);
        },
    );
    let both = |order| vec![(order, Mode::Fast), (order, Mode::Forward)];
    // The function F has two inputs, x and v, each with its own direction.
    let twice = |order| [[(order, Mode::Fast); 2], [(order, Mode::Forward); 2]].concat();
    assert_eq!(list(r), [both(Order::First), twice(Order::Second)].concat());
}

#[test]
fn a_derivative_is_checked_like_any_function() {
    // grad of Σ x³, declared and written by the derivative passes.
    let text = "fn f[N](x: f64[N]) -> f64[N] { v0 = call g2[N](x) return v0 }
      fn g2[N](x: f64[N]) -> f64[N] { return x }
      fn g[N](x: f64[N]) -> f64 {
        v0 = i64 0 v1 = i64 1
        v6 = reduce sum v0, N, v1 (v2) { v3 = index x, v2 v4 = square v3 v5 = mul v4, v3 yield v5 }
        return v6 }";
    let mut m = module(text);
    let (g, g2) = (m.find("g").unwrap(), m.find("g2").unwrap());
    m.funcs[g2.0 as usize].body = Body::Derived(Derived { operator: Operator::Grad, of: g, wrt: vec![0] });
    let r = run_with(&m, &adc_jit::Externs::new(), |_, _| {}, forward);
    passes(&r);
    let r = run_with(&m, &adc_jit::Externs::new(), |_, _| {}, |_| {});
    passes(&r);
    assert!(r.gradgrad_skipped.is_none() && r.modes.len() == 4);
}

#[test]
fn the_relative_error_form_differentiates_sums() {
    // Σ_i of (x₀, -x₀ + x₁) with respect to x: (0, 1).
    let text = "fn f(x: f64[2]) -> f64[2] {
      v0 = i64 0 v1 = i64 1 v2 = index x, v0 v3 = index x, v1 v4 = sub v3, v2 v5 = pack v2, v4 return v5 }";
    let form = |per_entry| Tolerance::Relative { max_relative_error: 0.005, delta: 0.005, per_entry };
    let entries = |per_entry| {
        let r = run(
            text,
            |_, _| {},
            |s| {
                forward(s);
                s.tolerance = form(per_entry);
            },
        );
        passes(&r);
        r.worst.unwrap().entries.iter().map(|e| (e.name(true), e.jvp.unwrap())).collect::<Vec<_>>()
    };
    let list = |l: &[(&str, f64)]| l.iter().map(|(n, x)| (n.to_string(), *x)).collect::<Vec<_>>();
    assert_eq!(entries(false), list(&[("∂out/∂x[0]", 0.0), ("∂out/∂x[1]", 1.0)]));
    assert_eq!(entries(true).len(), 4);
}
