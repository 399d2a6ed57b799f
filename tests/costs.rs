//! What gradients cost, counted: the same numbers on every machine.
//!
//! The bytes touched and the work of a gradient grow linearly with the size of the problem; value and gradient together are at
//! most five times the work of the value for every model of `models/bench`; a loop of a million steps is differentiated
//! within a megabyte.
//!
//! `cargo test --release --test it costs:: -- --nocapture` prints the tables and goes to a million elements.
//! `cargo bench --bench memory_limit` measures what the limit costs in time.

use adc::{Model, Options, Value, Wrt};
use adc_ir::interp::{Cost, Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::Rng;
use adc_ir::{FuncId, Kind, Module, Region, Scalar};
use adc_jit::RuntimeMath;
use adc_simplify::OptLevel;

/// A function, its value and gradients, and its value and tangent, for numbers in place of dimensions, simplified.
pub(crate) struct Pair {
    pub m: Module,
    pub value: FuncId,
    pub both: FuncId,
    pub tangent: FuncId,
    pub wrt: Vec<usize>,
}

impl Pair {
    /// The function of a name, differentiated by the parameters of these names (none: all that can be), in the direction
    /// of all its results.
    pub fn new(model: &Model, name: &str, dims: &[i64], wrt: &[&str]) -> Pair {
        let mut m = model.module().clone();
        let f = m.find(name).unwrap_or_else(|| panic!("`{name}` is there"));
        // Quotients of dimensions follow the dimensions.
        let given: Vec<Option<i64>> = (0..m.func(f).dims.len()).map(|i| dims.get(i).copied()).collect();
        let dims = adc_ir::bind_sizes(m.func(f), &given, &[], |_| None).expect("all are given");
        let f = if dims.is_empty() { f } else { specialise(&mut m, f, &dims).expect("small") };
        adc_ad::expand_for(&mut m, f).expect("differentiable");
        // As the library does.
        adc_simplify::prepare(&mut m, &[f]);
        let func = m.func(f);
        let named = |n: &&str| func.params.iter().position(|p| p.name == **n).expect("a parameter");
        let wrt: Vec<usize> =
            if wrt.is_empty() { func.differentiable_params() } else { wrt.iter().map(named).collect() };
        let outputs = func.differentiable_results();
        adc_simplify::prepare(&mut m, &[f]);
        let both = adc_ad::vjp(&mut m, f, &wrt, &outputs, true).expect("differentiable");
        let tangent = adc_ad::jvp(&mut m, f, &wrt).expect("differentiable");
        adc_simplify::run(&mut m, &[f, both, tangent], OptLevel::O2);
        Pair { m, value: f, both, tangent, wrt }
    }

    /// Costs of the value, and of value and gradient.
    fn count(&self, args: &[Val<f64>]) -> [Cost; 2] {
        let run = |f: FuncId, args: &[Val<f64>]| {
            let interp = Interp::new(&self.m, &RuntimeMath, &NoExterns);
            interp.count(f, &[], args).unwrap_or_else(|e| panic!("`{}`: {e}", self.m.func(f).name))
        };
        let (results, value) = run(self.value, args);
        let func = self.m.func(self.value);
        let seeds = func.differentiable_results().into_iter().map(|o| ones(&results[o]));
        [value, run(self.both, &args.iter().cloned().chain(seeds).collect::<Vec<_>>()).1]
    }
}

pub(crate) fn ones(v: &Val<f64>) -> Val<f64> {
    match v {
        Val::Array(a) => Val::array(a.shape(), a.data().iter().map(ones).collect()),
        Val::Complex(_) => Val::Complex(num_complex::Complex::new(1.0, 0.0)),
        _ => Val::Real(1.0),
    }
}

/// Random arguments between two numbers; integers are those given.
pub(crate) fn arguments(m: &Module, f: FuncId, [lo, hi]: [f64; 2], ints: &[i64]) -> Vec<Val<f64>> {
    let (func, mut rng, mut ints) = (m.func(f), Rng::new(1), ints.iter());
    let mut args = Vec::new();
    for p in &func.params {
        let sizes: Vec<usize> =
            func.shape(p.value).iter().map(|d| d.as_const().expect("specialised") as usize).collect();
        let int = match func.ty(p.value).scalar() {
            Scalar::I64 => *ints.next().expect("an integer is given"),
            _ => 0,
        };
        let mut one = || match func.ty(p.value).scalar() {
            Scalar::F32 | Scalar::F64 => Val::Real(rng.real(lo, hi)),
            Scalar::C64 | Scalar::C128 => {
                Val::Complex(num_complex::Complex::new(rng.real(lo, hi), rng.real(lo, hi)))
            }
            Scalar::I64 => Val::I64(int),
            Scalar::Bool => Val::Bool(false),
        };
        args.push(match func.ty(p.value).is_array() {
            true => Val::array(&sizes, (0..sizes.iter().product()).map(|_| one()).collect()),
            false => one(),
        });
    }
    args
}

fn parse(source: &str) -> Model {
    Model::parse("f.dsl", source).unwrap_or_else(|d| panic!("{d}"))
}

const LINEAR: &[(&str, &str)] = &[
    (
        "rosenbrock",
        "fn f[N](x: f64[N]) -> f64 { sum(100*(x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i in 0..N - 1) }",
    ),
    ("indexed reads", "fn f[N](x: f64[N]) -> f64 { sum(sin(x[mod(7*i, N)])*x[i] for i in 0..N) }"),
    (
        "indexed reads in turn",
        "fn f[N](x: f64[N]) -> f64 {
             var s = 0.0;
             for i in 0..N { s = sin(s) + x[mod(7*i, N)]*x[i]; }
             s
         }",
    ),
    (
        "stencil",
        "fn f[N](x: f64[N]) -> f64 {
             var u = x;
             for t in 0..3 {
                 u = [if i > 0 && i < N - 1 { u[i]*(u[i - 1] + u[i + 1]) } else { u[i] } for i in 0..N];
             }
             sum(u)
         }",
    ),
    (
        "sweep in place",
        "fn f[N](x: f64[N]) -> f64 {
             var u = x;
             for t in 0..3 { for i in 1..N - 1 { u[i] = sin(u[i - 1]*u[i + 1]); } }
             sum(u)
         }",
    ),
    (
        "what is the same for all elements",
        "fn f[N](x: f64[N]) -> f64 { sum(softmax(x)[i]^2 + x[i]*norm(x) for i in 0..N) }",
    ),
    (
        "kmeans",
        "fn f[N](x: f64[N]) -> f64 {
             let c = [0.1, 0.3, 0.5, 0.7, 0.9];
             sum(min((x[i] - c[k] - 0.01*x[k])^2 for k in 0..5) for i in 0..N)
         }",
    ),
];

