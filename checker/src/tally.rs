//! Counts of verdicts, and the resolution of the comparisons.

use crate::verdict::{Severity, Verdict};
use std::collections::BTreeMap;

/// The number of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([usize; Verdict::ALL.len()]);

impl Tally {
    /// Counts one verdict.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        self.0.iter_mut().zip(other.0).for_each(|(n, m)| *n += m);
    }

    /// How many have this verdict.
    pub fn of(&self, verdict: Verdict) -> usize {
        self.0[verdict as usize]
    }

    /// How many have this severity.
    pub fn of_severity(&self, severity: Severity) -> usize {
        self.iter().filter(|(v, _)| v.info().severity == severity).map(|(_, n)| n).sum()
    }

    /// The verdicts that occur, in order, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, usize)> + '_ {
        Verdict::ALL.iter().map(|v| (*v, self.of(*v))).filter(|(_, n)| *n > 0)
    }

    /// The most severe one.
    pub fn worst(&self) -> Option<Verdict> {
        self.iter().last().map(|(v, _)| v)
    }
}

/// The resolutions of many comparisons: the smallest relative errors that they would have detected. Kept in bins, so that
/// there may be any number of them; quantiles are accurate to 1.6 %.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolution {
    bins: BTreeMap<u32, usize>,
    count: usize,
    worst: f64,
}

impl Resolution {
    /// Bits of a double that are equal within a bin.
    const LOW_BITS: u32 = 46;

    /// Counts one. Numbers that are not positive (an entry that is 0 has none) or not finite are ignored.
    pub fn add(&mut self, resolution: f64) {
        if resolution > 0.0 && resolution.is_finite() {
            *self.bins.entry((resolution.to_bits() >> Self::LOW_BITS) as u32).or_default() += 1;
            self.count += 1;
            self.worst = self.worst.max(resolution);
        }
    }

    /// Adds the counts of another one.
    pub fn merge(&mut self, other: &Resolution) {
        for (bin, n) in &other.bins {
            *self.bins.entry(*bin).or_default() += n;
        }
        self.count += other.count;
        self.worst = self.worst.max(other.worst);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The largest, exactly.
    pub fn worst(&self) -> Option<f64> {
        (self.count > 0).then_some(self.worst)
    }

    /// The smallest one that this part of all do not exceed.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let wanted = ((part * self.count as f64).ceil() as usize).clamp(1, self.count.max(1));
        let mut seen = 0;
        let bin = self.bins.iter().find(|(_, n)| {
            seen += **n;
            seen >= wanted
        });
        let end = |bin: u32| f64::from_bits((u64::from(bin) + 1) << Self::LOW_BITS);
        bin.map(|(bin, _)| end(*bin).min(self.worst))
    }

    /// Half of all are at most this.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies() {
        let mut t = Tally::default();
        assert_eq!(t.worst(), None);
        [Verdict::Ok, Verdict::Kink, Verdict::Ok, Verdict::Wrong].into_iter().for_each(|v| t.add(v));
        let mut twice = t;
        twice.merge(&t);
        assert_eq!(
            twice.iter().collect::<Vec<_>>(),
            [(Verdict::Ok, 4), (Verdict::Kink, 2), (Verdict::Wrong, 2)]
        );
        assert_eq!((t.worst(), t.of(Verdict::Ok)), (Some(Verdict::Wrong), 2));
        assert_eq!((t.of_severity(Severity::Pass), t.of_severity(Severity::Unsure)), (3, 0));
    }

    #[test]
    fn quantiles() {
        let mut r = Resolution::default();
        assert_eq!((r.median(), r.worst()), (None, None));
        for k in 1..=1000 {
            r.add(f64::from(k) * 1e-15);
        }
        [0.0, f64::NAN, f64::INFINITY].into_iter().for_each(|x| r.add(x));
        let close = |x: Option<f64>, y: f64| (x.unwrap() / y - 1.0).abs() <= 0.016;
        assert!(close(r.median(), 5e-13) && close(r.quantile(0.99), 9.9e-13), "{:?}", r.median());
        assert_eq!((r.count(), r.worst()), (1000, Some(1e-12)));
        let mut other = Resolution::default();
        other.add(2e-3);
        r.merge(&other);
        assert_eq!((r.worst(), r.quantile(1.0), r.count()), (Some(2e-3), Some(2e-3), 1001));
    }
}
