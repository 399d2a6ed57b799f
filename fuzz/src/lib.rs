//! Seeded inputs for everything that adc reads, run in this process.
//!
//! A [`Target`] is one way into adc. It makes the input of a seed ([`Target::input`]) and runs an input ([`Target::run`]). A seed names
//! its input for ever, on every machine, so a finding is told by two words: `grammar 1234`.
//!
//! What must hold of every input: no panic, no abort, an error has a code and a span inside of the source, and no verdict says that
//! something is wrong that is right by construction. The binary `fuzz` adds bounds on time and memory.

mod damage;
mod grammar;
mod ir;
mod layout;
mod native;
mod source;
mod values;

use adc::cli::{Streams, run};
use std::path::Path;

/// A way into adc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// Sources by grammar, most of which type-check.
    Grammar,
    /// Sources by grammar that call native functions.
    Native,
    /// The models, damaged.
    Damage,
    /// Sources with another layout, formatted.
    Format,
    /// IR text, damaged.
    Ir,
    /// Points as on the command line.
    Points,
    /// Points as JSON.
    Json,
    /// NumPy's files.
    Npy,
}

/// How an input was received, if nothing is wrong with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// With errors.
    Refused,
    /// It is a program, or a value.
    Accepted,
    /// A program whose derivatives were checked.
    Checked,
}

impl Outcome {
    /// The outcomes, in order.
    pub const ALL: [Outcome; 3] = [Outcome::Refused, Outcome::Accepted, Outcome::Checked];

    /// `refused`, `accepted`, `checked`.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Refused => "refused",
            Outcome::Accepted => "accepted",
            Outcome::Checked => "checked",
        }
    }
}

impl Target {
    /// The targets, in order.
    pub const ALL: [Target; 8] = [
        Target::Grammar,
        Target::Native,
        Target::Damage,
        Target::Format,
        Target::Ir,
        Target::Points,
        Target::Json,
        Target::Npy,
    ];

    /// The name, also of its folder in the corpus.
    pub fn name(self) -> &'static str {
        match self {
            Target::Grammar => "grammar",
            Target::Native => "native",
            Target::Damage => "damage",
            Target::Format => "format",
            Target::Ir => "ir",
            Target::Points => "points",
            Target::Json => "json",
            Target::Npy => "npy",
        }
    }

    /// The ending of a file with an input.
    pub fn ending(self) -> &'static str {
        match self {
            Target::Grammar | Target::Native | Target::Damage | Target::Format => "dsl",
            Target::Ir => "ir",
            Target::Points => "txt",
            Target::Json => "json",
            Target::Npy => "npy",
        }
    }

    /// The input of a seed.
    ///
    /// # Errors
    /// If the models cannot be read.
    pub fn input(self, seed: u64) -> std::io::Result<Vec<u8>> {
        Ok(match self {
            Target::Grammar => grammar::source(seed).into_bytes(),
            Target::Native => grammar::native(seed).into_bytes(),
            Target::Damage => damage::model(seed)?.into_bytes(),
            Target::Format => layout::source(seed)?.into_bytes(),
            Target::Ir => ir::text(seed)?.into_bytes(),
            Target::Points => values::point(seed).into_bytes(),
            Target::Json => values::json(seed).into_bytes(),
            Target::Npy => values::npy(seed),
        })
    }

    /// Runs an input; `folder` is for files. A program's derivatives are checked if `check` says so.
    ///
    /// # Errors
    /// What is wrong with how adc received it.
    pub fn run(self, input: &[u8], folder: &Path, check: bool) -> Result<Outcome, String> {
        let text = String::from_utf8_lossy(input);
        match self {
            Target::Grammar => source::run(&text, check, source::WRONG_OF_RIGHT),
            Target::Native => source::run_with(&text, check, native::externs(), source::WRONG_OF_RIGHT),
            Target::Damage => source::run(&text, check, source::WRONG_OF_ANY),
            Target::Format => layout::run(&text, check),
            Target::Ir => ir::run(&text),
            Target::Points => values::run_point(&text, folder),
            Target::Json => values::run_json(&text, folder),
            Target::Npy => values::run_npy(input, folder),
        }
    }
}

/// What a command line did.
struct Ended {
    code: u8,
    out: String,
    err: String,
}

/// Runs a command line of adc here.
fn adc(args: &[&str], mut stdin: &[u8]) -> Ended {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(
        ["adc"].iter().chain(args).map(Into::into),
        &mut Streams {
            stdin: &mut stdin,
            out: &mut out,
            err: &mut err,
            out_tty: false,
            err_tty: false,
            cache: None,
            on_interrupt: &mut |_| {},
        },
    );
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ended { code, out: text(out), err: text(err) }
}
