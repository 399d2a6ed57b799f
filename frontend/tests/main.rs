//! The integration tests of adc-frontend, in one program: it is linked once.

mod compile;
mod format;
mod limits;
mod parse;
mod parse_fuzz;
mod scatter;
