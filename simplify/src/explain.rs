//! What is told of the rewrites that led to a program.

use adc_ir::{FuncId, Span};

/// A rewrite that led to the result, counted by rule and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The function.
    pub func: FuncId,
    /// The rule, a row of [`crate::rules`], or [`CONTRACT`].
    pub rule: &'static str,
    /// The facts that its guards asked for, proved here.
    pub facts: Vec<String>,
    /// The source expression.
    pub span: Span,
    /// How often.
    pub count: usize,
}

/// The name of the contraction to `fma`, which is no row of the tables.
pub const CONTRACT: &str = "contract-fma";

/// Appends explanations; equal ones become one, where the first of them is.
pub(crate) fn merge(out: &mut Vec<Explanation>, found: Vec<Explanation>) {
    let first = out.len();
    for e in found {
        let same = |o: &&mut Explanation| o.rule == e.rule && o.span == e.span && o.facts == e.facts;
        match out[first..].iter_mut().find(same) {
            Some(o) => o.count += e.count,
            None => out.push(e),
        }
    }
}
