//! What every part of the analysis sees: sources, items, and where diagnostics go.

use super::items::Items;
use crate::source::SourceFile;
use adc_ir::datum::Datum;
use adc_ir::{Code, Diagnostic, Elementary, FileId, Severity, Span};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// The label of a type whose name is nothing like one.
pub const NOT_A_TYPE: &str = "not a type";
/// After so many errors no more are reported: what follows would help nobody.
pub const MAX_ERRORS: usize = 100;

/// The program under analysis.
pub struct Ctx<'a> {
    /// Indexed by [`adc_ir::FileId`].
    pub sources: &'a [SourceFile],
    /// Functions, constants, rules, blocks.
    pub items: Items<'a>,
    /// For constants.
    pub math: &'a dyn Elementary<f64>,
    /// Everything reported so far.
    pub diagnostics: RefCell<Vec<Diagnostic>>,
    /// The number of errors, also of those no longer kept.
    pub errors: Cell<usize>,
    /// Where the trees have holes, because something could not be read: what is broken there has been said,
    /// and names that are not found may be in a hole.
    pub holes: Vec<Span>,
    /// What `load(…)` in blocks names, by path; or why it cannot be loaded.
    pub arrays: FxHashMap<String, Result<Datum, String>>,
    /// Where items start, in order.
    pub starts: Vec<(FileId, u32)>,
}

impl<'a> Ctx<'a> {
    /// Reports to the user.
    pub fn report(&self, d: Diagnostic) {
        let error = d.severity == Severity::Error;
        self.errors.set(self.errors.get() + usize::from(error));
        // What is not found may be in a hole.
        let hidden = match d.code {
            Code::UnknownName => true,
            Code::UnknownType => d.labels.iter().any(|l| l.text == NOT_A_TYPE),
            _ => false,
        };
        let silent = (hidden && !self.holes.is_empty()) || self.repeats(&d);
        if !silent && !self.is_full() {
            self.diagnostics.borrow_mut().push(d);
        }
    }

    /// Whether an item has an error already about the same unknown name, or the file one about the same type.
    fn repeats(&self, d: &Diagnostic) -> bool {
        let item = |d: &Diagnostic| {
            let at = d.labels.first().map(|l| (l.span.file, l.span.start));
            at.map(|at| (at.0, self.starts.partition_point(|s| *s <= at)))
        };
        let subject = |d: &Diagnostic| d.message.split('`').nth(1).map(String::from);
        let same = |e: &Diagnostic| e.code == d.code && subject(e) == subject(d);
        match d.code {
            Code::UnknownType => self.diagnostics.borrow().iter().any(same),
            Code::UnknownName => self.diagnostics.borrow().iter().any(|e| same(e) && item(e) == item(d)),
            _ => false,
        }
    }

    /// The number of errors so far: whether it grew says whether a step succeeded.
    pub fn errors(&self) -> usize {
        self.errors.get()
    }

    /// Whether looking further is pointless.
    pub fn is_full(&self) -> bool {
        self.diagnostics.borrow().len() >= 2 * MAX_ERRORS || self.errors() > MAX_ERRORS
    }

    /// Whether something from the start of `span` to the next item could not be read: after an error the
    /// parser may have closed what is open early.
    pub fn damaged(&self, span: Span) -> bool {
        let next = self.starts.partition_point(|s| *s <= (span.file, span.start));
        let end = self.starts.get(next).filter(|s| s.0 == span.file).map_or(u32::MAX, |s| s.1);
        self.holes.iter().any(|h| h.file == span.file && (span.start..end).contains(&h.start))
    }

    /// A piece of source to quote in a help line; `fallback` if it is long or spans lines.
    pub fn quote(&self, span: Span, fallback: &str) -> String {
        let text = self.text(span);
        if text.is_empty() || text.len() > 40 || text.contains('\n') { fallback.into() } else { text.into() }
    }

    /// The source text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        let file = self.sources.get(span.file.0 as usize);
        file.and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }
}
