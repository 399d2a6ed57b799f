//! `adc check --suggest`: `check` blocks to paste, and nothing else.

use super::args::{CheckArgs, Format};
use super::check_files::{Source, selection};
use super::{Exit, Session, Stop};
use crate::Model;
use crate::report::{CheckOptions, suggest};
use adc_ir::{Code, Diagnostic};
use serde_json::{Map, Value as Json, json};

pub(crate) fn run(
    session: &mut Session,
    sources: Vec<Source>,
    args: &CheckArgs,
    options: &CheckOptions,
) -> Result<Exit, Stop> {
    if session.format.of_check() {
        return Err(Diagnostic::error(Code::BadUsage, "`--suggest` prints text or JSON")
            .help("use `--format text` or `--format json`")
            .into());
    }
    let (mut blocks, mut list, mut exit) = (Vec::new(), Vec::new(), Exit::Ok);
    let several = sources.len() > 1;
    for source in sources {
        let found = source.and_then(|(name, text)| {
            let model = Model::parse(&name, &text)?;
            // A file that lacks the requested function is skipped.
            let wanted = args.function.as_ref().is_none_or(|f| model.function(f).is_ok());
            let found = if wanted { suggest(&model, options, &selection(args))? } else { Vec::new() };
            Ok((name, found))
        });
        let (file, found) = match found {
            Ok(found) => found,
            Err(d) => {
                session.narrate(&d);
                exit = Exit::Request;
                continue;
            }
        };
        if several && !found.is_empty() {
            blocks.push(format!("// {file}\n"));
        }
        for s in found {
            let note = match (&s.assumed, s.works) {
                (_, false) => "// no inputs were found at which it has a value\n".to_string(),
                (Some(a), true) => {
                    format!("// assumed, since normal inputs often give no value: {}\n", a.words)
                }
                (None, true) => String::new(),
            };
            blocks.push(note + &s.block);
            let assumed = s.assumed.as_ref().map(assumed);
            list.push(json!({
                "file": file, "function": s.function, "block": s.block, "assumed": assumed, "works": s.works,
            }));
        }
    }
    match session.format == Format::Json {
        true => {
            let doc =
                json!({"schema": "adc.suggest/1", "adc": env!("CARGO_PKG_VERSION"), "suggestions": list});
            writeln!(session.io.out, "{doc:#}")?;
        }
        false => write!(session.io.out, "{}", blocks.join("\n"))?,
    }
    Ok(exit)
}

/// What was assumed, in the form of reports.
pub(super) fn assumed(a: &adc_checker::Assumed) -> Json {
    let domains: Map<String, Json> = a.domains.iter().map(|(n, d)| (n.clone(), d.as_str().into())).collect();
    let dims: Map<String, Json> = a.dims.iter().map(|(n, k)| (n.clone(), (*k).into())).collect();
    json!({"domains": domains, "dims": dims, "block": a.block})
}
