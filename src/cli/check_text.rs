//! The text report of `adc check`: the answer first, the reason second, the next step third.

mod line;
mod table;
mod totals;

use super::args::CheckArgs;
use super::check::{Checked, reproduce, small};
use super::{Session, Stop};
use crate::render::{self, Style};
use crate::report::FileReport;
use adc_checker::{Report, Status};
use adc_ir::{Code, Severity};
use line::Lines;
use std::fmt::Write;
use table::Tables;
use totals::{Totals, count};

/// Prints the whole report to standard output.
pub(crate) fn print(session: &mut Session, checked: &[Checked], args: &CheckArgs) -> Result<(), Stop> {
    let mut page = Page {
        style: session.out_style,
        verbose: session.verbose,
        args,
        text: String::new(),
        dense: true,
        shown: 0,
    };
    let mut totals = Totals::default();
    for file in checked {
        match file {
            Checked::Refused(d) => {
                totals.refused += 1;
                page.apart();
                page.text += &d.render(page.style);
                let errors = d.items.iter().filter(|i| i.severity == Severity::Error).count();
                let name = d.files.first().map_or(String::new(), |f| format!(" in {}", f.name));
                let _ = writeln!(page.text, "\n{}{name}; nothing was checked", count(errors, "error"));
                page.dense = false;
            }
            Checked::Done(f) => page.file(f, session.quiet, &mut totals),
        }
    }
    // The one file that could not be read has said so itself.
    let said = totals.functions == 0 && totals.refused == 1;
    if !said && (!session.quiet || totals.failed > 0) {
        totals.print(&mut page.text);
    }
    let text = if page.style.ascii { ascii(&page.text) } else { page.text };
    session.io.out.write_all(text.as_bytes())?;
    Ok(())
}

/// The last line of a report of these functions.
pub(crate) fn totals<'a>(reports: impl Iterator<Item = &'a Report>, strict: bool) -> String {
    let (mut totals, mut text) = (Totals::default(), String::new());
    reports.for_each(|r| totals.add(r, strict));
    totals.print(&mut text);
    text.trim().to_string()
}

/// What stands below the line of a function, without colours.
pub(crate) fn plain(f: &FileReport, r: &Report, args: &CheckArgs) -> String {
    let (style, text) = (Style::default(), String::new());
    let mut page = Page { style, verbose: false, args, text, dense: true, shown: 0 };
    page.details(f, r);
    page.text.trim_start_matches('\n').to_string()
}

struct Page<'a> {
    style: Style,
    verbose: bool,
    args: &'a CheckArgs,
    text: String,
    /// Whether the next file's lines may follow without a blank line.
    dense: bool,
    shown: usize,
}

