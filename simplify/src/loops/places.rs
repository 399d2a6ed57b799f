//! Where in an array that they carry loops write.

use adc_ir::dims::Known;
use adc_ir::{Dim, Inst, Kind, Value};
use rustc_hash::FxHashSet;

/// An index of a write.
enum Index {
    /// The same in all iterations.
    Fixed(i64),
    /// That of the iteration, so far on.
    Moving(i64),
    Other,
}

/// Whether no iteration of one loop writes where another iteration of the other one does, in an array that each carries and does nothing
/// else with. Both run over the same range in steps of 1.
pub(super) fn apart(loops: [(&Inst, usize); 2], known: &Known) -> bool {
    let [Some(a), Some(b)] = loops.map(|(inst, carry)| writes(inst, carry, known)) else { return false };
    let turns =
        |inst: &Inst| known.dim(inst.args[1]).sub(&known.dim(inst.args[0])).and_then(|n| n.as_const());
    let turns = turns(loops[0].0);
    let meet = |(a, b): (&Index, &Index)| match (a, b) {
        (Index::Fixed(a), Index::Fixed(b)) => a != b,
        (Index::Moving(a), Index::Moving(b)) => {
            let far = turns.is_some_and(|n| a.abs_diff(*b) >= n.unsigned_abs());
            a == b || far
        }
        _ => false,
    };
    a.iter().all(|a| b.iter().all(|b| a.iter().zip(b).any(meet)))
}

/// The indices of all writes of a loop to an array that it carries, if it does nothing else with it.
fn writes(inst: &Inst, carry: usize, known: &Known) -> Option<Vec<Vec<Index>>> {
    let Kind::For(_) = inst.kind else { return None };
    let body = &inst.regions[0];
    (known.number(inst.args[2]) == Some(1)).then_some(())?;
    let index = body.params[0];
    let mut arrays = FxHashSet::from_iter([body.params[1 + carry]]);
    let mut found = Vec::new();
    for inst in &body.insts {
        match (&inst.kind, &inst.args[..]) {
            (Kind::AddAt | Kind::Update, [array, x, at @ ..]) if arrays.contains(array) => {
                if at.iter().chain([x]).any(|v| arrays.contains(v)) {
                    return None;
                }
                arrays.insert(inst.results[0]);
                found.push(at.iter().map(|v| place(*v, index, known)).collect());
            }
            _ => {
                let mut other = false;
                super::scan::each(inst, &mut |i| {
                    let mut yields = i.regions.iter().flat_map(|r| &r.yields);
                    other |= i.args.iter().any(|v| arrays.contains(v)) || yields.any(|v| arrays.contains(v));
                });
                if other {
                    return None;
                }
            }
        }
    }
    let only = body.yields.iter().enumerate().all(|(k, y)| arrays.contains(y) == (k == carry));
    only.then_some(found)
}

fn place(v: Value, index: Value, known: &Known) -> Index {
    let dim = known.dim(v);
    if let Some(n) = dim.as_const() {
        return Index::Fixed(n);
    }
    match dim.sub(&Dim::var(index)).and_then(|d| d.as_const()) {
        Some(n) => Index::Moving(n),
        None => Index::Other,
    }
}
