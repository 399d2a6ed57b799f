//! A comprehension whose elements are read one by one is computed where they are read, and never becomes an array.
//!
//! It is if that computes nothing twice: the reading place is the only one, in loops over exactly the indices it reads at;
//! or if computing an element costs about what reading it costs.
//!
//! Before differentiation only what is read in an extremum is: then the elements that lose have no cotangents, rather than such that
//! are 0, whose products with infinite partials would be NaN, and that would be added up one by one.

use super::scan;
use adc_ir::dce::Asserting;
use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, Loop, ReduceOp, Region, Scalar, Value};
use rustc_hash::FxHashMap;

/// Reading places of a cheap comprehension that it is computed at.
const PLACES: usize = 4;
/// Operations on integers, at most, that find out whether an element is at an end.
const TESTS: usize = 6;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    everywhere(f, asserting, false);
}

/// What is read in extrema only.
pub(crate) fn in_extrema(f: &mut Func, asserting: &Asserting) {
    everywhere(f, asserting, true);
}

fn everywhere(f: &mut Func, asserting: &Asserting, extrema: bool) {
    let ranges = Ranges::of(f);
    scan::edit(f, |body, f| region(body, f, &ranges, asserting, extrema));
}

fn region(r: &mut Region, f: &mut Func, ranges: &Ranges, asserting: &Asserting, extrema: bool) {
    let mut at = 0;
    // Backwards, what the elements in extrema are computed from comes to be read there.
    let place = |at: usize, n: usize| if extrema { n - 1 - at } else { at };
    while at < r.insts.len() {
        let k = place(at, r.insts.len());
        let rows =
            flattened(&r.insts[k]).filter(|_| extrema).map(|flat| std::mem::replace(&mut r.insts[k], flat));
        if let Some(rank) = rank(&r.insts[k], f)
            && !asserting.inst(&r.insts[k])
            && inlined(r, k, rank, f, ranges, extrema)
        {
            r.insts.remove(k);
            continue;
        }
        if let Some(rows) = rows {
            r.insts[k] = rows;
        }
        at += 1;
    }
    for inst in &mut r.insts {
        inst.regions.iter_mut().for_each(|r| region(r, f, ranges, asserting, extrema));
    }
}

/// A comprehension of comprehensions as one, if little is computed for all elements of a row.
fn flattened(inst: &Inst) -> Option<Inst> {
    let (Kind::Build { rank }, body) = (&inst.kind, inst.regions.first()?) else { return None };
    let (last, rest) = body.insts.split_last()?;
    let Kind::Build { rank: inner } = last.kind else { return None };
    (last.results[..] == body.yields[..] && rest.iter().all(|i| i.kind.is_small())).then_some(())?;
    let of = &last.regions[0];
    let region = Region {
        params: [&body.params[..], &of.params].concat(),
        insts: rest.iter().chain(&of.insts).cloned().collect(),
        yields: of.yields.clone(),
    };
    let flat = Inst { kind: Kind::Build { rank: rank + inner }, regions: vec![region], ..inst.clone() };
    Some(flattened(&flat).unwrap_or(flat))
}

/// The rank of a comprehension. A loop that does nothing but collect what is cheap is one, too.
fn rank(inst: &Inst, f: &Func) -> Option<usize> {
    match inst.kind {
        Kind::Build { rank } => Some(rank as usize),
        Kind::For(Loop { sums: 0, collects: 1, checkpoint: None }) if inst.args.len() == 3 => {
            cheap(&inst.regions[0], f).then_some(1)
        }
        _ => None,
    }
}

/// Whether computing an element again costs about what reading it costs: it is that of another array, or 0 at its ends.
fn cheap(r: &Region, f: &Func) -> bool {
    let branch =
        |i: &&Inst| i.kind == Kind::If && i.results.len() == 1 && i.regions.iter().all(|r| scan::cheap(r, f));
    let Some((last, rest)) = r.insts.split_last() else { return false };
    let integers = |i: &Inst| {
        matches!(i.kind, Kind::Const(_) | Kind::Op(_))
            && matches!(f.ty(i.results[0]).scalar(), Scalar::Bool | Scalar::I64)
    };
    scan::cheap(r, f)
        || Some(last).filter(branch).is_some() && rest.len() <= TESTS && rest.iter().all(integers)
}

