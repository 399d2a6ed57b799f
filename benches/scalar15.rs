//! scalar15: time from source text to native gradient, time of one call and of a row of a batch, time of a check, counts of the code, and
//! the ratio to hand-written C (`benches/reference/scalar15.c`) taken in the same run.

use adc::{CheckOptions, Model, OptLevel, Options, Value, Workspace, Wrt};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const SOURCE: &str = include_str!("../models/bench/scalar15.dsl");
const POINT: [f64; 3] = [0.7, 1.3, 0.4];

fn inputs() -> [Value<'static>; 3] {
    POINT.map(Value::from)
}

fn consts() -> [adc_ir::Const; 3] {
    POINT.map(adc_ir::Const::from)
}

fn gradient(opt: OptLevel) -> adc::Compiled {
    let model = Model::parse("scalar15.dsl", SOURCE).expect("the model is right");
    let f = model.function("scalar15").expect("it is there");
    f.value_and_grad(Wrt::All)
        .expect("it has a gradient")
        .compile(&Options::default().with_opt(opt))
        .expect("it compiles")
}

fn compile(c: &mut Criterion) {
    c.bench_function("scalar15/compile (source to native gradient)", |b| {
        b.iter(|| gradient(OptLevel::default()))
    });
}

fn call(c: &mut Criterion) {
    let f = gradient(OptLevel::default());
    let mut workspace = Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let mut out = [const { Value::F64(0.0) }; 4];
    let x = inputs();
    c.bench_function("scalar15/call (value and gradient)", |b| {
        b.iter(|| bound.call_into(black_box(&x), &mut out).expect("the point is inside every domain"));
    });
}

/// Problem (a): scalar15's function at one point, warm.
fn check(c: &mut Criterion) {
    let model = Model::parse("scalar15.dsl", SOURCE).expect("the model is right");
    for (name, modes) in [
        ("slow", vec![adc_ir::Mode::Slow]),
        ("fast", vec![adc_ir::Mode::Fast]),
        ("gradgrad", vec![adc_ir::Mode::Gradgrad]),
    ] {
        let mut settings = adc::Settings::default();
        settings.modes = Some(modes);
        let externs = adc::Externs::default();
        let ctx = adc_checker::Context::new(model.module(), &externs, CheckOptions::default().opt);
        let block = &model.program().checks[0];
        let mut prepared = adc_checker::Prepared::new(&ctx, block, &settings).expect("it can be checked");
        c.bench_function(&format!("scalar15/check (a), {name}, warm"), |b| {
            b.iter(|| {
                prepared
                    .run_point(black_box(&consts().map(Into::into)), 0)
                    .expect("no run-time error")
                    .failed()
            });
        });
    }
}

/// Deterministic counts, and the ratio to C.
fn counts(_: &mut Criterion) {
    for opt in [OptLevel::O0, OptLevel::default()] {
        let s = gradient(opt).stats();
        println!(
            "scalar15/gradient, {opt:?}: {} IR ops, {} CLIF instructions, {} code bytes",
            s.ir_ops, s.clif_insts, s.code_bytes
        );
    }
    let Some((c_ns, c_values)) = reference() else {
        println!("no C compiler: no ratio");
        return;
    };
    let f = gradient(OptLevel::default());
    let mut workspace = Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let (mut out, x) = ([const { Value::F64(0.0) }; 4], inputs());
    let mut batches: Vec<f64> = (0..401)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..2000 {
                bound
                    .call_into(black_box(&x), black_box(&mut out))
                    .expect("the point is inside every domain");
            }
            start.elapsed().as_secs_f64() * 1e9 / 2000.0
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    for (value, reference) in out.iter().zip(c_values) {
        let Value::F64(value) = value else { unreachable!("scalar15 is real") };
        assert!((value - reference).abs() <= 1e-12 * reference.abs(), "{value} against {reference} in C");
    }
    let ns = batches[batches.len() / 2];
    println!("scalar15/call: {ns:.1} ns, C {c_ns:.1} ns, ratio {:.2}", ns / c_ns);
}

/// A row of a batch of values and gradients on one thread, beside one call by itself.
fn batch(_: &mut Criterion) {
    const ROWS: usize = 10_000;
    let model = Model::parse("scalar15.dsl", SOURCE).expect("the model is right");
    let f =
        model.function("scalar15").expect("it is there").value_and_grad(Wrt::All).expect("it has a gradient");
    let f = f.compile(&Options::default().with_threads(1)).expect("it compiles");
    let near = |(k, x): (usize, &f64)| x + (k % 1000) as f64 * 1e-4;
    let points: Vec<f64> = POINT.iter().cycle().take(3 * ROWS).enumerate().map(near).collect();
    let mut results = vec![0.0; 4 * ROWS];
    let mut direct = f.direct::<[f64; 3], [f64; 4]>().expect("it is one of doubles");
    let (mut row, mut call) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..200 {
        let start = Instant::now();
        f.batch_reals(black_box(&points), &mut results).expect("all points are inside every domain");
        row = row.min(start.elapsed().as_secs_f64() * 1e9 / ROWS as f64);
        let start = Instant::now();
        for point in points.chunks(3).take(2000) {
            let point = [point[0], point[1], point[2]];
            black_box(direct.call(black_box(point)).expect("all points are inside every domain"));
        }
        call = call.min(start.elapsed().as_secs_f64() * 1e9 / 2000.0);
    }
    println!("scalar15/batch: {row:.1} ns a row, one call {call:.1} ns, {:.1} times as long", call / row);
}

/// Nanoseconds of one call, and value and gradient, of the C program.
fn reference() -> Option<(f64, [f64; 4])> {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/reference/scalar15.c"));
    let program = std::env::temp_dir().join(format!("adc-scalar15-{}", std::process::id()));
    let built =
        Command::new("cc").args(["-O3", "-march=native", "-o"]).arg(&program).arg(source).arg("-lm").status();
    if !built.is_ok_and(|s| s.success()) {
        return None;
    }
    let out = Command::new(&program).output().ok()?;
    let _ = std::fs::remove_file(&program);
    let text = String::from_utf8(out.stdout).ok()?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    Some((*numbers.first()?, numbers.get(1..5)?.try_into().ok()?))
}

criterion_group!(benches, counts, batch, compile, call, check);
criterion_main!(benches);
