//! Activity: which values carry a derivative that somebody wants. A value is *varied* if it depends
//! differentiably on an input of interest, *useful* if an output of interest depends differentiably on it, and
//! *active* if both. Everything else has structurally no tangent and no cotangent.

use crate::rules::rule;
use adc_ir::{Func, FuncId, Inst, Kind, Module, Region, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// A set of parameter positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions(SmallVec<[u64; 1]>);

impl Positions {
    fn insert(&mut self, i: usize) {
        if self.0.len() <= i / 64 {
            self.0.resize(i / 64 + 1, 0);
        }
        self.0[i / 64] |= 1 << (i % 64);
    }

    fn union(&mut self, other: &Positions) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }
}

/// Per result of a function: the parameters it depends on differentiably.
pub(crate) type Dependence = Rc<Vec<Positions>>;

/// The dependences of the functions looked at so far.
#[derive(Default)]
pub(crate) struct Dependences(FxHashMap<FuncId, Dependence>);

impl Dependences {
    /// The dependence of `f`, which [`Self::require`] was asked for.
    pub(crate) fn of(&self, f: FuncId) -> &[Positions] {
        &self.0[&f]
    }

    /// Computes the dependences of everything that `func` calls, callees first.
    pub(crate) fn require(&mut self, m: &Module, func: &Func) {
        let mut stack: Vec<(FuncId, bool)> = func.callees().into_iter().map(|f| (f, false)).collect();
        while let Some((f, callees_done)) = stack.pop() {
            if self.0.contains_key(&f) {
                continue;
            }
            let func = m.func(f);
            if callees_done || own_derivative(func) {
                let dependence = Rc::new(self.compute(func));
                self.0.insert(f, dependence);
            } else {
                stack.push((f, true));
                stack.extend(func.callees().into_iter().map(|c| (c, false)));
            }
        }
    }

    fn compute(&self, func: &Func) -> Vec<Positions> {
        if own_derivative(func) {
            let mut all = Positions::default();
            func.differentiable_params().into_iter().for_each(|i| all.insert(i));
            let of = |ty: Type| if ty.is_differentiable() { all.clone() } else { Positions::default() };
            return func.results.iter().map(|r| of(r.ty)).collect();
        }
        let mut sets = vec![Positions::default(); func.values.len()];
        for i in func.differentiable_params() {
            sets[func.params[i].value.0 as usize].insert(i);
        }
        let body = func.region().expect("an extern function has its own derivative");
        self.flow(func, body, &mut sets);
        body.yields.iter().map(|v| sets[v.0 as usize].clone()).collect()
    }

    fn flow(&self, func: &Func, region: &Region, sets: &mut [Positions]) {
        for inst in &region.insts {
            inst.regions.iter().for_each(|r| self.flow(func, r, sets));
            for (r, result) in inst.results.iter().enumerate() {
                let mut set = Positions::default();
                sources(func, inst, r, self, |v| set.union(&sets[v.0 as usize]));
                sets[result.0 as usize] = set;
            }
        }
    }
}

/// Whether a function's body is never differentiated: it has rules, or no body.
pub(crate) fn own_derivative(func: &Func) -> bool {
    !func.rules.is_empty() || func.region().is_none()
}

/// Calls `each` for the values that result `r` of an instruction depends on differentiably and directly; of a
/// region instruction those are what its regions yield.
fn sources(func: &Func, inst: &Inst, r: usize, callees: &Dependences, mut each: impl FnMut(Value)) {
    if !func.ty(inst.results[r]).is_differentiable() {
        return;
    }
    match &inst.kind {
        Kind::Const(_) | Kind::Assert(_) => {}
        Kind::Op(op) => {
            let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| func.ty(*a)).collect();
            let row = rule(*op, &types);
            for (i, arg) in inst.args.iter().enumerate() {
                if types[i].is_differentiable() && !row.partial(i).is_zero() {
                    each(*arg);
                }
            }
        }
        Kind::Call(f) => {
            let set = &callees.of(*f)[r];
            inst.args.iter().enumerate().filter(|(i, _)| set.contains(*i)).for_each(|(_, arg)| each(*arg));
        }
        Kind::If => inst.regions.iter().for_each(|region| each(region.yields[r])),
        kind => kind.refused(),
    }
}

/// Which values of a function are varied and useful for some inputs and outputs.
pub(crate) struct Activity {
    varied: Vec<bool>,
    useful: Vec<bool>,
}

impl Activity {
    /// The activity of `func` for parameters `wrt` and results `outputs`; `callees` has been
    /// [required](Dependences::require).
    pub(crate) fn new(func: &Func, wrt: &[usize], outputs: &[usize], callees: &Dependences) -> Activity {
        let body = func.region().expect("a function with a body");
        let mut activity =
            Activity { varied: vec![false; func.values.len()], useful: vec![false; func.values.len()] };
        for &i in wrt {
            activity.varied[func.params[i].value.0 as usize] = true;
        }
        activity.forward(func, body, callees);
        for &o in outputs {
            activity.useful[body.yields[o].0 as usize] = true;
        }
        activity.backward(func, body, callees);
        activity
    }

    /// Whether the value is varied and an output of interest depends on it.
    pub(crate) fn is_active(&self, v: Value) -> bool {
        self.varied[v.0 as usize] && self.useful[v.0 as usize]
    }

    fn forward(&mut self, func: &Func, region: &Region, callees: &Dependences) {
        for inst in &region.insts {
            inst.regions.iter().for_each(|r| self.forward(func, r, callees));
            for (r, result) in inst.results.iter().enumerate() {
                let mut varied = false;
                sources(func, inst, r, callees, |v| varied |= self.varied[v.0 as usize]);
                self.varied[result.0 as usize] = varied;
            }
        }
    }

    fn backward(&mut self, func: &Func, region: &Region, callees: &Dependences) {
        for inst in region.insts.iter().rev() {
            for (r, result) in inst.results.iter().enumerate() {
                if self.useful[result.0 as usize] {
                    let useful = &mut self.useful;
                    sources(func, inst, r, callees, |v| useful[v.0 as usize] = true);
                }
            }
            inst.regions.iter().for_each(|r| self.backward(func, r, callees));
        }
    }
}
