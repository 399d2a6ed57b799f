//! One line for each function: its result, and how well it is known.

use super::totals::count;
use super::{ratio, short};
use crate::SourceFile;
use crate::cli::padded;
use crate::render::line_column;
use adc_checker::{Named, Report, Status, Tolerance, Verdict};
use adc_ir::Span;
use std::fmt::Write;

/// A resolution worse than this is always shown.
const POOR: f64 = 1e-9;

/// The columns of the lines of one file. A line is printed before the next one is known, so a column is as wide as its
/// widest entry so far; names and words are known in advance.
#[derive(Default)]
pub(super) struct Columns {
    word: Column,
    name: Column,
    signature: Column,
    outcome: Column,
}

#[derive(Default)]
struct Column(usize);

impl Column {
    fn wide(text: &str) -> Column {
        Column(text.chars().count())
    }

    fn widen(&mut self, text: &str) {
        self.0 = self.0.max(text.chars().count());
    }

    fn padded(&mut self, text: &str) -> String {
        self.widen(text);
        padded(text, self.0)
    }
}

impl Columns {
    /// The columns of a file with these functions: name, parameters, results.
    pub(super) fn of<'n>(functions: impl Iterator<Item = (&'n str, Vec<Named>, Vec<Named>)>) -> Columns {
        let mut columns = Columns { word: Column::wide(word(Status::Unsure)), ..Columns::default() };
        for (name, inputs, outputs) in functions {
            columns.name.widen(name);
            columns.signature.widen(&signature(&inputs, &outputs, false));
        }
        columns
    }

    /// `ok    amplitude   (f64, f64) -> f64    16 points   worst err/tol 3.1  at ∂/∂p`
    pub(super) fn line(&mut self, files: &[SourceFile], r: &Report, verbose: bool) -> String {
        let (word, name) = (self.word.padded(word(r.status)), self.name.padded(&r.name));
        let signature = self.signature.padded(&signature(&r.inputs, &r.outputs, r.sets.len() > 1));
        let mut line = format!("{word} {name}   {signature}   ");
        if r.status != Status::Error {
            let worst = worst(r);
            line +=
                &if worst.is_empty() { outcome(files, r) } else { self.outcome.padded(&outcome(files, r)) };
            line += &worst;
            line += &resolution(r, verbose);
            line += &fixed_steps(r);
        }
        line += &sizes(r);
        if let Some(assumed) = &r.assumed {
            let _ = write!(line, "   assumed {}", assumed.words);
        }
        if let Some(expected) = r.expected {
            let met = if r.status == Status::Ok { "met" } else { "not met" };
            let _ = write!(line, "   expect {}: {met}", expected.name());
        }
        line += &compared_at(r);
        if r.counts.rejected > 0 {
            let _ = write!(line, "   {} without a finite value", count(r.counts.rejected, "point"));
        }
        if let Some(endless) = r.given_up_by.filter(|_| r.counts.given_up > 0) {
            let at = files.get(endless.span.file.0 as usize);
            let at = at.map_or(String::new(), |f| {
                let (line, column) = line_column(&f.text, endless.span.start);
                format!(" (loop at {line}:{column})")
            });
            let _ = write!(line, "   {} given up{at}", count(r.counts.given_up, "point"));
        }
        if !r.holes.is_empty() {
            let mut names: Vec<String> =
                r.holes.iter().map(|h| format!("{}{}", h.name, place(files, h.span))).collect();
            names.dedup();
            let _ = write!(line, "   in double precision only: {}", names.join(", "));
        }
        if !r.trusted.is_empty() {
            let _ = write!(line, "   trusted, not compared: {}", r.trusted.join(", "));
        }
        if !r.nonlinear.is_empty() {
            let _ = write!(line, "   nonlinear, not compared: {}", r.nonlinear.join(", "));
        }
        if !r.linear.is_empty() {
            let _ = write!(line, "   checked as linear in {}", r.linear.join(", "));
        }
        line += &skipped(r);
        if !r.first_order.is_empty() {
            let _ = write!(line, "   second order not compared: {}", r.first_order.join(", "));
        }
        line.trim_end().to_string()
    }
}

/// `   not compared: forward mode, second order (why)`: default modes that there are not.
fn skipped(r: &Report) -> String {
    let list = [
        ("reverse mode", &r.reverse_skipped),
        ("forward mode", &r.forward_skipped),
        ("second order", &r.gradgrad_skipped),
    ];
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (mode, why) in list.iter().filter_map(|(mode, d)| Some((*mode, d.as_ref()?.message.as_str()))) {
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, modes)) => modes.push(mode),
            None => reasons.push((why, vec![mode])),
        }
    }
    let words =
        reasons.into_iter().map(|(why, modes)| format!("   not compared: {} ({why})", modes.join(", ")));
    words.collect()
}

/// How small an error would have been detected: if that is not small, or if requested.
fn resolution(r: &Report, verbose: bool) -> String {
    match (r.counts.total.resolution.median(), r.counts.total.resolution.worst()) {
        (Some(median), Some(worst)) if verbose => {
            format!("   resolution {} (median), {} (worst)", short(median), short(worst))
        }
        // What is not resolved at all has a verdict for that.
        (_, Some(worst)) if worst > POOR && worst < 1.0 => format!("   resolution {}", short(worst)),
        _ => String::new(),
    }
}

