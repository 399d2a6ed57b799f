//! The text report of `adc check`: the answer first, the reason second, the next step third.

mod line;
mod table;
mod totals;

use super::Session;
use super::args::CheckArgs;
use super::check_command::{reproduce, small};
use crate::Diagnostics;
use crate::render::{self, Style};
use crate::report::FileReport;
use adc_checker::{Named, Report, Status};
use adc_ir::{Certainty, Code, Diagnostic, Severity};
use line::Columns;
use serde_json::{Value as Json, json};
use std::fmt::Write;
use table::Tables;
use totals::{Totals, count};

/// Writes the report as its parts become known: the line of a function when those before it are written, the rest about a
/// file after its lines.
pub(crate) struct Printer<'a> {
    page: Page<'a>,
    quiet: bool,
    totals: Totals,
    /// Warnings about files, and how many of them say for certain what to write.
    lints: (usize, usize),
    /// What was printed before the current file and has not been taken, and what of this file has been.
    before: String,
    of_file: String,
    /// The columns of the current file.
    columns: Columns,
    /// Whether its name has been printed.
    named: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(session: &Session, args: &'a CheckArgs) -> Printer<'a> {
        Printer::styled(session.out_style, session.verbose, session.quiet, args)
    }

    pub(crate) fn styled(style: Style, verbose: bool, quiet: bool, args: &'a CheckArgs) -> Printer<'a> {
        Printer {
            page: Page::new(style, verbose, args),
            quiet,
            totals: Totals::default(),
            lints: (0, 0),
            before: String::new(),
            of_file: String::new(),
            columns: Columns::default(),
            named: false,
        }
    }

    /// The text written since the last call.
    pub(crate) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.page.text);
        self.page.begun |= !text.is_empty();
        self.of_file += &text;
        let text = std::mem::take(&mut self.before) + &text;
        if self.page.style.ascii { ascii(&text) } else { text }
    }

    /// Everything printed so far belongs to other files.
    fn begin_file(&mut self) {
        let text = std::mem::take(&mut self.page.text);
        self.page.begun |= !text.is_empty();
        self.before += &text;
        self.of_file.clear();
    }

    pub(crate) fn strict(&self) -> bool {
        self.page.args.strict
    }

    /// The check of the file that has just been closed, to be shown again; `f` has its reports.
    pub(crate) fn kept(&self, f: &FileReport) -> Kept {
        let mut totals = Totals::default();
        f.rows().iter().for_each(|r| totals.add(r, self.page.args.strict));
        let text = format!("{}{}", self.of_file, self.page.text);
        Kept {
            // The blank line before it depends on what comes before.
            text: text.strip_prefix('\n').unwrap_or(&text).to_string(),
            apart: !self.quiet && !f.warnings.is_empty(),
            dense: self.page.dense,
            lints: if self.quiet { (0, 0) } else { lints(f) },
            totals,
        }
    }

    /// A file whose check is known.
    pub(crate) fn again(&mut self, kept: &Kept) {
        self.begin_file();
        if !kept.text.is_empty() && (kept.apart || !self.page.dense) {
            self.page.apart();
        }
        self.page.text += &kept.text;
        self.page.dense = kept.dense;
        self.lints.0 += kept.lints.0;
        self.lints.1 += kept.lints.1;
        self.totals.append(&kept.totals);
    }

    /// A file that cannot be checked.
    pub(crate) fn refused(&mut self, d: &Diagnostics) {
        let page = &mut self.page;
        self.totals.refused += 1;
        page.apart();
        page.text += &d.render(page.style);
        let errors = d.items.iter().filter(|i| i.severity == Severity::Error).count();
        let name = d.files.first().map_or(String::new(), |f| format!(" in {}", f.name));
        let _ = writeln!(page.text, "\n{}{name}; nothing was checked", count(errors, "error"));
        page.dense = false;
    }

    /// A file whose functions will be checked; `f` has no reports yet.
    pub(crate) fn open<'n>(
        &mut self,
        f: &FileReport,
        functions: impl Iterator<Item = (&'n str, Vec<Named>, Vec<Named>)>,
    ) {
        self.begin_file();
        if !self.quiet {
            self.page.warnings(f);
            let (all, certain) = lints(f);
            self.lints.0 += all;
            self.lints.1 += certain;
        }
        self.columns = Columns::of(functions);
        self.named = false;
    }

    /// The next function of the file, at all sizes.
    pub(crate) fn row(&mut self, f: &FileReport, r: &Report) {
        self.totals.add(r, self.page.args.strict);
        if self.is_shown(r) {
            self.name(f);
            let line = self.columns.line(&f.files, r, self.page.verbose);
            let _ = writeln!(self.page.text, "    {}", self.page.colored(r.status, &line));
        }
    }

    /// The end of the file; `f` has its reports.
    pub(crate) fn close(&mut self, f: &FileReport) {
        if f.reports.is_empty() && !self.quiet {
            self.name(f);
            if f.skipped.is_empty() && f.unbound.is_empty() {
                self.page.text +=
                    "    nothing to check: no function has a real or complex parameter and result\n";
            }
        }
        let rows = f.rows();
        let shown: Vec<&Report> = rows.iter().filter(|r| self.is_shown(r)).collect();
        self.page.assumptions(&shown);
        if !self.quiet {
            self.page.left_out(f);
        }
        for r in rows.iter() {
            if self.is_shown(r) && !self.page.leaves_out(r) {
                self.page.details(f, r);
            }
        }
    }

    /// The end of the report. `missing`: if it was interrupted, how many functions and files are not in it.
    pub(crate) fn end(&mut self, missing: Option<(usize, usize)>) {
        // A single file that could not be read has been reported already.
        let said = self.totals.functions == 0 && self.totals.refused == 1;
        if let Some(missing) = missing {
            self.totals.print_interrupted(missing, &mut self.page.text);
        } else if !said && (!self.quiet || self.totals.failed > 0) {
            self.totals.print(&mut self.page.text);
        }
        let (warnings, certain) = self.lints;
        if certain > 0 {
            let _ = writeln!(self.page.text, "{}; `--fix` mends {certain}", count(warnings, "warning"));
        }
    }

    fn is_shown(&self, r: &Report) -> bool {
        !self.quiet || !r.passes(self.page.args.strict)
    }

    /// The name of the file, once.
    fn name(&mut self, f: &FileReport) {
        if !std::mem::replace(&mut self.named, true) {
            if !std::mem::replace(&mut self.page.dense, true) {
                self.page.apart();
            }
            let _ = writeln!(self.page.text, "  {}", f.files.first().map_or("", |f| f.name.as_str()));
        }
    }
}

