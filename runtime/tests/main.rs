//! The integration tests of adc-runtime, in one program: it is linked once.

mod abi;
mod accuracy;
mod dd;
mod lanes;
mod quad;
mod special_values;
