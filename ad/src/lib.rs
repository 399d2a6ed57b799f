//! adc's derivative passes: one rule table, JVP and VJP, of scalars, arrays and loops.
//!
//! Everything emitted is ordinary IR, so derivatives of derivatives are derivatives. The convention for complex
//! numbers: the cotangent of a real L with respect to z = x + iy is ∂L/∂x + i ∂L/∂y = 2 ∂L/∂z*, and the adjoint
//! identity is Re(conj(v)·J(u)) = Re(conj(VJP(v))·u).
//!
//! Absent on purpose: simplification (products with literals aside) and any notion of execution.

mod activity;
mod arrays;
mod calls;
mod check;
pub mod colouring;
mod emit;
mod factors;
mod fold;
mod formula;
mod hoist;
mod jvp;
mod linalg;
mod linear;
mod linearity;
mod make;
mod method;
mod operators;
mod plan;
mod products;
mod program;
mod pullback;
mod request;
mod rules;
mod session;
mod single;
mod sparsity;
mod storage;
mod sweep;
mod vjp;

pub use check::check_rules;
pub use formula::{Formula, Reads};
pub use make::{MAX_MADE, MAX_TIMES};
pub use method::Method;
pub use operators::{Block, expand, expand_for, grad, grad_with, hess_diag, hessian, hvp, jacobian};
pub use request::{Linearized, jvp, linearize, vjp, vjp_with};
pub use rules::{Partial, Row, Rules, rule, sensitivities};
pub use single::{rule_jvp, rule_vjp};
pub use sparsity::{Pattern, sparsity};
pub use storage::{Policy, Store};
