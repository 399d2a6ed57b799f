//! The settings of a check: flags override the block, the block overrides defaults.

use crate::budget::Budget;
use crate::coordinates::sizes;
use crate::passes::{Own, Passes};
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::{OptLevel, Options};

/// The forms in which programs are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backends {
    /// None.
    None,
    /// Interpreted, compiled as differentiation made them, optimised.
    #[default]
    Default,
    /// Also without vector units, compiled with low effort, with checkpoints instead of stored values, and on several
    /// threads.
    All,
}

/// Number of points without a `points` line.
pub const DEFAULT_POINTS: usize = 16;
/// Seed without a `seed` line.
pub const DEFAULT_SEED: u64 = 1;
/// Under automatic tolerances slow mode is on by default where inputs × outputs (real coordinates) do not exceed this.
pub const SLOW_LIMIT: usize = 4096;

/// The program a check belongs to.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The functions.
    pub module: &'a Module,
    /// Native functions bound by name.
    pub externs: &'a Externs,
    /// How much derivatives are simplified before compilation. Difference programs never are.
    pub opt: OptLevel,
    /// How functions may be rounded that do not say so, and the most that any allows.
    pub fp: Option<FpMode>,
    /// What makes the derivative programs, and simplifies them.
    pub passes: &'a dyn Passes,
}

impl<'a> Context<'a> {
    /// With adc's own passes.
    pub fn new(module: &'a Module, externs: &'a Externs, opt: OptLevel) -> Context<'a> {
        Context { module, externs, opt, fp: None, passes: &Own }
    }

    /// How derivatives are simplified.
    pub(crate) fn options(&self) -> Options<'static> {
        Options { level: self.opt, ..Options::default() }
    }
}

/// When a derivative `a` and a difference `n` agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tolerance {
    /// Differences of the double-double shadow. Allowed are only their estimated error and the rounding of the derivative
    /// program. A block or a setting that gives `eps`, `atol` or `rtol` asks for [`Tolerance::Classic`] instead, and
    /// [`crate::Report::limits`] says so.
    #[default]
    Automatic,
    /// `|a − n| ≤ atol + rtol·|n|`, complex numbers by their modulus, with the fixed step `eps`: what PyTorch's `gradcheck`
    /// compares. By default only [`Mode::Slow`] runs, as there; at every point the VJP also runs with a cotangent of zeros,
    /// and once more to compare bits.
    Classic,
    /// `|n − a| ≤ max_relative_error·s`, s = |n|, but 1 where |n| < 1e-3, with the fixed step `delta`.
    /// (The published line subtracts from s instead of n and so rejects negative gradients.)
    Relative {
        /// Bound of the relative error.
        max_relative_error: f64,
        /// The step.
        delta: f64,
        /// Every entry of an output separately; else the gradient of the sum over the output. The same for scalar outputs.
        per_entry: bool,
    },
}

