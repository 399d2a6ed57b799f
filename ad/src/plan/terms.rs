//! Which terms of a `max` or `min` its reverse goes through: those that attain it alone, or all of them.
//!
//! All of them is more operations, but once a few small terms are written out, it is code without branches, in which the terms of the
//! forward sweep are at hand. From the first term that attains it on, the loop begins at an index that only the data say, and every
//! iteration of a loop around it takes its own way, one after the other.

use super::BODY;
use super::survey::Survey;
use crate::activity::body_of;
use adc_ir::{Inst, Kind, Op, Region, Scalar, Value, kinds};
use rustc_hash::FxHashSet;

/// Terms, at most, where all are gone through.
const TERMS: u64 = 16;
/// Instructions of all of them, at most.
const WORK: u64 = 160;
/// Instructions of a term, at most, of an extremum that is in no loop: its terms run in lanes, however many there are.
const LITTLE: u64 = 8;

impl Survey<'_> {
    /// Whether the reverse of a `max` or `min` of scalars in a region goes through all of its terms.
    pub(super) fn reverses_all_terms(&self, inst: &Inst, place: usize) -> bool {
        let mut varying = FxHashSet::from_iter(body_of(inst).params.iter().copied());
        let Some(work) = self.work(body_of(inst), &mut varying) else { return false };
        let few = |n: &u64| *n <= TERMS && n.saturating_mul(work) <= WORK;
        self.turns(inst).as_ref().is_some_and(few) || (self.loop_of(place) == BODY && work <= LITTLE)
    }

    /// How often a loop runs, if that is known.
    fn turns(&self, inst: &Inst) -> Option<u64> {
        let bounds = self.plan.bounds(self.func(), inst);
        let n = bounds.hi.sub(&bounds.lo)?.as_const()?;
        (bounds.step == Some(1)).then_some(n.max(0) as u64)
    }

    /// The instructions that a region runs, loops counted as often as they run; `None` if there is something in it for which lanes are
    /// no use. `varying`: values that are not the same for all terms.
    fn work(&self, region: &Region, varying: &mut FxHashSet<Value>) -> Option<u64> {
        let mut work = 0_u64;
        for inst in &region.insts {
            let inside = match &inst.kind {
                Kind::Const(_) | Kind::Size(_) => 0,
                Kind::Index => self.is_regular(inst, varying).then_some(1)?,
                Kind::Op(op) => {
                    // Elementary functions are many instructions.
                    let instructions = op.info().cycles.div_ceil(4) as u64;
                    self.is_regular(inst, varying).then_some(instructions)?
                }
                Kind::If => {
                    let sides = inst.regions.iter().map(|r| self.work(r, varying));
                    sides.sum::<Option<u64>>()?
                }
                Kind::Reduce(_) => {
                    varying.extend(inst.regions[0].params.iter().copied());
                    self.turns(inst)?.checked_mul(1 + self.work(&inst.regions[0], varying)?)?
                }
                Kind::Call(_)
                | Kind::Assert(_)
                | Kind::Slice
                | Kind::Build { .. }
                | Kind::For(_)
                | Kind::While(_)
                | kinds!(Form | Write | Matrix) => return None,
            };
            work = work.checked_add(inside)?;
            if inst.uses(self.func()).any(|v| varying.contains(&v)) {
                varying.extend(inst.results.iter().copied());
            }
        }
        Some(work)
    }

    /// Whether an integer that is not the same for all terms is a multiple of indices, up to a constant.
    fn is_regular(&self, inst: &Inst, varying: &FxHashSet<Value>) -> bool {
        self.func().ty(inst.results[0]).scalar() != Scalar::I64
            || matches!(inst.kind, Kind::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg))
            || !inst.args.iter().any(|v| varying.contains(v))
    }
}
