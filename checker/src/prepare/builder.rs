//! Builds and compiles every program that a check needs.

use super::Prepared;
use crate::backends::{self, Backend};
use crate::coordinates::{Part, sizes};
use crate::derivatives;
use crate::differentiated::Differentiated;
use crate::fixed_steps::FixedSteps;
use crate::freeze;
use crate::oracle::{self, Builders, Oracle, Version};
use crate::passes::Passes;
use crate::points::Range;
use crate::report::Order;
use crate::runner::Engine;
use crate::settings::Backends;
use crate::settings::{Context, Tolerance};
use crate::sweeps;
use crate::unit::{Automatic, Programs, Unit};
use adc_ad::Policy;
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::OptLevel;
use std::sync::Arc;

/// Collects the programs of a check.
pub(super) struct Builder {
    pub of: Differentiated,
    pub builders: Builders,
    /// The ranges over which the function's parameters vary.
    pub ranges: Vec<Range>,
}

/// The modes of one unit.
#[derive(Clone, Copy)]
struct Modes {
    entries: bool,
    probes: bool,
    forward: bool,
    reverse: bool,
}

/// Why there is no program of a mode that belongs to the default ones.
#[derive(Default)]
struct Missing {
    forward: Option<Diagnostic>,
    reverse: Option<Diagnostic>,
}

impl Builder {
    /// Of the modes of the first order those that there are. Native functions may have one of two: what is not asked for by
    /// name is left out.
    fn possible(&mut self, passes: &dyn Passes, wanted: Modes) -> Result<(Modes, Missing), Diagnostic> {
        let r = &mut self.of.request;
        let automatic = r.limits.form == Tolerance::Automatic;
        let (m, f) = (&mut self.of.module, self.of.source);
        let mut modes = wanted;
        let mut missing = Missing::default();
        let lacks = |d: &Diagnostic| matches!(d.code, Code::NoRule | Code::NonLinearRule);
        if modes.reverse
            && let Err(d) = passes.vjp(m, f, (&r.wrt, &r.outputs), true, Policy::default())
        {
            if !lacks(&d) || (r.explicit && !r.forward) {
                return Err(d);
            }
            (modes.reverse, modes.forward, missing.reverse) = (false, true, Some(d));
        }
        // Along a direction, the JVP is compared.
        if (modes.forward || (automatic && modes.probes))
            && let Err(d) = passes.jvp(m, f, &r.wrt)
        {
            if !lacks(&d) || !modes.reverse || (r.explicit && r.forward) {
                return Err(missing.reverse.unwrap_or(d));
            }
            r.forward = false;
            modes.forward = false;
            if automatic {
                (r.slow, r.fast, modes.entries, modes.probes) = (true, false, true, false);
            }
            missing.forward = Some(d);
        }
        Ok((modes, missing))
    }

