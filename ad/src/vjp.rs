//! Reverse mode: a forward sweep that copies the primal and carries out what will be needed, and a reverse sweep
//! (`pullback.rs`) that turns cotangents of results into cotangents of parameters. Both in one function, or as
//! two functions with residuals between them.

use crate::emit::{Emitter, Ex};
use crate::hoist;
use crate::linear::Lin;
use crate::plan::{Exits, Plan, Scope, Source};
use crate::pullback::Pullback;
use crate::session::{Prepared, Session, Treatment};
use crate::storage;
use adc_ir::{Builder, Const, Func, Inst, Kind, Region, Value};
use rustc_hash::FxHashMap;

/// One function: parameters and cotangents to results (if `primal`) and cotangents.
pub(crate) fn joint(session: &Session, prepared: &Prepared, name: String, primal: bool) -> Func {
    let func = &prepared.func;
    let plan = Plan::new(session, prepared, Scope::Joint, &storage::Default);
    let (em, params) = Emitter::like(func, name);
    let mut forward = Forward::new(session, prepared, &plan, em);
    forward.define_params(&params);
    let seeds = cotangent_params(&mut forward.em, prepared);
    let mut results = forward.body();
    if !primal {
        results.clear();
    }
    let pullback = Pullback::new(session, prepared, &plan, forward.em, forward.available);
    let (em, cotangents) = pullback.run(seeds);
    results.extend(cotangents);
    em.finish(func, results)
}

/// The transpose of a rule that is linear in its parameters from `fixed` on: the parameters before them, then
/// cotangents of the results; cotangents of the linear parameters. What depends on those parameters is never
/// needed, so zeros stand for them in a forward sweep that is dead behind them.
pub(crate) fn transposed(session: &Session, prepared: &Prepared, name: String, fixed: usize) -> Func {
    let func = &prepared.func;
    let plan = Plan::new(session, prepared, Scope::Joint, &storage::Default);
    let mut kept = func.clone();
    kept.params.truncate(fixed);
    let (em, mut params) = Emitter::like(&kept, name);
    let mut forward = Forward::new(session, prepared, &plan, em);
    for p in &func.params[fixed..] {
        params.push(forward.em.constant(Const::zero(func.ty(p.value).scalar())));
    }
    forward.define_params(&params);
    let seeds = cotangent_params(&mut forward.em, prepared);
    forward.body();
    let pullback = Pullback::new(session, prepared, &plan, forward.em, forward.available);
    let (em, cotangents) = pullback.run(seeds);
    em.finish(func, cotangents)
}

/// Which residuals the forward function of a pair returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Residuals {
    /// All of them.
    All,
    /// Those that are neither an argument nor a result.
    Unknown,
}

/// Two functions: parameters to results and residuals; residuals and cotangents to cotangents.
pub(crate) fn split(
    session: &Session,
    prepared: &Prepared,
    forward_name: String,
    pullback_name: String,
    residuals: Residuals,
) -> [Func; 2] {
    let func = &prepared.func;
    let plan = Plan::new(session, prepared, Scope::Apart, &storage::Default);
    if residuals == Residuals::Unknown && plan.stored.len() > storage::MOST_KEPT {
        return rerun(session, prepared, forward_name, pullback_name);
    }
    let (em, params) = Emitter::like(func, forward_name);
    let mut forward = Forward::new(session, prepared, &plan, em);
    forward.define_params(&params);
    let mut results = forward.body();
    let mut known: FxHashMap<Value, Source> = FxHashMap::default();
    if residuals == Residuals::Unknown {
        known.extend(results.iter().enumerate().map(|(i, (_, v))| (*v, Source::Result(i))));
        known.extend(params.iter().enumerate().map(|(i, v)| (*v, Source::Arg(i))));
    }
    let mut back = Emitter::new(Builder::new(pullback_name, func.span));
    // Two primal values may be one in the forward function, as those of two branches in one slot are.
    let mut passed: FxHashMap<Value, Value> = FxHashMap::default();
    let frozen: Vec<Value> =
        func.params.iter().zip(&params).filter(|(p, _)| p.nodiff).map(|(_, v)| *v).collect();
    let mut available = vec![None; plan.count()];
    let mut kept = 0;
    for &v in &plan.stored {
        let value = forward.available[v.0 as usize].expect("stored values are carried out");
        let residual = *passed.entry(value).or_insert_with(|| {
            let source = known.get(&value).copied().unwrap_or_else(|| {
                let source = Source::Kept(kept);
                kept += 1;
                results.push((source.name(), value));
                source
            });
            let residual = back.param(&source.name(), plan.ty(func, v).into());
            // What is frozen stays so in derivatives of the pullback.
            back.b.last_param().nodiff = frozen.contains(&value);
            residual
        });
        available[v.0 as usize] = Some(residual);
    }
    let seeds = cotangent_params(&mut back, prepared);
    let (back, cotangents) = Pullback::new(session, prepared, &plan, back, available).run(seeds);
    let (mut forward, mut back) = (forward.em.finish(func, results), back.finish(func, cotangents));
    if residuals == Residuals::All {
        hoist::run(&mut forward, &mut back, func.results.len(), prepared.outputs.len());
    }
    [forward, back]
}

