//! The text report of `adc check`: the answer first, the reason second, the next step third.

use super::args::CheckArgs;
use super::check::{Checked, reproduce};
use super::{Session, Stop, padded};
use crate::point::{brief, real_text, text};
use crate::render::{self, Style};
use crate::report::FileReport;
use adc_checker::{Entry, Named, Order, Part, PointReport, Probe, Report, Status, Verdict, index_text};
use adc_ir::{Mode, Severity};
use num_complex::Complex64;
use std::fmt::Write;

/// Entries of a table, and of an array in one line, that are shown without `--verbose`.
const ENTRIES_SHOWN: usize = 24;

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

#[derive(Default)]
struct Totals {
    functions: usize,
    failed: usize,
    errors: usize,
    refused: usize,
    points: usize,
    compared: usize,
    untestable: usize,
    unchecked: usize,
    expected: usize,
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
        let loud = |r: &Report| !quiet || r.status != Status::Ok;
        if f.reports.iter().any(loud) || (f.reports.is_empty() && !quiet) {
            if !std::mem::replace(&mut self.dense, true) {
                self.apart();
            }
            let _ = writeln!(self.text, "  {name}");
        }
        if f.reports.is_empty() && f.skipped.is_empty() && !quiet {
            self.text += "    nothing to check: no function with a real or complex parameter and result\n";
        }
        let width = |column: fn(&Report) -> String| {
            f.reports.iter().map(|r| column(r).chars().count()).max().unwrap_or(0)
        };
        let (names, signatures) = (width(|r| r.name.clone()), width(signature));
        for r in &f.reports {
            totals.add(r);
            if loud(r) {
                let line = line(r, names, signatures);
                let _ = writeln!(self.text, "    {}", self.colored(r.status, &line));
            }
        }
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
        for r in &f.reports {
            self.details(f, r);
        }
    }

    /// What stands below the file's lines: diagnostics and tables.
    fn details(&mut self, f: &FileReport, r: &Report) {
        let failed = r.status != Status::Ok;
        if failed {
            if self.shown == self.args.max_failures {
                self.text += "\nmore failures are left out; --max-failures shows more\n";
            }
            self.shown += 1;
            if self.shown > self.args.max_failures {
                return;
            }
        }
        if !failed && !self.verbose {
            return;
        }
        self.dense = false;
        for d in &r.diagnostics {
            self.text.push('\n');
            self.text += &render::diagnostic(&f.files, d, self.style);
        }
        if let Some(p) = &r.worst {
            self.text.push('\n');
            self.table(r, p);
            if failed {
                let _ = writeln!(self.text, "\n  = again: {}", reproduce(&f.files, r, p, self.args));
            }
        }
    }

    /// The entries and probes at one point.
    fn table(&mut self, r: &Report, p: &PointReport) {
        let at: Vec<String> = (r.inputs.iter().zip(&p.inputs))
            .map(|(n, v)| format!("{}={}", n.name, brief(&v.clone().into())))
            .collect();
        let at = at.join(", ");
        let values: Vec<String> = p.value.iter().map(|v| brief(&v.clone().into())).collect();
        let _ = writeln!(self.text, "    {} at {at}        value {}", r.name, values.join(", "));
        let has_complex = r.inputs.iter().chain(&r.outputs).any(|p| p.ty.scalar().is_complex());
        let first = match has_complex {
            true => &*format!(
                "Jacobian in real coordinates; cotangent convention {}",
                self.args.convention.symbols()
            ),
            false => "Jacobian",
        };
        for (order, title) in [
            (Order::First, first),
            (Order::Second, "second derivatives: F(x, v) = vᵀJ with respect to x and v"),
        ] {
            let all: Vec<&Entry> = p.entries.iter().filter(|e| e.order == order).collect();
            let entries = self.telling(&all);
            let probes: Vec<&Probe> = p.probes.iter().filter(|e| e.order == order).collect();
            if entries.is_empty() && probes.is_empty() {
                continue;
            }
            let mut rows = vec![["", "jvp", "vjp", "fd", "|ad-fd|", "err/tol", ""].map(str::to_string)];
            for e in &entries {
                let with_output = r.names_outputs() || order == Order::Second;
                rows.push([
                    e.name(with_output),
                    optional(e.jvp),
                    optional(e.vjp),
                    optional(e.fd),
                    short(e.abs_err),
                    short(e.ratio),
                    verdict(e.status, e.testable),
                ]);
            }
            for q in &probes {
                let name = format!("{}: {}", q.mode.name(), direction(q));
                let (jvp, vjp) = match q.mode {
                    Mode::Forward => (complex(q.derivative), String::new()),
                    Mode::Slow | Mode::Fast | Mode::Gradgrad => (String::new(), complex(q.derivative)),
                };
                rows.push([
                    name,
                    jvp,
                    vjp,
                    complex(q.fd),
                    short(q.abs_err),
                    short(q.ratio),
                    verdict(q.status, true),
                ]);
            }
            let _ = writeln!(self.text, "    {title}");
            align(&mut self.text, &mut rows);
            if entries.len() < all.len() {
                let _ = writeln!(self.text, "    ({} more entries: --verbose)", all.len() - entries.len());
            }
            if entries.iter().any(|e| e.output_part != Part::Whole || e.input_part != Part::Whole) {
                self.text += "    (the parts of a complex number are compared together: error and tolerance are those of the whole)\n";
            }
        }
        let shown = if self.verbose { p.wirtinger.len() } else { ENTRIES_SHOWN };
        for w in p.wirtinger.iter().take(shown) {
            let form = if w.holomorphic { "holomorphic here" } else { "not holomorphic" };
            let of = |z| text(adc_ir::Const::C128(z));
            let _ = writeln!(
                self.text,
                "    ∂{0}/∂{1} = {2}   ∂{0}/∂{1}* = {3}   ({form})",
                format_args!("{}{}", w.output, index_text(&w.output_index)),
                format_args!("{}{}", w.input, index_text(&w.input_index)),
                of(w.w),
                of(w.cw)
            );
        }
    }

    /// Of many entries those that say most, in order.
    fn telling<'e>(&self, all: &[&'e Entry]) -> Vec<&'e Entry> {
        let mut order: Vec<usize> = (0..all.len()).collect();
        if all.len() > ENTRIES_SHOWN && !self.verbose {
            let ratio = |i: usize| if all[i].ratio.is_nan() { 0.0 } else { all[i].ratio };
            order.sort_by(|&i, &j| all[j].status.cmp(&all[i].status).then(ratio(j).total_cmp(&ratio(i))));
            order.truncate(ENTRIES_SHOWN);
            order.sort_unstable();
        }
        order.into_iter().map(|i| all[i]).collect()
    }

    fn colored(&self, status: Status, line: &str) -> String {
        let code = match status {
            _ if !self.style.color => return line.to_string(),
            Status::Ok => "32",
            _ => "1;31",
        };
        let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
        format!("\u{1b}[{code}m{word}\u{1b}[0m{rest}")
    }
}

