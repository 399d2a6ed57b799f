//! Copies of loops with what leaves them for the reverse sweep: arrays that they collect, snapshots of their carries, the
//! number of their iterations.

use super::{Part, Sweep};
use crate::activity::{body_of, carries};
use crate::plan::Bounds;
use crate::storage::{Blocks, WHILE_BLOCK};
use adc_ir::{Const, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Value, ValueData};

impl<'a> Sweep<'a> {
    /// lo, hi and step of a loop over an index, with its number of iterations in place of them: 0, n, 1.
    pub(crate) fn iterations(&mut self, inst: &Inst) -> Value {
        let Bounds { plain, .. } = self.plan.bounds(self.func(), inst);
        let [lo, hi, step] = [0, 1, 2].map(|k| inst.args[k]);
        if plain {
            return self.value(hi);
        }
        if let Some(n) = self.counts.get(&inst.results[0]) {
            return *n;
        }
        let [lo, hi, step] = [lo, hi, step].map(|v| self.value(v));
        self.iterations_of(lo, hi, step)
    }

    /// ⌈(hi − lo)/step⌉, by numbers that do not overflow where a loop ends in time.
    pub(super) fn iterations_of(&mut self, lo: Value, hi: Value, step: Value) -> Value {
        let [zero, one] = [0, 1].map(|n| self.int(n));
        match self.em.b.dim_of(step).as_const() {
            Some(1) => self.distance(lo, hi),
            Some(2..) => {
                let n = self.distance(lo, hi);
                let last = self.em.b.op(Op::Sub, &[n, one]);
                let last = self.em.b.op(Op::Idiv, &[last, step]);
                self.em.b.op(Op::Add, &[last, one])
            }
            // A step that is not positive is the same error as in the loop itself.
            _ => self.em.b.for_([lo, hi, step], &[zero], |b, _, n| vec![b.op(Op::Add, &[n[0], one])])[0],
        }
    }

    /// hi − lo, or 0 if hi is less.
    fn distance(&mut self, lo: Value, hi: Value) -> Value {
        let (from, to) = (self.em.b.dim_of(lo), self.em.b.dim_of(hi));
        if let Some(known) = to.sub(&from).and_then(|d| d.as_const()) {
            return self.int(known.max(0));
        }
        let end = self.em.b.op(Op::Max, &[hi, lo]);
        if from.as_const() == Some(0) { end } else { self.em.b.op(Op::Sub, &[end, lo]) }
    }

    /// The index of a loop in iteration `t`.
    pub(crate) fn index(&mut self, inst: &Inst, t: Value) -> Value {
        let known = &self.plan.known;
        let [lo, step] = [inst.args[0], inst.args[2]];
        let (from_zero, by_one) =
            (known.dim(lo).as_const() == Some(0), known.dim(step).as_const() == Some(1));
        let scaled = if by_one {
            t
        } else {
            let step = self.value(step);
            self.em.b.op(Op::Mul, &[t, step])
        };
        if from_zero {
            return scaled;
        }
        let lo = self.value(lo);
        self.em.b.op(Op::Add, &[lo, scaled])
    }

