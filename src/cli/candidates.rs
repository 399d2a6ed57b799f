//! What a shell can complete an argument to, where it depends on files.

use adc_frontend::syntax::{self, ast::ItemKind};
use adc_ir::FileId;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter};
use std::ffi::OsStr;
use std::path::Path;

/// The variable that is set when a shell asks.
pub(super) const VARIABLE: &str = "COMPLETE";
/// Larger models are not searched for functions: an answer must come at once.
const MAX_BYTES: u64 = 1 << 20;

/// Models and directories.
pub(super) fn models() -> ArgValueCompleter {
    ArgValueCompleter::new(PathCompleter::any().stdio().filter(|p| p.is_dir() || is_model(p)))
}

/// Functions of the models that the command line names.
pub(super) fn functions() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let current = current.to_string_lossy();
        let mut names: Vec<String> =
            std::env::args_os().skip(1).flat_map(|arg| functions_of(Path::new(&arg))).collect();
        names.retain(|name| name.starts_with(&*current));
        names.dedup();
        names.into_iter().map(CompletionCandidate::new).collect()
    })
}

fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "dsl")
}

/// The functions of a model, as far as it can be read.
fn functions_of(path: &Path) -> Vec<String> {
    let small = is_model(path) && path.metadata().is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES);
    let text = small.then(|| std::fs::read_to_string(path).ok()).flatten().unwrap_or_default();
    let (tree, _) = syntax::parse(FileId(0), &text);
    let name = |item: syntax::ast::Item| match item.kind {
        ItemKind::Fn(sig, _) => Some(sig.name.text),
        _ => None,
    };
    tree.items.into_iter().filter_map(name).collect()
}
