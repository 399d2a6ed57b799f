//! What rounding otherwise earns: value and gradient of the `bench` blocks of `models/bench` in real time, as the exact passes leave
//! them, contracted, and with the e-graph pass, in batches of one run.
//!
//! The cheapest of many batches counts, because nothing but the program itself makes a call faster. `LIMIT` of the geometric mean
//! is what the e-graph pass has to earn over the same pipeline without it before a level that is the default has it.

use adc::{Externs, Model, OptLevel, Workspace};
use adc_ir::{BenchBlock, Datum, FuncId, Module};
use adc_simplify::Options;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The ratio of times below which the e-graph pass is worth its time.
const LIMIT: f64 = 0.95;
/// Batches of each program, and how long one takes at least.
const BATCHES: usize = 60;
const BATCH_NS: f64 = 2e5;

/// The programs that are compared: name, level, what is left out.
const FORMS: [(&str, OptLevel, &[&str]); 3] = [
    ("exact", OptLevel::O2, &adc_simplify::ROUNDING),
    ("fma", OptLevel::O3, &["egraph"]),
    ("e-graph", OptLevel::O3, &[]),
];

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bench");
    let found = std::fs::read_dir(root).expect("it is there").map(|e| e.expect("readable").path());
    let mut paths: Vec<PathBuf> = found.filter(|p| p.extension().is_some_and(|e| e == "dsl")).collect();
    paths.sort();
    paths
}

/// Value and gradient of a block as differentiation makes them, with arguments.
fn gradient(model: &Model, block: &BenchBlock) -> Option<(Module, FuncId, Vec<Datum>)> {
    let externs = Externs::new();
    let ctx = adc_checker::Context::new(model.module(), &externs, OptLevel::default());
    let (dims, lines) = adc_checker::bench_lines(&ctx, block).ok()?;
    let mut m = model.module().clone();
    let f = if dims.is_empty() {
        block.func
    } else {
        adc_ir::specialise::specialise(&mut m, block.func, &dims).ok()?
    };
    let mut point = adc_checker::sample_point(m.func(f), &lines).ok()?;
    adc_ad::expand_for(&mut m, f).ok()?;
    adc_simplify::prepare(&mut m, &[f]);
    let wrt = block.wrt.clone().unwrap_or_else(|| m.func(f).differentiable_params());
    // A Jacobian is a function of its own.
    if !block.modes.iter().any(|mode| mode == "vjp") {
        return Some((m, f, point));
    }
    let outputs = m.func(f).differentiable_results();
    let made = adc_ad::vjp(&mut m, f, &wrt, &outputs, true).ok()?;
    for p in &m.func(made).params[point.len()..] {
        let data = m.func(made).data(p.value);
        let sizes: Vec<usize> = data.shape.iter().map(|d| d.as_const().expect("a number") as usize).collect();
        let mut seed = Datum::zeros(data.ty.scalar(), &sizes);
        (0..seed.len()).for_each(|i| seed.set(i, adc_ir::Const::real(1.0, data.ty.scalar())));
        point.push(seed);
    }
    Some((m, made, point))
}

/// A program to be timed.
struct Timed {
    code: adc_jit::Compiled,
    workspace: Workspace,
    calls: usize,
    best: f64,
    /// From derivative to machine code, in ms.
    compiling: f64,
}

impl Timed {
    fn new(m: &Module, f: FuncId, (_, level, without): (&str, OptLevel, &[&str])) -> Timed {
        let mut compiling = f64::INFINITY;
        let mut code = None;
        for _ in 0..5 {
            let start = Instant::now();
            let mut m = m.clone();
            adc_simplify::run_with(&mut m, &[f], &Options { level, without, ..Options::default() });
            let made = adc_jit::compile(&m, &[f], &Externs::new(), &adc_jit::Options::default());
            code = made.expect("it compiles").pop();
            compiling = compiling.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let code = code.expect("one entry was asked for");
        Timed { code, workspace: Workspace::default(), calls: 1, best: f64::INFINITY, compiling }
    }

    /// The time of a call in a batch, in ns.
    fn batch(&mut self, args: &[Datum], calls: usize) -> f64 {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(self.code.call_data(&mut self.workspace, black_box(args)).expect("it runs"));
        }
        start.elapsed().as_nanos() as f64 / calls as f64
    }
}

fn mean(logs: &[f64]) -> f64 {
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

fn main() {
    // Some text of a name measures these models only.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [a, b, c] = FORMS.map(|f| f.0);
    println!(
        "{:34} {a:>11} {b:>11} {c:>11}  {:>6} {:>7}   compiling, ms",
        "value and gradient, ns", "fma", "e-graph"
    );
    let (mut fma, mut egraph, mut compiling) = (Vec::new(), Vec::new(), Vec::new());
    for path in models() {
        let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
        if !wanted.is_empty() && !wanted.iter().any(|w| stem.contains(w.as_str())) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let model = Model::parse(&path.to_string_lossy(), &text).unwrap_or_else(|d| panic!("{d}"));
        for block in &model.program().benches {
            let Some((m, f, args)) = gradient(&model, block) else { continue };
            let mut timed = FORMS.map(|form| Timed::new(&m, f, form));
            for t in &mut timed {
                let once = t.batch(&args, 3).min(t.batch(&args, 3)).max(1.0);
                t.calls = (BATCH_NS / once).ceil().clamp(1.0, 1e6) as usize;
            }
            for round in 0..BATCHES {
                for k in 0..FORMS.len() {
                    let t = &mut timed[(round + k) % FORMS.len()];
                    t.best = t.best.min(t.batch(&args, t.calls));
                }
            }
            let [x, y, z] = [0, 1, 2].map(|k| (timed[k].best, timed[k].compiling));
            let label = format!("{stem}.{}", m.func(f).name.split(".value").next().unwrap_or_default());
            println!(
                "{label:34.34} {:11.0} {:11.0} {:11.0}  {:6.3} {:7.3}   {:.1} {:.1} {:.1}",
                x.0,
                y.0,
                z.0,
                y.0 / x.0,
                z.0 / y.0,
                x.1,
                y.1,
                z.1
            );
            fma.push((y.0 / x.0).ln());
            egraph.push((z.0 / y.0).ln());
            compiling.push((z.1 / y.1).ln());
        }
    }
    println!("{} programs: contraction {:.3} of exact", fma.len(), mean(&fma));
    let ratio = mean(&egraph);
    let verdict = if ratio <= LIMIT { "worth it" } else { "not worth it" };
    println!("e-graph {ratio:.3} of that, wanted {LIMIT}: {verdict}; compiling {:.2}", mean(&compiling));
}
