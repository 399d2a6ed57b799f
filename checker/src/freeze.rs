//! Functions with a centre and a displaced version of every value, so that a difference quotient holds fixed what the
//! derivative holds fixed.
//!
//! The frozen version of `f` takes the centre of every parameter and the displaced value of those that are displaced. It
//! returns `f` at the displaced point, except that
//! * `stop_gradient(e)` and the arguments of `#[nodiff]` parameters keep their value at the centre;
//! * a call of a function with a trusted rule is its linearisation around the centre, `g(c) + J_g(c)·(x − c)`: the rule is
//!   used, not compared;
//! * a call of a function with other rules is the plain call: its rule defines its whole value, also for what its body
//!   would hold fixed;
//! * a call of a rule itself, in a derivative program, is the plain call, including what it calls: what a rule holds fixed
//!   is missing in the second derivative, and differences have to show that;
//! * a call of a rule whose second derivatives are not compared (`#[check(first_order)]`) is its linearisation.
//!
//! Inside an `if` the displaced condition selects the branch, and the fixed values of that branch are computed at the
//! centre there. The displaced values determine the number of iterations of a loop. It carries the values at the centre
//! beside them if something fixed in it needs them. Values that do not depend on displaced parameters are computed once;
//! values at the centre only where something fixed needs them. Assertions test displaced values: those at the centre have
//! been tested by the primal.

mod marks;
mod versions;

use crate::entry::{Entry, elementwise};
use crate::text::base_name;
use adc_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use versions::FrozenVersions;

/// What contains an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Within {
    /// A function: `stop_gradient` and `#[nodiff]` hold values fixed.
    Function,
    /// A rule, or what it calls: they do not.
    Rule,
}

impl Within {
    /// What contains the instructions of a function that is called from here.
    fn enter(self, callee: &Func) -> Within {
        match callee.of_rule {
            Some(RuleCheck::Every | RuleCheck::FirstOrder) => Within::Rule,
            // A trusted rule is not compared: it counts as an ordinary function.
            Some(RuleCheck::Trust | RuleCheck::Nonlinear) => Within::Function,
            None => self,
        }
    }
}

/// Makes frozen versions of a module's functions, each once.
#[derive(Clone, Default)]
pub(crate) struct Freezer {
    /// Whether a function holds something fixed there.
    freezes: FxHashMap<(FuncId, Within), bool>,
    versions: FxHashMap<Version, FuncId>,
    /// Versions that have a name but no body yet.
    open: Vec<(Version, FuncId)>,
}

/// A function, what contains it, and which of its parameters are displaced.
type Version = (FuncId, Within, Vec<bool>);

impl Freezer {
    /// The frozen version of `f` for displaced parameters: its parameters are the centres of all, then the displaced
    /// values. `None` if nothing is held fixed, so that `f` itself at the displaced point gives the same.
    pub(crate) fn run(
        &mut self,
        m: &mut Module,
        f: FuncId,
        moving: &[bool],
    ) -> Result<Option<FuncId>, Diagnostic> {
        let within = Within::Function.enter(m.func(f));
        self.scan(m, (f, within));
        if !self.freezes[&(f, within)] && !is_linear(m.func(f)) {
            return Ok(None);
        }
        let what = (f, within, moving.to_vec());
        if is_linear(m.func(f)) {
            return self.linear_entry(m, what).map(Some);
        }
        let version = self.version(m, what);
        // Versions without a body are not called yet: linearisations that are made meanwhile see a valid module.
        let mut built = Vec::new();
        while let Some(((g, within, moving), version)) = self.open.pop() {
            built.push((version, FrozenVersions::build(self, m, (g, within), &moving)?));
        }
        built.into_iter().for_each(|(version, func)| m.funcs[version.0 as usize] = func);
        Ok(Some(version))
    }

