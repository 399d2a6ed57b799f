//! Compiled code against the reference interpreter, its errors, sizes and lifetimes.

mod agree;
mod arrays;
mod cancel;
mod closures;
mod complex;
mod externs;
mod gathers;
mod groups;
mod large;
mod lifetime;
mod nests;
mod pairs;
mod precise;
mod superwords;
mod traps;

use adc_ir::interp::{ExternCalls, Interp, Val};
use adc_ir::{Const, FuncId, Module, RuntimeError};
use adc_jit::{Compiled, Effort, Externs, Options, RuntimeMath};

/// A module from its text form.
fn parse(text: &str) -> Module {
    let m = adc_ir::text::parse_module(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    adc_ir::verify::assert_valid(&m, "test input");
    m
}

/// The function of a name, compiled.
fn compile(m: &Module, name: &str) -> Compiled {
    compile_cut(m, m.find(name).expect("the function is there"), Options::default().unit_ops)
}

/// A function, compiled with units of about `unit_ops` operations.
fn compile_cut(m: &Module, f: FuncId, unit_ops: usize) -> Compiled {
    compile_with(m, f, unit_ops, Effort::Full)
}

/// The same with more or less effort.
fn compile_with(m: &Module, f: FuncId, unit_ops: usize, effort: Effort) -> Compiled {
    let mut options = Options::default();
    options.unit_ops = unit_ops;
    options.effort = effort;
    let mut compiled = adc_jit::compile(m, &[f], &Externs::new(), &options).expect("it compiles");
    compiled.remove(0)
}

/// What the interpreter says.
fn interpret(
    m: &Module,
    f: FuncId,
    args: &[Const],
    externs: &dyn ExternCalls<f64>,
) -> Result<Vec<Const>, RuntimeError> {
    let args: Vec<Val<f64>> = args.iter().map(|c| Val::from_const(*c)).collect();
    let results = Interp::new(m, &RuntimeMath, externs).call(f, &args)?;
    Ok(results.iter().zip(&m.func(f).results).map(|(v, r)| v.to_const(r.ty.scalar())).collect())
}

/// Whether both ended alike: same bits (NaN = NaN) or same error.
fn same(a: &Result<Vec<Const>, RuntimeError>, b: &Result<Vec<Const>, RuntimeError>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(*b)),
        (Err(a), Err(b)) => a == b,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}
