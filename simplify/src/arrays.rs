//! Rewrites of whole arrays: the order of products of matrices, traces of them, and products with conjugated ones.
//!
//! Products are sums of products, and those of another order round differently: this is no exact pass. Functions under
//! `fp(strict)` are left alone.
//!
//! Products that decide something ([`crate::decisions`]) stay as they are, so that a derivative takes the branches of its function.

mod chain;
mod conjugate;
mod contract;
mod outer;
mod products;
mod trace;

pub(crate) use products::function as products;

use crate::decisions::Decisions;
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
    let decisions = Decisions::of(m);
    for (i, f) in m.funcs.iter_mut().enumerate().filter(|(i, _)| which[*i]) {
        if f.mode() != FpMode::Strict && matches!(f.body, Body::Region(_)) {
            let deciding = decisions.within(FuncId(i as u32));
            contract::function(f, deciding);
            conjugate::function(f, deciding);
        }
    }
}
