//! Standard output in whole lines, for a reader who may leave.

use std::io::{ErrorKind, Result, Write};

/// Passes on whole lines, each in one write: a run that is killed leaves no half of one. When the reader of a pipe is gone, the
/// rest is dropped, without an error, as the exit code of a command does not depend on who reads what it prints.
pub(super) struct Lines<'a> {
    to: &'a mut dyn Write,
    /// The line so far.
    held: Vec<u8>,
    gone: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Lines<'a> {
        Lines { to, held: Vec::new(), gone: false }
    }

    fn pass(&mut self, bytes: usize) -> Result<()> {
        let text: Vec<u8> = self.held.drain(..bytes).collect();
        if self.gone {
            return Ok(());
        }
        match self.to.write_all(&text).and_then(|()| self.to.flush()) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(())
            }
            written => written,
        }
    }
}

impl Write for Lines<'_> {
    fn write(&mut self, text: &[u8]) -> Result<usize> {
        self.held.extend_from_slice(text);
        if let Some(end) = text.iter().rposition(|b| *b == b'\n') {
            self.pass(self.held.len() - text.len() + end + 1)?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.pass(self.held.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every write as one entry; a broken pipe from the second one on.
    struct Pipe(Vec<String>);

    impl Write for Pipe {
        fn write(&mut self, text: &[u8]) -> Result<usize> {
            if self.0.len() == 2 {
                return Err(ErrorKind::BrokenPipe.into());
            }
            self.0.push(String::from_utf8_lossy(text).into_owned());
            Ok(text.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_arrive_whole_until_the_reader_is_gone() {
        let mut pipe = Pipe(Vec::new());
        let mut lines = Lines::new(&mut pipe);
        for text in ["a", "b\nc\nd", "e", "\n", "lost\n", "lost\n"] {
            lines.write_all(text.as_bytes()).expect("no error");
        }
        lines.flush().expect("no error");
        assert_eq!(pipe.0, ["ab\nc\n", "de\n"]);
    }
}
