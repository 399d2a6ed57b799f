//! Reading what the command line names: models, functions, points, libraries.

use super::args::PointArgs;
use super::point;
use super::{Session, Stop};
use crate::files;
use crate::function::Function;
use crate::port::Port;
use crate::value::Value;
use crate::{FileLoader, FnValues, Model, Options};
use adc_frontend::limits::MAX_FILE;
use adc_ir::{Code, Datum, Diagnostic, Severity};
use adc_jit::Externs;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A point may have this many bytes.
const MAX_POINT: usize = 64 << 20;

/// The name of standard input in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// Reads a file, or standard input for `-`; the name is for messages.
pub(crate) fn source(session: &mut Session, path: &Path) -> Result<(String, String), Stop> {
    if path == Path::new("-") {
        return Ok((STDIN.to_string(), stdin(session, MAX_FILE)?));
    }
    let name = path.to_string_lossy().into_owned();
    let text = File::open(path).and_then(|file| files::text(file, MAX_FILE));
    text.map(|text| (name.clone(), text)).map_err(|e| io_error(&name, &e))
}

/// Parses a model and prints its warnings.
pub(crate) fn model(session: &mut Session, path: &Path) -> Result<Model, Stop> {
    let (name, text) = source(session, path)?;
    let model = Model::parse(&name, &text)?;
    warnings(session, &model);
    Ok(model)
}

/// Prints a model's warnings to standard error; notes too, if asked for more.
pub(crate) fn warnings(session: &mut Session, model: &Model) {
    let program = model.program();
    let loud = |d: &&Diagnostic| session.verbose || (d.severity != Severity::Note && !session.quiet);
    let items: Vec<Diagnostic> = program.warnings.0.iter().filter(loud).cloned().collect();
    if !items.is_empty() {
        session.narrate(&crate::Diagnostics { files: program.files.clone(), items });
    }
}

/// The function named, or the only one there is.
pub(crate) fn function(model: &Model, name: Option<&str>) -> Result<Function, Stop> {
    let all: Vec<Function> = model.functions().collect();
    let generics = model.program().generics.iter().map(|g| g.name.as_str());
    let names = || {
        let names = all.iter().map(|f| f.name()).chain(generics.clone());
        names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
    };
    if let Some(g) = model.program().generics.iter().find(|g| Some(g.name.as_str()) == name) {
        let values: Vec<String> = g.params.iter().map(|(p, _)| format!("{p}=sin")).collect();
        return Err(Diagnostic::error(Code::BadUsage, format!("`{}` takes a function", g.name))
            .help(format!(
                "give its name in the point: --at '{},…'; or name a function that calls it",
                values.join(",")
            ))
            .into());
    }
    match (name, &all[..]) {
        (Some(name), _) => match model.function(name) {
            Ok(f) => Ok(f),
            Err(_) => Err(Diagnostic::error(Code::BadUsage, format!("there is no function called `{name}`"))
                .help(if all.is_empty() {
                    "the file defines none".to_string()
                } else {
                    format!("the functions are {}", names())
                })
                .into()),
        },
        (None, [one]) => Ok(one.clone()),
        (None, []) => Err(Diagnostic::error(Code::BadUsage, "the file defines no function").into()),
        (None, _) => Err(Diagnostic::error(Code::BadUsage, "the file defines several functions")
            .help(format!("choose one with --fn: {}", names()))
            .into()),
    }
}

/// Loads the libraries of `--lib`.
pub(crate) fn externs(libs: &[PathBuf]) -> Result<Externs, Stop> {
    let mut externs = Externs::default();
    for lib in libs {
        externs.extend(Externs::load(lib).map_err(|e| e.diagnostic())?);
    }
    Ok(externs)
}

/// Model, function, compile options and the point of `run` and `grad`.
pub(crate) fn point_args(
    session: &mut Session,
    args: &PointArgs,
) -> Result<(Function, Options, Vec<Value<'static>>), Stop> {
    if args.at.trim() == "-" && args.file == Path::new("-") {
        return Err(Diagnostic::error(
            Code::BadUsage,
            "model and point cannot both come from standard input",
        )
        .into());
    }
    let model = model(session, &args.file)?;
    let text = indirect(session, &args.at)?;
    let (model, name, text) = with_functions(model, args.function.as_deref(), &text)?;
    let f = function(&model, name.as_deref())?;
    dims_once(&args.dims)?;
    let f = f.with_dims(args.dims.iter().map(|(name, n)| (name.as_str(), *n)))?;
    let mut options = Options::default().with_opt(args.opt).with_externs(externs(&args.lib)?);
    options.fp = args.fp.map(Into::into);
    options.limits.fuel = args.fuel.unwrap_or(options.limits.fuel);
    options.limits.bytes = args.memory_limit.unwrap_or(options.limits.bytes);
    let at = parsed(&text, f.inputs())?;
    let at = point::complete(at, f.inputs())?;
    // The dimensions are known from here on; derivatives are made for them.
    let dims = crate::call::check_inputs(&f, &at)?;
    let f = if dims.is_empty() { f } else { f.at_dims(&dims)? };
    Ok((f, options, at))
}

