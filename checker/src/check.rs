//! Carries out one check: points, comparisons, verdict.

use crate::cells::finite;
use crate::coordinates::{index_text, indices, sizes};
use crate::fallback::Slopes;
use crate::messages;
use crate::observe::{empty_report, entry, point_report, worse, worst_entry};
use crate::points::{Origin, Sampler};
use crate::prepare::{Outcome, Prepared};
use crate::report::*;
use crate::rules;
use crate::settings::{Context, Settings, Tolerance};
use crate::unit::{Unit, failing};
use adc_ir::*;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Checks one function as `block` and `settings` (which override it) say.
pub fn check(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Report {
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
    report.inputs = signature(func.params.iter().map(|p| (&p.name, func.data(p.value).clone())));
    report.outputs = signature(func.results.iter().map(|r| (&r.name, r.data())));
    report.limits = prepared.request.limits;
    report.gradgrad_skipped = prepared.gradgrad_skipped.clone();
    let mut run = Run::new(report, settings.every_point);
    run.points(&mut prepared, block, settings);
    run.judge(ctx, &mut prepared);
    run.expectation(block, ctx);
    run.report
}

/// The worst entry with a wrong derivative, by what is differentiated with respect to what.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub order: Order,
    /// Position of the parameter in the function the entry belongs to (the VJP program for the second order).
    pub input: usize,
    pub entry: Entry,
    pub at: usize,
    /// The kink of the function at the point, if there is one.
    pub kink: Option<Kink>,
}

/// A point where the one-sided slopes of the function differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kink {
    pub slopes: Slopes,
    /// Whether the derivative lies between them: a subgradient, not a mistake.
    pub between: bool,
}

impl Kink {
    /// The kink along an entry of the function's Jacobian.
    fn of(e: &Entry, slopes: Slopes) -> Kink {
        let (low, high) = (slopes.left.min(slopes.right), slopes.left.max(slopes.right));
        let inside = |x: f64| low - e.tol <= x && x <= high + e.tol;
        Kink { slopes, between: [e.vjp, e.jvp].into_iter().flatten().all(inside) }
    }
}

/// Wrong entries with one cause, the worst first.
pub(crate) struct Cause<'a> {
    pub findings: Vec<&'a Finding>,
    /// The rule to blame for them.
    pub blame: Option<Blame>,
}

struct Run {
    report: Report,
    /// Wrong entries, one per order and input.
    findings: Vec<Finding>,
    /// The points of the findings.
    failures: Vec<PointReport>,
    /// A probe that failed where no entry did.
    probe: Option<(Probe, usize)>,
    backends: Option<Diagnostic>,
    /// A derivative program that ended in a run-time error where the primal did not.
    error: Option<RuntimeError>,
    /// Accepted points.
    accepted: Vec<Vec<Datum>>,
    /// Per unit and entry (probe): whether it was ever compared.
    covered: Vec<(Vec<bool>, bool)>,
    every_point: bool,
}

/// What became of a point.
enum Visit {
    /// The function has no finite value there.
    Rejected(Option<RuntimeError>),
    /// A derivative program ended in a run-time error.
    Ended(RuntimeError),
    Seen(Box<Seen>),
}

struct Seen {
    outcome: Outcome,
    point: PointReport,
    backends: Option<Diagnostic>,
    /// As in [`Run::covered`], for this point.
    covered: Vec<(Vec<bool>, bool)>,
}

/// A point that takes longer is worth a thread of its own. Which thread runs a point changes nothing in the report.
const WORTH_THREADS: Duration = Duration::from_millis(2);

