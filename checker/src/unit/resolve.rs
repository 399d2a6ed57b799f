//! What becomes of derivatives that the primary differences do not settle: formulas in double-double, ladders of steps,
//! a second ladder before anything is called wrong.

use crate::compare::Comparison;
use crate::judge::{Case, Precision, is_sharp};
use crate::oracle::{Estimate, Shape};
use crate::verdict::Verdict;

/// The steps of a ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ladder {
    /// Decisions are those at the displaced point, else those of the centre.
    pub live: bool,
    /// Relative to the input's own magnitude, however small, else to the scale it is taken to have.
    pub own: bool,
    /// The steps are this part of the usual ones.
    pub part: f64,
}

impl Ladder {
    pub(super) const LIVE: Ladder = Ladder { live: true, own: false, part: 1.0 };
    const REPLAYED: Ladder = Ladder { live: false, ..Ladder::LIVE };
    /// Its widest step, as a part of the scale.
    const WIDEST: f64 = 0.125;

    /// The two steps of a pair of rungs, as parts of the scale.
    pub(super) fn steps(&self, pair: i32) -> [f64; 2] {
        let h = self.part * Ladder::WIDEST * 16f64.powi(-pair);
        [h, h / 4.0]
    }

    /// With live decisions steps go down to 2⁻⁴⁹ of the scale: smaller ones would not move the double-precision program, which
    /// decides. With those of the centre, down to 2⁻⁹³.
    pub(super) fn pairs(&self) -> i32 {
        if self.live { 12 } else { 23 }
    }
}

/// Whether decisions stand exactly where they change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Branch {
    No,
    /// Only those that a signed zero takes, on a branch cut: the value belongs to one side.
    Cut,
    Here,
}

/// Noise of the function's value over the input's scale.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Noise {
    /// Beyond rounding of the value.
    pub excess: f64,
    /// With rounding of the value, and of the others of its array.
    pub all: f64,
}

impl Noise {
    /// The greater of both.
    pub(super) fn raise(&mut self, other: Noise) {
        (self.excess, self.all) = (self.excess.max(other.excess), self.all.max(other.all));
    }
}

/// Where numbers about some derivatives at one point come from.
pub(super) trait Source {
    /// The formulas in double-double, by case; with a `turn`, at inputs changed by rounding.
    fn exact(&mut self, turn: Option<u64>) -> Vec<[Option<f64>; 2]>;
    /// The same with constants changed by rounding.
    fn exact_with_other_constants(&mut self) -> Vec<[Option<f64>; 2]>;
    /// What a ladder says, by case.
    fn ladder(&mut self, ladder: Ladder) -> Vec<Shape>;
    /// Whether the inputs that a case moves are much smaller than their scale.
    fn has_own_scale(&self, case: usize) -> bool;
    /// Whether an input that a case moves is so near 0 that there are no smaller steps.
    fn has_no_steps(&self, case: usize) -> bool;
    /// Whether the inputs that a case moves have declared domains.
    fn is_bounded(&self, case: usize) -> bool;
    fn noise(&mut self) -> Vec<Noise>;
    fn branch(&mut self) -> Branch;
    /// Whether the run meets numbers whose double-doubles lose digits.
    fn underflows(&mut self) -> bool;
    /// Whether the differences are taken to be no better than doubles.
    fn coarsen(&mut self, coarse: bool);
}

/// What became of a derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ruling {
    /// The difference.
    pub value: f64,
    /// The slopes to the left and to the right, where they differ.
    pub slopes: Option<(f64, f64)>,
    pub comparison: Comparison,
}

/// Turns at inputs changed by rounding: so many that what cancels in all of them does not do so by chance.
const TURNS: u64 = 6;
/// The second ladder's steps are these parts of the first one's.
const SECOND: f64 = 0.618;
/// A value in double-double below this part of the function's value over the input's scale may be nothing but rounding.
const NOTHING: f64 = 1e-20;
/// And it is if rounding of the inputs changes this part of it,
const MEANINGLESS: f64 = 1e-6;
/// or below this.
const NOTHING_AT_ALL: f64 = 1e-28;

/// Judges the cases, and fills in their formulas.
#[cold]
pub(super) fn resolve(source: &mut impl Source, cases: &mut [Case], p: Precision) -> Vec<Ruling> {
    for (case, x) in cases.iter_mut().zip(source.exact(None)) {
        case.exact = x;
    }
    let mut rulings = Resolver::rulings(source, cases, p);
    let failing = |r: &Ruling| r.comparison.status.failing();
    if rulings.iter().any(failing) && source.underflows() {
        // Small steps drown in that, and the differences do not know it.
        cases.iter_mut().for_each(|case| case.primary = None);
        source.coarsen(true);
        let again = Resolver::rulings(source, cases, p);
        source.coarsen(false);
        for (k, (r, other)) in rulings.iter_mut().zip(again).enumerate().filter(|(_, (r, _))| failing(r)) {
            *r = other;
            if failing(r) && source.has_no_steps(k) {
                r.comparison.status = Verdict::Unsure;
            }
        }
    }
    rulings
}

/// Everything that is asked for is asked for once, for all cases.
struct Resolver<'a, S: Source> {
    source: &'a mut S,
    cases: &'a [Case],
    p: Precision,
    ladders: Vec<(Ladder, Vec<Shape>)>,
    branch: Option<Branch>,
    conditioned: Option<Vec<f64>>,
    constants: Option<Vec<f64>>,
    noise: Option<Vec<Noise>>,
}

impl<'a, S: Source> Resolver<'a, S> {
    fn rulings(source: &'a mut S, cases: &'a [Case], p: Precision) -> Vec<Ruling> {
        let (ladders, branch, conditioned, constants, noise) = (Vec::new(), None, None, None, None);
        let mut r = Resolver { source, cases, p, ladders, branch, conditioned, constants, noise };
        (0..cases.len()).map(|k| r.ruling(k)).collect()
    }

