//! The integration tests of adc-ir, in one program: it is linked once.

mod arrays;
mod broken;
mod files;
mod interp;
mod properties;
mod runs;
