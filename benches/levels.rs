//! Gradients of the model library in real time: what the e-graph pass of `--opt 3` earns over `--opt 2`, as the ratio of the
//! time of one call, taken in iterations in one run.
//!
//! The cheapest of many batches counts, because nothing but the program itself makes a call faster. `LIMIT` of the geometric mean
//! is what the pass has to earn before a level that is the default has it.

use adc::{Compiled, Model, OptLevel, Options, Value, Workspace, Wrt};
use adc_simplify::cost::Count;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Gradients of at least this many operations have enough to be found.
const LARGE: u64 = 50;
/// The ratio of times below which the pass is worth its rounding.
const LIMIT: f64 = 0.97;
/// Batches of each program, and how long one takes at least.
const BATCHES: usize = 60;
const BATCH_NS: f64 = 2e5;

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut paths: Vec<PathBuf> = [root.clone(), root.join("bench")]
        .iter()
        .flat_map(|d| std::fs::read_dir(d).expect("it is there").map(|e| e.expect("readable").path()))
        .filter(|p| p.extension().is_some_and(|e| e == "dsl"))
        .collect();
    paths.sort();
    paths
}

/// A program to be timed.
struct Timed<'a> {
    code: &'a Compiled,
    inputs: &'a [Value<'a>],
    calls: usize,
    best: f64,
}

impl Timed<'_> {
    /// The time of a call in a batch, in ns.
    fn batch(&self, calls: usize) -> f64 {
        let mut out = vec![Value::Bool(false); self.code.outputs().len()];
        let mut workspace = Workspace::default();
        let mut bound = self.code.bind(&mut workspace);
        bound.call_into(self.inputs, &mut out).expect("it was called before");
        let start = Instant::now();
        for _ in 0..calls {
            bound.call_into(black_box(self.inputs), &mut out).expect("it was called before");
        }
        start.elapsed().as_nanos() as f64 / calls as f64
    }
}

/// The best time of a call at both levels, batches taken in iterations.
fn times(codes: &[Compiled; 2], inputs: &[Value<'_>]) -> [f64; 2] {
    let mut timed = [0, 1].map(|k| Timed { code: &codes[k], inputs, calls: 1, best: f64::INFINITY });
    for t in &mut timed {
        let once = t.batch(3).min(t.batch(3)).max(1.0);
        t.calls = (BATCH_NS / once).ceil().clamp(1.0, 1e6) as usize;
    }
    for round in 0..BATCHES {
        for k in 0..2 {
            let t = &mut timed[(round + k) % 2];
            t.best = t.best.min(t.batch(t.calls));
        }
    }
    timed.map(|t| t.best)
}

fn mean(logs: &[f64]) -> f64 {
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

fn main() {
    println!(
        "{:44} {:>6} {:>10} {:>10} {:>6}",
        "gradient, one call", "ops", "opt 2, ns", "opt 3, ns", "ratio"
    );
    let (mut all, mut large, mut compiling) = (Vec::new(), Vec::new(), Vec::new());
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let model = Model::parse(&path.to_string_lossy(), &text).unwrap_or_else(|d| panic!("{d}"));
        let program = model.program();
        for (k, block) in program.checks.iter().enumerate() {
            if program.checks[..k].iter().any(|b| b.func == block.func) {
                continue;
            }
            let name = &model.module().func(block.func).name;
            let Ok(f) = model.function(name) else { continue };
            let names = f.ir().dims.iter().map(|d| d.name.clone()).collect::<Vec<_>>();
            let given = names.iter().zip(&block.dims).filter_map(|(n, d)| d.map(|d| (n.as_str(), d)));
            let Ok(f) = f.with_dims(given) else { continue };
            let Ok(point) = adc_checker::sample_point(f.ir(), &block.params) else { continue };
            let inputs: Vec<Value> = point.into_iter().map(Value::from).collect();
            let Ok(gradient) = f.value_and_grad(Wrt::All) else { continue };
            let mut spent = [0.0; 2];
            let mut made = Vec::new();
            for (opt, spent) in [OptLevel::O2, OptLevel::O3].into_iter().zip(&mut spent) {
                let start = Instant::now();
                made.extend(gradient.compile(&Options::default().with_opt(opt)));
                *spent = start.elapsed().as_secs_f64();
            }
            let Ok(codes) = <[Compiled; 2]>::try_from(made) else { continue };
            if codes.iter().any(|c| c.call(&inputs).is_err()) {
                continue;
            }
            let ops = operations(&model, block);
            let [exact, egraph] = times(&codes, &inputs);
            let ratio = egraph / exact;
            let label = format!("{}.{name}", path.file_stem().expect("a file").to_string_lossy());
            println!("{label:44} {ops:6} {exact:10.0} {egraph:10.0} {ratio:6.3}");
            all.push(ratio.ln());
            compiling.push((spent[1] / spent[0]).ln());
            if ops >= LARGE {
                large.push(ratio.ln());
            }
        }
    }
    println!("{} gradients: {:.3}, compiling them {:.2}", all.len(), mean(&all), mean(&compiling));
    let ratio = mean(&large);
    let verdict = if ratio <= LIMIT { "worth it" } else { "not worth it" };
    println!("{} of {LARGE} operations and more: {ratio:.3}, wanted {LIMIT}: {verdict}", large.len());
}

/// Operations in the text of value and gradient as level 2 leaves it.
fn operations(model: &Model, block: &adc_ir::CheckBlock) -> u64 {
    let mut m = model.module().clone();
    let made = (|| {
        let count = m.func(block.func).dims.len();
        let given: Vec<Option<i64>> = (0..count).map(|i| block.dims.get(i).copied().flatten()).collect();
        let dims = adc_ir::bind_sizes(m.func(block.func), &given, &[], |_| None).ok()?;
        let f = adc_ir::specialise::specialise(&mut m, block.func, &dims).ok()?;
        adc_ad::expand_for(&mut m, f).ok()?;
        adc_simplify::prepare(&mut m, &[f]);
        let wrt = m.func(f).differentiable_params();
        adc_ad::grad(&mut m, f, &wrt, 0, true).ok()
    })();
    let Some(made) = made else { return 0 };
    adc_simplify::run(&mut m, &[made], OptLevel::O2);
    m.reachable_from(&[made]).into_iter().map(|g| Count::of(m.func(g)).ops).sum()
}