/// Runs everything at one point.
fn examine(prepared: &mut Prepared, func: &Func, origin: Origin, inputs: &[Datum]) -> Visit {
    let value = match outside(func, inputs) {
        Some(error) => Err(error),
        None => prepared.value(inputs),
    };
    let value = match value {
        Ok(value) if value.iter().all(finite) => value,
        Ok(_) => return Visit::Rejected(None),
        Err(error) => return Visit::Rejected(Some(error)),
    };
    let number = match origin {
        Origin::Drawn(k) | Origin::Given(k) => k as u64,
        Origin::Edge(k) => k as u64 | 1 << 32,
    };
    let outcome = match prepared.run_point(inputs, number) {
        Ok(outcome) => outcome,
        Err(error) => return Visit::Ended(error),
    };
    let covered = |u: &Unit| {
        let entries = u.entries.iter().map(|e| e.comparison.is_some_and(|c| c.status.compared())).collect();
        (entries, u.probes.iter().any(|p| p.comparison.status.compared()))
    };
    let covered = prepared.units.iter().map(covered).collect();
    let backends = prepared.compare_backends(inputs);
    let point = point_report(prepared, origin, inputs, value);
    Visit::Seen(Box::new(Seen { outcome, point, backends, covered }))
}

/// Runs points on several threads, each with programs of its own; the results in the order of the points.
fn spread(workers: &mut [Prepared], func: &Func, points: &[(Origin, Vec<Datum>)]) -> Vec<Visit> {
    let share = points.len().div_ceil(workers.len()).max(1);
    let parts: Vec<Vec<Visit>> = workers
        .par_iter_mut()
        .zip(points.par_chunks(share))
        .map(|(prepared, points)| points.iter().map(|(o, x)| examine(prepared, func, *o, x)).collect())
        .collect();
    parts.into_iter().flatten().collect()
}

impl Run {
    fn new(report: Report, every_point: bool) -> Run {
        Run {
            report,
            findings: Vec::new(),
            failures: Vec::new(),
            probe: None,
            backends: None,
            error: None,
            accepted: Vec::new(),
            covered: Vec::new(),
            every_point,
        }
    }

    fn points(&mut self, prepared: &mut Prepared, block: &CheckBlock, settings: &Settings) {
        let func = prepared.func().clone();
        self.covered = prepared
            .units
            .iter()
            .map(|u| (vec![!u.compares_entries(); u.entries.len()], !u.compares_directions()))
            .collect();
        let limit = settings.max_failures.unwrap_or(usize::MAX);
        let enough = |run: &Run| run.report.counts.failed_points >= limit;
        if !settings.at.is_empty() {
            for (k, point) in settings.at.iter().enumerate() {
                if !enough(self) {
                    self.visit(prepared, &func, Origin::Given(k), point);
                }
            }
            return;
        }
        let (wanted, seed) = (prepared.request.points, prepared.request.seed);
        let sampler = Sampler::new(&func, &block.params, seed);
        if block.edge {
            for (k, point) in sampler.edges().iter().enumerate() {
                if !enough(self) {
                    self.visit(prepared, &func, Origin::Edge(k), point);
                }
            }
        }
        let wanted = if sampler.constant() { wanted.min(1) } else { wanted };
        let (mut used, mut rejected, mut draw) = (0, 0, 0);
        let mut workers = Vec::new();
        // More than half rejected: the verdict is known, see `judge`.
        while used < wanted && rejected <= wanted && !enough(self) {
            // The first point by itself: it says whether others are worth several threads.
            let batch = if draw == 0 || workers.is_empty() { 1 } else { wanted - used };
            let points: Vec<(Origin, Vec<Datum>)> =
                (draw..draw + batch).map(|k| (Origin::Drawn(k), sampler.draw(k))).collect();
            let start = Instant::now();
            let seen: Vec<Visit> = match workers.is_empty() {
                true => points.iter().map(|(o, x)| examine(prepared, &func, *o, x)).collect(),
                false => spread(&mut workers, &func, &points),
            };
            if draw == 0 && wanted > 2 && start.elapsed() > WORTH_THREADS {
                workers =
                    (0..rayon::current_num_threads().min(wanted - 1)).map(|_| prepared.clone()).collect();
            }
            draw += batch;
            for ((_, inputs), visit) in points.into_iter().zip(seen) {
                if enough(self) {
                    break;
                }
                match matches!(visit, Visit::Rejected(_)) {
                    true => rejected += 1,
                    false => used += 1,
                }
                self.keep(prepared, inputs, visit);
            }
        }
    }

