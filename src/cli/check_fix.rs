//! `adc check --fix`: changes files where their diagnostics say for certain what to write.

use super::args::CheckArgs;
use super::check_files::{Source, lints, selection};
use super::{Session, Stop, input};
use crate::report::{CheckOptions, check_selected};
use crate::{FileReport, Model, files};
use adc_checker::Status;
use adc_frontend::limits::MAX_FILE;
use adc_ir::{Certainty, Code, Diagnostic, Edit, FileId, edited};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Changes may make others possible, but not for ever.
const ROUNDS: usize = 20;

/// Changes the files and their sources, and says what it did. Returns whether every change could be written.
pub(super) fn run(
    session: &mut Session,
    paths: &[std::path::PathBuf],
    sources: &mut [Source],
    args: &CheckArgs,
    options: &CheckOptions,
) -> Result<bool, Stop> {
    if args.paths.iter().any(|p| p == Path::new("-")) {
        let d = Diagnostic::error(Code::BadUsage, "`--fix` changes files, and standard input is none");
        return Err(d.help("name the file").into());
    }
    let (mut changes, mut written) = (0, true);
    for (path, source) in paths.iter().zip(sources) {
        let Ok((name, text)) = source else { continue };
        let (new, titles) = fixed(name, text, args);
        if titles.is_empty() {
            continue;
        }
        if let Some(why) = verdict_changes(name, text, &new, args, options) {
            say(session, &format!("{name}: nothing was changed: {why}"));
            continue;
        }
        match write(path, text, &new) {
            Ok(()) => {
                titles.iter().for_each(|t| say(session, &format!("{name}: {t}")));
                changes += titles.len();
                *text = new;
            }
            Err(e) => {
                session.narrate(&input::write_error(name, &e).0);
                written = false;
            }
        }
    }
    let (s, files) =
        (if changes == 1 { "" } else { "s" }, if changes == 0 { "nothing to fix" } else { "fixed" });
    say(session, &if changes == 0 { files.to_string() } else { format!("{files}: {changes} change{s}") });
    Ok(written)
}

fn say(session: &mut Session, text: &str) {
    if !session.quiet {
        let _ = writeln!(session.io.err, "{text}");
    }
}

/// The text after all certain changes, and what they are, in words.
fn fixed(name: &str, text: &str, args: &CheckArgs) -> (String, Vec<String>) {
    let (mut text, mut titles) = (text.to_string(), Vec::new());
    for _ in 0..ROUNDS {
        let (edits, more) = certain(name, &text, args);
        let Some(new) = edited(&text, &edits).filter(|new| !more.is_empty() && *new != text) else { break };
        text = new;
        titles.extend(more);
    }
    (text, titles)
}

/// The certain edits of a text that do not touch each other.
fn certain(name: &str, text: &str, args: &CheckArgs) -> (Vec<Edit>, Vec<String>) {
    let model = Model::parse(name, text);
    let found: Vec<&Diagnostic> = match &model {
        Ok(model) => lints(model, args).chain(&model.program().warnings.0).collect(),
        Err(d) => d.items.iter().collect(),
    };
    let (mut edits, mut titles): (Vec<Edit>, Vec<String>) = Default::default();
    for d in found {
        // The first one is the best one.
        let Some(s) = d.suggestions.iter().find(|s| s.certainty == Certainty::Certain) else { continue };
        let apart = |e: &Edit| {
            e.span.file == FileId(0)
                && edits
                    .iter()
                    .all(|o| *o != *e && (o.span.end <= e.span.start || e.span.end <= o.span.start))
        };
        if s.edits.iter().all(apart) {
            let (line, column) = crate::render::line_column(text, s.edits[0].span.start);
            titles.push(format!("{line}:{column}: {}", s.title));
            edits.extend(s.edits.iter().cloned());
        }
    }
    (edits, titles)
}

/// Why a change must not be made: a check has another outcome with it. A warning may go away.
fn verdict_changes(
    name: &str,
    old: &str,
    new: &str,
    args: &CheckArgs,
    options: &CheckOptions,
) -> Option<String> {
    let Ok(before) = Model::parse(name, old) else {
        // There was no verdict.
        return None;
    };
    let after = match Model::parse(name, new) {
        Ok(after) => after,
        Err(_) => return Some("the changed file would not compile".to_string()),
    };
    let check = |model: &Model| check_selected(model, options, &selection(args)).ok();
    let (before, after) = (check(&before)?, check(&after)?);
    let statuses = |f: &FileReport| -> Vec<(String, Status)> {
        f.reports.iter().map(|r| (r.name.clone(), r.status)).collect()
    };
    let (before, after) = (statuses(&before), statuses(&after));
    if before.len() != after.len() {
        return Some("other functions would be checked".to_string());
    }
    let fine = |b: Status, a: Status| {
        b == a || a == Status::Ok && matches!(b, Status::Kink | Status::Warned | Status::Unsure)
    };
    let worse = before.iter().zip(&after).find(|((_, b), (_, a))| !fine(*b, *a));
    worse.map(|((name, b), (_, a))| {
        format!("the verdict on `{name}` would change from {b:?} to {a:?}").to_lowercase()
    })
}

/// Writes the new text, if the file still has the old one.
fn write(path: &Path, old: &str, new: &str) -> std::io::Result<()> {
    let now = File::open(path).and_then(|f| files::text(f, MAX_FILE))?;
    if now != old {
        return Err(std::io::Error::other("it was changed meanwhile, so it was left alone"));
    }
    files::replace(path, |f| f.write_all(new.as_bytes()))
}
