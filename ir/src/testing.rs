//! What the tests of every crate share (feature `testing`).

pub mod filetest;
mod math;

pub use math::StdMath;
