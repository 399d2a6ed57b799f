//! The files behind a model: remembered when it is loaded, so that it can be made again where they are not.

use adc::ir::Datum;
use adc::{FileLoader, Loader, Value};

/// A file: who named it how, and what was found there.
#[derive(Clone, Debug)]
pub(crate) struct Found<T> {
    pub(crate) from: String,
    pub(crate) path: String,
    pub(crate) found: T,
}

/// Files with what they are called in messages, and arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    pub(crate) sources: Vec<Found<(String, String)>>,
    pub(crate) arrays: Vec<Found<Datum>>,
    /// Whether files that are not among these are looked up.
    pub(crate) open: bool,
}

impl Files {
    /// None yet.
    pub(crate) fn from_disk() -> Files {
        Files { open: true, ..Files::default() }
    }
}

fn known<'f, T>(files: &'f [Found<T>], from: &str, path: &str) -> Option<&'f T> {
    files.iter().find(|f| f.from == from && f.path == path).map(|f| &f.found)
}

impl Loader for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        if let Some(found) = known(&self.sources, from, path) {
            return Ok(found.clone());
        }
        if !self.open {
            return Err("it is not among the files that were pickled".into());
        }
        let found = FileLoader.load(from, path)?;
        self.sources.push(Found { from: from.into(), path: path.into(), found: found.clone() });
        Ok(found)
    }

    fn array(&mut self, from: &str, path: &str) -> Result<Datum, String> {
        if let Some(found) = known(&self.arrays, from, path) {
            return Ok(found.clone());
        }
        if !self.open {
            return Err("it is not among the files that were pickled".into());
        }
        let found = FileLoader.array(from, path)?;
        self.arrays.push(Found { from: from.into(), path: path.into(), found: found.clone() });
        Ok(found)
    }
}

/// An array as Python keeps it.
pub(crate) fn value(datum: &Datum) -> Value<'static> {
    datum.clone().into()
}
