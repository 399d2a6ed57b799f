//! The reverse sweep: instructions in reverse order, each taking the cotangents of its results and adding to
//! those of its operands. An `if` becomes an `if` on the same condition whose branches reverse one branch each.

use crate::calls::{frozen, partial_rule, read_params};
use crate::emit::{Emitter, Ex, Operands};
use crate::linear::{Lin, Mask};
use crate::plan::{Plan, Source};
use crate::rules::rule;
use crate::session::{ActiveCall, LinearRule, Prepared, Session, Treatment};
use adc_ir::{Const, Func, FuncId, Inst, Kind, Op, Region, Type, Value, ValueData};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Contributions to cotangents, by primal value, of one scope: the function's body or a branch.
type Contributions = FxHashMap<Value, Vec<Lin>>;

pub(crate) struct Pullback<'a> {
    session: &'a Session<'a>,
    prepared: &'a Prepared,
    plan: &'a Plan,
    em: Emitter,
    /// Per primal value: the value that stands for it in the reverse sweep.
    available: Vec<Option<Value>>,
    /// The innermost scope last.
    scopes: Vec<Contributions>,
    /// What was computed again in each scope, to be forgotten with it.
    again: Vec<Vec<Value>>,
}

impl<'a> Pullback<'a> {
    pub(crate) fn new(
        session: &'a Session<'a>,
        prepared: &'a Prepared,
        plan: &'a Plan,
        em: Emitter,
        mut available: Vec<Option<Value>>,
    ) -> Pullback<'a> {
        // The forward sweep has seen them, but in scopes that are closed.
        plan.again.keys().for_each(|v| available[v.0 as usize] = None);
        let scopes = vec![Contributions::default()];
        Pullback { session, prepared, plan, em, available, scopes, again: vec![Vec::new()] }
    }

    /// Reverses the function's body; the emitter and the named cotangents of the parameters of interest.
    pub(crate) fn run(mut self, seeds: Vec<(Value, Lin)>) -> (Emitter, Vec<(String, Value)>) {
        let func: &Func = &self.prepared.func;
        for (v, bar) in seeds {
            self.add(v, bar);
        }
        self.region(func.region().expect("a function with a body"));
        let mut results = Vec::new();
        for &i in &self.prepared.wrt {
            let p = &func.params[i];
            self.em.begin(p.span);
            let bar = self.take(p.value);
            let bar = self.em.dense(bar.as_ref(), &func.ty(p.value).into());
            results.push((format!("{}_bar", p.name), bar));
        }
        (self.em, results)
    }

    fn add(&mut self, v: Value, bar: Lin) {
        if self.prepared.activity.is_active(v) {
            self.scopes.last_mut().expect("a scope is open").entry(v).or_default().push(bar);
        }
    }

    /// The cotangent of a value whose uses have all been reversed.
    fn take(&mut self, v: Value) -> Option<Lin> {
        let terms = self.scopes.last_mut().expect("a scope is open").remove(&v)?;
        self.em.sum(terms)
    }

    /// A primal value in the reverse sweep.
    fn value(&mut self, v: Value) -> Value {
        if let Some(Some(c)) = self.plan.literal.get(v.0 as usize) {
            return self.em.constant(*c);
        }
        if let Some(value) = self.available[v.0 as usize] {
            return value;
        }
        let (op, arg) = self.plan.again[&v];
        let arg = self.value(arg);
        let value = self.em.b.op(op, &[arg]);
        self.available[v.0 as usize] = Some(value);
        self.again.last_mut().expect("a scope is open").push(v);
        value
    }

    fn operand(&mut self, v: Value) -> Ex {
        match self.plan.literal.get(v.0 as usize) {
            Some(Some(c)) => Ex::Const(*c),
            Some(None) | None => Ex::Val(self.value(v)),
        }
    }

    fn region(&mut self, region: &Region) {
        for inst in region.insts.iter().rev() {
            if inst.results.iter().any(|r| self.prepared.activity.is_active(*r)) {
                self.em.begin(inst.span);
                self.inst(inst);
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let bars: SmallVec<[Option<Lin>; 1]> = inst.results.iter().map(|r| self.take(*r)).collect();
        if bars.iter().all(Option::is_none) {
            return;
        }
        match &inst.kind {
            Kind::Const(_) | Kind::Assert(_) => {}
            Kind::Op(op) => {
                if let Some(bar) = &bars[0] {
                    self.op(*op, inst, bar);
                }
            }
            Kind::Call(callee) => self.call(*callee, inst, &bars),
            Kind::If => self.branches(inst, &bars),
            kind => kind.refused(),
        }
    }

    fn op(&mut self, op: Op, inst: &Inst, bar: &Lin) {
        let func = &self.prepared.func;
        let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| func.ty(*a)).collect();
        let row = rule(op, &types);
        let active: SmallVec<[usize; 3]> = (0..inst.args.len())
            .filter(|&i| self.prepared.activity.is_active(inst.args[i]) && !row.partial(i).is_zero())
            .collect();
        let mut reads = crate::formula::Reads::default();
        for &i in &active {
            let r = row.partial(i).reads();
            r.operands.iter().zip(&mut reads.operands).for_each(|(r, all)| *all |= r);
            reads.result |= r.result;
        }
        // What no formula reads may not exist here.
        const UNREAD: Ex = Ex::Const(Const::Bool(false));
        let x = inst.args.iter().zip(reads.operands);
        let x = x.map(|(a, read)| if read { self.operand(*a) } else { UNREAD }).collect();
        let y = reads.result.then(|| self.operand(inst.results[0]));
        let on = Operands { x, y, real: func.ty(inst.results[0]).scalar().real() };
        for i in active {
            if let Some(term) = self.em.pull_back(row.partial(i), &on, types[i], bar) {
                self.add(inst.args[i], term);
            }
        }
    }

    fn branches(&mut self, inst: &Inst, bars: &[Option<Lin>]) {
        let cond = self.value(inst.args[0]);
        let (seeds, mask) = self.dense(bars, &inst.results);
        let mut sides: Vec<(Region, Vec<(Value, Value)>)> = Vec::new();
        for region in &inst.regions {
            self.em.open();
            self.scopes.push(Contributions::default());
            self.again.push(Vec::new());
            for (k, seed) in seeds.iter().enumerate().filter(|(k, _)| bars[*k].is_some()) {
                self.add(region.yields[k], Lin::always(Ex::Val(*seed)));
            }
            self.region(region);
            self.em.begin(inst.span);
            let outer = self.leave_scope();
            sides.push((self.em.close(Vec::new()), outer));
        }
        let mut outer: Vec<Value> = sides.iter().flat_map(|(_, list)| list.iter().map(|(v, _)| *v)).collect();
        outer.sort();
        outer.dedup();
        if outer.is_empty() {
            return;
        }
        let mut present = Vec::new();
        let mut regions = Vec::new();
        for (mut region, list) in sides {
            let found: FxHashMap<Value, Value> = list.into_iter().collect();
            for v in &outer {
                let bar = found.get(v).copied();
                let ty = self.prepared.func.ty(*v);
                region.yields.push(bar.unwrap_or_else(|| self.em.zero_in(&mut region.insts, &ty.into())));
            }
            present.push(outer.iter().map(|v| found.contains_key(v)).collect::<Vec<bool>>());
            regions.push(region);
        }
        let other = regions.pop().expect("an `if` has two regions");
        let then = regions.pop().expect("an `if` has two regions");
        self.em.begin(inst.span);
        let results = self.em.b.if_(cond, then, other);
        for (k, v) in outer.into_iter().enumerate() {
            let sides = [present[0][k], present[1][k]];
            let bar = self.em.joined_branches(results[k], &mask, cond, sides);
            if let Some(bar) = bar {
                self.add(v, bar);
            }
        }
    }

    /// Ends a branch; what it contributes to values from outside, in their order.
    fn leave_scope(&mut self) -> Vec<(Value, Value)> {
        let mut left: Vec<Value> = self.scopes.last().expect("a scope is open").keys().copied().collect();
        left.sort();
        let mut outer = Vec::new();
        for v in left {
            let bar = self.take(v);
            if bar.is_some() {
                let ty = self.prepared.func.ty(v);
                outer.push((v, self.em.dense(bar.as_ref(), &ty.into())));
            }
        }
        self.scopes.pop();
        for v in self.again.pop().expect("a scope is open") {
            self.available[v.0 as usize] = None;
        }
        outer
    }

    fn call(&mut self, callee: FuncId, inst: &Inst, bars: &[Option<Lin>]) {
        let call = &self.prepared.calls[&inst.results[0]];
        match &call.treatment {
            Treatment::Derived(program) => {
                let bwd = self.session.existing(program).expect("made before its callers")[1];
                let kept = &self.plan.kept[&inst.results[0]];
                let mut args = Vec::new();
                for source in Source::of(self.session.m.func(bwd), call.outputs.len()) {
                    args.push(self.value(match source {
                        Source::Arg(i) => inst.args[i],
                        Source::Result(i) => inst.results[i],
                        Source::Kept(i) => kept[i],
                    }));
                }
                let active: Vec<Value> = call.outputs.iter().map(|&r| inst.results[r]).collect();
                let active_bars: Vec<Option<Lin>> = call.outputs.iter().map(|&r| bars[r].clone()).collect();
                let (seeds, mask) = self.dense(&active_bars, &active);
                args.extend(seeds);
                let found = self.em.b.call_of(self.session.m, bwd, &args);
                for (&i, bar) in call.wrt.iter().zip(found) {
                    self.add(inst.args[i], Lin { x: Ex::Val(bar), mask: mask.clone() });
                }
            }
            Treatment::Linear(rule) => self.linear_rule(callee, rule, call, inst, bars),
            Treatment::Partial { func: rule, holomorphic } => {
                let Some(bar) = &bars[0] else { return };
                let args = self.rule_args(self.session.m.func(callee), *rule, inst);
                let found = self.em.b.call_of(self.session.m, *rule, &args);
                for p in partial_rule(self.session.m.func(callee), holomorphic, &found) {
                    let operand = self.prepared.func.ty(inst.args[p.param]);
                    if call.wrt.contains(&p.param)
                        && let Some(term) = self.em.pull_back(&p.partial, &p.operands, operand, bar)
                    {
                        self.add(inst.args[p.param], term);
                    }
                }
            }
        }
    }

    fn linear_rule(
        &mut self,
        callee: FuncId,
        rule: &LinearRule,
        call: &ActiveCall,
        inst: &Inst,
        bars: &[Option<Lin>],
    ) {
        let rule = self.session.rule_func(rule);
        let callee = self.session.m.func(callee);
        let mut args = self.rule_args(callee, rule, inst);
        let results: Vec<usize> = callee.differentiable_results();
        let values: Vec<Value> = results.iter().map(|&r| inst.results[r]).collect();
        let result_bars: Vec<Option<Lin>> = results.iter().map(|&r| bars[r].clone()).collect();
        let (seeds, mask) = self.dense(&result_bars, &values);
        args.extend(seeds);
        let found = self.em.b.call_of(self.session.m, rule, &args);
        for (i, bar) in callee.differentiable_params().into_iter().zip(found) {
            if call.wrt.contains(&i) {
                self.add(inst.args[i], Lin { x: Ex::Val(bar), mask: mask.clone() });
            }
        }
    }

    /// Arguments and results of a call as a rule takes them; zeros for those it does not read.
    fn rule_args(&mut self, callee: &Func, rule: FuncId, inst: &Inst) -> Vec<Value> {
        let read = read_params(self.session.m.func(rule));
        let given: Vec<Value> = inst
            .args
            .iter()
            .chain(&inst.results)
            .zip(read)
            .map(|(v, read)| match read {
                true => self.value(*v),
                false => self.em.constant(Const::zero(self.prepared.func.ty(*v).scalar())),
            })
            .collect();
        let (args, results) = given.split_at(inst.args.len());
        [&frozen(&mut self.em, callee, args)[..], results].concat()
    }

    fn dense(&mut self, bars: &[Option<Lin>], of: &[Value]) -> (Vec<Value>, Mask) {
        let types: Vec<ValueData> = of.iter().map(|v| self.prepared.func.ty(*v).into()).collect();
        self.em.dense_list(bars, &types)
    }
}
