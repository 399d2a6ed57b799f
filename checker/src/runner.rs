//! Compiled programs with memory for their arguments and results.

use crate::coordinates::sizes;
use adc_ir::interp::Limits;
use adc_ir::*;
use adc_jit::{Arg, Cancel, Compiled, Effort, Externs, Options, Out, Workspace};

/// What is needed to compile and run programs.
pub(crate) struct Engine {
    pub externs: Externs,
    /// The limits of one evaluation of the checked function.
    pub limits: Limits,
    workspace: Workspace,
    cancel: Option<Cancel>,
    /// Iterations of the function at the current point; `None` before it ran there.
    primal: Option<u64>,
    /// The most iterations of a program at that point.
    iterations: u64,
    /// Whether programs run beside that point: a run that does not end soon counts as one without a value.
    aside: bool,
    /// How often such a program evaluates the function, if known.
    evaluations: Option<u64>,
}

/// Iterations of derivative and difference programs at the point, where they end if the function does.
const AT_POINT: u64 = 1 << 24;
/// Iterations beside the point, where it is not known whether they end: fewer.
const ASIDE: u64 = 1 << 14;

/// Additional iterations for each evaluation of the function, which takes `iterations` at the point; if the number of
/// evaluations is not known, for each number in arguments and results. It is a multiple, since an evaluation may consist of
/// several versions, and a smaller one for long runs: short ones may be many times as long beside a point.
fn longer(iterations: u64) -> u64 {
    iterations.saturating_mul(16).min(iterations.saturating_mul(8).saturating_add(ASIDE))
}

/// With its own workspace, for another thread.
impl Clone for Engine {
    fn clone(&self) -> Engine {
        let mut engine = Engine::new(self.externs.clone(), self.limits);
        engine.set_cancel(self.cancel.clone());
        engine
    }
}

impl Engine {
    pub(crate) fn new(externs: Externs, limits: Limits) -> Engine {
        let workspace = Workspace::new();
        Engine {
            externs,
            limits,
            workspace,
            cancel: None,
            primal: None,
            iterations: 0,
            aside: false,
            evaluations: None,
        }
    }

    /// The same at this point, with its own workspace, for another thread.
    pub(crate) fn here(&self) -> Engine {
        let &Engine { primal, iterations, aside, evaluations, .. } = self;
        Engine { primal, iterations, aside, evaluations, ..self.clone() }
    }

    /// Runs end as if out of fuel once this is cancelled.
    pub(crate) fn set_cancel(&mut self, cancel: Option<Cancel>) {
        self.workspace.set_cancel(cancel.clone());
        self.cancel = cancel;
    }

    /// Whether the run was cancelled: then its results are not valid.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// Starts another point.
    pub(crate) fn arrive(&mut self) {
        (self.primal, self.iterations) = (None, 0);
    }

    /// Records that the function has run at the point.
    pub(crate) fn evaluated(&mut self) {
        self.primal = Some(self.workspace.iterations());
    }

    /// Iterations of the function at the point.
    pub(crate) fn primal_iterations(&self) -> u64 {
        self.primal.unwrap_or(0)
    }

    /// The most iterations of a program at the point.
    pub(crate) fn longest(&self) -> u64 {
        self.iterations
    }

    /// Runs programs beside the point, after others have run at it.
    pub(crate) fn aside<T>(&mut self, run: impl FnOnce(&mut Engine) -> T) -> T {
        let before = std::mem::replace(&mut self.aside, true);
        let result = run(self);
        self.aside = before;
        result
    }

    /// As [`Self::aside`], for programs that evaluate the function this many times.
    pub(crate) fn aside_for<T>(&mut self, evaluations: usize, run: impl FnOnce(&mut Engine) -> T) -> T {
        let before = self.evaluations.replace(evaluations as u64);
        let result = self.aside(run);
        self.evaluations = before;
        result
    }

    /// The functions, compiled together. Their parameters and results have sizes that are numbers.
    pub(crate) fn compile(&self, m: &Module, funcs: &[FuncId]) -> Result<Vec<Runner>, Diagnostic> {
        self.compile_with(m, funcs, &Options::default())
    }

    /// As [`Self::compile`], for programs that run a few times.
    pub(crate) fn compile_quickly(&self, m: &Module, funcs: &[FuncId]) -> Result<Vec<Runner>, Diagnostic> {
        let mut options = Options::default();
        // In a single pass, long functions are no more expensive than short ones.
        (options.effort, options.unit_ops) = (Effort::Quick, 10_000);
        self.compile_with(m, funcs, &options)
    }

