//! adc's runtime as an object file: what object files of models are made of beside their own code.
//!
//! The build script compiles `adc-runtime` once more, for machines with AVX2 and FMA (x86-64-v3), optimised as a whole and with a section
//! for each function, whatever profile the rest is built in. `adc-jit` takes functions out of it. So `adc build` needs no compiler, and
//! what it writes needs no library of adc. The numbers are those of this process, to the bit: the source is the same, and nothing in it
//! depends on how it is compiled.
//!
//! Absent on purpose: code. The crate is in nobody's way while the others are compiled, since only the root package needs it.

/// The object file; empty where adc writes none, on machines whose object files are not ELF.
pub const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.o"));
