//! The mathematics that is written has the values that the program computes, and is valid LaTeX.

mod eval;

use crate::expr::{Doc, Symbol};
use crate::{Derivative, Style, build, derivative, primal};
use adc_frontend::{Loader, Program};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Knobs, Rng, array_inputs, module};
use adc_ir::{Code, Diagnostic, FuncId, Module};
use adc_jit::RuntimeMath;
use adc_simplify::OptLevel;
use eval::Eval;
use pulldown_latex::{Parser, Storage};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first thing the parser does not accept.
fn latex_error(text: &str) -> Option<String> {
    let storage = Storage::new();
    Parser::new(text, &storage).find_map(|event| event.err().map(|e| e.to_string()))
}

fn assert_latex(text: &str) {
    for block in text.split("\n\n") {
        if let Some(e) = latex_error(block) {
            panic!("{e}\n{block}");
        }
    }
}

#[test]
fn the_parser_rejects() {
    assert_latex(
        r"\begin{aligned} t_{1} &= \frac{x}{\left(1 + x\right)^{2}} \\ f &= \sin t_{1} \end{aligned}",
    );
    let wrong = [
        r"\frac{x}",
        r"\left(x",
        r"x_1_2",
        r"x^2^3",
        r"\begin{cases} x",
        r"\nosuchthing x",
        "{x",
        "x}",
        r"\sqrt",
    ];
    for text in wrong {
        assert!(latex_error(text).is_some(), "`{text}` is taken for LaTeX");
    }
}

/// The values of a document's results.
fn evaluate(doc: &Doc, dims: &[i64], func: &adc_ir::Func, args: &[Val<f64>]) -> Vec<Option<Val<f64>>> {
    let values = dims.iter().map(|n| Val::I64(*n)).chain(args.iter().cloned());
    let named: BTreeMap<usize, Val<f64>> = values.enumerate().collect();
    assert!(named.len() == func.dims.len() + func.params.len());
    assert!(named.keys().all(|s| matches!(doc.syms[*s], Symbol::Named(..))));
    let mut e = Eval { doc, named, indices: BTreeMap::new(), defs: BTreeMap::new(), loops: BTreeMap::new() };
    doc.results.iter().map(|(.., r)| e.expr(r)).collect()
}

fn numbers(v: &Val<f64>) -> Vec<num_complex::Complex64> {
    match v {
        Val::Bool(b) => vec![(*b as u8 as f64).into()],
        Val::I64(n) => vec![(*n as f64).into()],
        Val::Real(x) => vec![(*x).into()],
        Val::Complex(z) => vec![*z],
        Val::Array(a) => a.data().iter().flat_map(numbers).collect(),
    }
}

/// How many results were compared, how many had no value, and how many programs had no notation.
#[derive(Default, Debug)]
struct Counts {
    compared: u64,
    skipped: u64,
    refused: u64,
}

fn compare(m: &Module, f: FuncId, rng: &mut Rng, what: &str, counts: &mut Counts) {
    let func = m.func(f);
    let doc = match build::run(m, f, 0..func.results.len()) {
        Ok(doc) => doc,
        Err(d) => {
            assert_eq!(d.code, Code::NoNotation);
            counts.refused += 1;
            return;
        }
    };
    for style in [Style::Latex, Style::Plain] {
        let text = primal(m, f, style).expect("it has a notation");
        if style == Style::Latex {
            assert_latex(&text);
        }
    }
    for _ in 0..3 {
        let (dims, args) = array_inputs(rng, func, false);
        let Ok(expected) = Interp::new(m, &RuntimeMath, &NoExterns).call_with_dims(f, &dims, &args) else {
            counts.skipped += 1;
            continue;
        };
        for (found, expected) in evaluate(&doc, &dims, func, &args).iter().zip(&expected) {
            let Some(found) = found else {
                counts.skipped += 1;
                continue;
            };
            let (mut a, b) = (numbers(found), numbers(expected));
            // An empty sum of arrays is 0.
            if *found == Val::I64(0) {
                a = vec![a[0]; b.len()];
            }
            assert_eq!(a.len(), b.len(), "{what}\n{}", primal(m, f, Style::Plain).unwrap());
            let scale = b.iter().map(|z| z.norm()).fold(1.0, f64::max);
            if !scale.is_finite() || b.iter().any(|z| z.is_nan()) || scale > 1e12 {
                counts.skipped += 1;
                continue;
            }
            counts.compared += 1;
            for (a, b) in a.iter().zip(&b) {
                let error = (a - b).norm();
                assert!(
                    error <= 1e-6 * scale,
                    "{what}: {a} for {b}\n{}",
                    primal(m, f, Style::Plain).unwrap()
                );
            }
        }
    }
}

