//! Sizes that became one value in a callee become one in its callers.

use adc_ir::{Body, Func, Kind, Module, Region, Type, Value};
use rustc_hash::FxHashMap;

/// What a size among a function's results became.
#[derive(Clone, Copy)]
enum Same {
    Operand(usize),
    Result(usize),
}

/// Sizes among results that became one value, or an operand, have one name: callers use the first result of it, or their
/// operand, as the callee's own results do.
pub(super) fn results(m: &mut Module) {
    let merged = |f: &Func| -> Vec<(usize, Same)> {
        let yields = f.region().map_or(&[][..], |r| &r.yields);
        let size = |v: &Value| {
            f.ty(*v) == Type::I64
                && f.results.iter().flat_map(|r| &r.shape).any(|d| d.vars().any(|w| w == *v))
        };
        let same = |(k, v): (usize, &Value)| {
            let first = || yields[..k].iter().position(|w| w == v).map(Same::Result);
            Some((k, f.entry_position(*v).map(Same::Operand).or_else(first)?))
        };
        yields.iter().enumerate().filter(|(_, v)| size(v)).filter_map(same).collect()
    };
    // Again as long as results of callers become one in turn.
    let mut again = true;
    while std::mem::take(&mut again) {
        let merged: Vec<Vec<(usize, Same)>> = m.funcs.iter().map(merged).collect();
        if merged.iter().all(Vec::is_empty) {
            return;
        }
        for f in &mut m.funcs {
            let Body::Region(body) = &mut f.body else { continue };
            let mut to = FxHashMap::default();
            same_sizes(body, &merged, &mut to);
            if to.is_empty() {
                continue;
            }
            let place = |v: Value| to.get(&v).copied().unwrap_or(v);
            again |= body.yields.iter().any(|v| to.contains_key(v));
            body.rename_uses(&place);
            let shapes =
                f.values.iter_mut().map(|d| &mut d.shape).chain(f.results.iter_mut().map(|r| &mut r.shape));
            shapes.flatten().for_each(|dim| *dim = dim.rename(place));
        }
    }
}

/// Results of calls, and what stands for them.
fn same_sizes(r: &Region, merged: &[Vec<(usize, Same)>], to: &mut FxHashMap<Value, Value>) {
    for inst in &r.insts {
        if let Kind::Call(f) = inst.kind {
            for (k, same) in &merged[f.0 as usize] {
                let v = match *same {
                    Same::Operand(i) => inst.args[i],
                    Same::Result(i) => inst.results[i],
                };
                let v = to.get(&v).copied().unwrap_or(v);
                to.insert(inst.results[*k], v);
            }
        }
        inst.regions.iter().for_each(|r| same_sizes(r, merged, to));
    }
}
