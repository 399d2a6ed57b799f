//! What the reverse of a loop computes from stored numbers alone, its partial derivatives, is computed in the loop itself and stored
//! instead of those numbers.
//!
//! A loop stores what its reverse needs of each iteration. What that computes from it before any cotangent comes in, as `1 − tanh(z)²` and
//! the `tanh(z)` beside it, the loop has mostly computed already. So of all numbers between what the loop computes and what cotangents are
//! multiplied by, the reverse gets those for which storing and computing cost the least together: a minimum cut ([`adc_ir::choice`]). Storing
//! costs by bytes, computing by cycles; what the loop would have to compute in addition counts, too. A loop stores no more than [`TIMES`] as
//! much as before.

mod numbering;
mod place;
mod survey;

use super::{keep, merge, scan};
use crate::cost;
use adc_ir::choice::{self, Choice, NEVER};
use adc_ir::dce::Asserting;
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, Region, Value};
use numbering::Numbering;
use rustc_hash::FxHashMap;
use survey::{Survey, turns};

/// With more numbers than this, those that are stored stay.
const MOST: usize = 1024;
/// How many times what is stored may become as much.
const TIMES: u64 = 3;

pub(crate) fn function(f: &mut Func, asserting: &Asserting) {
    let sizes = Sizes { known: Known::of(f), ranges: Ranges::of(f), asserting };
    scan::edit(f, |body, f| region(body, f, &sizes));
}

/// What is known of sizes and integers, and what asserts something.
struct Sizes<'a> {
    known: Known,
    ranges: Ranges,
    asserting: &'a Asserting,
}

fn region(r: &mut Region, f: &mut Func, sizes: &Sizes) {
    let turns =
        |inst: &Inst| matches!(inst.kind, Kind::For(_)).then(|| turns_of(inst, f, &sizes.known)).flatten();
    let loops = r.insts.iter().enumerate().filter_map(|(k, inst)| Some((k, turns(inst)?)));
    let loops: Vec<(usize, Vec<Dim>)> = loops.collect();
    for (k, (second, n)) in loops.iter().enumerate() {
        for (first, _) in loops[..k].iter().rev().filter(|(_, m)| m == n) {
            pair(r, [*first, *second], f, sizes);
        }
    }
    r.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| region(r, f, sizes));
}

/// How often a loop runs, by index, if it counts from 0 in steps of 1.
fn turns_of(inst: &Inst, f: &Func, known: &Known) -> Option<Vec<Dim>> {
    match inst.kind {
        Kind::Build { rank } => Some(known.resolve_shape(&f.shape(inst.results[0])[..rank as usize])),
        Kind::For(_) | Kind::Reduce(_) => {
            let counts = known.number(inst.args[0]) == Some(0) && known.number(inst.args[2]) == Some(1);
            counts.then(|| vec![known.dim(inst.args[1])])
        }
        _ => None,
    }
}

/// Lets the first loop store other numbers for the second, its reverse, if that costs less.
fn pair(r: &mut Region, [first, second]: [usize; 2], f: &mut Func, sizes: &Sizes) {
    if !survey::reads(&r.insts[second], &r.insts[first]) {
        return;
    }
    let [forward, reverse] = [first, second].map(|k| r.insts[k].clone());
    let Some(survey) = Survey::of(r, [first, second], [&forward, &reverse], f, sizes) else { return };
    if survey.nodes.len() > MOST {
        return;
    }
    let mut numbering = Numbering::of(&forward, f, &sizes.known);
    let costs = costs(&survey, &forward, f, &mut numbering);
    let Some(stored) = cheaper(&survey, &costs, f) else { return };
    let Some(groups) = place::groups(&survey, &stored, &forward, &numbering, f) else { return };
    place::apply(r, [first, second], groups, f, sizes);
}

/// What a number costs, in all iterations of the loops in the reverse that it is in.
#[derive(Clone, Copy)]
struct Cost {
    /// Bytes that are stored for it; nothing if it cannot be.
    bytes: Option<u64>,
    /// Cycles that the loop would take longer to store it.
    more: u64,
    /// Cycles that computing it again takes; nothing if it has to be stored.
    compute: Option<u64>,
}

impl Cost {
    fn store(self) -> u64 {
        self.bytes.map_or(NEVER, |bytes| choice::BYTE * bytes + self.more)
    }
}

/// The numbers to be stored, if that costs a fifth less than it does now, in order.
fn cheaper(survey: &Survey, costs: &FxHashMap<Value, Cost>, f: &Func) -> Option<Vec<Value>> {
    let mut choice = Choice::new();
    survey.needed.iter().for_each(|v| choice.need(*v));
    for v in &survey.order {
        let (store, compute) = (costs[v].store(), costs[v].compute);
        choice.store(*v, store);
        if let Some(compute) = compute.filter(|c| *c < store) {
            choice.compute(*v, compute, store, survey.operands(*v));
        }
    }
    let [again, stored] = choice.least();
    let computing: u64 = again.iter().filter_map(|v| costs[v].compute).sum();
    let storing: u64 = stored.iter().map(|v| costs[v].store()).sum();
    let bytes: u64 = stored.iter().filter_map(|v| costs[v].bytes).sum();
    // As it is, everything is computed again from whole arrays.
    let now: u64 = survey.reach(&survey.needed).iter().filter_map(|v| costs[v].compute).sum();
    let size = |array: &Value| turns(&f.shape(*array)[1..]) * f.ty(*array).scalar().bytes() as u64;
    let before: u64 = survey.free_arrays().iter().map(size).sum();
    let less = 5 * (computing + storing) <= 4 * (now + choice::BYTE * before);
    let chosen = || survey.order.iter().copied().filter(|v| stored.binary_search(v).is_ok()).collect();
    (less && bytes <= TIMES * before).then(chosen)
}

fn costs(survey: &Survey, forward: &Inst, f: &Func, numbering: &mut Numbering) -> FxHashMap<Value, Cost> {
    let mut costs: FxHashMap<Value, Cost> = FxHashMap::default();
    // What the loop would have to compute for a number, by what makes it.
    let mut absent: FxHashMap<Value, u64> = FxHashMap::default();
    for v in &survey.order {
        let node = &survey.nodes[v];
        let turn = survey.is_turn(*v).then_some(forward.regions[0].params[0]);
        let there = numbering.node(node, &survey.kept, turn);
        let cycles = match node.inst.kind {
            Kind::Op(op) => keep::cycles(node.inst, op, f),
            _ => 0,
        };
        if !there && let Kind::Op(op) = node.inst.kind {
            let more = cost::beside(op).filter(|(other, _)| numbering.has(*other, node.inst.args[0]));
            absent.insert(*v, more.map_or(cycles, |(_, more)| more));
        }
        let number = f.ty(*v).scalar();
        let size = number.bytes() as u64 * node.turns();
        let cost = match node.array {
            // It is stored in any case.
            Some(array) if survey.pinned.contains(&array) => Cost { bytes: Some(0), more: 0, compute: None },
            Some(_) => Cost { bytes: Some(size), more: 0, compute: None },
            None if !node.varies => Cost { bytes: None, more: 0, compute: Some(0) },
            None => {
                let more: u64 = survey.reach(&[*v]).iter().filter_map(|v| absent.get(v)).sum();
                let bytes = number.is_float().then_some(size);
                Cost { bytes, more: more * node.turns(), compute: Some(cycles * node.times) }
            }
        };
        costs.insert(*v, cost);
    }
    costs
}
