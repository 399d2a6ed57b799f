//! Source spans and diagnostics as data. Nothing here renders: the root package turns a
//! [`Diagnostic`] into text or JSON.

use std::fmt;

/// A source file of one compilation, an index into the table the front end returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open byte range `start..end` of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of what no source text stands for (generated programs built by hand).
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == Span::NONE.file
    }

    /// The smallest span that covers both; the other one if one is [`Span::NONE`].
    pub fn to(self, other: Span) -> Span {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (_, true) => self,
            _ => Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) },
        }
    }
}

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The request cannot be carried out, or the answer is no.
    Error,
    /// Worth knowing; nothing stops.
    Warning,
    /// Additional information.
    Note,
}

/// A span with the words that stand beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is marked.
    pub span: Span,
    /// What is said of it; may be empty.
    pub text: String,
    /// Whether this is the place the diagnostic is about (`^^^`) or a related one (`---`).
    pub primary: bool,
}

/// How sure it is that a [`Suggestion`] is what the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// It may be applied unseen: what the program means stays as it is, up to rounding, or the text has one reading only.
    Certain,
    /// Somebody has to look: a guess at a name, say. Editors offer it; nothing applies it by itself.
    Likely,
}

/// Text that takes the place of a range of the source; an empty range inserts, an empty text removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// `text` after `edits`, or `None` if two of them overlap or one does not fit the text. Edits that are there twice (of two
/// suggestions for one cause) are made once.
pub fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|e| (e.span.start, e.span.end));
    edits.dedup();
    let (mut out, mut at) = (String::new(), 0);
    for e in edits {
        let (start, end) = (e.span.start as usize, e.span.end as usize);
        out += text.get(at..start)?;
        text.get(start..end)?;
        out += &e.text;
        at = end;
    }
    Some(out + text.get(at..)?)
}

/// A change of the source that answers a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What it does, in the imperative: the words of an editor's menu.
    pub title: String,
    /// All of them, or none; they do not overlap: see [`edited`].
    pub edits: Vec<Edit>,
    /// Whether it may be applied unseen.
    pub certainty: Certainty,
}

/// One message to the user: a code of [`crate::codes::Code`], what happened, where, and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The entry of the code table.
    pub code: crate::Code,
    /// How serious it is.
    pub severity: Severity,
    /// Lower case, names things as the user wrote them, no full stop.
    pub message: String,
    /// Marked places, the primary one first.
    pub labels: Vec<Label>,
    /// Further facts (`= note:`).
    pub notes: Vec<String>,
    /// Next steps (`= help:`).
    pub help: Vec<String>,
    /// Next steps that a program can take, the best one first; a label or a line of help says the same in words.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// An error of `code` at `span`; the label beside the span is added by [`Self::label`].
    pub fn error(code: crate::Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            suggestions: Vec::new(),
        }
    }

    /// A warning of `code`.
    pub fn warning(code: crate::Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// A note of `code`.
    pub fn note_only(code: crate::Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(code, message) }
    }

    /// Adds the primary label.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.insert(0, Label { span, text: text.into(), primary: true });
        self
    }

    /// Adds a secondary label.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds a `= note:` line.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a `= help:` line.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Adds the suggestion to write `text` in place of `span`.
    pub fn replace(self, span: Span, text: impl Into<String>, certainty: Certainty) -> Diagnostic {
        let text = text.into();
        let title = match (text.is_empty(), span.start == span.end) {
            (true, _) => "remove this".to_string(),
            (false, true) => format!("insert `{}`", text.trim()),
            (false, false) => format!("write `{text}`"),
        };
        self.suggest(title, vec![Edit { span, text }], certainty)
    }

    /// Labels `span` with a guess at what was meant, and suggests it.
    pub fn meant(self, span: Span, name: &str) -> Diagnostic {
        self.label(span, format!("did you mean `{name}`?")).replace(span, name, Certainty::Likely)
    }

    /// Adds a suggestion. One without edits, or in no file, is left out.
    pub fn suggest(mut self, title: impl Into<String>, edits: Vec<Edit>, certainty: Certainty) -> Diagnostic {
        if !edits.is_empty() && edits.iter().all(|e| !e.span.is_none()) {
            self.suggestions.push(Suggestion { title: title.into(), edits, certainty });
        }
        self
    }

    /// The primary span, or [`Span::NONE`] if there is none.
    pub fn span(&self) -> Span {
        self.labels.iter().find(|l| l.primary).map_or(Span::NONE, |l| l.span)
    }
}

/// Several diagnostics, in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// Adds one.
    pub fn push(&mut self, d: Diagnostic) {
        self.0.push(d);
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Diagnostics {
        Diagnostics(vec![d])
    }
}

/// One line per diagnostic, `ADC0201: message`; the root's renderer gives the full form with source.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{}: {}", d.code, d.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
