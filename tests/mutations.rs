//! Damaged sources: every seeded mutation of a model ends with exit code 0, 1 or 2, never with a panic, and
//! every exit 2 carries a code and a span.

use adc::cli::{Streams, run};
use adc_ir::testing::cases;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Mutations, unless `ADC_EFFORT` asks for more.
const MUTATED: usize = 4_000;
/// A case that takes longer counts as a hang. Generous: the slowest takes well under a second.
const HANG: Duration = Duration::from_secs(120);

/// Pieces that damage sources in ways random bytes do not.
const PIECES: &[&str] = &[
    "fn",
    "let",
    "var",
    "if",
    "else",
    "rule vjp",
    "rule jvp",
    "rule partial",
    "check",
    "extern",
    "use \"x.dsl\";",
    "const",
    "for",
    "while",
    "true",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "->",
    "=",
    "==",
    "^",
    "^-",
    "@",
    "'",
    "&&",
    "!",
    "..",
    "1e999",
    "-1",
    "0",
    "9223372036854775807",
    "9223372036854775808",
    "1i",
    "0.5e",
    "NAN",
    "INF",
    "f32",
    "c64",
    "c128",
    "bool",
    "i64",
    "/*",
    "//",
    "\"",
    "\\",
    "α",
    "\u{0}",
    "🦀",
    "_",
    "#[inline]",
    "#[nodiff]",
    "wrt",
    "d z:",
    "grad(",
    "sum(x[i] for i)",
    "stop_gradient(",
    "x",
    "out",
    "{ out }",
    "in (0, 1]",
    "~ normal(0, 1);",
    "points 1000000000;",
    "expect fail;",
    "assert x > 0;",
];

/// SplitMix64: fixed for all time, so a seed names a mutation for ever.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

#[test]
fn mutated_models_end_in_a_verdict() {
    let cases = cases(MUTATED) as u64;
    let sources = sources();
    let threads = std::thread::available_parallelism().map_or(2, usize::from) as u64;
    let running: Vec<Mutex<Option<(Instant, u64)>>> = (0..threads).map(|_| Mutex::new(None)).collect();
    let counts = Mutex::new([0_u64; 3]);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|t| {
                let (sources, slot, counts, failures) = (&sources, &running[t as usize], &counts, &failures);
                scope.spawn(move || {
                    for seed in (t..cases).step_by(threads as usize) {
                        *slot.lock().unwrap() = Some((Instant::now(), seed));
                        match verdict(&mutate(seed, sources)) {
                            Ok(code) => counts.lock().unwrap()[code] += 1,
                            Err(why) => failures.lock().unwrap().push((seed, why)),
                        }
                    }
                    *slot.lock().unwrap() = None;
                })
            })
            .collect();
        while workers.iter().any(|w| !w.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            for slot in &running {
                if let Some((start, seed)) = *slot.lock().unwrap()
                    && start.elapsed() > HANG
                {
                    eprintln!("seed {seed} hangs:\n{}", mutate(seed, &sources));
                    std::process::abort();
                }
            }
        }
    });
    let [ok, no, request] = *counts.lock().unwrap();
    println!("{cases} mutations: {ok} exit 0, {no} exit 1, {request} exit 2");
    let failures = failures.into_inner().unwrap();
    for (seed, why) in failures.iter().take(5) {
        eprintln!("seed {seed}: {why}\n--- source\n{}\n---", mutate(*seed, &sources));
    }
    assert!(failures.is_empty(), "{} mutations misbehave", failures.len());
    // A mutator whose every output is refused, or accepted, would prove nothing.
    assert!(ok > cases / 50 && request > cases / 5, "the mutations are not varied");
}

