//! What a gradient check costs, warm: problems (a), (b) and (c), slow, fast and second order, under classic and automatic
//! tolerances, beside the times of torch.autograd.gradcheck.
//!
//! Where Python finds torch (`ADC_BENCH_PYTHON`, else `python3`), its times are measured first (`reference/gradcheck_torch.py`). Else they
//! are those of another machine at another time, scaled by what the same C++ program
//! (`benches/reference/check.cpp`: differences and hand-written gradients, the least such a check can cost) takes here and
//! took there, so that the ratio is one of this run. Without a C++ compiler they are taken as they are, and it says so.

use adc::{Model, Settings};
use adc_checker::{Backends, Context, Prepared, Tolerance};
use adc_ir::{Datum, Mode};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A problem with the milliseconds of torch (slow, fast, second order slow and fast), and the milliseconds the C++ program
/// took beside it.
struct Problem {
    name: &'static str,
    file: &'static str,
    function: &'static str,
    torch: [f64; 4],
    floor: f64,
}

const PROBLEMS: [Problem; 3] = [
    Problem {
        name: "a",
        file: "models/bench/scalar15.dsl",
        function: "scalar15",
        torch: [2.87, 2.28, 13.6, 7.6],
        floor: 0.0007,
    },
    Problem {
        name: "b",
        file: "benches/check.dsl",
        function: "layer",
        torch: [5.3, 0.66, 17.9, 1.45],
        floor: 0.18,
    },
    Problem {
        name: "c",
        file: "benches/check.dsl",
        function: "cquad",
        torch: [5.0, 1.42, 54.5, 7.4],
        floor: 0.0099,
    },
];

const CHECKS: [(&str, &[Mode]); 4] = [
    ("slow", &[Mode::Slow]),
    ("fast", &[Mode::Fast]),
    ("gradgrad slow", &[Mode::Slow, Mode::Gradgrad]),
    ("gradgrad fast", &[Mode::Gradgrad]),
];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn main() {
    let measured = torch();
    let floor = floor();
    match (&measured, floor) {
        (Some(_), _) => println!("torch's times are measured here"),
        (None, Some(_)) => println!("no torch: its times were measured elsewhere, and are scaled"),
        (None, None) => println!("no torch and no C++ compiler: torch's times are those of another machine"),
    }
    println!("warm checks at one point, microseconds (medians); the ratio is torch's time over adc's");
    println!(
        "{:<4}{:<15}{:>10}{:>12}{:>9}{:>12}{:>9}{:>12}",
        "", "", "torch", "classic", "ratio", "automatic", "ratio", "auto/class."
    );
    let mut least = f64::INFINITY;
    for (k, p) in PROBLEMS.iter().enumerate() {
        let scale = floor.map_or(1.0, |f| f[k] * 1e-6 / p.floor);
        let torch = measured.as_ref().map_or_else(|| p.torch.map(|ms| ms * scale), |times| times[k]);
        for ((what, modes), torch) in CHECKS.into_iter().zip(torch) {
            let torch = torch * 1e3;
            let [classic, automatic] = [Tolerance::Classic, Tolerance::Automatic].map(|t| check(p, modes, t));
            least = least.min(torch / classic);
            println!(
                "{:<4}{:<15}{torch:>10.1}{classic:>12.2}{:>9.0}{automatic:>12.2}{:>9.0}{:>12.1}",
                p.name,
                what,
                torch / classic,
                torch / automatic,
                automatic / classic
            );
        }
    }
    println!("least ratio under classic tolerances: {least:.0}");
}

/// Microseconds of one check at the problem's point, everything compiled before.
fn check(p: &Problem, modes: &[Mode], tolerance: Tolerance) -> f64 {
    let path = here(p.file);
    let source = std::fs::read_to_string(&path).expect("a file of this package");
    let model = Model::parse(&path.to_string_lossy(), &source).unwrap_or_else(|d| panic!("{d}"));
    let func = |f: adc_ir::FuncId| model.module().func(f);
    let block =
        model.program().checks.iter().find(|b| func(b.func).name == p.function).expect("it has a block");
    let mut settings = Settings::default();
    settings.modes = Some(modes.to_vec());
    settings.tolerance = tolerance;
    settings.backends = Backends::None;
    let externs = adc::Externs::default();
    let ctx = Context::new(model.module(), &externs, adc::OptLevel::default());
    let mut prepared = Prepared::new(&ctx, block, &settings).unwrap_or_else(|d| panic!("{}", d.message));
    let inputs: Vec<Datum> =
        adc_checker::sample_point(func(block.func), &block.params).expect("sizes are numbers");
    let first = prepared.run_point(&inputs, 0).expect("no run-time error");
    assert_eq!(
        (first.failed(), first.unsure(), first.unchecked()),
        (0, 0, 0),
        "{} {modes:?} {tolerance:?}",
        p.name
    );
    assert!(first.compared() > 0);
    let mut times = Vec::new();
    let mut iterations = 1;
    while times.len() < 25 {
        let start = Instant::now();
        for _ in 0..iterations {
            black_box(prepared.run_point(black_box(&inputs), 0).expect("as before"));
        }
        let took = start.elapsed().as_secs_f64();
        match took < 2e-3 {
            true => iterations *= 2,
            false => times.push(took * 1e6 / iterations as f64),
        }
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Milliseconds of torch for each problem and check; `None` where it is not installed.
fn torch() -> Option<Vec<[f64; 4]>> {
    let python = std::env::var("ADC_BENCH_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let mut c = Command::new(python);
    c.arg(here("benches/reference/gradcheck_torch.py")).arg(here("models/bench/data"));
    let out = c.stderr(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    let line = |l: &str| {
        let times: Vec<f64> = l.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        <[f64; 4]>::try_from(times).ok()
    };
    text.lines().map(line).collect::<Option<Vec<_>>>().filter(|all| all.len() == PROBLEMS.len())
}

/// Nanoseconds of the C++ program for (a), (b) and (c), dense; `None` without a compiler.
fn floor() -> Option<[f64; 3]> {
    let source = here("benches/reference/check.cpp");
    let program = std::env::temp_dir().join(format!("adc-check-{}", std::process::id()));
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_string());
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O3", "-march=native", "-o"])
        .arg(&program)
        .arg(source)
        .status();
    if !built.is_ok_and(|s| s.success()) {
        return None;
    }
    let mut text = String::new();
    for name in ["b_x", "b_W", "c_z", "c_A"] {
        let value = adc::npy::read(here(&format!("models/bench/data/check_{name}.npy"))).ok()?;
        let numbers: Vec<_> = value.into_datum().elements().map(|c| c.to_c128()).collect();
        numbers.iter().for_each(|z| text += &format!("{:e} ", z.re));
        if name.starts_with('c') {
            numbers.iter().for_each(|z| text += &format!("{:e} ", z.im));
        }
    }
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let out = child.wait_with_output().ok()?;
    let _ = std::fs::remove_file(&program);
    let text = String::from_utf8(out.stdout).ok()?;
    let times: Vec<f64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [a, b, _, c] = times.try_into().ok()?;
    Some([a, b, c])
}
