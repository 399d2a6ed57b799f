//! All workloads of `models/bench`: value, JVP, value and gradient (VJP) and Hessian-vector product, beside hand-written C++, in
//! rounds of one run, and whether the bars are met.
//!
//! The references are built from `benches/reference/` where there is a C++ compiler: `hand.cpp` (*strict*: `-O3 -march=native`;
//! *fast*: `-ffast-math`, 512 bit), `wide.cpp` (*wide*: lanes over an outer loop, the best of its variants) and `primals.cpp`
//! (values only). Where Python finds JAX (`ADC_BENCH_PYTHON`, else `python3`), so does `workloads_jax.py`, once. A reference process runs between adc's batches in every round, and the least time of all rounds counts on both
//! sides. Values and norms of gradients are compared first: a bench of a wrong number is an error. Gradients are timed in all vectors that
//! the machine has as well.
//!
//! `cargo bench --bench workloads`, or `… -- NAME` for those whose names contain NAME. `ADC_BENCH_ROUNDS` sets the rounds.

use adc::{Compiled, Error, FileLoader, Function, Model, Options, Value, Workspace, npy};
use adc_jit::Simd;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Rounds, the time of a batch, and the batches of a program in a round.
const ROUNDS: usize = 5;
const BATCH_NS: f64 = 2e6;
const BATCHES: usize = 8;
/// The time of a batch that is counted in time on the processor.
const LONG_NS: f64 = 1e8;
/// What each reference measurement takes in a round, in seconds.
const REFERENCE_SECONDS: &str = "0.03";
/// Relative difference of values and norms of gradients that is allowed; the references round in other orders.
const TOLERANCE: f64 = 1e-9;
/// Bytes that the process of a first gradient may use.
const MEMORY: u64 = 64 << 20;
/// The reference program in Python.
const JAX: &str = "jax";
/// A workload whose costs are taken at many sizes: its name, the dimensions that do not grow, the function, and its arguments by N.
type Growing = (&'static str, &'static str, &'static str, fn(usize) -> Vec<Value<'static>>);

/// An argument: a file of `models/bench/data`, an integer, or the last rows of a file.
enum Arg {
    File(&'static str),
    Int(i64),
    Last(&'static str, usize),
}
use Arg::{File, Int, Last};

struct Workload {
    name: &'static str,
    /// Without `.dsl`, and the function in it.
    model: &'static str,
    function: &'static str,
    args: &'static [(&'static str, Arg)],
    wrt: &'static [&'static str],
    /// The name in the output of `hand.cpp` and `wide.cpp`, and of `primals.cpp`.
    reference: &'static str,
    primal: &'static str,
    /// At most so many times this reference.
    bar: (f64, &'static str),
    /// Items of one call; times are for one.
    items: f64,
    /// Milliseconds that the first gradient may take.
    first: Option<f64>,
}

const fn gmm(
    name: &'static str,
    reference: &'static str,
    args: &'static [(&'static str, Arg)],
    bar: f64,
) -> Workload {
    let (model, function, wrt): (_, _, &[&str]) = ("gmm_adbench", "gmm_adbench", &["alpha", "mu", "icf"]);
    let bar = (bar, "wide");
    Workload { name, model, function, args, wrt, reference, primal: "", bar, items: 1.0, first: Some(50.0) }
}

const fn plain(
    name: &'static str,
    reference: &'static str,
    args: &'static [(&'static str, Arg)],
    wrt: &'static [&'static str],
    bar: (f64, &'static str),
) -> Workload {
    Workload {
        name,
        model: name,
        function: name,
        args,
        wrt,
        reference,
        primal: "",
        bar,
        items: 1.0,
        first: None,
    }
}

