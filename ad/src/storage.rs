//! What the reverse sweep does for a primal value that it needs in a scope where it no longer exists: take it
//! from memory, or compute it once more. Every part of reverse mode asks here.

use adc_ir::{Inst, Kind, Op};

/// How a primal value reaches the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// As a residual of the region that computes it.
    Store,
    /// By the same instruction in the reverse sweep, whose operands are then needed there.
    Recompute,
}

/// A function that would hand more values than this to its pullback hands over none, and the pullback runs it
/// again. Calls add up what their callees keep, so without a limit a chain of functions that each call the one before
/// them twice would keep exponentially many values; with it, each run costs one more for every
/// log2(`MOST_KEPT`) levels of such a chain.
pub(crate) const MOST_KEPT: usize = 512;

/// Decides for the instruction that defines a value.
pub(crate) trait Storage {
    fn keep(&self, inst: &Inst) -> Keep;
}

/// Stores everything but literals and what costs no more than a load: exact rearrangements of one operand, which
/// take no more room than their result. Comparisons are stored: a decision is taken once.
pub(crate) struct Default;

impl Storage for Default {
    fn keep(&self, inst: &Inst) -> Keep {
        match &inst.kind {
            Kind::Const(_) => Keep::Recompute,
            Kind::Op(op) if [Op::Neg, Op::Conj, Op::StopGradient].contains(op) => Keep::Recompute,
            Kind::Op(_) | Kind::Call(_) | Kind::If | Kind::Assert(_) => Keep::Store,
            kind => kind.refused(),
        }
    }
}
