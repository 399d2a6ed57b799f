//! Threads, clones, memory.

use crate::jit::{compile, parse};
use adc_ir::testing::{Knobs, module};
use adc_ir::{Const, FuncId};
use adc_jit::{Compiled, Externs, Options, Workspace, emit_asm, emit_clif};
use adc_runtime::real::exp;

fn f64s(xs: &[f64]) -> Vec<u64> {
    xs.iter().map(|x| x.to_bits()).collect()
}

const MODEL: &str = "
fn g(x: f64) -> f64 {
  v0 = exp x
  return v0
}
fn f(x: f64, y: f64) -> f64 {
  v0 = call g(x)
  v1 = mul v0, y
  return v1
}";

#[test]
fn one_function_many_threads() {
    const fn shared<T: Send + Sync + Clone>() {}
    const fn movable<T: Send>() {}
    shared::<Compiled>();
    shared::<Externs>();
    movable::<Workspace>();
    let f = compile(&parse(MODEL), "f");
    std::thread::scope(|s| {
        for t in 0..8 {
            let f = &f;
            s.spawn(move || {
                let mut workspace = Workspace::new();
                for i in 0..20_000 {
                    let (x, y) = ((i % 100) as f64 / 50.0, t as f64);
                    let mut out = [0];
                    f.call_cells(&mut workspace, &f64s(&[x, y]), &mut out).unwrap();
                    assert_eq!(f64::from_bits(out[0]), exp(x) * y);
                }
            });
        }
    });
}

#[test]
fn clones_and_siblings_outlive_each_other() {
    let m = parse(MODEL);
    let mut both =
        adc_jit::compile(&m, &[FuncId(0), FuncId(1)], &Externs::new(), &Options::default()).unwrap();
    let f = both.pop().unwrap();
    let again = f.clone();
    drop((both, f, m));
    assert_eq!(again.call(&[Const::F64(0.0), Const::F64(3.0)]), Ok(vec![Const::F64(3.0)]));
}

#[test]
fn a_workspace_serves_functions_of_all_sizes() {
    let small = compile(&parse(MODEL), "f");
    let m = module(5, &Knobs { steps: 400, ..Knobs::default() });
    let f = FuncId(m.funcs.len() as u32 - 1);
    let large = crate::jit::compile_cut(&m, f, 3);
    assert!(large.stats().frame_bytes > 16);
    let mut workspace = Workspace::new();
    let (inputs, mut outputs) = (vec![0; large.input_cells()], vec![0; large.output_cells()]);
    for _ in 0..3 {
        let mut out = [0];
        small.call_cells(&mut workspace, &f64s(&[0.0, 2.0]), &mut out).unwrap();
        assert_eq!(f64::from_bits(out[0]), 2.0);
        let _ = large.call_cells(&mut workspace, &inputs, &mut outputs);
    }
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "expects the code of x86-64")]
fn listings_are_stable_and_named() {
    let m = parse(MODEL);
    let f = m.find("g").unwrap();
    let clif = emit_clif(&m, f).unwrap();
    assert_eq!(clif, emit_clif(&m, f).unwrap());
    assert!(clif.contains("; `g`, unit 1 of 1, the entry") && clif.contains(" = adc_exp"), "{clif}");
    let asm = emit_asm(&m, f).unwrap();
    assert_eq!(asm, emit_asm(&m, f).unwrap());
    assert!(asm.contains("adc_exp") && asm.contains("ret"), "{asm}");
    assert!(emit_clif(&m, m.find("f").unwrap()).unwrap().contains("u0:0 = adc:g"));
}

#[test]
fn functions_may_be_called_like_those_of_the_runtime() {
    let text = "fn adc_exp(x: f64) -> f64 {\n v0 = exp x\n return v0\n}
fn \"f:0\"(x: f64) -> f64 {\n v0 = call adc_exp(x)\n v1 = exp v0\n v2 = neg v1\n return v2\n}
fn f(x: f64) -> f64 {\n v0 = call \"f:0\"(x)\n v1 = exp v0\n return v1\n}";
    let m = parse(text);
    let f = crate::jit::compile_cut(&m, FuncId(2), 1);
    assert_eq!(f.call(&[Const::F64(0.0)]), Ok(vec![Const::F64(exp(-exp(1.0)))]));
}
