//! `adc selftest`: plants mistakes and prints which check found each.

use super::args::{Format, OrderArg, SelftestArgs};
use super::{Exit, Session, Stop, padded};
use adc_selftest::{Fate, Options, Order, Outcome, Row};
use std::fmt::Write;
use std::time::Instant;

pub(crate) fn run(session: &mut Session, args: &SelftestArgs) -> Result<Exit, Stop> {
    let start = Instant::now();
    let orders = match args.order {
        OrderArg::First => vec![Order::First],
        OrderArg::Second => vec![Order::Second],
        OrderArg::Both => vec![Order::First, Order::Second],
    };
    let options = Options {
        filter: args.filter.clone(),
        orders,
        points: args.points as usize,
        sample: args.sample.into(),
    };
    if args.list {
        return list(session, &options);
    }
    let outcome = adc_selftest::run(&options);
    if outcome.rows.is_empty() && outcome.traps.0 == 0 {
        let what = format!("no mutant is called `{}`", options.filter.join("`, `"));
        return Err(adc_ir::Diagnostic::error(adc_ir::Code::BadUsage, what)
            .help("`adc selftest --list` names them all, with their families")
            .into());
    }
    let text = match session.format == Format::Json {
        true => format!("{:#}\n", outcome.to_json()),
        false => text(session, &outcome),
    };
    session.print(&text);
    session.end_of_print();
    // The time differs from run to run: only on terminals.
    if session.format == Format::Text && !session.quiet && session.io.err_tty {
        let _ = writeln!(session.io.err, "{:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(if outcome.passed() { Exit::Ok } else { Exit::No })
}

fn list(session: &mut Session, options: &Options) -> Result<Exit, Stop> {
    let all = adc_selftest::list(options);
    let width = all.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    for (name, family, what) in all {
        writeln!(session.io.out, "{}  {}  {what}", padded(&name, width), padded(family, 12))?;
    }
    Ok(Exit::Ok)
}

fn text(session: &Session, outcome: &Outcome) -> String {
    let mut out = String::new();
    let width = outcome.rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
    // Of several thousand rows the important ones; all of them if there are few, or with `-v`.
    let all = session.verbose || outcome.rows.len() <= SHOWN;
    let shown = |r: &&Row| all || r.fate.fails();
    for r in outcome.rows.iter().filter(shown) {
        let tail = match &r.fate {
            Fate::Killed { function, verdict, what } => format!("{verdict} {what} of {function}"),
            Fate::Survived { function } => format!("{function}: {}", r.what),
            Fate::Equivalent => format!("{} (no difference found)", r.what),
            Fate::Unreached { reason: Some(why) } => format!("{} ({why})", r.what),
            Fate::Unreached { reason: None } => format!("{} (no program changes)", r.what),
        };
        let (name, order) = (padded(&r.name, width), padded(&r.order.to_string(), 6));
        let line =
            format!("{name}  {}  {order}  {}  {tail}", padded(r.family, 12), padded(r.fate.word(), 10));
        let _ = writeln!(out, "{line}");
    }
    if !outcome.rows.is_empty() {
        let header = ["family", "order", "killed", "equivalent", "unreached", "survived"];
        let blank = if outcome.rows.iter().any(|r| shown(&r)) { "\n" } else { "" };
        let cells = |cells: [String; 6]| -> String {
            let (text, numbers) = cells.split_at(2);
            let numbers: String = numbers.iter().map(|n| format!("{n:>12}")).collect();
            format!("{}{}{numbers}", padded(&text[0], 14), padded(&text[1], 8))
        };
        let _ = writeln!(out, "{blank}{}", cells(header.map(String::from)));
        let mut sum = [0; 4];
        for ((family, order), counts) in outcome.totals() {
            let [a, b, c, d] = counts.map(|n| n.to_string());
            let _ = writeln!(out, "{}", cells([family.into(), order.to_string(), a, b, c, d]));
            sum.iter_mut().zip(counts).for_each(|(s, n)| *s += n);
        }
        let [a, b, c, d] = sum.map(|n| n.to_string());
        let _ = writeln!(out, "{}", cells(["all".into(), String::new(), a, b, c, d]));
    }
    if outcome.traps.0 > 0 {
        let alarms = outcome.traps.1.len();
        let _ = writeln!(out, "false alarms: {alarms} in {} correct derivatives", outcome.traps.0);
    }
    for (function, what) in &outcome.traps.1 {
        let _ = writeln!(out, "FALSE ALARM  {function}: {what}");
    }
    for (mutant, why) in &outcome.stale {
        let _ = writeln!(out, "REACHED, THOUGH LISTED AS UNREACHED  {mutant}: {why}");
    }
    for (function, what) in &outcome.baseline {
        let _ = writeln!(out, "FAILS WITHOUT A MUTANT  {function}: {what}");
    }
    let killed = outcome.rows.iter().filter(|r| matches!(r.fate, Fate::Killed { .. })).count();
    let survived = outcome.rows.iter().filter(|r| matches!(r.fate, Fate::Survived { .. })).count();
    let missed = outcome.rows.iter().filter(|r| matches!(r.fate, Fate::Unreached { reason: None })).count();
    let functions = outcome.functions;
    let unreached = match missed {
        0 => String::new(),
        n => format!(", {n} unreached without a reason"),
    };
    let _ = writeln!(out, "\n{killed} killed, {survived} survived{unreached}, in {functions} functions");
    out
}

/// Number of rows that are shown without `-v`.
const SHOWN: usize = 40;
