//! A check with everything compiled, ready to be run at any number of points.

use crate::coordinates::coordinates;
use crate::difference::{self, Along};
use crate::fallback::{Column, Fallback, Slopes};
use crate::freeze::Freezer;
use crate::random::{Purpose, Stream};
use crate::report::{Entry, Order};
use crate::settings::{Context, Request, Settings};
use crate::unit::{Programs, Runner, Unit, failing};
use adc_ir::interp::{Interp, Val};
use adc_ir::*;
use adc_jit::{Compiled, Externs, Options, RuntimeMath, Workspace};
use adc_simplify::OptLevel;
use num_complex::Complex64;

/// Derivative and difference programs of one check, compiled.
pub struct Prepared {
    pub(crate) request: Request,
    /// Primal, derivatives and difference programs as differentiation made them.
    pub(crate) module: Module,
    pub(crate) units: Vec<Unit>,
    pub(crate) gradgrad_skipped: Option<Diagnostic>,
    /// The cotangents v of the second-order check at the current point.
    pub(crate) cotangents: Vec<Const>,
    primal: Runner,
    externs: Externs,
    freezer: Freezer,
    columns: Vec<(Column, Option<FuncId>)>,
    workspace: Workspace,
    backends: Vec<Backend>,
    seconds: Vec<Const>,
}

/// One program in each compiled form. Second derivatives are not compiled raw: they are the largest programs,
/// and the interpreter runs them raw.
struct Backend {
    program: FuncId,
    unit: usize,
    raw: Option<Compiled>,
    optimised: Compiled,
}

/// Sums of one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Entries and probes compared.
    pub compared: usize,
    /// Those that disagree or are not finite.
    pub failed: usize,
    /// Those whose difference could not be evaluated.
    pub unchecked: usize,
    /// Those that agree but are too small beside the tolerance to be tested.
    pub untestable: usize,
    /// The largest quotient of error and tolerance.
    pub worst_ratio: f64,
}

