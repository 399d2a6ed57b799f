//! Solutions of linear equations that share the factors of their matrix.
//!
//! [`split`] makes two instructions of each `solve`: the factorisation, which the canonicaliser shares and hoisting takes out of
//! loops like any other value, and the substitution. [`join`] undoes it where nothing came of that. Both keep bits: `solve` is
//! defined as the two.

use super::scan;
use adc_ir::{Body, Dim, Func, Inst, Kind, LinalgOp, Region, Value, ValueData, Values};
use rustc_hash::FxHashMap;

/// Takes the factorisations out of solutions. One whose matrix is real and whose right-hand side is complex stays: its factors
/// are those of the matrix among the complex ones, which nobody else has. Returns whether there was any.
pub(crate) fn split(f: &mut Func) -> bool {
    let mut any = false;
    each_region(f, |r, f| any |= split_region(r, f));
    any
}

/// Puts solutions together again that have their factors for themselves. Returns whether there was any.
pub(crate) fn join(f: &mut Func) -> bool {
    let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
    let Some(body) = f.region() else { return false };
    if !has(body, LinalgOp::Lu) {
        return false;
    }
    let mut count = |v: Value| *uses.entry(v).or_default() += 1;
    body.yields.iter().copied().for_each(&mut count);
    body.insts.iter().for_each(|i| scan::uses(i, f, &mut count));
    let mut any = false;
    each_region(f, |r, _| any |= join_region(r, &uses));
    any
}

fn each_region(f: &mut Func, mut change: impl FnMut(&mut Region, &mut Func)) {
    fn walk(r: &mut Region, f: &mut Func, change: &mut impl FnMut(&mut Region, &mut Func)) {
        r.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| walk(r, f, change));
        change(r, f);
    }
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    walk(&mut body, f, &mut change);
    f.body = Body::Region(body);
}

/// Whether there is such an operation.
fn has(r: &Region, op: LinalgOp) -> bool {
    r.insts.iter().any(|i| i.kind == Kind::Linalg(op) || i.regions.iter().any(|r| has(r, op)))
}

/// The operation on factors that gives what an operation on the matrix gives.
fn of_factors(op: LinalgOp) -> Option<LinalgOp> {
    match op {
        LinalgOp::Solve => Some(LinalgOp::LuSolve),
        LinalgOp::SolveAdjoint => Some(LinalgOp::LuSolveAdjoint),
        LinalgOp::Cholesky
        | LinalgOp::Inv
        | LinalgOp::Det
        | LinalgOp::LogDet
        | LinalgOp::Lu
        | LinalgOp::LuSolve
        | LinalgOp::LuSolveAdjoint => None,
    }
}

fn split_region(r: &mut Region, f: &mut Func) -> bool {
    let solves = |i: &Inst| matches!(i.kind, Kind::Linalg(op) if of_factors(op).is_some());
    if !r.insts.iter().any(solves) {
        return false;
    }
    let before = f.values.len();
    for mut inst in std::mem::take(&mut r.insts) {
        if let Kind::Linalg(op) = inst.kind
            && let Some(op) = of_factors(op)
            && let Some(data) = factors(f, &inst)
        {
            let lu = Value(f.values.len() as u32);
            f.values.push(data);
            r.insts.push(Inst {
                kind: Kind::Linalg(LinalgOp::Lu),
                args: inst.args[..1].into(),
                results: Values::from_slice(&[lu]),
                regions: Vec::new(),
                span: inst.span,
            });
            inst.kind = Kind::Linalg(op);
            inst.args[0] = lu;
        }
        r.insts.push(inst);
    }
    f.values.len() > before
}

/// The array of the factors of a solution's matrix; `None` if it is solved in another type.
fn factors(f: &Func, inst: &Inst) -> Option<ValueData> {
    let a = f.data(inst.args[0]);
    let rows = a.shape[1].add(&Dim::constant(1))?;
    let same = f.ty(inst.results[0]).scalar() == a.ty.scalar();
    same.then(|| ValueData::array(a.ty.scalar(), vec![rows, a.shape[1].clone()]))
}

fn join_region(r: &mut Region, uses: &FxHashMap<Value, usize>) -> bool {
    // Factors used once, with their matrix, which nothing has been written into since.
    let mut alone: Vec<(Value, Value)> = Vec::new();
    let mut joined: Vec<Value> = Vec::new();
    for inst in &mut r.insts {
        match inst.kind {
            Kind::Linalg(LinalgOp::Lu) if uses.get(&inst.results[0]) == Some(&1) => {
                alone.push((inst.results[0], inst.args[0]));
            }
            Kind::Linalg(op) if op.is_of_factors() => {
                if let Some((lu, a)) = alone.iter().find(|(lu, _)| *lu == inst.args[0]) {
                    let whole = [LinalgOp::Solve, LinalgOp::SolveAdjoint];
                    let whole = whole.into_iter().find(|w| of_factors(*w) == Some(op));
                    inst.kind = Kind::Linalg(whole.expect("each is of one"));
                    inst.args[0] = *a;
                    joined.push(*lu);
                }
            }
            _ => alone.retain(|(_, a)| !scan::consumed(inst, &[*a])),
        }
    }
    r.insts.retain(|i| i.results.is_empty() || !joined.contains(&i.results[0]));
    !joined.is_empty()
}
