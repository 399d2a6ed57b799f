//! How much seeded tests do.

/// How many times the usual number of seeded cases tests take: the whole number in `ADC_EFFORT`, or 1.
///
/// # Panics
///
/// If the variable holds anything else.
pub fn effort() -> usize {
    std::env::var("ADC_EFFORT")
        .map_or(1, |n| n.parse().ok().filter(|n| *n > 0).expect("ADC_EFFORT is a whole number from 1"))
}

/// So many cases times [`effort`].
pub fn cases(usual: usize) -> usize {
    usual.saturating_mul(effort())
}
