//! adc's code generator: IR to native code through Cranelift.
//!
//! [`compile`] iterations functions of a module into [`Compiled`] ones that any thread can call. Functions of any
//! length are cut into native functions of bounded size, whose common values live in a [`Workspace`], so compile time stays
//! linear and the native stack small. Compiled code agrees bit for bit (NaN = NaN) with the reference
//! interpreter over [`RuntimeMath`]; run-time failures come back as typed errors with the span of the instruction.
//!
//! Invariants:
//! * No generated instruction traps, and nothing unwinds through generated code.
//! * Generated code calls only the functions of the tables in `math.rs` and `kernels.rs` and those an [`Externs`] holds.
//! * Function pointers never leave a [`Compiled`], which owns the memory behind them.
//!
//! `lower` plans, `emit` makes code of the plans and alone knows Cranelift; what code needs when it runs is next to them.
//!
//! Arrays are read and written where the host has them, and worked on in the workspace; see `lower/memory.rs` for who shares what.
//! Functions with dimensions are compiled for numbers ([`adc_ir::specialise`]); sizes may still be values of the run.
//!
//! This crate and `adc-runtime` are the only ones with `unsafe`. Absent on purpose: optimisation of IR, derivatives, files
//! other than the libraries [`Externs::load`] is asked for.

mod call;
mod cancel;
mod cells;
mod closures;
mod context;
mod emit;
mod externs;
mod heap;
mod kernels;
mod lower;
mod math;
mod options;
mod precise;

pub use call::{Arg, Compiled, MOST_REGISTERS, Out, Slice, SliceMut, Slots, Stats, Workspace};
pub use cancel::Cancel;
pub use cells::{Cells, cells_of, decode, encode};
#[cfg(feature = "object")]
pub use emit::object::{Archive, FileEntry, FileOptions, ObjectFile, archive, object_file};
pub use emit::{CraneliftX2, LaneLoop, MachineCode, X86, compile, emit_asm, emit_clif, strips_of};
#[cfg(feature = "object")]
pub use emit::{Measure, measure};
pub use externs::{Externs, LibraryError};
pub use lower::strips;
pub use math::RuntimeMath;
#[cfg(feature = "object")]
pub use options::Cpu;
pub use options::{Effort, Options, Simd};
pub use precise::of_arrays;
