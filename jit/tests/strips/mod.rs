//! Strips: text, random programs against the interpreter, memory and special values at the edge of a page.

mod decoder;
mod fuzz;
mod guard;
#[cfg(target_arch = "x86_64")]
mod mutants;
mod ops;
mod order;
mod reader;
mod text;