impl Prepared {
    /// Builds and compiles every program the check needs.
    pub fn new(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Result<Prepared, Diagnostic> {
        let request = Request::new(ctx, block, settings)?;
        Builder::new(ctx, request).finish(ctx, !settings.skip_backends)
    }

    /// The function's value at a point; what it calls may end in a run-time error.
    pub fn value(&mut self, inputs: &[Const]) -> Result<Vec<Const>, RuntimeError> {
        self.primal.inputs.clear();
        inputs.iter().for_each(|c| adc_jit::encode(*c, &mut self.primal.inputs));
        self.primal.run(&mut self.workspace)?;
        let mut at = 0;
        let result = |ty: &Type| {
            let c = adc_jit::decode(*ty, &self.primal.outputs[at..]);
            at += adc_jit::cells_of(*ty);
            c
        };
        Ok(self.primal.code.outputs().iter().map(result).collect())
    }

    /// Runs every mode at a point; `number` chooses the random directions. The error is a run-time error of a
    /// derivative program: those of difference programs leave entries unchecked.
    pub fn run_point(&mut self, inputs: &[Const], number: u64) -> Result<Outcome, RuntimeError> {
        let mut outcome = Outcome::default();
        for k in 0..self.units.len() {
            let unit = &mut self.units[k];
            unit.entries.iter_mut().for_each(|e| e.comparison = None);
            unit.probes.clear();
            if unit.order == Order::Second {
                // Behind a wrong derivative, the second one says nothing new.
                if outcome.failed > 0 {
                    self.cotangents.clear();
                    break;
                }
                self.draw_cotangents(number);
                self.seconds.clear();
                self.seconds.extend_from_slice(inputs);
                self.seconds.extend_from_slice(&self.cotangents);
                let inputs = std::mem::take(&mut self.seconds);
                let done = self.run_unit(k, &inputs, number);
                self.seconds = inputs;
                done?;
            } else {
                self.run_unit(k, inputs, number)?;
            }
            outcome.add(&self.units[k]);
        }
        Ok(outcome)
    }

    fn run_unit(&mut self, k: usize, inputs: &[Const], number: u64) -> Result<(), RuntimeError> {
        let (limits, seed) = (self.request.limits, self.request.seed);
        let unit = &mut self.units[k];
        let by_entry = unit.slow.is_some();
        if unit.fast.is_some() {
            let forward = unit.jvp.is_some() && !by_entry;
            unit.run_probes(&mut self.workspace, inputs, &limits, (seed, number), forward)?;
        }
        let missed = unit.probes.iter().any(|p| failing(p.comparison.status));
        if missed && unit.slow.is_none() {
            self.add_slow(k);
        }
        let unit = &mut self.units[k];
        if (by_entry || missed) && unit.slow.is_some() {
            let mut fallback = Fallback {
                module: &mut self.module,
                freezer: &mut self.freezer,
                externs: &self.externs,
                columns: &mut self.columns,
            };
            unit.run_entries(&mut self.workspace, inputs, &limits, &mut fallback)?;
        }
        if !by_entry {
            // Only there for the details of a miss: the next point is fast again.
            self.units[k].detail = self.units[k].slow.take().or(self.units[k].detail.take());
        }
        Ok(())
    }

    /// The one-sided slopes of an entry of the function's Jacobian, if there is a kink at the point.
    pub(crate) fn kink(&mut self, e: &Entry, inputs: &[Const]) -> Option<Slopes> {
        let unit = self.units.iter().find(|u| u.order == e.order)?;
        let func = self.module.func(unit.programs.func);
        let row = unit
            .rows
            .iter()
            .position(|r| r.part == e.output_part && func.results[r.index].name == e.output)?;
        let column =
            unit.columns.iter().find(|c| c.part == e.input_part && func.params[c.index].name == e.input)?;
        let (what, outputs) = ((unit.programs.func, *column), unit.outputs.clone());
        let limits = (self.request.limits.eps, e.tol);
        let mut fallback = Fallback {
            module: &mut self.module,
            freezer: &mut self.freezer,
            externs: &self.externs,
            columns: &mut self.columns,
        };
        fallback.kink(what, &outputs, row, inputs, limits)
    }

    /// The slow difference program of a unit that was prepared without it, for the details of a miss.
    #[cold]
    fn add_slow(&mut self, k: usize) {
        if let Some(slow) = self.units[k].detail.take() {
            self.units[k].slow = Some(slow);
            return;
        }
        let unit = &self.units[k];
        let (f, along) = (unit.programs.func, Along::Coordinates);
        if bounded(&self.module, f, &unit.wrt, &unit.outputs).is_err() {
            return;
        }
        let (wrt, outputs) = (unit.wrt.clone(), unit.outputs.clone());
        let program = difference::quotient(&mut self.module, &mut self.freezer, f, along, &wrt, &outputs)
            .and_then(|p| adc_jit::compile(&self.module, &[p], &self.externs, &Options::default()));
        // What compiled for directions compiles for coordinates; if not, the miss is reported without details, as
        // it is where they would be too many.
        if let Ok(code) = program {
            self.units[k].slow = code.into_iter().next().map(Runner::new);
        }
    }

    fn draw_cotangents(&mut self, number: u64) {
        let func = self.module.func(self.request.func);
        self.cotangents.clear();
        for &k in &self.request.outputs {
            let mut s = Stream::new(self.request.seed, Purpose::Cotangent, [number, k as u64, 0]);
            let mut part = || (s.normal() * 1e5).round() / 1e5;
            let v = Complex64::new(part(), part());
            self.cotangents.push(Const::from_c128(v, func.results[k].ty.scalar()));
        }
    }

    /// Interpreter, raw and optimised code on every program at a point that was accepted; the first
    /// disagreement.
    pub fn compare_backends(&self, inputs: &[Const]) -> Option<Diagnostic> {
        let interp = Interp::new(&self.module, &RuntimeMath, &self.externs);
        let second: Vec<Const> = inputs.iter().chain(&self.cotangents).copied().collect();
        for b in &self.backends {
            let unit = &self.units[b.unit];
            if unit.order == Order::Second && self.cotangents.is_empty() {
                continue;
            }
            let args = unit.arguments(b.program, if unit.order == Order::Second { &second } else { inputs });
            let vals: Vec<Val<f64>> = args.iter().map(|c| Val::from_const(*c)).collect();
            let interpreted = interp.call(b.program, &vals).map(|values| {
                let types = b.optimised.outputs().iter();
                values.iter().zip(types).map(|(v, ty)| v.to_const(ty.scalar())).collect::<Vec<_>>()
            });
            let raw = b.raw.as_ref().map(|code| ("compiled code", code.call(&args)));
            let optimised = ("optimised compiled code", b.optimised.call(&args));
            for (what, got) in raw.iter().chain([&optimised]) {
                if let Some(difference) = difference(got, &interpreted) {
                    let func = self.module.func(b.program);
                    return Some(
                        Diagnostic::error(
                            Code::BackendsDisagree,
                            format!("{what} and the reference interpreter disagree on `{}`", func.name),
                        )
                        .label(crate::settings::header(func), "of this function")
                        .note(difference)
                        .help("this is a bug in adc, not in the model: please report it"),
                    );
                }
            }
        }
        None
    }
}

/// How two runs of one program differ; both failing is agreement only with the same error.
fn difference(
    got: &Result<Vec<Const>, RuntimeError>,
    want: &Result<Vec<Const>, RuntimeError>,
) -> Option<String> {
    match (got, want) {
        (Ok(a), Ok(b)) => {
            let k = a.iter().zip(b).position(|(x, y)| !x.same(*y))?;
            Some(format!("result {k} is {:?} in one and {:?} in the other", a[k], b[k]))
        }
        // An optimised program may leave out a failing op whose value it does not need.
        (_, Err(_)) => None,
        (Err(e), Ok(_)) => Some(format!("one ends with the run-time error: {e}")),
    }
}

impl Outcome {
    fn add(&mut self, unit: &Unit) {
        let entries = unit.entries.iter().filter_map(|e| e.comparison);
        for c in entries.chain(unit.probes.iter().map(|p| p.comparison)) {
            use crate::compare::EntryStatus::*;
            match c.status {
                Ok => self.untestable += !c.testable as usize,
                Failed | NonFinite => self.failed += 1,
                Unchecked => self.unchecked += 1,
            }
            self.compared += (c.status != Unchecked) as usize;
            if c.ratio > self.worst_ratio {
                self.worst_ratio = c.ratio;
            }
        }
    }
}

/// Collects the programs of a check.
struct Builder {
    request: Request,
    module: Module,
    freezer: Freezer,
}

/// The modes of one unit.
#[derive(Clone, Copy)]
struct Modes {
    entries: bool,
    probes: bool,
    forward: bool,
    reverse: bool,
}

impl Builder {
    fn new(ctx: &Context, request: Request) -> Builder {
        Builder { request, module: ctx.module.clone(), freezer: Freezer::default() }
    }

