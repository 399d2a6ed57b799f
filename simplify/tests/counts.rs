//! What simplification takes away from gradients and Hessian-vector products of all models, counted in their text: rule-table
//! output without common subexpressions, after the exact passes, after the e-graph.
//!
//! `simplify/tests/counts.txt` pins the table; `ADC_BLESS=1` rewrites it.

use adc_frontend::{Loader, Program, compile};
use adc_ir::specialise::specialise;
use adc_ir::{CheckBlock, FuncId, Module};
use adc_jit::RuntimeMath;
use adc_simplify::cost::Count;
use adc_simplify::egraph::{self, Effort};
use adc_simplify::{OptLevel, Options, ROUNDING, canonicalise, prepare, run, run_with};
use std::path::{Path, PathBuf};

/// Programs of at least this many ops have enough to be found.
const LARGE: u64 = 50;
/// What the e-graph has to take off their latency, in the geometric mean.
const WANTED: f64 = 0.95;

struct Files(PathBuf);

impl Loader for Files {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        let text = std::fs::read_to_string(self.0.join(path)).map_err(|e| e.to_string())?;
        Ok((path.to_string(), text))
    }
}

/// A model's text without its `bench` blocks, which read arrays.
fn without_benches(text: &str) -> String {
    let mut out = String::new();
    let mut inside = 0i32;
    for line in text.lines() {
        if inside == 0 && !line.starts_with("bench ") {
            out += line;
            out.push('\n');
            continue;
        }
        inside += line.matches('{').count() as i32 - line.matches('}').count() as i32;
    }
    out
}

fn library() -> Vec<(String, Program)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut paths: Vec<PathBuf> = [root.clone(), root.join("bench")]
        .iter()
        .flat_map(|d| std::fs::read_dir(d).expect("it is there").map(|e| e.expect("readable").path()))
        .filter(|p| p.extension().is_some_and(|e| e == "dsl"))
        .collect();
    paths.sort();
    let program = |path: PathBuf| {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = without_benches(&std::fs::read_to_string(&path).expect("readable"));
        let mut files = Files(path.parent().expect("a folder").to_path_buf());
        let program = compile(&name, &text, &mut files, &RuntimeMath);
        (name, program.unwrap_or_else(|f| panic!("{:?}", f.diagnostics)))
    };
    paths.into_iter().map(program).collect()
}

/// A program of a check.
#[derive(Clone, Copy, PartialEq)]
enum Derivative {
    Primal,
    Gradient,
    Hvp,
}

/// A program as the rules of derivatives make it of a function that is simplified.
fn derivative(p: &Program, block: &CheckBlock, what: Derivative) -> Option<(Module, FuncId)> {
    let mut m = p.module.clone();
    let f = block.func;
    let given: Vec<Option<i64>> =
        (0..m.func(f).dims.len()).map(|i| block.dims.get(i).copied().flatten()).collect();
    let dims = adc_ir::bind_sizes(m.func(f), &given, &[], |_| None).ok()?;
    let f = if dims.is_empty() { f } else { specialise(&mut m, f, &dims).ok()? };
    adc_ad::expand_for(&mut m, f).ok()?;
    prepare(&mut m, &[f]);
    let wrt = block.wrt.clone().unwrap_or_else(|| m.func(f).differentiable_params());
    let wrt: Vec<usize> = wrt.into_iter().filter(|w| !block.nodiff.contains(w)).collect();
    let outputs = m.func(f).differentiable_results();
    let made = match what {
        Derivative::Primal => f,
        Derivative::Gradient => adc_ad::vjp(&mut m, f, &wrt, &outputs, true).ok()?,
        Derivative::Hvp if outputs.len() == 1 && !m.func(f).results[outputs[0]].ty.is_array() => {
            if m.func(f).results[outputs[0]].ty.scalar().is_complex() {
                return None;
            }
            let g = adc_ad::grad(&mut m, f, &wrt, outputs[0], false).ok()?;
            adc_ad::jvp(&mut m, g, &wrt).ok()?
        }
        Derivative::Hvp => return None,
    };
    Some((m, made))
}

fn count(m: &Module, f: FuncId) -> Count {
    let sum = |a: Count, b: Count| Count {
        ops: a.ops + b.ops,
        latency: a.latency + b.latency,
        functions: a.functions + b.functions,
    };
    m.reachable_from(&[f]).into_iter().map(|g| Count::of(m.func(g))).fold(Count::default(), sum)
}

