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
//! computed at the centre there. Values that do not move are computed once; centre values only where
//! something frozen needs them. Assertions test displaced values: those of the centre have been tested
//! by the primal.

use adc_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes frozen versions of a module's functions, each once.
#[derive(Default)]
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
                Kind::Const(_) | Kind::If | Kind::Assert(_) => false,
                kind => kind.refused(),
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

    /// A trusted function checked itself: a frame around its linearisation.
    fn trusted_entry(&mut self, m: &mut Module, f: FuncId, moving: &[bool]) -> Result<FuncId, Diagnostic> {
        if let Some(version) = self.versions.get(&(f, moving.to_vec())) {
            return Ok(*version);
        }
        let func = m.func(f).clone();
        let name = m.fresh_name(&format!("{}.frozen", func.name));
        let mut b = Builder::new(name.clone(), func.span);
        let (centre, displaced) = parameters(&mut b, &func, moving);
        let outs = linearised(m, &mut b, f, &centre, &displaced)?;
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

/// Declares the parameters of a frozen version; a parameter that stays has its centre as displaced value.
fn parameters(b: &mut Builder, func: &Func, moving: &[bool]) -> (Vec<Value>, Vec<Value>) {
    let declare = |b: &mut Builder, i: usize, name: String| {
        b.set_span(func.params[i].span);
        b.param(name, func.param_ty(i))
    };
    let centre: Vec<Value> =
        (0..func.params.len()).map(|i| declare(b, i, func.params[i].name.clone())).collect();
    let displaced = (0..func.params.len())
        .map(|i| match moving[i] {
            true => declare(b, i, format!("{}.moved", func.params[i].name)),
            false => centre[i],
        })
        .collect();
    (centre, displaced)
}

/// `g(c) + J_g(c)·(x − c)`, J by g's own rules; a result without derivative keeps its value at the centre.
fn linearised(
    m: &mut Module,
    b: &mut Builder,
    g: FuncId,
    centre: &[Value],
    displaced: &[Value],
) -> Result<Vec<Value>, Diagnostic> {
    let active: Vec<usize> =
        m.func(g).differentiable_params().into_iter().filter(|&i| centre[i] != displaced[i]).collect();
    let types: Vec<Type> = m.func(g).results.iter().map(|r| r.ty).collect();
    let differentiable = m.func(g).differentiable_results();
    if active.is_empty() || differentiable.is_empty() {
        return Ok(b.call(g, centre, &types).to_vec());
    }
    let jvp = adc_ad::jvp(m, g, &active)?;
    let mut args = centre.to_vec();
    for &i in &active {
        args.push(b.op(Op::Sub, &[displaced[i], centre[i]]));
    }
    let mut result_types = types.clone();
    result_types.extend(differentiable.iter().map(|&k| types[k]));
    let values = b.call(jvp, &args, &result_types);
    let mut outs = values[..types.len()].to_vec();
    for (dot, &k) in values[types.len()..].iter().zip(&differentiable) {
        outs[k] = b.op(Op::Add, &[outs[k], *dot]);
    }
    Ok(outs)
}

/// Builds one frozen version.
struct Halves<'a> {
    freezer: &'a mut Freezer,
    m: &'a mut Module,
    func: Func,
    b: Builder,
    /// Whether a value differs between centre and displaced point.
    moves: Vec<bool>,
    /// Whether the value at the centre is needed of one that moves.
    needed: Vec<bool>,
    centre: Vec<Option<Value>>,
    displaced: Vec<Option<Value>>,
}

impl<'a> Halves<'a> {
    fn build(
        freezer: &'a mut Freezer,
        m: &'a mut Module,
        f: FuncId,
        moving: &[bool],
    ) -> Result<Func, Diagnostic> {
        let func = m.func(f).clone();
        let n = func.values.len();
        let version = freezer.versions[&(f, moving.to_vec())];
        let mut b = Builder::new(m.func(version).name.clone(), func.span);
        let (c, d) = parameters(&mut b, &func, moving);
        let mut h = Halves {
            freezer,
            m,
            b,
            moves: vec![false; n],
            needed: vec![false; n],
            centre: vec![None; n],
            displaced: vec![None; n],
            func: func.clone(),
        };
        for (i, p) in func.params.iter().enumerate() {
            let v = p.value.0 as usize;
            h.moves[v] = moving[i];
            h.centre[v] = Some(c[i]);
            h.displaced[v] = Some(d[i]);
        }
        let body = func.region().expect("native functions freeze nothing");
        h.mark_moving(body);
        h.mark_needed(body);
        h.region(body)?;
        let outs: Vec<Value> = body.yields.iter().map(|v| h.moved(*v)).collect();
        let names = func.results.iter().map(|r| r.name.clone());
        let b = h.b;
        Ok(b.finish(names.zip(outs).collect()))
    }