/// The primal and a pullback that runs it again: its residuals are the arguments.
fn rerun(session: &Session, prepared: &Prepared, forward_name: String, pullback_name: String) -> [Func; 2] {
    let forward = Func { name: forward_name, ..prepared.func.clone() };
    let mut back = joint(session, prepared, pullback_name, false);
    for (i, p) in back.params[..forward.params.len()].iter_mut().enumerate() {
        p.name = Source::Arg(i).name();
    }
    [forward, back]
}

/// Adds a parameter for each cotangent of interest: seeds of the reverse sweep.
fn cotangent_params(em: &mut Emitter, prepared: &Prepared) -> Vec<(Value, Lin)> {
    let func = &prepared.func;
    let body = func.region().expect("a function with a body");
    em.begin(func.span);
    let seed = |&o: &usize| {
        let result = &func.results[o];
        let bar = em.param(&format!("{}_bar", result.name), result.ty.into());
        (body.yields[o], Lin::always(Ex::Val(bar)))
    };
    prepared.outputs.iter().map(seed).collect()
}

/// The forward sweep.
struct Forward<'a> {
    session: &'a Session<'a>,
    prepared: &'a Prepared,
    plan: &'a Plan,
    em: Emitter,
    /// Per primal value: the value that stands for it at this point, once its branch is closed the slot it left by.
    available: Vec<Option<Value>>,
}

impl<'a> Forward<'a> {
    fn new(session: &'a Session<'a>, prepared: &'a Prepared, plan: &'a Plan, em: Emitter) -> Forward<'a> {
        Forward { session, prepared, plan, em, available: vec![None; plan.count()] }
    }

    fn define_params(&mut self, values: &[Value]) {
        for (p, v) in self.prepared.func.params.iter().zip(values) {
            self.available[p.value.0 as usize] = Some(*v);
        }
    }

    /// The body; the function's results.
    fn body(&mut self) -> Vec<(String, Value)> {
        let func = &self.prepared.func;
        let body = func.region().expect("a function with a body");
        self.region(body);
        self.em.begin(func.span);
        func.results.iter().zip(&body.yields).map(|(r, v)| (r.name.clone(), self.value(*v))).collect()
    }

    fn value(&self, v: Value) -> Value {
        self.available[v.0 as usize].expect("definitions come before uses")
    }

    fn define(&mut self, primal: &[Value], values: &[Value]) {
        for (v, value) in primal.iter().zip(values) {
            self.available[v.0 as usize] = Some(*value);
        }
    }

    fn region(&mut self, region: &Region) {
        for inst in &region.insts {
            self.em.begin(inst.span);
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let args: Vec<Value> = inst.args.iter().map(|a| self.value(*a)).collect();
        match &inst.kind {
            Kind::Const(c) => {
                let value = self.em.constant(*c);
                self.define(&inst.results, &[value]);
            }
            Kind::Op(op) => {
                let value = self.em.b.op(*op, &args);
                self.define(&inst.results, &[value]);
            }
            Kind::Assert(guard) => self.em.b.assert(guard.clone(), args[0]),
            Kind::If => self.branches(inst, args[0]),
            Kind::Call(callee) => {
                let first = inst.results.first();
                let kept = first.and_then(|v| self.plan.kept.get(v));
                let callee = match first.and_then(|v| self.prepared.calls.get(v)).map(|c| &c.treatment) {
                    Some(Treatment::Derived(program)) => {
                        self.session.existing(program).expect("made before its callers")[0]
                    }
                    Some(Treatment::Linear(_) | Treatment::Partial { .. }) | None => *callee,
                };
                let values = self.em.b.call_of(self.session.m, callee, &args);
                self.define(&inst.results, &values);
                if let Some(kept) = kept {
                    self.define(kept, &values[inst.results.len()..]);
                }
            }
            kind => kind.refused(),
        }
    }

    fn branches(&mut self, inst: &Inst, cond: Value) {
        let none = Exits::default();
        let exits = inst.results.first().and_then(|v| self.plan.exits.get(v)).unwrap_or(&none);
        let mut regions = Vec::new();
        for (side, region) in inst.regions.iter().enumerate() {
            self.em.open();
            self.region(region);
            self.em.begin(inst.span);
            let mut yields: Vec<Value> = region.yields.iter().map(|v| self.value(*v)).collect();
            for slot in &exits.slots {
                yields.push(match slot.sides[side] {
                    Some(v) => self.value(v),
                    None => self.em.constant(Const::zero(slot.ty.scalar())),
                });
            }
            regions.push(self.em.close(yields));
        }
        let other = regions.pop().expect("an `if` has two regions");
        let then = regions.pop().expect("an `if` has two regions");
        let values = self.em.b.if_(cond, then, other);
        self.define(&inst.results, &values);
        for (v, k) in &exits.yielded {
            self.available[v.0 as usize] = Some(values[*k]);
        }
        for (slot, value) in exits.slots.iter().zip(&values[inst.results.len()..]) {
            for v in slot.sides.iter().flatten() {
                self.available[v.0 as usize] = Some(*value);
            }
        }
    }
}