    fn visit(&mut self, prepared: &mut Prepared, func: &Func, origin: Origin, inputs: &[Datum]) {
        let visit = examine(prepared, func, origin, inputs);
        self.keep(prepared, inputs.to_vec(), visit);
    }

    /// Adds what was seen at a point.
    fn keep(&mut self, prepared: &Prepared, inputs: Vec<Datum>, visit: Visit) {
        let seen = match visit {
            Visit::Rejected(error) => {
                self.report.counts.rejected += 1;
                if let Some(error) = error {
                    self.report.rejected_by.get_or_insert(error);
                }
                return;
            }
            Visit::Ended(error) => {
                self.report.counts.failed_points += 1;
                self.error.get_or_insert(error);
                return;
            }
            Visit::Seen(seen) => seen,
        };
        self.accepted.push(inputs);
        let (counts, outcome) = (&mut self.report.counts, seen.outcome);
        counts.points += 1;
        counts.compared += outcome.compared;
        counts.failed += outcome.failed;
        counts.unchecked += outcome.unchecked;
        counts.untestable += outcome.untestable;
        counts.kinks += outcome.kinks;
        counts.kink_points += (outcome.kinks > 0) as usize;
        counts.warned += outcome.warned;
        counts.unsure += outcome.unsure;
        counts.failed_points += (outcome.failed > 0) as usize;
        for ((entries, probes), (all, any)) in self.covered.iter_mut().zip(&seen.covered) {
            entries.iter_mut().zip(all).for_each(|(seen, now)| *seen |= now);
            *probes |= any;
        }
        self.backends = self.backends.take().or(seen.backends);
        if self.every_point {
            self.report.points.push(seen.point.clone());
        }
        let worse = self.report.worst.is_none() || outcome.worst_ratio > self.report.worst_ratio;
        if worse {
            self.report.worst_ratio = outcome.worst_ratio;
            self.report.worst_entry = worst_entry(&seen.point, self.report.names_outputs());
            self.report.worst = Some(seen.point.clone());
        }
        if outcome.failed > 0 {
            self.failure(prepared, seen.point);
        }
    }

    /// Keeps the worst entry of each order and input.
    fn failure(&mut self, prepared: &Prepared, point: PointReport) {
        let at = self.failures.len();
        let mut any = false;
        for entry in point.entries.iter().filter(|e| failing(e.status)) {
            any = true;
            let unit = prepared.units.iter().find(|u| u.order == entry.order).expect("the entry's unit");
            let input = unit.columns[entry.place.1].index;
            let known = self.findings.iter_mut().find(|f| (f.order, f.input) == (entry.order, input));
            match known {
                Some(f) if worse(entry, &f.entry) => {
                    *f = Finding { order: entry.order, input, entry: entry.clone(), at, kink: None }
                }
                Some(_) => {}
                None => self.findings.push(Finding {
                    order: entry.order,
                    input,
                    entry: entry.clone(),
                    at,
                    kink: None,
                }),
            }
        }
        if !any && self.probe.is_none() {
            let probe = point.probes.iter().find(|p| failing(p.status)).cloned();
            self.probe = probe.map(|p| (p, at));
        }
        self.failures.push(point);
    }

