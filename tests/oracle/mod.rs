//! How good the difference oracle is, measured through the library: correct derivatives raise no alarm, planted errors are
//! found, and every report says how small an error it would have seen.

mod corpus;
mod field;
mod identities;
mod metamorphic;
mod planted;
mod survey;
mod traps;
mod verdicts;
