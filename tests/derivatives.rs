//! What the derivatives of `models/bench`, and some Jacobians and Hessians, are made of, pinned in `tests/derivatives.txt`: IR ops,
//! instructions that a run executes and how many of them in lanes, bytes that it touches, vector and scalar instructions, bytes of code
//! and of workspace; and the same for every loop with a part in that, with its place in the model. So the lines of a difference say which
//! loop became what.
//!
//! Code is that for x86-64's third level with vectors of 128 bits, whatever this machine has. `ADC_BLESS=1 cargo test --test it
//! derivatives::` rewrites the file; `git diff tests/derivatives.txt` then explains the change.

use crate::costs::{BENCHES, Pair, arguments, bench_model, ones};
use adc_ir::interp::{ArrayVal, Interp, Location, NoExterns, Val, Watch};
use adc_ir::specialise::specialise;
use adc_ir::{FuncId, Inst, Kind, LinalgOp, Module, Op, ReduceOp, Region, Span, Value};
use adc_jit::{LaneLoop, RuntimeMath};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;

/// A loop of a program.
struct Loop {
    /// The loop around it.
    outer: Option<usize>,
    span: Span,
    /// Operations of its strips, if it has any.
    strips: Option<usize>,
}

/// Instructions run, by the innermost loop they are in; those in none come first.
struct Profile {
    loops: Vec<Loop>,
    /// By address.
    of: HashMap<*const Inst, usize>,
    steps: RefCell<Vec<u64>>,
}

impl Profile {
    fn new(m: &Module, f: FuncId, lanes: &[LaneLoop]) -> Profile {
        let mut p = Profile { loops: Vec::new(), of: HashMap::new(), steps: RefCell::default() };
        p.loops.push(Loop { outer: None, span: m.func(f).span, strips: None });
        for g in m.reachable_from(&[f]) {
            let func = m.func(g);
            let strips = |params: &[Value]| {
                let mut all =
                    lanes.iter().filter(|l| l.func == func.name && params.contains(&l.index)).peekable();
                all.peek().is_some().then(|| all.map(|l| l.ops).sum())
            };
            if let Some(body) = func.region() {
                p.region(body, 0, &strips);
            }
        }
        p.steps = RefCell::new(vec![0; p.loops.len()]);
        p
    }

    fn region(&mut self, region: &Region, inside: usize, strips: &dyn Fn(&[Value]) -> Option<usize>) {
        for inst in &region.insts {
            self.of.insert(inst, inside);
            for inner in &inst.regions {
                if inst.kind == Kind::If {
                    self.region(inner, inside, strips);
                    continue;
                }
                self.loops.push(Loop { outer: Some(inside), span: inst.span, strips: strips(&inner.params) });
                self.region(inner, self.loops.len() - 1, strips);
            }
        }
    }

    /// The loop around a loop, or itself, that runs in lanes.
    fn lanes(&self, mut at: usize) -> Option<usize> {
        while self.loops[at].strips.is_none() {
            at = self.loops[at].outer?;
        }
        Some(at)
    }
}

impl Watch<f64> for Profile {
    fn op(&self, _: Location<'_>, _: Op, _: &[&Val<f64>], _: &Val<f64>) {}
    fn extremum(&self, _: Location<'_>, _: ReduceOp, _: &[Val<f64>]) {}
    fn linalg(&self, _: Location<'_>, _: LinalgOp, _: &ArrayVal<f64>) {}
    fn wants_steps(&self) -> bool {
        true
    }
    fn step(&self, at: Location<'_>) {
        let inst: *const Inst = at.inst;
        self.steps.borrow_mut()[self.of[&inst]] += 1;
    }
}

/// A Jacobian or Hessian: derivatives along many directions, which share what does not depend on them, and of which each lane has one.
struct Matrix {
    name: &'static str,
    source: &'static str,
    dims: &'static [i64],
    wrt: &'static [usize],
    hessian: bool,
}

const MATRICES: &[Matrix] = &[
    Matrix {
        name: "cluster",
        source: "fn f[N](x: f64[N, 3]) -> f64 {
  sum(sum({
    let d2 = sum((x[i, c] - x[j, c])^2 for c in 0..3);
    let q = 1/(d2*d2*d2);
    4*(q*q - q)
  } for j in 0..i) for i in 0..N)
}",
        dims: &[6],
        wrt: &[0],
        hessian: true,
    },
    Matrix {
        name: "network",
        source: "fn f[B, I, H](X: f64[B, I], y: f64[B], W: f64[H, I], b: f64[H], v: f64[H]) -> f64 {
  sum({
    let p = sum(v[h]*tanh(b[h] + sum(W[h, i]*X[k, i] for i in 0..I)) for h in 0..H);
    (p - y[k])^2
  } for k in 0..B)/f64(B)
}",
        dims: &[20, 3, 6],
        wrt: &[2, 3, 4],
        hessian: true,
    },
    Matrix {
        name: "pendulums",
        source: "fn f(p: f64[4], y0: f64[4]) -> f64[4] {
  var y = y0;
  for k in 0..100 {
    let pull = p[2]*(y[0] - y[2]);
    let a = p[0]*sin(y[0]) + p[1]*y[1] + pull;
    let b = p[0]*sin(y[2]) + p[3]*y[3] - pull;
    y = [y[0] + 0.01*y[1], y[1] - 0.01*a, y[2] + 0.01*y[3], y[3] - 0.01*b];
  }
  y
}",
        dims: &[],
        wrt: &[0, 1],
        hessian: false,
    },
    Matrix {
        name: "six scalars",
        source: "fn f(a: f64, b: f64, c: f64, d: f64, e: f64, g: f64) -> f64 {
  let s = sin(a*b) + exp(c*d);
  let t = log(1 + e*e)*cos(g) + s*s;
  sqrt(1 + t*t)*exp(-a*a) + t*b*b
}",
        dims: &[],
        wrt: &[0, 1, 2, 3, 4, 5],
        hessian: true,
    },
];

