//! What code costs to generate: time of each CLIF instruction of a straight line of 3000 operations, by effort and by
//! operations of a unit. Run with `cargo bench -p adc-jit --bench compile`.

use adc_ir::testing::Rng;
use adc_ir::{Builder, FuncId, Module, Op, Scalar, Span, Value};
use adc_jit::{Effort, Externs, Options};
use std::time::Instant;

/// Operands are neighbours (`chain`), come from anywhere (`far`), or as in a gradient: a second half meets the values of
/// the first in reverse order.
fn line(n: usize, shape: &str) -> Module {
    let mut rng = Rng::new(n as u64);
    let mut b = Builder::new("line", Span::NONE);
    let mut values: Vec<Value> = (0..8).map(|i| b.param(format!("x{i}"), Scalar::F64)).collect();
    let half = b.num(0.5, Scalar::F64);
    while values.len() < n / 2 {
        let y = values[values.len() - 1];
        let x = match shape {
            "far" => values[rng.below(values.len())],
            _ => values[values.len() - 2],
        };
        let sum = b.op(Op::Add, &[y, x]);
        values.push(b.op(Op::Mul, &[sum, half]));
    }
    let mut bar = values[values.len() - 1];
    if shape == "gradient" {
        for v in values.iter().rev() {
            let step = b.op(Op::Mul, &[bar, *v]);
            bar = b.op(Op::Add, &[step, half]);
        }
    }
    let mut m = Module::default();
    m.add(b.finish(vec![("y".into(), values[values.len() - 1]), ("bar".into(), bar)]));
    m
}

fn main() {
    println!("{:10}{:>8}{:>10}{:>8}{:>10}{:>12}", "shape", "effort", "unit_ops", "insts", "ms", "µs/inst");
    for shape in ["chain", "far", "gradient"] {
        let m = line(3000, shape);
        for (effort, unit_ops) in [
            (Effort::Full, 500),
            (Effort::Quick, 500),
            (Effort::Quick, 2000),
            (Effort::Full, 10_000),
            (Effort::Quick, 10_000),
        ] {
            let mut options = Options::default();
            (options.effort, options.unit_ops) = (effort, unit_ops);
            let (mut best, mut insts) = (f64::INFINITY, 0);
            for _ in 0..20 {
                let start = Instant::now();
                let code = adc_jit::compile(&m, &[FuncId(0)], &Externs::new(), &options);
                best = best.min(start.elapsed().as_secs_f64());
                insts = code.expect("it compiles")[0].stats().clif_insts;
            }
            let (effort, each) = (format!("{effort:?}"), best * 1e6 / insts as f64);
            println!("{shape:10}{effort:>8}{unit_ops:>10}{insts:>8}{:>10.2}{each:>12.2}", best * 1e3);
        }
    }
}
