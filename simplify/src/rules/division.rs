//! Quotients: reciprocals that become divisions, divisions that cancel or join.

use super::Guard::{Finite, HalfRange, Moderate, NonZero};
use super::{Row, exact, fast, guarded, refining};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    exact("div-one",          "(div a 1)",                   "a",                     "exact"),
    exact("recip-div",        "(div 1 a)",                   "(recip a)",             "the definition of a reciprocal"),
    refining("mul-recip",     "(mul a (recip b))",           "(div a b)",             "one rounding for two"),
    refining("div-recip",     "(div a (recip b))",           "(mul a b)",             "one rounding for two"),
    refining("recip-recip",   "(recip (recip a))",           "a",                     "no rounding for two"),
    refining("recip-quotient", "(recip (div a b))",          "(div b a)",             "one rounding for two"),
    refining("recip-recip-mul", "(recip (mul (recip a) b))", "(div a b)",             "one rounding for three"),
    guarded("div-self",       "(div a a)",                   "1", &[Finite('a'), NonZero('a')],   "0/0 and inf/inf are no numbers"),
    guarded("mul-div-cancel", "(div (mul a b) b)",           "a", &[Finite('b'), NonZero('b')],   "0/0 and inf/inf are no numbers"),
    guarded("div-mul-cancel", "(mul (div a b) b)",           "a", &[Finite('b'), NonZero('b')],   "0/0 and 0 inf are no numbers"),
    guarded("recip-mul-cancel", "(mul (recip b) b)",         "1", &[Finite('b'), NonZero('b')],   "0 inf is no number"),
    guarded("div-div",        "(div (div a b) c)",           "(div a (mul b c))",     &[Moderate('b'), Moderate('c')], "two roundings as before; b c must not overflow"),
    guarded("recip-recip-product", "(mul (recip a) (recip b))", "(recip (mul a b))",  &[Moderate('a'), Moderate('b')], "two roundings for three; a b must not overflow"),
    guarded("div-by-quotient", "(div a (div b c))",          "(div (mul a c) b)",     &[Moderate('a'), Moderate('c')], "two roundings as before; a c must not overflow"),
    guarded("add-div",        "(add (div a c) (div b c))",   "(div (add a b) c)",     &[HalfRange('a'), HalfRange('b')], "one quotient for two; a + b must not overflow"),
    guarded("sub-div",        "(sub (div a c) (div b c))",   "(div (sub a b) c)",     &[HalfRange('a'), HalfRange('b')], "one quotient for two; a - b must not overflow"),
    fast("div-div-fast",      "(div (div a b) c)",           "(div a (mul b c))",     "b c may overflow"),
    fast("add-div-fast",      "(add (div a c) (div b c))",   "(div (add a b) c)",     "a + b may overflow"),
    fast("sub-div-fast",      "(sub (div a c) (div b c))",   "(div (sub a b) c)",     "a - b may overflow"),
    fast("div-as-recip",      "(div a b)",                   "(mul a (recip b))",     "two roundings for one, but the reciprocal may be shared"),
    fast("recip-product",     "(div a (mul b c))",           "(mul (div a b) (recip c))", "three roundings for two, but quotients may be shared"),
];
