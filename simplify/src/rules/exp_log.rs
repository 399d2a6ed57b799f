//! Exponentials and logarithms.

use super::Guard::{Finite, NonNegative, NotMinusZero};
use super::{Row, fast, guarded, refining};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    refining("log-exp",       "(log (exp x))",                "x",                   "no rounding for two, and neither overflow nor underflow"),
    refining("recip-exp",     "(recip (exp x))",              "(exp (neg x))",       "one rounding for two"),
    guarded("log-recip",      "(log (recip x))",              "(neg (log x))", &[NonNegative('x')],         "1/-inf = -0 has a logarithm"),
    refining("log-sqrt",      "(log (sqrt x))",               "(mul 0.5 (log x))",   "one rounding for two"),
    refining("expm1-by-exp",  "(sub (exp x) 1)",              "(expm1 x)",           "exp x - 1 loses all digits at 0"),
    refining("log1p-by-log",  "(log (add 1 x))",              "(log1p x)",           "1 + x loses all digits of a small x"),
    guarded("exp-log1p",      "(exp (log1p x))",              "(add 1 x)", &[NonNegative('x')],         "the logarithm of a negative number is no number"),
    refining("softplus-by-log", "(log (add 1 (exp x)))",      "(softplus x)",        "one rounding for three, and no overflow"),
    refining("softplus-by-log1p", "(log1p (exp x))",          "(softplus x)",        "one rounding for two, and no overflow"),
    refining("log-sigmoid",   "(log (sigmoid x))",            "(log_sigmoid x)",     "one rounding for two, and no underflow"),
    guarded("exp-log",        "(exp (log x))",                "x", &[NonNegative('x'), NotMinusZero('x')], "the logarithm of a negative number is no number"),
    guarded("exp-times-inverse", "(mul (exp x) (exp (neg x)))", "1", &[Finite('x')],                    "0 inf is no number"),
    fast("exp-log-fast",      "(exp (log x))",                "x",                   "x may be negative"),
    fast("exp-sum",           "(mul (exp x) (exp y))",        "(exp (add x y))",     "x + y is rounded, which the exponential magnifies"),
    fast("exp-difference",    "(div (exp x) (exp y))",        "(exp (sub x y))",     "x - y is rounded, which the exponential magnifies"),
    fast("exp-neg",           "(exp (neg x))",                "(recip (exp x))",     "two roundings for one, but exp x may be there"),
    fast("div-exp",           "(div a (exp x))",              "(mul a (exp (neg x)))", "exp(-x) may overflow"),
    fast("log-product",       "(add (log x) (log y))",        "(log (mul x y))",     "x and y may both be negative, their product may overflow"),
    fast("log-quotient",      "(sub (log x) (log y))",        "(log (div x y))",     "x and y may both be negative, their quotient may overflow"),
    fast("log-pow",           "(log (pow x y))",              "(mul y (log x))",     "x may be negative; the product's rounding grows with it"),
    fast("exp-mul-log",       "(exp (mul y (log x)))",        "(pow x y)",           "0^0 is a number"),
];
