//! The verdict on one derivative under automatic tolerances.
//!
//! Two questions are kept apart. Is the *formula* right? It is evaluated in double-double if the double-precision
//! derivative alone is not conclusive, so that the answer is as sharp as the difference: that is the resolution. And how
//! large is the *rounding* of the derivative program? A formula that loses more digits than the function itself and its
//! inputs is imprecise, or unstable. A derivative that is 0 because terms cancel has the rounding of these terms, which
//! running error analysis computes ([`crate::running`]).

use crate::compare::Comparison;
use crate::oracle::Estimate;
use crate::running::Rounding;
use crate::verdict::Verdict;

/// Rounding that every derivative is allowed, in units of its last place.
const ULPS: f64 = 8.0;
/// Allowed error by underflow, in units of the smallest number.
const UNDERFLOWS: f64 = 64.0;
/// A resolution worse than this is inconclusive.
const RESOLVED: f64 = 1e-3;
/// A resolution worse than this requires better numbers.
const SHARP: f64 = 1e-9;
/// How much rounding may exceed its first-order bound: optimised code adds in another order.
const BEYOND: f64 = 4.0;
/// The allowed error of the inputs, in units of the last place.
const INPUTS: f64 = 32.0;
/// A derivative cannot be checked if one ulp of an input changes it by more than this part.
pub(crate) const CHAOTIC: f64 = 1e-6;
/// A derivative that is this part of what counts as zero at the usual steps is not examined at smaller ones.
const NOTHING: f64 = 1e-6;
/// A derivative below this is zero, whatever the function.
const TINY: f64 = 1e-300;

/// What is known about the rounding of a derivative program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    /// 2⁻⁵² or 2⁻²³: the precision it computes in.
    pub epsilon: f64,
    /// The error that underflow may cause. Products of subnormal numbers take long: it is computed once.
    underflow: f64,
    /// A resolution that settles a comparison.
    sharp: f64,
    /// Relative errors beyond which a formula is called imprecise, and unstable.
    imprecise: f64,
    unstable: f64,
}

impl Precision {
    pub(crate) fn of(single: bool) -> Precision {
        let (epsilon, smallest) = match single {
            false => (f64::EPSILON, f64::from_bits(1)),
            true => (f32::EPSILON as f64, f32::from_bits(1) as f64),
        };
        let (imprecise, unstable) = if single { (1e-3, 1e-1) } else { (1e-9, 1e-6) };
        Precision {
            epsilon,
            underflow: UNDERFLOWS * smallest,
            sharp: SHARP * epsilon / f64::EPSILON,
            imprecise,
            unstable,
        }
    }

    /// The rounding that is allowed for a derivative of this magnitude.
    pub(crate) fn rounding(&self, magnitude: f64) -> f64 {
        ULPS * self.epsilon * magnitude + self.underflow()
    }

    /// The verdict on a right formula whose rounding exceeds what is allowed.
    pub(crate) fn loses(&self, error: f64, magnitude: f64) -> Verdict {
        if error <= self.unstable * magnitude.abs() { Verdict::Imprecise } else { Verdict::Unstable }
    }

    /// The error that underflow may cause.
    pub(crate) fn underflow(&self) -> f64 {
        self.underflow
    }
}

/// A derivative to be judged: an entry of a Jacobian, or of J·u.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Case {
    /// By VJP and by JVP.
    pub derivatives: [Option<f64>; 2],
    /// The values of their formulas in double-double, where known.
    pub exact: [Option<f64>; 2],
    /// The difference at the primary steps, if there is one.
    pub primary: Option<Estimate>,
    /// The magnitude that rounding is relative to: that of the complex number that the derivative is a part of.
    pub modulus: f64,
    /// How far the derivatives change if inputs are changed by rounding.
    pub spread: f64,
    /// Below this a derivative counts as zero: it is negligible compared with the function's value divided by the input's scale.
    pub small: f64,
}

