//! The points of a check: which are evaluated, and what is kept of them.

use super::Run;
use crate::budget::Budget;
use crate::evaluate::{Evaluation, Seen, WORTH_THREADS, examine, spread};
use crate::judge::is_known;
use crate::observe::worst_entry;
use crate::points::{Origin, Sampler};
use crate::prepare::Prepared;
use crate::random::number_of;
use crate::report::{Ended, Endless, Entry, IdentityKind, PointReport};
use crate::settings::Settings;
use crate::verdict::{About, Verdict};
use crate::watch::{Observer, Progress};
use adc_ir::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Number of candidates for each special point: a function may have no value at many of them.
const TRIES: usize = 4;

impl Run<'_> {
    pub(super) fn points(&mut self, prepared: &mut Prepared, block: &CheckBlock, settings: &Settings) {
        let func = prepared.func().clone();
        self.covered =
            prepared.units.iter().map(|u| (vec![!u.by_entry; u.entries.len()], !u.by_direction)).collect();
        self.budget = Budget::new(prepared.request.fuel);
        let limit = settings.max_failures.unwrap_or(usize::MAX);
        let enough = |run: &Run| run.cancelled() || run.report.counts.failed_points >= limit;
        let mut crew = Crew {
            prepared,
            func: &func,
            workers: Vec::new(),
            observer: self.observer,
            wanted: 0,
            done: AtomicUsize::new(0),
        };
        if !settings.at.is_empty() {
            self.drawn = settings.at.len();
            crew.wanted = self.drawn;
            let given = settings.at.iter().enumerate().map(|(k, x)| (Origin::Given(k), x.clone()));
            self.round(&mut crew, given.collect(), &enough);
            return;
        }
        let (wanted, seed) = (crew.prepared.request.points, crew.prepared.request.seed);
        let sampler = Sampler::new(&func, &block.params, seed);
        let wanted = if sampler.constant() { wanted.min(1) } else { wanted };
        let edges = if block.edge { sampler.edges() } else { Vec::new() };
        crew.wanted = edges.len() + wanted;
        let edges = edges.into_iter().enumerate().map(|(k, x)| (Origin::Edge(k), x));
        self.round(&mut crew, edges.collect(), &enough);
        let (used, lost) = (self.used, self.lost());
        // If more than half are lost, the verdict is known: see `judge`.
        let ends = |run: &Run| run.lost() - lost > wanted || enough(run);
        let mut draw = 0;
        while self.used - used < wanted && !ends(self) {
            let next = draw + wanted - (self.used - used);
            let points = (draw..next).map(|k| (Origin::Drawn(k), sampler.draw(k)));
            self.round(&mut crew, points.collect(), &ends);
            draw = next;
        }
        let Crew { mut workers, .. } = crew;
        self.drawn = self.report.counts.points + self.lost();
        // A check that already fails needs no more points.
        if !block.edge && self.report.counts.failed_points == 0 && !self.cancelled() {
            self.observer.progress(Progress::Special);
            self.special(prepared, &func, &sampler, &mut workers, enough);
        }
        let search = prepared.request.search > 0 && !self.cancelled();
        if self.report.counts.failed_points == 0 && search {
            self.search(prepared, &func, &sampler);
        }
    }

    /// Special points besides the drawn ones. They serve to find mistakes: one without a value, with a kink, or without a
    /// result is ignored.
    fn special(
        &mut self,
        prepared: &mut Prepared,
        func: &Func,
        sampler: &Sampler,
        workers: &mut [Prepared],
        enough: impl Fn(&Run) -> bool,
    ) {
        let wanted = prepared.request.special;
        let mut points = sampler.special();
        points.truncate(wanted.saturating_mul(TRIES));
        let points = points.into_iter().enumerate().map(|(k, x)| (Origin::Special(k), x));
        let mut points: Vec<(Origin, Vec<Datum>)> = points.collect();
        let fuel = self.budget.beside();
        let mut visited = 0;
        while visited < wanted && !points.is_empty() && !enough(self) {
            let later = points.split_off(points.len().min(wanted - visited));
            let seen: Vec<Evaluation> = match workers.is_empty() {
                true => points.iter().map(|(o, x)| examine(prepared, func, fuel, *o, x)).collect(),
                false => spread(workers, func, fuel, &points, &|| {}),
            };
            for ((_, inputs), evaluation) in points.into_iter().zip(seen) {
                if self.cancelled() {
                    return;
                }
                let failing = match &evaluation {
                    Evaluation::Rejected(_) | Evaluation::GivenUp(_) => continue,
                    Evaluation::Ended(ended) => ends_unduly(prepared, ended),
                    Evaluation::Seen(seen) => {
                        (tells(prepared, &seen.point) && is_smooth(prepared, &inputs))
                            || seen.backends.is_some()
                    }
                };
                visited += 1;
                match failing && !enough(self) {
                    true => self.keep(inputs, evaluation),
                    false => self.report.counts.special += 1,
                }
            }
            points = later;
        }
    }

    /// Evaluates points. Those whose budget was too small are evaluated once more when the cost of the others is known.
    fn round(&mut self, crew: &mut Crew, points: Vec<Point>, ends: &dyn Fn(&Run) -> bool) {
        let mut later = self.pass(crew, self.budget.first(), points, ends);
        if let Some(fuel) = (!later.is_empty()).then(|| self.budget.alone()).flatten() {
            let others = later.split_off(1);
            self.last_pass(crew, fuel, later, ends);
            later = others;
        }
        match self.budget.second() {
            Some(fuel) => self.last_pass(crew, fuel, later, ends),
            None => self.give_up(later, ends),
        }
    }

    /// Evaluates points and keeps the results. Returns the points where the function exceeded its budget.
    fn pass(
        &mut self,
        crew: &mut Crew,
        fuel: u64,
        mut points: Vec<Point>,
        ends: &dyn Fn(&Run) -> bool,
    ) -> Vec<(Point, Endless)> {
        let mut over = Vec::new();
        while !points.is_empty() && !ends(self) {
            let later = points.split_off(crew.batch(points.len()));
            let seen = crew.evaluation(fuel, &points, later.len());
            for (point, evaluation) in points.into_iter().zip(seen) {
                match evaluation {
                    _ if ends(self) => break,
                    Evaluation::GivenUp(endless) if endless.fuel.is_some() => over.push((point, endless)),
                    evaluation => self.keep(point.1, evaluation),
                }
            }
            points = later;
        }
        over
    }

    /// As [`Self::pass`], for the last time.
    fn last_pass(
        &mut self,
        crew: &mut Crew,
        fuel: u64,
        over: Vec<(Point, Endless)>,
        ends: &dyn Fn(&Run) -> bool,
    ) {
        let points = over.into_iter().map(|(point, _)| point).collect();
        let over = self.pass(crew, fuel, points, ends);
        self.give_up(over, ends);
    }

    fn give_up(&mut self, over: Vec<(Point, Endless)>, ends: &dyn Fn(&Run) -> bool) {
        for ((_, inputs), endless) in over {
            if ends(self) {
                break;
            }
            self.keep(inputs, Evaluation::GivenUp(endless));
        }
    }

    /// Number of points that do not count.
    pub(super) fn lost(&self) -> usize {
        self.report.counts.rejected + self.report.counts.given_up
    }

    /// Adds the result at a point.
    pub(super) fn keep(&mut self, inputs: Vec<Datum>, evaluation: Evaluation) {
        let seen = match evaluation {
            Evaluation::Rejected(error) => {
                self.report.counts.rejected += 1;
                match error {
                    Some(error) => _ = self.report.rejected_by.get_or_insert(error),
                    None => _ = self.not_finite.get_or_insert(inputs),
                }
                return;
            }
            Evaluation::GivenUp(endless) => {
                self.report.counts.given_up += 1;
                self.report.given_up_by.get_or_insert(endless);
                return;
            }
            Evaluation::Ended(ended) => {
                self.used += 1;
                self.report.counts.failed_points += 1;
                self.error.get_or_insert(ended);
                return;
            }
            Evaluation::Seen(seen) => seen,
        };
        self.used += 1;
        self.budget.ended(seen.iterations);
        let outcome = &seen.outcome;
        self.accepted.push(inputs);
        self.scores.push(outcome.score);
        self.whole += usize::from(seen.whole);
        self.interpreted += usize::from(seen.interpreted);
        self.report.counts.add(outcome);
        self.adjoint |= seen.point.identities.iter().any(|i| i.kind == IdentityKind::Adjoint);
        for ((entries, probes), (all, any)) in self.covered.iter_mut().zip(&seen.covered) {
            entries.iter_mut().zip(all).for_each(|(seen, now)| *seen |= now);
            *probes |= any;
        }
        self.show_if_worse(&seen);
        let disagreement = seen.backends.map(|d| (d, seen.point.inputs.clone()));
        self.backends = self.backends.take().or(disagreement);
        if self.every_point {
            self.report.points.push(seen.point.clone());
        }
        if outcome.verdict() != Verdict::Ok {
            self.findings.add(seen.point);
        }
    }

    /// A report shows the point with the largest quotient of error and tolerance.
    pub(super) fn show_if_worse(&mut self, seen: &Seen) {
        let ratio = seen.outcome.worst_ratio;
        if self.report.worst.is_none() || ratio > self.report.worst_ratio {
            self.report.worst_ratio = ratio;
            self.report.worst_entry = worst_entry(&seen.point, self.report.names_outputs());
            self.report.worst = Some(seen.point.clone());
        }
    }
}

