//! Which functions a derivative needs: variants of callees, transposed rules. They are made callees first, by a
//! list of tasks instead of recursion, and found again by their names.

use crate::activity::{Activity, Dependences, own_derivative};
use crate::calls::{arguments, entry};
use crate::linearity::{self, Linearity};
use crate::storage::Policy;
use crate::{jvp, mutants, products, vjp};
use adc_ir::dce::{self, Asserting};
use adc_ir::mutants::derivative_order;
use adc_ir::{Builder, Code, Diagnostic, Func, FuncId, Inst, Kind, Module, Region, RuleKind, Value};
use rustc_hash::FxHashMap;

/// One or two functions that a session can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Primal and tangents of all differentiable results.
    Jvp { f: FuncId, wrt: Vec<usize> },
    /// Cotangents, and the primal results in front of them if `primal`.
    Vjp { f: FuncId, wrt: Vec<usize>, outputs: Vec<usize>, primal: bool },
    /// For calls: `fwd` with the residuals the caller cannot know, and `bwd`.
    Split { f: FuncId, wrt: Vec<usize>, outputs: Vec<usize> },
    /// For hosts: a forward function with all residuals, and the pullback.
    Linearize { f: FuncId, wrt: Vec<usize>, outputs: Vec<usize> },
    /// The transpose of a hand-written rule, linear in its parameters from `fixed` on.
    Transpose { rule: FuncId, fixed: usize },
}

impl Program {
    fn func(&self) -> FuncId {
        match self {
            Program::Jvp { f, .. }
            | Program::Vjp { f, .. }
            | Program::Split { f, .. }
            | Program::Linearize { f, .. }
            | Program::Transpose { rule: f, .. } => *f,
        }
    }

    /// Whether what it differentiates is a derivative program or, but to be transposed, a hand-written rule.
    fn is_second(&self, m: &Module) -> bool {
        let name = &m.func(self.func()).name;
        let name = match self {
            Program::Transpose { .. } => name.rsplit_once(".rule.").map_or(&name[..], |(f, _)| f),
            Program::Jvp { .. } | Program::Vjp { .. } | Program::Split { .. } | Program::Linearize { .. } => {
                name
            }
        };
        derivative_order(name) > 0
    }

    fn wrt(&self, func: &Func) -> Vec<usize> {
        match self {
            Program::Jvp { wrt, .. }
            | Program::Vjp { wrt, .. }
            | Program::Split { wrt, .. }
            | Program::Linearize { wrt, .. } => wrt.clone(),
            Program::Transpose { fixed, .. } => (*fixed..func.params.len()).collect(),
        }
    }

    fn outputs(&self, func: &Func) -> Vec<usize> {
        match self {
            Program::Jvp { .. } | Program::Transpose { .. } => func.differentiable_results(),
            Program::Vjp { outputs, .. }
            | Program::Split { outputs, .. }
            | Program::Linearize { outputs, .. } => outputs.clone(),
        }
    }

    fn direction(&self) -> Direction {
        match self {
            Program::Jvp { .. } => Direction::Forward,
            Program::Vjp { .. }
            | Program::Split { .. }
            | Program::Linearize { .. }
            | Program::Transpose { .. } => Direction::Reverse,
        }
    }

    /// The names of its functions in a module.
    fn names(&self, m: &Module, policy: Policy) -> Vec<String> {
        let func = m.func(self.func());
        let operators: &[&str] = match self {
            Program::Jvp { .. } => &["jvp"],
            Program::Vjp { primal: false, .. } => &["vjp"],
            Program::Vjp { primal: true, .. } => &["value_and_vjp"],
            Program::Split { .. } => &["fwd", "bwd"],
            Program::Linearize { .. } => &["linearize", "pullback"],
            Program::Transpose { .. } => return vec![format!("{}.transpose", func.name)],
        };
        let suffix = if self.direction() == Direction::Reverse { policy.suffix() } else { "" };
        let (wrt, outputs) = (self.wrt(func), self.outputs(func));
        operators.iter().map(|o| operator_name(func, o, &wrt, &outputs) + suffix).collect()
    }
}

/// `f.vjp` for every differentiable parameter and result, `f.vjp.w0_2.o1` (positions) otherwise.
pub(crate) fn operator_name(f: &Func, operator: &str, wrt: &[usize], outputs: &[usize]) -> String {
    if wrt == f.differentiable_params() && outputs == f.differentiable_results() {
        return format!("{}.{operator}", f.name);
    }
    let list = |positions: &[usize]| positions.iter().map(usize::to_string).collect::<Vec<_>>().join("_");
    format!("{}.{operator}.w{}.o{}", f.name, list(wrt), list(outputs))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Reverse,
}

/// How an active call is differentiated.
#[derive(Clone, Debug)]
pub(crate) enum Treatment {
    /// By a program made from the callee's body.
    Derived(Program),
    /// By a function with the signature of a `jvp` rule (forward) or a `vjp` rule (reverse).
    Linear(LinearRule),
    /// By a `partial` rule.
    Partial { func: FuncId, holomorphic: Vec<bool> },
}