impl Case {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.derivatives.into_iter().flatten()
    }

    /// The largest distance of the derivatives from a number.
    fn furthest(&self, from: f64) -> f64 {
        let [a, b] = self.derivatives.map(|g| g.map_or(0.0, |g| (g - from).abs()));
        0f64.max(a).max(b)
    }

    /// Whether a derivative is NaN or infinite.
    pub(crate) fn is_broken(&self) -> bool {
        self.values().any(|g| !g.is_finite())
    }

    /// A value of the formula.
    pub(crate) fn formula(&self) -> Option<f64> {
        self.exact.into_iter().flatten().next()
    }

    /// The comparison with a difference if they agree within the rounding of a number of this size, or else of the complex
    /// number that it is a part of, or else within the effect of rounding the inputs.
    pub(crate) fn agrees(&self, e: &Estimate, p: Precision) -> Option<Comparison> {
        let all = p.rounding(self.modulus.max(e.value.abs()));
        let allowances = [p.rounding(e.value.abs()), all, all.max(10.0 * self.spread)];
        // If the formula is known to be wrong, rounding of the inputs is no excuse.
        let count = if self.formula().is_some() { 2 } else { 3 };
        let within = allowances[..count].iter().map(|a| e.bound() + a);
        let worst = self.furthest(e.value);
        let tol = within.into_iter().find(|tol| worst <= *tol)?;
        Some(self.comparison(e, tol, tol))
    }

    /// Whether such a comparison is conclusive.
    pub(crate) fn is_settled(&self, e: &Estimate, c: &Comparison, p: Precision) -> bool {
        // A derivative that is zero only by the size of its tolerance may be nonzero at better steps.
        let resolved = c.resolution > 0.0 || (e.value == 0.0 && self.furthest(0.0) == 0.0);
        c.status == Verdict::Ok && c.resolution <= p.sharp && resolved
    }

    /// Whether no smaller steps are needed: the difference is sharp, and derivative or formula agree with it.
    pub(crate) fn is_known_by(&self, e: &Estimate, p: Precision) -> bool {
        let agrees = || self.agrees(e, p).is_some_and(|c| self.is_settled(e, &c, p));
        is_sharp(e) && (agrees() || self.formula_within(e, 0.0, p).is_some())
    }

    /// The largest distance of a formula from a difference, as a tolerance: within the rounding of the result and of the
    /// constants, which amounts to at most `constants`. `None` if they disagree, or are unknown.
    pub(crate) fn formula_within(&self, e: &Estimate, constants: f64, p: Precision) -> Option<f64> {
        self.formula()?;
        let all = p.rounding(self.modulus.max(e.value.abs()));
        let within = [p.rounding(e.value.abs()), all, all + constants];
        let far = self.exact.into_iter().flatten().map(|x| (x - e.value).abs()).fold(0.0, f64::max);
        within.into_iter().map(|a| e.bound() + a).find(|tol| far <= *tol)
    }

    /// The largest distance of a derivative from its formula, and the distance that rounding of a few units in the last
    /// place allows.
    fn lost(&self, formula: f64, p: Precision) -> (f64, f64) {
        let size = formula.abs();
        (self.furthest(formula), p.rounding(self.modulus.max(size)).max(p.imprecise * size))
    }

    /// Whether a derivative is further from its formula than rounding of a few units in the last place.
    pub(crate) fn is_lost(&self, p: Precision) -> bool {
        self.formula().is_some_and(|formula| {
            let (error, allowed) = self.lost(formula, p);
            error > allowed
        })
    }

    /// The verdict on a derivative whose formula agrees with a difference within `seen`, by the size of its rounding.
    /// Reasons are only computed if that is more than a few units in the last place.
    pub(crate) fn rounded(
        &self,
        e: &Estimate,
        seen: f64,
        p: Precision,
        reasons: &mut impl Reasons,
    ) -> Comparison {
        let exact = self.formula().unwrap_or(e.value);
        let size = exact.abs();
        let (error, mut allowed) = self.lost(exact, p);
        let mut chaotic = false;
        if error > allowed {
            if size <= self.small {
                let rounding = reasons.rounding();
                if self.is_zero(&rounding) {
                    return self.cancelled(e, seen, &rounding, p);
                }
            }
            if error <= NOTHING * self.small && error <= BEYOND * inherited(&reasons.rounding()) {
                // The formula is right, and the derivative is negligible compared with the function's other terms: the function
                // computes it no better.
                let c = self.comparison(e, seen + NOTHING * self.small, seen);
                return Comparison { status: Verdict::Ok, resolution: 0.0, ..c };
            }
            // Rounding that a formula cannot avoid: that of the inputs, which is quickly known, and that of the operations
            // of the function, if its value loses digits.
            let mut excuse = INPUTS * reasons.conditioned(error / INPUTS);
            if error > excuse && reasons.is_lossy() {
                excuse += BEYOND * inherited(&reasons.rounding());
            }
            allowed = allowed.max(excuse);
            let change = CHAOTIC * size;
            chaotic = error > p.unstable * size && reasons.conditioned(change) >= change;
        }
        let mut c = self.comparison(e, seen + allowed, seen);
        if chaotic {
            c.status = Verdict::Unsure;
        } else if c.abs_err > c.tol {
            c.status = p.loses(error, size);
        }
        c
    }

    /// Whether every formula is 0 within the rounding of its double-double evaluation, and small compared with the function's
    /// value. The bounds of a chaotic program are too large to mean anything.
    pub(crate) fn is_zero(&self, rounding: &[Option<Rounding>; 2]) -> bool {
        let known = self.exact.iter().zip(rounding).all(|(x, r)| x.is_none() || r.is_some());
        let mut formulas =
            self.exact.iter().zip(rounding).filter_map(|(x, r)| Some((x.as_ref()?, r.as_ref()?)));
        known && self.formula().is_some() && formulas.all(|(x, r)| x.abs() <= r.of_pair().min(self.small))
    }

    /// Whether it is 0, and every derivative no more than what is left of the terms that cancel, if this is the rounding by
    /// every mode. A bound that has grown in a long run may be that of one mode only.
    pub(crate) fn is_cancelled_by(&self, rounding: Rounding) -> bool {
        is_sane(rounding.total(), rounding.beside)
            && self.is_zero(&[Some(rounding); 2])
            && self.furthest(0.0) <= BEYOND * rounding.total()
    }

    /// The verdict where a difference is 0, whatever the formulas are, and every derivative is within the rounding of its
    /// program, and negligible compared with the numbers that the program computes; `None` otherwise. A decision at its threshold
    /// may turn rounding into a derivative that no formula has.
    pub(crate) fn vanishes(&self, e: &Estimate, reasons: &mut impl Reasons) -> Option<Comparison> {
        let left = self.furthest(0.0);
        if e.value.abs() > e.bound() || e.bound() > NOTHING * left {
            return None;
        }
        let rounding = reasons.rounding();
        let within = |(g, r): (&Option<f64>, &Option<Rounding>)| match (g, r) {
            (Some(g), Some(r)) => g.abs() <= (BEYOND * r.total()).min(NOTHING * r.beside),
            (g, None) => g.is_none(),
            (None, Some(_)) => true,
        };
        let c = self.comparison(e, e.bound() + left, e.bound());
        let ok = Comparison { status: Verdict::Ok, resolution: 0.0, ..c };
        self.derivatives.iter().zip(&rounding).all(within).then_some(ok)
    }

    /// Whether a difference and every formula are far below what counts as zero.
    pub(crate) fn is_nothing(&self, e: &Estimate) -> bool {
        self.is_formula_nothing() && e.value.abs() + e.bound() <= NOTHING * self.small
    }

    /// Whether every formula is far below what counts as zero.
    pub(crate) fn is_formula_nothing(&self) -> bool {
        let formulas = self.exact.iter().flatten().all(|x| x.abs() <= NOTHING * self.small);
        self.formula().is_some() && formulas
    }

    /// The verdict on a derivative that is 0 because terms cancel: each value may be what is left of them.
    fn cancelled(
        &self,
        e: &Estimate,
        seen: f64,
        rounding: &[Option<Rounding>; 2],
        p: Precision,
    ) -> Comparison {
        let left = rounding.iter().flatten().map(|r| r.total()).fold(0.0, f64::max);
        let tol = seen + BEYOND * left + p.underflow();
        let mut c = self.comparison(e, tol, seen);
        c.status = if c.abs_err <= tol { Verdict::Ok } else { Verdict::Unstable };
        c.resolution = if c.status == Verdict::Ok { 0.0 } else { c.resolution };
        c
    }

    /// The verdict on a derivative that disagrees with a difference. `second` is another difference, at other steps. `None`
    /// if the two differences disagree.
    pub(crate) fn disagrees(&self, e: &Estimate, second: &Estimate, p: Precision) -> Comparison {
        let least = p.rounding(self.modulus.max(e.value.abs()));
        let allowed = if self.formula().is_some() { least } else { least.max(10.0 * self.spread) };
        let mut c = self.comparison(e, e.bound() + allowed, e.bound() + allowed);
        let apart = 2.0 * (e.value - second.value).abs();
        let tol = c.tol.max(second.bound() + allowed) + apart;
        let confirmed = self.values().any(|g| (g - e.value).abs() > tol && (g - second.value).abs() > tol);
        if c.status.failing() && !confirmed {
            c.status = Verdict::Unsure;
        }
        c
    }

    /// Numbers and verdict for a tolerance and a resolution of `seen`.
    fn comparison(&self, e: &Estimate, tol: f64, seen: f64) -> Comparison {
        let abs_err = self.furthest(e.value);
        let ratio = if abs_err == 0.0 { 0.0 } else { abs_err / tol };
        let size = e.value.abs();
        // A function that does not change at all does not depend on the input.
        let still = e.value == 0.0 && e.spread == 0.0 && abs_err == 0.0;
        let zero = size <= seen && (still || seen <= self.small.max(SHARP * e.steepest));
        let resolution = if zero { 0.0 } else { seen / size.max(abs_err) };
        let agree = self.values().filter(|g| (g - e.value).abs() <= tol).count();
        let status = if agree < self.values().count() {
            if agree == 0 { Verdict::Wrong } else { Verdict::Inconsistent }
        } else if zero || resolution <= RESOLVED {
            Verdict::Ok
        } else {
            Verdict::Unsure
        };
        Comparison { abs_err, tol, ratio, status, testable: true, est: e.error(), resolution }
    }

    /// The verdict where the one-sided slopes differ: the error is the distance of the derivatives from the interval
    /// between them.
    pub(crate) fn at_kink(&self, left: &Estimate, right: &Estimate, p: Precision) -> Comparison {
        let (low, high) = (left.value.min(right.value), left.value.max(right.value));
        let tol = left.bound() + right.bound() + p.rounding(high.abs().max(low.abs()));
        let outside = |g: f64| (low - g).max(g - high).max(0.0);
        let abs_err = self.values().map(outside).fold(0.0, f64::max);
        let ratio = if abs_err == 0.0 { 0.0 } else { abs_err / tol };
        let status = if abs_err <= tol { Verdict::Kink } else { Verdict::BadKink };
        let est = left.error() + right.error();
        Comparison { abs_err, tol, ratio, status, testable: true, est, resolution: f64::NAN }
    }

    /// A comparison whose verdict is not decided by numbers.
    pub(crate) fn ruled(&self, value: f64, status: Verdict) -> Comparison {
        let ratio = match status {
            Verdict::NonFinite => f64::INFINITY,
            _ => f64::NAN,
        };
        let nan = f64::NAN;
        let known = !value.is_nan() && !self.is_broken();
        let abs_err = if known { self.furthest(value) } else { nan };
        Comparison { abs_err, tol: nan, ratio, status, testable: true, est: nan, resolution: nan }
    }
}