    /// As [`Self::compile`], with other options.
    pub(crate) fn compile_with(
        &self,
        m: &Module,
        funcs: &[FuncId],
        options: &Options,
    ) -> Result<Vec<Runner>, Diagnostic> {
        let code = adc_jit::compile(m, funcs, &self.externs, options)?;
        let elements = elements(m, funcs);
        let room =
            |data: &ValueData| Datum::zeros(data.ty.scalar(), &sizes(data).expect("checked by the request"));
        let runner = |(f, code): (&FuncId, Compiled)| {
            let func = m.func(*f);
            let inputs = func.params.iter().map(|p| room(func.data(p.value))).collect();
            let outputs = func.results.iter().map(|r| room(&r.data())).collect();
            let elements = elements[f.0 as usize];
            Runner { code, inputs, outputs, elements, iterations: 0 }
        };
        Ok(funcs.iter().zip(code).map(runner).collect())
    }
}

/// By function: elements of the arrays that one call makes with those it calls, as far as they are in no loop. A function may
/// make them in one piece that a program of it makes in a loop, whose iterations count.
fn elements(m: &Module, funcs: &[FuncId]) -> Vec<u64> {
    fn of(r: &Region, f: &Func, found: &[u64]) -> u64 {
        let inst = |i: &Inst| {
            let called = if let Kind::Call(g) = i.kind { found[g.0 as usize] } else { 0 };
            let made = i.results.iter().filter(|v| f.ty(**v).is_array()).map(|v| {
                let sizes = f.shape(*v).iter().map(|d| d.as_const().and_then(|n| u64::try_from(n).ok()));
                sizes.fold(1u64, |n, size| n.saturating_mul(size.unwrap_or(0)))
            });
            let inside = i.regions.iter().map(|r| of(r, f, found));
            made.chain(inside).fold(called, u64::saturating_add)
        };
        r.insts.iter().map(inst).fold(0, u64::saturating_add)
    }
    let mut found = vec![0; m.funcs.len()];
    let reached = m.reachable_from(funcs);
    if reached.iter().all(|g| m.func(*g).is_scalar()) {
        return found;
    }
    let mut needed = vec![false; m.funcs.len()];
    reached.iter().for_each(|g| needed[g.0 as usize] = true);
    for g in m.callees_first().into_iter().filter(|g| needed[g.0 as usize]) {
        found[g.0 as usize] = m.func(g).region().map_or(0, |r| of(r, m.func(g), &found));
    }
    found
}

/// A program with its arguments and results.
#[derive(Clone)]
pub(crate) struct Runner {
    code: Compiled,
    pub inputs: Vec<Datum>,
    pub outputs: Vec<Datum>,
    /// See [`elements`].
    elements: u64,
    /// Iterations of its last run.
    pub iterations: u64,
}

impl Runner {
    /// From [`Self::inputs`] to [`Self::outputs`]. Allocates nothing.
    pub(crate) fn run(&mut self, engine: &mut Engine) -> Result<(), RuntimeError> {
        let mut limits = engine.limits;
        if let Some(primal) = engine.primal {
            let numbers = |list: &[Datum]| -> u64 { list.iter().map(|x| x.len() as u64).sum() };
            let (inputs, outputs) = (numbers(&self.inputs), numbers(&self.outputs));
            let (most, base) = if engine.aside { (engine.iterations, ASIDE) } else { (primal, AT_POINT) };
            // One more for each displaced number, and for what is a loop in this program only.
            let each = longer(most.saturating_add(inputs).saturating_add(self.elements));
            let evaluations = engine.evaluations.filter(|_| engine.aside).unwrap_or(inputs + outputs);
            limits.fuel = evaluations.saturating_mul(each).saturating_add(base);
        }
        engine.workspace.set_limits(limits);
        let (args, outs) = (self.inputs.iter().map(Arg::from), self.outputs.iter_mut().map(Out::from));
        self.code.call_into(&mut engine.workspace, args, outs)?;
        self.iterations = engine.workspace.iterations();
        if !engine.aside {
            engine.iterations = engine.iterations.max(self.iterations);
        }
        Ok(())
    }

    /// The results for these arguments.
    pub(crate) fn call(&mut self, engine: &mut Engine, args: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
        crate::slots::load(&mut self.inputs, args);
        self.run(engine)?;
        Ok(self.outputs.clone())
    }
}
