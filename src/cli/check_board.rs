//! The state of the checks of `adc check` while they run, printed in the order of files and functions.

use super::args::{CheckArgs, Format};
use super::check_cache::Cache;
use super::check_files::{Checked, Source, open as open_file};
use super::check_run::{self, Event, Job, Opened};
use super::check_text::{Kept, Printer};
use super::progress::Line;
use super::{Session, Stop, check_json};
use crate::Diagnostics;
use crate::report::{CheckOptions, FileReport};
use adc_checker::{Progress, Report};
use adc_jit::Cancel;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};

/// What became of all files.
pub(super) struct Outcome {
    /// Those that were checked.
    pub(super) checked: Vec<Checked>,
    /// Whether it was interrupted.
    pub(super) interrupted: bool,
    /// How many passed before and did not change.
    pub(super) known: usize,
}

/// Checks all files, and prints the report as it grows if its form allows. Returns the results, and whether it was
/// interrupted: by `cancel`.
pub(super) fn run(
    session: &mut Session,
    args: &CheckArgs,
    sources: &[Source],
    points: &[String],
    options: &CheckOptions,
    cancel: &Cancel,
    cache: Option<&Cache>,
) -> Result<Outcome, Stop> {
    let mut board = Board::new(session, args, sources.len(), cache);
    let mut line = Line::new(session.io.err_tty && !session.quiet);
    let open = |file: usize| open_file(&sources[file], args, points, options, cache);
    let told = std::thread::scope(|scope| {
        let (events, heard) = channel();
        let open = &open;
        let workers = scope.spawn(move || check_run::run(sources.len(), open, cancel, &events));
        let mut told = Ok(());
        loop {
            let event = match line.patience() {
                Some(wait) => heard.recv_timeout(wait),
                None => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            line.show();
            if cancel.is_cancelled() {
                line.say("interrupted: finishing the report; press Ctrl-C again to stop at once".to_string());
            }
            match event {
                Ok(event) => board.hear(event),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if told.is_ok() {
                told = board.tell();
                if told.is_err() {
                    cancel.cancel();
                }
                let text = board.output.take();
                if !text.is_empty() {
                    line.aside(|| session.print(&text));
                }
                if !cancel.is_cancelled() {
                    line.say(board.doing());
                }
            }
        }
        match workers.join() {
            Ok(()) => told,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    drop(line);
    told?;
    let interrupted = cancel.is_cancelled();
    board.end(interrupted);
    session.print(&board.output.take());
    if let Some(cache) = cache.filter(|_| board.kept > 0) {
        cache.thin();
    }
    Ok(Outcome { checked: board.checked, interrupted, known: board.known })
}

/// The state of a file.
enum Slot {
    Waiting,
    Refused(Diagnostics),
    Passed,
    Stopped(Stop),
    Known(Box<Kept>),
    Open {
        job: Arc<Job>,
        /// For each function, one for each set of sizes.
        reports: Vec<Option<Vec<Report>>>,
        /// How many of them have been printed; `None`: not even the file's name.
        told: Option<usize>,
    },
    /// Everything has been printed.
    Told,
}

struct Board<'a> {
    slots: Vec<Slot>,
    /// The file that is being printed.
    at: usize,
    /// The files that were printed.
    checked: Vec<Checked>,
    output: Output<'a>,
    /// The running checks.
    running: BTreeMap<(usize, usize), Progress>,
    done: usize,
    cache: Option<&'a Cache>,
    /// Files that were not checked because they passed before, and those that are kept as such now.
    known: usize,
    kept: usize,
}

impl<'a> Board<'a> {
    fn new(session: &Session, args: &'a CheckArgs, files: usize, cache: Option<&'a Cache>) -> Board<'a> {
        Board {
            slots: (0..files).map(|_| Slot::Waiting).collect(),
            at: 0,
            checked: Vec::new(),
            output: Output::new(session, args),
            running: BTreeMap::new(),
            done: 0,
            cache,
            known: 0,
            kept: 0,
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Opened { file, opened } => {
                self.slots[file] = match opened {
                    Opened::Refused(d) => Slot::Refused(d),
                    Opened::Passed => Slot::Passed,
                    Opened::Known(kept) => Slot::Known(kept),
                    Opened::Stopped(stop) => Slot::Stopped(stop),
                    Opened::Job(job) => {
                        let reports = (0..job.checks.len()).map(|_| None).collect();
                        Slot::Open { job, reports, told: None }
                    }
                };
            }
            Event::Progress { file, check, progress } => {
                self.running.insert((file, check), progress);
            }
            Event::Done { file, check, reports: found } => {
                self.running.remove(&(file, check));
                self.done += 1;
                if let Slot::Open { reports, .. } = &mut self.slots[file] {
                    reports[check] = Some(found);
                }
            }
        }
    }

    /// Prints everything up to the first missing result.
    fn tell(&mut self) -> Result<(), Stop> {
        while let Some(slot) = self.slots.get_mut(self.at) {
            match slot {
                Slot::Waiting => break,
                Slot::Open { job, reports, told } => {
                    let told = told.get_or_insert_with(|| {
                        self.output.open(job);
                        0
                    });
                    while let Some(Some(r)) = reports.get(*told) {
                        self.output.row(job.checks.file(), r);
                        *told += 1;
                    }
                    if *told < reports.len() {
                        break;
                    }
                }
                Slot::Refused(_) | Slot::Passed | Slot::Stopped(_) | Slot::Known(_) | Slot::Told => {}
            }
            let slot = std::mem::replace(slot, Slot::Told);
            self.at += 1;
            match slot {
                Slot::Refused(d) => {
                    self.output.refused(&d);
                    self.checked.push(Checked::Refused(d));
                }
                Slot::Open { job, reports, .. } => self.close(&job, reports),
                Slot::Known(kept) => {
                    self.output.again(&kept);
                    self.known += 1;
                }
                Slot::Stopped(stop) => return Err(stop),
                Slot::Waiting | Slot::Passed | Slot::Told => {}
            }
        }
        Ok(())
    }

    fn close(&mut self, job: &Job, reports: Vec<Option<Vec<Report>>>) {
        let whole = !reports.is_empty() && reports.iter().all(Option::is_some);
        let file = job.checks.finish(reports.into_iter().flatten().flatten().collect());
        self.output.close(&file);
        let passed = file.reports.iter().all(|r| r.passes(self.output.strict()));
        if let (Some(cache), Some(key), true) = (self.cache, &job.key, passed && whole)
            && let Some(kept) = self.output.kept(&file)
        {
            cache.put(key, &kept);
            self.kept += 1;
        }
        self.checked.push(Checked::Done(Box::new(file)));
    }

    /// Prints the rest, and the end. An interrupted check has gaps.
    fn end(&mut self, interrupted: bool) {
        let (mut functions, mut files) = (0, 0);
        for slot in std::mem::take(&mut self.slots).into_iter().skip(self.at) {
            match slot {
                Slot::Open { job, reports, told } => {
                    if told.is_none() {
                        self.output.open(&job);
                    }
                    for r in &reports[told.unwrap_or(0)..] {
                        match r {
                            Some(r) => self.output.row(job.checks.file(), r),
                            None => functions += 1,
                        }
                    }
                    self.close(&job, reports);
                }
                Slot::Refused(d) => {
                    self.output.refused(&d);
                    self.checked.push(Checked::Refused(d));
                }
                Slot::Known(kept) => {
                    self.output.again(&kept);
                    self.known += 1;
                }
                Slot::Waiting => files += 1,
                Slot::Passed | Slot::Stopped(_) | Slot::Told => {}
            }
        }
        // If no file has the requested function, that is reported instead.
        if interrupted || !self.checked.is_empty() || self.known > 0 {
            self.output.end(interrupted.then_some((functions, files)));
        }
    }

    /// What the command waits for.
    fn doing(&self) -> String {
        let mut text = String::new();
        if let Some(((file, check), progress)) = self.running.first_key_value()
            && let Slot::Open { job, .. } = &self.slots[*file]
        {
            let name = job.checks.file().files.first().map_or("", |f| f.name.as_str());
            text = format!("{name}: {}, {}", job.checks.name(*check), what(*progress));
        }
        match self.done {
            0 => text,
            n => format!("{text}   ({n} {} done)", if n == 1 { "function" } else { "functions" }),
        }
    }
}

fn what(progress: Progress) -> String {
    match progress {
        Progress::Compiling => "compiling".to_string(),
        Progress::Points { done, of } => format!("{done} of {of} points"),
        Progress::Special => "special points".to_string(),
        Progress::Searching { done, of } => format!("searching, {done} of {of} points"),
        Progress::Explaining => "analysing failures".to_string(),
        Progress::Shrinking => "minimising the failure".to_string(),
    }
}

/// Reports that are printed as they grow; other forms are one document at the end.
enum Output<'a> {
    Text(Box<Printer<'a>>),
    Lines { args: &'a CheckArgs, text: String },
    Whole,
}

impl<'a> Output<'a> {
    fn new(session: &Session, args: &'a CheckArgs) -> Output<'a> {
        match session.format {
            Format::Text => Output::Text(Box::new(Printer::new(session, args))),
            Format::JsonLines => Output::Lines { args, text: String::new() },
            Format::Json | Format::Sarif | Format::Junit | Format::Github => Output::Whole,
        }
    }

    fn take(&mut self) -> String {
        match self {
            Output::Text(printer) => printer.take(),
            Output::Lines { text, .. } => std::mem::take(text),
            Output::Whole => String::new(),
        }
    }

    fn refused(&mut self, d: &Diagnostics) {
        match self {
            Output::Text(printer) => printer.refused(d),
            Output::Lines { text, .. } => *text += &check_json::line_of_refused(d),
            Output::Whole => {}
        }
    }

    fn open(&mut self, job: &Job) {
        if let Output::Text(printer) = self {
            let functions = (0..job.checks.len()).map(|k| {
                let (inputs, outputs) = job.checks.signature(&job.options, k);
                (job.checks.name(k), inputs, outputs)
            });
            printer.open(job.checks.file(), functions);
        }
    }

    fn row(&mut self, f: &FileReport, reports: &[Report]) {
        match self {
            Output::Text(printer) => printer.row(f, &Report::together(reports)),
            Output::Lines { args, text } => {
                reports.iter().for_each(|r| *text += &check_json::line_of_function(f, r, args));
            }
            Output::Whole => {}
        }
    }

    fn again(&mut self, kept: &Kept) {
        if let Output::Text(printer) = self {
            printer.again(kept);
        }
    }

    /// The check of the file just closed, if its form can be shown again.
    fn kept(&self, f: &FileReport) -> Option<Kept> {
        match self {
            Output::Text(printer) => Some(printer.kept(f)),
            Output::Lines { .. } | Output::Whole => None,
        }
    }

    /// Whether assumptions and doubts count as failures.
    fn strict(&self) -> bool {
        match self {
            Output::Text(printer) => printer.strict(),
            Output::Lines { args, .. } => args.strict,
            Output::Whole => true,
        }
    }

    fn close(&mut self, f: &FileReport) {
        match self {
            Output::Text(printer) => printer.close(f),
            Output::Lines { text, .. } => *text += &check_json::line_of_file(f),
            Output::Whole => {}
        }
    }

    fn end(&mut self, missing: Option<(usize, usize)>) {
        if let Output::Text(printer) = self {
            printer.end(missing);
        }
    }
}
