//! What a check assumes where the source does not say: sizes, and domains of parameters for which normal inputs give no
//! value.
//!
//! A file without `check` blocks is checked anyway. A lone dimension is checked at two sizes, other dimensions at small
//! distinct ones. If these sizes are too small, or violate an assertion, others are tried. If most normal inputs give no
//! value, or an evaluation does not end, [`search`] looks for domains of the unspecified parameters. It runs primals only.
//! The check is then that of a block that states these domains, and the report contains that block. Nothing that is
//! declared or stated is changed.
//!
//! Everything is bounded and seeded, and depends on module, block and settings only.

mod algebra;
mod domains;
mod guesses;
mod search;
mod sizes;
mod trial;
mod words;

use crate::check::check_observed;
use crate::dims;
use crate::report::{Assumed, Report};
use crate::settings::{Context, DEFAULT_POINTS, DEFAULT_SEED, Request, Settings};
use crate::watch::Observer;
use adc_ir::*;
use domains::Domain;
use rayon::prelude::*;
use search::Search;
pub(crate) use search::open_params;
use trial::{Budget, Outcome, Trial};

/// Iterations that an evaluation may take in the first search for domains.
const FUEL: u64 = 1 << 14;
/// The same in the second search, if the first one found nothing.
const MORE_FUEL: u64 = 1 << 20;
/// Arrays of more numbers are asked about before points are drawn for them.
const LARGE: usize = 1 << 14;
/// How many other sizes are tried to find some at which no array is empty.
const FULLER: usize = 8;

/// The check of a block at some sizes.
#[derive(Clone, Debug)]
struct Part {
    block: CheckBlock,
    settings: Settings,
    assumed: Option<Assumed>,
}

/// Checks one function as `block` and `settings` (which override it) say, once for every set of sizes; the reports are in
/// that order. Domains are assumed where none is stated and normal inputs give no value.
pub fn check_block(
    ctx: &Context,
    block: &CheckBlock,
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<Report> {
    let parts = parts(ctx, block, settings);
    let check = |p: &Part| check_observed(ctx, &p.block, &p.settings, observer);
    let mut reports: Vec<Report> = parts.par_iter().map(check).collect();
    let func = ctx.module.func(block.func);
    for (k, (r, part)) in reports.iter_mut().zip(parts).enumerate() {
        (r.further, r.assumed) = (k > 0, part.assumed);
        r.sets = vec![r.dims.clone()];
        let params = func.params.iter().map(|p| func.shape(p.value));
        r.inputs.iter_mut().zip(params).for_each(|(n, shape)| n.declared = words::symbolic(func, shape));
        let results = func.results.iter().map(|r| &r.shape);
        r.outputs.iter_mut().zip(results).for_each(|(n, shape)| n.declared = words::symbolic(func, shape));
    }
    reports
}

/// A `check` block for a function that states everything an empty block leaves open.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The block.
    pub block: String,
    /// What it assumes, if anything.
    pub assumed: Option<Assumed>,
    /// Whether the function has values at its points.
    pub works: bool,
}

