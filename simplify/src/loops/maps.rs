//! A linear map that a loop does not change is applied once, to the sum of what it was applied to in each iteration: Σₙ A·vₙ = A·Σₙ vₙ.
//!
//! The likelihood of points under a normal distribution is such a loop: each point's residual goes through the same matrix, and its
//! cotangent through that matrix's adjoint, to be added to the cotangent of the mean. Where a loop inside does it for each component,
//! `k`, there is a sum for each of them.
//!
//! Where what the map gives is small because its terms cancel in each iteration, the sums are not, and what they are rounded by is multiplied:
//! only under `fp(fast)`, and not where bits decide.

use super::{scan, sums, total};
use crate::contract;
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Dim, Func, Inst, Kind, Loop, Op, Region, Scalar, Type, Value, ValueData};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Iterations of the outer loop, at least: the map is applied once behind it.
const FEWEST: i64 = 8;
/// Iterations of a loop inside, at most, and sums that are kept for each.
const MOST: i64 = 1 << 12;
const SUMS: usize = 64;
/// Operations that an iteration has to save, at least.
const WORTH: i64 = 2;
/// Operations that it costs to load an element of an array and to store it again.
const MOVES: i64 = 2;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut maps = Maps { f, deciding, known, ranges, any };
        maps.region(body);
        any = maps.any;
    });
    any
}

struct Maps<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    known: Known,
    ranges: Ranges,
    any: bool,
}

/// What an outer loop has in it.
struct Inside {
    values: FxHashSet<Value>,
    uses: FxHashMap<Value, u32>,
    /// What its carries begin with.
    begins: Vec<Value>,
}

impl Inside {
    fn of(outer: &Inst, f: &Func) -> Inside {
        let begins = outer.args[3..].to_vec();
        let mut inside = Inside { values: FxHashSet::default(), uses: FxHashMap::default(), begins };
        inside.values.extend(&outer.regions[0].params);
        for inst in &outer.regions[0].insts {
            scan::each(inst, &mut |i| {
                inside.values.extend(&i.results);
                i.regions.iter().for_each(|r| inside.values.extend(&r.params));
            });
            scan::uses(inst, f, &mut |v| *inside.uses.entry(v).or_default() += 1);
        }
        outer.regions[0].yields.iter().for_each(|v| *inside.uses.entry(*v).or_default() += 1);
        inside
    }

    fn is_used_once(&self, v: Value) -> bool {
        self.uses.get(&v) == Some(&1)
    }

    /// What takes an array from one value to another, each time only to add to it: instructions of the region, by place.
    fn additions(&self, r: &Region, from: Value, to: Value) -> Option<Vec<usize>> {
        let (mut array, mut list) = (from, Vec::new());
        loop {
            self.is_used_once(array).then_some(())?;
            if array == to {
                return Some(list);
            }
            let next = list.last().map_or(0, |k| k + 1);
            let at = next + r.insts[next..].iter().position(|i| i.args.contains(&array))?;
            let inst = &r.insts[at];
            array = match inst.kind {
                Kind::AddAt | Kind::AddSlice if inst.args[0] == array => inst.results[0],
                Kind::For(_) => {
                    let carry = inst.args.iter().skip(3).position(|v| *v == array)?;
                    let body = &inst.regions[0];
                    self.additions(body, body.params[1 + carry], body.yields[carry])?;
                    inst.results[carry]
                }
                _ => return None,
            };
            list.push(at);
        }
    }
}

/// The region that applies maps: the body of the outer loop, or of one inside it.
struct Host<'a> {
    region: &'a Region,
    inside: Inside,
    /// What is computed there and is the same in all iterations of the outer loop.
    same: FxHashSet<Value>,
}

