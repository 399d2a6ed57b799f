//! adc's intermediate representation: typed SSA with regions, its op table, text form, verifier and
//! reference interpreter, and the spans and diagnostics every crate speaks of.
//!
//! Absent on purpose: files, terminals, native code, derivatives. This crate knows no other adc crate.

#[macro_use]
mod words;
#[macro_use]
mod ops;
#[macro_use]
mod kind;

pub mod batch;
mod bind;
mod builder;
pub mod choice;
mod codes;
pub mod datum;
pub mod dce;
mod derived;
mod diag;
pub mod dims;
mod fp;
pub mod interp;
mod module;
mod num;
pub mod numbers;
mod order;
mod origin;
pub mod ranges;
mod request;
mod rewrite;
pub mod rows;
mod shape;
pub mod specialise;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
mod trap;
mod types;
mod values;
pub mod verify;

pub use bind::{DimError, bind_dims, bind_sizes};
pub use builder::Builder;
pub use codes::Code;
pub use datum::{Array, Buffer, Datum};
pub use diag::{Certainty, Diagnostic, Diagnostics, Edit, FileId, Label, Severity, Span, Suggestion, edited};
pub use dims::{Dim, Known, Shape};
pub use fp::FpMode;
pub use module::*;
pub use num::{Elementary, Real};
pub use ops::{Class, Cut, Domain, Op, OpInfo, Sig, Smoothness};
pub use origin::{Derivation, Origin, Role};
pub use request::{BenchBlock, CheckBlock, Distribution, Expect, Mode};
pub use rewrite::{Copier, Fresh};
pub use trap::{RuntimeError, Trap};
pub use types::{MAX_RANK, Scalar, Type};
