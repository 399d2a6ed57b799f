//! A function at some sizes, compiled for evaluation at candidate points: the primal alone.

use super::algebra;
use crate::evaluate::outside;
use crate::margins::{self, EventKind};
use crate::nonfinite::first_nonfinite;
use crate::points::Sampler;
use crate::settings::{Context, count, header, known_sizes};
use adc_ir::interp::Limits;
use adc_ir::*;
use adc_jit::{Arg, Compiled, Effort, Externs, Options, Out, Workspace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Cost limit of a search, in evaluations of a small function.
const BUDGET: u64 = 1 << 16;
/// How many iterations of loops, or products in linear algebra, cost as much as one such evaluation.
const ITERATIONS: u64 = 1024;
/// How many instructions of the program cost as much.
const INSTRUCTIONS: u64 = 512;
/// How many numbers passed in or out cost as much.
const NUMBERS: u64 = 64;
/// Iterations of a traced evaluation.
const TRACED: u64 = 1 << 12;
/// The cost of tracing, in evaluations without it.
const TRACE: u64 = 16;

/// The cost that is left.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { left: BUDGET }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    fn spend(&mut self, cost: u64) {
        self.left = self.left.saturating_sub(cost);
    }
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Finite results.
    Value,
    /// Results that are not finite.
    NotFinite,
    /// A run-time error.
    Error(RuntimeError),
}

impl Outcome {
    pub(super) fn is_endless(&self) -> bool {
        matches!(self, Outcome::Error(RuntimeError { trap: Trap::OutOfFuel, .. }))
    }

    pub(super) fn is_assertion(&self) -> bool {
        matches!(self, Outcome::Error(RuntimeError { trap: Trap::Assert(_), .. }))
    }
}

/// Bytes that points and results need for each of their numbers.
const PER_NUMBER: u64 = 64;

/// A function with numbers for its dimensions, ready to be run.
pub(super) struct Trial {
    pub module: Module,
    pub id: FuncId,
    /// Limit of the iterations of an evaluation.
    pub fuel: u64,
    externs: Externs,
    code: Compiled,
    outputs: Vec<Datum>,
    workspace: Workspace,
    /// The cost of an evaluation besides its iterations.
    cost: u64,
    /// The position of each expression in the order of execution.
    order: FxHashMap<Span, u64>,
}

impl Trial {
    /// Compiles `f` for these dimensions. `name` is its name in messages.
    ///
    /// # Errors
    /// Sizes that do not fit, or code that cannot be compiled.
    pub(super) fn new(ctx: &Context, f: FuncId, dims: &[i64], fuel: u64) -> Result<Trial, Diagnostic> {
        let name = &ctx.module.func(f).name;
        let mut module = ctx.module.emptied_but(f);
        let id = specialise::specialise(&mut module, f, dims)?;
        adc_ad::expand_for(&mut module, id)?;
        let func = module.func(id);
        known_sizes(func, name)?;
        let results: Vec<ValueData> = func.results.iter().map(ResultDecl::data).collect();
        let numbers = count(func.params.iter().map(|p| func.data(p.value)).chain(&results));
        if (numbers as u64).saturating_mul(PER_NUMBER) > Limits::default().bytes {
            let what = format!("`{name}` has too many inputs and results to look for domains");
            return Err(Diagnostic::error(Code::OutOfMemory, what)
                .label(header(func), "")
                .help("give sizes in a check block"));
        }
        let externs = ctx.externs.bind(&module, &[id])?;
        let mut options = Options::default();
        (options.effort, options.unit_ops) = (Effort::Quick, 10_000);
        let code = adc_jit::compile(&module, &[id], &externs, &options)?.remove(0);
        let room = |r: &ResultDecl| {
            let shape = r.shape.iter().map(|d| d.as_const().map_or(0, |n| n as usize));
            Datum::zeros(r.ty.scalar(), &shape.collect::<Vec<_>>())
        };
        let outputs: Vec<Datum> = func.results.iter().map(room).collect();
        let insts: usize = module.reachable(id).iter().map(|g| module.func(*g).inst_count()).sum();
        let products = algebra::products(&module, id, &mut FxHashMap::default());
        let cost = 1 + insts as u64 / INSTRUCTIONS + numbers as u64 / NUMBERS + products / ITERATIONS;
        let mut order = FxHashMap::default();
        number(&module, id, &mut FxHashSet::default(), &mut order);
        let workspace = Workspace::new();
        Ok(Trial { module, id, fuel, externs, code, outputs, workspace, cost, order })
    }

