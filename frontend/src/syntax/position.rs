//! Bytes to lines and columns.

use adc_ir::Span;

/// The lines of a text.
pub struct Positions<'a> {
    text: &'a str,
    starts: Vec<usize>,
    ascii: bool,
}

impl<'a> Positions<'a> {
    /// Reads `text` once.
    pub fn new(text: &'a str) -> Positions<'a> {
        let ends = text.match_indices('\n').map(|(i, _)| i + 1);
        Positions { text, starts: std::iter::once(0).chain(ends).collect(), ascii: text.is_ascii() }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn at(&self, byte: usize) -> (usize, usize) {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.starts.partition_point(|&s| s <= byte);
        let before = &self.text[self.starts[line - 1]..byte];
        (line, 1 + if self.ascii { before.len() } else { before.chars().count() })
    }

    /// `line:column-line:column`, the end exclusive.
    pub fn range(&self, span: Span) -> String {
        let (a, b) = (self.at(span.start as usize), self.at(span.end as usize));
        format!("{}:{}-{}:{}", a.0, a.1, b.0, b.1)
    }
}