/// `ok    amplitude   (f64, f64) -> f64    16 points   worst err/tol 6.7e-7  at ∂/∂p`
fn line(r: &Report, names: usize, signatures: usize) -> String {
    let word = match r.status {
        Status::Ok => "ok",
        Status::Kink => "kink",
        Status::Warned => "warn",
        Status::Unsure => "unsure",
        Status::Failed => "FAIL",
        _ => "error",
    };
    let mut line = format!("{word:<5} {}   {}   ", padded(&r.name, names), padded(&signature(r), signatures));
    if r.status != Status::Error {
        let _ = write!(
            line,
            "{:>2} {:<6}",
            r.counts.points,
            if r.counts.points == 1 { "point" } else { "points" }
        );
        if !r.worst_entry.is_empty() {
            let _ = write!(line, "   worst err/tol {}  at {}", short(r.worst_ratio), r.worst_entry);
        }
    }
    if let Some(expected) = r.expected {
        let _ = write!(
            line,
            "   expect {}: {}",
            expected.name(),
            if r.status == Status::Ok { "met" } else { "not met" }
        );
    }
    if r.counts.rejected > 0 {
        let _ = write!(line, "   {} not finite or in error", count(r.counts.rejected, "point"));
    }
    if !r.trusted.is_empty() {
        let _ = write!(line, "   trusted, not compared: {}", r.trusted.join(", "));
    }
    line.trim_end().to_string()
}

/// Types of inputs and outputs; of many, the first.
fn signature(r: &Report) -> String {
    const SHOWN: usize = 8;
    let list = |ports: &[Named]| {
        let mut types: Vec<_> = ports.iter().take(SHOWN).map(Named::to_string).collect();
        if ports.len() > SHOWN {
            types.push(format!("{} more", ports.len() - SHOWN));
        }
        types.join(", ")
    };
    match &r.outputs[..] {
        [one] => format!("({}) -> {}", list(&r.inputs), one),
        many => format!("({}) -> ({})", list(&r.inputs), list(many)),
    }
}

