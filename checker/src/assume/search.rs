//! The search for domains: which the parameters that nothing is said of have to have, so that a function has values.
//!
//! First come guesses for all of them at once, by kind of parameter: all positive, all in the unit interval, matrices near the
//! identity, integers that are indices. One that works is *weakened*: each parameter gets back the widest domain with which it
//! still works, groups first. If none does, the best are improved one parameter after the other, then by two at a time.

use super::domains::{Candidate, Domain, candidates, is_square};
use super::trial::{Budget, Outcome, Trial};
use crate::settings::DEFAULT_SEED;
use adc_ir::*;
use num_complex::Complex64;

/// Points at which a function has to have values.
pub(super) const POINTS: usize = 32;
/// Points by which candidates are compared.
const COMPARED: usize = 16;
/// Points by which guesses are.
const GLANCE: usize = 8;
/// Guesses that work, of which the one is taken that assumes least.
const GUESSES: usize = 4;
/// Guesses from which the search goes on if none works.
const STARTS: usize = 3;
/// Numbers in the source that intervals are made of.
const LITERALS: usize = 6;

/// By parameter that nothing is said of, the position in the list of its candidates.
type Choice = Vec<usize>;

/// A search at some sizes.
pub(super) struct Search<'t> {
    trial: &'t mut Trial,
    budget: &'t mut Budget,
    /// The lines that there are.
    lines: Vec<Option<Distribution>>,
    /// The parameters that nothing is said of.
    pub open: Vec<usize>,
    lists: Vec<Vec<Candidate>>,
    /// Whether points exactly at the end of an operation's domain count as points without a value.
    edges: bool,
    /// How many of [`POINTS`] need a value.
    need: usize,
    /// Whether an evaluation took more iterations than it may.
    pub endless: bool,
    /// Points with a value, of the guess that had most.
    pub best: usize,
}

/// How a function does on what is drawn without lines.
pub(super) struct Default {
    /// Points with a value, of [`COMPARED`].
    pub good: usize,
    /// Whether one took more iterations than it may.
    pub endless: bool,
    /// Whether one is at the end of an operation's domain.
    pub edge: bool,
    /// Whether what ended the first evaluation was an assertion.
    pub asserted: bool,
}

impl Default {
    /// Whether most points have a value.
    pub fn is_mostly_good(&self) -> bool {
        2 * self.good > COMPARED
    }

    /// Whether all have.
    pub fn is_good(&self) -> bool {
        self.good == COMPARED && !self.edge
    }
}

/// The parameters that may be assumed to have a domain: nothing says one.
pub(crate) fn open_params(func: &Func, lines: &[Option<Distribution>]) -> Vec<usize> {
    let said = |i: usize| lines.get(i).is_some_and(Option::is_some) || func.params[i].domain.is_some();
    (0..func.params.len()).filter(|&i| !said(i)).collect()
}