/// Overrides of a check block, and settings that only a caller has. `None` leaves the block's or the default value.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Number of points.
    pub points: Option<usize>,
    /// The maximum number of special points besides the drawn ones: aliases, 0, ±1, bounds, cuts, large and tiny values. By
    /// default half as many as drawn ones under automatic tolerances, none under fixed ones.
    pub special: Option<usize>,
    /// Points that a search for the worst case may evaluate after all others have passed.
    pub search: usize,
    /// Seed of points and directions.
    pub seed: Option<u64>,
    /// Step of the classic difference.
    pub eps: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// What to do at each point; by default everything, with fixed steps [`Mode::Slow`] alone.
    pub modes: Option<Vec<Mode>>,
    /// The form of the tolerance.
    pub tolerance: Tolerance,
    /// Positions of the parameters to differentiate.
    pub wrt: Option<Vec<usize>>,
    /// Positions of the results to check.
    pub outputs: Option<Vec<usize>>,
    /// Positions of parameters that are inactive in the derivative, besides those of the block.
    pub nodiff: Vec<usize>,
    /// Numbers for dimensions, by position; the list may be shorter.
    pub dims: Vec<Option<i64>>,
    /// Points to check at instead of sampled ones.
    pub at: Vec<Vec<Datum>>,
    /// The maximum number of points that are tried to make a failing point small, in [`crate::Report::small`].
    pub shrink: usize,
    /// The check of a function ends after this many failing points.
    pub max_failures: Option<usize>,
    /// Iterations of loops that one evaluation of the function may take. By default [`crate::FIRST_FUEL`], and at points
    /// where that is too little 16 times as many as at any other point.
    pub fuel: Option<u64>,
    /// Bytes of arrays that one evaluation may use; 1 GiB without it.
    pub memory_limit: Option<u64>,
    /// The forms in which programs are compared with each other.
    pub backends: Backends,
    /// Skips the search for the cause of a failure: [`crate::Report::blame`], and the notes about it in messages.
    pub no_blame: bool,
    /// Keeps the results at each point, in [`crate::Report::points`].
    pub every_point: bool,
    /// The number of worst entries of the point shown for which the report has [`crate::Report::curves`].
    pub curves: usize,
}

/// The settings of a check with all defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub func: FuncId,
    pub wrt: Vec<usize>,
    pub outputs: Vec<usize>,
    pub slow: bool,
    pub fast: bool,
    pub forward: bool,
    pub gradgrad: bool,
    /// Whether the modes were requested by name: a mode that cannot be run is then an error.
    pub explicit: bool,
    pub points: usize,
    pub special: usize,
    pub search: usize,
    pub seed: u64,
    pub limits: Limits,
    /// The requested number of iterations of an evaluation.
    pub fuel: Option<u64>,
    /// The limits of an evaluation if nothing else is known.
    pub run: interp::Limits,
    pub backends: Backends,
    pub no_blame: bool,
}

/// Step and tolerances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Step of the differences.
    pub eps: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Relative tolerance.
    pub rtol: f64,
    /// How they are used.
    pub form: Tolerance,
}

