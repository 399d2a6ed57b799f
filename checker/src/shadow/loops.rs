//! Loops: one body for p and pair. The pairs of carries, and those of sums, which start from 0, are further carries; the
//! pairs of collected arrays are further collected arrays.

use super::body::{Slots, Twins};
use super::{Pair, Shadowed};
use adc_ir::*;

impl Twins<'_> {
    /// Opens a region with the parameters of `r`, then `more`, and returns the latter.
    fn opened(&mut self, r: &Region, more: Vec<ValueData>) -> Vec<Value> {
        let data: Vec<ValueData> = r.params.iter().map(|v| self.data(*v)).chain(more).collect();
        let mut params = self.a.b.open_with(data);
        let more = params.split_off(r.params.len());
        r.params.iter().zip(params).for_each(|(v, p)| self.define(*v, p));
        more
    }

    /// The pair of each parameter: two consecutive values.
    fn set_pairs(&mut self, params: &[Value], halves: &[Value]) {
        for (v, half) in params.iter().zip(halves.chunks(2)) {
            self.set_pair(*v, Pair { hi: half[0], lo: Some(half[1]) });
        }
    }

    /// A loop that collects p, hi and lo.
    pub(super) fn build(&mut self, inst: &Inst, rank: usize) {
        let r = &inst.regions[0];
        let v = inst.results[0];
        let data = self.data(v);
        let body: &mut dyn FnMut(&mut Self, &[Value]) -> Vec<Value> = &mut |h, index| {
            r.params.iter().zip(index).for_each(|(v, i)| h.define(*v, *i));
            h.region(r);
            h.a.b.set_span(inst.span);
            let (hi, lo) = h.full(r.yields[0]);
            vec![h.p(r.yields[0]), hi, lo]
        };
        let outs = self.nest(&data.shape[..rank], &mut Vec::new(), body);
        self.define(v, outs[0]);
        self.set_pair(v, Pair { hi: outs[1], lo: Some(outs[2]) });
    }

    pub(super) fn for_loop(&mut self, inst: &Inst, l: Loop) {
        let (range, init) = inst.args.split_at(3);
        let r = &inst.regions[0];
        let (count, sums) = (init.len(), l.sums as usize);
        let carried = self.paired(&inst.results[..count]);
        let summed: Vec<usize> = self.paired(&inst.results[count..count + sums]);
        let collected = self.paired(&inst.results[count + sums..]);
        let mut args = self.all_p(range);
        args.extend(self.all_p(init));
        args.extend(self.fulls(init, &carried));
        for k in &summed {
            let data = self.data(inst.results[count + k]);
            let zero = self.filled(0.0, &data);
            args.extend([zero, zero]);
        }
        let extra = args[3 + count..].iter().map(|v| self.a.b.data(*v).clone()).collect();
        let halves = self.opened(r, extra);
        let (halves, totals) = halves.split_at(2 * carried.len());
        let params: Vec<Value> = carried.iter().map(|k| r.params[1 + k]).collect();
        self.set_pairs(&params, halves);
        self.region(r);
        self.a.b.set_span(inst.span);
        let (next, gathered) = r.yields.split_at(count);
        let (terms, elements) = gathered.split_at(sums);
        let mut yields = self.all_p(next);
        yields.extend(self.fulls(next, &carried));
        for (k, total) in summed.iter().zip(totals.chunks(2)) {
            let total = Pair { hi: total[0], lo: Some(total[1]) };
            let term = self.pair(terms[*k]);
            let sum = self.added(total, term);
            let (hi, lo) = self.materialised(sum);
            yields.extend([hi, lo]);
        }
        yields.extend(self.all_p(gathered));
        yields.extend(self.fulls(elements, &collected));
        let region = self.a.b.close(yields);
        let collects = l.collects + 2 * collected.len() as u32;
        let kind = Kind::For(Loop { collects, ..l });
        let at = |from: usize, list: &[usize]| -> Vec<Value> {
            list.iter().map(|k| inst.results[from + k]).collect()
        };
        let carries = [at(0, &carried), at(count, &summed)].concat();
        let order = [
            Slots::P(&inst.results[..count]),
            Slots::Pairs(&carries),
            Slots::P(&inst.results[count..]),
            Slots::Pairs(&at(count + sums, &collected)),
        ];
        self.emit(inst, kind, &args, &order, vec![region]);
    }

    pub(super) fn while_loop(&mut self, inst: &Inst, l: Loop) {
        let count = inst.args.len();
        let carried = self.paired(&inst.results[..count]);
        let gathered = &inst.results[count..];
        let collected = match l.collects {
            0 => Vec::new(),
            _ => self.paired(&gathered[1..]),
        };
        let mut args = self.all_p(&inst.args);
        args.extend(self.fulls(&inst.args, &carried));
        let extra: Vec<ValueData> = args[count..].iter().map(|v| self.a.b.data(*v).clone()).collect();
        let [cond, body] = inst.regions.as_slice() else { unreachable!("the verifier saw it") };
        // The condition depends on p alone.
        self.opened(cond, extra.clone());
        let mut regions = vec![self.copied(cond)];
        let halves = self.opened(body, extra);
        let params: Vec<Value> = carried.iter().map(|k| body.params[*k]).collect();
        self.set_pairs(&params, &halves);
        self.region(body);
        self.a.b.set_span(inst.span);
        let (next, elements) = body.yields.split_at(count);
        let mut yields = self.all_p(next);
        yields.extend(self.fulls(next, &carried));
        yields.extend(self.all_p(elements));
        yields.extend(self.fulls(elements, &collected));
        regions.push(self.a.b.close(yields));
        let kind = Kind::While(Loop { collects: l.collects + 2 * collected.len() as u32, ..l });
        let carries: Vec<Value> = carried.iter().map(|k| inst.results[*k]).collect();
        let arrays: Vec<Value> = collected.iter().map(|k| gathered[1 + k]).collect();
        let order = [
            Slots::P(&inst.results[..count]),
            Slots::Pairs(&carries),
            Slots::P(gathered),
            Slots::Pairs(&arrays),
        ];
        self.emit(inst, kind, &args, &order, regions);
    }

    /// Sums keep their partial sums; other reductions carry p, hi and lo.
    pub(super) fn reduce(&mut self, inst: &Inst, op: ReduceOp) {
        match op {
            ReduceOp::Sum => self.for_loop(inst, Loop { sums: 1, ..Loop::default() }),
            ReduceOp::Prod => {
                let range = self.all_p(&inst.args);
                self.fold(inst, &range, 1.0, |h, x, y| {
                    (h.a.two(Op::Mul, x.p, y.p), h.a.mul(x.pair(), y.pair()))
                });
            }
            ReduceOp::Max => self.extremum(inst, Op::Max, f64::NEG_INFINITY),
            ReduceOp::Min => self.extremum(inst, Op::Min, f64::INFINITY),
            ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => {
                unreachable!("{op} gives nothing that has a pair")
            }
        }
    }

    /// The infinity it starts from is never better than a term; a reduction without terms is an error.
    fn extremum(&mut self, inst: &Inst, op: Op, start: f64) {
        let mut range = self.all_p(&inst.args);
        let number = |h: &Self, k: usize| h.a.b.dim_of(range[k]).as_const();
        let some = matches!((number(self, 0), number(self, 1)), (Some(lo), Some(hi)) if lo < hi);
        if !some {
            // The last i, or the error of an empty reduction.
            let last = self.a.b.reduce(ReduceOp::Max, [range[0], range[1], range[2]], |_, i| i);
            let one = self.a.b.constant(Const::I64(1));
            range[1] = self.a.two(Op::Add, last, one);
        }
        self.fold(inst, &range, start, |h, x, y| (h.a.two(op, x.p, y.p), h.a.extremum(op, x, y)));
    }

    /// A reduction as a loop that carries p, hi and lo, element by element for arrays.
    fn fold(
        &mut self,
        inst: &Inst,
        range: &[Value],
        start: f64,
        mut step: impl FnMut(&mut Self, Shadowed, Shadowed) -> (Value, Pair),
    ) {
        let (r, v) = (&inst.regions[0], inst.results[0]);
        let data = self.data(v);
        let (start, zero) = (self.filled(start, &data), self.filled(0.0, &data));
        let args = [range, &[start, start, zero]].concat();
        let carries = self.opened(r, vec![data.clone(); 3]);
        self.region(r);
        self.a.b.set_span(inst.span);
        let acc = Shadowed { p: carries[0], pair: Some(Pair { hi: carries[1], lo: Some(carries[2]) }) };
        let term = self.shadowed(r.yields[0]);
        let yields = self.nest(&data.shape, &mut Vec::new(), &mut |h, i| {
            let at = |h: &mut Self, t: Shadowed| match i {
                [] => t,
                _ => Shadowed { p: h.a.b.index(t.p, i), pair: t.pair.map(|pair| h.element(pair, i)) },
            };
            let (acc, term) = (at(h, acc), at(h, term));
            let (p, pair) = step(h, acc, term);
            let (hi, lo) = h.materialised(pair);
            vec![p, hi, lo]
        });
        let region = self.a.b.close(yields.to_vec());
        self.emit(
            inst,
            Kind::For(Loop::default()),
            &args,
            &[Slots::P(&[v]), Slots::Pairs(&[v])],
            vec![region],
        );
    }
}
