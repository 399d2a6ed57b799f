//! Derivatives for which the primary differences are inconclusive: formulas in double-double, step sequences at several
//! scales, bounds of rounding, and a second sequence before anything is called wrong.

use super::source::{Branch, Source, StepSequence};
use crate::compare::Comparison;
use crate::constants::PATTERNS;
use crate::judge::{CHAOTIC, Case, Precision, Reasons, is_sharp};
use crate::oracle::{Estimate, Shape};
use crate::running::Rounding;
use crate::verdict::{Severity, Verdict};

/// The decision on a derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ruling {
    /// The difference.
    pub value: f64,
    /// The slopes to the left and to the right, where they differ.
    pub slopes: Option<(f64, f64)>,
    pub comparison: Comparison,
}

/// Number of runs at inputs changed by rounding: so many that a term that cancels in all of them does not do so by chance.
const NEARBY: u64 = 6;
/// The steps of the second sequence relative to those of the first one.
const SECOND: f64 = 0.618;

/// Judges the cases, and fills in their formulas.
#[cold]
pub(super) fn resolve(source: &mut Source, cases: &mut [Case], p: Precision) -> Vec<Ruling> {
    for (case, x) in cases.iter_mut().zip(source.exact()) {
        case.exact = x;
    }
    let mut rulings = Resolver::rulings(source, cases, p);
    let failing = |r: &Ruling| r.comparison.status.failing();
    let open = |r: &Ruling| r.comparison.status.info().severity >= Severity::Unsure;
    // If a derivative is 0 because terms cancel, differences take the observed rounding of the function's value, which may
    // be small by chance, and neglect what is small compared with that value, which may be 0 for the same reason. So bounds
    // replace the observation.
    if rulings.iter().any(open) && source.bound_values() {
        for (k, case) in cases.iter_mut().enumerate() {
            case.small = source.small(k);
        }
        let opened: Vec<usize> = (0..cases.len()).filter(|k| open(&rulings[*k])).collect();
        let rounding = [0, 1].map(|mode| source.rounding(&opened, mode));
        let zero = |k: usize| cases[k].is_zero(&[rounding[0][k], rounding[1][k]]);
        let mut again = |source: &mut Source, wanted: &dyn Fn(usize) -> bool| {
            let wanted: Vec<usize> = (0..cases.len()).filter(|k| open(&rulings[*k]) && wanted(*k)).collect();
            if !wanted.is_empty() {
                let unknown: Vec<Case> = cases.iter().map(|case| Case { primary: None, ..*case }).collect();
                let other = Resolver::rulings(source, &unknown, p);
                wanted.into_iter().for_each(|k| rulings[k] = other[k]);
            }
        };
        // A remainder of cancelled terms has the noise of these terms, whether it is 0 or negligible.
        let nothing = |k: usize| cases[k].is_formula_nothing();
        let sane: Vec<bool> = (0..cases.len()).map(|k| source.bound_is_sane(k)).collect();
        again(source, &|k| zero(k) || (nothing(k) && sane[k]));
        source.forget_bounds();
        // Bounds may be too large: a derivative that is negligible but not identically 0 has to be resolved as before.
        again(source, &nothing);
    }
    if rulings.iter().any(failing) && source.underflows() {
        // At small steps the noise dominates, and the differences do not know it.
        cases.iter_mut().for_each(|case| case.primary = None);
        let again = source.coarsely(|source| Resolver::rulings(source, cases, p));
        for (k, (r, other)) in rulings.iter_mut().zip(again).enumerate().filter(|(_, (r, _))| failing(r)) {
            *r = other;
            if failing(r) && source.has_no_steps(k) {
                r.comparison.status = Verdict::Unsure;
            }
        }
    }
    rulings
}

/// Every number is computed once, for all cases.
struct Resolver<'a, 's, 'b> {
    source: &'a mut Source<'s, 'b>,
    cases: &'a [Case],
    p: Precision,
    sequences: Vec<(StepSequence, Vec<Shape>)>,
    branch: Option<Branch>,
    /// By case: how far its formula changed, and at how many inputs.
    conditioned: Vec<(f64, u64)>,
    constants: Option<Vec<f64>>,
    /// By mode and case; the inner `None` means that it cannot be computed.
    rounding: [Vec<Option<Option<Rounding>>>; 2],
    nearby: Vec<(StepSequence, Vec<Shape>)>,
}

