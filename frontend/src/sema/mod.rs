//! Names, types, constants, rules and blocks: from trees to a program that can be lowered.

pub mod block_arrays;
pub mod blocks;
pub mod builtins;
pub mod collect;
pub mod consts;
pub mod ctx;
pub mod decl;
pub mod dim_exprs;
pub mod dims;
pub mod domains;
pub mod files;
pub mod hir;
pub mod infer;
pub mod items;
pub mod recursion;
pub mod rules;
pub mod types;
pub mod visit;