    fn finish(mut self, ctx: &Context, backends: bool) -> Result<Prepared, Diagnostic> {
        let r = self.request.clone();
        let mut units = Vec::new();
        if r.slow || r.fast || r.forward {
            let modes = Modes {
                entries: r.slow || (r.forward && !r.fast),
                probes: r.fast,
                forward: r.forward,
                reverse: r.slow || r.fast,
            };
            units.push(self.unit(Order::First, r.func, modes, &r.wrt, &r.outputs)?);
        }
        let mut skipped = None;
        if r.gradgrad {
            match self.second() {
                Ok(unit) => units.push(unit),
                Err(d) if r.explicit => return Err(d),
                Err(d) => skipped = Some(d),
            }
        }
        let externs = self.bind(ctx, &units)?;
        let compared: Vec<(usize, FuncId)> = units
            .iter()
            .enumerate()
            .flat_map(|(k, u)| u.programs.compared().map(move |p| (k, p)).collect::<Vec<_>>())
            .collect();
        let derivatives: Vec<FuncId> = compared.iter().map(|(_, p)| *p).collect();
        let mut optimised = self.module.clone();
        adc_simplify::run(&mut optimised, &derivatives, ctx.opt);
        let options = Options::default();
        let fast_code = adc_jit::compile(&optimised, &derivatives, &externs, &options)?;
        let differences: Vec<FuncId> =
            units.iter().flat_map(|u| [u.programs.slow, u.programs.fast]).flatten().collect();
        let compiled_raw = |unit: &Unit, p: FuncId| {
            backends && ctx.opt != OptLevel::O0 && (unit.order == Order::First || p == unit.programs.func)
        };
        let mut raw: Vec<FuncId> = vec![r.func];
        raw.extend(&differences);
        raw.extend(compared.iter().filter(|(k, p)| compiled_raw(&units[*k], *p)).map(|(_, p)| *p));
        let mut raw_code = adc_jit::compile(&self.module, &raw, &externs, &options)?.into_iter();
        let primal = Runner::new(raw_code.next().expect("one function per entry"));
        for unit in &mut units {
            let mut next = |p: Option<FuncId>| p.and_then(|_| raw_code.next()).map(Runner::new);
            unit.slow = next(unit.programs.slow);
            unit.fast = next(unit.programs.fast);
        }
        let mut list = Vec::new();
        for ((unit, program), code) in compared.into_iter().zip(fast_code) {
            let slot = &mut units[unit];
            let raw = compiled_raw(slot, program).then(|| raw_code.next()).flatten();
            if slot.programs.vjp == Some(program) {
                slot.vjp = Some(Runner::new(code.clone()));
            } else if slot.programs.jvp == Some(program) {
                slot.jvp = Some(Runner::new(code.clone()));
            }
            if backends {
                list.push(Backend { program, unit, raw, optimised: code });
            }
        }
        Ok(Prepared {
            request: self.request,
            module: self.module,
            units,
            gradgrad_skipped: skipped,
            cotangents: Vec::new(),
            primal,
            externs,
            freezer: self.freezer,
            columns: Vec::new(),
            workspace: Workspace::new(),
            backends: list,
            seconds: Vec::new(),
        })
    }