impl<'a, 's, 'b> Resolver<'a, 's, 'b> {
    fn rulings(source: &'a mut Source<'s, 'b>, cases: &'a [Case], p: Precision) -> Vec<Ruling> {
        let mut r = Resolver {
            source,
            cases,
            p,
            sequences: Vec::new(),
            branch: None,
            conditioned: vec![(0.0, 0); cases.len()],
            constants: None,
            rounding: [vec![None; cases.len()], vec![None; cases.len()]],
            nearby: Vec::new(),
        };
        (0..cases.len()).map(|k| r.ruling(k)).collect()
    }

    fn ruling(&mut self, k: usize) -> Ruling {
        let case = self.cases[k];
        let ruled =
            |value: f64, status| Ruling { value, slopes: None, comparison: case.ruled(value, status) };
        let primary = case.primary;
        // An uncertain difference agrees with everything: a step sequence may be better.
        if let Some(settled) = primary.filter(is_sharp).and_then(|e| self.settled(k, &e)) {
            return settled;
        }
        if let Some(zero) = primary.and_then(|e| self.zero(k, &e)) {
            return zero;
        }
        let (shape, sequence) = self.shape(k);
        match shape {
            Shape::Smooth(e) => {
                let better = primary.filter(|p| p.bound() <= e.bound() && p.value.is_finite());
                let e = better.unwrap_or(e);
                self.settled(k, &e).unwrap_or_else(|| self.disagreement(k, &e, sequence))
            }
            Shape::Kink { left, right } => Ruling {
                value: 0.5 * left.value + 0.5 * right.value,
                slopes: Some((left.value + 0.0, right.value + 0.0)),
                comparison: case.at_kink(&left, &right, self.p),
            },
            Shape::Jump { .. } => ruled(f64::NAN, Verdict::Discontinuous),
            Shape::Edge(e) => ruled(e.map_or(f64::NAN, |e| e.value), Verdict::OutOfDomain),
            Shape::Alone => ruled(f64::NAN, Verdict::Unchecked),
            Shape::Unresolved => {
                let settled = primary.and_then(|e| self.settled(k, &e));
                settled.unwrap_or_else(|| match primary {
                    Some(e) => ruled(e.value, Verdict::Unsure),
                    None => ruled(f64::NAN, Verdict::Unsure),
                })
            }
        }
    }

    /// The shape by the step sequences of a case, and the sequence that it comes from.
    fn shape(&mut self, k: usize) -> (Shape, StepSequence) {
        let mut best = (self.run(StepSequence::LIVE, k), StepSequence::LIVE);
        // The function may vary over less than the usual steps, or only wide steps may be conclusive.
        self.at_other_scales(&mut best, StepSequence::LIVE, k);
        if let Shape::Smooth(_) = best.0 {
            // Close to a branch, few of the live steps are on the piece that the point lies on.
            if !is_sharp_shape(&best.0) && self.branch() != Branch::Here {
                self.replayed(&mut best, k);
            }
            return best;
        }
        if best.0 == Shape::Alone {
            return best;
        }
        if let Shape::Edge(e) = best.0 {
            let inside = e.filter(|_| self.source.is_bounded(k));
            return (inside.map_or(best.0, Shape::Smooth), best.1);
        }
        let branch = self.branch();
        if branch == Branch::No {
            // Near a branch, but not at it: that piece is smooth.
            self.replayed(&mut best, k);
        }
        match (best.0, branch) {
            // Cuts are not decisions of the program: the side that the value belongs to counts.
            (Shape::Jump { aside: Some(e) }, Branch::No | Branch::Cut) => (Shape::Smooth(e), best.1),
            _ => best,
        }
    }

    /// Step sequences with the decisions of the centre.
    fn replayed(&mut self, best: &mut (Shape, StepSequence), k: usize) {
        self.improve(best, StepSequence::REPLAYED, k);
        self.at_other_scales(best, StepSequence::REPLAYED, k);
    }

    /// The same sequence at the other scales, until one gives a sharp derivative.
    fn at_other_scales(&mut self, best: &mut (Shape, StepSequence), sequence: StepSequence, k: usize) {
        for other in 0..self.source.displacement(k).others.len() {
            if is_sharp_shape(&best.0) {
                return;
            }
            self.improve(best, StepSequence { other: Some(other), ..sequence }, k);
        }
    }