/// The exact passes of level 2, and behind them the e-graph and contraction.
fn simplified(mut m: Module, f: FuncId) -> [Count; 2] {
    let without = &ROUNDING;
    run_with(&mut m, &[f], &Options { level: OptLevel::O2, without, ..Options::default() });
    let before = count(&m, f);
    let mut which = vec![false; m.funcs.len()];
    m.reachable_from(&[f]).into_iter().for_each(|g| which[g.0 as usize] = true);
    egraph::functions(&mut m, &which, Effort::Bounded);
    canonicalise(&mut m);
    [before, count(&m, f)]
}

#[test]
fn derivatives_of_models() {
    let mut table = format!(
        "{:44} {:>6} {:>7} {:>6} {:>7} {:>6} {:>7}\n",
        "ops and latency", "naive", "", "exact", "", "egraph", ""
    );
    let (mut logs, mut wrong) = (Vec::new(), Vec::new());
    for (name, p) in library() {
        for (k, block) in p.checks.iter().enumerate() {
            if p.checks[..k].iter().any(|b| b.func == block.func) {
                continue;
            }
            for (word, what) in [("gradient", Derivative::Gradient), ("hvp", Derivative::Hvp)] {
                let Some((m, f)) = derivative(&p, block, what) else { continue };
                let naive = count(&m, f);
                let [exact, egraph] = simplified(m, f);
                let label = format!("{name}.{} {word}", p.module.func(block.func).name);
                table += &format!(
                    "{label:44} {:6} {:7} {:6} {:7} {:6} {:7}\n",
                    naive.ops, naive.latency, exact.ops, exact.latency, egraph.ops, egraph.latency
                );
                if egraph.latency > exact.latency || egraph.ops > exact.ops {
                    wrong.push(format!("{label}: {exact:?} became {egraph:?}"));
                }
                if exact.ops >= LARGE {
                    logs.push((egraph.latency as f64 / exact.latency as f64).ln());
                }
            }
        }
    }
    let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    table += &format!("{} programs of {LARGE} ops and more: latency times {mean:.3}\n", logs.len());
    println!("{table}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counts.txt");
    if std::env::var_os("ADC_BLESS").is_some() {
        std::fs::write(path, &table).expect("writable");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let pinned = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(table, pinned, "ADC_BLESS=1 rewrites the table");
    assert!(mean <= WANTED, "{mean}");
}

#[test]
fn gradients_call_no_more_functions_than_values() {
    for (name, p) in library().into_iter().filter(|(n, _)| n == "scalar15" || n == "helmholtz") {
        let block = &p.checks[0];
        let calls = |what| {
            let (m, f) = derivative(&p, block, what).expect("differentiable");
            simplified(m, f)[1].functions
        };
        let (value, gradient) = (calls(Derivative::Primal), calls(Derivative::Gradient));
        println!("{name}: {value} calls of functions, {gradient} with the gradient");
        assert!(gradient <= value, "{name}: {value} became {gradient}");
    }
}

/// Ten runs from the source, which share the models out over one thread and more, in one order and the other.
#[test]
fn the_same_text_in_ten_runs_and_on_any_number_of_threads() {
    let text = |p: &Program| -> String {
        let mut out = String::new();
        for block in p.checks.iter().take(1) {
            let Some((m, f)) = derivative(p, block, Derivative::Gradient) else { continue };
            for level in [OptLevel::O2, OptLevel::O3] {
                let mut m = m.clone();
                run(&mut m, &[f], level);
                out += &m.to_string();
            }
        }
        out
    };
    let texts = |threads: usize, backwards: bool| -> Vec<String> {
        let programs = library();
        let share = |t: usize| {
            let mut mine: Vec<usize> = (0..programs.len()).filter(|k| k % threads == t).collect();
            if backwards {
                mine.reverse();
            }
            mine.into_iter().map(|k| (k, text(&programs[k].1))).collect::<Vec<_>>()
        };
        let mut found: Vec<(usize, String)> = std::thread::scope(|s| {
            let share = &share;
            let threads: Vec<_> = (0..threads).map(|t| s.spawn(move || share(t))).collect();
            threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect()
        });
        found.sort();
        found.into_iter().map(|(_, text)| text).collect()
    };
    let first = texts(1, false);
    assert!(first.iter().filter(|t| !t.is_empty()).count() > 30);
    for (run, threads) in [1, 2, 2, 3, 4, 4, 7, 8, 16].into_iter().enumerate() {
        let found = texts(threads, run % 2 == 1);
        let differs = found.iter().zip(&first).find(|(a, b)| a != b);
        assert!(differs.is_none(), "run {run} on {threads} threads: {differs:?}");
    }
}
