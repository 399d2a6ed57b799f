//! The line on a terminal that tells what a command waits for.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A command that ends before this has no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it changes.
const TICK: Duration = Duration::from_millis(125);
/// The maximum number of characters, so that it fits into a line.
const WIDTH: usize = 68;

/// The line; it is not shown at first, and only on terminals.
pub(super) struct Line {
    bar: ProgressBar,
    /// When it is to be shown; `None`: never, or it is already.
    due: Option<Instant>,
}

impl Line {
    /// A line on standard error, if that is a terminal.
    pub(super) fn new(terminal: bool) -> Line {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {elapsed:>3}  {msg}");
        bar.set_style(style.expect("the template is one"));
        Line { bar, due: terminal.then(|| Instant::now() + PATIENCE) }
    }

    /// How long to wait for news before [`Self::show`]; `None` if there is no line.
    pub(super) fn patience(&self) -> Option<Duration> {
        match self.due {
            Some(due) => Some(due.saturating_duration_since(Instant::now())),
            None => (!self.bar.is_hidden()).then_some(PATIENCE),
        }
    }

    /// Shows it if that is due.
    pub(super) fn show(&mut self) {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.due = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(TICK);
        }
    }

    /// Sets its text.
    pub(super) fn say(&self, text: String) {
        let short = match text.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        self.bar.set_message(short);
    }

    /// Prints something else in between.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
