//! Code is freed with its last handle. Alone in its process, so that its resident memory means something.

use adc_ir::{Const, FuncId};
use adc_jit::{Externs, Options};

/// Resident memory of this process in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).expect("the kernel tells");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

#[test]
fn code_is_freed_with_its_last_handle() {
    let text = "fn f(x: f64) -> f64 {\n v0 = exp x\n v1 = add v0, x\n return v1\n}";
    let m = adc_ir::text::parse_module(text).expect("it parses");
    let compile_many = |n| {
        for _ in 0..n {
            let mut one = adc_jit::compile(&m, &[FuncId(0)], &Externs::new(), &Options::default());
            let f = one.as_mut().expect("it compiles").remove(0);
            let clone = f.clone();
            drop((f, one));
            assert_eq!(clone.call(&[Const::F64(0.0)]), Ok(vec![Const::F64(1.0)]));
        }
    };
    compile_many(200);
    let before = resident();
    compile_many(2000);
    let after = resident();
    // A leak would be a page of code for each: 8000 KiB.
    assert!(after < before + 3000, "{before} KiB before, {after} KiB after 2000 functions");
}
