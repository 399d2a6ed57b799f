//! What a failure is put down to, found by experiment.

mod data;

pub use data::{
    Blame, BlamedKind, BlamedOp, BlamedRewrite, Counterfactual, Mistake, MistakeKind, Stage, Turn,
};
