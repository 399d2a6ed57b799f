//! The reverse of loops: loops over the same iterations, backwards where something is carried.
//!
//! What an iteration contributes to values from outside leaves the loop by what its index says. Of a loop that carries nothing:
//! an element that moves with the iteration is collected, the same one in every iteration is summed up, and what is neither is
//! added, iteration by iteration, to the adjoint itself, which becomes a carry. A loop that carries something has carries for all
//! of it, so that the order of every sum is that of the iterations, whatever is stored of them.

use super::Pullback;
use super::contributions::{Contribution, Element, Place, Runs, Scope, Valid};
use crate::activity::{body_of, carried, carries};
use crate::emit::Ex;
use crate::linear::{Lin, Mask};
use crate::plan::{added_to, shifted};
use adc_ir::{Builder, Const, Dim, Inst, Kind, Loop, Op, Scalar, Value, ValueData};

/// No array has as many elements.
const FAR: u64 = 1 << 40;

/// What becomes of a result of a reverse loop.
enum Give {
    /// A contribution to all of a value,
    Whole(Value),
    /// to an element or sub-array,
    At(Value, Vec<Dim>, Valid),
    /// to a part along the axis behind an index,
    Part(Value, Vec<Dim>, Dim, Valid),
    /// or to those of so many elements that the part has, which may begin before the first.
    Inside(Value, Dim, Dim),
    /// To all elements once: iteration t to the one at t plus a number, which wraps around.
    Wrapped(Value, i64),
    /// The adjoint so far.
    Accumulated(Value),
}

/// The results of a loop beside its own carries.
#[derive(Default)]
struct Gives {
    carries: Vec<(Give, Value, Value)>,
    sums: Vec<(Give, Value)>,
    collects: Vec<(Give, Value)>,
}

/// How an index moves from iteration to iteration.
enum Moves {
    Not,
    /// With the iteration, from here on.
    From(Dim),
    Otherwise,
}

impl<'a> Pullback<'a> {
    /// Opens a loop; its index and the parameters for its carries.
    pub(super) fn open_loop(
        &mut self,
        place: Option<usize>,
        gathers: bool,
        carries: Vec<ValueData>,
    ) -> (Value, Vec<Value>) {
        let first = self.next_value();
        let mut params = self.sw.open([vec![Scalar::I64.into()], carries].concat());
        let t = params.remove(0);
        self.scopes.push(Scope::new(place, Runs::Each { t, gathers }, first));
        (t, params)
    }

    /// Closes it; `own` are its carries, as they begin and go on. Their last values.
    pub(super) fn close_loop(&mut self, range: [Value; 3], own: Vec<(Value, Value)>) -> Vec<Value> {
        let gives = self.gives(range[1]);
        let scope = self.scopes.pop().expect("a scope is open");
        let mut carries = gives.carries;
        let mut passed: Vec<_> = scope.accumulators.into_iter().collect();
        passed.sort_by_key(|(v, _)| *v);
        carries.extend(passed.into_iter().map(|(v, a)| (Give::Accumulated(v), a.start, a.now)));
        let nexts = own.iter().map(|(_, next)| *next).chain(carries.iter().map(|(.., next)| *next));
        let gathered = gives.sums.iter().chain(&gives.collects).map(|(_, x)| *x);
        let yields = nexts.chain(gathered).collect();
        let mut region = self.sw.close(yields);
        region.params.extend(carries.iter().map(|(_, param, _)| *param));
        let mut init: Vec<Value> = own.iter().map(|(init, _)| *init).collect();
        for (give, param, _) in &carries {
            let begun = match give {
                Give::Accumulated(v) => Some(self.accumulator(*v)),
                Give::Whole(_) | Give::At(..) | Give::Part(..) | Give::Inside(..) | Give::Wrapped(..) => None,
            };
            init.push(match begun {
                Some(begun) => begun,
                None => {
                    let data = self.sw.em.visible(*param);
                    self.sw.em.zero(&data)
                }
            });
        }
        let (sums, collects) = (gives.sums.len() as u32, gives.collects.len() as u32);
        let results: Vec<Value> = match (init.is_empty(), sums, collects) {
            (true, 0, 0) => Vec::new(),
            (true, 0, 1) => {
                let n = self.sw.em.b.dim_of(range[1]);
                vec![self.sw.em.b.build_of(&[n], region)]
            }
            _ => {
                let l = Loop { sums, collects, checkpoint: None };
                self.sw.em.b.for_of(l, range, &init, region).to_vec()
            }
        };
        let (own, rest) = results.split_at(own.len());
        let carried = carries.into_iter().map(|(give, ..)| give);
        let all = carried.chain(gives.sums.into_iter().chain(gives.collects).map(|(give, _)| give));
        for (give, x) in all.zip(rest) {
            self.give(give, *x, range[1]);
        }
        own.to_vec()
    }

