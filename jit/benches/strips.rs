//! Loops over 1024 doubles with and without strips: nanoseconds a call, best of many batches, and the ratio of the two in
//! one run. The bits are compared first.

use adc_ir::FuncId;
use adc_ir::text::parse_module;
use adc_jit::{Arg, Compiled, Externs, Options, Out, Slice, SliceMut, Workspace};
use std::hint::black_box;
use std::time::Instant;

const N: usize = 1024;

/// Name, program, whether the result is an array.
const LOOPS: [(&str, &str, bool); 6] = [
    (
        "dot",
        "fn f(x: f64[1024], y: f64[1024]) -> f64 {
           v0 = i64 0 v1 = i64 1024 v2 = i64 1
           v3 = reduce sum v0, v1, v2 (v4) {
             v5 = index x, v4
             v6 = index y, v4
             v7 = mul v5, v6
             yield v7
           }
           return v3
         }",
        false,
    ),
    (
        "axpy",
        "fn f(x: f64[1024], y: f64[1024]) -> f64[1024] {
           v0 = f64 1.25
           v1: f64[1024] = build (v2) {
             v3 = index x, v2
             v4 = index y, v2
             v5 = mul v0, v3
             v6 = add v5, v4
             yield v6
           }
           return v1
         }",
        true,
    ),
    ("exp", "exp", true),
    ("log", "log", true),
    ("tanh", "tanh", true),
    (
        "rosenbrock",
        // The gradient of Σ 100 (y - x²)² + (1 - x)² by x, and the value.
        "fn f(x: f64[1024], y: f64[1024]) -> f64[1024] {
           v0 = f64 1.0 v1 = f64 -400.0 v2 = f64 -2.0
           v3: f64[1024] = build (v4) {
             v5 = index x, v4
             v6 = index y, v4
             v7 = mul v5, v5
             v8 = sub v6, v7
             v9 = sub v0, v5
             v10 = mul v5, v8
             v11 = mul v1, v10
             v12 = mul v2, v9
             v13 = add v11, v12
             yield v13
           }
           return v3
         }",
        true,
    ),
];

fn program(text: &str) -> String {
    if text.contains(' ') {
        return text.to_string();
    }
    format!(
        "fn f(x: f64[1024], y: f64[1024]) -> f64[1024] {{
           v0: f64[1024] = build (v1) {{
             v2 = index x, v1
             v3 = {text} v2
             yield v3
           }}
           return v0
         }}"
    )
}

fn compile(text: &str, strips: Option<u32>) -> Compiled {
    let module = parse_module(&program(text)).expect("the program is right");
    let mut options = Options::default();
    options.strips = strips;
    adc_jit::compile(&module, &[FuncId(0)], &Externs::new(), &options).expect("it compiles").remove(0)
}

fn main() {
    let x: Vec<f64> = (0..N).map(|i| 0.3 + (i * 7 % 64) as f64 / 40.0).collect();
    let y: Vec<f64> = (0..N).map(|i| 0.5 + (i * 5 % 64) as f64 / 50.0).collect();
    println!("{:12}{:>10}{:>10}{:>8}", "N = 1024", "loop ns", "strip ns", "ratio");
    for (name, text, array) in LOOPS {
        let code = [compile(text, None), compile(text, Some(8))];
        let mut best = [f64::INFINITY; 2];
        let mut results: [Vec<u64>; 2] = Default::default();
        let mut workspace = Workspace::new();
        for _ in 0..60 {
            for (k, code) in code.iter().enumerate() {
                let mut out = vec![0.0; N];
                let mut sum = adc_ir::Const::F64(0.0);
                let start = Instant::now();
                for _ in 0..50 {
                    let args = [&x, &y].map(|x| Arg::Array(Slice::F64(black_box(x))));
                    let place =
                        if array { Out::Array(SliceMut::F64(&mut out)) } else { Out::Scalar(&mut sum) };
                    code.call_into(&mut workspace, args, [place]).expect("nothing fails");
                }
                best[k] = best[k].min(start.elapsed().as_secs_f64() * 1e9 / 50.0);
                results[k] =
                    if array { out.iter().map(|x| x.to_bits()).collect() } else { vec![sum.bits().1] };
            }
        }
        assert_eq!(results[0], results[1], "{name}: the same bits");
        println!("{name:12}{:>10.0}{:>10.0}{:>8.2}", best[0], best[1], best[1] / best[0]);
    }
}
