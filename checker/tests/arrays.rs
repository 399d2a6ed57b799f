//! Functions with array parameters, array results, dimensions and loops.

mod common;

use adc_checker::*;
use adc_ir::*;
use common::*;

/// Correct functions: what `f` is, and its text.
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

const SETS: &[&[Mode]] = &[&[Mode::Forward], &[Mode::Forward, Mode::Forward]];

#[test]
fn correct_models_pass() {
    for (kind, text) in CORRECT {
        for modes in SETS {
            let report = in_modes(text, modes);
            assert_eq!(report.status, Status::Ok, "{kind} {modes:?}: {}", describe(&report));
            assert!(report.counts.compared > 0, "{kind} {modes:?}");
        }
    }
}

/// A rule of a function with arrays that is wrong in one entry: the text, the entry, the wrong and the right number at
/// W[i, j] = i + j/10 + 0.5, x[i] = i + 1.
const WRONG: &[(&str, &str, f64, f64)] = &[
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
        _ => Array::new(vec![3], [0.0, 1.0, 2.0].map(|x| num_complex::Complex64::new(x, x / 2.0)).to_vec())
            .into(),
    };
    f.params.iter().map(value).collect()
}

#[test]
fn wrong_entries_are_found() {
    for (text, name, wrong, right) in WRONG {
        let r = run(
            text,
            |_, _| {},
            |s| {
                s.modes = Some(vec![Mode::Forward]);
                s.at = vec![point(text)];
            },
        );
        fails_with(&r, Code::WrongDerivative);
        let worst = r.worst.as_ref().unwrap();
        let e = worst
            .entries
            .iter()
            .find(|e| e.name(true) == *name)
            .unwrap_or_else(|| panic!("{}", describe(&r)));
        assert_eq!(e.status, EntryStatus::Failed, "{}", describe(&r));
        assert!((e.jvp.unwrap() - wrong).abs() < 1e-12 && (e.fd.unwrap() - right).abs() < 1e-6, "{e:?}");
        assert!(r.blame.is_some(), "{}", describe(&r));
    }
}