/// Warnings about a file, and how many of them say for certain what to write.
fn lints(f: &FileReport) -> (usize, usize) {
    let certain = |d: &&Diagnostic| d.suggestions.iter().any(|s| s.certainty == Certainty::Certain);
    (f.warnings.len(), f.warnings.iter().filter(certain).count())
}

/// The printed check of a file that passed.
pub(crate) struct Kept {
    text: String,
    /// Whether a blank line precedes it in any case, and whether the next file may follow without one.
    apart: bool,
    dense: bool,
    lints: (usize, usize),
    totals: Totals,
}

impl Kept {
    pub(super) fn to_json(&self) -> Json {
        json!({
            "text": self.text, "apart": self.apart, "dense": self.dense,
            "lints": [self.lints.0, self.lints.1], "totals": self.totals.to_json(),
        })
    }

    /// `None` if it is none.
    pub(super) fn from_json(doc: &Json) -> Option<Kept> {
        let lint = |k: usize| doc["lints"][k].as_u64().map(|n| n as usize);
        Some(Kept {
            text: doc["text"].as_str()?.to_string(),
            apart: doc["apart"].as_bool()?,
            dense: doc["dense"].as_bool()?,
            lints: (lint(0)?, lint(1)?),
            totals: Totals::from_json(&doc["totals"])?,
        })
    }
}

/// The last line of a report of these functions.
pub(crate) fn totals<'a>(reports: impl Iterator<Item = &'a Report>, strict: bool) -> String {
    let (mut totals, mut text) = (Totals::default(), String::new());
    reports.for_each(|r| totals.add(r, strict));
    totals.print(&mut text);
    text.trim().to_string()
}

/// The text below the line of a function, without colours.
pub(crate) fn plain(f: &FileReport, r: &Report, args: &CheckArgs) -> String {
    let mut page = Page::new(Style::default(), false, args);
    page.details(f, r);
    page.text.trim_start_matches('\n').to_string()
}