    /// Takes another sequence if it gives the derivative more accurately.
    fn improve(&mut self, best: &mut (Shape, StepSequence), sequence: StepSequence, k: usize) {
        let coarseness = |shape: &Shape| match shape {
            Shape::Smooth(e) => e.coarseness(),
            Shape::Kink { .. } | Shape::Jump { .. } | Shape::Edge(_) | Shape::Alone | Shape::Unresolved => {
                f64::INFINITY
            }
        };
        let shape = self.run(sequence, k);
        // At a kink only a sharp result may show that there is none.
        let decided = sequence.live && matches!(best.0, Shape::Kink { .. }) && !is_sharp_shape(&shape);
        if coarseness(&shape) < coarseness(&best.0) && !decided {
            *best = (shape, sequence);
        }
    }

    /// The ruling if derivative or formula agree with a difference.
    fn settled(&mut self, k: usize, e: &Estimate) -> Option<Ruling> {
        let (case, p) = (self.cases[k], self.p);
        let value = e.value;
        let of = |comparison| Ruling { value, slopes: None, comparison };
        let agrees = case.agrees(e, p);
        if let Some(c) = agrees.filter(|c| case.is_settled(e, c, p)) {
            return Some(of(c));
        }
        match case.formula_within(e, 0.0, p) {
            Some(seen) => Some(of(case.rounded(e, seen, p, &mut Lost { resolver: self, k }))),
            None => agrees.map(of),
        }
    }

    /// The ruling if the derivative is identically 0 as far as its formula and the usual steps show: smaller ones would
    /// show only the rounding of the terms that cancel.
    fn zero(&mut self, k: usize, e: &Estimate) -> Option<Ruling> {
        let case = self.cases[k];
        if !case.is_nothing(e) {
            return None;
        }
        let zero = case.is_zero(&self.rounding(k));
        zero.then(|| self.settled(k, e)).flatten().filter(|r| r.comparison.status == Verdict::Ok)
    }

    /// The ruling if neither does.
    fn disagreement(&mut self, k: usize, e: &Estimate, sequence: StepSequence) -> Ruling {
        let (case, p) = (self.cases[k], self.p);
        let of = |comparison| Ruling { value: e.value, slopes: None, comparison };
        if case.formula().is_some() {
            let constants = self.constants(k);
            if let Some(seen) = case.formula_within(e, constants, p) {
                return of(case.rounded(e, seen, p, &mut Lost { resolver: self, k }));
            }
        }
        if let Some(nothing) = case.vanishes(e, &mut Lost { resolver: self, k }) {
            return of(nothing);
        }
        // A function that oscillates within the steps may look the same at all of them.
        for other in 0..self.source.displacement(k).others.len() {
            if let Shape::Smooth(nearer) =
                self.run(StepSequence { other: Some(other), ..StepSequence::LIVE }, k)
                && is_sharp(&nearer)
                && let Some(settled) = self.settled(k, &nearer)
            {
                return settled;
            }
        }
        let second = match self.run(StepSequence { part: SECOND, ..sequence }, k) {
            Shape::Smooth(e) | Shape::Edge(Some(e)) | Shape::Jump { aside: Some(e) } => e,
            Shape::Kink { .. }
            | Shape::Jump { .. }
            | Shape::Edge(None)
            | Shape::Alone
            | Shape::Unresolved => {
                return of(case.ruled(e.value, Verdict::Unsure));
            }
        };
        let mut c = case.disagrees(e, &second, p);
        // relu(x) − relu(−x): the subgradients of kinks do not add up to the derivative.
        if c.status.failing() && self.branch() == Branch::Here {
            c.status = Verdict::BadKink;
        } else if c.status.failing() && self.is_chaotic(k, e, sequence) {
            c.status = Verdict::Unsure;
        }
        of(c)
    }

    /// Whether rounding of the inputs changes derivative and difference alike: then the comparison is meaningless.
    fn is_chaotic(&mut self, k: usize, e: &Estimate, sequence: StepSequence) -> bool {
        let case = self.cases[k];
        let (size, moved) = match case.formula() {
            Some(x) => (x.abs(), self.conditioned(k, (CHAOTIC * x.abs()).max(f64::MIN_POSITIVE))),
            None => (case.modulus, case.spread),
        };
        if moved == 0.0 || moved < CHAOTIC * size {
            return false;
        }
        let at = match self.nearby.iter().position(|(l, _)| *l == sequence) {
            Some(at) => at,
            None => {
                let shapes = self.source.sequence_nearby(sequence, 0);
                self.nearby.push((sequence, shapes));
                self.nearby.len() - 1
            }
        };
        match self.nearby[at].1[k] {
            Shape::Smooth(near) => (near.value - e.value).abs() >= CHAOTIC * e.value.abs(),
            Shape::Kink { .. } | Shape::Jump { .. } | Shape::Edge(_) | Shape::Alone | Shape::Unresolved => {
                true
            }
        }
    }

