//! adc differentiates, compiles and checks small numeric programs.
//!
//! A [`Model`] is parsed from source. Its [`Function`]s give derivative programs ([`Function::vjp`],
//! [`Function::jvp`], [`Function::grad`], …), which [`Function::compile`] turns into native code. [`check`]
//! compares compiled derivatives with compiled finite differences.
//!
//! ```
//! let model = adc::Model::parse("rosenbrock.dsl", "fn f(x: f64, y: f64) -> f64 { (1 - x)^2 + 100*(y - x^2)^2 }")?;
//! let f = model.function("f")?.value_and_grad(adc::Wrt::All)?.compile(&adc::Options::default())?;
//! assert_eq!(f.call(&[0.0.into(), 1.0.into()])?, [101.0.into(), (-2.0).into(), 200.0.into()]);
//! assert!(adc::check(&model, &adc::CheckOptions::default()).passed());
//! # Ok::<(), adc::Error>(())
//! ```
//!
//! [`ir`], [`frontend`] and [`checker`] have the types of the crates below that methods take or give ([`Function::ir`],
//! [`Model::program`], [`FileReport::reports`]).
//!
//! Features: `cli`, the default, is the command line (`adc::cli`); `npy` reads and writes NumPy's files (`adc::npy`,
//! `load("data.npy")` in models); `build` writes object files ([`build`]). With `default-features = false` none is compiled.
//!
//! The cotangent of a real L with respect to z = x + iy is ∂L/∂x + i ∂L/∂y, the direction of steepest ascent;
//! [`Convention::Jax`] conjugates it.

#[cfg(doctest)]
mod book {
    #[doc = include_str!("../book/src/embedding.md")]
    mod embedding {}
}
mod assert;
#[cfg(feature = "cli")]
pub mod bench;
#[cfg(feature = "build")]
pub mod build;
mod call;
#[cfg(feature = "cli")]
pub mod cli;
mod compiled;
mod convention;
mod coo;
mod difference;
mod error;
mod files;
mod function;
#[cfg(feature = "cli")]
mod json;
mod linearize;
mod model;
#[cfg(feature = "npy")]
pub mod npy;
mod output;
mod port;
mod render;
mod report;
mod sparse;
mod text;
mod value;
mod wrt;

pub use adc_checker::{Cancel, Fd, Progress, Report, Settings, Status, Tolerance};
pub use adc_frontend::{FnValues, Loader, SourceFile};
pub use adc_ir::{Array, Buffer, FpMode, RuntimeError, Scalar, Trap, Type, interp::Limits};
pub use adc_jit::{Externs, LibraryError, Slice, SliceMut, Stats, Workspace};
pub use adc_simplify::OptLevel;
#[doc(hidden)]
pub use assert::assert_passes;
pub use compiled::{Bound, Caller, Compiled, Direct, Fixed, Numbers, Options};
pub use convention::Convention;
pub use coo::Coo;
pub use error::{Error, UsageError};
pub use function::Function;
pub use linearize::Linearization;
pub use model::{FileLoader, Model};
pub use num_complex::{Complex32 as C64, Complex64 as C128};
pub use output::OutputRef;
pub use port::Port;
pub use render::{Diagnostics, Style};
pub use report::{
    CheckObserver, CheckOptions, FileReport, Selection, Suggested, check, check_observed, check_selected,
    suggest,
};
pub use sparse::Sparse;
pub use value::{Element, Value, View};
pub use wrt::Wrt;

/// The IR, and what messages are made of.
pub mod ir {
    pub use adc_ir::{
        BenchBlock, CheckBlock, Code, Const, Datum, Diagnostic, Dim, DimParam, Expect, FileId, Func, FuncId,
        Label, Mode, Module, Param, ParamDomain, ResultDecl, Severity, Span,
    };
}

/// A model as the front end gives it.
pub mod frontend {
    pub use adc_frontend::Program;
}

/// What is reported of a check.
pub mod checker {
    pub use adc_checker::{
        Assumed, Backends, Birth, Blame, BlamedKind, BlamedOp, BlamedRewrite, ComparedAt, Counterfactual,
        Counts, Direction, Endless, Entry, Hole, How, Identity, IdentityKind, Iteration, Limits, Means,
        Mistake, MistakeKind, Named, Order, Origin, Part, PointReport, Probe, Quotients, Report, Resolution,
        Root, Settings, Severity, Site, Small, Stage, Status, StepCurve, Tally, Tolerance, Verdict,
        VerdictInfo, Wirtinger, Zero,
    };
}
