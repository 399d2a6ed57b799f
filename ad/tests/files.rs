//! File tests: a module, and the derivative programs of its function `f`.

use adc_ad::{jvp, linearize, vjp};
use adc_ir::testing::filetest::{Case, run};
use adc_ir::text::{PrintOptions, parse_module, print_func};
use adc_ir::verify::assert_valid;
use adc_ir::{Diagnostic, FuncId, Module};

/// Prints what making a derivative added to the module, or the diagnostic.
fn added(
    case: &Case,
    make: impl Fn(&mut Module, FuncId, &[usize], &[usize]) -> Result<(), Diagnostic>,
) -> String {
    let mut m = parse_module(case.input).unwrap_or_else(|d| panic!("{}: {d:?}", case.name));
    assert_valid(&m, "the input");
    let f = m.find("f").expect("a case has a function `f`");
    let before = m.funcs.len();
    let func = m.func(f);
    let (mut wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
    // `wrt x, y` in the case's name chooses parameters.
    if let Some((_, names)) = case.name.split_once(" wrt ") {
        let named = |name: &str| func.params.iter().position(|p| p.name == name).expect("a parameter");
        wrt = names.split(", ").map(named).collect();
    }
    match make(&mut m, f, &wrt, &outputs) {
        Ok(()) => {
            let print = |f: &adc_ir::Func| print_func(&m, f, &PrintOptions::default());
            m.funcs[before..].iter().map(print).collect::<Vec<_>>().join("\n")
        }
        Err(d) => {
            let mut text = format!("{}: {}\n", d.code, d.message);
            let lines = d.labels.iter().map(|l| format!("label: {}", l.text));
            let lines = lines.chain(d.notes.iter().map(|n| format!("note: {n}")));
            for line in lines.chain(d.help.iter().map(|h| format!("help: {h}"))) {
                text += &line;
                text.push('\n');
            }
            text
        }
    }
}

fn folder(name: &str) -> std::path::PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "files", name].iter().collect()
}

#[test]
fn forward() {
    run(folder("jvp"), ";", |case| added(case, |m, f, wrt, _| jvp(m, f, wrt).map(|_| ())));
}

#[test]
fn reverse() {
    run(folder("vjp"), ";", |case| added(case, |m, f, wrt, outs| vjp(m, f, wrt, outs, false).map(|_| ())));
}

#[test]
fn linearized() {
    run(folder("linearize"), ";", |case| {
        added(case, |m, f, wrt, outs| linearize(m, f, wrt, outs).map(|_| ()))
    });
}