    pub(super) fn func(&self) -> &Func {
        self.module.func(self.id)
    }

    /// Whether an array of the program is empty at these sizes.
    pub(super) fn has_empty_arrays(&self) -> bool {
        let empty = |v: &ValueData| v.shape.iter().any(|d| d.as_const() == Some(0));
        self.module.reachable(self.id).iter().any(|g| self.module.func(*g).values.iter().any(empty))
    }

    /// Evaluates the function at a point.
    pub(super) fn run(&mut self, point: &[Datum], budget: &mut Budget) -> Outcome {
        if let Some(error) = outside(self.module.func(self.id), point) {
            return Outcome::Error(error);
        }
        self.workspace.set_limits(Limits { fuel: self.fuel, ..Limits::default() });
        let (args, outs) = (point.iter().map(Arg::from), self.outputs.iter_mut().map(Out::from));
        let done = self.code.call_into(&mut self.workspace, args, outs);
        budget.spend(self.cost.saturating_add(self.workspace.iterations() / ITERATIONS));
        match done {
            Ok(()) if self.outputs.iter().all(crate::slots::finite) => Outcome::Value,
            Ok(()) => Outcome::NotFinite,
            Err(error) => Outcome::Error(error),
        }
    }

    /// How far an evaluation without a value got. If it gave a value that is not finite, it got to the end, or, if traced,
    /// to the origin of that value.
    pub(super) fn progress(&self, outcome: &Outcome, traced: Option<&[Datum]>, budget: &mut Budget) -> u64 {
        let end = self.order.len() as u64;
        let at = |span: Span| self.order.get(&span).copied().unwrap_or(0);
        match outcome {
            Outcome::Error(e) => at(e.span),
            Outcome::Value => end,
            Outcome::NotFinite => {
                let Some(point) = traced else { return end };
                budget.spend(self.cost.saturating_mul(TRACE));
                let limits = Limits { fuel: TRACED, ..Limits::default() };
                match first_nonfinite(&self.module, &self.externs, self.id, point, limits) {
                    Ok(Some(birth)) => at(birth.span),
                    Ok(None) | Err(_) => end,
                }
            }
        }
    }

    /// Whether the function is exactly at the end of the domain of one of its operations at a point where it has a value: the
    /// derivative does not exist there.
    pub(super) fn is_at_an_edge(&self, point: &[Datum], budget: &mut Budget) -> bool {
        budget.spend(self.cost.saturating_mul(TRACE));
        let events = margins::trace(&self.module, &self.externs, self.id, point, TRACED);
        events.is_ok_and(|list| list.iter().any(|e| e.kind == EventKind::Edge && e.margin == 0.0))
    }

    /// A sampler of these lines. The seed is fixed, so that the result does not depend on that of the check.
    pub(super) fn sampler(&self, lines: &[Option<Distribution>], seed: u64) -> Sampler<'_> {
        Sampler::new(self.func(), lines, seed)
    }
}

/// Numbers expressions in the order in which a function executes them, calls at the first one.
fn number(m: &Module, f: FuncId, seen: &mut FxHashSet<FuncId>, order: &mut FxHashMap<Span, u64>) {
    fn region(m: &Module, r: &Region, seen: &mut FxHashSet<FuncId>, order: &mut FxHashMap<Span, u64>) {
        for inst in &r.insts {
            if let Kind::Call(g) = inst.kind {
                number(m, g, seen, order);
            }
            inst.regions.iter().for_each(|r| region(m, r, seen, order));
            let next = order.len() as u64;
            order.entry(inst.span).or_insert(next);
        }
    }
    if seen.insert(f) {
        m.func(f).region().into_iter().for_each(|r| region(m, r, seen, order));
    }
}