    pub(super) fn finish(mut self, ctx: &Context) -> Result<Prepared, Diagnostic> {
        let mut units = Vec::new();
        let mut missing = Missing::default();
        let r = self.of.request.clone();
        if r.slow || r.fast || r.forward {
            let wanted = Modes {
                entries: r.slow || (r.forward && !r.fast),
                probes: r.fast,
                forward: r.forward,
                reverse: r.slow || r.fast,
            };
            let (modes, lacks) = self.possible(ctx.passes, wanted)?;
            missing = lacks;
            units.push(self.unit(
                ctx.passes,
                Order::First,
                (r.func, self.of.source),
                modes,
                &r.wrt,
                &r.outputs,
            )?);
        }
        let r = self.of.request.clone();
        let backends = r.backends != Backends::None;
        let mut skipped = None;
        if r.gradgrad {
            match self.second(ctx.passes) {
                Ok(unit) => units.push(unit),
                Err(d) if r.explicit => return Err(d),
                Err(d) => skipped = Some(d),
            }
        }
        let differenced: Vec<FuncId> = units.iter().map(|u| u.programs.func).collect();
        let first_order = freeze::left_out(&self.of.module, &differenced);
        let engine = Engine::new(self.bind(ctx, &units)?, self.of.request.run);
        let compared: Vec<(usize, FuncId)> = units
            .iter()
            .enumerate()
            .flat_map(|(k, u)| u.programs.compared().map(move |p| (k, p)).collect::<Vec<_>>())
            .collect();
        let mut derivatives: Vec<FuncId> = compared.iter().map(|(_, p)| *p).collect();
        derivatives.extend(
            units.iter().flat_map(|u| [u.programs.rows, u.programs.columns, u.programs.nested]).flatten(),
        );
        let exact = ctx.opt.is_exact() || self.of.module.is_strict(&derivatives);
        let mut optimised = self.of.module.clone();
        ctx.passes.simplify(&mut optimised, &derivatives, &ctx.options());
        let mut fast_code = engine.compile_with(&optimised, &derivatives, &ctx.passes.code())?;
        let mut sweeps = fast_code.split_off(compared.len()).into_iter();
        let differences: Vec<FuncId> = units.iter().flat_map(|u| u.programs.differences()).collect();
        let compiled_raw = |unit: &Unit, p: FuncId| {
            backends && ctx.opt != OptLevel::O0 && (unit.order == Order::First || p == unit.programs.func)
        };
        let mut raw: Vec<FuncId> = vec![r.func];
        raw.extend(&differences);
        raw.extend(compared.iter().filter(|(k, p)| compiled_raw(&units[*k], *p)).map(|(_, p)| *p));
        let mut raw_code = engine.compile_quickly(&self.of.module, &raw)?.into_iter();
        let primal = raw_code.next().expect("one function per entry");
        for unit in &mut units {
            let mut next = |p: Option<FuncId>| p.and_then(|_| raw_code.next());
            let secants = unit.programs.secants.clone();
            let code = (next(secants.coordinates), next(secants.along));
            let f = unit.programs.func;
            if r.limits.form == Tolerance::Automatic {
                let map = unit.columns_and_rows();
                let oracle = Oracle::new(f, &unit.outputs, map, secants.holes, code);
                unit.automatic = Some(Automatic::new(oracle, unit.single()));
            } else {
                unit.fixed = Some(FixedSteps::new(self.of.module.func(f), &unit.wrt, &unit.outputs, code));
            }
            let mut next = |p: Option<FuncId>| p.and_then(|_| sweeps.next());
            unit.all_rows = next(unit.programs.rows);
            unit.all_columns = next(unit.programs.columns);
            if let (Some(program), Some(code)) = (unit.programs.nested, next(unit.programs.nested)) {
                unit.nest(&self.of.module, r.func, program, code);
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
                let forms = raw.map(|code| ("compiled code", code)).into_iter().collect();
                list.push(Backend {
                    program,
                    unit,
                    forms,
                    optimised: vec![(backends::OPTIMISED, code)],
                    exact: None,
                    weight: None,
                });
            }
        }
        if r.backends == Backends::All {
            self.further(ctx, &engine, &optimised, &units, &mut list)?;
        }
        Ok(Prepared {
            request: self.of.request,
            original: self.of.original,
            dims: self.of.dims,
            module: self.of.module,
            units,
            forward_skipped: missing.forward,
            reverse_skipped: missing.reverse,
            gradgrad_skipped: skipped,
            first_order,
            cotangents: Vec::new(),
            primal,
            engine,
            builders: self.builders,
            backends: list,
            extent: None,
            optimised: (!exact).then(|| Arc::new(optimised)),
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
            list.iter_mut().zip(code).for_each(|(b, code)| b.optimised.push((what, code)));
        }
        // Reverse programs that store as little as they can.
        let mut small = Vec::new();
        for (at, b) in list.iter().enumerate() {
            let unit = &units[b.unit];
            if unit.programs.vjp == Some(b.program) {
                let first = unit.order == Order::First;
                let f = if first { self.of.source } else { unit.programs.func };
                let m = &mut self.of.module;
                let about = (&unit.wrt[..], &unit.outputs[..]);
                small.push((at, ctx.passes.vjp(m, f, about, first, Policy::SMALL)?));
            }
        }
        let programs: Vec<FuncId> = small.iter().map(|(_, f)| *f).collect();
        let mut module = self.of.module.clone();
        // So that the bits stay those of the raw program.
        module.limit_fp(FpMode::Strict);
        ctx.passes.simplify(&mut module, &programs, &ctx.options());
        for ((at, _), code) in small.iter().zip(engine.compile(&module, &programs)?) {
            list[*at].forms.push((backends::CHECKPOINTED, code));
        }
        Ok(())
    }

    fn second(&mut self, passes: &dyn Passes) -> Result<Unit, Diagnostic> {
        let r = self.of.request.clone();
        let about = (&r.wrt[..], &r.outputs[..]);
        let vjp = passes.vjp(&mut self.of.module, self.of.source, about, false, Policy::default())?;
        let (wrt, outputs) = derivatives::second_order(&self.of.module, r.func, vjp, &r.wrt);
        // By default only the fast check; slow and fast as requested, fast if neither is.
        let entries = r.explicit && r.slow;
        let modes = Modes { entries, probes: !entries || r.fast, forward: r.forward, reverse: true };
        let mut unit = self.unit(passes, Order::Second, (vjp, vjp), modes, &wrt, &outputs)?;
        unit.has_hessian = freeze::is_conservative(&self.of.module, vjp);
        if r.limits.form == Tolerance::Automatic && unit.programs.jvp.is_some() && unit.has_hessian {
            unit.programs.nested =
                Some(derivatives::nested(&mut self.of.module, passes, self.of.source, &r.wrt, &r.outputs)?);
        }
        Ok(unit)
    }

    fn unit(
        &mut self,
        passes: &dyn Passes,
        order: Order,
        (func, source): (FuncId, FuncId),
        modes: Modes,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<Unit, Diagnostic> {
        let m = &mut self.of.module;
        let primal = order == Order::First;
        let vjp = match modes.reverse {
            true => Some(passes.vjp(m, source, (wrt, outputs), primal, Policy::default())?),
            false => None,
        };
        // Along a direction, the JVP is compared.
        let automatic = self.of.request.limits.form == Tolerance::Automatic;
        let jvp = match modes.forward || (automatic && modes.probes) {
            true => Some(passes.jvp(m, source, wrt)?),
            false => None,
        };
        if modes.entries {
            bounded(m, func, wrt, outputs)?;
        }
        // With fixed steps, single entries are directions, too: for kinks, and if a run of all of them ends in an error.
        let (version, along) = match automatic {
            true => (Version::Shadowed, modes.probes),
            false => (Version::Plain, true),
        };
        let on = (modes.entries, along);
        let secants = oracle::programs(m, &mut self.builders, func, (wrt, outputs), on, version)?;
        let rows = vjp.filter(|_| modes.entries).and_then(|_| sweeps::rows(m, passes, source, wrt, outputs));
        let columns = jvp.filter(|_| modes.entries).and_then(|jvp| sweeps::columns(m, source, jvp, wrt));
        let programs = Programs { func, source, vjp, jvp, rows, columns, secants, nested: None };
        let mut unit = Unit::new(&self.of.module, order, programs, wrt, outputs, &self.ranges);
        (unit.by_entry, unit.by_direction) = (modes.entries, modes.probes);
        if modes.entries {
            unit.make_entries();
        }
        Ok(unit)
    }

    /// The native functions that programs call, ready for the interpreter.
    fn bind(&self, ctx: &Context, units: &[Unit]) -> Result<Externs, Diagnostic> {
        let mut programs: Vec<FuncId> = units.iter().flat_map(|u| u.programs.compared()).collect();
        programs.push(self.of.request.func);
        ctx.externs.bind(&self.of.module, &programs)
    }
}

/// Entries of a Jacobian that is compared entry by entry, at most.
const MOST_ENTRIES: usize = 1 << 22;

/// Arguments that a difference program along every coordinate passes to the function, at most: each scalar coordinate and
/// each array in two calls of its own.
const MOST_ARGUMENTS: usize = 1 << 25;

/// Refuses a comparison entry by entry that would not fit into memory.
pub(super) fn bounded(m: &Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> Result<(), Diagnostic> {
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
