//! `cargo run -p adc-fuzz -- --runs 10000`: seeded inputs for every way into adc, with bounds on time and memory.

use adc_fuzz::{Outcome, Target};
use clap::Parser;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Runs seeded inputs, and keeps those that adc receives in a wrong way
#[derive(Parser, Clone)]
#[command(after_help = "\
Examples:
  cargo run -p adc-fuzz -- --runs 100000
  cargo run -p adc-fuzz -- grammar --from 17 --runs 1 --show
  cargo run -p adc-fuzz -- --replay fuzz/corpus

Exit codes: 0 nothing found, 1 something found, 2 the request could not be carried out.")]
struct Args {
    /// What to run [default: everything]
    targets: Vec<Target>,
    /// Inputs of each target
    #[arg(long, default_value_t = 1000)]
    runs: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Of the sources that type-check, check the derivatives of one in so many
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    check_every: u64,
    /// Processes at a time [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: Option<u64>,
    /// Seconds that one input may take
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// MiB of address space that one process may have
    #[arg(long, default_value_t = 1024)]
    memory: u64,
    /// Where inputs are kept that were received in a wrong way
    #[arg(long, default_value = "target/fuzz")]
    keep: PathBuf,
    /// Print the inputs instead
    #[arg(long)]
    show: bool,
    /// Run the files below this folder, each as an input of the target that its folder is named after
    #[arg(long, value_name = "DIR", conflicts_with_all = ["targets", "show"])]
    replay: Option<PathBuf>,
    /// What a process of the run itself does
    #[arg(long, hide = true)]
    worker: bool,
}

/// Characters of what is wrong: the verifier prints whole programs.
const WHY: usize = 400;

/// Inputs of a process; then another one goes on, so that what one input leaves behind is bounded.
const BATCH: u64 = 100;

