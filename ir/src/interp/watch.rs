//! Looking on while a program runs.

use super::val::{ArrayVal, Val};
use crate::diag::Span;
use crate::module::*;
use crate::ops::Op;
use crate::trap::Trap;

/// An instruction being run.
#[derive(Clone, Copy, Debug)]
pub struct Location<'a> {
    /// The function it is in.
    pub func: &'a Func,
    /// The instruction.
    pub inst: &'a Inst,
}

/// A loop that is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The loop in the source.
    pub span: Span,
    /// Where it is: its indices; of a `while` the number of the iteration, from 0.
    pub indices: Vec<i64>,
}

/// Told of what a run executes, in order. Of instructions of arrays it is told what has a place where it is not smooth;
/// not what they do inside.
pub trait Watch<R> {
    /// A scalar op that gave a result.
    fn op(&self, at: Location<'_>, op: Op, args: &[&Val<R>], result: &Val<R>);

    /// A `max`, `min`, `argmax` or `argmin` that has seen the terms of all its iterations, at least one.
    fn extremum(&self, at: Location<'_>, op: ReduceOp, terms: &[Val<R>]);

    /// Linear algebra that is about to be done on a matrix.
    fn linalg(&self, at: Location<'_>, op: LinalgOp, matrix: &ArrayVal<R>);

    /// Whether it wants to be told of every step.
    fn wants_steps(&self) -> bool {
        false
    }

    /// An instruction that is about to run, or one of whose regions is about to end.
    fn step(&self, _at: Location<'_>) {}

    /// Whether it wants to know the loops that were running in the last step.
    fn asks(&self) -> bool {
        false
    }

    /// The loops that were running in the last step, outermost first. An error ends the run.
    fn iterations(&self, _turns: &[Iteration]) -> Result<(), Trap> {
        Ok(())
    }

    /// Whether it wants to be told of calls.
    fn wants_calls(&self) -> bool {
        false
    }

    /// A call that is about to begin, with dimensions and arguments, and the loops that are running, outermost first. An
    /// error ends the run.
    fn call(&self, _callee: FuncId, _args: &[Val<R>], _turns: &[Iteration]) -> Result<(), Trap> {
        Ok(())
    }
}
