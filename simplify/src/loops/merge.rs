//! Two loops of one region over the same range become one: reductions, comprehensions and loops with carries.
//!
//! The second may read what the first makes, iteration by iteration: the element goes over in a register. So the forward and the
//! reverse sweep of a sum become one traversal in which nothing is stored. Sums and carries are taken in the same order
//! as before: results keep their bits.

use super::scan;
use adc_ir::dce::Asserting;
use adc_ir::dims::Known;
use adc_ir::{Body, Const, Dim, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Span, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops are not merged beyond this many instructions.
const MOST: usize = 2000;
/// How many instructions may stand between two loops.
pub(super) const NEAR: usize = 400;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    let known = Known::of(&Func { body: Body::Region(body.clone()), ..signature(f) });
    let mut clamps = FxHashMap::default();
    find_clamps(&body, f, &known, &mut clamps);
    region(&mut body, f, &Ranges { known, clamps }, asserting);
    f.body = Body::Region(body);
}

/// What is known of bounds.
struct Ranges {
    known: Known,
    /// By value that is `max(n, 0)`: n. A loop from 0 to one makes the turns of one to the other.
    clamps: FxHashMap<Value, Value>,
}

fn find_clamps(r: &Region, f: &Func, known: &Known, clamps: &mut FxHashMap<Value, Value>) {
    for inst in &r.insts {
        if inst.kind == Kind::Op(Op::Max) && f.ty(inst.results[0]) == Type::I64 {
            let negative = |v: Value| known.dim(v).as_const().is_some_and(|n| n <= 0);
            match inst.args[..] {
                [n, zero] | [zero, n] if negative(zero) => drop(clamps.insert(inst.results[0], n)),
                _ => {}
            }
        }
        inst.regions.iter().for_each(|r| find_clamps(r, f, known, clamps));
    }
}

/// Whether a loop collects arrays.
fn collects(inst: &Inst) -> bool {
    matches!(inst.kind, Kind::Build { .. } | Kind::For(Loop { collects: 1.., .. }))
}

/// What loops of equal ranges have in common.
fn key(inst: &Inst, f: &Func, ranges: &Ranges) -> Option<[Dim; 3]> {
    let [lo, hi, step] = range(inst, f, &ranges.known)?;
    let clamped = hi.as_var().and_then(|v| ranges.clamps.get(&v)).filter(|_| lo.as_const() == Some(0));
    Some([lo, clamped.map_or(hi, |n| ranges.known.dim(*n)), step])
}

/// What [`Known`] looks at beside the body.
fn signature(f: &Func) -> Func {
    Func { body: Body::Region(Region::default()), ..f.clone() }
}

fn region(r: &mut Region, f: &mut Func, ranges: &Ranges, asserting: &Asserting) {
    let mut at = 0;
    while at < r.insts.len() {
        match key(&r.insts[at], f, ranges).and_then(|key| partner(r, at, &key, f, ranges, asserting)) {
            Some(first) => at = merge(r, first, at, f, &ranges.known),
            None => at += 1,
        }
    }
    for inst in &mut r.insts {
        for nested in &mut inst.regions {
            region(nested, f, ranges, asserting);
        }
    }
}

/// lo, hi and step of a loop that can be merged.
pub(super) fn range(inst: &Inst, f: &Func, known: &Known) -> Option<[Dim; 3]> {
    match &inst.kind {
        Kind::Build { rank: 1 } => Some([0.into(), known.resolve(&f.shape(inst.results[0])[0]), 1.into()]),
        Kind::Reduce(ReduceOp::Sum) | Kind::For(_) => Some([0, 1, 2].map(|k| known.dim(inst.args[k]))),
        _ => None,
    }
}

/// The nearest loop before the one at `second` that it can be merged with.
fn partner(
    r: &Region,
    second: usize,
    wanted_key: &[Dim; 3],
    f: &Func,
    ranges: &Ranges,
    asserting: &Asserting,
) -> Option<usize> {
    let s = &r.insts[second];
    if asserting.inst(s) {
        return None;
    }
    let mut wanted = FxHashSet::default();
    scan::uses(s, f, &mut |v| {
        wanted.insert(v);
    });
    let nearest = (second.saturating_sub(NEAR)..second).rev();
    let mut same = nearest.filter(|q| key(&r.insts[*q], f, ranges).as_ref() == Some(wanted_key)).take(4);
    same.find(|q| {
        let first = &r.insts[*q];
        // What they collect is as large as their own ranges say.
        let one_size = || range(first, f, &ranges.known) == range(s, f, &ranges.known);
        !asserting.inst(first)
            && (!collects(first) || !collects(s) || one_size())
            && scan::size(&first.regions[0]) + scan::size(&s.regions[0]) <= MOST
            && worth(first, s, f)
            && independent(&r.insts[*q..=second], &wanted, f)
    })
}