    fn judge(&mut self, ctx: &Context, prepared: &mut Prepared) {
        self.findings.sort_by_key(|f| (f.order, f.input));
        for f in &mut self.findings {
            let point = &self.failures[f.at];
            // Where a symmetric subgradient hides a kink from the first derivative, the second one shows it.
            let first = match f.order {
                Order::First => Some(&f.entry),
                Order::Second => {
                    point.entries.iter().find(|e| e.order == Order::First && e.input == f.entry.input)
                }
            };
            f.kink = first.and_then(|e| Some(Kink::of(e, prepared.kink(e, &point.inputs)?)));
        }
        let name = self.report.name.clone();
        let func = Func { name, ..prepared.func().clone() };
        // Rules are compared where dimensions have numbers.
        let prepared = &*prepared;
        let ctx = &Context { module: &prepared.module, externs: ctx.externs, opt: ctx.opt };
        let mut list = Vec::new();
        list.extend(self.backends.take());
        if let Some(e) = &self.error {
            list.push(
                e.diagnostic().note(format!("in a derivative of `{}`, whose value is fine there", func.name)),
            );
        }
        let of_rules = rules::compare_rules(ctx, prepared.original, &self.accepted, &prepared.request);
        let replaced = of_rules.iter().any(|d| d.code == Code::WrongDerivative);
        list.extend(of_rules);
        let total = self.report.counts.points + self.report.counts.rejected;
        let (mut shown, mut blame) = (None, None);
        for cause in self.causes(ctx, prepared) {
            let f = cause.findings[0];
            if replaced && f.order == Order::First {
                continue;
            }
            let program = prepared.units.iter().find(|u| u.order == f.order).expect("the finding's unit");
            let program = prepared.module.func(program.programs.func);
            let point = &self.failures[f.at];
            list.push(messages::wrong(&func, program, &cause, point, (total, self.report.seed)));
            shown.get_or_insert((f.entry.clone(), point.clone()));
            blame = blame.or(cause.blame);
        }
        self.report.blame = blame;
        // What is shown is the point that the first message speaks of.
        if let Some((entry, point)) = shown {
            self.report.worst_ratio = entry.ratio;
            self.report.worst_entry = entry.name(self.report.names_outputs() || entry.order == Order::Second);
            self.report.worst = Some(point);
        }
        if let Some((probe, at)) = &self.probe {
            list.push(messages::wrong_direction(&func, probe, &self.failures[*at], self.report.seed));
        }
        if list.is_empty() {
            list.extend(self.nothing_compared(prepared, &func));
        }
        let counts = &self.report.counts;
        self.report.status = match list.is_empty() {
            false => Status::Failed,
            true if counts.unsure + counts.unchecked > 0
                && self.report.limits.form == Tolerance::Automatic =>
            {
                Status::Unsure
            }
            true if counts.warned > 0 => Status::Warned,
            true if counts.kinks > 0 => Status::Kink,
            true => Status::Ok,
        };
        self.report.diagnostics = list;
    }

