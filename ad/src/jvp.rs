//! Forward mode: every active instruction is followed by the tangents of its results.

use crate::calls::{frozen, partial_rule};
use crate::emit::{Emitter, Ex, Operands};
use crate::linear::{Lin, Mask};
use crate::rules::rule;
use crate::session::{Prepared, Session, Treatment};
use adc_ir::{Const, Func, FuncId, Inst, Kind, Op, Region, Smoothness, Type, Value, ValueData};
use smallvec::SmallVec;

/// The JVP program of a prepared function.
pub(crate) fn build(session: &Session, prepared: &Prepared, name: String) -> Func {
    let func = &prepared.func;
    let (em, params) = Emitter::like(func, name);
    let count = func.values.len();
    let mut fwd = Forward {
        session,
        prepared,
        em,
        primal: vec![None; count],
        literal: vec![None; count],
        tangent: vec![None; count],
    };
    for (p, value) in func.params.iter().zip(params) {
        fwd.primal[p.value.0 as usize] = Some(value);
    }
    for &i in &prepared.wrt {
        let p = &func.params[i];
        fwd.em.begin(p.span);
        let value = fwd.em.param(&format!("{}_dot", p.name), fwd.data(p.value));
        fwd.tangent[p.value.0 as usize] = Some(Lin::always(Ex::Val(value)));
    }
    let body = func.region().expect("a function with a body");
    fwd.region(body);
    fwd.em.begin(func.span);
    let mut results: Vec<(String, Value)> =
        func.results.iter().zip(&body.yields).map(|(r, v)| (r.name.clone(), fwd.value(*v))).collect();
    for o in func.differentiable_results() {
        let v = body.yields[o];
        let data = fwd.data(v);
        let dot = fwd.em.dense(fwd.tangent[v.0 as usize].as_ref(), &data);
        results.push((format!("{}_dot", func.results[o].name), dot));
    }
    fwd.em.finish(func, results)
}

struct Forward<'a> {
    session: &'a Session<'a>,
    prepared: &'a Prepared,
    em: Emitter,
    /// Per primal value: the same value in the function that is built,
    primal: Vec<Option<Value>>,
    /// its literal if it is one,
    literal: Vec<Option<Const>>,
    /// its tangent if it has one.
    tangent: Vec<Option<Lin>>,
}

