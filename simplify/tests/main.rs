//! The integration tests of adc-simplify, in one program: it is linked once.

mod arrays;
mod contractions;
mod counts;
mod egraph;
mod factors;
mod facts;
mod files;
mod neighbours;
mod properties;
mod rules;
mod total;
mod words;