impl Matrix {
    fn describe(&self) -> String {
        let model = adc::Model::parse("f.dsl", self.source).unwrap_or_else(|d| panic!("{}: {d}", self.name));
        let mut m = model.module().clone();
        let f = m.find("f").expect("it is there");
        let f = if self.dims.is_empty() { f } else { specialise(&mut m, f, self.dims).expect("small") };
        adc_simplify::prepare(&mut m, &[f]);
        let outputs = m.func(f).differentiable_results();
        let (what, all) = match self.hessian {
            true => ("hessian", adc_ad::hessian(&mut m, f, self.wrt, outputs[0])),
            false => ("jacobian", adc_ad::jacobian(&mut m, f, self.wrt, &outputs)),
        };
        let all = all.expect("differentiable");
        adc_simplify::run(&mut m, &[f, all], adc_simplify::OptLevel::O2);
        let args = arguments(&m, f, [0.1, 0.9], &[]);
        describe(&format!("{} {what}", self.name), self.source, &m, all, &args)
    }
}

/// Loops of fewer steps in a hundred are left out, unless they run in lanes.
const LEAST: u64 = 2;

/// One program: a line of numbers, and one for each loop.
fn describe(name: &str, source: &str, m: &Module, f: FuncId, args: &[Val<f64>]) -> String {
    let code = adc_jit::measure(m, f).unwrap_or_else(|d| panic!("{name}: {}", d.message));
    let profile = Profile::new(m, f, &code.lanes);
    let interp = Interp { watch: Some(&profile), ..Interp::new(m, &RuntimeMath, &NoExterns) };
    let (_, cost) = interp.count(f, &[], args).unwrap_or_else(|e| panic!("{name}: {e}"));
    let steps = profile.steps.borrow();
    let all: u64 = steps.iter().sum();
    let wide: u64 = (0..steps.len()).filter(|k| profile.lanes(*k).is_some()).map(|k| steps[k]).sum();
    let ops: usize = m.reachable_from(&[f]).into_iter().map(|g| m.func(g).inst_count()).sum();
    let vector: usize = code.lanes.iter().map(|l| l.ops).sum();
    let mut out = format!(
        "{name:28}{ops:6}{all:10}{:5}%{:10}{vector:7}{:7}{:8}{:8}\n",
        100 * wide / all.max(1),
        cost.bytes,
        code.scalar_insts,
        code.code_bytes,
        code.frame_bytes
    );
    for (k, l) in profile.loops.iter().enumerate() {
        // What is inside a loop in lanes is a part of it.
        let inside = profile.lanes(k).is_some_and(|at| at != k);
        let own: u64 = (0..steps.len())
            .filter(|i| *i == k || (l.strips.is_some() && profile.lanes(*i) == Some(k)))
            .map(|i| steps[i])
            .sum();
        if k == 0 || inside || (own * 100 < LEAST * all && l.strips.is_none()) || own == 0 {
            continue;
        }
        let line = 1 + source.get(..l.span.start as usize).map_or(0, |s| s.matches('\n').count());
        let how = l.strips.map_or("scalar".to_string(), |n| format!("{n} in lanes"));
        writeln!(out, "    line {line:<3} {:>10}{own:18}  {how}", "").expect("text");
    }
    out
}

#[test]
fn derivatives_are_made_of_what_they_were() {
    if !cfg!(target_arch = "x86_64") {
        println!("the numbers are those of x86-64");
        return;
    }
    let mut table = format!(
        "{:28}{:>6}{:>10}{:>6}{:>10}{:>7}{:>7}{:>8}{:>8}\n",
        "program", "ops", "steps", "lanes", "bytes", "vector", "scalar", "code", "memory"
    );
    for b in BENCHES {
        let model = bench_model(b.file);
        let pair = Pair::new(&model, b.function, b.dims, b.wrt);
        let args = arguments(&pair.m, pair.value, b.range, b.ints);
        let tangents = pair.wrt.iter().map(|w| ones(&args[*w]));
        let forward: Vec<Val<f64>> = args.iter().cloned().chain(tangents).collect();
        let (results, _) = Interp::new(&pair.m, &RuntimeMath, &NoExterns)
            .count(pair.value, &[], &args)
            .unwrap_or_else(|e| panic!("{}: {e}", b.file));
        let seeds = pair.m.func(pair.value).differentiable_results().into_iter().map(|o| ones(&results[o]));
        let reverse: Vec<Val<f64>> = args.iter().cloned().chain(seeds).collect();
        let path = format!("{}/models/bench/{}.dsl", env!("CARGO_MANIFEST_DIR"), b.file);
        let source = std::fs::read_to_string(path).expect("it was read before");
        let programs =
            [("primal", pair.value, args), ("jvp", pair.tangent, forward), ("vjp", pair.both, reverse)];
        for (mode, f, args) in programs {
            table += &describe(&format!("{}.{} {mode}", b.file, b.function), &source, &pair.m, f, &args);
        }
    }
    for many in MATRICES {
        table += &many.describe();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/derivatives.txt");
    if std::env::var_os("ADC_BLESS").is_some() {
        return std::fs::write(path, table).expect("it can be written");
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    let changes = similar::TextDiff::from_lines(expected.as_str(), table.as_str());
    let changes = changes.unified_diff().context_radius(3).header("pinned", "found").to_string();
    assert!(changes.is_empty(), "{changes}\nADC_BLESS=1 rewrites tests/derivatives.txt");
}