/// Finds such a block. It runs the function only, not its derivatives.
///
/// # Errors
/// No sizes fit the function's arrays.
pub fn suggest(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Result<Suggestion, Diagnostic> {
    let settled = settle(ctx, block, settings)?;
    let func = ctx.module.func(block.func);
    let text = words::whole_block(func, block, &settled);
    Ok(Suggestion { block: text, assumed: settled.assumed(func, 0), works: settled.works })
}

/// Sizes and lines for a block that leaves some open, chosen so that the first point has a value if possible.
///
/// # Errors
/// Arrays whose sizes do not fit, and no small sizes do.
pub(crate) fn complete(
    ctx: &Context,
    block: &CheckBlock,
) -> Result<(Vec<i64>, Vec<Option<Distribution>>), Diagnostic> {
    let settings = Settings::default();
    let first = dims::choose(ctx.module.func(block.func), block, &settings)?;
    // The function may be expensive. One evaluation tells whether a search is needed.
    let fine = Trial::new(ctx, block.func, &first, MORE_FUEL).is_ok_and(|mut trial| {
        let point = trial.sampler(&block.params, DEFAULT_SEED).draw(0);
        trial.run(&point, &mut Budget::new()) == Outcome::Value
    });
    if fine {
        return Ok((first, block.params.clone()));
    }
    let settled = settle(ctx, block, &settings)?;
    let lines = settled.lines(ctx.module.func(block.func), block, 0);
    Ok((settled.sizes.into_iter().next().expect("there is a set"), lines))
}

/// What was settled for a function's check.
struct Settled {
    /// Sets of sizes: for a lone dimension possibly two.
    sizes: Vec<Vec<i64>>,
    /// Whether they differ from the default sizes.
    chosen: bool,
    /// Whether they differ although the source does not ask for it.
    guessed: bool,
    /// Parameters that are assumed to have a domain.
    domains: Vec<(usize, Domain)>,
    /// Whether the function was found to have values.
    works: bool,
}

impl Settled {
    fn at(dims: Vec<i64>) -> Settled {
        Settled { sizes: vec![dims], chosen: false, guessed: false, domains: Vec::new(), works: false }
    }

    /// The lines of the block, with the assumed ones, at the set of sizes of this number.
    fn lines(&self, func: &Func, block: &CheckBlock, set: usize) -> Vec<Option<Distribution>> {
        let mut lines = block.params.clone();
        lines.resize(func.params.len(), None);
        for (i, d) in &self.domains {
            let shape = words::shape(func, *i, &self.sizes[set]);
            lines[*i] = d.line(func.param_ty(*i).scalar(), &shape);
        }
        lines
    }

    fn assumed(&self, func: &Func, set: usize) -> Option<Assumed> {
        let some = !self.domains.is_empty() || self.guessed;
        some.then(|| words::assumed(func, self, set))
    }
}

/// The parts of a check; at least one. What cannot be settled is left to the check, which reports what is wrong.
fn parts(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Vec<Part> {
    let whole = || vec![Part { block: block.clone(), settings: settings.clone(), assumed: None }];
    // A check that is meant to fail must not be made to pass.
    if !settings.at.is_empty() || block.expect.is_some_and(|e| e != Expect::Ok) {
        return whole();
    }
    let Ok(settled) = settle(ctx, block, settings) else { return whole() };
    let func = ctx.module.func(block.func);
    let points = settings.points.or(block.points).unwrap_or(DEFAULT_POINTS);
    let sets = settled.sizes.len().min(if points > points / 4 && points / 4 > 0 { 2 } else { 1 });
    let part = |set: usize| {
        let mut part =
            Part { block: block.clone(), settings: settings.clone(), assumed: settled.assumed(func, set) };
        part.block.params = settled.lines(func, block, set);
        let free = |(d, n): (&DimParam, &i64)| d.quotient.is_none().then_some(*n);
        part.settings.dims = func.dims.iter().zip(&settled.sizes[set]).map(free).collect();
        if sets > 1 {
            let share = |n: usize| if set == 0 { n - n / 4 } else { n / 4 };
            part.settings.points = Some(share(points));
            part.settings.special = settings.special.map(share);
            part.settings.search = share(settings.search);
        }
        part
    };
    (0..sets).map(part).collect()
}

/// What is known of a function at some sizes.
enum Fit {
    /// Inputs drawn by default give values.
    Default,
    /// These domains do, one for each parameter without a stated domain.
    Domains(Vec<Domain>),
    /// None of those tried does. Whether there was a value at any point, and whether an assertion failed at the first one.
    Nothing { some: bool, asserted: bool },
}

impl Fit {
    fn is_something(&self) -> bool {
        !matches!(self, Fit::Nothing { .. })
    }
}

/// Finds sizes and domains.
fn settle(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Result<Settled, Diagnostic> {
    let func = ctx.module.func(block.func);
    let first = dims::choose(func, block, settings)?;
    refused(ctx, block, settings, &first)?;
    let free = dims::free(func, block, settings);
    let s = Settler { ctx, block, func, seed: settings.seed.or(block.seed).unwrap_or(DEFAULT_SEED) };
    let mut out = Settled::at(first.clone());
    if free.is_empty() && open_params(func, &block.params).is_empty() {
        return Ok(out);
    }
    let others = sizes::candidates(func, &first, &free);
    let (mut fit, empty) = s.fit(&first, Depth::Guesses);
    // Other sizes are tried if there was no value at all at these, or if an array is empty at them.
    let (tried, full, asserted) = match fit {
        Fit::Nothing { some: false, asserted } => (others.len(), false, asserted),
        Fit::Default | Fit::Domains(_) if empty => (FULLER, true, true),
        Fit::Nothing { .. } | Fit::Default | Fit::Domains(_) => (0, false, false),
    };
    let found = others.iter().take(tried).find_map(|dims| {
        let (fit, empty) = s.fit(dims, Depth::Guesses);
        (fit.is_something() && !(full && empty)).then_some((dims, fit))
    });
    if let Some((dims, other)) = found {
        out.sizes = vec![dims.clone()];
        (out.chosen, out.guessed) = (true, !asserted);
        fit = other;
    }
    if !fit.is_something() {
        fit = s.fit(&first, Depth::All).0;
    }
    let lone = free.len() == 1 && func.dims.iter().filter(|d| d.quotient.is_none()).count() == 1;
    out.works = fit.is_something();
    if lone && out.works {
        let own = out.sizes[0].clone();
        let second = sizes::candidates(func, &own, &free).into_iter().find(|dims| s.accepts(dims, &fit));
        out.sizes.extend(second);
    }
    if let Fit::Domains(list) = fit {
        let open = open_params(func, &block.params);
        out.domains = open.into_iter().zip(list).filter(|(_, d)| *d != Domain::Default).collect();
    }
    Ok(out)
}

/// Refuses what the check will refuse anyway, before much work is done for large arrays.
fn refused(ctx: &Context, block: &CheckBlock, settings: &Settings, dims: &[i64]) -> Result<(), Diagnostic> {
    let func = ctx.module.func(block.func);
    let dims = dims::with_quotients(func, dims.to_vec());
    let size = |d: &Dim| dims::size(func, d, &dims).and_then(|n| usize::try_from(n).ok());
    let length = |shape: &[Dim]| shape.iter().try_fold(1usize, |n, d| n.checked_mul(size(d)?));
    let params = func.params.iter().map(|p| func.shape(p.value));
    let mut shapes = params.chain(func.results.iter().map(|r| &r.shape));
    if shapes.all(|s| length(s).is_some_and(|n| n <= LARGE)) {
        return Ok(());
    }
    let mut module = ctx.module.emptied_but(block.func);
    let id = specialise::specialise(&mut module, block.func, &dims)?;
    Request::new(&module, id, &func.name, block, settings).map(|_| ())
}

/// How far a search goes.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Guesses,
    All,
}

#[derive(Clone, Copy)]
struct Settler<'a> {
    ctx: &'a Context<'a>,
    block: &'a CheckBlock,
    func: &'a Func,
    seed: u64,
}

impl Settler<'_> {
    fn trial(&self, dims: &[i64]) -> Option<Trial> {
        Trial::new(self.ctx, self.block.func, dims, MORE_FUEL).ok()
    }

    /// What is found at these sizes, and whether an array is empty at them.
    fn fit(&self, dims: &[i64], depth: Depth) -> (Fit, bool) {
        match self.trial(dims) {
            Some(mut trial) => (self.fit_of(&mut trial, depth), trial.has_empty_arrays()),
            None => (Fit::Nothing { some: false, asserted: false }, false),
        }
    }

    fn fit_of(&self, trial: &mut Trial, depth: Depth) -> Fit {
        let mut budget = Budget::new();
        let lines = &self.block.params;
        let default = search::default(trial, &mut budget, lines, self.seed);
        let open = open_params(self.func, lines);
        let discrete = |i: &usize| !self.func.param_ty(*i).scalar().is_float();
        if default.is_mostly_good() && !default.endless && (default.is_good() || !open.iter().any(discrete)) {
            return Fit::Default;
        }
        let (some, asserted) = (default.good > 0, default.asserted);
        if default.is_mostly_good() && !default.endless {
            // Real parameters may keep their default domain.
            let some: Vec<usize> = open.iter().copied().filter(discrete).collect();
            let found = Search::new(trial, &mut budget, lines, some.clone(), default.edge).at_most_points();
            return match found {
                Some(list) => {
                    let of = |i: &usize| {
                        some.iter().position(|k| k == i).map_or(Domain::Default, |k| list[k].clone())
                    };
                    Fit::Domains(open.iter().map(of).collect())
                }
                None => Fit::Default,
            };
        }
        let mut best = 0;
        for fuel in [FUEL, MORE_FUEL] {
            (trial.fuel, budget) = (fuel, Budget::new());
            let mut search = Search::new(trial, &mut budget, lines, open.clone(), default.edge);
            if let Some(list) = search.everywhere(depth == Depth::All) {
                return Fit::Domains(list);
            }
            best = best.max(search.best);
            if !search.endless {
                break;
            }
        }
        // It is enough for a check if half of the points have values.
        match default.is_mostly_good() {
            true => Fit::Default,
            false => Fit::Nothing { some: some || best > 0, asserted },
        }
    }

    /// Whether the result of the search holds at other sizes, too.
    fn accepts(&self, dims: &[i64], fit: &Fit) -> bool {
        let Some(mut trial) = self.trial(dims) else { return false };
        let (mut budget, lines) = (Budget::new(), &self.block.params);
        match fit {
            Fit::Default => search::default(&mut trial, &mut budget, lines, self.seed).is_mostly_good(),
            Fit::Domains(list) => {
                let open = open_params(self.func, lines);
                Search::new(&mut trial, &mut budget, lines, open, false).accepts(list)
            }
            Fit::Nothing { .. } => false,
        }
    }
}
