//! Looking on while a program runs.

use super::val::{ArrayVal, Val};
use crate::module::*;
use crate::ops::Op;

/// An instruction being run.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The function it is in.
    pub func: &'a Func,
    /// The instruction.
    pub inst: &'a Inst,
}

/// Told of what a run executes, in order. Of instructions of arrays it is told what has a place where it is not smooth;
/// not what they do inside.
pub trait Watch<R> {
    /// A scalar op that gave a result.
    fn op(&self, at: Place<'_>, op: Op, args: &[&Val<R>], result: &Val<R>);

    /// A `max`, `min`, `argmax` or `argmin` that has seen the terms of all its turns, at least one.
    fn extremum(&self, at: Place<'_>, op: ReduceOp, terms: &[Val<R>]);

    /// Linear algebra that is about to be done on a matrix.
    fn linalg(&self, at: Place<'_>, op: LinalgOp, matrix: &ArrayVal<R>);
}
