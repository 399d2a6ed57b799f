//! The points of a check: which are visited, and what is kept of them.

use super::Run;
use crate::judge::is_known;
use crate::observe::worst_entry;
use crate::points::{Origin, Sampler};
use crate::prepare::Prepared;
use crate::random::number_of;
use crate::report::{Entry, IdentityKind, PointReport};
use crate::settings::Settings;
use crate::verdict::Verdict;
use crate::visit::{Ended, Seen, Visit, WORTH_THREADS, examine, spread};
use adc_ir::*;
use std::time::Instant;

/// Candidates looked at for each special point that is wanted: at many of them a function may have no value.
const TRIES: usize = 4;

impl Run {
    pub(super) fn points(&mut self, prepared: &mut Prepared, block: &CheckBlock, settings: &Settings) {
        let func = prepared.func().clone();
        self.covered =
            prepared.units.iter().map(|u| (vec![!u.by_entry; u.entries.len()], !u.by_direction)).collect();
        let limit = settings.max_failures.unwrap_or(usize::MAX);
        let enough = |run: &Run| run.report.counts.failed_points >= limit;
        if !settings.at.is_empty() {
            self.drawn = settings.at.len();
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
                self.keep(inputs, visit);
            }
        }
        self.drawn = self.report.counts.points + self.report.counts.rejected;
        // What already fails needs no more points.
        if !block.edge && self.report.counts.failed_points == 0 {
            self.special(prepared, &func, &sampler, &mut workers, enough);
        }
        if self.report.counts.failed_points == 0 && prepared.request.search > 0 {
            self.search(prepared, &func, &sampler);
        }
    }

    /// Special points beside the drawn ones. They are there to find mistakes: where one has no value, or a kink, or says nothing,
    /// that is as if it had not been visited.
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
        let mut visited = 0;
        while visited < wanted && !points.is_empty() && !enough(self) {
            let later = points.split_off(points.len().min(wanted - visited));
            let seen: Vec<Visit> = match workers.is_empty() {
                true => points.iter().map(|(o, x)| examine(prepared, func, *o, x)).collect(),
                false => spread(workers, func, &points),
            };
            for ((_, inputs), visit) in points.into_iter().zip(seen) {
                let failing = match &visit {
                    // What does not come to an end there may not do so at others.
                    Visit::Rejected(Some(error)) | Visit::Ended(Ended { error, .. })
                        if error.trap == Trap::OutOfFuel =>
                    {
                        return;
                    }
                    Visit::Rejected(_) => continue,
                    Visit::Ended(ended) => ends_unduly(prepared, ended),
                    Visit::Seen(seen) => {
                        (tells(&seen.point) && is_smooth(prepared, &inputs)) || seen.backends.is_some()
                    }
                };
                visited += 1;
                match failing && !enough(self) {
                    true => self.keep(inputs, visit),
                    false => self.report.counts.special += 1,
                }
            }
            points = later;
        }
    }

    fn visit(&mut self, prepared: &mut Prepared, func: &Func, origin: Origin, inputs: &[Datum]) {
        let visit = examine(prepared, func, origin, inputs);
        self.keep(inputs.to_vec(), visit);
    }

    /// Adds what was seen at a point.
    pub(super) fn keep(&mut self, inputs: Vec<Datum>, visit: Visit) {
        let seen = match visit {
            Visit::Rejected(error) => {
                self.report.counts.rejected += 1;
                match error {
                    Some(error) => _ = self.report.rejected_by.get_or_insert(error),
                    None => _ = self.not_finite.get_or_insert(inputs),
                }
                return;
            }
            Visit::Ended(ended) => {
                self.report.counts.failed_points += 1;
                self.error.get_or_insert(ended);
                return;
            }
            Visit::Seen(seen) => seen,
        };
        let outcome = &seen.outcome;
        self.accepted.push(inputs);
        self.strains.push(outcome.strain);
        self.whole += usize::from(seen.whole);
        self.interpreted += usize::from(seen.interpreted);
        self.report.counts.add(outcome);
        self.report.resolution.merge(&outcome.resolution);
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

    /// The point with the largest quotient of error and tolerance is the one a report shows.
    pub(super) fn show_if_worse(&mut self, seen: &Seen) {
        let ratio = seen.outcome.worst_ratio;
        if self.report.worst.is_none() || ratio > self.report.worst_ratio {
            self.report.worst_ratio = ratio;
            self.report.worst_entry = worst_entry(&seen.point, self.report.names_outputs());
            self.report.worst = Some(seen.point.clone());
        }
    }
}

/// Whether the function has none of its kinks, jumps, cuts and edges at a point. At them, what is smooth along some axes need not
/// have a derivative.
pub(super) fn is_smooth(prepared: &Prepared, inputs: &[Datum]) -> bool {
    let events = prepared.trace(prepared.request.func, inputs);
    events.is_some_and(|events| events.iter().all(|e| e.margin != 0.0))
}

/// Whether a derivative program should not have ended in a run-time error at a special point: the function has none of its kinks and
/// edges there, and its differences know every derivative. Limits of turns and memory say nothing about it.
pub(super) fn ends_unduly(prepared: &mut Prepared, ended: &Ended) -> bool {
    let inputs = &ended.point.inputs;
    let limit = matches!(ended.error.trap, Trap::OutOfFuel | Trap::OutOfMemory);
    !limit && is_smooth(prepared, inputs) && prepared.has_derivative(ended.order, inputs, number_of(inputs))
}

/// Whether an entry is wrong. At special points, where everything may cancel or overflow, and where functions have their kinks and
/// edges, nothing less is news, and the difference has to be known well. A direction that fails is looked at entry by entry anyway.
pub(super) fn tells(point: &PointReport) -> bool {
    let known = |e: &Entry| match (e.fd, e.est) {
        (Some(fd), Some(est)) => is_known(fd, est),
        (fd, None) => fd.is_some() && e.status != Verdict::NonFinite,
        (None, Some(_)) => false,
    };
    let wrong = |e: &Entry| match e.status {
        Verdict::Wrong | Verdict::Inconsistent | Verdict::NonFinite => known(e),
        _ => false,
    };
    point.entries.iter().any(wrong)
}
