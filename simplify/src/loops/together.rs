//! An `if` of each of several iterations that are taken together becomes one, if they usually take the same branch: it asks whether all of
//! them do. In its usual branch their loops become one; in the other one the `if`s are as they were, one after the other.

use super::{jam, scan, versions};
use adc_ir::dce::Asserting;
use adc_ir::dims::Known;
use adc_ir::{Func, Inst, Kind, Op, Region, Scalar, Value};
use rustc_hash::FxHashMap;

/// The branch that an `if` of a region usually takes, if a loop is in it.
pub(super) fn usual(inst: &Inst, r: &Region, f: &Func) -> Option<usize> {
    if inst.kind != Kind::If || inst.results.is_empty() {
        return None;
    }
    let all = r.insts.iter().enumerate();
    let made: FxHashMap<Value, usize> =
        all.flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
    let branch = usize::from(!versions::usually(inst.args[0], r, &made, f)?);
    jam::loops(&inst.regions[branch].insts).next().map(|_| branch)
}

/// Makes one `if` of several, of which these are the first results, in order, and this the usual branch; none if one of them waits for
/// another, or an array would have to be copied.
pub(super) fn join(
    r: &mut Region,
    firsts: &[Value],
    branch: usize,
    f: &mut Func,
    known: &mut Known,
    asserting: &Asserting,
) {
    let places: Vec<usize> = firsts
        .iter()
        .map(|v| r.insts.iter().position(|i| i.results.contains(v)).expect("it is there"))
        .collect();
    let (first, last) = (places[0], places[places.len() - 1]);
    let results: Vec<Value> = places.iter().flat_map(|k| &r.insts[*k].results).copied().collect();
    let between = (first..last).filter(|k| !places.contains(k)).map(|k| r.insts[k].clone());
    let [before, behind] = scan::apart(between, f, &results);
    let late: Vec<Value> = behind.iter().flat_map(|i| &i.results).chain(&results).copied().collect();
    let used = |insts: &mut dyn Iterator<Item = &Inst>| {
        let mut values = Vec::new();
        insts.for_each(|i| scan::uses(i, f, &mut |v| values.push(v)));
        values
    };
    let by_ifs = used(&mut places.iter().map(|k| &r.insts[*k]));
    let by_others = used(&mut behind.iter());
    let moved = [&by_ifs[..], &by_others[..]].concat();
    if by_ifs.iter().any(|v| late.contains(v)) || before.iter().any(|i| scan::consumed(i, &moved)) {
        return;
    }
    let ifs: Vec<Inst> = places.iter().map(|k| r.insts[*k].clone()).collect();
    let span = ifs[0].span;
    let mut new = before;
    let rare: Vec<Value> = ifs
        .iter()
        .map(|i| match branch {
            1 => i.args[0],
            _ => scan::emit(f, Kind::Op(Op::Not), &i.args, Scalar::Bool.into(), span, &mut new),
        })
        .collect();
    let or = |any: Value, c: &Value| {
        scan::emit(f, Kind::Op(Op::Or), &[any, *c], Scalar::Bool.into(), span, &mut new)
    };
    let any = rare[1..].iter().fold(rare[0], or);
    let as_they_were = Region { params: Vec::new(), insts: ifs.clone(), yields: results.clone() };
    let (insts, yields) = scan::copy(&as_they_were, f, &[]);
    let apart = Region { params: Vec::new(), insts, yields };
    let mut usual = Region::default();
    let mut copies: Vec<Vec<Value>> = Vec::new();
    for mut inst in ifs {
        let own = std::mem::take(&mut inst.regions[branch]);
        copies.push(jam::loops(&own.insts).map(|i| i.results[0]).collect());
        usual.insts.extend(own.insts);
        usual.yields.extend(own.yields);
    }
    apart.insts.iter().for_each(|i| scan::each(i, &mut |i| known.note(i, &f.values)));
    for k in 0..copies[0].len() {
        let of_one: Vec<Value> = copies.iter().map(|c| c[k]).collect();
        jam::merge_all(&mut usual, &of_one, f, known, asserting);
    }
    new.push(Inst {
        kind: Kind::If,
        args: [any].into_iter().collect(),
        results: results.into_iter().collect(),
        regions: vec![apart, usual],
        span,
    });
    new.extend(behind);
    r.insts.splice(first..=last, new);
}