impl Request {
    /// `f` is the function to check with numbers for its dimensions; `name` is its name in messages.
    pub(crate) fn new(
        m: &Module,
        f: FuncId,
        name: &str,
        block: &CheckBlock,
        s: &Settings,
    ) -> Result<Request, Diagnostic> {
        let func = m.func(f);
        known_sizes(func, name)?;
        if let Some(what) = misfit(func, s) {
            return Err(Diagnostic::error(
                Code::BadUsage,
                format!("the settings do not fit `{name}`: {what}"),
            )
            .label(header(func), ""));
        }
        let nodiff = |i: usize| block.nodiff.contains(&i) || s.nodiff.contains(&i);
        let chosen = s.wrt.as_ref().or(block.wrt.as_ref());
        let wrt: Vec<usize> = match chosen {
            Some(list) => list.iter().copied().filter(|i| !nodiff(*i)).collect(),
            None if func.is_only_linear() => {
                func.linear_params().into_iter().filter(|i| !nodiff(*i)).collect()
            }
            None => func.differentiable_params().into_iter().filter(|i| !nodiff(*i)).collect(),
        };
        let wrt = without_repeats(wrt);
        if let Some(&i) =
            wrt.iter().find(|&&i| !func.param_ty(i).is_differentiable() || func.params[i].nodiff)
        {
            let p = &func.params[i];
            let why =
                if p.nodiff { "is `#[nodiff]`".to_string() } else { format!("is {}", func.param_ty(i)) };
            return Err(Diagnostic::error(
                Code::NotDifferentiable,
                format!("`{name}` cannot be differentiated with respect to `{}`", p.name),
            )
            .label(p.span, why)
            .help("leave it out of `wrt`"));
        }
        let chosen = s.outputs.clone().or_else(|| block.outputs.clone());
        let outputs = without_repeats(chosen.unwrap_or_else(|| func.differentiable_results()));
        if let Some(r) = outputs.iter().map(|&k| &func.results[k]).find(|r| !r.ty.is_differentiable()) {
            return Err(Diagnostic::error(
                Code::NoOutput,
                format!("the result `{}` of `{name}` is {} and carries no derivative", r.name, r.ty),
            )
            .label(header(func), "")
            .help("leave it out of `outputs`"));
        }
        if wrt.is_empty() || outputs.is_empty() {
            let what = if wrt.is_empty() { "parameter" } else { "result" };
            return Err(Diagnostic::error(
                Code::NoOutput,
                format!("`{name}` has no {what} to differentiate"),
            )
            .label(header(func), format!("no real or complex {what} is left"))
            .help("integers and booleans carry no derivative"));
        }
        let modes = s.modes.as_ref().or(block.modes.as_ref());
        let has = |m: Mode| modes.is_some_and(|list| list.contains(&m));
        let (columns, rows) = (count(wrt.iter().map(|&i| func.data(func.params[i].value))), {
            let results: Vec<ValueData> = outputs.iter().map(|&k| func.results[k].data()).collect();
            count(results.iter())
        });
        let entries = columns.saturating_mul(rows);
        // Automatic tolerances have no parameters: giving one selects fixed steps.
        let step = s.eps.or(block.eps);
        let fixed = step.or(s.atol).or(block.atol).or(s.rtol).or(block.rtol);
        let form = match s.tolerance {
            Tolerance::Automatic if fixed.is_some() => Tolerance::Classic,
            form => form,
        };
        let eps = match form {
            Tolerance::Automatic => 0.0,
            Tolerance::Classic => step.unwrap_or(1e-6),
            Tolerance::Relative { delta, .. } => delta,
        };
        // In single precision the derivative itself has errors of a few 1e-7; the differences have not.
        let single = computes_in_single(m, f);
        let (unstated, automatic) = (modes.is_none(), form == Tolerance::Automatic);
        // Of what is only known to be linear, there is forward mode.
        let claimed = unstated && func.is_only_linear();
        let all = unstated && automatic && !claimed;
        let default = match form {
            Tolerance::Automatic => (0.0, 0.0),
            Tolerance::Classic | Tolerance::Relative { .. } if single => (1e-4, 2e-3),
            Tolerance::Classic | Tolerance::Relative { .. } => (1e-5, 1e-3),
        };
        let points = s.points.or(block.points).unwrap_or(DEFAULT_POINTS);
        let (fuel, bytes) = (s.fuel.or(block.fuel), s.memory_limit.or(block.memory_limit));
        let usual = interp::Limits::default();
        let run = interp::Limits { fuel: Budget::new(fuel).first(), bytes: bytes.unwrap_or(usual.bytes) };
        let bytes = PER_COORDINATE.saturating_mul(columns.saturating_add(rows) as u64);
        // A limit may be small to measure what an evaluation needs.
        if bytes > run.bytes.max(usual.bytes) {
            let what = format!(
                "a check of `{name}` needs about {} MiB, with {columns} inputs and {rows} results",
                bytes >> 20
            );
            return Err(Diagnostic::error(Code::OutOfMemory, what).label(header(func), "").help(
                "give the dimensions smaller sizes, with `check f[N = 100]` or --dims N=100, or raise --memory-limit",
            ));
        }
        Ok(Request {
            func: f,
            wrt,
            outputs,
            slow: has(Mode::Slow) || (unstated && !claimed && (!automatic || entries <= SLOW_LIMIT)),
            fast: has(Mode::Fast) || all,
            forward: has(Mode::Forward) || all || claimed,
            gradgrad: has(Mode::Gradgrad) || all,
            explicit: !unstated,
            points,
            search: s.search,
            special: match form {
                Tolerance::Automatic => s.special.unwrap_or(points / 2),
                Tolerance::Classic | Tolerance::Relative { .. } => s.special.unwrap_or(0),
            },
            seed: s.seed.or(block.seed).unwrap_or(DEFAULT_SEED),
            limits: Limits {
                eps,
                atol: s.atol.or(block.atol).unwrap_or(default.0),
                rtol: s.rtol.or(block.rtol).unwrap_or(default.1),
                form,
            },
            fuel,
            run,
            backends: s.backends,
            no_blame: s.no_blame,
        })
    }

