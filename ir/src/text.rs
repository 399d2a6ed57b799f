//! The text form of the IR, an interface: what prints parses back to the same thing.
//!
//! ```text
//! extern "host_g" fn g(x: f64, #[linear] y: f64) -> f64
//!
//! #[inline]
//! #[rule(vjp, f.rule.vjp, trust)]
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
//! ```text
//! fn g[N, D](x: f64[N, 2*D-1], y: f64[N]) -> (f64, n: i64, rest: f64[v2]) {
//!   v0 = i64 0
//!   v1 = i64 1
//!   v2 = mul N, N                             ; a size that is returned may stand in another result's type
//!   v3 = size 2*N+D
//!   v7: f64[N, 3] = build (v4, v5) {          ; region parameters: here the indices
//!     v6 = index x, v4, v5
//!     yield v6
//!   }
//!   v10 = reduce sum v0, N, v1 (v8) {         ; lo, hi, step
//!     v9 = index y, v8
//!     yield v9
//!   }
//!   v14, v15 = for v0, N, v1, v10, y (v11, v12, v13) {
//!     yield v12, v13
//!   }
//!   v20 = while v14 (v16) {
//!     v17 = lt v16, v10
//!     yield v17
//!   } do (v18) {
//!     v19 = add v18, v10
//!     yield v19
//!   }
//!   v21: f64[v2] = fill v20                   ; the result's type says the sizes of fill, slice, reshape, build
//!   v22 = update v15, v20, v0
//!   v23 = call h[N, v3](v22, v7)              ; dimensions, then arguments
//!   return v20, v2, v21
//! }
//! ```
//!
//! * Dimensions and parameters stand by name, other values as `v0`, `v1`, … in order of definition (the values of an
//!   instruction's regions come before its results), whatever their internal numbers are.
//! * What a loop gives beside its carries stands behind its operands: `for v0, N, v1, v10 sums 1 collects 2 checkpoint sqrt (…)`.
//! * `derived grad(f, 0) fn grad.f[N](x: f64[N]) -> (x_bar: f64[N])` is declared and not written: the gradient of `f` with
//!   respect to the parameter at position 0.
//! * `#[of_rule]`, `#[of_rule(first_order)]`, `#[of_rule(trust)]` and `#[of_rule(nonlinear)]` stand before a derivative of a
//!   rule; what is named in `#[rule(…)]` needs no such word.
//! * A name that is no plain identifier (letters, digits, `_`, `.`) or looks like a value is written as a string.
//! * Result names are left out where they are the default: `out`, or `out.0`, `out.1`, ….
//! * Sizes are polynomials, highest degree first, values in order of definition.
//! * Types of values are inferred; where they cannot be they stand behind the name, `v0: f64 = …`: where the type says
//!   the size, where a call's result is sized by another result, and in malformed programs.
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