/// Reasons for the rounding of a derivative, computed when asked for.
pub(crate) trait Reasons {
    /// The rounding of the programs, by VJP and by JVP.
    fn rounding(&mut self) -> [Option<Rounding>; 2];
    /// Whether the function's value loses digits by itself.
    fn is_lossy(&mut self) -> bool;
    /// How far the formula changes if inputs are rounded differently. The search ends beyond `enough`.
    fn conditioned(&mut self, enough: f64) -> f64;
}

/// The rounding of the operations of the function, unless the formula loses as much by itself.
fn inherited(rounding: &[Option<Rounding>; 2]) -> f64 {
    let inherited = rounding.iter().flatten().filter(|r| r.inherited > r.own);
    inherited.map(|r| r.inherited).fold(0.0, f64::max)
}

/// Whether a difference resolves its value well, or is exactly zero.
pub(crate) fn is_sharp(e: &Estimate) -> bool {
    e.bound() <= SHARP * e.value.abs()
}

/// Whether a bound, compared with the numbers `beside`, is small enough to mean something: in a long run it may grow
/// without limit.
pub(crate) fn is_sane(bound: f64, beside: f64) -> bool {
    bound <= SHARP * beside
}

/// Whether a difference is accurate enough to contradict a derivative at an extreme or special point.
pub(crate) fn is_known(value: f64, error: f64) -> bool {
    error <= RESOLVED * value.abs() || error <= SHARP
}

