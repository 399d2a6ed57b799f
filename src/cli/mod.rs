//! The command line: one file per subcommand. [`run`] works on given streams, so tests call it as a shell does.

mod args;
mod bench;
mod build;
mod cache_directory;
mod candidates;
mod check;
mod check_board;
mod check_cache;
mod check_command;
mod check_data;
mod check_files;
mod check_fix;
mod check_forms;
mod check_inputs;
mod check_json;
mod check_page;
pub mod check_report;
mod check_run;
mod check_suggest;
mod check_text;
mod check_watch;
mod completions;
mod emit;
mod explain;
mod fmt;
mod grad;
mod gradbench;
mod ice;
mod init;
mod input;
mod lexicon;
mod lines;
mod lsp;
mod man;
mod point;
mod point_expr;
mod progress;
mod residuals;
mod run_cmd;
mod selftest;
mod show;
mod topics;

pub use cache_directory::cache_directory;

use crate::render::{Diagnostics, Style};
use adc_jit::Cancel;
use args::{Cli, ColorWhen, Command, Format};
use clap::{Parser, ValueEnum};
use lines::Lines;
use std::ffi::OsString;
use std::io::{Read, Write};

/// Where a command reads and writes.
pub struct Streams<'a> {
    /// Standard input, read when a file is named `-`.
    pub stdin: &'a mut dyn Read,
    /// Results.
    pub out: &'a mut dyn Write,
    /// Progress, warnings, and the diagnostics of commands other than `check`.
    pub err: &'a mut dyn Write,
    /// Whether `out` is a terminal.
    pub out_tty: bool,
    /// Whether `err` is a terminal.
    pub err_tty: bool,
    /// Called by a command that can end early, with what ends it: the first interruption (Ctrl-C) should cancel that, the
    /// second one end the process.
    pub on_interrupt: &'a mut dyn FnMut(&Cancel),
    /// Where checks that passed are kept; `None`: nowhere.
    pub cache: Option<std::path::PathBuf>,
}

/// How a command ended, as the process's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything requested succeeded.
    Ok = 0,
    /// The answer is no.
    No = 1,
    /// The request could not be carried out.
    Request = 2,
    /// A bug in adc.
    Internal = 101,
    /// The command was interrupted, and has printed what it knew.
    Interrupted = 130,
}

/// A command that ended early: diagnostics to render, exit code 2.
pub(crate) struct Stop(pub(crate) Box<Diagnostics>);

impl From<Diagnostics> for Stop {
    fn from(d: Diagnostics) -> Stop {
        Stop(Box::new(d))
    }
}

impl From<adc_ir::Diagnostic> for Stop {
    fn from(d: adc_ir::Diagnostic) -> Stop {
        Diagnostics { files: Vec::new(), items: vec![d] }.into()
    }
}

impl From<std::io::Error> for Stop {
    fn from(e: std::io::Error) -> Stop {
        adc_ir::Diagnostic::error(adc_ir::Code::Io, format!("cannot write the output: {e}")).into()
    }
}

impl From<crate::Error> for Stop {
    fn from(e: crate::Error) -> Stop {
        match e {
            crate::Error::Diagnostics(d) | crate::Error::Runtime { diagnostics: d, .. } => d.into(),
            crate::Error::Usage(u) => u.into(),
            crate::Error::Library(e) => e.diagnostic().into(),
            crate::Error::Npy(e) => adc_ir::Diagnostic::from(e).into(),
        }
    }
}

impl From<crate::UsageError> for Stop {
    fn from(u: crate::UsageError) -> Stop {
        let d = adc_ir::Diagnostic::error(adc_ir::Code::BadUsage, u.to_string());
        u.help().into_iter().fold(d, adc_ir::Diagnostic::help).into()
    }
}

/// The context of every command: streams, style, verbosity.
pub(crate) struct Session<'s, 'io> {
    pub(crate) io: &'s mut Streams<'io>,
    pub(crate) format: Format,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) out_style: Style,
    err_style: Style,
    /// Why results could not be written.
    unwritten: Option<std::io::Error>,
}

impl Session<'_, '_> {
    /// Writes a part of a verdict, unless an earlier part could not be written: the verdict stays the same.
    pub(crate) fn print(&mut self, text: &str) {
        if self.unwritten.is_none() && !text.is_empty() {
            let written = self.io.out.write_all(text.as_bytes()).and_then(|()| self.io.out.flush());
            self.unwritten = written.err();
        }
    }

    /// Reports why the verdict could not be written, if so.
    pub(crate) fn end_of_print(&mut self) {
        if let Some(e) = self.unwritten.take() {
            self.narrate(&Stop::from(e).0);
        }
    }

    /// Diagnostics of commands other than `check`, and warnings: to standard error.
    pub(crate) fn narrate(&mut self, d: &Diagnostics) {
        let _ = match self.format {
            Format::Json | Format::JsonLines
                if d.items.iter().any(|i| i.severity == adc_ir::Severity::Error) =>
            {
                let json = serde_json::json!({"schema": "adc.error/1", "diagnostics": d.to_json()});
                writeln!(self.io.err, "{json:#}")
            }
            _ => write!(self.io.err, "{}", d.render(self.err_style)),
        };
    }
}

