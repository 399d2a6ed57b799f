//! Products of one matrix with a vector behind it and with one before it are computed beside each other, which reads the matrix once:
//! `A x` and `y A`, of which the value and the gradient of a quadratic form, a linear layer or a least-squares problem have one each.
//!
//! The two come one right behind the other, as code is made for two such products in one pass. What the first is needed for comes behind
//! both. If a loop makes `y` besides other things, for which it needs the first product, `y` gets a loop of its own. All bits are kept.

use super::{neighbours, scan};
use adc_ir::dims::{Known, elements};
use adc_ir::{Func, Inst, Kind, Loop, Region, Scalar, Type, Value, Values};
use rustc_hash::FxHashSet;

/// Elements of the matrix, at least, if they are known: a small one stays where it was read.
const ELEMENTS: i64 = 1 << 12;
/// How many instructions may stand between two products.
const NEAR: usize = 400;

pub(crate) fn function(f: &mut Func) {
    let known = Known::of(f);
    scan::edit(f, |body, f| region(body, f, &known));
}

fn region(r: &mut Region, f: &mut Func, known: &Known) {
    for inst in &mut r.insts {
        inst.regions.iter_mut().for_each(|r| region(r, f, known));
    }
    let mut at = 0;
    while at < r.insts.len() {
        let first = row(&r.insts[at], f, known).and_then(|matrix| {
            let before = at.saturating_sub(NEAR)..at;
            before.rev().find(|k| column(&r.insts[*k], f) == Some(matrix))
        });
        if let Some(first) = first.filter(|k| k + 1 < at) {
            join(r, first, at, f);
        }
        at += 1;
    }
}

/// Whether two values are a large matrix of doubles and a vector.
fn factors(matrix: Value, vector: Value, f: &Func) -> bool {
    f.ty(matrix) == Type::of_rank(Scalar::F64, 2) && f.ty(vector) == Type::of_rank(Scalar::F64, 1)
}

/// The matrix of a product with a vector before it.
fn row(inst: &Inst, f: &Func, known: &Known) -> Option<Value> {
    let &[y, a] = &inst.args[..] else { return None };
    let product = inst.kind == Kind::MatMul && factors(a, y, f);
    let count = elements(&known.resolve_shape(f.shape(a))).and_then(|n| n.as_const());
    (product && count.is_none_or(|n| n >= ELEMENTS)).then_some(a)
}

/// The matrix of a product with a vector behind it.
fn column(inst: &Inst, f: &Func) -> Option<Value> {
    let &[a, x] = &inst.args[..] else { return None };
    (inst.kind == Kind::MatMul && factors(a, x, f)).then_some(a)
}

/// Brings the product at `first` right in front of the one at `second`, if that may be.
fn join(r: &mut Region, first: usize, second: usize, f: &mut Func) {
    let product = r.insts[first].clone();
    let y = r.insts[second].args[0];
    let mut between: Vec<Inst> = r.insts[first + 1..second].to_vec();
    if between.iter().any(scan::asserts) {
        return;
    }
    let late = late(&between, &product, f);
    if late.contains(&y) && own_loop(&mut between, y, &late, f).is_none() {
        return;
    }
    let [mut before, behind] = scan::apart(between, f, &product.results);
    let mut read: Vec<Value> = product.args.to_vec();
    for inst in &behind {
        scan::uses(inst, f, &mut |v| read.extend(f.ty(v).is_array().then_some(v)));
    }
    let made = |inst: &&Inst| inst.results.contains(&y);
    if before.iter().any(|i| scan::consumed(i, &read)) || behind.iter().any(|i| made(&i)) {
        return;
    }
    before.push(product);
    before.push(r.insts[second].clone());
    before.extend(behind);
    r.insts.splice(first..=second, before);
}

/// What needs the result of an instruction, among those behind it.
fn late(insts: &[Inst], product: &Inst, f: &Func) -> FxHashSet<Value> {
    let mut late: FxHashSet<Value> = product.results.iter().copied().collect();
    for inst in insts {
        let mut needs = false;
        scan::uses(inst, f, &mut |v| needs |= late.contains(&v));
        if needs {
            late.extend(&inst.results);
        }
    }
    late
}

/// Gives what a loop collects a loop of its own in front of it, if that needs nothing late.
fn own_loop(insts: &mut Vec<Inst>, y: Value, late: &FxHashSet<Value>, f: &mut Func) -> Option<()> {
    let at = insts.iter().position(|i| i.results.contains(&y))?;
    let inst = &insts[at];
    let Kind::For(Loop { sums, collects, checkpoint: None }) = inst.kind else { return None };
    let k = inst.results.iter().position(|v| *v == y)?;
    if k < inst.results.len() - collects as usize || scan::has_loop(&inst.regions[0]) {
        return None;
    }
    let (slice, _) = neighbours::slice(&inst.regions[0], inst.regions[0].yields[k], f)?;
    let (insts_of, yields) = scan::copy(&slice, f, &slice.params.clone());
    let args = Values::from_slice(&inst.args[..3]);
    let index = f.fresh(f.data(slice.params[0]).clone());
    let mut body = Region { params: vec![index], insts: insts_of, yields };
    scan::rename(&mut body, f, &[(slice.params[0], index)].into_iter().collect());
    let l = Loop { sums: 0, collects: 1, checkpoint: None };
    let own = Inst {
        kind: Kind::For(l),
        args,
        results: Values::from_slice(&[y]),
        regions: vec![body],
        span: inst.span,
    };
    let mut needs = false;
    scan::uses(&own, f, &mut |v| needs |= late.contains(&v));
    if needs {
        return None;
    }
    let rest = &mut insts[at];
    rest.kind = Kind::For(Loop { sums, collects: collects - 1, checkpoint: None });
    rest.results = rest.results.iter().copied().filter(|v| *v != y).collect();
    rest.regions[0].yields.remove(k);
    let nothing = rest.results.is_empty();
    if nothing {
        insts.remove(at);
    }
    insts.insert(at, own);
    Some(())
}
