//! Mutants that no program shows, each with the reason. Any other unreached mutant makes the self-test fail.

use super::Order::{self, First, Second};

/// The beginning of a mutant's name, the order, and why no function of any corpus could reach it.
#[rustfmt::skip]
const REASONS: &[(&str, Order, &str)] = &[
    ("mul-literals/unguarded", First, LITERALS),
    ("mul-literals/unguarded", Second, LITERALS),
    ("mul-div-literals/unguarded", First, LITERALS),
    ("mul-div-literals/unguarded", Second, LITERALS),
    ("div-mul-literals/unguarded", First, LITERALS),
    ("div-mul-literals/unguarded", Second, LITERALS),
    ("mul-literal-div/unguarded", First, LITERALS),
    ("mul-literal-div/unguarded", Second, LITERALS),
    ("div-literal-product/unguarded", First, LITERALS),
    ("div-literal-product/unguarded", Second, LITERALS),
    ("fma-sign", First, CONTRACTION),
    ("fma-sign", Second, CONTRACTION),
    ("simplified-residual-replaced", First, RESIDUALS),
    ("simplified-residual-replaced", Second, RESIDUALS),
    ("nonlinear_", First, NONLINEAR),
];

const LITERALS: &str = "the guard holds of all literals but those near the ends of the range, of which `simplify/tests/rules` shows it";

const CONTRACTION: &str = "only simplification makes fused operations";
const NONLINEAR: &str =
    "a `#[nonlinear]` rule is no derivative, so no check compares it: its report names the function";
const RESIDUALS: &str = "in a simplified program nothing says which values were kept for the derivative";

/// Why it is unreached, if known.
pub(super) fn reason(name: &str, order: Order) -> Option<&'static str> {
    let found = REASONS.iter().find(|(start, o, _)| *o == order && name.starts_with(start));
    found.map(|(.., why)| *why)
}
