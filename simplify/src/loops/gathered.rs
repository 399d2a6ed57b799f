//! An array that a loop inside collects only to be added up by the loop around is added to element by element: the loops carry the sum,
//! and there is no array of terms. Its elements are added in the same order as before: results keep their bits.

use super::{merge, scan};
use adc_ir::dims::Known;
use adc_ir::{Const, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Type, Value};

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let known = Known::of(f);
    let mut any = false;
    scan::edit(f, |body, f| any = region(body, f, &known));
    any
}

fn region(r: &mut Region, f: &mut Func, known: &Known) -> bool {
    let mut any = false;
    let mut out = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts) {
        inst.regions.iter_mut().for_each(|r| any |= region(r, f, known));
        while let Some(found) = find(&inst, f, known) {
            apply(&mut inst, found, f, known, &mut out);
            any = true;
        }
        out.push(inst);
    }
    r.insts = out;
    any
}

/// An array that a loop adds up.
struct Found {
    /// Its place among what the loop makes, and what it carries.
    sum: usize,
    /// The loop inside, and the place of the array among what it makes.
    at: usize,
    collected: usize,
}

/// How many values a loop carries.
pub(super) fn carried(inst: &Inst) -> usize {
    inst.args.len().saturating_sub(3)
}

/// What a loop gathers: all of them as one kind.
pub(super) fn gathers(inst: &Inst) -> Option<Loop> {
    match inst.kind {
        Kind::For(l) => Some(l).filter(|l| l.checkpoint.is_none()),
        Kind::Reduce(ReduceOp::Sum) => Some(Loop { sums: 1, ..Loop::default() }),
        Kind::Build { rank: 1 } => Some(Loop::collecting(1)),
        _ => None,
    }
}

fn find(inst: &Inst, f: &Func, known: &Known) -> Option<Found> {
    let l = gathers(inst)?;
    let body = &inst.regions[0];
    let sums = carried(inst)..carried(inst) + l.sums as usize;
    sums.filter(|sum| f.shape(inst.results[*sum]).len() == 1).find_map(|sum| {
        let y = body.yields[sum];
        let at = body.insts.iter().position(|i| i.results.contains(&y))?;
        let inner = &body.insts[at];
        let of = gathers(inner)?;
        let collected = inner.results.iter().position(|v| *v == y)?;
        let [lo, _, step] = merge::range(inner, f, known)?;
        let mut uses = body.yields.iter().filter(|v| **v == y).count();
        body.insts.iter().for_each(|i| scan::uses(i, f, &mut |v| uses += usize::from(v == y)));
        let fits = collected >= carried(inner) + of.sums as usize
            && f.ty(inner.regions[0].yields[collected]) == Type::F64
            && (lo.as_const(), step.as_const(), uses) == (Some(0), Some(1), 1);
        fits.then_some(Found { sum, at, collected })
    })
}

/// Lets a loop add to an array, from `start` on, what it collected: it carries `init`, which becomes `result`. Its bounds go to `bounds`.
pub(super) fn carry(
    inner: &mut Inst,
    collected: usize,
    start: Option<Value>,
    [init, result]: [Value; 2],
    f: &mut Func,
    known: &Known,
    bounds: &mut Vec<Inst>,
) {
    let (mut of, own, span) = (gathers(inner).expect("a loop was found"), carried(inner), inner.span);
    if inner.args.is_empty() {
        let range = merge::range(inner, f, known).expect("a loop was found");
        inner.args = range.map(|d| merge::number(&d, f, bounds, span)).into_iter().collect();
    }
    moved(inner, collected, own, result);
    inner.args.push(init);
    let data = f.data(init).clone();
    let inside = f.fresh(data.clone());
    let turn = &mut inner.regions[0];
    let (term, mut index) = (turn.yields.remove(collected), turn.params[0]);
    if let Some(start) = start {
        index = scan::emit(f, Kind::Op(Op::Add), &[start, index], Scalar::I64.into(), span, &mut turn.insts);
    }
    turn.params.push(inside);
    let added = scan::emit(f, Kind::AddAt, &[inside, term, index], data, span, &mut turn.insts);
    turn.yields.insert(own, added);
    of.collects -= 1;
    inner.kind = Kind::For(of);
}

/// Puts a result in another one's place.
fn moved(inst: &mut Inst, from: usize, to: usize, v: Value) {
    let mut results = inst.results.to_vec();
    results.remove(from);
    results.insert(to, v);
    inst.results = results.into_iter().collect();
}

/// Lets both loops carry the sum.
fn apply(
    inst: &mut Inst,
    Found { sum, at, collected }: Found,
    f: &mut Func,
    known: &Known,
    before: &mut Vec<Inst>,
) {
    let (mut l, span) = (gathers(inst).expect("a loop was found"), inst.span);
    let data = f.data(inst.results[sum]).clone();
    let zero = scan::constant(f, Const::F64(0.0), span, before);
    let zeros = scan::emit(f, Kind::Fill, &[zero], data.clone(), span, before);
    let [around, behind] = [(); 2].map(|()| f.fresh(data.clone()));
    let (outer, body) = (carried(inst), &mut inst.regions[0]);
    let mut bounds = Vec::new();
    carry(&mut body.insts[at], collected, None, [around, behind], f, known, &mut bounds);
    body.insts.splice(at..at, bounds);
    body.yields.remove(sum);
    body.yields.insert(outer, behind);
    body.params.push(around);
    let result = inst.results[sum];
    moved(inst, sum, outer, result);
    inst.args.push(zeros);
    l.sums -= 1;
    inst.kind = Kind::For(l);
}
