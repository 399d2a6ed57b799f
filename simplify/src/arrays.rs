//! Rewrites of whole arrays: the order of products of matrices, and traces of them.
//!
//! Products are sums of products, and those of another order round differently: this is no exact pass. Functions under
//! `fp(strict)` are left alone.
//!
//! Values that decide are not exempt, as they are in the e-graph pass: where a product is compared with a number that it equals up
//! to rounding, a derivative made of reordered products may take another branch than its function.

mod chain;
mod contract;
mod outer;
mod trace;

use adc_ir::{Body, FpMode, FuncId, Module};

/// Puts the products of matrices of the functions that `roots` reach by calls into the cheapest order: (A B) x becomes
/// A (B x), Aᵀ x needs no Aᵀ, and of tr(A B C) only the diagonal of the last product is computed. An intermediate result that is
/// needed anyway stays one.
///
/// Exact rewrites should have been here before, and dead code elimination should come behind.
pub fn contractions(m: &mut Module, roots: &[FuncId]) {
    let mut reached = vec![false; m.funcs.len()];
    m.reachable_from(roots).into_iter().for_each(|f| reached[f.0 as usize] = true);
    functions(m, &reached);
}

/// [`contractions`] of those functions that `which` is true for.
pub(crate) fn functions(m: &mut Module, which: &[bool]) {
    for (f, _) in m.funcs.iter_mut().zip(which).filter(|(_, w)| **w) {
        if f.fp != FpMode::Strict && matches!(f.body, Body::Region(_)) {
            contract::function(f);
        }
    }
}
