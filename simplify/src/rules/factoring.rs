//! Common factors, literal factors, terms that cancel.

use super::Guard::{AtLeastOne, Finite, HalfRange, Moderate, NonNegative, NotMinusZero};
use super::{Row, exact, fast, guarded};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    exact("mul-one",          "(mul a 1)",                    "a",                    "exact"),
    exact("mul-minus-one",    "(mul a -1)",                   "(neg a)",              "exact"),
    exact("add-self",         "(add a a)",                    "(mul a 2)",            "exact"),
    exact("sub-zero",         "(sub a 0)",                    "a",                    "-0 - 0 = -0"),
    guarded("add-zero",       "(add a 0)",                    "a", &[NotMinusZero('a')],                     "-0 + 0 = +0"),
    guarded("mul-zero",       "(mul a 0)",                    "0", &[Finite('a'), NonNegative('a'), NotMinusZero('a')], "0 inf is no number; the sign of a makes that of the zero"),
    guarded("sub-self",       "(sub a a)",                    "0", &[Finite('a')],                           "inf - inf is no number"),
    guarded("factor",         "(add (mul a b) (mul a c))",    "(mul a (add b c))", &[HalfRange('b'), HalfRange('c')], "two roundings for three; b + c must not overflow"),
    guarded("factor-sub",     "(sub (mul a b) (mul a c))",    "(mul a (sub b c))", &[HalfRange('b'), HalfRange('c')], "two roundings for three; b - c must not overflow"),
    guarded("factor-literal", "(add (mul k b) (mul k c))",    "(mul k (add b c))", &[AtLeastOne('k')],     "two roundings for three; where b + c overflows so does the sum"),
    guarded("factor-sub-literal", "(sub (mul k b) (mul k c))", "(mul k (sub b c))", &[AtLeastOne('k')],    "two roundings for three; where b - c overflows so does the difference"),
    guarded("mul-literals",   "(mul k (mul l a))",            "(mul (mul k l) a)", &[Moderate('k'), Moderate('l')], "the product of the literals is one of them"),
    guarded("mul-div-literals", "(mul k (div a l))",          "(mul (div k l) a)", &[Moderate('k'), Moderate('l')], "the quotient of the literals is a literal"),
    guarded("div-mul-literals", "(div (mul k a) l)",          "(mul (div k l) a)", &[Moderate('k'), Moderate('l')], "the quotient of the literals is a literal"),
    guarded("mul-literal-div", "(mul k (div l a))",           "(div (mul k l) a)", &[Moderate('k'), Moderate('l')], "the product of the literals is a literal"),
    guarded("div-literal-product", "(div k (mul l a))",       "(div (div k l) a)", &[Moderate('k'), Moderate('l')], "the quotient of the literals is a literal"),
    fast("factor-fast",       "(add (mul a b) (mul a c))",    "(mul a (add b c))",    "b + c may overflow"),
    fast("factor-sub-fast",   "(sub (mul a b) (mul a c))",    "(mul a (sub b c))",    "b - c may overflow"),
    fast("add-literals",      "(add k (add l a))",            "(add (add k l) a)",    "k + l may cancel"),
    fast("add-sub-cancel",    "(sub (add a b) a)",            "b",                    "a + b may have lost b"),
    fast("sub-add-cancel",    "(add (sub a b) b)",            "a",                    "a - b may have lost a"),
    fast("mul-zero-fast",     "(mul a 0)",                    "0",                    "a may be infinite or NaN"),
    fast("add-zero-fast",     "(add a 0)",                    "a",                    "a may be -0"),
    fast("sub-self-fast",     "(sub a a)",                    "0",                    "a may be infinite or NaN"),
];