    fn second(&mut self) -> Result<Unit, Diagnostic> {
        let r = self.request.clone();
        let vjp = adc_ad::vjp(&mut self.module, r.func, &r.wrt, &r.outputs, false)?;
        let (wrt, outputs) = difference::second_order(&self.module, r.func, vjp, &r.wrt);
        // By default the fast check only; slow and fast as asked for, fast if neither is.
        let entries = r.explicit && r.slow;
        let modes = Modes { entries, probes: !entries || r.fast, forward: r.forward, reverse: true };
        self.unit(Order::Second, vjp, modes, &wrt, &outputs)
    }

    fn unit(
        &mut self,
        order: Order,
        func: FuncId,
        modes: Modes,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<Unit, Diagnostic> {
        let m = &mut self.module;
        let primal = order == Order::First;
        let vjp = match modes.reverse {
            true => Some(adc_ad::vjp(m, func, wrt, outputs, primal)?),
            false => None,
        };
        let jvp = match modes.forward {
            true => Some(adc_ad::jvp(m, func, wrt)?),
            false => None,
        };
        if modes.entries {
            bounded(m, func, wrt, outputs)?;
        }
        let mut quotient = |on: bool, along| match on {
            true => difference::quotient(m, &mut self.freezer, func, along, wrt, outputs).map(Some),
            false => Ok(None),
        };
        let slow = quotient(modes.entries, Along::Coordinates)?;
        let fast = quotient(modes.probes, Along::Directions)?;
        let programs = Programs { func, vjp, jvp, slow, fast };
        Ok(Unit::new(&self.module, order, programs, wrt, outputs))
    }

    /// The native functions that programs call, ready for the interpreter.
    fn bind(&self, ctx: &Context, units: &[Unit]) -> Result<Externs, Diagnostic> {
        let mut programs: Vec<FuncId> = units.iter().flat_map(|u| u.programs.compared()).collect();
        programs.push(self.request.func);
        ctx.externs.bind(&self.module, &programs)
    }
}

/// Entries of a Jacobian that is compared one by one.
const MOST_ENTRIES: usize = 1 << 22;

/// Arguments that a difference program along every coordinate passes to the function, each coordinate in two calls
/// of their own.
const MOST_ARGUMENTS: usize = 1 << 25;

/// Refuses a comparison entry by entry that would not fit into memory.
fn bounded(m: &Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> Result<(), Diagnostic> {
    let func = m.func(f);
    let count = |list: &[usize], ty: &dyn Fn(usize) -> Type| coordinates(list, ty).len();
    let columns = count(wrt, &|i| func.param_ty(i));
    let entries = columns * count(outputs, &|k| func.results[k].ty);
    if entries <= MOST_ENTRIES && 2 * columns * func.params.len() <= MOST_ARGUMENTS {
        return Ok(());
    }
    let what = format!("`{}` has a Jacobian of {entries} entries, too many to compare each", func.name);
    Err(Diagnostic::error(Code::TooMuchCode, what)
        .label(func.span, format!("{columns} real inputs"))
        .help("use `fast` mode, or choose inputs and outputs with `wrt` and `outputs`"))
}
