//! `adc check --watch`: stays, and checks again what changes.
//!
//! Directories are watched, not files, because editors put new files in the place of old ones. An event only says that it is
//! time to look; what is checked again follows from contents.

use super::args::{CheckArgs, Format};
use super::check_files::{self, Checked, Source, directories, source};
use super::check_inputs::{self, Print};
use super::{Exit, Session, Stop, check, check_board, input};
use crate::report::CheckOptions;
use adc_ir::{Code, Diagnostic};
use adc_jit::Cancel;
use notify::{RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// An editor writes a file in several steps: this long nothing must happen before it is read,
const QUIET: Duration = Duration::from_millis(60);
/// unless it goes on for this long.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is seen whether Ctrl-C was pressed.
const TICK: Duration = Duration::from_millis(100);
/// How often files are read where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(1);

/// A file at its last check.
struct Seen {
    print: Print,
    inputs: Vec<PathBuf>,
    /// `None` if it lacks the requested function.
    checked: Option<Checked>,
}

pub(super) fn run(session: &mut Session, args: &CheckArgs, options: &CheckOptions) -> Result<Exit, Stop> {
    if session.format != Format::Text {
        let d = Diagnostic::error(Code::BadUsage, "`--watch` prints text for people");
        return Err(d.help("leave `--format` out, or check once for a machine").into());
    }
    if args.paths.iter().any(|p| p == Path::new("-")) {
        let d = Diagnostic::error(
            Code::BadUsage,
            "`--watch` reads a file again, and standard input is read once",
        );
        return Err(d.help("name files or directories").into());
    }
    let cancel = Cancel::new();
    (session.io.on_interrupt)(&cancel);
    let (told, changes) = channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading is an event, too, and says nothing.
        if event.is_ok_and(|e| !e.kind.is_access()) {
            let _ = told.send(());
        }
    });
    let mut watcher = watcher.ok();
    let mut seen: BTreeMap<PathBuf, Seen> = BTreeMap::new();
    let (mut verdict, mut known) = (None, BTreeSet::new());
    loop {
        // First watch, then read: what changes in between is an event.
        let dirs = directories_of(args, &seen);
        let watched = watcher.as_mut().is_some_and(|w| watch(w, &dirs));
        known.extend(dirs);
        match round(session, args, options, &cancel, &mut seen, verdict.is_none()) {
            Ok(Some(exit)) => verdict = Some(exit),
            Ok(None) => {}
            // A file that is missing may come.
            Err(Stop(d)) => session.narrate(&d),
        }
        // What files use is known only now, and what changed in a directory that was not watched yet is not.
        if !directories_of(args, &seen).is_subset(&known) {
            continue;
        }
        if cancel.is_cancelled() || !wait(&changes, &cancel, watched) {
            return Ok(verdict.unwrap_or(Exit::Interrupted));
        }
    }
}

/// Watches directories. Whether the system will tell of changes.
fn watch(watcher: &mut impl Watcher, dirs: &BTreeSet<PathBuf>) -> bool {
    // One that is not there yet is seen when a directory above it changes.
    dirs.iter().filter(|d| d.is_dir()).all(|d| watcher.watch(d, RecursiveMode::NonRecursive).is_ok())
}

/// Every directory that has something to do with the files.
fn directories_of(args: &CheckArgs, seen: &BTreeMap<PathBuf, Seen>) -> BTreeSet<PathBuf> {
    let parent = |p: &Path| match p.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut dirs: BTreeSet<PathBuf> = BTreeSet::new();
    for path in &args.paths {
        match path.is_dir() {
            true => dirs.extend(directories(path)),
            false => drop(dirs.insert(parent(path))),
        }
    }
    dirs.extend(seen.values().flat_map(|s| &s.inputs).map(|p| parent(p)));
    dirs.extend(args.data.iter().map(|p| parent(p)));
    dirs
}