    fn ruling(&mut self, k: usize) -> Ruling {
        let case = self.cases[k];
        let ruled =
            |value: f64, status| Ruling { value, slopes: None, comparison: case.ruled(value, status) };
        let primary = case.primary;
        // A vague difference agrees with everything: a ladder may know better.
        if let Some(settled) = primary.filter(is_sharp).and_then(|e| self.settled(k, &e)) {
            return settled;
        }
        let (shape, ladder) = self.shape(k);
        match shape {
            Shape::Smooth(e) => {
                let better = primary.filter(|p| p.bound() <= e.bound() && p.value.is_finite());
                let e = better.unwrap_or(e);
                self.settled(k, &e).unwrap_or_else(|| self.disagreement(k, &e, ladder))
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

    /// What the ladders say about a case, and the one that does.
    fn shape(&mut self, k: usize) -> (Shape, Ladder) {
        let mut best = (self.run(Ladder::LIVE, k), Ladder::LIVE);
        if !is_sharp_shape(&best.0) && self.source.has_own_scale(k) {
            self.improve(&mut best, Ladder { own: true, ..Ladder::LIVE }, k);
        }
        if let Shape::Smooth(_) = best.0 {
            // Close to a branch, few of the live steps see the piece that the point lies on.
            if !is_sharp_shape(&best.0) && self.branch() != Branch::Here {
                self.improve(&mut best, Ladder::REPLAYED, k);
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
            self.improve(&mut best, Ladder::REPLAYED, k);
        }
        match (best.0, branch) {
            // Cuts are no decisions of the program's: what counts is the side that the value belongs to.
            (Shape::Jump { aside: Some(e) }, Branch::No | Branch::Cut) => (Shape::Smooth(e), best.1),
            _ => best,
        }
    }

    /// Takes another ladder if it knows the derivative better.
    fn improve(&mut self, best: &mut (Shape, Ladder), ladder: Ladder, k: usize) {
        let coarseness = |shape: &Shape| match shape {
            Shape::Smooth(e) => e.bound(),
            Shape::Kink { .. } | Shape::Jump { .. } | Shape::Edge(_) | Shape::Alone | Shape::Unresolved => {
                f64::INFINITY
            }
        };
        let shape = self.run(ladder, k);
        if coarseness(&shape) < coarseness(&best.0) {
            *best = (shape, ladder);
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
            Some(seen) => Some(of(case.rounded(e, seen, p, || self.excuse(k)))),
            None => agrees.map(of),
        }
    }

    /// The ruling where neither does.
    fn disagreement(&mut self, k: usize, e: &Estimate, ladder: Ladder) -> Ruling {
        let (case, p) = (self.cases[k], self.p);
        let of = |comparison| Ruling { value: e.value, slopes: None, comparison };
        if case.formula().is_some() {
            let constants = self.constants(k);
            if let Some(seen) = case.formula_within(e, constants, p) {
                return of(case.rounded(e, seen, p, || self.excuse(k)));
            }
        }
        let second = match self.run(Ladder { part: SECOND, ..ladder }, k) {
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
        }
        of(c)
    }

    fn run(&mut self, ladder: Ladder, k: usize) -> Shape {
        let at = match self.ladders.iter().position(|(l, _)| *l == ladder) {
            Some(at) => at,
            None => {
                let shapes = self.source.ladder(ladder);
                self.ladders.push((ladder, shapes));
                self.ladders.len() - 1
            }
        };
        self.ladders[at].1[k]
    }

    fn branch(&mut self) -> Branch {
        *self.branch.get_or_insert_with(|| self.source.branch())
    }

    /// What rounding of the inputs, or noise of the function's value, amounts to: no derivative has to be better.
    fn excuse(&mut self, k: usize) -> f64 {
        let conditioned = self.conditioned.get_or_insert_with(|| {
            let mut worst = vec![0.0; self.cases.len()];
            for turn in 0..TURNS {
                apart(&mut worst, self.cases, &self.source.exact(Some(turn)));
            }
            worst
        });
        let noise = self.noise.get_or_insert_with(|| self.source.noise())[k];
        let (case, conditioned) = (self.cases[k], conditioned[k]);
        let exact = case.formula().map_or(0.0, f64::abs);
        // Terms that cancel to nothing leave rounding of themselves.
        let size = noise.all / self.p.epsilon;
        let meaningless = conditioned >= MEANINGLESS * exact;
        let nothing = exact <= NOTHING_AT_ALL * size || (exact <= NOTHING * size && meaningless);
        let noise = if nothing { noise.all } else { noise.excess };
        32.0 * conditioned + 16.0 * noise
    }

    /// What rounding of its constants amounts to in a formula.
    fn constants(&mut self, k: usize) -> f64 {
        let constants = self.constants.get_or_insert_with(|| {
            let mut worst = vec![0.0; self.cases.len()];
            apart(&mut worst, self.cases, &self.source.exact_with_other_constants());
            worst
        });
        4.0 * constants[k]
    }
}

fn is_sharp_shape(shape: &Shape) -> bool {
    matches!(shape, Shape::Smooth(e) if is_sharp(e))
}

/// Raises `worst` to how far other values of the formulas are from those of the cases.
fn apart(worst: &mut [f64], cases: &[Case], others: &[[Option<f64>; 2]]) {
    for ((worst, case), other) in worst.iter_mut().zip(cases).zip(others) {
        for pair in case.exact.iter().zip(other) {
            if let (Some(x), Some(y)) = pair {
                *worst = worst.max((x - y).abs());
            }
        }
    }
}
