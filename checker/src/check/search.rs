//! The worst case: where derivatives come closest to being wrong.
//!
//! From the visited points of the largest strain ([`Outcome::strain`](crate::prepare::Outcome)), random walks that go on from what
//! is larger: (1+1) evolution strategies, whose steps follow the rule of one success in five (Rechenberg, *Evolutionsstrategie*,
//! 1973). They stay where the block looks.

use super::Run;
use super::visits::{ends_unduly, is_smooth, tells};
use crate::cells::{get, set};
use crate::coordinates::Part;
use crate::points::{Origin, Sampler, six_digits};
use crate::prepare::Prepared;
use crate::random::{Purpose, Stream, number_of};
use crate::report::Entry;
use crate::verdict::Verdict;
use crate::visit::{Seen, Visit, examine};
use crate::watch::Progress;
use adc_ir::*;

/// From so many points walks begin.
const WALKS: usize = 4;
/// The first step, as a part of what an input's values spread over.
const STEP: f64 = 0.25;
/// A success widens steps by this factor,
const WIDER: f64 = 1.5;
/// a failure narrows them by this one: four take a success back.
const NARROWER: f64 = 0.9;
/// Steps below this part begin again with the first one: rounding errors have many small hills.
const SMALLEST: f64 = 1e-3;
/// A strain may be large by luck: what a walk has to exceed falls by this factor with each failure.
const FORGET: f64 = 0.97;
/// A zero of a derivative is looked for so far away, as a part of the same,
const BESIDE: f64 = 0.02;
/// and there is one if the derivative is so many times as large there.
const STEEP: f64 = 16.0;

impl Run<'_> {
    /// Visits as many points as are asked for; one at which something fails ends that, and is kept like any other.
    pub(super) fn search(&mut self, prepared: &mut Prepared, func: &Func, sampler: &Sampler) {
        let wanted = prepared.request.search;
        let fuel = self.budget.beside();
        let mut starts: Vec<usize> = (0..self.accepted.len()).collect();
        starts.sort_by(|a, b| self.strains[*b].total_cmp(&self.strains[*a]));
        starts.truncate(WALKS.min(wanted));
        for (walk, start) in starts.iter().enumerate() {
            // What one leaves is for the next.
            let share = (wanted - self.report.counts.searched) / (starts.len() - walk);
            let mut place = (self.accepted[*start].clone(), self.strains[*start]);
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
                let visit = examine(prepared, func, fuel, origin, &point);
                if self.cancelled() {
                    return;
                }
                let seen = match visit {
                    Visit::Seen(seen) => seen,
                    Visit::Rejected(_) | Visit::GivenUp(_) => continue,
                    Visit::Ended(ended) if ends_unduly(prepared, &ended) => {
                        return self.keep(point, Visit::Ended(ended));
                    }
                    Visit::Ended(_) => continue,
                };
                if is_news(prepared, func, sampler, &point, &seen) {
                    return self.keep(point, Visit::Seen(seen));
                }
                if seen.outcome.verdict() == Verdict::Ok && seen.outcome.strain > place.1 {
                    step *= WIDER / NARROWER;
                    place = (point, seen.outcome.strain);
                    self.show_if_worse(&seen);
                }
            }
        }
    }
}

/// Whether something fails at a point: as at a special one, or by losing digits where the derivative has no zero beside it. Near
/// those every formula loses its digits, and a walk is drawn there.
fn is_news(prepared: &mut Prepared, func: &Func, sampler: &Sampler, point: &[Datum], seen: &Seen) -> bool {
    let imprecise: Vec<&Entry> = (seen.point.entries.iter())
        .filter(|e| matches!(e.status, Verdict::Imprecise | Verdict::Unstable))
        .collect();
    let mut fails = tells(prepared, &seen.point);
    if !fails && !imprecise.is_empty() {
        let mut s = Stream::new(sampler.seed, Purpose::Search, [number_of(point), 1, 0]);
        let beside = moved(sampler, point, BESIDE, &mut s, true);
        let fuel = prepared.engine.limits.fuel;
        let visit = examine(prepared, func, fuel, seen.point.origin, &beside);
        let Visit::Seen(other) = visit else { return false };
        let stays = |e: &&Entry| {
            let same = other.point.entries.iter().find(|o| (o.order, o.place) == (e.order, e.place));
            same.and_then(|o| Some(o.fd?.abs() <= STEEP * e.fd?.abs())).unwrap_or(false)
        };
        fails = imprecise.iter().any(stays);
    }
    seen.backends.is_some() || (fails && is_smooth(prepared, point))
}

/// A point near another one: all its numbers changed, or one if not all have to be.
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
                // Six digits can be read and typed.
                set(x, entry, *part, six_digits(next));
                if !sampler.reaches(i, x.get(entry)) {
                    x.set(entry, before);
                }
            }
        }
    }
    point
}
