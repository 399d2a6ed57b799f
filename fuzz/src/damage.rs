//! Damaged texts: the models with pieces left out, put in, doubled and exchanged.

use adc_ir::testing::Rng;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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

/// A damaged model.
pub(crate) fn model(seed: u64) -> std::io::Result<String> {
    static MODELS: OnceLock<Vec<String>> = OnceLock::new();
    // Standard input, from where they are checked, has no directory.
    let models = once(&MODELS, || {
        Ok(files("models", "dsl")?.into_iter().filter(|t| !t.contains("use \"")).collect())
    })?;
    let mut rng = Rng::new(seed);
    Ok(damaged(&mut rng, models, PIECES, 1))
}

/// What is made once; errors are met again.
pub(crate) fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<&T> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    Ok(cell.get().expect("it was just made"))
}

/// The texts of all files below a folder of the repository that end so, in order of their names.
pub(crate) fn files(folder: &str, ending: &str) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    collect(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(folder), ending, &mut files)?;
    files.sort();
    files.iter().map(std::fs::read_to_string).collect()
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, ending, files)?;
        } else if path.extension().is_some_and(|e| e == ending) {
            files.push(path);
        }
    }
    Ok(())
}

/// One of the texts with up to four damages, and at least so many.
pub(crate) fn damaged(rng: &mut Rng, texts: &[String], pieces: &[&str], least: usize) -> String {
    let mut text = texts[rng.below(texts.len())].clone();
    for _ in 0..least + rng.below(5 - least) {
        damage(&mut text, rng, texts, pieces);
    }
    text
}

fn damage(text: &mut String, rng: &mut Rng, texts: &[String], pieces: &[&str]) {
    let at = boundary(text, rng.below(text.len() + 1));
    let end = boundary(text, (at + 1 + rng.below(12)).min(text.len()));
    match rng.below(9) {
        0 => text.replace_range(at..end, ""),
        1 => text.insert_str(at, pieces[rng.below(pieces.len())]),
        2 => text.replace_range(at..end, pieces[rng.below(pieces.len())]),
        3 => text.truncate(at),
        4 => {
            let piece = text[at..end].to_string();
            text.insert_str(at, &piece);
        }
        5 => {
            let other = &texts[rng.below(texts.len())];
            let from = boundary(other, rng.below(other.len() + 1));
            let to = boundary(other, (from + rng.below(120)).min(other.len()));
            text.insert_str(at, &other[from..to]);
        }
        6 => swap_words(text, rng),
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
