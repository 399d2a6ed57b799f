//! Circular, hyperbolic and logistic functions. Where a function and its derivative share a call ([`crate::cost`]), the
//! derivative is the form to have.

use super::Guard::Finite;
use super::{Row, fast, guarded, refining};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    refining("cos-neg",        "(cos (neg x))",                        "(cos x)",          "even"),
    refining("sin-neg",        "(sin (neg x))",                        "(neg (sin x))",    "odd"),
    refining("tan-neg",        "(tan (neg x))",                        "(neg (tan x))",    "odd"),
    refining("cosh-neg",       "(cosh (neg x))",                       "(cosh x)",         "even"),
    refining("sinh-neg",       "(sinh (neg x))",                       "(neg (sinh x))",   "odd"),
    refining("tanh-neg",       "(tanh (neg x))",                       "(neg (tanh x))",   "odd"),
    refining("atan-neg",       "(atan (neg x))",                       "(neg (atan x))",   "odd"),
    refining("erf-neg",        "(erf (neg x))",                        "(neg (erf x))",    "odd"),
    refining("sech2-neg",      "(sech2 (neg x))",                      "(sech2 x)",        "even"),
    refining("dsigmoid-neg",   "(dsigmoid (neg x))",                   "(dsigmoid x)",     "even"),
    refining("sin-over-cos",   "(div (sin x) (cos x))",                "(tan x)",          "one rounding for three"),
    refining("tan-times-cos",  "(mul (tan x) (cos x))",                "(sin x)",          "one rounding for three"),
    guarded("sinh-over-cosh",  "(div (sinh x) (cosh x))",              "(tanh x)", &[Finite('x')], "inf/inf is no number"),
    refining("tanh-times-cosh", "(mul (tanh x) (cosh x))",             "(sinh x)",         "one rounding for three"),
    refining("one-minus-tanh-square", "(sub 1 (square (tanh x)))",     "(sech2 x)",        "1 - tanh^2 loses all digits in the tails"),
    refining("one-minus-tanh-product", "(mul (sub 1 (tanh x)) (add 1 (tanh x)))", "(sech2 x)", "1 - tanh loses all digits in the tail"),
    refining("recip-cosh-square", "(recip (square (cosh x)))",         "(sech2 x)",        "one rounding for four"),
    refining("sigmoid-by-exp", "(recip (add 1 (exp (neg x))))",        "(sigmoid x)",      "one rounding for three"),
    guarded("sigmoid-by-quotient", "(div (exp x) (add 1 (exp x)))",    "(sigmoid x)", &[Finite('x')], "inf/inf is no number"),
    refining("sigmoid-times-rest", "(mul (sigmoid x) (sub 1 (sigmoid x)))", "(dsigmoid x)", "1 - sigmoid loses all digits in the tail"),
    refining("sigmoid-minus-square", "(sub (sigmoid x) (square (sigmoid x)))", "(dsigmoid x)", "the difference loses all digits in the tail"),
    guarded("sin-cos-one",     "(add (square (sin x)) (square (cos x)))",   "1", &[Finite('x')], "sin inf is no number"),
    guarded("cosh-sinh-one",   "(sub (square (cosh x)) (square (sinh x)))", "1", &[Finite('x')], "inf - inf is no number"),
    fast("one-minus-sin-square", "(sub 1 (square (sin x)))",           "(square (cos x))", "three roundings instead of one where sin x is small"),
    fast("one-minus-cos-square", "(sub 1 (square (cos x)))",           "(square (sin x))", "three roundings instead of one where cos x is small"),
    fast("one-plus-sinh-square", "(add 1 (square (sinh x)))",          "(square (cosh x))", "three roundings instead of one where sinh x is small"),
    fast("tan-by-quotient",    "(tan x)",                              "(div (sin x) (cos x))", "three roundings for one, but sine and cosine may be there"),
];
