//! Test-only: high-precision numbers for the reference interpreter.
//!
//! [`Big`] is a binary floating-point number with a 384-bit significand and an exponent so wide that
//! nothing a double holds over- or underflows in it; [`BigMath`] has the language's elementary functions
//! over it. Run through `adc_ir::interp`, a program gives about 110 correct decimal digits, which
//! leaves well over 100 bits after a second difference with a step of 2⁻⁸⁰.
//!
//! Branch cuts follow the signs of zeros (C99 Annex G). Complex arguments with infinite or NaN parts are not
//! given Annex G's special values: no test evaluates there. Arguments of circular functions
//! beyond 2¹¹⁰⁰ give NaN. Nothing is optimised for speed beyond a few microseconds per function.

mod bessel;
mod big;
mod complex;
mod consts;
mod exp_log;
mod gamma;
mod limbs;
mod math;
mod text;
mod trig;

pub use big::{BITS, Big};
pub use complex::{CBig, cbig, scale};
pub use math::BigMath;
pub use text::NotANumber;
