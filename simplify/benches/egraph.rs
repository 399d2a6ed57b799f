//! Time of the passes on straight-line code: gradients as reverse mode leaves them, 3000 and 100 000 ops.

use adc_ir::{Builder, FuncId, Module, Op, Scalar, Span, Type};
use adc_simplify::egraph::{Effort, functions};
use adc_simplify::{OptLevel, canonicalise, run};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// The gradient of a chain of `steps` steps, each of some products, a quotient and a function, common subexpressions and all.
fn chain(steps: usize) -> Module {
    let mut b = Builder::new("f", Span::NONE);
    let [x, y, z] = ["x", "y", "z"].map(|n| b.param(n, Type::F64));
    let mut s = x;
    for k in 0..steps {
        let c = b.num(1.0 + k as f64 / 64.0, Scalar::F64);
        let a = b.op(Op::Mul, &[s, y]);
        let d = b.op(Op::Mul, &[c, z]);
        let e = b.op(Op::Add, &[a, d]);
        let f = b.op([Op::Sin, Op::Exp, Op::Tanh, Op::Sqrt][k % 4], &[e]);
        let g = b.op(Op::Square, &[x]);
        let h = b.op(Op::Add, &[f, g]);
        s = b.op(Op::Div, &[h, e]);
    }
    let mut m = Module::default();
    let f = m.add(b.finish(vec![("out".into(), s)]));
    adc_ad::vjp(&mut m, f, &[0, 1, 2], &[0], true).expect("differentiable");
    m
}

/// A gradient of at least `ops` instructions.
fn gradient(ops: usize) -> (Module, FuncId) {
    let per_step = chain(100).funcs[1].inst_count() / 100;
    let m = chain(ops / per_step + 2);
    let f = FuncId(m.funcs.len() as u32 - 1);
    (m, f)
}

fn passes(c: &mut Criterion) {
    for ops in [3_000usize, 100_000] {
        let (m, f) = gradient(ops);
        let size = m.func(f).inst_count() as u64;
        let mut canonical = m.clone();
        canonicalise(&mut canonical);
        let mut group = c.benchmark_group(format!("{size} ops"));
        group.sample_size(10);
        let mut bench = |name: &str, ops: u64, from: &Module, pass: &dyn Fn(&mut Module)| {
            group.throughput(Throughput::Elements(ops)).bench_function(name, |b| {
                b.iter_batched(
                    || from.clone(),
                    |mut m| {
                        pass(&mut m);
                        black_box(m)
                    },
                    BatchSize::LargeInput,
                )
            });
        };
        // The primal, too, is put into canonical form.
        let all = m.funcs.iter().map(|f| f.inst_count() as u64).sum();
        bench("canonicalise", all, &m, &|m| canonicalise(m));
        let which: Vec<bool> = (0..m.funcs.len()).map(|i| i == f.0 as usize).collect();
        bench("egraph", size, &canonical, &|m| functions(m, &which, Effort::Bounded));
        bench("exact passes of level 2", size, &m, &|m| run(m, &[f], OptLevel::O2));
    }
}

criterion_group!(benches, passes);
criterion_main!(benches);
