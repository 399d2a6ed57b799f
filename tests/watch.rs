//! `adc check --watch` as a process of its own: files change, and it is interrupted.
#![cfg(unix)]

use crate::common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watching {
    child: Child,
    out: Arc<Mutex<String>>,
    err: Arc<Mutex<String>>,
    /// What of `out` has been seen.
    seen: usize,
    rounds: usize,
}

fn collect(from: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let to = text.clone();
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = String::new();
        while from.read_line(&mut line).is_ok_and(|n| n > 0) {
            to.lock().expect("no panic").push_str(&line);
            line.clear();
        }
    });
    text
}

impl Watching {
    fn start(paths: &[&Path]) -> Watching {
        let mut adc = Command::new(env!("CARGO_BIN_EXE_adc"));
        adc.args(["check", "--watch"]).args(paths).stdin(Stdio::null());
        let mut child = adc.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("adc starts");
        let out = collect(child.stdout.take().expect("a pipe"));
        let err = collect(child.stderr.take().expect("a pipe"));
        Watching { child, out, err, seen: 0, rounds: 0 }
    }

    fn rounds_so_far(&self) -> usize {
        self.err.lock().expect("no panic").matches("Ctrl-C ends").count()
    }

    /// What the next round printed.
    fn next(&mut self) -> String {
        let start = Instant::now();
        while self.rounds_so_far() == self.rounds {
            let (out, err) = (self.out.lock().expect("no panic"), self.err.lock().expect("no panic"));
            assert!(start.elapsed() < PATIENCE, "no further round:\n{out}\n{err}");
            drop((out, err));
            std::thread::sleep(Duration::from_millis(20));
        }
        self.rounds += 1;
        // Both pipes are read by threads of their own.
        std::thread::sleep(Duration::from_millis(300));
        let out = self.out.lock().expect("no panic");
        let new = out[self.seen..].to_string();
        self.seen = out.len();
        new
    }

    fn interrupt(mut self) -> i32 {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|s| s.success()));
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code().expect("it ends by itself");
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As editors write that never leave half a file behind.
fn by_rename(path: &Path, text: &str) {
    let beside = path.with_extension("tmp~");
    std::fs::write(&beside, text).expect("a file");
    std::fs::rename(&beside, path).expect("a file");
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("lib")).expect("a directory");
    dir
}

const RIGHT: &str =
    "fn g(x: f64) -> f64 { x^3 }\nrule vjp g(x; t) { 3*x^2*t }\ncheck g { x in [1, 2]; points 2; }\n";
const WRONG: &str =
    "fn g(x: f64) -> f64 { x^3 }\nrule vjp g(x; t) { 2*x^2*t }\ncheck g { x in [1, 2]; points 2; }\n";

#[test]
fn what_changes_is_checked_again() {
    let dir = folder("watch");
    let models = dir.join("models");
    std::fs::create_dir_all(&models).expect("a directory");
    let (a, b, lib) = (models.join("a.dsl"), models.join("b.dsl"), dir.join("lib/used.dsl"));
    std::fs::write(&a, "use \"../lib/used.dsl\";\nfn f(x: f64) -> f64 { twice(x) }\ncheck f { points 2; }\n")
        .expect("a file");
    std::fs::write(&b, WRONG).expect("a file");
    std::fs::write(&lib, "fn twice(x: f64) -> f64 { 2*x }\n").expect("a file");
    let mut adc = Watching::start(&[&models]);
    let first = adc.next();
    assert!(first.contains("a.dsl") && first.contains("ADC0301"), "{first}");

    // A file that another one uses, written by renaming.
    by_rename(&lib, "fn twice(x: f64) -> f64 { x + x }\n");
    let second = adc.next();
    assert!(second.contains("ok     f") && !second.contains("ADC0301"), "{second}");
    assert!(second.contains("unchanged:") && second.contains("b.dsl FAIL"), "{second}");

    // An editor that writes in several steps is one change; its last word counts.
    for k in 0..5 {
        std::fs::write(&b, &RIGHT[..RIGHT.len() - 20 + 2 * k]).expect("a file");
    }
    by_rename(&b, RIGHT);
    let mut third = adc.next();
    while !third.contains("ok     g") {
        third = adc.next();
    }
    assert!(!third.contains("FAIL") && !third.contains("ok     f"), "{third}");

    // The same text once more is no change.
    let rounds = adc.rounds_so_far();
    by_rename(&b, RIGHT);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(adc.rounds_so_far(), rounds, "{}", adc.out.lock().expect("no panic"));

    // A new file in a new directory, then none.
    std::fs::create_dir_all(models.join("more")).expect("a directory");
    std::thread::sleep(Duration::from_millis(400));
    std::fs::write(models.join("more/c.dsl"), "fn c(x: f64) -> f64 { sin(x) }\ncheck c { points 2; }\n")
        .expect("a file");
    let fourth = adc.next();
    assert!(fourth.contains("ok     c") && !fourth.contains("ok     g"), "{fourth}");
    assert_eq!(adc.interrupt(), 0);
}

#[test]
fn the_last_verdict_is_the_exit_code() {
    let dir = folder("watch_exit");
    let model = dir.join("m.dsl");
    std::fs::write(&model, "fn f(x: f64) -> f64 {").expect("a file");
    let mut adc = Watching::start(&[&model]);
    let first = adc.next();
    assert!(first.contains("ADC01"), "{first}");
    by_rename(&model, WRONG);
    let second = adc.next();
    assert!(second.contains("ADC0301"), "{second}");
    assert_eq!(adc.interrupt(), 1);
}

#[test]
fn it_is_for_people() {
    for format in ["json", "json-lines", "sarif", "junit", "github"] {
        let run = common::adc(["check", "--watch", "--format", format, "models"]);
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains("--watch"), "{}", run.err);
    }
    let run = common::adc(["check", "--watch", "-"]);
    assert_eq!(run.code, 2, "{}", run.err);
}
