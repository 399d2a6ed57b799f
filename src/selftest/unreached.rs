//! Mutants that no program shows, each with the reason. Whatever else is unreached makes the self-test fail.

use super::Order;

/// The beginning of a mutant's name, the order, and why no function of any corpus could come by it.
const REASONS: &[(&str, Order, &str)] = &[];

/// Why it is unreached, if that is known.
pub(super) fn reason(name: &str, order: Order) -> Option<&'static str> {
    let found = REASONS.iter().find(|(start, o, _)| *o == order && name.starts_with(start));
    found.map(|(.., why)| *why)
}

/// The rows that speak of no mutant among these.
pub(super) fn stale(unreached: &[(String, Order)]) -> Vec<&'static str> {
    let speaks = |(start, order, _): &&(&str, Order, &str)| {
        unreached.iter().any(|(name, o)| o == order && name.starts_with(start))
    };
    REASONS.iter().filter(|row| !speaks(row)).map(|(start, ..)| *start).collect()
}
