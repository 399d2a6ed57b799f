//! The numeric functions that compiled code and the interpreter share: double-precision real functions
//! ([`real`]), double-complex ones ([`complex`]), both as C functions for generated code ([`abi`]), elementary functions as
//! programs over lanes ([`lanes`]), products of matrices and linear algebra ([`linalg`], [`eigen`], [`svd`],
//! as C functions [`kernels`]); and most of it with twice the digits ([`dd`]). [`object`] is what object files need beside these.
//!
//! Aim: an error of a few units in the last place wherever the function is defined, zeros, branch cuts, tails
//! and huge operands included, because derivatives are built from these functions and have to stay within
//! `8 ε (1 + κ)`, κ being the condition number. `tests/accuracy.rs` measures every function against
//! `tests/reference.tsv`.
//!
//! Every function is total (NaN where undefined), pure and thread-safe. Most elementary functions are those of [`lanes`]
//! and give the same bits on every machine; the others depend on its C library in their last bits. `tests/lanes.rs`
//! measures the former over their whole range.
//!
//! Deliberately absent: elementary functions in single precision (callers convert, call the double-precision function and
//! round once), the arithmetic that generated code does inline, and anything about IR.

pub mod abi;
pub mod complex;
pub mod dd;
pub mod eigen;
pub mod kernels;
pub mod lanes;
pub mod linalg;
pub mod object;
pub mod real;
mod special;
pub mod svd;
mod system;