#[test]
fn generated_programs_mean_the_same() {
    let mut counts = Counts::default();
    for seed in 0..600 {
        let scalar = Knobs { single: false, ..Knobs::smooth() };
        let knobs = match seed % 3 {
            0 => scalar,
            1 => Knobs { steps: 8, single: false, smooth: true, ..Knobs::arrays() },
            _ => Knobs { steps: 14, single: false, smooth: true, ..Knobs::arrays() },
        };
        let mut m = module(seed, &knobs);
        let f = FuncId(m.funcs.len() as u32 - 1);
        adc_simplify::run(&mut m, &[f], OptLevel::O2);
        compare(&m, f, &mut Rng::new(seed), &format!("program {seed}"), &mut counts);
        let func = m.func(f);
        if func.differentiable_params().is_empty() || func.differentiable_results().is_empty() {
            continue;
        }
        let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
        let Ok(g) = adc_ad::vjp(&mut m, f, &wrt, &outputs, true) else { continue };
        adc_simplify::run(&mut m, &[g], OptLevel::O2);
        compare(&m, g, &mut Rng::new(seed), &format!("pullback {seed}"), &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.compared > 8000 && counts.refused < 200, "{counts:?}");
}

/// The models beside this crate, and the files they use.
struct Models(PathBuf);

impl Models {
    fn new() -> Models {
        Models(Path::new(env!("CARGO_MANIFEST_DIR")).join("../models"))
    }

    fn parse(&mut self, name: &str, text: &str) -> Program {
        let program = adc_frontend::compile(name, text, self, &RuntimeMath);
        program.unwrap_or_else(|failure| panic!("{name}: {}", failure.diagnostics))
    }
}

impl Loader for Models {
    fn load(&mut self, _from: &str, path: &str) -> Result<(String, String), String> {
        let text = std::fs::read_to_string(self.0.join(path)).map_err(|e| e.to_string())?;
        Ok((path.to_string(), text))
    }
}

/// The module simplified for `f`, without derivative operators.
fn simplified(mut m: Module, f: FuncId) -> Module {
    adc_ad::expand_for(&mut m, f).unwrap();
    adc_simplify::run(&mut m, &[f], OptLevel::O2);
    m
}

#[test]
fn models_are_latex() {
    let (mut written, mut refused) = (0, 0);
    let mut models = Models::new();
    let entries = std::fs::read_dir(&models.0).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|n| n.to_string_lossy().into_owned()).collect();
    names.retain(|n| n.ends_with(".dsl"));
    names.sort();
    for name in names {
        let text = std::fs::read_to_string(models.0.join(&name)).unwrap();
        let program = models.parse(&name, &text);
        let mut count = |what: &str, found: Result<String, Diagnostic>| match found {
            Ok(text) => {
                assert_latex(&text);
                written += 1;
            }
            Err(d) => {
                println!("{name} {what}: {}", d.message);
                refused += 1;
            }
        };
        for f in program.functions {
            let func = program.module.func(f).clone();
            count(&func.name, primal(&simplified(program.module.clone(), f), f, Style::Latex));
            let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
            let mut m = program.module.clone();
            let Ok(g) = adc_ad::vjp(&mut m, f, &wrt, &outputs, true) else { continue };
            let (m, first) = (simplified(m, g), func.results.len());
            let params: Vec<String> = wrt.iter().map(|&k| func.params[k].name.clone()).collect();
            let kind = (Derivative::Cotangents, first);
            let found = derivative((&m, g), &func.name, &params, kind, Style::Latex);
            count(&format!("{}.vjp", func.name), found);
        }
    }
    println!("{written} written, {refused} refused");
    assert!(written > 2 * refused);
}

#[test]
fn names() {
    let expected = [
        ("x", false, "x"),
        ("mu_1", false, r"\mu_{1}"),
        ("alpha", false, r"\alpha"),
        ("x_bar", false, r"\bar{x}"),
        ("z_bar", true, r"z_{\mathrm{bar}}"),
        ("x1", false, "x_{1}"),
        ("v_x_max", false, r"v_{x,\mathrm{max}}"),
        ("rate", false, r"\mathrm{rate}"),
        ("_a__b", false, r"\mathrm{\_a\_\_b}"),
    ];
    for (name, complex, latex) in expected {
        assert_eq!(crate::names::tex(name, complex), latex);
        assert_latex(latex);
    }
    // No two names look the same.
    let source = "fn f(x1: f64, x_1: f64, t: f64, i: f64) -> f64 { sum(x1^k*x_1 for k in 0..30)*exp(t*i) + exp(t*i)^3 }";
    let program = Models::new().parse("f.dsl", source);
    let f = program.functions[0];
    let text = primal(&simplified(program.module, f), f, Style::Latex).unwrap();
    assert!(text.contains(r"x_{1}") && text.contains(r"\mathrm{x\_1}") && text.contains("s_{1}"), "{text}");
    assert!(text.contains(r"\sum_{j=0}^{29}"), "{text}");
}