    /// The carries of a loop that are live, and its other results: sums and collected arrays, the latter by position.
    fn gathered(&self, inst: &Inst, l: Loop, part: Part) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let count = carries(inst);
        let number = usize::from(matches!(inst.kind, Kind::While(_)) && l.collects > 0);
        let live = |k: &usize| self.is_live(part, inst.results[*k]);
        let carried = (0..count).filter(live).collect();
        let first = count + l.sums as usize;
        let sums = (count..first).filter(live).collect();
        let mut collects: Vec<usize> = (first..first + l.collects as usize)
            .filter(|k| self.is_live(part, inst.results[*k + number]))
            .collect();
        if number == 1 && collects.is_empty() && live(&count) {
            collects.push(first);
        }
        (carried, sums, collects)
    }

    pub(super) fn for_(&mut self, inst: &'a Inst, l: Loop, part: Part) {
        let (carried, sums, collects) = self.gathered(inst, l, part);
        let plan = self.plan;
        let leaving = plan.exits(inst).map_or(&[][..], |e| &e.collected);
        let leaving: Vec<(Value, Value)> =
            leaving.iter().filter(|(_, e)| self.is_live(part, *e)).copied().collect();
        let snapshots = self.snapshots(inst, part);
        let counted = !leaving.is_empty() || !snapshots.is_empty();
        let range = if counted {
            let n = self.iterations(inst);
            [self.int(0), n, self.int(1)]
        } else {
            [0, 1, 2].map(|k| self.value(inst.args[k]))
        };
        let body = &inst.regions[0];
        let mut init: Vec<Value> = carried.iter().map(|k| self.value(inst.args[3 + k])).collect();
        let block = plan.exits(inst).and_then(|e| e.blocks.as_ref()).filter(|_| !snapshots.is_empty());
        let block = block.map(|b| self.block_length(range[1], b.blocks));
        for (k, _) in &snapshots {
            let start = self.value(inst.args[3 + k]);
            let data = self.em.visible(start);
            let count = self.blocks(range[1], block.expect("there are snapshots"));
            let count = self.em.b.dim_of(count);
            init.push(self.em.zero(&data.outer(&[count])));
        }
        let mut data: Vec<ValueData> = vec![Scalar::I64.into()];
        data.extend(init.iter().map(|v| self.em.b.data(*v).clone()));
        let params = self.open(data);
        let i = if counted { self.index(inst, params[0]) } else { params[0] };
        self.define(&body.params[..1], &[i]);
        let own: Vec<Value> = carried.iter().map(|k| body.params[1 + k]).collect();
        self.define(&own, &params[1..]);
        let kept =
            block.map(|b| self.take_snapshots(inst, params[0], b, &snapshots, &params[1 + carried.len()..]));
        self.copy(body, part);
        self.em.begin(inst.span);
        let yielded = carried.iter().chain(&sums).chain(&collects).map(|k| body.yields[*k]);
        let yielded: Vec<Value> = yielded.chain(leaving.iter().map(|(v, _)| *v)).collect();
        let mut yields = self.values(&yielded);
        yields.splice(carried.len()..carried.len(), kept.into_iter().flatten());
        let region = self.close(yields);
        let (sum, collect) = (sums.len() as u32, (collects.len() + leaving.len()) as u32);
        let values = self.em.b.for_of(Loop { sums: sum, collects: collect, ..l }, range, &init, region);
        let results = carried.iter().map(|k| inst.results[*k]).chain(snapshots.iter().map(|(_, e)| *e));
        let results = results.chain(sums.iter().chain(&collects).map(|k| inst.results[*k]));
        let results: Vec<Value> = results.chain(leaving.iter().map(|(_, e)| *e)).collect();
        self.define(&results, &values);
    }

    /// The snapshots that are live.
    fn snapshots(&self, inst: &Inst, part: Part) -> Vec<(usize, Value)> {
        let Some(blocked) = self.plan.exits(inst).and_then(|e| e.blocks.as_ref()) else { return Vec::new() };
        blocked.snapshots.iter().filter(|(_, e)| self.is_live(part, *e)).copied().collect()
    }

    /// The number of iterations between two snapshots of a loop of `n` iterations.
    pub(crate) fn block_length(&mut self, n: Value, blocks: Blocks) -> Value {
        let one = self.int(1);
        let b = &mut self.em.b;
        let length = match blocks {
            Blocks::Single | Blocks::Initial => n,
            Blocks::Sqrt => {
                let n = b.op(Op::ToF64, &[n]);
                let root = b.op(Op::Sqrt, &[n]);
                let root = b.op(Op::Ceil, &[root]);
                b.op(Op::ToI64, &[root])
            }
            Blocks::Count(k) => {
                let k = self.int(i64::from(k.max(1)));
                self.blocks(n, k)
            }
        };
        self.em.b.op(Op::Max, &[length, one])
    }

    /// The number of blocks of a length in `n` iterations.
    fn blocks(&mut self, n: Value, length: Value) -> Value {
        let one = self.int(1);
        let last = self.em.b.op(Op::Sub, &[length, one]);
        let sum = self.em.b.op(Op::Add, &[n, last]);
        self.em.b.op(Op::Idiv, &[sum, length])
    }

    /// At the beginning of an iteration: the arrays of snapshots, with the carries if a block begins.
    fn take_snapshots(
        &mut self,
        inst: &'a Inst,
        t: Value,
        length: Value,
        snapshots: &[(usize, Value)],
        arrays: &[Value],
    ) -> Vec<Value> {
        let zero = self.int(0);
        let params = &body_of(inst).params;
        let first = params.len() - carries(inst);
        let carried: Vec<Value> = snapshots.iter().map(|(k, _)| self.value(params[first + k])).collect();
        let b = &mut self.em.b;
        let rest = b.op(Op::Mod, &[t, length]);
        // The writes come second: behind them nobody needs the arrays as they were.
        let goes_on = b.op(Op::Ne, &[rest, zero]);
        let write = |b: &mut adc_ir::Builder| {
            let block = b.op(Op::Idiv, &[t, length]);
            arrays.iter().zip(&carried).map(|(a, c)| b.update(*a, *c, &[block])).collect()
        };
        b.if_else(goes_on, |_| arrays.to_vec(), write).to_vec()
    }

    pub(super) fn while_(&mut self, inst: &'a Inst, l: Loop, part: Part) {
        let (carried, _, collects) = self.gathered(inst, l, part);
        let plan = self.plan;
        let exits = plan.exits(inst);
        let leaving = exits.map_or(&[][..], |e| &e.collected);
        let leaving: Vec<(Value, Value)> =
            leaving.iter().filter(|(_, e)| self.is_live(part, *e)).copied().collect();
        let count = exits.and_then(|e| e.count).filter(|n| self.is_live(part, *n));
        let snapshots = self.snapshots(inst, part);
        // Without arrays that say it, a carry counts the iterations.
        let counter = count.filter(|_| leaving.is_empty() && collects.is_empty());
        let mut init: Vec<Value> = carried.iter().map(|k| self.value(inst.args[*k])).collect();
        if counter.is_some() || !snapshots.is_empty() {
            init.push(self.int(0));
        }
        let data: Vec<ValueData> = init.iter().map(|v| self.em.b.data(*v).clone()).collect();
        let condition = self.condition(inst, &carried, data.clone(), part, None);
        if !snapshots.is_empty() {
            return self.blocks_of_while(inst, l, &carried, count, &snapshots, (init, data, condition), part);
        }
        let params = self.open(data);
        let body = body_of(inst);
        self.define(&kept_params(body, &carried), &params);
        self.copy(body, part);
        self.em.begin(inst.span);
        let mut yields: Vec<Value> = carried.iter().map(|k| self.value(body.yields[*k])).collect();
        if counter.is_some() {
            yields.push(self.next(params[carried.len()]));
        }
        let elements = collects.iter().map(|k| body.yields[*k]).chain(leaving.iter().map(|(v, _)| *v));
        let elements: Vec<Value> = elements.collect();
        yields.extend(self.values(&elements));
        let region = self.close(yields);
        let l = Loop { collects: elements.len() as u32, ..l };
        let values = self.em.b.while_of(l, &init, condition, region);
        let mut results: Vec<Value> = carried.iter().map(|k| inst.results[*k]).collect();
        results.extend(counter);
        self.define(&results, &values);
        if !elements.is_empty() {
            let found = &values[results.len()..];
            let own = inst.kind.as_loop().is_some_and(|l| l.collects > 0);
            let own = own.then(|| inst.results[carries(inst)]);
            for n in own.into_iter().chain(count) {
                self.define(&[n], &found[..1]);
            }
            let arrays = collects.iter().map(|k| inst.results[*k + 1]).chain(leaving.iter().map(|(_, e)| *e));
            self.define(&arrays.collect::<Vec<Value>>(), &found[1..]);
        }
    }

    fn next(&mut self, n: Value) -> Value {
        let one = self.int(1);
        self.em.b.op(Op::Add, &[n, one])
    }

    /// The condition of a `while` whose carries are `data`, for at most `most` iterations, which the last carry counts.
    fn condition(
        &mut self,
        inst: &'a Inst,
        carried: &[usize],
        data: Vec<ValueData>,
        part: Part,
        most: Option<Value>,
    ) -> Region {
        let params = self.open(data);
        let cond = &inst.regions[0];
        self.define(&kept_params(cond, carried), &params);
        self.copy(cond, part);
        self.em.begin(inst.span);
        let mut goes_on = self.value(cond.yields[0]);
        if let (Some(most), Some(n)) = (most, params.last()) {
            let more = self.em.b.op(Op::Lt, &[*n, most]);
            goes_on = self.em.b.op(Op::And, &[more, goes_on]);
        }
        self.close(vec![goes_on])
    }

    /// A `while` in blocks of iterations: one that collects the carries at their beginnings around another. The last carry is
    /// the number of iterations.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn blocks_of_while(
        &mut self,
        inst: &'a Inst,
        l: Loop,
        carried: &[usize],
        count: Option<Value>,
        snapshots: &[(usize, Value)],
        (init, data, condition): (Vec<Value>, Vec<ValueData>, Region),
        part: Part,
    ) {
        let body = body_of(inst);
        let last = carried.len();
        let block = self.open(data.clone());
        let kept: Vec<Value> = (snapshots.iter())
            .map(|(k, _)| block[carried.iter().position(|c| c == k).expect("a snapshot's carry is live")])
            .collect();
        let most = self.int(WHILE_BLOCK);
        let inner = self.condition(inst, carried, data.clone(), part, Some(most));
        let params = self.open(data);
        self.define(&kept_params(body, carried), &params);
        self.copy(body, part);
        self.em.begin(inst.span);
        let mut yields: Vec<Value> = carried.iter().map(|k| self.value(body.yields[*k])).collect();
        yields.push(self.next(params[last]));
        let iteration = self.close(yields);
        let mut start = block.clone();
        start[last] = self.int(0);
        let values = self.em.b.while_of(Loop { collects: 0, ..l }, &start, inner, iteration);
        let mut yields = values.to_vec();
        yields[last] = self.em.b.op(Op::Add, &[block[last], values[last]]);
        yields.extend(kept);
        let region = self.close(yields);
        let l = Loop { collects: snapshots.len() as u32, ..l };
        let values = self.em.b.while_of(l, &init, condition, region);
        let results: Vec<Value> = carried.iter().map(|k| inst.results[*k]).collect();
        self.define(&results, &values);
        if let Some(count) = count {
            self.define(&[count], &values[last..]);
        }
        let arrays: Vec<Value> = snapshots.iter().map(|(_, e)| *e).collect();
        self.define(&arrays, &values[last + 2..]);
    }

    /// A `max` or `min` with the indices of the last term that attains it and of the first, those of the range if it is NaN: which terms are
    /// NaN is not found out here.
    pub(super) fn extremum(&mut self, op: ReduceOp, inst: &'a Inst, found: [Value; 2], part: Part) {
        let args = self.values(&inst.args);
        let ty = self.func().ty(inst.results[0]).scalar();
        let (least, better, as_good, best) = match op {
            ReduceOp::Max => (f64::NEG_INFINITY, Op::Gt, Op::Ge, Op::Max),
            _ => (f64::INFINITY, Op::Lt, Op::Le, Op::Min),
        };
        // Over nothing it is the same error as the reduction, in one iteration at most.
        let one = self.int(1);
        let second = self.em.b.op(Op::Add, &[args[0], one]);
        let second = self.em.b.op(Op::Min, &[second, args[1]]);
        let first = self.em.b.reduce(ReduceOp::Max, [args[0], second, args[2]], |_, i| i);
        let start = [self.em.constant(Const::real(least, ty)), first, first];
        let data = [ty, Scalar::I64, Scalar::I64].map(ValueData::from);
        let params = self.open([&[Scalar::I64.into()][..], &data].concat());
        let body = body_of(inst);
        self.define(&body.params, &params[..1]);
        self.copy(body, part);
        self.em.begin(inst.span);
        let y = self.value(body.yields[0]);
        let (i, [extremum, last, first]) = (params[0], [params[1], params[2], params[3]]);
        let b = &mut self.em.b;
        let (new, same) = (b.op(better, &[y, extremum]), b.op(as_good, &[y, extremum]));
        let next = b.op(best, &[extremum, y]);
        let last = b.op(Op::Select, &[same, i, last]);
        let first = b.op(Op::Select, &[new, i, first]);
        let region = self.close(vec![next, last, first]);
        let b = &mut self.em.b;
        let values = b.for_of(Loop::default(), [args[0], args[1], args[2]], &start, region);
        let nan = b.op(Op::IsNan, &[values[0]]);
        let end = b.op(Op::Sub, &[args[1], one]);
        let mut place = |at: Value, of_nan: Value| {
            // It is between them; now passes over bounds know.
            let at = b.op(Op::Min, &[at, end]);
            let at = b.op(Op::Max, &[at, args[0]]);
            b.op(Op::Select, &[nan, of_nan, at])
        };
        let places = [place(values[1], end), place(values[2], args[0])];
        self.define(&[inst.results[0], found[0], found[1]], &[values[0], places[0], places[1]]);
    }
}

/// The parameters of a loop's region for some of its carries, which are its last ones.
fn kept_params(region: &Region, carried: &[usize]) -> Vec<Value> {
    carried.iter().map(|k| region.params[*k]).collect()
}
