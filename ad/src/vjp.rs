//! Reverse mode: a forward sweep that copies the primal and carries out what will be needed, and a reverse sweep
//! (`pullback.rs`) that turns cotangents of results into cotangents of parameters. Both in one function, or as
//! two functions with residuals between them.
//!
//! There are four parts. The plan (`plan.rs`) walks the function backwards and decides what the reverse sweep needs and where it
//! comes from. The policy (`storage.rs`) alone decides what is stored and what is computed again. The sweep (`sweep.rs`) copies
//! primal code, with the exits that the plan asks for. The pullback (`pullback.rs`) reverses instructions; all loops are
//! reversed by one scheme, in `pullback/loops.rs`.

use crate::emit::{Emitter, Ex};
use crate::hoist;
use crate::linear::Lin;
use crate::plan::{Plan, Scope};
use crate::pullback::Pullback;
use crate::session::{Prepared, Session};
use crate::storage;
use crate::sweep::Sweep;
use adc_ir::{Dim, Func, ResultDecl, Role, Value, ValueData};
use rustc_hash::FxHashMap;

/// One function: parameters and cotangents to results (if `primal`) and cotangents.
pub(crate) fn joint(session: &Session, prepared: &Prepared, name: String, primal: bool) -> Func {
    let func = &prepared.func;
    let plan = Plan::new(session, prepared, Scope::Joint);
    let (em, params) = Emitter::like(func, name);
    let mut forward = forward(session, prepared, &plan, em, &params);
    let seeds = cotangent_params(&mut forward, prepared);
    forward.begin();
    let mut results = body(&mut forward);
    if !primal {
        results.clear();
    }
    let (em, cotangents) = Pullback::new(forward).run(seeds);
    results.extend(cotangents);
    em.finish(func, results)
}

/// The transpose of a rule that is linear in its parameters from `fixed` on: the parameters before them, then
/// cotangents of the results; cotangents of the linear parameters. What depends on those parameters is never
/// needed, so zeros stand for them in a forward sweep that is dead behind them.
pub(crate) fn transposed(session: &Session, prepared: &Prepared, name: String, fixed: usize) -> Func {
    let func = &prepared.func;
    let plan = Plan::new(session, prepared, Scope::Joint);
    let mut kept = func.clone();
    kept.params.truncate(fixed);
    let (em, params) = Emitter::like(&kept, name);
    let mut forward = forward(session, prepared, &plan, em, &params);
    let seeds = cotangent_params(&mut forward, prepared);
    for p in &func.params[fixed..] {
        let data = forward.data(p.value);
        let zero = forward.em.zero(&data);
        forward.define(&[p.value], &[zero]);
    }
    forward.begin();
    body(&mut forward);
    let (em, cotangents) = Pullback::new(forward).run(seeds);
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
    let plan = Plan::new(session, prepared, Scope::Apart);
    let sizes = prepared.outputs.iter().flat_map(|&o| &func.results[o].shape);
    let sizes: Vec<Value> = sizes.flat_map(|d| plan.known.resolve(d).vars().collect::<Vec<_>>()).collect();
    let counted = sizes.iter().any(|v| func.entry_position(*v).is_none());
    if residuals == Residuals::Unknown && plan.stored.len() > storage::MOST_KEPT && !counted {
        return rerun(session, prepared, forward_name, pullback_name);
    }
    let (em, params) = Emitter::like(func, forward_name);
    let mut forward = forward(session, prepared, &plan, em, &params);
    forward.begin();
    let mut passing = Passing { results: body(&mut forward), ..Passing::default() };
    if residuals == Residuals::Unknown {
        passing.known.extend(passing.results.iter().enumerate().map(|(i, (_, v))| (*v, Role::Result(i))));
        passing.known.extend(params.iter().enumerate().map(|(i, v)| (*v, Role::Arg(i))));
    }
    passing.frozen = func.params.iter().zip(&params).filter(|(p, _)| p.nodiff).map(|(_, v)| *v).collect();
    let bare = Func { params: Vec::new(), ..func.clone() };
    let (back, _) = Emitter::like(&bare, pullback_name);
    let mut back = Sweep::new(session, prepared, &plan, back);
    let dims = |em: &Emitter| em.b.func().dims.iter().map(|d| d.value).collect::<Vec<_>>();
    passing.here.extend(dims(&forward.em).into_iter().zip(dims(&back.em)));
    for v in sizes.into_iter().chain(plan.stored.iter().copied()) {
        if func.dims.iter().any(|d| d.value == v) {
            continue;
        }
        let value = forward.value(v);
        let residual = passing.pass(&forward.em, &mut back.em, value);
        back.define(&[v], &[residual]);
    }
    let seeds = cotangent_params(&mut back, prepared);
    back.begin();
    let (back, cotangents) = Pullback::new(back).run(seeds);
    let (mut forward, mut back) = (forward.em.finish(func, passing.results), back.finish(func, cotangents));
    if residuals == Residuals::All && forward.is_scalar() && back.is_scalar() {
        hoist::run(&mut forward, &mut back, func.results.len(), prepared.outputs.len());
    }
    [forward, back]
}

