//! Files and who brings them.

use adc_ir::Datum;

/// Brings the files a program uses.
pub trait Loader {
    /// Resolves `path` as written in file `from`; returns the file's name (for messages, and to know it again)
    /// and text, or why not.
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String>;

    /// The array in the file that `path` in file `from` names, `load("x.npy")` in a block; or why there is none.
    fn array(&mut self, from: &str, path: &str) -> Result<Datum, String> {
        let (_, _) = (from, path);
        Err("arrays cannot be loaded from files here".into())
    }
}

/// No other files: every `use` fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
        Err("files cannot be read here".into())
    }
}

/// A file of a program; [`adc_ir::FileId`] is its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// For messages.
    pub name: String,
    /// All of it.
    pub text: String,
}
