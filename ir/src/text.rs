//! The text form of the IR, an interface: what prints parses back to the same thing.
//!
//! ```text
//! extern "host_g" fn g(x: f64) -> f64
//!
//! #[inline]
//! #[rule(vjp, f.rule.vjp, trusted)]
//! fn f(x: f64 in [0, 1), #[nodiff] n: i64) -> (y: f64, out.1: bool) {
//!   v0 = f64 0.5
//!   v1 = lt x, v0
//!   v3 = if v1 {
//!     v2 = call g(x)
//!     yield v2
//!   } else {
//!     yield x
//!   }
//!   v4 = mul v3, v0      @0:35..41 ; 1:35  y * 0.5
//!   assert v1, "x < 0.5"
//!   assert_domain v1, "x in [0, 0.5)"
//!   return v4, v1
//! }
//! ```
//!
//! * Parameters stand by name, other values as `v0`, `v1`, … in order of definition (the values of an
//!   instruction's regions come before its results), whatever their internal numbers are.
//! * A name that is no plain identifier (letters, digits, `_`, `.`) or looks like a value is written as a string.
//! * Result names are left out where they are the default: `out`, or `out.0`, `out.1`, ….
//! * Types of values are inferred; where they cannot be (malformed programs only) they stand behind the
//!   name, `v0: f64 = …`.
//! * Literals are the shortest decimals that read back to the same bits; `inf`, `-inf`, `nan`, and
//!   `nan(0x7ff8000000000001)` for any NaN but the standard one. Complex: `c128 (1.0, -0.0)`.
//! * `@file:start..end` is the span of what stands before it; without one it is [`crate::Span::NONE`].
//! * `;` starts a comment that ends with the line.

mod lexer;
mod parse;
mod print;

pub use parse::parse_module;
pub(crate) use print::Names;
pub use print::{PrintOptions, print_func, print_module, print_module_with};