type Point = (Origin, Vec<Datum>);

/// What evaluates points: one check, and others on further threads if that is worth it.
struct Crew<'a> {
    prepared: &'a mut Prepared,
    func: &'a Func,
    workers: Vec<Prepared>,
    observer: &'a dyn Observer,
    /// How many points are wanted.
    wanted: usize,
    /// How many have been evaluated.
    done: AtomicUsize,
}

impl Crew<'_> {
    /// How many of this many points are evaluated together.
    fn batch(&self, points: usize) -> usize {
        if self.workers.is_empty() { 1 } else { points }
    }

    /// Evaluates points together; `later` more are to come.
    fn evaluation(&mut self, fuel: u64, points: &[Point], later: usize) -> Vec<Evaluation> {
        let of = self.wanted.max(self.done.load(Ordering::Relaxed) + points.len() + later);
        let told = |done: usize| self.observer.progress(Progress::Points { done: done.min(of), of });
        let next = || told(1 + self.done.fetch_add(1, Ordering::Relaxed));
        told(self.done.load(Ordering::Relaxed));
        if !self.workers.is_empty() {
            return spread(&mut self.workers, self.func, fuel, points, &next);
        }
        let start = Instant::now();
        let evaluation = |(origin, x): &Point| {
            let seen = examine(self.prepared, self.func, fuel, *origin, x);
            next();
            seen
        };
        let seen = points.iter().map(evaluation).collect();
        if later > 1 && start.elapsed() > WORTH_THREADS {
            let threads = rayon::current_num_threads().min(later);
            self.workers = (0..threads).map(|_| self.prepared.clone()).collect();
        }
        seen
    }
}

