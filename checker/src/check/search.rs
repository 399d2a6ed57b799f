//! The worst case: where derivatives come closest to being wrong.
//!
//! Random walks start at the evaluated points of the highest score ([`Outcome::score`](crate::prepare::Outcome)) and
//! climb: (1+1) evolution strategies, whose steps follow the rule of one success in five (Rechenberg,
//! *Evolutionsstrategie*, 1973). They stay in the domains of the block.

use super::Run;
use super::points::{ends_unduly, is_smooth, tells};
use crate::coordinates::Part;
use crate::evaluate::{Evaluation, Seen, examine};
use crate::points::{Origin, Sampler, six_digits};
use crate::prepare::Prepared;
use crate::random::{Purpose, Stream, number_of};
use crate::report::Entry;
use crate::slots::{get, set};
use crate::verdict::{About, Verdict};
use crate::watch::Progress;
use adc_ir::*;

/// Number of walks.
const WALKS: usize = 4;
/// The first step, as a part of the spread of an input's values.
const STEP: f64 = 0.25;
/// A success widens steps by this factor.
const WIDER: f64 = 1.5;
/// A failure narrows them by this one: four failures undo a success.
const NARROWER: f64 = 0.9;
/// Steps below this part start again with the first one: rounding errors have many local maxima.
const SMALLEST: f64 = 1e-3;
/// A score may be high by chance: the score that a walk has to exceed falls by this factor with each failure.
const FORGET: f64 = 0.97;
/// The distance at which a zero of a derivative is looked for, as a part of the same spread.
const BESIDE: f64 = 0.02;
/// There is a zero if the derivative is this many times as large there.
const STEEP: f64 = 16.0;

impl Run<'_> {
    /// Evaluates as many points as requested. A point at which something fails ends the search, and is kept like any other.
    pub(super) fn search(&mut self, prepared: &mut Prepared, func: &Func, sampler: &Sampler) {
        let wanted = prepared.request.search;
        let fuel = self.budget.beside();
        let mut starts: Vec<usize> = (0..self.accepted.len()).collect();
        starts.sort_by(|a, b| self.scores[*b].total_cmp(&self.scores[*a]));
        starts.truncate(WALKS.min(wanted));
        for (walk, start) in starts.iter().enumerate() {
            // Points that one walk does not use are left for the next one.
            let share = (wanted - self.report.counts.searched) / (starts.len() - walk);
            let mut place = (self.accepted[*start].clone(), self.scores[*start]);
            let mut s = Stream::new(sampler.seed, Purpose::Search, [walk as u64, 0, 0]);
            let mut step = STEP;
            for _ in 0..share {
                step = if step < SMALLEST { STEP } else { step * NARROWER };
                place.1 *= FORGET;
                let point = moved(sampler, &place.0, step, &mut s, false);
                if point == place.0 {
                    continue;
                }
                let origin = Origin::Searched(self.report.counts.searched);
                self.report.counts.searched += 1;
                let done = self.report.counts.searched;
                self.observer.progress(Progress::Searching { done, of: wanted });
                let evaluation = examine(prepared, func, fuel, origin, &point);
                if self.cancelled() {
                    return;
                }
                let seen = match evaluation {
                    Evaluation::Seen(seen) => seen,
                    Evaluation::Rejected(_) | Evaluation::GivenUp(_) => continue,
                    Evaluation::Ended(ended) if ends_unduly(prepared, &ended) => {
                        return self.keep(point, Evaluation::Ended(ended));
                    }
                    Evaluation::Ended(_) => continue,
                };
                if is_news(prepared, func, sampler, &point, &seen) {
                    return self.keep(point, Evaluation::Seen(seen));
                }
                if seen.outcome.verdict() == Verdict::Ok && seen.outcome.score > place.1 {
                    step *= WIDER / NARROWER;
                    place = (point, seen.outcome.score);
                    self.show_if_worse(&seen);
                }
            }
        }
    }
}

/// Whether something fails at a point: as at a special point, or by losing digits where the derivative has no zero nearby.
/// Near a zero every formula loses its digits, and walks are drawn to it.
fn is_news(prepared: &mut Prepared, func: &Func, sampler: &Sampler, point: &[Datum], seen: &Seen) -> bool {
    let imprecise: Vec<&Entry> =
        (seen.point.entries.iter()).filter(|e| e.status.info().about == About::Digits).collect();
    let mut fails = tells(prepared, &seen.point);
    if !fails && !imprecise.is_empty() {
        let mut s = Stream::new(sampler.seed, Purpose::Search, [number_of(point), 1, 0]);
        let beside = moved(sampler, point, BESIDE, &mut s, true);
        let fuel = prepared.engine.limits.fuel;
        let evaluation = examine(prepared, func, fuel, seen.point.origin, &beside);
        let Evaluation::Seen(other) = evaluation else { return false };
        let stays = |e: &&Entry| {
            let same = other.point.entries.iter().find(|o| (o.order, o.place) == (e.order, e.place));
            same.and_then(|o| Some(o.fd?.abs() <= STEEP * e.fd?.abs())).unwrap_or(false)
        };
        fails = imprecise.iter().any(stays);
    }
    seen.backends.is_some() || (fails && is_smooth(prepared, point))
}

/// A point near another one: all its numbers changed, or at least one.
fn moved(sampler: &Sampler, from: &[Datum], step: f64, s: &mut Stream, together: bool) -> Vec<Datum> {
    let free = |i: &usize| !sampler.fixed(*i) && from[*i].elem().is_float();
    let numbers = |i: usize| from[i].len() * from[i].elem().coordinates();
    let all: usize = (0..from.len()).filter(free).map(numbers).sum();
    if all == 0 {
        return from.to_vec();
    }
    let alone = (!together && s.below(2) == 0).then(|| s.below(all as u64) as usize);
    let mut point = from.to_vec();
    let mut at = 0;
    for i in (0..from.len()).filter(free) {
        let x = &mut point[i];
        for entry in 0..x.len() {
            for part in Part::of(x.elem().into()) {
                let this = at;
                at += 1;
                if alone.is_some_and(|k| k != this) {
                    continue;
                }
                let (before, number) = (x.get(entry), get(x, entry, *part));
                let next = number + step * sampler.spread(i, number) * s.normal();
                // A number of six digits can be read and typed.
                set(x, entry, *part, six_digits(next));
                if !sampler.reaches(i, x.get(entry)) {
                    x.set(entry, before);
                }
            }
        }
    }
    point
}
