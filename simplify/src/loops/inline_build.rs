//! A comprehension whose elements are read one by one is computed where they are read, and never becomes an array.
//!
//! It is if that computes nothing twice: the reading place is the only one, in loops over exactly the indices it reads at;
//! or if computing an element costs about what reading it costs.

use super::scan;
use adc_ir::dce::Asserting;
use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, Region, Value};
use rustc_hash::FxHashMap;

/// Reading places of a cheap comprehension that it is computed at.
const PLACES: usize = 4;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    let ranges = Ranges::of(f);
    scan::edit(f, |body, f| region(body, f, &ranges, asserting));
}

fn region(r: &mut Region, f: &mut Func, ranges: &Ranges, asserting: &Asserting) {
    let mut at = 0;
    while at < r.insts.len() {
        if let Kind::Build { rank } = r.insts[at].kind
            && !asserting.inst(&r.insts[at])
            && inlined(r, at, rank as usize, f, ranges)
        {
            r.insts.remove(at);
            continue;
        }
        at += 1;
    }
    for inst in &mut r.insts {
        inst.regions.iter_mut().for_each(|r| region(r, f, ranges, asserting));
    }
}

/// How an array is read.
#[derive(Default)]
struct Reads {
    places: usize,
    /// Whether something else is done with it, or an index may be outside.
    other: bool,
    /// Whether a place is in loops over other indices, too.
    again: bool,
}

/// Computes the elements where they are read, if that is the better way.
fn inlined(r: &mut Region, at: usize, rank: usize, f: &mut Func, ranges: &Ranges) -> bool {
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
    let cheap = reads.places <= PLACES && scan::cheap(&build.regions[0], f);
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
        let index = &index[..shape.len()];
        let distinct = index.iter().enumerate().all(|(k, v)| !index[..k].contains(v));
        reads.again |= !(distinct && index.len() == loops.len() && loops.iter().all(|v| index.contains(v)));
    }
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