const WORKLOADS: &[Workload] = &[
    Workload {
        args: &[("x", Arg::Int(0)), ("y", Arg::Int(1)), ("z", Arg::Int(2))],
        first: Some(10.0),
        ..plain("scalar15", "w1", &[], &["x", "y", "z"], (1.0, "strict"))
    },
    plain("rosenbrock", "w2", &[("x", File("rosenbrock_x"))], &["x"], (1.5, "wide")),
    plain(
        "helmholtz",
        "w3",
        &[("x", File("helmholtz_x")), ("b", File("helmholtz_b")), ("A", File("helmholtz_A"))],
        &["x"],
        (1.3, "wide"),
    ),
    plain(
        "mlp",
        "w4",
        &[
            ("W1", File("mlp_W1")),
            ("b1", File("mlp_b1")),
            ("W2", File("mlp_W2")),
            ("b2", File("mlp_b2")),
            ("X", File("mlp_X")),
            ("label", File("mlp_label")),
        ],
        &["W1", "b1", "W2", "b2"],
        (1.0, "fast"),
    ),
    gmm(
        "gmm 10/25",
        "w5_10_25",
        &[
            ("alpha", File("gmm_10_25_alpha")),
            ("mu", File("gmm_10_25_mu")),
            ("icf", File("gmm_10_25_icf")),
            ("x", File("gmm_10_25_x")),
        ],
        1.5,
    ),
    gmm(
        "gmm 2/5",
        "w5_2_5",
        &[
            ("alpha", File("gmm_2_5_alpha")),
            ("mu", File("gmm_2_5_mu")),
            ("icf", File("gmm_2_5_icf")),
            ("x", File("gmm_2_5_x")),
        ],
        1.5,
    ),
    Workload {
        model: "ba",
        function: "jacobians",
        items: 1e4,
        ..plain(
            "ba",
            "w6",
            &[("cam", File("ba_cam")), ("X", File("ba_X")), ("w", File("ba_w")), ("feat", File("ba_feat"))],
            &[],
            (1.5, "wide"),
        )
    },
    Workload {
        function: "cost",
        primal: "kmeans 1000 10 8",
        ..plain(
            "kmeans",
            "kmeans",
            &[("points", File("kmeans_1000_8_points")), ("centroids", Last("kmeans_1000_8_points", 10))],
            &["centroids"],
            (1.5, "wide"),
        )
    },
    Workload {
        primal: "llsq 128 256",
        ..plain("llsq", "llsq 256", &[("x", File("llsq_x")), ("n", Int(256))], &["x"], (1.5, "wide"))
    },
    Workload {
        first: Some(50.0),
        ..plain(
            "lstm",
            "w7",
            &[
                ("main", File("lstm_main")),
                ("extra", File("lstm_extra")),
                ("state", File("lstm_state")),
                ("sequence", File("lstm_seq")),
            ],
            &["main", "extra"],
            (1.3, "wide"),
        )
    },
    plain(
        "lotka",
        "w8",
        &[("p", File("lotka_param")), ("y0", File("lotka_y0")), ("steps", Int(1000))],
        &["p", "y0"],
        (1.0, "strict"),
    ),
    plain("cquad", "w9", &[("A", File("cquad_A")), ("z", File("cquad_z"))], &["z"], (1.3, "wide")),
    Workload {
        primal: "lse 2500",
        ..plain("lse", "", &[("x", File("lse_2500_x"))], &["x"], (1.2, "primal"))
    },
    Workload {
        function: "ode_last",
        primal: "ode 1000 10",
        ..plain("ode", "", &[("x", File("ode_1000_x")), ("s", Int(10))], &["x"], (1.2, "primal"))
    },
    Workload {
        function: "laplace",
        primal: "det 5",
        ..plain("det", "", &[("A", File("det_5_A"))], &["A"], (1.2, "primal"))
    },
];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn load(name: &str) -> Value<'static> {
    npy::read(here(&format!("models/bench/data/{name}.npy"))).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn numbers(v: &Value) -> Vec<f64> {
    let all: Vec<_> = v.consts().map(|c| c.to_c128()).collect();
    let imaginary = all.iter().map(|z| z.im).filter(|_| v.elem().is_complex());
    all.iter().map(|z| z.re).chain(imaginary).collect()
}

