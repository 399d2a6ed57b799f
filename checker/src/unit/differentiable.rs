//! Whether a function has a derivative at a point, by differences alone: a derivative program that ends in a run-time error
//! gives nothing to compare them with.

use super::Unit;
use super::automatic::At;
use super::source::{Source, StepSequence};
use crate::judge::is_known;
use crate::oracle::{Shape, Toolchain};

impl Unit {
    /// Whether step sequences find a derivative for every entry, or, if entries are not compared, along `count` directions.
    #[cold]
    pub(crate) fn has_derivative(&mut self, at: At, count: u64, tools: &mut Toolchain) -> bool {
        let Some(mut auto) = self.automatic.take() else { return false };
        let coarse = auto.oracle.is_coarse();
        let displacements = match self.by_entry {
            true => self.each_column(at, coarse),
            false => {
                let scales = self.scales(at, false);
                (0..count).map(|k| self.along(at, &self.rademacher(at, k), &scales, coarse)).collect()
            }
        };
        let rows = self.rows.len();
        let cases: Vec<(usize, usize)> =
            (0..displacements.len() * rows).map(|k| (k / rows, k % rows)).collect();
        let mut source =
            Source { unit: self, auto: &mut auto, at, displacements: &displacements, cases: &cases, tools };
        let known = source.sequence(StepSequence::LIVE, |_, _| false).iter().all(is_smooth);
        self.automatic = Some(auto);
        known
    }
}

fn is_smooth(shape: &Shape) -> bool {
    match shape {
        Shape::Smooth(e) => is_known(e.value, e.error()),
        Shape::Kink { .. } | Shape::Jump { .. } | Shape::Edge(_) | Shape::Alone | Shape::Unresolved => false,
    }
}
