//! Observers of a check.

use adc_jit::Cancel;

/// The stage of a function's check, for observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Programs are built and compiled.
    Compiling,
    /// How many of the points are done. If many do not count, further ones are drawn, and the total grows.
    Points {
        /// Done so far.
        done: usize,
        /// Of this many.
        of: usize,
    },
    /// Special points are evaluated.
    Special,
    /// The search for the worst case, after this many points.
    Searching {
        /// Done so far.
        done: usize,
        /// Of this many.
        of: usize,
    },
    /// The cause of the findings is searched.
    Explaining,
    /// A failing point is made small.
    Shrinking,
}

/// Observes a check, and may end it. The report does not depend on an observer unless it cancels.
///
/// Methods are called from several threads, and have to return soon.
pub trait Observer: Sync {
    /// The check makes progress.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// What ends the check early, with what is known by then.
    fn cancel(&self) -> Option<&Cancel> {
        None
    }
}

/// No observer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
