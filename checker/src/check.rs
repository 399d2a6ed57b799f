//! Carries out one check: points, comparisons, verdict.

mod points;
mod search;

use crate::assume::open_params;
use crate::blame;
use crate::budget::Budget;
use crate::coordinates::sizes;
use crate::dims;
use crate::findings::{Finding, Findings};
use crate::messages::{self, About};
use crate::observe::{empty_report, entry};
use crate::prepare::Prepared;
use crate::report::*;
use crate::rules;
use crate::settings::Backends;
use crate::settings::{Context, Settings, Tolerance};
use crate::shrink;
use crate::tally::Tally;
use crate::unit::Unit;
use crate::verdict::Verdict;
use crate::watch::{Observer, Progress, Unobserved};
use adc_ir::*;
use adc_jit::Cancel;
use std::rc::Rc;

/// Checks one function as `block` and `settings` (which override it) say.
pub fn check(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Report {
    check_observed(ctx, block, settings, &Unobserved)
}

/// As [`check`], with an observer, who may end it early.
pub fn check_observed(
    ctx: &Context,
    block: &CheckBlock,
    settings: &Settings,
    observer: &dyn Observer,
) -> Report {
    // Many copies of the module are made: they should not contain what the function does not need.
    let (module, func) = ctx.module.needed_by(block.func);
    let alone = Context { module: &module, ..*ctx };
    let report = check_alone(&alone, &CheckBlock { func, ..block.clone() }, settings, observer);
    Report { func: block.func, ..report }
}

/// A check in a module of what the function needs.
fn check_alone(ctx: &Context, block: &CheckBlock, settings: &Settings, observer: &dyn Observer) -> Report {
    observer.progress(Progress::Compiling);
    let mut report = empty_report(ctx, block, settings);
    let mut prepared = match Prepared::new(ctx, block, settings) {
        Ok(prepared) => prepared,
        Err(d) => {
            report.diagnostics.push(d);
            return report;
        }
    };
    report.modes = prepared.request.modes();
    let given = ctx.module.func(block.func).dims.iter().zip(&prepared.dims);
    let func = prepared.func();
    let given = given.filter(|(d, _)| d.quotient.is_none());
    report.dims = given.map(|(d, n)| (d.name.clone(), *n)).collect();
    report.open_dims = dims::unbound(ctx.module.func(block.func));
    report.inputs = signature(func.params.iter().map(|p| (&p.name, func.data(p.value).clone())));
    report.outputs = signature(func.results.iter().map(|r| (&r.name, r.data())));
    report.limits = prepared.request.limits;
    report.first_order = prepared.first_order.clone();
    report.linear = prepared.claim();
    report.forward_skipped = prepared.forward_skipped.clone();
    report.reverse_skipped = prepared.reverse_skipped.clone();
    report.gradgrad_skipped = prepared.gradgrad_skipped.clone();
    prepared.engine.set_cancel(observer.cancel().cloned());
    let mut run = Run::new(report, settings.every_point, observer);
    run.open = open_params(prepared.func(), &block.params);
    run.points(&mut prepared, block, settings);
    run.report.interrupted = run.cancelled();
    run.report.compared_at = run.compared_at(&prepared);
    observer.progress(Progress::Explaining);
    if let Some((d, inputs)) = run.backends.take() {
        let blamed = match settings.no_blame || run.cancelled() {
            true => None,
            false => {
                // The point may be one that was given a larger budget.
                let fuel = Some(run.budget.beside());
                blame::optimiser::find(ctx, block, &Settings { fuel, ..settings.clone() }, &inputs)
            }
        };
        run.disagreement = Some(messages::blame::optimiser(d, blamed.as_ref()));
    }
    run.judge(ctx, &mut prepared);
    // A point given by the user is not shrunk.
    let drawn = settings.at.is_empty() && run.report.limits.form == Tolerance::Automatic;
    if settings.shrink > 0 && drawn && !run.cancelled() {
        observer.progress(Progress::Shrinking);
        run.report.small = run.shown.take().and_then(|(entry, point)| {
            shrink::shrink(ctx, block, settings, &prepared, (&entry, &point.inputs), settings.shrink)
        });
    }
    if !run.cancelled() {
        run.report.curves = curves(&mut prepared, &run.report, settings.curves);
    }
    // An incomplete check may still be the expected result.
    match run.report.interrupted {
        true => run.report.expected = block.expect,
        false => run.expectation(block, ctx),
    }
    run.report
}

/// The difference quotients of the worst entries of the point shown.
fn curves(prepared: &mut Prepared, report: &Report, count: usize) -> Vec<StepCurve> {
    let Some(point) = report.worst.as_ref().filter(|_| count > 0) else { return Vec::new() };
    let mut entries: Vec<&Entry> = point.entries.iter().filter(|e| e.status.compared()).collect();
    entries.sort_by(|a, b| b.status.cmp(&a.status).then(b.ratio.total_cmp(&a.ratio)));
    entries.truncate(count);
    let entries: Vec<Entry> = entries.into_iter().cloned().collect();
    prepared.curves(point, &entries)
}

struct Run<'a> {
    observer: &'a dyn Observer,
    report: Report,
    findings: Findings,
    backends: Option<(Diagnostic, Vec<Datum>)>,
    /// The message about the disagreement.
    disagreement: Option<Diagnostic>,
    /// A derivative program that ended in a run-time error where the primal did not.
    error: Option<Ended>,
    /// The first point whose value is not finite.
    not_finite: Option<Vec<Datum>>,
    /// Parameters without a stated domain.
    open: Vec<usize>,
    /// Accepted points.
    accepted: Vec<Vec<Datum>>,
    /// How close derivatives were to being wrong there.
    scores: Vec<f64>,
    /// Per unit and entry (probe): whether it was ever compared.
    covered: Vec<(Vec<bool>, bool)>,
    every_point: bool,
    /// The entry of the first message, if it fails.
    shown: Option<(Entry, Rc<PointReport>)>,
    /// How many points were drawn or given.
    drawn: usize,
    /// How many of the points evaluated so far count.
    used: usize,
    /// The budgets of points.
    budget: Budget,
    /// Whether forward and reverse mode were compared with each other.
    adjoint: bool,
    /// Points whose Jacobians were compared entry by entry, and points at which every program was interpreted.
    whole: usize,
    interpreted: usize,
}

