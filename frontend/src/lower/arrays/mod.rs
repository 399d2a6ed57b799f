//! Array built-ins and whole-array forms as IR.
//!
//! Functions on a [`Builder`]: values in, a value out, at the span the builder has. Ranks, sizes and element types are
//! right when they are called; what does not fit is a bug of the caller. Derivatives come out of the instructions by
//! themselves, so shifts and scales that cancel are behind `stop_gradient`, and points without a derivative
//! are branches of their own.

mod axis;
mod elementwise;
mod factor;
mod fold;
mod form;
mod scan;
mod sort;

pub(super) use axis::*;
pub(super) use elementwise::map_op;
pub(super) use factor::*;
pub(super) use fold::*;
pub(super) use form::*;
pub(super) use scan::*;
pub(super) use sort::*;

#[cfg(test)]
mod tests;