    /// Fills [`Self::freezes`] for everything that is reached. Callees are discovered after a caller, but not after all of
    /// their callers, so facts are propagated until nothing changes.
    fn scan(&mut self, m: &Module, from: (FuncId, Within)) {
        let mut reached = vec![from];
        let mut seen: FxHashSet<(FuncId, Within)> = reached.iter().copied().collect();
        let mut next = 0;
        while let Some(&(g, within)) = reached.get(next) {
            next += 1;
            self.freezes.entry((g, within)).or_insert(false);
            for callee in m.func(g).callees() {
                let callee = (callee, within.enter(m.func(callee)));
                if seen.insert(callee) {
                    reached.push(callee);
                }
            }
        }
        loop {
            let mut changed = false;
            for &(g, within) in reached.iter().rev() {
                // A rule replaces the whole function; a linearised one is handled at its calls.
                let own = m.func(g).rules.is_empty() && !self.freezes[&(g, within)];
                if own && m.func(g).region().is_some_and(|r| self.region_freezes(m, within, r)) {
                    self.freezes.insert((g, within), true);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn region_freezes(&self, m: &Module, within: Within, region: &Region) -> bool {
        region.insts.iter().any(|inst| {
            let here = match &inst.kind {
                Kind::Op(op) => *op == Op::StopGradient && within == Within::Function,
                Kind::Call(g) => {
                    let callee = m.func(*g);
                    let nodiff = within == Within::Function && callee.params.iter().any(|p| p.nodiff);
                    nodiff || self.splits(within, callee, *g)
                }
                Kind::Const(_) | Kind::If | Kind::Assert(_) | Kind::Size(_) | kinds!(Array | Loop) => false,
            };
            here || inst.regions.iter().any(|r| self.region_freezes(m, within, r))
        })
    }

    /// The function of a version; if it is new, the loop of [`Self::run`] writes its body.
    fn version(&mut self, m: &mut Module, what: Version) -> FuncId {
        if let Some(version) = self.versions.get(&what) {
            return *version;
        }
        let func = m.func(what.0);
        let name = m.fresh_name(&format!("{}.frozen", func.name));
        let version = m.add(Builder::new(name, func.span).finish(Vec::new()));
        self.versions.insert(what.clone(), version);
        self.open.push((what, version));
        version
    }

    /// Whether a call of `g`, which is `callee`, takes both centre and displaced arguments.
    fn splits(&self, within: Within, callee: &Func, g: FuncId) -> bool {
        is_linear(callee) || (callee.rules.is_empty() && self.freezes[&(g, within.enter(callee))])
    }

    /// The version of a function whose calls become linearisations, if that function itself is checked: a wrapper around
    /// the linearisation.
    fn linear_entry(&mut self, m: &mut Module, what: Version) -> Result<FuncId, Diagnostic> {
        if let Some(version) = self.versions.get(&what) {
            return Ok(*version);
        }
        let (f, moving) = (what.0, &what.2);
        let func = m.func(f).clone();
        let name = m.fresh_name(&format!("{}.frozen", func.name));
        let mut b = Builder::new(name.clone(), func.span);
        let p = Parameters::declare(&mut b, &func, moving);
        let outs = linearised(m, &mut b, f, &p.dims, &p.centre, &p.displaced)?;
        let names = func.results.iter().map(|r| r.name.clone());
        let version = m.add(b.finish(names.zip(outs).collect()));
        self.versions.insert(what, version);
        Ok(version)
    }
}

/// Whether a call of a function becomes its linearisation: it has a rule that is used without being compared, or is a rule
/// whose own derivative is not compared.
fn is_linear(func: &Func) -> bool {
    func.of_rule == Some(RuleCheck::FirstOrder) || func.rules.iter().any(|r| r.check.is_trusted())
}

/// The functions whose rules become linearisations in differences of these functions, because second derivatives through
/// them are not compared.
pub(crate) fn left_out(m: &Module, differenced: &[FuncId]) -> Vec<String> {
    let mut reached = m.reachable_from(differenced);
    reached.retain(|g| m.func(*g).of_rule == Some(RuleCheck::FirstOrder));
    let is_reached = |rule: FuncId| reached.iter().any(|g| *g == rule || m.origins(*g).any(|o| o.of == rule));
    // Copies of a function have its rules, and come after it.
    let mut seen = FxHashSet::default();
    let mut out: Vec<String> = Vec::new();
    for (func, rule) in m.funcs.iter().flat_map(|f| f.rules.iter().map(move |r| (f, r))) {
        if rule.check == RuleCheck::FirstOrder && seen.insert(rule.func) && is_reached(rule.func) {
            out.push(base_name(&func.name).to_string());
        }
    }
    out.dedup();
    out
}

/// Whether the first derivatives of a function are true derivatives, so that second ones are symmetric: not if rules state
/// otherwise.
pub(crate) fn is_conservative(m: &Module, f: FuncId) -> bool {
    m.reachable(f).into_iter().all(|g| !is_linear(m.func(g)))
}

/// The parameters of a frozen version. One that is not displaced has its centre as displaced value.
struct Parameters {
    dims: Vec<Value>,
    centre: Vec<Value>,
    displaced: Vec<Value>,
}

impl Parameters {
    fn declare(b: &mut Builder, func: &Func, moving: &[bool]) -> Parameters {
        let entry = Entry::declare(b, func, |ty| ty);
        let mut displaced: Vec<Value> = Vec::new();
        for (i, p) in func.params.iter().enumerate() {
            let value = if moving[i] {
                // A parameter may be the size of those after it; a displaced one is the size of the displaced ones.
                let mut data = entry.data(func, p.value, |ty| ty);
                let version = |v| entry.params[..i].iter().position(|p| *p == v).map_or(v, |k| displaced[k]);
                data.shape = data.shape.iter().map(|d| d.rename(version)).collect();
                b.param(format!("{}.moved", p.name), data)
            } else {
                entry.params[i]
            };
            displaced.push(value);
        }
        Parameters { dims: entry.dims, centre: entry.params, displaced }
    }
}

/// `g(c) + J_g(c)·(x − c)`, J by g's own rules; a result without derivative keeps its value at the centre.
fn linearised(
    m: &mut Module,
    b: &mut Builder,
    g: FuncId,
    dims: &[Value],
    centre: &[Value],
    displaced: &[Value],
) -> Result<Vec<Value>, Diagnostic> {
    let active: Vec<usize> =
        m.func(g).differentiable_params().into_iter().filter(|&i| centre[i] != displaced[i]).collect();
    let differentiable = m.func(g).differentiable_results();
    let mut args = [dims, centre].concat();
    if active.is_empty() || differentiable.is_empty() {
        return Ok(b.call_of(m, g, &args).to_vec());
    }
    let jvp = adc_ad::jvp(m, g, &active)?;
    for &i in &active {
        args.push(elementwise(b, Op::Sub, displaced[i], centre[i]));
    }
    let values = b.call_of(m, jvp, &args);
    let (mut outs, dots) = (values.to_vec(), values.len() - differentiable.len());
    for (dot, &k) in values[dots..].iter().zip(&differentiable) {
        outs[k] = elementwise(b, Op::Add, outs[k], *dot);
    }
    outs.truncate(dots);
    Ok(outs)
}
