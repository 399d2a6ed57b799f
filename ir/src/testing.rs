//! What the tests of every crate share (feature `testing`).

mod effort;
pub mod filetest;
mod generate;
mod math;
mod rng;

pub use effort::{cases, effort};
pub use generate::{Knobs, array_inputs, edge_inputs, inputs, module};
pub use math::StdMath;
pub use rng::Rng;
