//! Strips: text, random programs against the interpreter, memory and special values at the edge of a page.

mod fuzz;
mod guard;
mod ops;
mod text;
