//! The search for domains of the unspecified parameters with which a function has values.
//!
//! First come guesses for all of them at once, by kind of parameter: all positive, all in the unit interval, matrices near
//! the identity, integers that are indices. A guess that works is *weakened*: each parameter gets the widest domain with
//! which it still works, groups first. If none works, the best guesses are improved, one parameter at a time, then two at a
//! time. The score is the number of points with a value, then how far the other evaluations get before they fail.

use super::domains::{Candidate, Domain, candidates};
use super::guesses::{guesses, of_literals};
use super::trial::{Budget, Outcome, Trial};
use crate::settings::DEFAULT_SEED;
use adc_ir::*;

/// Number of points at which a function has to have values.
pub(super) const POINTS: usize = 32;
/// Number of points by which candidates are compared.
const COMPARED: usize = 16;
/// Number of points by which guesses are compared.
const GLANCE: usize = 8;
/// Number of guesses that work; the one that assumes least is taken.
const GUESSES: usize = 4;
/// Number of guesses from which the search continues if none works.
const STARTS: usize = 3;

/// For each unspecified parameter, the position in the list of its candidates.
pub(super) type Choice = Vec<usize>;

/// How good a choice is: points with a value, then how far the others get.
type Score = (usize, u64);

/// A search at some sizes.
pub(super) struct Search<'t> {
    trial: &'t mut Trial,
    budget: &'t mut Budget,
    /// The lines that the block has.
    lines: Vec<Option<Distribution>>,
    /// The unspecified parameters.
    pub open: Vec<usize>,
    lists: Vec<Vec<Candidate>>,
    /// Whether points exactly at the end of an operation's domain count as points without a value.
    edges: bool,
    /// How many of [`POINTS`] need a value.
    need: usize,
    /// Whether results that are not finite are traced to their origin.
    traced: bool,
    /// Whether an evaluation exceeded its iterations.
    pub endless: bool,
    /// Points with a value, of the guess that had the most.
    pub best: usize,
}

/// How a function behaves at points drawn without lines.
pub(super) struct Default {
    /// Points with a value, out of [`COMPARED`].
    pub good: usize,
    /// Whether an evaluation exceeded its iterations.
    pub endless: bool,
    /// Whether a point is at the end of an operation's domain.
    pub edge: bool,
    /// Whether the first evaluation ended in a failed assertion.
    pub asserted: bool,
}

impl Default {
    /// Whether most points have a value.
    pub fn is_mostly_good(&self) -> bool {
        2 * self.good > COMPARED
    }

    /// Whether all points have a value.
    pub fn is_good(&self) -> bool {
        self.good == COMPARED && !self.edge
    }
}

/// The parameters that may be assumed to have a domain: none is stated.
pub(crate) fn open_params(func: &Func, lines: &[Option<Distribution>]) -> Vec<usize> {
    let said = |i: usize| lines.get(i).is_some_and(Option::is_some) || func.params[i].domain.is_some();
    (0..func.params.len()).filter(|&i| !said(i)).collect()
}

/// How the function behaves at the points of these lines. The seed is that of the check.
pub(super) fn default(
    trial: &mut Trial,
    budget: &mut Budget,
    lines: &[Option<Distribution>],
    seed: u64,
) -> Default {
    let points: Vec<Vec<Datum>> = {
        let sampler = trial.sampler(lines, seed);
        (0..COMPARED).map(|k| sampler.draw(k)).collect()
    };
    let mut out = Default { good: 0, endless: false, edge: false, asserted: false };
    let discrete = (0..trial.func().params.len()).any(|i| !trial.func().param_ty(i).scalar().is_float());
    for (k, point) in points.iter().enumerate() {
        let outcome = trial.run(point, budget);
        out.asserted |= k == 0 && outcome.is_assertion();
        out.endless |= outcome.is_endless();
        out.good += usize::from(outcome == Outcome::Value);
        // Only values drawn from a small set are at such a place by chance.
        out.edge = out.edge || (discrete && outcome == Outcome::Value && trial.is_at_an_edge(point, budget));
    }
    out
}

