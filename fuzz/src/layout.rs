//! Layout: sources whose blanks are squeezed and stretched, with comments at random places, and what the formatter must leave alone.

use crate::{Outcome, adc, damage, grammar};
use adc_ir::testing::Rng;
use scatter::{formatted, scattered};
use std::sync::OnceLock;

#[path = "../../frontend/tests/scatter.rs"]
mod scatter;

/// The source of a seed: by grammar, or a source of the repository, with another layout.
pub(crate) fn source(seed: u64) -> std::io::Result<String> {
    let mut rng = Rng::new(seed);
    let source = match seed % 2 {
        0 => grammar::source(seed / 2),
        _ => {
            let sources = sources()?;
            sources[rng.below(sources.len())].clone()
        }
    };
    Ok(scattered(&source, &mut rng))
}

/// The sources of the repository.
fn sources() -> std::io::Result<&'static Vec<String>> {
    static SOURCES: OnceLock<Vec<String>> = OnceLock::new();
    damage::once(&SOURCES, || {
        let folders = ["models", "tests", "benches", "examples", "frontend/tests/files", "fuzz/corpus"];
        let texts = folders.iter().map(|f| damage::files(f, "dsl")).collect::<std::io::Result<Vec<_>>>()?;
        Ok(texts.into_iter().flatten().filter(|t| matches!(formatted(t), Ok(Some(_)))).collect())
    })
}

/// Formats a source; if asked to `check`, the verdicts have to stay, too.
pub(crate) fn run(source: &str, check: bool) -> Result<Outcome, String> {
    let Some(once) = formatted(source)? else { return Ok(Outcome::Refused) };
    if !check {
        return Ok(Outcome::Accepted);
    }
    let verdict = |text: &str| {
        let args = ["check", "-", "--points", "2", "--special", "2", "--format", "json"];
        let ended = adc(&args, text.as_bytes());
        let json = serde_json::from_str::<serde_json::Value>(&ended.out).unwrap_or_default();
        (ended.code, json["summary"].clone())
    };
    let (before, after) = (verdict(source), verdict(&once));
    if before != after {
        return Err(format!("another verdict: {before:?}, then {after:?}"));
    }
    Ok(Outcome::Checked)
}