    /// Takes the contributions that are left in the innermost scope, which is that of a loop of `n` iterations.
    fn gives(&mut self, n: Value) -> Gives {
        let Runs::Each { gathers, .. } = self.scope().runs else { unreachable!("the scope of a loop") };
        let mut gives = Gives::default();
        for (v, bars) in self.outer() {
            if !self.ty(v).is_array() {
                if let Some(lin) = self.scalar_sum(bars) {
                    let x = self.dense(v, Some(Contribution::All(lin)));
                    self.total(&mut gives, Give::Whole(v), x);
                }
                continue;
            }
            let (elements, rest) = self.elements(bars);
            let mut kept = Vec::new();
            let mut moving = Vec::new();
            for e in elements {
                match self.constant_element(&e) {
                    true if gathers || e.index.len() == self.ty(v).rank() => {
                        if let Some(x) = self.element(v, e.lins) {
                            self.total(&mut gives, Give::At(v, dims(&e.index), e.valid), x);
                        }
                    }
                    _ => moving.push(e),
                }
            }
            let mut wholes = Vec::new();
            let mut rows = Vec::new();
            for bar in rest {
                match bar {
                    Contribution::All(lin) if gathers => wholes.push(lin),
                    Contribution::Part { index, start, part, valid } if gathers => {
                        if self.row(v, &index, start, part, valid, &mut rows).is_none() {
                            kept.push(Contribution::Part { index, start, part, valid });
                        }
                    }
                    bar => kept.push(bar),
                }
            }
            moving.extend(rows.into_iter().map(|(index, row, valid)| {
                let lins = vec![Lin::always(Ex::Val(row))];
                Element { index, lins, valid }
            }));
            if let Some(lin) = self.sw.em.sum(wholes) {
                let x = self.dense(v, Some(Contribution::All(lin)));
                gives.sums.push((Give::Whole(v), x));
            }
            let passed = self.scope().accumulators.contains_key(&v);
            let alone = gathers && kept.is_empty() && !passed;
            let found: Option<Vec<Give>> =
                if alone { moving.iter().map(|e| self.collected(v, e, n)).collect() } else { None };
            match found {
                Some(found) => {
                    for (e, give) in moving.into_iter().zip(found) {
                        if let Some(x) = self.element(v, e.lins) {
                            gives.collects.push((give, x));
                        }
                    }
                }
                None => {
                    for e in moving {
                        if let Some(lin) = self.sw.em.sum(e.lins) {
                            kept.push(Contribution::At { index: e.index, lin, valid: e.valid });
                        }
                    }
                    self.accumulate(v, kept);
                }
            }
        }
        gives
    }

    /// The sum of what the iterations contribute.
    fn total(&mut self, gives: &mut Gives, give: Give, x: Value) {
        let Runs::Each { gathers, .. } = self.scope().runs else { unreachable!("the scope of a loop") };
        if gathers {
            return gives.sums.push((give, x));
        }
        let data = self.sw.em.visible(x);
        let sum = self.sw.em.b.fresh(data);
        let next = self.sw.em.b.op(Op::Add, &[sum, x]);
        gives.carries.push((give, sum, next));
    }

    /// A contribution to an element of an array as a value.
    fn element(&mut self, v: Value, lins: Vec<Lin>) -> Option<Value> {
        let lin = self.sw.em.sum(lins)?;
        let x = self.sw.em.resolved(&lin, &[]);
        Some(match self.sw.em.data(x).ty.is_array() {
            true => self.sw.em.value(x),
            false => self.sw.em.promoted(x, self.ty(v).scalar().into()),
        })
    }

