//! Elementary functions as straight-line programs over *lanes*: each is written once, over the operations of
//! [`Lanes`], and is then evaluated for one number ([`Scalar`], behind [`crate::real`]) or turned into the
//! operations of a strip (in `adc-jit`). Both do the same operations in the same order, so a loop gives the
//! same bits whether it runs number by number or many lanes at a time.
//!
//! Every function is total and right everywhere: overflow, underflow to subnormals and 0, infinities, NaN (any NaN
//! for NaN), signs of zeros. Errors stay within 1 ulp for `exp`, `exp2` and `log` and within 2 ulp elsewhere, but for `tan` (2.33),
//! `dsigmoid` (2.42) and the parts of complex exponentials (2.44): `cargo bench -p adc-runtime --bench errors`.
//!
//! There is no control flow but [`Lanes::select`], which computes both sides, and [`Lanes::rare`], a call where
//! few lanes need one. What is known of numbers here and now ([`Lanes::within`], [`Lanes::is_usual`]) opens shorter ways to the same
//! bits. Whoever changes the order of operations here changes the results of every program.

/// The polynomial with the coefficients `$c[0] $c[1] …` at `$x` by Estrin's scheme: `x` squared again and again, all
/// pairs at once.
macro_rules! poly {
    ($l:ident, $x:expr, $c:ident: $($i:literal)+) => {
        poly!(@level $l, $x, [] $($l.num($c[$i]),)+)
    };
    ($l:ident, $x:expr, ($c:expr): $($i:literal)+) => {
        poly!(@level $l, $x, [] $($l.num($c[$i]),)+)
    };
    (@level $l:ident, $x:expr, [$($done:expr,)*] $a:expr, $b:expr, $($rest:tt)*) => {{
        let (a, b) = ($a, $b);
        let pair = $l.fma(b, $x, a);
        poly!(@level $l, $x, [$($done,)* pair,] $($rest)*)
    }};
    (@level $l:ident, $x:expr, [$($done:expr,)*] $($last:expr,)?) => {
        poly!(@next $l, $x, $($done,)* $($last,)?)
    };
    (@next $l:ident, $x:expr, $a:expr,) => {
        $a
    };
    // Three by Horner's scheme: no later, and without another square.
    (@next $l:ident, $x:expr, $a:expr, $b:expr, $c:expr,) => {{
        let (a, b, c) = ($a, $b, $c);
        let square = $l.mul($x, $x);
        let y = $l.fma(c, square, b);
        $l.fma(y, square, a)
    }};
    (@next $l:ident, $x:expr, $($c:expr,)+) => {{
        let square = $l.mul($x, $x);
        poly!(@level $l, square, [] $($c,)+)
    }};
}

pub(crate) use poly;

/// A type that is a program.
macro_rules! anywhere {
    ($name:ident: $of:expr) => {
        struct $name;
        impl $crate::lanes::Anywhere for $name {
            #[inline(always)]
            fn of<L: Lanes>(l: &mut L, x: L::V) -> L::V {
                $of(l, x)
            }
        }
    };
}

mod circular;
mod complex;
mod exp;
mod hyperbolic;
mod inverse;
mod log;
mod logistic;
mod operations;
pub mod pow;
#[cfg(target_arch = "x86_64")]
pub mod quad;
mod scalar;

pub(crate) use circular::sincos_less_eighth;
pub use circular::{cos, sin, sincos, tan};
pub use complex::{cexp, hypot};
pub use exp::{exp, exp2, expm1};
pub use hyperbolic::{cosh, sinh, tanh_sech2};
pub use inverse::{acos, asin, atan, atan2};
pub use log::{log, log1p, log2, log10};
pub use logistic::{log_sigmoid, logaddexp, sigmoid_dsigmoid, softplus};
pub use operations::{Anywhere, Lanes, Rare, RareOfTwo, SHIFT, SHIFT_BIASED};
pub use pow::everywhere as pow;
pub use scalar::Scalar;
pub(crate) use scalar::is_normal;
