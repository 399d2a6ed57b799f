//! adc differentiates, compiles and checks small numeric programs.
//!
//! A [`Model`] is parsed from source. Its [`Function`]s give derivative programs ([`Function::vjp`],
//! [`Function::jvp`], [`Function::grad`], …), which [`Function::compile`] turns into native code. [`check`]
//! compares compiled derivatives with compiled finite differences.
//!
//! ```
//! let model = adc::Model::parse("rosenbrock.dsl", "fn f(x: f64, y: f64) -> f64 { (1 - x)^2 + 100*(y - x^2)^2 }")?;
//! let f = model.function("f")?.value_and_grad(&[])?.compile(&adc::Options::default())?;
//! assert_eq!(f.call(&[0.0.into(), 1.0.into()])?, [101.0.into(), (-2.0).into(), 200.0.into()]);
//! assert!(adc::check(&model, &adc::CheckOptions::default()).passed());
//! # Ok::<(), adc::Error>(())
//! ```
//!
//! [`ir`], [`frontend`] and [`checker`] are the crates whose types some methods take or give ([`Function::ir`],
//! [`Model::program`], [`FileReport::reports`]).
//!
//! The cotangent of a real L with respect to z = x + iy is ∂L/∂x + i ∂L/∂y, the direction of steepest ascent;
//! [`Convention::Jax`] conjugates it.

#[cfg(doctest)]
mod book {
    #[doc = include_str!("../book/src/embedding.md")]
    mod embedding {}
}
pub mod bench;
mod call;
pub mod cli;
mod compiled;
mod convention;
mod difference;
mod error;
mod function;
mod json;
mod linearize;
mod model;
mod notation;
pub mod npy;
mod place;
mod point;
mod port;
mod render;
mod report;
pub mod selftest;
mod value;

pub use adc_checker::Fd;
pub use adc_checker::{self as checker, Cancel, Progress, Report, Settings, Status, Tolerance};
pub use adc_frontend::{self as frontend, Loader, SourceFile};
pub use adc_ir::{self as ir, Array, Buffer, RuntimeError, Scalar, Trap, Type, interp::Limits};
pub use adc_jit::{Externs, Slice, SliceMut, Stats, Workspace};
pub use adc_simplify::OptLevel;
pub use compiled::{Bound, Compiled, Options};
pub use convention::Convention;
pub use error::{Error, UsageError};
pub use function::Function;
pub use linearize::Pullback;
pub use model::{FileLoader, Model};
pub use num_complex::{Complex32 as C64, Complex64 as C128};
pub use place::Place;
pub use port::Port;
pub use render::{Diagnostics, Style};
pub use report::{
    CheckObserver, CheckOptions, FileReport, Selection, Suggested, check, check_observed, check_selected,
    suggest,
};
pub use value::{Element, Value, View};
