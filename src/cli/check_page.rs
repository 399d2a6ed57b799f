//! `adc check --report DIR`: the report as one self-contained page, DIR/index.html.

mod plots;
mod words;

use super::args::CheckArgs;
use super::check_command::reproduce;
use super::check_files::Checked;
use super::{Stop, check_text, input};
use crate::SourceFile;
use crate::cli::point::brief;
use crate::files;
use crate::render::{self, Style};
use crate::report::FileReport;
use adc_checker::{Blame, Counterfactual, Entry, Order, PointReport, Report, Status, StepCurve};
use adc_ir::{Diagnostic, Severity};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::io::Write;
use std::path::Path;

/// Number of entries whose error is plotted against the step.
pub(super) const CURVES: usize = 3;
/// Rows of a table of entries.
const ROWS: usize = 40;

/// A check: its file, its number there, and its report.
struct Row<'a>(&'a FileReport, usize, &'a Report);

/// Writes the page.
pub(super) fn write(dir: &Path, checked: &[Checked], args: &CheckArgs) -> Result<(), Stop> {
    let path = dir.join("index.html");
    let fail = |e: std::io::Error| input::write_error(&path.to_string_lossy(), &e);
    std::fs::create_dir_all(dir).map_err(fail)?;
    let page = page(checked, args).into_string();
    files::replace(&path, |file| file.write_all(page.as_bytes())).map_err(fail)?;
    Ok(())
}

pub(super) fn page(checked: &[Checked], args: &CheckArgs) -> Markup {
    let rows: Vec<(&FileReport, Vec<Report>)> = checked
        .iter()
        .filter_map(|c| match c {
            Checked::Done(f) => Some((&**f, f.rows())),
            Checked::Refused(_) => None,
        })
        .collect();
    let all: Vec<Row> =
        rows.iter().flat_map(|(f, rows)| rows.iter().enumerate().map(|(k, r)| Row(f, k, r))).collect();
    let bad = |r: &Report| !r.passes(args.strict);
    let failed = all.iter().filter(|Row(_, _, r)| bad(r)).count();
    let refused = checked.iter().filter(|c| matches!(c, Checked::Refused(_))).count();
    let doubtful =
        all.iter().filter(|Row(_, _, r)| matches!(r.status, Status::Warned | Status::Unsure)).count();
    let (verdict, class) = match (failed, refused, all.len()) {
        (0, 0, 0) => ("nothing was checked".to_string(), "fail"),
        (0, 0, n) if doubtful > 0 => {
            (format!("nothing is wrong, but {doubtful} of {} not certain", plural(n, "function")), "warn")
        }
        (0, 0, n) => (format!("all derivatives of {} agree with differences", plural(n, "function")), "pass"),
        (0, r, _) => (format!("{} could not be checked", plural(r, "file")), "fail"),
        (k, _, n) => (format!("{k} of {} FAILED", plural(n, "function")), "fail"),
    };
    // Functions that need attention come first.
    let (mut open, fine): (Vec<_>, Vec<_>) = all.iter().partition(|Row(_, _, r)| r.status != Status::Ok);
    open.sort_by_key(|Row(_, _, r)| std::cmp::Reverse(r.status));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // The page loads nothing, and text of a model cannot change that.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "adc check: " (verdict) }
                style { (PreEscaped(include_str!("check_page/page.css"))) }
            }
            body {
                header {
                    p.tool { "adc check " (env!("CARGO_PKG_VERSION")) }
                    h1 class=(class) { (verdict) }
                    p.totals { (check_text::totals(all.iter().map(|Row(_, _, r)| *r), args.strict)) }
                }
                main {
                    @for c in checked {
                        @if let Checked::Refused(d) = c {
                            section.function { @for item in &d.items { (message(&d.files, item)) } }
                        }
                    }
                    @if all.len() > 1 { (overview(&all)) }
                    @for row in &open { (function(row, args, true)) }
                    @for row in &fine { (function(row, args, all.len() == 1)) }
                }
            }
        }
    }
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The functions in a table, each with a link to its section.
fn overview(all: &[Row]) -> Markup {
    html! {
        table.overview {
            thead { tr { th { "" } th { "function" } th { "file" } th.number { "points" } th.number { "worst err/tol" } th { "at" } } }
            tbody {
                @for row @ Row(f, _, r) in all {
                    @let (word, class) = words::status(r.status);
                    tr {
                        td { span.badge.(class) { (word) } }
                        td { a href={ "#" (anchor(row)) } { code { (r.name) } } }
                        td { (file_name(f)) }
                        td.number { (r.counts.points) }
                        td.number { (words::ratio(r.worst_ratio)) }
                        td { code { (r.worst_entry) } }
                    }
                }
            }
        }
    }
}

fn file_name(f: &FileReport) -> &str {
    f.files.first().map_or("", |s| s.name.as_str())
}

/// Files may have functions of the same name, and blocks may check the same function.
fn anchor(Row(f, of_block, r): &Row) -> String {
    let plain: String = file_name(f).chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("{plain}-{}-{of_block}", r.name)
}