/// Whether one loop is better than two. A loop with carries or loops inside runs iteration by iteration, so what could run in lanes
/// stays apart from it, unless it feeds it or the bodies are large anyway.
fn worth(first: &Inst, second: &Inst, f: &Func) -> bool {
    let carries = |i: &Inst| matches!(i.kind, Kind::For(_)) && i.args.len() > 3;
    let (a, b) = (&first.regions[0], &second.regions[0]);
    let nests = scan::has_loop(a) && scan::has_loop(b);
    let apart = carries(first) != carries(second) || scan::has_loop(a) != scan::has_loop(b);
    let mut feeds = false;
    scan::uses(second, f, &mut |v| feeds |= first.results.contains(&v));
    nests || !apart || (feeds && !carries(second)) || scan::cheap(a, f)
}

/// Whether the first instruction can run right before the last one, the others that need it behind both, and the last
/// one in turn with it.
fn independent(insts: &[Inst], wanted: &FxHashSet<Value>, f: &Func) -> bool {
    let (first, rest) = insts.split_first().expect("two loops");
    let (last, between) = rest.split_last().expect("two loops");
    let mut late: FxHashSet<Value> = first.results.iter().copied().collect();
    let mut reads = Vec::new();
    scan::uses(first, f, &mut |v| {
        if f.ty(v).is_array() {
            reads.push(v);
        }
    });
    for inst in between {
        let mut needs = false;
        scan::uses(inst, f, &mut |v| needs |= late.contains(&v));
        if needs {
            if inst.results.iter().any(|v| wanted.contains(v)) {
                return false;
            }
            late.extend(inst.results.iter().copied());
            // The last one comes before it.
            let reads: Vec<Value> = wanted.iter().copied().filter(|v| f.ty(*v).is_array()).collect();
            if scan::consumed(last, &inst.args)
                || scan::consumed(inst, &reads) && scan::consumed(last, &reads)
            {
                return false;
            }
        } else if scan::consumed(inst, &reads) {
            return false;
        }
    }
    let made: Vec<Value> = first.results.iter().copied().filter(|v| wanted.contains(v)).collect();
    made.iter().all(|v| turn_by_turn(*v, first, last)) && !scan::consumed(last, &reads)
}

/// Whether a loop reads an array that another one makes only at the index of its own iteration.
fn turn_by_turn(v: Value, first: &Inst, last: &Inst) -> bool {
    let gathered = match &first.kind {
        Kind::For(l) => {
            let collects = l.collects as usize;
            first.results[first.results.len() - collects..].contains(&v)
        }
        Kind::Build { .. } => true,
        _ => false,
    };
    if !gathered || last.args.contains(&v) {
        return false;
    }
    let index = last.regions[0].params[0];
    fn fits(r: &Region, v: Value, index: Value) -> bool {
        !r.yields.contains(&v)
            && r.insts.iter().all(|i| {
                let element = i.kind == Kind::Index && i.args[1] == index && !i.args[1..].contains(&v);
                (!i.args.contains(&v) || element) && i.regions.iter().all(|r| fits(r, v, index))
            })
    }
    fits(&last.regions[0], v, index)
}

/// A loop taken apart.
struct Parts {
    body: Region,
    /// Initial value, parameter, what is yielded, result.
    carries: Vec<[Value; 4]>,
    /// What is yielded, result.
    sums: Vec<[Value; 2]>,
    collects: Vec<[Value; 2]>,
    kind: Loop,
}

fn apart(inst: Inst) -> Parts {
    let Inst { kind, args, results, regions, .. } = inst;
    let body = regions.into_iter().next().expect("a loop has a body");
    let l = match kind {
        Kind::For(l) => l,
        Kind::Build { .. } => Loop::collecting(1),
        _ => Loop { sums: 1, ..Loop::default() },
    };
    let n = body.params.len() - 1;
    let carries = (0..n).map(|k| [args[3 + k], body.params[1 + k], body.yields[k], results[k]]).collect();
    let gathered: Vec<[Value; 2]> = (n..results.len()).map(|k| [body.yields[k], results[k]]).collect();
    let (sums, collects) = gathered.split_at(l.sums as usize);
    Parts { carries, sums: sums.to_vec(), collects: collects.to_vec(), body, kind: l }
}