impl<'a> Host<'a> {
    /// `index`: that of the inner loop.
    fn new(region: &'a Region, inside: Inside, index: Option<Value>, maps: &Maps) -> Host<'a> {
        let mut host = Host { region, inside, same: index.into_iter().collect() };
        for inst in &region.insts {
            let simple = matches!(inst.kind, Kind::Const(_) | Kind::Op(_) | Kind::Index);
            // Behind the loop, an array that it begins with is another one, or would have to be copied.
            let stays = |v: &Value| !host.varies(*v) && !host.inside.begins.contains(v);
            if simple && total::inst(inst, maps.f, &maps.ranges) && inst.args.iter().all(stays) {
                host.same.extend(&inst.results);
            }
        }
        host
    }

    /// Whether it may be another value in each iteration of the outer loop.
    fn varies(&self, v: Value) -> bool {
        self.inside.values.contains(&v) && !self.same.contains(&v)
    }

    /// The operands that a linear operation is applied to, if the others are the same in all iterations.
    fn operands(&self, inst: &Inst) -> Option<Vec<Value>> {
        let Kind::Op(op) = inst.kind else { return None };
        let varies: Vec<bool> = inst.args.iter().map(|v| self.varies(*v)).collect();
        let linear: &[usize] = match (op, &varies[..]) {
            (Op::Neg, [true]) | (Op::Mul | Op::Div, [true, false]) => &[0],
            (Op::Mul, [false, true]) => &[1],
            (Op::Add | Op::Sub, [true, true]) => &[0, 1],
            (Op::Fma, [true, false, true]) => &[0, 2],
            (Op::Fma, [false, true, true]) => &[1, 2],
            _ => return None,
        };
        Some(linear.iter().map(|k| inst.args[*k]).collect())
    }
}

/// A map, or several of them.
#[derive(Default)]
struct Map {
    /// What it gives, by place among what was asked for.
    results: Vec<usize>,
    /// Its operations, by place in the region.
    insts: Vec<usize>,
    /// What it is applied to.
    operands: Vec<Value>,
}

impl Map {
    /// Operations that an iteration saves if it adds up the operands. Products are added with `fma`; each element that is added to costs so
    /// many `moves` besides.
    fn saved(&self, host: &Host, moves: i64) -> i64 {
        let count = |ops: &[Op]| {
            let is = |at: &&usize| matches!(host.region.insts[**at].kind, Kind::Op(op) if ops.contains(&op));
            self.insts.iter().filter(is).count() as i64
        };
        let [results, operands] = [self.results.len(), self.operands.len()].map(|n| n as i64);
        let products = count(&[Op::Mul, Op::Div, Op::Fma]);
        let additions = count(&[Op::Add, Op::Sub, Op::Fma]) + results;
        products.max(additions) + moves * results - (1 + moves) * operands
    }
}

/// Values that belong together (union–find).
#[derive(Default)]
struct Groups(FxHashMap<Value, Value>);

impl Groups {
    fn of(&self, mut v: Value) -> Value {
        while let Some(next) = self.0.get(&v) {
            v = *next;
        }
        v
    }

    fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            // The latest value stands for all, so chains are short where values are joined from the last one on.
            self.0.insert(a.min(b), a.max(b));
        }
    }
}

/// A loop that adds to arrays which the loop around it carries.
struct Inner {
    /// Its place in the body of the outer loop.
    at: usize,
    additions: Vec<Addition>,
}

/// An addition to an element.
#[derive(Clone, Copy)]
struct Addition {
    /// Its place in the body of the inner loop.
    at: usize,
    /// Which carry of the outer loop the array is.
    carry: usize,
}

