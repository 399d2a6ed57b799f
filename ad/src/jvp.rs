//! Forward mode: every active instruction is followed by the tangents of its results, or computes them with the results
//! in one loop.

mod array;
mod linalg;
mod loops;
mod needs;

use crate::calls::{arguments, frozen, partial_rule};
use crate::emit::{Emitter, Ex, Operands};
use crate::linear::{Lin, Mask};
use crate::session::{ActiveCall, Prepared, Session, Treatment};
use adc_ir::{
    Const, Func, FuncId, Inst, Kind, Op, Region, Smoothness, Type, Value, ValueData, Values, kinds,
};
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
        primal_only: false,
        again: false,
    };
    for (d, value) in func.dims.iter().zip(fwd.em.b.func().dims.clone()) {
        fwd.primal[d.value.0 as usize] = Some(value.value);
    }
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
    /// Whether what is emitted is a copy of the primal without tangents.
    primal_only: bool,
    /// Whether what is emitted runs again for its tangents: its assertions have held.
    again: bool,
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
        !self.primal_only && self.prepared.activity.is_active(v)
    }

    fn region(&mut self, region: &Region) {
        for inst in &region.insts {
            self.em.begin(inst.span);
            self.inst(inst);
            self.em.begin(inst.span);
        }
    }

    /// A tangent as a value of its primal's type, and its mask.
    fn full(&mut self, v: Value) -> Option<(Value, Mask)> {
        let dot = self.tangent(v)?.clone();
        Some((self.em.promoted(dot.x, self.prepared.func.ty(v)), dot.mask))
    }

    /// The tangent, 0 if it has none.
    fn dense(&mut self, v: Value) -> Value {
        let data = self.data(v);
        let dot = self.tangent(v).cloned();
        self.em.dense(dot.as_ref(), &data)
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
            Kind::Assert(_) if self.again => {}
            Kind::Assert(guard) => self.em.b.assert((**guard).clone(), args[0]),
            Kind::Size(dim) => {
                let dim = dim.rename(|v| self.value(v));
                let value = self.em.b.size(&dim);
                self.define(inst, &[value]);
            }
            kinds!(Array) => self.array(inst, &args),
            Kind::If => self.branches(inst, args[0]),
            Kind::Build { .. } => self.build(inst),
            Kind::Reduce(op) => self.reduce(*op, inst, &args),
            Kind::For(l) => self.for_loop(*l, inst, &args),
            Kind::While(l) => self.while_loop(*l, inst, &args),
        }
    }

    fn op_tangent(&mut self, op: Op, inst: &Inst) -> Option<Lin> {
        let func = &self.prepared.func;
        if let Some(dot) = self.linear_op_tangent(op, inst) {
            return Some(dot);
        }
        let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| func.ty(*a)).collect();
        let result = func.ty(inst.results[0]);
        let row = self.session.rules.row(op, &types);
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

    fn call(&mut self, callee: FuncId, inst: &Inst, args: &[Value]) {
        let first = inst.results.first().filter(|_| !self.primal_only);
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
            Treatment::Itself => {
                let values = self.em.b.call_of(self.session.m, callee, args);
                self.define(inst, &values);
                let func = self.session.m.func(callee);
                let linear = func.linear_params();
                let (dots, mask) = self.dots(inst, &linear);
                let mut args = frozen(&mut self.em, func, args);
                for (i, dot) in linear.into_iter().zip(dots) {
                    args[func.dims.len() + i] = dot;
                }
                let found = self.em.b.call_of(self.session.m, callee, &args);
                for (v, dot) in inst.results.iter().zip(found) {
                    self.set_if_active(*v, Lin { x: Ex::Val(dot), mask: mask.clone() });
                }
            }
            Treatment::Partial { func: rule, holomorphic } => {
                let values = self.em.b.call_of(self.session.m, callee, args);
                self.define(inst, &values);
                let args = frozen(&mut self.em, self.session.m.func(callee), args);
                let all = [&args[..], &values].concat();
                let found = self.em.b.call_of(self.session.m, *rule, &all);
                self.tangent[inst.results[0].0 as usize] =
                    self.by_partials(inst, callee, call, holomorphic, found);
            }
        }
    }

    /// The tangent of a call's result by what a partial rule gave; of an array element by element.
    fn by_partials(
        &mut self,
        inst: &Inst,
        callee: FuncId,
        call: &ActiveCall,
        holomorphic: &[bool],
        found: Values,
    ) -> Option<Lin> {
        let callee = self.session.m.func(callee);
        let args = arguments(callee, inst);
        let result = self.data(inst.results[0]);
        let dots: Vec<(usize, Lin)> =
            (call.wrt.iter()).filter_map(|&i| self.tangent(args[i]).map(|dot| (i, dot.clone()))).collect();
        let terms = |em: &mut Emitter, index: &[Value]| {
            let found: Values = found.iter().map(|v| em.at(*v, index)).collect();
            let mut terms = Vec::new();
            for p in partial_rule(callee, holomorphic, &found) {
                for (_, dot) in dots.iter().filter(|(i, _)| *i == p.param) {
                    let dot = match dot.x {
                        Ex::Val(v) => Lin { x: Ex::Val(em.at(v, index)), mask: dot.mask.clone() },
                        Ex::Const(_) => dot.clone(),
                    };
                    let elem = result.ty.scalar().into();
                    terms.extend(em.push_forward(&p.partial, &p.operands, elem, &dot));
                }
            }
            em.sum(terms)
        };
        if !result.ty.is_array() {
            return terms(&mut self.em, &[]);
        }
        let elem = ValueData::scalar(result.ty.scalar());
        let dot = self.em.map(&result, |em, index| {
            let dot = terms(em, index);
            em.dense(dot.as_ref(), &elem)
        });
        Some(Lin::always(Ex::Val(dot)))
    }

    fn set_if_active(&mut self, v: Value, dot: Lin) {
        if self.is_active(v) {
            self.tangent[v.0 as usize] = Some(dot);
        }
    }

    /// The tangents of the arguments at `positions` as values, and the mask they share.
    fn dots(&mut self, inst: &Inst, positions: &[usize]) -> (Vec<Value>, Mask) {
        let Kind::Call(callee) = inst.kind else { unreachable!("of a call") };
        let all = arguments(self.session.m.func(callee), inst);
        let args: Vec<Value> = positions.iter().map(|&i| all[i]).collect();
        let dots: Vec<Option<Lin>> = args.iter().map(|a| self.tangent(*a).cloned()).collect();
        let like: Vec<ValueData> = args.iter().map(|a| self.data(*a)).collect();
        self.em.dense_list(&dots, &like)
    }
}
