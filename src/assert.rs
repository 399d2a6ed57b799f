//! Checks in the tests of other programs.

use crate::report::{CheckOptions, check};
use crate::{Diagnostics, Model};

/// Checks a model as `adc check` does, and panics with the report unless it passes: for a `#[test]`.
///
/// Takes the path of the model, relative to the package's folder, or `source:` and its text; then, if they are not the default
/// ones, [`CheckOptions`].
///
/// ```
/// adc::assert_gradients!(source: "fn f(x: f64, y: f64) -> f64 { x*sin(y) }");
/// adc::assert_gradients!("models/normal.dsl", adc::CheckOptions::default().with_points(4));
/// ```
///
/// # Panics
/// If the model cannot be read or does not compile, if nothing in it can be checked, or if a check does not pass.
///
/// ```should_panic
/// adc::assert_gradients!(source: "fn cube(x: f64) -> f64 { x^3 }  rule vjp cube(x; g) { 2*g*x^2 }");
/// ```
#[macro_export]
macro_rules! assert_gradients {
    (source: $source:expr $(,)?) => {
        $crate::assert_gradients!(source: $source, $crate::CheckOptions::default())
    };
    (source: $source:expr, $options:expr $(,)?) => {
        $crate::assert_passes($crate::Model::parse(concat!(file!(), ":", line!()), $source), &$options)
    };
    ($path:expr $(,)?) => {
        $crate::assert_gradients!($path, $crate::CheckOptions::default())
    };
    ($path:expr, $options:expr $(,)?) => {
        $crate::assert_passes(
            $crate::Model::load(::std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join($path)),
            &$options,
        )
    };
}

/// What [`assert_gradients!`] calls.
#[doc(hidden)]
#[track_caller]
pub fn assert_passes(model: Result<Model, Diagnostics>, options: &CheckOptions) {
    let model = model.unwrap_or_else(|d| panic!("{d}"));
    let report = check(&model, options);
    assert!(report.passed(), "{report}");
}