/// Checks what changed since the last round, and prints it. `None` if nothing did, or the check was interrupted.
fn round(
    session: &mut Session,
    args: &CheckArgs,
    options: &CheckOptions,
    cancel: &Cancel,
    seen: &mut BTreeMap<PathBuf, Seen>,
    first: bool,
) -> Result<Option<Exit>, Stop> {
    let paths = check_files::files(&args.paths)?;
    let points = args.at.iter().map(|at| input::indirect(session, at)).collect::<Result<Vec<_>, _>>()?;
    let gone: Vec<PathBuf> = seen.keys().filter(|p| !paths.contains(p)).cloned().collect();
    gone.iter().for_each(|p| drop(seen.remove(p)));
    let mut stale: Vec<(PathBuf, Source, Print, Vec<PathBuf>)> = Vec::new();
    for path in paths {
        let source = source(session, &path);
        let (name, text) = match &source {
            Ok((name, text)) => (name.clone(), text.clone()),
            Err(d) => (path.display().to_string(), d.to_string()),
        };
        let mut inputs = check_inputs::read(&name, &text).1;
        inputs.extend(args.data.clone());
        let print = check_inputs::print(
            &[&[name, text], &points[..]].concat().iter().map(String::as_str).collect::<Vec<_>>(),
            &inputs,
        );
        if seen.get(&path).is_none_or(|s| s.print != print) {
            stale.push((path, source, print, inputs));
        }
    }
    if stale.is_empty() && gone.is_empty() && !first {
        return Ok(None);
    }
    if session.io.out_tty {
        session.print("\x1b[2J\x1b[3J\x1b[H");
    } else if !first {
        session.print("\n");
    }
    let sources: Vec<Source> = stale.iter().map(|s| s.1.clone()).collect();
    let checked = match sources.is_empty() {
        true => Vec::new(),
        false => {
            let outcome = check_board::run(session, args, &sources, &points, options, cancel, None)?;
            if outcome.interrupted {
                return Ok(None);
            }
            outcome.checked
        }
    };
    let old = seen.len();
    let mut checked: Vec<Option<Checked>> = checked.into_iter().map(Some).collect();
    for (path, source, print, inputs) in stale {
        let name = path.to_string_lossy();
        let of_it = |c: &&mut Option<Checked>| {
            c.as_ref().is_some_and(|c| c.files().first().map_or(source.is_err(), |f| f.name == name))
        };
        let checked = checked.iter_mut().find(of_it).and_then(Option::take);
        seen.insert(path, Seen { print, inputs, checked });
    }
    others(session, seen, &sources, args, old);
    let all: Vec<&Checked> = seen.values().filter_map(|s| s.checked.as_ref()).collect();
    Ok(Some(check::exit(&all, args)))
}

/// Says what is still wrong in the files that did not change, and that the command waits.
fn others(
    session: &mut Session,
    seen: &BTreeMap<PathBuf, Seen>,
    now: &[Source],
    args: &CheckArgs,
    old: usize,
) {
    let is_new = |path: &Path| {
        let name = path.to_string_lossy();
        now.iter().any(|s| s.as_ref().is_ok_and(|(n, _)| *n == name))
    };
    let mut text = String::new();
    if old > 0 {
        for (path, s) in seen.iter().filter(|(path, _)| !is_new(path)) {
            let Some(checked) = &s.checked else { continue };
            let exit = check::exit(&[checked], args);
            if exit != Exit::Ok {
                let what = if exit == Exit::Request { "could not be checked" } else { "FAIL" };
                text += &format!("unchanged: {} {what}\n", path.display());
            }
        }
    }
    session.print(&text);
    session.end_of_print();
    if !session.quiet {
        let (n, s) = (seen.len(), if seen.len() == 1 { "" } else { "s" });
        let _ = writeln!(session.io.err, "watching {n} file{s}; Ctrl-C ends");
    }
}

/// Waits until something changed and then for a moment of quiet. `false` if interrupted.
fn wait(changes: &Receiver<()>, cancel: &Cancel, watched: bool) -> bool {
    let start = Instant::now();
    loop {
        if cancel.is_cancelled() {
            return false;
        }
        match changes.recv_timeout(TICK) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) if !watched && start.elapsed() > POLL => return true,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(TICK);
                if start.elapsed() > POLL {
                    return true;
                }
            }
        }
    }
    let first = Instant::now();
    while first.elapsed() < PATIENCE && changes.recv_timeout(QUIET).is_ok() {}
    true
}
