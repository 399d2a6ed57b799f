//! The verdict on one entry under automatic tolerances (CHECKER B §2.2).

use crate::compare::Comparison;
use crate::oracle::Estimate;
use crate::verdict::Verdict;

/// Rounding that every derivative is allowed, in units of its last place.
pub(crate) const ULPS: f64 = 8.0;
/// A resolution worse than this says nothing.
const RESOLVED: f64 = 1e-3;
/// A resolution worse than this calls for better numbers.
pub(crate) const SHARP: f64 = 1e-9;

/// What is known about the rounding of a derivative program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    /// 2⁻⁵² or 2⁻²³: the precision it computes in.
    pub epsilon: f64,
    /// Relative errors beyond which a formula is called imprecise, and unstable.
    pub imprecise: f64,
    pub unstable: f64,
}

impl Precision {
    pub(crate) fn of(single: bool) -> Precision {
        match single {
            false => Precision { epsilon: f64::EPSILON, imprecise: 1e-9, unstable: 1e-6 },
            true => Precision { epsilon: f32::EPSILON as f64, imprecise: 1e-3, unstable: 1e-1 },
        }
    }
}

/// Compares derivatives of one entry (by several modes) with the difference. `rounding` is what their rounding errors may
/// amount to; `small` below which a derivative counts as zero for the resolution.
pub(crate) fn compare(derivatives: &[f64], e: &Estimate, rounding: f64, small: f64) -> Comparison {
    let tol = e.bound() + rounding;
    let worst = derivatives.iter().map(|g| (g - e.value).abs()).fold(0.0, f64::max);
    let ratio = if worst == 0.0 { 0.0 } else { worst / tol };
    let size = e.value.abs();
    let zero = size <= tol && tol <= small;
    let resolution = if zero { 0.0 } else { tol / size.max(worst) };
    let status = if !(worst <= tol) {
        disagreement(derivatives, e, tol)
    } else if zero || resolution <= RESOLVED {
        Verdict::Ok
    } else {
        Verdict::Unsure
    };
    Comparison { abs_err: worst, tol, ratio, status, testable: true, est: e.error(), resolution }
}

/// Derivatives that disagree with a difference: all of them, or one of two.
fn disagreement(derivatives: &[f64], e: &Estimate, tol: f64) -> Verdict {
    let agree = derivatives.iter().filter(|g| (*g - e.value).abs() <= tol).count();
    if agree == 0 { Verdict::Wrong } else { Verdict::Inconsistent }
}

/// Derivatives where the one-sided slopes differ: the error is how far they lie outside of them.
pub(crate) fn at_kink(
    derivatives: &[f64],
    (left, right): (&Estimate, &Estimate),
    p: Precision,
) -> Comparison {
    let (low, high) = (left.value.min(right.value), left.value.max(right.value));
    let tol = left.bound() + right.bound() + ULPS * p.epsilon * high.abs().max(low.abs());
    let outside = |g: &f64| (low - g).max(g - high).max(0.0);
    let abs_err = derivatives.iter().map(outside).fold(0.0, f64::max);
    let ratio = if abs_err == 0.0 { 0.0 } else { abs_err / tol };
    let status = if abs_err <= tol { Verdict::Kink } else { Verdict::BadKink };
    let est = left.error() + right.error();
    Comparison { abs_err, tol, ratio, status, testable: true, est, resolution: f64::NAN }
}

/// A comparison that came to something else than numbers say.
pub(crate) fn ruled(derivatives: &[f64], value: f64, status: Verdict) -> Comparison {
    let worst = match value.is_nan() {
        true => f64::NAN,
        false => derivatives.iter().map(|g| (g - value).abs()).fold(0.0, f64::max),
    };
    let ratio = match status {
        Verdict::NonFinite => f64::INFINITY,
        _ => f64::NAN,
    };
    Comparison {
        abs_err: worst,
        tol: f64::NAN,
        ratio,
        status,
        testable: true,
        est: f64::NAN,
        resolution: f64::NAN,
    }
}

/// The verdict on the rounding error `error` of a derivative whose formula is right and has the value `exact`; `excuse` is
/// what the function's own noise, or rounding of the inputs, amounts to.
pub(crate) fn rounding(error: f64, exact: f64, excuse: impl FnOnce() -> f64, p: Precision) -> Verdict {
    let part = |limit: f64| error <= limit * exact.abs();
    if part(p.imprecise) || error <= excuse() {
        Verdict::Ok
    } else if part(p.unstable) {
        Verdict::Imprecise
    } else {
        Verdict::Unstable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, spread: f64) -> Estimate {
        Estimate { value, spread, noise: 0.0 }
    }

    #[test]
    fn verdicts_of_entries() {
        let e = estimate(2.0, 1e-16);
        let of = |g: &[f64]| compare(g, &e, 4e-15, 1e-12).status;
        assert_eq!(of(&[2.0, 2.0]), Verdict::Ok);
        assert_eq!(of(&[2.0 + 2e-14]), Verdict::Wrong);
        assert_eq!(of(&[2.0, 2.1]), Verdict::Inconsistent);
        assert_eq!(compare(&[2.0], &estimate(2.0, 1e-3), 0.0, 1e-12).status, Verdict::Unsure);
        let c = compare(&[2.0], &e, 4e-15, 1e-12);
        assert!((c.resolution - 2.5e-15).abs() < 1e-16 && c.est == 1e-16, "{c:?}");
        // Nothing to resolve: the derivative is 0, and the tolerance small beside the function.
        assert_eq!(compare(&[0.0], &estimate(1e-20, 1e-20), 0.0, 1e-12).status, Verdict::Ok);
    }

    #[test]
    fn kinks() {
        let sides = (&estimate(1.0, 1e-16), &estimate(-1.0, 1e-16));
        let of = |g: f64| at_kink(&[g, 0.0], sides, Precision::of(false));
        for g in [-1.0, 0.0, 0.5, 1.0, 1.0 + 1e-15] {
            assert!(of(g).status == Verdict::Kink && of(g).ratio <= 1.0, "{g}");
        }
        let bad = of(1.5);
        assert!(bad.status == Verdict::BadKink && bad.abs_err == 0.5 && bad.ratio > 1e10, "{bad:?}");
    }

    #[test]
    fn rounding_verdicts() {
        let p = Precision::of(false);
        assert_eq!(rounding(1e-12, 1.0, || 0.0, p), Verdict::Ok);
        assert_eq!(rounding(1e-8, 1.0, || 0.0, p), Verdict::Imprecise);
        assert_eq!(rounding(1e-3, 1.0, || 0.0, p), Verdict::Unstable);
        assert_eq!(rounding(1e-3, 1.0, || 1e-2, p), Verdict::Ok);
        assert_eq!(rounding(1e-17, 0.0, || 0.0, p), Verdict::Unstable);
    }
}
