//! The errors of one file while it is read.

use adc_ir::{Diagnostic, Diagnostics};

/// After so many errors a file is not read further: what follows would help nobody.
pub const MAX_ERRORS: usize = 100;

/// Errors, at most [`MAX_ERRORS`].
#[derive(Default)]
pub struct Errors {
    list: Vec<Diagnostic>,
}

impl Errors {
    /// Adds one unless there are too many.
    pub fn push(&mut self, d: Diagnostic) {
        if !self.is_full() {
            self.list.push(d);
        }
    }

    /// Whether there are none so far.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether reading on is pointless.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_ERRORS
    }

    /// By place in the source.
    pub fn finish(mut self) -> Diagnostics {
        self.list.sort_by_key(|d| d.span().start);
        Diagnostics(self.list)
    }
}
