//! Every program in every form that it is run in, against the reference interpreter: all give the same bits.

use crate::coordinates::{index_text, indices};
use crate::exact::Exact;
use crate::extent::Weight;
use crate::oracle::Toolchain;
use crate::rounding::{self, Truth};
use crate::runner::{Engine, Runner};
use crate::slots::first_difference;
use crate::unit::Unit;
use adc_ir::interp::{Cost, Interp, Limits, Val};
use adc_ir::*;
use adc_jit::{Effort, Options, RuntimeMath};

/// One program in its forms. Second derivatives are not compiled raw: they are the largest programs,
/// and the interpreter runs them raw.
#[derive(Clone)]
pub(crate) struct Backend {
    pub program: FuncId,
    pub unit: usize,
    /// As differentiation made it, or in forms that keep its bits at every level.
    pub forms: Vec<(&'static str, Runner)>,
    /// Optimised.
    pub optimised: Vec<(&'static str, Runner)>,
    /// In double-double, where that was needed.
    pub exact: Option<Option<Exact>>,
    /// The cost of a run at the first point.
    pub weight: Option<Weight>,
}

/// The name of the optimised program in messages.
pub(crate) const OPTIMISED: &str = "optimised compiled code";

/// The name of what runs a program as differentiation made it.
const INTERPRETER: &str = "the reference interpreter";
/// The same for the optimised program.
const OPTIMISED_INTERPRETED: &str = "the optimised program";

/// The forms of [`Backends::All`] beyond the default ones: name and compile options.
pub(crate) fn further() -> [(&'static str, Options); 2] {
    let (mut scalar, mut quick) = (Options::default(), Options::default());
    scalar.strips = None;
    quick.effort = Effort::Quick;
    [("code without vector units", scalar), ("quickly compiled code", quick)]
}

/// The name of the form with checkpoints.
pub(crate) const CHECKPOINTED: &str = "the program with checkpoints";

/// A program with at most this many iterations is interpreted for comparison with compiled code.
pub(crate) const INTERPRETED: u64 = 1 << 18;
/// Number of threads that run a program at the same time.
const THREADS: usize = 3;

/// The first disagreement at the accepted point of this `number`. `arguments` are those of a unit's programs: none if the
/// unit is not run there. `optimised` is the module of optimised code where that does not keep bits: its forms then share
/// bits of their own, within rounding of the others'. Programs are not interpreted if they take more than [`INTERPRETED`]
/// iterations, or if enough points of the check were interpreted already. Then their forms are compared with each other.
pub(crate) fn compare(
    tools: &mut Toolchain,
    optimised: Option<&Module>,
    backends: &mut [Backend],
    (threads, number): (bool, usize),
    arguments: impl Fn(&Backend) -> Option<Vec<Datum>>,
) -> Option<Diagnostic> {
    for b in backends {
        let Some(args) = arguments(b) else { continue };
        let raw = match b.weight {
            Some(w) if !w.is_interpreted(number) => None,
            Some(_) => interpreted(INTERPRETER, tools.module, b.program, tools.engine, &args),
            None => weighed(b, tools, &args),
        };
        let found = match optimised {
            None => {
                let forms = b.forms.iter_mut().chain(&mut b.optimised);
                same_bits(tools.module.func(b.program), raw, forms, tools.engine, &args).err()
            }
            Some(module) => {
                let func = tools.module.func(b.program);
                let of_module = raw
                    .as_ref()
                    .and_then(|_| interpreted(OPTIMISED_INTERPRETED, module, b.program, tools.engine, &args));
                let raw = same_bits(func, raw, b.forms.iter_mut(), tools.engine, &args);
                let own = same_bits(func, of_module, b.optimised.iter_mut(), tools.engine, &args);
                match (raw, own) {
                    (Ok(Some(raw)), Ok(Some(own))) => within_rounding(b, tools, &args, &raw, &own),
                    (Err(d), _) | (_, Err(d)) => Some(d),
                    (Ok(_), Ok(_)) => None,
                }
            }
        };
        let found = found.or_else(|| match threads {
            true => on_threads(tools.module.func(b.program), &b.optimised.last()?.1, tools.engine, &args),
            false => None,
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The result of one run of a program, and the name of what ran it.
pub(crate) type Run = (&'static str, Result<Vec<Datum>, RuntimeError>);

/// The result by interpretation, unless that takes too long. `what` is its name in messages.
pub(crate) fn interpreted(
    what: &'static str,
    module: &Module,
    program: FuncId,
    engine: &Engine,
    args: &[Datum],
) -> Option<Run> {
    counted(what, module, program, engine, args).map(|(run, _)| run)
}

/// Interprets a program for the first time, unless it takes too many iterations, and records the cost.
fn weighed(b: &mut Backend, tools: &mut Toolchain, args: &[Datum]) -> Option<Run> {
    let code = &mut b.forms.iter_mut().chain(&mut b.optimised).next()?.1;
    let iterations = code.call(tools.engine, args).map_or(0, |_| code.iterations);
    let ran = match iterations <= INTERPRETED {
        true => counted(INTERPRETER, tools.module, b.program, tools.engine, args),
        false => None,
    };
    b.weight = Some(match &ran {
        Some((_, cost)) => Weight { work: cost.work(), steps: Some(cost.steps) },
        None => Weight::of_iterations(iterations.max(INTERPRETED)),
    });
    ran.map(|(run, _)| run)
}

/// As [`interpreted`], with the cost of the run; no cost if it ended in an error.
fn counted(
    what: &'static str,
    module: &Module,
    program: FuncId,
    engine: &Engine,
    args: &[Datum],
) -> Option<(Run, Cost)> {
    let mut interp = Interp::new(module, &RuntimeMath, &engine.externs);
    interp.limits = Limits { fuel: INTERPRETED, ..Limits::default() };
    let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
    let func = module.func(program);
    debug_assert!(func.dims.is_empty(), "programs of a check have numbers for their dimensions");
    match interp.count(program, &[], &vals) {
        Err(e) if e.trap == Trap::OutOfFuel => None,
        Err(e) => Some(((what, Err(e)), Cost::default())),
        Ok((values, cost)) => {
            let results = values.iter().zip(&func.results);
            let results = results.map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect();
            Some(((what, Ok(results)), cost))
        }
    }
}

/// The result that all forms share with `reference`, or with the first of them.
fn same_bits<'a>(
    func: &Func,
    mut reference: Option<Run>,
    forms: impl Iterator<Item = &'a mut (&'static str, Runner)>,
    engine: &mut Engine,
    args: &[Datum],
) -> Result<Option<Run>, Diagnostic> {
    for (what, code) in forms {
        let got = code.call(engine, args);
        match &reference {
            Some((other, want)) => {
                if let Some(text) = difference(func, &got, want) {
                    return Err(disagreement(func, what, other, text));
                }
            }
            None => reference = Some((what, got)),
        }
    }
    Ok(reference)
}

/// Runs one program on several threads at the same time, and compares with a run on one.
fn on_threads(func: &Func, code: &Runner, engine: &mut Engine, args: &[Datum]) -> Option<Diagnostic> {
    let want = code.clone().call(engine, args);
    let runs: Vec<_> = std::thread::scope(|s| {
        let run = || {
            let (mut code, mut engine) = (code.clone(), engine.here());
            s.spawn(move || code.call(&mut engine, args))
        };
        let list: Vec<_> = (0..THREADS).map(|_| run()).collect();
        list.into_iter().map(|t| t.join().expect("compiled code does not panic")).collect()
    });
    let text = runs.iter().find_map(|got| difference(func, got, &want))?;
    Some(disagreement(func, "one of several threads", "one by itself", text))
}

/// Optimised code that rounds differently. Finite results stay finite, results that are no floats stay equal, and every
/// other result is close to that of the raw program, or else no further than that is from the same formula in
/// double-double.
fn within_rounding(
    b: &mut Backend,
    tools: &mut Toolchain,
    args: &[Datum],
    (other, raw): &Run,
    (what, own): &Run,
) -> Option<Diagnostic> {
    let (Ok(raw), Ok(own)) = (raw, own) else {
        return difference(tools.module.func(b.program), own, raw)
            .map(|text| disagreement(tools.module.func(b.program), what, other, text));
    };
    let func = b.program;
    let (k, i) = rounding::beyond(raw, own, || {
        let exact = b.exact.get_or_insert_with(|| Exact::new(tools, func)).as_mut()?;
        Truth::find(func, exact, tools, args, raw)
    })?;
    let func = tools.module.func(func);
    let entry = index_text(&indices(raw[k].shape(), i));
    let (name, x, y) = (&func.results[k].name, raw[k].get(i), own[k].get(i));
    Some(disagreement(func, what, other, format!("`{name}{entry}` is {y:?} in one and {x:?} in the other")))
}

fn disagreement(func: &Func, what: &str, other: &str, text: String) -> Diagnostic {
    Diagnostic::error(Code::BackendsDisagree, format!("{what} and {other} disagree on `{}`", func.name))
        .label(crate::settings::header(func), "in this function")
        .note(text)
        .help("this is a bug in adc, not in the model: please report it")
}

/// How two runs of one program differ. If both fail, they agree only if the error is the same.
fn difference(
    func: &Func,
    got: &Result<Vec<Datum>, RuntimeError>,
    want: &Result<Vec<Datum>, RuntimeError>,
) -> Option<String> {
    match (got, want) {
        (Ok(a), Ok(b)) => {
            let mut differences = a.iter().zip(b).enumerate();
            let (k, i) = differences.find_map(|(k, (x, y))| Some((k, first_difference(x, y)?)))?;
            let entry = index_text(&indices(a[k].shape(), i));
            let name = &func.results[k].name;
            Some(format!("`{name}{entry}` is {:?} in one and {:?} in the other", a[k].get(i), b[k].get(i)))
        }
        // An optimised program may omit a failing op whose value is not needed.
        (_, Err(_)) => None,
        (Err(e), Ok(_)) => Some(format!("one ends with the run-time error: {e}")),
    }
}

impl Unit {
    /// The arguments of one of its programs at the current point, given those of the function and the cotangents of the
    /// second order. `seed` is that of the check.
    pub(crate) fn at_point(
        &self,
        program: FuncId,
        inputs: &[Datum],
        cotangents: &[Datum],
        seed: u64,
    ) -> Option<Vec<Datum>> {
        match self.order {
            crate::report::Order::First => Some(self.arguments(program, inputs, Some(seed))),
            crate::report::Order::Second if cotangents.is_empty() => None,
            crate::report::Order::Second => {
                Some(self.arguments(program, &[inputs, cotangents].concat(), Some(seed)))
            }
        }
    }
}