    fn mark_moving(&mut self, region: &Region) {
        for inst in &region.insts {
            inst.regions.iter().for_each(|r| self.mark_moving(r));
            let any = |h: &Self| inst.args.iter().any(|a| h.moves[a.0 as usize]);
            let all: Vec<bool> = match &inst.kind {
                Kind::Const(_) | Kind::Op(Op::StopGradient) => vec![false],
                Kind::Op(_) => vec![any(self)],
                Kind::Call(g) => {
                    let callee = self.m.func(*g);
                    let args = inst.args.iter().enumerate();
                    let any = args
                        .filter(|(i, _)| !callee.params[*i].nodiff)
                        .any(|(_, a)| self.moves[a.0 as usize]);
                    let discrete = trusted(callee);
                    callee.results.iter().map(|r| any && (!discrete || r.ty.is_differentiable())).collect()
                }
                Kind::If => {
                    let cond = any(self);
                    let yields = |k: usize| inst.regions.iter().any(|r| self.moves[r.yields[k].0 as usize]);
                    (0..inst.results.len()).map(|k| cond || yields(k)).collect()
                }
                Kind::Assert(_) => Vec::new(),
                kind => kind.refused(),
            };
            for (v, moves) in inst.results.iter().zip(all) {
                self.moves[v.0 as usize] = moves;
            }
        }
    }

    /// Backwards: which moving values are needed at the centre.
    fn mark_needed(&mut self, region: &Region) {
        for inst in region.insts.iter().rev() {
            let result_needed = inst.results.iter().any(|v| self.needed[v.0 as usize]);
            match &inst.kind {
                Kind::Op(op) => {
                    if *op == Op::StopGradient || result_needed {
                        self.need(&inst.args);
                    }
                }
                Kind::Call(g) => {
                    let callee = self.m.func(*g);
                    let nodiff: Vec<Value> = (0..inst.args.len())
                        .filter(|&i| callee.params[i].nodiff)
                        .map(|i| inst.args[i])
                        .collect();
                    if result_needed || self.splits(*g) {
                        self.need(&inst.args);
                    } else {
                        self.need(&nodiff);
                    }
                }
                Kind::If => {
                    if result_needed {
                        self.need(&inst.args);
                        inst.regions.iter().for_each(|r| self.need_captured(r, &mut FxHashSet::default()));
                    }
                    inst.regions.iter().for_each(|r| self.mark_needed(r));
                }
                Kind::Const(_) | Kind::Assert(_) => {}
                kind => kind.refused(),
            }
        }
    }

    fn need(&mut self, values: &[Value]) {
        for v in values {
            self.needed[v.0 as usize] = true;
        }
    }

    /// What a region uses of the outside: its copy at the centre is made as a whole.
    fn need_captured(&mut self, region: &Region, inside: &mut FxHashSet<Value>) {
        for inst in &region.insts {
            inst.args.iter().for_each(|v| self.need_outer(*v, inside));
            inst.regions.iter().for_each(|r| self.need_captured(r, inside));
            inside.extend(&inst.results);
        }
        region.yields.iter().for_each(|v| self.need_outer(*v, inside));
    }

    fn need_outer(&mut self, v: Value, inside: &FxHashSet<Value>) {
        if !inside.contains(&v) {
            self.needed[v.0 as usize] = true;
        }
    }

    /// Whether a call of `g` takes centre and displaced arguments side by side.
    fn splits(&self, g: FuncId) -> bool {
        let callee = self.m.func(g);
        trusted(callee) || (callee.rules.is_empty() && self.freezer.freezes[&g])
    }

    fn at_centre(&self, v: Value) -> Value {
        let i = v.0 as usize;
        if self.moves[i] { self.centre[i].expect("marked as needed") } else { self.moved(v) }
    }

    fn moved(&self, v: Value) -> Value {
        self.displaced[v.0 as usize].expect("defined before its use")
    }

