//! What the tests of every crate share (feature `testing`).

mod math;

pub use math::StdMath;
