//! Two loops of one region over the same range become one: reductions, comprehensions and loops with carries. So do a sum and a loop over a
//! little more, with which it shares what it reads.
//!
//! The second may read what the first makes, iteration by iteration: the element goes over in a register. So the forward and the
//! reverse sweep of a sum become one traversal in which nothing is stored. Neighbours that it reads are computed again, if they are cheap.
//! It may go on with an array that the first carries, if both change nothing but elements of their own iterations. Sums and carries are
//! taken in the same order as before: results keep their bits.

use super::{neighbours, places, scan, widened};
use crate::cost;
use adc_ir::dce::Asserting;
use adc_ir::dims::Known;
use adc_ir::{Body, Const, Dim, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Span, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops are not merged beyond this many instructions.
const MOST: usize = 2000;
/// Loops of so many iterations, at most, are of two vectors or one.
const SHORT: i64 = 16;
/// Functions in the iterations of such a loop, if one waits for another: of each, a machine computes some thirty operations.
const FUNCTIONS: u64 = 8;
/// How many instructions may stand between two loops.
pub(super) const NEAR: usize = 400;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    let known = Known::of(&Func { body: Body::Region(body.clone()), ..signature(f) });
    let mut clamps = FxHashMap::default();
    find_clamps(&body, f, &known, &mut clamps);
    region(&mut body, f, &mut Ranges { known, clamps }, asserting);
    f.body = Body::Region(body);
}

