//! Intervals of integers.

/// The first and last integer of an interval with real ends; empty if the first is larger.
pub fn integer_ends(lo: f64, hi: f64, lo_closed: bool, hi_closed: bool) -> (i64, i64) {
    // Conversions saturate, so infinite ends become those of `i64`.
    let first = lo.ceil() as i64;
    let first = if !lo_closed && lo == lo.ceil() && lo.is_finite() { first.saturating_add(1) } else { first };
    let last = hi.floor() as i64;
    let last = if !hi_closed && hi == hi.floor() && hi.is_finite() { last.saturating_sub(1) } else { last };
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::integer_ends;

    #[test]
    fn ends_of_integers() {
        for (lo, hi, lc, hc, want) in [
            (0.0, 3.0, true, true, (0, 3)),
            (0.0, 3.0, false, false, (1, 2)),
            (0.5, 2.5, false, true, (1, 2)),
            (f64::NEG_INFINITY, f64::INFINITY, false, false, (i64::MIN, i64::MAX)),
            (0.0, 1.0, false, false, (1, 0)),
        ] {
            assert_eq!(integer_ends(lo, hi, lc, hc), want, "{lo} {hi}");
        }
    }
}
