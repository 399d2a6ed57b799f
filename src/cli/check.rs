//! `adc check`: compares the compiled derivatives of models with finite differences.

use super::args::{BackendsArg, CheckArgs, ConventionArg, Format};
use super::check_run::{Job, Opened};
use super::{Exit, Session, Stop, check_board, check_forms, check_json, check_page, check_suggest, input};
use crate::report::{CheckOptions, Checks, FileReport, Selection};
use crate::{Diagnostics, Model, SourceFile, point};
use adc_checker::{Backends, Named, Report, Settings, Small, Status, Tolerance};
use adc_ir::{Code, Datum, Diagnostic};
use adc_simplify::OptLevel;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Deeper directories are not searched, in case links form a loop.
const MAX_DEPTH: usize = 32;

/// The result for one file.
pub(crate) enum Checked {
    /// It could not be read, parsed or typed.
    Refused(Diagnostics),
    /// Its functions were checked.
    Done(Box<FileReport>),
}

pub(crate) fn run(session: &mut Session, args: &CheckArgs) -> Result<Exit, Stop> {
    let start = Instant::now();
    input::dims_once(&args.dims)?;
    let externs = input::externs(&args.lib)?;
    let files = files(&args.paths)?;
    let options = CheckOptions { opt: args.opt, externs, settings: settings(args) };
    let sources: Vec<Source> = files.iter().map(|path| source(session, path)).collect::<Result<_, _>>()?;
    if args.suggest {
        return check_suggest::run(session, sources, args, &options);
    }
    let points = args.at.iter().map(|at| input::indirect(session, at)).collect::<Result<Vec<_>, _>>()?;
    let (checked, interrupted) = check_board::run(session, args, &sources, &points, &options)?;
    if let (Some(name), [], false) = (&args.function, &checked[..], interrupted) {
        return Err(Diagnostic::error(Code::BadUsage, format!("no file defines a function called `{name}`"))
            .help("`--fn` takes the name of a function of the files given")
            .into());
    }
    let mut exit = if interrupted { Exit::Interrupted } else { exit(&checked, args) };
    let text = match session.format {
        Format::Text => String::new(),
        Format::Json => check_json::document(&checked, args, exit),
        Format::JsonLines => check_json::line_of_summary(&checked, exit),
        Format::Sarif => check_forms::sarif(&checked, args, exit),
        Format::Junit => check_forms::junit(&checked, args, exit)?,
        Format::Github => check_forms::github(&checked, exit),
    };
    session.print(&text);
    session.end_of_print();
    if let Some(dir) = &args.report
        && let Err(Stop::Diagnostics(d)) = check_page::write(dir, &checked, args)
    {
        session.narrate(&d);
        // A more severe exit code is kept.
        exit = if exit == Exit::Ok { Exit::Request } else { exit };
    }
    if let Some(seed) = args.seed.filter(|s| s.drawn && !session.quiet) {
        let _ = writeln!(session.io.err, "seed {0}: --seed {0} takes the same points again", seed.number);
    }
    // The time differs from run to run: only on terminals.
    if session.format == Format::Text && !session.quiet && session.io.err_tty {
        let _ = writeln!(session.io.err, "{:.2} s", start.elapsed().as_secs_f64());
    }
    Ok(exit)
}

/// The files named, and every model below the directories named.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            collect(path, 0, &mut files)?;
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

fn settings(args: &CheckArgs) -> Settings {
    let mut s = Settings::default();
    s.points = args.points.map(|n| n as usize);
    s.special = args.special.map(|n| n as usize);
    s.search = args.search;
    s.shrink = args.shrink;
    s.seed = args.seed.map(|s| s.number);
    // `--classic` sets the classic numbers, even if a block has others.
    s.eps = args.eps.or(args.classic.then_some(1e-6));
    s.atol = args.atol.or(args.classic.then_some(1e-5));
    s.rtol = args.rtol.or(args.classic.then_some(1e-3));
    (s.fuel, s.memory_limit) = (args.fuel, args.memory_limit);
    s.backends = match args.backends {
        BackendsArg::Default => Backends::Default,
        BackendsArg::All => Backends::All,
    };
    s.no_blame = args.no_blame;
    if args.classic {
        s.tolerance = Tolerance::Classic;
    }
    if args.report.is_some() {
        s.curves = check_page::CURVES;
    }
    s.modes = (!args.mode.is_empty()).then(|| args.mode.clone());
    if let Some(max_relative_error) = args.max_relative_error {
        let (delta, per_entry) = (args.delta.unwrap_or(0.005), args.per_entry);
        s.tolerance = Tolerance::Relative { max_relative_error, delta, per_entry };
    }
    s
}

