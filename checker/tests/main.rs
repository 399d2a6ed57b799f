//! The integration tests of adc-checker, in one program: it is linked once.

mod arrays;
mod check;
mod classic;
mod common;
mod difference;
mod generated;
mod modes;
mod random;
mod verdicts;