impl Forward<'_> {
    fn value(&self, v: Value) -> Value {
        self.primal[v.0 as usize].expect("definitions come before uses")
    }

    /// Type and sizes of a primal value in the function that is built.
    fn data(&self, v: Value) -> ValueData {
        let data = self.prepared.func.data(v);
        ValueData { ty: data.ty, shape: data.shape.iter().map(|d| d.rename(|v| self.value(v))).collect() }
    }

    fn operand(&self, v: Value) -> Ex {
        self.literal[v.0 as usize].map_or_else(|| Ex::Val(self.value(v)), Ex::Const)
    }

    fn tangent(&self, v: Value) -> Option<&Lin> {
        self.tangent[v.0 as usize].as_ref()
    }

    fn define(&mut self, inst: &Inst, values: &[Value]) {
        for (result, value) in inst.results.iter().zip(values) {
            self.primal[result.0 as usize] = Some(*value);
        }
    }

    fn is_active(&self, v: Value) -> bool {
        self.prepared.activity.is_active(v)
    }

    fn region(&mut self, region: &Region) {
        for inst in &region.insts {
            self.em.begin(inst.span);
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let args: SmallVec<[Value; 3]> = inst.args.iter().map(|a| self.value(*a)).collect();
        match &inst.kind {
            Kind::Const(c) => {
                self.literal[inst.results[0].0 as usize] = Some(*c);
                let value = self.em.constant(*c);
                self.define(inst, &[value]);
            }
            Kind::Op(op) => {
                let y = self.em.b.op(*op, &args);
                self.define(inst, &[y]);
                if self.is_active(inst.results[0]) {
                    self.tangent[inst.results[0].0 as usize] = self.op_tangent(*op, inst);
                }
            }
            Kind::Call(f) => self.call(*f, inst, &args),
            Kind::If => self.branches(inst, args[0]),
            Kind::Assert(guard) => self.em.b.assert(guard.clone(), args[0]),
            kind => kind.refused(),
        }
    }

    fn op_tangent(&mut self, op: Op, inst: &Inst) -> Option<Lin> {
        let func = &self.prepared.func;
        if let Some(dot) = self.linear_op_tangent(op, inst) {
            return Some(dot);
        }
        let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| func.ty(*a)).collect();
        let result = func.ty(inst.results[0]);
        let row = rule(op, &types);
        let on = Operands {
            x: inst.args.iter().map(|a| self.operand(*a)).collect(),
            y: Some(self.operand(inst.results[0])),
            real: result.scalar().real(),
        };
        let mut terms = Vec::new();
        for (i, arg) in inst.args.iter().enumerate() {
            if let Some(dot) = self.tangent(*arg).cloned() {
                terms.extend(self.em.push_forward(row.partial(i), &on, result, &dot));
            }
        }
        self.em.sum(terms)
    }

    /// An op that is linear in all operands together acts on the tangents as it does on the operands, if all of
    /// them have one.
    fn linear_op_tangent(&mut self, op: Op, inst: &Inst) -> Option<Lin> {
        if op.info().smooth != Smoothness::Linear || op == Op::Select {
            return None;
        }
        let dots: Option<Vec<Lin>> = inst.args.iter().map(|a| self.tangent(*a).cloned()).collect();
        let dots = dots?;
        let mask = &dots[0].mask;
        if dots.iter().any(|d| d.mask != *mask) {
            return None;
        }
        let operands: Vec<Ex> = dots
            .iter()
            .zip(&inst.args)
            .map(|(d, a)| {
                let promoted = op == Op::ToC;
                if promoted { Ex::Val(self.em.promoted(d.x, self.prepared.func.ty(*a))) } else { d.x }
            })
            .collect();
        Some(Lin { x: self.em.op(op, &operands), mask: mask.clone() })
    }

    fn branches(&mut self, inst: &Inst, cond: Value) {
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

    fn call(&mut self, callee: FuncId, inst: &Inst, args: &[Value]) {
        let first = inst.results.first();
        let Some(call) = first.and_then(|v| self.prepared.calls.get(v)) else {
            let values = self.em.b.call_of(self.session.m, callee, args);
            return self.define(inst, &values);
        };
        match &call.treatment {
            Treatment::Derived(program) => {
                let jvp = self.session.existing(program).expect("made before its callers")[0];
                let (dots, mask) = self.dots(inst, &call.wrt);
                let all = [args, &dots].concat();
                let values = self.em.b.call_of(self.session.m, jvp, &all);
                self.define(inst, &values);
                let results = self.session.m.func(callee).differentiable_results();
                for (k, r) in results.into_iter().enumerate() {
                    let dot = Lin { x: Ex::Val(values[inst.results.len() + k]), mask: mask.clone() };
                    self.set_if_active(inst.results[r], dot);
                }
            }
            Treatment::Linear(rule) => {
                let values = self.em.b.call_of(self.session.m, callee, args);
                self.define(inst, &values);
                let callee = self.session.m.func(callee);
                let (dots, mask) = self.dots(inst, &callee.differentiable_params());
                let args = frozen(&mut self.em, callee, args);
                let all = [&args[..], &values, &dots].concat();
                let rule = self.session.rule_func(rule);
                let found = self.em.b.call_of(self.session.m, rule, &all);
                for (k, r) in callee.differentiable_results().into_iter().enumerate() {
                    self.set_if_active(inst.results[r], Lin { x: Ex::Val(found[k]), mask: mask.clone() });
                }
            }
            Treatment::Partial { func: rule, holomorphic } => {
                let values = self.em.b.call_of(self.session.m, callee, args);
                self.define(inst, &values);
                let args = frozen(&mut self.em, self.session.m.func(callee), args);
                let all = [&args[..], &values].concat();
                let found = self.em.b.call_of(self.session.m, *rule, &all);
                let result = self.prepared.func.ty(inst.results[0]);
                let mut terms = Vec::new();
                for p in partial_rule(self.session.m.func(callee), holomorphic, &found) {
                    let arg = inst.args[p.param];
                    if let (true, Some(dot)) = (call.wrt.contains(&p.param), self.tangent(arg).cloned()) {
                        terms.extend(self.em.push_forward(&p.partial, &p.operands, result, &dot));
                    }
                }
                self.tangent[inst.results[0].0 as usize] = self.em.sum(terms);
            }
        }
    }

    fn set_if_active(&mut self, v: Value, dot: Lin) {
        if self.is_active(v) {
            self.tangent[v.0 as usize] = Some(dot);
        }
    }

    /// The tangents of the arguments at `positions` as values, and the mask they share.
    fn dots(&mut self, inst: &Inst, positions: &[usize]) -> (Vec<Value>, Mask) {
        let args: Vec<Value> = positions.iter().map(|&i| inst.args[i]).collect();
        let dots: Vec<Option<Lin>> = args.iter().map(|a| self.tangent(*a).cloned()).collect();
        let like: Vec<ValueData> = args.iter().map(|a| self.data(*a)).collect();
        self.em.dense_list(&dots, &like)
    }
}
