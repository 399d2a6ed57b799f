//! Moves work from a pullback to the forward function of a linearization: what is expensive and does not depend on
//! cotangents is done once, however often the pullback runs. `cos(x)` is kept instead of `x`. Functions with arrays or
//! loops are left as they are.

use crate::storage::is_cheap;
use adc_ir::{Body, Func, Inst, Kind, Param, Region, ResultDecl, Role, Value, ValueData, kinds};
use rustc_hash::{FxHashMap, FxHashSet};

/// Hoists from `pullback`, whose parameters but for the last `cotangents` are the results of `forward` behind the
/// first `primal`.
pub(crate) fn run(forward: &mut Func, pullback: &mut Func, primal: usize, cotangents: usize) {
    let residuals = pullback.params.len() - cotangents;
    let old: Vec<Value> = pullback.params[..residuals].iter().map(|p| p.value).collect();
    let Body::Region(body) = &mut pullback.body else { return };
    let moved = movable(body, &old);
    if moved.is_empty() {
        return;
    }
    let insts = std::mem::take(&mut body.insts);
    let (moving, staying): (Vec<_>, Vec<_>) =
        insts.into_iter().enumerate().partition(|(i, _)| moved.contains(i));
    // Literals stay and are copied.
    body.insts = staying.into_iter().map(|(_, inst)| inst).collect();
    let literals: FxHashMap<Value, Inst> = body
        .insts
        .iter()
        .filter(|i| matches!(i.kind, Kind::Const(_)))
        .map(|i| (i.results[0], i.clone()))
        .collect();

    let mut appended = Appended::new(forward, &old, primal, literals, &pullback.values);
    let mut candidates = old;
    for (_, inst) in moving {
        candidates.extend(&inst.results);
        appended.inst(inst);
    }
    let mut used = FxHashSet::default();
    uses(body, &mut used);
    let frozen: FxHashSet<Value> = pullback.params.iter().filter(|p| p.nodiff).map(|p| p.value).collect();
    let mut params = Vec::new();
    for v in candidates.into_iter().filter(|v| used.contains(v)) {
        let (role, span) = (Role::Kept(params.len()), pullback.span);
        let name = role.name();
        appended.result(&name, v);
        params.push(Param {
            value: v,
            name,
            role: Some(role),
            nodiff: frozen.contains(&v),
            linear: false,
            domain: None,
            span,
        });
    }
    params.extend(pullback.params.drain(residuals..));
    pullback.params = params;
}

/// Positions of the instructions to move: the expensive ones that depend on residuals and literals only, and what
/// they are computed from.
fn movable(body: &Region, residuals: &[Value]) -> FxHashSet<usize> {
    let mut fixed: FxHashMap<Value, Option<usize>> = residuals.iter().map(|v| (*v, None)).collect();
    let mut expensive = Vec::new();
    for (i, inst) in body.insts.iter().enumerate() {
        let is_fixed = inst.args.iter().all(|a| fixed.contains_key(a));
        match &inst.kind {
            Kind::Const(_) => {
                fixed.insert(inst.results[0], None);
            }
            Kind::Op(_) | Kind::Call(_) if is_fixed => {
                fixed.extend(inst.results.iter().map(|r| (*r, Some(i))));
                if !matches!(&inst.kind, Kind::Op(op) if is_cheap(*op)) {
                    expensive.push(i);
                }
            }
            // Of arrays and loops nothing is moved.
            Kind::Op(_)
            | Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Size(_)
            | kinds!(Array | Loop) => {}
        }
    }
    let mut moved = FxHashSet::default();
    while let Some(i) = expensive.pop() {
        if moved.insert(i) {
            expensive.extend(body.insts[i].args.iter().filter_map(|a| fixed[a]));
        }
    }
    moved
}

fn uses(region: &Region, used: &mut FxHashSet<Value>) {
    for inst in &region.insts {
        used.extend(&inst.args);
        inst.regions.iter().for_each(|r| uses(r, used));
    }
    used.extend(&region.yields);
}

/// The forward function while instructions of the pullback are added to it.
struct Appended<'a> {
    forward: &'a mut Func,
    /// From values of the pullback.
    map: FxHashMap<Value, Value>,
    literals: FxHashMap<Value, Inst>,
    types: &'a [ValueData],
}

impl<'a> Appended<'a> {
    /// Takes the residuals off the forward function's results.
    fn new(
        forward: &'a mut Func,
        residuals: &[Value],
        primal: usize,
        literals: FxHashMap<Value, Inst>,
        types: &'a [ValueData],
    ) -> Appended<'a> {
        forward.results.truncate(primal);
        let yields = body_of(forward).yields.split_off(primal);
        let map = residuals.iter().copied().zip(yields).collect();
        Appended { forward, map, literals, types }
    }

    fn inst(&mut self, mut inst: Inst) {
        for k in 0..inst.args.len() {
            inst.args[k] = self.value(inst.args[k]);
        }
        for k in 0..inst.results.len() {
            inst.results[k] = self.define(inst.results[k]);
        }
        body_of(self.forward).insts.push(inst);
    }

    fn value(&mut self, v: Value) -> Value {
        if let Some(known) = self.map.get(&v) {
            return *known;
        }
        self.inst(self.literals[&v].clone());
        self.map[&v]
    }

    fn define(&mut self, v: Value) -> Value {
        let new = self.forward.fresh(self.types[v.0 as usize].clone());
        self.map.insert(v, new);
        new
    }

    fn result(&mut self, name: &str, v: Value) {
        let value = self.map[&v];
        self.forward.results.push(ResultDecl::new(name, self.types[v.0 as usize].clone()));
        body_of(self.forward).yields.push(value);
    }
}

fn body_of(func: &mut Func) -> &mut Region {
    match &mut func.body {
        Body::Region(body) => body,
        Body::Extern(_) | Body::Derived(_) => unreachable!("a generated function has a body"),
    }
}
