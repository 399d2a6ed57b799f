//! The whole Jacobian in one call: a loop over unit cotangents around the VJP program, or over unit tangents around the
//! JVP program. Once these are inlined, what does not depend on the direction leaves the loop: all rows share one forward
//! sweep.

use crate::coordinates::{Block, Part, blocks};
use crate::entry::Entry;
use adc_ir::dims;
use adc_ir::*;
use num_complex::Complex64;

/// For every part of every output, for every entry of it: the cotangents of all inputs. `vjp` has results of the function
/// before them, or none (`before`). Results: by block of rows and input, with the entry as first axis where the output
/// is an array. `None` if no output is worth a loop.
pub(crate) fn rows(
    m: &mut Module,
    f: FuncId,
    vjp: FuncId,
    outputs: &[usize],
    before: usize,
) -> Option<FuncId> {
    let func = m.func(f);
    let seeds: Vec<ValueData> = outputs.iter().map(|&k| func.results[k].data()).collect();
    let list = blocks(&(0..outputs.len()).collect::<Vec<_>>(), |k| seeds[k].ty);
    make(m, (f, vjp), "rows", &seeds, &list, before)
}

/// For every part of every input, for every entry of it: the tangents of all differentiable results, likewise.
pub(crate) fn columns(m: &mut Module, f: FuncId, jvp: FuncId, wrt: &[usize]) -> Option<FuncId> {
    let func = m.func(f);
    let seeds: Vec<ValueData> = wrt.iter().map(|&i| func.data(func.params[i].value).clone()).collect();
    let list = blocks(&(0..wrt.len()).collect::<Vec<_>>(), |i| seeds[i].ty);
    let before = func.results.len();
    make(m, (f, jvp), "columns", &seeds, &list, before)
}

/// `seeds` are what `derivative` takes after the parameters of `f`. Their sizes are numbers.
fn make(
    m: &mut Module,
    (f, derivative): (FuncId, FuncId),
    suffix: &str,
    seeds: &[ValueData],
    list: &[Block],
    before: usize,
) -> Option<FuncId> {
    let numbers: Vec<i64> =
        seeds.iter().map(|d| dims::elements(&d.shape)?.as_const()).collect::<Option<_>>()?;
    if numbers.iter().all(|n| *n <= 1) {
        return None;
    }
    let func = m.func(f);
    let name = m.fresh_name(&format!("{}.{suffix}", m.func(derivative).name));
    let mut b = Builder::new(name, func.span);
    let entry = Entry::declare(&mut b, func, |ty| ty);
    let args = [entry.dims, entry.params].concat();
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
            b.call_of(m, derivative, &args)[before..].to_vec()
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
