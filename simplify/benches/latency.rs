//! Latencies of the functions that compiled code calls, and of arithmetic: what the table in `simplify/src/cost.rs` is made of.
//!
//! Each function is in a chain, the operand of the next call being a fixed number plus 10⁻³⁰⁰ times the result; the
//! latency of that sum and product is taken off. Printed in quarters of the latency of an addition, a cycle on the target.

use adc_runtime::real::{self, *};
use std::hint::black_box;
use std::time::Instant;

const CALLS: usize = 200_000;

fn chain(x: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let mut y = x;
        let start = Instant::now();
        for _ in 0..CALLS {
            y = x + f(black_box(y)) * 1e-300;
        }
        black_box(y);
        best = best.min(start.elapsed().as_nanos() as f64 / CALLS as f64);
    }
    best
}

fn main() {
    let bare = chain(0.7, |y| y);
    let add = (chain(0.7, |y| y + 0.3 + 0.1 + 0.2 + 0.7) - bare) / 4.0;
    println!("an addition: {add:.2} ns");
    let row = |name: &str, x: f64, f: &dyn Fn(f64) -> f64| {
        println!("{name:12} {:6.1}", 4.0 * (chain(x, f) - bare) / add);
    };
    row("mul", 0.7, &|y| y * 1.1 * 1.3 * 0.9 * 1.2);
    row("div", 0.7, &|y| 1.1 / (1.3 / y));
    row("sqrt", 0.7, &|y| y.sqrt().sqrt());
    type Function = (&'static str, fn(f64) -> f64);
    let functions: &[Function] = &[
        ("exp", exp),
        ("expm1", expm1),
        ("exp2", exp2),
        ("log", log),
        ("log2", log2),
        ("log10", log10),
        ("log1p", log1p),
        ("cbrt", cbrt),
        ("sin", sin),
        ("cos", cos),
        ("tan", tan),
        ("asin", asin),
        ("acos", acos),
        ("atan", atan),
        ("sinh", sinh),
        ("cosh", cosh),
        ("tanh", tanh),
        ("asinh", asinh),
        ("atanh", atanh),
        ("sech2", sech2),
        ("sigmoid", sigmoid),
        ("dsigmoid", dsigmoid),
        ("softplus", softplus),
        ("log_sigmoid", log_sigmoid),
        ("erf", erf),
        ("erfc", erfc),
        ("lgamma", lgamma),
        ("digamma", digamma),
        ("gamma", gamma),
        ("j0", j0),
        ("j1", j1),
        ("y0", y0),
        ("y1", y1),
    ];
    for (name, f) in functions {
        row(name, 0.7, f);
    }
    row("acosh", 1.7, &|y| acosh(y));
    row("pow", 1.7, &|y| pow(y, 1.7));
    row("powi", 1.7, &|y| powi(y, 5));
    row("hypot", 1.7, &|y| hypot(y, 0.3));
    row("atan2", 1.7, &|y| atan2(y, 0.3));
    row("logaddexp", 1.7, &|y| logaddexp(y, 0.3));
    row("mod", 1.7, &|y| real::floor_mod(y, 0.3));
    row("sincos", 0.7, &|y| {
        let p = sincos(y);
        p.first + p.second
    });
    row("tanh_sech2", 0.7, &|y| {
        let p = tanh_sech2(y);
        p.first + p.second
    });
    row("sigmoid_d", 0.7, &|y| {
        let p = sigmoid_dsigmoid(y);
        p.first + p.second
    });
}