/// How an array is read.
#[derive(Default)]
struct Reads {
    places: usize,
    /// Whether something else is done with it, or an index may be outside.
    other: bool,
    /// Whether a place is in loops over other indices, too.
    again: bool,
    /// Whether a place is in no extremum.
    plain: bool,
    /// The extrema around what is looked at.
    extrema: usize,
}

/// Computes the elements where they are read, if that is the better way.
fn inlined(r: &mut Region, at: usize, rank: usize, f: &mut Func, ranges: &Ranges, extrema: bool) -> bool {
    let build = &r.insts[at];
    let x = build.results[0];
    if r.yields.contains(&x) {
        return false;
    }
    let shape: Vec<Dim> = f.shape(x)[..rank].to_vec();
    let mut reads = Reads::default();
    let mut last = at;
    for (k, inst) in r.insts.iter().enumerate().skip(at + 1) {
        let before = reads.places;
        look(inst, x, &shape, &mut Vec::new(), ranges, &mut reads);
        if reads.places > before {
            last = k;
        }
        if reads.other {
            return false;
        }
    }
    let once = reads.places == 1 && !reads.again;
    if extrema && (reads.plain || !once) {
        return false;
    }
    let cheap = reads.places <= PLACES && cheap(&build.regions[0], f);
    if reads.places == 0 || !(once || cheap) {
        return false;
    }
    let mut arrays = Vec::new();
    scan::uses(build, f, &mut |v| {
        if f.ty(v).is_array() {
            arrays.push(v);
        }
    });
    if r.insts[at + 1..=last].iter().any(|i| scan::consumed(i, &arrays)) {
        return false;
    }
    let body = r.insts[at].regions[0].clone();
    let mut to = FxHashMap::default();
    let mut rest = Region {
        params: Vec::new(),
        insts: r.insts.split_off(at + 1),
        yields: std::mem::take(&mut r.yields),
    };
    place(&mut rest, x, &body, f, &mut to);
    scan::rename(&mut rest, f, &to);
    r.insts.append(&mut rest.insts);
    r.yields = rest.yields;
    true
}

/// Finds the reads of `x` in an instruction; `loops`: the indices of the loops it is in.
fn look(inst: &Inst, x: Value, shape: &[Dim], loops: &mut Vec<Value>, ranges: &Ranges, reads: &mut Reads) {
    if inst.args.contains(&x) {
        let index = &inst.args[1..];
        let element = inst.kind == Kind::Index && inst.args[0] == x && index.len() >= shape.len();
        if !element || !ranges.inside(shape, &index[..shape.len()]) {
            reads.other = true;
            return;
        }
        reads.places += 1;
        reads.plain |= reads.extrema == 0;
        let index = &index[..shape.len()];
        let distinct = index.iter().enumerate().all(|(k, v)| !index[..k].contains(v));
        reads.again |= !(distinct && index.len() == loops.len() && loops.iter().all(|v| index.contains(v)));
    }
    let extremum = usize::from(matches!(inst.kind, Kind::Reduce(ReduceOp::Max | ReduceOp::Min)));
    reads.extrema += extremum;
    for r in &inst.regions {
        let outer = loops.len();
        match &inst.kind {
            Kind::Build { .. } => loops.extend(&r.params),
            Kind::Reduce(_) | Kind::For(_) => loops.push(r.params[0]),
            // How often it runs nobody knows.
            Kind::While(_) => loops.push(x),
            _ => {}
        }
        reads.other |= r.yields.contains(&x);
        r.insts.iter().for_each(|i| look(i, x, shape, loops, ranges, reads));
        loops.truncate(outer);
    }
    reads.extrema -= extremum;
}

/// Puts a copy of the body in the place of every read.
fn place(r: &mut Region, x: Value, body: &Region, f: &mut Func, to: &mut FxHashMap<Value, Value>) {
    let mut out = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts) {
        if inst.kind == Kind::Index && inst.args[0] == x {
            let rank = body.params.len();
            let (insts, yields) = scan::copy(body, f, &inst.args[1..=rank]);
            out.extend(insts);
            if inst.args.len() == 1 + rank {
                to.insert(inst.results[0], yields[0]);
                continue;
            }
            inst.args = [&yields[..1], &inst.args[1 + rank..]].concat().into();
        }
        inst.regions.iter_mut().for_each(|r| place(r, x, body, f, to));
        out.push(inst);
    }
    r.insts = out;
}
