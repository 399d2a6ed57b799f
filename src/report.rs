//! Checking a whole model: the library's side of `adc check`.

use crate::error::UsageError;
use crate::wrt::Wrt;
use crate::{Diagnostics, Model, SourceFile, render};
use adc_checker::{Assumed, Cancel, Context, Progress, Report, Settings, Unobserved};
use adc_ir::{CheckBlock, FpMode, Func, Module};
use adc_jit::Externs;
use adc_simplify::OptLevel;
use rayon::prelude::*;
use std::fmt;
use std::num::NonZeroUsize;

/// How a model is checked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// How much derivatives are simplified. Never changes a verdict.
    pub opt: OptLevel,
    /// How functions may be rounded, as [`crate::Options::fp`].
    pub fp: Option<FpMode>,
    /// Native code for the model's extern functions.
    pub externs: Externs,
    /// Overrides of the model's `check` blocks.
    pub settings: Settings,
    /// Threads at most, as [`crate::Options::threads`]. Never changes a verdict.
    pub threads: Option<NonZeroUsize>,
}

impl CheckOptions {
    /// These options with `externs` bound.
    pub fn with_externs(mut self, externs: Externs) -> CheckOptions {
        self.externs = externs;
        self
    }

    /// These options at another optimisation level.
    pub fn with_opt(mut self, opt: OptLevel) -> CheckOptions {
        self.opt = opt;
        self
    }

    /// These options with another floating-point mode, as [`crate::Options::with_fp`].
    pub fn with_fp(mut self, mode: FpMode) -> CheckOptions {
        self.fp = Some(mode);
        self
    }

    /// These options on so many threads at most: 1 in a program that shares out the cores itself.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { sin(x) } check f {}")?;
    /// assert!(adc::check(&model, &adc::CheckOptions::default().with_threads(1)).passed());
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_threads(mut self, threads: usize) -> CheckOptions {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// These options with other overrides of what `check` blocks say.
    pub fn with_settings(mut self, settings: Settings) -> CheckOptions {
        self.settings = settings;
        self
    }

    /// These options with so many points for each function.
    pub fn with_points(mut self, points: usize) -> CheckOptions {
        self.settings.points = Some(points);
        self
    }

    /// These options with another seed of points and directions.
    pub fn with_seed(mut self, seed: u64) -> CheckOptions {
        self.settings.seed = Some(seed);
        self
    }
}

impl CheckOptions {
    fn context<'a>(&'a self, module: &'a Module) -> Context<'a> {
        Context { fp: self.fp, ..Context::new(module, &self.externs, self.opt) }
    }
}

/// The results of checking one model.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The sources, the model's own file first.
    pub files: Vec<SourceFile>,
    /// One report per `check` block and hand-written rule, in source order; for a dimension with two sizes one for each,
    /// see [`Self::rows`].
    pub reports: Vec<Report>,
    /// Functions that no `check` block reaches.
    pub not_checked: Vec<String>,
    /// Functions without anything to check, with the reason.
    pub skipped: Vec<(String, String)>,
    /// Functions that take functions, and what to say in a `check` block to check them: `f = name;`.
    pub unbound: Vec<(String, String)>,
    /// Warnings of the front end; from the command line also those of lints.
    pub warnings: Vec<adc_ir::Diagnostic>,
}

impl FileReport {
    pub(crate) fn empty(model: &Model) -> FileReport {
        let files = model.program().files.clone();
        let (not_checked, skipped, unbound) = Default::default();
        FileReport { files, reports: Vec::new(), not_checked, skipped, unbound, warnings: Vec::new() }
    }

    /// One report per `check` block and hand-written rule: those of several sizes merged.
    pub fn rows(&self) -> Vec<Report> {
        self.reports.chunk_by(|_, next| next.further).map(Report::together).collect()
    }

    /// The messages of the checks that did not pass, with source lines.
    fn failures(&self) -> Vec<String> {
        let failed = self.reports.iter().filter(|r| !r.status.passes(false));
        let messages = failed.flat_map(|r| &r.diagnostics);
        messages.map(|d| render::diagnostic(&self.files, d, render::Style::default())).collect()
    }

    /// Whether every check passed, and there was one.
    pub fn passed(&self) -> bool {
        !self.reports.is_empty() && self.reports.iter().all(|r| r.status.passes(false))
    }
}

/// The functions with their verdicts, and the messages of those that failed.
impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for r in self.rows() {
            let word = if r.status.passes(false) { "ok" } else { "FAIL" };
            writeln!(f, "{word:<4}  {}", r.name)?;
        }
        if self.reports.is_empty() {
            writeln!(f, "nothing was checked")?;
        }
        self.failures().iter().try_for_each(|message| write!(f, "\n{message}"))
    }
}