    fn region(&mut self, region: &Region) -> Result<(), Diagnostic> {
        for inst in &region.insts {
            self.b.set_span(inst.span);
            self.inst(inst)?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Diagnostic> {
        let types: Vec<Type> = inst.results.iter().map(|v| self.func.ty(*v)).collect();
        let moves = inst.results.iter().any(|v| self.moves[v.0 as usize]);
        let needed = moves && inst.results.iter().any(|v| self.needed[v.0 as usize]);
        match &inst.kind {
            Kind::Op(Op::StopGradient) => {
                let frozen = self.at_centre(inst.args[0]);
                self.define(inst, &[frozen], false);
            }
            Kind::Const(_) | Kind::Op(_) => {
                if needed {
                    let args: Vec<Value> = inst.args.iter().map(|a| self.at_centre(*a)).collect();
                    let out = self.b.inst(inst.kind.clone(), &args, &types, Vec::new());
                    self.define(inst, &out, true);
                }
                let args: Vec<Value> = inst.args.iter().map(|a| self.moved(*a)).collect();
                let out = self.b.inst(inst.kind.clone(), &args, &types, Vec::new());
                self.define(inst, &out, false);
            }
            Kind::Call(g) => self.call(*g, inst, &types, needed)?,
            Kind::If => {
                if needed {
                    let out = self.copy(inst);
                    self.define(inst, &out, true);
                }
                let cond = self.moved(inst.args[0]);
                let mut regions = Vec::new();
                for r in &inst.regions {
                    self.b.open();
                    self.region(r)?;
                    let yields = r.yields.iter().map(|v| self.moved(*v)).collect();
                    regions.push(self.b.close(yields));
                }
                self.b.set_span(inst.span);
                let out = self.b.inst(Kind::If, &[cond], &types, regions);
                self.define(inst, &out, false);
            }
            Kind::Assert(guard) => {
                let cond = self.moved(inst.args[0]);
                self.b.assert(guard.clone(), cond);
            }
            kind => kind.refused(),
        }
        Ok(())
    }

    fn call(&mut self, g: FuncId, inst: &Inst, types: &[Type], needed: bool) -> Result<(), Diagnostic> {
        let callee = self.m.func(g);
        let linear = trusted(callee);
        let nodiff: Vec<bool> = callee.params.iter().map(|p| p.nodiff).collect();
        let args = |h: &Self, i: usize| {
            let (v, frozen) = (inst.args[i], nodiff[i]);
            if frozen { h.at_centre(v) } else { h.moved(v) }
        };
        let displaced: Vec<Value> = (0..inst.args.len()).map(|i| args(self, i)).collect();
        let centre: Vec<Value> = match needed || self.splits(g) {
            true => inst.args.iter().map(|a| self.at_centre(*a)).collect(),
            false => Vec::new(),
        };
        if needed {
            let out = self.b.call(g, &centre, types);
            self.define(inst, &out, true);
        }
        if linear {
            let out = linearised(self.m, &mut self.b, g, &centre, &displaced)?;
            self.define(inst, &out, false);
        } else if self.splits(g) && centre != displaced {
            let moving: Vec<bool> = centre.iter().zip(&displaced).map(|(c, d)| c != d).collect();
            let mut args = centre;
            args.extend(displaced.iter().zip(&moving).filter(|(_, moves)| **moves).map(|(d, _)| *d));
            let version = self.freezer.version(self.m, g, moving);
            let out = self.b.call(version, &args, types);
            self.define(inst, &out, false);
        } else {
            let out = self.b.call(g, &displaced, types);
            self.define(inst, &out, false);
        }
        Ok(())
    }

    /// The instruction with its regions as they are, at the centre. Assertions are left out.
    fn copy(&mut self, inst: &Inst) -> Values {
        let mut local = FxHashMap::default();
        self.copy_inst(inst, &mut local)
    }

    fn copy_inst(&mut self, inst: &Inst, local: &mut FxHashMap<Value, Value>) -> Values {
        let mapped = |h: &Self, v: Value, local: &FxHashMap<Value, Value>| {
            local.get(&v).copied().unwrap_or_else(|| h.at_centre(v))
        };
        let args: Vec<Value> = inst.args.iter().map(|a| mapped(self, *a, local)).collect();
        let types: Vec<Type> = inst.results.iter().map(|v| self.func.ty(*v)).collect();
        let mut regions = Vec::new();
        for r in &inst.regions {
            self.b.open();
            for inner in &r.insts {
                if !matches!(inner.kind, Kind::Assert(_)) {
                    let out = self.copy_inst(inner, local);
                    local.extend(inner.results.iter().copied().zip(out));
                }
            }
            let yields = r.yields.iter().map(|v| mapped(self, *v, local)).collect();
            regions.push(self.b.close(yields));
        }
        self.b.inst(inst.kind.clone(), &args, &types, regions)
    }

    fn define(&mut self, inst: &Inst, values: &[Value], centre: bool) {
        for (v, new) in inst.results.iter().zip(values) {
            let half = if centre { &mut self.centre } else { &mut self.displaced };
            half[v.0 as usize] = Some(*new);
        }
    }
}
