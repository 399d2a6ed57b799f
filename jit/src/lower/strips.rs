//! Strips: innermost loops over lanes, behind a narrow interface.
//!
//! A [`Strip`] is a program that is run for each element of its streams; nothing in it says how many elements are computed at once. It is
//! a straight line, in which there may be loops that make the same number of turns for all elements. Elementary functions are expanded into it once ([`StripBuilder`] takes the lane
//! programs of `adc-runtime`), so that a back end knows arithmetic only. All back ends ([`Interp`],
//! [`crate::CraneliftX2`], [`crate::X86`]) give the same bits as a loop over single numbers does (NaN = NaN).
//!
//! Absent on purpose: matrix products, other element types than doubles, loops whose turns depend on the element.

mod before;
mod build;
mod check;
mod complex;
mod faults;
mod interp;
mod legalise;
mod order;
mod overlap;
mod passes;
mod strip;
mod text;

pub(crate) use before::Before;
pub use build::{M, StripBuilder};
pub use faults::Fault;
pub use interp::Interp;
pub use legalise::Lane;
pub use strip::*;

use adc_ir::Diagnostic;

/// Something that runs strips.
pub trait StripBackend {
    /// Whether it can compile this strip, on this machine.
    fn supports(&self, strip: &Strip) -> bool;
    /// Whether a run may begin with any element, also of a strip with sums.
    fn begins_anywhere(&self, strip: &Strip) -> bool;
    /// Code for a strip that it supports.
    fn compile(&mut self, strip: &Strip) -> Result<Box<dyn StripCode>, Diagnostic>;
}

/// A strip ready to run.
pub trait StripCode {
    /// Runs the strip for elements `from` to `to`, and says which is the first that is not done: `to`, if none of them exits
    /// ([`SOp::Exit`]). `from` is at most `to`, and a multiple of 16 if there are sums, unless the back end
    /// takes any ([`StripBackend::begins_anywhere`]).
    ///
    /// # Safety
    /// `bases` and `scalars` are tables of as many pointers and slots as the strip has. Every element of every stream from `from` to `to` is
    /// readable, and writable if the stream is written; no element of a stream that is written is an element of another base. Bases of sums
    /// are 16 doubles each, and `from` is a multiple of 16 if there are cycles.
    unsafe fn run(&self, bases: *const *mut u8, scalars: *mut f64, from: usize, to: usize) -> usize;
}
