//! Signs: out of products and quotients, into sums and differences, where they vanish.

use super::{Row, exact, refining};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    exact("neg-neg",        "(neg (neg a))",          "a",                   "a sign bit flipped twice"),
    exact("mul-neg",        "(mul (neg a) b)",        "(neg (mul a b))",     "rounding is symmetric"),
    exact("mul-neg-literal", "(neg (mul k a))",       "(mul (neg k) a)",     "rounding is symmetric; a negated literal is a literal"),
    exact("div-neg-left",   "(div (neg a) b)",        "(neg (div a b))",     "rounding is symmetric"),
    exact("div-neg-right",  "(div a (neg b))",        "(neg (div a b))",     "rounding is symmetric"),
    exact("recip-neg",      "(recip (neg a))",        "(neg (recip a))",     "rounding is symmetric"),
    exact("add-neg",        "(add a (neg b))",        "(sub a b)",           "the definition of a difference"),
    exact("sub-neg",        "(sub a (neg b))",        "(add a b)",           "the definition of a difference"),
    exact("square-neg",     "(square (neg a))",       "(square a)",          "rounding is symmetric"),
    exact("square-abs",     "(square (abs a))",       "(square a)",          "rounding is symmetric"),
    exact("abs-neg",        "(abs (neg a))",          "(abs a)",             "the sign bit is cleared anyway"),
    refining("neg-sub",     "(neg (sub a b))",        "(sub b a)",           "the same rounding; an exact zero has the other sign"),
    refining("neg-sum",     "(sub (neg a) b)",        "(neg (add a b))",     "the same rounding; an exact zero has the other sign"),
];
