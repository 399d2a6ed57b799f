//! Making programs: callees first (variants of functions, transposed rules), by a list of tasks instead of recursion.

use crate::activity::{Activity, Dependences, own_derivative};
use crate::calls::{arguments, entry};
use crate::linearity::{self, Linearity};
use crate::method::Method;
use crate::program::{Direction, Program};
use crate::session::{ActiveCall, LinearRule, Prepared, Session, Treatment};
use crate::{jvp, products, vjp};
use adc_ir::dce::{self, Asserting};
use adc_ir::{Builder, Code, Diagnostic, Func, FuncId, Inst, Kind, Module, Origin, Region, RuleKind, Value};
use rustc_hash::FxHashMap;

/// Makes a program, unless it is there, and everything it calls; the result is its functions.
pub(crate) fn make(m: &mut Module, method: Method, program: &Program) -> Result<Vec<FuncId>, Diagnostic> {
    let first_new = m.funcs.len();
    let session = Session::new(m, method);
    let (dependences, linearity) = (Dependences::new(session.rules), Linearity::default());
    let mut maker = Maker { session, dependences, linearity, first_new };
    let result = maker.ensure(program);
    maker.clean();
    result
}

/// A module to which programs are added, and what has been found out about its functions.
struct Maker<'m> {
    session: Session<'m>,
    dependences: Dependences<'m>,
    linearity: Linearity,
    first_new: usize,
}

impl Maker<'_> {
    fn ensure(&mut self, program: &Program) -> Result<Vec<FuncId>, Diagnostic> {
        let mut tasks: Vec<(Program, Option<Prepared>)> = vec![(program.clone(), None)];
        while let Some((program, prepared)) = tasks.pop() {
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
                        self.session.add(func);
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
        Ok(self.session.existing(program).expect("it was just made"))
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