struct Page<'a> {
    style: Style,
    verbose: bool,
    args: &'a CheckArgs,
    text: String,
    /// Whether there is text before this.
    begun: bool,
    /// Whether the next file's lines may follow without a blank line.
    dense: bool,
    shown: usize,
}

impl<'a> Page<'a> {
    fn new(style: Style, verbose: bool, args: &'a CheckArgs) -> Page<'a> {
        Page { style, verbose, args, text: String::new(), begun: false, dense: true, shown: 0 }
    }

    /// A blank line, unless at the beginning.
    fn apart(&mut self) {
        if self.begun || !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn warnings(&mut self, f: &FileReport) {
        for w in &f.warnings {
            self.apart();
            self.text += &render::diagnostic(&f.files, w, self.style);
            self.dense = false;
        }
    }

    /// The functions of a file that were not checked.
    fn left_out(&mut self, f: &FileReport) {
        if !f.not_checked.is_empty() {
            let list = f.not_checked.join(", ");
            let _ = writeln!(self.text, "    not checked (reached by no `check` block): {list}");
        }
        for (name, say) in &f.unbound {
            let _ = writeln!(
                self.text,
                "    {name}: not checked: say `{say}` in a `check` block, or --at '{}'",
                say.trim_end_matches(';').replace(" = ", "=").replace("; ", ",")
            );
        }
        if !f.skipped.is_empty() {
            let list: Vec<String> = f.skipped.iter().map(|(name, why)| format!("{name} ({why})")).collect();
            let _ = writeln!(self.text, "    nothing to check in: {}", list.join(", "));
        }
    }

    /// The blocks that state what was assumed.
    fn assumptions(&mut self, shown: &[&Report]) {
        let assumed: Vec<_> = shown.iter().filter_map(|r| r.assumed.as_ref()).collect();
        if !assumed.is_empty() {
            self.text += "    assumed, since normally distributed inputs often give no value; to set these or other inputs, add to the file:\n";
            assumed.iter().for_each(|a| self.text += &format!("      {}\n", a.block));
        }
    }

    /// Whether more failures than requested were shown in full.
    fn leaves_out(&mut self, r: &Report) -> bool {
        if !matches!(r.status, Status::Failed | Status::Error) {
            return false;
        }
        if self.shown == self.args.max_failures {
            self.text += "\nmore failures are not shown; raise --max-failures to see them\n";
        }
        self.shown += 1;
        self.shown > self.args.max_failures
    }

    /// The text below the file's lines: diagnostics and tables.
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
            // A nondeterministic function has no numbers worth showing.
            let random = r.diagnostics.iter().any(|d| d.code == Code::Nondeterministic);
            if random && !self.verbose {
                let _ =
                    writeln!(self.text, "  = reproduce: {}", reproduce(&f.files, r, &p.inputs, self.args));
                return;
            }
            Tables { verbose: self.verbose, convention: self.args.convention }.print(&mut self.text, r, p);
            if !plain {
                let _ =
                    writeln!(self.text, "\n  = reproduce: {}", reproduce(&f.files, r, &p.inputs, self.args));
            }
            if let Some(small) = small(&f.files, r, self.args) {
                let _ = writeln!(self.text, "  = minimal: {small}");
            }
        }
    }

    fn colored(&self, status: Status, line: &str) -> String {
        let code = match status {
            _ if !self.style.color => return line.to_string(),
            Status::Ok | Status::Kink => "32",
            Status::Warned | Status::Unsure | Status::Interrupted => "33",
            Status::Failed | Status::Error => "1;31",
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

/// Two significant digits; subnormal numbers are shown as 0.
fn short(x: f64) -> String {
    let x = if x.is_subnormal() { 0.0 } else { x };
    if x == 0.0 || !x.is_finite() { crate::cli::point::real_text(x) } else { format!("{x:.1e}") }
}

/// Two significant digits, an error over its tolerance: powers of ten if it is far from 1.
fn ratio(x: f64) -> String {
    match x {
        x if !(0.01..99.5).contains(&x) => short(x),
        x if x >= 9.95 => format!("{x:.0}"),
        x if x >= 0.995 => format!("{x:.1}"),
        x if x >= 0.0995 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}