    fn moves(&mut self, index: &Dim) -> Moves {
        let scope = self.scope();
        let (first, Runs::Each { t, .. }) = (scope.first, scope.runs) else {
            unreachable!("the scope of a loop")
        };
        let outside = |d: &Dim| d.vars().all(|v| v.0 < first);
        if outside(index) {
            return Moves::Not;
        }
        match index.sub(&Dim::var(t)) {
            Some(start) if outside(&start) => Moves::From(start),
            _ => Moves::Otherwise,
        }
    }

    /// Whether every iteration contributes to the same element, or none.
    fn constant_element(&mut self, e: &Element) -> bool {
        let first = self.scope().first;
        let outside = match e.valid {
            Valid::Always | Valid::Here => true,
            Valid::If((cond, _)) => cond.0 < first,
        };
        outside && e.index.iter().all(|i| matches!(self.moves(&i.dim), Moves::Not))
    }

    /// Where the elements that the iterations contribute to lie, if they are a part of the array.
    fn collected(&mut self, v: Value, e: &Element, n: Value) -> Option<Give> {
        let (last, before) = e.index.split_last()?;
        if before.is_empty()
            && !matches!(e.valid, Valid::If(_))
            && let Some(start) = self.wrapped(v, &last.dim, n)
        {
            return Some(Give::Wrapped(v, start));
        }
        if !before.iter().all(|i| matches!(self.moves(&i.dim), Moves::Not)) {
            return None;
        }
        let Moves::From(start) = self.moves(&last.dim) else { return None };
        if !matches!(e.valid, Valid::If(_)) {
            return Some(Give::Part(v, dims(before), start, e.valid));
        }
        let size = self.sw.shape(v)[0].clone();
        let near = self.sw.em.b.dim_of(n).sub(&size).and_then(|d| d.as_const()).is_some_and(|d| {
            // Sizes that are numbers say more: a few iterations go by most of the array.
            size.as_const().is_none_or(|size| d.unsigned_abs() <= size.unsigned_abs() / 2)
        });
        let plain = start.as_const().is_some() || shifted(&start).is_some();
        (before.is_empty() && near && plain).then_some(Give::Inside(v, start, size))
    }

    /// If an index wraps around the first axis, of as many elements as there are iterations: what is added to the iteration.
    fn wrapped(&mut self, v: Value, index: &Dim, n: Value) -> Option<i64> {
        let size = self.sw.shape(v)[0].clone();
        let (index, 0) = shifted(index)? else { return None };
        if self.sw.em.b.dim_of(n) != size {
            return None;
        }
        let made = self.sw.em.b.current().insts.iter().rev().find(|i| i.results.first() == Some(&index))?;
        let (Kind::Op(Op::Mod), &[of, by]) = (&made.kind, &made.args[..]) else { return None };
        let [of, by] = [of, by].map(|v| self.sw.em.b.dim_of(v));
        let Moves::From(start) = self.moves(&of) else { return None };
        start.as_const().filter(|c| by == size && c.unsigned_abs() < FAR)
    }

    /// Adds a part along the second axis or a later one to the sub-array that it is a part of, if it is not much less. Parts of one sub-array
    /// are added to the same.
    fn row(
        &mut self,
        v: Value,
        index: &[Place],
        start: Value,
        part: Value,
        valid: Valid,
        rows: &mut Vec<(Vec<Place>, Value, Valid)>,
    ) -> Option<()> {
        let shape = self.sw.shape(v).split_off(index.len());
        if !matches!(self.moves(&index.last()?.dim), Moves::From(_) | Moves::Not) {
            return None;
        }
        let length = self.sw.em.b.data(part).shape[0].clone();
        let rest = shape[0].sub(&length).and_then(|d| d.as_const())?;
        shape[0].as_const().is_none_or(|size| rest.unsigned_abs() <= size.unsigned_abs() / 2).then_some(())?;
        let n = self.sw.em.b.size(&length);
        let valid = self.valid_outside(valid, n);
        let mut alike = rows.iter_mut().filter(|(of, _, v)| *v == valid && dims(of) == dims(index));
        match alike.next() {
            Some((_, row, _)) => *row = self.sw.em.b.add_slice(*row, part, start),
            None => {
                let zero = self.sw.em.zero(&ValueData::array(self.ty(v).scalar(), shape));
                let row = self.sw.em.b.add_slice(zero, part, start);
                rows.push((index.to_vec(), row, valid));
            }
        }
        Some(())
    }

