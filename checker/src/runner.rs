//! Compiled programs with room for their arguments and results.

use crate::coordinates::sizes;
use adc_ir::interp::Limits;
use adc_ir::*;
use adc_jit::{Arg, Compiled, Effort, Externs, Options, Out, Workspace};

/// What compiling and running take.
pub(crate) struct Engine {
    pub externs: Externs,
    workspace: Workspace,
    /// Turns that the loops of a program took at the point that is checked, at most; `None` before one ran there.
    turns: Option<u64>,
    /// Programs run beside that point: what does not come to an end there soon is taken to have no value.
    aside: bool,
}

/// Beside a point programs may take so many turns,
const TURNS: u64 = 1 << 14;
/// and this many times as many as at the point, for each number in their arguments.
const LONGER: u64 = 64;

/// With a workspace of its own: for another thread.
impl Clone for Engine {
    fn clone(&self) -> Engine {
        Engine::new(self.externs.clone())
    }
}

impl Engine {
    pub(crate) fn new(externs: Externs) -> Engine {
        Engine { externs, workspace: Workspace::new(), turns: None, aside: false }
    }

    /// Another point is checked from here on.
    pub(crate) fn arrive(&mut self) {
        self.turns = None;
    }

    /// Iterations that a program took at the point, at most.
    pub(crate) fn longest(&self) -> u64 {
        self.turns.unwrap_or(0)
    }

    /// Runs programs beside the point, after others have run at it.
    pub(crate) fn aside<T>(&mut self, run: impl FnOnce(&mut Engine) -> T) -> T {
        let before = std::mem::replace(&mut self.aside, true);
        let result = run(self);
        self.aside = before;
        result
    }

    /// The functions, compiled together. Their parameters and results have sizes that are numbers.
    pub(crate) fn compile(&self, m: &Module, funcs: &[FuncId]) -> Result<Vec<Runner>, Diagnostic> {
        self.compile_with(m, funcs, &Options::default())
    }

    /// As [`Self::compile`], for programs that run a few times.
    pub(crate) fn compile_quickly(&self, m: &Module, funcs: &[FuncId]) -> Result<Vec<Runner>, Diagnostic> {
        let mut options = Options::default();
        // In a single pass, long functions are no dearer than short ones.
        (options.effort, options.unit_ops) = (Effort::Quick, 10_000);
        self.compile_with(m, funcs, &options)
    }

    /// As [`Self::compile`], in another way.
    pub(crate) fn compile_with(
        &self,
        m: &Module,
        funcs: &[FuncId],
        options: &Options,
    ) -> Result<Vec<Runner>, Diagnostic> {
        let code = adc_jit::compile(m, funcs, &self.externs, options)?;
        let room =
            |data: &ValueData| Datum::zeros(data.ty.scalar(), &sizes(data).expect("checked by the request"));
        let runner = |(f, code): (&FuncId, Compiled)| {
            let func = m.func(*f);
            let inputs = func.params.iter().map(|p| room(func.data(p.value))).collect();
            let outputs = func.results.iter().map(|r| room(&r.data())).collect();
            Runner { code, inputs, outputs, turns: 0 }
        };
        Ok(funcs.iter().zip(code).map(runner).collect())
    }
}

/// A program with its arguments and results.
#[derive(Clone)]
pub(crate) struct Runner {
    code: Compiled,
    pub inputs: Vec<Datum>,
    pub outputs: Vec<Datum>,
    /// Iterations of its last run.
    pub turns: u64,
}

impl Runner {
    /// From [`Self::inputs`] to [`Self::outputs`]. Allocates nothing.
    pub(crate) fn run(&mut self, engine: &mut Engine) -> Result<(), RuntimeError> {
        let mut limits = Limits::default();
        if let Some(most) = engine.turns.filter(|_| engine.aside) {
            let numbers: u64 = self.inputs.iter().map(|x| x.len() as u64 + 1).sum();
            let turns = LONGER.saturating_mul(numbers).saturating_mul(most);
            limits.fuel = limits.fuel.min(TURNS.saturating_add(turns));
        }
        engine.workspace.set_limits(limits);
        let (args, outs) = (self.inputs.iter().map(Arg::from), self.outputs.iter_mut().map(Out::from));
        self.code.call_into(&mut engine.workspace, args, outs)?;
        self.turns = engine.workspace.turns();
        if !engine.aside {
            engine.turns = engine.turns.max(Some(self.turns));
        }
        Ok(())
    }

    /// The results for these arguments.
    pub(crate) fn call(&mut self, engine: &mut Engine, args: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
        crate::cells::load(&mut self.inputs, args);
        self.run(engine)?;
        Ok(self.outputs.clone())
    }
}
