//! Making programs: callees first (variants of functions, transposed rules), by a list of tasks instead of recursion.

use crate::activity::{Activity, Dependences, own_derivative};
use crate::calls::{arguments, entry};
use crate::linearity::{self, Linearity};
use crate::method::Method;
use crate::program::{Direction, Program};
use crate::session::{ActiveCall, LinearRule, Prepared, Session, Treatment};
use crate::{jvp, products, vjp};
use adc_ir::dce::{self, Asserting};
use adc_ir::{
    Builder, Code, Derivation, Diagnostic, Func, FuncId, Inst, Kind, Module, Origin, Region, Rule, RuleCheck,
    RuleKind, Value,
};
use rustc_hash::FxHashMap;

/// Instructions that the derivative programs of a module may have together, however little they are derivatives of.
pub const MAX_MADE: usize = 100_000;
/// How many times as many as the functions that were written they may have, if that is more.
pub const MAX_TIMES: usize = 64;

/// Makes a program, unless it is there, and everything it calls; the result is its functions.
pub(crate) fn make(m: &mut Module, method: Method, program: &Program) -> Result<Vec<FuncId>, Diagnostic> {
    let first_new = m.funcs.len();
    let [written, made] = instructions(m);
    let allowed = MAX_MADE.max(written.saturating_mul(MAX_TIMES));
    let session = Session::new(m, method);
    let (dependences, linearity) = (Dependences::new(session.rules), Linearity::default());
    let mut maker = Maker { session, dependences, linearity, first_new, made, allowed };
    let result = maker.ensure(program);
    maker.clean();
    result
}

/// Instructions of the functions that were written, and of those that were made of them.
fn instructions(m: &Module) -> [usize; 2] {
    let mut count = [0; 2];
    for f in &m.funcs {
        let made = !matches!(f.origin, None | Some(Origin { program: Derivation::Rule(_), .. }));
        count[usize::from(made)] += f.inst_count();
    }
    count
}

/// A module to which programs are added, and what has been found out about its functions.
struct Maker<'m> {
    session: Session<'m>,
    dependences: Dependences<'m>,
    linearity: Linearity,
    first_new: usize,
    /// Instructions of derivative programs so far, and how many there may be.
    made: usize,
    allowed: usize,
}