/// Merges two loops of a region over the same range, of which and of what is around it so much is known; whether that can be done.
pub(super) fn pair(
    r: &mut Region,
    [first, second]: [usize; 2],
    f: &mut Func,
    known: &Known,
    asserting: &Asserting,
) -> bool {
    let ranges = [first, second].map(|k| range(&r.insts[k], f, known));
    let may = ranges[0].is_some() && ranges[0] == ranges[1] && fits(r, first, second, f, known, asserting);
    if may {
        merge(r, first, second, f, known);
    }
    may
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
            let negative = |v: Value| known.number(v).is_some_and(|n| n <= 0);
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

fn region(r: &mut Region, f: &mut Func, ranges: &mut Ranges, asserting: &Asserting) {
    let mut at = 0;
    while at < r.insts.len() {
        let key = key(&r.insts[at], f, ranges);
        let partner = key.and_then(|key| {
            let alike = partner(r, at, &key, f, ranges, asserting);
            let first = alike.or_else(|| neighbour(r, at, &key, f, ranges, asserting));
            first.map(|first| [first, at]).or_else(|| widened(r, at, &key, f, ranges, asserting))
        });
        match partner {
            Some([first, second]) => {
                at = merge(r, first, second, f, &ranges.known);
                // Of the second's index nothing is left.
                r.insts[first..=at].iter().for_each(|i| note(i, f, &mut ranges.known));
            }
            None => at += 1,
        }
    }
    for inst in &mut r.insts {
        for nested in &mut inst.regions {
            region(nested, f, ranges, asserting);
        }
    }
}

/// Learns from an instruction and all that is nested in it.
fn note(inst: &Inst, f: &Func, known: &mut Known) {
    scan::each(inst, &mut |i| known.note(i, &f.values));
}

/// lo, hi and step of a loop that can be merged.
pub(crate) fn range(inst: &Inst, f: &Func, known: &Known) -> Option<[Dim; 3]> {
    match &inst.kind {
        Kind::Build { rank: 1 } => Some([0.into(), known.resolve(&f.shape(inst.results[0])[0]), 1.into()]),
        Kind::Reduce(ReduceOp::Sum) | Kind::For(_) => Some([0, 1, 2].map(|k| known.dim(inst.args[k]))),
        _ => None,
    }
}

/// Loops before the one at `second` over the same range, the nearest first.
fn alike(r: &Region, second: usize, wanted: &[Dim; 3], f: &Func, ranges: &Ranges) -> Vec<usize> {
    let nearest = (second.saturating_sub(NEAR)..second).rev();
    nearest.filter(|q| key(&r.insts[*q], f, ranges).as_ref() == Some(wanted)).take(4).collect()
}

/// The nearest loop before the one at `second` that it can be merged with.
fn partner(
    r: &Region,
    second: usize,
    key: &[Dim; 3],
    f: &Func,
    ranges: &Ranges,
    asserting: &Asserting,
) -> Option<usize> {
    let mut alike = alike(r, second, key, f, ranges).into_iter();
    let waits = |first: usize| {
        key[1].as_const().is_some_and(|n| n <= SHORT) && waits(&r.insts[first], &r.insts[second], f)
    };
    alike.find(|first| !waits(*first) && fits(r, *first, second, f, &ranges.known, asserting))
}

/// The nearest loop before the one at `second` that it can be merged with where it computes neighbours of what that makes again: it does
/// so then.
fn neighbour(
    r: &mut Region,
    second: usize,
    key: &[Dim; 3],
    f: &mut Func,
    ranges: &Ranges,
    asserting: &Asserting,
) -> Option<usize> {
    if key[0].as_const() != Some(0) || key[2].as_const() != Some(1) {
        return None;
    }
    alike(r, second, key, f, ranges).into_iter().find(|first| {
        let [a, b] = [*first, second].map(|k| &r.insts[k]);
        let Some((new, arrays)) = neighbours::computed_again(a, b, &key[1], f, &ranges.known) else {
            return false;
        };
        let old = std::mem::replace(&mut r.insts[second], new);
        let consumed = r.insts[first + 1..=second].iter().any(|i| scan::consumed(i, &arrays));
        let fits = !consumed && fits(r, *first, second, f, &ranges.known, asserting);
        if !fits {
            r.insts[second] = old;
        }
        fits
    })
}

/// A loop before the one at `second` with which it can be merged once the shorter of the two, a sum, has the range of the longer one, and
/// where they are then.
fn widened(
    r: &mut Region,
    second: usize,
    key: &[Dim; 3],
    f: &mut Func,
    ranges: &Ranges,
    asserting: &Asserting,
) -> Option<[usize; 2]> {
    let end = key[1].as_const().filter(|n| *n >= widened::FEWEST && key[2].as_const() == Some(1))?;
    for first in (second.saturating_sub(NEAR)..second).rev() {
        let Some([lo, hi, step]) = self::key(&r.insts[first], f, ranges) else { continue };
        let more = hi.as_const().map_or(0, |hi| end.saturating_sub(hi));
        if lo != key[0] || step != key[2] || !(1..=widened::MOST).contains(&more.abs()) {
            continue;
        }
        let (sum, other) = if more > 0 { (first, second) } else { (second, first) };
        if !widened::is_near(&r.insts[sum], &r.insts[other], f) {
            continue;
        }
        let mut before = Vec::new();
        let span = r.insts[sum].span;
        let hi = scan::constant(f, Const::I64(end.max(end.saturating_sub(more))), span, &mut before);
        let new = widened::up_to(&r.insts[sum], hi, f);
        let old = std::mem::replace(&mut r.insts[sum], new);
        if fits(r, first, second, f, &ranges.known, asserting) {
            let added = before.len();
            r.insts.splice(first..first, before);
            return Some([first, second].map(|k| k + added));
        }
        r.insts[sum] = old;
    }
    None
}

/// Whether two loops over the same range can be merged.
fn fits(r: &Region, first: usize, second: usize, f: &Func, known: &Known, asserting: &Asserting) -> bool {
    let [a, b] = [first, second].map(|k| &r.insts[k]);
    let mut wanted = FxHashSet::default();
    scan::uses(b, f, &mut |v| {
        wanted.insert(v);
    });
    // What they collect is as large as their own ranges say.
    let one_size = || range(a, f, known) == range(b, f, known);
    !asserting.inst(a)
        && !asserting.inst(b)
        && (!collects(a) || !collects(b) || one_size())
        && scan::size(&a.regions[0]) + scan::size(&b.regions[0]) <= MOST
        && worth(a, b, f, known)
        && independent(r, first, second, &wanted, f, known)
}

/// Whether one loop is better than two. A loop with carries or loops inside runs iteration by iteration, so what could run in lanes
/// stays apart from it, unless it feeds it or the bodies are large anyway.
fn worth(first: &Inst, second: &Inst, f: &Func, known: &Known) -> bool {
    let carries = |i: &Inst| {
        let mut carries = 0..i.args.len().saturating_sub(3);
        let apart = |k: usize| writes_own(i, k) || places::apart([(i, k), (i, k)], known);
        matches!(i.kind, Kind::For(_)) && carries.any(|k| !apart(k))
    };
    let (a, b) = (&first.regions[0], &second.regions[0]);
    let mut feeds = false;
    scan::uses(second, f, &mut |v| feeds |= first.results.contains(&v));
    // What runs as often as the data say has left the other one behind, where lanes can do it.
    let data = feeds && scan::has_data_loop(b) && !scan::has_data_loop(a);
    let nests = scan::has_loop(a) && scan::has_loop(b) && !data;
    let apart = carries(first) != carries(second) || scan::has_loop(a) != scan::has_loop(b) || data;
    nests || !apart || (feeds && !carries(second)) || scan::cheap(a, f)
}

/// Whether the second of two loops would wait for functions of the first in each iteration, and has nothing else to do in the meantime: a
/// machine looks some hundred operations ahead, which should be of other iterations, too.
fn waits(first: &Inst, second: &Inst, f: &Func) -> bool {
    let mut feeds = false;
    scan::uses(second, f, &mut |v| feeds |= first.results.contains(&v));
    let functions = |i: &Inst| cost::functions(f, &i.regions[0]);
    feeds && functions(first) > 0 && functions(first) + functions(second) > FUNCTIONS
}

/// Whether the first instruction can run right before the last one, the others that need it behind both, and the last
/// one in turn with it.
fn independent(
    r: &Region,
    first: usize,
    second: usize,
    wanted: &FxHashSet<Value>,
    f: &Func,
    known: &Known,
) -> bool {
    let (first, rest) = r.insts[first..=second].split_first().expect("two loops");
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
    made.iter().all(|v| turn_by_turn(*v, first, last) || goes_on(*v, first, last, r, f, known))
        && !scan::consumed(last, &reads)
}

/// Whether an array that a loop carries is what another begins with, nobody else needs it in between, and no iteration of the one
/// changes what another iteration of the other does.
fn goes_on(v: Value, first: &Inst, last: &Inst, r: &Region, f: &Func, known: &Known) -> bool {
    let carries = |i: &Inst| if matches!(i.kind, Kind::For(_)) { i.args.len() - 3 } else { 0 };
    let ends = first.results[..carries(first)].iter().position(|x| *x == v);
    let begins = last.args.iter().skip(3).position(|x| *x == v);
    let (Some(ends), Some(begins)) = (ends, begins) else { return false };
    let mut uses = usize::from(r.yields.contains(&v));
    r.insts.iter().for_each(|i| scan::uses(i, f, &mut |x| uses += usize::from(x == v)));
    let own = || writes_own(first, ends) && writes_own(last, begins);
    uses == 1 && (own() || places::apart([(first, ends), (last, begins)], known))
}

/// Whether a loop does nothing with an array that it carries but change the element of its own iteration.
fn writes_own(inst: &Inst, carry: usize) -> bool {
    /// `same`: what the index is equal to; `tests`: by truth value, what the index is equal to if that holds.
    fn within(
        r: &Region,
        arrays: &mut FxHashSet<Value>,
        same: &mut Vec<Value>,
        tests: &mut FxHashMap<Value, Value>,
    ) -> bool {
        r.insts.iter().all(|inst| {
            match (&inst.kind, &inst.args[..]) {
                (Kind::Op(Op::Eq), [a, b]) if *a == same[0] => drop(tests.insert(inst.results[0], *b)),
                (Kind::Op(Op::Eq), [a, b]) if *b == same[0] => drop(tests.insert(inst.results[0], *a)),
                (Kind::AddAt | Kind::Update, [array, x, at]) if arrays.contains(array) => {
                    arrays.insert(inst.results[0]);
                    return !arrays.contains(x) && same.contains(at);
                }
                (Kind::If, [cond]) => {
                    for (k, r) in inst.regions.iter().enumerate() {
                        let known = same.len();
                        same.extend(tests.get(cond).filter(|_| k == 0).copied());
                        let fits = within(r, arrays, same, tests);
                        same.truncate(known);
                        if !fits {
                            return false;
                        }
                    }
                    return inst.results.iter().enumerate().all(|(k, v)| {
                        let [a, b] = [0, 1].map(|side| arrays.contains(&inst.regions[side].yields[k]));
                        if a {
                            arrays.insert(*v);
                        }
                        a == b
                    });
                }
                _ => {}
            }
            let mut other = false;
            scan::each(inst, &mut |i| {
                let mut yields = i.regions.iter().flat_map(|r| &r.yields);
                other |= i.args.iter().any(|v| arrays.contains(v)) || yields.any(|v| arrays.contains(v));
            });
            !other
        })
    }
    let body = &inst.regions[0];
    let mut arrays = FxHashSet::from_iter([body.params[1 + carry]]);
    within(body, &mut arrays, &mut vec![body.params[0]], &mut FxHashMap::default())
        && body.yields.iter().enumerate().all(|(k, y)| arrays.contains(y) == (k == carry))
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
    let mut on = Vec::new();
    b.carries.retain(|c| match a.carries.iter().position(|a| a[3] == c[0]) {
        Some(k) => {
            to.insert(c[1], a.carries[k][2]);
            on.push((k, *c));
            false
        }
        None => true,
    });
    scan::rename(&mut b.body, f, &to);
    let place = |v: Value| to.get(&v).copied().unwrap_or(v);
    b.carries.iter_mut().for_each(|c| c[2] = place(c[2]));
    b.sums.iter_mut().chain(&mut b.collects).for_each(|g| g[0] = place(g[0]));
    for (k, [_, _, next, result]) in on {
        a.carries[k][2] = place(next);
        a.carries[k][3] = result;
    }

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