/// Names that restrict a check; empty lists keep the settings of the blocks.
///
/// ```
/// let only = adc::Selection::default().with_function("f").with_wrt("x").with_dims([("N", 3)]);
/// assert_eq!(only.function.as_deref(), Some("f"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// Only this function.
    pub function: Option<String>,
    /// Only with respect to these parameters; [`Wrt::All`] leaves what the blocks say.
    pub wrt: Wrt,
    /// Only these results.
    pub outputs: Vec<String>,
    /// These parameters are inactive in the derivative.
    pub nodiff: Vec<String>,
    /// Numbers of dimensions, for the functions that have them.
    pub dims: Vec<(String, i64)>,
}

impl Selection {
    /// Only this function.
    pub fn with_function(mut self, name: impl Into<String>) -> Selection {
        self.function = Some(name.into());
        self
    }

    /// Only with respect to these parameters.
    pub fn with_wrt(mut self, wrt: impl Into<Wrt>) -> Selection {
        self.wrt = wrt.into();
        self
    }

    /// Only these results.
    pub fn with_outputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Selection {
        self.outputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// The derivative is compiled without these parameters.
    pub fn with_nodiff<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Selection {
        self.nodiff = names.into_iter().map(Into::into).collect();
        self
    }

    /// Numbers of dimensions.
    pub fn with_dims<S: Into<String>>(mut self, dims: impl IntoIterator<Item = (S, i64)>) -> Selection {
        self.dims = dims.into_iter().map(|(name, n)| (name.into(), n)).collect();
        self
    }
}

/// Checks every `check` block of a model and every hand-written rule; without blocks, every function whose
/// parameters can be sampled.
///
/// ```
/// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*sin(y) }")?;
/// let report = adc::check(&model, &adc::CheckOptions::default());
/// assert!(report.passed());
///
/// let wrong = "fn f(t: f64) -> f64 { t^3 }  rule vjp f(t; g) { 2*g*t^2 }";
/// assert!(!adc::check(&adc::Model::parse("wrong.dsl", wrong)?, &adc::CheckOptions::default()).passed());
/// # Ok::<(), adc::Error>(())
/// ```
pub fn check(model: &Model, options: &CheckOptions) -> FileReport {
    check_selected(model, options, &Selection::default()).expect("nothing is named that could be unknown")
}

/// As [`check`], for part of a model.
///
/// # Errors
/// Names that no checked function has.
///
/// ```
/// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }  fn g(x: f64) -> f64 { x^2 }")?;
/// let only = adc::Selection::default().with_function("f").with_wrt("y");
/// let report = adc::check_selected(&model, &adc::CheckOptions::default().with_points(4), &only)?;
/// assert_eq!((report.reports.len(), report.passed()), (1, true));
/// # Ok::<(), adc::Error>(())
/// ```
pub fn check_selected(
    model: &Model,
    options: &CheckOptions,
    selection: &Selection,
) -> Result<FileReport, Diagnostics> {
    check_observed(model, options, selection, &Unobserved)
}

/// Observes the check of a model, and may end it. Methods are called from several threads, and have to return soon.
pub trait CheckObserver: Sync {
    /// The check begins, of so many functions.
    fn begin(&self, functions: usize) {
        let _ = functions;
    }

    /// The check of a function makes progress.
    fn progress(&self, function: &str, progress: Progress) {
        let _ = (function, progress);
    }

    /// A function is done. The order depends on how long each takes.
    fn done(&self, report: &Report) {
        let _ = report;
    }

