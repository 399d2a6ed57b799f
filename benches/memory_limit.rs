//! What a limit of memory costs in time: the gradient of a loop of a million steps within a megabyte, where it takes snapshots and
//! runs its steps again, beside the one that stores them all.
//!
//! `cargo bench --bench memory_limit`. The shortest of many calls counts, because nothing but the program itself makes a call
//! faster.

use adc::{Compiled, Model, Options, Value, Wrt};
use std::time::Instant;

const STEPS: i64 = 1_000_000;
const LIMIT: u64 = 1 << 20;
/// The ratio of times that it should stay below: each step runs twice more at most.
const WANTED: f64 = 3.0;
/// Calls of each program.
const CALLS: usize = 15;

const RECURRENCE: &str = "fn f(x: f64, a: f64, n: i64) -> f64 {
    var s = x;
    for i in 0..n { s = s + 0.001*sin(a*s); }
    s
}";
const POINT: [Value; 3] = [Value::F64(0.3), Value::F64(1.7), Value::I64(STEPS)];

fn main() {
    let model = Model::parse("recurrence", RECURRENCE).expect("it compiles");
    let gradient =
        model.function("f").expect("it is there").value_and_grad(Wrt::All).expect("differentiable");
    let programs = [Options::default(), Options::default().with_memory_limit(LIMIT)]
        .map(|options| gradient.compile(&options).expect("it compiles"));
    let mut best = [f64::INFINITY; 2];
    for _ in 0..CALLS {
        for (program, best) in programs.iter().zip(&mut best) {
            *best = best.min(seconds(program));
        }
    }
    let [free, limited] = best;
    println!(
        "{STEPS} steps: {:.1} ms, within {LIMIT} bytes {:.1} ms: {:.2} times (wanted: below {WANTED})",
        1e3 * free,
        1e3 * limited,
        limited / free
    );
}

fn seconds(program: &Compiled) -> f64 {
    let start = Instant::now();
    program.call(&POINT).expect("it runs");
    start.elapsed().as_secs_f64()
}
