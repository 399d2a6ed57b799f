//! What the check of a file reads: the file, what it uses and what it loads. `--watch` and the cache compare it.

use crate::{FileLoader, Model};
use adc_frontend::Loader;
use adc_ir::Datum;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// A number for contents: equal ones for equal contents.
pub(super) type Print = [u8; 32];

/// Loads files and remembers their paths, those that are missing, too: they may come.
#[derive(Default)]
struct Recorder {
    paths: Vec<PathBuf>,
}

impl Recorder {
    fn add(&mut self, from: &str, path: &str) {
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }
}

impl Loader for Recorder {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        self.add(from, path);
        FileLoader.load(from, path)
    }

    fn array(&mut self, from: &str, path: &str) -> Result<Datum, String> {
        self.add(from, path);
        FileLoader.array(from, path)
    }
}

/// The model of a source, and the files it uses and loads, as far as that is known.
pub(super) fn read(name: &str, text: &str) -> (Result<Model, crate::Diagnostics>, Vec<PathBuf>) {
    let mut recorder = Recorder::default();
    let model = Model::parse_with(name, text, &mut recorder);
    (model, recorder.paths)
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Names and contents of a source and of files, and other things that the outcome depends on.
pub(super) fn print(parts: &[&str], files: &[PathBuf]) -> Print {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    for path in files {
        let name = path.to_string_lossy();
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        // A file that cannot be read is something, too.
        match contents(path) {
            Ok(sum) => hash.update(sum),
            Err(e) => hash.update(e.kind().to_string().as_bytes()),
        }
    }
    hash.finalize().into()
}

fn contents(path: &Path) -> std::io::Result<Print> {
    let mut file = crate::files::regular(path)?;
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(1 << 16, 0);
        let mut hash = Sha256::new();
        loop {
            match std::io::Read::read(&mut file, buffer)? {
                0 => return Ok(hash.finalize().into()),
                n => hash.update(&buffer[..n]),
            }
        }
    })
}