/// What a forward function hands to its pullback.
#[derive(Default)]
struct Passing {
    /// The results of the forward function.
    results: Vec<(String, Value)>,
    known: FxHashMap<Value, Role>,
    frozen: Vec<Value>,
    /// By value of the forward function: the parameter of the pullback. Two primal values may be one in the forward
    /// function, as those of two branches in one slot are.
    here: FxHashMap<Value, Value>,
    kept: usize,
}

impl Passing {
    /// The pullback's parameter for a value of the forward function; the values in its sizes come before it.
    fn pass(&mut self, forward: &Emitter, back: &mut Emitter, value: Value) -> Value {
        if let Some(known) = self.here.get(&value) {
            return *known;
        }
        let data = forward.visible(value);
        let sizes: Vec<Value> = data.shape.iter().flat_map(Dim::vars).collect();
        for size in sizes {
            self.pass(forward, back, size);
        }
        let shape = data.shape.iter().map(|d| d.rename(|v| self.here[&v])).collect();
        let role = self.known.get(&value).copied().unwrap_or_else(|| {
            let role = Role::Kept(self.kept);
            self.kept += 1;
            self.results.push((role.name(), value));
            role
        });
        let residual = back.param(&role.name(), ValueData { ty: data.ty, shape });
        // What is frozen stays so in derivatives of the pullback.
        let param = back.b.last_param();
        (param.role, param.nodiff) = (Some(role), self.frozen.contains(&value));
        self.here.insert(value, residual);
        residual
    }
}

/// The primal and a pullback that runs it again: its residuals are the arguments.
fn rerun(session: &Session, prepared: &Prepared, forward_name: String, pullback_name: String) -> [Func; 2] {
    let forward = Func { name: forward_name, ..prepared.func.clone() };
    let mut back = joint(session, prepared, pullback_name, false);
    for (i, p) in back.params[..forward.params.len()].iter_mut().enumerate() {
        (p.name, p.role) = (Role::Arg(i).name(), Some(Role::Arg(i)));
    }
    [forward, back]
}

fn forward<'a>(
    session: &'a Session<'a>,
    prepared: &'a Prepared,
    plan: &'a Plan,
    em: Emitter,
    params: &[Value],
) -> Sweep<'a> {
    let mut forward = Sweep::new(session, prepared, plan, em);
    let own: Vec<Value> = prepared.func.params.iter().map(|p| p.value).collect();
    forward.define(&own, params);
    forward
}

/// The forward sweep; the function's results.
fn body(forward: &mut Sweep) -> Vec<(String, Value)> {
    let func = forward.func();
    let body = func.region().expect("a function with a body");
    forward.copy(body, None);
    forward.em.begin(func.span);
    func.results.iter().zip(&body.yields).map(|(r, v)| (r.name.clone(), forward.value(*v))).collect()
}

/// Adds a parameter for each cotangent of interest: seeds of the reverse sweep.
fn cotangent_params(to: &mut Sweep, prepared: &Prepared) -> Vec<(Value, Lin)> {
    let func = &prepared.func;
    let body = func.region().expect("a function with a body");
    to.em.begin(func.span);
    let mut seeds = Vec::new();
    for &o in &prepared.outputs {
        let result: &ResultDecl = &func.results[o];
        let shape = result.shape.iter().map(|d| to.dim(d)).collect();
        let bar = to.em.param(&format!("{}_bar", result.name), ValueData { ty: result.ty, shape });
        seeds.push((body.yields[o], Lin::always(Ex::Val(bar))));
    }
    seeds
}