impl<'a> Run<'a> {
    fn new(report: Report, every_point: bool, observer: &'a dyn Observer) -> Run<'a> {
        Run {
            observer,
            report,
            findings: Findings::default(),
            backends: None,
            disagreement: None,
            error: None,
            not_finite: None,
            open: Vec::new(),
            accepted: Vec::new(),
            scores: Vec::new(),
            covered: Vec::new(),
            every_point,
            shown: None,
            drawn: 0,
            used: 0,
            budget: Budget::new(None),
            adjoint: false,
            whole: 0,
            interpreted: 0,
        }
    }

    fn cancelled(&self) -> bool {
        self.observer.cancel().is_some_and(Cancel::is_cancelled)
    }

    fn judge(&mut self, ctx: &Context, prepared: &mut Prepared) {
        // Findings do not depend on whether the user waits for them; only their cause may stay unknown.
        prepared.engine.set_cancel(None);
        self.findings.examine(prepared);
        prepared.engine.set_cancel(self.observer.cancel().cloned());
        self.report.means = means(prepared, self.adjoint);
        self.report.holes = holes(prepared);
        let name = self.report.name.clone();
        let func = Func { name, ..prepared.func().clone() };
        // Rules are compared where dimensions have numbers.
        let prepared = &*prepared;
        let ctx = &Context { module: &prepared.module, ..*ctx };
        let claim: &[usize] = if self.report.linear.is_empty() { &[] } else { &prepared.request.wrt };
        let about = About {
            func: &func,
            points: self.drawn,
            seed: self.report.seed,
            holes: &self.report.holes,
            claim,
        };
        let mut list = Vec::new();
        list.extend(self.disagreement.take());
        list.extend(self.error.iter().map(|ended| messages::ended(&about, ended)));
        let of_rules = match self.cancelled() {
            true => None,
            false => rules::compare_rules(ctx, prepared.original, &self.accepted, &prepared.request),
        };
        let replaced = of_rules.as_ref().is_some_and(|found| !found.wrong.is_empty());
        list.extend(of_rules.iter().flat_map(messages::rules));
        let (mut shown, mut blame, mut root) = (None, None, None);
        for cause in self.findings.causes(ctx, prepared) {
            let f = cause.findings[0];
            let first = f.entry.order == Order::First;
            if replaced && first && f.verdict().failing() {
                continue;
            }
            let program = prepared.units.iter().find(|u| u.order == f.entry.order);
            let program = prepared.module.func(program.expect("the finding's unit").programs.func);
            list.push(messages::entries::of(&about, program, &cause));
            shown.get_or_insert((f.entry.clone(), f.point.clone()));
            blame = blame.or(cause.blame);
            root = root.or_else(|| f.root.clone());
            let sites = cause.findings.iter().filter_map(|f| f.found.as_ref()).map(|f| f.site.clone());
            for site in sites {
                if !self.report.sites.contains(&site) {
                    self.report.sites.push(site);
                }
            }
        }
        (self.report.blame, self.report.root) = (blame, root);
        for (probe, point) in &self.findings.directions {
            list.push(messages::direction(&about, probe, point));
        }
        // The report shows the point of the first message.
        let graver = |p: &Probe| {
            let shown: Option<&(Entry, _)> = shown.as_ref();
            shown.is_none_or(|(e, _)| p.status.info().severity > e.status.info().severity)
        };
        if let Some((probe, point)) = self.findings.directions.first().filter(|(p, _)| graver(p)) {
            if !probe.ratio.is_nan() {
                self.report.worst_ratio = probe.ratio;
                self.report.worst_entry = probe.title();
            }
            self.report.worst = Some((**point).clone());
        } else if let Some((entry, point)) = shown {
            if !entry.ratio.is_nan() {
                self.report.worst_ratio = entry.ratio;
                self.report.worst_entry =
                    entry.name(self.report.names_outputs() || entry.order == Order::Second);
            }
            self.report.worst = Some((*point).clone());
            self.shown = Some((entry, point)).filter(|(e, _)| e.status.failing());
        }
        // A point where a program ended in an error has no numbers: other failures say more.
        let fails = self.shown.is_some() || self.findings.directions.iter().any(|(p, _)| p.status.failing());
        if let Some(ended) = self.error.as_ref().filter(|_| !fails) {
            self.report.worst = Some((*ended.point).clone());
        }
        for (identity, point) in &self.findings.identities {
            // If entries fail, forward and reverse mode are likely to disagree: that is a note there.
            let told = |f: &Finding| f.entry.order == identity.order && f.verdict().failing();
            if identity.kind != IdentityKind::Adjoint || !self.findings.entries.iter().any(told) {
                let d = messages::identity(&about, identity, point);
                // One message about a claim is enough.
                if d.code != Code::NotLinear || list.iter().all(|d| d.code != Code::NotLinear) {
                    list.push(d);
                }
            }
        }
        // Everything else may be a consequence of that.
        if list.iter().any(|d| d.code == Code::Nondeterministic) {
            list.retain(|d| d.code == Code::Nondeterministic);
        }
        list.sort_by_key(|d| d.severity);
        let fails = list.iter().any(|d| d.severity == Severity::Error);
        if !fails && !self.report.interrupted {
            list.splice(0..0, self.nothing_compared(prepared, &func));
        }
        let counts = &self.report.counts;
        self.report.status = match list.first().map(|d| d.severity) {
            Some(Severity::Error) => Status::Failed,
            _ if self.report.interrupted => Status::Interrupted,
            _ if self.report.limits.form == Tolerance::Automatic
                && counts.total.unsure() + counts.total.unchecked() > 0 =>
            {
                Status::Unsure
            }
            _ if counts.total.warned() > 0 => Status::Warned,
            _ if counts.total.kinks() > 0 => Status::Kink,
            _ => Status::Ok,
        };
        self.report.diagnostics = list;
    }

    /// What was compared at some of the points only.
    fn compared_at(&self, prepared: &Prepared) -> ComparedAt {
        let some = |n: usize, on: bool| Some(n).filter(|n| on && *n < self.report.counts.points);
        ComparedAt {
            entries: some(self.whole, prepared.units.iter().any(|u| u.by_entry)),
            interpreter: some(self.interpreted, prepared.request.backends != Backends::None),
        }
    }

    /// A check without comparisons is not a pass, neither as a whole nor for one entry.
    fn nothing_compared(&self, prepared: &Prepared, func: &Func) -> Option<Diagnostic> {
        let counts = &self.report.counts;
        let new = |what: String| {
            Diagnostic::error(Code::NothingChecked, what).label(crate::settings::header(func), "")
        };
        let lost = self.lost();
        let endless = self.report.given_up_by.as_ref().filter(|_| counts.given_up >= counts.rejected);
        if let Some(endless) = endless.filter(|_| lost > counts.points) {
            return Some(messages::given_up(func, counts, endless));
        }
        if lost > counts.points {
            let error = self.report.rejected_by.as_ref();
            let birth = self.not_finite.as_ref().and_then(|x| prepared.first_nonfinite(x));
            let numbers = (counts.rejected, lost + counts.points);
            return Some(messages::no_value::at_most_points(
                func,
                numbers,
                error,
                birth.as_ref(),
                &self.open,
            ));
        }
        if counts.total.compared() == 0 {
            return Some(
                new(format!("nothing was compared for `{}`", func.name))
                    .note("the function could not be evaluated at displaced points")
                    .help("choose points further inside the function's domain"),
            );
        }
        for (unit, (entries, probes)) in prepared.units.iter().zip(&self.covered) {
            // Second derivatives are skipped where the first ones have a kink or an edge, fail, or are unknown.
            let total = &counts.total;
            let edges = total.verdicts.of(Verdict::OutOfDomain);
            if unit.order == Order::Second && total.kinks() + total.failed() + total.unsure() + edges > 0 {
                continue;
            }
            let missing = entries.iter().position(|seen| !seen);
            if let Some(i) = missing {
                let n = unit.columns.len();
                let entry = entry(prepared, unit, i / n, i % n);
                return Some(
                    new(format!("{} of `{}` was not compared at any point", entry.name(true), func.name))
                        .note("the function could not be evaluated at displaced points")
                        .help("choose points further inside the function's domain, or leave the input out of `wrt`"),
                );
            }
            if !probes && !unit.by_entry {
                return Some(new(format!("no direction of `{}` was compared", func.name)));
            }
        }
        None
    }

    fn expectation(&mut self, block: &CheckBlock, ctx: &Context) {
        let Some(expected) = block.expect else { return };
        self.report.expected = Some(expected);
        let (happened, other) = self.happened(expected);
        if happened && other.is_none() {
            if expected != Expect::Ok {
                self.report.status = Status::Ok;
                self.report.diagnostics.clear();
            }
            return;
        }
        let found = match (other, self.report.status) {
            (Some(what), _) => what,
            (None, Status::Ok) => "every derivative agrees".to_string(),
            (
                None,
                Status::Kink
                | Status::Warned
                | Status::Unsure
                | Status::Failed
                | Status::Interrupted
                | Status::Error,
            ) => {
                let seen = self.report.counts.total.verdicts.iter().filter(|(v, _)| *v != Verdict::Ok);
                let words: Vec<String> = seen.map(|(v, _)| format!("`{}`", v.word())).collect();
                format!("found only {}", words.join(", "))
            }
        };
        self.report.status = Status::Failed;
        let name = &ctx.module.func(block.func).name;
        let d = Diagnostic::error(
            Code::ExpectationFailed,
            format!("the check of `{name}` expects `{}`, but {found}", expected.name()),
        )
        .label(block.span, "expected here");
        self.report.diagnostics.insert(0, d);
    }

    /// Whether the expected verdict occurred, and which other one did that must not occur with it.
    fn happened(&self, expected: Expect) -> (bool, Option<String>) {
        // Directions do not add to what entries show: they know one mode only.
        let mut all = Tally::default();
        self.findings.entries.iter().for_each(|f| all.add(f.verdict()));
        self.findings.directions.iter().for_each(|(p, _)| all.add(p.status));
        self.findings.identities.iter().for_each(|(i, _)| all.add(i.status));
        let seen = |v: Verdict| format!("one comparison is `{}`", v.word());
        let failing = |but: Option<Verdict>| {
            all.iter().map(|(v, _)| v).find(|v| v.failing() && Some(*v) != but).map(seen)
        };
        // Messages without a verdict: a bug in adc, rules that contradict each other, nothing to compare.
        let untold = |d: &Diagnostic| {
            d.severity == Severity::Error && !Verdict::ALL.iter().any(|v| v.info().code == Some(d.code))
        };
        let errors = |but: &[Code]| {
            let d = self.report.diagnostics.iter().find(|d| untold(d) && !but.contains(&d.code));
            d.map(|d| d.code.title().to_string())
        };
        let rules = [Code::WrongSecondDerivative, Code::RulesDisagree, Code::IdentityFails];
        match expected {
            Expect::Ok => {
                let other = all.iter().map(|(v, _)| v).find(|v| *v != Verdict::Ok);
                (true, other.map(seen).or(errors(&[])))
            }
            Expect::Fail => {
                let rule = self.report.diagnostics.iter().any(|d| rules.contains(&d.code));
                (rule || failing(None).is_some(), errors(&rules))
            }
            Expect::Error => (self.report.rejected_by.is_some() || self.error.is_some(), failing(None)),
            _ => {
                let verdict = Verdict::ALL.iter().copied().find(|v| v.info().expect == expected);
                let verdict = verdict.expect("every other word is a verdict's");
                // Fixed steps see a kink as a wrong derivative.
                let classic = self.findings.entries.iter().filter_map(|f| f.kink).any(|k| k.between);
                if verdict == Verdict::Kink && classic {
                    return (true, None);
                }
                let mut allowed = rules.to_vec();
                if verdict == Verdict::Unchecked {
                    allowed.push(Code::NothingChecked);
                }
                // Code that is not deterministic may give any result.
                let other = failing(Some(verdict)).filter(|_| verdict != Verdict::Nondeterministic);
                (all.of(verdict) > 0, other.or(errors(&allowed)))
            }
        }
    }
}

/// What was compared with what.
fn means(prepared: &Prepared, adjoint: bool) -> Vec<Means> {
    let has = |program: fn(&Unit) -> bool| prepared.units.iter().any(program);
    let list = [
        (Means::Jvp, has(|u| u.jvp.is_some())),
        (Means::Vjp, has(|u| u.vjp.is_some())),
        (Means::Adjoint, adjoint),
        (Means::Jit, prepared.request.backends != Backends::None),
    ];
    list.into_iter().filter(|(_, on)| *on).map(|(m, _)| m).collect()
}

/// What differences know in double precision only, each once.
fn holes(prepared: &Prepared) -> Vec<Hole> {
    let mut out: Vec<Hole> = Vec::new();
    for (name, span) in
        prepared.units.iter().filter_map(|u| u.automatic.as_ref()).flat_map(|a| &a.oracle.holes)
    {
        let hole = Hole { name: name.clone(), span: *span };
        if !out.contains(&hole) {
            out.push(hole);
        }
    }
    out
}

fn signature<'a>(ports: impl Iterator<Item = (&'a String, ValueData)>) -> Vec<Named> {
    let named = |(name, d): (&String, ValueData)| Named {
        name: name.clone(),
        ty: d.ty,
        shape: sizes(&d).unwrap_or_default(),
        declared: Vec::new(),
    };
    ports.map(named).collect()
}
