//! Runs the checks of `adc check` on all cores, and sends events.
//!
//! Work starts in the order of files and of the functions in them, so the first ones are usually done first. The receiver
//! holds results back that arrive out of order. A file is parsed when every check in the files before it has started.

use super::Stop;
use super::check_text::Kept;
use crate::Diagnostics;
use crate::report::{CheckOptions, Checks};
use adc_checker::{Observer, Progress, Report};
use adc_jit::Cancel;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A file whose functions can be checked.
pub(super) struct Job {
    pub(super) checks: Checks,
    pub(super) options: CheckOptions,
    /// Under which name its outcome is kept.
    pub(super) key: Option<String>,
}

/// The result of opening a file.
pub(super) enum Opened {
    /// It could not be read, parsed or typed.
    Refused(Diagnostics),
    /// It lacks the requested function.
    Passed,
    /// It passed before, and nothing has changed.
    Known(Box<Kept>),
    /// The request does not fit it.
    Stopped(Stop),
    /// Its functions will be checked.
    Job(Arc<Job>),
}

/// Events; files and checks are numbers.
pub(super) enum Event {
    Opened {
        file: usize,
        opened: Opened,
    },
    Progress {
        file: usize,
        check: usize,
        progress: Progress,
    },
    /// A check is done, with a report for each set of sizes.
    Done {
        file: usize,
        check: usize,
        reports: Vec<Report>,
    },
}

/// Opens all files with `open`, runs their checks, and sends events to `events`. Ends early if cancelled.
pub(super) fn run(
    files: usize,
    open: &(dyn Fn(usize) -> Opened + Sync),
    cancel: &Cancel,
    events: &Sender<Event>,
) {
    let queue = Queue {
        files: Mutex::new((0..files).map(|_| File::Waiting).collect()),
        opened: Condvar::new(),
        cancel,
    };
    // Once on every thread: none starts a second round of work while it waits for the points of a function.
    rayon::broadcast(|_| queue.work(open, events));
}

struct Queue<'a> {
    files: Mutex<Vec<File>>,
    /// Signals that a file is no longer being opened.
    opened: Condvar,
    cancel: &'a Cancel,
}

enum File {
    Waiting,
    Opening,
    Open { job: Arc<Job>, next: usize },
    Closed,
}

enum Task {
    Open(usize),
    Check { file: usize, check: usize, job: Arc<Job> },
}

impl Queue<'_> {
    fn work(&self, open: &(dyn Fn(usize) -> Opened + Sync), events: &Sender<Event>) {
        // If the receiver is gone, it has panicked: stop.
        let tell = |event| {
            let _ = events.send(event);
        };
        while let Some(task) = self.next() {
            match task {
                Task::Open(file) => {
                    let mut opening = Opening { queue: self, file, job: None };
                    let opened = open(file);
                    if let Opened::Job(job) = &opened {
                        opening.job = Some(job.clone());
                    }
                    // Before events of its checks.
                    tell(Event::Opened { file, opened });
                    drop(opening);
                }
                Task::Check { file, check, job } => {
                    let watcher = Watcher { file, check, events, cancel: self.cancel };
                    let reports = job.checks.run(&job.options, check, &watcher);
                    tell(Event::Done { file, check, reports });
                }
            }
        }
    }

    /// The next task; `None` if there is nothing left to start.
    fn next(&self) -> Option<Task> {
        let mut files = self.lock();
        loop {
            if self.cancel.is_cancelled() {
                return None;
            }
            let mut opening = false;
            for (k, file) in files.iter_mut().enumerate() {
                match file {
                    File::Waiting => {
                        *file = File::Opening;
                        return Some(Task::Open(k));
                    }
                    File::Opening => opening = true,
                    File::Open { job, next } if *next < job.checks.len() => {
                        let (check, job) = (*next, job.clone());
                        *next += 1;
                        return Some(Task::Check { file: k, check, job });
                    }
                    File::Open { .. } => *file = File::Closed,
                    File::Closed => {}
                }
            }
            if !opening {
                return None;
            }
            files = self.opened.wait(files).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is being opened: others wait until it is, or until that failed.
struct Opening<'a, 'q> {
    queue: &'a Queue<'q>,
    file: usize,
    job: Option<Arc<Job>>,
}

impl Drop for Opening<'_, '_> {
    fn drop(&mut self) {
        self.queue.lock()[self.file] = match self.job.take() {
            Some(job) => File::Open { job, next: 0 },
            None => File::Closed,
        };
        self.queue.opened.notify_all();
    }
}

struct Watcher<'a> {
    file: usize,
    check: usize,
    events: &'a Sender<Event>,
    cancel: &'a Cancel,
}

impl Observer for Watcher<'_> {
    fn progress(&self, progress: Progress) {
        let _ = self.events.send(Event::Progress { file: self.file, check: self.check, progress });
    }

    fn cancel(&self) -> Option<&Cancel> {
        Some(self.cancel)
    }
}
