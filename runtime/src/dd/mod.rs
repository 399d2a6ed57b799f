//! Double-double numbers, the unevaluated sums of two doubles, and the language's functions of them: about 31 digits, at a
//! tenth of the speed of doubles. With them the checker runs a program beside itself.
//!
//! Every function is accurate to 10⁻²⁸ of its value (of its modulus where it is complex), near zeros, poles and branch cuts too.
//! Those that say so lose digits where their terms cancel or their condition number is large: `logaddexp`, the gamma family
//! and Bessel functions at zeros, powers with large exponents. `tests/dd/` measures all. Where `hi` is infinite or NaN, or the value is, it is that of
//! the function of doubles with a `lo` of 0. Signs of zeros and sides of cuts are those of the functions of doubles.
//!
//! Deliberately absent: sums, products and the like as native functions, which whoever uses them emits inline.

mod arith;
mod bessel;
mod circular;
pub mod complex;
mod constant;
pub(crate) mod each;
mod erf;
mod exact;
mod exp_log;
mod gamma;
mod hyperbolic;
pub mod linalg;
mod logistic;
mod polygamma;
mod power;
mod reduction;
mod sinc;
mod total;
pub(crate) mod wide;

pub use arith::Dd;
pub use bessel::*;
pub use circular::*;
pub use complex::Cdd;
pub use erf::*;
pub(crate) use exact::{sum_of_products, two_prod, two_sum};
pub use exp_log::*;
pub use gamma::*;
pub use hyperbolic::*;
pub use logistic::*;
pub use polygamma::*;
pub use power::*;
pub use sinc::*;