/// Answers a shell that asks what can follow on its command line, and ends the process; does nothing otherwise.
pub fn complete() {
    clap_complete::CompleteEnv::with_factory(<Cli as clap::CommandFactory>::command)
        .var(candidates::VARIABLE)
        .complete();
}

/// Runs one command line (the first argument is the program's name) and returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, streams: &mut Streams) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let streams = &mut Streams {
        stdin: &mut *streams.stdin,
        out: &mut Lines::new(&mut *streams.out),
        err: &mut *streams.err,
        out_tty: streams.out_tty,
        err_tty: streams.err_tty,
        on_interrupt: &mut *streams.on_interrupt,
        cache: streams.cache.clone(),
    };
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(e) => {
            let to_err = e.use_stderr();
            let tty = if to_err { streams.err_tty } else { streams.out_tty };
            let text = if tty { e.render().ansi().to_string() } else { e.render().to_string() };
            let to = if to_err { &mut streams.err } else { &mut streams.out };
            let _ = write!(to, "{text}").and_then(|()| to.flush());
            return e.exit_code() as u8;
        }
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(cli, streams)));
    let exit = match outcome {
        Ok(exit) => exit,
        Err(panic) => ice::report(&*panic, &args, streams),
    };
    exit as u8
}

fn dispatch(cli: Cli, streams: &mut Streams) -> Exit {
    if let Some(n) = cli.global.threads {
        // An error says that this process has its threads already, which tests have.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global();
    }
    let colored = |tty: bool| match cli.global.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => tty_wants_color(tty),
    };
    let ascii = !locale_is_utf8();
    let (out_style, err_style) =
        (Style { color: colored(streams.out_tty), ascii }, Style { color: colored(streams.err_tty), ascii });
    let mut session = Session {
        io: streams,
        format: cli.global.format,
        quiet: cli.global.quiet,
        verbose: cli.global.verbose,
        out_style,
        err_style,
        unwritten: None,
    };
    let form = session.format;
    let result = match cli.command {
        Command::Check(args) => check::run(&mut session, &args),
        _ if form.of_check() => Err(only_check(form)),
        Command::Run(args) => run_cmd::run(&mut session, &args),
        Command::Grad(args) => grad::run(&mut session, &args),
        Command::Emit(args) => emit::run(&mut session, &args),
        Command::Fmt(args) => fmt::run(&mut session, &args),
        Command::Lsp(_) => lsp_command(),
        Command::Bench(args) => bench::run(&mut session, &args),
        Command::Build(args) => build::run(&mut session, &args),
        Command::Gradbench => gradbench::run(&mut session),
        Command::Explain(args) => explain::run(&mut session, &args),
        Command::Selftest(args) => selftest::run(&mut session, &args),
        Command::Init(args) => init::run(&mut session, &args),
        Command::Man(args) => man::run(&mut session, &args),
        Command::Completions(args) => completions::run(&mut session, &args),
    };
    let exit = result.and_then(|exit| session.io.out.flush().map(|()| exit).map_err(Stop::from));
    exit.unwrap_or_else(|Stop(d)| {
        session.narrate(&d);
        Exit::Request
    })
}

/// `adc lsp`: serves the client on the process's own standard input and output.
fn lsp_command() -> Result<Exit, Stop> {
    let (connection, threads) = lsp_server::Connection::stdio();
    let served = lsp::serve(&connection);
    drop(connection);
    let joined = threads.join();
    let gone = |e| adc_ir::Diagnostic::error(adc_ir::Code::Io, format!("the editor is gone: {e}"));
    let orderly = served.map_err(gone)?;
    joined?;
    // As the protocol has it.
    Ok(if orderly { Exit::Ok } else { Exit::No })
}

/// A form of output that only `check` has.
fn only_check(form: Format) -> Stop {
    let name = form.to_possible_value().map_or(String::new(), |v| v.get_name().to_string());
    adc_ir::Diagnostic::error(adc_ir::Code::BadUsage, format!("`--format {name}` is for `adc check` only"))
        .help("other commands take `text` or `json`")
        .into()
}

/// The text padded with blanks to `width` characters; any width, whereas a format string ends at 65 535.
fn padded(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(text.chars().count()))
}

/// `NO_COLOR`, `CLICOLOR_FORCE` and `TERM=dumb` as their conventions say.
fn tty_wants_color(tty: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
    if set("CLICOLOR_FORCE") {
        return true;
    }
    tty && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

/// Whether the locale can show `∂ ± →`; unset counts as yes, `C` and `POSIX` as no.
fn locale_is_utf8() -> bool {
    let value =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| std::env::var(n).ok().filter(|v| !v.is_empty()));
    value.is_none_or(|v| {
        let v = v.to_ascii_lowercase();
        v.contains("utf-8") || v.contains("utf8")
    })
}
