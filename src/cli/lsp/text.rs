//! Open documents: their text, positions in it, changes. Positions count UTF-16 code units, as every client understands.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// A text with the starts of its lines.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    /// Where lines start: behind `\n`, `\r\n` or a lone `\r`.
    starts: Vec<usize>,
}

impl Text {
    pub(super) fn new(text: String) -> Text {
        let bytes = text.as_bytes();
        let ends = |i: usize| match bytes[i] {
            b'\n' => true,
            b'\r' => bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(|i| ends(*i)).map(|i| i + 1)).collect();
        Text { text, starts }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte of a position; one outside of the text is the nearest inside.
    pub(super) fn offset(&self, at: Position) -> usize {
        let Some(start) = self.starts.get(at.line as usize).copied() else { return self.text.len() };
        let end = self.starts.get(at.line as usize + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (i, c) in line.char_indices() {
            units += c.len_utf16() as u32;
            if units > at.character {
                return start + i;
            }
        }
        start + line.len()
    }

    /// The position of a byte.
    pub(super) fn position(&self, at: usize) -> Position {
        let at = self.text.floor_char_boundary(at);
        let line = self.starts.partition_point(|s| *s <= at) - 1;
        let units = self.text[self.starts[line]..at].chars().map(|c| c.len_utf16() as u32).sum();
        Position::new(line as u32, units)
    }

    /// The range of two bytes.
    pub(super) fn range(&self, start: u32, end: u32) -> Range {
        Range::new(self.position(start as usize), self.position(end as usize))
    }

    /// All of it.
    pub(super) fn whole(&self) -> Range {
        self.range(0, self.text.len() as u32)
    }

    /// Makes one change: of a range, or of the whole text.
    pub(super) fn change(&mut self, change: TextDocumentContentChangeEvent) {
        let text = match change.range {
            None => change.text,
            Some(range) => {
                let (start, end) = (self.offset(range.start), self.offset(range.end));
                let mut text = std::mem::take(&mut self.text);
                text.replace_range(start..end.max(start), &change.text);
                text
            }
        };
        *self = Text::new(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16() {
        let text = Text::new("α𝔸b\r\nx\ry\n".to_string());
        for (line, character, byte) in
            [(0, 0, 0), (0, 1, 2), (0, 3, 6), (0, 4, 7), (1, 0, 9), (1, 1, 10), (2, 0, 11), (3, 0, 13)]
        {
            let at = Position::new(line, character);
            assert_eq!(text.offset(at), byte, "{at:?}");
            assert_eq!(text.position(byte), at, "{byte}");
        }
        // Inside of a surrogate pair, behind a line, behind the text.
        assert_eq!(text.offset(Position::new(0, 2)), 2);
        assert_eq!(text.offset(Position::new(0, 99)), 7);
        assert_eq!(text.offset(Position::new(9, 0)), 13);
    }

    #[test]
    fn changes_of_ranges() {
        let mut text = Text::new("let α = 1;\nα".to_string());
        let range = Some(Range::new(Position::new(0, 4), Position::new(0, 5)));
        text.change(TextDocumentContentChangeEvent { range, range_length: None, text: "beta".into() });
        assert_eq!(text.as_str(), "let beta = 1;\nα");
        text.change(TextDocumentContentChangeEvent { range: None, range_length: None, text: "x".into() });
        assert_eq!(text.as_str(), "x");
    }
}
