//! Emission: units of a plan and strips as Cranelift functions, strips in wide vectors as machine code, linked and made executable. All of
//! Cranelift is here.

mod bind;
mod codegen;
mod compile;
mod linker;
#[cfg(feature = "object")]
pub(crate) mod object;
pub(crate) mod owner;
mod text;
mod x2;
pub(crate) mod x86;

#[cfg(feature = "object")]
pub use compile::{Measure, measure};
pub use compile::{compile, strips_of};
pub use linker::LaneLoop;
pub use text::{emit_asm, emit_clif};
pub use x2::CraneliftX2;
pub use x86::{MachineCode, X86};
