//! File tests of the passes.

use adc_ir::testing::filetest::{self, Case};
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_ir::{FuncId, Module};
use adc_simplify::OptLevel;

fn pass(folder: &str, pass: impl Fn(&mut Module)) {
    let test = |case: &Case| {
        let mut m = parse_module(case.input).unwrap_or_else(|d| panic!("{} {}: {d:?}", case.file, case.name));
        assert_valid(&m, "the test");
        pass(&mut m);
        assert_valid(&m, folder);
        m.to_string()
    };
    filetest::run(format!("{}/tests/files/{folder}", env!("CARGO_MANIFEST_DIR")), ";", test);
}

#[test]
fn canonicalise() {
    pass("canonicalise", adc_simplify::canonicalise);
}

#[test]
fn inline() {
    pass("inline", |m| adc_simplify::inline(m, 3));
}

#[test]
fn loops() {
    pass("loops", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        adc_simplify::run(m, &roots, OptLevel::O2);
    });
}
