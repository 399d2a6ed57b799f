//! The likely mistake behind a derivative and a difference.

use super::wrong_one;
use crate::report::Entry;

/// The likely mistake behind two numbers.
pub(super) fn guess(e: &Entry) -> Option<String> {
    /// Quotient of derivative and difference, and what it suggests.
    const FACTORS: [(f64, &str); 5] = [
        (2.0, "twice the difference: a factor 2 too many"),
        (0.5, "half the difference: a factor 2 is missing"),
        (-1.0, "minus the difference: a sign, or a missing `conj`"),
        (4.0, "four times the difference"),
        (0.25, "a quarter of the difference"),
    ];
    let (a, n) = (wrong_one(e), e.fd?);
    if a == 0.0 {
        return Some("the derivative is 0: a term is missing".to_string());
    }
    let ratio = a / n;
    let near = |f: f64| (ratio - f).abs() <= 1e-3 * f.abs();
    FACTORS.iter().find(|(f, _)| near(*f)).map(|(_, text)| format!("the derivative is {text}"))
}
