//! adc's simplifier: IR to IR that gives the same results and costs less.
//!
//! [`run`] is the pipeline. Every pass but two is *exact*: results keep their bits (NaN = NaN) on every input, a run that succeeds
//! still succeeds, memory limits aside, and `stop_gradient`, rules and spans stay as they are, so that a simplified program has
//! the derivatives of the original. A run-time error keeps its source expression. Where several operations of a run would fail,
//! merging and inlining loops may change which of them is reported. A failing operation whose value is not needed may go
//! unreported. The canonicaliser simplifies scalars, the inliner calls, the passes over loops arrays.
//!
//! The exceptions round differently, within the error bounds of the program and as its floating-point modes allow: products of
//! matrices in another order ([`contractions`]), and the e-graph pass ([`egraph`]), which comes last, by its rules ([`rules`]). A
//! level says whether [`run`] has them ([`OptLevel::is_exact`]); [`prepare`], before differentiation, has the first.
//!
//! Absent on purpose: derivatives, native code.

mod arrays;
mod canonicalise;
pub mod cost;
pub mod egraph;
pub mod facts;
mod inline;
mod loops;
pub mod mutants;
pub mod rules;
mod twins;
mod without;

pub use arrays::contractions;
pub use canonicalise::canonicalise;
pub use inline::inline;
pub use mutants::planted;
pub use without::{PASSES, identities_used, rewrites, without};

use adc_ir::verify::assert_valid;
use adc_ir::{Func, FuncId, Module};

/// How much a program is worked on. No level changes a verdict of the checker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptLevel {
    /// The raw program.
    O0,
    /// Small functions inlined, everything canonical: hash-consing, constants, exact identities, dead code.
    O1,
    /// Everything that is quick: loops merged, arrays that are read once never made, too.
    #[default]
    O2,
    /// Everything there is: e-graphs of straight-line code to saturation, too.
    O3,
}

impl OptLevel {
    /// Whether programs keep the bits of their results, else the bounds of their rounding.
    pub fn is_exact(self) -> bool {
        effort(self).is_none()
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

/// How much the e-graph pass does at a level. It rounds differently, so a level that has it promises results within the rounding
/// bounds of the program, not its bits.
///
/// Level 2 lacks it because code is hardly faster with it: `cargo bench --bench levels` measured the gradients of the model
/// library at 0.995 of their time, for 2.4 times the compile time. It would have to save 3 %.
fn effort(level: OptLevel) -> Option<egraph::Effort> {
    match level {
        OptLevel::O0 | OptLevel::O1 | OptLevel::O2 => None,
        OptLevel::O3 => Some(egraph::Effort::Large),
    }
}

/// Callees of up to this many instructions are inlined.
pub const INLINE_LIMIT: usize = 24;

/// How often the passes over loops run: merged loops show equal values to the canonicaliser, which shows more.
const LOOP_ROUNDS: usize = 3;
/// Callees of up to this many instructions are inlined once their small loops are written out.
const WRITTEN_OUT_LIMIT: usize = 160;

/// Simplifies the functions that `roots` reach by calls (derivative rules are not calls: what is made of them is a
/// function of its own). Functions are neither added nor removed, so every id stays valid.
///
/// In debug builds the verifier runs after each pass.
pub fn run(m: &mut Module, roots: &[FuncId], level: OptLevel) {
    pipeline(m, roots, level, None);
}

/// [`run`], with the rewrites of the e-graph pass that the result shows, in order.
pub fn run_explained(m: &mut Module, roots: &[FuncId], level: OptLevel) -> Vec<egraph::Explanation> {
    let mut found = Vec::new();
    pipeline(m, roots, level, Some(&mut found));
    found
}

fn pipeline(
    m: &mut Module,
    roots: &[FuncId],
    level: OptLevel,
    explain: Option<&mut Vec<egraph::Explanation>>,
) {
    // By `FuncId`.
    let mut reached = vec![false; m.funcs.len()];
    m.reachable_from(roots).into_iter().for_each(|f| reached[f.0 as usize] = true);
    if let Some(what) = mutants::by_itself() {
        egraph::alone(m, &reached, &what);
        check(m, "one rewrite");
        canonicalise::functions(m, &reached);
        return check(m, "canonicalise");
    }
    match level {
        OptLevel::O0 => {}
        OptLevel::O1 | OptLevel::O2 | OptLevel::O3 => {
            // First small, so that the size of callees is the size of what is really computed.
            canonicalise::functions(m, &reached);
            check(m, "canonicalise");
            inline::functions(m, &reached, INLINE_LIMIT);
            check(m, "inline");
            canonicalise::functions(m, &reached);
            check(m, "canonicalise");
            if !level.is_exact() {
                order_products(m, &reached);
            }
            // Before equal values are shared and leave loops.
            let solutions = |m: &mut Module, change: fn(&mut Func) -> bool, stage| {
                let chosen = m.funcs.iter_mut().zip(&reached).filter(|(_, r)| **r);
                if chosen.fold(false, |any, (f, _)| change(f) | any) {
                    check(m, stage);
                    canonicalise::functions(m, &reached);
                    check(m, "canonicalise");
                }
            };
            solutions(m, loops::split, "factors");
            if level >= OptLevel::O2 {
                for _ in 0..LOOP_ROUNDS {
                    loops::functions(m, &reached);
                    check(m, "loops");
                    canonicalise::functions(m, &reached);
                    check(m, "canonicalise");
                    inline::functions(m, &reached, WRITTEN_OUT_LIMIT);
                    check(m, "inline");
                    canonicalise::functions(m, &reached);
                    check(m, "canonicalise");
                }
            }
            solutions(m, loops::join, "factors that are not shared");
            if let Some(effort) = effort(level) {
                match explain {
                    Some(found) => *found = egraph::explained(m, &reached, effort),
                    None => egraph::functions(m, &reached, effort),
                }
                check(m, "egraph");
                canonicalise::functions(m, &reached);
                check(m, "canonicalise");
            }
        }
    }
}

/// Simplifies the functions that `roots` reach by calls for differentiation: inlines small ones, writes small loops out
/// and takes small arrays apart, so that derivatives are made of straight lines where there is little to do. What is
/// computed in loops over arrays stays as it is: where its values are stored is for the derivative to say. Products of matrices
/// come in the cheapest order ([`contractions`]), which rounds differently: a derivative needs every intermediate product that
/// its primal makes.
///
/// In debug builds the verifier runs after each pass.
pub fn prepare(m: &mut Module, roots: &[FuncId]) {
    if mutants::by_itself().is_some() {
        return;
    }
    let mut reached = vec![false; m.funcs.len()];
    m.reachable_from(roots).into_iter().for_each(|f| reached[f.0 as usize] = true);
    canonicalise::functions(m, &reached);
    check(m, "canonicalise");
    for round in 0..LOOP_ROUNDS {
        inline::functions(m, &reached, if round == 0 { INLINE_LIMIT } else { WRITTEN_OUT_LIMIT });
        check(m, "inline");
        loops::small(m, &reached);
        check(m, "small loops");
        canonicalise::functions(m, &reached);
        check(m, "canonicalise");
    }
    order_products(m, &reached);
}

/// Products of matrices in the cheapest order, of those functions that `which` is true for.
fn order_products(m: &mut Module, which: &[bool]) {
    arrays::functions(m, which);
    check(m, "contractions");
    canonicalise::functions(m, which);
    check(m, "canonicalise");
}

fn check(m: &Module, stage: &str) {
    if cfg!(debug_assertions) {
        assert_valid(m, stage);
    }
}
