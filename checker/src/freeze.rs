//! Functions with frozen and moving halves: what a difference quotient has to call so that it freezes
//! what the derivative freezes.
//!
//! The frozen version of `f` takes the centre of every parameter and the displaced value of those that
//! move, and returns `f` at the displaced point, except that
//! * `stop_gradient(e)` and the arguments of `#[nodiff]` parameters keep their value at the centre;
//! * a call of a function with a trusted rule is its linearisation around the centre,
//!   `g(c) + J_g(c)·(x − c)`: the rule is used, not compared;
//! * a call of a function with other rules is the plain call: its rule stands for its whole value,
//!   also for what its body would freeze.
//!
//! Inside an `if` the displaced condition picks the branch, and the frozen values of that branch are
//! computed at the centre there. A loop turns as often as the displaced values say, and carries the values at the
//! centre beside them where something frozen in it needs them. Values that do not move are computed once; centre
//! values only where something frozen needs them. Assertions test displaced values: those of the centre have been
//! tested by the primal.

mod halves;
mod marks;

use crate::entry::{Entry, elementwise};
use adc_ir::*;
use halves::Halves;
use rustc_hash::FxHashMap;

/// Makes frozen versions of a module's functions, each once.
#[derive(Clone, Default)]
pub(crate) struct Freezer {
    /// Whether a function freezes something.
    freezes: FxHashMap<FuncId, bool>,
    versions: FxHashMap<(FuncId, Vec<bool>), FuncId>,
    /// Versions that have a name but no body yet.
    open: Vec<(FuncId, Vec<bool>, FuncId)>,
}

impl Freezer {
    /// The frozen version of `f` for the parameters that move: centres of all, then displaced values of the
    /// moving ones. `None` if nothing is frozen, so that `f` itself at the displaced point is the same.
    pub(crate) fn run(
        &mut self,
        m: &mut Module,
        f: FuncId,
        moving: &[bool],
    ) -> Result<Option<FuncId>, Diagnostic> {
        self.scan(m, f);
        if !self.freezes[&f] && !trusted(m.func(f)) {
            return Ok(None);
        }
        if trusted(m.func(f)) {
            return self.trusted_entry(m, f, moving).map(Some);
        }
        let version = self.version(m, f, moving.to_vec());
        while let Some((g, moving, version)) = self.open.pop() {
            let func = Halves::build(self, m, g, &moving)?;
            m.funcs[version.0 as usize] = func;
        }
        Ok(Some(version))
    }

    /// Fills [`Self::freezes`] for everything `f` reaches. Callees are discovered after a caller, but not
    /// always all callers first, so facts are propagated until nothing changes.
    fn scan(&mut self, m: &Module, f: FuncId) {
        let reached = m.reachable(f);
        for &g in &reached {
            self.freezes.entry(g).or_insert(false);
        }
        loop {
            let mut changed = false;
            for &g in reached.iter().rev() {
                // A rule stands for the whole function; a trusted one is dealt with at its calls.
                let own = m.func(g).rules.is_empty();
                if own && !self.freezes[&g] && m.func(g).region().is_some_and(|r| self.region_freezes(m, r)) {
                    self.freezes.insert(g, true);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn region_freezes(&self, m: &Module, region: &Region) -> bool {
        region.insts.iter().any(|inst| {
            let here = match &inst.kind {
                Kind::Op(op) => *op == Op::StopGradient,
                Kind::Call(g) => {
                    let callee = m.func(*g);
                    trusted(callee)
                        || callee.params.iter().any(|p| p.nodiff)
                        || (callee.rules.is_empty() && self.freezes[g])
                }
                Kind::Const(_)
                | Kind::If
                | Kind::Assert(_)
                | Kind::Size(_)
                | Kind::Fill
                | Kind::Pack
                | Kind::Index
                | Kind::Update
                | Kind::AddAt
                | Kind::Slice
                | Kind::UpdateSlice
                | Kind::AddSlice
                | Kind::Reshape
                | Kind::Build { .. }
                | Kind::Reduce(_)
                | Kind::For(_)
                | Kind::While(_)
                | Kind::MatMul
                | Kind::Transpose
                | Kind::Linalg(_) => false,
            };
            here || inst.regions.iter().any(|r| self.region_freezes(m, r))
        })
    }

    /// The version's function, to be filled in by the loop of [`Self::run`] if it is new.
    fn version(&mut self, m: &mut Module, f: FuncId, moving: Vec<bool>) -> FuncId {
        if let Some(version) = self.versions.get(&(f, moving.clone())) {
            return *version;
        }
        let name = m.fresh_name(&format!("{}.frozen", m.func(f).name));
        let version = m.add(Builder::new(name, m.func(f).span).finish(Vec::new()));
        self.versions.insert((f, moving.clone()), version);
        self.open.push((f, moving, version));
        version
    }

    /// Whether a call of `g`, which is `callee`, takes centre and displaced arguments side by side.
    fn splits(&self, callee: &Func, g: FuncId) -> bool {
        trusted(callee) || (callee.rules.is_empty() && self.freezes[&g])
    }

    /// A trusted function checked itself: a frame around its linearisation.
    fn trusted_entry(&mut self, m: &mut Module, f: FuncId, moving: &[bool]) -> Result<FuncId, Diagnostic> {
        if let Some(version) = self.versions.get(&(f, moving.to_vec())) {
            return Ok(*version);
        }
        let func = m.func(f).clone();
        let name = m.fresh_name(&format!("{}.frozen", func.name));
        let mut b = Builder::new(name.clone(), func.span);
        let p = Parameters::declare(&mut b, &func, moving);
        let outs = linearised(m, &mut b, f, &p.dims, &p.centre, &p.displaced)?;
        let names = func.results.iter().map(|r| r.name.clone());
        let version = m.add(b.finish(names.zip(outs).collect()));
        self.versions.insert((f, moving.to_vec()), version);
        Ok(version)
    }
}

/// Whether a function has a rule that is used without being compared.
pub(crate) fn trusted(func: &Func) -> bool {
    func.rules.iter().any(|r| r.trusted)
}

/// The parameters of a frozen version; one that stays has its centre as displaced value.
struct Parameters {
    dims: Vec<Value>,
    centre: Vec<Value>,
    displaced: Vec<Value>,
}

impl Parameters {
    fn declare(b: &mut Builder, func: &Func, moving: &[bool]) -> Parameters {
        let entry = Entry::declare(b, func, |ty| ty);
        let displaced = (func.params.iter().enumerate())
            .map(|(i, p)| match moving[i] {
                true => {
                    let data = entry.data(func, p.value, |ty| ty);
                    b.param(format!("{}.moved", p.name), data)
                }
                false => entry.params[i],
            })
            .collect();
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
