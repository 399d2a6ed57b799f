//! A check with everything compiled, ready to run at any number of points.

mod builder;
mod curves;

use crate::backends::{self, Backend};
use crate::coordinates::sizes;
use crate::differentiated::Differentiated;
use crate::extent::{Extent, PROBES, Weight};
use crate::fixed_steps::Slopes;
use crate::margins::{self, Event};
use crate::nonfinite::first_nonfinite;
use crate::nonfinite::root::Birth;
use crate::oracle::{self, Builders, Toolchain, Version};
use crate::points;
use crate::random::{Purpose, Stream};
use crate::report::{Entry, Order, Outcome};
use crate::runner::{Engine, Runner};
use crate::settings::{Backends, Context, Request, Settings, Tolerance};
use crate::slots::first_difference;
use crate::underflow;
use crate::unit::{At, TRACED, Unit, WHOLE, failing};
use crate::verdict::Severity;
use adc_ir::interp::Limits;
use adc_ir::*;
use adc_jit::Externs;
use builder::{Builder, bounded};
use num_complex::Complex64;
use std::sync::Arc;

/// Derivative and difference programs of one check, compiled.
#[derive(Clone)]
pub struct Prepared {
    pub(crate) request: Request,
    /// The function asked for; the one that is checked may be the sums of its results.
    pub(crate) original: FuncId,
    /// The numbers of the function's dimensions.
    pub(crate) dims: Vec<i64>,
    /// Primal, derivatives and difference programs as differentiation made them.
    pub(crate) module: Module,
    pub(crate) units: Vec<Unit>,
    pub(crate) forward_skipped: Option<Diagnostic>,
    pub(crate) reverse_skipped: Option<Diagnostic>,
    pub(crate) gradgrad_skipped: Option<Diagnostic>,
    /// Functions through whose rules second derivatives are not compared.
    pub(crate) first_order: Vec<String>,
    /// The cotangents v of the second-order check at the current point.
    pub(crate) cotangents: Vec<Datum>,
    primal: Runner,
    pub(crate) engine: Engine,
    builders: Builders,
    backends: Vec<Backend>,
    /// How much is compared at which points; `None` before the first point that counts.
    extent: Option<Extent>,
    /// If it rounds differently, the module that optimised code was compiled from.
    optimised: Option<Arc<Module>>,
    seconds: Vec<Datum>,
}