    /// Where an index of a loop of `n` iterations is valid behind it.
    fn valid_outside(&mut self, valid: Valid, n: Value) -> Valid {
        let all = match valid {
            Valid::Always => return valid,
            Valid::Here => Mask::new(),
            Valid::If(guard) => Mask::from_slice(&[guard]),
        };
        if self.is_positive(n) {
            return valid;
        }
        let some = self.positive(n);
        let all = self.sw.em.conjunction(&[&all[..], &[(some, true)]].concat());
        Valid::If((self.sw.em.value(all), true))
    }

    /// Whether it is known that a loop of `n` iterations has some.
    fn is_positive(&self, n: Value) -> bool {
        self.sw.em.b.dim_of(n).as_const().is_some_and(|n| n > 0)
    }

    fn positive(&mut self, n: Value) -> Value {
        let some = self.sw.em.op(Op::Gt, &[Ex::Val(n), Ex::Const(Const::I64(0))]);
        self.sw.em.value(some)
    }

    /// The start of a part that a loop of `n` iterations reads. A loop without iterations reads nothing, so it may be anywhere; what is
    /// added then is empty, and added at the front.
    fn start_of(&mut self, start: &Dim, n: Value) -> Value {
        if start.as_const() == Some(0) || self.is_positive(n) {
            return self.sw.em.b.size(start);
        }
        let (some, zero) = (self.positive(n), self.sw.int(0));
        let there = |b: &mut Builder| vec![b.size(start)];
        self.sw.em.b.if_else(some, there, |_| vec![zero])[0]
    }

    /// Adds a result of a loop of `n` iterations to a cotangent.
    fn give(&mut self, give: Give, x: Value, n: Value) {
        match give {
            Give::Accumulated(v) => self.accumulated(v, x),
            Give::Whole(v) => self.add(v, Contribution::value(x)),
            Give::At(v, index, valid) => {
                let valid = self.valid_outside(valid, n);
                let index = index.iter().map(Place::of).collect();
                self.add(v, Contribution::At { index, lin: Lin::always(Ex::Val(x)), valid });
            }
            Give::Part(v, index, start, valid) => {
                let size = self.sw.shape(v)[index.len()].clone();
                let whole = start.as_const() == Some(0) && self.sw.em.b.dim_of(n) == size;
                let index: Vec<Place> = index.iter().map(Place::of).collect();
                let bar = match (whole, index.is_empty()) {
                    (true, true) => Contribution::value(x),
                    (true, false) => {
                        let valid = self.valid_outside(valid, n);
                        Contribution::At { index, lin: Lin::always(Ex::Val(x)), valid }
                    }
                    (false, _) => {
                        let start = self.start_of(&start, n);
                        Contribution::Part { index, start, part: x, valid }
                    }
                };
                self.add(v, bar);
            }
            Give::Wrapped(v, start) => {
                let size = self.sw.shape(v)[0].clone();
                let all = {
                    let index = self.sw.em.open_with(vec![Scalar::I64.into()]);
                    let start = self.sw.int(start);
                    let em = &mut self.sw.em;
                    let t = em.b.op(Op::Sub, &[index[0], start]);
                    let t = em.b.op(Op::Mod, &[t, n]);
                    let element = em.b.index(x, &[t]);
                    let body = em.close(vec![element]);
                    em.b.build_of(&[size], body)
                };
                self.add(v, Contribution::value(all));
            }
            Give::Inside(v, start, size) => {
                let start = self.near(&start, n, &size);
                let zero = self.sw.em.constant(Const::I64(0));
                let inner = self.sw.em.b.data(x).inner(1);
                let all = {
                    let index = self.sw.em.open_with(vec![Scalar::I64.into()]);
                    let em = &mut self.sw.em;
                    let t = em.b.op(Op::Sub, &[index[0], start]);
                    let (low, high) = (em.b.op(Op::Ge, &[t, zero]), em.b.op(Op::Lt, &[t, n]));
                    let inside = em.b.op(Op::And, &[low, high]);
                    em.open();
                    let there = em.b.index(x, &[t]);
                    let then = em.close(vec![there]);
                    em.open();
                    let none = em.zero(&inner);
                    let other = em.close(vec![none]);
                    let element = em.b.if_(inside, then, other)[0];
                    let body = em.close(vec![element]);
                    em.b.build_of(&[size], body)
                };
                self.add(v, Contribution::value(all));
            }
        }
    }

