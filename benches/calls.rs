//! What a call costs beside its code: a right-hand side of a few operations, called in every way that the library has, beside
//! the same function in Rust. The cheapest of many batches counts, taken in rounds of one run. `cargo bench --bench calls -- NAME` for those whose names contain NAME.

use adc::{Model, Options, Value, Workspace};
use std::hint::black_box;
use std::time::Instant;

/// A predator and its prey.
const MODEL: &str = "
fn scalars(x: f64, y: f64) -> (f64, f64) { (x - x*y, x*y - y) }
fn arrays(s: f64[2]) -> f64[2] { [s[0] - s[0]*s[1], s[0]*s[1] - s[1]] }";

const CALLS: usize = 10_000;
const ROUNDS: usize = 200;

/// A name, calls at a time, and what makes them.
type Way<'a> = (&'a str, f64, Box<dyn FnMut() + 'a>);

#[inline(never)]
fn rust(s: &[f64; 2], out: &mut [f64; 2]) {
    *out = [s[0] - s[0] * s[1], s[0] * s[1] - s[1]];
}

fn main() {
    let model = Model::parse("prey.dsl", MODEL).expect("the model is right");
    let compiled = |name: &str| {
        let f = model.function(name).expect("it is there");
        f.compile(&Options::default()).expect("it compiles")
    };
    let (scalars, arrays) = (compiled("scalars"), compiled("arrays"));
    let mut direct = scalars.direct::<[f64; 2], [f64; 2]>().expect("two reals each");
    let mut fixed = arrays.fixed(&[[1.0, 2.0].into()]).expect("one vector");
    let [mut one, mut other, mut third] = [(); 3].map(|()| Workspace::default());
    let mut bound_slices = arrays.bind(&mut third);
    let (mut bound, mut bound_arrays) = (scalars.bind(&mut one), arrays.bind(&mut other));
    let values = [1.0, 2.0].map(Value::from);
    let mut out = [const { Value::F64(0.0) }; 2];
    let (point, mut place) = ([1.0, 2.0], [0.0; 2]);
    // One thread: rows below the number that is worth another one.
    let (rows, mut results) = (vec![1.5; 2 * 255], vec![0.0; 2 * 255]);
    let mut ways: [Way; 8] = [
        ("Rust, not inlined", 1.0, Box::new(|| rust(black_box(&point), black_box(&mut place)))),
        (
            "direct, scalars",
            1.0,
            Box::new(|| {
                let [a, b] = direct.call(black_box([1.0, 2.0])).expect("it runs");
                black_box(a - 2.0 * b);
            }),
        ),
        (
            "fixed, array",
            1.0,
            Box::new(|| {
                fixed.input_mut(0).expect("a vector").copy_from_slice(black_box(&[1.0, 2.0]));
                fixed.call().expect("it runs");
                black_box(fixed.output::<f64>(0).expect("a vector")[1]);
            }),
        ),
        ("bound, scalars", 1.0, Box::new(|| bound.call_into(black_box(&values), &mut out).expect("it runs"))),
        (
            "bound, array",
            1.0,
            Box::new(|| {
                let mut place = [0.0; 2];
                let x = black_box([1.0, 2.0]);
                bound_arrays.call_to(&[(&x).into()], &mut [(&mut place).into()]).expect("it runs");
                black_box(place);
            }),
        ),
        (
            "bound, slices",
            1.0,
            Box::new(|| {
                let mut place = [0.0; 2];
                bound_slices.call_reals(&[black_box(&[1.0, 2.0])], &mut [&mut place]).expect("it runs");
                black_box(place);
            }),
        ),
        ("call, scalars", 1.0, Box::new(|| drop(scalars.call(black_box(&values)).expect("it runs")))),
        (
            "batch_reals, a row",
            255.0,
            Box::new(|| {
                scalars.batch_reals(black_box(&rows), &mut results).expect("it runs");
            }),
        ),
    ];
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| name.contains(o.as_str()));
    let mut best = [f64::INFINITY; 8];
    for _ in 0..ROUNDS {
        for ((name, rows, call), best) in ways.iter_mut().zip(&mut best) {
            if !wanted(name) {
                continue;
            }
            let calls = CALLS / *rows as usize;
            let start = Instant::now();
            for _ in 0..calls {
                call();
            }
            *best = best.min(start.elapsed().as_nanos() as f64 / (calls as f64 * *rows));
        }
    }
    println!("{:24}{:>8}{:>14}", "", "ns", "beside Rust");
    for ((name, ..), ns) in ways.iter().zip(best).filter(|((name, ..), _)| wanted(name)) {
        println!("{name:24}{ns:8.1}{:14.1}", ns - best[0]);
    }
}
