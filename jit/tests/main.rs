//! The integration tests of adc-jit, in one program: it is linked once.

mod jit;
mod memory;
mod strips;
