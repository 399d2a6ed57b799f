//! The reverse of an `if`: an `if` on the same condition whose branches reverse one branch each.

use super::Pullback;
use super::contributions::{Accumulator, Contribution, Place, Runs, Scope, Valid};
use crate::emit::Ex;
use crate::linear::{Lin, Mask};
use adc_ir::{Const, Dim, Inst, Kind, Region, Scalar, Value, ValueData, Values};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// What a branch contributes to values from outside.
#[derive(Default)]
pub(super) struct Left {
    scalars: Vec<(Value, Value)>,
    /// To elements of arrays, by indices that are made of what exists outside, too.
    elements: Vec<((Value, Vec<Dim>), Value)>,
    /// To all of an array.
    wholes: Vec<(Value, Value)>,
    accumulators: Vec<(Value, Accumulator)>,
}

impl<'a> Pullback<'a> {
    pub(super) fn branches(&mut self, inst: &'a Inst, bars: impl IntoIterator<Item = Option<Contribution>>) {
        let cond = self.sw.value(inst.args[0]);
        let bars: Vec<Option<Contribution>> = bars.into_iter().collect();
        let (seeds, mask) = self.dense_list(bars, &inst.results);
        let mut sides = Vec::new();
        for (side, region) in inst.regions.iter().enumerate() {
            self.open_branch(Some(self.sw.plan.region(inst, side)));
            self.arrive(inst, side);
            for (k, seed) in seeds.iter().enumerate() {
                if let Some(seed) = seed {
                    self.add(region.yields[k], Contribution::value(*seed));
                }
            }
            self.reversed(region, self.sw.plan.region(inst, side));
            self.sw.em.begin(inst.span);
            sides.push(self.close_branch());
        }
        self.sw.em.begin(inst.span);
        self.join(cond, sides, &mask);
    }

    pub(super) fn open_branch(&mut self, place: Option<usize>) {
        let first = self.next_value();
        self.sw.open(Vec::new());
        self.scopes.push(Scope::new(place, Runs::Branch, first));
    }

    /// Makes available what left a branch for its reverse.
    fn arrive(&mut self, inst: &Inst, side: usize) {
        let Some(exits) = self.sw.plan.exits(inst) else { return };
        let place = self.sw.plan.region(inst, side);
        let slots = exits.slots.iter().filter_map(|s| Some((s.sides[side]?, s.value)));
        let yielded = exits.yielded.iter().copied().filter(|(v, _)| self.sw.plan.place(*v) == place);
        let all: Vec<(Value, Value)> = slots.chain(yielded).collect();
        for (v, exit) in all {
            let value = self.sw.value(exit);
            self.sw.define(&[v], &[value]);
        }
    }

    pub(super) fn close_branch(&mut self) -> (Region, Left) {
        let first = self.scope().first;
        let mut left = Left::default();
        for (v, bars) in self.outer() {
            if !self.ty(v).is_array() {
                if let Some(lin) = self.scalar_sum(bars) {
                    let x = self.dense(v, Some(Contribution::All(lin)));
                    left.scalars.push((v, x));
                }
                continue;
            }
            let passed = self.scope().accumulators.contains_key(&v);
            if !passed && bars.iter().any(|b| matches!(b, Contribution::All(_))) {
                left.wholes.push((v, self.combined(v, bars)));
                continue;
            }
            let gathered = self.is_gathered(v);
            let (elements, mut rest) = self.elements(bars);
            for e in elements {
                let outside = gathered && e.index.iter().flat_map(|i| i.dim.vars()).all(|u| u.0 < first);
                let Some(lin) = self.sw.em.sum(e.lins) else { continue };
                if outside && !matches!(e.valid, Valid::If(_)) {
                    let x = self.sw.em.resolved(&lin, &[]);
                    let x = match self.sw.em.data(x).ty.is_array() {
                        true => self.sw.em.value(x),
                        false => self.sw.em.promoted(x, self.ty(v).scalar().into()),
                    };
                    left.elements.push(((v, e.index.into_iter().map(|i| i.dim).collect()), x));
                } else {
                    rest.push(Contribution::At { index: e.index, lin, valid: e.valid });
                }
            }
            self.accumulate(v, rest);
        }
        let scope = self.scopes.pop().expect("a scope is open");
        left.accumulators = scope.accumulators.into_iter().collect();
        left.accumulators.sort_by_key(|(v, _)| *v);
        (self.sw.close(Vec::new()), left)
    }

