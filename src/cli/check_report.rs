//! The forms in which `adc check` shows a report, for programs that check by themselves.

use super::args::{CheckArgs, Cli, Command};
use super::check_files::Checked;
use super::check_text::Printer;
use super::{Exit, check, check_json, check_page};
use crate::render::Style;
use crate::report::FileReport;
use clap::Parser;

/// Number of entries of a failing function whose error is plotted in [`report_page`], if [`crate::Settings::curves`] is that.
pub const CURVES: usize = check_page::CURVES;

/// The flags of a check without any.
fn no_flags() -> CheckArgs {
    match Cli::try_parse_from(["adc", "check"]).map(|cli| cli.command) {
        Ok(Command::Check(args)) => args,
        Ok(_) | Err(_) => unreachable!("`adc check` is a command"),
    }
}

fn done(report: &FileReport) -> [Checked; 1] {
    [Checked::Done(Box::new(report.clone()))]
}

/// As `adc check` prints it; with `-v` if `verbose`.
///
/// ```
/// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { sin(x) }")?;
/// let report = adc::check(&model, &adc::CheckOptions::default());
/// assert!(adc::cli::check_report::report_text(&report, adc::Style::default(), false).starts_with("  f.dsl\n    ok"));
/// assert!(adc::cli::check_report::report_json(&report).contains("\"schema\": \"adc.check/1\""));
/// assert!(adc::cli::check_report::report_page(&report).starts_with("<!DOCTYPE html>"));
/// # Ok::<(), adc::Error>(())
/// ```
pub fn report_text(report: &FileReport, style: Style, verbose: bool) -> String {
    let (args, rows) = (no_flags(), report.rows());
    let mut printer = Printer::styled(style, verbose, false, &args);
    printer.open(report, rows.iter().map(|r| (r.name.as_str(), r.inputs.clone(), r.outputs.clone())));
    rows.iter().for_each(|r| printer.row(report, r));
    printer.close(report);
    printer.end(None);
    printer.take()
}

/// As `adc check --format json` prints it.
pub fn report_json(report: &FileReport) -> String {
    let (args, checked) = (no_flags(), done(report));
    let interrupted = report.reports.iter().any(|r| r.status == crate::Status::Interrupted);
    let exit =
        if interrupted { Exit::Interrupted } else { check::exit(&checked.iter().collect::<Vec<_>>(), &args) };
    check_json::document(&checked, &args, exit)
}

/// The page of `adc check --report`.
pub fn report_page(report: &FileReport) -> String {
    check_page::page(&done(report), &no_flags()).into_string()
}
