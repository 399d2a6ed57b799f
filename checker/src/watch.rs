//! Who looks on while a function is checked.

use adc_jit::Cancel;

/// What the check of a function does, for those who wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Programs are built and compiled.
    Compiling,
    /// So many of the points are done. If many of them count as none, others are drawn, and there are more in the end.
    Points {
        /// How many.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// Special points are visited.
    Special,
    /// The worst case is looked for, at so many points so far.
    Searching {
        /// How many.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// What was found is put down to an op, a rule or a rewrite.
    Explaining,
    /// A failing point is made small.
    Shrinking,
}

/// Follows a check, and may end it. Nothing that is reported depends on what an observer does, unless it cancels.
///
/// Methods are called from several threads, and have to return soon.
pub trait Observer: Sync {
    /// The check goes on.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// What ends the check before its time, with what is known by then.
    fn cancel(&self) -> Option<&Cancel> {
        None
    }
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