    fn run(&mut self, sequence: StepSequence, k: usize) -> Shape {
        let at = match self.sequences.iter().position(|(l, _)| *l == sequence) {
            Some(at) => at,
            None => {
                let (cases, p) = (self.cases, self.p);
                let shapes = self.source.sequence(sequence, |k, e| cases[k].is_known_by(e, p));
                self.sequences.push((sequence, shapes));
                self.sequences.len() - 1
            }
        };
        self.sequences[at].1[k]
    }

    fn branch(&mut self) -> Branch {
        *self.branch.get_or_insert_with(|| self.source.branch())
    }

    /// The rounding of the derivative programs of a case. For a zero derivative, the cheaper mode is enough for both.
    fn rounding(&mut self, k: usize) -> [Option<Rounding>; 2] {
        let cheaper = self.source.cheaper_mode();
        if let Some(rounding) = self.rounding_by(cheaper, k)
            && self.cases[k].is_cancelled_by(rounding)
        {
            return [Some(rounding); 2];
        }
        [0, 1].map(|mode| self.rounding_by(mode, k))
    }

    fn rounding_by(&mut self, mode: usize, k: usize) -> Option<Rounding> {
        if let Some(known) = self.rounding[mode][k] {
            return known;
        }
        let nothing = |case: &Case| case.primary.is_some_and(|e| case.is_nothing(&e));
        let alike = |case: &Case| case.is_lost(self.p) || nothing(case);
        let open = |j: &usize| *j == k || (self.rounding[mode][*j].is_none() && alike(&self.cases[*j]));
        let wanted: Vec<usize> = (0..self.cases.len()).filter(open).collect();
        let found = self.source.rounding(&wanted, mode);
        wanted.into_iter().for_each(|j| self.rounding[mode][j] = Some(found[j]));
        found[k]
    }

    /// How far the formula changes if inputs are rounded differently. The search ends beyond `enough`.
    fn conditioned(&mut self, k: usize, enough: f64) -> f64 {
        // What one case needs, others are likely to need.
        let lost = self.cases[k].is_lost(self.p);
        loop {
            let (worst, draw) = self.conditioned[k];
            if worst >= enough || draw == NEARBY {
                return worst;
            }
            let alike = |j: usize| self.conditioned[j].1 == draw && (!lost || self.cases[j].is_lost(self.p));
            let wanted: Vec<usize> = (0..self.cases.len()).filter(|j| *j == k || alike(*j)).collect();
            let others = self.source.exact_nearby(draw, &wanted);
            for j in wanted {
                let (worst, draws) = &mut self.conditioned[j];
                (*worst, *draws) = (worst.max(apart(&self.cases[j], &others[j])), draw + 1);
            }
        }
    }

    /// The effect of rounding its constants on a formula.
    fn constants(&mut self, k: usize) -> f64 {
        let constants = self.constants.get_or_insert_with(|| {
            let mut worst = vec![0.0f64; self.cases.len()];
            for pattern in 0..PATTERNS {
                let others = self.source.exact_with_other_constants(pattern);
                let each = worst.iter_mut().zip(self.cases).zip(&others);
                each.for_each(|((worst, case), other)| *worst = worst.max(apart(case, other)));
            }
            worst
        });
        4.0 * constants[k]
    }
}

fn is_sharp_shape(shape: &Shape) -> bool {
    matches!(shape, Shape::Smooth(e) if is_sharp(e))
}

/// The reasons for the rounding of one case.
struct Lost<'r, 'a, 's, 'b> {
    resolver: &'r mut Resolver<'a, 's, 'b>,
    k: usize,
}

impl Reasons for Lost<'_, '_, '_, '_> {
    fn rounding(&mut self) -> [Option<Rounding>; 2] {
        self.resolver.rounding(self.k)
    }

    fn is_lossy(&mut self) -> bool {
        let derivative = self.resolver.cases[self.k].formula().unwrap_or(0.0);
        self.resolver.source.value_is_lossy(self.k, derivative)
    }

    fn conditioned(&mut self, enough: f64) -> f64 {
        self.resolver.conditioned(self.k, enough)
    }
}

/// The distance of other values of a case's formulas from its own.
fn apart(case: &Case, others: &[Option<f64>; 2]) -> f64 {
    let pairs = case.exact.iter().zip(others).filter_map(|(x, y)| Some(((*x)?, (*y)?)));
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}