    /// Whether a contribution to an array from a branch may be more outside of it than an addition to its adjoint.
    fn is_gathered(&self, v: Value) -> bool {
        let place = self.sw.plan.place(v);
        let outer = self.scopes.iter().rev().skip(1);
        for scope in outer {
            match scope.runs {
                _ if scope.place == Some(place) => return true,
                Runs::Each { gathers, .. } => return gathers,
                Runs::Branch | Runs::Once => {}
            }
        }
        true
    }

    /// The `if` of two branches; what they contribute is there where `mask` holds.
    pub(super) fn join(&mut self, cond: Value, sides: Vec<(Region, Left)>, mask: &Mask) {
        let (mut regions, mut left): (Vec<Region>, Vec<Left>) = sides.into_iter().unzip();
        let scalars = paired(&mut left, |l| std::mem::take(&mut l.scalars), |v| *v);
        let elements = paired(&mut left, |l| std::mem::take(&mut l.elements), |(v, _)| *v);
        let wholes = self.wholes(&mut regions, &mut left);
        let arrays = paired(&mut left, |l| std::mem::take(&mut l.accumulators), |v| *v);
        if scalars.is_empty() && elements.is_empty() && wholes.is_empty() && arrays.is_empty() {
            return;
        }
        for (_, found) in &wholes {
            for (region, x) in regions.iter_mut().zip(found) {
                region.yields.push(*x);
            }
        }
        for (v, found) in &scalars {
            let data = ValueData::from(self.ty(*v));
            self.yields(&mut regions, *found, &data);
        }
        for (_, found) in &elements {
            let like = found.iter().flatten().next().expect("one side has it");
            let data = self.sw.em.visible(*like);
            self.yields(&mut regions, *found, &data);
        }
        let mut before = Vec::new();
        for (v, found) in &arrays {
            let now = self.accumulator(*v);
            before.push(now);
            for (region, found) in regions.iter_mut().zip(found) {
                match found {
                    Some(a) => {
                        region.rename_uses(&|v| if v == a.start { now } else { v });
                        region.yields.push(if a.now == a.start { now } else { a.now });
                    }
                    None => region.yields.push(now),
                }
            }
        }
        let other = regions.pop().expect("an `if` has two regions");
        let then = regions.pop().expect("an `if` has two regions");
        let mut results = self.sw.em.b.if_(cond, then, other).into_iter();
        let mut next = || results.next().expect("one result for each");
        for (v, _) in wholes {
            self.add(v, Contribution::All(Lin { x: Ex::Val(next()), mask: mask.clone() }));
        }
        for (v, found) in scalars {
            let present = found.map(|f| f.is_some());
            if let Some(bar) = self.sw.em.joined_branches(next(), mask, cond, present) {
                self.add(v, Contribution::All(bar));
            }
        }
        for ((v, index), found) in elements {
            let present = found.map(|f| f.is_some());
            let x = next();
            let valid = if present == [true, true] { Valid::Here } else { Valid::If((cond, present[0])) };
            if let Some(lin) = self.sw.em.joined_branches(x, mask, cond, present) {
                let index = index.iter().map(Place::of).collect();
                self.add(v, Contribution::At { index, lin, valid });
            }
        }
        for ((v, _), before) in arrays.into_iter().zip(before) {
            let mut now = next();
            if !mask.is_empty() {
                let holds = self.sw.em.conjunction(mask);
                let holds = self.sw.em.value(holds);
                let chosen = self.sw.em.selected(holds, Some(Ex::Val(now)), Some(Ex::Val(before)));
                now = self.sw.em.value(chosen);
            }
            self.accumulated(v, now);
        }
    }

