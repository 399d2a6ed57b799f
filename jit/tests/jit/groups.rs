//! Functions of several numbers that one native call computes together.

use crate::jit::pairs::calls;
use crate::jit::{compile_cut, interpret, parse, same};
use adc_ir::interp::NoExterns;
use adc_ir::{Const, FuncId, Scalar};

/// Whether this machine has functions of four numbers.
fn is_there() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Compares the number of calls, and what is called.
fn shared(text: &str, count: usize, names: &[&str]) {
    if is_there() {
        assert_eq!(calls(text), (count, names.iter().map(|s| s.to_string()).collect()), "{text}");
    }
}

#[test]
fn independent_numbers_share_a_call() {
    // Operands of later ones are computed ahead, whatever stands in between.
    shared(
        "fn f(x: f64, y: f64) -> f64 {
 v0 = exp x\n v1 = mul x, y\n v2 = log v0\n v3 = add v1, x\n v4 = exp v3\n v5 = add v2, v4\n return v5\n}",
        2,
        &["4_exp", "log"],
    );
    // Both functions of a pair, of two numbers.
    shared(
        "fn f(x: f64, y: f64) -> f64 {
 v0 = sin x\n v1 = cos y\n v2 = cos x\n v3 = mul v0, v1\n v4 = mul v2, v3\n return v4\n}",
        1,
        &["4_sincos"],
    );
    // Five: four and one.
    shared(
        "fn f(a: f64, b: f64, c: f64, d: f64, e: f64) -> (f64, f64, f64, f64, f64) {
 v0 = log a\n v1 = log b\n v2 = log c\n v3 = log d\n v4 = log e\n return v0, v1, v2, v3, v4\n}",
        2,
        &["4_log", "log"],
    );
    // Powers from three on.
    shared(
        "fn f(a: f64, b: f64, c: f64, d: f64) -> f64 {
 v0 = pow a, b\n v1 = pow c, d\n v2 = pow b, c\n v3 = mul v0, v1\n v4 = mul v2, v3\n return v4\n}",
        1,
        &["4_pow"],
    );
    shared(
        "fn f(a: f64, b: f64, c: f64, d: f64) -> f64 {
 v0 = pow a, b\n v1 = pow c, d\n v2 = mul v0, v1\n return v2\n}",
        2,
        &["pow"],
    );
}

#[test]
fn numbers_that_depend_on_each_other_do_not() {
    shared("fn f(x: f64) -> f64 {\n v0 = exp x\n v1 = exp v0\n return v1\n}", 2, &["exp"]);
    let chain = "fn f(x: f64) -> f64 {\n v0 = sin x\n v1 = exp v0\n v2 = cos v1\n return v2\n}";
    shared(chain, 3, &["sin", "exp", "cos"]);
    // The second sine waits for the exponential, so the first, which nothing needs before, waits, too.
    shared(
        "fn f(x: f64, y: f64) -> f64 {
 v0 = sin x\n v1 = exp y\n v2 = sin v1\n v3 = add v0, v2\n return v3\n}",
        2,
        &["exp", "4_sincos"],
    );
    // What a branch computes stays there.
    shared(
        "fn f(x: f64, c: bool) -> f64 {
 v0 = exp x\n v1 = if c {\n v2 = neg x\n v3 = exp v2\n yield v3\n } else {\n yield x\n }\n v4 = add v0, v1\n return v4\n}",
        2,
        &["exp"],
    );
}

#[test]
fn bits_are_those_of_the_single_functions() {
    let text = "fn f(x: T, y: T, z: T, c: bool) -> (T, T, T, T, T) {
 v0 = cos x\n v1 = sin y\n v2 = exp z\n v3 = exp v0\n v4 = tanh x\n v5 = sech2 y\n v6 = if c {
 v7 = log v3\n v8 = log z\n v9 = log x\n v10 = mul v7, v8\n v11 = add v9, v10\n yield v11
 } else {\n v12 = sin v2\n v13 = mul v12, v5\n yield v13\n }
 v14 = i64 0\n v15 = i64 3\n v16 = i64 1
 v17 = for v14, v15, v16, v6 (v27, v28) {\n v18 = sin v28\n v19 = cos v1\n v20 = pow y, z\n v21 = pow v18, v19\n v22 = add v20, v21\n yield v22\n }
 v23 = sin v4\n v24 = logaddexp x, y\n v25 = logaddexp v23, z\n v26 = add v24, v25
 return v0, v3, v6, v17, v26\n}";
    let numbers = [0.0, -0.0, 0.7, -2.5, 1e-9, 25.0, -800.0, 1e22, 5e-324, f64::INFINITY, f64::NAN];
    for ty in [Scalar::F64, Scalar::F32] {
        let m = parse(&text.replace(": T", &format!(": {ty}")).replace('T', ty.name()));
        for cut in [1, 3, 500] {
            let f = compile_cut(&m, FuncId(0), cut);
            for (i, x) in numbers.iter().enumerate() {
                for y in numbers {
                    let z = numbers[(i * 7 + 3) % numbers.len()];
                    let args =
                        [Const::real(*x, ty), Const::real(y, ty), Const::real(z, ty), Const::Bool(*x > 0.0)];
                    let (expected, got) = (interpret(&m, FuncId(0), &args, &NoExterns), f.call(&args));
                    assert!(
                        same(&expected, &got),
                        "{x:e}, {y:e} in {ty}, {cut} ops a unit: {got:?}, not {expected:?}"
                    );
                }
            }
        }
    }
}