    /// Where a part of `n` elements begins, brought so near to an array of this size that differences do not overflow. Of a part
    /// without a common element with the array this keeps true.
    fn near(&mut self, start: &Dim, n: Value, size: &Dim) -> Value {
        let at = self.sw.saturated(start).expect("a part begins at a number or behind a value");
        if start.as_const().is_some_and(|c| c.unsigned_abs() < FAR) {
            return at;
        }
        let zero = self.sw.int(0);
        let b = &mut self.sw.em.b;
        let end = b.size(size);
        let at = b.op(Op::Min, &[at, end]);
        let before = b.op(Op::Sub, &[zero, n]);
        b.op(Op::Max, &[at, before])
    }

    /// A comprehension: nested loops over the same indices.
    pub(super) fn build(&mut self, inst: &'a Inst, rank: usize, bar: Option<Contribution>) {
        let result = inst.results[0];
        let bar = self.dense(result, bar);
        let shape = self.sw.shape(result);
        let place = self.sw.plan.region(inst, 0);
        let ranges: Vec<[Value; 3]> = shape[..rank].iter().map(|n| self.range(n)).collect();
        let index: Vec<Value> =
            (0..rank).map(|k| self.open_loop((k + 1 == rank).then_some(place), true, Vec::new()).0).collect();
        let body = body_of(inst);
        self.sw.define(&body.params, &index);
        self.arrive_iteration(inst, &index);
        let element = self.sw.em.b.index(bar, &index);
        self.add(body.yields[0], Contribution::value(element));
        self.reversed(body, place);
        self.sw.em.begin(inst.span);
        for range in ranges.into_iter().rev() {
            self.close_loop(range, Vec::new());
        }
    }

    fn range(&mut self, n: &Dim) -> [Value; 3] {
        let n = self.sw.em.b.size(n);
        [self.sw.int(0), n, self.sw.int(1)]
    }

    /// Makes available what was collected of an iteration.
    fn arrive_iteration(&mut self, inst: &Inst, iteration: &[Value]) {
        let Some(exits) = self.sw.plan.exits(inst) else { return };
        for (v, array) in exits.given.iter().chain(&exits.collected) {
            let array = self.sw.value(*array);
            let x = self.sw.em.b.index(array, iteration);
            self.sw.define(&[*v], &[x]);
        }
    }

    pub(super) fn sum(&mut self, inst: &'a Inst, bar: Option<Contribution>) {
        let result = inst.results[0];
        let bar = self.dense(result, bar);
        let n = self.sw.iterations(inst);
        let range = [self.sw.int(0), n, self.sw.int(1)];
        let place = self.sw.plan.region(inst, 0);
        let (t, _) = self.open_loop(Some(place), true, Vec::new());
        let body = body_of(inst);
        let i = self.sw.index(inst, t);
        self.sw.define(&body.params, &[i]);
        self.add(body.yields[0], Contribution::value(bar));
        self.reversed(body, place);
        self.sw.em.begin(inst.span);
        self.close_loop(range, Vec::new());
    }

    pub(super) fn for_(
        &mut self,
        inst: &'a Inst,
        l: Loop,
        bars: impl IntoIterator<Item = Option<Contribution>>,
    ) {
        let n = self.sw.iterations(inst);
        let bars = self.loop_bars(inst, l, bars);
        self.iterations(inst, n, bars);
    }

    pub(super) fn while_(
        &mut self,
        inst: &'a Inst,
        l: Loop,
        bars: impl IntoIterator<Item = Option<Contribution>>,
    ) {
        let n = self.sw.plan.exits(inst).and_then(|e| e.count).expect("iterations are counted");
        let n = self.sw.value(n);
        let bars = self.loop_bars(inst, l, bars);
        self.iterations(inst, n, bars);
    }