impl Workload {
    fn inputs(&self) -> Vec<Value<'static>> {
        let scalars = (self.name == "scalar15").then(|| numbers(&load("scalar15_xyz")));
        let arg = |(_, arg): &(&str, Arg)| match (arg, &scalars) {
            (Int(k), Some(xyz)) => xyz[*k as usize].into(),
            (Int(n), None) => (*n).into(),
            (File(name), _) => load(name),
            (Last(name, rows), _) => {
                let v = load(name);
                let columns = v.shape()[1];
                let all = numbers(&v);
                Value::array(&[*rows, columns], all[all.len() - rows * columns..].to_vec()).expect("it fits")
            }
        };
        self.args.iter().map(arg).collect()
    }

    fn path(&self) -> PathBuf {
        here(&format!("models/bench/{}.dsl", self.model))
    }

    fn function(&self) -> Result<Function, Error> {
        let path = self.path();
        let text = std::fs::read_to_string(&path).expect("a model of this package");
        let f =
            Model::parse_with(&path.to_string_lossy(), &text, &mut FileLoader)?.function(self.function)?;
        match self.late() {
            Some(size) => f.with_dims([("L", size)]),
            None => Ok(f),
        }
    }

    /// The size that has to be known before the function is differentiated.
    fn late(&self) -> Option<i64> {
        match self.name {
            "lstm" => Some(2),
            "det" => Some(5),
            _ => None,
        }
    }

    /// The programs, each with its arguments: value, JVP, gradient, HVP. ba's Jacobians are values already.
    fn programs(&self) -> Result<Vec<Program>, Error> {
        let (f, x, o) = (self.function()?, self.inputs(), Options::default());
        if self.wrt.is_empty() {
            return Ok(vec![Program::new("vjp", f.compile(&o)?, x)]);
        }
        let place = |w: &&str| self.args.iter().position(|(n, _)| n == w).expect("a parameter");
        let ones = self.wrt.iter().map(place).map(|i| like(&x[i]));
        let directed: Vec<Value<'static>> = x.iter().cloned().chain(ones).collect();
        Ok(vec![
            Program::new("primal", f.compile(&o)?, x.clone()),
            Program::new("jvp", f.jvp(self.wrt)?.compile(&o)?, directed.clone()),
            Program::new("vjp", f.value_and_grad(self.wrt)?.compile(&o)?, x),
            Program::new("hvp", f.hvp(self.wrt)?.compile(&o)?, directed),
        ])
    }
}

/// Ones of a value's type and shape.
fn like(v: &Value) -> Value<'static> {
    let n = v.consts().len();
    match (v.shape(), v.elem().is_complex()) {
        ([], _) => Value::F64(1.0),
        (shape, false) => Value::array(shape, vec![1.0; n]).expect("it fits"),
        (shape, true) => Value::array(shape, vec![adc::C128::new(1.0, 0.0); n]).expect("it fits"),
    }
}

/// A program to be timed.
struct Program {
    mode: &'static str,
    code: Compiled,
    inputs: Vec<Value<'static>>,
    calls: usize,
    best: f64,
}

impl Program {
    fn new(mode: &'static str, code: Compiled, inputs: Vec<Value<'static>>) -> Program {
        Program { mode, code, inputs, calls: 0, best: f64::INFINITY }
    }

    /// Times some batches, and takes the least time of a call, in ns.
    fn round(&mut self) -> Result<(), Error> {
        let mut out = vec![Value::Bool(false); self.code.outputs().len()];
        let mut workspace = Workspace::default();
        let mut bound = self.code.bind(&mut workspace);
        let mut batch = |calls: usize| -> Result<f64, Error> {
            let start = Instant::now();
            for _ in 0..calls {
                bound.call_into(black_box(&self.inputs), &mut out)?;
            }
            Ok(start.elapsed().as_nanos() as f64 / calls as f64)
        };
        batch(1)?;
        if self.calls == 0 {
            let once = batch(3)?.min(batch(3)?).max(1.0);
            self.calls = (BATCH_NS / once).ceil().clamp(1.0, 1e6) as usize;
        }
        for _ in 0..BATCHES {
            self.best = self.best.min(batch(self.calls)?);
        }
        Ok(())
    }
}

