//! Native functions that sources call: closures here, and functions of the language with the same values, whose derivatives are
//! their rules.

use adc::{C128, Externs, Scalar, Slice, SliceMut, Type};

/// Their declarations, and functions with the same values.
pub(crate) const DECLARED: &str = "\
extern fn native_real(x: f64, y: f64) -> f64;
fn native_real_core(x: f64, y: f64) -> f64 { x*y*y + 0.5*x }
extern fn native_complex(z: c128) -> c128;
fn native_complex_core(z: c128) -> c128 { z*conj(z) + z*z }
extern fn native_linear(#[linear] x: f64, #[linear] y: f64) -> f64;
rule vjp native_linear(x, y; g) { (2*g, -3*g) }
extern fn native_array[N, M](x: f64[N], k: f64) -> f64[N];
fn native_array_core[N, M](x: f64[N], k: f64) -> f64[N] { k*x*x }
";

/// Names, dimensions and parameters of those whose rules differentiate such a function.
pub(crate) const RULES: [(&str, &str, &str); 3] =
    [("native_real", "", "x, y"), ("native_complex", "", "z"), ("native_array", "[N, M]", "x, k")];

/// The closures.
pub(crate) fn externs() -> Externs {
    const VECTOR: Type = Type::Array(Scalar::F64, 1);
    let mut externs = Externs::new();
    externs.define_real("native_real", |[x, y]| x * y * y + 0.5 * x);
    externs.define_complex("native_complex", |[z]: [C128; 1]| z * z.conj() + z * z);
    externs.define_real("native_linear", |[x, y]| 2.0 * x - 3.0 * y);
    externs.define("native_array", &[VECTOR, Type::F64], &[VECTOR], |_, args, results| {
        let ([Slice::F64(x), Slice::F64(k)], [SliceMut::F64(y)]) = (args, results) else {
            unreachable!("as declared")
        };
        y.iter_mut().zip(*x).for_each(|(y, x)| *y = k[0] * x * x);
        Ok(())
    });
    externs
}