/// What becomes of the points of these lines; the seed is that of the check.
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
        // Only what is drawn from few values is at such a place by chance.
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
        Search { trial, budget, lines, open, lists, edges, need: POINTS, endless: false, best: 0 }
    }

    /// The domains with which the function has a value everywhere, by parameter of [`Self::open`]: of guesses only, or of what can be
    /// reached from the best of them, too.
    pub(super) fn everywhere(&mut self, further: bool) -> Option<Vec<Domain>> {
        self.need = POINTS;
        let mut ranked = Vec::new();
        let mut found = Vec::new();
        for choice in self.guesses() {
            let good = self.count(&choice, GLANCE, GLANCE);
            self.best = self.best.max(good);
            if good == GLANCE && self.works(&choice) {
                found.push(choice);
                if found.len() == GUESSES {
                    break;
                }
            } else {
                ranked.push((good, choice));
            }
            if self.budget.is_spent() {
                break;
            }
        }
        if found.is_empty() && further {
            // Stable: of equal ones the first.
            ranked.sort_by_key(|(good, _)| std::cmp::Reverse(*good));
            self.add_literals();
            let mut starts: Vec<Choice> = ranked.into_iter().map(|(_, c)| c).take(STARTS).collect();
            starts.dedup();
            found.extend(starts.into_iter().find_map(|c| self.climb(c)));
        }
        let weak = found.into_iter().map(|c| self.weaken(c)).collect::<Vec<_>>();
        let best = weak.into_iter().min_by_key(|c| self.assumed(c))?;
        Some(self.domains(&best))
    }

    /// The domains with which it has values at more points than without any, and at most; used for integers beside real numbers.
    pub(super) fn at_most_points(&mut self) -> Option<Vec<Domain>> {
        let nothing = vec![0; self.open.len()];
        let before = self.count(&nothing, POINTS, POINTS);
        let mut best: Option<(usize, Choice)> = None;
        for choice in self.guesses() {
            let good = self.count(&choice, POINTS, POINTS);
            if good > best.as_ref().map_or(before, |b| b.0) {
                best = Some((good, choice));
            }
        }
        let (good, choice) = best?;
        self.need = good;
        let weak = self.weaken(choice);
        Some(self.domains(&weak))
    }

    /// Whether the function has values everywhere with domains that were found at other sizes.
    pub(super) fn accepts(&mut self, domains: &[Domain]) -> bool {
        let mut lines = self.lines.clone();
        for (&i, d) in self.open.iter().zip(domains) {
            lines[i] = self.line(i, d).or(lines[i].take());
        }
        self.good(&lines, POINTS, 0) == POINTS
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
        self.count(choice, POINTS, POINTS - self.need) >= self.need
    }

    /// At how many of `n` points there is a value; ends after so many misses.
    fn count(&mut self, choice: &Choice, n: usize, misses: usize) -> usize {
        let mut lines = self.lines.clone();
        for ((&i, list), k) in self.open.iter().zip(&self.lists).zip(choice) {
            lines[i] = self.line(i, &list[*k].1).or(lines[i].take());
        }
        self.good(&lines, n, misses)
    }

    fn good(&mut self, lines: &[Option<Distribution>], n: usize, misses: usize) -> usize {
        let (mut good, mut bad) = (0, 0);
        for k in 0..n {
            if self.budget.is_spent() || bad > misses {
                break;
            }
            let point = self.trial.sampler(lines, DEFAULT_SEED).draw(k);
            let outcome = self.trial.run(&point, self.budget);
            self.endless |= outcome.is_endless();
            let edge =
                self.edges && outcome == Outcome::Value && self.trial.is_at_an_edge(&point, self.budget);
            match outcome == Outcome::Value && !edge {
                true => good += 1,
                false => bad += 1,
            }
        }
        good
    }

    /// Choices for all parameters at once, least assumed first.
    fn guesses(&self) -> Vec<Choice> {
        let func = self.trial.func();
        let kind = |i: usize| Kind::of(func.param_ty(i).scalar(), &shape(func, i));
        let kinds: Vec<Kind> = self.open.iter().map(|&i| kind(i)).collect();
        let of = |kind: Kind, list: Vec<Option<Domain>>| match kinds.contains(&kind) {
            true => list,
            false => vec![None],
        };
        let some = |list: &[Domain]| list.iter().cloned().map(Some).collect::<Vec<_>>();
        // What is an index of every axis; the search widens that.
        let axes = self.lists.iter().flatten().filter_map(|(_, d)| match d {
            Domain::Integers(1, n) => Some(*n),
            _ => None,
        });
        let smallest = axes.min();
        let mut integers = vec![Domain::Default, Domain::AtLeast(1)];
        let mut counts = vec![None];
        if let Some(n) = smallest {
            integers.extend([Domain::Integers(0, n - 1), Domain::Integers(1, n)]);
            counts.extend([Some(Domain::Count(n)), Some(Domain::Count(n - 1))]);
        }
        integers.extend([Domain::AtLeast(2), Domain::Some("powers of two", &[2, 4, 8])]);
        let interval = Domain::Interval;
        let reals = [
            Domain::Default,
            Domain::Positive,
            interval(0.0, 1.0),
            interval(-1.0, 1.0),
            interval(1.0, 10.0),
            interval(0.0, 0.1),
        ];
        let upper = Domain::Around(Complex64::new(0.0, 2.0), 1.0);
        let complexes = [Domain::Default, Domain::Disk(1.0), upper];
        let reals = if kinds.iter().any(|k| k.is_real()) { &reals[..] } else { &reals[..1] };
        let discrete = kinds.iter().any(|k| matches!(k, Kind::Integer | Kind::Integers));
        let integers = if discrete { &integers[..] } else { &integers[..1] };
        let mut out: Vec<Choice> = Vec::new();
        for matrix in of(Kind::Matrix, vec![None, Some(Domain::Definite)]) {
            for vector in of(Kind::Vector, vec![None, Some(Domain::Increasing)]) {
                for complex in of(Kind::Complex, some(&complexes)) {
                    for count in of(Kind::Integers, counts.clone()) {
                        for integer in integers {
                            for real in reals {
                                let domain = |kind: &Kind| match kind {
                                    Kind::Real => Some(real.clone()),
                                    Kind::Vector => vector.clone().or(Some(real.clone())),
                                    Kind::Matrix => matrix.clone().or(Some(real.clone())),
                                    Kind::Integer => Some(integer.clone()),
                                    Kind::Integers => count.clone().or(Some(integer.clone())),
                                    Kind::Complex => complex.clone(),
                                    Kind::Truth => None,
                                };
                                let choice: Choice = (kinds.iter().zip(&self.lists))
                                    .map(|(kind, list)| {
                                        domain(kind).and_then(|d| position(list, &d)).unwrap_or(0)
                                    })
                                    .collect();
                                if !out.contains(&choice) {
                                    out.push(choice);
                                }
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// Intervals between numbers of the source and their doubles and halves: `assert T > 273.15`.
    fn add_literals(&mut self) {
        let mut numbers: Vec<f64> = Vec::new();
        let reached = self.trial.module.reachable(self.trial.id);
        for region in reached.iter().filter_map(|g| self.trial.module.func(*g).region()) {
            literals(region, &mut numbers);
        }
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        // The largest say most about a scale.
        numbers.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        numbers.truncate(LITERALS);
        for (&i, list) in self.open.iter().zip(&mut self.lists) {
            let ty = self.trial.func().param_ty(i).scalar();
            for &c in numbers.iter().filter(|_| ty.is_float() && ty.is_real()) {
                let mut ends = |a: f64, b: f64| list.push((9, Domain::Interval(a.min(b), a.max(b))));
                ends(c, 2.0 * c);
                ends(0.5 * c, c);
            }
        }
    }

    /// A choice that works, reached from another one by changing one parameter at a time, or two where one does not help.
    fn climb(&mut self, start: Choice) -> Option<Choice> {
        let mut at = start;
        let mut good = self.count(&at, COMPARED, COMPARED);
        loop {
            if good == COMPARED && self.works(&at) {
                return Some(at);
            }
            let better = self.step(&at, good).or_else(|| self.two_steps(&at, good));
            (good, at) = better?;
            if self.budget.is_spent() {
                return None;
            }
        }
    }

    /// The best change of one parameter.
    fn step(&mut self, at: &Choice, good: usize) -> Option<(usize, Choice)> {
        let mut best: Option<(usize, Choice)> = None;
        for i in 0..self.open.len() {
            for k in (0..self.lists[i].len()).filter(|k| *k != at[i]) {
                let mut next = at.clone();
                next[i] = k;
                self.try_out(next, good, &mut best);
            }
        }
        best
    }

    /// The best change of two.
    fn two_steps(&mut self, at: &Choice, good: usize) -> Option<(usize, Choice)> {
        let mut best: Option<(usize, Choice)> = None;
        for i in 0..self.open.len() {
            for j in i + 1..self.open.len() {
                for k in (0..self.lists[i].len()).filter(|k| *k != at[i]) {
                    for l in (0..self.lists[j].len()).filter(|l| *l != at[j]) {
                        if self.budget.is_spent() {
                            return best;
                        }
                        let mut next = at.clone();
                        (next[i], next[j]) = (k, l);
                        self.try_out(next, good, &mut best);
                    }
                }
            }
        }
        best
    }

    /// Keeps a choice that is better than what there is, or as good and assumes less.
    fn try_out(&mut self, next: Choice, good: usize, best: &mut Option<(usize, Choice)>) {
        let least = best.as_ref().map_or(good + 1, |(n, _)| *n);
        let n = self.count(&next, COMPARED, COMPARED - least);
        let wins = match best {
            Some((m, b)) => n > *m || (n == *m && self.assumed(&next) < self.assumed(b)),
            None => n > good,
        };
        if wins {
            *best = Some((n, next));
        }
    }

    /// The choice with as little assumed as still works.
    fn weaken(&mut self, mut choice: Choice) -> Choice {
        let all: Vec<usize> = (0..choice.len()).filter(|i| choice[*i] > 0).collect();
        self.weaken_group(&mut choice, &all);
        // What was needed beside something else may not be any more.
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

/// What guesses tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Real,
    Vector,
    Matrix,
    Integer,
    Integers,
    Complex,
    Truth,
}

impl Kind {
    fn of(ty: Scalar, shape: &[usize]) -> Kind {
        match ty {
            Scalar::Bool => Kind::Truth,
            Scalar::I64 if shape.is_empty() => Kind::Integer,
            Scalar::I64 => Kind::Integers,
            Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 if is_square(shape) => Kind::Matrix,
            Scalar::C64 | Scalar::C128 => Kind::Complex,
            Scalar::F32 | Scalar::F64 if shape.is_empty() => Kind::Real,
            Scalar::F32 | Scalar::F64 => Kind::Vector,
        }
    }

    fn is_real(self) -> bool {
        matches!(self, Kind::Real | Kind::Vector | Kind::Matrix)
    }
}

fn position(list: &[Candidate], d: &Domain) -> Option<usize> {
    list.iter().position(|(_, c)| c == d)
}

fn shape(func: &Func, i: usize) -> Vec<usize> {
    crate::coordinates::sizes(func.data(func.params[i].value)).expect("known to the trial")
}

/// Real literals that are not everyday numbers.
fn literals(region: &Region, out: &mut Vec<f64>) {
    for inst in &region.insts {
        if let adc_ir::Kind::Const(Const::F64(c)) = inst.kind {
            let telling = c.is_finite() && c.abs() > 2.0 && c.abs() < 1e9;
            out.extend(telling.then_some(c));
        }
        inst.regions.iter().for_each(|r| literals(r, out));
    }
}
