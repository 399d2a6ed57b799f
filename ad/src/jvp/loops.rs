//! Tangents of `if`, array builders, reductions and loops: the tangents are further results.
//!
//! A carried value has a tangent if it is active, which activity decides by a fixpoint; its initial tangent is an explicit zero
//! if there is none. Where tangents do not need what the primal computes they get a loop of their own.

use super::Forward;
use super::needs::needs_primal;
use crate::activity::{body_of, carried, carries};
use crate::emit::Ex;
use crate::linear::{Lin, Mask};
use adc_ir::{Const, Dim, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Value, ValueData};

impl Forward<'_> {
    pub(super) fn branches(&mut self, inst: &Inst, cond: Value) {
        let active: Vec<usize> =
            (0..inst.results.len()).filter(|&k| self.is_active(inst.results[k])).collect();
        // Per region: which of the active results have a tangent there.
        let mut present: Vec<Vec<bool>> = Vec::new();
        let mut regions = Vec::new();
        for region in &inst.regions {
            self.em.open();
            self.region(region);
            self.em.begin(inst.span);
            let mut yields: Vec<Value> = region.yields.iter().map(|v| self.value(*v)).collect();
            for &k in &active {
                let dot = self.tangent(region.yields[k]).cloned();
                let data = self.data(inst.results[k]);
                yields.push(self.em.dense(dot.as_ref(), &data));
            }
            present.push(active.iter().map(|&k| self.tangent(region.yields[k]).is_some()).collect());
            regions.push(self.em.close(yields));
        }
        let other = regions.pop().expect("an `if` has two regions");
        let then = regions.pop().expect("an `if` has two regions");
        self.em.begin(inst.span);
        let results = self.em.b.if_(cond, then, other);
        self.define(inst, &results);
        for (j, &k) in active.iter().enumerate() {
            let dot = results[inst.results.len() + j];
            let sides = [present[0][j], present[1][j]];
            self.tangent[inst.results[k].0 as usize] =
                self.em.joined_branches(dot, &Mask::new(), cond, sides);
        }
    }

    pub(super) fn build(&mut self, inst: &Inst) {
        let body = body_of(inst);
        let data = self.data(inst.results[0]);
        let sizes = &data.shape[..body.params.len()];
        if !self.is_active(inst.results[0]) || !needs_primal(self.prepared, self.session.rules, body) {
            let y = self.build_of(sizes, body, false);
            self.define(inst, &[y]);
            if self.is_active(inst.results[0]) {
                let dot = self.build_of(sizes, body, true);
                self.set(inst.results[0], dot);
            }
            return;
        }
        let ranges: Vec<[Value; 3]> = sizes.iter().map(|d| self.em.range(d)).collect();
        let both = self.nest(&ranges, body, 0);
        self.define(inst, &both[..1]);
        self.set(inst.results[0], both[1]);
    }

    /// An array of what a region yields, or of its tangent.
    fn build_of(&mut self, sizes: &[Dim], body: &Region, tangent: bool) -> Value {
        let params = self.em.open_with(vec![Scalar::I64.into(); sizes.len()]);
        self.define_all(&body.params, &params);
        let yields = vec![self.one(body, tangent)];
        let region = self.em.close(yields);
        self.em.b.build_of(sizes, region)
    }

    /// What a region with one result yields, or its tangent.
    fn one(&mut self, body: &Region, tangent: bool) -> Value {
        if tangent {
            self.again(body);
        } else {
            let outside = std::mem::replace(&mut self.primal_only, true);
            self.region(body);
            self.primal_only = outside;
        }
        if tangent { self.dense(body.yields[0]) } else { self.value(body.yields[0]) }
    }

    /// A region that has been emitted without tangents once more, with them.
    fn again(&mut self, body: &Region) {
        let outside = std::mem::replace(&mut self.again, true);
        self.region(body);
        self.again = outside;
    }

    /// Loops that collect an array and its tangent, one for each axis from `axis` on.
    fn nest(&mut self, ranges: &[[Value; 3]], body: &Region, axis: usize) -> Vec<Value> {
        if axis == ranges.len() {
            self.region(body);
            return vec![self.value(body.yields[0]), self.dense(body.yields[0])];
        }
        let i = self.em.open_with(vec![Scalar::I64.into()])[0];
        self.define_all(&body.params[axis..=axis], &[i]);
        let yields = self.nest(ranges, body, axis + 1);
        let region = self.em.close(yields);
        self.em.b.for_of(Loop::collecting(2), ranges[axis], &[], region).to_vec()
    }

    pub(super) fn reduce(&mut self, op: ReduceOp, inst: &Inst, args: &[Value]) {
        let body = body_of(inst);
        let active = self.is_active(inst.results[0]);
        let range = [args[0], args[1], args[2]];
        match op {
            _ if !active => self.reduction(op, inst, range),
            ReduceOp::Sum if needs_primal(self.prepared, self.session.rules, body) => {
                let l = Loop { sums: 2, ..Loop::default() };
                let region = self.iteration(body, |fwd| {
                    fwd.region(body);
                    vec![fwd.value(body.yields[0]), fwd.dense(body.yields[0])]
                });
                let sums = self.em.b.for_of(l, range, &[], region);
                self.define(inst, &sums[..1]);
                self.set(inst.results[0], sums[1]);
            }
            ReduceOp::Sum => {
                self.reduction(op, inst, range);
                let region = self.iteration(body, |fwd| vec![fwd.one(body, true)]);
                let dot = self.em.b.infer(Kind::Reduce(op), &range, vec![region])[0];
                self.set(inst.results[0], dot);
            }
            ReduceOp::Prod => self.product(inst, range),
            ReduceOp::Max | ReduceOp::Min => self.extremum(op, inst, range),
            ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => {
                unreachable!("no derivative flows here")
            }
        }
    }

    /// A reduction without tangents.
    fn reduction(&mut self, op: ReduceOp, inst: &Inst, range: [Value; 3]) {
        let body = body_of(inst);
        let region = self.iteration(body, |fwd| vec![fwd.one(body, false)]);
        let y = self.em.b.infer(Kind::Reduce(op), &range, vec![region])[0];
        self.define(inst, &[y]);
    }

    /// A region with the index of `body` as its parameter.
    fn iteration(&mut self, body: &Region, yields: impl FnOnce(&mut Self) -> Vec<Value>) -> Region {
        let i = self.em.open_with(vec![Scalar::I64.into()]);
        self.define_all(&body.params, &i);
        let yields = yields(self);
        self.em.close(yields)
    }

    /// Carries p and ṗ: p·y and ṗ·y + p·ẏ. Nothing is divided.
    fn product(&mut self, inst: &Inst, range: [Value; 3]) {
        let body = body_of(inst);
        let data = self.data(inst.results[0]);
        let one = self.em.constant(Const::real(1.0, data.ty.scalar()));
        let one = if data.ty.is_array() { self.em.b.fill(one, &data.shape) } else { one };
        let zero = self.em.zero(&data);
        let params = self.em.open_with(vec![Scalar::I64.into(), data.clone(), data]);
        self.define_all(&body.params, &params[..1]);
        let (p, p_dot) = (params[1], params[2]);
        self.region(body);
        let (y, y_dot) = (self.value(body.yields[0]), self.dense(body.yields[0]));
        let next = self.em.each(Op::Mul, &[p, y]);
        let (a, b) = (self.em.each(Op::Mul, &[p_dot, y]), self.em.each(Op::Mul, &[p, y_dot]));
        let next_dot = self.em.each(Op::Add, &[a, b]);
        let region = self.em.close(vec![next, next_dot]);
        let results = self.em.b.for_of(Loop::default(), range, &[one, zero], region);
        self.define(inst, &results[..1]);
        self.set(inst.results[0], results[1]);
    }

    /// The mean of the tangents of all that attain the extremum.
    fn extremum(&mut self, op: ReduceOp, inst: &Inst, range: [Value; 3]) {
        self.reduction(op, inst, range);
        let (body, extremum) = (body_of(inst), self.value(inst.results[0]));
        let elem = self.em.b.ty(extremum).scalar();
        let l = Loop { sums: 2, ..Loop::default() };
        let region = self.iteration(body, |fwd| {
            fwd.again(body);
            let (y, dot) = (fwd.value(body.yields[0]), fwd.dense(body.yields[0]));
            let zero = fwd.em.constant(Const::zero(elem));
            let one = fwd.em.constant(Const::real(1.0, elem));
            let attains = fwd.em.b.op(Op::Eq, &[y, extremum]);
            let share = fwd.em.b.op(Op::Select, &[attains, dot, zero]);
            vec![share, fwd.em.b.op(Op::Select, &[attains, one, zero])]
        });
        let sums = self.em.b.for_of(l, range, &[], region);
        let mean = self.em.b.op(Op::Div, &[sums[0], sums[1]]);
        self.set(inst.results[0], mean);
    }

    pub(super) fn for_loop(&mut self, l: Loop, inst: &Inst, args: &[Value]) {
        let plan = self.loop_plan(l, inst);
        let (initial, data) = self.initial(inst, &plan);
        let params = self.em.open_with([vec![Scalar::I64.into()], data].concat());
        self.define_all(&body_of(inst).params[..1], &params[..1]);
        self.enter(body_of(inst), inst, &plan, &params[1..]);
        let region = self.loop_body(inst, &plan);
        let results = self.em.b.for_of(plan.with_tangents, [args[0], args[1], args[2]], &initial, region);
        self.leave(inst, &plan, &results, 0);
    }

    pub(super) fn while_loop(&mut self, l: Loop, inst: &Inst, _: &[Value]) {
        let plan = self.loop_plan(l, inst);
        let (initial, data) = self.initial(inst, &plan);
        let params = self.em.open_with(data.clone());
        let cond = &inst.regions[0];
        self.define_all(&cond.params, &params[..plan.carries]);
        let go_on = self.one(cond, false);
        let cond = self.em.close(vec![go_on]);
        let params = self.em.open_with(data);
        self.enter(body_of(inst), inst, &plan, &params);
        let region = self.loop_body(inst, &plan);
        let results = self.em.b.while_of(plan.with_tangents, &initial, cond, region);
        self.leave(inst, &plan, &results, usize::from(l.collects > 0));
    }

    /// Which results of a loop get a tangent.
    fn loop_plan(&self, l: Loop, inst: &Inst) -> LoopPlan {
        let carries = carries(inst);
        let gathered = inst.results.len() - (l.sums + l.collects) as usize;
        let (sums, collects) = (l.sums as usize, l.collects as usize);
        let active = |r: &usize| self.is_active(inst.results[*r]);
        let carry = |k: &usize| !self.primal_only && self.prepared.activity.is_active_carry(inst, *k);
        let active_carries: Vec<usize> = (0..carries).filter(carry).collect();
        let active_sums: Vec<usize> = (gathered..gathered + sums).filter(active).collect();
        let collected = gathered + sums..gathered + sums + collects;
        let active_collects: Vec<usize> = collected.filter(active).collect();
        let with_tangents = Loop {
            sums: l.sums + active_sums.len() as u32,
            collects: l.collects + active_collects.len() as u32,
            checkpoint: l.checkpoint,
        };
        LoopPlan { plain: l, with_tangents, carries, gathered, active_carries, active_sums, active_collects }
    }

    /// Initial carries and their tangents, with their types.
    fn initial(&mut self, inst: &Inst, plan: &LoopPlan) -> (Vec<Value>, Vec<ValueData>) {
        let first = inst.args.len() - plan.carries;
        let mut values: Vec<Value> = inst.args[first..].iter().map(|v| self.value(*v)).collect();
        let mut data: Vec<ValueData> = inst.args[first..].iter().map(|v| self.data(*v)).collect();
        for k in &plan.active_carries {
            let dot = self.dense(inst.args[first + k]);
            values.push(dot);
            data.push(data[*k].clone());
        }
        (values, data)
    }

    /// Makes the parameters of a loop's region known.
    fn enter(&mut self, region: &Region, inst: &Inst, plan: &LoopPlan, params: &[Value]) {
        let primal = carried(region, inst);
        self.define_all(primal, &params[..plan.carries]);
        primal.iter().for_each(|v| self.tangent[v.0 as usize] = None);
        for (k, dot) in plan.active_carries.iter().zip(&params[plan.carries..]) {
            self.set(primal[*k], *dot);
        }
    }

    /// The body, with tangents behind each group of what it yields.
    fn loop_body(&mut self, inst: &Inst, plan: &LoopPlan) -> Region {
        let body = body_of(inst);
        self.region(body);
        let (carries, sums) = (plan.carries, plan.plain.sums as usize);
        let offset = plan.gathered - carries;
        let groups = [
            (0..carries, &plan.active_carries, 0),
            (carries..carries + sums, &plan.active_sums, offset),
            (carries + sums..body.yields.len(), &plan.active_collects, offset),
        ];
        let mut yields = Vec::new();
        for (range, active, offset) in groups {
            yields.extend(body.yields[range].iter().map(|v| self.value(*v)));
            for r in active {
                yields.push(self.dense(body.yields[r - offset]));
            }
        }
        self.em.close(yields)
    }

    /// Takes the results of a loop apart; `iterations`: the number of them that say how often it ran.
    fn leave(&mut self, inst: &Inst, plan: &LoopPlan, results: &[Value], iterations: usize) {
        let (sums, collects) = (plan.plain.sums as usize, plan.plain.collects as usize);
        let groups = [
            (0, plan.carries, &plan.active_carries[..]),
            (plan.carries, iterations, &[]),
            (plan.gathered, sums, &plan.active_sums),
            (plan.gathered + sums, collects, &plan.active_collects),
        ];
        let mut at = 0;
        for (first, count, active) in groups {
            self.define_all(&inst.results[first..first + count], &results[at..at + count]);
            at += count;
            for r in active {
                self.set(inst.results[*r], results[at]);
                at += 1;
            }
        }
    }

    fn define_all(&mut self, primal: &[Value], values: &[Value]) {
        for (v, value) in primal.iter().zip(values) {
            self.primal[v.0 as usize] = Some(*value);
        }
    }

    fn set(&mut self, v: Value, dot: Value) {
        self.tangent[v.0 as usize] = Some(Lin::always(Ex::Val(dot)));
    }
}

/// Which results of a loop get a tangent.
struct LoopPlan {
    plain: Loop,
    with_tangents: Loop,
    carries: usize,
    /// Position of the first result that is a sum or collected.
    gathered: usize,
    /// Positions among the results.
    active_carries: Vec<usize>,
    active_sums: Vec<usize>,
    active_collects: Vec<usize>,
}