/// If the function named (or the only one) takes functions: the model with those of the point, the name of the function they
/// make, and the point without them.
pub(crate) fn with_functions(
    model: Model,
    name: Option<&str>,
    at: &str,
) -> Result<(Model, Option<String>, String), Stop> {
    let program = model.program();
    let generic = match name {
        Some(name) => program.generics.iter().find(|g| g.name == name),
        None if program.functions.is_empty() && program.generics.len() == 1 => program.generics.first(),
        None => None,
    };
    let Some(generic) = generic else {
        return Ok((named(model, name)?, name.map(String::from), at.to_string()));
    };
    let (values, rest) = point::functions(at, &generic.params)?;
    let given = FnValues { function: generic.name.clone(), values };
    let name = given.name();
    Ok((bound(&model, given)?, Some(name), rest))
}

/// The model with the functions that a name says, `h.sin`, unless it has that function already.
pub(crate) fn named(model: Model, name: Option<&str>) -> Result<Model, Stop> {
    let missing = name.filter(|name| model.function(name).is_err());
    match missing.and_then(|name| FnValues::of_name(name, &model.program().generics)) {
        Some(given) => bound(&model, given),
        None => Ok(model),
    }
}

fn bound(model: &Model, given: FnValues) -> Result<Model, Stop> {
    let main = &model.program().files[0];
    Ok(Model::parse_given(&main.name, &main.text, &mut FileLoader, &[given])?)
}

/// A point: `@file.json`, `-`, JSON itself, or `x=1,y=2`.
pub(crate) fn values(
    session: &mut Session,
    text: &str,
    ports: &[Port],
) -> Result<Vec<Option<Value<'static>>>, Stop> {
    parsed(&indirect(session, text)?, ports)
}

/// Refuses a dimension that is given twice.
pub(crate) fn dims_once(dims: &[(String, i64)]) -> Result<(), Stop> {
    let twice = dims.iter().enumerate().find(|(k, (name, _))| dims[..*k].iter().any(|(n, _)| n == name));
    twice.map_or(Ok(()), |(_, (name, _))| {
        Err(Diagnostic::error(Code::BadUsage, format!("--dims gives `{name}` twice"))
            .help("give it once")
            .into())
    })
}

/// A point as text or JSON.
pub(crate) fn parsed(text: &str, ports: &[Port]) -> Result<Vec<Option<Value<'static>>>, Stop> {
    Ok(if text.trim_start().starts_with(['{', '[']) {
        point::parse_json(text, ports)?
    } else {
        point::parse_text(text, ports)?
    })
}

/// As [`values`]; missing ones are zero.
pub(crate) fn direction(
    session: &mut Session,
    text: &str,
    ports: &[Port],
) -> Result<Vec<Value<'static>>, Stop> {
    let found = values(session, text, ports)?;
    // The function is for known dimensions: its sizes are numbers.
    let zero = |p: &Port| Value::from(Datum::zeros(p.ty.scalar(), &p.sizes().unwrap_or_default()));
    Ok(found.into_iter().zip(ports).map(|(v, p)| v.unwrap_or_else(|| zero(p))).collect())
}

/// The text itself, or the contents of what `@file` or `-` names.
pub(crate) fn indirect(session: &mut Session, text: &str) -> Result<String, Stop> {
    match text.trim() {
        "-" => stdin(session, MAX_POINT),
        t => match t.strip_prefix('@') {
            Some(path) => {
                let text = File::open(path).and_then(|file| files::text(file, MAX_POINT));
                text.map_err(|e| io_error(path, &e))
            }
            None => Ok(t.to_string()),
        },
    }
}

fn stdin(session: &mut Session, limit: usize) -> Result<String, Stop> {
    files::text(&mut *session.io.stdin, limit).map_err(|e| io_error("standard input", &e))
}

/// A file that cannot be written, with the usual next step.
pub(crate) fn write_error(name: &str, e: &std::io::Error) -> Stop {
    Diagnostic::error(Code::Io, format!("cannot write `{name}`: {e}"))
        .help("check the path and its permissions")
        .into()
}

/// A file that cannot be read, likewise.
pub(crate) fn io_error(name: &str, e: &std::io::Error) -> Stop {
    let (code, help) = match e.kind() {
        ErrorKind::FileTooLarge => (
            Code::TooLarge,
            "split a model into several files; large arrays of a point are read from `.npy` files",
        ),
        ErrorKind::InvalidData => (Code::Io, "save the file as UTF-8"),
        _ => (Code::Io, "check the path and its permissions"),
    };
    Diagnostic::error(code, format!("cannot read `{name}`: {e}")).help(help).into()
}