    /// The cotangents of what a loop's body yields: of carries that take part, sums and elements.
    fn loop_bars(
        &mut self,
        inst: &Inst,
        l: Loop,
        bars: impl IntoIterator<Item = Option<Contribution>>,
    ) -> Vec<Option<Value>> {
        let count = carries(inst);
        let mut found: Vec<Option<Value>> = Vec::new();
        for (k, bar) in bars.into_iter().enumerate() {
            let v = inst.results[k];
            let takes_part =
                if k < count { self.sw.prepared.activity.is_active_carry(inst, k) } else { bar.is_some() };
            found.push(if takes_part { Some(self.dense(v, bar)) } else { None });
        }
        if inst.regions.len() == 2 && l.collects > 0 {
            found.remove(count);
        }
        found
    }

    /// The iterations of a loop backwards, or forwards if it carries nothing.
    fn iterations(&mut self, inst: &'a Inst, n: Value, bars: Vec<Option<Value>>) {
        let count = carries(inst);
        let sums = inst.kind.as_loop().map_or(0, |l| l.sums as usize);
        let body = body_of(inst);
        let place = self.sw.plan.region(inst, inst.regions.len() - 1);
        // What is only added to has the same cotangent in every iteration.
        let added = added_to(inst);
        let constant: Vec<usize> = (0..count).filter(|k| bars[*k].is_some() && added[*k]).collect();
        let own: Vec<usize> = (0..count).filter(|k| bars[*k].is_some() && !added[*k]).collect();
        let mut init: Vec<Value> = own.iter().filter_map(|k| bars[*k]).collect();
        let block = self.open_blocks(inst, n, &mut init);
        let data = init.iter().map(|v| self.sw.em.visible(*v)).collect();
        let range = [self.sw.int(0), n, self.sw.int(1)];
        let one = range[2];
        let exits = self.sw.plan.exits(inst);
        let stores = exits.is_some_and(|e| !e.collected.is_empty() || e.blocks.is_some());
        let gathers = own.is_empty() && !stores;
        let (t, params) = self.open_loop(Some(place), gathers, data);
        let iteration = if gathers {
            t
        } else {
            let last = self.sw.em.b.op(Op::Sub, &[n, one]);
            self.sw.em.b.op(Op::Sub, &[last, t])
        };
        let residuals =
            block.map(|length| self.arrive_block(inst, n, iteration, length, &params[own.len()..]));
        if inst.regions.len() == 1 {
            let i = self.sw.index(inst, iteration);
            self.sw.define(&body.params[..1], &[i]);
        }
        self.arrive_iteration(inst, &[iteration]);
        for (k, param) in own.iter().zip(&params) {
            self.add(body.yields[*k], Contribution::value(*param));
        }
        for k in &constant {
            self.add(body.yields[*k], Contribution::value(bars[*k].expect("it takes part")));
        }
        for (k, bar) in bars.iter().enumerate().skip(count) {
            let Some(bar) = bar else { continue };
            let of_sum = k < count + sums;
            let bar = if of_sum { *bar } else { self.sw.em.b.index(*bar, &[iteration]) };
            self.add(body.yields[k], Contribution::value(bar));
        }
        self.reversed(body, place);
        self.sw.em.begin(inst.span);
        let mut carried_on = Vec::new();
        for (k, init) in own.iter().zip(&init) {
            let param = carried(body, inst)[*k];
            let bar = self.take(param);
            let next = self.dense(param, bar);
            carried_on.push((*init, next));
        }
        carried_on.extend(init.split_off(own.len()).into_iter().zip(residuals.into_iter().flatten()));
        for k in &constant {
            // It is what it was.
            self.scope().bars.remove(&carried(body, inst)[*k]);
        }
        let found = self.close_loop(range, carried_on);
        let first = inst.args.len() - count;
        for k in constant {
            self.add(inst.args[first + k], Contribution::value(bars[k].expect("it takes part")));
        }
        for (k, bar) in own.iter().zip(found) {
            self.add(inst.args[first + k], Contribution::value(bar));
        }
    }
}

fn dims(index: &[Place]) -> Vec<Dim> {
    index.iter().map(|i| i.dim.clone()).collect()
}
