//! A check with everything compiled, ready to be run at any number of points.

use crate::backends::{self, Backend, Backends};
use crate::cells::first_difference;
use crate::coordinates::{Part, sizes};
use crate::difference::{self, Along};
use crate::dims;
use crate::fallback::{Columns, Fallback, Slopes};
use crate::margins::{self, Event};
use crate::oracle::{self, Makers, Oracle, Shop};
use crate::random::{Purpose, Stream};
use crate::report::{Entry, Order};
use crate::runner::{Engine, Runner};
use crate::settings::{Context, Request, Settings, Tolerance};
use crate::simplified;
use crate::sums;
use crate::sweeps;
use crate::tally::{Resolution, Tally};
use crate::unit::{Automatic, Programs, TRACED, Unit, failing};
use crate::verdict::{Severity, Verdict};
use adc_ad::Policy;
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::OptLevel;
use num_complex::Complex64;

/// Derivative and difference programs of one check, compiled.
#[derive(Clone)]
pub struct Prepared {
    pub(crate) request: Request,
    /// The function asked for; what is checked may be the sums of its results.
    pub(crate) original: FuncId,
    /// The numbers of the function's dimensions.
    pub(crate) dims: Vec<i64>,
    /// Primal, derivatives and difference programs as differentiation made them.
    pub(crate) module: Module,
    pub(crate) units: Vec<Unit>,
    pub(crate) gradgrad_skipped: Option<Diagnostic>,
    /// The cotangents v of the second-order check at the current point.
    pub(crate) cotangents: Vec<Datum>,
    primal: Runner,
    engine: Engine,
    makers: Makers,
    columns: Columns,
    backends: Vec<Backend>,
    seconds: Vec<Datum>,
}

/// Sums of one point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Entries and probes by verdict.
    pub verdicts: Tally,
    /// Identities by verdict.
    pub identities: Tally,
    /// Entries and probes that were compared.
    pub entries: usize,
    /// See [`Self::entries`].
    pub directions: usize,
    /// How small errors the comparisons would have seen.
    pub resolution: Resolution,
    /// Entries and probes compared.
    pub compared: usize,
    /// Those that disagree or are not finite.
    pub failed: usize,
    /// Those whose difference could not be evaluated.
    pub unchecked: usize,
    /// Those that agree but are too small beside the tolerance to be tested.
    pub untestable: usize,
    /// Those at a kink, accepted.
    pub kinks: usize,
    /// Those with a warning.
    pub warned: usize,
    /// Those about which differences say too little.
    pub unsure: usize,
    /// The largest quotient of error and tolerance.
    pub worst_ratio: f64,
}

