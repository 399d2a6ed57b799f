//! What one evaluation of a function may take, and which points are given up.
//!
//! The unit is that of a run ([`adc_ir::interp::Limits`]): iterations of loops. At some points a loop may run very long, or
//! forever, and that is not known in advance. So every point has a budget. Points that exceed it are tried once more when
//! the cost of other points is known, and are given up if they exceed the second budget, too. No clock is used: the same
//! points are given up on every machine, and on any number of threads.

/// Iterations that the function may take at a point in the first attempt.
pub const FIRST_FUEL: u64 = 1 << 20;
/// In the second attempt a point may take this many times the iterations of the longest run that ended.
const MORE: u64 = 16;
/// Points besides the drawn ones may take no more than the drawn ones took, or this many iterations if that is more.
const BESIDE: u64 = 1 << 12;

/// The budget of one check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The budget that the user asked for; it replaces all others.
    asked: Option<u64>,
    /// The most iterations of a run that ended.
    most: Option<u64>,
    /// Whether a point was given a larger budget while no run had ended.
    tried: bool,
}

impl Budget {
    pub(crate) fn new(asked: Option<u64>) -> Budget {
        Budget { asked, most: None, tried: false }
    }

    /// The budget of the first attempt.
    pub(crate) fn first(&self) -> u64 {
        self.asked.unwrap_or(FIRST_FUEL)
    }

    /// Records that a run ended, after this many iterations.
    pub(crate) fn ended(&mut self, iterations: u64) {
        self.most = self.most.max(Some(iterations));
    }

    /// The budget of one point while no run has ended, to get a measure for the others. It is given once.
    pub(crate) fn alone(&mut self) -> Option<u64> {
        let none = self.asked.is_none() && self.most.is_none();
        (none && !std::mem::replace(&mut self.tried, true)).then_some(MORE * FIRST_FUEL)
    }

    /// The budget of the second attempt; `None` if it is no larger.
    pub(crate) fn second(&self) -> Option<u64> {
        let most = self.most.filter(|_| self.asked.is_none())?;
        Some(MORE * most.min(FIRST_FUEL)).filter(|fuel| *fuel > FIRST_FUEL)
    }

    /// The budget of points besides the drawn ones, which are evaluated to find mistakes: if a run does not end there,
    /// nothing is lost.
    pub(crate) fn beside(&self) -> u64 {
        self.most.unwrap_or(0).max(BESIDE).min(self.asked.unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_given_what_others_took() {
        let mut b = Budget::new(None);
        assert_eq!((b.first(), b.second(), b.beside()), (1 << 20, None, 1 << 12));
        // While no run has ended, one point is tried, and no other.
        assert_eq!((b.alone(), b.alone()), (Some(1 << 24), None));
        b.ended(10);
        assert_eq!((b.second(), b.beside()), (None, 1 << 12));
        b.ended(1 << 17);
        b.ended(3);
        assert_eq!((b.second(), b.beside()), (Some(1 << 21), 1 << 17));
        b.ended(1 << 23);
        assert_eq!((b.second(), b.beside()), (Some(1 << 24), 1 << 23));
        assert_eq!(b.alone(), None);
    }

    #[test]
    fn what_was_asked_for_stands_for_all() {
        let mut b = Budget::new(Some(100));
        b.ended(90);
        assert_eq!((b.first(), b.alone(), b.second(), b.beside()), (100, None, None, 100));
    }
}