impl Maps<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            let mut behind = Vec::new();
            if self.turns(&inst).is_some_and(|[lo, hi]| hi.saturating_sub(lo) >= FEWEST) {
                self.of_arrays(&mut inst, &mut out, &mut behind);
                self.of_sums(&mut inst, &mut behind);
            }
            self.any |= !behind.is_empty();
            out.push(inst);
            out.append(&mut behind);
        }
        r.insts = out;
    }

    /// Where a loop begins and ends that is taken one by one.
    fn turns(&self, inst: &Inst) -> Option<[i64; 2]> {
        let Kind::For(Loop { checkpoint: None, .. }) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
        Some([lo?, hi?]).filter(|[lo, _]| step == Some(1) && *lo >= 0)
    }

    /// Maps of which sums are taken.
    fn of_sums(&mut self, outer: &mut Inst, behind: &mut Vec<Inst>) {
        let Kind::For(l @ Loop { sums: 1.., .. }) = outer.kind else { return };
        let carries = outer.args.len() - 3;
        let host = Host::new(&outer.regions[0], Inside::of(outer, self.f), None, self);
        let yields = &host.region.yields;
        let mut asked: Vec<usize> = (carries..carries + l.sums as usize).collect();
        let mut seen = FxHashSet::default();
        asked.retain(|k| {
            host.varies(yields[*k]) && !self.deciding.get(outer.results[*k]) && seen.insert(yields[*k])
        });
        let values: Vec<Value> = asked.iter().map(|k| yields[*k]).collect();
        let map = self.found(&host, &values, 0);
        let gone: Vec<usize> = map.results.iter().map(|k| asked[*k]).collect();
        if gone.is_empty() {
            return;
        }
        let names: FxHashMap<Value, Value> = gone.iter().map(|k| (yields[*k], outer.results[*k])).collect();
        let sum = |v: &Value| names.get(v).copied().unwrap_or_else(|| self.f.fresh(self.f.data(*v).clone()));
        let sums: Vec<Value> = map.operands.iter().map(sum).collect();
        let mut to = map.operands.iter().copied().zip(sums.iter().copied()).collect();
        self.copy(&host, &map, &[], &names, &mut to, behind);
        let with = |list: &[Value], new: &[Value]| -> Vec<Value> {
            let stay = |from: usize, to: usize| (from..to).filter(|k| !gone.contains(k)).map(|k| list[k]);
            stay(0, carries).chain(new.iter().copied()).chain(stay(carries, list.len())).collect()
        };
        let results = with(&outer.results, &sums);
        let yields = with(yields, &map.operands);
        let sums = l.sums as usize + map.operands.len() - gone.len();
        outer.kind = sums::kind(Loop { sums: sums as u32, ..l }, carries, true);
        outer.results = results.into();
        outer.regions[0].yields = yields;
    }

    /// Maps of what loops inside add to arrays.
    fn of_arrays(&mut self, outer: &mut Inst, before: &mut Vec<Inst>, behind: &mut Vec<Inst>) {
        let adds = |i: &Inst| i.kind.is_loop() && i.regions[0].insts.iter().any(|i| i.kind == Kind::AddAt);
        if !outer.regions[0].insts.iter().any(adds) {
            return;
        }
        for Inner { at, additions } in inner_loops(outer, &Inside::of(outer, self.f)) {
            let inner = &outer.regions[0].insts[at];
            let Some([_, hi]) = self.turns(inner).filter(|[_, hi]| *hi <= MOST) else { continue };
            let region = &inner.regions[0];
            let host = Host::new(region, Inside::of(outer, self.f), Some(region.params[0]), self);
            let moves = |a: &Addition| self.is_movable(&host, &region.insts[a.at]);
            let additions: Vec<Addition> = additions.into_iter().filter(moves).collect();
            let asked: Vec<Value> = additions.iter().map(|a| region.insts[a.at].args[1]).collect();
            let map = self.found(&host, &asked, MOVES);
            let gone: Vec<Addition> = map.results.iter().map(|k| additions[*k]).collect();
            if !gone.is_empty() {
                let moved = self.moved(outer, at, hi, &gone, &map, before);
                behind.splice(0..0, moved);
            }
        }
    }

    /// Whether an addition to an element can come behind the outer loop.
    fn is_movable(&self, host: &Host, inst: &Inst) -> bool {
        let [array, term, index @ ..] = &inst.args[..] else { return false };
        inst.kind == Kind::AddAt
            && self.f.ty(*term) == Type::F64
            && host.varies(*term)
            && !index.iter().any(|v| host.varies(*v))
            && self.ranges.inside(self.f.shape(*array), index)
            && !self.deciding.get(inst.results[0])
    }

    /// The maps that give some of these values, and are worth it: those that share operands together.
    fn found(&self, host: &Host, asked: &[Value], moves: i64) -> Map {
        let insts = &host.region.insts;
        let mut taken: FxHashMap<Value, u32> = FxHashMap::default();
        asked.iter().for_each(|v| *taken.entry(*v).or_default() += 1);
        let mut parts: Vec<(usize, Vec<Value>)> = Vec::new();
        let mut groups = Groups::default();
        for (at, inst) in insts.iter().enumerate().rev() {
            let Some(operands) = host.operands(inst) else { continue };
            let result = inst.results[0];
            let all = taken.contains_key(&result) && taken.get(&result) == host.inside.uses.get(&result);
            if all && self.f.ty(result) == Type::F64 && contract::fits(&self.f.values, self.deciding, inst) {
                operands.iter().for_each(|v| *taken.entry(*v).or_default() += 1);
                operands.iter().for_each(|v| groups.join(result, *v));
                parts.push((at, operands));
            }
        }
        parts.reverse();
        let made: FxHashSet<Value> = parts.iter().map(|(at, _)| insts[*at].results[0]).collect();
        let mut maps: BTreeMap<Value, Map> = BTreeMap::new();
        for (at, operands) in parts {
            let map = maps.entry(groups.of(insts[at].results[0])).or_default();
            map.insts.push(at);
            map.operands.extend(operands.iter().filter(|v| !made.contains(v)));
        }
        for (k, v) in asked.iter().enumerate() {
            let map = maps.entry(groups.of(*v)).or_default();
            map.results.push(k);
            map.operands.extend(Some(*v).filter(|v| !made.contains(v)));
        }
        let mut all = Map::default();
        for mut map in maps.into_values() {
            let mut seen = FxHashSet::default();
            map.operands.retain(|v| seen.insert(*v));
            if map.operands.len() <= SUMS && map.saved(host, moves) >= WORTH {
                all.results.append(&mut map.results);
                all.insts.append(&mut map.insts);
                all.operands.append(&mut map.operands);
            }
        }
        all.results.sort_unstable();
        all.insts.sort_unstable();
        if all.operands.len() <= SUMS { all } else { Map::default() }
    }

    /// Writes a map's operations once more, with what they and `others` need that the loop does not change.
    fn copy(
        &mut self,
        host: &Host,
        map: &Map,
        others: &[Value],
        names: &FxHashMap<Value, Value>,
        to: &mut FxHashMap<Value, Value>,
        out: &mut Vec<Inst>,
    ) {
        let insts = &host.region.insts;
        let mut wanted: FxHashSet<Value> = others.iter().copied().collect();
        map.insts.iter().for_each(|at| wanted.extend(&insts[*at].args));
        let mut places = map.insts.clone();
        for (at, inst) in insts.iter().enumerate().rev() {
            if inst.results.iter().any(|v| host.same.contains(v) && wanted.contains(v)) {
                wanted.extend(&inst.args);
                places.push(at);
            }
        }
        places.sort_unstable();
        for inst in places.into_iter().map(|at| &insts[at]) {
            let args: Vec<Value> = inst.args.iter().map(|v| to.get(v).copied().unwrap_or(*v)).collect();
            let old = inst.results[0];
            let new = names.get(&old).copied();
            let new = new.unwrap_or_else(|| self.f.fresh(self.f.data(old).clone()));
            to.insert(old, new);
            out.push(Inst::simple(inst.kind.clone(), &args, new, inst.span));
        }
    }

    /// Takes additions out of an inner loop, which adds to sums of their maps' operands instead; what adds the maps of these sums
    /// behind the outer loop.
    fn moved(
        &mut self,
        outer: &mut Inst,
        at: usize,
        hi: i64,
        gone: &[Addition],
        map: &Map,
        before: &mut Vec<Inst>,
    ) -> Vec<Inst> {
        let span = outer.span;
        let inside = Inside::of(outer, self.f);
        let inner = &outer.regions[0].insts[at];
        let region = &inner.regions[0];
        let lo = self.known.number(inner.args[0]).expect("it is known where it begins");
        let host = Host::new(region, inside, Some(region.params[0]), self);
        let shape = [hi, map.operands.len() as i64].map(Dim::constant).to_vec();
        let data = ValueData::array(Scalar::F64, shape);
        let [sums, in_outer, in_inner, of_inner] = [(); 4].map(|()| self.f.fresh(data.clone()));

        // Behind the loop, the maps of the sums.
        let mut behind = Vec::new();
        let index = self.f.fresh(Scalar::I64.into());
        let mut to: FxHashMap<Value, Value> = [(region.params[0], index)].into_iter().collect();
        let mut insts = Vec::new();
        for (j, v) in map.operands.iter().enumerate() {
            let j = scan::constant(self.f, Const::I64(j as i64), span, &mut insts);
            let of = self.f.data(*v).clone();
            to.insert(*v, scan::emit(self.f, Kind::Index, &[sums, index, j], of, span, &mut insts));
        }
        let places: Vec<Value> = gone.iter().flat_map(|a| &region.insts[a.at].args[2..]).copied().collect();
        self.copy(&host, map, &places, &FxHashMap::default(), &mut to, &mut insts);
        // By array: which carry of the outer loop it is, what it is inside the new loop before and after.
        let mut arrays: BTreeMap<usize, [Value; 2]> = BTreeMap::new();
        for add in gone {
            let inst = &region.insts[add.at];
            let data = self.f.data(inst.args[0]).clone();
            let [_, array] = arrays.entry(add.carry).or_insert_with(|| [self.f.fresh(data.clone()); 2]);
            let others = inst.args[1..].iter().map(|v| to.get(v).copied().unwrap_or(*v));
            let args: Vec<Value> = [*array].into_iter().chain(others).collect();
            *array = scan::emit(self.f, Kind::AddAt, &args, data, inst.span, &mut insts);
        }
        let [lo, hi, one] = [lo, hi, 1].map(|n| scan::constant(self.f, Const::I64(n), span, &mut behind));
        let (mut args, mut results) = (vec![lo, hi, one], Vec::new());
        for carry in arrays.keys() {
            let new = self.f.fresh(self.f.data(outer.results[*carry]).clone());
            results.push(std::mem::replace(&mut outer.results[*carry], new));
            args.push(new);
        }
        let params = [index].into_iter().chain(arrays.values().map(|[before, _]| *before)).collect();
        let yields = arrays.values().map(|[_, after]| *after).collect();
        behind.push(Inst {
            kind: Kind::For(Loop::default()),
            args: args.into(),
            results: results.into(),
            regions: vec![Region { params, insts, yields }],
            span,
        });

        // In the loop, sums of what the maps are applied to.
        let zero = scan::constant(self.f, Const::F64(0.0), span, before);
        let zeros = scan::emit(self.f, Kind::Fill, &[zero], data.clone(), span, before);
        carry(outer, [zeros, in_outer, of_inner, sums]);
        let inner = &mut outer.regions[0].insts[at];
        let region = &mut inner.regions[0];
        let mut out = vec![false; region.insts.len()];
        let mut to: FxHashMap<Value, Value> = FxHashMap::default();
        for add in gone {
            let inst = &region.insts[add.at];
            to.insert(inst.results[0], to.get(&inst.args[0]).copied().unwrap_or(inst.args[0]));
            out[add.at] = true;
        }
        map.insts.iter().for_each(|at| out[*at] = true);
        let mut out = out.into_iter();
        region.insts.retain(|_| !out.next().expect("one each"));
        scan::rename(region, self.f, &to);
        let mut sum = in_inner;
        for (j, v) in map.operands.iter().enumerate() {
            let j = scan::constant(self.f, Const::I64(j as i64), span, &mut region.insts);
            let args = [sum, *v, region.params[0], j];
            sum = scan::emit(self.f, Kind::AddAt, &args, data.clone(), span, &mut region.insts);
        }
        carry(inner, [in_outer, in_inner, sum, of_inner]);
        behind
    }
}