impl Prepared {
    /// Builds and compiles every program the check needs.
    pub fn new(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Result<Prepared, Diagnostic> {
        let func = ctx.module.func(block.func);
        let dims = dims::choose(func, block, settings)?;
        let mut module = ctx.module.clone();
        let f = specialise::specialise(&mut module, block.func, &dims)?;
        adc_ad::expand_for(&mut module, f)?;
        let original = f;
        let sums = matches!(settings.tolerance, Tolerance::Relative { per_entry: false, .. });
        let f = if sums { sums::of(&mut module, f) } else { f };
        let request = Request::new(&module, f, &func.name, block, settings)?;
        // As in the library, derivatives are those of the simplified function.
        let source = if ctx.opt == OptLevel::O2 { simplified::copy(&mut module, f) } else { f };
        let builder = Builder { request, original, source, dims, module, makers: Makers::default() };
        builder.finish(ctx)
    }

    /// The function that is checked: with numbers for its dimensions.
    pub(crate) fn func(&self) -> &Func {
        self.module.func(self.request.func)
    }

    /// The function's value at a point; what it calls may end in a run-time error.
    pub fn value(&mut self, inputs: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
        self.primal.call(&mut self.engine, inputs)
    }

    /// Runs every mode at a point; `number` chooses the random directions. The error is a run-time error of a
    /// derivative program: those of difference programs leave entries unchecked.
    pub fn run_point(&mut self, inputs: &[Datum], number: u64) -> Result<Outcome, RuntimeError> {
        let mut outcome = Outcome::default();
        self.units.iter_mut().for_each(|u| u.identities.clear());
        for k in 0..self.units.len() {
            if k == 0 && self.request.limits.form == Tolerance::Automatic {
                self.rerun(inputs)?;
            }
            let unit = &mut self.units[k];
            unit.entries.iter_mut().for_each(|e| e.comparison = None);
            unit.probes.clear();
            if unit.order == Order::Second {
                // Behind a wrong derivative, or one at a kink, the second one says nothing new.
                if outcome.failed + outcome.kinks > 0 {
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

    /// Runs the function itself twice.
    fn rerun(&mut self, inputs: &[Datum]) -> Result<(), RuntimeError> {
        let numbers = |values: Vec<Datum>| -> Vec<f64> {
            let parts = values.iter().flat_map(|v| v.elements().collect::<Vec<_>>());
            parts.flat_map(|c| [c.to_c128().re, c.to_c128().im]).collect()
        };
        let (first, second) = (self.value(inputs)?, self.value(inputs)?);
        if first.iter().zip(&second).any(|(a, b)| first_difference(a, b).is_some()) {
            self.units[0].same_bits(&numbers(first), &numbers(second));
        }
        Ok(())
    }

    fn run_unit(&mut self, k: usize, inputs: &[Datum], number: u64) -> Result<(), RuntimeError> {
        let (limits, seed) = (self.request.limits, self.request.seed);
        if limits.form == Tolerance::Automatic {
            return self.judge_unit(k, inputs, number);
        }
        let unit = &mut self.units[k];
        let by_entry = unit.slow.is_some();
        if unit.fast.is_some() {
            let forward = unit.jvp.is_some() && !by_entry;
            unit.run_probes(&mut self.engine, inputs, &limits, (seed, number), forward)?;
        }
        let missed = unit.probes.iter().any(|p| failing(p.comparison.status));
        if missed && unit.slow.is_none() {
            self.add_slow(k);
        }
        let unit = &mut self.units[k];
        if (by_entry || missed) && unit.slow.is_some() {
            let mut fallback = Fallback {
                module: &mut self.module,
                freezer: &mut self.makers.freezer,
                engine: &mut self.engine,
                columns: &mut self.columns,
            };
            unit.run_entries(inputs, &limits, &mut fallback)?;
        }
        if !by_entry {
            // Only there for the details of a miss: the next point is fast again.
            self.units[k].detail = self.units[k].slow.take().or(self.units[k].detail.take());
        }
        Ok(())
    }

    /// As [`Self::run_unit`], under automatic tolerances.
    fn judge_unit(&mut self, k: usize, inputs: &[Datum], number: u64) -> Result<(), RuntimeError> {
        let stream = (self.request.seed, number);
        let unit = &mut self.units[k];
        let mut shop = Shop { module: &mut self.module, makers: &mut self.makers, engine: &mut self.engine };
        if unit.by_entry {
            unit.judge_entries(inputs, stream, &mut shop)?;
        }
        if unit.by_direction {
            let probes = if unit.by_entry { 1 } else { PROBES };
            unit.judge_directions(inputs, stream, probes, &mut shop)?;
        }
        unit.run_identities(inputs, stream, &mut shop)?;
        if !unit.by_entry && unit.probes.iter().any(|p| failing(p.comparison.status)) {
            let func = unit.programs.func;
            if !unit.has_coordinates() && bounded(shop.module, func, &unit.wrt, &unit.outputs).is_ok() {
                // For the details of a miss; if they cannot be had, the direction has to do.
                let what = (&unit.wrt[..], &unit.outputs[..]);
                let made = oracle::programs(shop.module, shop.makers, func, what, (true, false));
                let code = made.and_then(|p| shop.engine.compile(shop.module, p.coordinates.as_slice()));
                unit.add_coordinates(code.ok().and_then(|mut c| c.pop()));
            }
            if unit.has_coordinates() {
                unit.judge_entries(inputs, stream, &mut shop)?;
            }
        }
        Ok(())
    }

    /// What is not smooth in a run of a function of the check; `None` if that could not be found out.
    pub(crate) fn trace(&self, f: FuncId, inputs: &[Datum]) -> Option<Vec<Event>> {
        margins::trace(&self.module, &self.engine.externs, f, inputs, TRACED).ok()
    }

    /// The one-sided slopes of an entry of the function's Jacobian, if there is a kink at the point.
    pub(crate) fn kink(&mut self, e: &Entry, inputs: &[Datum]) -> Option<Slopes> {
        let unit = self.units.iter().find(|u| u.order == e.order)?;
        let (row, column) = (*unit.rows.get(e.place.0)?, *unit.columns.get(e.place.1)?);
        let (what, outputs) = ((unit.programs.func, column, row), unit.outputs.clone());
        let limits = (self.request.limits.eps, e.tol);
        let mut fallback = Fallback {
            module: &mut self.module,
            freezer: &mut self.makers.freezer,
            engine: &mut self.engine,
            columns: &mut self.columns,
        };
        fallback.kink(what, &outputs, inputs, limits)
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
        let program =
            difference::quotient(&mut self.module, &mut self.makers.freezer, f, along, &wrt, &outputs)
                .and_then(|p| self.engine.compile(&self.module, &[p]));
        // What compiled for directions compiles for coordinates; if not, the miss is reported without details, as
        // it is where they would be too many.
        if let Ok(code) = program {
            self.units[k].slow = code.into_iter().next();
        }
    }

    fn draw_cotangents(&mut self, number: u64) {
        let func = self.module.func(self.request.func);
        self.cotangents.clear();
        for &k in &self.request.outputs {
            let data = func.results[k].data();
            let shape = sizes(&data).expect("checked by the request");
            let mut v = Datum::zeros(data.ty.scalar(), &shape);
            let mut s = Stream::new(self.request.seed, Purpose::Cotangent, [number, k as u64, 0]);
            let mut part = || (s.normal() * 1e5).round() / 1e5;
            for i in 0..v.len() {
                let z = Complex64::new(part(), part());
                v.set(i, Const::from_c128(z, data.ty.scalar()));
            }
            self.cotangents.push(v);
        }
    }

    /// Every program in all its forms at a point that was accepted; the first disagreement.
    pub fn compare_backends(&mut self, inputs: &[Datum]) -> Option<Diagnostic> {
        let (units, cotangents) = (&self.units, &self.cotangents);
        let arguments = |b: &Backend| {
            let unit = &units[b.unit];
            // Of whatever policy, a VJP program has the same parameters.
            unit.at_point(b.program, inputs, cotangents)
        };
        let threads = self.request.backends == Backends::All;
        backends::compare(&self.module, &mut self.backends, &mut self.engine, threads, arguments)
    }
}

impl Outcome {
    fn add(&mut self, unit: &Unit) {
        for i in &unit.identities {
            self.identities.add(i.status);
            self.failed += i.status.failing() as usize;
        }
        let entries = unit.entries.iter().filter_map(|e| e.comparison).map(|c| (c, true));
        for (c, entry) in entries.chain(unit.probes.iter().map(|p| (p.comparison, false))) {
            self.verdicts.add(c.status);
            self.resolution.add(c.resolution);
            match c.status.info().severity {
                Severity::Pass => self.untestable += !c.testable as usize,
                Severity::Warning => self.warned += 1,
                Severity::Unsure if c.status == Verdict::Unchecked => self.unchecked += 1,
                Severity::Unsure => self.unsure += 1,
                Severity::Failure => self.failed += 1,
            }
            self.kinks += (c.status == Verdict::Kink) as usize;
            if c.status.compared() {
                self.compared += 1;
                *(if entry { &mut self.entries } else { &mut self.directions }) += 1;
            }
            if c.ratio > self.worst_ratio {
                self.worst_ratio = c.ratio;
            }
        }
    }

    /// The verdict that says most about the point.
    pub fn verdict(&self) -> Verdict {
        self.verdicts.worst().max(self.identities.worst()).unwrap_or(Verdict::Ok)
    }
}

/// Collects the programs of a check.
struct Builder {
    request: Request,
    original: FuncId,
    /// What is differentiated: the function, or a simplified copy of it.
    source: FuncId,
    dims: Vec<i64>,
    module: Module,
    makers: Makers,
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
    fn finish(mut self, ctx: &Context) -> Result<Prepared, Diagnostic> {
        let r = self.request.clone();
        let backends = r.backends != Backends::None;
        let mut units = Vec::new();
        if r.slow || r.fast || r.forward {
            let modes = Modes {
                entries: r.slow || (r.forward && !r.fast),
                probes: r.fast,
                forward: r.forward,
                reverse: r.slow || r.fast,
            };
            units.push(self.unit(Order::First, (r.func, self.source), modes, &r.wrt, &r.outputs)?);
        }
        let mut skipped = None;
        if r.gradgrad {
            match self.second() {
                Ok(unit) => units.push(unit),
                Err(d) if r.explicit => return Err(d),
                Err(d) => skipped = Some(d),
            }
        }
        let engine = Engine::new(self.bind(ctx, &units)?);
        let compared: Vec<(usize, FuncId)> = units
            .iter()
            .enumerate()
            .flat_map(|(k, u)| u.programs.compared().map(move |p| (k, p)).collect::<Vec<_>>())
            .collect();
        let mut derivatives: Vec<FuncId> = compared.iter().map(|(_, p)| *p).collect();
        derivatives.extend(
            units.iter().flat_map(|u| [u.programs.rows, u.programs.columns, u.programs.nested]).flatten(),
        );
        let mut optimised = self.module.clone();
        adc_simplify::run(&mut optimised, &derivatives, ctx.opt);
        let mut fast_code = engine.compile(&optimised, &derivatives)?;
        let mut sweeps = fast_code.split_off(compared.len()).into_iter();
        let differences: Vec<FuncId> = units.iter().flat_map(|u| u.programs.differences()).collect();
        let compiled_raw = |unit: &Unit, p: FuncId| {
            backends && ctx.opt != OptLevel::O0 && (unit.order == Order::First || p == unit.programs.func)
        };
        let mut raw: Vec<FuncId> = vec![r.func];
        raw.extend(&differences);
        raw.extend(compared.iter().filter(|(k, p)| compiled_raw(&units[*k], *p)).map(|(_, p)| *p));
        let mut raw_code = engine.compile_quickly(&self.module, &raw)?.into_iter();
        let primal = raw_code.next().expect("one function per entry");
        for unit in &mut units {
            let mut next = |p: Option<FuncId>| p.and_then(|_| raw_code.next());
            unit.slow = next(unit.programs.slow);
            unit.fast = next(unit.programs.fast);
            let secants = unit.programs.secants.clone();
            let code = (next(secants.coordinates), next(secants.along));
            if r.limits.form == Tolerance::Automatic {
                let map = unit.columns_and_rows();
                let oracle = Oracle::new(unit.programs.func, &unit.outputs, map, secants.holes, code);
                unit.automatic = Some(Automatic::new(oracle, unit.single()));
            }
            let mut next = |p: Option<FuncId>| p.and_then(|_| sweeps.next());
            unit.all_rows = next(unit.programs.rows);
            unit.all_columns = next(unit.programs.columns);
            if let (Some(program), Some(code)) = (unit.programs.nested, next(unit.programs.nested)) {
                unit.nest(&self.module, r.func, program, code);
            }
        }
        let mut list: Vec<Backend> = Vec::new();
        for ((unit, program), code) in compared.into_iter().zip(fast_code) {
            let slot = &mut units[unit];
            let raw = compiled_raw(slot, program).then(|| raw_code.next()).flatten();
            if slot.programs.vjp == Some(program) {
                slot.vjp = Some(code.clone());
            } else if slot.programs.jvp == Some(program) {
                slot.jvp = Some(code.clone());
            }
            if backends {
                let raw = raw.map(|code| ("compiled code", code));
                let forms = raw.into_iter().chain([("optimised compiled code", code)]).collect();
                list.push(Backend { program, unit, forms });
            }
        }
        if r.backends == Backends::All {
            self.further(ctx, &engine, &optimised, &units, &mut list)?;
        }
        Ok(Prepared {
            request: self.request,
            original: self.original,
            dims: self.dims,
            module: self.module,
            units,
            gradgrad_skipped: skipped,
            cotangents: Vec::new(),
            primal,
            engine,
            makers: self.makers,
            columns: Vec::new(),
            backends: list,
            seconds: Vec::new(),
        })
    }

    /// The forms of programs beyond the default ones.
    fn further(
        &mut self,
        ctx: &Context,
        engine: &Engine,
        optimised: &Module,
        units: &[Unit],
        list: &mut [Backend],
    ) -> Result<(), Diagnostic> {
        let programs: Vec<FuncId> = list.iter().map(|b| b.program).collect();
        for (what, options) in backends::further() {
            let code = engine.compile_with(optimised, &programs, &options)?;
            list.iter_mut().zip(code).for_each(|(b, code)| b.forms.push((what, code)));
        }
        // Reverse programs that store as little as they can.
        let mut small = Vec::new();
        for (at, b) in list.iter().enumerate() {
            let unit = &units[b.unit];
            if unit.programs.vjp == Some(b.program) {
                let first = unit.order == Order::First;
                let f = if first { self.source } else { unit.programs.func };
                let m = &mut self.module;
                small.push((at, adc_ad::vjp_with(m, f, &unit.wrt, &unit.outputs, first, Policy::SMALL)?));
            }
        }
        let programs: Vec<FuncId> = small.iter().map(|(_, f)| *f).collect();
        let mut module = self.module.clone();
        adc_simplify::run(&mut module, &programs, ctx.opt);
        for ((at, _), code) in small.iter().zip(engine.compile(&module, &programs)?) {
            list[*at].forms.push((backends::CHECKPOINTED, code));
        }
        Ok(())
    }

    fn second(&mut self) -> Result<Unit, Diagnostic> {
        let r = self.request.clone();
        let vjp = adc_ad::vjp(&mut self.module, self.source, &r.wrt, &r.outputs, false)?;
        let (wrt, outputs) = difference::second_order(&self.module, r.func, vjp, &r.wrt);
        // By default the fast check only; slow and fast as asked for, fast if neither is.
        let entries = r.explicit && r.slow;
        let modes = Modes { entries, probes: !entries || r.fast, forward: r.forward, reverse: true };
        let mut unit = self.unit(Order::Second, (vjp, vjp), modes, &wrt, &outputs)?;
        if r.limits.form == Tolerance::Automatic && unit.programs.jvp.is_some() {
            let m = &mut self.module;
            let jvp = adc_ad::jvp(m, self.source, &r.wrt)?;
            let (func, values) = (m.func(self.source), m.func(self.source).results.len());
            let list = func.differentiable_results();
            let dot = |k: &usize| list.iter().position(|d| d == k).map(|at| values + at);
            let dots: Vec<usize> = r.outputs.iter().filter_map(dot).collect();
            unit.programs.nested = Some(adc_ad::vjp(m, jvp, &r.wrt, &dots, false)?);
        }
        Ok(unit)
    }

    fn unit(
        &mut self,
        order: Order,
        (func, source): (FuncId, FuncId),
        modes: Modes,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<Unit, Diagnostic> {
        let m = &mut self.module;
        let primal = order == Order::First;
        let vjp = match modes.reverse {
            true => Some(adc_ad::vjp(m, source, wrt, outputs, primal)?),
            false => None,
        };
        // Along a direction, it is the JVP that is compared.
        let automatic = self.request.limits.form == Tolerance::Automatic;
        let jvp = match modes.forward || (automatic && modes.probes) {
            true => Some(adc_ad::jvp(m, source, wrt)?),
            false => None,
        };
        if modes.entries {
            bounded(m, func, wrt, outputs)?;
        }
        let mut quotient = |on: bool, along| match on {
            true => difference::quotient(m, &mut self.makers.freezer, func, along, wrt, outputs).map(Some),
            false => Ok(None),
        };
        let slow = quotient(modes.entries && !automatic, Along::Coordinates)?;
        let fast = quotient(modes.probes && !automatic, Along::Directions)?;
        let secants = match automatic {
            true => {
                let on = (modes.entries, modes.probes);
                oracle::programs(m, &mut self.makers, func, (wrt, outputs), on)?
            }
            false => oracle::Programs::default(),
        };
        let rows = vjp.filter(|_| modes.entries).and_then(|_| sweeps::rows(m, source, wrt, outputs));
        let columns = jvp.filter(|_| modes.entries).and_then(|jvp| sweeps::columns(m, source, jvp, wrt));
        let programs = Programs { func, vjp, jvp, slow, fast, rows, columns, secants, nested: None };
        let mut unit = Unit::new(&self.module, order, programs, wrt, outputs);
        (unit.by_entry, unit.by_direction) = (modes.entries, modes.probes);
        if modes.entries {
            unit.make_entries();
        }
        Ok(unit)
    }

    /// The native functions that programs call, ready for the interpreter.
    fn bind(&self, ctx: &Context, units: &[Unit]) -> Result<Externs, Diagnostic> {
        let mut programs: Vec<FuncId> = units.iter().flat_map(|u| u.programs.compared()).collect();
        programs.push(self.request.func);
        ctx.externs.bind(&self.module, &programs)
    }
}

/// Directions at a point where no entries are compared.
const PROBES: u64 = 4;

/// Entries of a Jacobian that is compared one by one.
const MOST_ENTRIES: usize = 1 << 22;

/// Arguments that a difference program along every coordinate passes to the function: each scalar coordinate and each
/// array in two calls of their own.
const MOST_ARGUMENTS: usize = 1 << 25;

/// Refuses a comparison entry by entry that would not fit into memory.
fn bounded(m: &Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> Result<(), Diagnostic> {
    let func = m.func(f);
    let count = |d: &ValueData| {
        let len = sizes(d).map_or(0, |s| s.iter().product::<usize>());
        Part::of(d.ty).len().saturating_mul(len)
    };
    let columns = wrt.iter().map(|&i| count(func.data(func.params[i].value))).fold(0, usize::saturating_add);
    let rows = outputs.iter().map(|&k| count(&func.results[k].data())).fold(0, usize::saturating_add);
    let entries = columns.saturating_mul(rows);
    let calls: usize = wrt.iter().map(|&i| 2 * Part::of(func.param_ty(i)).len()).sum();
    if entries <= MOST_ENTRIES && calls * func.params.len() <= MOST_ARGUMENTS {
        return Ok(());
    }
    let what = format!("`{}` has a Jacobian of {entries} entries, too many to compare each", func.name);
    Err(Diagnostic::error(Code::TooMuchCode, what)
        .label(func.span, format!("{columns} real inputs"))
        .help("use `fast` mode, or choose inputs and outputs with `wrt` and `outputs`"))
}
