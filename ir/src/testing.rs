//! What the tests of every crate share (feature `testing`).

pub mod filetest;
mod generate;
mod math;
mod rng;

pub use generate::{Knobs, array_inputs, inputs, module};
pub use math::StdMath;
pub use rng::Rng;
