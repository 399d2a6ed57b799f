//! Lowering: what code is needed for, where functions are cut, where values and arrays live, what integers can be, and strips.
//! Nothing here knows how code is emitted.

pub(crate) mod bounds;
pub(crate) mod calls;
pub(crate) mod groups;
pub(crate) mod memory;
pub(crate) mod plan;
pub(crate) mod products;
pub mod strips;
pub(crate) mod superwords;
