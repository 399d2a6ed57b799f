//! The files of a check: what is in them, and what became of them.

use super::args::CheckArgs;
use super::check_cache::Cache;
use super::check_run::{Job, Opened};
use super::point;
use super::{Session, Stop, check_data, check_inputs, input};
use crate::report::{CheckOptions, Checks, FileReport, Selection};
use crate::wrt::Wrt;
use crate::{Diagnostics, Model, SourceFile};
use adc_frontend::syntax::ast::Lint;
use adc_ir::{Code, Datum, Diagnostic};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Deeper directories are not searched: a loop of links ends here.
const MAX_DEPTH: usize = 32;

/// What became of one file.
pub(crate) enum Checked {
    /// It could not be read, parsed or typed.
    Refused(Diagnostics),
    /// Its functions were checked.
    Done(Box<FileReport>),
}

impl Checked {
    /// Its sources, the file first; none if it could not be read.
    pub(super) fn files(&self) -> &[SourceFile] {
        match self {
            Checked::Refused(d) => &d.files,
            Checked::Done(f) => &f.files,
        }
    }
}

/// The files named, and every model below the directories named.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            collect(path, 0, &mut files, &mut Vec::new())?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        let places: Vec<String> = paths.iter().map(|p| format!("`{}`", p.display())).collect();
        return Err(Diagnostic::error(
            Code::NothingChecked,
            format!("no `.dsl` file in {}", places.join(", ")),
        )
        .help("name a model, or a directory that holds some")
        .into());
    }
    Ok(files)
}

/// Name and text of a file, or why there is none.
pub(super) type Source = Result<(String, String), Diagnostics>;

pub(super) fn source(session: &mut Session, path: &Path) -> Source {
    input::source(session, path).map_err(|Stop(d)| *d)
}

/// What there is to check in a file.
pub(super) fn open(
    source: &Source,
    args: &CheckArgs,
    points: &[String],
    options: &CheckOptions,
    cache: Option<&Cache>,
) -> Opened {
    let (name, text) = match source {
        Ok(source) => source,
        Err(d) => return Opened::Refused(d.clone()),
    };
    let (model, inputs) = check_inputs::read(name, text);
    let model = match model {
        Ok(model) => model,
        Err(d) => return Opened::Refused(d),
    };
    let key = cache.map(|c| c.key(name, text, &inputs));
    if let Some(kept) = key.as_ref().and_then(|key| cache?.get(key)) {
        return Opened::Known(Box::new(kept));
    }
    let named = args.function.as_deref();
    let mut options = options.clone();
    let known = |name: &str| {
        let generics = &model.program().generics;
        let bound = || crate::FnValues::of_name(name, generics).is_some();
        model.function(name).is_ok() || generics.iter().any(|g| g.name == name) || bound()
    };
    if named.is_some_and(|name| !known(name)) {
        return Opened::Passed;
    }
    // Functions among the values make another function.
    let (model, points, function) = match functions(model, named, points) {
        Ok(bound) => bound,
        Err(stop) => return Opened::Stopped(stop),
    };
    let named = function.as_deref();
    if !points.is_empty() {
        match given(&model, named, &points) {
            Ok(at) => options.settings.at = at,
            Err(stop) => return Opened::Stopped(stop),
        }
    }
    if let Some(data) = &args.data {
        let function = input::function(&model, named)
            .and_then(|f| Ok(f.with_dims(args.dims.iter().map(|(name, n)| (name.as_str(), *n)))?));
        match function.and_then(|f| check_data::points(data, &f)) {
            Ok(at) => options.settings.at = at,
            Err(stop) => return Opened::Stopped(stop),
        }
    }
    let selection = Selection { function: named.map(String::from), ..selection(args) };
    match Checks::of(&model, &options, &selection) {
        Ok(mut checks) => {
            if named.is_none() {
                checks.warn(lints(&model, args));
            }
            Opened::Job(Arc::new(Job { checks, options, key }))
        }
        Err(d) => Opened::Refused(d),
    }
}

/// What lints say of a model, unless a flag allows it.
pub(super) fn lints<'m>(model: &'m Model, args: &CheckArgs) -> impl Iterator<Item = &'m Diagnostic> {
    let allowed = |code: Code| {
        args.allow.iter().any(|name| name == "all" || Lint::of_code(code).is_some_and(|l| l.text() == name))
    };
    model.program().lints.0.iter().filter(move |d| !allowed(d.code))
}

/// What the flags narrow a check down to.
pub(super) fn selection(args: &CheckArgs) -> Selection {
    Selection {
        function: args.function.clone(),
        wrt: Wrt::listed(&args.wrt),
        outputs: args.output.clone(),
        nodiff: args.nodiff.clone(),
        dims: args.dims.clone(),
    }
}

/// The model with the functions that the points give, the points without them, and the function they belong to.
fn functions(
    model: Model,
    named: Option<&str>,
    points: &[String],
) -> Result<(Model, Vec<String>, Option<String>), Stop> {
    let Some((first, more)) = points.split_first() else {
        return Ok((input::named(model, named)?, Vec::new(), named.map(String::from)));
    };
    let (bound, function, rest) = input::with_functions(model.clone(), named, first)?;
    let mut points = vec![rest];
    for text in more {
        let (_, other, rest) = input::with_functions(model.clone(), named, text)?;
        if other != function {
            let d = Diagnostic::error(Code::BadPoint, "the points give different functions");
            return Err(d.help("check each function by itself").into());
        }
        points.push(rest);
    }
    Ok((bound, points, function))
}

/// The points of `--at`: they belong to one function, the one named, or the only one.
fn given(model: &Model, named: Option<&str>, points: &[String]) -> Result<Vec<Vec<Datum>>, Stop> {
    let function = input::function(model, named)?;
    let ports = function.inputs();
    let point = |text: &String| {
        let at = point::complete(input::parsed(text, ports)?, ports)?;
        Ok(at.into_iter().map(crate::Value::into_datum).collect())
    };
    points.iter().map(point).collect()
}

/// A directory, and those below it that are searched, as far as they can be read.
pub(super) fn directories(dir: &Path) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    let _ = collect(dir, 0, &mut Vec::new(), &mut dirs);
    dirs
}

/// Every `.dsl` file below a directory, sorted by path, and every directory.
fn collect(dir: &Path, depth: usize, files: &mut Vec<PathBuf>, dirs: &mut Vec<PathBuf>) -> Result<(), Stop> {
    dirs.push(dir.to_path_buf());
    let fail = |e: std::io::Error| input::io_error(&dir.to_string_lossy(), &e);
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)
        .map_err(fail)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(fail)?;
    entries.sort();
    for path in entries {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if path.is_dir() && depth < MAX_DEPTH && !hidden && path.file_name().is_some_and(|n| n != "target") {
            collect(&path, depth + 1, files, dirs)?;
        } else if path.extension().is_some_and(|e| e == "dsl") && path.is_file() && !hidden {
            files.push(path);
        }
    }
    Ok(())
}
