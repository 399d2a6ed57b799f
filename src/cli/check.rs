//! `adc check`: compares the compiled derivatives of models with finite differences.

use super::args::{BackendsArg, CheckArgs, Format};
use super::check_cache::Cache;
use super::check_files::{Checked, Source, files, source};
use super::{
    Exit, Session, Stop, check_board, check_fix, check_forms, check_json, check_page, check_suggest,
    check_watch, input,
};
use crate::report::CheckOptions;
use adc_checker::{Backends, Settings, Status, Tolerance};
use adc_ir::{Code, Diagnostic};
use adc_jit::Cancel;
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(session: &mut Session, args: &CheckArgs) -> Result<Exit, Stop> {
    let start = Instant::now();
    input::dims_once(&args.dims)?;
    let externs = input::externs(&args.lib)?;
    let files = files(&args.paths)?;
    let options = CheckOptions {
        opt: args.opt,
        fp: args.fp.map(Into::into),
        externs,
        settings: settings(args),
        threads: None,
    };
    if args.watch {
        return check_watch::run(session, args, &options);
    }
    let mut sources: Vec<Source> = files.iter().map(|path| source(session, path)).collect();
    if args.suggest {
        return check_suggest::run(session, sources, args, &options);
    }
    let points = args.at.iter().map(|at| input::indirect(session, at)).collect::<Result<Vec<_>, _>>()?;
    let fixed = !args.fix || check_fix::run(session, &files, &mut sources, args, &options)?;
    let cancel = Cancel::new();
    (session.io.on_interrupt)(&cancel);
    let look = format!("{:?} {} {}", session.out_style, session.quiet, session.verbose);
    let text = session.format == Format::Text;
    let dir = session.io.cache.clone().filter(|_| text && !args.paths.iter().any(|p| p == Path::new("-")));
    let cache = Cache::of(dir.as_deref(), args, &points, &look);
    let outcome = check_board::run(session, args, &sources, &points, &options, &cancel, cache.as_ref())?;
    let (checked, interrupted, known) = (outcome.checked, outcome.interrupted, outcome.known);
    if let (Some(name), [], false) = (&args.function, &checked[..], interrupted || known > 0) {
        return Err(Diagnostic::error(Code::BadUsage, format!("no file defines a function called `{name}`"))
            .help("`--fn` takes the name of a function of the files given")
            .into());
    }
    let all: Vec<&Checked> = checked.iter().collect();
    let mut exit = match (interrupted, &all[..], known) {
        (true, ..) => Exit::Interrupted,
        // All of them passed before.
        (false, [], 1..) => Exit::Ok,
        (false, ..) => exit(&all, args),
    };
    if !fixed && exit == Exit::Ok {
        exit = Exit::Request;
    }
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
        && let Err(Stop(d)) = check_page::write(dir, &checked, args)
    {
        session.narrate(&d);
        // A more severe exit code is kept.
        exit = if exit == Exit::Ok { Exit::Request } else { exit };
    }
    if let Some(seed) = args.seed.filter(|s| s.drawn && !session.quiet) {
        let _ = writeln!(session.io.err, "seed {0}: --seed {0} repeats this run", seed.number);
    }
    // The time differs from run to run: only on terminals.
    if session.format == Format::Text && !session.quiet && session.io.err_tty {
        let from = if known > 0 { format!(", {known} unchanged since they passed") } else { String::new() };
        let _ = writeln!(session.io.err, "{:.2} s{from}", start.elapsed().as_secs_f64());
    }
    Ok(exit)
}

fn settings(args: &CheckArgs) -> Settings {
    let mut s = Settings::default();
    s.points = args.points.map(|n| n as usize);
    s.special = args.special.map(|n| n as usize);
    s.search = args.search as usize;
    s.shrink = args.shrink as usize;
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

pub(super) fn exit(checked: &[&Checked], args: &CheckArgs) -> Exit {
    let reports = || {
        checked.iter().flat_map(|c| match c {
            Checked::Refused(_) => &[],
            Checked::Done(f) => &f.reports[..],
        })
    };
    let refused = checked.iter().any(|c| matches!(c, Checked::Refused(_)));
    if refused || reports().any(|r| r.status == Status::Error) {
        Exit::Request
    } else if (reports().any(|r| !r.passes(args.strict)) || reports().next().is_none()) && !args.exit_zero {
        Exit::No
    } else {
        Exit::Ok
    }
}
