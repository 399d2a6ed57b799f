//! `adc fmt`: source files in the one style of the language.

use super::args::{FmtArgs, Format};
use super::check_files::files;
use super::{Exit, Session, Stop, input};
use crate::Diagnostics;
use adc_frontend::SourceFile;
use adc_frontend::format::format;
use adc_ir::{Code, Diagnostic, FileId};
use similar::TextDiff;
use std::io::Write;
use std::path::Path;

/// What became of the files.
#[derive(Default)]
struct Counts {
    changed: usize,
    same: usize,
    refused: usize,
}

pub(crate) fn run(session: &mut Session, args: &FmtArgs) -> Result<Exit, Stop> {
    if session.format != Format::Text {
        let d = Diagnostic::error(Code::BadUsage, "`adc fmt` prints text only");
        return Err(d
            .help("leave out `--format`; the exit code of `--check` says whether all is formatted")
            .into());
    }
    let mut counts = Counts::default();
    for path in files(&args.paths)? {
        match formatted(session, &path) {
            Ok((name, text, out)) => {
                let same = text == out;
                let counted = if same { &mut counts.same } else { &mut counts.changed };
                *counted += 1;
                if args.diff && !same {
                    diff(session, &name, &text, &out)?;
                } else if args.check && !same {
                    writeln!(session.io.out, "would reformat {name}")?;
                } else if !args.check && !args.diff {
                    write(session, &path, &out, same)?;
                }
            }
            Err(Stop(d)) => {
                counts.refused += 1;
                session.narrate(&d);
            }
        }
    }
    let dry = args.check || args.diff;
    let on_stdin = args.paths.iter().all(|p| p == Path::new("-"));
    if !session.quiet && (dry || !on_stdin) {
        writeln!(session.io.err, "{}", summary(&counts, dry))?;
    }
    Ok(match (counts.refused, counts.changed) {
        (1.., _) => Exit::Request,
        (0, 1..) if dry => Exit::No,
        (0, _) => Exit::Ok,
    })
}

/// The name of a file, what is in it, and what should be.
fn formatted(session: &mut Session, path: &Path) -> Result<(String, String, String), Stop> {
    let (name, text) = input::source(session, path)?;
    match format(FileId(0), &text) {
        Ok(out) => Ok((name, text, out)),
        Err(d) => Err(Diagnostics { files: vec![SourceFile { name, text }], items: d.0 }.into()),
    }
}

/// Puts the text where it belongs: into the file, if it is another one, or on standard output.
fn write(session: &mut Session, path: &Path, out: &str, same: bool) -> Result<(), Stop> {
    if path == Path::new("-") {
        session.io.out.write_all(out.as_bytes())?;
        return Ok(());
    }
    if same {
        return Ok(());
    }
    let written = crate::files::replace(path, |file| file.write_all(out.as_bytes()));
    written.map_err(|e| input::io_error(&path.to_string_lossy(), &e))
}

fn diff(session: &mut Session, name: &str, text: &str, out: &str) -> Result<(), Stop> {
    let diff = TextDiff::from_lines(text, out);
    write!(session.io.out, "{}", diff.unified_diff().header(name, name))?;
    Ok(())
}

fn summary(counts: &Counts, dry: bool) -> String {
    let files = |n: usize| format!("{n} file{}", if n == 1 { "" } else { "s" });
    let verb = if dry { "would be reformatted" } else { "reformatted" };
    let mut parts = Vec::new();
    if counts.changed > 0 {
        parts.push(format!("{} {verb}", files(counts.changed)));
    }
    if counts.same > 0 || counts.changed + counts.refused == 0 {
        parts.push(format!("{} already formatted", files(counts.same)));
    }
    if counts.refused > 0 {
        parts.push(format!("{} not read", files(counts.refused)));
    }
    parts.join(", ")
}
