//! File tests of the passes.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::StdMath;
use adc_ir::testing::filetest::{self, Case};
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_ir::{Func, FuncId, Module, Scalar, Value};
use adc_simplify::egraph::Effort;
use adc_simplify::{OptLevel, Options};

fn pass(folder: &str, pass: impl Fn(&mut Module)) {
    let test = |case: &Case| {
        let (_, after) = before_and_after(folder, case, &pass);
        after.to_string()
    };
    filetest::run(format!("{}/tests/files/{folder}", env!("CARGO_MANIFEST_DIR")), ";", test);
}

/// The program a pass makes, and behind it how much work each function of the case does before and after where every
/// dimension is the number that the file's first line says.
fn counted(folder: &str, pass: impl Fn(&mut Module)) {
    let test = |case: &Case| {
        let n: i64 = case.options.parse().unwrap_or_else(|_| panic!("{}: `; test: N`", case.file));
        let (before, after) = before_and_after(folder, case, &pass);
        let mut out = after.to_string();
        for (id, f) in before.iter() {
            let [a, b] = [&before, &after].map(|m| {
                let dims = vec![n; f.dims.len()];
                let args: Vec<Val<f64>> = f.params.iter().map(|p| argument(f, p.value, n)).collect();
                let (_, cost) = Interp::new(m, &StdMath, &NoExterns)
                    .count(id, &dims, &args)
                    .unwrap_or_else(|e| panic!("{} {}: {e:?}", case.file, case.name));
                cost
            });
            out +=
                &format!("{}: flops {} → {}, bytes {} → {}\n", f.name, a.work(), b.work(), a.bytes, b.bytes);
        }
        out
    };
    filetest::run(format!("{}/tests/files/{folder}", env!("CARGO_MANIFEST_DIR")), ";", test);
}

/// Numbers of which every matrix is symmetric and positive definite; integers and booleans are 1.
fn argument(f: &Func, v: Value, n: i64) -> Val<f64> {
    let sizes: Vec<usize> = f.shape(v).iter().map(|d| d.eval(|_| n).expect("small sizes") as usize).collect();
    let element = |at: usize| {
        let columns = *sizes.last().unwrap_or(&1);
        let (i, j) = (at / columns, at % columns);
        let x = 1.0 / (1.0 + i as f64 + j as f64) + if i == j { columns as f64 } else { 0.0 };
        match f.ty(v).scalar() {
            Scalar::Bool => Val::Bool(true),
            Scalar::I64 => Val::I64(1),
            Scalar::F32 => Val::Real((x as f32).into()),
            Scalar::F64 => Val::Real(x),
            Scalar::C64 | Scalar::C128 => Val::Complex(num_complex::Complex::new(x, 0.0)),
        }
    };
    if sizes.is_empty() {
        return element(0);
    }
    Val::array(&sizes, (0..sizes.iter().product()).map(element).collect())
}

/// A program and what a pass makes of it, which computes the same up to rounding.
fn before_and_after(folder: &str, case: &Case, pass: impl Fn(&mut Module)) -> (Module, Module) {
    const N: i64 = 5;
    let before = parse_module(case.input).unwrap_or_else(|d| panic!("{} {}: {d:?}", case.file, case.name));
    assert_valid(&before, "the test");
    let mut after = before.clone();
    pass(&mut after);
    assert_valid(&after, folder);
    for (id, f) in before.iter().filter(|(_, f)| f.region().is_some()) {
        // Integers may be sizes, which these would not fit.
        if f.params.iter().any(|p| f.ty(p.value).scalar() == Scalar::I64) {
            continue;
        }
        let args: Vec<Val<f64>> = f.params.iter().map(|p| argument(f, p.value, N)).collect();
        let dims = vec![N; f.dims.len()];
        let [a, b] = [&before, &after].map(|m| {
            let mut interp = Interp::new(m, &StdMath, &NoExterns);
            interp.limits.fuel = 1 << 20;
            interp.call_with_dims(id, &dims, &args)
        });
        // A failing operation whose value is not needed may go unreported.
        let Ok(a) = a else { continue };
        let b = b.unwrap_or_else(|e| panic!("{} {}, `{}`: {e:?}", case.file, case.name, f.name));
        let same = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| close(a, b));
        assert!(same, "{} {}, `{}`: {a:?} became {b:?}", case.file, case.name, f.name);
    }
    (before, after)
}