/// Merges two loops of a region; the position to go on at.
fn merge(r: &mut Region, first: usize, second: usize, f: &mut Func, known: &Known) -> usize {
    let ranges = [first, second].map(|k| range(&r.insts[k], f, known).expect("it is a loop"));
    let mut insts: Vec<Inst> = r.insts.drain(first..=second).collect();
    let s = insts.pop().expect("two loops");
    let a = insts.remove(0);
    // A loop that collects says how large what it collects is.
    let [first_range, second_range] = ranges;
    let (range, operands) = match collects(&s) && !collects(&a) {
        true => (second_range.clone(), if first_range == second_range { operands(&a) } else { operands(&s) }),
        false if first_range == second_range => (first_range, operands(&a).or_else(|| operands(&s))),
        false => (first_range, operands(&a)),
    };
    let span = a.span;
    let [mut before, mut behind] = scan::apart(insts, f, &a.results);
    let (mut a, mut b) = (apart(a), apart(s));
    let mut to: FxHashMap<Value, Value> = FxHashMap::default();
    to.insert(b.body.params[0], a.body.params[0]);
    let made: FxHashMap<Value, Value> = a.collects.iter().map(|[y, v]| (*v, *y)).collect();
    elements(&mut b.body, &made, &mut to);
    scan::rename(&mut b.body, f, &to);
    let place = |v: Value| to.get(&v).copied().unwrap_or(v);
    b.carries.iter_mut().for_each(|c| c[2] = place(c[2]));
    b.sums.iter_mut().chain(&mut b.collects).for_each(|g| g[0] = place(g[0]));

    let (sums, collects) = (a.sums.len() + b.sums.len(), a.collects.len() + b.collects.len());
    let l = Loop {
        sums: sums as u32,
        collects: collects as u32,
        checkpoint: a.kind.checkpoint.or(b.kind.checkpoint),
    };
    a.carries.append(&mut b.carries);
    a.sums.append(&mut b.sums);
    a.collects.append(&mut b.collects);
    let mut body = a.body;
    body.insts.append(&mut b.body.insts);
    body.params = body.params[..1].iter().copied().chain(a.carries.iter().map(|c| c[1])).collect();
    let gathered = || a.sums.iter().chain(&a.collects);
    body.yields = a.carries.iter().map(|c| c[2]).chain(gathered().map(|g| g[0])).collect();
    let results = a.carries.iter().map(|c| c[3]).chain(gathered().map(|g| g[1])).collect();
    let operands = operands.unwrap_or_else(|| range.map(|d| number(&d, f, &mut before, span)));
    let args = operands.into_iter().chain(a.carries.iter().map(|c| c[0])).collect();
    before.push(Inst { kind: Kind::For(l), args, results, regions: vec![body], span });
    let next = first + before.len() - 1;
    before.append(&mut behind);
    r.insts.splice(first..first, before);
    next
}

/// lo, hi and step as values.
pub(super) fn operands(inst: &Inst) -> Option<[Value; 3]> {
    inst.args.get(..3).map(|a| [a[0], a[1], a[2]])
}

pub(super) fn number(dim: &Dim, f: &mut Func, insts: &mut Vec<Inst>, span: Span) -> Value {
    if let Some(v) = dim.as_var() {
        return v;
    }
    let kind = match dim.as_const() {
        Some(n) => Kind::Const(Const::I64(n)),
        None => Kind::Size(Box::new(dim.clone())),
    };
    scan::emit(f, kind, &[], Scalar::I64.into(), span, insts)
}

/// Takes out the reads of elements that are there.
fn elements(r: &mut Region, made: &FxHashMap<Value, Value>, to: &mut FxHashMap<Value, Value>) {
    r.insts.retain_mut(|inst| {
        if let (Kind::Index, Some(y)) = (&inst.kind, inst.args.first().and_then(|v| made.get(v))) {
            if inst.args.len() == 2 {
                to.insert(inst.results[0], *y);
                return false;
            }
            inst.args[0] = *y;
            inst.args.remove(1);
        }
        inst.regions.iter_mut().for_each(|r| elements(r, made, to));
        true
    });
}
