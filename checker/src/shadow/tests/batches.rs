//! Loops that call functions of whole arrays give the bits of those that call functions of numbers.

use super::super::{Shadows, batches, short};
use super::{Case, Point};
use crate::promote;
use adc_frontend::{Loader, compile};
use adc_ir::interp::Val;
use adc_ir::testing::{Knobs, Rng, array_inputs, module as generate};
use adc_ir::verify::assert_valid;
use adc_ir::*;
use adc_jit::{Externs, Options, RuntimeMath, Workspace};

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(path.to_string())
    }
}

/// The last function of a source.
fn source(text: &str) -> (Module, FuncId) {
    let program = compile("f.dsl", text, &mut NoFiles, &RuntimeMath)
        .unwrap_or_else(|f| panic!("{text}\n{:?}", f.diagnostics));
    let f = FuncId(program.module.funcs.len() as u32 - 1);
    (program.module, f)
}

/// Calls of functions of whole arrays, in everything the function reaches.
fn calls(m: &Module, f: FuncId) -> usize {
    fn region(r: &Region, m: &Module) -> usize {
        let inst = |i: &Inst| {
            let own = matches!(i.kind, Kind::Call(g) if m.func(g).name.starts_with("dd.each_"));
            own as usize + i.regions.iter().map(|r| region(r, m)).sum::<usize>()
        };
        r.insts.iter().map(inst).sum()
    }
    m.reachable(f).into_iter().filter_map(|g| m.func(g).region()).map(|r| region(r, m)).sum()
}

/// Compares the shadow with one of which no loop is split, at some points; how many calls of whole arrays it has, and how many
/// numbers were compared.
fn compared(mut m: Module, f: FuncId, seed: u64, special: bool) -> (usize, usize) {
    let f = promote::run(&mut m, f);
    let mut plain = m.clone();
    let (g, made, asserting) = Shadows::default().written(&mut plain, f);
    m.clone_from(&plain);
    for version in made {
        short::run(&mut m, version);
        assert_valid(&m, "short");
        batches::run(&mut m, version, &asserting);
    }
    assert_valid(&m, "batches");
    let code = [&plain, &m].map(|m| {
        let code = adc_jit::compile(m, &[g], &Externs::new(), &Options::default());
        code.unwrap_or_else(|d| panic!("{d:?}\n{m}")).pop().expect("one function")
    });
    let func = m.func(f).clone();
    let case = Case::new(m.clone(), f);
    let rng = &mut Rng::new(seed);
    let mut numbers = 0;
    for _ in 0..3 {
        let (dims, args) = array_inputs(rng, &func, special);
        assert!(dims.is_empty());
        let args: Vec<Val<f64>> = case.arguments(&Point::near(rng, dims, &args));
        let data: Vec<Datum> =
            args.iter().zip(code[0].inputs()).map(|(v, ty)| Datum::from_val(v, ty.scalar())).collect();
        let [want, got] = code.each_ref().map(|code| code.call_data(&mut Workspace::new(), &data));
        let (want, got) = match (want, got) {
            (Ok(want), Ok(got)) => (want, got),
            (want, got) => {
                assert_eq!(want.is_err(), got.is_err(), "seed {seed}");
                continue;
            }
        };
        for (want, got) in want.iter().zip(&got) {
            assert_eq!(crate::slots::first_difference(want, got), None, "seed {seed}\n{plain}\n{m}");
            numbers += want.len();
        }
    }
    (calls(&m, g), numbers)
}

/// What becomes of the loops of a function: how many calls of whole arrays there are.
fn check(calls: usize, text: &str) {
    let (m, f) = source(text);
    let (found, numbers) = compared(m, f, 1, false);
    assert_eq!(found, calls, "{text}");
    assert!(numbers > 0, "{text}");
}

#[test]
fn calls_of_independent_operands_leave_their_loop() {
    check(2, "fn f(a: f64[32], x: f64[32]) -> f64[32] { [tanh(a[i])*sin(x[i]) for i] }");
    check(1, "fn f(x: f64[20]) -> f64 { sum(exp(-x[i]^2) for i) }");
    check(1, "fn f(x: f64[9]) -> f64 { max(sin(3*x[i]) for i) }");
    check(1, "fn f(x: f64[5, 7]) -> f64 { sum(sum(cos(x[i, j]) for j) for i) }");
    // One before the other.
    check(3, "fn f(x: f64[12]) -> f64[12] { [exp(sin(x[i])) + cos(x[i])*x[i] for i] }");
    // A value of the loop that is no number of an array.
    check(1, "fn f(x: f64[8, 3]) -> f64[8] { [exp(sum(x[i, k] for k))*sum(x[i, k]^2 for k) for i] }");
}

#[test]
fn small_functions_are_looked_into() {
    let act = "fn act(x: f64) -> f64 { x*sigmoid(1.702*x) }";
    check(1, &format!("{act} fn f(x: f64[16]) -> f64 {{ sum(act(x[i]) for i) }}"));
    check(2, &format!("{act} fn f(x: f64[16]) -> f64[16] {{ [act(act(x[i])) for i] }}"));
}

#[test]
fn short_loops_inside_are_written_out() {
    check(2, "fn f(x: f64[16, 2]) -> f64[16, 2] { [sin(x[i, k]) for i, k] }");
    check(3, "fn f(x: f64[16, 3]) -> f64 { sum(sum(exp(-x[i, k]^2) for k) for i) }");
    check(4, "fn f(x: f64[16, 2, 2]) -> f64[16] { [max(sum(cos(x[i, j, k]) for k) for j) for i] }");
    check(0, "fn f(x: f64[2, 3]) -> f64 { sum(sum(exp(-x[i, k]^2) for k) for i) }");
}

#[test]
fn carries_stay_in_order() {
    let text = "fn f(x: f64[16]) -> f64 {
        var s = 0.5;
        for i in 0..16 { s = s*sin(x[i]) + 0.25; }
        s
    }";
    check(1, text);
    let text = "fn f(x: f64[16]) -> f64 {
        var s = 0.5;
        for i in 0..16 { s = tanh(s + sin(x[i])); }
        s
    }";
    check(1, text);
}

#[test]
fn other_loops_stay_as_they_are() {
    // Few iterations, a branch that may not be taken, operands that iterations compute one after the other, and one that all have.
    check(0, "fn f(x: f64[3]) -> f64[3] { [sin(x[i]) for i] }");
    check(0, "fn f(x: f64[9]) -> f64[9] { [if x[i] > 0.5 { exp(x[i]) } else { 1.0 } for i] }");
    check(0, "fn f(x: f64) -> f64 { var s = x; for i in 0..9 { s = sin(s) + 0.5; } s }");
    check(0, "fn f(x: f64[9], y: f64) -> f64 { sum(x[i]*sin(y) for i) }");
}

/// Generated programs.
#[test]
fn bits_are_kept() {
    let (mut found, mut numbers) = (0, 0);
    for (seed, smooth) in (0..120).flat_map(|seed| [(seed, true), (seed, false)]) {
        let knobs = Knobs { smooth, single: false, ..Knobs::arrays() };
        let mut m = generate(seed, &knobs);
        let f = FuncId(m.funcs.len() as u32 - 1);
        let dims = vec![9; m.func(f).dims.len()];
        let Ok(f) = specialise::specialise(&mut m, f, &dims) else { continue };
        let (calls, compared) = compared(m, f, seed, !smooth);
        found += calls;
        numbers += compared;
    }
    assert!(found > 0 && numbers > 1000, "{found} {numbers}");
}