/// Whether a point is none of the function's kinks, jumps, cuts and edges. At them, a function that is smooth along some
/// axes need not have a derivative.
pub(super) fn is_smooth(prepared: &Prepared, inputs: &[Datum]) -> bool {
    let events = prepared.trace(prepared.request.func, inputs);
    events.is_some_and(|events| events.iter().all(|e| e.margin != 0.0))
}

/// Whether a derivative program should not have ended in a run-time error at a special point: the point is none of the
/// function's kinks and edges, and differences give every derivative. Exceeding the memory limit does not count.
pub(super) fn ends_unduly(prepared: &mut Prepared, ended: &Ended) -> bool {
    let inputs = &ended.point.inputs;
    ended.error.trap != Trap::OutOfMemory
        && is_smooth(prepared, inputs)
        && prepared.has_derivative(ended.order, inputs, number_of(inputs))
}

/// Whether an entry is wrong at a special point. There everything may cancel or overflow, and functions have their kinks
/// and edges. So only wrong entries count, the difference has to be known well, and rounding must not explain the error. A
/// direction that fails is examined entry by entry in any case.
pub(super) fn tells(prepared: &mut Prepared, point: &PointReport) -> bool {
    let known = |e: &Entry| match (e.fd, e.est) {
        (Some(fd), Some(est)) => is_known(fd, est),
        (fd, None) => fd.is_some() && e.status != Verdict::NonFinite,
        (None, Some(_)) => false,
    };
    let wrong = |e: &Entry| e.status.info().about == About::Derivative && known(e);
    let number = number_of(&point.inputs);
    point.entries.iter().any(|e| wrong(e) && !prepared.is_rounding(e, &point.inputs, number))
}
