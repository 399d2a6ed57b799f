//! The integration tests of adc-ad, in one program: it is linked once.

mod array_rules;
mod arrays;
mod common;
mod costs;
mod eigen;
mod files;
mod modes;
mod nesting;
mod operators;
mod points;
mod properties;
mod recursion;
mod reverse;
mod rules;
mod scale;
mod sparsity;
mod special;
mod svd;
