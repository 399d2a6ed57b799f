//! The whole Jacobian in one call: one forward sweep with a loop of pullbacks of unit cotangents, or a loop over unit
//! tangents around the JVP program.

use crate::coordinates::{Block, Part, blocks};
use crate::entry::Entry;
use crate::passes::Passes;
use adc_ir::dims;
use adc_ir::*;
use num_complex::Complex64;

/// For every part of every output, for every entry of it: the cotangents of all inputs. Results: by block of rows and
/// input, with the entry as first axis where the output is an array. `None` if no output is large enough for a loop.
pub(crate) fn rows(
    m: &mut Module,
    passes: &dyn Passes,
    f: FuncId,
    wrt: &[usize],
    outputs: &[usize],
) -> Option<FuncId> {
    let seeds: Vec<ValueData> = outputs.iter().map(|&k| m.func(f).results[k].data()).collect();
    if !worth_a_loop(&seeds) {
        return None;
    }
    let linear = passes.linearize(m, f, wrt, outputs).ok()?;
    let list = blocks(&(0..outputs.len()).collect::<Vec<_>>(), |k| seeds[k].ty);
    let step = Step { before: Some(linear.forward), each: linear.pullback, skipped: 0 };
    make(m, f, step, "rows", &seeds, &list)
}

/// For every part of every input, for every entry of it: the tangents of all differentiable results, likewise.
pub(crate) fn columns(m: &mut Module, f: FuncId, jvp: FuncId, wrt: &[usize]) -> Option<FuncId> {
    let func = m.func(f);
    let seeds: Vec<ValueData> = wrt.iter().map(|&i| func.data(func.params[i].value).clone()).collect();
    let step = Step { before: None, each: jvp, skipped: func.results.len() };
    if !worth_a_loop(&seeds) {
        return None;
    }
    let list = blocks(&(0..wrt.len()).collect::<Vec<_>>(), |i| seeds[i].ty);
    make(m, f, step, "columns", &seeds, &list)
}

/// Whether one of them has several entries; their sizes are numbers.
fn worth_a_loop(seeds: &[ValueData]) -> bool {
    let len = |d: &ValueData| dims::elements(&d.shape)?.as_const();
    seeds.iter().all(|d| len(d).is_some()) && seeds.iter().any(|d| len(d) > Some(1))
}

/// What is executed.
struct Step {
    /// Executed once, on the function's parameters; its results after those of the function are the first arguments of
    /// [`Self::each`]. `None`: the function's parameters are.
    before: Option<FuncId>,
    /// Executed for every seed.
    each: FuncId,
    /// How many of its first results are ignored.
    skipped: usize,
}

fn make(
    m: &mut Module,
    f: FuncId,
    step: Step,
    suffix: &str,
    seeds: &[ValueData],
    list: &[Block],
) -> Option<FuncId> {
    let func = m.func(f);
    let name = m.fresh_name(&format!("{}.{suffix}", m.func(step.each).name));
    let mut b = Builder::new(name, func.span);
    let entry = Entry::declare(&mut b, func, |ty| ty);
    let all = [&entry.dims[..], &entry.params].concat();
    let args = match step.before {
        None => all,
        Some(before) => {
            let found = b.call_of(m, before, &all);
            [&entry.dims, &found[func.results.len()..]].concat()
        }
    };
    let zeros: Vec<Value> = seeds
        .iter()
        .map(|d| {
            let zero = b.num(0.0, d.ty.scalar());
            if d.shape.is_empty() { zero } else { b.fill(zero, &d.shape) }
        })
        .collect();
    let mut results = Vec::new();
    for block in list {
        let seed = &seeds[block.index];
        let unit = if block.part == Part::Im { Complex64::I } else { Complex64::ONE };
        let one = b.constant(Const::from_c128(unit, seed.ty.scalar()));
        let call = |b: &mut Builder, direction: Value| -> Vec<Value> {
            let mut args = args.clone();
            args.extend(zeros.iter().enumerate().map(|(k, z)| if k == block.index { direction } else { *z }));
            b.call_of(m, step.each, &args)[step.skipped..].to_vec()
        };
        let values = match seed.shape.is_empty() {
            true => call(&mut b, one),
            false => {
                let n = dims::elements(&seed.shape)?;
                let zero = b.num(0.0, seed.ty.scalar());
                let flat = b.fill(zero, std::slice::from_ref(&n));
                let range = b.range(&n);
                let i = b.open_with(vec![Scalar::I64.into()])[0];
                let mut direction = b.update(flat, one, &[i]);
                if seed.shape.len() > 1 {
                    direction = b.reshape(direction, seed.shape.clone());
                }
                let yields = call(&mut b, direction);
                let collects = Loop::collecting(yields.len());
                let body = b.close(yields);
                b.for_of(collects, range, &[], body).to_vec()
            }
        };
        results.extend(values);
    }
    let names = (0..results.len()).map(|k| format!("out.{k}"));
    let program = b.finish(names.zip(results).collect());
    Some(m.add(program))
}