impl<'t> Search<'t> {
    /// `open` are the parameters that may be given a domain.
    pub(super) fn new(
        trial: &'t mut Trial,
        budget: &'t mut Budget,
        lines: &[Option<Distribution>],
        open: Vec<usize>,
        edges: bool,
    ) -> Search<'t> {
        let func = trial.func();
        let all: Vec<Vec<usize>> = (0..func.params.len()).map(|i| shape(func, i)).collect();
        let mut sizes: Vec<usize> = all.concat();
        sizes.sort_unstable();
        sizes.dedup();
        let lists = open.iter().map(|&i| candidates(func.param_ty(i).scalar(), &all[i], &sizes)).collect();
        let lines = lines.to_vec();
        Search {
            trial,
            budget,
            lines,
            open,
            lists,
            edges,
            need: POINTS,
            traced: false,
            endless: false,
            best: 0,
        }
    }

    /// The domains with which the function has a value at every point, by parameter of [`Self::open`]: from guesses only,
    /// or also from what the search reaches from the best of them.
    pub(super) fn everywhere(&mut self, further: bool) -> Option<Vec<Domain>> {
        self.need = POINTS;
        let mut ranked = Vec::new();
        let mut found = Vec::new();
        for choice in self.guesses() {
            let score = self.score(&choice, GLANCE, 0);
            self.best = self.best.max(score.0);
            if score.0 == GLANCE && self.works(&choice) {
                found.push(choice);
                if found.len() == GUESSES {
                    break;
                }
            } else {
                ranked.push((score, choice));
            }
            if self.budget.is_spent() {
                break;
            }
        }
        if found.is_empty() && further {
            // The sort is stable: the first of equal guesses stays first.
            ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
            let starts: Vec<Choice> = ranked.into_iter().map(|(_, c)| c).take(STARTS).collect();
            found.extend(self.reached(&starts));
        }
        self.weakest(found)
    }

    /// The result of the search from these choices: one that works everywhere, else the one that works at most points, if
    /// that is a majority.
    fn reached(&mut self, starts: &[Choice]) -> Option<Choice> {
        let func = self.trial.func();
        for (&i, list) in self.open.iter().zip(&mut self.lists) {
            let more = of_literals(&self.trial.module, self.trial.id, func.param_ty(i).scalar());
            list.extend(
                more.into_iter().filter(|(_, d)| list.iter().all(|(_, own)| own != d)).collect::<Vec<_>>(),
            );
        }
        let mut best: Option<(Score, Choice)> = None;
        for traced in [false, true] {
            self.traced = traced;
            for start in starts {
                let top = self.climb(start.clone());
                if top.0.0 == COMPARED && self.works(&top.1) {
                    return Some(top.1);
                }
                if best.as_ref().is_none_or(|b| top.0 > b.0) {
                    best = Some(top);
                }
            }
        }
        let (_, choice) = best?;
        let good = self.score(&choice, POINTS, 0).0;
        self.need = good;
        (2 * good > POINTS).then_some(choice)
    }

    /// Of the choices that work, the one that assumes least after all of them have been weakened.
    fn weakest(&mut self, found: Vec<Choice>) -> Option<Vec<Domain>> {
        let weak = found.into_iter().map(|c| self.weaken(c)).collect::<Vec<_>>();
        let best = weak.into_iter().min_by_key(|c| self.assumed(c))?;
        Some(self.domains(&best))
    }

    fn guesses(&self) -> Vec<Choice> {
        let func = self.trial.func();
        let params: Vec<_> = self.open.iter().map(|&i| (func.param_ty(i).scalar(), shape(func, i))).collect();
        guesses(&params, &self.lists)
    }

    /// The domains with values at most points, if that is a majority. Used for integers next to real parameters.
    pub(super) fn at_most_points(&mut self) -> Option<Vec<Domain>> {
        let nothing = vec![0; self.open.len()];
        let before = self.score(&nothing, POINTS, 0).0;
        let mut best: Option<(usize, Choice)> = None;
        for choice in self.guesses() {
            let good = self.score(&choice, POINTS, 0).0;
            if good > best.as_ref().map_or(before, |b| b.0) {
                best = Some((good, choice));
            }
        }
        let (good, choice) = best?;
        self.need = good;
        self.weakest(vec![choice])
    }

    /// Whether the function has values everywhere with domains that were found at other sizes.
    pub(super) fn accepts(&mut self, domains: &[Domain]) -> bool {
        let mut lines = self.lines.clone();
        for (&i, d) in self.open.iter().zip(domains) {
            lines[i] = self.line(i, d).or(lines[i].take());
        }
        self.score_of(&lines, POINTS, POINTS).0 == POINTS
    }

    fn line(&self, i: usize, d: &Domain) -> Option<Distribution> {
        let func = self.trial.func();
        d.line(func.param_ty(i).scalar(), &shape(func, i))
    }

    fn domains(&self, choice: &Choice) -> Vec<Domain> {
        self.lists.iter().zip(choice).map(|(list, k)| list[*k].1.clone()).collect()
    }

    /// How much a choice assumes, and of how many parameters.
    fn assumed(&self, choice: &Choice) -> (u32, usize) {
        let ranks = self.lists.iter().zip(choice).map(|(list, k)| list[*k].0);
        (ranks.sum(), choice.iter().filter(|k| **k > 0).count())
    }

    fn works(&mut self, choice: &Choice) -> bool {
        self.score(choice, POINTS, self.need).0 >= self.need
    }

    /// How good a choice is at `n` points. Ends when `need` of them can no longer be reached.
    fn score(&mut self, choice: &Choice, n: usize, need: usize) -> Score {
        let mut lines = self.lines.clone();
        for ((&i, list), k) in self.open.iter().zip(&self.lists).zip(choice) {
            lines[i] = self.line(i, &list[*k].1).or(lines[i].take());
        }
        self.score_of(&lines, n, need)
    }

    fn score_of(&mut self, lines: &[Option<Distribution>], n: usize, need: usize) -> Score {
        let mut score = (0, 0);
        for k in 0..n {
            if self.budget.is_spent() || score.0 + (n - k) < need {
                break;
            }
            let point = self.trial.sampler(lines, DEFAULT_SEED).draw(k);
            let outcome = self.trial.run(&point, self.budget);
            self.endless |= outcome.is_endless();
            let value = outcome == Outcome::Value;
            if value && !(self.edges && self.trial.is_at_an_edge(&point, self.budget)) {
                score.0 += 1;
            } else {
                score.1 += self.trial.progress(&outcome, self.traced.then_some(&point[..]), self.budget);
            }
        }
        score
    }

    /// The best choice reachable from another one by changing one parameter at a time, or two where one does not help.
    fn climb(&mut self, start: Choice) -> (Score, Choice) {
        let mut top = (self.score(&start, COMPARED, 0), start);
        while top.0.0 < COMPARED && !self.budget.is_spent() {
            match self.step(&top).or_else(|| self.two_steps(&top)) {
                Some(better) => top = better,
                None => break,
            }
        }
        top
    }

    /// The best change of one parameter.
    fn step(&mut self, at: &(Score, Choice)) -> Option<(Score, Choice)> {
        let mut best = None;
        for i in 0..self.open.len() {
            for k in (0..self.lists[i].len()).filter(|k| *k != at.1[i]) {
                let mut next = at.1.clone();
                next[i] = k;
                self.try_out(next, at.0, &mut best);
            }
        }
        best
    }

    /// The best change of two.
    fn two_steps(&mut self, at: &(Score, Choice)) -> Option<(Score, Choice)> {
        let mut best = None;
        for i in 0..self.open.len() {
            for j in i + 1..self.open.len() {
                for k in (0..self.lists[i].len()).filter(|k| *k != at.1[i]) {
                    for l in (0..self.lists[j].len()).filter(|l| *l != at.1[j]) {
                        if self.budget.is_spent() {
                            return best;
                        }
                        let mut next = at.1.clone();
                        (next[i], next[j]) = (k, l);
                        self.try_out(next, at.0, &mut best);
                    }
                }
            }
        }
        best
    }

    /// Keeps a choice that is better than the best, or as good and assumes less.
    fn try_out(&mut self, next: Choice, before: Score, best: &mut Option<(Score, Choice)>) {
        let score = self.score(&next, COMPARED, before.0);
        let wins = match best {
            Some((top, b)) => score > *top || (score == *top && self.assumed(&next) < self.assumed(b)),
            None => score > before,
        };
        if wins {
            *best = Some((score, next));
        }
    }

    /// The choice that assumes as little as possible and still works.
    fn weaken(&mut self, mut choice: Choice) -> Choice {
        let all: Vec<usize> = (0..choice.len()).filter(|i| choice[*i] > 0).collect();
        self.weaken_group(&mut choice, &all);
        // What was needed together with something else may no longer be needed.
        for i in all {
            self.weaken_group(&mut choice, &[i]);
        }
        choice
    }

    fn weaken_group(&mut self, choice: &mut Choice, group: &[usize]) {
        if group.iter().all(|i| choice[*i] == 0) || self.budget.is_spent() {
            return;
        }
        let mut without = choice.clone();
        group.iter().for_each(|i| without[*i] = 0);
        if self.works(&without) {
            *choice = without;
        } else if let [i] = group {
            for k in 1..choice[*i] {
                let mut next = choice.clone();
                next[*i] = k;
                if self.works(&next) {
                    *choice = next;
                    return;
                }
            }
        } else {
            let (left, right) = group.split_at(group.len() / 2);
            self.weaken_group(choice, left);
            self.weaken_group(choice, right);
        }
    }
}

fn shape(func: &Func, i: usize) -> Vec<usize> {
    crate::coordinates::sizes(func.data(func.params[i].value)).expect("known to the trial")
}