#[derive(Clone, Debug)]
pub(crate) enum LinearRule {
    Written(FuncId),
    Transposed(Program),
}

/// An active call: its treatment, and the positions of the parameters and results of the callee that take part.
#[derive(Clone, Debug)]
pub(crate) struct ActiveCall {
    pub(crate) treatment: Treatment,
    pub(crate) wrt: Vec<usize>,
    pub(crate) outputs: Vec<usize>,
}

/// A function about to be differentiated and what is known about it.
pub(crate) struct Prepared {
    /// The function, or a call of it if it has rules.
    pub(crate) func: Func,
    pub(crate) wrt: Vec<usize>,
    pub(crate) outputs: Vec<usize>,
    pub(crate) activity: Activity,
    /// By the first result of the call.
    pub(crate) calls: FxHashMap<Value, ActiveCall>,
}

/// A module under differentiation.
pub(crate) struct Session<'m> {
    pub(crate) m: &'m mut Module,
    names: FxHashMap<String, FuncId>,
    dependences: Dependences,
    linearity: Linearity,
    first_new: usize,
    pub(crate) policy: Policy,
}

impl<'m> Session<'m> {
    pub(crate) fn new(m: &'m mut Module, policy: Policy) -> Session<'m> {
        let names = m.iter().map(|(id, f)| (f.name.clone(), id)).collect();
        let first_new = m.funcs.len();
        let (dependences, linearity) = (Dependences::default(), Linearity::default());
        Session { m, names, dependences, linearity, first_new, policy }
    }

    /// Makes a program, unless it is there, and everything it calls; the result is its functions.
    pub(crate) fn make(mut self, program: Program) -> Result<Vec<FuncId>, Diagnostic> {
        let result = self.ensure(&program);
        self.clean();
        result
    }

    pub(crate) fn ensure(&mut self, program: &Program) -> Result<Vec<FuncId>, Diagnostic> {
        let mut tasks: Vec<(Program, Option<Prepared>)> = vec![(program.clone(), None)];
        while let Some((program, prepared)) = tasks.pop() {
            if self.existing(&program).is_some() {
                continue;
            }
            let _making = mutants::making(program.is_second(self.m));
            match prepared {
                Some(prepared) => {
                    let of_rule = self.m.func(program.func()).of_rule;
                    for mut func in self.built(&program, &prepared) {
                        func.of_rule = of_rule;
                        self.names.insert(func.name.clone(), FuncId(self.m.funcs.len() as u32));
                        self.m.funcs.push(func);
                    }
                }
                None => {
                    let prepared = self.prepare(&program)?;
                    let needed = needed(&prepared);
                    tasks.push((program, Some(prepared)));
                    tasks.extend(needed.into_iter().map(|p| (p, None)));
                }
            }
        }
        Ok(self.existing(program).expect("it was just made"))
    }

    /// The functions of a program that has been made.
    pub(crate) fn existing(&self, program: &Program) -> Option<Vec<FuncId>> {
        program.names(self.m, self.policy).iter().map(|n| self.names.get(n).copied()).collect()
    }

    /// Removes dead code from what was made.
    fn clean(self) {
        if self.m.funcs.len() == self.first_new {
            return;
        }
        let asserting = Asserting::of(self.m);
        for f in &mut self.m.funcs[self.first_new..] {
            dce::run(f, &asserting);
            f.renumber();
        }
        #[cfg(debug_assertions)]
        adc_ir::verify::assert_valid(self.m, "differentiation");
    }

    fn built(&self, program: &Program, prepared: &Prepared) -> Vec<Func> {
        let mut names = program.names(self.m, self.policy).into_iter();
        let mut name = || names.next().expect("one name per function");
        match program {
            Program::Jvp { .. } => vec![jvp::build(self, prepared, name())],
            Program::Vjp { primal, .. } => vec![vjp::joint(self, prepared, name(), *primal)],
            Program::Transpose { fixed, .. } => vec![vjp::transposed(self, prepared, name(), *fixed)],
            Program::Split { .. } => {
                vjp::split(self, prepared, name(), name(), vjp::Residuals::Unknown).into()
            }
            Program::Linearize { .. } => {
                vjp::split(self, prepared, name(), name(), vjp::Residuals::All).into()
            }
        }
    }

    fn prepare(&mut self, program: &Program) -> Result<Prepared, Diagnostic> {
        let f = program.func();
        if let Program::Transpose { fixed, .. } = program {
            let checked = self.linearity.check(self.m, f, *fixed);
            checked.map_err(|violation| linearity::diagnostic(self.m.func(f), &violation, true))?;
        }
        let mut func =
            if own_derivative(self.m.func(f)) { calling(self.m, f) } else { self.m.func(f).clone() };
        if program.direction() == Direction::Reverse {
            products::run(&mut func);
        }
        let (wrt, outputs) = (program.wrt(&func), program.outputs(&func));
        self.dependences.require(self.m, &func)?;
        let activity = Activity::new(&func, &wrt, &outputs, &self.dependences);
        let mut calls = FxHashMap::default();
        let body = func.region().expect("a function with a body");
        self.treat(body, &activity, program.direction(), &mut calls)?;
        Ok(Prepared { wrt, outputs, activity, calls, func })
    }

    /// Decides on the active calls of a region.
    fn treat(
        &self,
        region: &Region,
        activity: &Activity,
        direction: Direction,
        calls: &mut FxHashMap<Value, ActiveCall>,
    ) -> Result<(), Diagnostic> {
        for inst in &region.insts {
            for r in &inst.regions {
                self.treat(r, activity, direction, calls)?;
            }
            let Kind::Call(callee) = inst.kind else { continue };
            let outputs: Vec<usize> =
                (0..inst.results.len()).filter(|&r| activity.is_active(inst.results[r])).collect();
            if outputs.is_empty() {
                continue;
            }
            let sets = self.dependences.of(callee);
            let args = arguments(self.m.func(callee), inst);
            let wrt: Vec<usize> = (0..args.len())
                .filter(|&i| activity.is_active(args[i]) && outputs.iter().any(|&r| sets[r].contains(i)))
                .collect();
            let treatment = self.treatment(callee, direction, &wrt, &outputs, inst)?;
            calls.insert(inst.results[0], ActiveCall { treatment, wrt, outputs });
        }
        Ok(())
    }

    fn treatment(
        &self,
        f: FuncId,
        direction: Direction,
        wrt: &[usize],
        outputs: &[usize],
        call: &Inst,
    ) -> Result<Treatment, Diagnostic> {
        let func = self.m.func(f);
        let (same, other) = match direction {
            Direction::Forward => (RuleKind::Jvp, RuleKind::Vjp),
            Direction::Reverse => (RuleKind::Vjp, RuleKind::Jvp),
        };
        if let Some(rule) = func.rule(same) {
            return Ok(Treatment::Linear(LinearRule::Written(rule.func)));
        }
        if let Some(rule) = func.rule(RuleKind::Partial) {
            return Ok(Treatment::Partial { func: rule.func, holomorphic: rule.holomorphic.clone() });
        }
        if let Some(rule) = func.rule(other) {
            let fixed = func.params.len() + func.results.len();
            let program = Program::Transpose { rule: rule.func, fixed };
            return Ok(Treatment::Linear(LinearRule::Transposed(program)));
        }
        if func.region().is_none() {
            return Err(no_rule(func, wrt, call));
        }
        let (wrt, outputs) = (wrt.to_vec(), outputs.to_vec());
        Ok(Treatment::Derived(match direction {
            Direction::Forward => Program::Jvp { f, wrt },
            Direction::Reverse => Program::Split { f, wrt, outputs },
        }))
    }

    /// The function that stands for a rule.
    pub(crate) fn rule_func(&self, rule: &LinearRule) -> FuncId {
        match rule {
            LinearRule::Written(f) => *f,
            LinearRule::Transposed(program) => self.existing(program).expect("made before its callers")[0],
        }
    }
}

/// The programs that calls of a prepared function need.
fn needed(prepared: &Prepared) -> Vec<Program> {
    let mut calls: Vec<_> = prepared.calls.iter().collect();
    calls.sort_by_key(|(v, _)| **v);
    calls
        .into_iter()
        .filter_map(|(_, call)| match &call.treatment {
            Treatment::Derived(p) | Treatment::Linear(LinearRule::Transposed(p)) => Some(p.clone()),
            Treatment::Linear(LinearRule::Written(_)) | Treatment::Partial { .. } => None,
        })
        .collect()
}

/// A function with the signature and name of `f` that calls `f`: a function with rules is differentiated as a
/// call of it is.
fn calling(m: &Module, f: FuncId) -> Func {
    let func = m.func(f);
    let (mut b, _) = Builder::like(func, func.name.clone());
    let entry = entry(b.func());
    let results = b.call_of(m, f, &entry);
    let names = func.results.iter().map(|r| r.name.clone());
    let mut wrapper = b.finish(names.zip(results).collect());
    wrapper.inline = func.inline;
    wrapper
}

fn no_rule(func: &Func, wrt: &[usize], call: &Inst) -> Diagnostic {
    let names: Vec<String> = wrt.iter().map(|&i| format!("`{}`", func.params[i].name)).collect();
    Diagnostic::error(
        Code::NoRule,
        format!("the extern function `{}` has no derivative rule", func.name),
    )
    .label(call.span, format!("differentiated with respect to {} here", names.join(", ")))
    .also(func.span, "declared here")
    .help(format!(
        "write `rule vjp {0}(…)`, `rule jvp {0}(…)` or `rule partial {0}(…)`, or mark the parameter `#[nodiff]`",
        func.name
    ))
}