    /// What ends the check early: functions whose check had not started are missing then, those that were being checked are
    /// [`Report::interrupted`].
    fn cancel(&self) -> Option<&Cancel> {
        None
    }
}

impl CheckObserver for Unobserved {}

/// As [`check_selected`], with an observer, which is told of progress and can end the check.
///
/// # Errors
/// As [`check_selected`].
///
/// ```
/// struct Once(adc::Cancel);
/// impl adc::CheckObserver for Once {
///     fn done(&self, report: &adc::Report) {
///         println!("{} is done", report.name);
///         self.0.cancel();
///     }
///     fn cancel(&self) -> Option<&adc::Cancel> {
///         Some(&self.0)
///     }
/// }
/// let functions: String = (0..50).map(|k| format!("fn f{k}(x: f64) -> f64 {{ sin({k}*x) }} ")).collect();
/// let model = adc::Model::parse("f.dsl", &functions)?;
/// let all = adc::Selection::default();
/// let report = adc::check_observed(&model, &adc::CheckOptions::default(), &all, &Once(adc::Cancel::new()))?;
/// assert!(!report.reports.is_empty() && report.reports.len() < 50);
/// # Ok::<(), adc::Error>(())
/// ```
pub fn check_observed(
    model: &Model,
    options: &CheckOptions,
    selection: &Selection,
    observer: &dyn CheckObserver,
) -> Result<FileReport, Diagnostics> {
    let checks = Checks::of(model, options, selection)?;
    observer.begin(checks.len());
    let one = |k: usize| {
        if observer.cancel().is_some_and(Cancel::is_cancelled) {
            return Vec::new();
        }
        let reports = checks.run(options, k, &OfFunction { function: checks.name(k), observer });
        observer.done(&Report::together(&reports));
        reports
    };
    // With reports in order.
    let all = || (0..checks.len()).into_par_iter().map(one).collect::<Vec<_>>();
    let threads =
        options.threads.and_then(|n| rayon::ThreadPoolBuilder::new().num_threads(n.get()).build().ok());
    let reports = match threads {
        Some(threads) => threads.install(all),
        None => all(),
    };
    Ok(checks.finish(reports.into_iter().flatten().collect()))
}

/// Whether the function `name` is `of`, or `of` with functions for its parameters: `h.sin` is `h`.
pub(crate) fn is_of(name: &str, of: &str) -> bool {
    name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The observer of one function's check.
struct OfFunction<'a> {
    function: &'a str,
    observer: &'a dyn CheckObserver,
}

impl adc_checker::Observer for OfFunction<'_> {
    fn progress(&self, progress: Progress) {
        self.observer.progress(self.function, progress);
    }

    fn cancel(&self) -> Option<&Cancel> {
        self.observer.cancel()
    }
}

/// The checks of a model, to be run in any order.
pub(crate) struct Checks {
    model: Model,
    /// The report without results.
    file: FileReport,
    blocks: Vec<(CheckBlock, Settings)>,
}

impl Checks {
    /// The selected checks.
    pub(crate) fn of(
        model: &Model,
        options: &CheckOptions,
        selection: &Selection,
    ) -> Result<Checks, Diagnostics> {
        let (program, module) = (model.program(), model.module());
        let plan = adc_checker::plan(module, &program.functions, &program.checks);
        let mut file = FileReport::empty(model);
        file.warnings = program.warnings.0.clone();
        let wanted = |f: &Func| selection.function.as_ref().is_none_or(|name| is_of(&f.name, name));
        let list: Vec<CheckBlock> = match &selection.function {
            // A function requested by name is checked even if no block does.
            Some(name) if !plan.checks.iter().any(|b| wanted(module.func(b.func))) => model
                .function(name)
                .ok()
                .map(|f| CheckBlock::default_for(f.id, f.ir().params.len(), f.ir().span))
                .into_iter()
                .collect(),
            _ => plan.checks.into_iter().filter(|b| wanted(module.func(b.func))).collect(),
        };
        // Names restrict the check to the functions that have them; at least one must.
        let (mut blocks, mut refused) = (Vec::new(), None);
        for block in list {
            match resolve(model, &block, &options.settings, selection) {
                Ok(settings) => blocks.push((block, settings)),
                Err(d) => refused = refused.or(Some(d)),
            }
        }
        if let Some(d) = refused.filter(|_| blocks.is_empty()) {
            return Err(d);
        }
        // One that is called with functions is checked where it is called.
        let bound = |g: &str| module.funcs.iter().any(|f| is_of(&f.name, g));
        let unbound = program
            .generics
            .iter()
            .filter(|g| selection.function.as_ref().is_none_or(|name| *name == g.name) && !bound(&g.name));
        let say = |g: &adc_frontend::Generic| {
            let lines: Vec<String> = g.params.iter().map(|(p, _)| format!("{p} = name;")).collect();
            (g.name.clone(), lines.join(" "))
        };
        file.unbound = unbound.map(say).collect();
        if selection.function.is_none() {
            let name = |f: adc_ir::FuncId| module.func(f).name.clone();
            // One that is given functions is there because a block asks for it.
            let own = plan.not_checked.iter().map(|f| name(*f));
            file.not_checked = own.filter(|name| !name.contains('.')).collect();
            file.skipped = plan.skipped.into_iter().map(|(f, reason)| (name(f), reason)).collect();
        }
        Ok(Checks { model: model.clone(), file, blocks })
    }