    /// The findings by what is to blame for them: what one rule does wrong is told once.
    fn causes(&self, ctx: &Context, prepared: &Prepared) -> Vec<Cause<'_>> {
        // By point: a rule may be wrong at some values only.
        let mut blames: Vec<(usize, Option<Blame>)> = Vec::new();
        let mut causes: Vec<Cause> = Vec::new();
        for f in &self.findings {
            if f.order == Order::First && !blames.iter().any(|(at, _)| *at == f.at) {
                let inputs = &self.failures[f.at].inputs;
                blames.push((f.at, rules::blame(ctx, prepared.request.func, inputs, &prepared.request)));
            }
            let blame = blames.iter().find(|(at, _)| *at == f.at && f.order == Order::First);
            let blame = blame.and_then(|(_, b)| b.clone());
            let rule = |b: &Option<Blame>| b.as_ref().map(|b| (b.func, b.kind));
            let same = |c: &&mut Cause| {
                let other = c.findings[0];
                blame.is_some()
                    && rule(&c.blame) == rule(&blame)
                    && (other.order, other.entry.status) == (f.order, f.entry.status)
                    && other.kink.is_none()
                    && f.kink.is_none()
            };
            match causes.iter_mut().find(same) {
                Some(c) if worse(&f.entry, &c.findings[0].entry) => {
                    c.findings.insert(0, f);
                    c.blame = blame;
                }
                Some(c) => c.findings.push(f),
                None => causes.push(Cause { findings: vec![f], blame }),
            }
        }
        causes
    }

    /// A check without comparisons is not a pass, neither as a whole nor of one entry.
    fn nothing_compared(&self, prepared: &Prepared, func: &Func) -> Option<Diagnostic> {
        let counts = &self.report.counts;
        let new = |what: String| {
            Diagnostic::error(Code::NothingChecked, what).label(crate::settings::header(func), "")
        };
        if counts.rejected > counts.points {
            let mut d = new(format!(
                "`{}` has no finite value at {} of {} points",
                func.name,
                counts.rejected,
                counts.rejected + counts.points
            ));
            if let Some(e) = &self.report.rejected_by {
                d = d.also(e.span, e.to_string());
            }
            return Some(d.help(
                "declare the domain, `x: f64 in (0, INF)`, or choose the points in a `check` block, `x ~ uniform(1, 2);`",
            ));
        }
        if counts.compared == 0 {
            return Some(
                new(format!("nothing was compared for `{}`", func.name))
                    .note(format!("{} entries could not be evaluated at displaced points", counts.unchecked))
                    .help("choose points further inside the function's domain"),
            );
        }
        for (unit, (entries, probes)) in prepared.units.iter().zip(&self.covered) {
            let missing = entries.iter().position(|seen| !seen);
            if let Some(i) = missing {
                let n = unit.columns.len();
                let entry = entry(prepared, unit, i / n, i % n);
                return Some(
                    new(format!("{} of `{}` was compared at no point", entry.name(true), func.name))
                        .note("the function could not be evaluated at displaced points")
                        .help("choose points further inside the function's domain, or leave the input out of `wrt`"),
                );
            }
            if !probes {
                return Some(new(format!("no direction of `{}` was compared", func.name)));
            }
        }
        None
    }

    fn expectation(&mut self, block: &CheckBlock, ctx: &Context) {
        let Some(expected) = block.expect else { return };
        self.report.expected = Some(expected);
        let has = |codes: &[Code]| self.report.diagnostics.iter().any(|d| codes.contains(&d.code));
        let met = match expected {
            Expect::Ok => self.report.status == Status::Ok,
            Expect::Fail => has(&[Code::WrongDerivative, Code::WrongSecondDerivative, Code::RulesDisagree]),
            Expect::Nan => has(&[Code::NonFinite]),
            Expect::Error => self.report.rejected_by.is_some() || self.error.is_some(),
            // Verdicts that come with automatic tolerances.
            Expect::Imprecise
            | Expect::Unstable
            | Expect::OutOfDomain
            | Expect::Unsure
            | Expect::Unchecked
            | Expect::Wrong
            | Expect::Inconsistent
            | Expect::BadKink
            | Expect::Discontinuous
            | Expect::Nondeterministic => false,
            // Accepting kinks by themselves comes with automatic tolerances.
            Expect::Kink => self.findings.iter().any(|f| f.kink.is_some_and(|k| k.between)),
        };
        if expected == Expect::Ok {
            return;
        }
        if met {
            self.report.status = Status::Ok;
            self.report.diagnostics.clear();
        } else {
            let name = &ctx.module.func(block.func).name;
            let found = match self.report.status {
                Status::Ok => "every derivative agrees",
                Status::Kink | Status::Warned | Status::Unsure | Status::Failed | Status::Error => {
                    "something else happened"
                }
            };
            self.report.status = Status::Failed;
            let d = Diagnostic::error(
                Code::ExpectationFailed,
                format!("the check of `{name}` expects `{}`, but {found}", expected.name()),
            )
            .label(block.span, "expected here");
            self.report.diagnostics.insert(0, d);
        }
    }
}

fn signature<'a>(ports: impl Iterator<Item = (&'a String, ValueData)>) -> Vec<Named> {
    let named = |(name, d): (&String, ValueData)| Named {
        name: name.clone(),
        ty: d.ty,
        shape: sizes(&d).unwrap_or_default(),
    };
    ports.map(named).collect()
}

/// An argument outside its declared domain.
fn outside(func: &Func, inputs: &[Datum]) -> Option<RuntimeError> {
    func.params.iter().zip(inputs).find_map(|(p, x)| {
        let domain = p.domain?;
        let at = x.elements().position(|c| !domain.contains(c.to_c128()))?;
        let (name, index) = (&p.name, index_text(&indices(x.shape(), at)));
        let trap = Trap::Domain(format!("`{name}{index}` is {}", messages::show(x.get(at))));
        Some(RuntimeError { trap, span: p.span })
    })
}
