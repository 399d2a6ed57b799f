//! Renders diagnostics as text, with the source lines they mark.

use crate::SourceFile;
use adc_ir::{Diagnostic, Severity, Span};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;

/// Number of diagnostics that are printed of a file: few readers want more.
const SHOWN: usize = 100;

/// How text output looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Only ASCII characters.
    pub ascii: bool,
}

/// Diagnostics together with the sources their spans point into. `Display` renders them in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// The sources, indexed by [`adc_ir::FileId`].
    pub files: Vec<SourceFile>,
    /// The messages.
    pub items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// One diagnostic that points into `files`.
    pub fn new(files: &[SourceFile], item: Diagnostic) -> Diagnostics {
        Diagnostics { files: files.to_vec(), items: vec![item] }
    }

    /// Every message with its source, separated by blank lines.
    pub fn render(&self, style: Style) -> String {
        let shown = self.items.iter().take(SHOWN).map(|d| diagnostic(&self.files, d, style));
        let mut text = shown.collect::<Vec<_>>().join("\n");
        if let Some(more) = self.items.len().checked_sub(SHOWN).filter(|n| *n > 0) {
            let (messages, are) = if more == 1 { ("message", "is") } else { ("messages", "are") };
            text += &format!("\n{more} more {messages} {are} not shown; fix these first\n");
        }
        text
    }

    /// The diagnostics as the JSON of `--format json`.
    #[cfg(feature = "cli")]
    pub fn to_json(&self) -> serde_json::Value {
        self.items.iter().map(|d| crate::json::diagnostic(&self.files, d)).collect()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(Style::default()).trim_end())
    }
}

impl std::error::Error for Diagnostics {}

/// One diagnostic: title line, source with labels, notes, help. Ends with a newline.
pub fn diagnostic(files: &[SourceFile], d: &Diagnostic, style: Style) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let code = d.code.to_string();
    let mut group = level.primary_title(d.message.as_str()).id(code).elements(snippets(files, d));
    group = footers(group, d);
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
    text.push('\n');
    text
}

/// One snippet per file, the primary label's file first.
fn snippets<'a>(
    files: &'a [SourceFile],
    d: &'a Diagnostic,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut order: Vec<u32> = Vec::new();
    for label in &d.labels {
        let file = label.span.file.0;
        if (file as usize) < files.len() && !order.contains(&file) {
            order.push(file);
        }
    }
    order
        .into_iter()
        .map(|file| {
            let source = &files[file as usize];
            let labels = d.labels.iter().filter(|l| l.span.file.0 == file).map(|l| {
                let kind = if l.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let annotation = kind.span(range(&source.text, l.span));
                if l.text.is_empty() { annotation } else { annotation.label(l.text.as_str()) }
            });
            Snippet::source(source.text.as_str()).path(source.name.as_str()).annotations(labels)
        })
        .collect()
}

fn footers<'a>(mut group: Group<'a>, d: &'a Diagnostic) -> Group<'a> {
    for note in &d.notes {
        group = group.element(Level::NOTE.no_name().message(note.as_str()));
    }
    for help in &d.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

/// The span as a range of `text`, cut to its length and widened to character boundaries.
fn range(text: &str, span: Span) -> std::ops::Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// ` at model.dsl:3:14`; empty for a span in no file.
#[cfg(feature = "cli")]
pub(crate) fn place(files: &[SourceFile], span: Span) -> String {
    let Some(file) = files.get(span.file.0 as usize) else { return String::new() };
    let (line, column) = line_column(&file.text, span.start);
    format!(" at {}:{line}:{column}", file.name)
}

/// 1-based line and column of a byte offset, the column counted in Unicode scalar values.
#[cfg(any(feature = "cli", feature = "build"))]
pub(crate) fn line_column(text: &str, offset: u32) -> (usize, usize) {
    let before = &text[..range(text, Span { start: offset, end: offset, ..Span::NONE }).start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}