    /// The arrays that get something for all of them from both branches. One that does so from one branch only is added
    /// there to its adjoint so far.
    fn wholes(&mut self, regions: &mut [Region], left: &mut [Left]) -> Vec<(Value, [Value; 2])> {
        let mut both = Vec::new();
        for (v, found) in paired(left, |l| std::mem::take(&mut l.wholes), |v| *v) {
            let (side, x) = match found {
                [Some(a), Some(b)] => {
                    both.push((v, [a, b]));
                    continue;
                }
                [Some(a), None] => (0, a),
                [None, Some(b)] => (1, b),
                [None, None] => unreachable!("one side has it"),
            };
            let data = self.sw.em.visible(x);
            let [start, now] = [0, 1].map(|_| self.sw.em.b.fresh(data.clone()));
            let zero = self.sw.em.b.fresh(Scalar::I64);
            let span = self.sw.em.b.span();
            let mut push = |kind: Kind, args: &[Value], result: Value| {
                let (args, results) = (Values::from_slice(args), Values::from_slice(&[result]));
                regions[side].insts.push(Inst { kind, args, results, regions: Vec::new(), span });
            };
            push(Kind::Const(Const::I64(0)), &[], zero);
            push(Kind::AddSlice, &[start, x, zero], now);
            left[side].accumulators.push((v, Accumulator { start, now }));
        }
        both
    }

    fn yields(&mut self, regions: &mut [Region], found: [Option<Value>; 2], data: &ValueData) {
        for (region, found) in regions.iter_mut().zip(found) {
            let x = found.unwrap_or_else(|| self.sw.em.zero_in(&mut region.insts, data));
            region.yields.push(x);
        }
    }

    /// Cotangents of several values for code that takes no masks: as values, none where there is none, and the mask that
    /// all of them have in common and the outcome therefore has.
    pub(super) fn dense_list(
        &mut self,
        bars: Vec<Option<Contribution>>,
        of: &[Value],
    ) -> (Vec<Option<Value>>, Mask) {
        let there: Vec<bool> = bars.iter().map(Option::is_some).collect();
        let mut lins: Vec<Option<Lin>> = Vec::new();
        let mut like = Vec::new();
        for (bar, v) in bars.into_iter().zip(of) {
            let Some(bar) = bar else { continue };
            lins.push(Some(match bar {
                Contribution::All(lin) => lin,
                bar => Lin::always(Ex::Val(self.dense(*v, Some(bar)))),
            }));
            like.push(match self.ty(*v).is_array() {
                true => self.sw.data(*v),
                false => self.ty(*v).into(),
            });
        }
        let (values, mask) = self.sw.em.dense_list(&lins, &like);
        let mut values = values.into_iter();
        (there.into_iter().map(|there| if there { values.next() } else { None }).collect(), mask)
    }
}

/// What both sides have by key, in the order of the values.
fn paired<K: Clone + Eq + Hash, T: Copy>(
    left: &mut [Left],
    list: impl Fn(&mut Left) -> Vec<(K, T)>,
    value: impl Fn(&K) -> Value,
) -> Vec<(K, [Option<T>; 2])> {
    let mut all: Vec<(K, [Option<T>; 2])> = Vec::new();
    let mut index: FxHashMap<K, usize> = FxHashMap::default();
    for (side, l) in left.iter_mut().enumerate() {
        for (key, x) in list(l) {
            let at = *index.entry(key.clone()).or_insert(all.len());
            if at == all.len() {
                all.push((key, [None; 2]));
            }
            all[at].1[side] = Some(x);
        }
    }
    all.sort_by_key(|(k, _)| value(k));
    all
}