impl Page<'_> {
    /// A blank line, unless there is nothing to stand apart from.
    fn apart(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn file(&mut self, f: &FileReport, quiet: bool, totals: &mut Totals) {
        for w in &f.warnings {
            if !quiet {
                self.apart();
                self.text += &render::diagnostic(&f.files, w, self.style);
                self.dense = false;
            }
        }
        let name = f.files.first().map_or("", |f| f.name.as_str());
        let loud = |r: &Report| !quiet || !r.passes(self.args.strict);
        let rows = f.rows();
        let shown: Vec<&Report> = rows.iter().filter(|r| loud(r)).collect();
        rows.iter().for_each(|r| totals.add(r, self.args.strict));
        if !shown.is_empty() || (f.reports.is_empty() && !quiet) {
            if !std::mem::replace(&mut self.dense, true) {
                self.apart();
            }
            let _ = writeln!(self.text, "  {name}");
        }
        if f.reports.is_empty() && f.skipped.is_empty() && !quiet {
            self.text += "    nothing to check: no function with a real or complex parameter and result\n";
        }
        let lines = Lines::new(&f.files, &shown, self.verbose);
        for r in &shown {
            let _ = writeln!(self.text, "    {}", self.colored(r.status, &lines.line(r)));
        }
        self.assumptions(&shown);
        if !f.not_checked.is_empty() && !quiet {
            let _ = writeln!(
                self.text,
                "    not checked (no `check` block reaches it): {}",
                f.not_checked.join(", ")
            );
        }
        if !f.skipped.is_empty() && !quiet {
            let list: Vec<String> = f.skipped.iter().map(|(name, why)| format!("{name} ({why})")).collect();
            let _ = writeln!(self.text, "    nothing to check in: {}", list.join(", "));
        }
        for r in &shown {
            if !self.leaves_out(r) {
                self.details(f, r);
            }
        }
    }

    /// The blocks that say what was assumed.
    fn assumptions(&mut self, shown: &[&Report]) {
        let assumed: Vec<_> = shown.iter().filter_map(|r| r.assumed.as_ref()).collect();
        if !assumed.is_empty() {
            self.text += "    assumed, since normal inputs often give no value; to say so, or something else, in the file:\n";
            assumed.iter().for_each(|a| self.text += &format!("      {}\n", a.block));
        }
    }

    /// Whether more failures were shown in full than were asked for.
    fn leaves_out(&mut self, r: &Report) -> bool {
        if !matches!(r.status, Status::Failed | Status::Error) {
            return false;
        }
        if self.shown == self.args.max_failures {
            self.text += "\nmore failures are left out; --max-failures shows more\n";
        }
        self.shown += 1;
        self.shown > self.args.max_failures
    }

    /// What stands below the file's lines: diagnostics and tables.
    fn details(&mut self, f: &FileReport, r: &Report) {
        let plain = matches!(r.status, Status::Ok | Status::Kink);
        if plain && !self.verbose {
            return;
        }
        self.dense = false;
        for d in r.diagnostics.iter().filter(|d| self.verbose || d.severity != Severity::Note) {
            self.text.push('\n');
            self.text += &render::diagnostic(&f.files, d, self.style);
        }
        if let Some(p) = &r.worst {
            self.text.push('\n');
            // What is not deterministic has no numbers worth showing.
            let random = r.diagnostics.iter().any(|d| d.code == Code::Nondeterministic);
            if random && !self.verbose {
                let _ = writeln!(self.text, "  = again: {}", reproduce(&f.files, r, &p.inputs, self.args));
                return;
            }
            Tables { verbose: self.verbose, convention: self.args.convention }.print(&mut self.text, r, p);
            if !plain {
                let _ = writeln!(self.text, "\n  = again: {}", reproduce(&f.files, r, &p.inputs, self.args));
            }
            if let Some(small) = small(&f.files, r, self.args) {
                let _ = writeln!(self.text, "  = small: {small}");
            }
        }
    }

    fn colored(&self, status: Status, line: &str) -> String {
        let code = match status {
            _ if !self.style.color => return line.to_string(),
            Status::Ok | Status::Kink => "32",
            Status::Warned | Status::Unsure => "33",
            _ => "1;31",
        };
        let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
        format!("\u{1b}[{code}m{word}\u{1b}[0m{rest}")
    }
}

/// For terminals that cannot show mathematics.
pub(crate) fn ascii(text: &str) -> String {
    const SIGNS: [(char, &str); 7] =
        [('∂', "d"), ('ᵀ', "^T"), ('→', "->"), ('±', "+-"), ('⟨', "<"), ('⟩', ">"), ('·', " ")];
    SIGNS.iter().fold(text.to_string(), |text, (sign, words)| text.replace(*sign, words))
}

/// Two significant digits; what is below every normal number is nothing to a reader.
fn short(x: f64) -> String {
    let x = if x.is_subnormal() { 0.0 } else { x };
    if x == 0.0 || !x.is_finite() { crate::point::real_text(x) } else { format!("{x:.1e}") }
}

/// Two significant digits, an error over its tolerance: powers of ten where it is far from 1.
fn ratio(x: f64) -> String {
    match x {
        x if !(0.01..99.5).contains(&x) => short(x),
        x if x >= 9.95 => format!("{x:.0}"),
        x if x >= 0.995 => format!("{x:.1}"),
        x if x >= 0.0995 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}