/// Elements at most: a million, where the interpreter is fast enough.
const MOST: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

#[test]
fn gradients_are_linear() {
    let mut wrong = Vec::new();
    println!("{:24} {:>8} {:>12} {:>12} {:>12}", "per element", "N", "work", "ratio", "bytes");
    for (name, source) in LINEAR {
        let model = parse(source);
        let mut first: Option<[f64; 2]> = None;
        for n in (3..).map(|k| 10usize.pow(k)).take_while(|n| *n <= MOST) {
            let pair = Pair::new(&model, "f", &[n as i64], &[]);
            let [value, both] = pair.count(&arguments(&pair.m, pair.value, [0.2, 0.8], &[]));
            let found = [both.work() as f64, both.bytes as f64].map(|c| c / n as f64);
            let ratio = both.work() as f64 / value.work() as f64;
            println!("{name:24} {n:8} {:12.2} {ratio:12.2} {:12.2}", found[0], found[1]);
            let expected = *first.get_or_insert(found);
            if found.iter().zip(expected).any(|(f, e)| *f > 1.02 * e) {
                wrong.push(format!("{name}: {found:?} at {n}, {expected:?} before"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function and its derivative are two functions; the reverse of a product of two asks for all four, which the loop computes side by
/// side and stores.
#[test]
fn reverse_loops_compute_no_function_again() {
    let cells = "fn f[N](x: f64[N], w: f64[N]) -> f64 {
         var s = [[0.1*x[i] for i in 0..N], x];
         for t in 0..20 {
             let h = [sigmoid(s[0, i]*w[i])*tanh(s[1, i] + x[i]) for i in 0..N];
             s[1] = [s[1, i]*sigmoid(w[i] - s[0, i]) + h[i] for i in 0..N];
             s[0] = [h[i]*tanh(s[1, i]) for i in 0..N];
         }
         sum(s[0, i] for i in 0..N)
     }";
    let numbers = "fn f[N](x: f64[N], w: f64[N]) -> f64 {
         var a = x[0];
         var b = w[0];
         for t in 0..100 {
             let h = sigmoid(a*w[1])*tanh(b + x[1]);
             b = b*sigmoid(w[2] - a) + h;
             a = h*tanh(b);
         }
         a
     }";
    for source in [cells, numbers] {
        let pair = Pair::new(&parse(source), "f", &[10], &[]);
        let [value, both] = pair.count(&arguments(&pair.m, pair.value, [0.2, 0.8], &[]));
        println!("{} functions, {} with the gradient", value.transcendentals, both.transcendentals);
        assert!(both.transcendentals <= 2 * value.transcendentals, "{source}");
    }
}

/// A model of `models/bench` at sizes that the interpreter runs in no time.
pub(crate) struct Bench {
    pub file: &'static str,
    pub function: &'static str,
    pub dims: &'static [i64],
    pub ints: &'static [i64],
    pub wrt: &'static [&'static str],
    pub range: [f64; 2],
}

const fn bench(file: &'static str, function: &'static str, dims: &'static [i64]) -> Bench {
    Bench { file, function, dims, ints: &[], wrt: &[], range: [0.1, 0.9] }
}

pub(crate) const BENCHES: &[Bench] = &[
    bench("hello", "double", &[]),
    bench("scalar15", "scalar15", &[]),
    Bench { ints: &[64], ..bench("llsq", "llsq", &[32]) },
    bench("lse", "lse", &[200]),
    Bench { ints: &[10], ..bench("ode", "ode_last", &[100]) },
    bench("det", "laplace", &[5]),
    Bench { ints: &[0], wrt: &["alpha", "mu", "q", "l"], ..bench("gmm", "gmm", &[50, 5, 4]) },
    Bench { wrt: &["alpha", "mu", "icf"], ..bench("gmm_adbench", "gmm_adbench", &[50, 5, 4]) },
    Bench { wrt: &["centroids"], ..bench("kmeans", "cost", &[100, 10, 8]) },
    Bench { wrt: &["main", "extra"], ..bench("lstm", "lstm", &[2, 14, 30]) },
    bench("rosenbrock", "rosenbrock", &[1000]),
    Bench { wrt: &["x"], range: [0.001, 0.009], ..bench("helmholtz", "helmholtz", &[100]) },
    Bench { ints: &[3], wrt: &["W1", "b1", "W2", "b2"], ..bench("mlp", "mlp", &[16, 32, 64, 10]) },
    bench("ba", "residual", &[]),
    Bench { ints: &[100], ..bench("lotka", "lotka", &[]) },
    Bench { wrt: &["z"], ..bench("cquad", "cquad", &[64]) },
];

pub(crate) fn bench_model(name: &str) -> Model {
    let path = format!("{}/models/bench/{name}.dsl", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    Model::parse_with(&path, &source, &mut adc::FileLoader).unwrap_or_else(|d| panic!("{d}"))
}

#[test]
fn gradients_of_models_are_cheap() {
    let mut wrong = Vec::new();
    println!(
        "{:12} {:>10} {:>10} {:>6} {:>10} {:>10}",
        "model", "value", "gradient", "ratio", "bytes", "bytes"
    );
    for b in BENCHES {
        let model = bench_model(b.file);
        let pair = Pair::new(&model, b.function, b.dims, b.wrt);
        let [value, both] = pair.count(&arguments(&pair.m, pair.value, b.range, b.ints));
        let ratio = both.work() as f64 / value.work() as f64;
        println!(
            "{:12} {:10} {:10} {ratio:6.2} {:10} {:10}",
            b.file,
            value.work(),
            both.work(),
            value.bytes,
            both.bytes
        );
        if ratio > 5.0 {
            wrong.push(format!("{}: {ratio:.2}", b.file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bytes that the loops of a region collect, each iteration.
fn collected(m: &Module, f: FuncId, region: &Region) -> u64 {
    let func = m.func(f);
    let mut sum = 0;
    for inst in &region.insts {
        if let Kind::For(l) | Kind::While(l) = inst.kind {
            for v in &inst.results[inst.results.len() - l.collects as usize..] {
                let inner: i64 = func.shape(*v)[1..].iter().filter_map(adc_ir::Dim::as_const).product();
                sum += inner as u64 * func.ty(*v).scalar().bytes() as u64;
            }
        }
        sum += inst.regions.iter().map(|r| collected(m, f, r)).sum::<u64>();
    }
    sum
}

#[test]
fn bytes_that_a_step_of_lotka_stores() {
    let model = bench_model("lotka");
    let pair = Pair::new(&model, "lotka", &[], &[]);
    let body = pair.m.func(pair.both).region().expect("it has a body");
    let bytes = collected(&pair.m, pair.both, body);
    let at = |steps| pair.count(&arguments(&pair.m, pair.value, [0.1, 0.9], &[steps]))[1].bytes;
    let touched = (at(2000) - at(1000)) as f64 / 1000.0;
    println!("lotka stores {bytes} bytes a step, and touches {touched} (wrt {:?})", pair.wrt);
    // Two numbers are all there is to know of a step; ten more are the products of the four stages.
    assert!((16..=160).contains(&bytes), "{bytes}");
}

const STEPS: i64 = 1_000_000;
const LIMIT: u64 = 1 << 20;

const RECURRENCE: &str = "fn f(x: f64, a: f64, n: i64) -> f64 {
    var s = x;
    for i in 0..n { s = s + 0.001*sin(a*s); }
    s
}";

/// A recurrence, its gradient with as much memory as it wants, and within a limit.
fn recurrence() -> [adc::Compiled; 2] {
    let model = parse(RECURRENCE);
    let gradient =
        model.function("f").expect("it is there").value_and_grad(Wrt::All).expect("differentiable");
    [Options::default(), Options::default().with_memory_limit(LIMIT)]
        .map(|o| gradient.compile(&o).unwrap_or_else(|d| panic!("{d}")))
}

const POINT: [Value; 3] = [Value::F64(0.3), Value::F64(1.7), Value::I64(STEPS)];

#[test]
fn a_million_steps_within_a_megabyte() {
    let [free, limited] = recurrence().map(|f| f.call(&POINT).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(free, limited);
    // What all steps together store is beyond the limit.
    let everything = RECURRENCE.replace("for i", "#[checkpoint(all)] for i");
    let gradient = parse(&everything).function("f").expect("it is there").value_and_grad(Wrt::All);
    let stored = gradient.expect("differentiable").compile(&Options::default().with_memory_limit(LIMIT));
    let told = stored.expect("it compiles").call(&POINT).map_err(|e| e.to_string());
    assert!(told.as_ref().is_err_and(|e| e.contains("memory")), "{told:?}");
}
