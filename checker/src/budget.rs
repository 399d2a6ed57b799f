//! What one evaluation of a function may take, and which points are given up.
//!
//! The unit is that of a run ([`adc_ir::interp::Limits`]): iterations of loops. A loop may take very long at some points, or never
//! end there, and nobody knows which before. So every point has a budget, points beyond it are tried once more when it is known
//! what others take, and what does not end then is given up. No clock is asked: the same points are given up on every machine, and
//! on any number of threads.

/// Iterations that the function may take at a point at first.
pub const FIRST_FUEL: u64 = 1 << 20;
/// A point beyond that may take this many times as many as any other took that ended.
const MORE: u64 = 16;
/// Points beside the drawn ones may take no more than these took, but so many in any case.
const BESIDE: u64 = 1 << 12;

/// The budget of one check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// What was asked for: it stands for all others.
    asked: Option<u64>,
    /// The most iterations that a point took that ended.
    most: Option<u64>,
    /// Whether a point was given more while none had ended.
    tried: bool,
}

impl Budget {
    pub(crate) fn new(asked: Option<u64>) -> Budget {
        Budget { asked, most: None, tried: false }
    }

    /// What every point may take.
    pub(crate) fn first(&self) -> u64 {
        self.asked.unwrap_or(FIRST_FUEL)
    }

    /// A point has ended, after so many iterations.
    pub(crate) fn ended(&mut self, turns: u64) {
        self.most = self.most.max(Some(turns));
    }

    /// What one point may take while none has ended, so that there is a measure for the others; once.
    pub(crate) fn alone(&mut self) -> Option<u64> {
        let none = self.asked.is_none() && self.most.is_none();
        (none && !std::mem::replace(&mut self.tried, true)).then_some(MORE * FIRST_FUEL)
    }

    /// What points beyond the first budget may take; `None` if that is no more.
    pub(crate) fn second(&self) -> Option<u64> {
        let most = self.most.filter(|_| self.asked.is_none())?;
        Some(MORE * most.min(FIRST_FUEL)).filter(|fuel| *fuel > FIRST_FUEL)
    }

    /// What points may take that are visited beside the drawn ones, to find mistakes: if one does not end there, nothing is lost.
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
        // While none has ended, one is tried, and no other.
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
