//! Files that passed are not checked again while they, what they read, the flags and adc itself stay the same.
//!
//! An entry is the text that the file's check printed, with its share of the last line. A check that fails is not kept: it runs
//! again and says everything again. Entries can be deleted at any time.

use super::args::CheckArgs;
use super::check_inputs;
use super::check_text::Kept;
use crate::files;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More entries than this are thinned out, the oldest first,
const ENTRIES: usize = 4096;
/// to so many.
const KEPT: usize = 3072;
/// An entry has no more bytes.
const MAX_BYTES: usize = 1 << 20;

/// The entries of checks with these flags.
pub(super) struct Cache {
    dir: PathBuf,
    /// Everything that the outcome depends on besides the files.
    of_run: String,
    /// Files that flags name.
    files: Vec<PathBuf>,
}

impl Cache {
    /// `None` if outcomes are not to be kept, or cannot be known again. `look` is how the text looks.
    pub(super) fn of(dir: Option<&Path>, args: &CheckArgs, points: &[String], look: &str) -> Option<Cache> {
        let drawn = args.seed.is_some_and(|s| s.drawn);
        if args.no_cache || args.report.is_some() || args.watch || drawn {
            return None;
        }
        // A rebuilt adc is another one, also if its version is the same.
        let program = std::env::current_exe().and_then(std::fs::metadata).ok()?;
        let built = program.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let flags = CheckArgs { paths: Vec::new(), fix: false, ..args.clone() };
        let of_run = format!(
            "adc {} {} {built:?}\n{:?}\n{flags:?}\n{points:?}\n{look}",
            env!("CARGO_PKG_VERSION"),
            program.len(),
            adc_jit::Simd::chosen(),
        );
        let files = args.lib.iter().chain(&args.data).cloned().collect();
        Some(Cache { dir: dir?.to_path_buf(), of_run, files })
    }

    /// The name of the entry of a source that reads `inputs`.
    pub(super) fn key(&self, name: &str, text: &str, inputs: &[PathBuf]) -> String {
        let files = [inputs, &self.files].concat();
        let print = check_inputs::print(&[&self.of_run, name, text], &files);
        print.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// What is kept under a name.
    pub(super) fn get(&self, key: &str) -> Option<Kept> {
        let file = files::regular(&self.path(key)).ok()?;
        let doc: Json = serde_json::from_str(&files::text(file, MAX_BYTES).ok()?).ok()?;
        Kept::from_json(doc.get("check").filter(|_| doc["key"] == key)?)
    }

    /// Keeps an outcome; if that fails, it is computed again.
    pub(super) fn put(&self, key: &str, kept: &Kept) {
        let text = json!({"key": key, "check": kept.to_json()}).to_string();
        if text.len() <= MAX_BYTES && std::fs::create_dir_all(&self.dir).is_ok() {
            let _ = files::replace(&self.path(key), |f| f.write_all(text.as_bytes()));
        }
    }

    /// Removes the oldest entries if there are too many.
    pub(super) fn thin(&self) {
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return };
        let mut all: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|e| e.ok())
            .filter(|e| e.file_name().to_string_lossy().starts_with("check-"))
            .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
            .collect();
        if all.len() > ENTRIES {
            all.sort();
            all[..all.len() - KEPT].iter().for_each(|(_, path)| drop(std::fs::remove_file(path)));
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.dir.join(format!("check-{key}.json"))
    }
}
