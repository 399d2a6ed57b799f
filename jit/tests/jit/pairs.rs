//! Functions of one operand that one native call computes together.

use crate::jit::{compile_cut, interpret, parse, same};
use adc_ir::interp::NoExterns;
use adc_ir::{Const, FuncId, Scalar};

/// How many native calls the whole function makes, and to what.
pub(crate) fn calls(text: &str) -> (usize, Vec<String>) {
    let clif = adc_jit::emit_clif(&parse(text), FuncId(0)).unwrap();
    let imports = clif.lines().filter_map(|l| l.split(" = adc_").nth(1));
    let names = imports.map(|l| l.split_whitespace().next().unwrap_or_default().to_string()).collect();
    (clif.matches("call fn").count(), names)
}

#[test]
fn partners_share_a_call() {
    for (a, b, both) in [
        ("sin", "cos", "sincos"),
        ("sech2", "tanh", "tanh_sech2"),
        ("sigmoid", "dsigmoid", "sigmoid_dsigmoid"),
    ] {
        for ty in ["f64", "f32"] {
            let text = format!(
                "fn f(x: {ty}) -> {ty} {{\n v0 = {a} x\n v1 = exp v0\n v2 = {b} x\n v3 = mul v1, v2\n return v3\n}}"
            );
            assert_eq!(calls(&text), (2, vec![both.to_string(), "exp".to_string()]), "{text}");
        }
    }
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "expects the code of x86-64")]
fn others_do_not() {
    let alone = "fn f(x: f64, y: f64) -> f64 {\n v0 = sin x\n v1 = tanh y\n v2 = mul v0, v1\n return v2\n}";
    // The one that takes longer comes first.
    assert_eq!(calls(alone), (2, vec!["tanh".to_string(), "sin".to_string()]));
    // A branch that may not run computes nothing ahead.
    let branch =
        "fn f(x: f64, c: bool) -> f64 {\n v0 = sin x\n v1 = if c {\n v2 = cos x\n yield v2\n } else {
 v3 = tanh x\n v4 = sech2 x\n v5 = mul v3, v4\n yield v5\n }\n v6 = add v0, v1\n return v6\n}";
    let names = ["sin", "cos", "tanh_sech2"].map(str::to_string).to_vec();
    assert_eq!(calls(branch), (3, names));
    let complex = "fn f(z: c128) -> c128 {\n v0 = sin z\n v1 = cos z\n v2 = add v0, v1\n return v2\n}";
    assert_eq!(calls(complex), (2, vec!["csin".to_string(), "ccos".to_string()]));
}

#[test]
fn bits_are_those_of_the_single_functions() {
    let text = "fn f(x: T, c: bool) -> (T, T, T, T, T, T, T) {
 v0 = cos x\n v1 = sigmoid x\n v2 = tanh x\n v3 = sin x\n v4 = sech2 x\n v5 = dsigmoid x\n v6 = sin x\n v7 = if c {
 v8 = sin v0\n v9 = cos v0\n v10 = mul v8, v9\n yield v10\n } else {\n v11 = mul v6, v4\n yield v11\n }
 return v0, v1, v2, v3, v4, v5, v7\n}";
    let numbers = [0.0, -0.0, 0.7, -2.5, 1e-9, 25.0, -800.0, 1e22, 5e-324, f64::INFINITY, f64::NAN];
    for ty in [Scalar::F64, Scalar::F32] {
        let m = parse(&text.replace(": T", &format!(": {ty}")).replace('T', ty.name()));
        for cut in [1, 3, 500] {
            let f = compile_cut(&m, FuncId(0), cut);
            for x in numbers {
                let args = [Const::real(x, ty), Const::Bool(x > 0.0)];
                let (expected, got) = (interpret(&m, FuncId(0), &args, &NoExterns), f.call(&args));
                assert!(same(&expected, &got), "{x:e} in {ty}, {cut} ops a unit: {got:?}, not {expected:?}");
            }
        }
    }
}