    /// The modes in the words of the language.
    pub(crate) fn modes(&self) -> Vec<Mode> {
        let on = |m: &Mode| match m {
            Mode::Slow => self.slow,
            Mode::Fast => self.fast,
            Mode::Forward => self.forward,
            Mode::Gradgrad => self.gradgrad,
        };
        Mode::ALL.iter().map(|(m, _)| *m).filter(on).collect()
    }
}

/// The list with the first of equal elements only.
fn without_repeats(list: Vec<usize>) -> Vec<usize> {
    let mut out = Vec::with_capacity(list.len());
    for i in list {
        if !out.contains(&i) {
            out.push(i);
        }
    }
    out
}

/// The setting that refers to parameters, results or points that the function lacks.
fn misfit(func: &Func, s: &Settings) -> Option<String> {
    let params = s.wrt.iter().flatten().chain(&s.nodiff);
    if let Some(i) = params.into_iter().find(|i| **i >= func.params.len()) {
        return Some(format!("there is no parameter {i}"));
    }
    if let Some(k) = s.outputs.iter().flatten().find(|k| **k >= func.results.len()) {
        return Some(format!("there is no result {k}"));
    }
    let fits = |point: &Vec<Datum>| {
        let param = |(p, x): (&Param, &Datum)| {
            x.ty() == func.ty(p.value) && Some(x.shape().to_vec()) == sizes(func.data(p.value))
        };
        point.len() == func.params.len() && func.params.iter().zip(point).all(param)
    };
    let point = s.at.iter().position(|p| !fits(p))?;
    Some(format!("point {point} is not of the parameters' types and sizes"))
}

/// Approximate bytes that a check needs for every real coordinate that is differentiated: differences, slopes, reported
/// entries.
const PER_COORDINATE: u64 = 4096;

/// Real coordinates of values.
pub(crate) fn count<'a>(values: impl Iterator<Item = &'a ValueData>) -> usize {
    let len = |d: &ValueData| sizes(d).map_or(0, |s| s.iter().fold(1, |a: usize, b| a.saturating_mul(*b)));
    values.map(|d| d.ty.scalar().coordinates().saturating_mul(len(d))).fold(0, usize::saturating_add)
}

/// Refuses sizes that are only known at run time: every point would have another Jacobian.
pub(crate) fn known_sizes(func: &Func, name: &str) -> Result<(), Diagnostic> {
    let params = func.params.iter().map(|p| (&p.name, func.data(p.value).clone(), p.span));
    let results = func.results.iter().map(|r| (&r.name, r.data(), header(func)));
    let open = params.chain(results).find(|(_, d, _)| sizes(d).is_none());
    open.map_or(Ok(()), |(which, _, span)| {
        let what = format!("the sizes of `{which}` of `{name}` depend on values, not on dimensions alone");
        Err(Diagnostic::error(Code::BadUsage, what)
            .label(span, "")
            .help("make them dimensions: `fn f[N](x: f64[N])`"))
    })
}

fn computes_in_single(m: &Module, f: FuncId) -> bool {
    m.reachable(f).iter().any(|g| m.func(*g).values.iter().any(|v| v.ty.scalar().is_single()))
}

/// The part of a function's source that a message marks: from `fn` to the last parameter.
pub(crate) fn header(func: &Func) -> Span {
    match func.params.last() {
        Some(last) if last.span.file == func.span.file && last.span.end > func.span.start => {
            Span { end: last.span.end, ..func.span }
        }
        _ => func.span,
    }
}
