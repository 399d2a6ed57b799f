//! Generated programs, the model library, and their derivatives.

use super::{Case, Point};
use crate::settings::Settings;
use crate::{dims, sample_point};
use adc_frontend::Loader;
use adc_ir::interp::Val;
use adc_ir::testing::{Knobs, Rng, array_inputs, module as generate};
use adc_ir::*;
use adc_jit::RuntimeMath;

/// Generated programs, changed by `of`, at three points and beside three. Returns how many numbers were compared and how
/// many points end in an error. Every second program has numbers for its dimensions, and is compiled.
fn generated(
    seeds: std::ops::Range<u64>,
    knobs: &Knobs,
    special: bool,
    of: impl Fn(&mut Module, FuncId) -> Option<FuncId>,
) -> (usize, usize) {
    let (mut compared, mut failed) = (0, 0);
    let (mut compiled, mut cases) = (0, 0);
    for seed in seeds {
        let mut m = generate(seed, knobs);
        let f = FuncId(m.funcs.len() as u32 - 1);
        let Some(mut f) = of(&mut m, f) else { continue };
        let rng = &mut Rng::new(seed);
        if seed % 2 == 1 {
            let (dims, _) = array_inputs(rng, m.func(f), false);
            f = specialise::specialise(&mut m, f, &dims).expect("dimensions are small");
        }
        let case = Case::new(m, f);
        cases += 1;
        compiled += case.code.is_some() as usize;
        assert!(case.shadow.holes.is_empty());
        for k in 0..6 {
            let (dims, args) = array_inputs(rng, case.m.func(case.f), special);
            let point = if k < 3 { Point::near(rng, dims, &args) } else { Point::away(rng, dims, &args) };
            match case.check(&point, !knobs.smooth, &format!("seed {seed}, point {k}")) {
                Some(n) => compared += n,
                None => failed += 1,
            }
        }
    }
    assert!(4 * compiled > cases, "{compiled} of {cases}");
    (compared, failed)
}

/// The program itself.
fn itself(_: &mut Module, f: FuncId) -> Option<FuncId> {
    Some(f)
}

#[test]
fn smooth_scalars() {
    let (compared, failed) = generated(0..150, &Knobs::smooth(), false, itself);
    assert!(compared > 2000 && failed == 0, "{compared} {failed}");
}

#[test]
fn any_scalars() {
    let (compared, failed) = generated(0..300, &Knobs::default(), true, itself);
    assert!(compared > 750 && failed == 0, "{compared} {failed}");
}

#[test]
fn smooth_arrays() {
    let knobs = Knobs { smooth: true, single: false, ..Knobs::arrays() };
    let (compared, failed) = generated(0..100, &knobs, false, itself);
    assert!(compared > 2000 && failed == 0, "{compared} {failed}");
}

#[test]
fn any_arrays() {
    let (compared, failed) = generated(0..150, &Knobs::arrays(), true, itself);
    assert!(compared > 1000 && failed == 0, "{compared} {failed}");
}

/// The pullback of all parameters.
fn pullback(m: &mut Module, f: FuncId) -> Option<FuncId> {
    let (wrt, outputs) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
    (!wrt.is_empty()).then(|| adc_ad::vjp(m, f, &wrt, &outputs, true).unwrap_or_else(|d| panic!("{d:?}")))
}

#[test]
fn gradients() {
    for knobs in [Knobs::smooth(), Knobs { smooth: true, single: false, steps: 12, ..Knobs::arrays() }] {
        let (compared, failed) = generated(0..40, &knobs, false, pullback);
        assert!(compared > 1000 && failed == 0, "{compared} {failed}");
    }
}

#[test]
fn second_derivatives() {
    let knobs = Knobs { smooth: true, single: false, steps: 8, funcs: 2, ..Knobs::arrays() };
    let twice = |m: &mut Module, f| pullback(m, f).and_then(|vjp| pullback(m, vjp));
    let (compared, failed) = generated(0..25, &knobs, false, twice);
    assert!(compared > 1000 && failed == 0, "{compared} {failed}");
}

/// Reads the files that a model uses.
struct Files;

impl Loader for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = std::path::Path::new(from).with_file_name(path);
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        Ok((file.to_string_lossy().into_owned(), text))
    }
}

#[test]
fn models() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    let files = std::fs::read_dir(folder).expect("the model library is there");
    let mut files: Vec<_> = files.map(|f| f.expect("it can be read").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "dsl"));
    files.sort();
    let mut compared = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let name = path.to_string_lossy();
        let program = adc_frontend::compile(&name, &text, &mut Files, &RuntimeMath)
            .unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
        for block in &program.checks {
            let mut m = program.module.clone();
            let dims = dims::choose(m.func(block.func), block, &Settings::default()).expect("it is checked");
            let f = specialise::specialise(&mut m, block.func, &dims).expect("it is checked");
            adc_ad::expand_for(&mut m, f).expect("it is checked");
            let inputs = sample_point(m.func(f), &block.params).expect("it is checked");
            let args: Vec<Val<f64>> = inputs.iter().map(Datum::to_val).collect();
            let mut programs = vec![f];
            programs.extend(pullback(&mut m, f));
            for f in programs {
                let case = Case::new(m.clone(), f);
                let rng = &mut Rng::new(1);
                let mut args = args.clone();
                for p in &case.m.func(case.f).params[args.len()..] {
                    args.push(ones(case.m.func(case.f).data(p.value)));
                }
                let point = Point::near(rng, Vec::new(), &args);
                let n = case.check(&point, false, &format!("{name}: {}", case.m.func(f).name));
                compared += n.unwrap_or_else(|| panic!("{name}: `{}` fails", case.m.func(f).name));
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// A cotangent.
fn ones(data: &ValueData) -> Val<f64> {
    let sizes: Vec<usize> = crate::coordinates::sizes(data).expect("sizes are numbers");
    let one = Val::from_const(Const::real(1.0, data.ty.scalar()));
    match sizes.is_empty() {
        true => one,
        false => Val::array(&sizes, vec![one; sizes.iter().product()]),
    }
}

/// Solutions with a shared matrix after simplification, also where a loop may have no iterations.
#[test]
fn factors_stand_for_their_matrix() {
    let mut compared = 0;
    for (elem, n) in [("f64", 3), ("c128", 2), ("f64", 1)] {
        let (matrix, vector) = (format!("{elem}[{n}, {n}]"), format!("{elem}[{n}]"));
        let text = format!(
            "fn f(A: {matrix}, b: {vector}, c: bool) -> (x: {vector}, y: {vector}) {{
              v0 = if c {{
                v1 = lu A
                yield v1
              }} else {{
                v2 = {elem} {}
                v3: {elem}[{}, {n}] = fill v2
                yield v3
              }}
              v4 = lu_solve v0, b
              v5 = lu_solve_adjoint v0, v4
              return v4, v5
            }}",
            if elem == "f64" { "0.0" } else { "(0.0, 0.0)" },
            n + 1
        );
        let m = adc_ir::text::parse_module(&text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        let case = Case::last(m);
        let rng = &mut Rng::new(n);
        for k in 0..4 {
            let (dims, mut args) = array_inputs(rng, case.m.func(case.f), false);
            args[2] = Val::Bool(true);
            let point = if k < 2 { Point::near(rng, dims, &args) } else { Point::away(rng, dims, &args) };
            compared += case.check(&point, false, &format!("{elem}, {n}, point {k}")).expect("no error");
        }
    }
    assert!(compared > 50, "{compared}");
}