/// Name and text of a file, or why there is none.
pub(super) type Source = Result<(String, String), Diagnostics>;

fn source(session: &mut Session, path: &Path) -> Result<Source, Stop> {
    match input::source(session, path) {
        Ok(source) => Ok(Ok(source)),
        Err(Stop::Diagnostics(d)) => Ok(Err(*d)),
        Err(closed) => Err(closed),
    }
}

/// What to check in a file.
pub(super) fn open(source: &Source, args: &CheckArgs, points: &[String], options: &CheckOptions) -> Opened {
    let model = match source.as_ref().map_err(Clone::clone).and_then(|(name, text)| Model::parse(name, text))
    {
        Ok(model) => model,
        Err(d) => return Opened::Refused(d),
    };
    let named = args.function.as_deref();
    if named.is_some_and(|name| model.function(name).is_err()) {
        return Opened::Passed;
    }
    let mut options = options.clone();
    if !points.is_empty() {
        match given(&model, named, points) {
            Ok(at) => options.settings.at = at,
            Err(stop) => return Opened::Stopped(stop),
        }
    }
    match Checks::of(&model, &options, &selection(args)) {
        Ok(checks) => Opened::Job(Arc::new(Job { checks, options })),
        Err(d) => Opened::Refused(d),
    }
}

/// The flags that restrict a check.
pub(super) fn selection(args: &CheckArgs) -> Selection {
    Selection {
        function: args.function.clone(),
        wrt: args.wrt.clone(),
        outputs: args.output.clone(),
        nodiff: args.nodiff.clone(),
        dims: args.dims.clone(),
    }
}

/// The points of `--at`: they belong to one function, the one named, or the only one.
fn given(model: &Model, named: Option<&str>, points: &[String]) -> Result<Vec<Vec<Datum>>, Stop> {
    let ports = input::function(model, named)?.inputs();
    let point = |text: &String| {
        let at = point::complete(input::parsed(text, &ports)?, &ports)?;
        Ok(at.into_iter().map(crate::Value::into_datum).collect())
    };
    points.iter().map(point).collect()
}

/// Every `.dsl` file below a directory, sorted by path.
fn collect(dir: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Stop> {
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
            collect(&path, depth + 1, files)?;
        } else if path.extension().is_some_and(|e| e == "dsl") && path.is_file() && !hidden {
            files.push(path);
        }
    }
    Ok(())
}

fn exit(checked: &[Checked], args: &CheckArgs) -> Exit {
    let refused = |c: &Checked| match c {
        Checked::Refused(_) => true,
        Checked::Done(f) => f.reports.iter().any(|r| r.status == Status::Error),
    };
    let failed = |c: &Checked| match c {
        Checked::Refused(_) => false,
        Checked::Done(f) => f.reports.iter().any(|r| !r.passes(args.strict)),
    };
    let nothing = checked.iter().all(|c| match c {
        Checked::Refused(_) => false,
        Checked::Done(f) => f.reports.is_empty(),
    });
    if checked.iter().any(refused) {
        Exit::Request
    } else if (checked.iter().any(failed) || nothing) && !args.exit_zero {
        Exit::No
    } else {
        Exit::Ok
    }
}

/// The point of a report in the syntax of `--at`.
pub(crate) fn point_text(inputs: &[Named], values: &[Datum]) -> String {
    let values: Vec<crate::Value> = values.iter().cloned().map(crate::Value::from).collect();
    point::point_text(inputs.iter().map(|n| n.name.as_str()), &values)
}

