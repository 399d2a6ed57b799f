//! How long `adc check` takes on models of the size that people begin with, the whole process, on all cores: the models of
//! `benches/yardsticks/`, and files of a thousand functions and of a function of a thousand parameters, which are checked at
//! twice that size as well, since their time has to grow with their size and no faster.
//!
//! `cargo bench --bench yardsticks`, or `… -- NAME` for those whose names contain NAME.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What each of them should stay below, in seconds, on two cores.
const WANTED: f64 = 10.0;
/// Functions and parameters of the files that are made.
const SIZE: usize = 1000;

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| name.contains(o.as_str()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/yardsticks");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder of this package")
        .map(|entry| entry.expect("a file of it").path())
        .filter(|path| path.extension().is_some_and(|e| e == "dsl"))
        .collect();
    files.sort();
    println!("seconds of `adc check` (wanted: below {WANTED})");
    let mut slowest = 0f64;
    for path in files {
        let name = path.file_stem().expect("it ends in .dsl").to_string_lossy().into_owned();
        if wanted(&name) {
            let text = std::fs::read_to_string(&path).expect("a file of this package");
            slowest = slowest.max(told(&name, &text));
        }
    }
    for (name, text) in [("functions", functions as fn(usize) -> String), ("parameters", parameters)] {
        if wanted(name) {
            let once = told(&format!("{SIZE} {name}"), &text(SIZE));
            let twice = told(&format!("{} {name}", 2 * SIZE), &text(2 * SIZE));
            println!("{:<20}{:>8.2} times as long for twice as many", "", twice / once);
            slowest = slowest.max(once);
        }
    }
    println!("slowest: {slowest:.2}");
}

/// The seconds of a check, told with the first line of its report that says something about a function.
fn told(name: &str, text: &str) -> f64 {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_adc"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary of this package");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    let seconds = start.elapsed().as_secs_f64();
    let report = String::from_utf8_lossy(&output.stdout);
    let line = report.lines().nth(1).unwrap_or("nothing").trim();
    println!("{name:<20}{seconds:>8.2}   {}", line.chars().take(110).collect::<String>());
    seconds
}

/// Functions of one line each.
fn functions(count: usize) -> String {
    const FORMS: [&str; 10] = [
        "x*y + C",
        "sin(x)*y - C",
        "exp(-x*x)*C + y",
        "x/(1 + y*y) + C",
        "tanh(x + C)*y",
        "sqrt(1 + x*x)*C*y",
        "log(1 + x*x)*y + C",
        "x^3 - C*x*y",
        "cos(x*y) + C*x",
        "(x + C)*(y - C)",
    ];
    let mut text = String::new();
    for k in 0..count {
        let constant = format!("{:.2}", 0.25 + (k / FORMS.len()) as f64 * 0.01);
        let body = FORMS[k % FORMS.len()].replace('C', &constant);
        let _ = writeln!(text, "fn f{k}(x: f64, y: f64) -> f64 {{ {body} }}");
    }
    text
}

/// One function of scalar parameters, each in two terms of a sum.
fn parameters(count: usize) -> String {
    let list: Vec<String> = (0..count).map(|k| format!("x{k}: f64")).collect();
    let mut text = format!("fn wide({}) -> f64 {{\n    var s = 0.0;\n", list.join(", "));
    for k in 0..count {
        let _ = writeln!(text, "    s += sin(x{k})*x{};", (k + 1) % count);
    }
    text + "    s\n}\n"
}
