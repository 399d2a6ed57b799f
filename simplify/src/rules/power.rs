//! Squares, roots and powers.

use super::Guard::{Finite, Moderate, NonNegative, NonZero, NotMinusZero, SmallPower};
use super::{Row, exact, fast, guarded, refining};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    exact("mul-self",        "(mul a a)",                     "(square a)",          "the definition of a square"),
    refining("sqrt-square",  "(sqrt (square a))",             "(abs a)",             "no rounding for two, and no overflow"),
    refining("cbrt-cube",    "(mul (cbrt a) (square (cbrt a)))", "a",                "no rounding for five"),
    refining("pow-two",      "(pow a 2)",                     "(square a)",          "correctly rounded"),
    refining("pow-minus-one", "(pow a -1)",                   "(recip a)",           "correctly rounded"),
    refining("pow-one",      "(pow a 1)",                     "a",                   "exact"),
    refining("pow-zero",     "(pow a 0)",                     "1",                   "also of NaN"),
    guarded("pow-half",      "(pow a 0.5)",                   "(sqrt a)", &[NonNegative('a'), NotMinusZero('a')], "correctly rounded; pow(-inf, 0.5) = inf, pow(-0, 0.5) = +0"),
    guarded("square-sqrt",   "(square (sqrt a))",             "a",        &[NonNegative('a'), NotMinusZero('a')], "the root of a negative number is no number"),
    guarded("mul-sqrt",      "(mul (sqrt a) (sqrt b))",       "(sqrt (mul a b))", &[NonNegative('a'), Moderate('a'), Moderate('b')], "one and a half roundings for three; (-1)(-1) has a root"),
    guarded("div-sqrt",      "(div a (sqrt a))",              "(sqrt a)", &[NonZero('a')], "0/0 is no number"),
    guarded("powi-next",     "(mul (powi a n) a)",            "(powi a (add n 1i))", &[SmallPower('n')],         "a power is that many products; a^0 a is no power"),
    guarded("powi-before",   "(div (powi a n) a)",   "(powi a (add n -1i))",          &[SmallPower('n'), NonZero('a'), Finite('a')], "0/0 and inf/inf are no numbers"),
    fast("pow-next",         "(mul (pow a b) a)",             "(pow a (add b 1))",   "b + 1 is rounded"),
    fast("pow-before",       "(div (pow a b) a)",             "(pow a (sub b 1))",   "b - 1 is rounded"),
    fast("pow-product",      "(mul (pow a b) (pow a c))",     "(pow a (add b c))",   "b + c is rounded"),
    fast("pow-three-halves", "(pow a 1.5)",                   "(mul a (sqrt a))",    "two roundings for one"),
    fast("square-sqrt-fast", "(square (sqrt a))",             "a",                   "a may be negative"),
    fast("div-sqrt-fast",    "(div a (sqrt a))",              "(sqrt a)",            "a may be 0"),
    fast("pow-half-fast",    "(pow a 0.5)",                   "(sqrt a)",            "a may be -inf"),
];