/// An input that was received in a wrong way.
struct Finding {
    target: Target,
    name: String,
    why: String,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match start(&args) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

fn start(args: &Args) -> std::io::Result<ExitCode> {
    let targets = if args.targets.is_empty() { &Target::ALL[..] } else { &args.targets[..] };
    if args.worker {
        return work(args, targets[0]).map(|()| ExitCode::SUCCESS);
    }
    if args.show {
        for target in targets {
            for seed in args.from..args.from + args.runs {
                std::io::stdout().write_all(&target.input(seed)?)?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut found = 0;
    match &args.replay {
        Some(folder) => {
            for target in Target::ALL {
                let mut inputs: Vec<PathBuf> = match std::fs::read_dir(folder.join(target.name())) {
                    Ok(entries) => entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?,
                    Err(_) => Vec::new(),
                };
                inputs.sort();
                found += supervise(args, target, &Inputs::Files(inputs))?;
            }
        }
        None => {
            for target in targets {
                found += supervise(args, *target, &Inputs::Seeds(args.from..args.from + args.runs))?;
            }
        }
    }
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a target is run on.
enum Inputs {
    Seeds(std::ops::Range<u64>),
    Files(Vec<PathBuf>),
}

impl Inputs {
    fn len(&self) -> u64 {
        match self {
            Inputs::Seeds(seeds) => seeds.end - seeds.start,
            Inputs::Files(files) => files.len() as u64,
        }
    }

    fn name(&self, i: u64) -> String {
        match self {
            Inputs::Seeds(seeds) => (seeds.start + i).to_string(),
            Inputs::Files(files) => files[i as usize].display().to_string(),
        }
    }
}

/// Runs inputs in processes of their own, prints how they were received, and returns how many findings there are.
fn supervise(args: &Args, target: Target, inputs: &Inputs) -> std::io::Result<u64> {
    let jobs = args.jobs.unwrap_or(std::thread::available_parallelism().map_or(1, |n| n.get() as u64));
    let next = AtomicU64::new(0);
    let (counts, findings) = (Mutex::new(BTreeMap::<Outcome, u64>::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| -> std::io::Result<()> {
                    loop {
                        let start = next.fetch_add(BATCH, Ordering::Relaxed);
                        if start >= inputs.len() {
                            return Ok(());
                        }
                        let mut at = start;
                        while at < (start + BATCH).min(inputs.len()) {
                            let batch = at..(start + BATCH).min(inputs.len());
                            at = process(args, target, inputs, batch, &counts, &findings)?;
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().try_for_each(|t| t.join().expect("a thread of the run"))
    })?;
    let (counts, findings) = (
        counts.into_inner().expect("no thread panicked"),
        findings.into_inner().expect("no thread panicked"),
    );
    let words = Outcome::ALL.map(|o| format!("{} {}", counts.get(&o).unwrap_or(&0), o.word()));
    println!("{}: {}, {} wrong", target.name(), words.join(", "), findings.len());
    for f in &findings {
        keep(args, f)?;
    }
    Ok(findings.len() as u64)
}

/// Keeps the input of a finding, and prints what is wrong.
fn keep(args: &Args, finding: &Finding) -> std::io::Result<()> {
    let Finding { target, name, why } = finding;
    println!("{} {name}: {why}", target.name());
    if let Ok(seed) = name.parse() {
        std::fs::create_dir_all(&args.keep)?;
        let path = args.keep.join(format!("{}-{seed}.{}", target.name(), target.ending()));
        std::fs::write(&path, target.input(seed)?)?;
        println!("  kept in {}", path.display());
    }
    Ok(())
}

/// Runs a batch in one process, and returns where to go on: at its end, or behind an input that the process did not survive.
fn process(
    args: &Args,
    target: Target,
    inputs: &Inputs,
    batch: std::ops::Range<u64>,
    counts: &Mutex<BTreeMap<Outcome, u64>>,
    findings: &Mutex<Vec<Finding>>,
) -> std::io::Result<u64> {
    // The shell sets the limit of memory, so that this needs no system calls of its own.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", args.memory * 1024));
    command.arg(std::env::current_exe()?).args(["--worker", target.name()]);
    command.args(["--check-every", &args.check_every.to_string()]).env("RAYON_NUM_THREADS", "1");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let names: String = batch.clone().map(|i| inputs.name(i) + "\n").collect();
    let mut stdin = child.stdin.take().expect("it is piped");
    let (mut out, mut err) =
        (child.stdout.take().expect("it is piped"), child.stderr.take().expect("it is piped"));
    let (send, lines) = channel();
    let last_words = Arc::new(Mutex::new(String::new()));
    let heard = last_words.clone();
    // These end with the process.
    std::thread::spawn(move || stdin.write_all(names.as_bytes()));
    std::thread::spawn(move || {
        BufReader::new(&mut out).lines().map_while(Result::ok).try_for_each(|l| send.send(l))
    });
    let errors = std::thread::spawn(move || {
        for line in BufReader::new(&mut err).lines().map_while(Result::ok) {
            *heard.lock().expect("nobody panics with it") = line;
        }
    });
    let mut at = batch.start;
    let wrong = |at: u64, why: String| {
        let finding = Finding { target, name: inputs.name(at), why };
        findings.lock().expect("nobody panics with it").push(finding);
    };
    while at < batch.end {
        match lines.recv_timeout(Duration::from_secs(args.seconds)) {
            Ok(line) => {
                match Outcome::ALL.into_iter().find(|o| o.word() == line) {
                    Some(outcome) => {
                        *counts.lock().expect("nobody panics with it").entry(outcome).or_default() += 1
                    }
                    None => wrong(at, line),
                }
                at += 1;
            }
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                wrong(at, format!("takes more than {} s", args.seconds));
                at += 1;
                break;
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait()?;
                let _ = errors.join();
                wrong(
                    at,
                    format!(
                        "the process ended: {status}: {}",
                        last_words.lock().expect("nobody panics with it")
                    ),
                );
                at += 1;
                break;
            }
        }
    }
    child.wait()?;
    Ok(at)
}

/// Runs the inputs that standard input names, and prints a line for each.
fn work(args: &Args, target: Target) -> std::io::Result<()> {
    let folder = std::env::temp_dir().join(format!("adc-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    // A panic that adc reports as its own writes a folder.
    let home = std::env::current_dir()?;
    std::env::set_current_dir(&folder)?;
    let said = Arc::new(Mutex::new(String::new()));
    let hook = said.clone();
    std::panic::set_hook(Box::new(move |panic| {
        *hook.lock().expect("a hook does not panic") = panic.to_string()
    }));
    for name in std::io::stdin().lines() {
        let name = name?;
        let (input, check) = match name.parse::<u64>() {
            Ok(seed) => (target.input(seed)?, seed % args.check_every == 0),
            Err(_) => (std::fs::read(home.join(&name))?, true),
        };
        said.lock().expect("a hook does not panic").clear();
        let outcome = catch_unwind(AssertUnwindSafe(|| target.run(&input, &folder, check)));
        let panic = said.lock().expect("a hook does not panic").replace('\n', " ");
        let line = match outcome {
            Ok(Ok(outcome)) if panic.is_empty() => outcome.word().to_string(),
            Ok(Err(why)) if panic.is_empty() => why.replace('\n', " "),
            _ => panic,
        };
        writeln!(std::io::stdout(), "{}", line.chars().take(WHY).collect::<String>())?;
    }
    remove(&folder)
}

fn remove(folder: &Path) -> std::io::Result<()> {
    std::env::set_current_dir(std::env::temp_dir())?;
    std::fs::remove_dir_all(folder)
}