/// What the references say of a workload: nanoseconds of the value and of the gradient, value and norm of the gradient.
#[derive(Clone, Copy, Default)]
struct Told {
    primal: f64,
    gradient: f64,
    value: f64,
    norm: Option<f64>,
}

/// The reference programs, built, and what they have said so far: by program and workload.
struct References {
    programs: Vec<(&'static str, PathBuf)>,
    folder: PathBuf,
    told: BTreeMap<(&'static str, String), Told>,
}

impl References {
    fn build() -> References {
        let folder = std::env::temp_dir().join(format!("adc-workloads-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let mut references = References { programs: Vec::new(), folder, told: BTreeMap::new() };
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_string());
        let fast = ["-std=c++17", "-ffast-math", "-mprefer-vector-width=512"];
        let builds: [(&str, &str, &[&str]); 4] = [
            ("strict", "hand.cpp", &["-std=c++17"]),
            ("fast", "hand.cpp", &fast),
            ("wide", "wide.cpp", &["-std=c++20"]),
            ("primal", "primals.cpp", &["-std=c++17"]),
        ];
        let started = builds.map(|(name, source, flags)| {
            let program = references.folder.join(name);
            let mut c = Command::new(&compiler);
            c.args(["-w", "-O3", "-march=native"]).args(flags).arg("-o").arg(&program);
            c.arg(here("benches/reference").join(source)).stderr(Stdio::null());
            (name, program, c.spawn())
        });
        for (name, program, child) in started {
            if child.and_then(|mut c| c.wait()).is_ok_and(|s| s.success()) {
                references.programs.push((name, program));
            } else {
                println!("{name}: `{compiler}` does not build it here; its ratios are left out\n");
            }
        }
        let python = std::env::var("ADC_BENCH_PYTHON").unwrap_or_else(|_| "python3".to_string());
        let mut c = Command::new(&python);
        c.args(["-c", "import jax"]).stdout(Stdio::null()).stderr(Stdio::null());
        if c.status().is_ok_and(|s| s.success()) {
            references.programs.push((JAX, python.into()));
        } else {
            println!("{JAX}: `{python}` does not find it here; its ratios are left out\n");
        }
        references.data();
        references
    }

    /// Writes the inputs as the programs read them: numbers, without headers.
    fn data(&self) {
        let files: [(&str, &[&str]); 19] = [
            ("w1", &["scalar15_xyz"]),
            ("w2", &["rosenbrock_x"]),
            ("w3", &["helmholtz_x"]),
            ("w3_data", &["helmholtz_b", "helmholtz_A"]),
            ("w4", &["mlp_W1", "mlp_b1", "mlp_W2", "mlp_b2"]),
            ("w4_data", &["mlp_X", "mlp_label"]),
            ("w5_10_25", &["gmm_10_25_alpha", "gmm_10_25_mu", "gmm_10_25_icf"]),
            ("w5_10_25_data", &["gmm_10_25_x"]),
            ("w5_2_5", &["gmm_2_5_alpha", "gmm_2_5_mu", "gmm_2_5_icf"]),
            ("w5_2_5_data", &["gmm_2_5_x"]),
            ("w6_data", &["ba_feat"]),
            ("w7", &["lstm_main", "lstm_extra"]),
            ("w7_data", &["lstm_state", "lstm_seq"]),
            ("w8", &["lotka_param", "lotka_y0"]),
            ("w9", &["cquad_z"]),
            ("w9_data", &["cquad_A"]),
            ("kmeans", &["kmeans_1000_8_points"]),
            ("llsq", &["llsq_x"]),
            ("w6", &[]),
        ];
        for (to, from) in files {
            let mut all: Vec<f64> = from.iter().flat_map(|name| numbers(&load(name))).collect();
            if to == "w6" {
                let [cam, x, w] = ["ba_cam", "ba_X", "ba_w"].map(|n| numbers(&load(n)));
                for i in 0..w.len() {
                    all.extend(&cam[11 * i..11 * (i + 1)]);
                    all.extend(&x[3 * i..3 * (i + 1)]);
                    all.push(w[i]);
                }
            }
            let bytes: Vec<u8> = all.iter().flat_map(|x| x.to_le_bytes()).collect();
            std::fs::write(self.folder.join(format!("{to}.bin")), bytes).expect("writable");
        }
    }

    /// Runs every program once.
    fn round(&mut self) {
        for (name, program) in &self.programs {
            let mut c = Command::new(program);
            if *name == JAX {
                // It compiles everything each time.
                if self.told.keys().any(|(program, _)| *program == JAX) {
                    continue;
                }
                c.arg(here("benches/reference/workloads_jax.py"));
            }
            if ["primal", JAX].contains(name) {
                c.arg(here("models/bench/data"));
            }
            c.env("DATA_DIR", &self.folder).env("BENCH_SECONDS", REFERENCE_SECONDS);
            let out = c.output().expect("it was just built");
            assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
            for line in String::from_utf8_lossy(&out.stdout).lines() {
                let found: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
                let text = |key: &str| found[key].as_str().unwrap_or_default().to_string();
                // Other layouts, other rules, other sizes.
                let other = ["hand.cpp", "plain", "columns", "640", "lean", "symmetric", "per item", "items"];
                let note = text("note") + &text("peer");
                if other.iter().any(|o| note.contains(o)) || note.contains("SoA") {
                    continue;
                }
                let number = |key: &str| found[key].as_f64();
                let least = |a: f64, b: f64| if a > 0.0 { a.min(b) } else { b };
                let told = self.told.entry((name, text("w"))).or_default();
                told.primal = least(told.primal, number("primal_ns").unwrap_or(0.0));
                told.gradient = least(told.gradient, number("grad_ns").unwrap_or(0.0));
                told.value = number("value").expect("a value");
                told.norm = number("gnorm");
            }
        }
    }

    fn of(&self, program: &'static str, w: &Workload) -> Option<Told> {
        let name = match program {
            "primal" => w.primal,
            JAX => w.name,
            _ => w.reference,
        };
        self.told.get(&(program, name.to_string())).copied()
    }

    /// Nanoseconds of a program's gradient; of `primal`, of its value.
    fn time(&self, program: &'static str, w: &Workload) -> Option<f64> {
        let told = self.of(program, w)?;
        Some(if program == "primal" { told.primal } else { told.gradient }).filter(|t| *t > 0.0)
    }
}

impl Drop for References {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The differences between adc's numbers and the references'.
fn compare(w: &Workload, programs: &[Program], references: &References) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut near = |what: String, found: f64, expected: f64| {
        if (found - expected).abs() > TOLERANCE * expected.abs() {
            wrong.push(format!("{}, {what}: {found:e} instead of {expected:e}", w.name));
        }
    };
    let Some(gradient) = programs.iter().find(|p| p.mode == "vjp") else { return wrong };
    let found = gradient.code.call(&gradient.inputs).unwrap_or_else(|e| panic!("{}: {e}", w.name));
    let value = (!w.wrt.is_empty()).then(|| numbers(&found[0])[0]);
    let entries = found[usize::from(value.is_some())..].iter().flat_map(numbers);
    let norm = entries.map(|g| g * g).sum::<f64>().sqrt();
    for program in ["strict", "fast", "wide", "primal", JAX] {
        let Some(told) = references.of(program, w) else { continue };
        if let Some(value) = value {
            near(format!("value of {program}"), value, told.value);
        }
        if let Some(expected) = told.norm {
            near(format!("norm of the gradient of {program}"), norm, expected);
        }
    }
    wrong
}

/// Milliseconds and bytes of a process that reads the model and its data and prints the gradient: the least of some.
fn first(w: &Workload) -> Option<(f64, Option<u64>)> {
    if w.wrt.is_empty() {
        return None;
    }
    let data = |name: &str| here(&format!("models/bench/data/{name}.npy")).display().to_string();
    let inputs = w.inputs();
    let folder = std::env::temp_dir().join(format!("adc-first-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let place = |((name, arg), v): (&(&str, Arg), &Value)| match arg {
        File(file) => format!("{name}=@{}", data(file)),
        Int(_) => {
            let numbers = numbers(v);
            format!("{name}={}", numbers[0])
        }
        Last(..) => {
            let to = folder.join(format!("{name}.npy"));
            npy::write(&to, v).expect("writable");
            format!("{name}=@{}", to.display())
        }
    };
    let at: Vec<String> = w.args.iter().zip(&inputs).map(place).collect();
    let command = || {
        let mut c = Command::new(env!("CARGO_BIN_EXE_adc"));
        c.arg("grad").arg(w.path()).args([
            "--fn",
            w.function,
            "--wrt",
            &w.wrt.join(","),
            "--at",
            &at.join(","),
        ]);
        if let Some(size) = w.late() {
            c.arg("--dims").arg(format!("L={size}"));
        }
        c.stdout(Stdio::null()).stderr(Stdio::piped());
        c
    };
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        let out = command().output().expect("the binary of this package");
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        assert!(out.status.success(), "{}: {}", w.name, String::from_utf8_lossy(&out.stderr));
    }
    // In a run of its own: looking takes time.
    let mut child = command().spawn().ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().is_ok_and(|s| s.is_none()) {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
            peak = peak.max(kib.map(|k| k << 10));
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    let _ = std::fs::remove_dir_all(&folder);
    Some((best, peak))
}

/// Numbers between 0 and 1 that look random.
fn spread(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.618_033_988_749_894_9).fract()).collect()
}

/// Nanoseconds that this thread was on a processor; of the clock where that is not known.
fn processor_ns() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = text.and_then(|t| t.split_whitespace().next()?.parse().ok());
    first.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_nanos() as f64)
}

