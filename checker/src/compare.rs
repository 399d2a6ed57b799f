//! One comparison of a derivative with a difference.

use crate::settings::{Limits, Tolerance};
use crate::verdict::Verdict;
use num_complex::Complex64;

/// Numbers of one comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub abs_err: f64,
    pub tol: f64,
    pub ratio: f64,
    pub status: Verdict,
    /// Whether the absolute part of the tolerance is small compared with the entry.
    pub testable: bool,
    /// Estimated error of the difference; NaN if unknown.
    pub est: f64,
    /// The smallest relative error of the entry that would have been detected; 0 for an entry that is 0; NaN if unknown.
    pub resolution: f64,
}

/// Below this, the relative-error form takes the absolute error.
const NEARLY_ZERO: f64 = 1e-3;
/// An entry is not really tested if the absolute tolerance exceeds this part of it.
const TESTABLE_PART: f64 = 0.01;

impl Limits {
    /// Compares derivative `a` with difference `n`; fast mode scales the absolute tolerance by `scale`
    /// (the sums of its directions' components).
    pub(crate) fn compare(&self, a: Complex64, n: Complex64, scale: f64) -> Comparison {
        let size = modulus(n);
        let (absolute, tol) = match self.form {
            Tolerance::Automatic | Tolerance::Classic => {
                (self.atol * scale, self.atol * scale + self.rtol * size)
            }
            Tolerance::Relative { max_relative_error, .. } if size < NEARLY_ZERO => {
                (max_relative_error, max_relative_error)
            }
            Tolerance::Relative { max_relative_error, .. } => (0.0, max_relative_error * size),
        };
        let abs_err = modulus(a - n);
        let ratio = if abs_err == 0.0 { 0.0 } else { abs_err / tol };
        let status = if !(a.re.is_finite() && a.im.is_finite()) {
            Verdict::NonFinite
        } else if !(n.re.is_finite() && n.im.is_finite()) {
            Verdict::Unchecked
        } else if abs_err <= tol {
            Verdict::Ok
        } else {
            Verdict::Wrong
        };
        let ratio = match status {
            Verdict::Ok | Verdict::Wrong => ratio,
            Verdict::NonFinite => f64::INFINITY,
            _ => f64::NAN,
        };
        let testable = size == 0.0 || TESTABLE_PART * size >= absolute;
        Comparison { abs_err, tol, ratio, status, testable, est: f64::NAN, resolution: f64::NAN }
    }
}

/// `|z|`, exact for real numbers.
fn modulus(z: Complex64) -> f64 {
    if z.im == 0.0 { z.re.abs() } else { z.re.hypot(z.im) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(form: Tolerance, a: f64, n: f64, scale: f64) -> (Verdict, bool) {
        let limits = Limits { eps: 1e-6, atol: 1e-5, rtol: 1e-3, form };
        let c = limits.compare(a.into(), n.into(), scale);
        (c.status, c.testable)
    }

    #[test]
    fn classic_is_allclose() {
        use Verdict::*;
        let cases = [
            (1.001, 1.0, 1.0, Ok, true),
            (1.0011, 1.0, 1.0, Wrong, true),
            (0.0, 9e-6, 1.0, Ok, false),
            (0.0, 2e-5, 1.0, Wrong, false),
            (0.0, 2e-5, 2.0, Ok, false),
            (0.0, 0.0, 1.0, Ok, true),
            (f64::NAN, f64::NAN, 1.0, NonFinite, true),
            (f64::INFINITY, 1.0, 1.0, NonFinite, true),
            (1.0, f64::NAN, 1.0, Unchecked, true),
        ];
        for (a, n, scale, status, testable) in cases {
            let got = run(Tolerance::Classic, a, n, scale);
            assert_eq!(got.0, status, "{a} {n}");
            assert!(n.is_nan() || got.1 == testable, "{a} {n}");
        }
        // A complex entry is compared as one number: the large real part widens the tolerance of the imaginary part.
        let limits = Limits { eps: 1e-6, atol: 1e-5, rtol: 1e-3, form: Tolerance::Classic };
        let c = limits.compare(Complex64::new(1.0, 5e-4), Complex64::new(1.0, 0.0), 1.0);
        assert_eq!(c.status, Ok);
    }

    #[test]
    fn relative_error_form() {
        use Verdict::*;
        let form = Tolerance::Relative { max_relative_error: 0.005, delta: 0.005, per_entry: false };
        let cases = [
            (2.0, 2.0, Ok),
            (-2.0, -2.0, Ok), // the published line would give |2 − (−2)|/2 = 2
            (-2.02, -2.0, Wrong),
            (2.0, -2.0, Wrong),
            (0.0004, 0.0, Ok),
            (0.006, 0.0009, Wrong),
            (0.0048, 0.0009, Ok),
        ];
        for (a, n, status) in cases {
            assert_eq!(run(form, a, n, 1.0).0, status, "{a} {n}");
        }
    }
}