impl Maker<'_> {
    fn ensure(&mut self, program: &Program) -> Result<Vec<FuncId>, Diagnostic> {
        // With the rule for whose transpose a program is needed.
        let mut tasks: Vec<(Program, Option<Prepared>, Option<FuncId>)> = vec![(program.clone(), None, None)];
        while let Some((program, prepared, within)) = tasks.pop() {
            if self.session.existing(&program).is_some() {
                continue;
            }
            match prepared {
                Some(prepared) => {
                    let of = program.func();
                    let of_rule = self.session.m.func(of).of_rule;
                    for (mut func, part) in self.built(&program, &prepared).into_iter().zip(program.parts()) {
                        func.of_rule = of_rule;
                        func.origin = Some(Origin { of, program: *part });
                        self.made += func.inst_count();
                        if self.made > self.allowed {
                            return Err(self.too_much(of));
                        }
                        self.session.add(func);
                    }
                }
                None => {
                    let within = match program {
                        Program::Transpose { rule, .. } => Some(rule),
                        Program::Jvp { .. }
                        | Program::Vjp { .. }
                        | Program::Split { .. }
                        | Program::Linearize { .. } => within,
                    };
                    let prepared = self.prepare(&program).map_err(|d| match within {
                        Some(rule) if d.code == Code::NoRule => transposing(self.session.m, rule, d),
                        Some(_) | None => d,
                    })?;
                    let needed = needed(&prepared);
                    tasks.push((program, Some(prepared), within));
                    tasks.extend(needed.into_iter().map(|p| (p, None, within)));
                }
            }
        }
        Ok(self.session.existing(program).expect("it was just made"))
    }

    fn too_much(&self, of: FuncId) -> Diagnostic {
        let func = self.session.m.func(of);
        let message = format!("derivatives of `{}` take more than {} operations", func.name, self.allowed);
        Diagnostic::error(Code::TooMuchCode, message)
            .label(func.span, "differentiated here")
            .help("differentiate fewer times: each derivative of a derivative is larger than the one before")
    }

    /// Removes dead code from what was made.
    fn clean(self) {
        if self.session.m.funcs.len() == self.first_new {
            return;
        }
        let asserting = Asserting::of(self.session.m);
        for f in &mut self.session.m.funcs[self.first_new..] {
            dce::run(f, &asserting);
            f.renumber();
        }
        #[cfg(debug_assertions)]
        adc_ir::verify::assert_valid(self.session.m, "differentiation");
    }

    fn built(&self, program: &Program, prepared: &Prepared) -> Vec<Func> {
        let mut names = program.names(self.session.m, self.session.policy).into_iter();
        let mut name = || names.next().expect("one name per function");
        match program {
            Program::Jvp { .. } => vec![jvp::build(&self.session, prepared, name())],
            Program::Vjp { primal, .. } => vec![vjp::joint(&self.session, prepared, name(), *primal)],
            Program::Transpose { fixed, .. } => {
                vec![vjp::transposed(&self.session, prepared, name(), *fixed)]
            }
            Program::Split { .. } => {
                vjp::split(&self.session, prepared, name(), name(), vjp::Residuals::Unknown).into()
            }
            Program::Linearize { .. } => {
                vjp::split(&self.session, prepared, name(), name(), vjp::Residuals::All).into()
            }
        }
    }

    fn prepare(&mut self, program: &Program) -> Result<Prepared, Diagnostic> {
        let f = program.func();
        if let Program::Transpose { fixed, .. } = program {
            let checked = self.linearity.check(self.session.m, f, *fixed);
            checked.map_err(|violation| linearity::diagnostic(self.session.m, f, &violation, true))?;
        }
        let mut func = if own_derivative(self.session.m.func(f)) {
            calling(self.session.m, f)
        } else {
            self.session.m.func(f).clone()
        };
        if program.direction() == Direction::Reverse {
            products::run(&mut func);
        }
        let (wrt, outputs) = (program.wrt(&func), program.outputs(&func));
        self.dependences.require(self.session.m, &func)?;
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
            let args = arguments(self.session.m.func(callee), inst);
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
        let func = self.session.m.func(f);
        let (same, other) = match direction {
            Direction::Forward => (RuleKind::Jvp, RuleKind::Vjp),
            Direction::Reverse => (RuleKind::Vjp, RuleKind::Jvp),
        };
        if direction == Direction::Forward && wrt.iter().all(|&i| func.params[i].linear) {
            return Ok(Treatment::Itself);
        }
        if let Some(rule) = func.rule(same) {
            return Ok(Treatment::Linear(LinearRule::Written(rule.func)));
        }
        if let Some(rule) = func.rule(RuleKind::Partial) {
            return Ok(Treatment::Partial { func: rule.func, holomorphic: rule.holomorphic.clone() });
        }
        if let Some(rule) = func.rule(other) {
            if rule.check == RuleCheck::Nonlinear {
                return Err(reverse_only(func, rule, call));
            }
            let fixed = func.params.len() + func.results.len();
            let program = Program::Transpose { rule: rule.func, fixed };
            return Ok(Treatment::Linear(LinearRule::Transposed(program)));
        }
        if func.region().is_none() {
            return Err(no_rule(func, direction, wrt, call));
        }
        let (wrt, outputs) = (wrt.to_vec(), outputs.to_vec());
        Ok(Treatment::Derived(match direction {
            Direction::Forward => Program::Jvp { f, wrt },
            Direction::Reverse => Program::Split { f, wrt, outputs },
        }))
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
            Treatment::Itself | Treatment::Linear(LinearRule::Written(_)) | Treatment::Partial { .. } => None,
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

fn no_rule(func: &Func, direction: Direction, wrt: &[usize], call: &Inst) -> Diagnostic {
    let list = |of: &[usize]| {
        let names: Vec<String> = of.iter().map(|&i| format!("`{}`", func.params[i].name)).collect();
        names.join(", ")
    };
    let linear = func.linear_params();
    let beyond: Vec<usize> = wrt.iter().copied().filter(|i| !linear.contains(i)).collect();
    let (name, reverse) = (&func.name, direction == Direction::Reverse);
    let (mode, needs) = match beyond.is_empty() {
        true => (" for reverse mode", wrt),
        false => ("", &beyond[..]),
    };
    let message = format!("the extern function `{name}` has no derivative rule{mode}");
    let d = Diagnostic::error(Code::NoRule, message)
        .label(call.span, format!("differentiated with respect to {} here", list(needs)))
        .also(func.span, "declared here");
    if beyond.is_empty() {
        let note = format!("`#[linear]` gives forward mode only, with respect to {}", list(&linear));
        return d.note(note).help(format!("write `rule vjp {name}(…)`"));
    }
    let d = match linear.is_empty() {
        true => d,
        false => d.note(format!("`#[linear]` gives the derivative with respect to {} only", list(&linear))),
    };
    let rules = if reverse && !linear.is_empty() {
        format!("write `rule vjp {name}(…)`")
    } else {
        format!("write `rule vjp {name}(…)`, `rule jvp {name}(…)` or `rule partial {name}(…)`")
    };
    d.help(format!("{rules}, or mark the parameter `#[nodiff]`"))
}

/// The error for a rule that has to be transposed and calls something that cannot be.
fn transposing(m: &Module, rule: FuncId, d: Diagnostic) -> Diagnostic {
    let Some(Origin { of, program: Derivation::Rule(kind) }) = m.func(rule).origin else { return d };
    // Without the numbers of its dimensions.
    let (function, word) = (m.func(of).name.split('[').next().unwrap_or_default(), kind.name());
    let other = if kind == RuleKind::Vjp { "jvp" } else { "vjp" };
    let why = d.message.clone();
    let message = format!("`{function}` has no `{other}` rule, and its `{word}` rule cannot be transposed");
    let d = Diagnostic { message, ..d };
    d.note(why).help(format!("write `rule {other} {function}(…)`"))
}

/// The error for forward mode where the only rule is `#[nonlinear]`.
fn reverse_only(func: &Func, rule: &Rule, call: &Inst) -> Diagnostic {
    let name = &func.name;
    Diagnostic::error(Code::NonLinearRule, format!("`{name}` has no derivative in forward mode"))
        .label(call.span, "its tangent is needed here")
        .also(rule.span, "this `#[nonlinear]` rule has no transpose")
        .help(format!("use reverse mode (`grad`, `vjp`), or write `rule jvp {name}(…)`"))
}