fn function(row: &Row, args: &CheckArgs, open: bool) -> Markup {
    let Row(f, _, r) = row;
    let (word, class) = words::status(r.status);
    html! {
        details.function id=(anchor(row)) open[open] {
            summary {
                span.badge.(class) { (word) } " "
                code.name { (r.name) } " "
                span.where { (file_name(f)) " · " (plural(r.counts.points, "point")) }
                @if let Some(a) = &r.assumed { span.where { " · assumed " (a.words) } }
            }
            @if let Some(a) = &r.assumed { pre.again { (a.block) } }
            @for d in r.diagnostics.iter().filter(|d| d.severity != Severity::Note || r.status != Status::Ok) {
                (message(&f.files, d))
            }
            @if let Some(b) = &r.blame { (blame(&f.files, b)) }
            @if let Some(p) = &r.worst {
                @if !r.curves.is_empty() { (curves(&r.curves)) }
                (jacobians(r, p))
                h3 { "Run it again" }
                pre.again { (reproduce(&f.files, r, &p.inputs, args)) }
            }
        }
    }
}

/// A message as the terminal shows it, with the source it marks.
fn message(files: &[SourceFile], d: &Diagnostic) -> Markup {
    let styled = render::diagnostic(files, d, Style { color: true, ascii: false });
    let shown = ansi_to_html::Converter::new().four_bit_var_prefix(Some("ansi-".into())).convert(&styled);
    html! {
        pre.message {
            @match shown {
                Ok(shown) => (PreEscaped(shown)),
                Err(_) => (render::diagnostic(files, d, Style::default())),
            }
        }
    }
}

/// The cause of a failure, and the experiment that shows it.
fn blame(files: &[SourceFile], b: &Blame) -> Markup {
    let passes = |c: &Counterfactual| {
        if c.passes { "and the check passes" } else { "which is closer, but still wrong" }
    };
    html! {
        dl.blame {
            dt { "stage" } dd { (b.stage.title()) }
            @if let Some(op) = &b.op {
                dt { (op.kind.word()) }
                dd {
                    code { (op.name) } (render::place(files, op.span))
                    @for iteration in &op.iterations {
                        ", at " (iteration.indices.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")) " of the loop" (render::place(files, iteration.span))
                    }
                }
                dt { "its derivative" }
                dd {
                    code { (op.entry.name(true)) } " = " span.value { (words::full(Some(op.rule_value))) } ", by differences "
                    span.value { (words::full(op.fd_value)) }
                }
            }
            @if let Some(rewrite) = &b.rewrite {
                dt { "rewrite" }
                dd {
                    code { (rewrite.name) } (render::place(files, rewrite.span)) ": " (rewrite.says)
                    @if let Some(domain) = &rewrite.domain { "; it holds for " (domain) }
                }
            }
            @if let Some(mistake) = &b.mistake { dt { "likely mistake" } dd { (mistake.text) } }
            @if let Some(c) = &b.counterfactual {
                dt { "without it" }
                dd { code { (b.entry.name(true)) } " becomes " span.value { (words::full(Some(c.value))) } ", " (passes(c)) }
            }
        }
    }
}

fn curves(curves: &[StepCurve]) -> Markup {
    html! {
        h3 { "Error against the step of the difference" }
        div.plots {
            @for curve in curves {
                @if let Some(svg) = plots::step_curve(curve) {
                    figure.steps {
                        figcaption.title { code { (curve.entry.name(true)) } }
                        (PreEscaped(svg))
                        p.legend {
                            @for (colour, name) in plots::lines(&curve.entry) {
                                span { span.line style={ "background:" (colour) } {} (name) }
                            }
                        }
                        figcaption { (words::about(curve)) }
                    }
                }
            }
        }
    }
}

/// Heat map and numbers of first and second derivatives at the point shown.
fn jacobians(r: &Report, p: &PointReport) -> Markup {
    let names = r.inputs.iter().zip(&p.inputs);
    let at: Vec<String> = names.map(|(n, v)| format!("{} = {}", n.name, brief(&v.clone().into()))).collect();
    html! {
        @for (order, title) in [(Order::First, "Jacobian"), (Order::Second, "Second derivatives: F(x, v) = vᵀJ")] {
            @let entries: Vec<&Entry> = p.entries.iter().filter(|e| e.order == order).collect();
            @if let Some(svg) = plots::heat_map(&entries) {
                h3 { (title) }
                p.at { "at " code { (at.join(", ")) } }
                figure.heat {
                    (PreEscaped(svg))
                    figcaption {
                        "Each cell is the derivative of the row's result with respect to the column's input, coloured by \
                         error over tolerance."
                        @if p.entries_omitted > 0 { " " (p.entries_omitted) " more entries were compared but are not shown." }
                    }
                }
                (table(&entries, r.names_outputs() || order == Order::Second))
            }
        }
    }
}

fn table(entries: &[&Entry], with_output: bool) -> Markup {
    let mut worst = entries.to_vec();
    worst.sort_by(|a, b| b.status.cmp(&a.status).then(b.ratio.total_cmp(&a.ratio)));
    html! {
        table.entries {
            thead { tr {
                th { "entry" } th.number { "reverse mode" } th.number { "forward mode" } th.number { "differences" }
                th.number { "error" } th.number { "tolerance" } th.number { "err/tol" } th { "verdict" }
            } }
            tbody {
                @for e in worst.iter().take(ROWS) {
                    tr.bad[e.status.failing()] {
                        td { code { (e.name(with_output)) } }
                        td.number { (words::full(e.vjp)) }
                        td.number { (words::full(e.jvp)) }
                        td.number { (words::full(e.fd)) }
                        td.number { (words::ratio(e.abs_err)) }
                        td.number { (words::ratio(e.tol)) }
                        td.number { (words::ratio(e.ratio)) }
                        td { (e.status.word()) }
                    }
                }
            }
        }
        @if worst.len() > ROWS { p.more { (worst.len() - ROWS) " more entries with smaller errors are not shown" } }
    }
}
