//! Annotations of a GitHub workflow: a command per message on a line of its own.

use super::{Message, messages};
use crate::cli::Exit;
use crate::cli::check_files::Checked;
use crate::render::line_column;
use adc_ir::Severity;

pub(crate) fn document(checked: &[Checked], exit: Exit) -> String {
    let mut text: String = messages(checked).iter().map(|m| command(m) + "\n").collect();
    if exit == Exit::Interrupted {
        text += "::warning title=adc::the check was interrupted; not every function was checked\n";
    }
    text
}

/// `::error file=loss.dsl,line=4,col=13,title=ADC0301::…`
fn command(m: &Message) -> String {
    let word = match m.diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(file) = m.file() {
        properties.push(format!("file={}", property(&file.name)));
    }
    if let Some(l) = m.primary() {
        let text = &m.files[l.span.file.0 as usize].text;
        let (line, column) = line_column(text, l.span.start);
        let (end_line, end_column) = line_column(text, l.span.end);
        properties.push(format!("line={line},endLine={end_line},col={column},endColumn={end_column}"));
    }
    let about = m.report.map_or(String::new(), |r| format!(" {}", r.name));
    properties.push(format!("title={}", property(&format!("{}{about}", m.diagnostic.code))));
    format!("::{word} {}::{}", properties.join(","), data(&m.text()))
}

/// A message, with the characters escaped that would end it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property's value, likewise.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
