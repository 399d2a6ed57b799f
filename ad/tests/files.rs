//! File tests: a module, and the derivative programs of its function `f`.

use adc_ad::{check_rules, jvp, linearize, vjp};
use adc_ir::testing::StdMath;
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
        Err(d) => described(&d, case.input),
    }
}

/// A diagnostic in plain words, each label with the source it marks.
fn described(d: &Diagnostic, source: &str) -> String {
    let mut lines = vec![format!("{}: {}", d.code, d.message)];
    for l in &d.labels {
        let marked = source.get(l.span.start as usize..l.span.end as usize).unwrap_or_default();
        let marked = marked.lines().next().unwrap_or_default();
        lines.push(if marked.is_empty() { l.text.clone() } else { format!("  `{marked}`: {}", l.text) });
    }
    lines.extend(d.notes.iter().map(|n| format!("  = note: {n}")));
    lines.extend(d.help.iter().map(|h| format!("  = help: {h}")));
    lines.join("\n") + "\n"
}

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

/// What is said of the rules of a source and of derivatives of its function `f`, with respect to the differentiable
/// parameters and with respect to all.
fn diagnosed(case: &Case) -> String {
    let compiled = adc_frontend::compile("case.dsl", case.input, &mut NoFiles, &StdMath);
    let mut m = compiled.unwrap_or_else(|e| panic!("{}: {:?}", case.name, e.diagnostics)).module;
    let mut out: String = check_rules(&m).0.iter().map(|d| described(d, case.input)).collect();
    let f = m.find("f").expect("a case has a function `f`");
    let (wrt, outputs) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
    let every: Vec<usize> = (0..m.func(f).params.len()).collect();
    let requests = [
        ("jvp", jvp(&mut m, f, &wrt)),
        ("vjp", vjp(&mut m, f, &wrt, &outputs, false)),
        ("vjp of every parameter", vjp(&mut m, f, &every, &outputs, false)),
    ];
    let mut before = String::new();
    for (name, result) in requests {
        let text = result.map_or_else(|d| described(&d, case.input), |_| "fine\n".into());
        out += &if text == before { format!("{name}: the same\n") } else { format!("{name}: {text}") };
        before = text;
    }
    out
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

#[test]
fn diagnostics() {
    run(folder("diagnostics"), "//", diagnosed);
}