/// Lets a loop carry one value more: what it begins with, what it is in the body, what it is there at the end, and what it is behind.
fn carry(inst: &mut Inst, [init, param, next, result]: [Value; 4]) {
    let carries = inst.args.len() - 3;
    inst.args.push(init);
    inst.regions[0].params.push(param);
    inst.regions[0].yields.insert(carries, next);
    let (own, gathered) = inst.results.split_at(carries);
    inst.results = own.iter().chain(&[result]).chain(gathered).copied().collect();
}

/// The loops inside that add to what the outer loop carries and nothing in it reads.
fn inner_loops(outer: &Inst, inside: &Inside) -> Vec<Inner> {
    let body = &outer.regions[0];
    let mut found: Vec<Inner> = Vec::new();
    for carry in 0..outer.args.len() - 3 {
        let mut array = body.params[1 + carry];
        for at in inside.additions(body, array, body.yields[carry]).into_iter().flatten() {
            let inst = &body.insts[at];
            if !inst.kind.is_loop() {
                array = inst.results[0];
                continue;
            }
            let own = inst.args[3..].iter().position(|v| *v == array).expect("it is the next in the list");
            array = inst.results[own];
            let region = &inst.regions[0];
            let list = inside.additions(region, region.params[1 + own], region.yields[own]);
            let additions = list.into_iter().flatten().map(|at| Addition { at, carry });
            match found.iter_mut().find(|i| i.at == at) {
                Some(inner) => inner.additions.extend(additions),
                None => found.push(Inner { at, additions: additions.collect() }),
            }
        }
    }
    found
}