impl Totals {
    fn add(&mut self, r: &Report) {
        self.functions += 1;
        self.failed += usize::from(r.status == Status::Failed);
        self.errors += usize::from(r.status == Status::Error);
        self.points += r.counts.points;
        self.compared += r.counts.compared;
        self.untestable += r.counts.untestable;
        self.unchecked += r.counts.unchecked;
        self.expected += usize::from(r.expected.is_some());
    }

    fn print(&self, out: &mut String) {
        let mut line = match self.functions {
            0 => String::new(),
            n => format!(
                "{}, {}, {}: ",
                count(n, "function"),
                count(self.points, "point"),
                count(self.compared, "comparison")
            ),
        };
        let bad = self.failed + self.errors;
        let _ = match (bad, self.functions) {
            (0, 0) => write!(line, "nothing was checked"),
            (0, _) if self.expected > 0 => write!(line, "all as expected"),
            (0, _) => write!(line, "all agree"),
            _ => write!(line, "{bad} FAILED"),
        };
        if self.refused > 0 {
            let _ = write!(line, "; {} could not be checked", count(self.refused, "file"));
        }
        let _ = writeln!(out, "\n{line}");
        if self.untestable > 0 {
            let _ = writeln!(
                out,
                "{} smaller than 100 atol: these tolerances cannot really test them",
                plural(self.untestable, "entry is", "entries are")
            );
        }
        if self.unchecked > 0 {
            let _ = writeln!(
                out,
                "{} no difference: a displaced point has no value",
                plural(self.unchecked, "entry has", "entries have")
            );
        }
    }
}

fn count(n: usize, what: &str) -> String {
    plural(n, what, &format!("{what}s"))
}

fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn verdict(status: Verdict, testable: bool) -> String {
    let info = status.info();
    match status {
        Verdict::Ok if testable => info.shown.to_string(),
        Verdict::Ok => "ok (too small to test)".to_string(),
        _ if info.word == info.shown => info.shown.to_string(),
        _ => format!("{} ({})", info.shown, info.word),
    }
}

fn optional(x: Option<f64>) -> String {
    x.map_or("-".to_string(), number)
}

/// Ten decimals where they say something, else scientific.
fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_string(),
        a if !a.is_finite() => real_text(x),
        a if (1e-4..1e7).contains(&a) => format!("{x:.10}"),
        _ => format!("{x:.9e}"),
    }
}

fn complex(z: Complex64) -> String {
    let sign = if z.im < 0.0 { "-" } else { "+" };
    if z.im == 0.0 { number(z.re) } else { format!("{}{sign}{}i", number(z.re), number(z.im.abs())) }
}

/// What was compared along random directions: `out.re along u`. Forward mode goes along the two in turn.
fn direction(q: &Probe) -> String {
    let output = format!("{}{}", q.output, index_text(&q.output_index));
    match (q.mode, q.part) {
        (Mode::Forward, Part::Im) => format!("{output} along i u_i"),
        (Mode::Forward, Part::Whole | Part::Re) => format!("{output} along u_r"),
        (Mode::Slow | Mode::Fast | Mode::Gradgrad, part) => format!("{output}{} along u", part.suffix()),
    }
}

/// Two significant digits.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() { real_text(x) } else { format!("{x:.1e}") }
}

/// Columns, the first and last to the left, the others to the right.
fn align(out: &mut String, rows: &mut [[String; 7]]) {
    // What was not computed has no column.
    for i in 1..4 {
        if rows[1..].iter().all(|r| r[i].is_empty() || r[i] == "-") {
            rows.iter_mut().for_each(|r| r[i].clear());
        }
    }
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    for row in rows.iter() {
        let mut line = String::from("    ");
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[i] - cell.chars().count());
            match i {
                0 => line += &format!("{cell}{pad}"),
                6 => line += &format!("   {cell}"),
                _ if widths[i] == 0 => {}
                _ => line += &format!("   {pad}{cell}"),
            }
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// For terminals that cannot show mathematics.
pub(crate) fn ascii(text: &str) -> String {
    text.replace('∂', "d").replace('ᵀ', "^T").replace('→', "->").replace('±', "+-")
}