/// Nanoseconds of value and gradient for one of N elements.
fn linear() {
    const GROWING: [Growing; 5] = [
        ("rosenbrock, N", "rosenbrock", "rosenbrock", |n| vec![spread(n).into()]),
        ("lse, N", "lse", "lse", |n| vec![spread(n).into()]),
        ("ode, N, 1 step", "ode", "ode_last", |n| vec![spread(n).into(), 1i64.into()]),
        ("lotka, steps", "lotka", "lotka", |n| {
            vec![load("lotka_param"), load("lotka_y0"), (n as i64).into()]
        }),
        ("gmm 2/5, points", "gmm_adbench", "gmm_adbench", |n| {
            let x = Value::array(&[n, 2], spread(2 * n)).expect("it fits");
            vec![load("gmm_2_5_alpha"), load("gmm_2_5_mu"), load("gmm_2_5_icf"), x]
        }),
    ];
    println!("\n| value and gradient, ns per element | 10^3 | 10^4 | 10^5 | 10^6 | 10^6 over 10^3 |");
    println!("|---|---|---|---|---|---|");
    for (name, model, function, inputs) in GROWING {
        let wrt: &[&str] = match model {
            "lotka" => &["p", "y0"],
            "gmm_adbench" => &["alpha", "mu", "icf"],
            _ => &["x"],
        };
        let path = here(&format!("models/bench/{model}.dsl"));
        let text = std::fs::read_to_string(&path).expect("a model of this package");
        let model = Model::parse_with(&path.to_string_lossy(), &text, &mut FileLoader).expect("it compiles");
        let f = model.function(function).expect("it is there").value_and_grad(wrt);
        let code = f.and_then(|f| f.compile(&Options::default())).expect("it compiles");
        let times = [1000, 10_000, 100_000, 1_000_000].map(|n| {
            let p = Program::new("vjp", code.clone(), inputs(n));
            // Long calls are interrupted by whatever else runs: the time on the processor, where it is known.
            let mut out = vec![Value::Bool(false); p.code.outputs().len()];
            let mut workspace = Workspace::default();
            let mut bound = p.code.bind(&mut workspace);
            let mut best = f64::INFINITY;
            // The first call compiles.
            bound.call_into(&p.inputs, &mut out)?;
            let start = Instant::now();
            bound.call_into(&p.inputs, &mut out)?;
            // The system counts in steps of milliseconds.
            let calls = (LONG_NS / start.elapsed().as_nanos() as f64).ceil().clamp(1.0, 1e5) as usize;
            for _ in 0..5 {
                let start = processor_ns();
                for _ in 0..calls {
                    bound.call_into(black_box(&p.inputs), &mut out)?;
                }
                best = best.min((processor_ns() - start) / (calls * n) as f64);
            }
            Ok(best)
        });
        let cell = |t: &Result<f64, Error>| match t {
            Ok(t) => format!("{t:.2}"),
            Err(e) => e.to_string().lines().next().unwrap_or_default().to_string(),
        };
        let growth = match (&times[0], &times[3]) {
            (Ok(few), Ok(many)) => format!("{:.2}", many / few),
            _ => String::new(),
        };
        println!("| {name} | {} | {growth} |", times.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
}

/// The argument of a process that times the gradients only.
const GRADIENTS: &str = "--gradients";

/// Times the gradients of some workloads, and prints them: a process of [`tiers`].
fn gradients<'w>(workloads: impl Iterator<Item = &'w Workload>) {
    for w in workloads {
        let programs = w.programs().unwrap_or_else(|e| panic!("{}: {e}", w.name));
        for mut p in programs.into_iter().filter(|p| p.mode == "vjp") {
            p.round().unwrap_or_else(|e| panic!("{}: {e}", w.name));
            println!("{}\t{}", w.name, p.best / w.items);
        }
    }
}

/// Value and gradient in all vectors that this machine has: processes in turn, and the least of the rounds.
fn tiers<'w>(workloads: impl Iterator<Item = &'w Workload>, only: &[String], rounds: usize) {
    let tiers = Simd::all_there();
    let mut best: BTreeMap<(String, usize), f64> = BTreeMap::new();
    for _ in 0..rounds {
        for (k, tier) in tiers.iter().enumerate() {
            let mut c = Command::new(std::env::current_exe().expect("this program"));
            let out = c.arg(GRADIENTS).args(only).env(Simd::VARIABLE, tier.name()).output();
            let out = out.expect("this program runs");
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            for line in String::from_utf8_lossy(&out.stdout).lines() {
                let (name, ns) = line.split_once('\t').expect("a name and a time");
                let ns: f64 = ns.parse().expect("a time");
                best.entry((name.to_string(), k)).and_modify(|b| *b = b.min(ns)).or_insert(ns);
            }
        }
    }
    let (widest, names) = (tiers.len() - 1, tiers.iter().map(|t| t.name()).collect::<Vec<_>>());
    let over = names[..widest].iter().map(|n| format!(" {n} over {} |", names[widest])).collect::<String>();
    println!("\n| value and gradient, in the vectors of | {} |{over}", names.join(" | "));
    println!("|---|{}", "---|".repeat(tiers.len() + widest));
    for w in workloads {
        let times: Vec<f64> = (0..tiers.len()).map(|k| best[&(w.name.to_string(), k)]).collect();
        let cells: Vec<String> = times.iter().map(|t| duration(*t)).collect();
        let over = times[..widest].iter().map(|t| format!(" {:.2} |", t / times[widest])).collect::<String>();
        println!("| {} | {} |{over}", w.name, cells.join(" | "));
    }
}