/// The command that repeats the check of one function at one point, with the flags of this run; at all points of the run if
/// this one is too long to type. Directions and cotangents depend on seed and point only, so every number is the same.
pub(crate) fn reproduce(files: &[SourceFile], r: &Report, inputs: &[Datum], args: &CheckArgs) -> String {
    /// Numbers of a point that are still written out.
    const TYPED: usize = 64;
    let file = files.first().map(|f| f.name.as_str()).filter(|name| *name != input::STDIN).unwrap_or("-");
    let mut command = format!("adc check {} --fn {}", quoted(file), r.name);
    let short = inputs.iter().map(Datum::len).sum::<usize>() <= TYPED;
    let at = match short {
        true => vec![point_text(&r.inputs, inputs)],
        // Given points are given again.
        false => args.at.clone(),
    };
    for at in &at {
        command += &format!(" --at '{}'", at.replace('\'', "'\\''"));
    }
    let mut flag = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            command += &format!(" --{name} {}", quoted(&value));
        }
    };
    let names = |list: &[String]| (!list.is_empty()).then(|| list.join(","));
    let modes: Vec<String> = args.mode.iter().map(|m| m.name().to_string()).collect();
    let number = |x: Option<f64>| x.map(point::real_text);
    flag("points", args.points.filter(|_| !short).map(|n| n.to_string()));
    flag("special", args.special.filter(|_| !short).map(|n| n.to_string()));
    flag("search", Some(args.search).filter(|n| *n > 0 && !short).map(|n| n.to_string()));
    let said = |name: &String| args.dims.iter().any(|(n, _)| n == name);
    let dims = r.dims.iter().filter(|(name, _)| said(name) || r.open_dims.contains(name));
    let dims: Vec<String> = dims.map(|(name, n)| format!("{name}={n}")).collect();
    flag("dims", names(&dims));
    flag("mode", names(&modes));
    flag("wrt", names(&args.wrt));
    flag("output", names(&args.output));
    flag("nodiff", names(&args.nodiff));
    flag("seed", args.seed.map(|s| s.number.to_string()));
    flag("eps", number(args.eps));
    flag("atol", number(args.atol));
    flag("rtol", number(args.rtol));
    flag("max-relative-error", number(args.max_relative_error));
    flag("delta", number(args.delta));
    flag("fuel", args.fuel.map(|n| n.to_string()));
    flag("memory-limit", args.memory_limit.map(|n| n.to_string()));
    for lib in &args.lib {
        flag("lib", Some(lib.to_string_lossy().into_owned()));
    }
    flag("opt", (args.opt != OptLevel::default()).then(|| (args.opt as u8).to_string()));
    flag("convention", (args.convention == ConventionArg::Jax).then(|| "jax".to_string()));
    flag("backends", (args.backends == BackendsArg::All).then(|| "all".to_string()));
    for (set, name) in [(args.classic, "classic"), (args.per_entry, "per-entry"), (args.strict, "strict")] {
        if set {
            command += &format!(" --{name}");
        }
    }
    command
}

/// The command that shows a failure at its small point.
pub(crate) fn reproduce_small(files: &[SourceFile], r: &Report, small: &Small, args: &CheckArgs) -> String {
    let at = point_text(&r.inputs, &small.inputs);
    let wrt = small.wrt.clone().unwrap_or_else(|| args.wrt.clone());
    let mut report = Report { small: None, ..r.clone() };
    let mut args = CheckArgs { wrt, at: vec![at], ..args.clone() };
    if !small.dims.is_empty() {
        report.dims.clone_from(&small.dims);
        args.dims.clone_from(&small.dims);
    }
    reproduce(files, &report, &small.inputs, &args)
}

/// The failure at a small point, and the command that shows it.
pub(crate) fn small(files: &[SourceFile], r: &Report, args: &CheckArgs) -> Option<String> {
    let small = r.small.as_ref()?;
    let (entry, at) = (small.entry.name(r.names_outputs()), point_text(&r.inputs, &small.inputs));
    Some(format!("{entry} fails alike at {at}: {}", reproduce_small(files, r, small, args)))
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