/// The exit code of `adc check` on a source, or what is wrong with how it ended.
fn verdict(source: &str) -> Result<usize, String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = ["adc", "check", "-", "--points", "2", "--format", "json"];
    let code = run(
        args.map(Into::into),
        &mut Streams {
            stdin: &mut source.as_bytes(),
            out: &mut out,
            err: &mut err,
            out_tty: false,
            err_tty: false,
            on_interrupt: &mut |_| {},
        },
    );
    let out = String::from_utf8(out).map_err(|e| e.to_string())?;
    let text = format!("{out}{}", String::from_utf8_lossy(&err));
    match code {
        0 | 1 => Ok(code.into()),
        2 => {
            let json: serde_json::Value = serde_json::from_str(&out).map_err(|e| format!("{e} in {text}"))?;
            let errors = json["diagnostics"].as_array().ok_or("no diagnostics")?;
            let errors: Vec<_> = errors.iter().filter(|d| d["severity"] == "error").collect();
            if errors.is_empty() {
                return Err(format!("exit 2 without an error: {text}"));
            }
            for d in errors {
                let code = d["code"].as_str().unwrap_or_default();
                let span = &d["labels"][0]["span"];
                let (start, end) = (span["start"].as_u64(), span["end"].as_u64());
                let inside = start <= end && end.is_some_and(|e| e as usize <= source.len());
                if !code.starts_with("ADC0") || start.is_none() || !inside {
                    return Err(format!("an error without a code or a span: {d}"));
                }
            }
            Ok(2)
        }
        _ => Err(format!("exit {code}: {text}")),
    }
}

/// The models, without those that use other files (standard input has no directory).
fn sources() -> Vec<String> {
    let mut files = Vec::new();
    collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models")), &mut files);
    files.sort();
    let texts: Vec<String> = files.iter().map(|f| std::fs::read_to_string(f).unwrap()).collect();
    texts.into_iter().filter(|t| !t.contains("use \"")).collect()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "dsl") {
            files.push(path);
        }
    }
}

/// One to four damages of one source.
fn mutate(seed: u64, sources: &[String]) -> String {
    let mut rng = Rng(seed);
    let mut text = sources[rng.below(sources.len())].clone();
    for _ in 0..=rng.below(4) {
        let at = boundary(&text, rng.below(text.len() + 1));
        let end = boundary(&text, (at + 1 + rng.below(12)).min(text.len()));
        match rng.below(9) {
            0 => text.replace_range(at..end, ""),
            1 => text.insert_str(at, PIECES[rng.below(PIECES.len())]),
            2 => text.replace_range(at..end, PIECES[rng.below(PIECES.len())]),
            3 => text.truncate(at),
            4 => {
                let piece = text[at..end].to_string();
                text.insert_str(at, &piece);
            }
            5 => {
                let other = &sources[rng.below(sources.len())];
                let from = boundary(other, rng.below(other.len() + 1));
                let to = boundary(other, (from + rng.below(120)).min(other.len()));
                text.insert_str(at, &other[from..to]);
            }
            6 => swap_words(&mut text, &mut rng),
            7 => {
                let opener = ["(", "[", "{", "-", "if true {", "f("][rng.below(6)];
                text.insert_str(at, &opener.repeat(1 << rng.below(15)));
            }
            _ => {
                let byte = char::from(rng.below(128) as u8);
                text.insert(at, byte);
            }
        }
    }
    text
}

/// Exchanges two names or numbers of the text.
fn swap_words(text: &mut String, rng: &mut Rng) {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric() || c == '_', start) {
            (true, None) => start = Some(i),
            (false, Some(s)) => {
                words.push((s, i));
                start = None;
            }
            _ => {}
        }
    }
    if words.len() < 2 {
        return;
    }
    let (a, b) = (words[rng.below(words.len())], words[rng.below(words.len())]);
    let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    if a.1 <= b.0 {
        let (first, second) = (text[a.0..a.1].to_string(), text[b.0..b.1].to_string());
        text.replace_range(b.0..b.1, &first);
        text.replace_range(a.0..a.1, &second);
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
