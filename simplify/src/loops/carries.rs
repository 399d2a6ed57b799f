//! What a loop carries twice becomes one: values that begin alike and are made alike in each iteration are always equal. So does what it
//! adds up or collects twice.
//!
//! Merged loops have such: the value and the derivative of one recurrence carry it each. All bits are kept.

use super::scan;
use adc_ir::{Func, Inst, Kind, Region, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let mut any = false;
    scan::edit(f, |body, f| any = region(body, f));
    any
}

fn region(r: &mut Region, f: &mut Func) -> bool {
    let (mut any, mut to) = (false, FxHashMap::default());
    for inst in &mut r.insts {
        for inner in &mut inst.regions {
            any |= region(inner, f);
        }
        let Kind::For(_) = inst.kind else { continue };
        let Some(first) = inst.kind.first_carry() else { continue };
        for [k, l] in gathered_twice(inst, first) {
            any |= to.insert(inst.results[k], inst.results[l]).is_none();
        }
        let same = equal(inst, first, f);
        if same.is_empty() {
            continue;
        }
        any = true;
        let of = |v: &[Value]| same.iter().map(|[k, l]| (v[*k], v[*l])).collect::<FxHashMap<_, _>>();
        let carried = inst.regions[0].params[1..].to_vec();
        scan::rename(&mut inst.regions[0], f, &of(&carried));
        to.extend(of(&inst.results));
    }
    if !to.is_empty() {
        scan::rename(r, f, &to);
    }
    any
}

/// Pairs of sums, and of collected arrays, of one value each, the second one being the first of its kind.
fn gathered_twice(inst: &Inst, first: usize) -> Vec<[usize; 2]> {
    let Kind::For(l) = inst.kind else { return Vec::new() };
    let body = &inst.regions[0];
    let begin = inst.args.len() - first;
    let sums = begin..begin + l.sums as usize;
    let all = [sums.clone(), sums.end..body.yields.len()].into_iter().flat_map(|kind| {
        kind.clone()
            .filter_map(move |k| Some([k, (kind.start..k).find(|l| body.yields[*l] == body.yields[k])?]))
    });
    all.collect()
}

/// Pairs of carries of a loop that are equal, the second one being the first of its kind.
fn equal(inst: &Inst, first: usize, f: &Func) -> Vec<[usize; 2]> {
    let body = &inst.regions[0];
    let (begin, params) = (&inst.args[first..], &body.params[1..]);
    // By carry: the first one that may be equal to it.
    let mut class: Vec<usize> = (0..begin.len())
        .map(|k| {
            (0..k).find(|l| begin[*l] == begin[k] && f.data(params[*l]) == f.data(params[k])).unwrap_or(k)
        })
        .collect();
    let repeated = |class: &[usize]| class.iter().enumerate().any(|(k, c)| k != *c);
    while repeated(&class) {
        let made = numbers(body, &class);
        let number = |k: usize| made.get(&body.yields[k]).copied().unwrap_or(body.yields[k]);
        let mut finer = class.clone();
        for k in 0..class.len() {
            let like = |l: &usize| class[*l] == class[k] && number(*l) == number(k);
            finer[k] = (0..k).find(like).unwrap_or(k);
        }
        if finer == class {
            break;
        }
        class = finer;
    }
    class.iter().enumerate().filter(|(k, c)| *k != **c).map(|(k, c)| [k, *c]).collect()
}

/// By value of a body: the first one that is computed alike if carries of one class are equal. Other values are alike only to themselves.
fn numbers(body: &Region, class: &[usize]) -> FxHashMap<Value, Value> {
    let params = &body.params[1..];
    let mut number: FxHashMap<Value, Value> =
        params.iter().zip(class).map(|(p, c)| (*p, params[*c])).collect();
    let mut seen: FxHashMap<(&Kind, SmallVec<[Value; 3]>), Value> = FxHashMap::default();
    for inst in &body.insts {
        if !matches!(inst.kind, Kind::Op(_) | Kind::Const(_) | Kind::Index) {
            continue;
        }
        let args = inst.args.iter().map(|v| number.get(v).copied().unwrap_or(*v)).collect();
        let r = inst.results[0];
        let like = *seen.entry((&inst.kind, args)).or_insert(r);
        number.insert(r, like);
    }
    number
}
