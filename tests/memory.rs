//! What the library compiles is freed with its last handle. Alone in its process, so that its resident memory
//! means something.
#![cfg(target_os = "linux")]

use adc::{Model, Options, Value, Wrt};

/// Resident memory of this process in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).expect("the kernel tells");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

#[test]
fn ten_thousand_gradients_come_and_go() {
    let model = Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { exp(sin(x)*y) }").unwrap();
    let compile_many = |n| {
        for _ in 0..n {
            let gradient = model.function("f").unwrap().value_and_grad(Wrt::All).unwrap();
            let compiled = gradient.compile(&Options::default()).unwrap();
            let values = compiled.clone().call(&[0.0.into(), 2.0.into()]).unwrap();
            assert_eq!(values, [1.0, 2.0, 0.0].map(Value::F64));
        }
    };
    compile_many(200);
    let before = resident();
    compile_many(10_000);
    let after = resident();
    // A leak would be a page of code for each: 40 000 KiB.
    assert!(after < before + 4000, "{before} KiB before, {after} KiB after 10 000 functions");
}
