//! Passes over loops: what one loop makes and the next one reads never becomes an array, loops over the same range
//! become one, and what does not change in a loop leaves it.
//!
//! The order matters. `unroll` writes small loops of known length out; `scalars` splits small carried arrays into their elements;
//! `inline_build` computes an element where it is read; `merge` joins loops over one range; `hoist` moves what does not change
//! out of loops; `arms` moves what both branches of an `if` compute in front of it.
//!
//! `hoist` and `arms` move an operation that can fail only to where it is certain to execute, and never ahead of another that can
//! fail. `merge` and `inline_build` do not keep the order of failures. The second of two merged loops may fail before a later
//! iteration of the first, or before an assertion between them; an inlined element fails where it is read. A run that would have
//! succeeded still does.
//!
//! A value read in two loops may be updated in place between them; a pass that brings a read behind such an update would
//! turn it into a copy, so it looks for that first ([`scan::consumed`]).

mod arms;
mod factors;
mod hoist;
mod inline_build;
mod merge;
mod scalars;
mod scan;
mod total;
mod unroll;

pub(crate) use factors::{join, split};

use crate::mutants;
use crate::without::is_out;
use adc_ir::Module;
use adc_ir::dce::Asserting;

/// Writes the small loops of those functions out that `which` is true for.
pub(crate) fn small(m: &mut Module, which: &[bool]) {
    for (f, _) in m.funcs.iter_mut().zip(which).filter(|(_, w)| **w) {
        mutants::working_on(&f.name);
        if !is_out("unroll") {
            unroll::function(f, false);
        }
        if !is_out("scalars") {
            scalars::function(f);
        }
    }
}

/// Rewrites the loops of those functions that `which` is true for.
pub(crate) fn functions(m: &mut Module, which: &[bool]) {
    let asserting = Asserting::of(m);
    for (f, _) in m.funcs.iter_mut().zip(which).filter(|(_, w)| **w) {
        mutants::working_on(&f.name);
        if !is_out("unroll") {
            unroll::function(f, true);
        }
        if !is_out("scalars") {
            scalars::function(f);
        }
        if !is_out("inline_build") {
            inline_build::function(f, &asserting);
        }
        if !is_out("merge") {
            merge::function(f, &asserting);
        }
        if !is_out("hoist") {
            hoist::function(f);
        }
        if !is_out("arms") {
            arms::function(f);
        }
    }
}