/// Below this a derivative counts as zero. `size` is the magnitude of the terms of the function's value, `scale` that of
/// the input.
pub(crate) fn small(size: f64, scale: f64) -> f64 {
    (SHARP * size / scale).max(TINY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, spread: f64) -> Estimate {
        Estimate { value, spread, noise: 0.0, steepest: 0.0 }
    }

    fn case(vjp: f64, jvp: f64) -> Case {
        Case { derivatives: [Some(vjp), Some(jvp)], modulus: vjp.abs(), small: 1e-12, ..Case::default() }
    }

    /// Reasons that are known.
    #[derive(Clone, Copy, Debug, Default)]
    struct Explained {
        rounding: [Option<Rounding>; 2],
        lossy: bool,
        conditioned: f64,
    }

    impl Reasons for Explained {
        fn rounding(&mut self) -> [Option<Rounding>; 2] {
            self.rounding
        }

        fn is_lossy(&mut self) -> bool {
            self.lossy
        }

        fn conditioned(&mut self, _: f64) -> f64 {
            self.conditioned
        }
    }

    const P: fn() -> Precision = || Precision::of(false);

    #[test]
    fn derivatives_that_agree() {
        let e = estimate(2.0, 1e-16);
        let c = case(2.0, 2.0).agrees(&e, P()).expect("they are the same");
        assert!(c.status == Verdict::Ok && c.est == 1e-16, "{c:?}");
        assert!((c.resolution - 2.28e-15).abs() < 1e-17 && case(2.0, 2.0).is_settled(&e, &c, P()), "{c:?}");
        assert!(case(2.0 + 2e-14, 2.0).agrees(&e, P()).is_none());
        let vague = case(2.0, 2.0).agrees(&estimate(2.0, 1e-3), P()).expect("anything does");
        assert_eq!(vague.status, Verdict::Unsure);
        // A small part of a large complex number is allowed the rounding of that number.
        let part = Case { modulus: 1e6, ..case(2.0 + 1e-10, 2.0) };
        let c = part.agrees(&e, P()).expect("by the modulus");
        assert!(c.resolution > 5e-10 && c.resolution < 1e-9, "{c:?}");
    }

    #[test]
    fn zeros() {
        let zero = case(0.0, 0.0);
        let settled =
            |zero: &Case, e: &Estimate| zero.is_settled(e, &zero.agrees(e, P()).expect("small"), P());
        assert!(settled(&zero, &estimate(0.0, 1e-20)));
        // The derivative is small compared with the function, but may be nonzero.
        assert!(!settled(&zero, &estimate(1e-20, 1e-20)));
        assert_eq!(zero.agrees(&estimate(1e-20, 1e-20), P()).expect("small").status, Verdict::Ok);
    }

    #[test]
    fn derivatives_that_do_not() {
        let (e, other) = (estimate(2.0, 1e-16), estimate(2.0, 1e-15));
        let of = |c: Case| c.disagrees(&e, &other, P()).status;
        assert_eq!(of(case(2.1, 2.1)), Verdict::Wrong);
        assert_eq!(of(case(2.0, 2.1)), Verdict::Inconsistent);
        assert_eq!(case(2.1, 2.1).disagrees(&e, &estimate(2.1, 0.0), P()).status, Verdict::Unsure);
    }

    #[test]
    fn kinks() {
        let (left, right) = (estimate(1.0, 1e-16), estimate(-1.0, 1e-16));
        let of = |g: f64| case(g, 0.0).at_kink(&left, &right, P());
        assert_eq!((of(0.5).status, of(0.5).abs_err, of(0.5).ratio), (Verdict::Kink, 0.0, 0.0));
        let c = of(1.5);
        assert!(c.status == Verdict::BadKink && c.abs_err == 0.5 && c.tol < 1e-14 && c.ratio > 1.0, "{c:?}");
    }

    #[test]
    fn rounding() {
        let e = estimate(1.0, 1e-17);
        let of = |g: f64, excuse: f64| {
            let c = Case { exact: [Some(1.0), None], ..case(g, g) };
            let seen = c.formula_within(&e, 0.0, P()).expect("the formula is right");
            let rounding = Rounding { inherited: excuse, ..Rounding::default() };
            let mut why = Explained { rounding: [Some(rounding), None], lossy: true, conditioned: 0.0 };
            let c = c.rounded(&e, seen, P(), &mut why);
            assert_eq!(c.ratio <= 1.0, c.status == Verdict::Ok);
            assert!(c.resolution < 1e-14, "{c:?}");
            c.status
        };
        assert_eq!(of(1.0 + 1e-12, 0.0), Verdict::Ok);
        assert_eq!(of(1.0 + 1e-8, 0.0), Verdict::Imprecise);
        assert_eq!(of(1.0 + 1e-3, 0.0), Verdict::Unstable);
        assert_eq!(of(1.0 + 1e-3, 1e-2), Verdict::Ok);
        // A derivative that should be 0 is compared with the rounding of the terms that cancel.
        let zero = |g: f64, own: f64| {
            let c = Case { exact: [Some(1e-32), None], ..case(g, g) };
            let rounding = [Some(Rounding { own, ..Rounding::default() }), None];
            let mut why = Explained { rounding, ..Explained::default() };
            c.rounded(&estimate(0.0, 1e-30), 1e-30, P(), &mut why).status
        };
        assert_eq!(zero(3e-16, 1e-16), Verdict::Ok);
        assert_eq!(zero(3e-14, 1e-16), Verdict::Unstable);
        assert_eq!(zero(3e-16, 1e-19), Verdict::Unstable, "it is not 0 within what pairs know");
        // The formula's own loss is no excuse, the function's is. If inputs change the derivative, the verdict stays open.
        let why = |own: f64, inherited: f64, conditioned: f64| Explained {
            rounding: [Some(Rounding { own, inherited, ..Rounding::default() }), None],
            lossy: true,
            conditioned,
        };
        let c = Case { exact: [Some(1.0), None], ..case(1.0 + 1e-3, 1.0 + 1e-3) };
        let of = |mut w: Explained| c.rounded(&e, 1e-16, P(), &mut w).status;
        assert_eq!(of(why(1e-2, 1e-3, 0.0)), Verdict::Unstable);
        assert_eq!(of(why(1e-4, 1e-3, 0.0)), Verdict::Ok);
        assert_eq!(of(why(0.0, 0.0, 1e-4)), Verdict::Unsure);
        assert_eq!(of(Explained { lossy: false, ..why(1e-4, 1e-3, 0.0) }), Verdict::Unstable);
        // Negligible beside the function's value: the function computes it no better.
        let nothing = |small: f64, own: f64| {
            let c = Case { small, ..c };
            c.rounded(&e, 1e-16, P(), &mut Explained { lossy: false, ..why(own, 1e-3, 0.0) }).status
        };
        assert_eq!(nothing(1e9, 1e-4), Verdict::Ok);
        assert_eq!(nothing(1e9, 1e-2), Verdict::Unstable, "the formula loses more than the function");
        assert_eq!(nothing(1.0, 1e-4), Verdict::Unstable);
        // A difference of 0, with formulas that are not 0 but negligible.
        let vanishes = |own: f64, beside: f64, value: f64| {
            let rounding = [Some(Rounding { own, beside, ..Rounding::default() }); 2];
            let mut why = Explained { rounding, ..Explained::default() };
            case(1e-20, 1e-20).vanishes(&estimate(value, 1e-50), &mut why).map(|c| c.status)
        };
        assert_eq!(vanishes(1e-20, 1.0, 0.0), Some(Verdict::Ok));
        assert_eq!(vanishes(1e-22, 1.0, 0.0), None, "more than rounding");
        assert_eq!(vanishes(1e-20, 1.0, 1e-21), None, "the difference is something");
        assert_eq!(vanishes(1e-20, 1e-16, 0.0), None, "something beside what the program computes");
        let off = Case { exact: [Some(1.0), Some(1.0 + 1e-10)], ..case(1.0, 1.0) };
        assert_eq!(off.formula_within(&e, 0.0, P()), None);
        assert!(off.formula_within(&e, 2e-10, P()).is_some(), "rounded constants");
    }
}