impl Prepared {
    /// Builds and compiles every program the check needs.
    pub fn new(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Result<Prepared, Diagnostic> {
        let of = Differentiated::new(ctx, block, settings)?;
        let ranges = points::ranges(of.module.func(of.request.func), &block.params);
        Builder { of, builders: Builders::default(), ranges }.finish(ctx)
    }

    /// Instructions of all programs of the check.
    pub(crate) fn instructions(&self) -> usize {
        self.module.funcs.iter().map(Func::inst_count).sum()
    }

    /// The function that is checked: with numbers for its dimensions.
    pub(crate) fn func(&self) -> &Func {
        self.module.func(self.request.func)
    }

    /// The parameters in which the function is linear if it is what it claims, if that is what is checked.
    pub(crate) fn claim(&self) -> Vec<String> {
        let (params, wrt) = (&self.func().params, &self.request.wrt);
        let claimed = self.request.forward && wrt.iter().all(|&i| params[i].linear);
        wrt.iter().filter(|_| claimed).map(|&i| params[i].name.clone()).collect()
    }

    /// Native functions, ready for the interpreter.
    pub(crate) fn externs(&self) -> &Externs {
        &self.engine.externs
    }

    /// The function's value at a point. The run may end in a run-time error.
    pub fn value(&mut self, inputs: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
        self.engine.arrive();
        let values = self.primal.call(&mut self.engine, inputs)?;
        self.engine.evaluated();
        Ok(values)
    }

    /// Runs every mode at a point, and compares everything. `number` selects the random directions. The error is a run-time
    /// error of a derivative program of this order; run-time errors of difference programs leave entries unchecked.
    pub fn run_point(&mut self, inputs: &[Datum], number: u64) -> Result<Outcome, (Order, RuntimeError)> {
        self.run_nth_point(inputs, number, 0)
    }

    /// As [`Self::run_point`], with as much as [`Extent`] grants the `nth` point of a check.
    pub(crate) fn run_nth_point(
        &mut self,
        inputs: &[Datum],
        number: u64,
        nth: usize,
    ) -> Result<Outcome, (Order, RuntimeError)> {
        let mut outcome = Outcome::default();
        self.units.iter_mut().for_each(|u| u.identities.clear());
        for k in 0..self.units.len() {
            if k == 0 && self.request.limits.form == Tolerance::Automatic {
                self.rerun(inputs).map_err(|e| (Order::First, e))?;
            }
            let unit = &mut self.units[k];
            unit.clear();
            if unit.order == Order::Second {
                if outcome.ends_first_order() || (outcome.is_undecided() && nth >= UNDECIDED) {
                    self.cotangents.clear();
                    break;
                }
                let inputs = self.with_cotangents(inputs, number);
                let done = self.run_unit(k, &inputs, (number, nth));
                self.seconds = inputs;
                done.map_err(|e| (Order::Second, e))?;
            } else {
                self.run_unit(k, inputs, (number, nth)).map_err(|e| (Order::First, e))?;
            }
            add(&mut outcome, &self.units[k]);
        }
        Ok(outcome)
    }

    /// The arguments of the second order: the function's own, and random cotangents.
    fn with_cotangents(&mut self, inputs: &[Datum], number: u64) -> Vec<Datum> {
        self.draw_cotangents(number);
        let mut all = std::mem::take(&mut self.seconds);
        all.clear();
        all.extend_from_slice(inputs);
        all.extend_from_slice(&self.cotangents);
        all
    }

    /// Whether differences give every derivative of this order at a point, whatever its program gives. Under fixed
    /// tolerances they cannot tell.
    pub(crate) fn has_derivative(&mut self, order: Order, inputs: &[Datum], number: u64) -> bool {
        let Some(k) = self.units.iter().position(|u| u.order == order) else { return false };
        if self.value(inputs).is_err() {
            return false;
        }
        let inputs = match order {
            Order::First => inputs.to_vec(),
            Order::Second => self.with_cotangents(inputs, number),
        };
        let at = At { inputs: &inputs, seed: self.request.seed, number };
        let mut tools =
            Toolchain { module: &mut self.module, builders: &mut self.builders, engine: &mut self.engine };
        self.units[k].has_derivative(at, PROBES, &mut tools)
    }

    /// Whether rounding may explain the error of an entry, after [`Self::run_point`] at this point, or inputs are so small
    /// that nothing is known beside them.
    pub(crate) fn is_rounding(&mut self, e: &Entry, inputs: &[Datum], number: u64) -> bool {
        let tiny = |x: &Datum| {
            x.elem().is_float()
                && x.elements()
                    .any(|c| underflow::is_lossy(c.to_c128().re) || underflow::is_lossy(c.to_c128().im))
        };
        if inputs.iter().any(tiny) {
            return true;
        }
        let (Some(fd), Some(k)) = (e.fd, self.units.iter().position(|u| u.order == e.order)) else {
            return false;
        };
        let inputs = match e.order {
            Order::First => inputs.to_vec(),
            Order::Second => self.with_cotangents(inputs, number),
        };
        let context = (&self.module, &self.engine.externs);
        [e.vjp, e.jvp].into_iter().enumerate().all(|(mode, x)| {
            let Some(x) = x.filter(|x| (x - fd).abs() > e.tol) else { return true };
            let off = (x - fd).abs();
            // Bounds may be much larger than the rounding itself: if the formula gives the same in double-double, the error
            // is its own.
            if e.exact.is_some_and(|exact| (exact - x).abs() < SAME * off) {
                return false;
            }
            let rounding = self.units[k].entry_rounding(context, &inputs, e.place, mode);
            rounding.is_some_and(|bound| off <= bound)
        })
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

    fn run_unit(
        &mut self,
        k: usize,
        inputs: &[Datum],
        (number, nth): (u64, usize),
    ) -> Result<(), RuntimeError> {
        let (limits, seed) = (self.request.limits, self.request.seed);
        self.units[k].number = number as usize;
        if limits.form == Tolerance::Automatic {
            return self.judge_unit(k, inputs, (number, nth));
        }
        let unit = &mut self.units[k];
        if unit.by_direction {
            let forward = unit.jvp.is_some() && !unit.by_entry;
            unit.compare_directions(&mut self.engine, inputs, &limits, (seed, number), forward)?;
        }
        // The details of a failure, unless they are too many.
        let missed = unit.probes.iter().any(|p| failing(p.comparison.status));
        let detailed = || bounded(&self.module, unit.programs.func, &unit.wrt, &unit.outputs).is_ok();
        if unit.by_entry || (missed && detailed()) {
            unit.compare_entries(&mut self.engine, inputs, &limits)?;
        }
        let mut tools =
            Toolchain { module: &mut self.module, builders: &mut self.builders, engine: &mut self.engine };
        unit.zero_and_again(inputs, (seed, number), &mut tools)
    }

    /// As [`Self::run_unit`], under automatic tolerances.
    fn judge_unit(
        &mut self,
        k: usize,
        inputs: &[Datum],
        (number, nth): (u64, usize),
    ) -> Result<(), RuntimeError> {
        let whole = self.is_whole(nth);
        let probes = self.extent.as_ref().filter(|_| nth > 0).map_or(PROBES, |e| e.probes[k]);
        let (seed, unit) = (self.request.seed, &mut self.units[k]);
        let by_entry = unit.by_entry && whole;
        let at = At { inputs, seed, number };
        unit.nearby.clear();
        let mut tools =
            Toolchain { module: &mut self.module, builders: &mut self.builders, engine: &mut self.engine };
        if by_entry {
            unit.judge_entries(at, &mut tools)?;
        }
        if unit.by_direction {
            let probes = if by_entry { 1 } else { probes };
            unit.judge_directions(at, probes, &mut tools)?;
        }
        let results = match unit.order {
            Order::First => Some(tools.engine.aside(|e| self.primal.call(e, inputs))?),
            Order::Second => None,
        };
        unit.run_identities(inputs, (seed, number), results.as_deref(), &mut tools)?;
        if by_entry {
            unit.drop_vague_directions();
        }
        let few = unit.by_entry || unit.size() <= TOLD;
        let open = !by_entry && (unit.missed.is_some() || (unit.vague && few));
        if open {
            if let Some(miss) = unit.missed.filter(|_| unit.size() > WHOLE) {
                return unit.narrow(at, miss, &mut tools);
            }
            let func = unit.programs.func;
            if !unit.has_coordinates() {
                // For the details of a failure; if they cannot be computed, the direction is reported.
                let what = (&unit.wrt[..], &unit.outputs[..]);
                let version = Version::Shadowed;
                let made = oracle::programs(tools.module, tools.builders, func, what, (true, false), version);
                let code = made.and_then(|p| tools.engine.compile(tools.module, p.coordinates.as_slice()));
                unit.add_coordinates(code.ok().and_then(|mut c| c.pop()));
            }
            if unit.has_coordinates() {
                unit.judge_entries(at, &mut tools)?;
                unit.drop_vague_directions();
            }
        }
        Ok(())
    }

    /// The points of a run of a function of the check where it is not smooth; `None` if they could not be found.
    pub(crate) fn trace(&self, f: FuncId, inputs: &[Datum]) -> Option<Vec<Event>> {
        margins::trace(&self.module, &self.engine.externs, f, inputs, TRACED).ok()
    }

    /// Where the function's value at a point first is not finite.
    pub(crate) fn first_nonfinite(&self, inputs: &[Datum]) -> Option<Birth> {
        let limits = Limits { fuel: TRACED, ..Limits::default() };
        first_nonfinite(&self.module, &self.engine.externs, self.request.func, inputs, limits).ok()?
    }

    /// The one-sided slopes of an entry of the function's Jacobian, if fixed steps show a kink at the point.
    pub(crate) fn kink(&mut self, e: &Entry, inputs: &[Datum]) -> Option<Slopes> {
        let fixed = self.units.iter_mut().find(|u| u.order == e.order)?.fixed.as_mut()?;
        fixed.kink(&mut self.engine, inputs, e.place, (self.request.limits.eps, e.tol))
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

    /// Whether Jacobians are compared entry by entry at the `nth` point, if they are compared entry by entry at all:
    /// everywhere, if that was requested explicitly, or under fixed tolerances.
    pub(crate) fn is_whole(&self, nth: usize) -> bool {
        let everywhere = self.request.explicit || self.request.limits.form != Tolerance::Automatic;
        everywhere || self.extent.as_ref().is_none_or(|e| nth < e.entries)
    }

    /// Sets the extent: everything was compared at one point at least, and the cost is known.
    pub(crate) fn settle_extent(&mut self) {
        if self.extent.is_some() {
            return;
        }
        let weight = |k: usize, f: FuncId| -> Option<Weight> {
            self.backends.iter().find(|b| (b.unit, b.program) == (k, f)).and_then(|b| b.weight)
        };
        let units: Vec<(&Unit, Option<Weight>)> =
            self.units.iter().enumerate().map(|(k, u)| (u, weight(k, u.programs.func))).collect();
        self.extent = Some(Extent::new(&self.request, &units));
    }

    /// Every program in all its forms at the `nth` accepted point: the first disagreement, and whether each of them was
    /// interpreted.
    pub(crate) fn compare_backends(&mut self, inputs: &[Datum], nth: usize) -> (Option<Diagnostic>, bool) {
        let planned = self.backends.iter().all(|b| b.weight.is_none_or(|w| w.is_interpreted(nth)));
        let (units, cotangents, seed) = (&self.units, &self.cotangents, self.request.seed);
        let arguments = |b: &Backend| {
            let unit = &units[b.unit];
            // A VJP program has the same parameters under every policy.
            unit.at_point(b.program, inputs, cotangents, seed)
        };
        let threads = (self.request.backends == Backends::All, nth);
        let tools = &mut Toolchain {
            module: &mut self.module,
            builders: &mut self.builders,
            engine: &mut self.engine,
        };
        let found =
            backends::compare(tools, self.optimised.as_deref(), &mut self.backends, threads, arguments);
        let possible = self.backends.iter().all(|b| b.weight.is_none_or(|w| w.steps.is_some()));
        (found, planned && possible)
    }
}

/// Adds the results of a unit's comparisons.
fn add(outcome: &mut Outcome, unit: &Unit) {
    unit.identities.iter().for_each(|i| outcome.identities.add(i.status));
    let differences = unit.entries.iter().filter(|e| e.comparison.is_some()).map(|e| e.fd.abs());
    let largest = differences.filter(|x| x.is_finite()).fold(0.0, f64::max);
    for (_, c) in unit.compared().filter(|(_, c)| c.status.compared()) {
        let beyond = c.abs_err - if c.est.is_nan() { 0.0 } else { 10.0 * c.est };
        let score = beyond / (8.0 * f64::EPSILON * largest);
        outcome.score = if score.is_finite() { outcome.score.max(score) } else { outcome.score };
    }
    let entries = unit.compared().map(|(_, c)| (c, true));
    for (c, entry) in entries.chain(unit.probes.iter().map(|p| (p.comparison, false))) {
        outcome.verdicts.add(c.status);
        outcome.resolution.add(c.resolution);
        outcome.untestable += usize::from(c.status.info().severity == Severity::Pass && !c.testable);
        if c.status.compared() {
            *(if entry { &mut outcome.entries } else { &mut outcome.directions }) += 1;
        }
        if c.ratio > outcome.worst_ratio {
            outcome.worst_ratio = c.ratio;
        }
    }
}

/// At this many points second derivatives are compared although differences decide no first one: a mistake may show there, but where
/// rounding grows without end, each point takes long.
const UNDECIDED: usize = 2;
/// If a direction is inconclusive, Jacobians of at most this many entries are compared completely.
const TOLD: usize = 1 << 10;
/// This relative difference of an error is negligible.
const SAME: f64 = 1e-3;