/// Three digits and a unit.
fn duration(ns: f64) -> String {
    let (x, unit) = match ns {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n => (n / 1e6, "ms"),
    };
    let digits = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.digits$} {unit}")
}

fn main() -> ExitCode {
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |w: &&Workload| only.is_empty() || only.iter().any(|o| w.name.contains(o.as_str()));
    let rounds = std::env::var("ADC_BENCH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    if std::env::args().any(|a| a == GRADIENTS) {
        gradients(WORKLOADS.iter().filter(wanted));
        return ExitCode::SUCCESS;
    }
    let mut references = References::build();
    references.round();
    let mut wrong = Vec::new();
    let mut all: Vec<(&Workload, Vec<Program>)> = Vec::new();
    for w in WORKLOADS.iter().filter(wanted) {
        let programs = w.programs().unwrap_or_else(|e| panic!("{}: {e}", w.name));
        wrong.extend(compare(w, &programs, &references));
        all.push((w, programs));
    }
    if !wrong.is_empty() {
        println!("wrong numbers, nothing was timed:\n{}", wrong.join("\n"));
        return ExitCode::FAILURE;
    }
    for _ in 0..rounds {
        for (w, programs) in &mut all {
            for p in programs.iter_mut() {
                p.round().unwrap_or_else(|e| panic!("{}: {e}", w.name));
            }
        }
        references.round();
    }
    println!(
        "| workload | primal | JVP | VJP | HVP | strict | fast | wide | JAX | VJP/strict | /fast | /wide | /JAX | hand primal | VJP/it | bar | |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut met, mut bars) = (0, 0);
    for (w, programs) in &all {
        let time = |mode: &str| programs.iter().find(|p| p.mode == mode).map(|p| p.best / w.items);
        let text = |t: Option<f64>| t.map_or("–".to_string(), duration);
        let vjp = time("vjp").expect("every workload has one");
        let others = ["strict", "fast", "wide", JAX].map(|r| references.time(r, w));
        let primal = references.time("primal", w).or(references.of("strict", w).map(|t| t.primal));
        let primal = primal.filter(|t| *t > 0.0);
        let over = |t: Option<f64>| t.map_or("–".to_string(), |t| format!("{:.2}", vjp / t));
        let (limit, of) = w.bar;
        let judged = references.time(of, w).map(|t| vjp / t);
        bars += usize::from(judged.is_some());
        met += usize::from(judged.is_some_and(|r| r <= limit));
        let verdict = match judged {
            None => "no reference".to_string(),
            Some(r) if r <= limit => "met".to_string(),
            Some(r) => format!("missed, {:.1} times", r / limit),
        };
        let cells: Vec<String> = ["primal", "jvp", "vjp", "hvp"].map(|m| text(time(m))).into();
        let references: Vec<String> = others.map(text).into_iter().chain(others.map(over)).collect();
        println!(
            "| {} | {} | {} | {} | {} | {limit} × {of} | {verdict} |",
            w.name,
            cells.join(" | "),
            references.join(" | "),
            text(primal),
            over(primal)
        );
    }
    println!("\n{met} of {bars} bars of one call are met");
    println!(
        "\n| source to first gradient, whole process | time | bar | peak memory | bar |\n|---|---|---|---|---|"
    );
    for (w, _) in &all {
        let Some((ms, peak)) = first(w) else { continue };
        let verdict = |met: bool| if met { "met" } else { "missed" };
        let bar = w.first.map_or("–".to_string(), |b| format!("{b} ms, {}", verdict(ms <= b)));
        let (memory, within) = match peak {
            Some(p) => (format!("{:.1} MiB", p as f64 / 1048576.0), verdict(p <= MEMORY)),
            None => ("–".to_string(), "not known here"),
        };
        println!("| {} | {ms:.1} ms | {bar} | {memory} | 64 MiB, {within} |", w.name);
    }
    tiers(WORKLOADS.iter().filter(wanted), &only, rounds);
    if only.is_empty() {
        linear();
    }
    ExitCode::SUCCESS
}