    /// Adds warnings.
    #[cfg(feature = "cli")]
    pub(crate) fn warn<'d>(&mut self, more: impl Iterator<Item = &'d adc_ir::Diagnostic>) {
        self.file.warnings.extend(more.cloned());
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The function of a check.
    pub(crate) fn name(&self, k: usize) -> &str {
        &self.model.module().func(self.blocks[k].0.func).name
    }

    /// Parameters and results of its function, as the report will probably have them.
    #[cfg(feature = "cli")]
    pub(crate) fn signature(
        &self,
        options: &CheckOptions,
        k: usize,
    ) -> (Vec<adc_checker::Named>, Vec<adc_checker::Named>) {
        let (block, settings) = &self.blocks[k];
        adc_checker::signature(&self.context(options), block, settings)
    }

    fn context<'a>(&'a self, options: &'a CheckOptions) -> Context<'a> {
        options.context(self.model.module())
    }

    /// The report before any results.
    #[cfg(feature = "cli")]
    pub(crate) fn file(&self) -> &FileReport {
        &self.file
    }

    /// A report for each set of sizes.
    pub(crate) fn run(
        &self,
        options: &CheckOptions,
        k: usize,
        observer: &dyn adc_checker::Observer,
    ) -> Vec<Report> {
        let (block, settings) = &self.blocks[k];
        adc_checker::check_block(&self.context(options), block, settings, observer)
    }

    /// The report with the results.
    pub(crate) fn finish(&self, reports: Vec<Report>) -> FileReport {
        FileReport { reports, ..self.file.clone() }
    }
}

/// A `check` block for a function of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Suggested {
    /// The function.
    pub function: String,
    /// The block, of several lines.
    pub block: String,
    /// What had to be assumed because normal inputs give no value.
    pub assumed: Option<Assumed>,
    /// Whether the function has values at the block's points.
    pub works: bool,
}

/// A `check` block for every function without one, or for the selected one. This runs functions, but not their derivatives.
///
/// # Errors
/// Names that the functions lack.
/// Names that the functions lack.
///
/// ```
/// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*log(y) }")?;
/// let list = adc::suggest(&model, &adc::CheckOptions::default(), &adc::Selection::default())?;
/// assert_eq!(list[0].block, "check f {\n    x ~ normal(0, 1);\n    y ~ lognormal(0, 1);\n}\n");
/// # Ok::<(), adc::Error>(())
/// ```
pub fn suggest(
    model: &Model,
    options: &CheckOptions,
    selection: &Selection,
) -> Result<Vec<Suggested>, Diagnostics> {
    let (program, module) = (model.program(), model.module());
    let ctx = options.context(module);
    let own = |f: adc_ir::FuncId| program.checks.iter().any(|b| b.func == f);
    let wanted = |b: &CheckBlock| match &selection.function {
        Some(name) => *name == module.func(b.func).name,
        None => program.functions.contains(&b.func) && !own(b.func),
    };
    let blocks: Vec<CheckBlock> =
        adc_checker::plan(module, &program.functions, &[]).checks.into_iter().filter(wanted).collect();
    let suggest = |block: &CheckBlock| {
        let settings = resolve(model, block, &options.settings, selection)?;
        let found = adc_checker::suggest(&ctx, block, &settings);
        let found = found.map_err(|d| Diagnostics::new(&program.files, d))?;
        let function = module.func(block.func).name.clone();
        Ok(Suggested { function, block: found.block, assumed: found.assumed, works: found.works })
    };
    blocks.par_iter().map(suggest).collect()
}

/// The settings with the selection's names turned into positions.
fn resolve(
    model: &Model,
    block: &CheckBlock,
    settings: &Settings,
    selection: &Selection,
) -> Result<Settings, Diagnostics> {
    let f = model.at(block.func);
    let refuse = |e: UsageError| {
        let d = adc_ir::Diagnostic::error(adc_ir::Code::BadUsage, e.to_string()).label(f.header(), "");
        Diagnostics::new(&model.program().files, e.help().into_iter().fold(d, adc_ir::Diagnostic::help))
    };
    let mut s = settings.clone();
    if !selection.dims.is_empty() {
        let known = &f.ir().dims;
        let own: Vec<_> =
            selection.dims.iter().filter(|(name, _)| known.iter().any(|d| d.name == *name)).collect();
        if let (true, Some((name, _))) = (own.is_empty(), selection.dims.first()) {
            return Err(refuse(UsageError::UnknownDimension {
                function: f.name().to_string(),
                name: name.clone(),
                known: f.dims().into_iter().map(|(name, _)| name).collect(),
            }));
        }
        let given = |d: &adc_ir::DimParam| own.iter().find(|(name, _)| *name == d.name).map(|(_, n)| *n);
        s.dims = known.iter().map(given).collect();
    }
    if selection.wrt != Wrt::All {
        s.wrt = Some(f.params(&selection.wrt).map_err(refuse)?);
    }
    for name in &selection.nodiff {
        s.nodiff.push(f.param(name).map_err(refuse)?);
    }
    if !selection.outputs.is_empty() {
        let results = selection.outputs.iter().map(|name| f.result(name));
        s.outputs = Some(results.collect::<Result<_, _>>().map_err(refuse)?);
    }
    Ok(s)
}
