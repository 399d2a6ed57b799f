//! Functions that call themselves over their dimensions: differentiated once these are numbers, refused before.

use crate::common;

use adc_ad::{expand, expand_for, jvp};
use adc_ir::interp::Val;
use adc_ir::specialise::specialise;
use adc_ir::text::parse_module;
use adc_ir::{Code, Module};
use adc_precise::Big;
use common::*;

/// x[0]² x[1]² …, by halves of a recursion.
fn product() -> Module {
    let text = "fn f[N](x: f64[N]) -> f64 {\n  v0 = i64 1\n  v1 = i64 0\n  v2 = eq N, v1\n  v3 = if v2 {\n    v4 = f64 1.0\n    \
                yield v4\n  } else {\n    v5 = sub N, v0\n    v6: f64[N-1] = slice x, v0\n    v7 = call f[v5](v6)\n    \
                v8 = index x, v1\n    v9 = square v8\n    v10 = mul v9, v7\n    yield v10\n  }\n  return v3\n}\n\
                derived jvp(f, 0) fn g[N](x: f64[N], x_dot: f64[N]) -> (out_dot: f64)\n";
    parse_module(text).unwrap_or_else(|d| panic!("{d:?}"))
}

#[test]
fn open_dimensions_are_refused() {
    let mut m = product();
    let f = m.find("f").expect("it is there");
    for error in [jvp(&mut m, f, &[0]).map(|_| ()), expand(&mut m)] {
        let error = error.expect_err("its dimension is open");
        assert_eq!(error.code, Code::Recursion);
        assert!(error.help.iter().any(|h| h.contains("`f[N = 3]`")), "{error:?}");
    }
}

#[test]
fn instances_are_differentiated() {
    let mut m = product();
    let f = m.find("f").expect("it is there");
    let f3 = specialise(&mut m, f, &[3]).expect("small");
    expand_for(&mut m, f3).expect("it is no derivative");
    let program = jvp(&mut m, f3, &[0]).expect("it calls other functions only");
    let vector = |x: [f64; 3]| Val::array(&[3], x.iter().map(|x| Val::Real(Big::from(*x))).collect());
    let found = call(&m, program, &[vector([2.0, 3.0, 5.0]), vector([1.0, 0.0, 10.0])]);
    let expected = [900.0, 900.0 + 36.0 * 2.0 * 5.0 * 10.0].map(|x| Val::Real(Big::from(x)));
    assert!(distance(&found, &expected) < 1e-14, "{found:?}");
}