/// Whether values are the same up to rounding.
fn close(a: &Val<f64>, b: &Val<f64>) -> bool {
    let near = |a: f64, b: f64| {
        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
    };
    match (a, b) {
        (Val::Real(a), Val::Real(b)) => near(*a, *b),
        (Val::Complex(a), Val::Complex(b)) => near(a.re, b.re) && near(a.im, b.im),
        (Val::Array(a), Val::Array(b)) => {
            a.shape() == b.shape() && a.data().iter().zip(b.data()).all(|(a, b)| close(a, b))
        }
        (a, b) => a == b,
    }
}

#[test]
fn canonicalise() {
    pass("canonicalise", adc_simplify::canonicalise);
}

#[test]
fn inline() {
    pass("inline", |m| adc_simplify::inline(m, 3));
}

#[test]
fn egraph() {
    pass("egraph", |m| {
        let all = vec![true; m.funcs.len()];
        adc_simplify::canonicalise(m);
        adc_simplify::egraph::functions(m, &all, Effort::Bounded);
        adc_simplify::canonicalise(m);
    });
}

/// Level 2 without what rounds differently.
fn exact(m: &mut Module) {
    let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
    let without = &adc_simplify::ROUNDING;
    adc_simplify::run_with(m, &roots, &Options { level: OptLevel::O2, without, ..Options::default() });
}

#[test]
fn loops() {
    pass("loops", exact);
}

/// What rounds differently: sums, and products that are added to something.
fn all_but_inlining(m: &mut Module) {
    let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
    let without = &["inline", "unroll", "inline_build"];
    adc_simplify::run_with(m, &roots, &Options { level: OptLevel::O2, without, ..Options::default() });
}

#[test]
fn rounding() {
    pass("rounding", all_but_inlining);
}

/// Four numbers of which the sum would be infinite, but not the sum of their products with a small factor.
#[test]
fn sums_of_common_factors_overflow_no_sooner() {
    let cases = include_str!("files/rounding/common_factors.ir");
    let (maps, _) = cases.split_once(";>").expect("the first case");
    let before = parse_module(maps).expect("it is a program");
    let mut after = before.clone();
    all_but_inlining(&mut after);
    let id = FuncId(0);
    let filled = |rows: usize, columns: usize, x: f64| {
        Val::array(&[rows, columns], vec![Val::Real(x); rows * columns])
    };
    let args = [filled(40, 3, 1.0), filled(200, 6, 1e-300), filled(200, 3, 1.5e308)];
    let results = [&before, &after].map(|m| {
        let out = Interp::new(m, &StdMath, &NoExterns).call_with_dims(id, &[], &args);
        let Val::Array(y) = &out.expect("nothing fails")[0] else { panic!("an array") };
        let first = |row: &[Val<f64>]| if let Val::Real(x) = row[0] { x } else { panic!("a number") };
        y.data().chunks(3).map(first).collect::<Vec<f64>>()
    });
    assert!(results[0].iter().all(|x| x.is_finite() && *x > 0.0), "{results:?}");
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-14 * a.abs();
    assert!(results[0].iter().zip(&results[1]).all(near), "{results:?}");
}

#[test]
fn cycles() {
    pass("cycles", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        adc_simplify::run(m, &roots, OptLevel::O2);
    });
}

/// What is done before differentiation.
#[test]
fn prepared() {
    pass("prepared", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        adc_simplify::prepare(m, &roots);
    });
}

#[test]
fn arrays() {
    counted("arrays", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        adc_simplify::canonicalise(m);
        adc_simplify::contractions(m, &roots);
        assert_valid(m, "contractions");
        exact(m);
    });
}
