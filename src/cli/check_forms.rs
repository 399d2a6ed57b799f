//! Reports of `adc check` in the forms of other tools: one file each.

mod github;
mod junit;
mod sarif;

pub(super) use github::document as github;
pub(super) use junit::document as junit;
pub(super) use sarif::document as sarif;

use super::check_files::Checked;
use crate::SourceFile;
use adc_checker::Report;
use adc_ir::{Diagnostic, Label};

/// A message of a check, with its report.
struct Message<'a> {
    files: &'a [SourceFile],
    /// The function's report; `None` for a message about the file.
    report: Option<&'a Report>,
    diagnostic: &'a Diagnostic,
}

impl<'a> Message<'a> {
    /// The file it is attributed to if no label names another.
    fn file(&self) -> Option<&'a SourceFile> {
        let files = self.files;
        self.primary().and_then(|l| files.get(l.span.file.0 as usize)).or(files.first())
    }

    /// The place to blame.
    fn primary(&self) -> Option<&'a Label> {
        let known = |l: &&Label| (l.span.file.0 as usize) < self.files.len();
        self.diagnostic.labels.iter().filter(|l| l.primary).find(known)
    }

    /// Message, label, notes and help: one line each.
    fn text(&self) -> String {
        let d = self.diagnostic;
        let label = self.primary().map(|l| l.text.clone()).filter(|t| !t.is_empty());
        let help = d.help.iter().map(|h| format!("help: {h}"));
        let rest = label.into_iter().chain(d.notes.iter().cloned()).chain(help);
        std::iter::once(d.message.clone()).chain(rest).collect::<Vec<_>>().join("\n")
    }
}

/// Every message, in the order of the text report.
fn messages(checked: &[Checked]) -> Vec<Message<'_>> {
    let mut out = Vec::new();
    for file in checked {
        match file {
            Checked::Refused(d) => {
                let files = &d.files[..];
                out.extend(d.items.iter().map(|diagnostic| Message { files, report: None, diagnostic }));
            }
            Checked::Done(f) => {
                let files = &f.files[..];
                out.extend(f.warnings.iter().map(|diagnostic| Message { files, report: None, diagnostic }));
                for sizes in f.reports.chunk_by(|_, next| next.further) {
                    for (k, r) in sizes.iter().enumerate() {
                        let of = |diagnostic| Message { files, report: Some(r), diagnostic };
                        let told = |d: &&Diagnostic| sizes[..k].iter().any(|r| r.tells(d));
                        out.extend(r.diagnostics.iter().filter(|d| !told(d)).map(of));
                    }
                }
            }
        }
    }
    out
}
