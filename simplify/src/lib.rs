//! adc's simplifier: IR to IR that gives the same results and costs less.
//!
//! [`run`] is the pipeline. Most passes are *exact*: results keep their bits (NaN = NaN) on every input, a run-time
//! error that is reported stays reported at the same source expression, and `stop_gradient`, rules and spans stay what
//! they are, so that a simplified program has the derivatives of the original. Scalars are the canonicaliser's business, calls
//! the inliner's, arrays that the passes over loops'.
//!
//! The exceptions round differently, within the error bounds of the program and as its floating-point modes allow: products of
//! matrices in another order ([`contractions`]), sums and arrays of sums that a loop carries ([`loops::sums`], [`loops::cycles`]) or
//! that rows of a matrix have ([`loops::row_sums`]), loops in another order ([`loops::interchange`]), contraction to `fma`
//! ([`mod@contract`]) and the e-graph pass ([`egraph`]), by its rules ([`rules`]). None touches a strict function, nor what
//! decides ([`decisions`]). A level says whether [`run`] has them ([`OptLevel::is_exact`]); [`prepare`], before differentiation,
//! has the first two.
//!
//! Absent on purpose: derivatives, native code.

mod accumulate;
mod arrays;
mod canonicalise;
mod comparisons;
mod contract;
pub mod cost;
mod decisions;
mod duplicates;
pub mod egraph;
mod explain;
pub mod facts;
mod inline;
mod invariants;
mod loops;
mod multiples;
mod pipeline;
mod reciprocals;
pub mod rules;

pub use arrays::contractions;
pub use canonicalise::canonicalise;
pub use explain::{CONTRACT, Explanation};
pub use inline::{inline, inline_into};
pub use pipeline::{Done, INLINE_LIMIT, Options, PASSES, ROUNDING, prepare_with, run_with};

use adc_ir::{FuncId, Module};

/// How much a program is worked on. No level changes a verdict of the checker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptLevel {
    /// The raw program.
    O0,
    /// Small functions inlined, everything canonical: hash-consing, constants, exact identities, dead code.
    O1,
    /// Loops merged, arrays that are read once never made, too; and what rounds differently: contraction, reassociation, algebra by
    /// bounded rules. Functions under `fp(strict)` keep their bits.
    #[default]
    O2,
    /// The same with larger limits: e-graphs of straight-line code to saturation.
    O3,
}

impl OptLevel {
    /// Whether all programs keep the bits of their results, else strict ones only, and the others the bounds of their rounding.
    pub fn is_exact(self) -> bool {
        self < OptLevel::O2
    }

    /// Whether a derivative is that of the simplified function: [`prepare`] runs before differentiation.
    pub fn prepares(self) -> bool {
        self >= OptLevel::O2
    }

    /// The level of a number, as in `--opt 1`.
    pub fn from_number(n: u8) -> Option<OptLevel> {
        [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3].get(n as usize).copied()
    }
}

/// Simplifies the functions that `roots` reach by calls (derivative rules are not calls: what is made of them is a
/// function of its own). Functions are neither added nor removed, so every id stays valid.
///
/// In debug builds the verifier runs after each pass.
pub fn run(m: &mut Module, roots: &[FuncId], level: OptLevel) {
    run_with(m, roots, &Options { level, ..Options::default() });
}

/// [`run`], with the rewrites of the e-graph pass that the result shows, in order.
pub fn run_explained(m: &mut Module, roots: &[FuncId], level: OptLevel) -> Vec<Explanation> {
    run_with(m, roots, &Options { level, explain: true, ..Options::default() }).rewrites
}

/// Simplifies the functions that `roots` reach by calls for differentiation: inlines small ones, writes small loops out
/// and takes small arrays apart, so that derivatives are made of straight lines where there is little to do; moves arrays and loops
/// that do not change out of loops; and computes elements in the extremum that alone reads them. What else is
/// computed in loops over arrays stays as it is: where its values are stored is for the derivative to say. Products of matrices
/// come in the cheapest order ([`contractions`]), which rounds differently: a derivative needs every intermediate product that
/// its primal makes.
///
/// In debug builds the verifier runs after each pass.
pub fn prepare(m: &mut Module, roots: &[FuncId]) {
    prepare_with(m, roots, &Options::default());
}