pub(super) fn word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Kink => "kink",
        Status::Warned => "warn",
        Status::Unsure => "unsure",
        Status::Failed => "FAIL",
        Status::Interrupted => "stop",
        Status::Error => "error",
    }
}

/// `16 points`, or their verdicts: `15 ok, 1 kink accepted (max, line 2)`.
fn outcome(files: &[SourceFile], r: &Report) -> String {
    let plain = r.counts.points_by.of(Verdict::Ok) == r.counts.points;
    if plain {
        let unit = if r.counts.points == 1 { "point" } else { "points" };
        return match further(r) {
            None => format!("{:>2} {unit:<6}", r.counts.points),
            Some(further) => format!("{:>2} {unit}{further}", r.counts.points),
        };
    }
    let of = |(v, n): (Verdict, usize)| {
        let word = match (v, n) {
            (Verdict::Kink, 1) => "kink accepted",
            (Verdict::Kink, _) => "kinks accepted",
            _ => v.word(),
        };
        let sites: Vec<String> = (r.sites.iter().filter(|s| s.verdict == v))
            .map(|s| {
                format!("{}{}", s.op, line_of(files, s.span).map_or(String::new(), |n| format!(", line {n}")))
            })
            .collect();
        let sites = if sites.is_empty() { String::new() } else { format!(" ({})", sites.join("; ")) };
        format!("{n} {word}{sites}")
    };
    let list: Vec<String> = r.counts.points_by.iter().map(of).collect();
    format!("{:>2}{}", list.join(", "), further(r).unwrap_or_default())
}

/// Points besides the drawn ones: ` + 8 special + 200 searched`.
fn further(r: &Report) -> Option<String> {
    let kinds = [(r.counts.special, "special"), (r.counts.searched, "searched")];
    let text: String =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!(" + {n} {kind}")).collect();
    (!text.is_empty()).then_some(text)
}

/// What was compared at some of the points only: `   every entry at 2 points, interpreter at 5`.
fn compared_at(r: &Report) -> String {
    let kinds = [(r.compared_at.entries, "every entry"), (r.compared_at.interpreter, "interpreter")];
    let list: Vec<String> =
        (kinds.iter()).filter_map(|(n, what)| Some(format!("{what} at {}", count((*n)?, "point")))).collect();
    if list.is_empty() { String::new() } else { format!("   {}", list.join(", ")) }
}

/// The largest quotient of error and tolerance, unless something else matters more.
fn worst(r: &Report) -> String {
    let other = match r.status {
        Status::Kink => true,
        Status::Failed => r.worst_ratio <= 1.0,
        _ => false,
    };
    let silent = r.worst_entry.is_empty() || r.worst_ratio.is_nan() || other;
    match silent {
        true => String::new(),
        // How far below is noise, and differs between machines.
        false if r.worst_ratio < 1.0 => "   worst err/tol < 1".to_string(),
        false => format!("   worst err/tol {}  at {}", ratio(r.worst_ratio), r.worst_entry),
    }
}

/// Step and tolerances, unless they are automatic: giving one of the numbers in a block selects all of them.
fn fixed_steps(r: &Report) -> String {
    let l = &r.limits;
    match l.form {
        Tolerance::Automatic => String::new(),
        Tolerance::Classic => {
            format!("   fixed steps: eps {:e}, atol {:e}, rtol {:e}", l.eps, l.atol, l.rtol)
        }
        Tolerance::Relative { max_relative_error, delta, .. } => {
            format!("   fixed steps: delta {delta:e}, max relative error {max_relative_error:e}")
        }
    }
}

/// ` (line 3)`
fn place(files: &[SourceFile], span: Span) -> String {
    line_of(files, span).map_or(String::new(), |n| format!(" (line {n})"))
}

fn line_of(files: &[SourceFile], span: Span) -> Option<usize> {
    files.get(span.file.0 as usize).map(|f| line_column(&f.text, span.start).0)
}

/// The sizes of a dimension with several: `N = 3, 4`.
fn sizes(r: &Report) -> String {
    let assumed = r.assumed.as_ref().is_some_and(|a| !a.dims.is_empty());
    let mut text = String::new();
    for (k, (name, _)) in r.dims.iter().enumerate().filter(|_| r.sets.len() > 1 && !assumed) {
        let mut numbers: Vec<String> = r.sets.iter().map(|set| set[k].1.to_string()).collect();
        numbers.dedup();
        let _ = write!(text, "   {name} = {}", numbers.join(", "));
    }
    text
}

/// Types of inputs and outputs; if there are many, the first ones. `symbolic`: with declared sizes.
fn signature(inputs: &[Named], outputs: &[Named], symbolic: bool) -> String {
    const SHOWN: usize = 8;
    let shown = |n: &Named| if symbolic { n.symbolic() } else { n.to_string() };
    let list = |ports: &[Named]| {
        let mut types: Vec<_> = ports.iter().take(SHOWN).map(shown).collect();
        if ports.len() > SHOWN {
            types.push(format!("{} more", ports.len() - SHOWN));
        }
        types.join(", ")
    };
    match outputs {
        [one] => format!("({}) -> {}", list(inputs), shown(one)),
        many => format!("({}) -> ({})", list(inputs), list(many)),
    }
}
