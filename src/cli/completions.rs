//! `adc completions`: a shell completion script.

use super::args::{Cli, CompletionsArgs};
use super::{Exit, Session, Stop};
use clap::CommandFactory;

pub(crate) fn run(session: &mut Session, args: &CompletionsArgs) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "adc", &mut script);
    session.io.out.write_all(&script)?;
    Ok(Exit::Ok)
}
